# SPDX-License-Identifier: GPL-3.0-or-later
"""Hops through cycles go on over their ends, and several hops are baked one after the other."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Quaternion

from inertia_addon.blender.evaluation import joints
from inertia_addon.blender.hops import bake as hop_bake
from inertia_addon.blender.hops import search as hops
from inertia_addon.blender.hops.search import FoundHop
from inertia_addon.blender.mannequin import character
from inertia_addon.blender.transition import bake
from inertia_addon.blender.transition.meeting import PlanOptions
from inertia_addon.errors import InertiaError
from inertia_addon.motion.steps import finish
from inertia_addon.settings.hops import HopSettings
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import clips

CYCLES = ("Idle", "Walk", "Run")


@pytest.fixture(scope="module")
def humanoid_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example's humanoid with its clips, made once."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.context.scene.render.fps = character.FPS
    character.build_mannequin(bpy.context.scene)
    for thing in [o for o in bpy.data.objects if o.type != "ARMATURE"]:
        bpy.data.objects.remove(thing)
    for action in bpy.data.actions:
        action.use_fake_user = True  # or else it is not saved
    path = tmp_path_factory.mktemp("humanoid") / "humanoid.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


@pytest.fixture
def humanoid(humanoid_file: Path) -> Any:
    bpy.ops.wm.open_mainfile(filepath=str(humanoid_file))
    return next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")


def settings_of(source: str, destination: str, cut: float, **values: Any) -> HopSettings:
    return HopSettings(
        TransitionSettings(source, destination, cut, assign=False, feet="OFF"),
        **{"cycles": CYCLES, "blends": (6,), **values},
    )


def made(armature: Any, settings: HopSettings) -> hops.PreparedHops:
    weights = {joint.bone: joint.weight for joint in joints.default_joints(armature)}
    return finish(hops.weighed(finish(hops.prepare(armature, settings, weights))))


def best(prepared: hops.PreparedHops) -> FoundHop:
    return finish(hops.ranked(prepared, 1))[0][0]


def root_way(armature: Any, name: str, frames: np.ndarray) -> np.ndarray:
    """Where the hips are over the ground (frames, 2), by Blender's evaluation."""
    clips.play(armature, bpy.data.actions[name])
    index = list(armature.pose.bones.keys()).index("hips")
    return clips.poses(armature, frames)[:, index, :2, 3]


def test_a_walk_goes_on_over_its_end(humanoid: Any) -> None:
    settings = settings_of("Idle", "Run", 40.0)
    way = FoundHop(40.0, ("Walk",), (80.0,), (30.0,), (3, 40), (6, 6), (0.0, 0.0), 0.0, 0.0)
    before = {action.name for action in bpy.data.actions}
    report = hop_bake.bake_hop(humanoid, settings, way)
    # entered at 80 at frame 43, the walk ends with its frame 97, and begins anew
    assert report.cuts == (43.0, 60.0, 89.0)
    assert {action.name for action in bpy.data.actions} - before == {report.result}
    walking = root_way(humanoid, report.result, np.arange(51.0, 89.0))
    speed = np.linalg.norm(np.diff(walking, axis=0), axis=1) * 30.0
    assert speed.min() > 0.8
    assert speed.max() < 2.0
    straight = walking[-1] - walking[0]
    assert np.linalg.norm(straight) * 30.0 / 37.0 == pytest.approx(1.35, rel=0.1)


def test_a_source_goes_on_over_its_end(humanoid: Any) -> None:
    settings = settings_of("Run", "Idle", 78.0)
    way = FoundHop(78.0, ("Walk",), (10.0,), (16.0,), (12, 0), (6, 6), (0.0, 0.0), 0.0, 0.0)
    report = hop_bake.bake_hop(humanoid, settings, way)
    assert report.cuts == (81.0, 90.0, 96.0)
    running = root_way(humanoid, report.result, np.arange(70.0, 91.0))
    speed = np.linalg.norm(np.diff(running, axis=0), axis=1) * 30.0
    assert speed.min() > 3.0


@pytest.mark.slow
def test_a_hop_found_with_cycles_can_be_baked_at_every_trigger(humanoid: Any) -> None:
    settings = settings_of("Run", "Idle", 1.0, clips=("Walk", "Turn"), longest_stay=10)
    prepared = made(humanoid, settings)
    found = finish(hops.table(prepared))
    assert np.isfinite(found.cost).all()  # none of the three cycles ever ends
    ways = hops.ways(prepared, found, prepared.own_problem())
    for way in ways[::80]:
        report = hop_bake.bake_hop(humanoid, settings, way)
        assert report.cuts[-1] == way.trigger + sum(way.stays) + sum(way.blends[:-1])
        bpy.data.actions.remove(bpy.data.actions[report.result])


@pytest.mark.variants(1)
@pytest.mark.parametrize("alongside", [False, True])
def test_two_hops_cost_no_more_and_are_baked(humanoid: Any, *, alongside: bool) -> None:
    settings = settings_of("Idle", "Run", 30.0, hops=2, longest_stay=4, alongside=alongside)
    two = made(humanoid, settings)
    one = dataclasses.replace(two, objective=dataclasses.replace(two.objective, hops=1))
    both = [best(prepared) for prepared in (one, two)]
    assert both[1].cost <= both[0].cost
    way = FoundHop(
        30.0, ("Turn", "Walk"), (5.0, 20.0), (15.0, 30.0), (1, 4, 4), (6, 6, 6), (0.0,) * 3, 0.0, 0.0
    )
    report = hop_bake.bake_hop(humanoid, settings, way)
    assert report.cuts == (31.0, 41.0, 51.0)
    destination = report.steps[-1].settings["destination_frame"]
    assert destination == (1.0 + 50.0 if alongside else 1.0 + 21.0)


def test_blends_are_chosen_from_a_set(humanoid: Any) -> None:
    settings = settings_of("Run", "Idle", 20.0, clips=("Walk",), blends=(4, 9), weight=0.001)
    costs = {}
    for blends in ((4,), (9,), (4, 9)):
        way = best(made(humanoid, dataclasses.replace(settings, blends=blends)))
        assert set(way.blends) <= set(blends)
        costs[blends] = way.cost
    assert costs[4, 9] <= min(costs[4,], costs[9,])


def test_half_way_a_cross_fade_is_half_way_between_the_poses(humanoid: Any) -> None:
    settings = TransitionSettings("Walk", "Run", 20.0, destination_frame=5.0, blend_frames=8.0, assign=False)
    report = bake.bake_transition(humanoid, settings, options=PlanOptions(cross_fade=True))
    shown, source, destination = (
        rotations(humanoid, name, frame)
        for name, frame in ((report.result, 24.0), ("Walk", 24.0), ("Run", 9.0))
    )
    for name, mixed in shown.items():
        if name != report.root:
            expected = source[name].slerp(destination[name], 0.5)
            assert mixed.rotation_difference(expected).angle < 1e-3, name
    before = rotations(humanoid, report.result, 20.0)
    for name, at_cut in rotations(humanoid, "Walk", 20.0).items():
        assert before[name].rotation_difference(at_cut).angle < 1e-3, name


def rotations(armature: Any, name: str, frame: float) -> dict[str, Quaternion]:
    """The bones' own rotations, as Blender plays an action."""
    clips.play(armature, bpy.data.actions[name])
    bpy.context.scene.frame_set(int(frame))
    return {bone.name: bone.matrix_basis.to_quaternion() for bone in armature.pose.bones}


def test_clips_too_short_to_blend_are_said_with_what_helps(humanoid: Any) -> None:
    settings = dataclasses.replace(
        settings_of("Walk", "Run", 20.0, clips=("Idle",)), cycles=(), find_cycles=False, blends=(200,)
    )
    with pytest.raises(InertiaError, match=r"mark clips that are cycles \(--cycles\)"):
        made(humanoid, settings)
    assert made(humanoid, dataclasses.replace(settings, cycles=CYCLES)).objective.weight > 0.0


def test_a_cycle_that_is_none_of_the_clips_is_said(humanoid: Any) -> None:
    with pytest.raises(InertiaError, match='"Flight" is marked as a cycle, but is not one of the clips'):
        made(humanoid, settings_of("Walk", "Run", 10.0, cycles=("Flight",)))
