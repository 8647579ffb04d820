# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths: a character that follows one with its clips, or with a model, and a crowd of those."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any, ClassVar, Self

from ..console import output
from ..console.output_files import Output
from ..errors import InertiaError, UsageError
from ..records import record
from ..settings import fields, matching
from ..settings.fields import setting
from ..settings.learned import CrowdSettings
from ..settings.matching import PathSettings
from ..settings.transition import TransitionSettings
from ..storage import contents
from . import pages
from .task import (
    JOINTS,
    PAGE,
    REPORT,
    AskedSettings,
    Done,
    Task,
    Work,
    check_strips,
    headline,
    make_result_option,
    misused,
    transition_of,
    verdict_lines,
)


def followed(settings: PathSettings) -> str:
    """Return what is followed, for a reader and in names."""
    return settings.curve or settings.target or FilePath(settings.points).stem


def digest_of(file: str) -> str:
    """Return the digest of a file beside the inputs; "" for none."""
    return contents.digest(FilePath(file)) if file else ""


def check_same(file: str, digest: str) -> None:
    """Raise InertiaError where a file beside the inputs is not what it was. digest: "" where none was."""
    if digest and contents.digest(FilePath(file)) != digest:
        raise InertiaError(
            f'"{FilePath(file).name}" has changed since it was looked at; run it with --resume.'
        )


FOLLOWED = {"curve", "target", "points"}
"""What there may be one of to follow."""
MODEL = "a model in place of clips"
SPEED = fields.settings(PathSettings)["speed"]


@record(frozen=True)
class PathAsked:
    """What a command asks for in words of its own. model: the file of one, "" for clips."""

    speed: tuple[str, ...] = setting(
        (),
        help=f"{SPEED.help}; constant takes the speed after it",
        metavar=("clips|constant|target", "METRES_PER_SECOND"),
        group=SPEED.group,
    )
    model: str = setting(
        "",
        help="follow with a model that the command learn has written, or with a folder of a game's networks",
        metavar="MODEL",
        reads=True,
        group=MODEL,
    )


@record(frozen=True)
class PathTask(Task):
    """One path, followed. points_digest: of its file of points, "" without."""

    KIND = "path"
    COMMAND = "path"
    HELP = "let a character follow a path with its clips"
    DESCRIPTION = """Let a character follow a path, and write the file.

Motion matching chooses clips, and inertialization joins them. The path is a curve object, an animated object,
or a .csv file of points: x and y in metres, with or without the time in seconds before them. The search knows
the path in advance, so it can look ahead: it follows many hypotheses, each where it really is, and takes the
one that stays nearest to the path with the smoothest joins. --json reports the result: which clips are joined
where, why, and what the next best choices were.

With --model a model that the command learn has written plays instead of the clips; and with --crowd, many
armatures at once, each along a path of its own.

Without -o nothing is baked or written, and the command reports what the search expects."""
    ASKS: ClassVar[tuple[AskedSettings, ...]] = (
        AskedSettings(PathSettings, hidden=("speed", "constant_speed")),
        AskedSettings(PathAsked, ("speed",), extends=False),
        AskedSettings(TransitionSettings, matching.OF_JOINS),
        JOINTS,
        AskedSettings(PathAsked, ("model",)),
        AskedSettings(CrowdSettings, title=MODEL),
    )
    WRITES = (make_result_option(is_needed=False), REPORT, PAGE)
    GATES = ()
    SETTINGS = PathSettings
    EVENT = ("path_rms_m", "path_max_m", "cuts")
    SUMMARY = ("settings", "frame_range", "joins", "quality", "searched", "warnings")

    points_digest: str = ""

    @classmethod
    def of_options(cls, values: Mapping[str, Any]) -> Task:
        """Return the task that options ask for: a PathTask, a FollowTask with --model, or a CrowdTask with
        --crowd as well.

        values: by option name; "armature" and "output" are always there, None where not given. The new action
        is assigned by default; the model's file is made absolute. Raise UsageError for --crowd without
        --model or with --armature, something else to follow, --goals or --html; for --apart without --crowd;
        for a wrong --speed; for options of the clip search with --model; for --strips with an output that is
        no .blend file; for --html without an output or with --strips; and for settings that are out of range
        or don't go together.
        """
        options = dict(values)
        crowd, model = options.get("crowd"), options.get("model")
        if crowd is not None:
            if model is None:
                raise UsageError("--crowd follows with a --model; give one.")
            if options.get(PAGE.name) is not None:
                raise UsageError("--html plays one character; leave it out with --crowd.")
            if FOLLOWED & options.keys() or options["armature"] is not None:
                raise UsageError(
                    "--crowd says who follows what; leave out --armature and what else to follow."
                )
            if "goals" in options:
                raise UsageError("--goals belong to one path; leave them out with --crowd.")
            # each follows a path of its own, which this stands for
            options["curve"] = "crowd"
        elif "apart" in options:
            raise UsageError("--apart is for a --crowd; give one, or leave it out.")
        options |= _speed(options.pop("speed")) if "speed" in options else {}
        blend = {name: options[name] for name in matching.OF_JOINS if name in options}
        transition = transition_of(blend, **matching.joined_by({"assign": True}))
        with misused():
            settings = PathSettings.of(transition, options)
        check_strips(strips=settings.strips, output=options["output"])
        pages.check_page(options)
        if model is None:
            return cls(settings)
        check_of_model(values)
        file = str(FilePath(model).absolute())
        if crowd is None:
            return FollowTask(settings, model=file)
        with misused():
            return CrowdTask(CrowdSettings(settings, tuple(crowd)), file)

    @property
    def label(self) -> str:
        """The path for a reader."""
        return f"path along {followed(self.settings)}"

    def placeless(self) -> Self:
        """Return the path with its file of points by its name alone."""
        points = FilePath(self.settings.points).name
        return dataclasses.replace(self, settings=dataclasses.replace(self.settings, points=points))

    def make(self, work: Work, *, bakes: bool) -> Done:
        """Search the way along the path; bake, measure and judge it if bakes.

        values of the Done always have "settings", "begins_with" ({"action", "mirrored", "frame"}), "joins",
        "warnings" (the search's, then the bake's) and the figures of the way, see :func:`search.figures`,
        such as seconds, cuts (a number), path_rms_m, path_max_m and reached. Each of the joins is a dict, see
        :func:`search.joins`, with frame, from, to, cost, why and more.

        Without bakes these are what the search expects; "verdict" is there only if the way stops before the
        path's end, and measured is {}. With bakes the report is added, and what was measured: path_rms_m and
        path_max_m, in place of the expected ones, apart_rms_m and velocity_change, all four also under
        "quality". Then each join has its "verdict", the whole has the worst, and the search's own figures are
        under "searched". The label is the new action's name; measured has the worst "pop" (m/s), "skate",
        "lift" and "reach" (metres) of the joins.

        notes: the search's warnings. Raise InertiaError if the file of points has changed since points_digest
        was taken, what is followed is not there, no clip fits or nothing can be baked.
        """
        check_same(self.settings.points, self.points_digest)
        from ..blender.judging import verdict
        from ..blender.matching import action_set, bake, quality, search
        from ..blender.matching import followed as courses

        armature, settings = work.armature, self.settings
        course = courses.course(settings)
        analysed = work.run(action_set.analyse_steps(work.character, settings, work.weights()), "analysing")
        way = work.run(search.search_path_steps(analysed, settings, course), "searching")
        searched, joins = search.figures(way), search.joins(way)
        values = {
            "settings": settings.as_dict(),
            **searched,
            "begins_with": search.describe_beginning(way),
            "joins": joins,
            "warnings": [*way.warnings],
        }
        if not bakes:
            if way.stop is not None:
                values["verdict"] = way.stop.as_dict()
            return Done(self.label, values, notes=way.warnings)
        report = work.run(bake.bake_way_steps(armature, way), "baking")
        measured = work.run(quality.measure_path_steps(armature, way, report), "measuring")
        values |= {
            **report.as_dict(),
            **measured.as_dict(),
            "joins": quality.with_verdicts(joins, measured.verdicts),
            "searched": searched,
            "quality": measured.figures(),
            "warnings": [*way.warnings, *report.warnings],
        }
        writes = pages.write_result_page(work, report.result, report.slot)
        return Done(report.result, values, report, verdict.measures(measured.verdicts), way.warnings, writes)

    @staticmethod
    def lines(values: dict[str, Any]) -> list[str]:
        """Return the command's text: a line on nearness to the path with the joins' displacement in mm s a
        second, a line for each goal, the verdict's sentences, and a table with a row for each join.

        values: of make. The table has the frame, from and to (action and frame), the cost with its parts
        (path, facing, join, ahead; no unit), the worst joint and the verdict's first sentence; it is left out
        if there are no joins.
        """
        displaced = 1000.0 * values["displacement_m_s_per_second"]
        (kept, *goals) = _describe_nearness(values, "joins")
        lines = [f"{kept}; joins cost {displaced:.1f} mm s a second", *goals, *verdict_lines(values)]
        rows = [["frame", "from", "to", "cost", "path", "facing", "join", "ahead", "worst joint", "verdict"]]
        for join in values["joins"]:
            parts = [f"{join['why'][name]:.2f}" for name in ("path", "facing", "join", "ahead")]
            ends = _spoken(join["from"]), _spoken(join["to"])
            joint, verdict = join["worst_joint"], headline(join)
            rows.append([f"{join['frame']:g}", *ends, f"{join['cost']:.2f}", *parts, joint, verdict])
        return [*lines, "", *output.table(rows)] if len(rows) > 1 else lines


def check_of_model(values: Mapping[str, Any]) -> None:
    """Raise UsageError for what was given of the search through clips, which means nothing to a model."""
    settings = fields.settings(PathSettings)
    for name in sorted(values.keys() & {each.key for each in settings.values()} - matching.OF_MODELS):
        raise UsageError(f"{settings[name].flag} is for the search through clips; leave it out with --model.")


def _spoken(at: dict[str, Any]) -> str:
    return f"{at['action']} {at['frame']:g}{' mirrored' if at['mirrored'] else ''}"


def _describe_nearness(values: dict[str, Any], joins: str) -> list[str]:
    """Return one line on seconds, number of joins, distance from the path in cm (rms and maximum) and the
    angle from where to face, and one line for each goal.

    values: figures of a path: "seconds", "cuts" (a number), "path_rms_m", "path_max_m", "heading_deg", None
    to leave the angle out, and "goals", which may be missing. A goal is a dict: "seconds", its time; "off_m",
    how far from it the character is then, said in cm; "place", one number, metres along the path; and
    "aside_deg", how many degrees aside it faces. joins: the word for what is counted, such as "joins".
    """
    heading = values["heading_deg"]
    aside = "" if heading is None else f"; facing {heading:.1f} degrees aside"
    near = f"path {100.0 * values['path_rms_m']:.1f} cm rms, {100.0 * values['path_max_m']:.1f} cm at most"
    goals = [
        f"after {goal['seconds']:.2f} s, {100.0 * goal['off_m']:.1f} cm from the goal at "
        f"{goal['place']:.2f} m, facing {goal['aside_deg']:.1f} degrees aside"
        for goal in values.get("goals", ())
    ]
    return [f"{values['seconds']:.1f} s, {values['cuts']} {joins}; {near}{aside}", *goals]


def _speed(words: list[str]) -> dict[str, Any]:
    """Return the settings that the words of --speed stand for: {"speed": kind}, or with "CONSTANT"
    "constant_speed", too, in metres per second.

    words: at least one. The first is the kind, one of SPEEDS ("AUTO", "CLIPS", "CONSTANT" or "TARGET"), in
    any case. The second is the number, which "CONSTANT" needs and no other kind takes. Raise UsageError for
    an unknown kind, a missing or needless word, or one that is no number; its range is not checked here.
    """
    kind = SPEED.choice(words[0])
    wanted = 2 if kind == "CONSTANT" else 1
    if kind not in SPEED.choices or len(words) != wanted:
        raise UsageError('--speed takes "clips", "target", or "constant" and the metres per second.')
    if wanted == 1:
        return {"speed": kind}
    try:
        return {"speed": kind, "constant_speed": float(words[1])}
    except ValueError as error:
        raise UsageError(f'"{words[1]}" is no speed in metres per second.') from error


@record(frozen=True)
class _ModelTask(Task):
    """What a model plays. model: its file, with its digest."""

    model: str = ""
    model_digest: str = ""

    def places(self) -> dict[str, str]:
        """Return where the model is."""
        return {"model": self.model}

    def placeless(self) -> Self:
        """Return the task with its files by their names alone."""
        return dataclasses.replace(super().placeless(), model=FilePath(self.model).name)


@record(frozen=True)
class FollowTask(_ModelTask, PathTask):
    """A path, followed with a model."""

    KIND = "path with a model"
    COMMAND = ""
    # reports of earlier versions have no joins
    SUMMARY = ("settings", "model", "frame_range", "cut_frames", "joins", "warnings")

    def resolved(self, armature: str) -> Self:
        """Return the path itself: it names no actions."""
        return self

    def make(self, work: Work, *, bakes: bool) -> Done:
        """Follow the path with the model; bake and judge it if bakes.

        values of the Done: "settings", "model" (the file's name), "warnings" (the model's, with bakes also
        the bake's) and the figures of the way: seconds, cuts (how many jumps), cuts_per_second, path_rms_m,
        path_max_m, heading_deg (None if it may face anywhere), with goals "goals". With bakes the report's
        values come along ("result", "slot", "frame_range", "cut_frames", "keys", "assigned"), "joins" (dicts
        of frame and verdict) and "verdict", the worst; the label is the new action's name, and measured has
        the worst "pop" (m/s), "skate", "lift" and "reach" (metres) of the joins. Without bakes there is no
        report and measured is {}.

        notes: the model's warnings. Raise InertiaError if the file of points or the model has changed since
        its digest was taken, the model can't be read or does not fit the armature, what is followed is not
        there, or nothing can be baked.
        """
        check_same(self.settings.points, self.points_digest)
        check_same(self.model, self.model_digest)
        from ..blender.judging import verdict
        from ..blender.learned import bake, clips, follow
        from ..blender.matching import followed as courses

        armature, settings = work.armature, self.settings
        model = clips.model_of(FilePath(self.model), work.character)
        steps = follow.follow_course_steps(model, settings, courses.course(settings), self.model)
        way = work.run(steps, "following")
        notes = way.warnings
        values = {"settings": settings.as_dict(), "model": FilePath(self.model).name, "warnings": [*notes]}
        if not bakes:
            return Done(self.label, {**values, **follow.figures(way)}, notes=notes)
        report = work.run(bake.bake_path_steps(armature, way), "baking")
        verdicts = work.run(bake.judge_report_steps(work.character, settings, report), "measuring")
        values |= {**report.as_dict(), **follow.figures(way), **bake.joins_told(report, verdicts)}
        values["warnings"] = [*notes, *report.warnings]
        writes = pages.write_result_page(work, report.result, report.slot)
        return Done(report.result, values, report, verdict.measures(verdicts), notes, writes)

    @staticmethod
    def lines(values: dict[str, Any]) -> list[str]:
        """Return lines on how the model has followed its path, see :func:`_describe_nearness`, then the
        verdict's sentences.
        """
        return [*_describe_nearness(values, "projections"), *verdict_lines(values)]


@record(frozen=True)
class CrowdTask(_ModelTask):
    """A crowd, with one model."""

    KIND = "crowd"
    WRITES = PathTask.WRITES
    GATES = ()
    SETTINGS = CrowdSettings
    SUMMARY = ("settings", "model", "crowd")

    def outputs(self, wanted: Mapping[str, FilePath]) -> list[Output]:
        """Return what the command is to write: only a .blend file holds several armatures."""
        blend, *others = super().outputs(wanted)
        return [dataclasses.replace(blend, endings=(".blend",)), *others]

    @property
    def armature(self) -> str:
        """The first of the crowd."""
        armature: str = self.settings.members[0].armature
        return armature

    @property
    def label(self) -> str:
        """The crowd for a reader."""
        return f"crowd of {len(self.settings.crowd)}"

    def make(self, work: Work, *, bakes: bool) -> Done:
        """Have each member follow its path with the one model; bake and judge all of them if bakes.

        values of the Done: "settings", "model" (the file's name), "nearest_m" (how near the hips of any two
        come, metres, None for one member) and "crowd": for each member in order a dict of "armature",
        "followed" (the name of its curve or target) and the figures of :func:`follow.figures`, such as
        seconds, cuts, path_rms_m and path_max_m. Without bakes there is no report, and notes are the model's
        warnings, then one on members that come too near, if so.

        With bakes each member's dict also has its report's values, "joins" (dicts of frame and verdict) and
        "verdict", the worst of these. The report is that of the whole crowd, whose values stand beside
        "crowd": the first member's action and cuts, the frames from the first to the last of all, the sum of
        their keys, all their warnings, and assigned if all are. Notes are the model's warnings alone, and
        measured has the worst "pop" (m/s), "skate", "lift" and "reach" (metres) of all members' joins. Raise
        InertiaError if the model has changed since its digest was taken, can't be read or does not fit, or a
        member's armature or path can't be used.
        """
        check_same(self.model, self.model_digest)
        from ..blender.judging import verdict
        from ..blender.learned import bake, clips, crowd, follow

        model = clips.model_of(FilePath(self.model), work.character)
        walkers = crowd.walkers(self.settings, model)
        values = {"settings": self.settings.as_dict(), "model": FilePath(self.model).name}
        if not bakes:
            ways = work.run(crowd.follow_all_steps(model, walkers, self.model), "following")
            figures = [*map(crowd.figures, walkers, ways)]
            warning = crowd.warning(walkers, ways)
            values |= {**crowd.describe_nearest(ways), "crowd": figures}
            notes = (*follow.warnings_of(model), *([warning] if warning else []))
            return Done(self.label, values, notes=notes)
        baked_ways = work.run(crowd.bake_crowd_steps(model, walkers, self.model), "baking")
        members: list[dict[str, Any]] = []
        verdicts: list[Any] = []
        for walker, (way, report) in zip(walkers, baked_ways, strict=True):
            judgements = work.run(
                bake.judge_report_steps(walker.character, walker.settings, report), "measuring"
            )
            verdicts += judgements
            members.append(
                {**report.as_dict(), **crowd.figures(walker, way), **bake.joins_told(report, judgements)}
            )
        whole = crowd.whole([report for _, report in baked_ways])
        values |= crowd.describe_nearest([way for way, _ in baked_ways])
        measured = verdict.measures(verdicts)
        values |= {**whole.as_dict(), "crowd": members}
        return Done(self.label, values, whole, measured, follow.warnings_of(model))

    def event(self, values: dict[str, Any]) -> dict[str, Any]:
        """Return how near each one's path is kept."""
        return {"path_rms_m": {member["armature"]: member["path_rms_m"] for member in values["crowd"]}}

    @staticmethod
    def lines(values: dict[str, Any]) -> list[str]:
        """Return lines on how each one has followed its path: how near the hips of two come, in cm, if that
        is known, then one line for each member.
        """
        near = values["nearest_m"]
        lines = [] if near is None else [f"The hips of no two come nearer than {100.0 * near:.0f} cm."]
        return lines + [
            f"{member['armature']} along {member['followed']}: {' '.join(FollowTask.lines(member))}"
            for member in values["crowd"]
        ]
