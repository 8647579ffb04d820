# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips on twos: a blend moves when the destination does, and holds its poses as long; a loop as its clip.

See :mod:`inertia_addon.motion.curves.holds`. What is stepped has constant keys: nothing moves between them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ...motion.arrays import Array
from ...motion.curves import holds as finding
from ...motion.curves import keys as keylib
from ...motion.curves.evaluation import evaluate
from ...motion.curves.holds import Holds
from ...motion.curves.keys import Keys
from ...motion.curves.representation import parted, whole_frames
from ...settings.transition import TransitionSettings
from ..data.actions import Clip
from ..data.channels import ROTATIONS, VECTORS
from ..data.rig import split_path

MOST_FRAMES = 200
"""Of curves that keys alone do not say so many frames are looked at, from the first on."""


def of_clips(settings: TransitionSettings, source: Clip, destination: Clip) -> tuple[Holds, Holds]:
    """Return how the poses of source and destination are held: as they are in both, or as the settings'
    `step` asks of the destination, from its entry on; step 1 holds none.
    """
    if settings.step == 1:
        return Holds(), Holds()
    if settings.step:
        entry = destination.start if settings.destination_frame is None else settings.destination_frame
        length = max(destination.end - destination.start, settings.frames(finding.MOST * 10.0)) + 100.0
        return Holds(), finding.every(settings.step, entry, math.ceil(length / settings.step))
    return find_holds(source), find_holds(destination)


def find_holds(clip: Clip) -> Holds:
    """Return how a clip goes on: on which frames its poses change."""
    return finding.find(_find_moving_curves(clip))


def holds_poses(settings: TransitionSettings, clip: Clip) -> bool:
    """Return whether a clip may count as one that holds poses, see :func:`of_clips`."""
    if settings.step == 1:
        return False
    holds = finding.find(_find_moving_curves(clip))
    return bool(settings.step) or holds.step > 1 or holds.is_held


def _find_moving_curves(clip: Clip) -> Iterator[Keys]:
    """Yield the curves, as keys, of the transform channels of a clip; those with more than keys are sampled
    on MOST_FRAMES whole frames at most.
    """
    for (path, _), curve in clip.curves.items():
        if split_path(path)[1] not in (*VECTORS, *ROTATIONS):
            continue
        if curve.obstacle:
            frames = whole_frames(clip.start, min(clip.end, clip.start + MOST_FRAMES))
            yield keylib.sampled(frames, curve.at(frames))
        else:
            yield curve.keys


def entry_of(settings: TransitionSettings, destination: Clip, frame: float) -> float:
    """Return the frame at which a pose begins that a destination holds at an entry."""
    return frame if settings.step else find_holds(destination).start_of(frame)


def stepped(keys: Keys, frames: Array) -> Keys:
    """Return a curve that holds its values from one of some frames (n,), sorted, to the next."""
    head, _ = parted(keylib.head, keys, float(frames[0]))
    tail, _ = parted(keylib.tail, keys, float(frames[-1]))
    (middle,) = keylib.sampled_together(frames, np.asarray(evaluate(keys, frames))[:, None], keylib.CONSTANT)
    return keylib.join(head, middle, tail)
