# SPDX-License-Identifier: GPL-3.0-or-later
"""The results that the window shows: the panel on what the armature plays, the operator that makes any of
them anew, and the one that gets the settings of one back."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import math
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import StringProperty

from ...blender.data import actions, compat, recipe, recipe_reader, result_kinds
from ...blender.evaluation import joint_motion
from ...blender.nla import tracks
from ...blender.results import update
from ...errors import InertiaError, Sentence
from ...motion.steps import part
from ..shared import cache, drawing, labels, tab, tool, words
from ..shared.drawing import HolderPanel
from ..shared.long_work import LongWork
from ..shared.made_of import plain
from ..shared.tool import Tool
from ..translations import translated
from . import outlook, previewing, properties, results
from .results import NextStep, ResultKind

if TYPE_CHECKING:
    from ...blender.transition.report import BakeReport
    from ...motion.steps import Steps
    from ...settings.transition import TransitionSettings

GONE = "One of its actions is gone, so it can't be updated."
CHANGED = "Its actions have changed since it was baked."
PATH_CHANGED = "The path has changed since it was baked."
ARRIVAL_MOVED = "What it arrives at has moved since it was baked."
SETTINGS = "The settings have changed since it was baked."
NAME_PART = 0.64
"""What part of the row of a result its name takes beside *Update*, but for icons."""
MADE = 0.8
"""So much of making a result anew is done when it is there, and not yet judged."""
WORD = 0.32
"""So much of a row has the word on a result beside several steps."""

poll_results = tool.need(
    lambda _context: any(map(recipe.kind, bpy.data.actions)),
    "No action of this file was baked by Inertia yet",
)


class OfResult(Tool):
    """An operator about a result of Inertia's."""

    action: plain(StringProperty, "Action", "The result; empty for the assigned action")

    def find(self, armature: Any) -> tuple[Any, ResultKind]:
        """Return a result of Inertia's and its kind.

        It is the action that the operator's property action names, in the open file or linked; if that is "",
        the assigned one, or, if none is assigned, the topmost one that plays in strips. Raise InertiaError if
        there is no such action, or the one that is assigned or named was not baked by Inertia.
        """
        action = actions.find(self.action) if self.action else compat.assigned(armature)[0]
        if action is None:
            action = next(iter(tracks.results(armature)), None)
        if action is None:
            raise InertiaError('"{armature}" has no action; assign a result first.', armature=armature.name)
        kind = results.kind_of(action)
        if kind is None:
            template = '"{action}" was not baked by Inertia; choose one that was.'
            raise InertiaError(template, action=action.name)
        return action, kind


class INERTIA_OT_rebake(OfResult, LongWork, bpy.types.Operator):
    bl_idname = "inertia.rebake"
    bl_label = "Update Result"
    bl_description = (
        "Update a result in place, with the settings that it was baked with, from its current actions, "
        "path, contacts or model"
    )
    needs = (tool.poll_armature, poll_results)

    def work(self, context: Any) -> Steps[None]:
        previewing.end(stay=True)
        action, kind = self.find(context.object)
        name, uid = action.name, action.session_uid
        if recipe.kind(action) != recipe.RECIPE and action not in tracks.find_playing(context.object):
            raise InertiaError('"{action}" is not assigned; assign it first.', action=name)
        if not action.is_editable:
            template = '"{action}" is linked from another file and can\'t be updated; bake a new one.'
            raise InertiaError(template, action=name)
        things = (action.get(key) for key in (recipe.FOLLOWED, recipe.GROUND, recipe.ARRIVAL))
        self.stands_on(action, *recipe.ingredients(action), *things, *update.list_files(action))
        report = yield from part(update.update_steps(context.object, action), 0.0, MADE)
        self.has_changed(uid)
        telling = kind.tell(self, context, report)
        if telling is not None:
            yield from part(telling, MADE, 1.0)
        self.action = name


class INERTIA_OT_load_recipe(OfResult, bpy.types.Operator):
    bl_idname = "inertia.load_recipe"
    bl_label = "Settings from Result"
    bl_description = "Copy the settings that a result was baked with into the panels"
    needs = (tool.poll_settings, poll_results)

    def act(self, context: Any) -> None:
        action, kind = self.find(context.object)
        if kind.load is None or recipe.is_smoothed(action):
            template = 'No panel has the settings of "{action}"; press Update to bake it again with its own.'
            raise InertiaError(template, action=action.name)
        kind.load(context.object, action)
        self.say('The settings are those of "{action}"', action=action.name)


def tell(operator: Tool, context: Any, report: BakeReport) -> None:
    """Report a transition that was made anew, and show it where it plays; see :func:`results.show`."""
    results.show(context, report)
    results.tell(operator, report, "Rebaked")


def is_as_asked(armature: Any, action: Any) -> bool | None:
    """Tell whether a result has the settings that the panel asks for, apart from name, assignment and how the
    entry was found.

    None if source or destination is not chosen, if the result is not the one that a new bake of these would
    replace (see :func:`results.replaceable`), or if settings or recipe can't be read. An entry that is left
    open counts as the destination's first key frame, or with "AUTO" as the stored one if that was found so,
    too.
    """
    props = armature.inertia
    if None in (props.source, props.destination):
        return None
    if (
        results.replaceable(armature, props.source, props.destination, props.result, strips=props.strips)
        != action
    ):
        return None
    with contextlib.suppress(InertiaError):  # what can't be asked for or read its own panel says
        span = outlook.clip_range(armature, "destination")
        entered = None if span is None else span[0]
        return not _differ(
            properties.settings_from(armature),
            recipe_reader.read_recipe(action, recipe.RECIPE).settings,
            entered,
        )
    return None


@functools.lru_cache(maxsize=64)
def _differ(asked: TransitionSettings, stored: TransitionSettings, entered: float | None) -> bool:
    """Tell whether a result's settings differ from those that are asked for, apart from name, assignment
    (assign, assign_others) and how the entry is found (enter_at).

    stored: of the result. entered: the destination's first key frame, None if unknown; it counts as the frame
    that is asked for where destination_frame is None and enter_at is not "AUTO". Where that is "AUTO", the
    stored frame counts if it was found by "AUTO", too; otherwise a stored frame differs from the open one.
    The last 64 answers are kept.
    """
    values = asked.as_dict()
    if values["destination_frame"] is None:
        if asked.enter_at != "AUTO":
            values["destination_frame"] = entered
        elif stored.enter_at == "AUTO":
            # then it was found for settings that are the same but for that
            values["destination_frame"] = stored.destination_frame
    return results.differ(values, stored.as_dict(), results.NOT_COMPARED)


def steps(armature: Any, action: Any) -> tuple[NextStep, ...]:
    """Return what usually comes after a transition: that it is baked as strips, once the action is as its
    settings ask and is none yet; else ().
    """
    as_strips = NextStep("As Strips", "inertia.bake_transition", "NLA", {"strips": True})
    can_be = is_as_asked(armature, action) and not recipe_reader.is_strips(action)
    return (as_strips,) if can_be else ()


def anew(armature: Any, action: Any) -> str:
    """Return the operator that bakes a transition anew if the panel's settings differ from its own, else
    "".
    """
    return "bake_transition" if is_as_asked(armature, action) is False else ""


def load(armature: Any, action: Any) -> None:
    """Write the settings that a transition was baked with into the armature's panels; whether results are
    assigned, to others, too, stays as it is there.

    The action's name becomes the name that is asked for; that becomes "" if the name is the usual one,
    "SOURCE to DESTINATION". A stored destination frame becomes the one that is chosen, with
    use_destination_frame on, also where it was once found. The rest is as properties.put_settings writes it.

    Raise InertiaError if the recipe can't be read or one of its actions is gone, with nothing written; or if
    it holds a number out of range, with what came before it written.
    """
    settings = recipe_reader.read_recipe(action, recipe.RECIPE).settings
    source = actions.find(settings.source, settings.source_library)
    destination = actions.find(settings.destination, settings.destination_library)
    result = "" if action.name == f"{source.name} to {destination.name}" else action.name
    props = armature.inertia
    settings = dataclasses.replace(
        settings, result=result, assign=props.assign, assign_others=props.assign_others
    )
    properties.put_settings(armature, settings, source, destination)


results.add(result_kinds.RECIPE, ResultKind("Transition", tell, anew=anew, steps=steps, load=load))


class WorkingPanel(HolderPanel):
    """Names the action that plays, and what to do with it next; in all modes but Join.

    It is always as high, so that nothing below it jumps.
    """

    bl_label = "Action"
    bl_options = {"HIDE_HEADER"}
    order = -5

    @classmethod
    def poll(cls, context: Any) -> bool:
        return super().poll(context) and not tab.is_in(context, tab.JOIN)

    def draw(self, context: Any) -> None:
        if not draw_playing(self.layout, context):
            draw_other(self.layout, context, compat.assigned(context.object)[0])


class JoinedPanel(HolderPanel):
    """Names the results that play, and what to do with them next, below the button that bakes."""

    bl_label = "Results"
    bl_options = {"HIDE_HEADER"}
    mode = tab.JOIN
    order = 5

    @classmethod
    def poll(cls, context: Any) -> bool:
        return (
            super().poll(context)
            and tab.is_in(context, tab.JOIN)
            and bool(find_playing_results(context.object))
        )

    def draw(self, context: Any) -> None:
        draw_playing(self.layout, context)


def find_playing_results(armature: Any) -> list[tuple[Any, ResultKind]]:
    """Return the results that play on an armature with their kinds; without those of a kind that only a
    later version knows.
    """
    kinds = [(action, results.kind_of(action)) for action in tracks.find_playing(armature)]
    return [(action, kind) for action, kind in kinds if kind is not None]


def draw_playing(layout: Any, context: Any) -> bool:
    """Draw the results that play on the active armature, each by :func:`draw_result`; return whether there
    are any.
    """
    playing = find_playing_results(context.object)
    for action, kind in playing:
        draw_result(layout, context, action, kind)
    return bool(playing)


def draw_other(layout: Any, context: Any, action: Any | None) -> None:
    """Draw an action of the active armature that is no result in two rows, as high as for a result.

    The first has its name, as much of it as fits, or "No action is assigned", and the button
    screen.animation_play. The second has, translated, the text of results.unbaked, or where that is "" the
    action's first and last key frame, with buttons for the steps that usually come next, see
    :func:`draw_steps`.
    """
    column = layout.column()
    row = column.row(align=True)
    if action is None:
        row.label(text="No action is assigned", icon="ACTION")
    else:
        name = labels.fitted_for(context, action.name, 1.0, occupied=2.0 * labels.ICON)
        row.label(text=name, icon="ACTION", translate=False)
    draw_play(row)
    row = column.row()
    unbaked = results.Unbaked("", ()) if action is None else results.unbaked(context.object, action)
    text = unbaked.text and translated(unbaked.text)
    if not text and action is not None:
        text = words.frames_text(*action.frame_range)
    # not greyed: without a header there is no ground below it, and light themes have the dark view there
    row.label(text=text, translate=False)
    draw_steps(row.row(align=True), unbaked.steps)


def draw_result(layout: Any, context: Any, action: Any, kind: ResultKind) -> None:
    """Draw a result of Inertia's in two rows; the context's object is its armature.

    The first has its name, as much of it as fits, with the icon NLA if it plays as strips, else ACTION, and
    these buttons:

    - "Update", the operator of :func:`how_anew`, with `action` the name for inertia.rebake, and
      with `replace` True for another one; it is an icon alone, which can't be pressed, if
      nothing has changed or an action is gone.
    - inertia.load_recipe with `action`, for kinds that have a `load`, but not for a smoothed
      jump.
    - inertia.remove_strips with `action`, if it plays as strips.
    - screen.animation_play.

    Below is the sentence of how_anew alone, if there is one, in red if one of its actions is gone. Else
    it has the rating of the kind's verdict, such as "Good" for GOOD, with its icon, or without a verdict
    "Smoothed" for a smoothed jump and the kind's label for others; behind it are the buttons of the kind's
    steps.
    """
    armature = context.object
    as_strips = action in tracks.results(armature)
    operator, changed = how_anew(armature, action, kind)
    loads = kind.load is not None and not recipe.is_smoothed(action)
    column = layout.column()
    row = column.row(align=True)
    # the icon of the name, and those behind it
    icons = labels.ICON * (2 + (not operator) + loads + as_strips)
    part = NAME_PART if operator else 1.0
    name = labels.fitted_for(context, action.name, part, occupied=part * icons)
    row.label(text=name, icon="NLA" if as_strips else "ACTION", translate=False)
    again = row.row(align=True)
    again.enabled = bool(operator)
    # its word has room only while there is something to say
    # Blender scales buttons, and once more the row that they are in
    again.scale_x = math.sqrt(1.0 / NAME_PART - 1.0) if operator else 1.0
    word = translated("Update") if operator else ""
    button = again.operator(operator or "inertia.rebake", text=word, icon="FILE_REFRESH", translate=False)
    if operator in ("", "inertia.rebake"):
        button.action = action.name
    else:
        button.replace = True
    if loads:
        row.operator("inertia.load_recipe", text="", icon="EYEDROPPER").action = action.name
    if as_strips:
        row.operator("inertia.remove_strips", text="", icon="X").action = action.name
    draw_play(row)
    if changed:
        line = words.PanelLine(changed, "ERROR", alert=changed == GONE)
        drawing.sentence(column, context, line)
        return
    row = column.row()
    following = kind.steps(armature, action)
    row = row.split(factor=WORD if len(following) > 1 else 0.5, align=False)
    verdict = kind.verdict(armature, action)
    text, icon = translated("Smoothed" if recipe.is_smoothed(action) else kind.label), "BLANK1"
    if verdict is not None:
        text, icon = translated(verdict.rating.capitalize()), drawing.RATINGS[verdict.rating]
    row.label(text=text, icon=icon, translate=False)
    draw_steps(row.row(align=True), following)


def draw_play(row: Any) -> None:
    """Draw the button that plays, always at the end of the first row."""
    row.operator("screen.animation_play", text="", icon="PLAY")


def how_anew(armature: Any, action: Any, kind: ResultKind) -> tuple[str, Sentence | str]:
    """Return (operator, sentence): the idname of the operator that makes a result anew, and what has changed
    since it was baked. Both are "" where nothing has changed.

    The first that applies counts:

    - An action that it was made of is gone: "" and GONE.
    - The panels' settings differ: "inertia." with the kind's `anew`, which bakes by these, and
      SETTINGS.
    - Its actions have changed, see :func:`sources_changed`: "inertia.rebake" and CHANGED.
    - What it follows has moved, see :func:`path_changed`: "inertia.rebake" and ARRIVAL_MOVED
      for a result with something to arrive at, else PATH_CHANGED.
    - What else the kind knows of: "inertia.rebake" and the sentence of its `changed`.

    Sentences are in English. Nothing is changed; a result is not looked at further than needed.
    """
    if None in recipe.ingredients(action):
        return "", GONE
    if operator := kind.anew(armature, action):
        return f"inertia.{operator}", SETTINGS
    if sources_changed(armature, action):
        return "inertia.rebake", CHANGED
    if path_changed(armature, action):
        return "inertia.rebake", ARRIVAL_MOVED if recipe.ARRIVAL in action else PATH_CHANGED
    if changed := kind.changed(armature, action):
        return "inertia.rebake", changed
    return "", ""


def sources_changed(armature: Any, result: Any) -> bool:
    """Tell whether the actions that a result was made of look different from when it was baked.

    True, too, where that can't be told, such as without a readable recipe (see :func:`recipe.has_changed`).
    False where one of the actions has too many keys to be read while drawing, for a path all of whose actions
    together have, and for results that hold nothing to compare with. While a look is costly, the answer
    before is returned for a moment.
    """
    used = recipe.ingredients(result)

    def has_changed() -> bool:
        if not all(map(outlook.is_quick, used)):
            return False
        keys = sum(map(actions.key_count, filter(None, used)))
        if recipe.is_baked(result, recipe.PATH) and keys > joint_motion.QUICK:
            return False
        return recipe_reader.has_changed(result, armature)

    key = (
        *(str(result.get(name)) for name in (recipe.RECIPE, recipe.HOP, recipe.PATH, recipe.REWRITTEN)),
        *(cache.action_state(action) for action in used),
    )
    return cache.answer(f"changed {result.session_uid}", armature, key, has_changed)


def path_changed(armature: Any, result: Any) -> bool:
    """Tell whether the objects that a result follows, goes over, arrives at or goes around have moved or
    changed since it was baked; False if it notes none.

    While a look is costly, the answer before is returned for a moment.
    """
    things = recipe.noted_things(result)
    if not things:
        return False
    states = tuple(
        cache.motion_state(thing) if key == recipe.FOLLOWED else cache.object_state(thing)
        for key, thing in things.items()
    )
    stored = tuple(
        str(result.get(name)) for name in (recipe.RECIPE, recipe.PATH, recipe.LEARNED, recipe.FILL)
    )
    return cache.answer(
        f"moved {result.session_uid}", armature, (stored, states), lambda: recipe.has_moved(result)
    )


def draw_steps(row: Any, following: tuple[NextStep, ...]) -> None:
    """Draw a button for each step that usually comes next, in order; nothing for ().

    Each is the step's `operator` with its `text`, translated, and the operator's properties that `values`
    names are set. Only a single one has the step's `icon`, since several have no room.
    """
    for step in following:
        # several have no room for more than their words
        icon = step.icon if len(following) == 1 else "NONE"
        button = row.operator(step.operator, text=translated(step.text), icon=icon, translate=False)
        for name, value in step.values.items():
            setattr(button, name, value)


PARTS = (WorkingPanel,)
