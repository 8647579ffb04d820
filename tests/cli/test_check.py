# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``check``, and checks in specs: what is said of a walk's feet, and where gates stop them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.batch.small_rig import Run

Inertia = Callable[..., Run]


@pytest.fixture
def walks(tmp_path: Path, fresh_file: None) -> Path:
    """A file with a walk whose feet stay put, and one whose feet skate at 0.3 m/s."""
    import bpy

    from tests.blender import stepper

    armature = stepper.biped()
    stepper.walk(armature, "Walk", frames=55)
    stepper.walk(armature, "Skating", frames=55, skate=0.2)
    path = tmp_path / "walks.blend"
    for action in bpy.data.actions:
        action.use_fake_user = True
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return path


def test_a_walks_feet_are_told(inertia: Inertia, walks: Path) -> None:
    before = walks.read_bytes()
    done = inertia("check", walks, "--action", "Walk", "--json")
    assert (done.code, done.err) == (0, "")
    told = done.json
    assert (told["action"], told["cycle"], told["in_place"]) == ("Walk", False, False)
    assert [foot["foot"] for foot in told["feet"]] == ["foot.L", "foot.R"]
    assert told["feet"][0]["spans"][1] == pytest.approx([25.0, 37.0], abs=2.0)
    for foot in told["feet"]:
        assert foot["skate_m"] < 0.03
        assert foot["skate_speed"] < 0.05
        assert foot["penetration_p95_m"] < 0.001
        assert 0.9 < foot["reach"] <= 1.0
    assert told["pop"] > 0.0
    (line, *_, last) = inertia("check", walks, "--action", "Skating").out.splitlines()
    assert line.startswith("Skating: frames 1 to 55")
    assert last.startswith("pop: ")
    assert walks.read_bytes() == before


def test_what_has_no_feet_is_told_in_a_sentence(inertia: Inertia, rig_file: Path) -> None:
    done = inertia("check", rig_file, "--action", "Walk")
    assert done.code == 1
    assert done.err.count("\n") == 1
    assert "No legs were found" in done.err


def test_gates_stop_feet_that_skate(inertia: Inertia, walks: Path, tmp_path: Path) -> None:
    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps({"files": [walks.name], "checks": [{"action": "all"}]}))
    out = tmp_path / "out"
    done = inertia("batch", spec, "-o", out, "--max-skate-speed", "0.15", "--max-penetration", "0.05")
    assert done.code == 1
    assert "check of Skating: skate_speed" in done.err
    assert "check of Walk:" not in done.err
    told = json.loads((out / "Walk_check.json").read_text())
    assert told["feet"][1]["foot"] == "foot.R"
    assert (out / "Skating_check.json").is_file()
    assert inertia("batch", spec, "-o", tmp_path / "again", "--max-skate", "10").code == 0


def test_a_spec_names_actions_that_exist(inertia: Inertia, walks: Path, tmp_path: Path) -> None:
    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps({"files": [walks.name], "checks": [{"action": "Wlak"}]}))
    done = inertia("batch", spec, "-o", tmp_path / "out")
    assert done.code == 2
    assert 'checks[0].action: found "Wlak"' in done.err
