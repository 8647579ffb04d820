# SPDX-License-Identifier: GPL-3.0-or-later
"""An arrival in reversed time: an ordinary transition, from the destination into what comes before."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ...motion.curves import keys as keylib
from ...motion.curves import stretches as curvelib
from ..data.actions import Address, Clip, Curve, Repeated
from ..judging.verdict import Verdict


def backwards(clip: Clip, action: Any, later: float = 0.0) -> Clip:
    """A clip that plays so many frames later, in reversed time; action: which stands for it."""
    curves: dict[Address, Curve] = {}
    for at, curve in clip.curves.items():
        keys = curve.keys
        if curve.obstacle or np.any(
            (keys.interpolation[:-1] != keylib.LINEAR) & (keys.interpolation[:-1] != keylib.BEZIER)
        ):
            frames = curvelib.whole_frames(clip.start, clip.end)
            keys = keylib.sampled(frames, curve.at(frames), keylib.LINEAR)
        curves[at] = Repeated(None, keylib.backwards(keylib.moved(keys, later)), "", curve.group)
    start, end = -(clip.end + later), -(clip.start + later)
    others = tuple(backwards(one, action, later) for one in clip.others or ())
    return Clip(action, clip.slot, curves, start, end, (), clip.unkeyed, others=others)


def forwards(seen: Verdict, arrival: float) -> Verdict:
    """The verdict on an arrival, which was judged in reversed time."""
    faults = tuple(dataclasses.replace(fault, frame=-fault.frame) for fault in seen.faults)
    return dataclasses.replace(seen, faults=faults, until=arrival)
