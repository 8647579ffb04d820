# SPDX-License-Identifier: GPL-3.0-or-later
"""Dead blending: from the cut on the source goes on as it was going, ever more slowly, and is faded out.

Nothing of the source is needed behind the cut, as for an offset that decays; but what decays is the source's
own velocity, y = ln 2 / half-life, and an eased cross-fade takes what has become of it into the destination:

    result = destination + p (source + velocity (1 - e^(-y t)) / y - destination)

where p = (1 - s)^2 (1 + 2 s) is what FADE leaves of an offset at rest. The destination's own motion fades in,
where an inertialized one has all of it from the cut on. Source: D. Holden, "Dead Blending" (2023).
Velocities are clamped, as that of a single frame may be anything.
"""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Array, ArrayLike
from .decay import Decay, Method

FADE = Method.CUBIC
"""The curve along which the source fades out."""
FASTEST_TURN = math.radians(720.0)
"""How fast, a second, a rotation goes on at most ..."""
FASTEST_MOVE = 5.0
"""... a location, in metres, but for the character's own travel ..."""
FASTEST_SCALE = 4.0
"""... and a scale."""
MOST_SAMPLES = 16
"""At how many times a blend is looked at for its cost, at most; else at each frame."""


def reach(t: ArrayLike, half_life: float) -> Array:
    """Return how far a decaying velocity takes the source within `t` seconds after the cut.

    The velocity halves each half-life (seconds). The result is in seconds of the velocity at the cut, of the
    shape of t.
    """
    t = np.asarray(t, float)
    if not math.isfinite(half_life):
        return t
    y = math.log(2.0) / half_life
    return np.asarray(-np.expm1(-y * t) / y)


def source_share(t: ArrayLike, seconds: ArrayLike) -> Array:
    """Return how much of the source is left `t` seconds after the cut, from 1 to 0: an eased cross-fade."""
    seconds = np.asarray(seconds, float)
    return Decay(FADE, seconds, np.zeros(seconds.shape)).weights(np.maximum(t, 0.0))[0]


def clamped(rate: ArrayLike, fastest: float) -> Array:
    """Velocities (..., components), none faster than ``fastest``."""
    rate = np.asarray(rate, float)
    speed = np.linalg.norm(rate, axis=-1, keepdims=True)
    return rate * np.minimum(1.0, fastest / np.maximum(speed, 1e-300))


def samples(seconds: float, fps: float) -> tuple[Array, Array]:
    """Return the times (k,) at which a blend is sampled, and the weight (k,) of each; in seconds.

    Times count from the cut. The sum of an offset at these times, each times its weight, is the area under
    what is left of the offset.
    """
    count = int(np.clip(np.ceil(seconds * fps - 1e-6), 1, MOST_SAMPLES))
    times = seconds * np.arange(count) / count
    counts = np.full(count, seconds / count) * source_share(times, seconds)
    counts[0] *= 0.5
    return times, counts


def source_windows(
    positions: Array, velocities: Array, travel: Array, times: Array, weights: Array, half_life: float
) -> Array:
    """Return the weighted places of joints after each frame of a source, if it were left there: (n, k,
    joints, 3).

    positions, velocities: (n, joints, 3). travel: (n, 3), the velocity of the whole character, of which
    nothing decays. times, weights: (k,), of :func:`samples`. The L1 distance to a destination's windows,
    which hold its joints' places with the same weights, is the displacement.
    """
    relative = velocities - travel[:, None]
    gone = reach(times, half_life)[:, None, None]
    reached = positions[:, None] + times[:, None, None] * travel[:, None, None] + gone * relative[:, None]
    return np.asarray(reached * weights[:, None, None])


def positions_at(frames: Array, positions: Array, wanted: Array) -> Array:
    """Positions (n, joints, 3) at wanted frames (m,), of those at frames (n,); the last ones are held."""
    i = np.clip(np.searchsorted(frames, wanted, "right") - 1, 0, max(len(frames) - 2, 0))
    after = np.minimum(i + 1, len(frames) - 1)
    part = np.clip((wanted - frames[i]) / np.maximum(frames[after] - frames[i], 1e-9), 0.0, 1.0)
    part = part[:, None, None]
    return np.asarray((1.0 - part) * positions[i] + part * positions[after])
