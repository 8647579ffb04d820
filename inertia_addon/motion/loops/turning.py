# SPDX-License-Identifier: GPL-3.0-or-later
"""By how much a character turns in a stretch that shall loop: not the sway of its hips, which turn to and
fro.

Taken for a turn, sway would have a straight walk go in a circle. From one end of a whole cycle to the other
there is hardly any; but where a stretch is less than a cycle, its ends differ by as much as the hips sway.
"""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Array, ArrayLike

SWAY = math.radians(12.0)
"""Who turns by less from one end to the other only sways ..."""
RUNNING = math.radians(24.0)
"""... and by less than this, if to turn to and fro once is all that it does all the while ..."""
TO_AND_FRO = 0.03
"""... but for this part of how far it turns (root mean square)."""
PERIODS = np.linspace(1.0, 1.35, 15)
"""As long may be what it does so in, in parts of the stretch."""


def turn(headings: ArrayLike) -> float:
    """How far a character turns, in radians, whose root faces ``headings`` (n,) from the start to the end."""
    faced = np.unwrap(np.asarray(headings, float))
    found = float(faced[-1] - faced[0])
    sways = abs(found) < SWAY or (abs(found) < RUNNING and _left(faced) < TO_AND_FRO * np.ptp(faced))
    return 0.0 if sways else found


def _left(faced: Array) -> float:
    """What a wave of the best period leaves of headings (n,), root mean square."""
    t = 2.0 * np.pi * np.linspace(0.0, 1.0, len(faced))
    waves = (np.stack([np.ones(len(t)), np.sin(t / p), np.cos(t / p)], axis=1) for p in PERIODS)
    errors = (faced - wave @ np.linalg.lstsq(wave, faced, rcond=None)[0] for wave in waves)
    return min(float(np.sqrt(np.mean(error * error))) for error in errors)
