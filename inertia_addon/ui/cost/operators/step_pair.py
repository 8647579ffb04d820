# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps through the pairs that were found."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import IntProperty

from ... import translations
from ...shared import common

NEXT = "Try the next of the best pairs: put the cut and the destination frame there"
BEFORE = "Try the one before of the best pairs: put the cut and the destination frame there"


class INERTIA_OT_step_pair(bpy.types.Operator):
    bl_idname = "inertia.step_pair"
    bl_label = "Next Pair"
    bl_description = NEXT
    bl_options = {"REGISTER", "UNDO"}

    step: IntProperty(
        name="Step",
        description="1 for the next pair, -1 for the one before",
        default=1,
        options={"SKIP_SAVE"},
    )

    @classmethod
    def description(cls, _context: Any, properties: Any) -> str:
        return translations.tip(BEFORE if properties.step < 0 else NEXT)

    @classmethod
    def poll(cls, context: Any) -> bool:
        if not common.poll_settings(cls, context):
            return False
        if not len(context.object.inertia_search.pairs):
            return common.unavailable(cls, "Find the best pairs first")
        return True

    def execute(self, context: Any) -> set[str]:
        own = context.object.inertia_search
        own.active_pair = (own.active_pair + self.step) % len(own.pairs)
        if own.problem:
            common.say(self, "ERROR", own.problem)
        return {"FINISHED"}
