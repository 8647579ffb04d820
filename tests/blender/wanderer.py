# SPDX-License-Identifier: GPL-3.0-or-later
"""A walking biped that stands, walks on, and turns: a small set of clips to follow paths with."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from inertia_addon.blender.data import compat
from inertia_addon.settings.matching import PathSettings, joined_by
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders, stepper

SPEED = 0.6
"""Metres a second."""
CLIPS = ("Stand", "Walk", "Bend", "Turn")


def turning(armature: Any, name: str, turn: float, frames: int = 61, speed: float = SPEED) -> Any:
    """A walk that turns to the left by so many radians a second; speed: metres a second, of the hips."""
    made = stepper.walk(armature, name, frames)
    for curve in [*_curves(made)]:
        if curve.data_path == builders.bone_path("hips", "location"):
            _remove(made, curve)
    at = np.arange(1.0, frames + 0.5)
    heading = turn * (at - 1.0) / stepper.FPS
    # it sets out along -Y
    ahead = -1j * np.exp(1j * heading)
    place = np.concatenate([[0.0], np.cumsum(0.5 * (ahead[1:] + ahead[:-1]))]) * speed / stepper.FPS
    rest = np.array(armature.data.bones["hips"].matrix_local.to_3x3())
    moved = np.column_stack([place.real, place.imag, 0.0 * at - 0.05]) @ rest
    axis = rest.T @ (0.0, 0.0, 1.0)
    turns = np.column_stack([np.cos(0.5 * heading), np.sin(0.5 * heading)[:, None] * axis])
    how: dict[str, Any] = {"interpolation": "LINEAR", "slot": "OB" + armature.name}
    for prop, values in (("location", moved), ("rotation_quaternion", turns)):
        keys = [*zip(at.tolist(), values.tolist(), strict=True)]
        builders.curves(made, builders.bone_path("hips", prop), keys, **how)
    return made


def _curves(action: Any) -> list[Any]:
    return [curve for curves in bags(action) for curve in curves]


def bags(action: Any) -> list[Any]:
    """The F-curves of each slot of an action."""
    return [compat.curves(action, slot.identifier) for slot in compat.slots(action)]


def _remove(action: Any, curve: Any) -> None:
    for curves in bags(action):
        curves.remove(curve)


kept: Path | None = None
"""The folder where an otherwise empty file with the clips is kept, which is read in a quarter of the time."""


def with_clips(frames: int = 61) -> Any:
    """The armature with its clips, of so many frames, in a file of its own: one stands, one goes straight on,
    two turn to the left."""
    if kept is None:
        return _built(frames)
    file = kept / f"wanderer{frames}.blend"
    if not file.exists():
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        _built(frames)
        for action in bpy.data.actions:
            action.use_fake_user = True  # or else it is not saved
        # another process may be at the same
        own = file.with_suffix(f".{os.getpid()}.blend")
        bpy.ops.wm.save_as_mainfile(filepath=str(own), copy=True, compress=False)
        own.replace(file)
    bpy.ops.wm.read_homefile(filepath=str(file), load_ui=False)
    for action in bpy.data.actions:
        action.use_fake_user = False
    armature = bpy.data.objects["Walker"]
    bpy.context.view_layer.objects.active = armature
    return armature


def _built(frames: int) -> Any:
    armature = stepper.biped()
    for name, turn, speed in (
        ("Stand", 0.02, 0.02),
        ("Walk", 0.02, SPEED),
        ("Bend", 0.3, SPEED),
        ("Turn", 0.8, SPEED),
    ):
        made = turning(armature, name, turn, frames, speed)
        if name == "Stand":
            _stand_still(made)
    return armature


def _stand_still(action: Any) -> None:
    """Have the legs of an action stay as they are on its first frame: else it would walk in place."""
    for curve in _curves(action):
        if "hips" not in curve.data_path:
            co = np.empty(2 * len(curve.keyframe_points), np.float32)
            curve.keyframe_points.foreach_get("co", co)
            co[1::2] = co[1]
            curve.keyframe_points.foreach_set("co", co)
            curve.update()


def crowd(count: int = 2) -> list[Any]:
    """Copies of the armature, and what it and they are to follow: curves, and for the last one a ball that
    rolls for a second."""
    first = bpy.data.objects["Walker"]
    copies = [first.copy() for _ in range(count)]
    for i, one in enumerate([first, *copies]):
        if one is not first:
            bpy.context.collection.objects.link(one)
            one.animation_data_clear()
        if i < count:
            draw_curve(f"Way {i}", 0.3 + 0.3 * i)
    ball = bpy.data.objects.new("Ball", None)
    bpy.context.collection.objects.link(ball)
    for frame, y in ((1.0, 0.0), (1.0 + bpy.context.scene.render.fps, -SPEED)):
        ball.location.y = y
        ball.keyframe_insert("location", frame=frame)
    bpy.context.view_layer.update()
    return copies


def draw_curve(name: str, length: float) -> Any:
    """A straight curve along -Y from where the clips set out."""
    shape = bpy.data.curves.new(name, "CURVE")
    spline = shape.splines.new("POLY")
    spline.points.add(1)
    spline.points[1].co = (0.0, -length, 0.0, 1.0)
    made = bpy.data.objects.new(name, shape)
    bpy.context.collection.objects.link(made)
    bpy.context.view_layer.update()
    return made


def settings(**values: Any) -> PathSettings:
    """Settings with all clips and their mirror images."""
    return PathSettings(
        TransitionSettings(**joined_by({"assign": True, **values.pop("transition", {})})),
        **{"actions": CLIPS, "mirror": True, "width": 4, **values},
    )


def circle(seconds: float = 6.0, radius: float = 1.5, rate: float = 20.0) -> np.ndarray[Any, Any]:
    """Times and places (n, 3) on a circle to the left, at the clips' speed."""
    times = np.arange(round(seconds * rate) + 1) / rate
    angle = SPEED / radius * times
    return np.column_stack([times, radius * np.sin(angle), radius * (1.0 - np.cos(angle))])


def csv_of(path: Any, rows: Sequence[Sequence[float]] | np.ndarray[Any, Any], head: str = "time,x,y") -> Any:
    """A file of points."""
    lines = [head, *(",".join(f"{value:.5f}" for value in row) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path
