# SPDX-License-Identifier: GPL-3.0-or-later
"""Has the object or bones of an armature carry a way: the curves that move the whole character along it."""

from __future__ import annotations

import numpy as np

from ...motion import quaternion
from ...motion.arrays import Array
from ..data import rewriting
from ..data.actions import Clip
from ..data.rewriting import ChannelStretch, Rewritten
from ..transition.alignment import RootedRig
from ..transition.carriers import carriers_along, channels_of_carrier


def carried(rooted: RootedRig, clip: Clip, frames: Array, motions: Array) -> Rewritten:
    """Return the curves of a clip with its root moved by motions of the world: shifts, and turns about the
    vertical. Nothing is written.

    rooted: the armature with its root, whose carriers' channels change; their rotations only where the
    motions turn them. frames: (n,) of the clip, sorted, each whole one and both ends; outside of them the
    clip stays. motions: (n, 4, 4), in world units, at these frames. Raise InertiaError where no channels
    carry the root.
    """
    parts: list[ChannelStretch] = []
    for bone, (matrices, shifts, turns) in carriers_along(rooted, clip, motions).items():
        place, turned = channels_of_carrier(rooted.obj, rooted.rig, clip, bone)
        way = np.einsum("nij,nj->ni", matrices, place.raw(frames)) + shifts
        parts.append(ChannelStretch(place, frames, way))
        if np.abs(turns[:, 1:]).max() > 0.0:
            shown = quaternion.multiply(turns, turned.decode(turned.raw(frames)))
            parts.append(ChannelStretch(turned, frames, shown))
    return rewriting.rewritten(clip, parts)
