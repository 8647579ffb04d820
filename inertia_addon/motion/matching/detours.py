# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways around obstacles on the ground: where a line comes too near to one, it takes the shortest way around.

Obstacles are convex outlines. Grown by the distance that is kept, with rounded corners, they stay convex, and
the shortest way between two places goes along straight lines from corner to corner of these (a visibility
graph; T. Lozano-Perez and M. Wesley, "An algorithm for planning collision-free paths among polyhedral
obstacles", 1979).
It is searched by A* (P. Hart, N. Nilsson and B. Raphael, 1968), with the straight distance as the bound.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from ...errors import InertiaError
from ...records import record
from ..arrays import Array, Flags, smooth

STEP = 0.05
"""A line that has to go around something is looked at so many metres apart."""
LEAD = 2.0
"""It leaves its way so many metres ahead, and is back so many behind."""
APART = 0.5
"""What is no further apart than so many metres is gone around in one go."""
ROUND = math.radians(15.0)
"""A corner is rounded by straight pieces that turn by so much."""
EVEN = (0.6, 0.45, 0.3, 0.2, 0.1, 0.0)
"""What is left of corners is evened out over so many metres, as many as obstacles leave room for, ..."""
SPARE = 0.3
"""... which are grown by so many more for that."""
TOUCHING = 1e-6
"""Who goes along an outline is not in it."""


@record(frozen=True, eq=False)
class Outline:
    """What is kept away from: corners (n, 2) of a convex outline on the ground, metres, counterclockwise."""

    name: str
    corners: Array

    def grown(self, distance: float) -> Array:
        """Return the corners (m, 2), metres, counter-clockwise, of the outline grown by `distance` metres
        with rounded corners.

        The result is convex and contains everything that is nearer than the distance. Each corner becomes one
        or more, one for each 15 degrees that the outline turns there, rounded up, in the outline's own order.
        They are distance / cos(7.5 degrees) from it, so that the result reaches at most 0.9 % further than
        asked. An outline of one or two corners becomes one of 24. With distance 0 each corner is as it was,
        but as often repeated.
        """
        edges = np.roll(self.corners, -1, axis=0) - self.corners
        outward = np.arctan2(-edges[:, 0], edges[:, 1])
        radius, pieces = distance / math.cos(0.5 * ROUND), []
        for corner, first, last in zip(self.corners, np.roll(outward, 1), outward, strict=True):
            turn = (last - first) % (2.0 * math.pi) if len(self.corners) > 1 else 2.0 * math.pi
            count = max(1, math.ceil(turn / ROUND - 1e-9))
            # the middles of the pieces touch the circle, their ends lie outside
            angles = first + turn * (np.arange(count) + 0.5) / count
            pieces.append(corner + radius * np.column_stack([np.cos(angles), np.sin(angles)]))
        return np.concatenate(pieces)

    def distances(self, points: Array) -> Array:
        """Return how far points (n, 2) are from the outline (n,), 0 within."""
        return np.maximum(self._signed(points)[0], 0.0)

    def depths(self, points: Array, distance: float) -> tuple[Array, Array]:
        """Return by how much points (n, 2) are nearer than a distance (n,), below 0 for those that are
        further, and which way (n, 2) leads away.
        """
        away, out = self._signed(points)
        return distance - away, out

    def _signed(self, points: Array) -> tuple[Array, Array]:
        """Return how far points (n, 2) are from the outline (n,), metres, below 0 within, and unit directions
        (n, 2) away from it.

        The direction of a point outside leads away from the nearest place on the outline, that of a point
        within to that place, and so out. An outline of one or two corners has no inside. The direction of a
        point on the outline is zero.
        """
        ends = np.roll(self.corners, -1, axis=0)
        along, to = ends - self.corners, points[:, None] - self.corners
        part = (to * along).sum(axis=-1) / np.maximum((along**2).sum(axis=-1), 1e-18)
        ways = to - np.clip(part, 0.0, 1.0)[..., None] * along
        lengths = np.linalg.norm(ways, axis=-1)
        nearest = np.argmin(lengths, axis=1)
        rows = np.arange(len(points))
        away, way = lengths[rows, nearest], ways[rows, nearest]
        left = along[:, 0] * to[..., 1] - along[:, 1] * to[..., 0]
        side = np.where((left > 0.0).all(axis=1) & (len(self.corners) > 2), -1.0, 1.0)
        return side * away, side[:, None] * way / np.maximum(away, 1e-9)[:, None]


def around(points: Array, outlines: Sequence[Outline], distance: float) -> tuple[Array, Array]:
    """Return a line that keeps a distance to all outlines, and where on the given line its points are.

    Only where the line comes nearer than distance + 0.3 m is it led around, from up to 2 m before to 2 m
    behind, along the shortest way, with its corners smoothed as far as the distance allows.

    Parameters
    ----------
    points : (n, 2)
        The given line, metres; at least one point.
    outlines
        What is kept away from.
    distance
        Metres, 0 or more.

    Returns
    -------
    tuple[Array, Array]
        The line (m, 2), metres, and places (m,): indices into `points`, with fractions. If
        nothing is nearer than distance + 0.3 m it is `points` itself; else the result also
        has points every 0.05 m.

    Raises
    ------
    InertiaError
        The line begins or ends nearer than distance + 0.3 m to an outline, or no way leads
        through.
    """
    walls = [_Wall(outline.grown(distance + SPARE)) for outline in outlines]
    dense, at = _dense(points)
    within = np.zeros(len(dense), bool)
    for wall in walls:
        within |= wall.holds(dense)
    if not within.any():
        return points, np.arange(len(points), dtype=float)
    if within[0] or within[-1]:
        end = dense[0 if within[0] else -1][None]
        raise InertiaError(
            'The way begins within {distance:.0f} cm of "{obstacle}"; move one of the two, or keep a '
            "smaller distance."
            if within[0]
            else 'The way ends within {distance:.0f} cm of "{obstacle}"; move one of the two, or keep a '
            "smaller distance.",
            distance=100.0 * (distance + SPARE),
            obstacle=min(outlines, key=lambda outline: float(outline.distances(end)[0])).name,
        )
    parts, indices, done = [], [], 0
    for first, last in _stretches(within):
        route = _shortest(dense[first], dense[last], walls)
        parts += [dense[done:first], route]
        s = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(route, axis=0), axis=1))])
        indices += [at[done:first], at[first] + (at[last] - at[first]) * s / s[-1]]
        done = last + 1
    line, places = np.concatenate([*parts, dense[done:]]), np.concatenate([*indices, at[done:]])
    turned = (~np.isin(places, at)).astype(float)[:, None]
    for over in EVEN:
        # without corners where it was turned aside; elsewhere a drawn one keeps its own
        near = np.clip(2.0 * smooth(turned, over / STEP), 0.0, 1.0)
        smoothed = line + near * (smooth(line, over / STEP) - line)
        smoothed[[0, -1]] = line[[0, -1]]
        if min(outline.distances(smoothed).min() for outline in outlines) >= distance:
            break
    return smoothed, places


@record(frozen=True, eq=False)
class _Wall:
    """A convex outline that nothing may go through. corners: (n, 2), counterclockwise."""

    corners: Array

    @property
    def sides(self) -> tuple[Array, Array]:
        """The unit normals (n, 2) of the sides, pointing outwards, and the distance of each side from the
        origin along its normal (n,).

        Distances are in metres, and 1e-6 too small, so that a point on a side is outside.
        """
        edges = np.roll(self.corners, -1, axis=0) - self.corners
        normals = np.column_stack([edges[:, 1], -edges[:, 0]])
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-18)
        return normals, (normals * self.corners).sum(axis=1) - TOUCHING

    def holds(self, points: Array) -> Flags:
        """Tell whether points (n, 2) are in the wall."""
        normals, offsets = self.sides
        return np.asarray((points @ normals.T < offsets).all(axis=1))

    def cuts(self, start: Array, ends: Array) -> Flags:
        """Return flags (n,): which straight lines from `start` (2,) to each of `ends` (n, 2) go through the
        wall.

        A line that only touches the wall, or runs along a side, does not.
        """
        normals, offsets = self.sides
        left, rates = offsets - normals @ start, (ends - start) @ normals.T
        with np.errstate(divide="ignore", invalid="ignore"):
            t = left / rates
        entered = np.where(rates < 0.0, t, np.where((rates == 0.0) & (left <= 0.0), np.inf, -np.inf))
        gone = np.where(rates > 0.0, t, np.inf)
        return np.asarray(np.maximum(entered.max(axis=1), 0.0) + TOUCHING < np.minimum(gone.min(axis=1), 1.0))


def _dense(points: Array) -> tuple[Array, Array]:
    """Return a line with additional points, at most 0.05 m apart (m, 2), and the index in the given line of
    each, with fractions (m,).

    points: (n, 2), at least one; all of them are in the result.
    """
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    counts = np.maximum(np.ceil(lengths / STEP).astype(int), 1)
    parts = [i + np.arange(count) / count for i, count in enumerate(counts.tolist())]
    at = np.concatenate([*parts, [len(points) - 1.0]])
    indices = np.arange(len(points))
    return np.column_stack([np.interp(at, indices, points[:, k]) for k in range(2)]), at


def _stretches(within: Flags) -> Iterator[tuple[int, int]]:
    """Yield the index of the first and the last point of each stretch of a line that has to be led elsewhere,
    in order.

    within: (n,), which points are too near to something, at least one; they are 0.05 m apart. Without any the
    first step raises IndexError. Such points that are 0.5 m or less apart belong to one stretch, with all
    between. It begins up to 2 m before its first and ends up to 2 m behind its last one, within the line and
    no further than half the way to the next stretch, where one ends a point before the other begins.
    """
    lead, inside = round(LEAD / STEP), np.flatnonzero(within)
    groups = np.split(inside, np.flatnonzero(np.diff(inside) > round(APART / STEP)) + 1)
    ends = [(int(group[0]), int(group[-1])) for group in groups]
    middles = [(sooner[1] + later[0]) // 2 for sooner, later in itertools.pairwise(ends)]
    for (first, last), after, before in zip(ends, [-1, *middles], [*middles, len(within) - 1], strict=True):
        yield max(after + 1, first - lead), min(before, last + lead)


def _shortest(start: Array, end: Array, walls: Sequence[_Wall]) -> Array:
    """Return the shortest line (n, 2) from `start` to `end` that goes through no wall, with points at most
    0.05 m apart.

    start, end: (2,), metres, in no wall. walls: at least one. It is found by A* over the walls' corners that
    are in no wall. Raise InertiaError if there is none.
    """
    corners = np.concatenate([wall.corners for wall in walls])
    for wall in walls:
        corners = corners[~wall.holds(corners)]
    nodes = np.concatenate([[start, end], corners])
    left = np.linalg.norm(nodes - end, axis=1)
    came, best = {0: 0}, np.full(len(nodes), np.inf)
    best[0], closed, order = 0.0, np.zeros(len(nodes), bool), itertools.count()
    waiting = [(float(left[0]), next(order), 0)]
    while waiting:
        _, _, i = heapq.heappop(waiting)
        if closed[i]:
            continue
        closed[i] = True
        if i == 1:
            path = [1]
            while path[-1] != 0:
                path.append(came[path[-1]])
            return _dense(nodes[path[::-1]])[0]
        others = np.flatnonzero(~closed)
        seen = np.ones(len(others), bool)
        for wall in walls:
            seen &= ~wall.cuts(nodes[i], nodes[others])
        lengths = best[i] + np.linalg.norm(nodes[others] - nodes[i], axis=1)
        for k, length in zip(others[seen].tolist(), lengths[seen].tolist(), strict=True):
            if length < best[k] - 1e-12:
                best[k], came[k] = length, i
                heapq.heappush(waiting, (length + float(left[k]), next(order), k))
    raise InertiaError(
        "No way leads past the obstacles; move them apart, or keep a smaller distance from them."
    )
