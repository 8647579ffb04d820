# SPDX-License-Identifier: GPL-3.0-or-later
"""What a job is known by stays what it was, so that folders that were baked before are resumed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inertia_addon.batch.jobs import kinds, requests
from inertia_addon.batch.jobs.job import Job, contents_of
from inertia_addon.batch.spec import reading
from inertia_addon.batch.work.journal import Journal

PAIR = {"source": "Walk", "destination": "Run"}
OUTLINE = {
    "armatures": [
        {
            "name": "Rig",
            "bones": ["Hips", "Head"],
            "actions": [
                {"name": name, "slot": "OBRig", "start": 1.0, "end": 40.0, "is_result": False, "problem": ""}
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
        {**PAIR, "cut": "best", "range": [5, 20], "half_life": 0.2, "bones": ["Head"], "name": "best"},
        {**PAIR, "cut": 9, "destination_frame": "best", "blend_scales": {"Head": 2}, "name": "entry"},
        {**PAIR, "cut": 7, "files": ["a.bvh", "b.bvh"], "scale": 0.01, "armature": "Rig", "name": "c"},
    ],
    "state_machines": [{"clips": "all", "blend_frames": 8, "whole_file": True, "name": "{source}"}],
    "hops": [{**PAIR, "trigger": [7, 9], "cycles": ["Walk"], "blend_frames": [8, 20], "joints": "all"}],
    "hop_tables": [
        {**PAIR, "longest_stay": 5, "formats": ["json", "npz"]},
        {"all_pairs": "all", "distance": "DISPLACEMENT", "name": "all"},
    ],
}
IDENTITIES = [
    "953e5c81359a57b47b232a144442291f67b05ea19180ad7ed1c2a9a6abef0935",
    "642f606533aa2993bd24b78489478dc18fe83cbe99fab8655c3c20ffe65a056a",
    "0c073d9b9d34b7a03f99169d77c25e20f7a4ad3c7aed29a4896542a8fb57dedc",
    "1b091cf79a773933e057ae15c8879531724e13d4773b71dc7a0adf5388f3c254",
    "3791d5040333a639b237f91a87372f1355de784b090f809308a414803242e638",
    "9c732993b4db38993a9916618d06517f0c6a4273623148a6928b04946db342c0",
    "8a1cbccea3b40521cd3acace5f840ff44946da9474c2b02d057e2c982150680b",
    "7d09d7286da08af472e4b5226e8c3c3ceea940fdf4ccad9babc2485ced8f3bb2",
    "9c7b10403b6cd00ae5000796edb2e6bf0ceaa59e4153eb1e0bd0ba9b6adac443",
    "8f4bd5f11b483231f9640c31eccfdf5f9e21e0660a22102bf00d2a72c597064f",
]
"""Of each of its jobs, as the journals of folders have them."""
NAME_OF_INPUTS = "0949b0c7fe6f1165b835fffdddd98e63.json"


@pytest.fixture
def jobs(tmp_path: Path) -> list[Job]:
    for name in ("rig.blend", "a.bvh", "b.bvh"):
        (tmp_path / name).write_text("")
    path = tmp_path / "spec.json"
    path.write_text(json.dumps(SPEC))
    asked = requests.requests(reading.read(path))
    expanded = requests.expand(asked, {request.inputs: OUTLINE for request in asked})
    assert expanded.problems == []
    return expanded.jobs


def test_jobs_of_all_kinds_are_known_as_ever(jobs: list[Job]) -> None:
    contents = contents_of({"/somewhere/rig.blend": "0" * 64})
    assert [job.identity(contents) for job in jobs] == IDENTITIES


def test_they_survive_as_json(jobs: list[Job]) -> None:
    for job in jobs:
        again = kinds.job_of(json.loads(json.dumps(job.as_dict())))
        assert again == job
        assert (again.identity(""), again.label) == (job.identity(""), job.label)


def test_what_inputs_hold_is_remembered_as_ever(jobs: list[Job], tmp_path: Path) -> None:
    values: dict[str, Any] = {"files": ["/rig.bvh"], "scale": 0.01, "fps": None}
    journal = Journal(tmp_path / "out")
    journal.write_outline(type(jobs[0].inputs).from_dict(values), {"contents": {}})
    assert [path.name for path in (journal.folder / "inputs").iterdir()] == [NAME_OF_INPUTS]
