# SPDX-License-Identifier: GPL-3.0-or-later
"""A plain biped that walks along -Y, its feet flat: each is planted for half of a second, exactly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from inertia_addon.motion import quaternion
from tests.blender import builders

Array = NDArray[np.float64]

FPS = 24.0
STRIDE = 0.6
"""How far a foot gets in a second, metres."""
THIGH, SHIN, ANKLE, BALL = 0.45, 0.42, 0.08, 0.12
HIPS = 0.9
BONES: dict[str, tuple[str, tuple[float, float, float], tuple[float, float, float]]] = {
    "hips": ("", (0.0, 0.0, 0.95), (0.0, 0.0, 1.1)),
    "chest": ("hips", (0.0, 0.0, 1.1), (0.0, 0.0, 1.5)),
    "head": ("chest", (0.0, 0.0, 1.5), (0.0, 0.0, 1.75)),
    **{
        name + side: (parent + (side if parent != "hips" else ""), (x, *begin), (x, *end))
        for side, x in ((".L", 0.1), (".R", -0.1))
        for name, parent, begin, end in (
            ("thigh", "hips", (0.0, ANKLE + SHIN + THIGH), (0.0, ANKLE + SHIN)),
            ("shin", "thigh", (0.0, ANKLE + SHIN), (0.0, ANKLE)),
            ("foot", "shin", (0.0, ANKLE), (-BALL, 0.02)),
            ("toe", "foot", (-BALL, 0.02), (-BALL - 0.07, 0.02)),
        )
    },
}


def biped(name: str = "Walker") -> Any:
    """The armature, at rest."""
    data = bpy.data.armatures.new(name)
    armature = bpy.data.objects.new(name, data)
    bpy.context.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for bone, (parent, head, tail) in BONES.items():
        made = data.edit_bones.new(bone)
        made.head, made.tail = head, tail
        if parent:
            made.parent = data.edit_bones[parent]
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.scene.render.fps = int(FPS)
    return armature


def ball_at(frames: Array, late: float) -> Array:
    """Where the ball of a foot is (n, 2), along -Y and up: planted from second ``late`` on, each second."""
    turn, part = np.divmod((frames - 1.0) / FPS - late, 1.0)
    u = np.clip((part - 0.5) / 0.5, 0.0, 1.0)
    smooth = u * u * u * (u * (6.0 * u - 15.0) + 10.0)
    return np.column_stack([STRIDE * (turn + late + smooth), 0.02 + 0.15 * 16.0 * (u * (1.0 - u)) ** 2])


def walk(armature: Any, name: str = "Walk", frames: int = 49, skate: float = 0.0, late: float = 0.0) -> Any:
    """An action of so many frames from 1 on, a key on each.

    skate: metres a second by which it skates on. late: by so many seconds the left foot lands after frame 1.
    """
    made = builders.action(name, slot=armature.name)
    at = np.arange(1.0, frames + 0.5)
    seconds = (at - 1.0) / FPS
    how = {"interpolation": "LINEAR", "slot": "OB" + armature.name}
    way = STRIDE * seconds - 0.25 * STRIDE - BALL
    rest = np.array(armature.data.bones["hips"].matrix_local.to_3x3())
    moved = np.column_stack([0.0 * at, -way - skate * seconds, HIPS - 0.95 + 0.0 * at]) @ rest
    builders.curves(
        made, builders.bone_path("hips", "location"), [*zip(at.tolist(), moved.tolist(), strict=True)], **how
    )
    for side, lands in ((".L", late), (".R", late + 0.5)):
        ball = ball_at(at, lands)
        hip = np.column_stack([way + BALL, np.full(len(at), HIPS - ANKLE + 0.02)])
        ankle = ball - hip
        far = np.linalg.norm(ankle, axis=1)
        knee = np.arccos(np.clip((THIGH**2 + far**2 - SHIN**2) / (2.0 * THIGH * far), -1.0, 1.0))
        thigh = np.arctan2(ankle[:, 0], -ankle[:, 1]) + knee
        end = np.column_stack([THIGH * np.sin(thigh), -THIGH * np.cos(thigh)])
        shin = np.arctan2(ankle[:, 0] - end[:, 0], end[:, 1] - ankle[:, 1])
        for bone, angle in (("thigh", thigh), ("shin", shin - thigh), ("foot", -shin)):
            # about X, from down towards -Y: all turns are about one axis, so that they add up
            axis = np.array(armature.data.bones[bone + side].matrix_local.to_3x3()).T @ (1.0, 0.0, 0.0)
            turns = quaternion.exp(-angle[:, None] * axis)
            path = builders.bone_path(bone + side, "rotation_quaternion")
            builders.curves(made, path, [*zip(at.tolist(), turns.tolist(), strict=True)], **how)
    return made


def save_walks(folder: Path) -> Path:
    """Return a new file of a biped with "Walk", whose feet stay put, and "Skating", whose feet skate at
    0.3 m/s. The open file is empty then.
    """
    armature = biped()
    walk(armature, "Walk", frames=55)
    walk(armature, "Skating", frames=55, skate=0.2)
    for action in bpy.data.actions:
        action.use_fake_user = True
    path = folder / "walks.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return path
