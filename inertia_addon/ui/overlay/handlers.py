# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the overlays while any is switched on, and costs nothing otherwise."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

import bpy
from bpy.app.handlers import persistent

from ...lazy_modules import is_read
from .. import translations
from ..shared import cache
from . import build, drawing, in_view, layout, mouse, protocol, switches

if TYPE_CHECKING:
    from ...plots.shapes import Shape

_handles: list[tuple[Any, Any]] = []
"""The editors that are drawn in, with Blender's handle for each callback."""


_drawn: dict[tuple[int, str], tuple[Hashable, list[Shape]]] = {}
"""For each area and moment what was drawn last: what it depended on, and its shapes."""


def _draw_kept(moment: str, key: Hashable, make: Callable[[], list[Shape]]) -> None:
    """Draw the shapes that were made before in the same area for the same moment if the key is equal; else
    release those, make and keep new ones, and draw these.

    moment: which callback draws, such as "pixels", "world" or "time". key: changes with all that the shapes
    depend on. make: is only called for new shapes.
    """
    place = (bpy.context.area.as_pointer(), moment)
    kept = _drawn.get(place)
    if kept is None or kept[0] != key:
        if kept is not None:
            drawing.release(kept[1])
        kept = _drawn[place] = (key, make())
    drawing.draw(kept[1])


def _draw_once(shapes: list[Shape]) -> None:
    """Draw what is another one at each redraw."""
    drawing.draw(shapes)
    drawing.release(shapes)


def draw_view3d() -> None:
    """Draw the plots over the 3D View in use, over them what changes with each redraw, and the frame around a
    panel under the mouse.

    It is a draw callback after the world, in pixels of the region; what lies in the world is drawn by
    :func:`draw_world`. Nothing is drawn where no overlay is on, overlays are hidden in the view, or no active
    armature has any. Panels and note are made anew only if the overlay, the region, the theme or Blender's
    language has changed; the rest is at each redraw.
    """
    context = bpy.context
    overlay = build.view3d_overlay(context)
    if overlay is None:
        return
    info, theme = build.region_of(context), layout.theme_of(context)
    make = functools.partial(build.view3d_pixels, overlay, info, theme)
    _draw_kept("pixels", (overlay, info, theme, translations.language()), make)
    cells = build.cells(overlay, info)
    for each, model in protocol.parts_of(overlay):
        _draw_once(each.now(context, model, cells[each.name], theme))
    _draw_once(mouse.lit(context.region, theme))


def draw_world() -> None:
    context = bpy.context
    overlay = build.view3d_overlay(context)
    if overlay is None:
        return
    theme = layout.theme_of(context)
    for each in build.switched_on(context, in_time=False):
        _draw_once(each.world_now(context, theme))
    _draw_kept("world", (overlay, theme), functools.partial(build.view3d_world, overlay, theme))


def draw_time_editor() -> None:
    """Draw the plots along the bottom of the Dope Sheet or Graph Editor in use, lined up with the keys, and
    over them what changes with each redraw; a draw callback. Nothing where no overlay is on.

    What was drawn before is drawn again unless something has changed. Grips show only in the Dope Sheet.
    """
    context = bpy.context
    overlay = build.time_overlay(context)
    if overlay is None:
        return
    info, theme = layout.RegionInfo.from_context(context), layout.theme_of(context)
    to_x = layout.TimeAxis.from_context(context)
    grips = context.area.type == mouse.TIME_EDITOR
    make = functools.partial(build.time_editor, overlay, info, to_x, theme, grips=grips)
    _draw_kept("time", (overlay, info, theme, to_x, translations.language()), make)
    frames = build.frames_in_sight(info, to_x)
    for each, _, bands in build.time_cells(overlay, info):
        _draw_once(each.now_in_time(context, bands, frames, theme))


CALLBACKS: tuple[tuple[str, Callable[[], None], str], ...] = (
    ("SpaceView3D", draw_world, "POST_VIEW"),
    ("SpaceView3D", draw_view3d, "POST_PIXEL"),
    ("SpaceDopeSheetEditor", draw_time_editor, "POST_PIXEL"),
    ("SpaceGraphEditor", draw_time_editor, "POST_PIXEL"),
)


def sync() -> None:
    """Add the draw callbacks if a scene of the file has an overlay on and they are not there yet; remove them
    and what is kept if none has. Redraw windows in any case.

    It is a timer's function and returns None, so that it is not called again.
    """
    wanted = any(switches.is_on(scene) for scene in bpy.data.scenes)
    if wanted and not _handles:
        for name, function, moment in CALLBACKS:
            space = getattr(bpy.types, name)
            _handles.append((space, space.draw_handler_add(function, (), "WINDOW", moment)))
    elif not wanted:
        _stop()
    cache.redraw()


def _stop() -> None:
    while _handles:
        space, handle = _handles.pop()
        space.draw_handler_remove(handle, "WINDOW")
    _forget()
    _drawn.clear()
    if is_read(drawing):
        drawing.forget()


def _forget() -> None:
    switches.forget_plots()
    if is_read(in_view):
        in_view.forget_character()


@persistent
def on_new_state(*_arguments: Any) -> None:
    """Follow what loading, undo and redo have switched on or off."""
    _forget()
    sync()


def begin() -> None:
    """Follow the file, once it is to be had: while Blender starts, and an extension is enabled, it is not."""
    bpy.app.timers.register(sync, first_interval=0.0)


def end() -> None:
    cache.call_no_more(sync)
    _stop()
