# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves that are cut, moved and joined evaluate as before at any sub-frame, wherever the cut lies."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from inertia_addon.motion.curves import keys as keylib
from inertia_addon.motion.curves.keys import BEZIER, LINEAR, Keys, NotCuttable
from tests.motion.reference_curve import (
    SINE,
    assert_follows,
    assert_same,
    curves,
    cuts,
    evaluate,
    frames_around,
)

ARRAYS = ("co", "left", "right", "interpolation", "left_type", "right_type", "easing", "kind")


def line(frames: list[float], values: list[float], code: int = LINEAR, *, linear: bool = True) -> Keys:
    """A curve of straight segments."""
    made = keylib.sampled(frames, values, code)
    return dataclasses.replace(made, linear_extrapolation=linear)


def assert_cuts_cleanly(keys: Keys, cut: float, frame_error: float = 5e-5) -> None:
    """Head and tail are the curve's two sides, and joined they are the curve."""
    frames = frames_around(keys, cut)
    head, tail = keylib.head(keys, cut), keylib.tail(keys, cut)
    assert head.co[-1, 0] == tail.co[0, 0] == np.float32(cut)
    assert_same(head, keys, frames[frames <= cut], frame_error)
    assert_same(tail, keys, frames[frames >= cut], frame_error)
    assert_same(keylib.join(head, None, tail), keys, frames, frame_error)


# in reversed time


@given(curves(codes=st.sampled_from([LINEAR, BEZIER])))
def test_backwards_is_the_same_curve_in_reversed_time(keys: Keys) -> None:
    frames = np.linspace(float(keys.co[0, 0]), float(keys.co[-1, 0]), 41)
    back = keylib.backwards(keys)
    for frame in frames.tolist():
        assert evaluate(back, -frame) == pytest.approx(evaluate(keys, frame), abs=1e-4)
    for name in ("co", "left", "right", "interpolation", "left_type", "right_type"):
        assert_array_equal(getattr(keylib.backwards(back), name), getattr(keys, name))


# cutting


@given(st.data(), curves())
def test_a_cut_keeps_the_shape_of_both_sides(data: st.DataObject, keys: Keys) -> None:
    assert_cuts_cleanly(keys, data.draw(cuts(keys)))


@given(st.data(), curves(codes=st.just(BEZIER), sizes=st.integers(2, 3), longest_handle=1.6))
def test_handles_that_blender_shortens_keep_their_shape_too(data: st.DataObject, keys: Keys) -> None:
    # two handles of full length make a curve that stands upright: there any rounded frame shows
    gaps = np.diff(keys.co[:, 0])
    reaches = np.minimum(keys.right[:-1, 0] - keys.co[:-1, 0], gaps) + np.minimum(
        keys.co[1:, 0] - keys.left[1:, 0], gaps
    )
    assume(np.all(reaches < 1.9 * gaps))
    assert_cuts_cleanly(keys, data.draw(cuts(keys)), frame_error=1e-3)


def test_a_half_whose_handle_reaches_beyond_it_gets_a_key_more() -> None:
    keys = line([0.0, 10.0], [0.0, 1.0], BEZIER, linear=False)
    keys.right[0], keys.left[1] = (9.5, 0.0), (0.5, 1.0)
    for cut in (4.0, 4.5, 5.2, 6.0):
        assert_cuts_cleanly(keys, cut, frame_error=5e-4)


@given(st.data(), curves(linear=True, sizes=st.integers(1, 3)))
def test_linear_extrapolation_goes_on_at_both_ends(data: st.DataObject, keys: Keys) -> None:
    assert_cuts_cleanly(keys, data.draw(cuts(keys)))


def bridged(head: Keys, tail: Keys) -> Keys:
    """With a straight line between the two."""
    ends = np.array([head.co[-1], tail.co[0]], float)
    return keylib.join(head, keylib.sampled(ends[:, 0], ends[:, 1]), tail)


@pytest.mark.parametrize("together", [bridged, keylib.step])
@given(one=curves(), other=curves())
def test_ends_go_on_each_as_its_own_part_did(
    together: Callable[[Keys, Keys], Keys], one: Keys, other: Keys
) -> None:
    """One held, the other along a line, or each along a line of its own: Blender has one setting for both."""
    assert_ends_go_on(together, one, other)


SEVERAL = curves(codes=st.sampled_from([BEZIER, LINEAR]), sizes=st.integers(2, 3), linear=True)


@given(one=SEVERAL, other=SEVERAL, lift=st.sampled_from([-3.0, 0.5]))
def test_ends_that_took_their_slope_from_a_key_that_goes_elsewhere_keep_it(
    one: Keys, other: Keys, lift: float
) -> None:
    def together(head: Keys, tail: Keys) -> Keys:
        ends = np.array([head.co[-1], tail.co[0]], float)
        return keylib.join(head, keylib.sampled(ends[:, 0], ends[:, 1] + lift), tail)

    assert_ends_go_on(together, one, other)


def assert_ends_go_on(together: Callable[[Keys, Keys], Keys], one: Keys, other: Keys) -> None:
    """Beyond both ends the whole is as its parts are."""
    other.points[..., 0] += one.co[-1, 0] - other.co[0, 0] + 4.0
    whole, beyond = together(one, other), np.array([0.01, 0.5, 1.0, 1.5, 7.0])
    assert_same(whole, one, one.co[0, 0] - beyond)
    assert_same(whole, other, other.co[-1, 0] + beyond)


@pytest.mark.parametrize("cut", [-5.0, 0.0, 4.0, 10.0, 15.0])
def test_straight_ends_go_on_straight(cut: float) -> None:
    # a linear key takes its slope from its neighbour, which a cut may take away
    assert_cuts_cleanly(line([0.0, 10.0], [0.0, 5.0]), cut)


def test_a_linear_key_behind_a_bend_keeps_its_way_on() -> None:
    keys = line([0.0, 10.0], [0.0, 5.0], BEZIER)
    keys.interpolation[-1] = LINEAR
    keys.right[0] = 3.0, 4.0
    assert_cuts_cleanly(keys, 5.0)


@given(st.data(), curves())
def test_a_cut_on_a_key_changes_no_bit(data: st.DataObject, keys: Keys) -> None:
    assume(not keys.linear_extrapolation)
    i = data.draw(st.integers(0, len(keys) - 1))
    head, tail = keylib.head(keys, float(keys.co[i, 0])), keylib.tail(keys, float(keys.co[i, 0]))
    for name in ARRAYS:
        assert_array_equal(getattr(head, name), getattr(keys, name)[: i + 1])
        assert_array_equal(getattr(tail, name), getattr(keys, name)[i:])


@given(st.data(), curves(), curves())
def test_curves_that_are_keyed_together_are_cut_as_each_alone(
    data: st.DataObject, one: Keys, other: Keys
) -> None:
    alike = one.copy()
    alike.points[..., 1] *= np.float32(-0.3)
    group = [one, other, alike]
    cut = data.draw(cuts(one))
    for keys, keyed in zip(group, keylib.keyed(group, cut), strict=True):
        for half in (keylib.head, keylib.tail):
            alone, found = half(keys, cut), half(keyed, cut)
            assert_array_equal(found.points, alone.points)
            assert_array_equal(found.codes, alone.codes)


@given(st.data(), curves(sizes=st.integers(3, 5)))
def test_a_cut_leaves_keys_further_off_as_they_are(data: st.DataObject, keys: Keys) -> None:
    cut = data.draw(cuts(keys))
    joined = keylib.join(keylib.head(keys, cut), None, keylib.tail(keys, cut))
    for i, frame in enumerate(keys.co[:, 0]):
        j = int(np.argmin(np.abs(joined.co[:, 0] - frame)))
        assert_array_equal(joined.co[j], keys.co[i])
        beside = {i, max(i - 1, 0), min(i + 1, len(keys) - 1)}
        if all(abs(keys.co[k, 0] - cut) > 12.0 for k in beside):
            assert_array_equal(joined.left[j], keys.left[i])
            assert_array_equal(joined.right[j], keys.right[i])
            assert joined.interpolation[j] == keys.interpolation[i]


@given(curves(), st.floats(-5e-4, 5e-4))
def test_a_cut_beside_a_key_is_on_it(keys: Keys, nearly: float) -> None:
    # imported times are fractions with rounding errors: no two keys on one frame
    cut = float(keys.co[0, 0]) + nearly
    assert len(keylib.head(keys, cut)) == 1
    assert len(keylib.tail(keys, cut)) == len(keys)


@given(st.data(), curves())
def test_cutting_leaves_what_it_is_given_as_it_is(data: st.DataObject, keys: Keys) -> None:
    before = keys.copy()
    cut = data.draw(cuts(keys))
    keylib.join(keylib.head(keys, cut), None, keylib.tail(keys, cut))
    keylib.move(keys, 3.0, -1.0, 2.0)
    keylib.step(keylib.head(keys, cut), keylib.tail(keys, cut))
    for name in ARRAYS:
        assert_array_equal(getattr(keys, name), getattr(before, name))


# moving


@given(curves(), st.integers(-300, 300), st.sampled_from([1.0, -1.0]), st.floats(-5.0, 5.0))
def test_a_moved_curve_is_the_curve_later_turned_and_raised(
    keys: Keys, frames: int, sign: float, shift: float
) -> None:
    found = keylib.move(keys, frames, sign, shift)
    assert_follows(
        found, lambda frame: sign * evaluate(keys, frame - frames) + shift, frames_around(keys) + frames, 1e-3
    )


# joining


@given(st.data(), curves(), curves())
def test_sides_of_a_join_go_on_each_as_its_own_curve(data: st.DataObject, one: Keys, two: Keys) -> None:
    cut = data.draw(cuts(one))
    later = cut - data.draw(cuts(two))
    two = keylib.move(two, later)
    assume(np.all(np.abs(two.co[:, 0] - cut) > 0.05) or np.any(two.co[:, 0] == np.float32(cut)))
    head, tail = keylib.head(one, cut), keylib.tail(two, cut)
    # they meet at one value, as baked curves do
    tail = keylib.move(tail, shift=float(head.co[-1, 1]) - float(tail.co[0, 1]))
    joined = keylib.join(head, None, tail)
    frames = np.union1d(frames_around(head), frames_around(tail))
    assert_same(joined, head, frames[frames < cut - 1e-3], 1e-4)
    assert_same(joined, tail, frames[frames > cut + 1e-3], 1e-4)


@given(st.data(), curves(), curves(), st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_a_baked_window_lies_between_two_untouched_sides(
    data: st.DataObject, one: Keys, two: Keys, length: int, seed: int
) -> None:
    cut = data.draw(cuts(one))
    two = keylib.move(two, cut + length - data.draw(cuts(two)))
    assume(np.all(np.abs(two.co[:, 0] - (cut + length)) > 0.05))
    head, tail = keylib.head(one, cut), keylib.tail(two, cut + length)
    frames = np.linspace(cut, cut + length, length + 1)
    values = np.random.default_rng(seed).normal(size=length + 1)
    values[0], values[-1] = head.co[-1, 1], tail.co[0, 1]
    window = keylib.sampled(frames, values)
    joined = keylib.join(head, window, tail)
    around = np.union1d(frames_around(head), frames_around(tail))
    assert_same(joined, head, around[around < cut - 1e-3], 1e-4)
    assert_same(joined, tail, around[around > cut + length + 1e-3], 1e-4)
    assert_same(joined, window, np.linspace(cut + 1e-3, cut + length - 1e-3, 30), 1e-4)
    assert len(joined) >= len(head) + len(window) + len(tail) - 2


@pytest.mark.parametrize(("left", "right"), list(itertools.product([False, True], repeat=2)))
@pytest.mark.parametrize("code", [LINEAR, BEZIER])
def test_ends_extrapolate_each_as_its_own_curve_did(*, left: bool, right: bool, code: int) -> None:
    # Blender has one setting for both ends
    one = line([0.0, 10.0, 20.0], [0.0, 5.0, 6.0], code, linear=left)
    two = line([0.0, 10.0, 20.0], [3.0, 1.0, -6.0], code, linear=right)
    head, tail = keylib.head(one, 12.0), keylib.tail(two, 12.0)
    tail = keylib.move(tail, shift=float(head.co[-1, 1]) - float(tail.co[0, 1]))
    joined = keylib.join(head, None, tail)
    assert_same(joined, head, np.array([-100.0, -20.0, -0.5, 0.0, 3.0]))
    assert_same(joined, tail, np.array([17.0, 20.0, 20.5, 45.0, 120.0]))
    # no action gets longer than by a frame at each end
    assert joined.co[0, 0] >= -1.0
    assert joined.co[-1, 0] <= 21.0


# the sudden change


@given(st.data(), curves(), curves())
def test_a_step_holds_and_then_changes_at_once(data: st.DataObject, one: Keys, two: Keys) -> None:
    cut = float(data.draw(st.integers(-20, 40)))
    assume(all(np.all(np.abs(keys.co[:, 0] - cut) > 0.05) for keys in (one, two)))
    head, tail = keylib.head(one, cut - keylib.STEP_FRAMES), keylib.tail(two, cut)
    stepped = keylib.step(head, tail)
    end = float(head.co[-1, 0])
    frames = np.union1d(frames_around(head), frames_around(tail))
    assert_same(stepped, head, frames[frames < end - 1e-3])
    assert_same(stepped, tail, frames[frames > cut + 1e-3])
    assert evaluate(stepped, cut) == tail.co[0, 1]
    held = evaluate(stepped, cut - 0.3 * keylib.STEP_FRAMES)
    assert held == pytest.approx(float(head.co[-1, 1]), abs=1e-5)


# easings


EASED = curves(codes=st.sampled_from([SINE, BEZIER, LINEAR]), sizes=st.integers(2, 5))


@given(st.data(), EASED)
def test_an_easing_can_not_be_cut_and_all_else_can(data: st.DataObject, keys: Keys) -> None:
    cut = data.draw(cuts(keys))
    i = int(np.searchsorted(keys.co[:, 0], np.float32(cut)))
    inside = 0 < i < len(keys) and keys.co[i, 0] != np.float32(cut)
    if inside and keys.interpolation[i - 1] == SINE:
        for side in (keylib.head, keylib.tail):
            with pytest.raises(NotCuttable):
                side(keys, cut)
    else:
        assert_cuts_cleanly(keys, cut)


@given(st.data(), EASED)
def test_a_baked_easing_can_be_cut(data: st.DataObject, keys: Keys) -> None:
    eased = [float(i) for i in np.flatnonzero(keys.interpolation[:-1] == SINE)]
    assume(eased)
    i = int(data.draw(st.sampled_from(eased)))
    start, end = keys.co[i, 0], keys.co[i + 1, 0]
    inside = float(0.5 * (start + end))
    assert keylib.segment(keys, inside) == (start, end)
    frames = np.linspace(start, end, 9)
    values = [evaluate(keys, frame) for frame in frames]
    baked = keylib.with_baked_segment(keys, inside, keylib.sampled(frames, values))
    around = frames_around(keys)
    assert_same(baked, keys, around[(around < start - 1e-3) | (around > end + 1e-3)])
    for frame, value in zip(frames, values, strict=True):
        assert evaluate(baked, float(np.float32(frame))) == pytest.approx(value, abs=1e-4)
    keylib.head(baked, inside)


# what an easing needs beside its code


def with_shapes(keys: Keys, start: float) -> Keys:
    """The keys with numbers that tell one key's amplitude from another's."""
    numbers = np.arange(start, start + len(keys), dtype=np.float32)
    return dataclasses.replace(keys, shapes=numbers[:, None] + np.float32([0.0, 100.0, 200.0]))


@given(curves(linear=False, sizes=st.integers(2, 4)), curves(linear=False, sizes=st.integers(2, 4)))
def test_shapes_of_easings_stay_with_their_keys(one: Keys, two: Keys) -> None:
    one, two = with_shapes(one, 1.0), with_shapes(two, 11.0)
    two = keylib.move(two, float(one.co[-1, 0]) - float(two.co[0, 0]))
    joined = keylib.join(one, None, two)
    assert joined.shapes is not None
    # where they meet it is the tail's segment that follows
    assert joined.shapes[:, 0].tolist() == [*range(1, len(one)), *range(11, 11 + len(two))]
    plain = keylib.join(one, None, dataclasses.replace(two, shapes=None))
    assert plain.shapes is not None
    assert plain.shapes[: len(one) - 1, 0].tolist() == [*range(1, len(one))]
