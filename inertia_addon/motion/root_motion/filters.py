# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters of recorded motion that delay nothing: smoothing, slopes, and the removal of single jumps.

Smoothing and slopes are those of polynomials fitted by least squares to the samples in a window around
each (A. Savitzky, M. Golay, "Smoothing and Differentiation of Data by Simplified Least Squares
Procedures", 1964). Nearer to an end than half a window, the window stays inside and the polynomial is
read off beside its middle: nothing is made up beyond the ends. Slopes are less certain there, so that
their peaks are best looked for further inside.
"""

from __future__ import annotations

import functools

import numpy as np

from ..arrays import Array, ArrayLike

DEGREE = 2
"""Of the fitted polynomials."""

ABOVE_NOISE = 8.0
"""A jump stands out by so many times what samples usually differ from their neighbours' curve ..."""
BACK_AND_FORTH = 0.25
"""... what leads there and away, but for the drift, is opposite: the product is this part of a square ..."""
HARDLY_MORE = 1.3
"""... neither is more than so many times the jump: at a turning point both are ..."""
TO_SEE = 0.003
"""... and it is this part of all that the samples range over."""

MOST_JUMPS = 300
"""More are none: each is looked for in all of the clip."""

MAD = 1.4826
"""Times the median of absolute values: the standard deviation, were they normally distributed."""


def window_samples(seconds: float, rate: float) -> int:
    """Return how many samples, an odd number of at least 3, a window of `seconds` takes.

    rate: samples per second.
    """
    return max(3, 2 * round(0.5 * (seconds * rate - 1.0)) + 1)


@functools.lru_cache(maxsize=64)
def _weights(samples: int, order: int, degree: int) -> tuple[Array, Array]:
    """Return factors (samples, degree + 1) and (degree + 1, samples) of the polynomials fitted by least
    squares in a window.

    The second times the samples gives the polynomial's coefficients, in rising powers of the place; places
    are whole numbers of samples, 0 at index samples // 2. The first times these gives its values (order 0) or
    its slopes per sample (order 1) at each place. So their product says for each place in the window what
    each sample counts there.

    The result is cached and shared: do not change it. degree must be below samples.
    """
    powers = np.vander(np.arange(samples) - samples // 2, degree + 1, increasing=True)
    coefficients = np.linalg.pinv(powers)
    if order == 1:
        powers = np.column_stack([np.zeros(samples), *(k * powers[:, k - 1] for k in range(1, degree + 1))])
    return powers.astype(float), coefficients


def smoothed(values: ArrayLike, samples: int, degree: int = DEGREE) -> Array:
    """Return values without what is quicker than a window.

    Parameters
    ----------
    values : (n, ...)
        Evenly spaced.
    samples
        The window's length, odd; it is cut to the number of values.
    degree
        Of the polynomials that are fitted.

    Returns
    -------
    Array (n, ...)
        A new array; an unchanged copy for fewer than 3 values or samples.
    """
    return _fitted(values, samples, 0, degree)


def slopes(values: ArrayLike, samples: int, rate: float, degree: int = DEGREE) -> Array:
    """Return the slopes of values, by polynomials fitted in windows.

    Parameters
    ----------
    values : (n, ...)
        Evenly spaced.
    samples
        The window's length, odd; it is cut to the number of values.
    rate
        Samples per second.
    degree
        Of the polynomials that are fitted.

    Returns
    -------
    Array (n, ...)
        Per second; zeros for fewer than 3 values or samples.
    """
    return _fitted(values, samples, 1, degree) * rate


def _fitted(values: ArrayLike, samples: int, order: int, degree: int) -> Array:
    values = np.asarray(values, float)
    n = len(values)
    samples = min(samples, n - 1 + n % 2)
    if samples < 3:
        return values.copy() if order == 0 else np.zeros_like(values)
    half = samples // 2
    flat = values.reshape(n, -1)
    windows = np.lib.stride_tricks.sliding_window_view(flat, samples, axis=0)
    powers, coefficients = _weights(samples, order, min(degree, samples - 1))
    result = np.empty_like(flat)
    result[half : n - half] = windows @ (powers[half] @ coefficients)
    result[:half] = powers[:half] @ (coefficients @ flat[:samples])
    result[n - half :] = powers[half + 1 :] @ (coefficients @ flat[-samples:])
    return result.reshape(values.shape)


def without_jumps(values: ArrayLike) -> tuple[Array, tuple[int, ...]]:
    """Return a copy of values (n, k) without single samples that jump away from their neighbours and back,
    and these' indices, sorted.

    A sample is held against the cubic through its two neighbours on either side; how far it is off is the
    distance over all k columns. It jumps if it is off by more than 8 times the usual (1.48 times the median
    of all samples), by more than 0.003 of the range of the column that ranges furthest, and by no less than
    any sample within two of it. The steps to it and from it, each less a quarter of the way between the
    neighbours two samples away, must also lead opposite ways, with a dot product below -0.25 times the
    distance squared, and each must be shorter than 1.3 times the distance: a quick start, a stop and a turn
    are no jumps.

    The sample that is off furthest is replaced by the cubic's value. All are then judged anew, until none
    jumps or n // 10 (at least one, at most 300) are replaced. None is replaced twice. The first two and the
    last two samples are never jumps; fewer than 7 samples have none, and the indices are ().
    """
    result = np.array(values, float)
    jumps: list[int] = []
    for _ in range(min(max(len(result) // 10, 1), MOST_JUMPS)):
        jump = _largest_jump(result, jumps)
        if jump is None:
            break
        result[jump] = _between(result)[jump - 2]
        jumps.append(jump)
    return result, tuple(sorted(jumps))


def _between(values: Array) -> Array:
    """Return for each sample, but two at each end, the value of the cubic through its two neighbours on
    either side.
    """
    near, far = values[1:-3] + values[3:-1], values[:-4] + values[4:]
    return (4.0 * near - far) / 6.0


def _largest_jump(values: Array, but: list[int]) -> int | None:
    if len(values) < 7:
        return None
    away = values[2:-2] - _between(values)
    size = np.linalg.norm(away, axis=1)
    usual = MAD * float(np.median(size))
    drift = 0.25 * (values[4:] - values[:-4])
    come, go = values[2:-2] - values[1:-3] - drift, values[3:-1] - values[2:-2] - drift
    opposite = np.sum(come * go, axis=1) < -BACK_AND_FORTH * size**2
    larger = np.maximum(np.linalg.norm(come, axis=1), np.linalg.norm(go, axis=1))
    least = max(ABOVE_NOISE * usual, TO_SEE * float(np.ptp(values, axis=0).max()))
    # beside a jump the curves go astray, too, but less
    around = np.lib.stride_tricks.sliding_window_view(np.pad(size, 2), 5).max(axis=1)
    size[~(opposite & (size > least) & (larger < HARDLY_MORE * size) & (size >= around))] = 0.0
    size[[i - 2 for i in but]] = 0.0
    i = int(np.argmax(size))
    return i + 2 if size[i] > 0.0 else None
