# SPDX-License-Identifier: GPL-3.0-or-later
"""What the guard does to a bake, and what the report says of it; and transitions cut by the next one."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

from tests.blender import builders

CUT, START, BLEND = 15.0, 12.0, 16.0

pytestmark = pytest.mark.usefixtures("fresh_file")


@pytest.fixture
def armature(fresh_file: None) -> Any:
    bpy.context.scene.render.fps = 24
    return builders.rig({"A": None, "B": "A", "C": "B"})


def pair(rate: float, apart: float = 0.1) -> tuple[Any, Any]:
    """In the source bone A slides and B turns fast, at a rate a frame; in the destination they stand."""
    source, destination = builders.action("Source"), builders.action("Destination")
    frames = range(1, 62)
    slide, turn = builders.bone_path("A", "location"), builders.bone_path("B", "rotation_euler")
    builders.curve(source, slide, 0, [(f, apart + rate * (f - CUT)) for f in frames], interpolation="LINEAR")
    builders.curve(source, turn, 2, [(f, apart + rate * (f - CUT)) for f in frames], interpolation="LINEAR")
    for path, index in ((slide, 0), (turn, 2)):
        builders.curve(destination, path, index, [(1, 0.0), (61, 0.0)])
    return source, destination


def bake(armature: Any, source: Any, destination: Any, **how: Any) -> tuple[Any, Any]:
    armature.pose.bones["B"].rotation_mode = "XYZ"
    return builders.transition(armature, source, destination, CUT, START, **{"blend_frames": BLEND, **how})


def swing_of(result: Any, path: str, index: int, last: float) -> float:
    """How far a channel goes beyond its size at the cut, or past zero."""
    values = builders.evaluated(result, path, index, np.arange(CUT, last + 1))
    return float(max(np.max(values) - abs(values[0]), -np.min(values), 0.0))


SLIDE, TURN = builders.bone_path("A", "location"), builders.bone_path("B", "rotation_euler")
METHODS = [{**how, "half_life": 0.25} for how in builders.CURVES]
RATES, SCALES = (0.08, -0.15), (1.0, 0.01)


@pytest.mark.variants(2)
@pytest.mark.parametrize(
    ("how", "rate", "scale"),
    # each rate with each method and with each scale
    [(how, rate, SCALES[(n + i) % 2]) for n, how in enumerate(METHODS) for i, rate in enumerate(RATES)],
)
def test_limit_bounds_what_offsets_do(armature: Any, how: dict[str, Any], rate: float, scale: float) -> None:
    armature.scale = (scale, scale, scale)
    bpy.context.view_layer.update()
    source, destination = pair(rate)
    length, angle = 0.05 * scale, 4.0
    free, result = bake(
        armature, source, destination, guard="OFF", guard_length=length, guard_angle=angle, **how
    )
    # what swings far is named without a guard, too, and left as it is
    assert {(note.bone, note.kind) for note in free.guarded} == {("A", "location"), ("B", "rotation")}
    assert not any(note.shortened for note in free.guarded)
    assert all(note.frames_after == note.frames_before for note in free.guarded)
    assert all(note.excursion_after == note.excursion_before for note in free.guarded)
    calm, _ = bake(armature, source, destination, guard_length=1e3, guard_angle=3600.0, **how)
    assert calm.guarded == ()
    swings = {
        ("A", "location"): swing_of(result, SLIDE, 0, free.window[1]) * scale,
        ("B", "rotation"): np.degrees(swing_of(result, TURN, 2, free.window[1])),
    }
    report, result = bake(
        armature, source, destination, guard="LIMIT", guard_length=length, guard_angle=angle, **how
    )
    found = {(note.bone, note.kind): note for note in report.guarded}
    assert set(found) == set(swings)
    limits = {("A", "location"): length, ("B", "rotation"): angle}
    after = {
        ("A", "location"): swing_of(result, SLIDE, 0, 60) * scale,
        ("B", "rotation"): np.degrees(swing_of(result, TURN, 2, 60)),
    }
    for key, note in found.items():
        assert swings[key] > limits[key]
        assert note.shortened
        assert note.excursion_before == pytest.approx(swings[key], rel=0.1)
        assert note.excursion_after == pytest.approx(limits[key], rel=1e-3)
        assert after[key] <= limits[key] * (1.0 + 1e-3)
        assert 0.0 < note.frames_after < note.frames_before
        assert note.frames_before == pytest.approx(6.0 if how["method"] == "SPRING" else BLEND)
        assert not note.velocity_dropped


def test_limit_leaves_calm_offsets_alone(armature: Any) -> None:
    source, destination = pair(0.001)
    report, _ = bake(armature, source, destination, guard="LIMIT")
    assert report.guarded == ()
    assert report.window == (CUT, CUT + BLEND)


@pytest.mark.variants(4)
@pytest.mark.parametrize("how", METHODS)
@pytest.mark.parametrize("rate", RATES)
def test_strict_never_swings(armature: Any, how: dict[str, Any], rate: float) -> None:
    source, destination = pair(rate)
    report, result = bake(armature, source, destination, guard="STRICT", **how)
    assert {note.bone for note in report.guarded} == {"A", "B"}
    for note in report.guarded:
        assert note.velocity_dropped == (rate > 0.0)
        assert note.excursion_after == pytest.approx(0.0, abs=1e-6)
    for path, index in ((SLIDE, 0), (TURN, 2)):
        assert swing_of(result, path, index, 60) < 1e-6


def test_limit_leaves_the_travel_of_an_aligned_root_alone(armature: Any) -> None:
    """A run into a stand: aligned, the root has no offset and all of its speed, which must run out softly."""
    source, destination = pair(0.2, 0.0)
    how = {"guard": "LIMIT", "root": "A", "alignment": "POSITION", "guard_angle": 180.0}
    report, result = bake(armature, source, destination, **how)
    assert report.guarded == ()
    assert report.window == (CUT, CUT + BLEND)
    values = builders.evaluated(result, SLIDE, 0, np.arange(CUT, CUT + BLEND + 1))
    assert values.max() - values[0] > 0.1
    report, _ = bake(armature, source, destination, **{**how, "alignment": "NONE"})
    assert [note.bone for note in report.guarded] == ["A"]


def test_lengths_are_metres_whatever_the_unit(armature: Any) -> None:
    """In a scene of centimetres a swing is reported in metres, too."""
    source, destination = pair(0.08)
    report, _ = bake(armature, source, destination, guard="LIMIT")
    unit = bpy.context.scene.unit_settings
    unit.system, unit.scale_length = "METRIC", 0.01
    small, _ = bake(armature, source, destination, guard="LIMIT", guard_length=0.0005)
    one, other = (next(n for n in r.guarded if n.kind == "location") for r in (report, small))
    assert other.excursion_before == pytest.approx(0.01 * one.excursion_before)
    assert other.frames_after == pytest.approx(one.frames_after)


def smooth_clips() -> list[Any]:
    made = []
    for n, name in enumerate(("First", "Second", "Third")):
        made.append(builders.action(name))
        for i in range(3):
            builders.wave(made[-1], builders.bone_path("A", "location"), i, 0.4, end=61, phase=1.9 * n + i)
        for i in range(4):
            middle = 1.0 if i == 0 else 0.3 * n
            path = builders.bone_path("B", "rotation_quaternion")
            builders.wave(made[-1], path, i, 0.25, end=61, phase=2.3 * n + i, middle=middle)
    return made


@pytest.mark.variants(3)
@pytest.mark.parametrize("method", builders.OF_OFFSETS)
@pytest.mark.parametrize("later", [1.0, 4.0, 7.5, 12.0])
def test_interrupting_a_transition(armature: Any, method: str, later: float) -> None:
    """The next transition starts from the running one's pose and velocity, not from what lies below."""
    first, second, third = smooth_clips()
    how = {"method": method, "blend_frames": 12.0, "half_life": 0.2}
    running, middle = builders.transition(armature, first, second, 20.0, 5.0, **how)
    cut = 20.0 + later
    assert method == "SPRING" or cut <= running.window[1]
    report, result = builders.transition(armature, middle, third, cut, 9.0, **how)
    early = builders.sub_frames(0.0, cut - 0.02)
    before = builders.played(armature, middle, [*early, cut])
    found = builders.played(armature, result, [*early, cut])
    np.testing.assert_allclose(found, before, atol=2e-5)
    builders.assert_outside(armature, middle, third, report, result)
    p = builders.played(armature, result, np.arange(cut - 2, cut + 3))[..., :3, :]
    change = np.abs(p[2:] - 2 * p[1:-1] + p[:-2])
    steps = np.abs(np.diff(p, axis=0)).max()
    assert change[1].max() < 0.5 * steps
    assert change[1].max() < 2.5 * max(change[0].max(), change[2].max())


def test_a_result_as_the_destination(armature: Any) -> None:
    first, second, third = smooth_clips()
    _, middle = builders.transition(armature, first, second, 20.0, 5.0, blend_frames=12.0)
    report, result = builders.transition(armature, third, middle, 30.0, 18.0, blend_frames=6.0)
    builders.assert_outside(armature, third, middle, report, result)
