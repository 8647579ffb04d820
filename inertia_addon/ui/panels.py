# SPDX-License-Identifier: GPL-3.0-or-later
"""The Inertia tab in the sidebars of editors: every room's panels, in their order."""

from __future__ import annotations

from typing import Any

import bpy

from . import rooms
from .nla.strips import OpenStripsPanel
from .shared import cache, tab
from .shared.drawing import PanelPart
from .transition.panels import TransitionPanel
from .translations import OWN_CONTEXT

PARTS = tuple(
    sorted(
        (part for room in rooms.ROOMS for part in room.panels), key=lambda part: (not part.is_top, part.order)
    )
)
"""In the order of the work: pick, meet, judge, bake; then what is looked at now and then."""
SPACES = {"VIEW3D": "VIEW_3D", "DOPESHEET": "DOPESHEET_EDITOR", "NLA": "NLA_EDITOR"}
SHOWN: dict[str, tuple[type[PanelPart], ...]] = {
    "VIEW3D": PARTS,
    "DOPESHEET": PARTS,
    "NLA": (OpenStripsPanel,),
}
"""The panels of each editor."""
DOPE_SHEET_MODES = {"DOPESHEET", "ACTION"}
"""In its others, for masks, grease pencil and caches, the Dope Sheet shows none."""


def _name(panel: type[PanelPart], prefix: str) -> str:
    return f"{prefix}_PT_inertia_{panel.key()}"


def _panel(panel: type[PanelPart], prefix: str) -> type:
    """Return a new panel class that shows a part in one editor's sidebar; it is not registered here.

    prefix: of SPACES. The class derives from the part and from bpy.types.Panel; its name and bl_idname are
    PREFIX_PT_inertia_KEY, with the part's `key()`. It stands below its part's parent, or below the
    transition's panel if the part names none and is no top one; in an editor that has only one panel it has
    no parent.

    It shows in its part's mode, where its part's poll, if it has one, says so and, in a Dope Sheet, in the
    editor's modes for actions. It notes for :mod:`tab` whether it is drawn and unfolded, and draws within
    :func:`cache.one_redraw`.
    """
    space = SPACES[prefix]
    above = "" if panel.is_top else (panel.parent or TransitionPanel).key()

    def poll(_cls: type, context: Any) -> bool:
        shows = (
            tab.shows(context, panel.mode)
            and (prefix != "DOPESHEET" or context.space_data.mode in DOPE_SHEET_MODES)
            and (not hasattr(panel, "poll") or panel.poll(context))
        )
        if not shows:
            tab.header_drawn(space, panel.key())
        return shows

    def draw_header(_self: Any, _context: Any) -> None:
        tab.header_drawn(space, panel.key())

    def draw(self: Any, context: Any) -> None:
        tab.contents_drawn(space, panel.key(), above)
        with cache.one_redraw():
            panel.draw(self, context)

    members: dict[str, Any] = {
        "__doc__": panel.__doc__,
        "__module__": __name__,
        "bl_space_type": space,
        "bl_region_type": "UI",
        "bl_category": tab.TAB,
        "bl_translation_context": OWN_CONTEXT,
        "bl_idname": _name(panel, prefix),
        "poll": classmethod(poll),
        "draw_header": draw_header,
        "draw": draw,
    }
    if above and len(SHOWN[prefix]) > 1:
        members["bl_parent_id"] = _name(panel.parent or TransitionPanel, prefix)
    return type(members["bl_idname"], (panel, bpy.types.Panel), members)


CLASSES = tuple(_panel(part, prefix) for prefix, parts in SHOWN.items() for part in parts)
