# SPDX-License-Identifier: GPL-3.0-or-later
"""Pops in the interface: their list, their marks, and what smooths them."""

from __future__ import annotations

from ..room import Room, menu, pointer, tool
from . import operators, panels, properties
from .pop_plot import PopTimeline

POPS = menu(
    "pops",
    "Pops",
    "Where the assigned action jumps, and what smooths that",
    tool("find_pops", "VIEWZOOM"),
    tool("smooth_pops", "SMOOTHCURVE"),
    icon="SMOOTHCURVE",
)

ROOM = Room(
    modules=(operators,),
    properties=properties.CLASSES,
    pointers=(pointer("inertia_pops", properties.PopsProperties),),
    panels=panels.PARTS,
    classes=(properties.OPTIONS,),
    plots=(PopTimeline(),),
    menus=(POPS,),
)
