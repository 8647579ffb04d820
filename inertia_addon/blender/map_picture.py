# SPDX-License-Identifier: GPL-3.0-or-later
"""A cost map as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..plots import chart, png
from . import safe_write
from .costing import CostMap

Pixels = NDArray[np.uint8]


def draw(
    made: CostMap,
    names: tuple[str, str],
    current: tuple[float, float] | None,
    best: Sequence[tuple[float, float]],
    **options: Any,
) -> Pixels:
    """Pixels (height, width, 3) of a map: cuts to the right, destination frames upwards.

    names: of source and destination. current: the cut and destination frame to point at. best: those
    to number, the best first. options: of :class:`inertia_addon.plots.chart.HeatMap`, in place of
    what is drawn otherwise.
    """
    kind = "exact" if made.exact else "approximate, by features"
    usual = {
        "title": f"Cost of {names[0]} to {names[1]}",
        "x_label": f"cut: frame of {names[0]}",
        "y_label": f"destination frame of {names[1]}",
        "unit": "m·s",
        "marks": [(cut, frame, str(i + 1)) for i, (cut, frame) in enumerate(best)],
        "current": current,
        "note": f"{kind}; metre seconds",
    }
    return chart.heat_map(
        made.costs.T,
        (float(made.cuts[0]), float(made.cuts[-1])),
        (float(made.destinations[0]), float(made.destinations[-1])),
        **{**usual, **options},
    )


def save(pixels: Pixels, path: Path) -> None:
    """Write pixels as a PNG file, which takes its place when it is complete."""
    with safe_write.replacing(path) as temporary:
        temporary.write_bytes(png.encode(pixels))
