# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a result looks better with its feet locked: the one rule for all that leaves that to Inertia."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ...errors import Sentence
from ...motion.judging import faults
from .verdict import Verdict, words


class Judged(Protocol):
    """What was judged of a join, or of what lies between joins: a verdict, or a judgement."""

    @property
    def rating(self) -> str:
        """GOOD, FAIR or POOR."""

    @property
    def total(self) -> float:
        """The severities of all that is seen, squared and summed."""


def decide(free: Sequence[Judged], locked: Sequence[Judged]) -> bool:
    """Return whether a result looks better with its feet locked than free: by the word, then by the total.

    free, locked: what was judged of the same parts of the result, at least one. Its word is the worst of
    theirs, its total their sum. Of equals the free one is better, as its destination plays as it is.
    """
    return order_of(locked) < order_of(free)


def order_of(judged: Sequence[Judged]) -> tuple[int, float]:
    """Return what results are ranked by, the best first: the worst word, by number, and the sum of totals."""
    return max(faults.RATED.index(each.rating) for each in judged), sum(each.total for each in judged)


def explain_free(free: Verdict, locked: Verdict) -> tuple[Sentence, ...]:
    """Return a note on why feet that skate are left free: the worst fault that is seen if they are locked.

    Return none where no foot is seen to skate, as there is nothing to explain then.
    """
    if not locked.faults or all(fault.kind != faults.SKATE for fault in free.faults):
        return ()
    return (
        Sentence(
            "Feet are not locked, as that would look worse: {fault}. Choose Lock to lock them anyway.",
            fault=words(locked.faults[0]),
        ),
    )
