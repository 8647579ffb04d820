# SPDX-License-Identifier: GPL-3.0-or-later
"""How one bone's offset decays with each method, and the valley of what offsets cost."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...plots import plot
from ...plots.chart import Chart
from ...plots.heat_map import HeatMap
from ...plots.line_chart import LineChart, Series
from ...plots.plot import Dot, Range
from ...plots.shapes import Colour, Rect, Shape
from ...plots.theme import Theme
from ..overlay.layout import Slot
from ..overlay.protocol import OverlayPlot
from ..shared import character
from ..translations import translated
from . import costs, decays
from .model import DecayCurve, Offsets, Valley

AXES = "m, upwards m/s"


def _decay(curve: DecayCurve, y_range: Range, theme: Theme) -> Chart:
    """One method's curve, with its crossing, area and peak."""
    colour: Colour = theme.result if curve.chosen else theme.curve
    at, peak = curve.peak
    dots = [Dot(at, peak, translated("peak {0}", plot.number(peak)), colour, 3.0)]
    if curve.crossing is not None and curve.crossing <= curve.seconds[-1]:
        dots.append(Dot(curve.crossing, 0.0, f"{plot.number(curve.crossing, 2)} s", theme.current, 3.0))
    return LineChart(
        title=translated(curve.method),
        aside=f"{plot.number(curve.area)} m·s",
        series=[Series("", curve.seconds, curve.offsets, colour, 2.4 if curve.chosen else 1.6)],
        dots=dots,
        x_range=(0.0, float(curve.seconds[-1])),
        y_range=y_range,
    )


def _valleys(valley: Valley) -> Iterator[Chart]:
    """Costs over position and velocity, exact, by features and their difference, with the bone's own."""
    for title, values in (
        (translated("Exact"), valley.exact),
        (translated("Estimated"), valley.feature),
        (translated("Difference"), valley.exact - valley.feature),
    ):
        highest = float(values.max()) or 1.0
        yield HeatMap(
            values=values,
            x_range=(float(valley.positions[0]), float(valley.positions[-1])),
            y_range=(float(valley.velocities[0]), float(valley.velocities[-1])),
            title=title,
            aside=translated("to {0} m·s", plot.number(highest)),
            x_label=translated(AXES),
            marks=[(*mark, "") for mark in valley.marks],
            span=(0.0, highest),
            legend=False,
        )


class BoneOffset(OverlayPlot):
    """How one bone's offset decays, in the 3D View."""

    name = "offsets"
    label = "Bone Offset"
    description = (
        "How the active bone's difference at the cut, its offset, fades with each method, and what it costs "
        "over position and velocity"
    )
    slot = Slot.LEFT

    def model(self, armature: Any, own: Any) -> tuple[Any, str]:
        found = costs.of(armature)
        bone = character.active_bone(armature)
        if bone is None:
            return None, "Select a bone to see its offset."
        return decays.of_bone(armature, found, bone.name), ""

    def shapes(self, model: Any, shown: Offsets, place: Rect, theme: Theme) -> list[Shape]:
        """A panel with the decays side by side above, and the three pictures of the valley below."""
        left, bottom, width, height = place
        s = theme.scale
        title, aside = translated("Offset of {0} at the cut", shown.bone), translated("metres over seconds")
        found = [plot.panel(place, theme), *plot.heading(place, theme, title, aside)]
        # each has room of its own around it
        inside = height - plot.ROW * theme.font
        across = width / 3.0
        reach = max(float(np.abs(curve.offsets).max()) for curve in shown.decays) or 1.0
        low = min(0.0, min(float(curve.offsets.min()) for curve in shown.decays))
        y_range = low - 0.06 * reach, 1.12 * reach
        plain = dataclasses.replace(theme, text=theme.faint)
        for i, curve in enumerate(shown.decays):
            cell = (left + i * across, bottom + 0.5 * inside - 2.0 * s, across, 0.5 * inside)
            found += _decay(curve, y_range, theme).shapes(cell, theme if curve.chosen else plain)
        for i, chart in enumerate(_valleys(shown.valley)):
            found += chart.shapes((left + i * across, bottom, across, 0.5 * inside), theme)
        return found
