# SPDX-License-Identifier: GPL-3.0-or-later
"""Blends told by a few of their frames: chains of bones that leave a clip by offsets that fade."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from inertia_addon.motion import quaternion
from inertia_addon.motion.skeleton import between, kinematics

Array = NDArray[np.float64]

COUNT, SIZE = 24, 2.0
PARENTS = np.array([-1, 0, 1, 2, -1])


def chains(turns: Array, ways: Array) -> Array:
    """Bones in the world (n, bones, 4, 4) of their turns (n, bones, 3) and ways, as those see them from which
    they hang."""
    found = kinematics.basis(ways, quaternion.exp(turns), np.ones(ways.shape))
    for bone, parent in enumerate(PARENTS.tolist()):
        if parent >= 0:
            found[:, bone] = found[:, parent] @ found[:, bone]
    return found


def moving(seed: int) -> tuple[Array, Array]:
    """What a clip shows (n, bones, 4, 4) that turns fast, and what a blend does that leads into it."""
    chance = np.random.default_rng(seed)
    n = COUNT + 3
    left = np.clip(1.0 - np.arange(n) / COUNT, 0.0, 1.0) ** 3
    phase = chance.uniform(0.0, 6.0, (len(PARENTS), 3))
    turns = 1.2 * np.sin(0.9 * np.arange(n)[:, None, None] + phase)
    ways = np.broadcast_to(chance.uniform(-0.4, 0.4, (len(PARENTS), 3)), turns.shape)
    offset = 0.5 * chance.uniform(-1.0, 1.0, turns.shape[1:])
    clip = chains(turns, ways)
    both = quaternion.multiply(quaternion.exp(left[:, None, None] * offset), quaternion.exp(turns))
    return clip, chains(quaternion.log(both), ways)


def looked(clip: Array, shown: Array, most: int) -> between.KnownBlend:
    """A blend of which so many frames were looked at."""
    blend = between.KnownBlend(PARENTS, [3, 4], (clip, clip), shown[0], COUNT, SIZE)
    for _ in range(most):
        at = blend.next()
        if at is not None:
            blend.take(at, shown[at])
    return blend


@pytest.mark.parametrize("seed", range(5))
def test_a_few_frames_tell_the_others(seed: int) -> None:
    clip, shown = moving(seed)
    off = np.abs(looked(clip, shown, 8).matrices() - shown)[..., :3, 3].max()
    # while the clip itself turns by radians between two frames that are known
    assert off < 2e-3 < 0.05 * np.abs(clip - shown)[..., :3, 3].max()


def test_frames_that_were_looked_at_are_as_they_were_shown() -> None:
    clip, shown = moving(7)
    blend = looked(clip, shown, 6)
    known = sorted(blend.shown)
    assert known[0] == 0
    assert {COUNT, COUNT + 1, COUNT + 2} <= set(known)
    np.testing.assert_allclose(blend.matrices()[known], shown[known], atol=1e-9)


def test_no_frame_is_asked_for_twice_and_all_are_known_in_the_end() -> None:
    clip, shown = moving(3)
    blend, asked = between.KnownBlend(PARENTS, [3], (clip, clip), shown[0], COUNT, SIZE), []
    while (at := blend.next()) is not None:
        asked.append(at)
        blend.take(at, shown[at])
    assert sorted(asked) == list(range(1, COUNT + 1))
    np.testing.assert_allclose(blend.matrices(), shown, atol=1e-12)


def test_a_blend_sees_what_stays_behind_when_a_clip_is_aligned() -> None:
    clip, shown = moving(4)
    away = np.eye(4)
    away[:2, 3] = 3.0, -1.0
    aligned, shown = away @ clip, shown.copy()
    shown[:, [0, 1, 2, 3]] = away @ shown[:, [0, 1, 2, 3]]
    blend = between.KnownBlend(PARENTS, [3, 4], (aligned, clip), shown[0], COUNT, SIZE)
    for _ in range(8):
        at = blend.next()
        assert at is not None
        blend.take(at, shown[at])
    assert blend.goes.tolist() == [True, True, True, True, False]
    assert np.abs(blend.matrices() - shown)[..., :3, 3].max() < 0.02


def test_a_blend_that_does_not_lead_into_the_clip_is_told_from_one_that_does() -> None:
    clip, shown = moving(5)
    elsewhere = shown.copy()
    elsewhere[:, 2, :3, 3] += 0.1
    assert looked(clip, shown, 1).is_led
    blend = looked(clip, elsewhere, 1)
    assert not blend.is_led
    assert blend.next() is None


def test_bones_of_no_size_are_told_too() -> None:
    clip, shown = moving(6)
    for each in (clip, shown):
        each[:, 2, :3, :3] = 0.0
    found = looked(clip, shown, 8).matrices()
    assert np.isfinite(found).all()
    assert np.abs(found - shown)[..., :3, 3].max() < 0.1


def test_a_spline_goes_through_what_is_known_and_along_lines() -> None:
    at, asked = np.array([0.0, 1.0, 3.0, 7.0]), np.linspace(0.0, 7.0, 29)
    weights = between.spline(at, asked)
    np.testing.assert_allclose(between.spline(at, at), np.eye(4), atol=1e-12)
    np.testing.assert_allclose(weights @ (2.0 * at - 1.0), 2.0 * asked - 1.0, atol=1e-12)
    np.testing.assert_allclose(weights.sum(axis=1), 1.0, atol=1e-12)
