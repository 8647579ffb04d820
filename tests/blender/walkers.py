# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters in odd places, and clips in which they walk somewhere in the world."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
import numpy as np
from mathutils import Euler, Matrix, Vector

from tests.blender import builders

BONES = {"Root": None, "Hips": "Root", "Chest": "Hips", "Leg": "Hips"}


def plain(armature: Any) -> None:
    pass


def small(armature: Any) -> None:
    armature.scale = (0.01, 0.01, 0.01)


def large(armature: Any) -> None:
    armature.scale = (100.0, 100.0, 100.0)


def lying(armature: Any) -> None:
    armature.rotation_euler.x = np.radians(-90.0)
    armature.scale = (0.01, 0.01, 0.01)


def placed(armature: Any) -> None:
    armature.location = (3.0, -2.0, 1.0)
    armature.rotation_euler = (0.0, 0.0, 2.0)


def parented(armature: Any) -> None:
    holder = bpy.data.objects.new("Holder", None)
    bpy.context.collection.objects.link(holder)
    holder.location, holder.rotation_euler, holder.scale = (2.0, 1.0, -1.0), (0.3, 0.2, 1.0), (0.5, 0.5, 0.5)
    armature.parent = holder
    armature.matrix_parent_inverse = Matrix.LocRotScale(Vector((1, 0, 2)), Euler((0, 0.4, 0)), None)
    bpy.context.view_layer.update()


def with_deltas(armature: Any) -> None:
    armature.delta_location = (1.0, 2.0, 0.5)
    armature.delta_rotation_euler = (0.2, -0.1, 0.7)
    armature.delta_scale = (2.0, 2.0, 2.0)


def without_local_location(armature: Any) -> None:
    armature.rotation_euler.x = 0.6
    for bone in armature.data.bones:
        bone.use_local_location = False


PLACES: dict[str, Callable[[Any], None]] = {
    place.__name__: place
    for place in (plain, small, large, lying, placed, parented, with_deltas, without_local_location)
}


def character(place: str = "plain", mode: str = "QUATERNION", bones: Any = BONES) -> Any:
    armature = builders.rig(bones)
    for bone in armature.pose.bones:
        bone.rotation_mode = mode
    PLACES[place](armature)
    bpy.context.view_layer.update()
    return armature


def size_of(armature: Any) -> float:
    return float(armature.matrix_world.to_scale().x)


def path_at(frame: float, way: float, curl: float, size: float) -> Matrix:
    """Where a walker is: along a circle that begins in a direction, bobbing, leaning forwards."""
    heading = way + curl * frame
    x, y = 0.0, 0.0
    for step in np.arange(0.0, frame, 0.25):
        x += 0.025 * np.cos(way + curl * step)
        y += 0.025 * np.sin(way + curl * step)
    place = Vector((x, y, 0.1 * np.sin(0.5 * frame))) * size
    return Matrix.Translation(place) @ Euler((0.1, 0.15, heading)).to_matrix().to_4x4()


def walk(
    armature: Any, name: str, bone: str, way: float, curl: float, origin: tuple[float, float] = (0.0, 0.0)
) -> Any:
    """An action in which a bone, or the object itself (""), walks."""
    made = builders.action(name)
    size = size_of(armature)
    frames = range(1, 42, 2)
    rows: list[tuple[float, Matrix]] = []
    for frame in frames:
        world = Matrix.Translation((origin[0] * size, origin[1] * size, 0.0)) @ path_at(
            frame, way, curl, size
        )
        rows.append((frame, local(armature, bone, world)))
    key_matrices(made, armature, bone, rows)
    swing = builders.bone_path("Leg" if "Leg" in armature.pose.bones else "Chest", "rotation_quaternion")
    builders.curves(made, swing, [(f, (1.0, 0.3 * np.sin(0.4 * f + way), 0.0, 0.0)) for f in range(1, 42, 4)])
    return made


def stand(
    armature: Any, name: str, bone: str, place: tuple[float, float], heading: float = 0.0, sway: float = 0.05
) -> Any:
    """An action in which a bone, or the object itself (""), stays in a place and sways a little."""
    made = builders.action(name)
    size = size_of(armature)
    rows: list[tuple[float, Matrix]] = []
    for frame in range(1, 42, 2):
        at = Vector((place[0] + sway * np.sin(0.3 * frame), place[1], 0.0)) * size
        world = Matrix.Translation(at) @ Euler((0.1, 0.0, heading)).to_matrix().to_4x4()
        rows.append((frame, local(armature, bone, world)))
    key_matrices(made, armature, bone, rows)
    return made


def local(armature: Any, bone: str, world: Matrix) -> Matrix:
    """The channels' own transform that puts a bone, or the object, at a place in the world."""
    if not bone:
        # the object keeps its scale
        return world
    rest = armature.data.bones[bone]
    above = armature.matrix_world.normalized()
    above.translation = armature.matrix_world.translation
    frame = above @ rest.matrix_local.normalized()
    frame.translation = armature.matrix_world @ rest.head_local
    basis = frame.inverted() @ world
    basis.translation /= size_of(armature)
    if not rest.use_local_location:
        basis.translation = rest.matrix_local.to_3x3() @ basis.translation
    return basis


def key_matrices(made: Any, armature: Any, bone: str, rows: list[tuple[float, Matrix]]) -> None:
    holder = armature.pose.bones[bone] if bone else armature
    prefix = builders.bone_path(bone, "") if bone else ""
    mode = holder.rotation_mode
    prop = builders.ROTATIONS.get(mode, ("rotation_euler", 3))[0]
    builders.curves(made, prefix + "location", [(f, tuple(m.translation)) for f, m in rows])
    turns: list[tuple[float, tuple[float, ...]]] = []
    for frame, matrix in rows:
        q = matrix.to_quaternion()
        if mode == "QUATERNION":
            raw = np.array(q)
            if turns and np.dot(raw, turns[-1][1]) < 0:
                raw = -raw
        elif mode == "AXIS_ANGLE":
            axis, angle = q.to_axis_angle()
            raw = np.array([angle, *axis])
            if turns and np.dot(raw[1:], turns[-1][1][1:]) < 0:
                raw = -raw
        else:
            raw = np.array(q.to_euler(mode, Euler(turns[-1][1], mode)) if turns else q.to_euler(mode))
        turns.append((frame, tuple(raw)))
    builders.curves(made, prefix + prop, turns)
