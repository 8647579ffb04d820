# SPDX-License-Identifier: GPL-3.0-or-later
"""Armatures of the skeletons that are made up by value."""

from __future__ import annotations

from typing import Any

import bpy

from tests.skeletons.made_up import SKELETONS


def build(name: str) -> Any:
    """An armature of a made-up skeleton in the open scene."""
    held = SKELETONS[name].values()
    data = bpy.data.armatures.new(name)
    armature = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for bone, head, tail, moving in zip(
        held["names"], held["heads"], held["tails"], held["moving"], strict=True
    ):
        made = data.edit_bones.new(bone)
        made.head, made.tail, made.use_deform = head, tail, moving
    for bone, parent in zip(held["names"], held["parents"], strict=True):
        if parent >= 0:
            data.edit_bones[bone].parent = data.edit_bones[held["names"][parent]]
    bpy.ops.object.mode_set(mode="OBJECT")
    return armature
