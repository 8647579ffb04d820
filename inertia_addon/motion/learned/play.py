# SPDX-License-Identifier: GPL-3.0-or-later
"""Plays a model: characters that step, pose themselves and are projected to where they should go on.

As many characters as wanted at once, 60 times a second. When a character is projected, what differs between
how it went on and how it goes on now decays on top of it, as between two clips: the same offsets and curves.
Ground and headings are Blender's, x, y and radians; poses are in the space of the simulation bone, Y up, see
:mod:`matching.engine`.

What no character of a model's clips can do is no motion. Of n numbers none is further from their mean than
sqrt(n - 1) times their deviation (P. A. Samuelson, *How Deviant Can You Be?*, 1968). A Decompressor's outputs
are normalised by the mean and the deviation of the clips' frames, and how many these were is known, so that
no frame of them went beyond. What a model says of its clips is itself held against the character's size: a
file may say anything.
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
from ..decay.offset import ChannelMotion, Decomposition, Velocity
from ..matching.engine import FPS
from .material import LEAST_FRAMES, RowPoses, posed
from .model import TRAJECTORY, Model, NoMotion
from .model_file import MOST_PACE, SIZES
from .networks import Numbers
from .tree import COLUMNS, POSITION, PoseTree, cross, rotated, turned

TICK = 1.0 / FPS
SETTLED = 12.0
"""After so many half-lives a spring has nothing left to see."""
FAR = 20.0
"""No bone is so many times the character's size, in metres, from its parent, or from the ground below the
character, but for how far clips may go: there are bones that stay behind."""
FAST = 20.0
"""Nobody goes so many times their size, and as much as they have most of, in metres a second."""
JOINED = 2.0
"""Where poses are joined, bones may be so many times as far from the mean as in either: they swing over."""
ROUNDED = 0.01
"""A part of these bounds, and of the character's size, that rounding may add."""


@record(frozen=True, eq=False)
class CharacterStates:
    """How characters stand: their poses, ground (n, 2) metres and heading (n,) radians."""

    pose: RowPoses
    ground: Array
    heading: Array


TwoFrames = tuple[CharacterStates, CharacterStates]
"""How characters stand, and how they do a frame later."""


def _repeat_states(states: CharacterStates, times: int) -> CharacterStates:
    """Return characters several times over, one lot behind the other."""

    def repeat(values: Any) -> Any:
        return np.concatenate([values] * times)

    pose = RowPoses(**{name: repeat(values) for name, values in vars(states.pose).items()})
    return CharacterStates(pose, repeat(states.ground), repeat(states.heading))


@record(frozen=True, eq=False)
class _Offset:
    """What decays: offsets and rates (n, things, 3), and how."""

    x: Array
    v: Array
    decay: Decay


class Player:
    """Characters that a model plays. Nothing that it gives away changes later."""

    def __init__(
        self, model: Model, ground: Array, heading: Array, method: Method = Method.SOFT, seconds: float = 0.4
    ) -> None:
        """Start with characters that stand somewhere, in a mean pose until they are projected.

        model: its networks are taken when they are needed, which raises ModelError for one that is missing.
        ground: (n, 2), metres, and heading: (n,), radians, of Blender's world; both are copied. method,
        seconds: the curve and the blend time, or SPRING's half-life, by which what differs at a join decays.
        """
        self.model, self.method, self.seconds = model, method, seconds
        count, bones = len(heading), model.rows.bones
        self._state = np.zeros((count, model.features + model.latents), np.float32)
        self._ground, self._heading = np.array(ground, float), np.array(heading, float)
        self._since = np.full(count, np.inf)
        nothing = [np.zeros((count, things, 3)) for things in (bones, bones, 1)]
        self._offsets = [self._offset(zeros, zeros) for zeros in nothing]
        self._row: Numbers | None = None

    def __copy__(self) -> Player:
        """Return a player that goes on by itself; a general copy takes several times as long."""
        player = object.__new__(Player)
        vars(player).update(vars(self))
        return player

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

    def _offset(self, x: Array, v: Array) -> _Offset:
        return _Offset(x, v, decay.make(self.method, x, v, np.full(x.shape[:-1], self.seconds)))

    @property
    def values(self) -> Numbers:
        """What the Decompressor gives now (n, rows.size)."""
        if self._row is None:
            self._row = self.model.network("decompressor").infer(self._state)
        return self._row

    def _find_left_offsets(self, offsets: Sequence[_Offset]) -> list[Array] | None:
        """Return what is left of offsets by now: for each of them (n, things, 3); None if nothing is left for
        any character.

        Of bones' positions that is metres, of bones' rotations a rotation vector, radians, and of the ground,
        the only thing of its kind, x and y in metres and the heading. Offsets of a character whose join is
        over are exactly 0. SPRING is over after twelve half-lives.
        """
        lasting = self.seconds * (SETTLED if self.method is Method.SPRING else 1.0)
        if not (self._since < lasting).any():
            return None
        # of several moments, all of which have the same offsets
        seconds = np.minimum(self._since, lasting).reshape(-1, len(offsets[0].x), 1)
        fades = []
        for each in offsets:
            fade = decay.evaluate(each.decay, each.x, each.v, seconds).reshape(-1, *each.x.shape[1:])
            fade[self._since >= lasting] = 0.0
            fades.append(fade)
        return fades

    def snapshot(self) -> CharacterStates:
        """Return the characters' present poses, ground and heading, with what still decays of joins.

        The poses are those of the Decompressor's rows: positions (n, bones, 3), metres, and rotations (n,
        bones, 4) in parents' spaces, Y up, root velocity and spin, and contacts (n, feet). Nothing of it
        changes later. Raise ModelError if the Decompressor is missing.
        """
        pose, left = posed(self.model.rows, self.values), self._find_left_offsets(self._offsets[:2])
        if left is not None:
            positions = offset.onto_vectors(pose.positions, left[0])
            rotations = offset.onto_rotations(pose.rotations, left[1])
            pose = dataclasses.replace(pose, positions=positions, rotations=rotations)
        return CharacterStates(pose, *self.root)

    def joints(self, skeleton: PoseTree) -> Array:
        """Return where all joints are in the world (n, bones, 3), metres, Y up, with what still decays of
        joins.

        skeleton: the bones' tree; the result has its order of bones, not the model's. It equals
        :func:`joints` of the snapshot but for rounding, in a third of the time.
        """
        rows, values = self.model.rows, self.model.pose_network.infer(self._state)
        positions, columns = (
            np.ascontiguousarray(values[:, part].reshape(len(values), rows.bones, -1)[:, skeleton.order].T)
            for part in (rows.positions, rows.turns)
        )
        turns, _ = turned(columns.reshape(3, 2, *columns.shape[1:]))
        left = self._find_left_offsets(self._offsets[:2])
        if left is not None:
            shifts, swings = (each[:, skeleton.order].T.astype(np.float32) for each in left)
            positions += shifts
            for axis in range(2):
                turns[:, axis] = rotated(turns[:, axis], swings)
            cross(turns[:, 0], turns[:, 1], out=turns[:, 2])
        return _place_joints(skeleton.places(turns, positions), *self.root)

    @property
    def root(self) -> tuple[Array, Array]:
        """Where the characters are: ground (n, 2), metres, and heading (n,), radians, not wrapped, of
        Blender's world, with what still decays of joins.

        If nothing decays for any character, they are the player's own arrays, which must not be written to; a
        step replaces them and does not change them.
        """
        left = self._find_left_offsets(self._offsets[2:])
        if left is None:
            return self._ground, self._heading
        return self._ground + left[0][:, 0, :2], self._heading + left[0][:, 0, 2]

    def step(self) -> None:
        """Go on by 1/60 s, in place: the characters move, and the Stepper changes their features and latents.

        The ground moves by the root's velocity, in the direction of the heading before the step, and the
        heading by its spin; what decays of joins is 1/60 s older. New arrays replace the old ones, so that
        what was given away stays. Raise ModelError, with nothing changed, if the Stepper is missing, or if
        the Decompressor is and what it gives now is not known yet.
        """
        (later,) = self.after(1)
        vars(self).update(vars(later))

    def after(self, frames: int) -> list[Player]:
        """Return these characters after each of so many frames more (1 or more), in order, each as a Player
        of its own; they stay as they are.

        In each frame, 1/60 s, the Stepper carries features and latents on, the character's own velocity and
        spin move its ground and turn its heading, and what is left of a join decays. The Stepper goes frame
        by frame; how they move over the ground is found of all frames at once. Raise ModelError if the
        Stepper or the Decompressor is missing.
        """
        stepper = self.model.network("stepper")
        states: list[Numbers] = [self._state]
        for _ in range(frames):
            states.append(states[-1] + np.float32(TICK) * stepper.infer(states[-1]))
        known: list[Numbers] = [] if self._row is None else [self._row[:, self.model.rows.root]]
        if len(known) < frames:
            known.append(self.model.motion_network.infer(np.concatenate(states[len(known) : -1])))
        moving = np.concatenate(known).reshape(frames, self.count, -1)
        aside, ahead, spin = moving[..., 0], moving[..., 2], moving[..., 4]
        headings = np.cumsum([self._heading, *(TICK * spin)], axis=0)
        # as complex numbers: ahead is along the heading, and aside to the left of it
        ways = TICK * ((ahead + 1j * aside) * np.exp(1j * headings[:-1])).view(float)
        grounds = np.cumsum([self._ground, *ways.reshape(frames, -1, 2)], axis=0)
        players, player = list[Player](), self
        for moment in zip(states[1:], grounds[1:], headings[1:], strict=True):
            player = copy.copy(player)
            state, player._ground, player._heading = moment
            player._take(state)
            player._since = player._since + TICK
            players.append(player)
        return players

    def _take(self, state: Numbers) -> None:
        self._state, self._row = state, None

    def make_queries(self, steps: Array, turns: Array) -> Numbers:
        """Return queries (n, columns) to the Projector: features of the present poses, with the wanted
        trajectories.

        steps: (n, 3, 2), metres ahead and to the left in 20, 40 and 60 frames. turns: (n, 3), radians to the
        left then. NaN in either gives the mean of the clips.
        """
        facing = np.stack([np.sin(turns), np.cos(turns)], -1)
        wanted = [each.reshape(len(each), -1) for each in (steps[..., ::-1], facing)]
        offsets, scales = self.model.offsets[-TRAJECTORY:], self.model.scales[-TRAJECTORY:]
        queries = self.features.copy()
        queries[:, -TRAJECTORY:] = np.nan_to_num((np.concatenate(wanted, axis=1) - offsets) / scales)
        return queries

    def projected(self, steps: Array, turns: Array) -> Numbers:
        """Return what the Projector finds for queries, see :meth:`make_queries`: features and latents.

        They are (n, columns + latents). Raise ModelError if the Projector is missing.
        """
        return self.model.network("projector").infer(self.make_queries(steps, turns))

    def begin(self, steps: Array, turns: Array) -> None:
        """Take poses that go on as wanted, in place, see :meth:`make_queries`, without a join that decays.
        Raise ModelError if the Projector is missing."""
        for _ in range(4):
            self._take(self.projected(steps, turns))

    def take(self, state: Numbers, indices: Flags, before: TwoFrames | None = None) -> None:
        """Let some characters go on from other features and latents, with an inertialized join; changes this
        player in place.

        state: (n, columns + latents). indices: flags (n,), whose rows of it are taken; all others go on as
        before. Whoever is joined begins at the place and heading that are shown now. What differs in pose and
        in velocity between before and after decays on top, by the method and the seconds of the player, and
        at first the shown pose stays; what still decayed of an earlier join is part of that. Velocities are
        found by playing a frame on, before and after. before: how they stand, and would a frame later, None
        to find out. Raise ModelError, with nothing changed, if the
        Decompressor or the Stepper is missing.
        """
        before = self._look_ahead() if before is None else before
        self._ground = np.where(indices[:, None], before[0].ground, self._ground)
        self._heading = np.where(indices, before[0].heading, self._heading)
        self._take(np.where(indices[:, None], state, self._state))
        self._since = np.where(indices, np.inf, self._since)
        offsets = self._find_offsets(before, self._look_ahead())

        def either(arrays: Sequence[Array]) -> Array:
            new, old = arrays
            return np.where(indices.reshape(-1, *[1] * (new.ndim - 1)), new, old)

        self._offsets = _offsets([offsets, self._offsets], either)
        self._since = np.where(indices, 0.0, self._since)

    def tried(self, states: Numbers) -> Player:
        """Return these characters several times over, joined to each of some states in turn, as a new Player
        of times * n characters: all n with the first states, then all with the next.

        states: (times, n, columns + latents). These characters stay as they are.
        """
        many, times = together([self] * len(states)), len(states)
        # looked at once for all times
        now, later = (_repeat_states(each, times) for each in self._look_ahead())
        many.take(np.concatenate(states), np.ones(many.count, bool), (now, later))
        return many

    def some(self, rows: Integers) -> Player:
        """Return some of the characters as a new Player. rows: their indices, in whose order they come."""
        return _mixed([self], lambda arrays: arrays[0][rows])

    def _look_ahead(self) -> TwoFrames:
        """Return how characters stand, and how they would a frame later."""
        later = copy.copy(self)
        later.step()
        return self.snapshot(), later.snapshot()

    def _find_offsets(self, before: TwoFrames, after: TwoFrames) -> list[_Offset]:
        how = Decomposition.ROTATION_VECTOR, Velocity.RELATIVE
        sides = [[_values(shown) for shown in side] for side in (before, after)]
        measures = offset.of_vectors, offset.of_rotations, offset.of_vectors
        offsets = []
        for i, measure in enumerate(measures):
            source, destination = (ChannelMotion(now[i], now[i], later[i], TICK) for now, later in sides)
            difference = measure(source, destination, *how)
            offsets.append(self._offset(difference.x, difference.v))
        return offsets


Mix = Callable[[Sequence[Any]], Any]
"""Makes an array by characters of some."""


def _offsets(several: Sequence[Sequence[_Offset]], mix: Mix) -> list[_Offset]:
    """Return offsets mixed from those of several players, kind by kind: bones' positions, rotations, and the
    ground.

    several: for each player its offsets; all have the same method, which stays. mix: makes one array of the
    players' arrays: of offsets and rates, and of how they decay, its seconds and pull.
    """
    mixed = []
    for offsets in zip(*several, strict=True):
        decays = [each.decay for each in offsets]
        seconds, pull = mix([each.seconds for each in decays]), mix([each.pull for each in decays])
        x, v = mix([each.x for each in offsets]), mix([each.v for each in offsets])
        mixed.append(_Offset(x, v, Decay(decays[0].method, seconds, pull)))
    return mixed


def _mixed(players: Sequence[Player], mix: Mix, offsets: list[_Offset] | None = None) -> Player:
    """Return a new player made of the characters of several, which have the same model and blend.

    mix: makes one array of the players' arrays, such as numpy.concatenate. offsets: what decays; None to mix
    it as well. The given players are not changed.
    """
    mixed = copy.copy(players[0])
    mixed._take(mix([each._state for each in players]))
    if all(each._row is not None for each in players):
        mixed._row = mix([each._row for each in players])
    mixed._ground = mix([each._ground for each in players])
    mixed._heading = mix([each._heading for each in players])
    mixed._since = mix([each._since for each in players])
    mixed._offsets = _offsets([each._offsets for each in players], mix) if offsets is None else offsets
    return mixed


def together(players: Sequence[Player]) -> Player:
    """Return the characters of players of one model, who blend alike, one lot behind the other."""
    return _mixed(players, np.concatenate)


def lined_up(moments: Sequence[Player]) -> Player:
    """Return the characters of several moments, one moment behind the other. All have the same offsets, as of
    players that went on from the first one; it is to look at, and not to be played on."""
    return _mixed(moments, np.concatenate, moments[0]._offsets)


def some_of(moments: Sequence[Player], rows: Integers) -> list[Player]:
    """Return moments of some of the characters, in the order of their indices `rows`. All moments have the
    same offsets; there is at least one."""
    first = moments[0].some(rows)
    return [first, *(_mixed([each], lambda arrays: arrays[0][rows], first._offsets) for each in moments[1:])]


def replaced(moments: Sequence[Player], indices: Integers, substitutes: Sequence[Player]) -> list[Player]:
    """Return moments of characters in which some characters are replaced, without a join.

    Parameters
    ----------
    moments
        Players, one for each frame.
    indices : (n,)
        Which characters are replaced.
    substitutes
        As many players, moment by moment, of n characters each.

    Returns
    -------
    list[Player]
        New players. All that are given have the same model and blend, and are not changed.
        What decays of joins is that of the first moments, in all of them.

    Raises
    ------
    ValueError
        There are not as many substitutes as moments.
    """

    def put(arrays: Sequence[Array]) -> Array:
        mixed = arrays[0].copy()
        mixed[indices] = arrays[1]
        return mixed

    offsets = _offsets([moments[0]._offsets, substitutes[0]._offsets], put)
    return [_mixed(each, put, offsets) for each in zip(moments, substitutes, strict=True)]


def joints(skeleton: PoseTree, positions: Array, rotations: Array, ground: Array, heading: Array) -> Array:
    """Return where all joints are in the world.

    Parameters
    ----------
    skeleton
        The bones' tree.
    positions : (n, bones, 3)
        In parents' spaces, Y up, metres. A character faces Z, X is to its left.
    rotations : (n, bones, 4)
        Unit quaternions in parents' spaces.
    ground : (n, 2)
        Where the characters are in Blender's world, Z up.
    heading : (n,)
        Which way they face there, radians from the x axis towards y.

    Returns
    -------
    Array (n, bones, 3)
        Metres, Y up: Blender's (x, y, z) is (x, z, -y) here. Bones are in the skeleton tree's
        order, not the order of positions.
    """
    local = np.zeros((*positions.shape, COLUMNS))
    local[..., :POSITION], local[..., POSITION] = quaternion.to_matrix(rotations), positions
    seen, _ = skeleton.follow(np.ascontiguousarray(local[:, skeleton.order].transpose(2, 3, 1, 0)))
    return _place_joints(seen[:, POSITION], ground, heading)


def _place_joints(places: Numbers, ground: Array, heading: Array) -> Array:
    """Return where joints are (n, bones, 3) whose places are (3, bones, n) seen from characters on the
    ground.
    """
    x, y, z = places
    # turned about the vertical, which is quicker than by quaternions
    cos, sin = (each(heading + 0.5 * np.pi).astype(places.dtype) for each in (np.cos, np.sin))
    # the ground may be far away, where single precision has few digits left
    return np.stack([cos * x + sin * z + ground[:, 0], y, cos * z - sin * x - ground[:, 1]]).T


def _values(current: CharacterStates) -> tuple[Array, Array, Array]:
    """Return the bones' positions (n, bones, 3) and rotations (n, bones, 4), and the ground and heading (n,
    1, 3).
    """
    root = np.concatenate([current.ground, current.heading[:, None]], axis=1)[:, None]
    return current.pose.positions, current.pose.rotations, root


class Possible:
    """Tells what a character can do from what it can't."""

    def __init__(self, model: Model) -> None:
        network, rows, size = model.network("decompressor"), model.rows, model.size
        frames = max(model.frames, LEAST_FRAMES)
        self._mean = network.mean_out.astype(float)
        bound = np.sqrt(frames - 1.0) * np.abs(network.std_out.astype(float))
        self._aside = bound + ROUNDED * (bound + np.abs(self._mean) + size)
        self._speed = FAST * (size + model.pace)
        self._far = FAR * size + self._speed * frames / FPS
        self._places, self._root, self._spin = rows.positions, rows.root, rows.root_spin

    def check(self, values: Numbers, before: CharacterStates | None, current: CharacterStates) -> None:
        """Raise NoMotion if any character does what the clips cannot show; return nothing.

        With f the model's frames, or LEAST_FRAMES if that is more, bones' positions and the root's velocity
        and spin in `values` may be off the network's mean by sqrt(f - 1) of its deviations, as no number of f
        can be further off, and by 1 % of that, of the mean and of the character's size for rounding; the
        positions shown, with what decays of joins, by twice as much. Along no axis may any ground move faster
        than 20 times size and pace together, metres a second, or a bone be further from its parent than 20
        character sizes and what can be gone so in f frames. About no axis may the root turn more than half a
        turn a frame. Any of these numbers, or of the rotations and headings shown, that is not finite fails,
        too. Other columns of `values` are not looked at.

        Parameters
        ----------
        values : (n, rows.size)
            The Decompressor's rows.
        before
            The states a frame ago; None at the beginning, then ground speeds are not looked at.
        current
            The states now.

        Raises
        ------
        NoMotion
            Any character is out of bounds.
        """
        # what is no number is no less than anything
        aside = np.abs(values - self._mean)
        for some in (self._places, self._root):
            if not np.all(aside[:, some] <= self._aside[some]):
                raise NoMotion
        places = current.pose.positions.reshape(len(values), -1)
        steps = 0.0 if before is None else np.abs(current.ground - before.ground)
        if not (
            np.all(np.abs(places) <= self._far)
            and np.all(np.abs(places - self._mean[self._places]) <= JOINED * self._aside[self._places])
            and np.all(np.abs(values[:, self._spin]) <= np.pi * FPS)
            and np.all(steps <= self._speed / FPS)
            and all(
                np.isfinite(each).all() for each in (current.ground, current.pose.rotations, current.heading)
            )
        ):
            raise NoMotion


def check_size(pace: float, size: float) -> None:
    """Raise NoMotion for a speed, metres a second, and a size, as a part of a person's, of nobody."""
    if not (SIZES[0] <= size <= SIZES[1] and 0.0 <= pace <= MOST_PACE * size):
        raise NoMotion
