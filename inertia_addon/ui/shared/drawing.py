# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panels are and draw with: one look for facts, sentences, fields and lists."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import bpy

from .. import translations
from . import character, labels
from .labels import wrap_for

if TYPE_CHECKING:
    from .words import PanelLine

RATINGS = {"GOOD": "CHECKMARK", "FAIR": "INFO", "POOR": "ERROR"}
"""What stands before a verdict."""
DARK = 1.5
"""Letters whose red, green and blue are less than that together are dark."""
LABELS = 0.4
"""The part of a row that Blender's split layout gives to labels."""
SHORT_WORD = 0.5
"""How wide a word of a few letters is beside a field."""


class PanelPart:
    """What a panel shows, wherever it is shown.

    mode: in which mode of the tab it shows, "" for all. parent: the part below which it stands, None for
    none. order: where it stands beside others, whose rooms' order counts where that is equal. is_pipeline:
    whether it shows only if the preferences ask for pipeline tools.
    """

    bl_label: str
    bl_options: set[str] = {"DEFAULT_CLOSED"}
    layout: Any
    is_pipeline = False
    mode = ""
    parent: type[PanelPart] | None = None
    order = 50

    @classmethod
    def key(cls) -> str:
        """Return the panel's name in its idname and in the tab: ``cost`` for :class:`CostPanel`."""
        return cls.__name__.lower().removesuffix("panel")

    def draw(self, context: Any) -> None:
        raise NotImplementedError


class PairPanel(PanelPart):
    """A part of the panel that needs an armature with both actions."""

    @classmethod
    def poll(cls, context: Any) -> bool:
        return character.armature_of(context) is not None


class HolderPanel(PanelPart):
    """A part of the panel that needs an armature which can hold settings."""

    @classmethod
    def poll(cls, context: Any) -> bool:
        return character.holder_of(context) is not None


class Popover:
    """A panel that opens from a button of another one, in any editor; see :func:`draw_options`."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "HEADER"
    bl_ui_units_x = 14
    layout: Any


def draw_options(row: Any, popover: type[Popover]) -> None:
    """Draw the button that opens a popover of what is seldom changed."""
    row.popover(panel=popover.__name__, text="", icon="PREFERENCES")


class ListRows:
    """What the lists have in common: each says only what a row shows."""

    def draw_row(self, row: Any, data: Any, item: Any, index: int) -> None:
        """Draw an item of ``data`` into its row."""
        raise NotImplementedError

    def draw_more(self, row: Any, item: Any) -> None:
        """Draw what a list has at the end of rows that are like those of others."""

    def draw_item(
        self,
        _context: Any,
        layout: Any,
        data: Any,
        item: Any,
        _icon: int,
        _active_data: Any,
        _active_name: str,
        index: int = 0,
        _flag: int = 0,
    ) -> None:
        """Draw a row, as Blender calls it; Blender counts the parameters, so all are named."""
        self.draw_row(layout.row(align=True), data, item, index)


def split(layout: Any) -> Any:
    """Give a layout labels on the left and no keyframe dots, and return it."""
    layout.use_property_split = True
    layout.use_property_decorate = False
    return layout


def may_grey() -> bool:
    """Return whether a text may be greyed where it has no ground, as in a panel without a header: light
    themes have dark letters on the dark view there, of which greyed ones could not be read.
    """
    return sum(bpy.context.preferences.themes[0].view_3d.space.text[:3]) >= DARK


def sentence(layout: Any, context: Any, line: PanelLine, *, occupied: float = 0.0) -> None:
    """Draw a sentence, translated and wrapped to the region's width, in as many rows as it takes; the line's
    icon stands before the first, and alert makes it red.

    occupied: pixels, at a UI scale of 1, that something else takes beside it.
    """
    column = layout.column(align=True)
    column.alert = line.alert
    column.scale_y = 0.8
    for i, text in enumerate(wrap_for(context, translations.sentence(line.text), occupied=occupied)):
        column.label(text=text, icon="BLANK1" if i else line.icon, translate=False)


def facts(
    layout: Any, context: Any, pairs: Iterable[tuple[str, str]], figures: Mapping[str, str] | None = None
) -> None:
    """Draw pairs of label and value in rows, the label aligned right and greyed, lined up with the fields
    above and below.

    Both are shown untranslated: they may be names. Values are wrapped, so that long ones take several rows;
    long labels are cut in the middle. A pair with the value "" is left out. figures: of which figure of
    inertia.explain_figure a label is the name, which then has a tooltip.
    """
    column = layout.column(align=True)
    column.scale_y = 0.8
    for label, value in pairs:
        for i, text in enumerate(wrap_for(context, value, 1.0 - LABELS, icon=False)):
            row = column.split(factor=LABELS)
            left = row.row()
            left.alignment = "RIGHT"
            left.active = False
            shown = "" if i else labels.fitted_for(context, label, LABELS)
            if shown and label in (figures or {}):
                button = left.operator("inertia.explain_figure", text=shown, emboss=False, translate=False)
                button.figure = (figures or {})[label]
            else:
                left.label(text=shown, translate=False)
            row.label(text=text, translate=False)


@contextlib.contextmanager
def boxed(layout: Any) -> Iterator[Any]:
    """Draw a box, and yield the column in it; texts that are drawn in the block are wrapped to fit it."""
    with labels.in_box():
        yield layout.box().column()


def at_end(row: Any, text: str, *, active: bool = True) -> None:
    """Draw a text at the right end of a row, untranslated; greyed unless active."""
    right = row.row()
    right.alignment = "RIGHT"
    right.active = active
    right.label(text=text, translate=False)


def choice(
    layout: Any, group: Any, name: str, otherwise: str, heading: str = "", *, alert: bool = False
) -> None:
    """Draw a switch ``use_NAME`` of a property group and beside it, if it is on, the value NAME, else the
    greyed words `otherwise`.

    group: has both properties. heading: the label in front of the row, "" for the name of the property NAME.
    alert: whether the value is drawn red.
    """
    row = layout.row(heading=heading or group.bl_rna.properties[name].name)
    row.prop(group, f"use_{name}", text="")
    value = row.row()
    if getattr(group, f"use_{name}"):
        value.alert = alert
        value.prop(group, name, text="")
    else:
        value.active = False
        value.label(text=otherwise)


def add_note(row: Any) -> Any:
    """Add a place at the end of a row, greyed (see :func:`may_grey`) and as wide as the label in it, for what
    a field comes to; return it.
    """
    place = row.row(align=True)
    place.alignment, place.active = "RIGHT", not may_grey()
    return place


def under(layout: Any) -> tuple[Any, Any]:
    """Add a row below a field; return its part under the field's label, aligned right and empty, and its part
    under the field.
    """
    row = layout.split(factor=LABELS)
    left = row.row(align=True)
    left.alignment = "RIGHT"
    left.label(text="")
    return left, row.row()


def beside(layout: Any, text: str, *, alert: bool = False) -> Any:
    """Draw a greyed text under a field, lined up with it; return the row, for more at its end."""
    _, row = under(layout)
    label(row, text, alert=alert)
    return row


def label(layout: Any, text: str, *, alert: bool = False) -> None:
    """Draw a text in a row of its own, untranslated: greyed, see :func:`may_grey`, or with alert red."""
    row = layout.row()
    row.active = alert or not may_grey()
    row.alert = alert
    row.label(text=text, translate=False)
