# SPDX-License-Identifier: GPL-3.0-or-later
"""What a path keeps away from: the objects of a collection, seen from above."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
from mathutils.geometry import convex_hull_2d

from ...errors import InertiaError
from ...motion.arrays import Array
from ...motion.matching.detours import Outline
from ..data import recipe, scene

SHAPES = {"MESH", "CURVE", "SURFACE", "FONT", "META"}
"""The types of objects that have a shape; of all others the place alone counts."""


def objects_of(name: str) -> list[Any]:
    """The objects of a collection and of those within it, by name. Raises InertiaError."""
    collection = bpy.data.collections.get(name)
    if collection is None:
        raise InertiaError('There is no collection "{name}" of obstacles; name another one.', name=name)
    return sorted(collection.all_objects, key=lambda thing: str(thing.name_full))


def outlines(name: str) -> tuple[Outline, ...]:
    """The convex outlines of a collection's objects on the ground, as Blender shows them now.

    Raises InertiaError.
    """
    found = []
    for thing in objects_of(name):
        points = _seen_from_above(thing) * scene.metres_per_unit()
        # the corners come clockwise or not, as Blender likes
        corners = points[convex_hull_2d(points.tolist())] if len(points) > 2 else points
        found.append(Outline(thing.name, _counterclockwise(corners)))
    return tuple(found)


def _counterclockwise(corners: Array) -> Array:
    x, y = corners.T
    area = float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))
    return corners[::-1] if area < 0.0 else corners


def _seen_from_above(thing: Any) -> Array:
    """The places (n, 2) of an object's points in the world, from above; of one without a shape its own."""
    world = np.array(thing.matrix_world, float)
    if thing.type not in SHAPES:
        return world[None, :2, 3]
    shown = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = shown.to_mesh()
    try:
        places = np.empty(3 * len(mesh.vertices), np.float32)
        mesh.vertices.foreach_get("co", places)
    finally:
        shown.to_mesh_clear()
    points = places.reshape(-1, 3).astype(float)
    if not len(points):
        return world[None, :2, 3]
    seen = (points @ world[:3, :3].T + world[:3, 3])[:, :2]
    return np.unique(np.round(seen, 6), axis=0)


def noted(result: Any, name: str) -> dict[str, str]:
    """Keep a collection in a result, by a pointer that survives renaming; returns its objects' names by what
    they are to be kept under. name: "" for none."""
    if not name:
        return {}
    result[recipe.OBSTACLES] = bpy.data.collections[name]
    return {f"{recipe.OBSTACLE}{i}": thing.name for i, thing in enumerate(objects_of(name))}


def named_now(action: Any, name: str) -> str:
    """The present name of a collection that a result has kept, or the one that it had."""
    kept = action.get(recipe.OBSTACLES)
    return str(kept.name) if name and isinstance(kept, bpy.types.Collection) else name


def nearest(found: Sequence[Outline], ground: Array) -> float:
    """How near a way (n, 2), metres, comes to any outline, metres."""
    return min(float(outline.distances(ground).min()) for outline in found)
