# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panels and reports say, apart from drawing it: sentences and facts from plans and reports."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

from ...blender.data import recipe
from ...blender.transition.bake import Plan
from ...blender.transition.preflight import root_label
from ...blender.transition.report import BakedCurve, BakeReport, GuardedOffset
from ...errors import Sentence
from ..translations import sentence, translated


@dataclasses.dataclass(frozen=True)
class Line:
    """A sentence with its icon; ``alert`` draws it red."""

    text: str
    icon: str = "INFO"
    alert: bool = False


@dataclasses.dataclass(frozen=True)
class Preflight:
    """What there is to know before a bake, by value: nothing in it dies with the file.

    facts: (label, value) pairs. lines: warnings; or the one error that stands in the way. swings: whether
    something swings far, which the facts say.
    """

    facts: tuple[tuple[str, str], ...] = ()
    lines: tuple[Line, ...] = ()
    ready: bool = True
    swings: bool = False


def number(value: float) -> str:
    """A frame or length without needless zeros: 24, 24.5, 0.33."""
    return f"{round(value, 2):g}"


def cost_text(cost: float) -> str:
    """A cost with its unit, three figures of it: 0.0432 m·s."""
    return f"{cost:.3g} m·s"


def count(amount: int, noun: str) -> str:
    """``1 bone``, ``2 bones``; the noun is an English one."""
    return translated(f"{{0}} {noun}" if amount == 1 else f"{{0}} {noun}s", amount)


def listed(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a and b and c``."""
    text = names[0]
    for name in names[1:]:
        text = translated("{0} and {1}", text, name)
    return text


def frames_text(first: float, last: float) -> str:
    """``Frames 1 to 40``, or ``Frame 1`` for a single pose."""
    if math.isclose(first, last):
        return translated("Frame {0}", number(first))
    return translated("Frames {0} to {1}", number(first), number(last))


def duration_text(frames: float, fps: float) -> str:
    """``12 frames, 0.4 s``."""
    text = "{0} frame, {1} s" if math.isclose(frames, 1.0) else "{0} frames, {1} s"
    return translated(text, number(frames), number(frames / fps))


def missing_armature(active: Any | None) -> Line | None:
    """What stands in the way of any transition with this active object; None when nothing does."""
    if active is None:
        return Line("Select an armature to make a transition for it.")
    if active.type != "ARMATURE":
        deformer = active.find_armature()
        if deformer is not None:
            return Line(
                Sentence(
                    '"{active}" is moved by "{deformer}": select that armature.',
                    active=active.name,
                    deformer=deformer.name,
                )
            )
        return Line(
            Sentence('"{active}" is no armature: select one to make a transition for it.', active=active.name)
        )
    if not active.is_editable:
        return Line(
            Sentence(
                '"{active}" is linked from another file and can\'t hold settings: make a library override '
                "of it (Object > Library Override > Make).",
                active=active.name,
            ),
            "LIBRARY_DATA_DIRECT",
        )
    return None


def missing_actions(own: Any, actions: int) -> Line | None:
    """What is still to be chosen. own: the armature's properties; actions: how many could be."""
    if own.source is not None and own.destination is not None:
        return None
    if actions == 0:
        return Line("The file has no action of an object yet: animate the armature, or append actions.")
    if own.source is None and own.destination is None:
        return Line("Choose a source and a destination action.")
    return Line("Choose a source action." if own.source is None else "Choose a destination action.")


def outside(frame: float, span: tuple[float, float] | None) -> bool:
    """Whether a frame lies outside of a clip."""
    return span is not None and not span[0] - 1e-3 <= frame <= span[1] + 1e-3


def is_armature(active: Any | None) -> bool:
    """Whether an object is an armature."""
    return active is not None and active.type == "ARMATURE"


def active_bone(armature: Any) -> Any | None:
    """The active pose bone; Object Mode has one too."""
    active = armature.data.bones.active
    return armature.pose.bones.get(active.name) if active is not None else None


def scaled_bones(armature: Any, limit: int = 6) -> list[tuple[str, str]]:
    """The bones whose blend scale is not 1, with it; the last entry counts those beyond the limit."""
    scaled = [(bone.name, recipe.shown_scale(bone)) for bone in armature.pose.bones]
    scaled = [(name, scale) for name, scale in scaled if abs(scale - 1.0) > 1e-6]
    pairs = [(name, translated("{0} times", number(scale))) for name, scale in scaled[:limit]]
    more = translated("and {0} more", len(scaled) - limit)
    return [*pairs, ("", more)] if len(scaled) > limit else pairs


def preflight(plan: Plan) -> Preflight:
    """What a plan is going to do."""
    compositions = [slot.composition for slot in plan.slots]
    last = max(composition.last_frame for composition in compositions)
    cut = plan.settings.cut
    facts = [
        (
            translated("Window"),
            frames_text(cut, last) if last > cut else translated("None: nothing differs"),
        ),
        *([(translated("Length"), duration_text(last - cut, plan.fps))] if last > cut else []),
        (translated("Matched"), f"{count(plan.bones, 'bone')}, {count(_curves(plan), 'channel')}"),
        (translated("Root"), _root_text(plan)),
    ]
    notes = [note for composition in compositions for note in composition.guarded]
    for label, shortened in (("Guarded", True), ("Swings Far", False)):
        some = [note for note in notes if note.shortened == shortened]
        if some:
            facts.append((translated(label), guard_text(some)))
    baked = [note for composition in compositions for note in composition.baked]
    texts = [*plan.warnings, *([baked_sentence(baked)] if baked else [])]
    lines = tuple(Line(text, "ERROR") for text in texts)
    return Preflight(tuple(facts), lines, swings=any(not note.shortened for note in notes))


def failed(reason: str) -> Preflight:
    """What stands in the way of a bake."""
    return Preflight(lines=(Line(reason, "CANCEL", alert=True),), ready=False)


def _curves(plan: Plan) -> int:
    return sum(len(slot.composition.curves) for slot in plan.slots)


def _root_text(plan: Plan) -> str:
    """Which bone is the root, and how the destination is moved for it."""
    name = sentence(root_label(plan.root)).strip('"')
    if plan.alignment.kind == "NONE":
        return translated("{0}, not aligned", name)
    if plan.alignment.kind == "POSITION":
        return translated("{0}, position aligned", name)
    turn = round(math.degrees(plan.alignment.heading))
    if turn:
        return translated("{0}, aligned, turned by {1}°", name, turn)
    return translated("{0}, aligned", name)


def guarded_bones(notes: Sequence[GuardedOffset]) -> list[str]:
    """The bones on which the guard acts, each once, in order; the object is "the object"."""
    return list(dict.fromkeys(note.bone or sentence("the object") for note in notes))


def guard_text(notes: Sequence[GuardedOffset]) -> str:
    """``arm.L``, ``arm.L and hand.L``, ``arm.L and 3 more``."""
    bones = guarded_bones(notes)
    if len(bones) <= 2:
        return listed(bones)
    return translated("{0} and {1} more", bones[0], len(bones) - 1)


def baked_sentence(notes: Sequence[BakedCurve]) -> str:
    """Which curves lose their own keys, and why."""
    curves = {(note.data_path, note.array_index) for note in notes}
    reasons = listed([sentence(reason) for reason in dict.fromkeys(note.reason for note in notes)])
    if len(curves) == 1:
        return translated("1 curve is baked, a key a frame, as keys can't say the shape ({0}).", reasons)
    text = "{0} curves are baked, a key a frame, as keys can't say the shape ({1})."
    return translated(text, len(curves), reasons)


DONE = {"Baked": 'Baked "{0}": {1}', "Rebaked": 'Rebaked "{0}": {1}'}
"""What is reported of a bake, by the verb: the action, and what there is to say of it."""


def bake_sentence(report: BakeReport, verb: str = "Baked") -> str:
    """What a bake did, in one line."""
    first, last = report.window
    parts = [translated("frames {0} to {1}", number(first), number(last)), count(report.bones, "bone")]
    for text, shortened in (("guard shortened {0}", True), ("{0} swinging far", False)):
        some = [note for note in report.guarded if note.shortened == shortened]
        if some:
            parts.append(translated(text, count(len(guarded_bones(some)), "bone")))
    return translated(DONE[verb], report.result, ", ".join(parts))


def bake_warnings(report: BakeReport) -> list[str]:
    """What an animator should know after a bake, a sentence each."""
    texts = list(report.warnings)
    if report.baked_curves:
        texts.append(baked_sentence(report.baked_curves))
    if report.not_assigned_because:
        texts.append(report.not_assigned_because)
    return texts
