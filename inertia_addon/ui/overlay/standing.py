# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the character is on the screen: plots that can be elsewhere make way for it.

It is looked at when a view has changed, not from frame to frame: plots must not jump about while it walks.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from ...motion.arrays import Array
from ...plots.shapes import Rect
from ..shared import words

_seen: dict[int, tuple[Hashable, Rect | None]] = {}
"""For each region, the view that the character was seen in, and where it was."""


def of(context: Any) -> Rect | None:
    """The active armature's bones in the region in use; None where they are not in sight."""
    armature = words.holder_of(context)
    if armature is None:
        return None
    region, view = context.region, np.array(context.region_data.perspective_matrix)
    key = (armature.session_uid, region.width, region.height, view.round(4).tobytes())
    known = _seen.get(region.as_pointer())
    if known is None or known[0] != key:
        ends = [end for bone in armature.pose.bones for end in (bone.head, bone.tail)]
        points = np.array(ends, float).reshape(-1, 3)
        box = box_of(points, view @ np.array(armature.matrix_world), (region.width, region.height))
        known = _seen[region.as_pointer()] = (key, box)
    return known[1]


def box_of(points: Array, matrix: Array, size: tuple[float, float]) -> Rect | None:
    """What points (n, 3) take of a view of a size in pixels; None where none lies before it.

    matrix: (4, 4), from the points' space to the view's, whose sides are at -1 and 1.
    """
    seen = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    seen = seen[seen[:, 3] > 1e-6]
    if not len(seen):
        return None
    at = (0.5 + 0.5 * seen[:, :2] / seen[:, 3:]) * np.array(size)
    (left, bottom), (right, top) = at.min(axis=0).tolist(), at.max(axis=0).tolist()
    return left, bottom, right - left, top - bottom


def forget() -> None:
    """Look again."""
    _seen.clear()
