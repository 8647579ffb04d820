# SPDX-License-Identifier: GPL-3.0-or-later
"""The overlays' switches, which a scene holds: in a popover of the tab, and among Blender's own overlays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import bpy
from bpy.props import BoolProperty, CollectionProperty

from ..shared import drawing
from ..shared.drawing import HolderPanel
from ..translations import translated
from . import handlers, mouse
from .switches import PlotSwitch, plot_switches


class OverlayProperties(bpy.types.PropertyGroup):
    """Which overlays of the coming transition the scene shows."""

    moved: CollectionProperty(
        name="Moved", description="The plots that were moved, and their places", type=mouse.MovedProperties
    )


_groups: Mapping[str, Sequence[PlotSwitch]] = {}
"""The plots of each mode, by what it is called."""


def hold(plots: Sequence[PlotSwitch], groups: Mapping[str, Sequence[PlotSwitch]]) -> None:
    """Add a switch for each plot, by the plot's name, and its details, by theirs, to the annotations of
    OverlayProperties, the scene's properties, before these are registered.

    A switch is a BoolProperty with the plot's label and description, on by default where the plot is on at
    first; a detail is made by what its entry of `details`, (label, function, keywords), names. None can be
    animated. Annotations of the same name are replaced. Whenever one of them is changed the draw callbacks
    are added or removed, and windows redrawn.

    groups: the same plots by what the modes in which they matter are called; they are kept for
    :func:`draw_overlays`, in place of those of an earlier call.
    """
    global _groups
    _groups = groups
    properties = OverlayProperties.__annotations__
    common: Any = {"update": lambda _own, _context: handlers.sync(), "options": set()}
    for each in plots:
        named = {"translation_context": each.context} if each.context else {}
        properties[each.name] = BoolProperty(
            name=each.label,
            description=each.description,
            default=each.is_on_at_first,
            **common,
            **named,
        )
        for name, (_, make, keywords) in each.details.items():
            properties[name] = make(**common, **keywords)


PROPERTIES = (mouse.MovedProperties, OverlayProperties)


def draw_overlays(layout: Any, switches: Any, *, columns: int = 2) -> None:
    """Draw the switches of all plots, the further settings of plots, and the button that resets places.

    Each mode of :func:`hold` has its translated name, and below it its plots' switches in columns. Then
    comes each detail of each plot, in the plots' order, with its label, greyed while its plot is off. Last is
    the button inertia.reset_plots. switches: the scene's inertia_overlay.
    """
    for mode, group in _groups.items():
        column = layout.column(align=True)
        column.label(text=translated(mode), translate=False)
        for start in range(0, len(group), columns):
            row = column.split(factor=1.0 / columns) if columns > 1 else column
            for each in group[start : start + columns]:
                row.prop(switches, each.name)
    details = drawing.split(layout.column())
    for each in plot_switches():
        for name, (label, *_) in each.details.items():
            row = details.row()
            row.active = getattr(switches, each.name)
            row.prop(switches, name, text=label)
    layout.operator("inertia.reset_plots", icon="LOOP_BACK")


class VIEW3D_PT_inertia_overlays(bpy.types.Panel):
    """The switches as a popover."""

    bl_label = "Inertia Overlays"
    bl_space_type = "VIEW_3D"
    bl_region_type = "HEADER"
    bl_ui_units_x = 19

    def draw(self, context: Any) -> None:
        draw_overlays(self.layout, context.scene.inertia_overlay)


class VIEW3D_PT_inertia_overlay_section(bpy.types.Panel):
    """The switches among Blender's own overlays."""

    bl_label = "Inertia"
    bl_space_type = "VIEW_3D"
    bl_region_type = "HEADER"
    bl_parent_id = "VIEW3D_PT_overlay"

    @classmethod
    def poll(cls, context: Any) -> bool:
        return context.object is not None and context.object.type == "ARMATURE"

    def draw(self, context: Any) -> None:
        layout = self.layout
        layout.active = context.space_data.overlay.show_overlays
        # Blender's popover is narrow
        draw_overlays(layout, context.scene.inertia_overlay, columns=1)


class PlotPanel(HolderPanel):
    """A part of the sidebar beside which plots are switched on and off."""

    def draw_header_preset(self, _context: Any) -> None:
        self.layout.popover(panel=VIEW3D_PT_inertia_overlays.__name__, text="", icon="OVERLAY")


CLASSES = (VIEW3D_PT_inertia_overlays, VIEW3D_PT_inertia_overlay_section)
