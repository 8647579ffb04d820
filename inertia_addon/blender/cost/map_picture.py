# SPDX-License-Identifier: GPL-3.0-or-later
"""A cost map as a chart for a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...plots.heat_map import HeatMap
from .costing import CostMap


def chart(
    made: CostMap,
    names: tuple[str, str],
    current: tuple[float, float] | None,
    best: Sequence[tuple[float, float]],
    **options: Any,
) -> HeatMap:
    """A map: cuts to the right, destination frames upwards.

    names: of source and destination. current: the cut and destination frame to point at. best: those
    to number, the best first. options: of :class:`HeatMap`, in place of what is shown otherwise.
    """
    usual = {
        "title": f"Cost of {names[0]} to {names[1]}",
        "aside": "m·s",
        "x_label": f"cut: frame of {names[0]}",
        "y_label": f"destination frame of {names[1]}",
        "marks": [(cut, frame, str(i + 1)) for i, (cut, frame) in enumerate(best)],
        "current": current,
        "note": f"{'exact' if made.exact else 'approximate, by features'}; metre seconds",
    }
    return HeatMap(
        values=made.costs.T,
        x_range=(float(made.cuts[0]), float(made.cuts[-1])),
        y_range=(float(made.destinations[0]), float(made.destinations[-1])),
        **{**usual, **options},
    ).explained()
