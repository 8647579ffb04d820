# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet locked in transitions and in actions, as Blender itself plays what was made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import actions, clip_store, compat, recipe
from inertia_addon.blender.feet import bake as feet_bake
from inertia_addon.blender.judging import verdict
from inertia_addon.blender.mannequin.character import build_mannequin
from inertia_addon.blender.transition import bake
from inertia_addon.errors import InertiaError
from inertia_addon.motion.steps import finish
from inertia_addon.settings.feet import LockSettings
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders, clips, stepper

Array = NDArray[np.float64]

CUT, ENTRY = 20.0, 9.0


@pytest.fixture
def armature(fresh_file: None) -> Any:
    return stepper.biped()


def balls(armature: Any, action: Any, frames: Array) -> Array:
    """Where the heads of both toes are (n, 2, 3), as Blender plays an action."""
    toes = [armature.pose.bones.find(name) for name in ("toe.L", "toe.R")]
    return builders.played(armature, action, frames)[:, toes][..., :3, 3]


def make(armature: Any, feet: str, **how: Any) -> tuple[bake.Plan, Any]:
    """A transition between two walks of other strides. Its plan, and its action."""
    if "Walk" not in bpy.data.actions:
        stepper.walk(armature, "Walk", frames=55)
        stepper.walk(armature, "Late", frames=70, late=0.2)
    once = {"source_cycle": "OFF", "destination_cycle": "OFF", "blend_frames": 10.0, "assign": False}
    plan = bake.plan_transition(
        armature, TransitionSettings("Walk", "Late", CUT, ENTRY, feet=feet, **once, **how)
    )
    return plan, bpy.data.actions[bake.write_plan(plan).result]


def test_planted_feet_stand_still_in_a_transition(armature: Any) -> None:
    plan, locked = make(armature, "LOCK")
    assert plan.feet.holds
    for foot, spans in plan.feet.holds.items():
        side = ("foot.L", "foot.R").index(foot)
        for first, last in spans:
            held = balls(armature, locked, np.arange(first, last + 1.0))[:, side]
            np.testing.assert_allclose(held, np.broadcast_to(held[0], held.shape), atol=2e-5)
    free, _ = make(armature, "OFF")
    before, after = (finish(verdict.of_played(each.evidence)).skate for each in (free, plan))
    assert after < 0.5 * before
    (note,) = plan.feet.notes
    assert note.startswith("Feet are locked")


def test_locked_feet_change_nothing_else_and_nothing_elsewhere(armature: Any) -> None:
    plan, locked = make(armature, "LOCK")
    sources = [clips.contents(bpy.data.actions[name]) for name in ("Walk", "Late")]
    _, free = make(armature, "OFF")
    here, there = builders.by_address(locked), builders.by_address(free)
    assert here.keys() == there.keys()
    changed = {at for at in here if builders.key_data(here[at]) != builders.key_data(there[at])}
    bones = {at[0].split('"')[1] for at in changed}
    assert bones <= {"hips", *(name + side for name in ("thigh", "shin", "foot") for side in (".L", ".R"))}
    last = max(float(keys.co[-1, 0]) for keys in plan.feet.curves.values())
    ends = [last for spans in plan.feet.holds.values() for _, last in spans]
    settled = max(ends) + 10.0
    frames = np.concatenate([builders.sub_frames(1.0, CUT), builders.sub_frames(settled, last)])
    np.testing.assert_allclose(
        builders.played(armature, locked, frames), builders.played(armature, free, frames), atol=2e-5
    )
    assert [clips.contents(bpy.data.actions[name]) for name in ("Walk", "Late")] == sources


def test_the_pose_at_the_cut_and_its_speed_are_the_sources(armature: Any) -> None:
    _, locked = make(armature, "LOCK")
    frames = CUT + 0.125 * np.arange(-1.0, 2.0)
    points = builders.played(armature, locked, frames)[..., :3, 3]
    _, free = make(armature, "OFF")
    unlocked = builders.played(armature, free, frames)[..., :3, 3]
    np.testing.assert_allclose(points[1], unlocked[1], atol=2e-5)
    change = np.linalg.norm(np.diff(points, 2, axis=0), axis=-1).max()
    # a jump in speed would be seen in any time, however short
    assert change < np.linalg.norm(np.diff(unlocked, 2, axis=0), axis=-1).max() + 0.0015


def test_feet_are_left_alone_where_they_do_not_skate(armature: Any) -> None:
    stepper.walk(armature, "Walk", frames=55)
    stepper.walk(armature, "Same", frames=55)
    settings = TransitionSettings("Walk", "Same", 20.0, 20.0, source_cycle="OFF", destination_cycle="OFF")
    assert not bake.plan_transition(armature, settings).feet.curves
    stepper.walk(armature, "Late", frames=70, late=0.2)
    once = {"source_cycle": "OFF", "destination_cycle": "OFF", "blend_frames": 4.0}
    assert bake.plan_transition(armature, TransitionSettings("Walk", "Late", 25.0, 20.0, **once)).feet.curves


def test_feet_that_are_named_are_locked_alone(armature: Any) -> None:
    plan, _ = make(armature, "LOCK", locked_feet=("foot.L",))
    assert set(plan.feet.holds) <= {"foot.L"}
    with pytest.raises(InertiaError, match='No leg of "Walker" ends in a foot "hoof"'):
        make(armature, "LOCK", locked_feet=("hoof",))


def test_a_lock_that_is_asked_for_without_legs_is_refused(fresh_file: None) -> None:
    rig = builders.rig({"root": None, "spine": "root"})
    for name in ("One", "Two"):
        made = builders.action(name)
        builders.curve(made, builders.bone_path("spine", "location"), 0, [(1.0, 0.0), (40.0, 1.0)])
    settings = TransitionSettings("One", "Two", 10.0, 5.0, feet="LOCK", assign=False)
    with pytest.raises(InertiaError, match="No legs were found"):
        bake.plan_transition(rig, settings)


@pytest.mark.variants(2)
@pytest.mark.parametrize("mode", ["QUATERNION", "XYZ", "AXIS_ANGLE"])
def test_an_actions_feet_are_locked_in_a_new_one(armature: Any, mode: str) -> None:
    skating = stepper.walk(armature, "Skating", frames=55, skate=0.2)
    if mode != "QUATERNION":
        retold(armature, skating, mode)
    was = clips.contents(skating)
    report = finish(feet_bake.lock_action_steps(armature, LockSettings("Skating")))
    assert clips.contents(skating) == was
    made = bpy.data.actions[report.result]
    assert report.result == "Skating locked"
    frames = np.arange(1.0, 56.0)
    found = balls(armature, made, frames)
    assert any(foot.skate_m > 0.05 for foot in report.before)
    for side, foot in enumerate(report.before):
        for span in foot.spans:
            inside = found[(frames >= span.start) & (frames <= span.end), side]
            np.testing.assert_allclose(inside, np.broadcast_to(inside[0], inside.shape), atol=3e-5)
    for before, after in zip(report.before, report.after, strict=True):
        assert after.skate_m < 0.5 * before.skate_m
        # what is left of that is a foot that lands or lifts
        assert after.stance_m < 1e-3 < before.stance_m
    other = {at[0].split('"')[1] for at in builders.by_address(made)}
    assert other == {at[0].split('"')[1] for at in builders.by_address(skating)}


def retold(armature: Any, action: Any, mode: str) -> None:
    """Key the rotations of an action in another mode."""
    from inertia_addon.motion import quaternion
    from inertia_addon.motion.curves import representation

    prop, size = quaternion.rotation_property(mode)
    for bone in armature.pose.bones:
        path = builders.bone_path(bone.name, "rotation_quaternion")
        own = [builders.by_address(action).get((path, i)) for i in range(4)]
        bone.rotation_mode = mode
        if None in own:
            continue
        frames = [key.co[0] for key in own[0].keyframe_points]
        q = np.array([[curve.evaluate(frame) for curve in own] for frame in frames])
        start = np.array([0.0, 0.0, 1.0, 0.0]) if mode == "AXIS_ANGLE" else np.zeros(size)
        raw = representation.continuous(q, mode, start, np.ones(len(q)))
        builders.curves(
            action,
            builders.bone_path(bone.name, prop),
            [*zip(frames, raw.tolist(), strict=True)],
            interpolation="LINEAR",
            slot="OB" + armature.name,
        )


def test_an_action_without_contacts_is_told(armature: Any) -> None:
    stepper.walk(armature, "Flying", frames=40, skate=6.0)
    with pytest.raises(InertiaError, match="No foot is ever planted"):
        finish(feet_bake.lock_action_steps(armature, LockSettings("Flying")))
    assert "Flying locked" not in bpy.data.actions


def test_a_lock_reads_only_what_has_a_say_in_where_feet_are(
    armature: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = stepper.walk(armature, "Long", frames=400, skate=0.2)
    slot, nodding = "OB" + armature.name, builders.bone_path("head", "rotation_quaternion")
    nods = builders.wave(long, nodding, 1, 0.1, end=400.0, slot=slot)
    nods.keyframe_points[9].co[1] = float("nan")
    read = []
    own = actions.read_keys
    monkeypatch.setattr(actions, "read_keys", lambda fcurve: read.append(fcurve.data_path) or own(fcurve))
    report = finish(feet_bake.lock_action_steps(armature, LockSettings("Long")))
    assert builders.bone_path("shin.L", "rotation_quaternion") in read
    assert nodding not in read
    monkeypatch.undo()
    noted = json.loads(bpy.data.actions[report.result][recipe.REWRITTEN])
    assert "head" not in noted["bones"]
    assert {"hips", "shin.L", "toe.R"} <= {*noted["bones"]}

    def digest() -> str:
        return recipe.digest_rewriting(clip_store.read_later(armature, long), noted["bones"])

    assert noted["digest"] == digest()
    made = builders.by_address(bpy.data.actions[report.result])
    assert repr(builders.key_data(made[nodding, 1])) == repr(builders.key_data(nods))
    bends = builders.by_address(long)[builders.bone_path("shin.L", "rotation_quaternion"), 1]
    bends.keyframe_points[7].co[1] += 0.1
    assert noted["digest"] != digest()
    bends.keyframe_points[7].co[1] = float("nan")
    count = len(bpy.data.actions)
    with pytest.raises(InertiaError, match=r'Key 8 of .*shin\.L.* in action "Long" .* not a finite number'):
        finish(feet_bake.lock_action_steps(armature, LockSettings("Long")))
    assert len(bpy.data.actions) == count


@pytest.mark.data
def test_feet_that_hang_from_the_root_of_who_walks_in_place_are_locked(data_dir: Path) -> None:
    armature, names = clips.load("RobotExpressive", data_dir)
    (walking,) = [name for name in names if "Walking" in name]
    report = finish(feet_bake.lock_action_steps(armature, LockSettings(walking)))
    for before, after in zip(report.before, report.after, strict=True):
        assert after.skate_m < 0.5 * before.skate_m


def resampled(action: Any, factor: float) -> None:
    """Have an action's keys on whole frames of another rate, so many times as quick."""
    for curve in compat.curves(action, compat.slots(action)[0].identifier):
        first, last = (float(frame) for frame in curve.range())
        values = [curve.evaluate(first + i / factor) for i in range(round((last - first) * factor) + 1)]
        curve.keyframe_points.clear()
        curve.keyframe_points.add(len(values))
        keys = np.column_stack([first + np.arange(len(values)), values])
        curve.keyframe_points.foreach_set("co", keys.ravel().tolist())
        for key in curve.keyframe_points:
            key.interpolation, key.handle_left_type, key.handle_right_type = "BEZIER", "AUTO", "AUTO"
        curve.update()
    action.frame_end = action.frame_start + round((action.frame_end - action.frame_start) * factor)


@pytest.mark.variants(1)
@pytest.mark.parametrize("name", ["Walk", "Run"])
@pytest.mark.parametrize(
    ("fps", "metres"), [(24, 1.0), (25, 1.0), (30, 1.0), (30, 0.01), (60, 1.0), (120, 0.01)]
)
def test_feet_that_stand_by_themselves_skate_no_more(
    fresh_file: None, name: str, fps: int, metres: float
) -> None:
    """Those of the example's clips roll over heel and ball, and stand to a tenth of a millimetre. At other
    rates than their own a contact has frames on which they still land, or lift already."""
    bpy.context.scene.render.fps = 30
    humanoid = build_mannequin(bpy.context.scene).rig
    bpy.context.scene.render.fps = fps
    bpy.context.scene.unit_settings.scale_length = metres
    humanoid.scale = [1.0 / metres] * 3
    resampled(bpy.data.actions[name], fps / 30.0)
    report = finish(feet_bake.lock_action_steps(humanoid, LockSettings(name)))
    for before, after in zip(report.before, report.after, strict=True):
        assert after.skate_m <= 1.02 * before.skate_m + 1e-4
    assert report.drop < 0.006
