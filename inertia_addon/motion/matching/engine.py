# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips in the layout of orangeduck/Motion-Matching, so that his controller can play them.

His world has Y up and a character that faces Z. Bone 0 is the "simulation bone": the point on the ground
below the root, turned the way it faces; all others are told in their parent's space, those without one in
the simulation bone's. Numbers are little-endian; every array follows its own sizes as 32-bit integers. See
docs/matching.md.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np

from ...records import record
from .. import quaternion
from ..arrays import Array, Flags, Floats, Integers, smooth
from .database import SMOOTH_SECONDS

FPS = 60.0
"""His controller takes this many frames a second."""
LATER = (20, 40, 60)
"""The frames of a trajectory that features look at."""
TO_Y_UP = np.array([(1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)])
TURNED = quaternion.exp(np.array([-0.5 * np.pi, 0.0, 0.0]))
"""How Blender's Z up becomes Y up, as a matrix and as a rotation."""
WEIGHTS = (0.75, 0.75, 1.0, 1.0, 1.0, 1.0, 1.5)
"""What his groups count: the feet's positions and velocities, the hips' velocity, trajectory and facing."""
GROUPS = (3, 3, 3, 3, 3, 6, 6)
"""So many features each of them has."""
STRAIGHT = 0.05
"""Facing varies by no less than this (a part of its unit vectors: 3 degrees), so that where all clips go
straight on, rounding is no unit for the turns that are asked for."""


@record(frozen=True, eq=False)
class Poses:
    """A clip at FPS: where bones are (n, bones, 3) metres, and how they are turned (n, bones, 4), in a
    world with Z up; the root's place on the ground and the way it faces (n, 3), x, y and radians; contacts
    (n, feet)."""

    positions: Array
    rotations: Array
    root: Array
    contacts: Flags


@record(frozen=True, eq=False)
class Exported:
    """What database.bin holds: all frames of all clips, the simulation bone first."""

    positions: Floats
    velocities: Floats
    rotations: Floats
    angular_velocities: Floats
    parents: Integers
    starts: Integers
    stops: Integers
    contacts: Flags


def exported(clips: Sequence[Poses], parents: Sequence[int]) -> Exported:
    """Return clips in the layout of the controller: bone 0 is the simulation bone, the others follow in their
    parents' spaces.

    clips: at 60 frames a second, in a world with Z up. parents: (bones,), -1 for none; such bones are told in
    the simulation bone's space. All clips' frames are in one row; starts and stops (clips,) tell them apart.
    The world has Y up. Positions are in metres, velocities and angular velocities per second, all float32;
    the result's parents (1 + bones,) count the simulation bone, whose own is -1.
    """
    parts = [_local(clip, parents) for clip in clips]
    lengths = np.array([len(clip.root) for clip in clips])
    stops = np.cumsum(lengths)
    positions, velocities, rotations, spins = (
        np.concatenate(arrays).astype(np.float32) for arrays in zip(*parts, strict=True)
    )
    return Exported(
        positions,
        velocities,
        rotations,
        spins,
        np.array([-1, *(parent + 1 for parent in parents)]),
        stops - lengths,
        stops,
        np.concatenate([clip.contacts for clip in clips]),
    )


def _local(clip: Poses, parents: Sequence[int]) -> tuple[Array, Array, Array, Array]:
    """Return a clip's positions, velocities, rotations and angular velocities in parents' spaces, in this
    order, (n, 1 + bones, 3 or 4).

    clip: at 60 frames a second, Z up; parents: (bones,), -1 for none. The result's world has Y up: (x, y, z)
    becomes (x, z, -y). Bone 0 is the simulation bone, told in the world: the root's place at height 0, and a
    turn about Y that leads its Z axis to where clip.root says that the root faces; a root that faces along x
    in Blender has its Z axis along x. Both are smoothed with a standard deviation of 0.1 s. Bones without a
    parent are told in its space, all others in their parent's.

    Velocities are per second, by central differences of the positions, one-sided at both ends. Angular
    velocities are rotation vectors, radians a second, in the parent's axes, from the turn between the frames
    before and behind. Rotations are unit quaternions, w first, without jumps in sign. A clip of one frame
    raises ValueError.
    """
    calm = smooth(clip.root, SMOOTH_SECONDS * FPS)
    ground = np.column_stack([calm[:, 0], np.zeros(len(calm)), -calm[:, 1]])
    # who faces along x in Blender's world faces along x here, too, a quarter turn from his Z
    facing = quaternion.exp((calm[:, 2:] + 0.5 * np.pi) * (0.0, 1.0, 0.0))
    places = np.concatenate([ground[:, None], clip.positions @ TO_Y_UP.T], axis=1)
    turns = np.concatenate([facing[:, None], quaternion.multiply(TURNED, clip.rotations)], axis=1)
    above = np.array([0, *(parent + 1 for parent in parents)])
    back = quaternion.conjugate(turns[:, above])
    positions = quaternion.rotate(back, places - places[:, above])
    rotations = quaternion.multiply(back, turns)
    positions[:, 0], rotations[:, 0] = ground, facing
    rotations = quaternion.unflipped(rotations)
    velocities = np.gradient(positions, 1.0 / FPS, axis=0)
    at = np.arange(len(rotations))
    before, after = np.maximum(at - 1, 0), np.minimum(at + 1, len(at) - 1)
    spins = quaternion.log(quaternion.multiply(rotations[after], quaternion.conjugate(rotations[before])))
    return positions, velocities, rotations, spins * (FPS / np.maximum(after - before, 1))[:, None, None]


def features(export: Exported, leaving: int, right: int, hips: int) -> tuple[Floats, Floats, Floats]:
    """Return the controller's 27 features of all frames, normalised, with their offsets and scales.

    In this order, they are the left and the right foot's position, the velocities of the left foot, the right
    foot and the hips (3 each), then, 20, 40 and 60 frames later, or on the clip's last frame if that is
    sooner, the root's places (x, z each), and then its facings (x, z each): where the simulation bone's Z
    axis points then. All are in the simulation bone's own axes on the present frame, places seen from it;
    velocities include its own, see :func:`_in_character_space`. All features of one of these seven groups
    share a scale: the mean of their standard deviations, for facings at least 0.05, divided by the group's
    weight. The weights are 0.75 for either foot's position, 1.5 for facings, and 1 for all others.

    Parameters
    ----------
    export
        The clips as :func:`exported` returns them.
    leaving
        The index of the bone of the left foot in the export, in which the simulation bone
        is 0.
    right
        The index of the bone of the right foot.
    hips
        The index of the bone of the hips.

    Returns
    -------
    tuple[Floats, Floats, Floats]
        (value - offset) / scale, (frames, 27); offsets (27,), the means; and scales (27,);
        float32. Where a scale is 0 the value is only moved by its offset.
    """
    places, moved = _in_character_space(export)
    count = len(export.positions)
    last = np.repeat(export.stops - 1, export.stops - export.starts)
    at = np.minimum(np.arange(count)[:, None] + LATER, last[:, None])
    back = quaternion.conjugate(export.rotations[:, 0])[:, None]
    ways = quaternion.rotate(back, export.positions[at, 0] - export.positions[:, None, 0].astype(float))
    ahead = quaternion.rotate(back, quaternion.rotate(export.rotations[at, 0], (0.0, 0.0, 1.0)))
    ground = [0, 2]
    groups = [
        *(places[:, bone] for bone in (leaving, right)),
        *(moved[:, bone] for bone in (leaving, right, hips)),
        *(values[..., ground].reshape(count, -1) for values in (ways, ahead)),
    ]
    values = np.concatenate(groups, axis=1)
    spreads = [group.std(axis=0).mean() for group in groups]
    spreads[-1] = max(spreads[-1], STRAIGHT)
    each = [spread / weight for spread, weight in zip(spreads, WEIGHTS, strict=True)]
    scales = np.repeat(each, [group.shape[1] for group in groups])
    offsets = values.mean(axis=0)
    normal = (values - offsets) / np.where(scales > 0.0, scales, 1.0)
    return normal.astype(np.float32), offsets.astype(np.float32), scales.astype(np.float32)


def _in_character_space(export: Exported) -> tuple[Array, Array]:
    """Return positions and velocities (frames, bones, 3), float64, of all bones in the axes of the simulation
    bone, Y up.

    export: as :func:`exported` returns it, with each parent before its children. Positions are seen from the
    simulation bone, bone 0, which is at 0. Velocities, per second, are those through the world, the
    simulation bone's own included.
    """
    positions, rotations = export.positions.astype(float), export.rotations.astype(float)
    velocities, spins = export.velocities.astype(float), export.angular_velocities.astype(float)
    places, turns, moved, turning = (np.empty_like(a) for a in (positions, rotations, velocities, spins))
    back = quaternion.conjugate(rotations[:, 0])
    places[:, 0], turns[:, 0] = 0.0, quaternion.IDENTITY
    moved[:, 0], turning[:, 0] = (quaternion.rotate(back, a[:, 0]) for a in (velocities, spins))
    for bone, above in list(enumerate(export.parents.tolist()))[1:]:
        way = quaternion.rotate(turns[:, above], positions[:, bone])
        places[:, bone] = places[:, above] + way
        turns[:, bone] = quaternion.multiply(turns[:, above], rotations[:, bone])
        local = quaternion.rotate(turns[:, above], velocities[:, bone])
        moved[:, bone] = moved[:, above] + local + np.cross(turning[:, above], way)
        turning[:, bone] = turning[:, above] + quaternion.rotate(turns[:, above], spins[:, bone])
    return places, moved


def database_bytes(export: Exported) -> bytes:
    """Return the content of database.bin: the arrays in the controller's order, each after its sizes.

    The order is positions, velocities, rotations, angular velocities (each after two sizes, frames and
    bones), parents, starts, stops (each after its length), and contacts (after frames and feet). Numbers are
    little-endian: 32-bit floats, 32-bit integers, also for the sizes, and a byte for each contact.
    """
    frames = struct.pack("<II", *export.positions.shape[:2])
    arrays = export.positions, export.velocities, export.rotations, export.angular_velocities
    whole = b"".join(frames + np.ascontiguousarray(array, "<f4").tobytes() for array in arrays)
    whole += b"".join(_counted(numbers, "<i4") for numbers in (export.parents, export.starts, export.stops))
    planted = np.ascontiguousarray(export.contacts, np.uint8)
    return whole + struct.pack("<II", *planted.shape) + planted.tobytes()


def features_bytes(values: Floats, offsets: Floats, scales: Floats) -> bytes:
    """Return the content of features.bin: three arrays, each after its sizes, little-endian.

    Parameters
    ----------
    values : (frames, 27)
        Normalised features.
    offsets : (27,)
        What was taken off them.
    scales : (27,)
        What they were divided by.

    Returns
    -------
    bytes
        32-bit floats and integers.
    """
    whole = struct.pack("<II", *values.shape) + np.ascontiguousarray(values, "<f4").tobytes()
    return whole + _counted(offsets, "<f4") + _counted(scales, "<f4")


def _counted(numbers: Floats | Integers, kind: str) -> bytes:
    return struct.pack("<I", len(numbers)) + np.ascontiguousarray(numbers, kind).tobytes()
