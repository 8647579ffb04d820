# SPDX-License-Identifier: GPL-3.0-or-later
"""The armature, and actions keyed on it frame by frame. The only file here, with body, that needs bpy."""

from __future__ import annotations

import bpy
from mathutils import Euler, Matrix, Quaternion

from .gaits import START
from .maths import Array
from .pose import Motion
from .skeleton import BONES, Bone

NAME = "Mannequin"


def build_armature(scene: bpy.types.Scene) -> bpy.types.Object:
    """A new armature object in ``scene``, in its rest pose."""
    armature = bpy.data.armatures.new(NAME)
    rig = bpy.data.objects.new(NAME, armature)
    scene.collection.objects.link(rig)
    layer = scene.view_layers[0]
    before, selected = (
        layer.objects.active,
        [other for other in layer.objects if other.select_get(view_layer=layer)],
    )
    # Edit bones exist in edit mode only, and only the active object enters it.
    layer.objects.active = rig
    with bpy.context.temp_override(scene=scene, view_layer=layer, active_object=rig, object=rig):
        bpy.ops.object.mode_set(mode="EDIT")
        for bone in BONES.values():
            _edit_bone(armature, bone)
        bpy.ops.object.mode_set(mode="OBJECT")
    layer.objects.active = before
    for other in layer.objects:
        other.select_set(other in selected, view_layer=layer)
    armature.display_type = "OCTAHEDRAL"
    rig.show_in_front = True
    for bone in BONES.values():
        rig.pose.bones[bone.name].rotation_mode = bone.mode
    return rig


def _edit_bone(armature: bpy.types.Armature, bone: Bone) -> None:
    edit = armature.edit_bones.new(bone.name)
    edit.head, edit.tail = bone.head, bone.tail
    edit.align_roll(bone.frame[:, 2])
    if bone.parent is None:
        edit.use_deform = False
        return
    parent = BONES[bone.parent]
    edit.parent = armature.edit_bones[bone.parent]
    edit.use_connect = bool((parent.tail == bone.head).all())


def assign(rig: bpy.types.Object, action: bpy.types.Action) -> None:
    """Let ``action`` move ``rig``."""
    data = rig.animation_data or rig.animation_data_create()
    data.action = action
    # From Blender 4.4 on a slot goes with it; a new action has none until its first key.
    if getattr(action, "slots", None):
        data.action_slot = action.slots[0]


def add_action(rig: bpy.types.Object, name: str, motion: Motion, *, cyclic: bool) -> bpy.types.Action:
    """A new action with a key in every frame; it stays assigned to ``rig``."""
    action = bpy.data.actions.new(name)
    action.use_fake_user = True
    assign(rig, action)
    frames = len(motion.root)
    for bone in BONES.values():
        _key_rotation(rig.pose.bones[bone.name], bone, motion.turns[bone.name])
    for bone_name, moved in (("root", motion.root), ("hips", motion.hips)):
        _key_location(rig.pose.bones[bone_name], BONES[bone_name], moved)
    _smooth(action)
    action.use_frame_range = True
    action.frame_start, action.frame_end = START, START + frames - 1
    action.use_cyclic = cyclic
    return action


def _smooth(action: bpy.types.Action) -> None:
    """Let curves pass smoothly through their keys: clamped handles halt at extremes, and feet then skate."""
    if hasattr(action, "fcurves"):
        curves = list(action.fcurves)
    else:  # From Blender 5.0 on, an action's curves are in its slots' channel bags alone.
        strips = [strip for layer in action.layers for strip in layer.strips]
        curves = [curve for strip in strips for bag in strip.channelbags for curve in bag.fcurves]
    for curve in curves:
        for key in curve.keyframe_points:
            key.interpolation = "BEZIER"
            key.handle_left_type = key.handle_right_type = "AUTO"
        curve.update()


def _key_rotation(pose_bone: bpy.types.PoseBone, bone: Bone, turns: Array) -> None:
    quaternion, euler = (
        Quaternion(),
        Euler((0.0, 0.0, 0.0), "XYZ" if bone.mode == "QUATERNION" else bone.mode),
    )
    path = "rotation_quaternion" if bone.mode == "QUATERNION" else "rotation_euler"
    for i, turn in enumerate(bone.frame.T @ turns @ bone.frame):
        # Compatible with the frame before: of two equal rotations the nearer one, or keys would flip.
        now = Matrix(turn.tolist()).to_quaternion()
        now.make_compatible(quaternion)
        quaternion = now
        if path == "rotation_euler":
            euler = now.to_euler(bone.mode, euler)
        setattr(pose_bone, path, euler if path == "rotation_euler" else quaternion)
        pose_bone.keyframe_insert(path, frame=START + i, group=bone.name)


def _key_location(pose_bone: bpy.types.PoseBone, bone: Bone, moved: Array) -> None:
    for i, offset in enumerate(moved @ bone.frame):
        pose_bone.location = offset
        pose_bone.keyframe_insert("location", frame=START + i, group=bone.name)
