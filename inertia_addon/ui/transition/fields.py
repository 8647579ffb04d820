# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings that an object and the Bake operator have in common, by the names of TransitionSettings."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import bpy

from ...blender.data import actions, compat, scene
from ...blender.evaluation import controlling
from ...errors import InertiaError
from ...settings import fields
from ...settings.transition import NO_WARP, OBJECT_ROOT, TransitionSettings, usual_blend_frames
from ..shared import forms, made_of

if TYPE_CHECKING:
    from ...blender.nla.strips import StripMeeting

Search = list[str]

BLEND_FRAMES = made_of.keywords(fields.settings(TransitionSettings)["blend_frames"])
"""The blend time's property."""
SOURCE = ("Source", "The action that plays up to the cut")
DESTINATION = ("Destination", "The action that takes over at the cut")
ENTER_AT = fields.settings(TransitionSettings)["enter_at"]
"""Where the destination is entered if no frame of it is chosen."""
LOCKING = ("foot_release", "foot_radius", "hips_drop", "step_height", "toes", "toe_height")
"""How planted feet are locked."""
OFFSET = ("decomposition", "velocity", "difference", "step", "guard", "guard_angle", "guard_length")
"""Of what the offset is made, on which frames keys stand, and what guards it."""
DEFAULTS = {name: setting.default for name, setting in fields.settings(TransitionSettings).items()}
SHARED = made_of.names(TransitionSettings)
"""All shared settings, by their names in TransitionSettings."""


def armature_of(data: Any, context: Any) -> Any | None:
    """Return the armature of a property group, or the active one for an operator, which belongs to none."""
    owner = data.id_data if isinstance(data.id_data, bpy.types.Object) else context.object
    return owner if owner is not None and owner.type == "ARMATURE" else None


def search_root(data: Any, context: Any, text: str) -> Search:
    """Return the names that may be entered for the root and contain a text, in any case; [] without an
    armature.

    First comes the name that stands for the armature object's own (OBJECT_ROOT), then the bones that have a
    custom shape, or all bones if none has one, in the armature's order. This is the search function of a
    property: data is a property group, whose object is the armature, or an operator, for which the active
    object is.
    """
    owner = armature_of(data, context)
    if owner is None:
        return []
    return [name for name in (OBJECT_ROOT, *controlling.offered(owner)) if text.lower() in name.lower()]


def search_bone(data: Any, context: Any, text: str) -> Search:
    """Return the controls whose names hold a text."""
    return [name for name in search_root(data, context, text) if name != OBJECT_ROOT]


def search_object(data: Any, context: Any, text: str) -> Search:
    """List the scene's objects whose names hold the text, all but the character itself."""
    others = (thing.name for thing in context.scene.objects if thing != armature_of(data, context))
    return [name for name in others if text.casefold() in name.casefold()]


def search_slot(side: str) -> Callable[[Any, Any, str], Search]:
    """Return a property's search function, which lists the identifiers of the slots of a side's action that
    can animate objects and contain a text, in any case; [] without an action.

    side: "source" or "destination".
    """

    def search(data: Any, _context: Any, text: str) -> Search:
        action = _action(data, side)
        slots = object_slots(action) if action is not None else []
        return [slot.identifier for slot in slots if text.lower() in slot.identifier.lower()]

    return search


def _action(data: Any, side: str) -> Any | None:
    """Return the action on a side, "source" or "destination", of a property group or an operator (which has
    its name and file); None if none is chosen or it is not found.
    """
    action = getattr(data, side)
    if not isinstance(action, str):
        return action
    try:
        return actions.find(action, getattr(data, f"{side}_library"))
    except InertiaError:
        return None


def object_slots(action: Any) -> list[compat.Slot]:
    """Return the slots of an action that an armature object can use."""
    return [slot for slot in compat.slots(action) if slot.id_type in ("OBJECT", "UNSPECIFIED")]


def draw_slot(layout: Any, data: Any, side: str, armature: Any, text: str | None = None) -> None:
    """Draw the field of a side's slot; while it is empty, it shows greyed the slot that the armature would
    use, if there is an action with one for objects.

    data: a property group or an operator. side: "source" or "destination". text: the label, None for the
    property's own. Raise InertiaError if the action has slots for objects and none of them fits the armature.
    """
    action, used = _action(data, side), ""
    if action is not None and object_slots(action):
        used = actions.choose_slot(action, armature).identifier
    layout.prop(data, f"{side}_slot", text=text, icon="OBJECT_DATA", placeholder=used)


def draw_assign_others(layout: Any, data: Any) -> None:
    """Draw the switch for whether others get the result, too; nothing in Blender before 4.4, where actions
    have no slots.
    """
    if compat.has_slots():
        forms.draw(layout, data, TransitionSettings, ("assign_others",))


def blend_frames_of(data: Any) -> float | None:
    """Return the blend time that was set, in frames; None for the one of any frame rate.

    An operator shows that one, too: it was set if it is no longer as it was left.
    """
    if isinstance(data, bpy.types.Operator):
        return None if data.blend_frames == data.left_blend_frames else float(data.blend_frames)
    return float(data.blend_frames) if data.is_property_set("blend_frames") else None


def _usual_blend_frames() -> float:
    """Return the blend time in frames, where none was set, of the scene's frame rate."""
    return usual_blend_frames(scene.fps())


def read_blend_frames(data: Any) -> float:
    """Return the blend time in frames: as it was set, else at the scene's frame rate."""
    chosen = blend_frames_of(data)
    return _usual_blend_frames() if chosen is None else chosen


@made_of.properties(
    TransitionSettings,
    {
        "source_slot": {"search": search_slot("source")},
        "destination_slot": {"search": search_slot("destination")},
        "root": {"search": search_root},
        "align_bone": {"search": search_bone},
        "warp_object": {"search": search_object, "search_options": set()},
    },
)
class TransitionFields:
    """What TransitionProperties and the Bake operator share; see TransitionSettings for what each means."""


def values_of(data: Any) -> dict[str, Any]:
    """Return the shared settings of a property group or an operator as a dict by the names in SHARED, with
    values for TransitionSettings, in its units: angles in degrees, numbers rounded to the decimals of their
    range. Source and destination, bones and blend scales are not among them.

    blend_frames is None where none was set: for a property group that is told by whether the property is set,
    for an operator by whether it still equals left_blend_frames. destination_frame is None where
    use_destination_frame is off, and so are other settings whose switch is off.

    With a destination frame, enter_at has its default. Without warp_object and warp_to, all settings of the
    warp have the values of no warp. Nothing is changed, and no value is checked.
    """
    values = made_of.values_of(data, TransitionSettings, SHARED)
    if blend_frames_of(data) is None:
        values["blend_frames"] = None
    if values["destination_frame"] is not None:
        # a frame that was chosen says it all
        values["enter_at"] = ENTER_AT.default
    if not (values["warp_object"] or values["warp_to"]):
        values |= {name: value for name, value in NO_WARP.items() if name in values}
    return values


def put(data: Any, values: dict[str, Any], names: Iterable[str]) -> None:
    """Write some settings into a property group or an operator: the inverse of :func:`values_of`.

    values: by name, in the units of TransitionSettings. names: which are written, in their order. A name that
    values lacks is set to its default, except enter_at, which stays as it is then, and blend_frames, which
    values must hold if it is named.

    None turns the switch of a setting off, such as use_destination_frame; any other value turns it on.
    blend_frames None unsets it in a property group; in an operator it and left_blend_frames become the usual
    number of frames for the scene's rate.

    Raise InertiaError for a number out of range, as a file may hold, and KeyError if blend_frames is named
    and not in values. The names before are written by then.
    """
    for name in names:
        if name == "enter_at":
            # of earlier versions nothing is told of it, and what names a frame has no need of it
            if name in values:
                data.enter_at = values[name]
        elif name != "blend_frames" or values[name] is not None:
            # what came later is not told where it is at its default
            made_of.put(data, TransitionSettings, name, values.get(name, DEFAULTS[name]))
        elif isinstance(data, bpy.types.Operator):
            data.blend_frames = data.left_blend_frames = _usual_blend_frames()
        else:
            data.property_unset("blend_frames")


def put_meeting(data: Any, meeting: StripMeeting) -> None:
    """Write what two strips do into an armature's settings or an operator's: actions, slots, scales, cut,
    shift and the destination's frame, whose use is switched on.

    A side whose strip repeats more than once becomes a cycle ("ON"), any other is left to be found ("AUTO").
    A destination that repeats so goes on for as many further cycles as it repeats beyond the first, counted
    up; any other goes on "ONCE".
    """
    for side, repeats, scale in zip(("source", "destination"), meeting.repeats, meeting.scales, strict=True):
        action = getattr(meeting, side)
        if isinstance(data, bpy.types.Operator):
            setattr(data, side, action.name)
            setattr(data, f"{side}_library", action.library.filepath if action.library else "")
        else:
            setattr(data, side, action)
        setattr(data, f"{side}_slot", getattr(meeting, f"{side}_slot"))
        setattr(data, f"{side}_cycle", "ON" if repeats > 1.0 else "AUTO")
        setattr(data, f"{side}_scale", scale)
    data.cut, data.shift = meeting.cut, meeting.shift
    data.use_destination_frame, data.destination_frame = True, meeting.entry
    data.go_on = "ONCE"
    if meeting.repeats[1] > 1.0:
        data.go_on, data.go_on_cycles = "CYCLES", math.ceil(meeting.repeats[1]) - 1
