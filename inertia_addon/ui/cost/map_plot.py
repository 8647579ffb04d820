# SPDX-License-Identifier: GPL-3.0-or-later
"""The cost map on a panel, computed a slice at a time between redraws, so that Blender stays in hand."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any

import bpy

from ...blender.cost import meetings
from ...errors import InertiaError, Sentence
from ...plots.heat_map import HeatMap, span_of
from ...records import record
from ..overlay.layout import PlotSlot
from ..overlay.protocol import Hit, OverlayPlot, nearest
from ..shared import cache, slices
from ..shared.slices import Jobs, Slices
from ..translations import translated
from .costs import PairCosts, costs_of

if TYPE_CHECKING:
    from ...blender.cost.costing import Compared
    from ...plots.plot import Range
    from ...plots.theme import Theme

ASIDES = {"EXACT": "exact", "FEATURE": "estimated", "POINT_CLOUD": "whole poses"}

FAINT = 0.25
"""How opaque a map in the making is where nothing is known yet."""
SLICE_SECONDS = 0.03
"""How long a slice takes about."""


@record(frozen=True, eq=False)
class MarkedCostMap(meetings.CostMap):
    """A map, as far as it is computed, with what is marked in it.

    cut, destination: the settings' own. best: (cut, destination frame) of the best pairs, the best first.
    """

    cut: float
    destination: float
    best: tuple[tuple[float, float], ...]

    @cached_property
    def span(self) -> Range:
        """The costs at the ends of the colours."""
        return span_of(self.costs)


@record(eq=False)
class MapJob(slices.ArmatureJob[None]):
    """The last map of an armature. error: why it had to end."""

    compared: Compared
    result: meetings.CostMap
    error: InertiaError | None = None

    def ended(self, slices: Slices[None]) -> None:
        self.error = slices.error


_jobs: Jobs[MapJob] = Jobs(SLICE_SECONDS, redraw_seconds=0.0)


def job_of(armature: Any, compared: Compared, kind: str) -> MapJob:
    """Return the job that computes the cost map of a comparison between redraws.

    If the armature's last job is of another comparison (another object, however equal) or kind, a new one
    takes its place and does a first slice at once; without a window it is done at once. kind: one of
    ``operators.MAP_ITEMS``. Raise the InertiaError with which the job had to end.
    """
    job = _jobs.of(armature)
    if job is None or job.compared is not compared or job.result.kind != kind:
        result, steps = meetings.start_map(compared, kind)
        job = _jobs[armature.session_uid] = MapJob(compared, result)
        job.slices = Slices("Cost Map", steps)
        job.go_on(math.inf if bpy.app.background else SLICE_SECONDS)
        if not job.is_over:
            _jobs.start()
    if job.error is not None:
        raise job.error
    return job


def cost_map(armature: Any, costs: PairCosts, kind: str) -> tuple[MarkedCostMap, str]:
    """Return the cost map as far as it is computed, marked with the settings' place and the best pairs, and a
    sentence on how far that is in percent, "" when done.

    Cells that are not computed yet are NaN. The map begins to be computed if it was not; the same object is
    returned until more of it is known or the marks move. kind: one of ``operators.MAP_ITEMS``. Raise
    InertiaError where it had to end.
    """
    job = job_of(armature, costs.compared, kind)
    best = tuple((pair.cut, pair.destination_frame) for pair in armature.inertia_search.pairs)
    cut, destination = costs.compared.source.find_clip_frame(costs.cut), costs.destination_frame

    def compute() -> MarkedCostMap:
        result = job.result
        # a copy while it grows: what is drawn is told apart by the array it was drawn from
        values = result.costs if job.done >= 1.0 else result.costs.copy()
        return MarkedCostMap(result.cuts, result.destinations, values, result.kind, cut, destination, best)

    note = "" if job.done >= 1.0 else Sentence("Computing the map: {part:.0%}.", part=job.done)
    key = (job, job.done, costs.cut, destination, best)
    return cache.answer("map", armature, key, compute), note


class CostMapPlot(OverlayPlot):
    """The cost of each cut with each destination frame, in a corner of the 3D View."""

    name = "map"
    slot = PlotSlot.RIGHT
    is_clicked = True

    def model(self, armature: Any, switches: Any) -> tuple[Any, str]:
        return cost_map(armature, costs_of(armature), switches.map_kind)

    def chart(self, content: MarkedCostMap, theme: Theme) -> HeatMap:
        """Return the map: cuts to the right, destination frames upwards; each cell reaches half a step
        around.
        """
        return HeatMap(
            values=content.costs.T,
            x_range=(float(content.cuts[0]), float(content.cuts[-1])),
            y_range=(float(content.destinations[0]), float(content.destinations[-1])),
            title=translated("Distance map" if content.kind == "POINT_CLOUD" else "Cost map"),
            aside=f"{content.unit}, {translated(ASIDES[content.kind])}",
            x_label=translated("Cut"),
            y_label=translated("Destination frame"),
            marks=[(*pair, str(rank + 1)) for rank, pair in enumerate(content.best)],
            current=(content.cut, content.destination),
            span=content.span,
            unknown=FAINT,
        )

    def meant(self, content: MarkedCostMap, x: float, y: float) -> Hit:
        return "MAP", (nearest(content.cuts, x), nearest(content.destinations, y))

    def forget(self) -> None:
        _jobs.forget()
