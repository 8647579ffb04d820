# SPDX-License-Identifier: GPL-3.0-or-later
"""How an armature's root motion is measured, saved with the object."""

from __future__ import annotations

import math
from typing import Any

import bpy
from bpy.props import (
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from ...blender.root_motion import measure as root_motion
from ...blender.root_motion import values as root_motion_values
from ...motion.root_motion.measure import Settings
from ...settings import limits, ranges
from ..shared import cache
from ..transition.fields import INSERTION, OPTIONS, OVERRIDE, limits_of, search_root
from ..transition.properties import animates_objects
from ..translations import OWN_CONTEXT

SCOPES = (
    ("ACTION", "One Action", "The action that is chosen below"),
    ("LISTED", "Listed", "A list of actions of your own"),
    ("ALL", "All", "Every action of the file that moves this armature"),
)

AXIS_ITEMS = (
    (root_motion.REST, "Rest Pose", "Where the rest pose faces: where its feet point, or its head"),
    (root_motion.TRAVEL, "Direction of Travel", "The side of the root that is in front while it travels"),
    *((axis, f"{axis} Axis", f"The root's own {axis} axis") for axis in root_motion.OWN_AXES),
)
"""In the order of :data:`root_motion.AXES`."""

ESTIMATOR_ITEMS = (
    (
        root_motion_values.LEAST_SQUARES,
        "Least Squares",
        "The spring that comes closest to the whole ramp, with its uncertainty",
    ),
    (
        root_motion_values.CLOSED_FORM,
        "Peak Rate",
        "From the change and the peak of its rate alone: quick to check by hand, and sensitive to noise",
    ),
)
KIND_ITEMS = (
    ("speed", "Speed", "Ramps of the speed: starts, stops and changes of pace"),
    ("turn", "Turn", "Turns: changes of the facing"),
)


def redraw(_own: Any, _context: Any) -> None:
    """Show what a setting changes."""
    cache.redraw()


def name_item(item: Any, _context: Any) -> None:
    """Give a listed action its name, by which the list is filtered."""
    item.name = item.action.name if item.action is not None else ""


class ListedActionProperties(bpy.types.PropertyGroup):
    """An action of an armature's own list."""

    action: PointerProperty(
        name="Action",
        description="An action whose root motion is measured",
        type=bpy.types.Action,
        poll=animates_objects,
        update=name_item,
        override=OVERRIDE,
    )


class RangeProperties(bpy.types.PropertyGroup):
    """A ramp whose range was set by hand."""

    action: PointerProperty(
        name="Action", description="The action that the ramp is in", type=bpy.types.Action, override=OVERRIDE
    )
    kind: EnumProperty(
        name="Kind", description="What changes", items=KIND_ITEMS, options=OPTIONS, override=OVERRIDE
    )
    start: FloatProperty(
        name="Start",
        description="The first frame of the ramp's range",
        **limits_of(limits.FRAME),
        options=OPTIONS,
        override=OVERRIDE,
    )
    end: FloatProperty(
        name="End",
        description="The last frame of the ramp's range",
        **limits_of(limits.FRAME),
        options=OPTIONS,
        override=OVERRIDE,
    )


class RootMotionProperties(bpy.types.PropertyGroup):
    """What of an armature's root motion is measured, and how; see motion.root_motion.Settings."""

    scope: EnumProperty(
        name="Measure",
        description="Which actions are measured together",
        items=SCOPES,
        update=redraw,
        options=OPTIONS,
        override=OVERRIDE,
    )
    action: PointerProperty(
        name="Action",
        description="The action whose root motion is shown",
        type=bpy.types.Action,
        poll=animates_objects,
        update=redraw,
        override=OVERRIDE,
    )
    listed: CollectionProperty(
        name="Listed Actions",
        description="The actions whose root motion is measured together",
        type=ListedActionProperties,
        override=INSERTION,
    )
    active_listed: IntProperty(
        name="Listed Action",
        description="The action of the list whose root motion is shown",
        options=OPTIONS,
        override=OVERRIDE,
    )
    bone: StringProperty(
        name="Root",
        description="The bone whose motion over the ground is measured; empty: the root that carries the "
        "character, found from the keys. Choose the hips where the root bone stands still",
        search=search_root,
        update=redraw,
        options=OPTIONS,
        override=OVERRIDE,
    )
    axis: EnumProperty(
        name="Forward",
        translation_context=OWN_CONTEXT,
        description="How it is found which side of the root faces forward",
        items=AXIS_ITEMS,
        update=redraw,
        options=OPTIONS,
        override=OVERRIDE,
    )
    estimator: EnumProperty(
        name="Estimate",
        description="Which of the two estimates of a half-life is shown first and drawn",
        items=ESTIMATOR_ITEMS,
        update=redraw,
        options=OPTIONS,
        override=OVERRIDE,
    )
    sustained_seconds: FloatProperty(
        name="Sustained",
        description="How long the maximum speed has to be held, in seconds",
        default=Settings.sustained_seconds,
        **limits_of(ranges.of(Settings, "sustained_seconds")),
        step=10,
        precision=2,
        update=redraw,
        options=OPTIONS,
        override=OVERRIDE,
    )
    smoothing_seconds: FloatProperty(
        name="Smoothing",
        description="The window, in seconds, of the Savitzky-Golay filter that takes strides and swaying "
        "hips out of the curves and out of the search for ramps. Fits take the motion as it is",
        default=Settings.smoothing_seconds,
        **limits_of(ranges.of(Settings, "smoothing_seconds")),
        step=5,
        precision=2,
        update=redraw,
        options=OPTIONS,
        override=OVERRIDE,
    )
    peak_seconds: FloatProperty(
        name="Peak Window",
        description="The window, in seconds, over which peak accelerations and turn rates are taken; 0 for "
        "one that suits each ramp",
        default=Settings.peak_seconds,
        **limits_of(ranges.of(Settings, "peak_seconds")),
        step=5,
        precision=2,
        update=redraw,
        options=OPTIONS,
        override=OVERRIDE,
    )
    least_speed_change: FloatProperty(
        name="Least Change",
        description="A speed that changes by less, in metres per second, is no ramp; what strides do is "
        "none in any case",
        default=Settings.least_speed_change,
        **limits_of(ranges.of(Settings, "least_speed_change")),
        step=10,
        precision=2,
        update=redraw,
        options=OPTIONS,
        override=OVERRIDE,
    )
    least_turn: FloatProperty(
        name="Least Turn",
        description="A facing that changes by less, as an angle, is no turn",
        default=math.radians(Settings.least_turn),
        **limits_of(ranges.of(Settings, "least_turn"), math.radians(1.0)),
        subtype="ANGLE",
        unit="ROTATION",
        update=redraw,
        options=OPTIONS,
        override=OVERRIDE,
    )
    ranges: CollectionProperty(
        name="Ranges",
        description="The ramps and turns whose ranges were set by hand",
        type=RangeProperties,
        override=INSERTION,
    )


CLASSES = (ListedActionProperties, RangeProperties, RootMotionProperties)


def settings_from(armature: Any) -> Settings:
    """How an armature's root motion is to be measured."""
    own = armature.inertia_root
    return Settings(
        sustained_seconds=own.sustained_seconds,
        smoothing_seconds=own.smoothing_seconds,
        peak_seconds=own.peak_seconds,
        least_speed_change=own.least_speed_change,
        least_turn=round(math.degrees(own.least_turn), 5),
    )


def query_from(armature: Any) -> root_motion.Query:
    """Which root is measured, and which way it faces."""
    own = armature.inertia_root
    return root_motion.Query(own.bone, own.axis)
