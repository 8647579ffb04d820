# SPDX-License-Identifier: GPL-3.0-or-later
"""A control rig's motion on a plain skeleton of its deform bones, and how smooth a transition of each is."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

from inertia_addon.blender.data import actions, compat
from inertia_addon.blender.transition import bake
from inertia_addon.motion.arrays import Array
from inertia_addon.motion.curves import keys as keylib
from inertia_addon.settings.transition import TransitionSettings

ROOT = "root"
"""The root of a plain skeleton, which goes where the control goes that carries the character."""
CHANNELS = [
    (path, index)
    for path, count in (("location", 3), ("rotation_quaternion", 4), ("scale", 3))
    for index in range(count)
]
"""What of a bone of a plain skeleton is keyed."""
STEP = 0.5
"""What is shown is looked at so many frames apart."""


def slot_of(thing: Any) -> str:
    """The identifier of the slot that bears an object's name."""
    return f"OB{thing.name}" if compat.has_slots() else ""


def play(rig: Any, action: Any, frames: Array, names: Sequence[str]) -> Array:
    """Where bones are in the world (frames, bones, 4, 4), by Blender's own evaluation."""
    compat.assign(rig, action, slot_of(rig))
    for bone in rig.pose.bones:
        bone.matrix_basis = Matrix()  # what another action has left behind
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(math.floor(frame), subframe=frame - math.floor(frame))
        shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        found.append([shown.matrix_world @ shown.pose.bones[name].matrix for name in names])
    return np.array(found)


def plain_skeleton(rig: Any) -> Any:
    """An armature of the deform bones and a root, each hanging from what its original hangs from."""
    deform = [bone for bone in rig.data.bones if bone.use_deform]
    data = bpy.data.armatures.new("plain")
    plain = bpy.data.objects.new("plain", data)
    bpy.context.collection.objects.link(plain)
    bpy.context.view_layer.objects.active = plain
    bpy.ops.object.mode_set(mode="EDIT")
    root = data.edit_bones.new(ROOT)
    root.tail = (0.0, 1.0, 0.0)
    for bone in deform:
        made = data.edit_bones.new(bone.name)
        made.head, made.tail = bone.head_local, bone.tail_local
        made.matrix = bone.matrix_local
        made.inherit_scale = "NONE"
    for bone in deform:
        data.edit_bones[bone.name].parent = data.edit_bones[_deform_above(bone)]
    bpy.ops.object.mode_set(mode="OBJECT")
    return plain


def _deform_above(bone: Any) -> str:
    above = bone.parent
    while above is not None:
        for name in (above.name, above.name.replace("ORG-", "DEF-", 1)):
            known = above.id_data.bones.get(name)
            if known is not None and known.use_deform and name != bone.name:
                return str(name)
        above = above.parent
    return ROOT


def transfer(plain: Any, name: str, frames: Array, worlds: Array) -> Any:
    """An action of the plain skeleton that shows what was seen (frames, bones, 4, 4)."""
    bones = plain.data.bones
    action = bpy.data.actions.new(name)
    bag = compat.new_bag(action, compat.Slot("OB" + plain.name, "OBJECT"))
    places = {bone.name: worlds[:, i] for i, bone in enumerate(bones)}
    for bone in bones:
        rest = np.array(bone.matrix_local)
        above, above_rest = np.eye(4), np.eye(4)
        if bone.parent is not None:
            above, above_rest = places[bone.parent.name], np.array(bone.parent.matrix_local)
        local = np.linalg.inv(rest) @ above_rest @ np.linalg.inv(above) @ places[bone.name]
        values = [Matrix(one).decompose() for one in local]
        turns = [values[0][1]]
        for _, one, _ in values[1:]:
            turns.append(-one if one.dot(turns[-1]) < 0.0 else one)
        rows = [(*place, *turn, *size) for (place, _, size), turn in zip(values, turns, strict=True)]
        addresses = [(f'pose.bones["{bone.name}"].{path}', index) for path, index in CHANNELS]
        for address, keys in zip(addresses, keylib.sampled_together(frames, rows), strict=True):
            actions.write(bag, address, keys, None)
    return action


@dataclasses.dataclass(frozen=True)
class Smoothness:
    """The highest changes of joint velocity in a window, over the highest of the clips' own.

    one: of the joint that changes most, with controls and on the plain skeleton. all: as the root of the mean
    square over all joints. joint: that which changes most with controls, and when: frames after the cut.
    """

    one: tuple[float, float]
    all: tuple[float, float]
    joint: str
    when: float

    @property
    def ratio(self) -> float:
        """How often as high it is with controls as on the plain skeleton."""
        return max(controls / plain for controls, plain in (self.one, self.all))


class Pair:
    """A rig with the plain skeleton of its deform bones."""

    def __init__(self, rig: Any) -> None:
        self.rig, self.plain = rig, plain_skeleton(rig)
        self.joints = [bone.name for bone in self.plain.data.bones if bone.name != ROOT]
        self.lengths = np.array([self.plain.data.bones[name].length for name in self.joints])

    def measure(self, source: Any, destination: Any, cut: float, entry: float, **how: Any) -> Smoothness:
        """Bake a transition of two actions on both, with the same rigid motion, and measure them."""
        # locked feet, which have tests of their own, would be locked twice, and take most of the time
        settings = TransitionSettings(source.name, destination.name, cut, entry, **{"feet": "OFF", **how})
        report = bake.bake_transition(self.rig, settings)
        since = np.arange(-2.0, report.window[1] - cut + 2.0 + STEP, STEP)
        ends = ((source, cut + since[since <= 2.0]), (destination, entry + since))
        worlds = [play(self.rig, clip, frames, [report.root, *self.joints]) for clip, frames in ends]
        moved = [
            transfer(self.plain, f"{clip.name} plain", frames, world)
            for (clip, frames), world in zip(ends, worlds, strict=True)
        ]
        same = dataclasses.replace(
            settings, source=moved[0].name, destination=moved[1].name, root=ROOT, alignment=report.alignment
        )
        plain_report = bake.bake_transition(self.plain, same)
        np.testing.assert_allclose(plain_report.translation, report.translation, atol=1e-4)
        results = [bpy.data.actions[made.result] for made in (report, plain_report)]
        found = [
            changes(self.points(play(which, result, cut + since, self.joints)))
            for which, result in zip((self.rig, self.plain), results, strict=True)
        ]
        own = [changes(self.points(world[:, 1:])) for world in worlds]
        compat.assign(self.rig, source, slot_of(self.rig))
        compat.assign(self.plain, None)
        for action in (*moved, *results):
            bpy.data.actions.remove(action)
        most, mean = max(one.max() for one in own), max(rms(one).max() for one in own)
        when, joint = np.unravel_index(found[0].argmax(), found[0].shape)
        return Smoothness(
            (found[0].max() / most, found[1].max() / most),
            (rms(found[0]).max() / mean, rms(found[1]).max() / mean),
            self.joints[int(joint) % len(self.joints)],
            float(since[int(when) + round(1.0 / STEP)]),
        )

    def points(self, worlds: Array) -> Array:
        """Where bones begin and end (frames, points, 3)."""
        heads = worlds[..., :3, 3]
        return np.concatenate([heads, heads + worlds[..., :3, 1] * self.lengths[:, None]], axis=1)


def changes(points: Array) -> Array:
    """How far the way of points (frames, points, 3) in a frame is from that in the frame before."""
    step = round(1.0 / STEP)
    return np.linalg.norm(points[2 * step :] - 2.0 * points[step:-step] + points[: -2 * step], axis=-1)


def rms(values: Array) -> Array:
    """The root of the mean square over points."""
    return np.sqrt(np.mean(values**2, axis=-1))
