# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes transitions from strips, and takes results away that are strips."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import StringProperty

from ...blender.data import actions
from ...blender.nla import strips, tracks
from ...errors import InertiaError
from ..shared import common
from ..shared.common import Tool
from ..shared.made_of import plain
from ..transition import previewing, taken


class INERTIA_OT_use_strips(Tool, bpy.types.Operator):
    bl_idname = "inertia.use_strips"
    bl_label = "Use Selected Strips"
    bl_description = (
        "Fill in source, destination, cut and destination frame from the two selected strips: the later one "
        "takes over where it begins. Where they are apart, the gap between them is filled in, too"
    )
    needs = (common.poll_settings, common.poll_armature)

    def act(self, context: Any) -> None:
        found = strips.either(context.object)
        taken.put(context.object.inertia, found)
        if found.gap:
            context.object.inertia_fill.gap_frames = found.gap
        for note in found.notes:
            self.say(note)


class INERTIA_OT_remove_strips(Tool, bpy.types.Operator):
    bl_idname = "inertia.remove_strips"
    bl_label = "Remove Strips of Result"
    bl_description = (
        "Remove a result that plays as strips, with all that belongs to it. The clips and all other strips "
        "stay, and what was assigned before is assigned again"
    )
    needs = (
        common.poll_settings,
        common.need(lambda context: tracks.results(context.object), "No result plays as strips here"),
    )

    action: plain(StringProperty, "Action", "The result to remove; empty for the topmost")

    def act(self, context: Any) -> None:
        previewing.end(stay=True)
        played = tracks.results(context.object)
        action = actions.find(self.action) if self.action else played[0]
        if action not in played:
            raise InertiaError(
                '"{action}" does not play as strips here; choose a result that does.',
                action=action.name,
            )
        name = action.name
        tracks.remove(action)
        self.say('Removed the strips of "{action}"', action=name)
