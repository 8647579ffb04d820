# SPDX-License-Identifier: GPL-3.0-or-later
"""The edges of a matrix as rows, and as comma-separated values."""

from __future__ import annotations

import csv
import dataclasses
import io
from typing import Any

from ... import escapes


def as_row(edge: Any, library: Any) -> dict[str, Any]:
    """An edge as JSON values, with the clips' names."""
    called = library.names()
    values = dataclasses.asdict(edge)
    return {**values, "source": called[edge.source], "destination": called[edge.destination]}


def as_csv(rows: list[dict[str, Any]]) -> str:
    """Edges as comma-separated values."""
    text = io.StringIO()
    columns = ("source", "destination", "cut", "destination_frame", "cost", "bone", "share")
    table = csv.DictWriter(text, columns, lineterminator="\n")
    table.writeheader()
    table.writerows({name: _cell(row[name]) for name in columns} for row in rows)
    return text.getvalue()


def _cell(value: float | str) -> str:
    return escapes.cell(value) if isinstance(value, str) else f"{value:.6g}"
