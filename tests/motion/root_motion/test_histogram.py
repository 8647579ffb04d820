# SPDX-License-Identifier: GPL-3.0-or-later
"""Histograms of root motion: the width of their bins, their units, and the values that stand out."""

from __future__ import annotations

import numpy as np
import pytest

from inertia_addon.motion.root_motion import histogram
from inertia_addon.motion.root_motion.measure import Curves, Measured, RootMotion
from inertia_addon.motion.root_motion.ramps import Series


def test_turns_are_counted_in_degrees_a_second_to_either_side() -> None:
    seconds = np.arange(61.0) / 30.0
    between = np.zeros(60)
    for sign in (1.0, -1.0):
        curves = Curves(between, between, 0.5 * np.pi * sign * seconds, np.full(61, 0.5 * np.pi * sign), 0.0)
        measured = Measured(curves, None, (0.0, 2.0), (), (), np.pi * sign, travels=False, turns_at_all=True)
        motion = RootMotion(
            30.0,
            np.arange(61.0),
            Series(seconds[1:], between),
            Series(seconds, curves.facing),
            0.0,
            (),
        )
        counted = histogram.count_all([(motion, measured)])
        assert counted.turns.tops == pytest.approx([90.0])
        assert (counted.actions, counted.seconds) == (1, pytest.approx(2.0))


@pytest.mark.parametrize(
    ("highest", "width"), [(3.9, 0.1), (5.0, 0.2), (15.0, 0.5), (39.0, 1.0), (70.0, 2.0), (300.0, 10.0)]
)
def test_bins_are_round_and_at_most_about_forty(highest: float, width: float) -> None:
    counted = histogram.count([(np.array([0.0, highest]), 0.1)], 0.01)
    assert np.diff(counted.edges) == pytest.approx(width)
    assert counted.edges[0] == 0.0
    assert counted.edges[-1] > highest
    assert len(counted.seconds) <= histogram.BINS + 1
    assert counted.seconds.sum() == pytest.approx(0.2)


def test_tops_are_means_of_what_is_within_one_and_a_half_bins() -> None:
    # bins are 0.1 wide; what is two bins further on the flank is not of the top
    counted = histogram.count([(np.array([1.05] * 10 + [1.25] + [3.9]), 1.0)], 0.01)
    assert np.diff(counted.edges) == pytest.approx(0.1)
    assert counted.tops[0] == pytest.approx(1.05)
