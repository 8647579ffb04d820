# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the soles of an armature's feet are in a clip, and the middle of its body."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import numpy as np

from ...motion.arrays import Array
from ...motion.feet.legs import Leg
from ...motion.skeleton import extremities
from ...motion.skeleton.posing import Mark
from ...motion.travel.ground import Seen
from ..data import rigs, scene
from ..data.actions import Clip
from ..evaluation import joints
from ..feet import contacts, marks

BEHIND = 0.25
"""The heel is behind the ankle by this part of the way from there to the tip of the toes."""
HIPS, HEAD, FEET = 0.58, 0.27, 0.15
"""What of a person's weight is, about, where the hips are, half-way from there to the head, and in the legs
(W. Dempster, "Space requirements of the seated operator", 1955): enough to know the middle of the body."""


def steps(
    armature: Any, clip: Clip, legs: Sequence[Leg], frames: Array, is_cycle: bool
) -> Generator[float, None, Seen]:
    """What a clip shows of its soles and body at frames (n,), in metres; yields the part that is done."""
    soles = [mark for leg in legs for mark in _sole(armature, leg)]
    body, weights = _body(armature, legs)
    found = yield from marks.steps(armature, clip, [*soles, *body], frames)
    length = float(np.median([leg.length for leg in legs])) * contacts.metres_per_unit(armature)
    middle = np.einsum("nbk,b->nk", found[:, len(soles) :, :2], weights)
    feet = np.repeat(np.arange(len(legs)), 3)
    return Seen(frames, found[:, : len(soles)], feet, middle, length, scene.fps(), is_cycle)


def _sole(armature: Any, leg: Leg) -> list[Mark]:
    """The heel, the ball and the tip of a foot, where its sole is at rest."""
    bones = armature.data.bones
    rest = rigs.bones(armature).rest
    axis, sign = joints.up_axis(armature)
    family = [bones[leg.foot], *bones[leg.foot].children_recursive]
    ends = np.array([end for bone in family for end in (bone.head_local, bone.tail_local)], float)
    level = float((sign * ends[:, axis]).min()) * sign

    def below(point: Array) -> Array:
        down = point.copy()
        down[axis] = level
        return down

    toe = leg.foot if leg.ball is None else leg.ball
    ankle, ball = below(rest[leg.foot][:3, 3]), below((rest[leg.point] @ (*leg.offset, 1.0))[:3])
    tip = below(np.array(bones[toe].tail_local, float))
    heel = ankle - BEHIND * (tip - ankle)
    # the ball stays with the foot while the toes bend about it
    own = leg.foot if leg.ball is not None else leg.point
    found: list[Mark] = []
    for bone, point in ((leg.foot, heel), (own, ball), (toe, tip)):
        x, y, z = (np.linalg.inv(rest[bone]) @ (*point, 1.0))[:3].tolist()
        found.append((bone, (x, y, z)))
    return found


def _body(armature: Any, legs: Sequence[Leg]) -> tuple[list[Mark], Array]:
    """Heads of bones, and how much of the body's weight is there: of what a rig has of them."""
    names = armature.data.bones.keys()
    own = {joint.role: names.index(joint.bone) for joint in joints.default_joints(armature)}
    weights = {
        own[role]: part for role, part in ((extremities.HIPS, HIPS), (extremities.HEAD, HEAD)) if role in own
    }
    if not weights:
        weights = dict.fromkeys((leg.joints[0] for leg in legs), (HIPS + HEAD) / len(legs))
    weights |= dict.fromkeys((leg.foot for leg in legs), FEET / len(legs))
    parts = np.array([*weights.values()])
    return [(bone, (0.0, 0.0, 0.0)) for bone in weights], parts / parts.sum()
