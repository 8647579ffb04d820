# SPDX-License-Identifier: GPL-3.0-or-later
"""What nobody foresaw ends what goes on in the background: a sentence shown, a traceback in the console."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.transition import showing
from inertia_addon.ui.cost import map_plot
from inertia_addon.ui.learned import training
from inertia_addon.ui.matching import searching
from inertia_addon.ui.transition import previewing
from tests.blender import wanderer
from tests.ui.recorder import drawn, panel_named


def panel(name: str) -> Any:
    return panel_named(name)


def failing(*_arguments: Any, **_options: Any) -> Iterator[float]:
    """Steps of which the second one fails."""
    yield 0.1
    raise KeyError("of ours")


@pytest.fixture
def walker(fresh_file: None, tmp_path: Path) -> Iterator[Any]:
    """A biped that is to follow a street, with clips that are to become a model."""
    armature = wanderer.with_clips()
    own, learned = armature.inertia_path, armature.inertia_learned
    own.followed, own.width = wanderer.draw_curve("Street", 0.4), 2
    learned.model, learned.hidden, learned.latent = str(tmp_path / "walker.npz"), 8, 3
    yield armature
    training.forget()
    searching.forget()


def test_a_search_that_fails_is_told_and_not_begun_with_every_redraw(
    walker: Any, monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> None:
    bpy.ops.inertia.find_path()
    with monkeypatch.context() as patched:
        patched.setattr(searching.search, "search_path_steps", failing)
        walker.inertia_path.faithful = 0.9
        for _ in range(3):
            assert "Find Path failed: KeyError" in drawn(panel("path")).text
        assert capfd.readouterr().err.count("Traceback") == 1
        assert searching._jobs.go_on() is None
    # another change, or the button, searches again
    assert bpy.ops.inertia.find_path() == {"FINISHED"}
    assert "failed" not in drawn(panel("path")).text


def test_a_training_that_fails_is_told_and_can_be_begun_again(
    walker: Any, monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> None:
    walker.inertia_learned.minutes = 0.01
    with monkeypatch.context() as patched:
        patched.setattr(training.files, "train", failing)
        with pytest.raises(RuntimeError, match="Train Model failed: KeyError"):
            bpy.ops.inertia.train_model()
        for _ in range(2):
            assert "Train Model failed: KeyError" in drawn(panel("learned")).text
        assert capfd.readouterr().err.count("Traceback") == 1
        assert training._jobs.go_on() is None
    assert training.find_running(walker) is None
    assert bpy.ops.inertia.train_model() == {"FINISHED"}
    assert "failed" not in drawn(panel("learned")).text


def test_a_map_that_fails_is_told(rig: Any, monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    from inertia_addon.ui.cost import costs

    start = map_plot.meetings.start_map
    monkeypatch.setattr(map_plot.meetings, "start_map", lambda *given: (start(*given)[0], failing()))
    map_plot._jobs.forget()
    for _ in range(3):
        with pytest.raises(ValueError, match="Cost Map failed: KeyError"):
            map_plot.cost_map(rig, costs.costs_of(rig), kind=True)
    assert capfd.readouterr().err.count("Traceback") == 1
    assert map_plot._jobs.go_on() is None
    map_plot._jobs.forget()


@pytest.mark.parametrize("where", ["on_frame", "watch"])
def test_a_preview_that_fails_ends_and_says_so(
    rig: Any, where: str, monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> None:
    monkeypatch.setattr(previewing, "REST", 0.0)
    scene = bpy.context.scene
    location = tuple(rig.pose.bones["spine"].location)
    previewing.begin(scene, rig)
    with monkeypatch.context() as patched:

        def fail(*_: Any) -> None:
            raise KeyError("of ours")

        if where == "on_frame":
            patched.setattr(showing, "show", fail)
            for frame in (22, 23, 24):
                scene.frame_set(frame)
        else:
            patched.setattr(previewing, "_key", fail)
            for _ in range(3):
                previewing.watch()
    assert not previewing.is_running()
    assert not showing.is_noted(scene)
    assert tuple(rig.pose.bones["spine"].location) == location
    assert capfd.readouterr().err.count("Traceback") == 1
    assert "Preview failed: KeyError" in drawn(panel("transition")).text
    previewing.begin(scene, rig)
    assert "failed" not in drawn(panel("transition")).text
    previewing.end()
