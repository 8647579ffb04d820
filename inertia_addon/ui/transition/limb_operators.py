# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits the list of limbs that go between FK and IK."""

from __future__ import annotations

from typing import Any

import bpy

from ...blender.data import compat, limb_list
from ...blender.data.rig import split_path
from ...blender.evaluation import controls, limbs
from ...errors import InertiaError
from ..shared import character, tool, words
from ..shared.row_list import ClearsRows, RemovesRow
from ..shared.tool import Tool
from ..translations import translated
from . import fields
from .limb_list import LIMBS


class INERTIA_OT_find_limbs(Tool, bpy.types.Operator):
    bl_idname = "inertia.find_limbs"
    bl_label = "Find Limbs"
    bl_description = (
        "List the limbs that are found by what switches their constraints between FK and IK, with their "
        "controls. What is listed already stays as it is"
    )
    needs = (tool.poll_settings, tool.poll_armature)

    def act(self, context: Any) -> None:
        armature = context.object
        paths = _keyed(armature)
        with controls.posing(armature) as stage:
            found = limbs.found(stage, {split_path(path)[0] or "" for path in paths}, paths)
        own = {
            limb_list.switch_path(armature, item.bone, item.switch) for item in armature.inertia_limbs.items
        }
        fresh = [limb for limb in found if limb.switch not in own]
        if not found:
            raise InertiaError(
                'No property of "{armature}" was found to switch limbs; add a limb and choose its property.',
                armature=armature.name,
            )
        for limb in fresh:
            LIMBS.add(armature, **limb_list.row_of(limb))
        self.say("{count} listed", count=words.count(len(fresh), "limb"))


def _keyed(armature: Any) -> set[str]:
    """The paths that the chosen actions and the assigned one key."""
    own = armature.inertia
    actions = {own.source, own.destination, compat.assigned(armature)[0]} - {None}
    return {
        curve.data_path
        for action in actions
        for slot in fields.object_slots(action)
        for curve in compat.curves(action, slot.identifier)
    }


class INERTIA_OT_add_limb(Tool, bpy.types.Operator):
    bl_idname = "inertia.add_limb"
    bl_label = "Add Limb"
    bl_description = "Add a limb to the list; then choose its property and controls"

    def act(self, context: Any) -> None:
        number = len(context.object.inertia_limbs.items) + 1
        bone = character.active_bone(context.object)
        name = translated("Limb {0}", number)
        LIMBS.add(context.object, name=name, bone="" if bone is None else bone.name)


class INERTIA_OT_remove_limb(RemovesRow, bpy.types.Operator):
    bl_idname = "inertia.remove_limb"
    bl_label = "Remove Limb"
    bl_description = "Remove the chosen limb from the list, and detect it automatically"
    needs = LIMBS.needs_active
    listed, spared = LIMBS, "This limb comes from the linked file; it is no longer used"


class INERTIA_OT_clear_limbs(ClearsRows, bpy.types.Operator):
    bl_idname = "inertia.clear_limbs"
    bl_label = "Clear List of Limbs"
    bl_description = "Remove all limbs from the list, and detect them automatically"
    needs = LIMBS.needs_rows
    listed = LIMBS
