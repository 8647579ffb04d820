# SPDX-License-Identifier: GPL-3.0-or-later
"""The demo runs as a newcomer runs it, and says what is missing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def demo(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "examples" / "demo" / "make_demo.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_demo_leaves_a_file_a_report_and_a_picture(tmp_path: Path) -> None:
    done = demo("--output", str(tmp_path))
    assert done.returncode == 0, done.stderr
    reports = json.loads((tmp_path / "demo.json").read_text())
    assert list(reports) == ["quintic", "quintic, zero jerk", "cubic", "spring", "dead blending"]
    assert all(report["keys"] > 1000 for report in reports.values())
    assert (tmp_path / "demo.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "demo.blend").stat().st_size > 10_000


def test_the_demo_takes_a_file(tmp_path: Path, data_dir: Path) -> None:
    fox = str(data_dir / "glb" / "Fox.glb")
    done = demo(
        "--output", str(tmp_path), "--file", fox, "--source", "Walk", "--destination", "Run", "--cut", "8"
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "demo.png").exists()


def test_the_demo_says_what_is_missing(tmp_path: Path, data_dir: Path) -> None:
    done = demo("--output", str(tmp_path), "--file", str(data_dir / "glb" / "Fox.glb"))
    assert done.returncode == 1
    assert "Give SOURCE and DESTINATION" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []
