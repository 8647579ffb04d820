# SPDX-License-Identifier: GPL-3.0-or-later
"""Training learns, gives the same numbers from the same seed, and goes on where it was stopped."""

from __future__ import annotations

import dataclasses
import functools
import io

import numpy as np
import pytest

from inertia_addon.errors import InertiaError
from inertia_addon.motion.learned import checking, material, model_file, training
from inertia_addon.motion.learned.material import Material
from inertia_addon.motion.learned.model import STAGES, TRAJECTORY, Model
from inertia_addon.motion.learned.training import Training
from inertia_addon.motion.matching import engine
from inertia_addon.motion.matching.engine import Exported
from inertia_addon.motion.steps import finish
from tests.motion import made_up_moves
from tests.motion.made_up_moves import HIPS, LEFT, RIGHT, SKELETON, clip, exported, learned_from


def test_a_row_and_its_bones_are_the_clips() -> None:
    made, own = exported(), learned_from()
    pose = material.posed(own.rows, own.values[[5, 400]])
    np.testing.assert_allclose(pose.positions, made.positions[[5, 400], 1:], atol=1e-6)
    same = np.abs(np.sum(pose.rotations * made.rotations[[5, 400], 1:], axis=-1))
    np.testing.assert_allclose(same, 1.0, atol=1e-6)
    np.testing.assert_array_equal(pose.contacts, made.contacts[[5, 400]])
    # it walks straight ahead, which is Z
    np.testing.assert_allclose(pose.root_velocity[0], (0.0, 0.0, 1.2), atol=1e-3)
    np.testing.assert_allclose(pose.root_spin[1], (0.0, 0.6, 0.0), atol=1e-3)
    seen = checking.joints(own, own.values[:1])[0]
    np.testing.assert_allclose(seen[1] - seen[0], (0.0, 0.6, 0.0), atol=0.01)


def test_a_training_learns_and_says_what_by_term() -> None:
    model = made_up_moves.model()
    assert {name.partition(".")[0] for name in model.terms} == set(STAGES)
    for stage in range(3):
        losses = model.history[model.history[:, 0] == stage][:, 3]
        assert losses[-1] < 0.8 * losses[0]
    seen = checking.check(model, learned_from())
    assert [each.clip for each in seen.clips] == ["walk", "left", "right"]
    assert seen.whole.joints_cm < 0.8
    assert seen.whole.contacts > 0.95
    assert seen.drift_cm is not None
    assert list(seen.drift_cm) == [10, 20, 30, 60]
    assert seen.drift_cm[20] < 4.0
    assert seen.projector_cm is not None
    assert seen.random_cm is not None
    assert seen.projector_cm < 0.4 * seen.random_cm


def test_equal_seeds_give_equal_bytes_and_others_others() -> None:
    one, same, other = (
        model_file.to_bytes(finish(made_up_moves.training(seed=seed).steps())) for seed in (1, 1, 2)
    )
    assert one == same
    assert one != other


@functools.cache
def whole() -> Model:
    """What a training that was not stopped makes."""
    return finish(made_up_moves.training().steps())


@pytest.mark.variants(2)
@pytest.mark.parametrize("part", [0.2, 0.4, 0.8])
def test_a_resumed_training_ends_as_if_it_had_not_stopped(part: float) -> None:
    stopped = made_up_moves.training()
    for done in stopped.steps():
        if done >= part:
            break
    kept = model_file.to_bytes(stopped.model(), stopped.collect_state())
    content = model_file.read(io.BytesIO(kept), "a model")
    assert content.held is not None
    resumed = made_up_moves.training()
    resumed.resume(content.model, content.held)
    assert model_file.to_bytes(finish(resumed.steps())) == model_file.to_bytes(whole())


def test_a_resumed_training_keeps_what_its_numbers_are_measured_by() -> None:
    stopped = made_up_moves.training()
    next(stopped.steps())
    own = stopped.model().network("compressor")
    earlier = dataclasses.replace(own, std_in=2.0 * own.std_in)
    resumed = made_up_moves.training()
    resumed.resume(dataclasses.replace(stopped.model(), compressor=earlier), stopped.collect_state())
    np.testing.assert_array_equal(resumed.model().network("compressor").std_in, earlier.std_in)


def test_a_training_does_not_go_on_with_other_clips_or_settings() -> None:
    stopped = made_up_moves.training()
    next(stopped.steps())
    for other in (
        made_up_moves.training(hidden=25),
        Training(
            dataclasses.replace(learned_from(), names=("a", "b", "c")), made_up_moves.settings(), SKELETON
        ),
    ):
        with pytest.raises(InertiaError, match="other clips or settings"):
            other.resume(stopped.model(), stopped.collect_state())


def test_a_training_is_bounded_by_a_time() -> None:
    ticks = iter(np.arange(10_000.0))
    own = made_up_moves.training(iterations=0, minutes=1.0)
    own.clock = lambda: float(next(ticks))
    steps = sum(1 for _ in own.steps())
    # each step takes a second by this clock
    assert 60 <= steps <= 63


def test_the_nearest_row_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "CHUNK", 40)
    rows, asked = (np.random.default_rng(1).normal(size=(count, 5)).astype(np.float32) for count in (130, 50))
    away = np.sum((asked[:, None] - rows) ** 2, axis=-1)
    np.testing.assert_array_equal(training.Nearest(rows)(asked), np.argmin(away, axis=1))


def test_queries_are_poses_of_frames_that_want_to_go_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "BESIDE", 0.0)
    monkeypatch.setattr(training, "ASKEW", 0.0)
    own, random = learned_from(), np.random.default_rng(1)
    asked = training.queries(own, np.zeros_like(own.features[0]), 400, random, wild=0.0)
    poses = slice(None, -TRAJECTORY)
    near = own.features[training.Nearest(own.features[:, poses])(asked[:, poses])]
    np.testing.assert_allclose(asked[:, poses], near[:, poses], atol=2e-3)
    places, facing = np.split(
        (asked * own.scales + own.offsets)[:, -TRAJECTORY:].reshape(-1, 6, 2), 2, axis=1
    )
    turns = np.unwrap(np.arctan2(facing[..., 0], facing[..., 1]))
    # the clips turn by 0.7 rad/s at most; who asks for an arc turns evenly, and goes along the circle
    is_arc = np.abs(turns[:, 2]) > 1.0
    assert 0.05 < is_arc.mean() < 0.2
    turns, places = turns[is_arc], places[is_arc]
    np.testing.assert_allclose(turns, turns[:, 2:] * np.array(engine.LATER) / 60.0, atol=1e-4)
    way = places[..., 0] + 1j * places[..., 1]
    radius = np.abs(way) / np.abs(2.0 * np.sin(0.5 * turns))
    np.testing.assert_allclose(radius, np.repeat(radius[:, 2:], 3, axis=1), atol=1e-3)
    np.testing.assert_allclose((way * np.exp(0.5j * turns)).real, 0.0, atol=1e-3)


def gathered(made: Exported) -> Material:
    return material.gathered(made, engine.features(made, LEFT, RIGHT, HIPS))


def test_clips_that_teach_nothing_are_told_in_a_sentence() -> None:
    with pytest.raises(InertiaError, match=r"have 120 frames .* at least 600"):
        gathered(exported(clip(120), clip(20)))
    with pytest.raises(InertiaError, match="stay in place"):
        gathered(exported(clip(700, speed=1e-4)))
    broken = exported()
    broken.positions[7, 2, 1] = np.nan
    with pytest.raises(InertiaError, match="are not numbers"):
        gathered(broken)
