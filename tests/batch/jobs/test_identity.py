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
    "59ec9d247a4661f4f6309083336aa8cf44567696d68076263593567f96604664",
    "690beb7bbc6eb900ef902dd4f40ba90728e273ae27f84371f8e11dd2116e8168",
    "87fedfd960fbdf67cee2d2a02ecd7533395f22929c313c1a0d95eb835c8fc3bd",
    "1127aaedf0c4f012910dcb6bf32ef5b625d74b3d95e598a8be0a8b7751870f80",
    "6fd9639e92ed81c29fe852188418296ecb92e6d79611b1b409637faa0f859cee",
    "e0a2ea473bd618001aea6dfebe00122ca82d2fc221363c9da55a66e2dd241e4f",
    "ef2113478d84496bd80207d2dade35b957fefe963b18d0b7b67066833c1362b5",
    "716dc3d61ea8c2bdddbcc53c83c415f3d1caa5e51de24af73e5106e15a8fb9cb",
    "810c16f338929dbaa741fa60c31344c3517a0bdf3ca50b8fd2a0805e3093afb5",
    "a794a35b2b1e51194764151d878a7b635661b0dc28df7876b9686fa1b4d87e00",
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
