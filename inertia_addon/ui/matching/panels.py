# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels on paths: what is followed, with which actions, what comes of it, its joins, and baking it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy

from ...blender.data import scene
from ...errors import InertiaError
from ...settings.matching import WEIGHTS, PathSettings
from ..cost.figures import translate_names
from ..cost.panels import draw_told
from ..overlay.panels import PlotPanel
from ..shared import character, drawing, forms, labels, long_work, row_list, tab, words
from ..shared.drawing import PanelPart, at_end, split
from ..shared.row_list import Button
from ..transition import panels as transition
from ..transition import pickers
from ..translations import translated
from . import operators, path_plot, searching, shown
from .join_operators import SAME, active_join, count_wishes

if TYPE_CHECKING:
    from ...blender.judging import verdict
    from .shown import PathView


WEIGHED = ("features", *WEIGHTS)
"""By what poses are compared, and how much each part of that counts."""


class PathPanel(PlotPanel):
    """Has a character follow a curve or an object with the clips it has."""

    bl_label = "Path"
    bl_options: set[str] = set()
    mode = tab.TRAVEL

    def draw(self, context: Any) -> None:
        layout = split(self.layout)
        armature = context.object
        path = armature.inertia_path
        row = layout.row(align=True)
        row.prop(path, "followed", icon="CURVE_DATA")
        drawing.draw_options(row, VIEW3D_PT_inertia_path_options)
        if path.followed is None:
            line = words.PanelLine("Choose what to follow: draw a curve, or take an object that is animated.")
            drawing.sentence(layout, context, line)
            return
        forms.draw(layout, path, PathSettings, operators.FOLLOWING)
        pickers.draw_clips(layout, path, "path", "Chosen Actions")
        draw_found(layout, context, armature)


def follows(context: Any) -> bool:
    """Tell whether the active armature has something to follow."""
    armature = character.holder_of(context)
    return armature is not None and armature.inertia_path.followed is not None


def draw_found(layout: Any, context: Any, armature: Any) -> None:
    """Draw the search for an armature's way, what was found, and what bakes it.

    In order:

    - The search, see :func:`draw_search`.
    - The figures, once something was found; greyed while a search goes on or the clips have
      changed since they were analysed.
    - The button inertia.bake_path, with replace False, and the switch that shows the way in the
      view, `path` of the scene's inertia_overlay.
    - The verdict on the path that plays, if it was judged.

    Where the search can't be set up, as by settings out of range, only a red sentence says why. Something
    must be followed. To draw may begin a search, see :func:`searching.of`.
    """
    try:
        progress = searching.of(armature)
    except InertiaError as error:
        drawing.sentence(layout, context, words.PanelLine(error.sentence, "ERROR", alert=True))
        return
    draw_search(layout, context, progress)
    if progress.shown is not None:
        column = layout.column()
        column.active = progress.done == 1.0 and progress.is_analysed
        draw_figures(column, context, progress.shown, operators.recall_figures(armature))
    row = layout.row(align=True)
    row.scale_y = 1.5
    row.operator("inertia.bake_path", icon="CURVE_PATH").replace = False
    row.prop(context.scene.inertia_overlay, "path", text="", icon="OVERLAY", toggle=True)
    seen = operators.worst_of_playing(armature)
    if seen is not None:
        draw_told(layout.column(align=True), context, armature, seen)


def draw_search(layout: Any, context: Any, progress: searching.PathProgress) -> None:
    """Draw what can be done about the search; nothing where it is done and the clips are analysed as they
    are.

    First, in red, why nothing was found; else, if something was found and the clips have changed since they
    were analysed, a sentence that says so. Then the button inertia.find_path, if there is a fault or the
    clips are not analysed as they are. Else, while a search goes on (done below 1), its progress in whole
    percent and the button inertia.stop_path.
    """
    if progress.fault:
        drawing.sentence(layout, context, words.PanelLine(progress.fault, "ERROR", alert=True))
    elif progress.shown is not None and not progress.is_analysed:
        line = words.PanelLine("The actions have changed since they were analysed; press Find Path.")
        drawing.sentence(layout, context, line)
    if progress.fault or not progress.is_analysed:
        layout.operator("inertia.find_path", icon="VIEWZOOM")
    elif progress.done < 1.0:
        row = layout.row(align=True)
        row.progress(
            factor=progress.done, text=translated("Searching: {0}", long_work.describe_part(progress.done))
        )
        row.operator("inertia.stop_path", text="", icon="X")


def draw_figures(layout: Any, context: Any, view: PathView, baked: dict[str, Any] | None) -> None:
    """Draw the figures of a way, then speeds, then warnings.

    Rows of label and value: those of :func:`figure_rows`, "Path Asks" with view.asked, left out where that is
    "", and "Clips Have" with view.had. Each warning of the view follows as a sentence with an error icon.

    baked: the figures of the baked path, all of which are shown in place of the view's own; None, or {}, for
    the view's. Speeds and warnings are always the view's.
    """
    asked = [(translated("Path Asks"), view.asked)] if view.asked else []
    speeds = [*asked, (translated("Clips Have"), view.had)]
    rows = [*figure_rows(baked or view.figures), *speeds]
    drawing.facts(layout, context, rows, translate_names())
    for warning in view.warnings:
        drawing.sentence(layout, context, words.PanelLine(warning, "ERROR"))


def figure_rows(figures: dict[str, Any]) -> list[tuple[str, str]]:
    """Return pairs of label and text for the figures of a way, in Blender's language.

    In this order, labels in English here:

    - "Duration": seconds to a tenth, as "4.0 s".
    - "Off the Path": path_rms_m, and path_max_m with the words
      "at most".
    - "Facing Aside": heading_deg to a tenth; left out where that is None.
    - "Obstacles": obstacle_m with the words "away at least"; left out where there is no such key.
    - "Joins": cuts, and cuts_per_second to two digits with "a second".
    - "Cost of Joins": displacement_m_s_per_second in whole mm s with "a second".

    figures: as commands tell them, see :func:`search.figures`; metres, degrees and seconds. Lengths are told
    in the scene's unit. Raise KeyError for any other key that is missing.
    """
    off = scene.length_text(figures["path_rms_m"]), scene.length_text(figures["path_max_m"])
    joins = str(figures["cuts"]), f"{figures['cuts_per_second']:.2g}"
    rows = [
        (translated("Duration"), f"{figures['seconds']:.1f} s"),
        (translated("Off the Path"), translated("{0}, {1} at most", *off)),
    ]
    if figures["heading_deg"] is not None:
        rows.append((translated("Facing Aside"), f"{figures['heading_deg']:.1f}°"))
    if "obstacle_m" in figures:
        near = scene.length_text(figures["obstacle_m"])
        rows.append((translated("Obstacles"), translated("{0} away at least", near)))
    displaced = words.displacement(figures["displacement_m_s_per_second"])
    return [
        *rows,
        (translated("Joins"), translated("{0}, {1} a second", *joins)),
        (translated("Cost of Joins"), translated("{0} a second", displaced)),
    ]


class VIEW3D_PT_inertia_path_options(drawing.Popover, bpy.types.Panel):
    """How closely a path is followed and over what ground, how the way is searched, and how its joins blend,
    in a popover."""

    bl_label = "Path Options"

    def draw(self, context: Any) -> None:
        context = character.read_meant(context)
        layout, armature = split(self.layout), context.object
        path, joins = armature.inertia_path, armature.inertia
        column = layout.column()
        forms.draw(column, path, PathSettings, (*operators.SEARCHED, "bends", *operators.GROUND))
        pickers.draw_obstacles(column, path)
        column.prop(joins, "feet")
        transition.draw_method(column, joins)
        transition.draw_length(column, joins)
        names = ("first_frame", "ahead_seconds", "shortest_seconds", "width")
        forms.draw(layout, path, PathSettings, names)
        forms.draw(layout, path, PathSettings, WEIGHED)
        column = layout.column()
        column.prop(path, "result", placeholder=f"Along {path.followed.name}" if path.followed else "")
        column.prop(path, "strips")


ROWS = 8
"""So many joins are listed at a time."""


class JoinsPanel(PanelPart):
    """Lists which clips a path joins and where, why each was chosen, and what else could be."""

    bl_label = "Joins"
    parent = PathPanel

    @classmethod
    def poll(cls, context: Any) -> bool:
        return follows(context)

    def draw(self, context: Any) -> None:
        layout, armature = self.layout, context.object
        try:
            progress = searching.of(armature)
        except InertiaError as error:
            drawing.sentence(layout, context, words.PanelLine(error.sentence))
            return
        if progress.shown is None:
            drawing.sentence(layout, context, words.PanelLine("Find a path to see its joins."))
        elif not progress.shown.joins:
            drawing.sentence(
                layout, context, words.PanelLine("One clip covers the whole path, without a join.")
            )
        else:
            layout.active = progress.done == 1.0 and progress.is_analysed
            seen, join = (
                operators.verdicts_of(armature),
                progress.shown.joins[active_join(armature, progress.shown)],
            )
            draw_list(layout, context, progress.shown, seen)
            if join["frame"] in seen:
                draw_told(layout.column(align=True), context, armature, seen[join["frame"]])
            draw_join(layout, context, join, progress.shown)


def draw_list(layout: Any, context: Any, view: PathView, verdicts: dict[float, verdict.Verdict]) -> None:
    """Draw at most ROWS joins, those around the active one, which is in the middle unless an end is near.

    Each is a button inertia.choose_join with the join's index, a filled radio button if it is active, and a
    text such as "1.5 s  Turn left 90  Walk 48": seconds, what the character does then, and the clip's frame.
    Behind it are a lock if it stays as it is, as it comes before the last fixed clip or less than SAME behind
    that; a mark if it enters a mirror image; and an icon for its rating, if `verdicts` has the join's frame.

    With more than ROWS joins there are two buttons below, to the join before and the one behind (the operator
    stops at the first and last), and "3 of 12". verdicts: on joins that are baked, by scene frame. The
    context's active object must be the armature; view must have joins.
    """
    count, active = len(view.joins), active_join(context.object, view)
    fixed = context.object.inertia_path.fixed
    # joins before this time, in seconds, stay as they are
    until = fixed[-1].at + SAME if len(fixed) else 0.0
    first = min(max(active - ROWS // 2, 0), max(count - ROWS, 0))
    column = layout.column(align=True)
    for i in range(first, min(first + ROWS, count)):
        join = view.joins[i]
        row = column.row(align=True)
        left = row.row()
        left.alignment = "LEFT"
        does = shown.gait(join["leads"], view.size)
        text = f"{join['seconds']:.1f} s  {does}  {path_plot.frame_text(context.object, join['to'])}"
        choose = left.operator(
            "inertia.choose_join",
            text=labels.fitted_for(context, text, 1.0, 54.0),
            icon="RADIOBUT_ON" if i == active else "RADIOBUT_OFF",
            emboss=False,
            translate=False,
        )
        choose.index = i
        if join["seconds"] < until:
            row.label(text="", icon="LOCKED")
        if join["to"]["mirrored"]:
            row.label(text="", icon="MOD_MIRROR")
        if join["frame"] in verdicts:
            row.label(text="", icon=drawing.RATINGS[verdicts[join["frame"]].rating])
    if count > ROWS:
        row = layout.row(align=True)
        row.operator("inertia.choose_join", text="", icon="TRIA_UP").index = active - 1
        row.operator("inertia.choose_join", text="", icon="TRIA_DOWN").index = active + 1
        at_end(row, translated("{0} of {1}", active + 1, count), active=False)


def draw_join(layout: Any, context: Any, join: dict[str, Any], view: PathView) -> None:
    """Draw a join: where it is, why it was chosen, and what can be done about it.

    In order:

    - Rows of label and value: "Place", to two decimals, in metres along the path or in seconds for
      one with a timing; "Leaves" and "Enters", each as "Walk 48" or "Walk 48 (mirrored)".
    - The lines of :func:`reason`.
    - If there are any next best clips, the label "Next Best" and a button inertia.take_clip for
      each, with its index from 0, and a text of what the character does and the clip's frame.
    - The button inertia.forbid_clip, which works on the active join.

    join: as commands tell it, see :func:`search.joins`. The context's active object must be the armature.
    """
    armature = context.object
    facts = [
        (translated("Place"), f"{join['place']:.2f} {'s' if view.is_timed else 'm'}"),
        (translated("Leaves"), path_plot.clip_text(armature, join["from"])),
        (translated("Enters"), path_plot.clip_text(armature, join["to"])),
    ]
    drawing.facts(layout, context, facts)
    for line in shown.reason(armature, join):
        drawing.sentence(layout, context, line)
    if join["next_best"]:
        column = layout.column(align=True)
        column.label(text="Next Best")
        for i, other in enumerate(join["next_best"]):
            row = column.row(align=True)
            does = shown.gait(other["leads"], view.size)
            text = labels.fitted_for(context, f"{does}  {path_plot.clip_text(armature, other)}", 1.0, 20.0)
            row.operator("inertia.take_clip", text=text, icon="PINNED", translate=False).index = i
    layout.operator("inertia.forbid_clip", icon="CANCEL")


class AskedPanel(PanelPart):
    """Lists where to be on which frame, and which clips are pinned to places or forbidden on parts."""

    bl_label = "Goals and Pins"
    parent = PathPanel

    @classmethod
    def poll(cls, context: Any) -> bool:
        return follows(context)

    def draw(self, context: Any) -> None:
        layout, path = self.layout, context.object.inertia_path
        if not count_wishes(path):
            text = "Put the 3D cursor on the path and say when to be there, or pin a clip to that place."
            drawing.sentence(layout, context, words.PanelLine(text))
        column = layout.column(align=True)
        column.operator("inertia.set_goal", icon="TRACKING")
        column.operator("inertia.pin_clip", text="Pin at 3D Cursor", icon="PINNED")
        if len(path.fixed):
            row = layout.row()
            row.label(text=translated("As it is up to {0} s", f"{path.fixed[-1].at:.1f}"), icon="LOCKED")
            row.operator("inertia.unpin_clip", text="", icon="X").change = "FIXED"
        for kind in ("goal", "pin", "ban"):
            draw_asked(layout, path, kind)
        if count_wishes(path) > 1:
            layout.operator("inertia.unpin_clip", text="Remove All", icon="TRASH").change = "ALL"


FIELDS = {"goal": ("frame", "at", "use_facing"), "pin": ("frame", "at", "mirrored"), "ban": ("first", "last")}
"""What is shown of the chosen goal, pin or ban."""


def draw_asked(layout: Any, path: Any, kind: str) -> None:
    """Draw the list of goals, of pins or of bans with the fields of the chosen one; nothing where the list is
    empty.

    kind: "goal", "pin" or "ban". path: an armature's inertia_path, with goals, pins and bans, and
    active_goal, active_pin and active_ban. Beside the list is the button inertia.unpin_clip, with change
    "GOAL", "PIN" or "BAN". Below are, in order, of a goal frame, at, use_facing and, if that is on, facing;
    of a pin action, frame, at and mirrored; of a ban action, first and last. There are no fields if the
    active index is out of range.
    """
    if not len(getattr(path, f"{kind}s")):
        return

    def draw_wish(below: Any, item: Any) -> None:
        column = split(below.column())
        if kind != "goal":
            pickers.draw(column, item, "action")
        for name in FIELDS[kind]:
            column.prop(item, name)
        if kind == "goal" and item.use_facing:
            column.prop(item, "facing")

    names = (f"INERTIA_UL_path_{kind}s", f"{kind}s", f"active_{kind}")
    remove = Button("unpin_clip", "REMOVE", values={"change": kind.upper()})
    row_list.draw_rows(layout, path, names, (remove,), draw_active=draw_wish)


PANELS = (PathPanel, JoinsPanel, AskedPanel)
CLASSES = (VIEW3D_PT_inertia_path_options,)
