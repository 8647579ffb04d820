# SPDX-License-Identifier: GPL-3.0-or-later
"""The modes of a set of actions, running, walking, strafing and backing up, as values and as a table."""

from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Iterable, Sequence
from typing import Any

from ...motion.root_motion import modes
from ...motion.root_motion.measure import Measured
from ...motion.root_motion.modes import Mode
from ...settings.root_motion import Settings
from .measure import ActionRootMotion, clip_modes, half_life

COLUMNS = (
    "mode",
    "top_speed",
    *("speed_seconds", "speed_low", "speed_high", "speed_count"),
    *("start_seconds", "start_count", "stop_seconds", "stop_count"),
    *("turn_seconds", "turn_low", "turn_high", "turn_count"),
)
"""Of the table: a row for each mode. Half-lives are medians, in seconds, beside their extremes."""


def of_clips(
    clips: Iterable[tuple[ActionRootMotion, Measured]], settings: Settings, estimator: str
) -> tuple[Mode, ...]:
    """Gather the modes of a set of clips.

    estimator: whose half-lives count, see :func:`measure.half_life`.
    """
    found = [(measured, clip_modes(read, measured, settings)) for read, measured in clips]
    return modes.gather(found, lambda ramp: half_life(ramp, estimator))


def values(modes: Sequence[Mode]) -> list[dict[str, Any]]:
    """Return modes as JSON values, a dictionary each, in the given order.

    Keys, in this order: ``mode``, the Mode's ``name``; ``top_speed``, m/s, None where no clip holds a speed
    in it; ``speed_half_lives``, ``start_half_lives``, ``stop_half_lives`` and ``turn_half_lives``, of its
    ``speeds``, ``starts``, ``stops`` and ``turns``. Each of these is {"median", "low", "high", "count"}, the
    first three in seconds, where "median" is the ``middle`` and "low" and "high" are the extremes; None
    without any.
    """
    rows = []
    for mode in modes:
        row = dataclasses.asdict(mode)
        for name in ("speeds", "starts", "stops", "turns"):
            spread = row.pop(name)
            row[f"{name.removesuffix('s')}_half_lives"] = spread and {
                "median": spread["middle"],
                **{key: spread[key] for key in ("low", "high", "count")},
            }
        rows.append({"mode": row.pop("name"), **row})
    return rows


def as_csv(rows: Iterable[dict[str, Any]]) -> str:
    """Return modes as comma-separated values with a heading, COLUMNS, and a row for each mode.

    rows: as :func:`values` returns them. "mode" and "top_speed" are as there. Of each kind, speed, start,
    stop and turn, the median half-life is in a column such as "speed_seconds", and how many there are in
    "speed_count"; the extremes are in "speed_low" and "speed_high", of speeds and turns only. Half-lives are
    in seconds. Numbers have at most six significant digits; a cell is empty for None and for half-lives that
    there are none of. Each line ends with a line feed.
    """
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    for row in rows:
        cells = {"mode": row["mode"], "top_speed": row["top_speed"]}
        for kind in ("speed", "start", "stop", "turn"):
            for name, value in (row[f"{kind}_half_lives"] or {}).items():
                cells[f"{kind}_{'seconds' if name == 'median' else name}"] = value
        table.writerow([_cell(cells.get(name)) for name in COLUMNS])
    return text.getvalue()


def _cell(value: float | str | None) -> str:
    """Return what stands in a cell; nothing where there is nothing to tell."""
    if value is None:
        return ""
    return value if isinstance(value, str) else f"{value:.6g}"
