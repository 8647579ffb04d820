# SPDX-License-Identifier: GPL-3.0-or-later
"""Where joints will be is where the source has them at the cut and the destination has them at the end."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from inertia_addon.motion.cost import prediction, quality
from inertia_addon.motion.cost.prediction import Passage
from inertia_addon.motion.decay import decay, guard
from inertia_addon.motion.decay.decay import Method

FPS, SECONDS, FRAMES = 30.0, 0.4, 15
SHIFT = np.array([[0.1, 0.0, 0.0], [0.0, -0.2, 0.05]])
"""Of two joints."""
FREE, CHAIN = (-1, -1), (-1, 0)
"""The joints' parents: none, or the first one."""


def passage(x: np.ndarray = SHIFT, v: np.ndarray | None = None) -> Passage:
    """A destination that goes on evenly; the source is so far from it and moves so much faster."""
    v = np.zeros_like(x) if v is None else v
    pace = np.array([0.6, 0.3, 0.0])
    way = np.arange(FRAMES)[:, None, None] / FPS * pace
    destination = np.broadcast_to(way, (FRAMES, len(x), 3))
    return Passage(x - (pace + v) / FPS, x, pace + v, destination, np.tile(pace, (len(x), 1)), np.zeros(3))


@pytest.mark.parametrize("method", Method)
def test_it_begins_in_the_source_and_ends_in_the_destination(method: Method) -> None:
    seconds = SECONDS / 6.0 if method is Method.SPRING else SECONDS
    found = passage()
    left = prediction.offsets(found, FREE, method, seconds, FPS)
    result = prediction.result(found, left)
    assert len(result) == FRAMES + 1
    np.testing.assert_allclose(result[:2], [found.before, found.position], atol=1e-12)
    np.testing.assert_allclose(result[-1], found.destination[-1], atol=0.06 * np.abs(SHIFT).max())


def test_what_goes_on_as_it_was_does_not_pop() -> None:
    found = passage(v=np.array([[0.4, 0.0, 0.0], [0.0, 0.5, 0.0]]))
    left = prediction.offsets(found, FREE, Method.SMOOTH, SECONDS, FPS)
    kept = quality.velocity_changes(prediction.result(found, left)[:3], FPS)[0]
    gone = quality.velocity_changes(prediction.result(found, np.zeros_like(left))[:3], FPS)[0]
    assert kept < 0.1 * gone


def test_a_foot_that_stands_elsewhere_slides_all_the_way() -> None:
    found = passage()
    none = np.zeros((2, 3))
    still = Passage(None, found.position, none, np.zeros((FRAMES, 2, 3)), none, none[0])
    left = prediction.offsets(still, FREE, Method.CUBIC, SECONDS, FPS)
    assert prediction.result(still, left).shape == (FRAMES, 2, 3)
    slides = quality.foot_slides(prediction.result(still, left), np.zeros(2), 1e9)
    np.testing.assert_allclose(slides, np.linalg.norm(SHIFT[:, :2], axis=1), rtol=1e-9)


@pytest.mark.parametrize("speed", [-3.0, -1.5, 0.0, 2.0])
def test_swings_are_those_of_the_guard(speed: float) -> None:
    x, v = np.array([[0.1, 0.0, 0.0]]), np.array([[speed, 0.0, 0.0]])
    fine = passage(x, v)
    fine = dataclasses.replace(fine, destination=np.zeros((1000, 1, 3)))
    left = prediction.offsets(fine, [-1], Method.SOFT, SECONDS, 40.0 * FPS)
    past, grown = prediction.swings(left)
    expected = guard.excursion(Method.SOFT, x, v, SECONDS)[0]
    assert max(past[0], grown[0]) == pytest.approx(expected, abs=1e-4)
    assert (past[0] > 1e-6) == (speed < -1.0)


@pytest.mark.parametrize("angle", [0.4, 2.5, np.pi])
def test_a_limb_keeps_its_length_and_turns_by_what_is_left_of_its_angle(angle: float) -> None:
    joints = np.array([[0.0, 0.0, 1.0], [0.0, 0.5, 1.0]])
    turned = joints[0] + 0.5 * np.array([0.0, np.cos(angle), np.sin(angle)])
    destination, still = np.tile(joints, (FRAMES, 1, 1)), np.zeros((2, 3))
    found = Passage(None, np.stack([joints[0], turned]), still, destination, still, np.zeros(3))
    result = prediction.result(found, prediction.offsets(found, CHAIN, Method.CUBIC, SECONDS, FPS))
    ways = result[:, 1] - result[:, 0]
    np.testing.assert_allclose(np.linalg.norm(ways, axis=1), 0.5, atol=1e-9)
    times = np.arange(FRAMES)[:, None] / FPS
    weights = decay.make(Method.CUBIC, still, still, np.full(2, SECONDS)).weights(times)
    angles = np.arccos(np.clip(ways[:, 1] / 0.5, -1.0, 1.0))
    np.testing.assert_allclose(angles, angle * weights[0][:, 0], atol=1e-6)


def test_dead_blending_slows_down_and_fades() -> None:
    found = passage(v=np.array([[0.4, 0.0, 0.0], [0.0, 0.5, 0.0]]))
    left = prediction.dead_offsets(found, SECONDS, 0.25, FPS)
    np.testing.assert_allclose(left[0], SHIFT, atol=1e-12)
    np.testing.assert_allclose(left[round(SECONDS * FPS) :], 0.0, atol=1e-12)
    # what moves evenly with the whole character goes on with it
    even = dataclasses.replace(passage(), travel=passage().velocity[0])
    left = prediction.dead_offsets(even, SECONDS, 0.25, FPS)
    np.testing.assert_allclose(left[:, 0, 0] / SHIFT[0, 0], left[:, 1, 1] / SHIFT[1, 1], atol=1e-9)
