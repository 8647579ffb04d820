# SPDX-License-Identifier: GPL-3.0-or-later
"""Candidates of a search: of the meetings that cost least, the ones that look best."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError, Sentence
from ...motion.arrays import Array
from ...motion.cost.foresight import AlignedClip, Foresight
from ...motion.judging.faults import POOR
from ...motion.pops import teleports
from ...motion.skeleton import character_space, naming
from ...motion.steps import Steps, part
from ...records import record
from ...settings.cost import Search
from ...settings.transition import TransitionSettings
from ..data.actions import Address, Clip
from ..evaluation import joints
from ..evaluation.character import Character
from ..judging.eased_together import Begun, ease_together_steps
from ..judging.played import Footage
from ..judging.verdict import Verdict
from ..transition import clip_excerpts, glances
from ..transition.meeting import PlanOptions
from . import meetings
from .costing import Compared
from .meetings import CostedMeeting

COUNT = 10
"""So many of the meetings that cost least are judged, at least, ..."""
POOL, SPREAD = 3, 3.0
"""... which are chosen out of so many times as many, and lie so many times as far apart as neighbours where
they can, as what lies near to each other looks alike; ..."""
FORESEEN = 15
"""... and so many of all these, and of their neighbours, that are foreseen to look best."""
MORE = 50
"""While all that is judged is poor, so many cheap meetings more are, and so many that are foreseen to look
best."""
BESIDE = 5
"""On both sides of a frame so many others, at most, are looked at."""
TOGETHER = 12
"""The feet of so many candidates are eased together, at most: who stops a search waits for no more."""
Fixed = tuple[float | None, float | None]
"""A cut and a destination frame; None for the side that is searched."""


@record(frozen=True)
class Candidate(CostedMeeting):
    """A meeting with the verdict on the transition there.

    verdict: None where it was not judged. why_not: why it can't be, where it can't.
    """

    verdict: Verdict | None = None
    why_not: str = ""

    @property
    def order(self) -> tuple[bool, int, float, float]:
        """Return what candidates are ranked by, the lowest first: (whether it was not judged, the rating's
        place, 0 for good, all that is seen with the skating's severity added, the cost).

        A skating foot counts once more by its severity itself: squared as all else, a way of which nobody
        complains would count nothing, and where much is equally good it is what can be had for nothing.
        Without a verdict it is (True, 0, 0.0, cost).
        """
        if self.verdict is None:
            return True, 0, 0.0, self.cost
        rating, total = self.verdict.order
        return False, rating, total + self.verdict.skating, self.cost

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values: cut, destination_frame, cost, and "verdict", a dict or None."""
        where = {"cut": self.cut, "destination_frame": self.destination_frame, "cost": self.cost}
        return where | {"verdict": None if self.verdict is None else self.verdict.as_dict()}


@record(frozen=True, eq=False)
class WantedPairs:
    """Which meetings are looked for.

    count: so many. fixed: the cut, or the destination frame, if that side is not searched. is_exact: see
    :func:`meetings.best_pairs`. so_far: each candidate is added to it as soon as it is judged; who stops
    earlier takes the :func:`best_so_far`. None to keep none.
    """

    count: int = 1
    fixed: Fixed = (None, None)
    is_exact: bool = True
    so_far: list[Candidate] | None = None


def best(
    character: Character,
    settings: TransitionSettings,
    clips: Sequence[Clip],
    compared: Compared,
    search: Search,
    wanted_pairs: WantedPairs | None = None,
) -> Steps[list[Candidate]]:
    """Return the best meetings that are not neighbours, the best first, at most as many as are wanted; yield
    the part that is done, 0 to 1.

    By COST they are the cheapest, without a verdict. Else more are judged than are asked for: in turn a cheap
    one and one that is foreseen to look good; and while none is better than poor, more of both. What is
    judged never depends on how long that takes.

    wanted_pairs: how many, which side is fixed, whether all costs are exact; None for one, wherever it is.
    Its list ``so_far``, if there is one, gets each candidate as it is judged, and what it holds already
    counts. All else as in :func:`meetings.best_pairs` and :func:`ranked`. Raise InertiaError if no frame is
    within the search.
    """
    wanted_pairs = wanted_pairs or WantedPairs()
    count, fixed, exact = wanted_pairs.count, wanted_pairs.fixed, wanted_pairs.is_exact
    if search.by == "COST":
        cheapest = yield from part(_cheapest(compared, search, count, fixed, exact=exact), 0.0, 1.0)
        found = [Candidate(**vars(meeting)) for meeting in cheapest]
        return meetings.without_neighbours(found, search.apart_frames, count)
    wanted, judged = max(count, COUNT), [] if wanted_pairs.so_far is None else wanted_pairs.so_far
    pool = yield from part(_cheapest(compared, search, POOL * wanted, fixed, exact=exact), 0.0, 0.4)
    looking = foreseen(character, settings, compared, search, pool, WantedPairs(FORESEEN, fixed))
    promising = yield from part(looking, 0.4, 0.5)
    chosen = _in_turn(spread(pool, wanted, search), promising)
    judging = _Judging.of(character, settings, clips, (count, search))
    yield from part(judging.judge_all(chosen, judged), 0.5, 0.8)
    if _is_poor(judged):
        pool = yield from part(_cheapest(compared, search, MORE, fixed, exact=exact), 0.8, 0.83)
        looking = foreseen(character, settings, compared, search, pool, WantedPairs(MORE, fixed))
        promising = yield from part(looking, 0.83, 0.85)
        known = {_frames_of(candidate) for candidate in (*judged, *judging.glanced)}
        others = [meeting for meeting in _in_turn(pool, promising) if _frames_of(meeting) not in known]
        yield from part(judging.judge_all(others, judged, while_poor=True), 0.85, 1.0)
    return best_so_far(judged, search, count)


def best_so_far(judged: Iterable[Candidate], search: Search, count: int = 1) -> list[Candidate]:
    """Return the best of some candidates that are not neighbours, the best first, at most ``count``."""
    ranking = sorted(judged, key=lambda candidate: candidate.order)
    return meetings.without_neighbours(ranking, search.apart_frames, count)


def _in_turn(*lists: Sequence[CostedMeeting]) -> list[CostedMeeting]:
    """Return the meetings of some lists in turn, each pair of frames once."""
    mixed = (each for row in itertools.zip_longest(*lists) for each in row if each is not None)
    return [*{_frames_of(meeting): meeting for meeting in mixed}.values()]


def _frames_of(meeting: CostedMeeting) -> tuple[float, float]:
    return meeting.cut, meeting.destination_frame


def _is_poor(judged: Sequence[Candidate]) -> bool:
    """Return whether some candidate was judged, and none of them is better than poor."""
    verdicts = [candidate.verdict for candidate in judged if candidate.verdict is not None]
    return bool(verdicts) and all(each.rating == POOR for each in verdicts)


def _cheapest(
    compared: Compared, search: Search, count: int, fixed: Fixed, *, exact: bool
) -> Steps[list[CostedMeeting]]:
    cut, destination_frame = fixed
    if cut is not None:
        return meetings.best_destinations(compared, cut, search, count)
    if destination_frame is not None:
        return meetings.best_cuts(compared, destination_frame, search, count)
    return (yield from meetings.best_pairs(compared, count, search, exact=exact))


def spread(cheapest: Sequence[CostedMeeting], count: int, search: Search) -> list[CostedMeeting]:
    """Return at most `count` of some meetings, the cheapest first: those that lie SPREAD times
    ``search.apart_frames`` apart, and where they are too few the cheapest of the others.

    cheapest: the meetings, the cheapest first.
    """
    apart = meetings.without_neighbours(cheapest, SPREAD * search.apart_frames)
    others = [meeting for meeting in cheapest if meeting not in apart]
    return sorted([*apart, *others][:count], key=lambda meeting: meeting.cost)


def ranked(
    character: Character,
    settings: TransitionSettings,
    clips: Sequence[Clip],
    cheapest: Sequence[CostedMeeting],
    by: str = Search.by,
) -> Steps[list[Candidate]]:
    """Judge meetings, and return them ranked by rating, by what is seen, and by cost, the best first; yields
    the part that is done, 0 to 1.

    settings: of the transition, with any cut and destination frame. clips: the source and the destination,
    read, as it will be baked of them. cheapest: the meetings, judged in their order. by: "JUDGED", or "COST",
    with which they keep their order, are not judged, and have no verdict. A meeting that can't be judged
    comes last, and ``why_not`` says why: no InertiaError is raised for it.
    """
    if by == "COST":
        return [Candidate(**vars(meeting)) for meeting in cheapest]
    judged: list[Candidate] = []
    yield from _Judging.of(character, settings, clips).judge_all(cheapest, judged)
    return sorted(judged, key=lambda candidate: candidate.order)


@record(eq=False)
class _Judging:
    """Judges meetings of the same two clips, which are looked at but once.

    settings: of the transition, with any cut and destination frame. clips: the two, read. still: channels
    that show the same all along, see :mod:`clip_excerpts`; None on a rig that Blender has to play. wanted:
    how many of the best are asked for, and the search that says which are neighbours; None for a verdict on
    each. glanced: candidates that nobody has looked at whole, as some bones say that they are not among
    these; no verdict on all bones is better than theirs. partly: the frames of all that were first judged
    by some bones.
    """

    character: Character
    settings: TransitionSettings
    clips: Sequence[Clip]
    still: Mapping[Address, float] | None
    footage: Footage
    wanted: tuple[int, Search] | None = None
    glanced: list[Candidate] = dataclasses.field(default_factory=list)
    partly: set[tuple[float, float]] = dataclasses.field(default_factory=set)

    @property
    def armature(self) -> Any:
        """The armature object itself."""
        return self.character.armature

    @functools.cached_property
    def _glance(self) -> glances.Glance | None:
        """Return how meetings are judged by few of a rig's many bones; None where all bones have to be looked
        at: on a rig that Blender has to play, or where the few would not tell all that is judged. It is found
        at the first access, and kept.
        """
        if self.still is None:
            return None
        source, destination = self.clips
        found = glances.find_glance(
            self.character, self.settings, (source, destination), self.footage, self.still
        )
        return found if found is not None and (found.is_whole or self.wanted is not None) else None

    @classmethod
    def of(
        cls,
        character: Character,
        settings: TransitionSettings,
        clips: Sequence[Clip],
        wanted: tuple[int, Search] | None = None,
    ) -> _Judging:
        """Return what judges meetings of two clips. wanted: see the class."""
        # which blend time looks best is asked of the one that is taken, and what follows is not looked at
        settings = dataclasses.replace(settings, suggest_blend_time=False, go_on="ONCE")
        still = None if character.find_poser(clips).has_to_play else clip_excerpts.still(clips)
        return cls(character, settings, clips, still, Footage(), wanted)

    def judge_all(
        self, meetings: Sequence[CostedMeeting], judged: list[Candidate], *, while_poor: bool = False
    ) -> Steps[None]:
        """Judge meetings in their order, and append each, as a candidate with its verdict or ``why_not``, to
        ``judged``; yield the part that is done, 0 to 1.

        judged: may hold candidates already. while_poor: stop behind the first meeting with which any of
        ``judged``, those of before included, is better than poor; the first meeting is judged in any case.
        Feet of several meetings are eased together, unless ``while_poor`` is set or lengths are matched; with
        matched lengths each meeting gets new footage, as its destination is another.
        Where few bones say that some are not among the best that are wanted, these are put into ``glanced``
        in place of ``judged``.
        """
        size = 1 if while_poor or self.settings.match_lengths else TOGETHER
        with self.footage.of_many():
            for first in range(0, len(meetings), size):
                if self.settings.match_lengths:
                    self.footage = Footage()  # then the destination is another one for each
                judging = [self.judge(Candidate(**vars(each))) for each in meetings[first : first + size]]
                begin, share = first / len(meetings), len(judging) / len(meetings)
                begun: list[Begun[Candidate]] = [*judging]
                if size > 1:
                    share *= 0.5
                    begun = yield from part(ease_together_steps(self.footage, judging), begin, begin + share)
                    begin += share
                for i, work in enumerate(begun):
                    done, soon = (begin + share * k / len(begun) for k in (i, i + 1))
                    candidate = work if isinstance(work, Candidate) else (yield from part(work, done, soon))
                    (self.glanced if _frames_of(candidate) in self.partly else judged).append(candidate)
                    if while_poor and not _is_poor(judged):
                        return
                at = begin + share
                yield from part(self._judge_promising(judged), at, at)
                if while_poor and not _is_poor(judged):
                    return

    def _judge_promising(self, judged: list[Candidate]) -> Steps[None]:
        """Judge by all bones what few of them say may be among the best that are wanted, and move each from
        ``glanced`` to the end of ``judged``, the most promising first.

        It stops when nothing is glanced at any more, or when as many as are wanted are better by all bones
        than the best of the others is by few, whose figures are never worse than those by all. Nothing is
        done where it is not known how many are wanted. What is yielded has no weight.
        """
        while self.glanced and self.wanted is not None:
            count, search = self.wanted
            best = best_so_far(judged, search, count)
            bounds = [each.verdict.order for each in self.glanced if each.verdict is not None]
            promised = min(bounds)
            if len(best) == count and (False, *promised) > best[-1].order[:3]:
                return
            candidate = self.glanced.pop(bounds.index(promised))
            judged.append((yield from self._judge_by(candidate, None)))

    def judge(self, candidate: Candidate) -> Steps[Candidate]:
        """Return a candidate with the verdict on it, or with ``why_not``, a sentence that says why there is
        none; yields the part that is done.

        The verdict may be on some bones alone, see ``partly``. InertiaError, such as for feet that can't be
        locked there, is not raised: who bakes it is told.
        """
        return self._judge_by(candidate, self._glance)

    def _judge_by(self, candidate: Candidate, glance: glances.Glance | None) -> Steps[Candidate]:
        """Return a copy of a candidate with its verdict; where its transition can't be made, with ``why_not``
        instead.

        Its frames are added to ``partly`` if not all bones that count were looked at. glance: how few bones
        are looked at, None for all.
        """
        settings = dataclasses.replace(
            self.settings, cut=candidate.cut, destination_frame=candidate.destination_frame
        )
        source, destination = self.clips
        options = PlanOptions(footage=self.footage, constants=self.still)
        steps = glances.glance_steps(self.character, settings, (source, destination), options, glance)
        try:
            judged, is_whole = yield from steps
        except InertiaError as error:
            # such as feet that can't be locked there: who bakes it is told
            return dataclasses.replace(candidate, verdict=None, why_not=error.sentence)
        if not is_whole:
            self.partly.add(_frames_of(candidate))
        return dataclasses.replace(candidate, verdict=judged)


def notes(candidates: Iterable[Candidate], by: str) -> list[Sentence]:
    """Return the sentence that not all pairs could be judged, in a list, with the reason of the first
    candidate that has one; [] if all were judged, or by COST.

    How many they are is not told.
    """
    reasons = [candidate.why_not for candidate in candidates if candidate.why_not]
    if by == "COST" or not reasons:
        return []
    return [Sentence("Not all pairs could be judged: {why}", why=reasons[0])]


def foreseen(
    character: Character,
    settings: TransitionSettings,
    compared: Compared,
    search: Search,
    cheapest: Sequence[CostedMeeting],
    wanted_pairs: WantedPairs,
) -> Steps[list[CostedMeeting]]:
    """Return the meetings, of the given ones and their neighbours, that are foreseen to look best, the best
    first; yield the part that is done, 0 to 1. Others may cost less. Each has its exact cost.

    At most ``wanted_pairs.count`` are returned, no two of them neighbours of each other by
    ``search.apart_frames``; ``wanted_pairs.fixed`` is the side that is not searched. [] where not every frame
    of a clip was looked at, as nothing is foreseen then. cheapest: at least one meeting. settings: see
    :func:`_foresight`. Raise InertiaError if no frame is within the search.
    """
    if any(len(motion.frames) > 1 and np.diff(motion.frames[:2]) > 1.0 for motion in compared.motions):
        return []
    cuts, entries = _add_neighbours(compared, search, cheapest, wanted_pairs.fixed)
    foresight, places = _foresight(character, settings, compared, (cuts, entries))
    yield 0.1
    totals, parts = np.zeros(len(cuts)), max(1, math.ceil(len(cuts) / foresight.count))
    for i, which in enumerate(np.array_split(np.arange(len(cuts)), parts)):
        totals[which] = foresight.totals(places[0][which], places[1][which])
        yield 0.1 + 0.9 * (i + 1) / parts
    order = np.argsort(totals, kind="stable").tolist()
    in_order = (CostedMeeting(float(cuts[i]), float(entries[i]), 0.0) for i in order)
    best = meetings.without_neighbours(in_order, search.apart_frames, wanted_pairs.count)
    return [
        dataclasses.replace(meeting, cost=compared.at(meeting.cut, meeting.destination_frame))
        for meeting in best
    ]


def _add_neighbours(
    compared: Compared, search: Search, cheapest: Sequence[CostedMeeting], fixed: Fixed
) -> tuple[Array, Array]:
    """Return the cuts (n,) and the destination's frames (n,) of the given meetings, and of those neighbours
    of theirs that the search allows.

    Each pair comes once, sorted by cut, then by destination frame. Given meetings are kept whatever the
    search allows. At most 11 by 11 pairs around each are looked at, evenly spread within less than
    ``search.apart_frames``, in whole frames. Frames of one clip that are too near each other are left out.
    fixed: (cut, destination frame), None for each that is searched; a fixed side has only the frames of the
    given meetings. cheapest: at least one. Raise InertiaError if no frame is within the search.
    """
    cut, entry = fixed
    source, destination = compared.source, compared.destination
    pairs = np.array([(meeting.cut, meeting.destination_frame) for meeting in cheapest])
    # a range may ask for a later repetition of a cycle, all frames of which are those of the first
    may_cut = pairs[:, 0] if cut is not None else source.frames[meetings.cuts(search, source)]
    enterable = destination.frames[meetings.entries(search, destination, compared.blend_frames)]
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
    character: Character, settings: TransitionSettings, compared: Compared, frames: tuple[Array, Array]
) -> tuple[Foresight, list[Any]]:
    """Return what foresees transitions, and a list of two arrays (n,): for each meeting the index of its cut
    among the source's frames there, and that of its entry among the destination's.

    frames: the cuts (n,), and the destination's frames (n,) that are entered; cycles are repeated as far as
    these, a blend and a second need. settings: only its velocity and its extrapolation half-life count; all
    else is as `compared` has it.
    """
    kind, names = compared.alignment, compared.motions[0].names
    counting = [names.index(name) for name in compared.names]
    reference = character_space.upright([motion.root_rotation for motion in compared.motions])
    blend, metres = math.ceil(compared.blend_frames - 1e-6), character.metres
    ways, places = [], []
    aligned = np.array([kind not in ("NONE", "HEIGHT")] * 2 + ["HEIGHT" in kind])
    for motion, at in zip(compared.motions, frames, strict=True):
        # of a cycle all that is shown, and what says how it moves around that
        repeated = motion.until(float(at.max()) + blend + compared.fps, metres)
        headings = np.zeros(len(repeated.frames))
        if "HEADING" in kind:
            headings = character_space.headings(repeated.root_rotation, reference)
        jumps = repeated.teleports
        parts = teleports.parts_of(repeated.frames, jumps) if jumps else None
        ways.append(
            AlignedClip(
                repeated.positions[:, counting],
                repeated.velocities[:, counting],
                repeated.root_position * aligned,
                headings,
                parts,
            )
        )
        places.append(np.searchsorted(repeated.frames, at - 1e-6))
    if settings.velocity == "SOURCE":
        ways[1].velocities[:] = 0.0
    hips_bones = [
        joint.bone for joint in joints.default_joints(character.armature) if joint.role == naming.HIPS
    ]
    hips = next((compared.names.index(bone) for bone in hips_bones if bone in compared.names), None)
    size = character.rig.size * metres
    return Foresight(
        ways[0],
        ways[1],
        compared.method,
        compared.seconds,
        settings.extrapolation_half_life,
        blend,
        compared.fps,
        size,
        hips,
    ), places
