# SPDX-License-Identifier: GPL-3.0-or-later
"""Lets the mouse grab the edges of ramps: an invisible gizmo lies over the plots. Graph Editors have none."""

from __future__ import annotations

from typing import Any

import bpy

from ..overlay.mouse import TIME_EDITOR, Grabbed, Lit
from ..overlay.protocol import OverlayPlot
from ..shared import character
from .drag_ramp import grab
from .plot import RootMotionPlot, RootTimeline
from .ramp_marks import Handle, put_lit


class INERTIA_GT_ramp(Lit, bpy.types.Gizmo):
    @staticmethod
    def under(context: Any, x: float, y: float) -> Handle | None:
        found = grab(context, x, y)
        return found[0] if found is not None else None

    put_lit = staticmethod(put_lit)


class Ramps(Grabbed):
    """The edges of the ramps of a plot."""

    made_of = INERTIA_GT_ramp
    operator = "inertia.drag_ramp"
    plot: type[OverlayPlot]

    @classmethod
    def poll(cls, context: Any) -> bool:
        return bool(getattr(context.scene.inertia_overlay, cls.plot.name) and character.holder_of(context))


class INERTIA_GGT_ramps(Ramps, bpy.types.GizmoGroup):
    bl_label = "Inertia Ramps"
    plot = RootMotionPlot


class INERTIA_GGT_ramps_in_time(Ramps, bpy.types.GizmoGroup):
    bl_label = "Inertia Ramps in Time"
    bl_space_type = TIME_EDITOR
    plot = RootTimeline


CLASSES = (INERTIA_GT_ramp, INERTIA_GGT_ramps, INERTIA_GGT_ramps_in_time)
