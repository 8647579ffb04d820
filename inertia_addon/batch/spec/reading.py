# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the text of a spec file, and says its faults."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

from ...errors import InertiaError, UsageError
from ...records import record
from ...storage import places
from . import validation
from .validation import Problem

MOST_BYTES = 64_000_000
"""A spec that is larger is none."""
MOST_PARTS = 100
"""A name in a TOML text has at most so many parts, joined by dots; a spec's have a few."""
# what is not closed goes on to the end, so that any text is gone through once
_TOML_TEXT = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+(?:"{3,5})?'
    r"|'''(?:[^']|'(?!''))*+(?:'{3,5})?"
    r'|"(?:[^"\\\n]|\\.)*+"?'
    r"|'[^'\n]*+'?|#[^\n]*",
    re.DOTALL,
)
_TOML_BETWEEN = re.compile(r"[\n,=\[\]{}]")


class NoSpec(UsageError):
    """A file is no spec at all, whatever it may say: one sentence."""


class SpecError(InertiaError):
    """A spec has faults: a sentence for each, and each as JSON values."""

    def __init__(self, spec: Spec, problems: list[Problem]) -> None:
        problems = sorted(problems, key=lambda problem: spec.place(problem.path))
        self.sentences = [f"{spec.path.name}: {problem.sentence()}" for problem in problems]
        self.details = [
            {**vars(problem), "path": validation.spoken_path(problem.path)} for problem in problems
        ]
        super().__init__(" ".join(self.sentences))


@record(frozen=True, eq=False)
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


def read(path: Path) -> Spec:
    """Read a spec's text. Raises InertiaError when it can't be read, NoSpec when it is no JSON or TOML."""
    if path.suffix.lower() not in (".json", ".toml"):
        raise NoSpec(f'"{path.name}" is no kind of spec; give a .json or a .toml file.')
    places.check_read(path, MOST_BYTES)
    if not path.is_file():
        raise InertiaError(f'There is no file "{path}".')
    try:
        text = path.read_text(encoding="utf-8-sig")
        if path.suffix.lower() == ".json":
            values = json.loads(text, object_pairs_hook=_once)
        elif _toml_depth(text) > MOST_PARTS:
            # the parser takes time and memory by the square of that
            raise RecursionError
        else:
            values = tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise NoSpec(f'"{path.name}" is not written in UTF-8.') from error
    except RecursionError as error:
        raise NoSpec(f"{path.name}: its lists and tables lie too deep in each other.") from error
    except ValueError as error:
        where, reason = path.name, str(error).rstrip(".")
        if isinstance(error, json.JSONDecodeError):
            where, reason = f"{path.name}, line {error.lineno}", error.msg
        raise NoSpec(f"{where}: this is no {path.suffix[1:].upper()}: {reason}.") from error
    if not isinstance(values, dict):
        raise NoSpec(f"{path.name}: found {validation.quoted(values)}; a spec is a table of fields.")
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
        raise ValueError(f'The spec has the field "{twice}" twice in one table; leave one of them out')
    return dict(pairs)
