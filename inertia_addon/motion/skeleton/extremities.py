# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet, hands, hips and head of any skeleton, with how sure each is.

Shape, names, place, what bones move and what walks on the ground are weighed together: no one of them can
be relied on. A rest pose may be a stride, a name may be in any language or that of another part, an IK bone
may be the foot, and hair may be longer than arms. A rig with other names is found by its shape alone
(:mod:`.body_shape`), one of few bones, or with detached feet, by its names, too (:mod:`.naming`), and
:mod:`.weighing` says what each counts.
"""

from __future__ import annotations

import collections
import re
from collections.abc import Iterable, Sequence

import numpy as np

from ...records import record
from ..arrays import Array, ArrayLike, Flags
from . import body_shape
from .bone_tree import deforming, plausible_ends
from .named_limbs import Shaped
from .naming import MARKS_AN_END, words
from .roles import FOOT, HAND, HEAD, HIPS, OTHER
from .weighing import Weighing

__all__ = ["FOOT", "HAND", "HEAD", "HIPS", "OTHER", "Extremity", "find", "unsure"]

SURE = 0.6
"""What is less sure than this is said to be, so that an animator looks."""
SHARED = 0.9
"""What so many of the bones, as a part of all, are called is no part of a body."""
ROLES = (HIPS, HEAD, HAND, FOOT)
"""In which order they are told."""


@record(frozen=True)
class Extremity:
    """A bone whose place matters. index: the bone. role: FOOT, HAND, HIPS, HEAD or OTHER.

    confidence: how sure it is that the bone has this role, from 0 to 1.
    """

    index: int
    role: str
    weight: float
    confidence: float = 1.0


def find(
    names: Sequence[str],
    parents: Sequence[int],
    heads: ArrayLike,
    tails: ArrayLike,
    deforms: Sequence[bool] | None = None,
    walked: ArrayLike | None = None,
) -> tuple[Extremity, ...]:
    """The bones whose places say most of a pose: hips, head, hands, feet, then others; each once.

    names: (n,). parents: (n,) indices, -1 for none. heads, tails: (n, 3) rest positions, Z up, in any
    unit. deforms: (n,) which bones move a mesh; the others are left out, unless none does. walked: (n,) for
    which part of the time each bone is the lowest in the clips, None where unknown.
    A rig without a pair of limbs, such as a rope, a door or a face, is returned whole: every bone as
    OTHER, weight 1.
    """
    names = _told_apart(names)
    count = len(names)
    whole = np.ones(count, bool) if deforms is None else np.array(deforms, bool)
    whole = whole if whole.any() else ~whole
    places, tips = (np.array(ends, float).reshape(-1, 3) for ends in (heads, tails))
    marks = [i for i, name in enumerate(names) if MARKS_AN_END.search(name) and i not in parents]
    tips[marks] = places[marks]  # what marks an end is a point
    drawn = tips
    tips = plausible_ends(parents, places, tips)
    shape = body_shape.roles(names, parents, places, tips, whole)
    everything = tuple(Extremity(int(i), OTHER, 1.0) for i in np.flatnonzero(whole))
    if count <= body_shape.FEW:
        return everything
    shaped = Shaped({bone: role for bone, (role, _) in shape.items()})
    carriers = _carriers(parents, places, tips, whole)
    seen = None if walked is None else np.asarray(walked, float)
    weighing = Weighing(names, carriers, places, tips, drawn, whole, shaped, seen)
    found = weighing.weighed()
    limbs = {FOOT, HAND}
    lost = limbs & set(shaped.roles.values()) and limbs.isdisjoint(one.role for one in found)
    if lost or not (shape or weighing.is_body(found)):
        return everything
    weights = {bone: weight for bone, (_, weight) in shape.items()}
    return tuple(
        Extremity(
            one.bone, one.role, weights.get(one.bone, 0.5) if one.role == OTHER else 1.0, one.confidence
        )
        for one in found
    )


def unsure(found: Iterable[tuple[str, float]]) -> tuple[str, ...]:
    """The roles of which some bone is not sure, each once. found: (role, confidence) of bones."""
    doubted = {role for role, confidence in found if confidence < SURE}
    return tuple(role for role in ROLES if role in doubted)


def _carriers(parents: Sequence[int], heads: Array, tails: Array, whole: Flags) -> list[int]:
    """What each bone hangs from (n,): those that move something from one that does, -1 for none."""
    kept, within = deforming(parents, heads, tails, whole)
    carriers = list(parents)
    for bone, carrier in zip(kept, within, strict=True):
        carriers[bone] = kept[carrier] if carrier >= 0 else parents[bone]
    return carriers


def _told_apart(names: Sequence[str]) -> list[str]:
    """Names without the words that nearly all of them have, once, such as the character's name."""
    counts = collections.Counter(word for name in names for word in words(name))
    shared = [word for word, count in counts.items() if count >= SHARED * len(names)]
    told = list(names)
    for word in shared:
        found = re.compile(re.escape(word), re.IGNORECASE)
        told = [found.sub("", name, count=1) for name in told]
    return told
