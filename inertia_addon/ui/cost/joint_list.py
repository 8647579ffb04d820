# SPDX-License-Identifier: GPL-3.0-or-later
"""Which joints count in an armature's costs, saved with the object, and the list to choose them in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy
from bpy.props import (
    BoolProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    StringProperty,
)

from ...blender.evaluation import controlling, joints
from ...blender.evaluation.joints import Joint
from ...errors import InertiaError
from ...motion.skeleton import naming
from ...settings import limits
from ..shared import cache, drawing, labels, words
from ..shared.drawing import Rows
from ..shared.made_of import kept, list_of, multiplier
from ..shared.row_list import RowList
from ..transition.fields import Search
from ..translations import translated

JOINTS_ITEMS = (
    (
        joints.FOUND,
        "Found",
        "The joints that say most of a pose, found from the rig: hips, head, hands, feet; a tail counts half",
    ),
    (joints.LISTED, "Listed", "A list of your own, with a weight for each joint"),
    (joints.ALL, "All", "Every bone counts alike"),
)
"""In the order of :data:`joints.CHOICES`, as a file stores the position."""

ROLES = (
    (naming.HIPS, "Hips"),
    (naming.HEAD, "Head"),
    (naming.HAND, "Hands"),
    (naming.FOOT, "Feet"),
    (naming.OTHER, "Others"),
)
NAMED = 6
"""How many bones of one role the panel names."""


def search_bone(item: Any, _context: Any, text: str) -> Search:
    """The bones of the armature that a list belongs to."""
    bones = getattr(item.id_data.data, "bones", {})
    return [name for name in bones.keys() if text.lower() in name.lower()]


def name_item(item: Any, _context: Any) -> None:
    """Give a joint of the list its bone's name, by which the list is filtered."""
    item.name = item.bone


class JointProperties(bpy.types.PropertyGroup):
    """A joint of an armature's own list."""

    bone: kept(
        StringProperty, "Bone", "The bone whose head is the joint", search=search_bone, update=name_item
    )
    weight: kept(
        FloatProperty,
        "Weight",
        "How much this joint counts in the cost: 0 leaves it out, 2 counts it twice, such as a hand that "
        "holds something",
        **multiplier(limits.WEIGHT),
        subtype="FACTOR",
    )
    ghost: kept(
        BoolProperty,
        "Trajectory",
        "Draw this joint's trajectory in the 3D View, where trajectories are shown",
        default=True,
    )


class CostProperties(bpy.types.PropertyGroup):
    """Which joints count in the cost of the armature's transitions."""

    joints: kept(
        EnumProperty,
        "Joints",
        "Which joints count in the cost: how far, and how long, a transition holds them away from the "
        "destination",
        items=JOINTS_ITEMS,
        default=joints.FOUND,
    )
    items: list_of(
        JointProperties, "Listed Joints", "The armature's own list of joints that count, each with a weight"
    )
    active_index: kept(IntProperty, "Active Joint", "The joint of the list that is edited", min=0)


class INERTIA_UL_joints(Rows, bpy.types.UIList):
    def draw_row(self, row: Any, data: Any, item: Any, _index: int) -> None:
        exists = item.bone in data.id_data.data.bones
        name = row.row()
        name.alert = not exists
        name.active = item.weight > 0.0
        armature = data.id_data
        control = controls_of(armature, [item.bone]).get(item.bone, item.bone)
        text = labels.bone(armature, control) or translated("No bone")
        name.label(text=text, icon="BONE_DATA" if exists else "ERROR", translate=False)
        row.prop(item, "weight", text="")
        row.prop(item, "ghost", text="", icon="GHOST_ENABLED" if item.ghost else "GHOST_DISABLED")


def weights_from(armature: Any) -> dict[str, float]:
    """What each bone counts in an armature's costs; those that are not named don't.

    Raises InertiaError for a list that is empty, gives none a weight, or names a bone that is gone.
    """
    own = armature.inertia_cost
    choice, listed = own.joints, tuple((item.bone, item.weight) for item in own.items)
    if choice == joints.FOUND:
        return {joint.bone: joint.weight for joint in found_in(armature)}
    return cache.of_rig(
        "weights", armature, lambda rig: joints.weights(rig, choice, listed), True, (choice, listed)
    )


def ghosts_from(armature: Any) -> tuple[str, ...]:
    """The bones whose trajectories are drawn; those of the own list that are gone are left out."""
    own = armature.inertia_cost
    if own.joints != joints.LISTED:
        return joints.shown_of(found_in(armature))
    bones = armature.data.bones
    return tuple(dict.fromkeys(item.bone for item in own.items if item.ghost and item.bone in bones))


def found_in(armature: Any) -> tuple[Joint, ...]:
    """The joints that are found from the rig, which no pose changes: where it is unsure what is what, to find
    them takes all clips."""
    up = cache.of_rig("up", armature, joints.up_axis, at_once=True)
    state = (cache.standing_state(armature), up, joints.skinned(armature))
    return cache.answer("joints", armature, state, lambda: joints.default_joints(armature), True)


def controls_of(armature: Any, bones: Iterable[str]) -> dict[str, str]:
    """What an animator takes to move each of an armature's bones, as its switches are now."""
    asked, found = tuple(bones), found_in(armature)
    return cache.of_rig("controls", armature, lambda rig: controlling.names(rig, asked, found), key=asked)


def _spare(item: Any) -> None:
    item.weight, item.ghost = 0.0, False


JOINTS = RowList("inertia_cost", _spare, "The list of joints is empty", "Choose a joint of the list first")


def add(armature: Any, found: list[Joint]) -> int:
    """Add joints to an armature's list, and have it count; returns how many were not in it yet.

    Those that are in it keep their weights, but for a weight of zero.
    """
    own = armature.inertia_cost
    present = {item.bone: item for item in own.items}
    fresh = [joint for joint in found if joint.bone not in present]
    for joint in found:
        if joint.bone in present and present[joint.bone].weight == 0.0:
            present[joint.bone].weight = joint.weight
    for joint in fresh:
        item = own.items.add()
        item.bone, item.weight, item.ghost = joint.bone, joint.weight, joint.is_shown
    own.joints = joints.LISTED
    if fresh:
        own.active_index = len(own.items) - 1
    return len(fresh)


def draw_joints(layout: Any, context: Any) -> None:
    """Which joints count, for a panel; the active object is an armature."""
    armature = context.object
    own = armature.inertia_cost
    drawing.split(layout.column()).prop(own, "joints")
    if own.joints == joints.LISTED:
        draw_list(layout, context, armature)
    elif own.joints == joints.FOUND:
        found = found_in(armature)
        draw_found(layout, context, found)
        if said := joints.no_limbs(armature, found) or joints.unsure(armature, found):
            drawing.sentence(layout, context, words.Line(said, "ERROR"))
        layout.operator("inertia.fill_joints", text="Edit as List", icon="GREASEPENCIL")
    else:
        count = words.count(len(armature.data.bones), "bone")
        drawing.facts(layout, context, [(translated("Counting"), translated("{0}, weight 1 each", count))])


def draw_found(layout: Any, context: Any, found: tuple[Joint, ...]) -> None:
    """What was found, by role, by the names of the controls."""
    lines = []
    controls = controls_of(context.object, [joint.bone for joint in found])
    for role, label in ROLES:
        # a bone that has just got another name may not be known by it yet
        own = [joint for joint in found if joint.role == role and joint.bone in controls]
        shown = list(dict.fromkeys(labels.bone(context.object, controls[joint.bone]) for joint in own))
        if not shown:
            continue
        text = ", ".join(shown[:NAMED])
        if len(shown) > NAMED:
            text = translated("{0} and {1} more", text, len(shown) - NAMED)
        weight = own[0].weight
        if weight != 1.0:
            text = translated("{0} (weight {1})", text, f"{weight:g}")
        lines.append((translated(label), text))
    if joints.has_limbs(found):
        lines.append((translated("Confidence"), f"{joints.confidence(found):.0%}"))
    drawing.facts(layout, context, lines)


def draw_list(layout: Any, context: Any, armature: Any) -> None:
    """The own list, with what edits it."""
    own = armature.inertia_cost
    row = layout.row()
    row.template_list("INERTIA_UL_joints", "", own, "items", own, "active_index", rows=5, maxrows=12)
    side = row.column(align=True)
    side.operator("inertia.add_joints", text="", icon="ADD")
    side.operator("inertia.remove_joint", text="", icon="REMOVE")
    side.separator()
    side.operator("inertia.move_joint", text="", icon="TRIA_UP").direction = "UP"
    side.operator("inertia.move_joint", text="", icon="TRIA_DOWN").direction = "DOWN"
    if 0 <= own.active_index < len(own.items):
        drawing.split(layout.column()).prop(own.items[own.active_index], "bone")
    try:
        weights_from(armature)
    except InertiaError as error:
        drawing.sentence(layout, context, words.Line(error.sentence, "ERROR", alert=True))
    row = layout.row(align=True)
    row.operator("inertia.fill_joints", text="Fill", icon="FILE_REFRESH")
    row.operator("inertia.clear_joints", text="Clear", icon="TRASH")


CLASSES = (JointProperties, CostProperties, INERTIA_UL_joints)
