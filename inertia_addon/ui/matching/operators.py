# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the way along a path, bakes it, makes it anew, and lists the actions that it is made of."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

import bpy
from bpy.props import BoolProperty

from ...blender.data import actions, clip_store, compat, recipe, recipe_reader, result_kinds, scene
from ...blender.evaluation import character as characters
from ...blender.evaluation import hindrances
from ...blender.judging import verdict
from ...blender.matching import action_set, bake, followed, quality, recipes, search
from ...errors import InertiaError
from ...motion.steps import Steps, part
from ...settings.matching import PathSettings
from ..shared import cache, drawing, forms, tool, words
from ..shared.long_work import LongWork
from ..shared.made_of import plain, put, start_from, values_of
from ..shared.tool import Tool
from ..transition import pickers, previewing, results
from ..transition.pickers import ChangesClips
from . import properties, searching
from .properties import SETTINGS, PathFields

QUALITY = "path:quality"
"""What is known of the path that was baked last is kept under."""
SEARCH, BAKED = 0.4, 0.67
"""About what part is done once a path was searched; and of what comes then once all is written, but not
judged."""
FOLLOWING = ("speed", "constant_speed", "facing", "begins", "ends")
"""How a path is followed, ..."""
SEARCHED, GROUND = ("mirror", "faithful", "warp"), ("ground", "ground_height", "ground_object")
"""... what its search weighs, and what feet stand on then."""
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

    def work(self, context: Any) -> Steps[None]:
        self.stands_on(*properties.stands_on(context.object))
        plan = yield from searching.find_steps(context.object)
        figures = search.figures(plan)
        for warning in plan.warnings:
            self.say(warning, "WARNING")
        self.say(
            "{seconds:.1f} s, {joins}; {rms} from the path (rms).",
            seconds=figures["seconds"],
            joins=words.count(figures["cuts"], "join"),
            rms=scene.length_text(figures["path_rms_m"]),
        )


class INERTIA_OT_stop_path(tool.Tool, bpy.types.Operator):
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

    def work(self, context: Any) -> Steps[None]:
        armature = context.object
        previewing.end(stay=True)
        start_from(self, armature.inertia_path, PathSettings, SETTINGS)
        settings = properties.settings_from(armature, self)
        path = armature.inertia_path
        self.stands_on(*properties.stands_on(armature))
        earlier = None
        if self.replace:
            earlier = recipes.replaceable(armature, path.followed, path.result, strips=settings.strips)
            self.stands_on(earlier)
        plan = yield from part(searching.find_steps(armature, settings), 0.0, SEARCH)
        yield from part(bake_steps(self, context, plan, earlier), SEARCH, 1.0)
        if self.options.is_repeat:
            # the next bake starts from what the redo panel was changed to
            for name, value in values_of(self, PathSettings, SETTINGS).items():
                put(path, PathSettings, name, value)

    def draw(self, _context: Any) -> None:
        layout = drawing.split(self.layout)
        forms.draw(layout, self, PathSettings, FOLLOWING)
        forms.draw(layout, self, PathSettings, (*SEARCHED, *GROUND))
        pickers.draw_obstacles(layout, self)
        forms.draw(layout, self, PathSettings, ("first_frame", "strips"))


def make_steps(
    operator: LongWork, context: Any, settings: PathSettings, weights: Mapping[str, float]
) -> Steps[None]:
    """Analyse clips, search a way along a path, bake it, judge it and report that through the operator; yield
    the part that is done, 0 to 1.

    The context's active object must be the armature. settings: of the path, with what is followed and the
    clips. weights: what each joint counts, by bone. What the panel has searched is neither used nor replaced.

    Raise InertiaError where clips can't be used, nothing is found or it can't be baked, with the file
    unchanged; and if the result can't be read or judged, which is in the file by then.
    """
    analysed = yield from part(
        action_set.analyse_steps(characters.read_character(context.object), settings, weights), 0.0, 0.2
    )
    steps = search.search_path_steps(analysed, settings, followed.course(settings))
    plan = yield from part(steps, 0.2, SEARCH)
    yield from part(bake_steps(operator, context, plan), SEARCH, 1.0)


def bake_steps(
    operator: LongWork, context: Any, plan: search.PathPlan, into: Any | None = None
) -> Steps[None]:
    """Bake a way into an action, judge it and report that through the operator; yield the part that is done,
    0 to 1.

    The context's active object must be the armature. into: an earlier baked path to bake anew in its place,
    None for a new action. The bake changes `into`; the operator is told to expect that, so that it goes on
    where any other change of what it stands on would stop it.

    Raise InertiaError if the way can't be baked, with the file as it was; and if the result can't be read or
    judged, which is in the file by then. See :func:`tell_steps` for what is reported.
    """
    uid = 0 if into is None else into.session_uid
    report = yield from part(bake.bake_way_steps(context.object, plan, into), 0.0, BAKED)
    operator.has_changed(uid)
    yield from part(tell_steps(operator, context, report), BAKED, 1.0)


def tell_steps(operator: Tool, context: Any, report: bake.PathReport) -> Steps[None]:
    """Judge a baked way, report its figures and warnings through the operator, and keep them for the panels;
    yield the part that is done, 0 to 1.

    The context's active object must be the armature. First the joins are judged, and the distance from the
    path is measured; on a rig that Blender has to play only the former, and the figures stay those that the
    search expects. Then each warning of plan, report and rig is reported once, and last an INFO: the action's
    name, seconds, number of joins and rms from the path.

    If the action is assigned and the armature's show_result is on, the scene's preview range becomes the
    action's frames, and a playhead outside of it goes to its start. What is kept of another path of this
    armature is dropped. Raise InertiaError if the result can't be read or judged; nothing is reported, shown
    or kept then.
    """
    armature, measured, plan = context.object, None, report.followed
    clip = clip_store.read(armature, actions.find(report.result), report.slot)
    character = characters.read_character(armature)
    if character.find_poser((clip,)).has_to_play:
        # all that Blender would have to play once more is left as it is expected, but for the joins
        verdicts = yield from quality.judge_path_steps(character, plan, report)
    else:
        measured = yield from quality.measure_path_steps(armature, plan, report)
        verdicts = measured.verdicts
    warnings = *plan.warnings, *report.warnings, *hindrances.describe(armature), report.not_assigned_because
    for warning in dict.fromkeys(filter(None, warnings)):
        operator.say(warning, "WARNING")
    first, last = report.frame_range
    if report.assigned and armature.inertia.show_result:
        results.show_between(context.scene, round(first), round(last))
    figures = search.figures(plan)
    cache.put(QUALITY, armature, report.result, (figures, measured, verdicts, plan.stop))
    operator.say(
        '"{action}" is baked: {seconds:.1f} s, {joins}; {rms} from the path (rms).',
        action=report.result,
        seconds=figures["seconds"],
        joins=words.count(len(report.cut_frames), "join"),
        rms=scene.length_text(figures["path_rms_m"] if measured is None else measured.path_rms_m),
    )


def _recall_quality(armature: Any) -> tuple[Any | None, Any | None]:
    """Return the path that plays, and what is known of it once it was judged.

    That are figures, quality, the verdicts on its joins, and the one on where it stops before its end, None
    where it arrives.
    """
    action = recipes.find_playing(armature)
    return action, None if action is None else cache.recall(QUALITY, armature, action.name)


def verdicts_of(armature: Any) -> dict[float, verdict.Verdict]:
    """Return the verdicts on the joins of the path that the armature plays, by their frames.

    The keys are the frames that the joins were baked at, in order, which need not be whole; the beginning is
    not among them. Strips that were moved since do not change them. {} if no path plays, it was not judged
    since the file was opened or another path of this armature was judged after it, or an action that it was
    made of is gone or its recipe can't be read.
    """
    action, judged = _recall_quality(armature)
    if judged is None:
        return {}
    try:
        joins = recipes.plays_of(action)[1:]
    except InertiaError:
        # a panel is drawn all the same
        return {}
    return {play.frame: seen for play, seen in zip(joins, judged[2], strict=True)}


def anew(armature: Any, action: Any) -> str:
    """Return "bake_path", the operator that bakes a path anew in place, without "inertia.", if the panel's
    settings differ from the action's own; else "".

    The result's name, whether it and other results are assigned, and how an entry is looked for don't count.
    It is "" as well if nothing is followed, the action is not the path that a new bake of the panel would
    replace, or settings can't be read.
    """
    path = armature.inertia_path
    if (
        path.followed is None
        or recipes.replaceable(armature, path.followed, path.result, strips=path.strips) != action
    ):
        return ""
    with contextlib.suppress(InertiaError):  # what can't be asked for or read its own panel says
        asked, stored = (
            properties.settings_from(armature),
            recipe_reader.read_recipe(action, recipe.PATH).settings,
        )
        own_differ = results.differ(asked.as_dict(), stored.as_dict(), frozenset({"transition"}))
        joins, stored_joins = asked.transition.as_dict(), stored.transition.as_dict()
        if own_differ or results.differ(joins, stored_joins, results.NOT_COMPARED):
            return "bake_path"
    return ""


def recall_figures(armature: Any) -> dict[str, Any] | None:
    """Return the figures of the path that the armature plays, by name, as a new dict at each call.

    They are those that its search expected (see :func:`search.figures`): seconds, cuts, cuts_per_second,
    heading_deg, displacement_m_s_per_second, reached and others. "path_rms_m" and "path_max_m", in metres,
    are the measured ones, if they were measured.

    None where no path plays, it was not judged since the file was opened or another path of this armature was
    judged after it, or a bake by the panel's settings would make it anew with other settings.
    """
    action, judged = _recall_quality(armature)
    if judged is None or anew(armature, action):
        return None
    figures, measured, *_ = judged
    if measured is None:
        return dict(figures)
    return {**figures, "path_rms_m": measured.path_rms_m, "path_max_m": measured.path_max_m}


def worst(armature: Any, action: Any) -> verdict.Verdict | None:
    """Return the verdict on a path by what was kept when it was judged: that it stops before its end, if it
    does, else that on its worst join.

    Only the path that was judged last for this armature, since the file was opened, is known, by its name.
    None for any other, and for one that arrives and has no joins.
    """
    judged = cache.recall(QUALITY, armature, action.name)
    if judged is None:
        return None
    *_, verdicts, stop = judged
    return stop or (verdict.worst(verdicts) if verdicts else None)


def worst_of_playing(armature: Any) -> verdict.Verdict | None:
    """Return the verdict on the path that plays, once it was judged."""
    action = recipes.find_playing(armature)
    return None if action is None else worst(armature, action)


def steps(armature: Any, action: Any) -> tuple[results.NextStep, ...]:
    """Return the buttons that usually come after a path, at most two, in this order.

    "Lock Feet" runs inertia.lock_feet with the path's ground, ground_height and ground_object; it is left out
    if the path's recipe can't be read, or what it needs is gone. "Steer On" runs inertia.steer with from_end
    True; it comes only if the action is the assigned one. Nothing is raised for a bad recipe.
    """
    next_steps = []
    with contextlib.suppress(InertiaError):  # what can't be asked for or read its own panel says
        settings = recipe_reader.read_recipe(action, recipe.PATH).settings
        ground = {name: getattr(settings, name) for name in ("ground", "ground_height", "ground_object")}
        next_steps.append(results.NextStep("Lock Feet", "inertia.lock_feet", "LOCKED", ground))
    if compat.assigned(armature)[0] == action:
        next_steps.append(results.NextStep("Steer On", "inertia.steer", "VIEW_PAN", {"from_end": True}))
    return tuple(next_steps)


def load(armature: Any, action: Any) -> None:
    """Write the settings of a path, or of a take, into the armature's panels.

    The action's name becomes the name that is asked for; that becomes "" if the name is the usual one, "Along
    WHAT IS FOLLOWED", and for a take. Raise InertiaError for a path that follows a file of points, which no
    panel asks for, and for a recipe that can't be read; a stored number out of range raises, too, with what
    came before it written.
    """
    settings = recipe_reader.read_recipe(action, recipe.PATH).settings
    if settings.points:
        raise InertiaError(
            '"{action}" follows a file of points, which no panel can set; follow a curve.',
            action=action.name,
        )
    properties.put_settings(armature, settings)
    path = armature.inertia_path
    named = "" if path.followed is None else f"Along {path.followed.name}"
    path.result = "" if settings.wishes or action.name == named else action.name


results.add(
    result_kinds.PATH,
    results.ResultKind("Path", tell_steps, anew=anew, verdict=worst, steps=steps, load=load),
)


class INERTIA_OT_path_clips(ChangesClips, bpy.types.Operator):
    bl_idname = "inertia.path_clips"
    bl_label = "Change the List of Actions"
    bl_description = "Change which actions the path is followed with"
    group = "inertia_path"

    def list_fitting(self, armature: Any) -> list[Any]:
        return clip_store.unbaked(armature)
