# SPDX-License-Identifier: GPL-3.0-or-later
"""Exchanges source and destination."""

from __future__ import annotations

from typing import Any

import bpy

from ...shared import common


class INERTIA_OT_swap_actions(bpy.types.Operator):
    bl_idname = "inertia.swap_actions"
    bl_label = "Swap Source and Destination"
    bl_description = "Exchange the two actions, for the way back. The cut stays where it is"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return common.poll_settings(cls, context)

    def execute(self, context: Any) -> set[str]:
        own = context.object.inertia
        slots = own.destination_slot, own.source_slot
        own.source, own.destination = own.destination, own.source
        # Only now: choosing another action forgets its slot.
        own.source_slot, own.destination_slot = slots
        return {"FINISHED"}
