# SPDX-License-Identifier: GPL-3.0-or-later
"""Stalls are found where all of a character halts and goes on, and passed at a steady speed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inertia_addon.motion.arrays import Array
from inertia_addon.motion.finish import stalls

FPS, SIZE = 30.0, 2.0


def joints(times: Array) -> Array:
    """Three joints (n, 3, 3) of a character that goes ahead and swings its arms, at some seconds."""
    x = 1.3 * times
    swing = 0.2 * np.sin(2.0 * np.pi * times)
    zero = 0.0 * times
    return np.stack(
        [np.stack([x + share * swing, zero, 1.0 + zero], axis=1) for share in (0.0, 1.0, -1.0)], axis=1
    )


def stalled(at: int = 60, half: int = 4, rest: int = 2, count: int = 120) -> Array:
    """Seconds at which a take shows its motion: it slows down, rests, and goes on."""
    pace = np.ones(count)
    dip = np.concatenate([np.linspace(1.0, 0.0, half), np.zeros(rest), np.linspace(0.0, 1.0, half)])
    pace[at : at + len(dip)] = dip
    return np.append(0.0, np.cumsum(pace)) / FPS


def test_a_take_that_goes_on_has_no_stall() -> None:
    assert stalls.find_stalls(joints(np.arange(120) / FPS), FPS, SIZE) == []


@settings(deadline=None, max_examples=12)
@given(st.integers(25, 90), st.integers(3, 5), st.integers(2, 4))
def test_a_stall_is_found_where_it_is(at: int, half: int, rest: int) -> None:
    (stall,) = stalls.find_stalls(joints(stalled(at, half, rest)), FPS, SIZE)
    assert at - 2 <= stall.first <= at + half
    assert at + half <= stall.last <= at + 2 * half + rest + 2
    assert stall.begin <= stall.first < stall.last <= stall.end
    assert stall.depth < stalls.DIES


def test_a_stop_is_no_stall() -> None:
    times = np.concatenate([np.arange(60) / FPS, np.full(60, 59.0 / FPS)])
    assert stalls.find_stalls(joints(times), FPS, SIZE) == []


def test_a_turn_back_is_no_stall() -> None:
    times = np.concatenate([np.arange(60) / FPS, (58.0 - np.arange(60)) / FPS])
    assert stalls.find_stalls(joints(times), FPS, SIZE) == []


@settings(deadline=None, max_examples=12)
@given(st.integers(30, 85), st.integers(3, 5), st.integers(2, 4))
def test_a_stall_is_passed_steadily_and_all_poses_stay(at: int, half: int, rest: int) -> None:
    times = stalled(at, half, rest)
    positions = joints(times)
    (stall,) = stalls.find_stalls(positions, FPS, SIZE)
    speeds = stalls.measure_speeds(positions, FPS)
    shown = stalls.pass_steadily(positions, stall, FPS)
    assert len(shown) == stall.end - stall.begin + 1
    assert (shown[0], shown[-1]) == (stall.begin, stall.end)
    assert (np.diff(shown) >= 0.0).all()
    everywhere = np.arange(len(times), dtype=float)
    everywhere[stall.begin : stall.end + 1] = shown
    passed = joints(np.interp(everywhere, np.arange(len(times)), times))
    after = stalls.measure_speeds(passed, FPS)[stall.begin : stall.end + 1]
    assert after.min() > 0.35 * np.median(speeds)
    assert stalls.find_stalls(passed, FPS, SIZE) == []


@pytest.mark.parametrize("count", [2, 10, 25])
def test_short_takes_have_no_stalls(count: int) -> None:
    assert stalls.find_stalls(joints(np.arange(count) / FPS), FPS, SIZE) == []


@settings(deadline=None, max_examples=12)
@given(st.integers(30, 85), st.integers(3, 5), st.integers(2, 4))
def test_no_more_around_a_stall_is_passed_anew_than_it_takes_to_be_steady(
    at: int, half: int, rest: int
) -> None:
    positions = joints(stalled(at, half, rest))
    (stall,) = stalls.find_stalls(positions, FPS, SIZE)
    speeds = stalls.measure_speeds(positions, FPS)

    def slowest(begin: int, end: int) -> float:
        """The middle of a cubic that is as fast at its ends and goes as far, as a part of these ends."""
        ends = 0.5 * (speeds[begin] + speeds[end])
        return float((1.5 * np.mean(speeds[begin : end + 1]) - 0.5 * ends) / ends)

    assert slowest(stall.begin, stall.end) >= stalls.STEADY
    assert slowest(stall.begin + 1, stall.end - 1) < stalls.STEADY
