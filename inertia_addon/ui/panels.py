# SPDX-License-Identifier: GPL-3.0-or-later
"""The Inertia tab in the sidebars of editors: every room's panels, in their order."""

from __future__ import annotations

from typing import Any

import bpy

from .cost import panels as cost
from .feet import lock_panel
from .feet import panels as feet
from .hops import panels as hops
from .learned import panels as learned
from .library import panels as library
from .loops import panels as loops
from .matching import join_panels
from .matching import panels as matching
from .nla import panels as nla
from .pops import panels as pops
from .root_motion import panels as root_motion
from .shared.drawing import Part
from .transition import panels as transition
from .translations import OWN_CONTEXT
from .travel import panels as travel

DOPE_SHEET_MODES = {"DOPESHEET", "ACTION"}


class View3D:
    """Where the panels are in the 3D View."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Inertia"


class DopeSheet:
    """Where they are in the Dope Sheet; not in its modes for masks, grease pencil and caches."""

    bl_space_type = "DOPESHEET_EDITOR"
    bl_region_type = "UI"
    bl_category = "Inertia"

    @classmethod
    def poll(cls, context: Any) -> bool:
        return context.space_data.mode in DOPE_SHEET_MODES


class NLAEditor:
    """Where they are in the NLA Editor."""

    bl_space_type = "NLA_EDITOR"
    bl_region_type = "UI"
    bl_category = "Inertia"


PARTS = (
    *(*transition.FIRST, *cost.FIRST, *transition.PARTS, *cost.PARTS),
    *(nla.Strips, *hops.PARTS, *library.PARTS, *transition.DETAILS, *loops.PARTS),
    *(
        *matching.FIRST,
        *join_panels.PARTS,
        *matching.PARTS,
        *learned.PARTS,
        *pops.PARTS,
        feet.Feet,
        *lock_panel.PARTS,
        *feet.PARTS[1:],
        *travel.PARTS,
        *root_motion.PARTS,
    ),
)
"""In the order of the work: pick, meet, judge, bake; then what is looked at now and then."""
TOPS = (
    transition.Transition,
    loops.Loop,
    matching.Path,
    pops.Pops,
    feet.Feet,
    travel.Travel,
    root_motion.RootMotion,
)
"""The parts that are below no other; the others are below their parent, or the first of these."""
PLACES = {"VIEW3D": View3D, "DOPESHEET": DopeSheet, "NLA": NLAEditor}
SHOWN = {"VIEW3D": PARTS, "DOPESHEET": PARTS, "NLA": (nla.OpenStrips,)}


def _name(part: type[Part], prefix: str) -> str:
    return f"{prefix}_PT_inertia_{part.__name__.lower()}"


def _panel(part: type[Part], prefix: str) -> type:
    """A panel class for one part in one editor."""
    members: dict[str, Any] = {
        "__doc__": part.__doc__,
        "__module__": __name__,
        "bl_translation_context": OWN_CONTEXT,
        "bl_idname": _name(part, prefix),
    }
    if part not in TOPS and len(SHOWN[prefix]) > 1:
        members["bl_parent_id"] = _name(part.parent or TOPS[0], prefix)
    return type(members["bl_idname"], (part, PLACES[prefix], bpy.types.Panel), members)


CLASSES = tuple(_panel(part, prefix) for prefix, parts in SHOWN.items() for part in parts)
