# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: the armatures that the steps work on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import bpy
from driver import inside, remember
from mathutils import Quaternion, Vector


def remove_objects() -> None:
    """Empty the scene of the factory settings."""
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)


def make_row_of_bones() -> Any:
    """An armature of three bones in a row, in Pose Mode."""
    remove_objects()
    with inside("WINDOW"):
        bpy.ops.object.armature_add(enter_editmode=True)
        for _ in range(2):
            bpy.ops.armature.extrude_move(TRANSFORM_OT_translate={"value": (0.0, 0.3, 0.7)})
        bpy.ops.object.mode_set(mode="POSE")
    return bpy.context.view_layer.objects.active


Bone = tuple[str, str | None, tuple[float, float, float], tuple[float, float, float]]
"""A bone's name, its parent's, its head and its tail."""


def make_rig(bones: Sequence[Bone]) -> Any:
    """An armature named Rig, drawn as sticks, in Pose Mode."""
    remove_objects()
    data = bpy.data.armatures.new("Rig")
    rig = bpy.data.objects.new("Rig", data)
    bpy.context.scene.collection.objects.link(rig)
    with inside("WINDOW"):
        bpy.context.view_layer.objects.active = rig
        bpy.ops.object.mode_set(mode="EDIT")
        for name, parent, head, tail in bones:
            bone = data.edit_bones.new(name)
            bone.head, bone.tail = head, tail
            bone.parent = data.edit_bones[parent] if parent else None
        bpy.ops.object.mode_set(mode="POSE")
    data.display_type = "STICK"
    rig.animation_data_create()
    return rig


STRIDE, PERIOD = 0.8, 24.0
"""How far, metres, a cycle of so many frames goes."""

WALKER = (
    ("hips", None, (0.0, 0.0, 1.0), (0.0, 0.0, 1.2)),
    ("chest", "hips", (0.0, 0.0, 1.2), (0.0, 0.0, 1.6)),
    ("head", "chest", (0.0, 0.0, 1.6), (0.0, 0.0, 1.85)),
    ("thigh.L", "hips", (0.15, 0.0, 1.0), (0.15, 0.02, 0.5)),
    ("foot.L", "thigh.L", (0.15, 0.02, 0.5), (0.15, 0.0, 0.0)),
    ("thigh.R", "hips", (-0.15, 0.0, 1.0), (-0.15, 0.02, 0.5)),
    ("foot.R", "thigh.R", (-0.15, 0.02, 0.5), (-0.15, 0.0, 0.0)),
)


def make_walker() -> Any:
    """A rig with a root, a body and two legs, with the actions Walk and Run, which travel."""
    rig = make_rig(WALKER)
    for name, speed, swing, period in (("Walk", 0.04, 0.4, 30.0), ("Run", 0.1, 0.8, 20.0)):
        rig.animation_data.action = bpy.data.actions.new(name)
        for frame in range(1, 62, 2):
            phase = 2.0 * math.pi * frame / period
            for bone, angle in (
                ("thigh.L", swing * math.sin(phase)),
                ("thigh.R", -swing * math.sin(phase)),
                ("foot.L", swing * (1.0 - math.cos(phase))),
                ("foot.R", swing * (1.0 + math.cos(phase))),
                ("chest", 0.3 * swing),
                ("head", 0.2 * swing * math.cos(2.0 * phase)),
            ):
                pose = rig.pose.bones[bone]
                pose.rotation_mode = "XYZ"
                pose.rotation_euler = (angle, 0.0, 0.0)
                pose.keyframe_insert("rotation_euler", frame=frame)
            hips = rig.pose.bones["hips"]
            hips.location = (0.0, 0.03 * math.cos(2.0 * phase), speed * frame)
            hips.keyframe_insert("location", frame=frame)
    rig.inertia.source, rig.inertia.destination = bpy.data.actions["Walk"], bpy.data.actions["Run"]
    rig.inertia.cut = 30.0
    rig.data.bones.active = rig.data.bones["foot.L"]
    bpy.context.scene.frame_end = 100
    bpy.context.scene.frame_set(30)
    remember("Character")
    return rig


def make_stepper(pairs: Sequence[tuple[str, float]], *, travels: bool) -> Any:
    """A plain rig that walks along -Y, with the actions Walk and Late, which steps a little later.

    pairs: of legs, each a suffix of their names and how far behind they are. travels: whether it goes
    over the ground, or the ground would pass below it.
    """
    height, half, back = 0.9, 0.5, max(y for _, y in pairs)
    legs = [(f"{pair}.{side}", x, y) for pair, y in pairs for side, x in (("L", 0.15), ("R", -0.15))]
    rig = make_rig(
        (
            ("hips", None, (0.0, back, height), (0.0, back - 0.1, height)),
            ("chest", "hips", (0.0, back - 0.1, height), (0.0, -0.3, height + 0.2)),
            ("head", "chest", (0.0, -0.3, height + 0.2), (0.0, -0.5, height + 0.4)),
            *(
                bone
                for name, x, y in legs
                for bone in (
                    (f"thigh{name}", "hips", (x, y, height), (x, y - 0.01, height - half)),
                    (f"shin{name}", f"thigh{name}", (x, y - 0.01, height - half), (x, y, 0.05)),
                    (f"foot{name}", f"shin{name}", (x, y, 0.05), (x, y - 0.15, 0.0)),
                )
            ),
        )
    )
    for name, late in (("Walk", 0.0), ("Late", 0.15)):
        rig.animation_data.action = bpy.data.actions.new(name)
        for frame in range(1, 98):
            time = (frame - 1) / PERIOD
            place = (0.0, -STRIDE * time, 0.0) if travels else (0.0, 0.0, 0.0)
            hips = rig.pose.bones["hips"]
            hips.location = hips.bone.matrix_local.to_3x3().inverted() @ Vector(place)
            hips.keyframe_insert("location", frame=frame)
            for i, (leg, _, _) in enumerate(legs):
                count = (time + 0.5 * (i % 2) + 0.25 * (i // 2) - late) % 1.0
                # half of the time it stands and is left behind, half of the time it comes forward
                swing = max(0.0, 2.0 * count - 1.0)
                forward = swing * swing * (3.0 - 2.0 * swing)
                y, z = STRIDE * (min(count, 0.5) - 0.25 - 0.5 * forward), 0.1 * math.sin(math.pi * swing)
                reach = min(math.hypot(y, height - 0.05 - z), 0.99 * (2.0 * half - 0.05))
                bent = math.acos(min(1.0, reach / (2.0 * half - 0.05)))
                aim = math.atan2(y, height - 0.05 - z)
                for bone, angle in ((f"thigh{leg}", aim - bent), (f"shin{leg}", 2.0 * bent)):
                    pose = rig.pose.bones[bone]
                    axis = pose.bone.matrix_local.to_3x3().inverted() @ Vector((1.0, 0.0, 0.0))
                    pose.rotation_quaternion = Quaternion(axis, angle)
                    pose.keyframe_insert("rotation_quaternion", frame=frame)
    bpy.context.scene.frame_set(1)
    remember("Stepper")
    return rig


LED: tuple[Bone, ...] = (
    ("hips", None, (0.0, 0.0, 0.9), (0.0, 0.0, 1.1)),
    ("head", "hips", (0.0, 0.0, 1.5), (0.0, 0.0, 1.7)),
    *(
        bone
        for side, x in ((".L", 0.1), (".R", -0.1))
        for bone in (
            ("thigh" + side, "hips", (x, 0.0, 0.9), (x, -0.03, 0.5)),
            ("shin" + side, "thigh" + side, (x, -0.03, 0.5), (x, 0.0, 0.1)),
            ("foot" + side, "shin" + side, (x, 0.0, 0.1), (x, -0.15, 0.02)),
            ("toe" + side, "foot" + side, (x, -0.15, 0.02), (x, -0.22, 0.02)),
            ("step" + side, None, (x, 0.0, 0.1), (x, 0.0, 0.3)),
        )
    ),
)
ROOT: Bone = ("root", None, (0.0, 0.0, 0.0), (0.0, 0.3, 0.0))


def make_led(*, root: bool = False) -> Any:
    """A rig whose feet go to controls by IK, with the actions Walk and Late, which steps a little later.

    root: whether hips and controls hang from a bone, and feet turn with their shins.
    """
    rig = make_rig((ROOT, *((name, up or "root", *ends) for name, up, *ends in LED)) if root else LED)
    for side in (".L", ".R"):
        rig.data.bones["foot" + side].use_inherit_rotation = root
        reach = rig.pose.bones["shin" + side].constraints.new("IK")
        reach.target, reach.subtarget, reach.chain_count = rig, "step" + side, 2
    for name, late in (("Walk", 0.0), ("Late", 0.15)):
        rig.animation_data.action = bpy.data.actions.new(name)
        for frame in range(1, 98):
            time = (frame - 1) / PERIOD
            places = {"hips": (0.0, -0.05, STRIDE * time)}
            for side, shift in ((".L", 0.25 - late), (".R", 0.75 - late)):
                count, part = divmod(time + shift, 1.0)
                swing = max(0.0, 2.0 * part - 1.0)
                way = count + swing * swing * (3.0 - 2.0 * swing) - shift + 0.25
                places["step" + side] = (0.0, 0.1 * math.sin(math.pi * swing), STRIDE * way)
            for bone, place in places.items():
                rig.pose.bones[bone].location = place
                rig.pose.bones[bone].keyframe_insert("location", frame=frame)
    own = rig.inertia
    own.source, own.destination = bpy.data.actions["Walk"], bpy.data.actions["Late"]
    own.cut, own.destination_frame, own.use_destination_frame = 40.0, 33.0, True
    bpy.context.scene.frame_set(40)
    remember("Character")
    return rig


def rig() -> Any:
    """The armature that :func:`make_rig` made; undo and loading make it another object."""
    return bpy.data.objects["Rig"]
