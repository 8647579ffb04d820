# SPDX-License-Identifier: GPL-3.0-or-later
"""The optimiser's steps are those of the paper's algorithm, however its sums are kept."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.motion.learned import networks
from inertia_addon.motion.learned.networks import Optimiser


def test_steps_are_those_of_the_algorithm(monkeypatch: pytest.MonkeyPatch) -> None:
    # in more parts than one
    monkeypatch.setattr(networks, "CHUNK", 3)
    random = np.random.default_rng(1)
    own = Optimiser.begin(random.normal(size=7))
    values, mean, square = own.values.copy(), np.zeros(7), np.zeros(7)
    longest = 2.0 / (1.0 - 0.999) - 1.0
    for n in range(1, 31):
        slope = random.normal(size=7)
        mean = 0.9 * mean + 0.1 * slope
        square = 0.999 * square + 0.001 * slope**2
        straight = mean / (1.0 - 0.9**n)
        length = longest - 2.0 * n * 0.999**n / (1.0 - 0.999**n)
        if length > 5.0:
            part = ((length - 4.0) * (length - 2.0) * longest) / ((longest - 4.0) * (longest - 2.0) * length)
            values -= 0.01 * math.sqrt(part) * straight / (np.sqrt(square / (1.0 - 0.999**n)) + 1e-8)
        else:
            values -= 0.01 * straight
        own.step(slope, 0.01)
        np.testing.assert_allclose(own.values, values, rtol=1e-9)


@given(st.floats(1e-6, 1.0), st.floats(0.0, 3.0))
def test_the_rate_falls_evenly_to_a_small_part_and_stays_there(first: float, done: float) -> None:
    assert networks.rate_at(first, 0.0) == first
    last = networks.rate_at(first, 1.0)
    assert last == pytest.approx(networks.LAST * first)
    assert networks.rate_at(first, done) == pytest.approx(np.interp(done, [0.0, 1.0], [first, last]))
