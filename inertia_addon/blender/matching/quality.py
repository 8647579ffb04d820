# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures a path that was baked, as the armature plays it."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Iterable
from typing import Any

import numpy as np

from ...motion.arrays import Array
from ...motion.judging.evidence import velocity_changes
from ...motion.matching import warp
from ...motion.matching.database import SMOOTH_SECONDS
from ...motion.smoothing import smooth
from ...motion.steps import part
from ...records import record
from ..data import actions, clip_store, scene
from ..data.actions import Clip
from ..evaluation import joint_motion
from ..judging import verdict
from ..judging.verdict import Verdict
from . import judged, plays
from .bake import PathReport
from .search import Found


@record(frozen=True)
class PathQuality:
    """What a baked path is like.

    path_rms_m, path_max_m: how far from the path the root's point on the ground is, smoothed as the search
    has it. apart_rms_m: how far it is from where the search had it. velocity_change: the largest change of
    the joints' velocity at a cut, as a part of the largest within the clips. verdicts: on each join.
    """

    path_rms_m: float
    path_max_m: float
    apart_rms_m: float
    velocity_change: float
    verdicts: tuple[Verdict, ...]

    def figures(self) -> dict[str, float]:
        """All but the verdicts."""
        return {name: value for name, value in vars(self).items() if name != "verdicts"}

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON values, with the worst of the verdicts."""
        return {**self.figures(), "verdict": verdict.told(self.verdicts)["verdict"]}


def told(joins: Iterable[dict[str, Any]], verdicts: Iterable[Verdict]) -> list[dict[str, Any]]:
    """Joins as JSON values, each with the verdict on it."""
    return [{**join, "verdict": each.as_dict()} for join, each in zip(joins, verdicts, strict=True)]


def measuring(armature: Any, found: Found, report: PathReport) -> Generator[float, None, PathQuality]:
    """Measure a baked path; yields the part that is done, 0 to 1."""
    stock, fps = found.stock, scene.fps()
    clip = clip_store.read(armature, actions.find(report.result), report.slot)
    frames = report.frame_range[0] + np.arange(found.way.frames, dtype=float) * stock.step
    motion = yield from part(joint_motion.steps(armature, clip, frames, stock.root), 0.0, 0.3)
    ground = smooth(motion.root_position[:, :2], SMOOTH_SECONDS * stock.database.fps)
    way = dataclasses.replace(found.warped, ground=ground)
    away = np.linalg.norm(ground - warp.followed(way, found.target)[0], axis=1)
    apart = np.linalg.norm(ground - found.warped.ground, axis=1)
    change = yield from part(_change(armature, found, clip, report, fps), 0.3, 0.7)
    verdicts = yield from part(judging(armature, found, report), 0.7, 1.0)
    return PathQuality(_rms(away), float(away.max()), _rms(apart), change, verdicts)


def judging(armature: Any, found: Found, report: PathReport) -> Generator[float, None, tuple[Verdict, ...]]:
    """Judge the joins of a baked path; yields the part that is done, 0 to 1.

    Of a rig that Blender has to play it shows the windows of joins, and of the clips what is around these.
    """
    stock, clip = found.stock, clip_store.read(armature, actions.find(report.result), report.slot)
    return judged.of_joins(armature, found.settings, stock.clips, stock.root, plays.of(found), clip)


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2)))


def _change(
    armature: Any, found: Found, clip: Clip, report: PathReport, fps: float
) -> Generator[float, None, float]:
    """The largest change of joint velocity at a cut over the largest in the clips that are played."""
    stock = found.stock
    used = {stock.database.place(join.entered)[0].name for join in found.way.joins}
    highest = 0.0
    for i, name in enumerate(sorted(used)):
        own = yield from part(
            joint_motion.whole(armature, stock.clip(name), stock.root), i / len(used), (i + 1) / len(used)
        )
        if len(own.frames) > 2:
            highest = max(highest, float(velocity_changes(own.positions, fps).max()))
    largest = 0.0
    for cut in report.cut_frames:
        around = cut + np.arange(-2.0, 3.0)
        seen = joint_motion.evaluate(armature, clip, around, stock.root).positions
        largest = max(largest, float(velocity_changes(seen, fps).max()))
    return largest / highest if highest > 0.0 else 0.0
