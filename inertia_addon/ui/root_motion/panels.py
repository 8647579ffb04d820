# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels on root motion: how fast the root goes and turns, and the springs that would move it so."""

from __future__ import annotations

import math
from typing import Any

import bpy

from ...blender.root_motion import values as root_motion_values
from ...errors import InertiaError
from ...motion.root_motion.ramps import Ramp
from ..overlay.panels import OfPlots
from ..shared import drawing, labels, tab, words
from ..shared.drawing import Part, Rows, at_end, split
from ..transition import pickers
from ..translations import sentence, translated
from . import measured as root_motion
from .measured import Shown

ESTIMATORS = {
    root_motion_values.LEAST_SQUARES: "Least squares",
    root_motion_values.CLOSED_FORM: "Peak rate",
}
MOST_RAMPS = 12
"""So many ramps of a kind are listed."""


class INERTIA_UL_actions(Rows, bpy.types.UIList):
    measured: dict[str, Shown] = {}
    """What is known of the listed actions, by name, asked for once for all rows."""

    def draw_row(self, row: Any, _data: Any, item: Any, _index: int) -> None:
        if item.action is None:
            row.label(text="Gone", icon="ERROR")
            return
        text = labels.action(item.id_data, item.action.name)
        row.label(text=text, icon="ACTION", translate=False)
        found = self.measured.get(item.action.name)
        at_end(row, main_text(found) if found is not None else "", active=False)


def main_text(shown: Shown) -> str:
    """What an action's root motion comes to, in a few characters."""
    speed, ramp = shown.measured.maximum_speed, shown.measured.main_ramp
    if speed is None:
        return translated("does not travel")
    text = f"{speed:.2f} m/s"
    return text if ramp is None else f"{text}, {shown.best_guess(ramp):.2f} s"


class RootMotion(OfPlots):
    """Shows how fast the root goes and turns, and which springs would move it so."""

    bl_label = "Root Motion"
    bl_options: set[str] = set()
    is_top = True
    mode = tab.MEASURE
    order = 90

    def draw(self, context: Any) -> None:
        layout = split(self.layout)
        armature = context.object
        draw_choice(layout, context)
        try:
            shown = root_motion.of(armature)
        except InertiaError as error:
            drawing.sentence(layout, context, words.Line(error.sentence))
            # the button stands above already where several actions are measured
            if isinstance(error, root_motion.NotMeasured) and armature.inertia_root.scope == "ACTION":
                layout.operator("inertia.measure_actions", icon="PLAY")
            return
        draw_measured(layout, context, shown)


def draw_choice(layout: Any, context: Any) -> None:
    """Which actions are measured."""
    armature = context.object
    own = armature.inertia_root
    layout.prop(own, "scope")
    if own.scope == "LISTED":
        INERTIA_UL_actions.measured = {shown.action: shown for shown in root_motion.known(armature)}
        row = layout.row()
        row.template_list("INERTIA_UL_actions", "", own, "listed", own, "active_listed", rows=4, maxrows=8)
        side = row.column(align=True)
        for change, icon in (
            ("ALL", "ADD"),
            ("SELECTED", "RESTRICT_SELECT_OFF"),
            ("ACTION", "ARMATURE_DATA"),
        ):
            side.operator("inertia.list_actions", text="", icon=icon).change = change
        side.separator()
        side.operator("inertia.list_actions", text="", icon="REMOVE").change = "REMOVE"
    else:
        row = layout.row(align=True)
        pickers.draw(row, own, "action", "Action")
        if own.action is None and (assigned := root_motion.shown_action(armature)) is not None:
            drawing.facts(layout, context, [(translated("Assigned"), labels.action(armature, assigned.name))])
    if own.scope != "ACTION":
        layout.operator("inertia.measure_actions", icon="PLAY")
    layout.prop(own, "estimator")


def draw_measured(layout: Any, context: Any, shown: Shown) -> None:
    """What the root motion comes to."""
    measured = shown.measured
    if measured.travels:
        held = f"{shown.settings.sustained_seconds:.2g} s"
        speed = translated("{0} m/s for {1}", f"{measured.maximum_speed:.2f}", held)
        facts = [(translated("Top speed"), speed)]
        facts += rates(shown, measured.main_ramp, measured.peak_acceleration, "Acceleration", "m/s²", 1.0)
        drawing.facts(layout, context, facts)
    if measured.turns_at_all:
        degrees = 180.0 / math.pi
        facts = [(translated("Total turn"), f"{measured.total_turn * degrees:.1f}°")]
        facts += rates(shown, measured.main_turn, measured.peak_turn_rate, "Turn rate", "°/s", degrees)
        drawing.facts(layout, context, facts)
    for line in lines_of(shown):
        drawing.sentence(layout, context, line)
    if measured.main_ramp is not None or measured.main_turn is not None:
        layout.operator("inertia.use_half_life", text="Use for Transition", icon="IPO_EASE_IN_OUT")


def rates(
    shown: Shown, ramp: Ramp | None, peak: float | None, label: str, unit: str, per_unit: float
) -> list[tuple[str, str]]:
    """A peak rate, and the half-life of the main ramp with how good it is."""
    if ramp is None or peak is None:
        return []
    at_peak = translated("{0} {1} at its peak", f"{peak * per_unit:.3g}", unit)
    return [(translated(label), at_peak), (translated("Half-life"), half_life_text(ramp, shown.estimator))]


BOUNDS = {"=": "{0} s", ">": "at least {0} s", "<": "at most {0} s"}


def half_life_text(ramp: Ramp, estimator: str) -> str:
    """A half-life, with its interval where it has one."""
    value, bound = root_motion_values.bounded(ramp, estimator)
    if bound == "?":
        return translated("too uncertain to tell")
    text = translated(BOUNDS[bound], f"{value:.3g}")
    ends = root_motion_values.interval(ramp, estimator)
    if ends is None:
        return text
    return translated("{0} ({1} to {2})", text, f"{ends[0]:.3g}", f"{ends[1]:.3g}")


def lines_of(shown: Shown) -> list[words.Line]:
    """What there is to know of the root motion as a whole."""
    measured, root = shown.measured, shown.read.root
    found = []
    if not measured.travels and not measured.turns_at_all:
        found.append(
            words.line("{root} neither travels nor turns in {action}.", root=root, action=shown.action)
        )
    elif not measured.travels:
        found.append(words.line("{root} does not travel: it has no speed to fit.", root=root))
    elif not measured.speeds:
        found.append(words.Line("The speed stays about the same: there is no ramp to fit."))
    if measured.turns_at_all:
        sway = math.degrees(measured.curves.sway)
        found.append(words.line("{sway:.1f}° of swaying is smoothed away.", sway=sway))
    jumps = shown.read.motion.jumps
    if len(jumps):
        frames = ", ".join(f"{frame:g}" for frame in jumps[:4]) + (" ..." if len(jumps) > 4 else "")
        what = words.count(len(jumps), "single-frame jump")
        found.append(words.line("Left out: {jumps}, at {frames}.", "ERROR", jumps=what, frames=frames))
    return found


class Ramps(Part):
    """Lists all starts, stops and turns of the root, each with the spring that it is like."""

    bl_label = "Ramps and Turns"
    bl_options: set[str] = set()
    parent = RootMotion
    poll = RootMotion.poll

    def draw(self, context: Any) -> None:
        try:
            shown = root_motion.of(context.object)
        except InertiaError:
            return  # said above
        layout = self.layout
        speeds, turns = shown.measured.speeds, shown.measured.turns
        draw_ramps(layout, context, shown, others=False)
        if not speeds and not turns:
            drawing.sentence(layout, context, words.Line("No ramp or turn was found."))
        for own, kind, text in (
            (shown.own_speed, "speed", "Find Speed Ramps Again"),
            (shown.own_turn, "turn", "Find Turns Again"),
        ):
            if own:
                layout.operator("inertia.reset_ramps", text=text, icon="LOOP_BACK").kind = kind


class OtherRamps(Part):
    """Lists the changes of speed that are like no spring, such as strides."""

    bl_label = "No Springs"
    parent = Ramps

    @classmethod
    def poll(cls, context: Any) -> bool:
        if not RootMotion.poll(context):
            return False
        try:
            measured = root_motion.of(context.object).measured
        except InertiaError:
            return False  # said above
        return any(ramp.is_other for ramp in (*measured.speeds, *measured.turns))

    def draw(self, context: Any) -> None:
        draw_ramps(self.layout, context, root_motion.of(context.object), others=True)


def draw_ramps(layout: Any, context: Any, shown: Shown, others: bool) -> None:
    """The ramps and turns that are springs, or those that are none, by their numbers among all."""
    hidden = 0
    for ramps, name, unit, per_unit in (
        (shown.measured.speeds, "Speed {0}", "m/s", 1.0),
        (shown.measured.turns, "Turn {0}", "°", 180.0 / math.pi),
    ):
        wanted = [(i, ramp) for i, ramp in enumerate(ramps, 1) if ramp.is_other == others]
        for i, ramp in wanted[:MOST_RAMPS]:
            draw_ramp(layout, context, shown, ramp, translated(name, i), unit, per_unit)
        hidden += len(wanted[MOST_RAMPS:])
    if hidden:
        layout.label(text=translated("and {0} more", hidden), translate=False)


def draw_ramp(
    layout: Any, context: Any, shown: Shown, ramp: Ramp, name: str, unit: str, per_unit: float
) -> None:
    """One ramp: where, from what to what, both half-lives, and what to know."""
    fps = shown.read.motion.fps
    column = layout.column(align=True)
    row = column.row()
    change = translated("{0} to {1}", f"{ramp.before * per_unit:.3g}", f"{ramp.after * per_unit:.3g}")
    row.label(text=f"{name}: {change} {unit}", translate=False)
    at_end(row, translated("{0} to {1}", f"{ramp.start * fps:.0f}", f"{ramp.end * fps:.0f}"), active=False)
    facts = []
    fit = ramp.fit
    for estimator, label in ESTIMATORS.items():
        if fit is not None or estimator == root_motion_values.CLOSED_FORM:
            facts.append((translated(label), half_life_text(ramp, estimator)))
    if fit is not None:
        facts.append((translated("Off by"), f"{fit.residual * per_unit:.2g} {unit}"))
        facts.append((translated("Fits"), f"{max(ramp.explained, 0.0):.1%}"))
    drawing.facts(column, context, facts)
    for remark in root_motion_values.remarks(ramp):
        icon = "ERROR" if remark.template == root_motion_values.NOT_A_SPRING else "INFO"
        said = sentence(remark)
        text = translated("{0}.", f"{said[0].upper()}{said[1:]}")
        drawing.sentence(column, context, words.Line(text, icon))


class RootOptions(Part):
    """Chooses which bone tells the root motion, and how it is measured."""

    bl_label = "Root Options"
    parent = RootMotion
    poll = RootMotion.poll

    def draw(self, context: Any) -> None:
        layout = split(self.layout)
        own = context.object.inertia_root
        column = layout.column()
        column.prop(own, "bone", icon="BONE_DATA", placeholder="Automatic")
        column.prop(own, "axis")
        column = layout.column(align=True)
        for name in ("smoothing_seconds", "peak_seconds", "sustained_seconds"):
            column.prop(own, name)
        column = layout.column(align=True)
        column.prop(own, "least_speed_change")
        column.prop(own, "least_turn")


class RootExport(Part):
    """Hands the half-lives on: to the clipboard, to a file, or to the character."""

    bl_label = "Export"
    parent = RootMotion
    poll = RootMotion.poll

    def draw(self, context: Any) -> None:
        number = len(root_motion.known(context.object))
        self.layout.label(text=words.count(number, "measured action"))
        for operator, text, icon in (
            ("inertia.save_root_motion", "Save {0}", "EXPORT"),
            ("inertia.copy_root_motion", "Copy {0}", "COPYDOWN"),
        ):
            row = self.layout.row(align=True)
            for kind in ("JSON", "CSV"):
                row.operator(operator, text=translated(text, kind), icon=icon).kind = kind


PARTS = (RootMotion, Ramps, OtherRamps, RootOptions, RootExport)
CLASSES = (INERTIA_UL_actions,)
