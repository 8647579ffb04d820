# SPDX-License-Identifier: GPL-3.0-or-later
"""Least squares of a function that can only be asked, and that answers slowly, such as what a rig shows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .arrays import Array

DAMPING = 1e-3
"""Of the first step, in parts of the largest of J^T J; tenfold after a step that did not help."""
TOO_MUCH = 1e6
"""With more damping nothing moves any more."""


def solve(
    residual: Callable[[Array], Array], start: Array, step: float, longest: float, close: float, rounds: int
) -> Array:
    """Return the x near `start` with the least sum of squares of the residual that was found.

    The method is D. Marquardt's (*An Algorithm for Least-Squares Estimation of Nonlinear Parameters*, 1963).
    After each step that helped the derivatives are corrected by its outcome, as in C. Broyden, *A Class of
    Methods for Solving Nonlinear Simultaneous Equations* (1965); they are taken anew where a step with
    corrected ones did not help.

    Parameters
    ----------
    residual
        Takes an x (n,) and returns numbers (m,). It is called once for the start, n times
        for each set of derivatives (the first even if rounds is 0) and once a round.
    start : (n,)
        The x to begin at; it is not changed.
    step
        The difference to one side that gives the derivatives, in units of x; not 0.
    longest
        The largest length of the change of x in one round, in units of x.
    close
        The search stops where no number of the residual has a larger absolute value.
    rounds
        The largest number of rounds; 0 returns a copy of the start.

    Returns
    -------
    Array (n,)
        A new array. Only steps that lessen the sum are taken, so it is never worse than the
        start. The search also stops where nothing helps any more; the result does not tell
        why it stopped. What the residual raises gets through.
    """
    x = np.array(start, float)
    value = np.asarray(residual(x), float)
    slopes, is_fresh, damping = _slopes(residual, x, value, step), True, DAMPING
    for _ in range(rounds):
        if np.abs(value).max(initial=0.0) <= close:
            break
        normal = slopes.T @ slopes
        scale = max(float(np.abs(np.diag(normal)).max(initial=0.0)), 1e-30)
        change = np.linalg.solve(normal + damping * scale * np.eye(len(x)), -slopes.T @ value)
        change *= min(1.0, longest / max(float(np.linalg.norm(change)), 1e-30))
        moved = np.asarray(residual(x + change), float)
        if moved @ moved < value @ value:
            slopes += np.outer(moved - value - slopes @ change, change) / max(change @ change, 1e-30)
            x, value, is_fresh, damping = x + change, moved, False, damping / 10.0
        elif is_fresh:
            damping *= 10.0
            if damping > TOO_MUCH:
                break
        else:
            slopes, is_fresh = _slopes(residual, x, value, step), True
    return x


def _slopes(residual: Callable[[Array], Array], x: Array, value: Array, step: float) -> Array:
    """Return the derivatives (m, n) of the residual, by differences to one side."""
    moved = [np.asarray(residual(x + step * axis), float) - value for axis in np.eye(len(x))]
    return np.stack(moved, axis=1) / step if moved else np.zeros((len(value), 0))
