# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet that stand still between both ends of a gap, whatever moves the root meanwhile."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError, Sentence
from ...motion.arrays import Array, smooth
from ...motion.curves.representation import whole_frames
from ...motion.feet import crossing
from ...motion.feet.contacts import Span, Spans, on_frames
from ...motion.feet.crossing import Locked
from ...motion.feet.locking import LegMotion
from ...motion.judging import evidence
from ...motion.judging.evidence import Track
from ...motion.judging.faults import CHANGE, POP, SKATE, SKATE_WAY, STILL, Change, Judgement, SeenFault
from ...motion.matching import clip_sequence
from ...motion.steps import Steps, finish, part
from ...records import record
from ...settings.feet import Locking
from ..data import scene
from ..data.actions import Clip, with_curves
from ..data.rewriting import Rewritten
from ..evaluation import joint_motion
from ..evaluation.character import Character
from ..feet import bake, contacts, leg_choice
from ..judging import deciding, verdict
from ..judging.verdict import Verdict
from ..transition.bake import Plan
from . import arriving, search
from .pieces import Piece
from .search import GapFill

FELT = 0.05
"""A root that is drawn further than this, of a person's metres, is named."""
SMOOTH_SECONDS = 0.03
"""How high feet are in the clips is smoothed by a Gaussian of this standard deviation."""


@record(frozen=True, eq=False)
class FreeFill:
    """A filled gap before feet are locked.

    source: what plays up to the cut. pieces: clips between. plans: its joins, the arrival last, in reversed
    time. clip: all of it. stands_for: an action that stands for it in reversed time.
    """

    source: Clip
    pieces: Sequence[Piece]
    plans: Sequence[Plan]
    clip: Clip
    stands_for: Any


def choose_feet_steps(
    character: Character, fill: GapFill | None, unlocked: FreeFill
) -> Steps[tuple[Rewritten, list[Verdict], list[str]]]:
    """Lock the feet of a filled gap as is asked for; yield the part that is done.

    Return the curves, the verdicts on its joins, the arrival last, and the warnings. fill: None to go without
    clips, and then without locked feet. Raise InertiaError for legs that can't be locked, but have to be.
    """
    plans, free, stands_for = unlocked.plans, unlocked.clip, unlocked.stands_for
    left = Rewritten(free, {})
    if fill is None or fill.settings.transition.feet == "OFF" or fill.stock.database.contacts is None:
        verdicts = yield from judge_joins_steps(plans, free, stands_for)
        return left, verdicts, _drawn(fill)
    must = fill.settings.transition.feet == "LOCK"
    try:
        locked = _locked(character, fill, unlocked)
    except InertiaError as error:
        if must:
            raise
        verdicts = yield from judge_joins_steps(plans, free, stands_for)
        return left, verdicts, [error.sentence, *_drawn(fill)]
    shown = with_curves(free, locked.curves)
    after = yield from part(judge_joins_steps(plans, shown, stands_for), 0.2, 0.6)
    if must:
        return locked, after, []
    before = yield from part(judge_joins_steps(plans, free, stands_for), 0.6, 1.0)
    left_free: list[deciding.Judged] = [*before, _gap(character, fill, free)]
    with_lock: list[deciding.Judged] = [*after, _gap(character, fill, shown)]
    if deciding.decide(left_free, with_lock):
        return locked, after, []
    notes = deciding.explain_free(verdict.worst(before), verdict.worst(after))
    return left, before, [*notes, *_drawn(fill)]


def _locked(character: Character, fill: GapFill, unlocked: FreeFill) -> Rewritten:
    """Return the curves with the feet locked from the cut to the arrival, whose frames stay as they are.

    The clips say when feet stand. Raise InertiaError for legs that can't be locked.
    """
    source, pieces, free = unlocked.source, unlocked.pieces, unlocked.clip
    stock, settings = fill.stock, fill.settings
    cut = settings.transition.cut
    clip = dataclasses.replace(free, start=cut, end=settings.arrival, cycle=None)
    frames = cut + np.arange(fill.gap.frames + 1.0) * stock.step
    feet = [(leg.point, leg.offset) for leg in stock.legs]
    ankles = [(leg.joints[-1], (0.0, 0.0, 0.0)) for leg in stock.legs]
    points = finish(contacts.track_steps(character, clip, feet, frames))
    flat = np.append(fill.way.flat[: fill.gap.frames], fill.gap.met)
    flat[0] = fill.gap.left
    assert stock.database.contacts is not None
    joins, fps = [join.frame for join in fill.way.joins], stock.database.fps
    planted, lengths = stock.database.contacts[flat], contacts.lengths_of(character, stock.legs)
    spans, times = list[Spans](), frames.tolist()
    for k in range(len(stock.legs)):
        runs = clip_sequence.stands(planted[:, k], joins, points[:, k], float(lengths[k]), fps)
        spans.append(tuple(Span(times[first], times[last]) for first, last in runs))
    at, heights = joint_motion.grid(clip), []
    played = [(source, cut, cut), *((piece.clip, piece.entered, piece.cut) for piece in pieces)]
    begins = [-np.inf, *(begin for _, _, begin in played[1:]), np.inf]
    for (each, entered, begin), since, until in zip(played, begins[:-1], begins[1:], strict=True):
        which = at[(at >= since) & (at < until)]
        within = np.clip(which - begin + entered, each.start, each.end)
        heights.append(finish(contacts.track_steps(character, each, [*feet, *ankles], within))[..., 2])
    # where others take over they may jump
    even = smooth(np.concatenate(heights), SMOOTH_SECONDS * character.fps)
    high = np.stack(np.split(even, 2, axis=1), axis=-1)
    asked = Locking.of(settings.transition)
    body = leg_choice.find_body(
        character, character.rig, asked, None, (clip,), leg_choice.LegKnowledge(stock.legs)
    )
    names = [leg.name for leg in stock.legs]
    order = [names.index(leg.name) for leg in body.legs.legs]

    def hold(frames: Array, legs: list[LegMotion]) -> Locked:
        held = [on_frames(spans[k], frames) for k in order]
        heights = [high[:, k] / character.metres for k in order]
        return crossing.bridge(frames / character.fps, legs, held, heights, leg_choice.read_limits(asked))

    rewritten = bake.hold_clip(character, clip, body, hold).curves
    return dataclasses.replace(rewritten, clip=free)


def _gap(character: Character, fill: GapFill, clip: Clip) -> Judgement:
    """Judge what no verdict on a join sees of a filled gap: the foot that skates most all the way, and how
    suddenly the character moves once. clip: the whole result."""
    unknown = Change(0.0, 0.0)
    seen = (_find_skate(character, fill, clip), *_find_pop(fill, clip))
    return Judgement(seen, unknown, unknown, unknown)


def _find_pop(fill: GapFill, clip: Clip) -> tuple[SeenFault, ...]:
    """Return where a gap moves most suddenly, as a fault; nothing where Blender has to play the rig."""
    if not fill.stock.plain:
        return ()
    settings, fps, size = fill.settings, scene.fps(), fill.stock.rig.size
    frames = whole_frames(settings.transition.cut - 1.0, settings.arrival + 1.0)
    usual = max(search.change_around(fill.stock, settings.transition), STILL * size / fps)
    changes = search.changes(fill.stock, clip, frames)
    most, at = float(changes.max()), int(np.argmax(changes))
    return (SeenFault(POP, most, usual, most / (CHANGE * usual), 0, float(frames[at + 1])),)


def _find_skate(character: Character, fill: GapFill, clip: Clip) -> SeenFault:
    """Return how far that foot skates which does so most in a gap, as a fault."""
    settings, fps, rig = fill.settings, character.fps, fill.stock.rig
    feet = [(leg.point, leg.offset) for leg in fill.stock.legs]
    around = evidence.AROUND_SECONDS * fps
    frames = whole_frames(settings.transition.cut - around, settings.arrival + around)
    shown = Track(frames, finish(contacts.track_steps(character, clip, feet, frames)))
    every, size = list(range(len(feet))), rig.size * character.metres
    stands = evidence.heights((shown,), every, frames, fps)
    still = np.zeros((len(frames), 2))
    ways = evidence.measure_skating(shown, every, still, stands, evidence.LOW * size, fps)
    within = (frames[1:] > settings.transition.cut) & (frames[1:] <= settings.arrival)
    each = ways[within].sum(axis=0)
    foot, most = int(np.argmax(each)), float(each.max())
    worst = int(np.argmax(np.where(within, ways[:, foot], 0.0)))
    return SeenFault(SKATE, most, 0.0, most / (SKATE_WAY * size), foot, float(frames[1:][worst]))


def judge_joins_steps(plans: Sequence[Plan], result: Clip, stands_for: Any) -> Steps[list[Verdict]]:
    """Judge joins as a result shows them, the arrival last; yield how much is done.

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


def _drawn(fill: GapFill | None) -> list[str]:
    """Say how the root is drawn, which no verdict on a join sees."""
    away = 0.0 if fill is None else float(np.linalg.norm(fill.chain.away))
    if fill is None or away <= FELT * fill.stock.database.size:
        return []
    return [
        Sentence(
            "Feet skate between the joins, as the root is drawn by {distance:.0f} cm to arrive; give more "
            "clips, or another time.",
            distance=100.0 * away,
        )
    ]
