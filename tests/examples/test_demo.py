# SPDX-License-Identifier: GPL-3.0-or-later
"""The demo runs as a newcomer runs it, and says what is missing."""

from __future__ import annotations

import json
import runpy
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.batch.small_rig import Run

ROOT = Path(__file__).resolve().parents[2]


SCRIPT = str(ROOT / "examples" / "demo" / "make_demo.py")


@pytest.fixture
def demo(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], fresh_file: None
) -> Callable[..., Run]:
    """Runs it here."""

    def run(*arguments: object, methods: int | None = None) -> Run:
        """methods: so many of its curves, None for all."""
        monkeypatch.setattr(sys, "path", [str(Path(SCRIPT).parent), *sys.path])
        monkeypatch.setattr(sys, "argv", [SCRIPT, *map(str, arguments)])
        main = runpy.run_path(SCRIPT)["main"]
        main.__globals__["METHODS"] = dict([*main.__globals__["METHODS"].items()][:methods])
        code = main()
        return Run(code, *capsys.readouterr())

    return run


def test_the_demo_leaves_a_file_a_report_and_a_picture(demo: Callable[..., Run], tmp_path: Path) -> None:
    done = demo("--output", tmp_path)
    assert done.code == 0, done.err
    reports = json.loads((tmp_path / "demo.json").read_text())
    assert list(reports) == ["quintic", "quintic, zero jerk", "cubic", "spring", "dead blending"]
    assert all(report["keys"] > 1000 for report in reports.values())
    assert (tmp_path / "demo.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "demo.blend").stat().st_size > 10_000


@pytest.mark.slow
@pytest.mark.usefixtures("plain_letters")
def test_the_demo_takes_a_file(demo: Callable[..., Run], tmp_path: Path, data_dir: Path) -> None:
    words = ("--source", "Walk", "--destination", "Run", "--cut", 8)
    done = demo("--output", tmp_path, "--file", data_dir / "glb" / "Fox.glb", *words, methods=1)
    assert done.code == 0, done.err
    assert (tmp_path / "demo.png").exists()


def test_the_demo_says_what_is_missing(demo: Callable[..., Run], tmp_path: Path, data_dir: Path) -> None:
    done = demo("--output", tmp_path, "--file", data_dir / "glb" / "Fox.glb")
    assert done.code == 1
    assert "Give SOURCE and DESTINATION" in done.err
    assert "Traceback" not in done.err
    assert list(tmp_path.iterdir()) == []
