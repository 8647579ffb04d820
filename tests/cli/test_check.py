# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``check``, and checks in specs: what is said of a walk's feet, and where gates stop them."""

from __future__ import annotations

import json
import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.batch.small_rig import Run

Inertia = Callable[..., Run]
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def walks(tmp_path: Path, fresh_file: None) -> Path:
    """A file with a walk whose feet stay put, and one whose feet skate at 0.3 m/s."""
    from tests.blender import stepper

    return stepper.save_walks(tmp_path)


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


def test_an_action_without_feet_is_measured_without(inertia: Inertia, rig_file: Path) -> None:
    done = inertia("check", rig_file, "--action", "Walk", "--max-pop", "1e-6")
    assert "note: No legs were found" in done.err
    assert done.out.startswith("Walk: frames 1 to ")
    assert "pop: " in done.out
    assert "planted" not in done.out
    assert (done.code, "gate: check of Walk: pop" in done.err) == (1, True)
    assert inertia("check", rig_file, "--action", "Walk").code == 0


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


@pytest.fixture
def mannequin(tmp_path: Path) -> Path:
    """The example clips."""
    path, script = tmp_path / "clips.blend", ROOT / "examples" / "humanoid" / "make_clips.py"
    assert runpy.run_path(str(script))["main"](["-o", str(path)]) == 0
    return path


@pytest.mark.slow  # verdicts are the same under every version
@pytest.mark.variants(1)
@pytest.mark.parametrize("feet", ["off", "lock"])
def test_a_result_is_judged_as_before_its_bake(
    inertia: Inertia, mannequin: Path, tmp_path: Path, feet: str
) -> None:
    """A foot that skates can't hide behind being found in the air."""
    out, report = tmp_path / "out.blend", tmp_path / "report.json"
    how = ("--source", "Walk", "--destination", "Run", "--cut", 24, "--enter-at", "first", "--feet", feet)
    assert inertia("bake", mannequin, *how, "-o", out, "--report", report).code == 0
    baked = json.loads(report.read_text())
    told, skate = baked["verdict"], baked["verdict"]["skate"]
    assert baked["until"] == told["until"] >= baked["window"][1]
    assert baked["until"] > baked["window"][1] or feet == "off"
    # feet that are locked are told of, too, with what they still skate
    assert [note for note in baked["notes"] if f"up to frame {told['until']:g} they differ" in note] == (
        baked["notes"] if feet == "lock" else []
    )
    check = ("check", out, "--action", baked["result"], "--report", report)
    assert inertia(*check, "--max-skate", 1.01 * skate).code == 0
    assert json.loads(report.read_text())["verdict"] == told
    done = inertia(*check, "--max-skate", 0.99 * skate)
    assert (done.code, "gate: check of Walk to Run: skate " in done.err) == (1, True)
    assert told["words"][0] in done.out
    assert json.loads(report.read_text())["over_gates"][0]["value"] == skate


@pytest.mark.slow  # verdicts are the same under every version
def test_checks_in_a_spec_have_the_verdict(inertia: Inertia, walks: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.blend"
    how = ("--cut", 20, "--destination-frame", 31, "--blend-frames", 8, "--feet", "off")
    baked = inertia("bake", walks, "--source", "Walk", "--destination", "Skating", *how, "-o", out, "--json")
    told = baked.json["verdict"]
    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps({"files": [out.name], "checks": [{"action": "Walk to Skating"}]}))
    done = inertia("batch", spec, "-o", tmp_path / "checks", "--max-lift", 10, "--max-reach", 10)
    assert done.code == 0, done.err
    checked = json.loads((tmp_path / "checks" / "Walk to Skating_check.json").read_text())
    assert (checked["verdict"], checked["verdicts"], checked["notes"]) == (told, [told], [])
    (job,) = json.loads((tmp_path / "checks" / "batch.json").read_text())["jobs"]
    assert job["verdict"] == told


def test_a_source_that_is_gone_is_told_and_feet_are_measured_all_the_same(
    inertia: Inertia, walks: Path, tmp_path: Path
) -> None:
    import bpy

    out = tmp_path / "out.blend"
    how = ("--source", "Walk", "--destination", "Skating", "--cut", 20, "--destination-frame", 31)
    inertia("bake", walks, *how, "--feet", "off", "-o", out)
    bpy.ops.wm.open_mainfile(filepath=str(out))
    bpy.data.actions.remove(bpy.data.actions["Skating"])
    bpy.ops.wm.save_mainfile()
    done = inertia("check", out, "--action", "Walk to Skating", "--max-skate", 0.001, "--json")
    assert done.code == 1
    assert 'note: Its transitions can\'t be judged: "Skating"' in done.err
    assert done.json["verdict"] is None
    # of all of the action then
    assert done.json["over_gates"][0]["value"] == max(foot["skate_m"] for foot in done.json["feet"])


def test_a_spec_names_actions_that_exist(inertia: Inertia, walks: Path, tmp_path: Path) -> None:
    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps({"files": [walks.name], "checks": [{"action": "Wlak"}]}))
    done = inertia("batch", spec, "-o", tmp_path / "out")
    assert done.code == 2
    assert 'checks[0].action: found "Wlak"' in done.err
