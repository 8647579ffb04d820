# SPDX-License-Identifier: GPL-3.0-or-later
"""A library's edges are the best meetings of its clips, and what was measured of a bake is so in Blender."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import pytest

from inertia_addon.blender.cost import costing, library, meetings
from inertia_addon.blender.data import scene
from inertia_addon.blender.evaluation import joints
from inertia_addon.blender.transition import bake
from inertia_addon.errors import InertiaError
from inertia_addon.motion.steps import finish
from inertia_addon.settings.cost import Search
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import clips

pytestmark = [pytest.mark.data, pytest.mark.brief(rig=("Fox",))]


@pytest.fixture(params=["Fox", "RobotExpressive"])
def rig(request: pytest.FixtureRequest, data_dir: Path, fresh_file: None) -> tuple[Any, list[str]]:
    return clips.load(request.param, data_dir)


def made(armature: Any, **values: Any) -> library.ClipLibrary:
    found = library.ClipLibrary(TransitionSettings("", "", 0.0, **values))
    finish(found.add("file", armature, joints.named_weights(armature, "found")))
    return found


@pytest.mark.variants(1)
def test_an_edge_is_the_best_meeting_of_its_clips(rig: tuple[Any, list[str]]) -> None:
    armature, _ = rig
    whole = made(armature)
    called = whole.names()
    search = Search()
    for source, destination in whole.pairs()[:: max(1, len(whole.pairs()) // 6)]:
        settings = TransitionSettings(called[source], called[destination], 0.0, root=whole.root)
        pair = costing.read_pair(armature, settings)
        weights = joints.named_weights(armature, "found")
        motions = finish(costing.motions(armature, pair))
        compared = costing.compare(settings, pair.alignment, weights, motions, scene.fps())
        (best,) = finish(meetings.best_pairs(compared, 1, search))
        edge = whole.edge(source, destination, search, exact=True)
        assert edge.cost == pytest.approx(best.cost, rel=1e-5)
        assert (edge.cut, edge.destination_frame) == (best.cut, best.destination_frame)
        parts = compared.by_bone(best.cut, best.destination_frame)
        assert edge.share == pytest.approx(parts[edge.bone] / sum(parts.values()), rel=1e-5)
        assert edge.share == pytest.approx(max(parts.values()) / sum(parts.values()), rel=1e-5)
        # what features find is no better, and seldom much worse
        quick = whole.edge(source, destination, search, exact=False)
        assert quick.cost >= edge.cost * (1.0 - 1e-5)
        assert quick.cost == pytest.approx(compared.at(quick.cut, quick.destination_frame), rel=1e-4)


@pytest.mark.variants(1)
def test_results_are_no_clips_and_names_tell_files_apart(rig: tuple[Any, list[str]]) -> None:
    armature, names = rig
    before = len(made(armature).clips)
    start = bpy.data.actions[names[0]].frame_range[0]
    bake.bake_transition(armature, TransitionSettings(names[0], names[1], start + 2, assign=False))
    twice = made(armature)
    assert len(twice.clips) == before
    finish(twice.add("again", armature, {}))
    assert len(twice.clips) == 2 * before
    assert len(set(twice.names())) == 2 * before


@pytest.mark.parametrize("rig", ["Fox"], indirect=True)
def test_a_file_that_calls_bones_otherwise_is_compared_as_the_same(rig: tuple[Any, list[str]]) -> None:
    armature, _ = rig
    alone = made(armature)
    for bone in armature.data.bones:
        # Blender renames them in what is assigned only
        bone.name = f"x1:{bone.name.lower()}"
    finish(alone.add("again", armature, {}))
    assert any('"again" has other names' in sentence for sentence in alone.skipped)
    names, count = alone.names(), len(alone.clips) // 2
    same = alone.compared(0, 1), alone.compared(0, count + 1), alone.compared(count, 1)
    costs = [compared.at(float(compared.motions[0].frames[2]), 1.0) for compared in same]
    assert len({*names}) == 2 * count
    assert costs == pytest.approx([costs[0]] * 3, rel=1e-6)


@pytest.mark.variants(1)
def test_a_library_refuses_another_skeleton(rig: tuple[Any, list[str]]) -> None:
    armature, _ = rig
    found = made(armature)
    found.bones = tuple(f"Strange {i}" for i in range(len(found.bones)))
    with pytest.raises(InertiaError, match="another skeleton"):
        finish(found.add("other", armature, {}))
