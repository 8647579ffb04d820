# SPDX-License-Identifier: GPL-3.0-or-later
"""Springs of several half-lives, and the fitted one among them: what is drawn, without a GPU."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inertia_addon.blender.root_motion import spring_figure
from inertia_addon.blender.root_motion.measure import CLOSED_FORM
from inertia_addon.plots.line_chart import LineChart
from inertia_addon.ui.overlay import build
from inertia_addon.ui.root_motion.springs_plot import SpringFigure, SpringPlot, main_ramp
from tests.ui.overlay.made_up import DARK, extent, places, region, scaled, showing
from tests.ui.overlay.made_up_root import no_two_overlap, plots, shown, words

START = ((1.0, 3.0, 0.25),)


def integrated(half: float, seconds: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times, place and rate of a critically damped spring from 0 to 1, by small steps."""
    y, dt = 2.0 * np.log(2.0) / half, half / 5000.0
    x = v = 0.0
    rows = []
    for i in range(int(seconds / dt)):
        rows.append((i * dt, x, v))
        a = y * y * (1.0 - x) - 2.0 * y * v
        x, v = x + dt * (v + 0.5 * dt * a), v + dt * a
    t, xs, vs = np.array(rows).T
    return t, xs, vs


@pytest.mark.parametrize("half", [0.1, 0.8])
def test_springs_go_as_they_do_by_small_steps(half: float) -> None:
    (drawn,) = [each for each in spring_figure.responses() if each.half_life == half]
    t, xs, vs = integrated(half, 1.5)
    inside = (drawn.seconds >= 0.0) & (drawn.seconds < t[-1])
    np.testing.assert_allclose(drawn.velocities[inside], np.interp(drawn.seconds[inside], t, xs), atol=2e-3)
    np.testing.assert_allclose(
        drawn.accelerations[inside], np.interp(drawn.seconds[inside], t, vs), atol=2e-3 * vs.max()
    )
    assert not drawn.velocities[drawn.seconds <= 0.0].any()
    assert drawn.peak == pytest.approx(vs.max(), rel=2e-3)
    assert drawn.peak_seconds == pytest.approx(t[np.argmax(vs)], rel=0.02)
    # half of the way is left after about 1.2 half-lives, whatever these are
    assert np.interp(0.5, xs, t) == pytest.approx(1.211 * half, rel=1e-2)


def test_peaks_are_marked_where_the_curves_are_highest() -> None:
    velocities, rates = spring_figure.charts()
    assert len(rates.dots) == len(rates.series) == len(spring_figure.HALF_LIVES)
    for dot, line in zip(rates.dots, rates.series, strict=True):
        assert dot.y == pytest.approx(np.max(line.ys), rel=2e-2)
        half, peak = dot.label.split(" s: ")
        assert half == line.label.removesuffix(" s")
        assert float(peak) == pytest.approx(dot.y, rel=1e-2)
    for dot, line in zip(velocities.dots, velocities.series, strict=True):
        assert dot.y == pytest.approx(np.interp(dot.x, line.xs, line.ys), abs=1e-2)


def own_line(chart: LineChart) -> tuple[np.ndarray, np.ndarray]:
    """The line that was recorded."""
    (line,) = [each for each in chart.series if each.label == "as recorded"]
    return np.asarray(line.xs), np.asarray(line.ys)


@pytest.mark.parametrize("estimator", ["LEAST_SQUARES", CLOSED_FORM])
def test_the_largest_ramp_lies_on_its_spring(estimator: str) -> None:
    recorded = main_ramp(shown(START, (), estimator=estimator, bob=0.0))
    assert recorded is not None
    assert recorded.spring.half_life == pytest.approx(0.25, rel=0.1)
    xs, ys = own_line(spring_figure.charts(recorded)[0])
    t, expected, _ = integrated(recorded.spring.half_life, 1.5)
    inside = (xs >= 0.0) & (xs < t[-1])
    assert np.sqrt(np.mean((ys[inside] - np.interp(xs[inside], t, expected)) ** 2)) < 0.06
    assert np.abs(ys[xs < -0.1]).max() < 0.1


def test_a_root_that_only_turns_shows_its_turn() -> None:
    recorded = main_ramp(shown((), bob=0.0))
    assert recorded is not None
    assert recorded.spring.half_life == pytest.approx(0.2, rel=0.1)


def test_springs_are_alone_without_a_ramp() -> None:
    assert main_ramp(shown((), (), bob=0.0, sway=0.0)) is None


def test_springs_lie_beside_the_fit() -> None:
    overlay = showing(root_motion=plots(), root_springs=SpringPlot(main_ramp(shown(START, ())), "en_US"))
    fitted = overlay.parts["root_springs"].recorded.spring.half_life
    found = places(overlay, region())
    (speed, turn), (springs,) = found["root_motion"], found["root_springs"]
    assert speed[1] == turn[1] == springs[1]
    assert speed[0] < turn[0] < springs[0]
    said = words(build.view3d_pixels(overlay, region(), DARK))
    assert {"Springs from 0 to 1", "Acceleration, per second", "0.1 s: 5.1", "as recorded"} <= said
    assert f"fitted spring, {fitted:.3g} s" in said


@given(st.floats(250.0, 900.0), st.floats(150.0, 400.0), st.floats(0.8, 2.5))
@example(384.0, 172.0, 1.1)
def test_labels_stay_inside_and_apart(width: float, height: float, scale: float) -> None:
    panel = (5.0, 7.0, width * scale, height * scale)
    theme = scaled(DARK, scale)
    made = SpringFigure().shapes(None, SpringPlot(main_ramp(shown(START, ())), "en_US"), panel, theme)
    assert no_two_overlap(made)
    for shape in made:
        left, bottom, right, top = extent(shape)
        slack = 3.0 * scale
        assert panel[0] - slack <= left
        assert right <= panel[0] + panel[2] + slack
        assert panel[1] - slack <= bottom
        assert top <= panel[1] + panel[3] + slack
