# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel has a destination arrive at an object, and its result follows that."""

from __future__ import annotations

from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import recipe, recipe_reader
from inertia_addon.ui.transition import properties, rebaking
from tests.ui.recorder import drawn, panel_named

BAKE = panel_named("options")
OF_A_WARP = {"warp_object", "use_warp_at", "use_warp_from", "use_warp_until", "warp_heading", "warp_height"}


def seat() -> Any:
    made = bpy.data.objects.new("Seat", None)
    bpy.context.collection.objects.link(made)
    made.location = (1.0, 2.0, 0.0)
    bpy.context.view_layer.update()
    return made


def test_settings_of_a_warp_show_where_one_is_chosen(rig: Any) -> None:
    shown = drawn(BAKE)
    assert OF_A_WARP.isdisjoint(shown.shown)
    assert "inertia.warp_to" in shown.operators
    seat().select_set(True)
    bpy.ops.inertia.warp_to()
    assert rig.inertia.warp_object == "Seat"
    shown = drawn(BAKE)
    assert set(shown.shown) >= OF_A_WARP
    assert "inertia.warp_nowhere" in shown.operators
    bpy.ops.inertia.warp_nowhere()
    assert OF_A_WARP.isdisjoint(drawn(BAKE).shown)
    assert not properties.settings_from(rig).warps


def test_an_empty_is_made_at_the_cursor_to_warp_to_without_another_object(rig: Any) -> None:
    bpy.context.scene.cursor.location = (0.0, -3.0, 0.5)
    bpy.ops.inertia.warp_to()
    mark = bpy.data.objects[rig.inertia.warp_object]
    assert tuple(mark.location) == (0.0, -3.0, 0.5)
    # its front, -Y, leads on from the character
    assert mark.matrix_world.col[1].y == pytest.approx(1.0)


def test_a_result_asks_to_be_updated_when_its_object_moves(rig: Any) -> None:
    mark = seat()
    rig.inertia.warp_object = "Seat"
    rig.inertia.use_warp_at, rig.inertia.warp_at = True, 38.0
    bpy.ops.inertia.bake_transition()
    result = rig.animation_data.action
    stored = recipe_reader.read_recipe(result, recipe.RECIPE).settings
    assert (stored.warp_object, stored.warp_at) == ("Seat", 38.0)
    assert not rebaking.path_changed(rig, result)
    mark.location.x = 3.0
    bpy.context.view_layer.update()
    assert rebaking.path_changed(rig, result)
    bpy.ops.inertia.rebake()
    assert not rebaking.path_changed(rig, result)
    assert rebaking.is_as_asked(rig, result)


def test_the_settings_of_a_warp_come_back_and_go_with_those_of_another_result(rig: Any) -> None:
    seat()
    bpy.ops.inertia.bake_transition(result="Plain")
    bpy.ops.inertia.bake_transition(result="Warped", warp_to="1,2,90")
    warped = rig.animation_data.action.name
    bpy.ops.inertia.load_recipe(action=warped)
    assert rig.inertia.warp_to == "1,2,90"
    assert "warp_to" in drawn(BAKE).shown
    bpy.ops.inertia.load_recipe(action="Plain")
    assert (rig.inertia.warp_to, rig.inertia.warp_object) == ("", "")


def test_a_panel_that_asks_for_no_warp_asks_for_another_result(rig: Any) -> None:
    seat()
    rig.inertia.warp_object = "Seat"
    bpy.ops.inertia.bake_transition()
    result = rig.animation_data.action
    assert rebaking.is_as_asked(rig, result)
    rig.inertia.warp_object = ""
    assert rebaking.is_as_asked(rig, result) is False
