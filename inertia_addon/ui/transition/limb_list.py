# SPDX-License-Identifier: GPL-3.0-or-later
"""The limbs that an animator has listed, saved with the object, and the list to edit them in."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import BoolProperty, FloatProperty, IntProperty, StringProperty

from ...blender.data import limb_list
from ...blender.data.limb_list import FK_KEYS, IK_KEYS, ROW
from ...settings import limits
from ..shared import drawing, words
from ..shared.drawing import Complete, Rows
from ..shared.made_of import kept, limits_of, list_of
from ..shared.row_list import RowList
from .character import Character
from .fields import Search


def search_switch(item: Any, _context: Any, text: str) -> Search:
    """The numbers that a rig has added to the bone of a limb."""
    if getattr(item.id_data, "pose", None) is None:
        return []
    return [name for name in limb_list.switches_of(item.id_data, item.bone) if text.lower() in name.lower()]


def a_bone(name: str, tip: str) -> Any:
    """A bone that a limb remembers."""
    return kept(StringProperty, name, tip)


def a_value(side: str, name: str, tip: str) -> Any:
    """The value with which a switch shows a side."""
    return kept(FloatProperty, name, tip, default=ROW[side], **limits_of(limits.SWITCH_VALUE), precision=2)


class LimbProperties(bpy.types.PropertyGroup):
    """A limb of an armature's own list; see limb_list.ROW."""

    use: kept(
        BoolProperty,
        "Use",
        "Use the limb as listed; otherwise as detected, if it is",
        default=True,
    )
    bone: a_bone("Holder", "The bone that has the property; empty for one of the object")
    switch: kept(
        StringProperty,
        "Property",
        "The custom property that goes between FK and IK, or the data path of another one",
        search=search_switch,
        search_options={"SUGGESTION"},
    )
    fk_value: a_value("fk_value", "FK Value", "The property's value with which the limb is posed by FK")
    ik_value: a_value("ik_value", "IK Value", "The property's value with which the limb is posed by IK")
    fk_upper: a_bone("FK Upper", "The control that poses the upper arm or the thigh by FK")
    fk_lower: a_bone("FK Lower", "The control that poses the forearm or the shin by FK")
    fk_end: a_bone("FK End", "The control that poses the hand or the foot by FK")
    fk_tip: a_bone("FK Tip", "The control that poses the toes by FK")
    ik_end: a_bone("IK End", "The control that the hand or the foot is at by IK")
    ik_pole: a_bone("IK Pole", "The control to which the elbow or the knee points by IK")
    ik_other: a_bone(
        "IK Other",
        "Another IK control, such as the heel's, or the one towards which a knee without a pole bends",
    )
    ik_tip: a_bone("IK Tip", "The control that poses the toes by IK")


class LimbsProperties(bpy.types.PropertyGroup):
    """Which of the armature's limbs go between FK and IK, and how."""

    items: list_of(LimbProperties, "Listed Limbs", "The limbs that the armature tells of itself")
    active_index: kept(IntProperty, "Active Limb", "The limb of the list that is edited", min=0)


class INERTIA_UL_limbs(Rows, bpy.types.UIList):
    def draw_row(self, row: Any, data: Any, item: Any, _index: int) -> None:
        text = row.row()
        text.alert = item.use and bool(fault(data.id_data, item))
        text.active = item.use
        text.prop(item, "name", text="", emboss=False, icon="CON_KINEMATIC")
        row.prop(item, "use", text="")


def fault(armature: Any, item: Any) -> str:
    """A sentence that says why a row can't be used; "" where it can."""
    return limb_list.fault(armature, {name: getattr(item, name) for name in ROW})


def _spare(item: Any) -> None:
    item.use = False


LIMBS = RowList("inertia_limbs", _spare, "The list of limbs is empty", "Choose a limb of the list first")


class Limbs(Complete):
    """Lists the limbs that switch between FK and IK, where what was found is not right."""

    bl_label = "Limbs"
    parent = Character

    def draw(self, context: Any) -> None:
        layout, own = self.layout, context.object.inertia_limbs
        if not len(own.items):
            line = words.Line("Limbs are found by what switches their constraints; list them to change that.")
            drawing.sentence(layout, context, line)
        row = layout.row()
        row.template_list("INERTIA_UL_limbs", "", own, "items", own, "active_index", rows=3)
        side = row.column(align=True)
        side.operator("inertia.add_limb", text="", icon="ADD")
        side.operator("inertia.remove_limb", text="", icon="REMOVE")
        if 0 <= own.active_index < len(own.items):
            draw_limb(layout, context, own.items[own.active_index])
        row = layout.row(align=True)
        row.operator("inertia.find_limbs", text="Find", icon="VIEWZOOM")
        row.operator("inertia.clear_limbs", text="Clear", icon="TRASH")


def draw_limb(layout: Any, context: Any, item: Any) -> None:
    """The fields of a row."""
    column = drawing.split(layout.column(align=True))
    column.active = item.use
    bones = context.object.data
    column.prop_search(item, "bone", bones, "bones")
    column.prop(item, "switch", icon="PROPERTIES")
    for value, keys in (("fk_value", FK_KEYS), ("ik_value", IK_KEYS)):
        column.separator()
        column.prop(item, value)
        for key in keys:
            column.prop_search(item, key, bones, "bones")
    if item.use and (said := fault(context.object, item)):
        drawing.sentence(layout, context, words.Line(said, "ERROR", alert=True))


CLASSES = (LimbProperties, LimbsProperties, INERTIA_UL_limbs)
