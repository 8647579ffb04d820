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
    """What makes quaternions ``below`` (n, 4) show the rotations ``wanted`` (n, 4).

    Returns the quaternions q of ``below q = wanted``, which are combined, without a flip of sign; and what is
    to be added to that. Blender takes a power of q in single precision, and none is left of a thousandth of a
    radian: of turns less than SMALL there is no q, and all is added.
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
    """The factors of scales, of any shape; None where there is nothing to multiply."""
    if np.any(np.abs(below) < NOTHING):
        return None
    factors: Array = wanted / below
    return factors if np.all(factors > 0.0) else None  # Blender takes a power of it


def summand(below: Array, wanted: Array, default: Array) -> Array:
    """What is added (n, channels). default: the properties' (channels,), which Blender takes off again."""
    return np.asarray(default + wanted - below)
