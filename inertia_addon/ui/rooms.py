# SPDX-License-Identifier: GPL-3.0-or-later
"""The features of the window: one list, from which everything else that names them all is made."""

from __future__ import annotations

from . import (
    cost,
    feet,
    fill,
    hops,
    judging,
    learned,
    library,
    loops,
    matching,
    nla,
    overlay,
    pops,
    root_motion,
    steering,
    transition,
    travel,
)
from .overlay import panels as overlay_panels
from .overlay import protocol
from .room import Room
from .shared import tab

ROOMS = (
    *(transition.ROOM, judging.ROOM, cost.ROOM, nla.ROOM, root_motion.ROOM, hops.ROOM, loops.ROOM),
    *(pops.ROOM, feet.ROOM, matching.ROOM, fill.ROOM, steering.ROOM, learned.ROOM, library.ROOM, travel.ROOM),
    overlay.ROOM,
)
"""Each after those that it builds on. Plots stand in this order, too, from the bottom of a view upwards."""

OPERATORS = tuple(cls for room in ROOMS for cls in room.operators)
PLOTS = tuple(each for room in ROOMS for each in room.plots)


def mode_of(room: Room) -> str:
    """The mode in which a room's panels show; the first one for those that show in all."""
    for part in room.panels:
        while part.parent is not None:
            part = part.parent
        if part.mode:
            return part.mode
    return tab.JOIN


PLOTS_OF = {
    label: tuple(each for room in ROOMS if mode_of(room) == mode for each in room.plots)
    for mode, label, _ in tab.ITEMS
}
"""The plots of each mode, by what it is called."""

protocol.use(PLOTS)
overlay_panels.hold(PLOTS, PLOTS_OF)
