# SPDX-License-Identifier: GPL-3.0-or-later
"""The arrival in a destination: what leads into it by an offset that grows until then.

It is an ordinary transition in reversed time, from the destination into what comes before, so that the
destination plays exactly from its first frame on. What belongs to the character, such as shape keys, arrives
with it, by slots of its own.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ...motion.curves import keys as keylib
from ...motion.curves import representation as curvelib
from ...motion.curves.keys import Keys
from ...settings.fill import FillSettings
from ..data import actions, recipe
from ..data.actions import ActionCurve, Address, Clip, Repeated
from ..judging.verdict import Verdict
from ..transition.bake import Plan
from ..transition.slot_plan import SlotPlan

AGREES = 1e-4
"""Numbers of two curves that are nearer to each other say the same."""


def alone(armature: Any, clip: Clip) -> Clip:
    """Return a clip with no other slots than those of what belongs to the character."""
    others = []
    for other in actions.other_slots(clip):
        owner = recipe.slot_owner(armature, other.slot, [clip.action])
        if owner is not None and recipe.follows(owner, armature):
            others.append(other)
    return dataclasses.replace(clip, others=tuple(others))


def later(settings: FillSettings) -> float:
    """Return how many frames later than it is keyed a gap's destination plays."""
    assert settings.transition.destination_frame is not None
    return settings.arrival - settings.transition.destination_frame


def backwards(clip: Clip, action: Any, frames: float = 0.0) -> Clip:
    """Return a clip moved so many frames later and then played in reversed time: what was on frame t is on
    -(t + frames).

    Curves that are more than straight or Bezier keys become straight keys on whole frames. action: the one
    that stands for the result. The clips of other slots are turned as well; cycle and teleports are left out.
    """
    curves: dict[Address, ActionCurve] = {}
    for at, curve in clip.curves.items():
        keys = curve.keys
        if curve.obstacle or not np.isin(keys.interpolation[:-1], (keylib.LINEAR, keylib.BEZIER)).all():
            times = curvelib.whole_frames(clip.start, clip.end)
            keys = keylib.sampled(times, curve.at(times), keylib.LINEAR)
        curves[at] = Repeated(None, keylib.backwards(keylib.move(keys, frames)), "", curve.group)
    start, end = -(clip.end + frames), -(clip.start + frames)
    others = tuple(backwards(other, action, frames) for other in clip.others or ())
    return Clip(action, clip.slot, curves, start, end, (), clip.unkeyed, others=others, holders=clip.holders)


def forwards(verdict: Verdict, arrival: float) -> Verdict:
    """Return the verdict on an arrival that was judged in reversed time."""
    faults = tuple(dataclasses.replace(fault, frame=-fault.frame) for fault in verdict.faults)
    return dataclasses.replace(verdict, faults=faults, until=arrival)


def arrived(plan: Plan, settings: FillSettings, whole: Clip, destination: Clip) -> list[SlotPlan]:
    """Return all slots of a filled gap, the character's own first.

    Each is what is joined up to the last window, that window, and the destination's own from the arrival.
    plan: of the destination and the whole, both :func:`backwards`.
    """
    slots = []
    for i, slot in enumerate(plan.slots):
        arriving, before = (destination, whole) if i == 0 else map(_slot_of, slot.clips, (destination, whole))
        composed = _curves(plan, slot, settings, before, arriving)
        slots.append(dataclasses.replace(slot, composed=composed, copied={}))
    return slots


def _slot_of(backward: Clip | None, clip: Clip) -> Clip | None:
    """Return that other slot of a clip from which a reversed one was made; None for no reversed one."""
    if backward is None:
        return None
    return next(other for other in clip.others or () if other.slot.identifier == backward.slot.identifier)


def _curves(
    plan: Plan, slot: SlotPlan, settings: FillSettings, whole: Clip | None, destination: Clip | None
) -> dict[Address, Keys]:
    """Return all curves of a slot, by address, through the gap: of the source, the joined part in forward
    time, and from the arrival on of the destination, moved there.

    plan: of the arrival, in reversed time, as are slot's `composed` curves. Curves that are not joined step
    at the arrival. whole: what plays up to the arrival. destination: as it is keyed. Either is None where it
    has no clip of the slot.
    """
    arrival, begin, curves = settings.arrival, -plan.until, dict[Address, Keys]()
    joined = {at: keylib.backwards(keys) for at, keys in slot.composed.items()}
    # the numbers of one rotation belong together, though some of them may pass each other there
    told_otherwise = {
        at[0]
        for at, keys in joined.items()
        if (before := _tell_by_keys(whole, at)) is not None and not _agree(before, keys, begin)
    }
    keyed = [at for clip in (whole, destination) if clip is not None for at in clip.curves]
    for at in dict.fromkeys((*keyed, *joined)):
        before, behind = _tell_by_keys(whole, at), _tell_by_keys(destination, at)
        behind = None if behind is None else keylib.move(behind, later(settings))
        if at in joined:
            keys = joined[at]
            if before is not None and begin > before.co[0, 0] and at[0] not in told_otherwise:
                keys = keylib.join(_head(before, begin), None, _tail(keys, begin))
            if behind is not None:
                keys = keylib.join(_head(keys, arrival), None, _tail(behind, arrival))
            curves[at] = keys
        elif before is not None and behind is not None:
            head = _head(before, arrival - keylib.STEP_FRAMES)
            curves[at] = keylib.step(head, _tail(behind, arrival))
        else:
            only = before if behind is None else behind
            assert only is not None
            curves[at] = only
    return curves


def _tell_by_keys(clip: Clip | None, at: Address) -> Keys | None:
    """Return a clip's curve as keys alone, None where there is none; one with more than keys is sampled on
    the clip's whole frames.
    """
    curve: ActionCurve | None = None if clip is None else clip.curves.get(at)
    if clip is None or curve is None or not curve.obstacle:
        return None if curve is None else curve.keys
    frames = curvelib.whole_frames(clip.start, clip.end)
    return keylib.sampled(frames, curve.at(frames))


def _head(keys: Keys, frame: float) -> Keys:
    return curvelib.parted(keylib.head, keys, frame)[0]


def _tail(keys: Keys, frame: float) -> Keys:
    return curvelib.parted(keylib.tail, keys, frame)[0]


def _agree(keys: Keys, later_keys: Keys, frame: float) -> bool:
    """Tell whether two curves say the same at a frame, and not the same pose by other numbers."""
    value, shown = (float(keylib.head(each, frame).co[-1, 1]) for each in (keys, later_keys))
    return abs(value - shown) < AGREES * max(1.0, abs(shown))
