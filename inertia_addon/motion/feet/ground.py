# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet that stand on a given ground: held on it, tilted as it is, and lifted where they would be below it.

Where a foot is held its height is the ground's, and its tilt is its own with that of the ground on top.
In between both go from one place to the next, so that a foot swings over a slope as it does over a floor.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import numpy as np

from ...errors import InertiaError
from ...records import record
from ..arrays import Array, eased
from . import leg_ik, locking
from .corrections import Hold, freedom, hold_path
from .locking import LANDED_SECONDS, NEARER, VERTICAL, LegMotion, softly

MOST_CLEARANCE = 0.1
"""The point by which a foot stands is no higher above its sole than so many leg lengths."""


@record(frozen=True)
class GroundSurface:
    """What feet stand on.

    sample: what takes points (n, 3) of the world and returns how high the ground is there (n,), not a number
    where there is none, and its unit normals (n, 3), which point up. floor: how high the floor is that the
    clip was made on: what planted feet are above it, they are above the ground.
    """

    sample: Callable[[Array], tuple[Array, Array]]
    floor: float = 0.0


def stand(
    times: Array,
    legs: Sequence[LegMotion],
    holds: Sequence[Sequence[Hold]],
    ground: GroundSurface,
    release: float,
) -> tuple[list[list[Hold]], list[Array], Array, float]:
    """Return held feet put on a ground, and how hips go along with them.

    A hold without ground above or below it keeps its height. Between holds the height and the tilt that the
    ground gives ease over from one to the next; before the first and behind the last they stay.

    Parameters
    ----------
    times : (n,)
        Seconds.
    legs
        Their motions without locking.
    holds
        For each leg, with points (4,).
    ground
        What the feet stand on.
    release
        Seconds in which a foot comes and goes.

    Returns
    -------
    tuple[list[list[Hold]], list[Array], Array, float]
        The holds of each leg with points (6,); paths (n, 6) of point, heading, and x and y
        of a horizontal rotation vector that tilts the foot as the ground is; the body's
        rise (n,), the mean over the feet that have holds of how far the ground carries them
        up, negative for down; and how much further down the hips may go than usual. That is the
        most by which the rise is above that of the foot that rises least, plus the most of any
        leg with holds of 0.02 leg lengths and its largest tilt (radians) times its largest
        distance from ankle to point. Lengths are in world units.

    Raises
    ------
    InertiaError
        No hold has any ground above or below it, or there are no holds. Nothing is changed in
        place.
    """
    grounded, paths, rises = [], [], []
    more = 0.0
    for leg, spans in zip(legs, holds, strict=True):
        clearance = _clearance(leg, spans, ground.floor)
        places = [_on(hold, ground, clearance) for hold in spans]
        free = np.column_stack([leg.point_and_heading, np.zeros((len(times), 2))])
        shifts = np.array(
            [
                place.point - np.append(span.point, [0.0, 0.0])
                for place, span in zip(places, spans, strict=True)
            ]
        )
        carried = _blend_holds(times, places, shifts.reshape(-1, 6)[:, [2, 4, 5]])
        free[:, [2, 4, 5]] += carried
        path = hold_path(times, free, places, release, near=leg.near)
        grounded.append(places)
        paths.append(_lifted(times, path, places, leg, ground, clearance))
        if places:
            rises.append(carried[:, 0])
            heel = float(np.linalg.norm(leg.point - leg.pose.ankle, axis=1).max())
            tilt = float(np.linalg.norm(carried[:, 1:], axis=1).max())
            more = max(more, heel * tilt + leg_ik.SOFT * leg.length)
    if not any(np.isfinite(ground.sample(hold.point[None, :3])[0][0]) for each in grounded for hold in each):
        raise InertiaError("No planted foot is ever above or below the ground; move the ground.")
    rise = np.mean(rises, axis=0)
    return grounded, paths, rise, more + float((rise - np.min(rises, axis=0)).max())


def _clearance(leg: LegMotion, holds: Sequence[Hold], floor: float) -> float:
    """Return how high above the ground the point is by which a foot stands."""
    lowest = min((float(hold.point[2]) for hold in holds), default=floor)
    return min(max(lowest - floor, 0.0), MOST_CLEARANCE * leg.length)


def _on(hold: Hold, ground: GroundSurface, clearance: float) -> Hold:
    """Return a hold moved to the height of the ground, with its tilt appended: its point and its speed become
    (6,).

    hold: with a point (4,). ground: what it is moved onto. clearance: how far off the ground, along its
    normal, the point stays. Without ground there the height stays and the tilt is 0. The tilt is as
    :func:`_tilts` returns it. `speed` gets two zeros appended and is otherwise the same, as a slope does not
    turn it; None stays None. `leaves` is passed on unchanged.
    """
    heights, normals = ground.sample(hold.point[None, :3])
    point = np.append(hold.point, [0.0, 0.0])
    if np.isfinite(heights[0]):
        point[2] = heights[0] + _find_rise(clearance, normals)[0]
        point[4:] = _tilts(normals)[0]
    speed = None if hold.speed is None else np.append(hold.speed, [0.0, 0.0])
    return dataclasses.replace(hold, point=point, speed=speed)


def _find_rise(clearance: float, normals: Array) -> Array:
    """Return how much higher than a slope (n,) a point is that is so far off it."""
    return np.asarray(clearance / np.maximum(normals[:, 2], 0.2))


def _tilts(normals: Array) -> Array:
    """Return x and y (n, 2) of the horizontal rotation vectors, radians, that turn the vertical onto normals
    (n, 3).

    The normals are unit vectors. For one that points straight down it is zero.
    """
    turns = leg_ik.between(np.broadcast_to(VERTICAL, normals.shape), normals)
    half = np.linalg.norm(turns[:, 1:3], axis=1, keepdims=True)
    angle = 2.0 * np.arctan2(half, turns[:, :1])
    return np.asarray(turns[:, 1:3] * np.divide(angle, half, out=np.full_like(half, 2.0), where=half > 1e-12))


def _blend_holds(times: Array, holds: Sequence[Hold], values: Array) -> Array:
    """Return values (n, k) that are constant on each hold, those of `values` (holds, k), and go from each to
    the next by :func:`eased` over all of the time in between.

    times: seconds (n,). holds: in order. Before the first and behind the last hold they stay. Without holds
    all are 0.
    """
    blended = np.zeros((len(times), values.shape[1]))
    for i, hold in enumerate(holds):
        if i == 0:
            blended[:] = values[0]
            continue
        begin, end = times[holds[i - 1].last], times[hold.first]
        blended += eased(times - begin, max(end - begin, 1e-9))[:, None] * (values[i] - values[i - 1])
    return blended


def _lifted(
    times: Array, path: Array, holds: Sequence[Hold], leg: LegMotion, ground: GroundSurface, clearance: float
) -> Array:
    """Return a copy of a path (n, 6) whose height is raised, on all frames without a hold, wherever it would
    lie below the ground.

    First it rises smoothly, beginning before it would be below, as the ground may have a step, but less and
    less within 0.07 s of a hold. Then what is still missing is added on every frame that is not held, beside
    a hold as well. How deep the path lies is rounded at 0, so that one that only just goes below the ground
    is raised by less than that: it may remain up to 0.004 leg lengths below. Nothing is raised where there is
    no ground.

    times: seconds (n,), evenly spaced. holds: of the path; the height on them stays, even if it is below the
    ground. clearance: how far off the ground, along its normal, the point stays.
    """
    heights, normals = ground.sample(path[:, :3])
    heights = heights + _find_rise(clearance, normals)
    floor = np.where(np.isfinite(heights), heights, -np.inf)
    free = freedom(times, holds, LANDED_SECONDS)
    lifted = path.copy()
    needed = np.where(free > 0.0, np.maximum(floor - path[:, 2], 0.0), 0.0)
    # what is all but on the ground is left alone, so that nothing changes without need
    needed = softly(needed, 0.1 * NEARER * leg.length)
    lifted[:, 2] += locking.smoothed(needed, times, np.inf) * free
    left = softly(floor - lifted[:, 2], NEARER * leg.length)
    lifted[:, 2] += np.where(free > 0.0, left, 0.0)
    return lifted
