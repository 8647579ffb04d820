# SPDX-License-Identifier: GPL-3.0-or-later
"""Transitions from and into clips that jump: no velocity leads across, and the judge is not misled."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import clip_store, compat
from inertia_addon.blender.evaluation import joint_motion
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.judging import remedies, verdict
from inertia_addon.blender.judging.verdict import Verdict
from inertia_addon.blender.transition import bake
from inertia_addon.motion.steps import finish
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import jumping, stepper

METHODS = ("QUINTIC", "CUBIC", "SPRING", "DEAD_BLENDING")


@pytest.fixture
def armature(fresh_file: None) -> Any:
    """A biped with two walks that begin three metres away from the origin."""
    armature = stepper.biped()
    jumping.walk(armature, "Walk")
    jumping.walk(armature, "Late", late=0.2)
    return armature


def settings(cut: float, entry: float | None = None, **how: Any) -> TransitionSettings:
    once = {"source_cycle": "OFF", "destination_cycle": "OFF", "blend_frames": 10.0, "feet": "OFF"}
    return TransitionSettings("Walk", "Late", cut, entry, **{**once, **how})


def judged(armature: Any, asked: TransitionSettings) -> tuple[bake.Plan, Verdict]:
    plan = bake.plan_transition(armature, asked)
    return plan, finish(verdict.of_played(plan.evidence))


def hips(armature: Any, plan: bake.Plan, frames: list[float]) -> np.ndarray[Any, Any]:
    """Where Blender has the hips (frames, 3) in the baked result, metres."""
    report = bake.write_plan(plan)
    compat.assign(armature, bpy.data.actions[report.result], report.slot)
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(math.floor(frame), subframe=frame % 1.0)
        posed = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        found.append(posed.matrix_world @ posed.pose.bones["hips"].head)
    return np.array(found)


def bind_first(_source: Any, destination: Any) -> None:
    jumping.add_bind_pose(destination, 0.0)


def bind_last(source: Any, _destination: Any) -> None:
    jumping.add_bind_pose(source, 50.0)


def bind_half_a_frame_before(_source: Any, destination: Any) -> None:
    jumping.add_bind_pose(destination, 0.5)


def joined_in_source(source: Any, _destination: Any) -> None:
    jumping.join(source, 25.0)


def joined_at_half_frames(_source: Any, destination: Any) -> None:
    jumping.shift(destination, 0.5)
    jumping.join(destination, 12.5)


BESIDE: list[tuple[Callable[[Any, Any], None], float, float]] = [
    (bind_first, 20.0, 1.0),
    (bind_half_a_frame_before, 20.0, 1.0),
    (bind_last, 49.0, 5.0),
    (joined_in_source, 26.0, 5.0),
    (joined_in_source, 25.0, 5.0),
    (joined_at_half_frames, 20.0, 13.5),
]


@pytest.mark.variants(4)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("spoil", "cut", "entry"), BESIDE)
def test_a_character_beside_a_jump_goes_on(
    armature: Any, spoil: Callable[[Any, Any], None], cut: float, entry: float, method: str
) -> None:
    spoil(bpy.data.actions["Walk"], bpy.data.actions["Late"])
    plan, seen = judged(armature, settings(cut, entry, method=method))
    assert plan.misplaced == ()
    frames = [cut + i for i in range(round(plan.until - cut) + 1)]
    steps = np.linalg.norm(np.diff(hips(armature, plan, frames), axis=0), axis=1)
    # half as fast again as it walks
    assert steps.max() < 1.5 * stepper.STRIDE / stepper.FPS
    # and the judge measures what it does of walks that do not jump
    for name, late in (("Walk", 0.0), ("Late", 0.2)):
        bpy.data.actions.remove(bpy.data.actions[name])
        jumping.walk(armature, name, late=late)
    if spoil is joined_at_half_frames:
        jumping.shift(bpy.data.actions["Late"], 0.5)
    _, plain = judged(armature, settings(cut, entry, method=method))
    assert abs(seen.highest.ratio - plain.highest.ratio) < 0.35


@pytest.mark.parametrize("guard", ["LIMIT", "STRICT"])
def test_guards_see_no_velocity_across_a_jump(armature: Any, guard: str) -> None:
    jumping.add_bind_pose(bpy.data.actions["Late"], 0.0)
    spoilt = bake.plan_transition(armature, settings(20.0, 1.0, guard=guard))
    bpy.data.actions.remove(bpy.data.actions["Late"])
    jumping.walk(armature, "Late", late=0.2)
    plain = bake.plan_transition(armature, settings(20.0, 1.0, guard=guard))
    before, after = ({note.bone: note for note in plan.slots[0].guarded} for plan in (plain, spoilt))
    assert before.keys() == after.keys()
    for bone, note in before.items():
        assert after[bone].frames_after == pytest.approx(note.frames_after)


@pytest.mark.variants(1)
@pytest.mark.parametrize("metres", [1.0, 0.01])
def test_an_entry_at_a_bind_pose_is_poor_and_named_with_what_to_do(armature: Any, metres: float) -> None:
    bpy.context.scene.unit_settings.scale_length = metres
    jumping.add_bind_pose(bpy.data.actions["Late"], 0.0)
    plan, seen = judged(armature, settings(20.0))
    assert seen.rating == "POOR"
    (misplaced,) = plan.misplaced
    assert plan.warnings[0] == misplaced.sentence
    way = {1.0: "3.0 m", 0.01: "3 cm"}[metres]
    said = f'Frame 0 of "Late" is a pose {way} away from the rest; enter at 1.'
    assert str(misplaced.sentence) == said
    assert misplaced.mended(plan.settings).destination_frame == 1.0
    helps = finish(bake.find_remedies_steps(plan, seen))
    jump = next(remedy for remedy in helps if remedy.kind == remedies.JUMP)
    assert jump.change == {"cut": 20.0, "destination_frame": 1.0}
    assert jump.verdict.order < seen.order


def test_a_cut_at_a_bind_pose_is_poor_and_named(armature: Any) -> None:
    jumping.add_bind_pose(bpy.data.actions["Walk"], 50.0)
    plan, seen = judged(armature, settings(50.0, 5.0))
    assert seen.rating == "POOR"
    (misplaced,) = plan.misplaced
    assert (misplaced.setting, misplaced.frame) == ("cut", 49.0)
    mended, better = judged(armature, misplaced.mended(plan.settings))
    assert mended.misplaced == ()
    assert better.order < seen.order


@pytest.mark.parametrize(("entry", "says"), [(20.0, "jumps"), (25.3, "lies within a jump")])
def test_a_jump_within_the_blend_is_named(armature: Any, entry: float, says: str) -> None:
    jumping.join(bpy.data.actions["Late"], 25.0)
    plan = bake.plan_transition(armature, settings(10.0, entry))
    (misplaced,) = plan.misplaced
    assert says in misplaced.sentence
    assert (misplaced.setting, misplaced.frame) == ("destination_frame", 26.0)


def test_things_that_the_character_carries_jump_with_it(armature: Any) -> None:
    """No velocity of anything else in the action leads across, either."""
    made = bpy.data.actions["Walk"]
    jumping.join(made, 25.0)
    clip = joint_motion.with_teleports(read_character(armature), clip_store.read(armature, made))
    assert clip.jumps() == ((25.0, 26.0),)
    assert clip.around(25.0, extrapolate=False) == (24.0, 25.0)
    assert clip.around(26.0, extrapolate=False) == (26.0, 27.0)
    assert clip.around(25.2, extrapolate=False) == (24.0, 25.0)
    assert clip.around(25.8, extrapolate=False) == (26.0, 27.0)
    assert clip.around(30.0, extrapolate=False) == (29.0, 31.0)


@pytest.mark.parametrize("offset", [0.0, 0.5])
def test_a_scaled_clip_jumps_where_it_is_scaled_to(armature: Any, offset: float) -> None:
    made = bpy.data.actions["Walk"]
    jumping.shift(made, offset)
    jumping.add_bind_pose(made, offset)
    clip = joint_motion.with_teleports(read_character(armature), clip_store.read(armature, made))
    assert clip.jumps() == ((offset, 1.0 + offset),)
    assert clip_store.scaled(clip, 2.0).jumps() == ((offset, 2.0 + offset),)
    assert (clip.longest_part().start, clip.longest_part().end) == (1.0 + offset, 49.0 + offset)
