# SPDX-License-Identifier: GPL-3.0-or-later
"""Small problems whose distances are made up, and their solution by trying everything."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator

import numpy as np

from inertia_addon.motion.hops.recurrence import ClipStrip, HopProblem, Objective
from inertia_addon.motion.hops.search import Table

Tables = dict[tuple[int, int, int], np.ndarray]


def made_up(
    chance: np.random.Generator, *, whole: bool, hops: int = 1
) -> tuple[HopProblem, Objective, Tables]:
    """A random problem. whole: distances and the weight are small whole numbers, so that sums are exact."""
    candidates = int(chance.integers(0, 4 if hops == 1 else 3))
    largest = 8 if hops == 1 else 5
    strips = tuple(
        ClipStrip(int(chance.integers(1, largest)), bool(chance.random() < 0.4))
        for _ in range(candidates + 2)
    )
    blends = tuple(sorted(chance.choice([1, 2, 3, 5], int(chance.integers(1, 3)), replace=False).tolist()))
    tables: Tables = {}
    for a, first in enumerate(strips):
        for b, second in enumerate(strips):
            for blend in blends:
                shape = first.frames, second.frames
                table = chance.integers(0, 12, shape) if whole else chance.random(shape)
                table = table.astype(np.float32)
                for axis, strip in enumerate((first, second)):
                    if not strip.cyclic:
                        table = np.where(_past(strip.frames, blend, axis), np.float32(np.inf), table)
                tables[a, b, blend] = table
    weight = float(chance.integers(0, 4)) if whole else float(chance.random() * 0.3)
    longest = int(chance.integers(0, 5 if hops == 1 else 3))
    start = int(chance.integers(-1, 3))

    def distances(a: int, b: int, blend: int, rows: slice, columns: slice) -> np.ndarray:
        return tables[a, b, blend][rows, columns]

    ends = candidates, candidates + 1
    # by default the source and the destination are among the clips to go through
    through = (*range(candidates), *(ends if chance.random() < 0.5 else ()))
    problem = HopProblem(strips, distances, *ends, through, start, chance.random() < 0.4)
    return problem, Objective(longest, weight, blends, hops), tables


def _past(frames: int, blend: int, axis: int) -> np.ndarray:
    """Which frames begin a blend that runs over a clip's end, along an axis of a table."""
    past = np.arange(frames) + blend > frames
    return past[:, None] if axis == 0 else past[None, :]


@dataclasses.dataclass(frozen=True)
class Step:
    stay: int
    blend: int
    part: float
    clip: int = -1
    entry: int = -1


def distance(problem: HopProblem, tables: Tables, a: int, i: int, b: int, j: int, blend: int) -> float:
    """The distance of one blend; infinity outside of the clips."""
    at = []
    for strip, frame in ((problem.strips[a], i), (problem.strips[b], j)):
        if strip.cyclic:
            frame %= strip.frames
        elif not 0 <= frame < strip.frames:
            return math.inf
        at.append(frame)
    return float(tables[a, b, blend][at[0], at[1]])


def every_way(
    problem: HopProblem, objective: Objective, tables: Tables, clip: int, frame: int, column: int, hops: int
) -> Iterator[tuple[float, list[Step]]]:
    """All ways on from a frame of a clip, with what they cost. column: the destination's frame beside it."""
    for stay in range(objective.longest_stay + 1):
        i, j = frame + stay, column + stay
        for blend in objective.blends:
            part = distance(problem, tables, clip, i, problem.destination, j, blend)
            yield part + objective.weight * stay, [Step(stay, blend, part)]
            for other in problem.candidates if hops else ():
                for entry in range(problem.strips[other].frames):
                    part = distance(problem, tables, clip, i, other, entry, blend)
                    if not math.isfinite(part):
                        continue
                    step = Step(stay, blend, part, other, entry)
                    following = every_way(
                        problem, objective, tables, other, entry + blend, j + blend, hops - 1
                    )
                    for cost, steps in following:
                        yield part + objective.weight * stay + cost, [step, *steps]


def brute_force(problem: HopProblem, objective: Objective, tables: Tables, trigger: int) -> float:
    """The least cost of all ways."""
    column = problem.start + (trigger if problem.alongside else 0)
    ways = every_way(problem, objective, tables, problem.source, trigger, column, objective.hops)
    return min(cost for cost, _ in ways)


def cost_of(problem: HopProblem, objective: Objective, tables: Tables, table: Table, row: int) -> float:
    """What the way that a table tells of costs, added up from the distances themselves."""
    clip, frame = problem.source, int(table.triggers[row])
    column = problem.start + (frame if problem.alongside else 0)
    total = 0.0
    for step in range(objective.hops + 1):
        stay, blend = int(table.stays[row, step]), int(table.blends[row, step])
        assert 0 <= stay <= objective.longest_stay
        assert blend in objective.blends
        frame, column = frame + stay, column + stay
        into = int(table.clips[row, step]) if step < objective.hops else -1
        there, entry = (problem.destination, column) if into < 0 else (into, int(table.entries[row, step]))
        part = distance(problem, tables, clip, frame, there, entry, blend)
        assert part == table.parts[row, step]
        total += part + objective.weight * stay
        if into < 0:
            break
        clip, frame, column = into, entry + blend, column + blend
    return total
