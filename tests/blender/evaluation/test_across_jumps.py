# SPDX-License-Identifier: GPL-3.0-or-later
"""What is measured, compared, searched and played of clips with a bind pose is what it is without that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.cost import costing, meetings
from inertia_addon.blender.data import actions, clip_store, rigs, scene
from inertia_addon.blender.data.roots import find_root
from inertia_addon.blender.evaluation import joint_motion, joints
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.fill import pieces
from inertia_addon.blender.loops import channels, search
from inertia_addon.blender.matching import action_set
from inertia_addon.blender.root_motion import measure
from inertia_addon.blender.root_motion.measure import Query
from inertia_addon.motion.steps import finish
from inertia_addon.settings.cost import Search
from inertia_addon.settings.loops import LoopSearch
from inertia_addon.settings.root_motion import Settings
from inertia_addon.settings.transition import OBJECT_ROOT, TransitionSettings
from tests.blender import jumping, stepper, wanderer

SPEED = stepper.STRIDE


@pytest.fixture
def armature(fresh_file: None) -> Any:
    """A biped with a walk, and the same with a bind pose a frame before it and one behind it."""
    armature = stepper.biped()
    jumping.walk(armature, "Plain")
    made = jumping.walk(armature, "Bound")
    jumping.add_bind_pose(made, 0.0)
    jumping.add_bind_pose(made, 50.0)
    return armature


def read(armature: Any, name: str) -> Any:
    return joint_motion.with_teleports(
        read_character(armature), clip_store.read(armature, actions.find(name))
    )


def compared(armature: Any, source: str, destination: str, method: str = "QUINTIC") -> costing.Compared:
    once = {"source_cycle": "OFF", "destination_cycle": "OFF", "blend_frames": 10.0}
    settings = TransitionSettings(source, destination, 20.0, method=method, **once)
    pair = costing.read_pair(armature, settings)
    motions = finish(costing.motions(armature, pair))
    weights = joints.named_weights(armature, "found")
    return costing.compare(settings, pair.alignment, weights, motions, scene.fps())


@pytest.mark.parametrize("method", ["QUINTIC", "SPRING", "DEAD_BLENDING"])
def test_the_ends_of_the_take_cost_what_they_do_without_bind_poses(armature: Any, method: str) -> None:
    bound, plain = (compared(armature, name, "Plain", method) for name in ("Bound", "Plain"))
    for cut in (1.0, 2.0, 49.0):
        assert bound.at(cut, 20.0) == pytest.approx(plain.at(cut, 20.0), rel=1e-6)


def test_two_bind_poses_are_no_best_pair(armature: Any) -> None:
    other = jumping.walk(armature, "Other", late=0.2)
    jumping.add_bind_pose(other, 0.0)
    both = compared(armature, "Bound", "Other")
    everywhere = Search(first=0.0, last=50.0, keep_frames=0.0)
    for found in finish(meetings.best_pairs(both, 5, everywhere)):
        assert 1.0 <= found.cut <= 49.0
        assert found.destination_frame >= 1.0


def test_root_motion_is_that_of_the_take(armature: Any) -> None:
    found = {}
    for name in ("Plain", "Bound"):
        told = finish(measure.read_motion_steps(read_character(armature), read(armature, name), Query()))
        found[name] = measure.measure(told, Settings())
        assert told.motion.furthest == pytest.approx(SPEED * 2.0, rel=0.1)
    assert found["Bound"].maximum_speed == pytest.approx(found["Plain"].maximum_speed, rel=1e-3)
    assert len(found["Bound"].speeds) == len(found["Plain"].speeds)
    assert found["Bound"].total_turn == pytest.approx(found["Plain"].total_turn, abs=1e-6)


def test_paths_play_the_take_alone_and_say_so(armature: Any, tmp_path: Path) -> None:
    points = wanderer.csv_of(tmp_path / "circle.csv", wanderer.circle())
    settings = wanderer.settings(points=str(points), actions=("Bound",), find_cycles=False)
    analysed = finish(
        action_set.analyse_steps(read_character(armature), settings, joints.named_weights(armature, "stored"))
    )
    clip = analysed.clip("Bound")
    assert (clip.start, clip.end) == (1.0, 49.0)
    assert action_set.part_sentences(analysed) == [
        '"Bound" jumps as a whole, so only its frames 1 to 49 are played.'
    ]
    speeds = analysed.database.speeds
    assert speeds.max() < 1.2 * SPEED


@pytest.mark.parametrize(("frame", "before"), [(1.0, True), (49.0, False)])
def test_a_filled_gap_is_left_and_arrived_at_as_fast_as_the_take_goes(
    armature: Any, frame: float, *, before: bool
) -> None:
    clip = read(armature, "Bound")
    going = pieces._read_ground_motion(
        read_character(armature), clip, find_root(rigs.read(armature), (clip,), ""), frame, before=before
    )
    assert np.linalg.norm(going.velocity) == pytest.approx(SPEED, rel=0.05)


def test_a_loop_takes_its_rates_from_the_take(armature: Any) -> None:
    clip = read(armature, "Bound")
    assert channels.around(clip, 1.0) == (2.0, 1.0, 3.0)
    assert channels.around(clip, 49.0) == (47.0, 49.0, 48.0)
    assert channels.around(clip, 30.0) == (29.0, 30.0, 31.0)


def test_no_stretch_over_a_jump_is_a_loop(armature: Any) -> None:
    made = jumping.walk(armature, "Long", frames=97)
    jumping.join(made, 40.0)
    clip = clip_store.read(armature, made)
    weights = joints.named_weights(armature, "stored")
    searched = finish(
        search.search_loop_steps(armature, clip, LoopSearch(by_feet=False), weights, OBJECT_ROOT)
    )
    for loop in searched.best(10):
        assert not loop.start <= 40.0 < 41.0 <= loop.end


def test_velocities_are_those_of_the_take(armature: Any) -> None:
    bones = armature.data.bones.keys()
    plain, bound = (
        joint_motion.evaluate(
            read_character(armature),
            read(armature, name),
            np.arange(1.0, 50.0),
            joint_motion.Root(OBJECT_ROOT, moves=False),
        )
        for name in ("Plain", "Bound")
    )
    np.testing.assert_allclose(bound.velocities, plain.velocities, atol=1e-4)
    assert tuple(bones) == plain.names
    assert bpy.data.actions["Bound"].frame_range[0] == 0.0
