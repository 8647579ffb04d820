# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of the panel Feet that locks those of the assigned action."""

from __future__ import annotations

from typing import Any

from ...blender.data import compat
from ...blender.feet import bake
from ...blender.feet.targets import PINNED
from ..shared import drawing, words
from ..shared.drawing import Part
from ..transition import panels as transition
from .lock_operators import GROUND, draw_ground
from .panels import Feet


class LockFeet(Part):
    """Makes a new action in which planted feet stand still."""

    bl_label = "Lock"
    parent = Feet
    poll = Feet.poll

    def draw(self, context: Any) -> None:
        line = words.Line("A new action, in which the assigned one's planted feet stand still.")
        drawing.sentence(self.layout, context, line)
        own = context.object.inertia_feet
        draw_ground(drawing.split(self.layout), own)
        lock = self.layout.operator("inertia.lock_feet", icon="LOCKED")
        for name in GROUND:
            setattr(lock, name, getattr(own, name))
        box = transition.own_box(self.layout, context, bake.KIND)
        controls = () if box is None else bake.pinned(compat.assigned(context.object)[0])
        if controls:
            named = ", ".join(f'"{name}"' for name in controls)
            drawing.sentence(box, context, words.line(PINNED, "PINNED", controls=named))


PARTS = (LockFeet,)
