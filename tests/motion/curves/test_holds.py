# SPDX-License-Identifier: GPL-3.0-or-later
"""How long clips hold their poses is found, and steps go on as they do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.motion.curves import holds
from inertia_addon.motion.curves import keys as keylib
from inertia_addon.motion.curves.keys import BEZIER, CONSTANT, LINEAR, Keys


def moving(frames: np.ndarray, phase: float = 0.0, interpolation: int = CONSTANT) -> Keys:
    return keylib.sampled_together(frames, np.sin(0.37 * frames + phase)[:, None], interpolation)[0]


@given(st.integers(2, 4), st.integers(-3, 3), st.integers(1, 3))
def test_steps_of_constant_keys(step: int, first: int, count: int) -> None:
    frames = first + step * np.arange(20.0)
    found = holds.find(moving(frames, i) for i in range(count))
    assert (found.step, found.is_held) == (step, True)
    np.testing.assert_array_equal(found.frames, frames[1:])


@given(st.integers(2, 4), st.integers(0, 3))
def test_steps_of_keys_on_each_frame(step: int, phase: int) -> None:
    """As they are baked and exported: each pose so many times, on lines that climb within one frame."""
    frames = np.arange(1.0, 60.0)
    values = np.sin(0.5 * ((frames - phase) // step))
    (keys,) = keylib.sampled_together(frames, values[:, None], LINEAR)
    found = holds.find([keys])
    assert (found.step, found.is_held) == (step, False)
    assert {*np.mod(found.frames - phase, step)} == {0.0}


@pytest.mark.parametrize("interpolation", [LINEAR, BEZIER])
def test_a_curve_that_moves_between_its_keys_has_no_steps(interpolation: int) -> None:
    for frames in (np.arange(1.0, 40.0), np.arange(1.0, 40.0, 2.0)):
        assert holds.find([moving(frames, interpolation=interpolation)]).step == 1
    # one limb on twos does not hold a body that moves on each frame
    both = [moving(np.arange(1.0, 40.0, 2.0)), moving(np.arange(1.0, 40.0), interpolation=interpolation)]
    found = holds.find(both)
    assert (found.step, found.is_held) == (1, False)


def test_constant_keys_on_each_frame_hold_within_a_frame() -> None:
    found = holds.find([moving(np.arange(1.0, 40.0))])
    assert (found.step, found.is_held) == (1, True)


def test_key_poses_of_a_blocking_are_no_steps() -> None:
    assert holds.find([moving(np.arange(1.0, 200.0, 12.0))]).step == 1
    assert holds.find([]).step == 1


@given(st.integers(2, 4), st.integers(0, 3), st.floats(10.0, 14.0), st.integers(5, 20))
def test_frames_between_two_are_only_steps_of_the_clip(
    step: int, phase: int, first: float, length: int
) -> None:
    found = holds.every(step, float(phase), 50)
    frames = found.between(first, first + length)
    assert (frames[0], frames[-1]) == (first, first + length)
    assert {*np.mod(frames[1:-1] - phase, step).round(6)} <= {0.0}
    assert np.all(np.diff(frames) > 0.0)
    assert np.diff(frames).max() <= step + 1e-6
    start = found.start_of(first)
    assert start == first or (
        start <= first + holds.ON_FRAME and (start - phase) % step == pytest.approx(0.0)
    )


def test_steps_go_on_in_a_longer_hold() -> None:
    clip = holds.find([moving(np.array([1, 3, 5, 7, 9, 11, 13, 15, 31, 33, 35, 37, 39.0]))])
    assert clip.step == 2
    np.testing.assert_array_equal(clip.between(12.0, 35.0), [12, *range(13, 35, 2), 35])


def test_steps_are_those_of_frames_that_are_rounded_a_little() -> None:
    """No two short gaps are alike to a thousandth, and two long ones are."""
    gaps = 2.0 + 0.001 * np.array([0, 1, -1, 2, -2, 3, -3, 4])
    frames = np.cumsum([1.0, *gaps, 4.0, 4.0])
    assert holds.find([moving(frames)]).step == 2
