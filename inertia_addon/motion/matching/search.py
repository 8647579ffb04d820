# SPDX-License-Identifier: GPL-3.0-or-later
"""The way through a set of clips that follows a target best: a beam search that looks ahead.

Games search greedily, whenever a tenth of a second has passed, for the frame that is nearest to what they
want next (S. Clavet, "Motion Matching and The Road to Next-Gen Animation", 2016). Who knows the whole path in
advance can follow many hypotheses, each with its true place in the world, so that drift is seen and paid for:
a dynamic program over frames alone can't see it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Generator

import numpy as np

from ...records import record
from ..arrays import Array, Flags, Integers
from . import targets, ways
from .database import Database
from .features import Features, Index
from .moves import Moves, Options, Rows, SearchSettings
from .targets import Target, Timed
from .ways import Join, Way

SLOWEST, PATIENCE = 0.3, 5.0
"""A line without a timing is given up after the time that so many metres a second for a person take, and so
many seconds more."""
STUCK = 10.0
"""It is given up, too, where nothing has come further along it for so many seconds."""


@record(eq=False)
class Tree:
    """All hypotheses that were followed: each one's parent, its frame of the result, whether it jumped there,
    to which flat frame, and how the clip's ground is moved; and metres along a line where it did."""

    nodes: list[tuple[int, int, bool, int, float, float, float, float]] = dataclasses.field(
        default_factory=list
    )

    def grown(self, rows: Rows, frame: int, jumped: Flags, entered: Integers, gone: Array) -> Rows:
        """Rows as new nodes, that have done so at a frame, so many metres (rows,) along a line; their angles
        and places are those of then on."""
        first = len(self.nodes)
        columns = (rows.node, jumped, entered, rows.angle, rows.place[:, 0], rows.place[:, 1], gone)
        for parent, jump, flat, angle, x, y, progress in zip(*(c.tolist() for c in columns), strict=True):
            self.nodes.append((parent, frame, jump, flat, angle, x, y, progress))
        return dataclasses.replace(rows, node=np.arange(first, len(self.nodes)))

    def joins(self, node: int, step: int) -> list[Join]:
        """The joins that lead to a node."""
        line = []
        while node >= 0:
            line.append(self.nodes[node])
            node = self.nodes[node][0]
        line.reverse()
        found: list[Join] = []
        for _, frame, jumped, flat, angle, x, y, progress in line:
            if not found:
                found.append(Join(frame, -1, flat, angle, (x, y), progress))
            elif jumped:
                left = found[-1].entered + frame - found[-1].frame
                found.append(Join(frame, left, flat, angle, (x, y), progress))
        return found


def steps(
    database: Database, features: Features, target: Target, how: SearchSettings | None = None
) -> Generator[float, None, Way]:
    """Search the way along a target; yields the part that is done, 0 to 1.

    Raises InertiaError where no clip may be played, or a pin names no frame of the set.
    """
    how = how or SearchSettings()
    moves, tree = Moves(database, features, target, how), Tree()
    rows = moves.beginnings()
    rows = tree.grown(rows, 0, np.zeros(len(rows.frame), bool), rows.frame, rows.progress)
    most = _most_frames(moves)
    best: tuple[float, int, int] | None = None
    frame = furthest = 0
    far = 0.0
    while len(rows.frame) and frame < most and not _settled(moves, rows, best):
        options = moves.options(rows, frame, how.jumps)
        which = kept(moves, options)
        before = rows.progress[options.parent[which]]
        rows = tree.grown(
            options.rows.at(which), frame, options.jumped[which], options.entered[which], before
        )
        frame += moves.step
        over = target.is_over(frame, rows.progress, moves.speed[rows.frame])
        for i in np.flatnonzero(over).tolist():
            if best is None or rows.cost[i] < best[0] - 1e-9:
                best = (float(rows.cost[i]), int(rows.node[i]), frame)
        yield _done(moves, rows, frame)
        if float(rows.progress.max()) > far:
            furthest, far = frame, float(rows.progress.max())
        is_stuck = not isinstance(target, Timed) and frame - furthest > STUCK * database.fps
        if best is None and (frame >= most or is_stuck):
            break
        rows = rows.at(~over)
    reached = best is not None
    if best is None:
        i = int(np.argmin(np.round(rows.cost, 9)))
        best = (float(rows.cost[i]), int(rows.node[i]), frame)
    frames = target.frames if isinstance(target, Timed) else best[2] + 1
    return ways.assembled(database, tree.joins(best[1], moves.step), frames, best[0], reached)


def kept(moves: Moves, options: Options) -> Integers:
    """Which options are followed: the best, but one only of those that are in the same place of a clip."""
    how, rows = moves.how, options.rows
    score = np.round(options.score, 9)
    order = np.lexsort((rows.frame, options.parent, options.jumped, score))
    if how.cell == 0.0:
        return np.asarray(order[: how.width])
    ground = moves.world(rows, np.zeros(1, np.int64))[0][:, 0]
    cells = np.floor(ground / (how.cell * moves.database.size)).astype(np.int64)
    near = rows.frame // max(1, round(how.same * moves.database.fps))
    keys = list(zip(near.tolist(), *cells.T.tolist(), rows.pinned.tolist(), strict=True))
    taken: list[int] = []
    seen: set[tuple[int, ...]] = set()
    for i in order.tolist():
        if keys[i] not in seen:
            seen.add(keys[i])
            taken.append(i)
            if len(taken) == how.width:
                break
    return np.array(taken)


def _most_frames(moves: Moves) -> int:
    """After so many frames a search ends."""
    target, base = moves.target, moves.database
    if isinstance(target, Timed):
        return target.frames + moves.step
    return round((target.line.length / (SLOWEST * base.size) + PATIENCE) * base.fps)


def _settled(moves: Moves, rows: Rows, best: tuple[float, int, int] | None) -> bool:
    """Whether none that is on its way can be better than the best that has arrived."""
    if best is None or isinstance(moves.target, Timed):
        return False
    left = moves.target.line.length - rows.progress
    return bool(np.min(rows.cost - moves.target.reward * left) >= best[0] - 1e-9)


def _done(moves: Moves, rows: Rows, frame: int) -> float:
    """Which part of a search is done."""
    target = moves.target
    if isinstance(target, Timed):
        return min(1.0, frame / target.frames)
    return min(1.0, float(rows.progress.max()) / target.line.length) if len(rows.progress) else 1.0


# --- the search of games: it sees a second of the path, and never what it has cost so far

AROUND, REST = 1.0 / 3.0, 1.0 / 3.0
"""Seconds around the present frame that are no destination, and that a clip has to go on for: 20 frames of
60."""


def greedy(database: Database, features: Features, target: Timed, how: SearchSettings | None = None) -> Way:
    """The way that a game's search goes along a target, as a reference.

    Every tenth of a second the frame nearest to the pose and the wanted trajectory takes over, unless it is
    near to the present one or that is nearer itself; as in D. Holden's controller
    (orangeduck/Motion-Matching).
    """
    how = how or SearchSettings()
    moves = Moves(database, features, target, how)
    index = Index.of_entries(database, features, 1, REST)
    rows = moves.beginnings()
    rows = rows.at(np.zeros(1, np.int64))
    joins = [_join(rows, 0, -1)]
    for frame in range(0, target.frames, moves.step):
        found = _game_jump(moves, index, rows, frame)
        if found is not None:
            left = int(rows.frame[0])
            rows = _jumped(moves, rows, np.array([found]))
            joins.append(_join(rows, frame, left))
        rows = dataclasses.replace(rows, frame=rows.frame + moves.step)
    return ways.assembled(database, joins, target.frames, 0.0)


def _jumped(moves: Moves, rows: Rows, entered: Integers) -> Rows:
    """Rows that have jumped to frames, and stand and face as they did."""
    angle, place = moves.placed(rows, entered)
    return dataclasses.replace(rows, frame=entered, angle=angle, place=place)


def _join(rows: Rows, frame: int, left: int) -> Join:
    x, y = rows.place[0].tolist()
    return Join(frame, left, int(rows.frame[0]), float(rows.angle[0]), (x, y))


def _game_jump(moves: Moves, index: Index, rows: Rows, frame: int) -> int | None:
    """The frame to jump to, None to go on."""
    features, target = moves.features, moves.target
    ground, heading = (a[:, 0] for a in moves.world(rows, np.zeros(1, np.int64)))
    pace = np.zeros((1, len(features.later)))
    points, facing = target.wanted(frame, features.later, rows.progress, pace)
    asked = features.queries(rows.frame, *targets.seen_from(ground, heading, points, facing))
    reach = round(AROUND * moves.database.fps)
    place = int(index.nearest(asked, 1, rows.frame, reach)[0, 0])
    if place < 0:
        return None
    goes_on = int(moves.database.last(rows.frame)[0] - rows.frame[0]) >= moves.step
    own, other = (
        float(np.round(np.sum((values.astype(float) - asked[0]) ** 2), 6))
        for values in (features.values[rows.frame[0]], features.values[index.frames[place]])
    )
    return None if goes_on and own <= other else int(index.frames[place])
