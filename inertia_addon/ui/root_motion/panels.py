# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels on root motion: how fast the root goes and turns, and the springs that would move it so."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import bpy

from ...blender.root_motion import measure
from ...errors import InertiaError
from ...records import record
from ...settings.root_motion import Settings
from ..overlay.panels import PlotPanel
from ..shared import drawing, forms, labels, row_list, tab, words
from ..shared.drawing import ListRows, PanelPart, at_end, split
from ..shared.row_list import Button
from ..transition import pickers
from ..translations import sentence, translated
from . import measured as root_motion

if TYPE_CHECKING:
    from ...motion.root_motion.modes import HalfLives
    from ...motion.root_motion.ramps import Ramp
    from .measured import RootMotionView

ESTIMATORS = {"LEAST_SQUARES": "Least squares", "CLOSED_FORM": "Peak rate"}
MODES = {
    "run": "Run",
    "walk": "Walk",
    "strafe": "Strafe",
    "back": "Back Up",
    "stand": "Stand",
}
OPTIONS = (
    *("smoothing_seconds", "peak_seconds", "sustained_seconds"),
    *("least_speed_change", "least_turn", "run_speed"),
)
"""How root motion is measured, in the order in which that is drawn."""
MOST_RAMPS = 12
"""So many ramps of a kind are listed."""


class INERTIA_UL_actions(ListRows, bpy.types.UIList):
    if TYPE_CHECKING:
        measured: dict[str, RootMotionView]
    measured = {}
    """What is known of the listed actions, by name, asked for once for all rows."""

    def draw_row(self, row: Any, _data: Any, item: Any, _index: int) -> None:
        if item.action is None:
            row.label(text="Gone", icon="ERROR")
            return
        text = labels.action(item.id_data, item.action.name)
        row.label(text=text, icon="ACTION", translate=False)
        shown = self.measured.get(item.action.name)
        at_end(row, main_text(shown) if shown is not None else "", active=False)


def main_text(view: RootMotionView) -> str:
    """Return an action's maximum speed and the half-life of the ramp that changes the speed most, such as
    "2.30 m/s, 0.20 s".

    The half-life is the view's ``best_guess``: the chosen estimator's, or the closed form's where its fit
    says little. Without a ramp it is left out: "2.30 m/s". Without a maximum speed return "does not travel",
    in Blender's language.
    """
    speed, ramp = view.measured.maximum_speed, view.measured.main_ramp
    if speed is None:
        return translated("does not travel")
    text = f"{speed:.2f} m/s"
    return text if ramp is None else f"{text}, {view.best_guess(ramp):.2f} s"


class RootMotionPanel(PlotPanel):
    """Shows how fast the root goes and turns, and which springs would move it so."""

    bl_label = "Root Motion"
    bl_options: set[str] = set()
    mode = tab.MEASURE
    order = 90

    def draw(self, context: Any) -> None:
        layout = split(self.layout)
        armature = context.object
        draw_choice(layout, context)
        try:
            shown = root_motion.read_view(armature)
        except InertiaError as error:
            drawing.sentence(layout, context, words.PanelLine(error.sentence))
            # the button stands above already where several actions are measured
            if isinstance(error, root_motion.NotMeasured) and armature.inertia_root.scope == "ACTION":
                layout.operator("inertia.measure_actions", icon="PLAY")
            return
        measured, degrees = shown.measured, 180.0 / math.pi
        if measured.travels:
            held = f"{shown.settings.sustained_seconds:.2g} s"
            speed = translated("{0} m/s for {1}", f"{measured.maximum_speed:.2f}", held)
            rate = rates(shown, measured.main_ramp, measured.peak_acceleration, "Acceleration", "m/s²", 1.0)
            drawing.facts(layout, context, [(translated("Top speed"), speed), *rate])
        if measured.turns_at_all:
            turn = f"{measured.total_turn * degrees:.1f}°"
            rate = rates(shown, measured.main_turn, measured.peak_turn_rate, "Turn rate", "°/s", degrees)
            drawing.facts(layout, context, [(translated("Total turn"), turn), *rate])
        for line in lines_of(shown):
            drawing.sentence(layout, context, line)
        if measured.main_ramp is not None or measured.main_turn is not None:
            layout.operator("inertia.use_half_life", text="Use for Transition", icon="IPO_EASE_IN_OUT")


BESIDE = (Button("list_actions", "REMOVE", values={"change": "REMOVE"}),)
BELOW = tuple(
    Button("list_actions", text=text, values={"change": change})
    for change, text in (
        ("ALL", "Add All"),
        ("ACTION", "Add Assigned"),
        ("SELECTED", "Add Selected"),
        ("CLEAR", "Clear"),
    )
)
"""The buttons beside the list of actions, and below it."""


def draw_choice(layout: Any, context: Any) -> None:
    """Draw which actions are measured, of the active armature's inertia_root: the scope; for "LISTED" the
    list, with buttons of inertia.list_actions that add all actions, those selected or the assigned one and
    remove the active row, else a picker, which shows the assigned action where none is picked; the button
    inertia.measure_actions, unless the scope is "ACTION"; and the estimator.
    """
    armature = context.object
    root = armature.inertia_root
    layout.prop(root, "scope")
    if root.scope == "LISTED":
        INERTIA_UL_actions.measured = {shown.action: shown for shown in root_motion.recall_views(armature)}
        row_list.draw_rows(layout, root, ("INERTIA_UL_actions", "listed", "active_listed"), BESIDE, BELOW)
    else:
        assigned = root_motion.choose_action(armature) if root.action is None else None
        pickers.draw(layout, root, "action", "Action", usual=pickers.describe_assigned(armature, assigned))
    if root.scope != "ACTION":
        layout.operator("inertia.measure_actions", icon="PLAY")
    layout.prop(root, "estimator")


def rates(
    view: RootMotionView,
    ramp: Ramp | None,
    peak: float | None,
    label: str,
    unit: str,
    per_unit: float,
) -> list[tuple[str, str]]:
    """Return two pairs (label, text) in Blender's language: (label, "12.3 m/s² at its peak") and
    ("Half-life", :func:`half_life_text` of the ramp by the view's estimator). Return [] if ramp or peak is
    None.

    peak: the rate, shown times per_unit with three digits. label: in English; it is translated. unit: how the
    product's unit is written.
    """
    if ramp is None or peak is None:
        return []
    at_peak = translated("{0} {1} at its peak", f"{peak * per_unit:.3g}", unit)
    return [(translated(label), at_peak), (translated("Half-life"), half_life_text(ramp, view.estimator))]


BOUNDS = {"=": "{0} s", ">": "at least {0} s", "<": "at most {0} s"}


def half_life_text(ramp: Ramp, estimator: str) -> str:
    """Return a ramp's half-life by an estimator, in seconds with three digits, in Blender's language.

    It is "0.2 s"; "at least 0.2 s" or "at most 0.2 s" if only a bound is known; "too uncertain to tell" if
    not even that. Where the least squares fit has an interval with both ends, that follows: "0.2 s (0.1 to
    0.3)", also after a bound.

    estimator: :data:`measure.LEAST_SQUARES` or CLOSED_FORM; without a fit both give the closed form.
    """
    value, bound = measure.bounded(ramp, estimator)
    if bound == "?":
        return translated("too uncertain to tell")
    text = translated(BOUNDS[bound], f"{value:.3g}")
    ends = measure.interval(ramp, estimator)
    if ends is None:
        return text
    return translated("{0} ({1} to {2})", text, f"{ends[0]:.3g}", f"{ends[1]:.3g}")


def lines_of(view: RootMotionView) -> list[words.PanelLine]:
    """Return lines for the panel on the root motion of an action as a whole, in this order, as far as they
    apply.

    First comes at most one of these: that it neither travels nor turns; that it does not travel; that it
    travels at about the same speed. An action that travels and does not turn has no line on that. Then, if it
    turns, by how many degrees it sways; and last, as an error, how many single-frame jumps were left out,
    with the frames of the first four.
    """
    measured, root = view.measured, view.read.root
    lines = []
    if not measured.travels and not measured.turns_at_all:
        text = "{root} neither travels nor turns in {action}."
        lines.append(words.line(text, root=root, action=view.action))
    elif not measured.travels:
        lines.append(words.line("{root} does not travel: it has no speed to fit.", root=root))
    elif not measured.speeds:
        lines.append(words.PanelLine("The speed stays about the same: there is no ramp to fit."))
    if measured.turns_at_all:
        sway = math.degrees(measured.curves.sway)
        lines.append(words.line("{sway:.1f}° of swaying is smoothed away.", sway=sway))
    jumps = view.read.motion.jumps
    if len(jumps):
        frames = ", ".join(f"{frame:g}" for frame in jumps[:4]) + (" ..." if len(jumps) > 4 else "")
        what = words.count(len(jumps), "single-frame jump")
        lines.append(words.line("Left out: {jumps}, at {frames}.", "ERROR", jumps=what, frames=frames))
    return lines


class RampsPanel(PanelPart):
    """Lists all starts, stops and turns of the root, each with the spring that it is like."""

    bl_label = "Ramps and Turns"
    is_pipeline = True
    bl_options: set[str] = set()
    parent = RootMotionPanel
    poll = RootMotionPanel.poll

    def draw(self, context: Any) -> None:
        try:
            shown = root_motion.read_view(context.object)
        except InertiaError:
            return  # said above
        layout = self.layout
        speeds, turns = shown.measured.speeds, shown.measured.turns
        draw_ramps(layout, context, shown, is_other=False)
        if not speeds and not turns:
            drawing.sentence(layout, context, words.PanelLine("No ramp or turn was found."))
        for by_hand, kind, text in (
            (shown.own_speed, "speed", "Find Speed Ramps Again"),
            (shown.own_turn, "turn", "Find Turns Again"),
        ):
            if by_hand:
                layout.operator("inertia.reset_ramps", text=text, icon="LOOP_BACK").kind = kind


class OtherRampsPanel(PanelPart):
    """Lists the changes of speed that are like no spring, such as strides."""

    bl_label = "No Springs"
    parent = RampsPanel

    @classmethod
    def poll(cls, context: Any) -> bool:
        if not RootMotionPanel.poll(context):
            return False
        try:
            measured = root_motion.read_view(context.object).measured
        except InertiaError:
            return False  # said above
        return any(ramp.is_other for ramp in (*measured.speeds, *measured.turns))

    def draw(self, context: Any) -> None:
        draw_ramps(self.layout, context, root_motion.read_view(context.object), is_other=True)


@record(frozen=True)
class RampUnit:
    """The unit that a ramp's values are shown in. factor: by which they are multiplied for it."""

    name: str
    factor: float


METRES_A_SECOND, DEGREES = RampUnit("m/s", 1.0), RampUnit("°", 180.0 / math.pi)


def draw_ramps(layout: Any, context: Any, view: RootMotionView, *, is_other: bool) -> None:
    """Draw the ramps of the speed and then the turns, each with its number among all of its kind, and its
    mode.

    is_other: draw those that are like no spring, instead of all others. Of each kind at most MOST_RAMPS are
    drawn; how many more there are of both is said at the end.
    """
    hidden = 0
    found = view.modes
    for ramps, modes, name, unit in (
        (view.measured.speeds, found.speeds, "Speed {0}, {1}", METRES_A_SECOND),
        (view.measured.turns, found.turns, "Turn {0}, {1}", DEGREES),
    ):
        wanted = [(i, ramp) for i, ramp in enumerate(ramps, 1) if ramp.is_other == is_other]
        for i, ramp in wanted[:MOST_RAMPS]:
            title = translated(name, i, translated(MODES[modes[i - 1]]))
            draw_ramp(layout, context, view, ramp, title, unit)
        hidden += len(wanted[MOST_RAMPS:])
    if hidden:
        layout.label(text=translated("and {0} more", hidden), translate=False)


def draw_ramp(
    layout: Any, context: Any, view: RootMotionView, ramp: Ramp, title: str, unit: RampUnit
) -> None:
    """Draw one ramp: a row with its title, from what to what it goes, and its frames; then its half-life by
    least squares, if there is a fit, and by peak rate; how far off the spring is and how much it explains;
    and remarks as sentences.

    view: the action's. unit: that of the ramp's values.
    """
    fps, factor = view.read.motion.fps, unit.factor
    column = layout.column(align=True)
    row = column.row()
    change = translated("{0} to {1}", f"{ramp.before * factor:.3g}", f"{ramp.after * factor:.3g}")
    row.label(text=f"{title}: {change} {unit.name}", translate=False)
    at_end(row, translated("{0} to {1}", f"{ramp.start * fps:.0f}", f"{ramp.end * fps:.0f}"), active=False)
    fit = ramp.fit
    facts = [
        (translated(label), half_life_text(ramp, estimator))
        for estimator, label in ESTIMATORS.items()
        if fit is not None or estimator == measure.CLOSED_FORM
    ]
    if fit is not None:
        facts.append((translated("Off by"), f"{fit.residual * factor:.2g} {unit.name}"))
        facts.append((translated("Fits"), f"{max(ramp.explained, 0.0):.1%}"))
    drawing.facts(column, context, facts)
    for remark in measure.remarks(ramp):
        icon = "ERROR" if remark.template == measure.NOT_A_SPRING else "INFO"
        remark_text = sentence(remark)
        text = translated("{0}.", f"{remark_text[0].upper()}{remark_text[1:]}")
        drawing.sentence(column, context, words.PanelLine(text, icon))


class MovementModesPanel(PanelPart):
    """Says for each way to move, such as to run or to strafe, its top speed and its half-lives, over all
    measured actions."""

    bl_label = "Movement Modes"
    is_pipeline = True
    parent = RootMotionPanel
    poll = RootMotionPanel.poll

    def draw(self, context: Any) -> None:
        number = len(root_motion.recall_views(context.object))
        self.layout.label(text=words.count(number, "measured action"), translate=False)
        found = root_motion.recall_modes(context.object)
        if not found:
            drawing.sentence(self.layout, context, words.PanelLine("No measured action travels or turns."))
        for mode in found:
            column = self.layout.column(align=True)
            row = column.row()
            row.label(text=translated(MODES[mode.name]), translate=False)
            if mode.top_speed is not None:
                at_end(row, f"{mode.top_speed:.2f} m/s")
            spreads = (
                ("Half-life", mode.speeds),
                ("Starts", mode.starts),
                ("Stops", mode.stops),
                ("Turns", mode.turns),
            )
            drawing.facts(
                column,
                context,
                [(translated(label), spread_text(spread)) for label, spread in spreads if spread is not None],
            )


def spread_text(spread: HalfLives) -> str:
    """Return half-lives in a few words, in Blender's language, seconds with three digits.

    "0.2 s" if there is one, else "0.2 s, median of 5 (0.1 to 0.3)", with the least and the greatest in
    brackets.
    """
    if spread.count == 1:
        return translated("{0} s", f"{spread.middle:.3g}")
    middle, low, high = (f"{value:.3g}" for value in (spread.middle, spread.low, spread.high))
    return translated("{0} s, median of {1} ({2} to {3})", middle, spread.count, low, high)


class RootOptionsPanel(PanelPart):
    """Chooses which bone tells the root motion, and how it is measured."""

    bl_label = "Root Options"
    parent = RootMotionPanel
    poll = RootMotionPanel.poll

    def draw(self, context: Any) -> None:
        layout = split(self.layout)
        root = context.object.inertia_root
        column = layout.column()
        column.prop(root, "bone", icon="BONE_DATA", placeholder="Automatic")
        column.prop(root, "axis")
        forms.draw(layout, root, Settings, OPTIONS)


class RootExportPanel(PanelPart):
    """Hands the half-lives on: to the clipboard, to a file, or to the character."""

    bl_label = "Export"
    is_pipeline = True
    parent = RootMotionPanel
    poll = RootMotionPanel.poll

    def draw(self, context: Any) -> None:
        number = len(root_motion.recall_views(context.object))
        self.layout.label(text=words.count(number, "measured action"))
        for operator, text, icon in (
            ("inertia.save_root_motion", "Save {0}", "EXPORT"),
            ("inertia.copy_root_motion", "Copy {0}", "COPYDOWN"),
        ):
            row = self.layout.row(align=True)
            for kind in ("JSON", "CSV"):
                row.operator(operator, text=translated(text, kind), icon=icon).kind = kind


PARTS = (RootMotionPanel, RampsPanel, OtherRampsPanel, MovementModesPanel, RootOptionsPanel, RootExportPanel)
CLASSES = (INERTIA_UL_actions,)
