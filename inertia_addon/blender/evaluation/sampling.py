# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the joints of a plain rig are in a clip, or in one that is only planned, by numpy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from ...motion.curves import evaluation as curvelib
from ...motion.curves.keys import Keys
from ...motion.skeleton import posing
from ...motion.skeleton.posing import Rig, Tracks
from ..data.actions import Address, Clip, Curve

Array = NDArray[np.float64]


def joint_positions(rig: Rig, clip: Clip, frames: Array) -> Array:
    """The world positions (frames, joints, 3) of all bones' heads in a clip that was completed.

    Valid for plain rigs, see :func:`evaluation.why_not_plain`. The object's own transform is the
    clip's, frame by frame; for un-keyed channels see :mod:`unkeyed`.
    """
    return planned_positions(rig, clip.curves, frames, clip.unkeyed or {})


def planned_positions(
    rig: Rig, curves: Mapping[Address, Curve | Keys], frames: Array, unkeyed: Mapping[Address, float]
) -> Array:
    """As :func:`joint_positions`, in a result that is planned and not yet written, of its curves."""
    return posing.positions(rig, tracks(curves, rig.transforms(), frames, unkeyed), len(frames))


def clip_tracks(rig: Rig, clip: Clip, frames: Array) -> Tracks:
    """The values (frames,) in a clip of those channels that move a plain rig out of its rest pose."""
    return tracks(clip.curves, rig.transforms(), frames, clip.unkeyed or {})


def tracks(
    curves: Mapping[Address, Curve | Keys],
    addresses: Iterable[Address],
    frames: Array,
    standing: Mapping[Address, float],
) -> Tracks:
    """The values (frames,) of those channels that have a curve, or stand away from rest.

    curves: read from an action, or keys that are no F-curve yet. standing: where those stand that have none.
    """
    found: dict[Address, NDArray[np.float32]] = {}
    plain: dict[Address, Keys] = {}
    for address in addresses:
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
