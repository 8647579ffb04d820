# SPDX-License-Identifier: GPL-3.0-or-later
"""Several characters are baked at once: who can be, with the active one's settings or each its own."""

from __future__ import annotations

import json
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat, recipe
from tests.ui.pressed import ESC, press
from tests.ui.recorder import drawn, panel_named
from tests.ui.rigs import make_rig, take_snapshot

BAKE = panel_named("transition")


@pytest.fixture
def three(rig: Any) -> list[Any]:
    """The rig, which is active, another of the same bones, and one whose bones the actions don't know."""
    others = [make_rig("Twin"), make_rig("Stranger", bones=("root", "tip", "end"))]
    for each in (*others, rig):
        each.select_set(True)
    bpy.context.view_layer.objects.active = rig
    return [rig, *others]


def settings_of(armature: Any) -> dict[str, Any]:
    action = compat.assigned(armature)[0]
    return dict(json.loads(action[recipe.RECIPE])["settings"])


def test_armatures_are_baked_together_with_the_active_ones_settings(
    three: list[Any], capfd: pytest.CaptureFixture[str]
) -> None:
    rig, twin, stranger = three
    assert "Bake 3 Armatures" in drawn(BAKE).pressed
    rig.inertia.method = "CUBIC"
    rig.inertia.cut = 22.0
    assert bpy.ops.inertia.bake_selected() == {"FINISHED"}
    assert compat.assigned(rig)[0].name == "Walk to Run"
    assert compat.assigned(twin)[0].name == "Walk to Run, Twin"
    for armature in (rig, twin):
        assert (settings_of(armature)["method"], settings_of(armature)["cut"]) == ("CUBIC", 22.0)
    # who can't be is named, and left as it was
    assert compat.assigned(stranger)[0] is None
    assert '"Stranger" was not changed: ' in capfd.readouterr().out
    # again: in their places
    before = sorted(bpy.data.actions.keys())
    bpy.ops.inertia.bake_selected()
    assert sorted(bpy.data.actions.keys()) == before


def test_armatures_may_each_have_their_own_settings(three: list[Any]) -> None:
    rig, twin, stranger = three
    twin.inertia.source, twin.inertia.destination = bpy.data.actions["Run"], bpy.data.actions["Idle"]
    twin.inertia.cut = 30.0
    stranger.select_set(False)
    assert bpy.ops.inertia.bake_selected(whose="OWN") == {"FINISHED"}
    assert compat.assigned(rig)[0].name == "Walk to Run"
    assert compat.assigned(twin)[0].name == "Run to Idle"
    assert settings_of(twin)["cut"] == 30.0


def test_armatures_that_can_not_be_baked_change_nothing(three: list[Any]) -> None:
    three[0].inertia.cut = 900.0
    before = take_snapshot()
    with pytest.raises(RuntimeError, match="lies outside"):
        bpy.ops.inertia.bake_selected()
    assert take_snapshot() == before


def test_a_crowd_that_is_stopped_half_way_changes_nothing(three: list[Any]) -> None:
    before = take_snapshot()
    pressed = press("bake_selected")
    for _ in range(2):
        assert pressed.tick()
    assert not pressed.tick(ESC)
    assert take_snapshot() == before


def test_an_armature_alone_is_no_crowd(rig: Any) -> None:
    assert not bpy.ops.inertia.bake_selected.poll()
    assert "inertia.bake_selected" not in drawn(BAKE).operators
