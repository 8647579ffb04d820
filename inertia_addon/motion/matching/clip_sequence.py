# SPDX-License-Identifier: GPL-3.0-or-later
"""The way that was found through a set of clips: which one plays when, and where; as baked, and warped."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from ...records import record
from ..arrays import Array, Flags, Integers, runs, smooth
from ..decay import decay
from ..feet.handover import estimate_step_seconds
from ..skeleton.warping import Warp as Warp
from .database import SMOOTH_SECONDS, Database
from .detours import Outline
from .features import turned
from .targets import STILL, Target, Timed, wrapped


@record(frozen=True)
class Join:
    """From a frame of the result on, a clip plays.

    frame: from 0. entered: its flat frame then. left: the one that would have been shown, -1 at the
    beginning. angle, place: how the clip's ground is moved, radians and metres. progress: metres along a
    line without a timing.
    """

    frame: int
    left: int
    entered: int
    angle: float
    place: tuple[float, float]
    progress: float = 0.0


@record(frozen=True, eq=False)
class Route:
    """What was found: joins, of which the first is the beginning, and what it costs in the search's own
    sense.

    flat: (frames,) the database's frame that each frame shows. ground: (frames, 2) metres, and heading:
    (frames,) radians, of the character's smoothed root. reached: whether it goes to the target's end.
    """

    joins: tuple[Join, ...]
    cost: float
    flat: Integers
    ground: Array
    heading: Array
    reached: bool = True

    @property
    def frames(self) -> int:
        """How many frames it has."""
        return len(self.flat)


def assembled(
    database: Database, joins: Sequence[Join], frames: int, cost: float, *, reached: bool = True
) -> Route:
    """Return the route of joins: each frame shows its clip's frame, moved as the last join up to it says.

    Frame i of the route shows the flat frame entered + i - frame of that join. The database's ground is
    turned by the join's angle about the world's origin, then shifted by its place; the angle is added to the
    heading, which is not wrapped.

    Parameters
    ----------
    database
        The clips.
    joins
        At least one, sorted, the first at frame 0.
    frames
        How many frames the route has.
    cost
        Stored in the route as it is.
    reached
        Stored in the route as it is.

    Returns
    -------
    Route
        Flat frames run on without a check whether the clip has them: they come into the next
        clip.

    Raises
    ------
    IndexError
        A flat frame is behind the database's last.
    ValueError
        There is no join.
    """
    starts, entered = np.array([(join.frame, join.entered) for join in joins]).T
    which = np.searchsorted(starts, np.arange(frames), "right") - 1
    flat = entered[which] + np.arange(frames) - starts[which]
    angle = np.array([join.angle for join in joins])[which]
    ground = turned(database.ground[flat], angle) + np.array([join.place for join in joins])[which]
    return Route(tuple(joins), cost, flat, ground, database.heading[flat] + angle, reached)


# --- the warp

SECONDS = 0.5
"""The standard deviation of the Gaussian that errors are smoothed by."""
STRIDE = 0.25
"""Who sways with each stride faces a goal as asked on average over so many seconds to both sides."""
TURN_LIMIT = np.radians(30.0)
"""Who faces further away than this does so on purpose, and is turned by no more, but at a goal."""
PUSHES, GENTLER, NEARER, SWAY = 100, 20.0, 1e-3, 0.075
"""So often at most a way is pushed where it is too near to something, from so many times on less and less,
and where by more than this, in metres; and it keeps this part more away, as bodies sway about their way."""


def warp_towards(
    route: Route, target: Target, fps: float, amount: float = 1.0, goals: Sequence[int] = ()
) -> Warp:
    """Return a warp that moves a route smoothly towards its target, to take out drift.

    The differences of place and facing, target less route, are smoothed over time with a standard deviation
    of 0.5 s and multiplied by amount. Differences of facing are wrapped, then cut off at 30 degrees to both
    sides, before they are smoothed. The turn is 0 if facing is free.

    Parameters
    ----------
    route
        The route.
    target
        What it should follow, see :func:`wanted`.
    fps
        Frames a second.
    amount
        From 0 to 1, the part of the smoothed difference that is made up.
    goals
        Frames, from 0, on which the whole difference is made up, whatever the amount, by
        Gaussian bumps of 0.5 s that are added. Facing is then not cut off, but it is smoothed
        where the character moves, see :func:`turned_aside`. Goals near each other may be
        missed, see :func:`_through`. An amount of 0 ignores all goals; those behind the route's
        end are ignored, too.

    Returns
    -------
    Warp
        For all frames of the route: `about` is the route's ground, `turn` (frames,) radians to
        the left about that, and `shift` (frames, 2) metres in the world, added afterwards.
    """
    places, facing = wanted(route, target)
    away = smooth(places - route.ground, SECONDS * fps)
    aside = np.zeros(route.frames)
    if not target.free:
        aside = np.clip(wrapped(facing - route.heading), -TURN_LIMIT, TURN_LIMIT)
    away, turn = amount * away, amount * smooth(aside, SECONDS * fps)
    at = np.array(sorted({frame for frame in goals if amount > 0.0 and frame < route.frames}), np.int64)
    if len(at):
        faced = 0.0 * at if target.free else turned_aside(places, facing, route.heading, fps)[at]
        left = np.column_stack([(places - route.ground - away)[at], faced - turn[at]])
        more = _through(at, left, route.frames, SECONDS * fps)
        away, turn = away + more[:, :2], turn + more[:, 2]
    return Warp(route.ground, turn, away)


def turned_aside(places: Array, facing: Array, heading: Array, fps: float) -> Array:
    """Return the angles from headings to facings, smoothed while the character moves.

    Parameters
    ----------
    places : (frames, 2)
        Metres. Where both steps beside a frame are at 0.05 m/s or more the angle is
        smoothed over 0.25 s, as bodies sway; elsewhere it is as it is.
    facing : (frames,)
        Which way to face, radians.
    heading : (frames,)
        Which way it faces, radians.
    fps
        Frames a second.

    Returns
    -------
    Array (frames,)
        Radians without jumps; the first unsmoothed one is in [-pi, pi).
    """
    aside = np.unwrap(wrapped(facing - heading))
    speeds = np.linalg.norm(np.diff(places, axis=0), axis=1) * fps
    slower = np.minimum(np.append(speeds, np.inf), np.insert(speeds, 0, np.inf))
    return np.where(slower < STILL, aside, smooth(aside, STRIDE * fps))


ACROSS = 0.9
"""Of a unit vector out of a wall, this much across it says that it leads off its long side."""


def keep_away(warp: Warp, ground: Array, outlines: Sequence[Outline], distance: float, fps: float) -> Warp:
    """Return a warp with additional shifts that keep a route at least a distance away from outlines.

    It is pushed aside smoothly, 7.5 % further than the distance, in up to 100 rounds; the best round counts.
    Where outlines are too close together the distance is not kept everywhere.

    Parameters
    ----------
    warp
        The warp, which is not changed; its turns stay.
    ground : (frames, 2)
        The route before the warp, metres.
    outlines
        At least one.
    distance
        Metres.
    fps
        Frames a second.

    Returns
    -------
    Warp
        A copy with other shifts.

    Raises
    ------
    ValueError
        There is no outline.
    """
    shift, frames = warp.shift.copy(), np.arange(len(ground))
    best, least = shift.copy(), np.inf
    kept = (1.0 + SWAY) * distance
    sides = [_choose_sides(each, ground + shift, kept) for each in outlines]
    for i in range(PUSHES):
        seen = (
            _stay_on_side(each.depths(ground + shift, kept), kept, side)
            for each, side in zip(outlines, sides, strict=True)
        )
        depths, ways = zip(*seen, strict=True)
        nearest = np.argmax(depths, axis=0)
        deep, way = np.array(depths)[nearest, frames], np.array(ways)[nearest, frames]
        worst = int(np.argmax(np.round(deep, 9)))
        if deep[worst] < least:
            best, least = shift.copy(), float(deep[worst])
        if deep[worst] <= NEARER:
            break
        bell = np.exp(-0.5 * ((frames - worst) / (SECONDS * fps)) ** 2)
        # less and less, so that who is pushed to and fro comes to rest
        pushed = (deep[worst] + 0.5 * NEARER) * min(1.0, GENTLER / (i + 1.0))
        shift += bell[:, None] * pushed * way[worst]
    return dataclasses.replace(warp, shift=best)


def _choose_sides(outline: Outline, ground: Array, distance: float) -> Array:
    """Return on which side of a wall each frame of a route is to stay: unit vectors (frames, 2) across it;
    zero where the route is not near, and for all outlines but walls, which have two corners and no inside.

    A stretch that is near all along gets one side, that on which it is more of the time: who crosses a wall
    would else be pushed to and fro.

    ground: (frames, 2), metres. distance: within which a frame is near, metres.
    """
    sides = np.zeros_like(ground)
    if len(outline.corners) != 2:
        return sides
    along = outline.corners[1] - outline.corners[0]
    across = np.array([-along[1], along[0]]) / max(float(np.linalg.norm(along)), 1e-9)
    depths, ways = outline.depths(ground, distance)
    near = np.flatnonzero(depths > 0.0)
    for stretch in np.split(near, np.flatnonzero(np.diff(near) > 1) + 1):
        if len(stretch):
            sides[stretch] = across if (ways[stretch] @ across).sum() >= 0.0 else -across
    return sides


def _stay_on_side(outs: tuple[Array, Array], distance: float, sides: Array) -> tuple[Array, Array]:
    """Return depths (frames,) and ways out (frames, 2) of a wall, with those of frames on the other side than
    they are to stay on, or upon it, changed: these have to go over to their side, 2 `distance` less their
    depth.

    outs: depths and ways out as :meth:`Outline.depths` gives them within a distance. sides: see
    :func:`_choose_sides`.
    """
    depths, ways = outs
    facing = (ways * sides).sum(axis=1)
    # beside a wall's end the way out leads along it, and either side will do
    is_over = sides.any(axis=1) & ((facing < -ACROSS) | ~ways.any(axis=1))
    return (
        np.where(is_over, 2.0 * distance - depths, depths),
        np.where(is_over[:, None], sides, ways),
    )


def _through(at: Integers, values: Array, count: int, deviation: float) -> Array:
    """Return a sum of Gaussian bumps (count, columns), one at each of some frames, that comes as near as
    possible to values (n, columns) at these.

    at: the frames (n,), indices below count, which are the bumps' centres. values: what the sum should be
    there. deviation: the bumps' standard deviation, in frames. Bumps that are nearly alike are damped, so
    that values may be missed.
    """
    away = (np.arange(count)[:, None] - at) / deviation
    bells = np.exp(-0.5 * away * away)
    heights, *_ = np.linalg.lstsq(bells[at], values, rcond=1e-3)
    return np.asarray(bells @ heights)


def warped(route: Route, warp: Warp) -> Route:
    """Return a way that is moved by a warp."""
    return dataclasses.replace(route, ground=route.ground + warp.shift, heading=route.heading + warp.turn)


def wanted(route: Route, target: Target) -> tuple[Array, Array]:
    """Return the place (frames, 2), metres, and the facing (frames,), radians, that the target has for each
    frame of a route.

    Of a timed target they are those of the same frame; behind its end the last ones are repeated. On a line
    without a timing they are those of the line's point nearest to the route's ground. That is looked for from
    the line's beginning on, never behind the point of the frame before, and no further ahead than about 1.5
    times the way gone since then; so on a line that crosses itself the nearest point of all is not always
    taken. Facings are the target's own, neither wrapped nor matched to the route's heading, and are given
    also if facing is free.
    """
    frames = np.arange(route.frames)
    if isinstance(target, Timed):
        at = np.minimum(frames, target.frames - 1)
        return target.ground[at], target.facing[at]
    error = target.error(route.ground[None], route.heading[None], 0, frames, np.zeros(1))
    return target.line.at(error.progress[0])


# --- as baked


def as_baked(database: Database, route: Route, method: decay.Method, seconds: float) -> Route:
    """Return a route with the smoothed ground and heading that it will have once its joins are blended.

    A search takes each clip's smoothed root as it is; in the bake the root keeps its velocity and sway at a
    join and comes to the next clip's along the blend's curve, which differs by some centimetres.

    Parameters
    ----------
    database
        The clips.
    route
        The route, which is not changed.
    method
        The curve of the blend.
    seconds
        The blend time, or the half-life for SPRING, above 0.

    Returns
    -------
    Route
        A copy; all but ground and heading stays.
    """
    root = np.empty((route.frames, 3))
    before: Array | None = None
    for i, join in enumerate(route.joins):
        until = route.joins[i + 1].frame if i + 1 < len(route.joins) else route.frames
        # two frames more say where it is, and how fast it goes, when the next clip takes over
        clip = _clip_root(database, join, until - join.frame + 2)
        if before is not None:
            clip += _find_offset(database, join, before, clip, method, seconds)
        root[join.frame : until] = clip[1 : until - join.frame + 1]
        before = clip[until - join.frame :]
    sigma = SMOOTH_SECONDS * database.fps
    return dataclasses.replace(route, ground=smooth(root[:, :2], sigma), heading=smooth(root[:, 2], sigma))


def _clip_root(database: Database, join: Join, count: int) -> Array:
    """Return a clip's root, as a join moves it, from the frame before the join on: (count + 1, 3), x, y,
    heading.

    It is not smoothed. Beyond the clip's ends it is extrapolated with its last step.
    """
    part = database.part[join.entered]
    first, last = int(database.starts[part]), int(database.stops[part]) - 1
    asked = np.arange(join.entered - 1, join.entered + count)
    within = np.clip(asked, first, last)
    root = database.root[within].astype(float)
    for end, towards in ((first, 1), (last, -1)):
        over = (asked - within)[:, None] * (within == end)[:, None]
        root = root + over * np.diff(database.root[[end, end + towards]].astype(float), axis=0)[0] * towards
    ground = turned(root[:, :2], np.full(len(root), join.angle)) + join.place
    return np.column_stack([ground, root[:, 2] + join.angle])


def _find_offset(
    database: Database, join: Join, before: Array, clip: Array, method: decay.Method, seconds: float
) -> Array:
    """Return the offset (frames, 3), x and y in metres, heading in radians, that decays on top of a clip's
    root after a join.

    It is the old root less the new one at the join. Its rate there is the difference of both roots' rates, by
    central differences over the three frames around the join. From these it decays along the method's curve,
    beginning at row 1, the join's frame; row 0, the frame before, has the full offset, too. Of the heading's
    offset only what is left in [-pi, pi) decays; the whole turns stay on all rows, so that the heading does
    not jump.

    database: its fps counts. join: not used. before: (3, 3), the root before, at and after the join's frame
    as the route had it until then. clip: (frames, 3), the new clip's root from the frame before the join on,
    three rows at least. seconds: the blend time, or the half-life for SPRING, above 0. Neither array is
    changed.
    """
    fps = database.fps
    x = before[1] - clip[1]
    x[2] = wrapped(x[2])
    rate = 0.5 * fps * (before[2] - before[0] - (clip[2] - clip[0]))
    curve = decay.make(method, x[:, None], rate[:, None], np.full(3, seconds))
    times = np.maximum(np.arange(-1, len(clip) - 1) / fps, 0.0)
    offset = decay.evaluate(curve, x[:, None], rate[:, None], times[:, None])[..., 0]
    # the heading goes on from the turns that it has come to
    offset[:, 2] += np.round((before[1] - clip[1] - x)[2] / (2.0 * np.pi)) * 2.0 * np.pi
    return np.asarray(offset)


# --- when feet stand

RADIUS = 0.3
"""A foot that stands on both sides of a join stays where it is within so many leg lengths; else it steps."""
AT_ONCE = 0.1
"""What is planted again after less than so many seconds has no swing between, in which it could step."""
LEAST_SECONDS = 0.08
"""A plant is no shorter."""


def stands(
    planted: Flags, joins: Sequence[int], points: Array, length: float, fps: float
) -> list[tuple[int, int]]:
    """Return the first and the last frame of each time in which a foot stands, in order.

    A stand is a stretch of planted frames, split at joins. If one begins less than 0.1 s behind the last
    frame of the one before, there is no swing between. Both are then one, if their median places are within
    0.3 leg lengths, whether a join is between them or not. Otherwise the second begins later: as long behind
    the first one's last frame as a step takes over the distance of both places, rounded up to frames, see
    :func:`estimate_step_seconds` (0.1 s, and 0.3 s for each leg length, at most 0.4 s).

    Parameters
    ----------
    planted : (n,)
        Whether the clips have the foot planted.
    joins
        Frames at which another clip takes over, rising; there a stand ends and another
        begins. Those outside of 1 to n - 1 are ignored.
    points : (n, 3)
        Where the foot is if nothing holds it.
    length
        Of its leg, in the same unit, not 0.
    fps
        Frames a second.

    Returns
    -------
    list[tuple[int, int]]
        Both frames included. One that is not joined to the one before and has a single frame,
        or none left once it begins later, is left out at once, so that nothing is joined to it;
        those whose last frame is less than 0.08 s behind the first are left out at the end.
    """

    def place(first: int, last: int) -> Array:
        return np.asarray(np.median(points[first : last + 1], axis=0))

    inner = [join for join in joins if 0 < join < len(planted)]
    spans = [
        (first + begin, last + begin)
        for begin, end in zip([0, *inner], [*inner, len(planted)], strict=True)
        for first, last in runs(planted[begin:end])
    ]
    plants: list[tuple[int, int]] = []
    for first, last in spans:
        if plants and (first - plants[-1][1]) / fps < AT_ONCE:
            begun, ended = plants[-1]
            away = float(np.linalg.norm(place(begun, ended) - place(first, last)))
            if away <= RADIUS * length:
                plants[-1] = (begun, last)
                continue
            first = ended + int(np.ceil(estimate_step_seconds(away, length) * fps))
        if first < last:
            plants.append((first, last))
    return [(first, last) for first, last in plants if (last - first) / fps >= LEAST_SECONDS - 1e-9]
