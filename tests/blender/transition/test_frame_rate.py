# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether keys between frames mean that the scene has another frame rate than its clips."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from inertia_addon.blender.transition import preflight

RATES = st.sampled_from((23.976, 24.0, 25.0, 29.97, 30.0, 48.0, 50.0, 60.0, 100.0, 120.0))


@given(RATES, RATES, st.integers(-20, 20), st.integers(12, 200), st.integers(0, 2**32 - 1))
def test_keys_of_another_rate_are_known_also_where_some_are_missing(
    made: float, fps: float, start: int, count: int, seed: int
) -> None:
    step = fps / made
    assume(abs(step - round(step)) > 0.02 * step)
    kept = np.random.default_rng(seed).random(count) < 0.9
    frames = np.float32(start + step * np.arange(count))[kept]
    assert preflight.has_other_rate(np.tile(frames, 3))


@given(
    st.integers(1, 4), st.floats(0.0, 1.0), st.integers(8, 200), st.lists(st.floats(1.0, 60.0), max_size=4)
)
def test_keys_on_every_so_many_frames_are_of_the_scene_wherever_they_begin_and_some_others_lie(
    step: int, start: float, count: int, others: list[float]
) -> None:
    frames = start + step * np.arange(count)
    # of four keys, each parts one step in two
    assume(len(others) * 4 < count)
    assert not preflight.has_other_rate(np.concatenate([np.float32(frames), others]))


@given(st.integers(0, 2**32 - 1), st.integers(20, 300))
def test_keys_where_curves_bend_have_no_rate(seed: int, count: int) -> None:
    # as importers leave them: on whole frames, and between any
    chance = np.random.default_rng(seed)
    between = chance.uniform(1, 100, count)
    frames = np.where(chance.random(count) < 0.5, np.round(between), between)
    assert not preflight.has_other_rate(frames)
