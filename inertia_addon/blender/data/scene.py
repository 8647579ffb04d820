# SPDX-License-Identifier: GPL-3.0-or-later
"""What times and lengths mean in the scene in use."""

from __future__ import annotations

import bpy


def fps() -> float:
    """Frames a second."""
    render = bpy.context.scene.render
    return float(render.fps / render.fps_base)


def metres_per_unit() -> float:
    """Metres per unit of the world, by the scene's units."""
    unit = bpy.context.scene.unit_settings
    return float(unit.scale_length) if unit.system != "NONE" else 1.0
