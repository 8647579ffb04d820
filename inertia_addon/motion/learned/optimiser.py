# SPDX-License-Identifier: GPL-3.0-or-later
"""RAdam: L. Liu and others, "On the Variance of the Adaptive Learning Rate and Beyond" (2020), algorithm 2.

Adam, whose step waits until enough gradients were seen to know how much they vary.
"""

from __future__ import annotations

import math

import numpy as np

from ...records import record
from .networks import Numbers

FIRST, SECOND = 0.9, 0.999
"""How much of the means of gradients, and of their squares, is kept from step to step."""
TINY = 1e-8
CHUNK = 65536
"""So many parameters are worked on at once, so that what is needed meanwhile stays in the cache."""
LAST = 0.003
"""The last step's rate, as a part of the first one's."""


@record(eq=False)
class State:
    """Parameters (n,), decayed sums of their gradients and of the squares, and how many steps were done."""

    values: Numbers
    mean: Numbers
    square: Numbers
    steps: int = 0

    @classmethod
    def of(cls, values: Numbers) -> State:
        """Before the first step."""
        return cls(values, np.zeros_like(values), np.zeros_like(values))

    def step(self, slope: Numbers, rate: float) -> None:
        """Go on by a step against the gradient (n,), in place; of the gradient nothing is left."""
        self.steps += 1
        n = self.steps
        kept = SECOND**n
        longest = 2.0 / (1.0 - SECOND) - 1.0
        length = longest - 2.0 * n * kept / (1.0 - kept)
        # the means are the sums times what follows
        rate *= (1.0 - FIRST) / (1.0 - FIRST**n)
        root = math.sqrt((1.0 - SECOND) / (1.0 - kept))
        if length > 5.0:
            variance = (length - 4.0) * (length - 2.0) * longest
            rate *= math.sqrt(variance / ((longest - 4.0) * (longest - 2.0) * length)) / root
        for first in range(0, len(slope), CHUNK):
            part = slice(first, first + CHUNK)
            mean, square, moved = self.mean[part], self.square[part], slope[part]
            mean *= FIRST
            mean += moved
            square *= SECOND
            moved *= moved
            square += moved
            if length > 5.0:
                np.sqrt(square, out=moved)
                moved += TINY / root
                np.divide(mean, moved, out=moved)
                moved *= rate
            else:
                np.multiply(mean, rate, out=moved)
            self.values[part] -= moved


def rate(first: float, done: float) -> float:
    """The rate of a step when a part of all is done, 0 to 1: evenly down to LAST of the first."""
    return first * (1.0 - (1.0 - LAST) * min(done, 1.0))
