# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves at many frames at once: the values of their keys, and in between what a plain reading says."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.motion.curves import evaluation
from inertia_addon.motion.curves import keys as keylib
from inertia_addon.motion.curves.evaluation import (
    BACK,
    BOUNCE,
    CUBIC,
    IN,
    IN_OUT,
    QUAD,
    SINE,
    evaluate,
    evaluate_together,
)
from inertia_addon.motion.curves.keys import BEZIER, LINEAR, Keys
from tests.motion.reference_curve import curves, frames_around
from tests.motion.reference_curve import evaluate as reference


def assert_follows(keys: Keys, frames: np.ndarray) -> None:
    """The values are those of a frame at most float32's rounding away."""
    found = evaluate(keys, frames)
    for frame, value in zip(frames.tolist(), found.tolist(), strict=True):
        close = [reference(keys, frame + shift) for shift in (-1.1e-4, -1e-5, 0.0, 1e-5, 1.1e-4)]
        error = 2e-5 * (1.0 + max(map(abs, close)))
        assert min(close) - error <= value <= max(close) + error, (frame, value, close)


@given(curves())
def test_values_are_the_curves(keys: Keys) -> None:
    assert_follows(keys, frames_around(keys))


@given(curves(longest_handle=2.5))
def test_handles_longer_than_their_segment_are_shortened(keys: Keys) -> None:
    inside = np.linspace(keys.co[0, 0], keys.co[-1, 0], 40)
    assert_follows(keys, inside)


@given(curves())
def test_keys_show_their_own_value(keys: Keys) -> None:
    np.testing.assert_array_equal(evaluate(keys, keys.co[:, 0]), keys.co[:, 1])


@given(curves(linear=False))
def test_held_beyond_the_ends(keys: Keys) -> None:
    first, last = keys.co[0, 0], keys.co[-1, 0]
    before, after = evaluate(keys, [first - 50.0, first - 0.01]), evaluate(keys, [last + 0.01, last + 50.0])
    np.testing.assert_array_equal(before, keys.co[0, 1])
    np.testing.assert_array_equal(after, keys.co[-1, 1])


@given(curves(), st.randoms(use_true_random=False))
def test_order_and_company_of_frames_do_not_matter(keys: Keys, chance) -> None:
    frames = frames_around(keys)
    order = list(range(len(frames)))
    chance.shuffle(order)
    np.testing.assert_array_equal(evaluate(keys, frames[order]), evaluate(keys, frames)[order])
    np.testing.assert_array_equal([evaluate(keys, [frame])[0] for frame in frames], evaluate(keys, frames))


@given(st.lists(curves(), min_size=1, max_size=4), st.floats(-3.0, 3.0, width=32))
def test_curves_together_are_what_each_is_alone(several: list[Keys], lift: float) -> None:
    # one more with keys and handles on the frames of the first, so that what they share is shared
    several = [*several, keylib.move(several[0], shift=lift)]
    frames = frames_around(several[0])
    together = evaluate_together(several, frames)
    assert together.dtype == np.float32
    for keys, row in zip(several, together, strict=True):
        np.testing.assert_array_equal(row, evaluate(keys, frames))


def test_sampled_keys_give_their_samples_back() -> None:
    frames = np.arange(0.0, 200.0)
    values = np.sin(0.1 * frames)
    keys = keylib.sampled(frames, values)
    np.testing.assert_array_equal(evaluate(keys, frames), values.astype(np.float32))
    between = frames[:-1] + 0.5
    np.testing.assert_allclose(evaluate(keys, between), np.sin(0.1 * between), atol=2e-4)


def test_straight_line_is_straight() -> None:
    for code in (LINEAR, BEZIER):
        keys = keylib.sampled([0.0, 10.0, 20.0], [1.0, 2.0, 3.0], code)
        frames = np.linspace(0.0, 20.0, 81)
        np.testing.assert_allclose(evaluate(keys, frames), 1.0 + frames / 10.0, atol=1e-6)


EASINGS = range(evaluation.BACK, evaluation.SINE + 1)


def eased(code: int, ends: int, **shape: float) -> Keys:
    """A curve from 0 to 2 over 20 frames."""
    keys = keylib.sampled([10.0, 30.0, 40.0], [0.0, 2.0, 2.0], code)
    keys.easing[:] = ends
    shape = {"amplitude": 0.0, "back": 1.7, "period": 0.0, **shape}
    return dataclasses.replace(keys, shapes=np.tile(np.array([*shape.values()], np.float32), (3, 1)))


@pytest.mark.parametrize("code", EASINGS)
def test_easings_begin_and_end_on_their_keys(code: int) -> None:
    for ends in (evaluation.IN, evaluation.OUT, evaluation.IN_OUT):
        values = evaluate(eased(code, ends), [10.0, 10.001, 29.999, 30.0])
        np.testing.assert_allclose(values, [0.0, 0.0, 2.0, 2.0], atol=0.05)


@pytest.mark.parametrize("code", EASINGS)
def test_easing_in_is_easing_out_turned_round(code: int) -> None:
    frames = np.linspace(10.5, 29.5, 39)
    forth = evaluate(eased(code, evaluation.IN), frames)
    back = evaluate(eased(code, evaluation.OUT), frames[::-1])
    np.testing.assert_allclose(forth, 2.0 - back, atol=1e-5)


@pytest.mark.parametrize(
    ("ends", "part_of_it"), [(evaluation.IN, 0.3), (evaluation.OUT, 0.3), (evaluation.IN_OUT, 0.45)]
)
@given(
    change=st.floats(-3.0, 3.0),
    duration=st.floats(1.0, 50.0),
    amplitude=st.floats(0.0, 5.0),
    part=st.floats(0.01, 0.99),
)
def test_an_elastic_easing_swings_as_often_as_is_usual_where_nothing_is_said(
    ends: int, part_of_it: float, change: float, duration: float, amplitude: float, part: float
) -> None:
    """Robert Penner, Programming Macromedia Flash MX (2002): a period of 0.3, of both ends 0.3 * 1.5."""
    values = [np.array([each]) for each in (part, change, duration, amplitude)]
    said, unsaid = (
        evaluation.ease_elastic(ends, *values, np.array([p])) for p in (part_of_it * duration, 0.0)
    )
    np.testing.assert_allclose(unsaid, said, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("ends", "part", "come"),
    [(evaluation.IN, 1.0 - 1e-9, 1.0), (evaluation.OUT, 1e-9, 0.0), (evaluation.IN_OUT, 0.5 - 1e-9, 0.5)],
)
@given(
    change=st.floats(0.1, 3.0),
    duration=st.floats(1.0, 50.0),
    more=st.one_of(st.just(0.0), st.floats(1.01, 4.0)),
    period=st.one_of(st.just(0.0), st.floats(0.5, 20.0)),
)
def test_an_elastic_easing_reaches_its_ends_without_a_jump(
    ends: int, part: float, come: float, change: float, duration: float, more: float, period: float
) -> None:
    """However large its swings are, and however long."""
    values = [np.array([each]) for each in (part, change, duration, more * change, period)]
    np.testing.assert_allclose(evaluation.ease_elastic(ends, *values), come * change, atol=1e-4 * change)


def test_easing_code_on_the_last_key_shapes_nothing() -> None:
    keys = keylib.sampled([0.0, 10.0], [0.0, 1.0])
    keys.interpolation[-1] = evaluation.SINE
    np.testing.assert_allclose(evaluate(keys, [5.0, 12.0]), [0.5, 1.0], atol=1e-6)


@pytest.mark.parametrize("code", [BEZIER, LINEAR, evaluation.ELASTIC, evaluation.BACK])
def test_keys_scaled_in_time_show_the_same_that_much_later(code: int) -> None:
    keys = eased(code, 2, amplitude=0.3, period=4.0, back=1.5)
    frames = np.linspace(float(keys.co[0, 0]) - 1.0, float(keys.co[-1, 0]) + 1.0, 50)
    slower = keylib.scaled(keys, 3.0, 1.7)
    np.testing.assert_allclose(
        evaluate(slower, 3.0 + 1.7 * (frames - 3.0)), evaluate(keys, frames), atol=1e-5
    )


@pytest.mark.parametrize("code", [SINE, QUAD, CUBIC, BOUNCE])
def test_easing_in_and_out_is_alike_on_both_halves(code: int) -> None:
    at, back = np.linspace(0.0, 1.0, 21), np.full(21, 1.7)
    whole = evaluation.ease(code, IN_OUT, at, back)
    np.testing.assert_allclose(whole + whole[::-1], 1.0, atol=1e-12)
    eased = evaluation.ease(code, IN, at, back)
    np.testing.assert_allclose(whole[:11], 0.5 * eased[::2], atol=1e-12)


def test_easing_back_in_and_out_overshoots_half_as_much_again() -> None:
    at = np.linspace(0.0, 0.5, 9)
    back = np.full(9, 1.2)
    eased = evaluation.ease(BACK, IN, 2.0 * at, 1.525 * back)
    np.testing.assert_allclose(evaluation.ease(BACK, IN_OUT, at, back)[:-1], 0.5 * eased[:-1], atol=1e-12)


@given(
    st.lists(curves(), min_size=1, max_size=3), st.floats(-60.0, 60.0) | st.just(200.0), st.floats(0.0, 8.0)
)
def test_a_few_frames_of_long_curves_show_what_all_of_their_keys_tell(
    few: list[Keys], first: float, length: float
) -> None:
    frames = np.append(np.linspace(first, first + length, 5), [-200.0, 200.0][: int(length) % 3])
    whole = evaluate_together(few, frames)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(evaluation, "LONG", 1)
        patched.setattr(evaluation, "FEW", 0)
        by_few = evaluate_together(few, frames)
        patched.setattr(evaluation, "FEW", 1)
        by_some = evaluate_together(few, frames)
    np.testing.assert_array_equal(by_few, whole)
    np.testing.assert_array_equal(by_some, whole)
