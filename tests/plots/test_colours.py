# SPDX-License-Identifier: GPL-3.0-or-later
"""Colour maps keep the order of numbers."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from inertia_addon.plots import colours

NUMBERS = hnp.arrays(float, hnp.array_shapes(min_dims=0, max_dims=3), elements=st.floats(allow_nan=True))


def lightness(srgb: np.ndarray) -> np.ndarray:
    """CIE L* of sRGB colours, by way of their luminance."""
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    luminance = linear @ [0.2126, 0.7152, 0.0722]
    return np.where(luminance > 0.008856, 116.0 * np.cbrt(luminance) - 16.0, 903.3 * luminance)


def test_the_sequential_map_grows_lighter_evenly() -> None:
    steps = np.diff(lightness(colours.sequential(np.linspace(0.0, 1.0, 17))))
    assert steps.min() > 0.6 * steps.mean()
    assert steps.max() < 1.5 * steps.mean()
    assert lightness(colours.sequential(1.0)) - lightness(colours.sequential(0.0)) > 80.0


@given(values=NUMBERS)
def test_every_number_has_a_colour_and_what_is_none_is_grey(values: np.ndarray) -> None:
    found = colours.sequential(values)
    assert found.shape == (*values.shape, 3)
    assert ((found >= 0.0) & (found <= 1.0)).all()
    assert (found[np.isnan(values)] == colours.NO_VALUE).all()


def test_beyond_the_ends_are_the_ends() -> None:
    np.testing.assert_array_equal(colours.sequential([-3.0, -np.inf]), colours.sequential([0.0, 0.0]))
    np.testing.assert_array_equal(colours.sequential([4.0, np.inf]), colours.sequential([1.0, 1.0]))


def test_bytes_are_rounded() -> None:
    np.testing.assert_array_equal(
        colours.as_bytes([0.0, 0.5, 0.998, 1.0, 2.0, -1.0]), [0, 128, 254, 255, 255, 0]
    )
