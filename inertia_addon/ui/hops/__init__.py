# SPDX-License-Identifier: GPL-3.0-or-later
"""Hops, as the animator sees them: properties, panel, operators and plot."""

from __future__ import annotations

from ..overlay.switches import PlotSwitch
from ..room import Room, menu, pointer, separator, tool
from . import hop_plot, operators, panels, properties

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

PLOTS = (
    PlotSwitch(
        "hops",
        "Hops",
        "Along the bottom of the 3D View, once they are found: what it costs to get to the destination from "
        "each cut, directly and by the best hop, and through which clip that leads",
        lambda: hop_plot.HopPlot(),
    ),
)

ROOM = Room(
    modules=(operators,),
    properties=properties.CLASSES,
    pointers=(pointer("inertia_hops", properties.HopsProperties),),
    classes=panels.CLASSES,
    plots=PLOTS,
    menus=(HOPS,),
)
