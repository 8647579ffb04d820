# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel on paths: what is followed, with which actions, what comes of it, and baking it."""

from __future__ import annotations

from typing import Any

from ...blender.data import scene
from ...blender.judging import verdict
from ...errors import InertiaError
from ..cost import joint_list
from ..cost.verdict_panel import draw_told
from ..feet.operators import draw_ground
from ..overlay.panels import OfPlots
from ..shared import drawing, modes, words
from ..shared.drawing import Part, split
from ..transition import clip_rows, obstacle_fields
from ..transition import panels as transition
from ..translations import translated
from . import operators, searching
from .searching import Progress
from .shown import Shown


class Path(OfPlots):
    """Has a character follow a curve or an object with the clips it has."""

    bl_label = "Path"
    bl_options: set[str] = set()
    is_top = True
    mode = modes.TRAVEL

    def draw(self, context: Any) -> None:
        layout = split(self.layout)
        armature = context.object
        own = armature.inertia_path
        layout.prop(own, "followed", icon="CURVE_DATA")
        if own.followed is None:
            line = words.Line("Choose what to follow: draw a curve, or take an object that is animated.")
            drawing.sentence(layout, context, line)
            return
        operators.draw_following(layout, own)
        clip_rows.draw(layout, own, "path", "Chosen Actions")
        column = layout.column()
        column.prop(own, "mirror")
        column.prop(own, "faithful", slider=True)
        column.prop(own, "warp")
        column.prop(own, "bends")
        draw_ground(column, own)
        obstacle_fields.draw(column, own)
        column.prop(armature.inertia, "feet")
        draw_found(layout, context, armature)


def draw_found(layout: Any, context: Any, armature: Any) -> None:
    """What was found, or how to find it; and the button that bakes it."""
    try:
        known = searching.of(armature)
    except InertiaError as error:
        drawing.sentence(layout, context, words.Line(error.sentence, "ERROR", alert=True))
        return
    draw_search(layout, context, known)
    if known.shown is not None:
        column = layout.column()
        column.active = known.done == 1.0 and known.is_analysed
        draw_figures(column, context, known.shown, operators.baked_figures(armature))
    row = layout.row()
    row.use_property_split = False
    row.prop(context.scene.inertia_overlay, "path", text="Show in the View", icon="OVERLAY", toggle=True)
    own = armature.inertia_path
    layout.prop(own, "result", placeholder=f"Along {own.followed.name}")
    layout.prop(own, "strips")
    draw_buttons(layout)
    seen = operators.verdicts_of(armature)
    if seen:
        draw_told(layout.column(align=True), context, armature, verdict.worst(seen.values()))


def draw_search(layout: Any, context: Any, known: Progress) -> None:
    """The button that analyses, how far a search is, or why there is none."""
    if known.fault:
        drawing.sentence(layout, context, words.Line(known.fault, "ERROR", alert=True))
    elif known.shown is not None and not known.is_analysed:
        line = words.Line("The actions have changed since they were analysed; press Find Path.")
        drawing.sentence(layout, context, line)
    if known.fault or not known.is_analysed:
        layout.operator("inertia.find_path", icon="VIEWZOOM")
    elif known.done < 1.0:
        row = layout.row(align=True)
        row.progress(factor=known.done, text=translated("Searching: {0}", f"{known.done:.0%}"))
        row.operator("inertia.stop_path", text="", icon="X")


def draw_figures(layout: Any, context: Any, shown: Shown, baked: dict[str, Any] | None) -> None:
    """What the way will be like; or what it is like, where it is baked as it would be."""
    drawing.facts(layout, context, [*told(baked or shown.figures), *speeds(shown)])
    for warning in shown.warnings:
        drawing.sentence(layout, context, words.Line(warning, "ERROR"))


def told(figures: dict[str, Any]) -> list[tuple[str, str]]:
    """The figures of a way, with their labels."""
    off = scene.length_text(figures["path_rms_m"]), scene.length_text(figures["path_max_m"])
    joins = str(figures["cuts"]), f"{figures['cuts_per_second']:.2g}"
    found = [
        (translated("Duration"), f"{figures['seconds']:.1f} s"),
        (translated("Off the Path"), translated("{0}, {1} at most", *off)),
    ]
    if figures["heading_deg"] is not None:
        found.append((translated("Facing Aside"), f"{figures['heading_deg']:.1f}°"))
    if "obstacle_m" in figures:
        near = scene.length_text(figures["obstacle_m"])
        found.append((translated("Obstacles"), translated("{0} away at least", near)))
    displaced = words.displacement(figures["displacement_m_s_per_second"])
    return [
        *found,
        (translated("Joins"), translated("{0}, {1} a second", *joins)),
        (translated("Cost of Joins"), translated("{0} a second", displaced)),
    ]


def speeds(shown: Shown) -> list[tuple[str, str]]:
    """What speeds the path asks for, and which ones the clips have."""
    asked = [(translated("Path Asks"), shown.asked)] if shown.asked else []
    return [*asked, (translated("Clips Have"), shown.had)]


def draw_buttons(layout: Any) -> None:
    """What bakes another action."""
    row = layout.row(align=True)
    row.scale_y = 1.5
    row.operator("inertia.bake_path", icon="CURVE_PATH").replace = False


class PathSearch(Part):
    """Chooses how the way is searched, and how its joins blend."""

    bl_label = "Search Options"
    parent = Path
    poll = Path.poll

    def draw(self, context: Any) -> None:
        layout = split(self.layout)
        armature = context.object
        own, joins = armature.inertia_path, armature.inertia
        column = layout.column()
        for name in ("first_frame", "ahead_seconds", "shortest_seconds", "width"):
            column.prop(own, name)
        column = layout.column(heading="Weights")
        for name in ("pose_weight", "position_weight", "facing_weight"):
            column.prop(own, name)
        transition.draw_blend(layout, joins)
        joint_list.draw_joints(layout, context)


FIRST = (Path,)
PARTS = (PathSearch,)
"""What stands below the joins."""
