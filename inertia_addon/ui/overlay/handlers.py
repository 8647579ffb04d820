# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the overlays while any is switched on, and costs nothing otherwise."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable
from typing import Any

import bpy
from bpy.app.handlers import persistent

from ...plots.shapes import Shape
from ...plots.theme import Theme
from .. import translations
from ..cost import map_job
from ..root_motion import ramp_marks as root_marks
from ..root_motion.ramp_marks import Layout
from ..shared import cache
from . import build, drawing, gizmo, layout, state, world
from .build import RegionInfo
from .model import Overlay, RootPlot
from .theme import from_context

_handles: list[tuple[Any, Any]] = []
"""The editors that are drawn in, with Blender's handle for each callback."""


_drawn: dict[tuple[int, str], tuple[Hashable, Any, list[Shape]]] = {}
"""For each area and moment what was drawn last: what it depended on, the overlay, and its shapes."""


def _shapes(moment: str, overlay: Overlay, key: Hashable, make: Callable[[], list[Shape]]) -> list[Shape]:
    """The shapes of an overlay, made anew only where something has changed since they were drawn last."""
    place = (bpy.context.area.as_pointer(), moment)
    known = _drawn.get(place)
    if known is not None and known[0] == key and known[1] is overlay:
        return known[2]
    if known is not None:
        drawing.release(known[2])
    made = make()
    _drawn[place] = (key, overlay, made)
    return made


def _draw_once(found: list[Shape]) -> None:
    """Draw what is another one at each redraw."""
    drawing.draw(found)
    drawing.release(found)


def draw_view3d() -> None:
    """The plots over a 3D View."""
    overlay = state.of_view3d(bpy.context)
    if overlay is not None:
        info, theme = RegionInfo.from_context(bpy.context), from_context(bpy.context)
        make = functools.partial(build.view3d_pixels, overlay, info, theme)
        drawing.draw(_shapes("pixels", overlay, (info, theme, translations.language()), make))
        layouts = build.root_layouts(overlay, info, theme)
        frame = state.frame_played(bpy.context, overlay)
        if frame is not None:
            _draw_once([shape for _, made in layouts for shape in root_marks.playhead(made, frame, theme)])
        _light_up(layouts, theme)


def draw_world() -> None:
    """Trajectories and tinted bones in a 3D View's world."""
    overlay = state.of_view3d(bpy.context)
    if overlay is None:
        return
    theme = from_context(bpy.context)
    _draw_once(world.tinted(state.tinted(bpy.context), theme))
    make = functools.partial(build.view3d_world, overlay, theme)
    drawing.draw(_shapes("world", overlay, theme, make))


def draw_time_editor() -> None:
    """What lines up with the keys of a Dope Sheet or Graph Editor, along its bottom."""
    overlay = state.of_time_editor(bpy.context)
    if overlay is None:
        return
    info, theme = RegionInfo.from_context(bpy.context), from_context(bpy.context)
    to_x = layout.TimeAxis.from_context(bpy.context)
    grips = bpy.context.area.type == gizmo.INERTIA_GGT_ramps_in_time.bl_space_type
    make = functools.partial(build.time_editor, overlay, info, to_x, theme, grips)
    drawing.draw(_shapes("time", overlay, (info, theme, to_x, translations.language()), make))
    _light_up(build.root_bands(overlay, info, to_x, theme), theme)


def _light_up(layouts: list[tuple[RootPlot, Layout]], theme: Theme) -> None:
    """The edge of a ramp that is under the mouse."""
    handle = gizmo.lit(bpy.context.region)
    for shown, made in layouts:
        if handle is not None and handle.kind == shown.kind and handle.index < len(shown.ramps):
            _draw_once(root_marks.handle(handle, shown.ramps[handle.index], made, theme, bright=True))


CALLBACKS: tuple[tuple[str, Callable[[], None], str], ...] = (
    ("SpaceView3D", draw_world, "POST_VIEW"),
    ("SpaceView3D", draw_view3d, "POST_PIXEL"),
    ("SpaceDopeSheetEditor", draw_time_editor, "POST_PIXEL"),
    ("SpaceGraphEditor", draw_time_editor, "POST_PIXEL"),
)


def sync() -> None:
    """Draw exactly while a scene of the file has an overlay on; a timer's function too."""
    wanted = any(state.is_on(scene) for scene in bpy.data.scenes)
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
    map_job.forget()
    _drawn.clear()
    drawing.forget()


@persistent
def on_new_state(*_arguments: Any) -> None:
    """Follow what loading, undo and redo have switched on or off."""
    map_job.forget()
    sync()


def begin() -> None:
    """Follow the file, once it is to be had: while Blender starts, and an extension is enabled, it is not."""
    bpy.app.timers.register(sync, first_interval=0.0)


def end() -> None:
    """Stop drawing and following."""
    if bpy.app.timers.is_registered(sync):
        bpy.app.timers.unregister(sync)
    _stop()
