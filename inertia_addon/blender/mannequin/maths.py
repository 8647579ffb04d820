# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations about the armature's own axes, and the curves that movements are made of.

The character faces -Y with Z up, and its left is +X. Angles are in degrees, and a rotation is a
matrix of shape (..., 3, 3) that turns column vectors. Times are in frames.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def _rotate_about(axis: int, degrees: ArrayLike) -> Array:
    angle = np.radians(np.asarray(degrees, dtype=float))
    out = np.zeros((*angle.shape, 3, 3))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    out[..., axis, axis] = 1.0
    out[..., i, i] = out[..., j, j] = np.cos(angle)
    out[..., j, i] = np.sin(angle)
    out[..., i, j] = -out[..., j, i]
    return out


def rotate_x(degrees: ArrayLike) -> Array:
    """Return pitches (..., 3, 3) by angles (...). Positive leans an upright body ahead, and swings
    a hanging arm back.
    """
    return _rotate_about(0, degrees)


def rotate_y(degrees: ArrayLike) -> Array:
    """Return rolls (..., 3, 3) by angles (...). Positive leans an upright body to its left."""
    return _rotate_about(1, degrees)


def rotate_z(degrees: ArrayLike) -> Array:
    """Return yaws (..., 3, 3) by angles (...). Positive turns to the left."""
    return _rotate_about(2, degrees)


def orient(yaw_pitch_roll: Array) -> Array:
    """Return the rotations (..., 3, 3) of three angles each (..., 3): roll first, yaw last."""
    yaw, pitch, roll = np.moveaxis(yaw_pitch_roll, -1, 0)
    return rotate_z(yaw) @ rotate_x(pitch) @ rotate_y(roll)


def rotate(rotation: Array, vector: ArrayLike) -> Array:
    """Return vectors (..., 3), rotated. rotation: (..., 3, 3)."""
    return np.einsum("...ij,...j->...i", rotation, np.asarray(vector, dtype=float))


def normalize(vectors: Array) -> Array:
    """Return vectors (..., 3), each of length 1; none may be 0."""
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def build_frame(axis: Array, along: Array) -> Array:
    """Return orthonormal frames (..., 3, 3) whose second column has the direction of ``along`` (..., 3), and
    whose first is as near ``axis`` (..., 3) as can be.
    """
    y = normalize(along)
    x = normalize(axis - y * np.sum(axis * y, axis=-1, keepdims=True))
    return np.stack([x, y, np.cross(x, y)], axis=-1)


def ease(t: ArrayLike, start: float, end: float) -> Array:
    """Return 0 before a start, 1 after an end, and between them the curve of the least jerk (Flash and Hogan
    1985).
    """
    s = np.clip((np.asarray(t, dtype=float) - start) / (end - start), 0.0, 1.0)
    return s**3 * (10.0 - 15.0 * s + 6.0 * s * s)


def ease_through(t: ArrayLike, first: float, *steps: tuple[float, float, float]) -> Array:
    """Return a value at times t that is ``first`` to begin with and goes through steps (start, end, value),
    each by :func:`ease` from where it is to that value; they may overlap.
    """
    out, value = np.full(np.shape(t), float(first)), first
    for start, end, target in steps:
        out = out + (target - value) * ease(t, start, end)
        value = target
    return out


def oscillate(phase: ArrayLike, amplitude: float, peak: float = 0.0) -> Array:
    """Return a cosine of one period a cycle. phase, peak: in cycles; it is largest at ``peak``."""
    return amplitude * np.cos(2.0 * np.pi * (np.asarray(phase, dtype=float) - peak))


def interpolate(times: Array, keys: list[tuple[float, float, float]]) -> Array:
    """Return the cubic through keys (time, value, slope), two or more by rising time, at times (n,); before
    the first and behind the last key it stays at that key's value.
    """
    at, values, slopes = np.array(keys, dtype=float).T
    i = np.clip(np.searchsorted(at, times, side="right") - 1, 0, len(at) - 2)
    span = at[i + 1] - at[i]
    s = np.clip((times - at[i]) / span, 0.0, 1.0)
    low, high = values[i], values[i + 1]
    bend = (
        s
        * (1 - s)
        * ((1 - s) * (slopes[i] * span - (high - low)) - s * (slopes[i + 1] * span - (high - low)))
    )
    return low + (high - low) * s + bend


def glide(s: Array, start: Array, end: Array, start_rate: Array, end_rate: Array, snap: float) -> Array:
    """Return the way (n, 3) between two points with given rates at its ends.

    s: the part of the way's time (n,), 0 to 1. start, end: points (3,). start_rate, end_rate: (3,), by s.
    snap: 0 for a quintic, which has no acceleration at its ends, 1 for a cubic, which is as fast at them as
    in the middle; in between a mix.
    """
    s = s[:, None]
    leave = s - 6 * s**3 + 8 * s**4 - 3 * s**5
    arrive = -4 * s**3 + 7 * s**4 - 3 * s**5
    soft = start + (end - start) * (s**3 * (10 - 15 * s + 6 * s * s)) + start_rate * leave + end_rate * arrive
    sharp = (
        start + (end - start) * (s * s * (3 - 2 * s)) + (start_rate * (1 - s) - end_rate * s) * s * (1 - s)
    )
    return soft + snap * (sharp - soft)
