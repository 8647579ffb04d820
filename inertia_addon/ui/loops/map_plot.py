# SPDX-License-Identifier: GPL-3.0-or-later
"""What every stretch of an action costs as a loop, as a map to click in."""

from __future__ import annotations

import functools
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...plots.heat_map import HeatMap
from ...records import record
from ..cost.joint_list import weights_from
from ..overlay.layout import PlotSlot
from ..overlay.protocol import Hit, OverlayPlot, nearest
from ..shared import cache
from ..translations import translated
from .properties import action_of, search_of

if TYPE_CHECKING:
    from ...motion.arrays import Array, Floats
    from ...motion.loops.search import LoopCosts
    from ...plots.theme import Theme
    from ...settings.loops import LoopSearch

MISSING = "Press Find Loop in the panel Loop to see where the action loops."
FAINT = 0.25
"""How opaque stretches are that are not allowed."""


class LoopMapPlot(OverlayPlot):
    """The cost of each start with each length, in a corner of the 3D View."""

    name = "loops"
    tool = "loop"
    needs_actions = False
    slot = PlotSlot.RIGHT
    is_clicked = True

    def model(self, armature: Any, switches: Any) -> tuple[Any | None, str]:
        loop_map = map_of(armature)
        return loop_map, MISSING if loop_map is None else ""

    def chart(self, content: LoopMap, theme: Theme) -> HeatMap:
        """Return the map: starts to the right, lengths upwards."""
        return HeatMap(
            values=content.costs.T,
            x_range=(float(content.starts[0]), float(content.starts[-1])),
            y_range=(float(content.lengths[0]), float(content.lengths[-1])),
            title=translated("Loop map"),
            aside="m",
            x_label=translated("First frame"),
            y_label=translated("Length"),
            marks=[(*place, str(rank + 1)) for rank, place in enumerate(content.best)],
            current=(content.start, content.end - content.start),
            unknown=FAINT,
        )

    def meant(self, content: LoopMap, x: float, y: float) -> Hit:
        start = nearest(content.starts, x)
        return "LOOP", (start, start + nearest(content.lengths, y))


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


def remember(armature: Any, action: Any, settings: LoopSearch, costs: LoopCosts) -> None:
    """Keep what each stretch of an action costs as a loop, for the map, and redraw windows.

    An armature has one map: a new one replaces it. It holds for this action, these settings by which it was
    searched, and the joints' weights, scene and rig as they are now. Kept are starts (n,), lengths (m,) and
    costs (n, m) in metres, NaN for stretches that `costs` does not allow. Of more than MOST starts only every
    second, or third and so on, is kept, from the first on, so that there are at most MOST; lengths are all
    kept. Only the maps of the last KEPT armatures stay. Nothing is stored in the file.
    """
    step = max(1, -(-len(costs.starts) // MOST))
    values = np.where(costs.allowed, costs.values, np.nan)[::step]
    kept = (costs.starts[::step], costs.lengths, values)
    cache.put(COSTS, armature, _key(armature, action, settings), kept)
    cache.trim(COSTS, KEPT)
    cache.redraw()


def map_of(armature: Any) -> LoopMap | None:
    """Return the map of what was found last for an armature, with the chosen stretch and the listed ones.

    starts, lengths and costs (starts, lengths) are those of :func:`remember`. start and end are `loop_start`
    and `loop_end`, rounded to 2 decimals, whether found or not; best has (start, length) of each listed
    stretch, in order. Nothing is computed anew but the record, which is kept until one of these changes.

    None if nothing was found since the file was opened, there was no stretch at all, or the action, rig,
    scene, joints or the search's settings differ from those it was found with. Raise InertiaError, once
    something was found, where no action is chosen or assigned, or settings are out of range.
    """
    if not cache.has(COSTS, armature):
        return None
    loops = armature.inertia_loops
    kept = cache.recall(COSTS, armature, _key(armature, action_of(armature), search_of(armature)))
    if kept is None or not kept[2].size:
        return None
    best = tuple((item.start, item.end - item.start) for item in loops.loops)
    chosen = round(loops.loop_start, 2), round(loops.loop_end, 2), best
    starts, lengths, costs = kept
    make = functools.partial(LoopMap, starts, lengths, costs, *chosen)
    return cache.answer("loops:map", armature, (id(kept), *chosen), make)
