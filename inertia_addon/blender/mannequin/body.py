# SPDX-License-Identifier: GPL-3.0-or-later
"""The mannequin's body: rounded shells and ball joints, each of them moved by one bone.

Nothing bends, so that no weight painting is needed and a wrong rotation shows at once. The left hand and
foot are teal, the right ones orange: in a profile view one must see which leg is which.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import bpy
import numpy as np
from numpy.typing import ArrayLike

from ...records import record
from .maths import Array, build_frame
from .skeleton import BONES, SIDES, mirror_point

_SEGMENTS, _RINGS = 20, 18
_SHELL, _JOINT, _LEFT, _RIGHT = range(4)
_COLOURS = {
    "Mannequin Shell": (0.70, 0.66, 0.60),
    "Mannequin Joint": (0.045, 0.05, 0.065),
    "Mannequin Left": (0.02, 0.36, 0.42),
    "Mannequin Right": (0.80, 0.22, 0.04),
}

Point = tuple[float, float, float]


@record(frozen=True)
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


def _make_ball(name: str, centre: Array, radius: float) -> Part:
    x, y, z = centre
    return Part(
        name, (x, y, z - radius), (x, y, z + radius), ((0, radius, radius), (1, radius, radius)), _JOINT, 0.5
    )


def _make_limb(name: str, profile: tuple[Point, ...], start: float, end: float, colour: int = _SHELL) -> Part:
    """Return a part along a left name, with its width along the bone's own X."""
    rest = BONES[name]
    along = rest.tail - rest.head
    return Part(
        name, rest.head + start * along, rest.head + end * along, profile, colour, across=rest.frame[:, 0]
    )


def _list_arm_parts() -> list[Part]:
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
        _make_ball("upper_arm.L", BONES["upper_arm.L"].head, 0.058),
        _make_limb("upper_arm.L", ((0, 0.050, 0.052), (0.35, 0.050, 0.054), (1, 0.037, 0.039)), 0.07, 0.96),
        _make_ball("forearm.L", BONES["forearm.L"].head, 0.040),
        _make_limb("forearm.L", ((0, 0.037, 0.039), (0.3, 0.041, 0.045), (1, 0.026, 0.030)), 0.03, 0.95),
        _make_ball("hand.L", hand.head, 0.026),
        _make_limb(
            "hand.L",
            ((0, 0.020, 0.026), (0.4, 0.020, 0.043), (0.8, 0.015, 0.036), (1, 0.01, 0.03)),
            0.02,
            1.0,
            colour=_LEFT,
        ),
        Part("hand.L", thumb[0], thumb[1], ((0, 0.014, 0.016), (1, 0.011, 0.012)), _LEFT, 0.3),
    ]


def _list_leg_parts() -> list[Part]:
    return [
        _make_ball("thigh.L", BONES["thigh.L"].head, 0.082),
        _make_limb("thigh.L", ((0, 0.074, 0.082), (0.25, 0.080, 0.088), (1, 0.050, 0.054)), 0.02, 0.97),
        _make_ball("shin.L", BONES["shin.L"].head, 0.053),
        _make_limb("shin.L", ((0, 0.048, 0.052), (0.28, 0.053, 0.060), (1, 0.032, 0.036)), 0.03, 0.97),
        _make_ball("foot.L", BONES["foot.L"].head, 0.036),
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


def _put_on_side(solid: Part, side: str) -> Part:
    colour = _RIGHT if side == "R" and solid.colour == _LEFT else solid.colour
    start, end, across = (mirror_point(point, side) for point in (solid.start, solid.end, solid.across))
    return dataclasses.replace(
        solid, bone=solid.bone[:-1] + side, start=start, end=end, across=across, colour=colour
    )


def _shape_rings(solid: Part) -> Array:
    """Return a solid's rings of points (_RINGS, _SEGMENTS, 3), metres, from its start to its end, closer
    together towards both ends, which are rounded over solid.cap of its length.

    Each ring is an ellipse across the solid, whose half-axes are those of its profile, smoothed; a sole's
    points are put up to z = 0 where they are below.
    """
    # Rings are closer where the ends are rounded.
    s = 0.5 - 0.5 * np.cos(np.linspace(0.02, 0.98, _RINGS) * np.pi)
    at, *radii = np.array(solid.profile, dtype=float).T
    near = np.clip(np.minimum(s, 1 - s) / solid.cap, 0.0, 1.0)
    cap = np.sqrt(1 - (1 - near) ** 2)
    smooth = np.linspace(0, 1, 101)
    kernel = np.hanning(25) / np.hanning(25).sum()
    width, depth = (
        cap * np.interp(s, smooth, np.convolve(np.pad(np.interp(smooth, at, r), 12, "edge"), kernel, "valid"))
        for r in radii
    )
    axes = build_frame(np.array(solid.across, dtype=float), np.subtract(solid.end, solid.start))
    angle = np.linspace(0, 2 * np.pi, _SEGMENTS, endpoint=False)
    middle = np.asarray(solid.start) + s[:, None] * np.subtract(solid.end, solid.start)
    points = middle[:, None] + np.einsum("r,s,k->rsk", width, np.cos(angle), axes[:, 0])
    points += np.einsum("r,s,k->rsk", depth, np.sin(angle), axes[:, 2])
    if solid.sole:
        points[..., 2] = np.maximum(points[..., 2], 0.0)
    return points


def _list_faces(first: int) -> list[list[int]]:
    """Return the quads between a solid's rings, ring by ring from its start, and then its two ends as a
    polygon each, as lists of the indices of points; first: that of its first point.
    """
    ring = first + np.arange(_SEGMENTS)
    following = np.roll(ring, -1)
    sides = [
        [int(i) + _SEGMENTS * r for i in quad]
        for r in range(_RINGS - 1)
        for quad in zip(following, ring, ring + _SEGMENTS, following + _SEGMENTS, strict=True)
    ]
    return [*sides, ring.tolist(), (ring + _SEGMENTS * (_RINGS - 1))[::-1].tolist()]


def _add_material(name: str, colour: Point) -> Any:
    material = bpy.data.materials.new(name)
    material.diffuse_color = (*colour, 1.0)
    material.roughness = 0.45
    if material.node_tree is None:
        material.use_nodes = True
    shader = next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    shader.inputs["Base Color"].default_value = (*colour, 1.0)
    shader.inputs["Roughness"].default_value = 0.45
    return material


def build_body(scene: Any, rig: Any) -> Any:
    """Add a mesh object that follows a mannequin's armature to a scene, and return it; it is called "NAME
    Body" after the armature, and Blender numbers a name that is taken.

    It is a child of the armature, with an Armature modifier and a vertex group for each bone that has a part
    of it, of weight 1, and smooth faces in a few new materials.
    """
    limbs = _list_arm_parts() + _list_leg_parts()
    parts = [*_TRUNK, *(_put_on_side(part, side) for side in SIDES for part in limbs)]
    points = np.concatenate([_shape_rings(part).reshape(-1, 3) for part in parts])
    count = _RINGS * _SEGMENTS
    faces = [face for i in range(len(parts)) for face in _list_faces(i * count)]
    mesh = bpy.data.meshes.new(f"{rig.name} Body")
    mesh.from_pydata(points.tolist(), [], faces)
    mesh.polygons.foreach_set("use_smooth", np.ones(len(faces), dtype=bool))
    mesh.polygons.foreach_set(
        "material_index", np.repeat([part.colour for part in parts], len(faces) // len(parts))
    )
    for name, colour in _COLOURS.items():
        mesh.materials.append(_add_material(name, colour))
    body = bpy.data.objects.new(mesh.name, mesh)
    scene.collection.objects.link(body)
    for i, part in enumerate(parts):
        group = body.vertex_groups.get(part.bone) or body.vertex_groups.new(name=part.bone)
        group.add(range(i * count, (i + 1) * count), 1.0, "REPLACE")
    body.parent = rig
    body.modifiers.new("Armature", "ARMATURE").object = rig
    return body
