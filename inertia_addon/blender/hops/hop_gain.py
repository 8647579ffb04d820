# SPDX-License-Identifier: GPL-3.0-or-later
"""What hops are worth: by their cost, and by what one sees of them, beside going straight; and what one that
was baked measures."""

from __future__ import annotations

import collections
import dataclasses
import math
from collections.abc import Mapping, Sequence

import numpy as np

from ...errors import InertiaError, Sentence
from ...motion.arrays import ArrayLike, Flags
from ...motion.steps import Steps, part
from ...records import record
from ...settings.hops import HopSettings
from ..cost import costing
from ..cost.costing import TransitionQuality
from ..data import clip_store
from ..evaluation import joint_motion
from ..evaluation.character import Character
from ..evaluation.joint_motion import Evaluate
from ..judging import verdict
from ..judging.played import as_clip
from ..judging.verdict import Verdict
from ..transition import bake
from ..transition.meeting import PlanOptions
from . import bake as hop_bake
from .bake import HopReport, HopStep
from .search import FoundHop, HopStock

CHEAPER = 0.85
"""A hop has to cost no more than this part of what going straight does."""
STRAIGHT = Sentence("The direct transition is as good.")
"""What is said where no hop is worth it."""


@record(frozen=True)
class Worth:
    """What hops are like beside going straight. verdicts: of each, that of the worst of its blends, None for
    those that were not judged. straight: of the direct transition at the trigger, None likewise. is_worth:
    which of the hops are better than that."""

    verdicts: tuple[Verdict | None, ...]
    straight: Verdict | None
    is_worth: tuple[bool, ...]


def is_cheaper(cost: ArrayLike, direct: ArrayLike) -> Flags:
    """Tell whether hops cost so much less than going straight that they count (n,); infinity is no way."""
    return np.asarray(np.isfinite(cost) & (np.asarray(cost) <= CHEAPER * np.asarray(direct)))


def judge_worth_steps(
    character: Character,
    settings: HopSettings,
    hops: Sequence[FoundHop],
    direct: float,
    *,
    judged: bool = True,
) -> Steps[Worth]:
    """Judge hops of one trigger beside going straight; return which are worth it, with the verdicts; yield
    the part that is done, 0 to 1.

    direct: what going straight costs, inf for no way. Of hops that cost enough less it is seen what baking
    them would give, the worst of their blends; one is worth it if that looks better than going straight.
    judged: whether at all; else cost alone decides.
    """
    cheap = is_cheaper([way.cost for way in hops], direct).tolist()
    verdicts: list[Verdict | None] = [None] * len(hops)
    if not judged or not any(cheap):
        return Worth(tuple(verdicts), None, tuple(cheap))
    straight = None
    if math.isfinite(direct):
        way = hops[cheap.index(True)]
        stock = hop_bake.stock_of(character, settings, way)
        entry = hop_bake.destination_frame(settings, way, stock, way.trigger)
        step = HopStep(settings.transition.destination, way.trigger, entry, float(way.blends[-1]))
        straight = yield from part(_worst(character, settings, stock, [step]), 0.0, 0.2)
    for i, way in enumerate(hops):
        if cheap[i]:
            stock = hop_bake.stock_of(character, settings, way)
            steps = _worst(character, settings, stock, hop_bake.steps_of(settings, way, stock))
            verdicts[i] = yield from part(steps, 0.2 + 0.8 * i / len(hops), 0.2 + 0.8 * (i + 1) / len(hops))
    # what can't be planned straight is no way
    is_worth = (seen is not None and (straight is None or seen.order < straight.order) for seen in verdicts)
    return Worth(tuple(verdicts), straight, tuple(is_worth))


def _worst(
    character: Character, settings: HopSettings, stock: HopStock, steps: list[HopStep]
) -> Steps[Verdict | None]:
    """Judge blends that follow each other, without making an action of them; return the worst verdict,
    None if they can't be planned; yield the part that is done.
    """
    ends = {end[0]: end for end in settings.transition.ends()}
    names = dict.fromkeys((settings.transition.source, *(step.action for step in steps)))
    named = [ends.get(name, (name, "", "")) for name in names]
    read = yield from part(clip_store.read_named_steps(character.armature, named), 0.0, 0.1)
    clips = dict(zip(names, read, strict=True))
    before = clips[settings.transition.source]
    verdicts = []
    for i, step in enumerate(steps):
        last = i + 1 == len(steps)
        transition = hop_bake.settings_of(settings, stock, step, last=last)
        if i:
            transition = dataclasses.replace(transition, source_cycle="OFF")
        try:
            begin, planned, end = (0.1 + 0.9 * (i + share) / len(steps) for share in (0, 0.7, 1.0))
            crossing = settings.fade == "CROSS_FADE"
            planning = bake.plan_clips_steps(
                character,
                transition,
                before,
                clips[step.action],
                PlanOptions(cross_fade=crossing, constants={}),
            )
            plan = yield from part(planning, begin, planned)
            verdicts.append((yield from part(verdict.of_played(plan.evidence), planned, end)))
        except InertiaError:
            # who bakes it is told why
            return None
        before = as_clip(plan.clips, plan.slots[0].curves, plan.clips[1].end + plan.evidence.later)
    return verdict.worst(verdicts)


def measure(
    character: Character,
    settings: HopSettings,
    report: HopReport,
    weights: Mapping[str, float],
    evaluate: Evaluate = joint_motion.whole,
) -> Steps[TransitionQuality]:
    """Measure a hop that was baked; return the quality, and yield the part that is done.

    The cost is the sum of the displacements of all blends, metre seconds; all else is the worst blend's.
    weights: by bone, of the cost. evaluate: reads a clip's motion.
    """
    stock = hop_bake.stock_of(character, settings, report.way)
    motions = yield from joint_motion.of_all(character, stock.clips, stock.reference, evaluate)
    by_name = dict(zip(stock.names, motions, strict=True))
    parts: collections.Counter[str] = collections.Counter()
    # which clip is left, and which of its own frames it shows at a time
    name, frame, time = settings.transition.source, report.way.trigger, report.way.trigger
    for step in hop_bake.steps_of(settings, report.way, stock):
        blend = dataclasses.replace(settings.transition, blend_frames=step.blend)
        pair = (by_name[name], by_name[step.action])
        compared = costing.compare(blend, stock.alignment, weights, pair, report.last.fps)
        parts.update(compared.by_bone(frame + (step.cut - time), step.entry))
        name, frame, time = step.action, step.entry, step.cut
    return costing.quality(parts, report.verdicts)
