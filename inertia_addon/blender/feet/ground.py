# SPDX-License-Identifier: GPL-3.0-or-later
"""What feet stand on: a plane, or a mesh object as it is at the current frame."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np
from mathutils import Vector

from ...errors import InertiaError
from ...motion.arrays import Array
from ...motion.feet.ground import GroundSurface
from ...settings.feet import Locking
from ..evaluation.character import Character

ABOVE = 0.5
"""Ground is sought from so many metres above a foot downwards, then upwards: below a roof, and on stairs."""


def from_settings(character: Character, asked: Locking) -> GroundSurface | None:
    """Return the ground that settings ask for; None if their ground is CLIP, the action's own.

    Its ``sample`` takes points (n, 3) and gives heights (n,) and normals (n, 3), see :func:`mesh`; its
    ``floor``, the height of the ground that an action was made on, is where the armature object stands now;
    all in world units. Raise InertiaError for OBJECT without a name, or with an object that is not in the
    scene in use, no mesh, hidden, or without faces.
    """
    if asked.ground == "CLIP":
        return None
    metre = 1.0 / character.metres
    if asked.ground == "PLANE":
        sample = plane(asked.ground_height * metre)
    else:
        sample = mesh(asked.ground_object, ABOVE * metre)
    return GroundSurface(sample, float(character.armature.matrix_world.translation.z))


def plane(height: float) -> Callable[[Array], tuple[Array, Array]]:
    """Return a function that samples a horizontal plane; see :class:`GroundSurface`."""

    def sample(points: Array) -> tuple[Array, Array]:
        return np.full(len(points), height), np.tile([0.0, 0.0, 1.0], (len(points), 1))

    return sample


def mesh(name: str, above: float) -> Callable[[Array], tuple[Array, Array]]:
    """Return a function that samples a mesh object of the scene in use, with its modifiers, as it is at the
    current frame.

    It takes points (n, 3), and returns heights (n,) and unit normals (n, 3) that point up; all in the world
    and its units. Where the object is neither below nor above, the height is NaN and the normal (0, 0, 1). It
    looks downwards from `above` world units over a point, then upwards. Raise InertiaError for no name, an
    object that is not in the scene or no mesh, and one that is hidden, has no faces or is scaled to nothing.
    """
    if not name:
        raise InertiaError("Choose the mesh object that feet stand on.")
    thing = bpy.context.scene.objects.get(name)
    if thing is None or thing.type != "MESH":
        raise InertiaError(
            'The scene has no mesh object "{name}" for feet to stand on; choose another ground.', name=name
        )
    depsgraph = bpy.context.evaluated_depsgraph_get()
    shown = thing.evaluated_get(depsgraph)
    # what is hidden from the viewport, or in an excluded collection, is not evaluated
    if not shown.is_evaluated or not len(shown.data.polygons) or not shown.matrix_world.determinant():
        raise InertiaError(
            '"{name}" is hidden or has no faces for feet to stand on; choose another ground.', name=name
        )
    world = shown.matrix_world.copy()
    local = world.inverted()
    normals_to_world = local.to_3x3().transposed()

    def cast(origin: Vector, direction: Vector) -> tuple[float, Vector] | None:
        hit, place, normal, _ = thing.ray_cast(
            local @ origin, (local.to_3x3() @ direction).normalized(), depsgraph=depsgraph
        )
        if not hit:
            return None
        normal = (normals_to_world @ normal).normalized()
        return (world @ place).z, normal if normal.z >= 0.0 else -normal

    def sample(points: Array) -> tuple[Array, Array]:
        heights = np.full(len(points), np.nan)
        normals = np.tile([0.0, 0.0, 1.0], (len(points), 1))
        for i, point in enumerate(points):
            begin = Vector(point.tolist()) + Vector((0.0, 0.0, above))
            hit = cast(begin, Vector((0.0, 0.0, -1.0))) or cast(begin, Vector((0.0, 0.0, 1.0)))
            if hit is not None:
                heights[i], normals[i] = hit
        return heights, normals

    return sample
