# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the stretches of an action that loop best."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...errors import InertiaError, Sentence
from ...motion.arrays import Array, Flags
from ...motion.feet import contacts as planting
from ...motion.loops import search
from ...motion.loops.search import FoundLoop, LoopCosts, LoopTake
from ...motion.pops import teleports
from ...motion.skeleton import character_space
from ...motion.steps import Steps, part
from ...records import record
from ...settings.loops import LoopSearch
from ..data import roots
from ..data.actions import Clip
from ..evaluation import cycles, joint_motion
from ..evaluation.character import Character, read_character
from ..evaluation.joint_motion import Evaluate, JointMotion
from ..feet import contacts, legs
from ..feet.contacts import Contacts
from .stretch import AlreadyLoops

MOST_PAIRS = 50_000_000
"""So many starts with an end take about a gigabyte."""


@record(frozen=True, eq=False)
class SearchedLoops:
    """A clip whose stretches were looked at. costs: of all of them. notes: sentences on what was left out."""

    clip: Clip
    settings: LoopSearch
    take: LoopTake
    costs: LoopCosts
    fps: float
    notes: tuple[Sentence, ...] = ()

    def best(self, count: int) -> list[FoundLoop]:
        """Return at most so many of the best stretches, the cheapest first, no two of them neighbours, see
        :class:`LoopSearch`. With sub_frames their ends lie between frames. Raise InertiaError, with the
        reason, where there is none.
        """
        loops = search.ranked(self.costs, count, self.settings.apart(self.fps))
        if not loops:
            raise _explain_no_loop(self)
        if not self.settings.sub_frames:
            return loops
        return sorted((search.refined(self.take, loop) for loop in loops), key=lambda loop: loop.cost)


def search_loop_steps(
    armature: Any,
    clip: Clip,
    settings: LoopSearch,
    weights: Mapping[str, float],
    root: str = "",
    evaluate: Evaluate = joint_motion.whole,
) -> Steps[SearchedLoops]:
    """Look at all stretches of a clip; return their costs, from which the best are taken; yield the part that
    is done, 0 to 1.

    weights: by bone, of the joints that count. root: which bone carries the character, "" to find it.
    evaluate: for those who evaluate the same one many times. Without legs feet are not asked, which is a
    note. Raise AlreadyLoops for a whole action that is a cycle, and InertiaError where the clip is shorter
    than a loop or the frames lie outside.
    """
    character = read_character(armature)
    shortest, longest = settings.lengths(character.fps)
    first = clip.start if settings.first is None else settings.first
    last = clip.end if settings.last is None else settings.last
    count = min(last, clip.end) - max(first, clip.start)
    frames = {"first": first, "last": last, "start": clip.start, "end": clip.end}
    named: dict[str, object] = {**frames, "action": clip.action.name, "count": count, "least": shortest}
    if first > clip.end or last < clip.start:
        raise InertiaError(
            'Frames {first:g} to {last:g} lie outside "{action}", which has {start:g} to {end:g}; choose '
            "others.",
            **named,
        )
    if count < shortest:
        raise InertiaError(
            '"{action}" has {count:g} frames, fewer than the shortest loop of {least:g}; choose a longer '
            "action, or allow shorter loops.",
            **named,
        )
    clip, evaluate = _cut_to_range(
        character, clip, max(first, clip.start), min(last, clip.end), longest, evaluate
    )
    carried = roots.find_root(character.rig, (clip,), root)
    clip = cycles.with_cycle(character.rig, carried, clip)
    cycle = clip.cycle
    if cycle is not None and settings.first is settings.last is None and cycle.period <= longest:
        raise AlreadyLoops(
            '"{action}" already loops from frame {start:g} to {end:g}: its end flows into its beginning.',
            action=clip.action.name,
            start=cycle.start,
            end=cycle.end,
        )
    planted, notes = None, tuple[Sentence, ...]()
    all_legs = legs.of_armature(armature) if settings.by_feet else ()
    if all_legs:
        planted = yield from part(contacts.read_contacts_steps(character, clip, all_legs), 0.0, 0.3)
    elif settings.by_feet:
        notes = (legs.none_note(armature),)
    motion = yield from part(evaluate(character, clip, carried), 0.3, 0.7)
    take = taken(character, motion, weights, planted)
    costs = yield from part(search.costs(take, shortest, longest, first, last), 0.7, 1.0)
    return SearchedLoops(clip, settings, take, costs, character.fps, notes)


def _cut_to_range(
    character: Character, clip: Clip, first: float, last: float, longest: float, evaluate: Evaluate
) -> tuple[Clip, Evaluate]:
    """Return a clip as it is searched, and what evaluates it.

    A clip that is too long to be looked at frame by frame is cut to the frames that are asked for. Raise
    InertiaError where these are too many, too.
    """
    most = joint_motion.most_frames(character)
    if last - first > most or (last - first) * min(longest, last - first) > MOST_PAIRS:
        raise InertiaError(
            'Frames {first:.10g} to {last:.10g} of "{action}" are too many for a search; choose a shorter '
            "range, such as 1000 frames, and loops of a few seconds.",
            first=first,
            last=last,
            action=clip.action.name,
        )
    if clip.end - clip.start <= most:
        return clip, evaluate
    return dataclasses.replace(clip, start=first, end=last), joint_motion.whole


def taken(
    character: Character, motion: JointMotion, weights: Mapping[str, float], planted: Contacts | None
) -> LoopTake:
    """Return a clip as the search sees it: the joints that count from the root, metres, which feet land when,
    and how fast it goes.

    weights: by bone. planted: when its feet are; None if that is not asked for.
    """
    counting = [i for i, name in enumerate(motion.names) if weights.get(name, 0.0) > 0.0]
    heading = character_space.headings(motion.root_rotation, character_space.upright([motion.root_rotation]))
    seen = character_space.to_character_space(
        motion.positions[:, counting], motion.velocities[:, counting], motion.root_position, heading
    )
    return LoopTake(
        motion.frames,
        *seen,
        np.array([weights[motion.names[i]] for i in counting], float),
        np.zeros((len(motion.frames), 0), bool) if planted is None else _landings(planted, motion.frames),
        _speed(motion, character.fps),
        character.size,
        teleports.parts_of(motion.frames, motion.teleports) if motion.teleports else None,
        None if planted is None else _rests(planted, motion.frames),
    )


def _speed(motion: JointMotion, fps: float) -> Array:
    """Return how fast the root goes over the ground (n,), metres a second, smoothed over a step's sway."""
    if len(motion.frames) < 2:
        return np.zeros(len(motion.frames))
    step = np.diff(motion.frames) / fps
    speed = np.linalg.norm(np.diff(motion.root_position[:, :2], axis=0), axis=1) / step
    count = max(1, round(search.SMOOTHED_SECONDS / float(step[0])))
    around = np.pad(np.append(speed, speed[-1]), (count // 2, count - 1 - count // 2), mode="edge")
    return np.convolve(around, np.full(count, 1.0 / count), mode="valid")


def _landings(planted: Contacts, frames: Array) -> Flags:
    """Return on which frames (n,) which foot lands (n, feet); one that stands on the first has not landed."""
    first, last = float(frames[0]), float(frames[-1])
    landings = np.zeros((len(frames), len(planted.legs)), bool)
    for leg in range(len(planted.legs)):
        begins = [span.start for span in planted.at(leg, first, last) if first < span.start <= last]
        landings[np.searchsorted(frames, np.array(begins) - 1e-6), leg] = True
    return landings


def _rests(planted: Contacts, frames: Array) -> Flags:
    """Return on which frames (n,) all feet stand; of who never sets a foot down, as one that hangs, on
    all.
    """
    first, last = float(frames[0]), float(frames[-1])
    spans = [planted.at(leg, first, last) for leg in range(len(planted.legs))]
    if not any(spans):
        return np.ones(len(frames), bool)
    return np.all([planting.planted(each, frames) for each in spans], axis=0)


def _explain_no_loop(searched: SearchedLoops) -> InertiaError:
    """Return the error that says why no loop was found: feet that never land, or that land unequally at all
    lengths, or a character that does not move on.
    """
    name = searched.clip.action.name
    if searched.settings.by_feet and not searched.costs.landings[-1].all():
        return InertiaError(
            'Not all feet land in "{action}", so it has no loop; switch Feet Land Equally off '
            "(--no-by-feet) to look for others.",
            action=name,
        )
    if not searched.costs.landings.shape[-1]:
        return InertiaError(
            'No stretch of "{action}" loops: at none of the allowed lengths does the character move on; '
            "allow other lengths, or choose two frames yourself.",
            action=name,
        )
    return InertiaError(
        'No stretch of "{action}" loops: at none of the allowed lengths do all feet land equally often '
        "while the character moves on; allow other lengths, or choose two frames yourself.",
        action=name,
    )
