# SPDX-License-Identifier: GPL-3.0-or-later
"""Plots stay clear of the character and of bones' colours, and go where they are dragged."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.plots.shapes import Text
from inertia_addon.plots.theme import Theme
from inertia_addon.ui.overlay import build, in_view, layout, mouse
from inertia_addon.ui.overlay.layout import WAYS, theme_of
from tests.ui.overlay.made_up import DARK, everything, places, region, scaled

SIZES = st.tuples(st.floats(300.0, 1600.0), st.floats(200.0, 1000.0), st.floats(0.5, 3.0))
PARTS = st.floats(-0.2, 1.2)


def test_the_map_makes_way_for_the_character() -> None:
    alone = dataclasses.replace(everything(), parts={"map": everything().parts["map"]})
    (usual,) = places(alone, region())["map"]
    for box in (usual, (1000.0, 100.0, 300.0, 800.0), (-4000.0, 850.0, 5000.0, 300.0)):
        info = dataclasses.replace(region(), character=box)
        (found,) = places(alone, info)["map"]
        assert layout.covered(found, box) == 0.0, box
    # where it fills the view, as little of it as can be is hidden
    info = dataclasses.replace(region(), character=(0.0, 0.0, 1600.0, 900.0))
    (found,) = places(alone, info)["map"]
    assert found[2] < usual[2]


def test_the_character_is_seen_where_it_is() -> None:
    half = np.diag([0.5, 0.5, 1.0, 1.0])
    points = np.array([[-1.0, 0.0, 0.0], [1.0, 1.0, 0.0]])
    assert in_view.box_of(points, half, (400.0, 200.0)) == pytest.approx((100.0, 100.0, 200.0, 50.0))
    behind = np.diag([1.0, 1.0, 1.0, -1.0])
    assert in_view.box_of(points, behind, (400.0, 200.0)) is None


@given(SIZES, PARTS, PARTS, st.floats(60.0, 2000.0), st.floats(10.0, 2000.0))
def test_a_plot_that_was_moved_stays_in_sight_in_any_view(
    size: tuple[float, float, float], x: float, y: float, wide: float, tall: float
) -> None:
    width, height, scale = size
    info = dataclasses.replace(region(width, height, scale), moved=(layout.Moved("map 0", x, y, wide, tall),))
    (place,) = places(everything(), info)["map"]
    assert min(place[:2]) >= -1e-6
    assert place[0] + place[2] <= width + 1e-6
    assert place[1] + place[3] <= height + 1e-6
    again = layout.put(info, layout.remember_place(info, "map 0", place))
    if place[2] >= layout.LEAST_MOVED[0] * scale and place[3] >= layout.LEAST_MOVED[1] * scale:
        assert again == pytest.approx(place, abs=1e-6)
    # what is drawn on it is drawn all the same, and the others have the room
    assert build.view3d_pixels(everything(), info, scaled(DARK, scale))


def test_a_plot_that_was_moved_lies_on_top() -> None:
    info = dataclasses.replace(region(), moved=(layout.Moved("curves 0", 0.5, 0.5, 300.0, 150.0),))
    assert build.stacked(everything(), info)[-1][2] == "curves 0"
    assert build.stacked(everything(), region())[-1][2] != "curves 0"


def test_dragging_moves_and_a_corner_sizes() -> None:
    place, least = (100.0, 50.0, 200.0, 80.0), (140.0, 24.0)
    assert mouse.corner_of(place, 150.0, 100.0, 14.0) == (0, 0)
    assert mouse.corner_of(place, 105.0, 128.0, 14.0) == (-1, 1)
    assert mouse.dragged(place, (0, 0), (10.0, -5.0), least) == (110.0, 45.0, 200.0, 80.0)
    assert mouse.dragged(place, (-1, 1), (10.0, 20.0), least) == (110.0, 50.0, 190.0, 100.0)
    assert mouse.dragged(place, (1, -1), (10.0, 20.0), least) == (100.0, 70.0, 210.0, 60.0)
    # the opposite corner stays where it is, however far it is dragged
    assert mouse.dragged(place, (-1, 1), (900.0, -900.0), least) == (160.0, 50.0, 140.0, 24.0)


def test_the_scene_remembers_where_a_plot_was_put(rig: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    own = bpy.context.scene.inertia_overlay
    monkeypatch.setattr(build, "region_of", lambda _context: region())
    here: Any = SimpleNamespace(scene=bpy.context.scene, region=bpy.context.window_manager)
    assert not bpy.ops.inertia.reset_plots.poll()
    for place in ((40.0, 30.0, 300.0, 200.0), (80.0, 60.0, 320.0, 240.0)):
        mouse.put(here, "map 0", place)
    (one,) = own.moved
    assert layout.put(region(), layout.Moved(one.name, *one.place)) == pytest.approx(place, abs=1e-3)
    bpy.ops.inertia.reset_plots()
    assert not len(own.moved)


def test_ghosts_say_whose_they_are() -> None:
    texts = {s.text for s in build.view3d_pixels(everything(), region(), DARK) if isinstance(s, Text)}
    assert {"Source", "Destination", "Result"} <= texts


BONES = ("bone_solid", "bone_pose", "bone_pose_active", "object_active", "object_selected", "wire")


@pytest.fixture(params=["dark", "light"])
def theme(request: pytest.FixtureRequest) -> Iterator[Theme]:
    """Ours in each of the themes that Blender comes with."""
    if request.param == "light":
        folder = next(Path(p) for p in bpy.utils.preset_paths("interface_theme") if Path(p).is_dir())
        menu = "USERPREF_MT_interface_theme_presets"
        bpy.ops.script.execute_preset(filepath=str(folder / "Blender_Light.xml"), menu_idname=menu)
    yield theme_of(bpy.context)
    bpy.ops.preferences.reset_default_theme()


def test_ghosts_differ_from_bones_and_from_each_other(theme: Theme) -> None:
    colours = bpy.context.preferences.themes[0].view_3d
    bones = [tuple(getattr(colours, name)[:3]) for name in BONES]
    ways = [theme.source[:3], theme.destination[:3], theme.way[:3]]
    assert len(ways) == len(WAYS)
    for i, way in enumerate(ways):
        for other in (*bones, *ways[:i]):
            assert np.abs(np.subtract(way, other)).max() > 0.2, (way, other)
