# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``pops``, and pops in specs: what is found, what is written, and where gates stop it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.batch.small_rig import Run

Inertia = Callable[..., Run]


@pytest.fixture
def takes(tmp_path: Path, fresh_file: None) -> Path:
    """A file with an action in which a bone turns aside for a frame, and one in which nothing does."""
    import bpy

    from tests.blender import builders

    builders.rig({"A": None, "B": "A"})
    for name, size in (("Glitch", 0.7), ("Clean", 0.0)):
        made = builders.action(name)
        for i in range(3):
            turn = builders.wave(made, builders.bone_path("B", "rotation_euler"), i, 0.3, phase=i)
            turn.keyframe_points[20].co[1] += size * (i == 0)
            turn.update()
        made.use_fake_user = True
    path = tmp_path / "takes.blend"
    bpy.data.objects["Rig"].pose.bones["B"].rotation_mode = "XYZ"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return path


def test_pops_are_told_and_smoothed(inertia: Inertia, takes: Path, tmp_path: Path) -> None:
    before = takes.read_bytes()
    done = inertia("pops", takes, "--action", "Glitch", "--json")
    (pop,) = done.json["pops"]
    assert (pop["bone"], pop["kind"], pop["first"], pop["unit"]) == ("B", "spike", 21.0, "degrees")
    assert pop["size"] == pytest.approx(40.0, abs=4.0)
    assert pop["times"] > 6.0
    lines = inertia("pops", takes, "--action", "Glitch").out.splitlines()
    assert lines[0] == "Glitch: 1 pop"
    assert lines[2].split()[:4] == ["B", "21", "rotation", "spike"]
    out = tmp_path / "out.blend"
    done = inertia("pops", takes, "--action", "Glitch", "--repair", "-o", out, "--result", "Mended", "--json")
    assert (done.code, done.json["report"]["result"], done.json["report"]["left"]) == (0, "Mended", 0)
    assert done.json["verdict"]["rating"] == "GOOD"
    assert inertia("pops", out, "--action", "Mended").out == "Mended: no pops\n"
    assert (
        inertia("check", out, "--action", "Mended").out.splitlines()[-1] == done.json["verdict"]["words"][0]
    )
    assert takes.read_bytes() == before


def test_a_gate_stops_what_pops(inertia: Inertia, takes: Path, tmp_path: Path) -> None:
    done = inertia("pops", takes, "--action", "Glitch", "--max-pops", "0")
    assert done.code == 1
    assert "gate: Glitch: pops 1 exceeds 0" in done.err
    assert inertia("pops", takes, "--action", "Glitch", "--strictness", "100", "--max-pops", "0").code == 0
    repair = ("--repair", "-o", tmp_path / "out.bvh", "--max-pops", "0")
    assert inertia("pops", takes, "--action", "Glitch", *repair).code == 0


@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        (("Clean", "--repair", "-o", "out.blend"), 1, 'Nothing pops in "Clean"'),
        (("Glitch", "--repair", "-o", "out.blend", "--pop", "B@3"), 1, 'Nothing pops at "B@3"'),
        (("Glitch", "--repair"), 2, "Give --repair with -o OUT"),
        (("Glich",), 1, "Glich"),
    ],
)
def test_pops_that_cannot_be_smoothed_are_told(
    inertia: Inertia,
    takes: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    given: tuple[str, ...],
    code: int,
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    done = inertia("pops", takes, "--action", *given)
    assert done.code == code
    assert said in done.err
    assert not (tmp_path / "out.blend").exists()


def test_a_file_is_named_with_its_folder(inertia: Inertia, takes: Path, tmp_path: Path) -> None:
    out = tmp_path / "smoothed" / "o.fbx"
    out.parent.mkdir()
    done = inertia("pops", takes, "--action", "Glitch", "--repair", "-o", out)
    assert done.code == 0, done.err
    assert str(out) in done.out + done.err


def test_specs_list_and_smooth_pops(inertia: Inertia, takes: Path, tmp_path: Path) -> None:
    spec, out = tmp_path / "spec.json", tmp_path / "out"
    entries = [{"action": "all"}, {"action": "all", "formats": ["blend"], "name": "{action} mended"}]
    spec.write_text(json.dumps({"files": [takes.name], "pops": entries}))
    done = inertia("batch", spec, "-o", out, "--max-pops", "0")
    assert done.code == 1
    assert done.err.count("gate: ") == 1
    told = json.loads((out / "Glitch_pops.json").read_text())
    assert [pop["first"] for pop in told["pops"]] == [21.0]
    assert json.loads((out / "Clean_pops.json").read_text())["pops"] == []
    made = inertia("pops", out / "Glitch mended.blend", "--action", "Glitch smoothed")
    assert made.out == "Glitch smoothed: no pops\n"
    assert (out / "Clean mended.blend").is_file()


def test_the_only_action_need_not_be_named(inertia: Inertia, takes: Path, tmp_path: Path) -> None:
    done = inertia("pops", takes)
    assert done.code == 1
    assert 'The file has several actions; choose one with --action: "Clean", "Glitch".' in done.err
    out = tmp_path / "out.glb"
    assert inertia("pops", takes, "--action", "Glitch", "--repair", "-o", out).code == 0
    assert inertia("pops", out).out.startswith("Glitch smoothed")
    checked = inertia("check", out)
    assert (checked.code, checked.out.startswith("Glitch smoothed")) == (0, True)
    assert 'note: No legs were found on "Rig"' in checked.err
    assert "pop: " in checked.out
