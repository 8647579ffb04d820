# SPDX-License-Identifier: GPL-3.0-or-later
"""A training that is killed has left whole files: that from which it goes on, and the model that was
there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from inertia_addon.blender.learned import files
from inertia_addon.blender.matching import files as matching_files
from inertia_addon.errors import InertiaError
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


def test_a_finished_model_stays_until_another_one_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, asked = tmp_path / "model.npz", []
    finish(files.training(made_up_moves.training(iterations=4), path))
    old = path.read_bytes()
    monkeypatch.setattr(files, "CHECKPOINT", 0.0)
    steps = files.training(made_up_moves.training(iterations=6), path, lambda: bool(asked))
    for _ in range(6):
        next(steps)
        # a kill at any moment finds it here
        assert path.read_bytes() == old
    asked.append(1)
    finish(steps)
    assert path.read_bytes() == old
    draft = files.stopped_at(path)
    assert draft == tmp_path / "model.learning.npz"
    content = files.load(draft)
    assert content.held is not None
    resumed = made_up_moves.training(iterations=6)
    resumed.resume(content.model, content.held)
    model = finish(files.training(resumed, path))
    assert model_file.to_bytes(files.load(path).model) == model_file.to_bytes(model)
    assert (tmp_path / "model.npz1").read_bytes() == old
    assert files.stopped_at(path) == path
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["model.npz", "model.npz1"]


def test_a_model_that_was_stopped_is_replaced_by_its_own_training(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    finish(files.training(made_up_moves.training(iterations=4), path, lambda: True))
    assert files.load(path).held is not None
    finish(files.training(made_up_moves.training(iterations=4), path))
    assert files.load(path).held is None
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.npz"]


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"a database, or a photograph"])
def test_nothing_but_a_model_is_replaced_by_one(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.npz"
    path.write_bytes(content)
    with pytest.raises(InertiaError, match="is no model, and nothing is written over it"):
        next(files.training(made_up_moves.training(iterations=4), path))
    assert path.read_bytes() == content
    database = tmp_path / "set.npz"
    finish(files.training(made_up_moves.training(iterations=4), database))
    with pytest.raises(InertiaError, match="is no analysed set"):
        matching_files.save(database, {"starts": np.zeros(1)})
    assert files.load(database).held is None
