# SPDX-License-Identifier: GPL-3.0-or-later
"""When a foot stands along a way: as its clips say, but at the joins, which may move it.

Where a foot stands on both sides of a join the two places differ. It stays where it is if they are near to
each other, else it steps over, and stands when it has arrived.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Array, Flags
from ..feet.handover import spans, stepping_seconds

RADIUS = 0.3
"""A foot that stands on both sides of a join stays where it is within so many leg lengths; else it steps."""
AT_ONCE = 0.1
"""What is planted again after less than so many seconds has no swing between, in which it could step."""
LEAST_SECONDS = 0.08
"""A plant is no shorter."""


def find(
    planted: Flags, joins: Sequence[int], points: Array, length: float, fps: float
) -> list[tuple[int, int]]:
    """The first and last frame of each time in which a foot stands.

    planted: (n,) whether the clips have it on the ground. joins: the frames at which others take over.
    points: (n, 3) where it is unless it is held, and length: of its leg, in the same unit.
    """
    inner = [join for join in joins if 0 < join < len(planted)]
    runs = [
        (first + begin, last + begin)
        for begin, end in zip([0, *inner], [*inner, len(planted)], strict=True)
        for first, last in spans(planted[begin:end])
    ]
    found: list[tuple[int, int]] = []
    for first, last in runs:
        if found and (first - found[-1][1]) / fps < AT_ONCE:
            before = found[-1]
            away = float(np.linalg.norm(_place(points, before) - _place(points, (first, last))))
            if away <= RADIUS * length:
                found[-1] = (before[0], last)
                continue
            first = before[1] + int(np.ceil(stepping_seconds(away, length) * fps))
        if first < last:
            found.append((first, last))
    return [(first, last) for first, last in found if (last - first) / fps >= LEAST_SECONDS - 1e-9]


def _place(points: Array, span: tuple[int, int]) -> Array:
    return np.asarray(np.median(points[span[0] : span[1] + 1], axis=0))
