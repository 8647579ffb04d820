# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panels draw with: one look for facts, sentences and fields."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .. import translations
from ..shared.words import Line
from .wrap import wrap_for

LABELS = 0.4
"""The part of a row that Blender's split layout gives to labels."""


def split(layout: Any) -> Any:
    """The layout with labels on the left and without keyframe dots."""
    layout.use_property_split = True
    layout.use_property_decorate = False
    return layout


def sentence(layout: Any, context: Any, line: Line) -> None:
    """An English sentence, translated, over as many rows as it takes, its icon before the first."""
    column = layout.column(align=True)
    column.alert = line.alert
    column.scale_y = 0.8
    for i, text in enumerate(wrap_for(context, translations.sentence(line.text))):
        column.label(text=text, icon="BLANK1" if i else line.icon, translate=False)


def facts(layout: Any, context: Any, pairs: Iterable[tuple[str, str]]) -> None:
    """Labels with their values, lined up with the fields above and below; long values take several rows.

    Both are shown as they are: they may be names.
    """
    column = layout.column(align=True)
    column.scale_y = 0.8
    for label, value in pairs:
        for i, text in enumerate(wrap_for(context, value, 1.0 - LABELS, icon=False)):
            row = column.split(factor=LABELS)
            left = row.row()
            left.alignment = "RIGHT"
            left.active = False
            left.label(text="" if i else label, translate=False)
            row.label(text=text, translate=False)


def beside(layout: Any, text: str, alert: bool = False) -> Any:
    """A greyed text under a field, lined up with it; returns the row, for more at its end."""
    row = layout.split(factor=LABELS)
    row.label(text="")
    row = row.row()
    right = row.row()
    right.active = alert
    right.alert = alert
    right.label(text=text, translate=False)
    return row
