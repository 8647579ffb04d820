# SPDX-License-Identifier: GPL-3.0-or-later
"""Roots of many polynomials at once, by value: coefficients in rising powers, (k, ...) for degree k - 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Array

HALVINGS, STEPS = 8, 7
"""A root is halved into its bracket, and then found by Newton's steps, which double its figures each."""


def value(coefficients: Array, r: Array) -> Array:
    """The polynomials (k, ...) at ``r``, which broadcasts to (...)."""
    found = np.zeros(np.broadcast_shapes(coefficients.shape[1:], np.shape(r)))
    for coefficient in coefficients[::-1]:
        found = found * r + coefficient
    return found


def derivative(coefficients: Array) -> Array:
    """The polynomials' derivatives (k - 1, ...)."""
    powers = np.arange(1.0, len(coefficients))
    return np.asarray(coefficients[1:] * powers.reshape(-1, *[1] * (coefficients.ndim - 1)))


def roots(coefficients: Array) -> Array:
    """Where polynomials (k, ...) change sign between 0 and 1: (k - 1, ...) sorted, 0 for those that don't.

    Between two neighbouring extremes, the roots of the derivative, there is one at most.
    """
    if len(coefficients) < 2:
        return np.zeros((0, *coefficients.shape[1:]))
    if len(coefficients) == 3:
        return _quadratic_roots(*coefficients)
    slope = derivative(coefficients)
    inner = roots(slope)
    low = np.concatenate([np.zeros((1, *coefficients.shape[1:])), inner])
    high = np.concatenate([inner, np.ones((1, *coefficients.shape[1:]))])
    start, end = value(coefficients, low), value(coefficients, high)
    crosses = (start < 0.0) != (end < 0.0)
    if len(coefficients) == 2:
        return np.divide(start, start - end, out=np.zeros_like(start), where=crosses)
    found = np.zeros_like(start)
    # few have a root between two extremes, and those alone are worked on
    where = np.nonzero(crosses)
    which: Any = (slice(None), *where[1:])
    own, own_slope = coefficients[which], slope[which]
    low, high, rising = low[where], high[where], (end > start)[where]
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        below = (value(own, middle) < 0.0) == rising
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    root = 0.5 * (low + high)
    for _ in range(STEPS):
        slopes, steps = value(own_slope, root), value(own, root)
        steps = np.divide(steps, slopes, out=np.zeros_like(steps), where=slopes != 0.0)
        root = np.clip(root - steps, low, high)
    found[where] = root
    return np.sort(found, axis=0)


def _quadratic_roots(c: Array, b: Array, a: Array) -> Array:
    """Where ``a r^2 + b r + c`` changes sign between 0 and 1, without loss of figures where the roots are far
    apart."""
    square = b * b - 4.0 * a * c
    half = -0.5 * (b + np.copysign(np.sqrt(np.maximum(square, 0.0)), b))
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.stack([half / a, c / half])
    return np.sort(np.where((square > 0.0) & (found > 0.0) & (found < 1.0), found, 0.0), axis=0)
