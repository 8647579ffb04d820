# SPDX-License-Identifier: GPL-3.0-or-later
"""How well feet stay put: how far and how fast they skate, and how deep they sink."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...records import record
from ..arrays import Array
from ..judging import ground as grounds
from ..judging.evidence import Track
from .contacts import Span, medians, on_frames


@record(frozen=True)
class FootFigures:
    """What a foot does in a clip.

    foot: its bone. spans: in which it is planted. skate_m: how far it skates over the ground, as far as it is
    low on it, metres, see :func:`ground.skating`. skate_speed: how fast it does so on average, metres a
    second, over the time that it is low, weighted likewise. penetration_p95_m: how far it is below the ground
    that its plants tell of, metres: the 95th percentile over all frames. reach: the furthest that the ankle
    gets from the hip, as a part of the leg's length. None where it is never low or planted, or not known.
    """

    foot: str
    spans: tuple[Span, ...]
    skate_m: float
    skate_speed: float | None
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
    low: float,
    ground: Array | None = None,
    reach: float | None = None,
) -> FootFigures:
    """What a foot does.

    points: (n, 3) where the point is by which it stands, metres, Z up. frames: (n,) rising. spans: of the
    frames; of a cycle in all its repetitions. low: metres; a foot that is higher above its ground swings.
    ground: (2,) metres a second: how fast it passes; None where it stands. reach: see :class:`FootFigures`.
    """
    seen = np.array(points, float)
    if ground is not None:
        seen[:, :2] -= ((frames - frames[0]) / fps)[:, None] * ground
    track, still = Track(frames, seen[:, None]), np.zeros((len(frames), 2))
    stands = grounds.heights((track,), [0], frames, fps)
    way = float(grounds.skating(track, [0], still, stands, low, fps).sum())
    seconds = float(grounds.counts(track, [0], stands, low)[:, 0] @ np.diff(frames)) / fps
    deep = penetrations(seen[:, 2], frames, spans)
    return FootFigures(
        foot,
        tuple(spans),
        way,
        way / seconds if seconds > 0.0 else None,
        float(np.percentile(deep, 95.0)) if deep is not None else None,
        reach,
    )


def penetrations(heights: Array, frames: Array, spans: Sequence[Span]) -> Array | None:
    """How far a foot is below its ground at each frame (n,), in the unit of its heights (n,); None without.

    The ground is as high as the foot in the middle of each of its spans, and between two of them it is no
    higher than the lower one: what lies between nobody knows.
    """
    inside = on_frames(spans, frames)
    seen = [(span, run) for span, run in zip(spans, inside, strict=True) if run[0] <= run[1]]
    if not seen:
        return None
    levels = np.concatenate([[np.inf], medians(heights, [run for _, run in seen]), [np.inf]])
    before = levels[np.searchsorted([span.end for span, _ in seen], frames, "left")]
    after = levels[np.searchsorted([span.start for span, _ in seen], frames, "right") + 1]
    ground = np.minimum(before, after)
    for (_, (first, last)), level in zip(seen, levels[1:-1], strict=True):
        ground[first : last + 1] = level
    return np.asarray(np.maximum(ground - heights, 0.0))
