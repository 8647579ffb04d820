# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panels and reports say, apart from drawing it: sentences and facts from plans and reports."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

from ...blender.data import recipe
from ...blender.data.rewriting import BakedCurve
from ...blender.transition.bake import Plan
from ...blender.transition.preflight import root_label
from ...blender.transition.report import BakeReport, GuardedOffset
from ...records import record
from ..shared import labels, words
from ..shared.tool import Tool
from ..translations import sentence, translated


@record(frozen=True)
class Preflight:
    """What there is to know before a bake, by value: nothing in it dies with the file.

    facts: (label, value) pairs. lines: who comes along, and warnings; or the one error that stands in the
    way. swings: whether something swings far, which the facts say.
    """

    facts: tuple[tuple[str, str], ...] = ()
    lines: tuple[words.Line, ...] = ()
    ready: bool = True
    swings: bool = False

    @property
    def warnings(self) -> tuple[words.Line, ...]:
        """What stands in the way, or is to be watched out for."""
        return tuple(line for line in self.lines if line.icon != "INFO")

    @property
    def remarks(self) -> tuple[words.Line, ...]:
        """What else there is to know."""
        return tuple(line for line in self.lines if line.icon == "INFO")


def missing_actions(own: Any, actions: int) -> words.Line | None:
    """What is still to be chosen. own: the armature's properties; actions: how many could be."""
    if own.source is not None and own.destination is not None:
        return None
    if actions == 0:
        return words.Line("The file has no action of an object yet: animate the armature, or append actions.")
    if own.source is None and own.destination is None:
        return words.Line("Choose a source and a destination action.")
    return words.Line("Choose a source action." if own.source is None else "Choose a destination action.")


def scaled_bones(armature: Any, limit: int = 6) -> list[tuple[str, str]]:
    """The bones whose blend scale is not 1, with it; the last entry counts those beyond the limit."""
    bones = armature.pose.bones
    scaled = [(bone.name, scale) for bone in bones if abs((scale := recipe.shown_scale(bone)) - 1.0) > 1e-6]
    pairs = [
        (labels.bone(armature, name), translated("{0} times", words.number(scale)))
        for name, scale in scaled[:limit]
    ]
    more = translated("and {0} more", len(scaled) - limit)
    return [*pairs, ("", more)] if len(scaled) > limit else pairs


def preflight(plan: Plan, of_strips: Sequence[str] = ()) -> Preflight:
    """What a plan is going to do. of_strips: what there is to say of its strips."""
    last = max(slot.last_frame for slot in plan.slots)
    cut = plan.settings.cut
    facts = [(translated("Window"), translated("None: nothing differs"))]
    if last > cut:
        length = words.duration_text(last - cut, plan.fps)
        facts = [(translated("Window"), words.frames_text(cut, last)), (translated("Length"), length)]
    curves = sum(len(slot.composed) for slot in plan.slots)
    matched = translated("{0}, {1}", words.count(plan.bones, "bone"), words.count(curves, "channel"))
    facts += [(translated("Matched"), matched), (translated("Root"), _root_text(plan))]
    notes = [note for slot in plan.slots for note in slot.guarded]
    for label, shortened in (("Blend Shortened", True), ("Swings Far", False)):
        some = [note for note in notes if note.shortened == shortened]
        if some:
            facts.append((translated(label), guard_text(some, functools.partial(labels.bone, plan.armature))))
    baked = [note for slot in plan.slots for note in slot.baked]
    texts = [*plan.warnings, *([baked_sentence(baked)] if baked else [])]
    lines = (*map(words.Line, (*plan.notes, *of_strips)), *(words.Line(text, "ERROR") for text in texts))
    return Preflight(tuple(facts), lines, swings=any(not note.shortened for note in notes))


def failed(reason: str) -> Preflight:
    """What stands in the way of a bake."""
    return Preflight(lines=(words.Line(reason, "CANCEL", alert=True),), ready=False)


def _root_text(plan: Plan) -> str:
    """Which bone is the root, and how the destination is moved for it."""
    name = labels.bone(plan.armature, sentence(root_label(plan.root)).strip('"'))
    if plan.settings.align_bone and plan.alignment.kind != "NONE":
        name = translated("{0}, by {1}", name, labels.bone(plan.armature, plan.settings.align_bone))
    if plan.alignment.kind == "NONE":
        return translated("{0}, not aligned", name)
    if plan.alignment.kind == "HEIGHT":
        return translated("{0}, height aligned", name)
    if plan.alignment.kind in ("POSITION", "POSITION_HEIGHT"):
        return translated("{0}, position aligned", name)
    turn = round(math.degrees(plan.alignment.heading))
    if turn:
        return translated("{0}, aligned, turned by {1}°", name, turn)
    return translated("{0}, aligned", name)


def guarded_bones(notes: Sequence[GuardedOffset]) -> list[str]:
    """The bones on which the guard acts, each once, in order; the object is "the object"."""
    return list(dict.fromkeys(note.bone or sentence("the object") for note in notes))


def guard_text(notes: Sequence[GuardedOffset], shown: Callable[[str], str] = str) -> str:
    """``arm.L``, ``arm.L and hand.L``, ``arm.L and 3 more``. shown: how a bone is called."""
    bones = [shown(bone) for bone in guarded_bones(notes)]
    if len(bones) <= 2:
        return words.listed(bones)
    return translated("{0} and {1} more", bones[0], len(bones) - 1)


def baked_sentence(notes: Sequence[BakedCurve]) -> str:
    """Which curves lose their own keys, and why."""
    curves = {(note.data_path, note.array_index) for note in notes}
    reasons = words.listed([sentence(reason) for reason in dict.fromkeys(note.reason for note in notes)])
    if len(curves) == 1:
        return translated("1 curve gets a key on every frame, as its own keys can't be kept ({0}).", reasons)
    text = "{0} curves get a key on every frame, as their own keys can't be kept ({1})."
    return translated(text, len(curves), reasons)


DONE = {
    "Baked": 'Baked "{0}": {1}',
    "Rebaked": 'Updated "{0}": {1}',
    "Smoothed": 'Smoothed "{0}": {1}',
}
"""What is reported of a bake, by the verb: the action, and what there is to say of it."""


def bake_sentence(report: BakeReport, verb: str = "Baked") -> str:
    """What a bake did, in one line."""
    first, last = report.window
    parts = [
        translated("frames {0} to {1}", words.number(first), words.number(last)),
        words.count(report.bones, "bone"),
    ]
    for text, shortened in (("blend shortened on {0}", True), ("{0} swinging far", False)):
        some = [note for note in report.guarded if note.shortened == shortened]
        if some:
            parts.append(translated(text, words.count(len(guarded_bones(some)), "bone")))
    return translated(DONE[verb], report.result, ", ".join(parts))


def bake_warnings(report: BakeReport) -> list[str]:
    """What an animator should know after a bake, a sentence each."""
    texts = list(report.warnings)
    if report.baked_curves:
        texts.append(baked_sentence(report.baked_curves))
    if report.not_assigned_because:
        texts.append(report.not_assigned_because)
    return texts


def tell(operator: Tool, report: BakeReport, verb: str) -> None:
    """Have an operator report a bake: who comes along, what was made, then what there is to know of it."""
    for text in report.notes:
        operator.say(text)
    operator.say(bake_sentence(report, verb))
    for text in bake_warnings(report):
        operator.say(text, "WARNING")
