# SPDX-License-Identifier: GPL-3.0-or-later
"""The curves of one slot of a result, not yet written, and those of the objects that carry its owner."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from ...motion.curves.keys import Keys
from ...records import record
from ..data.actions import ActionCurve, Address, Clip, of_holder_alone, without_holders
from ..data.compat import Slot
from ..data.report import BakedCurve
from ..data.rig import holder_of
from .passage import FadingPassages
from .report import GuardedOffset

T = TypeVar("T")


@record
class SlotPlan:
    """The curves of one slot of the result, and what there is to say about them.

    owner: what it animates, None when nothing does. groups: the names of channel groups. last_frame: where
    the longest offset ends. is_own: whether the owner belongs to the character. composed: curves that play
    the source to the cut and flow into the destination from there; copied: those that are taken over whole,
    as their bones take no part, or as only one action has them. offsets: how many decay. fadings: how offsets
    of channels decay, to be noted. baked: what could not be cut. clips: what the slot plays before the cut
    and from there on, as it is keyed; None for nothing. holders: the slots of the objects that carry the
    owner, by what the paths of their channels begin with here, see :func:`separate_holders`.
    """

    slot: Slot
    owner: Any | None
    groups: Mapping[Address, str]
    last_frame: float
    is_own: bool = True
    composed: dict[Address, Keys] = dataclasses.field(default_factory=dict)
    copied: dict[Address, ActionCurve | Keys] = dataclasses.field(default_factory=dict)
    offsets: int = 0
    fadings: list[FadingPassages] = dataclasses.field(default_factory=list)
    baked: list[BakedCurve] = dataclasses.field(default_factory=list)
    clips: tuple[Clip | None, Clip | None] = (None, None)
    holders: Mapping[str, Slot] = dataclasses.field(default_factory=dict)

    @property
    def guarded(self) -> list[GuardedOffset]:
        """What guards did, or would have to do, about offsets that swing far."""
        return [note for fading in self.fadings for note in fading.note_guards()]

    @property
    def curves(self) -> dict[Address, ActionCurve | Keys]:
        """All curves."""
        return {**self.copied, **self.composed}


def separate_holders(slots: Iterable[SlotPlan]) -> list[SlotPlan]:
    """Return the plans of slots with a plan each for the objects that carry an armature, behind its own."""
    return [part for slot in slots for part in (_without_holders(slot), *_of_holders(slot))]


def _without_holders(slot: SlotPlan) -> SlotPlan:
    """Return the plan of a slot with the channels of its own alone; the very same where it has no others."""
    if not slot.holders:
        return slot
    prefixes = tuple(slot.holders)

    def select_own(curves: Mapping[Address, T]) -> dict[Address, T]:
        return {at: curve for at, curve in curves.items() if not at[0].startswith(prefixes)}

    source, destination = (clip and without_holders(clip) for clip in slot.clips)
    return dataclasses.replace(
        slot,
        composed=select_own(slot.composed),
        copied=select_own(slot.copied),
        groups=select_own(slot.groups),
        clips=(source, destination),
        holders={},
    )


def _of_holders(slot: SlotPlan) -> Iterator[SlotPlan]:
    """Yield a plan for the slot of each object that carries the owner of a slot, with its curves by its own
    paths.
    """
    for prefix, holder_slot in slot.holders.items():

        def select_held(curves: Mapping[Address, T], prefix: str = prefix) -> dict[Address, T]:
            held = {at: curve for at, curve in curves.items() if at[0].startswith(prefix)}
            return {(path.removeprefix(prefix), index): curve for (path, index), curve in held.items()}

        source, destination = (clip and of_holder_alone(clip, prefix, holder_slot) for clip in slot.clips)
        yield SlotPlan(
            holder_slot,
            holder_of(None, prefix),
            select_held(slot.groups),
            slot.last_frame,
            slot.is_own,
            select_held(slot.composed),
            select_held(slot.copied),
            clips=(source, destination),
        )
