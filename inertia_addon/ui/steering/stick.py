# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn while a character is steered: its way and what lies ahead of it, in the world, and the stick
at the mouse that shows what is wished."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...blender.data import scene
from ...motion.arrays import Array
from ...plots import shapes
from ...plots.shapes import Shape
from ...plots.theme import Theme
from ..overlay import in_view
from .live import GONE_SECONDS, Live

STICK, KNOB, MARK = 34.0, 7.0, 5.0
"""The radii of the stick, of its knob and of marks on the ground, pixels at a scale of 1."""
AHEAD_SECONDS = np.linspace(0.0, 1.0, 13)
MARKED = (4, 8, 12)
"""Thirds of a second, of these."""


def _points(live: Live, ground: Array) -> Array:
    """Points (n, 3) of the world, on the ground."""
    units = ground / scene.metres_per_unit()
    return np.column_stack([units, np.full(len(units), live.height)])


def _ahead(live: Live) -> Array:
    """Where the point will be (n, 2) within a second, metres, if nothing else is wished."""
    session = live.session
    return session.led.lead.gone(session.now.point, AHEAD_SECONDS)[0]


def world(live: Live, theme: Theme) -> list[Shape]:
    """The way that was gone, that of the point, and where it will go."""
    session = live.session
    moments = session.moments[-round(GONE_SECONDS * session.led.lead.fps) :: 2]
    found: list[Shape] = []
    for ground, colour, width in (
        (np.array([one.point.place for one in moments]), theme.faint, 1.5),
        (np.array([one.ground for one in moments]), theme.result, 3.0),
        (_ahead(live), theme.way, 3.0),
    ):
        points = _points(live, ground)
        found.append(shapes.line(points, in_view.EDGE, (width + 2.0) * theme.scale))
        found.append(shapes.line(points, colour, width * theme.scale))
    return found


def pixels(live: Live, context: Any, theme: Theme) -> list[Shape]:
    """The point, the character and thirds of a second ahead; and which clip plays."""
    session, s = live.session, theme.scale
    now = session.now
    ahead = _ahead(live)[list(MARKED)]
    ground = np.concatenate([now.point.place[None], now.ground[None], ahead])
    at, before = in_view.seen(context, _points(live, ground))
    colours = (theme.faint, theme.result, theme.way, theme.way, theme.way)
    found: list[Shape] = []
    for (x, y), is_seen, colour in zip(at.tolist(), before.tolist(), colours, strict=True):
        if is_seen:
            found += in_view.dot(x, y, MARK * s, colour, theme)
    if before[1]:
        x, y = at[1].tolist()
        text = live.begun.plays(now)
        found += in_view.label(f"{text}  {session.seconds:.1f} s", x, y - 24.0 * s, theme)
    return found


def stick(place: tuple[float, float], lean: tuple[float, float], theme: Theme) -> list[Shape]:
    """The stick at a place. lean: where its knob is, of a circle of radius 1, to the right and up."""
    s, (x, y), (right, up) = theme.scale, place, lean
    angle = np.linspace(0.0, 2.0 * np.pi, 33)
    rim = np.column_stack([x + STICK * s * np.cos(angle), y + STICK * s * np.sin(angle)])
    size = max(math.hypot(right, up), 1.0)
    knob = x + STICK * s * right / size, y + STICK * s * up / size
    return [
        shapes.line(rim, in_view.EDGE, 4.0 * s),
        shapes.line(rim, theme.text, 1.5 * s),
        shapes.line([place, knob], theme.way, 3.0 * s),
        *in_view.dot(*knob, KNOB * s, theme.way, theme),
    ]
