# SPDX-License-Identifier: GPL-3.0-or-later
"""Cost maps, computed a slice at a time between redraws, so that Blender stays in hand."""

from __future__ import annotations

from typing import Any

import bpy

from ...blender.cost import costing
from ...blender.cost.costing import Compared, CostMap
from ...records import record
from ..shared import cache
from ..shared.slices import Slices

SLICE_SECONDS = 0.03
"""How long a slice takes about."""


@record(eq=False)
class Job:
    """A map in the making; slices: what of it is done, 0 to 1; 1 when all is."""

    compared: Compared
    result: CostMap
    slices: Slices[None]

    @property
    def done(self) -> float:
        return self.slices.done


_jobs: dict[int, Job] = {}
"""The last map of each armature, by its session_uid."""


def of(armature: Any, compared: Compared, exact: bool) -> Job:
    """The map of a comparison: begun if there is none, and computed in the background.

    Raises InertiaError where that had to end.
    """
    job = _jobs.get(armature.session_uid)
    if job is None or job.compared is not compared or job.result.exact != exact:
        made, steps = costing.start_map(compared, exact)
        job = _jobs[armature.session_uid] = Job(compared, made, Slices("Cost Map", steps))
        job.slices.go_on(float("inf") if bpy.app.background else SLICE_SECONDS)
        if not job.slices.is_over and not bpy.app.timers.is_registered(_go_on):
            bpy.app.timers.register(_go_on, first_interval=0.0)
    if job.slices.error is not None:
        raise job.slices.error
    return job


def _go_on() -> float | None:
    """Compute a slice of each map that is not done; a timer's function."""
    waiting = [job.slices for job in _jobs.values() if not job.slices.is_over]
    if not waiting:
        return None
    for slices in waiting:
        slices.go_on(SLICE_SECONDS / len(waiting))
    cache.redraw()
    return 0.0


def forget() -> None:
    """Drop all maps, also those in the making."""
    _jobs.clear()
    if bpy.app.timers.is_registered(_go_on):
        bpy.app.timers.unregister(_go_on)
