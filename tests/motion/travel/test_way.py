# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways over the ground: there and back, and from rates to places and the other way."""

from __future__ import annotations

import dataclasses

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from inertia_addon.motion.travel import way
from inertia_addon.motion.travel.way import GroundPath
from tests.motion.travel import walker

RATES = st.lists(
    st.tuples(st.floats(-5, 5), st.floats(-5, 5), st.floats(-6, 6)), min_size=1, max_size=12
).map(lambda rows: np.array(rows, float))


@given(RATES, st.floats(10, 120))
def test_a_point_that_goes_with_the_ground_stays_where_it_is(rates: np.ndarray, fps: float) -> None:
    frames = np.arange(len(rates) + 1.0)
    led = way.along(frames, rates, fps)
    # a point of the ground, carried by the rates in steps so small that no formula is needed
    point, seen = np.array([0.7, -0.3]), [np.array([0.7, -0.3, 0.2])]
    for x, y, spin in rates:
        for _ in range(200):
            middle = point + 0.0025 / fps * np.array([x - spin * point[1], y + spin * point[0]])
            point = point + 0.005 / fps * np.array([x - spin * middle[1], y + spin * middle[0]])
        seen.append(np.array([*point, 0.2]))
    moved = led.carry(np.array(seen))
    assert np.abs(moved - moved[0]).max() < 1e-4


@given(RATES, st.floats(10, 120))
def test_rates_and_ways_are_inverse(rates: np.ndarray, fps: float) -> None:
    fps = max(fps, 2.5 * float(np.abs(rates[:, 2]).max()) / np.pi)
    frames = 3.0 + 0.5 * np.arange(len(rates) + 1.0)
    led = way.along(frames, rates, fps)
    assert np.allclose(way.rates_of(led, fps), rates, atol=1e-7)
    assert np.allclose(way.of_matrices(frames, led.matrices()).places, led.places, atol=1e-9)
    assert np.allclose(way.of_matrices(frames, led.matrices()).turns, led.turns, atol=1e-9)


@given(RATES)
def test_a_way_there_and_back_is_nowhere(rates: np.ndarray) -> None:
    led = way.along(np.arange(len(rates) + 1.0), rates, 30.0)
    both = led.backwards().matrices() @ led.matrices()
    assert np.allclose(both, np.eye(4), atol=1e-9)
    points = np.ones((len(rates) + 1, 2, 3))
    assert np.allclose(led.backwards().carry(led.carry(points)), points, atol=1e-9)


def test_a_way_goes_evenly_between_frames() -> None:
    led = GroundPath(np.array([1.0, 2.0]), np.array([[0.0, 0.0], [2.0, 4.0]]), np.array([0.0, 1.0]))
    (half,) = led.matrices([1.5])
    assert np.allclose(half[:2, 3], (1.0, 2.0))
    assert np.isclose(np.arctan2(half[1, 0], half[0, 0]), 0.5)
    assert np.allclose(led.scaled(0.01).matrices()[1, :2, 3], (0.02, 0.04))


FAST = settings(max_examples=4, deadline=None)


@FAST
@given(speed=st.floats(0.6, 2.5), length=st.sampled_from([0.05, 1.0, 4.0]), is_cycle=st.booleans())
def test_a_walk_in_place_is_seen_at_any_speed_and_size(
    speed: float, length: float, *, is_cycle: bool
) -> None:
    made = walker.way(1.0 if is_cycle else 4.0, 30.0, speed, 0.0)
    seen = walker.walker(made, 30.0, length, is_cycle=is_cycle)
    found = walker.ground_below(seen)
    assert way.walks(seen, found)
    assert way.skates(seen, found.rates).sum() < 0.1 * way.skates(seen, 0.0 * found.rates).sum()
    assert way.speed(seen, found.rates) < 1.05 * speed * length


def test_a_character_that_stands_or_travels_does_not_walk_in_place() -> None:
    made = walker.way(4.0, 30.0, 1.3, 0.0)
    seen = walker.walker(made, 30.0)
    stays = np.repeat(seen.soles[:1], len(seen.soles), axis=0)
    sways = stays + 0.01 * np.sin(np.arange(len(stays)))[:, None, None] * (1.0, 1.0, 0.0)
    there = way.GroundPath(made.frames, made.places, made.turns)
    for soles, middle in (
        (stays, np.repeat(seen.middle[:1], len(stays), axis=0)),
        (sways, np.repeat(seen.middle[:1], len(stays), axis=0)),
        (there.carry(seen.soles), there.carry(seen.middle)),
    ):
        other = dataclasses.replace(seen, soles=soles, middle=middle)
        assert not way.walks(other, walker.ground_below(other))
