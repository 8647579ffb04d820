# SPDX-License-Identifier: GPL-3.0-or-later
"""The armature, and actions keyed on it frame by frame."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from mathutils import Euler, Matrix, Quaternion

from ...motion.curves.keys import AUTO, BEZIER
from ..data import compat
from .gaits import START
from .maths import Array
from .pose import BoneMotion
from .skeleton import BONES, Bone

NAME = "Mannequin"


def build_armature(scene: Any) -> Any:
    """Add an armature object in its rest pose to a scene, in front of all else, and return it.

    Its bones have their own rotation modes. What is active and selected in the scene stays so.
    """
    armature = bpy.data.armatures.new(NAME)
    rig = bpy.data.objects.new(NAME, armature)
    scene.collection.objects.link(rig)
    layer = scene.view_layers[0]
    before = layer.objects.active
    selected = [each for each in layer.objects if each.select_get(view_layer=layer)]
    # Edit bones exist in edit mode only, and only the active object enters it.
    layer.objects.active = rig
    with bpy.context.temp_override(scene=scene, view_layer=layer, active_object=rig, object=rig):
        bpy.ops.object.mode_set(mode="EDIT")
        for bone in BONES.values():
            _add_bone(armature, bone)
        bpy.ops.object.mode_set(mode="OBJECT")
    layer.objects.active = before
    for each in layer.objects:
        each.select_set(each in selected, view_layer=layer)
    armature.display_type = "STICK"
    rig.show_in_front = True
    for bone in BONES.values():
        rig.pose.bones[bone.name].rotation_mode = bone.mode
    return rig


def _add_bone(armature: Any, rest_bone: Bone) -> None:
    edit = armature.edit_bones.new(rest_bone.name)
    edit.head, edit.tail = rest_bone.head, rest_bone.tail
    edit.align_roll(rest_bone.frame[:, 2])
    if rest_bone.parent is None:
        edit.use_deform = False
        return
    parent = BONES[rest_bone.parent]
    edit.parent = armature.edit_bones[rest_bone.parent]
    edit.use_connect = bool((parent.tail == rest_bone.head).all())


def find_slot(action: Any) -> str:
    """Return the identifier of an action's first slot; "" for none, which a new action has."""
    return next((slot.identifier for slot in compat.slots(action)), "")


def assign_action(rig: Any, action: Any) -> None:
    """Let an action move an armature by its first slot."""
    compat.assign(rig, action, find_slot(action))


def add_action(rig: Any, name: str, motion: BoneMotion, *, cyclic: bool) -> Any:
    """Add an action with a key in every frame, from START on, for all bones' rotations and the places of root
    and hips, and return it; it stays assigned to the armature, and has a fake user.

    cyclic: whether its last pose leads into its first; its frame range is all of it. Blender numbers a name
    that is taken.
    """
    action = bpy.data.actions.new(name)
    action.use_fake_user = True
    assign_action(rig, action)
    frames = len(motion.root)
    for bone in BONES.values():
        _key_rotation(rig.pose.bones[bone.name], bone, motion.turns[bone.name])
    for bone_name, offsets in (("root", motion.root), ("hips", motion.hips)):
        _key_location(rig.pose.bones[bone_name], BONES[bone_name], offsets)
    _smooth_keys(action)
    action.use_frame_range = True
    action.frame_start, action.frame_end = START, START + frames - 1
    action.use_cyclic = cyclic
    return action


def _smooth_keys(action: Any) -> None:
    """Let all curves of an action's slot pass smoothly through their keys, in place.

    They become Bezier curves with automatic handles, not clamped ones: these halt at extremes, and feet then
    skate.
    """
    for curve in compat.curves(action, find_slot(action)):
        points = curve.keyframe_points
        for name, code in (
            ("interpolation", BEZIER),
            ("handle_left_type", AUTO),
            ("handle_right_type", AUTO),
        ):
            points.foreach_set(name, np.full(len(points), code))
        curve.update()


def _key_rotation(pose_bone: Any, rest_bone: Bone, turns: Array) -> None:
    quaternion = Quaternion()
    euler = Euler((0.0, 0.0, 0.0), "XYZ" if rest_bone.mode == "QUATERNION" else rest_bone.mode)
    path = rotation_path(pose_bone)
    values = []
    for turn in rest_bone.frame.T @ turns @ rest_bone.frame:
        # Compatible with the frame before: of two equal rotations the nearer one, or keys would flip.
        now = Matrix(turn.tolist()).to_quaternion()
        now.make_compatible(quaternion)
        quaternion = now
        if path == "rotation_euler":
            euler = now.to_euler(rest_bone.mode, euler)
        values.append(tuple(euler if path == "rotation_euler" else quaternion))
    _key_property(pose_bone, path, np.array(values))


def rotation_path(pose_bone: Any) -> str:
    """Return the property that turns a pose bone of the mannequin, by its rotation mode."""
    return "rotation_quaternion" if pose_bone.rotation_mode == "QUATERNION" else "rotation_euler"


def _key_location(pose_bone: Any, rest_bone: Bone, offsets: Array) -> None:
    _key_property(pose_bone, "location", offsets @ rest_bone.frame)


def _key_property(pose_bone: Any, path: str, values: Array) -> None:
    """Key a bone's property in every frame from the first one on, in the assigned action.

    values: (frames, channels). The bone keeps the last of them.
    """
    setattr(pose_bone, path, values[0])
    pose_bone.keyframe_insert(path, frame=START, group=pose_bone.name)
    action, slot = compat.assigned(pose_bone.id_data)
    keyed = pose_bone.path_from_id(path)
    # the others in bulk, as to insert keys one by one takes some twenty times as long
    frames = START + np.arange(len(values))
    for curve in compat.curves(action, slot):
        if curve.data_path != keyed:
            continue
        points = curve.keyframe_points
        points.add(len(frames) - 1)
        points.foreach_set("co", np.column_stack((frames, values[:, curve.array_index])).ravel())
        for name in ("amplitude", "back", "period"):
            points.foreach_set(name, np.full(len(frames), getattr(points[0], name)))
    setattr(pose_bone, path, values[-1])
