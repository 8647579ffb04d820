# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists that an animator edits, kept with the object: their rows, and what the operators about them do."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...records import record
from . import cache, tool
from .tool import Need, Tool

LEAST_ROWS, MOST_ROWS = 3, 10
"""How many rows of a list show at least and, where it has as many, at most."""


@record(frozen=True)
class Button:
    """A button beside or below a list.

    operator: its idname without "inertia.". text: what it says, in English; "" for its icon alone. values: of
    the operator's properties.
    """

    operator: str
    icon: str = "NONE"
    text: str = ""
    values: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def draw(self, layout: Any) -> None:
        button = layout.operator(f"inertia.{self.operator}", text=self.text, icon=self.icon)
        for name, value in self.values.items():
            setattr(button, name, value)


def draw_rows(
    layout: Any,
    group: Any,
    names: tuple[str, str, str],
    beside: Sequence[Button],
    below: Sequence[Button] = (),
    draw_active: Callable[[Any, Any], None] | None = None,
) -> None:
    """Draw a list that can be edited: its rows with buttons beside them, which have room for an icon, the
    fields of its active row, and buttons in words, two in a row.

    group: the property group that has the list. names: of the class of its rows, and of the properties of the
    list and of its active row's place. draw_active: takes a layout and the active row; None for no fields.
    """
    kind, rows, active = names
    row = layout.row()
    row.template_list(kind, "", group, rows, group, active, rows=LEAST_ROWS, maxrows=MOST_ROWS)
    side = row.column(align=True)
    for button in beside:
        button.draw(side)
    items, index = getattr(group, rows), getattr(group, active)
    if draw_active is not None and 0 <= index < len(items):
        draw_active(layout, items[index])
    column = layout.column(align=True)
    for i, button in enumerate(below):
        row = row if i % 2 else column.row(align=True)
        button.draw(row)


@record(frozen=True)
class RowList:
    """A list of an armature's.

    group: the property group of the object that has it. spare: has a row of a library override's linked file
    count no more; to remove it would bring it back when the file is opened again. empty, choose: why nothing
    can be done with it where it has no row, and with the chosen row where there is none. rows, active: the
    properties of the list, and of the chosen row's place.
    """

    group: str
    spare: Callable[[Any], None]
    empty: str
    choose: str
    rows: str = "items"
    active: str = "active_index"

    def of(self, armature: Any) -> Any:
        return getattr(getattr(armature, self.group), self.rows)

    def active_of(self, armature: Any) -> int:
        return int(getattr(getattr(armature, self.group), self.active))

    def activate(self, armature: Any, index: int) -> None:
        setattr(getattr(armature, self.group), self.active, index)

    def linked_count(self, armature: Any) -> int:
        """Return how many of a library override's rows, the first ones, come from its linked file."""
        linked = armature.override_library.reference if armature.override_library is not None else None
        return len(self.of(linked)) if linked is not None and linked.is_property_set(self.group) else 0

    def add(self, armature: Any, **values: Any) -> None:
        item = self.of(armature).add()
        for name, value in values.items():
            setattr(item, name, value)
        self.activate(armature, len(self.of(armature)) - 1)

    def remove(self, armature: Any, index: int) -> bool:
        """Remove a row and return True; a row that comes from a library override's linked file stays but
        counts no more, and False is returned.

        After a removal the chosen row is one that is there, its index 0 where no row is left. An index beyond
        the rows removes nothing, but True is returned all the same.
        """
        rows = self.of(armature)
        if index < self.linked_count(armature):
            self.spare(rows[index])
            return False
        rows.remove(index)
        self.activate(armature, max(0, min(self.active_of(armature), len(rows) - 1)))
        return True

    def clear(self, armature: Any) -> None:
        for index in reversed(range(len(self.of(armature)))):
            self.remove(armature, index)

    @property
    def needs_rows(self) -> tuple[Need, ...]:
        """There is a list that can be edited and is not empty."""
        return (tool.poll_settings, tool.need(lambda context: len(self.of(context.object)), self.empty))

    @property
    def needs_active(self) -> tuple[Need, ...]:
        """And a row of it is chosen."""
        return (
            *self.needs_rows,
            tool.need(lambda c: self.active_of(c.object) < len(self.of(c.object)), self.choose),
        )


class RemovesRow(Tool):
    """An operator that removes the chosen row of a list. spared: what is said of a linked one."""

    listed: RowList
    spared = ""

    def act(self, context: Any) -> None:
        if not self.listed.remove(context.object, self.listed.active_of(context.object)):
            self.say(self.spared)
        cache.redraw()


class ClearsRows(Tool):
    """An operator that removes all rows of a list."""

    listed: RowList

    def act(self, context: Any) -> None:
        self.listed.clear(context.object)
        cache.redraw()
