# SPDX-License-Identifier: GPL-3.0-or-later
"""Cycles in numbers: which ends meet, where repetitions take the character, and their keys."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from inertia_addon.motion.curves import evaluation
from inertia_addon.motion.curves import keys as keylib
from inertia_addon.motion.cycles import cycle as cycles
from inertia_addon.motion.cycles.cycle import Cycle
from inertia_addon.motion.skeleton import character_space


def test_frames_wrap_and_where_two_meet_the_former_is_shown() -> None:
    cycle = Cycle(2.0, 12.0)
    frames = [1.5, 2.0, 7.25, 12.0, 12.5, 22.0, 22.5, 32.0]
    wrapped, turns = cycle.wrapped(frames, 2.0)
    assert_allclose(wrapped, [11.5, 2.0, 7.25, 12.0, 2.5, 12.0, 2.5, 12.0], atol=1e-9)
    assert turns.tolist() == [-1, 0, 0, 0, 1, 1, 2, 2]
    # what lies before the cycle is played once
    wrapped, turns = cycle.wrapped([-3.0, 0.5, 12.5], -3.0)
    assert_allclose(wrapped, [-3.0, 0.5, 2.5])
    assert turns.tolist() == [0, 0, 1]
    assert [cycle.turns_until(frame) for frame in (5.0, 12.0, 12.1, 22.0, 40.0)] == [0, 0, 1, 1, 3]


@pytest.mark.parametrize(("turn", "climb"), [(0.0, 0.0), (1.2, 0.0), (-0.7, 1.5)])
def test_a_repetition_goes_on_where_the_root_was(turn: float, climb: float) -> None:
    frames = np.linspace(1.0, 31.0, 31)
    part = (frames - 1.0) / 30.0
    way = np.stack([3.0 * part, np.sin(2.0 * part), climb * part], axis=1)
    roots = np.stack([character_space.motion_of(turn * p, place) for p, place in zip(part, way, strict=True)])
    cycle = cycles.cycle_of_roots(frames, roots, "ENDS")
    assert cycle.heading == pytest.approx(turn, abs=1e-9)
    assert_allclose(cycle.motion() @ roots[0], roots[-1], atol=1e-9)
    assert_allclose(cycle.motion(2) @ np.linalg.inv(cycle.motion(3)), cycle.motion(-1), atol=1e-9)
    assert cycle.moves


def test_a_root_that_sways_in_place_is_not_led_anywhere() -> None:
    frames = np.linspace(0.0, 24.0, 25)
    sway = 0.1 * np.sin(2.0 * np.pi * frames / 24.0)
    roots = np.stack([character_space.motion_of(0.3 * s, [s, 0.0, 1.0 + 0.2 * s]) for s in sway])
    roots[-1, :3, 3] += 0.001  # both ends don't meet quite
    cycle = cycles.cycle_of_roots(frames, roots, "ENDS")
    assert not cycle.moves


@pytest.mark.parametrize("axes", [(1.0, 0.0, 0.0), (0.6, -0.8, 0.0), (0.0, 0.0, 1.0)])
@pytest.mark.parametrize("count", [9, 201])
@pytest.mark.parametrize(("steps", "is_led"), [(0.0, False), (0.4, False), (0.6, True), (1.4, True)])
def test_a_root_is_led_by_more_than_half_of_what_it_goes_in_a_frame(
    axes: tuple[float, ...], count: int, steps: float, *, is_led: bool
) -> None:
    """However long the clip is: what it goes to and fro in all says nothing."""
    frames = np.arange(1.0, count + 1.0)
    to_and_fro = 0.1 * np.abs(frames - frames.mean())
    to_and_fro[-1] += 0.1 * steps
    roots = np.tile(np.eye(4), (count, 1, 1))
    roots[:, :3, 3] = to_and_fro[:, None] * axes + (3.0, 2.0, 1.0)
    cycle = cycles.cycle_of_roots(frames, roots, "ENDS")
    assert cycle.moves is is_led
    assert_allclose(cycle.translation, 0.1 * steps * np.array(axes) * is_led, atol=1e-9)


def test_a_root_that_stands_is_led_by_more_than_rounding() -> None:
    roots = np.tile(np.eye(4), (9, 1, 1))
    for gap, moves in ((1e-7, False), (1e-6, False), (1e-5, True)):
        for axis in range(3):
            roots[-1, :3, 3] = gap * np.eye(3)[axis]
            assert cycles.cycle_of_roots(np.arange(9.0), roots, "ENDS").moves is moves


def swinging(frames: np.ndarray, period: float) -> np.ndarray:
    """Two joints (..., 2, 3) that go round."""
    angle = 2.0 * np.pi * frames / period
    still = np.zeros_like(angle)
    one = np.stack([np.cos(angle), np.sin(angle), still], axis=-1)
    return np.stack([one, 0.5 * one[..., ::-1]], axis=-2)


@pytest.mark.parametrize(
    ("period", "expected"), [(24.0, True), (24.4, True), (12.0, True), (48.0, False), (30.0, False)]
)
def test_ends_meet_within_what_happens_between_frames(period: float, *, expected: bool) -> None:
    frames = cycles.list_meeting_frames(0.0, 24.0)
    assert cycles.ends_meet(swinging(frames, period)) is expected
    some = cycles.fewer_frames(frames)
    assert cycles.ends_meet(swinging(some, period), len(frames) - len(some)) is expected


def test_ends_that_meet_in_the_pose_but_not_in_how_it_moves_do_not_meet() -> None:
    frames = cycles.list_meeting_frames(0.0, 24.0)
    there_and_back = np.minimum(frames, 24.0 - frames)[..., None, None] * np.array([[1.0, 0.0, 0.0]])
    assert cycles.ends_meet(there_and_back)  # its turn half-way is as sharp as that at its end
    lifted = (frames - 12.0)[..., None, None] ** 2 * np.array([[1.0, 0.0, 0.0]])
    assert not cycles.ends_meet(lifted)
    held = np.ones_like(lifted)
    assert not cycles.ends_meet(held)
    some = cycles.fewer_frames(lifted)
    assert cycles.ends_meet(some, len(lifted) - len(some))  # elsewhere it might turn as sharply


@given(length=st.integers(16, 90), active=st.floats(0.2, 0.45), is_breath=st.booleans())
def test_a_clip_that_sets_out_from_rest_and_comes_back_is_no_cycle(
    length: int, active: float, *, is_breath: bool
) -> None:
    frames = cycles.list_meeting_frames(0.0, float(length))
    # a nod in the middle, with a rest before and after it; or a breath, which takes all of the clip
    phase = np.clip((frames / length - 0.5) / (1.0 if is_breath else active), -0.5, 0.5)
    nod = np.cos(2.0 * np.pi * phase)[..., None, None] * np.array([[1.0, 0.0, 0.0]])
    assert cycles.ends_meet(nod) is is_breath
    some = nod[[*range(0, len(nod) - 1, 2), -1]]
    assert cycles.ends_meet(some, len(nod) - len(some))  # of which it is not known


def test_parts_are_chained_with_their_own_keys() -> None:
    one = keylib.sampled([0.0, 4.0, 10.0], [1.0, 3.0, 1.0])
    parts = [keylib.move(one, 10.0 * turn) for turn in range(4)]
    whole = cycles.chained(parts)
    assert len(whole) == 9
    frames = np.arange(0.0, 40.0, 0.3)
    assert_allclose(evaluation.evaluate(whole, frames), evaluation.evaluate(one, frames % 10.0), atol=1e-5)


def test_a_repetition_that_does_not_meet_is_held_to_the_last_key() -> None:
    one = keylib.sampled([0.0, 4.0, 10.0], [1.0, 3.0, 2.0])
    whole = cycles.chained([one, keylib.move(one, 10.0), keylib.move(one, 20.0)])
    seams = np.array([10.0, 20.0])
    assert_allclose(evaluation.evaluate(whole, seams), 2.0)
    frames = np.concatenate([10.0 * turn + np.arange(0.25, 10.0, 0.25) for turn in range(3)])
    assert_allclose(evaluation.evaluate(whole, frames), evaluation.evaluate(one, frames % 10.0), atol=1e-5)
    before = cycles.preceded(keylib.move(one, -10.0), one)
    assert_allclose(
        evaluation.evaluate(before, [-0.5, 0.0, 0.5]), evaluation.evaluate(one, [9.5, 0.0, 0.5]), atol=1e-6
    )
