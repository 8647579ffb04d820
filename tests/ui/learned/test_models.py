# SPDX-License-Identifier: GPL-3.0-or-later
"""Models in the panel: trained in the background, stopped, gone on with, checked, and refused."""

from __future__ import annotations

import dataclasses
import itertools
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import actions, clip_store, compat
from inertia_addon.blender.learned import clips, files, recipes
from inertia_addon.motion.learned import training as trained
from inertia_addon.plots.shapes import Lines
from inertia_addon.ui.learned import loss_plot, models, training
from inertia_addon.ui.learned import panels as learned_panels
from inertia_addon.ui.matching import path_plot
from inertia_addon.ui.shared import cache
from tests.blender import builders, wanderer
from tests.ui.overlay.made_up import DARK
from tests.ui.recorder import drawn, panel_named

PANEL = panel_named("learned")
WORKING = panel_named("working")


@pytest.fixture
def walker(fresh_file: None, tmp_path: Path) -> Iterator[Any]:
    """A biped with clips that are to become a very small model."""
    armature = wanderer.with_clips()
    own = armature.inertia_learned
    own.model, own.hidden, own.latent, own.minutes = str(tmp_path / "walker.npz"), 8, 3, 0.01
    own.licence, own.source = "CC0", "made up"
    yield armature
    training.forget()


STEP_SECONDS = 0.002
"""So long does a step of a training take by its clock."""


@pytest.fixture(autouse=True)
def counted_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have trainings take as many steps on a slow machine as on a fast one."""
    begin = trained.Training.__post_init__

    def begin_counted(own: trained.Training) -> None:
        ticks = itertools.count()
        own.clock = lambda: STEP_SECONDS * next(ticks)
        begin(own)

    monkeypatch.setattr(trained.Training, "__post_init__", begin_counted)


_read: dict[Any, Any] = {}
"""What was learned from, by settings, for actions of the fixture's names: to read them takes longest."""


@pytest.fixture(autouse=True)
def read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have clips read once for all tests."""
    read = clips.read_material_steps

    def reading(armature: Any, settings: Any, weights: Any, *more: Any) -> Any:
        named = tuple(sorted(action.name for action in bpy.data.actions))
        legs = tuple((row.use, row.hip, row.foot) for row in armature.inertia_feet.legs)
        key = settings.actions, settings.mirror, settings.root, settings.speeds, named, legs
        if key not in _read:
            _read[key] = yield from read(armature, settings, weights, *more)
        return _read[key]

    monkeypatch.setattr(clips, "read_material_steps", reading)


_kept: list[bytes] = []
"""The file of a model of the fixture's clips, once one is trained."""


def have_model(walker: Any) -> Path:
    """A finished model, whose file stands where the panel has it."""
    path = models.path_of(walker)
    if _kept:
        path.write_bytes(_kept[0])
    else:
        assert bpy.ops.inertia.train_model() == {"FINISHED"}
        _kept.append(path.read_bytes())
    return path


@pytest.mark.slow
def test_a_model_is_trained_stopped_gone_on_with_and_checked(
    walker: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, walker.inertia_path.mirror = walker.inertia_learned, True
    own.minutes = 0.02
    path = models.path_of(walker)
    monkeypatch.setattr(trained, "NOTED", 2)
    shown = drawn(PANEL)
    assert "inertia.train_model" in shown.operators
    assert {"minutes", "hidden", "licence"} <= {*shown.shown}
    # in a window it goes on by slices
    with monkeypatch.context() as patched:
        patched.setattr(training._jobs, "go_on", lambda: None)
        assert bpy.ops.inertia.train_model() == {"FINISHED"}
    job = training.find_running(walker)
    assert job is not None
    # a slow machine needs some slices for a step
    while loss_plot.find_losses(walker) is None:
        job.slices.go_on(0.02)
    assert 0.0 < job.done < 1.0
    shown = drawn(PANEL)
    assert "inertia.stop_training" in shown.operators
    assert "inertia.train_model" not in shown.operators
    assert "ESC stops it" in shown.text
    with pytest.raises(RuntimeError, match="being trained"):
        bpy.ops.inertia.train_model()
    falling = loss_plot.find_losses(walker)
    assert falling is not None
    assert loss_plot.find_losses(walker) is falling
    # the overlays ask whether what they show is what they have shown
    while loss_plot.find_losses(walker) == falling:
        job.slices.go_on(0.02)
    assert training.find_running(walker) is job
    assert loss_plot.LossPlot().shapes(falling, falling, (0.0, 0.0, 300.0, 200.0), DARK)
    assert bpy.ops.inertia.stop_training() == {"FINISHED"}
    assert training.find_running(walker) is None
    assert files.load(path).held is not None
    assert "Stopped on the way" in drawn(PANEL).text
    # other settings are of the next training
    own.hidden = 9
    assert bpy.ops.inertia.train_model(resume=True) == {"FINISHED"}
    held = files.load(path)
    assert held.held is None
    assert held.model.settings.hidden == 8
    assert held.model.settings.licence == "CC0"
    assert len(held.model.clips) == 8
    # it has been checked where its clips were at hand
    shown = drawn(PANEL)
    for text in ("CC0", "made up", "8 clips", "At 99 %", "20 Steps", "How Far Off", "Jumps", "Furthest"):
        assert text in shown.text
    # a clip stands for its mirror image, too
    known = models.check_of(walker)
    assert known is not None
    assert {clip for clip, _ in learned_panels.worst(known)} == {"Walk", "Bend", "Turn", "Stand"}
    assert learned_panels.worst(known)[0][1].joints_cm == max(each.joints_cm for each in known.clips)
    curves = bpy.data.actions["Walk"]
    curves.name = "Stroll"
    assert models.check_of(walker) is None
    assert "check it first" in drawn(PANEL).text
    assert bpy.ops.inertia.check_model() == {"FINISHED"}
    again = models.check_of(walker)
    assert again is not None
    np.testing.assert_allclose(again.whole.joints_cm, known.whole.joints_cm)
    with pytest.raises(RuntimeError, match="has no stopped training"):
        bpy.ops.inertia.train_model(resume=True)
    # to see how far it came goes by slices, too, and can be stopped: the model is whole by then
    with monkeypatch.context() as patched:
        patched.setattr(training._jobs, "go_on", lambda: None)
        bpy.ops.inertia.train_model()
    job = training.find_running(walker)
    assert job is not None
    while not job.is_checking:
        job.slices.go_on(0.0)
    assert "Checking: " in drawn(PANEL).text
    bpy.context.view_layer.objects.active = None
    assert bpy.ops.inertia.stop_training() == {"FINISHED"}
    assert files.load(path).held is None
    assert models.check_of(walker) is None


def test_a_model_that_can_not_be_trained_or_read_is_told(walker: Any, tmp_path: Path) -> None:
    own = walker.inertia_learned
    with pytest.raises(RuntimeError, match="no model"):
        bpy.ops.inertia.check_model()
    own.model = str(tmp_path / "nowhere" / "model")
    with pytest.raises(RuntimeError, match="no folder"):
        bpy.ops.inertia.train_model()
    other = tmp_path / "other.npz"
    other.write_bytes(b"no model")
    own.model = str(other)
    assert "is not a model" in drawn(PANEL).text
    with pytest.raises(RuntimeError, match="is not a model"):
        bpy.ops.inertia.train_model()
    assert other.read_bytes() == b"no model"
    own.model = ""
    assert "Choose a file" in drawn(PANEL).text
    assert not bpy.ops.inertia.train_model.poll()
    own.model = str(tmp_path / "few.npz")
    walker.inertia_path.choose_clips = True
    walker.inertia_path.clips.add().action = bpy.data.actions["Turn"]
    with pytest.raises(RuntimeError, match="600"):
        bpy.ops.inertia.train_model()
    assert not (tmp_path / "few.npz").exists()


def places(armature: Any) -> Any:
    """Where the hips of an armature go in the action that it plays."""
    clip = clip_store.read(armature, compat.assigned(armature)[0])
    return np.array([clip.curves['pose.bones["hips"].location', i].keys.points[:, 0, 1] for i in range(3)])


def test_a_model_follows_the_path_and_a_crowd_follows_its_own(walker: Any, tmp_path: Path) -> None:
    have_model(walker)
    street = walker.inertia_path.followed = wanderer.draw_curve("Street", 0.6)
    walker.inertia.feet = "OFF"
    # the clips are not needed any more
    for action in list(bpy.data.actions):
        bpy.data.actions.remove(action)
    shown_panel = drawn(PANEL)
    assert "inertia.bake_model" in shown_panel.operators
    # it has hardly learned, which is said in a word
    assert "Not yet usable: learn" in shown_panel.text
    assert bpy.ops.inertia.bake_model() == {"FINISHED"}
    # the overlay shows how the model goes, not how clips would: by what the action remembers, as in a file
    # that was opened again
    cache.forget()
    plot, switches = path_plot.PathPlot(), bpy.context.scene.inertia_overlay
    shown, note = plot.model(walker, switches)
    assert plot.model(walker, switches)[0] is shown
    assert (note, len(shown.ghosts)) == ("", 0)
    hips = builders.played(walker, compat.assigned(walker)[0], [1.0, 11.0, 21.0])[:, 0, :2, 3]
    goes = np.linalg.norm(shown.way[:, None, :2] - hips[None], axis=-1).min(axis=0)
    assert goes.max() < 0.1
    made = compat.assigned(walker)[0]
    name, contents = made.name, actions.contents(made)
    assert name == "Walker along Street"
    assert drawn(WORKING).greyed >= {"inertia.rebake"}
    walker.inertia.half_life, walker.inertia_path.faithful = 0.2, 0.9
    # as it was baked, by whatever name what it follows has
    street.name, walker.inertia_path.first_frame = "Lane", 11.0
    assert bpy.ops.inertia.rebake() == {"FINISHED"}
    again = compat.assigned(walker)[0]
    assert (again.name, actions.contents(again)) == (name, contents)
    street.scale = (1.0, 1.5, 1.0)
    assert bpy.ops.inertia.bake_model(replace=True) == {"FINISHED"}
    assert [each.name for each in bpy.data.actions] == [name]
    others = [walker.copy() for _ in range(2)]
    for i, other in enumerate(others):
        bpy.context.collection.objects.link(other)
        other.animation_data_clear()
        other.inertia_path.followed = wanderer.draw_curve(f"Way {i}", 0.3 + 0.3 * i) if i else None
        other.select_set(True)
    walker.select_set(True)
    bpy.context.view_layer.update()
    assert "Bake a Crowd of 3" in drawn(PANEL).pressed
    assert bpy.ops.inertia.bake_crowd() == {"FINISHED"}
    # one has nothing to follow
    assert compat.assigned(others[0])[0] is None
    assert compat.assigned(others[1])[0].name == f"{others[1].name} along Way 1"
    # each goes along its own path as it would alone
    together = places(others[1])
    bpy.context.view_layer.objects.active = others[1]
    assert bpy.ops.inertia.rebake() == {"FINISHED"}
    np.testing.assert_allclose(places(others[1]), together, atol=1e-3)
    # whom it was led past it is led past again, with other settings, too
    first = compat.assigned(walker)[0]
    assert recipes.beside_of(compat.assigned(others[1])[0]).results == (first,)
    others[1].inertia_path.first_frame = 21.0
    assert bpy.ops.inertia.bake_model(replace=True) == {"FINISHED"}
    assert recipes.beside_of(compat.assigned(others[1])[0]).results == (first,)
    model, made = Path(walker.inertia_learned.model), compat.assigned(others[1])[0]
    found = recipes.model_of(made, others[1])
    assert (found[1], found[2]) == (model, False)
    # its own copy beside the file, of another training
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "walkers.blend"), copy=False)
    noted = str(made["inertia_learned"])
    made["inertia_learned"] = noted.replace(str(model), str(tmp_path / "gone" / model.name))
    assert recipes.model_of(made, others[1])[1:] == (model, False)
    made["inertia_learned"] = noted
    # and as the panel may name it
    walker.inertia_learned.model = f"//{model.name}"
    assert models.path_of(walker) == model
    held = files.load(model).model
    files.save(model, dataclasses.replace(held, pace=2.0 * held.pace))
    assert recipes.model_of(made, others[1])[2]
    assert bpy.ops.inertia.rebake() == {"FINISHED"}
    model.unlink()
    with pytest.raises(RuntimeError, match="is gone; put it back"):
        bpy.ops.inertia.rebake()
    with pytest.raises(RuntimeError, match="no model"):
        bpy.ops.inertia.bake_model()


def test_a_model_of_other_legs_is_checked_in_a_sentence(walker: Any) -> None:
    have_model(walker)
    row = walker.inertia_feet.legs.add()
    row.use, row.hip, row.foot = True, "thigh.L", "foot.L"
    with pytest.raises(RuntimeError, match="was trained with the feet"):
        bpy.ops.inertia.check_model()
    walker.inertia_feet.legs.clear()
    assert bpy.ops.inertia.check_model() == {"FINISHED"}


def test_a_model_that_plays_no_motion_is_not_baked(walker: Any) -> None:
    have_model(walker)
    path = models.path_of(walker)
    whole = files.load(path).model
    network = whole.network("decompressor")
    huge = dataclasses.replace(network, weights=tuple(1e5 * each for each in network.weights))
    files.save(path, dataclasses.replace(whole, decompressor=huge))
    before = set(bpy.data.actions.keys())
    with pytest.raises(RuntimeError, match="plays motion that no character"):
        bpy.ops.inertia.check_model()
    walker.inertia_path.followed = wanderer.draw_curve("Street", 0.6)
    with pytest.raises(RuntimeError, match="plays motion that no character"):
        bpy.ops.inertia.bake_model()
    assert set(bpy.data.actions.keys()) == before


def stopped_over(walker: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A finished model over which a training was begun and stopped: the file of the model."""
    have_model(walker)
    walker.inertia_learned.source = "made up anew"
    with monkeypatch.context() as patched:
        patched.setattr(training._jobs, "go_on", lambda: None)
        assert bpy.ops.inertia.train_model() == {"FINISHED"}
        job = training.find_running(walker)
        assert job is not None
        job.slices.go_on(0.0)
        assert bpy.ops.inertia.stop_training() == {"FINISHED"}
    return models.path_of(walker)


def test_a_finished_model_stays_while_another_one_is_trained_and_then_as_a_backup(
    walker: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = stopped_over(walker, monkeypatch)
    old = path.read_bytes()
    assert files.load(path).held is None
    draft = path.with_name("walker.learning.npz")
    assert files.stopped_at(path) == draft
    # the panel finds both: the one is followed with, and the other gone on with
    shown = drawn(PANEL)
    assert shown.buttons.count("inertia.train_model") == 2
    assert "inertia.bake_model" in shown.operators
    assert bpy.ops.inertia.train_model(resume=True) == {"FINISHED"}
    assert path.with_name("walker.npz1").read_bytes() == old != path.read_bytes()
    assert not draft.exists()
    assert drawn(PANEL).buttons.count("inertia.train_model") == 1


def test_a_file_that_is_opened_while_another_model_is_trained_leaves_the_old_one(
    walker: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = have_model(walker)
    old = path.read_bytes()
    monkeypatch.setattr(training._jobs, "go_on", lambda: None)
    assert bpy.ops.inertia.train_model() == {"FINISHED"}
    job = training.find_running(walker)
    assert job is not None
    job.slices.go_on(0.0)
    # what Blender calls before it opens another file
    training.forget()
    assert path.read_bytes() == old
    assert files.load(path.with_name("walker.learning.npz")).held is not None


def test_a_training_that_is_spoilt_hides_no_model(walker: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = stopped_over(walker, monkeypatch)
    draft = path.with_name("walker.learning.npz")
    draft.write_bytes(b"a photograph")
    shown = drawn(PANEL)
    assert shown.buttons.count("inertia.train_model") == 1
    assert "inertia.bake_model" in shown.operators
    with pytest.raises(RuntimeError, match="needs the name"):
        bpy.ops.inertia.train_model()
    assert draft.read_bytes() == b"a photograph"


def test_two_armatures_are_not_trained_into_one_file(walker: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    other = walker.copy()
    bpy.context.collection.objects.link(other)
    monkeypatch.setattr(training._jobs, "go_on", lambda: None)
    assert bpy.ops.inertia.train_model() == {"FINISHED"}
    bpy.context.view_layer.objects.active = other
    other.select_set(True)
    with pytest.raises(RuntimeError, match="is being trained for another armature"):
        bpy.ops.inertia.train_model()
    assert training.find_running(other) is None


@pytest.mark.parametrize("content", [b"", b"a photograph"])
def test_the_panel_trains_over_nothing_but_models(walker: Any, content: bytes) -> None:
    path = models.path_of(walker)
    path.write_bytes(content)
    with pytest.raises(RuntimeError, match="is not a model"):
        bpy.ops.inertia.train_model()
    assert path.read_bytes() == content


def test_losses_of_each_network_can_be_seen_in_the_plot() -> None:
    # most of a loss is gone after its first steps: what it does then would be a line at the lower edge
    moments = [(stage, step, step / 20.0, 1e3 * 0.5**step) for stage in range(3) for step in range(21)]
    place = (0.0, 0.0, 400.0, 140.0)
    chart = loss_plot.chart(loss_plot.LossHistory(np.array(moments)))
    bottom, tall = chart.layout(place, DARK).area[1::2]
    lines = [shape for shape in chart.lines(chart.layout(place, DARK), DARK) if isinstance(shape, Lines)]
    assert len(lines) == 3
    for line in lines:
        ys = (np.array(line.points)[:, 1] - bottom) / tall
        assert np.ptp(ys) > 0.8
        # as much of it lies above the middle as below
        assert 0.4 < np.mean(ys) < 0.6


def test_a_training_says_from_the_first_second_when_it_is_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(training.time, "monotonic", lambda: now[0])
    own = types.SimpleNamespace(done=0.0, settings=types.SimpleNamespace(seconds=180.0, iterations=0))
    job = training.TrainingJob(0, own, Path("model.npz"), None)
    assert job.seconds_left == 180.0
    assert training.ready_text(job.seconds_left) == "Ready in about 3 minutes"
    # what Blender itself takes between the slices counts
    now[0], job.slices.done = 112.0, 0.02
    assert job.seconds_left == pytest.approx(588.0)
    assert training.ready_text(job.seconds_left) == "Ready in about 10 minutes"
    assert training.ready_text(20.0) == "Ready within a minute"
