# SPDX-License-Identifier: GPL-3.0-or-later
"""Legs of one bone, and feet that hang beside their legs: their contacts are found, and they are locked."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from mathutils import Matrix, Vector

from inertia_addon.blender.data import actions, clip_store
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.feet import bake, contacts, legs
from inertia_addon.blender.feet import contacts as feet_figures
from inertia_addon.errors import InertiaError
from inertia_addon.motion.steps import finish
from inertia_addon.settings.feet import LockSettings
from tests.blender import builders, clips, skeletons

Array = NDArray[np.float64]

FRAMES = 120
SWING = 0.4
"""How far legs swing to either side, radians."""
STRIDE_FRAMES = 48.0
SKATE = 0.15
"""A body goes ahead by so much more, as a part, than its legs carry it."""

WALKERS = {
    # the body's bone, the legs with what carries the point by which each stands
    "ten bones": ("hips", {"leg.L": "foot.L", "leg.R": "foot.R"}),
    "minetest": ("Body", {"Leg_Left": "Leg_Left", "Leg_Right": "Leg_Right"}),
    "robot": ("body", {"leg_left": "foot_left", "leg_right": "foot_right"}),
}


def put(bone: Any, way: tuple[float, float, float], frame: int) -> None:
    """Key a bone's place, moved by a way in the armature's space."""
    bone.location = bone.bone.matrix_local.to_3x3().inverted() @ Vector(way)
    bone.keyframe_insert("location", frame=frame)


def swing(bone: Any, angle: float, frame: int) -> None:
    """Key how far a leg swings about the armature's X axis."""
    bone.rotation_mode = "QUATERNION"
    axes = bone.bone.matrix_local.to_3x3()
    turn = Matrix.Rotation(angle, 3, "X")
    bone.rotation_quaternion = (axes.inverted() @ turn @ axes).to_quaternion()
    bone.keyframe_insert("rotation_quaternion", frame=frame)


def stiff_walk(name: str) -> Any:
    """A character whose legs are of one bone each, and swing; faster than these carry it."""
    armature = skeletons.build(name)
    body, own = WALKERS[name]
    armature.animation_data_create().action = bpy.data.actions.new("Walk")
    length = max(leg.length for leg in legs.detected(armature))
    rate = 2.0 * math.pi / STRIDE_FRAMES
    for frame in range(1, FRAMES + 1):
        put(armature.pose.bones[body], (0.0, -(1.0 + SKATE) * length * SWING * rate * frame, 0.0), frame)
        for leg, begins in zip(own, (0.0, math.pi), strict=True):
            swing(armature.pose.bones[leg], SWING * math.sin(rate * frame + begins), frame)
    return armature


def stepping(*, led_by_ik: bool) -> Any:
    """Quaternius' layout: feet that hang from the root step, and skate on while they stand."""
    armature = skeletons.build("quaternius")
    armature.animation_data_create().action = bpy.data.actions.new("Walk")
    if led_by_ik:
        for side in "LR":
            reach = armature.pose.bones[f"LowerLeg.{side}"].constraints.new("IK")
            reach.target, reach.subtarget, reach.chain_count = armature, f"Foot.{side}", 2
    for frame in range(1, FRAMES + 1):
        put(armature.pose.bones["Body"], (0.0, -0.03 * frame, -0.1), frame)
        for side, begins in (("L", 0.0), ("R", 0.5)):
            turn, part = divmod(frame / 24.0 + begins, 1.0)
            moves = min(max((part - 0.5) / 0.5, 0.0), 1.0)
            way = 0.72 * (turn + moves * moves * (3.0 - 2.0 * moves)) + 0.1 * part - 0.72 * begins
            place = (0.0, -way, 0.4 * (moves * (1.0 - moves)) ** 2 * 4.0)
            put(armature.pose.bones[f"Foot.{side}"], place, frame)
    return armature


def stands(armature: Any, action: Any, leg: Any, spans: Any, axes: int = 3) -> Array:
    """How far the point by which a foot stands goes within each span, as Blender plays an action.

    axes: 2 for over the ground alone.
    """
    ways = []
    for span in spans:
        frames = np.arange(math.ceil(span.start), math.floor(span.end) + 1.0)
        posed = builders.played(armature, action, frames)[:, leg.point]
        points = posed[:, :3, :3] @ leg.offset + posed[:, :3, 3]
        ways.append(np.linalg.norm(np.ptp(points[:, :axes], axis=0)))
    return np.array(ways)


@pytest.mark.parametrize("name", WALKERS)
def test_a_leg_of_one_bone_turns_about_the_hip(fresh_file: None, name: str) -> None:
    armature = stiff_walk(name)
    found = legs.detected(armature)
    assert [leg.name for leg in found] == [*WALKERS[name][1].values()]
    report = finish(bake.lock_action_steps(armature, LockSettings("Walk", hips_drop=0.3)))
    walk, locked = (bpy.data.actions[action] for action in ("Walk", report.result))
    for leg, figures in zip(found, report.before, strict=True):
        spans = [span for span in figures.spans if span.end - span.start >= 2.0]
        assert spans
        # it reaches as far as it does, so that its end goes up and down as it turns
        before, after = (stands(armature, action, leg, spans, axes=2) for action in (walk, locked))
        assert np.all(after <= np.maximum(0.4 * before, 0.003 * leg.length))
    assert changed(locked, walk) <= {WALKERS[name][0], *WALKERS[name][1], *WALKERS[name][1].values()}


def changed(action: Any, of: Any) -> set[str]:
    """The bones that have other values in an action than in the one that it was made of."""
    before = {(curve.data_path, curve.array_index): curve for curve in clips.all_curves(of)}
    found = set()
    for curve in clips.all_curves(action):
        other = before.get((curve.data_path, curve.array_index))
        frames = range(1, FRAMES + 1)
        if other is None or any(abs(curve.evaluate(f) - other.evaluate(f)) > 1e-4 for f in frames):
            found.add(curve.data_path.split('"')[1])
    return found


@pytest.mark.variants(1)
@pytest.mark.parametrize("led_by_ik", [False, True])
def test_a_foot_beside_its_leg_is_what_is_keyed(fresh_file: None, *, led_by_ik: bool) -> None:
    armature = stepping(led_by_ik=led_by_ik)
    found = legs.detected(armature)
    names = armature.data.bones.keys()
    assert [[names[joint] for joint in leg.joints] for leg in found] == [
        [f"UpperLeg.{side}", f"LowerLeg.{side}", f"Foot.{side}"] for side in "LR"
    ]
    report = finish(bake.lock_action_steps(armature, LockSettings("Walk")))
    assert report.pinned == (("Foot.L", "Foot.R") if led_by_ik else ())
    walk, locked = (bpy.data.actions[action] for action in ("Walk", report.result))
    for leg, figures in zip(found, report.before, strict=True):
        before, after = (stands(armature, action, leg, figures.spans) for action in (walk, locked))
        assert before.max() > 0.03
        assert after.max() < 2e-3
    moved = changed(locked, walk)
    assert {"Foot.L", "Foot.R"} <= moved
    assert moved <= {
        "Foot.L",
        "Foot.R",
        "Body",
        *(f"{part}Leg.{s}" for part in ("Upper", "Lower") for s in "LR"),
    }


def test_a_foot_without_a_leg_is_measured_and_says_why_it_is_not_locked(fresh_file: None) -> None:
    armature = stepping(led_by_ik=False)
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in list(armature.data.edit_bones):
        if "Leg" in bone.name:
            armature.data.edit_bones.remove(bone)
    bpy.ops.object.mode_set(mode="OBJECT")
    clip = clip_store.read(armature, bpy.data.actions["Walk"])
    known = finish(contacts.read_contacts_steps(read_character(armature), clip))
    assert [leg.name for leg in known.legs] == ["Foot.L", "Foot.R"]
    assert all(len(spans) >= 2 for spans in known.spans)
    assert all(figures.skate_m > 0.0 for figures in feet_figures.figures_of(read_character(armature), known))
    with pytest.raises(InertiaError, match=r'No leg was found above the foot "Foot\.L"'):
        finish(bake.lock_action_steps(armature, LockSettings("Walk")))


@pytest.mark.parametrize("modifier", ["CYCLES", "NOISE"])
def test_feet_are_locked_in_an_action_whose_curves_have_modifiers(fresh_file: None, modifier: str) -> None:
    """What has been planned has no curve of Blender's, whose modifiers might be asked for."""
    armature = stepping(led_by_ik=False)
    head = armature.pose.bones["Head"]
    for frame, angle in ((1, 0.0), (FRAMES, 0.5)):
        swing(head, angle, frame)
    for curve in clips.all_curves(bpy.data.actions["Walk"]):
        if "Head" in curve.data_path:
            curve.modifiers.new(modifier)
    report = finish(bake.lock_action_steps(armature, LockSettings("Walk")))
    for leg, figures in zip(legs.detected(armature), report.before, strict=True):
        assert stands(armature, bpy.data.actions[report.result], leg, figures.spans).max() < 2e-3
    clip = clip_store.read(armature, bpy.data.actions["Walk"])
    planned = actions.with_curves(
        clip, {at: curve.keys for at, curve in clip.curves.items() if "Foot" in at[0]}
    )
    assert contacts.as_cycle(read_character(armature), planned).cycle is None
