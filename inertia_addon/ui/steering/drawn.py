# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws what is steered now in the 3D Views: its way and what lies ahead of it, in the world, and the stick
at the mouse that shows what is wished."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np

from ...blender.data import scene
from ...plots import shapes
from ..overlay import drawing, in_view
from ..overlay.layout import theme_of
from . import live, pressed
from .live import GONE_SECONDS, Live

if TYPE_CHECKING:
    from ...motion.arrays import Array
    from ...plots.shapes import Shape
    from ...plots.theme import Theme

_handles: list[Any] = []


def start() -> None:
    """Draw the take that is steered, in all 3D Views, from now on until :func:`stop`; callbacks that an
    earlier start has added are removed first.
    """
    stop()
    space = bpy.types.SpaceView3D
    for function, moment in ((_draw_world, "POST_VIEW"), (_draw_pixels, "POST_PIXEL")):
        _handles.append(space.draw_handler_add(function, (), "WINDOW", moment))


def stop() -> None:
    """Draw no more."""
    while _handles:
        bpy.types.SpaceView3D.draw_handler_remove(_handles.pop(), "WINDOW")


def _draw_world() -> None:
    """Draw, in the world of a 3D View, on the ground at the take's height, three lines, each on a wider edge:
    the ways of the point and of the character in the last GONE_SECONDS, by every second moment, and the
    point's way ahead within a second; a draw callback.

    Nothing while nothing is steered.
    """
    take = live.find_running()
    if take is None:
        return
    session, theme = take.session, theme_of(bpy.context)
    moments = session.moments[-round(GONE_SECONDS * session.led.lead.fps) :: 2]
    drawn: list[Shape] = []
    for ground, colour, width in (
        (np.array([moment.point.place for moment in moments]), theme.faint, 1.5),
        (np.array([moment.ground for moment in moments]), theme.result, 3.0),
        (_ahead(take), theme.way, 3.0),
    ):
        points = _points(take, ground)
        drawn.append(shapes.line(points, in_view.EDGE, (width + 2.0) * theme.scale))
        drawn.append(shapes.line(points, colour, width * theme.scale))
    _draw(drawn)


def _draw_pixels() -> None:
    take, context = live.find_running(), bpy.context
    if take is None:
        return
    theme = theme_of(context)
    drawn = mark_shapes(take, context, theme)
    if context.area == take.area:
        region, axes = main(take.area), axes_of(take.area)
        x, y = take.mouse or (region.x + region.width // 5, region.y + region.height // 5)
        wish = np.array([take.session.wished.x, take.session.wished.y]) / max(take.longest, 1e-9)
        right, up = (float(wish @ pressed.on_ground(lean, axes)) for lean in ((1.0, 0.0), (0.0, 1.0)))
        drawn += stick_shapes((x - region.x, y - region.y), (right, up), theme)
    _draw(drawn)


def _draw(drawn: Any) -> None:
    drawing.draw(drawn)
    drawing.release(drawn)


def main(area: Any) -> Any:
    """Return the region of an area that shows the world."""
    return next(region for region in area.regions if region.type == "WINDOW")


def axes_of(area: Any) -> Any:
    """Return the axes (3, 3) of a 3D View, to the right, up and towards the eye, as columns."""
    return np.array(area.spaces.active.region_3d.view_matrix.to_3x3()).T


STICK, KNOB, MARK = 34.0, 7.0, 5.0
"""The radii of the stick, of its knob and of marks on the ground, pixels at a scale of 1."""
AHEAD_SECONDS = np.linspace(0.0, 1.0, 13)
MARKED = (4, 8, 12)
"""Thirds of a second, of these."""


def _points(live: Live, ground: Array) -> Array:
    """Lift points of the ground (n, 2), metres, to points (n, 3) of the world, in its units, at the
    take's height.
    """
    units = ground / scene.metres_per_unit()
    return np.column_stack([units, np.full(len(units), live.height)])


def _ahead(live: Live) -> Array:
    """Return where the point will be (n, 2) within a second, metres, if nothing else is wished."""
    session = live.session
    return session.led.lead.gone(session.now.point, AHEAD_SECONDS)[0]


def mark_shapes(live: Live, context: Any, theme: Theme) -> list[Shape]:
    """Return shapes in pixels for what is steered.

    These are marks on the ground, at the take's height, of the point, the character, and where the point will
    be a third, two thirds and one second ahead if nothing else is wished; and below the character a label
    with what plays and the take's seconds. Marks behind the eye are left out, and the label with the
    character's.
    """
    session, s = live.session, theme.scale
    now = session.now
    ahead = _ahead(live)[list(MARKED)]
    ground = np.concatenate([now.point.place[None], now.ground[None], ahead])
    at, before = in_view.project(context, _points(live, ground))
    colours = (theme.faint, theme.result, theme.way, theme.way, theme.way)
    drawn: list[Shape] = []
    for (x, y), is_seen, colour in zip(at.tolist(), before.tolist(), colours, strict=True):
        if is_seen:
            drawn += in_view.dot(x, y, MARK * s, colour, theme)
    if before[1]:
        x, y = at[1].tolist()
        text = live.begun.plays(now)
        drawn += in_view.label(f"{text}  {session.seconds:.1f} s", x, y - 24.0 * s, theme)
    return drawn


def stick_shapes(centre: tuple[float, float], lean: tuple[float, float], theme: Theme) -> list[Shape]:
    """Return the shapes of the stick, those behind first: the circle's edge and the circle, as closed lines
    of radius STICK (times the scale); a line from the centre to the knob; and the knob, a disc on a wider one
    that is its edge.

    centre: (x, y) of the circle, pixels in the region. lean: where the knob is, (to the right, up), in radii
    of the circle; one longer than 1 is cut to the circle.
    """
    s, (x, y), (right, up) = theme.scale, centre, lean
    angle = np.linspace(0.0, 2.0 * np.pi, 33)
    rim = np.column_stack([x + STICK * s * np.cos(angle), y + STICK * s * np.sin(angle)])
    size = max(math.hypot(right, up), 1.0)
    knob = x + STICK * s * right / size, y + STICK * s * up / size
    return [
        shapes.line(rim, in_view.EDGE, 4.0 * s),
        shapes.line(rim, theme.text, 1.5 * s),
        shapes.line([centre, knob], theme.way, 3.0 * s),
        *in_view.dot(*knob, KNOB * s, theme.way, theme),
    ]
