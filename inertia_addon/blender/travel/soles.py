# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the soles of an armature's feet are in a clip, and the middle of its body. They are where the mesh is
that feet carry, as the ends of bones may point anywhere."""

from __future__ import annotations

import collections
import itertools
from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np

from ...motion.arrays import Array
from ...motion.feet.legs import HEEL, Leg
from ...motion.skeleton import naming
from ...motion.skeleton.posing import Mark
from ...motion.steps import Steps
from ...motion.travel.ground import ClipFeet
from ..data import rigs
from ..data.actions import Clip
from ..evaluation import joint_motion, joints
from ..evaluation.character import Character
from ..feet import contacts

VERTICES = 20_000
"""At most so many vertices of a mesh are looked at."""
CARRIED = 0.5
"""A vertex is a foot's whose bones weigh this much there, of all that weighs."""
FEWEST = 6
"""Fewer vertices are no foot."""
LOW = 0.2
"""The sole is what of a foot is no higher than this part of its length above its lowest place."""
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
    character: Character, clip: Clip, legs: Sequence[Leg], frames: Array, *, is_cycle: bool
) -> Steps[ClipFeet]:
    """Return what a clip shows of its soles and body at frames (n,) as a :class:`ClipFeet`, in metres, in the
    world; yield the part that is done, 0 to 1.

    ``soles`` is (n, 3 legs, 3): heel, ball and tip of the first leg, then of the next, in the order of
    `legs`. Those of feet whose sole no mesh tells are lowered by how thick feet are below their bones, see
    :func:`_thick`. ``middle`` (n, 3) is where the middle of the body is, by what its parts weigh; ``length``
    the median of the legs' lengths; ``frames``, the scene's ``fps`` and ``is_cycle`` go with them.

    legs: at least one, else ValueError. is_cycle: whether the last of the frames is the first again, which is
    only noted. Raise InertiaError for keys that are not finite, an armature at no finite place, and where
    Blender has to play the rig and would not.
    """
    feet = zip(legs, foot_vertices(character.armature, legs), strict=True)
    foot_marks, lowest = zip(*(_sole(character.armature, *foot) for foot in feet), strict=True)
    soles = [*itertools.chain.from_iterable(foot_marks)]
    body, weights = _body(character, legs)
    places = yield from joint_motion.track_points_steps(character, clip, [*soles, *body], frames)
    unit, length = (
        contacts.metres_per_unit(character.armature),
        float(np.median([leg.length for leg in legs])),
    )
    middle = np.einsum("nbk,b->nk", places[:, len(soles) :], weights)
    points = places[:, : len(soles)]
    bare = [point for point in lowest if point is not None]
    if bare:
        thick = (
            unit
            * _thick(character.armature, bare, length)
            * np.array([point is not None for point in lowest])
        )
        points = _lowered(points.reshape(len(frames), len(legs), 3, 3), thick).reshape(points.shape)
    return ClipFeet(frames, points, middle, unit * length, character.fps, is_cycle)


def foot_vertices(armature: Any, legs: Sequence[Leg]) -> list[Array]:
    """Return the vertices of each leg's foot at rest, an array (n, 3) for each leg, in the armature's space;
    n is 0 where no mesh tells.

    A vertex of a mesh that the armature deforms belongs to a foot if half at least of the sum of its weights
    in all vertex groups, also those of no bone, is in the groups of the foot's bone and the bones below it.
    Of each mesh at most 20,000 are looked at, evenly spread.
    """
    families = [{bone.name for bone in _family(armature, leg)} for leg in legs]
    by_leg: list[list[Array]] = [[] for _ in legs]
    for skin in bpy.data.objects:
        if skin.type != "MESH" or skin.find_armature() != armature:
            continue
        groups = skin.vertex_groups.keys()
        whose = [{i for i, name in enumerate(groups) if name in family} for family in families]
        if not any(whose):
            continue
        space = np.array(armature.matrix_world.inverted_safe() @ skin.matrix_world, float)
        vertices = skin.data.vertices
        for vertex in itertools.islice(vertices, 0, None, -(-len(vertices) // VERTICES) or 1):
            weights = {part.group: part.weight for part in vertex.groups}
            least = CARRIED * sum(weights.values())
            for foot, places in zip(whose, by_leg, strict=True):
                carried = sum(weight for group, weight in weights.items() if group in foot)
                if carried > 0.0 and carried >= least:
                    places.append(space @ (*vertex.co, 1.0))
    return [np.array(places, float).reshape(-1, 4)[:, :3] for places in by_leg]


def _family(armature: Any, leg: Leg) -> list[Any]:
    bone = armature.data.bones[leg.foot]
    return [bone, *bone.children_recursive]


def sole_ends(armature: Any, leg: Leg, places: Array, axis: int, sign: float) -> tuple[Array, Array] | None:
    """Return (heel, tip), each (3,), of a foot's sole, in the armature's space, by the foot's vertices there
    at rest (n, 3).

    Vertices are low that are no higher above the lowest one than 0.2 of the largest extent of all along an
    axis. Both ends are at the lowest height, on the line through the middle of the low vertices along which
    these are spread most, as far as they reach; the heel is the end on the side of the ankle at rest.

    axis: of the armature, 0 to 2, that is vertical. sign: 1 if it points up, -1 if down. None for fewer than
    six vertices, if only one is low, or if the low ones are all at one place seen from above.
    """
    if len(places) < FEWEST:
        return None
    flat = [i for i in range(3) if i != axis]
    heights = sign * places[:, axis]
    low = places[heights <= heights.min() + LOW * np.ptp(places, axis=0).max()]
    middle = low[:, flat].mean(axis=0)
    _, spread, axes = np.linalg.svd(low[:, flat] - middle, full_matrices=False)
    if len(low) < 2 or spread[0] <= 0.0:
        return None
    ankle = rigs.bones(armature).rest[leg.foot][flat, 3]
    along = axes[0] if (middle - ankle) @ axes[0] >= 0.0 else -axes[0]
    reach = (low[:, flat] - middle) @ along
    ends = np.empty((2, 3))
    ends[:, axis] = sign * heights.min()
    ends[:, flat] = middle + np.array([[reach.min()], [reach.max()]]) * along
    return ends[0], ends[1]


def _thick(armature: Any, lowest: Sequence[Array], length: float) -> float:
    """Return how thick feet are below their bones, in the armature's unit.

    lowest: (3,) of each foot at rest, at least one, and length: of a leg, both in that unit. 0 if the feet's
    heights differ by more than 0.1 of the length. Else the lowest of these counts: nearer than 0.1 of the
    length to the armature's own ground, height 0, it is the thickness, or 0 if it is below the ground; else
    that is 0.035 of the length.
    """
    axis, sign = joints.up_axis(armature)
    heights = [sign * float(point[axis]) for point in lowest]
    if max(heights) - min(heights) > FLOOR * length:
        return 0.0
    above = min(heights)
    return max(above, 0.0) if abs(above) < FLOOR * length else THICK * length


def _lowered(points: Array, thick: Array) -> Array:
    """Return heels, balls and tips (n, legs, 3, 3), in this order along the third axis, moved down by how
    thick feet are below their bones (legs,), in the points' unit.

    Down is at right angles to the foot, from heel to ball, for heels and balls, and to the toes, from ball to
    tip, for tips, in the upright plane of each; a sideways tilt of captured feet is noise, and not looked at.
    Of what points straight up nothing is moved. The given points stay.
    """
    along = np.diff(points, axis=2)[:, :, [0, 0, 1]]
    along /= np.maximum(np.linalg.norm(along, axis=-1, keepdims=True), 1e-9)
    up = np.array([0.0, 0.0, 1.0]) - along[..., 2:] * along
    up /= np.maximum(np.linalg.norm(up, axis=-1, keepdims=True), 1e-9)
    return np.asarray(points - thick[:, None, None] * up)


def _sole(armature: Any, leg: Leg, vertices: Array) -> tuple[list[Mark], Array | None]:
    """Return (the heel, ball and tip of a foot's sole at rest as marks, in this order, the ball's place or
    None). A mark is (bone index, offset along the bone's own axes at rest).

    The heel moves with the foot; so does the ball, unless the leg has no toe bone, where it moves with
    ``leg.point``; the tip moves with the toe bone, else the foot. vertices: (n, 3) of the foot, in the
    armature's space.

    Where they tell, heel and tip are those of :func:`sole_ends`. The ball is on the line between them, as far
    along as the leg's own ball, ``leg.offset`` from ``leg.point``, if that is between 0.4 and 1 of the way
    from the heel, else 0.7. The second value is None then.

    Else all three are as low as the lowest end of the foot bone and all bones below it. The tip is below the
    toe bone's tail, the ball below the leg's own, the heel behind the ankle by 0.25 of the way from there to
    the tip. The second value is then the ball (3,) in the armature's space.
    """
    rest, low = rigs.bones(armature).rest, None
    axis, sign = joints.up_axis(armature)
    toe = leg.foot if leg.ball is None else leg.ball
    ball = (rest[leg.point] @ (*leg.offset, 1.0))[:3]
    ends = sole_ends(armature, leg, vertices, axis, sign)
    if ends is not None:
        heel, tip = ends
        along = tip - heel
        # bones may end anywhere, but the ball is in the foot
        part = float((ball - heel) @ along / (along @ along))
        ball = heel + (part if LEAST < part < 1.0 else USUAL) * along
    else:
        family = _family(armature, leg)
        lowest = min(sign * end[axis] for bone in family for end in (bone.head_local, bone.tail_local))
        ankle, tip = rest[leg.foot][:3, 3].copy(), np.array(armature.data.bones[toe].tail_local, float)
        ankle[axis] = ball[axis] = tip[axis] = sign * lowest
        heel = ankle - HEEL * (tip - ankle)
        low = ball
    # the ball stays with the foot while the toes bend about it
    carrier = leg.foot if leg.ball is not None else leg.point
    sole: list[Mark] = []
    for bone, point in ((leg.foot, heel), (carrier, ball), (toe, tip)):
        x, y, z = (np.linalg.inv(rest[bone]) @ (*point, 1.0))[:3].tolist()
        sole.append((bone, (x, y, z)))
    return sole, low


def _body(character: Character, legs: Sequence[Leg]) -> tuple[list[Mark], Array]:
    """Return points at the heads of bones, as (bone index, (0, 0, 0)), and how much of the body's weight is
    at each (points,), 1 in all.

    The sum of the points' places, so weighted, is the body's middle. legs: at least one. Weights are those of
    human bodies; for hips, head or arms that the rig lacks others stand in.
    """
    weights: dict[int, float] = collections.defaultdict(float)

    def between(upper: int, lower: int, weight: float, along: float) -> None:
        weights[upper] += (1.0 - along) * weight
        weights[lower] += along * weight

    names, parents = character.armature.data.bones.keys(), rigs.bones(character.armature).parents
    roles = collections.defaultdict(list)
    for joint in joints.default_joints(character.armature):
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
    part = 2.0 / len(legs)
    for leg in legs:
        weights[leg.foot] += part * FOOT
        for i, (upper, lower) in enumerate(itertools.pairwise(leg.joints)):
            weight = part * THIGH if i == 0 else part * SHANK / (len(leg.joints) - 2)
            between(upper, lower, weight, ALONG)
    parts = np.array([*weights.values()])
    return [(bone, (0.0, 0.0, 0.0)) for bone in weights], parts / parts.sum()
