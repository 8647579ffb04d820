# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward kinematics of plain rigs: bones that inherit everything and that nothing else moves."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ...records import record
from .. import quaternion
from ..arrays import Array, ArrayLike, Integers

AT_ONCE = 4096
"""So many bones times frames are posed at once: what that touches fits into a processor's own memory."""
HANGINGS = 8
"""Of so many choices of bones that move it is kept, at most, which hangs from which."""


@record(frozen=True, eq=False)
class BoneMoves:
    """What the channels of some bones describe over n frames, relative to their rest pose; all others rest.

    bones: (k,) their indices, each once. rotations: (k, 4, n), unit quaternions. locations: (3, n) by index,
    of those that have one. scale_factors: (k, 3, n), which act first; None for 1. With the frames last every
    step of the kinematics runs over memory in a row, which takes a fraction of the time.
    """

    bones: Integers
    rotations: Array
    locations: Mapping[int, Array]
    scale_factors: Array | None = None

    def turn_matrices(self, rows: Integers) -> Array:
        """Return rotation times scale (m, 3, 3, n) of some of the bones, a turned axis a column. rows: (m,)
        their places among these.
        """
        matrices = _matrices(self.rotations[rows])
        return matrices if self.scale_factors is None else matrices * self.scale_factors[rows][:, None]


@record(frozen=True, eq=False)
class _Hanging:
    """From which of the bones that move by themselves each bone hangs: the nearest above.

    order: (k,) puts the bones that move into an order in which carriers come first. levels: where in that
    those begin and end that equally many carry. position: (joints,) the place of a bone in that order, -1 if
    it does not move. carrier: (joints,) that of the one from which it hangs, -1 for none. local: (joints, 4,
    4) where it is from there, as at rest.
    """

    order: Integers
    levels: tuple[tuple[int, int], ...]
    position: Integers
    carrier: Integers
    local: Array

    def split_levels(self, most: int) -> Iterator[slice]:
        """Yield slices of the order, of so many bones at most, of which none carries another."""
        for begin, last in self.levels:
            yield from (slice(first, min(first + most, last)) for first in range(begin, last, most))

    def pose_axes(self, bones: Integers, axes: Array) -> Array:
        """Return the axes (k, 3, 3, n) within which bones (k,) are posed. axes: of what carries them."""
        return np.asarray(self.local[bones, :3, :3].swapaxes(1, 2)[:, None] @ axes)

    def pose_parent(self, parent: int, axes: Array) -> Array:
        """Return the axes (3, 3, n) of a bone's parent, -1 for none. axes: of what carries the bone."""
        if parent < 0 or self.position[parent] >= 0:
            return axes
        return self.pose_axes(np.array([parent]), axes[None])[0]

    @functools.cached_property
    def groups(self) -> Sequence[tuple[int, Integers]]:
        """Pairs (place, indices), one for each bone that moves and carries bones that do not: its place in
        `order`, and the indices of those, rising. First come, with the place -1, those that hang from no
        bone that moves; then places rise.
        """
        still = np.flatnonzero(self.position < 0)
        still = still[np.argsort(self.carrier[still], kind="stable")]
        carriers, firsts = np.unique(self.carrier[still], return_index=True)
        # split gives one part of nothing, too
        return [*zip(carriers.tolist(), np.split(still, firsts[1:]), strict=False)]


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

    def follow(self, moves: BoneMoves, world: Array, wanted: int = -1) -> tuple[Array, Array | None]:
        """Return where all bones' heads are in the world, and the axes of one bone.

        Parameters
        ----------
        moves
            What the channels of the bones describe.
        world : (4, 4, n)
            The matrices of the armature's space.
        wanted
            The index of the bone whose axes are returned, -1 for none.

        Returns
        -------
        tuple[Array, Array | None]
            Heads (joints, 3, n); and axes (3, 3, n), an axis a column, with scale, None for -1.
        """
        heads, axes, _ = self.follow_all(moves, world, [wanted] if wanted >= 0 else [])
        return heads, axes[0] if wanted >= 0 else None

    def follow_all(
        self, moves: BoneMoves, world: Array, turning: Sequence[int]
    ) -> tuple[Array, Array, Array]:
        """Return the world heads of all bones, and the axes of some and those within which they are posed.

        Every bone inherits all of its parent's rotation and scale. A bone's location moves it along its own
        rest axes, posed with its parent; for a bone in `unturned` along the parent's axes as they are, or the
        armature's. Bones in `connected` ignore theirs.

        Parameters
        ----------
        moves
            What the channels of the bones describe.
        world : (4, 4, n)
            The matrices of the armature's space.
        turning
            The indices (k,) of the bones whose axes are returned.

        Returns
        -------
        tuple[Array, Array, Array]
            Heads (joints, 3, n); axes (k, 3, 3, n); and the axes of the same shape before the bone's own
            rotation and scale. Axes are in the world, with scale, an axis a column.
        """
        count = world.shape[-1]
        hanging = self._find_hanging(moves.bones)
        # the last are the armature's
        axes = np.empty((len(moves.bones) + 1, 3, 3, count))
        origins = np.empty((len(moves.bones) + 1, 3, count))
        axes[-1], origins[-1] = world[:3, :3], world[:3, 3]
        ordered, turns = moves.bones[hanging.order], moves.turn_matrices(hanging.order)
        for level in hanging.split_levels(max(1, AT_ONCE // max(1, count))):
            bones = ordered[level]
            carrier = hanging.carrier[bones]
            above = axes[carrier]
            place = hanging.pose_axes(bones, above)
            origins[level] = origins[carrier] + (hanging.local[bones, None, None, :3, 3] @ above)[:, :, 0]
            for i, bone in enumerate(bones.tolist()):
                # Blender ignores the location of a bone that is connected
                if bone in moves.locations and self.names[bone] not in self.connected:
                    across = place[i]
                    if self.names[bone] in self.unturned:
                        across = hanging.pose_parent(self.parents[bone], above[i])
                    origins[level][i] += (across * moves.locations[bone]).sum(axis=1)
            axes[level] = _products(place, turns[level])
        heads = np.empty((len(self.names), 3, count))
        heads[ordered] = origins[:-1]
        for carried, still in hanging.groups:
            ways = hanging.local[still, :3, 3] @ axes[carried]
            heads[still] = origins[carried] + ways.swapaxes(0, 1)
        some = np.array(turning, np.int64)
        is_moving, at = hanging.position[some] >= 0, hanging.position[some]
        places = hanging.pose_axes(some, axes[hanging.carrier[some]])
        turned = places.copy()
        turned[is_moving] = axes[at[is_moving]]
        return heads, turned, places

    def _find_hanging(self, moving: Integers) -> _Hanging:
        """Return the same as :meth:`_hang`, found but once, as many plans in a row move the same bones."""
        key = moving.tobytes()
        if key not in self._hangings:
            if len(self._hangings) >= HANGINGS:
                self._hangings.clear()
            self._hangings[key] = self._hang(moving)
        return self._hangings[key]

    @functools.cached_property
    def _hangings(self) -> dict[bytes, _Hanging]:
        return {}

    def _hang(self, moving: Integers) -> _Hanging:
        """Return from which of some bones each bone hangs: its nearest ancestor among them, itself excepted;
        see :class:`_Hanging`.

        moving: (k,), the indices of these bones, each once.
        """
        carriers, depths = [-1] * (len(self.names) + 1), [0] * (len(self.names) + 1)
        hung, moves = list[int](), {*moving.tolist()}
        for i, parent in enumerate(self.parents):
            hung.append(carriers[parent])
            carriers[i] = i if i in moves else hung[i]
            depths[i] = depths[hung[i]] + (i in moves)
        by_depth = np.array(depths)[moving]
        order = np.argsort(by_depth, kind="stable")
        ends = np.flatnonzero(np.diff(by_depth[order], prepend=0, append=by_depth.max(initial=0) + 1))
        position = np.full(len(self.names) + 1, -1)
        position[moving[order]] = np.arange(len(moving))
        above = np.array(hung, np.int64)
        return _Hanging(
            order,
            tuple(itertools.pairwise(ends.tolist())),
            position[:-1],
            position[above],
            np.asarray(self._inverses[above] @ self.rest),
        )

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
        return np.asarray(self._inverses[list(self.parents)] @ self.rest)

    @functools.cached_property
    def _inverses(self) -> Array:
        """The inverses of bones at rest, then of the armature's own space (joints + 1, 4, 4)."""
        return np.concatenate([np.linalg.inv(self.rest), np.eye(4)[None]])

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
    """Return the matrix products (..., 3, 3, n) of matrices (..., 3, 3, n)."""
    product = a[..., :, 0, None, :] * b[..., None, 0, :, :]
    for k in (1, 2):
        product += a[..., :, k, None, :] * b[..., None, k, :, :]
    return np.asarray(product)


def _matrices(q: Array) -> Array:
    """Return the rotation matrices (k, 3, 3, n) of unit quaternions (k, 4, n), frames last; they are not
    normalised.
    """
    twice = 2.0 * q[:, 1:]
    matrices = q[:, 1:, None] * twice[:, None]
    wx, wy, wz = (q[:, :1] * twice).swapaxes(0, 1)
    xx, yy, zz = (matrices[:, i, i] for i in range(3))
    for i, both in enumerate((yy + zz, xx + zz, xx + yy)):
        np.subtract(1.0, both, out=matrices[:, i, i])
    for (row, column), turned in (((1, 0), wz), ((0, 2), wy), ((2, 1), wx)):
        matrices[:, row, column] += turned
        matrices[:, column, row] -= turned
    return matrices


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
