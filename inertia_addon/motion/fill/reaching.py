# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds how little channels have to change so that what they move is where it is wanted.

Steps are those of Levenberg and Marquardt (Marquardt 1963), with differences in place of derivatives, so that
whatever poses the character may be asked.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..arrays import Array

ROUNDS = 40
DIFFERENCE = 1e-4
"""Channels change by so much to see what that moves."""
LONGEST_STEP = 0.6
"""No channel changes by more in a round: radians, or lengths."""
KICK = 0.3
"""A limb that is straight bends by nothing; it is tried again from so much, radians."""
NO_GAIN = 0.98
"""A round that leaves more than this part of what was off gains nothing."""
STALLS = 6
"""After so many such rounds in a row the search ends."""


def find_least_changes(miss: Callable[[Array], Array], count: int, near: float) -> tuple[Array, float]:
    """Return (changes (count,), how far off they leave what is wanted, the length of the miss).

    miss: takes changes (n, count), one try a row, and returns by how much each is off (n, m). count: how many
    channels may change. near: a miss of this length is none. The search begins at no change, so what it finds
    is near to that; from a place where no small change helps, it begins again from KICK in each channel, one
    way and the other.
    """
    best, least = _descend(miss, np.zeros(count), near)
    for kick in (KICK, -KICK):
        if least <= near:
            break
        changes, left = _descend(miss, np.full(count, kick), near)
        if left < least:
            best, least = changes, left
    return best, least


def _descend(miss: Callable[[Array], Array], changes: Array, near: float) -> tuple[Array, float]:
    """Return the changes, and the length of their miss, that steps from given changes lead to."""
    damping = 1e-3
    tried = miss(_vary(changes))
    off, jacobian = tried[0], _differentiate(tried)
    stalled = 0
    for _ in range(ROUNDS):
        length = float(np.linalg.norm(off))
        if length <= near or stalled > STALLS:
            break
        normal = jacobian.T @ jacobian
        scale = max(float(np.trace(normal)) / len(changes), 1e-12)
        step = np.linalg.solve(normal + damping * scale * np.eye(len(changes)), -jacobian.T @ off)
        longest = float(np.abs(step).max())
        step *= min(1.0, LONGEST_STEP / max(longest, 1e-12))
        tried = miss(_vary(changes + step))
        new = float(np.linalg.norm(tried[0]))
        if new < length:
            stalled = stalled + 1 if new > NO_GAIN * length else 0
            changes, off, jacobian = changes + step, tried[0], _differentiate(tried)
            damping = max(0.1 * damping, 1e-12)
        else:
            stalled += 1
            damping = min(10.0 * damping, 1e6)
    return changes, float(np.linalg.norm(off))


def _vary(changes: Array) -> Array:
    """Return changes (1 + count, count): as they are, and with DIFFERENCE more in each channel in turn."""
    return np.asarray(changes + np.vstack([np.zeros(len(changes)), DIFFERENCE * np.eye(len(changes))]))


def _differentiate(tried: Array) -> Array:
    """Return the derivatives (m, count) that misses (1 + count, m) of varied changes show."""
    return np.asarray((tried[1:] - tried[0]).T / DIFFERENCE)
