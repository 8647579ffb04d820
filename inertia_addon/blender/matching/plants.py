# SPDX-License-Identifier: GPL-3.0-or-later
"""When feet are planted along a path, and how they stand still then.

That is what the clips say, not what is baked, in which feet slide at the joins and by the warp. Where a join
moves a foot from one plant to another it has none: it is held when it has come to rest.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ...motion.arrays import Array, Flags
from ...motion.feet.contacts import Span, Spans
from ...motion.steps import finish
from ...settings.feet import Locking
from ..data import clip_store
from ..data.stretches import Rewritten
from ..feet import bake, contacts, marks
from .search import Found

RESTS = 0.6
"""A foot that a join moves from plant to plant rests below so many metres a second, for a person."""
LEAST_SECONDS = 0.08
"""A plant is no shorter."""


def locked(armature: Any, found: Found, draft: Any) -> tuple[Rewritten, tuple[Spans, ...]]:
    """The curves of a path's draft with its feet locked, and when they stand still.

    Raises InertiaError for legs that can't be locked.
    """
    clip = clip_store.read(armature, draft)
    stock, own = found.stock, found.settings.transition
    frames = found.settings.first_frame + np.arange(found.way.frames, dtype=float) * stock.step
    points = finish(marks.steps(armature, clip, [(leg.point, leg.offset) for leg in stock.legs], frames))
    known = contacts.of(armature, clip, stock.legs)
    spans = _spans(found, frames, points)
    known = dataclasses.replace(known, spans=spans, ground=np.zeros(2))
    made, _ = bake.locked(armature, clip, known, Locking.of(own))
    return made, spans


def note(result: Any, found: Found, spans: tuple[Spans, ...]) -> None:
    """Keep with a result when its feet stand still, so that nobody has to find it out again."""
    names = [leg.name for leg in found.stock.legs]
    contacts.store(result, dict(zip(names, spans, strict=True)))


def _spans(found: Found, frames: Array, points: Array) -> tuple[Spans, ...]:
    """The plants of each foot. points: (frames, feet, 3), where they are before they are locked."""
    base = found.stock.database
    assert base.contacts is not None
    speeds = np.linalg.norm(np.gradient(points, axis=0), axis=-1) * base.fps
    planted = base.contacts[found.way.flat] & (speeds < RESTS * base.size)
    least = max(2, round(LEAST_SECONDS * base.fps))
    return tuple(_runs(planted[:, k], frames, least) for k in range(planted.shape[1]))


def _runs(planted: Flags, frames: Array, least: int) -> Spans:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], planted, [False]])))
    pairs = zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
    return tuple(Span(float(frames[a]), float(frames[b - 1])) for a, b in pairs if b - a >= least)
