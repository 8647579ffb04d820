# SPDX-License-Identifier: GPL-3.0-or-later
"""Situations that animators get into: loops, negative frames, the NLA, drivers, holds on twos."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.data import compat
from inertia_addon.errors import InertiaError
from tests.blender import builders, clips

X = builders.bone_path("A", "location")
POINTS = [(1, 0.0), (6, 2.0), (11, 1.5), (13, 3.0), (21, -1.0), (31, 2.0)]

pytestmark = pytest.mark.usefixtures("fresh_file")


def sparse(name: str, later: float = 0.0, **how: Any) -> Any:
    made = builders.action(name)
    builders.curve(made, X, 0, [(frame + later, value) for frame, value in POINTS], **how)
    return made


@pytest.mark.variants(5)
@pytest.mark.parametrize("handles", ["FREE", "AUTO", "VECTOR", "ALIGNED", "AUTO_CLAMPED"])
@pytest.mark.parametrize("cut", [15.0, 15.3, 21.0])
@pytest.mark.parametrize("later", [0.0, 7.0])
def test_a_cut_without_an_offset_keeps_every_shape(
    armature: Any, handles: str, cut: float, later: float
) -> None:
    """A clip cut into itself, or into a copy that plays later, is the clip; at most one key more."""
    source, destination = sparse("Source", handles=handles), sparse("Destination", later, handles=handles)
    report, result = builders.transition(armature, source, destination, cut, cut + later)
    assert report.offsets == 0
    frames = builders.sub_frames(-2, 35, 0.125)
    expected = builders.evaluated(source, X, 0, frames)
    fcurve = builders.by_address(result)[X, 0]
    for _ in range(2):
        found = [fcurve.evaluate(frame) for frame in frames]
        np.testing.assert_allclose(found, expected, atol=4e-5)
        fcurve.update()
    assert len(fcurve.keyframe_points) == len(POINTS) + (cut != 21.0)


def test_a_clip_into_itself_makes_a_loop(armature: Any) -> None:
    """From the end of a clip back to its beginning: the way to close a loop."""
    clip = sparse("Source")
    report, result = builders.transition(armature, clip, clip, 31.0, 1.0, blend_frames=8.0)
    assert report.result == "Source to Source"
    builders.assert_outside(armature, clip, clip, report, result)


@pytest.mark.parametrize(
    ("cut", "entry", "said"),
    [
        (31.0, 1.0, set()),
        (1.0, 31.0, set()),
        (31.5, 1.0, {('"Source"', "31.5")}),
        (30.0, 0.5, {('"Destination"', "0.5")}),
        (0.5, 31.5, {('"Source"', "0.5"), ('"Destination"', "31.5")}),
    ],
)
def test_a_frame_outside_of_a_clips_keys_is_told_be_it_ever_so_near(
    armature: Any, cut: float, entry: float, said: set[tuple[str, str]]
) -> None:
    clips = sparse("Source"), sparse("Destination")
    if said:
        with pytest.raises(InertiaError, match="lies outside"):
            builders.transition(armature, *clips, cut, entry)
    report, _ = builders.transition(armature, *clips, cut, entry, extrapolate=True)
    told = {
        (action, frame)
        for action in ('"Source"', '"Destination"')
        for frame in ("0.5", "31.5")
        if f"{action} is extrapolated: frame {frame} lies outside its keys." in report.warnings
    }
    assert told == said
    assert sum("extrapolated" in warning for warning in report.warnings) == len(said)


def test_frames_before_zero(armature: Any) -> None:
    source, destination = sparse("Source", -40.0), sparse("Destination", -100.0)
    report, result = builders.transition(armature, source, destination, -22.5, -95.0, blend_frames=6.5)
    assert report.window == (-22.5, -16.0)
    builders.assert_outside(armature, source, destination, report, result)


def test_holds_on_twos(armature: Any) -> None:
    """Stepped animation stays stepped outside of the window, and each frame in it is in between."""
    source, destination = builders.action("Source"), builders.action("Destination")
    for made, size in ((source, 1.0), (destination, -2.0)):
        points = [(f, size * np.sin(0.2 * f)) for f in range(1, 42, 2)]
        builders.curve(made, X, 0, points, interpolation="CONSTANT")
    report, result = builders.transition(armature, source, destination, 15.0, 5.0, blend_frames=8.0)
    builders.assert_outside(armature, source, destination, report, result)
    inside = builders.evaluated(result, X, 0, range(15, 24))
    assert np.abs(np.diff(inside)).max() < 1.2


@pytest.mark.parametrize("tweaking", [False, True])
def test_an_armature_with_nla_strips(armature: Any, *, tweaking: bool) -> None:
    """While a strip is tweaked Blender lets no one change the action: made, not assigned, and said so."""
    source, destination = sparse("Source"), sparse("Destination")
    animation = armature.animation_data_create()
    track = animation.nla_tracks.new()
    strip = track.strips.new("Strip", 1, source)
    if compat.has_slots():
        builders.set_strip_slot(strip, "OBRig")
    if tweaking:
        track.is_solo = False
        animation.nla_tracks.active = track
        strip.select = True
        animation.use_tweak_mode = True
    before = compat.assigned(armature)
    report, result = builders.transition(armature, source, destination, 15.0, 5.0)
    assert report.assigned == (not tweaking)
    assert compat.assigned(armature)[0] == (before[0] if tweaking else result)
    assert ("tweak" in report.not_assigned_because.lower()) == tweaking
    assert result.use_fake_user
    animation.use_tweak_mode = False


def test_drivers_and_constraints_of_what_is_keyed_are_mentioned(armature: Any) -> None:
    """The location of A is keyed, and nothing of B."""
    source, destination = sparse("Source"), sparse("Destination")
    for bone in armature.pose.bones:
        bone.constraints.new("LIMIT_LOCATION")
        driver = armature.driver_add(builders.bone_path(bone.name, "location"), 0).driver
        driver.type = "SUM"
    report, _ = builders.transition(armature, source, destination, 15.0, 5.0)
    found = [w for w in report.warnings if w.startswith(("Constraints on", "Drivers on"))]
    assert len(found) == 2
    assert all('"A"' in w and '"B"' not in w for w in found)


@pytest.mark.parametrize("expression", ["frame / 10", "sin(frame)"])
def test_a_driver_of_the_frame_is_mentioned(armature: Any, expression: str) -> None:
    driver = armature.driver_add(builders.bone_path("B", "location"), 1).driver
    driver.expression = expression
    report, _ = builders.transition(armature, sparse("Source"), sparse("Destination"), 15.0, 5.0)
    assert [w for w in report.warnings if "the scene's frame" in w and '"B"' in w]


def test_clips_that_have_nothing_in_common(armature: Any) -> None:
    """Each goes to rest where the other has no keys, and the report says so."""
    source, destination = sparse("Source"), builders.action("Destination")
    builders.curve(destination, builders.bone_path("B", "scale"), 1, [(1, 1.0), (31, 2.0)])
    report, result = builders.transition(armature, source, destination, 15.0, 5.0)
    assert len(report.warnings) >= 2
    builders.assert_outside(armature, source, destination, report, result)


def test_a_bake_does_not_depend_on_what_plays_now(armature: Any) -> None:
    """The bones' present pose is no part of a bake."""
    source, destination = sparse("Source"), sparse("Destination", 3.0)
    other = sparse("Other")
    builders.curve(other, builders.bone_path("B", "rotation_quaternion"), 1, [(1, 0.5)])
    results = []
    for playing, frame in ((None, 1), (other, 9), (source, 40)):
        clips.play(armature, playing)
        bpy.context.scene.frame_set(frame)
        _, result = builders.transition(armature, source, destination, 15.0, 5.0)
        results.append({at: builders.key_data(f) for at, f in builders.by_address(result).items()})
    assert results[0] == results[1] == results[2]


def test_the_sources_do_not_change(armature: Any) -> None:
    source, destination = sparse("Source"), sparse("Destination", handles="FREE")
    builders.by_address(destination)[X, 0].modifiers.new("CYCLES")
    before = [clips.contents(made) for made in (source, destination)]
    builders.transition(armature, source, destination, 15.3, 5.2, alignment="POSITION_HEADING", root="A")
    assert [clips.contents(made) for made in (source, destination)] == before
    assert len(builders.by_address(destination)[X, 0].modifiers) == 1
