# SPDX-License-Identifier: GPL-3.0-or-later
"""A jump within one action: its two sides are the source and the destination of a transition.

The side before it plays up to its last frame, where the cut is; the side behind it is thought to have gone
on from there, in a straight line over the one frame that leads across. Only channels that jump take part.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError
from ...motion.arrays import Array
from ...motion.decay import jump
from ...records import record
from ..data import actions, recipe
from ..data.actions import ActionCurve, Address, Clip
from ..data.channels import Channels, match
from . import parts
from .compose import compose
from .joining import Joining
from .passage import TOLERANCES
from .selecting import TakingPart
from .slot_plan import SlotPlan

AROUND_FRAMES = 24
"""How much of the motion before and behind a frame says what is usual there."""
VISIBLE = 20.0
"""A jump is at least so many times what counts as no offset."""
NEEDED = 2
"""So many frames each side must have, as its velocity is that of the last step."""


@record
class _Behind(ActionCurve):
    """A curve from a frame on, and before that the line through its first two frames."""

    first: float = 0.0

    def value(self, frame: float) -> float:
        """Return the value of the side behind the jump."""
        return float(self.at(np.array([frame]))[0])

    def at(self, frames: Array) -> Array:
        """Return the values (n,) at frames (n,), as :meth:`value` does for one."""
        begin, then = super().at(np.array([self.first, self.first + 1.0]))
        line = begin + (frames - self.first) * (then - begin)
        return np.where(frames >= self.first, super().at(np.maximum(frames, self.first)), line)


@record(frozen=True, eq=False)
class _Slot:
    """A slot of the action, and its steps, (frames - 1, 1 or 3) of each channel that can be smooth."""

    clip: Clip
    owner: Any | None
    is_own: bool
    steps: tuple[tuple[Channels, Array], ...]


@record(frozen=True, eq=False)
class ClipJump:
    """A jump: the last frame before it, and for each slot of the action the channels that jump there."""

    frame: float
    slots: tuple[tuple[_Slot, tuple[Channels, ...]], ...]


def find(armature: Any, clip: Clip, frame: float, bone_metres: float, metres: float) -> ClipJump:
    """Find what jumps on the way to a frame of a clip, or from it to the next one, in all slots of its
    action.

    bone_metres, metres: per unit of a bone's location, and of an object's. Raise InertiaError where nothing
    does, or too little of the clip is there on one side.
    """
    nearest = round(frame)
    first = max(nearest - AROUND_FRAMES, math.ceil(clip.start - 1e-3))
    last = min(nearest + AROUND_FRAMES, math.floor(clip.end + 1e-3))
    before = [at for at in (nearest, nearest - 1) if first + NEEDED <= at + 1 and at + NEEDED <= last]
    if not before:
        raise InertiaError(
            '"{action}" has fewer than {count} frames on one side of frame {frame:g}, too few to tell how '
            "it moves there; choose another frame.",
            action=clip.action.name,
            count=NEEDED,
            frame=frame,
        )
    frames = np.arange(first, last + 1.0)
    slots = [_slot(clip, armature, is_own=True, frames=frames)]
    for other in actions.other_slots(clip):
        owner = recipe.slot_owner(armature, other.slot, [clip.action])
        is_own = owner is not None and recipe.follows(owner, armature)
        slots += [_slot(other, owner, is_own=is_own, frames=frames)] if other.curves else []

    def least(ch: Channels) -> float:
        unit = metres if ch.bone is None else bone_metres
        return VISIBLE * TOLERANCES[ch.kind] / (unit if ch.kind == "location" else 1.0)

    def select_jumping(slot: _Slot, at: int) -> tuple[Channels, ...]:
        return tuple(ch for ch, steps in slot.steps if jump.jumps(jump.gaps(steps), at - first, least(ch)))

    def roughness(at: int) -> float:
        every = ((ch, steps) for slot in slots for ch, steps in slot.steps)
        return sum(jump.roughness(steps, at - first) / least(ch) for ch, steps in every)

    # where the two sides are smooth by themselves the jump lies between them
    for at in sorted(before, key=roughness):
        jumps = tuple((slot, select_jumping(slot, at)) for slot in slots)
        if any(channels for _, channels in jumps):
            return ClipJump(float(at), jumps)
    raise InertiaError(
        'Nothing in "{action}" jumps at frame {frame:g}; go to the frame before or after a jump.',
        action=clip.action.name,
        frame=frame,
    )


def _slot(clip: Clip, owner: Any | None, *, is_own: bool, frames: Array) -> _Slot:
    steps = []
    for ch in match(owner, clip, clip, frames[0], frames[0]).channels:
        if not ch.discrete:
            values = ch.source.decode(ch.source.raw(frames))
            steps.append((ch, jump.steps_of(values, is_rotation=ch.kind == "rotation")))
    return _Slot(clip, owner, is_own, tuple(steps))


def plans(jump: ClipJump, joining: Joining, taking_part: TakingPart | None) -> list[SlotPlan]:
    """Plan all slots: what jumps is joined, all else is taken over as it is.

    joining: of the clip with itself, at the jump's frame. taking_part: what does, None for all.
    """
    return [_plan(jump.frame, *slot, joining, taking_part) for slot in jump.slots]


def _plan(
    at: float, slot: _Slot, channels: Sequence[Channels], joining: Joining, taking_part: TakingPart | None
) -> SlotPlan:
    clip = slot.clip
    chosen = [ch for ch in channels if taking_part is None or taking_part.takes(ch)]
    joined: set[Address] = {address for ch in chosen for address in ch.source.addresses}
    plan = parts.empty_plan((clip,), slot.owner, at, is_own=slot.is_own)
    plan.clips = (clip, clip)
    plan.copied.update({address: curve for address, curve in clip.curves.items() if address not in joined})
    # each side by itself goes on without the jump
    before = dataclasses.replace(clip, end=at, teleports=())
    curves: dict[Address, ActionCurve] = {
        address: _Behind(curve.fcurve, curve.keys, curve.obstacle, curve.group, at + 1.0)
        for address, curve in clip.curves.items()
    }
    behind = dataclasses.replace(clip, start=at, curves=curves, teleports=())
    sides = [
        dataclasses.replace(
            ch,
            source=dataclasses.replace(ch.source, clip=before),
            destination=dataclasses.replace(ch.destination, clip=behind),
        )
        for ch in chosen
    ]
    compose(dataclasses.replace(joining, source=before, destination=behind), sides, plan)
    return plan
