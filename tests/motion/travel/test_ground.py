# SPDX-License-Identifier: GPL-3.0-or-later
"""The ground below who moves in place: what feet that stand on it tell."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inertia_addon.motion.travel import ground, way
from tests.motion.travel import walker

FAST = settings(max_examples=4, deadline=None)


def led(seen: ground.ClipFeet) -> way.GroundPath:
    """The way that the ground below a walker leads."""
    return way.along(seen.frames, walker.ground_below(seen).rates, seen.fps)


@FAST
@given(st.floats(0.8, 2.5), st.sampled_from([24.0, 30.0, 60.0, 120.0]), st.sampled_from([0.01, 1.0, 90.0]))
def test_a_straight_walk_is_found_at_any_speed_rate_and_scale(
    speed: float, fps: float, length: float
) -> None:
    made = walker.way(4.0, fps, speed, 0.0)
    found = led(walker.walker(made, fps, length)).scaled(1.0 / length)
    gone = 4.0 * speed
    assert np.abs(found.places - made.places).max() < 0.02 * gone
    assert np.abs(found.turns).max() < np.radians(1.0)


@FAST
@given(st.floats(-1.2, 1.2).filter(lambda turn: abs(turn) > 0.5))
def test_a_walk_that_turns_is_found_to_turn(turn: float) -> None:
    made = walker.way(4.0, 30.0, 1.2, turn)
    found = led(walker.walker(made, 30.0))
    assert np.abs(found.turns - made.turns).max() < 0.02 * np.abs(made.turns).max()
    assert np.linalg.norm(found.places - made.places, axis=1).max() < 0.02 * 4.0 * 1.2


def test_the_ground_does_not_turn_where_that_is_said() -> None:
    seen = walker.walker(walker.way(4.0, 30.0, 1.2, 0.8), 30.0)
    assert np.abs(walker.ground_below(seen, turns=False).rates[:, 2]).max() < 0.01
    turning = walker.ground_below(seen, turns=True).rates[:, 2]
    assert np.abs(np.cumsum(turning + 0.8)).max() / 30.0 < 0.02 * 0.8 * 4.0


def test_a_quick_body_that_is_not_pushed_aside_tells_of_a_turn_in_a_flight() -> None:
    """Feet that pivot by half of what the ground turns; the body goes straight on in the world."""
    fps, speed, turn = 60.0, 4.0, 1.0
    t = np.arange(121) / fps
    steps, part = np.divmod(t, 0.4)
    # each foot stands for a quarter of a step, below the middle in the middle of it
    heading = turn * (0.5 * (steps * 0.4 + 0.05) + 0.5 * t)
    way_ = way.GroundPath(np.arange(121.0), np.column_stack([speed * t, 0.0 * t]), 0.0 * t)
    height = 16.0 * np.clip((part - 0.1) / 0.3, 0.0, 1.0) ** 2 * np.clip((0.4 - part) / 0.3, 0.0, 1.0) ** 2
    stood = speed * (steps * 0.4 + 0.05)
    soles = np.empty((121, 3, 3))
    for k, along in enumerate((-0.1, 0.0, 0.1)):
        soles[:, k, 0] = stood + speed * 0.4 * np.clip((part - 0.1) / 0.3, 0.0, 1.0)
        soles[:, k, 1] = 0.0
        soles[:, k, :2] += along * np.column_stack([np.cos(heading), np.sin(heading)])
        soles[:, k, 2] = 0.3 * height
    own = way.GroundPath(way_.frames, way_.places, turn * t)
    inverse = own.backwards()
    rises = 1.0 - 0.5 * 9.81 * np.clip(part - 0.1, 0.0, None) * (part - 0.4)
    seen = ground.ClipFeet(
        way_.frames,
        inverse.carry(soles),
        inverse.carry(np.column_stack([way_.places, rises])),
        1.0,
        fps,
        is_cycle=False,
    )
    assert np.degrees(abs(led(seen).turns[-1] - own.turns[-1])) < 10.0


def test_a_cycle_goes_on_over_its_end() -> None:
    made = walker.way(1.0, 30.0, 1.5, 0.0)
    found = walker.ground_below(walker.walker(made, 30.0, is_cycle=True))
    steps = np.linalg.norm(np.diff(np.concatenate([found.rates, found.rates[:1]]), axis=0), axis=1)
    assert steps[-1] <= 1.5 * steps[:-1].max()
    # quickest where it is
    speeds = np.linalg.norm(np.diff(made.places, axis=0), axis=1) * 30.0
    np.testing.assert_allclose(np.linalg.norm(found.rates[:, :2], axis=1)[2:-2], speeds[2:-2], atol=0.015)
    assert np.linalg.norm(led(walker.walker(made, 30.0, is_cycle=True)).places[-1]) == pytest.approx(
        1.5, rel=0.02
    )


def test_feet_that_swing_low_do_not_count() -> None:
    made = walker.way(4.0, 30.0, 1.3, 0.0)
    seen = walker.walker(made, 30.0)
    soles = seen.soles.copy()
    soles[..., 2] *= 0.2
    found = led(dataclasses.replace(seen, soles=soles))
    assert np.abs(found.places - made.places).max() < 0.02 * 4.0 * 1.3


def test_noise_of_a_capture_is_no_way() -> None:
    rng = np.random.default_rng(7)
    made = walker.way(4.0, 60.0, 1.3, 0.0)
    seen = walker.walker(made, 60.0)
    noisy = dataclasses.replace(seen, soles=seen.soles + 0.0005 * rng.standard_normal(seen.soles.shape))
    found = led(noisy)
    assert np.abs(found.places - made.places).max() < 0.03 * 4.0 * 1.3
    assert np.degrees(np.abs(found.turns).max()) < 3.0


def test_a_body_that_stands_stays() -> None:
    seen = walker.walker(walker.way(2.0, 30.0, 1.3, 0.0), 30.0)
    soles = np.repeat(seen.soles[:1], len(seen.soles), axis=0)
    middle = soles.mean(axis=1) + np.array([0.0, 0.0, walker.HEIGHT])
    still = dataclasses.replace(seen, soles=soles, middle=middle)
    assert np.abs(walker.ground_below(still).rates).max() < 1e-9


@pytest.mark.parametrize("count", [2, 3, 17, 33])
def test_the_ground_is_told_by_few_frames(count: int) -> None:
    seen = walker.walker(walker.way(2.0, 30.0, 1.3, 0.0), 30.0)
    cut = dataclasses.replace(
        seen, frames=seen.frames[:count], soles=seen.soles[:count], middle=seen.middle[:count]
    )
    found = walker.ground_below(cut)
    assert found.rates.shape == (count - 1, 3)
    assert np.isfinite(found.rates).all()


RATE, LENGTH = 120.0, 0.9
SECONDS = np.arange(181) / RATE


@settings(max_examples=8, deadline=None)
@given(st.floats(-0.4, 0.4), st.floats(-0.4, 0.4))
def test_a_pendulum_that_falls_over_is_known_from_where_it_stands(x: float, v: float) -> None:
    """The middle stays as high, and so falls away from the foot as cosh and sinh tell (the linear inverted
    pendulum)."""
    height = 1.1
    rate = np.sqrt(ground.GRAVITY / LENGTH / height)
    t = SECONDS[:61]
    gone = x * np.cosh(rate * t) + v / rate * np.sinh(rate * t)
    # as seen from the middle itself: in place
    soles = np.stack([-gone, np.zeros_like(t), np.zeros_like(t)], axis=1)[:, None]
    middle = np.tile((0.0, 0.0, height), (len(t), 1))
    known = ground.Push.of(soles, middle, RATE, LENGTH).pushed(np.ones((len(t) - 1, 1)))
    wanted = rate**2 * 0.5 * (gone[1:] + gone[:-1])
    np.testing.assert_allclose(known[8:-8, 0], wanted[8:-8], rtol=5e-3, atol=1e-3)
    np.testing.assert_allclose(known[:, 1], 0.0, atol=1e-12)


def test_a_body_in_a_flight_goes_on_evenly() -> None:
    heights = 2.0 - 0.5 * ground.GRAVITY / LENGTH * (SECONDS - 0.75) ** 2
    middle = np.column_stack([0.0 * SECONDS, 0.0 * SECONDS, heights])
    soles = np.tile((0.3, 0.1, 0.0), (len(SECONDS), 1, 1))
    known = ground.Push.of(soles, middle, RATE, LENGTH).pushed(np.ones((len(SECONDS) - 1, 1)))
    assert np.abs(known[20:-20]).max() < 1e-6


def test_a_body_that_is_not_in_metres_falls_as_people_do() -> None:
    soles, middle = np.zeros((30, 1, 3)), np.tile((0.2, 0.0, 1.1), (30, 1))
    giant, person = (ground.Push.of(soles, middle, RATE, length).carried for length in (90.0, ground.USUAL))
    np.testing.assert_allclose(giant, person)
