# SPDX-License-Identifier: GPL-3.0-or-later
"""Cost maps, computed a slice at a time between redraws, so that Blender stays in hand."""

from __future__ import annotations

import math
from typing import Any

import bpy

from ...blender.cost import costing
from ...blender.cost.costing import Compared, CostMap
from ...errors import InertiaError
from ...records import record
from ..shared import slices
from ..shared.slices import Jobs, Slices

SLICE_SECONDS = 0.03
"""How long a slice takes about."""


@record(eq=False)
class Job(slices.Job[None]):
    """The last map of an armature. error: why it had to end."""

    compared: Compared
    result: CostMap
    error: InertiaError | None = None

    def ended(self, slices: Slices[None]) -> None:
        self.error = slices.error


_jobs: Jobs[Job] = Jobs(SLICE_SECONDS, redraw_seconds=0.0)


def of(armature: Any, compared: Compared, exact: bool) -> Job:
    """The map of a comparison: begun if there is none, and computed in the background.

    Raises InertiaError where that had to end.
    """
    job = _jobs.of(armature)
    if job is None or job.compared is not compared or job.result.exact != exact:
        result, steps = costing.start_map(compared, exact)
        job = _jobs[armature.session_uid] = Job(compared, result)
        job.slices = Slices("Cost Map", steps)
        job.go_on(math.inf if bpy.app.background else SLICE_SECONDS)
        if not job.is_over:
            _jobs.start()
    if job.error is not None:
        raise job.error
    return job


def forget() -> None:
    """Drop all maps, also those in the making."""
    _jobs.forget()
