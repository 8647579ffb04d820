# SPDX-License-Identifier: GPL-3.0-or-later
"""Offsets, scales and speeds that are found by what networks play, beside those of their training."""

from __future__ import annotations

import dataclasses
import io

import numpy as np
import pytest
from numpy.typing import NDArray

from inertia_addon.motion.learned import engine_model, material, model_file, observing
from inertia_addon.motion.learned.engine_model import FEATURES
from inertia_addon.motion.learned.material import Material
from inertia_addon.motion.learned.model import Model, ModelError
from inertia_addon.motion.learned.steered import Steered
from inertia_addon.motion.learned.training import Training
from inertia_addon.motion.matching import engine
from inertia_addon.motion.matching.engine import FPS
from inertia_addon.motion.steering import session
from inertia_addon.motion.steps import finish
from inertia_addon.settings.steering import Wish
from tests.motion import made_up_moves

Learned = tuple[Model, Material]

WALK, RUN = 1.2, 3.5
BONES = (2, 3, 0)
"""The left foot, the right foot and the hips."""
LEADS = [slice(15, 21), slice(21, 27)]


@pytest.fixture(scope="module")
def learned() -> Learned:
    """Networks of somebody who walks, runs, and walks in circles; trained until they turn as these do."""
    clips = [
        made_up_moves.clip(300, WALK),
        made_up_moves.clip(300, RUN, pace=2.6),
        *(made_up_moves.clip(300, 1.0, turn) for turn in (0.7, -0.7)),
    ]
    made = made_up_moves.exported(*clips)
    features = engine.features(made, made_up_moves.LEFT, made_up_moves.RIGHT, made_up_moves.HIPS)
    own = material.gathered(made, features, ("walk", "run", "left", "right"))
    settings = made_up_moves.settings(hidden=48, iterations=1300, rate=0.005)
    return finish(Training(own, settings, made_up_moves.SKELETON).steps()), own


@pytest.fixture(scope="module")
def networks(learned: Learned) -> dict[str, bytes]:
    """What a folder of these networks alone holds."""
    return {
        f"{name}.bin": engine_model.network_bytes(learned[0].network(name)) for name in engine_model.PLAYED
    }


@pytest.fixture(scope="module")
def alone(networks: dict[str, bytes]) -> Model:
    """A model of the networks alone."""
    assert engine_model.lacks_norms(networks)
    return engine_model.read(networks, made_up_moves.SKELETON, BONES)


def with_features(networks: dict[str, bytes], own: Material) -> dict[str, bytes]:
    return {**networks, FEATURES: engine.features_bytes(own.features, own.offsets, own.scales)}


def goes(model: Model, speed: float) -> NDArray[np.float64]:
    """Return how far somebody comes in the last second in which a speed is wished along -y: as is shown, and
    as the networks alone play it."""
    asked = session.Wishes.of((Wish(0.0, 0.0, -speed).rounded, Wish(3.0, 0.0, -speed).rounded), FPS)
    moments = finish(session.steps(Steered(model), asked, np.zeros(2), -0.5 * np.pi))
    before, after = moments[-1 - round(FPS)], moments[-1]
    shown = after.ground - before.ground
    assert abs(shown[0]) < 0.1
    return np.array([-shown[1], np.linalg.norm(after.shown.ground - before.shown.ground)])


def test_offsets_and_scales_are_near_those_of_the_training(learned: Learned, alone: Model) -> None:
    _, own = learned
    np.testing.assert_allclose(alone.scales[:15], own.scales[:15], rtol=0.05)
    np.testing.assert_allclose(alone.scales[15:], own.scales[15:], rtol=0.12)
    away = np.abs(alone.offsets - own.offsets) / own.scales
    # random frames are apart by one and a half of these
    assert away.max() < 0.3
    assert np.median(away) < 0.05


def test_features_without_offsets_and_scales_are_used_to_find_them(
    learned: Learned, networks: dict[str, bytes]
) -> None:
    _, own = learned
    whole = with_features(networks, own)
    ends = {**whole, FEATURES: engine_model.latent_bytes(own.features)}
    assert [engine_model.lacks_norms(each) for each in (whole, ends, networks)] == [False, True, True]
    found = engine_model.read(ends, made_up_moves.SKELETON, BONES)
    np.testing.assert_allclose(found.scales, own.scales, rtol=0.1)
    assert (np.abs(found.offsets - own.offsets) / own.scales).max() < 0.25
    assert found.frames == own.frames
    # what is spoilt is not taken for what was left out
    spoilt = {**whole, FEATURES: whole[FEATURES][:-4]}
    assert not engine_model.lacks_norms(spoilt)
    with pytest.raises(ModelError, match="damaged or incomplete"):
        engine_model.read(spoilt, made_up_moves.SKELETON, BONES)


def test_speeds_follow_wishes(learned: Learned, networks: dict[str, bytes], alone: Model) -> None:
    whole = engine_model.read(with_features(networks, learned[1]), made_up_moves.SKELETON)
    np.testing.assert_array_equal(whole.offsets, learned[1].offsets)
    assert whole.gait is not None
    assert any(low <= WALK <= high + 0.02 for low, high in whole.gait.speeds)
    assert any(low - 0.02 <= RUN <= high + 0.02 for low, high in whole.gait.speeds)
    for model, near in ((whole, 0.08), (alone, 0.15)):
        for speed in (WALK, RUN):
            np.testing.assert_allclose(goes(model, speed), speed, rtol=near)
    # as it was: who knows but one speed goes at that
    usual = dataclasses.replace(whole, gait=None)
    assert goes(usual, RUN)[1] < 2.0


def test_a_file_keeps_what_was_found_and_layers_as_a_game_has_them(alone: Model) -> None:
    # one hidden layer in place of two, as published Decompressors have
    played = alone.network("decompressor")
    fewer = dataclasses.replace(
        played, weights=(played.weights[0], played.weights[-1]), biases=(played.biases[0], played.biases[-1])
    )
    content = model_file.to_bytes(dataclasses.replace(alone, decompressor=fewer))
    found = model_file.read(io.BytesIO(content), "some.npz").model
    assert found.has_found_norms
    assert (found.layers, found.gait) == ({"decompressor": (48,)}, alone.gait)
    np.testing.assert_array_equal(found.offsets, alone.offsets)
    np.testing.assert_array_equal(found.network("decompressor").weights[1], fewer.weights[1])


def test_features_that_tell_nothing_are_refused(learned: Learned, networks: dict[str, bytes]) -> None:
    model, own = learned
    shuffled = own.features[np.random.default_rng(3).permutation(len(own.features))]
    still = dataclasses.replace(model.network("decompressor"), std_out=np.zeros(model.rows.size, np.float32))
    content = {**networks, "decompressor.bin": engine_model.network_bytes(still)}
    with pytest.raises(ModelError, match=r'add the "features\.bin" of the database'):
        engine_model.read(content, made_up_moves.SKELETON, BONES)
    with pytest.raises(ModelError, match="The offsets and scales"):
        observing.find_norms(dataclasses.replace(model, offsets=own.offsets[:-1]), BONES, shuffled)
