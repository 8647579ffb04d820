# SPDX-License-Identifier: GPL-3.0-or-later
"""What carries a character: the bone or object that travels or turns in its clips, and where it goes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ...errors import InertiaError
from ...motion import quaternion
from ...motion.arrays import Array
from ...motion.skeleton import character_space, kinematics
from ...motion.skeleton.posing import Raw, Rig, stand_at
from ...records import record
from ...settings.transition import OBJECT_ROOT
from .actions import Address, Clip
from .channels import ClipChannels, transform
from .rig import DELTAS, split_path

TRAVEL = 0.2
"""A root moves when it goes further over the ground than this part of the character's size ..."""

STILL = 1e-5
"""What changes by less, in units of a channel, stands still."""

TURN = np.radians(45.0)
"""... or turns about the vertical by more than this."""


@record(frozen=True)
class Root:
    """The root of a character.

    name: a bone, or OBJECT_ROOT. moves: whether it travels over the ground or turns in a clip, or stands
        elsewhere in one than in another.
    """

    name: str
    moves: bool

    @property
    def is_object(self) -> bool:
        """Whether the armature object itself is the root."""
        return self.name == OBJECT_ROOT


def find_root(rig: Rig, clips: Iterable[Clip], wanted: str = "") -> Root:
    """Return the root of a rig in clips, a bone or the object (OBJECT_ROOT), and whether it moves in them.

    A root moves if it travels over the ground by more than a fifth of the character's size or turns by more
    than 45 degrees in a clip, or stands elsewhere in one clip than in another. It is the first that moves of
    the object and then, from the top, keyed bones with which at least half of all bones come along and that
    key a location or have no parent. Where none moves it is the topmost bone that carries, as a parent or by
    constraints, the topmost bone with a keyed location; without such, the same of the topmost keyed bone;
    without keyed bones, the object. wanted: a bone or OBJECT_ROOT to return in any case; only whether it
    moves is found then. Raise InertiaError for a wanted bone that does not exist.
    """
    clips = list(clips)
    if wanted:
        if wanted != OBJECT_ROOT and wanted not in rig.bones.names:
            raise InertiaError(
                '"{armature}" has no bone "{bone}"; choose another root.', armature=rig.name, bone=wanted
            )
        return Root(wanted, _moves(rig, clips, wanted))
    rank = _rank_of(rig)
    paths = {split_path(path) for clip in clips for path, _ in clip.curves}
    keyed = {bone for bone, _ in paths if bone is not None and bone in rank}
    located = keyed & {bone for bone, prop in paths if prop == "location"}
    # a root carries the body: a travelling prop or a turning arm is none. A topmost bone may turn only
    possible = located | {name for name in keyed if rank[name][0] == 0}
    carrying = [name for name in possible if 2 * (1 - rank[name][1]) >= len(rank)]
    for name in (OBJECT_ROOT, *sorted(carrying, key=rank.__getitem__)):
        if _moves(rig, clips, name):
            return Root(name, moves=True)
    for group in (located, keyed):
        if group:
            rootliest = min(group, key=rank.__getitem__)
            above = {rootliest, *rig.bones.above(rootliest)}
            carriers = [
                name for name in rig.bones.names if name in above or rig.following.follows(rootliest, name)
            ]
            return Root(min(carriers, key=rank.__getitem__), moves=False)
    return Root(OBJECT_ROOT, moves=False)


def _rank_of(rig: Rig) -> dict[str, tuple[int, int]]:
    """Return by bone name, in the order of the skeleton, a pair to sort by: the smaller, the closer to a
    root.

    It is (number of bones above it, minus the number of those that come along). Those that come along are its
    children at all depths or, where these are more, the bones that follow it by :attr:`Rig.following`; the
    bone itself does not count. Without bones the dict is empty.
    """
    bones = rig.bones
    depth: list[int] = []
    below = [0] * len(bones.names)
    for parent in bones.parents:
        depth.append(0 if parent < 0 else depth[parent] + 1)
    for i, parent in reversed(list(enumerate(bones.parents))):
        if parent >= 0:
            below[parent] += below[i] + 1
    counts = (
        max(count, rig.following.count(name) - 1) for name, count in zip(bones.names, below, strict=True)
    )
    return {name: (above, -count) for name, above, count in zip(bones.names, depth, counts, strict=True)}


def _moves(rig: Rig, clips: Iterable[Clip], name: str) -> bool:
    """Return whether the object or a bone travels or turns in one of the clips, or stands elsewhere in one
    than in another.

    name: a bone or OBJECT_ROOT. It travels if it gets further from its start, over the ground, than a fifth
    of the character's size; it turns if its last frame faces elsewhere than its first by more than 45 degrees
    about the vertical. It stands elsewhere if the circles around its places in two clips are more than a
    quarter of the size apart or, of the object or a bone without a parent, if two clips begin facing more
    than 135 degrees apart. Only its own channels count, a bone's parents don't.
    """
    places = []
    for clip in clips:
        way, turns = _way(rig, clip, name)
        away = np.max(np.linalg.norm(way[:, :2] - way[0, :2], axis=1))
        turn = quaternion.multiply(turns[-1], quaternion.conjugate(turns[0]))
        if away > TRAVEL * rig.size or abs(quaternion.twist_angle(turn, character_space.VERTICAL)) > TURN:
            return True
        places.append(_place(rig, name, way, turns))
    return character_space.apart(places)


def place(rig: Rig, clip: Clip, name: str) -> character_space.RootPlace:
    """Return where a root stays in a clip."""
    return _place(rig, name, *_way(rig, clip, name))


def _place(rig: Rig, name: str, path: Array, turns: Array) -> character_space.RootPlace:
    # a body below a root that says which way it faces may turn aside to aim
    top = name == OBJECT_ROOT or not rig.bones.above(name)
    return character_space.place(path, rig.size, turns[0] if top else None)


def _way(rig: Rig, clip: Clip, name: str) -> tuple[Array, Array]:
    """Return where its own channels take the object or a bone (n, 3), in world units along the world's axes,
    and how they turn it from its rest, along the same axes (n, 4), unit quaternions, w first.

    n is 33 frames spread evenly over the clip, its first and last among them, 1 for a clip without length. A
    bone's places are offsets from its rest place, turned and scaled into the world, its parents at rest; the
    object's are offsets from where its channels act. If deltas are keyed or the rig has holders, the object's
    places and turns are those of :func:`_object_way`. ValueError for a bone that does not exist.
    """
    frames = np.linspace(clip.start, clip.end, 33 if clip.end > clip.start else 1)
    if name == OBJECT_ROOT and (rig.holders or any(path in DELTAS for path, _ in clip.curves)):
        return _object_way(rig, clip, frames)
    prefix, mode, axes = "", rig.mode, rig.frame.basis
    if name != OBJECT_ROOT:
        index = rig.bones.names.index(name)
        prefix, mode, axes = rig.paths[index], rig.modes[index], rig.world @ rig.bones.rest[index]
    way = transform(clip, prefix, "location", standing=rig.standing).raw(frames)
    rotation = transform(clip, prefix, "rotation", mode, rig.standing)
    # a mirror image turns as the opposite of its axes does, which is none
    basis = quaternion.from_matrix(np.copysign(1.0, np.linalg.det(axes[:3, :3])) * axes[:3, :3])
    turns = quaternion.multiply(basis, rotation.decode(rotation.raw(frames)))
    return way @ axes[:3, :3].T, quaternion.multiply(turns, quaternion.conjugate(basis))


def _object_way(rig: Rig, clip: Clip, frames: Array) -> tuple[Array, Array]:
    """Return the world places and the turns of an object that its deltas, or what it hangs from, move.

    frames: (n,), of the clip.

    Places (n, 3) are absolute, in world units. Turns (n, 4), unit quaternions (w, x, y, z) along the world's
    axes, lead from how the object stands to how it is in the clip. For how it stands its own channels and
    deltas are those of ``rig.world``, and its holders, if it has any, are at rest: without their own
    location, rotation and scale, but with their frames and deltas. Scale does not count; mirror images turn
    as the opposite of their axes do.
    """
    places = object_matrices(rig, clip, frames)
    still = stand_at(rig.holders, rig.hung, at_rest=True) if rig.holders else rig.frame.basis
    matrices = np.concatenate([(still @ np.linalg.inv(rig.frame.basis) @ rig.world)[None], places])
    # a mirror image turns as the opposite of its axes does
    matrices[:, :3, :3] *= np.copysign(1.0, np.linalg.det(rig.world[:3, :3]))
    turns = kinematics.orientations(np.ascontiguousarray(matrices[:, :3, :3].transpose(1, 2, 0)))
    return places[:, :3, 3], quaternion.multiply(turns[1:], quaternion.conjugate(turns[0]))


def object_matrices(rig: Rig, clip: Clip, frames: Array) -> Array:
    """Return the object's world matrices (n, 4, 4) in a clip at frames (n,), with un-keyed channels as
    they stand.
    """
    keyed = rig.of_object & clip.curves.keys()
    if not keyed:
        return np.tile(rig.unkeyed_world, (len(frames), 1, 1))
    return rig.placed(raw_of_object(rig, clip, frames), keyed)


def object_basis(rig: Rig, clip: Clip, frame: float, holder: int | None = None) -> Array:
    """Return what takes the object's own channels into the world (4, 4) at a frame of a clip, or those of one
    of its holders. holder: its index; None for the object itself.
    """
    raw = raw_of_object(rig, clip, np.array([frame]))
    return np.array(rig.carried_to(raw, rig.of_object & clip.curves.keys(), holder)[0])


def topmost(rig: Rig, clips: Sequence[Clip]) -> int | None:
    """Return the topmost holder of a rig that moves in clips, by index; None for none."""
    return next((i for i, each in enumerate(rig.holders) if moves_by(each.prefix, clips)), None)


def moves_by(prefix: str, clips: Iterable[Clip]) -> bool:
    """Return whether an object goes or turns in clips by its channels with a prefix, or stands elsewhere in
    one than in another.

    prefix: "" for the object itself, else of one that carries it. It does if the keys of a location or
    rotation channel, deltas included, differ anywhere in the clips by 1e-5 or more, or if such a curve has a
    modifier, or a rotation mode is keyed. Clips that key none don't count.
    """
    values: dict[Address, list[float]] = {}
    for clip in clips:
        for (path, index), curve in clip.curves.items():
            inner = path.removeprefix(prefix).removeprefix("delta_")
            if not path.startswith(prefix) or not inner.startswith(("location", "rotation")):
                continue
            if curve.obstacle or inner == "rotation_mode":
                return True
            values.setdefault((path, index), []).extend(curve.keys.co[:, 1].tolist())
    return any(max(each) - min(each) >= STILL for each in values.values())


def raw_of_object(rig: Rig, clip: Clip, frames: Array) -> Raw:
    """Return a function that tells the values of the object's and its holders' properties at a clip's frames.

    frames: (n,). The function takes a data path, which begins with the holder's prefix for a holder's
    property, and the number of its elements, and returns the raw values (n, count): of a keyed element those
    of the clip's curve, of any other the rig's standing value at each frame. Rotations are as stored, angles
    in radians, quaternions not normalised.

    The function raises KeyError where the rig has no standing value of an element, keyed or not: for a
    property that is no transform of the object or of its holders in their rotation mode.
    """
    standing = rig.all_standing

    def raw(path: str, count: int) -> Array:
        addresses = tuple((path, index) for index in range(count))
        return ClipChannels(clip, addresses, tuple(standing[at] for at in addresses)).raw(frames)

    return raw


def root_matrix(rig: Rig, root: Root, clip: Clip, frame: float) -> Array:
    """Return the root's world matrix (4, 4) in a clip, un-keyed bones above it as the clip has them."""
    return root_matrices(rig, root, clip, np.array([frame]))[0]


def root_matrices(rig: Rig, root: Root, clip: Clip, frames: Array) -> Array:
    """Return the root's world matrices (n, 4, 4) in a clip at frames (n,), by the channels of the object, the
    bone and its parents.

    Un-keyed channels are as the clip has them. Constraints are ignored. Raise ValueError for a bone that the
    rig lacks.
    """
    world = object_matrices(rig, clip, frames)
    if root.is_object:
        return world
    return _bone_matrices(rig, clip, frames, root.name, above(rig, clip, frames, root.name, world))


def above(rig: Rig, clip: Clip, frames: Array, bone: str, world: Array) -> Array:
    """Return where a bone's parents have taken the armature's space (n, 4, 4), in the world, in a clip at
    frames (n,).

    world: the object's matrices (n, 4, 4), which are returned for a bone without a parent.
    """
    moved = world
    for parent in reversed(rig.bones.above(bone)):
        pose = _bone_matrices(rig, clip, frames, parent, moved)
        moved = pose @ np.linalg.inv(rig.bones.rest_of(parent))
    return moved


def _bone_matrices(rig: Rig, clip: Clip, frames: Array, bone: str, above: Array) -> Array:
    """Return a bone's world matrices (n, 4, 4) in a clip at frames (n,), by its location, rotation and scale.

    above: where its parents have taken the armature's space (n, 4, 4). Raise ValueError for a bone that the
    rig lacks.
    """
    index = rig.bones.names.index(bone)
    described = (("location", ""), ("rotation", rig.modes[index]), ("scale", ""))
    channels = (transform(clip, rig.paths[index], *channel) for channel in described)
    location, turn, scale = (channel.decode(channel.raw(frames)) for channel in channels)
    place = above @ rig.bones.rest[index]
    if bone not in rig.bones.unturned:
        return np.asarray(place @ kinematics.basis(location, turn, scale))
    matrix = place @ kinematics.basis(np.zeros_like(location), turn, scale)
    axes = location_frame(rig, bone, above)[..., :3, :3]
    matrix[..., :3, 3] += np.einsum("...ij,...j->...i", axes, location)
    return np.asarray(matrix)


def location_frame(rig: Rig, bone: str, above: Array) -> Array:
    """Return the frame in which a bone's location is measured (..., 4, 4), in the world.

    above: where its parents have taken the armature's space (..., 4, 4). The frame is the bone's own at rest;
    of a bone without "local location" it lies at its head along its parent's axes, as posed, or without a
    parent along the armature's.
    """
    rest = rig.bones.rest_of(bone)
    if bone not in rig.bones.unturned:
        return np.asarray(above @ rest)
    frame = above.copy()
    parents = rig.bones.above(bone)
    if parents:
        frame[..., :3, :3] = above[..., :3, :3] @ rig.bones.rest_of(parents[0])[:3, :3]
    frame[..., :3, 3] = above[..., :3, :3] @ rest[:3, 3] + above[..., :3, 3]
    return frame
