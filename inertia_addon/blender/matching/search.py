# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches the way along a path, and says what it is like before anything is baked."""

from __future__ import annotations

import copy
import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError, Sentence
from ...motion.arrays import Array
from ...motion.matching import clip_sequence, coverage, goals, search
from ...motion.matching.clip_sequence import Route, Warp, as_baked
from ...motion.matching.coverage import Coverage
from ...motion.matching.database import ClipSource
from ...motion.matching.moves import STILL, Moves, SearchSettings
from ...motion.matching.targets import Target, Timed, Untimed
from ...motion.steering import fitted, session, steering
from ...motion.steering.steering import Moment, Steering
from ...motion.steps import Steps, part
from ...records import record
from ...settings.matching import PathSettings
from ..judging import verdict
from ..judging.verdict import Verdict
from . import action_set as stocks
from . import surroundings
from .action_set import Stock
from .followed import Course, goal_errors, target


@record(frozen=True, eq=False)
class PathPlan:
    """A way along a path.

    moves: what it was found by. warp: how its root is moved, on each of the way's frames. rises: (frames,)
    how much higher than the clips' floor the ground is there, metres; None for their own. warnings: sentences
    for the animator. moments: those of a take, None for a path.
    """

    stock: Stock
    settings: PathSettings
    target: Target
    way: Route
    moves: Moves
    warp: Warp
    coverage: Coverage | None
    warnings: tuple[str, ...]
    rises: Array | None = None
    moments: Sequence[Moment] | None = None

    @property
    def reasons(self) -> tuple[search.Reason, ...]:
        """Why each clip was chosen."""
        # a path is searched before it is warped, and a take while it is
        return search.reasons_of(self.moves, self.way, self.warp if self.settings.wishes else None)

    @property
    def warped(self) -> Route:
        """The way as it is baked."""
        return clip_sequence.warped(self.way, self.warp)

    @property
    def displacements(self) -> list[float]:
        """What each join displaces, metre seconds."""
        pairs = [(join.left, join.entered) for join in self.way.joins[1:]]
        return self.moves.displacements(*np.array(pairs).T).tolist() if pairs else []

    @property
    def entered(self) -> list[tuple[ClipSource, float]]:
        """What each join enters, the beginning included: a part of the set, and the frame of its clip."""
        return [self.stock.database.place(join.entered) for join in self.way.joins]

    @property
    def begins(self) -> tuple[float, ...]:
        """The scene frames at which clips begin."""
        return tuple(self.settings.first_frame + join.frame * self.stock.step for join in self.way.joins)

    # places on the path are metres along a line without a timing, else seconds

    @property
    def length(self) -> float:
        """The place where the path ends."""
        target = self.target
        return (target.frames - 1) / target.fps if isinstance(target, Timed) else target.line.length

    @property
    def gone(self) -> float:
        """Return how far along the path the way comes, as a place on it: metres along a line without a
        timing, seconds of a timed path.

        For a timed path, and for a way that arrives, it is where the path ends (:attr:`length`, in the same
        unit); else the progress of the way's last frame.
        """
        way, target = self.way, self.target
        if isinstance(target, Timed) or way.reached:
            return self.length
        frames = np.arange(way.frames)
        error = target.error(way.ground[None], way.heading[None], 0, frames, np.zeros(1))
        return float(error.progress[0, -1])

    @property
    def short(self) -> float:
        """How many metres before the path's end the way stops; 0 where it arrives."""
        return 0.0 if self.way.reached else self.length - self.gone

    @property
    def stop(self) -> Verdict | None:
        """Return the verdict on a way that stops before the path's end, at its last scene frame; None where
        it arrives.
        """
        if self.way.reached:
            return None
        last = self.settings.first_frame + (self.way.frames - 1) * self.stock.step
        return verdict.of_stop(self.short, last)

    @property
    def places(self) -> Array:
        """Where on the path each join is (joins,), the beginning included."""
        if isinstance(self.target, Timed):
            return np.array([join.frame for join in self.way.joins]) / self.target.fps
        return np.array([join.progress for join in self.way.joins])

    def at(self, distance: float) -> Array:
        """Return the point (2,) of the ground, in metres, at a place on the path: metres along it, or seconds
        if it is timed.

        Of a timed path the nearest of its frames is taken, of any other the place between its points. An end
        of the path stands for places beyond it.
        """
        target = self.target
        if isinstance(target, Timed):
            return np.asarray(target.ground[min(max(round(distance * target.fps), 0), target.frames - 1)])
        return np.asarray(target.line.at(np.array([distance]))[0][0])

    def nearest(self, point: Array) -> float:
        """Return the place on the path that is nearest to a point (2,) of the ground, metres: metres along
        it, or seconds if it is timed.

        Only the path's sampled points are looked at, and the first of equally near ones is taken.
        """
        target = self.target
        points = target.ground if isinstance(target, Timed) else target.line.points
        index = int(np.argmin(np.linalg.norm(points - point, axis=1)))
        return index / target.fps if isinstance(target, Timed) else index * target.line.step

    @property
    def errors(self) -> tuple[Array, Array]:
        """(Where the character should be on each frame (n, 2), how far from that the warped way is (n,)),
        metres.
        """
        wanted = clip_sequence.wanted(self.warped, self.target)[0]
        return wanted, np.linalg.norm(self.warped.ground - wanted, axis=1)

    @property
    def speeds(self) -> tuple[tuple[float, float] | None, tuple[tuple[float, float], ...]]:
        """The least and the greatest speed that the path asks for, None where it has no timing; and the
        ranges that the clips have, metres a second."""
        if self.coverage is not None:
            return self.coverage.asked, self.coverage.had
        return None, coverage.speeds_of(self.stock.database)


STRAYS = 1.0
"""A way costs so much a second beside its path where it strays: as if it were 10 cm away all the time."""


def search_path_steps(stock: Stock, settings: PathSettings, course: Course) -> Steps[PathPlan]:
    """Search the way along a course, or steer it by the settings' wishes; return the plan; yield the part
    that is done, 0 to 1.

    The :class:`PathPlan` has the way with its joins, the target, the warp that draws it there, and sentences
    (``warnings``). If the set's own clips stray from the course or don't arrive, it is searched again with
    straight clips bent, too, unless the search is greedy; that way is taken if it arrives, and costs less or
    the first one does not arrive. Nothing in the file changes. Raise InertiaError for a course that can't be
    followed as the settings ask (no length, timing or facing, too long, too fast, goals that can't be met), a
    ground or obstacles that are gone, a rig that can't be carried there or steered, pins and bans that leave
    nothing, features that never vary, and dead blending.
    """
    surroundings.refuse_ground(stock.rig, carries=stock.warps, settings=settings)
    if settings.wishes:
        return (yield from _steered(stock, settings, course))
    aim = target(course, settings, stock.database)
    moves, way = yield from part(_search_way(stock, settings, aim), 0.0, 0.5 if stock.bendable else 1.0)
    if stock.bendable and not settings.greedy and _is_astray(way, aim):
        # the bends of the set's own clips don't lead there: those that go straight on may
        bent = stock.bent(settings)
        others = yield from part(_search_way(bent, settings, aim), 0.5, 1.0)
        if others[1].reached and (not way.reached or others[1].cost < way.cost - 1e-9):
            stock, (moves, way) = bent, others
    how = how_of(settings, stock.fps)
    way = as_baked(stock.database, way, how.method, how.seconds)
    covered = coverage.compare(stock.database, aim) if isinstance(aim, Timed) else None
    amount = 1.0 if settings.warp and stock.warps else 0.0
    fps = stock.database.fps
    moved = clip_sequence.warp_towards(way, aim, fps, amount, goals.frames(settings.aimed, fps))
    if amount:
        moved = keep_away(moved, way.ground, settings, fps)
    return _completed(PathPlan(stock, settings, aim, way, moves, moved, covered, ()))


def _search_way(stock: Stock, settings: PathSettings, aim: Target) -> Steps[tuple[Moves, Route]]:
    """Return (the :class:`Moves`, which knows what may be done on the way along a target, the way that was
    found); yield the part that is done, 0 to 1.

    A greedy search needs a target with a timing (Timed), else AssertionError. Raise InertiaError where pins
    and bans leave nothing, for features that never vary, and for dead blending.
    """
    how = how_of(settings, stock.fps)
    compared = stock.features(settings)
    moves = Moves(stock.database, compared, aim, how)
    if settings.greedy:
        assert isinstance(aim, Timed)
        way = search.greedy(stock.database, compared, aim, how)
        yield 1.0
    else:
        way = yield from search.steps(stock.database, compared, aim, how)
    return moves, way


def _is_astray(route: Route, aim: Target) -> bool:
    """Return whether a way does not arrive, or leaves its path."""
    frames = np.arange(route.frames)
    error = aim.error(route.ground[None], route.heading[None], 0, frames, np.zeros(1))
    return not route.reached or float(error.position.mean()) > STRAYS


def keep_away(warp: Warp, ground: Array, settings: PathSettings, fps: float) -> Warp:
    """Return a warp that keeps a way away from the obstacles of the settings; the warp as it is without
    obstacles.

    ground: the way (frames, 2) before the warp, metres. fps: its frames a second. Raise InertiaError for
    obstacles that are gone.
    """
    if not settings.obstacles:
        return warp
    walls = surroundings.obstacles(settings.obstacles)
    return clip_sequence.keep_away(warp, ground, walls, settings.keep_away, fps) if walls else warp


def _completed(plan: PathPlan) -> PathPlan:
    """Add to what was found the ground that it goes over, and its warnings."""
    stock, fps = plan.stock, plan.stock.database.fps
    rises = surroundings.rises(
        stock.rig, carries=stock.warps, settings=plan.settings, ground_path=plan.warped.ground, fps=fps
    )
    return dataclasses.replace(plan, rises=rises, warnings=_warnings(plan))


def make_steering(stock: Stock, settings: PathSettings) -> Steering:
    """Return what steers a character through a set as it is: no clips are bent for it. It compares the
    features, joins and answers to wishes as the settings say, and goes by the gait of the set's clips.

    Raise InertiaError for a rig that constraints move, so that it can't be drawn to where it is steered
    (``stock.warps`` is False), for features that never vary, and for dead blending.
    """
    if not stock.warps:
        raise InertiaError(
            '"{armature}" is moved by constraints, so steering can\'t move it; steer the armature that they '
            "follow, or bake its clips to plain keys.",
            armature=stock.rig.name,
        )
    compared = stock.features(settings)
    how, gait = how_of(settings, stock.fps), fitted.gait_of(stock.database)
    return Steering(stock.database, compared, how, gait, settings.steer)


def _steered(stock: Stock, settings: PathSettings, course: Course) -> Steps[PathPlan]:
    """Steer a way by the wishes of the settings, from the course's start; return it as a plan; yields the
    part that is done, 0 to 1.

    course: its ``start``, a point on the ground and a heading, is all that counts. Raise InertiaError for a
    rig whose root can't be moved, a group of features that never varies, and settings whose method is dead
    blending; also where the ground is an object that is gone or nowhere near the way.
    """
    yield from part(fitted.steps(stock.database), 0.0, 0.2)
    led = make_steering(stock, settings)
    asked = session.Wishes.of(settings.wished, stock.database.fps)
    steps = session.steps(led, asked, *course.start)
    moments = yield from part(steps, 0.2, 1.0)
    return taken(stock, settings, led, moments)


def taken(stock: Stock, settings: PathSettings, led: Steering, moments: Sequence[Moment]) -> PathPlan:
    """Return what was steered, as a path."""
    take, moves = steering.take(led, moments), copy.copy(led.moves)
    moves.target = take.target
    return _completed(
        PathPlan(stock, settings, take.target, take.way, moves, take.warp, None, (), moments=moments)
    )


def how_of(settings: PathSettings, fps: float) -> SearchSettings:
    """Return how a way is searched by settings. fps: frames a second of the scene."""
    decay, seconds = stocks.choose_decay(settings, fps)
    return SearchSettings(
        decay,
        seconds,
        settings.cost,
        width=settings.width,
        ahead=settings.ahead_seconds,
        shortest=settings.shortest_seconds,
        pins=settings.pinned,
        bans=settings.banned,
        fixed=settings.entered,
        start_standing=settings.begins == "STANDING",
        moves=settings.moved,
    )


def _warnings(plan: PathPlan) -> tuple[str, ...]:
    """Return what an animator should know before a way is baked, a sentence each; () if there is nothing.

    They are on speeds that were found or given, clips that jump, what the clips lack for the path or the
    wishes, where it stops early, missing standing clips, a root that can't be warped, and pins beyond the
    end.
    """
    stock, settings, way = plan.stock, plan.settings, plan.way
    warnings: list[str] = stocks.speed_sentences(stock, settings) + stocks.part_sentences(stock)
    warnings += plan.coverage.sentences() if plan.coverage is not None else []
    if settings.wishes:
        warnings += speeds_wished(settings, fitted.gait_of(stock.database), stock.database.size)
    if isinstance(plan.target, Untimed) and not way.reached:
        warnings.append(coverage.why_it_stops(stock.database, plan.target, plan.gone))
    else:
        warnings += coverage.tight(stock.database, plan.target, steered=bool(settings.wishes))
    speed = stock.database.speeds
    if "STANDING" in (settings.begins, settings.ends) and speed.min() > STILL * stock.database.size:
        warnings.append(
            Sentence("In none of the clips does the character stand still, so it begins and ends in motion.")
        )
    if settings.warp and not stock.warps:
        warnings.append(
            Sentence(
                '"{armature}" is moved by constraints, so its root can\'t be warped; the drift stays.',
                armature=stock.rig.name,
            )
        )
    warnings += [
        Sentence(
            '"{clip}" is pinned at {at:.2f}, beyond the path\'s end at {end:.2f}, so it is not played.',
            clip=pin.clip,
            at=pin.at,
            end=plan.length,
        )
        for pin in settings.pinned
        if pin.at > plan.length
    ]
    return tuple(warnings)


def speeds_wished(settings: PathSettings, gait: fitted.FittedGait, size: float) -> list[Sentence]:
    """Return a sentence on the fastest of the wished speeds, in a list, if no clip goes so fast; else [].

    gait: of the clips. size: the character's, as a part of a person's. Settings without wishes raise
    ValueError.
    """
    fastest = max(map(settings.steer.fastest, settings.wished))
    if fastest <= gait.top + coverage.BIN * size:
        return []
    return [
        Sentence(
            "The wishes ask for {speed:.1f} m/s, but the clips only reach {had} m/s, so the character goes "
            "no faster.",
            speed=fastest,
            had=coverage.spoken(gait.speeds),
        )
    ]


def figures(plan: PathPlan) -> dict[str, Any]:
    """Return what a way is like, as JSON values: how near it is to its path, and how smooth its joins are.

    ``path_rms_m``, ``path_max_m``: distances from the path, metres. ``heading_deg``: the mean angle from
    where it should face; None if it may face anywhere. ``seconds``, ``cuts`` (their number),
    ``cuts_per_second``. ``displacement_m_s_per_second``, ``largest_displacement_m_s``: of joins. ``reached``:
    whether it arrives. With obstacles ``obstacle_m``, how near it comes to any; with goals ``goals``, a list
    of {"place", "seconds", "off_m", "aside_deg"}. Raise InertiaError for obstacles that are gone.
    """
    way, stock = plan.warped, plan.stock
    fps = stock.database.fps
    (places, facing), away = clip_sequence.wanted(way, plan.target), plan.errors[1]
    aside = np.abs((way.heading - facing + np.pi) % (2.0 * np.pi) - np.pi)
    at_goals = clip_sequence.turned_aside(places, facing, way.heading, fps)
    seconds = way.frames / fps
    displaced = plan.displacements
    walls = surroundings.obstacles(plan.settings.obstacles) if plan.settings.obstacles else ()
    return {
        **({"obstacle_m": surroundings.nearest_obstacle(walls, way.ground)} if walls else {}),
        **goal_errors(plan.settings, fps, away, at_goals),
        "path_rms_m": float(np.sqrt(np.mean(away**2))),
        "path_max_m": float(away.max()),
        "heading_deg": None if plan.target.free else float(np.degrees(aside.mean())),
        "seconds": seconds,
        "cuts": len(displaced),
        "cuts_per_second": len(displaced) / seconds,
        "displacement_m_s_per_second": sum(displaced) / seconds,
        "largest_displacement_m_s": max(displaced, default=0.0),
        "reached": way.reached,
    }


def describe_beginning(plan: PathPlan) -> dict[str, Any]:
    """Return the frame that a way begins with, as JSON values."""
    source, frame = plan.entered[0]
    return named(source.name, is_mirrored=source.mirrored, frame=frame)


def joins(plan: PathPlan) -> list[dict[str, Any]]:
    """Return the joins of a way, in order, the beginning left out, as a list of JSON values: what came when,
    why, and what else could have.

    Each has ``seconds`` (from the way's start), ``frame`` (of the scene), ``place`` (on the path: metres, or
    seconds of a timed one), ``from`` and ``to`` (each {"action", "mirrored", "frame"}), ``cost``, ``why``
    (its parts, a number by name), ``leads`` ({"away_m", "turn_deg", "speed_m_s"} in the time looked ahead),
    ``displacement_m_s`` and ``worst_joint``; ``going_on`` and ``going_on_leads``, parts and leads if the clip
    had gone on, None where it could not; and ``next_best``, a list of other choices, the best first: keys of
    ``to`` with ``cost``, ``why`` and ``leads``.
    """
    listed, fps = [], plan.stock.database.fps
    rows = zip(plan.reasons, plan.displacements, plan.places[1:].tolist(), strict=True)
    for reason, displacement, place in rows:
        left, mirrored, left_at = reason.left
        listed.append(
            {
                "seconds": reason.frame / fps,
                "frame": plan.settings.first_frame + reason.frame * plan.stock.step,
                "place": place,
                "from": named(left, is_mirrored=mirrored, frame=left_at),
                "to": named(
                    reason.chosen.clip, is_mirrored=reason.chosen.mirrored, frame=reason.chosen.frame
                ),
                "cost": reason.chosen.cost,
                "why": reason.chosen.parts,
                "leads": _leads(reason.chosen),
                "displacement_m_s": displacement,
                "worst_joint": reason.worst_joint,
                "going_on": None if reason.going_on is None else reason.going_on.parts,
                "going_on_leads": None if reason.going_on is None else _leads(reason.going_on),
                "next_best": [
                    named(choice.clip, is_mirrored=choice.mirrored, frame=choice.frame)
                    | {"cost": choice.cost, "why": choice.parts, "leads": _leads(choice)}
                    for choice in reason.others
                ],
            }
        )
    return listed


def _leads(choice: search.Choice) -> dict[str, float]:
    """Return where a choice leads in the time that is looked ahead, as JSON values."""
    return {"away_m": choice.away, "turn_deg": math.degrees(choice.turn), "speed_m_s": choice.speed}


def named(clip: str, *, is_mirrored: bool, frame: float) -> dict[str, Any]:
    """Return a clip's own frame as JSON values."""
    return {"action": clip, "mirrored": is_mirrored, "frame": frame}
