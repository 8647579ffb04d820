# SPDX-License-Identifier: GPL-3.0-or-later
"""The unlike fills of a gap to choose from, each judged, the best first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...motion.steps import Steps, part
from ...settings.fill import CHOICES, FillSettings
from ..evaluation.character import read_character
from . import bake, search, touches
from .bake import FillChoice

SEARCHED = 0.5
"""About what part of finding choices is done once they were searched; what is left is to judge them."""


def find_choices_steps(
    armature: Any, settings: FillSettings, weights: Mapping[str, float], count: int = CHOICES
) -> Steps[tuple[FillChoice, ...]]:
    """Search at most `count` unlike fills of a gap, and judge each; yield the part that is done.

    They come in the order of the search, which ranks by cost, the best first. If no clips are tried, too,
    that is one of them: it and the best clips are the first two, as the judge ranks them. The file stays as
    it is. Fills in which a bone does not come to its point are left out. Raise InertiaError as
    :func:`search.search_fills_steps` does, and OutOfReach where that is so in all of them.
    """
    beside = settings.tries_without
    steps = search.search_fills_steps(armature, settings, weights, max(count - int(beside), 1))
    fills = yield from part(steps, 0.0, SEARCHED)
    if beside:
        fills = (fills[0], fills[0].without_clips, *fills[1:])
    character, found = read_character(armature), list[FillChoice]()
    refused: list[touches.OutOfReach] = []
    for i, each in enumerate(fills):
        begin, end = (SEARCHED + (1.0 - SEARCHED) * k / len(fills) for k in (i, i + 1))
        judging = bake.judge_choice_steps(character, each.settings, each)
        try:
            found.append((yield from part(judging, begin, end)))
        except touches.OutOfReach as error:
            # another fill may come nearer
            refused.append(error)
    if not found:
        raise refused[0]
    if beside:
        found[: search.JUDGED] = sorted(found[: search.JUDGED], key=lambda each: each.merit)
    return tuple(found)
