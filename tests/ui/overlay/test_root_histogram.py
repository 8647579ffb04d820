# SPDX-License-Identifier: GPL-3.0-or-later
"""How often each speed and turn rate occurs, counted and drawn, without a GPU."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inertia_addon.blender.root_motion import histograms as charts
from inertia_addon.motion.root_motion import histogram as counting
from inertia_addon.plots import theme
from inertia_addon.plots.shapes import FilledShape
from inertia_addon.ui.overlay import build
from inertia_addon.ui.root_motion import histogram
from tests.ui.overlay.made_up import DARK, extent, region, scaled, showing
from tests.ui.overlay.made_up_root import histograms, no_two_overlap, words

SCALES = st.floats(0.8, 2.5)


@given(st.lists(st.lists(st.floats(0.0, 9.0), max_size=60), min_size=1, max_size=4), st.floats(0.001, 0.1))
def test_a_histogram_counts_all_of_the_motion(values: list[list[float]], seconds: float) -> None:
    parts = [(np.array(each, float), seconds) for each in values]
    found = counting.count(parts, 0.1)
    assert found.seconds.sum() == pytest.approx(seconds * sum(map(len, values)))
    assert len(found.edges) == len(found.seconds) + 1 <= counting.BINS + 2
    everything = [value for each in values for value in each]
    for i in range(len(found.seconds)):
        inside = [v for v in everything if found.edges[i] <= v < found.edges[i + 1]]
        assert found.seconds[i] == pytest.approx(seconds * len(inside), abs=1e-9)


def test_walk_and_run_are_the_tops() -> None:
    found = histograms()
    assert found.actions == 3
    assert found.seconds == pytest.approx(23.0, abs=0.1)
    assert sorted(found.speeds.tops) == pytest.approx([1.4, 3.6], abs=0.1)
    assert found.speeds.tops[0] == pytest.approx(1.4, abs=0.1)  # there is more of it
    assert found.turns.tops == ()
    said = words(build.view3d_pixels(showing(root_histogram=found), region(), DARK))
    assert {"1.4", "3.6", "Speed, m/s", "Turn rate, °/s", "22.9 s of motion"} <= said


@given(st.floats(340.0, 900.0), st.floats(120.0, 300.0), SCALES)
@example(356.0, 126.0, 1.0)
def test_labels_of_histograms_stay_inside_and_apart(width: float, height: float, scale: float) -> None:
    panel = (5.0, 7.0, width * scale, height * scale)
    made = histogram.SpeedHistogram().shapes(None, histograms(), panel, scaled(DARK, scale))
    assert no_two_overlap(made)
    for shape in made:
        left, bottom, right, top = extent(shape)
        slack = 3.0 * scale
        assert panel[0] - slack <= left
        assert right <= panel[0] + panel[2] + slack
        assert panel[1] - slack <= bottom
        assert top <= panel[1] + panel[3] + slack


def test_bars_are_as_high_as_what_they_stand_for() -> None:
    found = histograms().speeds
    assert charts.highest_bar(found) < found.seconds[0]  # standing is cut off
    made = histogram.SpeedHistogram().shapes(None, histograms(), (0.0, 0.0, 470.0, 142.0), DARK)
    colour = theme.mixed(DARK.curve, DARK.panel, 0.2)
    bars = next(s for s in made if isinstance(s, FilledShape) and s.colour == colour)
    heights = bars.corners.reshape(-1, 6, 2)[:, 2, 1] - bars.corners[:, 1].min()
    shares = found.seconds[found.seconds > 0.0]
    np.testing.assert_allclose(heights[1:] / heights[1:].max(), shares[1:] / shares[1:].max(), atol=1e-3)
