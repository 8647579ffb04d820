# SPDX-License-Identifier: GPL-3.0-or-later
"""Features: what of a frame is compared, so that the nearest frame goes on best; and how that is found.

Groups of columns, each divided by the mean of its columns' standard deviations, as in D. Holden,
"Learned Motion Matching" (2020), section 3, times a weight. A pose is either its joints' positions and
velocities, or the one combination of both whose distance bounds the displacement of a transition:
D. Holden, "Inertialization Transition Cost" (2022), see :func:`decay.feature_weights`.
"""

from __future__ import annotations

import dataclasses
import functools
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
        """Return the features of some frames (n,), with each group rescaled to vary among these as much as it
        does among all.

        Values and scales are multiplied by the same factor for each group. A group that does not vary among
        these frames stays as it is.
        """
        values, factors = self.values[frames], np.ones(len(self.scales))
        for group, among_all in zip(self.groups, self._deviations, strict=True):
            among_some = _deviation(values[:, group.columns].astype(float))
            if among_some >= VARIES * among_all:
                factors[group.columns] = among_all / among_some
        scaled = (values * factors).astype(np.float32)
        return dataclasses.replace(self, values=scaled, scales=self.scales * factors)

    @functools.cached_property
    def _deviations(self) -> list[float]:
        """Return by how much each group varies among all frames."""
        return [_deviation(self.values[:, group.columns].astype(float)) for group in self.groups]

    def queries(self, frames: Integers, steps: Array, turns: Array) -> Array:
        """Return normalised features to search for: the poses of some frames, with other trajectories.

        Parameters
        ----------
        frames : (n,)
            Flat frames, whose poses are taken.
        steps : (n, times, 2)
            The wanted places in character space, metres.
        turns : (n, times)
            The wanted facings against the present one, radians to the left; NaN gives the mean
            of all frames.

        Returns
        -------
        Array (n, columns)
            A new array. A trajectory group that the features leave out is ignored.
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
    """Return the features of all frames of a database.

    The trajectory's groups look 1/3, 2/3 and 1 s ahead, rounded to frames, as the clip goes on: "position"
    has the root's place, x and y in metres for each time, "facing" the cosine and the sine of its heading for
    each time, both as seen from the present root. Values are normalised, see :func:`normalised`.

    Parameters
    ----------
    database
        The clips.
    joints
        The indices of the joints that tell a pose. A group of a joint that never varies, its
        columns' standard deviations being below 1e-6 on average, is left out.
    method, seconds
        The blend of transitions, on which the pose's combination of position and velocity
        depends; with POSITION_VELOCITY neither has an effect.
    weights
        What each group counts; None for the defaults. A group with weight 0 is left out.
    kind
        DISPLACEMENT for one group per joint, of its name, with the weight `pose`, whose three
        columns are position times one number plus velocity times another, those of
        :func:`decay.feature_weights`. Any other value gives each joint one group for its
        position, of its name, and one for its velocity, "speed of NAME", with the weights that
        weights.parts() gives for the joint's index.

    Returns
    -------
    Features
        The pose's groups come first, in the order of joints; then "position" and "facing".

    Raises
    ------
    InertiaError
        A trajectory's group that has a weight never varies; or there are joints and `pose` is
        not 0, but no group of the pose varies; or no group is left.
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
    # so that the error is raised for the pose, not for its joints
    if pose and not named:
        named = [("pose", weights.pose, pose[0][2])]
    ways, turns = relative(database, np.arange(database.frames), later)
    named.append(("position", weights.position, ways.reshape(len(ways), -1)))
    return normalised([*named, ("facing", weights.facing, _directions(turns))], later)


def relative(database: Database, frames: Integers, later: Integers) -> tuple[Array, Array]:
    """Return the clips' own trajectories and turns of some frames, in their character space.

    Parameters
    ----------
    database
        The clips.
    frames : (n,)
        Flat frames.
    later : (m,)
        How many frames later to look, 0 or more; behind a part's end the motion goes on as
        at its end.

    Returns
    -------
    tuple[Array, Array]
        Places (n, m, 2), metres, and turns to the left (n, m), radians, both against the
        frame's own.
    """
    ground, heading = database.trajectory(frames, later)
    now = database.heading[frames]
    return turned(ground - database.ground[frames][:, None], -now[:, None]), heading - now[:, None]


def turned(vectors: Array, angles: Array) -> Array:
    """Return vectors (..., 2) of the ground turned by angles (...), radians, counterclockwise; they
    broadcast.
    """
    c, s = np.cos(angles), np.sin(angles)
    x, y = vectors[..., 0], vectors[..., 1]
    ahead = c * x - s * y
    result = np.empty((*ahead.shape, 2), ahead.dtype)
    result[..., 0], result[..., 1] = ahead, s * x + c * y
    return result


def normalised(named: Sequence[tuple[str, float, Array]], later: Integers) -> Features:
    """Return features made of groups: (name, weight, values (frames, columns)) each.

    later: the frames of the trajectory, passed on. Values are float32, (value - mean) * scale, where a
    group's scale is its weight over the mean of its columns' standard deviations. A group with a weight of 0
    or less, or without columns, is left out. Raise InertiaError for a group that never varies, and if none is
    left.
    """
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
        """Return an index for searching some frames of features.

        Parameters
        ----------
        frames : (n,)
            Flat frames, rising.
        values
            The features (all frames, columns); they are copied.
        apart
            Of so many of these frames in a row only the nearest to a query is found.

        Returns
        -------
        Index
            It finds places in `frames`, not flat frames.
        """
        blocks = -(-len(frames) // apart)
        rows = np.zeros((blocks * apart, values.shape[1] + 1), np.float32)
        rows[:, -1] = FAR
        chosen = values[frames]
        rows[: len(frames), :-1] = chosen
        # of |q - c|^2 = |q|^2 - 2 (q c - |c|^2 / 2) only the bracket differs between candidates: the largest
        # is the nearest
        rows[: len(frames), -1] = np.float32(-0.5) * np.einsum("ij,ij->i", chosen, chosen)
        parted = rows.reshape(blocks, apart, rows.shape[1])
        return cls(frames, apart, np.ascontiguousarray(parted.swapaxes(0, 1)))

    @classmethod
    def of_entries(
        cls, database: Database, features: Features, every: int = 2, seconds_left: float = 0.2, apart: int = 1
    ) -> Index:
        """Return an index of the frames at which a clip may be entered.

        Parameters
        ----------
        database
            The clips.
        features
            Those of the database.
        every
            Each so many-th frame of a part is taken, from its first on.
        seconds_left
            How much of the part must follow, rounded to frames, at least one.
        apart
            Of so many of the taken frames in a row only the nearest to a query is found.

        Returns
        -------
        Index
            It may have no frames at all.
        """
        frames = np.arange(database.frames)
        inside = (frames - database.starts[database.part]) % every == 0
        inside &= database.last(frames) - frames >= max(1, round(seconds_left * database.fps))
        return cls.of(frames[inside], features.values, apart)

    def values(self, places: Integers) -> Array:
        """Return the features (..., columns) of candidates."""
        rows = self.rows.reshape(-1, self.rows.shape[2])
        at = places % self.apart * self.rows.shape[1] + places // self.apart
        return rows.take(at, axis=0)[..., :-1].astype(float)

    def nearest(
        self, queries: Array, count: int, around: Integers, reach: int, barred: Flags | None = None
    ) -> Integers:
        """Return the candidates nearest to each query, nearest first.

        A search in single precision only makes a short list, which is compared anew in double precision.
        Distances are rounded to 1e-6 of their squares; of equally near candidates the earlier comes first.

        Parameters
        ----------
        queries : (queries, columns)
            Normalised features.
        count
            How many to find for each. Of each block of `apart` candidates at most one is
            returned.
        around : (queries,)
            Flat frames.
        reach
            Candidates within so many frames of `around`, both included, are left out.
        barred : (queries, candidates)
            Others that are left out; None for none.

        Returns
        -------
        Integers (queries, count)
            Places in `frames`; -1 for those that are missing.
        """
        low = np.searchsorted(self.frames, around - reach)
        high = np.searchsorted(self.frames, around + reach, "right")
        # the one takes in the last column, minus half of the squared length
        extended = np.column_stack([queries, np.ones(len(queries))]).astype(np.float32)
        blocks = self.rows.shape[1]
        likeness = np.empty((len(queries), blocks), np.float32)
        some = max(1, CHUNK // self.apart)
        for first in range(0, blocks, some):
            rows = self.rows[:, first : first + some]
            products = extended @ rows.reshape(-1, rows.shape[2]).T
            products = products.reshape(len(queries), *rows.shape[:2])
            self._leave_out(products, first, low, high, barred)
            # row k has the k-th of each block: the largest over k is the block's nearest
            products.max(axis=1, out=likeness[:, first : first + some])
        return self._compared(queries, likeness, count, low, high, barred)

    def _leave_out(
        self, products: Floats, first: int, low: Integers, high: Integers, barred: Flags | None
    ) -> None:
        """Set likenesses to -inf for candidates that must not be found; changes `products` in place.

        products: (queries, apart, some blocks), the likenesses of the candidates of each block from block
        `first` on; [:, k, b] has the place (first + b) * apart + k in `frames`. low, high: (queries,),
        places; candidates from low to before high are left out. barred: flags (queries, candidates) by place,
        or None. What only fills up the last block stays as it is; its likeness is low anyway.
        """
        begin, end = first * self.apart, (first + products.shape[2]) * self.apart
        low, high = np.maximum(low, begin), np.minimum(high, end)
        longest = max(int((high - low).max(initial=0)), 0)
        places = low[:, None] + np.arange(longest)
        query, which = np.nonzero(places < high[:, None])
        places = places[query, which]
        products[query, places % self.apart, places // self.apart - first] = -np.inf
        if barred is not None:
            flags = barred[:, begin:end]
            query, which = np.nonzero(flags)
            products[query, which % self.apart, which // self.apart] = -np.inf

    def _compared(
        self,
        queries: Array,
        likeness: Floats,
        count: int,
        low: Integers,
        high: Integers,
        barred: Flags | None,
    ) -> Integers:
        """Return the best candidates, nearest first, as places in `frames`: (queries, count), -1 where there
        are too few.

        queries: (queries, columns). likeness: (queries, blocks), for each block that of its best candidate,
        higher for more alike. Only the 4 * count best blocks of each query are compared exactly, in double
        precision, one candidate of each. low, high: (queries,), candidates from low to before high are left
        out, and so are barred ones.
        """
        kept = min(LONGER * count, likeness.shape[1])
        # in no order, as they are compared anew
        blocks = np.argpartition(likeness, -kept, axis=1)[:, -kept:]
        places = (blocks[:, :, None] * self.apart + np.arange(self.apart)).reshape(len(queries), -1)
        valid = (places < len(self.frames)) & ((places < low[:, None]) | (places >= high[:, None]))
        # what fills up the last block is not valid, but must be read
        places = np.minimum(places, len(self.frames) - 1)
        if barred is not None:
            valid &= ~np.take_along_axis(barred, places, 1)
        ways = self.values(places)
        ways -= queries[:, None]
        away = np.einsum("qpc,qpc->qp", ways, ways)
        exact = np.where(valid, np.round(away, 6), np.inf).reshape(len(queries), kept, self.apart)
        of_block = np.argmin(exact, axis=2)
        exact = np.take_along_axis(exact, of_block[..., None], 2)[..., 0]
        best = blocks * self.apart + of_block
        # its last key counts first: the distance, then the place
        order = np.lexsort((best, exact), axis=-1)[:, :count]
        is_valid = np.isfinite(np.take_along_axis(exact, order, 1))
        found = np.full((len(queries), count), -1)
        found[:, : order.shape[1]] = np.where(is_valid, np.take_along_axis(best, order, 1), -1)
        return found
