# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel on pops: where the assigned action jumps."""

from __future__ import annotations

from typing import Any

from ...blender.data import compat
from ...blender.pops import bake
from ..cost.panels import draw_told
from ..overlay.panels import PlotPanel
from ..shared import drawing, tab
from ..shared.drawing import split
from ..transition import panels as transition
from ..translations import translated
from . import operators, properties


class PopsPanel(PlotPanel):
    """Smooths where the action that plays jumps: at the playhead, or wherever bones pop."""

    bl_label = "Jumps and Pops"
    mode = tab.CLEAN

    def draw(self, context: Any) -> None:
        layout = split(self.layout)
        layout.operator("inertia.smooth_jump", icon="SMOOTHCURVE")
        properties.FOUND.draw_search(layout)
        armature = context.object
        seen = operators.recall_verdict(armature, compat.assigned(armature)[0])
        if seen is not None and transition.plays_kind(context, bake.KIND):
            with drawing.boxed(layout) as box:
                draw_told(box.column(align=True), context, armature, seen)
        properties.FOUND.draw(layout, context, draw_pop)


def draw_pop(layout: Any, context: Any, item: Any) -> None:
    """Draw what is known of a pop: its "Kind", "Channel", "Size" (a length in the scene's unit for locations,
    else whole degrees) and "How sure", as in "3.2 times the usual".
    """
    kinds, channels = (
        {key: label for key, label, _ in items} for items in (properties.KINDS, properties.CHANNELS)
    )
    pairs = [
        (translated("Kind"), translated(kinds[item.kind])),
        (translated("Channel"), translated(channels[item.channel])),
        (translated("Size"), properties.size_text(item)),
        (translated("How sure"), translated("{0} times the usual", f"{item.times:.3g}")),
    ]
    drawing.facts(layout, context, pairs)


PARTS = (PopsPanel,)
