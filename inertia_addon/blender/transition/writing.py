# SPDX-License-Identifier: GPL-3.0-or-later
"""The planned curves of slots, written into an action."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from ...motion.curves import keys as keylib
from ...motion.curves.keys import Keys
from ..data import actions, compat, rig
from ..data.actions import ActionCurve, Address, Clip
from .slot_plan import SlotPlan, separate_holders


def write_slots(
    action: Any, slots: Iterable[SlotPlan], later: float = 0.0, spent_clips: Collection[Clip] = ()
) -> None:
    """Write the curves of slots, so many frames later than planned.

    spent_clips: clips of the armature that nobody needs any more, nor the slots; the curves of a channel are
    removed from them when it is written. Empty to keep all.
    """
    for slot in separate_holders(slots):
        spent: list[dict[Address, Any]] = []
        if spent_clips:
            spent = [slot.composed, slot.copied, *(clip.curves for clip in spent_clips)]
        _write_slot(action, slot, later, spent)


def in_order(plan: SlotPlan) -> list[tuple[Address, ActionCurve | Keys]]:
    """Return (address, curve) pairs of a slot in the order in which they are written: rotation modes, then
    those of its groups in their order, then all others.
    """
    order = {address: i for i, address in enumerate(plan.groups)}
    # to set a rotation mode converts the rotation, so it must come before its keys
    return sorted(
        plan.curves.items(),
        key=lambda item: (not item[0][0].endswith("rotation_mode"), order.get(item[0], len(order))),
    )


def group_of(plan: SlotPlan, address: Address) -> str:
    """Return the channel group of a curve, "" for none."""
    return plan.groups.get(address) or rig.split_path(address[0])[0] or ""


def _write_slot(action: Any, plan: SlotPlan, later: float, spent: Sequence[dict[Address, Any]]) -> None:
    """Write one slot's curves. spent: curves by address, of which each is removed when it is written."""
    bag = compat.new_bag(action, plan.slot)
    groups: dict[str, Any] = {}
    curves = dict(in_order(plan))
    for address in [*curves]:
        # no reference is left behind to what is spent
        shape = curves.pop(address)
        prop, group = rig.split_path(address[0])[1], group_of(plan, address)
        if group and group not in groups:
            groups[group] = bag.groups.new(group)
        keys = shape.keys if isinstance(shape, actions.ActionCurve) else shape
        fcurve = actions.write(bag, address, keylib.move(keys, later), groups.get(group))
        if isinstance(shape, actions.ActionCurve) and not isinstance(shape, actions.Repeated):
            actions.copy_modifiers(shape.fcurve, fcurve)
        if plan.owner is not None and prop not in ("location", "scale"):
            # a property that is gone has no kind to find out; its curve is kept for when it is back
            with contextlib.suppress(RuntimeError):
                fcurve.update_autoflags(plan.owner)
        for held in spent:
            held.pop(address, None)
