# SPDX-License-Identifier: GPL-3.0-or-later
"""What one sees of a loop's seam: a transition of the clip into itself, from its end to its start."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator
from typing import Any

import numpy as np

from ...motion.arrays import Array
from ...motion.judging.evidence import MARGIN_SECONDS
from ...settings import methods
from ...settings.loops import SHARES, LoopSettings
from ..data import rigs, scene
from ..data.actions import Clip
from ..judging import sides
from ..judging.sides import Side, Window
from ..judging.verdict import Verdict
from .stretch import Stretch


def of_loop(
    armature: Any, settings: LoopSettings, found: Stretch, loop: Clip
) -> Generator[float, None, Verdict]:
    """The verdict on a loop's seam, in frames of the loop; yields the part that is done.

    loop: the result, planned or made. Raises InertiaError for a rig that Blender would not play.
    """
    cycle, clip = found.moved, dataclasses.replace(found.clip, cycle=None)
    loop = dataclasses.replace(loop, start=cycle.start, end=cycle.end, cycle=cycle)
    since, seam, end = window(settings, found)
    # locked feet stand still in all of the cycle
    until = max(since + cycle.period, end) if settings.lock_feet else end
    around, later = MARGIN_SECONDS * scene.fps(), found.first - found.cycle.start
    both = (
        Side(clip, later, since - around, end),
        Side(clip, later + cycle.period, since - around, until + around, found.cycle.motion()),
    )

    def weights(frames: Array) -> Array:
        return np.asarray(np.interp(frames, [since, end], [0.0, 1.0]))

    where = Window(seam, end, until, since)
    behind = found.behind(rigs.read(armature))
    told = yield from sides.judging(armature, both, loop, where, weights, behind=behind)

    def shown_at(frame: float) -> float:
        """Behind the seam the loop shows its beginning."""
        return frame - cycle.period if frame > seam else frame

    faults = tuple(dataclasses.replace(fault, frame=shown_at(fault.frame)) for fault in told.faults)
    return dataclasses.replace(told, faults=faults, until=shown_at(told.until))


def window(settings: LoopSettings, found: Stretch) -> tuple[float, float, float]:
    """The first frame that differs from the clip before a loop's seam, the seam, and the last one behind it:
    frames of the loop, no more than a cycle of them."""
    period, fps, share = found.cycle.period, scene.fps(), SHARES[settings.closes]
    lasts = methods.lasting(settings.decay, settings.seconds(fps, period / fps)) * fps
    lasts = max(1.0, min(lasts, period))
    before, after = lasts * (share < 1.0), lasts * (share > 0.0)
    most = min(1.0, period / (before + after))
    seam = found.moved.end
    return seam - round(most * before), seam, seam + round(most * after)
