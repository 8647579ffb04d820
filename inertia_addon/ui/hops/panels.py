# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn of hops, the clips between the source and the destination, which are told in words."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import bpy

from ...blender.data import scene
from ...blender.hops import hop_gain
from ...errors import InertiaError
from ...settings.hops import STAY_SECONDS, UNITS
from ..shared import character, drawing, labels, words
from ..shared.drawing import choice, split
from ..shared.labels import wrap_for
from ..transition import pickers
from ..translations import translated
from . import finding
from .properties import grouped, way_of

if TYPE_CHECKING:
    from ...blender.hops.search import FoundHop

OFFERED = 4
"""So many clips, at most, are offered to be taken as cycles."""
NO_WAY = 1e30
"""A cost from here on stands for infinity, which Blender's properties don't hold."""


class VIEW3D_PT_inertia_hop_options(drawing.Popover, bpy.types.Panel):
    """Through which clips hops may lead, and what they cost, in a popover."""

    bl_label = "Hop Options"

    def draw(self, context: Any) -> None:
        context = character.read_meant(context)
        layout, armature = split(self.layout), context.object
        hops = armature.inertia_hops
        pickers.draw_clips(layout, hops, "hop", "Chosen Clips")
        column = layout.column()
        if not hops.choose_clips:
            column.prop(hops, "others_only")
        column.prop(hops, "distance")
        above = translated("{0}, as above", words.number(armature.inertia.blend_time))
        column.prop(hops, "blends", placeholder=above)
        second = translated("{0} frames, a second", round(scene.to_frames(STAY_SECONDS)))
        choice(column, hops, "longest_stay", second)
        choice(column, hops, "weight", _weight_text(armature))
        column.prop(hops, "alongside")
        column.prop(hops, "fade")
        column.operator("inertia.save_hops", text="Save Table", icon="EXPORT")


def draw_hops(layout: Any, context: Any) -> None:
    """Draw the search for short pieces of other clips through which the active armature's transition costs
    less: how many, with the popover of its options, the button inertia.find_hops, and
    buttons for clips that are too short for hops, see :func:`draw_too_short`.

    Below come the hops that were found, see :func:`draw_ways`. Without any comes a line that going straight
    across is the best, if the search found that for the present cut, else nothing.
    """
    layout = split(layout)
    armature = context.object
    hops = armature.inertia_hops
    row = layout.row(align=True)
    row.prop(hops, "hops")
    drawing.draw_options(row, VIEW3D_PT_inertia_hop_options)
    layout.operator("inertia.find_hops", icon="VIEWZOOM")
    draw_too_short(layout, context, armature)
    if len(hops.ways):
        draw_ways(layout, context, armature, hops)
    elif hops.straight and abs(hops.trigger - armature.inertia.cut) < 1e-3:
        drawing.sentence(layout, context, words.PanelLine(hop_gain.STRAIGHT, "CHECKMARK"))


def _weight_text(armature: Any) -> str:
    """Return "Automatic" for the weight of waiting, or "Automatic: 0.12", in Blender's language, with the
    weight that the search used, if a table is known for the present settings.

    The weight has two digits. The lone word is not translated. Nothing is raised for settings or clips that
    can't be used.
    """
    with contextlib.suppress(InertiaError):
        searched = finding.recall_table(armature)
        if searched is not None:
            return translated("Automatic: {0}", f"{searched.prepared.objective.weight:.2g}")
    return "Automatic"


def draw_too_short(layout: Any, context: Any, armature: Any) -> None:
    """Draw a question whether the actions that are too short for hops are cycles, and below it a button for
    each of the first OFFERED; nothing if there are none.

    A button, "Mark Run as a Cycle", runs inertia.take_as_cycle with the action's name as `action`. The
    actions are those of :func:`finding.too_short`, in its order.
    """
    short = finding.too_short(armature)
    if not short:
        return
    text = "Blends would run past the end of these actions. Are they cycles?"
    drawing.sentence(layout, context, words.PanelLine(text, "INFO"))
    column = layout.column(align=True)
    for name in short[:OFFERED]:
        take = column.operator(
            "inertia.take_as_cycle",
            text=translated("Mark {0} as a Cycle", labels.action(armature, name)),
            icon="FILE_REFRESH",
            translate=False,
        )
        take.action = name


def draw_ways(layout: Any, context: Any, armature: Any, hops: Any) -> None:
    """Draw the listed hops in words, to choose one, and what there is to do with it.

    hops: the armature's inertia_hops. In this order:

    - The hops, see :func:`draw_choice`, grouped by the clips that they lead through. Of each
      group only the first shows, the best, unless show_all is on.
    - The switch show_all, if any group has several.
    - If they are for another frame than the cut, a line that says so.
    - What the chosen one costs, to three digits in the distance's unit: each blend ("First
      blend" and so on), "Waiting", and the sum, "Cost"; nothing if active_way is none of the
      list.
    - The button inertia.bake_hop, with `replace` off.

    If any hop can't be read there is only a red sentence.
    """
    try:
        ways = [way_of(item) for item in hops.ways]
    except InertiaError as error:
        drawing.sentence(layout, context, words.PanelLine(error.sentence, "ERROR", alert=True))
        return
    groups = grouped(ways)
    column = layout.column()
    for group in groups:
        for index in group if hops.show_all else group[:1]:
            draw_choice(column, context, way_text(ways[index], armature, hops.direct), index, hops)
    if len(groups) < len(ways):
        layout.prop(hops, "show_all")
    if abs(hops.trigger - armature.inertia.cut) > 1e-3:
        text = "These are hops for frame {trigger}; find those for the cut."
        drawing.sentence(layout, context, words.line(text, trigger=words.number(hops.trigger)))
    if 0 <= hops.active_way < len(ways):
        way, unit = ways[hops.active_way], UNITS[hops.distance]
        parts = ("First blend", "Second blend", "Third blend", "Fourth blend", "Fifth blend")
        costs = [*zip(parts, way.parts, strict=False), ("Waiting", way.waiting), ("Cost", way.cost)]
        drawing.facts(layout, context, [(translated(name), f"{value:.3g} {unit}") for name, value in costs])
    row = layout.row(align=True)
    row.scale_y = 1.5
    row.operator("inertia.bake_hop", icon="IPO_EASE_IN_OUT").replace = False


def draw_choice(layout: Any, context: Any, text: str, index: int, hops: Any) -> None:
    """Draw a hop in words as buttons, one for each row that the text takes, all of which choose it.

    Each runs inertia.choose_hop with the index. The first has the icon of a radio button, on if the hop is
    the one of hops.active_way; the others have none. text: is not translated. index: of the hop in the list,
    from 0. hops: the armature's inertia_hops.
    """
    column = layout.column(align=True)
    column.scale_y = 0.9
    icon = "RADIOBUT_ON" if index == hops.active_way else "RADIOBUT_OFF"
    for i, line in enumerate(wrap_for(context, text)):
        row = column.row()
        row.alignment = "LEFT"
        choose = row.operator(
            "inertia.choose_hop", text=line, icon="BLANK1" if i else icon, emboss=False, translate=False
        )
        choose.index = index


def way_text(hop: FoundHop, armature: Any, direct: float) -> str:
    """Return a hop in words, in Blender's language: ``4 frames on in Run, then Walk from 20 to 32, then Idle;
    costs 0.16, straight across 0.27``.

    Without a wait it begins with "Out of Run at once". direct: what the transition without a hop costs; from
    NO_WAY on, the text says that no way leads straight across.
    """
    ends = armature.inertia.source, armature.inertia.destination
    source, destination = (labels.action(armature, end.name) for end in ends)
    if hop.stays[0] > 0:
        text = translated("{0} on in {1}", words.count(hop.stays[0], "frame"), source)
    else:
        text = translated("Out of {0} at once", source)
    for clip, entry, leave in zip(hop.clips, hop.entries, hop.exits, strict=True):
        name, first, last = labels.action(armature, clip), words.number(entry), words.number(leave)
        text = translated("{0}, then {1} from {2} to {3}", text, name, first, last)
    cost = f"{hop.cost:.2g}"
    if direct >= NO_WAY:
        return translated("{0}, then {1}; costs {2}, no way leads straight across", text, destination, cost)
    return translated(
        "{0}, then {1}; costs {2}, straight across {3}", text, destination, cost, f"{direct:.2g}"
    )


CLASSES = (VIEW3D_PT_inertia_hop_options,)
