# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tab is for at the moment: of its panels one mode's show at a time, in each workspace its own."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import EnumProperty

from ..translations import OWN_CONTEXT
from .parts import Part

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
    """Whether the panels of a mode show: those of all modes ("") always, as all do without a workspace."""
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
    """Whether the sidebar of an editor is open and shows the tab."""
    regions = area.regions if area.type in ("VIEW_3D", "DOPESHEET_EDITOR") else ()
    return any(
        region.type == "UI" and region.width > 1 and region.active_panel_category == TAB for region in regions
    )


def _register() -> None:
    made = EnumProperty(
        name="Mode", description="Which panels show", items=ITEMS, translation_context=OWN_CONTEXT
    )
    setattr(bpy.types.WorkSpace, PROPERTY, made)


SWITCH = Part(_register, lambda: delattr(bpy.types.WorkSpace, PROPERTY))
