# SPDX-License-Identifier: GPL-3.0-or-later
"""What is written of a set is what Blender shows, in the layouts that are documented."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inertia_addon.blender.data import clip_store
from inertia_addon.blender.evaluation import joint_motion, joints
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.matching import action_set, files
from inertia_addon.blender.matching.action_set import Stock
from inertia_addon.motion.matching import engine
from inertia_addon.motion.steps import finish
from tests.blender import wanderer
from tests.blender.file_state import everything
from tests.blender.wanderer import settings
from tests.players import engine as player

CHOSEN = settings(points="none", actions=("Walk", "Turn"))


@pytest.fixture
def armature() -> Any:
    return wanderer.with_clips()


def analysed(armature: Any) -> Stock:
    return finish(
        action_set.analyse_steps(read_character(armature), CHOSEN, joints.named_weights(armature, "stored"))
    )


def test_the_arrays_are_those_that_are_searched(armature: Any, tmp_path: Path) -> None:
    made = analysed(armature)
    files.save(tmp_path / "db.npz", files.contents(made, CHOSEN))
    with np.load(tmp_path / "db.npz", allow_pickle=False) as held:
        about = json.loads(str(held["about"]))
        assert [(clip["action"], clip["mirrored"]) for clip in about["clips"]] == [
            ("Walk", False),
            ("Turn", False),
            ("Walk", True),
            ("Turn", True),
        ]
        assert about["joints"] == list(made.database.joints)
        np.testing.assert_array_equal(held["positions"], made.database.positions)
        np.testing.assert_array_equal(held["stops"], made.database.stops)
        assert held["contacts"].shape == (made.database.frames, 2)
        columns = [group["columns"] for group in about["features"]]
        assert columns[-1][1] == held["features"].shape[1] == len(held["feature_scales"])


def test_an_engines_files_play_as_blender_does(armature: Any, tmp_path: Path) -> None:
    made = analysed(armature)
    before = everything()
    exported = finish(files.export_set_steps(armature, made))
    assert everything() == before
    files.save_for_engine(tmp_path, exported, armature)
    held = player.database(tmp_path / "database.bin")
    frames, bones = held["positions"].shape[:2]
    assert bones == len(armature.data.bones) + 1
    assert held["parents"].tolist() == [-1, *(i + 1 for i in made.rig.bones.parents)]
    assert held["contacts"].shape == (frames, 2)
    assert held["starts"].tolist() == [0, *held["stops"].tolist()[:-1]]
    assert held["stops"][-1] == frames
    # Blender's 24 frames a second as 60, Z up as Y up
    for i, name in enumerate(("Walk", "Turn")):
        clip = clip_store.read(armature, made.clip(name).action)
        at = np.array([0, 35, 100])
        shown = joint_motion.evaluate(read_character(armature), clip, 1.0 + at * 24.0 / 60.0, made.root)
        for k, where in zip(at.tolist(), shown.positions, strict=True):
            places, _ = player.posed(held, int(held["starts"][i]) + k)
            np.testing.assert_allclose(places[1:], where @ engine.TO_Y_UP.T, atol=1e-4)
            assert places[0, 1] == 0.0
    # the walk sets out along -Y, which is his Z, and he faces where he goes
    np.testing.assert_allclose(
        player.turned(held["rotations"][5, 0], np.array([0.0, 0.0, 1.0])), (0, 0, 1), atol=0.05
    )
    np.testing.assert_allclose(held["velocities"][5, 0], (0.0, 0.0, wanderer.SPEED), atol=0.05)
    np.testing.assert_allclose(np.linalg.norm(held["rotations"], axis=-1), 1.0, atol=1e-5)
    # a turn to the left is one about Y
    inside = int(held["starts"][1]) + 60
    np.testing.assert_allclose(held["spins"][inside, 0], (0.0, 0.8, 0.0), atol=0.02)


def test_an_engines_features_are_his_27(armature: Any, tmp_path: Path) -> None:
    made = analysed(armature)
    exported = finish(files.export_set_steps(armature, made))
    database, features = files.save_for_engine(tmp_path, exported, armature)
    held = player.database(database)
    values, offsets, scales = player.features(features)
    assert values.shape == (len(held["positions"]), 27)
    raw = values * scales + offsets
    names = ["", *armature.data.bones.keys()]
    for frame in (10, int(held["starts"][1]) + 70):
        places, turns = player.posed(held, frame)
        back = turns[0] * (1.0, -1.0, -1.0, -1.0)
        for column, bone in ((0, "foot.L"), (3, "foot.R")):
            seen = player.turned(back, places[names.index(bone)] - places[0])
            np.testing.assert_allclose(raw[frame, column : column + 3], seen, atol=1e-4)
        for k, later in enumerate((20, 40, 60)):
            there, faced = player.posed(held, frame + later)
            way = player.turned(back, there[0] - places[0])
            np.testing.assert_allclose(raw[frame, 15 + 2 * k : 17 + 2 * k], way[[0, 2]], atol=1e-4)
            ahead = player.turned(back, player.turned(faced[0], np.array([0.0, 0.0, 1.0])))
            np.testing.assert_allclose(raw[frame, 21 + 2 * k : 23 + 2 * k], ahead[[0, 2]], atol=1e-4)
        before, after = (player.posed(held, frame + step)[0] for step in (-1, 1))
        for column, bone in ((6, "foot.L"), (9, "foot.R"), (12, "hips")):
            i = names.index(bone)
            moved = player.turned(back, (after[i] - before[i]) * 30.0)
            np.testing.assert_allclose(raw[frame, column : column + 3], moved, atol=0.02)
    deviation = np.std(values[:, :3], axis=0).mean()
    assert deviation == pytest.approx(0.75, rel=1e-3)
