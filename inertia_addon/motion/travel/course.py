# SPDX-License-Identifier: GPL-3.0-or-later
"""The course of a body: where it is over the ground and which way it faces, without its sway, as a root that
carries it is to go."""

from __future__ import annotations

import numpy as np

from ...records import record
from .. import quaternion
from ..arrays import Array, ArrayLike
from ..skeleton import character_space
from .way import GroundPath

PLACE_SECONDS, FACING_SECONDS = 0.3, 0.5
"""The standard deviations of the Gaussians that take the sway out of a place, and out of a facing: hips yaw
once a stride, and go to the sides as often."""
UPRIGHT = np.cos(np.radians(35.0))
"""What has tilted by less than twice this angle says which way it faces."""
TURNS = np.radians(20.0)
"""A body turns whose facing differs by more than this, without its sway."""
REACH = 3.0
"""A Gaussian is left out beyond so many standard deviations."""


@record(frozen=True, eq=False)
class BodyCourse:
    """Where a body is over the ground at frames of a clip.

    frames: (n,) rising. places: (n, 2). facings: (n,) radians about the vertical, unwrapped. is_cycle:
    whether the clip goes on from its last frame as it does from its first.
    """

    frames: Array
    places: Array
    facings: Array
    is_cycle: bool = False


def facings(matrices: Array, rest_pose: ArrayLike) -> Array:
    """Return how far a bone has turned about the world's vertical (n,), radians, to the left if above 0,
    without jumps.

    matrices: its axes (n, 3, 3) in the world, as columns, scaled or mirrored as they may be. rest_pose: (3,
    3), the axes that count as 0. Frames on which it is tilted by more than 70 degrees are interpolated
    linearly from the others, and held at the ends; if all are, the first frame's angle is returned
    throughout.
    """
    turns = _orient_axes(matrices)
    away = quaternion.multiply(turns, quaternion.conjugate(_orient_axes(np.asarray(rest_pose, float)[None])))
    angles = quaternion.twist_angle(away, character_space.VERTICAL)
    # of a rotation this is the cosine of half its tilt
    upright = np.hypot(away[:, 0], away[:, 3]) >= UPRIGHT
    if not upright.any():
        return np.full(len(angles), angles[0])
    at = np.flatnonzero(upright)
    return np.interp(np.arange(len(angles)), at, np.unwrap(angles[at]))


def _orient_axes(matrices: Array) -> Array:
    """Return the unit quaternions (n, 4) of axes (n, 3, 3), of a mirrored bone those of the opposite axes."""
    return quaternion.from_matrix(np.copysign(1.0, np.linalg.det(matrices))[:, None, None] * matrices)


def without_sway(body: BodyCourse, fps: float) -> BodyCourse:
    """Return a body's course smoothed by Gaussians, places over 0.3 s and facings over 0.5 s (standard
    deviations).

    fps: frames a second. A standard deviation in samples is its seconds times fps, divided by the mean step
    between the body's frames, which must be evenly spaced; they need not be 1 apart. Both Gaussians end 1.5 s
    away, 3 of the larger standard deviations, rounded up to whole samples.

    Beyond its ends a cycle is repeated, turned and moved on; other courses go on point-mirrored about their
    ends, so that these hardly move. The result is a new course with the same frames and `is_cycle`. A single
    frame gives itself.
    """
    step = float(np.diff(body.frames).mean()) if len(body.frames) > 1 else 1.0
    rate = fps / step
    reach = int(np.ceil(REACH * max(PLACE_SECONDS, FACING_SECONDS) * rate))
    places, facings = _padded(body, reach)
    return BodyCourse(
        body.frames,
        np.stack([_smoothed(column, PLACE_SECONDS * rate, reach) for column in places.T], axis=1),
        _smoothed(facings, FACING_SECONDS * rate, reach),
        body.is_cycle,
    )


def _padded(body: BodyCourse, reach: int) -> tuple[Array, Array]:
    """Return places (n + 2 reach, 2) and facings (n + 2 reach,), with `reach` frames added before and behind.

    A cycle repeats, each repetition turned and moved on to where the one before has ended; its last frame is
    the first of the next one and comes once. Other courses go on point-mirrored about their ends, as often as
    it takes; a single frame is repeated. Facings go on without jumps.
    """
    count = len(body.places)
    if count < 2:
        return np.repeat(body.places, 2 * reach + 1, axis=0), np.repeat(body.facings, 2 * reach + 1)
    turns, at = np.divmod(np.arange(-reach, count + reach), count - 1)
    # the last frame is the first of the next repetition
    turns[reach + count - 1], at[reach + count - 1] = 0, count - 1
    gone, turned = body.places[-1] - body.places[0], body.facings[-1] - body.facings[0]
    if body.is_cycle:
        spin = np.exp(1j * turned)
        first = complex(*body.places[0])
        flat = body.places[:, 0] + 1j * body.places[:, 1] - first
        steps = complex(*gone) * np.array([_sum_of_turns(spin, turn) for turn in turns.tolist()])
        whole = flat[at] * spin**turns + steps + first
        return np.stack([whole.real, whole.imag], axis=1), body.facings[at] + turned * turns
    # point reflections about the ends, as often as it takes
    odd = turns % 2 != 0
    mirrored = body.places[0] + body.places[-1] - body.places[count - 1 - at]
    places = np.where(odd[:, None], mirrored, body.places[at]) + turns[:, None] * gone
    back = body.facings[0] + body.facings[-1] - body.facings[count - 1 - at]
    return places, np.where(odd, back, body.facings[at]) + turns * turned


def _sum_of_turns(spin: complex, count: int) -> complex:
    """Return 1 + spin + ... + spin^(count - 1), and for a negative count what takes so many steps back."""
    if count < 0:
        return -sum((spin**-i for i in range(1, -count + 1)), 0j)
    return sum((spin**i for i in range(count)), 0j)


def _smoothed(values: Array, sigma: float, reach: int) -> Array:
    """Return padded values (n + 2 reach,) smoothed by a Gaussian of so many frames (n,)."""
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    return np.convolve(values, kernel / kernel.sum(), mode="valid")


def turned_as(body: BodyCourse, turns: str) -> BodyCourse:
    """Return a course with the `facings` that a root shall have; frames, places and is_cycle stay.

    turns: "ALL" keeps the body's facings, radians. "AUTO" keeps them if they range over more than 20 degrees;
    else all are their mean, or 0 if that is within 20 degrees of 0, full turns aside. "NONE", as any other
    text, makes all 0. Where the body's facings are kept, `body` itself is returned, else a new course that
    shares frames and places.
    """
    if turns == "ALL" or (turns == "AUTO" and np.ptp(body.facings) > TURNS):
        return body
    mean = float(body.facings.mean()) if turns == "AUTO" else 0.0
    kept = mean if abs(np.angle(np.exp(1j * mean))) > TURNS else 0.0
    return BodyCourse(body.frames, body.places, np.full(len(body.frames), kept), body.is_cycle)


def way_from(body: BodyCourse, start_place: Array) -> GroundPath:
    """Return the path that moves whoever stands at `start_place` (2,) and faces by 0 to the places and
    facings of a course.

    Its frames and turns are those of the course. Each of its motions turns about the world's origin by the
    facing, then shifts; its places are those shifts, where the origin is taken.
    """
    c, s = np.cos(body.facings), np.sin(body.facings)
    x, y = start_place
    moved = np.stack([c * x - s * y, s * x + c * y], axis=1)
    return GroundPath(body.frames, body.places - moved, body.facings)
