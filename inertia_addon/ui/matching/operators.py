# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the way along a path, bakes it, makes it anew, and lists the actions that it is made of."""

from __future__ import annotations

import contextlib
from collections.abc import Generator
from typing import Any

import bpy
from bpy.props import BoolProperty

from ...blender.data import actions, clip_store, compat, recipe, scene
from ...blender.evaluation import influence
from ...blender.judging import verdict
from ...blender.judging.verdict import Verdict
from ...blender.matching import bake, followed, quality, recipes, search, stock
from ...blender.matching.bake import PathReport
from ...blender.matching.search import Found
from ...errors import InertiaError
from ...motion.steps import part
from ...settings.matching import PathSettings
from ..feet.operators import draw_ground
from ..shared import cache, drawing, tool, words
from ..shared.long_work import LongWork
from ..shared.made_of import plain, put, start_from, values_of
from ..shared.tool import Tool
from ..transition import after, pickers, previewing, results
from ..transition.clip_rows import ChangesClips
from . import properties, searching
from .properties import SETTINGS, PathFields

QUALITY = "path:quality"
"""What is known of the path that was baked last is kept under."""
SEARCH, BAKED = 0.4, 0.8
"""About what part of a bake is done once it was searched, and once all is written; the rest judges it."""
NEEDS = (
    tool.poll_settings,
    tool.poll_armature,
    tool.need(lambda context: context.object.inertia_path.followed, "Choose what to follow first"),
)


class INERTIA_OT_find_path(LongWork, bpy.types.Operator):
    bl_idname = "inertia.find_path"
    bl_label = "Find Path"
    bl_description = (
        "Analyse the actions and search the best way along the path. Later changes are searched "
        "automatically, until an action changes. Nothing is baked; ESC stops it"
    )
    bl_options = {"REGISTER"}
    needs = NEEDS

    def work(self, context: Any) -> Generator[float, None, None]:
        self.stands_on(*properties.stands_on(context.object))
        found = yield from searching.finding(context.object)
        figures = search.figures(found)
        for warning in found.warnings:
            self.say(warning, "WARNING")
        self.say(
            "{seconds:.1f} s, {joins}; {rms} from the path (rms).",
            seconds=figures["seconds"],
            joins=words.count(figures["cuts"], "join"),
            rms=scene.length_text(figures["path_rms_m"]),
        )


class INERTIA_OT_stop_path(Tool, bpy.types.Operator):
    bl_idname = "inertia.stop_path"
    bl_label = "Stop Search"
    bl_description = "Stop the search in the background; another change starts a new one"
    bl_options = {"REGISTER"}
    needs = (
        tool.poll_settings,
        tool.need(lambda context: searching.is_searching(context.object), "Nothing is searched now"),
    )

    def act(self, context: Any) -> None:
        searching.stop(context.object)
        cache.redraw()


class INERTIA_OT_bake_path(LongWork, PathFields, bpy.types.Operator):
    """The properties are PathSettings' fields."""

    bl_idname = "inertia.bake_path"
    bl_label = "Bake Path"
    bl_description = (
        "Make a new action that goes along the path, with a marker for each of its clips. The clips "
        "themselves stay unchanged"
    )
    needs = NEEDS

    replace: plain(
        BoolProperty,
        "In Its Place",
        "Update the earlier action along the same path, instead of adding another",
    )

    def work(self, context: Any) -> Generator[float, None, None]:
        armature = context.object
        previewing.end(stay=True)
        start_from(self, armature.inertia_path, PathSettings, SETTINGS)
        settings = properties.settings_from(armature, self)
        own = armature.inertia_path
        self.stands_on(*properties.stands_on(armature))
        earlier = None
        if self.replace:
            earlier = recipes.replaceable(armature, own.followed, own.result, settings.strips)
            self.stands_on(earlier)
        found = yield from part(searching.finding(armature, settings), 0.0, SEARCH)
        uid = 0 if earlier is None else earlier.session_uid
        report = yield from part(bake.baking(armature, found, earlier), SEARCH, BAKED)
        self.has_changed(uid)
        yield from part(telling(self, context, found, report), BAKED, 1.0)
        if self.options.is_repeat:
            # the next bake starts from what the redo panel was changed to
            for name, value in values_of(self, PathSettings, SETTINGS).items():
                put(own, PathSettings, name, value)

    def draw(self, _context: Any) -> None:
        layout = drawing.split(self.layout)
        draw_following(layout, self)
        draw_result(layout, self)


def draw_following(layout: Any, own: Any) -> None:
    """How it is followed."""
    column = layout.column()
    column.prop(own, "speed")
    if own.speed == "CONSTANT":
        column.prop(own, "constant_speed")
    column.prop(own, "facing")
    column.prop(own, "begins")
    column.prop(own, "ends")


def draw_result(layout: Any, own: Any) -> None:
    """What a search weighs, and where its result begins."""
    column = layout.column()
    column.prop(own, "mirror")
    column.prop(own, "faithful", slider=True)
    column.prop(own, "warp")
    draw_ground(column, own)
    pickers.draw_obstacles(column, own)
    column.prop(own, "first_frame")
    column.prop(own, "strips")


def telling(operator: Tool, context: Any, found: Found, report: PathReport) -> Generator[float, None, None]:
    """Judge a path, say what it is like, and have the playback go along it; yields the part that is done."""
    armature, measured = context.object, None
    clip = clip_store.read(armature, actions.find(report.result), report.slot)
    if influence.why_not_plain(armature, (clip,)):
        # all that Blender would have to play once more is left as it is expected, but for the joins
        verdicts = yield from quality.judging(armature, found, report)
    else:
        measured = yield from quality.measuring(armature, found, report)
        verdicts = measured.verdicts
    for warning in dict.fromkeys((*found.warnings, *report.warnings)):
        operator.say(warning, "WARNING")
    first, last = report.frame_range
    if report.assigned and armature.inertia.show_result:
        after.show_between(context.scene, round(first), round(last))
    figures = search.figures(found)
    cache.put(QUALITY, armature, report.result, (figures, measured, verdicts))
    operator.say(
        '"{action}" is baked: {seconds:.1f} s, {joins}; {rms} from the path (rms).',
        action=report.result,
        seconds=figures["seconds"],
        joins=words.count(len(report.cut_frames), "join"),
        rms=scene.length_text(figures["path_rms_m"] if measured is None else measured.path_rms_m),
    )


def verdicts_of(armature: Any) -> dict[float, Verdict]:
    """The verdicts on the joins of the path that plays, by their frames, once it was judged."""
    action = recipes.playing(armature)
    known = None if action is None else cache.known(QUALITY, armature, action.name)
    if action is None or known is None:
        return {}
    joins = recipes.plays_of(action)[1:]
    return {one.frame: seen for one, seen in zip(joins, known[2], strict=True)}


def rebake(operator: LongWork, context: Any, action: Any) -> Generator[float, None, None]:
    """Follow a path anew, as it is now, with the settings that it was baked with."""
    armature = context.object
    settings, weights = recipes.recipe_of(action)
    analysed = yield from part(stock.analysing(armature, settings, weights), 0.0, 0.3)
    steps = search.searching(analysed, settings, followed.course(settings))
    found = yield from part(steps, 0.3, SEARCH)
    uid = action.session_uid
    report = yield from part(bake.baking(armature, found, action), SEARCH, BAKED)
    operator.has_changed(uid)
    yield from part(telling(operator, context, found, report), BAKED, 1.0)


def anew(armature: Any, action: Any) -> str:
    """The operator that bakes a path anew with the panel's settings, where these are others than its own."""
    own = armature.inertia_path
    if own.followed is None or recipes.replaceable(armature, own.followed, own.result, own.strips) != action:
        return ""
    with contextlib.suppress(InertiaError):  # what can't be asked for or read its own panel says
        asked, stored = properties.settings_from(armature), recipes.recipe_of(action)[0]
        own_differ = results.differ(asked.as_dict(), stored.as_dict(), frozenset({"transition"}))
        joins = asked.transition.as_dict(), stored.transition.as_dict()
        if own_differ or results.differ(*joins, results.NOT_COMPARED):
            return "bake_path"
    return ""


def baked_figures(armature: Any) -> dict[str, Any] | None:
    """What the path that plays is like, as measured; None where none is known, or another is asked for."""
    action = recipes.playing(armature)
    known = None if action is None else cache.known(QUALITY, armature, action.name)
    if known is None or anew(armature, action):
        return None
    figures, measured, _ = known
    if measured is None:
        return dict(figures)
    return {**figures, "path_rms_m": measured.path_rms_m, "path_max_m": measured.path_max_m}


def worst(armature: Any, action: Any) -> Verdict | None:
    """The verdict on the worst join of a path, once it was judged."""
    known = cache.known(QUALITY, armature, action.name)
    if known is None or not known[2]:
        return None
    return verdict.worst(known[2])


def steps(armature: Any, action: Any) -> tuple[results.Step, ...]:
    """What usually comes after a path: its feet are locked on the ground that it goes over, and it is steered
    on."""
    found = []
    with contextlib.suppress(InertiaError):  # what can't be asked for or read its own panel says
        own = recipes.recipe_of(action)[0]
        ground = {
            "ground": own.ground,
            "ground_height": own.ground_height,
            "ground_object": own.ground_object,
        }
        found.append(results.Step("Lock Feet", "inertia.lock_feet", "LOCKED", ground))
    if compat.assigned(armature)[0] == action:
        found.append(results.Step("Steer On", "inertia.steer", "VIEW_PAN", {"from_end": True}))
    return tuple(found)


def load(armature: Any, action: Any) -> None:
    """Have the panels ask for the settings of a path, or of a take."""
    settings, _ = recipes.recipe_of(action)
    if settings.points:
        raise InertiaError(
            '"{action}" follows a file of points, which no panel asks for; follow a curve.',
            action=action.name,
        )
    properties.put_settings(armature, settings)
    own = armature.inertia_path
    named = "" if own.followed is None else f"Along {own.followed.name}"
    own.result = "" if settings.wishes or action.name == named else action.name


results.add(recipe.PATH, results.Kind("Path", rebake, anew=anew, verdict=worst, steps=steps, load=load))


class INERTIA_OT_path_clips(ChangesClips, bpy.types.Operator):
    bl_idname = "inertia.path_clips"
    bl_label = "Change the List of Actions"
    bl_description = "Change which actions the path is followed with"
    group = "inertia_path"

    def fitting(self, armature: Any) -> list[Any]:
        return clip_store.unbaked(armature)
