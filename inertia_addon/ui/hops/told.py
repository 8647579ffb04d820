# SPDX-License-Identifier: GPL-3.0-or-later
"""Hops in an animator's words."""

from __future__ import annotations

from typing import Any

from ...blender.hops.search import Hop
from ..shared import labels, words
from ..translations import translated

NO_WAY = 1e30
"""A cost from here on stands for infinity, which Blender's properties don't hold."""


def way_text(way: Hop, armature: Any, direct: float) -> str:
    """``4 frames on in Run, then Walk from 20 to 32, then Idle; costs 0.16, straight across 0.27``.

    direct: what the transition without a hop costs, NO_WAY or more where there is none.
    """
    own = armature.inertia
    source, destination = (labels.action(armature, end.name) for end in (own.source, own.destination))
    if way.stays[0] > 0:
        text = translated("{0} on in {1}", words.count(way.stays[0], "frame"), source)
    else:
        text = translated("Out of {0} at once", source)
    for clip, entry, leave in zip(way.clips, way.entries, way.exits, strict=True):
        values = labels.action(armature, clip), words.number(entry), words.number(leave)
        text = translated("{0}, then {1} from {2} to {3}", text, *values)
    cost = f"{way.cost:.2g}"
    values = text, destination, cost
    if direct >= NO_WAY:
        return translated("{0}, then {1}; costs {2}, no way leads straight across", *values)
    return translated("{0}, then {1}; costs {2}, straight across {3}", *values, f"{direct:.2g}")
