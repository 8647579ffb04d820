# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels on what a transition costs, and where a better one lies."""

from __future__ import annotations

from typing import Any

from ...errors import InertiaError
from ...settings import fields
from ...settings.cost import Search
from ..overlay.panels import VIEW3D_PT_inertia_overlays
from ..shared import drawing, labels, words
from ..shared.drawing import Complete, split
from ..transition.character import Character
from ..translations import translated
from . import costs, search
from . import shown as shown_of
from .joint_list import draw_joints
from .verdict_panel import draw_verdict

RANKED = 8
"""How many controls are ranked in the panel."""
INSIDE = 8.0
"""What a button keeps free around its text beyond a label, pixels at a UI scale of 1."""


class Cost(Complete):
    """Says how good the transition will look, what spoils it, and what helps."""

    bl_label = "Cost"
    bl_options: set[str] = set()
    order = 10

    def draw_header_preset(self, context: Any) -> None:
        drawing.label(self.layout, cost_text(context.object))
        row = self.layout.row(align=True)
        row.prop(context.scene.inertia_overlay, "curves", text="", icon="GRAPH")
        row.popover(panel=VIEW3D_PT_inertia_overlays.__name__, text="", icon="OVERLAY")

    def draw(self, context: Any) -> None:
        layout = split(self.layout)
        armature = context.object
        try:
            found = costs.of(armature)
        except InertiaError as error:
            draw_missing(layout, context, error)
            return
        draw_verdict(layout, context, armature)
        if reason := shown_of.left_out(armature, found):
            drawing.sentence(layout, context, words.Line(reason, "INFO"))


def cost_text(armature: Any) -> str:
    """The exact cost, "" where it is not known."""
    try:
        parts = costs.by_control(costs.of(armature), armature)
    except InertiaError:
        return ""
    return words.cost_text(sum(part for _, part in parts))


def draw_missing(layout: Any, context: Any, error: InertiaError) -> None:
    """Why there is no cost, with the button that helps where one does."""
    drawing.sentence(layout, context, words.Line(error.sentence, "INFO"))
    if isinstance(error, costs.NotEvaluated):
        layout.operator("inertia.evaluate_clips", icon="PLAY")


def draw_ranking(layout: Any, context: Any, parts: list[tuple[str, float]], total: float) -> None:
    """The controls, the one whose joints cost most first; each can be clicked."""
    column = layout.column(align=True)
    for name, part in parts[:RANKED]:
        row = column.split(factor=drawing.LABELS, align=True)
        left = row.row()
        left.alignment = "RIGHT"
        text = labels.fitted_for(context, labels.bone(context.object, name), drawing.LABELS, INSIDE)
        left.operator("inertia.select_bone", text=text, emboss=False, translate=False).bone = name
        share = part / total if total > 0.0 else 0.0
        row.progress(factor=share, text=f"{part:.3g}  ({share:.0%})")
    if len(parts) > RANKED:
        drawing.beside(column, translated("and {0} more", len(parts) - RANKED))


class Ranking(Complete):
    """Lists which bones make the transition cost what it does."""

    bl_label = "Cost by Bone"
    order = 30

    def draw(self, context: Any) -> None:
        armature = context.object
        try:
            found = costs.of(armature)
        except InertiaError:
            return  # said above
        parts = costs.by_control(found, armature)
        draw_ranking(split(self.layout), context, parts, sum(part for _, part in parts))


class BestPairs(Complete):
    """Finds the frames where two actions meet best, and lists them to be tried."""

    bl_label = "Best Pairs"
    parent = Ranking

    def draw(self, context: Any) -> None:
        layout = self.layout
        own = context.object.inertia_search
        row = layout.row(align=True)
        row.operator("inertia.find_meeting", text="Find Ten Best Pairs", icon="SORTSIZE").goal = "PAIRS"
        if len(own.pairs):
            if search.is_out_of_date(context.object):
                line = words.Line("Settings or actions have changed since these were found.", "ERROR")
                drawing.sentence(layout, context, line)
            row = layout.row()
            row.template_list("INERTIA_UL_pairs", "", own, "pairs", own, "active_pair", rows=4, maxrows=10)
            side = row.column(align=True)
            side.operator("inertia.step_pair", text="", icon="TRIA_UP").step = -1
            side.operator("inertia.step_pair", text="", icon="TRIA_DOWN").step = 1
            layout.prop(own, "rebake")
        if own.problem:
            drawing.sentence(layout, context, words.Line(own.problem, "ERROR", alert=True))
        draw_limits(split(layout), own)
        draw_map(split(layout), context.scene.inertia_overlay)


def draw_limits(layout: Any, own: Any) -> None:
    """Where all of the searches look."""
    column = layout.column()
    row = column.row(heading=translated("Cuts"))
    row.prop(own, "use_range", text="From Range")
    if own.use_range:
        pair = column.column(align=True)
        pair.prop(own, "first")
        pair.prop(own, "last")
    column.prop(own, "by")
    column.prop(own, "keep_frames")
    column.prop(own, "apart_frames")
    column.prop(own, fields.settings(Search)["skate_weight"].stored)


def draw_map(layout: Any, own: Any) -> None:
    """The map of all pairs, as a plot and as a picture."""
    layout.prop(own, "map", text="Map")
    layout.prop(own, "map_kind")
    row = layout.row(align=True)
    save = row.operator("inertia.save_map", text="Save Picture", icon="FILE_IMAGE")
    save.as_image, save.kind = False, own.map_kind
    keep = row.operator("inertia.save_map", text="As Image", icon="IMAGE_DATA")
    keep.as_image, keep.kind = True, own.map_kind


class Joints(Complete):
    """Chooses which joints count, and how much."""

    bl_label = "Joints"
    parent = Character

    def draw(self, context: Any) -> None:
        draw_joints(self.layout, context)


PARTS = (Cost, Ranking, BestPairs, Joints)
