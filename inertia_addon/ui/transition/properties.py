# SPDX-License-Identifier: GPL-3.0-or-later
"""What an object and its pose bones remember of their transitions, saved with the file."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, StringProperty

from ...blender.data import compat
from ...errors import InertiaError
from ...settings import fields as record
from ...settings.transition import TransitionSettings
from ..shared import cache, made_of
from ..shared.made_of import an_action, make_property, multiplier
from . import fields
from .fields import TransitionFields
from .pickers import picker

SETTINGS = record.settings(TransitionSettings)
BONES_ITEMS = (
    ("ALL", "All Bones", "Every bone takes part, and so do the object and its properties"),
    ("SELECTED", "Selected", "The pose bones that are selected when the transition is baked"),
    ("COLLECTION", "Collection", "The bones of a bone collection and of those below it"),
    ("LISTED", "Listed", "A fixed list of bones, such as one stored from a selection"),
)


def animates_objects(_properties: Any, action: Any) -> bool:
    """Tell whether an action has something that an armature object can use."""
    return bool(fields.object_slots(action))


def forget_slot(side: str) -> Callable[[Any, Any], None]:
    """Return an update function for a side's action: it empties the side's slot unless the new action has a
    slot by that identifier. side: "source" or "destination".
    """

    def forget(props: Any, _context: Any) -> None:
        if getattr(props, f"{side}_slot") not in fields.search_slot(side)(props, None, ""):
            setattr(props, f"{side}_slot", "")

    return forget


FOLLOWING: list[Callable[[Any], None]] = []
"""What has an armature follow its cut; see :mod:`previewing`, which needs the settings."""


def follow_cut(props: Any, context: Any) -> None:
    """Have the playhead go where an animator puts the cut, and the character show what comes of it; not where
    a script puts it, and the playhead stays while it plays."""
    if _looks_on(props, context) and not context.screen.is_animation_playing:
        context.scene.frame_float = props.cut + props.shift
    follow_entry(props, context)


def follow_entry(props: Any, context: Any) -> None:
    """Have the character show what comes of another entry."""
    if _looks_on(props, context):
        for follow in FOLLOWING:
            follow(props.id_data)


def _looks_on(props: Any, context: Any) -> bool:
    """Tell whether an animator looks at the character, and wants it to follow."""
    return props.follow_cut and context.area is not None and context.object == props.id_data


def set_blend_frames(props: Any, value: float) -> None:
    """Set the blend time, in frames."""
    props.blend_frames = value


class TransitionProperties(TransitionFields, bpy.types.PropertyGroup):
    """The settings of the armature's next transition.

    blend_time: the blend time in frames as it stands, set or not; ``blend_frames`` is what was set.
    """

    blend_time: FloatProperty(**fields.BLEND_FRAMES, get=fields.read_blend_frames, set=set_blend_frames)
    cut: FloatProperty(**made_of.keywords(SETTINGS["cut"]), update=follow_cut)
    destination_frame: FloatProperty(**made_of.keywords(SETTINGS["destination_frame"]), update=follow_entry)
    use_destination_frame: make_property(
        BoolProperty, *SETTINGS["destination_frame"].switch, update=follow_entry
    )
    follow_cut: make_property(
        BoolProperty,
        "Follow the Cut",
        "As soon as you choose another cut or destination frame, here or in a plot, show the coming "
        "transition on the character, with the playhead at the cut. Nothing of it stays in the file; it "
        "ends when you pose the character, and waits while Auto Keying is on",
        default=True,
    )
    source: an_action(*fields.SOURCE, poll=animates_objects, update=forget_slot("source"))
    destination: an_action(*fields.DESTINATION, poll=animates_objects, update=forget_slot("destination"))
    source_name: picker("source", *fields.SOURCE)
    destination_name: picker("destination", *fields.DESTINATION)
    bones: make_property(
        EnumProperty,
        "Bones",
        "The bones that take part; the others go on playing the source",
        items=BONES_ITEMS,
        default="ALL",
    )
    bone_collection: make_property(StringProperty, "Collection", "The bone collection whose bones take part")
    bone_list: make_property(
        StringProperty,
        "Listed Bones",
        "The bones and channels that take part, separated by commas: names, patterns such as finger*, and "
        "with ! before it what is left out",
    )
    channel_scales: make_property(
        StringProperty,
        "Channel Scales",
        "Multipliers of the blend times of single channels, by name or pattern: mood=0 switches a property "
        "at once, Smile=2 blends a shape key twice as long, finger*=0.5 blends these bones twice as quickly",
    )
    show_result: make_property(
        BoolProperty,
        "Show the Result",
        "Set the preview range to a second before and after the window",
        default=True,
    )
    mark_cut: make_property(
        BoolProperty,
        "Mark the Cut",
        "Put a marker at the cut of the result that is shown, with its name. Each bake moves it",
        default=True,
    )


def tag(bone: Any, _context: Any) -> None:
    """Have what looks at rigs look again; scripts and operators that set a property don't tell Blender."""
    bone.id_data.update_tag()


class BoneProperties(bpy.types.PropertyGroup):
    """How the bone takes part in transitions."""

    blend_scale: make_property(
        FloatProperty,
        "Blend Scale",
        "Multiplies this bone's blend time or half-life: 0 cuts at once, 0.5 is twice as quick, "
        "2 takes twice as long",
        **multiplier(record.BLEND_SCALE),
        update=tag,
    )


CLASSES = (TransitionProperties, BoneProperties)


def settings_from(armature: Any) -> TransitionSettings:
    """Return the settings that an armature object's properties ask for.

    Raise InertiaError for settings that can't be, such as a blend time of nothing.
    """
    return cache.in_redraw("settings", armature, lambda: _checked(**values_from(armature)))


@functools.lru_cache(maxsize=64)
def _checked(**values: Any) -> TransitionSettings:
    """Return the settings of such values, checked but once, as panels ask for them in each redraw."""
    return TransitionSettings(**values)


def values_from(armature: Any, *, with_bones: bool = True) -> dict[str, Any]:
    """Return an armature's settings, by name, as plain values for TransitionSettings; an action that is not
    chosen is "".

    source_library and destination_library are the paths of the files that linked actions come from, else "".
    with_bones: whether to read which bones take part; without, "bones" is (). blend_scales are those of its
    text of channel scales alone, not of its bones. Raise InertiaError if bones are chosen and there are none,
    and for a malformed text of scales.
    """
    props = armature.inertia
    values = fields.values_of(props)
    for side in ("source", "destination"):
        action = getattr(props, side)
        library = action.library if action is not None else None
        values[side] = action.name if action is not None else ""
        values[f"{side}_library"] = library.filepath if library is not None else ""
    values["bones"] = bones_from(armature) if with_bones else ()
    values["blend_scales"] = made_of.text_to_scales(props.channel_scales)
    return values


def bones_from(armature: Any) -> tuple[str, ...]:
    """Return the names of the bones that take part by an armature's settings; () for all.

    They are the pose bones that are selected now, those of a collection and of the collections in it, or the
    entries of a stored list as they stand, which may be patterns and begin with "!". Raise InertiaError if
    there are none, or no such collection.
    """
    props = armature.inertia
    if props.bones == "ALL":
        return ()
    if props.bones == "COLLECTION":
        return bones_of_collection(armature, props.bone_collection)
    if props.bones == "SELECTED":
        bones = tuple(bone.name for bone in compat.selected_bones(armature))
        missing = "No bone is selected; select the pose bones that take part, or choose all."
    else:
        bones = made_of.text_to_names(props.bone_list)
        missing = "The list of bones is empty; store selected bones in it, or choose all."
    if not bones:
        raise InertiaError(missing)
    return bones


def bones_of_collection(armature: Any, name: str) -> tuple[str, ...]:
    """Return the names of the bones of a bone collection and of those below it, in the armature's order.

    Raise InertiaError if name is "", there is no such collection, or it has no bones.
    """
    if not name:
        raise InertiaError("No bone collection is chosen; choose one.")
    collection = armature.data.collections_all.get(name)
    if collection is None:
        template = '"{armature}" has no bone collection "{name}"; choose another one.'
        raise InertiaError(template, armature=armature.name, name=name)
    inside = {bone.name for bone in collection.bones_recursive}
    if not inside:
        raise InertiaError('The bone collection "{name}" is empty; choose another one.', name=name)
    return tuple(bone.name for bone in armature.data.bones if bone.name in inside)


def put_settings(armature: Any, settings: TransitionSettings, source: Any, destination: Any) -> None:
    """Write settings into an armature's properties, `armature.inertia`; source and destination are the
    actions themselves.

    Bones become the text `bone_list`, which is replaced, with `bones` "LISTED"; no bones give "ALL" and an
    empty list. Blend scales go to the pose bones' `inertia.blend_scale`, or to the text `channel_scales`,
    which is replaced, where no bone has the name. Scales of other bones stay. Raise InertiaError for a number
    out of range; what came before it is written then.
    """
    props = armature.inertia
    props.source, props.destination = source, destination
    fields.put(props, settings.as_dict(), fields.SHARED)
    props.bones = "LISTED" if settings.bones else "ALL"
    props.bone_list = made_of.names_to_text(settings.bones) if settings.bones else ""
    of_channels = []
    for name, scale in settings.blend_scales:
        if name in armature.pose.bones:
            armature.pose.bones[name].inertia.blend_scale = scale
        else:
            of_channels.append((name, scale))
    props.channel_scales = made_of.scales_to_text(of_channels)
