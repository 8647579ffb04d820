# SPDX-License-Identifier: GPL-3.0-or-later
"""The switch at the top of the tab: which panels each mode shows."""

from __future__ import annotations

import types
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.ui import keys, panels, rooms
from inertia_addon.ui.shared import tab
from tests.ui.recorder import Recorder, context, panel_named

TOPS = {
    mode: {
        part.key()
        for room in rooms.ROOMS
        for part in room.panels
        if part.parent is None and part.mode == mode and part.key() != "joined"
    }
    for mode in (tab.JOIN, tab.CLEAN, tab.TRAVEL, tab.MEASURE)
}
"""The panels below no other, by the mode that their rooms say."""


def in_mode(mode: str, *, all_modes: bool = False, pipeline_tools: bool = True) -> Any:
    """What a panel asks, in a workspace with a mode."""
    where = context()
    where.workspace = types.SimpleNamespace(inertia_mode=mode)
    own = types.SimpleNamespace(
        preferences=types.SimpleNamespace(all_modes=all_modes, pipeline_tools=pipeline_tools)
    )
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
def test_modes_show_their_own_below_the_switch(rig: Any, mode: str) -> None:
    shown = tops(in_mode(mode))
    assert TOPS[mode]
    # Join has the switch in its own panel, and names what plays below its button
    above = [] if mode == tab.JOIN else ["mode", "working"]
    assert shown[: len(above)] == above
    assert set(shown) == {*above, *TOPS[mode]}


@pytest.mark.parametrize("mode", TOPS)
def test_pipeline_tools_show_where_the_preferences_ask_for_them(rig: Any, mode: str) -> None:
    pipeline = {part.key() for room in rooms.ROOMS for part in room.panels if part.is_pipeline}
    assert pipeline == {"library", "learned", "ramps", "movementmodes", "rootexport"}
    assert pipeline & TOPS[mode] <= set(tops(in_mode(mode)))
    assert not pipeline & set(tops(in_mode(mode, pipeline_tools=False)))


def test_a_preference_shows_all_at_once(rig: Any) -> None:
    assert set(tops(in_mode(tab.JOIN, all_modes=True))) == set.union(*TOPS.values())
    assert "all_modes" in keys.InertiaPreferences.__annotations__


def test_a_workspace_remembers_its_mode(fresh_file: None) -> None:
    items = bpy.types.WorkSpace.bl_rna.properties[tab.PROPERTY].enum_items
    assert [item.identifier for item in items] == list(TOPS)


@pytest.mark.parametrize(("listed", "button"), [("JOINTS", "fill"), ("LIMBS", "find"), ("LEGS", "fill")])
def test_the_character_s_lists_are_in_a_popover(rig: Any, listed: str, button: str) -> None:
    where = context()
    where.workspace = types.SimpleNamespace(inertia_listed=listed, bl_rna=bpy.types.WorkSpace.bl_rna)
    recorder = Recorder()
    panel_named("character").draw(types.SimpleNamespace(layout=recorder), where)
    assert recorder.texts
    assert f"inertia.{button}_{listed.lower()}" in recorder.operators
