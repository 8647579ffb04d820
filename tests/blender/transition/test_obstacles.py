# SPDX-License-Identifier: GPL-3.0-or-later
"""What keys alone cannot say: easings at the cut, modifiers, generators. It is baked, listed, and right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
import numpy as np
import pytest

from tests.blender import builders

EASINGS = ("SINE", "QUAD", "CUBIC", "EXPO", "CIRC", "BACK", "BOUNCE", "ELASTIC")
X = builders.bone_path("A", "location")
SOURCE_POINTS = [(1, 0.0), (6, 2.0), (11, 1.5), (21, -1.0), (31, 2.0)]
DESTINATION_POINTS = [(1, 1.0), (9, 0.5), (22, 3.0), (41, 0.0)]

pytestmark = pytest.mark.usefixtures("fresh_file")


@pytest.fixture
def armature(fresh_file: None) -> Any:
    return builders.rig({"A": None})


def pair(source_kinds: Any = "BEZIER", destination_kinds: Any = "BEZIER") -> tuple[Any, Any]:
    source, destination = builders.action("Source"), builders.action("Destination")
    builders.curve(source, X, 0, SOURCE_POINTS, interpolation=source_kinds)
    builders.curve(destination, X, 0, DESTINATION_POINTS, interpolation=destination_kinds)
    return source, destination


def shape(made: Any, easing: str = "EASE_IN_OUT") -> None:
    """Easings with a shape of their own."""
    for key in builders.by_address(made)[X, 0].keyframe_points:
        key.easing, key.back, key.amplitude, key.period = easing, 2.5, 0.7, 4.3


def curve_of(made: Any) -> Any:
    return builders.by_address(made)[X, 0]


def assert_values(frames: Any, made: Any, expected: Any, later: float = 0.0) -> None:
    frames = np.asarray(frames, float)
    found = builders.evaluated(made, X, 0, frames)
    np.testing.assert_allclose(found, builders.evaluated(expected, X, 0, frames - later), atol=2e-5)


@pytest.mark.variants(4)
@pytest.mark.parametrize("easing", EASINGS)
@pytest.mark.parametrize("way", ["AUTO", "EASE_IN", "EASE_OUT", "EASE_IN_OUT"])
def test_easings_away_from_the_cut_are_kept(armature: Any, easing: str, way: str) -> None:
    source, destination = pair(
        [easing, "BEZIER", "BEZIER", "BEZIER", easing], ["BEZIER", "BEZIER", easing, easing]
    )
    shape(source, way)
    shape(destination, way)
    report, result = builders.transition(armature, source, destination, 15.0, 4.0, blend_frames=7)
    assert report.baked_curves == ()
    assert_values(builders.sub_frames(-2, 14.9), result, source)
    assert_values(builders.sub_frames(22, 60), result, destination, 11.0)
    assert builders.key_data(curve_of(result), last=6) == builders.key_data(curve_of(source), last=6)


@pytest.mark.variants(3)
@pytest.mark.parametrize("easing", EASINGS)
def test_an_easing_at_the_cut_is_baked_and_listed(armature: Any, easing: str) -> None:
    source, destination = pair(easing, easing)
    shape(source)
    shape(destination)
    report, result = builders.transition(armature, source, destination, 15.0, 4.0, blend_frames=7)
    listed = [
        (b.data_path, b.array_index, b.first_frame, b.last_frame, b.reason) for b in report.baked_curves
    ]
    assert sorted(listed) == [(X, 0, 11.0, 21.0, "easing"), (X, 0, 20.0, 33.0, "easing")]
    # whole frames in the baked segments, every frame elsewhere
    assert_values([*builders.sub_frames(-2, 11), *range(11, 15)], result, source)
    assert_values([*range(22, 33), *builders.sub_frames(33, 60)], result, destination, 11.0)


@pytest.mark.variants(3)
@pytest.mark.parametrize("easing", EASINGS)
def test_a_cut_on_a_key_between_easings_bakes_nothing(armature: Any, easing: str) -> None:
    source, destination = pair(easing, easing)
    shape(source)
    shape(destination)
    report, result = builders.transition(armature, source, destination, 21.0, 1.0, blend_frames=8)
    assert report.baked_curves == ()
    assert_values(builders.sub_frames(-2, 20.9), result, source)
    assert_values(builders.sub_frames(29, 60), result, destination, 20.0)


def add_cycles(fcurve: Any) -> None:
    modifier = fcurve.modifiers.new("CYCLES")
    modifier.mode_after = modifier.mode_before = "REPEAT_OFFSET"


def add_noise(fcurve: Any) -> None:
    modifier = fcurve.modifiers.new("NOISE")
    modifier.strength, modifier.scale = 2.0, 5.0


def add_generator(fcurve: Any) -> None:
    modifier = fcurve.modifiers.new("GENERATOR")
    modifier.use_additive = True
    modifier.coefficients = (0.3, 0.07)


def add_function(fcurve: Any) -> None:
    modifier = fcurve.modifiers.new("FNGENERATOR")
    modifier.use_additive = True
    modifier.phase_multiplier = 0.4


def add_limits(fcurve: Any) -> None:
    modifier = fcurve.modifiers.new("LIMITS")
    modifier.use_max_y, modifier.max_y = True, 0.7


def add_stepped(fcurve: Any) -> None:
    fcurve.modifiers.new("STEPPED").frame_step = 4.0


def add_envelope(fcurve: Any) -> None:
    points = fcurve.modifiers.new("ENVELOPE").control_points
    for frame in (1, 25):
        points.add(frame)
    # one by one they can crash Blender
    points.foreach_set("min", [-1.0, -0.2])
    points.foreach_set("max", [1.0, 2.0])


MODIFIERS: dict[str, Callable[[Any], None]] = {
    "cycles": add_cycles,
    "noise": add_noise,
    "generator": add_generator,
    "fngenerator": add_function,
    "limits": add_limits,
    "stepped": add_stepped,
    "envelope": add_envelope,
}


@pytest.mark.parametrize("kind", MODIFIERS)
def test_modifiers_of_curves_are_baked_and_told(armature: Any, kind: str) -> None:
    source, destination = pair()
    for made in (source, destination):
        MODIFIERS[kind](curve_of(made))
    report, result = builders.transition(armature, source, destination, 15.0, 4.0, blend_frames=7)
    spans = [(b.data_path, b.first_frame, b.last_frame) for b in report.baked_curves]
    # a blend into steps ends with one, and what a cycle repeats are its own keys
    end = 23.0 if kind == "stepped" else 22.0
    assert sorted(spans) == ([] if kind == "cycles" else [(X, 1.0, 15.0), (X, end, 52.0)])
    assert all(kind in b.reason for b in report.baked_curves)
    assert len(curve_of(result).modifiers) == 0
    assert_values(range(1, 16), result, source)
    assert_values(range(int(end), 53), result, destination, 11.0)


@pytest.mark.variants(3)
@pytest.mark.parametrize("kind", MODIFIERS)
def test_a_muted_modifier_bakes_nothing(armature: Any, kind: str) -> None:
    source, destination = pair()
    MODIFIERS[kind](curve_of(source))
    curve_of(source).modifiers[0].mute = True
    report, result = builders.transition(armature, source, destination, 15.0, 4.0, blend_frames=7)
    assert report.baked_curves == ()
    assert_values(builders.sub_frames(-2, 14.9), result, source)


def test_modifiers_that_are_disabled_as_a_whole(armature: Any) -> None:
    """A cycles modifier on a curve of one key does nothing; the bake shows what Blender shows."""
    source, destination = builders.action("Source"), pair()[1]
    builders.curve(source, X, 0, [(5, 2.0)])
    add_cycles(curve_of(source))
    _, result = builders.transition(armature, source, destination, 5.0, 4.0, blend_frames=7)
    assert_values(range(1, 5), result, source)


@pytest.mark.parametrize("make", [add_generator, add_function, add_noise])
def test_curves_of_a_generator_alone(armature: Any, make: Callable[[Any], None]) -> None:
    """Such a curve has no keys; its clip lasts as long as the other curves do."""
    source, destination = pair()
    y = X
    for made in (source, destination):
        fcurve = builders.bags(made)[0].fcurves.new(y, index=1)
        make(fcurve)
    report, result = builders.transition(armature, source, destination, 15.0, 4.0, blend_frames=7)
    assert {b.array_index for b in report.baked_curves} == {1}
    for made, frames, later in (
        (source, np.arange(1.0, 16.0), 0.0),
        (destination, np.arange(22.0, 53.0), 11.0),
    ):
        found = builders.evaluated(result, y, 1, frames)
        np.testing.assert_allclose(found, builders.evaluated(made, y, 1, frames - later), atol=2e-5)


def test_sampled_curves_are_played(armature: Any) -> None:
    """Curves converted to samples (Key > Density > Bake to samples) are read by evaluation."""
    source, destination = pair()
    curve_of(source).convert_to_samples(1, 31)
    report, result = builders.transition(armature, source, destination, 15.0, 4.0, blend_frames=7)
    assert [b.reason for b in report.baked_curves] == ["sampled"]
    assert_values(range(1, 16), result, source)


def test_cyclic_destination_plays_on_within_the_window(armature: Any) -> None:
    """A loop that comes to its end inside the window goes round there, as it would by itself."""
    source, destination = builders.action("Source"), builders.action("Destination")
    builders.curve(source, X, 0, [(1, 0.0), (31, 0.0)])
    builders.curve(destination, X, 0, [(1, 0.0), (6, 1.0), (11, 0.0)])
    curve_of(destination).modifiers.new("CYCLES")
    report, result = builders.transition(armature, source, destination, 15.0, 8.0, blend_frames=12)
    assert report.window[1] == 27.0
    assert_values([27.0], result, destination, 7.0)
    near = builders.evaluated(result, X, 0, range(20, 28)) - builders.evaluated(
        destination, X, 0, range(13, 21)
    )
    assert np.abs(near).max() < 0.6
    assert np.abs(near[-2:]).max() < 0.02


def test_easing_that_only_the_alignment_mixes(armature: Any) -> None:
    """Turning a root mixes its location curves, which easings don't survive: baked, and right on frames."""
    bpy.context.scene.frame_set(1)
    made = []
    for name, way in (("Source", 0.0), ("Destination", np.radians(70.0))):
        made.append(builders.action(name))
        for axis, size in ((0, np.cos(way)), (2, np.sin(way))):
            points = [(1, 0.0), (21, 3.0 * size), (41, 6.0 * size)]
            builders.curve(
                made[-1], X, axis, points, interpolation="SINE" if name == "Destination" else "LINEAR"
            )
        turn = builders.bone_path("A", "rotation_quaternion")
        builders.curves(made[-1], turn, [(1, (np.cos(way / 2), 0, -np.sin(way / 2), 0))])
    report, result = builders.transition(
        armature, *made, 15.0, 5.0, blend_frames=7, alignment="POSITION_HEADING", root="A"
    )
    assert {b.reason for b in report.baked_curves} == {"easing"}
    expected = builders.rigid(report) @ builders.played(armature, made[1], np.arange(12.0, 42.0))
    np.testing.assert_allclose(builders.played(armature, result, np.arange(22.0, 52.0)), expected, atol=2e-5)
