# SPDX-License-Identifier: GPL-3.0-or-later
"""What an action keeps of its travel: so that what was given can be taken out again, exactly."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from ...motion.travel.way import Way
from ...records import record
from ..data.recipe import TRAVEL


@record(frozen=True, eq=False)
class Noted:
    """A way that is stored with an action. root: who carries it. taken: whether it was taken out."""

    way: Way
    root: str
    taken: bool


def note(action: Any, known: Way, root: str, taken: bool) -> None:
    """Store a way with an action, in world units and radians, by frames."""
    rows = np.column_stack([known.frames, known.places, known.turns])
    action[TRAVEL] = json.dumps({"root": root, "taken": taken, "way": rows.tolist()})


def stored(action: Any) -> Noted | None:
    """The way that is stored with an action; None without, and for what can't be read."""
    try:
        told = json.loads(action.get(TRAVEL, "null"))
        rows = np.array(told["way"], float).reshape(-1, 4)
        rising = len(rows) > 1 and bool(np.isfinite(rows).all() and (np.diff(rows[:, 0]) > 0.0).all())
        known = Way(rows[:, 0], rows[:, 1:3], rows[:, 3])
        return Noted(known, str(told["root"]), bool(told["taken"])) if rising else None
    except (ValueError, TypeError, LookupError, RecursionError):
        return None
