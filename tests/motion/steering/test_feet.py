# SPDX-License-Identifier: GPL-3.0-or-later
"""How the feet of a steered take are led, asked for at any moment of it."""

from __future__ import annotations

import numpy as np
import pytest

from inertia_addon.motion.steering.feet import TakenFeet

STILL = np.array([[True], [False], [True], [True]])
TAKEN = TakenFeet(("foot",), np.arange(16.0).reshape(4, 1, 4), STILL, np.zeros((4, 1, 2)), ())


@pytest.mark.parametrize(
    ("moment", "stands"),
    [
        (-1.0, True),
        (0.0, True),
        (0.2, False),
        (0.5, False),
        (1.0, False),
        (1.7, False),
        (2.5, True),
        (9.0, True),
    ],
)
def test_a_foot_stands_where_it_does_on_both_nearest_frames(moment: float, *, stands: bool) -> None:
    assert TAKEN.still_at(np.array([moment])).tolist() == [[stands]]


def test_feet_are_led_as_on_each_frame_and_beyond_the_ends_as_there() -> None:
    led = TAKEN.away_at(np.array([-3.0, 0.0, 1.0, 2.0, 3.0, 8.0]))
    np.testing.assert_allclose(led, TAKEN.away[[0, 0, 1, 2, 3, 3]], atol=1e-12)
