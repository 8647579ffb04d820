# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel on what the armature plays: what it is, what is seen of it, the one way to make it anew, and what
comes next. It is always as high, so that nothing below it jumps."""

from __future__ import annotations

from typing import Any

from ...blender.data import compat, recipe
from ...blender.nla import tracks
from ...errors import Sentence
from .. import translations
from ..shared import drawing
from ..shared.drawing import OfHolder
from ..translations import translated
from . import preview, results
from .results import Kind, Step

GONE = "One of its actions is gone, so it can't be updated."
CHANGED = "Its actions have changed since it was baked."
PATH_CHANGED = "The path has changed since it was baked."
WORD = 0.32
"""So much of a row has the word on a result beside several steps."""
SETTINGS = "The settings have changed since it was baked."


class Working(OfHolder):
    """Names the action that plays, and what to do with it next."""

    bl_label = "Action"
    bl_options = {"HIDE_HEADER"}
    is_top = True
    order = -5

    def draw(self, context: Any) -> None:
        armature = context.object
        # a file may hold kinds that only a later version knows
        known = [(action, results.kind_of(action)) for action in tracks.playing(armature)]
        playing = [(action, kind) for action, kind in known if kind is not None]
        for action, kind in playing:
            draw_result(self.layout, context, action, kind)
        if not playing:
            draw_other(self.layout, armature, compat.assigned(armature)[0])


def draw_other(layout: Any, armature: Any, action: Any | None) -> None:
    """An action that is no result, in as many rows."""
    column = layout.column()
    row = column.row(align=True)
    if action is None:
        row.label(text="No action is assigned", icon="ACTION")
    else:
        row.label(text=action.name, icon="ACTION", translate=False)
    draw_play(row)
    row = column.row()
    known = results.Unbaked("", ()) if action is None else results.unbaked(armature, action)
    drawing.label(row, known.text and translated(known.text))
    draw_steps(row.row(align=True), known.steps)


def draw_result(layout: Any, context: Any, action: Any, kind: Kind) -> None:
    """A result in two rows: what it is, and what has changed since it was baked, or else what is seen of it
    and what comes next."""
    armature = context.object
    as_strips = action in tracks.results(armature)
    operator, changed = how_anew(armature, action, kind)
    column = layout.column()
    row = column.row(align=True)
    row.label(text=action.name, icon="NLA" if as_strips else "ACTION", translate=False)
    again = row.row(align=True)
    again.enabled = bool(operator)
    if operator in ("", "inertia.rebake"):
        again.operator("inertia.rebake", text="Update", icon="FILE_REFRESH").action = action.name
    else:
        again.operator(operator, text="Update", icon="FILE_REFRESH").replace = True
    if kind.load is not None and not recipe.is_smoothed(action):
        row.operator("inertia.load_recipe", text="", icon="COPYDOWN").action = action.name
    if as_strips:
        row.operator("inertia.remove_strips", text="", icon="X").action = action.name
    draw_play(row)
    row = column.row()
    if changed:
        row.alert = changed == GONE
        row.label(text=translations.sentence(changed), icon="ERROR", translate=False)
        return
    steps = kind.steps(armature, action)
    row = row.split(factor=WORD if len(steps) > 1 else 0.5, align=False)
    draw_word(row, armature, action, kind)
    draw_steps(row.row(align=True), steps)


def draw_play(row: Any) -> None:
    """The button that plays, always at the end of the first row."""
    row.operator("screen.animation_play", text="", icon="PLAY")


def how_anew(armature: Any, action: Any, kind: Kind) -> tuple[str, Sentence | str]:
    """The operator that makes a result anew, "" where it is as it would be; and what has changed since it was
    baked."""
    if None in recipe.ingredients(action):
        return "", GONE
    if operator := kind.anew(armature, action):
        return f"inertia.{operator}", SETTINGS
    if preview.sources_changed(armature, action):
        return "inertia.rebake", CHANGED
    if preview.path_changed(armature, action):
        return "inertia.rebake", PATH_CHANGED
    if changed := kind.changed(armature, action):
        return "inertia.rebake", changed
    return "", ""


def draw_word(row: Any, armature: Any, action: Any, kind: Kind) -> None:
    """What is seen of a result, in one word; or else of what kind it is."""
    told = kind.verdict(armature, action)
    text, icon = translated("Smoothed" if recipe.is_smoothed(action) else kind.label), "BLANK1"
    if told is not None:
        text, icon = translated(told.rating.capitalize()), drawing.RATINGS[told.rating]
    row.label(text=text, icon=icon, translate=False)


def draw_steps(row: Any, steps: tuple[Step, ...]) -> None:
    """What usually comes next."""
    for step in steps:
        # several have no room for more than their words
        icon = step.icon if len(steps) == 1 else "NONE"
        button = row.operator(step.operator, text=translated(step.text), icon=icon, translate=False)
        for name, value in step.values.items():
            setattr(button, name, value)


PARTS = (Working,)
