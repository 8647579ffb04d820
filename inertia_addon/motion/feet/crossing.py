# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet locked from a cut on, in a clip, between two clips, and in clips that follow on each other."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Sequence

import numpy as np

from ...records import record
from .. import quaternion
from ..arrays import Array, Flags, eased, eased_smoothly, runs
from . import bridging, easing, handover, leg_ik, locking, toes
from . import ground as grounds
from .contacts import medians
from .corrections import Hold, faded, freedom, hold_path, rates_of, trim_to_standing
from .easing import Easing
from .easing_rounds import FootPaths
from .ground import GroundSurface
from .handover import Foot
from .locking import FootMotion, HipsDrop, LegMotion, Turned
from .own_motion import OwnMotion
from .toes import Below

ROUNDED = 5e-5
"""A leg that is straight in the clips reaches as far as it is long: what rounds that is a smaller part."""


@record(frozen=True)
class LockLimits:
    """How feet are locked.

    release: seconds that a foot takes to its own path. radius: leg lengths within which a foot that both
    clips have planted holds its place. drop: how far the hips may go down, and step: how much higher than
    usual steps are, as factors of a leg's length and of that. toes: how far above the ground the tips of toes
    stay at least, in leg lengths; None to leave toes as they are. heels: whether heels stay above it, too,
    and feet roll onto their ball where a leg does not reach.
    """

    release: float = 0.25
    radius: float = 0.3
    drop: float = 0.05
    step: float = 1.0
    toes: float | None = None
    heels: bool = False


@record(frozen=True, eq=False)
class Locked:
    """Feet as they are locked. holds, paths (n, 4): of each. drop: (n,) of the hips. turned: each leg. toes:
    what the toe of each is turned by on top of its foot, (n, 4) in the world, None where nothing does that;
    () where no toe is."""

    holds: list[list[Hold]]
    paths: list[Array]
    drop: Array
    turned: list[Turned]
    toes: Sequence[Array | None] = ()


@record(frozen=True, eq=False)
class CrossingLeg:
    """A leg on its way from one clip into another.

    motion: as the offset alone lets it go, and destination: as the destination has the leg, or its foot.
    planted: (n,) when that has the foot planted. stood: whether the source has it planted at the cut. speed:
    (4,) of the foot's point and heading there, per second.
    """

    motion: LegMotion
    destination: LegMotion | FootMotion
    planted: Flags
    stood: bool
    speed: Array


def cross(times: Array, crossing_legs: Sequence[CrossingLeg], window: float, limits: LockLimits) -> Locked:
    """Return feet locked on the frames from the cut on.

    :func:`handover.plan` says where each foot is held. Between holds it goes as its leg does with the offset,
    is led to them and from them over limits.release, and is lifted so that it does not drag. Hips go down by
    at most limits.drop times the shortest leg's length, which they may from the cut on little by little. Toes
    and heels are left as they are, see :func:`keep_above`.

    times: (n,), seconds since the cut. crossing_legs: one for each foot; the result is in their order.
    window: seconds until the offset is gone; later plants of the destination are not held.
    """
    legs = [each.motion for each in crossing_legs]
    feet = [_foot_of(times, each, each.motion.point_and_heading, limits) for each in crossing_legs]
    holds = handover.plan(times, feet, window, limits.radius)
    paths = []
    for k, (leg, foot, row) in enumerate(zip(legs, feet, holds, strict=True)):
        path = hold_path(times, leg.point_and_heading, row, limits.release, (0.0, np.inf))
        paths.append(locking.lifted(times, path, foot, row, _mark_carried(holds, k, len(times)), limits.step))
    come = eased_smoothly(times, locking.DOWN_SECONDS)
    drop, turned = locking.lock(times, legs, paths, HipsDrop(_most_drop(legs, limits), come))
    return Locked(holds, paths, drop, turned)


def ease(
    times: Array, legs: Sequence[LegMotion], locked: Locked, usual: OwnMotion, limits: LockLimits
) -> Locked:
    """Return locked feet whose paths between holds, and hips, no longer make joints accelerate too hard.

    Parameters
    ----------
    times : (n,)
        Seconds.
    legs
        Their motions without any locking.
    locked
        The feet as they are locked; it is not changed.
    usual
        How hard the joints accelerate in the clips, at these times.
    limits
        How feet are locked; here how far the hips may go down.

    Returns
    -------
    Locked
        A copy with the same holds and toes; `locked` itself if nothing has to be, or can
        be, improved.
    """
    asked = prepare_easing(times, legs, locked, usual, limits)
    asked.ease_now()
    return lead_along(legs, locked, asked.eased)


def prepare_easing(
    times: Array, legs: Sequence[LegMotion], locked: Locked, usual: OwnMotion, limits: LockLimits
) -> Easing:
    """Return what is to be eased of feet, see :func:`ease`: who does so leads them along the paths."""
    first = FootPaths(locked.paths, locked.drop)
    return Easing.of(times, legs, first, locked.holds, usual, _most_drop(legs, limits))


def lead_along(legs: Sequence[LegMotion], locked: Locked, eased_paths: FootPaths) -> Locked:
    """Return a copy of locked feet with other paths and another drop of the hips, and with the legs turned
    along these.

    legs: their motions without locking. eased_paths: the paths and the drop. Holds and toes stay. If its drop
    is the very array that `locked` has, nothing was eased: `locked` itself is returned.
    """
    if eased_paths.drop is locked.drop:
        return locked
    turned = easing.turned_along(legs, eased_paths)
    return dataclasses.replace(locked, paths=list(eased_paths.paths), drop=eased_paths.drop, turned=turned)


def keep_above(
    times: Array, legs: Sequence[LegMotion], locked: Locked, limits: LockLimits, below: Below
) -> Locked:
    """Return locked feet with the tips of their toes, and their heels if limits.heels, kept above the ground.

    Toes are raised until their tips are limits.toes leg lengths above the floor: that is below.ground, or
    else the floor on which the foot is held. How far a toe turns at most, and how much earlier its turn
    begins, says :func:`toes.raised`; so a tip may stay below. The angles are multiplied by below.come, 0 to 1
    on each frame, if that is not None. With limits.heels, legs are first rolled onto their balls as in
    :func:`_roll`. If limits.toes is None `locked` itself is returned, whatever limits.heels; else a copy, and
    `locked` is not changed.

    times: seconds (n,). legs: their motions without locking. below: how low toes and heels are in the clips.
    The result's `toes` is a list with a world rotation (n, 4) for each leg, on top of its foot's turn, or
    None: where the leg has no known toe, where there is no floor (no below.ground, and below.lowest has None
    for the leg or the foot is held nowhere), or where nothing turns the toe on any frame. Raise ValueError if
    `below` or `locked` has not as many legs.
    """
    if limits.toes is None:
        return locked
    if limits.heels:
        locked = _roll(times, legs, locked, below)
    toes_turned: list[Array | None] = []
    for leg, turned, holds, low in zip(legs, locked.turned, locked.holds, below.lowest, strict=True):
        toe = toes.carried(leg, turned)
        floor = None
        if toe is not None and below.ground is not None:
            floor, _ = below.ground.sample(toe.tip)
        elif toe is not None and low is not None:
            floor = toes.floor_of_holds(times, holds, low)
        if toe is None or floor is None:
            toes_turned.append(None)
            continue
        floor = floor + limits.toes * leg.length
        turns = toes.raised(times, toe, floor, toes.ahead(leg, turned), below.come)
        toes_turned.append(turns if np.any(turns[:, 1:]) else None)
    return dataclasses.replace(locked, toes=toes_turned)


def _roll(times: Array, legs: Sequence[LegMotion], locked: Locked, below: Below) -> Locked:
    """Return locked feet, a copy, that roll onto their ball where a leg does not reach, or a heel is below
    its floor.

    Only `turned` changes. A foot rolls by the larger of the two angles that it takes for its leg to reach and
    for its heel to come up to its floor. The angles set in before they are needed and end later, and are
    multiplied by below.come, 0 to 1 on each frame, if that is not None; see :func:`toes.softened`.

    The floor is below.ground, if the foot is held somewhere, but no higher than the clips have the heel;
    without a ground it is the floor on which the foot is held. Where below.heels has None for the foot, there
    is no floor. Without a known floor, only legs that do not reach are rolled. Feet that stand on no heel, or
    roll on no frame, stay as they are. times: seconds (n,).
    """
    rolled = []
    each = zip(legs, locked.turned, locked.paths, locked.holds, below.heels, strict=True)
    for leg, turned, path, holds, low in each:
        back, floor = toes.heel_of(leg, turned, path), None
        if back is None:
            rolled.append(turned)
            continue
        if below.ground is not None and holds and low is not None:
            floor, _ = below.ground.sample(back.tip)
            # a heel that its clip has below the floor need be no higher
            floor = floor + min(0.0, _find_clearance(holds, below.ground) + low)
        elif below.ground is None and low is not None:
            floor = toes.floor_of_holds(times, holds, low)
        angles = toes.find_roll_angles(leg, turned, path, locked.drop)
        if floor is not None:
            angles = np.maximum(angles, toes.find_lift_angles(back, floor))
        angles = toes.softened(times, angles, below.come)
        rolled.append(toes.rolled(leg, turned, path, locked.drop, angles) if angles.any() else turned)
    return dataclasses.replace(locked, turned=rolled)


def _find_clearance(holds: Sequence[Hold], ground: GroundSurface) -> float:
    """Return how high above the ground feet are held, at least; 0 where there is none."""
    points = np.array([hold.point[:3] for hold in holds])
    above = points[:, 2] - ground.sample(points)[0]
    return float(np.min(above, initial=np.inf, where=np.isfinite(above))) if np.isfinite(above).any() else 0.0


def _mark_spans(spans: Iterable[tuple[int, int]], count: int) -> Flags:
    """Return flags (count,): which of `count` frames lie in any of some spans.

    spans: the first and the last frame of each, by index, both included.
    """
    flags = np.zeros(count, bool)
    for first, last in spans:
        flags[first : last + 1] = True
    return flags


def _most_drop(legs: Sequence[LegMotion], limits: LockLimits) -> float:
    """Return how far the hips may go down at most."""
    return limits.drop * min((leg.length for leg in legs), default=0.0)


def _mark_held(holds: Iterable[Hold], count: int) -> Flags:
    """Return flags (count,): on which of `count` frames a foot is held, first and last frames included."""
    is_held = np.zeros(count, bool)
    for hold in holds:
        is_held[hold.first : hold.last + 1] = True
    return is_held


def _mark_carried(holds: Sequence[Sequence[Hold]], foot: int, count: int) -> Flags:
    """Return on which of so many frames (count,) any other foot than `foot` is held. holds: of each foot."""
    return _mark_held((hold for k, row in enumerate(holds) if k != foot for hold in row), count)


def _holds(path: Array, spans: Sequence[tuple[int, int]]) -> list[Hold]:
    """Return holds in the middle of where a path (n, 4) is in each span."""
    return [Hold(*span, place) for span, place in zip(spans, medians(path, spans), strict=True)]


def _foot_of(times: Array, crossing_leg: CrossingLeg, free: Array, limits: LockLimits) -> Foot:
    """Return what :func:`handover.plan` needs to know about a foot.

    times: seconds (n,), two frames or more. free: (n, 4), where the foot's point is, and its heading, unless
    it is held. The result's `own` (n, 4) is the destination's point and heading, that by whole turns next to
    the free one's at the first frame. The result's `fastest` is the highest speed of the destination's point,
    in world units a second.

    The result's `reaches` takes a place (4,), x, y, z and heading, and returns flags (n,): the frames on
    which the foot gets there, turned about the vertical to that heading, if the hips go down by up to
    limits.drop leg lengths. The hip and the ankle may then be as far apart as the leg has them on that frame
    by itself, or by leg.longest less 0.01 leg lengths if that is more.
    """
    leg, destination = crossing_leg.motion, crossing_leg.destination
    heading = locking.headings(destination.foot, leg.foot[0])
    heading += quaternion.nearest_turn(heading[:1], free[:1, 3]) - heading[:1]
    most = limits.drop * leg.length
    # short of where the leg is stretched so softly that the foot would be left behind
    longest = np.maximum(
        leg.longest - 0.5 * leg_ik.SOFT * leg.length, np.linalg.norm(leg.pose.ankle - leg.pose.hip, axis=-1)
    )

    def reaches(point: Array) -> Flags:
        turn = quaternion.exp((point[3] - free[:, 3])[:, None] * locking.VERTICAL)
        ankle = point[:3] - quaternion.rotate(turn, leg.point - leg.pose.ankle)
        drop = np.minimum(locking.drop_needed(leg.pose.hip, ankle, longest), most)
        way = ankle - leg.pose.hip + drop[:, None] * locking.VERTICAL
        return np.asarray(np.linalg.norm(way, axis=-1) <= longest * (1.0 + ROUNDED))

    place = np.column_stack([destination.point, heading])
    fastest = float((np.linalg.norm(np.diff(destination.point, axis=0), axis=1) / np.diff(times)).max())
    planted, stood = crossing_leg.planted, crossing_leg.stood
    return Foot(free, crossing_leg.speed, place, planted, stood, reaches, leg.length, fastest)


def stay(
    times: Array,
    legs: Sequence[LegMotion],
    planted: Sequence[Sequence[tuple[int, int]]],
    limits: LockLimits,
    ground: GroundSurface | None = None,
) -> Locked:
    """Return the feet of a clip locked on all frames on which they are planted.

    Each is held at the median of its point and heading over the span. Hips go down by at most limits.drop
    times the shortest leg's length; with a ground they also rise and sink with it, unless limits.drop is 0.

    Parameters
    ----------
    times : (n,)
        Seconds.
    legs
        Their motions in the clip.
    planted
        For each foot the first and the last frame, by index and both included, of each span.
    limits
        How feet are locked; toes are raised if its `toes` is not None.
    ground
        What the feet stand on. None leaves them at the clip's own heights, and then holds lose the frames on
        which the foot still lands or already lifts.

    Returns
    -------
    Locked
        In the order of the legs.

    Raises
    ------
    InertiaError
        A ground is given and no planted foot is above or below it.
    """
    holds = [_holds(leg.point_and_heading, spans) for leg, spans in zip(legs, planted, strict=True)]
    below = Below.from_planted(legs, [_mark_spans(spans, len(times)) for spans in planted], ground)
    if ground is not None:
        return keep_above(times, legs, _on_ground(times, legs, holds, limits, ground), limits, below)
    each = list(zip(legs, holds, strict=True))
    holds = [
        [trim_to_standing(times, leg.point_and_heading, hold, leg.near[:4]) for hold in row]
        for leg, row in each
    ]
    each = list(zip(legs, holds, strict=True))
    paths = [
        hold_path(times, leg.point_and_heading, row, limits.release, near=leg.near[:4]) for leg, row in each
    ]
    drop, turned = locking.lock(times, legs, paths, HipsDrop(_most_drop(legs, limits), np.ones(len(times))))
    return keep_above(times, legs, Locked(holds, paths, drop, turned), limits, below)


def _on_ground(
    times: Array,
    legs: Sequence[LegMotion],
    holds: Sequence[Sequence[Hold]],
    limits: LockLimits,
    ground: GroundSurface,
) -> Locked:
    """Return feet that are held at given places moved onto a ground, with hips that rise and sink with it.

    times: seconds (n,). legs: their motions without locking. holds: for each leg. The result's holds have
    points (6,) and its paths are (n, 6), see :func:`ground.stand`; it has no toes.

    The hips rise by what that function returns as the body's rise. From there they go down as far as held
    feet need, at most by limits.drop times the shortest leg's length and by as much more as it allows. The
    result's `drop` (n,) is how far down they are in all, negative where they are higher than before. If
    limits.drop is 0 the hips stay as they are, and `drop` is 0. Raise InertiaError if no hold has any ground
    above or below it, or there are no holds.
    """
    grounded, paths, rise, room = grounds.stand(times, legs, holds, ground, limits.release)
    most = _most_drop(legs, limits)
    rise, most = (rise, most + room) if most > 0.0 else (np.zeros(len(times)), most)
    drop, turned = locking.lock(times, legs, paths, HipsDrop(most, np.ones(len(times)), rise))
    return Locked(grounded, paths, drop, turned)


def bridge(
    times: Array,
    legs: Sequence[LegMotion],
    planted: Sequence[Sequence[tuple[int, int]]],
    heights: Sequence[Array],
    limits: LockLimits,
) -> Locked:
    """Return feet locked in a stretch of which the first and the last frame do not change.

    Where feet are held :func:`bridging.place_holds` says. Hips go down by at most limits.drop times the
    shortest leg's length, less near both ends, and not at these.

    Parameters
    ----------
    times : (n,)
        Seconds.
    legs
        Their motions in the stretch.
    planted
        For each foot the first and the last frame, by index and both included, of each
        span.
    heights
        For each foot (n, 2): the heights of its point and of its ankle in the clips that
        are played.
    limits
        How feet are locked; toes are raised if its `toes` is not None, fading out towards
        both ends. Its `heels` is ignored: feet are tilted as in the clips.

    Returns
    -------
    Locked
        In the order of the legs. Its paths are (n, 6): point, heading, and a tilt as
        :func:`bridging.tilts` returns it.
    """
    begin, end = times[0], times[-1]
    most = _most_drop(legs, limits)
    holds, paths, free = [], [], []
    for leg, spans, clip_heights in zip(legs, planted, heights, strict=True):
        holds.append(bridging.place_holds(times, leg, spans, clip_heights[:, 0], limits.radius, most))
        path = hold_path(times, leg.point_and_heading, holds[-1], limits.release, (begin, end), leg.near[:4])
        path = np.column_stack([path, bridging.tilts(times, path, leg, clip_heights)])
        paths.append(locking.lifted_between(times, path, leg, clip_heights, holds[-1], limits.step))
        free.append(freedom(times, holds[-1], bridging.FREE_SECONDS))
    come = eased_smoothly(times - begin, locking.DOWN_SECONDS)
    come *= eased_smoothly(end - times, locking.DOWN_SECONDS)
    drop, turned = locking.lock(times, legs, paths, HipsDrop(most, come), free)
    flags = [_mark_spans(spans, len(times)) for spans in planted]
    below = Below.from_planted(legs, flags, come=toes.ends(times))
    # clips say by themselves how feet are tilted onto their heel or their ball
    limits = dataclasses.replace(limits, heels=False)
    return keep_above(times, legs, Locked(holds, paths, drop, turned), limits, below)


@record(frozen=True, eq=False)
class FollowedClips:
    """What legs follow.

    own: each leg as the clips by themselves have it, on all frames (n,). planted: (n,) each, when clips plant
    the foot. begins: at which frames, by index, clips begin, with 0. window: seconds of a join's offset.
    """

    own: Sequence[LegMotion]
    planted: Sequence[Flags]
    begins: Sequence[int]
    window: float


def follow(
    times: Array,
    legs: Sequence[LegMotion],
    clips: FollowedClips,
    limits: LockLimits,
    ground: GroundSurface | None = None,
) -> Locked:
    """Return feet locked in clips that follow each other.

    Behind each join they step, or are held, until its offset is gone.

    Parameters
    ----------
    times : (n,)
        Seconds.
    legs
        Their motions with the joins' offsets.
    clips
        Each leg as the clips have it, when feet are planted, and where clips begin. A begin
        less than 2 frames behind the one before that counts, or on the last frame, is not
        taken for a join.
    limits
        How feet are locked; toes are raised if its `toes` is not None.
    ground
        What the feet stand on; None leaves them at the clips' own heights.

    Returns
    -------
    Locked
        In the order of the legs, with frames of holds by index. Adjoining holds at exactly the
        same point are merged.

    Raises
    ------
    InertiaError
        A ground is given and no held foot is above or below it.
    """
    paths = [leg.point_and_heading.copy() for leg in legs]
    rows: list[list[Hold]] = [[] for _ in legs]
    led = _LedFeet(paths, rows)
    # a clip of a single frame, or of none, moves no foot
    begins = [0]
    for begin in clips.begins:
        if begins[-1] + 2 <= begin < len(times) - 1:
            begins.append(begin)
    for begin, end in itertools.pairwise([*begins, len(times)]):
        _go_on(times, legs, clips, led, slice(begin, end), limits)
    if ground is not None:
        locked = _on_ground(times, legs, rows, limits, ground)
    else:
        drop, turned = locking.lock(
            times, legs, paths, HipsDrop(_most_drop(legs, limits), np.ones(len(times)))
        )
        locked = Locked(rows, paths, drop, turned)
    # behind a join a blend may have toes below their clip's floor
    ends = [int(np.searchsorted(times, times[begin] + clips.window)) for begin in begins[1:]]
    blends = _mark_spans(list(zip(begins[1:], ends, strict=True)), len(times))
    below = Below.from_planted(legs, [flags & ~blends for flags in clips.planted], ground)
    locked = keep_above(times, legs, locked, limits, below)
    return dataclasses.replace(locked, holds=[_merged(row) for row in locked.holds])


def _merged(row: Sequence[Hold]) -> list[Hold]:
    """Return holds, in order, with each one merged into the one before if it starts on the next frame at
    exactly the same point.

    A merged hold is the earlier one, with its `speed` and `leaves`, that lasts until the later one's last
    frame. The holds given are not changed.
    """
    merged: list[Hold] = []
    for hold in row:
        if merged and merged[-1].last == hold.first - 1 and np.array_equal(merged[-1].point, hold.point):
            merged[-1] = dataclasses.replace(merged[-1], last=hold.last)
        else:
            merged.append(hold)
    return merged


@record(frozen=True, eq=False)
class _LedFeet:
    """Feet as they are led so far: the path (n, 4) of each, and its holds, to both of which more is added."""

    paths: list[Array]
    holds: list[list[Hold]]


def _go_on(
    times: Array,
    legs: Sequence[LegMotion],
    clips: FollowedClips,
    led: _LedFeet,
    span: slice,
    limits: LockLimits,
) -> None:
    """Add a clip's frames to feet that are led: write led.paths on `span`, and append to led.holds, in place.

    In the first clip, which begins on frame 0, a foot is held wherever the clip has it planted. In every
    later one it goes on from where it was before: holds are planned as behind a cut, the difference fades
    within limits.release, and the foot is raised as :func:`_lifted` says.

    times: seconds (n,), of all frames. legs: their motions with offsets. span: the frames of the clip, with a
    start and a stop. Frames of the appended holds are counted from frame 0 of all.
    """
    paths, rows = led.paths, led.holds
    begin, since = span.start, times[span] - times[span.start]
    feet = []
    for leg, motion, planted, path, row in zip(legs, clips.own, clips.planted, paths, rows, strict=True):
        free, speed = _freely(times, leg, path, span, limits.release)
        # what a join before has it do counts, too
        stood = begin > 0 and bool(planted[begin - 1]) and bridging.can_stop(speed, leg)
        if row and row[-1].last == begin - 1:
            # it is there, wherever it would be
            free[0], speed, stood = row[-1].point, np.zeros_like(speed), True
        clip = motion.take(span)
        stands = _find_standing(since, clip, planted[span])
        crossing_leg = CrossingLeg(leg.take(span), clip, stands, stood, speed)
        feet.append(_foot_of(since, crossing_leg, free, limits))
    plans = handover.plan(since, feet, clips.window, limits.radius) if begin else [[] for _ in legs]
    held = [
        _find_holds(since, foot, plan, is_joined=begin > 0, window=clips.window)
        for foot, plan in zip(feet, plans, strict=True)
    ]
    for k, (leg, foot, path, row) in enumerate(zip(legs, feet, paths, rows, strict=True)):
        within = (0.0 if begin else -np.inf, np.inf)
        path[span] = hold_path(since, foot.free, held[k], limits.release, within, leg.near[:4])
        if begin:
            carried = _mark_carried(held, k, len(since))
            holding = _HeldFoot(foot, plans[k], held[k], carried)
            path[span] = _lifted(since, path[span], holding, clips.window, limits)
        row += [
            dataclasses.replace(hold, first=hold.first + begin, last=hold.last + begin) for hold in held[k]
        ]


def _freely(times: Array, leg: LegMotion, path: Array, span: slice, seconds: float) -> tuple[Array, Array]:
    """Return a foot's path on a clip's frames if nothing holds it (m, 4), and its velocity at their beginning
    (4,).

    path: (n, 4), where the foot went before the span. The difference to its own motion on the frame before,
    and that difference's rate over the two frames before, fade out within `seconds` from the frame before on,
    by :func:`faded`; for a span that begins on frame 0 or 1 there is none. The velocity is that of the leg's
    own motion on the first frame, a difference over its neighbours on both sides (on frame 0 to the next
    frame), plus the rate as it was before the span. It is in units, or radians, a second. Nothing is changed
    in place.
    """
    free, begin = leg.point_and_heading[span].copy(), span.start
    around = slice(max(begin - 1, 0), begin + 2)
    speed = rates_of(leg.point_and_heading[around], times[around])[min(begin, 1)]
    if begin > 1:
        before, last = path[begin - 2 : begin] - leg.point_and_heading[begin - 2 : begin]
        rate = (last - before) / (times[begin - 1] - times[begin - 2])
        free += faded(last, rate, np.zeros(4), seconds, times[span] - times[begin - 1])
        speed = speed + rate
    return free, speed


def _find_standing(times: Array, leg: LegMotion, planted: Flags) -> Flags:
    """Tell when a planted foot stands by itself (n,): neither lands any more, nor lifts yet."""
    holds = _holds(leg.point_and_heading, runs(planted))
    return _mark_held(
        (trim_to_standing(times, leg.point_and_heading, hold, leg.near[:4]) for hold in holds), len(planted)
    )


def _find_holds(
    times: Array, foot: Foot, plan: Sequence[Hold], *, is_joined: bool, window: float
) -> list[Hold]:
    """Return where a foot is held on a clip's frames, in order: the planned holds, then one for each later
    stand.

    A stand is a row of at least two frames in foot.planted. It is held at the median of foot.free over the
    whole stand. One that begins before the last hold ends starts later: by the time of a step
    (:func:`handover.estimate_step_seconds`) behind that hold's end, at its own median place all the same.
    Stands without at least two frames left are left out.

    times: seconds (n,) since the join. plan: the holds that the join needs; it is not changed. is_joined:
    whether the clip has been joined; then only stands that begin behind frame 0, and `window` seconds or more
    after the join, are added, else all.
    """
    later = [
        (first, last)
        for first, last in runs(foot.planted)
        if last > first and (not is_joined or (first and times[first] >= window))
    ]
    places = medians(foot.free, later)
    held = list(plan)
    for (first, last), place in zip(later, places, strict=True):
        if held and first <= held[-1].last:
            # it stands on for longer than its clip has it, and steps then
            gone = handover.distance(place, held[-1].point)
            lands = times[held[-1].last] + handover.estimate_step_seconds(gone, foot.length, foot.pace)
            first = max(int(np.searchsorted(times, lands)), held[-1].last + 1)
        if first < last:
            held.append(Hold(first, last, place))
    return held


@record(frozen=True, eq=False)
class _HeldFoot:
    """A foot behind a join. plan: the holds that the join plans, and all_holds: those and all later ones.
    carried: (n,) when another foot is held."""

    foot: Foot
    plan: Sequence[Hold]
    all_holds: Sequence[Hold]
    carried: Flags


def _lifted(times: Array, path: Array, behind_join: _HeldFoot, window: float, limits: LockLimits) -> Array:
    """Return a path (m, 4) whose height is raised in the steps behind a join, so that a foot steps and stays
    above where its clip has it.

    Raised are the frames from the join until the offset is gone and limits.release after the last planned
    hold has passed, but only up to the first later hold. The nearer the foot is to its clip's, the less it
    steps; at limits.radius leg lengths or more it steps in full. What is added fades out at the end, so that
    the frames behind do not change. With fewer than two such frames the path itself is returned.

    times: (m,), seconds since the join. path: not changed. behind_join: the foot and its holds. window: how
    long the offset lasts, seconds.
    """
    foot, plan = behind_join.foot, behind_join.plan
    reach = max([window, *(times[hold.last] + limits.release for hold in plan)])
    behind = [hold.first for hold in behind_join.all_holds[len(plan) :]]
    until = min([int(np.searchsorted(times, reach, "right")), len(times), *behind])
    if until < 2:
        return path
    part, last = slice(until), plan[-1].last if plan else -1
    # a step of the clip's own is as high as the clip has it
    away = np.linalg.norm(path[part, :3] - foot.own[part, :3], axis=1)
    steps = limits.step * np.clip(away / (limits.radius * foot.length), 0.0, 1.0)
    shown = dataclasses.replace(foot, own=_trace_landing(times[part], foot, plan), planted=foot.planted[part])
    lifted = locking.lifted(times[part], path[part], shown, plan, behind_join.carried[part], steps)
    more = lifted[:, 2] - path[part, 2] + _raise_steps(times[part], lifted, foot, plan, limits)
    if until < len(times):
        # what goes on from there is not lifted
        left = eased_smoothly(times[until - 1] - times[part], locking.RAISED_SECONDS)
        more *= np.where(np.arange(until) > last, left, 1.0)
    raised = path.copy()
    raised[part, 2] += more
    return raised


def _raise_steps(times: Array, path: Array, foot: Foot, plan: Sequence[Hold], limits: LockLimits) -> Array:
    """Return by how much (n,) a foot is raised between holds so that it steps over the way it is away from
    the clip's foot.

    It is raised to a height over the clip foot's lowest point, if it is lower: h (1 - e^(-2.5 d / h)), with d
    the horizontal distance from the clip's foot, and h a quarter of d, but at most that of a step (0.06 leg
    lengths times limits.step). Over time that is smoothed, so that it sets out before it is needed, see
    :func:`locking.smoothed`. It is 0 on holds and on the first frame, and comes over 0.08 s behind these and
    goes over 0.07 s before the next hold.

    times: seconds (n,). path: (n, 4), not changed. foot: its `own` has n frames or more, and its lowest point
    is that of all of them. plan: the holds, in order. All heights are in world units.
    """
    away = np.linalg.norm(path[:, :2] - foot.own[: len(times), :2], axis=1)
    highest = limits.step * locking.STEP_LENGTH * foot.length
    height = np.clip(locking.STEP_TRAVEL * away, 1e-9, max(highest, 1e-9))
    floor = float(foot.own[:, 2].min()) - height * np.expm1(-locking.SLOPE * away / height)
    free, last = np.ones(len(times)), 0
    for hold in [*plan, None]:
        air = slice(last, len(times) if hold is None else hold.first)
        free[air] = eased_smoothly(times[air] - times[last], locking.RAISED_SECONDS)
        if hold is not None:
            free[air] *= eased(times[hold.first] - times[air], locking.LANDED_SECONDS)
            free[hold.first : hold.last + 1], last = 0.0, hold.last
    # so that it sets out before it would be lower, and not with a jerk
    return free * locking.smoothed(free * np.maximum(floor - path[:, 2], 0.0), times, np.inf)


def _trace_landing(times: Array, foot: Foot, plan: Sequence[Hold]) -> Array:
    """Return the clip's foot (n, 4), lowered before each hold so that it comes down to the height of the
    hold.

    times: seconds (n,), of the first frames of foot.own. plan: the holds. A hold that is lower than the
    clip's foot on its first frame lowers it over 0.3 s before; nothing is raised.
    """
    landing = foot.own[: len(times)].copy()
    for hold in plan:
        left = times[hold.first] - times
        lower = max(float(foot.own[hold.first, 2] - hold.point[2]), 0.0) * (left >= 0.0)
        landing[:, 2] -= lower * (1.0 - eased(left, locking.FADE_SECONDS))
    return landing
