# SPDX-License-Identifier: GPL-3.0-or-later
"""The half-life of the critically damped spring that moves a speed, or a facing, as it was recorded.

A spring at rest at ``a`` whose goal becomes ``a + b`` at the time ``t0`` is at ``a + b S(t - t0)``:

    S(t) = 1 - (1 + y t) e^(-y t)   from t = 0 on,   y = 2 ln 2 / half-life

S is steepest at t = 1/y, with the slope y / e: a change and its peak rate give the half-life, as
``y = e * peak rate / change`` (D. Holden, "Fitting Code Driven Displacement", 2021, whose 4 ln 2 / (2 y) is
the half-life above).

:func:`fit` takes all samples instead: for a given (t0, y) the best levels follow from a linear fit, so that
two numbers are searched for (variable projection). The half-life's interval is where the F statistic of the
residuals allows it to be (profile likelihood; G. Seber, C. Wild, "Nonlinear Regression", 1989, 5.4).
"""

from __future__ import annotations

import dataclasses
import functools
import math

import numpy as np

from ...errors import InertiaError
from ...records import record
from ..arrays import Array, ArrayLike

Place = tuple[float, float]
"""In the search of a fit: begin, and log of the half-life."""
AROUND = np.linspace(-1.0, 1.0, 7)
"""Where it is looked for around the best place so far, in steps of the grid before."""
CONFIDENCE = 0.95
"""How often the interval of a fit holds the half-life, if the ramp is a spring with independent noise."""
RESOLVED_FRAMES = 1.0
"""A half-life below so many samples looks like a jump: the fit gives a bound."""
LONGEST = 20.0
"""Half-lives beyond so many times the samples' length can't be told from a straight line."""
SHORTEST = 0.2
"""Half-lives below so many samples are not looked for."""


def frequency(half_life: ArrayLike) -> Array:
    """Return the spring's y, per second, of half-lives in seconds."""
    return 2.0 * math.log(2.0) / np.asarray(half_life, float)


def from_peak(change: float, peak_rate: float) -> float:
    """Return the half-life, seconds, of a spring that changes by ``change`` with the steepest slope
    ``peak_rate``.

    change: of a speed (m/s) or an angle; peak_rate: the same per second. Signs don't matter. ``2 ln 2
    |change| / (e |peak_rate|)``: with the half-life in place of the peak rate, it gives that one. Raises
    InertiaError when nothing changes.
    """
    if not (math.isfinite(change) and math.isfinite(peak_rate) and change and peak_rate):
        raise InertiaError("A half-life needs a change and a peak rate other than zero.")
    return 2.0 * math.log(2.0) * abs(change) / (math.e * abs(peak_rate))


def peak_on_the_move(x: float, v: float, goal: float, half_life: float) -> tuple[float, float]:
    """Return when a spring changes fastest, and how fast.

    With j = x - goal and k = v + j y, where y = 2 ln 2 / half_life, it is at goal + (j + k t) e^(-y t). Its
    rate is furthest from zero at t = 2 / y - j / k and is -k e^(-y t) there; at rest at first, t = 1 / y.

    Parameters
    ----------
    x
        Where it is now.
    v
        Its rate now, per second.
    goal
        Where it goes.
    half_life
        Seconds, above 0.

    Returns
    -------
    tuple[float, float]
        Seconds from now on, and its rate then, signed, per second. It is now, (0, v), if k is 0,
        if that moment is not after now, or if the rate is less than v in size there.
    """
    y = float(frequency(half_life))
    j = x - goal
    k = v + j * y
    # without k the rest of the way only decays, fastest at once
    seconds = 2.0 / y - j / k if k else 0.0
    if seconds <= 0.0:
        return 0.0, v
    rate = -k * math.exp(-y * seconds)
    # the rate's extremum may be less than the rate that it starts with
    return (seconds, rate) if abs(rate) >= abs(v) else (0.0, v)


def from_peak_on_the_move(change: float, rate: float, peak_rate: float) -> float:
    """Return the half-life of a spring that was already moving when its goal was set.

    Parameters
    ----------
    change
        From its place then to its goal, signed, finite.
    rate
        Its rate then, signed, per second.
    peak_rate
        Its rate furthest from zero, signed, per second, finite.

    Returns
    -------
    float
        Seconds.

    Raises
    ------
    InertiaError
        The peak rate does not have the sign of the change, one of these is 0 or not a number,
        the peak rate does not exceed the first rate in size, or the first rate is not finite.
        An infinite change or peak rate is not looked for.
    """
    if not (math.isfinite(rate) and abs(peak_rate) > abs(rate) and peak_rate * change > 0.0):
        raise InertiaError(
            "A half-life needs a peak rate that leads to the goal, and is above the first rate."
        )
    # the peak rate rises with y, from the first rate on, at 2 rate / change
    slow = max(2.0 * rate / change, 0.0)
    low, high = slow, slow + 4.0 * math.e * abs(peak_rate / change)
    # whatever the bracket's width, 100 halvings leave neighbouring numbers
    for _ in range(100):
        middle = 0.5 * (low + high)
        reached = abs(peak_on_the_move(0.0, rate, change, 2.0 * math.log(2.0) / middle)[1]) if middle else 0.0
        low, high = (middle, high) if reached < abs(peak_rate) else (low, middle)
    return 2.0 * math.log(2.0) / (0.5 * (low + high))


def response(seconds: ArrayLike, y: ArrayLike, mean_over: float = 0.0) -> Array:
    """Return S, from 0 to 1: which part of its way a spring has gone at times since its goal changed.

    Parameters
    ----------
    seconds
        Times since then; before 0 it is 0.
    y
        The spring's, per second, see :func:`frequency`; above 0. It broadcasts with the
        times.
    mean_over
        Seconds about each time over which S is averaged, as differences of places do to
        speeds; 0 or less for none.

    Returns
    -------
    Array
        Of the shape to which both broadcast.
    """
    t, y = np.asarray(seconds, float), np.asarray(y, float)
    if mean_over <= 0.0:
        # before the change S is 0, and exp can't overflow
        z = y * np.maximum(t, 0.0)
        return 1.0 - (1.0 + z) * np.exp(-z)
    # the mean over an interval is a difference of two areas
    half = 0.5 * mean_over
    return (_integral(t + half, y) - _integral(t - half, y)) / mean_over


def response_rate(seconds: ArrayLike, y: ArrayLike) -> Array:
    """Return how fast S changes at times since the goal changed, per second: ``y^2 t e^(-y t)``; 0 before."""
    t, y = np.maximum(np.asarray(seconds, float), 0.0), np.asarray(y, float)
    return np.asarray(y * y * t * np.exp(-y * t))


def _integral(t: Array, y: Array) -> Array:
    """Return the area under S up to a time."""
    t = np.maximum(t, 0.0)
    z = y * t
    return t - (2.0 - (2.0 + z) * np.exp(-z)) / y


@record(frozen=True)
class SpringFit:
    """A spring fitted to samples by least squares.

    half_life: seconds. low, high: its interval at :data:`CONFIDENCE`, seconds; 0 and infinity where the
    samples set no bound. begin: when the goal changed, seconds. before, after: where it was at rest, and its
    goal. residual: root mean square, in the samples' unit. reached: what part of the way, by the end. rate:
    of a spring that was already moving when the goal changed, in the samples' unit a second. strides: root
    mean square of what was fitted beside it, in the samples' unit.
    """

    half_life: float
    low: float
    high: float
    begin: float
    before: float
    after: float
    residual: float
    reached: float
    rate: float = 0.0
    strides: float = 0.0

    def at(self, seconds: ArrayLike, mean_over: float = 0.0) -> Array:
        """Return where the spring is at times (n,), seconds; before it began it is as it was then.

        mean_over: seconds about each time over which it is averaged; the part of a spring that was already
        moving is not averaged.
        """
        t = np.asarray(seconds, float) - self.begin
        y = frequency(self.half_life)
        at = self.before + (self.after - self.before) * response(t, y, mean_over)
        return at + self.rate * np.maximum(t, 0.0) * np.exp(-y * np.maximum(t, 0.0)) if self.rate else at


def fit(
    seconds: ArrayLike, values: ArrayLike, mean_over: float = 0.0, beside: Array | None = None
) -> SpringFit | None:
    """Return the spring, at rest at first, that fits samples of a ramp best in the sense of least squares,
    with an interval.

    Parameters
    ----------
    seconds : (n,)
        Times, rising evenly.
    values : (n,)
        The samples.
    mean_over
        Over how many seconds each sample is a mean; 0 for none.
    beside : (n, k)
        Other signals of which any amount may be added to the fit, such as strides; None for none.

    Returns
    -------
    SpringFit | None
        As :func:`find_best`, but with the half-life's interval from `low` to `high`, seconds,
        of 95 % confidence: the half-lives that fit, with the best begin for each, about as well
        as the residuals allow. Residuals that follow each other count as fewer samples. 0 and
        inf stand for no bound. None for fewer than 6 samples, or if they do not change.
    """
    found = find_best(seconds, values, mean_over, beside)
    if found is None:
        return None
    samples = Samples(np.asarray(seconds, float), np.asarray(values, float), mean_over, beside)
    best = found.begin, math.log(found.half_life)
    residuals, numbers = samples.residuals(np.array(best)), 3 + samples.others.shape[1]
    most = find_most_left(samples.z, residuals, len(residuals) * found.residual**2, numbers)
    low, high = _interval(samples, best, samples.log_limits(), most)
    return dataclasses.replace(found, low=low, high=high)


def find_best(
    seconds: ArrayLike, values: ArrayLike, mean_over: float = 0.0, beside: Array | None = None
) -> SpringFit | None:
    """Return the spring, at rest at first, that fits samples of a ramp best, without an interval.

    Faster than :func:`fit`. Half-lives are looked for from 0.2 samples to 20 times the samples' length, and
    begins from one sample before the first to the last but two.

    Parameters
    ----------
    seconds : (n,)
        Times, rising evenly.
    values : (n,)
        The samples.
    mean_over
        Over how many seconds each sample is a mean; 0 for none.
    beside : (n, k)
        Other signals of which any amount may be added to the fit, such as strides; None for
        none. The fit leaves them out of `before`, `after` and :meth:`SpringFit.at`.

    Returns
    -------
    SpringFit | None
        `half_life` and `begin`, seconds; `before` and `after`, the levels, in the samples' unit;
        `residual`, the root mean square that is left; `reached`, the part of the way at the last
        sample; `strides`, the root mean square of what was fitted beside it; `low` 0, `high`
        inf, `rate` 0. None for fewer than 6 samples, or if they range over no more than 1e-12 of
        the largest.
    """
    t, z = np.asarray(seconds, float), np.asarray(values, float)
    if len(t) < 6 or float(np.ptp(z)) <= 1e-12 * float(np.abs(z).max()):
        return None
    samples = Samples(t, z, mean_over, beside)
    begin, log = samples.search_fit(*samples.log_limits())
    b, parts = samples.line(samples.shape(begin, log))
    beside_it = samples.others[:, 1:] @ parts[1:]
    return SpringFit(
        half_life=math.exp(log),
        low=0.0,
        high=math.inf,
        begin=begin,
        before=float(parts[0]),
        after=float(parts[0]) + b,
        residual=math.sqrt(samples.left(begin, log) / len(t)),
        reached=float(response(t[-1] - begin, frequency(math.exp(log)))),
        strides=float(np.sqrt(np.mean(beside_it**2))),
    )


class Samples:
    """Samples to be fitted."""

    def __init__(self, t: Array, z: Array, mean_over: float, beside: Array | None) -> None:
        self.t, self.mean_over = t, mean_over
        level = np.ones((len(t), 1))
        self.others = level if beside is None else np.column_stack([level, beside])
        # orthonormal, so that to leave the others out is one projection
        self.basis = np.linalg.qr(self.others)[0]
        self.values, self.z = z, self.leave_out_others(z)
        self.step = float(t[-1] - t[0]) / (len(t) - 1)

    def log_limits(self) -> Place:
        """Return the logs of the shortest and the longest half-life that are looked for."""
        return math.log(SHORTEST * self.step), math.log(LONGEST * float(self.t[-1] - self.t[0]))

    def leave_out_others(self, values: Array) -> Array:
        """Return values (..., n) without what a level, and what else samples go by, say of them."""
        return np.asarray(values - (values @ self.basis) @ self.basis.T)

    def shape(self, begin: float, log_half_life: float) -> Array:
        """Return the response at the samples."""
        return response(self.t - begin, frequency(math.exp(log_half_life)), self.mean_over)

    def line(self, shape: Array) -> tuple[float, Array]:
        """Return the best b for a response, and the amounts (1 + k,) of the level and of whatever else
        the samples depend on.
        """
        away = self.leave_out_others(shape)
        # a response that the others tell wholly leaves nothing to divide by
        b = float(away @ self.z / max(float(away @ away), 1e-300))
        return b, np.asarray(np.linalg.lstsq(self.others, self.values - b * shape, rcond=None)[0], float)

    def lefts(self, begins: Array, logs: Array, every: int = 1) -> Array:
        """Return the sums of squared residuals that the best springs of some begins and half-lives leave.

        The levels, and the other signals, are fitted for each.

        Parameters
        ----------
        begins : (g,)
            Seconds.
        logs : (g,)
            Natural logs of half-lives in seconds.
        every
            Use only each so many-th sample; the sums are then over these alone.

        Returns
        -------
        Array (g,)
            In the samples' unit, squared.
        """
        some = self
        if every > 1:
            beside = self.others[::every, 1:]
            some = Samples(self.t[::every], self.values[::every], self.mean_over, beside)
        z = some.z
        shapes = some.leave_out_others(
            _responses(some.t.tobytes(), begins.tobytes(), logs.tobytes(), self.mean_over)
        )
        # the best b, along / size, takes along^2 / size off the sum of squares: nothing is fitted place by
        # place
        along, size = shapes @ z, np.einsum("gn,gn->g", shapes, shapes)
        # a response that is hardly more than a constant takes a huge b to say nothing
        usable = size > 1e-12
        gain = np.divide(along * along, size, out=np.zeros_like(size), where=usable)
        return np.maximum(float(z @ z) - gain, 0.0)

    def left(self, begin: float, log_half_life: float) -> float:
        """Return the least sum of squared residuals of one place."""
        return float(self.lefts(np.array([begin]), np.array([log_half_life]))[0])

    def search_fit(self, lowest: float, highest: float) -> Place:
        """Return (begin, log) of the best fit: when the goal changed, seconds, and the natural log of the
        half-life.

        The grid has 40 even logs and 12 to 80 begins, from one sample before the first to the last but two;
        of long clips it is searched on every so many-th sample. Three finer grids around the best follow,
        then a way downhill through all samples. Neither number leaves the grid's limits.

        lowest, highest: limits of the log, in this order.
        """
        # half-lives span decades, so that even steps are those of the log
        logs = np.linspace(lowest, highest, 40)
        begins = self._begins()
        place = self._best_of(begins, logs)
        wide, tall = begins[1] - begins[0], logs[1] - logs[0]
        for _ in range(3):
            place = self._best_of(
                np.clip(place[0] + wide * AROUND, begins[0], begins[-1]),
                np.clip(place[1] + tall * AROUND, lowest, highest),
            )
            wide, tall = 0.5 * wide, 0.5 * tall
        return self._downhill(place, (begins[0], lowest), (begins[-1], highest))

    def best_begin(self, log_half_life: float, near: float) -> tuple[float, float]:
        """Return the best begin for a half-life, not far from `near`, and the sum of squared residuals
        there.
        """
        first, *_, last = self._begins()
        place = self._downhill((near, log_half_life), (first, log_half_life), (last, log_half_life))
        return place[0], self.left(*place)

    def _downhill(self, start: Place, low: Place, high: Place) -> Place:
        """Return the place, (begin in seconds, natural log of the half-life), near `start` that leaves the
        least squares, by the method of Levenberg and Marquardt.

        low, high: the limits of both numbers, in this order; one whose limits are equal is kept fixed, and
        one at least must not be. At most 40 steps are tried. The result lies within the limits and is never
        worse than `start`.
        """
        at, damping = np.array(start), 1e-3
        residuals = self.residuals(at)
        free = np.array(low) < np.array(high)
        nudges = np.diag([1e-4 * self.step, 1e-5])[free]
        for _ in range(40):
            slopes = np.column_stack([(self.residuals(at + n) - residuals) / n.sum() for n in nudges])
            square = slopes.T @ slopes
            # Marquardt's scaling by the diagonal damps seconds and logs alike
            square += damping * np.diag(np.maximum(square.diagonal(), 1e-300))
            tried = at.copy()
            # least squares also bear a matrix in which a number has no effect
            tried[free] -= np.linalg.lstsq(square, slopes.T @ residuals, rcond=None)[0]
            tried = np.clip(tried, low, high)
            residuals_there = self.residuals(tried)
            gain = float(residuals @ residuals - residuals_there @ residuals_there)
            # a step that did not help is tried again, shorter and more straight down
            if gain <= 0.0:
                damping *= 8.0
                if damping > 1e3:
                    break
                continue
            at, residuals, damping = tried, residuals_there, damping / 4.0
            if gain <= 1e-9 * float(residuals @ residuals):
                break
        return float(at[0]), float(at[1])

    def residuals(self, at: Array) -> Array:
        """Return the residuals of the samples from the best line through the response."""
        away = self.leave_out_others(self.shape(float(at[0]), float(at[1])))
        return np.asarray(self.z - away * float(away @ self.z / max(float(away @ away), 1e-300)))

    def _begins(self) -> Array:
        """Return the times at which the goal may have changed: from a step before the first sample to
        before the last ones.
        """
        return np.linspace(self.t[0] - self.step, self.t[-3], min(max(len(self.t), 12), 80))

    def _best_of(self, begins: Array, logs: Array) -> Place:
        b, g = (axis.ravel() for axis in np.meshgrid(begins, logs))
        # some hundred samples tell the places of a grid apart; the way downhill takes all of them
        i = int(np.argmin(self.lefts(b, g, every=max(len(self.t) // 100, 1))))
        return float(b[i]), float(g[i])


@functools.lru_cache(maxsize=6)
def _responses(t: bytes, begins: bytes, logs: bytes, mean_over: float) -> Array:
    """Return the responses (g, n) of places at times (n,), not writeable, as they are cached.

    t, begins, logs: times, begins and logs of half-lives, all as bytes of float64. A ramp is searched several
    times at the same places, with other strides beside it each time.
    """
    times, b, g = (np.frombuffer(each) for each in (t, begins, logs))
    found = response(times - b[:, None], frequency(np.exp(g))[:, None], mean_over)
    found.flags.writeable = False
    return found


def independent(residuals: Array) -> float:
    """Return the share of residuals (n,), in order of time, that can be regarded as independent of each
    other, from 0 to 1.

    It is 1 / (1 + 2 (r1 + r2 + ...)), with the correlations r of residuals 1, 2, ... samples apart, up to the
    first that is below 2 / sqrt(n) (M. Bartlett, 1946), which is left out. It is 1 if all residuals are 0.
    """
    n = len(residuals)
    size = float(residuals @ residuals)
    if size <= 0.0:
        return 1.0
    correlations = np.correlate(residuals, residuals, "full")[n:] / size
    chance = np.flatnonzero(correlations < 2.0 / math.sqrt(n))
    return 1.0 / (1.0 + 2.0 * float(correlations[: chance[0] if len(chance) else n].sum()))


def find_most_left(samples: Array, residuals: Array, residual_sum: float, numbers: int = 4) -> float:
    """Return the largest sum of squared residuals that a fit in the interval around the best one may have.

    Parameters
    ----------
    samples : (n,)
        About their mean; only their squares and number count.
    residuals : (n,)
        Of the best fit; they tell how many samples are independent of each other.
    residual_sum
        The sum of their squares.
    numbers
        How many numbers were fitted.

    Returns
    -------
    float
        In the unit of residual_sum, at least that.
    """
    freedom = max((len(samples) - numbers) * independent(residuals), 2.0)
    # what is left of noise-free samples is rounding
    least = 1e-15 * float(np.sum(samples**2))
    return max(residual_sum, least) * (1.0 + _quantile(freedom) ** 2 / freedom)


def _interval(samples: Samples, best: Place, limits: Place, most_left: float) -> tuple[float, float]:
    """Return the shortest and the longest half-life, seconds, that fit about as well as the best one.

    best: the best (begin, log of half-life). limits: the logs between which is searched; where even the limit
    fits, the result is 0 or inf. most_left: the largest sum of squared residuals that counts as fitting.
    """
    ends = []
    for limit, open_end in zip(limits, (0.0, math.inf), strict=True):
        inside, begin = best[1], best[0]
        outside, stride = best[1], 0.02 if limit > best[1] else -0.02
        while True:
            # strides double until the limit is left behind, then the way back is halved
            outside = outside + stride
            if (outside - limit) * stride >= 0.0:
                outside = limit
            begin, residue = samples.best_begin(outside, begin)
            if residue > most_left or outside == limit:
                break
            inside, stride = outside, 2.0 * stride
        if residue <= most_left:
            ends.append(open_end)
            continue
        for _ in range(12):
            middle = 0.5 * (inside + outside)
            # the best begin changes little from one half-life to the next: each search starts at the last
            # one's
            begin, residue = samples.best_begin(middle, begin)
            inside, outside = (middle, outside) if residue <= most_left else (inside, middle)
        ends.append(math.exp(0.5 * (inside + outside)))
    return ends[0], ends[1]


@functools.lru_cache(maxsize=256)
def _quantile(freedom: float) -> float:
    """Return Student's t at (1 + CONFIDENCE) / 2 for some degrees of freedom (M. Abramowitz, I. Stegun,
    26.7.5).
    """
    # of the normal distribution at 0.975, that is, for CONFIDENCE; the terms below make Student's of it
    g = 1.959963984540054
    terms = (
        g,
        (g**3 + g) / 4.0,
        (5.0 * g**5 + 16.0 * g**3 + 3.0 * g) / 96.0,
        (3.0 * g**7 + 19.0 * g**5 + 17.0 * g**3 - 15.0 * g) / 384.0,
        (79.0 * g**9 + 776.0 * g**7 + 1482.0 * g**5 - 1920.0 * g**3 - 945.0 * g) / 92160.0,
    )
    return sum(term / freedom**i for i, term in enumerate(terms))
