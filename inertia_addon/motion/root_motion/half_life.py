# SPDX-License-Identifier: GPL-3.0-or-later
"""The half-life of the critically damped spring that moves a speed, or a facing, as it was recorded.

A spring at rest at ``a`` whose goal becomes ``a + b`` at the time ``t0`` is at ``a + b S(t - t0)``:

    S(t) = 1 - (1 + y t) e^(-y t)   from t = 0 on,   y = 2 ln 2 / half-life

S is steepest at t = 1/y, with the slope y / e: a change and its peak rate give the half-life, as
``y = e * peak rate / change`` (D. Holden, "Fitting Code Driven Displacement", 2021, whose 4 ln 2 / (2 y) is
the half-life above). :mod:`.spring_fit` takes all samples instead.
"""

from __future__ import annotations

import math

import numpy as np

from ...errors import InertiaError
from ..arrays import Array, ArrayLike


def frequency(half_life: ArrayLike) -> Array:
    """The spring's y, per second, of half-lives in seconds."""
    return 2.0 * math.log(2.0) / np.asarray(half_life, float)


def from_peak(change: float, peak_rate: float) -> float:
    """The half-life, seconds, of a spring that changes by ``change`` with the steepest slope ``peak_rate``.

    change: of a speed (m/s) or an angle; peak_rate: the same per second. Signs don't matter.
    ``2 ln 2 |change| / (e |peak_rate|)``: with the half-life in place of the peak rate, it gives that one.
    Raises InertiaError when nothing changes.
    """
    if not (math.isfinite(change) and math.isfinite(peak_rate) and change and peak_rate):
        raise InertiaError("A half-life needs a change and a peak rate other than zero.")
    return 2.0 * math.log(2.0) * abs(change) / (math.e * abs(peak_rate))


def response(seconds: ArrayLike, y: ArrayLike, mean_over: float = 0.0) -> Array:
    """S at times since the goal changed; 0 before.

    mean_over: seconds about each time over which S is averaged, as differences of places do to speeds.
    """
    t, y = np.asarray(seconds, float), np.asarray(y, float)
    if mean_over <= 0.0:
        z = y * np.maximum(t, 0.0)
        return 1.0 - (1.0 + z) * np.exp(-z)
    half = 0.5 * mean_over
    return (_integral(t + half, y) - _integral(t - half, y)) / mean_over


def _integral(t: Array, y: Array) -> Array:
    """The area under S up to a time."""
    t = np.maximum(t, 0.0)
    z = y * t
    return t - (2.0 - (2.0 + z) * np.exp(-z)) / y
