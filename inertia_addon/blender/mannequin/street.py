# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves for characters to follow."""

from __future__ import annotations

import math
from typing import Any

import bpy

Points = list[tuple[float, float, float]]
"""Points (x, y, z) one after the other, in metres."""


def add_street(scene: Any, name: str = "Street") -> Any:
    """Add the curve object that the guide's character follows to a scene, and return it."""
    return add_curve(scene, name, trace_street(12.0, 1.0))


def add_curve(scene: Any, name: str, points: Points) -> Any:
    """Add a curve object to a scene, a polyline in 3D through points (x, y, z), and return it; Blender
    numbers a name that is taken.
    """
    curve = bpy.data.curves.new(name, "CURVE")
    curve.dimensions = "3D"
    spline = curve.splines.new("POLY")
    spline.points.add(len(points) - 1)
    for point, (x, y, z) in zip(spline.points, points, strict=True):
        point.co = (x, y, z, 1.0)
    added = bpy.data.objects.new(name, curve)
    scene.collection.objects.link(added)
    return added


def trace_street(length: float, aside: float) -> Points:
    """Return points of a way along X that swings gently to both sides, on the ground, from the origin on.

    length: along X. aside: how far it swings to either side.
    """
    return [(length * i / 60, aside * math.sin(2.0 * math.pi * i / 60), 0.0) for i in range(61)]
