# SPDX-License-Identifier: GPL-3.0-or-later
"""Has a character keep the posture of both ends of a gap, whatever the clips' is that lead through it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...motion.arrays import Array
from ...motion.curves.keys import Keys
from ...motion.curves.stretches import whole_frames
from ...motion.fill import posture
from ...motion.quaternion import conjugate, log, multiply
from ...motion.skeleton import character
from ...motion.skeleton.posing import Rig
from ...motion.transforms import rotation_property
from ..data import rewriting, scene
from ..data.actions import Address, Clip, Curve, with_curves
from ..data.channels import ClipChannels, raw_of, shown_of, transform
from ..data.rewriting import Stretch
from ..evaluation import joint_motion
from ..matching.stock import Stock
from ..travel import carrying
from .pieces import Piece
from .search import Found


def kept(
    armature: Any,
    found: Found,
    ends: tuple[Clip, Clip],
    pieces: Sequence[Piece],
    curves: Mapping[Address, Curve | Keys],
    whole: Clip,
) -> dict[Address, Keys]:
    """The curves of a filled gap that are other ones where its character keeps the posture of both ends.

    ends: what plays before and behind it, as the latter is arrived at. curves: of the filled gap. whole: a
    clip that plays through it. A rig that more than keys moves keeps what its clips give its controls.
    """
    stock, settings = found.stock, found.settings
    filled = with_curves(whole, curves)
    bones = _carried(stock, filled) if stock.plain and settings.posture else []
    if not bones:
        return {}
    assert settings.transition.destination_frame is not None
    cut = settings.transition.cut
    through = [(piece.clip, piece.entered, piece.cut) for piece in pieces] or [(ends[0], cut, cut)]
    (first, entered, _), (last, since, begin) = through[0], through[-1]
    wanted = (ends[0], cut), (ends[1], settings.transition.destination_frame)
    played = (first, entered), (last, since + settings.arrival - begin)
    apart = np.stack(
        [
            _apart(*(_turns(stock.rig, bones, clip, np.array([at]))[0] for clip, at in both))
            for both in zip(wanted, played, strict=True)
        ]
    )
    frames, fps = whole_frames(cut, settings.arrival), scene.fps()
    counting = [stock.rig.bones.names[bone] in stock.weights for bone in bones]
    times = frames / fps
    part = settings.posture * posture.drawn(posture.unlike(apart[:, counting]), times)
    turns, blend = _turns(stock.rig, bones, filled, frames), settings.transition.seconds(fps)
    turns = posture.kept(turns, settings.posture * apart, part, times, blend)
    channels = _channels(stock.rig, bones, filled)
    rotated = (Stretch(each, frames, turns[:, i]) for i, each in enumerate(channels))
    around = np.concatenate([[cut - 1.0], frames, [settings.arrival + 1.0]])
    root = joint_motion.evaluate(armature, filled, around, stock.root)
    places = root.root_position[1:-1]
    leaving, *_, arriving = fps * np.diff(root.root_position, axis=0)
    headings = character.headings(root.root_rotation, character.upright([root.root_rotation]))
    turned = posture.faced(np.unwrap(headings[1:-1]), part, times)
    motions = _about(places, turned, posture.led(places, leaving, arriving, part, times))
    carried = carrying.carried(armature, stock.rig, stock.root, filled, frames, motions, False)
    return {**rewriting.rewritten(filled, rotated).curves, **carried.curves}


def _about(places: Array, turns: Array, moved: Array) -> Array:
    """Motions of the world (n, 4, 4) that turn about places (n, 3), metres, by angles (n,), and then move."""
    motions = np.stack([character.motion_of(angle, np.zeros(3)) for angle in turns])
    shifts = places + moved - np.einsum("nij,nj->ni", motions[:, :3, :3], places)
    motions[:, :3, 3] = shifts / scene.metres_per_unit()
    return motions


def _apart(wanted: Array, played: Array) -> Array:
    """The rotation vectors (bones, 3) that lead from what is played to what is wanted (bones, 4)."""
    return log(multiply(wanted, conjugate(played)))


def _carried(stock: Stock, clip: Clip) -> list[int]:
    """The bones of a stock's rig, by index, whose rotations a clip keys, and that the root carries."""
    bones, root = stock.rig.bones, stock.root
    turned = {path for path, _ in clip.curves}
    return [
        i
        for i, (name, path, mode) in enumerate(
            zip(bones.names, stock.rig.paths, stock.rig.modes, strict=True)
        )
        if path + rotation_property(mode)[0] in turned
        and path + "rotation_mode" not in turned
        and (root.is_object or root.name in bones.above(name))
    ]


def _channels(rig: Rig, bones: Sequence[int], clip: Clip) -> list[ClipChannels]:
    """The rotations of some bones in a clip."""
    return [transform(clip, rig.paths[i], "", rig.modes[i]) for i in bones]


def _turns(rig: Rig, bones: Sequence[int], clip: Clip, frames: Array) -> Array:
    """What the rotations of some bones show in a clip at frames (n,): unit quaternions (n, bones, 4)."""
    channels = _channels(rig, bones, clip)
    return np.stack(shown_of(channels, raw_of(channels, frames)), axis=1)
