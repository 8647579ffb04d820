# SPDX-License-Identifier: GPL-3.0-or-later
"""A training that is killed has left whole files: that from which it goes on, and the model that was
there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

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
    whole = finish(files.train(made_up_moves.training(iterations=8), tmp_path / "whole.npz"))
    assert files.load(tmp_path / "whole.npz").held is None
    killed = made_up_moves.training(iterations=8)
    steps = files.train(killed, path)
    next(steps)
    assert not path.exists()
    # from now on it is time for a checkpoint behind every step
    monkeypatch.setattr(files, "CHECKPOINT", 0.0)
    for _ in range(10):
        next(steps)
    steps.close()
    monkeypatch.setattr(files, "CHECKPOINT", 1e9)
    content = files.load(path)
    assert content.held is not None
    assert (content.held["stage"], content.held["steps"]) == (killed.stage, killed.state.steps)
    resumed = made_up_moves.training(iterations=8)
    resumed.resume(content.model, content.held)
    assert model_file.to_bytes(finish(files.train(resumed, path))) == model_file.to_bytes(whole)
    assert path.read_bytes() == (tmp_path / "whole.npz").read_bytes()
    assert [entry.name for entry in tmp_path.iterdir() if entry.name.startswith(".")] == []


def test_a_finished_model_stays_until_another_one_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, asked = tmp_path / "model.npz", []
    finish(files.train(made_up_moves.training(iterations=4), path))
    old = path.read_bytes()
    monkeypatch.setattr(files, "CHECKPOINT", 0.0)
    steps = files.train(made_up_moves.training(iterations=6), path, lambda: bool(asked))
    for _ in range(6):
        next(steps)
        # a kill at any moment finds it here
        assert path.read_bytes() == old
    asked.append(1)
    finish(steps)
    assert path.read_bytes() == old
    monkeypatch.setattr(files, "CHECKPOINT", 1e9)
    draft = files.stopped_at(path)
    assert draft == tmp_path / "model.learning.npz"
    content = files.load(draft)
    assert content.held is not None
    resumed = made_up_moves.training(iterations=6)
    resumed.resume(content.model, content.held)
    model = finish(files.train(resumed, path))
    assert model_file.to_bytes(files.load(path).model) == model_file.to_bytes(model)
    assert (tmp_path / "model.npz1").read_bytes() == old
    assert files.stopped_at(path) == path
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["model.npz", "model.npz1"]


def test_a_model_that_was_stopped_is_replaced_by_its_own_training(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    finish(files.train(made_up_moves.training(iterations=4), path, lambda: True))
    content = files.load(path)
    assert content.held is not None
    resumed = made_up_moves.training(iterations=4)
    resumed.resume(content.model, content.held)
    finish(files.train(resumed, path))
    assert files.load(path).held is None
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.npz"]


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"a database, or a photograph"])
def test_a_file_that_is_no_model_is_not_replaced_by_one(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.npz"
    path.write_bytes(content)
    with pytest.raises(InertiaError, match="is not a model and won't be overwritten"):
        next(files.train(made_up_moves.training(iterations=4), path))
    assert path.read_bytes() == content
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.npz"]
    database = tmp_path / "set.npz"
    finish(files.train(made_up_moves.training(iterations=4), database))
    with pytest.raises(InertiaError, match="is not an analysed set"):
        matching_files.save(database, {"starts": np.zeros(1)})
    assert files.load(database).held is None


def in_folder(folder: Path) -> dict[str, bytes]:
    return {entry.name: entry.read_bytes() for entry in folder.iterdir()}


@pytest.mark.parametrize("name", ["model.learning.npz", "model.npz1", "model.learning.npz1"])
def test_a_file_in_the_place_of_a_training_or_a_backup_stays(tmp_path: Path, name: str) -> None:
    path = tmp_path / "model.npz"
    finish(files.train(made_up_moves.training(iterations=4), path))
    (tmp_path / name).write_bytes(b"a photograph")
    before = in_folder(tmp_path)
    with pytest.raises(InertiaError, match=f'"model.npz" needs the name "{name}"'):
        next(files.train(made_up_moves.training(iterations=4), path))
    assert in_folder(tmp_path) == before


def test_a_finished_model_is_no_place_for_a_training(tmp_path: Path) -> None:
    path, other = tmp_path / "model.npz", tmp_path / "model.learning.npz"
    for each in (path, other):
        finish(files.train(made_up_moves.training(iterations=4), each))
    before = in_folder(tmp_path)
    with pytest.raises(InertiaError, match=r'needs the name "model\.learning\.npz"'):
        next(files.train(made_up_moves.training(iterations=4), path))
    assert in_folder(tmp_path) == before


@pytest.mark.parametrize("is_over_finished", [False, True])
def test_a_training_that_was_stopped_is_kept_when_another_one_begins(
    tmp_path: Path, *, is_over_finished: bool
) -> None:
    path = tmp_path / "model.npz"
    if is_over_finished:
        finish(files.train(made_up_moves.training(iterations=4), path))
    asked: list[int] = []
    steps = files.train(made_up_moves.training(iterations=6), path, lambda: bool(asked))
    for _ in range(4):
        next(steps)
    asked.append(1)
    finish(steps)
    stopped = files.stopped_at(path).read_bytes()
    finish(files.train(made_up_moves.training(iterations=5), path, lambda: True))
    assert files.stopped_at(path).read_bytes() != stopped
    assert (tmp_path / "model.learning.npz1").read_bytes() == stopped


def test_a_training_that_was_stopped_is_kept_when_another_one_is_finished_before_it_writes_anything(
    tmp_path: Path,
) -> None:
    path = tmp_path / "model.npz"
    finish(files.train(made_up_moves.training(iterations=6), path, lambda: True))
    stopped = files.stopped_at(path).read_bytes()
    finish(files.train(made_up_moves.training(iterations=4), path))
    assert files.load(path).held is None
    assert (tmp_path / "model.learning.npz1").read_bytes() == stopped


def test_a_file_that_comes_during_a_training_stays_and_so_does_what_was_learned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.npz"
    steps = files.train(made_up_moves.training(iterations=4), path)
    next(steps)
    path.write_bytes(b"a photograph")
    monkeypatch.setattr(files, "CHECKPOINT", 0.0)
    next(steps)
    assert path.read_bytes() == b"a photograph"
    with pytest.raises(InertiaError, match="is not a model and won't be overwritten"):
        finish(steps)
    assert path.read_bytes() == b"a photograph"
    # nothing is left to learn, and it takes its place as soon as that is free
    path.unlink()
    content = files.load(files.stopped_at(path))
    own = made_up_moves.training(iterations=4)
    assert content.held is not None
    own.resume(content.model, content.held)
    assert own.done == 1.0
    finish(files.train(own, path))
    whole = finish(files.train(made_up_moves.training(iterations=4), tmp_path.with_suffix(".npz")))
    assert path.read_bytes() == model_file.to_bytes(whole)
    assert [*in_folder(tmp_path)] == ["model.npz"]


def test_a_model_that_another_training_has_finished_meanwhile_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.npz"
    monkeypatch.setattr(files, "CHECKPOINT", 0.0)
    slow = files.train(made_up_moves.training(iterations=6), path)
    next(slow)
    finish(files.train(made_up_moves.training(iterations=4), tmp_path / "quick.npz"))
    (tmp_path / "quick.npz").rename(path)
    other = path.read_bytes()
    next(slow)
    assert path.read_bytes() == other
    monkeypatch.setattr(files, "CHECKPOINT", 1e9)
    finish(slow)
    assert (tmp_path / "model.npz1").read_bytes() == other


def test_a_training_that_comes_to_no_numbers_replaces_nothing(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    finish(files.train(made_up_moves.training(iterations=4), path))
    before = in_folder(tmp_path)
    own = made_up_moves.training(iterations=6)
    steps = files.train(own, path)
    next(steps)
    own.state.values[:] = np.nan
    with (
        np.errstate(all="ignore"),
        pytest.raises(InertiaError, match="diverged, and nothing was written"),
    ):
        finish(steps)
    assert in_folder(tmp_path) == before


@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(st.sampled_from(["stop", "kill", "end"]), st.booleans(), st.integers(1, 4)),
        min_size=1,
        max_size=3,
    )
)
def test_a_finished_model_stays_or_is_the_backup_whatever_is_trained_over_it(
    tmp_path_factory: pytest.TempPathFactory, trainings: list[tuple[str, bool, int]]
) -> None:
    """Each is stopped, killed or comes to its end, with a checkpoint at each step or none."""
    path = tmp_path_factory.mktemp("models") / "model.npz"
    last = b""
    with pytest.MonkeyPatch.context() as patched:
        for i, (how, is_noted, count) in enumerate(trainings):
            patched.setattr(files, "CHECKPOINT", 0.0 if is_noted else 1e9)
            asked: list[int] = []
            own = made_up_moves.training(iterations=4, seed=i)
            steps = files.train(own, path, lambda asked=asked: bool(asked))  # type: ignore[misc]
            for _ in range(count):
                next(steps)
                assert not last or path.read_bytes() == last
            if how == "kill":
                steps.close()
            else:
                asked += [1] * (how == "stop")
                finish(steps)
            if how == "end":
                backup = path.with_name("model.npz1")
                assert files.load(path).held is None
                assert not last or backup.read_bytes() == last
                last = path.read_bytes()
            assert not last or path.read_bytes() == last
