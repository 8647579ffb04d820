# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward kinematics of plain rigs: bones that inherit everything and that nothing else moves."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import quaternion

Array = NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class Skeleton:
    """Bones at rest, parents before children.

    names: (n,). parents: (n,) indices, -1 for none. rest: (n, 4, 4) in the armature's space.
    """

    names: tuple[str, ...]
    parents: tuple[int, ...]
    rest: Array

    def pose(self, basis: ArrayLike) -> Array:
        """Pose matrices (..., n, 4, 4) in the armature's space from the bones' own transforms.

        basis: (..., n, 4, 4), what each bone's channels describe, relative to its rest pose.
        """
        basis = np.asarray(basis, float)
        inverse = np.linalg.inv(self.rest)
        pose = np.empty_like(basis)
        for i, parent in enumerate(self.parents):
            place = self.rest[i] if parent < 0 else pose[..., parent, :, :] @ (inverse[parent] @ self.rest[i])
            pose[..., i, :, :] = place @ basis[..., i, :, :]
        return pose


def basis(location: ArrayLike, rotation: ArrayLike, scale: ArrayLike) -> Array:
    """Transforms (..., 4, 4) of locations (..., 3), unit quaternions (..., 4) and scales (..., 3)."""
    location = np.asarray(location, float)
    matrix = np.zeros((*location.shape[:-1], 4, 4))
    matrix[..., :3, :3] = quaternion.to_matrix(rotation) * np.asarray(scale, float)[..., None, :]
    matrix[..., :3, 3] = location
    matrix[..., 3, 3] = 1.0
    return matrix
