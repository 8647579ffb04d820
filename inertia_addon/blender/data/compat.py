# SPDX-License-Identifier: GPL-3.0-or-later
"""Every branch on Blender's version: actions with slots (4.4 on) and without.

Elsewhere an action is a set of slots, each with curves. Before 4.4 it has one, whose identifier
is "" and whose type is the action's own. What carries a character then has an action of its own, to which the
character's action points: such slots apart are in its list of slots, and found by their identifiers, too.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import Any

import bpy

from ...lazy_modules import np
from ...records import record


@record(frozen=True)
class Slot:
    """A slot by value: ``identifier`` such as ``OBRig``, and the type of data it animates.

    id_type: ``OBJECT``, ``KEY`` and so on, or ``UNSPECIFIED`` for a slot that nothing has used. is_apart:
    whether its curves are in an action of their own, before Blender 4.4.
    """

    identifier: str
    id_type: str
    is_apart: bool = False

    @property
    def name(self) -> str:
        """The identifier without its two letters of type: what an animator sees."""
        return self.identifier[2:]


EXIT_MOMENTS = ("exit_pre",) if hasattr(bpy.app.handlers, "exit_pre") else ()
"""The handlers that hear that Blender quits."""


@functools.cache
def has_slots() -> bool:
    """Tell whether this Blender's actions have slots."""
    # `hasattr` of the Python type is False in every version
    return "slots" in bpy.types.Action.bl_rna.properties


APART = "inertia_slots"
"""The custom property of an action that has, before Blender 4.4, the actions of its slots apart by their
identifiers."""


def name_slot(carrier: Any) -> Slot:
    """Return a slot that is named after an object, for its curves beside those of an armature."""
    return Slot("OB" + carrier.name, "OBJECT", is_apart=not has_slots())


def parts_apart(action: Any) -> dict[str, Any]:
    """Return the actions that before Blender 4.4 hold the further slots of an action, by the slots'
    identifiers; {} where there are none, and always from 4.4 on.
    """
    if has_slots():
        return {}
    held = action.get(APART)
    found = dict(held.items()) if hasattr(held, "items") else {}
    return {name: part for name, part in found.items() if isinstance(part, bpy.types.Action)}


def find_played(action: Any, identifier: str) -> Any:
    """Return the action that Blender plays for a slot of an action: the slot's own if it is apart, else the
    action itself.
    """
    return parts_apart(action).get(identifier, action) if identifier else action


def copy_action(action: Any) -> Any:
    """Return a copy of an action, under a name that Blender numbers, with copies of the actions of its slots
    apart.

    The given one stays as it is, and nobody uses the copy.
    """
    copied = action.copy()
    if parts := parts_apart(action):
        copied[APART] = {identifier: part.copy() for identifier, part in parts.items()}
    return copied


def remove_action(action: Any) -> None:
    """Remove an action from the file, and the actions of its slots apart, whoever uses them."""
    parts = parts_apart(action)
    bpy.data.actions.remove(action)
    for part in parts.values():
        bpy.data.actions.remove(part)


def replace_action(former: Any, action: Any) -> None:
    """Remove an action, and the actions of its slots apart, and have another one, and its slots of the same
    identifiers, take over their users.

    Users of a slot that the other one lacks are left without an action.
    """
    parts, former_parts = parts_apart(action), parts_apart(former)
    former.user_remap(action)
    bpy.data.actions.remove(former)
    for identifier, part in former_parts.items():
        if identifier in parts:
            part.user_remap(parts[identifier])
        bpy.data.actions.remove(part)


def clamps_low_modes() -> bool:
    """Tell whether a keyed rotation mode below -1 plays as -1, axis and angle; before Blender 4.5 it plays
    quaternions."""
    return bpy.app.version >= (4, 5)


def slots(action: Any) -> list[Slot]:
    """Return the slots of an action, in its order. Before Blender 4.4 these are one with the identifier "",
    then those apart, which are for objects.
    """
    if not has_slots():
        own = Slot("", action.id_root if action.id_root else "UNSPECIFIED")
        apart = (Slot(identifier, "OBJECT", is_apart=True) for identifier in parts_apart(action))
        return [own, *apart]
    return [Slot(slot.identifier, slot.target_id_type) for slot in action.slots]


def curves(action: Any, identifier: str) -> Sequence[Any]:
    """Return the F-curves of a slot, as Blender's own collection; an empty tuple where it has none, or is no
    slot of the action.

    Before Blender 4.4 these are all curves of the action, or of the action of its slot apart.
    """
    if not has_slots():
        return find_played(action, identifier).fcurves
    bag = _channelbag(action, identifier)
    return bag.fcurves if bag is not None else ()


def is_muted(fcurve: Any) -> bool:
    """Tell whether Blender leaves a curve out; a group's switch acts only in actions without slots."""
    if has_slots() or fcurve.group is None:
        return bool(fcurve.mute)
    return bool(fcurve.mute or fcurve.group.mute)


def _channelbag(action: Any, identifier: str) -> Any | None:
    """Return the channelbag of a slot by its identifier, None where there is no such slot or it has no
    channels.

    An action has one layer with one strip at most. Only for Blender with slots (4.4 on).
    """
    slot = action.slots.get(identifier)
    if slot is None:
        return None
    bags = (strip.channelbag(slot) for layer in action.layers for strip in layer.strips)
    return next((bag for bag in bags if bag is not None), None)


def new_bag(action: Any, slot: Slot) -> Any:
    """Return the channels of a slot, with ``fcurves`` and ``groups``, making the slot, layer, strip and
    channelbag where they lack.

    A slot of the same identifier is used as it is, with what is in it. Before Blender 4.4 this is the action
    itself, whose type is set to the slot's, or the action of the slot apart, which is called after both.
    """
    if slot.is_apart:
        parts = parts_apart(action)
        if slot.identifier not in parts:
            part = parts[slot.identifier] = bpy.data.actions.new(f"{action.name} {slot.name}")
            part.id_root = slot.id_type
            action[APART] = parts
        return parts[slot.identifier]
    if not has_slots():
        if slot.id_type != "UNSPECIFIED":
            action.id_root = slot.id_type  # else it becomes what it is first assigned to
        return action
    new = action.slots.get(slot.identifier) or action.slots.new(slot.id_type, slot.name)
    # no action has more than one layer, nor that more than one strip
    layer = action.layers[0] if len(action.layers) else action.layers.new("Layer")
    strip = layer.strips[0] if len(layer.strips) else layer.strips.new(type="KEYFRAME")
    return strip.channelbag(new, ensure=True)


def clear(action: Any, keep: Iterable[Slot]) -> None:
    """Remove all F-curves and channel groups of an action, and all of its slots but those to keep.

    keep: slots that stay, known by their identifiers and emptied, so that what is animated by one of them
    goes on so. Before Blender 4.4 only slots apart can go. Markers and custom properties stay.
    """
    kept = {slot.identifier for slot in keep}
    if not has_slots():
        parts = parts_apart(action)
        for bag in (action, *parts.values()):
            _clear_bag(bag)
        if parts:
            action[APART] = {identifier: part for identifier, part in parts.items() if identifier in kept}
        for identifier in parts.keys() - kept:
            bpy.data.actions.remove(parts[identifier])
        return
    for slot in list(action.slots):
        if (bag := _channelbag(action, slot.identifier)) is not None:
            _clear_bag(bag)
        if slot.identifier not in kept:
            action.slots.remove(slot)


def _clear_bag(bag: Any) -> None:
    # a list, as to remove one changes the collection
    for fcurve in list(bag.fcurves):
        bag.fcurves.remove(fcurve)
    for group in list(bag.groups):
        bag.groups.remove(group)


def assigned(data: Any) -> tuple[Any | None, str]:
    """Return the action that animates a data-block, with the identifier of its slot ("" for none)."""
    return (None, "") if data.animation_data is None else strip_assigned(data.animation_data)


def assign(data: Any, action: Any | None, identifier: str = "") -> None:
    """Assign an action and one of its slots to a data-block, whose animation data is made where it has none.

    action: None to animate it by nothing. identifier: of the slot; "" for no slot, by which nothing is
    animated. Before Blender 4.4 only one apart counts. Raise KeyError for a slot that the action lacks; the
    action is assigned by then.
    """
    animation = data.animation_data or data.animation_data_create()
    animation.action = None if action is None else find_played(action, identifier)
    # Blender itself chooses none where the only slot bears another name: nothing would move, nor be said
    if action is not None and has_slots():
        animation.action_slot = action.slots[identifier] if identifier else None


def last_slot(data: Any) -> str:
    """Return the identifier of the slot that animates a data-block, or did so last; "" for none."""
    animation = data.animation_data
    return "" if animation is None or not has_slots() else str(animation.last_slot_identifier)


def rename_slot(action: Any, identifier: str, name: str) -> str:
    """Give a slot another shown name, and return the identifier that it has then, which Blender keeps unique.

    name: without the two letters of type. Return "", with nothing done, for an identifier of "" or before
    Blender 4.4. Raise KeyError for a slot that the action lacks.
    """
    if not has_slots() or not identifier:
        return ""
    slot = action.slots[identifier]
    slot.name_display = name
    return str(slot.identifier)


def strip_assigned(strip: Any) -> tuple[Any | None, str]:
    """Return the action of an NLA strip, or of animation data, with the identifier of its slot ("" for
    none).
    """
    if not has_slots() or strip.action_slot is None:
        return strip.action, ""
    return strip.action, strip.action_slot.identifier


def selected_bones(armature: Any) -> list[Any]:
    """Return the pose bones that are selected and visible."""
    states = ((bone, _state(bone)) for bone in armature.pose.bones)
    return [bone for bone, state in states if state.select and not state.hide and in_sight(bone)]


def _state(bone: Any) -> Any:
    """Return what says whether a pose bone is selected and hidden; from 5.0 on that is the pose bone
    itself.
    """
    return bone if "select" in bpy.types.PoseBone.bl_rna.properties else bone.bone


def in_sight(bone: Any) -> bool:
    """Tell whether a pose bone is in no bone collection or in a visible one."""
    collections = bone.bone.collections
    return not collections or any(collection.is_visible_effectively for collection in collections)


def reveal(bone: Any) -> str:
    """Unhide a pose bone, by its own ``hide`` or, before Blender 5.0, that of its bone in the armature, and
    make its first bone collection, with those above it, visible where none of its collections is.

    If that does not suffice, as another collection is solo, its first one becomes solo, too. Return the name
    of its first collection where that was shown, "" if none had to be. A bone without collections is only
    unhidden.
    """
    _state(bone).hide = False
    if in_sight(bone):
        return ""
    chosen = shown = bone.bone.collections[0]
    while shown is not None:
        shown.is_visible = True
        shown = shown.parent
    if not in_sight(bone):
        chosen.is_solo = True  # another one is
    return str(chosen.name)


def selected_ids(context: Any) -> list[Any]:
    """Return what is selected in an Outliner; one that was never drawn may not even know that it is
    nothing.
    """
    return list(getattr(context, "selected_ids", ()))


def select_bone(bone: Any, *, state: bool) -> None:
    """Select or deselect a pose bone."""
    _state(bone).select = state


def stored(data: Any, group: str, name: str) -> Any | None:
    """Return the saved value of a property that an extension defines, even if the extension's class is not
    registered.

    data: a data-block or pose bone. group: the name of the property group on it. name: the property's name in
    the group. Return None where no value was ever set, or what bears the group's name is no group. Up to
    Blender 4.5 it lies among the custom properties, from 5.0 on apart. The value is as Blender stores it,
    unchecked.
    """
    system = getattr(data, "bl_system_properties_get", None)
    holder = data if system is None else system()
    # a property of the same name that is no group is somebody else's
    held: Any = None if holder is None else holder.get(group)
    if not hasattr(held, "keys") or name not in held.keys():
        return None
    return held[name]


def texture_colours(colours: Any) -> Any:
    """Return sRGB colours (..., 3) as a float texture takes them: before 5.0 Blender encodes them once more
    to show them, so that they are made linear.
    """
    if bpy.app.version >= (5, 0):
        return colours
    return np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)


def options_of_path() -> set[str]:
    """Return the options of a property for a path beside the .blend: from 4.5 on it has to allow that."""
    return {"PATH_SUPPORTS_BLEND_RELATIVE"} if bpy.app.version >= (4, 5) else set()


def types_named(names: Iterable[str]) -> list[Any]:
    """Return the types of Blender's that exist: the Dope Sheet has its Action menu from 4.3 on."""
    return [getattr(bpy.types, name) for name in names if hasattr(bpy.types, name)]


def expose_modules() -> None:
    """Let Python import what Blender as a module brings, such as USD's own: from 4.4 on that is asked for."""
    getattr(bpy.utils, "expose_bundled_modules", lambda: None)()


def release() -> tuple[int, int]:
    """Return the version of this Blender without its patches, such as (5, 2)."""
    return bpy.app.version[:2]


def usd_import(unit: float | None) -> dict[str, Any]:
    """Return the options by which Blender reads USD. unit: in metres, None where that is not known.

    From 4.5 on Blender knows the unit by itself.
    """
    knows = "apply_unit_conversion_scale" in bpy.ops.wm.usd_import.get_rna_type().properties
    unit_option = {"apply_unit_conversion_scale": True} if knows else {"scale": unit or 1.0}
    return {"set_frame_range": True, **unit_option}


def usd_export() -> dict[str, Any]:
    """Return the keyword options for Blender's USD exporter, by its own names; a new dict each time.

    True are ``export_animation``, ``export_armatures`` and ``export_shapekeys``; False are ``export_lights``,
    ``export_cameras``, ``export_hair``, ``convert_world_material`` and ``only_deform_bones``, so that all
    bones are written; ``evaluation_mode`` is "VIEWPORT". Textures are not copied: ``export_textures_mode`` is
    "KEEP" where the exporter has it, else ``export_textures`` is False. The path and what is selected are
    left to the caller.
    """
    wanted = ("export_animation", "export_armatures", "export_shapekeys")
    left_out = (
        "export_lights",
        "export_cameras",
        "export_hair",
        "convert_world_material",
        "only_deform_bones",
    )
    keeps = "export_textures_mode" in bpy.ops.wm.usd_export.get_rna_type().properties
    return {
        **dict.fromkeys(wanted, True),
        **dict.fromkeys(left_out, False),
        "evaluation_mode": "VIEWPORT",
        **({"export_textures_mode": "KEEP"} if keeps else {"export_textures": False}),
    }
