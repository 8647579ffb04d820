# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the character of a clip jumps as a whole, see :mod:`motion.pops.teleports`.

The bones are posed as the clip keys them, by numpy, whatever constraints do: who jumps is keyed to.
:func:`joint_motion.with_teleports` notes in a clip what is found.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ...motion.arrays import Array
from ...motion.pops import teleports
from ...motion.pops.teleports import Teleport
from ..data.actions import Clip

Posing = Callable[[Array], Array]
"""Returns where all bones are at frames (n,) of a clip, (n, bones, 3) metres, in the world."""

DENSE = 0.75
"""Keys that are nearer than so many frames to each other are looked at one by one."""
MOST = 100_000
"""In a clip of more frames nothing is looked for."""
AT_ONCE = 4_000
"""So many frames are posed together, as they take memory."""
LEAST_STEP = 0.25
"""A clip's last frame is looked at where so much of a step lies before it."""
WHOLE = 0.8
"""A part of a step in which so much of its way is gone is where the character jumps."""


def key_step(clip: Clip) -> float:
    """Return how many frames apart a clip is looked at: 1, or the median gap of its longest curve's keys
    where that is below 0.75.

    A gap of 0.01 or less counts as 1. ValueError for a clip without curves.
    """
    most = max(clip.curves.values(), key=lambda curve: len(curve.keys)).keys.co[:, 0].astype(float)
    gap = float(np.median(np.diff(most))) if len(most) > 1 else 1.0
    return gap if 0.01 < gap < DENSE else 1.0


def find(clip: Clip, size: float, posing: Posing) -> tuple[Teleport, ...]:
    """Return the teleports of a clip, in order, each with the last frame before the jump, the first behind
    it, and how far the joints are taken, in metres (root mean square).

    size: of the character, metres. posing: returns where all bones are (n, bones, 3), metres in the world, at
    frames (n,). The clip is looked at a frame apart, or closer where its keys are denser than 0.75 frames. ()
    for a clip without curves, one with fewer than 6 or more than 100,000 such frames, places that are not
    finite, or a size that is 0, below it or not finite.
    """
    if not clip.curves:
        return ()
    step = key_step(clip)
    count = math.floor((clip.end - clip.start) / step + LEAST_STEP) + 1
    if not teleports.SHORTEST <= count <= MOST or not 0.0 < size < math.inf:
        return ()
    frames = np.minimum(clip.start + step * np.arange(count + 1.0), clip.end)
    if frames[-1] - frames[-2] < LEAST_STEP * step:
        frames = np.append(frames[:-2], frames[-1])
    seconds = np.diff(frames) / step
    gaps, lengths = [], []
    for first in range(0, len(seconds), AT_ONCE):
        # with a step beside it on each side
        span = slice(max(first - 1, 0), min(first + AT_ONCE + 1, len(seconds)))
        positions = posing(frames[span.start : span.stop + 1])
        if not np.isfinite(positions).all():
            return ()
        kept = slice(first - span.start, first - span.start + AT_ONCE)
        gap, length = teleports.gaps(positions, seconds[span])
        gaps.append(gap[kept])
        lengths.append(length[kept])
    found = teleports.steps_of((np.concatenate(gaps), np.concatenate(lengths)), size)
    return tuple(_narrow(clip, posing, (float(frames[i]), float(frames[i + 1])), way) for i, way in found)


def _narrow(clip: Clip, posing: Posing, ends: tuple[float, float], travelled: float) -> Teleport:
    """Return the teleport between two frames (ends), a step apart, narrowed to the two neighbouring keys
    between which joints go furthest; its ``way`` is `travelled`.

    travelled: how far it goes, metres. Keys narrow it only where more than 0.8 of that (root mean square over
    the bones) lies between two of them, or one of them and an end; else both frames are its ends.
    """
    first, last = ends
    keyed = [curve.keys.co[:, 0].astype(float) for curve in clip.curves.values()]
    within = np.concatenate([keys[(keys > first + 1e-3) & (keys < last - 1e-3)] for keys in keyed])
    if len(within):
        frames = np.unique([first, *within, last])
        steps = np.diff(posing(frames), axis=0)
        ways = np.sqrt(np.mean(np.sum(steps**2, axis=-1), axis=-1))
        i = int(np.argmax(ways))
        if ways[i] > WHOLE * travelled:
            first, last = float(frames[i]), float(frames[i + 1])
    return Teleport(first, last, travelled)
