# SPDX-License-Identifier: GPL-3.0-or-later
"""Results that are one action rewritten: it shows other values in some stretches of time, else is as it was.

The new action is a copy, so that it keeps all that is not said to change: slots, modifiers, groups, muted
curves, markers, and how it repeats.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from ...errors import InertiaError
from ...motion.arrays import Array
from ...motion.curves import keys as keylib
from ...motion.curves import representation as curvelib
from ...motion.curves.keys import SAME_FRAME, Keys
from ...records import record
from ...settings.fields import Record
from . import actions, compat, recipe, rig, shaped, unkeyed
from .actions import ActionCurve, Address, Clip
from .channels import ClipChannels
from .report import BakedCurve, Report
from .rig import not_assignable

Settings = TypeVar("Settings", bound=Record)

VALUES_AT_ONCE = 2**17
"""Of so many frames of rotations at once, at most, stretches are put into their curves: more take memory."""


@record(frozen=True, eq=False)
class ChannelStretch:
    """What some channels of a clip show from one frame to another.

    frames: (n,), sorted, each whole frame and both ends; the first and the last show what the clip does,
    unless the clip begins or ends there. values: unit quaternions (n, 4) of a rotation in any mode, else the
    channels' own numbers (n, channels). kinks: of these the frames, by index, where they need not be smooth.
    """

    channels: ClipChannels
    frames: Array
    values: Array
    kinks: tuple[int, ...] = ()

    @property
    def likeness(self) -> Hashable:
        """Return what stretches have in common that are put into their curves together."""
        return self.channels.mode, self.frames.tobytes(), self.kinks


@record(frozen=True, eq=False)
class Rewritten:
    """The curves of one slot of an action that are other ones now.

    baked: what could not be cut exactly. shaped: the curves whose modifiers have gone into their keys.
    """

    clip: Clip
    curves: Mapping[Address, Keys]
    baked: tuple[BakedCurve, ...] = ()
    shaped: frozenset[Address] = frozenset()


def check_into(into: Any | None, source: Any) -> None:
    """Raise InertiaError if an earlier result can't be replaced by one made of `source`.

    It can't if it is linked from a library, or is the source itself. into: None for a new action, which
    always passes.
    """
    if into is not None and not into.is_editable:
        raise InertiaError(
            '"{action}" is linked from another file and can\'t be updated; make a new one.', action=into.name
        )
    if into is not None and into == source:
        raise InertiaError('"{action}" cannot be its own source; make a new one.', action=into.name)


@record(frozen=True, eq=False)
class RewritingKind:
    """What becomes of an action that is rewritten.

    kind: of the recipe. suffix: what is added to the source's name for a new action without one. completed:
    does what else is to be done with the new action. bones: see :func:`recipe.digest_rewriting`.
    """

    kind: str
    suffix: str
    completed: Callable[[Any], None] = lambda action: None
    bones: Iterable[str] | None = None


def write(
    armature: Any,
    rewriting: RewritingKind,
    settings: Any,
    slots: Sequence[Rewritten],
    into: Any | None = None,
) -> Report:
    """Write a rewritten action with its recipe, assign it where that is wanted, and return a Report.

    settings: a record with ``result``, the new action's name, where "" stands for the source's name, a space
    and the kind's suffix; and ``assign``: where the record has no such field, a new action is assigned, and
    an earlier one if the armature plays it. slots: slots of the
    source, the armature's first. into: an earlier result to make anew in place, which keeps its name and
    whose Python reference is dead afterwards; None for a new action.

    The action that the armature had gets a fake user, assigned or not, unless it is `into`. On assigning,
    un-keyed channels keep the values that they had, and the action's slots also go to the objects that carry
    the armature. Where the armature can't be assigned anything (:func:`not_assignable`), the action is made
    all the same.

    In the Report ``result`` and ``armature`` are names, ``slot`` is the identifier of the clip's slot,
    ``assigned`` is whether the armature plays the result, and ``not_assigned_because`` is a sentence, "" if
    assigned or if that was not wanted. ``fps`` is the scene's, ``frame_range`` the source clip's (start,
    end), ``keys`` the number of keys of the whole action, ``baked_curves`` those of the first slot, and
    ``settings`` the record's ``as_dict()``.

    Raise InertiaError as :func:`check_into` does, and, if the kind covers all bones, for keys in other slots
    that are not finite. The file is as it was then.
    """
    clip = slots[0].clip
    check_into(into, clip.action)
    # what can be refused is, before there is a new action
    digest = recipe.digest_rewriting(clip, rewriting.bones)
    before = compat.assigned(armature)[0]
    plays = getattr(settings, "assign", into is None or before == into)
    standing = unkeyed.of_bones(armature) if plays else {}
    if before != into:
        recipe.keep(before)
    action = write_action(slots, settings.result or f"{clip.action.name} {rewriting.suffix}", into)
    rewriting.completed(action)
    source = recipe.RewrittenSource(clip.action, digest, rewriting.bones)
    recipe.note_rewriting(action, rewriting.kind, settings.as_dict(), armature, source)
    reason = not_assignable(armature) if plays else ""
    if plays and not reason:
        unkeyed.keep(armature)
        unkeyed.settle(armature, standing, {*clip.curves, *slots[0].curves})
        compat.assign(armature, action, clip.slot.identifier)
        assign_holders(action, clip.holders)
    return Report.of_result(
        action,
        armature,
        clip.slot.identifier,
        assigned=plays and not reason,
        not_assigned_because=reason,
        frame_range=(clip.start, clip.end),
        baked_curves=slots[0].baked,
        settings=settings.as_dict(),
    )


def assign_holders(action: Any, holders: Mapping[str, compat.Slot | None]) -> None:
    """Assign an action's slots to the objects that carry its armature.

    holders: slots by the objects' prefixes, such as ``objects["Cart"].``; None for an object that stands,
    which is passed over. So are objects that are gone, linked, or in tweak mode. The action that each one had
    gets a fake user.
    """
    for prefix, slot in holders.items():
        holder = rig.holder_of(None, prefix)
        if slot is not None and holder is not None and not not_assignable(holder):
            recipe.keep(compat.assigned(holder)[0])
            compat.assign(holder, action, slot.identifier)


def rewritten(clip: Clip, stretches: Iterable[ChannelStretch]) -> Rewritten:
    """Put stretches of other values into curves of a clip, and return the curves of these channels as a
    Rewritten.

    stretches: in any order; those of one channel must not overlap, which is not checked. Its ``curves`` are
    Keys by address (data path, array index), for all channels of each stretch and no others; without
    stretches it is empty. The clip's own curves stay as they are. A channel without a curve gets one.

    Curves are cut exactly where they can be. Two kinds can't, and each is named in ``baked``. A curve of
    samples or with an acting modifier, unless all are Cycles and its keys cover the stretches, is told by
    keys from the earlier start to the later end of the clip and its stretches (see :func:`_tell_as_keys`);
    its reason is the obstacle, such as "noise modifier", and its address is also in ``shaped``. An easing
    that the end of a stretch cuts is sampled; its frames are the easing's, and its reason is "easing".

    Behind a stretch a rotation may get other numbers (the opposite quaternion, or angles that continue the
    stretch), which changes no pose at any sub-frame.
    """
    of_channels: dict[tuple[Address, ...], list[ChannelStretch]] = {}
    for stretch in stretches:
        of_channels.setdefault(stretch.channels.addresses, []).append(stretch)
    rewriting = [_RewrittenChannels.from_stretches(parts) for parts in of_channels.values()]
    # what comes first of all channels, then what comes next
    for place in range(max(map(len, of_channels.values()), default=0)):
        alike: dict[Hashable, list[_RewrittenChannels]] = {}
        for each in rewriting:
            if place < len(each.stretches):
                alike.setdefault(each.stretches[place].likeness, []).append(each)
        for some in alike.values():
            most = max(1, VALUES_AT_ONCE // len(some[0].stretches[place].frames))
            for first in range(0, len(some), most):
                _rewrite_alike(some[first : first + most], place)
    curves: dict[Address, Keys] = {}
    baked: list[BakedCurve] = []
    for each in rewriting:
        baked += each.baked
        curves.update(zip(each.addresses, each.columns, strict=True))
    shaped = {(note.data_path, note.array_index) for note in baked if note.reason != "easing"}
    return Rewritten(clip, curves, tuple(baked), frozenset(shaped))


@record(eq=False)
class _RewrittenChannels:
    """Channels that are being rewritten. stretches: of values, in order. columns: their curves, as far as
    these are rewritten. baked: what could not be cut exactly."""

    stretches: list[ChannelStretch]
    columns: list[Keys]
    baked: list[BakedCurve]

    @classmethod
    def from_stretches(cls, stretches: list[ChannelStretch]) -> _RewrittenChannels:
        """Return the channels that stretches go into as they are before any of them is put in: with a curve
        of keys for each channel, as :func:`_tell_as_keys` gives it over all stretches, and what that notes as
        ``baked``.

        stretches: at least one, all of the same channels; they are sorted by their first frames, in place.
        """
        stretches.sort(key=lambda stretch: float(stretch.frames[0]))
        channels = stretches[0].channels
        span = float(stretches[0].frames[0]), float(stretches[-1].frames[-1])
        baked: list[BakedCurve] = []
        columns = [_tell_as_keys(channels, column, span, baked) for column in range(len(channels.addresses))]
        return cls(stretches, columns, baked)

    @property
    def addresses(self) -> tuple[Address, ...]:
        """Return the addresses of the channels."""
        return self.stretches[0].channels.addresses


def _rewrite_alike(rewritten_channels: Sequence[_RewrittenChannels], which_stretch: int) -> None:
    """Put a stretch into the curves of each of some channels, in place, whose stretches are alike; see
    :attr:`ChannelStretch.likeness`.

    Their ``columns`` become new keys; for each curve with an easing that an end of the stretch cuts, which is
    sampled, ``baked`` gets a BakedCurve with the easing's frames and the reason "easing". which_stretch: the
    index, in each one's ``stretches``.
    """
    parts = [each.stretches[which_stretch] for each in rewritten_channels]
    first = parts[0]
    if first.channels.mode:
        curves = [each.columns for each in rewritten_channels]
        values = np.stack([part.values for part in parts])
        made = curvelib.rotations_together(curves, first.channels.mode, first.frames, values, first.kinks)
    else:
        made = [
            curvelib.vectors(each.columns, part.frames, part.values, part.kinks)
            for each, part in zip(rewritten_channels, parts, strict=True)
        ]
    for each, (columns, eased) in zip(rewritten_channels, made, strict=True):
        each.columns = columns
        notes = zip(each.addresses, eased, strict=True)
        each.baked += [BakedCurve(*address, *ends, "easing") for address, ends in notes if ends is not None]


def replaced(clip: Clip, curves: Mapping[Address, Keys], span: tuple[float, float]) -> Rewritten:
    """Return a clip with other curves in place of its own, whatever shaped these in a span of frames."""
    baked = [
        BakedCurve(*address, *span, curve.obstacle)
        for address in curves
        if (curve := clip.curves.get(address)) is not None
        if curve.obstacle and not _only_repeats(curve, span)
    ]
    return Rewritten(
        clip, curves, tuple(baked), frozenset((each.data_path, each.array_index) for each in baked)
    )


def _tell_as_keys(
    channels: ClipChannels, column: int, span: tuple[float, float], baked: list[BakedCurve]
) -> Keys:
    """Return one channel's curve as keys alone.

    column: which of the channels. span: the first and the last frame that the stretches cover. baked: a
    BakedCurve is appended where keys had to stand for something else.

    A channel without a curve gets one key at its default, at the earlier of the clip's start and the span's.
    A curve without an obstacle, or as :func:`_only_repeats` says, gives its own keys, the same object. Any
    other one, of samples or with a modifier, is told by :func:`shaped.tell_by_keys` from the earlier start to
    the later end of the clip and the span: with keys on these two frames, whole segments of its own keys
    where they show the same, and else keys on whole frames, on its own keys, where modifiers change, and
    between these as needed.

    The BakedCurve has the first and the last frame on which keys had to be made, or these two ends if none
    had to, and as its reason the curve's obstacle, such as "noise modifier".
    """
    clip, address = channels.clip, channels.addresses[column]
    curve = clip.curves.get(address)
    if curve is None:
        return keylib.constant(min(clip.start, span[0]), channels.defaults[column])
    if not curve.obstacle or _only_repeats(curve, span):
        return curve.keys
    first, last = min(clip.start, span[0]), max(clip.end, span[1])
    keys, made = shaped.tell_by_keys(curve, first, last)
    first, last = made or (first, last)
    baked.append(BakedCurve(*address, first, last, curve.obstacle))
    return keys


def _only_repeats(curve: ActionCurve, span: tuple[float, float]) -> bool:
    """Return whether a curve's keys alone say what it shows in a span.

    span: its first and last frame. True if the curve has no samples, all modifiers that are not muted are
    Cycles ones (or there are none), and its first and last key lie no more than SAME_FRAME, 0.001 frames,
    inside the span's ends. Raise IndexError for a curve without keys.
    """
    first, last = float(curve.keys.co[0, 0]), float(curve.keys.co[-1, 0])
    if len(curve.fcurve.sampled_points):
        # its two keys are only where the samples begin and end
        return False
    repeats = all(modifier.mute or modifier.type == "CYCLES" for modifier in curve.fcurve.modifiers)
    return repeats and first - SAME_FRAME <= span[0] and span[1] <= last + SAME_FRAME


def write_action(slots: Sequence[Rewritten], name: str, into: Any | None = None) -> Any:
    """Make an action that is a copy of another one but for some curves of its slots; return it.

    slots: slots of one action. name: of a new action; Blender may number it. into: an earlier result, which
    is removed, and whose name and users the new one takes over; None for a new action. The source and the new
    action get a fake user; the copy forgets any recipe. If anything fails, an interrupt included, the new
    action is removed and the error is raised.
    """
    source = slots[0].clip.action
    action = compat.copy_action(source)
    try:
        action.name = name
        recipe.forget(action)
        for part in slots:
            for each in apart(part):
                _write_slot(action, each)
        recipe.keep(source)
        recipe.keep(action)
    except BaseException:
        # an interrupt, too, leaves the file as it was
        compat.remove_action(action)
        raise
    if into is not None:
        take_place(action, into)
    return action


def take_place(action: Any, into: Any) -> None:
    """Have an action take over the name and all users of an earlier one (`into`), which is removed from the
    file.
    """
    name = into.name
    compat.replace_action(into, action)
    action.name = name


def apart(rewritten: Rewritten) -> Iterator[Rewritten]:
    """Yield the armature's slot of what was rewritten, without its holders' curves, then one Rewritten for
    each object that carries it and has changed curves.

    The latter have their curves by the objects' own paths, without ``baked``. Holders without a slot are left
    out, and those without changed curves. A holder that plays an action of its own (``partners``) has all its
    curves, changed or not, as the copy of the clip's action has none of them.
    """
    of_holders: list[Rewritten] = []
    for prefix, slot in rewritten.clip.holders.items():
        curves = {at: keys for at, keys in rewritten.curves.items() if at[0].startswith(prefix)}
        if prefix in rewritten.clip.partners:
            # the copy of the clip's action has none of these
            known = {at: each.keys for at, each in rewritten.clip.curves.items() if at[0].startswith(prefix)}
            curves = {**known, **curves}
        if slot is not None and curves:
            inner = {(path.removeprefix(prefix), index): keys for (path, index), keys in curves.items()}
            shaped = {(path.removeprefix(prefix), index) for path, index in rewritten.shaped}
            alone = actions.of_holder_alone(rewritten.clip, prefix, slot)
            of_holders.append(Rewritten(alone, inner, shaped=frozenset(shaped)))
    prefixes = tuple(rewritten.clip.holders)
    own = {
        at: keys for at, keys in rewritten.curves.items() if not prefixes or not at[0].startswith(prefixes)
    }
    yield dataclasses.replace(rewritten, curves=own)
    yield from of_holders


def _write_slot(action: Any, slot: Rewritten) -> None:
    """Put the changed curves into a slot of a copied action, in place.

    Bones are renamed to the armature's names first. A changed curve is unmuted and gets its new keys;
    modifiers that act are removed only where they have gone into the keys (``shaped``). A curve that is
    missing, or has no keys, is made anew, without modifiers, in its bone's group, which is made, too. Other
    curves stay.
    """
    bag = compat.new_bag(action, slot.clip.slot)
    actions.rename_bones(bag, {other: bone for bone, other in slot.clip.renamed.items()})
    fcurves = {(curve.data_path, curve.array_index): curve for curve in bag.fcurves}
    for address, keys in slot.curves.items():
        fcurve = fcurves.get(address)
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
        for modifier in list(fcurve.modifiers) if address in slot.shaped else ():
            if not modifier.mute:
                fcurve.modifiers.remove(modifier)
        actions.fill(fcurve, keys)
