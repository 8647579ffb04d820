# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips on twos or threes: a pose is held for some frames, and then the next one is there at once."""

from __future__ import annotations

import collections
import dataclasses
import itertools
from collections.abc import Iterable

import numpy as np

from ...records import record
from ..arrays import Array
from .keys import CONSTANT, Keys

MOST = 6
"""A pose that is held for more frames is a key pose of a blocking, and no step."""
FEW = 5
"""So few changes do not tell of steps."""
REGULAR = 0.75
"""This part of all steps takes as many frames as most of them, or a multiple of that."""
CHANGED = 1e-4
"""Values differ that are this part of all that a curve changes apart."""
ON_FRAME = 1e-3
"""Frames nearer than this are the same."""


@record(frozen=True, eq=False)
class Holds:
    """Where a clip goes on.

    step: how many frames it holds each pose, 1 for one that moves on each frame. frames: (n,) on which it
    changes, sorted. is_held: whether nothing moves between two frames.
    """

    step: int = 1
    frames: Array = dataclasses.field(default_factory=lambda: np.empty(0))
    is_held: bool = False

    def between(self, first: float, last: float) -> Array:
        """Return the frames, rising, on which something may change: `first`, the clip's own between both, and
        `last`.

        Where the clip holds a pose for longer than its step, frames are added at each step from its last
        change on. Before the first of its own frames these steps go on from its last change at or before
        `first`; without one they count from `first`. The two ends are always there, and are the same frame
        twice if `first` is `last`.

        Own frames and steps that are nearer than ON_FRAME before `last` are left out. A change that is nearer
        than ON_FRAME behind `first` counts as one before it; as the steps go on from it, its own frame is
        among them.
        """
        inner = self.frames[(self.frames > first + ON_FRAME) & (self.frames < last - ON_FRAME)]
        earlier = self.frames[self.frames <= first + ON_FRAME]
        # the steps go on in the clip's own rhythm
        start = first if not len(earlier) else first - (first - earlier[-1]) % self.step
        places = [start, *inner.tolist(), last]
        steps = [first]
        for begin, end in itertools.pairwise(places):
            if begin > first:
                steps.append(begin)
            steps += [
                frame for frame in np.arange(begin + self.step, end - ON_FRAME, self.step) if frame > first
            ]
        return np.array([*steps, last])

    def start_of(self, frame: float) -> float:
        """Return the frame with which the pose begins that is held at a frame."""
        earlier = self.frames[self.frames <= frame + ON_FRAME]
        return float(earlier[-1]) if len(earlier) and frame - earlier[-1] < self.step else frame

    def later(self, frames: float) -> Holds:
        """Return those of the clip so many frames later."""
        return Holds(self.step, self.frames + frames, self.is_held)


def every(step: int, frame: float, count: int) -> Holds:
    """Return holds that change at even steps around a frame.

    Parameters
    ----------
    step
        How many frames each pose is held, above 0.
    frame
        A frame on which it changes.
    count
        How many steps there are before that frame, and as many behind it.

    Returns
    -------
    Holds
        With 2 count + 1 frames, and is_held True.
    """
    return Holds(step, frame + step * np.arange(-count, count + 1.0), is_held=True)


def find(curves: Iterable[Keys]) -> Holds:
    """Return whether, and on which frames, a clip's curves hold each pose for several frames (on twos, on
    threes, ...).

    A curve changes at a key whose value differs from the one before by more than CHANGED of all that the
    curve changes; curves with a single value do not count. step: the most frequent number of frames, from 2
    to 6, between changes. frames: all on which any curve changes, rising, rounded to 0.001. is_held: whether
    all keys that a change follows are constant.

    It is the default Holds() if any curve moves between keys that are not constant and more than a frame
    apart; if, once a key that is not constant was found, a curve changes on more than 75 % of its frames; if
    there are fewer than 5 changes; if the most frequent gap is no whole number from 2 to 6, within 0.1; or if
    less than 75 % of the gaps are multiples of it. Constant keys that change on every frame keep their
    frames, with step 1.
    """
    changes: list[Array] = []
    is_held = True
    for keys in curves:
        frames, values = keys.co[:, 0].astype(float), keys.co[:, 1].astype(float)
        size = float(np.ptp(values)) if len(values) else 0.0
        if size <= 0.0:
            continue
        moved = np.abs(np.diff(values)) > CHANGED * size
        constant = keys.interpolation[:-1] == CONSTANT
        # what is led from key to key moves on each frame between
        if np.any(moved & ~constant & (np.diff(frames) > 1.0 + ON_FRAME)):
            return Holds()
        is_held = is_held and bool(constant[moved].all())
        changes.append(frames[1:][moved])
        if not is_held and moved.sum() > REGULAR * (frames[-1] - frames[0]):
            return Holds()
    if not changes:
        return Holds()
    frames = np.unique(np.concatenate(changes).round(3))
    if len(frames) < FEW:
        return Holds()
    gaps = np.diff(frames).round(2)
    usual, _ = collections.Counter(gaps.tolist()).most_common(1)[0]
    step = round(usual)
    regular = np.abs(gaps / step - np.round(gaps / step)) < 0.1 if step else np.zeros(1, bool)
    if not 2 <= step <= MOST or abs(usual - step) > 0.1 or regular.mean() < REGULAR:
        return Holds(1, frames, is_held) if is_held and step == 1 else Holds()
    return Holds(step, frames, is_held)
