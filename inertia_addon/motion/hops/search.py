# SPDX-License-Identifier: GPL-3.0-or-later
"""One-hop transitions: the best way from one clip to another by way of a third, for every trigger frame.

Where two clips are too different to blend, a piece of another between them helps: wait in the source, blend
into a clip, stay there, blend into the destination, whose clock has been going since the trigger (Y. Koyama,
M. Goto, "Precomputed Optimal One-Hop Motion Transition for Responsive Character Animation", 2019). What is
least is the sum of the blends' distances and of a weight for each frame of waiting, over all clips, frames of
entry, stays and blend times. The optimum is exact, without a search: see :mod:`recurrence`. The direct
transition, at the trigger or after a wait, is one of the ways. What a frame of waiting costs, unless somebody
says, is found from what waiting is worth among the clips.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Sequence

import numpy as np

from ...errors import InertiaError
from ...records import record
from ..arrays import Array, Integers
from ..steps import Steps, part
from . import recurrence
from .recurrence import Costs, Exits, HopProblem, Leaving, Objective

BLOCK_TRIGGERS = 512
"""How many triggers are worked on at once where each has destination frames of its own."""
CONDITIONS = 100
"""How many triggers are looked at to find the weight of waiting."""


@record(frozen=True, eq=False)
class Table(recurrence.AlignedArrays):
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


def solve(problem: HopProblem, objective: Objective, triggers: tuple[int, int] | None = None) -> Steps[Table]:
    """Find the best transition for every trigger frame; yield progress from 0 to 1 and return the table.

    Parameters
    ----------
    problem
        From where to where, and over what.
    objective
        What is to be least.
    triggers
        (first, count) of the source's frames, one at least; None for all.

    Returns
    -------
    Table
        A row for each trigger, rising; ways with up to objective.hops hops count, those without
        any among them. Of ways that cost the same the one with no hop counts, then the first
        candidate's. A trigger without any way has infinite cost, -1 in clips, entries, stays
        and blends, and 0 in parts.
    """
    first, count = triggers or (0, problem.strips[problem.source].frames)
    size = BLOCK_TRIGGERS if problem.alongside else max(count, 1)
    tables = []
    for start in range(first, first + count, size):
        block = _HopSearch(problem, objective, start, min(size, first + count - start))
        for done in block.run():
            yield (start - first + block.count * done) / count
        tables.append(block.table)
    return _join_tables(tables)


def _join_tables(tables: list[Table]) -> Table:
    return Table(*map(np.concatenate, zip(*(table.arrays for table in tables), strict=True)))


def ranked(
    problem: HopProblem,
    objective: Objective,
    trigger: int,
    count: int,
    apart: int = 1,
    *,
    each_first: bool = False,
) -> Steps[Table]:
    """Find the best ways for one trigger that have a hop at least; yield progress from 0 to 1.

    Parameters
    ----------
    problem
        From where to where, and over what.
    objective
        What is to be least.
    trigger
        A frame of the source.
    count
        How many ways at most.
    apart
        Ways that enter the same clip first do so at least so many frames apart.
    each_first
        Keep the best way through each first clip, as far as `count` allows, before better
        ones through clips that have one.

    Returns
    -------
    Table
        What the steps return, the best way first, a row for each; none if there is no way.
    """
    search = _HopSearch(problem, objective, trigger, 1)
    search.most, search.apart = count, apart
    yield from search.run()
    if not search.kept:
        return search.table.chosen(slice(0, 0))
    whole = _join_tables(search.kept)
    # stable, so that of equal costs the one that was found first stays first
    order = np.argsort(whole.cost, kind="stable")[: int(np.isfinite(whole.cost).sum())]
    if each_first:
        _, firsts = np.unique(whole.clips[order, 0], return_index=True)
        # the best one through each clip goes before all others
        ranks = np.arange(len(order))
        ranks[firsts] -= len(order)
        order = order[np.sort(np.argsort(ranks, kind="stable")[:count])]
    return whole.chosen(order[:count])


def too_short(problem: HopProblem, objective: Objective, trigger: int) -> list[int]:
    """Return the clips that are too short for the shortest blends, so that no hop uses them.

    These are the source, if it ends before the first blend does; the destination, if it ends before the
    second does; and each clip between that has no room for both. Cycles are never too short.

    Parameters
    ----------
    problem
        From where to where, and over what.
    objective
        It has the blends.
    trigger
        A frame of the source.

    Returns
    -------
    list[int]
        Their numbers: those of the candidates first, then others.
    """
    blend = min(objective.blends)
    # a clip that is hopped through blends at both of its ends
    needed = dict.fromkeys(problem.candidates, 2 * blend)
    start = problem.start + (trigger if problem.alongside else 0)
    needed |= {problem.destination: start + 2 * blend, problem.source: trigger + blend}
    clips = [(clip, problem.strips[clip], frames) for clip, frames in needed.items()]
    return [clip for clip, strip, frames in clips if not strip.cyclic and strip.frames < frames]


@record(eq=False)
class _Level:
    """A clip's exits with so many hops to come at most, and G of their costs."""

    exits: Exits
    best: Costs


class _HopSearch:
    """The recurrence for triggers in a row. Source frames and clips' frames count from 0; a column counts
    from the destination's frame that goes with the first trigger. Where the destination runs alongside, a
    column goes with each frame of the source."""

    def __init__(self, problem: HopProblem, objective: Objective, first: int, count: int) -> None:
        self.problem, self.objective, self.first, self.count = problem, objective, first, count
        start = problem.start + (first if problem.alongside else 0)
        more = count - 1 if problem.alongside else 0
        self.columns = (start, objective.columns() + more)
        # the frames of the source that can be left
        self.rows = first, count + objective.longest_stay
        self.stays = np.arange(objective.longest_stay + 1)
        self.most, self.apart = 0, 1
        self.kept: list[Table] = []

    def run(self) -> Steps[None]:
        """Find the best transitions of all triggers and store them in self.table, in place of what was there;
        yield progress from 0 to 1.

        It yields 0 as long as the ways with fewer hops are worked out. If self.most is above 0, a table with
        the best ways of the first trigger through each candidate clip is appended to self.kept, in the
        candidates' order.
        """
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
                self._keep_best(clip, levels)
        yield 1.0

    def _level(self, clip: int, below: list[dict[int, _Level]]) -> Steps[_Level]:
        """Work out the exits of a clip, to the destination or into other clips with fewer hops to come, and
        their costs with waiting; yield 0 and return a level.

        Its `exits` are (columns, frames). The columns are those of this search; the frames are the clip's,
        from 0 to objective.reach behind its end; there the cost is infinite unless the clip is a cycle. A
        clip may be entered from itself, too. The last max(blends) columns only have exits straight to the
        destination. Of equal ways the direct one counts, then that through the first clip in `below`.

        Its `best`, of the same shape, has the least cost of leaving then or up to the longest stay later,
        with the weight of the waiting; see :func:`recurrence.waited`.

        clip: its number. below: for each lower number of hops, the fewest first, the levels by clip; only the
        last one is entered. [] gives exits straight to the destination.
        """
        rows = 0, self.problem.strips[clip].frames + self.objective.reach
        exits = recurrence.direct(self.problem, self.objective, clip, rows, self.columns)
        # a blend goes on for its length: one that began in the last columns would end beyond them
        columns = range(exits.cost.shape[0] - max(self.objective.blends))
        for other, level in below[-1].items() if below else ():
            steps = recurrence.enter(
                self.problem, self.objective, Leaving(clip, rows, other, columns), level.best
            )
            through = yield from part(steps, 0.0, 0.0)
            exits = exits.writeable()
            exits.chosen(slice(len(columns))).better(through)
        best = recurrence.waited(exits.cost, self.objective.longest_stay, self.objective.weight)
        return _Level(exits, best)

    def _direct(self) -> None:
        """Set self.table to a new one with the best transitions that have no hop, at the trigger or after
        waiting in the source.

        It has a row for each trigger, rising. Its `direct` is the cost without waiting, infinite if there is
        no such blend. Triggers without any such transition have infinite cost, and -1 as stays and blends.
        """
        exits = recurrence.direct(self.problem, self.objective, self.problem.source, self.rows, self.columns)
        if self.problem.alongside:
            each = np.arange(self.rows[1])[None]
            exits = exits.chosen((each, each))
        count, hops = self.count, self.objective.hops
        no_hop, no_blend = (np.full((count, size), -1) for size in (hops, hops + 1))
        self.table = Table(
            np.arange(self.first, self.first + count),
            np.full(count, np.inf),
            exits.cost[0, :count].astype(float),
            no_hop,
            no_hop.copy(),
            no_blend,
            no_blend.copy(),
            np.zeros((count, hops + 1)),
        )
        cost, stays = self._first_stay(exits.cost)
        at = np.flatnonzero(np.isfinite(cost))
        waits, frame = stays[at], at + stays[at]
        column = frame if self.problem.alongside else waits
        place = np.zeros_like(column) if self.problem.alongside else column, frame
        self._improve(at, _Way(exits, place, np.arange(len(at)), column, waits), [])

    def _first_stay(self, cost: Costs) -> tuple[Costs, Integers]:
        """Return for each trigger (triggers,) the least cost of leaving the source, with waiting, and the
        shortest wait that gives it, in frames.

        cost: of exits from the source, (columns, rows): trigger t leaves after a wait of k frames from cell
        [k, t + k]. Where the destination runs alongside the source it is (1, rows), and the cell is [0, t +
        k]. Each frame of waiting adds the objective's weight.
        """
        values = np.empty((len(self.stays), self.count), cost.dtype)
        for k in self.stays.tolist():
            row = cost[0 if self.problem.alongside else k]
            np.add(row[k : k + self.count], self.objective.weight * k, out=values[k])
        best = values.argmin(axis=0)
        return values[best, np.arange(self.count)], best

    def _through_clip(self, clip: int, levels: list[dict[int, _Level]]) -> Generator[int, None, None]:
        """Improve self.table, in place, by ways that enter a clip first; yield how many triggers were done
        each time.

        All triggers are done once for each blend. clip: its number. levels: the levels by number of hops, the
        fewest first; the last one has this clip. Only ways that cost less than those in the table replace
        them. For a destination that runs alongside the source there is :meth:`_alongside`.
        """
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
                triggers, stays, entries, parts = recurrence.best_sums(table, ahead, goal.weight, beat)
                entry = entries[None].astype(np.int32)
                exits = recurrence.exits(parts[None], parts[None], index, clip, entry)
                each = np.arange(len(triggers))
                way = _Way(exits, (np.zeros_like(each), each), each, stays, stays)
                self._improve(triggers + start, way, levels)
                yield count

    def _alongside(self, clip: int, levels: list[dict[int, _Level]]) -> Generator[int, None, None]:
        """Improve self.table, in place, by ways that enter a clip first, where the destination runs alongside
        the source.

        clip: its number. levels: the levels by number of hops, the fewest first; the last one has this clip.
        Yield how many rows of the source were done each time, all of them once for each blend. Only ways that
        cost less than those in the table replace them.
        """
        problem, best = self.problem, levels[-1][clip].best
        steps = recurrence.enter(problem, self.objective, Leaving(problem.source, self.rows, clip), best)
        exits = yield from steps
        cost, stays = self._first_stay(exits.cost)
        better = np.flatnonzero(cost < self.table.cost)
        frame = better + stays[better]
        way = _Way(exits, (np.zeros_like(frame), frame), np.arange(len(better)), frame, stays[better])
        self._improve(better, way, levels)

    def _improve(self, triggers: Integers, route: _Way, levels: list[dict[int, _Level]]) -> None:
        """Replace the transitions of some triggers in self.table by new ways, where these cost less.

        triggers: (n,), rows of the table. route: a way for each. levels: of the clips. Costs are compared in
        full precision, as the sums of their parts.
        """
        trial = self.table.chosen(triggers)
        self._follow(trial, route, levels)
        # what is compared is the cost as it is told: its parts, added up in full precision
        won = trial.cost < self.table.cost[triggers]
        for best, tried in zip(self.table.arrays, trial.arrays, strict=True):
            best[triggers[won]] = tried[won]

    def _follow(self, table: Table, first_way: _Way, levels: list[dict[int, _Level]]) -> None:
        """Write all hops of ways, with their stays, blends, parts and cost, into a table, in place, one way
        for each row.

        What a row does not reach is -1 for clips and entries, and 0 for stays, blends and parts. The cost is
        the sum of the parts and of what the stays cost. The table's triggers and direct costs stay.
        first_way: the first blend of each way. levels: the levels by number of hops, the fewest first, from
        which the ways go on, the last one first.
        """
        table.clips[:], table.entries[:], table.parts[:] = -1, -1, 0.0
        table.stays[:], table.blends[:] = 0, 0
        ways, step = [first_way], 0
        while ways:
            # each hop splits the ways by the clip that it enters
            ways = [
                following for first_way in ways for following in self._step(table, first_way, levels, step)
            ]
            step += 1
        waiting = np.maximum(table.stays, 0).sum(axis=1)
        table.cost[:] = table.parts.sum(axis=1) + self.objective.weight * waiting

    def _step(
        self, table: Table, route: _Way, levels: list[dict[int, _Level]], step: int
    ) -> Generator[_Way, None, None]:
        """Write the blend number `step` of ways, and the clip that it enters, into a table, in place; yield
        the ways that go on from there.

        step: 0 for the blend out of the source. The wait before the blend, its length and its part of the
        cost are written too, into the rows `route.who`. Yielded is one way for each clip that is entered,
        with the best wait there, on the level that has `step` hops fewer than the last one. Ways that reach
        the destination enter no clip, and end.
        """
        blend = np.asarray(self.objective.blends)[route.exits.blend[route.place]]
        table.stays[route.who, step] = route.waits
        table.blends[route.who, step] = blend
        table.parts[route.who, step] = route.exits.part[route.place]
        clip, entry = route.exits.clip[route.place], route.exits.entry[route.place]
        for number in np.unique(clip[clip >= 0]).tolist():
            mine = clip == number
            table.clips[route.who[mine], step] = number
            table.entries[route.who[mine], step] = entry[mine]
            exits = levels[len(levels) - 1 - step][number].exits
            j, h = (route.column + blend)[mine], (entry + blend)[mine]
            wait = recurrence.stay(exits.cost, j, h, self.objective)
            yield _Way(exits, (j + wait, h + wait), route.who[mine], j + wait, wait)

    def _keep_best(self, clip: int, levels: list[dict[int, _Level]]) -> None:
        """Append a table to self.kept with the best ways of the first trigger through a clip, cheapest first.

        For each frame at which the clip may be entered there is one way, with the best wait in the source
        before, up to the longest stay; the wait's weight is part of the cost. Ways are taken by rising cost,
        of equal ones the earlier frame first, if their frame is at least self.apart from those of all taken
        before, and until there are self.most. Those without finite cost are left out, so that the table may
        be empty. self.table is not changed.

        clip: its number. levels: the levels by number of hops, the fewest first; the last one has this clip.
        """
        problem, best = self.problem, levels[-1][clip].best
        exits = recurrence.entries(problem, self.objective, problem.source, self.rows, clip, best)
        exits.cost += (self.objective.weight * self.stays[:, None]).astype(exits.cost.dtype)
        # of each frame of entry the best wait
        waits = exits.cost.argmin(axis=0)
        costs = exits.cost[waits, np.arange(exits.cost.shape[1])]
        entries: list[int] = []
        for h in np.argsort(costs, kind="stable").tolist():
            if len(entries) == self.most or not np.isfinite(costs[h]):
                break
            if all(abs(h - other) >= self.apart for other in entries):
                entries.append(h)
        chosen = np.array(entries, int)
        table = self.table.chosen(np.zeros(len(chosen), int))
        way = _Way(exits, (waits[chosen], chosen), np.arange(len(chosen)), waits[chosen], waits[chosen])
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


def automatic_weight(problems: Sequence[HopProblem], objective: Objective, seed: int = 1) -> Steps[float]:
    """Find what a frame of waiting should cost; yield progress from 0 to 1 and return it.

    By the procedure of Koyama and Goto (2019): for 100 conditions (problem and trigger) drawn at random, the
    best costs with no stay and with free stays are compared; conditions without any way are left out. The
    weight is the difference of their means over twice the longest stay.

    Parameters
    ----------
    problems
        At least one, to draw from.
    objective
        Its weight is ignored.
    seed
        Of the draws.

    Returns
    -------
    float
        0 or more; 0 if objective.longest_stay is 0.

    Raises
    ------
    InertiaError
        No condition has any way.
    """
    if objective.longest_stay == 0:
        return 0.0
    free = dataclasses.replace(objective, weight=0.0)
    at_once = dataclasses.replace(free, longest_stay=0)
    drawn = _conditions(problems, seed)
    before: list[Array] = []
    after: list[Array] = []
    for done, (number, triggers) in enumerate(drawn.items()):
        problem = problems[number]
        frames = problem.strips[problem.source].frames
        for goal, costs in ((at_once, before), (free, after)):
            # each trigger by itself needs the frames of its stays, and of all clips those behind it: together
            # they are had for less
            whole = len(triggers) * (goal.longest_stay + goal.columns()) > frames
            spans = [(0, frames)] if whole else [(trigger, 1) for trigger in triggers]
            tables = []
            for span in spans:
                table = yield from part(solve(problem, goal, span), done / len(drawn), done / len(drawn))
                tables.append(table.cost)
            cost = np.concatenate(tables)
            costs.append(cost[triggers] if whole else cost)
    without, with_stays = np.concatenate(before), np.concatenate(after)
    # of real ways alone, as infinity has no mean
    has_ways = np.isfinite(without) & np.isfinite(with_stays)
    if not has_ways.any():
        raise InertiaError(
            "No clip leads from the source to the destination, as they are too short for the blend time; "
            "choose longer clips or a shorter blend time, or mark clips that are cycles (--cycles)."
        )
    gain = float(without[has_ways].mean() - with_stays[has_ways].mean())
    return max(gain, 0.0) / (2.0 * objective.longest_stay)


def _conditions(problems: Sequence[HopProblem], seed: int) -> dict[int, list[int]]:
    """Return 100 triggers drawn at random, in lists by the index of the problem that each is for.

    seed: the same one draws the same triggers. A trigger may occur several times.
    """
    random = np.random.default_rng(seed)
    drawn: dict[int, list[int]] = {}
    for _ in range(CONDITIONS):
        number = int(random.integers(len(problems)))
        problem = problems[number]
        drawn.setdefault(number, []).append(int(random.integers(problem.strips[problem.source].frames)))
    return drawn
