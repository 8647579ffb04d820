# SPDX-License-Identifier: GPL-3.0-or-later
"""Models that are learned, and crowds that follow paths with one."""

from __future__ import annotations

from collections.abc import Iterator

from ...settings import matching
from ...settings.learned import CrowdSettings, LearnSettings
from ...settings.matching import PathSettings
from ...settings.transition import TransitionSettings
from ...tasks import learned, paths
from ..spec import schema, validation
from ..spec.validation import Path, Problem
from . import outlines
from .job import Job
from .outlines import Outline
from .section import Entry, Request, Section, Table, as_floats

MODEL = schema.said("the model to follow with, an .npz file from the spec's folder", schema.TEXT)
NPZ = "npz"


def path_settings(values: Table) -> PathSettings:
    """How a path is followed, of merged fields. Raises InertiaError for settings that don't go together."""
    blend = {name: values[name] for name in matching.OF_JOINS if name in values}
    own = TransitionSettings.from_dict(as_floats(matching.joined_by({"assign": True, **blend})))
    return PathSettings.of(own, {name: values[name] for name in PATH if name in values})


def model_of(values: Table) -> dict[str, str]:
    """The model of merged fields, with its digest."""
    return {"model": values["model"], "model_digest": paths.digest_of(values["model"])}


def _itself(request: Request, outline: Outline, problems: list[Problem]) -> Iterator[Entry]:
    """The one entry of a request."""
    yield request.path, request.values


def _learn_job(request: Request, path: Path, values: Table) -> Job:
    """The job of a model. Raises InertiaError for settings that are none."""
    settings = LearnSettings.of({name: values[name] for name in LEARN if name in values})
    return Job(**request.fields(path, values, "model", {}, NPZ), task=learned.Learn(settings))


def _learn_faults(job: Job, path: Path, armature: Outline, outline: Outline) -> Iterator[Problem]:
    """Names of a job that its inputs do not have."""
    problems: list[Problem] = []
    for name in job.settings.actions:
        outlines.find_action((*path, "actions"), name, armature, outline, problems)
    yield from problems
    bones = TransitionSettings(**matching.joined_by({"root": job.settings.root}))
    yield from outlines.bone_faults(job, bones, path, armature["bones"])


def _crowd_job(request: Request, path: Path, values: Table) -> Job:
    """The job of a crowd. Raises InertiaError for settings that don't go together."""
    # each follows a path of its own, which this stands for
    settings = CrowdSettings(path_settings({**values, "curve": "crowd"}), tuple(values["crowd"]))
    own = {**values, "armature": settings.members[0].armature, "whole_file": True}
    task = paths.Crowd(settings, **model_of(values))
    return Job(**request.fields(path, own, "crowd", {}), task=task)


def _crowd_faults(job: Job, path: Path, armature: Outline, outline: Outline) -> Iterator[Problem]:
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
NOT_SHARED_BY_ALL = {"curve", "target", "points", "points_unit", "points_time", "ground", "goals"}
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
TASKS = (learned.Learn, paths.Crowd)
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
