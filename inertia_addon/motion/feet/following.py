# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet locked in clips that follow on each other, each joined to the one before.

Behind a join feet go as they do behind the cut of a transition, until the offset that it leaves is gone;
elsewhere they stand where the clips have them.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence

import numpy as np

from ...records import record
from ..arrays import Array, Flags
from ..smoothing import eased, eased_smoothly
from . import bridging, corrections, crossing, handover, hips, locking, swings
from . import ground as grounds
from .contacts import medians
from .corrections import Hold, faded, rates_of, standing
from .crossing import How, Locked
from .ground import Ground
from .handover import Foot
from .locking import LegMotion


@record(frozen=True, eq=False)
class Followed:
    """What legs follow.

    own: each leg as the clips by themselves have it, on all frames (n,). planted: (n,) each, when the clips
    have the foot planted. begins: the frames, by index, at which clips begin, the first at 0. window: seconds
    in which a join leaves an offset.
    """

    own: Sequence[LegMotion]
    planted: Sequence[Flags]
    begins: Sequence[int]
    window: float


def follow(
    times: Array, legs: Sequence[LegMotion], clips: Followed, how: How, ground: Ground | None = None
) -> Locked:
    """Lock feet in clips that follow on each other.

    times: seconds (n,). legs: as the joins let them go. ground: what they stand on, None for where the clips
    have them. Raises InertiaError for a ground that is nowhere near.
    """
    paths = [leg.standing.copy() for leg in legs]
    rows: list[list[Hold]] = [[] for _ in legs]
    # a clip of a single frame moves no foot
    begins = [begin for begin in clips.begins if begin < len(times) - 1]
    for begin, end in itertools.pairwise([*begins, len(times)]):
        _go_on(times, legs, clips, paths, rows, slice(begin, end), how)
    most = how.drop * min((leg.length for leg in legs), default=0.0)
    rise = None
    if ground is not None:
        rows, paths, carried, room = grounds.stand(times, legs, rows, ground, how.release)
        rise = carried if most > 0.0 else np.zeros(len(times))
        most += room if most > 0.0 else 0.0
    drop, turned = locking.lock(times, legs, paths, most, np.ones(len(times)), rise)
    return Locked([_merged(row) for row in rows], paths, drop, turned)


def _merged(row: Sequence[Hold]) -> list[Hold]:
    """Holds of which those are one that go on at the same place."""
    found: list[Hold] = []
    for hold in row:
        if found and found[-1].last == hold.first - 1 and np.array_equal(found[-1].point, hold.point):
            found[-1] = dataclasses.replace(found[-1], last=hold.last)
        else:
            found.append(hold)
    return found


def _go_on(
    times: Array,
    legs: Sequence[LegMotion],
    clips: Followed,
    paths: Sequence[Array],
    rows: Sequence[list[Hold]],
    span: slice,
    how: How,
) -> None:
    """Let feet go on as a clip does on its frames. paths: of each (n, 4), and rows: where they are held,
    both as far as they are known."""
    begin, since = span.start, times[span] - times[span.start]
    feet = []
    for leg, own, planted, path, row in zip(legs, clips.own, clips.planted, paths, rows, strict=True):
        free, speed = _freely(times, leg, path, span, how.release)
        stood = begin > 0 and bool(planted[begin - 1])
        # what a join before has it do counts, too
        stood = stood and float(np.linalg.norm(speed[:3])) <= bridging.STOPS * leg.length
        if row and row[-1].last == begin - 1:
            # it is there, wherever it would be
            free[0], speed, stood = row[-1].point, np.zeros_like(speed), True
        clip = own.take(span)
        stands = _standing(since, clip, planted[span])
        feet.append(crossing.foot_of(since, leg.take(span), free, clip, stands, stood, speed, how))
    plans = handover.plan(since, feet, clips.window, how.radius) if begin else [[] for _ in legs]
    held = [_held(since, foot, plan, begin > 0, clips.window) for foot, plan in zip(feet, plans, strict=True)]
    for k, (leg, foot, path, row) in enumerate(zip(legs, feet, paths, rows, strict=True)):
        ends = {"since": 0.0} if begin else {}
        path[span] = corrections.held(since, foot.free, held[k], how.release, near=leg.near[:4], **ends)
        if begin:
            others = [crossing.during(each, len(since)) for i, each in enumerate(held) if i != k]
            carried = np.any([np.zeros(len(since), bool), *others], axis=0)
            path[span] = _lifted(since, path[span], foot, plans[k], held[k], carried, clips.window, how)
        row += [
            dataclasses.replace(each, first=each.first + begin, last=each.last + begin) for each in held[k]
        ]


def _freely(times: Array, leg: LegMotion, path: Array, span: slice, seconds: float) -> tuple[Array, Array]:
    """Where a foot goes on a clip's frames (n, 4) unless it is held, and how fast at first (4,): what it is
    away from where it would be by the frame before fades in so many seconds."""
    free, begin = leg.standing[span].copy(), span.start
    around = slice(max(begin - 1, 0), begin + 2)
    speed = rates_of(leg.standing[around], times[around])[min(begin, 1)]
    if begin > 1:
        before, last = path[begin - 2 : begin] - leg.standing[begin - 2 : begin]
        rate = (last - before) / (times[begin - 1] - times[begin - 2])
        free += faded(last, rate, np.zeros(4), seconds, times[span] - times[begin - 1])
        speed = speed + rate
    return free, speed


def _standing(times: Array, leg: LegMotion, planted: Flags) -> Flags:
    """When a planted foot stands by itself (n,): neither lands any more, nor lifts yet."""
    found = np.zeros(len(planted), bool)
    runs = handover.spans(planted)
    places = medians(leg.standing, [slice(first, last + 1) for first, last in runs])
    for (first, last), place in zip(runs, places, strict=True):
        hold = standing(times, leg.standing, Hold(first, last, place), leg.near[:4])
        found[hold.first : hold.last + 1] = True
    return found


def _held(times: Array, foot: Foot, plan: Sequence[Hold], is_joined: bool, window: float) -> list[Hold]:
    """Where a foot is held on a clip's frames: because of the join, and later by itself."""
    later = [
        (first, last)
        for first, last in handover.spans(foot.planted)
        if last > first and (not is_joined or (first and times[first] >= window))
    ]
    places = medians(foot.free, [slice(first, last + 1) for first, last in later])
    found = list(plan)
    for (first, last), place in zip(later, places, strict=True):
        if found and first <= found[-1].last:
            # it stands on for longer than its clip has it, and steps then
            gone = float(np.linalg.norm((place - found[-1].point)[:3]))
            lands = times[found[-1].last] + handover.stepping_seconds(gone, foot.length, foot.pace)
            first = max(int(np.searchsorted(times, lands)), found[-1].last + 1)
        if first < last:
            found.append(Hold(first, last, place))
    return found


def _lifted(
    times: Array,
    path: Array,
    foot: Foot,
    plan: Sequence[Hold],
    held: Sequence[Hold],
    carried: Flags,
    window: float,
    how: How,
) -> Array:
    """A path (n, 4) behind a join that steps, and stays above where the clip has the foot, until the offset
    is gone. plan: where the join has it held, of all that are. carried: when another foot is."""
    reach = max([window, *(times[hold.last] + how.release for hold in plan)])
    behind = [hold.first for hold in held[len(plan) :]]
    until = min([int(np.searchsorted(times, reach, "right")), len(times), *behind])
    if until < 2:
        return path
    part, last = slice(until), plan[-1].last if plan else -1
    # a step of the clip's own is as high as the clip has it
    away = np.linalg.norm(path[part, :3] - foot.own[part, :3], axis=1)
    steps = how.step * np.clip(away / (how.radius * foot.length), 0.0, 1.0)
    shown = dataclasses.replace(foot, own=_landing(times[part], foot, plan), planted=foot.planted[part])
    lifted = swings.lifted(times[part], path[part], shown, plan, carried[part], steps)
    more = lifted[:, 2] - path[part, 2] + _stepping(times[part], lifted, foot, plan, how)
    if until < len(times):
        # what goes on from there is not lifted
        left = eased_smoothly(times[until - 1] - times[part], swings.RAISED_SECONDS)
        more *= np.where(np.arange(until) > last, left, 1.0)
    found = path.copy()
    found[part, 2] += more
    return found


def _stepping(times: Array, path: Array, foot: Foot, plan: Sequence[Hold], how: How) -> Array:
    """How much higher (n,) a foot goes between holds the further it is from where the clip has it: there the
    foot may stand, whether or not that was seen."""
    away = np.linalg.norm(path[:, :2] - foot.own[: len(times), :2], axis=1)
    highest = how.step * swings.STEP_LENGTH * foot.length
    height = np.clip(swings.STEP_TRAVEL * away, 1e-9, max(highest, 1e-9))
    floor = float(foot.own[:, 2].min()) - height * np.expm1(-swings.SLOPE * away / height)
    free, last = np.ones(len(times)), 0
    for hold in [*plan, None]:
        air = slice(last, len(times) if hold is None else hold.first)
        free[air] = eased_smoothly(times[air] - times[last], swings.RAISED_SECONDS)
        if hold is not None:
            free[air] *= eased(times[hold.first] - times[air], swings.LANDED_SECONDS)
            free[hold.first : hold.last + 1], last = 0.0, hold.last
    # so that it sets out before it would be lower, and not with a jerk
    return free * hips.smoothed(free * np.maximum(floor - path[:, 2], 0.0), times, np.inf)


def _landing(times: Array, foot: Foot, plan: Sequence[Hold]) -> Array:
    """Where a clip has a foot (n, 4) that comes down to where it is held, not to where it rolls on from."""
    found = foot.own[: len(times)].copy()
    for hold in plan:
        left = times[hold.first] - times
        lower = max(float(foot.own[hold.first, 2] - hold.point[2]), 0.0) * (left >= 0.0)
        found[:, 2] -= lower * (1.0 - eased(left, swings.FADE_SECONDS))
    return found
