# SPDX-License-Identifier: GPL-3.0-or-later
"""What would be seen of transitions, about, before any is planned: which of many meetings are worth judging.

Each joint is taken to go along a line by itself, and no foot is locked. None of it is ever shown: what is
told is the judge's word, see :mod:`inertia_addon.motion.judging.faults`.

How far feet will skate is told by itself, too, as a part of costs. While a foot stands in the destination,
all that moves it over the ground is what is left of its offset, in closed form. Its way is that between a few
times while it stands: where it swings out and back it would seem to stay between two. Feet turn back as
offsets of joints do, not limb by limb, and are in character space, see :mod:`character`.
"""

from __future__ import annotations

import functools

import numpy as np

from ...records import record
from .. import quaternion
from ..arrays import Array, Integers
from ..decay import dead_blending, decay
from ..decay.decay import Method
from ..judging.evidence import MARGIN_SECONDS, joint_velocity_changes, rms, velocity_changes
from ..judging.faults import CHANGE, HEIGHT, STILL, STRETCH
from ..skeleton.character_space import VERTICAL

NUMBERS = 300_000
"""So many, about, are worked on together: few enough for an interface to go on between."""
STEPS = 4
"""The way of a foot that skates is looked at in so many parts of the time that it stands."""


@record(frozen=True, eq=False)
class AlignedClip:
    """A clip on whole frames. positions, velocities: (n, joints, 3) in the world, metres and metres a second.
    places: (n, 3) metres, headings: (n,) radians: what is aligned of it, 0 where that is not. parts: (n,) in
    which part between two teleports each frame lies; None without any."""

    positions: Array
    velocities: Array
    places: Array
    headings: Array
    parts: Integers | None = None


@record(frozen=True, eq=False)
class Foresight:
    """Two clips, and how a transition joins them.

    method: None for dead blending, of which half_life is. seconds: the blend time; frames: so many of it are
    looked at. fps: frames a second. size: of the character, metres. hips: which joint these are, or None.
    """

    source: AlignedClip
    destination: AlignedClip
    method: Method | None
    seconds: float
    half_life: float
    frames: int
    fps: float
    size: float
    hips: int | None

    @property
    def count(self) -> int:
        """So many meetings, about, are foreseen while an interface waits."""
        return max(1, NUMBERS // (self.source.positions[0].size * (self.frames + 3)))

    def totals(self, cuts: Integers, entries: Integers) -> Array:
        """Return an estimate (n,) of how much would be noticed of transitions: a sum of squares, each 1 at
        the limit of what is good.

        cuts: (n,), frames of the source, and entries: (n,), frames of the destination, by index.

        Squared and added are the hardest change of joint velocity, by 1.3 times the clips' own nearby (see
        :meth:`_highest`), and, if it is known which joint the hips are, how far they rise above both clips,
        by 0.04 of the character's size, and for each joint how much further it gets from them than in both,
        by 0.1 of the size. Each counts by its highest on any frame of the transition; the latter two count as
        0 if they are no higher than in the clips. A clip's own highest is that within 0.5 s of its cut or
        entry, or of `frames` frames later (at most its last frame); the destination's heights are those it
        has once it is moved to the source.
        """
        shown, after = self._blend_joints(cuts, entries)
        total = (self._highest(shown, cuts, after) / CHANGE) ** 2
        if self.hips is None:
            return total
        heights, away = zip(*(self._pose(way.positions) for way in self._both), strict=True)
        height_shown, away_shown = self._pose(shown)
        raised = self.source.places[cuts, 2] - self.destination.places[entries, 2]
        highest = np.maximum(self._most(heights[0], cuts), self._most(heights[1], entries) + raised)
        furthest = np.maximum(self._most(away[0], cuts), self._most(away[1], entries))
        lift, reach = height_shown.max(axis=1) - highest, away_shown.max(axis=1) - furthest
        total += (np.maximum(lift, 0.0) / (HEIGHT * self.size)) ** 2
        return total + ((np.maximum(reach, 0.0) / (STRETCH * self.size)) ** 2).sum(axis=-1)

    @property
    def _both(self) -> tuple[AlignedClip, AlignedClip]:
        return self.source, self.destination

    def _blend_joints(self, cuts: Integers, entries: Integers) -> tuple[Array, Integers]:
        """Return the joints (n, frames + 3, joints, 3) of n transitions in the source's world, metres, and
        which of the destination's frames they show.

        cuts, entries: (n,), indices of frames of the source and of the destination. Joints [:, 0] are the
        source's own, a frame before the cut (at its first frame, on that frame); those from [:, 1] on are the
        blend from the cut on, frame by frame, the first of which is the source's pose at the cut. The indices
        (n, frames + 2) are the destination's frames from the entry on. They may exceed its last frame; there
        the joints of the last are used.

        The destination is turned about the vertical through its place at the entry, by the source's heading
        at the cut less its own there, and moved by as much as that place lies from the source's at the cut,
        in height too. Each joint is blended by itself: by the curve of `method`; or by dead blending if that
        is None, a cross-fade to the destination from where the source's velocity at the cut, decaying, would
        take the joint.
        """
        source, destination = self._both
        after = entries[:, None] + np.arange(self.frames + 2)
        shown = np.minimum(after, len(destination.positions) - 1)
        angles = source.headings[cuts] - destination.headings[entries]
        turns = quaternion.to_matrix(quaternion.exp(angles[:, None] * VERTICAL))

        def turned(vectors: Array) -> Array:
            flat = vectors.reshape(len(cuts), -1, 3) @ turns.swapaxes(1, 2)
            return flat.reshape(vectors.shape)

        joints = turned(destination.positions[shown] - destination.places[entries, None, None])
        joints += source.places[cuts, None, None]
        t = np.arange(self.frames + 2)[:, None] / self.fps
        x, v = source.positions[cuts, None] - joints[:, :1], source.velocities[cuts, None]
        if self.method is None:
            reach = dead_blending.reach(t, self.half_life)[..., None]
            left = dead_blending.source_share(t, self.seconds)[..., None]
            joints += left * (source.positions[cuts, None] + reach * v - joints)
        else:
            v = v - turned(destination.velocities[entries])[:, None]
            curves = decay.make(self.method, x, v, np.full(x.shape[:-1], self.seconds))
            joints += decay.evaluate(curves, x, v, t)
        before = source.positions[np.maximum(cuts - 1, 0), None]
        return np.concatenate([before, joints], axis=1), after

    def _highest(self, joints: Array, cuts: Integers, after: Integers) -> Array:
        """Return for each transition (n,) its hardest change of joint velocity, rms over the joints, as a
        multiple of the clips' own highest change nearby.

        joints, after: what :meth:`_blend_joints` returned. cuts: (n,), indices of the source's frames.

        The changes are those on the cut and the `frames` frames behind it; the highest multiple of them
        counts. The clips' own on frame k behind the cut is the higher of :attr:`_peaks` of the source, k
        frames behind its cut, and of the destination, k behind its entry, each on its last frame at most. It
        is at least what can be seen at all, STILL times the character's size per frame. Changes count as 0
        from the destination's last frame on, and so does the one on the cut itself if that is the source's
        very first frame.
        """
        jerks = rms(joint_velocity_changes(joints.swapaxes(0, 1), self.fps)).T
        at = after[:, :-1]
        # where the destination ends a result just stands, and nobody looks
        jerks[at >= len(self.destination.positions) - 1] = 0.0
        jerks[cuts == 0, 0] = 0.0
        source, destination = self._peaks
        usual = np.maximum(
            source[np.minimum(cuts[:, None] + at - at[:, :1], len(source) - 1)],
            destination[np.minimum(at, len(destination) - 1)],
        )
        return (jerks / np.maximum(usual, STILL * self.size / self.fps)).max(axis=1)

    @functools.cached_property
    def _peaks(self) -> list[Array]:
        """The highest change of joint velocity within 0.5 s of each frame, of the source, then of the
        destination: a list of two arrays (frames,).

        It is in m/s, rms over the joints. The first and the last frame, and changes across teleports, count
        as 0. It is cached.
        """
        peaks = []
        for way in self._both:
            jerks = np.zeros(len(way.positions))
            jerks[1:-1] = velocity_changes(way.positions, self.fps)
            if way.parts is not None:
                jerks[1:-1][way.parts[2:] != way.parts[:-2]] = 0.0
            peaks.append(self._near(jerks))
        return peaks

    def _near(self, values: Array) -> Array:
        """Return for each frame the largest of values (n, ...) that are near to it."""
        around = round(MARGIN_SECONDS * self.fps)
        padded = np.pad(values, [(around, around)] + [(0, 0)] * (values.ndim - 1), mode="edge")
        return np.asarray(np.lib.stride_tricks.sliding_window_view(padded, 2 * around + 1, 0).max(axis=-1))

    def _most(self, values: Array, first: Integers) -> Array:
        """Return the largest of a clip's values (frames, ...) near to a blend, for blends that begin at
        the indices `first` (n,).
        """
        near, last = self._near(values), len(values) - 1
        return np.maximum(near[first], near[np.minimum(first + self.frames, last)])

    def _pose(self, positions: Array) -> tuple[Array, Array]:
        """Return (the hips' height z (...,), the distance of each joint from them (..., joints)), metres; the
        hips' own distance, 0, among them.
        """
        assert self.hips is not None
        hips = positions[..., self.hips, :]
        return hips[..., 2], np.linalg.norm(positions - hips[..., None, :], axis=-1)


def skates(
    source: tuple[Array, Array],
    destination: tuple[Array, Array],
    times: tuple[Array, Array],
    method: Method,
    seconds: float,
) -> Array:
    """Return how far a foot goes over the ground while it should stand, for many meetings: n cuts with m
    frames of the destination each.

    That is how far the offset that decays, source minus destination, moves in X and Y from the first time to
    the second, as the sum of the STEPS straight pieces between equally spaced moments. It may be too short,
    never too long. Times are taken as given: a second one before the first makes the same way as the two in
    order.

    Parameters
    ----------
    source
        The foot's positions and velocities at the cuts, (n, 3) each, Z up, metres and a
        second.
    destination
        Those of the frames of the destination, (m, 3) each.
    times
        Seconds after the cut from which, and until which, the destination has it standing,
        (m,) each.
    method
        The curve of the blend.
    seconds
        The blend time, or the half-life for SPRING, above 0.

    Returns
    -------
    Array (n, m)
        Metres.
    """
    x, v = (at_cut[:, None] - entered for at_cut, entered in zip(source, destination, strict=True))
    curves = decay.make(method, x, v, seconds)
    axes = [tuple(np.ascontiguousarray(offset[..., axis]) for offset in (x, v)) for axis in range(2)]
    metres = np.zeros(x.shape[:2])
    before = curves.weights(times[0])
    for t in np.linspace(*times, STEPS + 1)[1:]:
        after = curves.weights(t)
        p, q = (late - early for late, early in zip(after, before, strict=True))
        metres += np.sqrt(sum((p * place + q * rate) ** 2 for place, rate in axes))
        before = after
    return metres
