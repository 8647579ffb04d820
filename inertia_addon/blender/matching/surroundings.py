# SPDX-License-Identifier: GPL-3.0-or-later
"""What is around a path: the obstacles that it keeps away from, and the ground."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
from mathutils.geometry import convex_hull_2d

from ...errors import InertiaError
from ...motion.arrays import Array, smooth
from ...motion.feet.ground import GroundSurface
from ...motion.matching.detours import Outline
from ...motion.skeleton.posing import Rig
from ...settings.feet import Locking
from ...settings.matching import PathSettings
from ..data import recipe, scene
from ..evaluation.character import Character
from ..feet import ground

SHAPES = {"MESH", "CURVE", "SURFACE", "FONT", "META"}
"""The types of objects that have a shape; of all others the place alone counts."""


def obstacle_objects(name: str) -> list[Any]:
    """Return all objects, of any type, in a collection and in those within it, by name. Raise InertiaError if
    there is no such collection.
    """
    collection = bpy.data.collections.get(name)
    if collection is None:
        raise InertiaError('There is no collection "{name}" of obstacles; name another one.', name=name)
    return sorted(collection.all_objects, key=lambda thing: str(thing.name_full))


def obstacles(name: str) -> tuple[Outline, ...]:
    """Return the convex outlines on the ground of a collection's objects, sorted by name, each with its
    object's name and corners (n, 2) in metres, as Blender shows them now.

    Corners go anticlockwise, the first is not repeated; an object without a shape is a single point, its own
    place. Objects of collections within count. () for an empty collection. Raise InertiaError if there is no
    such collection.
    """
    outlines = []
    for thing in obstacle_objects(name):
        points = _project_from_above(thing) * scene.metres_per_unit()
        corners = points[convex_hull_2d(points.tolist())] if len(points) > 2 else points
        # they come clockwise or not, as Blender likes
        x, y = corners.T
        area = float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))
        outlines.append(Outline(thing.name, corners[::-1] if area < 0.0 else corners))
    return tuple(outlines)


def _project_from_above(obj: Any) -> Array:
    """Return the places (n, 2) of an object's vertices along the world's x and y, in world units, with its
    modifiers as Blender shows them now.

    They are rounded to six decimals, sorted by x, then y, and each comes once. An object that is no mesh,
    curve, surface, text or metaball, or has no vertices, gives its own place (1, 2), which is not rounded.
    Nothing is written.
    """
    world = np.array(obj.matrix_world, float)
    if obj.type not in SHAPES:
        return world[None, :2, 3]
    shown = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
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


def note_obstacles(result: Any, name: str) -> dict[str, str]:
    """Keep a collection in a result's custom property :data:`recipe.OBSTACLES`, a pointer that survives
    renaming; return its objects' names by the keys to keep them under, OBSTACLE and a number from 0, in the
    order of :func:`obstacle_objects`. The objects themselves are not kept here.

    name: of the collection; "" does nothing and returns {}. Raise KeyError for a collection that is gone.
    """
    if not name:
        return {}
    result[recipe.OBSTACLES] = bpy.data.collections[name]
    return {f"{recipe.OBSTACLE}{i}": thing.name for i, thing in enumerate(obstacle_objects(name))}


def nearest_obstacle(outlines: Sequence[Outline], ground: Array) -> float:
    """Return how near a way (n, 2), metres, comes to any outline, metres."""
    return min(float(outline.distances(ground).min()) for outline in outlines)


# --- the ground: how it rises and falls along a way

SECONDS = 0.2
"""The deviation of the Gaussian over time that smooths heights: a body takes stairs as a slope."""


def choose_locking(settings: PathSettings) -> Locking:
    """Return how feet are locked along a path, and on what ground."""
    ground = {name: getattr(settings, name) for name in ("ground", "ground_height", "ground_object")}
    return dataclasses.replace(Locking.of(settings.transition), **ground)


def rises(rig: Rig, *, carries: bool, settings: PathSettings, ground_path: Array, fps: float) -> Array | None:
    """Return how much higher than the clips' floor the ground is along a way (frames,), in metres; None for
    ground CLIP, the clips' own floor.

    The clips' floor is as high as the armature object stands. PLANE gives the same height everywhere. OBJECT
    gives the heights of a mesh, smoothed over time (Gaussian, 0.2 s). Of storeys and bridges that one counts
    which is first met downwards from 0.5 m above where the ground was last met, else the first upwards; the
    floor's height begins. Frames without ground below or above are interpolated between their neighbours;
    before the first and behind the last the height stays.

    carries: whether what carries the rig can take it along any way. ground_path: (frames, 2) metres, `fps` of
    them a second. Raise InertiaError as :func:`refuse_ground` does, and for a mesh that is nowhere below or
    above the way.
    """
    if settings.ground == "CLIP":
        return None
    refuse_ground(rig, carries=carries, settings=settings)
    metres = scene.metres_per_unit()
    floor = float(rig.world[2, 3])
    if settings.ground == "PLANE":
        return np.full(len(ground_path), settings.ground_height - floor * metres)
    sample = ground.mesh(settings.ground_object, ground.ABOVE / metres)
    heights, level = np.empty(len(ground_path)), floor
    for i, (x, y) in enumerate((ground_path / metres).tolist()):
        # from where the ground was last on, so that a bridge or a storey above is none
        (heights[i],), _ = sample(np.array([[x, y, level]]))
        level = heights[i] if np.isfinite(heights[i]) else level
    hits = np.flatnonzero(np.isfinite(heights))
    if not len(hits):
        raise InertiaError(
            'The path is nowhere above or below "{name}"; move one of them, or choose another ground.',
            name=settings.ground_object,
        )
    # beyond the ground's edge it goes on as high as there
    heights = np.interp(np.arange(len(ground_path)), hits, heights[hits])
    return np.asarray(smooth((heights - floor) * metres, SECONDS * fps))


def refuse_ground(rig: Rig, *, carries: bool, settings: PathSettings) -> None:
    """Raise InertiaError for a ground that no way leads over, before a way is searched; else return None.

    For CLIP nothing is refused. For PLANE and OBJECT it is a rig that can't be carried (carries: whether what
    carries it can take it along any way); for OBJECT also no object named, or one that is not in the scene,
    no mesh, hidden, or without faces.
    """
    if settings.ground == "CLIP":
        return
    if not carries:
        raise InertiaError(
            '"{armature}" is moved by constraints, so it can\'t be put on a ground object; follow the path '
            "without one, and lock the feet of the result on it.",
            armature=rig.name,
        )
    if settings.ground == "OBJECT":
        ground.mesh(settings.ground_object, ground.ABOVE)


def ground_below(
    character: Character, settings: Locking, heights: Array, risen: Array
) -> GroundSurface | None:
    """Return the ground that feet stand on (GroundSurface), in world units; None if the settings' ground is
    CLIP, the action's own.

    ``sample`` takes points (n, 3) of the world and returns heights (n,) and unit normals (n, 3). ``floor``,
    from which the height of feet is counted, is how high the armature object stands, raised by the lowest of
    `risen` less the lowest of `heights`; without plants it stays there.

    heights: (plants,) how high planted feet are where the clips have them; risen: (plants,) the same once the
    character is raised; both in metres. Raise InertiaError for a ground object that is not named, gone, no
    mesh, hidden, or without faces.
    """
    surface = ground.from_settings(character, settings)
    if surface is None or not heights.size:
        return surface
    metres = character.metres
    # feet are as high above their ground as they are above the clips' floor
    floor = surface.floor + (float(risen.min()) - float(heights.min())) / metres
    return GroundSurface(surface.sample, floor)
