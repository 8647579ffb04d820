# SPDX-License-Identifier: GPL-3.0-or-later
"""What one sees of a loop's seam: a transition of the clip into itself, from its end to its start."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ...motion.arrays import Array
from ...motion.judging.evidence import MARGIN_SECONDS
from ...motion.steps import Steps
from ...records import record
from ...settings import methods
from ...settings.loops import SHARES, LoopSettings
from ..data.actions import Clip
from ..data.report import Report
from ..evaluation.character import Character
from ..judging import sides, verdict
from ..judging.sides import ResultView, Side, Window
from ..judging.verdict import Verdict
from .stretch import LoopStretch


def of_loop(character: Character, settings: LoopSettings, stretch: LoopStretch, loop: Clip) -> Steps[Verdict]:
    """Judge a loop's seam, against the clip as it would go on into its repetition; return the verdict in
    frames of the loop; yield the part that is done.

    loop: the result, planned or made. With locked feet the whole cycle is judged. Raise InertiaError for a
    rig that Blender would not play.
    """
    cycle, clip = stretch.result_cycle, dataclasses.replace(stretch.clip, cycle=None)
    loop = dataclasses.replace(loop, start=cycle.start, end=cycle.end, cycle=cycle)
    since, seam, end = window(settings, stretch)
    # locked feet stand still in all of the cycle
    until = max(since + cycle.period, end) if settings.lock_feet else end
    around, later = MARGIN_SECONDS * stretch.fps, stretch.first - stretch.cycle.start
    both = (
        Side(clip, later, since - around, end),
        Side(clip, later + cycle.period, since - around, until + around, stretch.cycle.motion()),
    )

    def weights(frames: Array) -> Array:
        return np.asarray(np.interp(frames, [since, end], [0.0, 1.0]))

    where = Window(seam, end, until, since)
    view = ResultView(weights, behind=stretch.behind(character.rig))
    judged = yield from sides.judge_sides_steps(character, both, loop, where, view)

    def wrap(frame: float) -> float:
        """Behind the seam the loop shows its beginning."""
        return frame - cycle.period if frame > seam else frame

    faults = tuple(dataclasses.replace(fault, frame=wrap(fault.frame)) for fault in judged.faults)
    return dataclasses.replace(judged, faults=faults, until=wrap(judged.until))


def window(settings: LoopSettings, stretch: LoopStretch) -> tuple[float, float, float]:
    """Return the first frame of a loop that differs before its seam, the seam, and the last behind it, by the
    share of the blend on either side that ``closes`` says; together no more than a cycle.
    """
    period, fps, share = stretch.cycle.period, stretch.fps, SHARES[settings.closes]
    lasts = methods.blend_seconds(settings.decay, settings.seconds(fps, period / fps)) * fps
    lasts = max(1.0, min(lasts, period))
    before, after = lasts * (share < 1.0), lasts * (share > 0.0)
    most = min(1.0, period / (before + after))
    seam = stretch.result_cycle.end
    return seam - round(most * before), seam, seam + round(most * after)


@record(frozen=True)
class SeamQuality:
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
    """What :func:`inertia_addon.blender.loops.bake.make_loop_steps` made.

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
    quality: SeamQuality | None
    verdict: Verdict | None
    warnings: tuple[str, ...] = ()

    def measured(self) -> dict[str, float | None]:
        """Return what gates look at: "seam" as in :class:`SeamQuality`, and the verdict's
        :func:`verdict.measures`; None for what is not known.
        """
        seam = None if self.quality is None else self.quality.seam
        return {"seam": seam, **verdict.measures(() if self.verdict is None else (self.verdict,))}

    def as_dict(self) -> dict[str, Any]:
        """Return the report's fields as plain JSON values; quality and verdict as dicts, or None."""
        on_seam = None if self.verdict is None else self.verdict.as_dict()
        return {**dataclasses.asdict(self), "verdict": on_seam}
