# SPDX-License-Identifier: GPL-3.0-or-later
"""Colours and sizes of the overlays, from Blender's theme and UI scale."""

from __future__ import annotations

from typing import Any

from ...plots.shapes import Colour
from ...plots.theme import Theme, make

WAYS: dict[str, Colour] = {
    "source": (0.93, 0.33, 0.78, 1.0),
    "destination": (0.33, 0.8, 0.28, 1.0),
    "way": (1.0, 0.9, 0.25, 1.0),
}
"""Of trajectories, which hang among bones: none is a colour that a theme of Blender's gives to bones. Who
can't tell red from green still sees violet, ochre and a bright yellow."""


def from_context(context: Any) -> Theme:
    preferences = context.preferences
    colours = preferences.themes[0]
    interface = colours.user_interface
    panel = interface.wcol_menu_back
    accents = {
        "curve": _opaque(interface.axis_z),
        "current": _opaque(interface.axis_x),
        "minimum": _opaque(interface.gizmo_primary),
        **WAYS,
        "result": _opaque(colours.view_3d.object_active),
    }
    world, text = colours.view_3d.space.gradients.high_gradient, interface.wcol_regular.text
    scale, points = preferences.system.ui_scale or 1.0, float(preferences.ui_styles[0].widget.points)
    return make(_opaque(panel.inner), _opaque(world), _opaque(text), scale, points, **accents)


def _opaque(colour: Any) -> Colour:
    r, g, b = colour[:3]
    return (float(r), float(g), float(b), 1.0)
