# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of a character on a way that is not baked yet, as lines from joint to joint in the view's world."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...blender.data import scene
from ...motion.arrays import Array, Integers
from ...motion.matching.database import Database
from ...motion.matching.features import turned
from ...motion.skeleton.kinematics import Skeleton


def poses(base: Database, flat: Integers, ground: Array, heading: Array, floor: float) -> Array:
    """Where joints are in the world (frames, joints, 3) that a set has on flat frames (frames,).

    ground: (frames, 2) metres, and heading: (frames,) radians, of the smoothed root. floor: how high the
    ground is in the world.
    """
    own = base.positions[flat].astype(float)
    count = own.shape[1]
    places = turned(own[..., :2].reshape(-1, 2), np.repeat(heading, count)) + np.repeat(ground, count, axis=0)
    found = np.concatenate([places.reshape(-1, count, 2), own[..., 2:]], axis=-1)
    return np.asarray(found / scene.metres_per_unit() + (0.0, 0.0, floor))


def pairs(bones: Skeleton, joints: Sequence[str]) -> Integers:
    """Which joints are drawn as joined (m, 2): each with the nearest above it that counts, too."""
    found = []
    for i, name in enumerate(joints):
        above = bones.parents[bones.names.index(name)] if name in bones.names else -1
        while above >= 0 and bones.names[above] not in joints:
            above = bones.parents[above]
        if above >= 0:
            found.append((joints.index(bones.names[above]), i))
    return np.array(found, int).reshape(-1, 2)
