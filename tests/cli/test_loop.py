# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``loop``, and loops in specs: found, made, judged, and what can't be."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.batch.small_rig import Run

Inertia = Callable[..., Run]


@pytest.fixture
def walks(tmp_path: Path, fresh_file: None) -> Path:
    """A file with a walk that skates on from step to step, so that it closes nowhere."""
    import bpy

    from tests.blender import builders, stepper

    armature = stepper.biped()
    walk = stepper.walk(armature, "Walk", frames=80)
    nods = [(frame, 0.01 * (frame - 40.0)) for frame in (1.0, 80.0)]
    builders.curve(walk, builders.bone_path("chest", "location"), 1, nods, slot="OBWalker")
    walk.use_fake_user = True
    path = tmp_path / "walks.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return path


def test_the_best_stretches_are_listed_and_one_is_made(inertia: Inertia, walks: Path) -> None:
    before = walks.read_bytes()
    out = walks.with_name("out.blend")
    done = inertia("loop", walks, "--action", "Walk", "--find", "2", "--rank", "2", "-o", out, "--json")
    assert (done.code, done.err) == (0, "")
    told = done.json
    assert [one["end"] - one["start"] for one in told["found"]] == [24.0, 24.0]
    assert (told["start"], told["end"]) == (told["found"][1]["start"], told["found"][1]["end"])
    assert told["quality"]["gap"] < 1e-5 < told["quality"]["gap_before"]
    assert told["quality"]["seam"] <= 1.0
    assert walks.read_bytes() == before
    again = inertia("loop", out, "--action", "Walk loop", "-o", walks.with_name("again.blend"))
    assert (again.code, again.err.count("\n")) == (1, 1)
    assert "already loop" in again.err
    listed = inertia("loop", walks, "--action", "Walk", "--find", "3")
    assert len(listed.out.splitlines()) == 4


def test_a_range_is_looped_and_a_gate_judges_its_seam(inertia: Inertia, walks: Path) -> None:
    out = walks.with_name("out.glb")
    made = ("loop", walks, "--action", "Walk", "--range", "5", "30.5", "--repeat", "keyed", "-o", out)
    done = inertia(*made, "--cycles", "3", "--max-seam", "0.001")
    assert done.code == 1
    assert "gate: Walk loop: seam" in done.err
    assert "runs from frame 5 to 81.5" in done.out
    assert out.is_file()


def test_a_loops_seam_has_a_verdict_which_its_check_repeats(
    inertia: Inertia, walks: Path, tmp_path: Path
) -> None:
    out, report = tmp_path / "out.blend", tmp_path / "report.json"
    made = ("loop", walks, "--action", "Walk", "--range", 5, 30, "-o", out, "--report", report)
    done = inertia(*made, "--max-pop", 0)
    assert (done.code, "gate: Walk loop: pop" in done.err) == (1, True)
    told = json.loads(report.read_text())["verdict"]
    assert all(words in done.out for words in told["words"])
    checked = inertia("check", out, "--action", "Walk loop", "--json").json
    assert (checked["verdict"], checked["verdicts"], checked["notes"]) == (told, [told], [])


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--range", "5", "300", "-o", "x.blend"), 1, "are not all within"),
        ((), 2, "Give -o OUT"),
        (("--rank", "2", "-o", "x.blend"), 2, "for --find N"),
        (("--find", "1", "--shortest-frames", "90", "--longest-frames", "95"), 1, "fewer than"),
        (("--find", "1", "--shortest-frames", "9", "--longest-frames", "5"), 2, "swap the two"),
        (("--half-life", "1", "--method", "cubic", "-o", "x.blend"), 2, "--method spring"),
    ],
)
def test_a_loop_that_can_not_be_is_told(
    inertia: Inertia, walks: Path, options: tuple[str, ...], code: int, words: str
) -> None:
    done = inertia("loop", walks, "--action", "Walk", *options)
    assert (done.code, done.err.count("\n")) == (code, 1)
    assert words in done.err
    assert not Path("x.blend").exists()


def test_a_spec_has_loops_made(inertia: Inertia, walks: Path, tmp_path: Path) -> None:
    spec = tmp_path / "spec.json"
    loops = [{"action": "all", "find": True}, {"action": "Walk", "range": [5, 30], "name": "range"}]
    spec.write_text(json.dumps({"files": [walks.name], "loops": loops}))
    out = tmp_path / "out"
    done = inertia("batch", spec, "-o", out, "--max-seam", "1.1")
    assert (done.code, sorted(path.name for path in out.glob("*.blend"))) == (
        0,
        ["Walk_loop.blend", "range.blend"],
    )
    jobs = json.loads((out / "batch.json").read_text())["jobs"]
    assert all(job["verdict"][0].startswith(("Good: ", "Fair: ", "Poor: ")) for job in jobs)
    done = inertia("batch", spec, "-o", out, "--resume", "--max-pop", "0")
    assert (done.code, done.err.count("gate: ")) == (1, 2)
    spec.write_text(json.dumps({"files": [walks.name], "loops": [{"action": "Walk", "range": [5, 300]}]}))
    done = inertia("batch", spec, "-o", out)
    assert done.code == 2
    assert "loops[0].range: found" in done.err


def test_a_spec_tells_of_loops_without_legs(inertia: Inertia, rig_file: Path, tmp_path: Path) -> None:
    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps({"files": [rig_file.name], "loops": [{"action": "Run", "find": True}]}))
    done = inertia("batch", spec, "-o", tmp_path / "out")
    assert done.code == 0
    (job,) = json.loads((tmp_path / "out" / "batch.json").read_text())["jobs"]
    assert any("No legs were found" in said for said in job["warnings"])
