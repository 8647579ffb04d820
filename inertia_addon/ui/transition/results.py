# SPDX-License-Identifier: GPL-3.0-or-later
"""Results as an animator meets them: what is shown and said of one that was just made, and what each kind is.

Each room says of its own kind what it is called, what makes it anew, what is said of it, and what usually
comes next.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import bpy

from ...blender.data import compat, recipe, recipe_reader, scene
from ...blender.nla import tracks
from ...motion.steps import Steps
from ...records import record
from ..shared import words
from ..translations import sentence, translated

if TYPE_CHECKING:
    from ...blender.data.report import BakedCurve
    from ...blender.judging.verdict import Verdict
    from ...blender.transition.report import BakeReport, GuardedOffset
    from ..shared.tool import Tool

Teller = Callable[[Any, Any, Any], Steps[None] | None]
"""Has an operator say, in a context, what its report tells of a result; long work is a generator."""
Span = tuple[float, float]
Found = TypeVar("Found")

AROUND_SECONDS = 1.0
"""How much is played before and after the window."""
DONE = {"Baked": 'Baked "{0}": {1}', "Rebaked": 'Updated "{0}": {1}', "Smoothed": 'Smoothed "{0}": {1}'}
"""What is reported of a bake, by the verb: the action, and what there is to say of it."""
MARKED = "inertia_marker"
"""Of a scene: the name that its marker of cuts got last."""
NOT_COMPARED = frozenset({"result", "assign", "assign_others", "enter_at"})
"""Settings of transitions that say nothing of what a result is like."""


@record(frozen=True)
class NextStep:
    """A button that leads on from a result. values: what its operator is given."""

    text: str
    operator: str
    icon: str
    values: Mapping[str, Any] = dataclasses.field(default_factory=dict)


@record(eq=False)
class ResultKind:
    """A kind of result.

    label: what it is called. tell: says what came of making one anew. anew: the operator that makes one anew
    by the panels' settings, where these ask for the same result with others; "" else. changed: a sentence on
    what else has changed since it was baked, or "". verdict: what is seen of one, None where nothing is
    known. steps: what usually comes after one. load: has the panels ask for the settings of one; None for
    kinds of which nobody asks again.
    """

    label: str
    tell: Teller
    anew: Callable[[Any, Any], str] = lambda _armature, _action: ""
    changed: Callable[[Any, Any], str] = lambda _armature, _action: ""
    verdict: Callable[[Any, Any], Verdict | None] = lambda _armature, _action: None
    steps: Callable[[Any, Any], tuple[NextStep, ...]] = lambda _armature, _action: ()
    load: Callable[[Any, Any], None] | None = None


@record(frozen=True)
class Unbaked:
    """What is known of an action that is none of Inertia's results, and what usually comes next. text: ""
    where nothing is known.
    """

    text: str
    steps: tuple[NextStep, ...]


_tellers: list[Callable[[Any, Any], Unbaked | None]] = []


def tell_of_unbaked(teller: Callable[[Any, Any], Unbaked | None]) -> None:
    """Have a function say what is known of actions that are no results, of an armature and an action."""
    _tellers.append(teller)


def unbaked(armature: Any, action: Any) -> Unbaked:
    """Return what is known of an action that is no result."""
    answers = (teller(armature, action) for teller in _tellers)
    return next((answer for answer in answers if answer is not None), Unbaked("", ()))


_kinds: dict[str, ResultKind] = {}
"""By :func:`recipe.kind`."""


def add(name: str, kind: ResultKind) -> None:
    """Have results be known as a kind."""
    _kinds[name] = kind


def tell_after(
    operator: Any, context: Any, steps: Steps[Found], tell: Callable[[Any, Any, Found], None]
) -> Steps[None]:
    """Make or find something in steps, and have an operator tell of it at the end.

    tell: is given the operator, the context and what the steps return.
    """
    tell(operator, context, (yield from steps))


def kind_of(action: Any | None) -> ResultKind | None:
    """Return the kind of a result; None for an action that is none of Inertia's."""
    return _kinds.get(recipe.kind(action))


def judge_by(name: str, verdict: Callable[[Any, Any], Verdict | None]) -> None:
    """Have a function say what is seen of a kind's results."""
    _kinds[name].verdict = verdict


def differ(values: dict[str, Any], earlier: dict[str, Any], ignored: frozenset[str]) -> bool:
    """Tell whether two records' values differ, apart from those that are ignored.

    A value that only one of them has counts only where it is not the default.
    """
    return any(values.get(name) != earlier.get(name) for name in {*values, *earlier} - ignored)


def show(context: Any, report: BakeReport) -> None:
    """Have the playback go through the transition, and a marker name the cut, which follows a new bake.

    Only where the result plays, and the active armature is set to have that shown.
    """
    if context.object.inertia.show_result and report.assigned:
        span = report.frame_range if report.settings["strips"] else None
        show_window(context, report.result, (report.window[0], report.until), span)


def show_window(context: Any, result: str, window: Span, span: Span | None = None) -> None:
    """Have the playback go through a result's window, from the cut on, and the marker of cuts name it, where
    the active armature asks for one. window, span: first and last frame; span: of what plays, None for the
    result's action.
    """
    shown = context.scene
    show_between(shown, *around(window, span or bpy.data.actions[result].frame_range))
    if context.object.inertia.mark_cut:
        mark_cut(shown, result, round(scene.find_scene_frame(shown, window[0])))


def mark_cut(target: Any, result: str, frame: int) -> None:
    """Put a scene's one marker of cuts at a frame of the scene, with a result's name.

    It is the marker that was put last, by the name that it got then, or the one with the result's name; one
    that an animator has called otherwise is theirs, and another one is made.
    """
    markers = target.timeline_markers
    marker = markers.get(result) or markers.get(target.get(MARKED, "")) or markers.new(result)
    marker.name, marker.frame = result, frame
    target[MARKED] = result


def around(window: Sequence[float], span: Sequence[float]) -> tuple[int, int]:
    """Return the whole frames to play: a window with AROUND_SECONDS before and behind it, within `span`, from
    the first to the last key frame.
    """
    frames = scene.to_frames(AROUND_SECONDS)
    start = max(math.floor(window[0] - frames), math.floor(span[0]))
    return start, min(math.ceil(window[1] + frames), math.ceil(span[1]))


def show_between(playing_scene: Any, start: int, end: int) -> None:
    """Have a scene play a result from a frame to another one, and its playhead be among them."""
    start, end = find_scene_range(playing_scene, start, end)
    play_between(playing_scene, start, end)
    if not start <= playing_scene.frame_current <= end:
        playing_scene.frame_set(start)


def find_scene_range(target: Any, start: int, end: int) -> tuple[int, int]:
    """Return the whole frames of a scene at which it shows frames of actions."""
    first, last = (scene.find_scene_frame(target, frame) for frame in (start, end))
    return math.floor(first), math.ceil(last)


def play_between(playing_scene: Any, start: int, end: int) -> None:
    """Have a scene play from a frame to another one."""
    playing_scene.use_preview_range = True
    for _ in range(2):  # neither takes a frame on the other side of what the other one was
        playing_scene.frame_preview_start, playing_scene.frame_preview_end = start, end


def replaceable(armature: Any, source: Any, destination: Any, result: str, *, strips: bool) -> Any | None:
    """Return the earlier result of two actions whose place a new one can take, None without one.

    That is the one that plays, or the one with the name. result: the name that was asked for, if any; what
    bears another one is to stay then. strips: what it is to be.
    """
    named = bpy.data.actions.get(result or f"{source.name} to {destination.name}")
    playing = (compat.assigned(armature)[0], *tracks.results(armature))
    for action in (named,) if result else (*playing, named):
        if action is not None and recipe.find_source_pair(action) == (source, destination):
            is_such = recipe.is_baked(action, recipe.RECIPE) and recipe_reader.is_strips(action) == strips
            if is_such and action.is_editable and not recipe.is_smoothed(action):
                return action
    return None


def guarded_bones(notes: Sequence[GuardedOffset]) -> list[str]:
    """Return the bones on which the guard acts, each once, in order; the object is "the object"."""
    return list(dict.fromkeys(note.bone or sentence("the object") for note in notes))


def guard_text(notes: Sequence[GuardedOffset], called: Callable[[str], str] = str) -> str:
    """Name the guarded bones: ``arm.L``, ``arm.L and hand.L``, ``arm.L and 2 more`` for three. Raise
    IndexError for none.

    called: returns a bone's label.
    """
    bones = list(map(called, guarded_bones(notes)))
    if len(bones) <= 2:
        return words.listed(bones)
    return translated("{0} and {1} more", bones[0], len(bones) - 1)


def describe_baked(notes: Sequence[BakedCurve]) -> str:
    """Say how many curves lose their own keys, each counted once, and in parentheses all reasons, each once;
    no curve is named.
    """
    curves = {(note.data_path, note.array_index) for note in notes}
    reasons = words.listed([sentence(reason) for reason in dict.fromkeys(note.reason for note in notes)])
    if len(curves) == 1:
        return translated("1 curve gets a key on every frame, as its own keys can't be kept ({0}).", reasons)
    text = "{0} curves get a key on every frame, as their own keys can't be kept ({1})."
    return translated(text, len(curves), reasons)


def bake_sentence(report: BakeReport, verb: str = "Baked") -> str:
    """Say what a bake did, in one line: the result, the frames of its blend, how many bones, and how many of
    these have a shortened blend or swing far, if any. verb: a key of DONE.
    """
    first, last = report.window
    parts = [
        translated("frames {0} to {1}", words.number(first), words.number(last)),
        words.count(report.bones, "bone"),
    ]
    for text, shortened in (("blend shortened on {0}", True), ("{0} swinging far", False)):
        notes = [note for note in report.guarded if note.shortened == shortened]
        if notes:
            parts.append(translated(text, words.count(len(guarded_bones(notes)), "bone")))
    return translated(DONE[verb], report.result, ", ".join(parts))


def bake_warnings(report: BakeReport) -> list[str]:
    """Return what an animator should know after a bake, a sentence each: the report's warnings, which curves
    had to be baked, and why the result is not assigned.
    """
    baked = [describe_baked(report.baked_curves)] if report.baked_curves else []
    return [*report.warnings, *baked, *filter(None, [report.not_assigned_because])]


def tell(operator: Tool, report: BakeReport, verb: str) -> None:
    """Have an operator report a bake: who comes along, what was made, then what there is to know of it."""
    for text in report.notes:
        operator.say(text)
    operator.say(bake_sentence(report, verb))
    for text in bake_warnings(report):
        operator.say(text, "WARNING")
