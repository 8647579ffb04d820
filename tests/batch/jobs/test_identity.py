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
    "322d669bbb1a27208d78c7ab2906cab0eca7d7501dfcaae023253768dfcdc6e8",
    "d4939b266a71292e9d4b03ae1bf6489dfaa770b0f096340436498c9a93958793",
    "a6450b2ca2bea4a82105622b9848cd9c8e179f5d42bd45f29872d4504980aa1d",
    "7491bfef75f645a6692e1eed3bd580e18b49aad44cbb16033ef4f68eb0cfe838",
    "5addaac22d227fef313cb015354c0cc8fcf20beef656c43ef4f0a8461fa9f6e4",
    "9e41135a91d052b85cbd2f071bd52288f92403fed860bbcba5be9980b4e23d15",
    "9b6f07ea63b3b494d14b817b61be6ea44fb0eadcf6f27af642d9258adb33a7ea",
    "399bdec9ec7918064ddada64672783775c8854604ab4438dafa211707a56fcbc",
    "bcac0b767494d1e2cc5e5d6b4ccce249e5850b7c929125206f4d9163b8673ab1",
    "dddd730f3facd3130fa6ca67dd6599cce53c5a3f52aaba38caeb9c2fca87d6af",
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
