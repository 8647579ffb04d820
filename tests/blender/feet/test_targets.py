# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet of control rigs: pinned by the controls that lead them, as Blender itself plays what was made."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from mathutils import Matrix

from inertia_addon.blender.evaluation import joints
from inertia_addon.blender.feet import bake as feet_bake
from inertia_addon.blender.feet import contacts
from inertia_addon.blender.judging import verdict
from inertia_addon.blender.loops import bake as loops
from inertia_addon.blender.transition import bake
from inertia_addon.blender.transition.meeting import PlanOptions
from inertia_addon.errors import InertiaError
from inertia_addon.motion.feet.contacts import Span
from inertia_addon.motion.steps import finish
from inertia_addon.settings.feet import LockSettings
from inertia_addon.settings.loops import LoopSettings
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders, clips, led_walker
from tests.blender.led_walker import SIDES

Array = NDArray[np.float64]
MILLIMETRE = 1e-3
CUT, ENTRY = 20.0, 9.0


def balls(armature: Any, action: Any, frames: Array) -> Array:
    """Where the heads of both toes are (n, 2, 3), as Blender plays an action."""
    toes = [armature.pose.bones.find("toe" + side) for side in SIDES]
    return builders.played(armature, action, frames)[:, toes][..., :3, 3]


def assert_pinned(armature: Any, action: Any, spans: Mapping[str, Any], within: float = MILLIMETRE) -> None:
    """In each span of a foot its ball stands still, between frames, too."""
    assert any(spans.values())
    for side in SIDES:
        for first, last in spans.get("foot" + side, ()):
            held = balls(armature, action, builders.sub_frames(first, last, 0.5))[:, SIDES.index(side)]
            assert np.linalg.norm(held - held[0], axis=1).max() < within


def spans_of(report: Any) -> dict[str, list[tuple[float, float]]]:
    return {foot.foot: [(span.start, span.end) for span in foot.spans] for foot in report.before}


def changed_channels(before: Any, after: Any) -> set[str]:
    """The bones' properties whose keys are others in two actions."""
    here, there = builders.by_address(before), builders.by_address(after)
    return {
        at[0].removeprefix("pose.bones")
        for at in there
        if at not in here or builders.key_data(here[at]) != builders.key_data(there[at])
    }


def test_the_poles_of_knees_are_no_hands(fresh_file: None) -> None:
    armature = led_walker.led()
    for bone in armature.data.bones:
        bone.use_deform = True
    assert {joint.bone for joint in joints.default_joints(armature)}.isdisjoint({"aim.L", "aim.R", "step.L"})


@pytest.mark.variants(1)
@pytest.mark.parametrize("scale", [1.0, 0.01])
def test_the_controls_of_feet_are_pinned(fresh_file: None, scale: float) -> None:
    armature = led_walker.led()
    armature.scale, armature.rotation_euler = (scale,) * 3, (0.0, 0.0, 0.8)
    skating = led_walker.walk(armature, "Skating", frames=55, skate=0.1)
    was = clips.contents(skating)
    with builders.frames_shown() as shown:
        report = finish(feet_bake.lock_action_steps(armature, LockSettings("Skating")))
    # the clip is played once as it is and once as it becomes, with a few frames to begin and to end
    assert len(shown) <= 2 * 55 + 6
    made = bpy.data.actions[report.result]
    assert clips.contents(skating) == was
    assert report.notes == ('Pinned: foot control "step.L", "step.R".',)
    assert all(foot.skate_m > 0.09 * scale for foot in report.before)
    assert_pinned(armature, made, spans_of(report), MILLIMETRE * scale)
    assert feet_bake.pinned(made) == report.pinned == ("step.L", "step.R")
    for before, after in zip(report.before, report.after, strict=True):
        assert after.skate_m < 0.5 * before.skate_m
    # the heading stays by itself, and nothing is out of reach
    assert changed_channels(skating, made) == {f'["step{side}"].location' for side in SIDES}


@pytest.mark.parametrize("by", ["parent", "Child Of"])
def test_controls_that_go_along_with_the_hips_are_pinned_while_these_go_down(
    fresh_file: None, by: str
) -> None:
    armature = led_walker.led(parent="hips" if by == "parent" else "")
    for side in SIDES if by == "Child Of" else ():
        own = armature.pose.bones["step" + side].constraints.new("CHILD_OF")
        own.target, own.subtarget = armature, "hips"
        own.inverse_matrix = armature.data.bones["hips"].matrix_local.inverted()
    led_walker.walk(armature, "Skating", frames=55, skate=0.2, carried=True)
    report = finish(feet_bake.lock_action_steps(armature, LockSettings("Skating")))
    assert report.drop > 0.02
    assert_pinned(armature, bpy.data.actions[report.result], spans_of(report))
    for before, after in zip(report.before, report.after, strict=True):
        assert after.reach is not None
        assert before.reach is not None
        assert after.reach < before.reach + 1e-4


def test_a_foot_that_turns_is_held_and_stays_on_its_sole(
    fresh_file: None,
) -> None:
    armature = led_walker.led()
    armature.rotation_euler = (0.0, 0.0, 0.8)
    turning = led_walker.walk(armature, "Turning", frames=55, twist=0.3)
    contacts.store(turning, {"foot" + side: (Span(13.0, 25.0),) for side in SIDES})
    made = bpy.data.actions[finish(feet_bake.lock_action_steps(armature, LockSettings("Turning"))).result]
    frames = builders.sub_frames(13.0, 25.0, 0.5)
    was, held = (soles(armature, action, frames) for action in (turning, made))
    # the heel lifts as it did, and no other way
    np.testing.assert_allclose(held[..., 2], was[..., 2], atol=5e-3)
    for each, turns in ((was, True), (held, False)):
        along = np.unwrap(np.arctan2(each[..., 0, 1], each[..., 0, 0]), axis=0)
        assert (np.ptp(along, axis=0) > 0.1).all() == turns
        assert (np.ptp(along, axis=0) < 0.005).all() != turns


def soles(armature: Any, action: Any, frames: Array) -> Array:
    """How both feet point, and their sides (n, 2, 2, 3), as Blender plays an action."""
    feet = [armature.pose.bones.find("foot" + side) for side in SIDES]
    axes = builders.played(armature, action, frames)[:, feet][..., :3, :3]
    return np.stack([axes[..., 1], axes[..., 0]], axis=2)


def test_a_leg_that_shows_fk_is_turned_and_the_other_one_pinned(fresh_file: None) -> None:
    armature = led_walker.led(switch=True)
    skating = led_walker.walk(armature, "Skating", frames=55, skate=0.1)
    pose_by_fk(armature, skating, ".L")
    armature.pose.bones["root"]["by_ik.L"] = 0.0
    report = finish(feet_bake.lock_action_steps(armature, LockSettings("Skating")))
    made = bpy.data.actions[report.result]
    assert report.notes == ('Pinned: foot control "step.R".',)
    assert_pinned(armature, made, spans_of(report))
    assert changed_channels(skating, made) == {
        '["step.R"].location',
        *(f'["{bone}.L"].rotation_quaternion' for bone in ("thigh", "shin", "foot")),
    }


def pose_by_fk(armature: Any, action: Any, side: str, last: int = 55) -> None:
    """Key a leg's bones so that FK poses it as IK does."""
    names = [name + side for name in ("thigh", "shin", "foot")]
    frames = np.arange(1.0, last + 0.5)
    there = builders.played(armature, action, frames)
    places = [armature.pose.bones.find(name) for name in names]
    above = {name: armature.pose.bones[name].parent.name for name in names}
    rest = {bone.name: bone.matrix_local for bone in armature.data.bones}
    rows: dict[str, list[tuple[float, Any]]] = {name: [] for name in names}
    inverse = armature.matrix_world.inverted()
    for frame, posed in zip(frames.tolist(), there, strict=True):
        for name, at in zip(names, places, strict=True):
            parent = armature.pose.bones.find(above[name])
            shown, hangs = (inverse @ Matrix(posed[i].tolist()) for i in (at, parent))
            local = armature.data.bones[name].convert_local_to_pose(
                shown,
                rest[name],
                parent_matrix=hangs,
                parent_matrix_local=rest[above[name]],
                invert=True,
            )
            rows[name].append((frame, tuple(local.to_quaternion())))
    for name, keyed in rows.items():
        path = builders.bone_path(name, "rotation_quaternion")
        builders.curves(action, path, keyed, interpolation="LINEAR", slot="OB" + armature.name)


def key_switch(armature: Any, action: Any, side: str, prop: str, *, by_ik: bool, frame: float = 1.0) -> None:
    """Key the constraints of a leg themselves, by their influence or as muted, so that it shows IK or FK."""
    for bone, name in (("shin" + side, "IK"), ("foot" + side, "Copy Rotation")):
        path = f'{builders.bone_path(bone, "constraints")}["{name}"].{prop}'
        value = float(by_ik == (prop == "influence"))
        builders.curve(action, path, 0, [(frame, value)], "CONSTANT", slot="OB" + armature.name)


@pytest.mark.parametrize("prop", ["influence", "mute"])
def test_a_leg_whose_own_constraints_are_keyed_is_led_by_what_they_show(fresh_file: None, prop: str) -> None:
    armature = led_walker.led()
    skating = led_walker.walk(armature, "Skating", frames=55, skate=0.1)
    pose_by_fk(armature, skating, ".L")
    key_switch(armature, skating, ".L", prop, by_ik=False)
    key_switch(armature, skating, ".R", prop, by_ik=True)
    report = finish(feet_bake.lock_action_steps(armature, LockSettings("Skating")))
    made = bpy.data.actions[report.result]
    assert report.notes == ('Pinned: foot control "step.R".',)
    assert_pinned(armature, made, spans_of(report))
    assert changed_channels(skating, made) == {
        '["step.R"].location',
        *(f'["{bone}.L"].rotation_quaternion' for bone in ("thigh", "shin", "foot")),
    }


@pytest.mark.variants(2)
@pytest.mark.parametrize("prop", ["influence", "mute"])
@pytest.mark.parametrize("source_by_ik", [False, True])
def test_feet_are_pinned_where_a_transition_switches_the_legs_themselves(
    fresh_file: None, prop: str, *, source_by_ik: bool
) -> None:
    armature = led_walker.led()
    made = {}
    for name, late in (("Walk", 0.0), ("Late", 0.2)):
        made[name] = led_walker.walk(armature, name, frames=55 if name == "Walk" else 70, late=late)
        for side in SIDES:
            pose_by_fk(armature, made[name], side, 70)
    for name, by_ik in (("Walk", source_by_ik), ("Late", not source_by_ik)):
        for side in SIDES:
            key_switch(armature, made[name], side, prop, by_ik=by_ik)
    once = {"source_cycle": "OFF", "destination_cycle": "OFF", "blend_frames": 10.0, "assign": False}
    plan = bake.plan_transition(armature, TransitionSettings("Walk", "Late", CUT, ENTRY, feet="LOCK", **once))
    result = bpy.data.actions[bake.write_plan(plan).result]
    assert plan.feet.holds
    assert_pinned(armature, result, plan.feet.holds)
    # neither at the cut nor where a foot is let go does a joint jump
    frames = builders.sub_frames(CUT - 5.0, plan.until + 5.0)
    places = builders.played(armature, result, frames)[..., :3, 3]
    clips_shown = [
        builders.played(armature, each, builders.sub_frames(1.0, 55.0))[..., :3, 3] for each in made.values()
    ]
    usual = max(float(np.abs(np.diff(each, n=2, axis=0)).max()) for each in clips_shown)
    assert np.abs(np.diff(places, n=2, axis=0)).max() < 1.5 * usual


def test_a_leg_that_can_not_be_led_is_named_and_the_other_one_pinned(fresh_file: None) -> None:
    armature = led_walker.led()
    skating = led_walker.walk(armature, "Skating", frames=55, skate=0.1)
    bones = armature.pose.bones
    bones["shin.L"].constraints["IK"].mute = bones["foot.L"].constraints["Copy Rotation"].mute = True
    held = bones["thigh.L"].constraints.new("LIMIT_ROTATION")
    held.use_limit_x = False
    contacts.store(skating, {foot: (Span(13.0, 25.0),) for foot in ("foot.L", "foot.R")})
    report = finish(feet_bake.lock_action_steps(armature, LockSettings("Skating")))
    pinned, fault = report.notes
    assert pinned == 'Pinned: foot control "step.R".'
    assert fault.startswith('The leg of "foot.L" is not locked: constraints turn its bones')
    assert_pinned(armature, bpy.data.actions[report.result], {"foot.R": [(13.0, 25.0)]})
    with pytest.raises(InertiaError, match="while FK poses it"):
        finish(feet_bake.lock_action_steps(armature, LockSettings("Skating", locked_feet=("foot.L",))))


def test_the_feet_of_a_loop_are_pinned_over_its_seam(fresh_file: None) -> None:
    armature = led_walker.led()
    led_walker.walk(armature, "Skating", frames=70, skate=0.1)
    loop = LoopSettings("Skating", 8.0, 32.0)
    free, locked = (
        finish(loops.make_loop_steps(armature, dataclasses.replace(loop, lock_feet=on))).verdict
        for on in (False, True)
    )
    assert locked.skate < 0.01 < 0.02 < free.skate


def test_planted_feet_are_pinned_in_a_transition(fresh_file: None) -> None:
    armature = led_walker.led()
    led_walker.walk(armature, "Walk", frames=55)
    led_walker.walk(armature, "Late", frames=70, late=0.2)
    once = {"source_cycle": "OFF", "destination_cycle": "OFF", "blend_frames": 10.0, "assign": False}
    settings = TransitionSettings("Walk", "Late", CUT, ENTRY, feet="LOCK", **once)
    plan = bake.plan_transition(armature, settings)
    assert plan.notes[1] == 'Pinned: foot control "step.L", "step.R".'
    made = bpy.data.actions[bake.write_plan(plan).result]
    assert plan.feet.holds
    assert_pinned(armature, made, plan.feet.holds)
    free = bake.plan_transition(armature, dataclasses.replace(settings, feet="OFF"))
    before, after = (finish(verdict.of_played(each.evidence)).skate for each in (free, plan))
    assert after < 0.5 * before
    unlocked = bpy.data.actions[bake.write_plan(free).result]
    assert changed_channels(unlocked, made) <= {
        *(f'["step{side}"].{prop}' for side in SIDES for prop in ("location", "rotation_quaternion")),
        '["hips"].location',
    }
    # up to the cut the source plays, and neither there nor where a foot is let go does its speed jump
    frames = builders.sub_frames(1.0, CUT)
    np.testing.assert_allclose(balls(armature, made, frames), balls(armature, unlocked, frames), atol=2e-5)
    # a panel that is drawn may play nothing
    drawn = bake.plan_transition(armature, settings, PlanOptions(may_play=False))
    assert not drawn.feet.curves
    assert "locked when you bake" in drawn.notes[0]
