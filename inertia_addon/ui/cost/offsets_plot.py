# SPDX-License-Identifier: GPL-3.0-or-later
"""How one bone's offset decays with each method, and the valley of what offsets cost."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from ...plots import axes, colours
from ..overlay import plot, shapes
from ..overlay.model import DecayCurve, Offsets, Valley
from ..overlay.plot import Plot, Rect
from ..overlay.shapes import Colour, Picture, Shape, Text
from ..overlay.theme import Theme
from ..translations import translated

Array = NDArray[np.float64]

AXES = "m, upwards m/s"
WHITE = (1.0, 1.0, 1.0, 1.0)
BLACK = (0.0, 0.0, 0.0, 1.0)


def shapes_of(offsets: Offsets, place: Rect, theme: Theme) -> list[Shape]:
    """A panel with the decays side by side above, and the three pictures of the valley below."""
    left, bottom, width, height = place
    s = theme.scale
    head = plot.PADDING * s + 1.45 * theme.font
    found: list[Shape] = plot.background(
        Plot(place, place, (0.0, 1.0), (0.0, 1.0)),
        theme,
        translated("Offset of {0} at the cut", offsets.bone),
        translated("metres over seconds"),
    )
    inside = height - head - plot.PADDING * s
    upper = 0.5 * inside
    inner = width - plot.PADDING * s
    reach = max(float(np.abs(curve.offsets).max()) for curve in offsets.decays) or 1.0
    low = min(0.0, min(float(curve.offsets.min()) for curve in offsets.decays))
    across = inner / len(offsets.decays)
    for i, curve in enumerate(offsets.decays):
        cell = (left + i * across, bottom + height - head - upper, across, upper)
        found += _decay(curve, cell, (low - 0.06 * reach, 1.12 * reach), theme)
    pictures = _pictures(offsets.valley)
    across = inner / len(pictures)
    for i, (title, values) in enumerate(pictures):
        cell = (left + i * across, bottom + 0.5 * plot.PADDING * s, across, inside - upper)
        found += _valley(offsets.valley, title, values, cell, theme)
    return found


def _decay(curve: DecayCurve, cell: Rect, y_range: tuple[float, float], theme: Theme) -> list[Shape]:
    """One method's curve, with its crossing, area and peak."""
    top = cell[1] + cell[3] - 0.9 * theme.font
    s = theme.scale
    made = plot.placed(cell, theme, (0.0, float(curve.seconds[-1])), y_range, 38.0, 4.0)
    colour: Colour = theme.result if curve.chosen else theme.curve
    found: list[Shape] = [
        Text(
            made.area[0],
            top,
            translated(curve.method),
            theme.font,
            theme.text if curve.chosen else theme.faint,
        ),
        Text(
            made.area[0] + made.area[2],
            top,
            f"{axes.number(curve.area)} m·s",
            theme.font,
            theme.text,
            1.0,
        ),
    ]
    found += plot.x_axis(made, theme) + plot.y_axis(made, theme)
    zero = float(made.y(0.0))
    found.append(shapes.line([(made.area[0], zero), (made.area[0] + made.area[2], zero)], theme.faint, s))
    points = made.points(curve.seconds, curve.offsets)
    found.append(shapes.line(points, colour, (2.4 if curve.chosen else 1.6) * s))
    at, peak = curve.peak
    found.append(shapes.disc(float(made.x(at)), float(made.y(peak)), 3.0 * s, colour))
    found.append(
        Text(
            float(made.x(at)) + 6.0 * s,
            float(made.y(peak)) - (0.35 if at == 0.0 else -0.4) * theme.font,
            translated("peak {0}", axes.number(peak)),
            0.9 * theme.font,
            theme.faint,
        )
    )
    if curve.crossing is not None and curve.crossing <= curve.seconds[-1]:
        x = float(made.x(curve.crossing))
        found.append(shapes.disc(x, zero, 3.0 * s, theme.current))
        found.append(
            Text(
                x + 5.0 * s,
                zero + 0.4 * theme.font,
                f"{axes.number(curve.crossing, 2)} s",
                0.9 * theme.font,
                theme.faint,
            )
        )
    return found


def _pictures(valley: Valley) -> list[tuple[str, Array]]:
    return [
        (translated("Exact"), valley.exact),
        (translated("By features"), valley.feature),
        (translated("Difference"), valley.exact - valley.feature),
    ]


def _valley(valley: Valley, title: str, values: Array, cell: Rect, theme: Theme) -> list[Shape]:
    """Costs over position and velocity, with the bone's own, an axis each."""
    s = theme.scale
    x_range = (float(valley.positions[0]), float(valley.positions[-1]))
    y_range = (float(valley.velocities[0]), float(valley.velocities[-1]))
    made = plot.placed(cell, theme, x_range, y_range, 38.0, 4.0)
    left, bottom, width, height = made.area
    line = 1.2 * theme.font
    made = dataclasses.replace(made, area=(left, bottom + line, width, height - line))
    highest = float(values.max()) or 1.0
    rgba = np.ones((*values.shape, 4), np.float32)
    rgba[..., :3] = colours.sequential(values / highest)
    top = cell[1] + cell[3] - 0.9 * theme.font
    found: list[Shape] = [
        Text(made.area[0], top, title, theme.font, theme.text),
        Text(
            made.area[0] + made.area[2],
            top,
            translated("to {0} m·s", axes.number(highest)),
            theme.font,
            theme.faint,
            1.0,
        ),
        Picture(rgba, made.area),
    ]
    found += plot.x_axis(made, theme, grid=False) + plot.y_axis(made, theme, grid=False)
    below = made.area[1] - 2.4 * theme.font
    found.append(Text(left + 0.5 * width, below, translated(AXES), 0.9 * theme.font, theme.faint, 0.5))
    for position, velocity in valley.marks:
        x, y = float(made.x(position)), float(made.y(velocity))
        if made.at(x, y) is not None:
            found += [shapes.disc(x, y, 4.0 * s, BLACK), shapes.disc(x, y, 3.0 * s, WHITE)]
    return found
