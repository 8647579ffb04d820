# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip whose speed changes while it is blended in, so that a cycle begins with the length of another.

It sets out with a rate of its own and reaches the clip's own speed smoothly, by the cubic smoothstep, at the
end of the blend; from there on it plays as it is keyed, earlier or later by what was gained.
"""

from __future__ import annotations

import numpy as np

from ...records import record
from ..arrays import Array, ArrayLike

STEPS = 60
"""Bisections with which a frame is found: no double is halved more often."""
WHOLE = 1.0 / 3.0
"""The rate may be changed by this part of what it is at its slowest so that keys stay on whole frames."""


@record(frozen=True)
class Clock:
    """Which frame of a clip is shown when.

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
        return bump if abs(bump) / 16.0 <= WHOLE * min(1.0, self.rate) else 0.0

    def shown(self, times: ArrayLike) -> Array:
        """The clip's frames (n,) at times (n,)."""
        times = np.asarray(times, float)
        u = np.clip((times - self.entry) / self.frames, 0.0, 1.0)
        ahead = (self.rate - 1.0) * (u - u**3 + 0.5 * u**4)
        ahead = self.frames * (ahead + self._bump * (u**3 / 3.0 - 0.5 * u**4 + 0.2 * u**5))
        return np.asarray(times + ahead + (self.rate - 1.0) * np.minimum(times - self.entry, 0.0))

    def time(self, frames: ArrayLike) -> Array:
        """The inverse of :meth:`shown`."""
        frames = np.asarray(frames, float)
        before = self.entry + np.minimum(frames - self.entry, 0.0) / self.rate
        low, high = np.full(frames.shape, self.entry), np.full(frames.shape, self.end)
        for _ in range(STEPS):
            middle = 0.5 * (low + high)
            later = self.shown(middle) < frames
            low, high = np.where(later, middle, low), np.where(later, high, middle)
        within = np.where(frames < self.entry, before, high)
        return np.asarray(np.where(frames >= self.end + self.gained, frames - self.gained, within))
