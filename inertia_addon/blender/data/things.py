# SPDX-License-Identifier: GPL-3.0-or-later
"""What decides where an object is and what shape it has, to tell later whether it has changed."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from . import actions, compat

TRANSFORMS = ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle", "scale")
POINTS = {"points": ("co", 4), "bezier_points": ("co handle_left handle_right", 3), "vertices": ("co", 3)}
"""What curves and meshes consist of: by collection the attributes, and how many numbers each of these has."""


def fingerprint(thing: Any) -> str:
    """A checksum of where an object is, of the action that moves it, and of the points of a curve or a mesh;
    likewise of what it hangs from. What drivers, strips and other objects do to it is not in it."""
    checksum = 0
    for part in _parts(thing):
        checksum = zlib.crc32(part, checksum)
    return f"{checksum:08x}"


def _parts(thing: Any) -> Iterator[bytes]:
    if thing.type == "CURVE":
        for spline in thing.data.splines:
            order = spline.order_u, spline.use_endpoint_u, spline.use_bezier_u
            yield repr((spline.type, spline.use_cyclic_u, spline.resolution_u, order)).encode()
            yield from _points(spline)
    elif thing.type == "MESH":
        yield from _points(thing.data)
    while thing is not None:
        action, slot = compat.assigned(thing)
        keyed = set() if action is None else {*actions.acting(action, slot)}
        stands = [
            value
            for path in TRANSFORMS
            for i, value in enumerate(getattr(thing, path))
            if (path, i) not in keyed
        ]
        constraints = [(one.type, one.mute, one.influence) for one in thing.constraints]
        yield repr((stands, constraints, action and actions.contents(action))).encode()
        yield np.array(thing.matrix_parent_inverse, np.float32).tobytes()
        thing = thing.parent


def _points(holder: Any) -> Iterator[bytes]:
    """The places of a spline's or a mesh's points."""
    for collection, (names, size) in POINTS.items():
        points: Any = getattr(holder, collection, ())
        for name in names.split() if len(points) else ():
            values = np.empty(size * len(points), np.float32)
            points.foreach_get(name, values)
            yield values.tobytes()
