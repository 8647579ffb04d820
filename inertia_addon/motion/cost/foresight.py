# SPDX-License-Identifier: GPL-3.0-or-later
"""What would be seen of transitions, about, before any is planned: which of many meetings are worth judging.

Each joint is taken to go along a line by itself, and no foot is locked. None of it is ever shown: what is
told is the judge's word, see :mod:`inertia_addon.motion.judging.faults`.
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
from ..skeleton.character import VERTICAL

NUMBERS = 300_000
"""So many, about, are worked on together: few enough for an interface to go on between."""


@record(frozen=True, eq=False)
class Way:
    """A clip on whole frames. positions, velocities: (n, joints, 3) in the world, metres and metres a second.
    places: (n, 3) metres, headings: (n,) radians: what is aligned of it, 0 where that is not."""

    positions: Array
    velocities: Array
    places: Array
    headings: Array


@record(frozen=True, eq=False)
class Foresight:
    """Two clips, and how a transition joins them.

    method: None for dead blending, of which half_life is. seconds: the blend time; frames: so many of it are
    looked at. fps: frames a second. size: of the character, metres. hips: which joint these are, None for
    none.
    """

    source: Way
    destination: Way
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
        """What would be seen of meetings (n,), see :attr:`Judgement.total`. cuts, entries: (n,) the places of
        their frames."""
        shown, after = self._shown(cuts, entries)
        total = (self._highest(shown, cuts, after) / CHANGE) ** 2
        if self.hips is None:
            return total
        heights, away = zip(*(self._pose(way.positions) for way in self._both), strict=True)
        seen, further = self._pose(shown)
        raised = self.source.places[cuts, 2] - self.destination.places[entries, 2]
        lift = seen.max(axis=1) - np.maximum(
            self._most(heights[0], cuts), self._most(heights[1], entries) + raised
        )
        reach = further.max(axis=1) - np.maximum(self._most(away[0], cuts), self._most(away[1], entries))
        total += (np.maximum(lift, 0.0) / (HEIGHT * self.size)) ** 2
        return total + ((np.maximum(reach, 0.0) / (STRETCH * self.size)) ** 2).sum(axis=-1)

    @property
    def _both(self) -> tuple[Way, Way]:
        return self.source, self.destination

    @property
    def _around(self) -> int:
        return round(MARGIN_SECONDS * self.fps)

    def _shown(self, cuts: Integers, entries: Integers) -> tuple[Array, Integers]:
        """The transitions (n, frames, joints, 3) from the frame before the cut on, in the source's world, and
        the places of the destination's frames (n, frames - 1) behind it."""
        here, there = self._both
        after = entries[:, None] + np.arange(self.frames + 2)
        shown = np.minimum(after, len(there.positions) - 1)
        turns = quaternion.to_matrix(
            quaternion.exp((here.headings[cuts] - there.headings[entries])[:, None] * VERTICAL)
        )

        def turned(vectors: Array) -> Array:
            flat = vectors.reshape(len(cuts), -1, 3) @ turns.swapaxes(1, 2)
            return flat.reshape(vectors.shape)

        own = turned(there.positions[shown] - there.places[entries, None, None])
        own += here.places[cuts, None, None]
        t = np.arange(self.frames + 2)[:, None] / self.fps
        x, v = here.positions[cuts, None] - own[:, :1], here.velocities[cuts, None]
        if self.method is None:
            reach = dead_blending.reach(t, self.half_life)[..., None]
            left = dead_blending.source_share(t, self.seconds)[..., None]
            own += left * (here.positions[cuts, None] + reach * v - own)
        else:
            v = v - turned(there.velocities[entries])[:, None]
            made = decay.make(self.method, x, v, np.full(x.shape[:-1], self.seconds))
            own += decay.evaluate(made, x, v, t)
        before = here.positions[np.maximum(cuts - 1, 0), None]
        return np.concatenate([before, own], axis=1), after

    def _highest(self, shown: Array, cuts: Integers, after: Integers) -> Array:
        """The highest change of joint velocity (n,) over the clips' own near to it."""
        found = rms(joint_velocity_changes(shown.swapaxes(0, 1), self.fps)).T
        at = after[:, :-1]
        # where the destination ends a result just stands, and nobody looks
        found[at >= len(self.destination.positions) - 1] = 0.0
        found[cuts == 0, 0] = 0.0
        here, there = self._peaks
        own = np.maximum(
            here[np.minimum(cuts[:, None] + at - at[:, :1], len(here) - 1)],
            there[np.minimum(at, len(there) - 1)],
        )
        return (found / np.maximum(own, STILL * self.size / self.fps)).max(axis=1)

    @functools.cached_property
    def _peaks(self) -> list[Array]:
        """The highest change of joint velocity of each clip near to each of its frames."""
        found = []
        for way in self._both:
            own = np.zeros(len(way.positions))
            own[1:-1] = velocity_changes(way.positions, self.fps)
            found.append(self._near(own))
        return found

    def _near(self, values: Array) -> Array:
        """The most of values (n, ...) near to each frame."""
        around = self._around
        padded = np.pad(values, [(around, around)] + [(0, 0)] * (values.ndim - 1), mode="edge")
        return np.asarray(np.lib.stride_tricks.sliding_window_view(padded, 2 * around + 1, 0).max(axis=-1))

    def _most(self, values: Array, first: Integers) -> Array:
        """The most of values (frames, ...) of a clip near to a blend that begins at places (n,)."""
        near, last = self._near(values), len(values) - 1
        return np.maximum(near[first], near[np.minimum(first + self.frames, last)])

    def _pose(self, positions: Array) -> tuple[Array, Array]:
        """How high the hips are (...,), and how far joints are from them (..., joints), metres."""
        assert self.hips is not None
        hips = positions[..., self.hips, :]
        return hips[..., 2], np.linalg.norm(positions - hips[..., None, :], axis=-1)
