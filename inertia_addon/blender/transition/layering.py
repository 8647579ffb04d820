# SPDX-License-Identifier: GPL-3.0-or-later
"""A result as layers for the NLA: what has to play above the two clips' own strips.

Where the destination says something of a channel, an offset is combined with that. Where it does not, or
where nothing that is combined makes what is wanted, the result's own curves play in place of what is below.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any

import numpy as np

from ...motion import quaternion, transforms
from ...motion.arrays import Array
from ...motion.curves import combining, evaluation
from ...motion.curves import keys as keylib
from ...motion.curves.keys import Keys
from ...motion.curves.stretches import whole_frames
from ...records import record
from ..data import properties, rig
from ..data.actions import Address, Clip, Curve, Repeated
from ..data.channels import ROTATIONS, VECTORS, property_default
from .compose import SlotPlan

BEFORE, DURING, AFTER = "before", "during", "after"
"""What plays in place of the clips."""
OFFSET, PLACE, REST = "offset", "place", "rest"
"""What is combined with the destination while the blend lasts, and afterwards; and what is added to that."""
TURNED = 2e-5
"""Rotations that are nearer, in radians, are the same."""
APART = 1e-5
"""And numbers that are nearer than this part of them, or of 1."""
LOOKS = 64
"""At so many frames, at most, it is looked whether anything is still to be moved after the blend."""
MODES = {"rotation_quaternion": "QUATERNION", "rotation_axis_angle": "AXIS_ANGLE"}

Made = Curve | Keys
Run = tuple[float, float, float]
"""Of a strip that plays a clip: its first and last scene frame, and the clip's frame that it begins with."""


@record(frozen=True)
class Spans:
    """Scene frames at which layers begin and end.

    start: where the source begins; cut; over: where the blend is over; end: where the destination ends.
    later: by how many frames the destination plays later than it is keyed.
    """

    start: float
    cut: float
    over: float
    end: float
    later: float

    def of(self, layer: str) -> tuple[float, float]:
        """The first and the last frame of a layer."""
        if layer == BEFORE:
            return self.start, self.cut
        return (self.cut, self.over) if layer in (OFFSET, REST, DURING) else (self.over, self.end)

    def runs(self, slot: SlotPlan, side: int) -> list[Run]:
        """The strips of the source (0) or the destination (1): one for each repetition of a cycle.

        Where two touch the first one plays, as the frame at which repetitions meet is the former's.
        """
        clip = slot.clips[side]
        if clip is None or all(curve.fcurve is None for curve in clip.curves.values()):
            return []
        first, last, later = (self.start, self.cut, 0.0) if side == 0 else (self.cut, self.end, self.later)
        # what modifiers repeat is repeated in any strip
        if clip.cycle is None or clip.cycle.known_by == "MODIFIERS":
            return [(first, last, first - later)]
        found, entry = [], first - later
        while first < last - keylib.SAME_FRAME:
            (wrapped,), _ = clip.cycle.wrapped([entry + keylib.SAME_FRAME], clip.start)
            begin = float(wrapped) - keylib.SAME_FRAME
            left = clip.cycle.end - begin
            found.append((first, min(first + left, last), begin))
            first, entry = first + left, entry + left
        return found


def spans(slots: Sequence[SlotPlan], source: Clip, destination: Clip, cut: float, entry: float) -> Spans:
    """Where the layers of slots begin and end. entry: the destination's frame at the cut."""
    over = max(cut + 1.0, *(slot.last_frame for slot in slots))
    later = cut - entry
    return Spans(min(source.start, cut - 1.0), cut, over, max(destination.end + later, over + 1.0), later)


def layers(slot: SlotPlan, at: Spans, occupied: Set[Address], all_bones: bool) -> dict[str, SlotPlan]:
    """What has to play above the clips of a slot, by layer; OFFSET is always there.

    occupied: channels that are played below by others, which would show where the clips leave one out.
    all_bones: whether all bones take part, so that a channel which the result has not is none that shows.
    """
    made: dict[str, dict[Address, Made]] = {OFFSET: {}}
    for group in _groups(slot):
        for layer, curves in _Group(slot, at, occupied, all_bones, group).layers():
            made.setdefault(layer, {}).update(curves)
    return {
        layer: dataclasses.replace(slot, composed={}, copied=curves, guarded=[], baked=[])
        for layer, curves in made.items()
    }


def _groups(slot: SlotPlan) -> list[tuple[Address, ...]]:
    """The channels of a result and its destination, those of a rotation together."""
    clips = (clip.curves for clip in slot.clips if clip is not None)
    rotations: dict[str, tuple[Address, ...]] = {}
    single = []
    for path, index in {**slot.curves, **{at: None for curves in clips for at in curves}}:
        prop = rig.split_path(path)[1]
        if prop in ROTATIONS:
            count = 3 if prop == "rotation_euler" else 4
            rotations[path] = tuple((path, i) for i in range(count))
        else:
            single.append(((path, index),))
    return [*rotations.values(), *single]


@record(frozen=True)
class _Group:
    """Channels that are combined as one, on their way into layers."""

    slot: SlotPlan
    at: Spans
    occupied: Set[Address]
    all_bones: bool
    addresses: tuple[Address, ...]

    def layers(self) -> Iterator[tuple[str, dict[Address, Made]]]:
        """What goes into which layer."""
        wanted = {at: self.slot.curves[at] for at in self.addresses if at in self.slot.curves}
        if not wanted:
            if self.all_bones or not self._is_in(1):
                return
            wanted = {at: keylib.constant(self.at.cut, self._standing(at)) for at in self.addresses}
        missing = {at: made for at, made in wanted.items() if not self._is_in(0, at)}
        before = whole_frames(self.at.start, self.at.cut)[:-1]
        is_off = self._is_in(0) and self._repeats(0) and self._differs(before, 0)
        if is_off or self._shows(missing, before):
            # where a strip plays some numbers of a quaternion Blender shows the others at rest
            is_whole = is_off or self.prop == "rotation_quaternion"
            yield BEFORE, wanted if is_whole else missing
        lasting = {at: made for at, made in wanted.items() if not self._is_in(1, at)}
        window, rest = (whole_frames(*self.at.of(layer)) for layer in (OFFSET, PLACE))
        if len(lasting) == len(wanted):
            if self._shows(lasting, np.concatenate([window, rest])):
                yield DURING, lasting
                yield AFTER, lasting
            return
        goes_on = self._differs(rest[np.unique(np.linspace(0, len(rest) - 1, LOOKS).astype(int))])
        if goes_on and self._repeats(1):
            # an offset would jump where the cycle begins anew
            yield DURING, wanted
            yield AFTER, wanted
            return
        if self._differs(window):
            offset, added = self._combined(window)
            yield (OFFSET, offset) if offset else (DURING, wanted)
            if added:
                yield REST, added
        if goes_on:
            offset, added = self._combined(rest)
            yield (PLACE, offset) if offset and not added else (AFTER, wanted)

    def _repeats(self, side: int) -> bool:
        return len(self.at.runs(self.slot, side)) > 1

    @property
    def prop(self) -> str:
        """The last part of the channels' path."""
        return rig.split_path(self.addresses[0][0])[1]

    def _is_in(self, side: int, address: Address | None = None) -> bool:
        """Whether a clip, the source 0 or the destination 1, plays a channel, or any of them."""
        clip = self.slot.clips[side]
        asked = self.addresses if address is None else (address,)
        played = () if clip is None else (clip.curves[at] for at in asked if at in clip.curves)
        # what a cycle goes without being keyed no strip plays
        return any(curve.fcurve is not None for curve in played)

    def _shows(self, curves: Mapping[Address, Made], frames: Array) -> bool:
        """Whether curves have to be played where no clip plays these channels.

        Where no strip plays, Blender shows a property's default; or what others play there.
        """
        if not curves or not len(frames):
            return False
        if any(at in self.occupied for at in curves):
            return True
        owner = self.slot.owner
        is_transform = self.prop in ROTATIONS or self.prop in VECTORS
        shown = [
            transforms.default_of(self.prop, at[1]) if is_transform else base(owner, at) for at in curves
        ]
        return bool(np.any(np.abs(_values(curves.values(), frames) - np.array(shown)) > APART))

    def _differs(self, frames: Array, side: int = 1) -> bool:
        """Whether what is wanted is anything else than what a clip's strips show."""
        below, wanted = self._below(frames, side), self._wanted(frames)
        if self.prop not in ROTATIONS:
            return bool(np.any(np.abs(wanted - below) > APART * np.maximum(1.0, np.abs(wanted))))
        mode = self._mode()
        here, there = (transforms.to_quaternion(raw, mode) for raw in (wanted, below))
        turns = quaternion.log(quaternion.multiply(here, quaternion.conjugate(there)))
        return bool(np.any(np.linalg.norm(turns, axis=1) > TURNED))

    def _mode(self) -> str:
        """The rotation mode that reads the channels; an Euler one is the rig's, if it has such a one."""
        if self.prop in MODES:
            return MODES[self.prop]
        owner, bone = self.slot.owner, rig.split_path(self.addresses[0][0])[0]
        if bone is not None and bone not in getattr(getattr(owner, "pose", None), "bones", ()):
            return "XYZ"
        found = rig.rotation_mode(owner, bone)
        return "XYZ" if found in MODES.values() else found

    def _wanted(self, frames: Array) -> Array:
        """What the result shows (frames, channels)."""
        curves = self.slot.curves
        made = [curves.get(at) or keylib.constant(self.at.cut, self._standing(at)) for at in self.addresses]
        return _values(made, frames)

    def _below(self, frames: Array, side: int = 1) -> Array:
        """What the strips of the destination, or of the source (0), show (frames, channels)."""
        clip = self.slot.clips[side]
        assert clip is not None
        own = np.empty(len(frames))
        for first, last, entry in reversed(self.at.runs(self.slot, side)):
            played = frames <= last + keylib.SAME_FRAME
            own[played] = entry + frames[played] - first
        columns = []
        for at in self.addresses:
            curve = clip.curves.get(at)
            if curve is None or curve.fcurve is None:
                columns.append(np.full(len(frames), base(self.slot.owner, at)))
            elif isinstance(curve, Repeated):
                columns.append(np.array([curve.fcurve.evaluate(frame) for frame in clip.own(own)]))
            else:
                columns.append(_values([curve], own)[:, 0])
        return np.stack(columns, axis=1)

    def _standing(self, address: Address) -> float:
        """What a channel shows that the result does not key."""
        clip = self.slot.clips[1] or self.slot.clips[0]
        if clip is not None and (self.prop in ROTATIONS or self.prop in VECTORS):
            return clip.default_of(address, self.prop)
        return property_default(self.slot.owner, address)[0]

    def _combined(self, frames: Array) -> tuple[dict[Address, Made], dict[Address, Made]]:
        """The curves of an offset, none where that can't be combined, and of what is added to that."""
        below, wanted = self._below(frames), self._wanted(frames)
        if self.prop == "rotation_quaternion":
            offset, added = combining.turn(below, wanted)
            return self._keyed(frames, offset), self._keyed(frames, added) if added.any() else {}
        values: Array | None = None
        if self.prop in ("scale", "delta_scale"):
            values = combining.factor(below, wanted)
        elif self.prop in ROTATIONS or self.prop in VECTORS or self._is_smooth():
            defaults = np.array([base(self.slot.owner, at) for at in self.addresses])
            values = combining.summand(below, wanted, defaults)
        return ({} if values is None else self._keyed(frames, values)), {}

    def _keyed(self, frames: Array, values: Array) -> dict[Address, Made]:
        """Curves with a key on each frame, or one key where they stand still."""
        if np.all(np.ptp(values, axis=0) <= 1e-6 * np.maximum(1.0, np.abs(values[0]))):
            frames, values = frames[:1], values[:1]
        return dict(zip(self.addresses, keylib.sampled_together(frames, values), strict=True))

    def _is_smooth(self) -> bool:
        """Whether the channel is a number that Blender adds."""
        try:
            properties.find(self.slot.owner, self.addresses[0][0])
        except LookupError:
            return False
        return not property_default(self.slot.owner, self.addresses[0])[1]


def _values(made: Iterable[Made], frames: Array) -> Array:
    """Values (frames, curves)."""
    columns = []
    for one in made:
        if isinstance(one, Curve) and (one.obstacle or isinstance(one, Repeated)):
            columns.append(one.at(frames))
        else:
            columns.append(evaluation.evaluate(one.keys if isinstance(one, Curve) else one, frames))
    return np.stack(columns, axis=1)


def base(owner: Any, address: Address) -> float:
    """What Blender shows of a channel that strips play elsewhere, and counts from where it combines."""
    path, index = address
    prop = rig.split_path(path)[1]
    if prop == "rotation_axis_angle":
        return 0.0
    if prop in ROTATIONS or prop in VECTORS:
        return transforms.default_of(prop, index)
    try:
        holder, name, custom = properties.find(owner, path)
    except LookupError:
        return 0.0
    told = None if custom else holder.bl_rna.properties.get(name)
    if told is None or told.type not in ("FLOAT", "INT", "BOOLEAN"):
        return property_default(owner, address)[0]
    return float(told.default_array[index] if getattr(told, "is_array", False) else told.default)
