# SPDX-License-Identifier: GPL-3.0-or-later
"""Features: what of a frame is compared, so that the nearest frame goes on best; and how that is found.

Groups of columns, each divided by the mean of its columns' standard deviations, as in D. Holden,
"Learned Motion Matching" (2020), section 3, times a weight. A pose is either its joints' positions and
velocities, or the one combination of both whose distance bounds the displacement of a transition:
D. Holden, "Inertialization Transition Cost" (2022), see :func:`decay.feature_weights`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from ...errors import InertiaError
from ...records import record
from ..arrays import Array, Flags, Floats, Integers
from ..decay.decay import Method, feature_weights
from .database import Database

TIMES = (1.0 / 3.0, 2.0 / 3.0, 1.0)
"""When a trajectory is looked at, in seconds from now."""
VARIES = 1e-6
"""A group whose columns' standard deviations are below this on average never varies."""
DISPLACEMENT, POSITION_VELOCITY = "DISPLACEMENT", "POSITION_VELOCITY"
"""How poses are compared."""


@record(frozen=True)
class Weights:
    """What each group counts; 0 leaves it out. The pose counts less than where the clip goes, as a search
    of many hypotheses weighs each join by itself.

    feet, feet_velocity, hips, hips_velocity: what these parts of a pose count, times its own weight, where
    it is told by positions and velocities. which: the joints that are hips; all others are feet.
    """

    pose: float = 0.5
    position: float = 1.0
    facing: float = 1.5
    feet: float = 1.0
    feet_velocity: float = 1.0
    hips: float = 1.0
    hips_velocity: float = 1.0
    which: tuple[int, ...] = ()

    def parts(self, joint: int) -> tuple[float, float]:
        """Return what the position and the velocity of a joint count."""
        if joint in self.which:
            return self.pose * self.hips, self.pose * self.hips_velocity
        return self.pose * self.feet, self.pose * self.feet_velocity


@record(frozen=True)
class Group:
    """Columns of the features, by name."""

    name: str
    columns: slice


@record(frozen=True, eq=False)
class Features:
    """The features (frames, columns) of a database, normalised: (value - mean) * scale.

    means, scales: (columns,). later: (times,) in frames. groups: of the pose first, then "position" and
    "facing" of the trajectory, as far as they have a weight."""

    values: Floats
    means: Array
    scales: Array
    groups: tuple[Group, ...]
    later: Integers

    def group(self, name: str) -> slice:
        """Return the columns of a group; none where it is left out."""
        return next((group.columns for group in self.groups if group.name == name), slice(0, 0))

    def only(self, frames: Integers) -> Features:
        """Return the features of some frames (n,), each group as varied among them as it is among all, so
        that it counts as much. A group that does not vary among them stays as it is."""
        values, factors = self.values[frames], np.ones(len(self.scales))
        for group in self.groups:
            among_all = _deviation(self.values[:, group.columns].astype(float))
            among_some = _deviation(values[:, group.columns].astype(float))
            if among_some >= VARIES * among_all:
                factors[group.columns] = among_all / among_some
        scaled = (values * factors).astype(np.float32)
        return dataclasses.replace(self, values=scaled, scales=self.scales * factors)

    def queries(self, frames: Integers, steps: Array, turns: Array) -> Array:
        """Return what to look for (n, columns): the poses of frames (n,), and trajectories to be followed.

        steps: (n, times, 2) in character space, metres. turns: (n, times) radians against where it faces; NaN
        stands for what any frame has on average.
        """
        queries = self.values[frames].astype(float)
        where = self.group("position")
        if where.stop:
            wanted = steps.reshape(len(frames), -1)
            queries[:, where] = (wanted - self.means[where]) * self.scales[where]
        where = self.group("facing")
        if where.stop:
            wanted = _directions(turns)
            queries[:, where] = np.nan_to_num((wanted - self.means[where]) * self.scales[where])
        return queries


def compute(
    database: Database,
    joints: Sequence[int],
    method: Method,
    seconds: float,
    weights: Weights | None = None,
    kind: str = DISPLACEMENT,
) -> Features:
    """Compute the features of all frames.

    joints: which of the database's a pose is told by, hips and feet as a rule; one that always is where the
    root is tells nothing, and is left out. method, seconds: how transitions blend, of which the combination
    of position and velocity depends. Raises InertiaError for a group that never varies.
    """
    weights = weights or Weights()
    later = np.round(np.array(TIMES) * database.fps).astype(np.int64)
    of_x, of_v = (float(value) for value in feature_weights(method, seconds))
    pose: list[tuple[str, float, Array]] = []
    for joint in joints:
        x, v = (np.asarray(a[:, joint], float) for a in (database.positions, database.velocities))
        name = database.joints[joint]
        if kind == DISPLACEMENT:
            pose.append((name, weights.pose, of_x * x + of_v * v))
        else:
            place, speed = weights.parts(joint)
            pose += [(name, place, x), (f"speed of {name}", speed, v)]
    named = [(name, weight, values) for name, weight, values in pose if _deviation(values) >= VARIES]
    if pose and not named:
        named = [("pose", weights.pose, pose[0][2])]
    ways, turns = relative(database, np.arange(database.frames), later)
    named.append(("position", weights.position, ways.reshape(len(ways), -1)))
    return normalised([*named, ("facing", weights.facing, _directions(turns))], later)


def relative(database: Database, frames: Integers, later: Integers) -> tuple[Array, Array]:
    """Return the clips' own trajectories (n, m, 2) and turns (n, m) of frames (n,), in their character
    space.
    """
    ground, heading = database.trajectory(frames, later)
    now = database.heading[frames]
    return turned(ground - database.ground[frames][:, None], -now[:, None]), heading - now[:, None]


def turned(vectors: Array, angles: Array) -> Array:
    """Vectors (..., 2) of the ground turned by angles (...) in radians."""
    c, s = np.cos(angles), np.sin(angles)
    x, y = vectors[..., 0], vectors[..., 1]
    ahead = c * x - s * y
    result = np.empty((*ahead.shape, 2), ahead.dtype)
    result[..., 0], result[..., 1] = ahead, s * x + c * y
    return result


def normalised(named: Sequence[tuple[str, float, Array]], later: Integers) -> Features:
    """Features of groups: names, weights and values (frames, columns). Raises InertiaError, see above."""
    groups, columns, scales, start = [], [], [], 0
    for name, weight, values in named:
        if weight <= 0.0 or not values.shape[1]:
            continue
        deviation = _deviation(values)
        if deviation < VARIES:
            raise InertiaError(
                'The group of features "{name}" never varies in these clips, so it can\'t tell one frame '
                "from another; set its weight to 0, or choose clips that differ in it.",
                name=name,
            )
        groups.append(Group(name, slice(start, start + values.shape[1])))
        columns.append(values)
        scales.append(np.full(values.shape[1], weight / deviation))
        start += values.shape[1]
    if not groups:
        raise InertiaError("All groups of features have the weight 0; give at least one a weight.")
    values, scale = np.concatenate(columns, axis=1), np.concatenate(scales)
    means = values.mean(axis=0)
    return Features(((values - means) * scale).astype(np.float32), means, scale, tuple(groups), later)


def _deviation(values: Array) -> float:
    """Return the mean standard deviation of columns."""
    return float(values.std(axis=0).mean())


def _directions(turns: Array) -> Array:
    """Return turns (n, times) as directions (n, 2 * times) on the unit circle."""
    return np.stack([np.cos(turns), np.sin(turns)], axis=-1).reshape(len(turns), -1)


# --- the frames that are nearest to some queries

LONGER = 4
"""The list that is compared anew is so many times as long as what is asked for."""
FAR = -1e30
"""How unlike any query that is which only fills up; an infinity would make a matrix product no number."""
CHUNK = 4096
"""So many places are worked on at once, which stay in the processor's cache."""


@record(frozen=True, eq=False)
class Index:
    """Candidates, ready to be searched by brute force, which is quickest up to a million frames.

    All queries of a step make one matrix product. Its float32 sums differ in the last digits between
    machines, so they only shorten the list: what is on it is compared anew in float64, and ties go to the
    earlier frame.

    frames: (n,) flat frames, rising. apart: of so many candidates in a row the nearest alone is found, as
    neighbours say the same. rows: (apart, blocks, columns + 1), the candidates' features and minus half of
    their squared lengths: row k has every candidate whose place leaves k when it is divided by ``apart``.
    Those that fill up the last block are too far away for any query.
    """

    frames: Integers
    apart: int
    rows: Floats

    @classmethod
    def of(cls, frames: Integers, values: Floats, apart: int = 1) -> Index:
        """Return an index of some frames of features (frames, columns)."""
        blocks = -(-len(frames) // apart)
        rows = np.zeros((blocks * apart, values.shape[1] + 1), np.float32)
        rows[:, -1] = FAR
        chosen = values[frames]
        rows[: len(frames), :-1] = chosen
        rows[: len(frames), -1] = np.float32(-0.5) * np.einsum("ij,ij->i", chosen, chosen)
        parted = rows.reshape(blocks, apart, rows.shape[1])
        return cls(frames, apart, np.ascontiguousarray(parted.swapaxes(0, 1)))

    @classmethod
    def of_entries(
        cls, database: Database, features: Features, every: int = 2, seconds_left: float = 0.2, apart: int = 1
    ) -> Index:
        """Return an index of the frames that may be entered.

        every: 2 to take every second frame, and so on. seconds_left: how much of the clip must be left behind
        them, at least.
        """
        frames = np.arange(database.frames)
        inside = (frames - database.starts[database.part]) % every == 0
        inside &= database.last(frames) - frames >= max(1, round(seconds_left * database.fps))
        return cls.of(frames[inside], features.values, apart)

    def values(self, places: Integers) -> Array:
        """Return the features (..., columns) of candidates."""
        return self.rows[places % self.apart, places // self.apart, :-1].astype(float)

    def nearest(
        self, queries: Array, count: int, around: Integers, reach: int, barred: Flags | None = None
    ) -> Integers:
        """Return the candidates (queries, count) nearest to queries (queries, columns), as places in the
        index. around: (queries,) flat frames; what lies within ``reach`` frames of them is left out. barred:
        (queries, candidates), what else is left out. Where there are too few, the place is -1.
        """
        low = np.searchsorted(self.frames, around - reach)
        high = np.searchsorted(self.frames, around + reach, "right")
        extended = np.column_stack([queries, np.ones(len(queries))]).astype(np.float32)
        blocks = self.rows.shape[1]
        likeness = np.empty((len(queries), blocks), np.float32)
        for first in range(0, blocks, CHUNK):
            best = likeness[:, first : first + CHUNK]
            for k in range(self.apart):
                products = extended @ self.rows[k, first : first + CHUNK].T
                self._leave_out(products, k, first, low, high, barred)
                if k:
                    np.maximum(best, products, out=best)
                else:
                    best[:] = products
        return self._compared(queries, likeness, count, low, high, barred)

    def _leave_out(
        self, products: Floats, k: int, first: int, low: Integers, high: Integers, barred: Flags | None
    ) -> None:
        """Make those that are left out unlike any query: of the blocks from ``first`` on, their k-th each."""
        begins = np.maximum(-((k - low) // self.apart) - first, 0)
        ends = np.maximum(-((k - high) // self.apart) - first, 0)
        for row, a, b in zip(products, begins.tolist(), ends.tolist(), strict=True):
            row[a:b] = -np.inf
        if barred is not None:
            flags = barred[:, k :: self.apart][:, first : first + products.shape[1]]
            products[:, : flags.shape[1]][flags] = -np.inf

    def _compared(
        self,
        queries: Array,
        likeness: Floats,
        count: int,
        low: Integers,
        high: Integers,
        barred: Flags | None,
    ) -> Integers:
        """Return the best candidates (queries, count) of the blocks whose `likeness` (queries, blocks),
        that of the best candidate in each, is the least: their candidates are compared anew. Candidates from
        `low` to before `high` (queries,), and `barred` ones, are left out.
        """
        kept = min(LONGER * count, likeness.shape[1])
        blocks = np.argpartition(likeness, -kept, axis=1)[:, -kept:]
        places = (blocks[:, :, None] * self.apart + np.arange(self.apart)).reshape(len(queries), -1)
        valid = (places < len(self.frames)) & ((places < low[:, None]) | (places >= high[:, None]))
        places = np.minimum(places, len(self.frames) - 1)
        if barred is not None:
            valid &= ~np.take_along_axis(barred, places, 1)
        away = np.sum((self.values(places) - queries[:, None]) ** 2, axis=-1)
        exact = np.where(valid, np.round(away, 6), np.inf).reshape(len(queries), kept, self.apart)
        of_block = np.argmin(exact, axis=2)
        exact = np.take_along_axis(exact, of_block[..., None], 2)[..., 0]
        best = blocks * self.apart + of_block
        order = np.lexsort((best, exact), axis=-1)[:, :count]
        is_valid = np.isfinite(np.take_along_axis(exact, order, 1))
        best = np.where(is_valid, np.take_along_axis(best, order, 1), -1)
        return np.pad(best, ((0, 0), (0, count - best.shape[1])), constant_values=-1)
