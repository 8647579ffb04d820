# SPDX-License-Identifier: GPL-3.0-or-later
"""Pops of the whole pose, such as where two takes were cut together: one event, not one of each bone.

Where several motions pop at once, all of them may. That they do shows in the median motion: it jumps there
clearly further than it ever does elsewhere, though in many motions alone that is not enough for a pop.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from ..arrays import Array
from .finding import Place, Pop

SEVERAL, BONES = 2, 3
"""So many motions pop where the whole pose may, of at least so many."""
CLEARLY = 2.0
"""There the median motion jumps so many times as far as anywhere else."""
NEAR = 4
"""So many steps beside a jump are not elsewhere."""
MEETS = 2
"""What pops no further away is a part of it."""


def places(pops: Iterable[Pop]) -> list[Place]:
    """Where several motions pop at once, those first at which most do."""
    count = Counter(pop.place for pop in pops)
    return [place for place, motions in count.most_common() if motions >= SEVERAL]


def times(clear: Array, place: Place, others: Sequence[Place]) -> float:
    """How many times as clear as anywhere else the median motion pops at a place.

    clear: as of :func:`finding.at_once`. others: where else the pose may pop, which is not elsewhere.
    """
    if clear.shape[1] < BONES:
        return 0.0
    each, apart = np.median(clear, axis=1), len(place.values) - 1
    is_elsewhere = np.ones(len(each), bool)
    for other in {place, *others}:
        first, last = other.steps
        is_elsewhere[max(first - apart - NEAR, 0) : last + NEAR + 1] = False
    usual = float(each[is_elsewhere].max(initial=0.0))
    return float(each[place.steps[0]] / usual) if usual > 0.0 else 0.0


def meets(pop: Pop, place: Place) -> bool:
    """Whether a pop of one motion is a part of what the pose does at a place."""
    (first, last), (start, end) = pop.place.steps, place.steps
    return first <= end + MEETS and start <= last + MEETS
