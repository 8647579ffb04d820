# SPDX-License-Identifier: GPL-3.0-or-later
"""How a speed, or a facing, goes from one level to another, and the spring that goes there like it.

Each ramp is measured on its own, with a window for its peak rate that suits how quick it is; the least
squares fit takes the samples as they are.
"""

from __future__ import annotations

import math

import numpy as np

from ...records import record
from ..arrays import Array
from . import filters, half_life, spring_fit
from .ramp_search import Series, core
from .spring_fit import Fit

PEAK_WINDOW = 0.45
"""The window for a ramp's peak rate, in times of its core, when none is given."""
STILL_MOVING = 0.25
"""A clip that begins or ends with more than this part of a ramp's peak rate cuts it off."""
REACHED = 0.9
"""... and so does one whose fitted spring has come no further than this."""
IS_SPRING = 0.9
"""A spring explains at least this part of the variance of the smoothed samples."""
SURELY_RESOLVED_FRAMES = 3.0
"""A half-life of more samples is no matter of how dense these are, however uncertain it may be."""
AGREE = 0.25
"""The two estimators agree to within this part of the larger."""


@record(frozen=True, eq=False)
class Ramp:
    """A ramp, measured.

    start, end: the range that was measured, seconds. before, after: the levels it leads from and to.
    peak_rate: the steepest slope, signed, per second; peak: where, seconds. window: the smoothing
    window that it was found with, seconds. closed_form: the half-life by the peak rate, seconds. fit: by
    least squares, None where there are too few samples. explained: what part of the variance of the
    smoothed samples the fit explains. begins_before, ends_after: whether the ramp goes on before or
    after the samples, so that half-lives are lower bounds. resolved: whether the samples are dense
    enough to tell it from a jump.
    """

    start: float
    end: float
    before: float
    after: float
    peak_rate: float
    peak: float
    window: float
    closed_form: float
    fit: Fit | None
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
        """Whether a part of the ramp was not recorded: the closed form is a lower bound."""
        return self.begins_before or self.ends_after

    @property
    def is_spring(self) -> bool:
        """Whether a spring moves like this."""
        return self.fit is not None and self.explained >= IS_SPRING

    @property
    def is_other(self) -> bool:
        """Whether it moves otherwise than a spring, as strides do; of a few samples nobody can tell."""
        return self.fit is not None and not self.is_spring

    @property
    def agree(self) -> bool:
        """Whether both estimators say about the same."""
        if self.fit is None:
            return True
        a, b = self.closed_form, self.fit.half_life
        return abs(a - b) <= AGREE * max(a, b)


def measure(series: Series, start: float, end: float, window: float = 0.0) -> Ramp | None:
    """Measure the ramp in a range of time; None for a range of less than 5 samples, or without a change.

    window: of the smoothing for the peak rate, seconds; 0 for one that suits the ramp.
    """
    span = series.between(start, end)
    values, seconds = series.values[span], series.seconds[span]
    if len(values) < 5 or float(np.ptp(values)) <= 1e-9 * float(np.abs(values).max()):
        return None
    step = 1.0 / series.rate
    window = window or PEAK_WINDOW * _rise(values) * step
    samples = filters.window_samples(window, series.rate)
    before, after = _levels(values, samples)
    # around it all is known, so that only what is outside of the clip makes slopes uncertain
    slopes = filters.slopes(series.values, samples, series.rate)
    inside = _certain(span, len(series.values), samples)
    towards = math.copysign(1.0, after - before)
    peak = inside.start + int(np.argmax(towards * slopes[inside]))
    rate = float(slopes[peak])
    if before == after or rate * towards <= 0.0:
        return None
    fit = spring_fit.fit(seconds, values, series.mean_over)
    cut_start, cut_end = _cut_off(series, span, slopes, rate, fit)
    if cut_start or cut_end:
        # there is no level where it is cut off: as far as it was recorded
        ends = filters.smoothed(values, samples, 1)
        before = float(ends[0]) if cut_start else before
        after = float(ends[-1]) if cut_end else after
        if (after - before) * towards <= 0.0:
            return None
    closed = half_life.from_peak(after - before, rate)
    smooth = filters.smoothed(series.values, samples)[span]
    return Ramp(
        start=float(seconds[0]),
        end=float(seconds[-1]),
        before=before,
        after=after,
        peak_rate=rate,
        peak=float(series.seconds[peak]),
        window=samples * step,
        closed_form=closed,
        fit=fit,
        explained=_explained(smooth, fit.at(seconds, series.mean_over)) if fit is not None else 0.0,
        begins_before=cut_start,
        ends_after=cut_end,
        resolved=_resolved(fit, step),
    )


def _resolved(fit: Fit | None, step: float) -> bool:
    """Whether samples so many seconds apart tell a spring from a jump."""
    if fit is None:
        return True
    return fit.low > spring_fit.RESOLVED_FRAMES * step or fit.half_life > SURELY_RESOLVED_FRAMES * step


def _rise(values: Array) -> float:
    """How many samples a ramp takes from a tenth to nine tenths of its change."""
    smooth = filters.smoothed(values, 3, 1)
    start, end = core(smooth, _extremes(smooth))
    return end - start


def _levels(values: Array, samples: int) -> tuple[float, float]:
    """Where a ramp leads from and to: the extremes of the samples' means over a window."""
    smooth = filters.smoothed(values, samples, 0)
    first, last = _extremes(smooth)
    return float(smooth[first]), float(smooth[last])


def _extremes(values: Array) -> tuple[int, int]:
    """Where the lowest and the highest are, in order of time."""
    low, high = int(np.argmin(values)), int(np.argmax(values))
    return min(low, high), max(low, high)


def _certain(span: slice, n: int, samples: int) -> slice:
    """The samples of a span whose slopes have samples on both sides; all where there would be few."""
    half = samples // 2
    inner = slice(max(span.start, half), min(span.stop, n - half))
    return inner if inner.stop - inner.start >= max(3, (span.stop - span.start) // 3) else span


def _cut_off(series: Series, span: slice, slopes: Array, rate: float, fit: Fit | None) -> tuple[bool, bool]:
    """Whether a ramp begins before the first sample of all, and ends after the last one."""
    step = 1.0 / series.rate
    starts = span.start == 0 and (
        slopes[0] / rate > STILL_MOVING or (fit is not None and fit.begin < series.seconds[0] - 0.5 * step)
    )
    ends = span.stop == len(series.values) and (
        slopes[-1] / rate > STILL_MOVING or (fit is not None and fit.reached < REACHED)
    )
    return bool(starts), bool(ends)


def _explained(smooth: Array, spring: Array) -> float:
    """What part of the variance of the smoothed samples a spring explains."""
    total = float(np.sum((smooth - smooth.mean()) ** 2))
    return 1.0 - float(np.sum((smooth - spring) ** 2)) / total if total > 0.0 else 0.0
