# SPDX-License-Identifier: GPL-3.0-or-later
"""Writing BVH files.

Blender's own exporter writes Z up and leaves out the object's transform. This one writes what the
scene shows, Y up as BVH files are, so that Blender's importer gives the same poses by default; with Z up what
was read so.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

from ...errors import InertiaError
from ...motion.arrays import Array
from ...records import record
from ..data import rig
from . import bvh_up

_AXES = {
    bvh_up.Y: np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]),
    bvh_up.Z: np.eye(3),
}
"""Turn Blender's axes (Z up) into a BVH file's, by the one that points up there."""

MOVES = 1e-5
"""A joint has position channels when it leaves its place by more than this part of the skeleton's size."""


@record
class BvhJoint:
    """A joint of the file.

    offset: from its parent's rest place (3,), the file's axes. order: of its rotation channels, such as
    ``ZXY``. travels: whether it has position channels. end: to its tail when it has no children (3,).
    """

    name: str
    parent: int
    children: list[int]
    offset: Array
    order: str
    travels: bool
    end: Array


def write(path: Path, armature: Any, first: int, last: int, rate: float) -> None:
    """Write what the scene shows of an armature at its frames `first` to `last`, both included, as a BVH
    file, which is overwritten directly.

    rate: frames a second; the frame time has nine decimals. Y points up, or Z where the armature's property
    :data:`bvh_up.KEPT` is "Z", as for one that was read so; lengths are world units, angles degrees. The
    armature's place in the scene is written into the joints. Scale can't be: a joint's place is right, but a
    bone that stretches is written as joints that move apart. The scene stays at the last frame: use one that
    was made for this, see :func:`exporting.staged`. Raise InertiaError, with nothing written, for an armature
    that is scaled to nothing, along one axis or more, in the first frame; OSError where the file can't be
    written.
    """
    axes = _AXES.get(armature.get(bvh_up.KEPT, bvh_up.Y), _AXES[bvh_up.Y])
    rest, pose = _sample(armature, first, last)
    turned = axes @ rest[:, :3, :3]
    if np.any(np.abs(np.linalg.det(turned)) < np.finfo(np.float32).tiny):
        raise InertiaError(
            '"{armature}" is scaled to zero in frame {frame}, so its bones have no directions that .bvh '
            "could hold; scale it first.",
            armature=armature.name,
            frame=first,
        )
    heads = pose[:, :, :3, 3] @ axes.T
    # how each bone has turned from its rest, in the file's axes: (frames, joints, 3, 3)
    turns = _rotations(axes @ pose[:, :, :3, :3] @ np.linalg.inv(turned))
    joints = _read_joints(armature, rest, heads, turns, axes)
    lines = ["HIERARCHY", *_hierarchy(joints)]
    lines += ["MOTION", f"Frames: {last - first + 1}", f"Frame Time: {1.0 / rate:.9f}"]
    lines += _motion(joints, heads, turns)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


def _sample(armature: Any, first: int, last: int) -> tuple[Array, Array]:
    """Return the world matrices of all bones, at rest (bones, 4, 4) and posed (frames, bones, 4, 4), as the
    scene shows them.

    At rest the armature stands at the world's origin, turned and scaled as in the first frame. The scene
    stays at the last frame.
    """
    rest = rig.matrices(armature.data.bones, "matrix_local")
    pose = np.empty((last - first + 1, *rest.shape))
    stand = np.eye(4)
    for i in range(last - first + 1):
        bpy.context.scene.frame_set(first + i)
        shown = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        world = np.array(shown.matrix_world, float)
        if i == 0:
            stand[:3, :3] = world[:3, :3]
        pose[i] = world @ rig.matrices(shown.pose.bones, "matrix")
    return stand @ rest, pose


def _rotations(matrices: Array) -> Array:
    """Return the rotations (..., 3, 3) nearest to matrices (..., 3, 3) that may hold scale, shear and
    mirroring.
    """
    u, _, v = np.linalg.svd(matrices)
    flip = np.sign(np.linalg.det(u @ v))
    u[..., :, 2] *= flip[..., None]
    return np.asarray(u @ v)


def _read_joints(armature: Any, rest_pose: Array, heads: Array, turns: Array, axes: Array) -> list[BvhJoint]:
    """Return the joints of the file, in the order of Blender's bones, which has parents first.

    rest_pose: (bones, 4, 4) in the world. heads: (frames, bones, 3) and turns from rest: (frames, bones, 3,
    3), both in the file's axes. axes: (3, 3), from Blender's axes to the file's. Names are those of
    :func:`_make_unique_names`; ``parent`` is -1 for none; ``children`` are indices. ``offset`` is from the
    parent's head at rest, for a joint without a parent from the world's origin; ``end`` is from the joint's
    head to its bone's tail at rest.

    A joint without a parent always travels; others do if, as their parent sees it, they are off their offset
    by more than MOVES of the skeleton's size along an axis in any frame. The size is the diagonal of the box
    of all heads at rest, 1 if that is 0. ``order`` is the bone's rotation mode as it stands ("XYZ" is written
    as X, Y, Z), ZXY for quaternions and axis-angle.
    """
    bones, parents = armature.data.bones, rig.parents(armature)
    index = {name: i for i, name in enumerate(bones.keys())}
    places = rest_pose[:, :3, 3] @ axes.T
    size = float(np.linalg.norm(np.ptp(places, axis=0))) or 1.0
    names = _make_unique_names([bone.name for bone in bones])
    joints = []
    for i, (bone, parent) in enumerate(zip(bones, parents, strict=True)):
        offset = places[i] - (places[parent] if parent >= 0 else 0.0)
        travels = parent < 0 or bool(
            np.max(np.abs(_local_places(heads, turns, i, parent) - offset)) > MOVES * size
        )
        mode = armature.pose.bones[i].rotation_mode
        tail = rest_pose[i, :3, 1] * bone.length
        children = [index[child.name] for child in bone.children]
        order = mode if sorted(mode) == ["X", "Y", "Z"] else "ZXY"
        joints.append(BvhJoint(names[i], parent, children, offset, order, travels, axes @ tail))
    return joints


def _make_unique_names(names: Sequence[str]) -> list[str]:
    """Return names for the file, in order and all different.

    Blanks at either end of a name go, each run of blanks within becomes one "_", and a name of blanks alone
    is "joint". A name that an earlier one has by then gets "_1", "_2" and so on behind it.
    """
    taken: dict[str, None] = {}
    for name in names:
        plain = "_".join(name.split()) or "joint"
        unique, count = plain, 1
        while unique in taken:
            unique, count = f"{plain}_{count}", count + 1
        taken[unique] = None
    return list(taken)


def _local_places(heads: Array, turns: Array, joint: int, parent: int) -> Array:
    """Return a joint's place as its parent sees it (frames, 3)."""
    if parent < 0:
        return heads[:, joint]
    return np.einsum("fji,fj->fi", turns[:, parent], heads[:, joint] - heads[:, parent])


def _descent(joints: Sequence[BvhJoint]) -> list[tuple[int, int]]:
    """Return (depth, index) of all joints in the order of a BVH file: each joint is followed by its first
    child and all below that.

    Depth is 0 for joints without a parent. It needs no recursion, as chains are long.
    """
    waiting = [(0, i) for i, joint in enumerate(joints) if joint.parent < 0][::-1]
    order = []
    while waiting:
        depth, index = waiting.pop()
        order.append((depth, index))
        waiting += [(depth + 1, child) for child in reversed(joints[index].children)]
    return order


def _hierarchy(joints: Sequence[BvhJoint]) -> Iterator[str]:
    """Yield the lines of all joints between HIERARCHY and MOTION, indented by tabs: names, offsets, channels,
    end sites and braces.

    Position channels come before rotations, and only for joints that travel. Offsets have six decimals.
    """
    for (depth, index), (below, _) in itertools.pairwise([*_descent(joints), (0, -1)]):
        joint, tab = joints[index], "\t" * depth
        channels = ["Xposition", "Yposition", "Zposition"] if joint.travels else []
        channels += [f"{axis}rotation" for axis in joint.order]
        yield from (f"{tab}{'JOINT' if depth else 'ROOT'} {joint.name}", tab + "{")
        yield f"{tab}\tOFFSET {_numbers(joint.offset)}"
        yield f"{tab}\tCHANNELS {len(channels)} {' '.join(channels)}"
        if not joint.children:
            end = f"{tab}\t\tOFFSET {_numbers(joint.end)}"
            yield from (f"{tab}\tEnd Site", tab + "\t{", end, tab + "\t}")
        for level in range(depth, below - 1, -1):
            yield "\t" * level + "}"


def _motion(joints: Sequence[BvhJoint], heads: Array, turns: Array) -> list[str]:
    """Return the motion's lines, one for each frame: the numbers of all joints' channels, with blanks
    between.

    Joints come as :func:`_descent` has them: of each, if it travels, its place (x, y, z), then its angles in
    the order of its rotation channels. heads: (frames, bones, 3) and turns from rest: (frames, bones, 3, 3),
    in the file's axes. Places and rotations are as the parent sees them, angles in degrees, all with six
    decimals.
    """
    columns: list[Array] = []
    for _, index in _descent(joints):
        joint, local = joints[index], turns[:, index]
        if joint.travels:
            columns.append(_local_places(heads, turns, index, joint.parent))
        if joint.parent >= 0:
            local = turns[:, joint.parent].transpose(0, 2, 1) @ local
        columns.append(_angles(local, joint.order))
    return [_numbers(row) for row in np.concatenate(columns, axis=1)]


def _angles(rotations: Array, order: str) -> Array:
    """Return the angles in degrees (frames, 3), in the given order, of rotations (frames, 3, 3), each near
    those of the frame before.

    order: of the file's channels; ``ZXY`` is Blender's Euler order YXZ.
    """
    angles = np.empty((len(rotations), 3))
    before: tuple[Any, ...] = ()
    for i, rotation in enumerate(rotations):
        euler = Matrix(rotation.tolist()).to_euler(order[::-1], *before)
        angles[i] = [euler["XYZ".index(axis)] for axis in order]
        before = (euler,)
    return np.degrees(angles)


def _numbers(values: Array) -> str:
    return " ".join(f"{value:.6f}" for value in values)
