# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks values against a schema, and says of each fault where it is, what was found and what is allowed.

It knows the part of JSON Schema (draft 2020-12) that :mod:`.schema` uses, and agrees with the package
jsonschema on it. That package is not used, as it needs a compiled module that Blender does not bring.
"""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Iterable, Iterator
from typing import Any

from ...records import record
from ...settings import fields
from ...settings.fields import spoken_value

Path = tuple[str | int, ...]

FORMERLY = "x-formerly"
"""What tells in a schema how specs of earlier versions call a field."""

_TYPES: dict[str, tuple[type, str]] = {
    "object": (dict, "a table"),
    "array": (list, "a list"),
    "string": (str, "a text"),
    "number": (float, "a number"),
    "integer": (int, "a whole number"),
    "boolean": (bool, "true or false"),
}
"""What each is in Python, and in words."""


@record(frozen=True)
class SpecProblem:
    """A fault of a spec. path: to the field. found, allowed: as text. close: what was perhaps meant."""

    path: Path
    found: str
    allowed: str
    close: tuple[str, ...] = ()

    def sentence(self) -> str:
        """Say the fault in words."""
        meant = f" Did you mean {' or '.join(map(quoted, self.close))}?" if self.close else ""
        return f"{spoken_path(self.path)}: found {self.found}; allowed: {self.allowed}.{meant}"


def spoken_path(path: Path) -> str:
    """Write a path as text: ``transitions[2].method``."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".") or "the spec"


def quoted(value: Any) -> str:
    """Return a value as JSON text, of 60 characters at most: a longer one is cut to 57 and ends in "...".

    Objects that are no JSON stand in it as quoted texts, as ``str`` writes them. Lists and tables that lie
    too deep in each other give a phrase that says so.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError):
        text = str(value)
    except RecursionError:
        text = "lists and tables that lie too deep in each other"
    return text if len(text) <= 60 else text[:57] + "..."


def close_names(name: Any, names: Iterable[str]) -> tuple[str, ...]:
    """Return those of `names` that are spelled most like `name`, the closest first, three at most; case,
    hyphens and underscores don't count, and names that are not similar are left out.

    () for a name that is no text, or where none is similar.
    """
    if not isinstance(name, str):
        return ()
    by_form = {fields.spoken(text): text for text in names}
    matches = difflib.get_close_matches(fields.spoken(name), list(by_form), 3, 0.6)
    return tuple(by_form[text] for text in matches)


def settled(value: Any, schema: dict[str, Any]) -> Any:
    """Return a value with its choices and field names written as the schema has them; all else is as it was.

    Choices may be in any case, with hyphens or underscores; fields may have a former name, unless the present
    one stands beside it. The given value is not changed.
    """
    for part in schema.get("anyOf", [schema]):
        if isinstance(value, str):
            forms = {fields.spoken(choice): choice for choice in _choices(part) if isinstance(choice, str)}
            value = forms.get(fields.spoken(value), value)
        elif isinstance(value, dict) and part.get("type") == "object":
            rest = part.get("additionalProperties")
            now = {each.get(FORMERLY, name): name for name, each in part.get("properties", {}).items()}
            value = {name if now.get(name, name) in value else now[name]: value[name] for name in value}
            every = dict.fromkeys(value, rest if isinstance(rest, dict) else {}) | part.get("properties", {})
            value = {
                name: settled(entry, every[name]) if every[name] else entry for name, entry in value.items()
            }
        elif isinstance(value, list) and "items" in part:
            value = [settled(entry, part["items"]) for entry in value]
    return value


def check(value: Any, schema: dict[str, Any], path: Path = ()) -> Iterator[SpecProblem]:
    """Yield all faults of a value against a schema, tables in the order of their fields; none if it fits.
    path: to the value, for messages.

    Fields that lack come before those that are wrong. Keywords of JSON Schema that :mod:`.schema` does not
    use are ignored.
    """
    if "anyOf" in schema:
        yield from _check_any(value, schema["anyOf"], path)
    choices = _choices(schema)
    if choices and not any(_same(value, allowed) for allowed in choices):
        yield SpecProblem(path, quoted(value), describe(schema), close_names(value, choices))
    kind = schema.get("type")
    if kind is None:
        return
    if not _is(value, kind) or not _is_within(value, schema):
        yield SpecProblem(path, quoted(value), describe(schema))
    elif kind == "object":
        yield from _check_object(value, schema, path)
    elif kind == "array":
        yield from _check_array(value, schema, path)


def _choices(schema: dict[str, Any]) -> list[Any]:
    """Return the values that a schema allows, if it names them."""
    return [schema["const"]] if "const" in schema else schema.get("enum", [])


def describe(schema: dict[str, Any]) -> str:
    """Return a few words that say what a schema allows, such as "a number from 0 to 1" or "a list of 2 (a
    text that is not empty)".

    KeyError for a schema without a type or choices.
    """
    if "anyOf" in schema:
        return " or ".join(describe(part) for part in schema["anyOf"])
    if choices := _choices(schema):
        return ", ".join(map(quoted, choices))
    text = _TYPES[schema["type"]][1]
    if "minimum" in schema:
        text += f" from {spoken_value(schema['minimum'])} to {spoken_value(schema['maximum'])}"
    if schema.get("minLength"):
        text += " that is not empty"
    if schema["type"] == "array":
        few, many = schema.get("minItems", 0), schema.get("maxItems")
        text += f" of {few}" if few == many else f" of {few} or more" if few else ""
        text += f" ({describe(schema['items'])})"
    return text


def _check_any(value: Any, schemas: list[dict[str, Any]], path: Path) -> Iterator[SpecProblem]:
    """Yield problems of a value that fits none of several schemas; nothing if it fits one.

    If it is a table or a list, and some of the schemas are for that, these are the faults by the one of them
    that finds fewest, the first of equals; else a single one names all that is allowed.
    """
    faults = [list(check(value, part, path)) for part in schemas]
    if not all(faults):
        return
    deeper = [
        within for part, within in zip(schemas, faults, strict=True) if _is(value, part.get("type", ""))
    ]
    if deeper and isinstance(value, dict | list):
        yield from min(deeper, key=len)
        return
    choices = [choice for part in schemas for choice in _choices(part)]
    yield SpecProblem(path, quoted(value), describe({"anyOf": schemas}), close_names(value, choices))


def _check_object(value: dict[str, Any], schema: dict[str, Any], path: Path) -> Iterator[SpecProblem]:
    properties: dict[str, Any] = schema.get("properties", {})
    rest = schema.get("additionalProperties", True)
    for name in schema.get("required", ()):
        if name not in value:
            yield SpecProblem(
                (*path, name),
                "nothing",
                describe(properties[name]),
                close_names(name, set(value) - set(properties)),
            )
    if len(value) < schema.get("minProperties", 0):
        yield SpecProblem(path, "an empty table", f"a table of {schema['minProperties']} or more")
    for name, entry in value.items():
        if name in properties:
            yield from check(entry, properties[name], (*path, name))
        elif rest is False:
            close = close_names(name, properties)
            first = sorted(properties, key=lambda field: (field not in close, field))
            yield SpecProblem((*path, name), "an unknown field", f"the fields {', '.join(first)}", close)
        elif isinstance(rest, dict):
            yield from check(entry, rest, (*path, name))


def _check_array(value: list[Any], schema: dict[str, Any], path: Path) -> Iterator[SpecProblem]:
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", math.inf):
        yield SpecProblem(path, f"a list of {len(value)}", describe(schema))
    if schema.get("uniqueItems"):
        for i, entry in enumerate(value):
            if any(_same(entry, other) for other in value[:i]):
                yield SpecProblem((*path, i), f"{quoted(entry)} again", "each only once")
    for i, entry in enumerate(value):
        yield from check(entry, schema.get("items", {}), (*path, i))


def _is_within(value: Any, schema: dict[str, Any]) -> bool:
    """Return whether a number is in a schema's range, bounds included, and a text long enough for it; True
    for any other value. A bound that the schema lacks does not count. True and False are the numbers 1 and 0
    here.
    """
    if isinstance(value, str):
        return len(value) >= schema.get("minLength", 0)
    if not isinstance(value, int | float):
        return True
    return bool(schema.get("minimum", -math.inf) <= value <= schema.get("maximum", math.inf))


def _is(value: Any, kind: str) -> bool:
    """Return whether a value is of a type of JSON, which has no infinite numbers, though TOML does.

    kind: "object", "array", "string", "number", "integer" or "boolean"; False for another. A float without a
    fraction is an integer, too; True and False are no numbers.
    """
    if isinstance(value, bool) or kind not in ("number", "integer"):
        return kind in _TYPES and type(value) is _TYPES[kind][0]
    if isinstance(value, float):
        return value.is_integer() if kind == "integer" else math.isfinite(value)
    return isinstance(value, int)


def _same(a: Any, b: Any) -> bool:
    """Tell whether two values are equal as JSON, in which true is no 1."""
    return bool(a == b) and isinstance(a, bool) == isinstance(b, bool)
