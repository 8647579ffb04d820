# SPDX-License-Identifier: GPL-3.0-or-later
"""What is added to a foot's own path so that it stands where it is held, and flows there and back.

While it is held the foot is at a point. Before it the way from its own path comes in as
``U + h(p - U, p' - U', -U'')``, backwards, and behind it fades as ``U + h(p - U, p' - U', -U'' / 2)``; h is
the quintic that ends at rest, so that the path has no jump in speed at either end of a correction, and none
in acceleration where the foot comes to stand, and nothing skates in between. In a whole clip, the speed up or
down that it lacks where it lifts or lands is made up for sooner, so that no toe brushes the ground.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from ...records import record
from ..arrays import Array, Integers, eased

BLEED_SECONDS = 0.05
"""What speed a foot still has where it begins to be held is gone after so long."""
LIFT_SECONDS = 0.08
"""A foot follows its own speed up and down so soon after it lifts, and so long before it lands."""
BEND_SECONDS = 1.0 / 30.0
"""How a path bends is looked at over so long to either side: over less there is noise."""
LEFT = 0.5
"""So much of how a path bends there a foot that leaves misses: it neither jerks nor lags behind for long."""
UNUSUAL, STILL = 4.0, 0.3
"""A foot that stands by itself lands, or lifts, so many times further off than usual, in parts of near ..."""
QUICKER = 2.0
"""... and so many times quicker, and as quick as what is near in BLEED_SECONDS."""
MOSTLY = 0.75
"""A foot that is near for such a part of a hold stands by itself: between keys it may wobble."""


@record(frozen=True, eq=False)
class Hold:
    """Frames on which a foot is held. first, last: the first and the last of them, by index.

    point: (k,) where it comes to rest. speed, leaves: (k,) per second, at first, and with which it goes on.
    """

    first: int
    last: int
    point: Array
    speed: Array | None = None
    leaves: Array | None = None

    def path(self, times: Array) -> Array:
        """Return where the foot is on the frames of this hold: (last - first + 1, k).

        It is the point throughout, except that a foot with `speed` comes to rest there within 0.05 s from the
        first frame, and one with `leaves` sets out in the last 0.05 s. On the first frame the foot is 0.025 s
        times `speed` before the point, and from there its velocity is `speed` times (1 - s)^2 (1 + 2 s), with
        s the seconds since over 0.05. With `leaves` it is the same in reversed time, so that the foot ends
        0.025 s times `leaves` beyond the point. In a hold that is shorter both parts add up.

        times: seconds (n,) of all frames.
        """
        held = times[self.first : self.last + 1]
        where = np.repeat(self.point[None], len(held), axis=0)
        if self.speed is not None:
            where = where + bled(held - held[0])[:, None] * self.speed
        return where if self.leaves is None else where - bled(held[-1] - held)[:, None] * self.leaves

    def end_speed(self, times: Array) -> Array:
        """Return the foot's velocity (k,) at the hold's last frame, in units a second.

        It is `leaves` if there is one, else what is left of `speed` after the hold's time: `speed` times (1 -
        s)^2 (1 + 2 s), with s the hold's seconds over 0.05, at most 1. So it is zero after 0.05 s, and
        without any `speed`. times: seconds (n,) of all frames.
        """
        if self.leaves is not None:
            return self.leaves
        if self.speed is None:
            return np.zeros_like(self.point)
        s = min((times[self.last] - times[self.first]) / BLEED_SECONDS, 1.0)
        return np.asarray(self.speed * (1.0 - s) ** 2 * (1.0 + 2.0 * s))


def trim_to_standing(times: Array, free: Array, hold: Hold, near: Array) -> Hold:
    """Return a hold without those frames at its ends in which the foot is still landing or already lifting.

    A foot that is held while it lands or lifts would pull the hips down. Frames are cut at an end only where
    the foot moves there clearly faster than in between (on average at least twice as fast as the median
    there, and 20 times `near` a second), so that a foot that drifts keeps all of its frames.

    Parameters
    ----------
    times : (n,)
        Seconds.
    free : (n, k)
        The foot's path when nothing holds it.
    hold
        Its first and last frame are indices into times.
    near : (k,)
        For each component how far from the hold's point counts as standing at most; it is less where
        the foot is much nearer in most of the frames.

    Returns
    -------
    Hold
        A copy with new first and last frames, also if nothing is cut; the hold itself if the foot
        stands in half of its frames or fewer.
    """
    offsets = (free[hold.first : hold.last + 1] - hold.point) / near
    away = np.abs(offsets).max(axis=1)
    if 2 * np.count_nonzero(away <= 1.0) <= len(away):
        # however near it mostly is: to find out takes longer than all else
        return hold
    stands = away <= np.clip(UNUSUAL * np.median(away), STILL, 1.0)
    if 2 * stands.sum() <= len(stands):
        return hold
    edges = np.flatnonzero(np.diff(np.concatenate([[False], stands, [False]]))).reshape(-1, 2)
    longest = edges[np.argmax(np.ptp(edges, axis=1))]
    # what wobbles now and then does so between its first and its last frame
    begin, end = longest if 2 * np.ptp(longest) > len(stands) else (edges[0, 0], edges[-1, 1])
    speeds = np.abs(np.diff(offsets, axis=0)).max(axis=1) / np.diff(times[hold.first : hold.last + 1])
    # what drifts all the time is to be held from end to end
    usual = np.median(speeds[begin : end - 1]) if end - begin > 1 else 0.0
    quick = max(QUICKER * usual, 1.0 / BLEED_SECONDS)
    first = hold.first + (int(begin) if begin and speeds[:begin].mean() >= quick else 0)
    last = hold.last
    if end < len(offsets) and speeds[end - 1 :].mean() >= quick:
        last = hold.first + int(end) - 1
    return dataclasses.replace(hold, first=first, last=last)


def bled(since: Array) -> Array:
    """Return how far from where it will rest (n,) a point is that begins at speed 1 and eases out; <= 0.

    since: seconds (n,). The speed is (1 - s)^2 (1 + 2 s), s = t / BLEED_SECONDS: no acceleration jumps.
    """
    # the integral of 1 - 3 s^2 + 2 s^3, which leads a speed of 1 to rest
    s = np.minimum(since / BLEED_SECONDS, 1.0)
    return np.asarray(BLEED_SECONDS * (s - s**3 + 0.5 * s**4 - 0.5))


def find_rest_point(start: Array, speed: Array) -> Array:
    """Return where (k,) a point at ``start`` with a speed comes to rest, see :func:`bled`."""
    return np.asarray(start + 0.5 * BLEED_SECONDS * speed)


def faded(x: Array, v: Array, a: Array, seconds: Array | float, since: Array) -> Array:
    """Return an offset with a rate and an acceleration some time later, as it fades to rest at 0.

    With T = seconds and s = since / T it is (1 - s)^3 (x + (v T + 3 x) s + (a T^2 / 2 + 3 v T + 6 x) s^2),
    the quintic of D. Bollo, "Inertialization" (GDC 2018).

    Parameters
    ----------
    x, v, a : (k,)
        The offset, its rate per second and its acceleration per second squared; or (n, k),
        one for each time.
    seconds
        When it is gone, a number or (n,), above 0; this isn't checked, and 0 gives nan
        where since is 0.
    since : (n,)
        Seconds. Before 0 the result is x, from `seconds` on 0.

    Returns
    -------
    Array (n, k)
        In the unit of x.
    """
    # its triple zero lets it arrive without a speed and without an acceleration
    s = np.clip(since / seconds, 0.0, 1.0)[:, None]
    whole = np.asarray(seconds)[..., None]
    rate, bend = v * whole, 0.5 * a * whole * whole
    return np.asarray((1.0 - s) ** 3 * (x + (rate + 3.0 * x) * s + (bend + 3.0 * rate + 6.0 * x) * s * s))


def freedom(times: Array, holds: Sequence[Hold], seconds: float) -> Array:
    """Return how free a foot is: 0 while it is held, eased to 1 within some time before and after that.

    Parameters
    ----------
    times : (n,)
        Seconds.
    holds
        Where two are near both count, as a product; without any all is 1.
    seconds
        From that far from a hold on the foot is free; above 0. With s the time from the hold's
        nearer end over `seconds`, a hold counts s^2 (3 - 2 s) on the way.

    Returns
    -------
    Array (n,)
        From 0 to 1.
    """
    free = np.ones(len(times))
    for hold in holds:
        apart = np.maximum(times[hold.first] - times, times - times[hold.last])
        free *= eased(np.maximum(apart, 0.0), seconds)
    return free


def hold_path(
    times: Array,
    free: Array,
    holds: Sequence[Hold],
    release: float,
    within: tuple[float, float] = (-np.inf, np.inf),
    near: Array | None = None,
) -> Array:
    """Return a path (n, k) that is where the holds have a foot on their frames, and else as near as can be to
    a free one.

    Beside each hold the difference to the free path, its rate, and its bend (half of that behind a hold) fade
    out by :func:`faded`; where those of two holds meet they add up. On held frames the path is
    :meth:`Hold.path`. Without holds it is a copy of `free`.

    times: seconds (n,), rising. free: (n, k), which is not changed. holds: in order and apart. release:
    seconds that a correction takes on either side of a hold; less where the next hold or an end of `within`
    is nearer. within: (from, until), the seconds outside of which nothing changes.

    near: (k,), above 0, with k of 3 or more and heights in column 2. If the free path is no further than that
    from a hold in most of its frames, the foot stands there by itself, and comes and goes at its own speed.
    At twice as far or more it is led, so that it leaves and reaches the hold with the hold's speed; in
    between it is led in part. Where its rate would take a foot below where it lifts or lands, the rate fades
    within LIFT_SECONDS. With None every hold is led, and heights are as all else.
    """
    if not holds:
        return free.copy()
    since, until = within
    first, last = (np.array([getattr(hold, name) for hold in holds]) for name in ("first", "last"))
    starts, ends = times[first], times[last]
    paths = [hold.path(times) for hold in holds]
    speeds = [np.zeros_like(hold.point) if hold.speed is None else hold.speed for hold in holds]
    # no correction reaches into the hold before
    before = np.minimum(release, starts - np.maximum(np.append(-np.inf, ends[:-1]), since))
    after = np.minimum(release, np.minimum(np.append(starts[1:], np.inf), until) - ends)
    # what is at each end of the holds, and over how long: backwards before them, forwards behind them
    frames = np.concatenate([first, last])
    where = np.array([*(path[0] for path in paths), *(path[-1] for path in paths)]) - free[frames]
    speed = np.array([*speeds, *(hold.end_speed(times) for hold in holds)]) - rates_of(free, times)[frames]
    way = np.repeat([-1.0, 1.0], len(holds))[:, None]
    bend = -np.repeat([1.0, LEFT], len(holds))[:, None] * accelerations_of(free, times)[frames]
    if near is not None:
        drifts = [
            _most_of((np.abs(path - free[hold.first : hold.last + 1]) / near).max(axis=1))
            for hold, path in zip(holds, paths, strict=True)
        ]
        led = np.tile(np.clip(np.array(drifts) - 1.0, 0.0, 1.0), 2)[:, None]
        speed, bend = led * speed, led * bend
    lasting = np.concatenate([before * (first > 0), after * (last < len(times) - 1)])
    row, place, apart = _around(times, frames, lasting, way[:, 0])
    path = free.copy()
    rate, rest = (way * speed)[row], np.zeros_like(bend[row])
    offsets = faded(where[row], rate, bend[row], lasting[row], apart)
    if near is not None:
        # a foot that lags behind where it lifts would brush the ground with its toes, and so would one that
        # is down before it lands
        low = rate[:, 2] < 0.0
        brief = faded(rest, rate, bend[row], np.minimum(lasting[row], LIFT_SECONDS), apart)
        offsets[low, 2] = (faded(where[row], rest, rest, lasting[row], apart) + brief)[low, 2]
    # what fades behind a hold, and what comes in before the next one, may overlap
    np.add.at(path, place, offsets)
    for hold, stand in zip(holds, paths, strict=True):
        path[hold.first : hold.last + 1] = stand
    return path


def _most_of(sizes: Array) -> float:
    """Return the MOSTLY quantile of sizes (n,), as numpy has it, which takes ten times as long of so few."""
    ordered, place = np.sort(sizes).tolist(), MOSTLY * (len(sizes) - 1)
    i = int(place)
    below, above = ordered[i], ordered[min(i + 1, len(sizes) - 1)]
    # from the nearer of the two, as numpy does
    t = place - i
    return float(above - (above - below) * (1.0 - t) if t >= 0.5 else below + (above - below) * t)


def _around(times: Array, frames: Integers, lasting: Array, sign: Array) -> tuple[Integers, Integers, Array]:
    """Return the frames strictly between each of some frames (m,) and so many seconds later, or before if
    sign is -1.

    times: seconds of all frames, rising. frames: (m,) indices. lasting: (m,) seconds; less than 0 counts as
    0. sign: (m,), 1 or -1. Return three arrays as long as all of these together: which of the m frames each
    belongs to, its own index, and how many seconds it is apart from that frame, never negative. They are in
    the order of the m frames, and for each of these in the order of time, whatever the sign.
    """
    begins, ends = times[frames], times[frames] + sign * np.maximum(lasting, 0.0)
    begin = np.searchsorted(times, np.minimum(begins, ends), "right")
    counts = np.maximum(np.searchsorted(times, np.maximum(begins, ends), "left") - begin, 0)
    row = np.repeat(np.arange(len(frames)), counts)
    place = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts) + begin[row]
    return row, place, np.abs(times[place] - begins[row])


def rates_of(path: Array, times: Array) -> Array:
    """Return the rates (n, k) of a path, by central differences."""
    if len(times) < 2:
        return np.zeros_like(path)
    return np.asarray(np.gradient(path, times, axis=0, edge_order=2 if len(times) > 2 else 1))


def accelerations_of(path: Array, times: Array) -> Array:
    """Return the accelerations (n, k), in units per second squared, of a path (n, k) at times (n,), seconds.

    They are second differences over about 1/30 s to either side: over as many frames as that is by the median
    distance of two frames, rounded, but one at least. Times may be uneven: the difference of the mean rates
    on either side is divided by the mean of both distances in time. Within that many frames of the ends they
    are 0, and everywhere 0 if there are too few frames.
    """
    accelerations = np.zeros_like(path)
    step = max(1, round(BEND_SECONDS / float(np.median(np.diff(times))))) if len(times) > 1 else 1
    if len(times) > 2 * step:
        apart = (times[step:] - times[:-step])[:, None]
        rates = (path[step:] - path[:-step]) / apart
        accelerations[step:-step] = 2.0 * (rates[step:] - rates[:-step]) / (apart[step:] + apart[:-step])
    return accelerations
