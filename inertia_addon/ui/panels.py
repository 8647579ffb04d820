# SPDX-License-Identifier: GPL-3.0-or-later
"""The Inertia tab in the sidebars of editors: every room's panels, in their order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy

from . import rooms
from .fill.panels import KeysPanel
from .nla.strips import StripsPanel
from .shared import cache, character, tab
from .translations import OWN_CONTEXT

if TYPE_CHECKING:
    from .shared.drawing import PanelPart

PARTS = tuple(
    sorted(
        (part for room in rooms.ROOMS for part in room.panels),
        key=lambda part: (part.parent is not None, part.order),
    )
)
"""In the order of the work: pick, meet, judge, bake; then what is looked at now and then."""
SPACES = {"VIEW3D": "VIEW_3D", "DOPESHEET": "DOPESHEET_EDITOR", "NLA": "NLA_EDITOR"}
OF_TIME = (
    *("mode", "working", "transition", "joined", "loop", "finish", "pops", "feet", "contactoptions"),
    "fewerkeys",
)
"""The panels that belong beside keys: where clips meet, what a clip's own frames are like."""
SHOWN: dict[str, tuple[type[PanelPart], ...]] = {
    "VIEW3D": PARTS,
    "DOPESHEET": (*(part for part in PARTS if part.key() in OF_TIME), KeysPanel),
    "NLA": (StripsPanel,),
}
"""The panels of each editor."""
DOPE_SHEET_MODES = {"DOPESHEET", "ACTION"}
"""In its others, for masks, grease pencil and caches, the Dope Sheet shows none."""


def _name(panel: type[PanelPart], prefix: str) -> str:
    return f"{prefix}_PT_inertia_{panel.key()}"


def _give_meant(layout: Any, context: Any) -> Any:
    """Return the context of the armature that the active object means, and have a layout's buttons work on
    that, too; the context itself where the active object means none but itself.
    """
    given = character.read_meant(context)
    if given is not context:
        layout.context_pointer_set("object", given.object)
    return given


def _panel(panel: type[PanelPart], prefix: str) -> type:
    """Return a new panel class that shows a part in one editor's sidebar; it is not registered here.

    prefix: of SPACES. The class derives from the part and from bpy.types.Panel; its name and bl_idname are
    PREFIX_PT_inertia_KEY, with the part's `key()`. It stands below its part's parent, if there is one.

    It shows in its part's mode, where its part's poll, if it has one, says so, a pipeline tool only if the
    preferences ask for these, and, in a Dope Sheet, in the editor's modes for actions. It notes for
    :mod:`tab` whether it is drawn and unfolded, and draws within :func:`cache.one_redraw`.
    """
    space = SPACES[prefix]
    above = "" if panel.parent is None else panel.parent.key()

    def poll(_cls: type, context: Any) -> bool:
        context = character.read_meant(context)
        shows = (
            tab.shows(context, panel.mode)
            and (not panel.is_pipeline or tab.has_pipeline_tools(context))
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
            panel.draw(self, _give_meant(self.layout, context))

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
    if hasattr(panel, "draw_header_preset"):
        members["draw_header_preset"] = lambda self, context: panel.draw_header_preset(
            self, _give_meant(self.layout, context)
        )
    if panel.parent is not None:
        members["bl_parent_id"] = _name(panel.parent, prefix)
    return type(members["bl_idname"], (panel, bpy.types.Panel), members)


CLASSES = tuple(_panel(part, prefix) for prefix, parts in SHOWN.items() for part in parts)
