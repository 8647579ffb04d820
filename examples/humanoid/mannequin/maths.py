# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations about the armature's own axes, and the curves that movements are made of.

The character faces -Y with Z up, and its left is +X. Angles are in degrees, and a rotation is a
matrix of shape (..., 3, 3) that turns column vectors. Times are in frames.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def _about(axis: int, degrees: ArrayLike) -> Array:
    angle = np.radians(np.asarray(degrees, dtype=float))
    out = np.zeros((*angle.shape, 3, 3))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    out[..., axis, axis] = 1.0
    out[..., i, i] = out[..., j, j] = np.cos(angle)
    out[..., j, i] = np.sin(angle)
    out[..., i, j] = -out[..., j, i]
    return out


def rx(degrees: ArrayLike) -> Array:
    """Pitch: positive leans an upright body ahead and swings a hanging arm back."""
    return _about(0, degrees)


def ry(degrees: ArrayLike) -> Array:
    """Roll: positive leans an upright body to its left."""
    return _about(1, degrees)


def rz(degrees: ArrayLike) -> Array:
    """Yaw: positive turns to the left."""
    return _about(2, degrees)


def oriented(yaw_pitch_roll: Array) -> Array:
    """The rotations of (..., 3) angles: roll first, yaw last."""
    yaw, pitch, roll = np.moveaxis(yaw_pitch_roll, -1, 0)
    return rz(yaw) @ rx(pitch) @ ry(roll)


def turned(rotation: Array, vector: ArrayLike) -> Array:
    """``rotation`` (..., 3, 3) applied to ``vector`` (..., 3)."""
    return np.einsum("...ij,...j->...i", rotation, np.asarray(vector, dtype=float))


def unit(vectors: Array) -> Array:
    """The vectors (..., 3), each of length 1."""
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def frame_of(axis: Array, along: Array) -> Array:
    """The orthonormal frame with ``along`` as its second column and the first as near ``axis`` as can be."""
    y = unit(along)
    x = unit(axis - y * np.sum(axis * y, axis=-1, keepdims=True))
    return np.stack([x, y, np.cross(x, y)], axis=-1)


def ease(t: ArrayLike, start: float, end: float) -> Array:
    """0 before ``start``, 1 after ``end``, and the minimum-jerk curve between."""
    s = np.clip((np.asarray(t, dtype=float) - start) / (end - start), 0.0, 1.0)
    return s**3 * (10.0 - 15.0 * s + 6.0 * s * s)


def moves(t: ArrayLike, first: float, *steps: tuple[float, float, float]) -> Array:
    """A value that starts at ``first`` and, for each (start, end, value), eases there; moves may overlap."""
    out, value = np.full(np.shape(t), float(first)), first
    for start, end, target in steps:
        out = out + (target - value) * ease(t, start, end)
        value = target
    return out


def wave(phase: ArrayLike, amplitude: float, peak: float = 0.0) -> Array:
    """A cosine of one period a cycle, with its maximum at ``peak`` (both in cycles)."""
    return amplitude * np.cos(2.0 * np.pi * (np.asarray(phase, dtype=float) - peak))


def hermite(t: Array, keys: list[tuple[float, float, float]]) -> Array:
    """The cubic through (time, value, slope) keys, constant outside them."""
    times, values, slopes = np.array(keys, dtype=float).T
    i = np.clip(np.searchsorted(times, t, side="right") - 1, 0, len(times) - 2)
    span = times[i + 1] - times[i]
    s = np.clip((t - times[i]) / span, 0.0, 1.0)
    low, high = values[i], values[i + 1]
    bend = (
        s
        * (1 - s)
        * ((1 - s) * (slopes[i] * span - (high - low)) - s * (slopes[i + 1] * span - (high - low)))
    )
    return low + (high - low) * s + bend


def glide(s: Array, start: Array, end: Array, start_rate: Array, end_rate: Array, snap: float) -> Array:
    """The way between two points with given rates at its ends; ``s`` in 0..1, shape (n,).

    snap: 0 for a quintic, which has no acceleration at its ends, 1 for a cubic, which is as fast at
    them as in the middle; in between a mix.
    """
    s = s[:, None]
    leave = s - 6 * s**3 + 8 * s**4 - 3 * s**5
    arrive = -4 * s**3 + 7 * s**4 - 3 * s**5
    soft = start + (end - start) * (s**3 * (10 - 15 * s + 6 * s * s)) + start_rate * leave + end_rate * arrive
    sharp = (
        start + (end - start) * (s * s * (3 - 2 * s)) + (start_rate * (1 - s) - end_rate * s) * s * (1 - s)
    )
    return soft + snap * (sharp - soft)
