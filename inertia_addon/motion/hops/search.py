# SPDX-License-Identifier: GPL-3.0-or-later
"""One-hop transitions: the best way from one clip to another by way of a third, for every trigger frame.

Where two clips are too different to blend, a piece of another between them helps: wait in the source, blend
into a clip, stay there, blend into the destination, whose clock has been going since the trigger (Y. Koyama,
M. Goto, "Precomputed Optimal One-Hop Motion Transition for Responsive Character Animation", 2019). What is
least is the sum of the blends' distances and of a weight for each frame of waiting, over all clips, frames of
entry, stays and blend times. The optimum is exact, without a search: see :mod:`hop_recurrence`. The direct
transition, at the trigger or after a wait, is one of the ways.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Generator
from typing import Any

import numpy as np

from ...records import record
from ..arrays import Array, Integers
from ..steps import part
from . import recurrence
from .pruning import best_sums
from .recurrence import Costs, Exits, Objective, Problem, Strip

__all__ = ["Objective", "Problem", "Strip", "Table", "ranked", "solve"]

BLOCK_TRIGGERS = 512
"""How many triggers are worked on at once where each has destination frames of its own."""


@record(frozen=True, eq=False)
class Table:
    """The best transition for each of some triggers.

    triggers: (n,) frames of the source. cost: (n,), infinity where there is no way. direct: (n,) the cost of
    the best blend straight into the destination at the trigger. clips, entries: (n, hops) which clips, by
    their numbers in the problem, and at which of their frames they are entered, that is where the blend into
    them begins; -1 where there is no such hop. stays: (n, hops + 1) frames of waiting in the source, then in
    each clip. blends: (n, hops + 1) frames of each blend. parts: (n, hops + 1) the distance of each blend. 0
    stands behind the last hop, and -1 where there is no way at all.
    """

    triggers: Integers
    cost: Array
    direct: Array
    clips: Integers
    entries: Integers
    stays: Integers
    blends: Integers
    parts: Array

    def chosen(self, indices: Any) -> Table:
        """Some of the triggers."""
        return Table(*(getattr(self, field.name)[indices] for field in dataclasses.fields(self)))


def solve(
    problem: Problem, objective: Objective, triggers: tuple[int, int] | None = None
) -> Generator[float, None, Table]:
    """Find the best transition for every trigger frame; yields the part that is done, 0 to 1.

    triggers: (first, count), None for all frames of the source.
    """
    first, count = triggers or (0, problem.strips[problem.source].frames)
    size = BLOCK_TRIGGERS if problem.alongside else max(count, 1)
    tables = []
    for start in range(first, first + count, size):
        block = _Search(problem, objective, start, min(size, first + count - start))
        for done in block.run():
            yield (start - first + block.count * done) / count
        tables.append(block.table)
    return _joined(tables)


def _joined(tables: list[Table]) -> Table:
    return Table(*(np.concatenate([getattr(t, f.name) for t in tables]) for f in dataclasses.fields(Table)))


def ranked(
    problem: Problem, objective: Objective, trigger: int, count: int, apart: int = 1, each: bool = False
) -> Generator[float, None, Table]:
    """The best ways for one trigger, the best first, the direct one left out; yields the part that is done.

    apart: of ways through the same clip the entries differ by at least so many frames. The best way on is
    taken from each entry. each: whether the best way through each first clip is among them, as far as there
    is room, though many through another one be better.
    """
    search = _Search(problem, objective, trigger, 1)
    search.most, search.apart = count, apart
    yield from search.run()
    if not search.kept:
        return search.table.chosen(slice(0, 0))
    whole = _joined(search.kept)
    order = np.argsort(whole.cost, kind="stable")[: int(np.isfinite(whole.cost).sum())]
    if each:
        _, firsts = np.unique(whole.clips[order, 0], return_index=True)
        ranks = np.arange(len(order))
        ranks[firsts] -= len(order)
        order = order[np.sort(np.argsort(ranks, kind="stable")[:count])]
    return whole.chosen(order[:count])


def too_short(problem: Problem, objective: Objective, trigger: int) -> list[int]:
    """The clips, no cycles, over whose end even the shortest blends run, so that no hop leads there.

    That is the source where it ends before the first blend does, the destination where it ends before the
    second does, and each clip between that has no room for both.
    """
    blend = min(objective.blends)
    needed = dict.fromkeys(problem.candidates, 2 * blend)
    start = problem.start + (trigger if problem.alongside else 0)
    needed |= {problem.destination: start + 2 * blend, problem.source: trigger + blend}
    strips = problem.strips
    return [
        clip for clip, frames in needed.items() if not strips[clip].cyclic and strips[clip].frames < frames
    ]


@record(eq=False)
class _Level:
    """A clip's exits with so many hops to come at most, and G of their costs."""

    exits: Exits
    best: Costs


class _Search:
    """The recurrence for triggers in a row.

    Source frames and clips' frames count from 0; a column counts from the destination's frame that goes with
    the first trigger. Where the destination runs alongside, a column goes with each frame of the source.
    """

    def __init__(self, problem: Problem, objective: Objective, first: int, count: int) -> None:
        self.problem, self.objective, self.first, self.count = problem, objective, first, count
        start = problem.start + (first if problem.alongside else 0)
        more = count - 1 if problem.alongside else 0
        self.columns = (start, objective.columns() + more)
        self.stays = np.arange(objective.longest_stay + 1)
        self.most, self.apart = 0, 1
        self.kept: list[Table] = []

    def run(self) -> Generator[float, None, None]:
        """Find the table; yields the part done."""
        problem, hops = self.problem, self.objective.hops
        below: list[dict[int, _Level]] = []
        for _ in range(hops - 1):
            level = {}
            for clip in problem.candidates:
                level[clip] = yield from self._level(clip, below)
                yield 0.0
            below.append(level)
        self._direct()
        total = max(len(problem.candidates) * self.count * len(self.objective.blends), 1)
        done = 0
        for clip in problem.candidates:
            last = yield from self._level(clip, below)
            levels = [*below, {clip: last}]
            way = self._alongside if problem.alongside else self._through_clip
            for count in way(clip, levels):
                done += count
                yield min(done / total, 1.0)
            if self.most:
                self._keep(clip, levels)
        yield 1.0

    def _rows(self) -> tuple[int, int]:
        """The frames of the source that can be left."""
        return self.first, self.count + self.objective.longest_stay

    def _level(self, clip: int, below: list[dict[int, _Level]]) -> Generator[float, None, _Level]:
        """Leaving a clip straight for the destination, or else for the others by one hop less."""
        rows = 0, self.problem.strips[clip].frames + self.objective.reach
        found = recurrence.direct(self.problem, self.objective, clip, rows, self.columns)
        columns = range(found.cost.shape[0] - max(self.objective.blends))
        for other, level in below[-1].items() if below else ():
            work = recurrence.enter(self.problem, self.objective, clip, rows, other, level.best, columns)
            made = yield from part(work, 0.0, 0.0)
            found = found.own()
            found.chosen(slice(len(columns))).better(made)
        best = recurrence.waited(found.cost, self.objective.longest_stay, self.objective.weight)
        return _Level(found, best)

    def _direct(self) -> None:
        """Begin with the best transitions without a hop."""
        made = recurrence.direct(
            self.problem, self.objective, self.problem.source, self._rows(), self.columns
        )
        if self.problem.alongside:
            each = np.arange(self._rows()[1])[None]
            made = made.chosen((each, each))
        count, hops = self.count, self.objective.hops
        self.table = Table(
            np.arange(self.first, self.first + count),
            np.full(count, np.inf),
            made.cost[0, :count].astype(float),
            np.full((count, hops), -1),
            np.full((count, hops), -1),
            np.full((count, hops + 1), -1),
            np.full((count, hops + 1), -1),
            np.zeros((count, hops + 1)),
        )
        cost, stays = self._first_stay(made.cost)
        at = np.flatnonzero(np.isfinite(cost))
        waits, frame = stays[at], at + stays[at]
        column = frame if self.problem.alongside else waits
        place = np.zeros_like(column) if self.problem.alongside else column, frame
        self._improve(at, _Way(made, place, np.arange(len(at)), column, waits), [])

    def _first_stay(self, cost: Costs) -> tuple[Costs, Integers]:
        """The best cost (triggers,) over the stays in the source, and the shortest of the best."""
        values = np.empty((len(self.stays), self.count), cost.dtype)
        for k in self.stays.tolist():
            row = cost[0 if self.problem.alongside else k]
            np.add(row[k : k + self.count], self.objective.weight * k, out=values[k])
        best = values.argmin(axis=0)
        return values[best, np.arange(self.count)], best

    def _through_clip(self, clip: int, levels: list[dict[int, _Level]]) -> Generator[int, None, None]:
        """Go through a clip for the triggers for which that is best; yields how many are done."""
        problem, goal = self.problem, self.objective
        frames, best = problem.strips[clip].frames, levels[-1][clip].best
        size = max(goal.longest_stay, recurrence.TABLE_CELLS // frames - goal.longest_stay, 1)
        for index, blend in enumerate(goal.blends):
            ahead = np.ascontiguousarray(best[blend : blend + len(self.stays), blend : blend + frames])
            for start in range(0, self.count, size):
                count = min(size, self.count - start)
                rows = self.first + start, count + goal.longest_stay
                table = recurrence.stitched(problem, problem.source, rows, clip, (0, frames), blend)
                beat = self.table.cost[start : start + count]
                found = best_sums(table, ahead, goal.weight, beat)
                made = recurrence.exits(
                    found.parts[None], found.parts[None], index, clip, found.frames[None].astype(np.int32)
                )
                each = np.arange(len(found.triggers))
                way = _Way(made, (np.zeros_like(each), each), each, found.stays, found.stays)
                self._improve(found.triggers + start, way, levels)
                yield count

    def _alongside(self, clip: int, levels: list[dict[int, _Level]]) -> Generator[int, None, None]:
        """Likewise where each trigger has destination frames of its own."""
        best = levels[-1][clip].best
        made = yield from recurrence.enter(
            self.problem, self.objective, self.problem.source, self._rows(), clip, best, None
        )
        cost, stays = self._first_stay(made.cost)
        better = np.flatnonzero(cost < self.table.cost)
        frame = better + stays[better]
        way = _Way(made, (np.zeros_like(frame), frame), np.arange(len(better)), frame, stays[better])
        self._improve(better, way, levels)

    def _improve(self, triggers: Integers, way: _Way, levels: list[dict[int, _Level]]) -> None:
        """Take ways for some triggers, wherever they are better indeed."""
        trial = self.table.chosen(triggers)
        self._follow(trial, way, levels)
        # what is compared is the cost as it is told: its parts, added up in full precision
        won = trial.cost < self.table.cost[triggers]
        for field in dataclasses.fields(Table):
            getattr(self.table, field.name)[triggers[won]] = getattr(trial, field.name)[won]

    def _follow(self, table: Table, way: _Way, levels: list[dict[int, _Level]]) -> None:
        """Write down where ways lead, one for each row of a table."""
        table.clips[:], table.entries[:], table.parts[:] = -1, -1, 0.0
        table.stays[:], table.blends[:] = 0, 0
        ways, step = [way], 0
        while ways:
            ways = [more for one in ways for more in self._step(table, one, levels, step)]
            step += 1
        waiting = np.maximum(table.stays, 0).sum(axis=1)
        table.cost[:] = table.parts.sum(axis=1) + self.objective.weight * waiting

    def _step(
        self, table: Table, way: _Way, levels: list[dict[int, _Level]], step: int
    ) -> Generator[_Way, None, None]:
        """Write down one blend of ways, and give those that go on, by clips."""
        blend = np.asarray(self.objective.blends)[way.exits.blend[way.place]]
        table.stays[way.who, step] = way.waits
        table.blends[way.who, step] = blend
        table.parts[way.who, step] = way.exits.part[way.place]
        clip, entry = way.exits.clip[way.place], way.exits.entry[way.place]
        for number in np.unique(clip[clip >= 0]).tolist():
            mine = clip == number
            table.clips[way.who[mine], step] = number
            table.entries[way.who[mine], step] = entry[mine]
            exits = levels[len(levels) - 1 - step][number].exits
            j, h = (way.column + blend)[mine], (entry + blend)[mine]
            wait = recurrence.stay(exits.cost, j, h, self.objective)
            yield _Way(exits, (j + wait, h + wait), way.who[mine], j + wait, wait)

    def _keep(self, clip: int, levels: list[dict[int, _Level]]) -> None:
        """The best ways of the one trigger through a clip, by entries that are apart."""
        made = recurrence.entries(
            self.problem, self.objective, self.problem.source, self._rows(), clip, levels[-1][clip].best
        )
        made.cost += (self.objective.weight * self.stays[:, None]).astype(made.cost.dtype)
        waits = made.cost.argmin(axis=0)
        costs = made.cost[waits, np.arange(made.cost.shape[1])]
        entries: list[int] = []
        for h in np.argsort(costs, kind="stable").tolist():
            if len(entries) == self.most or not np.isfinite(costs[h]):
                break
            if all(abs(h - other) >= self.apart for other in entries):
                entries.append(h)
        chosen = np.array(entries, int)
        table = self.table.chosen(np.zeros(len(chosen), int))
        way = _Way(made, (waits[chosen], chosen), np.arange(len(chosen)), waits[chosen], waits[chosen])
        self._follow(table, way, levels)
        self.kept.append(table)


@record(frozen=True, eq=False)
class _Way:
    """Some of the ways, on their next step: the exits they take, and where in these; the rows of ``who`` they
    are; the column at which the blend begins, and how long they wait for it."""

    exits: Exits
    place: tuple[Integers, Integers]
    who: Integers
    column: Integers
    waits: Integers
