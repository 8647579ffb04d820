# SPDX-License-Identifier: GPL-3.0-or-later
"""What feet do at a cut: hold, step, land, and one after the other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from inertia_addon.motion.feet import handover
from inertia_addon.motion.feet.corrections import Hold
from inertia_addon.motion.feet.handover import Foot

TIMES = np.arange(31) / 30.0
LENGTH = 0.8
PLANTED = np.ones(31, bool)
WINDOW = 0.4


def foot(
    place: float, wanted: float, stood: bool = True, planted: NDArray[np.bool_] = PLANTED, reaches: int = 31
) -> Foot:
    """A foot at ``place`` along x that goes over to ``wanted``, where the destination has it.

    reaches: the first frame at which its leg reaches nothing any more.
    """
    s = np.clip(TIMES / WINDOW, 0.0, 1.0)
    free, own = np.zeros((31, 4)), np.zeros((31, 4))
    free[:, 0], own[:, 0] = place + (wanted - place) * s * s * (3.0 - 2.0 * s), wanted
    return Foot(free, np.zeros(4), own, planted, stood, lambda _: np.arange(31) < reaches, LENGTH)


def plan(*feet: Foot) -> list[list[Hold]]:
    return handover.plan(TIMES, feet, WINDOW, 0.3)


def test_a_foot_that_is_near_enough_stays_where_it_is() -> None:
    planted = np.arange(31) < 20
    ((hold,),) = plan(foot(0.0, 0.2, planted=planted))
    assert (hold.first, hold.last, hold.point[0]) == (0, 19, 0.0)


def test_a_foot_that_is_far_off_steps_and_lands_where_the_destination_stands() -> None:
    ((hold,),) = plan(foot(0.0, 0.5))
    assert hold.point[0] == 0.5
    assert TIMES[hold.first] >= handover.stepping_seconds(0.5, LENGTH) > TIMES[hold.first - 1]
    assert hold.last == 30


def test_where_there_is_no_time_for_a_step_it_stays() -> None:
    ((hold,),) = plan(foot(0.0, 0.5, planted=np.arange(31) < 6))
    assert (hold.first, hold.last, hold.point[0]) == (0, 5, 0.0)


def test_a_swinging_foot_lands() -> None:
    ((hold,),) = plan(foot(0.0, 0.3, stood=False))
    assert hold.point[0] == 0.3
    assert 0.0 < TIMES[hold.first] <= handover.LONGEST_SECONDS


def test_a_foot_that_can_not_get_there_in_time_stands_as_near_as_it_gets() -> None:
    planted = (np.arange(31) >= 3) & (np.arange(31) < 7)
    ((hold,),) = plan(foot(0.0, 0.95, stood=False, planted=planted))
    assert hold.first < hold.last == 6
    assert 0.0 < hold.point[0] < 0.95


def test_of_two_feet_that_must_step_the_nearer_one_waits() -> None:
    near, far = plan(foot(0.0, 0.4), foot(0.0, 0.6))
    assert [hold.point[0] for hold in far][-1] == 0.6
    assert [hold.point[0] for hold in near] == [0.0, 0.4]
    # at each frame one of them stands
    stands = [np.zeros(31, bool), np.zeros(31, bool)]
    for flags, holds in zip(stands, (near, far), strict=True):
        for hold in holds:
            flags[hold.first : hold.last + 1] = True
    assert np.all(stands[0] | stands[1])


def test_a_foot_that_the_leg_can_not_hold_any_longer_steps() -> None:
    far = foot(0.0, 0.2)
    reaches = np.arange(31) < 8
    own = Foot(far.free, far.speed, far.own, far.planted, True, lambda p: reaches | (p[0] > 0.1), LENGTH)
    ((held, landed),) = plan(own)
    assert (held.last, held.point[0], landed.point[0]) == (7, 0.0, 0.2)


def test_what_is_planted_behind_the_window_is_left_alone() -> None:
    assert plan(foot(0.0, 0.2, planted=np.arange(31) >= 20)) == [[]]
