# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet in the interface: legs, and contacts that are drawn and dragged."""

from __future__ import annotations

from ..room import Room, menu, pointer, separator, tool
from . import drag_contact, operators, panels, properties
from .plots import FootprintPlot, FootTimeline

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

ROOM = Room(
    modules=(drag_contact, operators),
    properties=(*properties.CLASSES, *panels.CLASSES),
    pointers=(pointer("inertia_feet", properties.FeetProperties),),
    panels=panels.PARTS,
    plots=(FootprintPlot(), FootTimeline()),
    menus=(FEET,),
    classes=drag_contact.GIZMOS,
)
