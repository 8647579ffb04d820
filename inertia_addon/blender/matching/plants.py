# SPDX-License-Identifier: GPL-3.0-or-later
"""When feet are planted along a path, and how they stand still then.

That is what the clips say, not what is baked, in which feet skate at the joins and by the warp. A foot that
stands on both sides of a join stays, or has none while it steps, see :mod:`motion.matching.stands`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...motion.arrays import Array, Flags
from ...motion.feet.contacts import Span, Spans
from ...motion.matching import stands
from ...motion.steps import finish
from ..data import clip_store
from ..data.stretches import Rewritten
from ..feet import bake, contacts, marks
from . import terrain
from .search import Found


def locked(armature: Any, found: Found, draft: Any) -> tuple[Rewritten, tuple[Spans, ...]]:
    """The curves of a path's draft with its feet locked, and when they stand still.

    Raises InertiaError for legs that can't be locked, and for a ground that can't be stood on.
    """
    clip = clip_store.read(armature, draft)
    stock, asked = found.stock, terrain.asked(found.settings)
    frames = found.settings.first_frame + np.arange(found.way.frames, dtype=float) * stock.step
    points = finish(marks.steps(armature, clip, [(leg.point, leg.offset) for leg in stock.legs], frames))
    known = contacts.of(armature, clip, stock.legs)
    base, joins = stock.database, [join.frame for join in found.way.joins]
    assert base.contacts is not None
    plants = spans(base.contacts[found.way.flat], joins, frames, points, known.lengths, base.fps)
    # a path is gone along once, even if its ends meet
    known = dataclasses.replace(known, spans=plants, ground=np.zeros(2), period=None)
    rises = np.zeros(len(frames)) if found.rises is None else found.rises
    heights = np.array(
        [
            [np.median(points[which, k, 2]), np.median(points[which, k, 2] - rises[which])]
            for k, each in enumerate(plants)
            for which in ((frames >= span.start) & (frames <= span.end) for span in each)
        ]
    ).reshape(-1, 2)
    below = terrain.below(armature, asked, heights[:, 1], heights[:, 0])
    made, _ = bake.locked(armature, clip, known, asked, below)
    return made, plants


def note(result: Any, found: Found, plants: tuple[Spans, ...]) -> None:
    """Keep with a result when its feet stand still, so that nobody has to find it out again."""
    names = [leg.name for leg in found.stock.legs]
    contacts.store(result, dict(zip(names, plants, strict=True)), contacts.HELD)


def spans(
    planted: Flags, joins: Sequence[int], frames: Array, points: Array, lengths: Array, fps: float
) -> tuple[Spans, ...]:
    """The plants of each foot.

    planted: (n, feet) whether the clips have them on the ground. joins: by index the frames (n,) at which
    others take over. points: (n, feet, 3), where they are before they are locked, and lengths: (feet,) of
    their legs, metres. fps: of these frames a second.
    """
    return tuple(
        tuple(
            Span(float(frames[first]), float(frames[last]))
            for first, last in stands.find(planted[:, k], joins, points[:, k], float(lengths[k]), fps)
        )
        for k in range(planted.shape[1])
    )
