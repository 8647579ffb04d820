# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a clip repeats, where each repetition takes the character, its length, and its keys.

A cycle is played from its first frame to its last, which is the first of the next one. Where the root
travels or turns on the way, every repetition begins where the former one ended: all of the character is
moved by the same rigid motion, a turn about the vertical and a translation, once for each.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence

import numpy as np

from ...records import record
from ..arrays import Array, ArrayLike, Integers
from ..curves import keys as keylib
from ..curves.keys import SAME_FRAME, STEP_FRAMES, Keys, NotCuttable
from ..skeleton import character_space

ON_FRAME = 1e-4
"""Frames nearer than this are the same."""


@record(frozen=True)
class Cycle:
    """A part of a clip that repeats.

    start, end: its first and last frame. heading: radians about the vertical, and translation: in world
    units, that each repetition adds. known_by: MODIFIERS, RANGE (of the action), CHOICE, or ENDS, which meet.
    """

    start: float
    end: float
    heading: float = 0.0
    translation: tuple[float, float, float] = (0.0, 0.0, 0.0)
    known_by: str = "CHOICE"

    @property
    def period(self) -> float:
        """How many frames it has."""
        return self.end - self.start

    @property
    def moves(self) -> bool:
        """Whether a repetition begins elsewhere than the one before."""
        return self.heading != 0.0 or any(self.translation)

    def motion(self, turns: int = 1) -> Array:
        """Return where `turns` repetitions take the world (4, 4); a negative number leads to before the
        first.
        """
        once = character_space.motion_of(self.heading, self.translation)
        return np.asarray(np.linalg.matrix_power(once, turns))

    def wrapped(self, frames: ArrayLike, first: float) -> tuple[Array, Integers]:
        """Return the clip's frames (n,) that are shown at frames (n,), and in which repetition (n,), 0 being
        the first one.

        Behind the first repetition a frame where two meet is the end of the earlier one; before it, the
        beginning of the later one. first: the clip's first frame. If the cycle begins there, it also repeats
        before that, with negative numbers; if it begins later, frames before the cycle are returned as they
        are, with 0.
        """
        frames = np.asarray(frames, float)
        after = np.ceil((frames - self.end - ON_FRAME) / self.period)
        before = -np.ceil((self.start - frames - ON_FRAME) / self.period)
        turns = np.where(frames > self.end, np.maximum(after, 0.0), 0.0)
        if first > self.start - ON_FRAME:
            turns = np.where(frames < self.start, np.minimum(before, 0.0), turns)
        return frames - turns * self.period, turns.astype(np.int64)

    def turns_until(self, frame: float) -> int:
        """Return how many repetitions, beside the first, must begin so that the last one reaches a frame."""
        return max(0, int(np.ceil((frame - self.end - ON_FRAME) / self.period)))


LED = 0.5
"""A root is led from one end to the other by more than this part of what it usually goes in a frame ..."""
LEAST_TURN = np.radians(0.5)
"""... and turned by more than this, too."""


def cycle_of_roots(frames: Array, roots: Array, known_by: str) -> Cycle:
    """Return the cycle from the first to the last of some frames, with what each repetition adds.

    The heading, radians, is the turn from the first root to the last, about the vertical, without whole
    turns. It is 0 if its size is no more than half of the median turn in a frame, or than 0.5 degrees. If it
    is 0, the horizontal translation is 0 too if its length is no more than half of a median step in a frame
    over the ground. The vertical one is 0, whatever the heading, if it is no more than half of a median step
    up or down. What else differs between both ends is left to the seam.

    Parameters
    ----------
    frames : (n,)
        Rising; at least two.
    roots : (n, 4, 4)
        The root's world matrices on these.
    known_by
        Passed on.

    Returns
    -------
    Cycle
        Its `start` and `end` are the first and the last frame. The turn by `heading` is about the
        world's origin, and `translation`, three floats in world units, comes after it: together
        they take the first root to the last, but for what is left to the seam.
    """
    gaps = np.diff(frames)
    steps = np.abs(np.diff(roots[:, :3, 3], axis=0)) / gaps[:, None]
    turns = np.abs(character_space.turns(roots)) / gaps
    heading = character_space.turn_between(roots[-1], roots[0])
    if abs(heading) <= max(LED * float(np.median(turns)), LEAST_TURN):
        heading = 0.0
    gone = roots[-1, :3, 3] - roots[0, :3, 3]
    level = heading != 0.0 or _is_led(gone[:2], steps[:, :2])
    turned = character_space.motion_of(heading, np.zeros(3)) @ roots[0]
    way = roots[-1, :3, 3] - turned[:3, 3]
    x, y, z = map(float, way * (level, level, _is_led(gone[2:], steps[:, 2:])))
    return Cycle(float(frames[0]), float(frames[-1]), heading, (x, y, z), known_by)


def _is_led(gone: Array, steps: Array) -> bool:
    """Tell whether a root gets further (axes,) than its steps in a frame (n, axes) explain."""
    return float(np.linalg.norm(gone)) > LED * float(np.median(np.linalg.norm(steps, axis=1))) + LEAST


LEAST = 1e-6
"""Rounding, in world units."""


PLACES = 48
"""At so many places within a clip, at most, it is looked at how it moves."""

STILL = 1e-5
"""What moves by no more than this part of its size stands still."""
BENT = 1.5
"""So many times as sharply as anywhere else a clip may change where it begins anew."""


AT_ONCE = 4096
"""So many poses times joints are looked at together."""
REST, REST_PART = 1.0 / 3.0, 1.0 / 16.0
"""A clip is at rest at both ends if in this part of it (the second), at its beginning and at its end, it
moves no faster than by this part (the first) of the most that it moves in a frame. A kick or a nod sets out
from rest and comes back to it; a gait and a breath go on."""


def list_meeting_frames(start: float, end: float) -> Array:
    """Return the frames (n, 3) at which poses tell whether both ends of a clip meet.

    Each row holds three frames in a row, at places spread evenly over the clip: the first row begins with its
    start, the last but one ends with its end. The last row lies across the seam: a frame before the end, the
    end, and a frame after the beginning.
    """
    middles = np.linspace(start + 1.0, end - 1.0, min(PLACES, max(1, round(end - start) - 1)))
    inner = middles[:, None] + (-1.0, 0.0, 1.0)
    return np.vstack([inner, [end - 1.0, end, start + 1.0]])


def fewer_frames(frames: Array) -> Array:
    """Return every other row of :func:`list_meeting_frames`; enough for most clips whose ends don't meet."""
    return np.delete(frames, slice(2, -1, 2), axis=0)


def ends_meet(places: Array, unseen: int = 0) -> bool:
    """Tell whether a clip's end leads on into its beginning, in pose and in motion, so that it is a cycle.

    The gap at the seam, from the first pose to the last, may be no more than a median step in a frame, and
    the bend there, the change of the step, no more than 1.5 times the sharpest one elsewhere; all are root
    mean squares over the joints. False for a clip that is at rest at both ends (in the first and last 1/16 of
    the places no faster than 1/3 of its fastest), and for a pose that is held.

    places: joints seen from the root (n, 3, joints, 3), on the frames of :func:`list_meeting_frames`: three
    frames in a row at places along the clip, and last the frame before the end, the end and the frame behind
    the beginning.

    unseen: the number of places that were left out, as by :func:`fewer_frames`. Their steps and bends count
    as larger than any, and it is not told whether the clip is at rest or held, so that True only means that
    the ends may meet.
    """
    steps, bends, (gap, bend) = _measure(places)
    if not unseen and _rests_at_ends(steps.reshape(-1, 2).max(axis=1, initial=0.0)):
        return False
    if not unseen and (not len(steps) or np.max(steps) <= STILL * np.ptp(places)):
        return False  # a pose that is held
    # joints that are not known may move as much as anything
    steps, bends = np.append(steps, np.full(2 * unseen, np.inf)), np.append(bends, np.full(unseen, np.inf))
    return bool(gap <= np.median(steps) and bend <= BENT * np.max(bends))


def _measure(places: Array) -> tuple[Array, Array, Array]:
    """Return the steps (2 n,) and the bends (n,) at n places along a clip, and the gap and the bend at its
    seam (2,), as root mean squares over the joints.

    places: (n + 1, 3, joints, 3), see :func:`ends_meet`. A step is how far joints go from one of a place's
    three frames to the next, two for each place, one after the other; a bend is how these two differ. The gap
    is that from the first pose to the last, the bend at the seam how the step behind the first pose differs
    from that before the last. All are in the places' unit; without joints they are 0.
    """
    count, joints = len(places) - 1, places.shape[2]
    sums = np.zeros(2 * count), np.zeros(count), np.zeros(2)
    # few joints at a time, as to go through much memory takes several times as long
    some = max(1, AT_ONCE // (3 * len(places)))
    for first in range(0, joints, some):
        part = places[:, :, first : first + some]
        inner, seam = part[:-1], part[-1]
        gap = seam[1] - part[0, 0]
        bend = (seam[2] - part[0, 0]) - (seam[1] - seam[0])
        moves = (
            np.diff(inner, axis=1).reshape(2 * count, -1, 3),
            inner[:, 2] - 2.0 * inner[:, 1] + inner[:, 0],
            np.stack([gap, bend]),
        )
        for total, vectors in zip(sums, moves, strict=True):
            total += np.einsum("nji,nji->n", vectors, vectors)
    steps, bends, seams = (np.sqrt(total / max(1, joints)) for total in sums)
    return steps, bends, seams


def _rests_at_ends(steps: Array) -> bool:
    """Return whether a clip sets out from rest and comes back to it. steps: (n,), how far it moves in a frame
    at places evenly along it."""
    count = 1 + int(REST_PART * (len(steps) - 1))
    ends = np.concatenate([steps[:count], steps[len(steps) - count :]])
    return bool(np.max(ends, initial=0.0) <= REST * np.max(steps, initial=0.0))


STEPS = 60
"""Bisections with which a frame is found: no double is halved more often."""
WHOLE = 1.0 / 3.0
"""The rate may be changed by this part of what it is at its slowest so that keys stay on whole frames."""


@record(frozen=True)
class Clock:
    """Which frame of a clip is shown when whose speed changes while it is blended in, by a cubic smoothstep.

    Time is the clip's frame if it played at its own speed from ``entry`` on, where both agree. rate: with
    which it sets out, and came before; greater than 0. frames: how long it takes to its own speed.
    """

    entry: float
    rate: float
    frames: float

    @property
    def end(self) -> float:
        """The time from which on it plays at its own speed."""
        return self.entry + self.frames

    @property
    def gained(self) -> float:
        """How many frames it is ahead from the end on: a whole number where that bends the rate little."""
        return self._smooth + self._bump / 30.0 * self.frames

    @property
    def _smooth(self) -> float:
        """What is gained by the smoothstep alone, whose integral is a half."""
        return 0.5 * (self.rate - 1.0) * self.frames

    @property
    def _bump(self) -> float:
        """How much of ``u^2 (1 - u)^2``, whose integral is 1 / 30, is added to the rate."""
        bump = 30.0 * (round(self._smooth) - self._smooth) / self.frames
        # at its highest, in the middle, u^2 (1 - u)^2 is 1 / 16
        return bump if abs(bump) / 16.0 <= WHOLE * min(1.0, self.rate) else 0.0

    def frames_at(self, times: ArrayLike) -> Array:
        """Return the clip's frames (n,), with fractions, that are shown at times (n,).

        Times are in frames, and equal the clip's frame at the entry. Before the entry the clip plays at the
        speed `rate` (1 is its own). With u from 0 to 1 over the `frames` from the entry on, the speed eases
        to 1: it is rate + (1 - rate) (3 u^2 - 2 u^3), plus `_bump` u^2 (1 - u)^2, where that makes `gained` a
        whole number. From then on the clip shows the frame time + `gained`.
        """
        times = np.asarray(times, float)
        u = np.clip((times - self.entry) / self.frames, 0.0, 1.0)
        ahead = (self.rate - 1.0) * (u - u**3 + 0.5 * u**4)
        ahead = self.frames * (ahead + self._bump * (u**3 / 3.0 - 0.5 * u**4 + 0.2 * u**5))
        return np.asarray(times + ahead + (self.rate - 1.0) * np.minimum(times - self.entry, 0.0))

    def time(self, frames: ArrayLike) -> Array:
        """Return the times (n,), in frames, at which the clip's frames (n,) are shown: the inverse of
        :meth:`frames_at`.

        At the entry time and frame are equal. Before it the clip runs at `rate`; from the frame `end` +
        `gained` on the time is the frame less `gained`; in between it is found by bisection.
        """
        frames = np.asarray(frames, float)
        before = self.entry + np.minimum(frames - self.entry, 0.0) / self.rate
        low, high = np.full(frames.shape, self.entry), np.full(frames.shape, self.end)
        for _ in range(STEPS):
            middle = 0.5 * (low + high)
            later = self.frames_at(middle) < frames
            low, high = np.where(later, middle, low), np.where(later, high, middle)
        within = np.where(frames < self.entry, before, high)
        # exact from the end on, where halving leaves rounding
        return np.asarray(np.where(frames >= self.end + self.gained, frames - self.gained, within))


MEETING = 1e-5
"""Values nearer than this, or this part of them, are one key's."""


def period_of(keys: Keys, start: float, end: float) -> Keys:
    """Return one period of a curve, with a key on its first and on its last frame.

    Parameters
    ----------
    keys
        The curve.
    start, end
        The period's first and last frame; either may lie beyond the curve's ends, where its
        end values hold.

    Returns
    -------
    Keys
        It does not extrapolate linearly, even if `keys` do.

    Raises
    ------
    NotCuttable
        The first or the last frame lies within an easing.
    """
    keys = dataclasses.replace(keys, linear_extrapolation=False) if keys.linear_extrapolation else keys
    return keylib.tail(keylib.head(keys, end), start)


def chained(pieces: Sequence[Keys]) -> Keys:
    """Return one curve of parts, each of which begins on the frame on which the one before ends.

    pieces: at least one; a single one is returned itself. Otherwise the result is a new curve, which
    extrapolates level.

    Two parts meet if the last value of the former and the first of the latter differ by no more than 1e-5, or
    by that part of the former. Then one key stands on the seam, with the latter's value, and the former's
    handle inwards moved along. Where they don't meet, the former's last value still holds on the frame of the
    seam, and the latter begins behind it, as :func:`_later` has it. The handles at a seam become FREE, or
    stay VECTOR if their part has several keys. The given parts are not changed.
    """
    if len(pieces) == 1:
        return pieces[0]
    meets = [_meets(before, after) for before, after in itertools.pairwise(pieces)]
    begun = [pieces[0], *(part if met else _later(part) for met, part in zip(meets, pieces[1:], strict=True))]
    bodies = [part.take(slice(0, -1)) if met else part for met, part in zip(meets, begun[:-1], strict=True)]
    whole = keylib.concatenate([*bodies, begun[-1]])
    at = 0
    for body, met, before, after in zip(bodies, meets, begun[:-1], begun[1:], strict=True):
        at += len(body)
        if met:
            whole.left[at] = before.left[-1] + (after.co[0] - before.co[-1])
            whole.left_type[at] = keylib.side_of(before, -1)
            whole.right_type[at] = keylib.side_of(after, 0)
        else:
            whole.interpolation[at - 1] = keylib.CONSTANT
            whole.left_type[at - 1] = keylib.side_of(before, -1)
            whole.right_type[at] = keylib.side_of(after, 0)
    return whole


def preceded(before: Keys, keys: Keys) -> Keys:
    """Return a curve with a part before it: `before` ends on the first frame of `keys`, and is not moved to
    get there.

    On that frame the value of `keys` is shown. If the two meet there, to 1e-5 or that part of the value, they
    are joined by :func:`chained`, and the curve extrapolates level. If they do not, `before` is cut
    STEP_FRAMES earlier, or its last key is moved there if it can't be cut, and the curve is that of
    :func:`keylib.step`: the value that `before` then ends on is held until `keys` begins, and both ends
    extrapolate as the parts did. The given curves are not changed.
    """
    if _meets(before, keys):
        return chained([before, keys])
    last = float(keys.co[0, 0]) - STEP_FRAMES
    try:
        return keylib.step(keylib.head(before, last), keys)
    except NotCuttable:
        before = before.copy()
        before.co[-1, 0] = last
        return keylib.step(before, keys)


def _meets(before: Keys, after: Keys) -> bool:
    value, other = float(before.co[-1, 1]), float(after.co[0, 1])
    return abs(value - other) <= MEETING * max(1.0, abs(value))


def _later(piece: Keys) -> Keys:
    """Return a part that begins 1/64 frame later, so that on the frame on which it began the part before it
    can still show its own last value.

    If its second key comes by then, the first key is dropped. Otherwise the curve is cut there; if it can't
    be cut, as within an easing, the first key is moved in a copy. The part given is not changed.
    """
    first = float(piece.co[0, 0]) + STEP_FRAMES
    if len(piece) > 1 and float(piece.co[1, 0]) <= first + SAME_FRAME:
        return piece.take(slice(1, None))
    try:
        return keylib.tail(piece, first)
    except NotCuttable:
        piece = piece.copy()
        piece.co[0, 0] = first
        return piece
