# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a clip repeats, and where each repetition takes the character.

A cycle is played from its first frame to its last, which is the first of the next one. Where the root
travels or turns on the way, every repetition begins where the former one ended: all of the character is
moved by the same rigid motion, a turn about the vertical and a translation, once for each.
"""

from __future__ import annotations

import numpy as np

from ...records import record
from ..arrays import Array, ArrayLike, Integers
from ..skeleton import character

ON_FRAME = 1e-4
"""Frames nearer than this are the same."""


@record(frozen=True)
class Cycle:
    """A part of a clip that repeats.

    start, end: its first and last frame. heading: radians about the vertical, and translation: in world
    units, of its origin, that each repetition adds. known_by: what says so: MODIFIERS, RANGE (of the action),
    CHOICE, or ENDS, as both meet.
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
        """Where so many repetitions take the world (4, 4); before the first one they are less than none."""
        once = character.motion_of(self.heading, self.translation)
        return np.asarray(np.linalg.matrix_power(once, turns))

    def wrapped(self, frames: ArrayLike, first: float) -> tuple[Array, Integers]:
        """Frames (n,) within the clip, and in which repetition they are shown; 0 is the first one.

        The frame where two of them meet is the last of the former. first: the clip's first frame; where it
        lies before the cycle, what is between is played once, and nothing before it.
        """
        frames = np.asarray(frames, float)
        after = np.ceil((frames - self.end - ON_FRAME) / self.period)
        before = -np.ceil((self.start - frames - ON_FRAME) / self.period)
        turns = np.where(frames > self.end, np.maximum(after, 0.0), 0.0)
        if first > self.start - ON_FRAME:
            turns = np.where(frames < self.start, np.minimum(before, 0.0), turns)
        return frames - turns * self.period, turns.astype(np.int64)

    def turns_until(self, frame: float) -> int:
        """How many repetitions have begun, the first one aside, so that a frame is not behind the last."""
        return max(0, int(np.ceil((frame - self.end - ON_FRAME) / self.period)))


LED = 0.5
"""A root is led from one end to the other by more than this part of what it usually goes in a frame ..."""
LEAST_TURN = np.radians(0.5)
"""... and turned by more than this, too."""


def of_roots(frames: Array, roots: Array, known_by: str) -> Cycle:
    """A cycle from the first to the last of some frames (n,), at which its root is at (n, 4, 4) in the world.

    What both ends don't meet by though the character is not led anywhere is left for the seam.
    """
    gaps = np.diff(frames)
    steps = np.abs(np.diff(roots[:, :3, 3], axis=0)) / gaps[:, None]
    turns = np.abs(character.turns(roots)) / gaps
    heading = character.heading_between(roots[-1], roots[0])
    if abs(heading) <= max(LED * float(np.median(turns)), LEAST_TURN):
        heading = 0.0
    gone = roots[-1, :3, 3] - roots[0, :3, 3]
    level = heading != 0.0 or _is_led(gone[:2], steps[:, :2])
    turned = character.motion_of(heading, np.zeros(3)) @ roots[0]
    way = roots[-1, :3, 3] - turned[:3, 3]
    x, y, z = map(float, way * (level, level, _is_led(gone[2:], steps[:, 2:])))
    return Cycle(float(frames[0]), float(frames[-1]), heading, (x, y, z), known_by)


def _is_led(gone: Array, steps: Array) -> bool:
    """Whether a root gets further than by what it does in a frame anyway (n, axes)."""
    return float(np.linalg.norm(gone)) > LED * float(np.median(np.linalg.norm(steps, axis=1))) + LEAST


LEAST = 1e-6
"""Rounding, in world units."""
