# SPDX-License-Identifier: GPL-3.0-or-later
"""Evidence of any two clips and what joins them: of a loop's seam, and of the joins of a path."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import numpy as np

from ...motion.arrays import Array, Integers
from ...motion.curves.representation import whole_frames
from ...motion.judging import evidence as grounds
from ...motion.judging.evidence import BESIDE_FRAMES, Evidence, Track
from ...motion.steps import Steps, part
from ...records import record
from ..data.actions import Clip
from ..evaluation import joint_motion
from ..evaluation.character import Character, CharacterPoser
from . import verdict
from .played import Footage
from .verdict import Verdict


@record(frozen=True, eq=False)
class Side:
    """A clip as it is looked at.

    later: how many frames later than by itself it plays. first, last: the range, as it plays. motion: (4, 4)
    of the world, in its units, what it is moved by; None for nothing. partners: (joints,) which joint each is
    of its image in a mirror along the x axis; None for none. footage: what was looked at so far, if kept.
    """

    clip: Clip
    later: float
    first: float
    last: float
    motion: Array | None = None
    partners: Integers | None = None
    footage: Footage | None = None


@record(frozen=True)
class Window:
    """The frames of a transition; see :class:`Evidence`."""

    cut: float
    end: float
    until: float
    since: float | None = None


@record(frozen=True, eq=False)
class ResultView:
    """How a result shows the clips that it joins.

    weights: how much of the destination it shows at frames (n,), as ground that passes is concerned. rises:
    how much higher the ground is at frames (n,) than that of the clips, metres; None for nowhere. behind:
    joints that stay where they are, whatever moves the clips.
    """

    weights: Callable[[Array], Array]
    rises: Callable[[Array], Array] | None = None
    behind: Sequence[int] = ()


def judge_sides_steps(
    character: Character,
    both: tuple[Side, Side],
    result: Clip,
    window: Window,
    result_view: ResultView,
) -> Steps[Verdict]:
    """Judge what joins two clips, as the result shows it; yield the part that is done, 0 to 1.

    both: source and destination, where they are in the result. result: planned or made, at its own frames; a
    cycle has all of them, else no more than it has. window: the frames of cut, blend and end. result_view:
    how much each clip counts, what raises them, and joints that are not judged. Raise InertiaError for a rig
    that Blender would not play.
    """
    rises, behind = result_view.rises, result_view.behind
    poser = character.find_poser([side.clip for side in both])
    both = (
        _trim_to_teleports(character, both[0], window.cut, 0),
        _trim_to_teleports(character, both[1], window.cut, 1),
    )
    source = yield from part(_tracked(character, both[0], poser.step), 0.0, 0.3)
    destination = yield from part(_tracked(character, both[1], poser.step), 0.3, 0.6)
    if rises is not None:
        for track in (source, destination):
            track.positions[..., 2] += rises(track.frames)[:, None]
    size = character.size
    ends, legs = (window.cut, window.end, window.until), verdict.legs_of(character, Footage())
    seen = Evidence(
        character.fps,
        *verdict.joints_of(character, legs),
        size,
        *ends,
        source,
        destination,
        destination,
        since=window.since,
        legs=verdict.joints_of_legs(legs),
        seen=verdict.find_seen_bones(character, Footage()),
    )
    passing = _pass_below(seen, character, both, poser)
    yield 0.7
    seen = dataclasses.replace(seen, passing=passing)
    begin = verdict.begins_moving(both[0].clip, window.cut - both[0].later) + both[0].later
    around = Side(result, 0.0, max(seen.begin - BESIDE_FRAMES, begin), seen.until + BESIDE_FRAMES)
    track = yield from part(_tracked(character, around, poser.step), 0.7, 1.0)
    for each in (source, destination, track):
        each.positions[:, behind] = source.positions[:1, behind]
    return verdict.of_evidence(
        dataclasses.replace(seen, result=track, weights=result_view.weights(track.frames))
    )


def _trim_to_teleports(character: Character, side: Side, cut: float, index: int) -> Side:
    """Return a side as far as it goes on without a teleport around the cut, see :meth:`Clip.beside_cut`."""
    low, high = joint_motion.with_teleports(character, side.clip).beside_cut(cut - side.later, index)
    return dataclasses.replace(
        side, first=max(side.first, low + side.later), last=min(side.last, high + side.later)
    )


def _tracked(character: Character, side: Side, step: float) -> Steps[Track]:
    """Return a clip's joints, metres, over a side's range, as far as it has that (a cycle has all frames):
    mirrored, then moved as the side says, at the result's frames. step: how many frames apart, 1 or 0.5; of
    halves none lies beyond either end.
    """
    clip, later = side.clip, side.later
    start, end = (clip.start + later, clip.end + later) if clip.cycle is None else (-np.inf, np.inf)
    first = max(start, min(side.first, end))
    frames = whole_frames(first, max(first, min(side.last, end)))
    if step < 1.0:
        frames = np.arange(frames[0], frames[-1] + 0.5 * step, step)
    if side.footage is None:
        positions = yield from joint_motion.positions(character, clip, frames - later)
    else:
        positions = yield from side.footage.positions(0, character, clip, frames - later, frames - later)
    if side.partners is not None:
        positions = positions[:, side.partners] * (1.0, -1.0, 1.0)
    if side.motion is not None:
        metres = character.metres
        positions = positions @ side.motion[:3, :3].T + side.motion[:3, 3] * metres
    return Track(frames, positions, clip.jumps(later))


def _pass_below(
    evidence: Evidence, character: Character, both: tuple[Side, Side], poser: CharacterPoser
) -> tuple[Array, Array] | None:
    """Return how fast the ground passes below both clips, (2,) each, metres a second in the result, see
    :attr:`Evidence.passing`; None if that of either is not known.

    poser: of both clips; where they are played nothing is looked at but the tracks.
    """
    speeds = []
    for side, track in zip(both, evidence.clips, strict=True):
        if poser.has_to_play:
            # what was played already, as to play more would take long
            low = Track(track.frames, track.take_joints([*evidence.feet, evidence.hips]))
            passing = grounds.measure_passing_ground(
                low, evidence.size, grounds.LOW * evidence.size, evidence.fps
            )
        else:
            passing = verdict.pass_below(evidence, character, side.clip, evidence.cut - side.later)
            if passing is not None:
                passing = passing * (1.0, 1.0 if side.partners is None else -1.0)
                passing = passing if side.motion is None else side.motion[:2, :2] @ passing
        speeds.append(passing)
    source, destination = speeds
    return None if source is None or destination is None else (np.asarray(source), np.asarray(destination))
