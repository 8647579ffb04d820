# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts the cut where the playhead is."""

from __future__ import annotations

from typing import Any

import bpy

from ...shared import common


class INERTIA_OT_use_current_frame(bpy.types.Operator):
    bl_idname = "inertia.use_current_frame"
    bl_label = "Cut at Current Frame"
    bl_description = "Put the cut where the playhead is"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return common.poll_settings(cls, context)

    def execute(self, context: Any) -> set[str]:
        context.object.inertia.cut = context.scene.frame_current_final
        return {"FINISHED"}
