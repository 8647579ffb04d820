# SPDX-License-Identifier: GPL-3.0-or-later
"""A destination that goes between FK and IK while an offset decays, told by FK alone until it is gone.

An offset is not the same by FK as by IK, so that a limb would jump where the one gives way to the other. As
FK shows all that IK does, the FK controls are put where the limb is seen, on every frame of the window where
something else shows it, and the switch waits until the window is over.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

import numpy as np
from mathutils import Matrix

from ...motion import transforms
from ...motion.arrays import Array
from ...motion.curves import keys as keylib
from ...motion.curves.keys import NotCuttable
from ...motion.curves.representation import continuous, sizes
from ...records import record
from ..data import channels, rig
from ..data.actions import Address, Clip, Curve
from ..data.channels import ClipChannels
from ..data.limb_list import Limb

ALIKE = 1e-6
"""Channels that differ by no more are as the clip has them."""


@record
class Told(Curve):
    """A curve that is told otherwise up to a frame, and goes on as its own from there.

    frames: (n,) the last of them is that frame. values: (n,) what it is told as.
    """

    frames: Array
    values: Array
    own: Curve | None
    default: float

    def value(self, frame: float) -> float:
        """The value told, between whole frames along a line; behind the last frame the curve's own."""
        if frame < self.frames[-1] - 1e-4:
            return float(np.interp(frame, self.frames, self.values))
        return self.default if self.own is None else self.own.value(frame)

    def at(self, frames: Array) -> Array:
        """As :meth:`value` at frames (n,)."""
        return np.array([self.value(frame) for frame in frames.tolist()], float)


def seen(clip: Clip, limbs: Iterable[Limb], frames: Array) -> Array:
    """The frames (k,) of some in which a clip shows limbs otherwise than by FK alone."""
    curves = ((limb, clip.curves.get((limb.switch, 0))) for limb in limbs)
    otherwise = [
        [curve is None or limb.side(curve.value(float(frame))) != "FK" for frame in frames]
        for limb, curve in curves
    ]
    return frames[np.any(otherwise, axis=0)]


def by_fk(
    clip: Clip,
    modes: Mapping[str, str],
    limbs: Iterable[Limb],
    frames: Array,
    posed: Array,
    own: Mapping[str, Array],
) -> Clip:
    """The clip as FK alone tells it in some frames (n,).

    modes: the rotation modes of bones. posed: those of the frames, (k,), on which FK controls have to be
    restated. own: their transforms there (k, 4, 4), by bone.
    """
    curves, there = dict(clip.curves), np.isin(frames, posed)
    for name, matrices in own.items():
        for read in _channels(clip, name, modes[name]):
            raw = read.raw(frames)
            told = _raw(read, matrices, raw[there])
            if np.abs(told - raw[there]).max() <= ALIKE:
                continue
            raw[there] = told
            for column, (address, default) in enumerate(zip(read.addresses, read.defaults, strict=True)):
                curves[address] = _told(clip, address, default, frames, raw[:, column])
    for limb in limbs:
        at = (limb.switch, 0)
        curves[at] = _told(clip, at, limb.fk_value, frames, np.full(len(frames), limb.fk_value))
    return dataclasses.replace(clip, curves=curves)


def _channels(clip: Clip, bone: str, mode: str) -> list[ClipChannels]:
    prefix = rig.bone_path(bone, "")
    prop, _ = transforms.rotation_property(mode)
    kinds = (("location", ""), (prop, mode), ("scale", ""))
    return [channels.transform(clip, prefix, name, read) for name, read in kinds]


def _raw(read: ClipChannels, matrices: Array, now: Array) -> Array:
    """Transforms (k, 4, 4) as raw channels (k, channels). now: what these are."""
    place, turn, scale = zip(*(Matrix(matrix).decompose() for matrix in matrices), strict=True)
    if read.mode:
        return continuous(np.array([tuple(q) for q in turn]), read.mode, now[0], sizes(now, read.mode))
    return np.array([tuple(v) for v in (scale if read.addresses[0][0].endswith("scale") else place)])


def _told(clip: Clip, at: Address, default: float, frames: Array, values: Array) -> Told:
    own = clip.curves.get(at)
    last = float(frames[-1])
    obstacle, after = "", keylib.constant(last, default)
    if own is not None:
        obstacle = own.obstacle
        try:
            after = keylib.tail(own.keys, last)
        except NotCuttable as reason:
            obstacle = str(reason)
            after = keylib.constant(last, own.value(last))
    held = keylib.sampled([*frames[:-1], last - keylib.STEP_FRAMES], values, keylib.LINEAR)
    group = "" if own is None else own.group
    fcurve = None if own is None else own.fcurve
    return Told(fcurve, keylib.step(held, after), obstacle, group, frames, values, own, default)
