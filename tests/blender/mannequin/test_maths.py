# SPDX-License-Identifier: GPL-3.0-or-later
"""The curves that the mannequin moves by go where they are said to go, as fast as they are said to."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline

pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.mannequin import maths

TIMES = np.linspace(-0.5, 3.5, 81)


def test_a_curve_through_keys_has_their_values_and_slopes_and_holds_outside() -> None:
    keys = [(0.0, 1.0, 2.0), (1.0, -1.0, 0.5), (1.5, 0.5, -3.0), (3.0, 2.0, 0.0)]
    at, values, slopes = np.array(keys).T
    wanted = CubicHermiteSpline(at, values, slopes)(np.clip(TIMES, 0.0, 3.0))
    np.testing.assert_allclose(maths.interpolate(TIMES, keys), wanted, atol=1e-12)


def test_an_ease_goes_once_from_zero_to_one_without_a_kink() -> None:
    eased = maths.ease(TIMES, 0.5, 2.0)
    assert (eased[TIMES <= 0.5] == 0.0).all()
    assert (eased[TIMES >= 2.0] == 1.0).all()
    assert (np.diff(eased) >= 0.0).all()
    np.testing.assert_allclose(eased + maths.ease(2.5 - TIMES, 0.5, 2.0), 1.0, atol=1e-12)
    through = maths.ease_through(TIMES, 3.0, (0.0, 1.0, -1.0), (1.5, 2.0, 4.0))
    np.testing.assert_allclose(through[[0, 30, -1]], (3.0, -1.0, 4.0), atol=1e-12)


@pytest.mark.parametrize("snap", [0.0, 0.4, 1.0])
def test_a_glide_begins_and_ends_with_the_places_and_rates_that_are_asked_for(snap: float) -> None:
    ends = np.array([[1.0, 2.0, 0.0], [-1.0, 0.5, 3.0]])
    rates = np.array([[0.5, -2.0, 1.0], [4.0, 0.0, -1.0]])
    step = 1e-5
    ways = maths.glide(np.array([0.0, step, 1.0 - step, 1.0]), *ends, *rates, snap)
    np.testing.assert_allclose(ways[[0, -1]], ends, atol=1e-12)
    np.testing.assert_allclose((ways[[1, 3]] - ways[[0, 2]]) / step, rates, atol=1e-3)


def test_a_frame_is_as_near_to_an_axis_as_can_be() -> None:
    rng = np.random.default_rng(4)
    axis, along = rng.normal(size=(2, 20, 3))
    made = maths.build_frame(axis, along)
    np.testing.assert_allclose(made.swapaxes(1, 2) @ made, np.tile(np.eye(3), (20, 1, 1)), atol=1e-12)
    np.testing.assert_allclose(np.linalg.det(made), 1.0)
    np.testing.assert_allclose(made[:, :, 1], maths.normalize(along), atol=1e-12)
    assert (np.sum(made[:, :, 0] * axis, axis=1) > 0.0).all()
    np.testing.assert_allclose(np.sum(made[:, :, 2] * axis, axis=1), 0.0, atol=1e-12)
