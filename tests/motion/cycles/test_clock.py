# SPDX-License-Identifier: GPL-3.0-or-later
"""A clock sets out with its rate and reaches the clip's own speed smoothly, without ever going back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.motion.cycles.cycle import Clock


@given(st.floats(-50.0, 50.0), st.floats(0.2, 4.0), st.floats(1.0, 80.0))
def test_speed_goes_over_smoothly_and_frames_are_found_again(
    entry: float, rate: float, frames: float
) -> None:
    clock = Clock(entry, rate, frames)
    times = np.linspace(entry - 10.0, clock.end + 10.0, 400)
    shown = clock.frames_at(times)
    assert np.all(np.diff(shown) > 0.0)
    np.testing.assert_allclose(clock.time(shown), times, atol=1e-9)
    step = 1e-4 * frames
    ends = np.array([entry, clock.end])
    before, after = ((clock.frames_at(ends + way) - clock.frames_at(ends)) / way for way in (-step, step))
    np.testing.assert_allclose(before, [rate, 1.0], atol=0.01)
    np.testing.assert_allclose(after, [rate, 1.0], atol=0.01)
    assert clock.frames_at([entry, clock.end + 5.0]).tolist() == pytest.approx(
        [entry, clock.end + 5.0 + clock.gained]
    )


@pytest.mark.parametrize("frames", [8.0, 12.0, 19.0])
@pytest.mark.parametrize("rate", [0.5, 0.77, 1.9])
def test_whole_frames_are_gained_where_the_blend_has_room(rate: float, frames: float) -> None:
    assert Clock(3.0, rate, frames).gained == pytest.approx(round(0.5 * (rate - 1.0) * frames))
