# SPDX-License-Identifier: GPL-3.0-or-later
"""Where plots go and what is in them, without a GPU."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.plots import heat_map, plot, theme
from inertia_addon.plots.shapes import FilledShape, Picture, Text
from inertia_addon.ui.cost import joint_trajectories
from inertia_addon.ui.cost.curve_plot import CostCurves
from inertia_addon.ui.cost.map_plot import CostMapPlot
from inertia_addon.ui.hops import hop_plot as hop_plot
from inertia_addon.ui.overlay import build, layout
from tests.ui.overlay.made_up import (
    DARK,
    LIGHT,
    cost_map,
    curve,
    everything,
    extent,
    hop_curves,
    places,
    region,
    scaled,
    showing,
)

SIZES = st.tuples(st.floats(60.0, 3000.0), st.floats(40.0, 2000.0), st.floats(0.5, 3.0))


def overlaps(a: plot.Rect, b: plot.Rect) -> bool:
    return a[0] < b[0] + b[2] and b[0] < a[0] + a[2] and a[1] < b[1] + b[3] and b[1] < a[1] + a[3]


@given(SIZES)
def test_plots_do_not_overlap_and_stay_inside(size: tuple[float, float, float]) -> None:
    width, height, scale = size
    info = region(width, height, scale)
    found = [place for each in places(everything(), info).values() for place in each]
    for i, place in enumerate(found):
        assert min(place[0], place[1]) >= 0.0
        assert place[0] + place[2] <= width + 1e-6
        assert place[1] + place[3] <= height + 1e-6
        assert not any(overlaps(place, other) for other in found[:i])
        # or there would be no character to see
        assert place[2] * place[3] <= width * height / 3.0 + 1e-6


def beside(kind: str, x: int, y: int, width: int, height: int, alignment: str = "NONE") -> SimpleNamespace:
    return SimpleNamespace(type=kind, x=x, y=y, width=width, height=height, alignment=alignment)


@pytest.mark.parametrize(
    ("panel", "free"),
    [
        ((110, 58, 240, 36), (90.0, 44.0, 1110.0, 656.0)),
        ((110, 58, 300, 400), (406.0, 0.0, 794.0, 700.0)),
        ((110, 58, 1000, 200), (90.0, 208.0, 1110.0, 492.0)),
        ((0, 0, 240, 36), (90.0, 0.0, 1110.0, 700.0)),
        ((110, 58, 1, 1), (90.0, 0.0, 1110.0, 700.0)),
    ],
    ids=["folded", "open", "low and wide", "taken back", "not there yet"],
)
def test_plots_stay_clear_of_the_last_operation_s_panel(
    panel: tuple[int, int, int, int], free: plot.Rect
) -> None:
    main = beside("WINDOW", 4, 50, 1200, 700)
    area = SimpleNamespace(regions=[main, beside("TOOLS", 4, 50, 90, 700, "LEFT"), beside("HUD", *panel)])
    assert layout.free_part(area, main) == free


@pytest.mark.variants(12)
@pytest.mark.parametrize("height", range(200, 900, 20))
def test_a_note_stays_clear_of_the_view_s_own_text(height: int) -> None:
    info = region(1600.0, height, 1.0)
    only_note = dataclasses.replace(everything(), note="Something to know.")
    before, found = (build.view3d_pixels(shown, info, DARK) for shown in (everything(), only_note))
    for left, bottom, right, top in map(extent, found[len(before) - 2 :]):
        inside = left >= 0.0 and bottom >= 0.0 and right <= 1600.0 and top <= height
        assert inside
        assert top <= height - layout.HEADING or left > 1600.0 / 2.0


@given(SIZES)
def test_shapes_stay_in_the_region(size: tuple[float, float, float]) -> None:
    width, height, scale = size
    info, look = region(width, height, scale), scaled(DARK, scale)
    for shape in build.view3d_pixels(everything(), info, look):
        left, bottom, right, top = extent(shape)
        slack = 6.0 * scale
        assert bottom >= -slack
        assert top <= height + slack
        if not isinstance(shape, Text):
            assert left >= -slack
            assert right <= width + slack


def test_plots_without_room_are_told() -> None:
    texts = [
        s.text for s in build.view3d_pixels(everything(), region(300.0, 260.0), DARK) if isinstance(s, Text)
    ]
    assert texts == [f"Something to know. {build.NO_ROOM}"]
    assert build.view3d_pixels(everything(), region(300.0, 60.0), DARK) == []


@pytest.mark.parametrize("look", [DARK, LIGHT], ids=["dark", "light"])
def test_text_can_be_read_and_lines_be_seen(look: theme.Theme) -> None:
    for colour in (look.text, look.faint):
        assert theme.contrast(colour, look.panel) >= 4.5
        assert theme.contrast(colour, theme.composite_on_worst(look.panel)) >= 4.5
    for colour in (look.curve, look.current, look.minimum, look.result):
        assert theme.contrast(colour, look.panel) >= 3.0
    world = (0.24, 0.24, 0.24, 1.0) if look is DARK else (0.5, 0.5, 0.5, 1.0)
    for colour in (look.source, look.destination, look.way, look.cut):
        assert theme.contrast(colour, world) >= 2.0


def test_texts_that_must_be_said_are() -> None:
    wide = region(2400.0)
    texts = {s.text for s in build.view3d_pixels(everything(), wide, DARK) if isinstance(s, Text)}
    for wanted in (
        "Cost by destination frame, Run",
        "Cost by cut, Run",
        "m·s, exact",
        "Cost map",
        "1.3",
        "19",
        "Offset of foot.L at the cut",
        "Quintic",
        "Exact",
        "Estimated",
        "Difference",
        "Something to know.",
        "Cost by cut: straight or by a hop",
    ):
        assert wanted in texts


def test_an_approximation_is_called_so() -> None:
    found = dataclasses.replace(cost_map(), kind="FEATURE")
    texts = [
        s.text
        for s in CostMapPlot().shapes(None, found, (0.0, 0.0, 300.0, 260.0), DARK)
        if isinstance(s, Text)
    ]
    assert "m·s, estimated" in texts


def test_axes_of_the_map_have_their_names() -> None:
    made = CostMapPlot().shapes(None, cost_map(), (0.0, 0.0, 300.0, 260.0), DARK)
    named = {s.text: s.vertical for s in made if isinstance(s, Text)}
    assert named["Cut"] is False
    assert named["Destination frame"] is True


def test_the_panel_of_a_legend_ends_with_its_words() -> None:
    ends = []
    for kinds in (("SOURCE",), ("SOURCE", "DESTINATION", "RESULT")):
        under, *_ = joint_trajectories.Ghosts().shapes(None, kinds, (10.0, 10.0, 300.0, 24.0), DARK)
        assert isinstance(under, FilledShape)
        ends.append(under.corners[:, 0].max())
    assert ends[0] < 100.0 < ends[1] <= 310.0


@given(st.integers(2, 400), st.floats(0.5, 3.0), st.floats(180.0, 900.0))
def test_labels_of_a_curve_stay_in_its_panel(count: int, scale: float, width: float) -> None:
    panel = (50.0, 20.0, width * scale, 132.0 * scale)
    shown = dataclasses.replace(curve(count=count), minima=(0, count - 1))
    made = CostCurves().shapes(None, shown, panel, scaled(DARK, scale))
    for shape in made[4:]:
        if isinstance(shape, Text):
            left, bottom, right, top = extent(shape)
            slack = 1.0 * scale
            assert left >= panel[0] - slack
            assert right <= panel[0] + panel[2] + slack
            assert bottom >= panel[1]
            assert top <= panel[1] + panel[3]


@given(st.floats(100.0, 1200.0), st.floats(0.1, 12.0), st.floats(-300.0, 300.0))
def test_texts_in_a_time_editor_stay_apart(width: float, zoom: float, start: float) -> None:
    shown = curve("CUT")
    made = build.time_editor(
        showing(timelines=shown), region(width, 300.0), lambda f: start + zoom * np.asarray(f), DARK
    )
    boxes = [extent(s) for s in made if isinstance(s, Text)]
    rects = [(left, low, right - left, top - low) for left, low, right, top in boxes]
    assert all(left >= 0.0 for left, *_ in rects)
    assert not any(overlaps(a, b) for i, a in enumerate(rects) for b in rects[:i])


def test_a_place_on_a_curve_is_its_frame() -> None:
    overlay, info = showing(curves=(curve(), curve("CUT"))), region()
    for shown, place in zip(overlay.parts["curves"], places(overlay, info)["curves"], strict=True):
        made = CostCurves().layout(shown, place, DARK)
        for i in (0, 17, 41, 79):
            at = build.hit(overlay, info, DARK, float(made.x(shown.frames[i])), made.area[1] + 5.0)
            assert at == (shown.over, (shown.frames[i],))


@given(st.integers(0, 59), st.integers(0, 39))
def test_a_place_on_the_map_is_its_cell(i: int, j: int) -> None:
    overlay, info = showing(map=cost_map(), curves=(curve(),)), region()
    (corner,) = places(overlay, info)["map"]
    made = CostMapPlot().layout(overlay.parts["map"], corner, DARK)
    cut, frame = overlay.parts["map"].cuts[i], overlay.parts["map"].destinations[j]
    assert build.hit(overlay, info, DARK, float(made.x(cut)), float(made.y(frame))) == ("MAP", (cut, frame))


def test_the_topmost_panel_at_a_place_is_the_one_that_is_hit() -> None:
    overlay, info = showing(map=cost_map(), curves=(curve(),)), region()
    (corner,) = places(overlay, info)["map"]
    made = CostMapPlot().layout(overlay.parts["map"], corner, DARK)
    x, y = float(made.x(overlay.parts["map"].cuts[30])), float(made.y(overlay.parts["map"].destinations[20]))
    under = build.hit(overlay, info, DARK, x, y)
    assert under is not None
    assert under[0] == "MAP"

    def put_over(above: float) -> tuple[str, tuple[float, ...]] | None:
        """What counts where the curve's panel lies over the map's and ends so far above the place."""
        place = (x - 0.5 * corner[2], y + above - corner[3], corner[2], corner[3])
        where = layout.remember_place(info, "curves 0", place)
        return build.hit(overlay, dataclasses.replace(info, moved=(where,)), DARK, x, y)

    over = put_over(0.5 * corner[3])
    assert over is not None
    assert over[0] == curve().over
    # its margin, where nothing is picked, hides the map as well
    assert put_over(1.0) is None
    assert put_over(-2.0) == under


def test_a_click_beside_the_plots_hits_nothing() -> None:
    assert build.hit(everything(), region(), DARK, 800.0, 880.0) is None


@pytest.mark.slow  # the layout is the same under every version
def test_the_best_cell_of_a_long_map_stays_in_sight() -> None:
    shown = dataclasses.replace(cost_map(2000, 1200), costs=np.ones((2000, 1200), np.float32))
    shown.costs[1728, 494] = 0.0
    assert shown.span == (0.0, 1.0)
    pixels = CostMapPlot().chart(shown, DARK).pixels(300, 200)
    assert pixels.shape == (200, 300, 4)
    low = np.float32(heat_map.sequential(0.0))
    rows, columns = np.nonzero(np.all(np.isclose(pixels[..., :3], low), axis=2))
    assert len(rows) >= 1
    assert np.all(np.abs(rows - 200 * 494 / 1200) < 2)
    assert np.all(np.abs(columns - 300 * 1728 / 2000) < 2)


def test_a_map_in_the_making_is_faint_where_nothing_is_known() -> None:
    costs = np.array([[1.0, np.nan], [2.0, 3.0]], np.float32)
    pixels = CostMapPlot().chart(dataclasses.replace(cost_map(2, 2), costs=costs), DARK).pixels(2, 2)
    assert pixels[1, 0, 3] == 0.25  # the second destination frame of the first cut
    assert pixels[..., 3].sum() == 3.25
    assert any(isinstance(s, Picture) for s in CostMapPlot().shapes(None, cost_map(), (0, 0, 300, 260), DARK))


def test_the_curve_on_a_time_axis_lines_up_with_the_keys() -> None:
    shown = curve("CUT")
    made = build.time_editor(showing(timelines=shown), region(), lambda f: 100.0 + 7.0 * np.asarray(f), DARK)
    line = max((s for s in made if hasattr(s, "points")), key=lambda s: len(s.points))
    np.testing.assert_allclose(line.points[:, 0], 100.0 + 7.0 * shown.frames, rtol=1e-6)
    lowest = int(np.argmin(shown.costs))
    assert int(np.argmin(line.points[:, 1])) == lowest


def test_the_default_timeline_has_room_for_a_band_without_words_and_for_its_keys() -> None:
    info, shown = region(793.0, 44.0, 0.8), curve("CUT")
    (place,) = [at for _, _, bands in build.time_cells(showing(timelines=shown), info) for _, at in bands]
    assert place[1] > 0.0
    assert place[1] + place[3] < 0.6 * 44.0
    made = build.time_editor(showing(timelines=shown), info, lambda f: 10.0 + 7.0 * np.asarray(f), DARK)
    assert not any(isinstance(shape, Text) for shape in made)
    line = max((s for s in made if hasattr(s, "points")), key=lambda s: len(s.points))
    # the less a frame costs, the brighter it is
    assert int(np.argmax(line.colours[:, 3])) == int(np.argmin(shown.costs))
    assert build.time_cells(showing(timelines=shown), region(793.0, 20.0, 0.8))[0][2] == []


def test_thinning_keeps_the_highest_and_the_lowest() -> None:
    xs = np.linspace(0.0, 500.0, 20_000)
    ys = np.sin(xs)
    ys[12_345], ys[777] = 9.0, -9.0
    at, values = plot.thinned(xs, ys, 500)
    assert len(at) <= 1002
    assert values.max() == 9.0
    assert values.min() == -9.0
    assert np.all(np.diff(at) >= 0.0)


def test_trajectories_fade_away_from_the_cut_and_mark_it() -> None:
    made = build.view3d_world(everything(), DARK)
    way = next(s for s in made if not s.pairs)
    assert way.points.shape[1] == 3
    assert np.argmax(way.colours[:, 3]) == 10
    marks = [s for s in made if s.pairs and np.allclose(s.colours[:, :3], DARK.cut[:3], atol=1e-6)]
    assert len(marks) == 1
    assert np.allclose(marks[0].points.mean(axis=0), everything().parts["ghosts"][0].points[10], atol=1e-6)


def test_the_bone_that_costs_most_is_widest_and_last() -> None:
    from inertia_addon.ui.cost.joint_trajectories import TintedBone

    bones = tuple(TintedBone(np.zeros(3), np.ones(3), share) for share in (0.2, 1.0, 0.5))
    made = joint_trajectories.tinted(bones, DARK)
    assert [s.width for s in made] == sorted(s.width for s in made)
    assert np.allclose(made[-1].colours[0, :3], heat_map.sequential(1.0), atol=1e-6)


def test_the_band_says_which_clip_wins_where() -> None:
    curves, info = hop_curves(), region()
    overlay = showing(hops=curves)
    shapes = build.view3d_pixels(overlay, info, DARK)
    texts = [s.text for s in shapes if isinstance(s, Text)]
    assert {"Jog", "Turn", "straight", "by a hop"} <= set(texts)
    assert "Jump" not in texts  # which wins nowhere
    colours_ = hop_plot.colours_of(curves, DARK)
    assert len(set(colours_.values())) == 3
    made = hop_plot.HopPlot().layout(curves, places(overlay, info)["hops"][0], DARK)
    filled = [s for s in shapes if isinstance(s, FilledShape) and s.colour == colours_[0]]
    (band,) = [s for s in filled if s.corners[:, 1].max() < made.area[1]]
    assert band.corners[:, 0].min() == pytest.approx(float(made.x(10.0)), abs=1.0)
    assert band.corners[:, 0].max() == pytest.approx(float(made.x(29.5)), abs=1.0)


def test_a_click_on_the_curves_of_hops_is_a_trigger() -> None:
    curves, info = hop_curves(), region()
    overlay = showing(hops=curves)
    made = hop_plot.HopPlot().layout(curves, places(overlay, info)["hops"][0], DARK)
    x, y = float(made.x(40.2)), made.area[1] + 5.0
    assert build.hit(overlay, info, DARK, x, y) == ("CUT", (40.0,))


def test_hop_curves_without_any_way_are_drawn() -> None:
    curves = dataclasses.replace(hop_curves(), direct=np.full(60, np.inf), best=np.full(60, np.inf))
    assert build.view3d_pixels(showing(hops=curves), region(), DARK)


def test_letters_of_east_asia_take_more_room() -> None:
    assert plot.width_of("切点", 10.0) == pytest.approx(20.0)
    assert plot.width_of("切点", 10.0) > plot.width_of("ab", 10.0)


@given(text=st.text("ab 切点。", max_size=30), room=st.floats(20.0, 200.0))  # a letter and the ellipsis fit
def test_a_shortened_text_has_room(text: str, room: float) -> None:
    found = plot.shortened(text, 10.0, room)
    assert plot.width_of(found, 10.0) <= room
    if found != text:
        assert found.endswith("…")
        assert text.startswith(found[:-1])
        # one letter more would have had none
        assert plot.width_of(f"{text[: len(found)]}…", 10.0) > room or len(found) == len(text)


def test_the_curve_under_the_keys_is_picked_by_frames() -> None:
    axis = layout.TimeAxis(100.0, 7100.0)
    for over in ("CUT", "DESTINATION"):
        overlay = showing(timelines=curve(over))
        ((_, _, [(_, place)]),) = build.time_cells(overlay, region())
        inside = place[1] + 0.5 * place[3]
        assert build.hit_in_time(overlay, region(), axis, 100.0 + 7.0 * 20.4, inside) == (over, (20.0,))
        assert build.hit_in_time(overlay, region(), axis, 1500.0, inside) == (over, (80.0,))
        assert build.hit_in_time(overlay, region(), axis, 200.0, place[1] + place[3] + 5.0) is None
