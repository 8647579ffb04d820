# SPDX-License-Identifier: GPL-3.0-or-later
"""A character that a model plays, steered a frame at a time: each moment is a value, so that one can go back.

A point goes as it is wished, see :mod:`steering.point`. Ten times a second, and as soon as another thing is
wished, the model decides by the point's next second, as on a path, see :mod:`.follow`; but a join costs more,
as nobody knows how long a wish will stand, and a decision takes a few frames, so that none is late. What
draws the character to its point is kept apart from what the model plays, so that a decision sees the point
from where the character is.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from ...records import record
from ...settings.methods import Method
from ...settings.steering import SteerSettings, Wish
from ..arrays import Array
from ..matching.engine import FPS, LATER
from ..matching.features import turned
from ..matching.targets import Timed
from ..steering import fitted
from ..steering.fitted import FittedGait
from ..steering.point import Lead, Point
from ..steering.session import EVERY as KEPT
from .follow import AHEAD, EVERY, LONGEST, SEEN, Ahead, Aims, FollowedPath, PathCosts, try_joins, wanted
from .model import Model
from .play import CharacterStates, Player, Possible
from .tree import tree

JOIN = 14.0
"""What a join costs: more than on a path, see above."""
STAGES = (0, 12, SEEN, 42, AHEAD)
"""So many frames are looked at in one of the frames that a decision takes."""
SOON = 12
"""So many frames more are played at a time before they are looked at."""


@record(frozen=True, eq=False)
class LearnedThought:
    """A decision on the way. frame: at which it began. where: what lay ahead of the point then. tried: the
    character, joined to what the Projector has found, and costs: what that costs, as far as it is known."""

    frame: int
    where: Aims
    tried: Ahead
    costs: PathCosts

    def further(self) -> LearnedThought:
        """Return this decision a stage further."""
        tried = self.tried.copied()
        return dataclasses.replace(self, tried=tried, costs=tried.further(self.where, 0, self.costs))

    def joined(self, ahead: Ahead, frame: int) -> bool:
        """Join a character to the cheapest try, if any has a finite cost; return whether it was joined.

        If none has, nothing is changed. ahead: the character, changed in place if it is joined. frame: the
        present one; before the character is joined all that was tried is played on until then, in place.
        """
        if not np.isfinite(self.costs.costs).any():
            return False
        for _ in range(frame - self.frame):
            self.tried.go_on()
        # joined anew, as what was tried had left the pose that is shown a few frames ago
        ahead.take(self.tried.state(int(np.argmin(self.costs.costs))))
        return True


@record(frozen=True, eq=False)
class SteeredMoment:
    """A frame of a take, 60 times a second.

    frame: from 0. ahead: the character, and as far as it was played; since: frames since it was projected,
    and due: the frame of the next decision. shown: how the model has it, itself alone. projected: at which
    frames it was. ground (2,), heading: where it is, drawn to its point. thought: the decision on the way.
    """

    frame: int
    ahead: Ahead
    since: int
    due: int
    shown: CharacterStates
    projected: tuple[int, ...]
    ground: Array
    heading: float
    point: Point
    wish: Wish
    thought: LearnedThought | None = None

    @property
    def turn(self) -> float:
        """By how much it is turned from where the model has brought it, radians."""
        return self.heading - float(self.shown.heading[0])


class Steered:
    """How a character is steered with a model. method, seconds: how joins blend. answer: how wishes are
    answered. Raises InertiaError for a network that is not trained, and NoMotion for what no character does:
    numpy says nothing of numbers that grow beyond all bounds."""

    def __init__(
        self,
        model: Model,
        method: Method = Method.SOFT,
        seconds: float = 0.4,
        answer: SteerSettings | None = None,
    ) -> None:
        self.model, self._blend = model, (method, seconds)
        self.gait = gait_of(model)
        self.lead = Lead(self.gait, model.size, FPS, answer or SteerSettings())
        self._tree, self._possible = tree(model.skeleton.parents), Possible(model)
        self._seconds = np.arange(AHEAD + max(LATER) + 1) / FPS

    @np.errstate(all="ignore")
    def begin(self, ground: Array, heading: float, wish: Wish) -> SteeredMoment:
        """Return the first moment, at a place and a heading: standing, as far as the model can.

        Parameters
        ----------
        ground : (2,)
            The place, metres.
        heading
            Radians about the vertical from the x axis.
        wish
            What is wished from now on.

        Returns
        -------
        SteeredMoment
            Its frame is 0, its next decision (`due`) at frame 6.

        Raises
        ------
        ModelError
            The Projector or the Decompressor is not trained. It is an InertiaError.
        NoMotion
            The model plays what no character does.
        """
        point = Point.at_rest(ground, heading)
        player = Player(self.model, ground[None], np.array([heading]), *self._blend)
        player.begin(*wanted([self._aim(point, player.snapshot(), ground, 0.0)], player.snapshot(), 0))
        shown = player.snapshot()
        self._possible.check(player.values, None, shown)
        point, _ = self.lead.redirected(point, wish)
        return SteeredMoment(0, Ahead(player, self._tree), 0, EVERY, shown, (), ground, heading, point, wish)

    @np.errstate(all="ignore")
    def step(self, now: SteeredMoment, wish: Wish) -> SteeredMoment:
        """Return the next moment, a sixtieth of a second later, in which something is wished; `now` stays as
        it is.

        The model plays on for a frame, and the character is drawn to its point.

        If no decision is on its way and one is due, going on is judged, and a decision is begun if that costs
        more than 14, or if the last join was 60 frames ago or more. The next is due 6 frames later. A change
        of the wish's velocity or facing makes one due at once (with a filter only its letting go does), but
        does not drop one on its way. A decision takes a frame for each of its four stages; then the character
        is joined to the cheapest try, if one costs less than its limit, the next decision is due 12 frames
        later, and the frame is added to `projected`. On frames on which nothing is due or on its way up to 12
        frames more of the second ahead are played.

        A decision on its way is dropped if a filter lets go, and on frames at which a session keeps the
        moment (frame % 256 == 0): what was played ahead is dropped then, too.

        Raise ModelError (an InertiaError) if the Stepper is not trained, NoMotion for what no character does.
        """
        point, snaps = self.lead.redirected(now.point, wish)
        changes = (wish.x, wish.y, wish.facing) != (now.wish.x, now.wish.y, now.wish.facing)
        # what a filter smooths is nothing new, and what it lets go is decided anew at once
        changes = snaps if self.lead.how.is_filtered else changes
        frame, since = now.frame + 1, now.since + 1
        due = frame if changes else now.due
        ahead = now.ahead.copied()
        ahead.go_on()
        ground, heading = ahead.player.root
        way = turned(ground[0] - now.shown.ground[0], np.asarray(now.turn))
        turn = float(heading[0] - now.shown.heading[0])
        place, facing, point = self.lead.drawn(point, now.ground, now.heading, way, turn)
        projected, thought = now.projected, None if snaps else now.thought
        if thought is not None:
            thought = thought.further()
            if not thought.costs.left:
                if thought.joined(ahead, frame):
                    # who has just joined has all that is ahead still to be played
                    since, projected, due = 0, (*projected, frame), frame + 2 * EVERY
                thought = None
        elif frame < due:
            ahead.prepare(SOON)
        else:
            due = frame + EVERY
            aim = self._aim(point, ahead.player.snapshot(), place, facing - float(heading[0]))
            thought = _begun(ahead, aim, frame, overdue=since >= LONGEST)
        if frame % KEPT == 0:
            # this moment may be kept for long, and what follows goes by what is
            ahead, thought = ahead.copied(plays=False), None
        shown = ahead.player.snapshot()
        self._possible.check(ahead.player.values, now.shown, shown)
        return SteeredMoment(frame, ahead, since, due, shown, projected, place, facing, point, wish, thought)

    def _aim(self, point: Point, current: CharacterStates, ground: Array, turn: float) -> Timed:
        """Return what lies ahead of a point, seen from a character at a place (2,) of the ground.

        turn: of the ground from where the model has it, radians.
        """
        ways, facing = self.lead.gone(point, self._seconds)[0], self.lead.faced(point, self._seconds)[0]
        seen = turned(ways - ground, np.full(len(ways), -turn)) + current.ground[0]
        return Timed(seen, facing - turn, FPS, self.model.size)


def _begun(ahead: Ahead, aim: Timed, frame: int, *, overdue: bool) -> LearnedThought | None:
    """Return a decision that one character has begun, joined to what the Projector finds; None if going on
    costs no more than 14 (JOIN) and nothing is overdue.

    What it finds must cost at least JOIN less than going on; if overdue, anything counts. ahead: the
    character; its next second is played. aim: what it should follow, from now on. frame: of the take.
    overdue: begin it in any case.
    """
    where = Aims.stack([aim])
    (stays,) = ahead.costs(where, 0)
    if stays <= JOIN and not overdue:
        return None
    tried = try_joins(ahead, where, np.zeros(1, np.int64), 0)
    most = np.full(tried.player.count, np.inf if overdue else stays - JOIN)
    return LearnedThought(frame, where, tried, PathCosts.begin(tried.player.count, most, STAGES))


def gait_of(model: Model) -> FittedGait:
    """Return how a model's clips are moved: where it does not say so, at the speed that they have most."""
    return model.gait or FittedGait(fitted.USUAL, fitted.USUAL, ((0.0, model.pace),))


def take(led: Steered, moments: Sequence[SteeredMoment]) -> tuple[FollowedPath, Timed]:
    """Return what was steered: the character's motion, and the way of the point that led it, as a target.

    Each has one entry for each moment. The motion is drawn to the point: ground and heading are the moments'
    own, not those of the model alone; poses and contacts are as the model shows them; `projected` is that of
    the last moment. The target has the point's places and facings, which go on beyond half a turn without
    jumps, at 60 a second, and the model's size; facing is not free.

    led: with what it was steered. moments: all of the take, in order, at least one (ValueError); not changed.
    """
    poses = [each.shown.pose for each in moments]
    followed = FollowedPath(
        np.concatenate([pose.positions for pose in poses]),
        np.concatenate([pose.rotations for pose in poses]),
        np.stack([each.ground for each in moments]),
        np.array([each.heading for each in moments]),
        np.concatenate([pose.contacts for pose in poses]),
        np.array(moments[-1].projected, np.int64),
    )
    facing = np.unwrap(np.array([each.point.facing for each in moments]))
    places = np.stack([each.point.place for each in moments])
    return followed, Timed(places, facing, FPS, led.model.size)
