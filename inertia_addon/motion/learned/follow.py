# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters that follow targets with a model: where they are, how they stand, and when they were projected.

As a game's search, a tenth of a second at a time: it sees a second of what is to be followed, and no further.
What the Projector finds is tried before it is taken: the model plays that second from there, and as it goes
on now, and whichever leads nearer to the target without a sharp join is chosen, by the costs of a search
through clips, see :mod:`matching.targets`.
"""

from __future__ import annotations

import copy
from collections.abc import Generator, Sequence

import numpy as np

from ...records import record
from ...settings.methods import Method
from ..arrays import Array, Flags, Integers
from ..judging import changes
from ..matching import targets
from ..matching.engine import FPS, LATER
from ..matching.targets import Timed
from ..steps import quietly
from .model import Model
from .play import Player, Shown, joints, together
from .possible import Possible
from .tree import Tree, tree

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
ROWS = 2048
"""So many poses, or those of one moment, are looked at together."""
LONGEST = 60
"""Nobody steps for more frames in a row: what a Stepper adds up goes astray."""


@record(frozen=True, eq=False)
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
    trained, and NoMotion for what no character does.
    """
    return quietly(_steps(model, aims, method, seconds))


def _steps(
    model: Model, aims: Sequence[Timed], method: Method, seconds: float
) -> Generator[float, None, list[Followed]]:
    ground, heading = np.array([aim.ground[0] for aim in aims]), np.array([aim.facing[0] for aim in aims])
    player, possible = Player(model, ground, heading, method, seconds), Possible(model)
    skeleton = tree(model.skeleton.parents)
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
            shown = player.shown()
            found = np.stack([player.found(*wanted(aims, shown, frame, pull)) for pull in PULLS])
            places = [_places(skeleton, each) for each in (kept[-1], shown)]
            *joined, stays = _costs(player.tried(found), aims, frame, skeleton, places)
            which = (np.min(joined, axis=0) + JOIN < stays) | (since >= LONGEST)
            if which.any():
                player.take(found[np.argmin(joined, axis=0), np.arange(len(aims))], which)
                since[which] = 0
        kept.append(player.shown())
        possible.check(player.values, kept[-2] if frame else None, kept[-1])
        projected.append(which)
        yield (frame + 1) / last
    return [_followed(aim, i, kept, projected) for i, aim in enumerate(aims)]


def wanted(aims: Sequence[Timed], shown: Shown, frame: int, pull: float = 0.0) -> tuple[Array, Array]:
    """Where characters should go on, and face, seen from where they are: see :meth:`Player.asked`.

    pull: how many times as far as they are beside their targets they should go beyond these.
    """
    later, none = np.array(LATER), np.zeros(1)
    each = [aim.wanted(frame, later, none, np.zeros((1, len(later)))) for aim in aims]
    points, facing = (np.concatenate(both) for both in zip(*each, strict=True))
    here = np.stack([aim.ground[min(frame, aim.frames - 1)] for aim in aims])
    points = points + pull * (here - shown.ground)[:, None]
    ways, turns = targets.seen_from(shown.ground, shown.heading, points, facing)
    turns = targets.wrapped(turns)
    turns[[aim.free for aim in aims]] = np.nan
    return ways, turns


def _costs(
    tried: Player, aims: Sequence[Timed], frame: int, skeleton: Tree, places: Sequence[Array]
) -> Array:
    """What the second to come costs (times, characters), of characters that are tried several times over.

    places: where their joints (characters, bones, 3) were a frame ago, and are.
    """
    times = tried.count // len(aims)
    moments = []
    for _ in range(AHEAD):
        tried.step()
        moments.append(copy.copy(tried))
    until_now = [np.tile(each, (times, 1, 1)) for each in places]
    few = max(1, ROWS // tried.count)
    parts = [moments[start : min(start + few, SEEN)] for start in range(0, SEEN, few)]
    seen = np.concatenate([*until_now, *(_places(skeleton, together(each).shown()) for each in parts)])
    jumps = changes.velocity_changes(seen.reshape(-1, tried.count, *seen.shape[1:]), FPS)
    sharp = SHARP * (jumps.max(axis=0) / tried.model.size) ** 2
    ends = together(moments[APART - 1 :: APART]).root
    ground, heading = (np.moveaxis(each.reshape(-1, tried.count, *each.shape[1:]), 0, 1) for each in ends)
    later, none = np.arange(APART, AHEAD + 1, APART), np.zeros(times)
    errors = [
        aim.error(ground[i :: len(aims)], heading[i :: len(aims)], frame, later, none)
        for i, aim in enumerate(aims)
    ]
    away = np.stack([(error.position + error.facing).sum(axis=1) for error in errors], axis=1)
    return away * APART / FPS + sharp.reshape(times, -1)


def _places(skeleton: Tree, shown: Shown) -> Array:
    return joints(skeleton, shown.pose.positions, shown.pose.rotations, shown.ground, shown.heading)


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
