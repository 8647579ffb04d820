# SPDX-License-Identifier: GPL-3.0-or-later
"""The JSON Schema of spec files, made from the same settings as the panel and the command line."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable
from typing import Any

from ...settings import fields
from ...settings.cost import Joints, Search
from ...settings.fields import Range, Setting
from ...settings.reading import ARMATURE, Reading
from ...settings.transition import TransitionSettings
from ...storage import file_kinds
from . import validation

Schema = dict[str, Any]


def numbers(allowed: Range) -> Schema:
    """Return the schema of the numbers of a range."""
    kind = "integer" if allowed.whole else "number"
    return {"type": kind, "minimum": allowed.least, "maximum": allowed.most}


def described(description: str, schema: Schema) -> Schema:
    """Return a schema with a description."""
    return {"description": description, **schema}


def list_of(items: Schema, least: int = 1, **more: Any) -> Schema:
    """Return the schema of a list. more: what else is asked of it."""
    return {"type": "array", "items": items, "minItems": least, **more}


TEXT: Schema = {"type": "string", "minLength": 1}
SWITCH: Schema = {"type": "boolean"}
ACTIONS: Schema = {"anyOf": [{"const": "all"}, list_of(TEXT, 2)]}
"""Names of actions, or all of them."""


def formats(description: str, kinds: Iterable[str]) -> Schema:
    """Return the schema of a list of the kinds of files to write, each once."""
    return described(description, list_of({"enum": [*kinds]}, uniqueItems=True))


def of_setting(setting: Setting) -> Schema:
    """Return the schema of a setting."""
    former = {validation.FORMERLY: setting.former} if setting.former else {}
    return described(setting.describe(fields.spoken), {**_values(setting), **former})


def _values(setting: Setting) -> Schema:
    """Return the JSON schema of the values that a setting takes, without a description.

    Choices give "enum", in lower case with hyphens; a switch "boolean"; a text "string", with minLength 1
    where it is needed; numbers "number" or, if whole, "integer", with minimum and maximum. Pairs are an
    object with that number's schema as additionalProperties. A list of numbers gives "anyOf": a single
    number, then an array of them; a list of texts an array of texts that are not empty. Arrays have minItems
    1.
    """
    if setting.items:
        return {"enum": [*map(fields.spoken, setting.choices)]}
    if isinstance(setting.default, bool):
        return SWITCH
    if setting.range is None:
        text = TEXT if setting.is_needed or setting.is_list else {"type": "string"}
        return list_of(text) if setting.is_list else text
    number = numbers(setting.range)
    if setting.has_pairs:
        return {"type": "object", "additionalProperties": number}
    return {"anyOf": [number, list_of(number)]} if setting.is_list else number


def of_record(record: Any) -> dict[str, Schema]:
    """Return the schemas of a record's settings, by their names in specs."""
    return {setting.key: of_setting(setting) for setting in fields.settings(record).values()}


def only(schemas: dict[str, Schema], names: Collection[str]) -> dict[str, Schema]:
    """Return the schemas of some names alone."""
    return {name: schema for name, schema in schemas.items() if name in names}


def without(schemas: dict[str, Schema], names: Collection[str]) -> dict[str, Schema]:
    """Return all schemas but those of some names."""
    return {name: schema for name, schema in schemas.items() if name not in names}


FORMATS = ("blend", "glb", "gltf", "fbx", "bvh")
BEST = "best"

SEARCHED = {
    "cut": "the scene frame at which the destination takes over, or best: where it costs least",
    "destination_frame": "the destination's own frame that is shown at the cut, or best (default: as "
    "enter_at says; with the best cut, the best)",
}
"""The settings that may be left to a search."""

SHARED: dict[str, Schema] = {
    "files": described(
        "the files to read, from the spec's folder, * and ? as in a shell: one file, or several of one "
        f"skeleton, all {file_kinds.SPOKEN_JOINED}",
        list_of(TEXT),
    ),
    "each_file": described(
        "whether transitions are made from each of the files by itself, not from all together", SWITCH
    ),
    "armature": described(ARMATURE, TEXT),
    **of_record(Reading),
    "formats": formats("the kinds of files to write for each transition (default: blend)", FORMATS),
    "whole_file": described(
        "whether a .blend holds everything in the files, not only the scene with the character, the result "
        "and the actions that it was made from (default: false)",
        SWITCH,
    ),
    "joints": of_record(Joints)["joints"],
    "weights": {**of_record(Joints)["weights"], "minProperties": 1},
}
"""What may stand at the top for all transitions, and in each of them."""

SEARCH: dict[str, Schema] = {
    "range": described(
        "the first and the last frame where the best cut may lie (default: the whole source)",
        list_of(numbers(fields.FRAME), 2, maxItems=2),
    ),
    **only(of_record(Search), ("keep_frames", "before_seconds", "behind_seconds", "skate_weight", "by")),
}
"""What says where the best cut may lie."""


def output_name(fields: str, usual: str) -> Schema:
    """Return the schema of an output's name. fields: what may stand in it. usual: what it is by default."""
    text = (
        f"the output's name without its ending; {fields} stand for those of the job (default: {usual}, with "
    )
    return described(text + 'each_file also "{file}_" before it)', TEXT)


NAME = output_name("{file}, {source}, {destination} and {cut}", '"{source}_to_{destination}"')

SETTINGS = tuple(field.name for field in dataclasses.fields(TransitionSettings))
OF_A_PAIR = ("source", "destination")

EVERY: dict[str, Schema] = {
    **of_record(TransitionSettings),
    # none are all
    "bones": described(
        fields.settings(TransitionSettings)["bones"].help, {"type": "array", "items": {"type": "string"}}
    ),
    **{
        name: described(description, {"anyOf": [numbers(fields.FRAME), {"const": BEST}]})
        for name, description in SEARCHED.items()
    },
}
"""The settings of a transition."""
COMMON = without(EVERY, OF_A_PAIR)
INHERITED = {*SHARED, "name", *COMMON, *SEARCH}
"""The fields at the top and in the defaults that transitions stand on."""


def table(properties: dict[str, Schema], description: str, required: tuple[str, ...] = ()) -> Schema:
    """Return the schema of a table of these fields and no others."""
    needed = {"required": [*required]} if required else {}
    fields_only = {"properties": properties, **needed, "additionalProperties": False}
    return {"description": description, "type": "object", **fields_only}
