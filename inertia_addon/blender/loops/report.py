# SPDX-License-Identifier: GPL-3.0-or-later
"""What a loop is like, in numbers."""

from __future__ import annotations

import dataclasses
from typing import Any

from ...records import record
from ..data.rewriting import Report
from ..judging import verdict
from ..judging.verdict import Verdict


@record(frozen=True)
class Quality:
    """What a loop's seam is like, before and after.

    gap_before, gap: how far, at most, a joint is from where the next cycle begins, metres. seam_before, seam:
    the highest change of joint velocity around the seam, over the clip's own highest. moved: how far, in
    metres, the joint that was moved most is from where the clip has it, with its bone and the result's frame.
    """

    gap_before: float
    gap: float
    seam_before: float
    seam: float
    moved: float
    bone: str
    frame: float


@record(frozen=True, kw_only=True)
class LoopReport(Report):
    """What :func:`inertia_addon.blender.loops.bake.make_loop` made.

    start, end: the stretch, in frames of the action; frame_range: of the result. heading_degrees, translation
    (metres): what each cycle adds. quality: None where it could not be measured, which a warning says;
    verdict: on the seam as a transition of the clip into itself, likewise.
    """

    start: float
    end: float
    root: str
    heading_degrees: float
    translation: tuple[float, float, float]
    channels: int
    quality: Quality | None
    verdict: Verdict | None
    warnings: tuple[str, ...] = ()

    def measured(self) -> dict[str, float | None]:
        """What gates look at."""
        seam = None if self.quality is None else self.quality.seam
        return {"seam": seam, **verdict.measures(() if self.verdict is None else (self.verdict,))}

    def as_dict(self) -> dict[str, Any]:
        """The report as plain JSON values."""
        told = None if self.verdict is None else self.verdict.as_dict()
        return {**dataclasses.asdict(self), "verdict": told}
