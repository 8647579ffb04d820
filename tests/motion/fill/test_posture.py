# SPDX-License-Identifier: GPL-3.0-or-later
"""The posture of both ends of a gap, kept by rotations that clips give between them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.motion import quaternion
from inertia_addon.motion.arrays import Array
from inertia_addon.motion.fill import posture

FPS = 60.0
SECONDS = st.floats(0.2, 4.0)
SEEDS = st.integers(0, 10_000)


def gap(seconds: float, seed: int, most: float = 0.6, bones: int = 4) -> tuple[Array, Array]:
    """Times (n,) of a gap, and rotations (n, bones, 4) that sway by so many radians, smoothly."""
    chance = np.random.default_rng(seed)
    times = np.arange(round(seconds * FPS) + 1) / FPS
    phase, rate = chance.uniform(0.0, 6.0, (2, bones, 3))
    sway = most * np.sin(phase + rate * times[:, None, None]) / np.sqrt(3.0)
    rest = quaternion.normalise(chance.normal(size=(bones, 4)))
    return times, quaternion.multiply(rest, quaternion.exp(sway))


def angles(a: Array, b: Array) -> Array:
    """How far rotations are from others, radians."""
    return np.asarray(
        np.linalg.norm(quaternion.log(quaternion.multiply(a, quaternion.conjugate(b))), axis=-1)
    )


@given(SECONDS, SEEDS, st.floats(0.0, 3.0))
def test_ends_of_a_posture_stay_with_their_rates(seconds: float, seed: int, size: float) -> None:
    times, turns = gap(seconds, seed)
    apart = np.random.default_rng(seed).normal(0.0, 0.5 * size, (2, turns.shape[1], 3))
    kept = posture.keep_posture(turns, apart, posture.drawn(posture.unlike(apart), times), times, 0.4)
    off = angles(kept, turns)
    assert off[[0, -1]].max() < 1e-7
    # what is added begins as the cube of the time: a frame away nothing of it is seen in the velocity
    assert off[[1, -2]].max() < 200.0 * max(size, 0.1) / max(1.0, (min(seconds, 0.5) * FPS) ** 3)
    assert np.linalg.norm(kept, axis=-1) == pytest.approx(1.0)


@given(SECONDS, SEEDS)
def test_a_clip_that_is_like_both_ends_is_played_as_it_is(seconds: float, seed: int) -> None:
    times, turns = gap(seconds, seed)
    kept = posture.keep_posture(
        turns, np.zeros((2, turns.shape[1], 3)), posture.drawn(0.0, times), times, 0.4
    )
    assert angles(kept, turns).max() < 1e-7


@given(st.floats(1.5, 4.0), SEEDS)
def test_the_less_it_is_like_them_the_nearer_it_comes_to_the_straight_way(seconds: float, seed: int) -> None:
    times, turns = gap(seconds, seed)
    across = quaternion.log(quaternion.multiply(turns[-1], quaternion.conjugate(turns[0])))
    middle = len(times) // 2
    straight = quaternion.multiply(quaternion.exp(times[middle] / times[-1] * across), turns[0])
    none, off = np.zeros((2, turns.shape[1], 3)), []
    for away in (0.0, 0.2, 0.6, 3.0):
        kept = posture.keep_posture(turns, none, posture.drawn(away, times), times, 0.4)
        off.append(angles(kept[middle], straight))
    assert np.all(np.diff(off, axis=0) < 1e-9)
    # by the sine of how far it is off, see there
    np.testing.assert_allclose(off[-1], off[0] - 9.0 / 9.09 * np.sin(off[0]), atol=1e-6)


def test_a_character_that_stoops_at_both_ends_stoops_between() -> None:
    times, _ = gap(2.0, 0)
    upright = np.tile(quaternion.IDENTITY, (len(times), 1, 1))
    stooped = np.array([[[0.6, 0.0, 0.0]], [[0.6, 0.0, 0.0]]])
    # what joins leave of it: it is there at both ends, and gone within their blend
    since = np.minimum(times, times[-1] - times) / 0.4
    faded = 0.6 * np.clip(1.0 - since, 0.0, 1.0) ** 2
    turns = quaternion.multiply(quaternion.exp(faded[:, None, None] * np.array([1.0, 0.0, 0.0])), upright)
    kept = posture.keep_posture(turns, stooped, posture.drawn(posture.unlike(stooped), times), times, 0.4)
    assert quaternion.log(kept)[:, 0, 0].min() > 0.3
    assert quaternion.log(turns)[:, 0, 0].min() == pytest.approx(0.0)


@given(SEEDS)
def test_half_a_turn_apart_nothing_flips(seed: int) -> None:
    times, turns = gap(2.0, seed, bones=1)
    # in the middle it is more than half a turn off the straight way
    there = np.pi * 1.3 * np.sin(np.pi * times / times[-1]) ** 2
    turns = quaternion.multiply(quaternion.exp(there[:, None, None] * np.array([0.0, 0.0, 1.0])), turns)
    kept = posture.keep_posture(turns, np.zeros((2, 1, 3)), posture.drawn(2.0, times), times, 0.4)
    step = angles(turns[1:], turns[:-1]).max()
    assert angles(kept[1:], kept[:-1]).max() < 4.0 * step


@given(SECONDS, SEEDS, st.floats(0.1, 3.0))
def test_the_root_is_drawn_to_its_cubic_and_both_ends_stay(seconds: float, seed: int, away: float) -> None:
    chance = np.random.default_rng(seed)
    # as from half a frame to half a frame
    times = np.concatenate([[0.0], (np.arange(round(seconds * FPS)) + 0.5) / FPS])
    whole, s = times[-1], times / times[-1]
    ends = chance.normal(size=(2, 3))
    leaving, arriving = chance.normal(size=(2, 3))
    cubic = np.stack([_hermite(s, ends[:, i], leaving[i] * whole, arriving[i] * whole) for i in range(3)], -1)
    places = cubic + 0.3 * np.sin(np.pi * s)[:, None] ** 2
    part = posture.drawn(away, times)
    moved = places + posture.led(places, leaving, arriving, part, times)
    assert moved[[0, -1]] == pytest.approx(places[[0, -1]])
    off, was = (np.linalg.norm(each - cubic, axis=1) for each in (moved, places))
    assert np.all(off <= was + 1e-9)
    middle = len(times) // 2
    assert off[middle] == pytest.approx((1.0 - posture.ROOT * part[middle]) * was[middle])


def _hermite(s: Array, ends: Array, leaving: float, arriving: float) -> Array:
    """A cubic by its four conditions, solved as they stand."""
    rows = [[1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0], [0.0, 1.0, 0.0, 0.0], [0.0, 1.0, 2.0, 3.0]]
    return np.asarray(np.polynomial.polynomial.polyval(s, np.linalg.solve(rows, [*ends, leaving, arriving])))


@given(SECONDS, SEEDS)
def test_headings_turn_more_steadily_and_both_ends_stay(seconds: float, seed: int) -> None:
    times, _ = gap(seconds, seed)
    s = times / times[-1]
    headings = 3.0 * s + np.sin(2.0 * np.pi * s)
    turned = headings + posture.faced(headings, posture.drawn(1.0, times), times)
    assert turned[[0, -1]] == pytest.approx(headings[[0, -1]])
    steady = 3.0 * s * s * (3.0 - 2.0 * s)
    assert np.all(np.abs(turned - steady) <= np.abs(headings - steady) + 1e-9)


@given(SECONDS, st.floats(-50.0, 50.0))
def test_a_posture_is_drawn_alike_whenever_a_gap_begins(seconds: float, later: float) -> None:
    times = np.linspace(0.0, seconds, 30)
    part = posture.drawn(0.8, times)
    np.testing.assert_allclose(posture.drawn(0.8, times + later), part, atol=1e-6)
    np.testing.assert_allclose(part, part[::-1], atol=1e-9)
