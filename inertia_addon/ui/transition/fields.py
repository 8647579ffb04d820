# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings that an object and the Bake operator have in common, by the names of TransitionSettings."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, StringProperty

from ...blender.data import actions, compat, scene
from ...errors import InertiaError
from ...settings import methods, ranges
from ...settings.ranges import Range
from ...settings.transition import BLEND_SECONDS, OBJECT_ROOT, TransitionSettings
from ..translations import OWN_CONTEXT
from .choices import ALIGNMENT_ITEMS, DECOMPOSITION_ITEMS, GUARD_ITEMS, VELOCITY_ITEMS

OPTIONS = {"SKIP_SAVE"}
"""Not animatable; and an operator starts from the object's settings, not from its last run."""
OVERRIDE = {"LIBRARY_OVERRIDABLE"}
"""A linked character's library override must be able to hold settings of its own."""

INSERTION = {*OVERRIDE, "USE_INSERTION"}
"""A library override's list can be added to; what it has from the linked file stays in it."""

Search = list[str]


def limits_of(allowed: Range, factor: float = 1.0) -> dict[str, float]:
    """A range as Blender's properties have it: hard limits, and those of a slider.

    factor: from the range's unit to the property's.
    """
    values = {
        "min": allowed.least,
        "max": allowed.most,
        "soft_min": allowed.soft_least,
        "soft_max": allowed.soft_most,
    }
    kind = int if allowed.whole else float
    return {name: kind(value * factor) for name, value in values.items() if value is not None}


def limits_for(name: str, factor: float = 1.0) -> dict[str, float]:
    """The limits of one of the settings of TransitionSettings."""
    return limits_of(ranges.of(TransitionSettings, name), factor)


def owner_of(data: Any, context: Any) -> Any | None:
    """The object whose settings these are; for an operator the active object."""
    return data.id_data or context.object


def search_root(data: Any, context: Any, text: str) -> Search:
    """The bones that may be the root, and the object itself."""
    owner = owner_of(data, context)
    if owner is None or owner.type != "ARMATURE":
        return []
    return [name for name in (OBJECT_ROOT, *owner.data.bones.keys()) if text.lower() in name.lower()]


def search_source_slot(data: Any, context: Any, text: str) -> Search:
    """The slots of the source that animate objects."""
    return _slots(data, "source", text)


def search_destination_slot(data: Any, context: Any, text: str) -> Search:
    """The slots of the destination that animate objects."""
    return _slots(data, "destination", text)


def _slots(data: Any, side: str, text: str) -> Search:
    action = _action(data, side)
    if action is None:
        return []
    return [slot.identifier for slot in object_slots(action) if text.lower() in slot.identifier.lower()]


def _action(data: Any, side: str) -> Any | None:
    """The action on a side; an operator has its name."""
    action = getattr(data, side)
    if not isinstance(action, str):
        return action
    try:
        return actions.find(action, getattr(data, f"{side}_library"))
    except InertiaError:
        return None


def object_slots(action: Any) -> list[compat.Slot]:
    """The slots of an action that an armature object can use."""
    return [slot for slot in compat.slots(action) if slot.id_type in ("OBJECT", "UNSPECIFIED")]


def draw_slot(layout: Any, data: Any, side: str, armature: Any, text: str | None = None) -> None:
    """The field of a side's slot; while it is empty it shows the one that the armature would use."""
    action, used = _action(data, side), ""
    if action is not None and object_slots(action):
        used = actions.choose_slot(action, armature).identifier
    layout.prop(data, f"{side}_slot", text=text, icon="OBJECT_DATA", placeholder=used)


BLEND_FRAMES: dict[str, Any] = {
    "name": "Blend Time",
    "description": "How long the difference takes to fade, in frames; 0.4 s until it is set",
    "default": BLEND_SECONDS * 30.0,
    **limits_for("blend_frames"),
    "step": 100,
    "precision": 2,
    "options": OPTIONS,
    "override": OVERRIDE,
}
"""The blend time's property."""


def blend_frames_of(data: Any) -> float | None:
    """The blend time that was set, in frames; None for the one of any frame rate.

    An operator shows that one, too: it was set if it is no longer as it was left.
    """
    if isinstance(data, bpy.types.Operator):
        return None if data.blend_frames == data.left_blend_frames else float(data.blend_frames)
    return float(data.blend_frames) if data.is_property_set("blend_frames") else None


def leave_blend_frames(data: Any) -> None:
    """Have the blend time be the one of any frame rate."""
    if isinstance(data, bpy.types.Operator):
        data.blend_frames = data.left_blend_frames = BLEND_SECONDS * scene.fps()
    else:
        data.property_unset("blend_frames")


def shown_blend_frames(data: Any) -> float:
    """The blend time in frames: as it was set, else at the scene's frame rate."""
    chosen = blend_frames_of(data)
    return BLEND_SECONDS * scene.fps() if chosen is None else chosen


def set_blend_frames(data: Any, value: float) -> None:
    """Set the blend time, in frames."""
    data.blend_frames = value


class TransitionFields:
    """What TransitionProperties and the Bake operator share; see TransitionSettings for what each means."""

    source_slot: StringProperty(
        name="Source Slot",
        description="The source's slot to play; empty for the one that the armature would use",
        search=search_source_slot,
        options=OPTIONS,
        override=OVERRIDE,
    )
    destination_slot: StringProperty(
        name="Destination Slot",
        description="The destination's slot to play; empty for the one that the armature would use",
        search=search_destination_slot,
        options=OPTIONS,
        override=OVERRIDE,
    )
    cut: FloatProperty(
        name="Cut",
        translation_context=OWN_CONTEXT,
        description="The scene frame at which the destination takes over from the source",
        default=1.0,
        **limits_for("cut"),
        step=100,
        precision=2,
        options=OPTIONS,
        override=OVERRIDE,
    )
    use_destination_frame: BoolProperty(
        name="Choose the Destination Frame",
        description="Enter the destination at a frame of your choice; otherwise at its first",
        default=False,
        options=OPTIONS,
        override=OVERRIDE,
    )
    destination_frame: FloatProperty(
        name="Destination Frame",
        description="The destination's own frame that is shown at the cut",
        default=1.0,
        **limits_for("destination_frame"),
        step=100,
        precision=2,
        options=OPTIONS,
        override=OVERRIDE,
    )
    method: EnumProperty(
        name="Method",
        translation_context=OWN_CONTEXT,
        description="The curve along which the difference between the two poses fades",
        items=methods.METHOD_ITEMS,
        default="QUINTIC",
        options=OPTIONS,
        override=OVERRIDE,
    )
    quintic_start: EnumProperty(
        name="Start",
        description="How the quintic sets out from the source's pose",
        items=methods.QUINTIC_START_ITEMS,
        default="SOFT",
        options=OPTIONS,
        override=OVERRIDE,
    )
    blend_frames: FloatProperty(**BLEND_FRAMES)
    half_life: FloatProperty(
        name="Half-life",
        description="The spring's half-life, in seconds: smaller is quicker; after four of them 3 % of the "
        "difference is left",
        default=0.1,
        **limits_for("half_life"),
        step=1,
        precision=3,
        unit="TIME_ABSOLUTE",
        options=OPTIONS,
        override=OVERRIDE,
    )
    extrapolation_half_life: FloatProperty(
        name="Slows Down in",
        description="The time, in seconds, in which the source's velocity halves as it goes on after the cut",
        default=0.25,
        **limits_for("extrapolation_half_life"),
        step=1,
        precision=3,
        unit="TIME_ABSOLUTE",
        options=OPTIONS,
        override=OVERRIDE,
    )
    decomposition: EnumProperty(
        name="Rotation",
        description="Which part of a bone's velocity is carried over the cut",
        items=DECOMPOSITION_ITEMS,
        default="ROTATION_VECTOR",
        options=OPTIONS,
        override=OVERRIDE,
    )
    velocity: EnumProperty(
        name="Velocity",
        description="Which velocity the offset starts with",
        items=VELOCITY_ITEMS,
        default="RELATIVE",
        options=OPTIONS,
        override=OVERRIDE,
    )
    guard: EnumProperty(
        name="Overshoot",
        description="What to do with offsets whose velocity would make them swing out",
        items=GUARD_ITEMS,
        default="OFF",
        options=OPTIONS,
        override=OVERRIDE,
    )
    guard_angle: FloatProperty(
        name="Angle",
        description="How far a rotation may swing beyond its offset at the cut, or past the destination "
        "(scripts: in radians, as all of Blender's angles)",
        default=math.radians(20.0),
        **limits_for("guard_angle", math.radians(1.0)),
        subtype="ANGLE",
        options=OPTIONS,
        override=OVERRIDE,
    )
    guard_length: FloatProperty(
        name="Distance (m)",
        description="How far a location may swing beyond its offset at the cut, or past the destination, "
        "in metres",
        default=0.05,
        **limits_for("guard_length"),
        step=1,
        precision=3,
        options=OPTIONS,
        override=OVERRIDE,
    )
    alignment: EnumProperty(
        name="Align Root",
        description="How the destination is moved so that it goes on from where the source is",
        items=ALIGNMENT_ITEMS,
        default="AUTO",
        options=OPTIONS,
        override=OVERRIDE,
    )
    root: StringProperty(
        name="Root",
        description=f"The bone that carries the character over the ground, or {OBJECT_ROOT} for the armature "
        "object itself; empty has it found",
        search=search_root,
        options=OPTIONS,
        override=OVERRIDE,
    )
    result: StringProperty(
        name="Name",
        description='The new action\'s name; empty for "Source to Destination"',
        options=OPTIONS,
        override=OVERRIDE,
    )
    assign: BoolProperty(
        name="Assign the Result",
        description="Let the new action animate the armature; the one that did so before stays in the file",
        default=True,
        options=OPTIONS,
        override=OVERRIDE,
    )
    extrapolate: BoolProperty(
        name="Extrapolate",
        translation_context=OWN_CONTEXT,
        description="Let the cut and the destination frame lie outside of the actions' own frames",
        default=False,
        options=OPTIONS,
        override=OVERRIDE,
    )


AS_THEY_ARE = (
    "source_slot",
    "destination_slot",
    "cut",
    "method",
    "quintic_start",
    "half_life",
    "extrapolation_half_life",
    "decomposition",
    "velocity",
    "guard",
    "guard_length",
    "alignment",
    "root",
    "result",
    "assign",
    "extrapolate",
)
"""The shared settings whose value is the property's."""

EXACT = {
    "cut": 4,
    "destination_frame": 4,
    "blend_frames": 4,
    "half_life": 6,
    "extrapolation_half_life": 6,
    "guard_length": 6,
    "guard_angle": 5,
}
"""Decimals to round to: a property holds 0.1 as 0.10000000149."""


def values_of(data: Any) -> dict[str, Any]:
    """The shared settings that a property group or an operator holds, in TransitionSettings' units."""
    values = {name: getattr(data, name) for name in AS_THEY_ARE}
    values["guard_angle"] = math.degrees(data.guard_angle)
    values["destination_frame"] = data.destination_frame if data.use_destination_frame else None
    values["blend_frames"] = blend_frames_of(data)
    return {name: _exact(name, value) for name, value in values.items()}


def _exact(name: str, value: Any) -> Any:
    return round(value, EXACT[name]) if name in EXACT and value is not None else value


def put(data: Any, values: dict[str, Any], names: Iterable[str]) -> None:
    """The inverse of :func:`values_of`: write some of the settings into a property group or an operator.

    Raises InertiaError for a number that a file holds though it can't be: Blender would take its nearest.
    """
    for name in names:
        ranges.check_one(TransitionSettings, name, values[name])
        if name == "guard_angle":
            data.guard_angle = math.radians(values[name])
        elif name == "blend_frames" and values[name] is None:
            leave_blend_frames(data)
        elif name == "destination_frame":
            data.use_destination_frame = values[name] is not None
            if values[name] is not None:
                data.destination_frame = values[name]
        else:
            setattr(data, name, values[name])


SHARED = (*AS_THEY_ARE, "guard_angle", "destination_frame", "blend_frames")
"""All shared settings, by their names in TransitionSettings."""
