# SPDX-License-Identifier: GPL-3.0-or-later
"""How suddenly clips move that may fill a gap, so that none is played that pops where another does not."""

from __future__ import annotations

import numpy as np

from ...motion.arrays import Array
from ...motion.curves.stretches import whole_frames
from ...settings.transition import TransitionSettings
from ..data import scene
from ..data.actions import Clip
from ..evaluation import joint_motion
from ..matching.stock import Stock

AROUND_SECONDS = 0.5
"""So far around a gap is looked how suddenly the character moves."""
AT_ONCE = 10_000
"""So many frames of a clip are looked at together, as it takes memory."""
USUAL = 0.75
"""No motion is sudden that this part of the frames of a set has."""


def beyond(stock: Stock, own: TransitionSettings) -> Array | None:
    """How many times more suddenly each frame of a stock's database (frames,) moves than the character does
    around a gap between two ends, its own; 0 for no more. None for a rig that Blender has to play.

    That is by the change of velocity from frame to frame of the clips, see :func:`changes`.
    """
    if not stock.plain:
        return None
    base, every = stock.database, {clip.action.name: _every(stock, clip) for clip in stock.clips}
    found = np.zeros(base.frames)
    for source, start, stop in zip(base.sources, base.starts.tolist(), base.stops.tolist(), strict=True):
        clip, change = stock.clip(source.name), every[source.name]
        # a frame of the database stands for those up to the next one
        at = source.first - clip.start + source.step * np.arange(stop - start)
        each = at[:, None] + np.arange(source.step)
        found[start:stop] = change[np.clip(np.round(each), 0, len(change) - 1).astype(int)].max(axis=1)
    usual = max(around(stock, own), float(np.quantile(found, USUAL)), 1e-9)
    # the last digits may differ from machine to machine
    return np.asarray(np.round(np.maximum(found / usual - 1.0, 0.0), 3))


def changes(stock: Stock, clip: Clip, frames: Array) -> Array:
    """The change of the velocity of all joints, rms, at each of a clip's frames (n,) but the first and the
    last, (n - 2,) in world units a second. For rigs that nothing but keys moves."""
    heads = joint_motion.joint_positions(stock.rig, clip.curves, frames, clip.unkeyed)
    return np.asarray(np.sqrt(np.sum(np.diff(heads, 2, axis=0) ** 2, axis=-1).mean(axis=-1)) * scene.fps())


def _every(stock: Stock, clip: Clip) -> Array:
    """The change of velocity (n,) at each whole frame of a clip."""
    frames = clip.start + np.arange(-1.0, clip.end - clip.start + 1.5)
    parts = (frames[i : i + AT_ONCE + 2] for i in range(0, len(frames) - 2, AT_ONCE))
    found = np.concatenate([changes(stock, clip, each) for each in parts])
    # beyond its ends a clip stands still, which is nothing that is played
    found[[0, -1]] = 0.0
    return found


def around(stock: Stock, own: TransitionSettings) -> float:
    """The highest change of velocity just before and behind a gap between two ends, see :func:`changes`."""
    assert own.destination_frame is not None
    reach, highest = AROUND_SECONDS * scene.fps(), 0.0
    ends = (
        (own.source, own.cut - reach, own.cut),
        (own.destination, own.destination_frame, own.destination_frame + reach),
    )
    for name, first, last in ends:
        clip = stock.clip(name)
        frames = whole_frames(max(first, clip.start), min(last, clip.end))
        if len(frames) > 2:
            highest = max(highest, float(changes(stock, clip, frames).max()))
    return highest
