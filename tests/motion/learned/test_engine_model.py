# SPDX-License-Identifier: GPL-3.0-or-later
"""Networks of a game's files run as a model: what they were, and nothing that doesn't fit."""

from __future__ import annotations

import numpy as np
import pytest

from inertia_addon.errors import InertiaError
from inertia_addon.motion.learned import checking, engine_model, training
from inertia_addon.motion.learned.model import Skeleton
from inertia_addon.motion.matching import engine
from tests.motion import made_up_moves


def contents() -> dict[str, bytes]:
    """The files of the small model."""
    own, material = made_up_moves.model(), made_up_moves.learned_from()
    held = {f"{name}.bin": engine_model.network_bytes(own.network(name)) for name in engine_model.PLAYED}
    features = material.features, material.offsets, material.scales
    return {**held, engine_model.FEATURES: engine.features_bytes(*features)}


def test_they_are_the_model_that_they_were_written_of() -> None:
    known, material = made_up_moves.model(), made_up_moves.learned_from()
    found = engine_model.read(contents(), made_up_moves.SKELETON)
    assert (found.latents, found.features, found.frames) == (known.latents, known.features, known.frames)
    # found by playing, which is half a centimetre off
    np.testing.assert_allclose([found.pace, found.size], [known.pace, known.size], rtol=0.15)
    latents = training.compressed(material, known.network("compressor"))
    one, other = checking.check(found, material, latents), checking.check(known, material)
    assert one.clips == other.clips
    assert (one.drift_cm, one.projector_cm) == (other.drift_cm, other.projector_cm)
    again = engine_model.latents(engine_model.latent_bytes(latents), "latent.bin")
    np.testing.assert_array_equal(again, latents)


def test_what_does_not_fit_is_one_sentence() -> None:
    own = contents()
    fewer = Skeleton(("hips", "chest"), (-1, 0), ())
    with pytest.raises(InertiaError, match="another skeleton: they give 68 numbers"):
        engine_model.read(own, fewer)
    with pytest.raises(InertiaError, match="don't fit each other"):
        engine_model.read({**own, "stepper.bin": own["decompressor.bin"]}, made_up_moves.SKELETON)
    features = own[engine_model.FEATURES]
    for wrong in (b"", features[:-1], features + b"\0", b"\xff" * 64):
        with pytest.raises(InertiaError, match="is damaged or incomplete"):
            engine_model.read({**own, engine_model.FEATURES: wrong}, made_up_moves.SKELETON)
