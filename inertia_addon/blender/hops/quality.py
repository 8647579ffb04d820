# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures a hop that was baked as a transition is measured: all of its blends together."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Generator, Iterator, Mapping
from typing import Any

from ...settings.hops import HopSettings
from ..cost import costing, quality
from ..cost.quality import Quality
from ..evaluation import joint_motion
from ..evaluation.joint_motion import Evaluate
from . import bake as hop_bake
from .bake import HopReport, Step
from .search import Stock


def measure(
    armature: Any,
    settings: HopSettings,
    report: HopReport,
    weights: Mapping[str, float],
    evaluate: Evaluate = joint_motion.whole,
) -> Generator[float, None, Quality]:
    """Measure a hop that was baked; yields the part that is done.

    The cost is the sum of the displacements of all blends, metre seconds; of all else it is the worst
    blend's. weights: by bone, of the cost.
    """
    stock = hop_bake.stock_of(armature, settings, report.way)
    found = yield from joint_motion.of_all(armature, stock.clips, stock.reference, evaluate)
    motions = dict(zip(stock.names, found, strict=True))
    parts: collections.Counter[str] = collections.Counter()
    for name, frame, step in _meetings(settings, report, stock):
        own = dataclasses.replace(settings.transition, blend_frames=step.blend)
        pair = (motions[name], motions[step.action])
        compared = costing.compare(own, stock.alignment, weights, pair, report.last.fps)
        parts.update(compared.by_bone(frame, step.entry))
    return quality.of(parts, report.verdicts)


def _meetings(settings: HopSettings, report: HopReport, stock: Stock) -> Iterator[tuple[str, float, Step]]:
    """Which clip is left at which of its own frames, for each blend."""
    name, frame = settings.transition.source, report.way.trigger
    time = frame
    for step in hop_bake.steps_of(settings, report.way, stock):
        yield name, frame + (step.cut - time), step
        name, frame, time = step.action, step.entry, step.cut
