# SPDX-License-Identifier: GPL-3.0-or-later
"""What is shown over the editors: a scene's own choice, saved with it."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, IntProperty

from ...settings.ranges import Range
from ..shared.made_of import limits_of
from ..translations import OWN_CONTEXT
from . import handlers

GHOST_FRAMES = Range(0, 10_000, "frames", whole=True, soft_most=200)

MAP_ITEMS = (
    ("EXACT", "Exact", "The displacement itself, the offsets' zero crossings included"),
    (
        "FEATURE",
        "Features",
        "The distance between features, which is quicker: a swing past zero counts against the rest",
    ),
)


def changed(_own: Any, _context: Any) -> None:
    """Draw what was switched on, and nothing when all is off."""
    handlers.sync()


class OverlayProperties(bpy.types.PropertyGroup):
    """Which overlays of the coming transition a scene shows."""

    curves: BoolProperty(
        name="Cost Curves",
        description="Along the bottom of the 3D View: the cost in metre seconds of entering the destination "
        "at each of its frames, and of each cut",
        update=changed,
        options=set(),
    )
    timelines: BoolProperty(
        name="Costs in Time Editors",
        description="In the Dope Sheet and the Graph Editor, lined up with the keys: the cost of each cut, "
        "or of each destination frame where the destination is the assigned action",
        update=changed,
        options=set(),
    )
    map: BoolProperty(
        name="Cost Map",
        translation_context=OWN_CONTEXT,
        description="In a corner of the 3D View: the cost of each cut with each destination frame. Click a "
        "cell to choose both",
        update=changed,
        options=set(),
    )
    map_kind: EnumProperty(
        name="Costs",
        translation_context=OWN_CONTEXT,
        description="What the map shows",
        items=MAP_ITEMS,
        default="EXACT",
        update=changed,
        options=set(),
    )
    offsets: BoolProperty(
        name="Bone Offset",
        description="How the active bone's offset at the cut decays with each method, and what it costs over "
        "position and velocity",
        update=changed,
        options=set(),
    )
    ghosts: BoolProperty(
        name="Ghost Trajectories",
        description="The ways of the hips, hands and feet through the world: in the source, in the "
        "destination where it will be, and in the result",
        update=changed,
        options=set(),
    )
    ghost_frames: IntProperty(
        name="Around",
        description="How many frames before the cut and after the window trajectories show",
        default=20,
        **limits_of(GHOST_FRAMES),
        update=changed,
        options=set(),
    )
    bridge: BoolProperty(
        name="Hops",
        description="Along the bottom of the 3D View, once they are found: the cost of the direct transition "
        "and of the best hop at each trigger frame, and through which clip that leads",
        update=changed,
        options=set(),
    )
    tint: BoolProperty(
        name="Tint Bones",
        description="Colour the bones by their share of the cost at the cut",
        update=changed,
        options=set(),
    )
    root_motion: BoolProperty(
        name="Root Motion",
        description="In the 3D View: the speed and the facing of the root over time, with the springs fitted "
        "to them. Drag the edges of a ramp to set its range",
        update=changed,
        options=set(),
    )
    root_timelines: BoolProperty(
        name="Root Motion in Time Editors",
        description="In the Dope Sheet and the Graph Editor, lined up with the keys: the speed and the "
        "facing of the root, with the springs fitted to them",
        update=changed,
        options=set(),
    )
    root_histogram: BoolProperty(
        name="Speed Histogram",
        description="In the 3D View: how often each speed and each turn rate occurs in all measured actions, "
        "to choose walk and run speeds",
        update=changed,
        options=set(),
    )


SWITCHES = (
    *("curves", "timelines", "map", "offsets", "ghosts", "tint"),
    *("root_motion", "root_timelines", "root_histogram", "bridge"),
)
CLASSES = (OverlayProperties,)
