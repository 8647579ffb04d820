# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel on travel: how the assigned action goes on, or is made to stay."""

from __future__ import annotations

from typing import Any

from ...blender.data import compat, scene
from ...blender.travel import bake, noting
from ..overlay.panels import OfPlots
from ..shared import drawing, tab, words
from ..shared.drawing import split
from ..transition import panels as transition
from . import operators, properties


class Travel(OfPlots):
    """Gives an action in place the way over the ground that its feet tell of, or takes it out again."""

    bl_label = "Travel from Feet"
    is_top = True
    mode = tab.TRAVEL

    def draw(self, context: Any) -> None:
        layout = split(self.layout)
        own = context.object.inertia_travel
        operators.draw_settings(layout, own, properties.NAMES)
        row = layout.row(align=True)
        row.scale_y = 1.5
        row.operator("inertia.travel", icon="FORWARD")
        row.operator("inertia.in_place", icon="PINNED")
        action, _ = compat.assigned(context.object)
        noted = None if action is None else noting.stored(action)
        if noted is None or noted.taken:
            return
        box = transition.own_box(layout, context, bake.KIND)
        if box is not None:
            text = "It goes {way} in {seconds:.2f} s."
            drawing.sentence(box, context, words.line(text, **told(noted)))


def told(noted: noting.Noted) -> dict[str, Any]:
    """How far a way goes, and in which time."""
    gone = noted.way.places[-1] - noted.way.places[0]
    seconds = float(noted.way.frames[-1] - noted.way.frames[0]) / scene.fps()
    way = scene.length_text(float((gone @ gone) ** 0.5) * scene.metres_per_unit())
    return {"way": way, "seconds": seconds}


PARTS = (Travel,)
