# SPDX-License-Identifier: GPL-3.0-or-later
"""The course of a body: what sways is taken out, what goes on stays, and a cycle's ends meet."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.motion import quaternion
from inertia_addon.motion.travel import course
from inertia_addon.motion.travel.course import BodyCourse

FPS = 30.0


def going(count: int, speed: float, turn: float, sway: float = 0.0, *, is_cycle: bool = False) -> BodyCourse:
    """Somebody on a circle, or straight on, who sways to the sides once a second and yaws as often."""
    seconds = np.arange(count) / FPS
    facings = turn * seconds
    radius = speed / turn if turn else 0.0
    if turn:
        places = radius * np.stack([np.sin(facings), 1.0 - np.cos(facings)], axis=1)
    else:
        places = speed * np.stack([seconds, 0.0 * seconds], axis=1)
    wave = sway * np.sin(2.0 * np.pi * seconds)
    aside = wave[:, None] * np.stack([-np.sin(facings), np.cos(facings)], axis=1)
    return BodyCourse(np.arange(count, dtype=float), places + aside, facings + wave, is_cycle)


@given(speed=st.floats(0.0, 5.0), way=st.floats(-3.0, 3.0), count=st.integers(2, 200))
def test_a_body_that_goes_evenly_straight_on_is_left_alone(speed: float, way: float, count: int) -> None:
    body = going(count, speed, 0.0)
    turning = BodyCourse(body.frames, body.places, way * body.frames / FPS)
    after = course.without_sway(turning, FPS)
    np.testing.assert_allclose(after.places, body.places, atol=1e-9 * max(1.0, speed * count))
    np.testing.assert_allclose(after.facings, turning.facings, atol=1e-9 * count)


@pytest.mark.parametrize("turn", [0.0, 1.0])
def test_a_cycle_goes_as_evenly_over_its_end_and_does_not_sway(turn: float) -> None:
    body = going(61, 1.3, turn, sway=0.08, is_cycle=True)
    after = course.without_sway(body, FPS)
    steps = np.diff(after.facings)
    # a hundredth of what it yaws is left, and it turns as fast at its ends as anywhere
    assert np.abs(steps * FPS - turn).max() < 0.01 * 0.08 * 2.0 * np.pi
    speeds = np.linalg.norm(np.diff(after.places, axis=0), axis=1) * FPS
    assert np.ptp(speeds) < 0.15 * 0.08 * 2.0 * np.pi
    c, s = np.cos(2.0 * turn), np.sin(2.0 * turn)
    first, last = after.places[1] - after.places[0], after.places[-1] - after.places[-2]
    behind = np.array([c * first[0] - s * first[1], s * first[0] + c * first[1]])
    np.testing.assert_allclose(last, behind, atol=2e-3)


@given(
    tilt=st.floats(-0.9, 0.9),
    turn=st.floats(-8.0, 8.0),
    rest=st.lists(st.floats(-1, 1), min_size=4, max_size=4),
)
def test_facing_is_the_turn_about_the_vertical_however_a_bone_rests(
    tilt: float, turn: float, rest: Any
) -> None:
    axes = quaternion.normalise(np.add(rest, (2.0, 0.0, 0.0, 0.0)))
    angles = np.linspace(0.0, turn, 60)
    upright = quaternion.exp(angles[:, None] * np.array([0.0, 0.0, 1.0]))
    leaning = quaternion.exp(tilt * np.array([[1.0, 0.0, 0.0]]))
    turned = quaternion.to_matrix(quaternion.multiply(quaternion.multiply(upright, leaning), axes[None]))
    found = course.facings(0.01 * turned, quaternion.to_matrix(axes))
    np.testing.assert_allclose(found, angles, atol=1e-6)


def test_a_body_that_rolls_over_faces_evenly_from_before_to_behind() -> None:
    roll = np.concatenate([np.zeros(10), np.linspace(0.0, 2.0 * np.pi, 30), np.zeros(10)])
    yaw = np.linspace(0.0, 0.5, 50)
    turns = quaternion.multiply(
        quaternion.exp(yaw[:, None] * np.array([0.0, 0.0, 1.0])),
        quaternion.exp(roll[:, None] * np.array([1.0, 0.0, 0.0])),
    )
    found = course.facings(quaternion.to_matrix(turns), np.eye(3))
    np.testing.assert_allclose(found, yaw, atol=1e-6)


def test_a_root_turns_only_with_who_turns() -> None:
    ten, quarter = np.radians(10.0), 0.5 * np.pi
    for mean, swing, turns, wanted in (
        (0.0, ten, "AUTO", (0.0, 0.0)),
        (0.0, ten, "ALL", (0.0, ten)),
        (quarter, ten, "AUTO", (quarter + ten / 2.0,) * 2),
        (quarter, ten, "NONE", (0.0, 0.0)),
        (0.0, quarter, "AUTO", (0.0, quarter)),
    ):
        body = BodyCourse(np.arange(11.0), np.zeros((11, 2)), mean + np.linspace(0.0, swing, 11))
        facings = course.turned_as(body, turns).facings
        assert (facings[0], facings[-1]) == pytest.approx(wanted)


def test_a_way_takes_a_place_along() -> None:
    body = going(31, 2.0, 1.0)
    motions = course.way_from(body, np.array([0.4, -0.2])).matrices()
    np.testing.assert_allclose(
        motions @ (0.4, -0.2, 0.0, 1.0), [[*p, 0.0, 1.0] for p in body.places], atol=1e-12
    )
