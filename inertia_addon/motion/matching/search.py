# SPDX-License-Identifier: GPL-3.0-or-later
"""The way through a set of clips that follows a target best: a beam search that looks ahead; and its reasons.

Games search greedily, whenever a tenth of a second has passed, for the frame that is nearest to what they
want next (S. Clavet, "Motion Matching and The Road to Next-Gen Animation", 2016). Who knows the whole path in
advance can follow many hypotheses, each with its true place in the world, so that drift is seen and paid for:
a dynamic program over frames alone can't see it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
from collections.abc import Hashable

import numpy as np

from ...errors import InertiaError
from ...records import record
from ..arrays import Array, Flags, Integers
from ..steps import Steps, part
from . import clip_sequence
from .clip_sequence import Join, Route, Warp
from .database import Database
from .features import Features, Index
from .moves import STILL, Moves, Options, SearchRows, SearchSettings, firsts_of
from .targets import NEAR, Target, Timed, Untimed, wrapped

SLOWEST, PATIENCE = 0.3, 5.0
"""A line without a timing is given up after so many metres a second, for a person, and so many seconds."""
HALTING, FACING = 0.125, np.radians(20.0)
"""On a line without a timing so much of the beam, at most, gets no further and faces alike: within so many
radians."""
STUCK = 10.0
"""It is given up, too, where nothing has come further along it for so many seconds."""


@record(eq=False)
class SearchTree:
    """All hypotheses that were followed: each one's parent, its frame of the result, whether it jumped there,
    to which flat frame, and how the clip's ground is moved; and metres along a line where it did."""

    nodes: list[tuple[int, int, bool, int, float, float, float, float]] = dataclasses.field(
        default_factory=list
    )

    def grown(
        self, rows: SearchRows, frame: int, jumped: Flags, entered: Integers, gone: Array
    ) -> SearchRows:
        """Add rows as new nodes of the tree, and return them with the new nodes' numbers.

        Parameters
        ----------
        rows
            The hypotheses, which are not changed; their `node` is the new nodes' parent.
        frame
            Of the result.
        jumped : (rows,)
            Whether each jumped there.
        entered : (rows,)
            The flat frame to which it jumped, or with which it goes on.
        gone : (rows,)
            Metres along a line by then.

        Returns
        -------
        SearchRows
            A copy with new `node`.
        """
        first = len(self.nodes)
        columns = (rows.node, jumped, entered, rows.angle, rows.place[:, 0], rows.place[:, 1], gone)
        for parent, jump, flat, angle, x, y, progress in zip(*(c.tolist() for c in columns), strict=True):
            self.nodes.append((parent, frame, jump, flat, angle, x, y, progress))
        return dataclasses.replace(rows, node=np.arange(first, len(self.nodes)))

    def joins(self, node: int) -> list[Join]:
        """Return the joins on the way to a node, in order, beginning with the one at its start; [] for -1.

        If two fall on the same frame only the later one is kept.
        """
        line = []
        while node >= 0:
            line.append(self.nodes[node])
            node = self.nodes[node][0]
        joins: list[Join] = []
        for _, frame, jumped, flat, angle, x, y, progress in reversed(line):
            if jumped or not joins:
                left = joins[-1].entered + frame - joins[-1].frame if joins else -1
                put_join(joins, Join(frame, left, flat, angle, (x, y), progress))
        return joins


def put_join(joins: list[Join], join: Join) -> None:
    """Append a join to a way's joins. One at the frame of the last takes its place, as a clip that is left
    on the frame it is entered on is never shown."""
    if joins and joins[-1].frame == join.frame:
        join = dataclasses.replace(join, left=joins.pop().left)
    joins.append(join)


def steps(
    database: Database, features: Features, target: Target, settings: SearchSettings | None = None
) -> Steps[Route]:
    """Search the way through clips that follows a target best; yield progress from 0 to 1.

    First all clips are searched together; then, unless clips are pinned or fixed, each moving clip alone, or
    with clips that stand if the way shall begin or end so. The cheapest route that reaches the target's end
    is returned, or, if none does, the first search's best one, whose `reached` is False.

    Parameters
    ----------
    database
        The clips.
    features
        Those of the database.
    target
        What is to be followed.
    settings
        How it is searched; None for the defaults.

    Returns
    -------
    Route
        What the steps return.

    Raises
    ------
    InertiaError
        No clip can be entered, all are banned somewhere, or a pin or a fixed clip names no
        frame of the set.
    """
    settings = settings or SearchSettings()
    best = yield from part(_search_one(Moves(database, features, target, settings)), 0.0, 0.5)
    assert best is not None
    lanes = _choose_lanes(database, settings, ends_standing=isinstance(target, Untimed) and target.standing)
    for i, names in enumerate(lanes):
        alone, flat = database.only(names)
        bound = best.cost if best.reached else np.inf
        done = (0.5 + 0.5 * k / len(lanes) for k in (i, i + 1))
        way = None
        # a clip that is too short to be entered, or forbidden somewhere, goes nowhere by itself
        with contextlib.suppress(InertiaError):
            moves = Moves(alone, features.only(flat), target, settings)
            way = yield from part(_search_one(moves, bound), *done)
        # by less than that it is no better but for rounding
        if way is not None and way.reached and (not best.reached or way.cost < best.cost - 1e-9):
            best = _widen(database, way, flat)
    return best


def _choose_lanes(database: Database, settings: SearchSettings, *, ends_standing: bool) -> list[set[str]]:
    """Return the sets of clip names that are searched by themselves; [] if clips are pinned or fixed.

    Each has one clip that moves (faster than 0.3 m/s somewhere, for a person). If ends_standing, or if the
    settings ask for a standing start, all clips that stand somewhere (slower than 0.15 m/s, for a person) are
    added to each. Clips that are banned anywhere are left out, and so is a set of all clips.
    """
    # a lane of one clip lacks those that are pinned or fixed
    if settings.pins or settings.fixed:
        return []
    speeds, least = database.speeds, STILL * database.size
    slowest, quickest = dict[str, float](), dict[str, float]()
    for source, part_of in zip(database.sources, database.slices, strict=True):
        at, name = speeds[part_of], source.name
        slowest[name] = min(float(at.min()), slowest.get(name, np.inf))
        quickest[name] = max(float(at.max()), quickest.get(name, 0.0))
    banned = {ban.clip for ban in settings.bans}
    standing = {name for name, speed in slowest.items() if speed < least and name not in banned}
    beside = standing if settings.start_standing or ends_standing else set[str]()
    moving = [name for name, speed in quickest.items() if speed > 2.0 * least and name not in banned]
    lanes = [{name, *beside} for name in moving]
    return [lane for lane in lanes if lane != quickest.keys()]


def _widen(database: Database, route: Route, flat: Integers) -> Route:
    """Return a way through some clips as one through all. flat: (n,) the frames of all that the some are."""
    joins = [
        dataclasses.replace(
            join,
            entered=int(flat[join.entered]),
            # a clip is left at the frame that it would have shown, which may be the one behind its last
            left=-1 if join.left < 0 else int(flat[join.left - 1]) + 1,
        )
        for join in route.joins
    ]
    return clip_sequence.assembled(database, joins, route.frames, route.cost, reached=route.reached)


def _search_one(moves: Moves, bound: float = np.inf) -> Steps[Route | None]:
    """Search a way of little cost through a set of clips; yield the part that is done, 0 to 1, and return it.

    The search keeps only some of the ways at each step, a beam, so that a cheaper one can be missed. It goes
    on until none is left that could cost less than the best one that has come to its end. A timed target ends
    it in any case. A line is given up after its length at 0.3 m/s (for a person) and 5 s, and, while no way
    has come to its end, after 10 s in which none got further than the furthest before.

    Return None if ``bound`` is finite and no way is found that comes to its end and costs less. Without a
    finite bound there is always a Route. If none comes to its end, reached is False and the route is the
    cheapest at any step; on a line it stops there, so where to go on only costs. It has as many frames as a
    timed target, and on a line one more than it takes, at least a step and one. InertiaError of
    :meth:`Moves.beginnings` and :meth:`Moves.options` gets through.
    """
    database, target, how, tree = moves.database, moves.target, moves.how, SearchTree()
    rows = moves.beginnings()
    rows = tree.grown(rows, 0, np.zeros(len(rows.frame), bool), rows.frame, rows.progress)
    if isinstance(target, Timed):
        most = target.frames + moves.step
    else:
        most = round((target.line.length / (SLOWEST * database.size) + PATIENCE) * database.fps)
    best: tuple[float, int, int] | None = None
    frame = furthest = 0
    far, stop = 0.0, (float(rows.cost[0]), int(rows.node[0]), 0)
    while frame < most:
        # what can't become better than what is known leaves the beam to what can
        rows = rows.at(_find_least_costs(moves, rows) < (best[0] if best else bound) - 1e-9)
        if not len(rows.frame):
            break
        options = moves.options(rows, frame, how.jumps)
        which = selected(moves, options)
        before = rows.progress[options.parent[which]]
        rows = tree.grown(
            options.rows.at(which), frame, options.jumped[which], options.entered[which], before
        )
        frame += moves.step
        over = target.is_over(frame, rows.progress, moves.speed[rows.frame])
        for i in np.flatnonzero(over).tolist():
            # by less than that it is no better but for rounding
            if rows.cost[i] < (best[0] if best else bound) - 1e-9:
                best = (float(rows.cost[i]), int(rows.node[i]), frame)
        gone = float(rows.progress.max())
        done = frame / target.frames if isinstance(target, Timed) else gone / target.line.length
        yield min(1.0, done)
        if gone > far:
            furthest, far = frame, gone
        # rounded, so that of equal costs the first one counts on every machine
        i = int(np.argmin(np.round(rows.cost, 9)))
        if rows.cost[i] < stop[0] - 1e-9:
            stop = (float(rows.cost[i]), int(rows.node[i]), frame)
        is_stuck = not isinstance(target, Timed) and frame - furthest > STUCK * database.fps
        if best is None and (frame >= most or is_stuck):
            break
        # what has arrived goes no further
        rows = rows.at(~over)
    if best is None and np.isfinite(bound):
        return None
    cost, node, last = best or stop
    frames = target.frames if isinstance(target, Timed) else max(last, moves.step) + 1
    return clip_sequence.assembled(database, tree.joins(node), frames, cost, reached=best is not None)


def selected(moves: Moves, options: Options) -> Integers:
    """Return the indices of the options to keep, best first, at most `width`.

    They are sorted by score, rounded to 1e-9; of equal ones going on comes before jumps, then the lower
    parent, then the lower frame. Of options with the same number of passed pins, whose flat frames fall into
    the same block of how.same seconds, and whose places into the same square of how.cell times the
    character's size, only the best is kept; with a cell size of 0 all are, and nothing below applies.

    On a line without a timing, some halt: in this step they get further along the line by less than 0.15 m/s
    (for a person) would. For each 20 degrees that they face at most an eighth of the width, at least one, is
    kept of those that halt and stand on their frame, and as many of those that halt and do not stand.
    """
    how, rows = moves.how, options.rows
    # rounded, and then by whole numbers, so that the order is the same on every machine
    score = np.round(options.score, 9)
    order = np.lexsort((rows.frame, options.parent, options.jumped, score))
    if how.cell == 0.0:
        return np.asarray(order[: how.width])
    ground, heading = moves.locate(rows)
    cells = np.floor(ground / (how.cell * moves.database.size)).astype(np.int64)
    near = rows.frame // max(1, round(how.same * moves.database.fps))
    keys = list(zip(near.tolist(), *cells.T.tolist(), rows.pinned.tolist(), strict=True))
    if isinstance(moves.target, Timed):
        return firsts_of(order, keys, how.width)
    # to wait costs little at once, to set out from there much: those that wait would fill the beam, and of
    # those that turn on the spot those that have hardly begun
    halts = rows.progress - options.before < STILL * moves.database.size * moves.step / moves.database.fps
    stands = halts & moves.stands[rows.frame]
    faces = np.floor(heading / FACING).astype(np.int64)
    kept: list[int] = []
    alike = dict[Hashable, int]()
    for i in firsts_of(order, keys, len(order)).tolist():
        if halts[i]:
            of_kind = bool(stands[i]), int(faces[i])
            alike[of_kind] = alike.get(of_kind, 0) + 1
            if alike[of_kind] > max(1, round(HALTING * how.width)):
                continue
        kept.append(i)
    return np.array(kept[: how.width], np.int64)


def _find_least_costs(moves: Moves, rows: SearchRows) -> Array:
    """Return lower bounds (rows,) of what hypotheses can cost in the end.

    That is their cost by now, less the whole reward for the metres of the line that are left; for a timed
    target the cost by now alone.
    """
    target = moves.target
    if isinstance(target, Timed):
        return rows.cost
    return np.asarray(rows.cost - target.reward * (target.line.length - rows.progress))


# --- the search of games: it sees a second of the path, and never what it has cost so far

AROUND, REST = 1.0 / 3.0, 1.0 / 3.0
"""Seconds around the present frame that are no destination, and that a clip goes on for: 20 frames of 60."""


def greedy(
    database: Database, features: Features, target: Timed, settings: SearchSettings | None = None
) -> Route:
    """Return the route of a search as games do it, for comparison.

    Each step, the first at frame 0, it takes the frame nearest to the present pose and the wanted trajectory,
    of all frames with 1/3 s of their clip left, but those within 1/3 s of the present one, which are no
    candidates. It goes on instead if the present frame is as near or nearer, as long as the clip goes on for
    a step. Without any candidate it goes on in any case, even into the next clip. As in D. Holden's
    controller (orangeduck/Motion-Matching).

    Parameters
    ----------
    database
        The clips.
    features
        Those of the database.
    target
        What is to be followed.
    settings
        How often it decides (step), and what may begin; None for the defaults. Pins, bans and
        fixed clips count at the beginning only.

    Returns
    -------
    Route
        As long as the target. Its `cost` is 0, and `reached` is True in any case.

    Raises
    ------
    InertiaError
        No clip can be entered, or begin.
    """
    settings = settings or SearchSettings()
    moves = Moves(database, features, target, settings)
    index = Index.of_entries(database, features, 1, REST)
    rows = moves.beginnings().at(np.zeros(1, np.int64))
    joins = [_join(rows, 0, -1)]
    for frame in range(0, target.frames, moves.step):
        entered = _game_jump(moves, index, rows, frame)
        if entered is not None:
            left = int(rows.frame[0])
            angle, place = moves.placed(rows, np.array([entered]))
            rows = dataclasses.replace(rows, frame=np.array([entered]), angle=angle, place=place)
            put_join(joins, _join(rows, frame, left))
        rows = dataclasses.replace(rows, frame=rows.frame + moves.step)
    return clip_sequence.assembled(database, joins, target.frames, 0.0)


def _join(rows: SearchRows, frame: int, leaving: int) -> Join:
    x, y = rows.place[0].tolist()
    return Join(frame, leaving, int(rows.frame[0]), float(rows.angle[0]), (x, y))


def _game_jump(moves: Moves, index: Index, rows: SearchRows, frame: int) -> int | None:
    """Return the flat frame to jump to, or None to go on.

    rows: the one hypothesis. frame: of the result. index: of the candidates. Frames within 1/3 s of the
    present one are no candidates. It jumps to the nearest candidate if that is nearer to what is wanted than
    the present frame, or if the clip ends within a step; without any candidate it goes on in any case.
    """
    features = moves.features
    query = moves.queries(rows, frame, np.zeros((1, len(features.later))))
    place = int(index.nearest(query, 1, rows.frame, round(AROUND * moves.database.fps))[0, 0])
    if place < 0:
        return None
    goes_on = int(moves.database.last(rows.frame)[0] - rows.frame[0]) >= moves.step
    present, other = (
        # rounded, as sums differ in their last figures from one machine to another
        float(np.round(np.sum((features.values[flat].astype(float) - query[0]) ** 2), 6))
        for flat in (rows.frame[0], index.frames[place])
    )
    return None if goes_on and present <= other else int(index.frames[place])


# --- reasons: why each clip of a way was chosen, and what else could have been

LOOKED_AT = 32
"""So many of the frames that are nearest by features are compared."""
APART_SECONDS = 0.3
"""Frames of a clip that are nearer to each other are no two choices."""


@record(frozen=True)
class Choice:
    """What may play from a join on.

    clip, mirrored, frame: of its own. parts: what the search says of it, by what: "path" and "facing" in
    the next step, "ahead" behind that, "join", and "progress" along a line, which is a reward.
    displacement: metre seconds. away, turn, speed: how far from the path it leads at most, metres, how far it
    turns, radians, to the left, and how fast it goes, metres a second, in the time that is looked ahead.
    """

    clip: str
    mirrored: bool
    frame: float
    parts: dict[str, float]
    displacement: float
    away: float
    turn: float
    speed: float

    @property
    def cost(self) -> float:
        """All parts together."""
        return sum(self.parts.values())


@record(frozen=True)
class Reason:
    """Of a join of a way: what was chosen, which joint adds most to its displacement, what going on would
    have cost (None where the clip ends), and the next best choices, the best first."""

    frame: int
    left: tuple[str, bool, float]
    chosen: Choice
    worst_joint: str
    going_on: Choice | None
    others: tuple[Choice, ...]


def reasons_of(moves: Moves, route: Route, warp: Warp | None = None, count: int = 3) -> tuple[Reason, ...]:
    """Return why each join of a route but the beginning was made, and what else could have been.

    Parameters
    ----------
    moves
        Those with which the route was searched.
    route
        The route.
    warp
        By which the character had been moved when it came there; None for not at all.
    count
        How many other choices each reason has at most.

    Returns
    -------
    tuple[Reason, ...]
        In the order of the joins; () for a route of one clip.
    """
    pairs = itertools.pairwise(route.joins)
    return tuple(_reason(moves, _row(before, join, warp), join, count) for before, join in pairs)


def _reason(moves: Moves, rows: SearchRows, join: Join, count: int) -> Reason:
    base = moves.database
    candidates = moves.candidates(rows, join.frame, LOOKED_AT)[0]
    entered = np.concatenate([[join.left, join.entered], candidates[candidates >= 0]])
    goes_on = base.last(np.array([join.left]))[0] - join.left >= moves.step
    parent = np.zeros(len(entered), np.int64)
    jumped = np.arange(len(entered)) > 0
    played = moves.evaluate_options(rows, parent, jumped, entered, parent, join.frame)
    leads = _leads(moves, rows, played, join.frame)
    displaced = moves.displacements(np.full(len(entered), join.left), entered) * jumped
    choices = []
    for i, flat in enumerate(entered.tolist()):
        source, frame = base.place(flat)
        parts = {name: float(values[i]) for name, values in played.parts.items()}
        choices.append(
            Choice(source.name, source.mirrored, frame, parts, float(displaced[i]), *leads[i].tolist())
        )
    order = np.lexsort((entered, np.array([round(choice.cost, 9) for choice in choices]))).tolist()
    apart = APART_SECONDS * base.fps
    taken = [join.entered]
    others: list[Choice] = []
    for i in order:
        same = base.part[entered[i]] == base.part[taken]
        # what was left and what was chosen, the first two, are no others
        if i < 2 or np.any(same & (np.abs(entered[i] - np.array(taken)) < apart)) or len(others) == count:
            continue
        taken.append(int(entered[i]))
        others.append(choices[i])
    source, frame = base.place(join.left)
    by_joint = moves.by_joint(np.array([join.left]), np.array([join.entered]))[0] * base.weights
    return Reason(
        join.frame,
        (source.name, source.mirrored, frame),
        choices[1],
        base.joints[int(np.argmax(by_joint))],
        choices[0] if goes_on else None,
        tuple(others),
    )


def _row(before: Join, join: Join, warp: Warp | None) -> SearchRows:
    """Return a single hypothesis: the clip before a join, at the frame where it is left (join.left), moved as
    it was.

    before: the join that began that clip, whose angle and place count. join: the one that ends it, whose
    progress counts. warp: an additional motion of the character, applied at the join's frame on top, so that
    its turn is added to the angle; None for none. Cost, pins, node and frames since the last join are 0.
    """
    zero: Integers = np.zeros(1, np.int64)
    angle, place = np.array([before.angle]), np.array([before.place])
    if warp is not None:
        motion, turn = warp.matrices()[join.frame], warp.turn[join.frame]
        angle, place = angle + turn, place @ motion[:2, :2].T + motion[:2, 3]
    return SearchRows(
        np.array([join.left]), angle, place, np.zeros(1), zero, np.array([join.progress]), zero, zero
    )


def _leads(moves: Moves, rows: SearchRows, played: Options, frame: int) -> Array:
    """Return for each option how far it strays, how far it turns and how fast it goes in the time looked
    ahead: (options, 3), in this order.

    That time begins with the first moment of the step that is looked at (moves.now, a frame after the
    option's own, on a line 0.05 s) and ends with the last behind it (moves.ahead). The distance is the
    largest to the target in it, metres, on a line to its nearest point; behind a timed target's end it is 0.
    The turn is the last heading less the first, radians to the left, wrapped to [-pi, pi). The speed is the
    length of the way divided by the time, metres a second. rows: the hypotheses of the options. frame: of the
    result.
    """
    later = np.concatenate([moves.now, moves.step + moves.ahead])
    before = rows.at(played.parent)
    led = dataclasses.replace(before, frame=played.entered, angle=played.rows.angle, place=played.rows.place)
    ground, heading = moves.world(led, later)
    error = moves.target.error(ground, heading, frame, later, before.progress)
    away = NEAR * moves.target.size * np.sqrt(error.position.max(axis=1))
    gone = np.linalg.norm(np.diff(ground, axis=1), axis=-1).sum(axis=1)
    seconds = max(int(later[-1] - later[0]), 1) / moves.database.fps
    return np.column_stack([away, wrapped(heading[:, -1] - heading[:, 0]), gone / seconds])
