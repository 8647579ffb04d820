# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn of a transition's costs, of what will be seen of it, and of where a better one lies."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import bpy

from ...blender.data import scene
from ...blender.judging import verdict
from ...errors import InertiaError, Sentence
from ...settings.cost import Search
from .. import translations
from ..judging import live
from ..overlay.panels import VIEW3D_PT_inertia_overlays
from ..shared import character, drawing, forms, labels, words
from ..shared.drawing import split
from ..shared.labels import ICON, measure_for, room_for, wrap
from ..transition import entry_search, preview_operators
from ..translations import translated
from . import costs, curve_plot, figures, search

if TYPE_CHECKING:
    from ...blender.judging.remedies import Remedy
    from ...blender.judging.verdict import Fault, Verdict
    from ..judging.live import VerdictView

    Said = tuple[Sentence | str, str, Fault | None]
    """What there is to say, its icon, and the fault that is gone to beside it."""

SEARCHED = ("by", "keep_frames", "before_seconds", "behind_seconds", "apart_frames", "skate_weight")
"""What decides which pairs are the best, in the order in which that is drawn."""
RANKED = 6
"""How many controls are ranked in the panel."""
INSIDE = 8.0
"""What a button keeps free around its text beyond a label, pixels at a UI scale of 1."""
ROWS = 3
"""So many rows a verdict and what helps take together, so that nothing below them jumps."""
LINES = 2
"""So many of these the verdict may take."""
SHORTER = re.compile("[,\uff0c]")
"""Where a sentence is cut that is longer."""
REMEDY_ICONS = {
    "JUMP": "FRAME_NEXT",
    "LENGTH": "TIME",
    "FEET": "CON_KINEMATIC",
    "PAIR": "ARROW_LEFTRIGHT",
    "MATCH": "FILE_REFRESH",
}


def draw_best(layout: Any) -> None:
    """Draw the button that finds the best pair of frames, with a menu behind it for the best entry, the best
    cut and the ten best pairs.
    """
    row = layout.row(align=True)
    row.operator("inertia.find_meeting", text="Best Pair", icon="VIEWZOOM").goal = "PAIR"
    row.menu("INERTIA_MT_best", text="", icon="DOWNARROW_HLT")


def draw_cost(layout: Any, context: Any) -> None:
    """Draw what the active armature's transition costs, the switch of its curve, and the popover of all
    overlays; for a panel's header.

    The cost is a button that explains it, inertia.explain_figure; it is left out where the cost is not known.
    """
    if text := cost_text(context.object):
        layout.operator("inertia.explain_figure", text=text, emboss=False, translate=False).figure = "COST"
    row = layout.row(align=True)
    row.prop(context.scene.inertia_overlay, "curves", text="", icon="GRAPH")
    row.popover(panel=VIEW3D_PT_inertia_overlays.__name__, text="", icon="OVERLAY")


def draw_costs(layout: Any, context: Any) -> None:
    """Draw the verdict on the active armature's coming transition with its figures, greyed while it is out of
    date, then why costs leave something out, if they do, and which controls cost most.

    Verdict and figures are left out while there is no verdict. Where the verdict can't be looked for, or
    costs are not known, there is only a sentence that says why and, if Blender has to play the clips first,
    the button inertia.evaluate_clips.
    """
    armature = context.object
    column = layout.column(align=True)
    try:
        view = live.current(armature)
        meeting_costs = costs.costs_of(armature)
    except InertiaError as error:
        drawing.sentence(layout, context, words.PanelLine(error.sentence, "INFO"))
        if isinstance(error, costs.NotEvaluated):
            layout.operator("inertia.evaluate_clips", icon="PLAY")
        return
    column.active = view.is_current
    if view.verdict is not None and not view.fault:
        draw_told(column, context, armature, view.verdict)
        draw_figures(column, context, view)
    if reason := curve_plot.left_out(armature, meeting_costs):
        drawing.sentence(layout, context, words.PanelLine(reason, "INFO"))
    draw_ranking(layout, context, costs.by_control(meeting_costs, armature))


def cost_text(armature: Any) -> str:
    """Return the cost of the armature's transition, of all joints that count together, with three digits and
    its unit, such as "0.0432 m·s"; "" where it is not known.
    """
    try:
        parts = costs.by_control(costs.costs_of(armature), armature)
    except InertiaError:
        return ""
    return words.cost_text(sum(part for _, part in parts))


def draw_ranking(layout: Any, context: Any, costs_by_control: Sequence[tuple[str, float]]) -> None:
    """Draw which controls make a transition cost what it does, the first RANKED with a bar of their share in
    the sum, their cost and that share in percent, and how many more there are, if any.

    costs_by_control: (control, cost) pairs, the dearest first; all of them count in the sum. Each name is a
    button that selects the control.
    """
    total = sum(part for _, part in costs_by_control)
    column = layout.column(align=True)
    for name, part in costs_by_control[:RANKED]:
        row = column.split(factor=drawing.LABELS, align=True)
        left = row.row()
        left.alignment = "RIGHT"
        text = labels.fitted_for(context, labels.bone(context.object, name), drawing.LABELS, INSIDE)
        left.operator("inertia.select_bone", text=text, emboss=False, translate=False).bone = name
        share = part / total if total > 0.0 else 0.0
        row.progress(factor=share, text=f"{part:.3g}  ({share:.0%})")
    if len(costs_by_control) > RANKED:
        drawing.beside(column, translated("and {0} more", len(costs_by_control) - RANKED))


class VIEW3D_PT_inertia_search_options(drawing.Popover, bpy.types.Panel):
    """Where Best Pair, Best Entry and Best Cut look, in a popover."""

    bl_label = "Search Options"

    def draw(self, context: Any) -> None:
        context = character.read_meant(context)
        group, overlays = context.object.inertia_search, context.scene.inertia_overlay
        column = split(self.layout).column()
        row = column.row(heading=translated("Cuts"))
        row.prop(group, "use_range", text="From Range")
        if group.use_range:
            pair = column.column(align=True)
            pair.prop(group, "first")
            pair.prop(group, "last")
        forms.draw(column, group, Search, SEARCHED)
        column.prop(overlays, "map_kind")
        row = column.row(align=True)
        for text, icon, as_image in (("Save Picture", "FILE_IMAGE", False), ("As Image", "IMAGE_DATA", True)):
            save = row.operator("inertia.save_map", text=text, icon=icon)
            save.as_image, save.kind = as_image, overlays.map_kind


def draw_pairs(layout: Any, context: Any) -> None:
    """Draw the search for the ten best pairs of frames, with its options, the switch of the map of all pairs
    and the button that compares with the last bake.

    Where there are pairs, they follow as a list, with a warning if they are out of date, buttons that step
    through it, the active one's verdict and the switch that bakes each; last, in red, why the search had to
    end.
    """
    group = context.object.inertia_search
    row = layout.row(align=True)
    # three words have no room for icons
    ten = row.operator("inertia.find_meeting", text=translated("Ten Best"), translate=False)
    ten.goal = "PAIRS"
    row.prop(context.scene.inertia_overlay, "map", text="Map", toggle=True)
    row.use_property_split = False
    row.prop_enum(bpy.context.window_manager, preview_operators.HELD, "OTHER")
    drawing.draw_options(row, VIEW3D_PT_inertia_search_options)
    if len(group.pairs):
        if search.is_out_of_date(context.object):
            line = words.PanelLine("Settings or actions have changed since these were found.", "ERROR")
            drawing.sentence(layout, context, line)
        row = layout.row()
        row.template_list("INERTIA_UL_pairs", "", group, "pairs", group, "active_pair", rows=4, maxrows=10)
        side = row.column(align=True)
        side.operator("inertia.step_pair", text="", icon="TRIA_UP").step = -1
        side.operator("inertia.step_pair", text="", icon="TRIA_DOWN").step = 1
        if 0 <= group.active_pair < len(group.pairs):
            rating, headline = search.verdict_of(group.pairs[group.active_pair])
            if headline:
                line = words.PanelLine(headline, drawing.RATINGS.get(rating, "INFO"))
                drawing.sentence(layout, context, line)
        row = layout.row()
        row.use_property_split = False
        row.prop(group, "rebake")
    if group.problem:
        drawing.sentence(layout, context, words.PanelLine(group.problem, "ERROR", alert=True))


def draw_outlook(layout: Any, context: Any, armature: Any) -> None:
    """Draw in ROWS rows what will be seen of the armature's coming transition, and what helps.

    First comes the verdict with its worst fault, in one row or, where it does not fit, in two, and a button
    that goes to the fault. The other rows have buttons for what helps, the best first, or where nothing needs
    help how far feet skate; see :func:`draw_helps`. In place of the verdict stands why there is none, or that
    it is being looked at. While the verdict is of former settings, all is greyed and the buttons for what
    helps can't be pressed.

    To draw may begin to judge, see :func:`live.current`. Nothing is raised for settings that are out of range
    or don't go together: what is wrong with them is said instead.
    """
    column = layout.column(align=True)
    column.scale_y = 0.85
    try:
        view = live.current(armature)
    except InertiaError as error:
        view = live.VerdictView(None, (), is_current=True, fault=error.sentence)
    column.active = view.is_current
    said: Said = ("Judging it", "TIME", None)
    if entry_search.is_running(armature):
        said = ("First frame shown, looking for a better one", "SORTTIME", None)
    if view.fault:
        said = (view.fault, "INFO", None)
    elif view.verdict is not None:
        said = next(_describe_verdict(view.verdict, armature))
    lines = _fit_lines(context, said)
    for line, icon, fault in lines:
        row = column.row(align=True)
        row.label(text=line, icon=icon, translate=False)
        if fault is not None:
            draw_way_to(row, fault)
    buttons = column.column(align=True)
    # what helped other settings does not help these
    buttons.enabled = view.is_current
    draw_helps(buttons, view, ROWS - len(lines))


def figures_of(outlook: VerdictView) -> list[tuple[str, str]]:
    """Return pairs of label and text, translated, on what was measured of a judged transition: "Pop", the
    highest change of velocity, as in "1.3 times the clips'", then "Skate", "Lift" and "Reach", lengths in the
    scene's unit such as "14 cm"; one that is None is left out. [] where there is no verdict.
    """
    judged = outlook.verdict
    if judged is None or outlook.fault:
        return []
    ratio = translated("{0} times the clips'", f"{judged.highest.ratio:.1f}")
    lengths = (("Skate", judged.skate), ("Lift", judged.lift), ("Reach", judged.reach))
    return [
        (translated("Pop"), ratio),
        *((translated(label), scene.length_text(value)) for label, value in lengths if value is not None),
    ]


def draw_figures(layout: Any, context: Any, outlook: VerdictView) -> None:
    """Draw what was measured of a judged transition, a row of a greyed label and a value each."""
    drawing.facts(layout, context, figures_of(outlook), figures.translate_names())


def draw_way_to(row: Any, fault: Fault) -> None:
    """Draw a button that goes to a fault."""
    to = row.operator("inertia.go_to_fault", text="", icon="FORWARD", emboss=False)
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
        occupied = 0.0 if fault is None else ICON
        drawing.sentence(row.column(), context, words.PanelLine(text, icon), occupied=occupied)
        if fault is not None:
            draw_way_to(row, fault)


def draw_helps(layout: Any, outlook: VerdictView, rows: int) -> None:
    """Draw what helps the coming transition in exactly `rows` rows, empty ones at the end.

    - Where the view has a fault and needs an operator: its button, inertia.judge.
    - With any other fault, or without a verdict: empty rows only.
    - For a verdict without faults, how far feet skate, if that is known.
    - While `helps` is None: the text "Looking for what helps".
    - Else a button for each remedy, in order, which runs inertia.use_remedy. The operator gets
      the remedy's kind, the settings that it changes (each as a property of that name), and in
      `seen` the sentences of its verdict, translated.
    """
    drawn = 0
    if outlook.fault:
        if outlook.needs_operator:
            layout.operator("inertia.judge", icon="HIDE_OFF")
            drawn = 1
    elif outlook.verdict is not None and not outlook.verdict.faults:
        if outlook.verdict.skate is not None:
            skate = scene.length_text(outlook.verdict.skate)
            drawing.label(layout, translated("Feet skate {0}", skate))
            drawn = 1
    elif outlook.verdict is not None and outlook.helps is None:
        drawing.label(layout, translated("Looking for what helps"))
        drawn = 1
    elif outlook.verdict is not None:
        for remedy in (outlook.helps or ())[:rows]:
            draw_remedy(layout, remedy)
            drawn += 1
    for _ in range(rows - drawn):
        layout.label(text="")


def draw_remedy(layout: Any, remedy: Remedy) -> None:
    """Draw a button, inertia.use_remedy, with a remedy's sentence.

    The operator gets the remedy's kind, the settings that it changes, each as a property of that name, and in
    `seen` the sentences of the verdict that is expected, translated and joined by spaces.
    """
    text = translations.sentence(remedy.sentence)
    use = layout.operator("inertia.use_remedy", text=text, icon=REMEDY_ICONS[remedy.kind], translate=False)
    use.kind = remedy.kind
    use.seen = " ".join(map(translations.sentence, verdict.sentences(remedy.verdict)))
    for name, value in remedy.change.items():
        setattr(use, name, value)


def _describe_verdict(judged: Verdict, armature: Any) -> Iterator[Said]:
    called = character.controls_of(armature, [fault.bone for fault in judged.faults])
    called = {bone: labels.bone(armature, name) for bone, name in called.items()}
    first, *others = verdict.sentences(judged, called)
    yield first, drawing.RATINGS[judged.rating], judged.faults[0] if judged.faults else None
    for hint in verdict.hints(judged):
        yield hint, "BLANK1", None
    for fault, text in zip(judged.faults[1:], others, strict=False):
        yield text, "BLANK1", fault


def _fit_lines(context: Any, opening: Said) -> list[tuple[str, str, Fault | None]]:
    """Return (text, icon, fault) for each row that a sentence takes in the panel, LINES at most. Icon and
    fault stand in its first row, "BLANK1" and None in others.

    Of a sentence that is longer, what stands before its first comma is left, such as "Poor: the left shoulder
    snaps at 24.5"; Look has the whole one. Where that does not fit either, dots end the last row.
    """
    text, icon, fault = opening
    room = room_for(context, 1.0, ICON if fault is None else 2.0 * ICON)
    whole = translations.sentence(text)
    pieces: list[str] = []
    for tried in (whole, SHORTER.split(whole)[0]):
        pieces = wrap(tried, room, measure_for(context))
        if len(pieces) <= LINES:
            break
    else:
        pieces = [*pieces[: LINES - 1], f"{pieces[LINES - 1]}{labels.DOTS}"]
    return [(piece, "BLANK1" if i else icon, None if i else fault) for i, piece in enumerate(pieces)]


CLASSES = (VIEW3D_PT_inertia_search_options,)
