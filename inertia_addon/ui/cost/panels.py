# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels on what a transition costs, what will be seen of it, and where a better one lies.

What will be seen takes always as much room, so that nothing below it jumps.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...blender.data import scene
from ...blender.judging import remedies, verdict
from ...blender.judging.verdict import Fault, Verdict
from ...errors import InertiaError, Sentence
from ...settings import fields
from ...settings.cost import Search
from .. import translations
from ..judging import live
from ..judging.live import VerdictView
from ..overlay.panels import VIEW3D_PT_inertia_overlays
from ..shared import drawing, labels, words
from ..shared.drawing import PairPanel, split
from ..shared.labels import ICON, measure_for, room_for, wrap
from ..transition.character import CharacterPanel
from ..translations import translated
from . import costs, search
from .curve_plot import left_out
from .joint_list import controls_of, draw_joints

RANKED = 8
"""How many controls are ranked in the panel."""
INSIDE = 8.0
"""What a button keeps free around its text beyond a label, pixels at a UI scale of 1."""
LINES = 5
"""So many lines of text the verdict has, whatever it says ..."""
BUTTONS = remedies.MOST
"""... and so many rows below it what helps."""
REMEDY_ICONS = {
    remedies.JUMP: "FRAME_NEXT",
    remedies.LENGTH: "TIME",
    remedies.FEET: "CON_KINEMATIC",
    remedies.PAIR: "ARROW_LEFTRIGHT",
    remedies.MATCH: "FILE_REFRESH",
}

Said = tuple[Sentence | str, str, Fault | None]
"""What there is to say, its icon, and the fault that is gone to beside it."""


class CostPanel(PairPanel):
    """Says how good the transition will look, what spoils it, and what helps."""

    bl_label = "Cost"
    bl_options: set[str] = set()
    order = 10

    def draw_header_preset(self, context: Any) -> None:
        drawing.label(self.layout, cost_text(context.object))
        row = self.layout.row(align=True)
        row.prop(context.scene.inertia_overlay, "curves", text="", icon="GRAPH")
        row.popover(panel=VIEW3D_PT_inertia_overlays.__name__, text="", icon="OVERLAY")

    def draw(self, context: Any) -> None:
        layout = split(self.layout)
        armature = context.object
        try:
            meeting_costs = costs.costs_of(armature)
        except InertiaError as error:
            drawing.sentence(layout, context, words.PanelLine(error.sentence, "INFO"))
            if isinstance(error, costs.NotEvaluated):
                layout.operator("inertia.evaluate_clips", icon="PLAY")
            return
        draw_verdict(layout, context, armature)
        if reason := left_out(armature, meeting_costs):
            drawing.sentence(layout, context, words.PanelLine(reason, "INFO"))


def cost_text(armature: Any) -> str:
    """Return the cost of the armature's transition, of all joints that count together, with three digits and
    its unit, such as "0.0432 m·s"; "" where it is not known.
    """
    try:
        parts = costs.by_control(costs.costs_of(armature), armature)
    except InertiaError:
        return ""
    return words.cost_text(sum(part for _, part in parts))


class RankingPanel(PairPanel):
    """Lists which bones make the transition cost what it does."""

    bl_label = "Cost by Bone"
    order = 30

    def draw(self, context: Any) -> None:
        armature = context.object
        try:
            parts = costs.by_control(costs.costs_of(armature), armature)
        except InertiaError:
            return  # said above
        total = sum(part for _, part in parts)
        column = split(self.layout).column(align=True)
        # the one whose joints cost most first; each can be clicked
        for name, part in parts[:RANKED]:
            row = column.split(factor=drawing.LABELS, align=True)
            left = row.row()
            left.alignment = "RIGHT"
            text = labels.fitted_for(context, labels.bone(armature, name), drawing.LABELS, INSIDE)
            left.operator("inertia.select_bone", text=text, emboss=False, translate=False).bone = name
            share = part / total if total > 0.0 else 0.0
            row.progress(factor=share, text=f"{part:.3g}  ({share:.0%})")
        if len(parts) > RANKED:
            drawing.beside(column, translated("and {0} more", len(parts) - RANKED))


class BestPairsPanel(PairPanel):
    """Finds the frames where two actions meet best, and lists them to be tried."""

    bl_label = "Best Pairs"
    parent = RankingPanel

    def draw(self, context: Any) -> None:
        layout = self.layout
        group = context.object.inertia_search
        row = layout.row(align=True)
        row.operator("inertia.find_meeting", text="Find Ten Best Pairs", icon="SORTSIZE").goal = "PAIRS"
        if len(group.pairs):
            if search.is_out_of_date(context.object):
                line = words.PanelLine("Settings or actions have changed since these were found.", "ERROR")
                drawing.sentence(layout, context, line)
            row = layout.row()
            row.template_list(
                "INERTIA_UL_pairs", "", group, "pairs", group, "active_pair", rows=4, maxrows=10
            )
            side = row.column(align=True)
            side.operator("inertia.step_pair", text="", icon="TRIA_UP").step = -1
            side.operator("inertia.step_pair", text="", icon="TRIA_DOWN").step = 1
            layout.prop(group, "rebake")
        if group.problem:
            drawing.sentence(layout, context, words.PanelLine(group.problem, "ERROR", alert=True))
        # where all of the searches look
        column = split(layout).column()
        row = column.row(heading=translated("Cuts"))
        row.prop(group, "use_range", text="From Range")
        if group.use_range:
            pair = column.column(align=True)
            pair.prop(group, "first")
            pair.prop(group, "last")
        column.prop(group, "by")
        column.prop(group, "keep_frames")
        column.prop(group, "before_seconds")
        column.prop(group, "behind_seconds")
        column.prop(group, "apart_frames")
        column.prop(group, fields.settings(Search)["skate_weight"].stored)
        overlays, layout = context.scene.inertia_overlay, split(layout)
        layout.prop(overlays, "map", text="Map")
        layout.prop(overlays, "map_kind")
        row = layout.row(align=True)
        for text, icon, as_image in (("Save Picture", "FILE_IMAGE", False), ("As Image", "IMAGE_DATA", True)):
            save = row.operator("inertia.save_map", text=text, icon=icon)
            save.as_image, save.kind = as_image, overlays.map_kind


class JointsPanel(PairPanel):
    """Chooses which joints count, and how much."""

    bl_label = "Joints"
    parent = CharacterPanel

    def draw(self, context: Any) -> None:
        draw_joints(self.layout, context)


def draw_verdict(layout: Any, context: Any, armature: Any) -> None:
    """Draw what will be seen of the armature's coming transition: rating and faults with buttons that go to
    them, figures, and buttons for what helps.

    It always takes LINES + BUTTONS rows. In the first LINES stand the verdict's lines, see
    :func:`_fit_lines`, then figures, as many as there is room for. In place of the verdict stands why there
    is none, or that it is being looked at. The BUTTONS rows below are those of :func:`draw_helps`. While the
    verdict is of former settings, all is greyed and the buttons for what helps can't be pressed.

    To draw may begin to judge, see :func:`live.current`. Raise InertiaError, with nothing drawn, for settings
    that are out of range or don't go together.
    """
    outlook = live.current(armature)
    column = layout.column(align=True)
    column.active = outlook.is_current
    text = column.column(align=True)
    text.scale_y = 0.8
    sentences: list[Said] = [("Looking at it", "TIME", None)]
    if outlook.fault:
        sentences = [(outlook.fault, "INFO", None)]
    elif outlook.verdict is not None:
        sentences = [*_describe_verdict(outlook.verdict, armature)]
    lines = _fit_lines(context, sentences)
    for line, icon, fault in lines:
        row = text.row(align=True)
        row.label(text=line, icon=icon, translate=False)
        if fault is not None:
            draw_way_to(row, fault)
    draw_figures(text, outlook, LINES - len(lines))
    buttons = column.column(align=True)
    # what helped other settings does not help these
    buttons.enabled = outlook.is_current
    draw_helps(buttons, outlook)


def draw_figures(layout: Any, outlook: VerdictView, count: int) -> None:
    """Draw what was measured of a judged transition, in exactly `count` rows, each of a greyed label and a
    value.

    First comes "Pop" with the highest change of velocity, as in "1.3 times the clips'". "Skate", "Lift" and
    "Reach" follow, lengths in the scene's unit such as "14 cm"; one that is None is left out. Figures beyond
    the count are left out; rows without a figure are empty. All are empty where the view has no verdict, or
    its `fault` says why it has none; the verdict's own faults don't matter.
    """
    figures: list[tuple[str, str]] = []
    if outlook.verdict is not None and not outlook.fault:
        judged = outlook.verdict
        ratio = translated("{0} times the clips'", f"{judged.highest.ratio:.1f}")
        lengths = (("Skate", judged.skate), ("Lift", judged.lift), ("Reach", judged.reach))
        figures = [
            (translated("Pop"), ratio),
            *((translated(label), scene.length_text(value)) for label, value in lengths if value is not None),
        ]
    for label, value in (figures + [("", "")] * count)[:count]:
        row = layout.split(factor=drawing.LABELS)
        left = row.row()
        left.alignment, left.active = "RIGHT", False
        left.label(text=label, translate=False)
        row.label(text=value, translate=False)


def draw_way_to(row: Any, fault: Fault) -> None:
    """Draw a button that goes to a fault."""
    to = row.operator("inertia.go_to_fault", text="", icon="TRACKER", emboss=False)
    to.bone, to.frame = fault.bone, fault.frame


def draw_told(column: Any, context: Any, armature: Any, judged: Verdict) -> None:
    """Draw the verdict on a baked result as sentences: the rating with the worst fault, hints on what faults
    come of, then the other faults.

    Each is wrapped into as many rows as it takes. The first has the rating's icon, the others none. Beside
    each fault is a button that goes to it; a hint has none, nor has a rating without faults. armature: bones
    are called by the controls that move them on it.
    """
    for text, icon, fault in _describe_verdict(judged, armature):
        row = column.row(align=True)
        drawing.sentence(row.column(), context, words.PanelLine(text, icon))
        if fault is not None:
            draw_way_to(row, fault)


def draw_helps(layout: Any, outlook: VerdictView) -> None:
    """Draw what helps the coming transition, in BUTTONS rows at least, empty ones at the end.

    - Where the view has a fault and needs an operator: its button, inertia.judge.
    - With any other fault, without a verdict, or for one without faults: empty rows only.
    - While `helps` is None: the text "Looking for what helps".
    - Else a button for each remedy, in order, which runs inertia.use_remedy. The operator gets
      the remedy's kind, the settings that it changes (each as a property of that name), and in
      `seen` the sentences of its verdict, translated. All remedies are drawn; BUTTONS is the
      most that are found.
    """
    helps = () if outlook.fault or outlook.verdict is None or not outlook.verdict.faults else outlook.helps
    rows = 0
    if outlook.fault and outlook.needs_operator:
        layout.operator("inertia.judge", icon="HIDE_OFF")
        rows = 1
    elif helps is None:
        drawing.label(layout, translated("Looking for what helps"))
        rows = 1
    for remedy in helps or ():
        text = translations.sentence(remedy.sentence)
        use = layout.operator(
            "inertia.use_remedy", text=text, icon=REMEDY_ICONS[remedy.kind], translate=False
        )
        use.kind = remedy.kind
        use.seen = " ".join(map(translations.sentence, verdict.sentences(remedy.verdict)))
        for name, value in remedy.change.items():
            setattr(use, name, value)
        rows += 1
    for _ in range(BUTTONS - rows):
        layout.label(text="")


def _describe_verdict(judged: Verdict, armature: Any) -> Iterator[Said]:
    called = controls_of(armature, [fault.bone for fault in judged.faults])
    called = {bone: labels.bone(armature, name) for bone, name in called.items()}
    first, *others = verdict.sentences(judged, called)
    yield first, drawing.RATINGS[judged.rating], judged.faults[0] if judged.faults else None
    for hint in verdict.hints(judged):
        yield hint, "BLANK1", None
    for fault, text in zip(judged.faults[1:], others, strict=False):
        yield text, "BLANK1", fault


def _fit_lines(context: Any, sentences: list[Said]) -> list[tuple[str, str, Fault | None]]:
    """Return (text, icon, fault) for each line that the sentences take in the panel, LINES at most.

    Of the first sentence as many lines as fit are kept; from the first other one that does not fit as a
    whole, all are left out. Icon and fault stand on a sentence's first line.
    """
    lines: list[tuple[str, str, Fault | None]] = []
    for text, icon, fault in sentences:
        room = room_for(context, 1.0, ICON if fault is None else 2.0 * ICON)
        pieces = wrap(translations.sentence(text), room, measure_for(context))
        if lines and len(lines) + len(pieces) > LINES:
            break
        lines += [
            (piece, "BLANK1" if i else icon, None if i else fault) for i, piece in enumerate(pieces[:LINES])
        ]
    return lines


PARTS = (CostPanel, RankingPanel, BestPairsPanel, JointsPanel)
