# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of what was found in the assigned action, of which an animator ticks what is to be mended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...blender.data import compat
from ...records import record
from ..translations import translated
from . import cache, drawing, labels, words
from .drawing import ListRows, Popover
from .words import PanelLine

Button = tuple[str, str]
"""An operator's idname without "inertia.", and its icon."""
MEND_SCALE = 1.5
"""How much higher the button is that mends."""


@record(frozen=True, kw_only=True)
class FoundList:
    """A list of findings that an armature keeps.

    group: the property group of the object that has it: the ``action`` that was looked at, its findings
    (``found``, each with ``chosen`` for its tick), and the place of the ``active`` one, -1 for none. rows:
    the name of the class that draws its rows. find, mend: the buttons. options: the popover of what decides
    what is found, and how it is mended. of_other, nothing: English sentences for where another action than
    the listed one ("action") is assigned, and where nothing was found.
    """

    group: str
    rows: str
    find: Button
    mend: Button
    options: type[Popover]
    of_other: str
    nothing: str

    def of_assigned(self, armature: Any) -> list[Any]:
        """Return the listed findings if they are of the assigned action, else []."""
        listed, action = getattr(armature, self.group), compat.assigned(armature)[0]
        return list(listed.found) if action is not None and listed.action == action else []

    def begin_anew(self, armature: Any, action: Any) -> Any:
        """Drop what was listed, and return the collection to which what is found in an action is added.

        None of it is active, which is set without the update, so that no frame is shown. Windows are
        redrawn.
        """
        listed = getattr(armature, self.group)
        listed.found.clear()
        listed.action = action
        listed["active"] = -1
        cache.redraw()
        return listed.found

    def draw_search(self, layout: Any) -> None:
        """Draw the button that finds, with the popover of options at its end."""
        row = layout.row(align=True)
        name, icon = self.find
        row.operator(f"inertia.{name}", icon=icon)
        drawing.draw_options(row, self.options)

    def draw(self, layout: Any, context: Any, draw_active: Callable[[Any, Any, Any], None]) -> None:
        """Draw the list, what draw_active draws of its active row, and the button that mends what is ticked;
        instead, why there is none; nothing before an action was looked at, and without an assigned one.

        draw_active: takes layout, context and the row.
        """
        listed = getattr(context.object, self.group)
        action = compat.assigned(context.object)[0]
        if listed.action is None or action is None:
            return
        if listed.action != action:
            name = labels.action(context.object, listed.action.name)
            drawing.sentence(layout, context, words.line(self.of_other, action=name))
            return
        if not len(listed.found):
            drawing.sentence(layout, context, PanelLine(self.nothing))
            return
        layout.template_list(self.rows, "", listed, "found", listed, "active", rows=4, maxrows=12)
        if 0 <= listed.active < len(listed.found):
            draw_active(layout, context, listed.found[listed.active])
        row = layout.row()
        row.scale_y = MEND_SCALE
        name, icon = self.mend
        row.operator(f"inertia.{name}", icon=icon)


class FoundRows(ListRows):
    """The rows of such a list: a tick, what it is, and its frames."""

    def describe(self, armature: Any, item: Any) -> Button:
        """Return what a row says of a finding, translated, and its icon."""
        raise NotImplementedError

    def draw_row(self, row: Any, data: Any, item: Any, _index: int) -> None:
        """Draw a finding in a row: its tick, unless nothing mends it, its text and icon, at the end its frame
        or frames, and what else the list draws.
        """
        row.use_property_split = False
        if getattr(item, "is_mended", True):
            row.prop(item, "chosen", text="")
        else:
            row.label(text="", icon="BLANK1")
        text, icon = self.describe(data.id_data, item)
        row.label(text=text, icon=icon, translate=False)
        first, last = words.number(item.first), words.number(item.last)
        drawing.at_end(row, first if item.first == item.last else translated("{0} to {1}", first, last))
        self.draw_more(row, item)
