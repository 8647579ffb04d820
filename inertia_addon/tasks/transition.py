# SPDX-License-Identifier: GPL-3.0-or-later
"""Transitions, at a cut that is given or at the best one."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Self

from ..settings.cost import Search
from ..settings.transition import TransitionSettings
from .task import Done, Task, words

if TYPE_CHECKING:
    from ..blender.cost.costing import Pair
    from ..blender.evaluation.joint_motion import Motion
    from .work import Work


@dataclasses.dataclass(frozen=True)
class Searched:
    """What a transition leaves to a search.

    cut, destination_frame: whether each is searched. first, last: the range of cuts, None for the
    source's own. keep_frames: how many frames of the destination are left after the cut. by: what the best
    is, see :class:`Search`.
    """

    cut: bool
    destination_frame: bool
    first: float | None = None
    last: float | None = None
    keep_frames: float = Search.keep_frames
    skate_weight: float = Search.skate_weight
    by: str = Search.by


@dataclasses.dataclass(frozen=True)
class Transition(Task):
    """One transition. searched: what is found first, None for nothing; the settings hold placeholders."""

    KIND = "transition"
    SETTINGS = TransitionSettings
    SUMMARY = ("settings", "window", "until", "warnings")

    searched: Searched | None = None

    @property
    def label(self) -> str:
        """The transition for a reader."""
        cut = "best cut" if self.searched and self.searched.cut else f"cut {self.settings.cut:g}"
        return f"{self.settings.source} to {self.settings.destination}, {cut}"

    def told(self, values: dict[str, Any]) -> dict[str, Any]:
        """Where the two meet, and what a reader has to know of the bake."""
        where = {name: values["settings"][name] for name in ("cut", "destination_frame")}
        return {**where, **words(values), "warnings": list(values["warnings"])}

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON values; what a search was like before it could be told is not named."""
        values = super().as_dict()
        if self.searched is not None and not self.searched.skate_weight:
            del values["searched"]["skate_weight"]
        if self.searched is not None and self.searched.by == "COST":
            del values["searched"]["by"]
        return values

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """The inverse of :meth:`as_dict`."""
        searched = values["searched"]
        if searched is not None:
            searched = Searched(**{"by": "COST", **searched})
        return super().from_dict({**values, "searched": searched})

    def found(self, armature: str) -> Self:
        """The transition, with the names of its actions as the file has them."""
        from ..blender.data import named

        return dataclasses.replace(self, settings=named.with_found_names(self.settings, armature))

    def make(self, work: Work, bakes: bool) -> Done:
        """Bake it at its cut, or at the best one, and judge and measure it."""
        from ..blender.cost import costing, quality
        from ..blender.evaluation import playback
        from ..blender.judging import verdict
        from ..blender.transition import bake

        armature, settings = work.armature, self.settings
        pair = costing.read_pair(armature, settings, work.reading)
        work.count("baking")
        with playback.together():
            motions = work.run(costing.motions(armature, pair, work.evaluated), "searching")
        weights = work.weights()
        settings, notes = self._met(work, pair, motions, weights)
        plan = bake.plan_clips(armature, settings, pair.source, pair.destination)
        report = bake.write_plan(plan)
        report = dataclasses.replace(report, warnings=(*report.warnings, *notes))
        work.count("baking")
        compared = costing.compare(settings, pair.alignment, weights, motions, plan.fps)
        judged = work.run(verdict.of_played(plan.played), "measuring")
        meeting = plan.settings.cut, plan.settings.cut - plan.played.later
        measured = quality.of(compared.by_bone(*meeting), [judged])
        work.count("measuring")
        values = {**report.as_dict(), "verdict": judged.as_dict()}
        return Done(report.result, values, report, dataclasses.asdict(measured))

    def _met(
        self,
        work: Work,
        pair: Pair,
        motions: tuple[Motion, Motion],
        weights: dict[str, float],
    ) -> tuple[TransitionSettings, list[str]]:
        """Settings with the cut and the destination frame that are best, as far as these are searched.

        Returned, too, are sentences about clips of which not every frame was looked at, and what was not
        judged.
        """
        from ..blender.cost import candidates, costing, meetings, prediction
        from ..blender.data import scene

        armature, settings = work.armature, self.settings
        searched, names = self.searched, [clip.action.name for clip in pair.clips]
        if searched is None:
            return settings, meetings.sampled(names, motions)
        skate_weight = searched.skate_weight
        plants = work.run(prediction.plants(armature, pair.destination, skate_weight), "searching")
        compared = costing.compare(
            settings, pair.alignment, weights, motions, scene.fps(), plants, skate_weight
        )
        search = Search(searched.first, searched.last, searched.keep_frames, by=searched.by)
        entry = pair.destination.start if settings.destination_frame is None else settings.destination_frame
        given = None if searched.cut else settings.cut, None if searched.destination_frame else entry
        steps = candidates.best(armature, settings, pair.clips, compared, search, given=given)
        (best,) = work.run(steps, "searching")
        settings = dataclasses.replace(settings, cut=best.cut, destination_frame=best.destination_frame)
        notes = meetings.sampled(names, motions, search if given == (None, None) else None)
        return settings, [*notes, *candidates.notes(armature, pair.clips, [best], search.by)]
