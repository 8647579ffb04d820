# SPDX-License-Identifier: GPL-3.0-or-later
"""Models: one job for each that is learned, for each path that one follows, and for each crowd."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from ...errors import InertiaError
from ...settings import matching
from ...settings.learned import CrowdSettings, LearnSettings
from ...settings.matching import PathSettings
from ...settings.transition import TransitionSettings
from ...storage import contents, safe_write
from ...tasks.task import words
from ..spec import schema, validation
from ..spec.validation import Path, Problem
from . import outlines
from .job import FOLDER, Job, contents_of
from .outlines import Outline
from .section import Entry, Request, Section, Table, as_floats

if TYPE_CHECKING:
    from .opened import Opened

MODEL = schema.said("the model to follow with, an .npz file from the spec's folder", schema.TEXT)
NPZ = "npz"
LEARNING = "learning"
"""The folder, within that of what runs remember, of models that are being learned."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class LearnJob(Job):
    """A model that is learned."""

    KIND = "model"
    SETTINGS = LearnSettings

    settings: LearnSettings

    @property
    def label(self) -> str:
        """The model for a reader."""
        return f"model {self.outputs[0]}"

    def told(self, report: dict[str, Any]) -> dict[str, Any]:
        """How far it is from its clips."""
        whole = report["check"]["whole"]
        return {name: whole[name] for name in ("joints_cm", "rotations_deg", "contacts")}

    def summary(self, report: dict[str, Any]) -> dict[str, Any]:
        """The settings, what was learned, and how well."""
        return report

    def make(self, opened: Opened, armature: Any, output: FilePath) -> tuple[dict[str, Any], dict[str, Any]]:
        """Train it; a run that comes behind one that was killed goes on from where that had come."""
        from ...blender.data import named
        from ...blender.learned import clips, files
        from ...motion.learned import checking
        from ...motion.learned.training import Training
        from ...motion.steps import finish

        for name in self.outputs:
            files.check_place(output / name)
        actions = named.found_names(self.settings.actions, armature.name)
        settings = dataclasses.replace(self.settings, actions=actions)
        material, skeleton = finish(clips.reading(armature, settings, opened.weights(self, armature)))
        opened.count("playing")
        folder = output / FOLDER / LEARNING
        folder.mkdir(parents=True, exist_ok=True)
        known = contents_of(opened.open(self.inputs).contents)
        draft = folder / f"{self.identity(known)}.npz"
        own = Training(material, settings, skeleton)
        files.taken_up(own, draft)
        model = finish(files.training(own, draft))
        opened.count("learning")
        with files.naming(self.outputs[0]):
            checked = checking.check(model, material)
        opened.count("checking")
        for name in self.outputs:
            files.save_finished(output / name, model)
        safe_write.remove(draft)
        return {
            "settings": settings.as_dict(),
            "clips": list(material.names),
            "frames": material.frames,
            "model_bytes": model.bytes(),
            "terms": model.terms,
            "check": dataclasses.asdict(checked),
        }, {}


@dataclasses.dataclass(frozen=True, kw_only=True)
class FollowJob(Job):
    """A path, followed with a model. model: its file, with its digest; points_digest: of the file of points,
    "" without."""

    KIND = "path with a model"
    SETTINGS = PathSettings

    settings: PathSettings
    model: str
    model_digest: str
    points_digest: str = ""

    @property
    def label(self) -> str:
        """The path for a reader."""
        return f"path along {followed(self.settings)}"

    def identity(self, known: str) -> str:
        """As of all jobs: where the files are does not count, but for their names."""
        points, model = (FilePath(file).name for file in (self.settings.points, self.model))
        settings = dataclasses.replace(self.settings, points=points)
        own = dataclasses.replace(self, settings=settings, model=model)
        return super(FollowJob, own).identity(known)

    def told(self, report: dict[str, Any]) -> dict[str, Any]:
        """How near the path is kept, and by how many projections."""
        return {**{name: report[name] for name in ("path_rms_m", "path_max_m", "cuts")}, **words(report)}

    def summary(self, report: dict[str, Any]) -> dict[str, Any]:
        """The settings, and what a reader has to know of the path."""
        # reports of earlier versions have no joins
        known = ("settings", "model", "frame_range", "cut_frames", "joins", "warnings")
        return {**{name: report[name] for name in known if name in report}, **words(report)}

    def make(self, opened: Opened, armature: Any, output: FilePath) -> tuple[dict[str, Any], dict[str, Any]]:
        """Follow it, and bake that."""
        check_same(self.settings.points, self.points_digest)
        check_same(self.model, self.model_digest)
        from ...blender.judging import verdict
        from ...blender.learned import bake, clips, follow, judged
        from ...blender.matching import followed as courses
        from ...motion.steps import finish

        model = clips.model_of(FilePath(self.model), armature)
        found = finish(follow.following(model, self.settings, courses.course(self.settings), self.model))
        opened.count("following")
        report = finish(bake.baking(armature, found))
        opened.count("baking")
        verdicts = finish(judged.of_report(armature, self.settings, report))
        opened.count("measuring")
        opened.save(self, armature, report, output)
        told = {"settings": self.settings.as_dict(), "model": FilePath(self.model).name}
        told |= {**report.as_dict(), **follow.figures(found), **judged.told(report, verdicts)}
        return told, verdict.measures(verdicts)


@dataclasses.dataclass(frozen=True, kw_only=True)
class CrowdJob(Job):
    """A crowd, with one model. model: its file, with its digest."""

    KIND = "crowd"
    SETTINGS = CrowdSettings

    settings: CrowdSettings
    model: str
    model_digest: str

    @property
    def label(self) -> str:
        """The crowd for a reader."""
        return f"crowd of {len(self.settings.crowd)}"

    def identity(self, known: str) -> str:
        """As of all jobs: where the model is does not count, but for its name."""
        own = dataclasses.replace(self, model=FilePath(self.model).name)
        return super(CrowdJob, own).identity(known)

    def told(self, report: dict[str, Any]) -> dict[str, Any]:
        """How near each one's path is kept."""
        return {"path_rms_m": {one["armature"]: one["path_rms_m"] for one in report["crowd"]}}

    def summary(self, report: dict[str, Any]) -> dict[str, Any]:
        """The settings, and what a reader has to know of each one."""
        return report

    def make(self, opened: Opened, armature: Any, output: FilePath) -> tuple[dict[str, Any], dict[str, Any]]:
        """Have all of them follow their paths, and bake that."""
        check_same(self.model, self.model_digest)
        from ...blender.judging import verdict
        from ...blender.learned import clips, crowd, judged
        from ...motion.steps import finish

        model = clips.model_of(FilePath(self.model), armature)
        those = crowd.walkers(self.settings, model)
        made = finish(crowd.baking(model, those, self.model))
        opened.count("baking")
        opened.save(self, armature, crowd.whole([report for _, report in made]), output)
        verdicts = [
            finish(judged.of_report(one.armature, one.settings, report))
            for one, (_, report) in zip(those, made, strict=True)
        ]
        opened.count("measuring")
        told = [
            {**crowd.figures(one, found), **report.as_dict(), **judged.told(report, seen)}
            for one, (found, report), seen in zip(those, made, verdicts, strict=True)
        ]
        own = {"settings": self.settings.as_dict(), "model": FilePath(self.model).name}
        return {**own, "crowd": told}, verdict.measures([each for seen in verdicts for each in seen])


def check_same(file: str, digest: str) -> None:
    """Raise InertiaError where a file beside the inputs, "" for none, is not what it was."""
    if file and contents.digest(FilePath(file)) != digest:
        raise InertiaError(
            f'"{FilePath(file).name}" has changed since it was looked at; run it with --resume.'
        )


def followed(settings: PathSettings) -> str:
    """What is followed, for a reader and in names."""
    return settings.curve or settings.target or FilePath(settings.points).stem


def path_settings(values: Table) -> PathSettings:
    """How a path is followed, of merged fields. Raises InertiaError for settings that don't go together."""
    blend = {name: values[name] for name in matching.OF_JOINS if name in values}
    own = TransitionSettings.from_dict(as_floats(matching.joined_by({"assign": True, **blend})))
    return PathSettings.of(own, {name: values[name] for name in PATH if name in values})


def follow_job(request: Request, path: Path, values: Table) -> FollowJob:
    """The job of a path with a model, of merged fields. Raises InertiaError as :func:`path_settings` does."""
    settings = path_settings(values)
    common = request.fields(path, values, "along_{path}", {"path": followed(settings)})
    digest = contents.digest(FilePath(settings.points)) if settings.points else ""
    return FollowJob(**common, settings=settings, points_digest=digest, **_model(values))


def _model(values: Table) -> dict[str, Any]:
    """The model of merged fields."""
    return {"model": values["model"], "model_digest": contents.digest(FilePath(values["model"]))}


def _itself(request: Request, outline: Outline, problems: list[Problem]) -> Iterator[Entry]:
    """The one entry of a request."""
    yield request.path, request.values


def _learn_job(request: Request, path: Path, values: Table) -> LearnJob:
    """The job of a model. Raises InertiaError for settings that are none."""
    settings = LearnSettings.of({name: values[name] for name in LEARN if name in values})
    return LearnJob(**request.fields(path, values, "model", {}, NPZ), settings=settings)


def _learn_faults(job: LearnJob, path: Path, armature: Outline, outline: Outline) -> Iterator[Problem]:
    """Names of a job that its inputs do not have."""
    problems: list[Problem] = []
    for name in job.settings.actions:
        outlines.find_action((*path, "actions"), name, armature, outline, problems)
    yield from problems
    bones = TransitionSettings(**matching.joined_by({"root": job.settings.root}))
    yield from outlines.bone_faults(job, bones, path, armature["bones"])


def _crowd_job(request: Request, path: Path, values: Table) -> CrowdJob:
    """The job of a crowd. Raises InertiaError for settings that don't go together."""
    # each follows a path of its own, which this stands for
    settings = CrowdSettings(path_settings({**values, "curve": "crowd"}), tuple(values["crowd"]))
    own = {**values, "armature": settings.members[0].armature, "whole_file": True}
    return CrowdJob(**request.fields(path, own, "crowd", {}), settings=settings, **_model(values))


def _crowd_faults(job: CrowdJob, path: Path, armature: Outline, outline: Outline) -> Iterator[Problem]:
    """Names of a job that its inputs do not have."""
    known = [one["name"] for one in outline["armatures"]]
    for member in job.settings.members:
        if member.armature not in known:
            close = validation.close_names(member.armature, known)
            allowed = f"the armatures {outlines.listed(known, close)}"
            yield Problem((*path, "crowd"), validation.quoted(member.armature), allowed, close)
    yield from outlines.bone_faults(job, job.settings.path.transition, path, armature["bones"])


PATH = schema.settings(PathSettings)
LEARN = schema.settings(LearnSettings)
NOT_OF_MODELS = {"formats", "whole_file"}
NOT_OF_CROWDS = {*NOT_OF_MODELS, "armature", "joints", "weights"}
NOT_SHARED_BY_ALL = {"curve", "target", "points", "points_unit", "points_time", "ground"}
LEARN_ENTRY = schema.table(
    {
        **LEARN,
        **{name: value for name, value in schema.SHARED.items() if name not in NOT_OF_MODELS},
        "name": schema.name("{file}", '"model"'),
    },
    "a model to learn",
)
CROWD_ENTRY = schema.table(
    {
        **{name: value for name, value in schema.EVERY.items() if name in matching.OF_JOINS},
        **{name: PATH[name] for name in sorted(matching.OF_MODELS - NOT_SHARED_BY_ALL)},
        "model": MODEL,
        **schema.settings(CrowdSettings),
        **{name: value for name, value in schema.SHARED.items() if name not in NOT_OF_CROWDS},
        "name": schema.name("{file}", '"crowd"'),
    },
    "a crowd: several armatures of a .blend file, each along a path of its own, all with one model",
    ("model", "crowd"),
)
SECTIONS = (
    Section(
        "learns",
        "model",
        "models to learn, of which each plays a set of actions without them",
        LEARN_ENTRY,
        (schema.INHERITED - {"name"}) & set(LEARN_ENTRY["properties"]),
        lambda table: ("file",),
        _itself,
        _learn_job,
        _learn_faults,
    ),
    Section(
        "crowds",
        "crowd",
        "crowds: many armatures along paths of their own, all with one model, in a .blend file",
        CROWD_ENTRY,
        (schema.INHERITED - {"name"}) & set(CROWD_ENTRY["properties"]),
        lambda table: ("file",),
        _itself,
        _crowd_job,
        _crowd_faults,
        files=("model",),
    ),
)
