# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures a hop that was baked as a transition is measured: all of its blends together."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Generator, Iterator, Mapping
from typing import Any

import numpy as np

from ...motion.arrays import Array
from ...settings.hops import HopSettings
from ..cost import costing
from ..cost.quality import Quality, across, worst_bone
from ..data import actions, clip_store
from ..evaluation import joint_motion
from ..evaluation.joint_motion import Evaluate, Motion
from ..transition.report import BakeReport
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

    The cost is the sum of the displacements of all blends, metre seconds; the pop is the largest at any cut,
    and the slide is added up over the windows of all blends. weights: by bone, of the cost.
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
    return Quality(*worst_bone(parts), *_play(armature, report, stock, found))


def _meetings(settings: HopSettings, report: HopReport, stock: Stock) -> Iterator[tuple[str, float, Step]]:
    """Which clip is left at which of its own frames, for each blend."""
    name, frame = settings.transition.source, report.way.trigger
    time = frame
    for step in hop_bake.steps_of(settings, report.way, stock):
        yield name, frame + (step.cut - time), step
        name, frame, time = step.action, step.entry, step.cut


def _play(
    armature: Any, report: HopReport, stock: Stock, motions: tuple[Motion, ...]
) -> tuple[float, float | None]:
    """The largest pop at any cut, m/s, and how far the foot that slides most does so, metres."""
    clip = clip_store.read(armature, actions.find(report.result), report.last.slot)

    def positions_at(frames: Array) -> Array:
        return joint_motion.evaluate(armature, clip, frames, stock.root).positions

    seen = [
        across(armature, window, clip.start, report.last.fps, positions_at, motions)
        for window in _windows(report.steps)
    ]
    feet = [slid for _, slid in seen if slid is not None]
    return max(pop for pop, _ in seen), float(np.sum(feet, axis=0).max()) if feet else None


def _windows(steps: tuple[BakeReport, ...]) -> Iterator[tuple[float, float]]:
    """The first and the last frame of each blend; what a spring has left when the next one begins is its."""
    cuts = [step.window[0] for step in steps]
    for step, after in zip(steps, [*cuts[1:], np.inf], strict=True):
        yield step.window[0], min(step.window[1], after)
