# SPDX-License-Identifier: GPL-3.0-or-later
"""How much of a template there is in a motion: least squares of a quadratic and the template, by windows.

The motion is given by its steps, what leads from each frame to the next. In a window of steps it is taken
for a quadratic of time plus a template times a size, such as {1} for a pose that jumps and {1, -1} for one
frame that is elsewhere. With an orthonormal basis of the quadratics all templates follow from the three
numbers that each window has in it. At the ends of the motion windows stay whole, and the template lies beside
their middle: to mirror the motion there would double a jump and hide it.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from ..arrays import Array, ArrayLike

EVERY = slice(None)
ORDER = 3
"""The numbers of a quadratic."""


@dataclasses.dataclass(frozen=True)
class Windows:
    """All windows of some motions.

    steps: (n, motions, 3). length: of a window, at most n. basis: (length, 3), orthonormal. inside: what
    windows have in it, (n - length + 1, motions, 3, 3). rough: the square of what no quadratic says,
    (n - length + 1, motions).
    """

    steps: Array
    length: int
    basis: Array
    inside: Array
    rough: Array

    @property
    def count(self) -> int:
        """How many windows there are."""
        return len(self.inside)

    def weight(self, template: Array, place: int) -> float:
        """How much of a template, at a place in a window, no quadratic says."""
        explained = template @ self.basis[place : place + len(template)]
        return float(template @ template - explained @ explained)

    def sizes(self, template: Array, place: int, which: slice = EVERY, motions: slice = EVERY) -> Array:
        """The size (windows, motions, 3) of a template at one place, in some windows of some motions."""
        inside = self.inside[which, motions]
        starts = np.arange(self.count)[which]
        found = np.zeros(inside.shape[:3])
        for i in np.flatnonzero(template).tolist():
            found += template[i] * self.steps[starts + place + i, motions]
        explained = template @ self.basis[place : place + len(template)]
        return np.asarray((found - inside @ explained) / self.weight(template, place))


def windows(steps: ArrayLike, length: int) -> Windows:
    """The windows of so many steps (n, motions, 3), n at least ``length``."""
    steps = np.asarray(steps, float)
    times = np.linspace(-1.0, 1.0, length)
    basis, _ = np.linalg.qr(np.stack([times**power for power in range(ORDER)], axis=1))
    views = np.lib.stride_tricks.sliding_window_view(steps, length, axis=0)
    inside = views @ basis
    squares = np.concatenate(
        [np.zeros((1, steps.shape[1])), np.cumsum(np.sum(steps * steps, axis=2), axis=0)]
    )
    whole = squares[length:] - squares[:-length]
    rough = whole - np.sum(inside * inside, axis=(2, 3))
    return Windows(steps, length, basis, inside, np.maximum(rough, 0.0))
