# SPDX-License-Identifier: GPL-3.0-or-later
"""The result's curves hold the clips' own keys and shapes, and keys per frame only where it takes them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.blender import builders

HANDLES = ("FREE", "AUTO", "VECTOR", "ALIGNED", "AUTO_CLAMPED")
X = builders.bone_path("A", "location")
SOURCE_POINTS = [(1, 0.0), (6, 2.0), (11, 1.5), (13, 3.0), (21, -1.0), (25, -0.5), (31, 2.0)]
DESTINATION_POINTS = [(1, 1.0), (4, -2.0), (9, 0.5), (14, 0.4), (22, 3.0), (30, -1.0), (41, 0.0)]
KEY_TYPES = ("KEYFRAME", "BREAKDOWN", "EXTREME", "JITTER", "MOVING_HOLD")

pytestmark = pytest.mark.usefixtures("fresh_file")


def pair(**how: Any) -> tuple[Any, Any]:
    """A source and a destination that move bone A along its x axis."""
    made = []
    for name, points in (("Source", SOURCE_POINTS), ("Destination", DESTINATION_POINTS)):
        made.append(builders.action(name))
        fcurve = builders.curve(made[-1], X, 0, points, **how)
        for i, key in enumerate(fcurve.keyframe_points):
            key.type = KEY_TYPES[i % len(KEY_TYPES)]
    return made[0], made[1]


def assert_same_shape(
    source: Any, destination: Any, report: Any, result: Any, tolerance: float = 1e-5
) -> None:
    """The curve equals the clips' outside of the window at sub-frames, also after an update of handles."""
    (cut, end), (first, last) = report.window, report.frame_range
    early = builders.sub_frames(min(first, cut) - 4, cut - 0.02, 0.125)
    late = builders.sub_frames(end, max(last, end) + 4, 0.125)
    later = cut - report.settings["destination_frame"]
    expected = np.concatenate(
        [builders.evaluated(source, X, 0, early), builders.evaluated(destination, X, 0, late - later)]
    )
    fcurve = builders.by_address(result)[X, 0]
    for what in ("as baked", "after an update"):
        found = [fcurve.evaluate(frame) for frame in np.concatenate([early, late])]
        np.testing.assert_allclose(found, expected, atol=tolerance * np.ptp(expected), err_msg=what)
        fcurve.update()


@pytest.mark.variants(5)
@pytest.mark.parametrize("handles", HANDLES)
@pytest.mark.parametrize(("cut", "start"), [(21.0, 9.0), (15.0, 6.0), (15.3, 6.7), (1.0, 1.0), (31.0, 41.0)])
def test_shape_outside_of_the_window(armature: Any, handles: str, cut: float, start: float) -> None:
    source, destination = pair(handles=handles)
    report, result = builders.transition(armature, source, destination, cut, start, blend_frames=7)
    assert_same_shape(source, destination, report, result)
    assert report.baked_curves == ()


@pytest.mark.parametrize("handles", HANDLES)
def test_keys_are_kept_bit_for_bit(armature: Any, handles: str) -> None:
    source, destination = pair(handles=handles)
    report, result = builders.transition(armature, source, destination, 15.0, 6.0, blend_frames=7)
    made = builders.by_address(result)[X, 0]
    # the keys next to a cut have a handle towards it that is shorter now
    assert builders.key_data(made, last=12) == builders.key_data(builders.by_address(source)[X, 0], last=12)
    there = builders.by_address(destination)[X, 0]
    own = [moved(key, 9.0) for key in builders.key_data(there, first=15)]
    assert builders.key_data(made, first=24) == own
    assert report.window == (15.0, 22.0)


def moved(key: tuple[Any, ...], frames: float) -> tuple[Any, ...]:
    """Key data, later by a number of frames."""
    frame, value, left, left_value, right, right_value, *rest = key
    times = [float(np.float32(x + frames)) for x in (frame, left, right)]
    return (times[0], value, times[1], left_value, times[2], right_value, *rest)


@pytest.mark.variants(4)
@pytest.mark.parametrize("interpolation", ["LINEAR", "CONSTANT", "mixed"])
@pytest.mark.parametrize(("cut", "start"), [(15.0, 6.0), (21.0, 14.0), (15.3, 6.7)])
def test_interpolations_of_kept_keys_stay(
    armature: Any, interpolation: str, cut: float, start: float
) -> None:
    kinds: Any = interpolation
    if interpolation == "mixed":
        kinds = ["LINEAR", "CONSTANT", "BEZIER", "LINEAR", "CONSTANT", "BEZIER", "LINEAR"]
    source, destination = pair(interpolation=kinds)
    report, result = builders.transition(armature, source, destination, cut, start, blend_frames=7)
    assert_same_shape(source, destination, report, result)


@pytest.mark.variants(5)
@pytest.mark.parametrize("smoothing", ["NONE", "CONT_ACCEL"])
@pytest.mark.parametrize("other", ["NONE", "CONT_ACCEL"])
@pytest.mark.parametrize("handles", ["AUTO", "AUTO_CLAMPED"])
@pytest.mark.parametrize("cut", [21.0, 15.0])
def test_smoothing_of_automatic_handles(
    armature: Any, smoothing: str, other: str, handles: str, cut: float
) -> None:
    """A curve's own way to compute automatic handles is kept, too."""
    source, destination = pair(handles=handles)
    for made, way in ((source, smoothing), (destination, other)):
        fcurve = builders.by_address(made)[X, 0]
        fcurve.auto_smoothing = way
        fcurve.update()
    report, result = builders.transition(armature, source, destination, cut, 9.0, blend_frames=5)
    assert_same_shape(source, destination, report, result)


def test_keys_between_frames(armature: Any) -> None:
    source, destination = builders.action("Source"), builders.action("Destination")
    rng = np.random.default_rng(2)
    for made in (source, destination):
        points = [(1 + 0.8 * i, float(v)) for i, v in enumerate(rng.normal(size=40))]
        builders.curve(made, X, 0, points)
    report, result = builders.transition(armature, source, destination, 15.5, 6.25, blend_frames=7)
    assert any("between frames" in warning for warning in report.warnings)
    assert_same_shape(source, destination, report, result, 2e-5)


def test_channels_with_an_offset_alone_get_keys_per_frame(armature: Any) -> None:
    source, destination = pair()
    rotation = builders.bone_path("B", "rotation_quaternion")
    for made in (source, destination):
        builders.curves(made, rotation, [(1, (1, 0, 0, 0)), (41, (1, 0, 0, 0))])
    # the very same motion at the cut: nothing to decay
    other = builders.bone_path("B", "location")
    builders.curve(source, other, 0, [(1, 0.0), (31, 3.0)], interpolation="LINEAR")
    builders.curve(destination, other, 0, [(1, 1.4), (31, 4.4)], interpolation="LINEAR")
    report, result = builders.transition(armature, source, destination, 15.0, 1.0, blend_frames=7)
    made = builders.by_address(result)
    frames = [key.co[0] for key in made[X, 0].keyframe_points]
    assert [frame for frame in frames if 15 <= frame <= 22] == list(range(15, 23))
    assert [key.co[0] for key in made[other, 0].keyframe_points] == [1, 15, 45]
    assert all(len(made[rotation, i].keyframe_points) <= 3 for i in range(4))
    assert report.offsets == 1
    # the other axes of the location are in neither clip, and at rest
    assert (X, 1) not in made


def test_muted_curves_are_left_out(armature: Any) -> None:
    source, destination = pair()
    for made, index in ((source, 1), (destination, 2)):
        builders.curve(made, X, index, [(1, 5.0), (31, 7.0)]).mute = True
    report, result = builders.transition(armature, source, destination, 15.0, 6.0)
    assert set(builders.by_address(result)) == {(X, 0)}
    assert sum("muted" in warning for warning in report.warnings) == 2
    builders.assert_outside(armature, source, destination, report, result)


def test_muted_groups_act_as_in_blender(armature: Any) -> None:
    """With slots Blender plays the curves of a muted group all the same."""
    source, destination = pair()
    fcurve = builders.curve(source, X, 1, [(1, 5.0), (31, 7.0)])
    fcurve.group = builders.bags(source)[0].groups.new("Held")
    fcurve.group.mute = True
    report, result = builders.transition(armature, source, destination, 15.0, 6.0)
    builders.assert_outside(armature, source, destination, report, result)


def test_channel_groups_are_kept(armature: Any) -> None:
    source, destination = pair()
    fcurve = builders.by_address(source)[X, 0]
    fcurve.group = builders.bags(source)[0].groups.new("Hand-made")
    _, result = builders.transition(armature, source, destination, 15.0, 6.0)
    assert builders.by_address(result)[X, 0].group.name == "Hand-made"
    assert [group.name for group in builders.bags(result)[0].groups] == ["Hand-made"]


@pytest.mark.variants(4)
@pytest.mark.parametrize(
    "ends", [("LINEAR", "CONSTANT"), ("CONSTANT", "LINEAR"), ("LINEAR", "LINEAR"), ("CONSTANT", "CONSTANT")]
)
@pytest.mark.parametrize("handles", ["FREE", "AUTO", "VECTOR"])
@pytest.mark.parametrize(("cut", "start"), [(15.0, 6.0), (-3.0, 6.0), (15.0, 47.0), (35.5, -2.5)])
def test_extrapolation_at_each_end_is_that_of_its_own_clip(
    armature: Any, ends: tuple[str, str], handles: str, cut: float, start: float
) -> None:
    """Each end goes on as its own clip does, also where the cut lies beyond the keys."""
    source, destination = pair(handles=handles)
    for made, way in zip((source, destination), ends, strict=True):
        builders.by_address(made)[X, 0].extrapolation = way
    report, result = builders.transition(
        armature, source, destination, cut, start, blend_frames=7, extrapolate=True
    )
    assert_same_shape(source, destination, report, result)


@pytest.mark.parametrize("interpolation", ["LINEAR", "CONSTANT"])
def test_linear_extrapolation_of_straight_ends(armature: Any, interpolation: str) -> None:
    source, destination = pair(interpolation=interpolation)
    for made in (source, destination):
        builders.by_address(made)[X, 0].extrapolation = "LINEAR"
    report, result = builders.transition(armature, source, destination, 15.0, 6.0, blend_frames=7)
    assert_same_shape(source, destination, report, result)
