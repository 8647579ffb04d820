# SPDX-License-Identifier: GPL-3.0-or-later
"""Pops mended: a spike by its neighbours, a jump by its offset decaying, a stretch by leading it back.

A jump's offset has no rate, as the two sides are fitted with one and the same way of going on (see
:mod:`expected`). It goes to zero along the curve of any transition (:mod:`inertia_addon.motion.decay.decay`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...records import record
from .. import quaternion
from ..arrays import Array, Flags, runs
from ..decay import decay
from ..decay.decay import Method
from .finding import HALF_SECONDS, steps_of
from .templates import Pop, PopKind

SIDES = {"AROUND": 0.5, "AFTER": 0.0, "BEFORE": 1.0}
"""How much of a jump is taken by the side before it."""
GONE = 1e-4
"""Less than this part of an offset is none."""
SPRING_HALF_LIVES = 6.0
"""So many half-lives a spring has in the time in which another curve ends."""
NEIGHBOURS = 2
"""So many frames on each side say what lies between: a cubic goes through four."""
CALM = 1.5
"""An offset takes longer where it would change a bone's velocity so many times as much as what it does ..."""
LONGER = 4.0
"""... up to so many times as long."""
NEARLY = 0.9
"""This part of a bone's changes of velocity is what it does."""
BESIDE = 4
"""Keys are made anew from so many frames before what changes: a jump bends automatic handles beside it."""


@record(frozen=True)
class Mend:
    """How jumps go. side: one of ``SIDES``. seconds: how long an offset takes to be gone, at least."""

    side: str
    method: Method
    seconds: float


def mended(values: Array, *, is_rotation: bool, pops: Sequence[Pop], fps: float, mend: Mend) -> Array:
    """Return a motion without some of its pops.

    Spikes are replaced by a cubic between their neighbours; stretches are moved back to where the motion is
    around them; the offset of a jump to stay decays over the time and on the side that `mend` says, or, for
    AROUND less than 0.13 s from an end of the motion, is given wholly to the shorter side. Spikes and
    stretches go first, then jumps, each by frame.

    Parameters
    ----------
    values
        Unit quaternions (n, 4), or places (n, 3); they are not changed.
    is_rotation
        Whether they are quaternions.
    pops
        Of this motion, in any order.
    fps
        Frames a second.
    mend
        How jumps go.

    Returns
    -------
    Array
        A copy, of the same shape.
    """
    motion = _Motion(values.copy(), is_rotation)
    for pop in sorted(pops, key=lambda pop: (pop.kind is PopKind.STEP, pop.first)):
        if pop.kind is PopKind.SPIKE:
            motion.bridge(pop.first, pop.last)
        elif pop.kind is PopKind.STRETCH:
            motion.lead_back(pop)
        else:
            motion.smooth(pop, fps, mend)
    return motion.values


def find_changed_spans(before: Array, after: Array) -> list[tuple[int, int]]:
    """Return from which to which frame, by index, both included, a motion (n, channels) that was changed
    needs new keys, in order: where any channel differs by more than 1e-9, and BESIDE frames on either side.
    """
    differs = np.any(np.abs(after - before) > 1e-9, axis=1)
    near = np.convolve(differs, np.ones(2 * BESIDE + 1), "same") > 0.5
    return runs(near)


@record
class _Motion:
    """A motion while it is mended."""

    values: Array
    is_rotation: bool

    def add_offsets(self, frames: slice | Flags, offsets: Array) -> None:
        """Put offsets (frames, 3) on top of some frames."""
        if self.is_rotation:
            self.values[frames] = quaternion.multiply(quaternion.exp(offsets), self.values[frames])
        else:
            self.values[frames] += offsets

    def bridge(self, first: int, last: int) -> None:
        """Replace the frames from `first` to `last`, both included, in place, by interpolation between the
        frames beside them.

        It is a polynomial through two frames on each side, or through as many as there are, one at least in
        all; rotations are interpolated as rotation vectors from the known frame nearest to `first`, the
        earlier of two.
        """
        sides = [*range(first - NEIGHBOURS, first), *range(last + 1, last + 1 + NEIGHBOURS)]
        beside = np.array([frame for frame in sides if 0 <= frame < len(self.values)])
        wanted = np.arange(first, last + 1)
        others = beside[:, None] != beside[None, :]
        gaps = np.where(others, beside[:, None] - beside[None, :], 1.0)
        # Lagrange's polynomials: (wanted, known)
        parts = np.where(others, (wanted[:, None, None] - beside[None, None, :]) / gaps, 1.0)
        weights = np.prod(parts, axis=2)
        if not self.is_rotation:
            self.values[wanted] = weights @ self.values[beside]
            return
        middle = self.values[beside[np.argmin(np.abs(beside - first))]]
        turns = quaternion.log(quaternion.multiply(self.values[beside], quaternion.conjugate(middle)))
        self.values[wanted] = quaternion.multiply(quaternion.exp(weights @ turns), middle)

    def lead_back(self, pop: Pop) -> None:
        """Remove a stretch's displacement, in place, from the pop's first to its last frame.

        On the first frame the jump to it is taken away, on the last the opposite of `back`, what leads back
        from it, and in between a mixture of both, by frames; a stretch of one frame only loses its jump. A
        mixture is lengthened to the same mixture of both lengths, but to twice its own at most. Rotations are
        taken off in the parent's axes; if the opposite of `back` is nearer to the jump when turned the other
        way round, by 2 pi less its angle, that way is taken.

        pop: its frames are indices of this motion; `jump` and `back` are (3,), radians or the unit of places.
        """
        jump, back = pop.jump, -pop.back
        if self.is_rotation and np.linalg.norm(back) > 1e-9:
            turned = back * (1.0 - 2.0 * np.pi / np.linalg.norm(back))
            # the same turn the other way round may be nearer
            back = min(back, turned, key=lambda turn: float(np.linalg.norm(turn - jump)))
        part = np.linspace(0.0, 1.0, pop.last - pop.first + 1)[:, None]
        offsets = jump + (back - jump) * part
        # as far away between them as at both ends, where the axis turns meanwhile
        far = np.linalg.norm(jump) * (1.0 - part) + np.linalg.norm(back) * part
        offsets *= far / np.maximum(np.linalg.norm(offsets, axis=1, keepdims=True), 0.5 * far + 1e-12)
        self.add_offsets(slice(pop.first, pop.last + 1), -offsets)

    def smooth(self, pop: Pop, fps: float, mend: Mend) -> None:
        """Distribute a jump's offset over the frames on both sides, decaying away from the jump; in place.

        The frames up to pop.first are moved by a share of pop.jump, those from pop.last on by the rest of it
        the other way: shares are 1 for "BEFORE", 0 for "AFTER" and 0.5 for "AROUND". The share is full on
        pop.first and pop.last and decays with distance along mend.method, as long as :meth:`_seconds` says
        for the larger share. Then the two frames lie together. Where a
        jump goes over several frames, those between the two are then interpolated, by :meth:`bridge`.

        With "AROUND", if one side has fewer frames than 0.13 s, the shorter side is moved as a whole, by the
        whole jump, and the other side stays as it is; of two equally short ones it is the side behind.

        pop: a jump to stay, with indices of this motion, `jump` (3,) in the parent's axes. fps: frames a
        second. mend: the side, the curve, and for how long at least, seconds.
        """
        before, behind = pop.first + 1, len(self.values) - pop.last
        share = SIDES[mend.side]
        if mend.side == "AROUND" and min(before, behind) < HALF_SECONDS * fps:
            rest = np.ones(min(before, behind))
            share = 1.0 if before < behind else 0.0
        else:
            seconds = self._seconds(pop.size * max(share, 1.0 - share), fps, mend)
            rest = _find_left_share(np.arange(max(before, behind)) / fps, mend.method, seconds)
        if share:
            comes = rest[:before][::-1]
            self.add_offsets(slice(before - len(comes), before), share * comes[:, None] * pop.jump)
        if share < 1.0:
            goes = rest[:behind]
            self.add_offsets(slice(pop.last, pop.last + len(goes)), (share - 1.0) * goes[:, None] * pop.jump)
        if pop.last - pop.first > 1:
            self.bridge(pop.first + 1, pop.last - 1)

    def _seconds(self, offset: float, fps: float, mend: Mend) -> float:
        """Return how many seconds an offset of a size takes, so that the bone does not turn more suddenly
        than it usually does.

        It is so long that the offset's own change of velocity from frame to frame, along mend.method, is no
        more than 1.5 times (CALM) the change that nine in ten of the motion's frames stay below; but from
        mend.seconds to four times as long. offset: its size, radians, or the unit of places.
        """
        bends = np.linalg.norm(np.diff(steps_of(self.values, is_rotation=self.is_rotation), axis=0), axis=-1)
        usual = max(CALM * float(np.quantile(bends, NEARLY)), 1e-12)
        wanted = np.sqrt(_bend(mend.method) * offset / usual) / fps
        return float(np.clip(wanted, mend.seconds, LONGER * mend.seconds))


def _find_left_share(times: Array, method: Method, seconds: float) -> Array:
    """Return how much of an offset without a rate is left after rising times (n,), seconds, cut where less
    than 0.0001 is left.

    It is 1 at 0 s, and the result may be shorter than `times`. seconds: how long the curve takes; for SPRING
    it is six half-lives.
    """
    length = seconds / SPRING_HALF_LIVES if method is Method.SPRING else seconds
    curve = decay.make(method, [1.0], [0.0], max(length, 1e-9))
    left = curve.weights(times)[0]
    return np.asarray(left[: int(np.argmax(left < GONE)) or len(left)])


def _bend(method: Method) -> float:
    """Return how large the second derivative of a curve becomes, in units of x / T^2."""
    times = np.linspace(0.0, 1.0, 101)
    return float(np.abs(np.diff(_find_left_share(times, method, 1.0), 2)).max()) / times[1] ** 2
