# SPDX-License-Identifier: GPL-3.0-or-later
"""Who carries a character along a way, on which each frame has a motion of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...motion import quaternion
from ...motion.arrays import Array
from ...motion.skeleton.posing import Rig
from ..data import rig as riglib
from ..data.actions import Clip
from ..data.channels import ClipChannels, transform
from . import alignment
from .alignment import Alignment, Carrier, RootedRig

QUARTER, HALF = 0.5 * np.pi, np.pi
"""Turns that are tried, to know how all others read."""
STAYS = Carrier(np.eye(3), np.zeros(3), quaternion.IDENTITY)
"""Who comes along by itself."""


def carriers_along(
    rooted: RootedRig, clip: Clip, motions: Array
) -> dict[str | None, tuple[Array, Array, Array]]:
    """Return how motions of the world (n, 4, 4) read in the channels of whoever carries them, by bone.

    Of each (n, 3, 3), (n, 3) and (n, 4), see :class:`Carrier`; None stands for the object. motions: shifts,
    and turns about the vertical. Raise InertiaError where no channels carry them.

    What a motion becomes there is linear in where it goes, and in the cosine and the sine of its turn; so a
    few tried ones, for which Blender may have to show the clip, say all others.
    """

    def tried(turn: float = 0.0, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> dict[str | None, Carrier]:
        leading = Alignment("POSITION_HEADING", turn, np.array((x, y, z)))
        return alignment.along(rooted, leading, (clip,), clip.start).carriers

    unit = rooted.rig.size
    rises = (tried(z=unit),) if np.abs(motions[:, 2, 3]).max() > 0.0 else ()
    shifted = tried(x=unit), tried(y=unit), *rises
    turns = np.arctan2(motions[:, 1, 0], motions[:, 0, 0])
    turned = (tried(QUARTER), tried(HALF)) if np.abs(turns).max() > 0.0 else ()
    by_bone = {}
    for bone in dict.fromkeys(bone for carriers in (*shifted, *turned) for bone in carriers):
        away = np.stack([carriers.get(bone, STAYS).shift for carriers in shifted], axis=1) / unit
        shifts = motions[:, : len(shifted), 3] @ away.T
        matrices = np.broadcast_to(np.eye(3), (len(motions), 3, 3))
        spins = np.tile(quaternion.IDENTITY, (len(motions), 1))
        if turned:
            quarter, half = (carriers.get(bone, STAYS) for carriers in turned)
            matrices = _of_turn(turns, np.eye(3), quarter.matrix, half.matrix)
            shifts = shifts + _of_turn(turns, np.zeros(3), quarter.shift, half.shift)
            axis = quaternion.log(quarter.turn) / QUARTER
            spins = quaternion.exp(turns[:, None] * axis)
        by_bone[bone] = (matrices, shifts, spins)
    return by_bone


def channels_of_carrier(
    armature: Any, rig: Rig, clip: Clip, carrier: str | None
) -> tuple[ClipChannels, ClipChannels]:
    """Return the location and the rotation of who carries a character: a bone, the object, or one above it.

    carrier: as :func:`carriers_along` names it.
    """
    prefix, mode = riglib.carrier_prefix(carrier), riglib.rotation_mode(armature, carrier)
    is_object = carrier is None or carrier == riglib.DELTA or riglib.is_holder(carrier)
    standing = rig.all_standing if is_object else {}
    rotation = quaternion.rotation_property(mode)[0]
    return (
        transform(clip, prefix, "location", standing=standing),
        transform(clip, prefix, rotation, mode, standing),
    )


def _of_turn(turns: Array, none: Array, quarter: Array, half: Array) -> Array:
    """Evaluate a + b cos + c sin at turns (n,), radians, from its values at none, a quarter and a half of
    a turn.
    """
    constant, cosine = 0.5 * (none + half), 0.5 * (none - half)
    shape = (-1, *(1,) * none.ndim)
    c, s = np.cos(turns).reshape(shape), np.sin(turns).reshape(shape)
    return np.asarray(constant + c * cosine + s * (quarter - constant))
