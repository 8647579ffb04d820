# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run took is said where the platform tells, and nowhere else."""

from __future__ import annotations

import subprocess
import sys

import pytest

from inertia_addon.console import usage


def test_where_nobody_tells_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usage, "resource", None)
    assert usage.taken() == {}
    assert usage.spoken(usage.taken()) == ""


def test_processes_that_have_ended_count_too() -> None:
    pytest.importorskip("resource", reason="the platform does not tell")
    before = usage.taken()
    # more than this process has, whatever has run in it
    mib = int(before["peak_mib"]) + 64
    subprocess.run([sys.executable, "-c", f"held = bytearray({mib} * 2**20)"], check=True)
    after = usage.taken()
    assert after["peak_mib"] >= mib
    assert after["processor_seconds"] > before["processor_seconds"]
    assert f"{after['peak_mib']:.0f} MiB" in usage.spoken(after)
