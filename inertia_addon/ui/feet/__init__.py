# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet in the interface: legs, and contacts that are drawn and dragged."""

from __future__ import annotations

from ..overlay.switches import PlotSwitch
from ..room import Room, menu, pointer, separator, tool
from . import drag_contact, operators, panels, plots, properties

FEET = menu(
    "feet",
    "Feet",
    "When each foot is planted, and which legs there are",
    tool("find_contacts", "VIEWZOOM"),
    tool("add_contact", "ADD", "Add Contact of All Feet"),
    tool("remove_contact", "REMOVE", "Remove Contact of All Feet"),
    tool("reset_contacts", "LOOP_BACK"),
    separator,
    tool("fill_legs", "BONE_DATA"),
    tool("add_leg", "ADD"),
    tool("remove_leg", "REMOVE"),
    tool("clear_legs", "X"),
    separator,
    tool("lock_feet", "LOCKED"),
    icon="POSE_HLT",
)

PLOTS = (
    PlotSwitch(
        "footprints",
        "Footprints",
        "In the 3D View: where each foot is planted, and which way it points. Those of the current frame are "
        "bold",
        lambda: plots.FootprintPlot(),
    ),
    PlotSwitch(
        "foot_contacts",
        "Contacts in Time Editors",
        "In the Dope Sheet and the Graph Editor, lined up with the keys: when each foot is planted. In the "
        "Dope Sheet drag a bar or its edges, drag in an empty row to add one, and Ctrl-click one to remove "
        "it",
        lambda: plots.FootTimeline(),
        is_on_at_first=True,
    ),
)

ROOM = Room(
    modules=(drag_contact, operators),
    properties=(*properties.CLASSES, *panels.CLASSES),
    pointers=(pointer("inertia_feet", properties.FeetProperties),),
    panels=panels.PARTS,
    plots=PLOTS,
    menus=(FEET,),
    classes=drag_contact.GIZMOS,
)
