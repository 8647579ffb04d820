# SPDX-License-Identifier: GPL-3.0-or-later
"""A planned result as strips of the NLA: the two clips' own, and layers above them that join them.

Where the destination says something of a channel, an offset is combined with that. Where it does not, or
where nothing that is combined makes what is wanted, the result's own curves play in place of what is below.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any

import bpy
import numpy as np

from ...errors import InertiaError, Sentence
from ...motion import quaternion
from ...motion.arrays import Array
from ...motion.curves import combining, evaluation
from ...motion.curves import keys as keylib
from ...motion.curves.keys import Keys
from ...motion.curves.representation import whole_frames
from ...records import record
from ...settings.transition import TransitionSettings
from ..data import compat, properties, rig
from ..data.actions import ActionCurve, Address, Clip, Repeated
from ..data.channels import ROTATIONS, VECTORS, property_default
from ..data.rig import not_assignable
from ..nla import tracks
from ..nla.tracks import Strip, TrackPlan
from . import preflight, writing
from .slot_plan import SlotPlan

BEFORE, DURING, AFTER = "before", "during", "after"
"""What plays in place of the clips."""
OFFSET, PLACE, REST = "offset", "place", "rest"
"""What is combined with the destination while the blend lasts, and afterwards; and what is added to that."""
TRACKS = {"in place": (BEFORE, DURING, AFTER), "offset": (OFFSET, PLACE), "rest": (REST,)}
"""What the tracks above the clips are called behind the result's name, from below, with their layers."""
SAID = {
    PLACE: "The offset of {named} goes on to the destination's end, as it keeps the character in place.",
    BEFORE: "Up to the cut, a separate strip plays {named}, as the source does not.",
    DURING: "From the cut on, a separate strip plays {named}, as no offset on top of the destination can.",
}
"""What is said of the bones and properties in some layers."""
BLENDED = {OFFSET: "COMBINE", PLACE: "COMBINE", REST: "ADD"}
"""How layers are blended that do not replace what is below them."""
PARTS = (PLACE, REST, BEFORE, DURING, AFTER)
"""The layers with actions beside the result's own, which holds the offset."""
EDGE = 1.0 / 1024.0
"""So many frames before the cut the source's strip ends at least: where two touch Blender plays the first."""
TURNED = 2e-5
"""Rotations that are nearer, in radians, are the same."""
APART = 1e-5
"""And numbers that are nearer than this part of them, or of 1."""
LOOKS = 64
"""At so many frames, at most, it is looked whether anything is still to be moved after the blend."""
MODES = {"rotation_quaternion": "QUATERNION", "rotation_axis_angle": "AXIS_ANGLE"}

CurveOrKeys = ActionCurve | Keys
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

    def frames_of(self, layer: str) -> tuple[float, float]:
        """Return the first and the last frame of a layer: from the source's start to the cut for BEFORE, from
        the blend's end on for AFTER and PLACE, else the blend.
        """
        if layer == BEFORE:
            return self.start, self.cut
        return (self.over, self.end) if layer in (AFTER, PLACE) else (self.cut, self.over)

    def runs(self, slot: SlotPlan, side: int) -> list[Run]:
        """Return the strips of the source (0) or the destination (1): one for each repetition of a cycle.

        Where two touch the first one plays, as the frame at which repetitions meet is the former's.
        """
        clip = slot.clips[side]
        if clip is None or all(curve.fcurve is None for curve in clip.curves.values()):
            return []
        first, last, later = (self.start, self.cut, 0.0) if side == 0 else (self.cut, self.end, self.later)
        # what modifiers repeat is repeated in any strip
        if clip.cycle is None or clip.cycle.known_by == "MODIFIERS":
            return [(first, last, first - later)]
        runs, entry = [], first - later
        while first < last - keylib.SAME_FRAME:
            (wrapped,), _ = clip.cycle.wrapped([entry + keylib.SAME_FRAME], clip.start)
            begin = float(wrapped) - keylib.SAME_FRAME
            left = clip.cycle.end - begin
            runs.append((first, min(first + left, last), begin))
            first, entry = first + left, entry + left
        return runs


@record(frozen=True)
class Layered:
    """A result in layers.

    by_owner: of each thing that it plays on the slot's plan, and what plays above its clips by layer.
    """

    spans: Spans
    by_owner: tuple[tuple[SlotPlan, dict[str, SlotPlan]], ...]

    def slots_in(self, layer: str) -> list[SlotPlan]:
        """Return what all owners have in a layer."""
        return [plans[layer] for _, plans in self.by_owner if layer in plans]


def layered(
    slots: Sequence[SlotPlan], clips: tuple[Clip, Clip], settings: TransitionSettings, into: Any | None
) -> Layered:
    """Return the layers of a planned result. into: an earlier result, whose tracks are going to be replaced.

    Raise InertiaError where it can't play on the armature.
    """
    tracks.check(slots[0].owner)
    for clip in clips:
        if clip.renamed:
            raise InertiaError(
                'Strips play an action as it is, and "{action}" has other names for bones than the '
                'armature, such as "{other}" for "{bone}"; bake a new action instead, or rename its bones.',
                action=clip.action.name,
                other=next(iter(clip.renamed.values())),
                bone=next(iter(clip.renamed)),
            )
    playing = find_visible_slots(slots, settings)
    source, destination = clips
    cut, entry = settings.cut, settings.destination_frame
    assert entry is not None
    over = max(cut + 1.0, *(slot.last_frame for slot in playing))
    later = cut - entry
    end = max(destination.end + later, over + 1.0)
    spans = Spans(min(source.start, cut - 1.0), cut, over, end, later)
    below = ((slot, tracks.others_below(slot.owner, into)) for slot in playing)
    by_owner = tuple(
        (slot, layers(slot, spans, occupied, all_bones=not settings.bones)) for slot, occupied in below
    )
    return Layered(spans, by_owner)


def find_visible_slots(slots: Iterable[SlotPlan], settings: TransitionSettings) -> list[SlotPlan]:
    """Return the slots of a plan that can be seen, in order: the character's, and those of others who get the
    result too; not those without an owner, or whose owner can't be assigned an action.
    """
    return [
        slot
        for slot in slots
        if slot.owner is not None
        and (slot.is_own or settings.assign_others)
        and not not_assignable(slot.owner)
    ]


def write_parts(result: Any, planned: Layered) -> dict[str, Any]:
    """Write what a result needs beside its own action; return the actions by layer."""
    actions = {OFFSET: result}
    for layer in PARTS:
        if slots := planned.slots_in(layer):
            part = actions[layer] = bpy.data.actions.new(layer)
            part[tracks.PART_OF] = result
            writing.write_slots(part, slots)
    return actions


def name_parts(name: str, actions: dict[str, Any]) -> None:
    """Name the actions beside a result's own after it."""
    for layer in PARTS:
        if layer in actions:
            actions[layer].name = f"{name}: {layer}"


def play(
    settings: TransitionSettings, planned: Layered, actions: dict[str, Any], below: dict[Any, Any | None]
) -> None:
    """Make the tracks of all owners, the lowest with the clips' own strips, above it those of TRACKS that
    have any, all moved by settings.shift, and lock all curves of `actions`.

    actions: by layer; the offset's names the tracks. below: by owner, above which track they go. They are
    muted unless settings.assign is on; see :func:`tracks.put`.
    """
    name = actions[OFFSET].name
    for action in actions.values():
        # they are made anew, and not edited by hand
        for slot in compat.slots(action):
            for fcurve in compat.curves(action, slot.identifier):
                fcurve.lock = True
    for plan, plans in planned.by_owner:
        wanted = [TrackPlan(name, _clip_strips(plan, planned.spans))]
        for called, layers in TRACKS.items():
            strips = (
                _strip(actions[layer], plan, layer, planned.spans) for layer in layers if layer in plans
            )
            wanted.append(TrackPlan(f"{name}: {called}", tuple(strips)))
        moved = [track.later(settings.shift) for track in wanted if track.strips]
        tracks.put(plan.owner, actions[OFFSET], moved, below.get(plan.owner), mute=not settings.assign)


def _clip_strips(slot: SlotPlan, spans: Spans) -> tuple[Strip, ...]:
    """Return the strips that play the two clips themselves: the source's, which end just before the cut, then
    the destination's.
    """
    strips: list[Strip] = []
    for side, (clip, holds) in enumerate(zip(slot.clips, ("HOLD", "HOLD_FORWARD"), strict=True)):
        for first, last, entry in spans.runs(slot, side):
            assert clip is not None
            last = _before(last) if last == spans.cut else last
            strips.append(
                Strip(
                    clip.action,
                    clip.slot.identifier,
                    first,
                    last,
                    float(clip.keyed_frames(entry)),
                    holds,
                    scale=clip.scale,
                )
            )
    return tuple(strips)


def _strip(action: Any, slot: SlotPlan, layer: str, spans: Spans) -> Strip:
    first, last = spans.frames_of(layer)
    if layer == BEFORE:
        last = _before(last)
    holds = "HOLD_FORWARD" if layer in (AFTER, PLACE) else "NOTHING"
    return Strip(action, slot.slot.identifier, first, last, first, holds, BLENDED.get(layer, "REPLACE"))


def _before(cut: float) -> float:
    """Return the end of a strip that plays up to the cut, but not there."""
    return cut - max(EDGE, 4.0 * float(np.spacing(np.float32(abs(cut) + 1.0))))


def notes(planned: Layered) -> tuple[str, ...]:
    """Return what strips can't show by an offset that is over with the blend, a sentence each."""
    named = {layer: _named(planned, layer) for layer in SAID}
    return tuple(Sentence(SAID[layer], named=names) for layer, names in named.items() if names)


def _named(planned: Layered, layer: str) -> str:
    """Return the bones, objects and properties in a layer, as far as there is room."""
    names: dict[str, None] = {}
    for slot in planned.slots_in(layer):
        for path, _ in slot.curves:
            bone, prop = rig.split_path(path)
            is_placed = prop in VECTORS or prop in ROTATIONS
            names[bone or (str(getattr(slot.owner, "name", prop)) if is_placed else prop)] = None
    return preflight.named(list(names)) if names else ""


def layers(slot: SlotPlan, spans: Spans, occupied: Set[Address], *, all_bones: bool) -> dict[str, SlotPlan]:
    """Return what has to play above the clips of a slot, by layer; OFFSET is always there.

    occupied: channels that are played below by others, which would show where the clips leave one out.
    all_bones: whether all bones take part, so that a channel which the result lacks shows nothing.
    """
    planned: dict[str, dict[Address, CurveOrKeys]] = {OFFSET: {}}
    for addresses in _groups(slot):
        for layer, curves in _Group(slot, spans, occupied, all_bones, addresses).layers():
            planned.setdefault(layer, {}).update(curves)
    return {
        layer: dataclasses.replace(slot, composed={}, copied=curves, fadings=[], baked=[])
        for layer, curves in planned.items()
    }


def _groups(slot: SlotPlan) -> list[tuple[Address, ...]]:
    """Return the channels of a result and its two clips as groups of addresses: first each rotation's, with
    all of its three or four numbers, keyed or not; then each other channel alone.
    """
    clips = (clip.curves for clip in slot.clips if clip is not None)
    rotations: dict[str, tuple[Address, ...]] = {}
    single = []
    for path, index in dict.fromkeys([*slot.curves, *itertools.chain.from_iterable(clips)]):
        prop = _transform_of(path)
        if prop in ROTATIONS:
            count = 3 if prop == "rotation_euler" else 4
            rotations[path] = tuple((path, i) for i in range(count))
        else:
            single.append(((path, index),))
    return [*rotations.values(), *single]


def _transform_of(path: str) -> str:
    """Return the last part of a path, that of a delta location or rotation as of the object's own."""
    bone, prop = rig.split_path(path)
    return prop.removeprefix("delta_") if bone is None and prop in rig.DELTAS else prop


@record(frozen=True)
class _Group:
    """Channels that are combined as one, on their way into layers."""

    slot: SlotPlan
    spans: Spans
    occupied: Set[Address]
    all_bones: bool
    addresses: tuple[Address, ...]

    def layers(self) -> Iterator[tuple[str, dict[Address, CurveOrKeys]]]:
        """Yield the curves that go into each layer."""
        curves = self.slot.curves
        wanted = {address: curves[address] for address in self.addresses if address in curves}
        if not wanted:
            if self.all_bones or not self._is_in(1, self.addresses):
                return
            wanted = {address: self._key_standing_value(address) for address in self.addresses}
        missing = {address: curve for address, curve in wanted.items() if not self._is_in(0, [address])}
        before = whole_frames(self.spans.start, self.spans.cut)[:-1]
        is_off = self._is_in(0, self.addresses) and self._repeats(0) and self._differs(before, 0)
        if is_off or self._shows(missing, before):
            # where a strip plays some numbers of a quaternion Blender shows the others at rest
            is_whole = is_off or self.prop == "rotation_quaternion"
            yield BEFORE, wanted if is_whole else missing
        window, rest = (whole_frames(*self.spans.frames_of(layer)) for layer in (OFFSET, PLACE))
        if not self._is_in(1, wanted):
            if self._shows(wanted, np.concatenate([window, rest])):
                yield DURING, wanted
                yield AFTER, wanted
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
        return len(self.spans.runs(self.slot, side)) > 1

    @property
    def prop(self) -> str:
        """The last part of the channels' path, of a delta without saying so."""
        return _transform_of(self.addresses[0][0])

    @property
    def is_transform(self) -> bool:
        """Whether the channels are of a location, a rotation or a scale."""
        return self.prop in ROTATIONS or self.prop in VECTORS

    def _is_in(self, side: int, addresses: Iterable[Address]) -> bool:
        """Tell whether a clip, the source 0 or the destination 1, plays any of some channels."""
        clip = self.slot.clips[side]
        curves = () if clip is None else (clip.curves.get(address) for address in addresses)
        # what a cycle goes without being keyed no strip plays
        return any(curve is not None and curve.fcurve is not None for curve in curves)

    def _shows(self, curves: Mapping[Address, CurveOrKeys], frames: Array) -> bool:
        """Tell whether curves have to be played where no clip plays these channels.

        Where no strip plays, Blender shows a property's default; or what others play there.
        """
        if not curves or not len(frames):
            return False
        if not self.occupied.isdisjoint(curves):
            return True
        shown = [
            quaternion.default_of(self.prop, address[1])
            if self.is_transform
            else base(self.slot.owner, address)
            for address in curves
        ]
        return bool(np.any(np.abs(_values(curves.values(), frames) - np.array(shown)) > APART))

    def _differs(self, frames: Array, side: int = 1) -> bool:
        """Tell whether what is wanted differs from what a clip's strips show."""
        below, wanted = self._below(frames, side), self._wanted(frames)
        if self.prop not in ROTATIONS:
            return bool(np.any(np.abs(wanted - below) > APART * np.maximum(1.0, np.abs(wanted))))
        mode = self._mode()
        turned, present = (quaternion.to_quaternion(raw, mode) for raw in (wanted, below))
        turns = quaternion.log(quaternion.multiply(turned, quaternion.conjugate(present)))
        return bool(np.any(np.linalg.norm(turns, axis=1) > TURNED))

    def _mode(self) -> str:
        """Return the rotation mode that reads the channels; of Euler angles the rig's, if it has an Euler
        one, else "XYZ".
        """
        if self.prop in MODES:
            return MODES[self.prop]
        owner, bone = self.slot.owner, rig.split_path(self.addresses[0][0])[0]
        if bone is not None and bone not in getattr(getattr(owner, "pose", None), "bones", ()):
            return "XYZ"
        mode = rig.rotation_mode(owner, bone)
        return "XYZ" if mode in MODES.values() else mode

    def _wanted(self, frames: Array) -> Array:
        """Return what the result shows (frames, channels)."""
        curves = self.slot.curves
        return _values(
            [curves.get(address) or self._key_standing_value(address) for address in self.addresses], frames
        )

    def _below(self, frames: Array, side: int = 1) -> Array:
        """Return what the strips of the destination, or of the source (0), show (frames, channels)."""
        clip = self.slot.clips[side]
        assert clip is not None
        times = np.empty(len(frames))
        for first, last, entry in reversed(self.spans.runs(self.slot, side)):
            played = frames <= last + keylib.SAME_FRAME
            times[played] = entry + frames[played] - first
        columns = []
        for address in self.addresses:
            curve = clip.curves.get(address)
            if curve is None or curve.fcurve is None:
                columns.append(np.full(len(frames), base(self.slot.owner, address)))
            elif isinstance(curve, Repeated):
                columns.append(np.array([curve.fcurve.evaluate(frame) for frame in clip.keyed_frames(times)]))
            else:
                columns.append(_values([curve], times)[:, 0])
        return np.stack(columns, axis=1)

    def _key_standing_value(self, address: Address) -> Keys:
        """Return the value of a channel that the result does not key, as keys."""
        clip = self.slot.clips[1] or self.slot.clips[0]
        if clip is not None and self.is_transform:
            value = clip.default_of(address, self.prop)
        else:
            value = property_default(self.slot.owner, address)[0]
        return keylib.constant(self.spans.cut, value)

    def _combined(self, frames: Array) -> tuple[dict[Address, CurveOrKeys], dict[Address, CurveOrKeys]]:
        """Return the curves of an offset, none where that can't be combined, and of what is added to that."""
        below, wanted = self._below(frames), self._wanted(frames)
        if self.prop == "rotation_quaternion":
            offset, added = combining.turn(below, wanted)
            return self._keyed(frames, offset), self._keyed(frames, added) if added.any() else {}
        values: Array | None = None
        if self.prop in ("scale", "delta_scale"):
            values = combining.factor(below, wanted)
        elif self.is_transform or self._is_smooth():
            defaults = np.array([base(self.slot.owner, address) for address in self.addresses])
            values = combining.summand(below, wanted, defaults)
        return ({} if values is None else self._keyed(frames, values)), {}

    def _keyed(self, frames: Array, values: Array) -> dict[Address, CurveOrKeys]:
        """Return the curves, by address, with a key on each frame, or one key where they all stand still.
        values: (frames, channels).
        """
        if np.all(np.ptp(values, axis=0) <= 1e-6 * np.maximum(1.0, np.abs(values[0]))):
            frames, values = frames[:1], values[:1]
        kind = keylib.CONSTANT if self._is_held(frames) else keylib.BEZIER
        return dict(zip(self.addresses, keylib.sampled_together(frames, values, kind), strict=True))

    def _is_held(self, frames: Array) -> bool:
        """Tell whether the result holds these channels from each of some frames to the next."""
        curves = [self.slot.curves[at] for at in self.addresses if at in self.slot.curves]
        keyed = [curve.keys if isinstance(curve, ActionCurve) else curve for curve in curves]
        moving = [keys for keys in keyed if not keylib.is_flat(keys)]
        inner = [(keys.co[:, 0] >= frames[0]) & (keys.co[:, 0] < frames[-1]) for keys in moving]
        return bool(moving) and all(
            np.all(keys.interpolation[within] == keylib.CONSTANT)
            for keys, within in zip(moving, inner, strict=True)
        )

    def _is_smooth(self) -> bool:
        """Tell whether the channel is a number that Blender adds."""
        try:
            properties.find(self.slot.owner, self.addresses[0][0])
        except LookupError:
            return False
        return not property_default(self.slot.owner, self.addresses[0])[1]


def _values(curves: Iterable[CurveOrKeys], frames: Array) -> Array:
    """Return the values (frames, curves) that curves show at frames."""
    columns = []
    for curve in curves:
        if isinstance(curve, ActionCurve) and (curve.obstacle or isinstance(curve, Repeated)):
            columns.append(curve.at(frames))
        else:
            keys = curve.keys if isinstance(curve, ActionCurve) else curve
            columns.append(evaluation.evaluate(keys, frames))
    return np.stack(columns, axis=1)


def base(owner: Any, address: Address) -> float:
    """Return the value that Blender shows of a channel that strips play elsewhere, and from which it
    combines.
    """
    path, index = address
    prop = rig.split_path(path)[1]
    if prop == "rotation_axis_angle":
        return 0.0
    if prop in ROTATIONS or prop in VECTORS:
        return quaternion.default_of(prop, index)
    try:
        holder, name, custom = properties.find(owner, path)
    except LookupError:
        return 0.0
    rna = None if custom else holder.bl_rna.properties.get(name)
    if rna is None or rna.type not in ("FLOAT", "INT", "BOOLEAN"):
        return property_default(owner, address)[0]
    return float(rna.default_array[index] if getattr(rna, "is_array", False) else rna.default)
