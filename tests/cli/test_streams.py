# SPDX-License-Identifier: GPL-3.0-or-later
"""Standard streams that are closed, full or not read to their end, and signals: never a traceback."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("bpy", reason="bpy is not installed here")

from tests.batch.library_files import (
    ENVIRONMENT,
    children_of,
    litter,
    start,
    wait_for_a_stop,
    without_blender,
    write_spec,
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the shell is not bash")

BAKE = ("--source", "Walk", "--destination", "Run", "--cut", "20")
FULL = pytest.param(
    ">/dev/full", marks=pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is none")
)


def shell(redirected: str, *words: object, **environment: str) -> tuple[int, str, str]:
    """Run the command line with its streams redirected; its exit code, and what came through."""
    script = f'"$@" {redirected}; exit ${{PIPESTATUS[0]}}'
    done = subprocess.run(
        ["bash", "-c", script, "-", sys.executable, "-m", "inertia_addon", *map(str, words)],
        capture_output=True,
        text=True,
        env=ENVIRONMENT | environment,
        timeout=180,
        check=False,
    )
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def spec(rig_file: Path) -> Path:
    transitions = [{"source": "Walk", "destination": "Run", "cut": 10 + i, "name": f"{i}"} for i in range(3)]
    return write_spec(rig_file.parent, {"files": [rig_file.name], "transitions": transitions})


def test_a_reader_that_goes_away_has_all_it_wanted() -> None:
    # more than a pipe holds
    code, out, err = shell("| head -n 1", "batch", "--schema")
    assert (code, out, err) == (0, "{\n", "")


@pytest.mark.variants(1)
@pytest.mark.parametrize("redirected", [">&-", FULL])
def test_a_result_that_cannot_be_written_is_a_failure(redirected: str) -> None:
    code, out, err = shell(redirected, "batch", "--schema")
    assert (code, out) == (1, "")
    assert re.fullmatch(r"inertia: Standard output could not be written: [^\n]+\.\n", err)


@pytest.mark.variants(1)
@pytest.mark.parametrize("redirected", ["2>&-", "2>/dev/full"])
def test_messages_that_nobody_takes_come_to_stand_nowhere_else(tmp_path: Path, redirected: str) -> None:
    code, out, _ = shell(redirected, "batch", tmp_path / "none.toml", "-o", tmp_path / "out", "--json")
    assert code == 1
    assert [json.loads(line)["event"] for line in out.splitlines()] == ["error"]


def test_no_file_takes_the_place_of_a_closed_stream(rig_file: Path, tmp_path: Path) -> None:
    from inertia_addon.storage.wholeness import is_whole

    out = tmp_path / "out.blend"
    code, *said = shell("<&- >&- 2>&-", "bake", rig_file, *BAKE, "-o", out)
    assert (code, said) == (0, ["", ""])
    assert is_whole(out)


@pytest.mark.variants(1)
@pytest.mark.parametrize(
    ("redirected", "expected", "events"), [("| head -n 1", 0, 1), (">&-", 1, 0), ("2>&-", 0, 5)]
)
def test_a_batch_goes_on_when_nobody_hears_of_it(
    spec: Path, tmp_path: Path, redirected: str, expected: int, events: int
) -> None:
    out = tmp_path / "out"
    environment = without_blender(spec.with_name("rig.blend"))
    code, said, err = shell(redirected, "batch", spec, "-o", out, "--json", **environment)
    assert code == expected
    assert len([json.loads(line) for line in said.splitlines()]) == events
    assert err.count("Standard output could not be written") == (events < 5)
    made = sorted(path.name for path in out.glob("[!.]*"))
    assert made == ["0.blend", "1.blend", "2.blend", "batch.json"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("spec.json", '{"files": ['),
        ("spec.json", '{"files": [], "files": []}'),
        ("spec.json", "[]"),
        ("spec.toml", "files = ["),
        ("spec.toml", b"\xff\xfe"),
        ("spec.yaml", "files: []"),
    ],
)
def test_a_faulty_spec_is_wrong_usage(inertia: Any, tmp_path: Path, name: str, text: str | bytes) -> None:
    (tmp_path / name).write_bytes(text.encode() if isinstance(text, str) else text)
    run = inertia("batch", tmp_path / name, "-o", tmp_path / "out", "--json")
    assert run.code == 2
    assert [json.loads(line)["event"] for line in run.out.splitlines()] == ["error"]


@pytest.mark.parametrize(
    "words",
    [
        ("info", "none.glb"),
        ("info", "--speed"),
        ("matrix", "-o", "out"),
        ("matrix", "none.glb", "--best", "3"),
        ("batch", "none.toml", "-o", "out"),
        ("batch", "none.toml", "--jobs", "many"),
        ("nonsense",),
    ],
)
def test_an_error_is_one_line_of_json(inertia: Any, words: tuple[str, ...]) -> None:
    run = inertia(*words, "--json")
    assert run.code in (1, 2)
    (line,) = run.out.splitlines()
    assert json.loads(line)["event"] == "error"
    # a batch that says events says nothing else
    assert run.err in ("", f"inertia: {json.loads(line)['error']}\n")


def test_a_fault_of_its_own_is_one_line_of_json(inertia: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from inertia_addon.cli import options

    def fail(arguments: object) -> None:
        raise ZeroDivisionError("\x1b]0;owned\x07")

    monkeypatch.setattr(options, "input_files", fail)
    run = inertia("info", "a.blend", "--json")
    assert run.code == 1
    (line,) = run.out.splitlines()
    assert json.loads(line)["error"].startswith("Inertia itself failed: ZeroDivisionError: ")
    assert "Traceback" in run.err
    assert "\x1b" not in run.out + run.err


def test_a_result_is_one_line_of_json(inertia: Any, rig_file: Path) -> None:
    run = inertia("info", rig_file, "--json")
    (line,) = run.out.splitlines()
    assert json.loads(line)["fps"] == 24.0


def test_the_version_is_that_of_the_manifest(inertia: Any) -> None:
    manifest = (Path(__file__).parents[2] / "blender_manifest.toml").read_text(encoding="utf-8")
    (version,) = re.findall(r'(?m)^version = "(.*)"$', manifest)
    run = inertia("--version")
    assert (run.code, run.out, run.err) == (0, f"Inertia {version}\n", "")


def test_a_command_that_is_nobody_s_to_call_is_not_listed(inertia: Any) -> None:
    assert "worker" not in inertia("--help").out
    wrong = inertia("wroker")
    assert wrong.code == 2
    assert "batch" in wrong.err
    assert "worker" not in wrong.err


EVIL = "=\x1b]0;x\x07\u202eA\n\x9b31m"
"""A name that sets a terminal's title and colour, turns a line around, breaks it, and is a formula."""


@pytest.mark.usefixtures("plain_letters")
def test_names_do_nothing_to_a_terminal(inertia: Any, rig_file: Path, tmp_path: Path) -> None:
    import bpy

    bpy.ops.wm.open_mainfile(filepath=str(rig_file))
    bpy.data.actions["Walk"].name = EVIL
    bpy.data.objects["Rig"].name = EVIL
    bpy.data.objects[EVIL].data.bones["Head"].name = EVIL
    bpy.ops.wm.save_mainfile()
    shown = r"=\x1b]0;x\x07\u202eA\n\x9b31m"
    words = ("--source", EVIL, "--destination", "Run", "--cut", 20)
    out, table = tmp_path / "out.blend", tmp_path / "fit.csv"
    runs = [
        inertia("info", rig_file),
        inertia("cost", rig_file, *words, "--by", "cost"),
        inertia("bake", rig_file, *words, "-o", out),
        inertia("fit", rig_file, "--csv", table),
        inertia("hop", rig_file, *words[:4], "--longest-stay", 2),
        inertia("cost", rig_file, "--source", "None", "--destination", "Run"),
        inertia("info", rig_file, f"--{EVIL}"),
        inertia("matrix", rig_file, "-o", tmp_path / "m", "--by", "cost"),
    ]
    assert [run.code for run in runs] == [0, 0, 0, 0, 0, 1, 2, 0], runs
    assert all(shown in run.out + run.err for run in runs[:5])
    for run in runs:
        assert not set(run.out + run.err) & {"\x1b", "\x07", "\u202e", "\x9b"}
        assert all(line.startswith("inertia: ") for line in run.err.splitlines())
    assert inertia("info", rig_file, "--json").json["armatures"][0]["name"] == EVIL
    page = (tmp_path / "m" / "matrix.html").read_text(encoding="utf-8")
    assert not set(page) & {"\x1b", "\u202e", "\x9b", "\x07"}
    assert "u202eA" in page
    for path in (table, tmp_path / "m" / "matrix.csv"):
        with path.open(newline="", encoding="utf-8") as file:
            cells = [cell for row in csv.reader(file) for cell in row]
        assert f"'{EVIL}" in cells
        assert all(not cell.startswith(("=", "+", "@")) for cell in cells)
        assert any(float(cell) for cell in cells if re.fullmatch(r"-?[0-9.e+-]+", cell))


WAITS = """
import os, sys, threading
from pathlib import Path
from inertia_addon.cli import program
from inertia_addon.storage import safe_write

def run(arguments):
    with safe_write.replace_safely(Path("half.txt")) as path:
        path.write_text("half")
        os.write(int(sys.argv.pop()), b"x")
        while True:
            try:
                threading.Event().wait()
            except BaseException:
                # as Blender does where it calls scripts of its own
                continue

program.COMMANDS["info"].run = run
program.run_as_program()
"""


@pytest.mark.variants(1)
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_command_wherever_it_is(tmp_path: Path, number: int, code: int) -> None:
    ready, write = os.pipe()
    with subprocess.Popen(
        [sys.executable, "-c", WAITS.replace("sys.argv.pop()", str(write)), "info", "a.blend", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env=ENVIRONMENT,
        pass_fds=[write],
    ) as running:
        os.close(write)
        assert os.read(ready, 1) == b"x"
        os.close(ready)
        running.send_signal(number)
        out, err = running.communicate(timeout=60)
    assert running.returncode == code
    (line,) = out.splitlines()
    assert json.loads(line)["event"] == "stopped"
    assert err == f"inertia: {json.loads(line)['error']}\n"
    assert list(tmp_path.iterdir()) == []


def test_a_batch_that_is_asked_to_terminate_ends_at_once(spec: Path, tmp_path: Path) -> None:
    out, temporary = tmp_path / "out", tmp_path / "temporary"
    temporary.mkdir()
    environment = without_blender(spec.with_name("rig.blend"), stops=True)
    running = start(spec, out, "--json", **environment, TMPDIR=str(temporary))
    # what is begun never comes to its end
    wait_for_a_stop(running)
    running.send_signal(signal.SIGTERM)
    rest, said = running.communicate(timeout=60)
    assert (running.returncode, "Traceback" in said) == (143, False)
    assert [json.loads(line)["event"] for line in rest.splitlines()[-2:]] == ["summary", "stopped"]
    assert litter(out) == []
    assert list(temporary.iterdir()) == []


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="children are found in /proc")
@pytest.mark.variants(1)
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_batch_is_stopped_while_it_looks_at_its_inputs(
    spec: Path, tmp_path: Path, number: int, code: int
) -> None:
    out = tmp_path / "out"
    running = start(spec, out, "--json")
    # to start takes a worker a while
    while not children_of(running.pid):
        assert running.poll() is None
    running.send_signal(number)
    said, err = running.communicate(timeout=60)
    assert (running.returncode, "Traceback" in err) == (code, False)
    assert [json.loads(line)["event"] for line in said.splitlines()] == ["stopped"]
    assert [path.name for path in out.iterdir()] == [".inertia"]
