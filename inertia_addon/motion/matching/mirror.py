# SPDX-License-Identifier: GPL-3.0-or-later
"""Mirror images of poses: which bone is on the other side, and how its channels read there.

A bone's turn against its rest pose, told in the armature's axes, is mirrored with that of its partner. So the
image is right however the rest axes of the two lie, and a bone in the middle is its own partner.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from ...errors import InertiaError
from ..arrays import Array, Integers
from ..skeleton.languages import LANGUAGES

SIDES = (
    *(("left", "right"), ("Left", "Right"), ("LEFT", "RIGHT")),
    *(
        (spell(left), spell(right))
        for said in LANGUAGES.values()
        for left in said.get("left", "").split()
        for right in said.get("right", "").split()
        for spell in (str.lower, str.capitalize)
    ),
)
"""Words for left and right, in the languages of :mod:`languages`, too."""
ENDS = r"(^|[\s._\-:]){}($|[\s._\-\d])"
"""A letter of its own is a side, such as in Arm.L or L_Arm."""
LEAST_PAIRS = 2
"""With fewer pairs nothing says where the middle is: arms, or legs, at least."""


def partners(names: Sequence[str]) -> Integers:
    """Return for each bone the index of its partner on the other side, by name, or its own index: (n,).

    A pair is only taken if both names lead to each other. Raise InertiaError if there are fewer than two
    pairs.
    """
    index_of = {name: i for i, name in enumerate(names)}
    indices, pairs = np.arange(len(names)), np.arange(len(names))
    for name, i in index_of.items():
        pairs[i] = next((index_of[flipped] for flipped in _flipped(name) if flipped in index_of), i)
    pairs = np.where(pairs[pairs] == indices, pairs, indices)
    if np.count_nonzero(pairs != indices) < 2 * LEAST_PAIRS:
        raise InertiaError(
            "The bones' names don't say which are left and which are right, so nothing can be mirrored; "
            "name them so, such as Arm.L and Arm.R, or leave mirroring out."
        )
    return pairs


def _flipped(name: str) -> Iterator[str]:
    """Yield names that the bone on the other side may have, the likeliest first; none if the name shows no
    side.

    First, words for left and right are exchanged, all of one kind at once, in small letters, with a capital,
    or (in English) in capitals, anywhere in the name; words of other languages, of :mod:`languages`, count,
    too. Then comes a letter L, R, l or r that stands apart: behind the beginning, a space or one of . _ - :
    and before the end, a space, a digit or one of . _ -. Last are names that begin with such a letter, large
    or small, or end with a capital one, whatever stands beside it: "leg" gives "reg". The case is kept. A
    name may come more than once.
    """
    for side, other in SIDES:
        for a, b in ((side, other), (other, side)):
            if a in name:
                yield name.replace(a, b)
    for a, b in (("L", "R"), ("R", "L"), ("l", "r"), ("r", "l")):
        swapped = re.sub(ENDS.format(a), rf"\g<1>{b}\g<2>", name)
        if swapped != name:
            yield swapped
    # lfoot and rfoot, as in motion capture; HandL and HandR
    if name[:1] in "lrLR" and name[1:]:
        yield {"l": "r", "r": "l", "L": "R", "R": "L"}[name[0]] + name[1:]
    if name[-1:] in "LR" and name[:-1]:
        yield name[:-1] + {"L": "R", "R": "L"}[name[-1]]


def side_axis(heads: Array, pairs: Integers) -> int:
    """Return which axis of the armature's space goes from side to side. heads: (n, 3) at rest."""
    return int(np.argmax(np.abs(heads - heads[pairs]).sum(axis=0)))


def reflection(axis: int) -> Array:
    """Return the reflection (3, 3) that turns one axis round."""
    return np.asarray(np.diag([-1.0 if i == axis else 1.0 for i in range(3)]))


def maps(rest_pose: Array, pairs: Integers, axis: int) -> Array:
    """Return for each bone the matrix that takes its partner's channels to its own.

    Parameters
    ----------
    rest_pose : (n, 3, 3)
        The bones' rotations at rest, in the armature's space.
    pairs : (n,)
        The index of each bone's partner, or its own.
    axis
        The index of the armature's axis that goes from side to side.

    Returns
    -------
    Array (n, 3, 3)
        Reflections. Locations are multiplied by them, rotation vectors by their opposites.
    """
    return np.asarray(np.swapaxes(rest_pose, -1, -2) @ reflection(axis) @ rest_pose[pairs])


def rotations(turns: Array, mirrored: Array) -> Array:
    """Return unit quaternions (n, 4) of a partner's channels as they are on this side.

    mirrored: (3, 3), of maps.
    """
    return np.concatenate([turns[:, :1], -turns[:, 1:] @ mirrored.T], axis=1)
