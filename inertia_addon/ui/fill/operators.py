# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds what fills a gap, bakes it, judged and told, makes it anew, and says how long it is and where it
leads."""

from __future__ import annotations

import contextlib
import math
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, FloatProperty, IntProperty, StringProperty
from mathutils import Vector

from ...blender.data import clip_store, recipe, recipe_reader, result_kinds
from ...blender.evaluation import character as characters
from ...blender.evaluation import hindrances
from ...blender.fill import bake, choosing, search, selected_keys, touches
from ...blender.judging import verdict
from ...blender.nla import strips, tracks
from ...errors import InertiaError
from ...motion.fill import search as fill_search
from ...motion.steps import Steps, part
from ...settings.fill import CHOICES, FillSettings
from ...settings.fill_wishes import Touch
from ..cost.joint_list import weights_from
from ..shared import cache, drawing, forms, made_of, tool, words
from ..shared.long_work import LongWork
from ..shared.made_of import plain
from ..shared.tool import Tool
from ..transition import fields, pickers, previewing, results
from ..transition.pickers import ChangesClips
from . import finding, properties
from .properties import FillFields

if TYPE_CHECKING:
    from ...blender.fill.bake import FillReport
    from ...blender.judging.verdict import Verdict

SEARCH = 0.4
"""About what part of a bake is done once it was searched."""
QUALITY = "fill:quality"
"""The verdicts on the fill that was baked last are kept under."""
CLIPS = ("mirror", "faithful", "posture")
"""Which clips a gap is filled with, and how they are chosen."""


class INERTIA_OT_find_fill(LongWork, bpy.types.Operator):
    bl_idname = "inertia.find_fill"
    bl_label = "Find Fill"
    bl_description = (
        "Search the clips that lead from the source to the destination, to arrive there on the frame: up to "
        "three unlike ways to choose from, each judged, which the view shows. Nothing is baked; ESC stops it"
    )
    bl_options = {"REGISTER"}
    needs = tool.POLL_PAIR

    def work(self, context: Any) -> Steps[None]:
        armature = context.object
        settings = properties.settings_from(armature)
        if not settings.use_library:
            raise InertiaError("Without clips there is nothing to find; press Fill Gap.")
        self.stands_on(*properties.stands_on(settings))
        try:
            with finding.keep_refusals(armature, settings):
                steps = choosing.find_choices_steps(armature, settings, weights_from(armature), CHOICES)
                fills = finding.keep_choices(armature, settings, (yield from steps))
        except (fill_search.TooFar, touches.OutOfReach) as error:
            # that is what was asked, and the panel has a button for what would do
            self.say(error.sentence, "WARNING")
            return
        figures = fills[finding.chosen(armature, fills)].figures
        if "costs" not in figures:
            self.say("{fills}; the chosen one has no clips between.", fills=words.count(len(fills), "fill"))
            return
        self.say(
            "{fills}; the chosen one has {clips} between, drawn by {distance} cm, turned by {angle} degrees.",
            fills=words.count(len(fills), "fill"),
            clips=words.count(len(figures["clips"]), "clip"),
            distance=f"{100.0 * figures['drawn_m']:.1f}",
            angle=f"{figures['turned_deg']:.1f}",
        )


class INERTIA_OT_bake_fill(LongWork, FillFields, bpy.types.Operator):
    """The properties are FillSettings' fields."""

    bl_idname = "inertia.bake_fill"
    bl_label = "Fill Gap"
    bl_description = (
        "Make a new action that plays the source up to the cut, leads through clips, and arrives in the "
        "destination on its frame. The actions themselves stay unchanged"
    )
    needs = (tool.poll_settings, tool.poll_armature)

    replace: plain(
        BoolProperty,
        "In Its Place",
        "Update the earlier fill of the same gap, instead of adding another",
    )
    from_strips: plain(
        BoolProperty,
        "From Strips",
        "Take source, destination, cut, gap and destination frame from the two selected strips",
    )
    from_keys: plain(
        BoolProperty,
        "From Keys",
        "Fill the assigned action between the first and the last of its selected keys",
    )
    keep_between: plain(
        BoolProperty,
        "Keep Poses",
        "Show the poses of other selected keys, between the first and the last, on their frames",
    )

    def work(self, context: Any) -> Steps[None]:
        armature = context.object
        previewing.end(stay=True)
        gap, met = armature.inertia_fill, None
        between: tuple[float, ...] = ()
        if self.from_strips:
            met = strips.apart(armature)
        elif self.from_keys:
            selected = getattr(context, "selected_editable_keyframes", None)
            met, between = selected_keys.find_gap(armature, selected)
            between = between if self.keep_between else ()
        elif None in (armature.inertia.source, armature.inertia.destination):
            raise InertiaError("Choose a source and a destination action first.")
        properties.start_from(self, gap)
        if met is not None and not self.options.is_repeat:
            self.gap_frames = met.gap
            if self.from_keys:
                # what comes behind the keys stays where it is
                self.use_place, self.goal = False, "AUTO"
                self.through = made_of.names_to_text(f"{frame:g}" for frame in between)
        asked = finding.limit_choice(armature, properties.settings_from(armature, self, met))
        settings = search.resolved(characters.read_character(armature), asked)
        if asked.use_library != settings.use_library:
            self.say(search.TOO_SHORT)
        gap.choice = min(gap.choice, settings.choice)
        earlier = replaceable(armature, settings) if self.replace else None
        self.stands_on(*properties.stands_on(settings), earlier)
        uid = 0 if earlier is None else earlier.session_uid
        fill = None
        if settings.use_library:
            with finding.keep_refusals(armature, settings):
                searching = search.search_candidates_steps(armature, settings, weights_from(armature))
                fill = yield from part(searching, 0.0, SEARCH)
        steps = bake.fill_gap_steps(armature, settings, fill, earlier, weights_from(armature))
        report = yield from part(steps, SEARCH, 1.0)
        self.has_changed(uid)
        if met is not None:
            fields.put_meeting(armature.inertia, met)
        if met is not None or self.options.is_repeat:
            # the next one starts from what the redo panel was changed to
            properties.keep(self, gap)
        tell(self, context, report)

    def draw(self, _context: Any) -> None:
        layout = drawing.split(self.layout)
        layout.prop(self, "gap_frames")
        draw_place(layout, self)
        layout.column().prop(self, "use_library")
        column = layout.column()
        column.active = self.use_library
        forms.draw(column, self, FillSettings, CLIPS)
        pickers.draw_obstacles(column, self)
        forms.draw(column, self, FillSettings, ("choose_by", "choice"))
        draw_wishes(layout.column(), self)
        layout.prop(self, "strips")


def draw_place(layout: Any, holder: Any) -> Any:
    """Draw where the destination is arrived at, of an operator or an object, and return the row of the
    switch, for more.

    That is the switch use_place and, if it is on, the place and facing, else the goal.
    """
    column = layout.column()
    row = column.row(align=True)
    row.prop(holder, "use_place")
    if holder.use_place:
        column.prop(holder, "place")
        column.prop(holder, "facing")
    else:
        column.prop(holder, "goal")
    return row


def draw_wishes(column: Any, holder: Any) -> None:
    """Draw what is asked for on the way, of an operator or an object."""
    for name in ("through", "waypoints", "touches"):
        column.prop(holder, name)


class INERTIA_OT_use_fill_time(Tool, bpy.types.Operator):
    bl_idname = "inertia.use_fill_time"
    bl_label = "Give the Gap More Time"
    bl_description = "Set the gap to the nearest length in which clips arrive"
    bl_options = {"UNDO", "INTERNAL"}
    needs = tool.POLL_PAIR

    gap_frames: plain(FloatProperty, "Gap", "The length of the gap in frames")

    def act(self, context: Any) -> None:
        context.object.inertia_fill.gap_frames = self.gap_frames


class INERTIA_OT_use_nearest_touch(Tool, bpy.types.Operator):
    bl_idname = "inertia.use_nearest_touch"
    bl_label = "Reach as Far as It Goes"
    bl_description = "Have the bone touch the nearest point that it comes to, in place of the one asked for"
    bl_options = {"UNDO", "INTERNAL"}
    needs = tool.POLL_PAIR

    touch: plain(StringProperty, "Touch", "The bone with its frame and the point")

    def act(self, context: Any) -> None:
        properties.put_touch(context.object.inertia_fill, Touch.of(self.touch))


class INERTIA_OT_choose_fill(Tool, bpy.types.Operator):
    bl_idname = "inertia.choose_fill"
    bl_label = "Choose Fill"
    bl_description = "Fill the gap this way. The view draws the others faintly"
    bl_options = {"UNDO", "INTERNAL"}
    needs = tool.POLL_PAIR

    choice: plain(IntProperty, "Choice", "Which of the fills, counted from 1")

    def act(self, context: Any) -> None:
        context.object.inertia_fill.choice = self.choice


class INERTIA_OT_fill_at_cursor(Tool, bpy.types.Operator):
    bl_idname = "inertia.fill_at_cursor"
    bl_label = "Arrive at 3D Cursor"
    bl_description = (
        "Arrive at the 3D cursor, and face as an object would that is turned like it: along -Y if the "
        "cursor is not turned"
    )
    needs = tool.POLL_PAIR

    def act(self, context: Any) -> None:
        gap, cursor = context.object.inertia_fill, context.scene.cursor
        ahead = cursor.matrix.to_3x3() @ Vector((0.0, -1.0, 0.0))
        gap.use_place, gap.place = True, cursor.location[:2]
        if ahead.xy.length > 1e-3:
            gap.facing = math.atan2(ahead.y, ahead.x)
        cache.redraw()


class INERTIA_OT_fill_clips(ChangesClips, bpy.types.Operator):
    bl_idname = "inertia.fill_clips"
    bl_label = "Change the List of Clips"
    bl_description = "Change which actions may lie in the gap"
    group = "inertia_fill"

    def list_fitting(self, armature: Any) -> list[Any]:
        return clip_store.unbaked(armature)


def tell(operator: Tool, context: Any, report: FillReport) -> None:
    """Report what a filled gap is like through an operator, and keep its verdicts for the panel.

    First come the report's warnings and what else hinders the armature, each once, as WARNING; then one INFO
    that names the result, the number of joins and the frame of arrival. Verdicts are not reported; they are
    kept under QUALITY and the result's name, see :func:`verdicts_of`.

    The context's active object must be the armature. If its show_result is on and the result was assigned to
    it, the scene's preview range goes from AROUND_SECONDS (of the module `results`) before the gap to as much
    behind it, within the result's keys. A marker with the result's name is made at the cut, or moved there,
    and a playhead outside of the range goes to its start.
    """
    armature, asked = context.object, report.settings["transition"]
    arrival = report.arrival + asked["shift"]
    warnings = *report.warnings, *hindrances.describe(armature), report.not_assigned_because
    for text in dict.fromkeys(filter(None, warnings)):
        operator.say(text, "WARNING")
    cache.put(QUALITY, armature, report.result, report.verdicts)
    if report.assigned and armature.inertia.show_result:
        window = asked["cut"] + asked["shift"], arrival
        results.show_window(context, report.result, window, report.frame_range)
    operator.say(
        '"{action}" fills the gap: {joins}, and the arrival on frame {frame}.',
        action=report.result,
        joins=words.count(len(report.cuts), "join"),
        frame=words.number(arrival),
    )


def replaceable(armature: Any, settings: FillSettings) -> Any | None:
    """Return the earlier fill of the same two actions whose place a new one can take, None without one.

    Its recipe must have the same source and destination and the same strips as settings, and it must be
    editable. If settings name a result, only the action of that name is looked at; otherwise those that the
    armature plays, the assigned one first, then the one called "SOURCE to DESTINATION".
    """
    ends = settings.transition.source, settings.transition.destination
    name = settings.transition.result
    named = bpy.data.actions.get(name or " to ".join(ends))
    for action in (named,) if name else (*tracks.find_playing(armature), named):
        if action is None or not recipe.is_baked(action, recipe.FILL) or not action.is_editable:
            continue
        with contextlib.suppress(InertiaError):  # what can't be read is another one
            stored = recipe_reader.read_recipe(action, recipe.FILL).settings
            before = stored.transition.source, stored.transition.destination
            if (before, stored.strips) == (ends, settings.strips):
                return action
    return None


def anew(armature: Any, action: Any) -> str:
    """Return "bake_fill", the operator that fills a gap anew in place, without "inertia.", if the panel's
    settings differ from the action's own; else "".

    The result's name, whether it and the other results are assigned, and how an entry is looked for don't
    count. It is "" as well without both actions, if the action is not the fill that a new one of the panel's
    would replace, or where settings can't be read.
    """
    if None in (armature.inertia.source, armature.inertia.destination):
        return ""
    with contextlib.suppress(InertiaError):  # what can't be asked for or read its own panel says
        asked = properties.settings_from(armature)
        if replaceable(armature, asked) != action:
            return ""
        stored = recipe_reader.read_recipe(action, recipe.FILL).settings
        differs = results.differ(asked.as_dict(), stored.as_dict(), frozenset({"transition"}))
        joins, stored_joins = asked.transition.as_dict(), stored.transition.as_dict()
        if differs or results.differ(joins, stored_joins, results.NOT_COMPARED):
            return "bake_fill"
    return ""


def verdicts_of(armature: Any) -> tuple[Verdict, ...]:
    """Return the verdicts on the joins of the fill that the armature plays, the assigned one before strips,
    the arrival last.

    () if none plays, or it was not judged since the file was opened.
    """
    for action in tracks.find_playing(armature):
        if recipe.is_baked(action, recipe.FILL):
            return cache.recall(QUALITY, armature, action.name) or ()
    return ()


def worst(armature: Any, action: Any) -> Verdict | None:
    """Return the verdict on the worst join of a filled gap, once it was judged."""
    verdicts = cache.recall(QUALITY, armature, action.name)
    return verdict.worst(verdicts) if verdicts else None


results.add(result_kinds.FILL, results.ResultKind("Fill", tell, anew=anew, verdict=worst))
