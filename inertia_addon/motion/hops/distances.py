# SPDX-License-Identifier: GPL-3.0-or-later
"""What the blends of a hop cost: distances of windows as point clouds, or displacements.

Both say how a blend of so many frames fares that starts at a frame of each of two clips, wherever these
stand and whichever way they face. A blend must end within both clips; those of cycles go on.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from ...records import record
from ..arrays import Array, Floats
from ..cost import costs, point_cloud
from ..cost.costs import PreparedClip
from ..cost.point_cloud import Windows
from ..decay.decay import Method
from ..steps import finish
from .recurrence import ClipStrip


@record(frozen=True, eq=False)
class JointTrack:
    """A clip's joints: positions and velocities (frames, joints, 3), metres and metres per second. cyclic:
    its last frame is the first of the next cycle."""

    positions: Array
    velocities: Array
    cyclic: bool = False

    @property
    def strip(self) -> ClipStrip:
        """What a search needs to know of it. A cycle's last frame is its first, and no frame of its own."""
        count = len(self.positions)
        return ClipStrip(count - 1, cyclic=True) if self.cyclic and count > 1 else ClipStrip(count)


@record(frozen=True, eq=False)
class PointClouds:
    """Distances of the windows that begin with a blend and last as long, in square metres: the mean of the
    squares of the joints' distances, see :mod:`point_cloud`. tracks: in the world."""

    tracks: Sequence[JointTrack]
    weights: Array
    kept: dict[tuple[int, int], Windows] = dataclasses.field(default_factory=dict)

    def __call__(self, a: int, b: int, blend: int, rows: slice, columns: slice) -> Floats:
        """Return the distances (rows, columns) of a blend from some frames of clip `a` to some of clip
        `b`.
        """
        return point_cloud.distances(self._windows(a, blend).cut(rows), self._windows(b, blend).cut(columns))

    def _windows(self, clip: int, blend: int) -> Windows:
        if (clip, blend) not in self.kept:
            track = self.tracks[clip]
            self.kept[clip, blend] = point_cloud.prepare(
                track.positions, self.weights, blend, cyclic=track.cyclic
            )
        return self.kept[clip, blend]


@record(frozen=True, eq=False)
class Displacements:
    """Displacements of all joints, in metre seconds, see :mod:`cost`. tracks: in character space. half_life:
    of SPRING, seconds; the other curves last as long as the blend. velocity_of_both: whether offsets start
    with the difference of both velocities, or with the first clip's alone."""

    tracks: Sequence[JointTrack]
    weights: Array
    method: Method
    fps: float
    half_life: float
    velocity_of_both: bool = True
    kept: dict[tuple[int, int, bool], PreparedClip] = dataclasses.field(default_factory=dict)

    def __call__(self, a: int, b: int, blend: int, rows: slice, columns: slice) -> Floats:
        """Return the displacements (rows, columns), float32, in metre seconds, of a blend from some frames of
        clip `a` to some of clip `b`.

        a, b: numbers of tracks. blend: how many frames it lasts. rows, columns: slices, with a start and a
        stop, of the frames of a and of b at which it starts; the starts are 0 or more.

        Infinity stands where a blend would need frames beyond the end: in a clip that is no cycle from frame
        count - blend + 1 on, in a cycle, whose blends go on with its beginning, from its last frame on, as
        that is its first. What is worked out of a clip for a length of blend is kept in `kept` for later
        calls.
        """
        displaced = np.full((rows.stop - rows.start, columns.stop - columns.start), np.inf, np.float32)
        first, second = self._starts(a, blend, rows), self._starts(b, blend, columns)
        inside = displaced[: first.stop - first.start, : second.stop - second.start]
        if inside.size:
            source = self._prepared(a, blend, moving=True).cut(first)
            destination = self._prepared(b, blend, moving=self.velocity_of_both).cut(second)
            exact = np.empty(inside.shape, np.float32)
            finish(costs.map_blocks(source, destination, exact))
            inside[:] = exact
        return displaced

    def _starts(self, clip: int, blend: int, frames: slice) -> slice:
        """Return at which of some frames of a clip a blend may start: those behind which so much of it is
        left, all of a cyclic one.
        """
        strip = self.tracks[clip].strip
        count = strip.frames if strip.cyclic else strip.frames - blend + 1
        return slice(frames.start, max(frames.start, min(frames.stop, count)))

    def _prepared(self, clip: int, blend: int, *, moving: bool) -> PreparedClip:
        if (clip, blend, moving) not in self.kept:
            track = self.tracks[clip]
            seconds = self.half_life if self.method is Method.SPRING else blend / self.fps
            velocities = track.velocities if moving else np.zeros_like(track.velocities)
            prepared = costs.prepare(track.positions, velocities, self.weights, self.method, seconds)
            self.kept[clip, blend, moving] = prepared
        return self.kept[clip, blend, moving]
