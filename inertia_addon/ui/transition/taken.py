# SPDX-License-Identifier: GPL-3.0-or-later
"""The two actions of a transition, and where they meet, as two strips have them."""

from __future__ import annotations

import math
from typing import Any

from ...blender.nla.strips import Meeting


def put(own: Any, found: Meeting) -> None:
    """Have an armature's settings say what strips do."""
    own.source, own.destination = found.source, found.destination
    own.source_slot, own.destination_slot = found.source_slot, found.destination_slot
    _put_frames(own, found)


def put_named(operator: Any, found: Meeting) -> None:
    """Have an operator's settings say what strips do: it knows actions by their names."""
    for side in ("source", "destination"):
        action = getattr(found, side)
        setattr(operator, side, action.name)
        setattr(operator, f"{side}_library", action.library.filepath if action.library else "")
        setattr(operator, f"{side}_slot", getattr(found, f"{side}_slot"))
    _put_frames(operator, found)


def _put_frames(data: Any, found: Meeting) -> None:
    data.cut, data.shift = found.cut, found.shift
    data.use_destination_frame, data.destination_frame = True, found.entry
    for side, times in zip(("source", "destination"), found.repeats, strict=True):
        setattr(data, f"{side}_cycle", "ON" if times > 1.0 else "AUTO")
    data.source_scale, data.destination_scale = found.scales
    data.go_on = "ONCE"
    if found.repeats[1] > 1.0:
        data.go_on, data.go_on_cycles = "CYCLES", math.ceil(found.repeats[1]) - 1
