# SPDX-License-Identifier: GPL-3.0-or-later
"""A small rig with actions, and what of a file a failure must leave alone."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from typing import Any
from unittest import mock

import bpy

from inertia_addon.blender.data import compat
from inertia_addon.settings.learned import LearnSettings

BONES = ("hips", "spine", "hand.L")


def make_rig(name: str = "Rig", bones: tuple[str, ...] = BONES) -> Any:
    """An armature object, active and selected, whose bones are a chain."""
    data = bpy.data.armatures.new(name)
    rig = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    rig.select_set(True)
    bpy.ops.object.mode_set(mode="EDIT")
    parent = None
    for i, bone_name in enumerate(bones):
        bone = data.edit_bones.new(bone_name)
        bone.head, bone.tail, bone.parent = (0.0, 0.0, i), (0.0, 0.0, i + 1.0), parent
        parent = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone in rig.pose.bones:
        bone.rotation_mode = "XYZ"
    return rig


def make_action(rig: Any, name: str, swing: float, frames: tuple[int, int] = (1, 40)) -> Any:
    """An action in which every bone swings by so many radians; it stays assigned."""
    animation = rig.animation_data or rig.animation_data_create()
    animation.action = action = bpy.data.actions.new(name)
    for frame in range(frames[0], frames[1] + 1, 3):
        for bone in rig.pose.bones:
            bone.rotation_euler = (swing * math.sin(frame / 6.0 + swing), swing, 0.0)
            bone.keyframe_insert("rotation_euler", frame=frame)
    return action


def take_snapshot() -> dict[str, Any]:
    """Names, counts and states, by value, as undo kills all references."""
    blocks = {
        kind: sorted((block.name, block.users, block.use_fake_user) for block in getattr(bpy.data, kind))
        for kind in ("actions", "objects", "armatures", "scenes", "texts", "meshes")
    }
    layer = bpy.context.view_layer
    objects = [(o.name, o.select_get(), o.mode, _assigned(o)) for o in layer.objects]
    return {
        "blocks": blocks,
        "objects": objects,
        "active": layer.objects.active.name if layer.objects.active else None,
        "frame": bpy.context.scene.frame_current_final,
        "keys": {action.name: keys_of(action) for action in bpy.data.actions},
    }


def _assigned(data: Any) -> tuple[str, str]:
    action, slot = compat.assigned(data)
    return (action.name if action is not None else "", slot)


def keys_of(action: Any) -> list[Any]:
    """All keys of an action, as numbers (text, as a NaN is no equal of itself)."""
    return [
        (
            slot.identifier,
            curve.data_path,
            curve.array_index,
            [str(tuple(p.co)) for p in curve.keyframe_points],
        )
        for slot in compat.slots(action)
        for curve in compat.curves(action, slot.identifier)
    ]


def stored_group(data: Any) -> Any:
    """The values behind a property group of Inertia's, as a file has them: anything."""
    system = getattr(data, "bl_system_properties_get", None)
    return (data if system is None else system())["inertia"]


def store(rig: Any, name: str, value: object) -> None:
    """Store something as a setting, in its range or not."""
    rig.inertia.blend_frames = 5.0  # so that there is a group
    stored_group(rig)[name] = value


@contextlib.contextmanager
def brief_training() -> Iterator[None]:
    """Within it models learn for a twelfth of the time that is asked for: what becomes of them is looked at,
    not how good they are."""
    with mock.patch.object(LearnSettings, "seconds", property(lambda settings: 5.0 * settings.minutes)):
        yield
