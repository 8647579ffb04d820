# SPDX-License-Identifier: GPL-3.0-or-later
"""How one bone's offset at the cut decays with each method, and the valley of what offsets cost."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ...blender.cost.sides import view_from_root
from ...motion.decay import decay
from ...motion.decay.decay import Method
from ...plots import plot
from ...plots.heat_map import HeatMap
from ...plots.line_chart import ChartSeries, LineChart
from ...plots.plot import Dot, Range
from ...records import record
from ...settings.methods import METHOD_ITEMS
from ..overlay.layout import PlotSlot
from ..overlay.protocol import OverlayPlot
from ..shared import cache, character, labels
from ..translations import translated
from .costs import PairCosts, costs_of

if TYPE_CHECKING:
    from ...motion.arrays import Array
    from ...plots.chart import Chart
    from ...plots.shapes import Colour, Rect, Shape
    from ...plots.theme import Theme

AXES = "m, upwards m/s"
SAMPLES = 160
"""Points of a curve."""
CELLS = 97
"""Cells of a valley in each direction; odd, so that zero has one."""
SPRING_HALF_LIVES = 5.0
"""How long a spring is shown."""


@record(frozen=True, eq=False)
class DecayCurve:
    """How an offset decays under one method.

    method: the choice's label. seconds, offsets: (n,). crossing: seconds of the zero crossing, None
    without one. area: unsigned, metre seconds. peak: (seconds, offset) furthest from zero.
    chosen: whether it is the settings' own method.
    """

    method: str
    seconds: Array
    offsets: Array
    crossing: float | None
    area: float
    peak: tuple[float, float]
    chosen: bool


@record(frozen=True, eq=False)
class Valley:
    """Cost over the difference in position and in velocity, for the settings' method.

    positions: (n,) metres. velocities: (m,) metres per second. exact, feature: (m, n) displacement
    and its feature approximation, metre seconds. marks: the bone's own (position, velocity), an axis each.
    """

    positions: Array
    velocities: Array
    exact: Array
    feature: Array
    marks: tuple[tuple[float, float], ...]


@record(frozen=True, eq=False)
class Offsets:
    """The offset of one bone's joint at the cut, along the way from destination to source."""

    bone: str
    decays: tuple[DecayCurve, ...]
    valley: Valley


def bone_offsets(armature: Any, costs: PairCosts, bone: str) -> Offsets | None:
    """Return how the offset of a bone's joint at the settings' cut decays under each method, and what offsets
    cost; None if the source's motion has no such bone.

    The offset is where the joint is in the source less where it is in the destination, both seen from the
    root of their clip, in metres. Its rate, metres a second, is the source's velocity, less the destination's
    if the settings' velocity is "RELATIVE". The answer is kept until the clips or the settings that it
    depends on change.
    """
    motion = costs.evaluated.source
    if bone not in motion.names:
        return None
    settings = costs.settings
    key = (
        *(costs.evaluated, bone, costs.cut, costs.destination_frame),
        *(settings.decay, settings.quintic_start, settings.frames(costs.compared.fps), settings.half_life),
        settings.velocity,
    )

    def compute() -> Offsets:
        # the joint's difference in character space: source less destination
        motions, joint = (motion, costs.evaluated.destination), motion.names.index(bone)
        source, destination = view_from_root(costs.evaluated.alignment, motions, [joint])
        left = source.at(costs.cut, costs.compared.fps)
        entered = destination.at(costs.destination_frame, costs.compared.fps)
        x, v = left.positions[0, 0] - entered.positions[0, 0], left.velocities[0, 0].copy()
        if costs.settings.velocity == "RELATIVE":
            v -= entered.velocities[0, 0]
        return Offsets(labels.bone(armature, bone), _decay_curves(costs, x, v), _valley(costs, x, v))

    return cache.answer("offsets", armature, key, compute)


def _along(x: Array, v: Array) -> tuple[float, float]:
    """Return an offset's length and its rate along its own direction; without an offset, 0.0 and the length
    of its rate.

    x: (3,) metres. v: (3,) metres per second.
    """
    size = float(np.linalg.norm(x))
    if size > 0.0:
        return size, float(v @ x) / size
    return 0.0, float(np.linalg.norm(v))


def _decay_curves(costs: PairCosts, x: Array, v: Array) -> tuple[DecayCurve, ...]:
    """Return how an offset decays under each method that has a curve, with the settings' times, in the order
    of the menu; dead blending, which has none, is left out.

    x: (3,) metres. v: (3,) metres per second. The curves are of the offset's length, in metres, with the rate
    along it; a spring is shown for SPRING_HALF_LIVES.
    """
    position, velocity = _along(x, v)
    curves = []
    for name, label, *_ in METHOD_ITEMS:
        settings = dataclasses.replace(costs.settings, method=name)
        method, seconds = settings.decay, settings.seconds(costs.compared.fps)
        if method is None:
            continue
        end = SPRING_HALF_LIVES * seconds if method is Method.SPRING else seconds
        t = np.linspace(0.0, end, SAMPLES)
        curve = decay.make(method, [position], [velocity], seconds)
        offsets = decay.evaluate(curve, [position], [velocity], t)[..., 0]
        crossing = float(decay.crossings(method, position, velocity, seconds)[0])
        peak = decay.peak(method, position, velocity, seconds)
        curves.append(
            DecayCurve(
                label,
                t,
                offsets,
                None if np.isnan(crossing) else crossing,
                float(decay.displacement(method, position, velocity, seconds)),
                (float(peak[0]), float(peak[1])),
                chosen=costs.settings.method == name,
            )
        )
    return tuple(curves)


def _valley(costs: PairCosts, x: Array, v: Array) -> Valley:
    """Return what offsets cost under the settings' method over a grid of CELLS positions by CELLS velocities:
    two maps in metre seconds, the exact one, then the feature approximation.

    Both maps have velocities as rows and positions as columns; both axes are centred on 0 and rise. x, v: the
    bone's offset (3,) in metres, and its rate (3,) in metres a second; each axis, in order x, y, z, becomes a
    mark (position, velocity). A velocity is worth the position that costs as much by the approximation: the
    axes of both reach as far as 1.25 times the greatest worth of any of the six numbers, at least 0.025 m,
    and the velocity's ends are worth the position's. For dead blending, which has no curve, it is the quintic
    that the settings name.
    """
    # dead blending has no curve of an offset: shown is what the quintic would do in its time
    method, seconds = costs.compared.method or Method[costs.settings.quintic_start], costs.compared.seconds
    of_position, of_velocity = decay.feature_weights(method, seconds)
    per_velocity = float(of_velocity / of_position)
    reach = 1.25 * max(float(np.abs(x).max()), float(np.abs(v).max()) * per_velocity, 0.02)
    positions = np.linspace(-reach, reach, CELLS)
    velocities = positions / per_velocity
    grid = np.meshgrid(positions, velocities)
    return Valley(
        positions,
        velocities,
        decay.displacement(method, *grid, seconds),
        np.abs(of_position * grid[0] + of_velocity * grid[1]),
        tuple((float(a), float(b)) for a, b in zip(x, v, strict=True)),
    )


def _decay(curve: DecayCurve, y_range: Range, theme: Theme) -> Chart:
    """Return the chart of one method's decay, metres over seconds, with a dot at its peak and one at its zero
    crossing, if there is one in the time shown.

    The area, metre seconds, stands at the right of the title. The chosen method has the result's colour and a
    wider line. y_range: metres at the plot's lower and upper edge.
    """
    colour: Colour = theme.result if curve.chosen else theme.curve
    at, peak = curve.peak
    dots = [Dot(at, peak, translated("peak {0}", plot.number(peak)), colour, 3.0)]
    if curve.crossing is not None and curve.crossing <= curve.seconds[-1]:
        dots.append(Dot(curve.crossing, 0.0, f"{plot.number(curve.crossing, 2)} s", theme.current, 3.0))
    return LineChart(
        title=translated(curve.method),
        aside=f"{plot.number(curve.area)} m·s",
        series=[ChartSeries("", curve.seconds, curve.offsets, colour, 2.4 if curve.chosen else 1.6)],
        dots=dots,
        x_range=(0.0, float(curve.seconds[-1])),
        y_range=y_range,
    )


def _valleys(valley: Valley) -> Iterator[Chart]:
    """Yield maps of costs over position and velocity: exact, by features, and their difference, with the
    bone's own marked.
    """
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
    slot = PlotSlot.LEFT

    def model(self, armature: Any, switches: Any) -> tuple[Any, str]:
        costs = costs_of(armature)
        bone = character.active_bone(armature)
        if bone is None:
            return None, "Select a bone to see its offset."
        return bone_offsets(armature, costs, bone.name), ""

    def shapes(self, model: Any, content: Offsets, rect: Rect, theme: Theme) -> list[Shape]:
        """Return the shapes of a panel: the title, the decay under each method side by side above, and three
        maps of what offsets cost below: exact, estimated and their difference.

        The decays share one range upwards, and all but the chosen method's have faint texts. model is not
        used.
        """
        left, bottom, width, height = rect
        s = theme.scale
        title, aside = translated("Offset of {0} at the cut", content.bone), translated("metres over seconds")
        drawn = [plot.panel(rect, theme), *plot.heading(rect, theme, title, aside)]
        # each has room of its own around it
        inside = height - plot.ROW * theme.font
        across = width / 3.0
        reach = max(float(np.abs(curve.offsets).max()) for curve in content.decays) or 1.0
        low = min(0.0, min(float(curve.offsets.min()) for curve in content.decays))
        y_range = low - 0.06 * reach, 1.12 * reach
        plain = dataclasses.replace(theme, text=theme.faint)
        for i, curve in enumerate(content.decays):
            cell = (left + i * across, bottom + 0.5 * inside - 2.0 * s, across, 0.5 * inside)
            drawn += _decay(curve, y_range, theme).shapes(cell, theme if curve.chosen else plain)
        for i, chart in enumerate(_valleys(content.valley)):
            drawn += chart.shapes((left + i * across, bottom, across, 0.5 * inside), theme)
        return drawn
