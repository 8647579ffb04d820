# SPDX-License-Identifier: GPL-3.0-or-later
"""Networks of a game's files: byte by byte as docs/learned.md says, read back, and run as a model."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from inertia_addon.errors import InertiaError
from inertia_addon.motion.learned import checking, engine_model, networks, training
from inertia_addon.motion.learned.model import ModelSkeleton
from inertia_addon.motion.learned.networks import Network
from inertia_addon.motion.matching import engine
from tests.motion import made_up_moves
from tests.players import learned as player


def contents() -> dict[str, bytes]:
    """The files of the small model."""
    own, material = made_up_moves.model(), made_up_moves.learned_from()
    held = {f"{name}.bin": engine_model.network_bytes(own.network(name)) for name in engine_model.PLAYED}
    features = material.features, material.offsets, material.scales
    return {**held, engine_model.FEATURES: engine.features_bytes(*features)}


def test_engine_files_are_the_model_that_they_were_written_of() -> None:
    known, material = made_up_moves.model(), made_up_moves.learned_from()
    found = engine_model.read(contents(), made_up_moves.SKELETON)
    assert (found.latents, found.features, found.frames) == (known.latents, known.features, known.frames)
    # found by playing, which is half a centimetre off
    np.testing.assert_allclose([found.pace, found.size], [known.pace, known.size], rtol=0.15)
    latents = training.compressed(material, known.network("compressor"))
    one, other = checking.check(found, material, latents), checking.check(known, material)
    assert one.clips == other.clips
    assert (one.drift_cm, one.projector_cm) == (other.drift_cm, other.projector_cm)
    again = engine_model.read_latents(engine_model.latent_bytes(latents), "latent.bin")
    np.testing.assert_array_equal(again, latents)


def test_an_engine_model_that_does_not_fit_is_one_sentence() -> None:
    own = contents()
    fewer = ModelSkeleton(("hips", "chest"), (-1, 0), ())
    with pytest.raises(InertiaError, match="another skeleton: they give 68 numbers"):
        engine_model.read(own, fewer)
    with pytest.raises(InertiaError, match="don't fit each other"):
        engine_model.read({**own, "stepper.bin": own["decompressor.bin"]}, made_up_moves.SKELETON)
    features = own[engine_model.FEATURES]
    for wrong in (b"", features[:-1], features + b"\0", b"\xff" * 64):
        with pytest.raises(InertiaError, match="is damaged or incomplete"):
            engine_model.read({**own, engine_model.FEATURES: wrong}, made_up_moves.SKELETON)


def network(*, smooth: bool = False) -> Network:
    random = np.random.default_rng(9)
    sizes = (4, 6, 3)
    norms = [random.uniform(0.5, 2.0, size).astype(np.float32) for size in (4, 4, 3, 3)]
    return networks.placed(networks.begun(sizes, random), sizes, norms, smooth=smooth)


def test_an_independent_player_reads_and_runs_a_network() -> None:
    own = network()
    content = engine_model.network_bytes(own)
    held = player.network(content)
    inputs = np.random.default_rng(1).normal(size=4).astype(np.float32)
    np.testing.assert_allclose(player.run(held, inputs), own(inputs[None])[0], rtol=1e-5, atol=1e-6)
    # as the documentation says, byte by byte
    assert struct.unpack_from("<I4f", content) == (4, *own.mean_in.tolist())
    assert len(content) == 4 * (1 + 4 + 1 + 4 + 1 + 3 + 1 + 3 + 1 + (2 + 24 + 1 + 6) + (2 + 18 + 1 + 3))
    assert struct.unpack_from("<I", content, 4 * 18) == (2,)
    assert struct.unpack_from("<II", content, 4 * 19) == (4, 6)
    latents = np.arange(6.0, dtype=np.float32).reshape(3, 2)
    assert engine_model.latent_bytes(latents) == struct.pack("<II6f", 3, 2, *range(6))


def test_a_network_is_read_back() -> None:
    own = network()
    found = engine_model.network(engine_model.network_bytes(own), "some.bin")
    for one, other in zip((*own.weights, *own.biases), (*found.weights, *found.biases), strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(own.std_in, found.std_in)


def test_a_file_that_is_no_network_is_one_sentence() -> None:
    content = engine_model.network_bytes(network())
    huge = struct.pack("<I", 2**31) + content[4:]
    spoilt = content[: 4 * 19] + struct.pack("<II", 2**31, 2**31) + content[4 * 21 :]
    other = content[: 4 * 19] + struct.pack("<II", 3, 8) + content[4 * 21 :]
    for wrong in (b"", content[:-1], content + b"\0", huge, spoilt, other, b"\0" * 64):
        with pytest.raises(InertiaError, match=r'"some\.bin" is not a network'):
            engine_model.network(wrong, "some.bin")
