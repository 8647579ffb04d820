# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a spec file: its text, its faults, and what it asks for before any input is opened."""

from __future__ import annotations

import dataclasses
import glob
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...errors import InertiaError
from ...settings import methods
from ...storage import file_kinds
from . import clashes, schema, validation
from .jobs import Inputs
from .validation import Problem

MOST_PARTS = 100
"""A name in a TOML text has at most so many parts, joined by dots; a spec's have a few."""
TOO_DEEP = "{}: its lists and tables lie too deep in each other."
# what is not closed goes on to the end, so that any text is gone through once
_TOML_TEXT = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+(?:"{3,5})?'
    r"|'''(?:[^']|'(?!''))*+(?:'{3,5})?"
    r'|"(?:[^"\\\n]|\\.)*+"?'
    r"|'[^'\n]*+'?|#[^\n]*",
    re.DOTALL,
)
_TOML_BETWEEN = re.compile(r"[\n,=\[\]{}]")
SCALED, TIMED = set(file_kinds.SCALED), set(file_kinds.GLTF)


class NoSpec(InertiaError):
    """A file is no spec at all, whatever it may say: one sentence."""


class SpecError(InertiaError):
    """A spec has faults: a sentence for each, and each as JSON values."""

    def __init__(self, spec: Spec, problems: list[Problem]) -> None:
        problems = sorted(problems, key=lambda problem: spec.place(problem.path))
        self.sentences = [f"{spec.path.name}: {problem.sentence()}" for problem in problems]
        self.details = [
            {
                "path": validation.spoken_path(problem.path),
                "found": problem.found,
                "allowed": problem.allowed,
                "close": list(problem.close),
            }
            for problem in problems
        ]
        super().__init__(" ".join(self.sentences))


@dataclasses.dataclass(frozen=True, eq=False)
class Spec:
    """A spec file that was read. values: as JSON, in the text's order."""

    path: Path
    values: dict[str, Any]

    def place(self, path: validation.Path) -> list[int]:
        """What sorts fields as they stand in the spec. What is missing comes first where it belongs."""
        place: list[int] = []
        held: Any = self.values
        for part in path:
            if isinstance(held, dict) and part in held:
                place.append(list(held).index(part))
            elif isinstance(held, list) and isinstance(part, int):
                place.append(part)
            else:
                return [*place, -1]
            held = held[part]
        return place


@dataclasses.dataclass(frozen=True, eq=False)
class Request:
    """An entry of one of a spec's lists, for one set of inputs.

    kind: the list. values: its own fields, with those at the top and the defaults beneath.
    """

    kind: str
    path: validation.Path
    inputs: Inputs
    values: dict[str, Any]
    each_file: bool


def read(path: Path) -> Spec:
    """Read a spec's text. Raises InertiaError when it can't be read, NoSpec when it is no JSON or TOML."""
    if path.suffix.lower() not in (".json", ".toml"):
        raise NoSpec('"{file}" is no kind of spec; give a .json or a .toml file.', file=path.name)
    if not path.is_file():
        raise InertiaError('There is no file "{path}".', path=path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise NoSpec('"{file}" is not written in UTF-8.', file=path.name) from error
    if path.suffix.lower() == ".json":
        try:
            values = json.loads(text, object_pairs_hook=_once)
        except json.JSONDecodeError as error:
            raise NoSpec(
                "{file}, line {line}: this is no JSON: {reason}.",
                file=path.name,
                line=error.lineno,
                reason=error.msg,
            ) from error
        except ValueError as error:
            raise NoSpec("{file}: this is no JSON: {reason}.", file=path.name, reason=str(error)) from error
        except RecursionError as error:
            raise NoSpec(TOO_DEEP.format(path.name)) from error
    else:
        # the parser takes time and memory by the square of that
        if _toml_depth(text) > MOST_PARTS:
            raise NoSpec(TOO_DEEP.format(path.name))
        try:
            values = tomllib.loads(text)
        except ValueError as error:
            raise NoSpec(
                "{file}: this is no TOML: {reason}.", file=path.name, reason=str(error).rstrip(".")
            ) from error
        except RecursionError as error:
            raise NoSpec(TOO_DEEP.format(path.name)) from error
    if not isinstance(values, dict):
        raise NoSpec(
            "{file}: found {values}; a spec is a table of fields.",
            file=path.name,
            values=validation.quoted(values),
        )
    return Spec(path, values)


def _toml_depth(text: str) -> int:
    """How many parts, joined by dots, the longest name of a TOML text has, be it well-formed or not."""
    plain = _TOML_TEXT.sub(" ", text)
    return 1 + max(between.count(".") for between in _TOML_BETWEEN.split(plain))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """JSON lets a name stand twice, of which all but the last would go unseen."""
    names = [name for name, _ in pairs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise NoSpec(
            'The spec has the field "{twice}" twice in one table; leave one of them out.', twice=twice
        )
    return dict(pairs)


def requests(spec: Spec) -> list[Request]:
    """What a spec asks for. Raises SpecError with all faults that can be seen without opening the inputs."""
    problems = list(validation.check(spec.values, schema.schema()))
    if problems:
        raise SpecError(spec, problems)
    found: list[Request] = []
    places = [
        (kind, i, table) for kind in schema.ENTRIES for i, table in enumerate(spec.values.get(kind, ()))
    ]
    if not places:
        allowed = "at least one transition, state machine, hop or table of hops"
        problems.append(Problem(("transitions",), "nothing", allowed))
    problems += [problem for path, table in _tables(spec.values) for problem in clashes.of(path, table)]
    for kind, i, table in places:
        try:
            found += _requests(spec, kind, (kind, i), table)
        except _Fault as fault:
            problems.append(fault.problem)
    if problems:
        # what stands at the top is the same fault for all
        raise SpecError(spec, list(dict.fromkeys(problems)))
    return found


def _tables(values: dict[str, Any]) -> Iterator[tuple[validation.Path, dict[str, Any]]]:
    """All tables that hold settings, and the top with its name."""
    yield (), values
    yield ("defaults",), values.get("defaults", {})
    for kind in schema.ENTRIES:
        for i, table in enumerate(values.get(kind, ())):
            yield (kind, i), table
            edges = table.get("edges", ())
            for j, edge in enumerate(edges if isinstance(edges, list) else ()):
                if isinstance(edge, dict):
                    yield (kind, i, "edges", j), edge


class _Fault(Exception):
    def __init__(self, problem: Problem) -> None:
        self.problem = problem


def merged(beneath: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    """Fields on top of others. A half-life means the method that has one, unless one stands beside it."""
    return {**beneath, **methods.completed(above)}


def _values(spec: Spec, kind: str, table: dict[str, Any]) -> dict[str, Any]:
    """The fields of an entry on top of the defaults, and these on top of what is shared by all."""
    known = schema.inherited(kind)
    top = {name: spec.values[name] for name in (*schema.SHARED, "name") if name in spec.values}
    shared, defaults = (
        {name: value for name, value in held.items() if name in known}
        for held in (top, spec.values.get("defaults", {}))
    )
    beneath = merged(shared, defaults)
    if kind in schema.OF_HOPS_KINDS and "half_life" in table:
        # of hops both may be said, of which the spring's half-life is the one that stands for the other here
        beneath.pop("blend_frames", None)
    return merged(beneath, table)


def _requests(spec: Spec, kind: str, path: validation.Path, table: dict[str, Any]) -> Iterator[Request]:
    values = _values(spec, kind, table)
    at = path if "files" in table else ()
    if "files" not in values:
        raise _Fault(Problem((*path, "files"), "nothing", "files, here or at the top of the spec"))
    frames = values.get("blend_frames", 1)
    if kind in schema.OF_HOPS_KINDS and isinstance(frames, float) and not frames.is_integer():
        raise _Fault(Problem((*path, "blend_frames"), f"{frames:g}", "whole numbers of frames for hops"))
    files = list(_files(spec, (*at, "files"), values["files"]))
    each = values.get("each_file", False)
    kinds = {file.suffix.lower() for file in files}
    if not each and len(files) > 1 and not file_kinds.are_joined(files):
        said = f"several files of one skeleton (all {file_kinds.SPOKEN_JOINED})"
        allowed = f"one file, {said}, or each_file = true"
        raise _Fault(Problem((*at, "files"), f"{len(files)} files", allowed))
    for field, takers in (("scale", SCALED), ("fps", TIMED)):
        if field in values and not kinds <= takers:
            owner = (*path, field) if field in table else (field,)
            allowed = f"it for {' and '.join(sorted(takers))} files only"
            raise _Fault(Problem(owner, validation.quoted(values[field]), allowed))
    for group in [[file] for file in files] if each else [files]:
        inputs = Inputs(tuple(map(str, group)), values.get("scale"), values.get("fps"))
        yield Request(kind, path, inputs, values, each)


def _files(spec: Spec, path: validation.Path, patterns: list[str]) -> Iterator[Path]:
    """The files of patterns, in the order of the spec, those of one pattern by name."""
    folder = spec.path.resolve().parent
    seen = set()
    for i, pattern in enumerate(patterns):
        here = folder / pattern
        # a file may itself have such a name; patterns may be absolute, which Path.glob takes none of
        is_pattern = glob.has_magic(pattern) and not here.exists()
        names = sorted(glob.glob(str(here))) if is_pattern else [str(here)]  # noqa: PTH207
        found = [Path(name).resolve() for name in names if Path(name).is_file()]
        if not found:
            allowed = "files that exist, from the spec's folder"
            close = validation.close_names(here.name, _beside(here))
            raise _Fault(Problem((*path, i), validation.quoted(pattern), allowed, close))
        for file in found:
            if file.suffix.lower() not in file_kinds.READABLE:
                raise _Fault(
                    Problem((*path, i), f'"{file.name}"', f"files of {', '.join(file_kinds.READABLE)}")
                )
            if file not in seen:
                seen.add(file)
                yield file


def _beside(path: Path) -> list[str]:
    folder = path.parent
    return [entry.name for entry in folder.iterdir()] if folder.is_dir() else []
