# SPDX-License-Identifier: GPL-3.0-or-later
"""What was found last of an armature's loops, for the map."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from ...motion.arrays import Array, Floats
from ...motion.loops.search import Costs
from ...records import record
from ...settings.loops import LoopSearch
from ..cost.joint_list import weights_from
from ..shared import cache
from .properties import action_of, search_of

COSTS, KEPT = "loops:costs", 4
"""What the costs are kept under, and of how many armatures: they are large."""
MOST = 2000
"""A map has at most so many columns; of longer actions only every so many starts are shown."""


@record(frozen=True, eq=False)
class LoopMap:
    """What every start costs with every length.

    starts: (n,) frames, lengths: (m,) in frames. costs: (n, m) metres, NaN where a stretch is not allowed.
    start, end: the stretch that is chosen. best: starts and lengths of those that are listed.
    """

    starts: Array
    lengths: Array
    costs: Floats
    start: float
    end: float
    best: tuple[tuple[float, float], ...]


def _key(armature: Any, action: Any, settings: LoopSearch) -> Hashable:
    joints = tuple(sorted(weights_from(armature).items()))
    return cache.action_state(action), settings, joints, cache.scene_state(), cache.rig_key(armature)


def remember(armature: Any, action: Any, settings: LoopSearch, found: Costs) -> None:
    """Keep what was found."""
    step = max(1, -(-len(found.starts) // MOST))
    values = np.where(found.allowed, found.values, np.nan)[::step]
    kept = (found.starts[::step], found.lengths, values)
    cache.put(COSTS, armature, _key(armature, action, settings), kept)
    cache.trim(COSTS, KEPT)
    cache.redraw()


def known(armature: Any) -> LoopMap | None:
    """The map of what was found, if the action and what may be found are as they were then."""
    if not cache.has(COSTS, armature):
        return None
    own = armature.inertia_loops
    kept = cache.known(COSTS, armature, _key(armature, action_of(armature), search_of(armature)))
    if kept is None or not kept[2].size:
        return None
    best = tuple((item.start, item.end - item.start) for item in own.loops)
    start, end = round(own.loop_start, 2), round(own.loop_end, 2)

    def made() -> LoopMap:
        starts, lengths, costs = kept
        return LoopMap(starts, lengths, costs, start, end, best)

    return cache.answer("loops:map", armature, (id(kept), start, end, best), made)
