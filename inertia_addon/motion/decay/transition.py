# SPDX-License-Identifier: GPL-3.0-or-later
"""Offsets of many channels decaying together: the guard, the window, and the output.

source, destination at the cut -> offset -> guard -> decay -> on top of the destination
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ...records import record
from ..arrays import Array, ArrayLike
from . import decay, guard
from .decay import Decay, Method
from .guard import Guard, Guarded
from .offset import Offset


@record(frozen=True)
class Fading:
    """Offsets x (n, 3) on their way to zero.

    decay: their curves. seconds: (n,) when each is gone, 0 where there is nothing to decay. guarded: what the
    guard did, and the rates that they start with.
    """

    x: Array
    decay: Decay
    seconds: Array
    guarded: Guarded

    def at(self, which: Any, t: Array) -> Array:
        """Offsets (..., k, 3) at times (k,), seconds after the cut; zero once they are gone.

        which: the index of one of them, or of several (n,).
        """
        lengths, pull, gone = (
            np.asarray(each[which])[..., None] for each in (self.decay.seconds, self.decay.pull, self.seconds)
        )
        curves = dataclasses.replace(self.decay, seconds=lengths, pull=pull)
        x, v = (each[which][..., None, :] for each in (self.x, self.guarded.velocity))
        return np.where((t < gone - 1e-9)[..., None], decay.evaluate(curves, x, v, t), 0.0)


def fade(
    offset: Offset,
    method: Method,
    seconds: ArrayLike,
    kind: Guard,
    limit: ArrayLike,
    tolerance: ArrayLike,
) -> Fading:
    """Decide how offsets decay.

    seconds: blend times, or half-lives for SPRING, (...); 0 cuts at once. limit: the guard's, in
    the offset's unit, inf where it does not act. tolerance: an offset that never leaves it is no
    offset, and a spring ends within it.
    """
    seconds = np.broadcast_to(np.asarray(seconds, float), offset.x.shape[:-1])
    tolerance = np.broadcast_to(np.asarray(tolerance, float), seconds.shape)
    at_once = seconds <= 0.0
    safe = np.where(at_once, 1.0, seconds)
    guarded = guard.apply(kind, method, offset.x, offset.v, safe, limit)
    curve = decay.make(method, offset.x, guarded.velocity, guarded.seconds)
    gone = decay.settled_after(method, offset.x, guarded.velocity, guarded.seconds, tolerance)
    largest = np.linalg.norm(offset.x, axis=-1) + guarded.excursion_after
    nothing = largest <= NOTHING * tolerance
    return Fading(offset.x, curve, np.where(at_once | nothing, 0.0, gone), guarded)


NOTHING = 0.25
"""An offset that stays under this part of the tolerance needs no keys. Rounding stays well under it."""
