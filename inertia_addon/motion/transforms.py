# SPDX-License-Identifier: GPL-3.0-or-later
"""Transform channels: which of them a rotation mode reads, what they mean, and where they rest."""

from __future__ import annotations

from . import quaternion
from .arrays import Array


def default_of(prop: str, index: int) -> float:
    """The value of a transform channel in the rest pose."""
    if prop == "scale" or (prop == "rotation_quaternion" and index == 0):
        return 1.0
    return 1.0 if prop == "rotation_axis_angle" and index == 2 else 0.0


def rotation_property(mode: str) -> tuple[str, int]:
    """The property that a rotation mode reads, and how many numbers it has."""
    return _READ.get(mode, ("rotation_euler", 3))


_READ = {"QUATERNION": ("rotation_quaternion", 4), "AXIS_ANGLE": ("rotation_axis_angle", 4)}


def to_quaternion(raw: Array, mode: str) -> Array:
    """Unit quaternions of raw channel values (..., 3 or 4) in a rotation mode."""
    if mode == "QUATERNION":
        return quaternion.normalise(raw)
    if mode == "AXIS_ANGLE":
        return quaternion.from_axis_angle(raw)
    return quaternion.from_euler(raw, mode)
