# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward kinematics of many poses at once, and the gradient through it.

What is told of a bone is a matrix of six columns: its rotation (3), position, velocity and angular velocity,
in its parent's space or in character space. Arrays are (3, 6, bones, poses), with bones level by level of the
tree: so numpy works on long rows. Only rotations go down the tree level by level; all else is a sum along the
bones that lead to one, and the gradient a sum over those that hang from it, each a matrix product.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from ...records import record
from ..arrays import Integers
from .networks import Numbers

POSITION, VELOCITY, SPIN = 3, 4, 5
"""The columns behind the rotation's three."""
COLUMNS = 6

_GROUND = np.eye(3)[:, :, None, None]
"""How the ground is turned, from which bones hang that have no parent."""

Kept = tuple[Numbers, ...]
"""What a gradient takes of the way there."""


@record(frozen=True, eq=False)
class PoseTree:
    """A skeleton's tree. order: (bones,) the bones level by level. parents: (bones,) places in this order;
    who has none hangs from the ground, which comes behind all. levels: the places of each. chains: (bones,
    bones) is 1 where the second bone is the first one, or one that this hangs from."""

    order: Integers
    parents: Integers
    levels: tuple[slice, ...]
    chains: Numbers

    def follow(self, local: Numbers) -> tuple[Numbers, Kept]:
        """Return bones in character space (3, 6, bones, poses), and what :meth:`back` needs.

        local: bones in their parents' spaces (3, 6, bones, poses), in the tree's order. The six columns are
        the rotation's three, position, velocity and angular velocity. v = v_parent + w_parent x p + R_parent
        v_local, and w = w_parent + R_parent w_local.
        """
        chains = self.chains.astype(local.dtype)
        placed = np.empty_like(local)
        above = np.empty_like(local[:, :3])
        for level in self.levels:
            parents = self.parents[level]
            above[:, :, level] = _GROUND if parents[0] == len(self.order) else placed[:, :3, parents]
            _product(above[:, :, level], local[:, :3, level], placed[:, :3, level])
        moved = _product(above, local[:, POSITION:])
        np.matmul(chains, moved[:, 0], out=placed[:, POSITION])
        np.matmul(chains, moved[:, 2], out=placed[:, SPIN])
        spin = placed[:, SPIN] - moved[:, 2]
        carried = cross(spin, moved[:, 0])
        carried += moved[:, 1]
        np.matmul(chains, carried, out=placed[:, VELOCITY])
        return placed, (placed, above, moved, spin)

    def places(self, turns: Numbers, positions: Numbers) -> Numbers:
        """Return where bones are in character space (3, bones, poses): the fourth column of :meth:`follow`
        alone.

        turns: (3, 3, bones, poses), positions: (3, bones, poses), in their parents' spaces. Bones are in the
        tree's order.
        """
        turned, above = np.empty_like(turns), np.empty_like(turns)
        for level in self.levels:
            parents = self.parents[level]
            above[:, :, level] = _GROUND if parents[0] == len(self.order) else turned[:, :, parents]
            _product(above[:, :, level], turns[:, :, level], turned[:, :, level])
        moved = _product(above, positions[:, None])[:, 0]
        return np.asarray(np.matmul(self.chains.astype(turns.dtype), moved))

    def back(self, intermediates: Kept, slope: Numbers) -> Numbers:
        """Return the gradient (3, 4, bones, poses) by bones in their parents' spaces.

        It is by a small rotation of the bone, as a vector, and by its position, velocity and angular
        velocity. intermediates: what :meth:`follow` returned. slope: (3, 6, bones, poses), by those in
        character space. A bone's rotation turns all that hangs from it, so that its gradient is a sum of
        torques.
        """
        placed, above, moved, spin = intermediates
        below = self.chains.T.astype(slope.dtype)
        by = np.empty_like(slope[:, :4])
        np.matmul(below, slope[:, VELOCITY], out=by[:, 2])
        np.matmul(below, slope[:, POSITION], out=by[:, 1])
        by[:, 1] += cross(by[:, 2], spin)
        # what acts on a bone by way of its parent counts for the parent, not for the bone
        handed = cross(moved[:, 0], by[:, 2])
        np.matmul(below, slope[:, SPIN] + handed, out=by[:, 3])
        by[:, 3] -= handed
        handed = cross(moved, by[:, 1:]).sum(axis=1)
        torque = cross(placed[:, :3], slope[:, :3]).sum(axis=1)
        torque += handed
        np.matmul(below, torque, out=by[:, 0])
        by[:, 0] -= handed
        return _product(above.swapaxes(0, 1), by)


def tree(parents: Sequence[int]) -> PoseTree:
    """Return the tree of a skeleton, with its bones ordered level by level: topmost first, within a level as
    they were.

    parents: of the bones, -1 for none; a parent must come before its children, else an IndexError is raised.
    In the tree's `parents`, which are places in its order, the number of bones stands for none.
    """
    depth: list[int] = []
    for parent in parents:
        depth.append(0 if parent < 0 else depth[parent] + 1)
    order = sorted(range(len(parents)), key=lambda bone: depth[bone])
    place = {bone: i for i, bone in enumerate(order)} | {-1: len(order)}
    above = np.array([place[parents[bone]] for bone in order], np.int64)
    chains = np.eye(len(order) + 1)
    for i, parent in enumerate(above.tolist()):
        chains[i] += chains[parent]
    ends = np.cumsum(np.bincount(depth))
    levels = tuple(slice(a, b) for a, b in itertools.pairwise([0, *ends.tolist()]))
    return PoseTree(np.array(order, np.int64), above, levels, chains[:-1, :-1])


def _product(a: Numbers, b: Numbers, out: Numbers | None = None) -> Numbers:
    """Return the products (i, j, bones, poses) of matrices (i, k, bones, poses) and (k, j, bones, poses), in
    `out` if given.
    """
    product: Numbers = np.einsum("ikbn,kjbn->ijbn", a, b, out=out)
    return product


def cross(a: Numbers, b: Numbers, out: Numbers | None = None) -> Numbers:
    """Return the cross products a x b of vectors along the first axis.

    Parameters
    ----------
    a, b : (3, ...)
        Of one shape.
    out : (3, ...)
        Where they are written, not one of the arguments; None for a new array.

    Returns
    -------
    Numbers (3, ...)
        `out` itself if it is given.
    """
    product = np.empty_like(a) if out is None else out
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        np.multiply(a[j], b[k], out=product[i])
        product[i] -= a[k] * b[j]
    return product


def _dot(a: Numbers, b: Numbers) -> Numbers:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


# --- two-column rotations


def turned(columns: Numbers, out: Numbers | None = None) -> tuple[Numbers, Kept]:
    """Return rotations (3, 3, bones, poses) of their first two columns (3, 2, bones, poses), and what
    back_to_columns() takes.

    The first is only scaled, the second turned into the plane of both. out: where the rotations are written,
    which may be the columns' own place; None for a new array.
    """
    rotation = np.empty((3, 3, *columns.shape[2:]), columns.dtype) if out is None else out
    first, second = columns[:, 0], columns[:, 1]
    size = _size(first)
    x = np.divide(first, size, out=rotation[:, 0])
    normal, along = cross(x, second), _dot(second, x)
    area = _size(normal)
    z = np.divide(normal, area, out=rotation[:, 2])
    cross(z, x, out=rotation[:, 1])
    return rotation, (rotation, size, area, along)


def rotated(vectors: Numbers, by: Numbers) -> Numbers:
    """Return vectors (3, ...) turned by rotation vectors (3, ...), radians; a new array of the vectors'
    shape.
    """
    angle = np.sqrt(_dot(by, by))
    # np.sinc(x) is sin(pi x)/(pi x), exact at 0
    whole, half = np.sinc(angle / np.pi).astype(by.dtype), np.sinc(angle / (2.0 * np.pi)).astype(by.dtype)
    along = 0.5 * half * half * _dot(by, vectors)
    return np.asarray(np.cos(angle) * vectors + whole * cross(by, vectors) + along * by)


def back_to_columns(intermediates: Kept, torque: Numbers) -> Numbers:
    """Return the gradient (3, 2, bones, poses) by the two columns of a rotation.

    intermediates: what :func:`turned` returned. torque: (3, bones, poses), the gradient by a small rotation.
    The first column turns the rotation about z and, where it leaves the plane, about y; and the second one,
    which then is not where it was in the plane, about x.
    """
    (turns, size, area, along) = intermediates
    x, y, z = (turns[:, i] for i in range(3))
    about_x, about_y, about_z = (_dot(torque, axis) for axis in (x, y, z))
    about_x /= area
    about_y += about_x * along
    return np.stack([(y * about_z - z * about_y) / size, z * about_x], axis=1)


def _size(v: Numbers) -> Numbers:
    return np.sqrt(np.maximum(_dot(v, v), 1e-12))
