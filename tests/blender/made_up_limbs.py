# SPDX-License-Identifier: GPL-3.0-or-later
"""An arm that is posed by FK or by IK, on a rig whose names nobody knows, and clips of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix, Quaternion

from inertia_addon.motion.arrays import Array
from tests.blender import builders

CUT, START, END = 20.0, 12.0, 41
SWITCH = 'pose.bones["gear"]["grip"]'
SEEN = ("body", "seen a", "seen b", "seen c")
SWING, PULL = ("swing a", "swing b", "swing c"), ("pull a", "pull b")


def made_up(kind: Any = float) -> Any:
    """A body with an arm that copies what swings, or what is pulled by "grab" where "grip" is 1."""
    joints = [(0.0, 0.0, 2.0), (0.0, -0.1, 1.5), (0.0, 0.3, 1.0), (0.0, 0.4, 0.8)]
    rig = builders.rig({"gear": None, "body": None})
    bpy.ops.object.mode_set(mode="EDIT")
    edit = rig.data.edit_bones
    edit["body"].head, edit["body"].tail = (0.0, 0.0, 1.5), joints[0]
    for chain in (SEEN[1:], SWING, PULL):
        parent = edit["body"]
        for name, head, tail in zip(chain, joints, joints[1:], strict=False):
            made = edit.new(name)
            made.head, made.tail, made.parent = head, tail, parent
            parent = made
    grab = edit.new("grab")
    grab.head, grab.tail = joints[2], joints[3]
    bpy.ops.object.mode_set(mode="OBJECT")
    for name in rig.data.bones.keys():
        rig.data.bones[name].use_deform = name in SEEN
    bones = rig.pose.bones
    bones["gear"]["grip"] = kind(0)
    if kind is not bool:
        bones["gear"].id_properties_ui("grip").update(min=kind(0), max=kind(1))
    reach = bones["pull b"].constraints.new("IK")
    reach.target, reach.subtarget, reach.chain_count = rig, "grab", 2
    for seen, swing, pull in zip(SEEN[1:], SWING, (*PULL, "grab"), strict=True):
        for target in (swing, pull):
            made = bones[seen].constraints.new("COPY_TRANSFORMS")
            made.target, made.subtarget, made.name = rig, target, target
        drive(made, "influence", rig, SWITCH)
    bpy.context.view_layer.update()
    return rig


def turned_itself() -> Any:
    """An arm that reaches for "grab" by its own bones where "grip" is 1, and takes its turn."""
    rig = made_up()
    bpy.ops.object.mode_set(mode="EDIT")
    for name in (*SEEN[1:], *PULL):
        rig.data.edit_bones.remove(rig.data.edit_bones[name])
    bpy.ops.object.mode_set(mode="OBJECT")
    for curve in list(rig.animation_data.drivers):
        rig.animation_data.drivers.remove(curve)
    reach = rig.pose.bones["swing b"].constraints.new("IK")
    reach.chain_count = 2
    along = rig.pose.bones["swing c"].constraints.new("COPY_ROTATION")
    for made in (reach, along):
        made.target, made.subtarget = rig, "grab"
        drive(made, "influence", rig, SWITCH)
    for name in SWING:
        rig.data.bones[name].use_deform = True
    return rig


def led(rig: Any, kind: str) -> Any:
    """The same arm, whose IK reaches for what goes after "grab" by a constraint: wherever that goes, its way
    along by half, or its own axes by half."""
    bpy.ops.object.mode_set(mode="EDIT")
    grab, goal = rig.data.edit_bones["grab"], rig.data.edit_bones.new("goal")
    goal.head, goal.tail = grab.head, grab.tail
    bpy.ops.object.mode_set(mode="OBJECT")
    rig.data.bones["goal"].use_deform = False
    bones = rig.pose.bones
    (reach,) = (c for bone in bones for c in bone.constraints if c.type == "IK")
    reach.subtarget = "goal"
    made = bones["goal"].constraints.new(kind)
    made.target, made.subtarget = rig, "grab"
    if kind == "COPY_LOCATION":
        made.target_space = made.owner_space = "LOCAL"
        made.influence = 0.5
    if kind == "TRANSFORM":
        made.target_space = made.owner_space = "LOCAL"
        made.use_motion_extrapolate = True
        made.map_to_x_from, made.map_to_y_from, made.map_to_z_from = "X", "Y", "Z"
        for axis in "xyz":
            setattr(made, f"from_max_{axis}", 1.0)
            setattr(made, f"to_max_{axis}", 0.5)
    bpy.context.view_layer.update()
    return rig


def drive(constraint: Any, prop: str, rig: Any, path: str) -> None:
    driver = constraint.driver_add(prop).driver
    driver.type = "SUM"
    variable = driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path = rig, path


def turn(frame: float, size: float, phase: float, number: int) -> Quaternion:
    """A turn in the plane of the arm, by which elbows bend one way."""
    angle = size * np.sin(0.15 * frame + phase) - (0.3 if number == 1 else 0.0)
    return Quaternion((1.0, 0.0, 0.0), angle)


def clip(
    rig: Any,
    name: str,
    grip: Mapping[int, float],
    phase: float = 0.0,
    at_rest: Mapping[str, int] | None = None,
) -> Any:
    """An arm that swings; "grab" goes along, so that either side shows the same.

    grip: the switch's values by frame. at_rest: up to which frame a side is at rest, by its name.
    """
    bones, still = rig.pose.bones, at_rest or {}
    rig.animation_data_create().action = action = bpy.data.actions.new(name)
    action.use_fake_user = True
    for frame in range(1, END + 1):
        bones["gear"]["grip"] = type(bones["gear"]["grip"])(0)
        for number, bone in enumerate(SWING):
            bones[bone].rotation_quaternion = turn(frame, 0.5, phase + number, number)
        bones["body"].rotation_quaternion = Quaternion((0.0, 0.0, 1.0), 0.2 * np.sin(0.1 * frame + phase))
        bpy.context.view_layer.update()
        bones["grab"].matrix = bones["swing c"].matrix
        for side, names in (("swing", SWING), ("grab", ("grab",))):
            for bone in names:
                if frame <= still.get(side, 0):
                    bones[bone].matrix_basis = Matrix()
                for channel in ("location", "rotation_quaternion"):
                    bones[bone].keyframe_insert(channel, frame=frame)
        bones["body"].keyframe_insert("rotation_quaternion", frame=frame)
    for frame, value in grip.items():
        bones["gear"]["grip"] = type(bones["gear"]["grip"])(value)
        bones["gear"].keyframe_insert('["grip"]', frame=frame)
    for curve in builders.by_address(action).values():
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    return action


def matrices(rig: Any, action: Any, frames: Array, names: tuple[str, ...] = SEEN) -> Array:
    """Where bones are (frames, bones, 4, 4)."""
    rig.animation_data.action = action
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(int(frame), subframe=float(frame % 1.0))
        shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        found.append([np.array(shown.pose.bones[name].matrix) for name in names])
    return np.array(found)
