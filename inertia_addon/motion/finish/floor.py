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
from ..feet import contacts

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


def fit_floor(stances: Array, size: float, touches: Array | None = None) -> Floor | None:
    """Fit the floor, a plane, to the places (n, 3) where feet stand, Z up; None without any. Places that lie
    far off the others hardly count.

    It is level, but tilted along a direction in which places are spread over 0.6 of `size`, if there are four
    or more, touches included. size: of the character, in the unit of the places. touches: (m, 3) of the same,
    where feet are lowest on their way; these say how the floor is tilted, too, but not how high it is. The
    Floor's centre lies below or above the mean of the stances; its deviation is a robust one, and never 0.
    """
    if not len(stances):
        return None
    places = stances if touches is None else np.concatenate([stances, touches])
    middle = stances[:, :2].mean(axis=0)
    axes = np.linalg.svd(places[:, :2] - places[:, :2].mean(axis=0), full_matrices=True)[2]
    along = (places[:, :2] - middle) @ axes.T
    is_spread = np.ptp(along, axis=0) >= SPREAD * size
    if len(places) < FEWEST:
        is_spread[:] = False
    slopes, rise = np.zeros(2), 0.0
    if is_spread.any():
        solution, _ = _fit_plane(along[:, is_spread], places[:, 2], size)
        slopes = axes[is_spread].T @ solution[1:]
        rise = float(np.ptp(along[:, is_spread] @ solution[1:]))
    # how high it is, feet say that stand
    above = stances[:, 2] - (stances[:, :2] - middle) @ slopes
    height, deviation = _fit_plane(np.zeros((len(stances), 0)), above, size)
    return Floor(np.array([*middle, height[0]]), slopes, deviation, rise)


def _fit_plane(along: Array, heights: Array, size: float) -> tuple[Array, float]:
    """Return (the height of a plane at 0 and its slopes (1 + k,), the standard deviation of heights from it),
    by places (n, k) and their heights (n,), at least one.

    It is fitted by least squares in which what is far off counts less, and nothing from some deviations on
    (Tukey's biweight). The deviation is told by the median, and is FINEST of `size` at least.
    """
    columns = np.column_stack([np.ones(len(heights)), along])
    weights = np.ones(len(heights))
    solution = np.zeros(columns.shape[1])
    solution[0] = np.median(heights)
    deviation = FINEST * size
    for _ in range(ROUNDS):
        root = np.sqrt(weights)[:, None]
        solution = np.linalg.lstsq(columns * root, heights * root[:, 0], rcond=None)[0]
        off = heights - columns @ solution
        deviation = max(float(np.median(np.abs(off))) / 0.6745, FINEST * size)
        weights = np.maximum(1.0 - (off / (CUTOFF * deviation)) ** 2, 0.0) ** 2
        if not weights.any():
            break
    return solution, deviation


def find_touches(points: Array, hips_path: Array, samples: int) -> Array:
    """Return the places (m, 3), in order, at which a foot touches the floor.

    There it is lower than so many samples before and behind, seen from the hips, averaged over twice as many
    on either side, which go up and down with the floor; of equally low neighbours the first counts. points,
    hips_path: (n, 3), Z up, evenly sampled. The first and the last `samples` are no touches; (0, 3) for fewer
    than 2 samples + 1 points.
    """
    count = len(points)
    if count <= 2 * samples:
        return np.zeros((0, 3))
    heights = points[:, 2] - average_around(hips_path[:, 2], 2 * samples)
    is_lowest = heights <= contacts.lowest_around(heights, samples)
    # the first of those that are equally low
    is_lowest[1:] &= heights[1:] < heights[:-1]
    is_lowest[:samples] = is_lowest[count - samples :] = False
    return np.asarray(points[is_lowest])


def average_around(values: Array, samples: int) -> Array:
    """Return values (n,), each averaged with `samples` before and as many behind it, fewer at the ends."""
    count = len(values)
    sums = np.concatenate([[0.0], np.cumsum(values)])
    first = np.maximum(np.arange(count) - samples, 0)
    behind = np.minimum(np.arange(count) + samples + 1, count)
    return np.asarray((sums[behind] - sums[first]) / (behind - first))
