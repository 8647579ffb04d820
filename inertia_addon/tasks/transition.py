# SPDX-License-Identifier: GPL-3.0-or-later
"""Transitions, at a cut that is given or at the best one."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from ..errors import UsageError
from ..records import record
from ..settings import fields
from ..settings.cost import Search
from ..settings.fields import setting
from ..settings.transition import TransitionSettings
from . import pages
from .task import (
    PAGE,
    REPORT,
    AskedSettings,
    Done,
    Task,
    Work,
    check_strips,
    make_result_option,
    transition_of,
    usual_of,
    verdict_lines,
    verdict_of,
)

if TYPE_CHECKING:
    from ..blender.cost.costing import Pair
    from ..blender.evaluation.joint_motion import JointMotion
    from ..blender.judging.played import Footage


@record(frozen=True)
class MeetingSearch:
    """What a transition leaves to a search.

    cut, destination_frame: whether each is searched. first, last: the range of cuts, None for the
    source's own. keep_frames: how many frames of the destination are left after the cut. All else is as in
    :class:`Search`.
    """

    cut: bool
    destination_frame: bool
    first: float | None = None
    last: float | None = None
    keep_frames: float = Search.keep_frames
    skate_weight: float = Search.skate_weight
    by: str = Search.by
    before_seconds: float = Search.before_seconds
    behind_seconds: float = Search.behind_seconds


@record(frozen=True)
class TransitionTask(Task):
    """One transition. searched: what is found first, None for nothing; the settings hold placeholders."""

    KIND = "transition"
    SETTINGS = TransitionSettings
    SUMMARY = ("settings", "window", "until", "warnings")

    searched: MeetingSearch | None = None

    @property
    def label(self) -> str:
        """The transition for a reader."""
        cut = "best cut" if self.searched and self.searched.cut else f"cut {self.settings.cut:g}"
        return f"{self.settings.source} to {self.settings.destination}, {cut}"

    def event(self, values: dict[str, Any]) -> dict[str, Any]:
        """Return "cut" and "destination_frame", where the two meet, the verdict's sentences if there is one,
        and "warnings".
        """
        meeting = {name: values["settings"][name] for name in ("cut", "destination_frame")}
        return {**meeting, **verdict_of(values), "warnings": list(values["warnings"])}

    def as_dict(self) -> dict[str, Any]:
        """Return the task as JSON values, for recipes and for the key of a batch's results.

        Settings of the search that came later are left out at these values, so that earlier results still
        match: skate_weight 0, by "COST", and before_seconds and behind_seconds 0.
        """
        values = super().as_dict()
        if self.searched is not None and not self.searched.skate_weight:
            del values["searched"]["skate_weight"]
        if self.searched is not None and self.searched.by == "COST":
            del values["searched"]["by"]
        for name in ("before_seconds", "behind_seconds") if self.searched is not None else ():
            if not values["searched"][name]:
                del values["searched"][name]
        return values

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """Return the task of which :meth:`as_dict` made these values.

        What is missing in "searched" has its default, but "by" is "COST". Raise InertiaError for an unknown
        or wrong setting of the transition, TypeError for an unknown one of the search, KeyError where
        "searched" or "settings" is missing.
        """
        searched = values["searched"]
        if searched is not None:
            searched = MeetingSearch(**{"by": "COST", **searched})
        return super().from_dict({**values, "searched": searched})

    def make(self, work: Work, *, bakes: bool) -> Done:
        """Find the best cut or entry if the task's searched is set, bake the transition, judge and measure
        it.

        bakes is ignored: an action is always made, and the label is its name. Without a search the entry is
        still looked for where the settings ask for that. values of the Done are the report as a dict, to
        whose warnings the search's notes are added, and "verdict" (a dict). The Done has that report, and no
        notes. measured, for gates, is a dict of cost (metre seconds, at the cut that was taken), bone (which
        adds most to it) and share (its part, 0 to 1), and of the verdict's pop (at the cut, m/s), skate (None
        where nothing can be said of feet), lift and reach (metres). Raise InertiaError if the actions can't
        be read or searched, or the transition can't be baked.
        """
        from ..blender.cost import costing
        from ..blender.evaluation import playback
        from ..blender.judging import verdict
        from ..blender.transition import bake

        armature, settings = work.armature, self.settings
        pair = costing.read_pair(armature, settings, work.reading, work.find_cycle)
        work.count("baking")
        with playback.together():
            motions = work.run(costing.motions(armature, pair, work.evaluated), "searching")
        weights = work.weights()
        settings, notes = self._at_best(work, pair, motions, weights)
        plan = bake.plan_clips(work.character, settings, pair.source, pair.destination)
        report = bake.write_plan(plan)
        report = dataclasses.replace(report, warnings=(*report.warnings, *notes))
        work.count("baking")
        compared = costing.compare(settings, pair.alignment, weights, motions, plan.fps)
        judged = work.run(verdict.of_played(plan.evidence), "measuring")
        cut = plan.settings.cut
        measured = costing.quality(compared.by_bone(cut, cut - plan.evidence.later), [judged])
        work.count("measuring")
        values = {**report.as_dict(), "verdict": judged.as_dict()}
        return Done(report.result, values, report, dataclasses.asdict(measured))

    def _at_best(
        self, work: Work, pair: Pair, motions: tuple[JointMotion, JointMotion], weights: dict[str, float]
    ) -> tuple[TransitionSettings, list[str]]:
        """Return the settings with the cut and destination frame that were found, and notes for the reader.

        motions: of source and destination, on whole frames. weights: by bone. Without a search only the entry
        is found, as the settings ask; with one, what it does not search stays fixed: the cut, and the
        destination frame (the clip's first where it is None). Notes say of which clips not every frame was
        looked at, and what was not judged. Raise InertiaError where nothing is found.
        """
        from ..blender.cost import candidates, costing, meetings
        from ..blender.transition import entering

        settings = self.settings
        searched, names = self.searched, [clip.action.name for clip in pair.clips]
        if searched is None:
            entered = entering.find_entry(work.character, settings, pair.clips)
            return work.run(entered, "looking for an entry"), meetings.sampled(names, motions)
        skate_weight = searched.skate_weight
        plants = work.run(costing.plants_of(work.character, pair.destination, skate_weight), "searching")
        skating = costing.WeighedSkate(plants, skate_weight)
        compared = costing.compare_pair(pair, settings, weights, motions, skating)
        search = Search(
            first=searched.first,
            last=searched.last,
            keep_frames=searched.keep_frames,
            before_seconds=searched.before_seconds,
            behind_seconds=searched.behind_seconds,
            by=searched.by,
        )
        entry = pair.destination.start if settings.destination_frame is None else settings.destination_frame
        fixed = None if searched.cut else settings.cut, None if searched.destination_frame else entry
        steps = candidates.best(
            work.character,
            settings,
            pair.clips,
            compared,
            search,
            candidates.WantedPairs(fixed=fixed),
        )
        (best,) = work.run(steps, "searching")
        settings = dataclasses.replace(settings, cut=best.cut, destination_frame=best.destination_frame)
        notes = meetings.sampled(names, motions, search if fixed == (None, None) else None)
        return settings, [*notes, *candidates.notes([best], search.by)]


POSES = tuple((name, "", "") for name in ("REST", "MOTION"))


@record(frozen=True)
class BakeTask(TransitionTask):
    """One transition between actions, or from the pose that the file shows. from_pose: "" for none, else at
    rest or with its motion. helps: whether to look for what would look better, which takes about ten times as
    long as the bake. frame: the cut that is given, None for that of the pose."""

    COMMAND = "bake"
    HELP = "bake a transition between two actions"
    DESCRIPTION = """Bake an inertialized transition between two actions of an armature, and write the file.

A .blend file keeps everything, the two actions as they were and the new one. The other kinds hold the
character with the new action alone, over its own frames, with a key on every frame: in .glb, .gltf and
.bvh files it begins at the file's beginning, in .fbx files at its own frame. Frames are scene frames; in
what is imported, .bvh and .fbx clips begin at frame 1 and .glb clips at frame 0.

The output takes its place only when it is complete; when something fails, an old one stays as it was.
Exit codes: 0 done, 1 failed, 2 wrong usage."""
    ASKS = (AskedSettings(TransitionSettings, optional=("source", "cut")),)
    WRITES = (make_result_option(is_needed=True), REPORT, PAGE)

    from_pose: str = setting(
        "",
        POSES,
        "start from the pose that a .blend file shows, instead of --source: at rest, or with the motion of "
        "the assigned action there; --cut says at which frame (default: the one that the file shows)",
        group="a pose in place of a source",
    )
    helps: bool = setting(
        default=False,
        help="where the result is not good, also look for changes that would look better, which takes about "
        "ten times as long",
        group="judging",
    )
    frame: float | None = None

    @classmethod
    def of_options(cls, values: Mapping[str, Any]) -> Task:
        """Return the BakeTask that the command's options ask for.

        values: by option name, without those that were not given; "output" is always there. What is not given
        has the command's own default where there is one, see :func:`usual_of`. With --from-pose the source is
        "" until the pose is read, and so is the cut 0.0 unless --cut was given. frame is the cut that was
        given, None without. Raise UsageError if --source or --cut is missing without --from-pose; for
        --source with --from-pose; for --strips with an output that is no .blend file; for --html without an
        output or with --strips; and for settings that are out of range or don't go together.
        """
        missing = [f"--{name}" for name in ("source", "cut") if name not in values]
        if "from_pose" not in values and missing:
            raise UsageError(f"the following arguments are required: {', '.join(missing)}")
        if "from_pose" in values and "source" in values:
            raise UsageError("--from-pose is in place of --source; give one of them.")
        usual = {**usual_of(values), **({"source": "", "cut": 0.0} if missing else {})}
        settings = transition_of(values, **usual)
        check_strips(strips=settings.strips, output=values["output"])
        pages.check_page(values)
        frame = settings.cut if "cut" in values else None
        return cls(settings, frame=frame, **fields.parsed(cls, values))

    def resolved(self, armature: str) -> Self:
        """Return the task with the names of its actions as the file has them, and from a pose with that as
        its source.

        With from_pose, the pose that the file shows is kept as an action of the open file: as a new one, or
        in place of the pose that was kept last, unless something was baked from that. The action and its slot
        become the source, of the open file and at its own speed; the cut becomes its scene frame: that of
        --cut (the task's frame), which the scene is set to and stays at, else the scene's own. Only the
        settings of the result differ: from_pose and frame stay as they are. With "MOTION" the pose keeps the
        speed that it has. armature: its name. Raise InertiaError for names that fit nothing, or a pose that
        can't be kept; the scene may have been set to the frame by then.
        """
        if not self.from_pose:
            return super().resolved(armature)
        from ..blender.data import names
        from ..blender.transition import pose_clips

        settings = pose_clips.from_shown(
            names.find_armature(armature), self.settings, self.frame, moves=self.from_pose == "MOTION"
        )
        return dataclasses.replace(self, settings=settings)

    def make(self, work: Work, *, bakes: bool) -> Done:
        """Bake the transition and judge it; with helps, look for changes that would look better, too.

        bakes is ignored: an action is always made. A destination frame that the settings leave open is looked
        for first. A page is written if it is wanted. values of the Done: the report as a dict with "verdict"
        (a dict) and, with helps, "helps" (a list of dicts). Its notes are the report's notes and warnings
        and, if the action was not assigned, why. Raise InertiaError if it can't be baked.
        """
        from ..blender.judging.played import Footage
        from ..blender.transition import bake, entering

        footage = Footage()
        looking = entering.entered(work.armature, self.settings, footage)
        settings = work.run(looking, "looking for an entry")
        plan, judged = plan_and_judge(work, settings, helps=self.helps, footage=footage)
        report = bake.write_plan(plan, spends_plan=True)
        values = {**report.as_dict(), **judged}
        notes = (*report.notes, *report.warnings, report.not_assigned_because)
        writes = pages.write_result_page(work, report.result, report.slot)
        return Done(report.result, values, report, notes=tuple(filter(None, notes)), writes=writes)

    @staticmethod
    def messages(values: dict[str, Any]) -> list[str]:
        """Return what the command says, as lines: what was made and where it is written; the verdict's
        sentences, on one line; and, if there are remedies, the line "what helps:" and one indented line for
        each.

        values: of make, with "output". Without "helps" and with faults, the second line ends with a hint at
        --helps. The second line is "" without a verdict's sentences.
        """
        seen = verdict_lines(values)
        if "helps" not in values and values["verdict"]["faults"]:
            seen = [*seen, "--helps looks for changes that would look better."]
        lines = [describe_bake(values, values["output"]), " ".join(seen)]
        helps = [f"  {remedy['words']}" for remedy in values.get("helps", ())]
        return [*lines, *["what helps:"] * bool(helps), *helps]


def plan_and_judge(
    work: Work, settings: TransitionSettings, *, helps: bool = True, footage: Footage | None = None
) -> tuple[Any, dict[str, Any]]:
    """Plan a transition and judge it; return the plan and what is found, as JSON values. Nothing is baked.

    helps: whether to look for changes of settings that would look better, too. The values are "verdict", a
    dict, and with helps "helps", a list of dicts. footage: of the same two clips, from before, so that they
    are read but once; None for none. Raise InertiaError for a transition that can't be baked.
    """
    from ..blender.judging import verdict
    from ..blender.transition import bake
    from ..blender.transition.meeting import PlanOptions

    options = PlanOptions(footage=footage)
    plan = work.run(bake.plan_transition_steps(work.armature, settings, options), "planning")
    judged = work.run(verdict.of_played(plan.evidence), "judging")
    values: dict[str, Any] = {"verdict": judged.as_dict()}
    if helps:
        remedies = work.run(bake.find_remedies_steps(plan, judged), "looking for what helps")
        values["helps"] = [remedy.as_dict() for remedy in remedies]
    return plan, values


def describe_bake(report: Mapping[str, Any], file: object) -> str:
    """Say what was baked, in one sentence: the result's frames, those of the blend, until when feet are led
    where that is later, keys, bones and file. report: as JSON values.
    """
    (first, last), (begin, end) = report["frame_range"], report["window"]
    held = f", feet up to {report['until']:g}" if report["until"] > end else ""
    return (
        f'"{report["result"]}" runs from frame {first:g} to {last:g} and blends from {begin:g} to {end:g}'
        f"{held} ({report['keys']} keys on {report['bones']} bones); it is written to {file}."
    )
