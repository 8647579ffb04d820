# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of skeletons as plain products of matrices, frame by frame."""

from __future__ import annotations

import numpy as np

from inertia_addon.motion.arrays import Array
from inertia_addon.motion.skeleton.kinematics import Skeleton


def pose(bones: Skeleton, basis: Array) -> Array:
    """Pose matrices (..., n, 4, 4) in the armature's space from the bones' own transforms (..., n, 4, 4)."""
    inverse = np.linalg.inv(bones.rest)
    found = np.empty_like(basis)
    for i, parent in enumerate(bones.parents):
        local = bones.rest[i] if parent < 0 else found[..., parent, :, :] @ (inverse[parent] @ bones.rest[i])
        found[..., i, :, :] = local @ basis[..., i, :, :]
    return found
