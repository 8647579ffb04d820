# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel with the list of transitions, and what became of them."""

from __future__ import annotations

from typing import Any

from ..shared import drawing, words
from ..shared.drawing import OfHolder, split
from ..transition import pickers


class Library(OfHolder):
    """Lists many transitions of one armature, to be baked one after the other."""

    bl_label = "List of Transitions"

    def draw(self, context: Any) -> None:
        layout = self.layout
        library = context.object.inertia_library
        row = layout.row()
        row.template_list(
            "INERTIA_UL_library", "", library, "pairs", library, "active_pair", rows=4, maxrows=12
        )
        side = row.column(align=True)
        for change, icon in (("ADD", "ADD"), ("REMOVE", "REMOVE"), ("ALL", "PRESET_NEW"), ("CLEAR", "TRASH")):
            side.operator("inertia.library_pairs", text="", icon=icon).change = change
        if 0 <= library.active_pair < len(library.pairs):
            draw_pair(layout, context, library.pairs[library.active_pair])
        row = layout.row(align=True)
        row.scale_y = 1.5
        row.operator("inertia.bake_library", icon="IPO_EASE_IN_OUT")
        layout.operator("inertia.save_library", text="Save as Spec", icon="EXPORT")


def draw_pair(layout: Any, context: Any, pair: Any) -> None:
    column = split(layout.column())
    pickers.draw(column, pair, "source")
    pickers.draw(column, pair, "destination")
    column.prop(pair, "searched")
    if not pair.searched:
        column.prop(pair, "cut")
        column.prop(pair, "destination_frame")
    if pair.problem:
        drawing.sentence(layout, context, words.Line(pair.problem, "ERROR", alert=True))


PARTS = (Library,)
