# SPDX-License-Identifier: GPL-3.0-or-later
"""The verdict on a transition: good, fair or poor, and its faults in an animator's words, the worst first."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...errors import Sentence
from ...motion.judging import faults
from ...motion.judging.evidence import Evidence
from ...motion.judging.faults import FAIR, GOOD, POOR, Change
from ...motion.skeleton import naming
from ...motion.steps import Steps
from ...records import record
from ..data import scene
from . import evidence
from .played import Played

RATINGS = {GOOD: "Good", FAIR: "Fair", POOR: "Poor"}
"""What each rating is called."""
WORDS = {
    faults.SKATE: "{foot} skates {way} around {frame}",
    faults.POP: '"{bone}" pops at {frame}, {times} times as hard as anything in the clips',
    "ALONE": '"{bone}" pops at {frame}, where the clips hardly move',
    faults.LIFT: "the hips rise {height} above both clips at {frame}",
    faults.FLOAT: "the character floats {height} above the ground at {frame}",
    faults.SINK: '"{bone}" sinks {depth} into the ground at {frame}',
    faults.REACH: '"{bone}" reaches {way} further than in both clips at {frame}',
    faults.SPIN: '"{bone}" turns {angle}° within a frame at {frame}',
}
"""What faults of each kind are in an animator's words; ALONE: a pop where the clips hardly move."""
TOLD = 3
"""So many faults are told, at most."""
SIDES = {"LEFT": "the left foot", "RIGHT": "the right foot"}
"""What the feet of who has two are called."""


@record(frozen=True)
class Fault:
    """A fault to read: see :class:`faults.Fault`. bone: by name. side: LEFT or RIGHT of two feet, else ""."""

    kind: str
    size: float
    own: float
    severity: float
    bone: str
    side: str
    frame: float


@record(frozen=True)
class Verdict:
    """What is seen of a transition.

    rating: GOOD, FAIR or POOR. faults: those that make it no better than fair, the worst first. total: see
    :attr:`Judgement.total`. pop, highest, end: the change of the joints' velocity at the cut, where it is
    worst, and where the blend ends. skate, lift, reach: metres, of the worst joint; skate is None where
    nothing can be said of feet. until: the last frame at which anything differs from the destination. swings:
    whether that comes of a blend that is too long for the cycle that it leads into. hardest: the highest
    change of any joint's velocity, m/s, and of all, rms; beyond: those of the destination behind the blend.
    skating: the severity of the foot that skates most, 0 for none.
    """

    rating: str
    faults: tuple[Fault, ...]
    total: float
    pop: Change
    highest: Change
    end: Change
    skate: float | None
    lift: float
    reach: float
    until: float
    swings: bool = False
    hardest: tuple[float, float] = (0.0, 0.0)
    beyond: tuple[float, float] = (0.0, 0.0)
    skating: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON values, with the words."""
        values = dataclasses.asdict(self)
        del values["hardest"], values["beyond"], values["skating"]
        return values | {"words": [*sentences(self), *hints(self)]}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Verdict:
        """The inverse of :meth:`as_dict`, as far as that tells it."""
        plain = {field.name: values[field.name] for field in dataclasses.fields(cls) if field.name in values}
        changes = {name: Change(**values[name]) for name in ("pop", "highest", "end")}
        return cls(**{**plain, **changes, "faults": tuple(Fault(**each) for each in values["faults"])})

    @property
    def order(self) -> tuple[int, float]:
        """What verdicts are ranked by: the rating, then all that is seen."""
        return faults.RATED.index(self.rating), self.total


Verdicts = Steps[tuple[Verdict, ...]]
"""What judges several things, one after the other."""


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The worst of some verdicts."""
    return max(verdicts, key=lambda each: each.order)


def told(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """Verdicts on one thing after the other as JSON values: the worst, and all."""
    whole = worst(verdicts).as_dict() if verdicts else None
    return {"verdict": whole, "verdicts": [each.as_dict() for each in verdicts]}


def measures(verdicts: Sequence[Verdict]) -> dict[str, float | None]:
    """What gates look at: of some verdicts the worst of each measure, None where nothing can be said.

    pop: at the cut, metres a second; skate, lift and reach: metres.
    """
    skates = [each.skate for each in verdicts if each.skate is not None]
    return {
        "pop": max((each.pop.size for each in verdicts), default=None),
        "skate": max(skates, default=None),
        "lift": max((each.lift for each in verdicts), default=None),
        "reach": max((each.reach for each in verdicts), default=None),
    }


def of_played(played: Played) -> Steps[Verdict]:
    """The verdict on a transition, baked or only planned: as planned it plays once it is baked.

    Raises InertiaError as :func:`evidence.seeing` does.
    """
    if played.told is not None:
        return played.told
    seen = yield from evidence.seeing(played)
    yield 1.0
    return of_evidence(seen, played.settings.shift)


def of_evidence(seen: Evidence, shift: float = 0.0) -> Verdict:
    """The verdict on what is seen, so many frames later."""
    judged = faults.judge(seen)
    return Verdict(
        judged.rating,
        tuple(_named(seen, fault, shift) for fault in judged.faults if fault.severity > 1.0),
        judged.total,
        judged.at_cut,
        judged.highest,
        judged.at_end,
        None if seen.passing is None or not seen.feet else judged.size_of(faults.SKATE),
        judged.size_of(faults.LIFT),
        judged.size_of(faults.REACH),
        seen.until + shift,
        faults.swings(seen, judged),
        *faults.hardest(seen),
        judged.severity_of(faults.SKATE),
    )


def _named(seen: Evidence, fault: faults.Fault, shift: float) -> Fault:
    bone = seen.names[fault.joint]
    side = _side([seen.names[i] for i in seen.feet], bone) if fault.kind == faults.SKATE else ""
    return Fault(fault.kind, fault.size, fault.own, float(fault.severity), bone, side, fault.frame + shift)


def _side(feet: list[str], bone: str) -> str:
    """LEFT or RIGHT of two feet, by their names; "" where these don't say."""
    called = {"L": "LEFT", "R": "RIGHT"}
    sides = {name: called.get(naming.label(name).side, "") for name in feet}
    return sides[bone] if sorted(sides.values()) == ["LEFT", "RIGHT"] else ""


def sentences(verdict: Verdict, called: Mapping[str, str] | None = None) -> list[Sentence]:
    """A verdict in an animator's words: the rating with the worst fault, then the others.

    called: the controls that animators take for bones, by the bones; the bones themselves otherwise.
    """
    listed = verdict.faults[:TOLD]
    first = headline(verdict.rating, listed[0] if listed else None, called)
    return [first, *(Sentence("Also {fault}.", fault=words(fault, called)) for fault in listed[1:])]


def headline(rating: str, worst: Fault | None, called: Mapping[str, str] | None = None) -> Sentence:
    """The first sentence of a verdict: the rating with the worst fault, None for none.

    called: see :func:`sentences`.
    """
    named = Sentence(RATINGS[rating])
    if worst is None:
        return Sentence("{rating}: no fault is seen.", rating=named)
    return Sentence("{rating}: {fault}.", rating=named, fault=words(worst, called))


def hints(verdict: Verdict) -> list[Sentence]:
    """What faults come of, where that can be said."""
    if not verdict.swings:
        return []
    return [Sentence("The blend swings, as it is longer than half of the cycle that it leads into.")]


def words(fault: Fault, called: Mapping[str, str] | None = None) -> Sentence:
    """A fault in an animator's words, with its bone and its frame."""
    bone, length = (called or {}).get(fault.bone, fault.bone), scene.length_text(fault.size)
    foot = Sentence(SIDES[fault.side]) if fault.side else Sentence('the foot "{foot}"', foot=bone)
    times, angle = f"{fault.size / max(fault.own, 1e-9):.1f}", f"{math.degrees(fault.size):.0f}"
    places: dict[str, object] = {"bone": bone, "foot": foot, "frame": f"{fault.frame:g}"}
    sizes = {"way": length, "height": length, "depth": length, "times": times, "angle": angle}
    is_alone = fault.kind == faults.POP and fault.size > 10.0 * fault.own
    return Sentence(WORDS["ALONE" if is_alone else fault.kind], **places, **sizes)


LESS = 0.9
"""Locked feet skate less where they do by no more than this part."""


def of_locked(free: Verdict, locked: Verdict) -> tuple[Sentence, ...]:
    """What locking the feet of a transition is for; both verdicts are over the same frames."""
    if free.skate is None or locked.skate is None:
        return ()
    text = (
        "Feet are locked: unlocked, a foot would skate {before}, now {after}; up to frame {until:g} they "
        "differ from the destination."
    )
    if locked.skate > LESS * free.skate:
        # they are for another foot, or for what else is seen
        text = (
            "Feet are locked, but the one that skates most still goes {after}; up to frame {until:g} they "
            "differ from the destination."
        )
    before, after = scene.length_text(free.skate), scene.length_text(locked.skate)
    return (Sentence(text, before=before, after=after, until=locked.until),)
