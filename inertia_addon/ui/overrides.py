# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps the settings of library overrides.

From Blender 5.0 on a property group that a linked object never had is lost from its override when
the file is saved: Blender notes the whole group as overridden, which it cannot apply on loading.
When the linked object has the group, if only in memory, its members are noted, and all is well.
"""

from __future__ import annotations

from typing import Any

import bpy
from bpy.app.handlers import persistent


@persistent
def on_save(*_arguments: Any) -> None:
    """Give the linked originals of overridden armatures the groups, with what these hold already."""
    for armature in bpy.data.objects:
        if armature.type == "ARMATURE" and armature.override_library is not None:
            reference = armature.override_library.reference
            if reference is not None:
                _give_groups(armature, reference)


def _give_groups(armature: Any, reference: Any) -> None:
    reference.inertia.cut = reference.inertia.cut
    reference.inertia_cost.joints = reference.inertia_cost.joints
    reference.inertia_search.keep_frames = reference.inertia_search.keep_frames
    for bone in armature.pose.bones:
        if bone.inertia.blend_scale != 1.0 and bone.name in reference.pose.bones:
            original = reference.pose.bones[bone.name].inertia
            original.blend_scale = original.blend_scale


def attach() -> None:
    """Do so before every save."""
    bpy.app.handlers.save_pre.append(on_save)


def detach() -> None:
    """Stop doing so."""
    if on_save in bpy.app.handlers.save_pre:
        bpy.app.handlers.save_pre.remove(on_save)
