# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes: what is wished, instant by instant, as time goes on; and a few seconds may be taken back.

What was wished is kept as the rows of a file are, so that the same take comes of them.
"""

from __future__ import annotations

import bisect
import dataclasses
from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

from ...records import record
from ...settings.steering import Wish
from ..arrays import Array
from ..steps import Steps
from .point import Lead, Point

STILL = Wish(0.0, 0.0, 0.0)
RECENT, EVERY = 1024, 256
"""So many of the last moments are kept, and before these each so many: who goes back further is steered anew
from one of those, and a long take needs no more memory than a short one."""


@record(frozen=True)
class Wishes:
    """Wishes, frame by frame: each holds until the next one, and the last says where they end.

    starts: the frames at which they begin, rising from 0. frames: how many there are in all."""

    starts: tuple[int, ...]
    each: tuple[Wish, ...]
    frames: int

    @classmethod
    def of(cls, rows: Sequence[Wish], fps: float) -> Wishes:
        """Return wishes by frames, so many a second, counted from the first; of those that begin at the same
        frame the last one counts. The last row ends the take.
        """
        begins = [round((row.seconds - rows[0].seconds) * fps) for row in rows]
        kept = dict(zip(begins[:-1], rows[:-1], strict=True))
        return cls(tuple(kept), tuple(kept.values()), begins[-1] + 1)

    def at(self, frame: int) -> Wish:
        """Return what is wished at a frame."""
        return self.each[max(bisect.bisect_right(self.starts, frame) - 1, 0)]


class MomentView(Protocol):
    """What is known of each moment of a take."""

    @property
    def frame(self) -> int:
        """From 0."""

    @property
    def ground(self) -> Array:
        """Where the character is (2,), metres."""

    @property
    def heading(self) -> float:
        """Which way it faces, radians."""

    @property
    def point(self) -> Point:
        """What leads it."""

    @property
    def wish(self) -> Wish:
        """What is wished."""


Moment = TypeVar("Moment", bound=MomentView)


class MomentSource(Protocol[Moment]):
    """What steers a character: a search through clips, or a model."""

    @property
    def lead(self) -> Lead:
        """How its point leads."""

    def begin(self, ground: Array, heading: float, wish: Wish) -> Moment:
        """Return the first moment of a take.

        Parameters
        ----------
        ground : (2,)
            Where the character is, metres.
        heading
            Which way it faces, radians about the vertical from the x axis.
        wish
            What is wished from then on.

        Returns
        -------
        Moment
            Its frame is 0.
        """

    def step(self, now: Moment, wish: Wish) -> Moment:
        """Return the next moment, in which something is wished."""


def steps(led: MomentSource[Moment], wishes: Wishes, ground: Array, heading: float) -> Steps[list[Moment]]:
    """Steer a whole take; yield progress below 1 and return the moments.

    Parameters
    ----------
    led
        What steers; its errors get through.
    wishes
        What is wished, frame by frame.
    ground : (2,)
        The first place, metres.
    heading
        The first facing, radians.

    Returns
    -------
    list[Moment]
        What the steps return: one for each frame of the wishes, at least one.
    """
    moments = [led.begin(ground, heading, wishes.at(0))]
    for frame in range(1, wishes.frames):
        moments.append(led.step(moments[-1], wishes.at(frame)))
        yield frame / wishes.frames
    return moments


class Session(Generic[Moment]):
    """A take that begins at a place (2,), metres, and faces so, radians; or that goes on behind some of its
    moments. moments: the last ones, as many as are kept. frames: how many there were in all."""

    def __init__(self, led: MomentSource[Moment], ground: Array, heading: float) -> None:
        self.led, self.wished = led, STILL
        self.moments = [led.begin(ground, heading, STILL)]
        self._earlier: list[Moment] = []
        self._rows, self._move = [STILL], ""

    @classmethod
    def resume(cls, led: MomentSource[Moment], asked: Wishes, moments: Sequence[Moment]) -> Session[Moment]:
        """Return a session that continues a take.

        Parameters
        ----------
        led
            What steers.
        asked
            The take's wishes. Those that start at a frame behind the last moment are dropped; the
            others are recorded, with their seconds worked out anew from their frames at the
            lead's rate.
        moments
            All moments from the first on, at least one. Of these the session keeps the last
            RECENT, and before them each EVERY-th.

        Returns
        -------
        Session[Moment]
            What is wished now is the last wish that is left. No move is waiting.
        """
        session = cls.__new__(cls)
        session.led, session.moments, session._earlier = led, [], []
        for moment in moments:
            session._keep_moment(moment)
        session._rows = [
            dataclasses.replace(wish, seconds=frame / led.lead.fps)
            for frame, wish in zip(asked.starts, asked.each, strict=True)
            if frame < len(moments)
        ]
        session.wished, session._move = session._rows[-1], ""
        return session

    @property
    def now(self) -> Moment:
        """The last moment."""
        return self.moments[-1]

    @property
    def frames(self) -> int:
        """How many moments it has had by now."""
        return self.now.frame + 1

    @property
    def seconds(self) -> float:
        """How long it lasts by now."""
        return self.now.frame / self.led.lead.fps

    def wish(self, x: float, y: float, facing: float | None = None) -> None:
        """Wish a velocity and a facing from the next frame on, until something else is wished.

        Parameters
        ----------
        x, y
            The velocity, metres a second along the world's axes, or where a stick is, if the
            settings say so.
        facing
            Degrees about the vertical from the x axis; None to face along the velocity.
        """
        self.wished = Wish(0.0, x, y, facing).rounded

    def move(self, name: str) -> None:
        """Have a move played, once, from the next frame on."""
        self._move = name

    def step(self) -> Moment:
        """Go on by a frame and return the new moment, which is kept as the last one.

        What is wished now counts. It is added to the record of wishes only where it differs from the last one
        recorded. A move that was wished is passed on with this one step, and then forgotten. What the
        steering raises gets through; then the wish is recorded and the move forgotten, but no moment is
        added.
        """
        seconds = self.frames / self.led.lead.fps
        wish, self._move = dataclasses.replace(self.wished, seconds=seconds, move=self._move), ""
        if dataclasses.replace(self._rows[-1], seconds=seconds) != wish:
            self._rows.append(wish)
        self._keep_moment(self.led.step(self.now, wish))
        return self.now

    def _keep_moment(self, moment: Moment) -> None:
        self.moments.append(moment)
        if len(self.moments) > RECENT:
            first = self.moments.pop(0)
            if first.frame % EVERY == 0:
                self._earlier.append(first)

    def back(self, seconds: float) -> list[Moment]:
        """Take the last `seconds` back, but never the first moment; return the moments that had to be steered
        again, in order, or [].

        The take then ends with the moment that is so many frames earlier, rounded, and the recorded wishes
        since are forgotten. What is wished now, and a move not yet begun, stay and count for the next step.
        Moments are steered again only if those needed are no longer kept: from the nearest earlier one that
        is, by the recorded wishes.
        """
        fps = self.led.lead.fps
        count = max(self.frames - round(seconds * fps), 1)
        self._rows = [row for row in self._rows if round(row.seconds * fps) < count]
        while self.moments and self.now.frame >= count:
            self.moments.pop()
        if not self.moments:
            while self._earlier[-1].frame >= count:
                self._earlier.pop()
            self.moments.append(self._earlier.pop())
        kept = len(self.moments)
        asked = Wishes.of((*self._rows, dataclasses.replace(self._rows[-1], seconds=count / fps)), fps)
        while self.frames < count:
            self._keep_moment(self.led.step(self.now, asked.at(self.frames)))
        return self.moments[kept:]

    def rows(self) -> tuple[Wish, ...]:
        """Return what was wished, the last row with the time when it ends."""
        return (*self._rows, dataclasses.replace(self._rows[-1], seconds=self.seconds, move=""))
