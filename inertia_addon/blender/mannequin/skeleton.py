# SPDX-License-Identifier: GPL-3.0-or-later
"""The rest pose of a person of 1.75 m, in metres: facing -Y, Z up, arms in an A."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ...records import record
from .maths import Array, build_frame, normalize, rotate_y

HEIGHT = 1.75


@record(frozen=True)
class Bone:
    """A rest bone; ``frame`` has the bone's local axes, in armature space, as its columns."""

    name: str
    parent: str | None
    head: Array
    tail: Array
    frame: Array
    mode: str = "QUATERNION"


# Left side only; the right is its mirror image. A dot in a name marks a side.
_POINTS: dict[str, tuple[str | None, tuple[float, float, float], tuple[float, float, float]]] = {
    "root": (None, (0, 0, 0), (0, 0.3, 0)),
    "hips": ("root", (0, 0.010, 0.965), (0, 0.000, 1.070)),
    "spine": ("hips", (0, 0.000, 1.070), (0, 0.005, 1.215)),
    "chest": ("spine", (0, 0.005, 1.215), (0, 0.030, 1.455)),
    "neck": ("chest", (0, 0.030, 1.455), (0, 0.008, 1.550)),
    "head": ("neck", (0, 0.008, 1.550), (0, 0.000, 1.750)),
    "shoulder.L": ("chest", (0.025, 0.005, 1.430), (0.180, 0.025, 1.435)),
    "upper_arm.L": ("shoulder.L", (0.180, 0.025, 1.435), (0.388, 0.030, 1.226)),
    "forearm.L": ("upper_arm.L", (0.388, 0.030, 1.226), (0.566, 0.005, 1.046)),
    "hand.L": ("forearm.L", (0.566, 0.005, 1.046), (0.690, -0.020, 0.920)),
    "thigh.L": ("hips", (0.090, 0.000, 0.935), (0.092, -0.012, 0.505)),
    "shin.L": ("thigh.L", (0.092, -0.012, 0.505), (0.094, 0.012, 0.078)),
    "foot.L": ("shin.L", (0.094, 0.012, 0.078), (0.100, -0.125, 0.022)),
    "toe.L": ("foot.L", (0.100, -0.125, 0.022), (0.103, -0.205, 0.016)),
}
# Where the heel meets the ground; it belongs to the foot bone.
_HEEL = (0.094, 0.070, 0.0)
# A head is posed by nods and shakes and an elbow is a hinge, so animators like these as Euler angles.
_MODES = {"head": "YXZ", "forearm.L": "XYZ", "forearm.R": "XYZ"}
SIDES = {"L": 1.0, "R": -1.0}


def mirror_point(point: ArrayLike, side: str) -> Array:
    """Return a point of the left side (3,), mirrored where the side is the right one."""
    return np.array(point, dtype=float) * (SIDES[side], 1.0, 1.0)


def _make_bone(name: str, side: str) -> Bone:
    parent, head, tail = _POINTS[name]
    first, last = mirror_point(head, side), mirror_point(tail, side)
    # Local X is the axis that knees, elbows and backs bend about. On an arm that hangs, that is the
    # armature's X, hence in the A pose what X was before the arm was raised.
    across = np.array([1.0, 0.0, 0.0])
    if name.startswith(("upper_arm", "forearm", "hand", "shoulder")):
        x, _, z = normalize(last - first)
        across = np.array([-z, 0.0, x])
    own = name.replace(".L", f".{side}")
    above = parent.replace(".L", f".{side}") if parent else None
    return Bone(own, above, first, last, build_frame(across, last - first), _MODES.get(own, "QUATERNION"))


def _make_bones() -> dict[str, Bone]:
    middle = [_make_bone(name, "L") for name in _POINTS if "." not in name]
    limbs = [_make_bone(name, side) for side in SIDES for name in _POINTS if "." in name]
    return {bone.name: bone for bone in middle + limbs}


# Parents come before their children.
BONES = _make_bones()


def hang_arm(side: str) -> Array:
    """Return the rotation (3, 3) by which an arm of the A pose hangs straight down."""
    bone = BONES[f"upper_arm.{side}"]
    x, _, z = bone.tail - bone.head
    return rotate_y(np.degrees(np.arctan2(x, -z)))


def locate_sole(side: str) -> tuple[Array, Array]:
    """Return where the heel meets the ground, and the ball of the foot, each (3,) from the ankle, for a foot
    that is flat.
    """
    ankle = BONES[f"foot.{side}"].head
    return mirror_point(_HEEL, side) - ankle, BONES[f"toe.{side}"].head - ankle
