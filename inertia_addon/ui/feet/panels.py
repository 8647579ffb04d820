# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel Feet: when each foot is planted and how it skates, and which legs there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy

from ...blender.data import compat, scene
from ...blender.feet import bake, contacts, targets
from ...errors import InertiaError
from ...motion.feet import legs
from ...motion.skeleton import naming
from ...settings.feet import ContactSettings, Locking
from ..cost.panels import draw_told
from ..overlay.panels import PlotPanel
from ..shared import character, drawing, forms, labels, row_list, tab, words
from ..shared.drawing import ListRows, PanelPart, at_end, split
from ..shared.row_list import Button
from ..transition import panels as transition
from ..translations import translated
from . import operators, properties
from . import shown as feet

if TYPE_CHECKING:
    from ...motion.feet.contacts import FootFigures


class FeetPanel(PlotPanel):
    """Shows when each foot is planted in an action, and how well it stays put."""

    bl_label = "Feet"
    mode = tab.CLEAN

    def draw(self, context: Any) -> None:
        layout = self.layout
        armature = context.object
        layout.row().prop(armature.inertia_feet, "shown", expand=True)
        try:
            shown = feet.contacts_of(armature)
        except InertiaError as error:
            drawing.sentence(layout, context, words.PanelLine(error.sentence))
            if isinstance(error, feet.NotFound):
                layout.operator("inertia.find_contacts", icon="VIEWZOOM")
            return
        draw_shown(layout, context, shown)


def draw_shown(layout: Any, context: Any, planted: feet.ContactsView) -> None:
    """Draw the contacts of an action.

    There are its name; if it walks in place, the speed at which its ground passes, in m/s with two decimals;
    for each foot what :func:`draw_foot` draws; switches for bars (foot_contacts) and footprints (footprints)
    of the scene's inertia_overlay; and, if the shown action stores edited contacts, a button that finds them
    again, inertia.reset_contacts.

    planted: of the action that the active object's panel shows, see :func:`feet.contacts_of`. Raise
    InertiaError, with all but that button drawn, if no action is shown any more.
    """
    armature = context.object
    drawing.facts(layout, context, [(translated("Action"), labels.action(armature, planted.action))])
    if planted.contacts.ground.any():
        line = words.line(
            "It walks in place: feet are judged on ground that passes at {speed:.2f} m/s.",
            speed=float((planted.contacts.ground**2).sum() ** 0.5),
        )
        drawing.sentence(layout, context, line)
    for figures in planted.figures:
        draw_foot(layout, context, planted, figures)
    row = layout.row(align=True)
    overlay = context.scene.inertia_overlay
    row.prop(overlay, "foot_contacts", text="Bars", icon="NLA_PUSHDOWN", toggle=True)
    row.prop(overlay, "footprints", text="Footprints", icon="OVERLAY", toggle=True)
    if contacts.STORED in feet.chosen(armature):
        layout.operator("inertia.reset_contacts", icon="LOOP_BACK")


def draw_foot(layout: Any, context: Any, planted: feet.ContactsView, figures: FootFigures) -> None:
    """Draw a foot: its bone's label and number of contacts, with ", edited" behind it if its contacts were,
    and two buttons at the end of the row.

    These run inertia.add_contact and inertia.remove_contact, which add a contact at the current frame and
    remove the one there, with the bone as their `foot`.

    Below stand how far it skates in all its contacts together ("Skates", as in "3 cm while planted"), and how
    far it sinks below the ground ("Sinks", the 95th percentile); lengths are in the scene's unit. The latter
    is left out if it is None or less than a millimetre. Neither is drawn of a foot without contacts.
    """
    column = layout.column(align=True)
    row = column.row(align=True)
    name = labels.bone(context.object, figures.foot)
    row.label(text=name, icon="BONE_DATA", translate=False)
    count = words.count(len(figures.spans), "contact")
    edited = figures.foot in planted.contacts.edited
    at_end(row, translated("{0}, edited", count) if edited else count, active=False)
    row.operator("inertia.add_contact", text="", icon="ADD").foot = figures.foot
    row.operator("inertia.remove_contact", text="", icon="REMOVE").foot = figures.foot
    if not figures.spans:
        return
    way = scene.length_text(figures.stance_m)
    facts = [(translated("Skates"), translated("{0} while planted", way))]
    if figures.penetration_p95_m is not None and figures.penetration_p95_m >= 0.001:
        facts.append((translated("Sinks"), scene.length_text(figures.penetration_p95_m)))
    drawing.facts(column, context, facts)


class LockFeetPanel(PanelPart):
    """Makes a new action in which planted feet stand still."""

    bl_label = "Lock"
    parent = FeetPanel
    poll = FeetPanel.poll

    def draw(self, context: Any) -> None:
        line = words.PanelLine("A new action, in which the assigned one's planted feet stand still.")
        drawing.sentence(self.layout, context, line)
        settings = context.object.inertia_feet
        forms.draw(drawing.split(self.layout), settings, Locking, properties.KEPT)
        lock = self.layout.operator("inertia.lock_feet", icon="LOCKED")
        for name in properties.KEPT:
            setattr(lock, name, getattr(settings, name))
        if transition.plays_kind(context, bake.KIND):
            with drawing.boxed(self.layout) as box:
                draw_locked(box, context)


def draw_locked(layout: Any, context: Any) -> None:
    """Draw the verdict on the assigned action, whose feet were locked, where it is known, and which controls
    it pins.
    """
    action = compat.assigned(context.object)[0]
    seen = operators.recall_verdict(context.object, action)
    if seen is not None:
        draw_told(layout.column(align=True), context, context.object, seen)
    if controls := bake.pinned(action):
        named = ", ".join(f'"{name}"' for name in controls)
        drawing.sentence(layout, context, words.line(targets.PINNED, "PINNED", controls=named))


class INERTIA_UL_legs(ListRows, bpy.types.UIList):
    def draw_row(self, row: Any, data: Any, item: Any, index: int) -> None:
        text = row.row()
        armature = data.id_data
        text.alert = item.use and bool(feet.fault(armature, properties.row_of(item), index))
        text.active = item.use
        name = labels.bone(armature, item.foot) if item.foot else translated("No foot yet")
        text.label(text=name, icon="BONE_DATA", translate=False)
        row.prop(item, "use", text="")


BESIDE = (Button("add_leg", "ADD"), Button("remove_leg", "REMOVE"))
BELOW = (Button("fill_legs", "VIEWZOOM", "List Found"), Button("clear_legs", "TRASH", "Clear"))
"""The buttons beside the list of legs, and below it."""


def draw_legs(layout: Any, context: Any) -> None:
    """Draw the active armature's list of legs, for where those that were found are not right, with buttons
    that add a row, remove the active one, list the found legs (inertia.fill_legs) and clear the list, and the
    fields of the active row.

    While the list is empty, which feet were found, or why none were, stands above it, and a warning where
    that is not sure.
    """
    settings = context.object.inertia_feet
    if not len(settings.legs):
        try:
            detected = character.legs_of(context.object)
            legs.check_found(detected, context.object.name)
            named = words.listed([labels.bone(context.object, leg.name) for leg in detected])
            line = words.line("Found: {feet}. List them to change that.", feet=named)
        except InertiaError as error:
            line = words.PanelLine(error.sentence)
        drawing.sentence(layout, context, line)
        if doubt := character.unsure(context.object, naming.FOOT):
            drawing.sentence(layout, context, words.PanelLine(doubt, "ERROR"))
    names = ("INERTIA_UL_legs", "legs", "active_leg")
    row_list.draw_rows(
        layout, settings, names, BESIDE, BELOW, lambda below, _: draw_leg(below, context, settings.active_leg)
    )


def draw_leg(layout: Any, context: Any, index: int) -> None:
    """Draw the fields of a row of the active armature's list of legs: hip, foot and contact, in which to
    choose a bone each.

    index: of the row in inertia_feet.legs; IndexError beyond it. Fields are greyed if the row is not used. If
    it is used and can't be, a red sentence below says why; unused rows are not checked.
    """
    item = context.object.inertia_feet.legs[index]
    column = split(layout.column(align=True))
    column.active = item.use
    for key in ("hip", "foot", "contact"):
        column.prop_search(item, key, context.object.data, "bones")
    fault = feet.fault(context.object, properties.row_of(item), index) if item.use else ""
    if fault:
        drawing.sentence(layout, context, words.PanelLine(fault, "ERROR", alert=True))


class ContactOptionsPanel(PanelPart):
    """Chooses when a foot counts as planted."""

    bl_label = "Finding Contacts"
    parent = FeetPanel
    poll = FeetPanel.poll

    def draw(self, context: Any) -> None:
        forms.draw(split(self.layout), context.object.inertia_feet, ContactSettings)


PARTS = (FeetPanel, LockFeetPanel, ContactOptionsPanel)
CLASSES = (INERTIA_UL_legs,)
