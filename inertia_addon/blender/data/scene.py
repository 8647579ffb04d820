# SPDX-License-Identifier: GPL-3.0-or-later
"""What times and lengths mean in the scene in use."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bpy


def fps() -> float:
    """Frames a second."""
    render = bpy.context.scene.render
    return float(render.fps / render.fps_base)


def metres_per_unit() -> float:
    """Metres per unit of the world, by the scene's units."""
    unit = bpy.context.scene.unit_settings
    return float(unit.scale_length) if unit.system != "NONE" else 1.0


def last_frame() -> float:
    """With which frame the scene ends."""
    return float(bpy.context.scene.frame_end)


@contextmanager
def use_scene_of(owner: Any) -> Iterator[None]:
    """Have an object's scene be the one in use meanwhile, with its rate and units, though another is open.

    The scene that is open stays where the object is in it, or in none. No file may be opened meanwhile.
    owner: None for none.
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
    """Have a scene's frames be those of its actions meanwhile, though it stretches time.

    No frame is shown by that, neither now nor in the end.
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
    """Format a length of a character's size, with its unit, as animators say it: 14 cm, 3.5 cm, 2.1 m.

    The unit is the scene's: inches and feet where it is imperial, a plain number where it has none.
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
    """Whole numbers from ten on, below that tenths where there are any."""
    return f"{value:.0f}" if value >= 9.95 else f"{round(value, 1):g}"
