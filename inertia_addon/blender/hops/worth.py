# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether hops are worth it: by their cost, and by what one sees of them, beside going straight."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Generator, Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError, Sentence
from ...motion.arrays import ArrayLike, Flags
from ...motion.steps import part
from ...records import record
from ...settings.hops import HopSettings
from ..data import clip_store
from ..data.actions import Clip
from ..judging import verdict
from ..judging.played import as_clip
from ..judging.verdict import Verdict
from ..transition import bake
from . import bake as hop_bake
from .bake import Step
from .search import Hop, Stock

CHEAPER = 0.85
"""A hop has to cost no more than this part of what going straight does."""
STRAIGHT = Sentence("Going straight is as good.")
"""What is said where no hop is worth it."""


@record(frozen=True)
class Worth:
    """What hops are like beside going straight.

    verdicts: of each, that of the worst of its blends, None for those that were not judged. straight: of the
    direct transition at the trigger, None likewise. is_worth: which of the hops are better than that.
    """

    verdicts: tuple[Verdict | None, ...]
    straight: Verdict | None
    is_worth: tuple[bool, ...]


def is_cheaper(cost: ArrayLike, direct: ArrayLike) -> Flags:
    """Whether hops cost so much less than going straight that they count (n,); infinity is no way."""
    return np.asarray(np.isfinite(cost) & (np.asarray(cost) <= CHEAPER * np.asarray(direct)))


def judging(
    armature: Any, settings: HopSettings, ways: Sequence[Hop], direct: float, judged: bool = True
) -> Generator[float, None, Worth]:
    """Judge hops of one trigger beside going straight; yields the part that is done.

    Of those that cost enough less than ``direct`` is seen what baking them would give. judged: whether at
    all; else cost alone decides.
    """
    cheap = is_cheaper([way.cost for way in ways], direct).tolist()
    verdicts: list[Verdict | None] = [None] * len(ways)
    if not judged or not any(cheap):
        return Worth(tuple(verdicts), None, tuple(cheap))
    straight = None
    if math.isfinite(direct):
        straight = yield from part(_straight(armature, settings, ways[cheap.index(True)]), 0.0, 0.2)
    for i, way in enumerate(ways):
        if cheap[i]:
            steps = _whole(armature, settings, way)
            verdicts[i] = yield from part(steps, 0.2 + 0.8 * i / len(ways), 0.2 + 0.8 * (i + 1) / len(ways))
    better = (is_cheap and _is_better(told, straight) for is_cheap, told in zip(cheap, verdicts, strict=True))
    return Worth(tuple(verdicts), straight, tuple(better))


def _is_better(told: Verdict | None, straight: Verdict | None) -> bool:
    """Whether a hop looks better than going straight; what can't be planned straight is no way."""
    return told is not None and (straight is None or told.order < straight.order)


def _whole(armature: Any, settings: HopSettings, way: Hop) -> Generator[float, None, Verdict | None]:
    stock = hop_bake.stock_of(armature, settings, way)
    return (yield from _worst(armature, settings, stock, hop_bake.steps_of(settings, way, stock)))


def _straight(armature: Any, settings: HopSettings, way: Hop) -> Generator[float, None, Verdict | None]:
    stock = hop_bake.stock_of(armature, settings, way)
    entry = hop_bake.destination_frame(settings, way, stock, way.trigger)
    step = Step(settings.transition.destination, way.trigger, entry, float(way.blends[-1]))
    return (yield from _worst(armature, settings, stock, [step]))


def _worst(
    armature: Any, settings: HopSettings, stock: Stock, steps: Sequence[Step]
) -> Generator[float, None, Verdict | None]:
    """The verdict on the worst of blends that follow each other, of which no action is made; None where they
    can't be planned."""
    ends = {end[0]: end for end in settings.transition.ends()}
    names = dict.fromkeys((settings.transition.source, *(step.action for step in steps)))
    named = [ends.get(name, (name, "", "")) for name in names]
    clips = dict(
        zip(names, (yield from part(clip_store.reading_named(armature, named), 0.0, 0.1)), strict=True)
    )
    before: Clip = clips[settings.transition.source]
    told = []
    for i, step in enumerate(steps):
        last = i + 1 == len(steps)
        transition = hop_bake.settings_of(settings, stock, step, last)
        if i:
            transition = dataclasses.replace(transition, source_cycle="OFF")
        try:
            planning = bake.planning_clips(
                *(armature, transition, before, clips[step.action]),
                settings.fade == "CROSS_FADE",
                still={},
            )
            plan = yield from part(planning, 0.1 + 0.9 * i / len(steps), 0.1 + 0.9 * (i + 0.7) / len(steps))
            judged = verdict.of_played(plan.played)
            done = (0.1 + 0.9 * (i + share) / len(steps) for share in (0.7, 1.0))
            told.append((yield from part(judged, *done)))
        except InertiaError:
            # who bakes it is told why
            return None
        before = as_clip(plan.clips, plan.slots[0].curves, plan.clips[1].end + plan.played.later)
    return verdict.worst(told)
