# SPDX-License-Identifier: GPL-3.0-or-later
"""Has a character keep the posture of both ends of a gap, whatever the clips' is that lead through it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...motion.arrays import Array
from ...motion.curves.keys import Keys
from ...motion.curves.stretches import whole_frames
from ...motion.fill import posture
from ...motion.quaternion import conjugate, log, multiply
from ...motion.skeleton.posing import Rig
from ...motion.transforms import rotation_property
from ..data import scene, stretches
from ..data.actions import Address, Clip, Curve, with_curves
from ..data.channels import ClipChannels, raw_of, shown_of, transform
from ..data.stretches import Stretch
from ..matching.stock import Stock
from .pieces import Piece
from .search import Found


def kept(
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
    stock, own = found.stock, found.settings
    filled = with_curves(whole, curves)
    bones = _carried(stock, filled) if stock.plain and own.posture else []
    if not bones:
        return {}
    assert own.transition.destination_frame is not None
    cut = own.transition.cut
    through = [(piece.clip, piece.entered, piece.cut) for piece in pieces] or [(ends[0], cut, cut)]
    (first, entered, _), (last, since, begin) = through[0], through[-1]
    wanted = (ends[0], cut), (ends[1], own.transition.destination_frame)
    played = (first, entered), (last, since + own.arrival - begin)
    apart = np.stack(
        [
            _apart(*(_turns(stock.rig, bones, clip, np.array([at]))[0] for clip, at in both))
            for both in zip(wanted, played, strict=True)
        ]
    )
    frames, fps = whole_frames(cut, own.arrival), scene.fps()
    counting = [stock.rig.bones.names[bone] in stock.weights for bone in bones]
    turns = posture.kept(
        _turns(stock.rig, bones, filled, frames),
        apart,
        posture.unlike(apart[:, counting]),
        frames / fps,
        own.transition.seconds(fps),
        own.posture,
    )
    made = (
        Stretch(channels, frames, turns[:, i])
        for i, channels in enumerate(_channels(stock.rig, bones, filled))
    )
    return dict(stretches.rewritten(filled, made).curves)


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
