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
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...records import record
from ...settings.methods import Method
from .. import quaternion
from ..arrays import Array, Flags, Integers
from ..decay import decay, offset
from ..decay.decay import Decay
from ..decay.offset import Decomposition, Motion, Velocity
from ..matching.engine import FPS
from .material import Pose, posed
from .model import TRAJECTORY, Model
from .networks import Numbers
from .tree import COLUMNS, POSITION, Tree, cross, rotated, turned

TICK = 1.0 / FPS
SETTLED = 12.0
"""After so many half-lives a spring has nothing left to see."""


@record(frozen=True, eq=False)
class Shown:
    """How characters stand: their poses, ground (n, 2) metres and heading (n,) radians."""

    pose: Pose
    ground: Array
    heading: Array


@record(frozen=True, eq=False)
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
    def count(self) -> int:
        """How many characters there are."""
        return len(self._state)

    @property
    def features(self) -> Numbers:
        """The features (n, columns) of the present poses, a view."""
        return self._state[:, : self.model.features]

    @property
    def state(self) -> Numbers:
        """Features and latents (n, columns + latents), by which they go on."""
        return self._state

    def _none(self, count: int, things: int) -> _Offset:
        nothing = np.zeros((count, things, 3))
        return _Offset(nothing, nothing, self._decay(nothing, nothing))

    def _decay(self, x: Array, v: Array) -> Decay:
        return decay.make(self.method, x, v, np.full(x.shape[:-1], self.seconds))

    @property
    def values(self) -> Numbers:
        """What the Decompressor gives now (n, rows.size)."""
        if self._row is None:
            self._row = self.model.network("decompressor").played(self._state)
        return self._row

    @property
    def _going(self) -> Numbers:
        """The simulation bone's velocity and angular velocity (n, 6), in its own space."""
        if self._row is None:
            return self.model.going.played(self._state)
        return self._row[:, self.model.rows.root]

    def _left(self, offsets: Sequence[_Offset]) -> list[Array] | None:
        """What is left of offsets; None where nothing is."""
        lasting = self.seconds * (SETTLED if self.method is Method.SPRING else 1.0)
        if not (self._since < lasting).any():
            return None
        seconds = np.minimum(self._since, lasting)
        fades = [each.at(seconds) for each in offsets]
        for each in fades:
            each[self._since >= lasting] = 0.0
        return fades

    def shown(self) -> Shown:
        """How all characters stand now."""
        pose, left = posed(self.model.rows, self.values), self._left(self._offsets[:2])
        if left is not None:
            positions = offset.onto_vectors(pose.positions, left[0])
            rotations = offset.onto_rotations(pose.rotations, left[1])
            pose = dataclasses.replace(pose, positions=positions, rotations=rotations)
        return Shown(pose, *self.root)

    def joints(self, skeleton: Tree) -> Array:
        """Where all joints are (n, bones, 3), as :func:`joints` has them of what is shown, but for rounding:
        in a third of the time."""
        rows, given = self.model.rows, self.model.standing.played(self._state)
        positions, columns = (
            np.ascontiguousarray(given[:, part].reshape(len(given), rows.bones, -1)[:, skeleton.order].T)
            for part in (rows.positions, rows.turns)
        )
        turns, _ = turned(columns.reshape(3, 2, *columns.shape[1:]))
        left = self._left(self._offsets[:2])
        if left is not None:
            moved, swung = (each[:, skeleton.order].T.astype(np.float32) for each in left)
            positions += moved
            for axis in range(2):
                turns[:, axis] = rotated(turns[:, axis], swung)
            cross(turns[:, 0], turns[:, 1], out=turns[:, 2])
        return _placed(skeleton.places(turns, positions), *self.root)

    @property
    def root(self) -> tuple[Array, Array]:
        """Where all characters are: ground (n, 2) and heading (n,)."""
        left = self._left(self._offsets[2:])
        if left is None:
            return self._ground, self._heading
        return self._ground + left[0][:, 0, :2], self._heading + left[0][:, 0, 2]

    def step(self) -> None:
        """Go on by a sixtieth of a second."""
        aside, _, ahead, _, spin, _ = self._going.T
        # as complex numbers: ahead is along the heading, and aside to the left of it
        way = (ahead + 1j * aside) * np.exp(1j * self._heading)
        self._ground = self._ground + TICK * way.view(float).reshape(-1, 2)
        self._heading = self._heading + TICK * spin
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

    def found(self, ways: Array, turns: Array) -> Numbers:
        """What the Projector finds for queries, see :meth:`asked`: features and latents (n, columns +
        latents)."""
        return self.model.network("projector").played(self.asked(ways, turns))

    def begin(self, ways: Array, turns: Array, times: int = 4) -> None:
        """Take poses that go on as wanted, see :meth:`asked`, without anything that decays."""
        for _ in range(times):
            self._take(self.found(ways, turns))

    def take(self, found: Numbers, which: Flags) -> None:
        """Let some characters (n,) go on from features and latents, joined by inertialization."""
        before = self._moving()
        self._ground = np.where(which[:, None], before[0].ground, self._ground)
        self._heading = np.where(which, before[0].heading, self._heading)
        self._take(np.where(which[:, None], found, self._state))
        self._since = np.where(which, np.inf, self._since)
        made = self._differing(before, self._moving())

        def either(arrays: Sequence[Array]) -> Array:
            new, old = arrays
            return np.where(which.reshape(-1, *[1] * (new.ndim - 1)), new, old)

        self._offsets = _offsets([made, self._offsets], either)
        self._since = np.where(which, 0.0, self._since)

    def tried(self, found: Numbers) -> Player:
        """These characters several times over, one time behind the other: joined to each of what was found
        (times, n, columns + latents)."""
        many = together([self] * len(found))
        many.take(np.concatenate(found), np.ones(many.count, bool))
        return many

    def some(self, rows: Integers) -> Player:
        """Those characters alone."""
        return _mixed([self], lambda arrays: arrays[0][rows])

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


Mix = Callable[[Sequence[Any]], Any]
"""Makes an array by characters of some."""


def _offsets(several: Sequence[Sequence[_Offset]], mix: Mix) -> list[_Offset]:
    """Offsets that are mixed of those of several players, who blend alike."""
    found = []
    for each in zip(*several, strict=True):
        decays = [own.decay for own in each]
        seconds, pull = mix([own.seconds for own in decays]), mix([own.pull for own in decays])
        x, v = mix([own.x for own in each]), mix([own.v for own in each])
        found.append(_Offset(x, v, Decay(decays[0].method, seconds, pull)))
    return found


def _mixed(players: Sequence[Player], mix: Mix, offsets: list[_Offset] | None = None) -> Player:
    """The characters of players of one model, who blend alike. offsets: what decays, where it is known."""
    found = copy.copy(players[0])
    found._take(mix([own._state for own in players]))
    found._ground = mix([own._ground for own in players])
    found._heading = mix([own._heading for own in players])
    found._since = mix([own._since for own in players])
    found._offsets = _offsets([own._offsets for own in players], mix) if offsets is None else offsets
    return found


def together(players: Sequence[Player]) -> Player:
    """The characters of players of one model, who blend alike, one lot behind the other."""
    return _mixed(players, np.concatenate)


def replaced(moments: Sequence[Player], which: Integers, others: Sequence[Player]) -> list[Player]:
    """The moments of characters, between which nobody is joined, with others in the place of some."""

    def put(arrays: Sequence[Array]) -> Array:
        found = arrays[0].copy()
        found[which] = arrays[1]
        return found

    offsets = _offsets([moments[0]._offsets, others[0]._offsets], put)
    return [_mixed(each, put, offsets) for each in zip(moments, others, strict=True)]


def joints(skeleton: Tree, positions: Array, rotations: Array, ground: Array, heading: Array) -> Array:
    """Where all joints are (n, bones, 3), metres, Y up, the bones level by level as the tree has them.

    positions: (n, bones, 3) and rotations: (n, bones, 4), in parents' spaces, of characters at ground (n, 2)
    that face headings (n,).
    """
    local = np.zeros((*positions.shape, COLUMNS))
    local[..., :POSITION], local[..., POSITION] = quaternion.to_matrix(rotations), positions
    seen, _ = skeleton.follow(np.ascontiguousarray(local[:, skeleton.order].transpose(2, 3, 1, 0)))
    return _placed(seen[:, POSITION], ground, heading)


def _placed(places: Numbers, ground: Array, heading: Array) -> Array:
    """Where joints are (n, bones, 3) whose places are (3, bones, n) seen from characters on the ground."""
    x, y, z = places
    # turned about the vertical, which is quicker than by quaternions
    cos, sin = (each(heading + 0.5 * np.pi).astype(places.dtype) for each in (np.cos, np.sin))
    # the ground may be far away, where single precision has few digits left
    return np.stack([cos * x + sin * z + ground[:, 0], y, cos * z - sin * x - ground[:, 1]]).T


def _motion(now: Array, later: Array) -> Motion:
    return Motion(now, now, later, TICK)


def _places(shown: Shown) -> Array:
    return shown.pose.positions


def _turns(shown: Shown) -> Array:
    return shown.pose.rotations


def _root(shown: Shown) -> Array:
    return np.concatenate([shown.ground, shown.heading[:, None]], axis=1)[:, None]
