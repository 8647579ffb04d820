# SPDX-License-Identifier: GPL-3.0-or-later
"""The legs that an animator has listed, and when feet count as planted, saved with the object."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, IntProperty, StringProperty

from ...blender.feet import legs
from ...settings.feet import ContactSettings, Locking
from ..shared import made_of
from ..shared.made_of import list_of, make_property, redraw
from ..shared.row_list import RowList
from ..translations import OWN_CONTEXT

SHOWN = (
    ("ASSIGNED", "Assigned", "The contacts of the action that the armature plays"),
    ("SOURCE", "Source", "The contacts of the transition's source"),
    ("DESTINATION", "Destination", "The contacts of the transition's destination"),
)
"""Whose contacts are shown and edited."""


def a_bone(name: str, tip: str) -> Any:
    """Return a property for a bone of a leg."""
    return make_property(StringProperty, name, tip, translation_context=OWN_CONTEXT, update=redraw)


def search_mesh(_data: Any, context: Any, text: str) -> list[str]:
    """Return the names of the scene's mesh objects that hold a text, in any case, in the scene's order."""
    meshes = [thing.name for thing in context.scene.objects if thing.type == "MESH"]
    return [name for name in meshes if text.casefold() in name.casefold()]


KEPT = ("ground", "ground_height", "ground_object", "toes", "toe_height")
"""The settings of locking that the object remembers."""
MORE: dict[str, dict[str, Any]] = {"ground_object": {"search": search_mesh, "search_options": set()}}
"""What their properties have beside; a name of no mesh is red."""


class LegProperties(bpy.types.PropertyGroup):
    """A leg of an armature's own list; see legs.ROW."""

    use: make_property(
        BoolProperty, "Use", "Use this foot: it has contacts, and can be locked", default=True, update=redraw
    )
    hip: a_bone("Hip", "The bone that begins at the hip: the thigh")
    foot: a_bone("Foot", "The foot. From the hip two bones lead to it, thigh and shin, or three as on a dog")
    contact: a_bone(
        "Contact",
        "The bone whose head touches the ground: the foot, or one of its toes. Empty: the ball of the "
        "foot, or its end, as detected",
    )


@made_of.properties(Locking, MORE, KEPT)
@made_of.properties(ContactSettings, update=redraw)
class FeetProperties(bpy.types.PropertyGroup):
    """Which legs the armature has, and when its feet count as planted."""

    legs: list_of(LegProperties, "Listed Legs", "The legs whose feet count, instead of those found")
    active_leg: make_property(IntProperty, "Active Leg", "The leg of the list that is edited", min=0)
    shown: make_property(
        EnumProperty,
        "Contacts of",
        "Whose contacts are shown and edited",
        items=SHOWN,
        translation_context=OWN_CONTEXT,
        update=redraw,
    )


CLASSES = (LegProperties, FeetProperties)


def row_of(item: Any) -> dict[str, Any]:
    """Return what a row of the list holds; see legs.ROW."""
    return {name: getattr(item, name) for name in legs.ROW}


def _spare(item: Any) -> None:
    item.use = False


LEGS = RowList(
    "inertia_feet",
    _spare,
    "The list of legs is empty",
    "Choose a leg of the list first",
    "legs",
    "active_leg",
)
