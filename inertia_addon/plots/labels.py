# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps labels apart: along a line, and where there is room among others."""

from __future__ import annotations

from collections.abc import Sequence

Box = tuple[float, float, float, float]
"""Left, bottom, right, top, pixels."""


def overlap(a: Box, b: Box) -> bool:
    """Whether two boxes have a part in common."""
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def free(box: Box, taken: Sequence[Box]) -> bool:
    """Whether a box lies beside all that are taken."""
    return not any(overlap(box, other) for other in taken)


def spread(
    wanted: Sequence[float], widths: Sequence[float], low: float, high: float, gap: float
) -> list[float] | None:
    """Middles of labels along a line, in order, as near as possible to where they are wanted.

    wanted: their middles, rising. low, high: between which all must lie. None where they don't fit.
    """
    if sum(widths) + gap * max(len(widths) - 1, 0) > high - low:
        return None
    found: list[float] = []
    edge = low
    for middle, width in zip(wanted, widths, strict=True):
        found.append(max(middle, edge + 0.5 * width))
        edge = found[-1] + 0.5 * width + gap
    edge = high
    for i in reversed(range(len(found))):
        found[i] = min(found[i], edge - 0.5 * widths[i])
        edge = found[i] - 0.5 * widths[i] - gap
    return found
