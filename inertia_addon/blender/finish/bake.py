# SPDX-License-Identifier: GPL-3.0-or-later
"""Finishes a take: one new action in which what was found is mended and all else is as it was.

All is read, looked at again and computed before anything is written, so that a failure leaves the file as it
was.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from ...errors import InertiaError
from ...motion.steps import Steps, part
from ...records import record
from ...settings.finish import FinishSettings
from ..data import result_kinds, rewriting
from ..data.report import Report
from ..data.rewriting import RewritingKind, Rewritten
from ..evaluation.character import read_character
from ..feet import contacts
from . import look, mend
from .findings import Finding, TakeFindings, TakeVerdict, chosen, is_left
from .mend import Mending

KIND = result_kinds.FINISH
"""What the recipe of a finished take is called."""

GONE, BETTER, SAME, LEFT, LISTED = "gone", "better", "same", "left", "listed"
"""What became of a finding: it is below what is listed, there is less of it, it is as it was, it was left,
or nothing mends it."""
CLEARLY = 0.9
"""It is better where no more than this part of it is left."""


@record(frozen=True)
class Outcome:
    """What became of a finding. after: its size in the result. became: one of GONE to LISTED."""

    finding: Finding
    after: float
    became: str

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values: those of the finding, with its size as ``before``."""
        values = self.finding.as_dict()
        return {**values, "before": values.pop("size"), "after": self.after, "became": self.became}


@record(frozen=True, kw_only=True)
class FinishReport(Report):
    """What :func:`finish_take_steps` made.

    action: what it was made of. outcomes: of each finding. before, after: how good it was, and how good the
    result is. left: how many findings the result has all the same, with those that were left. notes:
    sentences.
    """

    action: str
    before: TakeVerdict
    after: TakeVerdict
    outcomes: tuple[Outcome, ...] = ()
    left: int = 0
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values: those of any report, "before" and "after" (verdicts), and "outcomes" (a
        list of dicts).
        """
        verdicts = {"before": self.before.as_dict(), "after": self.after.as_dict()}
        return {**super().as_dict(), **verdicts, "outcomes": [each.as_dict() for each in self.outcomes]}


def finish_take_steps(
    armature: Any,
    settings: FinishSettings,
    into: Any | None = None,
    take_findings: TakeFindings | None = None,
) -> Steps[FinishReport]:
    """Finish a take: make a new action with what was found mended, and return a report; yield the part that
    is done, 0 to 1.

    The file changes after the last yield.

    The result is looked at once more: the report has the verdicts ``before`` and ``after``, what became of
    each finding (``outcomes``), how many findings are left and all notes. The action is assigned if the
    settings say so, and feet that were locked are stored with it.

    into: an earlier result to make anew in place, None for a new action. take_findings: what was found in the
    take, None to look. The settings' `into` and `at` are not looked at. Raise InertiaError, with the file as
    it was, for a take in which nothing is to be mended, or nothing can be, one that can't be read or looked
    at, and an `into` that is linked or the take itself.
    """
    # where the take is put is no matter of the finished one
    settings = dataclasses.replace(settings, into="", at=None)
    if take_findings is None:
        take_findings = yield from part(look.look_steps(armature, settings), 0.0, 0.3)
    clip = take_findings.clip
    rewriting.check_into(into, clip.action)
    if not chosen(settings, take_findings.findings):
        raise InertiaError(
            'Nothing is to be mended in "{action}"; it is as it should be, or all that was found is left.',
            action=clip.action.name,
        )
    character = read_character(armature)
    mended = Mending(character, settings, clip)
    repairs = mend.list_repairs(settings, take_findings.findings)
    for i, (repair, wanted) in enumerate(repairs):
        yield 0.3 + 0.4 * i / len(repairs)
        mend.try_repair(mended, repair, wanted)
    if not mended.curves:
        raise InertiaError(
            'Nothing of "{action}" could be mended: {reason}',
            action=clip.action.name,
            reason=" ".join(map(str, mended.notes)),
        )
    again = yield from part(look.look_at_steps(character, mended.clip, settings), 0.7, 1.0)
    outcomes = tuple(_outcome(settings, each, again) for each in take_findings.findings)

    def completed(action: Any) -> None:
        if mended.held:
            contacts.store(action, mended.held, contacts.HELD)
        if action.use_frame_range and action.frame_start < mended.clip.start:
            action.frame_start = mended.clip.start

    slot = Rewritten(clip, mended.curves, tuple(mended.baked), frozenset(mended.shaped))
    written = rewriting.write(armature, RewritingKind(KIND, "finished", completed), settings, [slot], into)
    values = {**vars(written), "frame_range": (mended.clip.start, mended.clip.end)}
    notes = tuple(map(str, (*take_findings.notes, *mended.notes)))
    return FinishReport(
        **values,
        action=clip.action.name,
        before=take_findings.verdict,
        after=again.verdict,
        outcomes=outcomes,
        left=len(again.findings),
        notes=notes,
    )


def _outcome(settings: FinishSettings, finding: Finding, again: TakeFindings) -> Outcome:
    """Say what became of a finding: LISTED if it is of a kind that is never mended, else LEFT if the settings
    leave it, GONE if it is within the limit now and not found again, BETTER if its size is CLEARLY of what it
    was or less, and SAME.

    again: what was found in the result; the outcome has its size there.
    """
    after = again.size_of(finding)
    if not finding.is_mended:
        return Outcome(finding, after, LISTED)
    if is_left(settings, finding):
        return Outcome(finding, after, LEFT)
    limit = finding.size / finding.severity
    if after <= limit and not any(each.is_same(finding) for each in again.findings):
        return Outcome(finding, after, GONE)
    return Outcome(finding, after, BETTER if after <= CLEARLY * finding.size else SAME)


def report_unchanged(take_findings: TakeFindings) -> FinishReport:
    """Return the report of a take in which nothing is to be mended, which is its own result."""
    clip = take_findings.clip
    return FinishReport.of_unchanged(
        clip,
        take_findings.facts.fps,
        action=clip.action.name,
        before=take_findings.verdict,
        after=take_findings.verdict,
        left=len(take_findings.findings),
        notes=tuple(map(str, take_findings.notes)),
    )
