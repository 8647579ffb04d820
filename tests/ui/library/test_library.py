# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of transitions is filled, baked, clicked through, and written as a spec that bakes alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.batch.jobs import requests
from inertia_addon.blender.data import compat
from tests.ui.recorder import drawn, panel_named
from tests.ui.rigs import make_rig, take_snapshot

ops = bpy.ops.inertia
PANEL = panel_named("library")


def add(rig: Any, source: str, destination: str, **values: Any) -> Any:
    """Add a pair to the rig's list."""
    pair = rig.inertia_library.pairs.add()
    pair.source, pair.destination = bpy.data.actions[source], bpy.data.actions[destination]
    for name, value in values.items():
        setattr(pair, name, value)
    return pair


def test_the_list_is_filled_and_emptied(rig: Any) -> None:
    own = rig.inertia_library
    assert not ops.bake_library.poll()
    ops.library_pairs(change="ADD")
    assert [(p.source.name, p.destination.name, p.cut) for p in own.pairs] == [("Walk", "Run", 20.0)]
    ops.library_pairs(change="ALL")
    ends = [(p.source.name, p.destination.name) for p in own.pairs]
    assert len(ends) == len(set(ends)) == 6
    ops.library_pairs(change="REMOVE")
    assert len(own.pairs) == 5
    ops.library_pairs(change="CLEAR")
    assert len(own.pairs) == 0


def test_a_library_is_baked_at_the_best_cuts_and_a_click_shows_a_result(rig: Any) -> None:
    own = rig.inertia_library
    rig.inertia.blend_frames = 8.0
    rig.inertia_search.apart_frames = 100.0  # so that few pairs are to be judged
    best = add(rig, "Walk", "Run")
    given = add(rig, "Run", "Walk", searched=False, cut=30.0, destination_frame=12.0)
    broken = add(rig, "Walk", "Idle", searched=False, cut=900.0)
    ops.bake_library()
    assert [pair.result.name if pair.result else None for pair in own.pairs] == [
        *("Walk to Run", "Run to Walk", None)
    ]
    assert "lies outside" in broken.problem
    assert given.first == 30.0
    assert given.last > 30.0
    # the first one that was baked is shown
    assert compat.assigned(rig)[0] == best.result
    own.active_pair = 1
    assert compat.assigned(rig)[0] == given.result
    scene = bpy.context.scene
    assert scene.use_preview_range
    assert scene.frame_preview_start <= 30 <= scene.frame_preview_end
    assert "lies outside" not in drawn(PANEL).text
    own.active_pair = 2
    assert compat.assigned(rig)[0] == given.result
    assert "lies outside" in drawn(PANEL).text
    # the same meeting as the button's, at the same cost
    rig.inertia.source, rig.inertia.destination = bpy.data.actions["Walk"], bpy.data.actions["Run"]
    ops.find_meeting(goal="PAIRS", count=1)
    (found,) = rig.inertia_search.pairs
    assert (best.first, best.cost) == pytest.approx((found.cut, found.cost), rel=1e-5)
    # again: each in its place
    before = sorted(bpy.data.actions.keys())
    ops.bake_library()
    assert sorted(bpy.data.actions.keys()) == before


def test_a_result_that_is_gone_is_baked_again(rig: Any) -> None:
    rig.inertia_search.apart_frames = 100.0  # so that few pairs are to be judged
    pair = add(rig, "Walk", "Run")
    ops.bake_library()
    bpy.data.actions.remove(pair.result)
    rig.inertia_library.active_pair = 0
    ops.bake_library()
    assert pair.result.name == "Walk to Run"


def test_the_spec_asks_a_batch_for_the_same(rig: Any, tmp_path: Path) -> None:
    rig.inertia.method, rig.inertia.half_life = "SPRING", 0.2
    rig.inertia_search.use_range, rig.inertia_search.first, rig.inertia_search.last = True, 5.0, 30.0
    add(rig, "Walk", "Run")
    add(rig, "Run", "Walk", searched=False, cut=30.0, destination_frame=12.0)
    spec = tmp_path / "specs" / "night.json"
    spec.parent.mkdir()
    with pytest.raises(RuntimeError, match="Save this file first"):
        ops.save_library(filepath=str(spec))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "clips.blend"))
    ops.save_library(filepath=str(spec))
    asked = requests.requests_of(requests.read_spec(spec))
    jobs = [request.section.job(request, request.path, request.values) for request in asked]
    assert [Path(file) for file in jobs[0].inputs.files] == [tmp_path / "clips.blend"]
    assert {job.armature for job in jobs} == {"Rig"}
    first, second = (job.settings for job in jobs)
    assert (first.source, first.destination, first.method, first.half_life) == ("Walk", "Run", "SPRING", 0.2)
    assert (jobs[0].task.searched.first, jobs[0].task.searched.last) == (5.0, 30.0)
    assert jobs[1].task.searched is None
    assert (second.cut, second.destination_frame) == (30.0, 12.0)


def test_linked_actions_are_in_no_spec_and_half_a_pair_is_said(rig: Any, tmp_path: Path) -> None:
    pair = add(rig, "Walk", "Run")
    pair.destination = None
    ops.bake_library()
    assert pair.problem == "Choose a source and a destination action."
    assert "Choose a source" in drawn(PANEL).text
    other = make_rig("Other")
    assert other.inertia_library.active_pair == 0
    before = take_snapshot()
    assert drawn(PANEL).shown
    assert take_snapshot() == before
