# SPDX-License-Identifier: GPL-3.0-or-later
"""Cost maps, computed a slice at a time between redraws, so that Blender stays in hand."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Generator
from typing import Any

import bpy

from ...blender.cost import costing
from ...blender.cost.costing import Compared, CostMap
from ..shared import cache

SLICE_SECONDS = 0.03
"""How long a slice takes about."""


@dataclasses.dataclass(eq=False)
class Job:
    """A map in the making: what of it is done, 0 to 1; 1 when all is."""

    compared: Compared
    result: CostMap
    steps: Generator[float, None, None]
    done: float = 0.0

    def go_on(self, seconds: float) -> None:
        """Compute for about so long."""
        until = time.monotonic() + seconds
        while self.done < 1.0 and time.monotonic() < until:
            self.done = min(next(self.steps, 1.0), 1.0)
            if self.done >= 1.0:
                self.steps.close()


_jobs: dict[int, Job] = {}
"""The last map of each armature, by its session_uid."""


def of(armature: Any, compared: Compared, exact: bool) -> Job:
    """The map of a comparison: begun if there is none, and computed in the background."""
    job = _jobs.get(armature.session_uid)
    if job is None or job.compared is not compared or job.result.exact != exact:
        job = Job(compared, *costing.start_map(compared, exact))
        _jobs[armature.session_uid] = job
        job.go_on(float("inf") if bpy.app.background else SLICE_SECONDS)
        if job.done < 1.0 and not bpy.app.timers.is_registered(_go_on):
            bpy.app.timers.register(_go_on, first_interval=0.0)
    return job


def _go_on() -> float | None:
    """Compute a slice of each map that is not done; a timer's function."""
    waiting = [job for job in _jobs.values() if job.done < 1.0]
    if not waiting:
        return None
    for job in waiting:
        job.go_on(SLICE_SECONDS / len(waiting))
    cache.redraw()
    return 0.0


def forget() -> None:
    """Drop all maps, also those in the making."""
    _jobs.clear()
    if bpy.app.timers.is_registered(_go_on):
        bpy.app.timers.unregister(_go_on)
