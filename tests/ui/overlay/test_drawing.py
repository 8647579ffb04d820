# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn, read back from a buffer off the screen; only some Blenders can do so without a window."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.plots import heat_map, shapes, theme
from inertia_addon.ui.cost import map_plot
from inertia_addon.ui.overlay import build, drawing
from inertia_addon.ui.overlay.layout import TimeAxis
from inertia_addon.ui.root_motion import drag_ramp
from inertia_addon.ui.root_motion import ramp_marks as root_marks
from tests.ui.overlay.made_up import DARK, LIGHT, cost_map, everything, places, region, scaled, showing
from tests.ui.overlay.made_up_root import histograms, plots

WIDTH, HEIGHT = 1000, 700
GREY = (0.25, 0.25, 0.25, 1.0)


@pytest.fixture(scope="module")
def gpu() -> Any:
    gpu = pytest.importorskip("gpu", reason="this bpy has no gpu module")
    if bpy.app.version < (5, 2, 0):
        pytest.skip("this Blender can't draw without a window")
    try:
        gpu.init()
    except SystemError as error:
        pytest.skip(f"nothing can be drawn here: {error}")
    return gpu


@pytest.fixture
def draw(gpu: Any) -> Iterator[Any]:
    """Draws shapes and gives the pixels (height, width, 4), row 0 at the bottom."""
    from mathutils import Matrix

    screen = gpu.types.GPUOffScreen(WIDTH, HEIGHT, format="RGBA8")

    def pixels(found: list[shapes.Shape]) -> np.ndarray:
        with screen.bind():
            buffer = gpu.state.active_framebuffer_get()
            buffer.clear(color=GREY)
            with gpu.matrix.push_pop(), gpu.matrix.push_pop_projection():
                gpu.matrix.load_matrix(Matrix.Identity(4))
                flat = Matrix.Diagonal((2.0 / WIDTH, 2.0 / HEIGHT, 1.0, 1.0))
                gpu.matrix.load_projection_matrix(Matrix.Translation((-1.0, -1.0, 0.0)) @ flat)
                drawing.draw(found)
            read = buffer.read_color(0, 0, WIDTH, HEIGHT, 4, 0, "UBYTE")
            read.dimensions = WIDTH * HEIGHT * 4
        return np.array(read, np.uint8).reshape(HEIGHT, WIDTH, 4)

    yield pixels
    drawing.forget()
    screen.free()


def test_a_box_has_its_colour_and_what_is_above_it_shows(draw: Any) -> None:
    found = draw(
        [shapes.box(100, 100, 50, 40, (1.0, 0.0, 0.0, 1.0)), shapes.box(110, 110, 9, 9, (0.0, 0.0, 1.0, 0.5))]
    )
    assert tuple(found[130, 140, :3]) == (255, 0, 0)
    assert np.allclose(found[114, 114, :3], (128, 0, 128), atol=2)
    assert np.allclose(found[50, 50, :3], 64, atol=1)


def test_lines_and_text_are_there_and_nothing_beside_them(draw: Any) -> None:
    white = (1.0, 1.0, 1.0, 1.0)
    found = draw(
        [shapes.line([(100, 300), (400, 300)], white, 3.0), shapes.Text(500, 300, "Cost 1.25", 20.0, white)]
    )
    assert np.all(found[300, 110:390, :3] > 200)
    assert np.allclose(found[310, 110:390, :3], 64, atol=1)
    written = np.abs(found[295:325, 500:600, :3].astype(int) - 64).max(axis=2) > 60
    assert 150 < written.sum() < 1500


def test_right_aligned_text_ends_where_it_should(draw: Any) -> None:
    found = draw([shapes.Text(500, 300, "exact", 20.0, (1.0, 1.0, 1.0, 1.0), 1.0)])
    columns = np.flatnonzero((np.abs(found[295:325, :, :3].astype(int) - 64).max(axis=2) > 60).any(axis=0))
    assert 494 <= columns.max() <= 501
    assert columns.min() < 470


def test_cells_of_the_map_have_their_colour(draw: Any) -> None:
    info = region(WIDTH, HEIGHT)
    overlay = showing(map=cost_map(12, 9))
    found = draw(build.view3d_pixels(overlay, info, DARK))
    (corner,) = places(overlay, info)["map"]
    assert corner is not None
    made = map_plot.CostMapPlot().layout(overlay.parts["map"], corner, DARK)
    low, high = overlay.parts["map"].span
    for cut, frame in ((11.0, 2.0), (14.0, 7.0), (20.0, 3.0)):
        cost = overlay.parts["map"].costs[int(cut) - 10, int(frame) - 1]
        expected = 255.0 * heat_map.sequential((cost - low) / (high - low))
        if abs(cut - overlay.parts["map"].cut) > 0.4:  # no cross hair over it
            at = found[int(made.y(frame)), int(made.x(cut)), :3]
            assert np.allclose(at, expected, atol=4)


def test_overlays_are_drawn_twice_alike_and_freed(draw: Any) -> None:
    made = build.view3d_pixels(everything(), region(WIDTH, HEIGHT), DARK)
    first, second = draw(made), draw(made)
    np.testing.assert_array_equal(first, second)
    curve = (
        np.abs(first[..., :3].astype(int) - np.rint(255 * np.array(DARK.curve[:3])).astype(int)).max(axis=2)
    ) < 12
    assert curve.sum() > 200
    assert drawing._batches
    drawing.release(made)
    assert not drawing._batches


def like(pixels: np.ndarray, colour: shapes.Colour, within: int) -> np.ndarray:
    """Which pixels (..., 4) have a colour."""
    wanted = np.rint(255.0 * np.array(colour[:3]))
    return np.abs(pixels[..., :3].astype(int) - wanted).max(axis=-1) <= within


@pytest.mark.parametrize(("look", "scale"), [(DARK, 1.0), (LIGHT, 1.5)], ids=["dark", "light"])
def test_springs_ranges_and_edges_are_where_their_frames_are(
    draw: Any, look: theme.Theme, scale: float
) -> None:
    look, info, overlay = scaled(look, scale), region(WIDTH, HEIGHT, scale), showing(root_motion=plots())
    found = draw(build.view3d_pixels(overlay, info, look))
    for shown, made in drag_ramp.in_view3d(overlay, info, look):
        for ramp in shown.ramps:
            x = np.rint(made.main.x(ramp.spring_frames[20:-20:10])).astype(int)
            y = np.rint(made.main.y(ramp.spring[20:-20:10])).astype(int)
            near = np.array([found[v - 2 : v + 3, u - 2 : u + 3] for u, v in zip(x, y, strict=True)])
            assert like(near, look.result, 60).any(axis=(1, 2)).all()
            middle = int(made.strip[1] + made.strip[3] - 2.0)
            left, right = np.rint(made.main.x([ramp.start, ramp.end])).astype(int)
            film = root_marks.tint(look)
            panel = theme.mixed(GREY, look.panel, look.panel[3])
            behind = theme.mixed(panel, film, film[3])
            assert like(found[middle, left + 4 : right - 4], behind, 3).all()
            if left > made.main.area[0] + 15:
                assert like(found[middle, left - 12 : left - 3], panel, 3).all()
            grip = found[int(made.main.area[1] + 0.5 * made.main.area[3]), left : left + round(8 * scale)]
            assert like(grip, look.result, 12).sum() >= 2


def test_a_time_editor_has_the_same_springs(draw: Any) -> None:
    to_x, info = TimeAxis(20.0, 2400.0), region(WIDTH, 400.0)
    overlay = showing(root_timelines=plots())
    found = draw(build.time_editor(overlay, info, to_x, DARK))
    for shown, made in drag_ramp.in_time_editor(overlay, info, to_x, DARK):
        ramp = shown.ramps[0]
        x, y = round(to_x(ramp.spring_frames[30])), round(float(made.main.y(ramp.spring[30])))
        assert like(found[y - 2 : y + 3, x - 2 : x + 3], DARK.result, 60).any()
    assert np.allclose(found[300:, :, :3], 64, atol=1)


def test_bars_of_histograms_have_their_heights(draw: Any) -> None:
    info, overlay = region(WIDTH, HEIGHT), showing(root_histogram=histograms())
    (place,) = places(overlay, info)["root_histogram"]
    assert place is not None
    found = draw(build.view3d_pixels(overlay, info, DARK))
    left, bottom, width, height = map(int, place)
    bars = like(
        found[bottom : bottom + height, left : left + width // 2],
        theme.mixed(DARK.curve, DARK.panel, 0.2),
        12,
    )
    tall = bars.sum(axis=0)
    # walking is the highest after standing, which is cut off at the top; running comes near to it
    standing, walking, running = (
        tall[i : i + len(tall) // 3].max() for i in (0, len(tall) // 3, 2 * len(tall) // 3)
    )
    seconds = overlay.parts["root_histogram"].speeds.seconds
    assert standing > walking > running
    assert running / walking == pytest.approx(seconds[18:].max() / seconds[5:18].max(), abs=0.1)
