# SPDX-License-Identifier: GPL-3.0-or-later
"""Stand-ins for actions of millions of keys, which Blender copies whenever an operator begins or ends.

It evaluates the scene then, with copies of the actions that are assigned and of those that they refer to: a
result refers to the clips that it was made of. Who only saves a file would hold all keys twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bpy

from ...motion.curves import keys as keylib
from ..data import actions, compat
from ..data.actions import Address
from ..data.compat import Slot

MANY_KEYS = 1_000_000
"""Of fewer keys Blender's copy is made sooner than a stand-in."""


@contextmanager
def assign_stand_ins() -> Iterator[None]:
    """Have small actions stand in for assigned ones of many keys, within a ``with`` that saves the open file.

    A stand-in shows the scene's frame as the action does, so that the properties that the file stores have
    the same values. While the file is written the actions themselves are assigned, and so they are in the
    end. Linked data and animation in tweak mode are left alone.
    """
    owners = [(owner, *compat.assigned(owner)) for owner in _find_owners()]
    stand_ins = [_make_stand_in(action, identifier) for _, action, identifier in owners]

    def assign_actions(*_: Any) -> None:
        for owner, action, identifier in owners:
            compat.assign(owner, action, identifier)

    def assign_small(*_: Any) -> None:
        for (owner, _action, identifier), small in zip(owners, stand_ins, strict=True):
            compat.assign(owner, small, identifier)

    handlers = bpy.app.handlers
    # before all others, which may look at what is assigned
    handlers.save_pre.insert(0, assign_actions)
    handlers.save_post.append(assign_small)
    try:
        assign_small()
        yield
    finally:
        handlers.save_pre.remove(assign_actions)
        handlers.save_post.remove(assign_small)
        assign_actions()
        for small in stand_ins:
            bpy.data.actions.remove(small)


def _find_owners() -> list[Any]:
    """Return the data-blocks to which an action of more than MANY_KEYS keys is assigned, each once, in no
    order.

    Linked ones, library overrides and those in tweak mode are left out.
    """
    many = {action for action in bpy.data.actions if actions.key_count(action) > MANY_KEYS}
    users = bpy.data.user_map(subset=many) if many else {}
    owners = {owner for using in users.values() for owner in using if getattr(owner, "animation_data", None)}
    return [
        owner
        for owner in owners
        if owner.animation_data.action in many
        and owner.is_editable
        and owner.override_library is None
        and not owner.animation_data.use_tweak_mode
    ]


def _make_stand_in(action: Any, identifier: str) -> Any:
    """Return a new action, called like another (Blender numbers it), with the values that the un-muted curves
    of one of its slots show at the scene's frame, held at all frames by one key each.

    identifier: of the slot, which the new action has, too; for one that the action lacks it is an empty slot
    for objects.
    """
    frame = bpy.context.scene.frame_current_final
    small = bpy.data.actions.new(action.name)
    slot = next(
        (slot for slot in compat.slots(action) if slot.identifier == identifier), Slot(identifier, "OBJECT")
    )
    bag = compat.new_bag(small, slot)
    for fcurve in compat.curves(action, identifier):
        if not compat.is_muted(fcurve):
            address: Address = fcurve.data_path, fcurve.array_index
            actions.write(bag, address, keylib.constant(frame, fcurve.evaluate(frame)), None)
    return small
