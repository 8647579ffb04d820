# SPDX-License-Identifier: GPL-3.0-or-later
"""Transitions from strips: the operators that take them and take results away, and their panel."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import StringProperty

from ...blender.data import actions
from ...blender.nla import strips, tracks
from ...errors import InertiaError
from ..shared import drawing, tool, words
from ..shared.drawing import HolderPanel, split
from ..shared.made_of import plain
from ..shared.tool import Tool
from ..transition import fields, previewing, results
from ..transition.rebaking import draw_result
from ..translations import translated


class INERTIA_OT_use_strips(Tool, bpy.types.Operator):
    bl_idname = "inertia.use_strips"
    bl_label = "Use Selected Strips"
    bl_description = (
        "Fill in source, destination, cut and destination frame from the two selected strips: the later one "
        "takes over where it begins. If there is a gap between them, that is filled in, too"
    )
    needs = (tool.poll_settings, tool.poll_armature)

    def act(self, context: Any) -> None:
        pair = strips.either(context.object)
        fields.put_meeting(context.object.inertia, pair)
        if pair.gap:
            context.object.inertia_fill.gap_frames = pair.gap
        for note in pair.notes:
            self.say(note)


class INERTIA_OT_remove_strips(Tool, bpy.types.Operator):
    bl_idname = "inertia.remove_strips"
    bl_label = "Remove Strips of Result"
    bl_description = (
        "Remove a result that plays as strips, with all that belongs to it. The clips and all other strips "
        "stay, and what was assigned before is assigned again"
    )
    needs = (
        tool.poll_settings,
        tool.need(lambda context: tracks.results(context.object), "No result plays as strips here"),
    )

    action: plain(StringProperty, "Action", "The result to remove; empty for the topmost")

    def act(self, context: Any) -> None:
        previewing.end(stay=True)
        played = tracks.results(context.object)
        action = actions.find(self.action) if self.action else played[0]
        if action not in played:
            raise InertiaError(
                '"{action}" does not play as strips here; choose a result that does.', action=action.name
            )
        name = action.name
        tracks.remove(action)
        self.say('Removed the strips of "{action}"', action=name)


class StripsPanel(HolderPanel):
    """Makes a transition of two selected strips, and names the results that play as such."""

    bl_label = "Strips"
    bl_options: set[str] = set()

    def draw(self, context: Any) -> None:
        layout = split(self.layout)
        for result in tracks.results(context.object):
            if (kind := results.kind_of(result)) is not None:
                draw_result(layout, context, result, kind)
        draw_selected(layout, context)


def draw_selected(layout: Any, context: Any) -> None:
    """Draw what the two selected strips, or the gap between them, would become.

    The context's active object must be the armature. Where they can't become anything, only a sentence says
    why. Else, in order:

    - "Source" and "Destination": the action with its own frame at which it is left or entered.
    - "Gap", its length in frames and seconds; "Plays Later", by how many frames all plays later;
      "Source Scale" and "Destination Scale". Each only where it is not 0, or 1 for scales.
    - Notes on what is not taken over.
    - The switch `strips`, of inertia_fill with a gap, else of armature.inertia.
    - The button inertia.bake_fill with a gap, else inertia.bake_transition, with from_strips True
      and replace False.
    - The button inertia.use_strips, which takes the strips' values into the panels.
    """
    try:
        pair = strips.either(context.object)
    except InertiaError as error:
        drawing.sentence(layout, context, words.PanelLine(error.sentence, "INFO"))
        return
    ends = (("Source", pair.source, pair.cut), ("Destination", pair.destination, pair.entry))
    facts = [(translated(label), f"{used.name}, {words.frames_text(at, at)}") for label, used, at in ends]
    if pair.gap:
        facts.append((translated("Gap"), words.duration_text(pair.gap)))
    if pair.shift:
        facts.append((translated("Plays Later"), words.number(pair.shift)))
    for label, scale in zip(("Source Scale", "Destination Scale"), pair.scales, strict=True):
        if scale != 1.0:
            facts.append((translated(label), words.number(scale)))
    drawing.facts(layout, context, facts)
    for note in pair.notes:
        drawing.sentence(layout, context, words.PanelLine(note, "INFO"))
    layout.prop(context.object.inertia_fill if pair.gap else context.object.inertia, "strips")
    row = layout.row(align=True)
    row.scale_y = 1.5
    if pair.gap:
        bake = row.operator("inertia.bake_fill", text="Fill Gap between Strips", icon="SNAP_MIDPOINT")
    else:
        bake = row.operator("inertia.bake_transition", text="Bake from Strips", icon="IPO_EASE_IN_OUT")
    bake.from_strips, bake.replace = True, False
    row.operator("inertia.use_strips", text="", icon="EYEDROPPER")
