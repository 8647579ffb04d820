# SPDX-License-Identifier: GPL-3.0-or-later
"""The verdict on an action whose pops were smoothed."""

from __future__ import annotations

from collections.abc import Sequence

from ...motion.judging.evidence import MARGIN_SECONDS
from ...motion.pops.templates import PopKind
from ..data.actions import Clip
from ..evaluation.character import Character
from ..judging import rewritten
from ..judging.rewritten import Stretch
from ..judging.verdict import Verdicts
from .search import FoundPop, FoundPops


def judge_smoothed_steps(
    character: Character, pops: FoundPops, spans: Sequence[tuple[float, float]], result: Clip
) -> Verdicts:
    """Judge an action where its pops were smoothed, in its frames; return the steps that do so.

    pops: all of the clip that it is made of. spans: the first and the last frame of each stretch in which the
    action shows something else. result: the action. The steps return the worst verdict, none where that is
    nowhere, and raise InertiaError for a rig that Blender would not play.
    """
    apart = character.fps / pops.rate
    jumps = sorted(_find_jump(pop, apart) for pop in pops.pops)
    stretches = [_find_stretch(span, jumps, character.fps) for span in rewritten.merge_spans(spans)]
    return rewritten.judge_stretches_steps(character, pops.clip, result, stretches)


def _find_jump(pop: FoundPop, apart: float) -> tuple[float, float]:
    """Return (the last frame before a pop, the first one behind it), frames of the clip. apart: how many
    frames it is from one that was looked at to the next.
    """
    beside = 0.0 if pop.pop.kind is PopKind.STEP else apart
    return pop.first - beside, pop.last + beside


def _find_stretch(span: tuple[float, float], jumps: Sequence[tuple[float, float]], fps: float) -> Stretch:
    """Return a stretch in which pops were smoothed; no pop says how the clip moves beside it.

    span: its first and last frame. jumps: the last frame before each pop and the first one behind it, in
    order.
    """
    first, last = span
    around = MARGIN_SECONDS * fps
    inside = [jump for jump in jumps if jump[0] < last and jump[1] > first]
    goes_until = min((before for before, _ in inside), default=last)
    goes_on = max((behind for _, behind in inside), default=first)
    begins = max([first - around, *(behind for _, behind in jumps if behind <= goes_until)])
    ends = min([last + around, *(before for before, _ in jumps if before >= goes_on)])
    return Stretch(first, last, (begins, goes_until), (goes_on, ends))
