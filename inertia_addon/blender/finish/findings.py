# SPDX-License-Identifier: GPL-3.0-or-later
"""What is found in a take, by value: each finding with its frames, its size, and a sentence that says it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...errors import Sentence
from ...motion.judging import faults
from ...records import record
from ...settings.finish import FinishSettings
from ..data.actions import Clip
from ..judging import verdict

NEAR_FRAMES = 2.0
"""Findings of one kind and bone that are no further apart are the same, as mending moves their ends."""


@record(frozen=True)
class Finding:
    """One thing in a take that is to be mended.

    kind: of :data:`KINDS`. bone: which one, "" for the whole character. first, last: frames of the action.
    size: how large it is, in ``unit``. severity: its size in that from which on it is listed. words: a
    sentence. is_mended: whether there is a way to mend it; else it is only listed.
    """

    kind: str
    bone: str
    first: float
    last: float
    size: float
    unit: str
    severity: float
    words: Sentence
    is_mended: bool = True

    @property
    def name(self) -> str:
        """How settings name it."""
        return f"{self.kind}:{self.bone}@{self.first:g}"

    def is_same(self, finding: Finding) -> bool:
        """Tell whether another finding is of the same kind and bone, and no more than NEAR_FRAMES frames from
        this one, or overlaps it.
        """
        is_near = finding.first <= self.last + NEAR_FRAMES and finding.last >= self.first - NEAR_FRAMES
        return (self.kind, self.bone) == (finding.kind, finding.bone) and is_near

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values: name, kind, bone, first, last (frames), size, unit, severity, words (the
        sentence) and "mended", whether it is.
        """
        values = {name: getattr(self, name) for name in ("name", "kind", "bone", "first", "last")}
        figures = {name: getattr(self, name) for name in ("size", "unit", "severity")}
        return {**values, **figures, "words": str(self.words), "mended": self.is_mended}


@record(frozen=True)
class TakeFacts:
    """What a take is like.

    fps: of the scene. key_step: how many frames its keys are apart. size: of the character, metres, as the
    diagonal of its rest pose. up: the axis of the world along which it is, from feet to head, most of the
    time: ``Z`` for one that stands; None where that is not known. bones, legs: how many. is_plain: whether
    numpy can pose the rig. floor_height: of the floor that its feet stand on, metres, and floor_tilt,
    degrees; None where no foot ever stands.
    """

    fps: float
    key_step: float
    size: float
    up: str | None
    bones: int
    legs: int
    is_plain: bool
    floor_height: float | None = None
    floor_tilt: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return dict(vars(self))


@record(frozen=True)
class TakeVerdict:
    """How good a take is. rating: POOR where a finding is more than twice as large as what is listed, FAIR
    where there is any, else GOOD. worst: the largest of them, in that measure; None without any.
    """

    rating: str
    worst: Finding | None

    @classmethod
    def of(cls, findings: Iterable[Finding]) -> TakeVerdict:
        """Judge a take by the most severe of its findings: GOOD without one, POOR if its severity is above
        faults.POOR_FROM, else FAIR.
        """
        worst = max(findings, key=lambda each: each.severity, default=None)
        if worst is None:
            return cls(faults.GOOD, None)
        return cls(faults.POOR if worst.severity > faults.POOR_FROM else faults.FAIR, worst)

    @property
    def sentence(self) -> Sentence:
        """Return the verdict as a sentence, "Poor: ...", with the words of the worst finding, or that no
        fault is seen.
        """
        rating = Sentence(verdict.RATINGS[self.rating])
        if self.worst is None:
            return Sentence("{rating}: no fault is seen.", rating=rating)
        return Sentence("{rating}: {finding}", rating=rating, finding=self.worst.words)

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values: rating, words (a list of sentences), and the worst finding's name."""
        worst = None if self.worst is None else self.worst.name
        return {"rating": self.rating, "words": [str(self.sentence)], "worst": worst}


@record(frozen=True, eq=False)
class TakeFindings:
    """What was found in a take.

    clip: the take, as it was read. findings: those that are listed, by frame. measured: all that was
    measured, also what is too small to be listed. notes: sentences on what could not be looked at.
    """

    clip: Clip
    facts: TakeFacts
    findings: tuple[Finding, ...]
    measured: tuple[Finding, ...]
    notes: tuple[Sentence, ...]

    @property
    def verdict(self) -> TakeVerdict:
        """Return how good the take is, all findings together."""
        return TakeVerdict.of(self.findings)

    def size_of(self, finding: Finding) -> float:
        """Return how large a finding is here, 0 where nothing of its kind is there."""
        return max((each.size for each in self.measured if each.is_same(finding)), default=0.0)

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values: action, slot, start, end (frames), facts, findings (a list), verdict and
        notes. What was measured and is no finding is not among them.
        """
        clip = self.clip
        findings = [finding.as_dict() for finding in self.findings]
        notes = [str(note) for note in self.notes]
        return {
            "action": clip.action.name,
            "slot": clip.slot.identifier,
            "start": clip.start,
            "end": clip.end,
            "facts": self.facts.as_dict(),
            "findings": findings,
            "verdict": self.verdict.as_dict(),
            "notes": notes,
        }


def is_left(settings: FinishSettings, finding: Finding) -> bool:
    """Tell whether settings leave a finding as it is, by its kind or by its name, "KIND:BONE@FIRST".

    A name is of any finding of that kind and bone that starts up to NEAR_FRAMES earlier or later, as what is
    mended before it may move its ends. A name without a number behind the "@" is of none.
    """
    if finding.kind in settings.leave:
        return True
    for name in settings.leave:
        kind_and_bone, is_single, first = name.rpartition("@")
        if not is_single or kind_and_bone != f"{finding.kind}:{finding.bone}":
            continue
        try:
            if abs(float(first) - finding.first) <= NEAR_FRAMES:
                return True
        except ValueError:
            continue
    return False


def chosen(settings: FinishSettings, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the findings that settings have mended."""
    return tuple(each for each in findings if each.is_mended and not is_left(settings, each))
