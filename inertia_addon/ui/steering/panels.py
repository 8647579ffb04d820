# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel on steering: with which clips, how fast, and the button that begins it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy

from ...errors import InertiaError
from ...settings.steering import STICK
from ..learned import models
from ..learned.panels import draw_usability
from ..matching.panels import draw_weights
from ..overlay.panels import PlotPanel
from ..shared import character, drawing, tab, words
from ..transition import pickers
from . import properties

KEYS = (
    "W, A, S and D or the arrows steer, Shift runs, Ctrl goes slowly, Q and E turn it, Space stops it. "
    "Backspace goes back two seconds, Enter keeps the take, ESC keeps nothing."
)
SPEEDS = ("walk", "run", "slow")
"""The speeds that keys wish, where these wish speeds."""
GAIT = ("gait_half_life", *("walk_forward", "walk_side", "walk_back", "run_forward", "run_side", "run_back"))
ADJUST = ("adjust_half_life", "adjust_part", "adjust_turn_half_life", "adjust_turn_part")
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
            column.prop(path, "mirror")
            column.prop(path, "faithful", slider=True)
            column.prop(armature.inertia, "feet")
            column.prop(path, "strips")
        column = layout.column()
        # a stick has the speeds of its gait
        unseen = {"use_model", *(SPEEDS if steer.wished_as == STICK else ())}
        for name in properties.NAMES:
            if name not in unseen:
                column.prop(steer, name)
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
        draw_wish(layout, steer)
        draw_answer(layout, steer)
        if not steer.use_model:
            draw_weights(layout.column(heading="Weights"), context.object.inertia_path)


def draw_wish(layout: Any, steer: Any) -> None:
    """Draw how wishes are read, from the properties of `steer`, the armature's inertia_steer.

    In one column: wished_as and, if that is STICK, those of GAIT, the gait's half-life and its six speeds. In
    a second: filter_half_life, then snap_speed and snap_angle, which are greyed while filter_half_life is 0
    but can still be edited.
    """
    column = layout.column()
    column.prop(steer, "wished_as")
    for name in GAIT if steer.wished_as == STICK else ():
        column.prop(steer, name)
    column = layout.column()
    column.prop(steer, "filter_half_life")
    _draw_all(column, steer, ("snap_speed", "snap_angle"), is_active=steer.filter_half_life > 0.0)


def draw_answer(layout: Any, steer: Any) -> None:
    """Draw how wishes are answered, from the properties of `steer`, the armature's inertia_steer.

    First come velocity_half_life and turning_half_life, each with the switch use_NAME in front, and the
    greyed words "As the Clips Do" while that is off. Then synchronise with synchronise_part. Last come adjust
    with the four of ADJUST; pull_half_life; and clamp with clamp_distance and clamp_angle.

    The part of a switch that is off is greyed. While synchronise is on, all from adjust on is greyed,
    pull_half_life included. What is greyed can still be edited.
    """
    column = layout.column()
    for name in ("velocity_half_life", "turning_half_life"):
        drawing.choice(column, steer, name, "As the Clips Do")
    column = layout.column()
    column.prop(steer, "synchronise")
    _draw_all(column, steer, ("synchronise_part",), is_active=steer.synchronise)
    drawn = layout.column()
    drawn.active = not steer.synchronise
    column = drawn.column()
    column.prop(steer, "adjust")
    _draw_all(column, steer, ADJUST, is_active=steer.adjust)
    column = drawn.column()
    column.prop(steer, "pull_half_life")
    column.prop(steer, "clamp")
    _draw_all(column, steer, ("clamp_distance", "clamp_angle"), is_active=steer.clamp)


def _draw_all(column: Any, steer: Any, names: Iterable[str], *, is_active: bool) -> None:
    """Draw some settings, one below the other, in a column of their own that is greyed unless is_active.
    names: of properties of `steer`.
    """
    part = column.column()
    part.active = is_active
    for name in names:
        part.prop(steer, name)


PARTS = (SteerPanel,)
CLASSES = (VIEW3D_PT_inertia_steer_options,)
