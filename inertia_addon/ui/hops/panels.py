# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel on hops: clips that lie between the source and the destination."""

from __future__ import annotations

from typing import Any

from ...blender.data import scene
from ...blender.hops import bake as hop_bake
from ...errors import InertiaError
from ...settings.hops import STAY_SECONDS, UNITS
from ..shared import drawing, words
from ..shared.drawing import Complete, choice, split
from ..translations import translated
from . import found as found_hops
from .properties import way_of


class Hops(Complete):
    """By which clip the character gets best from the source to the destination."""

    bl_label = "Hops"

    def draw(self, context: Any) -> None:
        layout = split(self.layout)
        armature = context.object
        own = armature.inertia_hops
        draw_clips(layout, own)
        draw_search(layout, armature, own)
        layout.operator("inertia.find_hops", icon="VIEWZOOM")
        if len(own.ways):
            draw_ways(layout, context, armature, own)
        column = layout.column(align=True)
        column.operator("inertia.save_hops", text="Save Table", icon="EXPORT")
        if hop_bake.is_assigned_hop(armature) is not None:
            column.operator("inertia.rebake_hop", icon="FILE_REFRESH")


def draw_clips(layout: Any, own: Any) -> None:
    """Which clips may lie between."""
    layout.prop(own, "choose_clips", text="Chosen Clips")
    if own.choose_clips:
        row = layout.row()
        row.template_list("INERTIA_UL_hop_clips", "", own, "clips", own, "active_clip", rows=3, maxrows=8)
        side = row.column(align=True)
        for change, icon in (("ADD", "ADD"), ("REMOVE", "REMOVE"), ("ALL", "PRESET_NEW")):
            side.operator("inertia.hop_clips", text="", icon=icon).change = change
    column = layout.column(heading=translated("Cycles"))
    column.prop(own, "source_cyclic", text="Source")
    column.prop(own, "destination_cyclic", text="Destination")


def draw_search(layout: Any, armature: Any, own: Any) -> None:
    """How hops are compared, and how long the character may wait."""
    column = layout.column()
    column.prop(own, "distance")
    above = translated("{0}, as above", words.number(armature.inertia.blend_time))
    column.prop(own, "blends", placeholder=above)
    second = translated("{0} frames, a second", round(STAY_SECONDS * scene.fps()))
    choice(column, own, "longest_stay", second)
    choice(column, own, "weight", _weight_text(armature))
    column.prop(own, "hops")
    column.prop(own, "alongside")


def _weight_text(armature: Any) -> str:
    """The weight that was found, if it was."""
    try:
        found = found_hops.known(armature)
    except InertiaError:
        found = None
    if found is None:
        return "Automatic"
    return translated("Automatic: {0}", f"{found.prepared.objective.weight:.3g}")


def draw_ways(layout: Any, context: Any, armature: Any, own: Any) -> None:
    """The ranked hops, what the chosen one costs, and the button that bakes it."""
    layout.template_list("INERTIA_UL_ways", "", own, "ways", own, "active_way", rows=4, maxrows=10)
    if abs(own.trigger - armature.inertia.cut) > 1e-3:
        text = "These are hops for frame {trigger}; find those for the cut."
        drawing.sentence(layout, context, words.line(text, trigger=words.number(own.trigger)))
    if 0 <= own.active_way < len(own.ways):
        draw_way(layout, context, own)
    layout.prop(own, "fade")
    row = layout.row()
    row.scale_y = 1.5
    row.operator("inertia.bake_hop", icon="IPO_EASE_IN_OUT")


def draw_way(layout: Any, context: Any, own: Any) -> None:
    """What the chosen hop leads through, and what it costs."""
    unit = UNITS[own.distance]
    try:
        way = way_of(own.ways[own.active_way])
    except InertiaError as error:
        drawing.sentence(layout, context, words.Line(error.sentence, "ERROR", alert=True))
        return
    facts = [(translated("Stay in source"), words.count(way.stays[0], "frame"))]
    for clip, entry, leave, stay in zip(way.clips, way.entries, way.exits, way.stays[1:], strict=True):
        facts.append((translated("Through"), clip))
        values = words.number(entry), words.number(leave), stay
        facts.append((translated("Frames"), translated("{0} to {1}, a stay of {2}", *values)))
    names = ("First blend", "Second blend", "Third blend", "Fourth blend", "Fifth blend")
    costs = [*zip(names, way.parts, strict=False)]
    costs += [("Waiting", way.waiting), ("Cost", way.cost), ("Direct", own.direct)]
    facts += [(translated(name), f"{value:.3g} {unit}") for name, value in costs]
    drawing.facts(layout, context, facts)


PARTS = (Hops,)
