# SPDX-License-Identifier: GPL-3.0-or-later
"""Text as pixels, in a small proportional font of its own (see glyphs.py)."""

from __future__ import annotations

import unicodedata
from functools import cache

import numpy as np
from numpy.typing import NDArray

from . import glyphs

Mask = NDArray[np.bool_]

LINE_HEIGHT = 16
"""From one line of text to the next, pixels at scale 1."""

CAP_HEIGHT = glyphs.BASELINE
"""Height of capitals and digits, pixels at scale 1."""

HEIGHT = glyphs.ROWS
"""Height of a line's own pixels, with what hangs below it, at scale 1."""

_GAP = 2
_SPACE = 2


@cache
def _drawn() -> dict[str, Mask]:
    """The glyphs (12 rows, width) by character."""
    found = {" ": np.zeros((glyphs.ROWS, _SPACE), bool)}
    for block in glyphs.DRAWING.strip("\n").split("\n\n"):
        header, *rows = (line.split() for line in block.splitlines())
        for name, *drawing in zip(header, *rows, strict=True):
            found[glyphs.NAMES.get(name, name)] = np.array([[dot == "#" for dot in row] for row in drawing])
    return found


def _glyph(character: str) -> Mask:
    """A character's glyph; for one that is not drawn that of its base letter, or else a box."""
    drawn = _drawn()
    if character in drawn:
        return drawn[character]
    base = unicodedata.normalize("NFKD", character)[:1]
    return drawn.get(base, drawn[glyphs.NAMES["box"]])


def mask(text: str, scale: int = 1, bold: bool = False) -> Mask:
    """One line of text (12 scale rows, width): where there is ink.

    scale: a whole number of pixels for each dot. bold: every stroke one dot wider.
    """
    gap = np.zeros((glyphs.ROWS, _GAP), bool)
    parts = [gap[:, :0]]
    for character in unicodedata.normalize("NFC", text):
        glyph = _glyph(character)
        if bold:
            glyph = np.pad(glyph, ((0, 0), (0, 1)))
            glyph = glyph | np.roll(glyph, 1, axis=1)
        parts += [glyph, gap]
    dots = np.concatenate(parts[:-1] if len(parts) > 1 else parts, axis=1)
    return dots.repeat(scale, axis=0).repeat(scale, axis=1)


def measure(text: str, scale: int = 1, bold: bool = False) -> tuple[int, int]:
    """Width and height of a line of text, pixels."""
    height, width = mask(text, scale, bold).shape
    return width, height


def wrap(text: str, width: int, scale: int = 1, bold: bool = False) -> list[str]:
    """The lines of a text, broken between words so that none is wider than ``width`` pixels.

    A word that is wider than that has a line of its own. Lines that the text has are kept.
    """
    lines = []
    for paragraph in text.splitlines():
        line = ""
        for word in paragraph.split():
            longer = f"{line} {word}".strip()
            if line and measure(longer, scale, bold)[0] > width:
                lines.append(line)
                longer = word
            line = longer
        lines.append(line)
    return lines
