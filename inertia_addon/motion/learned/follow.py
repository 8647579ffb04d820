# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters that follow targets with a model: where they are, how they stand, and when they were projected.

As a game's search, a tenth of a second at a time: it sees a second of what is to be followed, and no further.
What the Projector finds is tried before it is taken: the model plays that second from there, and as it goes
on now, and whichever leads nearer to the target without a sharp join is chosen, by the costs of a search
through clips, see :mod:`matching.targets`.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Sequence

import numpy as np

from ...records import record
from ...settings.methods import Method
from ..arrays import Array, Flags, Integers
from ..judging.evidence import velocity_changes
from ..matching import targets
from ..matching.engine import FPS, LATER
from ..matching.targets import Timed
from ..steps import Steps, quietly
from .model import Model
from .networks import Numbers
from .play import CharacterStates, Player, Possible, lined_up, replaced, some_of
from .tree import PoseTree, tree

EVERY = 6
"""Frames between two decisions."""
PULLS = (0.0, 1.0)
"""Who is beside his target asks to be back in a second, and to be so many times as far on the other side."""
AHEAD, APART = 60, 3
"""So many frames are played to see where a choice leads, and it is looked at every so many of them."""
JOIN = 3.0
"""What a join costs, ..."""
SHARP = 100.0
"""... and what it costs for each (m/s)^2, of a person, that joints change their velocity by from one frame to
the next at the worst, ..."""
SEEN = 24
"""... of the first so many, about as many as a join blends over."""
STAGES = (0, 3, 9, 15, SEEN, 42, AHEAD)
"""After so many frames those are let go who cost too much already."""
ROWS = 512
"""So many poses, or those of one moment, are looked at together."""
LONGEST = 60
"""Nobody steps for more frames in a row: what a Stepper adds up goes astray."""


@record(frozen=True, eq=False)
class FollowedPath:
    """A character along its target, 60 times a second. positions: (frames, bones, 3) metres and rotations:
    (frames, bones, 4) in parents' spaces, see :mod:`play`; ground (frames, 2), heading (frames,); contacts
    (frames, feet). projected: at which frames."""

    positions: Array
    rotations: Array
    ground: Array
    heading: Array
    contacts: Flags
    projected: Integers


def steps(
    model: Model, aims: Sequence[Timed], method: Method = Method.SOFT, seconds: float = 0.4
) -> Steps[list[FollowedPath]]:
    """Follow targets with a model, a character each; yield progress from 0 to 1 and return the paths.

    Parameters
    ----------
    model
        The model.
    aims
        The targets, 60 frames a second; at least one.
    method
        How joins blend.
    seconds
        The blend time of joins, or the half-life for SPRING.

    Returns
    -------
    list[FollowedPath]
        What the steps return, in the order of the targets, each as long as its own.

    Raises
    ------
    ModelError
        A network that plays is not trained. It is an InertiaError.
    NoMotion
        The networks play what no character does.
    """
    return quietly(_steps(model, aims, method, seconds))


def _steps(model: Model, aims: Sequence[Timed], method: Method, seconds: float) -> Steps[list[FollowedPath]]:
    ground, heading = np.array([aim.ground[0] for aim in aims]), np.array([aim.facing[0] for aim in aims])
    player, possible = Player(model, ground, heading, method, seconds), Possible(model)
    last = max(aim.frames for aim in aims)
    shown: list[CharacterStates] = []
    projected: list[Flags] = []
    where = Aims.stack(aims)
    player.begin(*where.wanted(np.arange(len(aims)), player.snapshot(), 0))
    ahead = Ahead(player, tree(model.skeleton.parents))
    since = np.zeros(len(aims), np.int64)
    for frame in range(last):
        if frame:
            ahead.go_on()
            since += 1
        joined = np.zeros(len(aims), bool)
        if frame and frame % EVERY == 0:
            joined = _join(ahead, where, frame, since >= LONGEST)
            since[joined] = 0
        shown.append(ahead.player.snapshot())
        possible.check(ahead.player.values, shown[-2] if frame else None, shown[-1])
        projected.append(joined)
        yield (frame + 1) / last
    return _list_followed(aims, shown, np.array(projected))


def _join(ahead: Ahead, targets: Aims, frame: int, overdue: Flags) -> Flags:
    """Join characters to what the Projector finds where that pays, and return which were joined: flags (n,).

    ahead: the characters, changed in place. targets: theirs. frame: the present frame. overdue: (n,),
    characters that are joined if there is any way at all. Another one is joined if the best try costs less,
    by more than 3, than going on.
    """
    stays = ahead.costs(targets, frame)
    which = np.zeros(len(stays), bool)
    # a join costs something by itself: who goes on for less stays, whatever would be found
    asking = np.flatnonzero((stays > JOIN) | overdue)
    if not len(asking):
        return which
    times, most = len(PULLS), np.where(overdue, np.inf, stays - JOIN)[asking]
    tried = try_joins(ahead, targets, asking, frame)
    joined = tried.costs(targets, frame, np.tile(most, times)).reshape(times, -1)
    gains = np.flatnonzero(np.min(joined, axis=0) < most)
    which[asking[gains]] = True
    ahead.put(asking[gains], tried, np.argmin(joined, axis=0)[gains] * len(asking) + gains)
    return which


def try_joins(ahead: Ahead, targets: Aims, asking: Integers, frame: int) -> Ahead:
    """Return some characters, joined to what the Projector finds for them, once for each of PULLS (0 and 1).

    Parameters
    ----------
    ahead
        The characters, which are not changed.
    targets
        Those of all characters.
    asking : (n,)
        The indices of those who are joined.
    frame
        The present frame.

    Returns
    -------
    Ahead
        n characters for the first pull, then n for the next; each follows the target of its
        own.
    """
    player, times = ahead.player.some(asking), len(PULLS)
    shown = player.snapshot()
    states = np.stack([player.projected(*targets.wanted(asking, shown, frame, pull)) for pull in PULLS])
    before = np.tile(ahead.before[asking], (times, 1, 1))
    return Ahead(player.tried(states), ahead.skeleton, before, np.tile(asking, times))


def wanted(
    aims: Sequence[Timed], current: CharacterStates, frame: int, pull: float = 0.0
) -> tuple[Array, Array]:
    """Return where characters should go, and which way they should face, in 20, 40 and 60 frames.

    Parameters
    ----------
    aims
        A target for each character.
    current
        Where the characters are now.
    frame
        Of the targets.
    pull
        0 aims at the target's places; more aims beyond these, by the present way from the
        character to its target times `pull`.

    Returns
    -------
    tuple[Array, Array]
        Places (n, 3, 2), metres ahead and to the left of the character; and facings (n, 3),
        radians to the left, in [-pi, pi), NaN for a target that leaves facing free.
    """
    return Aims.stack(aims).wanted(np.arange(len(aims)), current, frame, pull)


@record(frozen=True, eq=False)
class Aims:
    """The targets of characters as arrays: ground (n, frames, 2) and facing (n, frames), which stay at their
    ends, for how many frames they last (n,), whether facing costs nothing (n,), and sizes (n,)."""

    ground: Array
    facing: Array
    lasting: Integers
    free: Flags
    size: Array

    @classmethod
    def stack(cls, aims: Sequence[Timed]) -> Aims:
        """Return targets as arrays, one character each, over the frames of the longest: (characters, frames,
        ...).

        aims: at least one; ValueError is raised for none. Targets that end earlier repeat their last place
        and facing; how long each lasts, whether it is free and its size are (characters,).
        """
        lasting = np.array([aim.frames for aim in aims])
        frames = np.minimum(np.arange(lasting.max()), lasting[:, None] - 1)
        ground = np.stack([aim.ground[at] for aim, at in zip(aims, frames, strict=True)])
        facing = np.stack([aim.facing[at] for aim, at in zip(aims, frames, strict=True)])
        free, size = np.array([aim.free for aim in aims]), np.array([aim.size for aim in aims], float)
        return cls(ground, facing, lasting, free, size)

    def wanted(
        self, rows: Integers, current: CharacterStates, frame: int, pull: float = 0.0
    ) -> tuple[Array, Array]:
        """Return where characters should go (n, 3, 2), metres ahead and to the left of each, and how they
        should be turned then (n, 3), radians to the left, from -pi to pi; in 20, 40 and 60 frames.

        rows: (n,), which target each of the current characters follows. frame: the present frame; behind a
        target's end its last place and facing count. pull: 0 aims at the target's places; more aims beyond
        these, by the present way from the character to its target times `pull`. Turns are NaN where facing is
        free.
        """
        last = self.ground.shape[1] - 1
        at = rows[:, None], np.minimum(frame + np.array(LATER), last)
        now = self.ground[rows, min(frame, last)]
        points = self.ground[at] + pull * (now - current.ground)[:, None]
        ways, turns = targets.to_local(current.ground, current.heading, points, self.facing[at])
        turns = targets.wrapped(turns)
        turns[self.free[rows]] = np.nan
        return ways, turns

    def away(self, rows: Integers, ground: Array, heading: Array, frames: Integers) -> Array:
        """Return what it costs a second to be elsewhere than the targets.

        Costs grow with the square: 0.1 m (for a person) costs 1, and so do 15 degrees. Behind a target's end
        they are 0, and facing costs nothing if it is free.

        Parameters
        ----------
        rows : (n,)
            Which target each follows.
        ground : (n, frames, 2)
            Places, metres.
        heading : (n, frames)
            Facings, radians.
        frames : (frames,)
            Of the targets.

        Returns
        -------
        Array (n, frames)
            Costs of place and facing together.
        """
        at = rows[:, None], np.minimum(frames, self.ground.shape[1] - 1)
        away, turned = ground - self.ground[at], heading - self.facing[at]
        near, aside = targets.errors(away, turned, self.size[rows, None])
        counts = frames < self.lasting[rows, None]
        return near * counts + aside * (counts & ~self.free[rows, None])


@record(frozen=True, eq=False)
class PathCosts:
    """What a second costs characters, as far as that is known. costs: (n,), inf for those who cost too much,
    or of whom that is not known yet. away, sharp, most: (m,) of those who are left, what their distance costs
    by now, by how much their joints change their velocity at the worst (m/s), and what they may cost. left:
    the frames that are still to be looked at."""

    costs: Array
    away: Array
    sharp: Array
    most: Array
    left: tuple[tuple[int, int], ...]

    @classmethod
    def begin(cls, count: int, most: Array | None = None, stages: tuple[int, ...] = STAGES) -> PathCosts:
        """Return the costs of characters of whom nothing is known yet.

        Parameters
        ----------
        count
            How many characters.
        most : (count,)
            The costs at which a character is let go; None for no limits.
        stages
            The frames, rising from 0, after which they are looked at; without limits only after
            the last, 60.

        Returns
        -------
        PathCosts
            All costs are inf.
        """
        stages = (0, AHEAD) if most is None else stages
        most = np.full(count, np.inf) if most is None else most
        none = np.zeros(count)
        return cls(np.full(count, np.inf), none, none, most, tuple(itertools.pairwise(stages)))


class Ahead:
    """Characters now, and as they go on if nobody is joined, as far as that was played. Nothing of it is
    played twice: what a decision looks at is what follows, unless it joins somebody."""

    def __init__(
        self, player: Player, skeleton: PoseTree, before: Array | None = None, rows: Integers | None = None
    ) -> None:
        """Start with characters as they are now; nothing ahead of them has been played yet.

        player: the characters. skeleton: the tree of their bones. before: where their joints were a frame ago
        (characters, bones, 3); None if unknown; then go on by a frame before asking for costs. rows:
        (characters,), which target each follows; None for one each, in order.
        """
        self.skeleton, self._moments = skeleton, [player]
        self._places: list[Array] = []
        self.before = np.empty(0) if before is None else before
        self._who = np.arange(player.count)
        self._rows = self._who if rows is None else rows

    @property
    def player(self) -> Player:
        """The characters now."""
        return self._moments[0]

    def copied(self, *, plays: bool = True) -> Ahead:
        """Return a copy of these characters that can go on without changing this object.

        plays: whether what was played of the time ahead is kept; False leaves only the present moment.
        """
        ahead = copy.copy(self)
        ahead._moments = self._moments[: None if plays else 1]
        ahead._places = self._places[: None if plays else 0]
        return ahead

    def go_on(self) -> None:
        """Go on by a frame, in place: the moment that was ahead becomes the present one.

        What had been played ahead is kept; a frame is played only if none had been.
        """
        self._play(2)
        self._look(2)
        self.before = self._places[0]
        del self._moments[0], self._places[0]

    def costs(self, aims: Aims, frame: int, most: Array | None = None) -> Array:
        """Return what the coming second, 60 frames, costs each character.

        It is the sum of two costs. The first is of the distance to the target: :meth:`Aims.away` on every
        third frame, 3 to 60, averaged. The second is of how sharply joints move: 100 times the square of the
        largest change of joint velocity from one frame to the next (m/s, rms over the joints, divided by the
        character's size), from `before` to 24 frames ahead.

        What is played for it is kept for going on. `before` must be known, and nobody may have been dropped
        yet.

        Parameters
        ----------
        aims
            The targets, of which each character follows its own.
        frame
            The present frame of the targets.
        most : (n,)
            Limits. Costs are looked at after 12, 24 and 60 frames, and a character that has reached
            its limit is dropped from this object. None has no limits and looks only after 60
            frames; it drops nobody whose cost is finite.

        Returns
        -------
        Array (n,)
            By the characters as they were at the call; inf for those who are dropped.
        """
        costs = PathCosts.begin(self.player.count, most)
        while costs.left:
            costs = self.further(aims, frame, costs)
        return costs.costs

    def further(self, aims: Aims, frame: int, before: PathCosts) -> PathCosts:
        """Play characters on by one stage, and return their costs, one stage further than `before` knows
        them.

        A stage is a pair (first, last) of frames ahead. It adds the cost of distance on every third frame
        behind `first`, up to `last`. The cost of sharpness, see :meth:`costs`, is that of as many of the
        first 24 frames as have been played. Whoever's sum reaches its limit is dropped from this object.

        Parameters
        ----------
        aims
            The targets, of which each character follows its own.
        frame
            The present frame of the targets.
        before
            What is known, of the characters that are left; it is not changed. ValueError is raised
            if no stages are left in it.

        Returns
        -------
        PathCosts
            `costs` has all characters of `before.costs`; all are inf until the last stage, which
            fills in the sums of those left. `away` is what the distances of those left cost so far,
            without sharpness, and `most` are their limits. `left` are the stages still to come; none
            if nobody is left.
        """
        (first, last), *left = before.left
        frames = np.arange(first + APART, last + 1, APART)
        self._play(last + 1)
        roots = lined_up([self._moments[later] for later in frames.tolist()]).root
        ground, heading = (
            each.reshape(len(frames), self.player.count, *each.shape[1:]).swapaxes(0, 1) for each in roots
        )
        away = aims.away(self._rows, ground, heading, frame + frames).sum(axis=1) * APART / FPS + before.away
        seen = min(last, SEEN) + 1
        self._look(seen)
        # from the last two on that were looked at before
        trail = [self.before, *self._places[:seen]][min(first, SEEN) :]
        jumps = velocity_changes(np.stack(trail), FPS)
        sharp = np.maximum(before.sharp, jumps.max(axis=0, initial=0.0))
        costs = away + SHARP * (sharp / self.player.model.size) ** 2
        rows = np.flatnonzero(costs < before.most)
        if len(rows) < len(before.most):
            # the others are let go
            self._moments = some_of(self._moments, rows)
            self._places = [places[rows] for places in self._places]
            self.before, self._who, self._rows = self.before[rows], self._who[rows], self._rows[rows]
        whole = before.costs
        if not left:
            whole = whole.copy()
            whole[self._who] = costs[rows]
        left = left if len(rows) else []
        return PathCosts(whole, away[rows], sharp[rows], before.most[rows], tuple(left))

    def prepare(self, count: int) -> None:
        """Play some more of the second to come, so that there is less to do when that is looked at."""
        self._play(min(len(self._moments) + count, AHEAD + 1))

    def state(self, who: int) -> Numbers:
        """Return the features and latents (1, columns + latents) of one of the characters that are left."""
        return self.player.state[np.searchsorted(self._who, [who])]

    def take(self, state: Numbers) -> None:
        """Have all characters go on from features and latents (n, columns + latents), joined to how they
        went on."""
        player = copy.copy(self.player)
        player.take(state, np.ones(player.count, bool))
        self._moments, self._places = [player], []

    def put(self, indices: Integers, donors: Ahead, who: Integers) -> None:
        """Replace some characters by others that were played as far, in place.

        All moments are replaced, and the places of joints in them. Where joints were a frame ago (`before`),
        and which targets the characters follow, stays.

        Parameters
        ----------
        indices : (n,)
            Which characters, by their present position in this object; none changes nothing.
        donors
            The others, which are not changed; as many moments of them must have been played, and
            looked at, as of these.
        who : (n,)
            Their numbers among the donors before any of these were dropped, one for each index;
            they must not have been dropped themselves, which is not checked.

        Raises
        ------
        ValueError
            Other moments are played, and nothing has changed; or as many are played and others
            looked at, and the moments have been replaced already.
        """
        if len(indices):
            rows = np.searchsorted(donors._who, who)
            chosen = some_of(donors._moments, rows)
            self._moments = replaced(self._moments, indices, chosen)
            # in new arrays: those of a moment are its own for good
            self._places = [places.copy() for places in self._places]
            for places, others in zip(self._places, donors._places, strict=True):
                places[indices] = others[rows]

    def _play(self, count: int) -> None:
        """Play on, in place, until `count` moments are known, with the present one; those already known are
        kept.
        """
        if len(self._moments) < count:
            self._moments += self._moments[-1].after(count - len(self._moments))

    def _look(self, count: int) -> None:
        """Compute where joints are, in place, in the first `count` moments, which must have been played
        already.
        """
        few = max(1, ROWS // self.player.count)
        while len(self._places) < count:
            moments = self._moments[len(self._places) : min(len(self._places) + few, count)]
            places = lined_up(moments).joints(self.skeleton)
            self._places += [*places.reshape(len(moments), self.player.count, *places.shape[1:])]


def _list_followed(
    aims: Sequence[Timed], moments: Sequence[CharacterStates], projected: Flags
) -> list[FollowedPath]:
    """Return the paths of characters, in order, each as long as its target.

    aims: the targets. moments: all characters on each frame, from the first on, as many as the longest target
    has. projected: (frames, characters), on which frames each was joined; in a path these are indices of
    frames.
    """
    poses = [each.pose for each in moments]
    # of all characters at once: one by one takes ten times as long
    positions, rotations = (
        np.stack([getattr(pose, name) for pose in poses], axis=1) for name in ("positions", "rotations")
    )
    contacts = np.stack([pose.contacts for pose in poses], axis=1)
    ground, heading = (
        np.stack([getattr(each, name) for each in moments], axis=1) for name in ("ground", "heading")
    )
    return [
        FollowedPath(
            positions[i, : aim.frames],
            rotations[i, : aim.frames],
            ground[i, : aim.frames],
            heading[i, : aim.frames],
            contacts[i, : aim.frames],
            np.flatnonzero(projected[: aim.frames, i]),
        )
        for i, aim in enumerate(aims)
    ]
