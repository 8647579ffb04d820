# SPDX-License-Identifier: GPL-3.0-or-later
"""What is added to a foot's own path so that it stands where it is held, and flows there and back.

While it is held the foot is at a point. Before it the way from its own path comes in as
``U + h(p - U, p' - U', -U'')``, backwards, and behind it fades as ``U + h(p - U, p' - U', -U'' / 2)``; h is
the quintic that ends at rest, so that the path has no jump in speed at either end of a correction, and none
in acceleration where the foot comes to stand, and nothing slides in between.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from ..arrays import Array

BLEED_SECONDS = 0.05
"""What speed a foot still has where it begins to be held is gone after so long."""

BEND_SECONDS = 1.0 / 30.0
"""How a path bends is looked at over so long to either side: over less there is noise."""

LEFT = 0.5
"""So much of how a path bends there is kept from a foot that leaves where it was held, so that it neither
follows it with a jerk nor lags behind it for long."""


@dataclasses.dataclass(frozen=True, eq=False)
class Hold:
    """Frames on which a foot is held. first, last: the first and the last of them, by index.

    point: (k,) where it comes to rest. speed: (k,) per second, which it still has at first.
    """

    first: int
    last: int
    point: Array
    speed: Array | None = None

    def path(self, times: Array) -> Array:
        """Where the foot is (last - first + 1, k) while it is held; times: seconds (n,) of all frames."""
        since = times[self.first : self.last + 1] - times[self.first]
        where = np.repeat(self.point[None], len(since), axis=0)
        return where if self.speed is None else where + bled(since)[:, None] * self.speed

    def end_speed(self, times: Array) -> Array:
        """The speed (k,) at the last frame."""
        if self.speed is None:
            return np.zeros_like(self.point)
        s = min((times[self.last] - times[self.first]) / BLEED_SECONDS, 1.0)
        return np.asarray(self.speed * (1.0 - s) ** 2 * (1.0 + 2.0 * s))


def bled(since: Array) -> Array:
    """How far from where it will rest what begins at speed 1 is, (n,), as its speed eases out; <= 0.

    since: seconds (n,). The speed is (1 - s)^2 (1 + 2 s), s = t / BLEED_SECONDS, so that there is no jump in
    acceleration either.
    """
    s = np.minimum(since / BLEED_SECONDS, 1.0)
    return np.asarray(BLEED_SECONDS * (s - s**3 + 0.5 * s**4 - 0.5))


def resting(start: Array, speed: Array) -> Array:
    """Where (k,) comes to rest what is at ``start`` with a speed, see :func:`bled`."""
    return np.asarray(start + 0.5 * BLEED_SECONDS * speed)


def faded(x: Array, v: Array, a: Array, seconds: float, since: Array) -> Array:
    """An offset x with a rate v and an acceleration a, (k,) each, ``since`` seconds (n,) later, gone after
    ``seconds``: (n, k).

    ``(1 - s)^3 (x + (v T + 3 x) s + (a T^2 / 2 + 3 v T + 6 x) s^2)``: the quintic of D. Bollo,
    "Inertialization" (GDC 2018), which ends at rest.
    """
    s = np.clip(since / seconds, 0.0, 1.0)[:, None]
    rate, bend = v * seconds, 0.5 * a * seconds * seconds
    return np.asarray((1.0 - s) ** 3 * (x + (rate + 3.0 * x) * s + (bend + 3.0 * rate + 6.0 * x) * s * s))


def held(times: Array, free: Array, holds: Sequence[Hold], release: float, since: float = -np.inf) -> Array:
    """A path (n, k) that stands still on holds, as near as can be to a free one.

    times: seconds (n,), rising. free: (n, k). holds: in order and apart. release: seconds that a correction
    takes on either side of a hold, where there is time for that. since: the time before which nothing may
    change.
    """
    path, rates, bends = free.copy(), rates_of(free, times), accelerations_of(free, times)
    ends = [-np.inf, *(float(times[hold.last]) for hold in holds)]
    starts = [*(float(times[hold.first]) for hold in holds), np.inf]
    for i, hold in enumerate(holds):
        where = hold.path(times)
        before = min(release, starts[i] - max(ends[i], since))
        after = min(release, starts[i + 1] - ends[i + 1])
        if hold.first > 0 and before > 0.0:
            first, speed = hold.first, np.zeros_like(hold.point) if hold.speed is None else hold.speed
            span = _within(times, starts[i] - before, starts[i])
            x, v = where[0] - free[first], speed - rates[first]
            path[span] += faded(x, -v, -bends[first], before, starts[i] - times[span])
        if hold.last < len(times) - 1:
            x, v = where[-1] - free[hold.last], hold.end_speed(times) - rates[hold.last]
            span = _within(times, ends[i + 1], ends[i + 1] + after)
            path[span] += faded(x, v, -LEFT * bends[hold.last], after, times[span] - ends[i + 1])
    for hold in holds:
        path[hold.first : hold.last + 1] = hold.path(times)
    return path


def rates_of(path: Array, times: Array) -> Array:
    """The rates (n, k) of a path, by central differences."""
    if len(times) < 2:
        return np.zeros_like(path)
    return np.asarray(np.gradient(path, times, axis=0, edge_order=2 if len(times) > 2 else 1))


def accelerations_of(path: Array, times: Array) -> Array:
    """The accelerations (n, k) of a path, over BEND_SECONDS to either side, 0 at its ends."""
    found = np.zeros_like(path)
    step = max(1, round(BEND_SECONDS / float(np.median(np.diff(times))))) if len(times) > 1 else 1
    if len(times) > 2 * step:
        apart = (times[step:] - times[:-step])[:, None]
        rates = (path[step:] - path[:-step]) / apart
        found[step:-step] = 2.0 * (rates[step:] - rates[:-step]) / (apart[step:] + apart[:-step])
    return found


def _within(times: Array, first: float, last: float) -> slice:
    """The frames strictly between two times."""
    return slice(int(np.searchsorted(times, first, "right")), int(np.searchsorted(times, last, "left")))
