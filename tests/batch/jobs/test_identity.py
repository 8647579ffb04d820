# SPDX-License-Identifier: GPL-3.0-or-later
"""What a job is known by stays what it was, so that folders that were baked before are resumed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inertia_addon.batch.jobs import requests
from inertia_addon.batch.jobs.job import Job, contents_of
from inertia_addon.batch.work.journal import Journal

PAIR = {"source": "Walk", "destination": "Run"}
BEST, ENTRY = {"cut": "best", "by": "cost"}, {"cut": 9, "destination_frame": "best", "by": "cost"}
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
    "pops": [{"action": "Walk", "strictness": 8, "formats": ["json", "bvh"]}],
    "paths": [
        {"curve": "Street", "actions": ["Walk", "Run"], "faithful": 0.3, "blend_frames": 8},
        {"target": "Ball", "model": "walker.npz", "warp": False, "blend_frames": 8},
    ],
    "takes": [{"input": "wishes.csv", "start": "1,2,90", "blend_frames": 8}],
    "learns": [{"actions": ["Walk", "Run"], "mirror": True, "iterations": 100, "licence": "CC0"}],
    "crowds": [{"model": "walker.npz", "crowd": ["Rig=Street"], "facing": "FREE", "feet": "OFF"}],
    "fills": [{**PAIR, "cut": 7, "destination_frame": 9, "gap_frames": 30, "at": "1,2,90"}],
    "matrices": [{"sources": ["Walk"], "by": "cost", "blend_frames": 8}],
    "databases": [{"actions": ["Walk"], "mirror": True}],
}
IDENTITIES = [
    "fc4647a1ffc806e56366c63a2a1c6d19d63126091ed8617df703fb28ae1acdc8",
    "9fdc124d8a1ad48d098eed757a9d9fae8ac7a7a36b1019d8d67a5b40af1ce89f",
    "6af824c6b3500a347aee3b98d4f8efdc3b2773b905e620571bacacab3e902df3",
    "0954a19d56169d0d25854e0277fcb87c4ef558f7e73d3e53a78ff391b482b860",
    "fe86e30d9b9bdb3b9396c0c92102e2d41cc015c65271d76840c03b88f9eac0b4",
    "2fb083b40f09272b5eb8267a31e0ddbefce460860592618cac16986b4a39ed48",
    "f7f696e2f2f4eb357e3487e26fdabb5586d7eebe12763bb88379a70fc07e6cfc",
    "0ff0660336c3091a5b281bff8229b2240f3815e6ff2e73c9465ae7724d56857a",
    "c02c4a386f6858a7a9bc58be02f9bba738a601b7b78e0be20e6812dfe24a83db",
    "fd761db1b5aadce8475b79b1c8bad0f0a19c74ed9ec06f222e741c2e6e7b11ab",
    "9d3c09f18b994f75ca7419480d9fc3512d3891628133bf086f68fc51f29d2989",
    "8f329fdb30d9b29751235347b54291c4d035cb3cf3072152a49844978f63629d",
    "f226c832eca54d776ee4b4377da359ecd942ce35f10cbfeced95c18ce5a1770e",
    "357e08e07e50a761f8778a8cc6f10fafad83f7d625c55b08c77a6ba11c0d0d5f",
    "dd7ecfd5ef68457d577c2b81037d934081c99217969383170edaea09ef9dc402",
    "f874cdfc3b3e616d17774ae3ec0ec4f6fcd2ac0bb922fdd0dc0c867c7aeaf5f0",
    "c5773407e59bcef05952cdbf0eb2974b91f8c200c16e2d3954f95e440faf5ad5",
    "20149d9e7460ec78021c9f6be32624b93fc8c073995634199c4398e2c2197fcf",
    "b843d63170de6ea243cf94a7f33947e3680552c525cebaea581d10ed4276b4b3",
    "0b7b0a579404f9bb8ddcb9ba5a56b03f4e7e5144ea25d75580b4218c9e857df8",
    "d70acb6d07019fed96d98ec461d9bab06b7dffde0a535797089bf2251e9ffcf7",
    "97cbc80a9b81c9d22b19e4c06ec8448e5012bfbe4199987362d37ed572fdfa32",
    "44c544bb7233554c9d3a38617349dd81d6b6a65e7e277acff1c262f3f744c2a9",
    "682a1519acee11b7a149e6844a8e353f6e2fa0bf2c1ed58f375c2b50472cb4bc",
    "8d923ccb3c8389b7f2ecec71a1050221741d152579902420bc6a936f37be6575",
]
"""Of each of its jobs, as the journals of folders have them."""
NAME_OF_INPUTS = "0949b0c7fe6f1165b835fffdddd98e63.json"


@pytest.fixture
def jobs(tmp_path: Path) -> list[Job]:
    for name in ("rig.blend", "a.bvh", "b.bvh", "walker.npz"):
        (tmp_path / name).write_text("")
    (tmp_path / "wishes.csv").write_text("0,0,0\n2,1.25,0\n5,0,0\n")
    path = tmp_path / "spec.json"
    path.write_text(json.dumps(SPEC))
    asked = requests.requests_of(requests.read_spec(path))
    expanded = requests.expand(asked, {request.inputs: OUTLINE for request in asked})
    assert expanded.problems == []
    return expanded.jobs


def test_jobs_of_all_kinds_are_known_as_ever(jobs: list[Job]) -> None:
    contents = contents_of({"/somewhere/rig.blend": "0" * 64})
    assert [job.identity(contents) for job in jobs] == IDENTITIES


def test_what_is_judged_is_not_what_was_found_by_cost(tmp_path: Path) -> None:
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


def test_they_survive_as_json(jobs: list[Job]) -> None:
    for job in jobs:
        again = Job.from_dict(json.loads(json.dumps(job.as_dict())))
        assert again == job
        assert (again.identity(""), again.label) == (job.identity(""), job.label)


def test_what_inputs_hold_is_remembered_as_ever(jobs: list[Job], tmp_path: Path) -> None:
    values: dict[str, Any] = {"files": ["/rig.bvh"], "scale": 0.01, "fps": None}
    journal = Journal(tmp_path / "out")
    journal.write_outline(type(jobs[0].inputs).from_dict(values), {"contents": {}})
    assert [path.name for path in (journal.folder / "inputs").iterdir()] == [NAME_OF_INPUTS]
