# SPDX-License-Identifier: GPL-3.0-or-later
"""How a speed, or a facing, goes from one level to another, and the spring that goes there like it.

Ramps are found on the smoothed samples: where they turn back by less than a threshold is no end of a ramp,
and where a ramp all but rests on its way there are two. Each is then measured on its own, with a window for
its peak rate that suits how quick it is; the least squares fit takes the samples as they are.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from ...records import record
from ..arrays import Array
from . import filters, half_life, on_the_move, strides
from .half_life import SpringFit

LEAST_PART = 0.25
"""A ramp changes by at least this part of all that the samples range over ..."""
ROUNDING = 1e-3
"""... by this part of the largest sample, as steady speeds of a file's rounded places are none ..."""
ABOVE_NOISE = 6.0
"""... by so many times the noise that is left after smoothing ..."""
ABOVE_STRIDES = 2.5
"""... and by so many times what smoothing takes out: strides, and swaying hips."""
REST = 0.3
"""Where the rate falls below this part of the peaks on both sides, a ramp rests."""
STEP = 0.6
"""Each of the two ramps on either side of a rest changes by this part of the least change."""
REST_WINDOW = 0.25
"""The rate is that over this part of the ramp's core at least."""
RISING = (0.1, 0.9)
"""A ramp's core: between these parts of its change."""
BEFORE, AFTER = 0.6, 1.2
"""A ramp's range goes on for so many times the core's time before and after it, up to its neighbours."""
PEAK_WINDOW = 0.45
"""The window for a ramp's peak rate, in times of its core, when none is given."""
STILL_MOVING = 0.25
"""A clip that begins or ends with more than this part of a ramp's peak rate cuts it off."""
REACHED = 0.9
"""... and so does one whose fitted spring has come no further than this."""
IS_SPRING, IS_SPRING_WITH_STRIDES = 0.9, 0.97
"""A spring explains at least this part of the variance of the smoothed samples; where strides were fitted,
too, which could be anything, this part of what these leave."""
ENDS, ONE_WAY = 0.15, 0.6
"""Ramps may be one that strides divide if, from the first to the last of these parts of their time, the speed
changes by this part of what it ranges over ..."""
SURELY_ONE = 0.99
"""... and if one spring below strides explains this part of the variance that these leave."""
SURELY_RESOLVED_FRAMES = 3.0
"""A half-life of more samples is no matter of how dense these are, however uncertain it may be."""
MOVES = 8.0
"""A spring moves already where its n samples begin if one from rest leaves more, squared, by this part of
1 / n."""
STRIDELESS = 0.6
"""Where at least this part of what a spring leaves is independent there are no strides."""
AGREE = 0.25
"""The two estimators agree to within this part of the larger."""


@record(frozen=True, eq=False)
class Series:
    """Evenly spaced samples. seconds, values: (n,). mean_over: seconds over which each is a mean."""

    seconds: Array
    values: Array
    mean_over: float = 0.0

    @property
    def rate(self) -> float:
        """Samples per second."""
        span = float(self.seconds[-1] - self.seconds[0]) if len(self.seconds) > 1 else 0.0
        return (len(self.seconds) - 1) / span if span > 0.0 else 1.0

    def between(self, start: float, end: float) -> slice:
        """Return the slice of the samples from one time to another, both included."""
        slack = 0.01 / self.rate
        first = int(np.searchsorted(self.seconds, start - slack))
        return slice(first, max(int(np.searchsorted(self.seconds, end + slack)), first))


def find(series: Series, window: float, least_change: float = 0.0) -> list[tuple[float, float]]:
    """Return the ranges of all ramps of a series, in order.

    A ramp that rests on its way is divided into two, each of which need change by only 0.6 of the least
    change. A range includes the levels before and behind the ramp, up to half-way to its neighbours.

    Parameters
    ----------
    series
        The samples.
    window
        Of the smoothing, seconds; means over half of it are taken.
    least_change
        The least change of a ramp, in the samples' unit. It must also be at least a quarter of
        all that the smoothed samples range over, 0.001 of the largest, 6 times the noise that
        smoothing leaves, by second differences, and 2.5 times what smoothing takes out, as
        strides do, by its median.

    Returns
    -------
    list[tuple[float, float]]
        (start, end), seconds; [] for none, and for fewer than 5 samples.
    """
    n = len(series.values)
    if n < 5:
        return []
    # a mean over half the window leaves about as much; unlike parabolas it turns no level into ripples,
    # and no stride at an end into a ramp
    samples = filters.window_samples(0.5 * window, series.rate)
    smooth = filters.smoothed(series.values, samples, 0)
    # the noise's standard deviation, from second differences
    noise = filters.MAD * np.median(np.abs(np.diff(series.values, 2))) / math.sqrt(6.0)
    threshold = max(
        least_change,
        LEAST_PART * float(np.ptp(smooth)),
        ROUNDING * float(np.abs(smooth).max()),
        ABOVE_NOISE * float(noise * math.sqrt(1.0 / samples)),
        ABOVE_STRIDES * filters.MAD * float(np.median(np.abs(series.values - smooth))),
    )
    if threshold <= 0.0 or float(np.ptp(smooth)) < threshold:
        return []
    legs = [
        part
        for leg in _legs(smooth, threshold)
        for part in _without_rests(smooth, _rates(smooth, leg, samples), leg, STEP * threshold)
    ]
    return _ranges(series, [_core(smooth, leg) for leg in legs], samples)


def may_be_one(series: Series, start: float, end: float) -> bool:
    """Tell whether what happens between two times may be a single ramp that strides divide.

    It may if the mean of the first 15 % of the samples and that of the last 15 % (at least one each) differ
    by at least 0.6 of the range of all of them, smoothed by means over 15 % of the time.

    Parameters
    ----------
    series
        The samples.
    start, end
        Seconds, both included.

    Returns
    -------
    bool
        False without samples there.
    """
    values = series.values[series.between(start, end)]
    ends = max(round(ENDS * len(values)), 1)
    smooth = filters.smoothed(values, filters.window_samples(ENDS * (end - start), series.rate), 0)
    net = abs(float(values[-ends:].mean() - values[:ends].mean())) if len(values) else 0.0
    return net >= ONE_WAY * float(np.ptp(smooth)) if len(smooth) else False


def is_one(ramp: Ramp | None) -> bool:
    """Return whether a ramp is a spring below strides, without any doubt."""
    return (
        ramp is not None and ramp.fit is not None and ramp.fit.strides > 0.0 and ramp.explained >= SURELY_ONE
    )


def _rates(smooth: Array, leg: tuple[int, int], samples: int) -> Array:
    """Return how quickly a leg of the curve changes, a sample, smoothed over strides and noise, which are
    short beside it.
    """
    start, end = _core(smooth, leg)
    return np.abs(filters.slopes(smooth, max(samples, 2 * int(0.5 * REST_WINDOW * (end - start)) + 1), 1.0))


def _legs(smooth: Array, threshold: float) -> list[tuple[int, int]]:
    """Return the ways between turning points as (first, last), by index, in order; [] if the values never
    change by the threshold.

    Each begins where the one before ends. A turning point is a highest or lowest value from which the values
    come back by at least the threshold. The first leg begins at index 0 if the value there differs by that
    much from the first turning point's, else at that point; the last one ends at the furthest value behind
    the last turning point. smooth: (n,), values. threshold: above 0.
    """
    turns: list[int] = []
    low = high = 0
    direction = 0
    for i, value in enumerate(smooth):
        low = i if value < smooth[low] else low
        high = i if value > smooth[high] else high
        if direction >= 0 and smooth[high] - value >= threshold:
            turns, direction, low = [*turns, high], -1, i
            high = i
        elif direction <= 0 and value - smooth[low] >= threshold:
            turns, direction, high = [*turns, low], 1, i
            low = i
    if not turns:
        return []
    if turns[0] > 0 and abs(smooth[turns[0]] - smooth[0]) >= threshold:
        turns.insert(0, 0)
    turns.append(high if direction > 0 else low)
    return list(itertools.pairwise(turns))


def _without_rests(
    smooth: Array, rates: Array, leg: tuple[int, int], threshold: float
) -> list[tuple[int, int]]:
    """Return the legs into which a leg is cut where it rests between two ramps, in order; [leg] if it does
    not.

    A leg is cut at a sample where the rate is below 0.3 of the lower of the peaks before it and behind, and
    from which the values change by at least the threshold to either end. Of all such samples it is the one
    where the rate is the least part of that lower peak. Both halves share it, and each is cut again likewise.

    smooth: (n,), values. rates: (n,), how quickly they change, without sign. leg: (first, last), by index.
    threshold: each part must change by at least this.
    """
    first, last = leg
    best: tuple[float, int] | None = None
    for i in range(first + 1, last):
        if min(abs(smooth[i] - smooth[first]), abs(smooth[last] - smooth[i])) < threshold:
            continue
        lower = min(rates[first:i].max(), rates[i : last + 1].max())
        if rates[i] < REST * lower and (best is None or rates[i] / lower < best[0]):
            best = (float(rates[i] / lower), i)
    if best is None:
        return [leg]
    return [
        part
        for half in ((first, best[1]), (best[1], last))
        for part in _without_rests(smooth, rates, half, threshold)
    ]


def _core(smooth: Array, leg: tuple[int, int]) -> tuple[float, float]:
    """Return (start, end), between which samples, as indices with fractions, a leg goes from 10 % to 90 % of
    its change.

    The leg starts where it leaves 10 % for good, behind the last sample at or below it, and ends where it
    reaches 90 % for the first time after that; both between two samples by linear interpolation. It may fall
    or rise.

    smooth: (n,). leg: (first, last), by index, with different values.
    """
    first, last = leg
    part = (smooth[first : last + 1] - smooth[first]) / (smooth[last] - smooth[first])
    # it leaves the first level for good, and reaches the other one for the first time after that
    leaves = int(np.flatnonzero(part <= RISING[0])[-1])
    arrives = leaves + int(np.argmax(part[leaves:] >= RISING[1]))
    ends = []
    for i, level in ((leaves, RISING[0]), (arrives - 1, RISING[1])):
        gap = part[i + 1] - part[i]
        ends.append(first + i + (float((level - part[i]) / gap) if gap > 0.0 else 0.5))
    return ends[0], ends[1]


def _ranges(series: Series, cores: list[tuple[float, float]], samples: int) -> list[tuple[float, float]]:
    """Return the range (start, end), seconds, of each ramp, in order: its core with the levels around it.

    A range extends by 0.6 core lengths before and 1.2 behind, and by another half of the smoothing window,
    but not beyond the middle between two cores, end to start, or the ends of the series. Its ends are
    samples, rounded inwards.

    cores: (start, end) in samples, with fractions. samples: the length of that window, odd.
    """
    last = len(series.values) - 1.0
    ranges = []
    for i, (start, end) in enumerate(cores):
        length, room = end - start, 0.5 * samples
        least = 0.0 if i == 0 else 0.5 * (cores[i - 1][1] + start)
        most = last if i + 1 == len(cores) else 0.5 * (end + cores[i + 1][0])
        first = math.ceil(max(start - BEFORE * length - room, least))
        final = math.floor(min(end + AFTER * length + room, most))
        ranges.append((float(series.seconds[first]), float(series.seconds[final])))
    return ranges


@record(frozen=True, eq=False)
class Ramp:
    """A ramp, measured.

    start, end: the range that was measured, seconds. before, after: the levels it leads from and to.
    peak_rate: the steepest slope, signed, per second; peak: where, seconds. window: the smoothing window that
    it was found with, seconds. closed_form: the half-life by the peak rate, seconds. fit: by least squares,
    None where there are too few samples. explained: what part of the variance of the smoothed samples, or of
    those without strides, the fit explains. begins_before, ends_after: whether the ramp goes on before or
    after the samples, so that half-lives are lower bounds. resolved: whether it can be told from a jump.
    """

    start: float
    end: float
    before: float
    after: float
    peak_rate: float
    peak: float
    window: float
    closed_form: float
    fit: SpringFit | None
    explained: float
    begins_before: bool
    ends_after: bool
    resolved: bool

    @property
    def change(self) -> float:
        """From the level before to the one after."""
        return self.after - self.before

    @property
    def is_bound(self) -> bool:
        """Whether a part of the ramp was not recorded that the fit needs: half-lives are lower bounds. A
        spring that was already moving needs nothing before its first frame."""
        return (self.begins_before and not self.is_on_the_move) or self.ends_after

    @property
    def is_closed_form_bound(self) -> bool:
        """Whether the closed form is a lower bound, as the peak may lie where nothing was recorded."""
        has_peak = self.fit is not None and 0.0 < abs(self.fit.rate) < abs(self.peak_rate)
        return (self.begins_before and not has_peak) or self.ends_after

    @property
    def is_on_the_move(self) -> bool:
        """Whether the fitted spring was already moving when its samples begin."""
        return self.fit is not None and self.fit.rate != 0.0

    @property
    def is_spring(self) -> bool:
        """Whether a spring moves like this."""
        least = IS_SPRING_WITH_STRIDES if self.fit is not None and self.fit.strides else IS_SPRING
        return self.fit is not None and self.explained >= least

    @property
    def is_other(self) -> bool:
        """Whether it moves otherwise than a spring, as strides do; of a few samples nobody can tell."""
        return self.fit is not None and not self.is_spring

    @property
    def agree(self) -> bool:
        """Whether both estimators say about the same: their half-lives differ by at most 25 % of the larger.

        It is True, too, where there is no fit, and where the closed form's half-life is only a lower bound
        while the fit's is not.
        """
        if self.fit is None or (self.is_closed_form_bound and not self.is_bound):
            return True
        a, b = self.closed_form, self.fit.half_life
        return abs(a - b) <= AGREE * max(a, b)


def measure_ramp(series: Series, start: float, end: float, window: float = 0.0) -> Ramp | None:
    """Return the measured ramp in a range of time.

    Its levels `before` and `after` are the lowest and the highest value, smoothed by means over the window,
    in order of time. Where the clip itself cuts the ramp off, see :func:`_cut_off`, the level there is the
    last recorded value, smoothed by lines, and begins_before or ends_after is set. Its `peak_rate` is the
    steepest slope towards the second level, signed, per second, and `peak` when that is; `fit` is the best
    spring, None for fewer than 6 samples.

    Parameters
    ----------
    series
        The samples.
    start, end
        Seconds, both included.
    window
        Of the smoothing for the peak rate, seconds; 0 chooses 0.45 of the time in which the ramp
        goes from 10 % to 90 % of its change.

    Returns
    -------
    Ramp | None
        `start` and `end` are the first and the last sample's. None for fewer than 5 samples, for
        samples that do not change, if the steepest slope does not lead from the first level to
        the second, and if the recorded values of a ramp that is cut off do not either.
    """
    span = series.between(start, end)
    values, seconds = series.values[span], series.seconds[span]
    if len(values) < 5 or float(np.ptp(values)) <= 1e-9 * float(np.abs(values).max()):
        return None
    step = 1.0 / series.rate
    if not window:
        smooth = filters.smoothed(values, 3, 1)
        first, last = _core(smooth, _extremes(smooth))
        window = PEAK_WINDOW * (last - first) * step
    samples = filters.window_samples(window, series.rate)
    means = filters.smoothed(values, samples, 0)
    before, after = means[list(_extremes(means))].tolist()
    # around it all is known, so that only what is outside of the clip makes slopes uncertain
    slopes = filters.slopes(series.values, samples, series.rate)
    inside = certain(span, len(series.values), samples)
    towards = math.copysign(1.0, after - before)
    peak = inside.start + int(np.argmax(towards * slopes[inside]))
    rate = float(slopes[peak])
    if before == after or rate * towards <= 0.0:
        return None
    fit = _fit(series, seconds, values)
    cut_start, cut_end = _cut_off(series, span, slopes, rate, fit)
    if cut_start or cut_end:
        # there is no level where it is cut off: as far as it was recorded
        ends = filters.smoothed(values, samples, 1)
        before = float(ends[0]) if cut_start else before
        after = float(ends[-1]) if cut_end else after
        if (after - before) * towards <= 0.0:
            return None
    smooth = filters.smoothed(series.values, samples)[span]
    explained = 0.0 if fit is None else _explained(fit, fit.at(seconds, series.mean_over), smooth)
    return Ramp(
        start=float(seconds[0]),
        end=float(seconds[-1]),
        before=before,
        after=after,
        peak_rate=rate,
        peak=float(series.seconds[peak]),
        window=samples * step,
        closed_form=_closed_form(after - before, rate, fit),
        fit=fit,
        explained=explained,
        begins_before=cut_start,
        ends_after=cut_end,
        # dense enough to tell a spring from a jump
        resolved=fit is None
        or fit.low > half_life.RESOLVED_FRAMES * step
        or fit.half_life > SURELY_RESOLVED_FRAMES * step,
    )


def _explained(fit: SpringFit, spring: Array, smooth: Array) -> float:
    """Return the share of the variance of samples that a spring explains: 1 for all; it may be negative.

    Without strides it is 1 less the mean square of smooth - spring, in parts of the variance of smooth. If
    strides were fitted as well, it is 1 less fit.residual squared, in parts of the variance of the spring
    plus that square: the share of what remains beside the strides. Without any variance it is 0.

    fit: the fit. spring: its values (n,). smooth: the smoothed samples (n,).
    """
    if fit.strides:
        left, whole = fit.residual**2, float(np.var(spring)) + fit.residual**2
    else:
        left, whole = float(np.mean((smooth - spring) ** 2)), float(np.var(smooth))
    return 1.0 - left / whole if whole > 0.0 else 0.0


def _closed_form(change: float, peak_rate: float, fit: SpringFit | None) -> float:
    """Return the half-life by a peak rate, seconds; of one that moves already, from its first rate on."""
    if fit is not None and fit.rate and abs(fit.rate) < abs(peak_rate) and fit.rate * change > 0.0:
        return half_life.from_peak_on_the_move(change, fit.rate, peak_rate)
    return half_life.from_peak(change, peak_rate)


def _fit(series: Series, seconds: Array, values: Array) -> SpringFit | None:
    """Return the spring that fits samples (n,) best: one from rest, one that is moving already, or one with
    strides on top.

    The one that is moving is taken if 1 + 8 / n times its mean squared residual is below that of the one from
    rest. Else that from rest stays if more than 0.6 of its residuals are independent, by
    :func:`half_life.independent`; else strides are tried, and if none fit the spring from rest stays.

    series: its `mean_over` is used. seconds, values: (n,). None if no spring from rest can be fitted (fewer
    than 6 samples, or no change).
    """
    rested = half_life.fit(seconds, values, series.mean_over)
    moving = on_the_move.fit_moving(seconds, values)
    if rested is None:
        return None
    if moving is not None and (1.0 + MOVES / len(values)) * moving.residual**2 < rested.residual**2:
        return moving
    if half_life.independent(values - rested.at(seconds, series.mean_over)) > STRIDELESS:
        return rested
    return strides.fit_with_strides(seconds, values, series.mean_over, rested) or rested


def _extremes(values: Array) -> tuple[int, int]:
    """Return the indices of the lowest and the highest value, in order of time."""
    low, high = int(np.argmin(values)), int(np.argmax(values))
    return min(low, high), max(low, high)


def certain(span: slice, n: int, samples: int) -> slice:
    """Return the samples of a span whose slopes have samples on both sides, as a slice.

    Parameters
    ----------
    span
        The slice of the samples.
    n
        How many samples there are in all.
    samples
        The length of the slopes' window.

    Returns
    -------
    slice
        `span` itself where fewer than 3, or than a third of it, would be left.
    """
    half = samples // 2
    inner = slice(max(span.start, half), min(span.stop, n - half))
    return inner if inner.stop - inner.start >= max(3, (span.stop - span.start) // 3) else span


def _cut_off(
    series: Series, span: slice, slopes: Array, rate: float, fit: SpringFit | None
) -> tuple[bool, bool]:
    """Return (starts, ends): whether the ramp goes on before the series' first sample, and behind its last
    one.

    A ramp starts before if its span touches the first sample, and either the slope at that sample, in the
    direction of the ramp, is more than a quarter of the peak rate, or its spring began more than half a
    sample earlier. Likewise it ends behind if the span touches the last sample, and either the slope there is
    more than a quarter, or the spring has come less than 90 % of its way.

    span: the ramp's samples. slopes: of all samples. rate: the ramp's peak rate, signed. fit: its spring, or
    None.
    """
    step = 1.0 / series.rate
    starts = span.start == 0 and (
        slopes[0] / rate > STILL_MOVING or (fit is not None and fit.begin < series.seconds[0] - 0.5 * step)
    )
    ends = span.stop == len(series.values) and (
        slopes[-1] / rate > STILL_MOVING or (fit is not None and fit.reached < REACHED)
    )
    return bool(starts), bool(ends)
