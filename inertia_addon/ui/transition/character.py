# SPDX-License-Identifier: GPL-3.0-or-later
"""What all modes know of the character: its root, and the limbs that go between FK and IK, listed where what
is found of them is not right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, FloatProperty, IntProperty, StringProperty

from ...blender.data import compat, limb_list, rig
from ...blender.evaluation import controls, limbs
from ...errors import InertiaError
from ...settings.fields import SWITCH_VALUE
from ..shared import character, drawing, labels, row_list, tool, words
from ..shared.drawing import ListRows
from ..shared.made_of import limits_of, list_of, make_property
from ..shared.row_list import Button, ClearsRows, RemovesRow, RowList
from ..shared.tool import Tool
from ..translations import translated
from . import fields

if TYPE_CHECKING:
    from .fields import Search


def draw_found(layout: Any, context: Any) -> None:
    """Draw what was found on the active armature: hips and legs, by the controls that move them ("None" for
    none), a warning where that is not sure, and fields for the root, the bone that aligns it and whether
    height is aligned.

    Where they can't be looked for, why stands in their place. The fields of root and bone are red if the
    armature has no bone by the name in them. The context's object must be an armature.
    """
    armature = context.object
    try:
        legs = [leg.name for leg in character.legs_of(armature)]
        for label, bones in {"Hips": character.hips_of(armature), "Legs": legs}.items():
            controls = character.controls_of(armature, bones)
            found = [labels.bone(armature, controls.get(bone, bone)) for bone in bones]
            text = words.listed(found) if found else translated("None")
            drawing.facts(layout, context, [(translated(label), text)])
        if doubt := character.unsure(armature):
            drawing.sentence(layout, context, words.PanelLine(doubt, "ERROR"))
    except InertiaError as error:
        drawing.sentence(layout, context, words.PanelLine(error.sentence, "INFO"))
    props, column = armature.inertia, drawing.split(layout.column())
    row = column.row(align=True)
    row.alert = bool(props.root) and props.root not in fields.search_root(props, context, "")
    row.prop(props, "root", text="Root", icon="BONE_DATA", placeholder="Automatic")
    row = column.row(align=True)
    row.alert = bool(props.align_bone) and props.align_bone not in fields.search_bone(props, context, "")
    row.prop(props, "align_bone", icon="BONE_DATA", placeholder="Root")
    column.prop(props, "align_height")


def search_switch(item: Any, _context: Any, text: str) -> Search:
    """Return the numbers that a rig has added to the bone of a limb."""
    if getattr(item.id_data, "pose", None) is None:
        return []
    return [name for name in limb_list.switches_of(item.id_data, item.bone) if text.lower() in name.lower()]


def a_bone(name: str, tip: str) -> Any:
    """Return a property for a bone that a limb remembers."""
    return make_property(StringProperty, name, tip)


def a_value(side: str, name: str, tip: str) -> Any:
    """Return a property for the value with which a switch shows a side."""
    return make_property(
        FloatProperty, name, tip, default=limb_list.ROW[side], **limits_of(SWITCH_VALUE), precision=2
    )


class LimbProperties(bpy.types.PropertyGroup):
    """A limb of an armature's own list; see limb_list.ROW."""

    use: make_property(
        BoolProperty, "Use", "Use the limb as listed; otherwise as detected, if it is", default=True
    )
    bone: a_bone("Holder", "The bone that has the property; empty for one of the object")
    switch: make_property(
        StringProperty,
        "Property",
        "The custom property that switches between FK and IK, or the data path of another property",
        search=search_switch,
        search_options={"SUGGESTION"},
    )
    fk_value: a_value("fk_value", "FK Value", "The property's value with which the limb is posed by FK")
    ik_value: a_value("ik_value", "IK Value", "The property's value with which the limb is posed by IK")
    fk_upper: a_bone("FK Upper", "The control that poses the upper arm or the thigh by FK")
    fk_lower: a_bone("FK Lower", "The control that poses the forearm or the shin by FK")
    fk_end: a_bone("FK End", "The control that poses the hand or the foot by FK")
    fk_tip: a_bone("FK Tip", "The control that poses the toes by FK")
    ik_end: a_bone("IK End", "The control that places the hand or the foot by IK")
    ik_pole: a_bone("IK Pole", "The control to which the elbow or the knee points by IK")
    ik_other: a_bone(
        "IK Other",
        "Another IK control, such as the heel's, or the one towards which a knee without a pole bends",
    )
    ik_tip: a_bone("IK Tip", "The control that poses the toes by IK")


class LimbsProperties(bpy.types.PropertyGroup):
    """Which of the armature's limbs switch between FK and IK, and how."""

    items: list_of(LimbProperties, "Listed Limbs", "The armature's own list of limbs")
    active_index: make_property(IntProperty, "Active Limb", "The limb of the list that is edited", min=0)


class INERTIA_UL_limbs(ListRows, bpy.types.UIList):
    def draw_row(self, row: Any, data: Any, item: Any, _index: int) -> None:
        text = row.row()
        text.alert = item.use and bool(fault(data.id_data, item))
        text.active = item.use
        text.prop(item, "name", text="", emboss=False, icon="CON_KINEMATIC")
        row.prop(item, "use", text="")


def fault(armature: Any, item: Any) -> str:
    """Return a sentence that says why a row can't be used; "" where it can."""
    return limb_list.fault(armature, {name: getattr(item, name) for name in limb_list.ROW})


def _spare(item: Any) -> None:
    item.use = False


LIMBS = RowList("inertia_limbs", _spare, "The list of limbs is empty", "Choose a limb of the list first")


BESIDE = (Button("add_limb", "ADD"), Button("remove_limb", "REMOVE"))
BELOW = (Button("find_limbs", "VIEWZOOM", "Find"), Button("clear_limbs", "TRASH", "Clear"))
"""The buttons beside the list of limbs, and below it."""


def draw_limbs(layout: Any, context: Any) -> None:
    """Draw the active armature's list of limbs that switch between FK and IK, with buttons that add a row,
    remove the active one, list what is found (inertia.find_limbs) and clear the list, and the fields of the
    active row; while it is empty, a line above says that limbs are found by themselves.
    """
    props = context.object.inertia_limbs
    if not len(props.items):
        line = words.PanelLine(
            "Limbs are found by what switches their constraints; list them to change that."
        )
        drawing.sentence(layout, context, line)
    names = ("INERTIA_UL_limbs", "items", "active_index")
    row_list.draw_rows(
        layout, props, names, BESIDE, BELOW, lambda below, item: draw_limb(below, context, item)
    )


def draw_limb(layout: Any, context: Any, item: Any) -> None:
    """Draw the fields of a row of the active armature's list of limbs.

    They are, of `item`: `bone`, the holder; `switch`, its property; fk_value and those of FK_KEYS; ik_value
    and those of IK_KEYS. The bones are picked from those of the active object, which must be an armature.

    All are greyed if item.use is off, but can be edited. If it is on and the row can't be used, a red
    sentence below says why. Nothing is changed.
    """
    column = drawing.split(layout.column(align=True))
    column.active = item.use
    bones = context.object.data
    column.prop_search(item, "bone", bones, "bones")
    column.prop(item, "switch", icon="PROPERTIES")
    for value, keys in (("fk_value", limb_list.FK_KEYS), ("ik_value", limb_list.IK_KEYS)):
        column.separator()
        column.prop(item, value)
        for key in keys:
            column.prop_search(item, key, bones, "bones")
    if item.use and (reason := fault(context.object, item)):
        drawing.sentence(layout, context, words.PanelLine(reason, "ERROR", alert=True))


class INERTIA_OT_find_limbs(Tool, bpy.types.Operator):
    bl_idname = "inertia.find_limbs"
    bl_label = "Find Limbs"
    bl_description = (
        "List the limbs that are found by what switches their constraints between FK and IK, with their "
        "controls. Limbs that are on the list already stay as they are"
    )
    needs = (tool.poll_settings, tool.poll_armature)

    def act(self, context: Any) -> None:
        armature = context.object
        paths = _keyed(armature)
        with controls.open_stage(armature) as stage:
            found = limbs.find(stage, {rig.split_path(path)[0] or "" for path in paths}, paths)
        if not found:
            raise InertiaError(
                'No property of "{armature}" was found to switch limbs; add a limb and choose its property.',
                armature=armature.name,
            )
        listed = {
            limb_list.switch_path(armature, item.bone, item.switch) for item in armature.inertia_limbs.items
        }
        fresh = [limb for limb in found if limb.switch not in listed]
        for limb in fresh:
            LIMBS.add(armature, **limb_list.row_of(limb))
        self.say("{count} listed", count=words.count(len(fresh), "limb"))


def _keyed(armature: Any) -> set[str]:
    """Return the paths that the chosen actions and the assigned one key."""
    props = armature.inertia
    actions = {props.source, props.destination, compat.assigned(armature)[0]} - {None}
    return {
        curve.data_path
        for action in actions
        for slot in fields.object_slots(action)
        for curve in compat.curves(action, slot.identifier)
    }


class INERTIA_OT_add_limb(Tool, bpy.types.Operator):
    bl_idname = "inertia.add_limb"
    bl_label = "Add Limb"
    bl_description = "Add a limb to the list; then choose its property and controls"

    def act(self, context: Any) -> None:
        bone = character.active_bone(context.object)
        name = translated("Limb {0}", len(context.object.inertia_limbs.items) + 1)
        LIMBS.add(context.object, name=name, bone="" if bone is None else bone.name)


class INERTIA_OT_remove_limb(RemovesRow, bpy.types.Operator):
    bl_idname = "inertia.remove_limb"
    bl_label = "Remove Limb"
    bl_description = "Remove the chosen limb from the list, and detect it automatically"
    needs = LIMBS.needs_active
    listed, spared = LIMBS, "This limb comes from the linked file; it is no longer used"


class INERTIA_OT_clear_limbs(ClearsRows, bpy.types.Operator):
    bl_idname = "inertia.clear_limbs"
    bl_label = "Clear List of Limbs"
    bl_description = "Remove all limbs from the list, and detect them automatically"
    needs = LIMBS.needs_rows
    listed = LIMBS


CLASSES = (LimbProperties, LimbsProperties, INERTIA_UL_limbs)
