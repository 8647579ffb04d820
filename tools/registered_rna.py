# SPDX-License-Identifier: GPL-3.0-or-later
"""All that the extension has registered, as Blender knows it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy

from inertia_addon.ui import rooms

EXTENDED = (bpy.types.Object, bpy.types.PoseBone, bpy.types.Scene)
"""Blender's types that have properties of Inertia."""
BLENDERS_OWN = ("rna_type", "name")


def property_groups() -> list[Any]:
    """The property groups."""
    every = bpy.types.PropertyGroup.__subclasses__()
    return [cls for cls in every if cls.__module__.startswith("inertia_addon") and cls.is_registered]


def operator_rna(cls: Any) -> Any:
    """What Blender knows of an operator."""
    return getattr(bpy.ops.inertia, cls.bl_idname.partition(".")[2]).get_rna_type()


def properties() -> Iterator[tuple[str, Any]]:
    """All properties that can be seen, by name: also those that Blender's types are given."""
    for cls in EXTENDED:
        for prop in cls.bl_rna.properties:
            if prop.identifier.startswith("inertia"):
                yield f"{cls.__name__}.{prop.identifier}", prop
    groups = [(cls, cls.bl_rna) for cls in property_groups()]
    for cls, rna in [*groups, *((cls, operator_rna(cls)) for cls in rooms.OPERATORS)]:
        for prop in rna.properties:
            if prop.identifier not in BLENDERS_OWN and not prop.is_hidden:
                yield f"{cls.__name__}.{prop.identifier}", prop
