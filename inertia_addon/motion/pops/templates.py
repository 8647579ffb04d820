# SPDX-License-Identifier: GPL-3.0-or-later
"""What pops look like in the steps of a motion: a jump, one frame elsewhere, or several; and of whole poses.

Where several motions pop at once, such as where two takes were cut together, all of them may. That they do
shows in the median motion: it jumps there clearly further than it ever does elsewhere.
"""

from __future__ import annotations

import enum
import functools
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from ...records import record
from ..arrays import Array
from . import expected

LEAST = 3
"""So many steps have to be around a jump."""
AWAY_FRAMES, AWAY_SECONDS = 12, 0.4
"""A stretch of up to so many frames, or seconds, is looked for as one, and of a longer one each jump."""
BLURRED_FPS = 45.0
"""Above so many frames a second a jump may take two or three frames."""
BLURRED = 0.9
"""A jump over several frames has to stand out the more, as a fast turn looks like one."""
LONE = 0.8
"""So has a jump that nothing leads back."""
SEVERAL, BONES = 2, 3
"""So many motions pop where the whole pose may, of at least so many."""
CLEARLY = 2.0
"""There the median motion jumps so many times as far as anywhere else."""
NEAR = 4
"""So many steps beside a jump are not elsewhere."""
MEETS = 2
"""What pops no further away is a part of it."""


class PopKind(enum.Enum):
    """What a pop looks like: a jump to stay, one frame elsewhere, or several frames elsewhere."""

    STEP = "step"
    SPIKE = "spike"
    STRETCH = "stretch"


@record(frozen=True)
class PopPlace:
    """Where motions may pop together. kind, first, last: as of a :class:`Pop`."""

    kind: PopKind
    first: int
    last: int

    @property
    def steps(self) -> tuple[int, int]:
        """Its first and its last step."""
        return (self.first, self.last - 1) if self.kind is PopKind.STEP else (self.first - 1, self.last)

    @property
    def values(self) -> Array:
        """What its steps look like."""
        apart = self.last - self.first
        return stays(apart) if self.kind is PopKind.STEP else leads_back(apart + 1)


@record(frozen=True, eq=False)
class Pop:
    """A pop of one of many motions.

    first, last: indices of frames. Of a step the last one before it and the first one behind it; else the
    frames that are elsewhere. jump: (3,), from the frame before to the first one that is elsewhere; back:
    from the last one of these to the frame behind it, none for a step. times: how many times the usual.
    """

    motion: int
    kind: PopKind
    first: int
    last: int
    jump: Array
    back: Array
    times: float

    @property
    def size(self) -> float:
        """How far it jumps: radians, or the unit of places."""
        return float(max(np.linalg.norm(self.jump), np.linalg.norm(self.back)))

    @property
    def place(self) -> PopPlace:
        """Where it is, and what it looks like."""
        return PopPlace(self.kind, self.first, self.last)


@record(frozen=True, eq=False)
class Template:
    """What is looked for in steps.

    weights: how much of it the motion around does not foresee, at each of its places.
    """

    kind: PopKind
    values: Array
    weights: Array
    fit: expected.Precision

    @property
    def turn(self) -> float:
        """How far the pose is away for a size of 1."""
        return float(self.values.sum()) if self.kind is PopKind.STEP else 1.0

    @property
    def is_jump(self) -> bool:
        """Whether it is a jump to stay, from one frame to the next."""
        return self.kind is PopKind.STEP and len(self.values) == 1

    @property
    def counts(self) -> float:
        """How much of a size counts."""
        if self.kind is not PopKind.STEP:
            return 1.0
        return LONE * BLURRED if self.turn > 1.0 else LONE

    @property
    def parts(self) -> list[tuple[int, float]]:
        """Its steps that are not zero, with their values."""
        return [(i, float(self.values[i])) for i in np.flatnonzero(self.values).tolist()]

    def unforeseen(self, step: int, near: slice) -> Array:
        """Return what is not foreseen of this template, of size 1, if it begins at a step: (near,).

        near: a slice of steps around it. Values are scaled so that they are as large at the motion's ends as
        elsewhere.
        """
        if near == slice(step - expected.REACH, step + len(self.values) + expected.REACH):
            middle = len(self.fit.block) // 2
            if middle <= step and step + len(self.values) <= middle + self.fit.count - len(self.fit.block):
                return self._inside
        return self._unforeseen(step, near)

    @functools.cached_property
    def _inside(self) -> Array:
        """What is not foreseen near a step of size 1, where the ends are far away."""
        step = len(self.fit.block) // 2
        return self._unforeseen(step, slice(step - expected.REACH, step + len(self.values) + expected.REACH))

    def _unforeseen(self, step: int, near: slice) -> Array:
        every = [value * self.fit.column(step + i, near) for i, value in self.parts]
        return np.asarray(np.sum(every, axis=0) / np.sqrt(self.fit.diagonal(0)[near]))

    def sizes(self, unforeseen: Array) -> Array:
        """Return how much of the template is in what is not foreseen (n, ...), at each place, before it
        is divided by its weight.
        """
        count = len(unforeseen) - len(self.values) + 1
        return np.asarray(sum(value * unforeseen[i : i + count] for i, value in self.parts))


def templates_of(fit: expected.Precision, fps: float) -> Iterator[Template]:
    """Yield the templates that are looked for in the steps of a motion: jumps first, then spikes, then longer
    stretches, each from the shortest on.

    Jumps to stay, of kind STEP, have the value 1 at each of their steps; above 45 frames a second
    (BLURRED_FPS) they are over 1, 2 and 3 steps, else over one. A spike, of one frame, and a stretch, of k
    frames, have 1 at the first step, -1 at the last of k + 1 steps, and zeros between. Stretches last up to
    12 frames, or 0.4 s if that is more, but at most fit.count - 6, so that 3 steps are left on either side;
    with too few steps there are neither spikes nor stretches.

    fit: the precision of the motion's steps. fps: frames a second.
    """
    for frames in (1, 2, 3) if fps > BLURRED_FPS else (1,):
        yield template(PopKind.STEP, stays(frames), fit)
    longest = min(max(AWAY_FRAMES, round(AWAY_SECONDS * fps)), fit.count - 2 * LEAST)
    for frames in range(1, longest + 1):
        yield template(PopKind.SPIKE if frames == 1 else PopKind.STRETCH, leads_back(frames), fit)


def stays(frames: int) -> Array:
    """Return the steps of a value that jumps and comes to stay within so many frames."""
    return np.ones(frames)


def leads_back(frames: int) -> Array:
    """Return the steps of a value that is elsewhere for so many frames."""
    return np.concatenate([[1.0], np.zeros(frames - 1), [-1.0]])


def template(kind: PopKind, values: Array, fit: expected.Precision) -> Template:
    """Return a template with its weights: for each place in a motion, how much of it is not foreseen there.

    Parameters
    ----------
    kind
        What it looks like.
    values : (k,)
        Its steps.
    fit
        The precision of a motion's steps, at least k of them.

    Returns
    -------
    Template
        It holds kind, values and fit, and weights (fit.count - k + 1,), one for each step at
        which it can begin. A weight is v' P v, above 0: v the values, P the part of the
        precision matrix for the k steps from there on. Template.sizes divided by the weights
        is the least-squares size at each place.
    """
    count = fit.count - len(values) + 1
    weights = np.zeros(count)
    for i, j in itertools.product(np.flatnonzero(values).tolist(), repeat=2):
        weights += values[i] * values[j] * fit.diagonal(abs(i - j))[min(i, j) : min(i, j) + count]
    return Template(kind, values, weights, fit)


def whole_pose_places(pops: Iterable[Pop]) -> list[PopPlace]:
    """Return the places where two motions or more pop at once, those of most motions first."""
    count = Counter(pop.place for pop in pops)
    return [place for place, motions in count.most_common() if motions >= SEVERAL]


def times_elsewhere(clear: Array, pop_place: PopPlace, other_places: Sequence[PopPlace]) -> float:
    """Return how many times clearer the median motion pops at a place than at its clearest place elsewhere.

    The median is taken over the motions at each step, then its value at the place's first step is divided by
    its largest elsewhere.

    Parameters
    ----------
    clear : (steps, motions)
        How clear a pop like the place's would be if it began at each step, see
        :func:`finding.at_once`. The steps are those at which one can begin.
    pop_place
        The place.
    other_places
        Places that do not count as elsewhere either.

    Returns
    -------
    float
        0 for fewer than 3 motions, if nothing is elsewhere, or if the median is 0 there.
        A pop that lies, from its first to its last step, within 4 steps of any of these
        places is not elsewhere.
    """
    if clear.shape[1] < BONES:
        return 0.0
    each, apart = np.median(clear, axis=1), len(pop_place.values) - 1
    is_elsewhere = np.ones(len(each), bool)
    for other in {pop_place, *other_places}:
        first, last = other.steps
        is_elsewhere[max(first - apart - NEAR, 0) : last + NEAR + 1] = False
    usual = float(each[is_elsewhere].max(initial=0.0))
    return float(each[pop_place.steps[0]] / usual) if usual > 0.0 else 0.0


def is_part(pop: Pop, pop_place: PopPlace) -> bool:
    """Tell whether a pop of one motion is a part of what the pose does at a place."""
    (first, last), (start, end) = pop.place.steps, pop_place.steps
    return first <= end + MEETS and start <= last + MEETS
