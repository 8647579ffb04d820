# SPDX-License-Identifier: GPL-3.0-or-later
"""Bends of clips: the clips whose root is moved so, as a database knows them."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np

from ...motion.curves import stretches as curvelib
from ...motion.matching import bends
from ...motion.matching.database import SMOOTH_SECONDS
from ...motion.matching.warp import Warp
from ...motion.skeleton.posing import Rig
from ...motion.smoothing import smooth
from ..data import scene
from ..data.actions import Clip
from ..data.roots import Root
from ..evaluation import joint_motion
from . import stock


def steps(armature: Any, rig: Rig, root: Root, straight: Clip, bend: float) -> Generator[float, None, Clip]:
    """A clip that goes straight on, bent to the left by so much, radians a second; yields the part that is
    done."""
    if not bend:
        return straight
    step, metres = stock.step_of(scene.fps()), scene.metres_per_unit()
    known = joint_motion.grid(straight)[::step]
    motion = yield from joint_motion.steps(armature, straight, known, root)
    rate = scene.fps() / step
    ground = smooth(motion.root_position[:, :2], SMOOTH_SECONDS * rate)
    turn, after = bends.bent(ground, rate, bend)
    frames = curvelib.whole_frames(straight.start, straight.end)
    x, y, to_x, to_y, angle = (np.interp(frames, known, one) for one in (*ground.T, *after.T, turn))
    before, shift = np.stack([x, y], axis=1), np.stack([to_x - x, to_y - y], axis=1)
    motions = Warp(before / metres, angle, shift / metres).matrices()
    return stock.moved(armature, rig, root, straight, frames, motions)
