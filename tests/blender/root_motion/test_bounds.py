# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of a half-life whose interval is open, and the axes of a root."""

from __future__ import annotations

import math

import numpy as np
import pytest

from inertia_addon.blender.root_motion import measure
from inertia_addon.blender.root_motion.measure import CLOSED_FORM, LEAST_SQUARES
from inertia_addon.motion.root_motion.half_life import SpringFit
from inertia_addon.motion.root_motion.ramps import Ramp


def ramp(low: float, high: float) -> Ramp:
    """A whole ramp whose half-life is 0.3 s by its peak rate, and 0.25 s by a fit with this interval."""
    fit = SpringFit(0.25, low, high, 1.0, 0.0, 2.0, 0.01, 1.0)
    return Ramp(
        0.0,
        4.0,
        0.0,
        2.0,
        2.0,
        1.3,
        0.4,
        0.3,
        fit,
        0.99,
        begins_before=False,
        ends_after=False,
        resolved=True,
    )


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (0.2, 0.4, (0.25, "=")),
        (0.2, math.inf, (0.2, ">")),
        (0.0, 0.4, (0.4, "<")),
        (0.0, math.inf, (0.25, "?")),
    ],
)
def test_a_half_life_is_a_bound_where_its_interval_is_open(
    low: float, high: float, said: tuple[float, str]
) -> None:
    assert measure.bounded(ramp(low, high), LEAST_SQUARES) == said
    assert measure.bounded(ramp(low, high), CLOSED_FORM) == (0.3, "=")
    wanted = (low, high) if said[1] == "=" else None
    assert measure.interval(ramp(low, high), LEAST_SQUARES) == wanted
    assert measure.interval(ramp(low, high), CLOSED_FORM) is None


@pytest.mark.parametrize("axis", measure.OWN_AXES)
def test_axes_of_a_root_are_the_unit_vectors_that_they_are_called_by(axis: str) -> None:
    wanted = np.zeros(3)
    wanted["XYZ".index(axis[-1])] = -1.0 if axis.startswith("-") else 1.0
    assert measure.OWN_AXES[axis] == pytest.approx(wanted)
