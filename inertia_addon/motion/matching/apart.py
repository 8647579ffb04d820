# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways that keep apart in time: where two would meet, the later one goes past the other.

Who was there first keeps its way; who comes after it goes aside, or waits (prioritised planning; M. Erdmann
and T. Lozano-Perez, "On multiple moving objects", 1987). How far aside it goes, and when, is the least by
dynamic programming over all distances to both sides of its own way: so it never gets stuck between others.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from ..arrays import Array, Integers, smooth

STEP_SECONDS = 0.1
"""How far aside one goes is looked for so many times ..."""
GRID = 0.1
"""... at so many distances, in metres, ..."""
WIDEST = 6.0
"""... up to this far to each side."""
SIDEWAYS = 1.0
"""One goes aside so many metres a second at most, ..."""
EVEN_SECONDS = 0.3
"""... evened out over about so long, ..."""
SPARE = (0.1, 0.2, 0.3)
"""... for which so many metres more are kept, or more where that was not enough."""
WAITS = (0.0, 1.0, 2.0, 4.0)
"""Who can't pass by going aside waits so many seconds, the least that does."""
LEFT = 1.02
"""Going aside to the left costs so many times what going to the right does: who meets head on goes right."""
AT_END = 100.0
"""At its end that costs so many times as much: it ends where it should, if nobody stands there."""
NEAR = 1e3
"""What it costs to be too near to another for a step, for each part of the distance that is lacking."""


def way_past(ground: Array, other_paths: Sequence[Array], distance: float, fps: float) -> tuple[Array, int]:
    """Return a way that keeps a distance to other paths, and the number of frames that it waits first.

    All start at the same time; who has reached its end stands there. The way goes aside, by up to 6 m, after
    waiting for 0, 1, 2 or 4 s, the shortest wait that keeps the distance. If none does, the result is what
    comes nearest to it.

    Parameters
    ----------
    ground : (n, 2)
        The wanted way, metres.
    other_paths
        The other ways, (m, 2) each, metres.
    distance
        How far apart they shall be at least, metres.
    fps
        Places a second.

    Returns
    -------
    tuple[Array, int]
        The way (n + waited, 2), and `waited`. `ground` itself and 0 if that keeps the
        distance, or nothing comes less near. The first place stays.
    """
    best, way, waited = _closest(ground, other_paths), ground, 0
    for seconds in WAITS:
        if best >= distance:
            break
        wait = round(seconds * fps)
        tried = _aside(
            np.concatenate([np.repeat(ground[:1], wait, axis=0), ground]), other_paths, distance, fps
        )
        keeps = _closest(tried, other_paths)
        if keeps > best + 1e-6:
            best, way, waited = keeps, tried, wait
    return way, waited


def _aside(ground: Array, other_paths: Sequence[Array], distance: float, fps: float) -> Array:
    """Return a way (n, 2) that goes aside just enough to keep a distance to other paths, or else as nearly as
    it can; rather to the right than to the left.

    ground: the wanted way (n, 2), metres. other_paths: (m, 2) each. distance: metres. fps: places a second.
    It deviates at right angles to its direction, by up to 6 m, smoothly, and starts at the wanted place. It
    ends at the wanted end unless someone stands there or passes there later. Of another path that ends sooner
    the last place counts for all later frames. It may be `ground` itself.
    """
    heading = _headings(ground, fps)
    right = np.column_stack([np.sin(heading), -np.cos(heading)])
    step = max(1, round(STEP_SECONDS * fps))
    frames = np.arange(0, len(ground) + step - 1, step).clip(max=len(ground) - 1)
    aside = np.arange(-round(WIDEST / GRID), round(WIDEST / GRID) + 1) * GRID
    places = ground[frames, None] + aside[:, None] * right[frames, None]
    gaps = np.full((len(frames), len(aside)), np.inf)
    for other in other_paths:
        other_places = other[np.minimum(frames, len(other) - 1)]
        gaps = np.minimum(gaps, np.linalg.norm(places - other_places[:, None], axis=-1))
        later = other[len(ground) :: step]
        if len(later):  # who comes by when it stands at its end
            at_end = np.linalg.norm(places[-1][:, None] - later, axis=-1).min(axis=1)
            gaps[-1] = np.minimum(gaps[-1], at_end)
    best, way = -np.inf, ground
    for spare in SPARE:
        costs = np.where(aside < 0.0, LEFT, 1.0) * aside**2
        costs = costs + NEAR * np.maximum(1.0 - gaps / (distance + spare), 0.0)
        costs[-1] += AT_END * aside**2
        chosen = aside[_cheapest(costs, max(1, round(SIDEWAYS * STEP_SECONDS / GRID)))]
        offset = smooth(np.interp(np.arange(len(ground)), frames, chosen)[:, None], EVEN_SECONDS * fps)
        offset -= offset[0] * np.maximum(1.0 - np.arange(len(ground)) / fps, 0.0)[:, None]
        tried = ground + offset * right
        keeps = _closest(tried, other_paths)
        if keeps > best + 1e-6:
            best, way = keeps, tried
        if keeps >= distance:
            break
    return way


def _closest(path: Array, other_paths: Sequence[Array]) -> float:
    """Return how near a path comes to others, metres."""
    return min((gaps_of(path, other).min() for other in other_paths), default=np.inf)


def gaps_of(path: Array, other_path: Array) -> Array:
    """Return how far apart (n,) two paths are, from when they begin to when both have come to their ends."""
    frames = np.arange(max(len(path), len(other_path)))
    first, second = (each[np.minimum(frames, len(each) - 1)] for each in (path, other_path))
    return np.asarray(np.linalg.norm(first - second, axis=1))


def _cheapest(costs: Array, reach: int) -> Integers:
    """Return the column (steps,) chosen at each step so that the sum of costs (steps, columns) is least.

    From one step to the next the column changes by at most `reach`; a change by k columns costs k^2: columns
    are 0.1 m and steps 0.1 s apart, so that this is the squared speed in metres a second. The first column is
    columns // 2. Of equal alternatives the lower column is taken.
    """
    steps, count = costs.shape
    best = np.full(count, np.inf)
    best[count // 2] = 0.0
    came = np.empty((steps, count), np.int64)
    columns = np.arange(count)
    for i in range(steps):
        if i:
            options = np.full((2 * reach + 1, count), np.inf)
            for k in range(-reach, reach + 1):
                inside = (columns + k >= 0) & (columns + k < count)
                options[k + reach, inside] = best[columns[inside] + k] + (GRID * k / STEP_SECONDS) ** 2
            chosen = np.argmin(options, axis=0)
            came[i] = columns + chosen - reach
            best = options[chosen, columns]
        best = best + costs[i]
    path = np.empty(steps, np.int64)
    path[-1] = int(np.argmin(best))
    for i in range(steps - 1, 0, -1):
        path[i - 1] = came[i, path[i]]
    return path


def nearest(paths: Sequence[Array]) -> tuple[float, int, int, int]:
    """Return how near any two of some paths (n, 2) come, in metres, the numbers of both, and the frame, from
    0.

    Who has come to its end stands there. Fewer than two paths give (inf, 0, 0, 0).
    """
    pairs = itertools.combinations(range(len(paths)), 2)
    gaps = ((gaps_of(paths[i], paths[j]), i, j) for i, j in pairs)
    closest = ((float(gap.min()), i, j, int(np.argmin(gap))) for gap, i, j in gaps)
    return min(closest, default=(np.inf, 0, 0, 0))


def _headings(ground: Array, fps: float) -> Array:
    """Return the direction (n,) of a way (n, 2), metres, in radians counter-clockwise from the x axis,
    without jumps.

    It is that of the velocity, by central differences, smoothed with a standard deviation of 0.2 s. Where the
    speed so found is 0.05 m/s or less the direction is interpolated between the frames that move, or held at
    the ends; where nothing moves it is 0. Without jumps, here, means that from one moving frame to the next
    it turns by at most half a turn. A way of fewer than 2 places raises ValueError.
    """
    steps = smooth(np.gradient(ground, axis=0), 0.2 * fps)
    moving = np.flatnonzero(np.linalg.norm(steps, axis=1) * fps > 0.05)
    if not len(moving):
        return np.zeros(len(ground))
    angles = np.unwrap(np.arctan2(steps[moving, 1], steps[moving, 0]))
    return np.asarray(np.interp(np.arange(len(ground)), moving, angles))
