# SPDX-License-Identifier: GPL-3.0-or-later
"""A worker of a cluster can't make who gathers write anything but what its job announced."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from inertia_addon.batch.jobs.job import Inputs, Job
from inertia_addon.batch.work import cluster
from inertia_addon.batch.work.journal import Journal
from inertia_addon.errors import InertiaError
from inertia_addon.settings.transition import TransitionSettings
from inertia_addon.tasks.transition import TransitionTask

GLTF = b'{"asset": {"version": "2.0"}, "buffers": [{"uri": "a.bin"}]}'
DONE: dict[str, Any] = {
    "identity": "../../../escaped",
    "job": {"outputs": ["../escaped.blend"]},
    "report": {},
    "quality": {},
}


@pytest.fixture
def task() -> dict[str, Any]:
    job = Job(
        inputs=Inputs(("/rig.blend",)),
        armature=None,
        task=TransitionTask(TransitionSettings("Walk", "Run", 20.0)),
        joints="stored",
        weights=(),
        outputs=("a.blend", "a.gltf"),
        where="transitions[0]",
        whole_file=False,
    )
    return {"job": job.as_dict(), "contents": "0" * 64}


def everything(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_an_announced_output_is_written_and_recorded(tmp_path: Path, task: dict[str, Any]) -> None:
    journal = Journal(tmp_path / "out")
    sent = {"a.blend": b"BLENDER", "a.gltf": GLTF, "a.bin": b"", "a_textures/skin.png": b"PNG"}
    record = cluster.write(journal, task, DONE, sent)
    identity = Job.from_dict(task["job"]).identity(task["contents"])
    assert (record["identity"], set(record["outputs"])) == (identity, {"a.blend", "a.gltf", "a.bin"})
    assert journal.record(identity) == record
    assert everything(tmp_path) == sorted(f"out/{name}" for name in (*sent, f".inertia/jobs/{identity}.json"))


@pytest.mark.parametrize(
    "name",
    [
        *("../a.blend", "/tmp/a.blend", "b.blend", "batch.json", ".inertia/lock", "sub/a.blend", "b.bin"),
        *("a_textures/../../a.blend", "a_textures/..", "b_textures/skin.png", "a_textures/.hidden", ""),
        *("a_textures\\skin.png", "a_textures/..\\..\\skin.png"),
    ],
)
def test_an_output_of_another_name_is_never_written(tmp_path: Path, task: dict[str, Any], name: str) -> None:
    journal = Journal(tmp_path / "out")
    with pytest.raises(InertiaError, match="is no output of its job"):
        cluster.write(journal, task, DONE, {"a.blend": b"BLENDER", name: b"evil"})
    assert everything(tmp_path) == []


def test_a_file_that_names_others_elsewhere_is_refused(tmp_path: Path, task: dict[str, Any]) -> None:
    sent = {"a.blend": b"BLENDER", "a.gltf": GLTF.replace(b"a.bin", b"../../etc/passwd")}
    with pytest.raises(InertiaError, match="names files that were not written with it"):
        cluster.write(Journal(tmp_path / "out"), task, DONE, sent)


@pytest.mark.parametrize("binary_path", ["", "/usr/bin/blender"])
@pytest.mark.parametrize("online_access", [False, True])
def test_blender_s_preferences_say_whether_a_scheduler_may_be_asked(
    binary_path: str, *, online_access: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("distributed", reason="dask.distributed is not installed here")
    # as a module Blender has no binary, and no preferences of a user
    app = SimpleNamespace(binary_path=binary_path, online_access=online_access)
    monkeypatch.setitem(sys.modules, "bpy", SimpleNamespace(app=app))
    is_asked = online_access or not binary_path
    said = "No Dask scheduler answers" if is_asked else "Blender allows no online access.*--online-mode"
    with pytest.raises(InertiaError, match=said):
        cluster.Cluster("nonsense://nowhere", gather=False, journal=Journal(tmp_path))
