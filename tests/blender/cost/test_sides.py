# SPDX-License-Identifier: GPL-3.0-or-later
"""A compared clip at a frame between two of its own."""

from __future__ import annotations

import numpy as np
import pytest

from inertia_addon.blender.cost.sides import ComparedSide

FRAMES = np.array([1.0, 2.0, 4.0])
WAY = np.array([0.0, 0.5, 1.5])
PLACES = WAY[:, None, None] * np.array([1.0, 2.0, 0.0])
RATES = np.broadcast_to(15.0 * np.array([1.0, 2.0, 0.0]), PLACES.shape)
WINDOWS = np.array([0.0, 4.0, 6.0])[:, None, None, None] * np.ones((1, 2, 1, 3))


@pytest.mark.parametrize(
    ("frame", "window"),
    [(-3.0, 0.0), (1.0, 0.0), (1.25, 1.0), (2.0, 4.0), (3.0, 5.0), (9.0, 6.0)],
)
def test_a_side_between_frames_is_mixed_of_both_and_goes_on_beyond_its_ends(
    frame: float, window: float
) -> None:
    side = ComparedSide(FRAMES, PLACES, RATES, WINDOWS).at(frame, 30.0)
    assert side.frames.tolist() == [frame]
    assert side.windows is not None
    assert side.windows[0] == pytest.approx(np.full(WINDOWS.shape[1:], window))
    assert side.positions[0, 0] == pytest.approx(0.5 * (frame - 1.0) * np.array([1.0, 2.0, 0.0]))
