# SPDX-License-Identifier: GPL-3.0-or-later
"""The arrival in a destination: what leads into it by an offset that grows until then.

It is an ordinary transition in reversed time, from the destination into what comes before, so that the
destination plays exactly from its first frame on. What belongs to the character, such as shape keys, arrives
with it, by slots of its own.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from ...motion.curves import keys as keylib
from ...motion.curves import stretches as curvelib
from ...motion.curves.keys import Keys
from ...settings.fill import FillSettings
from ..data import actions, recipe
from ..data.actions import Address, Clip, Curve
from ..transition.bake import Plan
from ..transition.compose import SlotPlan
from . import reversing

AGREES = 1e-4
"""Numbers of two curves that are nearer to each other say the same."""


def alone(armature: Any, clip: Clip) -> Clip:
    """A clip with no other slots than those of what belongs to the character."""
    owners = ((one, recipe.slot_owner(armature, one.slot, [clip.action])) for one in actions.beside(clip))
    own = (one for one, owner in owners if owner is not None and recipe.follows(owner, armature))
    return dataclasses.replace(clip, others=tuple(own))


def ends(settings: FillSettings, destination: Clip, whole: Clip, made: list[Any]) -> tuple[Clip, Clip]:
    """What the arrival joins in reversed time: the destination, and all that comes before. made: two actions
    that stand for these."""
    own = settings.transition
    assert own.destination_frame is not None
    later = settings.arrival - own.destination_frame
    return reversing.backwards(destination, made[0], later), reversing.backwards(whole, made[1])


def arrived(plan: Plan, settings: FillSettings, whole: Clip, destination: Clip) -> list[SlotPlan]:
    """All slots of a filled gap, the character's own first: what is joined up to the last window, that, and
    the destination's own from the arrival. plan: of :func:`ends`."""
    found = []
    for i, slot in enumerate(plan.slots):
        there, here = (destination, whole) if i == 0 else map(_of, slot.clips, (destination, whole))
        found.append(
            dataclasses.replace(slot, composed=_curves(plan, slot, settings, here, there), copied={})
        )
    return found


def _of(reversed_: Clip | None, clip: Clip) -> Clip | None:
    """The other slot of a clip that something reversed is of."""
    if reversed_ is None:
        return None
    return next(one for one in clip.others or () if one.slot.identifier == reversed_.slot.identifier)


def _curves(
    plan: Plan, slot: SlotPlan, settings: FillSettings, whole: Clip | None, destination: Clip | None
) -> dict[Address, Keys]:
    """All curves of a slot; None for a clip that has none."""
    own, arrival, begin = settings.transition, settings.arrival, -plan.until
    assert own.destination_frame is not None
    later, curves = arrival - own.destination_frame, dict[Address, Keys]()
    joined = {at: keylib.backwards(keys) for at, keys in slot.composed.items()}
    # the numbers of one rotation belong together, though some of them may pass each other there
    told_otherwise = {
        at[0]
        for at, keys in joined.items()
        if (here := _keys(whole, at)) is not None and not _agree(here, keys, begin)
    }
    keyed = [at for clip in (whole, destination) if clip is not None for at in clip.curves]
    for at in dict.fromkeys((*keyed, *joined)):
        here, there = _keys(whole, at), _keys(destination, at)
        behind = None if there is None else keylib.moved(there, later)
        if at in joined:
            keys = joined[at]
            if here is not None and begin > here.co[0, 0] and at[0] not in told_otherwise:
                keys = keylib.join(_part(keylib.head, here, begin), None, _part(keylib.tail, keys, begin))
            if behind is not None:
                keys = keylib.join(
                    _part(keylib.head, keys, arrival), None, _part(keylib.tail, behind, arrival)
                )
            curves[at] = keys
        elif here is None or behind is None:
            only = here if behind is None else behind
            assert only is not None
            curves[at] = only
        else:
            first = _part(keylib.head, here, arrival - keylib.STEP_FRAMES)
            curves[at] = keylib.step(first, _part(keylib.tail, behind, arrival))
    return curves


def _keys(clip: Clip | None, at: Address) -> Keys | None:
    """A curve as keys alone, None where there is none."""
    curve: Curve | None = None if clip is None else clip.curves.get(at)
    if clip is None or curve is None or not curve.obstacle:
        return None if curve is None else curve.keys
    frames = curvelib.whole_frames(clip.start, clip.end)
    return keylib.sampled(frames, curve.at(frames))


def _part(cut: curvelib.Cut, keys: Keys, frame: float) -> Keys:
    return curvelib.parted(cut, keys, frame)[0]


def _agree(here: Keys, keys: Keys, frame: float) -> bool:
    """Whether two curves say the same at a frame, and not the same pose by other numbers."""
    before, shown = (float(keylib.head(each, frame).co[-1, 1]) for each in (here, keys))
    return abs(before - shown) < AGREES * max(1.0, abs(shown))
