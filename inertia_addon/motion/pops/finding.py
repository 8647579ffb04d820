# SPDX-License-Identifier: GPL-3.0-or-later
"""Where bones jump beyond what they do elsewhere: in steps, spikes of a frame, and stretches there and back.

A motion is the steps from frame to frame: rotation vectors, or differences of places. How much there is of
each template at each of them, and how much of that is usual, :mod:`expected` says; a jump and the one that
leads back are one template, as together they stand out more. It is a pop if it is so many times larger than
what is usual in its direction in the whole motion, and than what is around it, both without itself. A jump to
stay is looked at beside the other motions, too. A bone may be turned further in its parent's axes or in its
own, which differs over several frames, so that rotations are searched in both. What was found is taken away,
and what is left is searched again, so that no pop hides another.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ...records import record
from .. import quaternion
from ..arrays import Array, ArrayLike, Flags, Integers
from . import expected
from .expected import JumpShape, OtherMotions, Others
from .templates import LEAST, Pop, PopKind, PopPlace, Template, template, templates_of

HALF_SECONDS = 0.13
"""So far beside a jump the motion is around it, and at least ``LEAST`` steps."""
ONE_SIDED, SIDE_SECONDS = 1.5, 0.1
"""A jump has to be so many times as clear where there is less of the motion before it, or behind it."""
BEYOND = 1.47
"""What is usual reaches so many times as far as its root mean square."""
BESIDE_FPS = 90.0
"""Up to so many frames a second a jump is looked at beside the other motions; with more it is clear alone."""
FORETOLD = 0.74
"""So much counts how clear it is beside them ..."""
ALONE = 0.75
"""... and so much how clear it is alone, whatever they say."""
FAINT, LEAST_CLEAR = 1.0 / 3.0, 3.5
"""It is none, whatever they say, where it can't be this part of what is enough, or stands out less."""
OPPOSITE = 0.35
"""Two jumps lead there and back if what is left of both together is this part of the larger one ..."""
APART_SECONDS = 1.0
"""... and they lie no farther apart."""
HIDES = 8.0
"""So many steps in which a pop shows are among those of which what is usual is told at first."""
REFINED, SIZED_SECONDS = 3, 0.12
"""So often a size is told anew, from a motion whose speed stays about the same for so long."""
PASSES = 3
"""So often what is left is searched again."""
SHORTEST = 2 * LEAST + 2
"""A motion of fewer frames is too short to say what is usual."""


@record(frozen=True)
class Limits:
    """What is a pop. times: what is usual. smallest: radians, or the places' unit. floor: the least usual."""

    times: float
    smallest: float
    floor: float


@record(frozen=True)
class _Match:
    """A template in a motion: which, where, how large, and how far beyond the rest, at first and in the end.

    is_own: whether its size is in the axes of the bone itself.
    """

    template: Template
    motion: int
    is_own: bool
    step: int
    size: Array
    stands_out: float
    times: float = 0.0

    @property
    def steps(self) -> tuple[int, int]:
        """Its first and its last step."""
        return self.step, self.step + len(self.template.values) - 1

    def pop(self, values: Array) -> Pop:
        """Return the pop that this match stands for, with frames, jumps in the parent's axes, and how clear
        it is (`times`).

        values: its motion, unit quaternions (n, 4) or places (n, 3). Of a jump to stay, first and last are
        the frames before and behind it, `jump` is the whole jump, and `back` is zeros. Of others they are the
        first and the last frame that are elsewhere; jump leads there, and back is the opposite, as turned on
        the last of these frames. Jumps are (3,), in radians or the places' unit.
        """
        frames = len(self.template.values)
        if self.template.kind is PopKind.STEP:
            first, last = self.step, self.step + frames
            jump = self._around(values[last]) * frames if frames > 1 else self._jump(values)
            back = np.zeros(3)
        else:
            first, last = self.step + 1, self.step + frames - 1
            jump, back = self._around(values[first]), -self._around(values[last])
        return Pop(self.motion, self.template.kind, first, last, jump, back, self.times)

    def refined(self, values: Array, fit: expected.Precision) -> _Match:
        """Return this match with a better size, in the bone's own axes or its parent's, whichever explains
        the motion best. A jump to stay (STEP) is returned as it is.

        values: the motion it was found in, unit quaternions (n, 4) or places (n, 3); not changed. fit: the
        precision that says what is foreseen.

        The size is improved three times (REFINED), each time by least squares from what is not foreseen once
        the match is removed. Rotations are tried twice: as given, and in the other axes, with the size turned
        by the pose at the match's last step. Returned is the one with the smaller :meth:`_rest`; `size` and
        `is_own` may differ, all else is as before. Places are only tried as given.
        """
        if self.template.kind is PopKind.STEP:
            return self
        both = [self._refined(values, fit)]
        if values.shape[-1] == 4:
            turn = values[self.steps[1]] if self.is_own else quaternion.conjugate(values[self.steps[1]])
            other = dataclasses.replace(self, is_own=not self.is_own, size=quaternion.rotate(turn, self.size))
            both.append(other._refined(values, fit))
        return min(both, key=lambda match: match._rest(values, fit))

    def _refined(self, values: Array, fit: expected.Precision) -> _Match:
        match, weights = self, template(self.template.kind, self.template.values, fit).weights
        for _ in range(REFINED):
            left = fit.unforeseen(_steps(match.without(values)[:, None], is_own=match.is_own))[:, 0]
            more = match.template.sizes(left)[match.step] / weights[match.step]
            match = dataclasses.replace(match, size=match.size + more)
        return match

    def _rest(self, values: Array, fit: expected.Precision) -> float:
        """Return how much of a motion around this match is not foreseen once the match is removed: a sum of
        squares over frames and axes.

        values: the motion (n, 4 or 3). fit: the precision that says what is foreseen.

        What counts are the steps from the match's first less 12 (REACH) to its last plus 12, cut at the
        motion's ends. They are taken in the parent's axes whatever the match's own are. The less, the better
        the match explains the motion.
        """
        left = fit.unforeseen(_steps(self.without(values)[:, None], is_own=False))[:, 0]
        first, last = self.steps
        near = slice(max(first - expected.REACH, 0), last + 1 + expected.REACH)
        return float(np.sum(left[near] ** 2))

    def without(self, values: Array) -> Array:
        """Return a copy of a motion, unit quaternions (n, 4) or places (n, 3), with this match removed.

        The frame `step` + k is moved back by the sum of the first k values of the template, times the size;
        the frames up to `step` stay. So only the frames that are elsewhere are moved for spikes and
        stretches. Behind a jump to stay, all later frames are moved back by its whole jump, and those within
        a jump over several frames by a part of it.

        Places have the offset subtracted. Rotations are multiplied by its opposite, on the left for a size in
        the parent's axes, on the right for one in the bone's own.
        """
        done = np.append(0.0, np.cumsum(self.template.values))
        away = np.full(len(values), done[-1])
        away[: self.step] = 0.0
        away[self.step : self.step + len(done)] = done
        offsets = -away[:, None] * self.size
        if values.shape[-1] == 3:
            return values + offsets
        turns = quaternion.exp(offsets)
        return quaternion.multiply(values, turns) if self.is_own else quaternion.multiply(turns, values)

    def _jump(self, values: Array) -> Array:
        """Return the jump (3,) of a one-frame step, in the parent's axes: radians, or the places' unit.

        values: the motion, (n, 4) or (n, 3). For places it is the match's `size`. For rotations the bone's
        own motion is the turn from frame `step` to the next less `size`, as rotation vectors; the jump is
        what is left of that turn once the own motion is divided off. A size in the bone's own axes is turned
        to the parent's by the pose at the frame behind.
        """
        if values.shape[-1] == 3:
            return self.size
        before, behind = quaternion.conjugate(values[self.step]), values[self.step + 1]
        turn = quaternion.multiply(before, behind) if self.is_own else quaternion.multiply(behind, before)
        # turns do not add up: what the bone does by itself is turned as well
        smooth = quaternion.exp(self.size - quaternion.log(turn))
        both = (smooth, turn) if self.is_own else (turn, smooth)
        jump = quaternion.log(quaternion.multiply(*both))
        return quaternion.rotate(behind, jump) if self.is_own else jump

    def _around(self, pose: Array) -> Array:
        """Return its size in the parent's axes. pose: the bone's, by which a size in the bone's own axes is
        turned.
        """
        return quaternion.rotate(pose, self.size) if self.is_own else self.size


def steps_of(values: ArrayLike, *, is_rotation: bool) -> Array:
    """Return the steps (n - 1, motions, 3) of unit quaternions (n, motions, 4), or of places (n, motions, 3).

    Steps of quaternions are rotation vectors in the parent's axes, radians. A single motion (n, 4 or 3) has
    (n - 1, 3).
    """
    values = np.asarray(values, float)
    if is_rotation:
        return quaternion.log(quaternion.multiply(values[1:], quaternion.conjugate(values[:-1])))
    return np.diff(values, axis=0)


def _steps(values: Array, *, is_own: bool) -> Array:
    """Return the steps of motions (n, motions, 4 or 3), in the axes of the bones or of their parents."""
    if is_own:
        # conj(q1) q0 is a step in the bone's own axes, taken backwards
        return -steps_of(quaternion.conjugate(values), is_rotation=True)
    return steps_of(values, is_rotation=values.shape[-1] == 4)


def find(values: ArrayLike, fps: float, limits: Limits) -> list[Pop]:
    """Return the pops of several motions, sorted by motion, then by frame.

    Two opposite jumps of one motion that follow each other, at most 1 s apart, become one stretch.

    Parameters
    ----------
    values
        Unit quaternions (n, motions, 4) or places (n, motions, 3); they are not changed.
    fps
        Frames a second.
    limits
        What counts as a pop: more than `times` the usual, and larger than `smallest`.

    Returns
    -------
    list[Pop]
        Their frames are indices. [] for fewer than SHORTEST (8) frames.
    """
    values = np.asarray(values, float)
    if len(values) < SHORTEST:
        return []
    fit = expected.precision(len(values) - 1, fps)
    smooth = expected.precision(len(values) - 1, fps, SIZED_SECONDS)
    templates = list(templates_of(fit, fps))
    matches: list[_Match] = []
    left = values.copy()
    others: Others | None = None
    for far in (np.inf, expected.FAR):
        # in the second round those without a pop, as theirs may have passed for what is usual
        motions = np.setdiff1d(np.arange(values.shape[1]), [match.motion for match in matches])
        for _ in range(PASSES if len(motions) else 0):
            search = _search(left[:, motions], fit, fps, limits, far)
            if others is None and len(motions) > 1 and fps <= BESIDE_FPS:
                others = search.others()
            clear = search.find_pops(templates, others, motions)
            new = [dataclasses.replace(match, motion=int(motions[match.motion])) for match in clear]
            new = [match for match in new if not any(_meet(match, other) for other in matches)]
            if not new:
                break
            for match in new:
                match = match.refined(left[:, match.motion], smooth)
                left[:, match.motion] = match.without(left[:, match.motion])
                matches.append(match)
            # another pop can only come to light where one was taken away
            motions = np.unique([match.motion for match in new])
    pops = sorted(
        (match.pop(values[:, match.motion]) for match in matches), key=lambda pop: (pop.motion, pop.first)
    )
    by_motion = itertools.groupby(pops, key=lambda pop: pop.motion)
    away = round(APART_SECONDS * fps)
    return [pop for i, of_motion in by_motion for pop in _paired(list(of_motion), values[:, i], away)]


def at_once(values: ArrayLike, fps: float, limits: Limits, pop_place: PopPlace) -> tuple[Array, list[Pop]]:
    """Return how clear a pop like `pop_place` would be at each step, and each motion's pop at that place.

    Parameters
    ----------
    values
        Unit quaternions (n, motions, 4) or places (n, motions, 3).
    fps
        Frames a second.
    limits
        Their floor is the least that is usual; the others do not count here.
    pop_place
        The place, and what kind of pop it is.

    Returns
    -------
    tuple[Array, list[Pop]]
        Clearness (steps, motions), in multiples of the usual, for each step at which such a pop
        can begin: n - k of them for a pop of k steps, of rotations the larger of that in the
        parents' axes and that in the bones' own; and one pop for each motion, in order, however
        small, of the place's kind, with its first and last frame. Its `times` is 0.
    """
    values = np.asarray(values, float)
    fit = expected.precision(len(values) - 1, fps)
    smooth = expected.precision(len(values) - 1, fps, SIZED_SECONDS)
    search = _search(values, fit, fps, limits, np.inf)
    shape, step = template(pop_place.kind, pop_place.values, fit), pop_place.steps[0]
    clear = search.clear(shape, search.beyond)
    # rotations come twice, in their parent's axes and in their own
    clear = np.maximum(clear[:, : search.count], clear[:, -search.count :])
    sizes = shape.sizes(search.unforeseen[step : step + len(shape.values)])[0] / shape.weights[step]
    matches = [
        _Match(shape, i, is_own=False, step=step, size=sizes[i], stands_out=clear[step, i])
        for i in range(search.count)
    ]
    each = [match.refined(values[:, match.motion], smooth) for match in matches]
    return clear, [match.pop(values[:, match.motion]) for match in each]


@record(frozen=True)
class _PopSearch:
    """What of the steps of motions is not foreseen, and what is a pop.

    count: of the motions, which rotations have once in their parent's axes and once in their own. unforeseen:
    (n, those, 3). half: so many steps are around a jump. side: with fewer on one side it is one-sided.
    """

    count: int
    fit: expected.Precision
    unforeseen: Array
    usual: expected.Usual
    half: int
    side: int
    limits: Limits

    def others(self) -> Others:
        """Return what all motions do at once."""
        alike, factors = self.usual.alike[:, : self.count], self.usual.factors[: self.count]
        return Others(np.einsum("nmi,mij->nmj", alike, factors, optimize=True))

    def find_pops(
        self, templates: Sequence[Template], other_motions: Others | None, motions: Integers
    ) -> list[_Match]:
        """Return the matches of all motions that are pops, motion by motion; of those of a motion that meet
        only the one that stands out most.

        Matches of all templates are judged in the order of `stands_out`, how clear they are at first, largest
        first. Each gets its `times`, as :meth:`_times` says. A match at most 2 steps from one of its motion
        that was kept is dropped unjudged. A match is kept, and hides those, if its `times` or how many times
        the usual it is by itself is above limits.times; returned are only those whose `times` is above it.

        The motion whose clearest match stands out most comes first. Within a motion they come in the same
        order, not by frame or by `times`. [] if nothing stands out.

        templates: of this search's precision. other_motions: with which jumps to stay are compared; None for
        no comparison. motions: the indices of these motions among the others; the matches' own `motion`
        counts within this search.
        """
        beyond = self.beyond
        every = [
            match
            for shape in templates
            for match in self._of(shape, beyond, is_beside=other_motions is not None)
        ]
        kept: dict[int, list[_Match]] = {}
        asked = None
        if other_motions is not None:
            asked = functools.cache(functools.partial(self._find_neighbours, other_motions, motions))
        for match in sorted(every, key=lambda match: -match.stands_out):
            of_motion = kept.setdefault(match.motion, [])
            if not any(_meet(match, other) for other in of_motion):
                alone, times = self._times(match, asked)
                # what the others foretell is no pop, nor a part of one
                if max(alone, times) > self.limits.times:
                    of_motion.append(dataclasses.replace(match, times=times))
        return [
            match for of_motion in kept.values() for match in of_motion if match.times > self.limits.times
        ]

    @property
    def beyond(self) -> Array:
        """What is not foreseen, (n, motions, 3), in units of what is usual."""
        return np.einsum("nmi,mij->nmj", self.unforeseen, self.usual.factors, optimize=True)

    @staticmethod
    def clear(shape: Template, beyond: Array) -> Array:
        """Return how clear a template is at each place, (places, motions)."""
        return np.asarray(np.linalg.norm(shape.sizes(beyond), axis=2) / np.sqrt(shape.weights)[:, None])

    def _find_neighbours(self, other_motions: Others, motions: Integers, motion: int) -> OtherMotions:
        return OtherMotions(other_motions, int(motions[motion % self.count]), self.usual.alike[:, motion])

    def _of(self, shape: Template, beyond: Array, *, is_beside: bool) -> Iterator[_Match]:
        """Yield the matches of a template: where it is larger than its neighbours, stands out enough and is
        not below limits.smallest.

        shape: the template. beyond: (n, motions, 3), the unforeseen steps in units of the usual; of rotations
        with the parents' axes first, then the bones' own. is_beside: jumps will be compared with other
        motions, so that their limit of clearness is at most 3.5 (LEAST_CLEAR).

        A match is a place where the clearness, see :meth:`clear`, is above the limit and no smaller than at
        the steps before and behind it. Its size (3,) is by least squares and must, for the whole jump, exceed
        limits.smallest. Matches come by step, then by column. Each has its motion, less the search's count
        and with `is_own` set for the bones' own axes, the size in these axes, `stands_out`, its clearness,
        and `times` 0.
        """
        weights, out = shape.weights, self.clear(shape, beyond)
        limit = np.sqrt(3.0) * self.limits.times * BEYOND / (shape.counts * self._hidden)
        if is_beside and shape.is_jump:
            limit = min(limit, LEAST_CLEAR)
        for step, motion in np.argwhere((out > limit) & _peaks(out)).tolist():
            span = slice(step, step + len(shape.values))
            (size,) = shape.sizes(self.unforeseen[span, motion]) / weights[step]
            if np.linalg.norm(size) * shape.turn > self.limits.smallest:
                is_own, stands_out = motion >= self.count, float(out[step, motion])
                yield _Match(shape, motion % self.count, is_own, step, size, stands_out)

    @property
    def _hidden(self) -> float:
        """A pop may be so many times what is usual where that is not yet told without it."""
        limit = np.sqrt(3.0) * self.limits.times * BEYOND
        return float(np.sqrt(1.0 + limit * limit * HIDES / self.fit.count))

    def _times(self, match: _Match, beside: Callable[[int], OtherMotions] | None) -> tuple[float, float]:
        """Return how many times the usual a match is: by itself, and as compared with the other motions.

        Both numbers are the same for a match that is no jump to stay over one frame, without a comparison,
        and where it is too faint to matter: then they are less exact, as the usual is told with the match in
        it. Else the first is by :meth:`_beyond`, with what is usual told without the match. The second is the
        geometric mean of the first and of how clear the jump is beside the others, which counts twice, but at
        least 0.75 (ALONE) of the first.

        match: of this search. beside: takes a column of this search, motion or motion + count for own axes,
        and gives how the others move beside it; None for no comparison.
        """
        motion, (first, last) = match.motion + self.count * match.is_own, match.steps
        near = slice(max(first - expected.REACH, 0), min(last + 1 + expected.REACH, self.fit.count))
        shape = match.template.unforeseen(match.step, near)
        rest = self.usual.alike[near, motion] - shape[:, None] * match.size
        steps = np.arange(near.start, near.stop)
        around = np.min([np.abs(steps - step) for step in match.steps], axis=0) <= self.half
        times = self._beyond(match, rest[around], self.usual.factors[motion])
        is_asked = beside is not None and match.template.is_jump
        if times * self._hidden < self.limits.times * (FAINT if is_asked else 1.0):
            return times, times
        factors = self.usual.factors_with(motion, near, rest)
        times = self._beyond(match, rest[around], factors)
        if beside is None or not is_asked:
            return times, times
        jump = JumpShape(match.step, near.start, shape, self.half, factors)
        left = FORETOLD * beside(motion).times(jump) / (BEYOND * np.sqrt(3.0))
        # a geometric mean, in which how clear it is beside the others counts twice
        return times, max(ALONE * times, float(np.cbrt(times * left * left)))

    def _beyond(self, match: _Match, around: Array, factors: Array) -> float:
        """Return the size of a match as a multiple of what is usual in its motion, or of what surrounds it
        where that is larger.

        It is the match's size times factors, as a length, times the root of the template's weight at its step
        and the template's `counts`; divided by 1.47 (BEYOND) times the root of the mean square of around
        times factors, or of 3 if that is more. It is divided by another 1.5 if fewer than `side` steps lie
        before the match or behind it.

        match: of this search. around: (steps, 3), the unforeseen steps around it, without it; at least one.
        factors: (3, 3), of its motion, which make what is usual of size 1 in each direction, from the right.
        """
        size = float(np.linalg.norm(match.size @ factors) * np.sqrt(match.template.weights[match.step]))
        square = float(np.mean(np.sum((around @ factors) ** 2, axis=1)))
        first, last = match.steps
        is_one_sided = min(first, self.fit.count - 1 - last) < self.side
        usual = BEYOND * np.sqrt(max(3.0, square)) * (ONE_SIDED if is_one_sided else 1.0)
        return match.template.counts * size / usual


def _search(values: Array, fit: expected.Precision, fps: float, limits: Limits, far: float) -> _PopSearch:
    """Return the search through some motions, with what is not foreseen of them and what is usual.

    Its `unforeseen` is the precision times the steps (n, motions, 3). Of rotations there are twice as many
    motions: all in the parents' axes, then all in the bones' own; `count` is that of the given ones. What is
    usual is told from these values divided by the root of the precision's diagonal, so that they are as large
    at the ends as elsewhere, with limits.floor times the root of its median as the floor.

    values: unit quaternions (frames, motions, 4) or places (frames, motions, 3). fit: the precision of their
    steps, n, one fewer than the frames. fps: frames a second. limits: what is a pop. far: how many times the
    usual a step may be before it counts ever less, inf for no limit.
    """
    steps = _steps(values, is_own=False)
    if values.shape[-1] == 4:
        steps = np.concatenate([steps, _steps(values, is_own=True)], axis=1)
    unforeseen, diagonal = fit.unforeseen(steps), fit.diagonal(0)
    # as large at the ends as elsewhere
    alike = unforeseen / np.sqrt(diagonal)[:, None, None]
    usual = expected.usual(alike, limits.floor * float(np.sqrt(np.median(diagonal))), far)
    half, side = (max(LEAST, round(seconds * fps)) for seconds in (HALF_SECONDS, SIDE_SECONDS))
    return _PopSearch(values.shape[1], fit, unforeseen, usual, half, side, limits)


def _peaks(sizes: Array) -> Flags:
    """Tell which of sizes (n, motions) are no smaller than the two beside them."""
    # less than any size, so that the first and the last may be peaks
    beside = np.pad(sizes, ((1, 1), (0, 0)), constant_values=-1.0)
    return np.asarray((sizes >= beside[:-2]) & (sizes >= beside[2:]))


def _meet(match: _Match, other_match: _Match) -> bool:
    """Tell whether two matches of a motion are so near that they may be the same."""
    (first, last), (start, end) = match.steps, other_match.steps
    return match.motion == other_match.motion and first <= end + 2 and start <= last + 2


def _paired(pops: list[Pop], values: Array, away: int) -> Iterator[Pop]:
    """Yield the pops of one motion in order, with two neighbouring jumps that undo each other joined into one
    stretch.

    pops: sorted by frame. values: the motion (n, 4 or 3). away: how many frames apart both jumps may be. A
    stretch lasts from the frame behind the first jump to the frame before the second one. It has the first
    one's jump, the second one's as its `back`, and the lower of the two `times`.
    """
    i = 0
    while i < len(pops):
        pop, other = pops[i], pops[min(i + 1, len(pops) - 1)]
        if other is not pop and _leads_back(pop, other, values, away):
            times = min(pop.times, other.times)
            yield Pop(pop.motion, PopKind.STRETCH, pop.last, other.first, pop.jump, other.jump, times)
            i += 1
        else:
            yield pop
        i += 1


def _leads_back(pop: Pop, next_pop: Pop, values: Array, away: int) -> bool:
    """Tell whether two jumps of one motion, of a frame each, undo each other.

    values: the motion (n, 4 or 3). away: how many frames there may be, at most, from the first one's last
    frame to the second one's first. The sum of both jumps must be shorter than 0.35 of the larger one's size,
    in the parent's axes, or in the bone's own as it is turned on these two frames. False for other kinds of
    pops, and for jumps over several frames.
    """
    if (
        {pop.kind, next_pop.kind} != {PopKind.STEP}
        or pop.last - pop.first > 1
        or next_pop.last - next_pop.first > 1
    ):
        return False
    rest = float(np.linalg.norm(pop.jump + next_pop.jump))
    if values.shape[-1] == 4:
        before, behind = quaternion.conjugate(values[[pop.last, next_pop.first]])
        in_own_axes = quaternion.rotate(before, pop.jump) + quaternion.rotate(behind, next_pop.jump)
        rest = min(rest, float(np.linalg.norm(in_own_axes)))
    return next_pop.first - pop.last <= away and rest < OPPOSITE * max(pop.size, next_pop.size)
