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
    "35a54b99ad20039f0ae72f347548ca73a67c5a1f4a2489ead2347e018d132066",
    "0f5f35b7aa154c074d46f9f99c7fa8d1b1754236d35f576f884179cd38301622",
    "95972f138711b7d473d05147584286de3ef3f8706ae6c0c9a424609db827ec8a",
    "41d3cf8c140e2d413fab70abea9ed0903ea9c42c3d51ce26a04983e2ba25f317",
    "919e7345fe011ab1f09607bb438877ff327f048f9024ba5514b3767ad83c25e2",
    "6de672be7b35f58124d6d0ce3eb62012424c672bf6b8d1fae8f1108b9cf0a376",
    "ab695eb11c918981d8dbc0a978126537af7ec5f3e3c57b23cd7b6ff642aee974",
    "71bbda25d730dff9b35d53df9602e84d6f836efe17f3849c909d379a2706dfcf",
    "88ecd2e6a1a9910663e0b13a030e38c43d9ca3faf3a3ecf4b1254f2b65826b91",
    "d4c0bffdbfde1e38ffcb5f7551db7b33f48f49fa30bf9dac7d42d90c0aa98b18",
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
