# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel on steering: with which clips, how fast, and the button that begins it."""

from __future__ import annotations

from typing import Any

from ...errors import InertiaError
from ..learned import models
from ..learned.panels import draw_usability
from ..overlay.panels import OfPlots
from ..shared import drawing, tab, words
from ..transition import pickers
from . import properties

KEYS = (
    "W, A, S and D or the arrows steer, Shift runs, Ctrl goes slowly, Q and E turn it, Space stops it. "
    "Backspace goes back two seconds, Enter keeps the take, ESC keeps nothing."
)
MOVES = "Numbers play the moves of the list."


class Steer(drawing.Part):
    """Has a character go where keys or the mouse say, with the clips it has, or with a model."""

    bl_label = "Steer"
    is_top = True
    mode = tab.TRAVEL
    poll = OfPlots.poll

    def draw(self, context: Any) -> None:
        layout = drawing.split(self.layout)
        armature = context.object
        path, steer = armature.inertia_path, armature.inertia_steer
        layout.prop(steer, "use_model")
        if steer.use_model:
            layout.prop(armature.inertia_learned, "model")
            try:
                content = models.trained(armature)
                draw_usability(layout, context, content, models.seen_of(armature))
            except InertiaError as error:
                drawing.sentence(layout, context, words.Line(error.sentence))
            layout.prop(armature.inertia, "feet")
        else:
            pickers.draw_clips(layout, path, "path", "Chosen Actions")
            column = layout.column()
            column.prop(path, "mirror")
            column.prop(path, "faithful", slider=True)
            column.prop(armature.inertia, "feet")
            column.prop(path, "strips")
        column = layout.column()
        for name in properties.NAMES:
            if name != "use_model":
                column.prop(steer, name)
        drawing.sentence(layout, context, words.Line(KEYS))
        if not steer.use_model:
            drawing.sentence(layout, context, words.Line(MOVES))
        row = layout.row()
        row.scale_y = 1.5
        row.operator("inertia.steer", icon="VIEW_PAN")


PARTS = (Steer,)
