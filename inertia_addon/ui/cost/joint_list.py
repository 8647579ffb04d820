# SPDX-License-Identifier: GPL-3.0-or-later
"""Which joints count in an armature's costs, saved with the object, and the list to choose them in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, StringProperty

from ...blender.data import compat
from ...blender.evaluation import joints
from ...errors import InertiaError
from ...motion.skeleton import naming
from ...settings import fields
from ..shared import cache, character, drawing, labels, row_list, tool, words
from ..shared.drawing import ListRows
from ..shared.made_of import list_of, make_property, multiplier, plain
from ..shared.row_list import Button, ClearsRows, RemovesRow, RowList
from ..shared.tool import Tool
from ..translations import translated

if TYPE_CHECKING:
    from ...blender.evaluation.joints import Joint
    from ..transition.fields import Search

JOINTS_ITEMS = (
    (
        "FOUND",
        "Found",
        "The joints that say most about a pose, found from the rig: hips, head, hands, feet; a tail counts "
        "half",
    ),
    ("LISTED", "Listed", "A list of your own, with a weight for each joint"),
    ("ALL", "All", "Every bone counts equally"),
)
"""In the order of :data:`joints.CHOICES`, as a file stores the position."""

ROLES = (
    ("HIPS", "Hips"),
    ("HEAD", "Head"),
    ("HAND", "Hands"),
    ("FOOT", "Feet"),
    ("OTHER", "Others"),
)
NAMED = 6
"""How many bones of one role the panel names."""


def search_bone(item: Any, _context: Any, text: str) -> Search:
    """Return the bones, of the armature that a list belongs to, whose names hold a text."""
    bones = getattr(item.id_data.data, "bones", {})
    return [name for name in bones.keys() if text.lower() in name.lower()]


def name_item(item: Any, _context: Any) -> None:
    """Give a joint of the list its bone's name, by which the list is filtered."""
    item.name = item.bone


class JointProperties(bpy.types.PropertyGroup):
    """A joint of an armature's own list."""

    bone: make_property(
        StringProperty, "Bone", "The bone whose head is the joint", search=search_bone, update=name_item
    )
    weight: make_property(
        FloatProperty,
        "Weight",
        "How much this joint counts in the cost: 0 leaves it out, 2 counts it twice, such as a hand that "
        "holds something",
        **multiplier(fields.WEIGHT),
        subtype="FACTOR",
    )
    ghost: make_property(
        BoolProperty,
        "Trajectory",
        "Draw this joint's trajectory in the 3D View, where trajectories are shown",
        default=True,
    )


class CostProperties(bpy.types.PropertyGroup):
    """Which joints count in the cost of the armature's transitions."""

    joints: make_property(
        EnumProperty,
        "Joints",
        "Which joints count in the cost: how far, and for how long, a transition holds them away from the "
        "destination",
        items=JOINTS_ITEMS,
        default="FOUND",
    )
    items: list_of(
        JointProperties, "Listed Joints", "The armature's own list of joints that count, each with a weight"
    )
    active_index: make_property(IntProperty, "Active Joint", "The joint of the list that is edited", min=0)


class INERTIA_UL_joints(ListRows, bpy.types.UIList):
    def draw_row(self, row: Any, data: Any, item: Any, _index: int) -> None:
        exists = item.bone in data.id_data.data.bones
        name = row.row()
        name.alert = not exists
        name.active = item.weight > 0.0
        armature = data.id_data
        control = character.controls_of(armature, [each.bone for each in data.items]).get(
            item.bone, item.bone
        )
        text = labels.bone(armature, control) or translated("No bone")
        name.label(text=text, icon="BONE_DATA" if exists else "ERROR", translate=False)
        row.prop(item, "weight", text="")
        row.prop(item, "ghost", text="", icon="GHOST_ENABLED" if item.ghost else "GHOST_DISABLED")


def weights_from(armature: Any) -> dict[str, float]:
    """Return the weight of each bone in an armature's costs, by name; bones that are not named don't count.

    By `inertia_cost.joints` they are the joints that are found (FOUND), the armature's own list (LISTED), or
    all bones with 1.0 (ALL). Rows of the list without a weight above 0 are left out, so that their bones need
    not exist; of several rows for a bone the heaviest counts. Raise InertiaError for a list that is empty,
    gives none a weight, or gives one to a bone that is gone.
    """
    cost = armature.inertia_cost
    if cost.joints == joints.FOUND:
        return {joint.bone: joint.weight for joint in character.joints_of(armature)}
    names, weights = cost.joints, tuple((item.bone, item.weight) for item in cost.items)
    return cache.rig_answer(
        "weights",
        armature,
        lambda rig: joints.weights(rig, names, weights),
        at_once=True,
        question=(names, weights),
    )


def ghosts_from(armature: Any) -> tuple[str, ...]:
    """Return the names of the bones whose trajectories are drawn.

    If the armature's own list is chosen, they are its rows with ghost on, in order, each bone once, without
    bones that are gone; otherwise, also where all bones count, those of the found joints that are usually
    shown.
    """
    cost = armature.inertia_cost
    if cost.joints != joints.LISTED:
        return joints.choose_shown(character.joints_of(armature))
    bones = armature.data.bones
    return tuple(dict.fromkeys(item.bone for item in cost.items if item.ghost and item.bone in bones))


def _spare(item: Any) -> None:
    item.weight, item.ghost = 0.0, False


JOINTS = RowList("inertia_cost", _spare, "The list of joints is empty", "Choose a joint of the list first")


def add_joints(armature: Any, added: list[Joint]) -> int:
    """Add joints to an armature's own list, `inertia_cost.items`, and choose that list for its costs
    (`joints` becomes LISTED); return how many were not in it yet.

    New rows come at the end, in order, with the joint's weight and its is_shown as ghost, and the last one
    becomes the active row (`active_index`); without any the active row stays. Joints that are in the list
    keep their ghost, and their weight unless it is zero: then they get the new one. The list is chosen even
    where nothing is added.
    """
    cost = armature.inertia_cost
    present = {item.bone: item for item in cost.items}
    fresh = [joint for joint in added if joint.bone not in present]
    for joint in added:
        if joint.bone in present and present[joint.bone].weight == 0.0:
            present[joint.bone].weight = joint.weight
    for joint in fresh:
        item = cost.items.add()
        item.bone, item.weight, item.ghost = joint.bone, joint.weight, joint.is_shown
    cost.joints = joints.LISTED
    if fresh:
        cost.active_index = len(cost.items) - 1
    return len(fresh)


def draw_joints(layout: Any, context: Any) -> None:
    """Draw which joints count in the costs of the active armature: the choice, and below it what it means.

    That is the own list with its buttons; or the found joints, a warning if there are no limbs or one is not
    sure, and a button that makes a list of them; or, with all, how many bones count. Raise InertiaError if
    joints can't be found.
    """
    armature = context.object
    cost = armature.inertia_cost
    drawing.split(layout.column()).prop(cost, "joints")
    if cost.joints == joints.LISTED:
        draw_list(layout, context, armature)
    elif cost.joints == joints.FOUND:
        default = character.joints_of(armature)
        draw_found(layout, context, default)
        if warning := joints.no_limbs(armature, default) or joints.unsure(armature, default):
            drawing.sentence(layout, context, words.PanelLine(warning, "ERROR"))
        layout.operator("inertia.fill_joints", text="Edit as List", icon="GREASEPENCIL")
    else:
        count = words.count(len(armature.data.bones), "bone")
        drawing.facts(layout, context, [(translated("Counting"), translated("{0}, weight 1 each", count))])


def draw_found(layout: Any, context: Any, default: tuple[Joint, ...]) -> None:
    """Draw the found joints, a row for each role with the names of their controls, each once, at most NAMED
    and then a count; the weight of the role's first joint where it is not 1; and last, as "Confidence", how
    sure they are, in percent, if there are limbs.

    default: the joints. Roles come in the order of ROLES (hips, head, hands, feet, others), under its labels;
    a role's joints in the given order. A joint whose bone has no control known yet, as after it got another
    name, is left out; so are roles without any joint.
    """
    lines = []
    controls = character.controls_of(context.object, [joint.bone for joint in default])
    for role, label in ROLES:
        # a bone that has just got another name may not be known by it yet
        of_role = [joint for joint in default if joint.role == role and joint.bone in controls]
        shown = list(dict.fromkeys(labels.bone(context.object, controls[joint.bone]) for joint in of_role))
        if not shown:
            continue
        text = ", ".join(shown[:NAMED])
        if len(shown) > NAMED:
            text = translated("{0} and {1} more", text, len(shown) - NAMED)
        weight = of_role[0].weight
        if weight != 1.0:
            text = translated("{0} (weight {1})", text, f"{weight:g}")
        lines.append((translated(label), text))
    if joints.has_limbs(default):
        lines.append((translated("Confidence"), f"{joints.confidence(default):.0%}"))
    drawing.facts(layout, context, lines)


BESIDE = (
    Button("add_joints", "ADD"),
    Button("remove_joint", "REMOVE"),
    Button("move_joint", "TRIA_UP", values={"direction": "UP"}),
    Button("move_joint", "TRIA_DOWN", values={"direction": "DOWN"}),
)
BELOW = (Button("fill_joints", "FILE_REFRESH", "Fill"), Button("clear_joints", "TRASH", "Clear"))
"""The buttons beside the list of joints, and below it."""


def draw_list(layout: Any, context: Any, armature: Any) -> None:
    """Draw the armature's own list of joints.

    Beside it are buttons that add the selected bones, remove the active row and move it up or down; below it
    the active row's bone, in red what is wrong with the list, and buttons that fill and clear it.
    """
    cost = armature.inertia_cost
    names = ("INERTIA_UL_joints", "items", "active_index")
    row_list.draw_rows(layout, cost, names, BESIDE, BELOW, draw_joint)
    try:
        weights_from(armature)
    except InertiaError as error:
        drawing.sentence(layout, context, words.PanelLine(error.sentence, "ERROR", alert=True))


def draw_joint(layout: Any, item: Any) -> None:
    """Draw the field of a joint's bone."""
    drawing.split(layout.column()).prop(item, "bone")


class INERTIA_OT_fill_joints(Tool, bpy.types.Operator):
    bl_idname = "inertia.fill_joints"
    bl_label = "Fill List of Joints"
    bl_description = (
        "Fill a new list with the joints found in the rig: hips, head, hands and feet with the weight 1, "
        "a tail with 0.5; in a rig without limbs, every bone. The weights can then be changed"
    )

    def act(self, context: Any) -> None:
        armature = context.object
        default = list(joints.default_joints(armature))
        if not default:
            raise InertiaError('"{armature}" has no bones; add some first.', armature=armature.name)
        JOINTS.clear(armature)
        add_joints(armature, default)
        armature.inertia_cost.active_index = 0
        self.say("{count} listed", count=words.count(len(default), "joint"))


class INERTIA_OT_add_joints(Tool, bpy.types.Operator):
    bl_idname = "inertia.add_joints"
    bl_label = "Add Selected Bones"
    bl_description = "Add the selected pose bones to the joints that count, each with the weight 1"

    needs = (
        tool.poll_settings,
        tool.need(lambda context: compat.selected_bones(context.object), "Select pose bones first"),
    )

    def act(self, context: Any) -> None:
        # who adds a bone by hand wants to see where it goes: a foot's trajectory is shown
        chosen = [joints.Joint(bone.name, 1.0, naming.FOOT) for bone in compat.selected_bones(context.object)]
        added = add_joints(context.object, chosen)
        self.say("{count} added", count=words.count(added, "joint"))


class INERTIA_OT_remove_joint(RemovesRow, bpy.types.Operator):
    bl_idname = "inertia.remove_joint"
    bl_label = "Remove Joint"
    bl_description = "Remove the chosen joint from the list"
    needs = JOINTS.needs_active
    listed, spared = JOINTS, "This joint comes from the linked file; it has no weight now"


class INERTIA_OT_move_joint(Tool, bpy.types.Operator):
    bl_idname = "inertia.move_joint"
    bl_label = "Move Joint"
    bl_description = "Move the chosen joint up or down in the list; the cost does not depend on the order"
    needs = (
        *JOINTS.needs_active,
        tool.need(
            lambda context: context.object.override_library is None,
            "The order of a library override's list can't be changed",
        ),
    )

    direction: plain(
        EnumProperty,
        "Direction",
        "Where to move it",
        items=(("UP", "Up", "Towards the list's beginning"), ("DOWN", "Down", "Towards its end")),
        default="UP",
    )

    def act(self, context: Any) -> set[str] | None:
        cost = context.object.inertia_cost
        target = cost.active_index + (-1 if self.direction == "UP" else 1)
        if not 0 <= target < len(cost.items):
            return {"CANCELLED"}
        cost.items.move(cost.active_index, target)
        cost.active_index = target
        return None


class INERTIA_OT_clear_joints(ClearsRows, bpy.types.Operator):
    bl_idname = "inertia.clear_joints"
    bl_label = "Clear List of Joints"
    bl_description = "Remove all joints from the list"
    needs = JOINTS.needs_rows
    listed = JOINTS


CLASSES = (JointProperties, CostProperties, INERTIA_UL_joints)
