# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a work still takes is said when that can be known."""

from __future__ import annotations

import re
from collections.abc import Generator

import pytest

from inertia_addon.console import progress


class Clock:
    """Time that goes on as it is told."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(progress.time, "monotonic", lambda: self.now)


def work(clock: Clock, parts: list[tuple[float, float]]) -> Generator[float, None, str]:
    for seconds, done in parts:
        clock.now += seconds
        yield done
    return "result"


def lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], parts: list[tuple[float, float]]
) -> list[str]:
    clock = Clock(monkeypatch)
    assert progress.finish(work(clock, parts), "searching") == "result"
    return capsys.readouterr().err.splitlines()


def test_work_that_is_slow_at_first_says_no_time(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Six seconds for a two-thousandth, and it ends seconds later."""
    said = lines(monkeypatch, capsys, [(6.0, 0.0005), (6.0, 0.6), (6.0, 0.95)])
    assert len(said) == 3
    assert "left" not in said[0]
    assert all(float(found[1]) < 10.0 for line in said if (found := re.search(r"about (\d+) s left", line)))
    assert not re.search(r"(min|h) left", "".join(said))


def test_work_that_goes_on_evenly_says_how_long_it_takes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = lines(monkeypatch, capsys, [(10.0, 0.1 * i) for i in range(1, 10)])
    assert "left" not in said[0]
    for i, line in enumerate(said[1:], 2):
        found = re.search(r"(\d+) % done, about (\d+) s left|(\d+)% done, about (\d+) s left", line)
        assert found, line
        assert int(found[2] or found[4]) == 100 - 10 * i
