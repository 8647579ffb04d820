# SPDX-License-Identifier: GPL-3.0-or-later
"""The mannequin's body: rounded shells and ball joints, each of them moved by one bone.

Nothing bends, so that no weight painting is needed and a wrong rotation shows at once. The left hand and
foot are teal, the right ones orange: in a profile view one must see which leg is which.
"""

from __future__ import annotations

import dataclasses

import bpy
import numpy as np
from numpy.typing import ArrayLike

from .maths import Array, frame_of
from .skeleton import BONES, SIDES, mirrored

_SEGMENTS, _RINGS = 20, 18
_SHELL, _JOINT, _LEFT, _RIGHT = range(4)
_COLOURS = {
    "Mannequin Shell": (0.70, 0.66, 0.60),
    "Mannequin Joint": (0.045, 0.05, 0.065),
    "Mannequin Left": (0.02, 0.36, 0.42),
    "Mannequin Right": (0.80, 0.22, 0.04),
}

Point = tuple[float, float, float]


@dataclasses.dataclass(frozen=True)
class Part:
    """A rounded solid from ``start`` to ``end``, moved by ``bone``.

    profile: (part of the way, half width, half depth) in metres; width runs along ``across``.
    cap: the part of the way over which either end is rounded. sole: cut off flat at the ground.
    """

    bone: str
    start: ArrayLike
    end: ArrayLike
    profile: tuple[Point, ...]
    colour: int = _SHELL
    cap: float = 0.25
    across: ArrayLike = (1.0, 0.0, 0.0)
    sole: bool = False


_TRUNK = (
    Part(
        "hips",
        (0, 0.012, 0.862),
        (0, 0.002, 1.075),
        ((0, 0.10, 0.09), (0.4, 0.163, 0.112), (1, 0.140, 0.094)),
        cap=0.3,
    ),
    Part("spine", (0, 0.003, 1.02), (0, 0.008, 1.28), ((0, 0.100, 0.070), (1, 0.100, 0.070)), _JOINT),
    Part(
        "spine",
        (0, 0.002, 1.062),
        (0, 0.005, 1.206),
        ((0, 0.122, 0.088), (0.5, 0.117, 0.086), (1, 0.124, 0.090)),
        cap=0.32,
    ),
    Part(
        "chest",
        (0, 0.010, 1.175),
        (0, 0.026, 1.490),
        ((0, 0.128, 0.090), (0.35, 0.156, 0.112), (0.7, 0.172, 0.112), (0.9, 0.110, 0.082), (1, 0.07, 0.06)),
        cap=0.22,
    ),
    Part("neck", (0, 0.030, 1.42), (0, 0.006, 1.60), ((0, 0.058, 0.060), (1, 0.050, 0.054)), _JOINT),
    Part(
        "head",
        (0, -0.012, 1.520),
        (0, -0.004, 1.765),
        ((0, 0.048, 0.07), (0.35, 0.068, 0.090), (0.7, 0.079, 0.099), (1, 0.07, 0.09)),
        cap=0.42,
    ),
    Part(
        "head",
        (-0.062, -0.076, 1.650),
        (0.062, -0.076, 1.650),
        ((0, 0.026, 0.024), (0.5, 0.036, 0.027), (1, 0.026, 0.024)),
        _JOINT,
        0.4,
        (0, 1, 0),
    ),
)


def _ball(bone: str, centre: Array, radius: float) -> Part:
    x, y, z = centre
    return Part(
        bone, (x, y, z - radius), (x, y, z + radius), ((0, radius, radius), (1, radius, radius)), _JOINT, 0.5
    )


def _limb(bone: str, profile: tuple[Point, ...], start: float, end: float, colour: int = _SHELL) -> Part:
    """A part along a left bone, with its width along the bone's own X."""
    rest = BONES[bone]
    along = rest.tail - rest.head
    return Part(
        bone, rest.head + start * along, rest.head + end * along, profile, colour, across=rest.frame[:, 0]
    )


def _arm() -> list[Part]:
    hand = BONES["hand.L"]
    along, back = hand.frame[:, 1], hand.frame[:, 2]
    thumb = (hand.head + 0.030 * along - 0.016 * back, hand.head + 0.098 * along - 0.058 * back)
    return [
        Part(
            "shoulder.L",
            (0.03, 0.012, 1.425),
            (0.20, 0.026, 1.442),
            ((0, 0.045, 0.05), (1, 0.056, 0.054)),
            across=(0, 1, 0),
        ),
        _ball("upper_arm.L", BONES["upper_arm.L"].head, 0.058),
        _limb("upper_arm.L", ((0, 0.050, 0.052), (0.35, 0.050, 0.054), (1, 0.037, 0.039)), 0.07, 0.96),
        _ball("forearm.L", BONES["forearm.L"].head, 0.040),
        _limb("forearm.L", ((0, 0.037, 0.039), (0.3, 0.041, 0.045), (1, 0.026, 0.030)), 0.03, 0.95),
        _ball("hand.L", hand.head, 0.026),
        _limb(
            "hand.L",
            ((0, 0.020, 0.026), (0.4, 0.020, 0.043), (0.8, 0.015, 0.036), (1, 0.01, 0.03)),
            0.02,
            1.0,
            colour=_LEFT,
        ),
        Part("hand.L", *thumb, ((0, 0.014, 0.016), (1, 0.011, 0.012)), _LEFT, 0.3),
    ]


def _leg() -> list[Part]:
    return [
        _ball("thigh.L", BONES["thigh.L"].head, 0.082),
        _limb("thigh.L", ((0, 0.074, 0.082), (0.25, 0.080, 0.088), (1, 0.050, 0.054)), 0.02, 0.97),
        _ball("shin.L", BONES["shin.L"].head, 0.053),
        _limb("shin.L", ((0, 0.048, 0.052), (0.28, 0.053, 0.060), (1, 0.032, 0.036)), 0.03, 0.97),
        _ball("foot.L", BONES["foot.L"].head, 0.036),
        Part(
            "foot.L",
            (0.094, 0.082, 0.030),
            (0.100, -0.150, 0.018),
            ((0, 0.034, 0.044), (0.5, 0.040, 0.048), (1, 0.047, 0.030)),
            _LEFT,
            0.2,
            sole=True,
        ),
        Part(
            "foot.L",
            (0.094, 0.035, 0.085),
            (0.099, -0.130, 0.025),
            ((0, 0.034, 0.036), (1, 0.038, 0.028)),
            _LEFT,
            0.3,
            sole=True,
        ),
        Part(
            "toe.L",
            (0.100, -0.100, 0.014),
            (0.104, -0.226, 0.008),
            ((0, 0.046, 0.028), (0.6, 0.046, 0.024), (1, 0.034, 0.018)),
            _LEFT,
            0.35,
            sole=True,
        ),
    ]


def _on_side(part: Part, side: str) -> Part:
    colour = _RIGHT if side == "R" and part.colour == _LEFT else part.colour
    start, end, across = (mirrored(point, side) for point in (part.start, part.end, part.across))
    return dataclasses.replace(
        part, bone=part.bone[:-1] + side, start=start, end=end, across=across, colour=colour
    )


def _rings(part: Part) -> Array:
    """The solid's rings of points, (_RINGS, _SEGMENTS, 3), from its start to its end."""
    # Rings are closer where the ends are rounded.
    s = 0.5 - 0.5 * np.cos(np.linspace(0.02, 0.98, _RINGS) * np.pi)
    at, *radii = np.array(part.profile, dtype=float).T
    near = np.clip(np.minimum(s, 1 - s) / part.cap, 0.0, 1.0)
    cap = np.sqrt(1 - (1 - near) ** 2)
    smooth = np.linspace(0, 1, 101)
    kernel = np.hanning(25) / np.hanning(25).sum()
    width, depth = (
        cap * np.interp(s, smooth, np.convolve(np.pad(np.interp(smooth, at, r), 12, "edge"), kernel, "valid"))
        for r in radii
    )
    axes = frame_of(np.array(part.across, dtype=float), np.subtract(part.end, part.start))
    angle = np.linspace(0, 2 * np.pi, _SEGMENTS, endpoint=False)
    middle = np.asarray(part.start) + s[:, None] * np.subtract(part.end, part.start)
    points = middle[:, None] + np.einsum("r,s,k->rsk", width, np.cos(angle), axes[:, 0])
    points += np.einsum("r,s,k->rsk", depth, np.sin(angle), axes[:, 2])
    if part.sole:
        points[..., 2] = np.maximum(points[..., 2], 0.0)
    return points


def _faces(first: int) -> list[list[int]]:
    """The quads between the rings, and the two ends."""
    ring = first + np.arange(_SEGMENTS)
    following = np.roll(ring, -1)
    sides = [
        [int(i) + _SEGMENTS * r for i in quad]
        for r in range(_RINGS - 1)
        for quad in zip(following, ring, ring + _SEGMENTS, following + _SEGMENTS, strict=True)
    ]
    return [*sides, ring.tolist(), (ring + _SEGMENTS * (_RINGS - 1))[::-1].tolist()]


def _material(name: str, colour: Point) -> bpy.types.Material:
    material = bpy.data.materials.new(name)
    material.diffuse_color = (*colour, 1.0)
    material.roughness = 0.45
    if material.node_tree is None:
        material.use_nodes = True
    shader = next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    shader.inputs["Base Color"].default_value = (*colour, 1.0)
    shader.inputs["Roughness"].default_value = 0.45
    return material


def build_body(scene: bpy.types.Scene, rig: bpy.types.Object) -> bpy.types.Object:
    """A new mesh object that follows ``rig``."""
    limbs = _arm() + _leg()
    parts = [*_TRUNK, *(_on_side(part, side) for side in SIDES for part in limbs)]
    points = np.concatenate([_rings(part).reshape(-1, 3) for part in parts])
    count = _RINGS * _SEGMENTS
    faces = [face for i in range(len(parts)) for face in _faces(i * count)]
    mesh = bpy.data.meshes.new(f"{rig.name} Body")
    mesh.from_pydata(points.tolist(), [], faces)
    mesh.polygons.foreach_set("use_smooth", np.ones(len(faces), dtype=bool))
    mesh.polygons.foreach_set(
        "material_index", np.repeat([part.colour for part in parts], len(faces) // len(parts))
    )
    for name, colour in _COLOURS.items():
        mesh.materials.append(_material(name, colour))
    body = bpy.data.objects.new(mesh.name, mesh)
    scene.collection.objects.link(body)
    for i, part in enumerate(parts):
        group = body.vertex_groups.get(part.bone) or body.vertex_groups.new(name=part.bone)
        group.add(range(i * count, (i + 1) * count), 1.0, "REPLACE")
    body.parent = rig
    body.modifiers.new("Armature", "ARMATURE").object = rig
    return body
