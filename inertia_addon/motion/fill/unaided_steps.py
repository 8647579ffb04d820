# SPDX-License-Identifier: GPL-3.0-or-later
"""When feet stand in a gap that no clip fills, by whether they stand at its two ends.

A foot that stands at one end stands there for as long as it can. One that stands at both stays where it is if
both places are near each other. Else it steps over once. Several feet do so one after the other, the hindmost
first.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, Flags

NEAR = 0.08
"""Places that are no further apart than this part of the leg are one."""


def find_stands(points: Array, planted: Flags, lengths: Array) -> list[list[tuple[int, int]]]:
    """Return for each foot, in order, the first and the last frame, by index and both included, of each time
    it stands.

    A foot planted at both ends stands throughout; but one that goes further over the ground than 0.08 of its
    leg steps once, the hindmost first, each in the middle of its share of the time, from one frame to the
    next. Planted at one end only, it stands up to, or from, there without the other end's frame; at none: [].
    Stands of a single frame are left out. A stand may be longer than the foot can stay: how long that is
    tells :func:`bridging.place_holds`.

    points: (n, feet, 3), two frames or more, where feet go by themselves, Z up. planted: (2, feet), whether
    each stands at the first and at the last frame. lengths: (feet,) of the legs, in the unit of the points.
    """
    last, count = len(points) - 1, points.shape[1]
    ways = points[-1] - points[0]
    steps = planted.all(axis=0) & (np.linalg.norm(ways[:, :2], axis=1) > NEAR * lengths)
    order = _order_of_steps(points[0], ways, steps)
    stands: list[list[tuple[int, int]]] = []
    for foot in range(count):
        leaves, lands = planted[:, foot].tolist()
        if steps[foot]:
            middle = int((order.index(foot) + 0.5) / len(order) * last)
            spans = [(0, middle), (middle + 1, last)]
        elif leaves and lands:
            spans = [(0, last)]
        elif leaves or lands:
            spans = [(0, last - 1) if leaves else (1, last)]
        else:
            spans = []
        stands.append([(first, end) for first, end in spans if end > first])
    return stands


def _order_of_steps(places: Array, shifts: Array, steps: Flags) -> list[int]:
    """Return the feet that step, by index, the hindmost first along the sum of the ways that these go over
    the ground; of equal ones the lower index.

    places, shifts: (feet, 3), where each is at first, and how far it goes, Z up. steps: (feet,), which do; []
    for none.
    """
    chosen = np.flatnonzero(steps)
    if not len(chosen):
        return []
    ahead = shifts[chosen, :2].sum(axis=0)
    return [int(foot) for foot in chosen[np.argsort(places[chosen, :2] @ ahead, kind="stable")]]


def find_ground(heights: Array, planted: Flags) -> Array:
    """Return how high the ground is below feet (n, feet), in the unit of the heights.

    heights: (n, feet), of the points by which they stand. planted: (2, feet), whether each stands at the
    first and at the last frame. The ground goes evenly from where a foot stands at first to where it stands
    at last. Where it stands at one end alone, or at none, its own height there says how high the ground is.
    """
    first, last = heights[0], heights[-1]
    lowest = np.minimum(first, last)
    begin = np.where(planted[0], first, np.where(planted[1], last, lowest))
    end = np.where(planted[1], last, np.where(planted[0], first, lowest))
    part = np.linspace(0.0, 1.0, len(heights))[:, None]
    return np.asarray(begin + part * (end - begin))
