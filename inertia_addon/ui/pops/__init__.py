# SPDX-License-Identifier: GPL-3.0-or-later
"""Pops in the interface: their list, their marks, and what smooths them."""

from __future__ import annotations

from ..overlay.switches import PlotSwitch
from ..room import Room, menu, pointer, tool
from . import operators, panels, pop_plot, properties

POPS = menu(
    "pops",
    "Pops",
    "Where the assigned action jumps, and what smooths that",
    tool("find_pops", "VIEWZOOM"),
    tool("smooth_pops", "SMOOTHCURVE"),
    icon="SMOOTHCURVE",
)

PLOTS = (
    PlotSwitch(
        "pops",
        "Pops in Time Editors",
        "In the Dope Sheet and the Graph Editor, lined up with the keys: a mark for each pop found in the "
        "assigned action, higher where it is clearer",
        lambda: pop_plot.PopTimeline(),
        is_on_at_first=True,
    ),
)

ROOM = Room(
    modules=(operators,),
    properties=properties.CLASSES,
    pointers=(pointer("inertia_pops", properties.PopsProperties),),
    panels=panels.PARTS,
    classes=(properties.OPTIONS,),
    plots=PLOTS,
    menus=(POPS,),
)
