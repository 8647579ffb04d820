# SPDX-License-Identifier: GPL-3.0-or-later
"""Turns a whole take so that its tilted floor is level."""

from __future__ import annotations

import numpy as np

from ...errors import InertiaError
from ...motion import quaternion
from ...motion.arrays import Array
from ...motion.feet import leg_ik
from ...motion.feet.locking import VERTICAL
from ...motion.finish.floor import Floor
from ..data import rewriting, rig
from ..data.actions import Clip
from ..data.channels import ClipChannels, transform
from ..data.rewriting import ChannelStretch, Rewritten
from ..evaluation import joint_motion
from ..evaluation.character import Character

OF_OBJECT = ("location", "rotation", "delta_", "scale")
"""The beginnings of the channels that move an object."""


def level(character: Character, clip: Clip, floor: Floor) -> Rewritten:
    """Return the curves of a clip whose floor is level, its normal turned upright about the middle of its
    stances, which stays where it is.

    All bones without a parent are turned, on all frames. floor: as its feet tell of it, metres, Z up. Raise
    InertiaError for a rig that numpy can't pose, and where the object itself moves, or is scaled otherwise
    along one axis than along another.
    """
    moves = any(rig.split_path(path)[0] is None and path.startswith(OF_OBJECT) for path, _ in clip.curves)
    if moves or clip.holders or character.find_poser([clip]).has_to_play:
        raise InertiaError(
            'The floor of "{action}" can\'t be levelled, as more than bones carries the character; turn the '
            "armature by hand.",
            action=clip.action.name,
        )
    world = rig.object_matrix(character.armature).astype(float)
    scales = np.linalg.norm(world[:3, :3], axis=0)
    if np.ptp(scales) > 1e-4 * scales.max():
        raise InertiaError(
            'The floor of "{action}" can\'t be levelled, as the armature is scaled otherwise along one axis '
            "than along another; apply its scale.",
            action=clip.action.name,
        )
    turned = np.eye(4)
    turned[:3, :3] = quaternion.to_matrix(leg_ik.between(floor.normal[None], VERTICAL[None])[0])
    middle = floor.centre / character.metres
    turned[:3, 3] = middle - turned[:3, :3] @ middle
    whole = joint_motion.grid(clip, joint_motion.MOST_EACH)
    frames = np.unique(np.concatenate([[clip.start], whole, [clip.end]]))
    read = character.rig
    stretches: list[ChannelStretch] = []
    for index, parent in enumerate(read.bones.parents):
        if parent < 0:
            stretches += _turn_bone(character, clip, index, (world, turned), frames)
    return rewriting.rewritten(clip, stretches)


def _turn_bone(
    character: Character, clip: Clip, index: int, motion: tuple[Array, Array], frames: Array
) -> list[ChannelStretch]:
    """Return the stretches of the location and the rotation of a bone without a parent, as a motion of the
    world moves it.

    index: the bone's. motion: the armature's matrix (4, 4), and what the world is moved by (4, 4), world
    units. frames: (n,).
    """
    read = character.rig
    world, turned = motion
    rest = world @ np.asarray(read.bones.rest[index], float)
    own = np.linalg.inv(rest) @ turned @ rest
    prefix = read.paths[index]
    mode = rig.rotation_mode(character.armature, read.bones.names[index])
    place, rotation = transform(clip, prefix, "location"), transform(clip, prefix, "", mode)
    places = place.raw(frames) @ own[:3, :3].T + own[:3, 3]
    spin = quaternion.from_matrix(own[:3, :3])
    turns = quaternion.multiply(spin[None], _decode_at(rotation, frames))
    return [ChannelStretch(place, frames, places), ChannelStretch(rotation, frames, turns)]


def _decode_at(channels: ClipChannels, frames: Array) -> Array:
    return channels.decode(channels.raw(frames))
