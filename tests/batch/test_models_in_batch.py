# SPDX-License-Identifier: GPL-3.0-or-later
"""Models from a spec: learned, taken up where a run was killed, followed with alone and by a crowd."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.batch.jobs import requests
from inertia_addon.batch.jobs.job import contents_of
from inertia_addon.batch.jobs.opened import Opened
from inertia_addon.batch.work import worker
from inertia_addon.blender.checking import check
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.learned import files
from inertia_addon.errors import InertiaError
from inertia_addon.motion.learned.training import Training
from inertia_addon.motion.steps import finish
from tests.batch.library_files import write_spec
from tests.blender import wanderer

LEARN = {"armature": "Walker", "mirror": True, "hidden": 8, "latent": 3, "windows": 4, "iterations": 5}


@pytest.fixture
def make(fresh_file: None, tmp_path: Path) -> Iterator[Callable[[dict[str, Any]], list[dict[str, Any]]]]:
    """Does all that a spec asks for, and returns the records."""
    # with their mirror images as much as a model takes at least
    wanderer.with_clips(frames=31)
    wanderer.crowd()
    for action in bpy.data.actions:
        action.use_fake_user = True
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "walker.blend"))
    opened = Opened()

    def made(values: dict[str, Any]) -> list[dict[str, Any]]:
        asked = requests.requests_of(
            requests.read_spec(write_spec(tmp_path, {"files": ["walker.blend"], **values}))
        )
        outlines = {one.inputs: worker.inspect(opened, one.inputs) for one in asked}
        expanded = requests.expand(asked, outlines)
        if expanded.problems:
            raise AssertionError(" ".join(problem.sentence() for problem in expanded.problems))
        return [
            worker.make(opened, job, contents_of(outlines[job.inputs]["contents"]), tmp_path / "out")
            for job in expanded.jobs
        ]

    yield made
    opened.close()


def test_models_are_learned_and_followed_with(
    make: Callable[[dict[str, Any]], list[dict[str, Any]]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (record,) = make({"learns": [LEARN]})
    model = tmp_path / "out" / "model.npz"
    assert [*record["outputs"]] == ["model.npz"]
    assert files.load(model).held is None
    assert record["report"]["frames"] == 8 * 76
    assert record["report"]["check"]["whole"]["joints_cm"] > 0.0
    whole = model.read_bytes()
    # as it comes again from a run that was killed, and one that goes on
    monkeypatch.setattr(files, "CHECKPOINT", 0.0)
    steps = Training.steps

    def killed(own: Training) -> Any:
        for i, done in enumerate(steps(own)):
            if i == 4:
                raise SystemExit
            yield done

    with monkeypatch.context() as patched:
        patched.setattr(Training, "steps", killed)
        with pytest.raises(SystemExit):
            make({"learns": [{**LEARN, "name": "again"}]})
    assert len([*tmp_path.glob("out/.inertia/learning/*.npz")]) == 1
    make({"learns": [{**LEARN, "name": "again"}]})
    assert (tmp_path / "out" / "again.npz").read_bytes() == whole
    assert [*tmp_path.glob("out/.inertia/learning/*.npz")] == []
    by_model = {"armature": "Walker", "curve": "Way 0", "model": "out/model.npz"}
    crowd = {"crowd": ["Walker=Way 0", "Walker.001=Way 1", "Walker.002=Ball"], "model": "out/model.npz"}
    path, many = (record["report"] for record in make({"paths": [by_model], "crowds": [crowd]}))
    assert path["result"] == "Walker along Way 0"
    assert many["crowd"][0]["path_rms_m"] == pytest.approx(path["path_rms_m"], rel=1e-3)
    assert len(path["joins"]) == path["cuts"]
    assert any(one["joins"] for one in many["crowd"])
    (tmp_path / "wishes.csv").write_text("0,0,0\n0.3,0.8,0\n1.2,0,0\n", encoding="utf-8")
    steered = {"armature": "Walker", "input": "wishes.csv", "model": "out/model.npz"}
    (take,) = (record["report"] for record in make({"takes": [steered]}))
    assert (take["result"], take["model"]) == ("Steered", "model.npz")
    for of_clips in ({"mirror": True}, {"moves": ["Bend"]}):
        with pytest.raises(requests.SpecError, match="a search through clips, or a model"):
            make({"takes": [{**steered, **of_clips}]})
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "out" / "crowd.blend"))
    for one in many["crowd"]:
        armature = bpy.data.objects[one["armature"]]
        action = armature.animation_data.action
        assert action.name == one["result"]
        # the result says the same of its joins
        seen = finish(check.judge_action_steps(read_character(armature), action))
        assert [each.as_dict() for each in seen.verdicts] == [join["verdict"] for join in one["joins"]]
        assert one["verdict"] == (None if seen.worst is None else seen.worst.as_dict())
    wrong = {**by_model, "mirror": True}
    with pytest.raises(requests.SpecError, match="a search through clips, or a model"):
        make({"paths": [wrong]})
    with pytest.raises(AssertionError, match='"Nobody"; allowed: the armatures'):
        make({"crowds": [{**crowd, "crowd": ["Walker=Way 0", "Nobody=Ball"]}]})


def test_a_model_from_a_spec_keeps_the_one_before_and_replaces_nothing_else(
    make: Callable[[dict[str, Any]], list[dict[str, Any]]], tmp_path: Path
) -> None:
    make({"learns": [LEARN]})
    model = tmp_path / "out" / "model.npz"
    old = model.read_bytes()
    make({"learns": [{**LEARN, "seed": 5}]})
    assert model.with_name("model.npz1").read_bytes() == old != model.read_bytes()
    model.write_bytes(b"a photograph")
    with pytest.raises(InertiaError, match="is not a model and won't be overwritten"):
        make({"learns": [LEARN]})
    assert model.read_bytes() == b"a photograph"


def test_a_model_that_plays_no_motion_is_named(
    make: Callable[[dict[str, Any]], list[dict[str, Any]]], tmp_path: Path
) -> None:
    make({"learns": [LEARN]})
    path = tmp_path / "out" / "model.npz"
    whole = files.load(path).model
    network = whole.network("decompressor")
    huge = dataclasses.replace(network, weights=tuple(1e5 * each for each in network.weights))
    files.save(path, dataclasses.replace(whole, decompressor=huge))
    by_model = {"armature": "Walker", "curve": "Way 0", "model": "out/model.npz"}
    crowd = {"crowd": ["Walker=Way 0", "Walker.001=Way 1"], "model": "out/model.npz"}
    for asked in ({"paths": [by_model]}, {"crowds": [crowd]}):
        with pytest.raises(InertiaError, match=r'"model\.npz": The model plays motion that no'):
            make(asked)
    assert [*(tmp_path / "out").glob("*.blend")] == []
