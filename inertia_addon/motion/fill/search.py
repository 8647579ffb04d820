# SPDX-License-Identifier: GPL-3.0-or-later
"""The chain of clips that leads from a pose to another one, to arrive there when, where and as it is asked.

The last clip is found exactly: each frame of the set is entered, and costs what both joins displace, how far
from the arrival it leads, and how far off a cubic. What comes before that is a search along the cubic, see
:mod:`motion.matching.search`, whose hypotheses are dropped where the set can't get from them to the arrival.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ...errors import InertiaError
from ...records import record
from ..arrays import Array, Flags, Integers
from ..decay.decay import displacement
from ..matching import detours, search
from ..matching.clip_sequence import TURN_LIMIT, Join, Route, Warp, assembled, warped
from ..matching.database import Database
from ..matching.detours import Outline
from ..matching.features import Features, turned
from ..matching.moves import Moves, SearchRows, SearchSettings
from ..matching.targets import ASIDE, NEAR, Timed, wrapped
from ..steps import Steps, part
from . import goal

EXACT_SECONDS = (2.0, 1.0, 0.5)
"""The last clip of a gap, of which all frames are looked at, is tried as long as this, at most: the longest
first."""
LOOKED_AT = 512
"""So many frames does each hypothesis of a longer gap enter: those that end most like the arrival."""
DRAWN, DRAWN_SPEED = 0.15, 0.3
"""A character is drawn to its arrival by so many metres, of a person, and so many more a second."""
LOOKS, LOOKS_AROUND = 8, 32
"""Of the last clip so many parts are looked at, whether they are off the cubic between both ends; or so many,
where something is in the way."""
AT_ONCE = 4096
"""So many clips are looked at together, each at each moment counted."""
TRIED = 64
"""So many chains, at most, are tried where something is in the way."""
BESIDE = 0.6
"""Nobody comes nearer to a wall than this part of what is asked for, and who comes nearer than that pays."""
UNLIKE_SECONDS = 0.5
"""Chains of the same clips are unlike where they play frames that are further apart than this, ..."""
UNLIKE = 0.02
"""... and enter poses from each of which a join into the other displaces more metre seconds, of a person."""
LONGER = (1.25, 1.6, 2.0, 2.6, 3.2)
"""What does not get around obstacles in time is tried in so many times as much."""
ROUND = math.radians(225.0)
"""No facing is further than a half turn, so nobody turns further than this in a gap."""
SUDDEN = 30.0
"""What a fill costs that once moves twice as suddenly as what lies around."""
SHORTEST_SECONDS, LONGEST_SECONDS, STEP_SECONDS = 0.2, 10.0, 0.1
"""Gaps last from so long to so long, and times that would do are so far apart."""


class TooFar(InertiaError):
    """Nothing arrives in time."""

    @property
    def nearest_seconds(self) -> float | None:
        """The nearest time that would do, None for none."""
        nearest = self.sentence.values.get("nearest")
        return nearest if isinstance(nearest, float) else None

    @property
    def facts(self) -> Mapping[str, object]:
        """What is wrong, as values for programs."""
        return {"nearest_seconds": self.nearest_seconds}


@record(frozen=True)
class Gap:
    """What is to be filled.

    left: the flat frame at which it begins, where the database has it in the world. met: the one that is
    arrived at, frames later, whose ground is moved by angle and place, radians and metres. allowed: (flat
    frames,), which frames of the database may be played. sudden: (flat frames,), how many times more suddenly
    each moves than is usual, 0 for no more; None where that is not known. walls: what the way goes around,
    and away: how far from that it stays, metres. is_led: whether it is arrived at where the motion leads in
    that time, see :mod:`motion.fill.goal`.
    """

    left: int
    met: int
    frames: int
    angle: float
    place: tuple[float, float]
    allowed: Flags
    sudden: Array | None = None
    walls: tuple[Outline, ...] = ()
    away: float = 0.0
    is_led: bool = False

    def with_frames(self, database: Database, frames: int) -> Gap:
        """Return this gap with another number of frames.

        If it is led, its angle and place change to where the motion leads in that time.
        """
        other = dataclasses.replace(self, frames=frames)
        if not self.is_led:
            return other
        left, met = goal.read_ground_motion(database, self.left), goal.read_ground_motion(database, self.met)
        led = goal.lead(left, met, frames / database.fps, database.size)
        angle, place = goal.motion_to(*led, met)
        return dataclasses.replace(other, angle=angle, place=place)

    def arrival(self, database: Database) -> tuple[Array, float]:
        """Return where the character is on the ground when it arrives (2,), metres, and its heading,
        radians.
        """
        ground = turned(database.ground[self.met], np.asarray(self.angle)) + np.array(self.place)
        return ground, float(database.heading[self.met]) + self.angle


_Last = tuple[int, int, bool, dict[str, float]]
"""A last clip: whose it is of rows, the frame that is entered, whether that is a jump, and what it costs."""


@record(frozen=True)
class ClipChain:
    """The clips that fill a gap. way: its first join is what is left. costs: of what, see :func:`steps`.
    away: (2,) metres, and aside, radians: what is left to go, and to turn, when it arrives."""

    way: Route
    costs: dict[str, float]
    away: Array
    aside: float

    def warp(self) -> Warp:
        """Return how the root is moved (frames + 1) to arrive: by nothing at first, with no velocity at
        both ends.
        """
        s = np.linspace(0.0, 1.0, self.way.frames)
        part = s * s * (3.0 - 2.0 * s)
        return Warp(self.way.ground, part * self.aside, part[:, None] * self.away)


def choices(
    database: Database, features: Features, settings: SearchSettings, gap: Gap, count: int
) -> Steps[tuple[ClipChain, ...]]:
    """Find up to `count` different chains that fill a gap; yield progress from 0 to 1 and return them.

    The first is the best one. Each other one plays none of the actions that the earlier ones play longest,
    or, if none such arrives, none of the frames that these play or pass near, nor poses like those that they
    enter.

    Parameters
    ----------
    database
        The clips.
    features
        Those of the database.
    settings
        How chains are searched.
    gap
        What is to be filled.
    count
        How many chains at most.

    Returns
    -------
    tuple[ClipChain, ...]
        In the order found; at least one, unless count is 0.

    Raises
    ------
    TooFar
        Nothing arrives in time. It is an InertiaError.
    InertiaError
        Nothing leads around what is in the way, or no clip may be played.
    """
    chains = list[ClipChain]()
    for i in range(count):
        for barred in _barred(database, settings, chains):
            unlike = dataclasses.replace(gap, allowed=gap.allowed & ~barred)
            # of the first alone it is said why there is none, which takes a search of its own
            searched = (_best if chains else steps)(database, features, settings, unlike)
            chain = yield from part(searched, i / count, (i + 1) / count)
            if chain is not None:
                chains.append(chain)
                break
        if len(chains) <= i:
            break
    return tuple(chains)


def _barred(database: Database, settings: SearchSettings, chains: Sequence[ClipChain]) -> Iterator[Flags]:
    """Yield flags (frames,): which flat frames an unlike chain may not play; once without chains, twice with
    some.

    chains: those found before. Without any, nothing is barred. With chains, first all frames of the actions
    that each plays longest are barred. Then, for sets in which that leaves too little, only the frames within
    0.5 s of those played, and those like the poses that their joins enter.
    """
    if not chains:
        yield np.zeros(database.frames, bool)
        return
    names = np.array([source.name for source in database.sources])[database.part]
    longest, near = list[str](), np.zeros(database.frames, bool)
    reach = np.arange(-round(UNLIKE_SECONDS * database.fps), round(UNLIKE_SECONDS * database.fps) + 1)
    for chain in chains:
        played = chain.way.flat[1:-1]
        actions, times = np.unique(names[played], return_counts=True)
        longest.append(str(actions[np.argmax(times)]))
        near[np.clip(played[:, None] + reach, 0, database.frames - 1)] = True
        for join in chain.way.joins[1:]:
            # a cycle comes by again, and so does its mirror image
            near |= _displaced(database, settings, join.entered) < UNLIKE * database.size
    yield np.isin(names, longest)
    yield near


def _displaced(database: Database, settings: SearchSettings, frame: int) -> Array:
    """Return what a join from one frame into each displaces (frames,), metre seconds."""
    x, v = (a - a[frame] for a in (database.positions.astype(float), database.velocities.astype(float)))
    return np.asarray(displacement(settings.method, x, v, settings.seconds).sum(axis=-1) @ database.weights)


def steps(database: Database, features: Features, settings: SearchSettings, gap: Gap) -> Steps[ClipChain]:
    """Search the chain that fills a gap; yield progress from 0 to 1 and return the best one.

    Parameters
    ----------
    database
        The clips.
    features
        Those of the database.
    settings
        How it is searched.
    gap
        What is to be filled.

    Returns
    -------
    ClipChain
        Its `way` is a Route of gap.frames + 1 frames whose first join leaves gap.left at frame
        0. `away` (2,), metres, and `aside`, radians, are the arrival less the way's end. Its
        `costs` sum up to way.cost. They are "join", of the joins into the last clip and of the
        search before that; "way", of being off the cubic between both ends during the last
        clip, and too near to a wall; "arrival", of the join into what it arrives at; "place"
        and "facing", of `away` and `aside`; and "sudden", of the most sudden moment of the
        last clip.

    Raises
    ------
    TooFar
        Nothing arrives in time. Its `nearest_seconds` says in which time something would, None
        for in none. It is an InertiaError.
    InertiaError
        Nothing leads around what is in the way, or no clip may be played.
    """
    best = yield from _best(database, features, settings, gap)
    if best is None:
        raise (yield from part(_too_far(database, features, settings, gap), 1.0, 1.0))
    return best


def _best(
    database: Database, features: Features, settings: SearchSettings, gap: Gap
) -> Steps[ClipChain | None]:
    """Find the cheapest chain that fills a gap; yield progress and return it, or None if there is none.

    The last clip is tried to last 2, 1 and 0.5 s at most; what comes before is a search along the way between
    both ends. With walls, the first chain in order of cost counts whose way, as it is drawn to the arrival,
    keeps 0.6 of the distance asked. Raise InertiaError if nothing leads around the walls, or no clip can be
    entered or played; TooFar is never raised.
    """
    target = Timed(*_draw_course(database, gap), database.fps, database.size)
    moves = Moves(database, features, target, settings)
    begin = _make_beginning(moves, gap)
    best: ClipChain | None = None
    tree, frame = search.SearchTree(), 0
    rows = tree.grown(begin, 0, np.zeros(1, bool), begin.frame, begin.progress)
    tried: int | None = None
    for seconds in EXACT_SECONDS:
        # each goes on where the one before has stopped
        rows, frame = yield from _follow_steps(moves, gap, tree, rows, (frame, round(seconds * database.fps)))
        if frame == tried:
            continue
        tried = frame
        for last in _last(moves, gap, rows, frame):
            chain = _chain(moves, gap, tree, rows, frame, last)
            # whether it keeps away from all walls, as it is drawn
            if _clearance(gap, warped(chain.way, chain.warp()).ground).min() >= BESIDE * gap.away:
                best = chain if best is None or chain.way.cost < best.way.cost - 1e-9 else best
                break
    return best


def _make_beginning(moves: Moves, gap: Gap) -> SearchRows:
    """Return the hypothesis at a gap's beginning."""
    never, none = np.full(1, moves.shortest), np.zeros(1, np.int64)
    return SearchRows(
        np.array([gap.left]), np.zeros(1), np.zeros((1, 2)), np.zeros(1), never, np.zeros(1), none, none - 1
    )


def _follow_steps(
    moves: Moves, gap: Gap, tree: search.SearchTree, rows: SearchRows, span: tuple[int, int]
) -> Steps[tuple[SearchRows, int]]:
    """Follow hypotheses through a gap until at most so many frames are left; yield the part that is done, and
    return (the hypotheses, the frame at which they are).

    span: the frame at which they are, and how many frames may be left. Those that can't arrive any more, come
    too near to a wall, or play a frame that is not allowed are dropped; if none would be left it stops
    earlier, with those before. tree: new nodes are added.
    """
    database, (frame, exact) = moves.database, span
    # how far the set gets in a frame, at most, metres
    fastest = float(database.speeds[gap.allowed].max(initial=0.0)) / database.fps
    while gap.frames - frame > exact:
        options = moves.options(rows, frame, moves.how.jumps)
        options.rows.cost[:] += SUDDEN * _sudden(gap, options.entered, moves.step)
        which = search.selected(moves, options)
        entered = options.entered[which]
        behind = np.minimum(moves.step, database.last(entered) - entered)
        which = which[_allowed(gap, entered, entered + behind)]
        left = gap.frames - frame - moves.step
        ground, _ = moves.locate(options.rows.at(which))
        near = np.linalg.norm(ground - gap.arrival(database)[0], axis=1)
        may = near <= fastest * left + _limit_drawing(database, gap.frames)
        which = which[may & (_clearance(gap, ground) >= BESIDE * gap.away)]
        if not len(which):
            break
        before = rows.progress[options.parent[which]]
        rows = tree.grown(
            options.rows.at(which), frame, options.jumped[which], options.entered[which], before
        )
        frame += moves.step
        yield frame / gap.frames
    return rows, frame


def _chain(
    moves: Moves, gap: Gap, tree: search.SearchTree, rows: SearchRows, frame: int, last: _Last
) -> ClipChain:
    """Return the chain that ends with a last clip, from the beginning of the gap to its arrival.

    rows: the hypotheses, and frame: the frame of the gap at which the last clip is entered. tree: from which
    the joins before are read, the beginning first. last: (row, flat frame entered, whether that is a jump,
    costs by part); without a jump the last clip is that of the hypothesis, and there is no join at `frame`.

    `way` has gap.frames + 1 frames, and the sum of the costs as its cost. Its first join enters gap.left; if
    the tree's first one is a jump at frame 0, it is the second, and leaves gap.left there. `costs` are the
    given dictionary. `away` (2,), metres, is the place of the arrival less that of the way's last frame, and
    `aside`, radians, from -pi to pi, the same of the headings. Nothing is changed.
    """
    database, (row, entered, jumped, costs) = moves.database, last
    joins = tree.joins(int(rows.node[row]))
    if joins[0].entered != gap.left:
        # a jump on the very first frame has taken the place of what is left there
        joins = [
            Join(0, -1, gap.left, 0.0, (0.0, 0.0)),
            dataclasses.replace(joins[0], left=gap.left),
            *joins[1:],
        ]
    if jumped:
        before = rows.at(np.array([row]))
        angle, place = moves.placed(before, np.array([entered]))
        x, y = place[0].tolist()
        joins.append(Join(frame, int(before.frame[0]), entered, float(angle[0]), (x, y)))
    way = assembled(database, joins, gap.frames + 1, sum(costs.values()))
    ground, heading = gap.arrival(database)
    return ClipChain(way, costs, ground - way.ground[-1], float(wrapped(heading - way.heading[-1])))


def _allowed(gap: Gap, first: Integers, last: Integers) -> Flags:
    """Tell whether all frames of stretches may be played, (n,) each."""
    barred = np.concatenate([[0], np.cumsum(~gap.allowed)])
    return np.asarray(barred[last + 1] == barred[first])


def _draw_course(database: Database, gap: Gap) -> tuple[Array, Array]:
    """Return where the character would go in the gap (frames + 1, 2), metres, and its heading (frames + 1,),
    radians.

    The places are those of a Hermite cubic with the velocities of both ends, at even steps. With gap.walls it
    is led around them by :func:`detours.around`, at a distance of gap.away. The heading goes from that of
    gap.left to the arrival's the shorter way round, by a smoothstep; it does not follow the cubic or a
    detour, and is not wrapped.

    Raise InertiaError where nothing leads around, or an end is too near to a wall.
    """
    ends = np.array([gap.left, gap.met])
    moving = database.rates(ends)[0] * (gap.frames / database.fps)
    arrival, heading = gap.arrival(database)
    start, first = database.ground[gap.left], float(database.heading[gap.left])
    s = np.linspace(0.0, 1.0, gap.frames + 1)
    ground = cubic(s, start, moving[0], arrival, turned(moving[1], np.asarray(gap.angle)))
    if gap.walls:
        around, at = detours.around(ground, gap.walls, gap.away)
        frames = np.arange(len(ground), dtype=float)
        ground = np.column_stack([np.interp(frames, at, around[:, i]) for i in range(2)])
    return ground, first + float(wrapped(np.asarray(heading - first))) * s * s * (3.0 - 2.0 * s)


def cubic(s: Array, start: Array, leaving: Array, end: Array, arriving: Array) -> Array:
    """Return places of a Hermite cubic.

    Parameters
    ----------
    s : (n,)
        The places along it, 0 for the start and 1 for the end.
    start, end : (k,)
        Its ends.
    leaving, arriving : (k,)
        Its rates at these, for a change of s by 1.

    Returns
    -------
    Array (n, k)
        In the unit of the ends.
    """
    s = s[:, None]
    h = s * s * (3.0 - 2.0 * s)
    return np.asarray(
        start * (1.0 - h) + end * h + leaving * s * (1.0 - s) ** 2 - arriving * s * s * (1.0 - s)
    )


def _limit_drawing(database: Database, frames: int) -> float:
    """Return how far a character is drawn to its arrival, at most, metres."""
    return database.size * (DRAWN + DRAWN_SPEED * frames / database.fps)


def _find_arrivals(moves: Moves, gap: Gap, frames: int, some: int | None) -> tuple[Integers, Array]:
    """Return flat frames (n,) from which a clip goes on for `frames` frames, and what the join into the
    arrival displaces behind that (n,), metre seconds.

    Only frames that the gap allows throughout count. some: how many at most: those that displace least, the
    least first; with None, or if there are no more, all, rising.
    """
    base, how = moves.database, moves.how
    entered = np.arange(base.frames)
    entered = entered[base.last(entered) - entered >= frames]
    ends = entered + frames
    may = _allowed(gap, entered, ends)
    entered, ends = entered[may], ends[may]
    x = base.positions[gap.met].astype(float) - base.positions[ends].astype(float)
    # time runs backwards
    v = base.velocities[ends].astype(float) - base.velocities[gap.met].astype(float)
    joined = displacement(how.method, x, v, how.seconds).sum(axis=-1) @ base.weights
    if some is not None and len(entered) > some:
        which = np.lexsort((entered, np.round(joined, 9)))[:some]
        entered, joined = entered[which], joined[which]
    return entered, np.asarray(joined)


@record(frozen=True, eq=False)
class _Ends:
    """How clips that are entered at a frame of a gap end: which they are of all, the frames (n,) that are
    entered, how their ground is moved (angle (n,) and place (n, 2)), how far it is from there to the
    arrival, metres (n, 2), and how turned, radians (n,)."""

    which: Integers
    entered: Integers
    angle: Array
    place: Array
    away: Array
    aside: Array

    def at(self, indices: Flags) -> _Ends:
        """Return some of the ends."""
        return _Ends(*(getattr(self, field.name)[indices] for field in dataclasses.fields(self)))

    def view_later(self, base: Database, later: Integers) -> tuple[Array, Array]:
        """Return (where the ends are (n, times, 2), metres, their headings (n, times), radians, not wrapped)
        so many frames after they are entered, without drawing. later: (times,), or (n, times).
        """
        there = self.entered[:, None] + later
        ground = turned(base.ground[there], self.angle[:, None]) + self.place[:, None]
        return ground, base.heading[there] + self.angle[:, None]


def _ends(moves: Moves, gap: Gap, row: SearchRows, entered: Integers, frame: int) -> _Ends:
    """Return how one hypothesis arrives if it enters each of some frames: only those that can be drawn to the
    arrival, in the given order.

    row: a single hypothesis, one row. entered: flat frames (m,), each with gap.frames - frame more frames in
    its clip. frame: that of the gap at which they are entered.

    Of the result, `which` says which of `entered` are left, by index. `angle` and `place` are how the ground
    of each is moved so that it takes over from the hypothesis. `away` (n, 2), metres, is the arrival less
    where it gets, and `aside` (n,), radians, from -pi to pi, the same of its heading. It may be empty.

    Left out is what would arrive further away than :func:`_limit_drawing` allows for the gap, turned by more
    than 30 degrees from what is asked, or, without wrapping, with a heading more than 225 degrees from that
    of gap.left.
    """
    base = moves.database
    arrival, heading = gap.arrival(base)
    which = np.arange(len(entered))
    angle, place = moves.placed(row.at(np.zeros_like(which)), entered)
    ends = _Ends(which, entered, angle, place, place, angle)
    ground, facing = (seen[:, 0] for seen in ends.view_later(base, np.array([gap.frames - frame])))
    ends = dataclasses.replace(ends, away=arrival - ground, aside=wrapped(heading - facing))
    too_far = np.linalg.norm(ends.away, axis=-1) > _limit_drawing(base, gap.frames)
    spun = np.abs(facing - base.heading[gap.left])
    return ends.at(~(too_far | (np.abs(ends.aside) > TURN_LIMIT) | (spun > ROUND)))


def _off(moves: Moves, gap: Gap, ends: _Ends, frame: int) -> tuple[Array, Array]:
    """Return what clips cost a second for being off the wished way (n,), and their least distance from a wall
    (n,), metres.

    Both are taken at 7 moments, 31 with walls, at 1/8 to 7/8 (1/32 to 31/32) of the time from `frame` to the
    arrival, without these two themselves, of the way as it is drawn to the arrival: moved by ends.away and
    turned by ends.aside, times the smoothstep of how much of the gap is over. The cost is the mean over these
    of the square of the distance in 0.1 m (of a person) and the square of the facing's difference in 15
    degrees, see :meth:`Timed.error`. The distance is inf without walls.

    ends: the clips, entered at `frame` of the gap. moves.target must be Timed.
    """
    target = moves.target
    assert isinstance(target, Timed)
    frames, count = gap.frames - frame, len(ends.entered)
    off, near = np.zeros(count), np.full(count, np.inf)
    looks = LOOKS_AROUND if gap.walls else LOOKS
    some = max(1, AT_ONCE // max(1, count))
    for shares in np.split(np.arange(1, looks) / looks, range(some, looks - 1, some)):
        s = (frame + shares * frames) / gap.frames
        drawn, k = s * s * (3.0 - 2.0 * s), np.round(s * (target.frames - 1)).astype(np.int64)
        ground, facing = ends.view_later(moves.database, np.round(shares * frames).astype(np.int64))
        ground, facing = ground + drawn[:, None] * ends.away[:, None], facing + drawn * ends.aside[:, None]
        error = target.error(ground, facing, 0, k, off)
        off = off + (error.position + error.facing).sum(axis=1) / (looks - 1)
        clear = _clearance(gap, ground.reshape(-1, 2)).reshape(facing.shape)
        near = np.minimum(near, clear.min(axis=1, initial=np.inf))
    return off, near


def _clearance(gap: Gap, ground: Array) -> Array:
    """Return how far places (n, 2) are from the nearest wall (n,), metres; inf without any."""
    return np.minimum.reduce([np.full(len(ground), np.inf), *(wall.distances(ground) for wall in gap.walls)])


def _sudden(gap: Gap, entered: Integers, frames: int) -> Array:
    """Return the highest of gap.sudden over each of the flat frames `entered` (n,) and the `frames` flat
    frames behind it, which may be those of the next clip: (n,).

    Behind the last frame of the set it counts 0. If gap.sudden is None it is 0 for all.
    """
    if gap.sudden is None:
        return np.zeros(len(entered))
    padded = np.pad(gap.sudden, (0, frames))
    return np.asarray(np.lib.stride_tricks.sliding_window_view(padded, frames + 1).max(axis=1)[entered])


def _last(moves: Moves, gap: Gap, rows: SearchRows, frame: int) -> list[_Last]:
    """Return the best last clips, entered at `frame` of the gap, the cheapest first; [] if none arrives.

    Each is (row, flat frame, whether it is a jump, costs by part). There is at most one, or 64 (TRIED) with
    walls. Those that come nearer to a wall than 0.6 of gap.away are left out. Each of `rows` may enter any
    frame that :func:`_find_arrivals` gives and :func:`_ends` keeps; of several rows only the 512 frames that
    end most like the arrival are looked at.

    The sum of the costs decides, to 9 digits behind the point:

        join     what the row has cost, and the jump's displacement times settings.cost / size
        arrival  the displacement of the join into the arrival, likewise
        way      seconds times what :func:`_off` gives a second, and the square of what lacks to
                 gap.away from a wall, in 0.1 size metres
        place    the square of how far away it ends, in 0.1 size metres
        facing   the square of how far it is turned then, in 15 degrees
        sudden   30 times :func:`_sudden`

    rows: the hypotheses that may enter them, at `frame`.
    """
    base, frames = moves.database, gap.frames - frame
    entered, arriving = _find_arrivals(moves, gap, frames, None if len(rows.frame) == 1 else LOOKED_AT)
    if not len(entered):
        return []
    count = TRIED if gap.walls else 1
    sudden = SUDDEN * _sudden(gap, entered, frames)
    scale = moves.how.cost / base.size
    scored: list[tuple[float, _Last]] = []
    for row in range(len(rows.frame)):
        ends = _ends(moves, gap, rows.at(np.array([row])), entered, frame)
        off, near = _off(moves, gap, ends, frame)
        left = np.full(len(ends.which), rows.frame[row])
        jumped = ends.entered != left
        joined = np.zeros(len(left))
        joined[jumped] = moves.displacements(left[jumped], ends.entered[jumped])
        parts = {
            "join": rows.cost[row] + joined * scale,
            "arrival": arriving[ends.which] * scale,
            "way": off * (frames / base.fps) + (np.maximum(gap.away - near, 0.0) / (NEAR * base.size)) ** 2,
            "place": (np.linalg.norm(ends.away, axis=-1) / (NEAR * base.size)) ** 2,
            "facing": (ends.aside / ASIDE) ** 2,
            "sudden": sudden[ends.which],
        }
        score = np.round(sum(parts.values()), 9)
        score[near < BESIDE * gap.away] = np.inf
        for i in np.argsort(score, kind="stable")[:count].tolist():
            if np.isfinite(score[i]):
                costs = {name: float(values[i]) for name, values in parts.items()}
                scored.append((float(score[i]), (row, int(ends.entered[i]), bool(jumped[i]), costs)))
    return [last for _, last in sorted(scored, key=lambda each: each[0])[:count]]


def _too_far(database: Database, features: Features, settings: SearchSettings, gap: Gap) -> Steps[TooFar]:
    """Find the error that says why nothing arrives in time; yield progress and return it, without raising it.

    With walls the gap is searched again with 1.25, 1.6, 2, 2.6 and 3.2 times as long, rounded to 0.1 s, at
    most 10 s; the first that finds a chain is named. Without walls the times from 0.2 to 9.9 s in steps of
    0.1 s are tried, the nearest to the gap's own first, and count if a single clip that is entered at once,
    or goes on, arrives; nothing is yielded. A gap that is led changes its arrival with the time.

    Return a TooFar, whose `nearest_seconds` is that time, or None if none does. Raise InertiaError as
    :func:`steps` does for another reason.
    """
    fps = database.fps
    now = gap.frames / fps
    if gap.walls:
        for longer in LONGER:
            seconds = round(min(longer * now, LONGEST_SECONDS), 1)
            other = gap.with_frames(database, round(seconds * fps))
            if seconds > now and (yield from _best(database, features, settings, other)) is not None:
                return TooFar(
                    "No clips of the set get around the obstacles within {seconds:.2f} s; give them "
                    "{nearest:.1f} s, or keep a smaller distance.",
                    seconds=now,
                    nearest=seconds,
                )
        return TooFar(
            "No clips of the set get around the obstacles within {seconds:.2f} s; give the gap more time, "
            "or keep a smaller distance.",
            seconds=now,
        )
    times = np.arange(SHORTEST_SECONDS, LONGEST_SECONDS, STEP_SECONDS)
    moves = Moves(database, features, Timed(*_draw_course(database, gap), fps, database.size), settings)
    begin = _make_beginning(moves, gap)
    for seconds in times[np.argsort(np.abs(times - now), kind="stable")].tolist():
        other = gap.with_frames(database, round(seconds * fps))
        if _last(moves, other, begin, 0):
            return TooFar(
                "No clips of the set arrive there in {seconds:.2f} s; give them {nearest:.1f} s instead, or "
                "more clips.",
                seconds=now,
                nearest=round(seconds, 1),
            )
    return TooFar(
        "No clips of the set arrive there in {seconds:.2f} s, nor in any other time; give more clips, or "
        "an arrival that is nearer.",
        seconds=now,
    )
