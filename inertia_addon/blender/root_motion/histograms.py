# SPDX-License-Identifier: GPL-3.0-or-later
"""Histograms of root motion as charts, as values for files, and as tables."""

from __future__ import annotations

import csv
import io
from typing import Any

from ...motion.root_motion.histogram import Histogram, Histograms
from ...plots import plot
from ...plots.chart import sheet
from ...plots.line_chart import Bars
from ...plots.plot import Dot
from ...plots.shapes import Colour, Drawing

CUT_OFF = 1.6
"""Where standing still takes more than so many times what any speed does, its bar is cut off."""
ROOM_ABOVE = 1.35
"""The axis goes on for so many times the highest bar, for the numbers above bars."""
SIZE = (420, 260)
"""Of one chart, pixels."""

UNITS = {"speed": "m/s", "acceleration": "m/s²", "turn_rate": "degrees/s"}
"""What is counted, and in which unit."""
COLUMNS = ("counted", "from", "to", "seconds")
"""Of the table: a row for each bin."""


def by_name(counted: Histograms) -> dict[str, Histogram]:
    """Return the histograms by the names of UNITS."""
    return dict(zip(UNITS, (counted.speeds, counted.accelerations, counted.turns), strict=True))


def draw(counted: Histograms) -> Drawing:
    """Draw all histograms beside each other."""
    charts = []
    for name, histogram in by_name(counted).items():
        title = f"{name.replace('_', ' ').capitalize()}, {UNITS[name]}"
        chart = bars(histogram, title, f"s per {plot.number(float(histogram.edges[1]))} {UNITS[name]}")
        charts.append(chart)
    return sheet(charts, len(charts))


def bars(histogram: Histogram, title: str, aside: str, colour: Colour | None = None) -> Bars:
    """Return the chart of a histogram: seconds of motion for each bin, with its most frequent values marked.

    The axis ends at 1.35 times :func:`highest_bar`. Of a root that rests, whose first bar is more than 1.6
    times as high as any other, the highest of the others counts. A first bar above the end is cut off there,
    and the first of ``dots`` says how many seconds it has. The others mark the histogram's ``tops``, in
    order, each at its value with that number as text, as high as the highest of the bars around, but not
    above 0.8 of the axis.

    aside: at the right of the title. colour: of the marks, None for the theme's own.
    """
    seconds, bin_width = histogram.seconds, float(histogram.edges[1])
    top = ROOM_ABOVE * highest_bar(histogram)
    dots = []
    if seconds[0] > top:
        # what the bar is cut off at
        dots.append(Dot(bin_width, top, f"{plot.number(float(seconds[0]))} s", radius=0.0))
    for number in histogram.tops:
        i = min(int(number / bin_width), len(seconds) - 1)
        highest = float(seconds[max(i - 1, 0) : i + 2].max())
        text = plot.number(number, 3 if number >= 100.0 else 2)
        dots.append(Dot(number, min(highest, 0.8 * top), text, colour, 2.6))
    return Bars(
        title=title, aside=aside, edges=histogram.edges, heights=seconds, top=top, dots=dots, size=SIZE
    )


def highest_bar(histogram: Histogram) -> float:
    """Return the height up to which bars are shown, in seconds: that of the highest bar; of a root that
    rests, that of the highest but the first.

    A root rests if the first bar is more than 1.6 times as high as any other, and one of these is above 0.
    1.0 where all bars are 0. The histogram has at least one bin.
    """
    seconds = histogram.seconds
    others = float(seconds[1:].max(initial=0.0))
    highest = float(seconds.max(initial=0.0))
    return others if 0.0 < CUT_OFF * others < float(seconds[0]) else highest or 1.0


def values(counted: Histograms) -> dict[str, Any]:
    """Return all histograms as JSON values: "actions" and "seconds" of all, then by the names of UNITS each
    histogram's unit, edges, seconds (of each bin) and most_frequent.
    """
    return {
        "actions": counted.actions,
        "seconds": counted.seconds,
        **{
            name: {
                "unit": UNITS[name],
                "edges": [round(edge, 9) for edge in histogram.edges.tolist()],
                "seconds": [round(each, 9) for each in histogram.seconds.tolist()],
                "most_frequent": list(histogram.tops),
            }
            for name, histogram in by_name(counted).items()
        },
    }


def as_csv(counted: Histograms) -> str:
    """Return all histograms as comma-separated values: the heading "counted,from,to,seconds", then a row for
    each bin, of the "speed" (m/s), the "acceleration" (m/s2), then the "turn_rate" (degrees a second), by
    these names in the first column.

    "from" and "to" are the bin's edges. Numbers have at most six significant digits. Each line, the last one
    too, ends with a line feed.
    """
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    for name, histogram in by_name(counted).items():
        for low, high, seconds in zip(
            histogram.edges[:-1], histogram.edges[1:], histogram.seconds, strict=True
        ):
            table.writerow([name, f"{low:.6g}", f"{high:.6g}", f"{seconds:.6g}"])
    return text.getvalue()
