# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the joints of a plain rig are in a clip, or in one that is only planned, by numpy."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ...motion.arrays import Array
from ...motion.curves import evaluation as curvelib
from ...motion.curves.keys import Keys
from ...motion.skeleton import posing
from ...motion.skeleton.posing import Rig, Tracks
from ..data.actions import Address, Curve


def joint_positions(
    rig: Rig, curves: Mapping[Address, Curve | Keys], frames: Array, unkeyed: Mapping[Address, float] | None
) -> Array:
    """The world positions (frames, joints, 3) of all bones' heads in a clip, or a planned one, of curves.

    Valid for plain rigs, see :func:`evaluation.why_not_plain`. The object's own transform is the
    clip's, frame by frame. For the parameters see :func:`tracks`.
    """
    return posing.positions(rig, tracks(rig, curves, frames, unkeyed), len(frames))


def tracks(
    rig: Rig, curves: Mapping[Address, Curve | Keys], frames: Array, unkeyed: Mapping[Address, float] | None
) -> Tracks:
    """The values (frames,) of those transform channels that have a curve, or stand away from rest.

    curves: read from an action, or keys that are no F-curve yet. unkeyed: of a clip that was completed, where
    the channels of bones stand that have none.
    """
    standing = unkeyed or {}
    found: dict[Address, NDArray[np.float32]] = {}
    plain: dict[Address, Keys] = {}
    for address in rig.transforms():
        curve = curves.get(address)
        if isinstance(curve, Curve):
            if curve.obstacle:
                evaluate = curve.fcurve.evaluate
                found[address] = np.array([evaluate(frame) for frame in frames.tolist()], np.float32)
                continue
            curve = curve.keys
        if curve is not None:
            plain[address] = curve
        elif address in standing:
            found[address] = np.full(len(frames), standing[address], np.float32)
    found.update(zip(plain, curvelib.evaluate_together(list(plain.values()), frames), strict=True))
    return found
