# SPDX-License-Identifier: GPL-3.0-or-later
"""Best Pair is the same in a window, with two other processes beside it, as by the shell."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.batch.small_rig import Run
from tests.command_line import inertia, workers
from tests.window.pictures import Seen

pytestmark = pytest.mark.window

__all__ = ["inertia", "workers"]

PARTS = ("guide.judge_it",)
CLIPS = Path(__file__).resolve().parents[2] / "examples" / "humanoid" / "make_clips.py"


@pytest.fixture
def clips_file(tmp_path: Path, fresh_file: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the guide."""
    path = tmp_path / "clips.blend"
    monkeypatch.syspath_prepend(str(CLIPS.parent))
    importlib.import_module("make_clips").main(["-o", str(path)])
    return path


def test_a_busy_window_finds_what_the_shell_finds(
    seen: Seen, clips_file: Path, inertia: Callable[..., Run]
) -> None:
    told = inertia("cost", clips_file, "--source", "Walk", "--destination", "Run", "--json").json
    assert seen.state["pair"] == [told["best"][0]["cut"], told["best"][0]["destination_frame"]]
