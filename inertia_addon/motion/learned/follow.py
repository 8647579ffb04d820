# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters that follow targets with a model: where they are, how they stand, and when they were projected.

As a game's search, a tenth of a second at a time: it sees a second of what is to be followed, and no further.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Sequence

import numpy as np

from ...settings.methods import Method
from ..arrays import Array, Flags, Integers
from ..matching import targets
from ..matching.engine import LATER
from ..matching.targets import Timed
from .model import Model
from .play import Player, Shown

EVERY = 6
"""Frames between two decisions."""
GAIN = 0.5
"""Who is projected must come nearer to what it asks for by so much, in squared distance of features."""
PULL = 1.0
"""Who is beside his target asks to be back by so much more than that: what is found gives but a part."""
LONGEST = 60
"""Nobody steps for more frames in a row: what a Stepper adds up goes astray."""


@dataclasses.dataclass(frozen=True, eq=False)
class Followed:
    """A character along its target, 60 times a second.

    positions: (frames, bones, 3) metres and rotations: (frames, bones, 4) in parents' spaces, see
    :mod:`play`; ground (frames, 2), heading (frames,); contacts (frames, feet). projected: at which frames.
    """

    positions: Array
    rotations: Array
    ground: Array
    heading: Array
    contacts: Flags
    projected: Integers


def steps(
    model: Model, aims: Sequence[Timed], method: Method = Method.SOFT, seconds: float = 0.4
) -> Generator[float, None, list[Followed]]:
    """Follow targets, a character each; yields the part that is done.

    aims: 60 frames a second. method, seconds: how joins blend. Raises InertiaError for a network that is not
    trained.
    """
    ground, heading = np.array([aim.ground[0] for aim in aims]), np.array([aim.facing[0] for aim in aims])
    player = Player(model, ground, heading, method, seconds)
    last = max(aim.frames for aim in aims)
    kept: list[Shown] = []
    projected: list[Flags] = []
    player.begin(*wanted(aims, player.shown(), 0))
    since = np.zeros(len(aims), np.int64)
    for frame in range(last):
        if frame:
            player.step()
            since += 1
        which = np.zeros(len(aims), bool)
        if frame and frame % EVERY == 0:
            asked = player.asked(*wanted(aims, player.shown(), frame))
            found, away, stays = player.found(asked)
            which = (away + GAIN < stays) | (since >= LONGEST)
            if which.any():
                player.take(found, which)
                since[which] = 0
        kept.append(player.shown())
        projected.append(which)
        yield (frame + 1) / last
    return [_followed(aim, i, kept, projected) for i, aim in enumerate(aims)]


def wanted(aims: Sequence[Timed], shown: Shown, frame: int) -> tuple[Array, Array]:
    """Where characters should go on, and face, seen from where they are: see :meth:`Player.asked`."""
    later, none = np.array(LATER), np.zeros(1)
    each = [aim.wanted(frame, later, none, np.zeros((1, len(later)))) for aim in aims]
    points, facing = (np.concatenate(both) for both in zip(*each, strict=True))
    here = np.stack([aim.ground[min(frame, aim.frames - 1)] for aim in aims])
    points = points + PULL * (here - shown.ground)[:, None]
    ways, turns = targets.seen_from(shown.ground, shown.heading, points, facing)
    turns = targets.wrapped(turns)
    turns[[aim.free for aim in aims]] = np.nan
    return ways, turns


def _followed(aim: Timed, i: int, kept: Sequence[Shown], projected: Sequence[Flags]) -> Followed:
    own = kept[: aim.frames]
    return Followed(
        np.stack([each.pose.positions[i] for each in own]),
        np.stack([each.pose.rotations[i] for each in own]),
        np.stack([each.ground[i] for each in own]),
        np.stack([each.heading[i] for each in own]),
        np.stack([each.pose.contacts[i] for each in own]),
        np.flatnonzero([which[i] for which in projected[: aim.frames]]),
    )
