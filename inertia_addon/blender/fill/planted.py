# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet that stand still between both ends of a gap, whatever moves the root meanwhile."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError, Sentence
from ...motion.arrays import Array, Flags, runs, smooth
from ...motion.curves.representation import whole_frames
from ...motion.feet import crossing
from ...motion.feet.contacts import Span, Spans, on_frames
from ...motion.feet.crossing import Locked
from ...motion.feet.legs import Leg
from ...motion.feet.locking import LegMotion
from ...motion.fill import unaided_steps
from ...motion.judging import evidence
from ...motion.judging.evidence import Track
from ...motion.judging.faults import CHANGE, POP, RATED, SKATE, SKATE_WAY, STILL, Change, Judgement, SeenFault
from ...motion.matching import clip_sequence
from ...motion.skeleton.posing import Mark
from ...motion.steps import Steps, finish, part
from ...records import record
from ...settings.feet import Locking
from ...settings.fill import FillSettings
from ..data.actions import Clip, with_curves
from ..data.rewriting import Rewritten
from ..evaluation import joint_motion
from ..evaluation.character import Character
from ..feet import bake, contacts, leg_choice
from ..feet import legs as armature_legs
from ..judging import deciding, verdict
from ..judging.verdict import Verdict
from ..transition.bake import Plan
from . import arriving, key_poses, search, touches, wishes
from .pieces import Piece
from .search import GapFill

FELT = 0.05
"""A root that is drawn further than this, of a person's metres, is named."""
SHORTEST_SECONDS = 0.3
"""In a shorter gap without clips no foot is locked."""
GLIDE = "GLIDE"
"""The kind of a fault that no transition has: for a time no foot stands, ..."""
GLIDE_SECONDS = 0.5
"""... which is longer than a stride leaves the ground."""
LOOK_SECONDS = 1.0
"""So much of the clips at both ends says whether feet stand there."""
STILL_METRES = 1e-4
"""Feet that move by no more than this are those of a pose, ..."""
LOW_PART = 0.1
"""... of which those stand that are higher than the lowest by no more than this part of their leg."""
SMOOTH_SECONDS = 0.03
"""How high feet are in the clips is smoothed by a Gaussian of this standard deviation."""


@record(frozen=True, eq=False)
class FreeFill:
    """A filled gap before feet are locked.

    settings: by which it was filled. ends: what plays up to the cut, and from the arrival on, in its own
    frames, where it is arrived at. pieces: clips between. plans: its joins, the arrival last, in reversed
    time. clip: all of it. stands_for: an action that stands for it in reversed time. has_clips: whether the
    pieces are clips.
    """

    settings: FillSettings
    ends: tuple[Clip, Clip]
    pieces: Sequence[Piece]
    plans: Sequence[Plan]
    clip: Clip
    stands_for: Any
    has_clips: bool

    @property
    def arrival(self) -> tuple[Clip, float]:
        """What is arrived at, and its own frame there."""
        entry = self.settings.transition.destination_frame
        assert entry is not None
        return self.ends[1], entry

    @property
    def departure(self) -> tuple[Clip, float]:
        """What is left, and its frame there."""
        return self.ends[0], self.settings.transition.cut


@record(frozen=True, eq=False)
class GapFeet:
    """What the feet of a character do in a gap.

    legs: of the armature. spans: of each when its foot stands, in frames of the scene. heights: (n, legs, 2),
    metres, on whole frames from the cut to the arrival, how high the ground is below the foot's point, and
    its ankle above that.
    """

    legs: tuple[Leg, ...]
    spans: Sequence[Spans]
    heights: Array


@record(frozen=True, eq=False)
class JudgedFill:
    """A filled gap with its feet as they are to be. verdicts: on its joins, the arrival last. whole: what no
    verdict on a join sees of it. notes: what there is to say of feet."""

    curves: Rewritten
    verdicts: list[Verdict]
    whole: Judgement
    notes: list[str]

    @property
    def order(self) -> tuple[int, float]:
        """What one gap with and without locked feet is ranked by, the better first: see
        :func:`deciding.order_of`.
        """
        return deciding.order_of([*self.verdicts, self.whole])

    @property
    def merit(self) -> tuple[int, float]:
        """What unlike fills of one gap are ranked by, the best first: the worst word, by number, on a join
        and on how long no foot stands, then all that is seen.
        """
        gliding = tuple(fault for fault in self.whole.faults if fault.kind == GLIDE)
        words = [each.rating for each in self.verdicts]
        words.append(dataclasses.replace(self.whole, faults=gliding).rating)
        total = sum(each.total for each in self.verdicts) + self.whole.total
        return max(map(RATED.index, words)), total


def choose_feet_steps(character: Character, fill: GapFill | None, unlocked: FreeFill) -> Steps[JudgedFill]:
    """Lock the feet of a filled gap as is asked for, and judge it; yield the part that is done, 0 to 1.

    LOCK has them locked, OFF free; else both are judged and the better is taken, free if equal, with a note
    that says why. fill: None to go without clips. Raise InertiaError for legs that can't be locked, but have
    to be.
    """
    plans, free, stands_for = unlocked.plans, unlocked.clip, unlocked.stands_for
    asked = unlocked.settings.transition.feet
    left, must, notes = Rewritten(free, {}), asked == "LOCK", list[str]()
    legs = _find_legs(character, fill)
    try:
        locked = None if asked == "OFF" or not legs else _locked(character, fill, unlocked, legs)
        if locked is not None:
            # a foot is where a pose on the way has it, and a hand where it touches
            led = wishes.lead_through_wishes(
                character, unlocked.settings, unlocked.departure[0], with_curves(free, locked.curves)
            )
            locked = dataclasses.replace(locked, curves={**locked.curves, **led})
    except InertiaError as error:
        if must:
            raise
        locked, notes = None, [error.sentence]
        if isinstance(error, touches.OutOfReach):
            # it does without
            notes = [
                Sentence(
                    'Feet are left free, as "{bone}" would not come to its point with locked feet.',
                    bone=error.nearest.bone,
                )
            ]
    begin = 0.2
    if not must or locked is None:
        before = yield from part(judge_joins_steps(plans, free, stands_for), begin, 0.6)
        left_free = JudgedFill(left, before, judge_whole(character, unlocked, free, legs), notes)
        begin = 0.6
    if locked is not None:
        shown = with_curves(free, locked.curves)
        after = yield from part(judge_joins_steps(plans, shown, stands_for), begin, 1.0)
        with_lock = JudgedFill(locked, after, judge_whole(character, unlocked, shown, legs), [])
        # of equals the free one is better, as its destination plays as it is
        if must or with_lock.order < left_free.order:
            return with_lock
        notes = [*deciding.explain_free(verdict.worst(before), verdict.worst(after))]
    return dataclasses.replace(left_free, notes=[*notes, *_describe_drawing(fill)])


def _find_legs(character: Character, fill: GapFill | None) -> tuple[Leg, ...]:
    """Return the legs whose feet can stand in a gap; () for none, or where its clips do not say when."""
    if fill is None:
        with contextlib.suppress(InertiaError):  # who has no legs fills gaps, too
            return armature_legs.of_armature(character.armature)
        return ()
    return () if fill.stock.database.contacts is None else tuple(fill.stock.legs)


def _locked(
    character: Character, fill: GapFill | None, unlocked: FreeFill, legs: tuple[Leg, ...]
) -> Rewritten | None:
    """Return the curves with the feet locked from the cut to the arrival, whose frames stay as they are.

    The clips say when feet stand, or both ends where there are none. None where no foot stands, and for a gap
    without clips that is too short for a step. Raise InertiaError for legs that can't be locked.
    """
    settings, free = unlocked.settings, unlocked.clip
    cut = settings.transition.cut
    clip = dataclasses.replace(free, start=cut, end=settings.arrival, cycle=None)
    if fill is None or fill.chain is None:
        if settings.gap_frames < SHORTEST_SECONDS * character.fps:
            # nobody steps so quickly
            return None
        feet = _feet_of_ends(character, unlocked, legs)
    else:
        feet = _feet_of_clips(character, fill, unlocked, clip)
    if not any(feet.spans):
        return None
    asked = Locking.of(settings.transition)
    body = leg_choice.find_body(
        character, character.rig, asked, None, (clip,), leg_choice.LegKnowledge(feet.legs)
    )
    names = [leg.name for leg in feet.legs]
    order = [names.index(leg.name) for leg in body.legs.legs]

    def hold(frames: Array, legs: list[LegMotion]) -> Locked:
        held = [on_frames(feet.spans[k], frames) for k in order]
        heights = [feet.heights[:, k] / character.metres for k in order]
        return crossing.bridge(frames / character.fps, legs, held, heights, leg_choice.read_limits(asked))

    frames = whole_frames(cut, settings.arrival)
    rewritten = bake.hold_clip(character, clip, body, hold, bake.HoldOptions(frames=frames)).curves
    return dataclasses.replace(rewritten, clip=free)


def _feet_of_clips(character: Character, fill: GapFill, unlocked: FreeFill, clip: Clip) -> GapFeet:
    """Return what feet do in a gap by its clips: when each stands, in frames of the result, and how high feet
    and ankles are by the clips themselves, metres, on whole frames. clip: the gap alone.
    """
    (source, cut), pieces, stock = unlocked.departure, unlocked.pieces, fill.stock
    frames = cut + np.arange(fill.gap.frames + 1.0) * stock.step
    feet, ankles = _marks(stock.legs)
    points = finish(joint_motion.track_points_steps(character, clip, feet, frames))
    flat = np.append(fill.way.flat[: fill.gap.frames], fill.gap.met)
    flat[0] = fill.gap.left
    assert stock.database.contacts is not None
    joins, fps = [join.frame for join in fill.way.joins], stock.database.fps
    planted, lengths = stock.database.contacts[flat], contacts.lengths_of(character, stock.legs)
    spans, times = list[Spans](), frames.tolist()
    for k in range(len(stock.legs)):
        stances = clip_sequence.stands(planted[:, k], joins, points[:, k], float(lengths[k]), fps)
        spans.append(tuple(Span(times[first], times[last]) for first, last in stances))
    at, heights = whole_frames(cut, unlocked.settings.arrival), []
    played = [(source, cut, cut), *((piece.clip, piece.entered, piece.cut) for piece in pieces)]
    begins = [-np.inf, *(begin for _, _, begin in played[1:]), np.inf]
    for (each, entered, begin), since, until in zip(played, begins[:-1], begins[1:], strict=True):
        which = at[(at >= since) & (at < until)]
        within = np.clip(which - begin + entered, each.start, each.end)
        heights.append(
            finish(joint_motion.track_points_steps(character, each, [*feet, *ankles], within))[..., 2]
        )
    # where others take over they may jump
    even = smooth(np.concatenate(heights), SMOOTH_SECONDS * character.fps)
    return GapFeet(tuple(stock.legs), spans, np.stack(np.split(even, 2, axis=1), axis=-1))


def _feet_of_ends(character: Character, unlocked: FreeFill, legs: tuple[Leg, ...]) -> GapFeet:
    """Return what feet do in a gap without clips: who stands at an end, or in a pose on the way, stays there
    as long as it can, and who stands at both of two such, in two places, steps once between them."""
    settings, source = unlocked.settings, unlocked.departure[0]
    frames = whole_frames(settings.transition.cut, settings.arrival)
    lengths = contacts.lengths_of(character, legs)
    feet, ankles = _marks(legs)
    tracked = finish(joint_motion.track_points_steps(character, unlocked.clip, [*feet, *ankles], frames))
    points, ankle_points = np.split(tracked, 2, axis=1)
    stood = [_find_standing(character, unlocked.departure, legs, before=True)]
    for pose in settings.key_poses:
        held = key_poses.read_pose_clip(character, pose, source), pose.own_frame
        stood.append(_find_standing(character, held, legs, before=True))
    stood.append(_find_standing(character, unlocked.arrival, legs, before=False))
    knots = np.round([pose.frame - frames[0] for pose in settings.key_poses]).astype(np.int64)
    bounds = [0, *np.clip(knots, 1, len(frames) - 2).tolist(), len(frames) - 1]
    ground, spans = np.empty(points.shape[:2]), [list[Span]() for _ in legs]
    for i, (first, last) in enumerate(itertools.pairwise(bounds)):
        stretch, both = slice(first, last + 1), np.stack(stood[i : i + 2])
        ground[stretch] = unaided_steps.find_ground(points[stretch, :, 2], both)
        stances = unaided_steps.find_stands(points[stretch], both, lengths)
        for of_foot, row in zip(spans, stances, strict=True):
            of_foot += [Span(float(frames[first + a]), float(frames[first + b])) for a, b in row]
    # feet are tilted as the poses have them
    heights = np.stack([ground, ground + ankle_points[..., 2] - points[..., 2]], axis=-1)
    return GapFeet(legs, [tuple(_join_spans(of_foot)) for of_foot in spans], heights)


def _join_spans(spans: Sequence[Span]) -> list[Span]:
    """Return spans, rising, of which those that meet on a frame are one."""
    joined: list[Span] = []
    for span in spans:
        if joined and joined[-1].end >= span.start:
            span = Span(joined.pop().start, span.end)
        joined.append(span)
    return joined


def _find_standing(
    character: Character, end: tuple[Clip, float], legs: tuple[Leg, ...], *, before: bool
) -> Flags:
    """Tell which feet (legs,) stand at one end of a gap. end: the clip there, and its own frame.

    before: look at the clip up to that frame, else from it on, LOOK_SECONDS at most. Where no foot moves the
    low ones stand.
    """
    clip, frame = end
    touch = LOOK_SECONDS * character.fps
    span = (frame - touch, frame) if before else (frame, frame + touch)
    frames = whole_frames(max(span[0], clip.start), min(span[1], clip.end))
    points = finish(joint_motion.track_points_steps(character, clip, _marks(legs)[0], frames))
    if np.ptp(points, axis=0).max() <= STILL_METRES:
        heights = points[0, :, 2]
        return heights <= heights.min() + LOW_PART * contacts.lengths_of(character, legs)
    spans = contacts.find_at(character, frames, points, legs)
    return np.array([any(each.start <= frame <= each.end for each in row) for row in spans])


def _marks(legs: Sequence[Leg]) -> tuple[list[Mark], list[Mark]]:
    """Return (the points by which feet stand, their ankles), each as a bone's index with the offset from its
    head, one for each leg.
    """
    ankles = [(leg.joints[-1], (0.0, 0.0, 0.0)) for leg in legs]
    return [(leg.point, leg.offset) for leg in legs], ankles


def judge_whole(character: Character, unlocked: FreeFill, clip: Clip, legs: tuple[Leg, ...]) -> Judgement:
    """Judge what no verdict on a join sees of a filled gap: the foot that skates most all the way, how
    suddenly the character moves once, and, where no clips are played, for how long no foot stands. clip: the
    whole result."""
    unknown = Change(0.0, 0.0)
    seen = (*_find_skate(character, unlocked, clip, legs), *_find_pop(character, unlocked, clip))
    return Judgement(seen, unknown, unknown, unknown)


def _find_pop(character: Character, unlocked: FreeFill, clip: Clip) -> tuple[SeenFault, ...]:
    """Return where a gap moves most suddenly, in a tuple of one POP whatever its severity; () where Blender
    has to play the rig.

    Size is the change of velocity from frame to frame, own that of the clips around the gap, and the severity
    their ratio by CHANGE.
    """
    if character.find_poser((clip,)).has_to_play:
        return ()
    settings, rig = unlocked.settings, character.rig
    frames = whole_frames(settings.transition.cut - 1.0, settings.arrival + 1.0)
    around = search.change_around(rig, unlocked.departure, unlocked.arrival, character.fps)
    usual = max(around, STILL * rig.size / character.fps)
    changes = search.changes(rig, clip, frames, character.fps)
    most, at = float(changes.max()), int(np.argmax(changes))
    return (SeenFault(POP, most, usual, most / (CHANGE * usual), 0, float(frames[at + 1])),)


def _find_skate(
    character: Character, unlocked: FreeFill, clip: Clip, legs: tuple[Leg, ...]
) -> tuple[SeenFault, ...]:
    """Return how far that foot skates which does so most in a gap, metres, as a SKATE whatever its severity,
    and, without clips, how long no foot stands, seconds, as a GLIDE; () without feet.
    """
    if not legs:
        return ()
    settings, fps, rig = unlocked.settings, character.fps, character.rig
    feet, _ = _marks(legs)
    around = evidence.AROUND_SECONDS * fps
    frames = whole_frames(settings.transition.cut - around, settings.arrival + around)
    shown = Track(frames, finish(joint_motion.track_points_steps(character, clip, feet, frames)))
    every, size = list(range(len(feet))), rig.size * character.metres
    stands = evidence.heights((shown,), every, frames, fps)
    still = np.zeros((len(frames), 2))
    ways = evidence.measure_skating(shown, every, still, stands, evidence.LOW * size, fps)
    within = (frames[1:] > settings.transition.cut) & (frames[1:] <= settings.arrival)
    each = ways[within].sum(axis=0)
    foot, most = int(np.argmax(each)), float(each.max())
    worst = int(np.argmax(np.where(within, ways[:, foot], 0.0)))
    skate = SeenFault(SKATE, most, 0.0, most / (SKATE_WAY * size), foot, float(frames[1:][worst]))
    if unlocked.has_clips:
        # they know how long one flies
        return (skate,)
    speeds = np.linalg.norm(np.diff(shown.positions[..., :2], axis=0), axis=-1) * fps
    low = shown.positions[1:, :, 2] - stands[1:] < evidence.LOW * size
    in_air = ~np.any(low & (speeds < evidence.STANDING * size), axis=1) & within
    first, last = max(runs(in_air), key=lambda run: run[1] - run[0], default=(0, -1))
    seconds = (last - first + 1) / fps
    return skate, SeenFault(GLIDE, seconds, 0.0, seconds / GLIDE_SECONDS, foot, float(frames[1 + first]))


def judge_joins_steps(plans: Sequence[Plan], result: Clip, stands_for: Any) -> Steps[list[Verdict]]:
    """Judge the joins of plans as a result shows them, in order, the arrival last; return a verdict for each,
    in the result's frames; yield the part that is done, 0 to 1.

    stands_for: an action that stands for it in reversed time.
    """
    verdicts: list[Verdict] = []
    for i, plan in enumerate(plans):
        is_arrival = i == len(plans) - 1
        clip = arriving.backwards(result, stands_for) if is_arrival else result
        playing = dataclasses.replace(plan.evidence, shown=clip, verdict=None, is_planned=False, look=None)
        verdicts.append((yield from part(verdict.of_played(playing), *(k / len(plans) for k in (i, i + 1)))))
    verdicts[-1] = arriving.forwards(verdicts[-1], -plans[-1].settings.cut)
    return verdicts


def _describe_drawing(fill: GapFill | None) -> list[str]:
    """Return a sentence, in a list, on how far the root is drawn to arrive, in centimetres, which no verdict
    on a join sees; [] if that is no more than FELT (metres, for a person), or without clips.
    """
    chain = None if fill is None else fill.chain
    away = 0.0 if chain is None else float(np.linalg.norm(chain.away))
    if fill is None or away <= FELT * fill.stock.database.size:
        return []
    return [
        Sentence(
            "Feet skate between the joins, as the root is drawn by {distance:.0f} cm to arrive; give more "
            "clips, or another time.",
            distance=100.0 * away,
        )
    ]
