# SPDX-License-Identifier: GPL-3.0-or-later
"""Where motion leads in a gap: at the mean of both velocities, wherever both ends are in the world."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.motion.fill import goal
from inertia_addon.motion.fill.goal import GroundMotion
from inertia_addon.motion.matching.features import turned

SECONDS = st.floats(0.2, 10.0)
ANGLES = st.floats(-math.pi, math.pi)
SPEEDS = st.floats(-3.0, 3.0)
PLACES = st.tuples(st.floats(-10.0, 10.0), st.floats(-10.0, 10.0))


def going(
    speed: float, heading: float = 0.0, spin: float = 0.0, at: tuple[float, float] = (0.0, 0.0)
) -> GroundMotion:
    """Somebody who goes where he faces."""
    velocity = speed * np.array([math.cos(heading), math.sin(heading)])
    return GroundMotion(np.array(at), heading, velocity, spin)


@given(st.floats(1.0, 3.0), st.floats(1.0, 3.0), ANGLES, ANGLES, SECONDS)
def test_a_walk_goes_on_where_it_faces_at_the_mean_of_both_speeds(
    left: float, met: float, facing: float, other: float, seconds: float
) -> None:
    ground, heading = goal.lead(going(left, facing), going(met, other), seconds, 1.0)
    way = turned(ground, np.asarray(-facing))
    assert heading == pytest.approx(facing)
    assert way[0] == pytest.approx(0.5 * (left + met) * seconds, rel=0.02)
    assert way[1] == pytest.approx(0.0, abs=1e-9)


@given(PLACES, ANGLES, SECONDS, st.floats(-0.03, 0.03))
def test_a_character_that_stands_and_sways_stays(
    at: tuple[float, float], facing: float, seconds: float, sway: float
) -> None:
    ground, heading = goal.lead(going(sway, facing, at=at), going(0.0, at=(5.0, 5.0)), seconds, 1.0)
    assert float(np.linalg.norm(ground - at)) <= 0.1 * abs(sway) * seconds
    assert heading == pytest.approx(facing)


@given(SPEEDS, SPEEDS, st.floats(-2.0, 2.0), st.floats(-2.0, 2.0), SECONDS, ANGLES, PLACES)
def test_a_lead_is_as_seen_by_the_character_wherever_both_are_keyed(
    left: float,
    met: float,
    spin: float,
    other_spin: float,
    seconds: float,
    turn: float,
    shift: tuple[float, float],
) -> None:
    ends = going(left, 0.0, spin), going(met, 0.0, other_spin)
    ground, heading = goal.lead(*ends, seconds, 1.0)
    moved = [going(speed, turn, each, shift) for speed, each in ((left, spin), (met, other_spin))]
    led, facing = goal.lead(moved[0], moved[1], seconds, 1.0)
    assert led == pytest.approx(turned(ground, np.asarray(turn)) + shift, abs=1e-6)
    assert facing == pytest.approx(heading + turn)
    # where the destination is keyed makes no difference
    elsewhere, _ = goal.lead(ends[0], moved[1], seconds, 1.0)
    assert elsewhere == pytest.approx(ground, abs=1e-6)


@given(st.floats(0.5, 3.0), SECONDS)
def test_a_character_that_turns_left_ends_further_left_and_not_in_a_circle(
    spin: float, seconds: float
) -> None:
    walking = going(1.4, spin=spin)
    ground, heading = goal.lead(walking, walking, seconds, 1.0)
    assert ground[1] > 0.0
    assert 0.0 < heading <= 2.0 * goal.TURNS_SECONDS * spin
    straight, _ = goal.lead(going(1.4), going(1.4), seconds, 1.0)
    assert float(np.linalg.norm(ground)) <= float(np.linalg.norm(straight)) + 1e-9


@given(PLACES, PLACES, ANGLES, ANGLES)
def test_the_motion_brings_what_is_met_there(
    there: tuple[float, float], at: tuple[float, float], facing: float, keyed: float
) -> None:
    met = going(1.0, keyed, at=at)
    angle, place = goal.motion_to(np.array(there), facing, met)
    assert turned(met.ground, np.asarray(angle)) + place == pytest.approx(there, abs=1e-9)
    assert keyed + angle == pytest.approx(facing)
    assert goal.motion_to(met.ground, keyed, dataclasses.replace(met))[0] == 0.0
