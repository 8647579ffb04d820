# SPDX-License-Identifier: GPL-3.0-or-later
"""The hops that were found, as the overlay shows them."""

from __future__ import annotations

from typing import Any

from ...errors import InertiaError
from ...settings.hops import UNITS
from ..shared import cache
from . import found as found_hops
from .model import HopCurves

MISSING = "Press Find Hops in the panel Hops to see what they cost."


def curves(armature: Any) -> tuple[HopCurves | None, str]:
    """The curves over the trigger frames, and a sentence where there are none yet."""
    try:
        found = found_hops.known(armature)
    except InertiaError as error:
        return None, error.sentence
    if found is None:
        return None, MISSING
    current = armature.inertia.cut
    key = (id(found), current)

    def compute() -> tuple[Any, HopCurves]:
        own, table = found.prepared, found.table
        frames = own.frames[found.problem.source][table.triggers]
        unit = UNITS[own.settings.distance]
        made = HopCurves(frames, table.direct, table.cost, table.clips[:, 0], own.names, current, unit)
        return found, made

    return cache.answer("hop curves", armature, key, compute)[1], ""
