# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences broken into the lines that fit a panel, as Blender's labels don't wrap."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import blf

CLOSING = "\u201d\u3001\u3002\u300b\u300d\uff01\uff09\uff0c\uff1a\uff1b\uff1f"
WITH_UNIT = r"(?:[^\s\u2e80-\uffef]*\d\s(?=(?:%|[cm]?m|s)(?!\w)))?"
PIECES = rf"(\s*)([\u2e80-\uffef][{CLOSING}]*|{WITH_UNIT}[^\s\u2e80-\uffef]+[{CLOSING}]*)"
"""The blank before a piece, and the piece: a word, a number with its unit, or a letter of East Asia, with the
marks that close it. A text: to compile it takes 10 ms, which only who reads a panel should wait for."""
FONT = 0
MARGIN = 62.0
"""What a panel keeps free at its sides, the category tabs included, at a UI scale of 1; pixels."""
ICON = 20.0
"""The width of an icon before a label, likewise."""
PADDING = 8.0
"""What a label without one keeps free, likewise."""


def wrap(text: str, width: float, measure: Callable[[str], float]) -> list[str]:
    """Break a text at its blanks into lines no wider than ``width``; a longer word stands alone.

    Chinese and Japanese are written without blanks: there it may break after every letter, though not
    before a closing mark.

    measure: the width of a line, in the unit of ``width``.
    """
    lines: list[str] = []
    for blank, piece in re.findall(PIECES, text.strip()):
        if lines and measure(f"{lines[-1]}{blank and ' '}{piece}") <= width:
            lines[-1] += f"{blank and ' '}{piece}"
        else:
            lines.append(piece)
    return lines


def wrap_for(context: Any, text: str, part: float = 1.0, icon: bool = True) -> list[str]:
    """Break a text for a part of the width of the region that is drawn now."""
    return wrap(text, room_for(context, part, ICON if icon else PADDING), measure_for(context))


def room_for(context: Any, part: float, beside: float = PADDING) -> float:
    """What a text may take of a part of the width of the region that is drawn now, pixels.

    beside: what is kept free, or taken by an icon; pixels at a UI scale of 1.
    """
    scale = float(context.preferences.system.ui_scale)
    return float((context.region.width - MARGIN * scale) * part - beside * scale)


def measure_for(context: Any) -> Callable[[str], float]:
    """The width in pixels of a label's text."""
    points = context.preferences.ui_styles[0].widget.points
    blf.size(FONT, points * context.preferences.system.ui_scale)

    def measure(text: str) -> float:
        return float(blf.dimensions(FONT, text)[0])

    return measure
