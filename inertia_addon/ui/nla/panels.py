# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel on strips: a transition from two of them, and those that are one."""

from __future__ import annotations

from typing import Any

from ...blender.data import scene
from ...blender.nla import strips, tracks
from ...errors import InertiaError
from ..shared import drawing, words
from ..shared.drawing import OfHolder, split
from ..transition import results
from ..transition.working import draw_result
from ..translations import translated


class Strips(OfHolder):
    """Makes a transition of two selected NLA strips."""

    bl_label = "Strips"
    order = 40

    def draw(self, context: Any) -> None:
        draw_selected(split(self.layout), context)


class OpenStrips(Strips):
    """Makes a transition of two selected strips, in the editor where no other panel shows the results."""

    bl_options: set[str] = set()

    def draw(self, context: Any) -> None:
        layout = split(self.layout)
        for result in tracks.results(context.object):
            if (kind := results.kind_of(result)) is not None:
                draw_result(layout, context, result, kind)
        draw_selected(layout, context)


def draw_selected(layout: Any, context: Any) -> None:
    """What the two selected strips would become, or the gap between them; or why they can't."""
    try:
        found = strips.either(context.object)
    except InertiaError as error:
        drawing.sentence(layout, context, words.Line(error.sentence, "INFO"))
        return
    ends = (("Source", found.source, found.cut), ("Destination", found.destination, found.entry))
    facts = [(translated(label), f"{used.name}, {words.frames_text(at, at)}") for label, used, at in ends]
    if found.gap:
        facts.append((translated("Gap"), words.duration_text(found.gap, scene.fps())))
    if found.shift:
        facts.append((translated("Plays Later"), words.number(found.shift)))
    for label, scale in zip(("Source Scale", "Destination Scale"), found.scales, strict=True):
        if scale != 1.0:
            facts.append((translated(label), words.number(scale)))
    drawing.facts(layout, context, facts)
    for note in found.notes:
        drawing.sentence(layout, context, words.Line(note, "INFO"))
    own = context.object
    layout.prop(own.inertia_fill if found.gap else own.inertia, "strips")
    row = layout.row(align=True)
    row.scale_y = 1.5
    if found.gap:
        bake = row.operator("inertia.bake_fill", text="Fill Gap between Strips", icon="SNAP_MIDPOINT")
    else:
        bake = row.operator("inertia.bake_transition", text="Bake from Strips", icon="IPO_EASE_IN_OUT")
    bake.from_strips, bake.replace = True, False
    row.operator("inertia.use_strips", text="", icon="EYEDROPPER")


PARTS = (Strips,)
