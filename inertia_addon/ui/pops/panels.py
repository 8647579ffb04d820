# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel on pops: where the assigned action jumps."""

from __future__ import annotations

from typing import Any

from ...blender.data import compat
from ...blender.pops import bake
from ..cost.panels import draw_told
from ..overlay.panels import PlotPanel
from ..shared import drawing, labels, tab, words
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
        armature = context.object
        pops = armature.inertia_pops
        layout.operator("inertia.smooth_jump", icon="SMOOTHCURVE")
        layout.prop(pops, "strictness")
        layout.operator("inertia.find_pops", icon="VIEWZOOM")
        action = compat.assigned(armature)[0]
        seen = operators.recall_verdict(armature, action)
        box = None if seen is None else transition.own_box(layout, context, bake.KIND)
        if box is not None and seen is not None:
            draw_told(box.column(align=True), context, armature, seen)
        if pops.action is None or action is None:
            return
        if pops.action != action:
            name = labels.action(armature, pops.action.name)
            text = 'The pops of "{action}" are listed; find those of the assigned action.'
            drawing.sentence(layout, context, words.line(text, action=name))
        elif not len(pops.found):
            drawing.sentence(layout, context, words.line("Nothing pops in the assigned action."))
        else:
            draw_found(layout, context, pops)


def draw_found(layout: Any, context: Any, pops: Any) -> None:
    """Draw the list of pops, what is known of the active one, how pops are smoothed, and the button that does
    it.

    pops: an armature's inertia_pops. In order: the list of `found`; if `active` is the index of one, the rows
    "Kind", "Channel", "Size" (a length in the scene's unit for locations, else whole degrees) and "How sure"
    (as "3.2 times the usual"); the settings of operators.SHOWN; and the button inertia.smooth_pops, which
    smooths the pops that are ticked.
    """
    layout.template_list("INERTIA_UL_pops", "", pops, "found", pops, "active", rows=4, maxrows=10)
    if 0 <= pops.active < len(pops.found):
        item = pops.found[pops.active]
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
    column = layout.column()
    for name in operators.SHOWN:
        column.prop(pops, name)
    row = layout.row()
    row.scale_y = 1.5
    row.operator("inertia.smooth_pops", icon="SMOOTHCURVE")


PARTS = (PopsPanel,)
