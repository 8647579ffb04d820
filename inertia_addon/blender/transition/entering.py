# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the frame at which a destination is entered, where that is left to Inertia.

A cycle goes on whichever of its frames comes first, so that its best phase is taken; all else is entered as
early as that looks good. What looks good is the judge's word on the very plan that would be baked.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...errors import InertiaError
from ...motion.arrays import Array, Integers
from ...motion.judging.faults import GOOD
from ...motion.skeleton.posing import Rig
from ...motion.steps import Steps, part
from ...records import record
from ...settings.transition import BLEND_SECONDS, TransitionSettings
from ..data import clip_store, roots
from ..data.actions import Address, Clip
from ..evaluation import cycles
from ..evaluation.character import Character, CharacterPoser, read_character
from ..judging.eased_together import Begun, ease_together_steps
from ..judging.played import Footage
from ..judging.verdict import Verdict
from . import bake, clip_excerpts, foreseen_entries, glances, stepping
from .meeting import PlanOptions

PHASES = 8
"""A cycle is entered at so many of its frames, evenly, to begin with; then nearer and nearer to the best."""
TRIES = 24
"""What is no cycle is entered at so many of its first frames, at most, ..."""
WIDER = 1.1
"""... of which each is so many times as far from the first as the one before, and a frame at least."""
PLAYED = 4
"""On a rig that Blender has to play so many entries, at most, are judged: those that promise most. Of a cycle
as many beside the best of them are judged, too, ..."""
PLAYED_STEP = 4.0
"""... which are so many frames from it, at most, to begin with."""
PHASES_APART = 12
"""Phases that promise most lie at least a cycle over this number apart from each other."""
FORESEEN_GOOD = 2.0
"""What is foreseen to look no worse than that is likely to be good."""


def is_left_open(settings: TransitionSettings) -> bool:
    """Return whether settings leave it to Inertia where the destination is entered."""
    is_open = settings.destination_frame is None and settings.enter_at == "AUTO"
    return is_open and not settings.smooth_jump


def entered(
    armature: Any, settings: TransitionSettings, footage: Footage | None = None, *, may_play: bool = True
) -> Steps[TransitionSettings]:
    """Return settings with the destination's frame filled in where they leave it to Inertia.

    Yields the part that is done. footage: of the same two clips, from before, to look at them but once.
    may_play: whether Blender may play the character, see :class:`Character`; where it has to and may not,
    settings stay as they are.
    Raise InertiaError for actions that can't be read.
    """
    if not is_left_open(settings):
        return settings
    footage = Footage() if footage is None else footage
    reading = clip_store.read_named_steps(armature, settings.ends(), footage.reading)
    source, destination = yield from part(reading, 0.0, bake.READING)
    character = read_character(armature, may_play=may_play)
    finding = find_entry(character, settings, (source, destination), footage)
    found = yield from part(finding, bake.READING, 1.0)
    footage.keep_teleports((source, destination))
    return found


def find_entry(
    character: Character,
    settings: TransitionSettings,
    clips: tuple[Clip, Clip],
    footage: Footage | None = None,
) -> Steps[TransitionSettings]:
    """Find the entry as :func:`entered` does, for clips of the store, see :mod:`clip_store`; return settings
    with it, as they are where the entry is given or none can be judged.
    """
    poser = character.find_poser(clips)
    if not is_left_open(settings) or (poser.is_played and not character.may_play):
        return settings
    footage = Footage() if footage is None else footage.for_one_work()
    judging = _Entries(character, settings, clips, poser, footage, {}, {})
    yield from judging.judge()
    # who plans says what can't be
    if not judging.judged:
        return settings
    destination = clip_store.scaled_ends(settings, clips)[1]
    entry = stepping.entry_of(settings, destination, judging.best)
    return dataclasses.replace(settings, destination_frame=entry)


def _order(judged: Verdict) -> tuple[int, float]:
    """Return what verdicts are ranked by, the best first: (the rating's number, the sum of all that is seen,
    in which feet that skate count twice).
    """
    rating, total = judged.order
    return rating, total + judged.skating


def _early_or_least(totals: Array) -> Integers:
    """Return the places (k,), rising, of the entries to judge where the first good one is taken.

    totals: (n,) what is foreseen of each, the earliest first. The first is always chosen, and the earliest
    of the others that is foreseen to be good; the rest are foreseen to look best.
    """
    early = [0, *(1 + np.flatnonzero(totals[1:] <= FORESEEN_GOOD)[:1]).tolist()]
    least = [place for place in np.argsort(totals, kind="stable").tolist() if place not in early]
    return np.array(sorted([*early, *least[: PLAYED - len(early)]]), np.int64)


def _least_apart(totals: Array, apart: int) -> Integers:
    """Return the places (k,) of the phases of a cycle to judge, PLAYED at most, the most promising first.

    totals: (n,) what is foreseen of each phase. apart: two of them are at least so many places from each
    other, the shorter way around the cycle; 1 or less leaves all.
    """
    chosen: list[int] = []
    for place in np.argsort(totals, kind="stable").tolist():
        gaps = [abs(place - other) for other in chosen]
        if len(chosen) < PLAYED and all(min(gap, len(totals) - gap) >= apart for gap in gaps):
            chosen.append(place)
    return np.array(chosen, np.int64)


@record(eq=False)
class _Entries:
    """Judges a transition with one entry after the other. judged: the verdicts by the destination's frame;
    glanced: those on some bones of a rig with many, which are no worse than the verdict, see :mod:`glances`.
    """

    character: Character
    settings: TransitionSettings
    clips: tuple[Clip, Clip]
    poser: CharacterPoser
    footage: Footage
    judged: dict[float, Verdict]
    glanced: dict[float, Verdict]

    @property
    def armature(self) -> Any:
        """The armature object itself."""
        return self.character.armature

    def judge(self) -> Steps[None]:
        """Judge the phases of a cycle, or the first frames of what is none; yields the part that is done."""
        rig, clips = self._read_rig(), clip_store.scaled_ends(self.settings, self.clips)
        root = roots.find_root(rig, clips, self.settings.root)
        destination = clips[1]
        cycle = cycles.with_cycle(rig, root, destination, self.settings.destination_cycle).cycle
        with self.footage.of_many():
            if cycle is not None:
                yield from self._judge_phases(cycle.start, cycle.period)
            else:
                yield from self._judge_from(destination.start, destination.end)

    def _read_rig(self) -> Rig:
        return self.footage.plain_rig(self.character, self.clips) or self.character.rig

    def _judge_phases(self, start: float, period: float) -> Steps[None]:
        """Judge phases evenly over a cycle, or on a rig that is played those that are foreseen to be good,
        then beside the best, each time half as far from it.
        """
        if not self.poser.is_played:
            step = max(1.0, round(period / PHASES))
            yield from part(self._judge_frames(start + np.arange(0.0, period - 0.5, step)), 0.0, 0.6)
        else:
            step, every = PLAYED_STEP, start + np.arange(0.0, max(period - 0.5, 0.5))
            totals = yield from part(self._foresee(every), 0.0, 0.2)
            phases = _least_apart(totals, round(period / PHASES_APART))
            yield from part(self._judge_frames(every[phases]), 0.2, 0.6)
        while self.judged and step > 1.0:
            step = max(1.0, round(0.5 * step))
            best = self.best - start
            beside = start + np.array([best - step, best + step]) % period
            yield from part(self._judge_frames(beside), 0.6, 0.9)

    def _judge_from(self, start: float, end: float) -> Steps[None]:
        """Judge up to TRIES (24) frames from `start` on, a frame apart at first, later by a tenth of the way
        from `start`, until one is good, while enough is left of the clip for a blend and BLEND_SECONDS more;
        `start` always. On a rig that is played only those are judged that are foreseen to be good or best.
        """
        fps = self.character.fps
        last = end - (self.settings.blend_seconds(fps) + BLEND_SECONDS) * fps
        frames = [start]
        while len(frames) < TRIES:
            away = frames[-1] - start
            frames.append(start + max(away + 1.0, round(away * WIDER)))
        within = np.array([frame for frame in frames if frame <= max(last, start)])
        begin = 0.0
        if self.poser.is_played:
            begin = 0.3
            totals = yield from part(self._foresee(within), 0.0, begin)
            within = within[_early_or_least(totals)]
        yield from part(self._judge_frames(within, until_good=True), begin, 1.0)

    def _foresee(self, frames: Array) -> Steps[Array]:
        """Return about what would be seen with each entry (n,); zeros for a rig that can't be played."""
        rig, clips = self.character.rig, clip_store.scaled_ends(self.settings, self.clips)
        root = roots.find_root(rig, clips, self.settings.root)
        clips = cycles.with_cycles(rig, root, self.settings, clips)
        steps = foreseen_entries.foresee(self.character, self.settings, clips, frames, self.footage)
        try:
            return (yield from steps)
        except InertiaError:
            return np.zeros(len(frames))

    @property
    def best(self) -> float:
        """The frame that looks best of those that were judged, the first of equal ones."""
        return min(self.judged, key=lambda frame: (_order(self.judged[frame]), frame))

    def _judge_frames(self, frames: Array, *, until_good: bool = False) -> Steps[None]:
        """Judge entries (n,), all that may be the best of them and of those before; what can't be planned is
        left out. until_good: end with the first that is good."""
        known = self.judged.keys() | self.glanced.keys()
        left = [frame for frame in dict.fromkeys(map(float, frames)) if frame not in known]
        judging = [self._judge_frame(frame, self._glance, is_sought=until_good) for frame in left]
        begun: list[Begun[None]] = [*judging]
        if not until_good and not self.settings.match_lengths:
            begun = yield from part(ease_together_steps(self.footage, judging), 0.0, 0.5)
        for i, (frame, steps) in enumerate(zip(left, begun, strict=True)):
            if steps is not None:
                yield from part(steps, i / len(left), (i + 1) / len(left))
            if until_good and frame in self.judged and self.judged[frame].rating == GOOD:
                return
        while self.glanced:
            # the most promising first, until the best is better than any of the others can be
            promised, frame = min((seen.order, frame) for frame, seen in self.glanced.items())
            if self.judged and (promised, frame) > (_order(self.judged[self.best]), self.best):
                return
            del self.glanced[frame]
            yield from self._judge_frame(frame, None)

    def _judge_frame(
        self, frame: float, glance: glances.Glance | None, *, is_sought: bool = False
    ) -> Steps[None]:
        """Judge an entry; what can't be planned is left out.

        glance: how few bones say how good it is; None to look at all. is_sought: whether one that is good is
        looked for, so that all bones are asked where few say that this one may be.
        """
        asked, clips, still = self._excerpt(frame)
        if asked.match_lengths:
            self.footage = Footage()  # then the destination is another one for each
        options = PlanOptions(footage=self.footage, constants=still)
        judge = functools.partial(glances.glance_steps, self.character, asked, clips, options)
        try:
            seen, is_whole = yield from judge(glance)
            if is_sought and not is_whole and seen.rating == GOOD:
                seen, is_whole = yield from judge()
        except InertiaError:
            return
        (self.judged if is_whole else self.glanced)[frame] = seen

    @functools.cached_property
    def _glance(self) -> glances.Glance | None:
        """How entries are judged by few bones; None where it takes all."""
        return glances.find_glance(self.character, self.settings, self.clips, self.footage, self._still)

    @property
    def _still(self) -> Mapping[Address, float]:
        """The channels that show the same in both whole clips, found but once; none where Blender plays
        them.
        """
        if self.poser.is_played:
            return {}
        return self.footage.once("still", lambda: clip_excerpts.still(self.clips))

    def _excerpt(self, frame: float) -> tuple[TransitionSettings, tuple[Clip, Clip], Mapping[Address, float]]:
        """Return the settings with an entry, what is looked at of both clips, and what stands still there."""
        # what follows is not looked at
        asked = dataclasses.replace(
            self.settings, destination_frame=frame, suggest_blend_time=False, go_on="ONCE"
        )
        near = bake.cut_excerpts(self.character, asked, self.clips, self.poser, self.footage)
        still = self._still if near.clips == self.clips else clip_excerpts.still(near.clips)
        return near.complete_settings(asked), near.clips, still
