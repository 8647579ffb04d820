# SPDX-License-Identifier: GPL-3.0-or-later
"""Charts in one call: a heat map and a line chart as pixels.

:class:`HeatMap` and :class:`LineChart` say what each option is; make one of those where it is to be known
where in the pixels a number is. :func:`.png.encode` makes a file's bytes of the pixels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

from .axes import Range
from .canvas import Pixels
from .heat_map import HeatMap
from .line_chart import LineChart, Series

__all__ = ["HeatMap", "LineChart", "Series", "heat_map", "line_chart"]


def heat_map(values: ArrayLike, x_range: Range, y_range: Range, **options: Any) -> Pixels:
    """Pixels (height, width, 3) of numbers (rows, columns) as colours, row 0 at the bottom.

    x_range, y_range: the numbers of the first and last column, and of the first and last row.
    options: of :class:`HeatMap`: title, x_label, y_label, unit, marks, current, note and more.
    """
    return HeatMap(values, x_range, y_range, **options).draw()


def line_chart(series: Sequence[Series], **options: Any) -> Pixels:
    """Pixels (height, width, 3) of lines, each of a label, x, y and a colour or None.

    options: of :class:`LineChart`: title, x_label, y_label, marks, current, note and more.
    """
    return LineChart(series, **options).draw()
