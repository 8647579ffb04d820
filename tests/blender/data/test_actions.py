# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips that take longer than they are keyed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data.actions import Stretch

FRAMES = st.floats(-1e4, 1e4)


@given(FRAMES, st.floats(0.1, 10.0), st.lists(FRAMES, min_size=1, max_size=5))
def test_a_stretch_leaves_its_origin_and_makes_all_else_longer_by_its_scale(
    origin: float, scale: float, frames: list[float]
) -> None:
    stretch = Stretch(origin, scale)
    np.testing.assert_allclose(stretch.times([origin]), [origin])
    times = stretch.times(frames)
    np.testing.assert_allclose(np.diff(times), np.diff(frames) * scale, atol=1e-7)
    np.testing.assert_allclose(stretch.own(times), frames, atol=1e-7)
