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


Properties = dict[type, list[tuple[str, str, bool]]]
"""Identifier and type of the properties of types, and whether they are arrays: to ask takes long."""


def everything() -> dict[str, Any]:
    """The values of all properties of all data-blocks, custom ones included."""
    found: dict[str, Any] = {}
    known: Properties = {}
    for collection in bpy.data.bl_rna.properties:
        if collection.type == "COLLECTION" and collection.identifier not in ASIDE:
            for block in getattr(bpy.data, collection.identifier):
                _dump(block, f"{collection.identifier}/{block.name}", found, known, 0)
    return found


def _properties(thing: Any, known: Properties) -> list[tuple[str, str, bool]]:
    if type(thing) not in known:
        aside = ("rna_type", "original", "depsgraph", "use_nodes", "keying_sets_all")
        known[type(thing)] = [
            (prop.identifier, prop.type, getattr(prop, "is_array", False))
            for prop in thing.bl_rna.properties
            if prop.identifier not in aside
        ]
    return known[type(thing)]


def _dump(thing: Any, name: str, found: dict[str, Any], known: Properties, depth: int) -> None:
    assert depth < 12, name
    # some types have no custom properties, and say so only when asked
    with contextlib.suppress(TypeError, AttributeError):
        # groups are what add-ons define, and come to be when they are looked at
        values = {key: value for key, value in thing.items() if not hasattr(value, "keys")}
        found.update({f"{name}[{key}]": repr(np.array(value).tolist()) for key, value in values.items()})
    for identifier, kind, array in _properties(thing, known):
        path = f"{name}.{identifier}"
        try:
            value = getattr(thing, identifier)
        except (AttributeError, RuntimeError):
            continue
        if kind in SIMPLE:
            found[path] = repr(np.array(value).tolist()) if array else repr(value)
        elif kind == "COLLECTION" and identifier == "keyframe_points":
            _dump_keys(value, path, found, known)
        elif kind == "COLLECTION":
            for i, item in enumerate(value):
                if isinstance(item, bpy.types.ID) or isinstance(thing, TREES):
                    found[f"{path}[{i}]"] = item.name
                elif item is not None and identifier not in ("all_objects", "bones_recursive"):
                    _dump(item, f"{path}[{i}]", found, known, depth + 1)
        elif isinstance(value, bpy.types.ID):
            found[path] = value.name
        elif value is not None and _owned(thing, identifier):
            _dump(value, path, found, known, depth + 1)


def _dump_keys(keys: Any, name: str, found: dict[str, Any], known: Properties) -> None:
    """Those of a curve at once: most of what a file holds."""
    found[name] = len(keys)
    if len(keys) > 0:
        for identifier, kind, array in _properties(keys[0], known):
            values = np.empty(len(keys) * (2 if array else 1), np.float32 if kind == "FLOAT" else np.int32)
            keys.foreach_get(identifier, values)
            found[f"{name}.{identifier}"] = values.tobytes()


def _owned(thing: Any, name: str) -> bool:
    """Whether a pointer leads further down, not back up or across."""
    if isinstance(thing, bpy.types.ID):
        return name in ("animation_data", "pose", "unit_settings", "render", "node_tree")
    return isinstance(thing, bpy.types.FCurve) and name == "driver"


def differences(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    return {k: (before.get(k), after.get(k)) for k in {*before, *after} if before.get(k) != after.get(k)}
