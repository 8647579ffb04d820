# SPDX-License-Identifier: GPL-3.0-or-later
"""A character that is steered, a frame at a time: each moment is a value, so that one can go back to it.

A point on the ground goes as it is wished, see :mod:`.point`. Ten times a second, and as soon as another
thing is wished, the clips are searched for what goes on best along the point's next second: a few hypotheses
are followed, each costs what it does on a path, see :mod:`matching.moves`, so that a join has its price. What
draws the character to its point is the warp of a path, and what is played a path's way.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Sequence

import numpy as np

from ...errors import InertiaError
from ...records import record
from ...settings.steering import SteerSettings, Wish
from ..arrays import Array, Flags, Integers
from ..decay import decay
from ..matching import clip_sequence, search
from ..matching.clip_sequence import Join, Route, Warp, as_baked
from ..matching.database import Database
from ..matching.features import Features, Index, turned
from ..matching.moves import Moves, SearchRows, SearchSettings
from ..matching.targets import Timed
from .fitted import FittedGait
from .point import Lead, Point, rounded

EAGER, PRICE = 0.3, 3.0
"""A join's displacement costs this part of what it does on a path, as nobody knew of the wish before; and
each join so much beside it."""
WIDTH, DEPTH, AHEAD = 4, 4, 0.5
"""So many hypotheses are followed over so many steps; behind these each clip is looked at for so long."""
REST = 0.55
"""A clip goes on for so many seconds at least when it is entered."""
SOON = 0.3
"""A move is entered within so many seconds, by one of the frames of as many at its beginning."""


@record(frozen=True, eq=False)
class Thought:
    """Hypotheses that are followed, each by the option at its beginning: entered, jumped, passed (pins), and
    scores, (hypotheses,). depth: how many steps of the search they are."""

    moves: Moves
    depth: int
    rows: SearchRows
    entered: Integers
    jumped: Flags
    passed: Integers
    scores: Array


@record(frozen=True, eq=False)
class Moment:
    """A frame of a take.

    frame: from 0. flat: the database's frame that is shown. since: frames since the last join. due: the frame
    of the next search. pinned: how many pins have passed. joins: so far. thought: the search that the next
    frame ends. coming: the frame at which a move is entered, and the database's frame that it is entered by.
    moved: (3,), x, y and heading, where the clips have brought the character, and offset: (3,) what decays on
    top of that, with its rate, since the last join. ground (2,), heading: where it is, drawn to its point.
    """

    frame: int
    flat: int
    since: int
    due: int
    pinned: int
    joins: tuple[Join, ...]
    offset: Array
    rate: Array
    moved: Array
    ground: Array
    heading: float
    point: Point
    wish: Wish
    thought: Thought | None = None
    coming: tuple[int, int] | None = None

    @property
    def turn(self) -> float:
        """By how much it is turned from where its clips have brought it, radians."""
        return self.heading - float(self.moved[2])


@record(frozen=True, eq=False)
class SteeredTake:
    """What was steered, as a path: the way that was gone, how it is drawn to its target, and the point's own
    way as the target."""

    way: Route
    warp: Warp
    target: Timed


class Steering:
    """How a character is steered through a database.

    how: as on a path, with its pins and bans by the seconds of the take. answer: how wishes are answered."""

    def __init__(
        self,
        database: Database,
        features: Features,
        settings: SearchSettings,
        gait: FittedGait,
        answer: SteerSettings | None = None,
    ) -> None:
        self.database, self.gait = database, gait
        self.lead = Lead(gait, database.size, database.fps, answer or SteerSettings())
        self.how = dataclasses.replace(
            settings,
            cost=EAGER * settings.cost,
            join=PRICE,
            again=0.0,
            width=min(settings.width, WIDTH),
            ahead=AHEAD,
            rest=REST,
        )
        still = Timed(np.zeros((1, 2)), np.zeros(1), database.fps, database.size)
        self.moves = Moves(database, features, still, self.how)
        named = np.array([source.name for source in database.sources])
        self.is_move = np.isin(named, settings.moves)
        names, usual = set(named.tolist()), self.moves.index.frames
        for name in settings.moves:
            if name not in names:
                raise InertiaError(
                    'The move "{name}" is not one of the clips: {known}; choose that clip, too, or wish for '
                    "another move.",
                    name=name,
                    known=", ".join(sorted(names)),
                )
        if self.is_move.any():  # the search finds none
            usual = usual[~self.is_move[database.part[usual]]]
            if not len(usual):
                raise InertiaError(
                    "All clips are moves; also choose one that plays when no move is asked for."
                )
            self.moves.index = Index.of(usual, features.values, self.how.apart)
        frames = DEPTH * self.moves.step + round(AHEAD * database.fps)
        self.seconds = np.arange(max(frames, int(features.later.max())) + 1) / database.fps
        self.pins = [round(at * database.fps) for at, _ in self.moves.pins]

    def begin(self, ground: Array, heading: float, wish: Wish) -> Moment:
        """Return the first moment of a take.

        It shows the clip fixed for frame 0, else the pin at 0 s, else the frame from which a clip goes on
        most like a point that stays in place and turns to the wished facing. Then only frames from which a
        clip stands for 0.2 s count, if there are any.

        Parameters
        ----------
        ground : (2,)
            Where the character is, metres.
        heading
            Which way it faces, radians about the vertical from the x axis.
        wish
            What is wished from then on. Its velocity counts for the point, not for the clip that
            begins. Its move does not count here.

        Returns
        -------
        Moment
            `frame` is 0; `since` is the least number of frames between two joins, so that the
            clip may be left at once; the next search is `due` at frame 1. The only join has the
            frame 0, `left` -1, and the angle and place that bring the clip's frame to where the
            character is. `moved` is that place and heading, as `ground` and `heading` are;
            `offset` and `rate` are zeros. The point is there, too, told the wish, with the
            velocity of the clip that plays, turned into the world.

        Raises
        ------
        InertiaError
            All clips are forbidden at the beginning, or none lasts until the first fixed one.
        """
        none, base = np.zeros(3), self.database
        point, _ = self.lead.redirected(Point.at_rest(ground, heading), wish)
        moves = self._towards(dataclasses.replace(point, asked=np.zeros(2), velocity=np.zeros(2)), 0)
        moves.how = dataclasses.replace(self.how, start_standing=True)
        rows = moves.beginnings()
        flat, pinned = int(rows.frame[0]), int(rows.pinned[0])
        angle = heading - float(base.heading[flat])
        going = turned(base.rates(np.array([flat]))[0][0], np.asarray(angle))
        x, y = (ground - turned(base.ground[flat], np.asarray(angle))).tolist()
        return Moment(
            frame=0,
            flat=flat,
            # it may be left as soon as that is better
            since=self.moves.shortest,
            due=1,
            pinned=pinned,
            joins=(Join(0, -1, flat, angle, (x, y)),),
            offset=none,
            rate=none,
            moved=np.array([*ground, heading]),
            ground=ground,
            heading=heading,
            point=dataclasses.replace(point, velocity=going),
            wish=wish,
        )

    def step(self, now: Moment, wish: Wish) -> Moment:
        """Return the next moment of the take, one frame later; `now` is not changed.

        The point is told the wish (:meth:`Lead.redirected`), and all goes on by a frame (:meth:`_play_on`).
        Then what is due is done, see :meth:`_gone_on`.

        A wish that differs from that of `now` in x, y or facing makes a search due in this frame. It also
        doubles `since`, but not beyond the shortest time between two joins, so that the clip may be left
        sooner. With a filter only a wish that it lets go does so; then `since` is that shortest time at
        least, and the search is done at once.

        On the frame of the next pin all is searched and acted on at once, whatever is on its way; a move to
        come is dropped.

        wish.move names a clip of the database to enter within 0.3 s, "" for none. It counts once: in the
        take's first step, or where the wish's seconds differ from those of the moment before. A search on its
        way is then dropped, and `coming` is when and where the move is entered.

        Raise InertiaError if a search finds every clip banned, ValueError for a move that is no clip of the
        database.
        """
        point, snaps = self.lead.redirected(now.point, wish)
        changes = (wish.x, wish.y, wish.facing) != (now.wish.x, now.wish.y, now.wish.facing)
        # what a filter smooths is nothing new, and what it lets go has a pose joined at once
        changes = snaps if self.lead.how.is_filtered else changes
        after = self._play_on(now, point)
        frame = now.frame + 1
        since = after.since
        if changes:
            # who is told something else need not stay as long
            since = max(since, self.moves.shortest if snaps else min(2 * since, self.moves.shortest))
        pinned = self.pins[after.pinned : after.pinned + 1] == [frame]
        due = frame if changes or pinned else now.due
        after = dataclasses.replace(after, frame=frame, since=since, due=due, wish=wish)
        if wish.move and (wish.seconds != now.wish.seconds or not now.frame):
            after = dataclasses.replace(after, thought=None, coming=self._sought(after, wish.move))
        return self._searched(after, at_once=True) if pinned else self._gone_on(after, at_once=snaps)

    def _gone_on(self, now: Moment, *, at_once: bool) -> Moment:
        """Return a moment with what is due in it done, the first of these that applies; `now` itself where
        nothing is.

        A move that is to be entered is waited for, and entered at its frame. A move that is playing goes on
        until less than a step of the search is left of it. A search on its way is finished, unless at_once is
        set. A new search is begun if one is due at this frame. at_once: do all of that new search, and act on
        it, in this moment.
        """
        if now.coming is not None:
            at, flat = now.coming
            return self._join_clip(now, flat, now.pinned) if now.frame >= at else now
        if self.is_move[self.database.part[now.flat]] and self._count_frames_left(now) >= self.moves.step:
            # a move is played to its end
            return now
        if now.thought is not None and not at_once:
            return self._decided(now, now.thought)
        return self._searched(now, at_once=at_once) if now.frame >= now.due else now

    def _play_on(self, now: Moment, point: Point) -> Moment:
        """Return the moment one frame after `now`, before anything new is decided.

        point: the point with its wish. `flat` and `since` go up by 1. `moved` is where the last join has the
        clip's root at that frame, plus what is left of the join's offset, rounded to multiples of 2^-24. The
        step from `moved` before, turned by `now.turn`, and the turn between the two are the character's own;
        by these :meth:`Lead.drawn` gives `ground`, `heading` and `point`.

        All else is that of `now`, `frame`, `due`, `wish`, joins and searches among it. Whether the clip has a
        frame left is not tested.
        """
        flat, since = now.flat + 1, now.since + 1
        moved = self._place_root(now.joins[-1], flat) + self._decayed(now, since)[0]
        # what draws it turns its own steps, too
        way = turned(moved[:2] - now.moved[:2], np.asarray(now.turn))
        ground, heading, led = self.lead.drawn(
            point, now.ground, now.heading, way, float(moved[2] - now.moved[2])
        )
        return dataclasses.replace(
            now, flat=flat, since=since, moved=rounded(moved), ground=ground, heading=heading, point=led
        )

    def _towards(self, point: Point, frame: int) -> Moves:
        """Return a shallow copy of the moves whose target is the way that a point will go, unless it is told
        something else.

        The target is a :class:`Timed` of places and facings at each frame from now on, by the point's
        springs: over the steps of the search and the 0.5 s behind them, or up to the latest time of the
        features if that is later. It begins at `frame` of the take, from which times of pins and bans are
        counted. The moves of the steering keep their own target.
        """
        base, moves = self.database, copy.copy(self.moves)
        ground, facing = self.lead.gone(point, self.seconds)[0], self.lead.faced(point, self.seconds)[0]
        moves.target = Timed(ground, facing, base.fps, base.size, begins=frame / base.fps)
        return moves

    def _place_root(self, join: Join, flat: int) -> Array:
        """Return where a clip brings its root (3,), x, y and heading, at a frame, as a join has moved it."""
        base = self.database
        x, y = (turned(base.ground[flat], np.asarray(join.angle)) + join.place).tolist()
        return np.array([x, y, float(base.heading[flat]) + join.angle])

    def _decayed(self, now: Moment, since: int) -> tuple[Array, Array]:
        """Return the offset of the last join (3,), x, y and heading, `since` frames after it, and its rate
        (3,) per second.

        The offset and rate of `now` decay along the curve of the settings' `method` in their `seconds`, as a
        blend does, each of the three by itself. Both results are zeros if `now` has neither an offset nor a
        rate. The rate is the difference over half a frame before to half a frame after, never before the
        join.
        """
        if not (now.offset.any() or now.rate.any()):
            return np.zeros(3), np.zeros(3)
        fps, x, v = self.database.fps, now.offset[:, None], now.rate[:, None]
        curve = decay.make(self.how.method, x, v, np.full(3, self.how.seconds))
        times = np.maximum(np.array([since - 0.5, since, since + 0.5]), 0.0) / fps
        left = decay.evaluate(curve, x, v, times[:, None])[..., 0]
        return left[1], (left[2] - left[0]) / (times[2] - times[0])

    def _count_frames_left(self, now: Moment) -> int:
        """Return how many frames of its clip are left."""
        return int(self.database.last(np.array([now.flat]))[0]) - now.flat

    def _sought(self, now: Moment, name: str) -> tuple[int, int]:
        """Return when to enter a move, as a frame of the take, and by which flat frame: the pair that
        displaces joints least.

        name: of the move's clip, which must be in the database. Both the wait and the skipped beginning of
        the move are at most 0.3 s, and the wait ends with the present clip. Of both only each
        settings.every-th frame is tried, from no wait and the move's first frame on. All copies of the clip
        count except bent ones. Of equal pairs the one with the earliest entered frame, then the shortest
        wait, wins.
        """
        base, soon = self.database, round(SOON * self.database.fps)
        wait = np.arange(0, min(self._count_frames_left(now), soon) + 1, self.how.every)
        begins = [
            np.arange(start, min(start + soon, stop - 1) + 1, self.how.every)
            for start, stop, source in zip(base.starts, base.stops, base.sources, strict=True)
            if source.name == name and not source.bend
        ]
        left, entered = (each.ravel() for each in np.meshgrid(now.flat + wait, np.concatenate(begins)))
        best = int(np.argmin(np.round(self.moves.displacements(left, entered), 9)))
        return now.frame + int(left[best]) - now.flat, int(entered[best])

    def _searched(self, now: Moment, *, at_once: bool) -> Moment:
        """Return a moment with a new search begun, whose second half the next frame does; or with all of it
        done.

        The search has one hypothesis: the clip as it plays, moved to where the character is drawn. Its best
        options, to go on or to jump, are followed along the way of the point (:meth:`_towards`) until they
        are 2 of 4 steps deep, and kept as `thought`. The next frame's :meth:`_decided` does the rest.

        at_once: do all of it now and act on it in this moment; so it is if the clip has no frame left. In any
        case the next search is due a step of the search later, and a search on its way and a move to come are
        dropped. Nothing else changes, and nothing is searched, if the last join is too recent for another and
        the clip lasts for at least a step of the search, unless at_once is set or clips are banned.

        Raise InertiaError if there is no option, as where every clip is banned.
        """
        base, moves = self.database, self.moves
        left = self._count_frames_left(now)
        after = dataclasses.replace(now, due=now.frame + moves.step, thought=None, coming=None)
        if now.since < moves.shortest and left >= moves.step and not (at_once or moves.banned):
            # nothing but to go on is allowed
            return after
        moves = self._towards(now.point, now.frame)
        angle = now.heading - base.heading[now.flat]
        place = now.ground - turned(base.ground[now.flat], np.asarray(angle))
        none, zero = np.zeros(1), np.zeros(1, np.int64)
        flat, since, pinned = (np.array([value]) for value in (now.flat, now.since, now.pinned))
        rows = SearchRows(flat, np.array([angle]), place[None], none, since, none, pinned, zero)
        first = moves.options(rows, 0, self.how.jumps)
        which = search.selected(moves, first)
        entered, jumped, passed = first.entered[which], first.jumped[which], first.rows.pinned[which]
        rows = dataclasses.replace(first.rows.at(which), node=np.arange(len(which)))
        thought = Thought(moves, 1, rows, entered, jumped, passed, first.score[which])
        if at_once or not left:
            return self._decided(after, thought, 0)
        return dataclasses.replace(after, thought=self._deeper(thought, DEPTH // 2))

    def _deeper(self, thought: Thought, depth: int) -> Thought:
        """Return a search with its hypotheses followed on until they are `depth` steps deep; the given one
        stays.

        In each step all options of the hypotheses are looked at, to go on or to jump to about half of
        settings.jumps frames each, and the best ones are kept, see :func:`search.selected`. `rows` and
        `scores` are then those of the kept options, best first, and `depth` is the given one. `entered`,
        `jumped` and `passed` stay those of the first options; `node` of the rows is the index into these. A
        search that is that deep already keeps its rows and scores.

        Raise InertiaError if no hypothesis has any option in a step.
        """
        rows, scores, moves = thought.rows, thought.scores, thought.moves
        for step in range(thought.depth, depth):
            later = moves.options(rows, step * moves.step, self.how.jumps // 2)
            which = search.selected(moves, later)
            rows, scores = later.rows.at(which), later.score[which]
        return dataclasses.replace(thought, depth=depth, rows=rows, scores=scores)

    def _decided(self, now: Moment, thought: Thought, since: int = 1) -> Moment:
        """Return a moment with its search finished: the clip goes on, or the best option's clip takes over.

        thought: the search, which began `since` frames ago; the clip that takes over is entered as many
        frames later.
        """
        thought = self._deeper(thought, DEPTH)
        best = int(thought.rows.node[int(np.argmin(np.round(thought.scores, 9)))])
        now = dataclasses.replace(now, thought=None)
        if not thought.jumped[best]:
            return now
        return self._join_clip(now, int(thought.entered[best]) + since, int(thought.passed[best]))

    def _join_clip(self, now: Moment, entered: int, pinned: int) -> Moment:
        """Return a moment at which the clip of a flat frame, `entered`, takes over where the character is.

        pinned: how many pins are passed then. A :class:`Join` is added: of this frame, from `now.flat` to
        `entered`, with the angle and place that put the entered clip's root where the last join has that of
        the clip that is left, and as it faces. `moved`, `ground` and `heading` stay, so nothing jumps.

        `offset` is what still decays of the last join, (x, y, heading). `rate` is what is left of its rate,
        plus the velocity and turning of the clip that is left, less those of the one that is entered, all in
        the world and per second. Both are rounded to multiples of 2^-24. `flat` is `entered`, `since` is 0,
        the next search is due a step of the search later, and a search on its way and a move to come are
        dropped.
        """
        base, join = self.database, now.joins[-1]
        offset, rate = self._decayed(now, now.frame - join.frame)
        turn = float(join.angle + base.heading[now.flat] - base.heading[entered])
        place = self._place_root(join, now.flat)
        x, y = (place[:2] - turned(base.ground[entered], np.asarray(turn))).tolist()
        speeds, turns = base.rates(np.array([now.flat, entered]))
        moving = turned(speeds, np.array([join.angle, turn]))
        before, after = (np.array([*moving[i], turns[i]]) for i in range(2))
        return dataclasses.replace(
            now,
            flat=entered,
            since=0,
            due=now.frame + self.moves.step,
            pinned=pinned,
            thought=None,
            coming=None,
            joins=(*now.joins, Join(now.frame, now.flat, entered, turn, (x, y))),
            offset=rounded(offset),
            rate=rounded(rate + before - after),
        )


def take(steering: Steering, moments: Sequence[Moment]) -> SteeredTake:
    """Return what was steered as a path: its `way`, the `warp` that draws that to where the character was,
    and its `target`.

    moments: all of the take, from the first on, a frame each; at least one.

    `way` is the route of the last moment's joins, with ground and heading as they will be baked, its cost 0.
    `warp` turns each frame about the way's ground by the moment's `turn`, then shifts it. It is the motion
    that takes the clips' own place, the moment's `moved`, to its `ground`. The baked root differs from
    `moved` by some centimetres, and keeps that difference, turned, beside the moment's ground.

    `target` is a :class:`Timed` with the point's places (frames, 2) and its facings, unwrapped, at the
    database's rate.
    """
    base, how = steering.database, steering.how
    played = clip_sequence.assembled(base, moments[-1].joins, len(moments), 0.0)
    way = as_baked(base, played, how.method, how.seconds)
    turn = np.array([each.turn for each in moments])
    brought = np.stack([each.moved[:2] for each in moments])
    ground = np.stack([each.ground for each in moments])
    # the motion that takes what the clips have brought to where the character is, told about the baked root
    shift = ground + turned(way.ground - brought, turn) - way.ground
    points = [each.point for each in moments]
    target = Timed(
        np.stack([point.place for point in points]),
        np.unwrap(np.array([point.facing for point in points])),
        base.fps,
        base.size,
    )
    return SteeredTake(way, Warp(way.ground, turn, shift), target)
