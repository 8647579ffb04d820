# SPDX-License-Identifier: GPL-3.0-or-later
"""Has the object or bones of an armature carry a way: the curves that move the whole character along it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...motion import quaternion
from ...motion.arrays import Array
from ...motion.quaternion import rotation_property
from ...motion.skeleton.posing import Rig
from ..data import rewriting
from ..data import rig as riglib
from ..data.actions import Clip
from ..data.channels import transform
from ..data.rewriting import Rewritten, Stretch
from ..data.roots import Root
from ..transition.carriers import carriers_along


def carried(
    armature: Any, rig: Rig, root: Root, clip: Clip, frames: Array, motions: Array, play: bool
) -> Rewritten:
    """A clip whose root is moved by motions of the world (n, 4, 4): shifts, and turns about the vertical.

    frames: (n,) sorted, each whole one and both ends. play: have Blender show who carries it, as of a rig
    that is not plain. Raises InertiaError where no channels carry it.
    """
    parts: list[Stretch] = []
    for bone, (matrices, shifts, turns) in carriers_along(armature, rig, root, clip, motions, play).items():
        prefix = "" if bone is None else riglib.bone_path(bone, "")
        mode = riglib.rotation_mode(armature, bone)
        standing = rig.standing if bone is None else {}
        place = transform(clip, prefix, "location", standing=standing)
        way = np.einsum("nij,nj->ni", matrices, place.raw(frames)) + shifts
        parts.append(Stretch(place, frames, way))
        if np.abs(turns[:, 1:]).max() > 0.0:
            turned = transform(clip, prefix, rotation_property(mode)[0], mode, standing)
            shown = quaternion.multiply(turns, turned.shown(turned.raw(frames)))
            parts.append(Stretch(turned, frames, shown))
    return rewriting.rewritten(clip, parts)
