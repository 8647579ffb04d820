# SPDX-License-Identifier: GPL-3.0-or-later
"""A training that is killed has left a whole file, from which it goes on as if nothing had happened."""

from __future__ import annotations

from pathlib import Path

import pytest

from inertia_addon.blender.learned import files
from inertia_addon.motion.learned import model_file
from inertia_addon.motion.steps import finish
from tests.motion import made_up_moves


def test_a_kill_loses_what_was_done_since_the_last_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.npz"
    whole = finish(files.training(made_up_moves.training(iterations=8), tmp_path / "whole.npz"))
    assert files.load(tmp_path / "whole.npz").held is None
    killed = made_up_moves.training(iterations=8)
    steps = files.training(killed, path)
    next(steps)
    assert not path.exists()
    # from now on it is time for a checkpoint behind every step
    monkeypatch.setattr(files, "CHECKPOINT", 0.0)
    for _ in range(10):
        next(steps)
    steps.close()
    content = files.load(path)
    assert content.held is not None
    assert (content.held["stage"], content.held["steps"]) == (killed.stage, killed.state.steps)
    resumed = made_up_moves.training(iterations=8)
    resumed.resume(content.model, content.held)
    assert model_file.to_bytes(finish(files.training(resumed, path))) == model_file.to_bytes(whole)
    assert path.read_bytes() == (tmp_path / "whole.npz").read_bytes()
    assert [entry.name for entry in tmp_path.iterdir() if entry.name.startswith(".")] == []
