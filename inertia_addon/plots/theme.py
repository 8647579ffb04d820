# SPDX-License-Identifier: GPL-3.0-or-later
"""Colours and sizes of plots, which can be read and seen on what they lie over."""

from __future__ import annotations

import dataclasses
import functools

from ..records import record
from .shapes import BLACK, WHITE, Colour

TEXT_CONTRAST = 4.5
"""Text is at least so much lighter or darker than what it stands on (WCAG 2)."""
LINE_CONTRAST = 3.0
"""Likewise lines that have something to say."""
WORLD_CONTRAST = 2.0
"""Likewise trajectories, which hang before anything."""
PANEL_ALPHA = 0.88
"""Of panels, so that a trace of what they lie over stays in sight."""


@record(frozen=True)
class Theme:
    """Colours for plots that lie on panels, and for what lies in the world.

    source, destination, way, cut: of trajectories, the result's being ``way``. scale: of everything; font:
    size of text, pixels; title: that of titles, as a part of it.
    """

    panel: Colour
    text: Colour
    faint: Colour
    grid: Colour
    curve: Colour
    current: Colour
    minimum: Colour
    result: Colour
    source: Colour
    destination: Colour
    way: Colour
    cut: Colour
    scale: float
    font: float
    title: float = 1.0


def luminance(colour: Colour) -> float:
    """Return the relative luminance, 0 to 1, of an sRGB colour (WCAG 2)."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour[:3]]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: Colour, b: Colour) -> float:
    """Return how much two colours differ in lightness, 1 to 21 (WCAG 2)."""
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def mixed(a: Colour, b: Colour, fraction: float, alpha: float = 1.0) -> Colour:
    """Return a colour between two. fraction: 0 for the first, 1 for the second."""
    r, g, b_ = (x + (y - x) * fraction for x, y in zip(a[:3], b[:3], strict=True))
    return (r, g, b_, alpha)


def readable(colour: Colour, panel: Colour, least: float) -> Colour:
    """Return a colour, opaque, moved towards white or black as little as gives it a contrast on a panel, in
    steps of 5 %.

    It moves towards the one that differs more from the panel. least: the contrast, 1 to 21 (WCAG 2); where
    even white or black has less, that is returned.
    """
    end = _other_end(panel)
    for step in range(21):
        moved = mixed(colour, end, step / 20.0)
        if contrast(moved, panel) >= least:
            break
    return moved


def _other_end(panel: Colour) -> Colour:
    """Return white or black, whichever differs more from a panel, white if both do alike."""
    return WHITE if contrast(WHITE, panel) > contrast(BLACK, panel) else BLACK


def composite_on_worst(panel: Colour) -> Colour:
    """Return a panel over what makes reading on it hardest: white behind a dark one, black behind a light
    one.
    """
    return mixed(panel, _other_end(panel), 1.0 - PANEL_ALPHA)


ON_PANELS = ("curve", "current", "minimum", "result")
IN_WORLD = {"source": "source", "destination": "destination", "way": "way", "cut": "current"}


@functools.lru_cache(maxsize=3)
def make(panel: Colour, world: Colour, text: Colour, scale: float, points: float, **accents: Colour) -> Theme:
    """Return a theme for panels of a colour, in a world of another; the last three that were asked for are
    kept, as contrasts take a while.

    text: the wanted colour of text. scale: of everything. points: the size of text at a scale of 1. accents:
    colours of curve, current, minimum and result on panels, and of source, destination and way in the world,
    all needed; the world's cut has that of current.

    Texts and lines, but not the grid, are moved towards white or black until their contrast suffices: against
    the panel over its worst background, or against the world for what is drawn there. Faint text is the text
    mixed with 40 % of the panel, then made readable; the grid is the panel mixed with 16 % of the text.
    Panels have PANEL_ALPHA, whatever alpha `panel` has. Raise KeyError for an accent that is missing.
    """
    behind = composite_on_worst(panel)
    lines = {name: readable(accents[name], behind, LINE_CONTRAST) for name in ON_PANELS}
    lines |= {name: readable(accents[accent], world, WORLD_CONTRAST) for name, accent in IN_WORLD.items()}
    text = readable(text, behind, TEXT_CONTRAST)
    return Theme(
        panel=(*panel[:3], PANEL_ALPHA),
        text=text,
        faint=readable(mixed(text, panel, 0.4), behind, TEXT_CONTRAST),
        grid=mixed(panel, text, 0.16),
        scale=scale,
        font=points * scale,
        title=1.0,
        **lines,
    )


_ORANGE: Colour = (0.839, 0.471, 0.039, 1.0)
PAPER = dataclasses.replace(
    make(
        panel=WHITE,
        world=WHITE,
        text=(0.13, 0.145, 0.165, 1.0),
        scale=1.0,
        points=12.0,
        curve=(0.094, 0.373, 0.647, 1.0),
        current=(0.839, 0.243, 0.125, 1.0),
        source=(0.286, 0.314, 0.341, 1.0),
        destination=(0.431, 0.447, 0.471, 1.0),
        minimum=_ORANGE,
        result=_ORANGE,
        way=_ORANGE,
    ),
    panel=WHITE,
    title=1.2,
)
"""Of pictures that go into files."""
