# SPDX-License-Identifier: GPL-3.0-or-later
"""Walks that jump: with a bind pose at the origin before or behind them, or made of two takes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.blender import clips, stepper


def walk(armature: Any, name: str, late: float = 0.0, frames: int = 49, away: float = 3.0) -> Any:
    """A walk that begins so many metres away from the origin."""
    made = stepper.walk(armature, name, frames=frames, late=late)
    for curve in clips.all_curves(made):
        if curve.data_path.endswith("location") and curve.array_index == 0:
            move(curve, away)
    return made


def move(curve: Any, way: float, after: float = -np.inf) -> None:
    """Add to the keys of a curve that lie behind a frame."""
    for key in curve.keyframe_points:
        if key.co[0] > after:
            key.co[1] += way
    curve.update()


def add_bind_pose(made: Any, frame: float) -> None:
    """Key the rest pose, at the origin, at a frame."""
    for curve in clips.all_curves(made):
        is_real = curve.data_path.endswith("quaternion") and curve.array_index == 0
        key = curve.keyframe_points.insert(frame, 1.0 if is_real else 0.0)
        key.interpolation = "LINEAR"
        curve.update()


def join(made: Any, after: float, way: float = 2.0) -> None:
    """Have what comes behind a frame play elsewhere."""
    for curve in clips.all_curves(made):
        if curve.data_path.endswith("location") and curve.array_index == 0:
            move(curve, way, after)


def shift(made: Any, frames: float) -> None:
    """Have an action play so many frames later."""
    for curve in clips.all_curves(made):
        for key in curve.keyframe_points:
            key.co[0] += frames
        curve.update()
