# SPDX-License-Identifier: GPL-3.0-or-later
"""What a job is known by: all that it asks for and its inputs hold, and nothing else. So what is there is not
made again, and what has changed is."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from inertia_addon.batch.jobs import requests
from inertia_addon.batch.jobs.job import Inputs, Job, contents_of
from inertia_addon.batch.work.journal import Journal
from inertia_addon.errors import InertiaError
from inertia_addon.settings import fields
from inertia_addon.settings.fields import Setting

PAIR = {"source": "Walk", "destination": "Run"}
BEST, ENTRY = {"cut": "best", "by": "cost"}, {"cut": 9, "destination_frame": "best", "by": "cost"}
OUTLINE = {
    "armatures": [
        {
            "name": "Rig",
            "bones": ["Hips", "Head"],
            "actions": [
                {
                    **{"name": name, "slot": "OBRig", "start": 1.0, "end": 40.0},
                    **{"is_result": False, "kind": "", "problem": ""},
                }
                for name in ("Run", "Walk")
            ],
        }
    ],
    "actions": ["Run", "Walk"],
}
SPEC = {
    "files": ["rig.blend"],
    "weights": {"Hips": 2, "Head": 1},
    "transitions": [
        {**PAIR, "cut": 7},
        {**PAIR, **BEST, "range": [5, 20], "half_life": 0.2, "bones": ["Head"], "name": "best"},
        {**PAIR, **ENTRY, "blend_scales": {"Head": 2}, "name": "entry"},
        {**PAIR, "cut": 7, "files": ["a.bvh", "b.bvh"], "scale": 0.01, "armature": "Rig", "name": "c"},
    ],
    "state_machines": [
        {"clips": "all", "blend_frames": 8, "whole_file": True, "name": "{source}", "by": "cost"}
    ],
    "hops": [{**PAIR, "trigger": [7, 9], "cycles": ["Walk"], "blend_frames": [8, 20], "joints": "all"}],
    "hop_tables": [
        {**PAIR, "longest_stay": 5, "formats": ["json", "npz"]},
        {"all_pairs": "all", "distance": "DISPLACEMENT", "name": "all"},
    ],
    "loops": [{"action": "Walk", "range": [3, 30], "find": True, "half_life": 0.2}, {"action": "Run"}],
    "checks": [{"action": "Walk", "slot": "OBRig"}],
    "feet": [{"action": "Walk", "hips_drop": 0, "ground": "PLANE", "ground_height": 0.2}],
    "travels": [{"action": "Walk", "on": "hips", "speed": 1.3}, {"action": "Run", "in_place": True}],
    "updates": [{"action": "Walk"}],
    "pops": [{"action": "Walk", "strictness": 8, "formats": ["json", "bvh"]}],
    "finishes": [{"action": "Walk", "leave": ["skate", "pop:head@3"], "feet": "HEIGHT", "formats": ["json"]}],
    "paths": [
        {"curve": "Street", "actions": ["Walk", "Run"], "faithful": 0.3, "blend_frames": 8},
        {"target": "Ball", "model": "walker.npz", "warp": False, "blend_frames": 8},
    ],
    "takes": [
        {"input": "wishes.csv", "start": "1,2,90", "blend_frames": 8},
        {"input": "wishes.csv", "filter_half_life": 0.2, "clamp": False, "name": "calm"},
    ],
    "learns": [{"actions": ["Walk", "Run"], "mirror": True, "iterations": 100, "licence": "CC0"}],
    "crowds": [{"model": "walker.npz", "crowd": ["Rig=Street"], "facing": "FREE", "feet": "OFF"}],
    "fills": [{**PAIR, "cut": 7, "destination_frame": 9, "gap_frames": 30, "at": "1,2,90"}],
    "matrices": [{"sources": ["Walk"], "by": "cost", "blend_frames": 8}],
    "databases": [{"actions": ["Walk"], "mirror": True}],
}


def jobs_in(folder: Path, spec: dict[str, Any] = SPEC) -> list[Job]:
    """The jobs of a spec in a folder."""
    folder.mkdir(exist_ok=True)
    for name in ("rig.blend", "a.bvh", "b.bvh", "walker.npz"):
        (folder / name).write_text("")
    (folder / "wishes.csv").write_text("0,0,0\n2,1.25,0\n5,0,0\n")
    path = folder / "spec.json"
    path.write_text(json.dumps(spec))
    asked = requests.requests_of(requests.read_spec(path))
    expanded = requests.expand(asked, {request.inputs: OUTLINE for request in asked})
    assert expanded.problems == []
    return expanded.jobs


@pytest.fixture
def jobs(tmp_path: Path) -> list[Job]:
    return jobs_in(tmp_path)


def turned(values: Any) -> Any:
    """JSON values with the fields of each table in the other order."""
    if isinstance(values, dict):
        return {name: turned(value) for name, value in reversed(values.items())}
    return [turned(value) for value in values] if isinstance(values, list) else values


def identities(jobs: list[Job], contents: str = contents_of({"/somewhere/rig.blend": "0" * 64})) -> list[str]:
    return [job.identity(contents) for job in jobs]


def test_jobs_are_each_known_by_themselves(jobs: list[Job]) -> None:
    assert len(set(identities(jobs))) == len(jobs)
    assert not set(identities(jobs)) & set(identities(jobs, "others"))


def test_a_jobs_identity_depends_on_neither_folder_nor_order_of_fields(
    jobs: list[Job], tmp_path: Path
) -> None:
    lists = [name for name in SPEC if name != "files"]
    spec = {"files": SPEC["files"], **{name: turned(SPEC[name]) for name in lists}}
    assert identities(jobs_in(tmp_path / "moved", spec)) == identities(jobs)


def others(setting: Setting, value: Any) -> list[Any]:
    """Other values of a setting; none of lists, names and files."""
    if isinstance(setting.default, tuple):
        return []
    if setting.items:
        return [choice for choice in setting.choices if choice != value]
    if isinstance(setting.default, bool):
        return [not value]
    return [setting.range.least, setting.range.most] if setting.range is not None else []


def test_every_setting_counts(jobs: list[Job]) -> None:
    """Of each job every number, choice and switch: a setting that is added must count, too."""
    for job in jobs:
        known = job.identity("")
        for name, setting in fields.settings(type(job.settings)).items():
            if getattr(job.task.placeless().settings, name, None) != getattr(job.settings, name):
                continue
            for value in others(setting, getattr(job.settings, name)):
                # what a record refuses is nothing that a job can ask for
                with contextlib.suppress(InertiaError):
                    settings = dataclasses.replace(job.settings, **{name: value})
                    task = dataclasses.replace(job.task, settings=settings)
                    if settings != job.settings:
                        assert dataclasses.replace(job, task=task).identity("") != known, (job.label, name)


def test_a_judged_pair_is_another_job_than_one_found_by_cost(tmp_path: Path) -> None:
    (tmp_path / "rig.blend").write_text("")
    found = []
    for by in ({"by": "cost"}, {}):
        path = tmp_path / "spec.json"
        path.write_text(json.dumps({"files": ["rig.blend"], "transitions": [{**PAIR, "cut": "best", **by}]}))
        asked = requests.requests_of(requests.read_spec(path))
        found += requests.expand(asked, {request.inputs: OUTLINE for request in asked}).jobs
    by_cost, judged = found
    assert by_cost.identity("") != judged.identity("")
    assert judged == Job.from_dict(judged.as_dict())


def test_jobs_survive_as_json(jobs: list[Job]) -> None:
    for job in jobs:
        again = Job.from_dict(json.loads(json.dumps(job.as_dict())))
        assert again == job
        assert (again.identity(""), again.label) == (job.identity(""), job.label)


def test_contents_of_inputs_are_remembered_by_what_is_read_of_them(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "out")
    read = {"files": ["/rig.bvh"], "scale": 0.01, "fps": None}
    journal.write_outline(Inputs.from_dict(read), {"contents": {}, "actions": ["Walk"]})
    assert journal.outline(Inputs.from_dict(dict(reversed(read.items()))))["actions"] == ["Walk"]
    for more in ({"scale": 1.0}, {"fps": 24.0}, {"files": ["/other.bvh"]}):
        assert journal.outline(Inputs.from_dict({**read, **more})) is None
