# SPDX-License-Identifier: GPL-3.0-or-later
"""The JSON Schema of spec files, made from the same settings as the panel and the command line."""

from __future__ import annotations

import dataclasses
from typing import Any

from ...blender.settings import CHOICES, TransitionSettings
from ..options import OPTIONS

Schema = dict[str, Any]

FORMATS = ("blend", "glb", "gltf", "fbx", "bvh")
JOINTS = ("stored", "found", "all")
BEST = "best"

ABOVE_ZERO = {"blend_frames", "half_life"}
ZERO_OR_MORE = {"guard_angle", "guard_length"}
SEARCHED = {
    "cut": "the scene frame at which the destination takes over, or best: where it costs least",
    "destination_frame": "the destination's own frame that is shown at the cut, or best (default: the "
    "destination's first frame; with the best cut, the best)",
}
"""The settings that may be left to a search."""

SHARED: dict[str, Schema] = {
    "files": {
        "description": "the files to read, from the spec's folder, * and ? as in a shell: one file, or "
        "several .bvh files of one skeleton",
        "type": "array",
        "items": {"type": "string", "minLength": 1},
        "minItems": 1,
    },
    "each_file": {
        "description": "whether transitions are made from each of the files by itself, not from all together",
        "type": "boolean",
    },
    "armature": {
        "description": "the armature object (default: the only one)",
        "type": "string",
        "minLength": 1,
    },
    "scale": {
        "description": "multiply the lengths in .bvh and .fbx files (default: 1)",
        "type": "number",
        "exclusiveMinimum": 0,
    },
    "fps": {
        "description": "frames a second of a .glb or .gltf file's keys (default: found)",
        "type": "number",
        "exclusiveMinimum": 0,
    },
    "formats": {
        "description": "the kinds of files to write for each transition (default: blend)",
        "type": "array",
        "items": {"enum": list(FORMATS)},
        "minItems": 1,
        "uniqueItems": True,
    },
    "joints": {
        "description": "the joints that count in costs: those stored with the armature, else found; found in "
        "any case; or all with the weight 1 (default: stored)",
        "enum": list(JOINTS),
    },
    "weights": {
        "description": "only these joints count in costs, with these weights",
        "type": "object",
        "additionalProperties": {"type": "number", "minimum": 0},
        "minProperties": 1,
    },
}
"""What may stand at the top for all transitions, and in each of them."""

SEARCH: dict[str, Schema] = {
    "range": {
        "description": "the first and the last frame where the best cut may lie (default: the whole source)",
        "type": "array",
        "items": {"type": "number"},
        "minItems": 2,
        "maxItems": 2,
    },
    "keep_frames": {
        "description": "how many frames of the destination a search leaves after the cut (default: 12)",
        "type": "number",
        "minimum": 0,
    },
}
"""What says where the best cut may lie."""

NAME: Schema = {
    "description": "the output's name without its ending; {file}, {source}, {destination} and {cut} stand "
    'for those of the job (default: "{source}_to_{destination}", with each_file also "{file}_" before it)',
    "type": "string",
    "minLength": 1,
}


def setting(name: str) -> Schema:
    """The schema of one setting of TransitionSettings, by its name."""
    field = {field.name: field for field in dataclasses.fields(TransitionSettings)}[name]
    described = {"description": SEARCHED.get(name, OPTIONS[name].help)}
    if name == "assign":
        described["description"] = "whether the new action is assigned to the armature (default: true)"
    if name in SEARCHED:
        return {**described, "anyOf": [{"type": "number"}, {"const": BEST}]}
    if name in CHOICES:
        return {**described, "enum": list(CHOICES[name])}
    if name == "bones":
        return {**described, "type": "array", "items": {"type": "string"}}
    if name == "blend_scales":
        return {**described, "type": "object", "additionalProperties": {"type": "number", "minimum": 0}}
    if isinstance(field.default, bool):
        return {**described, "type": "boolean"}
    if "float" in str(field.type):
        bound: Schema = {"exclusiveMinimum": 0} if name in ABOVE_ZERO else {}
        return {**described, "type": "number", **({"minimum": 0} if name in ZERO_OR_MORE else bound)}
    needed = {"minLength": 1} if field.default is dataclasses.MISSING else {}
    return {**described, "type": "string", **needed}


SETTINGS = tuple(field.name for field in dataclasses.fields(TransitionSettings))
OF_A_PAIR = ("source", "destination")


def _object(properties: dict[str, Schema], description: str, required: tuple[str, ...] = ()) -> Schema:
    made: Schema = {"description": description, "type": "object", "properties": properties}
    if required:
        made["required"] = list(required)
    return {**made, "additionalProperties": False}


def schema() -> Schema:
    """The whole schema, as JSON values (JSON Schema, draft 2020-12)."""
    every = {name: setting(name) for name in SETTINGS}
    common = {name: value for name, value in every.items() if name not in OF_A_PAIR}
    edge = _object({**every, **SEARCH, "name": NAME}, "an edge with settings of its own", OF_A_PAIR)
    edge["properties"] = {name: value for name, value in edge["properties"].items() if name != "cut"}
    ends = {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 2, "maxItems": 2}
    machine = {name: value for name, value in common.items() if name not in ("cut", "result")}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A batch of inertialized transitions",
        **_object(
            {
                "$schema": {"description": "where this schema is, for editors", "type": "string"},
                **SHARED,
                "name": NAME,
                "defaults": _object(
                    {**common, **SEARCH}, "settings of all transitions that do not say otherwise"
                ),
                "transitions": {
                    "description": "the transitions to bake",
                    "type": "array",
                    "items": _object({**every, **SEARCH, **SHARED, "name": NAME}, "a transition", OF_A_PAIR),
                },
                "state_machines": {
                    "description": "clips and the edges between them; each edge is baked at its best cut",
                    "type": "array",
                    "items": _object(
                        {
                            "clips": {
                                "description": 'the actions, or "all" that fit the armature',
                                "anyOf": [
                                    {"const": "all"},
                                    {
                                        "type": "array",
                                        "items": {"type": "string", "minLength": 1},
                                        "minItems": 2,
                                    },
                                ],
                            },
                            "edges": {
                                "description": 'from which clip to which, or "all" (default: all)',
                                "anyOf": [
                                    {"const": "all"},
                                    {"type": "array", "items": {"anyOf": [ends, edge]}, "minItems": 1},
                                ],
                            },
                            **machine,
                            **SEARCH,
                            **SHARED,
                            "name": NAME,
                        },
                        "a state machine",
                        ("clips",),
                    ),
                },
            },
            "what is baked, from what and into what",
        ),
    }
