# SPDX-License-Identifier: GPL-3.0-or-later
"""The switch at the top of the tab: which panels each mode shows."""

from __future__ import annotations

import types
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.ui import keys, panels, rooms
from inertia_addon.ui.shared import tab
from tests.ui.recorder import context, drawn

TOPS = {
    mode: {part.key() for room in rooms.ROOMS for part in room.panels if part.is_top and part.mode == mode}
    for mode in (tab.JOIN, tab.CLEAN, tab.TRAVEL, tab.MEASURE)
}
"""The panels below no other, by the mode that their rooms say."""


def in_mode(mode: str, *, all_modes: bool = False) -> Any:
    """What a panel asks, in a workspace with a mode."""
    where = context()
    where.workspace = types.SimpleNamespace(inertia_mode=mode)
    own = types.SimpleNamespace(preferences=types.SimpleNamespace(all_modes=all_modes))
    where.preferences = types.SimpleNamespace(addons={tab.ADDON: own})
    return where


def tops(where: Any) -> list[str]:
    """The panels below no other that show in the 3D View."""
    return [
        cls.bl_idname.removeprefix("VIEW3D_PT_inertia_")
        for cls in panels.CLASSES
        if cls.bl_idname.startswith("VIEW3D") and not hasattr(cls, "bl_parent_id") and cls.poll(where)
    ]


@pytest.mark.parametrize("mode", TOPS)
def test_modes_show_their_own_between_the_switch_and_the_character(rig: Any, mode: str) -> None:
    shown = tops(in_mode(mode))
    assert TOPS[mode]
    assert set(shown) == {"mode", "working", *TOPS[mode], "character"}
    assert (*shown[:2], shown[-1]) == ("mode", "working", "character")


def test_a_preference_shows_all_at_once(rig: Any) -> None:
    every = {"mode", "working", *set.union(*TOPS.values()), "character"}
    assert set(tops(in_mode(tab.JOIN, all_modes=True))) == every
    assert "all_modes" in keys.InertiaPreferences.__annotations__


def test_a_workspace_remembers_its_mode(fresh_file: None) -> None:
    items = bpy.types.WorkSpace.bl_rna.properties[tab.PROPERTY].enum_items
    assert [item.identifier for item in items] == list(TOPS)


def test_the_character_is_told_in_its_header(rig: Any) -> None:
    panel = next(cls for cls in panels.CLASSES if cls.bl_idname == "VIEW3D_PT_inertia_character")
    assert "DEFAULT_CLOSED" in panel.bl_options
    assert drawn(panel).texts
