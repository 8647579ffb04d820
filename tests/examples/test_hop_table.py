# SPDX-License-Identifier: GPL-3.0-or-later
"""The example makes a table, its reader reads it, and what it says can be done."""

from __future__ import annotations

import contextlib
import io
import os
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.cli import program

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "hop"


def in_this_process(
    command: list[str], cwd: Path | None = None, **how: object
) -> subprocess.CompletedProcess[str]:
    """What the example starts, without another process, which has to read Blender first."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said, pytest.MonkeyPatch.context() as patched:
        kept = os.dup(1)
        os.dup2(said.fileno(), 1)
        try:
            if "inertia_addon" in command:
                patched.chdir(str(cwd))
                code = program.main(command[command.index("inertia_addon") + 1 :])
            else:
                code = runpy.run_path(command[1])["main"](command[2:])
        finally:
            os.dup2(kept, 1)
            os.close(kept)
        said.seek(0)
        assert code == 0
        return subprocess.CompletedProcess(command, code, said.read())


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hop")
    said, script = io.StringIO(), str(FOLDER / "make_table.py")
    with pytest.MonkeyPatch.context() as patched, contextlib.redirect_stdout(said):
        patched.setattr(subprocess, "run", in_this_process)
        patched.setattr(sys, "argv", [script, "-o", str(folder)])
        runpy.run_path(script, run_name="__main__")
    assert "best by way of" in said.getvalue()
    return folder


@pytest.mark.slow
def test_the_picture_is_made(made: Path) -> None:
    assert (made / "hops.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("words", "told"), [(("Run", "Idle", "24"), "blend into Walk"), (("Turn", "Idle", "20"), "destination")]
)
def test_the_reader_says_what_to_do(made: Path, words: tuple[str, ...], told: str) -> None:
    command = [sys.executable, str(FOLDER / "read_table.py"), str(made / "hops.npz"), *words]
    assert told in subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_hops_are_never_worse_than_direct_transitions(made: Path) -> None:
    with np.load(made / "hops.npz") as data:
        known = np.isfinite(data["direct"])
        assert known.any()
        assert np.all(data["cost"][known] <= data["direct"][known])


def test_the_documented_fields_are_those_of_the_file(made: Path) -> None:
    text = (FOLDER / "README.md").read_text()
    with np.load(made / "hops.npz") as data:
        assert set(data.files) == {"about", "table", "blends", "cost", "direct"}
        assert all(f"`{name}`" in text for name in data.files)
