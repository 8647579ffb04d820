# SPDX-License-Identifier: GPL-3.0-or-later
"""What feet do at a cut: hold, step, land, and one after the other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from inertia_addon.motion.feet import corrections, handover
from inertia_addon.motion.feet.corrections import Hold
from inertia_addon.motion.feet.handover import Foot

TIMES = np.arange(31) / 30.0
LENGTH = 0.8
PLANTED = np.ones(31, bool)
WINDOW = 0.4


def foot(
    place: float,
    wanted: float,
    *,
    stood: bool = True,
    planted: NDArray[np.bool_] = PLANTED,
    reaches: int = 31,
    up: float = 0.0,
    speed: float = 0.0,
    fastest: float = 0.0,
) -> Foot:
    """A foot at ``place`` along x that goes over to ``wanted``, where the destination has it.

    reaches: the first frame at which its leg reaches nothing any more. up: how high it is at the cut. speed,
    fastest: along x at the cut, and anywhere.
    """
    s = np.clip(TIMES / WINDOW, 0.0, 1.0)
    free, own = np.zeros((31, 4)), np.zeros((31, 4))
    free[:, 0], own[:, 0] = place + (wanted - place) * s * s * (3.0 - 2.0 * s), wanted
    free[:, 2] = up * (1.0 - s)
    speeds = np.array([speed, 0.0, 0.0, 0.0])
    return Foot(free, speeds, own, planted, stood, lambda _: np.arange(31) < reaches, LENGTH, fastest)


def plan(*feet: Foot) -> list[list[Hold]]:
    return handover.plan(TIMES, feet, WINDOW, 0.3)


def test_a_foot_that_is_near_enough_stays_where_it_is() -> None:
    planted = np.arange(31) < 20
    ((hold,),) = plan(foot(0.0, 0.2, planted=planted))
    assert (hold.first, hold.last, hold.point[0]) == (0, 19, 0.0)


def test_a_foot_that_is_far_off_steps_and_lands_where_the_destination_stands() -> None:
    ((hold,),) = plan(foot(0.0, 0.5))
    assert hold.point[0] == 0.5
    assert TIMES[hold.first] >= handover.estimate_step_seconds(0.5, LENGTH) > TIMES[hold.first - 1]
    assert hold.last == 30


def test_a_foot_without_time_for_a_step_stays() -> None:
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


def test_the_nearer_of_two_feet_that_must_step_waits() -> None:
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
    own = Foot(
        far.free,
        far.speed,
        far.own,
        far.planted,
        stood=True,
        reaches=lambda p: reaches | (p[0] > 0.1),
        length=LENGTH,
    )
    ((held, landed),) = plan(own)
    assert (held.last, held.point[0], landed.point[0]) == (7, 0.0, 0.2)


def test_a_foot_that_is_there_already_stands_at_once() -> None:
    planted = (np.arange(31) >= 1) & (np.arange(31) < 4)
    ((hold,),) = plan(foot(0.01, 0.0, stood=False, planted=planted))
    assert (hold.first, hold.last) == (1, 3)
    for distance in (0.01, 0.03, 0.2, 0.6):
        seconds = handover.estimate_step_seconds(distance, LENGTH)
        np.testing.assert_allclose(handover.estimate_step_distance(seconds, LENGTH, 0.3), distance)


def test_a_foot_lands_as_soon_as_its_leg_reaches() -> None:
    late = foot(0.0, 0.1, stood=False, planted=np.arange(31) >= 5)
    near = Foot(
        late.free,
        late.speed,
        late.own,
        late.planted,
        stood=False,
        reaches=lambda _: np.arange(31) >= 7,
        length=LENGTH,
    )
    ((hold,),) = plan(near)
    assert hold.first == 7


def test_a_foot_of_a_runner_steps_faster() -> None:
    ((slow,),) = plan(foot(0.0, 0.6, stood=False))
    ((quick,),) = plan(foot(0.0, 0.6, stood=False, fastest=10.0))
    assert quick.first < slow.first
    assert quick.point[0] == slow.point[0] == 0.6


def test_a_foot_that_stands_and_is_planted_again_at_once_does_not_lift() -> None:
    ((hold,),) = plan(foot(0.0, 0.1, planted=np.arange(31) >= 3))
    assert (hold.first, hold.point[0]) == (0, 0.0)


def test_a_foot_that_is_low_and_slow_stops_where_none_stands() -> None:
    low, high = plan(foot(0.0, 0.4, stood=False, speed=1.0), foot(0.0, 0.4, stood=False, up=0.2))
    assert low[0].first == 0
    assert low[0].point[0] == corrections.find_rest_point(np.zeros(1), np.array([1.0]))[0]
    # and steps once the other has landed
    assert high[0].first <= low[0].last < low[1].first
    assert low[1].point[0] == 0.4
    for passing in (foot(0.0, 0.4, stood=False, speed=4.0), foot(0.0, 0.4, stood=False, up=0.1)):
        assert plan(passing)[0][0].first > 0


def test_a_foot_that_comes_to_rest_does_not_sink() -> None:
    sinking = foot(0.0, 0.1)
    sinking.speed[2] = -1.0
    ((hold,),) = plan(sinking)
    assert hold.point[2] == 0.0


def test_a_foot_that_the_destination_lifts_stands_until_the_other_has_landed() -> None:
    lifted, landing = plan(foot(0.0, 0.4, planted=np.zeros(31, bool)), foot(0.0, 0.4, stood=False, up=0.2))
    assert (lifted[0].first, lifted[0].last) == (0, landing[0].first)
    # also where it has been planted for a while
    lifted, landing = plan(foot(0.0, 0.1, planted=np.arange(31) < 6), foot(0.0, 0.4, stood=False, up=0.2))
    assert (lifted[0].first, lifted[0].last) == (0, landing[0].first)


def test_a_flight_of_the_destination_remains_one() -> None:
    ((),) = plan(foot(0.0, 0.4, planted=np.arange(31) >= 20))


def test_a_foot_that_is_planted_behind_the_window_is_left_alone() -> None:
    assert plan(foot(0.0, 0.2, planted=np.arange(31) >= 20)) == [[]]


def test_a_foot_is_not_kept_for_one_that_stands_by_itself_by_then() -> None:
    early, late = np.arange(31) < 13, np.arange(31) >= 13
    ((hold,), others) = plan(foot(0.0, 0.1, planted=early), foot(0.0, 0.0, stood=False, planted=late, up=0.2))
    assert (hold.last, others) == (12, [])
