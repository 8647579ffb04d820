# SPDX-License-Identifier: GPL-3.0-or-later
"""However a run ends, nothing of it is left in the folder of temporary files."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.batch.work import worker
from tests.batch.library_files import ENVIRONMENT, children_of, start, wait_for_a_job, write_spec

needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="children are found in /proc")

JOBS = 3


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    return folder


@pytest.fixture
def spec(rig_file: Path) -> Path:
    walk = {"source": "Walk", "destination": "Run", "enter_at": "first", "name": "{cut}"}
    transitions = [{**walk, "cut": 5 + i} for i in range(JOBS)]
    return write_spec(rig_file.parent, {"files": [rig_file.name], "transitions": transitions})


@needs_proc
def test_a_check_that_is_stopped_leaves_nothing(spec: Path, temporary: Path) -> None:
    words = [sys.executable, "-m", "inertia_addon", "batch", str(spec), "--check"]
    environment = {**ENVIRONMENT, "TMPDIR": str(temporary)}
    with subprocess.Popen(words, stderr=subprocess.PIPE, env=environment) as running:
        while not list(temporary.rglob("blender_*")):
            with pytest.raises(subprocess.TimeoutExpired):
                running.wait(timeout=0.02)
        running.send_signal(signal.SIGTERM)
        running.communicate(timeout=60)
    assert running.returncode == 143
    assert list(temporary.iterdir()) == []


@needs_proc
def test_a_worker_whose_run_was_killed_leaves_nothing(spec: Path, tmp_path: Path, temporary: Path) -> None:
    running = start(spec, tmp_path / "out", "--json", TMPDIR=str(temporary))
    wait_for_a_job(running)
    (worker,) = children_of(running.pid)
    running.kill()
    running.communicate(timeout=60)
    while Path(f"/proc/{worker}").exists() and "Z" not in Path(f"/proc/{worker}/stat").read_text().split():
        pass
    assert list(temporary.iterdir()) == []


STOPPED = """
import signal, sys
from inertia_addon.cli import program
from inertia_addon.storage import safe_write
number = int(sys.argv.pop(1))
safe_write._check_written = lambda *_: signal.raise_signal(number)
program.run_as_program()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no process can interrupt itself there")
@pytest.mark.variants(1)
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_command_that_is_stopped_leaves_no_temporary_file(
    rig_file: Path, temporary: Path, number: int, code: int
) -> None:
    words = ["bake", rig_file, "--source", "Walk", "--destination", "Run", "--cut", "5", "-o", "out.blend"]
    old = rig_file.with_name("out.blend")
    old.write_text("old")
    before = sorted(rig_file.parent.iterdir())
    done = program(temporary, "-c", STOPPED, int(number), *words)
    assert (done.returncode, done.stdout, done.stderr) == (
        code,
        "",
        "inertia: Stopped; what was not complete by then was not written.\n",
    )
    assert (old.read_text(), sorted(rig_file.parent.iterdir())) == ("old", before)
    assert list(temporary.iterdir()) == []


def test_a_user_s_own_folder_of_temporary_files_is_left_alone(temporary: Path) -> None:
    import bpy

    files = bpy.context.preferences.filepaths
    before = files.temporary_directory
    try:
        worker._keep_within(temporary)
        assert Path(bpy.app.tempdir).parent == temporary
    finally:
        files.temporary_directory = before


def program(temporary: Path, *words: object) -> subprocess.CompletedProcess[str]:
    """Run Python in a process of its own."""
    return subprocess.run(
        [sys.executable, *map(str, words)],
        capture_output=True,
        text=True,
        env={**ENVIRONMENT, "TMPDIR": str(temporary)},
        cwd=temporary.parent,
        timeout=120,
        check=False,
    )
