# SPDX-License-Identifier: GPL-3.0-or-later
"""The JSON Schema of spec files, made from the same settings as the panel and the command line."""

from __future__ import annotations

import dataclasses
from typing import Any

from ...cli import hop_options
from ...cli.options import OPTIONS
from ...settings import hops as hop_settings
from ...settings import limits, ranges
from ...settings.ranges import Range
from ...settings.reading import Reading
from ...settings.transition import CHOICES, TransitionSettings
from ...storage import file_kinds

Schema = dict[str, Any]


def numbers(allowed: Range) -> Schema:
    """The numbers of a range."""
    kind = "integer" if allowed.whole else "number"
    return {"type": kind, "minimum": allowed.least, "maximum": allowed.most}


FORMATS = ("blend", "glb", "gltf", "fbx", "bvh")
JOINTS = ("stored", "found", "all")
BEST = "best"

SEARCHED = {
    "cut": "the scene frame at which the destination takes over, or best: where it costs least",
    "destination_frame": "the destination's own frame that is shown at the cut, or best (default: the "
    "destination's first frame; with the best cut, the best)",
}
"""The settings that may be left to a search."""

SHARED: dict[str, Schema] = {
    "files": {
        "description": "the files to read, from the spec's folder, * and ? as in a shell: one file, or "
        f"several of one skeleton, all {file_kinds.SPOKEN_JOINED}",
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
        **numbers(ranges.of(Reading, "scale")),
    },
    "fps": {
        "description": "frames a second of a .glb or .gltf file's keys (default: found)",
        **numbers(ranges.of(Reading, "fps")),
    },
    "formats": {
        "description": "the kinds of files to write for each transition (default: blend)",
        "type": "array",
        "items": {"enum": list(FORMATS)},
        "minItems": 1,
        "uniqueItems": True,
    },
    "whole_file": {
        "description": "whether a .blend holds all that the files do, not only the scene with the "
        "character, the result and the actions that it was made of (default: false)",
        "type": "boolean",
    },
    "joints": {
        "description": "the joints that count in costs: those stored with the armature, else found; found in "
        "any case; or all with the weight 1 (default: stored)",
        "enum": list(JOINTS),
    },
    "weights": {
        "description": "only these joints count in costs, with these weights",
        "type": "object",
        "additionalProperties": numbers(limits.WEIGHT),
        "minProperties": 1,
    },
}
"""What may stand at the top for all transitions, and in each of them."""

SEARCH: dict[str, Schema] = {
    "range": {
        "description": "the first and the last frame where the best cut may lie (default: the whole source)",
        "type": "array",
        "items": numbers(limits.FRAME),
        "minItems": 2,
        "maxItems": 2,
    },
    "keep_frames": {
        "description": "how many frames of the destination a search leaves after the cut, and of the source "
        "before it, unless a range says where it may lie: half of a short source (default: 12)",
        **numbers(limits.KEEP_FRAMES),
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
        return {**described, "anyOf": [numbers(limits.FRAME), {"const": BEST}]}
    if name in CHOICES:
        return {**described, "enum": list(CHOICES[name])}
    if name == "bones":
        return {**described, "type": "array", "items": {"type": "string"}}
    if name == "blend_scales":
        return {**described, "type": "object", "additionalProperties": numbers(limits.BLEND_SCALE)}
    if isinstance(field.default, bool):
        return {**described, "type": "boolean"}
    if name in ranges.ranges(TransitionSettings):
        return {**described, **numbers(ranges.of(TransitionSettings, name))}
    needed = {"minLength": 1} if field.default is dataclasses.MISSING else {}
    return {**described, "type": "string", **needed}


SETTINGS = tuple(field.name for field in dataclasses.fields(TransitionSettings))
OF_A_PAIR = ("source", "destination")

EVERY = {name: setting(name) for name in SETTINGS}
"""The settings of a transition."""
COMMON = {name: value for name, value in EVERY.items() if name not in OF_A_PAIR}
INHERITED = {*SHARED, "name", *COMMON, *SEARCH}
"""The fields at the top and in the defaults that transitions stand on."""


def hop_setting(name: str) -> Schema:
    """The schema of one setting of a hop's search, by its name."""
    option = hop_options.SEARCH[name]
    described: Schema = {"description": option.help}
    if option.field in hop_settings.CHOICES:
        described["description"] += f" (default: {option.default})"
        return {**described, "enum": list(hop_settings.CHOICES[option.field])}
    if isinstance(option.default, bool):
        return {**described, "type": "boolean"}
    if option.allowed is None:
        return {**described, **list_of({"type": "string", "minLength": 1})}
    number = numbers(option.allowed)
    if not isinstance(option.default, tuple):
        return {**described, **number}
    return {**described, "anyOf": [number, list_of(number)]}


def list_of(items: Schema, least: int = 1) -> Schema:
    """A list of some things."""
    return {"type": "array", "items": items, "minItems": least}


SEARCH_OF_HOPS = {name: hop_setting(name) for name in hop_options.SEARCH}
"""The settings of a hop's search, and of its fade."""


def table(properties: dict[str, Schema], description: str, required: tuple[str, ...] = ()) -> Schema:
    """A table of these fields and no others."""
    made: Schema = {"description": description, "type": "object", "properties": properties}
    if required:
        made["required"] = list(required)
    return {**made, "additionalProperties": False}


def all_or_some() -> Schema:
    """Names of actions, or all of them."""
    return {"anyOf": [{"const": "all"}, list_of({"type": "string", "minLength": 1}, 2)]}


def whole(defaults: dict[str, Schema], lists: dict[str, Schema]) -> Schema:
    """The whole schema. defaults: the fields that they have beside transitions'. lists: of what is made."""
    properties = {
        "$schema": {"description": "where this schema is, for editors", "type": "string"},
        **SHARED,
        "name": {**NAME, "description": f"of transitions and edges: {NAME['description']}"},
        "defaults": table(
            {**defaults, **COMMON, **SEARCH},
            "settings of all entries that do not say otherwise, as far as they have them",
        ),
        **lists,
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A batch of inertialized transitions",
        **table(properties, "what is baked, from what and into what"),
    }
