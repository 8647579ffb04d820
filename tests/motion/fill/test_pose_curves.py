# SPDX-License-Identifier: GPL-3.0-or-later
"""The way from pose to pose without clips: both values, both velocities, and the shorter way round."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from inertia_addon.motion import quaternion
from inertia_addon.motion.decay.offset import ChannelMotion
from inertia_addon.motion.fill import pose_curves

Array = NDArray[np.float64]

VECTORS = arrays.arrays(float, (2, 3), elements=st.floats(-3.0, 3.0))
SECONDS = st.floats(0.1, 5.0)
PAIRS = arrays.arrays(float, 2, elements=st.floats(-3.0, 3.0))
AXES = np.eye(3)
KNOTS = arrays.arrays(float, (4, 3), elements=st.floats(-2.0, 2.0))
TINY = 1e-5


def moving(now: Array, rate: Array) -> ChannelMotion:
    """Vectors that go at a rate."""
    return ChannelMotion(now - 0.5 * TINY * rate, now, now + 0.5 * TINY * rate, TINY)


def turning(now: Array, rate: Array) -> ChannelMotion:
    """Rotations that turn at a rate."""
    before, after = (quaternion.multiply(quaternion.exp(s * TINY * rate), now) for s in (-0.5, 0.5))
    return ChannelMotion(before, now, after, TINY)


@given(places=VECTORS, rates=VECTORS, seconds=SECONDS)
def test_vectors_have_the_places_and_rates_of_both_ends(places: Array, rates: Array, seconds: float) -> None:
    ends = [moving(place[None], rate[None]) for place, rate in zip(places, rates, strict=True)]
    step = 1e-6 * seconds
    times = np.array([0.0, step, seconds - step, seconds])
    shown = pose_curves.connect_vectors(*ends, seconds, times)[:, 0]
    assert shown[[0, -1]] == pytest.approx(places, abs=1e-9)
    assert (shown[[1, 3]] - shown[[0, 2]]) / step == pytest.approx(rates, abs=2e-3)


@given(turns=VECTORS, rates=VECTORS, seconds=SECONDS)
def test_rotations_have_the_turns_and_velocities_of_both_ends(
    turns: Array, rates: Array, seconds: float
) -> None:
    both = quaternion.exp(0.5 * turns)
    ends = [turning(turn[None], rate[None]) for turn, rate in zip(both, rates, strict=True)]
    step = 1e-6 * seconds
    times = np.array([0.0, step, seconds - step, seconds])
    shown = pose_curves.connect_rotations(*ends, seconds, times)[:, 0]
    apart = quaternion.log(quaternion.multiply(shown[[0, -1]], quaternion.conjugate(both)))
    assert np.abs(apart).max() < 1e-6
    spins = quaternion.angular_velocity(shown[[0, 2]], shown[[1, 3]], np.full(2, step))
    assert spins == pytest.approx(rates, abs=2e-2)


def test_rotations_go_the_shorter_way_whatever_their_signs() -> None:
    start = np.array([[1.0, 0.0, 0.0, 0.0]])
    end = -quaternion.exp(np.array([[0.0, 0.0, math.radians(100.0)]]))
    still = np.zeros((1, 3))
    times = np.linspace(0.0, 1.0, 11)
    ends = turning(start, still), turning(end, still)
    shown = pose_curves.connect_rotations(*ends, 1.0, times)[:, 0]
    angles = quaternion.log(shown)[:, 2]
    assert np.all(np.diff(angles) > 0.0)
    assert angles[-1] == pytest.approx(math.radians(100.0))


def test_a_limb_swings_no_further_in_a_longer_gap() -> None:
    still, quick = np.zeros((1, 3)), np.array([[4.0, 0.0, 0.0]])
    ends = turning(np.array([[1.0, 0.0, 0.0, 0.0]]), quick), turning(np.array([[1.0, 0.0, 0.0, 0.0]]), still)
    highest = []
    for seconds in (0.5, 1.0, 2.0, 3.0):
        shown = pose_curves.connect_rotations(*ends, seconds, np.linspace(0.0, seconds, 401))[:, 0]
        highest.append(float(np.linalg.norm(quaternion.log(shown), axis=1).max()))
    # a third power has its highest at a third
    assert highest == pytest.approx([4.0 * 0.5 * 4.0 / 27.0, 4.0 * 4.0 / 27.0, 1.0, 1.0], abs=1e-3)


@given(KNOTS, arrays.arrays(float, 3, elements=SECONDS))
def test_vectors_pass_knots_exactly_and_without_a_kink(values: Array, gaps: Array) -> None:
    knot_times = np.concatenate([[0.0], np.cumsum(gaps)])
    still = np.zeros((1, 3))
    ends = [moving(values[[0]], still), moving(values[[-1]], still)]
    motions = [ends[0], *pose_curves.pass_vectors(values[:, None], knot_times), ends[1]]
    step = 1e-6 * gaps.min()
    times = np.unique(np.concatenate([knot_times, knot_times[1:-1] - step, knot_times[1:-1] + step]))
    shown = pose_curves.connect_all(pose_curves.connect_vectors, motions, knot_times, times)[:, 0]
    at = np.searchsorted(times, knot_times)
    assert shown[at] == pytest.approx(values, abs=1e-9)
    rates = np.diff(shown, axis=0) / np.diff(times)[:, None]
    for i in at[1:-1]:
        assert rates[i - 1] == pytest.approx(rates[i], abs=1e-2)


def test_rotations_pass_knots_as_evenly_as_they_turn() -> None:
    """Through even turns about one axis there is no other way than to turn evenly."""
    angles = np.array([0.0, 0.4, 1.0, 1.3])
    knot_times = 2.0 * angles
    spin = np.array([[0.0, 0.5, 0.0]])
    values = quaternion.exp(angles[:, None] * np.array([[0.0, 1.0, 0.0]]))[:, None]
    motions = [
        turning(values[0], spin),
        *pose_curves.pass_rotations(values, knot_times),
        turning(values[-1], spin),
    ]
    times = np.linspace(0.0, knot_times[-1], 27)
    shown = pose_curves.connect_all(pose_curves.connect_rotations, motions, knot_times, times)[:, 0]
    assert quaternion.log(shown)[:, 1] == pytest.approx(0.5 * times, abs=1e-6)


@given(angles=PAIRS, rates=PAIRS, seconds=SECONDS, axis=st.integers(0, 2))
def test_rotations_about_an_axis_go_back_as_they_came(
    angles: Array, rates: Array, seconds: float, axis: int
) -> None:
    ends = [
        turning(quaternion.exp(0.5 * a * AXES[axis]), r * AXES[axis])
        for a, r in zip(angles, rates, strict=True)
    ]
    back = [dataclasses.replace(end, before=end.after, after=end.before) for end in reversed(ends)]
    times = np.linspace(0.0, seconds, 9)
    there = pose_curves.connect_rotations(*ends, seconds, times)
    here = pose_curves.connect_rotations(*back, seconds, times)[::-1]
    np.testing.assert_allclose(np.abs(np.sum(there * here, axis=-1)), 1.0, atol=1e-6)
