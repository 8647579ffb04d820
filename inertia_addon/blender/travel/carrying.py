# SPDX-License-Identifier: GPL-3.0-or-later
"""Has the object or bones of an armature carry a way: the curves that move the whole character along it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...motion import quaternion
from ...motion.arrays import Array
from ...motion.quaternion import rotation_property
from ...motion.skeleton.posing import Rig
from ..data import rewriting
from ..data import rig as riglib
from ..data.actions import Clip
from ..data.channels import transform
from ..data.rewriting import Rewritten, Stretch
from ..data.roots import Root
from ..transition import alignment
from ..transition.alignment import Alignment, Carrier

QUARTER, HALF = 0.5 * np.pi, np.pi
"""Turns that are tried, to know how all others read."""
STAYS = Carrier(np.eye(3), np.zeros(3), quaternion.IDENTITY)
"""Who comes along by itself."""


def carried(
    armature: Any, rig: Rig, root: Root, clip: Clip, frames: Array, motions: Array, play: bool
) -> Rewritten:
    """A clip whose root is moved by motions of the world (n, 4, 4): shifts, and turns about the vertical.

    frames: (n,) sorted, each whole one and both ends. play: have Blender show who carries it, as of a rig
    that is not plain. Raises InertiaError where no channels carry it.
    """
    parts: list[Stretch] = []
    for bone, (matrices, shifts, turns) in _carriers(armature, rig, root, clip, motions, play).items():
        prefix, mode = riglib.carrier_prefix(bone), riglib.rotation_mode(armature, bone)
        is_object = bone is None or bone == riglib.DELTA or riglib.is_holder(bone)
        standing = rig.all_standing if is_object else {}
        place = transform(clip, prefix, "location", standing=standing)
        way = np.einsum("nij,nj->ni", matrices, place.raw(frames)) + shifts
        parts.append(Stretch(place, frames, way))
        if np.abs(turns[:, 1:]).max() > 0.0:
            turned = transform(clip, prefix, rotation_property(mode)[0], mode, standing)
            shown = quaternion.multiply(turns, turned.shown(turned.raw(frames)))
            parts.append(Stretch(turned, frames, shown))
    return rewriting.rewritten(clip, parts)


def _carriers(
    armature: Any, rig: Rig, root: Root, clip: Clip, motions: Array, play: bool
) -> dict[str | None, tuple[Array, Array, Array]]:
    """How motions read in the channels of whoever carries them: (n, 3, 3), (n, 3) and (n, 4) of each.

    What a motion becomes there is linear in where it goes, and in the cosine and the sine of its turn; so a
    few tried ones, for which Blender may have to show the clip, say all others.
    """

    def tried(turn: float = 0.0, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> dict[str | None, Carrier]:
        leading = Alignment("POSITION_HEADING", turn, np.array((x, y, z)))
        return alignment.along(armature, rig, root, leading, (clip,), clip.start, play).carriers

    unit = rig.size
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


def _of_turn(turns: Array, none: Array, quarter: Array, half: Array) -> Array:
    """What is a + b cos + c sin of turns (n,), by its values at none, a quarter and a half of one."""
    constant, cosine = 0.5 * (none + half), 0.5 * (none - half)
    shape = (-1, *(1,) * none.ndim)
    c, s = np.cos(turns).reshape(shape), np.sin(turns).reshape(shape)
    return np.asarray(constant + c * cosine + s * (quarter - constant))
