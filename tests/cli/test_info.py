# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``info``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.batch.small_rig import Run, make_rig

Inertia = Callable[..., Run]


def test_a_file_as_a_table(inertia: Inertia, rig_file: Path) -> None:
    done = inertia("info", rig_file)
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == f"{rig_file}: 24 frames a second"
    assert lines[2] == "Rig: 3 bones (3 QUATERNION), 2 actions"
    assert lines[3].split() == ["action", "frames", "seconds", "root", "root", "motion", "slots"]
    assert lines[4].startswith("  Run *   1 to 28  1.125    Hips  ")
    assert len(lines) == 6


def test_a_file_as_json(inertia: Inertia, rig_file: Path) -> None:
    values = inertia("info", rig_file, "--json").json
    assert (values["file"], values["fps"]) == (str(rig_file), 24.0)
    (armature,) = values["armatures"]
    assert armature["rotation_modes"] == {"QUATERNION": 3}
    run, walk = armature["actions"]
    assert (walk["name"], walk["start"], walk["end"]) == ("Walk", 1.0, 40.0)
    assert (walk["root"], walk["moves"]) == ("Hips", True)
    assert run["displacement"] == pytest.approx(27 * 0.12, rel=0.05)
    assert run["distance"] >= run["displacement"] - 1e-6


def test_the_joints_and_how_sure_they_are(inertia: Inertia, fresh_file: None, tmp_path: Path) -> None:
    import bpy

    from tests.blender import skeletons

    skeletons.build("gorilla")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "gorilla.blend"))
    (armature,) = inertia("info", tmp_path / "gorilla.blend", "--json").json["armatures"]
    sure = {joint["bone"]: joint["confidence"] for joint in armature["joints"]}
    assert sure["Hand.L"] < 0.6 < sure["Foot.L"] <= 1.0
    assert armature["note"].startswith('Check these joints of "gorilla"')
    lines = inertia("info", tmp_path / "gorilla.blend").out.splitlines()
    assert lines[3] == ("  joints: hips Hips; head Head; hand Hand.L, Hand.R; foot Foot.L, Foot.R (50% sure)")
    assert lines[4].startswith("  note: Check these joints")


def test_an_armature_can_be_chosen(inertia: Inertia, fresh_file: None, tmp_path: Path) -> None:
    import bpy

    make_rig("A")
    make_rig("B")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "two.blend"))
    assert [a["name"] for a in inertia("info", tmp_path / "two.blend", "--json").json["armatures"]] == [
        "A",
        "B",
    ]
    words = ("info", tmp_path / "two.blend", "--armature", "B", "--json")
    assert [a["name"] for a in inertia(*words).json["armatures"]] == ["B"]


def test_a_file_without_armatures(inertia: Inertia, fresh_file: None, tmp_path: Path) -> None:
    import bpy

    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "none.blend"))
    done = inertia("info", tmp_path / "none.blend")
    assert (done.code, done.out.splitlines()[1:]) == (0, ["no armature"])


@pytest.mark.data
def test_a_root_that_travels_and_one_that_does_not(
    inertia: Inertia, fresh_file: None, data_dir: Path
) -> None:
    (hips,) = inertia("info", data_dir / "fbx" / "pab_locomotions.fbx", "--json").json["armatures"]
    walk = next(action for action in hips["actions"] if "walk" in action["name"])
    assert (walk["root"], walk["moves"]) == ("<object>", True)
    assert walk["displacement"] == pytest.approx(1.43, abs=0.01)
    (fox,) = inertia("info", data_dir / "glb" / "Fox.glb", "--json").json["armatures"]
    assert not any(action["moves"] for action in fox["actions"])


@pytest.mark.data
def test_the_rate_of_keys_can_be_given(inertia: Inertia, fresh_file: None, data_dir: Path) -> None:
    values = inertia("info", data_dir / "glb" / "Fox.glb", "--fps", 120, "--json").json
    assert values["fps"] == 120.0
    (fox,) = values["armatures"]
    assert {action["end"] for action in fox["actions"]} == {410.0, 85.0, 139.0}
