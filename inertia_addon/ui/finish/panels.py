# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel Finish Take: what a captured or generated take still needs, and the button that mends it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy

from ...blender.data import compat
from ...blender.finish import bake
from ..shared import character, drawing, labels, tab, words
from ..shared.drawing import HolderPanel, Popover, split
from ..transition import panels as transition
from ..transition import pickers
from ..translations import translated
from . import operators, properties

if TYPE_CHECKING:
    from ...blender.finish.bake import FinishReport, Outcome

UNITS = {"degrees": (1.0, "°"), "%": (1.0, " %"), "channels": (1.0, ""), "m": (100.0, " cm")}
"""By the units of findings: by how much their sizes are multiplied in the panel, and what follows them."""


class FinishPanel(HolderPanel):
    """Lists what the assigned take still needs, and mends what is ticked as one new action."""

    bl_label = "Finish Take"
    bl_options = set()
    mode = tab.CLEAN
    order = 30

    def draw(self, context: Any) -> None:
        layout = split(self.layout)
        properties.FOUND.draw_search(layout)
        action = compat.assigned(context.object)[0]
        report = operators.recall_report(context.object, action)
        if report is not None and transition.plays_kind(context, bake.KIND):
            with drawing.boxed(layout) as box:
                draw_outcomes(box, context, report)
        # of a finished take its own outcomes are what counts, not that another one is listed
        if report is None or context.object.inertia_finish.action == action:
            properties.FOUND.draw(layout, context, draw_finding)
        if action is not None:
            insertion = VIEW3D_PT_inertia_inserttake
            layout.popover(panel=insertion.__name__, text=insertion.bl_label, icon="IMPORT")


def draw_finding(layout: Any, context: Any, finding: Any) -> None:
    """Draw what a row of the list is, in a sentence."""
    drawing.sentence(layout, context, words.PanelLine(finding.text))


def draw_outcomes(layout: Any, context: Any, report: FinishReport) -> None:
    """Draw how good the take was and is, a sentence each, and what became of each finding: its kind and bone,
    its frame where others have these too, and its size before and after, or before alone where nothing of it
    is left.
    """
    for text, judged in (("Before: {verdict}", report.before), ("After: {verdict}", report.after)):
        icon = drawing.RATINGS[judged.rating]
        drawing.sentence(layout, context, words.line(text, icon, verdict=judged.sentence))
    names = [_label_of(context.object, each) for each in report.outcomes]
    sizes = map(_sizes_of, report.outcomes)
    frames = (
        f"{words.number(each.finding.first)}: " if names.count(name) > 1 else ""
        for name, each in zip(names, report.outcomes, strict=True)
    )
    values = (f"{frame}{size}" for frame, size in zip(frames, sizes, strict=True))
    drawing.facts(layout, context, zip(names, values, strict=True))


def _label_of(armature: Any, outcome: Outcome) -> str:
    finding = outcome.finding
    kind = next(label for key, label, _ in properties.LABELS if key == finding.kind.upper())
    is_bone = finding.bone in armature.pose.bones
    return f"{translated(kind)}: {labels.bone(armature, finding.bone)}" if is_bone else translated(kind)


def _sizes_of(outcome: Outcome) -> str:
    became = {
        bake.GONE: "mended",
        bake.BETTER: "less of it",
        bake.SAME: "as it was",
        bake.LEFT: "left",
        bake.LISTED: "listed",
    }
    factor, unit = UNITS.get(outcome.finding.unit, (1.0, f" {outcome.finding.unit}"))
    before, after = (_short(factor * size) for size in (outcome.finding.size, outcome.after))
    if outcome.became == bake.GONE and after == "0":
        sizes = before
    else:
        sizes = after if before == after else f"{before} → {after}"
    return f"{translated(became[outcome.became])}, {sizes}{unit}"


def _short(size: float) -> str:
    """Format a size to a tenth, from 10 on to a whole number."""
    return f"{round(size, 0 if abs(size) >= 10.0 else 1):g}"


class VIEW3D_PT_inertia_inserttake(Popover, bpy.types.Panel):
    """Puts the assigned take into another action, joined at both ends where that looks best."""

    bl_label = "Into Another Action"

    def draw(self, context: Any) -> None:
        layout, meant = split(self.layout), character.read_meant(context)
        if meant is not context:  # a mesh is active: the button works on its armature
            layout.context_pointer_set("object", meant.object)
        take = meant.object.inertia_finish
        pickers.draw(layout, take, "into")
        drawing.choice(layout, take, "at", translated("Where it fits best"))
        row = layout.row()
        row.scale_y = 1.5
        row.operator("inertia.insert_take", icon="IMPORT")


PARTS = (FinishPanel,)
