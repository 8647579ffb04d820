# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel on loops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy

from ...blender.data import compat, scene
from ...errors import InertiaError
from ...settings.loops import LoopSearch, LoopSettings
from ..cost.panels import draw_told
from ..overlay.panels import PlotPanel
from ..shared import character, drawing, forms, labels, tab, words
from ..shared.drawing import split
from ..transition import pickers
from ..translations import translated
from . import operators
from .properties import action_of

if TYPE_CHECKING:
    from ...blender.loops.judged import SeamQuality

SEARCH = ("by_feet", "sub_frames", "first", "last", "shortest_frames", "longest_frames")
"""Which loops may be found, in the order in which that is drawn."""


class LoopPanel(PlotPanel):
    """Finds where an action loops best, and makes a loop of it."""

    bl_label = "Loop"
    bl_options: set[str] = set()
    mode = tab.CLEAN
    order = 40

    def draw(self, context: Any) -> None:
        layout = split(self.layout)
        armature = context.object
        loops = armature.inertia_loops
        column = layout.column()
        usual = pickers.describe_assigned(armature, compat.assigned(armature)[0])
        pickers.draw(column, loops, "action", usual=usual)
        row = layout.row(align=True)
        row.operator("inertia.find_loop", icon="VIEWZOOM")
        drawing.draw_options(row, VIEW3D_PT_inertia_loop_options)
        if len(loops.loops) and loops.found_in == _name_of(armature):
            rows = min(max(len(loops.loops), 3), 8)
            layout.template_list("INERTIA_UL_loops", "", loops, "loops", loops, "active_loop", rows=rows)
        column = layout.column(align=True)
        column.prop(loops, "loop_start")
        column.prop(loops, "loop_end")
        row = layout.row()
        row.scale_y = 1.5
        row.operator("inertia.make_loop", icon="FILE_REFRESH")
        draw_made(layout, context, armature)


def _name_of(armature: Any) -> str:
    try:
        return str(action_of(armature).name_full)
    except InertiaError:
        return ""


def draw_made(layout: Any, context: Any, armature: Any) -> None:
    """Draw in a box what the assigned loop is like.

    First its verdict, if it was judged. Then, if it was measured, three rows of label and value: "Ends
    Apart", how far a joint was from where the next cycle begins, at most; "Seam", now and before, over the
    clip's own highest change of velocity, to two decimals; "Moved Most", the bone, by how much and at which
    frame. Lengths are in the scene's unit. If neither is known, the box is empty.

    Draw nothing, not even a box, if no action is assigned, or it is not the loop that was made last for this
    armature since the file was opened.
    """
    report = operators.report_of(armature, compat.assigned(armature)[0])
    if report is None:
        return
    with drawing.boxed(layout) as box:
        if report.verdict is not None:
            draw_told(box.column(align=True), context, armature, report.verdict)
        if report.quality is not None:
            drawing.facts(box, context, describe_quality(armature, report.quality))


def describe_quality(armature: Any, quality: SeamQuality) -> list[tuple[str, str]]:
    """Return pairs of label and text on how well a loop closes; see :func:`draw_made`."""
    moved = translated(
        "{0}, {1} at frame {2}",
        labels.bone(armature, quality.bone),
        scene.length_text(quality.moved),
        words.number(quality.frame),
    )
    return [
        (translated("Ends Apart"), translated("up to {0} before", scene.length_text(quality.gap_before))),
        (
            translated("Seam"),
            translated("{0}, before {1}", f"{quality.seam:.2f}", f"{quality.seam_before:.2f}"),
        ),
        (translated("Moved Most"), moved),
    ]


class VIEW3D_PT_inertia_loop_options(drawing.Popover, bpy.types.Panel):
    """Which loops may be found, and how one is made, in a popover."""

    bl_label = "Loop Options"

    def draw(self, context: Any) -> None:
        context = character.read_meant(context)
        layout, loops = split(self.layout), context.object.inertia_loops
        forms.draw(layout, loops, LoopSearch, SEARCH)
        forms.draw(layout, loops, LoopSettings, operators.HOW)
        layout.prop(loops, "result", text="Result", placeholder=f"{_name_of(context.object)} loop")


PARTS = (LoopPanel,)
CLASSES = (VIEW3D_PT_inertia_loop_options,)
