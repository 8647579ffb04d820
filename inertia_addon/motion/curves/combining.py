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
    """Return (q, added): what has to be multiplied, and then added, so that quaternions `below` show the
    rotations `wanted`.

    below, wanted: (n, 4), n >= 1; both are normalised first. q: unit quaternions (n, 4) with below q = wanted
    as rotations, without sign flips from row to row, the last one with w >= 0. added: (n, 4), to be added to
    the product. Where the turn is less than 0.02 radians q is plus or minus the identity and `added` makes up
    for all of it, as Blender takes a power of q in single precision; elsewhere `added` is 0.
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

    Return None where any scale below is nearer to 0 than 1e-6, or any factor is not above 0, as Blender takes
    a power of it.
    """
    if np.any(np.abs(below) < NOTHING):
        return None
    factors: Array = wanted / below
    return factors if np.all(factors > 0.0) else None  # Blender takes a power of it


def summand(below: Array, wanted: Array, default: Array) -> Array:
    """Return what is to be added to values for others, in Blender's Combine blending.

    Parameters
    ----------
    below : (n, channels)
        What plays below.
    wanted : (n, channels)
        What shall show.
    default : (channels,)
        The properties' defaults, which Blender takes off again.

    Returns
    -------
    Array (n, channels)
        The values of the strip.
    """
    return np.asarray(default + wanted - below)
