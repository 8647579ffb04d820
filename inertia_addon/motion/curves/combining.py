# SPDX-License-Identifier: GPL-3.0-or-later
"""What a strip has to hold so that, combined with what plays below it, it shows what is wanted.

Blender's Combine blending takes each kind of channel in its own way, alike from 4.2 to 5.2: quaternions are
multiplied, what is below first, so that the offset is in the bone's own space; scales are multiplied; all
else, Euler angles and the parts of an axis and angle among them, is added, less the property's default.
"""

from __future__ import annotations

import numpy as np

from .. import quaternion
from ..arrays import Array

SMALL = 0.02
"""Turns that are less, in radians, are added."""
NOTHING = 1e-6
"""A scale below which nothing can be made of by multiplying."""


def turn(below: Array, wanted: Array) -> tuple[Array, Array]:
    """Return what makes quaternions `below` (n, 4) show the rotations `wanted` (n, 4), as (q, added).

    q: (n, 4), combined with `below` as `below q = wanted`, without a flip of sign. added: (n, 4), what
    remains to be added to that. Blender takes a power of q in single precision, in which nothing is left of a
    thousandth of a radian: for turns less than SMALL, q turns by nothing and all of it is added.
    """
    below, wanted = quaternion.normalise(below), quaternion.normalise(wanted)
    q = quaternion.unflipped(quaternion.multiply(quaternion.conjugate(below), wanted))
    if q[-1, 0] < 0.0:
        q = -q  # nearest to none where the blend ends
    none = np.where(q[:, :1] < 0.0, -quaternion.IDENTITY, quaternion.IDENTITY)
    small = np.linalg.norm(q[:, 1:], axis=1, keepdims=True) < 0.5 * SMALL
    added = np.where(small, quaternion.multiply(below, q - none), 0.0)
    return np.where(small, none, q), added


def factor(below: Array, wanted: Array) -> Array | None:
    """Return the factors that make scales `below` the scales `wanted`, of the same shape.

    Return None where a scale is nearly zero or a factor is not positive: Blender takes a power of it.
    """
    if np.any(np.abs(below) < NOTHING):
        return None
    factors: Array = wanted / below
    return factors if np.all(factors > 0.0) else None  # Blender takes a power of it


def summand(below: Array, wanted: Array, default: Array) -> Array:
    """Return what is to be added to `below` for `wanted`, (n, channels) each.

    default: the properties' defaults (channels,), which Blender takes off again.
    """
    return np.asarray(default + wanted - below)
