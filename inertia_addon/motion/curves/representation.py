# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations in a bone's own channels, without a flip of sign or a turn where one clip meets the other.

The same rotation has two quaternions, two sets of Euler angles and any number of turns. The
output starts on the source's and goes on without a jump; where it meets the destination, the
destination's own keys are brought to it by a sign and a shift, which changes no pose.

Stretches of curves that show other values: dense keys there, the curve's own before and behind.

A stretch should begin and end with what the curve shows there anyway, unless it begins or ends the curve. At
both ends it then has the curve's own slope, or the central one of what is on the two sides where the curve is
made of lines: it goes on without a kink as far as the values do.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ...records import record
from .. import quaternion
from ..arrays import Array, ArrayLike
from . import keys as keylib
from .evaluation import evaluate, evaluate_together
from .following import follow
from .keys import BEZIER, SAME_FRAME, Keys, NotCuttable

STRAY = math.radians(0.75)
"""Half-way between two keys the channels show a rotation at most this far from the one meant ..."""
SHORTEST = 1.0 / 32.0
"""... unless keys would lie nearer than this many frames."""
EXACT = 5e-5
"""Behind the window they show the clip's own rotation half-way to so many radians: a turned character, whose
size is 1, is then where the clip has it to 1e-4."""


@record(frozen=True)
class Restatement:
    """For each channel: value' = sign * value + shift, the same rotation in other numbers."""

    sign: Array
    shift: Array

    def apply(self, raw: Array) -> Array:
        """Return raw channel values (..., channels), restated."""
        return raw * self.sign + self.shift


def same(channels: int) -> Restatement:
    """Return the restatement that changes nothing."""
    return Restatement(np.ones(channels), np.zeros(channels))


def continuous(q: Array, mode: str, start: Array, size: Array) -> Array:
    """Return rotations as raw channel values of a rotation mode, without jumps.

    Each row has the sign, whole turns, axis direction or set of Euler angles that is nearest to the row
    before. The axis of a turn of 1e-6 radians or less is that of the row before, y if that has none.

    Parameters
    ----------
    q : (..., n, 4)
        Unit quaternions.
    mode
        The rotation mode.
    start : (..., channels)
        The raw values that come before the first.
    size : (..., n)
        The length to give to quaternions, or to the axes of AXIS_ANGLE; ignored for Euler
        angles.

    Returns
    -------
    Array (..., n, channels)
        Angles are in radians and may exceed a turn.
    """
    if mode == "QUATERNION":
        along = np.sum(q * np.concatenate([start[..., None, :], q[..., :-1, :]], axis=-2), axis=-1)
        return q * (np.cumprod(np.where(along < 0.0, -1.0, 1.0), axis=-1) * size)[..., None]
    if mode != "AXIS_ANGLE":
        return _continuous_euler(q, mode, start)
    # each turn is chosen by the one before it, so several bones are followed one by one
    if q.ndim > 2:
        return np.stack([continuous(turns, mode, *rest) for turns, *rest in zip(q, start, size, strict=True)])
    raw = np.empty((len(q), len(start)))
    previous = start
    for i in range(len(q)):
        previous = raw[i] = _nearest_axis_angle(q[i], previous)
    raw[:, 1:] *= size[:, None]
    return raw


def _continuous_euler(q: Array, order: str, start: Array) -> Array:
    """Return Euler angles (..., n, 3), radians, each nearest to the one before.

    q: unit quaternions (..., n, 4). order: such as "XYZ". start: (..., 3), angles that the first ones follow.
    Of the two sets of angles of a rotation it is the one with the smaller sum of absolute differences once
    each angle is moved by whole turns, in a tie that of :func:`quaternion.to_euler`. Which set it is depends
    on the set before alone, as whole turns count for nothing: so it is known of both, and where both lead to
    the same, all that was chosen before no longer matters.
    """
    first_set = quaternion.to_euler(q, order)
    sets = np.stack([first_set, quaternion.other_euler(first_set, order)], axis=-2)
    whole = 2.0 * math.pi
    first = np.broadcast_to(start[..., None, None, :], (*start.shape[:-1], 1, 2, 3))
    before = np.concatenate([first, sets[..., :-1, :, :]], axis=-3)
    # (..., n, 2 before, 2 after): how far, but for whole turns
    away = before[..., :, None, :] - sets[..., None, :, :]
    far = np.abs(away - whole * np.round(away / whole)).sum(axis=-1)
    # for each set that may have come before, whether the second one is the nearer behind it
    leads = far[..., 1] < far[..., 0]
    swaps = np.cumsum(leads[..., 0] & ~leads[..., 1], axis=-1)
    places = np.arange(q.shape[-2])
    # where both lead to the same set, what came before no longer counts
    decided = np.maximum.accumulate(np.where(leads[..., 0] == leads[..., 1], places, 0), axis=-1)
    chosen = np.take_along_axis(leads[..., 0], decided, -1)
    # since then each swap has turned the choice over
    chosen = chosen ^ ((swaps - np.take_along_axis(swaps, decided, -1)) % 2 == 1)
    angles = np.where(chosen[..., None], sets[..., 1, :], sets[..., 0, :])
    steps = np.concatenate([start[..., None, :], angles[..., :-1, :]], axis=-2) - angles
    # what is no number has nothing behind it either
    return np.asarray(angles + whole * np.cumsum(np.round(steps / whole), axis=-2))


def followed(
    sample: Callable[[Array], Array],
    frames: Array,
    mode: str,
    interpolation: int = keylib.BEZIER,
    *,
    exactly: bool = False,
) -> tuple[Array, Array]:
    """Return frames, and the raw channel values on them, dense enough that keys there follow a rotation.

    Half-way between two keys the channels may show a rotation at most 0.75 degrees from what quaternions on
    these keys would show there, or, if `exactly`, at most 5e-5 radians from the sampled one; otherwise a
    frame is added there, unless the keys are closer than 1/16 frame. QUATERNION channels need no more frames
    unless `exactly`.

    Parameters
    ----------
    sample
        Gives the values (k, channels) at frames (k,), rising; it is called anew for all frames
        each time.
    frames : (n,)
        Rising; all of them are kept.
    mode
        The rotation mode.
    interpolation
        Of the keys; any but BEZIER counts as linear.
    exactly
        Compare with the sampled rotation instead.

    Returns
    -------
    tuple[Array, Array]
        Frames (m,), rising, and values (m, channels).
    """
    # keys that were added change the slopes beside them, so that all is looked at anew
    while True:
        raw = sample(frames)
        gaps = np.diff(frames)
        middles = frames[:-1] + 0.5 * gaps
        if not len(middles):
            return frames, raw
        if exactly:
            meant, stray = quaternion.to_quaternion(sample(middles), mode), EXACT
        elif may_stray(raw, mode):
            meant, stray = _led(frames, raw, mode, interpolation), STRAY
        else:
            return frames, raw
        shown = quaternion.to_quaternion(_half_way(frames, raw, interpolation), mode)
        turns = quaternion.multiply(shown, quaternion.conjugate(meant))
        away = np.linalg.norm(quaternion.log(turns), axis=-1)
        between = middles[(away > stray) & (gaps >= 2.0 * SHORTEST)]
        if not len(between):
            return frames, raw
        frames = np.union1d(frames, between)


def may_stray(raw: Array, mode: str) -> bool:
    """Tell whether channels (n, channels) may show another rotation half-way between keys than
    quaternions would.
    """
    steps = np.abs(raw[1:] - raw[:-1]).sum(axis=1)
    # of Euler angles the second derivatives of the rotation are at most 1
    return mode != "QUATERNION" and not (mode != "AXIS_ANGLE" and np.all(0.5 * steps * steps < STRAY))


def _led(frames: Array, raw: Array, mode: str, interpolation: int) -> Array:
    """Return the rotations half-way between keys (n - 1, 4) to which quaternions on these would lead."""
    q = quaternion.unflipped(quaternion.to_quaternion(raw, mode))
    return quaternion.normalise(_half_way(frames, q, interpolation))


def _half_way(frames: Array, values: Array, interpolation: int) -> Array:
    """Return what keys with the values (n, channels) on frames (n,) show half-way between each two: (n - 1,
    channels).

    For BEZIER they have central slopes; any other interpolation counts as linear.
    """
    middle = 0.5 * (values[:-1] + values[1:])
    # the middle of a Hermite spline: the line's, less an eighth of how its slopes differ
    if interpolation == keylib.BEZIER:
        middle -= np.diff(keylib.slopes(frames, values), axis=0) * np.diff(frames)[:, None] / 8.0
    return middle


def nearest(q: Array, mode: str, reference: Array) -> Array:
    """Return one rotation as the raw channels of a rotation mode that are nearest to some others.

    Parameters
    ----------
    q : (4,)
        A unit quaternion.
    mode
        The rotation mode.
    reference : (channels,)
        The raw values to come near to.

    Returns
    -------
    Array (channels,)
        A quaternion or its opposite, angles moved by whole turns, radians, or the nearer set of
        Euler angles. An axis has unit length; for a turn of 1e-6 radians or less it is the
        reference's, y if that has none.
    """
    if mode == "QUATERNION":
        return -q if q @ reference < 0.0 else q
    if mode == "AXIS_ANGLE":
        return _nearest_axis_angle(q, reference)
    return quaternion.nearest_euler(quaternion.to_euler(q, mode), reference, mode)


def _nearest_axis_angle(q: Array, reference: Array) -> Array:
    r = quaternion.log(q)
    angle = float(np.linalg.norm(r))
    length = float(np.linalg.norm(reference[1:]))
    before = reference[1:] / length if length > 1e-30 else np.array([0.0, 1.0, 0.0])
    # no turn has no axis: that of the key before stays
    axis = r / angle if angle > 1e-6 else before
    # the same rotation about the opposite axis, so that the axis does not flip
    if axis @ before < 0.0:
        axis, angle = -axis, -angle
    return np.concatenate([quaternion.nearest_turn([angle], reference[:1]), axis])


def sizes(raw: Array, mode: str) -> Array:
    """Return the length (...) of raw quaternions, or of the axes of raw axes and angles (..., channels); 1
    where it is below 1e-9.

    mode: the rotation mode; for Euler angles all is 1.
    """
    if mode not in ("QUATERNION", "AXIS_ANGLE"):
        return np.ones(raw.shape[:-1])
    length = np.linalg.norm(raw if mode == "QUATERNION" else raw[..., 1:], axis=-1)
    return np.where(length < 1e-9, 1.0, length)


def restatement(raw: Array, mode: str, wanted: Array) -> Restatement:
    """Return the restatement that turns raw values into those of the same rotation nearest to others.

    Quaternions may change their sign. An axis and angle may both change their signs, and the angle moves by
    whole turns. Euler angles move by whole turns, or become the other set of the same rotation.

    Parameters
    ----------
    raw : (channels,)
        The values.
    mode
        The rotation mode.
    wanted : (channels,)
        Those to come near to.

    Returns
    -------
    Restatement
        For each channel a sign and a shift: apply() returns sign * value + shift. It may be
        applied to all values that follow each other with these, for the same rotations.
    """
    if mode == "QUATERNION":
        flip = -1.0 if raw @ wanted < 0.0 else 1.0
        return Restatement(np.full(4, flip), np.zeros(4))
    if mode == "AXIS_ANGLE":
        flip = -1.0 if raw[1:] @ wanted[1:] < 0.0 else 1.0
        turned = quaternion.nearest_turn(flip * raw[:1], wanted[:1])
        return Restatement(np.full(4, flip), np.array([turned[0] - flip * raw[0], 0.0, 0.0, 0.0]))
    # the second set of Euler angles runs the middle angle backwards
    other_sign = np.where(np.arange(3) == "XYZ".index(mode[1]), -1.0, 1.0)
    choices = []
    for sign, base in ((np.ones(3), raw), (other_sign, quaternion.other_euler(raw, mode))):
        turned = quaternion.nearest_turn(base, wanted)
        choices.append((float(np.sum(np.abs(turned - wanted))), Restatement(sign, turned - sign * raw)))
    return min(choices, key=lambda choice: choice[0])[1]


Cut = Callable[[Keys, float], Keys]
Span = tuple[float, float]
"""The first and the last frame of something."""

AS_IT_WAS = 1e-5
"""A value nearer than this to the curve's own is the curve's own, as of the numbers of a rotation."""


def whole_frames(first: float, last: float) -> Array:
    """Return ``first``, the whole frames after it, and ``last``, rising; once if both are the same within
    1e-4.
    """
    inner = np.arange(math.floor(first + 1e-4) + 1, math.ceil(last - 1e-4))
    return np.concatenate([[first], inner, [last] if last > first + 1e-4 else []])


def parted(cut: Cut, keys: Keys, frame: float) -> tuple[Keys, Span | None]:
    """Return (curve, span): the part of a curve up to `frame`, or from there on, and the span of the easing
    that was sampled for that.

    cut: which of the two, :func:`keylib.head` or :func:`keylib.tail`. If the frame lies within an easing,
    which can't be cut, the whole segment is replaced by keys that follow it first, on its whole frames and
    `frame` at least; span is then the segment's (first frame, last frame). Otherwise span is None. `keys` is
    not changed.
    """
    try:
        return cut(keys, frame), None
    except NotCuttable:
        first, last = keylib.segment(keys, frame)
        frames = np.unique(np.concatenate([whole_frames(first, last), [frame]]))
        baked = follow(functools.partial(evaluate, keys), frames)
        return cut(keylib.with_baked_segment(keys, frame, baked), frame), (first, last)


Made = tuple[list[Keys], list[Span | None]]
"""Curves, and for each from where to where an easing of it had to be sampled."""


def vectors(curves: Sequence[Keys], frames: ArrayLike, values: ArrayLike, kinks: Sequence[int] = ()) -> Made:
    """Return curves with new values in a stretch, and for each the span of a sampled easing or None.

    Parameters
    ----------
    curves
        The curves as they are.
    frames : (n,)
        Rising; the stretch is from the first to the last.
    values : (n, curves)
        What they show there.
    kinks
        Indices of frames at which they need not go on as they came, see
        :func:`keylib.kinked`.

    Returns
    -------
    Made
        The new curves; and for each the first and the last frame of the easings at the
        stretch's ends that were sampled, None for none. An end whose values differ by less
        than 1e-5 from the curves' gets exactly these.
    """
    return _replaced([curves], np.asarray(frames, float), np.asarray(values, float)[None], kinks=kinks)[0]


def rotations(
    curves: Sequence[Keys], mode: str, frames: ArrayLike, turns: ArrayLike, kinks: Sequence[int] = ()
) -> Made:
    """Return the channels of a rotation with new values in a stretch, and what was sampled for that.

    The values continue those before the stretch without a flip or jump; keys are added where angles would
    deviate, on the smooth curve through the quaternions of `turns`. Quaternions and axes are as long as the
    curves' own on each frame. Behind the stretch the same rotations are expressed in values that continue it.

    Parameters
    ----------
    curves
        All channels of the rotation, as they are.
    mode
        The rotation mode.
    frames : (n,)
        Rising; the stretch is from the first to the last.
    turns : (n, 4)
        The rotations wanted there, unit quaternions; their signs do not matter.
    kinks
        Indices of frames at which the curves need not be smooth.

    Returns
    -------
    Made
        (curves, spans): lists as long as `curves`. A span is (first, last), the frames from the
        beginning of the first to the end of the last easing at the stretch's ends that was
        sampled, or None for none.
    """
    return rotations_together([curves], mode, frames, np.asarray(turns, float)[None], kinks)[0]


def rotations_together(
    curve_groups: Sequence[Sequence[Keys]],
    mode: str,
    frames: ArrayLike,
    turns: Array,
    kinks: Sequence[int] = (),
) -> list[Made]:
    """Return the curves of several rotations of one mode with new values in the same stretch.

    They are the very curves that :func:`rotations` returns for one after the other, several times as quickly:
    the new values continue those before the stretch without a flip or jump, with more keys where angles would
    stray from the turns; behind the stretch the same rotations stand in values that continue them.

    Parameters
    ----------
    curve_groups : (rotations,)
        All channels of each rotation, as its curves are.
    mode
        The rotation mode of all.
    frames : (n,)
        Rising; the stretch of all.
    turns : (rotations, n, 4)
        The rotations wanted there, unit quaternions; their signs do not matter.
    kinks
        Indices of frames at which the curves need not be smooth.

    Returns
    -------
    list[Made]
        (curves, spans) of each rotation, lists as long as its channels. A span is the first and last
        frame of what easings at the stretch's ends were sampled for it, or None.
    """
    frames = np.asarray(frames, float)
    unflipped = quaternion.unflipped(np.asarray(turns, float).swapaxes(0, 1))
    quaternions = keylib.sampled_together(frames, unflipped.reshape(len(frames), -1))
    if len(kinks):
        quaternions = [keylib.kinked(keys, kinks) for keys in quaternions]
    at = frames[list(kinks)]

    def sample(rows: Sequence[int], times: Array) -> Array:
        """Return the raw channels (rows, k, channels) of some of the rotations, by index, at times (k,),
        rising.

        They are those of the smooth curves through the wanted quaternions, with the values that continue what
        the channels show at the first time; quaternions and axes are as long as the channels' own.
        """
        curves = [keys for row in rows for keys in curve_groups[row]]
        before = evaluate_together(curves, times).astype(float).reshape(len(rows), -1, len(times))
        shown = [keys for row in rows for keys in quaternions[4 * row : 4 * row + 4]]
        q = evaluate_together(shown, times).astype(float).reshape(len(rows), 4, len(times))
        q = (q / np.linalg.norm(q, axis=1, keepdims=True)).swapaxes(1, 2)
        before = before.swapaxes(1, 2)
        return continuous(q, mode, before[:, 0], sizes(before, mode))

    def sample_one(row: int, times: Array) -> Array:
        """Return the channels (k, channels) of one of the rotations at times (k,)."""
        return np.asarray(sample([row], times)[0])

    raw = sample(range(len(curve_groups)), frames)
    # where angles stray, keys are added, to each rotation on other frames
    strays = [row for row, values in enumerate(raw) if len(frames) > 1 and may_stray(values, mode)]
    alike = [row for row in range(len(curve_groups)) if row not in strays]
    made: dict[int, Made] = {}
    for row in strays:
        more, values = followed(functools.partial(sample_one, row), frames, mode)
        places = np.searchsorted(more, at - SAME_FRAME).tolist()
        (made[row],) = _replaced([curve_groups[row]], more, values[None], mode, places)
    if alike:
        places = np.searchsorted(frames, at - SAME_FRAME).tolist()
        replaced = _replaced([curve_groups[row] for row in alike], frames, raw[alike], mode, places)
        made |= zip(alike, replaced, strict=True)
    return [made[row] for row in range(len(curve_groups))]


def _replaced(
    curve_groups: Sequence[Sequence[Keys]],
    frames: Array,
    values: Array,
    mode: str = "",
    kinks: Sequence[int] = (),
) -> list[Made]:
    """Return of each of some groups of curves (curves, spans): curves with dense keys on a stretch, and for
    each the frames (first, last) between which an easing had to be sampled at the stretch's ends, or None;
    with one at both ends they are the beginning of the first and the end of the last.

    curve_groups: the groups, with as many curves each: the channels of one rotation, or any others. frames:
    (n,), rising, and values: (groups, n, curves), of the new keys. mode: of rotations, whose values behind
    the stretch are restated to continue it; "" for other channels. kinks: indices of frames that need not be
    smooth.

    An end gets exactly the curves' own values, restated ones at the last frame, if all values of the group
    differ from these by less than 1e-5, or by less than that part of values above 1. Before the stretch
    nothing changes. Behind it the curves go on as they were, but for the restatement. The given curves are
    not changed.
    """
    around = np.array([frames[0] - 1.0, frames[0], frames[-1], frames[-1] + 1.0])
    every = evaluate_together([keys for curves in curve_groups for keys in curves], around).astype(float)
    by_ends: dict[tuple[int, int], list[_Stretch]] = {}
    stretches = [
        _Stretch.of(curves, frames, group.copy(), shown, mode)
        for curves, group, shown in zip(
            curve_groups, values, every.reshape(len(curve_groups), -1, 4).swapaxes(1, 2), strict=True
        )
    ]
    for stretch in stretches:
        by_ends.setdefault((stretch.starts, stretch.ends), []).append(stretch)
    for (starts, ends), alike in by_ends.items():
        places = np.concatenate([around[:starts], frames, around[4 - ends :]])
        dense = keylib.sampled_together(places, np.concatenate([each.dense_values for each in alike], axis=1))
        taken = iter(dense)
        for stretch in alike:
            stretch.dense += [next(taken) for _ in stretch.curves]
    parts = [part for stretch in stretches for part in stretch.find_parts(frames, kinks)]
    joined = iter(keylib.joined_together(parts))
    return [([next(joined) for _ in stretch.curves], stretch.eased) for stretch in stretches]


@record(eq=False)
class _Stretch:
    """A group of curves that get dense keys on a stretch, see :func:`_replaced`.

    values: (n, curves) of the new keys. shown: (4, curves) what the curves show on the frame before the
    stretch, on its first and its last one and on the one behind, the last two restated. behind: how. starts,
    ends: how many of these samples, 0 or 1, there are beyond each end, for the slopes there. dense: the keys
    of the stretch with these samples. eased: the spans of sampled easings.
    """

    curves: Sequence[Keys]
    values: Array
    shown: Array
    behind: Restatement
    starts: int
    ends: int
    dense: list[Keys] = dataclasses.field(default_factory=list)
    eased: list[Span | None] = dataclasses.field(default_factory=list)

    @classmethod
    def of(cls, curves: Sequence[Keys], frames: Array, values: Array, present: Array, mode: str) -> _Stretch:
        """Return a stretch of curves with values (n, curves) on frames (n,), which are changed in place: the
        first and the last become the curves' own numbers where all of these are the same but for rounding.

        present: (4, curves) what the curves show, not yet restated; it is not changed. mode: the rotation's,
        "" for other channels; of a rotation what is before and behind the stretch is restated so that it fits
        the values.
        """
        behind, shown = same(len(curves)), present.copy()
        if mode:
            shown[0] = restatement(shown[0], mode, shown[1]).apply(shown[0])
            behind = restatement(shown[2], mode, values[-1])
            shown[3] = restatement(shown[3], mode, values[-1]).apply(shown[3])
        shown[2] = behind.apply(shown[2])
        for i, own in ((0, shown[1]), (-1, shown[2])):
            # an end that has not changed keeps the curve's very own number
            if np.all(np.abs(values[i] - own) < AS_IT_WAS * np.maximum(1.0, np.abs(own))):
                values[i] = own
        starts = int(min(keys.co[0, 0] for keys in curves) < frames[0] - SAME_FRAME)
        ends = int(max(keys.co[-1, 0] for keys in curves) > frames[-1] + SAME_FRAME)
        return cls(curves, values, shown, behind, starts, ends)

    @property
    def dense_values(self) -> Array:
        """The values of the dense keys (starts + n + ends, curves)."""
        return np.concatenate([self.shown[: self.starts], self.values, self.shown[4 - self.ends :]])

    def find_parts(self, frames: Array, kinks: Sequence[int]) -> Iterator[tuple[Keys, Keys, Keys]]:
        """Yield the head, the dense keys and the tail of each curve, to be joined, the tail restated.

        With each one, append to ``eased`` the first and last frame of the easings that had to be sampled at
        its cuts; None without one. kinks: indices of frames at which curves need not be smooth.
        """
        for column, keys in enumerate(self.curves):
            whole = self.dense[column]
            if len(kinks):
                whole = keylib.kinked(whole, [self.starts + i for i in kinks])
            middle = whole.take(slice(self.starts, self.starts + len(frames)))
            head, first = parted(keylib.head, keys, frames[0])
            tail, last = parted(keylib.tail, keys, frames[-1])
            sign, shift = float(self.behind.sign[column]), float(self.behind.shift[column])
            tail = keylib.move(tail, sign=sign, shift=shift)
            yield head, _sloped(middle, head, tail), tail
            spans = [span for span in (first, last) if span is not None]
            self.eased.append((spans[0][0], spans[-1][1]) if spans else None)


def _sloped(dense: Keys, head: Keys, tail: Keys) -> Keys:
    """Return dense keys that leave a head, and reach a tail, with the slopes of these.

    Only the right handle of the first dense key and the left one of the last change, to a third of the way to
    the next key: the former takes the slope of the left handle of the head's last key if the head's last
    segment is Bezier, the latter that of the right handle of the tail's first key if the tail's first segment
    is. Handles shorter than 0.001 frames say nothing. A single key is returned as it is. The keys given are
    not changed.
    """
    # a single key has no gap of which a handle takes a third
    if len(dense) < 2:
        return dense
    (x, y), (x_next, _) = dense.points[:2, 0].tolist()
    (x_before, _), (x_last, y_last) = dense.points[-2:, 0].tolist()
    points = dense.points.copy()
    across, up = (head.co[-1] - head.left[-1]).tolist()
    if len(head) > 1 and head.interpolation[-2] == BEZIER and across >= SAME_FRAME:
        third = (x_next - x) / 3.0
        points[0, 2] = x + third, y + third * (up / across)
    across, up = (tail.right[0] - tail.co[0]).tolist()
    if len(tail) > 1 and tail.interpolation[0] == BEZIER and across >= SAME_FRAME:
        third = (x_last - x_before) / 3.0
        points[-1, 1] = x_last - third, y_last - third * (up / across)
    return dataclasses.replace(dense, points=points)
