# SPDX-License-Identifier: GPL-3.0-or-later
"""How well feet stay put: how far and how fast they slide while planted, and how deep they sink."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arrays import Array
from .contacts import ON_FRAME, Span


@dataclasses.dataclass(frozen=True)
class FootFigures:
    """What a foot does in a clip.

    foot: its bone. spans: in which it is planted. slide_m: how far it goes over the ground within them, all
    together, metres. planted_speed_median, planted_speed_p95: how fast it does so, metres a second, over the
    steps from frame to frame: their median and 95th percentile. penetration_p95_m: how far it is below the
    ground that its plants tell of, metres: the 95th percentile over all frames. reach: the furthest that the
    ankle gets from the hip, as a part of the leg's length. None where it is never planted, or not known.
    """

    foot: str
    spans: tuple[Span, ...]
    slide_m: float
    planted_speed_median: float | None
    planted_speed_p95: float | None
    penetration_p95_m: float | None
    reach: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON values: spans as pairs of frames."""
        return {**vars(self), "spans": [[span.start, span.end] for span in self.spans]}


def of_foot(
    foot: str,
    points: Array,
    frames: Array,
    fps: float,
    spans: Sequence[Span],
    ground: Array | None = None,
    reach: float | None = None,
) -> FootFigures:
    """What a foot does.

    points: (n, 3) where the point is by which it stands, metres, Z up. frames: (n,) rising. spans: of the
    frames; of a cycle in all its repetitions. ground: (2,) metres a second: how fast it passes; None where it
    stands. For the others see :class:`FootFigures`.
    """
    seen = np.array(points, float)
    if ground is not None:
        seen[:, :2] -= ((frames - frames[0]) / fps)[:, None] * ground
    steps = np.linalg.norm(np.diff(seen[:, :2], axis=0), axis=1)
    planted = np.zeros(len(steps), bool)
    for span in spans:
        planted |= (frames[:-1] >= span.start - ON_FRAME) & (frames[1:] <= span.end + ON_FRAME)
    speeds = steps[planted] / np.diff(frames)[planted] * fps
    deep = penetrations(seen[:, 2], frames, spans)
    return FootFigures(
        foot,
        tuple(spans),
        float(steps[planted].sum()),
        float(np.median(speeds)) if len(speeds) else None,
        float(np.percentile(speeds, 95.0)) if len(speeds) else None,
        float(np.percentile(deep, 95.0)) if deep is not None else None,
        reach,
    )


def penetrations(heights: Array, frames: Array, spans: Sequence[Span]) -> Array | None:
    """How far a foot is below its ground at each frame (n,), in the unit of its heights (n,); None without.

    The ground is as high as the foot in the middle of each of its spans, and between two of them it is no
    higher than the lower one: what lies between nobody knows.
    """
    known = [
        (span, float(np.median(heights[inside])))
        for span in spans
        if (inside := (frames >= span.start - ON_FRAME) & (frames <= span.end + ON_FRAME)).any()
    ]
    if not known:
        return None
    ground = np.full(len(frames), np.inf)
    before, after = np.full(len(frames), np.inf), np.full(len(frames), np.inf)
    for span, height in known:
        ground[(frames >= span.start - ON_FRAME) & (frames <= span.end + ON_FRAME)] = height
        before[frames > span.end] = height
    for span, height in reversed(known):
        after[frames < span.start] = height
    ground = np.where(np.isinf(ground), np.minimum(before, after), ground)
    return np.asarray(np.maximum(ground - heights, 0.0))
