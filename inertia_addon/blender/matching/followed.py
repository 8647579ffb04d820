# SPDX-License-Identifier: GPL-3.0-or-later
"""What a character is to follow, by value: a curve object, an animated object, or a file of points."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ...errors import InertiaError, Sentence
from ...motion.arrays import Array
from ...motion.matching import detours, points, targets
from ...motion.matching.database import Database
from ...motion.matching.goals import GoalGait, on_line, timing
from ...motion.matching.targets import STILL, GroundLine, Target, Untimed
from ...motion.skeleton import character_space
from ...records import record
from ...settings.matching import Goal, PathSettings
from ...storage import places
from ..data import scene
from . import surroundings

MOVING = 0.3
"""Who is quicker than so many metres a second, for a person, moves."""
TIMES_A_SECOND = 60.0
"""How often it is told where to be on the way to goals."""
LONGEST_SECONDS = 3600.0
"""No path takes longer: a search would take days."""
FARTHEST = 1e6
"""No path goes further from the origin, in metres: what is there shakes, as Blender has few digits left."""


@record(frozen=True)
class CourseSource:
    """What a course was taken from, for sentences about it: a file, or an object with its scale."""

    name: str
    is_file: bool = False
    scale: tuple[float, ...] = ()

    @property
    def mend_length(self) -> str:
        """Return a part of a sentence (Sentence), without a full stop, that says what to do where the course
        is too long or too far away.

        For a file it is "if they are not in metres, say in what with --points-unit, such as mm". For a curve
        or object it names the scale along x, y and z, to four digits, even where that is 1: "its scale is 1 x
        1 x 1: scale it down, or move it nearer".
        """
        if self.is_file:
            return Sentence("if they are not in metres, say in what with --points-unit, such as mm")
        scale = " x ".join(f"{part:.4g}" for part in self.scale)
        return Sentence("its scale is {scale}: scale it down, or move it nearer", scale=scale)

    @property
    def mend_time(self) -> str:
        """What to do where it takes too long."""
        if self.is_file:
            return Sentence("if its times are not in seconds, say in what with --points-time, such as ms")
        return Sentence("take a shorter stretch of it")


@record(frozen=True, eq=False)
class Course:
    """Where something goes over the ground: points (n, 2) in metres.

    times: (n,) seconds; None without a timing. facing: (n,) radians about the vertical; None where it is not
    turned by itself. source: what it is said to be. goals: where to be in time on one without a timing."""

    points: Array
    times: Array | None = None
    facing: Array | None = None
    source: CourseSource = CourseSource("")
    goals: tuple[Goal, ...] = ()

    @property
    def length(self) -> float:
        """Metres from each point to the next, in all."""
        return float(np.linalg.norm(np.diff(self.points, axis=0), axis=1).sum())

    @property
    def start(self) -> tuple[Array, float]:
        """Where a take begins (2,), metres, and its heading, radians."""
        assert self.facing is not None
        return self.points[0], float(self.facing[0])


def course(settings: PathSettings) -> Course:
    """Return what is to be followed as a :class:`Course`: points (n, 2) on the ground in metres, their times
    in seconds and facings in radians (each None where there are none), led around the obstacles, with the
    goals of the settings.

    A curve, an animated object or a file of points is read; wishes give the start alone, one point with a
    facing. Raise InertiaError if it is not there, has no points, reaches further than 1000 km from the origin
    or no finite place, has a timing of its own besides goals, or takes too long, and for obstacles that are
    not there.
    """
    course = _course(settings)
    far = np.abs(course.points).max(initial=0.0)
    # of an object that is not a number anywhere, this is not, either
    if not far <= FARTHEST:
        raise InertiaError(
            '"{name}" reaches {far:.3g} m from the origin, beyond the limit of {most:.0f} km; {mend}.',
            name=course.source.name,
            far=float(far),
            most=FARTHEST / 1000.0,
            mend=course.source.mend_length,
        )
    if settings.goals and course.times is not None:
        raise InertiaError(
            '"{name}" has a timing of its own, which goals would contradict; remove the goals, or follow a '
            "curve.",
            name=course.source.name,
        )
    if settings.obstacles and len(course.points) > 1:
        walls = surroundings.obstacles(settings.obstacles)
        points, at = detours.around(course.points, walls, settings.keep_away)
        indices = np.arange(len(course.points))
        times, facing = (
            None if each is None else np.interp(at, indices, each) for each in (course.times, course.facing)
        )
        course = dataclasses.replace(course, points=points, times=times, facing=facing)
    return dataclasses.replace(course, goals=settings.aimed)


def in_time(course: Course, settings: PathSettings, gait: GoalGait) -> Course:
    """Return a course with a timing by which it is at its goals in time, at a character's gait, or, with
    speed CONSTANT, at the settings' constant speed; as it is without goals, or with a single point.

    ``times``, ``points`` and ``facing`` are filled in, 60 times a second; the goals are taken out. Raise
    InertiaError for goals that can't be met, or that are later than an hour.
    """
    if not course.goals or len(course.points) < 2:
        return course
    _check_time(max(goal.seconds for goal in course.goals), course.source)
    pace = settings.constant_speed if settings.speed == "CONSTANT" else None
    timed = timing(course.goals, course.points, TIMES_A_SECOND, gait, pace)
    ground = on_line(course.points, timed.places)
    return dataclasses.replace(course, points=ground, times=timed.seconds, facing=timed.facing, goals=())


def _course(settings: PathSettings) -> Course:
    if settings.wishes:
        # where it goes shows when it is steered
        x, y, facing = settings.start
        return Course(np.array([[x, y]]), facing=np.radians([facing]))
    if settings.points:
        return of_file(settings)
    name = settings.curve or settings.target
    thing = bpy.data.objects.get(name)
    if settings.curve and (thing is None or thing.type != "CURVE"):
        raise InertiaError('There is no curve "{name}" to follow; draw one, or name another.', name=name)
    if thing is None:
        raise InertiaError('There is no object "{name}" to follow; name one that is animated.', name=name)
    return find_course_of_curve(thing) if settings.curve else find_course_of_object(thing)


def find_course_of_curve(obj: Any) -> Course:
    """Return the first spline of a curve object as a :class:`Course`: points (n, 2) on the ground, in the
    world, in metres, without times and facings.

    Its points are those that Blender makes of it, without modifiers, bevels and profiles; further splines are
    left out. A cyclic one ends where it begins. The view layer is updated; else the file is left as it was.
    Raise InertiaError for a curve without splines.
    """
    copied, shape = obj.copy(), obj.data.copy()
    try:
        copied.data = shape
        # a profile would make a surface of the line
        shape.bevel_depth = shape.extrude = 0.0
        shape.bevel_object = None
        shape.dimensions = "3D"
        if not len(shape.splines):
            raise InertiaError('The curve "{name}" is empty; draw it first.', name=obj.name)
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
    drawn = places.reshape(-1, 3).astype(float)
    if cyclic and len(drawn):
        drawn = np.concatenate([drawn, drawn[:1]])
    bpy.context.view_layer.update()
    world = np.array(obj.matrix_world, float)
    ground = (drawn @ world[:3, :3].T + world[:3, 3])[:, :2] * scene.metres_per_unit()
    return Course(ground, source=_source(obj))


def _source(obj: Any) -> CourseSource:
    return CourseSource(obj.name, scale=tuple(obj.matrix_world.to_scale()))


def find_course_of_object(obj: Any) -> Course:
    """Return where an object goes as a :class:`Course`, on its action's whole frames, or on the scene's if it
    has no action.

    ``points`` (n, 2) are on the ground, in metres; ``times`` are seconds from the first of these frames;
    ``facing`` is in radians, unwrapped: the way that it goes on average, turned as the object turns,
    whichever of its axes points there. Each frame is shown, and in the end the present one again. Raise
    InertiaError for what takes longer than an hour.
    """
    shown, fps = bpy.context.scene, scene.fps()
    action = obj.animation_data.action if obj.animation_data else None
    first, last = action.frame_range if action is not None else (shown.frame_start, shown.frame_end)
    # before each of its frames is looked at
    _check_time((last - first) / fps, _source(obj))
    frames = np.arange(math.ceil(first - 1e-3), math.floor(last + 1e-3) + 1)
    before = shown.frame_current, shown.frame_subframe
    places, turns = np.empty((len(frames), 3)), np.empty((len(frames), 4))
    try:
        with scene.ignore_stretching(shown):
            for i, frame in enumerate(frames.tolist()):
                shown.frame_set(frame)
                world = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world
                places[i] = world.translation
                turns[i] = world.to_quaternion()
    finally:
        shown.frame_set(before[0], subframe=before[1])
    headings = np.unwrap(character_space.headings(turns, character_space.upright([turns])))
    ground, seconds = places[:, :2] * scene.metres_per_unit(), (frames - first) / fps
    if len(ground) > 1:  # they say where it goes on average, whichever of its axes points there
        moved = np.gradient(ground, axis=0)
        seen = ((moved[:, 0] + 1j * moved[:, 1]) * np.exp(-1j * headings)).sum()
        headings = headings + (float(np.angle(seen)) if abs(seen) > 1e-6 else 0.0)
    return Course(ground, seconds - seconds[:1].sum(), headings, _source(obj))


def of_file(settings: PathSettings) -> Course:
    """Return the course of a file of points, in metres and seconds from its first time, with unwrapped
    facings in radians; times and facings are None if the file has none.

    The units are those that the settings say; times in frames count by the scene's rate. Raise InertiaError
    for a file that can't be read, is too large, holds fewer than two points, anything but numbers or unknown
    columns, or whose times do not rise.
    """
    path = Path(settings.points)
    places.check_read(path, points.MOST_BYTES)
    read = points.read(path)
    times = read.times
    if times is not None:
        times = (times - times[0]) * (settings.seconds or scene.to_seconds(1.0))
    facing = None if read.headings is None else np.unwrap(np.radians(read.headings))
    return Course(read.ground * settings.metres, times, facing, CourseSource(path.name, is_file=True))


def target(course: Course, settings: PathSettings, database: Database) -> Target:
    """Return what a search follows: with speed TARGET or CONSTANT, goals or a greedy search where to be on
    each frame (Timed), else a line (Untimed).

    Speed AUTO takes the course's own timing if it has one, else the clips'; goals give one. A greedy search
    without a timing goes along the line at the clips' usual speed. Raise InertiaError for a course without a
    length, one that jumps or takes too long, goals that can't be met, and settings that need a timing or a
    facing that it has not.
    """
    speed, fps, size = "TARGET" if settings.goals else settings.speed, database.fps, database.size
    course = in_time(course, settings, gait(database))
    free = settings.facing == "FREE"
    if speed == "AUTO":
        speed = "CLIPS" if course.times is None else "TARGET"
    if speed == "TARGET":
        return timed(course, settings, fps, size, free=free)
    pace = settings.constant_speed if speed == "CONSTANT" else usual_speed(database)
    line = untimed(course, settings, size, pace)
    if speed == "CONSTANT" or settings.greedy:
        # a search that does not look ahead has to be told where to be
        return targets.at_speed(line, pace, fps, size, free=free)
    # nobody comes to stand by clips of which none does
    standing = settings.ends == "STANDING" and bool(database.speeds.min() < targets.SLOW * size)
    return Untimed(line, fps, size, free, standing, slow_pace(database))


def untimed(course: Course, settings: PathSettings, size: float, pace: float) -> GroundLine:
    """Return a course as a line on the ground, to be followed at a pace: points (n, 2), 0.02 m apart for a
    person, and the direction of the line at each, radians.

    size: the character's, as a part of a person's; the distance goes by it. pace: metres a second, which says
    how long it would take. Raise InertiaError if the settings ask for a facing of the path's own, if it would
    take longer than an hour, and for a course without a length.
    """
    if settings.facing == "TARGET":
        raise InertiaError(
            "A path has a facing of its own only with the target's timing; face along the path, or anywhere."
        )
    if course.length > LONGEST_SECONDS * pace:
        raise InertiaError(
            '"{name}" is {length:,.0f} m long, which takes {hours:.3g} h, longer than the limit of '
            "{most:.0f} h; {mend}.",
            name=course.source.name,
            length=course.length,
            hours=course.length / pace / 3600.0,
            most=LONGEST_SECONDS / 3600.0,
            mend=course.source.mend_length,
        )
    return targets.line(course.points, targets.STEP * size)


def _check_time(seconds: float, source: CourseSource) -> None:
    """Raise InertiaError for what takes longer than a path may, LONGEST_SECONDS. source: what it is called,
    and what to do about it.
    """
    if seconds > LONGEST_SECONDS:
        raise InertiaError(
            '"{name}" takes {hours:.3g} h, longer than the limit of {most:.0f} h; {mend}.',
            name=source.name,
            hours=seconds / 3600.0,
            most=LONGEST_SECONDS / 3600.0,
            mend=source.mend_time,
        )


def goal_errors(settings: PathSettings, fps: float, away: Array, aside: Array) -> dict[str, Any]:
    """Return how closely the goals of the settings are met, as JSON values: {"goals": [{"place", "seconds",
    "off_m", "aside_deg"}]}; {} without goals.

    place, seconds: metres along the path, and the time, as asked. off_m, aside_deg: how far away the
    character is then, and how far it faces aside, 0 to 180. fps: frames of the way a second. away: (n,)
    metres on each frame of the way. aside: (n,) radians, of either sign. Goals that the way doesn't last for
    are left out.
    """
    met = []
    for goal in settings.aimed:
        frame = round(goal.seconds * fps)
        if frame < len(away):
            off = {"off_m": float(away[frame]), "aside_deg": math.degrees(abs(float(aside[frame])))}
            met.append({"place": goal.at, "seconds": goal.seconds, **off})
    return {"goals": met} if settings.goals else {}


def usual_speed(database: Database) -> float:
    """Return the median speed of the clips while they move, metres a second."""
    return float(np.median(_select_speeds(database)))


def slow_pace(database: Database) -> float:
    """Return the speed below which a tenth of the moving frames of the clips are, metres a second."""
    return float(np.round(np.quantile(_select_speeds(database), 0.1), 6))


def gait(database: Database) -> GoalGait:
    """Measure how fast the clips go."""
    stands = bool(database.speeds.min() <= STILL * database.size)
    return GoalGait(usual_speed(database), slow_pace(database) if stands else 0.0)


def _select_speeds(database: Database) -> Array:
    speeds = database.speeds
    least = min(MOVING * database.size, 0.5 * float(speeds.max()))
    return np.asarray(speeds[speeds > least])


def timed(course: Course, settings: PathSettings, fps: float, size: float, *, free: bool) -> Target:
    """Return a course that has a timing as what a search follows (Timed): where to be (n, 2), metres, and
    which way to face (n,), radians, `fps` times a second from 0 s until the course's last time.

    size: the character's, as a part of a person's. free: whether it may face anywhere. The facing is the
    course's own only if the settings ask for it or have goals; else that of the way. Raise InertiaError for a
    course without a timing, a length or the facing that is asked for, one that takes longer than an hour, and
    one that jumps or is too fast.
    """
    if course.times is None:
        raise InertiaError(
            "The path has no timing; take the speed from the clips or a constant one, or add times to its "
            "points."
        )
    if settings.facing == "TARGET" and course.facing is None:
        raise InertiaError("The target has no facing of its own; face along the path, or anywhere.")
    seconds = float(course.times[-1])
    _check_time(seconds, course.source)
    if course.source.is_file and course.length > targets.JUMP_SPEED * size * seconds:
        raise InertiaError(
            'The points of "{name}" are {length:,.0f} m apart in all, {speed:,.0f} m/s, too fast for any '
            "character; {mend}.",
            name=course.source.name,
            length=course.length,
            speed=course.length / max(seconds, 1e-9),
            mend=course.source.mend_length,
        )
    times = np.arange(math.floor(seconds * fps + 1e-6) + 1) / fps
    ground = np.stack([np.interp(times, course.times, course.points[:, i]) for i in range(2)], axis=1)
    facing = None
    if course.facing is not None and (settings.facing == "TARGET" or settings.goals):
        facing = np.interp(times, course.times, course.facing)
    # a jump lies between two of its own points, however close those of the search are
    targets.timed(course.points, (len(course.times) - 1) / max(seconds, 1e-9), size=size)
    return targets.timed(ground, fps, facing, size, free=free)
