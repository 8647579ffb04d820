# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run took is said where the platform tells, and nowhere else."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from inertia_addon.console import progress


def summary(capfd: pytest.CaptureFixture[str]) -> tuple[dict[str, Any], str]:
    """A summary's values, and its line for a reader."""
    for as_json in (True, False):
        said = progress.Progress(as_json=as_json)
        said.summary({}, "done", Path("out"), Path("out"))
        said.close()
    out, err = capfd.readouterr()
    return json.loads(out), err


def test_usage_that_the_system_does_not_tell_is_not_said(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "resource", None)
    values, line = summary(capfd)
    assert set(values) == {"event", "seconds", "output"}
    assert re.fullmatch(r"inertia: done; \d+\.\d s; out\n", line)


@pytest.mark.slow  # the platform tells, not Blender
def test_processes_that_have_ended_count_too(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("resource", reason="the platform does not tell")
    before, _ = summary(capfd)
    subprocess.run([sys.executable, "-c", "sum(range(10**6))"], check=True)
    after, _ = summary(capfd)
    assert after["processor_seconds"] > before["processor_seconds"]
    # whatever has run here: the platform tells the most of all its life
    mib = 2**20 if sys.platform == "darwin" else 2**10
    told = {"own": (50 * mib, 1.0, 0.5), "ended": (80 * mib, 2.0, 0.25)}
    names = ("ru_maxrss", "ru_utime", "ru_stime")
    usages = {who: SimpleNamespace(**dict(zip(names, each, strict=True))) for who, each in told.items()}
    platform = SimpleNamespace(RUSAGE_SELF="own", RUSAGE_CHILDREN="ended", getrusage=usages.__getitem__)
    monkeypatch.setattr(progress, "resource", platform)
    values, line = summary(capfd)
    assert (values["peak_mib"], values["processor_seconds"]) == (80.0, 3.75)
    assert "80 MiB" in line
