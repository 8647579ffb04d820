# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a way really goes once it is baked: the root, too, decays from clip to clip.

A search takes each clip's smoothed root as it is. At a join the root keeps its velocity, and its sway, and
comes to those of the clip that takes over along the same curve as all other channels: from a run into a
walk that is a few centimetres more.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from ..arrays import Array
from ..decay import decay
from ..decay.decay import Method
from ..smoothing import smooth
from .database import SMOOTH_SECONDS, Database
from .features import turned
from .targets import wrapped
from .ways import Join, Way


def joined(database: Database, way: Way, method: Method, seconds: float) -> Way:
    """A way with the smoothed root that it has as it is baked; method, seconds: of the joins' blends."""
    found = np.empty((way.frames, 3))
    before: Array | None = None
    for i, join in enumerate(way.joins):
        until = way.joins[i + 1].frame if i + 1 < len(way.joins) else way.frames
        # two frames more say where it is, and how fast it goes, when the next clip takes over
        clip = _moved(database, join, until - join.frame + 2)
        if before is not None:
            clip += _offset(database, join, before, clip, method, seconds)
        found[join.frame : until] = clip[1 : until - join.frame + 1]
        before = clip[until - join.frame :]
    sigma = SMOOTH_SECONDS * database.fps
    return dataclasses.replace(way, ground=smooth(found[:, :2], sigma), heading=smooth(found[:, 2], sigma))


def _moved(database: Database, join: Join, count: int) -> Array:
    """The root of a clip from the frame before a join on (count + 1 frames, x, y and heading), where it is
    moved.

    Beyond the clip's ends it goes on as it went there.
    """
    part = database.part[join.entered]
    first, last = int(database.starts[part]), int(database.stops[part]) - 1
    asked = np.arange(join.entered - 1, join.entered + count)
    within = np.clip(asked, first, last)
    root = database.root[within].astype(float)
    for end, towards in ((first, 1), (last, -1)):
        over = (asked - within)[:, None] * (within == end)[:, None]
        root = root + over * np.diff(database.root[[end, end + towards]].astype(float), axis=0)[0] * towards
    ground = turned(root[:, :2], np.full(len(root), join.angle)) + join.place
    return np.column_stack([ground, root[:, 2] + join.angle])


def _offset(
    database: Database, join: Join, before: Array, clip: Array, method: Method, seconds: float
) -> Array:
    """What decays on top of a clip (frames, 3). before: the way a frame before, at and a frame after the
    join."""
    fps = database.fps
    x = before[1] - clip[1]
    x[2] = wrapped(x[2])
    rate = 0.5 * fps * (before[2] - before[0] - (clip[2] - clip[0]))
    made = decay.make(method, x[:, None], rate[:, None], np.full(3, seconds))
    times = np.maximum(np.arange(-1, len(clip) - 1) / fps, 0.0)
    offset = decay.evaluate(made, x[:, None], rate[:, None], times[:, None])[..., 0]
    # the heading goes on from the turns that it has come to
    offset[:, 2] += np.round((before[1] - clip[1] - x)[2] / (2.0 * np.pi)) * 2.0 * np.pi
    return np.asarray(offset)
