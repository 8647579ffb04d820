# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip as a clock shows it: sampled while its speed changes, its own keys, moved, from there on."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ...motion.arrays import Array
from ...motion.curves import keys as keylib
from ...motion.curves.keys import Keys
from ...motion.curves.stretches import whole_frames
from ...motion.cycles.cycle import Clock
from ..data import rig
from ..data.actions import Address, Clip, Curve, Repeated
from ..data.channels import ROTATIONS, VECTORS, ClipChannels, property_default
from . import pieces

AROUND = 2.0
"""So many frames are sampled more on each side, for the slopes there."""


def retimed(clip: Clip, clock: Clock, cut: float, owner: Any | None, whole: bool = False) -> Clip:
    """A clip whose frames are a clock's times.

    cut: the scene frame of the clock's entry, as keys lie on whole frames of the scene. owner: what it
    animates. whole: what is before the entry is asked for, too.
    """
    later = cut - clock.entry
    start, end = clock.time([clip.start, clip.end]).tolist()
    first = min(start, clock.entry - AROUND) if whole else clock.entry - AROUND
    before = whole_frames(first + later, cut)[:-1] if whole else cut - np.array([AROUND, 1.0])
    window = whole_frames(cut, clock.end + later)
    after = window[-1] + np.arange(1.0, AROUND + 1.0)
    times = np.concatenate([before, window, after]) - later
    times[len(before)], times[len(before) + len(window) - 1] = clock.entry, clock.end
    curves: dict[Address, Curve] = {}
    for address, curve in clip.curves.items():
        early = None
        if _is_moved(owner, address, curve):
            keys = _moved(curve.keys, clock)
            if isinstance(curve, Repeated) and curve.before is not None:
                early = _moved(curve.before, clock)
        else:
            keys = _sampled(clip, address, clock, times)
        curves[address] = Repeated(curve.fcurve, keys, curve.obstacle, curve.group, early)
    return dataclasses.replace(clip, curves=curves, start=start, end=end, clock=clock)


def _is_moved(owner: Any | None, address: Address, curve: Curve) -> bool:
    """Whether a curve's keys say all at other times, too: it stands still, or can only jump."""
    if curve.obstacle:
        return False
    if keylib.is_flat(curve.keys) or np.all(curve.keys.interpolation[:-1] == keylib.CONSTANT):
        return True
    prop = rig.split_path(address[0])[1]
    return prop not in ROTATIONS and prop not in VECTORS and property_default(owner, address)[1]


def _moved(keys: Keys, clock: Clock) -> Keys:
    """Keys at the times at which their frames are shown."""
    ahead = clock.time(keys.co[:, 0]) - keys.co[:, 0]
    way = np.stack([ahead, np.zeros(len(keys))], axis=1)[:, None]
    return dataclasses.replace(keys, points=(keys.points + way).astype(np.float32))


def _sampled(clip: Clip, address: Address, clock: Clock, times: Array) -> Keys:
    """A curve with keys at times up to the clock's end, and its own, moved, from there on."""
    channels = ClipChannels(clip, (address,), (0.0,))
    sampled = keylib.sampled(times, channels.raw(clock.shown(times))[:, 0])
    # its report tells of what keys can't say; here it is said a frame at a time
    tail = pieces.piece(keylib.tail, channels, 0, clock.end + clock.gained, [], -clock.gained)
    return keylib.join(keylib.head(sampled, clock.end), None, tail)
