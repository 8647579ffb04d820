# SPDX-License-Identifier: GPL-3.0-or-later
"""Both ends of a loop meet, in value and slope, whatever the curve and wherever a repetition goes."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from inertia_addon.motion import quaternion
from inertia_addon.motion.decay.decay import Method
from inertia_addon.motion.loops import closing
from inertia_addon.motion.loops.closing import ClosingBlend, Ends

PERIOD, STEP = 1.3, 1e-4


def around(t: float) -> np.ndarray:
    """Three times about one, within a loop."""
    return np.clip(t, STEP, PERIOD - STEP) + np.array([-STEP, 0.0, STEP])


def vectors_at(t: np.ndarray) -> np.ndarray:
    return np.stack([np.sin(3.0 * t), 0.4 * t * t, np.cos(2.0 * t) + t], axis=1)


def turns_at(t: np.ndarray) -> np.ndarray:
    return quaternion.exp(np.stack([0.7 * np.sin(2.0 * t), t, 0.5 * np.cos(5.0 * t)], axis=1))


def moved(values: np.ndarray, axes: np.ndarray, shift: np.ndarray, *, is_rotation: bool) -> np.ndarray:
    if is_rotation:
        return quaternion.multiply(quaternion.from_matrix(axes), values)
    return values @ axes.T + shift


@pytest.mark.parametrize("is_rotation", [False, True])
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("method", list(Method))
def test_the_end_goes_on_into_the_next_beginning(method: Method, share: float, *, is_rotation: bool) -> None:
    at = turns_at if is_rotation else vectors_at
    axes = quaternion.to_matrix(quaternion.exp(np.array([0.0, 0.0, 0.6])))
    shift = np.array([2.0, -1.0, 0.3])
    ends = ends_of(at, axes, shift, is_rotation=is_rotation)
    blend = ClosingBlend(method, 0.1 if method is Method.SPRING else PERIOD, PERIOD, share)

    def loop(t: np.ndarray) -> np.ndarray:
        return closing.closed(at(t), t, ends, blend, is_rotation=is_rotation)

    first = loop(np.array([0.0, STEP, 2.0 * STEP]))
    last = loop(PERIOD - np.array([2.0 * STEP, STEP, 0.0]))
    following = moved(first, axes, shift, is_rotation=is_rotation)
    if is_rotation:
        following *= np.sign(np.sum(following * last, axis=1))[:, None]
    assert_allclose(last[-1], following[0], atol=1e-12)
    here = closing.measure_rates(
        following[[1, 0, 2]], np.array([STEP, 0.0, 2.0 * STEP]), is_rotation=is_rotation
    )
    there = closing.measure_rates(
        last[[0, 2, 1]], np.array([-2.0 * STEP, 0.0, -STEP]), is_rotation=is_rotation
    )
    # differences of second order
    assert_allclose(here, there, atol=1e-4)
    # who stays as it is
    for row, t, stays in ((last[-1], PERIOD, share == 1.0), (first[0], 0.0, share == 0.0)):
        own = at(np.array([t]))[0]
        same = abs(row @ own) if is_rotation else -np.linalg.norm(row - own)
        assert (same > (1.0 if is_rotation else 0.0) - 1e-9) == stays


def ends_of(at: object, axes: np.ndarray, shift: np.ndarray, *, is_rotation: bool) -> Ends:
    """The ends of a stretch, the second as the first one of a repetition would be to go on from it."""
    x, v = [], []
    for t in (0.0, PERIOD):
        values = at(t + np.array([-STEP, 0.0, STEP]))  # type: ignore[operator]
        x.append(values[1])
        v.append(closing.measure_rates(values, np.array([-STEP, 0.0, STEP]), is_rotation=is_rotation))
    back = axes.T
    x[1] = moved(x[1][None], back, -back @ shift, is_rotation=is_rotation)[0]
    v[1] = back @ v[1]
    return Ends(np.stack(x), np.stack(v), axes)


def test_rates_are_those_of_the_parabola_from_either_side() -> None:
    times = np.array([0.2, 0.0, 0.4])
    values = np.stack([3.0 * times**2 - 2.0 * times, times], axis=1)
    assert_allclose(closing.measure_rates(values, times, is_rotation=False), [-2.0, 1.0], atol=1e-12)
    spins = quaternion.exp(times[:, None] * np.array([0.0, 1.5, 0.0]))
    assert_allclose(closing.measure_rates(spins, times, is_rotation=True), [0.0, 1.5, 0.0], atol=1e-12)


def test_a_loop_that_is_closed_already_stays() -> None:
    t = np.linspace(0.0, PERIOD, 20)
    values = np.sin(2.0 * np.pi * t / PERIOD)[:, None]
    ends = Ends(np.zeros((2, 1)), np.full((2, 1), 2.0 * np.pi / PERIOD))
    assert_allclose(
        closing.closed(values, t, ends, ClosingBlend(Method.SOFT, 1.0, PERIOD, 0.5), is_rotation=False),
        values,
    )
