# SPDX-License-Identifier: GPL-3.0-or-later
"""What the blends of a hop cost: distances of windows as point clouds, or displacements.

Both say how a blend of so many frames fares that starts at a frame of each of two clips, wherever these
stand and whichever way they face. A blend must end within both clips; those of cycles go on.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...records import record
from ..arrays import Array, Floats
from ..cost import costs, point_cloud
from ..cost.costs import Prepared
from ..cost.point_cloud import Windows
from ..decay.decay import Method
from ..steps import finish
from .recurrence import Strip


@record(frozen=True, eq=False)
class Track:
    """A clip's joints: positions and velocities (frames, joints, 3), metres and metres per second. cyclic:
    its last frame is the first of the next cycle."""

    positions: Array
    velocities: Array
    cyclic: bool = False

    @property
    def strip(self) -> Strip:
        """What a search needs to know of it. A cycle's last frame is its first, and no frame of its own."""
        count = len(self.positions)
        return Strip(count - 1, True) if self.cyclic and count > 1 else Strip(count)


class PointClouds:
    """Distances of the windows that begin with a blend and last as long, in square metres: the mean of the
    squares of the joints' distances, see :mod:`point_cloud`. tracks: in the world."""

    def __init__(self, tracks: Sequence[Track], weights: Array) -> None:
        self._tracks, self._weights = tracks, weights
        self._kept: dict[tuple[int, int], Windows] = {}

    def __call__(self, a: int, b: int, blend: int, rows: slice, columns: slice) -> Floats:
        """The distances (rows, columns) of a blend from some frames of one clip to some of another."""
        return point_cloud.distances(self._windows(a, blend).cut(rows), self._windows(b, blend).cut(columns))

    def _windows(self, clip: int, blend: int) -> Windows:
        if (clip, blend) not in self._kept:
            track = self._tracks[clip]
            self._kept[clip, blend] = point_cloud.prepare(track.positions, self._weights, blend, track.cyclic)
        return self._kept[clip, blend]


class Displacements:
    """Displacements of all joints, in metre seconds, see :mod:`cost`. tracks: in character space. half_life:
    of SPRING, seconds; the other curves last as long as the blend. velocity_of_both: whether offsets start
    with the difference of both velocities, or with the first clip's alone."""

    def __init__(
        self,
        tracks: Sequence[Track],
        weights: Array,
        method: Method,
        fps: float,
        half_life: float,
        velocity_of_both: bool = True,
    ) -> None:
        self._tracks, self._weights, self._method, self._fps = tracks, weights, method, fps
        self._half_life, self._both = half_life, velocity_of_both
        self._kept: dict[tuple[int, int, bool], Prepared] = {}

    def __call__(self, a: int, b: int, blend: int, rows: slice, columns: slice) -> Floats:
        """The displacements (rows, columns) of a blend from some frames of one clip to some of another."""
        displaced = np.full((rows.stop - rows.start, columns.stop - columns.start), np.inf, np.float32)
        first, second = (
            slice(span.start, max(span.start, min(span.stop, self._starts(clip, blend))))
            for span, clip in ((rows, a), (columns, b))
        )
        inside = displaced[: first.stop - first.start, : second.stop - second.start]
        if inside.size:
            sides = (
                self._prepared(a, blend, True).cut(first),
                self._prepared(b, blend, self._both).cut(second),
            )
            exact = np.empty(inside.shape, np.float32)
            finish(costs.map_blocks(*sides, exact))
            inside[:] = exact
        return displaced

    def _starts(self, clip: int, blend: int) -> int:
        """At how many frames of a clip a blend may start."""
        strip = self._tracks[clip].strip
        return strip.frames if strip.cyclic else strip.frames - blend + 1

    def _prepared(self, clip: int, blend: int, moving: bool) -> Prepared:
        if (clip, blend, moving) not in self._kept:
            track = self._tracks[clip]
            seconds = self._half_life if self._method is Method.SPRING else blend / self._fps
            velocities = track.velocities if moving else np.zeros_like(track.velocities)
            prepared = costs.prepare(track.positions, velocities, self._weights, self._method, seconds)
            self._kept[clip, blend, moving] = prepared
        return self._kept[clip, blend, moving]
