# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet locked as they go: each frame by what was before it, as nobody knows yet what comes.

A foot that is planted comes to rest over the ground where it is, as high as its clip has it, and stands there
until the clip lifts it, or has it too far away. Then what it is away from its clip fades; so it does where
another clip takes over. A foot that is planted elsewhere steps there, one at a time.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...records import record
from ..arrays import Array, Flags, eased, eased_smoothly
from . import locking
from .corrections import faded
from .crossing import LockLimits

LANDS_SECONDS = 0.06
"""A foot that is planted comes to rest within so long, ..."""
FASTEST = 3.0
"""... unless it is faster, in leg lengths a second: such a one is about to land."""
EARLY_SECONDS = 0.06
"""A foot that its clip has planted so soon is planted, or it would skate until it lands."""
RISES = 0.5
"""A foot that is lower than its clip has it rises in this part of the time back there, or it would skate."""
STEP_SECONDS, STEP_A_LENGTH, LONGEST_STEP = 0.15, 0.35, 0.4
"""A step takes so long, and so much longer for each leg length that it goes, but no longer than this."""
OVER = np.array([True, True, False, True])
"""A foot that is held is so over the ground and in its heading; how high it is its clip says."""


@record(frozen=True, eq=False)
class ClipPlacement:
    """Feet at a moment, as their clip has them.

    places: (feet, 4) their points and headings. planted: (feet,). comes: (feet, 4) where the clip will have
    them in EARLY_SECONDS, None where that is not known. enters: (feet, 4) where it had them before, of a clip
    that takes over here, None for one that goes on.
    """

    places: Array
    planted: Flags
    comes: Array | None = None
    enters: Array | None = None


@record(frozen=True, eq=False)
class _Air:
    """Feet in the air. since: (feet,) seconds since they lifted. lasting: (feet,) seconds until they land.
    lift: (feet,) how high each steps, 0 for none."""

    since: Array
    lasting: Array
    lift: Array


@record(frozen=True, eq=False)
class FeetState:
    """Feet at a moment.

    own: (feet, 4) where the clip by itself has them, a point and a heading, and path: where they are; rate:
    (feet, 4) of the path, per second. held: (feet,), and point: (feet, 4) where those rest. offset, drift:
    (feet, 4) what was left between the path and that, or the clip, and its rate, ``since`` seconds (feet,)
    ago; it is gone after ``lasting`` seconds (feet,). lift: (feet,) how high a foot steps, 0 for none.
    """

    own: Array
    path: Array
    rate: Array
    held: Flags
    point: Array
    offset: Array
    drift: Array
    since: Array
    lasting: Array
    lift: Array

    @classmethod
    def begun(cls, clip: Array, path: Array, limits: LockLimits) -> FeetState:
        """Return the state of feet that are held nowhere, and whose distance to the clip fades from now on.

        Parameters
        ----------
        clip : (feet, 4)
            Point and heading where the clip has each foot.
        path : (feet, 4)
            Where each foot is; the state takes it as at rest.
        limits
            Their `release` says in how many seconds the distance fades.

        Returns
        -------
        FeetState
            It holds the given arrays, not copies.
        """
        none, count = np.zeros_like(clip), len(clip)
        still, off, lasting = np.zeros(count), np.zeros(count, bool), np.full(count, limits.release)
        return cls(clip, path, none, off, path, path - clip, none, still, lasting, still)

    def step(self, feet: ClipPlacement, lengths: Array, seconds: float, limits: LockLimits) -> FeetState:
        """Return the state `seconds` later, as a new one; this one stays.

        A held foot stays over the ground and in its heading while it is planted and near enough, see
        :meth:`_find_staying`; its height is the clip's. One that is let go, or all that do not stay when
        another clip takes over (feet.enters is given), goes to the clip's place. It steps there if the clip
        has it planted: in 0.15 s and 0.35 s for each leg length that it goes, at most 0.4 s, and limits.step
        times a quarter of its way high, at most 0.06 leg lengths times limits.step. Else what is left fades
        in limits.release. A foot that is lower than its clip has it then rises in half of that time.

        A planted foot that is not stepping, or has done so, and goes no faster over the ground than 3 leg
        lengths a second, lands: in the state returned its `held` is True and its `point` known, but its
        `path` has not yet changed for that. From then on it comes to rest within LANDS_SECONDS (0.06 s). It
        rests as far from where it is as its clip still goes (feet.comes), or, where that is not known, as far
        as it goes in half of LANDS_SECONDS.

        feet: as the clip has them at that moment. lengths: (feet,), of the legs, world units. seconds: above
        0. limits: its radius, step and release count.
        """
        clip, planted, comes, enters = feet.places, feet.planted, feet.comes, feet.enters
        before = self.own if enters is None else enters
        moving = (clip - before) / seconds
        away = np.linalg.norm((clip - self.point)[:, :2], axis=1)
        stays = self._find_staying(planted, away, away > limits.radius * lengths)
        fixed = stays[:, None] & OVER
        changes = (self.held & ~stays) | (enters is not None)
        steps = changes & planted & ~stays
        left = self.path - np.where(fixed, self.point, before)
        rate = self.rate - np.where(fixed, 0.0, moving)
        goes = np.linalg.norm(left[:, :3], axis=1)
        long = np.minimum(STEP_SECONDS + STEP_A_LENGTH * goes / lengths, LONGEST_STEP)
        high = limits.step * np.minimum(locking.STEP_TRAVEL * goes, locking.STEP_LENGTH * lengths)
        offset = np.where(changes[:, None], left, self.offset)
        drift = np.where(changes[:, None], rate, self.drift)
        since = np.where(changes, 0.0, self.since) + seconds
        lasting = np.where(steps, long, np.where(changes, limits.release, self.lasting))
        # a step of nothing is one, too
        lift = np.where(changes, np.where(steps, np.maximum(high, 1e-9), 0.0), self.lift)
        path = np.where(fixed, self.point, clip)
        none = np.zeros_like(offset)
        path[:, OVER] += faded(offset, drift, none, lasting, since)[:, OVER]
        # who is lower than the clip rises before going there
        rises = np.where(~stays & (offset[:, 2] < 0.0), RISES * lasting, lasting)
        path[:, 2] += faded(offset, drift, none, rises, since)[:, 2]
        raised = self._raised(path, clip, _Air(since, lasting, lift), lengths, limits)
        path[:, 2] += np.where(stays, 0.0, raised)
        rate = (path - self.path) / seconds
        lands = planted & ~stays & ~changes & ((lift == 0.0) | (since >= lasting))
        lands &= np.linalg.norm(rate[:, :2], axis=1) <= FASTEST * lengths
        # as far on as its clip goes, or else as far that it slows down and does not turn back
        goes_on = 0.5 * LANDS_SECONDS * rate if comes is None else comes - clip
        point = np.where(lands[:, None], path + goes_on, self.point)
        offset = np.where(lands[:, None], path - np.where(OVER, point, clip), offset)
        drift = np.where(lands[:, None], rate - np.where(OVER, 0.0, moving), drift)
        lift = np.where(lands | (since >= lasting), 0.0, lift)
        lasting = np.where(lands, LANDS_SECONDS, lasting)
        since = np.where(lands, 0.0, since)
        return FeetState(clip, path, rate, stays | lands, point, offset, drift, since, lasting, lift)

    def _find_staying(self, planted: Flags, away: Array, is_far: Flags) -> Flags:
        """Return which feet (feet,) are held on.

        planted: (feet,). away: (feet,), horizontal distances from where the clip has them. is_far: (feet,),
        which of these are too far. A held foot stays while it is planted. But if some of those are too far
        and no foot is stepping, the furthest one of them is released.
        """
        waits = self.held & planted & is_far
        if waits.any() and not (self.lift > 0.0).any():
            # one steps at a time, the one that is furthest away
            waits[int(np.argmax(np.where(waits, away, -1.0)))] = False
        return np.asarray(waits | (self.held & planted & ~is_far))

    def _raised(self, path: Array, clip: Array, air: _Air, lengths: Array, limits: LockLimits) -> Array:
        """Return by how much (feet,) feet are raised above their path, 0 or more: for their step, and to stay
        clear of the ground where they are away from their clip.

        A step's height is a bump over the time of the step, 16 s^2 (1 - s)^2 times `air.lift` with s from 0
        to 1. If the foot is still lower than a floor, it is raised to that. The floor lies above the lower of
        the foot's place of rest and its clip's height by h (1 - e^(-2.5 d / h)), with d the horizontal
        distance from its clip's place, and h a quarter of d times limits.step, at most 0.06 leg lengths times
        limits.step. That fades in over 0.08 s behind the lift-off, and, of a foot that steps, out over 0.07 s
        before its landing. Held feet are raised like others: who calls leaves them out.

        path, clip: (feet, 4), where feet would be, and where their clip has them. air: how long they have
        been in the air, and for how long and how high they step. lengths: (feet,), of the legs, world units.
        """
        since, lasting, lift = air.since, air.lasting, air.lift
        s = np.clip(since / lasting, 0.0, 1.0)
        step = 16.0 * lift * s**2 * (1.0 - s) ** 2
        aside = np.linalg.norm((path - clip)[:, :2], axis=1)
        highest = limits.step * np.minimum(locking.STEP_TRAVEL * aside, locking.STEP_LENGTH * lengths)
        highest = np.maximum(highest, 1e-9)
        floor = np.minimum(self.point[:, 2], clip[:, 2]) - highest * np.expm1(
            -locking.SLOPE * aside / highest
        )
        free = eased_smoothly(since, locking.RAISED_SECONDS)
        free = free * np.where(lift > 0.0, eased(lasting - since, locking.LANDED_SECONDS), 1.0)
        return np.asarray(step + free * np.maximum(floor - path[:, 2] - step, 0.0))


def early(planted: Flags, starts: Sequence[int], fps: float) -> Flags:
    """Return whether a foot is planted on a frame, or will be within 0.06 s in the same clip.

    Parameters
    ----------
    planted : (n, feet)
        Flags of all clips' frames, one clip after the other.
    starts
        The index of the first frame of each clip, beginning with 0.
    fps
        Frames a second; 0.06 s are rounded to whole frames.

    Returns
    -------
    Flags (n, feet)
        A new array.
    """
    early_planted = planted.copy()
    part = np.repeat(np.arange(len(starts)), np.diff([*starts, len(planted)]))
    for later in range(1, round(EARLY_SECONDS * fps) + 1):
        early_planted[:-later] |= planted[later:] & (part[later:] == part[:-later])[:, None]
    return early_planted
