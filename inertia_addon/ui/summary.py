# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panels and reports say, apart from drawing it: sentences and facts from plans and reports."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

from ..blender.bake import Plan
from ..blender.preflight import root_label
from ..blender.report import BakedCurve, BakeReport, GuardedOffset


@dataclasses.dataclass(frozen=True)
class Line:
    """A sentence with its icon; ``alert`` draws it red."""

    text: str
    icon: str = "INFO"
    alert: bool = False


@dataclasses.dataclass(frozen=True)
class Preflight:
    """What there is to know before a bake, by value: nothing in it dies with the file.

    facts: (label, value) pairs. lines: warnings; or the one error that stands in the way.
    """

    facts: tuple[tuple[str, str], ...] = ()
    lines: tuple[Line, ...] = ()
    ready: bool = True


def number(value: float) -> str:
    """A frame or length without needless zeros: 24, 24.5, 0.33."""
    return f"{round(value, 2):g}"


def cost_text(cost: float) -> str:
    """A cost with its unit, three figures of it: 0.0432 m·s."""
    return f"{cost:.3g} m·s"


def count(amount: int, noun: str) -> str:
    """``1 bone``, ``2 bones``."""
    return f"{amount} {noun}" if amount == 1 else f"{amount} {noun}s"


def frames_text(first: float, last: float) -> str:
    """``Frames 1 to 40``, or ``Frame 1`` for a single pose."""
    if math.isclose(first, last):
        return f"Frame {number(first)}"
    return f"Frames {number(first)} to {number(last)}"


def duration_text(frames: float, fps: float) -> str:
    """``12 frames, 0.4 s``."""
    noun = "frame" if math.isclose(frames, 1.0) else "frames"
    return f"{number(frames)} {noun}, {number(frames / fps)} s"


def missing_armature(active: Any | None) -> Line | None:
    """What stands in the way of any transition with this active object; None when nothing does."""
    if active is None:
        return Line("Select an armature to make a transition for it.")
    if active.type != "ARMATURE":
        deformer = active.find_armature()
        if deformer is not None:
            return Line(f'"{active.name}" is moved by "{deformer.name}": select that armature.')
        return Line(f'"{active.name}" is no armature: select one to make a transition for it.')
    if not active.is_editable:
        return Line(
            f'"{active.name}" is linked from another file and can\'t hold settings: make a library override '
            "of it (Object > Library Override > Make).",
            "LIBRARY_DATA_DIRECT",
        )
    return None


def missing_actions(own: Any, actions: int) -> Line | None:
    """What is still to be chosen. own: the armature's properties; actions: how many could be."""
    if own.source is not None and own.destination is not None:
        return None
    if actions == 0:
        return Line("The file has no action of an object yet: animate the armature, or append actions.")
    sides = [side for side in ("source", "destination") if getattr(own, side) is None]
    return Line(f"Choose {' and '.join(f'a {side}' for side in sides)} action.")


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
    scaled = [(bone.name, bone.inertia.blend_scale) for bone in armature.pose.bones]
    scaled = [(name, scale) for name, scale in scaled if abs(scale - 1.0) > 1e-6]
    pairs = [(name, f"{number(scale)} times") for name, scale in scaled[:limit]]
    return [*pairs, ("", f"and {len(scaled) - limit} more")] if len(scaled) > limit else pairs


def preflight(plan: Plan) -> Preflight:
    """What a plan is going to do."""
    compositions = [slot.composition for slot in plan.slots]
    last = max(composition.last_frame for composition in compositions)
    cut = plan.settings.cut
    facts = [
        ("Window", frames_text(cut, last) if last > cut else "None: nothing differs"),
        *([("Length", duration_text(last - cut, plan.fps))] if last > cut else []),
        ("Matched", f"{count(plan.bones, 'bone')}, {count(_curves(plan), 'channel')}"),
        ("Root", _root_text(plan)),
    ]
    guarded = [note for composition in compositions for note in composition.guarded]
    if guarded:
        facts.append(("Guarded", guard_text(guarded)))
    baked = [note for composition in compositions for note in composition.baked]
    texts = [*plan.warnings, *([baked_sentence(baked)] if baked else [])]
    return Preflight(tuple(facts), tuple(Line(text, "ERROR") for text in texts))


def failed(reason: str) -> Preflight:
    """What stands in the way of a bake."""
    return Preflight(lines=(Line(reason, "CANCEL", alert=True),), ready=False)


def _curves(plan: Plan) -> int:
    return sum(len(slot.composition.curves) for slot in plan.slots)


def _root_text(plan: Plan) -> str:
    """Which bone is the root, and how the destination is moved for it."""
    name = root_label(plan.root).strip('"')
    if plan.alignment.kind == "NONE":
        return f"{name}, not aligned"
    if plan.alignment.kind == "POSITION":
        return f"{name}, position aligned"
    turn = round(math.degrees(plan.alignment.heading))
    return f"{name}, aligned, turned by {turn}°" if turn else f"{name}, aligned"


def guarded_bones(notes: Sequence[GuardedOffset]) -> list[str]:
    """The bones on which the guard acts, each once, in order; the object is "the object"."""
    return list(dict.fromkeys(note.bone or "the object" for note in notes))


def guard_text(notes: Sequence[GuardedOffset]) -> str:
    """``arm.L``, ``arm.L and hand.L``, ``arm.L and 3 more``."""
    bones = guarded_bones(notes)
    if len(bones) <= 2:
        return " and ".join(bones)
    return f"{bones[0]} and {len(bones) - 1} more"


def baked_sentence(notes: Sequence[BakedCurve]) -> str:
    """Which curves lose their own keys, and why."""
    curves = {(note.data_path, note.array_index) for note in notes}
    reasons = " and ".join(dict.fromkeys(note.reason for note in notes))
    verb = "is" if len(curves) == 1 else "are"
    return (
        f"{count(len(curves), 'curve')} {verb} baked, a key a frame, as keys can't say the shape ({reasons})."
    )


def bake_sentence(report: BakeReport, verb: str = "Baked") -> str:
    """What a bake did, in one line."""
    first, last = report.window
    parts = [f"frames {number(first)} to {number(last)}", count(report.bones, "bone")]
    if report.guarded:
        parts.append(f"guard shortened {count(len(guarded_bones(report.guarded)), 'bone')}")
    return f'{verb} "{report.result}": {", ".join(parts)}'


def bake_warnings(report: BakeReport) -> list[str]:
    """What an animator should know after a bake, a sentence each."""
    texts = list(report.warnings)
    if report.baked_curves:
        texts.append(baked_sentence(report.baked_curves))
    if report.not_assigned_because:
        texts.append(report.not_assigned_because)
    return texts
