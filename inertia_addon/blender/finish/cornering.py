# SPDX-License-Identifier: GPL-3.0-or-later
"""Joins a take anew where its way turns at once: by an offset behind the seam, as a transition has it, or by
one that is given at both ends, whichever changes the joints' velocity less.
"""

from __future__ import annotations

import numpy as np

from ...motion import quaternion
from ...motion.arrays import Array
from ...motion.finish import turns
from ...motion.finish.turns import Turn
from ...motion.steps import finish
from ..data import rewriting
from ..data.actions import with_curves
from ..data.rewriting import ChannelStretch
from ..evaluation import joint_motion
from ..pops.search import BoneChannels
from .look import SampledTake


def round_turn(sampled: SampledTake, seam: Turn) -> list[ChannelStretch]:
    """Return the stretches that all channels of a take show around a seam whose corner is made round; [] if
    an end of the take is less than two frames away.

    The corner is spread over turns.ROUND_SECONDS before and behind the seam, less near an end. It is done
    behind the seam alone and on both sides; taken is what changes the joints' velocity less where it changes
    it most, behind alone if both are alike.
    """
    fps = sampled.character.fps
    room = min(seam.at, len(sampled.frames) - 1 - seam.at) / fps
    reach = min(turns.ROUND_SECONDS, room)
    if reach * fps < 2.0:
        return []
    joined = [
        [
            _round_channels(motion, seam.at, (reach, fps), both_sides=both_sides)
            for motion in (*sampled.turns, *sampled.places)
        ]
        for both_sides in (False, True)
    ]
    around = sampled.frames[max(seam.at - round(2.0 * reach * fps), 0) :][: round(4.0 * reach * fps) + 1]
    return min(joined, key=lambda stretches: _hardest_change(sampled, stretches, around))


def _round_channels(
    motion: BoneChannels, at: int, timing: tuple[float, float], *, both_sides: bool
) -> ChannelStretch:
    """Return channels around a seam with their rates before and behind it made to meet, as one stretch of as
    many whole frames on either side as an offset lasts.

    Rates are measured over turns.AT_ONCE_SECONDS on either side. at: the seam, an index. timing: how long an
    offset lasts on a side, seconds, and the frames a second. both_sides: whether both sides change, or the
    one behind alone.
    """
    reach, fps = timing
    near = max(1, round(turns.AT_ONCE_SECONDS * fps))
    count = int(reach * fps)
    span = slice(at - count, at + count + 1)
    values = motion.values[span]
    rates = (
        _rate(motion, at - near, at) * fps / near,
        _rate(motion, at, at + near) * fps / near,
    )
    seconds = np.arange(-count, count + 1) / fps
    offsets = turns.round_corner(rates, seconds, reach, both_sides=both_sides)
    if motion.is_rotation:
        values = quaternion.multiply(quaternion.exp(offsets), values)
    else:
        values = values + offsets
    return ChannelStretch(motion.channels.source, motion.frames[span], values)


def _rate(motion: BoneChannels, first: int, last: int) -> Array:
    """Return how far channels go from one index to another: a rotation vector, radians in the parent's axes,
    or a way (3,) in their own unit.
    """
    begin, end = motion.values[first], motion.values[last]
    if not motion.is_rotation:
        return np.asarray(end - begin)
    return np.asarray(quaternion.log(quaternion.multiply(end[None], quaternion.conjugate(begin[None])))[0])


def _hardest_change(sampled: SampledTake, stretches: list[ChannelStretch], frames: Array) -> float:
    """Return the highest change of the joints' velocity, in metres a frame, rms over all joints, at frames
    (n,), one apart, of a take with other values in stretches; 0.0 for fewer than three frames.

    Nothing is written.
    """
    changed = with_curves(sampled.clip, rewriting.rewritten(sampled.clip, stretches).curves)
    places = finish(joint_motion.positions(sampled.character, changed, frames))
    changes = np.sum(np.diff(places, 2, axis=0) ** 2, axis=2)
    return float(np.sqrt(changes.mean(axis=1)).max(initial=0.0))
