# SPDX-License-Identifier: GPL-3.0-or-later
"""On which lines of a JSON or TOML text its fields are: the standard parsers don't say."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from .validation import Path

Lines = dict[Path, int]

_JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_TOML_HEADER = re.compile(r"^\s*(\[\[?)\s*(.+?)\s*\]\]?\s*(?:#.*)?$")
_TOML_KEY = re.compile(r"""^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
_TOML_PART = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")
# what is not closed goes on to the end, so that any text is gone through once
_TOML_TEXT = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+(?:"{3,5})?'
    r"|'''(?:[^']|'(?!''))*+(?:'{3,5})?"
    r'|"(?:[^"\\\n]|\\.)*+"?'
    r"|'[^'\n]*+'?|#[^\n]*",
    re.DOTALL,
)
_TOML_BETWEEN = re.compile(r"[\n,=\[\]{}]")


def line_of(lines: Lines, path: Path) -> int | None:
    """The line of a field, or of the nearest one that holds it; None when there is none."""
    while path:
        if path in lines:
            return lines[path]
        path = path[:-1]
    return None


def of_json(text: str) -> Lines:
    """The lines of all fields of a JSON text that was read without errors."""
    lines: Lines = {}
    # each level: the path to it, and its next index, or None within an object
    stack: list[tuple[Path, int | None]] = []
    name: str | None = None
    expects_name = False

    def here() -> Path:
        if not stack:
            return ()
        path, index = stack[-1]
        return (*path, index) if index is not None else (*path, name or "")

    for token, line in _json_tokens(text):
        if token in "}]":
            stack.pop()
            expects_name = False
        elif token == ",":
            path, index = stack[-1]
            stack[-1] = (path, None if index is None else index + 1)
            expects_name = index is None
        elif token == ":":
            expects_name = False
        elif expects_name:
            name = json.loads(token)
            lines[here()] = line
        else:
            lines.setdefault(here(), line)
            if token in "{[":
                stack.append((here(), None if token == "{" else 0))
                expects_name = token == "{"
    return lines


def _json_tokens(text: str) -> Iterator[tuple[str, int]]:
    line, end = 1, 0
    for match in _JSON_TOKEN.finditer(text):
        line += text.count("\n", end, match.start())
        yield match.group(), line
        end = match.start()


def of_toml(text: str) -> Lines:
    """The lines of a TOML text's tables and keys; what is within a key's value has the key's line."""
    lines: Lines = {}
    counts: dict[Path, int] = {}
    table: Path = ()
    depth = 0
    plain = _TOML_TEXT.sub(_blanked, text)
    for number, (line, bare) in enumerate(zip(text.split("\n"), plain.split("\n"), strict=True), 1):
        header = _TOML_HEADER.match(line) if depth == 0 else None
        key = _TOML_KEY.match(line) if depth == 0 else None
        if header and not key:
            table = _entered(header.group(2), header.group(1) == "[[", counts)
            lines.setdefault(table, number)
        elif key:
            lines[(*table, *_parts(key.group(1)))] = number
        if not (header and not key):
            depth += sum(bare.count(c) for c in "[{") - sum(bare.count(c) for c in "]}")
    return lines


def toml_depth(text: str) -> int:
    """How many parts, joined by dots, the longest name of a TOML text has, be it well-formed or not."""
    plain = _TOML_TEXT.sub(_blanked, text)
    return 1 + max(between.count(".") for between in _TOML_BETWEEN.split(plain))


def _blanked(match: re.Match[str]) -> str:
    """Texts and comments without their brackets, line by line."""
    return re.sub(r"[^\n]", " ", match.group())


def _parts(dotted: str) -> list[str]:
    return [part.strip("\"'") for part in _TOML_PART.findall(dotted)]


def _entered(dotted: str, is_array: bool, counts: dict[Path, int]) -> Path:
    """The path of a table's header, in which lists of tables stand with the index that they are at."""
    path: Path = ()
    parts = _parts(dotted)
    for i, part in enumerate(parts):
        path = (*path, part)
        if is_array and i == len(parts) - 1:
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path = (*path, counts[path])
    return path
