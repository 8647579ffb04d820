# SPDX-License-Identifier: GPL-3.0-or-later
"""Stretches of one action rewritten: a new action that shows other values there and is itself elsewhere.

The new action is a copy, so that it keeps all that is not said to change: slots, modifiers, groups, muted
curves, markers, and how it repeats.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import bpy

from ...motion.arrays import Array
from ...motion.curves import keys as keylib
from ...motion.curves import stretches as curvelib
from ...motion.curves.keys import SAME_FRAME, Keys
from ...motion.curves.stretches import whole_frames
from ...records import record
from . import actions, compat, recipe, rig
from .actions import Address, Clip, Curve
from .channels import ClipChannels


@record(frozen=True)
class BakedCurve:
    """A curve that could not be cut exactly and was baked a key per frame instead."""

    data_path: str
    array_index: int
    first_frame: float
    last_frame: float
    reason: str


@record(frozen=True, eq=False)
class Stretch:
    """What some channels of a clip show from one frame to another.

    frames: (n,), sorted, each whole frame and both ends; the first and the last show what the clip does,
    unless the clip begins or ends there. values: unit quaternions (n, 4) of a rotation in any mode, else the
    channels' own numbers (n, channels). kinks: of these the frames, by index, where they need not be smooth.
    """

    channels: ClipChannels
    frames: Array
    values: Array
    kinks: tuple[int, ...] = ()


@record(frozen=True, eq=False)
class Rewritten:
    """The curves of one slot of an action that are other ones now.

    baked: what could not be cut exactly. shaped: the curves whose modifiers have gone into their keys.
    """

    clip: Clip
    curves: Mapping[Address, Keys]
    baked: tuple[BakedCurve, ...] = ()
    shaped: frozenset[Address] = frozenset()


def rewritten(clip: Clip, stretches: Iterable[Stretch]) -> Rewritten:
    """The curves of a clip with stretches of other values; those of one channel must not overlap.

    Outside of them a rotation may be told in other numbers, which changes no pose at any sub-frame.
    """
    of_channels: dict[tuple[Address, ...], list[Stretch]] = {}
    for stretch in stretches:
        of_channels.setdefault(stretch.channels.addresses, []).append(stretch)
    curves: dict[Address, Keys] = {}
    baked: list[BakedCurve] = []
    for addresses, own in of_channels.items():
        own.sort(key=lambda stretch: float(stretch.frames[0]))
        span = float(own[0].frames[0]), float(own[-1].frames[-1])
        made = [_plain(own[0].channels, column, span, baked) for column in range(len(addresses))]
        for stretch in own:
            made, eased = _replaced(made, stretch)
            notes = zip(addresses, eased, strict=True)
            baked += [BakedCurve(*address, *ends, "easing") for address, ends in notes if ends is not None]
        curves.update(zip(addresses, made, strict=True))
    shaped = {(note.data_path, note.array_index) for note in baked if note.reason != "easing"}
    return Rewritten(clip, curves, tuple(baked), frozenset(shaped))


def _replaced(curves: Sequence[Keys], stretch: Stretch) -> curvelib.Made:
    mode = stretch.channels.mode
    if mode:
        return curvelib.rotations(curves, mode, stretch.frames, stretch.values, stretch.kinks)
    return curvelib.vectors(curves, stretch.frames, stretch.values, stretch.kinks)


def _plain(channels: ClipChannels, column: int, span: tuple[float, float], baked: list[BakedCurve]) -> Keys:
    """A curve as keys alone: samples where modifiers shape it, one key where there is none."""
    clip, address = channels.clip, channels.addresses[column]
    curve = clip.curves.get(address)
    if curve is None:
        return keylib.constant(min(clip.start, span[0]), channels.defaults[column])
    if not curve.obstacle or _only_repeats(curve, span):
        return curve.keys
    first, last = min(clip.start, span[0]), max(clip.end, span[1])
    frames = whole_frames(first, last)
    baked.append(BakedCurve(*address, first, last, curve.obstacle))
    return keylib.sampled(frames, curve.at(frames))


def _only_repeats(curve: Curve, span: tuple[float, float]) -> bool:
    """Whether a curve's keys say what it shows in a span of frames, and beyond them it repeats that."""
    first, last = float(curve.keys.co[0, 0]), float(curve.keys.co[-1, 0])
    repeats = all(modifier.mute or modifier.type == "CYCLES" for modifier in curve.fcurve.modifiers)
    return repeats and first - SAME_FRAME <= span[0] and span[1] <= last + SAME_FRAME


def write(parts: Sequence[Rewritten], name: str, into: Any | None = None) -> Any:
    """A new action that is a copy of another one, but for some curves of its slots.

    parts: slots of one action. into: an earlier result, whose name and users the new one takes over; None for
    a new action of that name. A failure leaves the file as it was.
    """
    source = parts[0].clip.action
    made = source.copy()
    try:
        made.name = name
        recipe.forget(made)
        for part in parts:
            _write_slot(made, part)
        recipe.keep(source)
        recipe.keep(made)
    except BaseException:
        # an interrupt, too, leaves the file as it was
        bpy.data.actions.remove(made)
        raise
    if into is not None:
        take_place(made, into)
    return made


def take_place(made: Any, into: Any) -> None:
    """Have an action take over the name and the users of an earlier one, which goes."""
    name = into.name
    into.user_remap(made)
    bpy.data.actions.remove(into)
    made.name = name


def _write_slot(action: Any, part: Rewritten) -> None:
    """Give a copy of an action the curves that are other ones."""
    bag = compat.new_bag(action, part.clip.slot)
    found = {(curve.data_path, curve.array_index): curve for curve in bag.fcurves}
    for address, keys in part.curves.items():
        fcurve = found.get(address)
        if fcurve is not None and not len(fcurve.keyframe_points):
            # samples, or a generator alone
            bag.fcurves.remove(fcurve)
            fcurve = None
        if fcurve is None:
            bone, _ = rig.split_path(address[0])
            group = None if bone is None else bag.groups.get(bone) or bag.groups.new(bone)
            actions.write(bag, address, keys, group)
            continue
        fcurve.mute = False
        for modifier in list(fcurve.modifiers) if address in part.shaped else ():
            if not modifier.mute:
                fcurve.modifiers.remove(modifier)
        actions.fill(fcurve, keys)
