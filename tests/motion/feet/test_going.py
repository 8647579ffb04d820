# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet locked as they go: they stand where they are planted, and get back to their clip without a jump."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inertia_addon.motion.arrays import Array, Flags
from inertia_addon.motion.feet import going
from inertia_addon.motion.feet.crossing import LockLimits
from inertia_addon.motion.feet.going import ClipPlacement, FeetState

LEG, STANDS, SWINGS, AHEAD = 0.9, 0.45, 0.35, 0.9
"""A leg's length, for how long feet stand and swing, seconds, and how far they go then, metres."""
SECONDS = 3.5
HOW = LockLimits()
RATES = st.sampled_from([24.0, 30.0, 60.0])


def walked(times: Array, late: float, side: float) -> tuple[Array, Flags]:
    """A foot of a walk (n, 4), and when it is planted (n,): it stands, and swings ahead."""
    beat = (times + late) / (STANDS + SWINGS)
    whole = np.floor(beat)
    swing = np.clip((beat - whole) * (STANDS + SWINGS) / SWINGS - STANDS / SWINGS, 0.0, 1.0)
    eased = swing**3 * (10.0 - 15.0 * swing + 6.0 * swing**2)
    still = np.zeros_like(times)
    high = 0.1 * np.sin(np.pi * swing) ** 2
    place = np.stack([AHEAD * (whole + eased), side + still, high, still], axis=1)
    return place, swing == 0.0


@functools.cache
def walk(fps: float) -> tuple[Array, Array, Flags]:
    """Times (n,), where the clip has two feet (n, 2, 4), and when each is planted (n, 2)."""
    times = np.arange(round(SECONDS * fps)) / fps
    feet, planted = zip(walked(times, 0.0, 0.1), walked(times, 0.4, -0.1), strict=True)
    return times, np.stack(feet, axis=1), np.stack(planted, axis=1)


def gone(
    times: Array,
    own: Array,
    planted: Flags,
    cut: int | None = None,
    then: Array | None = None,
    size: float = 1.0,
) -> list[FeetState]:
    """All moments. cut: the frame at which a clip takes over, and then: (n, 2, 4) where that has the feet."""
    fps = 1.0 / (times[1] - times[0])
    soon = round(going.EARLY_SECONDS * fps)
    early = going.early(planted, [0] if cut is None else [0, cut], fps)
    moments = [FeetState.begun(own[0], own[0], HOW)]
    for frame in range(1, len(times)):
        plays = own if then is None or cut is None or frame < cut else then
        comes = plays[min(frame + soon, len(plays) - 1)]
        enters = plays[frame - 1] if frame == cut else None
        feet = ClipPlacement(plays[frame], early[frame], comes, enters)
        moments.append(moments[-1].step(feet, np.full(2, LEG * size), 1.0 / fps, HOW))
    return moments


def paths(moments: list[FeetState]) -> Array:
    return np.stack([each.path for each in moments])


def held(moments: list[FeetState], since: float) -> Flags:
    """When feet have been held for so long, (n, 2)."""
    return np.stack([each.held & (each.since > since) for each in moments])


def drifting(times: Array, own: Array, along: float, aside: float) -> Array:
    """Feet of who is drawn along, or aside, at so many metres a second."""
    return own + times[:, None, None] * np.array([along, aside, 0.0, 0.0])


@given(RATES)
def test_feet_that_stand_by_themselves_are_left_alone(fps: float) -> None:
    times, own, planted = walk(fps)
    away = np.abs(paths(gone(times, own, planted)) - own)
    # a foot that is about to land comes to where it will
    assert away[planted].max() < 0.03
    assert away.max() < 0.1


@given(RATES, st.floats(-0.25, 0.25), st.floats(-0.25, 0.25))
def test_a_drawn_character_stands_where_feet_land_and_gets_back_without_a_jump(
    fps: float, along: float, aside: float
) -> None:
    times, own, planted = walk(fps)
    drawn = drifting(times, own, along, aside)
    moments = gone(times, drawn, planted)
    path = paths(moments)
    stands = held(moments, going.LANDS_SECONDS)
    steps = np.abs(np.diff(path, axis=0))[stands[1:] & stands[:-1]]
    assert len(steps) > 0.3 * planted.sum()
    assert steps[:, [0, 1, 3]].max() < 1e-9
    # it is as high as its clip has it
    assert np.abs(path[..., 2] - own[..., 2])[stands].max() < 1e-9
    free = np.stack([~each.held & (each.since >= each.lasting) for each in moments])
    assert free.any()
    assert np.abs(path - drawn)[free].max() < 1e-9
    rates = np.linalg.norm(np.diff(path[..., :3], axis=0), axis=-1) * fps
    quickest = np.linalg.norm(np.diff(drawn[..., :3], axis=0), axis=-1).max() * fps
    assert rates.max() < 1.5 * quickest


@given(RATES, st.integers(20, 70), st.floats(-0.2, 0.2), st.floats(-0.2, 0.2))
def test_a_clip_that_takes_over_does_so_without_a_jump(fps: float, at: int, x: float, y: float) -> None:
    times, own, planted = walk(fps)
    then = own + np.array([x, y, 0.0, 0.0])
    moments = gone(times, own, planted, at, then)
    path = paths(moments)
    quickest = np.linalg.norm(np.diff(own[..., :3], axis=0), axis=-1).max()
    steps = np.linalg.norm(np.diff(path[..., :3], axis=0), axis=-1)
    assert steps.max() < 1.6 * quickest
    # a foot that both have planted stays where it is, if that is not too far
    away = np.linalg.norm((moments[at - 1].point - then[at])[:, :2], axis=1)
    stays = moments[at - 1].held & planted[at] & planted[at - 1] & (away < HOW.radius * LEG)
    assert np.all(moments[at].held[stays])
    assert path[at, stays, :2] == pytest.approx(path[at - 1, stays, :2], abs=0.02)


@pytest.mark.parametrize("fps", [30.0, 60.0])
def test_feet_that_stand_too_far_away_step_there_one_after_the_other(fps: float) -> None:
    times = np.arange(round(3.0 * fps)) / fps
    own = np.zeros((len(times), 2, 4))
    own[:, 1, 1] = 0.2
    planted, cut = np.ones((len(times), 2), bool), round(fps)
    then = own + np.array([0.4, 0.0, 0.0, 0.0])
    moments = gone(times, own, planted, cut, then)
    path, stands = paths(moments), held(moments, 0.0)
    assert stands[cut - 1].all()
    assert np.abs(path[-1] - then[-1]).max() < 1e-9
    assert stands[-1].all()
    # neither hops, nor is dragged over the ground
    assert np.all(np.stack([each.held for each in moments]).any(axis=1)[5:])
    moves = np.abs(np.diff(path[..., 0], axis=0)) > 0.4 / fps
    assert path[1:, :, 2][moves].min() > 0.005
    assert 0.03 < path[..., 2].max() < 0.1


@settings(max_examples=6)
@given(st.floats(0.01, 100.0))
def test_steered_feet_are_the_same_at_any_size(size: float) -> None:
    times, own, planted = walk(30.0)
    drawn = drifting(times, own, 0.2, 0.1)
    large = drawn * (size, size, size, 1.0)
    seen = paths(gone(times, large, planted, size=size)) / (size, size, size, 1.0)
    np.testing.assert_allclose(seen, paths(gone(times, drawn, planted)), atol=1e-9)


def test_a_foot_is_planted_early_but_not_by_another_clip() -> None:
    planted = np.zeros((12, 1), bool)
    planted[6:] = True
    soon = round(going.EARLY_SECONDS * 60.0)
    assert np.flatnonzero(going.early(planted, [0], 60.0)[:, 0])[0] == 6 - soon
    assert np.flatnonzero(going.early(planted, [0, 6], 60.0)[:, 0])[0] == 6
