# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips that take longer than they are keyed, and modifiers of curves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import actions
from inertia_addon.blender.data.actions import ClipScale
from tests.blender import builders

FRAMES = st.floats(-1e4, 1e4)


@given(FRAMES, st.floats(0.1, 10.0), st.lists(FRAMES, min_size=1, max_size=5))
def test_a_stretch_leaves_its_origin_and_makes_all_else_longer_by_its_scale(
    origin: float, scale: float, frames: list[float]
) -> None:
    stretch = ClipScale(origin, scale)
    np.testing.assert_allclose(stretch.times([origin]), [origin])
    times = stretch.times(frames)
    np.testing.assert_allclose(np.diff(times), np.diff(frames) * scale, atol=1e-7)
    np.testing.assert_allclose(stretch.keyed_frames(times), frames, atol=1e-7)


SETTINGS: dict[str, dict[str, Any]] = {
    "GENERATOR": {"mode": "POLYNOMIAL", "use_additive": True},
    "FNGENERATOR": {"function_type": "COS", "amplitude": 2.5, "phase_offset": 0.4},
    "CYCLES": {"mode_before": "MIRROR", "mode_after": "REPEAT_OFFSET", "cycles_after": 3},
    "NOISE": {"scale": 4.5, "strength": 0.7, "phase": 3.0, "blend_type": "MULTIPLY"},
    "LIMITS": {"use_min_y": True, "min_y": -0.25, "use_max_y": True, "max_y": 0.5},
    "STEPPED": {"frame_step": 3.0, "frame_offset": 1.0},
    "ENVELOPE": {"reference_value": 0.2, "default_min": -0.5},
}


@pytest.mark.usefixtures("fresh_file")
@pytest.mark.parametrize("kind", SETTINGS)
def test_copied_modifiers_are_those_of_the_curve(kind: str) -> None:
    action = builders.action("Clip")
    one, other = (builders.wave(action, "location", i, 0.5) for i in range(2))
    modifier = one.modifiers.new(kind)
    for prop, value in SETTINGS[kind].items():
        setattr(modifier, prop, value)
    shared = {"influence": 0.75, "use_influence": True, "mute": False}
    for prop, value in {**shared, "use_restricted_range": True, "frame_start": 3, "frame_end": 30}.items():
        setattr(modifier, prop, value)
    actions.copy_modifiers(one, other)
    (copied,) = other.modifiers
    for prop, value in {**SETTINGS[kind], **shared}.items():
        assert getattr(copied, prop) == (value if isinstance(value, str) else pytest.approx(value))
    frames = np.arange(-20.0, 80.0)
    assert [one.evaluate(f) for f in frames] == [other.evaluate(f) for f in frames]
