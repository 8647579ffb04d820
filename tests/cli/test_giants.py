# SPDX-License-Identifier: GPL-3.0-or-later
"""A capture that is read in other units than it was made in: every command says so, and which scale helps."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("bpy", reason="bpy is not installed here")

from tests.batch.library_files import Batch, events, write_spec
from tests.batch.small_rig import Run

Inertia = Callable[..., Run]
pytestmark = pytest.mark.usefixtures("plain_letters")

CHANNELS = "CHANNELS 3 Zrotation Xrotation Yrotation"
JOINT = f"JOINT {{}}\n{{{{\nOFFSET 0 {{}} 0\n{CHANNELS}\nEnd Site\n{{{{\nOFFSET 0 1 0\n}}}}\n}}}}"
ENDS = ("--source", "walk", "--destination", "run")


def capture(path: Path, unit: float) -> Path:
    """Somebody of 1.6 m between foot and head, in a unit in metres; 40 frames of a walk."""
    joints = "\n".join(JOINT.format(name, y / unit) for name, y in (("Foot", -0.9), ("Head", 0.7)))
    head = "OFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"
    lines = [f"{0.02 * i / unit} {0.9 / unit} 0 0 0 0 0 {i % 9} 0 0 {i % 5} 0" for i in range(40)]
    motion = "\n".join(["MOTION", "Frames: 40", "Frame Time: 0.0333333", *lines])
    path.write_text(f"HIERARCHY\nROOT Hips\n{{\n{head}\n{joints}\n}}\n{motion}\n")
    return path


@pytest.mark.parametrize(
    ("unit", "scale", "said"),
    [
        (0.01, None, '"walk.bvh" holds a giant of 160 m at a scale of 1; a scale of 0.01 makes that 1.6 m.'),
        (0.0254, 1, "a giant of 63 m at a scale of 1; a scale of 0.0254 makes that 1.6 m."),
        (0.001, 0.1, "a giant of 160 m at a scale of 0.1; a scale of 0.001 makes that 1.6 m."),
        (0.0564, None, "a giant of 28.4 m at a scale of 1; a scale of 0.06 makes that 1.7 m."),
        (1.0, None, ""),
        (0.01, 0.01, ""),
    ],
)
def test_the_scale_that_would_make_a_person_is_said(
    inertia: Inertia, fresh_file: None, tmp_path: Path, unit: float, scale: float | None, said: str
) -> None:
    walk = capture(tmp_path / "walk.bvh", unit)
    done = inertia("info", walk, "--json", *(() if scale is None else ("--scale", scale)))
    assert done.code == 0, done.err
    assert len(done.json["warnings"]) == bool(said)
    assert all(said in warning for warning in done.json["warnings"])
    assert ("note: " in done.err, said in done.err) == (bool(said), True)


@pytest.mark.slow  # sentences are the same under every version
def test_every_command_says_that_a_character_is_a_giant(
    inertia: Inertia, fresh_file: None, tmp_path: Path
) -> None:
    takes = [capture(tmp_path / f"{name}.bvh", 0.01) for name in ("walk", "run")]
    said = '"walk.bvh" holds a giant of 160 m'
    out, folder = tmp_path / "out.blend", tmp_path / "matrix"
    for words in (
        ("bake", *takes, *ENDS, "--cut", 20, "--enter-at", "first", "-o", out),
        ("cost", *takes, *ENDS, "--by", "cost"),
        ("fit", *takes),
        ("hop", *takes, *ENDS, "--trigger", 10),
    ):
        done = inertia(*words, "--json")
        assert done.code == 0, done.err
        assert any(said in warning for warning in done.json["warnings"]), words
        assert f"note: {said}" in done.err
    assert f"note: {said}" in inertia("matrix", *takes, "--by", "cost", "-o", folder).err
    assert said in json.loads((folder / "matrix.json").read_text())["warnings"][0]
    # a .blend says what its units are, and is not doubted
    assert inertia("info", out, "--json").json["warnings"] == []


def test_a_batch_says_it_of_each_input(tmp_path: Path, batch: Batch) -> None:
    for name, unit in (("walk", 0.01), ("run", 1.0)):
        capture(tmp_path / f"{name}.bvh", unit)
    values = {"files": ["walk.bvh", "run.bvh"], "each_file": True}
    own = [
        {"files": [f"{name}.bvh"], "source": name, "destination": name, "cut": 20, "enter_at": "first"}
        for name in ("walk", "run")
    ]
    spec = write_spec(tmp_path, {**values, "transitions": own})
    for more in ((), ("--resume",)):
        notes = [event for event in events(batch(spec, tmp_path / "out", "--json", *more)) if "note" in event]
        assert [Path(note["files"][0]).name for note in notes] == ["walk.bvh"]
        assert "a scale of 0.01 makes that 1.6 m" in notes[0]["note"]
    (warning,) = json.loads((tmp_path / "out" / "batch.json").read_text())["warnings"]
    assert warning == notes[0]["note"]
