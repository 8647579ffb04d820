# SPDX-License-Identifier: GPL-3.0-or-later
"""The large joints of a character: those that an eye follows each by itself, such as a knee."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from ...records import record
from ..arrays import Array, Flags

ABOVE = 2
"""So many joints above an end are large: knee and hip above a foot, elbow and shoulder above a hand."""
APART = 0.04
"""A joint that is nearer to the last one than this part of the size is no other, as of twist bones."""
ALIKE = 0.05
"""Limbs are images of each other where their bones' lengths differ by no more than this part."""


@record(frozen=True, eq=False)
class JudgedLimbs:
    """Large joints, by number.

    joints: (k,) the hips, the ends, and the two joints above each end, rising. images: (k, k) whether each is
    the same joint of a limb as each, or of its mirror image, or itself. hinges: (h, 3) the joints below, at
    and above each knee and elbow. hinge_images: (h, h) as images. chains: of each end the joints (up to 3,)
    from it upwards.
    """

    joints: tuple[int, ...]
    images: Flags
    hinges: tuple[tuple[int, int, int], ...]
    hinge_images: Flags
    chains: tuple[tuple[int, ...], ...]


def find_limbs(
    parents: Sequence[int],
    hips: int,
    ends: Sequence[int],
    legs: Sequence[Sequence[int]],
    pose: Array,
    size: float,
) -> JudgedLimbs:
    """Return the large joints of a character, and which are the same joint of the same or a mirrored limb.

    Large are the hips, each end, and two joints above it. Joints nearer to the last one than 0.04 (APART) of
    the size, such as those of twist bones, are passed over, and the way up stops below the hips and below a
    joint without a parent. Limbs are images of each other if they have as many joints, two at least, and
    their bones are equally long within 5 % (ALIKE), so that names need not tell sides; then each joint is the
    image of the one in its place. The hips are only their own. Hinges are the middle joints of limbs of three
    joints, none of whose upper joints is an end, that have an image of the same kind: knees and elbows.

    Parameters
    ----------
    parents : (joints,)
        Indices, -1 for none.
    hips
        A joint.
    ends
        The joints of hands, feet, toes and head. Of the hips no limb is made.
    legs
        For each known leg its joints from hip to ankle; a foot may hang elsewhere. The last
        three are the limb of an end that is the last one. Those of fewer than 3 joints are not
        used.
    pose : (joints, 3)
        Positions in any pose.
    size
        The diagonal of the rest pose, in the same unit.

    Returns
    -------
    JudgedLimbs
        Its joints are rising numbers; rows and columns of its images are in their order. Its
        chains are those of `ends` in their order, without the hips, each of up to three joints
        from the end upwards. Its hinges are (below, at, above), in the order of the chains.
    """
    places = pose.tolist()
    known_legs = {leg[-1]: [*leg[::-1]][: ABOVE + 1] for leg in legs if len(leg) > ABOVE}
    chains = [
        known_legs.get(end) or _climb(parents, hips, end, places, APART * size) for end in ends if end != hips
    ]
    large = sorted({hips, *itertools.chain.from_iterable(chains)})
    place = {joint: i for i, joint in enumerate(large)}
    images = np.eye(len(large), dtype=bool)
    lengths = [[math.dist(places[a], places[b]) for a, b in itertools.pairwise(chain)] for chain in chains]
    pairs: list[tuple[int, int]] = []
    for (i, a), (k, b) in itertools.combinations(enumerate(lengths), 2):
        if a and len(a) == len(b) and all(abs(x - y) <= ALIKE * max(x, y) for x, y in zip(a, b, strict=True)):
            pairs.append((i, k))
            for joint, image in zip(chains[i], chains[k], strict=True):
                images[place[joint], place[image]] = images[place[image], place[joint]] = True
    known = set(ends)
    bends = [len(chain) > ABOVE and not known & {*chain[1:]} for chain in chains]
    limbs = sorted({i for pair in pairs for i in pair if all(bends[k] for k in pair)})
    alike = np.eye(len(limbs), dtype=bool)
    for i, k in pairs:
        if i in limbs and k in limbs:
            alike[limbs.index(i), limbs.index(k)] = alike[limbs.index(k), limbs.index(i)] = True
    hinges = tuple((chains[i][0], chains[i][1], chains[i][2]) for i in limbs)
    return JudgedLimbs(tuple(large), images, hinges, alike, tuple(map(tuple, chains)))


def _climb(
    parents: Sequence[int], hips: int, end: int, places: Sequence[Sequence[float]], apart: float
) -> list[int]:
    """Return an end joint and up to two joints above it, the end first.

    The way up stops below the hips and below a joint without a parent. A joint nearer than `apart` to the
    last one taken is passed over. places: (joints, 3), in the unit of apart.
    """
    chain, joint = [end], parents[end]
    while len(chain) <= ABOVE and joint >= 0 and joint != hips and parents[joint] >= 0:
        if math.dist(places[joint], places[chain[-1]]) >= apart:
            chain.append(joint)
        joint = parents[joint]
    return chain


def measure_hinges(positions: Array, hinges: Sequence[tuple[int, int, int]]) -> Array:
    """Return the angles (n, h) of hinges, radians: pi where a limb is straight, 0 where it is folded, or a
    bone has no length.

    positions: (n, joints, 3). hinges: h of them, one at least, the joints below, at and above each.
    """
    below, at, above = (positions[:, list(each)] for each in zip(*hinges, strict=True))
    x, y = below - at, above - at
    a, b, c = np.moveaxis(x, -1, 0)
    u, v, w = np.moveaxis(y, -1, 0)
    # written out, as numpy takes several times as long of so short vectors
    across = np.sqrt((b * w - c * v) ** 2 + (c * u - a * w) ** 2 + (a * v - b * u) ** 2)
    return np.asarray(np.arctan2(across, a * u + b * v + c * w))
