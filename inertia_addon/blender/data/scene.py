# SPDX-License-Identifier: GPL-3.0-or-later
"""What times and lengths mean in the scene in use."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bpy


def fps() -> float:
    """Return the scene's frames a second."""
    render = bpy.context.scene.render
    return float(render.fps / render.fps_base)


def to_seconds(frames: float) -> float:
    """Return how long frames of the scene last, in seconds."""
    return frames / fps()


def to_frames(seconds: float) -> float:
    """Return how many frames of the scene last so many seconds."""
    return seconds * fps()


def metres_per_unit() -> float:
    """Return the metres per unit of the world, by the scene's units; 1 where it has none."""
    unit = bpy.context.scene.unit_settings
    return float(unit.scale_length) if unit.system != "NONE" else 1.0


PREVIEW_NOTE = "inertia_preview"
"""The custom property of a scene that holds what stood where a preview is shown now."""


def last_frame() -> float:
    """Return the frame with which the scene ends."""
    return float(bpy.context.scene.frame_end)


@contextmanager
def use_scene_of(owner: Any) -> Iterator[None]:
    """Make an object's scene the one in use within a ``with``, with its rate and units, though another is
    open.

    owner: the object; with None, or one that is in the open scene or in none, nothing changes. Of several
    scenes the first is taken. No file may be opened meanwhile.
    """
    shown = bpy.context.scene
    home = None if owner is None or shown in owner.users_scene else next(iter(owner.users_scene), None)
    if home is None:
        yield
        return
    # a view layer of its own would outlast the scene where a window is told to show another
    with bpy.context.temp_override(scene=home):
        yield


@contextmanager
def ignore_stretching(scene: Any) -> Iterator[None]:
    """Set a scene's time stretching to none within a ``with``, so that its frames are those of its actions,
    and both values back in the end, also after an error.

    ``frame_map_old`` and ``frame_map_new`` of its render settings are 100 meanwhile; where they are equal
    already they stay as they are. No frame is shown by that, neither now nor in the end.
    """
    render = scene.render
    before = render.frame_map_old, render.frame_map_new
    if before[0] == before[1]:
        yield
        return
    try:
        render.frame_map_old = render.frame_map_new = 100
        yield
    finally:
        render.frame_map_old, render.frame_map_new = before


def find_scene_frame(scene: Any, frame: float) -> float:
    """Return the frame at which a scene shows a frame of actions, which is another where it stretches time.

    Blender's own ``frame_current_final`` is the frame of actions that a scene shows.
    """
    return frame * scene.render.frame_map_new / scene.render.frame_map_old


def show_action_frame(scene: Any, frame: float) -> None:
    """Have a scene show a frame of actions."""
    at = find_scene_frame(scene, frame)
    scene.frame_set(math.floor(at), subframe=at % 1.0)


METRIC_LENGTHS = {"MILLIMETERS": ("mm", 1000.0), "MICROMETERS": ("mm", 1000.0)}
"""What lengths are said in where that is not centimetres, and how many there are to a metre."""
INCHES = 39.3701
FAR = 1.0
"""From so many metres on nobody counts in centimetres or inches."""


def length_text(metres: float) -> str:
    """Return a length of a character's size as text with its unit, by the open scene's units: "14 cm", "3.5
    cm", "2.1 m".

    metres: the length, not in units of the scene.

    From 1 m on it is in metres, or feet with imperial units, always with one decimal: "2.0 m", "6.6 ft". A
    shorter one is in centimetres, in millimetres if the scene's unit of length is millimetres or micrometres,
    or in inches with imperial units: "14 cm", "140 mm", "5.5 in". Its number is whole from ten on, else to a
    tenth without a zero behind the point: "3 cm", "0 cm". Without units it is the number of metres alone,
    with three significant figures, "0.14".
    """
    unit = bpy.context.scene.unit_settings
    if unit.system == "NONE":
        return f"{metres:.3g}"
    if unit.system == "IMPERIAL":
        return f"{metres * INCHES / 12.0:.1f} ft" if metres >= FAR else f"{_two_figures(metres * INCHES)} in"
    if metres >= FAR:
        return f"{metres:.1f} m"
    name, factor = METRIC_LENGTHS.get(unit.length_unit, ("cm", 100.0))
    return f"{_two_figures(metres * factor)} {name}"


def _two_figures(value: float) -> str:
    """Return a number as text: whole from ten on, below that to a tenth, without a zero behind the point."""
    return f"{value:.0f}" if value >= 9.95 else f"{round(value, 1):g}"
