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
from ...motion.skeleton import naming
from ...motion.skeleton.posing import Mark
from ...motion.travel.ground import Seen
from ..data import rigs, scene
from ..data.actions import Clip
from ..evaluation import joints
from ..feet import contacts
from . import skins

BEHIND = 0.25
"""The heel is behind the ankle by this part of the way from there to the tip of the toes, where no
mesh shows it."""
THICK, FLOOR = 0.035, 0.1
"""Without a mesh the sole lies below the lowest bone by this part of the leg's length, which is 3 cm of a
grown-up; or where the armature's own ground is, if it stands no further away from that at rest."""
LEAST, USUAL = 0.4, 0.7
"""The ball is further than this part of the way from the heel to the tip, or here, where bones do not say."""
TRUNK, HEAD, THIGH, SHANK, FOOT, UPPER_ARM, FOREARM = 0.497, 0.081, 0.1, 0.0465, 0.0145, 0.028, 0.022
"""What parts of the body weigh, the hand with the forearm (D. Winter, "Biomechanics and Motor Control of
Human Movement", 2009, table 4.1), ..."""
ALONG, OF_ARM, OF_FOREARM = 0.433, 0.436, 0.682
"""... and how far along a thigh or shank, an upper arm, and a forearm with its hand their own middle is."""


def steps(
    armature: Any, clip: Clip, legs: Sequence[Leg], frames: Array, is_cycle: bool
) -> Generator[float, None, Seen]:
    """What a clip shows of its soles and body at frames (n,), in metres; yields the part that is done."""
    skin = zip(legs, skins.feet(armature, legs), strict=True)
    below = [_sole(armature, leg, vertices) for leg, vertices in skin]
    soles = [mark for marks_, _ in below for mark in marks_]
    body, weights = _body(armature, legs)
    found = yield from contacts.tracking(armature, clip, [*soles, *body], frames)
    unit, length = contacts.metres_per_unit(armature), float(np.median([leg.length for leg in legs]))
    middle = np.einsum("nbk,b->nk", found[:, len(soles) :], weights)
    feet = np.repeat(np.arange(len(legs)), 3)
    points = found[:, : len(soles)]
    bare = [point for _, point in below if point is not None]
    if bare:
        thick = unit * _thick(armature, bare, length) * np.array([point is not None for _, point in below])
        points = _lowered(points.reshape(len(frames), len(legs), 3, 3), thick).reshape(points.shape)
    return Seen(frames, points, feet, middle, unit * length, scene.fps(), is_cycle)


def _thick(armature: Any, lowest: Sequence[Array], length: float) -> float:
    """How thick feet are below their bones. lowest: (3,) of each at rest, and length: of a leg, both in the
    armature's unit. 0 where it does not stand at rest on all of them, so that nothing tells of soles."""
    axis, sign = joints.up_axis(armature)
    heights = [sign * float(point[axis]) for point in lowest]
    if max(heights) - min(heights) > FLOOR * length:
        return 0.0
    above = min(heights)
    return max(above, 0.0) if abs(above) < FLOOR * length else THICK * length


def _lowered(points: Array, thick: Array) -> Array:
    """Heels, balls and tips (n, legs, 3, 3) of bones, by how thick feet are below them (legs,): downwards
    from the foot and from the toes as these are pitched. How captured feet are tilted sideways is noise."""
    along = np.diff(points, axis=2)[:, :, [0, 0, 1]]
    along /= np.maximum(np.linalg.norm(along, axis=-1, keepdims=True), 1e-9)
    up = np.array([0.0, 0.0, 1.0]) - along[..., 2:] * along
    up /= np.maximum(np.linalg.norm(up, axis=-1, keepdims=True), 1e-9)
    return np.asarray(points - thick[:, None, None] * up)


def _sole(armature: Any, leg: Leg, vertices: Array) -> tuple[list[Mark], Array | None]:
    """The heel, the ball and the tip of a foot, where its sole is at rest, by the vertices (n, 3) of its
    mesh. Without these they are as low as its bones are, and a point (3,) that is so low comes with them."""
    bones, low = armature.data.bones, None
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
        low = ball
    # the ball stays with the foot while the toes bend about it
    own = leg.foot if leg.ball is not None else leg.point
    found: list[Mark] = []
    for bone, point in ((leg.foot, heel), (own, ball), (toe, tip)):
        x, y, z = (np.linalg.inv(rest[bone]) @ (*point, 1.0))[:3].tolist()
        found.append((bone, (x, y, z)))
    return found, low


def _body(armature: Any, legs: Sequence[Leg]) -> tuple[list[Mark], Array]:
    """Heads of bones, and how much of the body's weight is there: of what a rig has of them."""
    weights: dict[int, float] = collections.defaultdict(float)

    def between(one: int, other: int, weight: float, along: float) -> None:
        weights[one] += (1.0 - along) * weight
        weights[other] += along * weight

    names, parents = armature.data.bones.keys(), rigs.bones(armature).parents
    roles = collections.defaultdict(list)
    for joint in joints.default_joints(armature):
        roles[joint.role].append(names.index(joint.bone))
    hips, head = roles[naming.HIPS][:1], roles[naming.HEAD][:1]
    shoulders = []
    for hand in roles[naming.HAND]:
        elbow = parents[hand] if parents[hand] >= 0 else hand
        shoulder = parents[elbow] if parents[elbow] >= 0 else elbow
        between(elbow, hand, FOREARM, OF_FOREARM)
        between(shoulder, elbow, UPPER_ARM, OF_ARM)
        shoulders.append(shoulder)
    below = hips or [leg.joints[0] for leg in legs]
    above = shoulders or head or below
    for ends in (below, above):
        for bone in ends:
            weights[bone] += 0.5 * TRUNK / len(ends)
    for bone in head or above:
        weights[bone] += HEAD / len(head or above)
    for leg in legs:
        part = 2.0 / len(legs)
        weights[leg.foot] += part * FOOT
        for above_, below_ in itertools.pairwise(leg.joints):
            if above_ == leg.joints[0]:
                between(above_, below_, part * THIGH, ALONG)
            else:
                between(above_, below_, part * SHANK / (len(leg.joints) - 2), ALONG)
    parts = np.array([*weights.values()])
    return [(bone, (0.0, 0.0, 0.0)) for bone in weights], parts / parts.sum()
