# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel on gaps: how long one is, where it leads, what fills it, and baking it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy

from ...blender.data import scene
from ...blender.judging import verdict
from ...errors import InertiaError
from ...settings.fill import GOALS, FillSettings
from ..cost.panels import draw_told
from ..shared import character, drawing, forms, labels, tab, words
from ..shared.drawing import split
from ..transition import pickers
from ..translations import translated
from . import finding, operators

if TYPE_CHECKING:
    from .finding import FillView

GOAL_NAMES = {value: name for value, name, _ in GOALS}
PLACED = "At a Place"


class VIEW3D_PT_inertia_fill_options(drawing.Popover, bpy.types.Panel):
    """What is seldom changed, in a popover."""

    bl_label = "Fill Options"

    def draw(self, context: Any) -> None:
        context = character.read_meant(context)
        layout, armature = split(self.layout), context.object
        gap, ends = armature.inertia_fill, armature.inertia
        column = layout.column()
        column.active = gap.use_library
        forms.draw(column, gap, FillSettings, operators.CLIPS)
        pickers.draw_clips(column, gap, "fill", "Chosen Clips")
        if gap.use_library:
            pickers.draw_obstacles(column, gap)
            forms.draw(column, gap, FillSettings, ("choose_by",))
        column = layout.column()
        column.prop(gap, "result", placeholder=f"{ends.source.name} to {ends.destination.name}")
        operators.draw_wishes(column, gap)
        column.prop(gap, "strips")


def draw_fill(layout: Any, context: Any) -> None:
    """Draw how a gap between the active armature's two clips is filled, by its inertia_fill.

    In order: gap_frames with their seconds, greyed; where and how the destination is arrived at, with a
    button that takes the 3D cursor's place; use_library with the popover of its options; the search
    inertia.find_fill, which is off without use_library, with the switch of the overlay; the button
    inertia.bake_fill, with replace, from_strips and from_keys off; then what was found, see
    :func:`draw_found`, and the worst of the verdicts on the fill that plays, if there are any.
    """
    layout = split(layout)
    armature = context.object
    gap = armature.inertia_fill
    column = layout.column(align=True)
    row = column.row(align=True)
    row.prop(gap, "gap_frames")
    seconds = row.row(align=True)
    seconds.active = False
    seconds.label(text=f"{words.number(scene.to_seconds(gap.gap_frames))} s")
    column.prop(gap, "arrival")
    row = operators.draw_place(layout, gap)
    row.operator("inertia.fill_at_cursor", text="", icon="PIVOT_CURSOR")
    row = layout.row(align=True)
    row.prop(gap, "use_library")
    drawing.draw_options(row, VIEW3D_PT_inertia_fill_options)
    row = layout.row(align=True)
    find = row.row(align=True)
    find.enabled = gap.use_library
    find.operator("inertia.find_fill", icon="VIEWZOOM")
    row.prop(context.scene.inertia_overlay, "fill", text="", icon="OVERLAY", toggle=True)
    row = layout.row(align=True)
    row.scale_y = 1.5
    bake = row.operator("inertia.bake_fill", icon="SNAP_MIDPOINT")
    bake.replace = bake.from_strips = bake.from_keys = False
    # below the buttons, which so stay where they are
    draw_found(layout, context, armature)
    if verdicts := operators.verdicts_of(armature):
        draw_told(layout.column(align=True), context, armature, verdict.worst(verdicts))


class KeysPanel(drawing.HolderPanel):
    """Fills the assigned action anew between two of its keys."""

    bl_label = "Between Keys"
    mode = tab.JOIN

    def draw(self, context: Any) -> None:
        layout, armature = split(self.layout), context.object
        gap = armature.inertia_fill
        row = layout.row(align=True)
        row.prop(gap, "use_library")
        if None not in (armature.inertia.source, armature.inertia.destination):
            drawing.draw_options(row, VIEW3D_PT_inertia_fill_options)
        layout.prop(gap, "keep_between")
        row = layout.row(align=True)
        row.scale_y = 1.5
        bake = row.operator(
            "inertia.bake_fill", text=translated("Fill Between Keys"), icon="KEYFRAME", translate=False
        )
        bake.from_keys, bake.from_strips, bake.replace = True, False, False
        bake.keep_between = gap.keep_between


def draw_found(layout: Any, context: Any, armature: Any) -> None:
    """Draw what is known of the armature's gap; nothing before a search for the present settings.

    After one these are the fills to choose from, see :func:`draw_choices`, and below them the :func:`facts`
    on the chosen one. Where nothing fills it, why is drawn in red; above that, if a length that would do is
    known, a button for the nearest, inertia.use_fill_time with its `gap_frames`, or, of a point that is too
    far, inertia.use_nearest_touch with its `touch`. Where settings are out of range or don't go together,
    there is only that, in red. Nothing is searched, and nothing raised for these.
    """
    try:
        fills = finding.recall_fills(armature)
    except InertiaError as error:
        drawing.sentence(layout, context, words.PanelLine(error.sentence, "ERROR", alert=True))
        return
    if isinstance(fills, finding.Refused):
        if fills.nearest_frames is not None:
            # the time that would do comes first, as that is what helps
            text = translated("Make the Gap {0}", words.duration_text(fills.nearest_frames))
            row = layout.row()
            row.scale_y = 1.5
            use = row.operator("inertia.use_fill_time", text=text, icon="TIME", translate=False)
            use.gap_frames = fills.nearest_frames
        if fills.nearest_touch is not None:
            row = layout.row()
            row.scale_y = 1.5
            row.operator("inertia.use_nearest_touch", icon="CON_KINEMATIC").touch = fills.nearest_touch
        drawing.sentence(layout, context, words.PanelLine(fills.fault, "ERROR", alert=True))
    elif fills is not None:
        draw_choices(layout, armature, fills)
        drawing.facts(layout, context, facts(armature, fills[finding.chosen(armature, fills)]))


def draw_choices(layout: Any, armature: Any, fills: tuple[FillView, ...]) -> None:
    """Draw a button for each fill that chooses it, in their order, one below the other; the chosen one is
    pressed.

    It runs inertia.choose_fill with `choice`, counted from 1. Its icon is the rating's. Its text is the
    rating's word and the labels of the fill's clips, each once, as in "Good: Walk, Turn", or "Good: No
    Clips"; it is empty where the source itself plays on. If the armature's choice is beyond the last fill,
    that one is pressed.
    """
    column = layout.column(align=True)
    for i, each in enumerate(fills):
        rating = each.rating
        clips = dict.fromkeys(labels.action(armature, clip["action"]) for clip in each.clips)
        names = ", ".join(clips) if "costs" in each.figures else translated("No Clips")
        text = ": ".join([translated(verdict.RATINGS[rating]), names] if names else [])
        button = column.operator(
            "inertia.choose_fill",
            text=text,
            icon=drawing.RATINGS[rating],
            depress=i == finding.chosen(armature, fills),
            translate=False,
        )
        button.choice = i + 1


def facts(armature: Any, view: FillView) -> list[tuple[str, str]]:
    """Return pairs of label and text on a fill, in Blender's language; at least one.

    - "Goal", with the goal's name, or "At a Place" where a place was asked for.
    - For each clip, in order, "Frame 24", the scene frame from which on it plays (the result's
      shift not counted), with the action's label; "(mirrored)" stands behind a mirror image's.
    - "Drawn By", with how far and by what angle the root's way is drawn to arrive, as in "12
      cm, 5.0°": a length in the scene's unit, and degrees to a tenth, never negative; nothing
      without clips.
    """
    goal = view.figures["goal"].upper()
    rows = [(translated("Goal"), translated(PLACED if goal == "PLACE" else GOAL_NAMES[goal]))]
    for clip in view.clips:
        name = labels.action(armature, clip["action"])
        name = translated("{0} (mirrored)", name) if clip["mirrored"] else name
        rows.append((translated("Frame {0}", words.number(clip["from"])), name))
    if "costs" not in view.figures:
        return rows
    drawn, turned = scene.length_text(view.figures["drawn_m"]), f"{view.figures['turned_deg']:.1f}°"
    return [*rows, (translated("Drawn By"), translated("{0}, {1}", drawn, turned))]


CLASSES = (VIEW3D_PT_inertia_fill_options,)
