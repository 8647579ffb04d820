# SPDX-License-Identifier: GPL-3.0-or-later
"""How an armature's root motion is measured, saved with the object."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import EnumProperty, IntProperty, StringProperty

from ...blender.root_motion import measure
from ...settings.root_motion import Settings
from ..shared import made_of
from ..shared.made_of import a_frame, an_action, list_of, make_property, redraw
from ..transition.fields import search_root
from ..transition.pickers import picker
from ..transition.properties import animates_objects
from ..translations import OWN_CONTEXT

SCOPES = (
    ("ACTION", "One Action", "The action that is chosen below"),
    ("LISTED", "Listed", "A list of actions of your own"),
    ("ALL", "All", "Every action of the file that moves this armature"),
)

AXIS_ITEMS = (
    ("REST", "Rest Pose", "Where the rest pose faces: where its feet point, or its head"),
    ("TRAVEL", "Direction of Travel", "The side of the root that is in front while it travels"),
    *((axis, f"{axis} Axis", f"The root's own {axis} axis") for axis in ("X", "-X", "Y", "-Y", "Z", "-Z")),
)
"""In the order of :data:`measure.AXES`."""

ESTIMATOR_ITEMS = (
    (
        "LEAST_SQUARES",
        "Least Squares",
        "The spring that comes closest to the whole ramp, with its uncertainty",
    ),
    (
        "CLOSED_FORM",
        "Peak Rate",
        "From the change and the peak of its rate alone: quick to check by hand, and sensitive to noise",
    ),
)
KIND_ITEMS = (
    ("speed", "Speed", "Ramps of the speed: starts, stops and changes of pace"),
    ("turn", "Turn", "Turns: changes of the facing"),
)


def name_item(item: Any, _context: Any) -> None:
    """Give a listed action its name, by which the list is filtered."""
    item.name = item.action.name if item.action is not None else ""


class ListedActionProperties(bpy.types.PropertyGroup):
    """An action of an armature's own list."""

    action: an_action(
        "Action", "An action whose root motion is measured", poll=animates_objects, update=name_item
    )


class RangeProperties(bpy.types.PropertyGroup):
    """A ramp whose range was set by hand."""

    action: an_action("Action", "The action that the ramp is in")
    kind: make_property(EnumProperty, "Kind", "What changes", items=KIND_ITEMS)
    start: a_frame("Start", "The first frame of the ramp's range")
    end: a_frame("End", "The last frame of the ramp's range")


@made_of.properties(Settings, update=redraw)
class RootMotionProperties(bpy.types.PropertyGroup):
    """How the armature's root motion is measured."""

    scope: make_property(
        EnumProperty, "Scope", "Which actions are measured together", items=SCOPES, update=redraw
    )
    action: an_action("Action", "The action whose root motion is shown", poll=animates_objects, update=redraw)
    listed: list_of(
        ListedActionProperties, "Listed Actions", "The actions whose root motion is measured together"
    )
    active_listed: make_property(
        IntProperty, "Listed Action", "The action of the list whose root motion is shown"
    )
    action_name: picker("action", "Action", "The action whose root motion is shown")
    bone: make_property(
        StringProperty,
        "Root",
        "The bone whose motion over the ground is measured; empty: the root that carries the "
        "character, found from the keys. Choose the hips where the root bone stands still",
        search=search_root,
        update=redraw,
    )
    axis: make_property(
        EnumProperty,
        "Forward",
        "How the forward side of the root is found",
        translation_context=OWN_CONTEXT,
        items=AXIS_ITEMS,
        update=redraw,
    )
    estimator: make_property(
        EnumProperty,
        "Estimate",
        "Which of the two estimates of a half-life is shown first and drawn",
        items=ESTIMATOR_ITEMS,
        update=redraw,
    )
    ranges: list_of(RangeProperties, "Ranges", "The ramps and turns whose ranges were set by hand")


CLASSES = (ListedActionProperties, RangeProperties, RootMotionProperties)


def settings_from(armature: Any) -> Settings:
    """Return how an armature's root motion is to be measured."""
    return Settings(**made_of.values_of(armature.inertia_root, Settings, made_of.names(Settings)))


def query_from(armature: Any) -> measure.Query:
    """Return which root is measured, and which way it faces."""
    root = armature.inertia_root
    return measure.Query(root.bone, root.axis)
