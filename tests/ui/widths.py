# SPDX-License-Identifier: GPL-3.0-or-later
"""Lays panels out as Blender does, and says which of their texts are cut off.

Blender shares a row out by what each item would like: ten units for a text, one for an icon alone, three more
for a number; a text that is aligned has its own width. What wants no more than two units gets that; the rest
is shared in proportion, and so is what a row is short of. Texts are measured by Blender's own font.
"""

from __future__ import annotations

import dataclasses
import functools
import types
from collections.abc import Iterator
from typing import Any

import blf
import bpy

from inertia_addon.ui.shared import labels

UNIT = 20.0
"""The width and height of an icon's button, in pixels at a UI scale of 1, as all widths here."""
POINTS = 11.0
"""The size of the letters, likewise."""
TEXT, NUMBER, ENUM, SWITCH = 10.0, 13.0, 10.25, 10.2
"""What items with a text would like, in units."""
LEAST = 2.0
"""What wants no more gets it, likewise."""
PART = 0.4
"""The part of a row that its label gets."""
LIST, ROWS = 24.0, 6
"""What a list has at its sides, the slider of a long one included; and how many of its rows are looked at."""
BOX = 10.0
"""What a box has at its sides."""
SPACE = 8.0
"""What there is between columns that are not aligned."""
IN_LABEL, IN_BUTTON, IN_CHOICE, IN_SWITCH = 8.0, 5.0, 20.0, 30.0
"""What stays free beside the text of a label, of a button, of a choice with its arrow, and of a box to tick
with that."""


@dataclasses.dataclass
class Wanted:
    """A text and the room that it takes beside what else stands in its button."""

    text: str
    beside: float


@dataclasses.dataclass
class Cell:
    """A button or a label. wants: its width in units, or pixels if that is fixed. texts: all that it may
    show."""

    wants: float
    texts: list[Wanted]
    is_fixed: bool = False

    def natural(self, scale: float) -> float:
        del scale
        return self.wants

    def cut(self, width: float, scale: float) -> Iterator[tuple[str, float, float]]:
        """What is cut off at a width: each text, with the pixels that it needs, and has."""
        for each in self.texts:
            needed = measure(each.text, scale)
            if needed > width - each.beside * scale + 0.5:
                yield each.text, needed, width - each.beside * scale


def measure(text: str, scale: float) -> float:
    """The width of a text in pixels."""
    blf.size(labels.FONT, POINTS * scale)
    return float(blf.dimensions(labels.FONT, text)[0])


class Layout:
    """Takes a layout's calls, and knows how wide its items become.

    kind: "column", "row" or "split". look_up: translates what Blender translates itself, by its context.
    """

    def __init__(self, kind: str, owner: Layout | None = None, look_up: Any = None, **options: Any) -> None:
        self.kind, self.look_up = kind, look_up or (owner and owner.look_up)
        self.heading, self.margin = options.get("heading", ""), options.get("margin", 0.0)
        self.aligned, self.factor = options.get("align", False), options.get("factor", 0.0)
        self.items: list[Cell | Layout] = []
        self.behind: Layout | None = None
        self.use_property_split = owner.use_property_split if owner else False
        self.use_property_decorate = False
        self.alignment = "EXPAND"
        self.scale_x = self.scale_y = 1.0
        self.enabled = self.active = True
        self.alert = False
        self.scale = owner.scale if owner else 1.0
        self.popovers: list[str] = owner.popovers if owner else []
        self.seen: list[tuple[Any, str]] = owner.seen if owner else []

    # what has others in it

    def _below(self, kind: str, **options: Any) -> Layout:
        made = Layout(kind, self, **options)
        self._take(made)
        return made

    def _take(self, item: Cell | Layout) -> None:
        """Add an item; in a row that has a label it stands behind that."""
        (self.behind or self).items.append(item)

    def row(self, *, align: bool = False, heading: str = "") -> Layout:
        return self._below("row", align=align, heading=heading)

    def column(self, *, align: bool = False, heading: str = "") -> Layout:
        return self._below("column", align=align, heading=heading)

    def split(self, *, factor: float = 0.0, align: bool = False) -> Layout:
        return self._below("split", factor=factor, align=align)

    def box(self) -> Layout:
        return self._below("column", margin=BOX)

    def grid_flow(self, **_options: Any) -> Layout:
        return self._below("column")

    def panel(self, _name: str, *, default_closed: bool = False) -> tuple[Layout, Layout | None]:
        del default_closed
        return self._below("row"), self._below("column")

    def separator(self, **_options: Any) -> None:
        pass

    def context_pointer_set(self, _name: str, _data: Any) -> None:
        pass

    # what has a text

    def _add(self, text: str, icon: str, wants: float, beside: float) -> None:
        """Add a cell; beside: what stays free there, but for the icon."""
        is_label = beside == IN_LABEL
        has_icon = icon not in ("NONE", "")
        if has_icon:
            # a label with one has no more beside it
            beside += UNIT - (IN_LABEL if beside == IN_LABEL else 0.0)
        texts = [Wanted(text, beside)] if text else []
        if not text and has_icon:
            self._take(Cell(self.scale_x, []))
        elif self.alignment != "EXPAND":
            # it gets what it wants, if there is so much
            pad = (1.75 if has_icon else 0.25) if is_label else 1.5
            texts = [Wanted(each.text, min(each.beside, pad * UNIT)) for each in texts]
            width = (measure(text, self.scale) / UNIT / self.scale + pad) if text else 1.0
            self._take(Cell(width, texts, is_fixed=True))
        else:
            self._take(Cell(wants * self.scale_x, texts))

    def _field(self, text: str) -> Layout:
        """The part behind a label; what follows in the same row stands there, too."""
        row = self._below("split", factor=PART)
        row._below("column").items.append(Cell(TEXT, [Wanted(text, 2.0)]))
        self.behind = row._below("row", align=True) if self.kind == "row" else None
        return self.behind or row._below("row", align=True)

    def label(self, text: str = "", icon: str = "NONE", *, translate: bool = True) -> None:
        if text and translate:
            text = self.look_up(text)
        self._add(text, icon, TEXT, IN_LABEL)

    def progress(self, text: str = "", **_options: Any) -> None:
        self._add(text, "NONE", TEXT, IN_BUTTON)

    def operator(
        self,
        name: str,
        text: str | None = None,
        icon: str = "NONE",
        *,
        translate: bool = True,
        **_options: Any,
    ) -> Any:
        module, _, function = name.partition(".")
        rna = getattr(getattr(bpy.ops, module), function).get_rna_type()
        if text is None:
            text = self.look_up(rna.name)
        elif text and translate:
            text = self.look_up(text)
        self._add(text, icon, TEXT, IN_BUTTON)
        return types.SimpleNamespace()

    def menu(self, name: str, text: str | None = None, icon: str = "NONE") -> None:
        said = getattr(bpy.types, name).bl_label if text is None else text
        # an icon alone has no arrow
        self._add(said and self.look_up(said), icon, TEXT, IN_CHOICE)

    def popover(self, panel: str, text: str | None = None, icon: str = "NONE") -> None:
        self.popovers.append(panel)
        said = getattr(bpy.types, panel).bl_label if text is None else text
        self._add(said and self.look_up(said), icon, TEXT, IN_CHOICE)

    def template_list(
        self, kind: str, _id: str, data: Any, name: str, _active_data: Any, _active: str, **_rows: Any
    ) -> None:
        """Draw the first rows of a list, which has its own frame around it."""
        rows = self._below("column", margin=LIST)
        rows._take(Cell(TEXT, []))
        cls = getattr(bpy.types, kind)
        own = types.SimpleNamespace()
        for method in ("describe", "draw_more"):
            if hasattr(cls, method):
                setattr(own, method, functools.partial(getattr(cls, method), own))
        for i, item in enumerate(list(getattr(data, name))[:ROWS]):
            cls.draw_row(own, rows.row(align=True), data, item, i)

    def prop(
        self,
        data: Any,
        name: str,
        text: str | None = None,
        icon: str = "NONE",
        *,
        expand: bool = False,
        toggle: bool = False,
        placeholder: str = "",
        **_options: Any,
    ) -> None:
        del placeholder
        self.seen.append((data, name))
        prop = data.bl_rna.properties[name]
        said = self.look_up(prop.name if text is None else text) if text != "" else ""
        is_switch = prop.type == "BOOLEAN" and not toggle and icon == "NONE"
        where = self
        heading, self.heading = self.heading and self.look_up(self.heading), ""
        if self.use_property_split and heading:
            where = self._field(heading)
        elif self.use_property_split and said and not (prop.type == "BOOLEAN" and not is_switch):
            # a switch has its name behind it, below the fields
            where = self._field("" if is_switch else said)
        if prop.type == "ENUM" and expand:
            row = where._below(self.kind if self.kind == "row" else "row", align=True)
            for item in prop.enum_items:
                row._add(self.look_up(item.name), "NONE", TEXT, IN_BUTTON)
        elif prop.type == "ENUM":
            chosen = prop.enum_items.get(getattr(data, name))
            beside = IN_CHOICE
            if chosen is not None and icon == "NONE" and chosen.icon != "NONE":
                beside += UNIT
            where._add(self.look_up(chosen.name) if chosen is not None else "", icon, ENUM, beside)
        elif prop.type == "BOOLEAN":
            if not said and icon == "NONE":
                where._take(Cell(1.2 * self.scale_x, []))
            else:
                where._add(said, icon, SWITCH, IN_SWITCH if is_switch else IN_BUTTON)
        elif prop.type in ("INT", "FLOAT"):
            # its name stands before the number
            shown = f"{said} 00.00" if said and where is self else ""
            where._take(Cell(NUMBER * self.scale_x, [Wanted(shown, IN_BUTTON)] if shown else []))
        else:
            where._take(Cell(TEXT * self.scale_x, []))

    def prop_enum(
        self, data: Any, name: str, value: str, icon: str = "NONE", text: str | None = None
    ) -> None:
        said = data.bl_rna.properties[name].enum_items[value].name if text is None else text
        self._add(self.look_up(said), icon, TEXT, IN_BUTTON)

    def prop_menu_enum(self, data: Any, name: str, text: str | None = None, icon: str = "NONE") -> None:
        said = data.bl_rna.properties[name].name if text is None else text
        self._add(self.look_up(said), icon, TEXT, IN_CHOICE)

    def prop_search(
        self, data: Any, name: str, *_where: Any, text: str | None = None, **options: Any
    ) -> None:
        self.prop(data, name, text, options.get("icon", "NONE"))

    # how wide it becomes

    @property
    def is_fixed(self) -> bool:
        return bool(self.items) and all(item.is_fixed for item in self.items)

    def natural(self, scale: float) -> float:
        """What it would like, in units."""
        widths = [item.natural(scale) for item in self.items]
        # what is in it was scaled already, and is so once more
        return self.scale_x * (max(widths, default=0.0) if self.kind == "column" else sum(widths))

    def cut(self, width: float, scale: float) -> Iterator[tuple[str, float, float]]:
        """What is cut off at a width in pixels: each text, with the pixels that it needs, and has."""
        shares = self.shares(width - self.margin * scale, scale)
        for item, own in zip(self.items, shares, strict=True):
            yield from item.cut(own, scale)

    def shares(self, width: float, scale: float) -> list[float]:
        """How wide each item becomes, in pixels."""
        unit, count = UNIT * scale, len(self.items)
        if self.kind == "column":
            return [width] * count
        space = 0.0 if self.aligned else SPACE * scale
        free = width - space * max(count - 1, 0)
        if self.kind == "split":
            first = self.factor or 1.0 / max(count, 1)
            others = (free * (1.0 - first)) / max(count - 1, 1)
            return [free * first, *([others] * (count - 1))][:count]
        wants = [item.natural(scale) * unit for item in self.items]
        fixed: dict[int, float] = {}
        while True:
            left, total = free - sum(fixed.values()), sum(w for i, w in enumerate(wants) if i not in fixed)
            found = {}
            for i, (item, want) in enumerate(zip(self.items, wants, strict=True)):
                if i in fixed:
                    continue
                least = want if item.is_fixed else min(LEAST * unit, want)
                share = left * want / total if total > 0.0 and left > 0.0 else 0.0
                if self.alignment != "EXPAND":
                    share = min(share, want)
                if share < least or want == least:
                    found[i] = least
            if not found:
                return [fixed.get(i, left * w / total if total else 0.0) for i, w in enumerate(wants)]
            fixed |= found
