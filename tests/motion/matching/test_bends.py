# SPDX-License-Identifier: GPL-3.0-or-later
"""Bends of straight clips: the same steps along an arc."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from inertia_addon.motion.matching import database

RATES = st.floats(-1.5, 1.5).filter(lambda rate: abs(rate) > 0.1)


@settings(max_examples=20, deadline=None)
@given(RATES, st.floats(0.5, 5.0), st.sampled_from([24.0, 30.0, 60.0]))
def test_a_straight_way_becomes_an_arc_of_its_speed_over_its_turning(
    rate: float, speed: float, fps: float
) -> None:
    seconds = np.arange(round(3.0 * fps)) / fps
    ground = np.stack([speed * seconds, np.full_like(seconds, 2.0)], axis=1)
    turn, places = database.bend_ground(ground, fps, rate)
    centre = ground[0] + (0.0, speed / rate)
    away = np.linalg.norm(places - centre, axis=1)
    np.testing.assert_allclose(away, abs(speed / rate), rtol=2e-3)
    np.testing.assert_allclose(turn, rate * seconds)
    np.testing.assert_array_equal(places[0], ground[0])


@settings(max_examples=30, deadline=None)
@given(st.floats(0.1, 6.0), st.sampled_from([24.0, 30.0, 60.0]), st.floats(0.0, 0.3))
def test_who_sets_out_or_stops_does_not_go_steadily(speed: float, fps: float, sway: float) -> None:
    seconds = np.arange(round(3.0 * fps)) / fps
    along = speed * (seconds + sway / (4.0 * np.pi) * np.sin(4.0 * np.pi * seconds))
    ground = np.stack([along, np.zeros_like(along)], axis=1)
    assert database.goes_steadily(ground, fps)
    still = np.repeat(ground[-1:], round(fps), axis=0)
    for other in (np.concatenate([ground, still]), np.concatenate([0.0 * still, ground]), still, ground[:1]):
        assert not database.goes_steadily(other, fps)


@settings(max_examples=20, deadline=None)
@given(RATES, st.integers(0, 2**31))
def test_steps_are_as_long_as_they_were(rate: float, seed: int) -> None:
    ground = np.cumsum(np.random.default_rng(seed).normal(size=(40, 2)), axis=0)
    _, places = database.bend_ground(ground, 30.0, rate)
    lengths = [np.linalg.norm(np.diff(way, axis=0), axis=1) for way in (ground, places)]
    np.testing.assert_allclose(*lengths)
