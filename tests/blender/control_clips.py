# SPDX-License-Identifier: GPL-3.0-or-later
"""Animates the controls of rigs that Rigify generates: limbs by IK and by FK, in several spaces."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import bpy
from mathutils import Matrix, Quaternion, Vector

LAST = 41
"""The last frame of a clip; its keys are five frames apart."""
FEET = {
    "thigh": ("foot_ik", "hind_foot_ik"),
    "upper_arm": ("hand_ik", "forefoot_ik"),
    "front_thigh": ("front_foot_ik",),
}
"""The controls of limbs' ends, by what limbs begin with."""


@dataclasses.dataclass(frozen=True)
class Look:
    """How a clip's controls are animated.

    travels: the control that goes, root or torso. yaw: how far it turns, radians. fk: whether the limbs
    show FK; "mixed" for those of the right alone. hidden: whether the side that is not shown is animated,
    too, else it is left at rest. parent: what IK hangs from, 1 the root, 2 the torso or what is next. pole:
    whether poles say where joints point. torso: whether the torso hangs from the root. child: of how much
    of its influence a Child Of the torso has on an IK control.
    """

    travels: str = "root"
    yaw: float = 0.0
    fk: bool | str = False
    hidden: bool = True
    parent: int = 1
    pole: bool = False
    torso: bool = True
    child: float | None = None


@dataclasses.dataclass(frozen=True)
class Limb:
    """The controls of a limb: the bone with its switches, the IK control of its end and its pole, FK."""

    holder: str
    end: str
    pole: str
    fk: tuple[str, ...]
    side: float
    is_arm: bool

    @property
    def ik(self) -> tuple[str, ...]:
        return (self.end, self.pole)


def limbs(rig: Any) -> list[Limb]:
    """The limbs of a Rigify rig."""
    found = []
    for holder in [bone for bone in rig.pose.bones if "IK_FK" in bone]:
        begin, side = holder.name.split("_parent")
        end = next(name + side for name in FEET[begin] if name + side in rig.pose.bones)
        chain = [rig.data.bones[f"{begin}_fk{side}"]]
        while below := [b for bone in chain[-1:] for b in _fk_below(bone)]:
            chain.append(below[0])
        fk = tuple(bone.name for bone in chain)
        is_arm = begin == "upper_arm" and end.startswith("hand") and rig.data.bones[end].head_local.z > 0.9
        sign = 1.0 if side.endswith("L") == (begin == "thigh") else -1.0
        found.append(Limb(holder.name, end, f"{begin}_ik_target{side}", fk, sign, is_arm))
    return found


def _fk_below(bone: Any) -> list[Any]:
    return [b for b in bone.children_recursive if "_fk" in b.name and not b.name.startswith("MCH")][:1]


def animate(rig: Any, name: str, look: Look, *, is_source: bool) -> Any:
    """A clip of a rig that goes on bent limbs."""
    bpy.context.scene.frame_set(LAST)  # from where on the last key of a curve is what Blender shows
    rig.animation_data_create().action = action = bpy.data.actions.new(name)
    action.use_fake_user = True
    bones, found = rig.pose.bones, limbs(rig)
    for bone in bones:
        bone.matrix_basis = Matrix()
        bone.rotation_mode = "QUATERNION"
    switch(rig, found, look)
    height = bones["torso"].bone.head_local.z
    speed, phase, at = (0.05, 0.0, (0.0, 0.0)) if is_source else (0.08, 0.3, (1.0, 0.5))
    spine = [bone for bone in bones if bone.name.startswith("spine_fk") or bone.name == "head"]
    for frame in range(1, LAST + 1, 5):
        angle = 2.0 * math.pi * ((frame - 1) / 40.0 + phase)
        way = Matrix.Translation((at[0], at[1] - speed * height * (frame - 1), 0.0))
        ground = way @ Matrix.Rotation(look.yaw * (frame - 1) / 40.0, 4, "Z")
        if look.travels == "root":
            put(rig, {"root": ground @ bones["root"].bone.matrix_local}, frame)
        bob = Matrix.Translation((0.0, 0.0, height * (-0.15 + 0.015 * math.cos(2.0 * angle))))
        put(rig, {"torso": ground @ bob @ bones["torso"].bone.matrix_local}, frame)
        for bone in spine:
            turn(bone, 0.2 / len(spine) * math.sin(angle), 0.12 / len(spine), frame)
        reached: dict[str, Matrix] = {}
        for limb in found:
            step = limb.side * math.sin(angle)
            if shows_fk(look, limb) or look.hidden:
                for number, name in enumerate(limb.fk):
                    bend = (0.3 * step, 0.35 + 0.2 * step, -0.1 * step)[min(number, 2)]
                    turn(bones[name], bend, 0.0 if number else 0.05, frame)
            if not shows_fk(look, limb) or look.hidden:
                end, pole = places(rig, limb, height, step, angle)
                reached |= {limb.end: ground @ end, limb.pole: ground @ pole}
        put(rig, reached, frame)
    return action


def shows_fk(look: Look, limb: Limb) -> bool:
    """Whether a limb shows FK."""
    if isinstance(look.fk, str):
        return limb.holder.endswith("R") == (look.fk == "mixed")
    return look.fk


def places(rig: Any, limb: Limb, height: float, step: float, angle: float) -> tuple[Matrix, Matrix]:
    """Where a limb's end and its pole shall be above the ground."""
    end, pole = (rig.data.bones[name].matrix_local for name in limb.ik)
    if limb.is_arm:
        inwards = -0.35 * height * math.copysign(1.0, end.to_translation().x)
        offset = (inwards, -0.1 * height * step, -0.1 * height)
    else:
        lift = 0.05 * height * max(0.0, limb.side * math.cos(angle))
        offset = (0.0, -0.1 * height * step, lift)
    aside = Matrix.Translation((0.02 * height * step, 0.0, 0.0))
    return Matrix.Translation(Vector(offset)) @ end, aside @ pole


def switch(rig: Any, found: Sequence[Limb], look: Look) -> None:
    """Set and key the switches of a look."""
    bones = rig.pose.bones
    values: list[tuple[str, str, Any]] = [("torso", "torso_parent", int(look.torso))]
    for limb in found:
        fk = float(shows_fk(look, limb))
        # on top of a space that moves, Child Of would move it twice
        parent = 0 if look.child is not None and limb is found[-1] else look.parent
        values += [
            (limb.holder, prop, value)
            for prop, value in (("IK_FK", fk), ("IK_parent", parent), ("pole_vector", look.pole))
        ]
    for bone, prop, value in values:
        bones[bone][prop] = value
        bones[bone].keyframe_insert(f'["{prop}"]', frame=1)
    held = bones[found[-1].end]
    constraint = held.constraints.get("Child") or held.constraints.new("CHILD_OF")
    constraint.name, constraint.target, constraint.subtarget = "Child", rig, "torso"
    constraint.inverse_matrix = rig.data.bones["torso"].matrix_local.inverted()
    constraint.influence = look.child or 0.0
    constraint.keyframe_insert("influence", frame=1)
    rig.update_tag()
    bpy.context.view_layer.update()


def turn(bone: Any, bend: float, aside: float, frame: int) -> None:
    """Key a rotation of a control."""
    bone.rotation_quaternion = Quaternion((1.0, bend, 0.0, aside)).normalized()
    bone.keyframe_insert("rotation_quaternion", frame=frame)


def put(rig: Any, wanted: dict[str, Matrix], frame: int) -> None:
    """Key controls so that they stand somewhere in the armature's space, whatever they hang from now."""
    bpy.context.view_layer.update()
    evaluated = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    for name, place in wanted.items():
        bone, shown = rig.pose.bones[name], evaluated.pose.bones[name]
        rest, parent = shown.bone.matrix_local, shown.parent
        above = {}
        if parent is not None:
            above = {"parent_matrix": parent.matrix, "parent_matrix_local": parent.bone.matrix_local}
        keyed = shown.bone.convert_local_to_pose(shown.matrix_basis, rest, **above)
        # behind Child Of it goes from where that has taken it
        back = keyed @ shown.matrix.inverted() @ place
        own = shown.bone.convert_local_to_pose(back, rest, **above, invert=True)
        bone.location, bone.rotation_quaternion = own.to_translation(), own.to_quaternion()
        for channel in ("location", "rotation_quaternion"):
            bone.keyframe_insert(channel, frame=frame)
