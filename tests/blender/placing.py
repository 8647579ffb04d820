# SPDX-License-Identifier: GPL-3.0-or-later
"""A rig elsewhere in the world, whose motion has to be what it was, moved, turned and scaled."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

Array = NDArray[np.float64]


def _put(thing: Any, at: tuple[float, float, float], turn: float, scale: float) -> Matrix:
    """Move an object on the ground, and give the scene the unit in which lengths stay what they were."""
    there = Matrix.Translation(at) @ Matrix.Rotation(turn, 4, "Z") @ Matrix.Scale(scale, 4)
    bpy.context.view_layer.update()
    thing.matrix_world = there @ thing.matrix_world
    bpy.context.scene.unit_settings.scale_length /= scale
    return there


def moved(armature: Any) -> Matrix:
    return _put(armature, (3.0, -2.0, 0.0), 2.0, 1.0)


def small(armature: Any) -> Matrix:
    return _put(armature, (0.03, 0.02, 0.0), -1.0, 0.01)


def large(armature: Any) -> Matrix:
    return _put(armature, (-100.0, 300.0, 0.0), 0.7, 100.0)


def parented(armature: Any) -> Matrix:
    """To an empty that is moved, turned and scaled; the object stays as it was, seen from there."""
    return _put(_held(armature), (1.0, 2.0, 0.0), 2.5, 0.5)


def held_askew(armature: Any) -> Matrix:
    """By a parent that lies on its side, is scaled, and has an inverse; in the world it stands as it did."""
    holder = _held(armature)
    askew = (
        Matrix.Translation((2.0, 1.0, -1.0)) @ Matrix.Rotation(1.2, 4, (1.0, 0.5, 0.2)) @ Matrix.Scale(3.0, 4)
    )
    stood = armature.matrix_world.copy()
    holder.matrix_world = askew
    armature.matrix_parent_inverse = Matrix.Translation((0.3, 0.0, 0.5))
    bpy.context.view_layer.update()
    armature.matrix_world = stood
    return Matrix()


def lying(armature: Any) -> Matrix:
    """As other programs' files come in: the object lies, and the rest pose stands within it."""
    turn = Matrix.Rotation(math.radians(90.0), 4, "X")
    armature.data.transform(turn.inverted())
    armature.matrix_world = armature.matrix_world @ turn
    return _put(armature, (0.5, 1.0, 0.0), -2.0, 1.0)


def _held(armature: Any) -> Any:
    holder = bpy.data.objects.new("Holder", None)
    bpy.context.collection.objects.link(holder)
    armature.parent = holder
    return holder


PLACES: dict[str, Callable[[Any], Matrix]] = {
    place.__name__: place for place in (moved, small, large, parented, held_askew, lying)
}
"""Where a rig is put; each returns by what that moves it in the world."""


def put(armature: Any, place: str) -> Array:
    """Put a rig somewhere; by what (4, 4) the world's motion is then another one."""
    there = PLACES[place](armature)
    bpy.context.view_layer.update()
    return np.array(there)


def assert_moved(there: Array, before: Array, after: Array, tolerance: float = 1e-4) -> None:
    """Bones (..., 4, 4) or points (..., 3) are where they were, moved; tolerance: before any scale."""
    back = np.linalg.inv(there)
    if after.shape[-2:] == (4, 4):
        seen = back @ after
        # the scale of axes is told, too
        np.testing.assert_allclose(seen, before, atol=tolerance)
    else:
        np.testing.assert_allclose(after @ back[:3, :3].T + back[:3, 3], before, atol=tolerance)
