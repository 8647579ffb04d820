# SPDX-License-Identifier: GPL-3.0-or-later
"""Hops, as the animator sees them: properties, panel, operators and plot."""

from __future__ import annotations

from ..room import Room, menu, pointer, separator, tool
from . import operators, panels, properties
from .hop_plot import HopPlot

HOPS = menu(
    "hops",
    "Hops",
    "Ways from the source to the destination through a third clip",
    tool("find_hops", "VIEWZOOM"),
    tool("bake_hop", "IPO_EASE_IN_OUT"),
    separator,
    tool("hop_clips", "PRESET_NEW", "List All Clips That Fit", change="ALL"),
    tool("save_hops", "EXPORT"),
    icon="NLA",
)

ROOM = Room(
    modules=(operators,),
    properties=properties.CLASSES,
    pointers=(pointer("inertia_hops", properties.HopsProperties),),
    classes=panels.CLASSES,
    plots=(HopPlot(),),
    menus=(HOPS,),
)
