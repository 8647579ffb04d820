# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run took is said where the platform tells, and nowhere else."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from inertia_addon.console import progress


def summary(capfd: pytest.CaptureFixture[str]) -> tuple[dict[str, Any], str]:
    """A summary's values, and its line for a reader."""
    for as_json in (True, False):
        said = progress.Progress(as_json)
        said.summary({}, "done", Path("out"), Path("out"))
        said.close()
    out, err = capfd.readouterr()
    return json.loads(out), err


def test_where_nobody_tells_nothing_is_said(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "resource", None)
    values, line = summary(capfd)
    assert set(values) == {"event", "seconds", "output"}
    assert re.fullmatch(r"inertia: done; \d+\.\d s; out\n", line)


@pytest.mark.slow  # the platform tells, not Blender
def test_processes_that_have_ended_count_too(capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("resource", reason="the platform does not tell")
    before, _ = summary(capfd)
    # more than this process has, whatever has run in it
    mib = int(before["peak_mib"]) + 64
    subprocess.run([sys.executable, "-c", f"held = bytearray({mib} * 2**20)"], check=True)
    after, line = summary(capfd)
    assert after["peak_mib"] >= mib
    assert after["processor_seconds"] > before["processor_seconds"]
    assert f"{after['peak_mib']:.0f} MiB" in line
