# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions in and out: F-curves as arrays of keys, read and written in bulk."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import bpy
import numpy as np

from ...errors import InertiaError, Sentence
from ...motion import quaternion
from ...motion.arrays import Array, ArrayLike, Floats
from ...motion.curves import evaluation as curvelib
from ...motion.curves import keys as keylib
from ...motion.curves.blocks import MOST_KEYS
from ...motion.curves.keys import BEZIER, SAME_FRAME, Keys
from ...motion.cycles.cycle import ON_FRAME, Clock, Cycle, preceded
from ...motion.pops.teleports import Teleport
from ...motion.steps import Steps, finish, part
from ...records import record
from . import compat, rig

_POINTS = ("co", "handle_left", "handle_right")
_CODES = ("interpolation", "handle_left_type", "handle_right_type", "easing", "type")
_SHAPES = ("amplitude", "back", "period")
"""What Blender calls the columns of :class:`Keys`."""

Address = tuple[str, int]
"""A channel: its data path and array index."""

FEW = 4
"""To ask Blender for the value of a curve takes about as long as to read so many of its keys."""

AT_ONCE, LONG = 32, 1000
"""So many curves are read before it is said how much is done, but each with more keys than that by itself."""


@record
class ActionCurve:
    """An F-curve that acts: its keys, and the F-curve itself for evaluation.

    obstacle: why its keys alone don't say its shape, "" when they do. group: its channel group's name, or "".
    told: what :mod:`shaped` has found of it. One that tells other values than its F-curve does so by both,
    :meth:`value` and :meth:`at`: neither asks the other here, as they are asked of thousands of curves.
    """

    fcurve: Any
    keys: Keys
    obstacle: str
    group: str
    told: dict[tuple[float, float], Any] = dataclasses.field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def value(self, frame: float) -> float:
        """Return Blender's own value of the curve, modifiers and extrapolation included."""
        return float(self.fcurve.evaluate(frame))

    def at(self, frames: Array) -> Array:
        """Return the values (n,) at frames (n,), as :meth:`value` does for one."""
        return np.fromiter(map(self.fcurve.evaluate, frames.tolist()), float, len(frames))

    @property
    def whole(self) -> Keys:
        """All keys that say its values."""
        return self.keys

    def asks_blender(self, count: int) -> bool:
        """Tell whether values at `count` frames come from :meth:`at`, rather than from its keys."""
        return bool(self.obstacle)


class Unread(ActionCurve):
    """A curve that reads its keys when they are first asked for; raises InertiaError then for wrong ones."""

    def __init__(self, fcurve: Any, obstacle: str, group: str) -> None:
        self.fcurve, self.obstacle, self.group, self.told = fcurve, obstacle, group, {}

    @functools.cached_property
    def keys(self) -> Keys:  # type: ignore[override]
        """Its keys."""
        return _checked(self.fcurve, read_keys(self.fcurve))

    def asks_blender(self, count: int) -> bool:
        """Tell whether to ask Blender, as for any curve; for a few values, too, to spare reading all keys."""
        if "keys" in vars(self):
            return super().asks_blender(count)
        return bool(self.obstacle) or FEW * count < len(self.fcurve.keyframe_points)


@record
class Repeated(ActionCurve):
    """A curve of a cycle with some of its repetitions, as keys.

    before: the keys of a repetition before the first, None where the clip does not begin with its cycle.
    shown: the cycle with the clip's first frame where the F-curve shows all repetitions, as none is moved.
    """

    before: Keys | None = None
    shown: tuple[Cycle, float] | None = None

    def value(self, frame: float) -> float:
        """Return the value at any frame, as the cycle shows it."""
        return float(self.at(np.array([frame]))[0])

    def asks_blender(self, count: int) -> bool:
        """Return False: what repeats is known by value."""
        return False

    def at(self, frames: Array) -> Array:
        """Return the values (n,) of the curve, float64, at frames (n,) of the clip, in any order, repetitions
        included.

        Where ``shown`` is set they are what Blender's own F-curve evaluates to at the frames wrapped into the
        cycle. Else they are those of the ``whole`` keys, with the keys of a repetition before the first;
        beyond these keys the curve holds or goes on along its end slope, as its extrapolation says, and
        repeats no more.
        """
        if self.shown is None:
            return curvelib.evaluate(self.whole, frames)
        evaluate = self.fcurve.evaluate
        return np.array([evaluate(frame) for frame in _wrapped(*self.shown, tuple(frames))], float)

    @functools.cached_property
    def whole(self) -> Keys:
        """All keys, those of repetitions included."""
        return self.keys if self.before is None else preceded(self.before, self.keys)


@functools.lru_cache(maxsize=64)
def _wrapped(cycle: Cycle, first: float, frames: tuple[float, ...]) -> list[float]:
    """Return the frames within a cycle, see :meth:`Cycle.wrapped`; all its curves are asked for the same
    ones.
    """
    return cycle.wrapped(frames, first)[0].tolist()


@record(frozen=True)
class Marker:
    """A pose marker at a frame of a clip."""

    name: str
    frame: float


@record(frozen=True)
class ClipScale:
    """Clips that take ``scale`` times as long as they are keyed, about a frame that stays."""

    origin: float
    scale: float

    def times(self, frames: ArrayLike) -> Array:
        """Return the clip's frames (n,) for frames of the action."""
        return np.asarray(self.origin + (np.asarray(frames, float) - self.origin) * self.scale)

    def keyed_frames(self, times: ArrayLike) -> Array:
        """Return the action's frames (n,) for frames of the clip."""
        return np.asarray(self.origin + (np.asarray(times, float) - self.origin) / self.scale)


@record(eq=False)
class Clip:
    """One slot of an action, read; equal is only the same.

    curves: by address. start, end: first and last key frame over all its curves.
    muted: addresses of curves that are switched off, which Blender ignores, and so does Inertia.
    unkeyed: what transform channels of bones show that it does not key, where that is not their rest pose;
    None until it was asked for, see :func:`unkeyed.completed`. cycle: what of it repeats, for ever; curves
    have a repetition more only where they are :class:`Repeated`, and ``end`` lies behind the last one. clock:
    when the action's own frames, of which the cycle speaks, are shown; all other frames are its times.
    stretch: of one that is scaled in time, which ``keyed`` is as its action has it; all else here, its cycle
    too, speaks of its frames as it is played. others: the clips of the action's other slots, of one that is
    held by value and whose action has no keys; None to read them. teleports: where the whole character jumps,
    in the clip's own time, which is no motion; None until it was asked for, see
    :func:`joint_motion.with_teleports`. holders: the slots of the objects that carry the armature, by what
    the paths of their channels begin with in ``curves``; None for one that has no slot, and stands.
    renamed: what its action calls bones that the armature has by another name, by that name: ``curves`` and
    all else speak of the armature's. markers: those of its action, in the clip's own time but for a clock's,
    see :mod:`markers`. partners: the names of the actions from which the channels of holders come that have
    actions of their own, by what the paths of these begin with.
    """

    action: Any
    slot: compat.Slot
    curves: dict[Address, ActionCurve]
    start: float
    end: float
    muted: tuple[Address, ...]
    unkeyed: Mapping[Address, float] | None = None
    cycle: Cycle | None = None
    clock: Clock | None = None
    stretch: ClipScale | None = None
    keyed: Clip | None = None
    others: tuple[Clip, ...] | None = None
    teleports: tuple[Teleport, ...] | None = None
    holders: Mapping[str, compat.Slot | None] = dataclasses.field(default_factory=dict)
    renamed: Mapping[str, str] = dataclasses.field(default_factory=dict)
    markers: tuple[Marker, ...] = ()
    partners: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @property
    def scale(self) -> float:
        """How many times as long it takes as it is keyed."""
        return 1.0 if self.stretch is None else self.stretch.scale

    def keyed_frames(self, frames: ArrayLike) -> Array:
        """Return the frames of its action (n,) that the clip shows at frames of its own."""
        return np.asarray(frames, float) if self.stretch is None else self.stretch.keyed_frames(frames)

    def address_in_action(self, address: Address) -> Address:
        """Return the address of a channel as the clip's action has it.

        It differs from the given one only where the action calls the bone by another name (see ``renamed``);
        any other address is returned as it is.
        """
        bone, _ = rig.split_path(address[0]) if self.renamed else (None, "")
        if bone is None or bone not in self.renamed:
            return address
        return rig.of_bone(address[0], self.renamed[bone]), address[1]

    def default_of(self, address: Address, prop: str) -> float:
        """Return the value of an un-keyed transform channel of a bone. prop: the last part of its path."""
        return (self.unkeyed or {}).get(address, quaternion.default_of(prop, address[1]))

    @property
    def span(self) -> tuple[float, float]:
        """Return the first and the last frame of the clip as its action's frames.

        They are ``start`` and ``end``, converted by the clock if the clip has one. A clip that is scaled in
        time is not converted back: see :meth:`keyed_frames`.
        """
        if self.clock is None:
            return self.start, self.end
        first, last = self.clock.frames_at([self.start, self.end]).tolist()
        return first, last

    def around(self, frame: float, *, extrapolate: bool) -> tuple[float, float]:
        """Return the two frames (earlier, later) between which the velocity at ``frame`` is measured: its
        neighbours, ``frame - 1`` and ``frame + 1``, or ``frame`` itself in place of one.

        ``frame`` stands for the neighbour outside of ``start`` to ``end``, unless `extrapolate` is set, the
        clip has no length, its cycle goes on there, or both neighbours lie outside. A neighbour beyond a
        teleport is replaced by the nearest frame on this side of it, which is ``frame`` beside the teleport,
        so that both may be ``frame``. A frame within a teleport gets the pair of the nearer end of it.
        """
        low, high = self.section(frame)
        if not low - ON_FRAME <= frame <= high + ON_FRAME:
            return self.around(low if frame < low else high, extrapolate=extrapolate)
        before, after = self._around(frame, extrapolate=extrapolate)
        if low <= before and after <= high:
            return before, after
        return max(before, min(low, frame)), min(after, max(high, frame))

    def section(self, frame: float) -> tuple[float, float]:
        """Return the first and the last frame of the stretch without a teleport in which ``frame`` lies.

        These are the first frame after the teleport before it, and the last frame before the next one; -inf
        or inf where there is no teleport on that side, or teleports were never looked for. A frame within a
        teleport belongs to the nearer side, and in its middle to the later one. In a cycle (without a clock)
        only the teleports of the repetition that shows ``frame`` count.
        """
        low, high, turned = -np.inf, np.inf, 0.0
        if self.teleports and self.cycle is not None and self.clock is None:
            turned = frame - float(self.cycle.wrapped([frame], self.start)[0][0])
        for teleport in self.teleports or ():
            last, first = teleport.last + turned, teleport.first + turned
            is_behind = frame >= first - ON_FRAME or (
                frame > last + ON_FRAME and frame - last >= first - frame
            )
            low, high = (max(low, first), high) if is_behind else (low, min(high, last))
        return low, high

    def step_at(self, frame: float, *, ahead: bool) -> tuple[float, float]:
        """Return (frame - 1, frame), or with ``ahead`` (frame, frame + 1); the other of the two where the
        first would leave the part between teleports in which ``frame`` lies.
        """
        low, high = self.section(frame)
        ahead = frame + 1.0 <= high + ON_FRAME if ahead else frame - 1.0 < low - ON_FRAME
        return (frame, frame + 1.0) if ahead else (frame - 1.0, frame)

    def beside_cut(self, frame: float, side: int) -> tuple[float, float]:
        """Return the first and the last frame that say what the clip does where it is cut, or entered.

        side: 0 for the source of a transition, which is left at ``frame``, and of which nothing beyond a
        teleport counts; 1 for the destination, which plays on over those that come.
        """
        low, high = self.section(frame)
        return low, np.inf if side else high

    def jumps(self, later: float = 0.0) -> tuple[tuple[float, float], ...]:
        """Return the last frame before each teleport and the first one behind it, of a clip that plays so
        many frames later."""
        return tuple((each.last + later, each.first + later) for each in self.teleports or ())

    def longest_part(self) -> Clip:
        """Return the clip with ``start`` and ``end`` set to its longest stretch without a teleport.

        The earliest of equally long ones is taken. Curves and teleports stay whole. A clip without teleports,
        or in which they were never looked for, is returned as it is.
        """
        if not self.teleports:
            return self
        lows = [self.start, *(each.first for each in self.teleports)]
        highs = [*(each.last for each in self.teleports), self.end]
        low, high = max(zip(lows, highs, strict=True), key=lambda ends: ends[1] - ends[0])
        return dataclasses.replace(self, start=low, end=high)

    def _around(self, frame: float, *, extrapolate: bool) -> tuple[float, float]:
        """Return the frames before and behind ``frame``, teleports ignored: ``frame - 1`` and ``frame + 1``,
        or ``frame`` itself in place of one.

        ``frame`` stands for a neighbour outside of ``start`` to ``end`` (within 1e-4). Both neighbours are
        returned all the same if `extrapolate` is set, if the clip has no length, if neither of them lies
        within the clip, or if the clip has a cycle, unless ``frame - 1`` lies before ``start`` and the clip
        begins before its cycle does.
        """
        before, after = frame - 1.0, frame + 1.0
        if extrapolate or self.end <= self.start:
            return before, after
        if self.cycle is not None and (before >= self.start or self.span[0] > self.cycle.start - SAME_FRAME):
            return before, after
        first = before if before >= self.start - 1e-4 else frame
        last = after if after <= self.end + 1e-4 else frame
        return (first, last) if first < last else (before, after)


def with_curves(clip: Clip, curves: Mapping[Address, ActionCurve | Keys]) -> Clip:
    """Return a clip with curves, which are in no action yet, added or in place of those that it has there; it
    counts as never looked at for teleports."""
    return dataclasses.replace(clip, curves={**clip.curves, **as_curves(curves)}, teleports=None)


def as_curves(curves: Mapping[Address, ActionCurve | Keys]) -> dict[Address, ActionCurve]:
    """Return curves as those of a clip, the very same ones where they are; of keys alone by these, without an
    F-curve."""
    return {
        at: curve if isinstance(curve, ActionCurve) else Repeated(None, curve, "", "")
        for at, curve in curves.items()
    }


def find(name: str, library: str = "") -> Any:
    """Return the action of a name.

    library: the path of the library file that the action is linked from, as Blender stores it. "" takes the
    action of the open file; if that has none of the name, the linked one, provided that exactly one linked
    action bears the name. Raise InertiaError for an empty name, or if no action is found by these rules; the
    latter error lists the names of all actions in the file.
    """
    if not name:
        raise InertiaError("No action is chosen; pick a source and a destination.")
    action = bpy.data.actions.get((name, library or None))
    if action is None and not library:
        # a name without a library also finds a linked action, when only one bears it
        linked = [a for a in bpy.data.actions if a.name == name]
        action = linked[0] if len(linked) == 1 else None
    if action is None:
        names = ", ".join(sorted(a.name for a in bpy.data.actions)) or "none"
        raise InertiaError('There is no action "{name}"; the file has: {known}.', name=name, known=names)
    return action


def remove_all(temporary: Iterable[Any]) -> None:
    """Remove actions that are made on the way, but those that somebody else has removed."""
    for action in temporary:
        with contextlib.suppress(ReferenceError):
            compat.remove_action(action)


def choose_slot(action: Any, data: Any, identifier: str = "") -> compat.Slot:
    """Return the slot of an action that animates a data-block, chosen as Blender would; nothing is changed.

    data: an object or another data-block; a slot fits if it is for data of this type, or not used yet.
    identifier: the full identifier or the shown name of the slot to return (the first that fits). With "" it
    is the slot by which the action animates the data-block now; if none, the one whose identifier is "OB" and
    the data-block's name; if none, the first that fits. Raise InertiaError if no slot fits, or none that fits
    is called `identifier`.
    """
    fitting = [slot for slot in compat.slots(action) if slot.id_type in (data.id_type, "UNSPECIFIED")]
    if identifier:
        for slot in compat.slots(action):
            if identifier in (slot.identifier, slot.name) and slot in fitting:
                return slot
        names = ", ".join(slot.identifier for slot in fitting) or "none that fit"
        raise InertiaError(
            'Action "{action}" has no slot "{identifier}" for objects; it has {names}.',
            action=action.name,
            identifier=identifier,
            names=names,
        )
    if not fitting:
        raise InertiaError(
            'Action "{action}" animates no object; choose an action that was keyed on an armature.',
            action=action.name,
        )
    assigned, in_use = compat.assigned(data)
    by_name = {slot.identifier: slot for slot in reversed(fitting)}
    named = by_name.get("OB" + data.name, fitting[0])
    return by_name.get(in_use, named) if assigned == action else named


def read(action: Any, slot: compat.Slot) -> Clip:
    """Read a slot's curves. Raise InertiaError for keys that are no numbers, naming the first."""
    return finish(read_clip_steps(action, slot))


def read_clip_steps(action: Any, slot: compat.Slot) -> Steps[Clip]:
    """Read a clip as :func:`read` does, in steps of few curves: millions of keys take seconds."""
    fcurves, muted = _fcurves(action, slot)
    keys = yield from _read_keys_steps(fcurves)
    return _clip(action, slot, map(_curve, fcurves, keys), muted)


def read_lazily_steps(action: Any, slot: compat.Slot) -> Steps[Clip]:
    """Read a clip with :class:`Unread` curves, where few are asked for before anything changes."""
    fcurves, muted = _fcurves(action, slot)
    yield 0.0
    return _clip(action, slot, (_curve(fcurve, None) for fcurve in fcurves), muted)


def _fcurves(action: Any, slot: compat.Slot) -> tuple[list[Any], tuple[Address, ...]]:
    """Return (the F-curves of a slot that are not muted, the addresses (data path, index) of those that are),
    both in Blender's order.

    ([], ()) for a slot that the action lacks. Before Blender 4.4 the slot is the whole action, and curves in
    a muted group count as muted; from 4.4 on only a curve's own switch counts.
    """
    acting: list[Any] = []
    muted: list[Any] = []
    for fcurve in compat.curves(action, slot.identifier):
        (muted if compat.is_muted(fcurve) else acting).append(fcurve)
    return acting, tuple((fcurve.data_path, fcurve.array_index) for fcurve in muted)


def _clip(
    action: Any, slot: compat.Slot, read: Iterable[ActionCurve | None], muted: tuple[Address, ...]
) -> Clip:
    curves = {(c.fcurve.data_path, c.fcurve.array_index): c for c in read if c is not None}
    ends = np.array([curve.fcurve.range() for curve in curves.values()] or [(0.0, 0.0)])
    start, end = float(ends[:, 0].min()), float(ends[:, 1].max())
    markers = tuple(Marker(marker.name, float(marker.frame)) for marker in action.pose_markers)
    return Clip(action, slot, curves, start, end, muted, markers=markers)


def find_acting_curves(action: Any, slot: str) -> dict[Address, Any]:
    """Return the F-curves of a slot that are not muted, by address; {} for a slot that the action lacks."""
    curves = compat.curves(action, slot)
    return {(curve.data_path, curve.array_index): curve for curve in curves if not compat.is_muted(curve)}


def span(action: Any, slot: compat.Slot) -> tuple[float, float] | None:
    """Return the first and the last frame (first, last) over all un-muted curves of a slot, without reading
    keys.

    Curves without keys count if they have samples or an active modifier, with the ends that Blender's range()
    gives them. Return None if no curve counts, or if an end is not a finite number.
    """
    curves = find_acting_curves(action, slot.identifier).values()
    ends = [c.range() for c in curves if len(c.keyframe_points) or len(c.sampled_points) or _obstacle(c)]
    if not ends or not np.isfinite(ends).all():
        return None
    return float(min(first for first, _ in ends)), float(max(last for _, last in ends))


def key_count(action: Any) -> int:
    """Return how many keys an action has in all."""
    curves = (c for slot in compat.slots(action) for c in compat.curves(action, slot.identifier))
    return sum(len(curve.keyframe_points) for curve in curves)


def detached(clip: Clip) -> Clip:
    """Return what was read of a clip, without a reference into the file, to be kept for
    :func:`reattached`.
    """
    curves = {at: dataclasses.replace(curve, fcurve=None) for at, curve in clip.curves.items()}
    return dataclasses.replace(clip, action=None, curves=curves)


def reattached(clip: Clip, action: Any, slot: compat.Slot) -> Clip:
    """Return a clip whose curves refer to the F-curves of an action again; its keys are not read anew.

    clip: from :func:`detached`. action, slot: the same, unchanged ones in the file that was opened anew; the
    curves of objects that carry the armature are found in the slots that the clip names. A curve that they
    lack, or have muted, is known by its keys alone: its ``fcurve`` becomes None, as that of a curve which
    another action moves.
    """
    opened = find_acting_curves(action, slot.identifier)
    for prefix, held in clip.holders.items():
        if held is not None:
            curves_held = find_acting_curves(action, held.identifier).items()
            opened |= {(prefix + path, index): curve for (path, index), curve in curves_held}
    curves = {
        # what another action moves is known by value alone
        at: dataclasses.replace(curve, fcurve=opened.get(clip.address_in_action(at)))
        for at, curve in clip.curves.items()
    }
    return dataclasses.replace(clip, action=action, slot=slot, curves=curves)


def _curve(fcurve: Any, keys: Keys | None) -> ActionCurve | None:
    """Return one F-curve as read, or None if it has no keys, no samples and no active modifier.

    keys: its keys, if they are read already. None returns an :class:`Unread` curve that reads them when
    asked; if its ends are no finite numbers, they are read at once. An active modifier is the curve's
    obstacle, beside keys too, see :func:`_obstacle`, so that only its evaluation counts. A curve of samples,
    or of a modifier alone, gets keys at the two ends of the F-curve's range(), only one if they are the same,
    with the values that it evaluates to there; keys that are passed are not used. Without a modifier its
    obstacle is "sampled". Raise InertiaError for keys that are not finite.
    """
    obstacle, group = _obstacle(fcurve), "" if fcurve.group is None else fcurve.group.name
    if not len(fcurve.keyframe_points):
        if not obstacle and len(fcurve.sampled_points) == 0:
            return None
        # a curve of samples, or of a generator alone: only its evaluation says anything
        frames = sorted({float(frame) for frame in fcurve.range()})
        keys = keylib.sampled(frames, [fcurve.evaluate(frame) for frame in frames])
        obstacle = obstacle or "sampled"
    if keys is None and _usable(fcurve.range()).all():
        return Unread(fcurve, obstacle, group)
    return ActionCurve(fcurve, _checked(fcurve, read_keys(fcurve) if keys is None else keys), obstacle, group)


def _checked(fcurve: Any, keys: Keys) -> Keys:
    """Return the keys of an F-curve as they are, once they are known to be finite numbers.

    Raise InertiaError naming the first key whose frame or value, or one of whose handles (of a Bezier key
    only), is not finite or not below 1e30 in size. fcurve: only for the error's text.
    """
    if _usable(keys.points).all():
        return keys
    bad = ~_usable(keys.co).all(axis=1)
    handles = _usable(keys.left).all(axis=1) & _usable(keys.right).all(axis=1)
    bad |= (keys.interpolation == BEZIER) & ~handles
    if not bad.any():
        return keys
    i = int(np.argmax(bad))
    raise InertiaError(
        'Key {number} of {path}[{index}] in action "{action}" (frame {frame:g}, value {value:g}) is not '
        "a finite number; delete or correct that key.",
        number=i + 1,
        path=fcurve.data_path,
        index=fcurve.array_index,
        action=fcurve.id_data.name,
        frame=keys.co[i, 0],
        value=keys.co[i, 1],
    )


def _usable(points: Floats) -> Any:
    """Tell which numbers can be used; Blender turns an infinite one into the largest there is."""
    return np.abs(points) < 1e30


def _obstacle(fcurve: Any) -> str:
    """Return what shapes a curve besides its keys: a modifier's type in lower case, as Blender names it, and
    " modifier", such as "cycles modifier" or "fngenerator modifier"; "" for nothing.

    Muted modifiers don't count. Of several, a Cycles modifier is named, else the first one.
    """
    acting = [modifier.type.lower() for modifier in fcurve.modifiers if not modifier.mute]
    if not acting:
        return ""
    return Sentence("{kind} modifier", kind="cycles" if "cycles" in acting else acting[0])


def read_keys(fcurve: Any) -> Keys:
    """Read the keys of an F-curve, bit for bit."""
    return finish(_read_keys_steps([fcurve]))[0]


def _read_keys_steps(fcurves: Sequence[Any]) -> Steps[list[Keys]]:
    """Read the keys of F-curves, yielding the part that is done (0 to 1) before each long one and before some
    short ones; return a list of :class:`Keys` in the same order.

    ``points`` are (keys, 3, 2), float32: the key, its left and its right handle, each as frame and value.
    ``codes`` are (keys, 5), uint8: interpolation, types of the left and the right handle, easing, type of the
    key. ``shapes`` is None for curves without easings. Nothing is checked for being finite. Curves without
    keys give empty Keys. The arrays are views of those that a block of curves shares, which are quicker to
    make; long curves share them with few others, so that their memory can be given back bit by bit.
    """
    keys: list[Keys] = []
    for first, last in _split(fcurves):
        block = _read_block_steps(fcurves[first:last])
        keys += yield from part(block, first / len(fcurves), last / len(fcurves))
    return keys


def _split(fcurves: Sequence[Any]) -> Iterator[tuple[int, int]]:
    """Yield (first index, the one behind the last) of blocks of curves, in order, which together are all of
    them.

    A block has as many curves as have MOST_KEYS keys together at most, or a single one with more; nothing is
    yielded without curves.
    """
    first, held = 0, 0
    for i, fcurve in enumerate(fcurves):
        count = len(fcurve.keyframe_points)
        if i > first and held + count > MOST_KEYS:
            yield first, i
            first, held = i, 0
        held += count
    if len(fcurves):
        yield first, len(fcurves)


def _read_block_steps(fcurves: Sequence[Any]) -> Steps[list[Keys]]:
    """Read the keys of F-curves as :func:`_read_keys_steps` does, into two arrays that all of them share;
    yield the part that is done before each long curve and before each AT_ONCE curves.
    """
    ends = np.cumsum([0, *(len(fcurve.keyframe_points) for fcurve in fcurves)]).tolist()
    # of the types that Blender stores: of any other it converts number by number
    points = np.empty((len(_POINTS), ends[-1], 2), np.float32)
    codes = np.empty((len(_CODES), ends[-1]), np.uint8)
    flat = points.reshape(len(_POINTS), -1)
    for i, fcurve in enumerate(fcurves):
        if i % AT_ONCE == 0 or ends[i + 1] - ends[i] > LONG:
            yield i / len(fcurves)
        keys, first, last = fcurve.keyframe_points, ends[i], ends[i + 1]
        for name, numbers in zip(_POINTS, flat, strict=True):
            keys.foreach_get(name, numbers[2 * first : 2 * last])
        for name, numbers in zip(_CODES, codes, strict=True):
            keys.foreach_get(name, numbers[first:last])
    points, codes = points.swapaxes(0, 1), codes.T
    has_easings = bool((codes[:, 0] > BEZIER).any())
    return [
        Keys(
            points[first:last],
            codes[first:last],
            _shapes(fcurve) if has_easings and (codes[first:last, 0] > BEZIER).any() else None,
            fcurve.extrapolation == "LINEAR",
            fcurve.auto_smoothing == "CONT_ACCEL",
        )
        for fcurve, first, last in zip(fcurves, ends[:-1], ends[1:], strict=True)
    ]


def _shapes(fcurve: Any) -> Floats:
    """Return amplitude, back and period of the easings of an F-curve's keys, as float32 (keys, 3)."""
    shapes = np.empty((len(_SHAPES), len(fcurve.keyframe_points)), np.float32)
    for name, numbers in zip(_SHAPES, shapes, strict=True):
        fcurve.keyframe_points.foreach_get(name, numbers)
    return np.ascontiguousarray(shapes.T)


def write(bag: Any, address: Address, keys: Keys, group: Any | None) -> Any:
    """Add a new F-curve with these keys to a channelbag, bit for bit, and return it.

    address: its data path and array index; Blender raises RuntimeError if the bag has that curve already.
    group: a channel group of the bag to put it in; None for none.
    """
    fcurve = bag.fcurves.new(address[0], index=address[1])
    if group is not None:
        # not as an argument of `new`, which has it from 5.0 on only
        fcurve.group = group
    fill(fcurve, keys)
    return fcurve


def fill(fcurve: Any, keys: Keys) -> None:
    """Replace all keys of an F-curve, in place, by these, bit for bit: handles, types, easings, extrapolation
    and smoothing too.

    Blender computes no handles. Amplitude, back and period are set only where ``keys.shapes`` is there and
    any key has an easing; else they are Blender's defaults. Modifiers, the mute switch and the group stay as
    they are. No keys leave the curve empty.
    """
    points = fcurve.keyframe_points
    points.clear()
    # these two make Blender compute handles, so they come before there are any
    fcurve.auto_smoothing = "CONT_ACCEL" if keys.continuous_acceleration else "NONE"
    fcurve.extrapolation = "LINEAR" if keys.linear_extrapolation else "CONSTANT"
    # in bulk, as to insert keys one by one takes some twenty times as long
    points.add(len(keys))
    for names, columns in ((_POINTS, keys.points), (_CODES, keys.codes)):
        for name, column in zip(names, np.ascontiguousarray(columns.swapaxes(0, 1)), strict=True):
            points.foreach_set(name, column.reshape(-1))
    if keys.shapes is not None and keys.interpolation.max() > BEZIER:
        for name, column in zip(_SHAPES, np.ascontiguousarray(keys.shapes.T), strict=True):
            points.foreach_set(name, column)


def without_holders(clip: Clip) -> Clip:
    """Return a clip without the channels of objects that carry the armature, and with no ``holders``.

    A clip without holders is returned as it is. Nothing else of it changes.
    """
    if not clip.holders:
        return clip
    curves = {at: curve for at, curve in clip.curves.items() if not at[0].startswith(tuple(clip.holders))}
    return dataclasses.replace(clip, curves=curves, holders={})


def of_holder_alone(clip: Clip, prefix: str, slot: compat.Slot) -> Clip:
    """Return a clip with the channels alone of an object that carries the armature, as that object's own."""
    curves = {
        (path.removeprefix(prefix), index): curve
        for (path, index), curve in clip.curves.items()
        if path.startswith(prefix)
    }
    keyed = clip.keyed and of_holder_alone(clip.keyed, prefix, slot)
    return dataclasses.replace(clip, slot=slot, curves=curves, holders={}, unkeyed={}, keyed=keyed)


def rename_bones(bag: Any, names: Mapping[str, str]) -> None:
    """Rename, in place, the bones that the curves of a channelbag animate, and channel groups of the old
    names.

    names: new bone names by present ones; bones and groups that are not in it stay.
    """
    for fcurve in bag.fcurves:
        bone, _ = rig.split_path(fcurve.data_path)
        if names.get(bone or "", bone) != bone:
            fcurve.data_path = rig.of_bone(fcurve.data_path, names[bone or ""])
    for group in bag.groups:
        group.name = names.get(group.name, group.name)


def other_slots(clip: Clip) -> Sequence[Clip]:
    """Return the clips of the slots of a clip's action other than its own and its holders', in the action's
    order.

    They are read anew unless the clip has them by value (``others``); a slot without curves gives a clip
    without any. Raise InertiaError for keys that are not finite numbers.
    """
    if clip.others is not None:
        return clip.others
    known = {clip.slot.identifier, *(slot.identifier for slot in clip.holders.values() if slot is not None)}
    return [read(clip.action, slot) for slot in compat.slots(clip.action) if slot.identifier not in known]


def fingerprint(clips: Iterable[Clip]) -> str:
    """Return a checksum, eight hexadecimal digits, of what decides how clips look, to tell later whether they
    have changed.

    It covers, in the clips' order, each slot's identifier and its un-muted curves: addresses, keys, easings,
    extrapolation and the settings of modifiers. Muted curves, markers and cycles that are not modifiers don't
    count, nor does the order of a clip's curves. Without clips it is "00000000". Raise InertiaError if a
    curve is read only now and has keys that are not finite.

    It guards against oversight, not against forgery: a checksum takes a quarter of a digest's time, and that
    of keys in their millions is felt.
    """
    checksum = 0
    for clip in clips:
        checksum = zlib.crc32(clip.slot.identifier.encode(), checksum)
        for address, curve in sorted(clip.curves.items()):
            keys = curve.keys
            easing = [] if keys.shapes is None else [keys.easing, *keys.shapes.T]
            arrays = (keys.co, keys.interpolation, keys.left, keys.right, *easing)
            linear = keys.linear_extrapolation
            checksum = _sum_of(
                address, curve.fcurve, curve.obstacle, is_linear=linear, arrays=arrays, checksum=checksum
            )
    return f"{checksum:08x}"


def contents(action: Any) -> int:
    """Return a checksum (an unsigned 32-bit number) of the curves in all slots of an action.

    It covers which slot they are in, whether they are muted, addresses, keys, easings, extrapolation and
    acting modifiers, and, unlike :func:`fingerprint`, the order of the slots and of their curves. It includes
    muted curves, too, and accepts keys that are no finite numbers. Markers, names of slots without curves and
    groups don't count. 0 for an action without curves.
    """
    checksum = 0
    for slot in compat.slots(action):
        for fcurve in compat.curves(action, slot.identifier):
            checksum = zlib.crc32(f"{slot.identifier}{compat.is_muted(fcurve)}".encode(), checksum)
            # only what is summed up, as panels ask for this when they are drawn
            keys, linear = fcurve.keyframe_points, fcurve.extrapolation == "LINEAR"
            points, codes = np.empty((len(_POINTS), 2 * len(keys)), np.float32), np.empty(len(keys), np.uint8)
            for name, numbers in zip(_POINTS, points, strict=True):
                keys.foreach_get(name, numbers)
            keys.foreach_get("interpolation", codes)
            easing = []
            if (codes > BEZIER).any():
                easing = [read_keys(fcurve).easing, *_shapes(fcurve).T]
            address, arrays = (fcurve.data_path, fcurve.array_index), (points[0], codes, *points[1:], *easing)
            checksum = _sum_of(
                address, fcurve, _obstacle(fcurve), is_linear=linear, arrays=arrays, checksum=checksum
            )
    return checksum


def _sum_of(
    address: Address, fcurve: Any, obstacle: str, *, is_linear: bool, arrays: Sequence[Any], checksum: int
) -> int:
    """Continue a checksum with a curve. is_linear: how it goes on beyond its keys; arrays: of these."""
    texts = [f"{address[0]}[{address[1]}]{obstacle}{is_linear}"]
    texts += [_properties(modifier) for modifier in (fcurve.modifiers if obstacle else ())]
    return zlib.crc32(b"".join([*map(str.encode, texts), *(array.tobytes() for array in arrays)]), checksum)


def _properties(data: Any) -> str:
    """Return a text of the values of a struct's properties, in the order in which Blender defines them: the
    repr() of a list with an item for each.

    Booleans, numbers and choices are plain values, arrays of them tuples; a collection is a list with such a
    text for each of its items. Names, other texts and pointers are left out, and so are "active" and
    "show_expanded", which say how it looks in a panel.
    """
    values: list[Any] = []
    for prop in data.bl_rna.properties:
        if prop.identifier in ("active", "show_expanded"):
            continue  # how it looks in a panel
        if prop.type == "COLLECTION":
            values.append([_properties(item) for item in getattr(data, prop.identifier)])
        elif prop.type in ("BOOLEAN", "INT", "FLOAT", "ENUM"):
            value = getattr(data, prop.identifier)
            values.append(tuple(value) if getattr(prop, "is_array", False) else value)
    return repr(values)


def copy_modifiers(old: Any, new: Any) -> None:
    """Add copies of the modifiers of one F-curve (`old`) to another (`new`), in order, after those that it
    has.

    All their writable properties are copied, the mute switch included, but not the name; of envelopes the
    control points, too. Muted modifiers are copied as well.
    """
    for modifier in old.modifiers:
        copy = new.modifiers.new(modifier.type)
        for prop in modifier.bl_rna.properties:
            if not prop.is_readonly and prop.identifier != "name":
                setattr(copy, prop.identifier, getattr(modifier, prop.identifier))
        if modifier.type == "ENVELOPE":
            for point in modifier.control_points:
                copy.control_points.add(point.frame)
            # to set a point's own properties can crash Blender; in bulk it does not
            for name in ("min", "max"):
                values = np.empty(len(modifier.control_points), np.float32)
                modifier.control_points.foreach_get(name, values)
                copy.control_points.foreach_set(name, values)
