# SPDX-License-Identifier: GPL-3.0-or-later
"""Features: what of a frame is compared, so that the nearest frame goes on best.

Groups of columns, each divided by the mean of its columns' standard deviations, as in D. Holden,
"Learned Motion Matching" (2020), section 3, times a weight. A pose is either its joints' positions and
velocities, or the one combination of both whose distance bounds the displacement of a transition:
D. Holden, "Inertialization Transition Cost" (2022), see :func:`displacement.feature_weights`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...errors import InertiaError
from ...records import record
from ..arrays import Array, Floats, Integers
from ..decay.decay import Method
from ..decay.displacement import feature_weights
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
    of many hypotheses weighs each join by itself."""

    pose: float = 0.5
    position: float = 1.0
    facing: float = 1.5


@record(frozen=True)
class Group:
    """Columns of the features, by name."""

    name: str
    columns: slice


@record(frozen=True, eq=False)
class Features:
    """The features (frames, columns) of a database, normalised: (value - mean) * scale.

    means, scales: (columns,). later: (times,) in frames. groups: of the pose first, then "position" and
    "facing" of the trajectory, as far as they have a weight.
    """

    values: Floats
    means: Array
    scales: Array
    groups: tuple[Group, ...]
    later: Integers

    def group(self, name: str) -> slice:
        """The columns of a group; none where it is left out."""
        return next((group.columns for group in self.groups if group.name == name), slice(0, 0))

    def queries(self, frames: Integers, ways: Array, turns: Array) -> Array:
        """What to look for (n, columns): the poses of frames (n,), and trajectories to be followed.

        ways: (n, times, 2) in character space, metres; turns: (n, times) radians against where it faces. A
        turn that is not a number is as any frame has it on average.
        """
        found = self.values[frames].astype(float)
        where = self.group("position")
        if where.stop:
            wanted = ways.reshape(len(frames), -1)
            found[:, where] = (wanted - self.means[where]) * self.scales[where]
        where = self.group("facing")
        if where.stop:
            wanted = _directions(turns)
            found[:, where] = np.nan_to_num((wanted - self.means[where]) * self.scales[where])
        return found


def compute(
    database: Database,
    joints: Sequence[int],
    method: Method,
    seconds: float,
    weights: Weights | None = None,
    kind: str = DISPLACEMENT,
) -> Features:
    """The features of all frames.

    joints: which of the database's a pose is told by, hips and feet as a rule; one that always is where the
    root is tells nothing, and is left out. method, seconds: how transitions blend, of which the combination
    of position and velocity depends. Raises InertiaError for a group that never varies.
    """
    weights = weights or Weights()
    later = np.round(np.array(TIMES) * database.fps).astype(np.int64)
    pose = _pose(database, joints, method, seconds, weights.pose, kind)
    named = [group for group in pose if _deviation(group[2]) >= VARIES]
    if pose and not named:
        named = [("pose", weights.pose, pose[0][2])]
    ways, turns = relative(database, np.arange(database.frames), later)
    named += [
        ("position", weights.position, ways.reshape(len(ways), -1)),
        ("facing", weights.facing, _directions(turns)),
    ]
    return normalised(named, later)


def relative(database: Database, frames: Integers, later: Integers) -> tuple[Array, Array]:
    """The clips' own trajectories (n, m, 2) and turns (n, m) of frames (n,), in their character space."""
    ground, heading = database.trajectory(frames, later)
    now = database.heading[frames]
    return turned(ground - database.ground[frames][:, None], -now[:, None]), heading - now[:, None]


def turned(vectors: Array, angles: Array) -> Array:
    """Vectors (..., 2) of the ground turned by angles (...) in radians."""
    c, s = np.cos(angles), np.sin(angles)
    x, y = vectors[..., 0], vectors[..., 1]
    return np.stack([c * x - s * y, s * x + c * y], axis=-1)


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


def _pose(
    database: Database, joints: Sequence[int], method: Method, seconds: float, weight: float, kind: str
) -> list[tuple[str, float, Array]]:
    """The groups of a pose, one for each joint, and two where velocities stand for themselves."""
    of_x, of_v = (float(value) for value in feature_weights(method, seconds))
    named: list[tuple[str, float, Array]] = []
    for joint in joints:
        x, v = (np.asarray(a[:, joint], float) for a in (database.positions, database.velocities))
        name = database.joints[joint]
        if kind == DISPLACEMENT:
            named.append((name, weight, of_x * x + of_v * v))
        else:
            named += [(name, weight, x), (f"speed of {name}", weight, v)]
    return named


def _deviation(values: Array) -> float:
    """The mean standard deviation of columns."""
    return float(values.std(axis=0).mean())


def _directions(turns: Array) -> Array:
    """Turns (n, times) as directions (n, 2 * times) on the unit circle."""
    return np.stack([np.cos(turns), np.sin(turns)], axis=-1).reshape(len(turns), -1)
