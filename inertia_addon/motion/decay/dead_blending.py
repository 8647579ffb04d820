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
    """Return how far a decaying velocity gets within `t` seconds after the cut, in seconds of its value at
    the cut.

    The velocity halves each half-life (seconds, > 0), so that the result is (1 - 2^(-t/h)) h / ln 2, of the
    shape of t: times the velocity at the cut it is the way. With an infinite half-life it is t itself.
    """
    t = np.asarray(t, float)
    # the character's own travel keeps its speed for ever
    if not math.isfinite(half_life):
        return t
    y = math.log(2.0) / half_life
    # for short times 1 - e^(-y t) itself would lose its figures
    return np.asarray(-np.expm1(-y * t) / y)


def source_share(t: ArrayLike, seconds: ArrayLike) -> Array:
    """Return how much of the source is left `t` seconds after the cut, from 1 to 0: an eased cross-fade."""
    seconds = np.asarray(seconds, float)
    return Decay(FADE, seconds, np.zeros(seconds.shape)).weights(np.maximum(t, 0.0))[0]


def clamped(rate: ArrayLike, fastest: float) -> Array:
    """Return velocities (..., components), those faster than ``fastest`` shortened to that."""
    rate = np.asarray(rate, float)
    speed = np.linalg.norm(rate, axis=-1, keepdims=True)
    # what stands still is not divided by zero
    return rate * np.minimum(1.0, fastest / np.maximum(speed, 1e-300))


def samples(seconds: float, fps: float) -> tuple[Array, Array]:
    """Return the times (k,) at which a blend is sampled, in seconds after the cut, and a weight (k,) for
    each.

    seconds: the blend time, above 0. There is one sample a frame, rounded up, but 1 at least and 16 at most;
    they are even, from 0 on, without the end. A weight, in seconds, is the sample's share of the time,
    seconds / k (half of that for the first), times what is left of the source there by :func:`source_share`.
    So the sum of an unfaded offset at these times, each times its weight, is the area under the fading
    offset.
    """
    # a whole number of frames that rounding puts above itself is no frame more
    count = int(np.clip(np.ceil(seconds * fps - 1e-6), 1, MOST_SAMPLES))
    times = seconds * np.arange(count) / count
    counts = np.full(count, seconds / count) * source_share(times, seconds)
    # by trapezoids: the end, where nothing of the source is left, needs no sample
    counts[0] *= 0.5
    return times, counts


def source_windows(
    positions: Array, velocities: Array, travel: Array, times: Array, weights: Array, half_life: float
) -> Array:
    """Return where joints of a source would go after each frame with a decaying velocity, weighted.

    The L1 distance to a destination's windows, which hold its joints' places with the same weights, is the
    displacement.

    Parameters
    ----------
    positions : (n, joints, 3)
        The joints' places on each frame.
    velocities : (n, joints, 3)
        Their velocities per second there.
    travel : (n, 3)
        The velocity of the whole character per second, which does not decay; the rest of a
        joint's velocity does.
    times : (k,)
        Seconds after the cut, as :func:`samples` returns them.
    weights : (k,)
        The weight of each time; each place is multiplied by it.
    half_life
        Seconds in which a velocity halves, above 0; infinite for none that decays.

    Returns
    -------
    Array (n, k, joints, 3)
        Weighted places, in the positions' unit and frame of reference.
    """
    relative = velocities - travel[:, None]
    gone = reach(times, half_life)[:, None, None]
    reached = positions[:, None] + times[:, None, None] * travel[:, None, None] + gone * relative[:, None]
    return np.asarray(reached * weights[:, None, None])


def positions_at(frames: Array, positions: Array, wanted: Array) -> Array:
    """Return positions at wanted frames, linear between those of known frames.

    Parameters
    ----------
    frames : (n,)
        The known frames, rising.
    positions : (n, joints, 3)
        The positions at these.
    wanted : (m,)
        Frames, whole or not. Before the first and behind the last known frame the position
        there is held.

    Returns
    -------
    Array (m, joints, 3)
        A new array.

    Raises
    ------
    IndexError
        There are no known frames but some are wanted.
    """
    i = np.clip(np.searchsorted(frames, wanted, "right") - 1, 0, max(len(frames) - 2, 0))
    after = np.minimum(i + 1, len(frames) - 1)
    part = np.clip((wanted - frames[i]) / np.maximum(frames[after] - frames[i], 1e-9), 0.0, 1.0)
    part = part[:, None, None]
    return np.asarray((1.0 - part) * positions[i] + part * positions[after])
