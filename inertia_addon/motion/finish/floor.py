# SPDX-License-Identifier: GPL-3.0-or-later
"""The floor of a take, by where its feet stand: how high it is, and how it is tilted.

It is fitted to the places of stances so that few of them, such as those on a step, say nothing (iteratively
reweighted least squares with Tukey's biweight). Along an axis of the ground on which the stances are not
spread, nothing can be said of a tilt, and none is assumed: who walks straight ahead tells nothing of how the
floor lies across that way.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from ...records import record
from ..arrays import Array

SPREAD = 0.6
"""A tilt is told where stances are spread over so many sizes of the character ..."""
FEWEST = 4
"""... and by so many stances at least."""
ROUNDS = 12
"""So often the weights of stances are found anew."""
CUTOFF = 4.685
"""Tukey's constant: what is so many deviations off does not count."""
FINEST = 0.002
"""Heights of stances are no more exact than this part of the size."""


@record(frozen=True, eq=False)
class Floor:
    """The plane that feet stand on.

    centre: (3,) a point of it, below the middle of the stances. slopes: (2,) how much higher it is for each
    unit along x and y. deviation: how far stances are off it, as a standard deviation. rise: how much it
    rises over all stances.
    """

    centre: Array
    slopes: Array
    deviation: float
    rise: float

    @property
    def tilt(self) -> float:
        """The angle between the floor and the horizontal, radians."""
        return float(np.arctan(np.linalg.norm(self.slopes)))

    @property
    def normal(self) -> Array:
        """Return the unit vector (3,) that stands on the floor and points up."""
        up = np.array([-self.slopes[0], -self.slopes[1], 1.0])
        return np.asarray(up / np.linalg.norm(up))

    def heights(self, points: Array) -> Array:
        """Return how high the floor is (n,) at the places of points (n, 2 or more)."""
        return np.asarray(self.centre[2] + (points[:, :2] - self.centre[:2]) @ self.slopes)

    def levelled(self) -> Floor:
        """Return the floor of the same height in its middle that is not tilted."""
        return dataclasses.replace(self, slopes=np.zeros(2), rise=0.0)


def fit_floor(stances: Array, size: float) -> Floor | None:
    """Fit the floor to the places (n, 3) where feet stand, Z up; None without any.

    size: of the character, in the unit of the places.
    """
    if not len(stances):
        return None
    places, heights = stances[:, :2], stances[:, 2]
    middle = places.mean(axis=0)
    axes = np.linalg.svd(places - middle, full_matrices=True)[2]
    along = (places - middle) @ axes.T
    is_spread = np.ptp(along, axis=0) >= SPREAD * size
    if len(stances) < FEWEST:
        is_spread[:] = False
    columns = np.column_stack([np.ones(len(stances)), along[:, is_spread]])
    weights = np.ones(len(stances))
    solution = np.zeros(columns.shape[1])
    solution[0] = np.median(heights)
    for _ in range(ROUNDS):
        root = np.sqrt(weights)[:, None]
        solution = np.linalg.lstsq(columns * root, heights * root[:, 0], rcond=None)[0]
        off = heights - columns @ solution
        deviation = max(float(np.median(np.abs(off))) / 0.6745, FINEST * size)
        weights = np.maximum(1.0 - (off / (CUTOFF * deviation)) ** 2, 0.0) ** 2
        if not weights.any():
            break
    slopes = axes[is_spread].T @ solution[1:] if is_spread.any() else np.zeros(2)
    rise = float(np.ptp(along[:, is_spread] @ solution[1:])) if is_spread.any() else 0.0
    return Floor(np.array([*middle, solution[0]]), slopes, deviation, rise)
