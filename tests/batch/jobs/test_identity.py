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
    "loops": [{"action": "Walk", "range": [3, 30], "find": True, "half_life": 0.2}, {"action": "Run"}],
    "checks": [{"action": "Walk", "slot": "OBRig"}],
    "pops": [{"action": "Walk", "strictness": 8, "formats": ["json", "bvh"]}],
}
IDENTITIES = [
    "ad4cf7069c87c92bcb121773921febc171b67880b2c89cadcb29cf4407368b13",
    "af96c89cd0a0a005001f61c87d5753dcd96d1934f7fa0178f3d90a78777a1e6b",
    "714dc6c87f849b5a4e592eb08e566e3439e8ea15cf9718875b40e6a1500eefc7",
    "a9a7479c2f4f7a724e415a3db5382143ba81be92499f5f917ba22d4f5a623c21",
    "a23ae444c6b685f4c602a1e6b86febe86aa69817cf6f15c315885b04daa2b4a4",
    "c5995534ff03532c33d9c62855715c907326047c7500f5da072f78e73b181203",
    "c50b7e6f01e6b56c6f653cd5106f3ca0e99954189081cf321ff64bf9bba17034",
    "e22e9f298c3f52907cae401e9bc9de2f94e98ca6f59c408db569943cb43307a1",
    "138e7812221be85d590571abdef646c72368ac3b6c82957d3f2a8cffe7cd6ba1",
    "2652a6faa6b96f208134c184b1e4e4b613993d350c818b8cd60cc1c407ae80fb",
    "f2c634d2b00991e8ce809a56a1ea58c12e6d361b1852313323c8183a144bdeb0",
    "c7f74a74c3755f0c6c529578c8e7d10d09214087d8716bca693d9246ea17f5d6",
    "9d3c09f18b994f75ca7419480d9fc3512d3891628133bf086f68fc51f29d2989",
    "dd7ecfd5ef68457d577c2b81037d934081c99217969383170edaea09ef9dc402",
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
