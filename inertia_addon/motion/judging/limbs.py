# SPDX-License-Identifier: GPL-3.0-or-later
"""The large joints of a character: those that an eye follows each by itself, such as a knee."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from ..arrays import Array, Flags

ABOVE = 2
"""So many joints above an end are large: knee and hip above a foot, elbow and shoulder above a hand."""
APART = 0.04
"""A joint that is nearer to the last one than this part of the size is no other, as of twist bones."""
ALIKE = 0.05
"""Limbs are images of each other where their bones' lengths differ by no more than this part."""


def find_large_joints(
    parents: Sequence[int], hips: int, ends: Sequence[int], pose: Array, size: float
) -> tuple[list[int], Flags]:
    """Return the large joints, and which of them are the same joint of a limb or of its mirror image.

    Large are the hips, the ends, and the two joints above each end. Fingers, faces and twist bones are not.
    Images are known by their bones' lengths, so that names need not say sides; all legs of a spider are.

    parents: (joints,), -1 for none. ends: the joints of hands, feet, toes and head. pose: (joints, 3), where
    joints are in any pose, in the unit of ``size``, the diagonal of the rest pose. Returned are the joints
    (k,) by number, rising, and whether each is the image of each, or itself, (k, k).
    """
    chains = [_climb(parents, hips, end, pose, APART * size) for end in ends if end != hips]
    large = sorted({hips, *itertools.chain.from_iterable(chains)})
    place = {joint: i for i, joint in enumerate(large)}
    images = np.eye(len(large), dtype=bool)
    lengths = [np.linalg.norm(np.diff(pose[chain], axis=0), axis=1) for chain in chains]
    for (one, a), (other, b) in itertools.combinations(zip(chains, lengths, strict=True), 2):
        if len(a) and len(a) == len(b) and bool((np.abs(a - b) <= ALIKE * np.maximum(a, b)).all()):
            for joint, image in zip(one, other, strict=True):
                images[place[joint], place[image]] = images[place[image], place[joint]] = True
    return large, images


def _climb(parents: Sequence[int], hips: int, end: int, pose: Array, apart: float) -> list[int]:
    """Return an end and up to two joints above it, below the hips and any root, each so far from the last."""
    chain, joint = [end], parents[end]
    while len(chain) <= ABOVE and joint >= 0 and joint != hips and parents[joint] >= 0:
        if float(np.linalg.norm(pose[joint] - pose[chain[-1]])) >= apart:
            chain.append(joint)
        joint = parents[joint]
    return chain
