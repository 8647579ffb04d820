# SPDX-License-Identifier: GPL-3.0-or-later
"""What a frame of waiting costs, unless somebody says: found from what waiting is worth among the clips."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Sequence

import numpy as np

from ...errors import InertiaError
from ..arrays import Array
from ..steps import part
from . import search as hop
from .search import Objective, Problem

CONDITIONS = 100
"""How many triggers are looked at."""


def automatic(
    problems: Sequence[Problem], objective: Objective, seed: int = 1
) -> Generator[float, None, float]:
    """The weight of a frame of waiting, by the procedure of Koyama and Goto (2019).

    Of 100 conditions, triggers drawn from all problems, the best costs without any stay and those with free
    stays are found: the weight is the difference of their means over twice the longest stay. objective: its
    own weight says nothing. seed: the same one draws the same conditions. Yields the part that is done.
    Raises InertiaError where no condition has a way.
    """
    if objective.longest_stay == 0:
        return 0.0
    free = dataclasses.replace(objective, weight=0.0)
    at_once = dataclasses.replace(free, longest_stay=0)
    drawn = _conditions(problems, seed)
    before: list[Array] = []
    after: list[Array] = []
    for done, (number, triggers) in enumerate(drawn.items()):
        for goal, costs in ((at_once, before), (free, after)):
            problem = problems[number]
            frames = problem.strips[problem.source].frames
            # each trigger by itself needs the frames of its stays, and of all clips those behind it: together
            # they are had for less
            whole = len(triggers) * (goal.longest_stay + goal.columns()) > frames
            spans = [(0, frames)] if whole else [(trigger, 1) for trigger in triggers]
            tables = []
            for span in spans:
                table = yield from part(hop.solve(problem, goal, span), done / len(drawn), done / len(drawn))
                tables.append(table.cost)
            cost = np.concatenate(tables)
            costs.append(cost[triggers] if whole else cost)
    without, with_stays = np.concatenate(before), np.concatenate(after)
    known = np.isfinite(without) & np.isfinite(with_stays)
    if not known.any():
        raise InertiaError(
            "No clip leads from the source to the destination, as they are too short for the blend time; "
            "choose longer clips or a shorter blend time, or mark clips that are cycles (--cycles)."
        )
    gain = float(without[known].mean() - with_stays[known].mean())
    return max(gain, 0.0) / (2.0 * objective.longest_stay)


def _conditions(problems: Sequence[Problem], seed: int) -> dict[int, list[int]]:
    """The triggers that are drawn, by the problems' numbers."""
    chance = np.random.default_rng(seed)
    found: dict[int, list[int]] = {}
    for _ in range(CONDITIONS):
        number = int(chance.integers(len(problems)))
        problem = problems[number]
        found.setdefault(number, []).append(int(chance.integers(problem.strips[problem.source].frames)))
    return found
