# SPDX-License-Identifier: GPL-3.0-or-later
"""Hips that sway turn nobody; a turn is one, sway or not."""

from __future__ import annotations

import numpy as np
import pytest

from inertia_addon.motion.loops import closing

PART = np.linspace(0.0, 1.0, 30)


@pytest.mark.parametrize("phase", [0.0, 1.5, 3.0, 4.5])
@pytest.mark.parametrize("cut", [0.8, 0.9, 1.0])
def test_sway_is_no_turn_though_a_cycle_is_cut(cut: float, phase: float) -> None:
    swaying = np.radians(13.0) * np.sin(2.0 * np.pi * cut * PART + phase)
    assert closing.turn_of(3.0 + swaying) == 0.0


@pytest.mark.parametrize("degrees", [-170.0, -35.0, 14.0, 35.0])
def test_a_turn_is_one(degrees: float) -> None:
    """Also where its angles wrap, and where the hips sway on the way."""
    faced = np.radians(170.0) + np.radians(degrees) * PART
    assert closing.turn_of((faced + np.pi) % (2.0 * np.pi) - np.pi) == pytest.approx(np.radians(degrees))
    swaying = faced + np.radians(5.0) * np.sin(2.0 * np.pi * PART)
    assert closing.turn_of(swaying) == pytest.approx(np.radians(degrees))
