# SPDX-License-Identifier: GPL-3.0-or-later
"""Candidates of a search: of the meetings that cost least, the ones that look best."""

from __future__ import annotations

import dataclasses
import itertools
import math
import time
from collections.abc import Generator, Iterable, Mapping, Sequence
from typing import Any

from ...errors import InertiaError, Sentence
from ...motion.steps import part
from ...records import record
from ...settings.cost import Search
from ...settings.transition import TransitionSettings
from ..data.actions import Address, Clip
from ..evaluation import influence
from ..judging import verdict
from ..judging.played import Footage
from ..judging.verdict import Verdict
from ..transition import bake, excerpts
from . import foreseen, meetings
from .costing import Compared
from .meetings import Meeting

COUNT = 10
"""So many of the meetings that cost least are judged, at least, ..."""
POOL, SPREAD = 3, 3.0
"""... which are chosen out of so many times as many, and lie so many times as far apart as neighbours where
they can, as what lies near to each other looks alike; ..."""
FORESEEN = 15
"""... and so many of all these, and of their neighbours, that are foreseen to look best."""
Given = tuple[float | None, float | None]
"""A cut and a destination frame; None for the side that is searched."""
PLANNING = 0.7
"""About what part of judging a candidate it is to plan it."""


@record(frozen=True)
class Candidate(Meeting):
    """A meeting with the verdict on the transition there.

    verdict: None where it was not judged. why_not: why it can't be, where it can't.
    """

    verdict: Verdict | None = None
    why_not: str = ""

    @property
    def order(self) -> tuple[bool, int, float, float]:
        """What candidates are ranked by: rating, all that is seen, cost; those last that were not judged.

        A skating foot counts once more by its severity itself: squared as all else, a way of which nobody
        complains would count nothing, and where much is equally good it is what can be had for nothing.
        """
        told = self.verdict
        if told is None:
            return True, 0, 0.0, self.cost
        rating, total = told.order
        return False, rating, total + told.skating, self.cost

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

    Where they are judged more are than are asked for, a cheap one and one that is foreseen to look good in
    turn. given: the cut, or the
    destination frame, where that side is not searched. exact: see :func:`meetings.best_pairs`. All else as in
    :func:`ranked`. Raises InertiaError when no frame is within the search.
    """
    if search.by == "COST" or not _has_time(armature, clips, seconds):
        cheapest = yield from part(_cheapest(compared, search, count, given, exact), 0.0, 0.5)
    else:
        wanted = max(count, COUNT)
        pool = yield from part(_cheapest(compared, search, POOL * wanted, given, exact), 0.0, 0.4)
        looking = foreseen.best(armature, settings, compared, search, pool, FORESEEN, given)
        promising = yield from part(looking, 0.4, 0.5)
        each = itertools.zip_longest(spread(pool, wanted, search), promising)
        some = (one for both in each for one in both if one is not None)
        cheapest = [*{(one.cut, one.destination_frame): one for one in some}.values()]
    found = yield from part(ranked(armature, settings, clips, cheapest, search.by, seconds), 0.5, 1.0)
    return meetings.without_neighbours(found, search.apart_frames, count)


def _cheapest(
    compared: Compared, search: Search, count: int, given: Given, exact: bool
) -> Generator[float, None, list[Meeting]]:
    cut, destination_frame = given
    if cut is not None:
        return meetings.best_destinations(compared, cut, search, count)
    if destination_frame is not None:
        return meetings.best_cuts(compared, destination_frame, search, count)
    return (yield from meetings.best_pairs(compared, count, search, exact))


def _has_time(armature: Any, clips: Sequence[Clip], seconds: float) -> bool:
    """Whether there is time to judge: Blender takes too long to play a rig for less than all."""
    return seconds == math.inf or not influence.why_not_plain(armature, clips)


def spread(cheapest: Sequence[Meeting], count: int, search: Search) -> list[Meeting]:
    """So many of some meetings, the cheapest first: those that lie SPREAD times as far apart as neighbours,
    and where they are too few the cheapest of the others. cheapest: the cheapest first."""
    found = meetings.without_neighbours(cheapest, SPREAD * search.apart_frames)
    others = [one for one in cheapest if one not in found]
    return sorted([*found, *others][:count], key=lambda one: one.cost)


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
    of them. cheapest: the meetings, judged in their order. by: see :class:`Search`; by COST they stay as they
    are. seconds: once so much time is gone none is begun any more, and none of a rig that Blender has to play
    unless there is all time.
    """
    found = [Candidate(**vars(meeting)) for meeting in cheapest]
    if by == "COST" or not _has_time(armature, clips, seconds):
        return found
    # which blend time looks best is asked of the one that is taken
    settings = dataclasses.replace(settings, suggest_blend_time=False)
    until, footage, still = time.monotonic() + seconds, Footage(), None
    if not influence.why_not_plain(armature, clips):
        still = excerpts.still(clips)
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
    if why := influence.why_not_plain(armature, clips):
        return [Sentence("The pairs are ranked by cost, as Blender would have to play them: {why}.", why=why)]
    return [Sentence("There was no time to judge all pairs: the others are ranked by cost.")]
