# SPDX-License-Identifier: GPL-3.0-or-later
"""Follows a path, or wishes, with a model in place of clips, and says how near to it that is."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError, Sentence
from ...motion.arrays import Array
from ...motion.learned import follow, judging, steered
from ...motion.learned.follow import FollowedPath
from ...motion.learned.model import Model
from ...motion.learned.steered import Steered, SteeredMoment
from ...motion.matching import apart, clip_sequence, goals, targets
from ...motion.matching.clip_sequence import Route
from ...motion.matching.engine import FPS
from ...motion.matching.goals import GoalGait
from ...motion.matching.targets import Timed
from ...motion.steering import session
from ...motion.steps import Steps
from ...records import record
from ...settings.matching import PathSettings
from ..data import scene
from ..matching import action_set, followed, search
from ..matching.followed import Course
from . import files


@record(frozen=True, eq=False)
class CrowdBefore:
    """Those of a crowd who go before: where each should go (n, 2), :data:`FPS` times a second, in metres, how
    far one keeps from them, and the results of those that are baked."""

    ways: tuple[Array, ...]
    distance: float
    results: tuple[Any, ...] = ()

    def past(self, aim: Timed) -> Timed:
        """Return a target that is led past the others, and may wait first and so last longer; itself where
        nothing has to change.

        How it faces relative to where it goes stays, and while it waits as at first.
        """
        ground, wait = apart.way_past(aim.ground, self.ways, self.distance, FPS)
        if ground is aim.ground:
            return aim
        # how it is turned from where it goes stays
        turned = aim.facing - targets.directions(aim.ground, FPS)
        facing = targets.directions(ground, FPS) + np.concatenate([np.repeat(turned[:1], wait), turned])
        return dataclasses.replace(aim, ground=ground, facing=facing)


@record(frozen=True, eq=False)
class LearnedPath:
    """A character along a path, as a model plays it: 60 frames a second. played: where it goes, warped as far
    as it shall be, and how it stands. file: of the model, "" where that is not known. beside: whom it was led
    past. moments: of a take."""

    model: Model
    settings: PathSettings
    target: Timed
    played: FollowedPath
    file: str = ""
    beside: CrowdBefore | None = None
    moments: Sequence[SteeredMoment] | None = None

    @property
    def warnings(self) -> tuple[Sentence, ...]:
        """Return sentences for the animator: those of :func:`warnings_of` on the model, then, for a path of
        wishes, one on the fastest wished speed if the model does not reach it; () if all is well.
        """
        if not self.settings.wishes:
            return warnings_of(self.model)
        wished = search.speeds_wished(self.settings, steered.gait_of(self.model), self.model.size)
        return (*warnings_of(self.model), *wished)


FOUND = Sentence(
    "The networks came without features.bin, which holds the offsets and scales of their features. Inertia "
    "estimated these from what the networks play, so it follows paths and wishes less exactly; add that "
    "file to the folder if you can."
)


def warnings_of(model: Model) -> tuple[Sentence, ...]:
    """Return sentences for the animator on what a model lacks; () for a model that lacks nothing.

    :data:`FOUND` comes first, if ``has_found_norms`` says that the scales of its features were missing and
    had to be estimated. A sentence on its ``usability`` follows, if that has been judged and found wanting.
    None is given for a model that was never judged.
    """
    said = [FOUND] if model.has_found_norms else []
    if model.usability is not None and not model.usability.is_usable:
        said += filter(None, [judging.describe(model)])
    return tuple(said)


def follow_course_steps(
    model: Model, settings: PathSettings, course: Course, file: str = "", beside: CrowdBefore | None = None
) -> Steps[LearnedPath]:
    """Have a model follow a course, or the wishes of the settings; yield the part that is done, 0 to 1;
    return a :class:`LearnedPath`, at 60 frames a second.

    Without wishes its ``target`` is that of :func:`wanted`, led past `beside`. ``played`` is where the
    character goes and how it stands, warped if ``settings.warp`` is on. ``moments`` is None.

    With wishes the model is steered from the course's first place and facing. ``moments`` has what was
    steered, and ``played`` is never warped. `beside` is ignored, and ``beside`` of the result is None.

    file: where the model is kept, for errors; "" if unknown. beside: whom the character is led past; None for
    nobody.

    Raise InertiaError for settings with another ground than CLIP or with moves, for the method dead blending,
    and for a network that is not trained; without wishes also as :func:`wanted` does, and, after the
    character has been led along, for obstacles that are gone where the way is warped.
    """
    if settings.wishes:
        led, asked = make_steering(model, settings, file), session.Wishes.of(settings.wished, FPS)
        with files.name_file_in_errors(file):
            moments = yield from session.steps(led, asked, *course.start)
        return taken(settings, led, moments, file)
    aim = wanted(model, settings, course)
    if beside is not None:
        aim = beside.past(aim)
    (learned,) = yield from together(model, [(settings, aim)], file)
    return dataclasses.replace(learned, beside=beside)


def wanted(model: Model, settings: PathSettings, course: Course) -> Timed:
    """Return what a model follows on a course as a target (Timed), 60 frames a second: ``ground`` (n, 2),
    where to be in metres, and ``facing`` (n,), which way to face in radians.

    With goals the timing is theirs, at the model's gait or, with speed CONSTANT, at the constant speed of the
    settings. Else speed TARGET takes the course's own timing, CLIPS the model's usual pace, and CONSTANT the
    settings' constant speed; AUTO is TARGET for a course with times, else CLIPS.

    The facing is the course's own if it has one and the settings ask for facing TARGET, or have goals; else
    the direction of the way. With facing FREE it is the same, but the target's ``free`` is True.

    Raise InertiaError for settings with another ground than CLIP or with moves, for a course without a length
    or without the timing or facing that is asked for, facing TARGET without a timing included, for one that
    takes longer than an hour or jumps, and for goals that can't be met.
    """
    _check(settings)
    free = settings.facing == "FREE"
    speed = "TARGET" if settings.goals else settings.speed
    course = followed.in_time(course, settings, GoalGait(model.pace))
    if speed == "AUTO":
        speed = "CLIPS" if course.times is None else "TARGET"
    if speed == "TARGET":
        target = followed.timed(course, settings, FPS, model.size, free=free)
        assert isinstance(target, Timed)
        return target
    pace = settings.constant_speed if speed == "CONSTANT" else model.pace
    line = followed.untimed(course, settings, model.size, pace)
    return targets.at_speed(line, pace, FPS, model.size, free=free)


def _check(settings: PathSettings) -> None:
    """Raise InertiaError for settings that only clips can do: another ground than CLIP, and moves."""
    if settings.ground != "CLIP":
        raise InertiaError(
            "A model's feet can only stand on the floor of its clips; leave the ground as it is, and lock "
            "the feet of the result on another ground."
        )
    if settings.moved:
        raise InertiaError(
            'A model plays no moves; leave "{move}" out, or steer with the clips.', move=settings.moved[0]
        )


def make_steering(model: Model, settings: PathSettings, file: str = "") -> Steered:
    """Return what steers a character with a model. file: the model's, for errors; "" if unknown. Raise
    InertiaError as :func:`follow_course_steps` does.
    """
    _check(settings)
    with files.name_file_in_errors(file):
        return Steered(model, *_choose_decay(settings), answer=settings.steer)


def _choose_decay(settings: PathSettings) -> tuple[Any, float]:
    """Return (the decay, seconds) of joins, see :func:`action_set.choose_decay`, in the scene in use."""
    return action_set.choose_decay(settings, scene.fps())


def taken(
    settings: PathSettings, led: Steered, moments: Sequence[SteeredMoment], file: str = ""
) -> LearnedPath:
    """Return what was steered, as a path. led: what has steered it. moments: all of it, in order. file: the
    model's; "" if unknown.
    """
    played, aim = steered.take(led, moments)
    return LearnedPath(led.model, settings, aim, played, file, moments=moments)


def together(
    model: Model, asked: Sequence[tuple[PathSettings, Timed]], file: str = ""
) -> Steps[list[LearnedPath]]:
    """Have many characters follow one target each, all with one model, and all with the joins that the first
    one's settings name; return their paths in order; yields the part that is done.

    asked: (settings, target) of each, at least one, else IndexError. Each is warped as its own settings say.
    file: where the model is kept, for errors; "" if unknown. Raise InertiaError for a network that is not
    trained, for dead blending, and for obstacles that are gone.
    """
    decay, seconds = _choose_decay(asked[0][0])
    with files.name_file_in_errors(file):
        everyone = yield from follow.steps(model, [aim for _, aim in asked], decay, seconds)
    return [
        LearnedPath(model, settings, aim, _warped(settings, aim, played), file)
        for (settings, aim), played in zip(asked, everyone, strict=True)
    ]


def _warped(settings: PathSettings, aim: Timed, played: FollowedPath) -> FollowedPath:
    """Return the way that a character goes as settings ask for it: as it is if ``settings.warp`` is off, else
    brought nearer to its target and its goals, and away from obstacles.

    Only ``ground`` and ``heading`` are changed. Raise InertiaError for obstacles that are gone.
    """
    if not settings.warp:
        return played
    ground, heading = played.ground, played.heading
    way = Route((), 0.0, np.zeros(len(ground), np.int64), ground, heading)
    moved = clip_sequence.warp_towards(way, aim, FPS, goals=goals.frames(settings.aimed, FPS))
    moved = search.keep_away(moved, ground, settings, FPS)
    return dataclasses.replace(played, ground=ground + moved.shift, heading=heading + moved.turn)


def figures(learned: LearnedPath) -> dict[str, Any]:
    """Return how closely a path is followed, as a dict of JSON values.

    ``path_rms_m`` and ``path_max_m`` are the distances between character and target, frame by frame, in
    metres. ``heading_deg`` is the mean angle, 0 to 180, from where to face; None if the target is free.
    ``seconds`` is the target's frames divided by 60. ``cuts`` counts the frames at which the character was
    projected; ``cuts_per_second`` divides them by ``seconds``.

    If the settings have goals there is also ``goals``, a list of {"place", "seconds", "off_m", "aside_deg"}:
    place and time as asked, metres away from the target then, and the angle from where to face then, 0 to 180
    degrees, free or not. While the target moves that angle is smoothed by a Gaussian with a standard
    deviation of 0.25 s. Goals past the last frame are left out of the list.
    """
    played, aim = learned.played, learned.target
    away = np.linalg.norm(played.ground - aim.ground, axis=1)
    aside = np.abs(targets.wrapped(played.heading - aim.facing))
    at_goals = clip_sequence.turned_aside(aim.ground, aim.facing, played.heading, FPS)
    seconds = aim.frames / FPS
    return {
        **followed.goal_errors(learned.settings, FPS, away, at_goals),
        "path_rms_m": float(np.sqrt(np.mean(away**2))),
        "path_max_m": float(away.max()),
        "heading_deg": None if aim.free else float(np.degrees(aside.mean())),
        "seconds": seconds,
        "cuts": len(played.projected),
        "cuts_per_second": len(played.projected) / seconds,
    }
