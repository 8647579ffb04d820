# SPDX-License-Identifier: GPL-3.0-or-later
"""What a character is to follow, by value: a curve object, an animated object, or a file of points."""

from __future__ import annotations

import csv
import dataclasses
import math
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ...errors import InertiaError
from ...motion.arrays import Array
from ...motion.matching import targets
from ...motion.matching.database import Database
from ...motion.matching.targets import Target, Untimed
from ...motion.skeleton import character
from ...settings.matching import PathSettings
from ...storage import places
from ..data import scene

MOVING = 0.3
"""Who is quicker than so many metres a second, for a person, moves."""
MOST_BYTES = 50_000_000
"""A file of points that is larger is none."""


@dataclasses.dataclass(frozen=True, eq=False)
class Course:
    """Where something goes over the ground: points (n, 2) in metres.

    times: (n,) seconds; None without a timing. facing: (n,) radians about the vertical; None where it is not
    turned by itself.
    """

    points: Array
    times: Array | None = None
    facing: Array | None = None


def course(settings: PathSettings) -> Course:
    """What is to be followed. Raises InertiaError where it is not there, or has no points."""
    if settings.points:
        return of_file(Path(settings.points))
    name = settings.curve or settings.target
    thing = bpy.data.objects.get(name)
    if settings.curve and (thing is None or thing.type != "CURVE"):
        raise InertiaError(
            'There is no curve "{name}" to follow; draw one, or name another.', name=settings.curve
        )
    if thing is None:
        raise InertiaError('There is no object "{name}" to follow; name one that is animated.', name=name)
    return of_curve(thing) if settings.curve else of_object(thing)


def of_curve(thing: Any) -> Course:
    """The first spline of a curve object, in the world; a cyclic one comes back to its beginning."""
    copied, shape = thing.copy(), thing.data.copy()
    try:
        copied.data = shape
        # a profile would make a surface of the line
        shape.bevel_depth = shape.extrude = 0.0
        shape.bevel_object = None
        shape.dimensions = "3D"
        if not len(shape.splines):
            raise InertiaError('The curve "{name}" is empty; draw it first.', name=thing.name)
        cyclic = bool(shape.splines[0].use_cyclic_u)
        for spline in list(shape.splines)[1:]:
            shape.splines.remove(spline)
        mesh = copied.to_mesh()
        places = np.empty(3 * len(mesh.vertices), np.float32)
        mesh.vertices.foreach_get("co", places)
        copied.to_mesh_clear()
    finally:
        bpy.data.objects.remove(copied)
        bpy.data.curves.remove(shape)
    points = places.reshape(-1, 3).astype(float)
    if cyclic and len(points):
        points = np.concatenate([points, points[:1]])
    bpy.context.view_layer.update()
    world = np.array(thing.matrix_world, float)
    return Course((points @ world[:3, :3].T + world[:3, 3])[:, :2] * scene.metres_per_unit())


def of_object(thing: Any) -> Course:
    """Where an object goes, and how it is turned, from its action's first frame to the last, or the
    scene's."""
    shown = bpy.context.scene
    action = thing.animation_data.action if thing.animation_data else None
    first, last = action.frame_range if action is not None else (shown.frame_start, shown.frame_end)
    frames = np.arange(math.ceil(first - 1e-3), math.floor(last + 1e-3) + 1)
    before = shown.frame_current, shown.frame_subframe
    places, turns = np.empty((len(frames), 3)), np.empty((len(frames), 4))
    try:
        for i, frame in enumerate(frames.tolist()):
            shown.frame_set(frame)
            world = thing.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world
            places[i] = world.translation
            turns[i] = world.to_quaternion()
    finally:
        shown.frame_set(before[0], subframe=before[1])
    headings = np.unwrap(character.headings(turns, character.upright([turns])))
    ground, seconds = places[:, :2] * scene.metres_per_unit(), (frames - first) / scene.fps()
    return Course(ground, seconds - seconds[:1].sum(), _ahead(ground, headings))


def _ahead(ground: Array, headings: Array) -> Array:
    """Headings that say where an object goes on average, whichever of its axes points there."""
    if len(ground) < 2:
        return headings
    moved = np.gradient(ground, axis=0)
    seen = ((moved[:, 0] + 1j * moved[:, 1]) * np.exp(-1j * headings)).sum()
    return headings + (float(np.angle(seen)) if abs(seen) > 1e-6 else 0.0)


def of_file(path: Path) -> Course:
    """The points of a .csv file: x and y in metres, or time in seconds, x and y. Raises InertiaError."""
    places.check_read(path, MOST_BYTES)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [row for row in csv.reader(file) if any(cell.strip() for cell in row)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InertiaError('"{file}" can\'t be read as a .csv file of points.', file=path.name) from error
    if rows and not _is_number(rows[0][0]):
        rows = rows[1:]
    try:
        values = np.array([[float(cell) for cell in row] for row in rows])
    except ValueError:
        values = np.empty((0, 0))
    if values.ndim != 2 or values.shape[1] not in (2, 3) or not np.isfinite(values).all():
        raise InertiaError(
            '"{file}" has no path: give two numbers a line, x and y in metres, or three, the time in '
            "seconds before them.",
            file=path.name,
        )
    if values.shape[1] == 2:
        return Course(values)
    if np.any(np.diff(values[:, 0]) <= 0.0):
        raise InertiaError('The times in "{file}" don\'t rise; sort its lines.', file=path.name)
    return Course(values[:, 1:], values[:, 0] - values[0, 0])


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def target(course: Course, settings: PathSettings, database: Database) -> Target:
    """What a search follows. Raises InertiaError for a course without a length, and one that jumps."""
    speed, fps, size = settings.speed, database.fps, database.size
    free = settings.facing == "FREE"
    if speed == "AUTO":
        speed = "CLIPS" if course.times is None else "TARGET"
    if speed == "TARGET":
        return timed(course, settings, fps, size, free)
    if settings.facing == "TARGET":
        raise InertiaError(
            "A path has no facing of its own but with the target's timing; let it be faced along, or be free."
        )
    line = targets.line(course.points, targets.STEP * size)
    if speed == "CONSTANT":
        return targets.at_speed(line, settings.constant_speed, fps, size, free)
    if settings.greedy:
        # a search that does not look ahead has to be told where to be
        return targets.at_speed(line, usual_speed(database), fps, size, free)
    return Untimed(line, fps, size, free, settings.ends == "STANDING", slow_pace(database))


def usual_speed(database: Database) -> float:
    """The speed that clips have most of while they move, metres a second."""
    return float(np.median(_moving(database)))


def slow_pace(database: Database) -> float:
    """The speed that a tenth of the frames are below in which clips move, metres a second."""
    return float(np.round(np.quantile(_moving(database), 0.1), 6))


def _moving(database: Database) -> Array:
    speeds = database.speeds
    least = min(MOVING * database.size, 0.5 * float(speeds.max()))
    return np.asarray(speeds[speeds > least])


def timed(course: Course, settings: PathSettings, fps: float, size: float, free: bool) -> Target:
    """A course that has a timing, as what a search follows, ``fps`` times a second; size: the character's.

    Raises InertiaError for a course without a timing or a length, and one that jumps.
    """
    if course.times is None:
        raise InertiaError(
            "The path has no timing; take the speed from the clips or a constant one, or add times to its "
            "points."
        )
    if settings.facing == "TARGET" and course.facing is None:
        raise InertiaError("What is followed is not turned by itself; let it be faced along, or be free.")
    times = np.arange(math.floor(course.times[-1] * fps + 1e-6) + 1) / fps
    points = np.stack([np.interp(times, course.times, course.points[:, i]) for i in range(2)], axis=1)
    facing = None
    if settings.facing == "TARGET" and course.facing is not None:
        facing = np.interp(times, course.times, course.facing)
    # a jump lies between two of its own points, however close those of the search are
    targets.timed(course.points, (len(course.times) - 1) / max(course.times[-1], 1e-9), size=size)
    return targets.timed(points, fps, facing, size, free)
