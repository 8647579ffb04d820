# SPDX-License-Identifier: GPL-3.0-or-later
"""Candidates of a search: of the meetings that cost least, the ones that look best."""

from __future__ import annotations

import dataclasses
import itertools
import math
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError, Sentence
from ...motion.arrays import Array
from ...motion.cost.foresight import Foresight, Way
from ...motion.pops import teleports
from ...motion.skeleton import character, naming
from ...motion.steps import Steps, part
from ...records import record
from ...settings.cost import Search
from ...settings.transition import TransitionSettings
from ..data import rigs, scene
from ..data.actions import Address, Clip
from ..evaluation import influence, joints
from ..judging import verdict
from ..judging.played import Footage
from ..judging.verdict import Verdict
from ..transition import bake, excerpts
from . import meetings
from .costing import Compared
from .meetings import Meeting

COUNT = 10
"""So many of the meetings that cost least are judged, at least, ..."""
POOL, SPREAD = 3, 3.0
"""... which are chosen out of so many times as many, and lie so many times as far apart as neighbours where
they can, as what lies near to each other looks alike; ..."""
FORESEEN = 15
"""... and so many of all these, and of their neighbours, that are foreseen to look best."""
BESIDE = 5
"""On both sides of a frame so many others, at most, are looked at."""
Fixed = tuple[float | None, float | None]
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
        if self.verdict is None:
            return True, 0, 0.0, self.cost
        rating, total = self.verdict.order
        return False, rating, total + self.verdict.skating, self.cost

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
    fixed: Fixed = (None, None),
    exact: bool = True,
    seconds: float = math.inf,
) -> Steps[list[Candidate]]:
    """The best meetings that are not neighbours, the best first; yields the part that is done.

    Where they are judged more are than are asked for, a cheap one and one that is foreseen to look good in
    turn. fixed: the cut, or the destination frame, where that side is not searched. All else as in
    :func:`meetings.best_pairs` and :func:`ranked`. Raises InertiaError when no frame is within the search.
    """
    if search.by == "COST" or not _has_time(armature, clips, seconds):
        cheapest = yield from part(_cheapest(compared, search, count, fixed, exact), 0.0, 0.5)
    else:
        wanted = max(count, COUNT)
        pool = yield from part(_cheapest(compared, search, POOL * wanted, fixed, exact), 0.0, 0.4)
        looking = foreseen(armature, settings, compared, search, pool, FORESEEN, fixed)
        promising = yield from part(looking, 0.4, 0.5)
        pairs = itertools.zip_longest(spread(pool, wanted, search), promising)
        in_turn = (meeting for pair in pairs for meeting in pair if meeting is not None)
        cheapest = [*{(meeting.cut, meeting.destination_frame): meeting for meeting in in_turn}.values()]
    judged = yield from part(ranked(armature, settings, clips, cheapest, search.by, seconds), 0.5, 1.0)
    return meetings.without_neighbours(judged, search.apart_frames, count)


def _cheapest(
    compared: Compared, search: Search, count: int, fixed: Fixed, exact: bool
) -> Steps[list[Meeting]]:
    cut, destination_frame = fixed
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
    apart = meetings.without_neighbours(cheapest, SPREAD * search.apart_frames)
    others = [meeting for meeting in cheapest if meeting not in apart]
    return sorted([*apart, *others][:count], key=lambda meeting: meeting.cost)


def ranked(
    armature: Any,
    settings: TransitionSettings,
    clips: Sequence[Clip],
    cheapest: Sequence[Meeting],
    by: str = Search.by,
    seconds: float = math.inf,
) -> Steps[list[Candidate]]:
    """Judge meetings, and rank them by rating, by what is seen, and by cost; yields the part that is done.

    settings: of the transition, with any cut and destination frame. clips: the two, read, as it will be baked
    of them. cheapest: judged in their order. by: see :class:`Search`; by COST they stay as they are. seconds:
    once these are gone none is begun any more, and none of a rig that Blender has to play without all time.
    """
    candidates = [Candidate(**vars(meeting)) for meeting in cheapest]
    if by == "COST" or not _has_time(armature, clips, seconds):
        return candidates
    # which blend time looks best is asked of the one that is taken
    settings = dataclasses.replace(settings, suggest_blend_time=False)
    until, footage, still = time.monotonic() + seconds, Footage(), None
    if not influence.why_not_plain(armature, clips):
        still = excerpts.still(clips)
    for i, candidate in enumerate(candidates):
        if time.monotonic() >= until:
            break
        if settings.match_lengths:
            footage = Footage()  # then the destination is another one for each
        steps = _judged(armature, settings, clips, candidate, footage, still)
        candidates[i] = yield from part(steps, i / len(candidates), (i + 1) / len(candidates))
    return sorted(candidates, key=lambda candidate: candidate.order)


def _judged(
    armature: Any,
    settings: TransitionSettings,
    clips: Sequence[Clip],
    candidate: Candidate,
    footage: Footage,
    still: Mapping[Address, float] | None,
) -> Steps[Candidate]:
    settings = dataclasses.replace(settings, cut=candidate.cut, destination_frame=candidate.destination_frame)
    try:
        steps = bake.planning_clips(armature, settings, clips[0], clips[1], footage=footage, still=still)
        plan = yield from part(steps, 0.0, PLANNING)
        judged = yield from part(verdict.of_played(plan.played), PLANNING, 1.0)
    except InertiaError as error:
        # such as feet that can't be locked there: who bakes it is told
        return dataclasses.replace(candidate, why_not=error.sentence)
    return dataclasses.replace(candidate, verdict=judged)


def notes(armature: Any, clips: Sequence[Clip], candidates: Iterable[Candidate], by: str) -> list[Sentence]:
    """What there is to say of candidates that were to be judged and were not."""
    left = [candidate for candidate in candidates if candidate.verdict is None]
    if by == "COST" or not left:
        return []
    if reason := next((candidate.why_not for candidate in left if candidate.why_not), ""):
        return [Sentence("Not all pairs could be judged: {why}", why=reason)]
    if why := influence.why_not_plain(armature, clips):
        return [Sentence("The pairs are ranked by cost, as Blender would have to play them: {why}.", why=why)]
    return [Sentence("There was no time to judge all pairs: the others are ranked by cost.")]


def foreseen(
    armature: Any,
    settings: TransitionSettings,
    compared: Compared,
    search: Search,
    cheapest: Sequence[Meeting],
    count: int,
    fixed: Fixed = (None, None),
) -> Steps[list[Meeting]]:
    """So many of some meetings and their neighbours, no two of which are such: those that are foreseen to
    look best, though others may cost less; the best first. Yields the part that is done.

    Nothing is foreseen of clips of which not every frame was looked at: then there are none.
    """
    if any(len(motion.frames) > 1 and np.diff(motion.frames[:2]) > 1.0 for motion in compared.motions):
        return []
    cuts, entries = _beside(compared, search, cheapest, fixed)
    foresight, places = _foresight(armature, settings, compared, (cuts, entries))
    yield 0.1
    totals, parts = np.zeros(len(cuts)), max(1, math.ceil(len(cuts) / foresight.count))
    for i, which in enumerate(np.array_split(np.arange(len(cuts)), parts)):
        totals[which] = foresight.totals(places[0][which], places[1][which])
        yield 0.1 + 0.9 * (i + 1) / parts
    order = np.argsort(totals, kind="stable").tolist()
    in_order = (Meeting(float(cuts[i]), float(entries[i]), 0.0) for i in order)
    best = meetings.without_neighbours(in_order, search.apart_frames, count)
    return [
        dataclasses.replace(meeting, cost=compared.at(meeting.cut, meeting.destination_frame))
        for meeting in best
    ]


def _beside(
    compared: Compared, search: Search, cheapest: Sequence[Meeting], fixed: Fixed
) -> tuple[Array, Array]:
    """The cuts and the destination's frames (n,) of meetings, and of their neighbours that may be."""
    cut, entry = fixed
    source, destination = compared.source, compared.destination
    pairs = np.array([(meeting.cut, meeting.destination_frame) for meeting in cheapest])
    # a range may ask for a later repetition of a cycle, all frames of which are those of the first
    may_cut = pairs[:, 0] if cut is not None else source.frames[meetings.cuts(search, source)]
    enterable = destination.frames[meetings.entries(search, destination)]
    may_enter = pairs[:, 1] if entry is not None else enterable
    reach = math.ceil(search.apart_frames) - 1.0
    shifts = np.unique(np.round(np.linspace(-reach, reach, 2 * BESIDE + 1)))
    beside = np.stack(np.meshgrid(shifts, shifts), axis=-1).reshape(-1, 2)
    shifted = (pairs[:, None] + beside).reshape(-1, 2)
    may = np.isin(shifted[:, 0], may_cut) & np.isin(shifted[:, 1], may_enter)
    may &= ~meetings.too_near(compared, shifted[:, 0], shifted[:, 1])
    pairs = np.unique(np.concatenate([pairs, shifted[may]]), axis=0)
    return pairs[:, 0], pairs[:, 1]


def _foresight(
    armature: Any, settings: TransitionSettings, compared: Compared, frames: tuple[Array, Array]
) -> tuple[Foresight, list[Any]]:
    """What foresees transitions, and the places of the frames of cuts and entries (n,) in it."""
    kind, names = compared.alignment, compared.motions[0].names
    counting = [names.index(name) for name in compared.names]
    reference = character.upright([motion.root_rotation for motion in compared.motions])
    blend, metres = math.ceil(compared.blend_frames - 1e-6), scene.metres_per_unit()
    ways, places = [], []
    aligned = np.array([kind not in ("NONE", "HEIGHT")] * 2 + ["HEIGHT" in kind])
    for motion, at in zip(compared.motions, frames, strict=True):
        # of a cycle all that is shown, and what says how it moves around that
        repeated = motion.until(float(at.max()) + blend + compared.fps, metres)
        headings = np.zeros(len(repeated.frames))
        if "HEADING" in kind:
            headings = character.headings(repeated.root_rotation, reference)
        shown = (repeated.positions[:, counting], repeated.velocities[:, counting])
        jumps = repeated.teleports
        parts = teleports.parts_of(repeated.frames, jumps) if jumps else None
        ways.append(Way(*shown, repeated.root_position * aligned, headings, parts))
        places.append(np.searchsorted(repeated.frames, at - 1e-6))
    if settings.velocity == "SOURCE":
        ways[1].velocities[:] = 0.0
    hips_bones = [joint.bone for joint in joints.default_joints(armature) if joint.role == naming.HIPS]
    hips = next((compared.names.index(bone) for bone in hips_bones if bone in compared.names), None)
    size = rigs.read(armature).size * metres
    how = (compared.method, compared.seconds, settings.extrapolation_half_life, blend, compared.fps)
    return Foresight(ways[0], ways[1], *how, size, hips), places
