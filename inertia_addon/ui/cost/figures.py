# SPDX-License-Identifier: GPL-3.0-or-later
"""The names of figures in the panels, which say in their tooltips what the figures tell."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import EnumProperty

from ..shared.made_of import plain
from ..shared.tool import Tool
from ..translations import translated

FIGURES = (
    (
        "COST",
        "Cost",
        "How far the join leads the joints away from the clips, added up over the blend: metres times "
        "seconds. Less is smoother",
    ),
    (
        "POP",
        "Pop",
        "How suddenly the joints change their speed at the worst frame, beside the most sudden change in "
        "the clips. Up to 1.3 times is not seen",
    ),
    ("SKATE", "Skate", "How far the foot that skates most goes over the ground while it should stand"),
    ("LIFT", "Lift", "How much higher, or lower, the hips or the lowest joint get than in both clips"),
    ("REACH", "Reach", "How much further from the hips a hand, a foot or the head gets than in the clips"),
    (
        "FACING",
        "Facing Aside",
        "How far the character looks away from the direction that is asked for, on average",
    ),
    (
        "JOINS",
        "Cost of Joins",
        "How far all joins lead the joints away from the clips, for each second of the way: millimetres "
        "times seconds. Less is smoother",
    ),
)
"""What each figure is called, and what it tells."""


class INERTIA_OT_explain_figure(Tool, bpy.types.Operator):
    bl_idname = "inertia.explain_figure"
    bl_label = "What a Figure Tells"
    bl_description = "Say what a figure of the panel tells"
    bl_options = {"INTERNAL"}
    told_by = "figure"

    figure: plain(EnumProperty, "Figure", "The figure to tell about", items=FIGURES)

    def act(self, _context: Any) -> set[str]:
        self.say({name: tip for name, _, tip in FIGURES}[self.figure])
        return {"FINISHED"}


def translate_names() -> dict[str, str]:
    """Return which figure each label in Blender's language names, for :func:`drawing.facts`."""
    return {translated(label): name for name, label, _ in FIGURES}
