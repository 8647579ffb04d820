# SPDX-License-Identifier: GPL-3.0-or-later
"""What an animator would say of a transition before it is baked: good, fair or poor, and why.

Two things decide. Where this pair of frames stands among all pairs of the two clips says whether a better one
is to be had; how many frames one would have to skip within the clips themselves for the same cost says
whether it will be seen. Good is what is good by both, poor what is poor by one and good by neither. Whatever
these say, feet that slide too far for good, or for fair, and are not locked make it no better than that.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Generator, Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError, Sentence
from ...motion.arrays import Array, Floats
from ...motion.cost import prediction, quality
from ...motion.cost.prediction import Passage
from ...motion.decay.decay import Method
from ...motion.skeleton import character, extremities
from ...motion.steps import finish
from ...settings.feet import Locking
from ...settings.hops import HALF_LIVES
from ...settings.transition import TransitionSettings
from ..data import rigs, scene
from ..data.actions import Clip
from ..evaluation import joint_motion, joints
from ..evaluation.joint_motion import Motion
from ..feet import locking
from ..transition import preflight
from . import costing, meetings
from .costing import Compared, Pair
from .quality import worst_bone

POOR, FAIR, GOOD = RATED = "POOR", "FAIR", "GOOD"

RANKS = (0.1, 0.5)
"""To be among so many of the cheapest pairs of frames, as a part of all, is good, not to be poor."""
SKIPS = (0.1, 0.3)
"""To cost no more than a skip of so many seconds within the clips is good, to cost more than that poor."""
SLIDES = (0.03, 0.15)
"""A foot that slides by so much more than in the destination, as a part of the character's size, is good to
slide no further, and poor to slide further than that."""
SKIPPED_SECONDS, LAGS, STARTS = 0.5, 8, 64
"""The longest skip that is looked at, how many shorter ones, and from how many frames of a clip, at most."""
CELLS = 128
"""So many frames of each clip, at most, are compared to see where a pair of frames stands."""
SAME = 1e-3
"""Costs that differ by no more than this part are the same."""
OWN = 0.2
"""How far a foot slides in the destination itself is said where that is such a part of it."""
SEEN = 0.005
"""What a joint swings and a foot slides is mentioned from this part of the character's size on."""
PLAYED = 500
"""So many frames are played for the sake of a verdict alone, at most."""
POPS = 1.1
"""A cut pops that changes velocities so many times as much as the clips do anywhere."""


@dataclasses.dataclass(frozen=True, eq=False)
class Yardstick:
    """What pairs of frames of two clips are measured by; the same for all of them.

    costs: (n,) of the pairs of frames, rising. skips: (k,) numbers of frames, from 0 on, and what it costs to
    skip so many within a clip, never falling. upright: (4,) how the root stands, see :mod:`character`; None
    where the bake leaves headings alone. parents: of the joints, -1 for none. feet: which joints, ground:
    (feet,) how high each stands, size: of the character, metres. pop: the highest change of the joints'
    velocity within the clips, m/s. lockable: the feet that a bake can lock, by their bones.
    """

    costs: Floats
    skips: tuple[Array, Array]
    upright: Array | None
    parents: tuple[int, ...]
    feet: tuple[int, ...]
    ground: Array
    size: float
    pop: float
    fps: float
    lockable: frozenset[str] = frozenset()


def yardstick(
    armature: Any,
    compared: Compared,
    alignment: str,
    motions: tuple[Motion, Motion],
    lockable: frozenset[str] = frozenset(),
) -> Yardstick:
    """What pairs of frames of two clips are measured by.

    alignment: of the bake, never AUTO. motions: both clips, evaluated, as ``compared`` was made of them.
    lockable: see :func:`lockable`.
    """
    found, steps = costing.start_map(compared.by_joints, exact=True, cells=CELLS)
    finish(steps)
    near = meetings.too_near(compared, found.cuts[:, None], found.destinations)
    costs = np.sort(found.costs[~near])
    upright = None
    if "HEADING" in alignment:
        upright = character.upright([motion.root_rotation for motion in motions])
    place = {name: i for i, name in enumerate(motions[0].names)}
    parents = tuple(place[bone.parent.name] if bone.parent else -1 for bone in armature.data.bones)
    feet = [place[j.bone] for j in joints.default_joints(armature) if j.role == extremities.FOOT]
    ground = np.min([motion.positions[:, feet, 2].min(axis=0) for motion in motions], axis=0)
    pops = [quality.velocity_changes(m.positions, compared.fps) for m in motions if len(m.frames) > 2]
    return Yardstick(
        costs,
        _skips(compared),
        upright,
        parents,
        tuple(feet),
        ground,
        rigs.read(armature).size * scene.metres_per_unit(),
        float(np.max(np.concatenate(pops))) if pops else 0.0,
        compared.fps,
        lockable,
    )


def lockable(armature: Any, settings: TransitionSettings, clips: Sequence[Clip]) -> frozenset[str]:
    """The feet that a bake of settings can lock if it is asked to, by their bones."""
    rig = rigs.read(armature)
    try:
        taking_part = preflight.chosen_bones(rig, settings)
    except InertiaError:
        return frozenset()
    return locking.lockable(armature, rig, Locking(), taking_part, clips)


def _skips(compared: Compared) -> tuple[Array, Array]:
    """Numbers of frames (k,), 0 first, and what it costs to skip so many of either clip: the median over it.

    Of the two clips the higher one, as what one of them does anyway will not be noticed; and never less for a
    longer skip, as a cycle comes back to where it was.
    """
    longest = max(1, round(SKIPPED_SECONDS * compared.fps))
    lags = np.unique(np.linspace(0, longest, LAGS + 1).round().astype(int))
    found = np.zeros(len(lags))
    for side in (compared.source, compared.destination):
        step = float(side.frames[1] - side.frames[0]) if len(side.frames) > 1 else 1.0
        for i, frames in enumerate(lags.tolist()):
            lag = max(1, round(frames / step))
            if frames > 0 and lag < len(side.frames):
                starts = np.arange(0, len(side.frames) - lag, -(-(len(side.frames) - lag) // STARTS))
                costs = compared.skipping(side, starts, lag).sum(axis=1)
                found[i] = max(found[i], float(np.median(costs)))
    return lags.astype(float), np.maximum.accumulate(found)


@dataclasses.dataclass(frozen=True)
class Verdict:
    """What a transition at a pair of frames is like, before it is baked.

    rating: GOOD, FAIR or POOR; "" where there is nothing to compare it with. better_than: the part of all
    pairs of frames that cost more, 0 to 1; None where there are no others. is_best: none costs less.
    skipped: so many frames would have to be skipped within the clips for the same cost, infinity for more
    than ``most_skipped``; None where they don't move. bone: the joint that costs most; away: how far it is
    from where the destination has it, past: how far it swings past that, grown: how much further away it
    swings, metres. foot: the one that slides most, side: LEFT or RIGHT, or "" where it is not of two, slide:
    how far, own_slide: how far it does so in the destination itself, metres; "" and None where no feet are
    found. locked: whether the bake keeps it, as all others, from that. pop: the change of the joints'
    velocity across the cut, m/s; own_pop: the highest within the clips. size: of the character, metres.
    """

    rating: str
    better_than: float | None
    is_best: bool
    skipped: float | None
    most_skipped: float
    bone: str
    away: float
    past: float
    grown: float
    foot: str
    side: str
    slide: float | None
    own_slide: float | None
    locked: bool
    pop: float
    own_pop: float
    size: float

    def as_dict(self) -> dict[str, Any]:
        """The verdict as plain JSON values, which know no infinity."""
        values = dataclasses.asdict(self)
        return values | {
            "skipped": self.skipped if self.skipped != np.inf else None,
            "words": sentences(self),
        }


def of_pair(
    armature: Any,
    settings: TransitionSettings,
    pair: Pair,
    compared: Compared,
    motions: tuple[Motion, Motion],
) -> Verdict:
    """The verdict on settings whose clips were evaluated and compared."""
    feet = lockable(armature, settings, pair.clips)
    stick = yardstick(armature, compared, pair.alignment, motions, feet)
    entry = pair.destination.start if settings.destination_frame is None else settings.destination_frame
    return judge(settings, pair.alignment, motions, compared, stick, (settings.cut, entry))


def of_settings(
    armature: Any, settings: TransitionSettings, weights: Mapping[str, float]
) -> Generator[float, None, Verdict | None]:
    """The verdict on settings, for who only bakes; yields the part that is done.

    None where it would take long, as Blender has to play long clips. weights: by bone. Raises InertiaError.
    """
    pair = costing.read_pair(armature, settings)
    frames = sum(clip.end - clip.start for clip in pair.clips)
    if frames > PLAYED and joint_motion.why_not_plain(armature, pair.clips):
        return None
    motions = yield from costing.motions(armature, pair)
    compared = costing.compare(settings, pair.alignment, weights, motions, scene.fps())
    return of_pair(armature, settings, pair, compared, motions)


def judge(
    settings: TransitionSettings,
    alignment: str,
    motions: tuple[Motion, Motion],
    compared: Compared,
    yardstick: Yardstick,
    meeting: tuple[float, float],
) -> Verdict:
    """Judge a transition at a pair of frames, the cut and the destination's own.

    alignment: of the bake, never AUTO. motions: both clips, evaluated, which the others were made of. Bones'
    own blend scales and the guard are left out, as costs leave them out.
    """
    parts = compared.by_joints.by_bone(*meeting)
    cost, bone, _ = worst_bone(parts)
    passage = _passage(alignment, motions, compared, yardstick, meeting)
    if settings.velocity == "SOURCE" and compared.method is not None:
        passage = dataclasses.replace(passage, destination_velocity=np.zeros_like(passage.velocity))
    fps = compared.fps
    if compared.method is None:
        half_life = settings.extrapolation_half_life
        left = prediction.dead_offsets(passage, compared.seconds, half_life, fps)
    else:
        left = prediction.offsets(passage, yardstick.parents, compared.method, compared.seconds, fps)
    expected = prediction.result(passage, left)
    past, grown = prediction.swings(left)
    joint = motions[0].names.index(bone)
    after = expected[len(expected) - len(left) :]
    made = Verdict(
        *_standing(yardstick, cost),
        bone,
        float(np.linalg.norm(left[0, joint])),
        float(past[joint]),
        float(grown[joint]),
        *_slides(settings, motions[0].names, yardstick, passage.destination, after),
        float(quality.velocity_changes(expected[:3], fps)[0]),
        yardstick.pop,
        yardstick.size,
    )
    return dataclasses.replace(made, rating=_limited(made))


def _slides(
    settings: TransitionSettings, names: Sequence[str], yardstick: Yardstick, own: Array, after: Array
) -> tuple[str, str, float | None, float | None, bool]:
    """A verdict's fields from ``foot`` to ``locked``: of the foot that will be seen to slide most.

    own, after: (frames, joints, 3) of the destination and the result, from the cut on.
    """
    feet = list(yardstick.feet)
    if not feet:
        return "", "", None, None, False
    height = max(quality.CONTACT_HEIGHT * yardstick.size, 1e-9)
    slid, before = (quality.foot_slides(joints[:, feet], yardstick.ground, height) for joints in (after, own))
    called = [names[foot] for foot in feet]
    locked = np.array([name in (settings.locked_feet or called) for name in called])
    locked &= np.isin(called, [*yardstick.lockable])
    further = float((slid - before)[locked].sum())
    if settings.feet == "OFF" or (settings.feet == "AUTO" and further <= SEEN * yardstick.size):
        locked[:] = False
    # what is locked is spoken of where there is no other
    most = int(np.argmax(slid - np.where(locked & ~locked.all(), np.inf, 0.0)))
    return (
        called[most],
        _side(called, most),
        float(slid[most]),
        float(before[most]),
        bool(locked[most]),
    )


def _limited(verdict: Verdict) -> str:
    """The rating, no better than what a foot slides that is not locked."""
    if not verdict.rating or verdict.slide is None or verdict.own_slide is None or verdict.locked:
        return verdict.rating
    further = (verdict.slide - verdict.own_slide) / max(verdict.size, 1e-9)
    return RATED[min(RATED.index(verdict.rating), _score(further, SLIDES))]


def _side(feet: list[str], which: int) -> str:
    """LEFT or RIGHT of two feet, by their names; "" where these don't say."""
    found = []
    for name in feet:
        said = extremities.words(name)
        found.append(
            ("LEFT" if said & extremities.LEFT else "") + ("RIGHT" if said & extremities.RIGHT else "")
        )
    return found[which] if sorted(found) == ["LEFT", "RIGHT"] else ""


def _passage(
    alignment: str,
    motions: tuple[Motion, Motion],
    compared: Compared,
    yardstick: Yardstick,
    meeting: tuple[float, float],
) -> Passage:
    """Both clips around a pair of frames, each seen from where its root is then."""
    fps = compared.fps
    lasts = HALF_LIVES if compared.method is Method.SPRING else 1.0
    count = max(int(np.ceil(lasts * compared.seconds * fps - 1e-6)) + 2, 3)
    has_before = meeting[0] - 1.0 >= motions[0].frames[0] - 1e-3
    around = (np.arange(-1.0 if has_before else 0.0, 1.0), np.arange(0.0, count))
    (here, v, travel), (there, other, _) = (
        _seen(motion, alignment, yardstick.upright, frame, frame + shown, fps)
        for motion, frame, shown in zip(motions, meeting, around, strict=True)
    )
    if "HEIGHT" in alignment:
        heights = [
            np.interp(f, m.frames, m.root_position[:, 2]) for f, m in zip(meeting, motions, strict=True)
        ]
        there[..., 2] += heights[0] - heights[1]
    return Passage(here[0] if has_before else None, here[-1], v, there, other, travel)


def _seen(
    motion: Motion, alignment: str, upright: Array | None, frame: float, frames: Array, fps: float
) -> tuple[Array, Array, Array]:
    """Joints of a clip (frames, joints, 3) as seen from where its root is at one frame, and its velocities
    (joints, 3) and the root's (3,) there. Beyond the last frame of what is no cycle that is held."""
    motion = motion.until(float(frames[-1]), scene.metres_per_unit())
    known, root = motion.frames, motion.root_position
    held = np.clip(frames, known[0], known[-1])
    at = [character.interpolated(known, motion.positions, motion.velocities, f, fps) for f in (*held, frame)]
    positions = np.stack([place for place, _ in at])
    velocities = np.stack([velocity for _, velocity in at])
    if alignment in ("NONE", "HEIGHT"):
        return positions[:-1], velocities[-1], np.zeros(3)
    # the root as a further joint, which tells how fast it goes
    paths = np.gradient(root, known / fps, axis=0) if len(known) > 1 else np.zeros_like(root)
    place, travel = (
        np.array([np.interp(frame, known, values[:, axis]) for axis in range(3)]) for values in (root, paths)
    )
    velocities = np.concatenate([velocities, np.broadcast_to(travel, (len(at), 1, 3))], axis=1)
    turned = np.zeros(len(at))
    if upright is not None:
        i = int(np.clip(np.searchsorted(known, frame, "right") - 1, 0, max(len(known) - 2, 0)))
        near = np.unwrap(character.headings(motion.root_rotation[i : i + 2], upright))
        turned += np.interp(frame, known[i : i + 2], near)
    places = np.broadcast_to(place, (len(at), 3))
    positions, velocities = character.seen_from(positions, velocities, places, turned)
    return positions[:-1], velocities[-1, :-1], velocities[-1, -1]


def _standing(yardstick: Yardstick, cost: float) -> tuple[str, float | None, bool, float | None, float]:
    """A verdict's first fields: how a cost stands among all others, and against the clips' own motion."""
    costs, (frames, skips) = yardstick.costs, yardstick.skips
    scores = []
    better_than = None
    is_best = False
    if len(costs) > 1:
        better_than = 1.0 - float(np.searchsorted(costs, cost * (1.0 + SAME), "right")) / len(costs)
        is_best = bool(costs[0] >= cost * (1.0 - SAME))
        # those that cost the same are no better
        scores.append(_score(float(np.searchsorted(costs, cost * (1.0 - SAME))) / len(costs), RANKS))
    skipped = None
    if skips[-1] > 0.0:
        skipped = float(np.interp(cost, skips, frames, right=np.inf))
        scores.append(_score(skipped, tuple(seconds * yardstick.fps for seconds in SKIPS)))
    if not scores:
        rating = ""
    elif min(scores) == 2:
        rating = GOOD
    else:
        rating = POOR if min(scores) == 0 and max(scores) < 2 else FAIR
    return rating, better_than, is_best, skipped, float(frames[-1])


def _score(value: float, limits: tuple[float, ...]) -> int:
    """2 for good, 1 for fair and 0 for poor, of a value that had better be low; limits: of the first two."""
    return sum(value <= limit for limit in limits)


RATINGS = {GOOD: "Good", FAIR: "Fair", POOR: "Poor"}
"""What each rating is called."""
SIDES = {"LEFT": "the left foot", "RIGHT": "the right foot"}
"""What the feet of who has two are called."""


def sentences(verdict: Verdict, called: Mapping[str, str] | None = None) -> list[str]:
    """A verdict in an animator's words, a sentence or two, and one more on a pop.

    called: the controls that animators take for bones, by the bones; the bones themselves otherwise.
    """
    called = called or {}
    found = [*_headline(verdict), Sentence("{joint}.", joint=_joint(verdict, called))]
    if verdict.own_pop > 0.0 and verdict.pop > POPS * verdict.own_pop:
        found.append(
            Sentence(
                "It pops: speeds change by {pop:.2g} m/s at the cut, within the clips by {own:.2g} at most.",
                pop=verdict.pop,
                own=verdict.own_pop,
            )
        )
    return found


def _headline(verdict: Verdict) -> list[str]:
    """The rating, with what it is made of."""
    if not verdict.rating:
        return []
    rank: str = Sentence("no pair of frames is better")
    if not verdict.is_best:
        # never 100 %, as the best one is said to be that
        part = f"{min(math.floor(100.0 * (verdict.better_than or 0.0)), 99)} %"
        rank = Sentence("better than {part} of all pairs of frames", part=part)
    values = {"rating": Sentence(RATINGS[verdict.rating]), "rank": rank}
    if verdict.better_than is None:
        return [Sentence("{rating}: {jump}.", rating=values["rating"], jump=_jump(verdict))]
    if verdict.skipped is None:
        return [Sentence("{rating}: {rank}.", **values)]
    return [Sentence("{rating}: {rank}; {jump}.", **values, jump=_jump(verdict))]


def _jump(verdict: Verdict) -> str:
    """How large a skip within the clips would cost the same."""
    assert verdict.skipped is not None
    if verdict.skipped == np.inf:
        return Sentence(
            "more of a jump than skipping {frames:.0f} frames within the clips", frames=verdict.most_skipped
        )
    frames = round(verdict.skipped)
    if frames < 1:
        return Sentence("less of a jump than skipping a frame within the clips")
    if frames == 1:
        return Sentence("like skipping a frame within the clips")
    return Sentence("like skipping {frames:.0f} frames within the clips", frames=frames)


def _joint(verdict: Verdict, called: Mapping[str, str]) -> str:
    """Where the worst joint is and goes, and how far a foot slides."""
    seen = SEEN * verdict.size
    values = {"bone": called.get(verdict.bone, verdict.bone), "away": scene.length_text(verdict.away)}
    if verdict.past >= seen:
        past = scene.length_text(verdict.past)
        joint = Sentence('"{bone}" is {away} away and swings past by {past}', **values, past=past)
    elif verdict.grown >= seen:
        grown = scene.length_text(verdict.grown)
        joint = Sentence('"{bone}" is {away} away and swings out by {grown} more', **values, grown=grown)
    else:
        joint = Sentence('"{bone}" is {away} away', **values)
    if verdict.slide is None or verdict.own_slide is None:
        return joint
    if verdict.slide < seen:
        return Sentence("{joint}; no foot slides", joint=joint)
    foot = Sentence('the foot "{foot}"', foot=called.get(verdict.foot, verdict.foot))
    if verdict.side:
        foot = Sentence(SIDES[verdict.side])
    values = {"joint": joint, "foot": foot, "slide": scene.length_text(verdict.slide)}
    if verdict.locked:
        return Sentence("{joint}; {foot} is locked, it would slide {slide}", **values)
    if verdict.own_slide < max(seen, OWN * verdict.slide):
        return Sentence("{joint}; {foot} slides {slide}", **values)
    own = scene.length_text(verdict.own_slide)
    return Sentence("{joint}; {foot} slides {slide}, in the destination itself {own}", **values, own=own)
