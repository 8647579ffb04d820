# SPDX-License-Identifier: GPL-3.0-or-later
"""Candidates of a search: of the meetings that cost least, the ones that look best."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Generator, Iterable, Mapping, Sequence
from typing import Any

from ...errors import InertiaError, Sentence
from ...motion.steps import part
from ...settings.cost import Search
from ...settings.transition import TransitionSettings
from ..data.actions import Address, Clip
from ..evaluation import plain
from ..judging import verdict
from ..judging.footage import Footage
from ..judging.verdict import Verdict
from ..transition import bake, sketching
from . import meetings
from .costing import Compared
from .meetings import Meeting

COUNT = 10
"""So many of the meetings that cost least are judged."""
Given = tuple[float | None, float | None]
"""A cut and a destination frame; None for the side that is searched."""
PLANNING = 0.7
"""About what part of judging a candidate it is to plan it."""


@dataclasses.dataclass(frozen=True)
class Candidate(Meeting):
    """A meeting with the verdict on the transition there.

    verdict: None where it was not judged. why_not: why it can't be, where it can't.
    """

    verdict: Verdict | None = None
    why_not: str = ""

    @property
    def order(self) -> tuple[bool, tuple[int, float], float]:
        """What candidates are ranked by: rating, all that is seen, cost; those last that were not judged."""
        told = self.verdict
        return (told is None, (0, 0.0) if told is None else told.order, self.cost)

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        where = {"cut": self.cut, "destination_frame": self.destination_frame, "cost": self.cost}
        return where | {"verdict": None if self.verdict is None else self.verdict.as_dict()}


def best(
    armature: Any,
    settings: TransitionSettings,
    clips: Sequence[Clip],
    compared: Compared,
    search: Search,
    count: int = 1,
    given: Given = (None, None),
    exact: bool = True,
    seconds: float = math.inf,
) -> Generator[float, None, list[Candidate]]:
    """The best meetings that are not neighbours, the best first; yields the part that is done.

    Where candidates are judged at least COUNT are looked for. given: the cut, or the destination frame, where
    that side is not searched. exact: see :func:`meetings.best_pairs`. All else as in :func:`ranked`. Raises
    InertiaError when no frame is within the search.
    """
    looked = max(count, COUNT) if search.by == "JUDGED" else count
    cut, destination_frame = given
    if cut is not None:
        cheapest = meetings.best_destinations(compared, cut, search, looked)
    elif destination_frame is not None:
        cheapest = meetings.best_cuts(compared, destination_frame, search, looked)
    else:
        steps = meetings.best_pairs(compared, looked, search, exact)
        cheapest = yield from part(steps, 0.0, 0.5)
    found = yield from part(ranked(armature, settings, clips, cheapest, search.by, seconds), 0.5, 1.0)
    return found[:count]


def ranked(
    armature: Any,
    settings: TransitionSettings,
    clips: Sequence[Clip],
    cheapest: Sequence[Meeting],
    by: str = Search.by,
    seconds: float = math.inf,
) -> Generator[float, None, list[Candidate]]:
    """Judge meetings, and rank them by rating, by what is seen, and by cost; yields the part that is done.

    settings: of the transition, with any cut and destination frame. clips: the two, read, as it will be baked
    of them.
    cheapest: the meetings, the cheapest first. by: see :class:`Search`; by COST they stay as they are.
    seconds: once so much time is gone none is begun any more, and none of a rig that Blender has to play
    unless there is all time.
    """
    found = [Candidate(**vars(meeting)) for meeting in cheapest]
    if by == "COST" or (seconds < math.inf and plain.why_not_plain(armature, clips)):
        return found
    until, footage, still = time.monotonic() + seconds, Footage(), None
    if not plain.why_not_plain(armature, clips):
        still = sketching.still(clips)
    for i, candidate in enumerate(found):
        if time.monotonic() >= until:
            break
        if settings.match_lengths:
            footage = Footage()  # then the destination is another one for each
        steps = _judged(armature, settings, clips, candidate, footage, still)
        found[i] = yield from part(steps, i / len(found), (i + 1) / len(found))
    return sorted(found, key=lambda candidate: candidate.order)


def _judged(
    armature: Any,
    settings: TransitionSettings,
    clips: Sequence[Clip],
    candidate: Candidate,
    footage: Footage,
    still: Mapping[Address, float] | None,
) -> Generator[float, None, Candidate]:
    settings = dataclasses.replace(settings, cut=candidate.cut, destination_frame=candidate.destination_frame)
    try:
        steps = bake.planning_clips(armature, settings, clips[0], clips[1], footage=footage, still=still)
        plan = yield from part(steps, 0.0, PLANNING)
        told = yield from part(verdict.of_played(plan.played), PLANNING, 1.0)
    except InertiaError as error:
        # such as feet that can't be locked there: who bakes it is told
        return dataclasses.replace(candidate, why_not=error.sentence)
    return dataclasses.replace(candidate, verdict=told)


def notes(armature: Any, clips: Sequence[Clip], found: Iterable[Candidate], by: str) -> list[Sentence]:
    """What there is to say of candidates that were to be judged and were not."""
    left = [candidate for candidate in found if candidate.verdict is None]
    if by == "COST" or not left:
        return []
    if reason := next((candidate.why_not for candidate in left if candidate.why_not), ""):
        return [Sentence("Not all pairs could be judged: {why}", why=reason)]
    if why := plain.why_not_plain(armature, clips):
        return [Sentence("The pairs are ranked by cost, as Blender would have to play them: {why}.", why=why)]
    return [Sentence("There was no time to judge all pairs: the others are ranked by cost.")]
