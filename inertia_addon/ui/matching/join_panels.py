# SPDX-License-Identifier: GPL-3.0-or-later
"""The joins of a path: which clips come when, why, what else could have; and what an animator asks for."""

from __future__ import annotations

from typing import Any

from ...blender.judging.verdict import Verdict
from ...errors import InertiaError
from ..cost.verdict_panel import draw_told
from ..shared import drawing, names, words
from ..shared.drawing import Part, at_end, split
from ..transition import pickers
from ..translations import translated
from . import searching, told
from .join_operators import SAME, active_join, asked
from .operators import verdicts_of
from .panels import Path
from .path_plot import clip_text, frame_text
from .shown import Shown

ROWS = 8
"""So many joins are listed at a time."""


class Joins(Part):
    """Lists which clips a path joins and where, why each was chosen, and what else could be."""

    bl_label = "Joins"
    parent = Path
    poll = Path.poll

    def draw(self, context: Any) -> None:
        layout, armature = self.layout, context.object
        try:
            known = searching.of(armature)
        except InertiaError as error:
            drawing.sentence(layout, context, words.Line(error.sentence))
            return
        if known.shown is None:
            drawing.sentence(layout, context, words.Line("Find a path to see its joins."))
        elif not known.shown.joins:
            drawing.sentence(layout, context, words.Line("One clip covers the whole path, without a join."))
        else:
            layout.active = known.done == 1.0 and known.is_analysed
            seen, join = verdicts_of(armature), known.shown.joins[active_join(armature, known.shown)]
            draw_list(layout, context, known.shown, seen)
            if join["frame"] in seen:
                draw_told(layout.column(align=True), context, armature, seen[join["frame"]])
            draw_join(layout, context, join, known.shown)


def draw_list(layout: Any, context: Any, shown: Shown, seen: dict[float, Verdict]) -> None:
    """The joins around the one that is looked at. seen: of those that are baked, by their frames."""
    count, active = len(shown.joins), active_join(context.object, shown)
    fixed = fixed_until(context.object)
    first = min(max(active - ROWS // 2, 0), max(count - ROWS, 0))
    column = layout.column(align=True)
    for i in range(first, min(first + ROWS, count)):
        join = shown.joins[i]
        row = column.row(align=True)
        left = row.row()
        left.alignment = "LEFT"
        does = told.gait(join["leads"], shown.size)
        text = f"{join['seconds']:.1f} s  {does}  {frame_text(context.object, join['to'])}"
        choose = left.operator(
            "inertia.choose_join",
            text=names.fitted_for(context, text, 1.0, 54.0),
            icon="RADIOBUT_ON" if i == active else "RADIOBUT_OFF",
            emboss=False,
            translate=False,
        )
        choose.index = i
        if join["seconds"] < fixed:
            row.label(text="", icon="LOCKED")
        if join["to"]["mirrored"]:
            row.label(text="", icon="MOD_MIRROR")
        if join["frame"] in seen:
            row.label(text="", icon=drawing.RATINGS[seen[join["frame"]].rating])
    if count > ROWS:
        row = layout.row(align=True)
        row.operator("inertia.choose_join", text="", icon="TRIA_UP").index = active - 1
        row.operator("inertia.choose_join", text="", icon="TRIA_DOWN").index = active + 1
        at_end(row, translated("{0} of {1}", active + 1, count), active=False)


def fixed_until(armature: Any) -> float:
    """Joins before this time, in seconds, stay as they are."""
    fixed = armature.inertia_path.fixed
    return fixed[-1].at + SAME if len(fixed) else 0.0


def draw_join(layout: Any, context: Any, join: dict[str, Any], shown: Shown) -> None:
    """What is known of a join, the next best clips, and what may be asked for there."""
    armature = context.object
    facts = [
        (translated("Place"), shown.place_text(join["place"])),
        (translated("Leaves"), clip_text(armature, join["from"])),
        (translated("Enters"), clip_text(armature, join["to"])),
    ]
    drawing.facts(layout, context, facts)
    for line in told.reason(armature, join):
        drawing.sentence(layout, context, line)
    if join["next_best"]:
        column = layout.column(align=True)
        column.label(text="Next Best")
        for i, other in enumerate(join["next_best"]):
            row = column.row(align=True)
            does = told.gait(other["leads"], shown.size)
            text = names.fitted_for(context, f"{does}  {clip_text(armature, other)}", 1.0, 20.0)
            row.operator("inertia.take_clip", text=text, icon="PINNED", translate=False).index = i
    layout.operator("inertia.forbid_clip", icon="CANCEL")


class Asked(Part):
    """Lists where to be on which frame, and which clips are pinned to places or forbidden on parts."""

    bl_label = "Goals and Pins"
    parent = Path
    poll = Path.poll

    def draw(self, context: Any) -> None:
        layout, own = self.layout, context.object.inertia_path
        if not asked(own):
            text = "Put the 3D cursor on the path and say when to be there, or pin a clip to that place."
            drawing.sentence(layout, context, words.Line(text))
        column = layout.column(align=True)
        column.operator("inertia.set_goal", icon="TRACKING")
        column.operator("inertia.pin_clip", text="Pin at 3D Cursor", icon="PINNED")
        if len(own.fixed):
            row = layout.row()
            row.label(text=translated("As it is up to {0} s", f"{own.fixed[-1].at:.1f}"), icon="LOCKED")
            row.operator("inertia.unpin_clip", text="", icon="X").change = "FIXED"
        for kind in ("goal", "pin", "ban"):
            draw_asked(layout, own, kind)
        if asked(own) > 1:
            layout.operator("inertia.unpin_clip", text="Take Back All", icon="TRASH").change = "ALL"


FIELDS = {
    "goal": ("frame", "at", "use_facing"),
    "pin": ("frame", "at", "mirrored"),
    "ban": ("first", "last"),
}
"""What is shown of the chosen goal, pin or ban."""


def draw_asked(layout: Any, own: Any, kind: str) -> None:
    """The list of goals, of pins or of bans, where there are any, with the fields of the chosen one."""
    items, index = getattr(own, f"{kind}s"), getattr(own, f"active_{kind}")
    if not len(items):
        return
    row = layout.row()
    row.template_list(f"INERTIA_UL_path_{kind}s", "", own, f"{kind}s", own, f"active_{kind}", rows=3)
    row.column(align=True).operator("inertia.unpin_clip", text="", icon="REMOVE").change = kind.upper()
    if 0 <= index < len(items):
        column, item = split(layout.column()), items[index]
        if kind != "goal":
            pickers.draw(column, item, "action")
        for name in FIELDS[kind]:
            column.prop(item, name)
        if kind == "goal" and item.use_facing:
            column.prop(item, "facing")


PARTS = (Joins, Asked)
