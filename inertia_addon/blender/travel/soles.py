# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the soles of an armature's feet are in a clip, and the middle of its body."""

from __future__ import annotations

import collections
import itertools
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
from . import skins

BEHIND = 0.25
"""The heel is behind the ankle by this part of the way from there to the tip of the toes, where no
mesh shows it."""
LEAST, USUAL = 0.4, 0.7
"""The ball is further than this part of the way from the heel to the tip, or here, where bones do not say."""
TRUNK, THIGH, SHANK, FOOT, UPPER_ARM, FOREARM = 0.578, 0.1, 0.0465, 0.0145, 0.028, 0.022
"""What parts of the body weigh, the hand with the forearm (D. Winter, "Biomechanics and Motor Control of
Human Movement", 2009, table 4.1), ..."""
ALONG = 0.433
"""... and how far along a thigh or shank its own middle is."""


def steps(
    armature: Any, clip: Clip, legs: Sequence[Leg], frames: Array, is_cycle: bool
) -> Generator[float, None, Seen]:
    """What a clip shows of its soles and body at frames (n,), in metres; yields the part that is done."""
    skin = zip(legs, skins.feet(armature, legs), strict=True)
    soles = [mark for leg, vertices in skin for mark in _sole(armature, leg, vertices)]
    body, weights = _body(armature, legs)
    found = yield from marks.steps(armature, clip, [*soles, *body], frames)
    length = float(np.median([leg.length for leg in legs])) * contacts.metres_per_unit(armature)
    middle = np.einsum("nbk,b->nk", found[:, len(soles) :], weights)
    feet = np.repeat(np.arange(len(legs)), 3)
    return Seen(frames, found[:, : len(soles)], feet, middle, length, scene.fps(), is_cycle)


def _sole(armature: Any, leg: Leg, vertices: Array) -> list[Mark]:
    """The heel, the ball and the tip of a foot, where its sole is at rest. vertices: (n, 3) of its mesh."""
    bones = armature.data.bones
    rest = rigs.bones(armature).rest
    axis, sign = joints.up_axis(armature)
    toe = leg.foot if leg.ball is None else leg.ball
    ball = (rest[leg.point] @ (*leg.offset, 1.0))[:3]
    ends = skins.sole(armature, leg, vertices, axis, sign)
    if ends is not None:
        heel, tip = ends
        along = tip - heel
        # bones may end anywhere, but the ball is in the foot
        part = float((ball - heel) @ along / (along @ along))
        ball = heel + (part if LEAST < part < 1.0 else USUAL) * along
    else:
        family = [bones[leg.foot], *bones[leg.foot].children_recursive]
        lowest = min(sign * end[axis] for bone in family for end in (bone.head_local, bone.tail_local))
        ankle, tip = rest[leg.foot][:3, 3].copy(), np.array(bones[toe].tail_local, float)
        ankle[axis] = ball[axis] = tip[axis] = sign * lowest
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
    weights: dict[int, float] = collections.defaultdict(float)

    def between(one: int, other: int, weight: float, along: float = 0.5) -> None:
        weights[one] += (1.0 - along) * weight
        weights[other] += along * weight

    names, parents = armature.data.bones.keys(), rigs.bones(armature).parents
    roles = collections.defaultdict(list)
    for joint in joints.default_joints(armature):
        roles[joint.role].append(names.index(joint.bone))
    ends = [*roles[extremities.HIPS][:1], *roles[extremities.HEAD][:1]] or [leg.joints[0] for leg in legs]
    for bone in ends:
        weights[bone] += TRUNK / len(ends)
    for leg in legs:
        part = 2.0 / len(legs)
        weights[leg.foot] += part * FOOT
        for above, below in itertools.pairwise(leg.joints):
            if above == leg.joints[0]:
                between(above, below, part * THIGH, ALONG)
            else:
                between(above, below, part * SHANK / (len(leg.joints) - 2), ALONG)
    for hand in roles[extremities.HAND]:
        elbow = parents[hand] if parents[hand] >= 0 else hand
        between(elbow, hand, FOREARM)
        between(parents[elbow] if parents[elbow] >= 0 else elbow, elbow, UPPER_ARM)
    parts = np.array([*weights.values()])
    return [(bone, (0.0, 0.0, 0.0)) for bone in weights], parts / parts.sum()
