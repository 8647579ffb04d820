# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands behind ``blender FILE --command inertia``: they take the open file, and say why there is none."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.batch.small_rig import Run

Inertia = Callable[..., Run]

LATER = {"format": b"BLENDER17-99v9907", "since 5.0": b"BLENDER17-01v9907", "before": b"BLENDER-v997RENDH"}


@pytest.mark.parametrize("head", LATER)
@pytest.mark.parametrize("is_named", [True, False])
def test_a_file_of_a_later_blender_is_said_to_be_one(
    tmp_path: Path, fresh_file: None, inertia: Inertia, monkeypatch: Any, head: str, *, is_named: bool
) -> None:
    path = tmp_path / "new.blend"
    path.write_bytes(LATER[head] + bytes(100))
    monkeypatch.setattr(sys, "argv", ["blender", "-b", str(path), "--command", "inertia", "info"])
    done = inertia("info", *([path] if is_named else []))
    assert done.code == 1
    saved = "9.97" if head == "before" else "99.7"
    assert done.err.startswith(f'inertia: "new.blend" was saved by Blender {saved}, which is later than this')


@pytest.mark.parametrize("command", [["info"], ["matrix", "-o", "out"]])
def test_a_file_that_blender_could_not_open_is_named(
    tmp_path: Path, fresh_file: None, inertia: Inertia, monkeypatch: Any, command: list[str]
) -> None:
    path = tmp_path / "some.blend"
    path.write_bytes(b"no file of Blender's")
    monkeypatch.setattr(sys, "argv", ["blender", str(path), "--command", "inertia", *command])
    done = inertia(*command)
    assert (done.code, done.err.partition(";")[0]) == (
        1,
        'inertia: "some.blend" could not be opened, as Blender says above',
    )
    for words in (
        ["blender", "--command", "inertia"],
        ["blender", "none.blend", "-c", "inertia"],
        [str(path)],
    ):
        monkeypatch.setattr(sys, "argv", words)
        assert inertia(*command).err == "inertia: Give a FILE to read.\n"


def test_a_spec_that_names_no_files_is_of_the_open_one(
    fresh_file: None, rig_file: Path, tmp_path: Path, inertia: Inertia
) -> None:
    import bpy

    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps({"transitions": [{"source": "Walk", "destination": "Run", "cut": 20}]}))
    assert "files: found nothing" in inertia("batch", spec, "--check").err
    bpy.ops.wm.open_mainfile(filepath=str(rig_file))
    done = inertia("batch", spec, "--check")
    assert (done.code, done.out) == (0, "rig: Walk to Run, cut 20 -> Walk_to_Run.blend\n")


@pytest.mark.usefixtures("plain_letters")
def test_a_matrix_is_of_the_open_file(
    rig_file: Path, tmp_path: Path, inertia: Inertia, monkeypatch: Any
) -> None:
    import bpy

    monkeypatch.setattr(sys, "argv", ["blender", str(rig_file), "--command", "inertia", "matrix"])
    bpy.ops.wm.open_mainfile(filepath=str(rig_file))
    done = inertia("matrix", "-o", tmp_path / "out", "--by", "cost")
    assert done.code == 0, done.err
    assert json.loads((tmp_path / "out" / "matrix.json").read_text())["clips"]
