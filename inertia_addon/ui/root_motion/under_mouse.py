# SPDX-License-Identifier: GPL-3.0-or-later
"""Which edge of a ramp is under the mouse: gizmos know it, and what is drawn over the plots shows it."""

from __future__ import annotations

from typing import Any

from .ramp_marks import Handle

_lit: dict[int, Handle | None] = {}
"""For each region, what was under the mouse when its gizmos were drawn last."""


def put(region: Any, handle: Handle | None) -> None:
    """Note what is under the mouse in a region."""
    _lit[region.as_pointer()] = handle


def lit(region: Any) -> Handle | None:
    """The edge of a ramp that is under the mouse in a region, or is dragged."""
    return _lit.get(region.as_pointer())
