# SPDX-License-Identifier: GPL-3.0-or-later
"""Where bones jump beyond what they do elsewhere: in steps, spikes of a frame, and stretches there and back.

A motion is the steps from frame to frame: rotation vectors w = log(q[k+1] q[k]^-1), or differences of places.
A template's size at each of them is that of least squares (see :mod:`windows`). It is a pop if it is so many
times larger than everything that says what is usual: what the fit leaves over, the second largest of the
peaks that the same fit has around it, nearly all that it has in the whole motion, and a floor. Of the fit's
other windows those count that lie apart from the pop, and at the ends of a motion those that foresee a step
from one side alone, as is done there: so the thresholds go by bone, clip and place. What was found is taken
away, and what is left is searched again, so that no pop hides another.
"""

from __future__ import annotations

import dataclasses
import enum
import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from .. import quaternion
from ..arrays import Array, ArrayLike, Flags
from . import windows as fits
from .windows import Windows

HALF_SECONDS = 0.13
"""Half of a window; it has at least ``LEAST`` steps on each side of its middle."""
LEAST = 3
AROUND_SECONDS = 0.35
"""So far beside a window the motion is around it."""
NEARLY = 0.95
"""This part of a fit's sizes is nearly all of them."""
BLURRED_FPS = 45.0
"""Above so many frames a second a jump may take two or three frames."""
BLURRED = 0.9
"""A jump over several frames has to stand out the more, as a fast turn looks like one."""
ONE_SIDED = 1.5
"""A jump with little of the motion before or behind it has to be so many times as clear."""
OPPOSITE = 0.35
"""Two jumps lead there and back if what is left of both together is this part of the larger one ..."""
AWAY_SECONDS = 1.0
"""... and they lie no farther apart."""
PASSES = 3
"""So often what is left is searched again."""
SHORTEST = 2 * LEAST + 2
"""A motion of fewer frames is too short to say what is usual."""


class Kind(enum.Enum):
    """What a pop looks like: a jump to stay, one frame elsewhere, or several frames elsewhere."""

    STEP = "step"
    SPIKE = "spike"
    STRETCH = "stretch"


@dataclasses.dataclass(frozen=True, eq=False)
class Pop:
    """A pop of one of many motions.

    first, last: indices of frames. Of a step the last one before it and the first one behind it; else the
    frames that are elsewhere. jump: (3,), from the frame before to the first one that is elsewhere; back:
    from the last one of these to the frame behind it, none for a step. times: how many times the usual.
    """

    motion: int
    kind: Kind
    first: int
    last: int
    jump: Array
    back: Array
    times: float

    @property
    def size(self) -> float:
        """How far it jumps: radians, or the unit of places."""
        return float(max(np.linalg.norm(self.jump), np.linalg.norm(self.back)))


@dataclasses.dataclass(frozen=True)
class Limits:
    """What is a pop. times: what is usual. smallest: radians, or the places' unit. floor: the least usual."""

    times: float
    smallest: float
    floor: float


@dataclasses.dataclass(frozen=True)
class _Template:
    kind: Kind
    values: Array

    @property
    def turn(self) -> float:
        """How far the pose is away for a size of 1."""
        return float(self.values.sum()) if self.kind is Kind.STEP else 1.0

    @property
    def counts(self) -> float:
        """How much of a size counts."""
        return BLURRED if self.turn > 1.0 else 1.0

    def pop(self, motion: int, step: int, size: Array, times: float) -> Pop:
        """What was found at a step."""
        frames = len(self.values)
        if self.kind is Kind.STEP:
            return Pop(motion, self.kind, step, step + frames, size * self.turn, np.zeros(3), times)
        return Pop(motion, self.kind, step + 1, step + frames - 1, size, -size, times)


@dataclasses.dataclass(frozen=True)
class _Found:
    """A template in a motion: which, where, how large, and how many times what is usual."""

    template: _Template
    motion: int
    step: int
    size: Array
    times: float

    @property
    def steps(self) -> tuple[int, int]:
        """Its first and its last step."""
        return self.step, self.step + len(self.template.values) - 1


def steps_of(values: ArrayLike, is_rotation: bool) -> Array:
    """The steps (n - 1, motions, 3) of unit quaternions (n, motions, 4), or of places (n, motions, 3)."""
    values = np.asarray(values, float)
    if is_rotation:
        return quaternion.log(quaternion.multiply(values[1:], quaternion.conjugate(values[:-1])))
    return np.diff(values, axis=0)


def find(steps: Array, fps: float, limits: Limits) -> list[Pop]:
    """The pops of motions with steps (n - 1, motions, 3), by motion and frame.

    fps: frames a second. A motion shorter than ``SHORTEST`` frames has none.
    """
    if len(steps) + 1 < SHORTEST:
        return []
    half = max(LEAST, round(HALF_SECONDS * fps))
    length = min(2 * half + 1, max(2 * LEAST + 1, len(steps) // 2))
    templates = list(_templates(length // 2, fps))
    found: list[_Found] = []
    left, motions = steps.copy(), np.arange(steps.shape[1])
    for _ in range(PASSES):
        search = _Search(fits.windows(left[:, motions], length), round(AROUND_SECONDS * fps), limits)
        new = [dataclasses.replace(one, motion=int(motions[one.motion])) for one in search.found(templates)]
        new = [one for one in new if not any(_meet(one, other) for other in found)]
        if not new:
            break
        found += new
        for one in new:
            first, last = one.steps
            left[first : last + 1, one.motion] -= one.template.values[:, None] * one.size
        motions = np.unique([one.motion for one in new])
    pops = [one.template.pop(one.motion, one.step, one.size, one.times) for one in found]
    pops.sort(key=lambda pop: (pop.motion, pop.first))
    by_motion = itertools.groupby(pops, key=lambda pop: pop.motion)
    return [pop for _, own in by_motion for pop in _paired(list(own), round(AWAY_SECONDS * fps))]


def _templates(half: int, fps: float) -> Iterator[_Template]:
    """What is looked for; half: of a window."""
    for frames in (1, 2, 3) if fps > BLURRED_FPS else (1,):
        yield _Template(Kind.STEP, np.ones(frames))
    for frames in range(1, half):
        there_and_back = np.concatenate([[1.0], np.zeros(frames - 1), [-1.0]])
        yield _Template(Kind.SPIKE if frames == 1 else Kind.STRETCH, there_and_back)


@dataclasses.dataclass(frozen=True)
class _Search:
    """Windows of motions, how many steps beside one are around it, and what is a pop."""

    windows: Windows
    around: int
    limits: Limits

    def found(self, templates: Sequence[_Template]) -> list[_Found]:
        """Each motion's pops, the clearest first; of those that meet the clearest one alone."""
        every = [one for template in templates for one in self._of(template)]
        kept: dict[int, list[_Found]] = {}
        for one in sorted(every, key=lambda one: -one.times):
            own = kept.setdefault(one.motion, [])
            if not any(_meet(one, other) for other in own):
                own.append(one)
        return [one for own in kept.values() for one in own]

    def _of(self, template: _Template) -> Iterator[_Found]:
        """Where a template stands out."""
        places, starts, sizes = self._sizes(template)
        middle = places[len(places) // 2]
        of_place = [self.windows.weight(template.values, place) for place in range(max(places) + 1)]
        weights = np.array(of_place)[places][:, None]
        far = np.linalg.norm(sizes, axis=2)
        freedom = self.windows.length - fits.ORDER - 1
        over = np.sqrt(np.maximum(self.windows.rough[starts] - weights * far * far, 0.0) / freedom)
        usual = np.maximum(over, self.limits.floor)
        clear = (far * template.turn > self.limits.smallest) & (weights > 1e-3)
        clear &= template.counts * far * template.turn > self.limits.times * usual
        clear &= _peaks(far * np.sqrt(weights))
        for step, motion in np.argwhere(clear).tolist():
            counts = template.counts * template.turn * float(far[step, motion])
            if places[step] == middle:
                same = far[middle : middle + self.windows.count, motion].copy()
            else:
                own = slice(motion, motion + 1)
                same = np.linalg.norm(
                    self.windows.sizes(template.values, places[step], motions=own)[:, 0], axis=1
                )
            others = template.turn * self._others(template, places[step], step, same)
            times = counts / max(float(usual[step, motion]), others)
            if self._is_one_sided(template, places[step]):
                times /= ONE_SIDED
            if times > self.limits.times:
                yield _Found(template, motion, step, sizes[step, motion], times)

    def _sizes(self, template: _Template) -> tuple[list[int], Array, Array]:
        """A template's size at each step (n, motions, 3), with the windows and the places in them (n,)."""
        fit, values = self.windows, template.values
        middle, last = (fit.length - len(values)) // 2, fit.count - 1
        before, behind = range(middle), range(middle + 1, fit.length - len(values) + 1)
        sizes = [
            *(fit.sizes(values, place, slice(0, 1)) for place in before),
            fit.sizes(values, middle),
            *(fit.sizes(values, place, slice(last, None)) for place in behind),
        ]
        places = [*before, *[middle] * fit.count, *behind]
        starts = np.arange(len(places)) - places
        return places, starts, np.concatenate(sizes)

    def _is_one_sided(self, template: _Template, place: int) -> bool:
        """Whether there is little of the motion on one side of a template."""
        return min(place, self.windows.length - len(template.values) - place) < min(
            LEAST, (self.windows.length - len(template.values)) // 2
        )

    def _others(self, template: _Template, place: int, step: int, far: Array) -> float:
        """How large the same fit, far (windows,), is elsewhere: the second peak around, and nearly all."""
        fit = self.windows
        starts = np.arange(fit.count)
        apart = (starts + fit.length <= step) | (starts >= step + len(template.values))
        if not apart.any():
            return 0.0
        far[~apart] = 0.0
        beside = np.abs(starts + place - step) <= fit.length + self.around
        peaks = np.sort(far[apart & beside & _peaks(far[:, None])[:, 0]])
        second = float(peaks[-2]) if len(peaks) > 1 else 0.0
        # one other pop may be as large, such as the one that leads back: it says nothing of what is usual
        rest = apart & (np.abs(starts - np.argmax(far)) >= fit.length)
        nearly = float(np.quantile(far[rest], NEARLY)) if rest.any() else 0.0
        return max(second, nearly)


def _peaks(sizes: Array) -> Flags:
    """Which of sizes (n, motions) are no smaller than the two beside them."""
    beside = np.pad(sizes, ((1, 1), (0, 0)), constant_values=-1.0)
    return np.asarray((sizes >= beside[:-2]) & (sizes >= beside[2:]))


def _meet(one: _Found, other: _Found) -> bool:
    """Whether two of a motion are so near that they may be the same."""
    (first, last), (start, end) = one.steps, other.steps
    return one.motion == other.motion and first <= end + 2 and start <= last + 2


def _paired(pops: list[Pop], away: int) -> Iterator[Pop]:
    """A motion's pops, two jumps that lead there and back as one stretch."""
    i = 0
    while i < len(pops):
        one, other = pops[i], pops[min(i + 1, len(pops) - 1)]
        if other is not one and _leads_back(one, other, away):
            times = min(one.times, other.times)
            yield Pop(one.motion, Kind.STRETCH, one.last, other.first, one.jump, other.jump, times)
            i += 1
        else:
            yield one
        i += 1


def _leads_back(one: Pop, other: Pop, away: int) -> bool:
    """Whether two jumps at once are opposite ones."""
    if {one.kind, other.kind} != {Kind.STEP} or one.last - one.first > 1 or other.last - other.first > 1:
        return False
    rest = float(np.linalg.norm(one.jump + other.jump))
    return other.first - one.last <= away and rest < OPPOSITE * max(one.size, other.size)
