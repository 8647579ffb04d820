# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel on steering: with which clips, how fast, and the button that begins it."""

from __future__ import annotations

from typing import Any

import bpy

from ...errors import InertiaError
from ...settings.matching import PathSettings
from ...settings.steering import Hand, SteerSettings
from ..learned import models
from ..learned.panels import draw_usability
from ..matching.panels import WEIGHED
from ..overlay.panels import PlotPanel
from ..shared import character, drawing, forms, tab, words
from ..transition import pickers
from . import properties

KEYS = (
    "W, A, S and D or the arrows steer, Shift runs, Ctrl goes slowly, Q and E turn it, Space stops it. "
    "Backspace goes back two seconds, Enter keeps the take, ESC keeps nothing."
)
MOVES = "Numbers play the moves of the list."


class SteerPanel(drawing.PanelPart):
    """Has a character go where keys or the mouse say, with the clips it has, or with a model."""

    bl_label = "Steer"
    mode = tab.TRAVEL
    poll = PlotPanel.poll

    def draw(self, context: Any) -> None:
        layout = drawing.split(self.layout)
        armature = context.object
        path, steer = armature.inertia_path, armature.inertia_steer
        layout.prop(steer, "use_model")
        if steer.use_model:
            layout.prop(armature.inertia_learned, "model")
            try:
                content = models.trained(armature)
                draw_usability(layout, context, content, models.recall_usability(armature))
            except InertiaError as error:
                drawing.sentence(layout, context, words.PanelLine(error.sentence))
            layout.prop(armature.inertia, "feet")
        else:
            pickers.draw_clips(layout, path, "path", "Chosen Actions")
            column = layout.column()
            forms.draw(column, path, PathSettings, ("mirror", "faithful"))
            column.prop(armature.inertia, "feet")
            column.prop(path, "strips")
        forms.draw(layout, steer, Hand, [name for name in properties.NAMES if name != "use_model"])
        drawing.sentence(layout, context, words.PanelLine(KEYS))
        if not steer.use_model:
            drawing.sentence(layout, context, words.PanelLine(MOVES))
        row = layout.row(align=True)
        row.scale_y = 1.5
        row.operator("inertia.steer", icon="VIEW_PAN")
        drawing.draw_options(row, VIEW3D_PT_inertia_steer_options)


class VIEW3D_PT_inertia_steer_options(drawing.Popover, bpy.types.Panel):
    """How what is wished is read, filtered and answered, and what poses are compared by, in a popover."""

    bl_label = "Steer Options"

    def draw(self, context: Any) -> None:
        context = character.read_meant(context)
        layout = drawing.split(self.layout)
        steer = context.object.inertia_steer
        forms.draw(layout, steer, SteerSettings)
        if not steer.use_model:
            forms.draw(layout, context.object.inertia_path, PathSettings, WEIGHED)


PARTS = (SteerPanel,)
CLASSES = (VIEW3D_PT_inertia_steer_options,)
