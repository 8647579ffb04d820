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
from inertia_addon.errors import InertiaError
from inertia_addon.motion.steps import finish
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


def test_shapes_of_easings_are_read_of_the_curves_that_have_easings(fresh_file: None) -> None:
    made = builders.action("Eased")
    keyed = [(1.0, 0.0), (11.0, 2.0), (21.0, 1.0)]
    plain = builders.curve(made, builders.bone_path("A", "location"), 0, keyed, interpolation="BEZIER")
    eased = builders.curve(made, builders.bone_path("A", "location"), 1, keyed, interpolation="BACK")
    eased.keyframe_points[0].back = 2.5
    both = finish(actions._read_keys_steps([plain, eased]))
    assert both[0].shapes is None
    assert both[1].shapes is not None
    assert both[1].shapes[0, 1] == pytest.approx(2.5)


def test_keys_of_long_curves_are_those_of_short_ones_read_together(
    fresh_file: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = builders.action("Long")
    curves = [builders.wave(made, builders.bone_path("A", "location"), i, 0.5) for i in range(3)]
    together = finish(actions._read_keys_steps(curves))
    monkeypatch.setattr(actions, "MOST_KEYS", 2)
    one_by_one = finish(actions._read_keys_steps(curves))
    for whole, own in zip(together, one_by_one, strict=True):
        np.testing.assert_array_equal(own.points, whole.points)
        np.testing.assert_array_equal(own.codes, whole.codes)
        # so that the memory of one can be given back without the others'
        assert own.points.base is not together[0].points.base
    assert len({id(own.points.base) for own in one_by_one}) == len(curves)


def test_a_key_that_is_not_finite_is_the_one_that_is_named(fresh_file: None) -> None:
    made = builders.action("Spoilt")
    curve = builders.curve(
        made,
        builders.bone_path("A", "location"),
        0,
        [(1.0, 0.0), (11.0, 2.0), (21.0, 1.0)],
        interpolation="BEZIER",
    )
    curve.keyframe_points[1].co_ui[1] = np.inf
    curve.keyframe_points[1].co[1] = np.inf
    with pytest.raises(InertiaError, match="Key 2 of"):
        actions._checked(curve, actions.read_keys(curve))
