# SPDX-License-Identifier: GPL-3.0-or-later
"""Every rotation mode: the right pose outside of the window, and no flip where it begins and ends."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Euler, Quaternion, Vector

from tests.blender import builders, clips

EULER = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
MODES = ("QUATERNION", *EULER, "AXIS_ANGLE")
CUT, BLEND = 15.0, 10.0
SMOOTH_STEP = 0.12
"""Half a turn in ten frames goes by at 0.6 radians a frame; this is for an eighth of one."""

pytestmark = pytest.mark.usefixtures("fresh_file")


def raw_of(q: Quaternion, mode: str) -> list[float]:
    if mode == "QUATERNION":
        return list(q)
    if mode == "AXIS_ANGLE":
        axis, angle = q.to_axis_angle()
        return [angle, *axis]
    return list(q.to_euler(mode))


def swing(made: Any, bone: str, mode: str, phase: float, by: Quaternion | None = None) -> None:
    """A gentle motion of a bone about changing axes, keyed every second frame without a flip."""
    rows: list[tuple[float, list[float]]] = []
    for frame in range(1, 42, 2):
        t = 0.1 * frame + phase
        q = Euler((0.5 * np.sin(t), 0.4 * np.cos(1.3 * t), 0.6 * np.sin(0.7 * t))).to_quaternion()
        q = (by or Quaternion()) @ q
        raw = raw_of(q, mode)
        if rows:
            raw = continued(raw, rows[-1][1], mode)
        rows.append((frame, raw))
    prop = builders.ROTATIONS.get(mode, ("rotation_euler", 3))[0]
    builders.curves(made, builders.bone_path(bone, prop), rows)


def continued(raw: list[float], last: list[float], mode: str) -> list[float]:
    """The same rotation in the numbers that go on from the last ones."""
    if mode == "QUATERNION":
        return raw if np.dot(raw, last) >= 0.0 else [-x for x in raw]
    if mode == "AXIS_ANGLE":
        return raw if np.dot(raw[1:], last[1:]) >= 0.0 else [-x for x in raw]
    return list(Euler(raw, mode).to_matrix().to_euler(mode, Euler(last, mode)))


def one_bone(mode: str) -> Any:
    armature = builders.rig({"A": None, "B": "A"})
    for bone in armature.pose.bones:
        bone.rotation_mode = mode
    return armature


def constant_pair(armature: Any, mode: str, here: Any, there: Any) -> tuple[Any, Any]:
    """Two held poses of bone A, each keyed twice."""
    prop = builders.ROTATIONS.get(mode, ("rotation_euler", 3))[0]
    made = []
    for name, raw in (("Source", here), ("Destination", there)):
        made.append(builders.action(name))
        builders.curves(made[-1], builders.bone_path("A", prop), [(1, raw), (41, raw)])
    return made[0], made[1]


def bake(armature: Any, source: Any, destination: Any, **how: Any) -> tuple[Any, Any]:
    report, result = builders.transition(armature, source, destination, CUT, **{"blend_frames": BLEND, **how})
    builders.assert_outside(armature, source, destination, report, result)
    return report, result


@pytest.mark.variants(3)
@pytest.mark.parametrize("mode", MODES)
def test_rotations_of_every_mode_blend(mode: str) -> None:
    armature = one_bone(mode)
    source, destination = builders.action("Source"), builders.action("Destination")
    turn = Quaternion((0.3, 0.5, 1.0), 1.9)
    for bone in ("A", "B"):
        swing(source, bone, mode, 0.3)
        swing(destination, bone, mode, 2.1, turn)
    _, result = bake(armature, source, destination)
    own = max(builders.largest_step(made, 1, 41) for made in (source, destination))
    # Euler angles turn faster than what they describe
    allowed = max(own, SMOOTH_STEP) * (4.0 if mode in EULER else 1.5)
    assert builders.largest_step(result, 1, 60) < allowed
    assert [bone.rotation_mode for bone in armature.pose.bones] == [mode, mode]


def test_mixed_modes_on_one_rig() -> None:
    armature = builders.rig(dict.fromkeys(MODES))
    source, destination = builders.action("Source"), builders.action("Destination")
    for mode in MODES:
        armature.pose.bones[mode].rotation_mode = mode
        swing(source, mode, mode, 0.3)
        swing(destination, mode, mode, 1.1)
    report, _ = bake(armature, source, destination)
    assert [bone.rotation_mode for bone in armature.pose.bones] == list(MODES)
    assert report.bones == report.offsets == len(MODES)


def test_euler_whole_turn_apart() -> None:
    """350 degrees and -10 degrees are the same pose: nothing moves, and no channel turns around."""
    armature = one_bone("XYZ")
    source, destination = constant_pair(armature, "XYZ", np.radians([350, 0, 20]), np.radians([-10, 0, 20]))
    report, result = bake(armature, source, destination)
    path = builders.bone_path("A", "rotation_euler")
    raw = builders.evaluated(result, path, 0, np.arange(0, 60, 0.25))
    np.testing.assert_allclose(np.degrees(raw), 350.0, atol=1e-3)
    assert report.offsets == 0


def test_euler_turns_the_short_way() -> None:
    armature = one_bone("XYZ")
    source, destination = constant_pair(armature, "XYZ", np.radians([350, 0, 0]), np.radians([10, 0, 0]))
    _, result = bake(armature, source, destination)
    raw = np.degrees(builders.evaluated(result, builders.bone_path("A", "rotation_euler"), 0, range(0, 60)))
    assert raw.min() > 349.99
    assert raw.max() < 370.01
    assert raw[-1] == pytest.approx(370.0, abs=1e-3)


@pytest.mark.variants(2)
@pytest.mark.parametrize("mode", EULER)
def test_the_other_set_of_euler_angles(mode: str) -> None:
    """The destination is keyed as (x + 180, 180 - y, z + 180): the same rotation in other numbers."""
    armature = one_bone(mode)
    here = np.radians([20.0, 30.0, -40.0])
    there = here + np.pi
    middle = "XYZ".index(mode[1])
    there[middle] = np.pi - here[middle] + 0.2
    source, destination = constant_pair(armature, mode, here, there)
    _, result = bake(armature, source, destination)
    assert builders.largest_step(result, 1, 60) < SMOOTH_STEP
    path = builders.bone_path("A", "rotation_euler")
    end = [builders.evaluated(result, path, i, [60.0])[0] for i in range(3)]
    assert np.abs(end - here).max() < 0.4


@pytest.mark.parametrize("end", [-1.0, 1.0])
def test_quaternions_of_either_sign_blend_alike(end: float) -> None:
    """The source ends with q or -q where the destination has q."""
    armature = one_bone("QUATERNION")
    here, there = Quaternion((1, 0, 1), 0.8), Quaternion((1, 0.2, 1), 0.9)
    source, destination = constant_pair(armature, "QUATERNION", list(here), [end * x for x in there])
    _, result = bake(armature, source, destination)
    assert builders.largest_step(result, 1, 60) < 0.02
    path = builders.bone_path("A", "rotation_quaternion")
    final = [builders.evaluated(result, path, i, [60.0])[0] for i in range(4)]
    assert np.dot(final, list(there)) > 0.99


def test_quaternions_that_are_not_of_length_one() -> None:
    armature = one_bone("QUATERNION")
    here, there = Quaternion((1, 0, 1), 0.8) * 2.0, Quaternion((1, 0.2, 1), 1.4) * 0.5
    source, destination = constant_pair(armature, "QUATERNION", list(here), list(there))
    report, result = bake(armature, source, destination)
    assert not report.warnings  # Blender shows them so, and there is nothing to do
    assert builders.largest_step(result, 1, 60) < SMOOTH_STEP


def test_axis_angle_with_the_axis_the_other_way() -> None:
    armature = one_bone("AXIS_ANGLE")
    source, destination = constant_pair(armature, "AXIS_ANGLE", [0.9, 0.0, 0.6, 0.8], [-1.1, 0.0, -0.6, -0.8])
    _, result = bake(armature, source, destination)
    assert builders.largest_step(result, 1, 60) < SMOOTH_STEP


def test_axis_angle_with_more_than_a_turn() -> None:
    armature = one_bone("AXIS_ANGLE")
    source, destination = constant_pair(armature, "AXIS_ANGLE", [7.5, 0.0, 1.2, 1.6], [0.4, 0.0, 0.6, 0.8])
    _, result = bake(armature, source, destination)
    assert builders.largest_step(result, 1, 60) < SMOOTH_STEP


def test_axis_angle_from_no_rotation() -> None:
    """Without an angle the axis is free: it must not swing around on the way."""
    armature = one_bone("AXIS_ANGLE")
    source, destination = constant_pair(armature, "AXIS_ANGLE", [0.0, 0.0, 1.0, 0.0], [0.8, 1.0, 0.0, 0.0])
    _, result = bake(armature, source, destination)
    assert_moves_evenly(armature, result, Quaternion(), Quaternion((1, 0, 0), 0.8))


@pytest.mark.variants(3)
@pytest.mark.parametrize("mode", EULER)
def test_near_gimbal_lock(mode: str) -> None:
    """Half-way the middle angle comes to 90 degrees; the bone still turns evenly."""
    armature = one_bone(mode)
    middle = "XYZ".index(mode[1])
    here, there = np.radians([10.0, 10.0, 10.0]), np.radians([50.0, -30.0, 20.0])
    here[middle], there[middle] = np.radians(89.7), np.radians(80.0)
    source, destination = constant_pair(armature, mode, here, there)
    bake(armature, source, destination)
    result = bpy.data.actions["Source to Destination"]
    assert_moves_evenly(
        armature, result, Euler(here, mode).to_quaternion(), Euler(there, mode).to_quaternion()
    )


def assert_moves_evenly(armature: Any, result: Any, here: Quaternion, there: Quaternion) -> None:
    """Between two held poses a bone never strays from the straight way, at sub-frames neither."""
    clips.play(armature, result)
    whole = angle_between(here, there)
    angles = []
    for frame in np.arange(CUT, CUT + BLEND + 0.1, 0.25):
        bpy.context.scene.frame_set(int(frame), subframe=frame % 1.0)
        q = armature.pose.bones["A"].matrix_basis.to_quaternion()
        angles.append((angle_between(q, there), angle_between(here, q)))
    to_go, done = np.array(angles).T
    assert np.abs(to_go + done - whole).max() < 0.02 * max(whole, 0.2)
    assert np.diff(to_go).max() < 0.01


def angle_between(one: Quaternion, other: Quaternion) -> float:
    angle = float(one.rotation_difference(other).angle)
    return min(angle, 2.0 * np.pi - angle)


@pytest.mark.variants(3)
@pytest.mark.parametrize("mode", MODES)
def test_half_a_turn_apart(mode: str) -> None:
    armature = one_bone(mode)
    here, there = Quaternion((0, 0, 1), 0.1), Quaternion((0, 0, 1), 0.1 + np.pi)
    source, destination = constant_pair(armature, mode, raw_of(here, mode), raw_of(there, mode))
    _, result = bake(armature, source, destination)
    assert np.isfinite([fcurve.evaluate(f) for fcurve in clips.all_curves(result) for f in range(60)]).all()
    assert_moves_evenly(armature, result, here, there)


def test_keys_of_another_mode_are_ignored_with_a_warning() -> None:
    armature = one_bone("XYZ")
    source, destination = builders.action("Source"), builders.action("Destination")
    for made, phase in ((source, 0.3), (destination, 1.4)):
        swing(made, "A", "XYZ", phase)
        swing(made, "A", "QUATERNION", phase + 1.0)
    report, result = bake(armature, source, destination)
    assert not any(path.endswith("quaternion") for path, _ in builders.by_address(result))
    assert any("rotation_quaternion" in w and '"A"' in w and "ignore" in w for w in report.warnings)


def test_clips_of_different_modes() -> None:
    """One clip keys quaternions, which the bone's mode ignores: that side is at rest, as Blender shows it."""
    armature = one_bone("XYZ")
    source, destination = builders.action("Source"), builders.action("Destination")
    swing(source, "A", "QUATERNION", 0.3)
    swing(destination, "A", "XYZ", 0.3)
    bake(armature, source, destination)


@pytest.mark.variants(4)
@pytest.mark.parametrize(
    ("one", "other"), [("XYZ", "QUATERNION"), ("QUATERNION", "ZYX"), ("AXIS_ANGLE", "XYZ")]
)
@pytest.mark.parametrize("unkeyed", ["", "Source", "Destination"])
def test_keyed_rotation_mode(one: str, other: str, unkeyed: str) -> None:
    """The clips key the mode itself, both or one of them: it jumps at the cut and no pose does.

    unkeyed: the clip that leaves it to the pose bone.
    """
    own = {"Source": one, "Destination": other}.get(unkeyed, "ZXY")
    armature = one_bone(own)
    source, destination = builders.action("Source"), builders.action("Destination")
    for made, mode, phase in ((source, one, 0.3), (destination, other, 2.0)):
        swing(made, "A", mode, phase)
        if made.name != unkeyed:
            number = (
                {"AXIS_ANGLE": -1, "QUATERNION": 0}.get(mode) if mode not in EULER else 1 + EULER.index(mode)
            )
            builders.curve(made, builders.bone_path("A", "rotation_mode"), 0, [(1, number)])
    report, result = builders.transition(armature, source, destination, CUT, blend_frames=BLEND)
    end = report.window[1]
    early, late = builders.sub_frames(0, CUT - 0.02), builders.sub_frames(end, 50)
    expected = [
        played_in_mode(armature, own, source, [*early, CUT]),
        played_in_mode(armature, own, destination, late - CUT + 1.0),
    ]
    # playing through, and jumping right behind the window
    found = played_in_mode(armature, own, result, [*early, CUT, *late, early[0], late[0]])
    np.testing.assert_allclose(found[:-2], np.concatenate(expected), atol=2e-5)
    np.testing.assert_allclose(found[-1], expected[1][0], atol=2e-5)


def played_in_mode(armature: Any, mode: str, made: Any, frames: Any) -> Any:
    """As ``builders.played``, from a rig whose bones are in a mode before.

    The first frame is played twice: where the mode's curve comes last, setting it converts what the
    other curves have just set.
    """
    for bone in armature.pose.bones:
        bone.rotation_mode = mode
    return builders.played(armature, made, [frames[0], *frames])[1:]


def test_bone_names_that_need_escaping() -> None:
    name = 'Arm "left" \\ [1].x'
    armature = builders.rig({name: None})
    source, destination = builders.action("Source"), builders.action("Destination")
    path = armature.pose.bones[name].path_from_id("rotation_quaternion")
    for made, angle in ((source, 0.5), (destination, -0.4)):
        q = list(Quaternion(Vector((1, 0, 0)), angle))
        builders.curves(made, path, [(1, q), (41, q)])
    report, result = bake(armature, source, destination)
    assert report.offsets == 1
    assert {p for p, _ in builders.by_address(result)} == {path}
