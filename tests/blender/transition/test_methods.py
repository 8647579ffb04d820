# SPDX-License-Identifier: GPL-3.0-or-later
"""Every method through the baked result: the cut, the end, and the corner cases in between."""

from __future__ import annotations

import itertools
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Quaternion

from inertia_addon.motion.decay.decay import FORMS, Method
from tests.blender import builders, clips

CUT, START = 15.0, 12.0
BONES = {"A": None, "B": "A", "C": "B"}
METHODS = [*({**how, "half_life": 0.2} for how in builders.CURVES), {"method": "DEAD_BLENDING"}]
LABELS = [*(method.name for method in Method), "DEAD_BLENDING"]
PULLS = {method.name: form.power * (form.power + 1.0) for method, form in FORMS.items() if form.is_plain}
"""Accelerations at the cut of an offset of 1 at rest, for a blend time of 1."""

pytestmark = pytest.mark.usefixtures("fresh_file")
every_method = pytest.mark.parametrize("how", METHODS, ids=LABELS)


@pytest.fixture
def armature(fresh_file: None) -> Any:
    made = builders.rig(BONES)
    bpy.context.scene.render.fps = 24
    return made


def motion(name: str, phase: float, speed: float = 0.16, turned: float = 0.0) -> Any:
    """Smooth motion of all bones, a key on every frame."""
    made = builders.action(name)
    for n, bone in enumerate(BONES):
        rows = []
        for frame in range(1, 62):
            t = speed * frame + phase + n
            q = Quaternion((0, 0, 1), turned) @ Quaternion((1, 0.3, 0), 0.7 * np.sin(t))
            q = Quaternion((0, 1, 0.2), 0.5 * np.cos(0.8 * t)) @ q
            rows.append((frame, tuple(q)))
        builders.curves(made, builders.bone_path(bone, "rotation_quaternion"), rows, handles="AUTO")
    places = [(f, (np.sin(speed * f + phase), 0.3 * np.cos(speed * f), phase)) for f in range(1, 62)]
    builders.curves(made, builders.bone_path("A", "location"), places, handles="AUTO")
    return made


def bake(armature: Any, source: Any, destination: Any, **how: Any) -> tuple[Any, Any]:
    return builders.transition(armature, source, destination, CUT, START, **{"blend_frames": 10.0, **how})


def heads(armature: Any, made: Any, frames: Any) -> Any:
    return builders.played(armature, made, frames)[..., :3, :]


@every_method
@pytest.mark.variants(3)
def test_pose_and_velocity_go_on_at_the_cut(armature: Any, how: dict[str, Any]) -> None:
    """The change of speed at the cut is second order in the frame's time, as within a smooth clip."""
    source, destination = motion("Source", 0.0), motion("Destination", 2.0)
    _, result = bake(armature, source, destination, **how)
    here = heads(armature, source, [CUT - 1, CUT, CUT + 1])
    there = heads(armature, destination, [START - 1, START, START + 1])
    found = heads(armature, result, [CUT - 1, CUT, CUT + 1])
    np.testing.assert_allclose(found[:2], here[:2], atol=2e-5)
    jump = found[2] - 2 * found[1] + found[0]
    own = max(np.abs(p[2] - 2 * p[1] + p[0]).max() for p in (here, there))
    offset = np.abs(here[1] - there[1]).max()
    # what is left is the first frame's pull of the curve, x / frames^2 times a small number
    pull = {**PULLS, "SPRING": 12.0}.get(how["method"], 20.0) / 10.0**2
    assert np.abs(jump).max() < own + pull * offset
    plain = np.abs(there[2] - here[1] - (here[1] - here[0])).max()
    assert np.abs(jump).max() < 0.25 * plain


@every_method
@pytest.mark.variants(3)
@pytest.mark.parametrize("frames_later", [0.01])
def test_velocity_right_at_the_cut(armature: Any, how: dict[str, Any], frames_later: float) -> None:
    source, destination = motion("Source", 0.0), motion("Destination", 2.0)
    _, result = bake(armature, source, destination, **how)
    before = heads(armature, result, [CUT - frames_later, CUT])
    after = heads(armature, result, [CUT, CUT + frames_later])
    change = ((after[1] - after[0]) - (before[1] - before[0])) / frames_later
    speed = np.abs(np.diff(heads(armature, source, np.arange(1.0, 60.0)), axis=0)).max()
    assert np.abs(change).max() < 0.35 * speed


@pytest.mark.parametrize("velocity", ["RELATIVE", "SOURCE"])
def test_velocities_can_come_from_the_last_two_frames(armature: Any, velocity: str) -> None:
    """An offset and its rate of two frames that were shown, as a cubic by its four conditions."""
    source, destination = motion("Source", 0.0), motion("Destination", 2.0)
    how = {"method": "CUBIC", "difference": "BACKWARD", "velocity": velocity}
    _, result = bake(armature, source, destination, alignment="NONE", **how)

    def places(made: Any, frames: Any) -> Any:
        path = builders.bone_path("A", "location")
        return np.column_stack([builders.evaluated(made, path, axis, frames) for axis in range(3)])

    here, there = places(source, [CUT - 1.0, CUT]), places(destination, [START - 1.0, START])
    x, rate = here[1] - there[1], here[1] - here[0]
    if velocity == "RELATIVE":
        rate = rate - (there[1] - there[0])
    at, d = np.arange(11.0)[:, None], 10.0
    offset = (
        x + rate * at - (3.0 * x / d**2 + 2.0 * rate / d) * at**2 + (2.0 * x / d**3 + rate / d**2) * at**3
    )
    expected = places(destination, START + at[:, 0]) + offset
    np.testing.assert_allclose(places(result, CUT + at[:, 0]), expected, atol=2e-5)


@every_method
@pytest.mark.variants(3)
def test_the_end_is_soft(armature: Any, how: dict[str, Any]) -> None:
    """Where the window ends, the offset is gone: under 0.01 degrees and 0.01 mm for the spring."""
    source, destination = motion("Source", 0.0), motion("Destination", 2.0)
    report, result = bake(armature, source, destination, **how)
    end = report.window[1]
    if how["method"] != "SPRING":
        assert end == CUT + 10.0
    near = np.array([end - 1.0, end, end + 1.0])
    found = matrices(armature, result, near)
    there = matrices(armature, destination, near - CUT + START)
    np.testing.assert_allclose(found[1:], there[1:], atol=2e-6)
    if how["method"] == "SPRING":
        turned = [
            np.degrees(a.to_quaternion().rotation_difference(b.to_quaternion()).angle)
            for a, b in zip(
                bones_at(armature, result, end - 1),
                bones_at(armature, destination, end - 1 - CUT + START),
                strict=True,
            )
        ]
        turned = [min(angle, 360.0 - angle) for angle in turned]
        assert max(turned) < 0.03
        assert np.abs(found[0][:, :3, 3] - there[0][:, :3, 3]).max() < 4e-5


def matrices(armature: Any, made: Any, frames: Any) -> Any:
    return builders.shown(
        armature, made, frames, lambda: [np.array(b.matrix_basis) for b in armature.pose.bones]
    )


def bones_at(armature: Any, made: Any, frame: float) -> list[Any]:
    clips.play(armature, made)
    bpy.context.scene.frame_set(int(frame))
    return [bone.matrix_basis.copy() for bone in armature.pose.bones]


# dead blending lets the source slow down, which a clip itself does not
@pytest.mark.variants(3)
@pytest.mark.parametrize("how", METHODS[:-1], ids=LABELS[:-1])
def test_identical_clips_need_no_window(armature: Any, how: dict[str, Any]) -> None:
    """From a clip into the same one at the same frame: the very same curves, and nothing baked."""
    source = motion("Source", 0.0)
    report, result = builders.transition(armature, source, source, CUT, CUT, **how)
    assert (report.offsets, report.window, report.baked_curves) == (0, (CUT, CUT), ())
    one, other = builders.by_address(source), builders.by_address(result)
    assert set(one) == set(other)
    for address, fcurve in one.items():
        assert [tuple(k.co) for k in fcurve.keyframe_points] == [
            tuple(k.co) for k in other[address].keyframe_points
        ]
    frames = builders.sub_frames(0, 65)
    np.testing.assert_allclose(heads(armature, result, frames), heads(armature, source, frames), atol=2e-6)


VARIANTS = tuple(itertools.product(("ROTATION_VECTOR", "AXIS_ANGLE"), ("RELATIVE", "SOURCE"), (0.0, np.pi)))


@pytest.mark.variants(2)
@pytest.mark.parametrize(
    ("how", "decomposition", "velocity", "turned"),
    [
        pytest.param(how, *variant, id="-".join(map(str, (label, *variant))))
        # any two of the variants' choices meet in half of them; the next method has the other half
        for n, (how, label) in enumerate(zip(METHODS, LABELS, strict=True))
        for variant in ([VARIANTS[i] for i in (0, 3, 5, 6)], [VARIANTS[i] for i in (1, 2, 4, 7)])[n % 2]
    ],
)
def test_corner_cases_stay_finite(
    armature: Any, how: dict[str, Any], decomposition: str, velocity: str, turned: float
) -> None:
    """No offset but a velocity; half a turn of an offset; with every guard."""
    source, destination = motion("Source", 0.0), motion("Destination", 0.0, 0.16, turned)
    for guard in ("OFF", "LIMIT", "STRICT"):
        report, result = builders.transition(
            armature,
            source,
            destination,
            CUT,
            CUT,
            guard=guard,
            decomposition=decomposition,
            velocity=velocity,
            **how,
        )
        frames = builders.sub_frames(10, 40, 0.5).tolist()
        values = [f.evaluate(x) for f in clips.all_curves(result) for x in frames]
        assert np.isfinite(values).all()
        assert np.abs(values).max() < 3.0
        builders.assert_outside(armature, source, destination, report, result)


@every_method
@pytest.mark.variants(3)
def test_poses_of_a_single_frame_are_joined(armature: Any, how: dict[str, Any]) -> None:
    source, destination = builders.action("Source"), builders.action("Destination")
    path = builders.bone_path("A", "rotation_quaternion")
    builders.curves(source, path, [(5, (1, 0, 0, 0))])
    builders.curves(destination, path, [(8, (0.8, 0.6, 0, 0))])
    report, result = builders.transition(armature, source, destination, 5.0, **how)
    assert sum("single pose" in warning for warning in report.warnings) == 2
    builders.assert_outside(armature, source, destination, report, result)
    steps = np.diff(builders.evaluated(result, path, 1, builders.sub_frames(4, 60)))
    # between frames the curve may lag a hair
    assert steps.min() > -2e-3


@every_method
@pytest.mark.variants(4)
@pytest.mark.parametrize("cut", [1.0, 61.0])
@pytest.mark.parametrize("start", [1.0, 61.0])
def test_cutting_at_the_ends_of_the_clips(
    armature: Any, how: dict[str, Any], cut: float, start: float
) -> None:
    source, destination = motion("Source", 0.0), motion("Destination", 2.0)
    report, result = builders.transition(armature, source, destination, cut, start, **how)
    builders.assert_outside(armature, source, destination, report, result)
    here = heads(armature, source, [cut])
    np.testing.assert_allclose(heads(armature, result, [cut]), here, atol=2e-5)
    if start == 61.0 and how["method"] != "SPRING":
        assert any("ends 0 frames after the cut" in warning for warning in report.warnings)


@every_method
@pytest.mark.variants(3)
@pytest.mark.parametrize(
    ("cut", "start", "base"), [(15.5, 12.0, 1.001), (15.0, 12.25, 1.0), (15.37, 12.81, 1.001)]
)
def test_a_fractional_cut_has_the_sources_pose_and_keys_on_whole_frames(
    armature: Any, how: dict[str, Any], cut: float, start: float, base: float
) -> None:
    bpy.context.scene.render.fps_base = base
    source, destination = motion("Source", 0.0), motion("Destination", 2.0)
    report, result = builders.transition(armature, source, destination, cut, start, blend_frames=9.5, **how)
    assert report.fps == pytest.approx(24.0 / base)
    builders.assert_outside(armature, source, destination, report, result)
    np.testing.assert_allclose(heads(armature, result, [cut]), heads(armature, source, [cut]), atol=3e-5)
    frames = [k.co[0] for k in clips.all_curves(result)[0].keyframe_points]
    inside = [frame for frame in frames if cut < frame < report.window[1]]
    if how["method"] != "SPRING":  # whose channels end on frames of their own
        assert inside == [float(f) for f in range(16, 16 + len(inside))]
    assert report.window[1] == np.ceil(report.window[1])
    steps = np.abs(
        np.diff(heads(armature, result, builders.sub_frames(cut - 2, report.window[1] + 2)), axis=0)
    ).max()
    assert steps < 0.2


def test_blend_frames_are_scene_frames_at_any_rate(armature: Any) -> None:
    """At another rate the same number of frames is keyed, and looks the same frame by frame."""
    source, destination = motion("Source", 0.0), motion("Destination", 2.0)
    values = []
    for fps in (24, 60):
        bpy.context.scene.render.fps = fps
        report, result = bake(armature, source, destination)
        assert report.window == (CUT, CUT + 10.0)
        values.append([f.evaluate(x) for f in clips.all_curves(result) for x in range(1, 60)])
    np.testing.assert_allclose(values[0], values[1], atol=2e-6)
