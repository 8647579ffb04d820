# SPDX-License-Identifier: GPL-3.0-or-later
"""What is done for all rooms when a file is saved, loaded or animated.

Saving: Blender makes a property group when it is looked at, and panels look at some. So groups in which
nothing was ever set are dropped before a file is saved. From Blender 5.0 on a property group that a linked
object never had is lost from its override when the file is saved: Blender notes the whole group as
overridden, which it cannot apply on loading. When the linked object has the group, if only in memory, its
members are noted, and all is well.

First poses: Blender's importers put the pose of a file into the bones, and the first action that plays
overwrites it. Between the two there is one moment to see how the armature stands.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import bpy
from bpy.app.handlers import persistent

from ...blender.data import compat, unkeyed
from ...lazy_modules import is_read
from . import cache

COMPUTED = {
    *("blend_time", "source_name", "destination_name", "action_name", "into_name"),
    *("arrival", "loop_start", "loop_end"),
}
"""Properties without a value of their own, which Blender takes for set."""


@persistent
def on_save(*_arguments: Any) -> None:
    """Drop Inertia's property groups in which nothing was ever set, before the file is saved; a handler.

    Only local scenes, objects and pose bones count. On library overrides, a group that has values here or is
    there on the linked original is made on both, so that it is saved. Computed properties, and pointers to
    nothing, count as not set. Windows are redrawn.
    """
    for holder, linked in _holders():
        for name in names_of(holder.bl_rna.identifier):
            if linked is not None and (_is_set(holder, name) or linked.is_property_set(name)):
                getattr(linked, name), getattr(holder, name)  # both have it then
            elif holder.is_property_set(name) and not _is_set(holder, name):
                holder.property_unset(name)
    cache.redraw()  # what is shown of the dropped groups is gone


def _holders() -> Iterator[tuple[Any, Any | None]]:
    """Yield (holder, linked original) for all scenes, objects and pose bones of the file that are saved:
    first the scenes, then each object with its pose bones behind it.

    The original is None for scenes, where the holder is no library override, and for a bone that the linked
    object lacks. Linked scenes and objects are left out.
    """
    yield from ((scene, None) for scene in bpy.data.scenes if scene.library is None)
    for thing in bpy.data.objects:
        if thing.library is not None:
            continue
        reference = thing.override_library.reference if thing.override_library is not None else None
        yield thing, reference
        if thing.pose is not None:
            originals = reference.pose.bones if reference is not None and reference.pose is not None else {}
            yield from ((bone, originals.get(bone.name)) for bone in thing.pose.bones)


@functools.cache
def names_of(kind: str) -> tuple[str, ...]:
    """Return the names of this extension's property groups on a type of Blender's, such as "Object", in its
    order. It is kept for the session.
    """
    package = __package__.rpartition(".ui")[0]
    names = []
    for prop in getattr(bpy.types, kind).bl_rna.properties:
        if prop.type == "POINTER" and prop.is_runtime:
            group = bpy.types.PropertyGroup.bl_rna_get_subclass_py(prop.fixed_type.identifier)
            if group is not None and group.__module__.startswith(f"{package}."):
                names.append(prop.identifier)
    return tuple(names)


def _is_set(holder: Any, name: str) -> bool:
    """Tell whether a property in a group of a holder was ever set; to ask makes no group.

    Properties that are computed, and pointers to nothing, do not count.
    """
    if not holder.is_property_set(name):
        return False
    group = getattr(holder, name)
    for prop in group.bl_rna.properties:
        if prop.identifier in ("rna_type", *COMPUTED) or not group.is_property_set(prop.identifier):
            continue
        # to look at a pointer to nothing sets it to nothing
        if prop.type != "POINTER" or getattr(group, prop.identifier) is not None:
            return True
    return False


_waiting: set[int] = set()
"""The armatures that had no action when they were seen last, by their session_uid."""
_count = (-1, -1)
"""How many objects and armatures there were then."""


@persistent
def on_update(*_arguments: Any) -> None:
    """Note, by :func:`unkeyed.note`, the pose of each armature that has got its first action, before this
    moves it; a handler of Blender's updates.

    Armatures without an action are looked for only when the number of objects or of armatures in the file has
    changed, and waited for from then on, until they get one or are removed. Others don't count. The pose is
    noted as a whole, or not at all: it is not where the action has un-muted curves for the armature that all
    show this pose at one and the same whole frame, as when the first key assigns a new action, nor where it
    has no such curves. Where the numbers stay and no armature is waited for, nothing is looked at.
    """
    global _count
    count = (len(bpy.data.objects), len(bpy.data.armatures))
    if count == _count and not _waiting:
        return
    came, _count = count != _count, count
    # one that is being made has no pose yet
    armatures = [thing for thing in bpy.data.objects if thing.type == "ARMATURE"]
    # one that was removed is waited for no longer
    _waiting.intersection_update(armature.session_uid for armature in armatures)
    for armature in armatures:
        if compat.assigned(armature)[0] is None:
            if came:
                _waiting.add(armature.session_uid)
        elif armature.session_uid in _waiting:
            _waiting.discard(armature.session_uid)
            if armature.pose is not None and not unkeyed.was_keyed_so(armature):
                unkeyed.note(armature)


@persistent
def on_load(*_arguments: Any) -> None:
    """Forget which armatures had no action, and their first poses, as a handler: another file has others."""
    global _count
    _count = (-1, -1)
    _waiting.clear()
    if is_read(unkeyed):
        unkeyed.forget()
