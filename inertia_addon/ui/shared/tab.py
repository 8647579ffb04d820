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
    (CLEAN, "Clean", "One clip: make it a loop, smooth its pops and jumps, lock its feet, leave fewer keys"),
    (TRAVEL, "Travel", "Many clips: follow a path, teach a model, make clips in place travel"),
    (MEASURE, "Measure", "Root motion: speeds, turns, and the springs that fit them"),
)
PROPERTY = "inertia_mode"
"""Of a workspace: to change it is no step that undo takes back."""
THROUGH = "inertia_through"
"""Of a workspace: what *Go Through Other Clips* shows."""
GAP, CLIP = "GAP", "CLIP"
THROUGH_ITEMS = (
    (GAP, "Fill a Gap", "Fill the time between two clips, so that the second one begins on its frame"),
    (CLIP, "Hop", "Leave the source through a piece of a third clip, where that costs less"),
)
LISTED = "inertia_listed"
"""Of a workspace: which of the character's lists shows."""
JOINTS, LIMBS, LEGS = "JOINTS", "LIMBS", "LEGS"
LISTED_ITEMS = (
    (JOINTS, "Joints", "Which joints count in the cost, and how much"),
    (LIMBS, "Limbs", "The limbs that switch between FK and IK"),
    (LEGS, "Legs", "The legs whose feet are locked"),
)
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


def is_in(context: Any, mode: str) -> bool:
    """Tell whether a mode is chosen in the context's workspace; False without a workspace."""
    workspace = getattr(context, "workspace", None)
    return workspace is not None and getattr(workspace, PROPERTY) == mode


def has_pipeline_tools(context: Any) -> bool:
    """Tell whether the preferences ask for the panels of pipeline tools; they don't at first."""
    addon = context.preferences.addons.get(ADDON)
    return addon is not None and addon.preferences.pipeline_tools


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


CHOICES = {
    PROPERTY: ("Mode", "Which panels show", ITEMS),
    THROUGH: ("Through", "What leads from one clip to the other", THROUGH_ITEMS),
    LISTED: ("List", "Which of the character's lists shows", LISTED_ITEMS),
}
"""What each workspace remembers: name, tip and items of each property."""


def chosen(context: Any, name: str) -> str:
    """Return what the context's workspace has chosen of one of CHOICES; the first one without a workspace."""
    return str(getattr(getattr(context, "workspace", None), name, CHOICES[name][2][0][0]))


def _register() -> None:
    for name, (label, tip, items) in CHOICES.items():
        choice = EnumProperty(
            name=label,
            description=tip,
            items=items,
            translation_context=OWN_CONTEXT,
            # overlays belong to a mode
            update=lambda _workspace, _context: cache.redraw(),
        )
        setattr(bpy.types.WorkSpace, name, choice)


def _unregister() -> None:
    cache.call_no_more(_settle)
    _above.clear()
    _settled.clear()
    for name in CHOICES:
        delattr(bpy.types.WorkSpace, name)


PART = Registration(_register, _unregister)
