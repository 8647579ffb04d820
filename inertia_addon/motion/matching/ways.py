# SPDX-License-Identifier: GPL-3.0-or-later
"""The way that was found through a set of clips: which one plays when, and where."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...records import record
from ..arrays import Array, Integers
from .database import Database
from .features import turned


@record(frozen=True)
class Join:
    """From a frame of the result on, a clip plays.

    frame: from 0. entered: its flat frame then. left: the one that would have been shown, -1 at the
    beginning. angle, place: how the clip's ground is moved, radians and metres. progress: metres along a
    line without a timing.
    """

    frame: int
    left: int
    entered: int
    angle: float
    place: tuple[float, float]
    progress: float = 0.0


@record(frozen=True, eq=False)
class Way:
    """What was found: joins, of which the first is the beginning, and what it costs in the search's own
    sense.

    flat: (frames,) the database's frame that each frame shows. ground: (frames, 2) metres, and heading:
    (frames,) radians, of the character's smoothed root. reached: whether it goes to the target's end.
    """

    joins: tuple[Join, ...]
    cost: float
    flat: Integers
    ground: Array
    heading: Array
    reached: bool = True

    @property
    def frames(self) -> int:
        """How many frames it has."""
        return len(self.flat)


def assembled(
    database: Database, joins: Sequence[Join], frames: int, cost: float, reached: bool = True
) -> Way:
    """The way of joins, the first of them at frame 0, that has so many frames."""
    starts = np.array([join.frame for join in joins])
    which = np.searchsorted(starts, np.arange(frames), "right") - 1
    flat = np.array([join.entered for join in joins])[which] + np.arange(frames) - starts[which]
    angle = np.array([join.angle for join in joins])[which]
    place = np.array([join.place for join in joins])[which]
    return Way(
        tuple(joins),
        cost,
        flat,
        turned(database.ground[flat], angle) + place,
        database.heading[flat] + angle,
        reached,
    )
