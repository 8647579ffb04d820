# SPDX-License-Identifier: GPL-3.0-or-later
"""Mended motions: no pop is left, the bone goes on as it does elsewhere, and all else is as it was."""

from __future__ import annotations

import numpy as np
import pytest

from inertia_addon.motion import quaternion
from inertia_addon.motion.arrays import Array
from inertia_addon.motion.decay.decay import Method
from inertia_addon.motion.pops import finding, mending
from inertia_addon.motion.pops.mending import Mend
from tests.motion.pops.test_finding import FPS, found, swing, turned

HOW = Mend("AROUND", Method.SMOOTH, 0.25)


def mended(poses: Array, how: Mend = HOW) -> Array:
    """The only bone's motion without its pops."""
    pops = found(poses)
    assert len(pops) == 1
    return mending.mended(poses[:, 0], is_rotation=True, pops=pops, fps=FPS, mend=how)


def away(one: Array, other: Array) -> Array:
    """How far rotations are apart, in degrees."""
    turns = quaternion.multiply(one, quaternion.conjugate(other))
    return np.degrees(np.linalg.norm(quaternion.log(turns), axis=-1))


def bends(motion: Array) -> Array:
    """How much the velocity changes at each frame but the first and the last, in degrees per frame."""
    steps = finding.steps_of(motion[:, None], is_rotation=True)[:, 0]
    return np.degrees(np.linalg.norm(np.diff(steps, axis=0), axis=1))


@pytest.mark.parametrize("at", [2, 40, 87])
def test_a_spike_goes_where_its_neighbours_say(at: int) -> None:
    clean = swing(bones=1)
    made = mended(turned(clean, 0, slice(at, at + 1), 30.0))
    apart = away(made, clean[:, 0])
    assert apart[at] < 1.0
    assert np.delete(apart, at).max() < 1e-6


def test_a_stretch_is_led_back() -> None:
    clean = swing(bones=1)
    made = mended(turned(clean, 0, slice(30, 50), 100.0))
    apart = away(made, clean[:, 0])
    assert apart[30:50].max() < 2.0
    assert np.delete(apart, np.arange(30, 50)).max() < 1e-6


def test_a_stretch_that_turns_nearly_all_around_is_led_back_too() -> None:
    clean = swing(bones=1)
    poses = turned(clean, 0, slice(30, 50), 178.0)
    assert away(mended(poses), clean[:, 0])[30:50].max() < 4.0


@pytest.mark.parametrize("method", [Method.SMOOTH, Method.CUBIC, Method.SPRING])
@pytest.mark.parametrize(
    ("side", "first", "last"), [("AROUND", 31, 54), ("AFTER", 40, 64), ("BEFORE", 21, 45)]
)
def test_a_step_decays_on_its_sides(side: str, method: Method, first: int, last: int) -> None:
    clean = swing(bones=1)
    poses = turned(clean, 0, slice(43, None), 20.0)
    made = mended(poses, Mend(side, method, 0.25))
    apart = away(made, poses[:, 0])
    if method is not Method.SPRING:  # that takes as long as it may not to pull too hard
        assert apart[:first].max() < 0.01
        assert apart[last:].max() < 0.01
    usual = np.quantile(bends(clean[:, 0]), 0.95)
    assert bends(poses[:, 0]).max() > 10.0 * usual
    assert bends(made).max() < 3.0 * usual


@pytest.mark.parametrize(("at", "moved"), [(2, slice(0, 2)), (88, slice(88, 90))])
def test_near_an_end_the_shorter_side_follows_the_longer(at: int, moved: slice) -> None:
    poses = turned(swing(bones=1), 0, slice(at, None), 40.0)
    made = mended(poses)
    apart = away(made, poses[:, 0])
    np.testing.assert_allclose(apart[moved], 40.0, atol=2.0)
    assert apart.sum() == pytest.approx(apart[moved].sum(), abs=1e-3)


def test_a_pop_of_three_frames_is_bridged() -> None:
    poses = swing(360, bones=1, fps=120.0)
    for i, part in enumerate((10.0, 20.0, 30.0)):
        poses = turned(poses, 0, slice(150 + i, None if i == 2 else 151 + i), part)
    pops = found(poses, 120.0)
    made = mending.mended(poses[:, 0], is_rotation=True, pops=pops, fps=120.0, mend=HOW)
    assert bends(made)[145:158].max() < 1.5 * np.quantile(bends(poses[:, 0]), 0.95)


def test_keys_are_made_anew_from_a_few_frames_before_what_changes() -> None:
    before = np.zeros((40, 3))
    after = before.copy()
    after[10], after[13], after[38] = 1.0, 1.0, 1.0
    assert mending.find_changed_spans(before, after) == [(6, 17), (34, 39)]
    assert mending.find_changed_spans(before, before) == []


def test_places_are_mended_too() -> None:
    frames = np.arange(60.0)
    places = np.stack([0.02 * frames, 0.3 * np.sin(0.2 * frames), 0.0 * frames], axis=1)
    wrong = places.copy()
    wrong[30] += (0.0, 0.0, 0.4)
    pops = finding.find(wrong[:, None], FPS, finding.Limits(6.0, 0.02, 0.001))
    np.testing.assert_allclose(
        mending.mended(wrong, is_rotation=False, pops=pops, fps=FPS, mend=HOW), places, atol=2e-3
    )
