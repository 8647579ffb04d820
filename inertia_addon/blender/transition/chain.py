# SPDX-License-Identifier: GPL-3.0-or-later
"""Transitions one after the other, each from what those before it have made, held by value and written once.

What lies well before a cut is set aside, as no later join can change it: so each join takes as long as the
first, however many there are.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ...motion.curves import keys as keylib
from ...motion.curves.keys import Keys
from ..data.actions import ActionCurve, Address, Clip, Marker, Repeated
from . import writing
from .bake import Plan
from .slot_plan import SlotPlan

MARGIN = 3.0
"""So many frames before a cut a join may look at: velocities are taken a frame away from it."""


class Chain:
    """A result that grows join by join.

    action: an action without keys that stands for it, and gets them in the end.
    """

    def __init__(self, action: Any) -> None:
        self.action = action
        self.slots: list[SlotPlan] = []
        self.markers: tuple[Marker, ...] = ()
        self._done: dict[tuple[str, Address], list[Keys]] = {}

    def take(self, plan: Plan) -> None:
        """Go on from a planned transition, whose source was :meth:`clip` but in the first one."""
        self.slots = [_settled(slot) for slot in plan.slots]
        self.markers = plan.markers

    def clip(self, cut: float) -> Clip:
        """Return what was joined so far, to be left at a frame of the scene; set aside what lies well
        before it.
        """
        self.slots = [self._trimmed(slot, cut - MARGIN) for slot in self.slots]
        character, *others = [self._clip(slot) for slot in self.slots]
        return dataclasses.replace(character, others=tuple(others), markers=self.markers)

    def write(self) -> None:
        """Write all that was chained, also what was set aside, into the chain's action."""
        whole = []
        for slot in self.slots:
            composed = {at: self._whole(slot, at, keys) for at, keys in slot.composed.items()}
            whole.append(dataclasses.replace(slot, composed=composed))
        writing.write_slots(self.action, whole)

    def _whole(self, slot: SlotPlan, address: Address, keys: Keys) -> Keys:
        done = self._done.get((slot.slot.identifier, address))
        if not done:
            return keys
        whole = keylib.concatenate([*done, keys], linear_extrapolation=keys.linear_extrapolation)
        return dataclasses.replace(whole, continuous_acceleration=keys.continuous_acceleration)

    def _trimmed(self, slot: SlotPlan, frame: float) -> SlotPlan:
        """Return a slot without what lies before the last two keys up to a frame, which is set aside for
        :meth:`write`.
        """
        composed = dict(slot.composed)
        for at, keys in slot.composed.items():
            count = int(np.searchsorted(keys.co[:, 0], frame, "right")) - 2
            if count > 0:
                self._done.setdefault((slot.slot.identifier, at), []).append(keys.take(slice(0, count)))
                composed[at] = keys.take(slice(count, None))
        return dataclasses.replace(slot, composed=composed)

    def _clip(self, slot: SlotPlan) -> Clip:
        curves: dict[Address, ActionCurve] = {}
        starts, ends = [], []
        for at, shape in writing.in_order(slot):
            keys = shape if isinstance(shape, Keys) else shape.keys
            first = self._done.get((slot.slot.identifier, at), [keys])[0]
            starts.append(float(first.co[0, 0]))
            ends.append(float(keys.co[-1, 0]))
            curves[at] = _curve(keys, writing.group_of(slot, at)) if isinstance(shape, Keys) else shape
        # looked for in its clips, and not anew in all of it for each join
        return Clip(
            self.action,
            slot.slot,
            curves,
            min(starts, default=0.0),
            max(ends, default=0.0),
            (),
            teleports=(),
            holders=slot.holders,
        )


def by_value(clip: Clip) -> Clip:
    """Return a clip whose curves are not asked of Blender, but for those that keys alone do not tell."""
    curves = {
        at: curve if curve.obstacle else _curve(curve.keys, curve.group) for at, curve in clip.curves.items()
    }
    return dataclasses.replace(clip, curves=curves)


def _curve(keys: Keys, group: str) -> ActionCurve:
    return Repeated(None, keys, "", group)


def _settled(slot: SlotPlan) -> SlotPlan:
    """Return a slot with all curves as keys, but those with modifiers or samples, which are ``copied`` as
    they are.
    """
    composed: dict[Address, Keys] = {}
    copied: dict[Address, ActionCurve | Keys] = {}
    for at, shape in slot.curves.items():
        if isinstance(shape, ActionCurve) and shape.obstacle:
            copied[at] = shape
        else:
            composed[at] = shape.keys if isinstance(shape, ActionCurve) else shape
    return dataclasses.replace(slot, composed=composed, copied=copied)
