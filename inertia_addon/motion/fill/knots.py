# SPDX-License-Identifier: GPL-3.0-or-later
"""A smooth way through values at several times, which leaves from nothing and comes back to nothing.

It is added to a motion that has to be elsewhere at some times, and as it is before the first and behind the
last. The way is the cubic spline with two continuous derivatives whose rate is 0 at both ends: of all that go
through the same values that way, it has the least mean square of acceleration (Holladay 1957).
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array


def interpolate_knots(knot_times: Array, knot_values: Array, times: Array) -> Array:
    """Return the values (n, ...), at times (n,), of the cubic spline through knots: exactly theirs on each
    knot, where neither rate nor acceleration jumps.

    knot_times: (k,), rising, at least two. knot_values: (k, ...); the rate is 0 at the first and the last.
    times: from the first knot to the last, in the knots' unit; beyond these the cubic there goes on.
    """
    steps = np.diff(knot_times)
    flat = knot_values.reshape(len(knot_times), -1)
    slopes = _find_slopes(steps, np.diff(flat, axis=0) / steps[:, None])
    span = np.clip(np.searchsorted(knot_times, times, side="right") - 1, 0, len(steps) - 1)
    length = steps[span]
    u = ((times - knot_times[span]) / length)[:, None]
    length = length[:, None]
    value = (
        flat[span] * (1.0 + 2.0 * u) * (1.0 - u) ** 2
        + flat[span + 1] * u**2 * (3.0 - 2.0 * u)
        + slopes[span] * length * u * (1.0 - u) ** 2
        - slopes[span + 1] * length * u**2 * (1.0 - u)
    )
    return np.asarray(value.reshape(len(times), *knot_values.shape[1:]))


def _find_slopes(steps: Array, rises: Array) -> Array:
    """Return the rates (k, m) at knots with which neither rate nor acceleration jumps, 0 at both ends.

    steps: (k - 1,) between knots. rises: (k - 1, m), the mean rate of each.
    """
    slopes = np.zeros((len(steps) + 1, rises.shape[1]))
    if len(steps) == 1:
        return slopes
    before, after = steps[:-1], steps[1:]
    # each row is of one inner knot: the acceleration behind it is that before it
    wanted = 3.0 * (after[:, None] * rises[:-1] + before[:, None] * rises[1:])
    rows = np.arange(len(before))
    system = np.zeros((len(before), len(before)))
    system[rows, rows] = 2.0 * (before + after)
    system[rows[1:], rows[:-1]] = after[1:]
    system[rows[:-1], rows[1:]] = before[:-1]
    slopes[1:-1] = np.linalg.solve(system, wanted)
    return slopes
