# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wished of a character, instant by instant: by value, so that the same wishes make the same take."""

from __future__ import annotations

import bisect
from collections.abc import Sequence

import numpy as np

from ...records import record
from ...settings.steering import Wish
from ..arrays import Array


@record(frozen=True)
class Wishes:
    """Wishes, frame by frame: each holds until the next one, and the last says where they end.

    starts: the frames at which they begin, rising from 0. frames: how many there are in all.
    """

    starts: tuple[int, ...]
    each: tuple[Wish, ...]
    frames: int

    def at(self, frame: int) -> Wish:
        """What is wished at a frame."""
        return self.each[max(bisect.bisect_right(self.starts, frame) - 1, 0)]


def of(rows: Sequence[Wish], fps: float) -> Wishes:
    """Wishes by frames, so many a second; of those that begin at the same frame the last one counts."""
    begins = [round((row.seconds - rows[0].seconds) * fps) for row in rows]
    kept = dict(zip(begins[:-1], rows[:-1], strict=True))
    return Wishes(tuple(kept), tuple(kept.values()), begins[-1] + 1)


def velocity(wish: Wish) -> Array:
    """The velocity (2,) on the ground, metres a second."""
    return np.array([wish.x, wish.y])
