# SPDX-License-Identifier: GPL-3.0-or-later
"""The easings of animation curves, by R. Penner (*Robert Penner's Programming Macromedia Flash MX*, 2002).

Each goes from 0 to 1 while its part goes from 0 to 1; numbers are those that Blender uses.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array

BACK, BOUNCE, CIRC, CUBIC, ELASTIC, EXPO, QUAD, QUART, QUINT, SINE = range(3, 13)
"""Interpolation codes."""

AUTO, IN, OUT, IN_OUT = 0, 1, 2, 3
"""Easing codes: which end is eased."""

_POWERS = {QUAD: 2, CUBIC: 3, QUART: 4, QUINT: 5}
_LEAST = 2.0**-10


def eased(code: int, ends: int, part: Array, back: Array) -> Array:
    """How far (n,) an easing has come at parts (n,) of its segment; any but the elastic one.

    ends: AUTO eases where it is usual. back: (n,) how far BACK overshoots.
    """
    if ends == AUTO:
        ends = OUT if code in (BACK, BOUNCE) else IN
    if ends == IN:
        return _in(code, part, back)
    if ends == OUT:
        return 1.0 - _in(code, 1.0 - part, back)
    early = part < 0.5
    half = 0.5 * _in(code, 2.0 * np.where(early, part, 1.0 - part), 1.525 * back)
    return np.where(early, half, 1.0 - half)


def _in(code: int, t: Array, back: Array) -> Array:
    """The easing whose beginning is eased."""
    if code in _POWERS:
        return t ** _POWERS[code]
    if code == SINE:
        return 1.0 - np.cos(0.5 * np.pi * t)
    if code == CIRC:
        return 1.0 - np.sqrt(np.maximum(1.0 - t * t, 0.0))
    if code == EXPO:
        return np.where(t == 0.0, 0.0, (2.0 ** (10.0 * (t - 1.0)) - _LEAST) / (1.0 - _LEAST))
    if code == BACK:
        return t * t * ((back + 1.0) * t - back)
    return 1.0 - _bounced(1.0 - t)


def _bounced(t: Array) -> Array:
    """A ball that falls to 1, and bounces ever lower."""
    return np.select(
        [t < 1.0 / 2.75, t < 2.0 / 2.75, t < 2.5 / 2.75],
        [
            7.5625 * t * t,
            7.5625 * (t - 1.5 / 2.75) ** 2 + 0.75,
            7.5625 * (t - 2.25 / 2.75) ** 2 + 0.9375,
        ],
        7.5625 * (t - 2.625 / 2.75) ** 2 + 0.984375,
    )


def elastic(ends: int, part: Array, change: Array, duration: Array, amplitude: Array, period: Array) -> Array:
    """How far (n,) an elastic easing has come at parts (n,), in units of values.

    change, duration: (n,) of the segment. amplitude, period: (n,) of its oscillation, 0 for the usual.
    """
    usual = 0.3 * (1.5 if ends == IN_OUT else 1.0)
    period = np.where(period == 0.0, duration * usual, period)
    t = {IN: part - 1.0, IN_OUT: 2.0 * part - 1.0}.get(ends, -part)
    small = (amplitude == 0.0) | (amplitude < np.abs(change))
    size = np.where(small, change, amplitude)
    with np.errstate(divide="ignore", invalid="ignore"):
        shift = np.where(small, period / 4.0, period / (2.0 * np.pi) * np.arcsin(change / size))
        blend = np.where(small & (change != 0.0), _blend(t, change, duration, amplitude, shift), 1.0)
    late = t > 0.0
    if ends == IN_OUT:
        t = -np.abs(t)
    swing = blend * size * 2.0 ** (10.0 * t) * np.sin((t * duration - shift) * (2.0 * np.pi) / period)
    if ends == IN:
        found = -swing
    elif ends == IN_OUT:
        found = np.where(late, change + 0.5 * swing, -0.5 * swing)
    else:
        found = change + swing
    return np.where(part <= 0.0, 0.0, np.where(part >= 1.0, change, found))


def _blend(t: Array, change: Array, duration: Array, amplitude: Array, shift: Array) -> Array:
    """What scales an amplitude too small for its segment, so that the last swing still reaches its end."""
    factor = amplitude / np.abs(change)
    near = np.abs(t * duration) / np.abs(shift)
    return np.where(near < 1.0, factor * near + (1.0 - near), factor)
