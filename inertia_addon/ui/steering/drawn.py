# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws what is steered now in the 3D Views, for as long as that goes on."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ..overlay import drawing
from ..overlay.theme import from_context
from . import live, pressed, stick

_handles: list[Any] = []


def start() -> None:
    """Draw from now on."""
    stop()
    space = bpy.types.SpaceView3D
    for function, moment in ((_draw_world, "POST_VIEW"), (_draw_pixels, "POST_PIXEL")):
        _handles.append(space.draw_handler_add(function, (), "WINDOW", moment))


def stop() -> None:
    """Draw no more."""
    while _handles:
        bpy.types.SpaceView3D.draw_handler_remove(_handles.pop(), "WINDOW")


def _draw_world() -> None:
    own = live.running()
    if own is not None:
        _draw(stick.world(own, from_context(bpy.context)))


def _draw_pixels() -> None:
    own, context = live.running(), bpy.context
    if own is None:
        return
    theme = from_context(context)
    found = stick.pixels(own, context, theme)
    if context.area == own.area:
        region, axes = main(own.area), axes_of(own.area)
        x, y = own.mouse or (region.x + region.width // 5, region.y + region.height // 5)
        wish = np.array([own.session.wished.x, own.session.wished.y]) / max(own.hand.run, 1e-9)
        right, up = (float(wish @ pressed.on_ground(lean, axes)) for lean in ((1.0, 0.0), (0.0, 1.0)))
        found += stick.stick((x - region.x, y - region.y), (right, up), theme)
    _draw(found)


def _draw(found: Any) -> None:
    drawing.draw(found)
    drawing.release(found)


def main(area: Any) -> Any:
    """The region of an area that shows the world."""
    return next(region for region in area.regions if region.type == "WINDOW")


def axes_of(area: Any) -> Any:
    """The axes (3, 3) of a 3D View, to the right, up and towards the eye, as columns."""
    return np.array(area.spaces.active.region_3d.view_matrix.to_3x3()).T
