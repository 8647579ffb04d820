# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures a path that was baked, as the armature plays it."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator
from typing import Any

import numpy as np

from ...motion.arrays import Array
from ...motion.judging import changes
from ...motion.matching import warp
from ...motion.matching.database import SMOOTH_SECONDS, smooth
from ...motion.steps import part
from ..data import actions, clip_store, scene
from ..data.actions import Clip
from ..evaluation import joint_motion
from ..feet import marks
from .bake import PathReport
from .search import Found


@dataclasses.dataclass(frozen=True)
class PathQuality:
    """What a baked path is like.

    path_rms_m, path_max_m: how far from the path the root's point on the ground is, smoothed as the search
    has it. apart_rms_m: how far it is from where the search had it. velocity_change: the largest change of
    the joints' velocity at a cut, as a part of the largest within the clips. planted_speed_median: how fast
    feet move that the clips have on the ground, m/s; None where no legs are found.
    """

    path_rms_m: float
    path_max_m: float
    apart_rms_m: float
    velocity_change: float
    planted_speed_median: float | None


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
    change = yield from part(_change(armature, found, clip, report, fps), 0.3, 0.8)
    planted = yield from part(_planted(armature, found, clip, frames), 0.8, 1.0)
    return PathQuality(_rms(away), float(away.max()), _rms(apart), change, planted)


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
            highest = max(highest, float(changes.velocity_changes(own.positions, fps).max()))
    largest = 0.0
    for cut in report.cut_frames:
        around = cut + np.arange(-2.0, 3.0)
        seen = joint_motion.evaluate(armature, clip, around, stock.root).positions
        largest = max(largest, float(changes.velocity_changes(seen, fps).max()))
    return largest / highest if highest > 0.0 else 0.0


def _planted(armature: Any, found: Found, clip: Clip, frames: Array) -> Generator[float, None, float | None]:
    """The median speed of feet that the clips have on the ground."""
    stock = found.stock
    if stock.database.contacts is None:
        return None
    points = yield from marks.steps(armature, clip, [(leg.point, leg.offset) for leg in stock.legs], frames)
    speeds = np.linalg.norm(np.gradient(points, axis=0), axis=-1) * stock.database.fps
    planted = stock.database.contacts[found.way.flat]
    return float(np.median(speeds[planted])) if planted.any() else None
