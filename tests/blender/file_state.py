# SPDX-License-Identifier: GPL-3.0-or-later
"""All that a file holds, by value, to see what something has changed."""

from __future__ import annotations

import contextlib
from typing import Any

import bpy
import numpy as np

SIMPLE = ("BOOLEAN", "INT", "FLOAT", "STRING", "ENUM")
ASIDE = ("all_ids", "window_managers", "screens", "workspaces", "brushes", "libraries")

TREES = (bpy.types.Bone, bpy.types.BoneCollection)
"""What has bones and collections of bones below it, all of which the armature lists."""


def everything() -> dict[str, Any]:
    """The values of all properties of all data-blocks, custom ones included."""
    found: dict[str, Any] = {}
    for collection in bpy.data.bl_rna.properties:
        if collection.type == "COLLECTION" and collection.identifier not in ASIDE:
            for block in getattr(bpy.data, collection.identifier):
                _dump(block, f"{collection.identifier}/{block.name}", found, 0)
    return found


def _dump(thing: Any, name: str, found: dict[str, Any], depth: int) -> None:
    assert depth < 12, name
    # some types have no custom properties, and say so only when asked
    with contextlib.suppress(TypeError, AttributeError):
        # groups are what add-ons define, and come to be when they are looked at
        values = {key: value for key, value in thing.items() if not hasattr(value, "keys")}
        found.update({f"{name}[{key}]": repr(np.array(value).tolist()) for key, value in values.items()})
    for prop in thing.bl_rna.properties:
        path = f"{name}.{prop.identifier}"
        if prop.identifier in ("rna_type", "original", "depsgraph", "use_nodes", "keying_sets_all"):
            continue
        try:
            value = getattr(thing, prop.identifier)
        except (AttributeError, RuntimeError):
            continue
        if prop.type in SIMPLE:
            array = getattr(prop, "is_array", False)
            found[path] = repr(np.array(value).tolist()) if array else repr(value)
        elif prop.type == "COLLECTION":
            for i, item in enumerate(value):
                if isinstance(item, bpy.types.ID) or isinstance(thing, TREES):
                    found[f"{path}[{i}]"] = item.name
                elif item is not None and prop.identifier not in ("all_objects", "bones_recursive"):
                    _dump(item, f"{path}[{i}]", found, depth + 1)
        elif isinstance(value, bpy.types.ID):
            found[path] = value.name
        elif value is not None and _owned(thing, prop.identifier):
            _dump(value, path, found, depth + 1)


def _owned(thing: Any, name: str) -> bool:
    """Whether a pointer leads further down, not back up or across."""
    if isinstance(thing, bpy.types.ID):
        return name in ("animation_data", "pose", "unit_settings", "render", "node_tree")
    return isinstance(thing, bpy.types.FCurve) and name == "driver"


def differences(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    return {k: (before.get(k), after.get(k)) for k in {*before, *after} if before.get(k) != after.get(k)}
