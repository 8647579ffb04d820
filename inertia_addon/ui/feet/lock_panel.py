# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of the panel Feet that locks those of the assigned action."""

from __future__ import annotations

from typing import Any

from ..shared import drawing, words
from ..shared.drawing import Part
from .lock_operators import GROUND, draw_ground, is_locked
from .panels import Feet


class LockFeet(Part):
    """A new action whose planted feet stand still."""

    bl_label = "Lock"
    parent = Feet
    poll = Feet.poll

    def draw(self, context: Any) -> None:
        line = words.Line("A new action, in which the assigned one's planted feet stand still.")
        drawing.sentence(self.layout, context, line)
        own = context.object.inertia_feet
        draw_ground(drawing.split(self.layout), own)
        row = self.layout.row(align=True)
        lock = row.operator("inertia.lock_feet", icon="LOCKED")
        for name in GROUND:
            setattr(lock, name, getattr(own, name))
        if is_locked(context.object):
            row.operator("inertia.relock_feet", icon="FILE_REFRESH")


PARTS = (LockFeet,)
