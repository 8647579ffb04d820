# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames that are there twice, as where a take of 24 frames a second was put into 30: a clip stands for one
of them and goes on, so that the difference to it says nothing of how fast it goes.
"""

from __future__ import annotations

import numpy as np

from ...motion.arrays import Array
from ..data.actions import Clip
from ..data.channels import ROTATIONS, VECTORS
from ..data.rig import split_path

SAME = 1e-4
"""Values are the same that differ by no more than this part of what the clip goes on both sides together."""
ALIKE = 0.5
"""The clip goes on as it went before where the cosine between both ways is more than this: it does not turn
around, as at the end of a swing that lies between two frames."""


def pass_doubled(clip: Clip, frame: float, around: tuple[float, float]) -> tuple[float, float]:
    """Return the frames whose difference is the velocity of a clip, of which none is there twice.

    Where the frame before is the same, the velocity is that from the frame on, and where the one behind is,
    that up to it; where it would come from the last two frames, from the two before.

    Parameters
    ----------
    clip
        The clip.
    frame
        The frame at which its velocity is asked for.
    around
        The frames before and behind it, see :meth:`Clip.around`; the latter may be the frame itself.

    Returns
    -------
    tuple[float, float]
        The earlier and the later frame, one apart where one was passed; ``around`` where none is there twice.
    """
    before, after = around
    if frame - before == 1.0 and is_doubled(clip, before):
        return (frame, after) if after > frame else (before - 1.0, before)
    if after - frame == 1.0 and before < frame and is_doubled(clip, frame):
        return before, frame
    return around


def is_doubled(clip: Clip, frame: float) -> bool:
    """Tell whether a clip shows a frame and the next one alike in all transform channels, while it moves
    before and goes on behind in the same way.

    False where a frame before or two behind it is beyond the clip's ends or a teleport.
    """
    low, high = clip.section(frame)
    frames = frame + np.arange(-1.0, 3.0)
    if frames[0] < max(clip.start, low) or frames[-1] > min(clip.end, high):
        return False
    dot, earlier, later = 0.0, 0.0, 0.0
    for (path, _), curve in clip.curves.items():
        if split_path(path)[1] not in (*VECTORS, *ROTATIONS):
            continue
        values = curve.at(frames)
        before, between, behind = np.diff(values).tolist()
        if abs(between) > SAME * (abs(before) + abs(behind)) + _find_rounding(values):
            return False
        dot, earlier, later = dot + before * behind, earlier + before**2, later + behind**2
    return dot > ALIKE * float(np.sqrt(earlier * later))


def _find_rounding(values: Array) -> float:
    """Return by how much equal values (n,) may differ, as they are stored in single precision."""
    return 4.0 * float(np.spacing(np.float32(np.abs(values).max())))
