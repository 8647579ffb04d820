# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension's tab: one mode's panels show at a time, in each workspace its own, and some are unfolded.

Blender doesn't say which, but it draws the headers of all panels that show, and what is in unfolded ones.
"""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import EnumProperty

from ..room import Registration
from ..translations import OWN_CONTEXT
from . import cache

TAB = "Inertia"
"""The tab in sidebars."""
JOIN, CLEAN, TRAVEL, MEASURE = "JOIN", "CLEAN", "TRAVEL", "MEASURE"
ITEMS = (
    (JOIN, "Join", "Two clips: a transition, hops through a third clip, strips, a list of transitions"),
    (CLEAN, "Clean", "One clip: make it a loop, smooth its pops and jumps, lock its feet"),
    (TRAVEL, "Travel", "Many clips: follow a path, teach a model, make clips in place travel"),
    (MEASURE, "Measure", "Root motion: speeds, turns, and the springs that they are like"),
)
PROPERTY = "inertia_mode"
"""Of a workspace: to change it is no step that undo takes back."""
ADDON = (__package__ or "").rpartition(".inertia_addon")[0] or "inertia_addon"
"""What Blender calls the extension."""


def shows(context: Any, mode: str) -> bool:
    """Tell whether the panels of a mode show in the context's workspace.

    True for "", which stands for all modes, without a workspace, and if the preferences show all modes at
    once.
    """
    workspace = getattr(context, "workspace", None)
    if not mode or workspace is None or getattr(workspace, PROPERTY) == mode:
        return True
    addon = context.preferences.addons.get(ADDON)
    return addon is not None and addon.preferences.all_modes


def show(context: Any, mode: str) -> None:
    """Have the panels of a mode show, where there is a window."""
    workspace = getattr(context, "workspace", None)
    if workspace is not None:
        setattr(workspace, PROPERTY, mode)


def is_tab_of(area: Any) -> bool:
    """Tell whether the sidebar of an editor is open and shows the tab."""
    regions = area.regions if area.type in ("VIEW_3D", "DOPESHEET_EDITOR") else ()
    return any(
        region.type == "UI" and region.width > 1 and region.active_panel_category == TAB for region in regions
    )


Place = tuple[str, str]
"""The type of an editor, and what a panel is called."""

_above: dict[Place, str] = {}
"""Of each panel that was unfolded when it was last drawn, below which other one it stands, "" for none."""
_settled: dict[Place, str] = {}
"""What of this the overlays were last drawn by."""


def header_drawn(space: str, panel: str) -> None:
    """Note that a panel's header is drawn; it is folded unless :func:`contents_drawn` follows."""
    _above.pop((space, panel), None)
    if not bpy.app.background:
        cache.call_later(_settle)


def contents_drawn(space: str, panel: str, above: str) -> None:
    """Note that a panel's contents are drawn. above: the panel that it is below, "" for none."""
    _above[space, panel] = above


def is_seen(panel: str) -> bool:
    """Tell whether a panel and those above it are unfolded in a sidebar that shows the tab."""
    spaces = {space for space, name in _above if name == panel and _is_open(space, name)}
    return bool(spaces) and any(
        area.type in spaces and is_tab_of(area)
        for window in bpy.context.window_manager.windows
        for area in window.screen.areas
    )


def _is_open(space: str, panel: str) -> bool:
    above = _above.get((space, panel))
    return above is not None and (not above or _is_open(space, above))


def _settle() -> None:
    """Redraw what shows Inertia if panels were folded or unfolded since the last call; a timer's function,
    which is not called again.
    """
    global _settled
    if _settled != _above:
        _settled = dict(_above)
        cache.redraw()


def _register() -> None:
    modes = EnumProperty(
        name="Mode", description="Which panels show", items=ITEMS, translation_context=OWN_CONTEXT
    )
    setattr(bpy.types.WorkSpace, PROPERTY, modes)


def _unregister() -> None:
    cache.call_no_more(_settle)
    _above.clear()
    _settled.clear()
    delattr(bpy.types.WorkSpace, PROPERTY)


PART = Registration(_register, _unregister)
