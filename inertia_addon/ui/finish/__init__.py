# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes that are finished, in the interface: what is found in one, and what mends it."""

from __future__ import annotations

from ..room import Room, menu, pointer, tool
from . import operators, panels, properties

FINISH = menu(
    "finish",
    "Finish Take",
    "What a captured or generated take still needs, and what mends it",
    tool("find_faults", "VIEWZOOM"),
    tool("finish_take", "CHECKMARK"),
    tool("insert_take", "IMPORT"),
    icon="CHECKMARK",
)

ROOM = Room(
    modules=(operators,),
    properties=properties.CLASSES,
    pointers=(pointer("inertia_finish", properties.FinishProperties),),
    panels=panels.PARTS,
    classes=(properties.OPTIONS, panels.VIEW3D_PT_inertia_inserttake),
    menus=(FINISH,),
)
