# SPDX-License-Identifier: GPL-3.0-or-later
"""What networks learn from: the frames of a set of clips as rows of numbers.

As in the layout of :mod:`matching.engine`, 60 frames a second, Y up; without the simulation bone, in whose
space the bones without a parent are told, and which only moves. What the Decompressor gives of a frame is a
row of all bones' positions, then rotations (two columns of the matrix, row by row), velocities, angular
velocities, the simulation bone's velocity and angular velocity in its own space, and the feet's contacts.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError, Sentence
from ...records import record
from .. import quaternion
from ..arrays import Array, Flags, Floats, Integers
from ..matching.database import PERSON
from ..matching.engine import FPS, Exported
from ..steering.fitted import FittedGait
from .networks import Numbers
from .tree import COLUMNS, POSITION, PoseTree, cross, tree

CLIP = 0.5
"""Clips of fewer seconds teach nothing: nobody knows how they go on."""
LEAST_FRAMES = 600
"""Fewer frames teach nothing that plays: ten seconds."""
LARGE, A_MINUTE = 7000, 700
"""Sets of more frames than the first are large. The second are learned in a minute to what the docs say: in
ten minutes 4,706 were, and 14,000 were not."""
MOVING = 0.3
"""Who is quicker than so many metres a second moves."""
NO_TRAVEL = 0.05
"""A set in which nobody is faster, in metres a second, stays where it is."""
TWO_COLUMNS = (0, 1, 3, 4, 5)
"""Of a bone's six columns those that are not said by the others."""


def _columns(first: int, last: int, behind_first: int = 0, behind_last: int = 0) -> Any:
    """Return a part of a row: from and to so many numbers for each bone, and so many more behind these."""
    return property(lambda rows: slice(first * rows.bones + behind_first, last * rows.bones + behind_last))


@record(frozen=True, eq=False)
class RowLayout:
    """Where what is in a row; of so many bones and feet."""

    bones: int
    feet: int

    positions = _columns(0, 3)
    """Three for each bone."""
    turns = _columns(3, 9)
    """Six for each bone."""
    velocities = _columns(9, 12)
    spins = _columns(12, 15)
    root_velocity = _columns(15, 15, 0, 3)
    """Of the simulation bone."""
    root_spin = _columns(15, 15, 3, 6)
    root = _columns(15, 15, 0, 6)
    """Velocity and angular velocity of the simulation bone."""

    @property
    def contacts(self) -> slice:
        """One for each foot."""
        return slice(self.root.stop, self.size)

    @property
    def size(self) -> int:
        """How long a row is."""
        return 15 * self.bones + 6 + self.feet

    @property
    def inputs(self) -> int:
        """How long a row is to which bones in character space are added, five columns each."""
        return self.size + 15 * self.bones


@record(frozen=True, eq=False)
class Material:
    """A set of clips, ready to be learned; all numbers are of one precision.

    inputs: (frames, rows.inputs), what the Compressor takes: rows, see the module, and then in the tree's
    order the bones in character space (3, 5 each): the rotation's two columns, position, velocity and angular
    velocity. features: (frames, columns), normalised: (value - offset) / scale; of these, offsets and scales
    (columns,). starts, stops: of each clip. names: of the clips. gait: how they change their speed and turn;
    None where that is not known.
    """

    rows: RowLayout
    tree: PoseTree
    inputs: Numbers
    features: Numbers
    offsets: Floats
    scales: Floats
    starts: Integers
    stops: Integers
    names: tuple[str, ...]
    gait: FittedGait | None = None

    @property
    def values(self) -> Numbers:
        """The frames' rows (frames, rows.size), see the module."""
        return self.inputs[:, : self.rows.size]

    @property
    def pace(self) -> float:
        """The speed that the clips have most of while they move, metres a second."""
        return pace_of(self.values[:, self.rows.root_velocity])

    @functools.cached_property
    def size(self) -> float:
        """The character's height, as a part of a person's."""
        seen = self.inputs[:, self.rows.size :].reshape(self.frames, self.rows.bones, 3, 5)
        return size_of(seen[:, :, 1, TWO_COLUMNS.index(POSITION)])

    @property
    def frames(self) -> int:
        """How many frames there are."""
        return len(self.inputs)

    def windows(self, length: int) -> Integers:
        """Return the frames at which windows of `length` frames begin that stay within their clips."""
        spans = zip(self.starts, self.stops, strict=True)
        return np.concatenate([np.arange(first, stop - length + 1) for first, stop in spans])


def pace_of(velocities: Numbers) -> float:
    """Return the speed that velocities (n, 3) have most while moving, metres a second."""
    speeds = np.linalg.norm(velocities, axis=1)
    moving = speeds[speeds > min(MOVING, 0.5 * float(speeds.max()))]
    return float(np.median(moving)) if len(moving) else MOVING


def size_of(heights: Numbers) -> float:
    """Return how tall a character is, as a part of a person. heights: (n, bones), of its joints, metres."""
    return max(float(np.ptp(heights, axis=1).mean()), 1e-6) / PERSON


def gathered(
    clips: Exported,
    features: tuple[Floats, Floats, Floats],
    names: Sequence[str] = (),
    kind: type = np.float32,
    gait: FittedGait | None = None,
) -> Material:
    """Return the material that networks learn from, made of exported clips and of their features.

    All frames of all clips are kept, those of clips shorter than 0.5 s, too.

    Parameters
    ----------
    clips
        All frames, as :func:`engine.exported` returns them; their first bone is the simulation
        bone.
    features
        Values (frames, columns), normalised, offsets and scales (columns,).
    names
        Of the clips; () numbers them from "0".
    kind
        The precision of inputs and features.
    gait
        Of the clips; None if it is not known.

    Returns
    -------
    Material
        Its bones are the clips' without the simulation bone, in the same order. Its inputs hold
        a row for each frame, with the simulation bone's velocity and angular velocity in its own
        space, and behind it the bones in character space, in the tree's order. Features are
        converted to `kind`; offsets and scales are passed on.

    Raises
    ------
    InertiaError
        The clips of at least 0.5 s have fewer than 600 frames, a value is not finite, or
        all clips stay in place; see :func:`check`.
    """
    check(clips, features[0])
    bones, frames = clips.positions.shape[1] - 1, len(clips.positions)
    parents = tuple(int(p) - 1 for p in clips.parents[1:])
    skeleton = tree(parents)
    turns = quaternion.to_matrix(clips.rotations[:, 1:])
    local = np.empty((frames, bones, 3, COLUMNS))
    local[..., :POSITION] = turns
    moving = (clips.positions, clips.velocities, clips.angular_velocities)
    local[..., POSITION:] = np.stack([array[:, 1:] for array in moving], axis=-1)
    back = quaternion.conjugate(clips.rotations[:, 0])
    values = np.concatenate(
        [
            clips.positions[:, 1:].reshape(frames, -1),
            turns[..., :2].reshape(frames, -1),
            *(array[:, 1:].reshape(frames, -1) for array in moving[1:]),
            *(quaternion.rotate(back, array[:, 0]) for array in moving[1:]),
            clips.contacts,
        ],
        axis=1,
    )
    placed, _ = skeleton.follow(np.ascontiguousarray(local[:, skeleton.order].transpose(2, 3, 1, 0)))
    seen = placed.T[..., TWO_COLUMNS, :].swapaxes(2, 3).reshape(frames, -1)
    normal, offsets, scales = features
    return Material(
        RowLayout(bones, clips.contacts.shape[1]),
        skeleton,
        np.concatenate([values, seen], axis=1, dtype=kind),
        normal.astype(kind),
        offsets,
        scales,
        np.asarray(clips.starts),
        np.asarray(clips.stops),
        tuple(names) or tuple(map(str, range(len(clips.starts)))),
        gait,
    )


def check(clips: Exported, features: Floats) -> None:
    """Raise InertiaError if nothing can be learned from clips; return nothing.

    That is so if the clips of at least 0.5 s have fewer than 600 frames in all, if any value or feature is
    not finite, or if no clip's ground speed reaches 0.05 m/s.
    """
    long = clips.stops - clips.starts >= round(CLIP * FPS)
    frames = int((clips.stops - clips.starts)[long].sum())
    if frames < LEAST_FRAMES:
        raise InertiaError(
            "The clips have {frames} frames at {fps:g} a second that can be learned from; at least "
            "{least} are needed: add clips, or their mirror images.",
            frames=frames,
            fps=FPS,
            least=LEAST_FRAMES,
        )
    arrays = (clips.positions, clips.rotations, clips.velocities, clips.angular_velocities, features)
    if not all(np.isfinite(array).all() for array in arrays):
        raise InertiaError(
            "Some of the clips' values are not numbers, so nothing can be learned from them; correct or "
            "leave out those clips."
        )
    if float(np.linalg.norm(clips.velocities[:, 0], axis=1).max()) < NO_TRAVEL:
        raise InertiaError(
            "The clips stay in place, so they can't follow a path: they have no travel, and their feet "
            "show none. Choose clips that walk, or name the bone that moves over the ground."
        )


def short_of_time(frames: int, minutes: float) -> Sentence | None:
    """Return what to say before a set of more than 7,000 frames is learned in less than a minute for each
    700; None for any other.
    """
    if frames <= max(LARGE, A_MINUTE * minutes):
        return None
    return Sentence(
        "{frames} frames take about {minutes} minutes to learn: after less, the model jumps to poses that "
        "are farther from the clips. Train it for longer, or choose fewer clips.",
        frames=frames,
        minutes=math.ceil(frames / A_MINUTE),
    )


@record(frozen=True, eq=False)
class RowPoses:
    """What rows say of n characters: bones in their parents' spaces, positions (n, bones, 3) in metres and
    rotations (n, bones, 4); the simulation bone's velocity (n, 3) in metres a second and spin (n, 3) in
    radians a second, in its own space; contacts (n, feet)."""

    positions: Array
    rotations: Array
    root_velocity: Array
    root_spin: Array
    contacts: Flags


def posed(rows: RowLayout, values: Numbers) -> RowPoses:
    """Return the poses of rows (n, rows.size)."""
    count = len(values)
    columns = values[:, rows.turns].reshape(count, rows.bones, 3, 2)
    return RowPoses(
        values[:, rows.positions].reshape(count, rows.bones, 3).astype(float),
        _quaternions(columns),
        values[:, rows.root_velocity].astype(float),
        values[:, rows.root_spin].astype(float),
        values[:, rows.contacts] > 0.5,
    )


def _quaternions(columns: Numbers) -> Array:
    """Return unit quaternions (..., 4), w >= 0, of the first two columns (..., 3, 2) of rotation matrices.

    The first column is only scaled, the second turned into the plane of both.
    """
    x, y = (np.moveaxis(columns[..., i], -1, 0).astype(float) for i in range(2))
    x = x / np.maximum(np.sqrt(x[0] ** 2 + x[1] ** 2 + x[2] ** 2), 1e-12)
    z = cross(x, y)
    z = z / np.maximum(np.sqrt(z[0] ** 2 + z[1] ** 2 + z[2] ** 2), 1e-12)
    y = cross(z, x)
    # each component's size by the diagonal, and the signs by what is beside it; w is never negative
    w = 0.5 * np.sqrt(np.maximum(1.0 + x[0] + y[1] + z[2], 0.0))
    a = 0.5 * np.sqrt(np.maximum(1.0 + x[0] - y[1] - z[2], 0.0))
    b = 0.5 * np.sqrt(np.maximum(1.0 - x[0] + y[1] - z[2], 0.0))
    c = 0.5 * np.sqrt(np.maximum(1.0 - x[0] - y[1] + z[2], 0.0))
    parts = [w, np.copysign(a, y[2] - z[1]), np.copysign(b, z[0] - x[2]), np.copysign(c, x[1] - y[0])]
    q = np.stack(parts, axis=-1)
    return np.asarray(q / quaternion.norms(q)[..., None])
