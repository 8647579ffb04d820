# SPDX-License-Identifier: GPL-3.0-or-later
"""What the hypotheses of a search may do next, and what that costs.

A hypothesis goes on, or jumps to one of the frames nearest by features. It costs what its distance from the
target and its turn away from it, squared, add up to in time, and the displacement of each join; what its clip
will cost in the time ahead is added to rank it.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Hashable, Sequence

import numpy as np

from ...errors import InertiaError
from ...records import record
from ...settings.matching import Ban, Pin
from ..arrays import Array, Flags, Integers
from ..decay.decay import Method, displacement
from ..quaternion import norms
from .database import Database
from .features import Features, Index, turned
from .targets import Target, Untimed, to_local

CAP = 25.0
"""What lies ahead costs no more than this a second at any time: a jump may come before."""
AHEAD_EVERY = 0.05
"""What lies ahead is looked at every so many seconds."""
STILL = 0.15
"""Who moves slower, in metres a second for a person, stands."""
TURNING = 0.2
"""Who turns no quicker, in radians a second, does not turn."""
STILL_SECONDS = 0.2
"""Who stands does so for so long, at least."""


@record(eq=False)
class SearchRows:
    """Hypotheses: their flat frames, how their ground is moved (angle, place), what they have cost, frames
    since the last join, metres along a line, how many pins they have passed, and what the search calls
    them. (rows,), place (rows, 2)."""

    frame: Integers
    angle: Array
    place: Array
    cost: Array
    since: Integers
    progress: Array
    pinned: Integers
    node: Integers

    def at(self, indices: Integers | Flags) -> SearchRows:
        """Return the rows at some indices."""
        if indices.dtype == bool:
            # once for all of them
            indices = np.flatnonzero(indices)
        return SearchRows(*(column[indices] for column in vars(self).values()))


@record(frozen=True, eq=False)
class Options:
    """What hypotheses may do next, a row each: parent says whose, jumped whether it is a jump.

    parts: what each has cost in this step, by what: "path", "facing", "join", "ahead", and "progress",
    which is a reward. rows: where it ends up. before: how far along a line each was, metres."""

    parent: Integers
    jumped: Flags
    entered: Integers
    parts: dict[str, Array]
    rows: SearchRows
    before: Array

    @property
    def score(self) -> Array:
        """By what they are ranked."""
        return np.asarray(self.rows.cost + self.parts["ahead"])


def firsts_of(order: Integers, keys: Sequence[Hashable], count: int) -> Integers:
    """Return the first indices in an order, skipping each whose key has occurred before.

    Parameters
    ----------
    order : (n,)
        Indices into keys.
    keys
        By index.
    count
        How many are wanted, at least 1; with 0 or less all are returned.

    Returns
    -------
    Integers
        Fewer than `count` if they run out.
    """
    taken: dict[Hashable, int] = {}
    for i in order.tolist():
        taken.setdefault(keys[i], i)
        if len(taken) == count:
            break
    return np.array([*taken.values()], np.int64)


class Moves:
    """What may be done on the way through a database along a target."""

    def __init__(
        self, database: Database, features: Features, target: Target, settings: SearchSettings
    ) -> None:
        self.database, self.features, self.target, self.how = database, features, target, settings
        self.index = Index.of_entries(database, features, settings.every, settings.rest, settings.apart)
        if not len(self.index.frames):
            raise InertiaError(
                "No clip is long enough to be entered anywhere; choose longer clips, or a shorter rest of a "
                "clip."
            )
        fps = database.fps
        self.step = max(1, round(settings.step * fps))
        self.shortest = round(settings.shortest * fps)
        sparse = max(1, round(AHEAD_EVERY * fps))
        self.ahead = np.arange(sparse, round(settings.ahead * fps) + 1, sparse)
        every = sparse if isinstance(target, Untimed) else 1
        self.now = np.unique(np.append(np.arange(every, self.step + 1, every), self.step))
        moved, turned_by = database.rates(np.arange(database.frames))
        self.speed = np.linalg.norm(moved, axis=1)
        self.stands = (self.speed < STILL * database.size) & (np.abs(turned_by) < TURNING)
        self.pins = [(pin.at, self.flat(pin)) for pin in sorted(settings.pins, key=lambda pin: pin.at)]
        self.banned = [
            (np.array([source.name == ban.clip for source in database.sources]), ban) for ban in settings.bans
        ]
        self.fixed = self._fixed()
        # how far the clips usually go in the times of the features (paces, times): slowly, and quickly
        moving = self.speed > 2.0 * STILL * database.size
        usual = np.quantile(self.speed[moving], (0.25, 0.75)) if moving.any() else np.zeros(2)
        # rounded, as the last digits differ between machines
        self.paces = np.round(usual, 6)[:, None] * (features.later / fps)

    def flat(self, pin: Pin) -> int:
        """Return the flat frame that a pin stands for: the nearest to the pin's frame in the first part, in
        the database's order, that is of its clip and, as the pin says, mirrored or not. Parts are asked
        whatever their bend; clips come before their bent copies.

        Raise InertiaError if its clip, or the frame of it, is not in the database, or less than a step of the
        search follows it.
        """
        flat = self.database.flat(pin.clip, mirrored=pin.mirrored, frame=pin.frame, leaving=self.step)
        if flat is None:
            raise InertiaError(
                '"{clip}" can\'t be entered at its frame {frame:g}, which is outside the set or too near the '
                "clip's end; pin another frame.",
                clip=pin.clip,
                frame=pin.frame,
            )
        return flat

    def _fixed(self) -> list[tuple[int, int]]:
        """Return the fixed entries as (frame of the result, flat frame), sorted; [] for none.

        Their times are rounded to whole steps of the search. Raise InertiaError if a fixed clip ends before
        the next one is entered, if its frame is not in the database, or if less than a step of the search
        follows that.
        """
        steps = self.database.fps / self.step
        entries = [(self.step * round(pin.at * steps), self.flat(pin)) for pin in self.how.fixed]
        for (frame, flat), (later, _) in itertools.pairwise(sorted(entries)):
            if int(self.database.last(np.array([flat]))[0]) - flat < later - frame:
                raise InertiaError(
                    '"{clip}", which is fixed, ends before the next one is entered; search the whole path '
                    "again.",
                    clip=self.database.place(flat)[0].name,
                )
        return sorted(entries)

    def beginnings(self) -> SearchRows:
        """Return the hypotheses to start with: frames from which the clips go on most like the target, best
        first.

        They are ranked by the target's error in place and facing, the mean over the times of the features,
        each counted as 25 at most, less the target's reward for the metres gone until the last of these;
        equal ones by flat frame. There are at most `width`. Only the best of each block of how.apart times
        how.every flat frames is kept; with a cell size of 0 all are. Each stands at the target's first place
        and facing, with cost, progress and frames since the last join 0, and node -1.

        Candidates are the frames of the index. With start_standing only those count after which one stands
        for 0.2 s (slower than 0.15 m/s for a person), if there are any. A pin at 0, or a clip fixed for frame
        0, leaves just that one, with the pin counted as passed. Frames from which the first fixed clip, if
        later, can't be reached are left out. Raise InertiaError if all clips are banned at the beginning,
        even if a pin names one, or none lasts until the first fixed one.
        """
        frames = self.index.frames
        if self.how.start_standing:
            # who stands does so for a while
            later = frames[:, None] + np.arange(round(STILL_SECONDS * self.database.fps) + 1)
            later = np.minimum(later, self.database.last(frames)[:, None])
            still = self.speed[later].max(axis=1) < STILL * self.database.size
            frames = frames[still] if still.any() else frames
        frames = frames[~self._is_banned(frames, self.target.key(0, np.zeros(len(frames))))]
        if not len(frames):
            raise InertiaError("All clips are forbidden at the path's beginning; allow one of them there.")
        if self.pins and self.pins[0][0] <= 0.0:
            frames = np.array([self.pins[0][1]])
        if self.fixed and self.fixed[0][0] == 0:
            frames = np.array([self.fixed[0][1]])
        elif self.fixed:
            # who begins goes on until the first fixed clip is entered
            frames = frames[self.database.last(frames) - frames >= self.fixed[0][0]]
        if not len(frames):
            raise InertiaError(
                "No clip lasts until the first fixed one is entered, after {seconds:.3g} s; fix one that is "
                "entered before.",
                seconds=self.fixed[0][0] / self.database.fps,
            )
        wanted = self.target.wanted(0, np.zeros(1, np.int64), np.zeros(1), np.zeros((1, 1)))
        place, facing = (values[0, 0] for values in wanted)
        angle = facing - self.database.heading[frames]
        none = np.zeros(len(frames))
        rows = SearchRows(
            frames,
            angle,
            place - turned(self.database.ground[frames], angle),
            none,
            none.astype(np.int64),
            none,
            np.full(len(frames), int(bool(self.pins) and self.pins[0][0] <= 0.0)),
            np.full(len(frames), -1),
        )
        error = self.target.error(
            *self.world(rows, self.features.later), 0, self.features.later, rows.progress
        )
        gone = self.target.reward * error.progress[:, -1]
        score = np.round(np.minimum(error.position + error.facing, CAP).mean(axis=1) - gone, 9)
        near = frames // (self.how.apart * self.how.every) if self.how.cell else np.arange(len(frames))
        return rows.at(firsts_of(np.lexsort((frames, score)), near.tolist(), self.how.width))

    def _is_banned(self, frames: Integers, keys: Array) -> Flags:
        """Return which flat frames may not be played at places along the target: flags, of both shapes
        broadcast.

        frames: integers (...). keys: places along the target (...) as it counts them, seconds or metres. A
        ban holds from its first to its last place, both included, for all parts of its clip, mirrored and
        bent ones, too.
        """
        banned = np.zeros(np.broadcast_shapes(frames.shape, keys.shape), bool)
        for which, ban in self.banned:
            banned |= which[self.database.part[frames]] & (keys >= ban.first) & (keys <= ban.last)
        return banned

    def world(self, rows: SearchRows, later: Integers) -> tuple[Array, Array]:
        """Return where hypotheses are (rows, times, 2), and face (rows, times), so many frames later."""
        ground, heading = self.database.trajectory(rows.frame, later)
        return turned(ground, rows.angle[:, None]) + rows.place[:, None], heading + rows.angle[:, None]

    def locate(self, rows: SearchRows) -> tuple[Array, Array]:
        """Return where hypotheses are now (rows, 2), metres, and face (rows,), radians."""
        ground, heading = self.database.ground[rows.frame], self.database.heading[rows.frame]
        return turned(ground, rows.angle) + rows.place, heading + rows.angle

    def candidates(self, rows: SearchRows, frame: int, count: int) -> Integers:
        """Return the flat frames that each hypothesis may jump to, nearest by features first for each pace.

        Parameters
        ----------
        rows
            The hypotheses.
        frame
            Of the result.
        count
            How many are wanted for each. On a line without a timing this is shared, rounded up,
            among three paces: as fast as now, a slow usual speed and a quick one.

        Returns
        -------
        Integers (rows, n)
            One pace after another, in that order; a frame that was found for a pace before is left
            out. -1 for none, which may stand between others. Banned clips are left out, and frames
            within `how.reach` seconds of the present one.
        """
        later, database = self.features.later, self.database
        paces, number = np.zeros((1, len(rows.frame), len(later))), 1
        if isinstance(self.target, Untimed):
            ways = database.trajectory(rows.frame, later)[0] - database.ground[rows.frame][:, None]
            own = norms(ways)
            paces = np.stack([own, *(np.broadcast_to(pace, own.shape) for pace in self.paces)])
            number = len(paces)
            count = -(-count // number)
        barred = None
        if self.banned:
            keys = self.target.key(frame, rows.progress)
            barred = np.tile(self._is_banned(self.index.frames[None], keys[:, None]), (number, 1))
        reach = round(self.how.reach * database.fps)
        # all at once, pace by pace
        every = rows.at(np.tile(np.arange(len(rows.frame)), number))
        queries = self.queries(every, frame, paces.reshape(len(every.frame), -1))
        nearest = self.index.nearest(queries, count, every.frame, reach, barred)
        places = np.concatenate(np.split(nearest, number), axis=1)
        found = np.where(places >= 0, self.index.frames[places], -1)
        # what is found at one pace as well as at another is looked at but once
        again = (found[:, :, None] == found[:, None]) & np.tri(found.shape[1], k=-1, dtype=bool)
        return np.where(again.any(axis=2), -1, found)

    def queries(self, rows: SearchRows, frame: int, pace: Array) -> Array:
        """Return the features that hypotheses look for.

        Parameters
        ----------
        rows
            The hypotheses.
        frame
            Of the result.
        pace : (rows, times)
            How far each goes on, metres; it counts only on a line without a timing.

        Returns
        -------
        Array (rows, columns)
            Normalised.
        """
        ground, heading = self.locate(rows)
        points, facing = self.target.wanted(frame, self.features.later, rows.progress, pace)
        return self.features.queries(rows.frame, *to_local(ground, heading, points, facing))

    def options(self, rows: SearchRows, frame: int, jumps: int) -> Options:
        """Return all options of hypotheses at a frame of the result: to go on, or to jump to a candidate.

        One may go on if a step's frames are left in the clip; if so, one may only jump if the last join is at
        least `how.shortest` seconds ago. Where a pin is due, the jump to it is the only option, even if its
        clip is banned there. Up to the last fixed entry each hypothesis has the one option that is fixed, see
        :meth:`_as_fixed`, and bans do not count.

        Parameters
        ----------
        rows
            The hypotheses.
        frame
            Of the result.
        jumps
            About how many candidates each has, see :meth:`candidates`.

        Returns
        -------
        Options
            In the order of the hypotheses, of each going on first; without banned ones.

        Raises
        ------
        InertiaError
            No hypothesis has any option.
        """
        count, keys, database = len(rows.frame), self.target.key(frame, rows.progress), self.database
        if self.fixed and frame <= self.fixed[-1][0]:
            return self._as_fixed(rows, frame, keys)
        entered = np.column_stack([rows.frame, self.candidates(rows, frame, jumps)])
        allowed = entered >= 0
        allowed[:, 0] = database.last(rows.frame) - rows.frame >= self.step
        # who can't go on may jump at any time
        early = (rows.since < self.shortest) & allowed[:, 0]
        allowed[:, 1:] &= ~early[:, None]
        allowed &= ~self._is_banned(entered, keys[:, None])
        pinned = rows.pinned.copy()
        for i, (at, flat) in enumerate(self.pins):
            due = (rows.pinned == i) & (keys >= at - 1e-9)
            allowed[due] = False
            entered[due, 1], allowed[due, 1], pinned[due] = flat, True, i + 1
        parent, column = np.nonzero(allowed)
        if not len(parent):
            raise InertiaError(
                "At {place:.2f} along the path every clip is forbidden: allow one, or unpin the clip that "
                "comes there.",
                place=float(keys[0]) if count else 0.0,
            )
        return self.evaluate_options(rows, parent, column > 0, entered[parent, column], pinned[parent], frame)

    def _as_fixed(self, rows: SearchRows, frame: int, keys: Array) -> Options:
        """Return one option for each hypothesis, in their order, where clips are fixed.

        If a clip is fixed for this frame, every hypothesis jumps into it, even one that is there already; if
        none is, every one goes on where it is. What is fixed for frame 0 doesn't count here. self.fixed must
        not be empty. keys: (rows,), how far along the target each is; pins up to there count as passed.
        """
        flat = dict(self.fixed[1:] if self.fixed[0][0] == 0 else self.fixed).get(frame)
        entered = rows.frame if flat is None else np.full(len(rows.frame), flat)
        jumped = np.full(len(rows.frame), flat is not None)
        passed = np.searchsorted([at for at, _ in self.pins], keys + 1e-9, "right")
        parent = np.arange(len(rows.frame))
        return self.evaluate_options(rows, parent, jumped, entered, np.maximum(rows.pinned, passed), frame)

    def evaluate_options(
        self,
        rows: SearchRows,
        parent: Integers,
        jumped: Flags,
        entered: Integers,
        pinned: Integers,
        frame: int,
    ) -> Options:
        """Return options with what each costs in this step, and the hypotheses that they lead to.

        Those are a step later: their frame is `entered` plus `step`. A jump keeps the character where it is
        and as it faces, see :meth:`placed`. Their `since` is a step after a jump, else that of the hypothesis
        and a step; their `node` is still the hypothesis's own.

        Parameters
        ----------
        rows
            The hypotheses, which are not changed.
        parent : (options,)
            The index of each option's hypothesis.
        jumped : (options,)
            Whether it jumps.
        entered : (options,)
            The flat frame from which it goes on as the step begins; where it jumps, the one it
            jumps to, else the hypothesis's own.
        pinned : (options,)
            How many pins are passed then.
        frame
            Of the result.

        Returns
        -------
        Options
            Its parts are (options,) each: "path" and "facing", the mean errors over the step times
            its seconds, from the frame after the first to the last, each frame of a timed target
            and every 0.05 s of a line; "join", the displacement (the joints' mean by weight) times
            how.cost over the character's size, and how.join, and how.again within a part, or 0
            without a jump; "progress", what the target's gain() gives; and "ahead", both errors
            together, at most 25 (CAP) a second, every 0.05 s of the time looked ahead behind the
            step, and the gain in that. All but "ahead" are added to the cost of its rows; "ahead"
            counts only in its score. `before` is the hypotheses' progress.
        """
        database, before = self.database, rows.at(parent)
        angle, place = self.placed(before, entered)
        angle = np.where(jumped, angle, before.angle)
        place = np.where(jumped[:, None], place, before.place)
        moved = dataclasses.replace(before, frame=entered, angle=angle, place=place)
        later = np.concatenate([self.now, self.step + self.ahead])
        ground, heading = self.world(moved, later)
        error = self.target.error(ground, heading, frame, later, before.progress)
        count, seconds = len(self.now), self.step / database.fps
        joined = np.zeros(len(parent))
        joined[jumped] = self.displacements(before.frame[jumped], entered[jumped])
        within = jumped & (database.part[before.frame] == database.part[entered])
        progress = error.progress[:, count - 1]
        behind = np.minimum(error.position + error.facing, CAP)[:, count:]
        parts = {
            "path": error.position[:, :count].mean(axis=1) * seconds,
            "facing": error.facing[:, :count].mean(axis=1) * seconds,
            "join": joined * (self.how.cost / database.size)
            + self.how.join * jumped
            + self.how.again * within,
            "progress": self.target.gain(progress - before.progress, self.step),
            "ahead": behind.sum(axis=1) * (AHEAD_EVERY if len(self.ahead) else 0.0),
        }
        if len(self.ahead):
            parts["ahead"] += self.target.gain(error.progress[:, -1] - progress, int(self.ahead[-1]))
        spent = parts["path"] + parts["facing"] + parts["join"] + parts["progress"]
        since = np.where(jumped, self.step, before.since + self.step)
        cost = before.cost + spent
        led = SearchRows(entered + self.step, angle, place, cost, since, progress, pinned, before.node)
        return Options(parent, jumped, entered, parts, led, before.progress)

    def placed(self, rows: SearchRows, entered: Integers) -> tuple[Array, Array]:
        """Return how the ground of other clips must be moved to take over from hypotheses: angles (n,),
        radians, and places (n, 2), metres.

        rows: hypotheses (n,). entered: flat frames (n,). A clip's ground is turned by the angle about the
        origin, then shifted by the place; the root then stands and faces as in the row.
        """
        base = self.database
        angle = rows.angle + base.heading[rows.frame] - base.heading[entered]
        return angle, self.locate(rows)[0] - turned(base.ground[entered], angle)

    def displacements(self, leaving: Integers, entered: Integers) -> Array:
        """Return what joins displace (n,), metre seconds: the mean over joints of the areas below their
        offsets.
        """
        return np.asarray(self.by_joint(leaving, entered) @ self.database.weights)

    def by_joint(self, leaving: Integers, entered: Integers) -> Array:
        """Return what joins displace each joint (n, joints), in metre seconds, 0 or more, without the joints'
        weights.

        leaving, entered: flat frames (n,): those at which the clips are left and entered. It is the unsigned
        area between the joint's decaying offset and zero, see :func:`displacement`, by the search's method
        and blend time, summed over three axes.
        """
        base, how = self.database, self.how
        x = base.positions[leaving].astype(float) - base.positions[entered].astype(float)
        v = base.velocities[leaving].astype(float) - base.velocities[entered].astype(float)
        return np.asarray(displacement(how.method, x, v, how.seconds).sum(axis=-1))


@record(frozen=True)
class SearchSettings:
    """How a way is searched.

    method, seconds: how transitions blend, by which a join's displacement is known exactly. cost: of a metre
    second of displacement, of a person; join: of each join beside it, and again: of one within a clip, which
    goes on much as before, and shows all the same. step: seconds between two decisions.
    width: how many hypotheses are kept; jumps: how many frames each may jump to. ahead: seconds. shortest:
    seconds between two joins. cell: metres, and same: seconds: of hypotheses that are nearer to each other in
    place and in their clip only the best is kept; 0 keeps all. reach: a jump to a frame that is nearer than
    so many seconds is none. rest: the seconds that a clip goes on for, at least, when it is entered. every:
    each so many frames are looked at, and of ``apart`` of these in a row only the nearest. pins, bans: what
    the animator asks for. fixed: the clips that are entered from the beginning on, each at its seconds;
    nothing else is, until the last of them. start_standing: begin where one stands still, if any clip does.
    moves: the clips that are played only when whoever steers asks for them.
    """

    method: Method = Method.SOFT
    seconds: float = 0.4
    cost: float = 220.0
    join: float = 0.0
    again: float = 0.3
    step: float = 0.1
    width: int = 48
    jumps: int = 8
    ahead: float = 0.75
    shortest: float = 0.3
    cell: float = 0.08
    same: float = 0.05
    reach: float = 1.0 / 6.0
    rest: float = 0.2
    every: int = 2
    apart: int = 5
    pins: tuple[Pin, ...] = ()
    bans: tuple[Ban, ...] = ()
    fixed: tuple[Pin, ...] = ()
    start_standing: bool = False
    moves: tuple[str, ...] = ()
