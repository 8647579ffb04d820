# SPDX-License-Identifier: GPL-3.0-or-later
"""The pieces of a result's curves: the source up to the cut, the window, the destination after that.

At both ends keys are kept and cut exactly. What keys can't say (modifiers, an easing at the cut, a heading
change of Euler angles) is baked, a key per frame, and noted for the report. The window has a key on every
frame, or so few that its curves stay within a tolerance.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Hashable, Iterable, Mapping, Sequence

import numpy as np

from ...motion import quaternion
from ...motion.arrays import Array
from ...motion.curves import keys as keylib
from ...motion.curves import thinning
from ...motion.curves.keys import Keys, NotCuttable
from ...motion.curves.representation import Cut, continuous, followed, parted, sizes, whole_frames
from ...motion.curves.thinning import Strand
from ...records import record
from ..data import shaped
from ..data.actions import Address, Clip
from ..data.channels import Channels, ClipChannels
from ..data.report import BakedCurve
from .alignment import Carrier

Keyed = Mapping[Address, Keys]
"""Curves that have a key on the frame on which they are cut."""
NONE: Keyed = {}
ROTATION, LOCATION, OTHER = math.radians(1.0), 0.01, 0.01
"""What a tolerance of 1 means: a degree, a centimetre in metres, a hundredth of scales and other values."""


def with_keys(clip: Clip, addresses: Iterable[Address], frame: float) -> Keyed:
    """Return some of a clip's curves with a key on a frame; to cut many there takes a tenth as long
    together.
    """
    cut = [address for address in addresses if address in clip.curves]
    keyed = keylib.keyed([clip.curves[address].keys for address in cut], frame)
    return dict(zip(cut, keyed, strict=True))


@record(frozen=True, eq=False)
class CutFrame:
    """Where curves are cut, and by how many frames what is kept moves later. keyed: see :func:`with_keys`."""

    frame: float
    later: float = 0.0
    keyed: Keyed = dataclasses.field(default_factory=dict)


def piece(
    cut: Cut,
    channels: ClipChannels,
    column: int,
    at: CutFrame,
    baked: list[BakedCurve],
) -> Keys:
    """Cut a curve of a clip, and keep what is before the cut or from there on; a constant if the clip has
    none.

    cut: which of the two, :func:`keylib.head` or :func:`keylib.tail`. column: which of the channels. baked:
    notes on what could not be cut are added to it.
    """
    frame, later, keyed = at.frame, at.later, at.keyed
    clip, address = channels.clip, channels.addresses[column]
    curve = clip.curves.get(address)
    if curve is None:
        return keylib.constant(frame + later, channels.defaults[column])
    if curve.obstacle:
        reason = curve.obstacle
        first, last = (min(clip.start, frame), frame) if cut is keylib.head else (frame, max(clip.end, frame))
        keys, made = shaped.tell_by_keys(curve, first, last)
    else:
        reason = "easing"
        keys, made = parted(cut, keyed.get(address, curve.keys), frame)
    if made is None:
        return keylib.move(keys, later)
    first, last = made
    baked.append(BakedCurve(*address, first + later, last + later, reason))
    return keylib.move(keys, later)


def is_straight(curves: Sequence[Keys]) -> bool:
    """Tell whether curves have nothing but straight lines between their keys."""
    return all(keylib.is_flat(keys) or np.all(keys.interpolation[:-1] == keylib.LINEAR) for keys in curves)


@record(frozen=True)
class AlignedChannels:
    """The destination's channels with the root's alignment on top, in the destination's own frames.

    carrier: None for channels that are not moved, and then all of this is the clip itself.
    """

    channels: ClipChannels
    carrier: Carrier | None

    def raw(self, frames: Array, start: Array | None = None) -> Array:
        """Return the destination's raw values (frames, channels) at its own frames, aligned.

        start: the raw values (channels,) that a rotation by Euler angles or axis and angle goes on from, if
        it has to be restated; None for the clip's own at the first frame.
        """
        return self.of_raw(self.channels.raw(frames), start)

    def of_raw(self, raw: Array, start: Array | None = None) -> Array:
        """Return, as :meth:`raw`, the aligned values of what the clip itself shows (frames, channels)."""
        mode = self.channels.mode
        if self.carrier is None:
            return raw
        if not mode:
            return raw @ self.carrier.matrix.T + self.carrier.shift
        if mode == "QUATERNION":
            return quaternion.multiply(self.carrier.turn, raw)
        shift = self._euler_shift(self.carrier)
        if shift is not None:
            return raw + shift
        turned = quaternion.multiply(self.carrier.turn, self.channels.decode(raw))
        return continuous(turned, mode, raw[0] if start is None else start, sizes(raw, mode))

    def tails(
        self,
        frame: float,
        later: float,
        baked: list[BakedCurve],
        start: Array | None = None,
        keyed: Keyed = NONE,
    ) -> list[Keys]:
        """Return the curves from the destination's ``frame`` on, moved ``later`` frames.

        start: the raw values before, from which rotations go on if they can't be the clip's own. keyed: see
        :func:`with_keys`.
        """
        columns = range(len(self.channels.addresses))
        at = CutFrame(frame, later, keyed)
        plain = [piece(keylib.tail, self.channels, column, at, baked) for column in columns]
        return self.add_alignment(plain, frame, later, baked, start)

    def add_alignment(
        self,
        plain: list[Keys],
        frame: float,
        later: float,
        baked: list[BakedCurve],
        start: Array | None = None,
    ) -> list[Keys]:
        """Add the alignment to curves that are ``later`` frames later than the clip's own; return them,
        sampled where they can't be mixed, which is added to `baked`; see :meth:`tails`.
        """
        if self.carrier is None:
            return plain
        try:
            return self._mixed(plain, self.carrier)
        except NotCuttable as obstacle:
            last = max(float(keys.co[-1, 0]) for keys in plain)
            for address in self.channels.addresses:
                baked.append(BakedCurve(*address, frame + later, last, str(obstacle)))
        # samples on whole frames of the scene and on the clip's own keys
        keyed = np.concatenate([keys.co[:, 0] for keys in plain]).astype(float)
        frames = np.unique(np.concatenate([whole_frames(frame + later, last), keyed]).round(3))
        code = keylib.LINEAR if is_straight(plain) else keylib.BEZIER
        if self.channels.mode:
            frames, raw = followed(
                lambda at: self.raw(at - later, start), frames, self.channels.mode, code, exactly=True
            )
        else:
            raw = self.raw(frames - later)
        return keylib.sampled_together(frames, raw, code)

    def _mixed(self, plain: Sequence[Keys], carrier: Carrier) -> list[Keys]:
        if not self.channels.mode:
            mixing = zip(carrier.matrix, carrier.shift, strict=True)
            return [keylib.mixed(plain, row, float(shift)) for row, shift in mixing]
        if self.channels.mode == "QUATERNION":
            rows = quaternion.multiply(carrier.turn, np.eye(4)).T
            rows[np.abs(rows) < 1e-9] = 0.0
            return [keylib.mixed(plain, row, 0.0) for row in rows]
        shift = self._euler_shift(carrier)
        if shift is None:
            raise NotCuttable("heading of Euler angles")
        return [keylib.move(keys, shift=float(s)) for keys, s in zip(plain, shift, strict=True)]

    def _euler_shift(self, carrier: Carrier) -> Array | None:
        """Return what a turn about the outermost Euler axis adds to the angles; None when it is no such
        turn.
        """
        if self.channels.mode == "AXIS_ANGLE":
            return None
        turn = quaternion.log(carrier.turn)
        outer = "XYZ".index(self.channels.mode[2])
        return turn if np.all(np.abs(np.delete(turn, outer)) < 1e-7) else None


@record(frozen=True)
class KeyedWindow:
    """Channels of a result that have a key on every frame between two.

    metres: per unit of a location, 1 of anything else.
    """

    channels: Channels
    metres: float
    first: float
    last: float

    @property
    def owner(self) -> Hashable:
        """Whose keys lie on common frames: a bone's, the object's; other values are by themselves."""
        ch = self.channels
        return ch.bone or (ch.destination.addresses if ch.kind == "value" else None)

    def strand(self, by_address: Mapping[Address, Keys], tolerance: float) -> Strand:
        """Return what may be thinned of curves in this window, with how far each sample may be off as 1;
        those that are no more than the default may be lacking.
        """
        ch = self.channels.destination
        # what stands still has the keys of another one
        frames = next(by_address[address] for address in ch.addresses if address in by_address).co[:, 0]
        curves = [
            by_address.get(address) or keylib.sampled(frames, np.full(len(frames), default))
            for address, default in zip(ch.addresses, ch.defaults, strict=True)
        ]
        unit = {"rotation": ROTATION, "location": LOCATION / self.metres}.get(self.channels.kind, OTHER)

        def away(thinned: Array, wanted: Array) -> Array:
            off = thinned - wanted
            if ch.mode:
                turned, meant = (quaternion.to_quaternion(raw, ch.mode) for raw in (thinned, wanted))
                off = quaternion.log(quaternion.multiply(turned, quaternion.conjugate(meant)))
            return np.asarray(np.linalg.norm(off, axis=1) / (unit * tolerance))

        return thinning.strand(curves, self.first, self.last, away)


def thin(by_address: dict[Address, Keys], windows: Iterable[KeyedWindow], tolerance: float) -> None:
    """Take keys out of curves in their windows, in place of the curves in `by_address`; channels of one owner
    keep keys on the same frames. tolerance: times those of :data:`ROTATION` and the others.
    """
    owners: dict[Hashable, list[KeyedWindow]] = {}
    for window in windows:
        if not by_address.keys().isdisjoint(window.channels.destination.addresses):
            owners.setdefault(window.owner, []).append(window)
    for together in owners.values():
        frames = thinning.find_needed_frames([window.strand(by_address, tolerance) for window in together])
        for window in together:
            for address in by_address.keys() & window.channels.destination.addresses:
                by_address[address] = thinning.thin_keys(
                    by_address[address], window.first, window.last, frames
                )
