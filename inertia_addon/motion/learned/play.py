# SPDX-License-Identifier: GPL-3.0-or-later
"""Plays a model: characters that step, pose themselves and are projected to where they should go on.

As many characters as wanted at once, 60 times a second. When a character is projected, what differs between
how it went on and how it goes on now decays on top of it, as between two clips: the same offsets and curves.
Ground and headings are Blender's, x, y and radians; poses are in the space of the simulation bone, Y up, see
:mod:`matching.engine`.
"""

from __future__ import annotations

import copy
import dataclasses

import numpy as np

from ...settings.methods import Method
from ..arrays import Array, Flags
from ..decay import decay, offset
from ..decay.decay import Decay
from ..decay.offset import Decomposition, Motion, Velocity
from ..matching.engine import FPS
from .material import Pose, posed
from .model import TRAJECTORY, Model
from .networks import Numbers

TICK = 1.0 / FPS
SETTLED = 12.0
"""After so many half-lives a spring has nothing left to see."""


@dataclasses.dataclass(frozen=True, eq=False)
class Shown:
    """How characters stand: their poses, ground (n, 2) metres and heading (n,) radians."""

    pose: Pose
    ground: Array
    heading: Array


@dataclasses.dataclass(frozen=True, eq=False)
class _Offset:
    """What decays: offsets and rates (n, things, 3), and how."""

    x: Array
    v: Array
    decay: Decay

    def at(self, seconds: Array) -> Array:
        """What is left so many seconds (n,) later."""
        return decay.evaluate(self.decay, self.x, self.v, seconds[:, None])


class Player:
    """Characters that a model plays. Nothing that it gives away changes later."""

    def __init__(
        self,
        model: Model,
        ground: Array,
        heading: Array,
        method: Method = Method.SOFT,
        seconds: float = 0.4,
    ) -> None:
        """Characters that stand on the ground (n, 2) and face headings (n,), in a mean pose until they are
        projected. method, seconds: how what differs decays."""
        self.model, self.method, self.seconds = model, method, seconds
        count, bones = len(heading), model.rows.bones
        self._state = np.zeros((count, model.features + model.latents), np.float32)
        self._ground, self._heading = np.array(ground, float), np.array(heading, float)
        self._since = np.full(count, np.inf)
        self._offsets = [self._none(count, things) for things in (bones, bones, 1)]
        self._row: Numbers | None = None

    @property
    def features(self) -> Numbers:
        """The features (n, columns) of the present poses, a view."""
        return self._state[:, : self.model.features]

    def _none(self, count: int, things: int) -> _Offset:
        nothing = np.zeros((count, things, 3))
        return _Offset(nothing, nothing, self._decay(nothing, nothing))

    def _decay(self, x: Array, v: Array) -> Decay:
        return decay.make(self.method, x, v, np.full(x.shape[:-1], self.seconds))

    @property
    def _values(self) -> Numbers:
        """What the Decompressor gives now."""
        if self._row is None:
            self._row = self.model.network("decompressor").played(self._state)
        return self._row

    @property
    def _left(self) -> list[Array] | None:
        """What is left of all offsets; None where nothing is."""
        lasting = self.seconds * (SETTLED if self.method is Method.SPRING else 1.0)
        if not (self._since < lasting).any():
            return None
        seconds = np.minimum(self._since, lasting)
        fades = [each.at(seconds) for each in self._offsets]
        for each in fades:
            each[self._since >= lasting] = 0.0
        return fades

    def shown(self) -> Shown:
        """How all characters stand now."""
        pose, left = posed(self.model.rows, self._values), self._left
        if left is None:
            return Shown(pose, self._ground, self._heading)
        positions = offset.onto_vectors(pose.positions, left[0])
        rotations = offset.onto_rotations(pose.rotations, left[1])
        pose = dataclasses.replace(pose, positions=positions, rotations=rotations)
        return Shown(pose, self._ground + left[2][:, 0, :2], self._heading + left[2][:, 0, 2])

    def step(self) -> None:
        """Go on by a sixtieth of a second."""
        rows, values = self.model.rows, self._values
        aside, ahead = (values[:, rows.root_velocity.start + i] for i in (0, 2))
        # as complex numbers: ahead is along the heading, and aside to the left of it
        way = (ahead + 1j * aside) * np.exp(1j * self._heading)
        self._ground = self._ground + TICK * way.view(float).reshape(-1, 2)
        self._heading = self._heading + TICK * values[:, rows.root_spin.start + 1]
        rates = self.model.network("stepper").played(self._state)
        self._take(self._state + np.float32(TICK) * rates)
        self._since = self._since + TICK

    def _take(self, state: Numbers) -> None:
        self._state, self._row = state, None

    def asked(self, ways: Array, turns: Array) -> Numbers:
        """Queries (n, columns): the present poses, and where they shall go.

        ways: (n, 3, 2) metres ahead and to the left in 20, 40 and 60 frames; turns: (n, 3) radians to the
        left. A turn that is no number is as frames have it on average.
        """
        wanted = np.concatenate(
            [
                ways[..., ::-1].reshape(len(ways), -1),
                np.stack([np.sin(turns), np.cos(turns)], -1).reshape(len(turns), -1),
            ],
            axis=1,
        )
        normal = (wanted - self.model.offsets[-TRAJECTORY:]) / self.model.scales[-TRAJECTORY:]
        found = self.features.copy()
        found[:, -TRAJECTORY:] = np.nan_to_num(normal)
        return found

    def found(self, asked: Numbers) -> tuple[Numbers, Array, Array]:
        """What the Projector finds for queries: features and latents (n, columns + latents), how far that
        still is from them (n,), and how far what is played is; squared distances of features."""
        found = self.model.network("projector").played(asked)
        columns = self.model.features
        away = np.sum((found[:, :columns] - asked) ** 2, axis=1, dtype=float)
        return found, away, np.sum((self.features - asked) ** 2, axis=1, dtype=float)

    def begin(self, ways: Array, turns: Array, times: int = 4) -> None:
        """Take poses that go on as wanted, see :meth:`asked`, without anything that decays."""
        for _ in range(times):
            self._take(self.found(self.asked(ways, turns))[0])

    def take(self, found: Numbers, which: Flags) -> None:
        """Let some characters (n,) go on from features and latents, joined by inertialization."""
        before = self._moving()
        self._ground = np.where(which[:, None], before[0].ground, self._ground)
        self._heading = np.where(which, before[0].heading, self._heading)
        self._take(np.where(which[:, None], found, self._state))
        self._since = np.where(which, np.inf, self._since)
        made = self._differing(before, self._moving())
        self._offsets = [self._mixed(new, old, which) for new, old in zip(made, self._offsets, strict=True)]
        self._since = np.where(which, 0.0, self._since)

    def _moving(self) -> tuple[Shown, Shown]:
        """How characters stand, and how they would a frame later."""
        later = copy.copy(self)
        later.step()
        return self.shown(), later.shown()

    def _differing(self, before: tuple[Shown, Shown], after: tuple[Shown, Shown]) -> list[_Offset]:
        how = Decomposition.ROTATION_VECTOR, Velocity.RELATIVE
        places, turns, roots = (
            [_motion(*(read(shown) for shown in two)) for two in (before, after)]
            for read in (_places, _turns, _root)
        )
        found = [
            offset.of_vectors(places[0], places[1], *how),
            offset.of_rotations(turns[0], turns[1], *how),
            offset.of_vectors(roots[0], roots[1], *how),
        ]
        return [_Offset(each.x, each.v, self._decay(each.x, each.v)) for each in found]

    def _mixed(self, new: _Offset, old: _Offset, which: Flags) -> _Offset:
        x, v = (np.where(which[:, None, None], *both) for both in ((new.x, old.x), (new.v, old.v)))
        pull = np.where(which[:, None], new.decay.pull, old.decay.pull)
        return _Offset(x, v, dataclasses.replace(new.decay, pull=pull))


def _motion(now: Array, later: Array) -> Motion:
    return Motion(now, now, later, TICK)


def _places(shown: Shown) -> Array:
    return shown.pose.positions


def _turns(shown: Shown) -> Array:
    return shown.pose.rotations


def _root(shown: Shown) -> Array:
    return np.concatenate([shown.ground, shown.heading[:, None]], axis=1)[:, None]
