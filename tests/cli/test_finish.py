# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``finish``, and takes in specs: what is found, what is written, and where gates stop it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.batch.small_rig import Run

Inertia = Callable[..., Run]


@pytest.fixture
def takes(tmp_path: Path, fresh_file: None) -> Path:
    """A file with a walk whose feet skate, and one whose feet stand still."""
    import bpy

    from tests.blender import stepper

    armature = stepper.biped()
    stepper.walk(armature, "Skates", frames=73, skate=0.15).use_fake_user = True
    stepper.walk(armature, "Stands", frames=73).use_fake_user = True
    path = tmp_path / "takes.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return path


def test_findings_are_told_and_mended(inertia: Inertia, takes: Path, tmp_path: Path) -> None:
    before = takes.read_bytes()
    done = inertia("finish", takes, "--action", "Skates", "--json")
    findings = done.json["findings"]
    assert {each["kind"] for each in findings} == {"skate"}
    assert done.json["left"] == len(findings)
    assert (done.json["report"], done.json["facts"]["legs"]) == (None, 2)
    lines = inertia("finish", takes, "--action", "Skates").out.splitlines()
    assert lines[0] == f"Skates: {len(findings)} findings"
    assert "24 frames a second" in lines[1]
    assert lines[3].split()[0] == findings[0]["name"]
    out = tmp_path / "out.blend"
    done = inertia("finish", takes, "--action", "Skates", "-o", out, "--result", "Done", "--json")
    assert (done.code, done.json["report"]["result"], done.json["left"]) == (0, "Done", 0)
    assert {each["became"] for each in done.json["report"]["outcomes"]} == {"gone"}
    report = done.json["report"]
    worst = report["before"]["worst"]
    assert worst in {each["name"] for each in report["outcomes"]}
    assert report["after"] == done.json["verdict"]
    assert report["after"] == {"rating": "GOOD", "words": ["Good: no fault is seen."], "worst": None}
    assert inertia("finish", out, "--action", "Done").out.splitlines()[0] == "Done: no findings"
    text = inertia("finish", takes, "--action", "Skates", "-o", tmp_path / "text.blend").out
    assert "gone" in text
    assert "  after: Good: no fault is seen." in text.splitlines()
    assert '"Skates finished" is written to' in text
    assert takes.read_bytes() == before


def test_a_take_without_findings_is_written_as_it_is(inertia: Inertia, takes: Path, tmp_path: Path) -> None:
    done = inertia("finish", takes, "--action", "Stands", "-o", tmp_path / "out.glb", "--json")
    assert (done.code, done.json["report"], done.json["left"]) == (0, None, 0)
    assert (tmp_path / "out.glb").is_file()


def test_a_gate_stops_what_has_findings(inertia: Inertia, takes: Path, tmp_path: Path) -> None:
    done = inertia("finish", takes, "--action", "Skates", "--max-findings", "0")
    assert done.code == 1
    assert "gate: Skates: findings" in done.err
    out = ("-o", tmp_path / "out.blend")
    assert inertia("finish", takes, "--action", "Skates", *out, "--max-findings", "0").code == 0
    left = (*out, "--leave", "skate")
    assert inertia("finish", takes, "--action", "Skates", *left, "--max-findings", "0").code == 1


def test_a_name_of_no_finding_is_refused(inertia: Inertia, takes: Path) -> None:
    done = inertia("finish", takes, "--action", "Skates", "--leave", "skid")
    assert (done.code, 'No finding is called "skid"' in done.err) == (2, True)


def test_specs_list_and_finish_takes(inertia: Inertia, takes: Path, tmp_path: Path) -> None:
    spec, out = tmp_path / "spec.json", tmp_path / "out"
    entries = [{"action": "all"}, {"action": "all", "formats": ["blend"], "name": "{action} done"}]
    spec.write_text(json.dumps({"files": [takes.name], "finishes": entries}))
    done = inertia("batch", spec, "-o", out)
    assert done.code == 0, done.err
    assert json.loads((out / "Skates_finished.json").read_text())["findings"]
    assert json.loads((out / "Stands_finished.json").read_text())["findings"] == []
    assert (out / "Stands done.blend").is_file()
    assert (out / "Skates done.blend").is_file()


def test_a_finished_take_is_put_into_another_action(inertia: Inertia, takes: Path, tmp_path: Path) -> None:
    out, into = tmp_path / "out.blend", ("--into", "Stands", "--at", "40")
    done = inertia("finish", takes, "--action", "Skates", *into, "-o", out, "--json")
    assert done.code == 0, done.err
    assert (done.json["report"]["result"], done.json["left"]) == ("Skates finished", 0)
    inserted = done.json["inserted"]
    assert (inserted["result"], inserted["way"]["trigger"]) == ("Stands with Skates finished", 40.0)
    assert inserted["way"]["clips"] == ["Skates finished"]
    named = ("--action", "Stands", "--into", "Skates", "--result", "Both")
    text = inertia("finish", takes, *named, "-o", out).out
    assert '"Both" is written to' in text
    checked = inertia("check", out, "--action", "Both", "--json").json
    assert (checked["action"], len(checked["verdicts"])) == ("Both", 2)


def test_a_place_that_cant_be_is_refused(inertia: Inertia, takes: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.blend"
    done = inertia("finish", takes, "--action", "Skates", "--at", "40", "-o", out)
    assert (done.code, "and no action" in done.err) == (2, True)
    done = inertia("finish", takes, "--action", "Skates", "--into", "Stands", "--at", "400", "-o", out)
    assert (done.code, "Frame 400 does not lie within" in done.err, out.exists()) == (1, True, False)


def test_specs_put_takes_into_another_action(inertia: Inertia, takes: Path, tmp_path: Path) -> None:
    spec, out = tmp_path / "spec.json", tmp_path / "out"
    entry = {"action": "Skates", "into": "Stands", "at": 40, "formats": ["blend"]}
    spec.write_text(json.dumps({"files": [takes.name], "finishes": [entry]}))
    done = inertia("batch", spec, "-o", out)
    assert done.code == 0, done.err
    assert (out / "Stands_with_Skates.blend").is_file()
