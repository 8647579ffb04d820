# SPDX-License-Identifier: GPL-3.0-or-later
"""What a transition costs, and what its judge has measured: what gates of pipelines look at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...records import record
from ..judging import verdict
from ..judging.verdict import Verdict


@record(frozen=True)
class Quality:
    """What a baked transition is like.

    cost: its displacement, metre seconds. bone: the one that adds most to it, with its share of 0 to 1.
    pop: the change of the joints' velocity across the cut, m/s, rms over all joints. skate: of the foot that
    skates furthest, metres; None where nothing can be said of feet. lift, reach: see :class:`Verdict`.
    """

    cost: float
    bone: str
    share: float
    pop: float
    skate: float | None
    lift: float
    reach: float


def worst_bone(parts: Mapping[str, float]) -> tuple[float, str, float]:
    """The cost that bones have these parts of, the bone that adds most, and its share of 0 to 1."""
    total = sum(parts.values())
    bone = max(parts, key=lambda name: parts[name])
    return total, bone, parts[bone] / total if total > 0.0 else 0.0


def of(parts: Mapping[str, float], verdicts: Iterable[Verdict]) -> Quality:
    """What one transition is like, or several that follow each other: the worst of each measure.

    parts: of the cost, by bone.
    """
    measured: dict[str, Any] = verdict.measures(tuple(verdicts))
    return Quality(*worst_bone(parts), **measured)
