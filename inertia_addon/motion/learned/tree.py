# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward kinematics of many poses at once, a level of the tree at a time, and the gradient through it.

What is told of a bone is a matrix of six columns: its rotation (3), position, velocity and angular velocity,
in its parent's space or in character space. Arrays are (bones, 3, 6, poses), with bones level by level, and
those of one parent beside each other.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arrays import Integers
from .networks import Numbers

POSITION, VELOCITY, SPIN = 3, 4, 5
"""The columns behind the rotation's three."""
COLUMNS = 6


@dataclasses.dataclass(frozen=True, eq=False)
class Level:
    """Bones whose parents are all of the levels before.

    bones: places in the order of the tree. parents: (bones,) places. firsts: where the bones of each parent
    begin, and which parents these are.
    """

    bones: slice
    parents: Integers
    firsts: Integers
    own: Integers


@dataclasses.dataclass(frozen=True, eq=False)
class Tree:
    """A skeleton's tree. order: (bones,) the bones level by level; place: (bones,) the inverse."""

    order: Integers
    place: Integers
    roots: int
    levels: tuple[Level, ...]

    def follow(self, local: Numbers) -> Numbers:
        """Bones in character space, of bones in their parents' spaces; (bones, 3, 6, poses) each.

        An angular velocity is told in the parent's space, as a velocity is: v = v_parent + w_parent x p +
        R_parent v_local, and w = w_parent + R_parent w_local.
        """
        found = np.empty_like(local)
        found[: self.roots] = local[: self.roots]
        for level in self.levels:
            above = found[level.parents]
            turned = _product(above[:, :, :3], local[level.bones])
            turned[:, :, VELOCITY] += _cross(above[:, :, SPIN], turned[:, :, POSITION])
            turned[:, :, POSITION:] += above[:, :, POSITION:]
            found[level.bones] = turned
        return found

    def back(self, local: Numbers, found: Numbers, slope: Numbers) -> Numbers:
        """The gradient by bones in their parents' spaces.

        slope: by those in character space, ``found``, which becomes that by all that depends on them.
        """
        result = np.empty_like(local)
        for level in reversed(self.levels):
            above, own = found[level.parents], local[level.bones]
            way = found[level.bones][:, :, POSITION] - above[:, :, POSITION]
            turned = slope[level.bones].copy()
            up = np.empty_like(turned)
            up[:, :, POSITION:] = turned[:, :, POSITION:]
            moved = turned[:, :, VELOCITY]
            up[:, :, SPIN] += _cross(way, moved)
            turned[:, :, POSITION] += _cross(moved, above[:, :, SPIN])
            up[:, :, :3] = _product(turned, own.swapaxes(1, 2))
            result[level.bones] = _product(above[:, :, :3].swapaxes(1, 2), turned)
            slope[level.own] += np.add.reduceat(up, level.firsts, axis=0)
        result[: self.roots] = slope[: self.roots]
        return result


def tree(parents: Sequence[int]) -> Tree:
    """The tree of a skeleton whose bones' parents these are, -1 for none; each comes behind its parent."""
    depth: list[int] = []
    for parent in parents:
        depth.append(0 if parent < 0 else depth[parent] + 1)
    order: list[int] = []
    place: dict[int, int] = {}
    levels = []
    for wanted in range(max(depth, default=-1) + 1):
        mine = [i for i in range(len(parents)) if depth[i] == wanted]
        mine.sort(key=lambda i: (place.get(parents[i], -1), i))
        start = len(order)
        place |= {bone: start + i for i, bone in enumerate(mine)}
        order += mine
        if wanted:
            above = np.array([place[parents[i]] for i in mine])
            own, firsts = np.unique(above, return_index=True)
            levels.append(Level(slice(start, len(order)), above, firsts, own))
    return Tree(
        np.array(order, np.int64),
        np.array([place[i] for i in range(len(parents))], np.int64),
        sum(parent < 0 for parent in parents),
        tuple(levels),
    )


def _product(a: Numbers, b: Numbers) -> Numbers:
    """Products of matrices (n, i, k, poses) and (n, k, j, poses)."""
    found = a[:, :, 0, None] * b[:, None, 0]
    for k in range(1, a.shape[2]):
        found += a[:, :, k, None] * b[:, None, k]
    return found


def _cross(a: Numbers, b: Numbers) -> Numbers:
    """Cross products of vectors along the second axis."""
    found = np.empty(np.broadcast_shapes(a.shape, b.shape), np.result_type(a, b))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        found[:, i] = a[:, j] * b[:, k] - a[:, k] * b[:, j]
    return found


# --- two-column rotations


def turned(columns: Numbers) -> tuple[Numbers, tuple[Any, ...]]:
    """Rotations (n, 3, 3, poses) nearest to their first two columns (n, 3, 2, poses), and what
    :func:`back_to_columns` takes: the first is only scaled, the second turned into the plane of both."""
    x, size = _unit(columns[:, :, 0])
    z, area = _unit(_cross(x, columns[:, :, 1]))
    y = _cross(z, x)
    return np.stack([x, y, z], axis=2), (x, size, z, area, columns[:, :, 1])


def back_to_columns(kept: tuple[Any, ...], slope: Numbers) -> Numbers:
    """The gradient by the two columns; slope: by the rotations."""
    x, size, z, area, second = kept
    by_x, by_y, by_z = slope[:, :, 0], slope[:, :, 1], slope[:, :, 2]
    by_normal = _unit_back(z, area, by_z + _cross(x, by_y))
    by_x = by_x + _cross(by_y, z) + _cross(second, by_normal)
    return np.stack([_unit_back(x, size, by_x), _cross(by_normal, x)], axis=2)


def _unit(v: Numbers) -> tuple[Numbers, Numbers]:
    size = np.sqrt(np.maximum(np.sum(v * v, axis=1, keepdims=True), 1e-12))
    return v / size, size


def _unit_back(unit: Numbers, size: Numbers, slope: Numbers) -> Numbers:
    return (slope - unit * np.sum(unit * slope, axis=1, keepdims=True)) / size
