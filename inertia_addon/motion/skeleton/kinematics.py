# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward kinematics of plain rigs: bones that inherit everything and that nothing else moves."""

from __future__ import annotations

import functools
from collections.abc import Collection, Sequence

import numpy as np

from ...records import record
from .. import quaternion
from ..arrays import Array, ArrayLike


@record(frozen=True)
class BoneMoves:
    """What a bone's channels describe over n frames, relative to its rest pose; None where it rests.

    location: (3, n). rotation: (4, n) unit quaternions. scale: (3, n). With the frames last every step
    of the kinematics runs over memory in a row, which takes a fraction of the time.
    """

    location: Array | None = None
    rotation: Array | None = None
    scale: Array | None = None


@record(frozen=True)
class Skeleton:
    """Bones at rest, parents before children.

    names: (n,). parents: (n,) indices, -1 for none. rest: (n, 4, 4) in the armature's space.
    connected: bones whose location Blender ignores. unturned: bones whose location is along the axes
    of their parent, or of the armature, in place of their own rest axes. Both by name.
    """

    names: tuple[str, ...]
    parents: tuple[int, ...]
    rest: Array
    connected: frozenset[str] = frozenset()
    unturned: frozenset[str] = frozenset()

    def above(self, bone: str) -> tuple[str, ...]:
        """Return the names of the bones that a bone hangs from, its parent first; () for a topmost one.

        Raise KeyError if there is no such bone.
        """
        carriers, index = [], self.parents[self._place[bone]]
        while index >= 0:
            carriers.append(self.names[index])
            index = self.parents[index]
        return tuple(carriers)

    def rest_of(self, bone: str) -> Array:
        """Return the matrix (4, 4) of a bone at rest, in the armature's space."""
        return self.rest[self._place[bone]]

    @functools.cached_property
    def _place(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    def follow(
        self, moves: Sequence[BoneMoves], world: Array, wanted: int = -1
    ) -> tuple[Array, Array | None]:
        """Return where all bones' heads are in the world, and the axes of one bone.

        Parameters
        ----------
        moves
            What the channels of each bone describe, in the bones' order.
        world : (4, 4, n)
            The matrices of the armature's space.
        wanted
            The index of the bone whose axes are returned, -1 for none.

        Returns
        -------
        tuple[Array, Array | None]
            Heads (joints, 3, n); and axes (3, 3, n), an axis a column, with scale, None for -1.

        Raises
        ------
        ValueError
            There are not as many moves as bones.
        """
        heads, axes, _ = self.follow_all(moves, world, {*self.parents, wanted})
        return heads, axes[wanted] if wanted >= 0 else None

    def follow_all(
        self, moves: Sequence[BoneMoves], world: Array, turning: Collection[int]
    ) -> tuple[Array, dict[int, Array], dict[int, Array]]:
        """Return the world heads of all bones, and the axes of some and those within which they are posed.

        Every bone inherits all of its parent's rotation and scale. A bone's location moves it along its own
        rest axes, posed with its parent; for a bone in `unturned` along the parent's axes as they are, or the
        armature's. Bones in `connected` ignore theirs.

        Parameters
        ----------
        moves
            What the channels of each bone describe, in the bones' order.
        world : (4, 4, n)
            The matrices of the armature's space.
        turning
            The indices of the bones whose axes are returned. Each bone that carries another
            must be among them. Rotation and scale of all other bones are ignored; their
            locations count.

        Returns
        -------
        tuple[Array, dict[int, Array], dict[int, Array]]
            Heads (joints, 3, n); axes (3, 3, n) by bone index, and the armature's as -1; and by
            bone index, without -1, the axes before the bone's own rotation and scale. Axes are
            in the world, with scale, an axis a column.

        Raises
        ------
        KeyError
            A bone that carries another is not in `turning`.
        ValueError
            There are not as many moves as bones.
        """
        turns = _turns([move if i in turning else BoneMoves() for i, move in enumerate(moves)])
        heads = np.empty((len(self.names), 3, world.shape[-1]))
        axes: dict[int, Array] = {-1: np.ascontiguousarray(world[:3, :3])}
        places: dict[int, Array] = {}
        for i, (name, parent, move) in enumerate(zip(self.names, self.parents, moves, strict=True)):
            turn = turns[i]
            above = axes[parent]
            origin = world[:3, 3] if parent < 0 else heads[parent]
            local = self._from_parents[i]
            heads[i] = origin + local[:3, 3] @ above
            # Blender ignores the location of a bone that is connected
            location = None if name in self.connected else move.location
            if i not in turning and location is None:
                continue  # nothing hangs from it, so its axes don't matter
            place = local[:3, :3].T @ above
            if location is not None:
                heads[i] += ((above if name in self.unturned else place) * location).sum(axis=1)
            if i in turning:
                axes[i] = place if turn is None else _products(place, turn)
                places[i] = place
        return heads, axes, places

    def chained(self, moves: Array, world: Array) -> tuple[Array, Array]:
        """Return the world matrices of all bones (joints, n, 4, 4), and those in which their channels act, of
        the same shape.

        moves: (joints, n, 4, 4), what channels describe, relative to the rest pose: location, rotation and
        scale in each bone's own rest axes, as :meth:`locations` gives the first. world: (n, 4, 4), of the
        armature's space.

        Channels act at the parent's matrix, or the armature's, times the bone's rest pose relative to it; a
        bone's matrix is that times its move. All bones inherit everything. `connected` and `unturned` are not
        looked at: :meth:`locations` has seen to them. For a few frames this takes a fraction of the time of
        :meth:`follow_all`.
        """
        local = self._from_parents[:, None] @ moves
        matrices, places = np.empty_like(local), np.empty_like(local)
        for i, parent in enumerate(self.parents):
            above = world if parent < 0 else matrices[parent]
            np.matmul(above, local[i], out=matrices[i])
            np.matmul(above, self._from_parents[i], out=places[i])
        return matrices, places

    @functools.cached_property
    def _from_parents(self) -> Array:
        """Bones at rest (joints, 4, 4) past their parents."""
        inverse = np.linalg.inv(self.rest)
        pairs = zip(self.parents, self.rest, strict=True)
        return np.stack([rest if parent < 0 else inverse[parent] @ rest for parent, rest in pairs])

    def locations(self, raw: Array) -> Array:
        """Return locations (joints, n, 3) in each bone's own rest axes, from the raw values (joints, n, 3) of
        its channels.

        Connected bones get zero, as Blender ignores their location. For unturned bones the values are taken
        along the parent's rest axes and turned into the bone's own; all others are as given. The result is a
        copy.
        """
        locations = raw.copy()
        for i, name in enumerate(self.names):
            if name in self.connected:
                locations[i] = 0.0
            elif name in self.unturned:
                locations[i] = raw[i] @ self._from_parents[i, :3, :3]
        return locations


def _turns(moves: Sequence[BoneMoves]) -> list[Array | None]:
    """Return each bone's rotation times scale as matrices (3, 3, n), or None for a bone that has neither.

    Column k is the turned axis k times its scale, so that the scale acts first. A bone with a scale only has
    a diagonal matrix. The arrays of bones without a scale are views of one array.
    """
    rotations = [move.rotation for move in moves if move.rotation is not None]
    # of all bones at once, as each by itself would take several times as long
    whole = _matrices(np.concatenate(rotations, axis=1)) if rotations else np.empty((3, 3, 0))
    turns: list[Array | None] = []
    first = 0
    for move in moves:
        matrix = None
        if move.rotation is not None:
            last = first + move.rotation.shape[1]
            matrix, first = whole[..., first:last], last
        if move.scale is not None:
            matrix = (np.eye(3)[:, :, None] if matrix is None else matrix) * move.scale
        turns.append(matrix)
    return turns


def basis(location: ArrayLike, rotation: ArrayLike, scale: ArrayLike) -> Array:
    """Return transform matrices that scale first, along their own axes, then turn, then move.

    Parameters
    ----------
    location : (..., 3)
        The translations; their leading shape is the result's.
    rotation : (..., 4)
        Unit quaternions, which broadcast to that shape.
    scale : (..., 3)
        Factors for each axis, which broadcast likewise.

    Returns
    -------
    Array (..., 4, 4)
        A new array; the matrices act on columns.
    """
    location = np.asarray(location, float)
    matrix = np.zeros((*location.shape[:-1], 4, 4))
    matrix[..., :3, :3] = quaternion.to_matrix(rotation) * np.asarray(scale, float)[..., None, :]
    matrix[..., :3, 3] = location
    matrix[..., 3, 3] = 1.0
    return matrix


def _products(a: Array, b: Array) -> Array:
    """Return the matrix products (3, 3, n) of matrices (3, 3, n)."""
    return a[:, 0, None] * b[0] + a[:, 1, None] * b[1] + a[:, 2, None] * b[2]


def _matrices(q: Array) -> Array:
    """Return the rotation matrices (3, 3, n) of unit quaternions (4, n), frames last; they are not
    normalised.
    """
    w, x, y, z = q
    x2, y2, z2 = 2.0 * x, 2.0 * y, 2.0 * z
    xx, yy, zz = x * x2, y * y2, z * z2
    xy, xz, yz = x * y2, x * z2, y * z2
    wx, wy, wz = w * x2, w * y2, w * z2
    matrix = np.empty((3, 3, q.shape[1]))
    matrix[0] = 1.0 - (yy + zz), xy - wz, xz + wy
    matrix[1] = xy + wz, 1.0 - (xx + zz), yz - wx
    matrix[2] = xz - wy, yz + wx, 1.0 - (xx + yy)
    return matrix


def orientations(axes: Array) -> Array:
    """Return the unit quaternions (n, 4), (w, x, y, z) with w >= 0, nearest to matrices (3, 3, n), without
    their scale and shear.

    Matrices that are turned and scaled alike along all axes, within 1e-5, are read directly. The few others,
    and mirrored ones, go through :func:`quaternion.from_matrix`: the rotation is their polar factor, and of a
    mirrored matrix the axis of the least scale is turned round first. A matrix of zeros gives the identity.
    Numbers that are not finite give quaternions that are not a number.
    """
    m = axes / sizes(axes)
    skew = np.abs(_products(m, m.swapaxes(0, 1)) - np.eye(3)[:, :, None]).max(axis=(0, 1)) > 1e-5
    # the largest of four multiples of the quaternion, as none is largest everywhere (S. Shepperd, 1978)
    ones, trace = np.ones(axes.shape[-1]), m[0, 0] + m[1, 1] + m[2, 2]
    a, b, c = m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]
    d, e, f = m[1, 0] + m[0, 1], m[0, 2] + m[2, 0], m[2, 1] + m[1, 2]
    squares = [ones + trace, *(ones + 2.0 * m[k, k] - trace for k in range(3))]
    multiples = np.array(
        [[squares[0], a, b, c], [a, squares[1], d, e], [b, d, squares[2], f], [c, e, f, squares[3]]]
    )
    largest = np.argmax(squares, axis=0)
    q = quaternion.normalise(multiples[largest, :, np.arange(axes.shape[-1])])
    if skew.any():  # to find the polar factors of none takes as long as all the rest
        q[skew] = quaternion.from_matrix(np.moveaxis(axes[..., skew], -1, 0))
    return np.where(q[:, :1] < 0.0, -q, q)


def turns_and_sizes(axes: Array) -> tuple[Array, Array]:
    """Return the :func:`orientations` (bones, n, 4) and :func:`sizes` (bones, n) of axes (bones, 3, 3, n)."""
    flat, shape = np.moveaxis(axes, 0, 2).reshape(3, 3, -1), (len(axes), axes.shape[-1])
    return orientations(flat).reshape(*shape, 4), sizes(flat).reshape(shape)


def sizes(axes: Array) -> Array:
    """Return by how much matrices (3, 3, n) scale, (n,), on average over their axes; those that mirror as
    good as 0.
    """
    (a, b, c), (d, e, f), (g, h, i) = axes
    determinants = a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g)
    return np.asarray(np.cbrt(np.maximum(determinants, 1e-30)))
