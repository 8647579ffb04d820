# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``travel``, there and back, and travel in specs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.batch.small_rig import Run

Inertia = Callable[..., Run]


@pytest.fixture
def walks(tmp_path: Path, fresh_file: None) -> Path:
    """A file with a walk in place, at 0.6 m/s."""
    import bpy

    from tests.blender import stepper

    stepper.walk(stepper.biped(), "Walk", skate=-stepper.STRIDE).use_fake_user = True
    path = tmp_path / "walks.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return path


def test_the_speed_that_feet_tell_is_said(inertia: Inertia, walks: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.blend"
    done = inertia("travel", walks, "--action", "Walk", "-o", out)
    assert (done.code, done.err) == (0, "")
    assert "Walk: 0.60 m/s, from its feet" in done.out
    told = inertia("travel", walks, "--action", "Walk", "-o", out, "--json").json
    assert (told["result"], told["told_by"]) == ("Walk travel", "FEET")
    assert told["speed"] == pytest.approx(0.6, rel=0.03)
    assert told["skate_after"] < 0.1 * told["skate_before"]
    checked = inertia("check", out, "--action", "Walk travel", "--json").json
    assert all(foot["skate_speed"] < 0.05 for foot in checked["feet"])
    back = inertia(
        "travel", out, "--action", "Walk travel", "--in-place", "-o", tmp_path / "back.glb", "--json"
    )
    assert back.code == 0
    assert back.json["told_by"] == "NOTED"
    assert back.json["way"] == pytest.approx(told["way"], rel=1e-3)


def test_travel_takes_a_speed_and_a_carrier_that_are_named(
    inertia: Inertia, walks: Path, tmp_path: Path
) -> None:
    how = ("travel", walks, "--action", "Walk", "-o", tmp_path / "out.blend")
    done = inertia(*how, "--speed", "1.3", "--on", "object")
    assert (done.code, done.err) == (0, "")
    assert "Walk: 1.30 m/s, as given" in done.out
    done = inertia(*how, "--in-place")
    assert done.code == 1
    assert "already stays in place" in done.err
    assert inertia(*how, "--speed", "-1").code == 2


def test_travel_moves_to_the_object_and_back(inertia: Inertia, walks: Path, tmp_path: Path) -> None:
    given, out = tmp_path / "given.blend", tmp_path / "out.blend"
    assert inertia("travel", walks, "--action", "Walk", "-o", given).code == 0
    how = ("travel", given, "--action", "Walk travel", "-o", out)
    done = inertia(*how, "--on", "object")
    assert (done.code, done.err) == (0, "")
    assert 'Walk travel: its 1.20 m move from "hips" to the object' in done.out
    told = inertia(*how, "--on", "object", "--json").json
    assert (told["moved_from"], told["root"], told["told_by"]) == ("hips", "", "NOTED")
    done = inertia(*how)
    assert done.code == 1
    assert "has no root bone" in done.err


def test_specs_give_travel_and_take_it(inertia: Inertia, walks: Path, tmp_path: Path) -> None:
    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps({"files": [str(walks)], "travels": [{"action": "all", "on": "hips"}]}))
    done = inertia("batch", spec, "-o", tmp_path / "out")
    assert done.code == 0, done.err
    made = tmp_path / "out" / "Walk_travel.blend"
    assert made.exists()
    entries = [{"action": "Walk travel", "in_place": True}, {"action": "Gone"}]
    spec.write_text(json.dumps({"files": [str(made)], "travels": entries[:1]}))
    done = inertia("batch", spec, "-o", tmp_path / "back")
    assert done.code == 0, done.err
    assert (tmp_path / "back" / "Walk travel_in_place.blend").exists()
    spec.write_text(json.dumps({"files": [str(made)], "travels": entries}))
    done = inertia("batch", spec, "-o", tmp_path / "back")
    assert done.code != 0
    assert "Gone" in done.err


def test_a_path_takes_clips_in_place_and_fails_where_it_is_not_reached(
    inertia: Inertia, walks: Path, tmp_path: Path
) -> None:
    """Who only goes straight on gets to the end of a line, and around a hairpin by bends alone."""
    points = tmp_path / "points.csv"
    points.write_text("x,y\n" + "".join(f"0,{-0.3 * i}\n" for i in range(4)), encoding="utf-8")
    how = (
        "path",
        walks,
        "--actions",
        "Walk",
        "--points",
        points,
        "--facing",
        "free",
        "--width",
        "4",
        "--json",
    )
    done = inertia(*how)
    assert (done.code, done.json["reached"]) == (0, True)
    assert '"Walk": 0.60 m/s, from its feet.' in done.json["warnings"]
    back = [(0.0, -0.3 * i) for i in range(4)] + [(0.5, -0.9 + 0.3 * i) for i in range(4)]
    points.write_text("x,y\n" + "".join(f"{x},{y}\n" for x, y in back), encoding="utf-8")
    # what does not arrive is poor, and whenever it is looked at later
    out = tmp_path / "out.blend"
    baked = inertia(*how, "--bends", "0", "-o", out)
    assert (baked.code, baked.json["reached"], baked.json["verdict"]["rating"]) == (1, False, "POOR")
    assert any("all of them go straight on" in said for said in baked.json["warnings"])
    assert "before the path's end" in baked.json["verdict"]["words"][0]
    checked = inertia("check", out, "--action", baked.json["result"], "--json").json
    assert checked["verdict"]["words"] == baked.json["verdict"]["words"]
    done = inertia(*how, "--speeds", "Walk=0.5")
    assert (done.code, done.json["reached"]) == (0, True)
    assert '"Walk": 0.50 m/s, as given.' in done.json["warnings"]
