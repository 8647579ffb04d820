# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn of root motion, and where, without a GPU."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.blender.root_motion import measure as root_motion_measure
from inertia_addon.blender.root_motion.measure import CLOSED_FORM, LEAST_SQUARES
from inertia_addon.plots import plot, theme
from inertia_addon.plots.shapes import FilledShape, Lines
from inertia_addon.ui.overlay import build, layout
from inertia_addon.ui.overlay.layout import TimeAxis
from inertia_addon.ui.root_motion import drag_ramp
from inertia_addon.ui.root_motion import plot as root_plot
from inertia_addon.ui.root_motion import ramp_marks as root_marks
from inertia_addon.ui.root_motion.model import RootMotionPlots, RootPlot
from tests.ui.overlay.made_up import (
    DARK,
    LIGHT,
    also,
    curve,
    everything,
    extent,
    places,
    region,
    scaled,
    showing,
)
from tests.ui.overlay.made_up_root import (
    FPS,
    START_AND_STOP,
    TURN,
    histograms,
    no_two_overlap,
    plots,
    shown,
    words,
)


def busy() -> RootMotionPlots:
    return plots(
        speeds=tuple((0.5 + 1.3 * i, 3.0 * (-1.0) ** i, 0.08) for i in range(5)),
        turns=tuple((0.8 + 1.7 * i, 1.5 * (-1.0) ** (i // 2), 0.09) for i in range(4)),
        seconds=7.5,
    )


def long() -> RootMotionPlots:
    return plots(seconds=100.0)


FOUND = {"plain": plots, "busy": busy, "long": long}
NAMES = st.sampled_from(sorted(FOUND))

SCALES = st.floats(0.8, 2.5)


def test_numbers_of_the_root_plot_are_what_was_measured() -> None:
    root = showing(root_motion=plots())
    said = words(build.view3d_pixels(root, region(1600.0, 900.0), DARK))
    measured = shown().measured
    for ramp in (*measured.speeds, *measured.turns):
        assert ramp.fit is not None
        assert f"{ramp.fit.half_life:.2f} s" in said
    start, stop = (ramp.fit.half_life for ramp in measured.speeds if ramp.fit is not None)
    assert start == pytest.approx(START_AND_STOP[0][2], rel=0.1)
    assert stop == pytest.approx(START_AND_STOP[1][2], rel=0.2)
    assert f"least squares, max {measured.maximum_speed:.2f} m/s" in said
    first, second = measured.speeds
    assert f"{root_marks.three_digits(first.peak_rate)} m/s²" in said
    assert root_marks.three_digits(second.peak_rate).startswith("\u2013")
    (turn,) = measured.turns
    assert f"{root_marks.three_digits(float(np.degrees(turn.peak_rate)))} °/s" in said
    assert {"Speed, Start and Stop", "Facing, Start and Stop"} <= said


def test_the_other_estimator_has_its_own_numbers_and_spring() -> None:
    by_peak = plots(estimator=CLOSED_FORM)
    for kind in ("speed", "turn"):
        fitted, closed = getattr(plots(), kind).ramps[0], getattr(by_peak, kind).ramps[0]
        ramp = (shown().measured.speeds if kind == "speed" else shown().measured.turns)[0]
        unit = 1.0 if kind == "speed" else float(np.degrees(1.0))
        assert closed.half_life == ramp.closed_form
        assert closed.interval is None
        assert fitted.interval is not None
        assert fitted.interval[0] <= fitted.half_life <= fitted.interval[1]
        # it is steepest where the samples are, and as steep
        slopes = np.gradient(closed.spring, closed.spring_frames / FPS)
        step = closed.spring_frames[1] - closed.spring_frames[0]
        assert abs(closed.spring_frames[np.argmax(np.abs(slopes))] - closed.peak_frame) <= 1.5 * step
        assert np.abs(slopes).max() == pytest.approx(abs(ramp.peak_rate) * unit, rel=0.02)


@pytest.mark.parametrize("kind", ["speed", "turn"])
@pytest.mark.parametrize("estimator", [LEAST_SQUARES, CLOSED_FORM])
def test_springs_lie_on_their_curves(kind: str, estimator: str) -> None:
    found: RootPlot = getattr(plots(estimator=estimator, sway=0.0, bob=0.0), kind)
    for ramp in found.ramps:
        there = np.interp(ramp.spring_frames, found.frames, found.raw)
        assert np.abs(there - ramp.spring).max() < 0.1 * abs(ramp.change)


def test_units_are_frames_and_degrees() -> None:
    (ramp,) = plots().turn.ramps
    assert ramp.change == pytest.approx(90.0, abs=3.0)
    assert ramp.start < 1.0 + TURN[0][0] * FPS < ramp.peak_frame < ramp.end
    assert plots().turn.frames[0] == 1.0
    assert plots().speed.frames[0] == 1.5


@pytest.mark.slow  # the layout is the same under every version
@given(NAMES, st.floats(170.0, 1400.0), st.floats(112.0, 320.0), SCALES)
def test_labels_stay_in_their_panel_and_apart(name: str, width: float, height: float, scale: float) -> None:
    look = scaled(DARK, scale)
    panel = (20.0, 10.0, width * scale, height * scale)
    for each in FOUND[name]().plots:
        made = root_plot.shapes_of(each, FOUND[name]().action, panel, look)
        assert no_two_overlap(made)
        for shape in made:
            left, bottom, right, top = extent(shape)
            slack = 2.5 * scale  # of lines' ends and grips
            assert panel[0] - slack <= left
            assert right <= panel[0] + panel[2] + slack
            assert panel[1] - slack <= bottom
            assert top <= panel[1] + panel[3] + slack


@given(
    name=NAMES,
    width=st.floats(120.0, 1600.0),
    height=st.floats(60.0, 500.0),
    zoom=st.floats(0.05, 15.0),
    start=st.floats(-900.0, 900.0),
    both=st.booleans(),
)
def test_bands_of_a_time_editor_stay_inside_and_their_labels_apart(
    name: str, width: float, height: float, zoom: float, start: float, *, both: bool
) -> None:
    found = FOUND[name]()
    overlay = showing(root_timelines=found, **({"timelines": curve("CUT")} if both else {}))
    made = build.time_editor(overlay, region(width, height), TimeAxis(start, start + 1000.0 * zoom), DARK)
    roots = build.time_editor(
        showing(root_timelines=found), region(width, height), TimeAxis(start, start + 1000.0 * zoom), DARK
    )
    assert no_two_overlap(roots)
    for shape in roots:
        left, bottom, right, top = extent(shape)
        assert left >= -4.0
        assert right <= width + 4.0
        assert bottom >= -2.0
        assert top <= 0.6 * height
    if both and height > 200.0:
        boxes = [extent(shape) for shape in made if isinstance(shape, FilledShape)]
        assert max(box[3] for box in boxes) <= 0.7 * height


def test_curves_line_up_with_keys() -> None:
    to_x = TimeAxis(100.0, 2600.0)
    made = build.time_editor(showing(root_timelines=plots()), region(1200.0, 400.0), to_x, DARK)
    lines = [s for s in made if isinstance(s, Lines) and np.allclose(s.colours[0], DARK.result)]
    ramps = (*plots().speed.ramps, *plots().turn.ramps)
    springs = [s for s in lines if len(s.points) > 2]
    for line, ramp in zip(springs, ramps, strict=True):
        np.testing.assert_allclose(line.points[[0, -1], 0], to_x(ramp.spring_frames[[0, -1]]), atol=0.1)


def test_plots_with_ramps_alone_are_shown_where_one_band_fits() -> None:
    turning = dataclasses.replace(
        plots(), speed=dataclasses.replace(plots().speed, ramps=(), missing="no ramps")
    )
    made = build.time_editor(
        showing(root_timelines=turning), region(900.0, 130.0), TimeAxis(0.0, 2000.0), DARK
    )
    titles = words(made)
    assert any(title.startswith("Facing") for title in titles)
    assert not any(title.startswith("Speed") for title in titles)


@given(NAMES, st.floats(600.0, 2400.0), st.floats(500.0, 1400.0), st.floats(0.8, 2.0))
def test_edges_can_be_grabbed_where_they_are_drawn(
    name: str, width: float, height: float, scale: float
) -> None:
    found = FOUND[name]()
    overlay, look = showing(root_motion=found), scaled(DARK, scale)
    layouts = drag_ramp.in_view3d(overlay, region(width, height, scale), look)
    for each, made in layouts:
        y = made.main.area[1] + 0.5 * made.main.area[3]
        for i, ramp in enumerate(each.ramps):
            for edge, inwards in (("start", 2.0), ("end", -2.0)):
                x = float(made.main.x(getattr(ramp, edge))) + inwards * scale
                handle = root_marks.handle_at(each, made, look, x, y)
                near = [e for r in each.ramps for e in (r.start, r.end)]
                crowded = sum(abs(float(made.main.x(e)) - x) < 8.0 * scale for e in near) > 2
                narrow = float(made.main.x(ramp.end) - made.main.x(ramp.start)) < 8.0 * scale
                if not (crowded or narrow):
                    assert handle == root_marks.RampGrip(each.kind, i, edge)
                at = drag_ramp.frame_at(made, x - inwards * scale)
                assert at == pytest.approx(getattr(ramp, edge), abs=1e-6)


def test_a_ramp_has_nothing_to_grab_beside_its_edges() -> None:
    layouts = drag_ramp.in_view3d(showing(root_motion=plots()), region(), DARK)
    each, made = layouts[0]
    ramp = each.ramps[0]
    middle = float(made.main.x(0.5 * (ramp.start + ramp.end)))
    assert drag_ramp.grabbed(layouts, DARK, middle, made.low + 10.0) is None
    assert drag_ramp.grabbed(layouts, DARK, float(made.main.x(ramp.end)), made.high + 5.0) is None
    assert drag_ramp.grabbed([], DARK, middle, made.low) is None


@given(st.sampled_from(["plain", "busy"]), st.sampled_from(["speed", "turn"]), st.data())
def test_an_edge_stays_in_the_clip_and_beside_its_neighbours(name: str, kind: str, data: Any) -> None:
    found: RootPlot = getattr(FOUND[name](), kind)
    i = data.draw(st.integers(0, len(found.ramps) - 1))
    for edge in root_marks.EDGES:
        low, high = drag_ramp.limits(found, root_marks.RampGrip(found.kind, i, edge))
        assert low <= high
        assert low >= np.floor(found.frames[0])
        assert high <= np.ceil(found.frames[-1])
        for j, other in enumerate(found.ramps):
            if j < i:
                assert low >= other.end or edge == "end"
            if j > i:
                assert high <= other.start or edge == "start"


def test_a_root_that_neither_travels_nor_turns_is_said_to() -> None:
    found = plots(speeds=(), turns=(), sway=0.0)
    said = words(build.view3d_pixels(showing(root_motion=found), region(), DARK))
    assert {"does not travel", "does not turn"} <= said


def test_faults_of_a_half_life_are_told() -> None:
    cut = plots(speeds=((1.0, 3.0, 1.5),), seconds=2.0)
    (ramp,) = cut.speed.ramps
    assert ramp.bound == ">"
    said = words(build.view3d_pixels(showing(root_motion=cut), region(), DARK))
    assert f"≥ {ramp.half_life:.2f} s" in said
    assert ramp.remark in said


def test_an_open_interval_has_only_a_bound() -> None:
    ramp = shown().measured.speeds[0]
    assert ramp.fit is not None
    for low, high, expected in (
        (0.2, math.inf, (0.2, ">")),
        (0.0, 0.5, (0.5, "<")),
        (0.0, math.inf, (ramp.fit.half_life, "?")),
        (0.2, 0.5, (ramp.fit.half_life, "=")),
    ):
        fit = dataclasses.replace(ramp.fit, low=low, high=high)
        changed = dataclasses.replace(ramp, fit=fit, begins_before=False, ends_after=False, resolved=True)
        assert root_motion_measure.bounded(changed, LEAST_SQUARES) == expected
        assert root_motion_measure.bounded(changed, CLOSED_FORM) == (ramp.closed_form, "=")


def test_ranges_by_hand_are_named_so() -> None:
    own = dataclasses.replace(plots(), speed=dataclasses.replace(plots().speed, by_hand=True))
    said = words(build.view3d_pixels(showing(root_motion=own), region(), DARK))
    assert f"least squares, {plots().speed.note}, ranges by hand" in said


@given(st.lists(st.tuples(st.floats(0.0, 500.0), st.floats(5.0, 60.0)), min_size=1, max_size=12))
def test_labels_spread_in_order_and_apart(wanted: list[tuple[float, float]]) -> None:
    wanted.sort()
    widths = [width for _, width in wanted]
    found = plot.spread([middle for middle, _ in wanted], widths, 0.0, 500.0, 4.0)
    assert (found is None) == (sum(widths) + 4.0 * (len(widths) - 1) > 500.0)
    if found is not None:
        assert found[0] - 0.5 * widths[0] >= -1e-9
        assert found[-1] + 0.5 * widths[-1] <= 500.0 + 1e-9
        for i in range(1, len(found)):
            assert found[i] - found[i - 1] >= 0.5 * (widths[i] + widths[i - 1]) + 4.0 - 1e-9


def test_a_label_with_room_stays_where_it_is_wanted() -> None:
    assert plot.spread([50.0, 200.0], [40.0, 40.0], 0.0, 300.0, 4.0) == [50.0, 200.0]


def test_a_long_clip_is_thinned() -> None:
    made = root_plot.shapes_of(long().speed, "Long", (0.0, 0.0, 300.0, 220.0), DARK)
    assert max(len(shape.points) for shape in made if isinstance(shape, Lines)) < 1300


def test_root_plots_do_not_show_where_there_is_no_room() -> None:
    overlay = showing(root_motion=plots(), root_histogram=histograms())
    info = region(330.0, 240.0)
    assert words(build.view3d_pixels(overlay, info, DARK)) == {build.NO_ROOM}
    assert drag_ramp.in_view3d(overlay, info, DARK) == []
    assert layout.root_bands(region(90.0, 300.0), 0.0, 2) == []


@pytest.mark.parametrize("look", [DARK, LIGHT], ids=["dark", "light"])
def test_text_can_be_read_on_the_ranges_of_ramps(look: theme.Theme) -> None:
    behind = root_marks.tint(look)
    assert theme.contrast(look.text, behind) >= 4.5
    assert theme.contrast(root_marks.on_tint(look), behind) >= 4.5
    assert theme.contrast(look.curve, behind) >= 2.5
    assert theme.contrast(look.result, behind) >= 2.5


@given(st.floats(300.0, 3000.0), st.floats(150.0, 2000.0), st.floats(0.5, 3.0))
def test_no_two_plots_collide(width: float, height: float, scale: float) -> None:
    overlay = also(everything(), root_motion=plots(), root_histogram=histograms())
    at = places(overlay, region(width, height, scale))
    found = [place for each in at.values() for place in each]
    boxes = [(left, bottom, left + wide, bottom + tall) for left, bottom, wide, tall in found]
    assert not any(plot.overlap(a, b) for i, a in enumerate(boxes) for b in boxes[:i])
    for left, bottom, right, top in boxes:
        assert min(left, bottom) >= 0.0
        assert right <= width + 1e-6
        assert top <= height + 1e-6
    if at["curves"] and at["root_motion"]:
        assert at["root_motion"][0][1] > at["curves"][0][1] + at["curves"][0][3]


def test_plots_all_have_room_in_a_large_view() -> None:
    overlay = also(everything(), root_motion=plots(), root_histogram=histograms())
    said = words(build.view3d_pixels(overlay, region(1600.0, 960.0), DARK))
    assert "Something to know." in said
    assert {"Cost map", "Quintic", "Speed, Start and Stop", "Speed, m/s"} <= said


def test_the_playhead_shows_where_the_character_is() -> None:
    (_, made), _ = drag_ramp.in_view3d(showing(root_motion=plots()), region(), DARK)
    (line,) = root_marks.playhead(made, 60.0, DARK)
    assert isinstance(line, Lines)
    np.testing.assert_allclose(line.points[:, 0], float(made.main.x(60.0)), rtol=1e-6)
    assert root_marks.playhead(made, 1000.0, DARK) == []
