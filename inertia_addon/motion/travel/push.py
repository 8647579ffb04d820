# SPDX-License-Identifier: GPL-3.0-or-later
"""How the ground pushes a body on: from where it stands towards its middle.

That is the inverted pendulum by which walking machines are balanced (M. Vukobratovic, B. Borovac,
"Zero-moment point: thirty five years of its life", 2004, equation 11): what carries a body that hardly tips
over points at its middle, so that its acceleration over the ground is that of its weight and rise, times how
far beside what it stands on it is, by how far above. In a flight it goes on evenly.
"""

from __future__ import annotations

import numpy as np

from ...records import record
from ..arrays import Array
from ..smoothing import smooth

GRAVITY = 9.81
"""What falls gets so much faster, in metres a second squared."""
SMALLEST, LARGEST, USUAL = 0.1, 6.0, 0.9
"""Legs of other lengths, in metres, are not in metres, and are taken to be as long as those of people."""
MOST = 3.0
"""No foot carries more than so many times the body's weight for long."""
RISE_SECONDS, STANDS_SECONDS = 0.03, 0.02
"""The standard deviations of the Gaussians by which rises and where it stands are smoothed."""
LOWEST = 0.3
"""The middle is so far above the ground at least, in leg lengths."""


@record(frozen=True, eq=False)
class Push:
    """What is known of the pushes before it is known what stands.

    carried: (n,) by how much the body is carried on each step, in leg lengths a second squared. arms:
    (n, points, 3) where the points of the soles are from the middle, in leg lengths. rate: steps a second.
    """

    carried: Array
    arms: Array
    rate: float

    @classmethod
    def of(cls, soles: Array, middle: Array, rate: float, length: float) -> Push:
        """Of soles (n + 1, points, 3) and the middle (n + 1, 3), in leg lengths. length: of the leg, in
        metres."""
        falls = GRAVITY / (length if SMALLEST <= length <= LARGEST else USUAL)
        heights = smooth(middle[:, 2], RISE_SECONDS * rate)
        rises = np.zeros(len(heights))
        rises[1:-1] = np.diff(heights, 2) * rate**2
        carried = np.clip(falls + rises, 0.0, MOST * falls)
        arms = soles - middle[:, None]
        return cls(0.5 * (carried[1:] + carried[:-1]), 0.5 * (arms[1:] + arms[:-1]), rate)

    def pushed(self, standing: Array) -> Array:
        """How the ground pushes the body (n, 2), in leg lengths a second squared. standing: (n, points), how
        much each point counts."""
        sums = np.einsum("np,npk->nk", standing, np.dstack([self.arms, np.ones(standing.shape)]))
        x, y, z, whole = smooth(sums, STANDS_SECONDS * self.rate).T
        whole = np.maximum(whole, 1e-3)
        lean = -np.stack([x, y], axis=1) / whole[:, None] / np.maximum(-z / whole, LOWEST)[:, None]
        return np.asarray(self.carried[:, None] * lean)
