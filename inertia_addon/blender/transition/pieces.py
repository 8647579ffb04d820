# SPDX-License-Identifier: GPL-3.0-or-later
"""The two ends of a result's curves: the source up to the cut, the destination after the window.

Keys are kept and cut exactly. What keys can't say (modifiers, an easing at the cut, a heading
change of Euler angles) is baked, a key per frame, and noted for the report.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...motion import quaternion, transforms
from ...motion.curves import keys as keylib
from ...motion.curves.keys import Keys, NotCuttable
from ...motion.curves.representation import continuous, followed, sizes
from ..data.actions import Address, Clip, Curve
from ..data.channels import Channels, values
from .alignment import Carrier
from .report import BakedCurve

Array = NDArray[np.float64]


def whole_frames(first: float, last: float) -> Array:
    """``first``, the whole frames after it, and ``last``."""
    inner = np.arange(math.floor(first + 1e-4) + 1, math.ceil(last - 1e-4))
    return np.concatenate([[first], inner, [last] if last > first + 1e-4 else []])


def head(clip: Clip, address: Address, default: float, frame: float, baked: list[BakedCurve]) -> Keys:
    """A clip's curve up to ``frame``; a constant where it has none."""
    curve = clip.curves.get(address)
    if curve is None:
        return keylib.constant(frame, default)
    if curve.obstacle:
        return _bake(curve, address, min(clip.start, frame), frame, baked)
    try:
        return keylib.head(curve.keys, frame)
    except NotCuttable as obstacle:
        return keylib.head(_with_baked_segment(curve, address, frame, str(obstacle), baked), frame)


def tail(
    clip: Clip, address: Address, default: float, frame: float, later: float, baked: list[BakedCurve]
) -> Keys:
    """A clip's curve from ``frame`` on, moved ``later`` frames; a constant where it has none."""
    curve = clip.curves.get(address)
    if curve is None:
        return keylib.constant(frame + later, default)
    if curve.obstacle:
        return keylib.moved(_bake(curve, address, frame, max(clip.end, frame), baked, later), later)
    try:
        cut = keylib.tail(curve.keys, frame)
    except NotCuttable as obstacle:
        cut = keylib.tail(_with_baked_segment(curve, address, frame, str(obstacle), baked, later), frame)
    return keylib.moved(cut, later)


def _bake(
    curve: Curve, address: Address, first: float, last: float, baked: list[BakedCurve], later: float = 0.0
) -> Keys:
    frames = whole_frames(first, last)
    baked.append(BakedCurve(*address, first + later, last + later, curve.obstacle))
    return keylib.sampled(frames, [curve.value(frame) for frame in frames])


def _with_baked_segment(
    curve: Curve, address: Address, frame: float, reason: str, baked: list[BakedCurve], later: float = 0.0
) -> Keys:
    """The curve's keys, with samples in place of the easing at ``frame``."""
    first, last = keylib.segment(curve.keys, frame)
    frames = np.unique(np.concatenate([whole_frames(first, last), [frame]]))
    baked.append(BakedCurve(*address, first + later, last + later, reason))
    return keylib.with_baked_segment(curve.keys, frame, frames, [curve.value(f) for f in frames])


@dataclasses.dataclass(frozen=True)
class Aligned:
    """The destination's channels with the root's alignment on top, in the destination's own frames.

    carrier: None for channels that are not moved, and then all of this is the clip itself.
    """

    clip: Clip
    channels: Channels
    carrier: Carrier | None

    def raw(self, frames: Array, start: Array | None = None) -> Array:
        """Raw values (frames, channels). start: what a rotation that has to be restated goes on from."""
        ch = self.channels
        raw = values(self.clip, ch.destination, ch.destination_defaults, frames)
        if self.carrier is None or ch.kind not in ("location", "rotation"):
            return raw
        if ch.kind == "location":
            return raw @ self.carrier.matrix.T + self.carrier.shift
        mode = ch.destination_mode
        if mode == "QUATERNION":
            return quaternion.multiply(self.carrier.turn, raw)
        shift = self._euler_shift()
        if shift is not None:
            return raw + shift
        turned = quaternion.multiply(self.carrier.turn, transforms.to_quaternion(raw, mode))
        return continuous(turned, mode, raw[0] if start is None else start, sizes(raw, mode))

    def tails(
        self, frame: float, later: float, baked: list[BakedCurve], start: Array | None = None
    ) -> list[Keys]:
        """The curves from the destination's ``frame`` on, moved ``later`` frames.

        start: the raw values before, which rotations go on from where they can't be the clip's own.
        """
        ch = self.channels
        plain = [
            tail(self.clip, address, default, frame, later, baked)
            for address, default in zip(ch.destination, ch.destination_defaults, strict=True)
        ]
        if self.carrier is None or ch.kind not in ("location", "rotation"):
            return plain
        try:
            return self._mixed(plain)
        except NotCuttable as obstacle:
            return self._baked(plain, frame, later, str(obstacle), baked, start)

    def _mixed(self, plain: Sequence[Keys]) -> list[Keys]:
        assert self.carrier is not None
        if self.channels.kind == "location":
            mixing = zip(self.carrier.matrix, self.carrier.shift, strict=True)
            return [keylib.mixed(plain, row, float(shift)) for row, shift in mixing]
        if self.channels.destination_mode == "QUATERNION":
            rows = quaternion.multiply(self.carrier.turn, np.eye(4)).T
            rows[np.abs(rows) < 1e-9] = 0.0
            return [keylib.mixed(plain, row, 0.0) for row in rows]
        shift = self._euler_shift()
        if shift is None:
            raise NotCuttable("heading of Euler angles")
        return [keylib.moved(keys, shift=float(s)) for keys, s in zip(plain, shift, strict=True)]

    def _euler_shift(self) -> Array | None:
        """What a turn about the outermost Euler axis adds to the angles; None when it is no such turn."""
        assert self.carrier is not None
        mode = self.channels.destination_mode
        if mode in ("QUATERNION", "AXIS_ANGLE"):
            return None
        turn = quaternion.log(self.carrier.turn)
        outer = "XYZ".index(mode[2])
        return turn if np.all(np.abs(np.delete(turn, outer)) < 1e-7) else None

    def _baked(
        self,
        plain: Sequence[Keys],
        frame: float,
        later: float,
        reason: str,
        baked: list[BakedCurve],
        start: Array | None,
    ) -> list[Keys]:
        """Samples on whole frames of the scene and on the clip's own keys."""
        last = max(float(keys.co[-1, 0]) for keys in plain)
        own = np.concatenate([keys.co[:, 0] for keys in plain]).astype(float)
        frames = np.unique(np.concatenate([whole_frames(frame + later, last), own]).round(3))
        straight = all(
            keylib.is_flat(keys) or np.all(keys.interpolation[:-1] == keylib.LINEAR) for keys in plain
        )
        for address in self.channels.destination:
            baked.append(BakedCurve(*address, frame + later, last, reason))
        code = keylib.LINEAR if straight else keylib.BEZIER
        if self.channels.kind == "rotation":
            mode = self.channels.destination_mode
            frames, raw = followed(lambda at: self.raw(at - later, start), frames, mode, code, exactly=True)
        else:
            raw = self.raw(frames - later)
        return keylib.sampled_together(frames, raw, code)
