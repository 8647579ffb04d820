# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows what a transition costs, over the difference in position and in velocity at the cut.

    python examples/cost/make_pictures.py [-o FOLDER]

Writes a sheet for each way in which an offset decays, and one that compares the cost with a plain weighted
sum; prints sample values beside those of a numerical integration. Needs numpy only. After D. Holden,
"Inertialization Transition Cost" (2022).
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from inertia_addon.motion.decay import decay
from inertia_addon.motion.decay.decay import Method, displacement, feature_weights
from inertia_addon.plots import svg
from inertia_addon.plots.chart import Chart, sheet
from inertia_addon.plots.heat_map import HeatMap
from inertia_addon.plots.line_chart import ChartSeries, LineChart

Array = NDArray[np.float64]

X_RANGE = (-0.5, 0.5)
V_RANGE = (-5.0, 5.0)
X_LABEL, V_LABEL = "difference in position, m", "difference in velocity, m/s"
SIDE = 321
"""Samples along each axis, and pixels."""

SPEED_WEIGHT = 0.5
"""Seconds; what the article scales velocities by in the plain sum that it compares with."""


@dataclasses.dataclass(frozen=True)
class Curve:
    """A way in which an offset decays.

    crosses_below: the ``v T / x`` below which it crosses zero on its way. differs_below: that below which
    its area is no longer the features'; with a start that depends on the offset this is earlier.
    """

    name: str
    file: str
    method: Method
    seconds: float
    crosses_below: float
    differs_below: float

    @property
    def title(self) -> str:
        """Its name with its time."""
        kind = "half-life" if self.method is Method.SPRING else "blend time"
        return f"{self.name}, {kind} {self.seconds:g} s"

    @property
    def valley(self) -> float:
        """w of the line ``x = -v w`` on which the signed area is zero, seconds."""
        x_weight, v_weight = feature_weights(self.method, self.seconds)
        return v_weight / x_weight

    @property
    def samples(self) -> dict[str, tuple[float, float]]:
        """Offsets (m, m/s) to look at: at rest, growing, in the valley, and two that cross zero."""
        return {
            "a": (0.3, 0.0),
            "b": (0.3, 2.0),
            "c": (round(3.0 * self.valley, 3), -3.0),
            "d": (0.04, -4.0),
            "e": (-0.02, 2.0),
        }


CURVES = (
    Curve("Spring", "spring", Method.SPRING, 0.15, -2.0 * math.log(2.0), -2.0 * math.log(2.0)),
    Curve("Cubic", "cubic", Method.CUBIC, 0.4, -3.0, -3.0),
    Curve("Quintic", "quintic", Method.SMOOTH, 0.4, -5.0, -2.5),
    Curve("Quintic, zero jerk", "quintic_zero_jerk", Method.ZERO_JERK, 0.4, -5.0, -5.0),
)


def grid() -> tuple[Array, Array]:
    """Differences in position (1, columns) and in velocity (rows, 1) of the maps."""
    return np.linspace(*X_RANGE, SIDE)[None, :], np.linspace(*V_RANGE, SIDE)[:, None]


def exact(curve: Curve, x: Array, v: Array) -> Array:
    """The cost: the area between the offset and zero, metre seconds."""
    return displacement(curve.method, x, v, curve.seconds)


def approximate(curve: Curve, x: Array, v: Array) -> Array:
    """The size of the signed area, which a difference of two clips' features gives, metre seconds."""
    x_weight, v_weight = feature_weights(curve.method, curve.seconds)
    return np.abs(x_weight * x + v_weight * v)


def integrated(curve: Curve, x: float, v: float) -> float:
    """The cost by numerical integration: Gauss-Legendre panels on either side of where the curve crosses."""
    decaying = decay.make(curve.method, [x], [v], curve.seconds)
    end = curve.seconds * (40.0 if curve.method is Method.SPRING else 1.0)

    def offset(t: Array) -> Array:
        return decay.evaluate(decaying, [x], [v], t)[..., 0]

    times = np.linspace(0.0, end, 20_001)
    positive = offset(times) > 0.0
    edges = [0.0]
    # the last sample is where the curve ends, at zero or next to it
    for i in np.flatnonzero(positive[1:-1] != positive[:-2]):
        low, high = times[i], times[i + 1]
        for _ in range(60):
            middle = 0.5 * (low + high)
            same = (offset(np.array(middle)) > 0.0) == positive[i]
            low, high = (middle, high) if same else (low, middle)
        edges.append(high)
    nodes, weights = np.polynomial.legendre.leggauss(16)
    total = 0.0
    for start, stop in zip(edges, [*edges[1:], end], strict=True):
        panels = np.linspace(start, stop, 401)
        half = 0.5 * np.diff(panels)[:, None]
        total += float(np.sum(half * weights * np.abs(offset(panels[:-1, None] + half * (1.0 + nodes)))))
    return total


def maps(curve: Curve) -> list[HeatMap]:
    """The cost, its approximation on the same colours, and what that lacks."""
    x, v = grid()
    costs, near = exact(curve, x, v), approximate(curve, x, v)
    # never negative but for rounding
    left_out = np.maximum(costs - near, 0.0)
    top = float(np.percentile(costs, 98.0))
    slopes = sorted({curve.seconds / below for below in (curve.crosses_below, curve.differs_below)})
    where = "Between the lines the offset crosses zero."
    if len(slopes) > 1:
        where = "From the upright line to the next it crosses zero, and up to the last it is kept from that."
    shared = {"x_label": X_LABEL, "y_label": V_LABEL, "aside": "m\u00b7s", "size": (SIDE, SIDE)}
    return [
        HeatMap(
            values=costs,
            x_range=X_RANGE,
            y_range=V_RANGE,
            title=curve.title,
            marks=[(*place, label) for label, place in curve.samples.items()],
            span=(0.0, top),
            note="The cost: the area between the offset and zero.",
            **shared,
        ).explained(),
        HeatMap(
            values=near,
            x_range=X_RANGE,
            y_range=V_RANGE,
            title="The same by features",
            span=(0.0, top),
            note=f"The size of the signed area; zero on x = \u2013v \u00b7 {curve.valley:.3g} s.",
            **shared,
        ).explained(),
        HeatMap(
            values=left_out,
            x_range=X_RANGE,
            y_range=V_RANGE,
            title="What the features leave out",
            lines=[((slope * V_RANGE[0], slope * V_RANGE[1]), V_RANGE) for slope in (0.0, *slopes)],
            span=(0.0, float(left_out.max())),
            note=where,
            **shared,
        ).explained(),
    ]


def offsets(curve: Curve) -> LineChart:
    """The sample offsets over time."""
    end = curve.seconds * (4.0 if curve.method is Method.SPRING else 1.0)
    t = np.linspace(0.0, end, 241)
    series = []
    for label, (x, v) in curve.samples.items():
        decaying = decay.make(curve.method, [x], [v], curve.seconds)
        series.append(ChartSeries(label, t, decay.evaluate(decaying, [x], [v], t)[:, 0]))
    return LineChart(
        series=series,
        title="The offsets that are marked in the cost",
        x_label="seconds after the cut",
        y_label="offset, m",
        y_range=(-0.3, 0.45),
        size=(SIDE + 20, SIDE - 20),
    )


def panels(curve: Curve) -> list[Chart]:
    """The four charts of a sheet, row by row."""
    return [*maps(curve), offsets(curve)]


def comparison() -> list[HeatMap]:
    """The spring's cost beside a plain weighted sum of differences."""
    x, v = grid()
    plain = HeatMap(
        values=np.abs(x) + SPEED_WEIGHT * np.abs(v),
        x_range=X_RANGE,
        y_range=V_RANGE,
        title="Plain sum: no valley",
        x_label=X_LABEL,
        y_label=V_LABEL,
        aside="m",
        note=f"|x| + {SPEED_WEIGHT:g} s \u00b7 |v|",
        size=(SIDE, SIDE),
    ).explained()
    return [maps(CURVES[0])[0], plain]


def sheets() -> dict[str, list[Chart]]:
    """The charts of all pictures by the names of their files."""
    return {"plain_sum": list(comparison()), **{curve.file: panels(curve) for curve in CURVES}}


def print_samples() -> None:
    """Print the sample values of all curves: closed form, integration, features."""
    print(
        f"{'':22}{'x':>8}{'v':>7}{'cost':>12}{'integrated':>12}{'apart':>9}{'features':>12}{'left out':>10}"
    )
    for curve in CURVES:
        print(curve.title)
        for label, (x, v) in curve.samples.items():
            cost, near = float(exact(curve, x, v)), float(approximate(curve, x, v))
            sure = integrated(curve, x, v)
            print(
                f"{label:>20}  {x:8.3f}{v:7.2f}{cost:12.8f}{sure:12.8f}{abs(cost - sure):9.0e}{near:12.8f}"
                f"{max(cost - near, 0.0):10.6f}"
            )
        x = np.linspace(*X_RANGE, 100_001)
        lowest = x[np.argmin(exact(curve, x, np.float64(-1.0)))]
        edge = abs(curve.seconds / curve.crosses_below)
        print(f"{'':22}valley: features zero on x = -v * {curve.valley:.4f} s, cost lowest on {lowest:.4f} s")
        print(f"{'':22}crosses zero from x = 0 to x = -v * {edge:.4f} s")


def main() -> None:
    """Print the samples and write the pictures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument(
        "-o", "--output", type=Path, default=Path(__file__).parent, help="folder (default: the script's own)"
    )
    folder: Path = parser.parse_args().output
    print_samples()
    folder.mkdir(parents=True, exist_ok=True)
    for name, charts in sheets().items():
        path = folder / f"{name}.svg"
        drawing = sheet(charts, 2)
        path.write_bytes(svg.encode(drawing))
        print(f"{path}: {drawing.width} x {drawing.height}, {path.stat().st_size / 1024:.0f} kB")


if __name__ == "__main__":
    main()
