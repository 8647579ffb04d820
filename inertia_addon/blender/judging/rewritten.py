# SPDX-License-Identifier: GPL-3.0-or-later
"""The verdict on an action that is another one rewritten: with smoothed pops, or with locked feet.

A stretch that shows something else is judged as a transition of the clip into itself: how the clip moves
beside it, or what it did there itself, says what is usual.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...motion.arrays import Array
from ...motion.judging import evidence as grounds
from ...motion.judging.evidence import BESIDE_FRAMES, MARGIN_SECONDS, Evidence, Track
from ...motion.steps import Steps, part
from ...records import record
from ..data.actions import Clip
from ..evaluation import joint_motion
from ..evaluation.character import Character
from . import verdict
from .played import Footage
from .verdict import GROUND_SECONDS, Verdict, Verdicts

LOOK_SECONDS = 20.0
"""Of a long clip so much is looked at at once."""
LOCKED_SECONDS, LOCKED_STEP_SECONDS = 2.0, 1.0
"""An action with locked feet is judged so much at a time, and that again so much later: no stance that is
shorter than the difference lies in two parts, and none is hidden among the steps of a long walk."""


@record(frozen=True)
class Stretch:
    """Frames of a clip in which an action that was made of it shows something else.

    first, last: the first and the last of them. before, behind: the spans of the clip that say how it moves
    before them and behind.
    """

    first: float
    last: float
    before: tuple[float, float]
    behind: tuple[float, float]


@record(frozen=True, eq=False)
class LockedOn:
    """What feet were locked on.

    passing: how fast it passes below them (2,), metres a second. is_other: whether it is another ground than
    the clip's own: then the clip counts as if it were as much higher as the hips are.
    """

    passing: Array
    is_other: bool = False


def cut_into_stretches(clip: Clip, fps: float) -> list[Stretch]:
    """Return parts of a whole clip, or of a cycle's period, in order, as they are judged where feet are
    locked: one of two seconds begins each second, and the last ends with the clip, so that it may be shorter,
    down to just above a second.

    A clip of two seconds or less is one part. All of a part, and half a second before and behind it, says how
    the clip moves there.
    """
    around = MARGIN_SECONDS * fps
    first, last = clip.start, clip.end
    if clip.cycle is not None:
        first, last = clip.cycle.start, clip.cycle.start + clip.cycle.period
    count = max(1, int(np.ceil((last - first) / (LOCKED_STEP_SECONDS * fps) - 1e-6)) - 1)
    begins = first + np.arange(count) * LOCKED_STEP_SECONDS * fps
    ends = np.minimum(begins + LOCKED_SECONDS * fps, last)
    return [
        Stretch(begin, end, (begin - around, end + around), (begin - around, end + around))
        for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)
    ]


def judge_stretches_steps(
    character: Character, clip: Clip, result: Clip, stretches: Sequence[Stretch], lock: LockedOn | None = None
) -> Verdicts:
    """Judge an action where it shows something else than the clip that it is made of; yield the part done.

    clip: the source, and result: the action, each as a cycle where it is one. stretches: in order.
    lock: on what feet were locked, see :attr:`Evidence.has_locked_feet`; None where they were not. Return the
    worst verdict, () without any stretch. Raise InertiaError for a rig that Blender would not play.
    """
    verdicts: list[Verdict] = []
    judge = _Judge.of(character, clip, result, lock)
    groups = [*_near_each_other(stretches, character.fps)]
    for i, group in enumerate(groups):
        looking = judge.judge_group_steps(group)
        verdicts += yield from part(looking, i / len(groups), (i + 1) / len(groups))
    return (verdict.worst(verdicts),) if verdicts else ()


def _near_each_other(stretches: Sequence[Stretch], fps: float) -> Iterator[list[Stretch]]:
    """Yield stretches, in order, in groups that are looked at together, each at most LOOK_SECONDS from its
    first frame to its last, gaps between included, unless it is a single one.
    """
    group: list[Stretch] = []
    for stretch in stretches:
        if group and stretch.last - group[0].first > LOOK_SECONDS * fps:
            yield group
            group = []
        group.append(stretch)
    if group:
        yield group


@record(frozen=True, eq=False)
class _Judge:
    """Judges stretches of an action. seen: what of the evidence is the same for all of them. each: frames
    from one look to the next, halves where that is cheap. lock: see :func:`judge_stretches_steps`."""

    character: Character
    clip: Clip
    result: Clip
    seen: Evidence
    each: float
    lock: LockedOn | None

    @property
    def armature(self) -> Any:
        """The armature object itself."""
        return self.character.armature

    @classmethod
    def of(cls, character: Character, clip: Clip, result: Clip, lock: LockedOn | None) -> _Judge:
        """Return what judges an action and the clip that it is made of. lock: how feet were locked, None
        where none were.
        """
        for looked_at in (clip, result):
            joint_motion.with_teleports(character, looked_at)
        footage = Footage()
        legs = verdict.legs_of(character, footage)
        nothing = Track(np.zeros(0), np.zeros((0, len(character.armature.data.bones), 3)))
        seen = Evidence(
            character.fps,
            *verdict.joints_of(character, legs),
            character.size,
            cut=0.0,
            end=0.0,
            until=0.0,
            source=nothing,
            destination=nothing,
            result=nothing,
            legs=verdict.joints_of_legs(legs),
            seen=verdict.find_seen_bones(character, footage),
            has_locked_feet=lock is not None,
        )
        return cls(character, clip, result, seen, character.find_poser([clip]).step, lock)

    def judge_group_steps(self, stretches: Sequence[Stretch]) -> Steps[list[Verdict]]:
        """Judge stretches that are near each other; return a verdict for each, in order; yield the part that
        is done, 0 to 1.
        """
        around = GROUND_SECONDS * self.seen.fps
        first, last = stretches[0].first - around, max(stretch.last for stretch in stretches) + around
        tracks = []
        for i, clip in enumerate((self.clip, self.result)):
            frames = self._find_frames(clip, first, last)
            looking = joint_motion.positions(self.character, clip, frames)
            positions = yield from part(looking, 0.4 * i, 0.4 * (i + 1))
            tracks.append(Track(frames, positions, clip.jumps(0.0)))
        clip_track, result_track = tracks
        if self.lock is not None and self.lock.is_other:
            hips = self.seen.hips
            heights = np.interp(clip_track.frames, result_track.frames, result_track.positions[:, hips, 2])
            clip_track.positions[..., 2] += (heights - clip_track.positions[:, hips, 2])[:, None]
        verdicts = []
        for i, stretch in enumerate(stretches):
            verdicts.append(verdict.of_evidence(self._find_evidence(stretch, clip_track, result_track)))
            yield 0.8 + 0.2 * (i + 1) / len(stretches)
        return verdicts

    def _find_frames(self, clip: Clip, first: float, last: float) -> Array:
        """Return the frames (n,) that are looked at from one to another, as far as a clip has them."""
        low, high = (clip.start, clip.end) if clip.cycle is None else (-np.inf, np.inf)
        begin, end = ((min(max(frame, low), high) - clip.start) / self.each for frame in (first, last))
        return np.asarray(
            clip.start + self.each * np.arange(np.ceil(begin - 1e-4), np.floor(end + 1e-4) + 1.0)
        )

    def _find_evidence(self, stretch: Stretch, clip_track: Track, result_track: Track) -> Evidence:
        """Return what is seen of a stretch: the clip before and behind it as source and destination, and the
        result over it. clip_track, result_track: where joints are around it.
        """
        before, behind = (
            _cut_track(clip_track, first, last) for first, last in (stretch.before, stretch.behind)
        )
        result = _cut_track(result_track, stretch.first - BESIDE_FRAMES, stretch.last + BESIDE_FRAMES)
        cut = stretch.first if self.seen.has_locked_feet else min(stretch.before[1], stretch.last)
        weights = None
        if not self.seen.has_locked_feet:
            span = stretch.first, max(stretch.last, stretch.first + 1e-6)
            weights = np.interp(result.frames, span, (0.0, 1.0))
        return dataclasses.replace(
            self.seen,
            cut=cut,
            end=stretch.last,
            until=stretch.last,
            since=stretch.first,
            source=before,
            destination=behind,
            result=result,
            weights=weights,
            passing=self._find_passing_ground(stretch, clip_track),
        )

    def _find_passing_ground(self, stretch: Stretch, clip_track: Track) -> tuple[Array, Array] | None:
        """Return (how fast the ground passes before a stretch, the same behind it), see
        :attr:`Evidence.passing`; None where either can't be measured.
        """
        if self.lock is not None:
            return self.lock.passing, self.lock.passing
        around, cut, goes_on = GROUND_SECONDS * self.seen.fps, stretch.before[1], stretch.behind[0]
        before = self._measure_ground(clip_track, cut - around, cut)
        behind = self._measure_ground(clip_track, goes_on, goes_on + around)
        return None if before is None or behind is None else (before, behind)

    def _measure_ground(self, track: Track, first: float, last: float) -> Array | None:
        near = _cut_track(track, first, last)
        low = Track(near.frames, near.take_joints([*self.seen.feet, self.seen.hips]))
        return grounds.measure_passing_ground(
            low, self.seen.size, grounds.LOW * self.seen.size, self.seen.fps
        )


def _cut_track(track: Track, first: float, last: float) -> Track:
    """Return a track from one frame to another, as far as it has them."""
    inside = track.within(first, last)
    return dataclasses.replace(track, frames=track.frames[inside], positions=track.positions[inside])


def merge_spans(spans: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return spans (first, last) in order, those that overlap or share an end as one."""
    merged: list[tuple[float, float]] = []
    for first, last in sorted(spans):
        if merged and first <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], last)
        else:
            merged.append((first, last))
    return merged
