# SPDX-License-Identifier: GPL-3.0-or-later
"""Character space: joints seen from the root's place on the ground, in the direction it faces.

A transition moves its destination on the ground, and turns it about the vertical, to where the source
is. What two clips have to do with each other is therefore seen from the root: positions from the point
on the ground below it, and both positions and velocities turned by its heading. Velocities are those
through the world, not past the root, as it is the former that a transition carries over the cut.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np

from ...records import record
from .. import quaternion
from ..arrays import Array, ArrayLike

VERTICAL = np.array([0.0, 0.0, 1.0])

APART = 0.25
"""Clips stand apart when their roots are never nearer than this part of the character's size. Those of eleven
game characters, which are played in one place, come within 0.17 of each other, and lying dead within 0.22."""

OPPOSITE = np.radians(135.0)
"""Clips face different ways from this angle on. In one place runs to the left and to the right differ by 120
degrees, and whoever drives the character turns it himself."""


@record(frozen=True)
class RootPlace:
    """Where a root is all along a clip.

    centre, radius: a circle on the ground, in parts of the character's size. facing: its rotation in the
    world at the beginning (4,); None where it is not what the character faces by.
    """

    centre: Array
    radius: float
    facing: Array | None = None


def place(path: ArrayLike, size: float, facing: Array | None = None) -> RootPlace:
    """Return the circle on the ground within which a root stays along a clip.

    Parameters
    ----------
    path : (n, 3)
        The root's places, Z up; at least one.
    size
        The character's size, in the unit of path, not 0; the circle is in parts of it.
    facing : (4,)
        The root's world rotation at the beginning, passed on; None where the character does
        not face by the root.

    Returns
    -------
    RootPlace
        The centre (2,) is the middle of the path's bounding box, the radius the largest
        distance from it.
    """
    ground = np.asarray(path, float)[:, :2] / size
    centre = 0.5 * (ground.min(axis=0) + ground.max(axis=0))
    return RootPlace(centre, float(np.linalg.norm(ground - centre, axis=1).max()), facing)


def apart(places: Iterable[RootPlace]) -> bool:
    """Tell whether any two of some root places are too far apart, or face nearly opposite ways.

    Places are in parts of the character's size. Two are too far apart if the distance of their `centre` less
    both `radius` is more than 0.25. They face nearly opposite ways if the turn from one `facing` to the
    other, both unit quaternions, is more than 135 degrees about the vertical; it is not tested where a facing
    is None. With fewer than two places it is False.
    """
    for first, second in itertools.combinations(places, 2):
        if np.linalg.norm(first.centre - second.centre) - first.radius - second.radius > APART:
            return True
        if first.facing is not None and second.facing is not None:
            turn = quaternion.multiply(first.facing, quaternion.conjugate(second.facing))
            if abs(quaternion.twist_angle(turn, VERTICAL)) > OPPOSITE:
                return True
    return False


def upright(rotations: Iterable[ArrayLike]) -> Array:
    """Return the rotation (4,) that turns a root's own axes so that its mean up direction points up in the
    world.

    rotations: world rotations of the root, unit quaternions (w, x, y, z), (n, 4), a clip each.

    A root's axes may point anywhere; which of its own directions is up, on average, is all that the clips
    agree on. The world's up is seen from the root in each frame of all clips, and these directions are
    averaged, every frame alike. Returned is the shortest rotation that turns the mean to +Z; half a turn
    about X, (0, 1, 0, 0), if it points to -Z. If the mean's length is below 0.001, as of a root that tumbles,
    the first rotation given is returned.

    Raise ValueError without any clip.
    """
    q = np.concatenate([np.asarray(clip, float).reshape(-1, 4) for clip in rotations])
    up = quaternion.rotate(quaternion.conjugate(q), VERTICAL).mean(axis=0)
    size = np.linalg.norm(up)
    if size < 1e-3:
        return q[0]  # it tumbles: no direction is up more than others
    up /= size
    half = np.array([1.0 + up[2], *np.cross(up, VERTICAL)])
    if half[0] < 1e-9:
        return np.array([0.0, 1.0, 0.0, 0.0])
    return quaternion.normalise(half)


def headings(rotations: ArrayLike, reference: ArrayLike) -> Array:
    """Return which way a root faces: the angles (n,) about the vertical from `reference` to each rotation.

    rotations: (n, 4), in the world. reference: (4,), see :func:`upright`. Radians, in (-pi, pi]. The tilt
    against the reference is left out: the angle is the twist of what turns one into the other.
    """
    turn = quaternion.multiply(np.asarray(rotations, float), quaternion.conjugate(reference))
    return quaternion.twist_angle(turn, VERTICAL)


def turn_between(first: Array, second: Array) -> float:
    """Return the angle about the vertical from the second root's matrix (4, 4) to the first one's,
    mirrored both or neither.
    """
    turn, other = map(unmirrored, (first, second))
    return float(_heading(turn, other))


def turns(roots: Array) -> Array:
    """Return the angles (n - 1,) about the vertical from each of a root's matrices (n, 4, 4) to the next
    one.
    """
    rotations = unmirrored(roots)
    return _heading(rotations[1:], rotations[:-1])


def unmirrored(matrices: Array) -> Array:
    """Return the rotations (..., 4) of a root's matrices (..., 4, 4), whether it is mirrored or not."""
    axes = matrices[..., :3, :3]
    return quaternion.from_matrix(np.copysign(1.0, np.linalg.det(axes))[..., None, None] * axes)


def _heading(rotation: Array, reference: Array) -> Array:
    """Return the angles about the vertical by which `reference` rotations (..., 4) turn into rotations (...,
    4).
    """
    turn = quaternion.multiply(rotation, quaternion.conjugate(reference))
    return quaternion.twist_angle(turn, VERTICAL)


def motion_of(heading: float, translation: ArrayLike) -> Array:
    """Return a turn about the world's vertical by `heading` (radians), then a translation (3,), as a matrix
    (4, 4).
    """
    motion = np.eye(4)
    motion[:3, :3] = quaternion.to_matrix(quaternion.exp(heading * VERTICAL))
    motion[:3, 3] = translation
    return motion


def to_character_space(
    positions: ArrayLike, velocities: ArrayLike, root: ArrayLike, heading: ArrayLike
) -> tuple[Array, Array]:
    """Return positions and velocities of the world in character space.

    Positions are seen from the ground point below the root, so that heights are kept; both are turned about
    the vertical by minus the heading. The root's own velocity is not subtracted.

    Parameters
    ----------
    positions, velocities : (n, joints, 3)
        In the world, Z up.
    root : (n, 3)
        World positions of the root.
    heading : (n,)
        Where it faces, radians about the vertical.

    Returns
    -------
    tuple[Array, Array]
        Positions and velocities (n, joints, 3), new arrays.
    """
    c, s = np.cos(heading)[:, None], np.sin(heading)[:, None]
    ground = np.asarray(root, float) * (1.0, 1.0, 0.0)
    moved = []
    for vectors in (np.asarray(positions, float) - ground[:, None, :], np.asarray(velocities, float)):
        turned = np.empty_like(vectors)
        turned[..., 0] = c * vectors[..., 0] + s * vectors[..., 1]
        turned[..., 1] = c * vectors[..., 1] - s * vectors[..., 0]
        turned[..., 2] = vectors[..., 2]
        moved.append(turned)
    return moved[0], moved[1]


def interpolated(
    frames: Array, positions: Array, velocities: Array, frame: float, fps: float
) -> tuple[Array, Array]:
    """Return positions and velocities at a frame between given frames, or beyond them.

    Positions follow the cubic that has the given velocities at both frames, velocities the line between them.
    Beyond the ends the motion goes on with the end's velocity, however far.

    Parameters
    ----------
    frames : (n,)
        The given frames, rising; at least one.
    positions : (n, joints, 3)
        Metres.
    velocities : (n, joints, 3)
        Metres a second.
    frame
        The frame asked for, whole or not, counted as `frames` are.
    fps
        Frames a second, which relates frames to the velocities.

    Returns
    -------
    tuple[Array, Array]
        Positions and velocities (joints, 3).
    """
    i = int(np.clip(np.searchsorted(frames, frame, "right") - 1, 0, max(len(frames) - 2, 0)))
    offset = frame - frames[i]
    if offset <= 0.0 or i + 1 >= len(frames):
        return positions[i] + velocities[i] * (offset / fps), velocities[i].astype(float)
    gap = frames[i + 1] - frames[i]
    if offset >= gap:
        return positions[i + 1] + velocities[i + 1] * ((offset - gap) / fps), velocities[i + 1].astype(float)
    t, h = offset / gap, gap / fps
    p0, p1, v0, v1 = positions[i], positions[i + 1], velocities[i], velocities[i + 1]
    position = (
        (1.0 + 2.0 * t) * (1.0 - t) ** 2 * p0
        + t * (1.0 - t) ** 2 * h * v0
        + t * t * (3.0 - 2.0 * t) * p1
        + t * t * (t - 1.0) * h * v1
    )
    return position, (1.0 - t) * v0 + t * v1
