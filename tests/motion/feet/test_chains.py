# SPDX-License-Identifier: GPL-3.0-or-later
"""What poses say of a leg's joints: how long it is, and how far its foot may be from the hip."""

from __future__ import annotations

import numpy as np
import pytest

from inertia_addon.motion.feet import chains
from inertia_addon.motion.feet.chains import Knee
from inertia_addon.motion.feet.legs import Leg
from inertia_addon.motion.skeleton.posing import Posed

LEG = Leg("foot", (0, 1, 2), None, 2, (0.0, 0.0, 0.0), (0.5, 0.4))


def posed(*bends: float, sizes: tuple[float, ...] = ()) -> Posed:
    """The leg with its knee bent by so many radians on each frame, and larger by these factors."""
    each = np.array(sizes or [1.0] * len(bends))[:, None]
    hip = np.tile([0.3, -0.2, 1.0], (len(bends), 1))
    knee = hip - each * [0.0, 0.0, 0.5]
    ankle = knee - 0.4 * each * np.column_stack([np.zeros(len(bends)), np.sin(bends), np.cos(bends)])
    axes = np.tile([1.0, 0.0, 0.0, 0.0], (3, len(bends), 1))
    return Posed(np.stack([hip, knee, ankle]), axes, axes, np.ones((3, len(bends))), {})


def test_a_legs_length_is_the_median_over_its_frames() -> None:
    assert chains.length_of(LEG, posed(0.1, 0.9, 1.4)) == pytest.approx(0.9)
    assert chains.length_of(LEG, posed(0.1, 0.9, 1.4, sizes=(1.0, 3.0, 1.1))) == pytest.approx(0.99)


def test_an_ankle_may_be_as_far_from_the_hip_as_in_the_measured_poses() -> None:
    straight, bent = posed(0.0, 0.4), posed(0.6, 0.8)
    assert Knee.from_poses(LEG, [straight]).longest == pytest.approx(0.9)
    assert Knee.from_poses(LEG, [bent], [straight]).longest == pytest.approx(0.9)
    # a knee that is never straight may be bent by 12 degrees at least
    nearly = np.sqrt(0.5**2 + 0.4**2 + 2.0 * 0.5 * 0.4 * np.cos(np.radians(12.0)))
    assert Knee.from_poses(LEG, [bent]).longest == pytest.approx(nearly)
