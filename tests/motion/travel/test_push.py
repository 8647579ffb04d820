# SPDX-License-Identifier: GPL-3.0-or-later
"""How the ground pushes a body: from where it stands towards its middle, and not at all in a flight."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from inertia_addon.motion.travel import push

RATE, LENGTH = 120.0, 0.9
SECONDS = np.arange(181) / RATE


@settings(max_examples=20, deadline=None)
@given(st.floats(-0.4, 0.4), st.floats(-0.4, 0.4))
def test_a_pendulum_that_falls_over_is_known_from_where_it_stands(x: float, v: float) -> None:
    """The middle stays as high, and so falls away from the foot as cosh and sinh tell (the linear inverted
    pendulum)."""
    height = 1.1
    rate = np.sqrt(push.GRAVITY / LENGTH / height)
    t = SECONDS[:61]
    gone = x * np.cosh(rate * t) + v / rate * np.sinh(rate * t)
    # as seen from the middle itself: in place
    soles = np.stack([-gone, np.zeros_like(t), np.zeros_like(t)], axis=1)[:, None]
    middle = np.tile((0.0, 0.0, height), (len(t), 1))
    known = push.Push.of(soles, middle, RATE, LENGTH).pushed(np.ones((len(t) - 1, 1)))
    wanted = rate**2 * 0.5 * (gone[1:] + gone[:-1])
    np.testing.assert_allclose(known[8:-8, 0], wanted[8:-8], rtol=5e-3, atol=1e-3)
    np.testing.assert_allclose(known[:, 1], 0.0, atol=1e-12)


def test_in_a_flight_it_goes_on_evenly() -> None:
    heights = 2.0 - 0.5 * push.GRAVITY / LENGTH * (SECONDS - 0.75) ** 2
    middle = np.column_stack([0.0 * SECONDS, 0.0 * SECONDS, heights])
    soles = np.tile((0.3, 0.1, 0.0), (len(SECONDS), 1, 1))
    known = push.Push.of(soles, middle, RATE, LENGTH).pushed(np.ones((len(SECONDS) - 1, 1)))
    assert np.abs(known[20:-20]).max() < 1e-6


def test_who_is_not_in_metres_falls_as_people_do() -> None:
    soles, middle = np.zeros((30, 1, 3)), np.tile((0.2, 0.0, 1.1), (30, 1))
    giant, person = (push.Push.of(soles, middle, RATE, length).carried for length in (90.0, push.USUAL))
    np.testing.assert_allclose(giant, person)
