# SPDX-License-Identifier: GPL-3.0-or-later
"""Moving points as text: what a page reads is where they are, to a step that nobody sees."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from inertia_addon.errors import InertiaError
from inertia_addon.pages import tracks

PLACES = st.floats(-1e4, 1e4, width=32)


@given(
    hnp.arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(1, 4), st.just(3)), elements=PLACES),
    st.sampled_from([1e-4, 1e-3, 0.01]),
)
def test_encode_points_is_exact_to_half_a_step(points: np.ndarray, grain: float) -> None:
    read = tracks.decode_points(tracks.encode_points(points, grain), points.shape[1], grain)
    assert read.shape == points.shape
    assert np.abs(read - points).max() <= 0.5 * grain * (1.0 + 1e-6)


@given(st.floats(0.001, 1000.0))
def test_find_grain_is_a_millimetre_of_who_is_two_metres_tall(size: float) -> None:
    points = np.zeros((2, 2, 3))
    points[:, 1, 2] = size
    grain = tracks.find_grain(points)
    assert size / grain == pytest.approx(2000.0)
    assert tracks.find_grain(np.zeros((1, 1, 3))) == 0.001


def test_encode_points_takes_a_byte_a_number_of_a_smooth_motion() -> None:
    seconds = np.arange(300) / 30.0
    ways = np.stack(
        [1.4 * seconds, 0.05 * np.sin(9.0 * seconds), 0.9 + 0.03 * np.cos(18.0 * seconds)], axis=-1
    )
    text = tracks.encode_points(np.repeat(ways[:, None], 80, axis=1), 0.001)
    # base64 has four letters for three bytes
    assert len(text) < 4 / 3 * (300 * 80 * 3) * 1.02


@pytest.mark.parametrize("place", [np.nan, np.inf, 1e12])
def test_encode_points_refuses_who_is_nowhere(place: float) -> None:
    with pytest.raises(InertiaError, match="too far away"):
        tracks.encode_points(np.full((1, 1, 3), place), 0.001)
