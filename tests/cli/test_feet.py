# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``feet`` and locked feet in specs, by what ``check`` says of the results."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.batch.small_rig import Run

Inertia = Callable[..., Run]


@pytest.fixture
def walks(tmp_path: Path, fresh_file: None) -> Path:
    """A file with a walk whose feet skate."""
    import bpy

    from tests.blender import stepper

    stepper.walk(stepper.biped(), "Skating", frames=55, skate=0.2).use_fake_user = True
    path = tmp_path / "walks.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return path


def test_an_actions_feet_are_locked(inertia: Inertia, walks: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.blend"
    done = inertia("feet", walks, "--action", "Skating", "-o", out, "--json")
    assert (done.code, done.err) == (0, "")
    told = done.json
    assert told["result"] == "Skating locked"
    assert sum(foot["skate_m"] for foot in told["before"]) > 0.1
    assert sum(foot["skate_m"] for foot in told["after"]) < 0.5 * sum(
        foot["skate_m"] for foot in told["before"]
    )
    checked = inertia("check", out, "--action", "Skating locked", "--json").json
    assert checked["verdict"]["words"] == told["verdict"]["words"]
    assert told["verdict"]["words"][0] in inertia("feet", walks, "--action", "Skating", "-o", out).out
    for foot, after in zip(checked["feet"], told["after"], strict=True):
        assert foot["skate_m"] == pytest.approx(after["skate_m"], rel=1e-3)
        assert foot["skate_speed"] == pytest.approx(after["skate_speed"], rel=1e-3)
    done = inertia("feet", walks, "--action", "Skating", "-o", out, "--locked-feet", "hoof")
    assert done.code == 1
    assert 'ends in a foot "hoof"' in done.err


def test_feet_are_locked_on_a_ground(inertia: Inertia, walks: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.blend"
    how = ("feet", walks, "--action", "Skating", "-o", out)
    done = inertia(*how, "--ground", "object", "--ground-object", "Gone")
    assert (done.code, out.exists()) == (1, False)
    assert 'no mesh object "Gone"' in done.err
    done = inertia(*how, "--ground", "plane", "--ground-height", "0.3", "--json")
    assert (done.code, done.err) == (0, "")
    for before, after in zip(done.json["before"], done.json["after"], strict=True):
        assert after["skate_m"] < 0.5 * before["skate_m"]
    assert (done.json["settings"]["ground"], done.json["settings"]["ground_height"]) == ("PLANE", 0.3)


def test_specs_lock_feet_and_gates_judge_them(inertia: Inertia, walks: Path, tmp_path: Path) -> None:
    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps({"files": [str(walks)], "feet": [{"action": "all"}]}))
    done = inertia("batch", spec, "-o", tmp_path / "out", "--max-skate-speed", "0.1")
    assert done.code == 0, done.err
    assert (tmp_path / "out" / "Skating_locked.blend").exists()
