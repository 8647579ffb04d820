# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet locked from the cut of a transition on, in a clip, and in what lies between two."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...records import record
from .. import quaternion
from ..arrays import Array, Flags
from ..smoothing import eased_smoothly
from . import bridging, handover, hips, leg_ik, locking, swings
from . import ground as grounds
from .contacts import medians
from .corrections import Hold, standing
from .ground import Ground
from .handover import Foot
from .locking import LegMotion, Turned

ROUNDED = 5e-5
"""A leg that is straight in the clips reaches as far as it is long: what rounds that is a smaller part."""


@record(frozen=True)
class How:
    """How feet are locked.

    release: seconds that a foot takes to its own path. radius: leg lengths within which a foot that both
    clips have planted holds its place. drop: how far the hips may go down, and step: how much higher than
    usual steps are, as factors of a leg's length and of that.
    """

    release: float = 0.25
    radius: float = 0.3
    drop: float = 0.05
    step: float = 1.0


@record(frozen=True, eq=False)
class Locked:
    """Feet as they are locked. holds, paths (n, 4): of each. drop: (n,) of the hips. turned: each leg."""

    holds: list[list[Hold]]
    paths: list[Array]
    drop: Array
    turned: list[Turned]


def cross(
    times: Array,
    legs: Sequence[LegMotion],
    own: Sequence[LegMotion],
    planted: Sequence[Flags],
    stood: Sequence[bool],
    speeds: Sequence[Array],
    window: float,
    how: How,
) -> Locked:
    """Lock feet from the cut on.

    times: seconds (n,) since then. legs: as the offset alone lets them go; own: as the aligned destination
    has them. planted: (n,) each, when the destination has them planted; stood: which of them the source has
    planted at the cut; speeds: (4,) of their points and headings there, per second. window: seconds in which
    an offset is left.
    """
    each = zip(legs, own, planted, stood, speeds, strict=True)
    feet = [
        foot_of(times, leg, leg.standing, there, plants, stands, speed, how)
        for leg, there, plants, stands, speed in each
    ]
    holds = handover.plan(times, feet, window, how.radius)
    standing = [during(held, len(times)) for held in holds]
    paths = []
    for i, (leg, foot, held) in enumerate(zip(legs, feet, holds, strict=True)):
        path = locking.path_of(times, leg, held, how.release, 0.0)
        carried = np.any([np.zeros(len(times), bool), *standing[:i], *standing[i + 1 :]], axis=0)
        paths.append(swings.lifted(times, path, foot, held, carried, how.step))
    most = how.drop * min((leg.length for leg in legs), default=0.0)
    come = eased_smoothly(times, hips.DOWN_SECONDS)
    drop, turned = locking.lock(times, legs, paths, most, come)
    return Locked(holds, paths, drop, turned)


def during(holds: Sequence[Hold], count: int) -> Flags:
    """On which of so many frames a foot is held."""
    found = np.zeros(count, bool)
    for hold in holds:
        found[hold.first : hold.last + 1] = True
    return found


def foot_of(
    times: Array,
    leg: LegMotion,
    free: Array,
    own: LegMotion,
    planted: Flags,
    stood: bool,
    speed: Array,
    how: How,
) -> Foot:
    """What a plan has to know of a foot. free: (n, 4) where it is unless it is held; see :func:`cross`."""
    heading = locking.headings(own.foot, leg.foot[0])
    heading += quaternion.nearest_turn(heading[:1], free[:1, 3]) - heading[:1]
    most = how.drop * leg.length
    # short of where the leg is stretched so softly that the foot would be left behind
    longest = np.maximum(
        leg.longest - 0.5 * leg_ik.SOFT * leg.length, np.linalg.norm(leg.pose.ankle - leg.pose.hip, axis=-1)
    )

    def reaches(place: Array) -> Flags:
        turn = quaternion.exp((place[3] - free[:, 3])[:, None] * locking.VERTICAL)
        ankle = place[:3] - quaternion.rotate(turn, leg.point - leg.pose.ankle)
        drop = np.minimum(hips.drop_needed(leg.pose.hip, ankle, longest), most)
        way = ankle - leg.pose.hip + drop[:, None] * locking.VERTICAL
        return np.asarray(np.linalg.norm(way, axis=-1) <= longest * (1.0 + ROUNDED))

    place = np.column_stack([own.point, heading])
    fastest = float((np.linalg.norm(np.diff(own.point, axis=0), axis=1) / np.diff(times)).max())
    return Foot(free, speed, place, planted, stood, reaches, leg.length, fastest)


def stay(
    times: Array,
    legs: Sequence[LegMotion],
    planted: Sequence[Sequence[tuple[int, int]]],
    how: How,
    ground: Ground | None = None,
) -> Locked:
    """Lock feet in a clip.

    times: seconds (n,). planted: of each foot the first and the last frame, by index, of each span. ground:
    what they stand on, None for where the clip has them. Raises InertiaError for a ground that is nowhere
    near.
    """
    holds = []
    for leg, spans in zip(legs, planted, strict=True):
        places = medians(leg.standing, [slice(a, b + 1) for a, b in spans])
        whole = [Hold(*ends, place) for ends, place in zip(spans, places, strict=True)]
        if ground is None:
            whole = [standing(times, leg.standing, hold, leg.near[:4]) for hold in whole]
        holds.append(whole)
    most = how.drop * min((leg.length for leg in legs), default=0.0)
    rise = None
    if ground is None:
        each = zip(legs, holds, strict=True)
        paths = [locking.path_of(times, leg, held, how.release, near=leg.near[:4]) for leg, held in each]
    else:
        holds, paths, carried, room = grounds.stand(times, legs, holds, ground, how.release)
        rise = carried if most > 0.0 else np.zeros(len(times))
        most += room if most > 0.0 else 0.0
    drop, turned = locking.lock(times, legs, paths, most, np.ones(len(times)), rise)
    return Locked(holds, paths, drop, turned)


def bridge(
    times: Array,
    legs: Sequence[LegMotion],
    planted: Sequence[Sequence[tuple[int, int]]],
    heights: Sequence[Array],
    how: How,
) -> Locked:
    """Lock feet in a stretch whose first and last frame stay as they are, and so that what lies around goes
    on from them. times, legs, planted: see :func:`stay`. heights: (n, 2) of each foot, how high the point by
    which it stands, and its ankle, are in the clips that are played."""
    begin, end = times[0], times[-1]
    most = how.drop * min((leg.length for leg in legs), default=0.0)
    holds, paths, free = [], [], []
    for leg, spans, own in zip(legs, planted, heights, strict=True):
        holds.append(bridging.holds(times, leg, spans, own[:, 0], how.radius, most))
        path = locking.path_of(times, leg, holds[-1], how.release, begin, leg.near[:4], end)
        path = np.column_stack([path, bridging.tilts(times, path, leg, own)])
        paths.append(swings.lifted_between(times, path, leg, own, holds[-1], how.step))
        free.append(bridging.free(times, holds[-1]))
    come = eased_smoothly(times - begin, hips.DOWN_SECONDS)
    come *= eased_smoothly(end - times, hips.DOWN_SECONDS)
    drop, turned = locking.lock(times, legs, paths, most, come, free=free)
    return Locked(holds, paths, drop, turned)
