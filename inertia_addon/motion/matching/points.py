# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a file of points: text with a point a line, whose columns a header names.

Lines are as the csv module of Python reads them, with commas, semicolons or tabs between their values. A
header names its columns in any order; without one, two columns are x and y, and three are time, x and y.
"""

from __future__ import annotations

import contextlib
import csv
import io
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from ...errors import InertiaError
from ...records import record
from ..arrays import Array

MOST_BYTES, MOST_POINTS = 64_000_000, 1_000_000
"""A file of points that has more is none."""
LARGEST = 1e12
"""No path has a larger number, whatever its unit."""
TIMES = ("time", "t", "seconds")
COLUMNS = {**dict.fromkeys(TIMES, "time"), "x": "x", "y": "y", "z": "z", "heading": "heading"}
"""What the columns that a header names are."""
WITHOUT_HEADER = {2: ("x", "y"), 3: ("time", "x", "y")}
SHOWN = 30
"""So many letters, at most, of what a file holds are said."""


@record(frozen=True, eq=False)
class Points:
    """What a file of points holds, in its own units.

    ground: (n, 2), x and y. times: (n,), rising; None without a timing. headings: (n,) degrees about the
    vertical from the x axis; None where there are none."""

    ground: Array
    times: Array | None = None
    headings: Array | None = None


def read(path: Path) -> Points:
    """Return the points of a .csv file, in its own units: `ground` (n, 2), x and y, and, if it has such
    columns, `times` and `headings` (n,), the latter in degrees from the x axis, else None.

    A column z is read, too, but dropped, as a path lies on the ground. Raise InertiaError for a file that
    can't be read (as UTF-8, with or without a mark) or has more than 1,000,000 points, and for one that holds
    fewer than two points, anything but numbers, columns that are not known, or times that do not rise.
    """
    try:
        columns = _columns(path.read_bytes().decode("utf-8-sig"), path.name)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InertiaError('"{file}" can\'t be read as a .csv file of points.', file=path.name) from error
    if len(columns["x"]) < 2:
        raise InertiaError('"{file}" has fewer than two points; a path needs at least two.', file=path.name)
    if "time" in columns:
        _check_rise(columns["time"], path.name)
    ground = np.stack([columns["x"], columns["y"]], axis=1)
    return Points(ground, columns.get("time"), columns.get("heading"))


def _columns(text: str, file: str) -> dict[str, Array]:
    """Return the columns of a text, (n,) each, by what they are: "x", "y" and perhaps "time", "z", "heading".

    file: its name, for messages. A first line without any number is a header. n may be 0. Raise InertiaError
    for columns or values that a path can't have, and for more than 1,000,000 points; csv.Error gets through.
    """
    rows = _rows(text)
    line, first = next(rows, (1, []))
    is_header = bool(first) and all(_number(cell.replace(",", ".")) is None for cell in first)
    names = _named(first, file) if is_header else _unnamed(first, file)
    values = array("d")
    if not is_header and first:
        values.extend(_values(first, len(names), line, file))
    for line, row in rows:
        values.extend(_values(row, len(names), line, file))
        if len(values) > MOST_POINTS * len(names):
            raise InertiaError(
                '"{file}" is too large for a path; reduce it to at most {most} points.',
                file=file,
                most=f"{MOST_POINTS:,}",
            )
    table = np.array(values, float).reshape(-1, len(names))
    return {name: table[:, i] for i, name in enumerate(names)}


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that hold anything, each with its line's number, from 1, and its values without space
    around.

    Values stand between semicolons or tabs where the first line that holds anything has one, else between
    commas. csv.Error gets through.
    """
    begin = next((line for line in io.StringIO(text) if line.strip()), "")
    delimiter = next((mark for mark in (";", "\t") if mark in begin), ",")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    for row in reader:
        if any(cell.strip() for cell in row):
            yield reader.line_num, [cell.strip() for cell in row]


def _named(header: Sequence[str], file: str) -> tuple[str, ...]:
    """Return what the columns of a header are, in their order: "time", "x", "y", "z" or "heading" each.

    header: the names, in any case; a time may be called time, t or seconds. file: its name, for messages.
    Raise InertiaError for a name that is not known, two columns of one kind, and where x or y is missing.
    """
    for name in header:
        if name.lower() not in COLUMNS:
            raise InertiaError(
                '"{file}" has a column "{name}", which a path does not use; a header can name {known}.',
                file=file,
                name=_short(name),
                known=", ".join(COLUMNS),
            )
    names = tuple(COLUMNS[name.lower()] for name in header)
    for name in dict.fromkeys(names):
        if names.count(name) > 1:
            raise InertiaError('"{file}" has two {name} columns; remove one.', file=file, name=name)
    for name in ("x", "y"):
        if name not in names:
            raise InertiaError('"{file}" has no column {name}; a path needs x and y.', file=file, name=name)
    return names


def _unnamed(first: Sequence[str], file: str) -> tuple[str, ...]:
    """Return what the columns are where no header says it: x and y of two, time, x and y of three.

    first: the first row's values; without any it is x and y. Raise InertiaError for another number of them.
    """
    if not first:
        return WITHOUT_HEADER[2]
    if len(first) not in WITHOUT_HEADER:
        raise InertiaError(
            '"{file}" has {count} values per line and no header; add a first line that names them, such '
            "as time,x,y,z.",
            file=file,
            count=len(first),
        )
    return WITHOUT_HEADER[len(first)]


def _values(row: Sequence[str], count: int, line: int, file: str) -> list[float]:
    """Return the numbers of a row. count: how many there must be; line, file: for messages.

    Raise InertiaError for another number of values, for one that is no number (a decimal comma, too), and for
    one that is infinite, NaN or beyond 1e12.
    """
    if len(row) != count:
        raise InertiaError(
            'Line {line} of "{file}" has {count} values where there should be {wanted}; give each line as '
            "many, with points for decimals.",
            **{"line": line, "file": file, "count": len(row), "wanted": count},
        )
    values = []
    for cell in row:
        value = _number(cell)
        where = {"line": line, "file": file, "text": _short(cell)}
        if value is None and _number(cell.replace(",", ".")) is not None:
            raise InertiaError(
                'Line {line} of "{file}" has the decimal comma of "{text}"; write points for decimals.',
                **where,
            )
        if value is None or not abs(value) <= LARGEST:
            raise InertiaError(
                'Line {line} of "{file}" has "{text}", which is not a place or time on a path; correct it.',
                **where,
            )
        values.append(value)
    return values


def _check_rise(times: Array, file: str) -> None:
    """Raise InertiaError unless each of times (n,) is later than the one before; return nothing. The message
    names the first that is not.

    file: the file's name, for the message.
    """
    gaps = np.diff(times)
    if (gaps > 0.0).all():
        return
    i = int(np.argmax(gaps <= 0.0))
    if gaps[i] == 0.0:
        raise InertiaError(
            'The time {time:.10g} occurs twice in "{file}"; remove one of its lines.',
            time=float(times[i]),
            file=file,
        )
    raise InertiaError(
        'The times in "{file}" don\'t rise: {time:.10g} comes after {before:.10g}; sort its lines.',
        file=file,
        time=float(times[i + 1]),
        before=float(times[i]),
    )


def _number(text: str) -> float | None:
    """Return a number as files write it, NaN and infinity too; None for any other text."""
    # Python's own 1_000 is none in a file
    with contextlib.suppress(ValueError):
        return None if "_" in text else float(text)
    return None


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else text[:SHOWN] + "..."
