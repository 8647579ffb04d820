# SPDX-License-Identifier: GPL-3.0-or-later
"""Each bone's own blend time, and bones that take no part."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.blender import builders

CUT, START, BLEND = 15.0, 4.0, 8.0
BONES = ("A", "B", "C", "D")
PROPS = (("rotation_quaternion", 4), ("location", 3), ("scale", 3))

pytestmark = pytest.mark.usefixtures("fresh_file")


@pytest.fixture
def armature(fresh_file: None) -> Any:
    return builders.rig(dict.fromkeys(BONES))


def pair() -> tuple[Any, Any]:
    made = []
    for n, name in enumerate(("Source", "Destination")):
        made.append(builders.action(name))
        for bone in BONES:
            for prop, count in PROPS:
                for i in range(count):
                    middle = 1.0 if prop == "scale" or (i == 0 and count == 4) else 0.3 * n
                    path = builders.bone_path(bone, prop)
                    builders.wave(made[-1], path, i, 0.2, phase=1.7 * n + i, middle=middle)
    return made[0], made[1]


def bone_poses(armature: Any, made: Any, frames: Any, bone: str) -> Any:
    return builders.played(armature, made, frames)[:, armature.data.bones.find(bone)]


@pytest.mark.variants(1)
@pytest.mark.parametrize("method", builders.OF_OFFSETS)
def test_bones_with_their_own_blend_time(armature: Any, method: str) -> None:
    source, destination = pair()
    scales = (("B", 0.0), ("C", 0.5), ("D", 2.0))
    report, result = builders.transition(
        armature, source, destination, CUT, START, method=method, blend_frames=BLEND, blend_scales=scales
    )
    ends = {"A": BLEND, "C": 0.5 * BLEND, "D": 2.0 * BLEND}
    keyed = {bone: window_end(result, bone) for bone in BONES}
    if method != "SPRING":
        assert {bone: keyed[bone] - CUT for bone in ends} == ends
    assert keyed["C"] < keyed["A"] < keyed["D"] == report.window[1]
    early = builders.sub_frames(0, CUT - 0.02)
    for bone in BONES:
        late = builders.sub_frames(keyed[bone], 60)
        found = bone_poses(armature, result, [*early, *late], bone)
        before = bone_poses(armature, source, early, bone)
        after = bone_poses(armature, destination, late - CUT + START, bone)
        np.testing.assert_allclose(found, np.concatenate([before, after]), atol=2e-5, err_msg=bone)
        inside = np.arange(CUT + 1, keyed[bone] - 0.5)
        if len(inside):
            away = bone_poses(armature, result, inside, bone) - bone_poses(
                armature, destination, inside - CUT + START, bone
            )
            assert np.abs(away).max() > 0.01


def window_end(result: Any, bone: str) -> float:
    """The last frame of a bone's window: its keys there have handles of their own."""
    fcurve = builders.by_address(result)[builders.bone_path(bone, "location"), 0]
    joints = [k.co[0] for k in fcurve.keyframe_points if "FREE" in (k.handle_left_type, k.handle_right_type)]
    return float(max(joints))


def test_a_scale_of_zero_cuts_at_once(armature: Any) -> None:
    """The source to the very cut, the destination from it, and nothing in between but a short hold."""
    source, destination = pair()
    _, result = builders.transition(
        armature, source, destination, CUT, START, blend_frames=BLEND, blend_scales=(("B", 0.0),)
    )
    early = np.append(np.arange(1.0, CUT - 0.05, 0.1), [CUT - 0.05, CUT - 1.0 / 64.0])
    late = np.append([CUT, CUT + 0.01], np.arange(CUT + 0.1, 50, 0.1))
    found = bone_poses(armature, result, [*early, *late], "B")
    before = bone_poses(armature, source, early, "B")
    after = bone_poses(armature, destination, late - CUT + START, "B")
    np.testing.assert_allclose(found, np.concatenate([before, after]), atol=2e-5)
    held = bone_poses(armature, result, [CUT - 1.0 / 64.0, CUT - 1.0 / 128.0, CUT - 0.001], "B")
    np.testing.assert_allclose(held, held[:1].repeat(3, axis=0), atol=1e-6)


def test_cutting_at_once_where_a_rotation_has_other_numbers(armature: Any) -> None:
    """A sign that differs is no reason to turn around between two frames."""
    source, destination = builders.action("Source"), builders.action("Destination")
    path = builders.bone_path("B", "rotation_quaternion")
    builders.curves(source, path, [(1, (0.8, 0.6, 0, 0)), (41, (0.6, 0.8, 0, 0))])
    builders.curves(destination, path, [(1, (-0.8, -0.6, 0, 0)), (41, (-0.6, -0.8, 0, 0))])
    _, result = builders.transition(armature, source, destination, CUT, CUT, blend_scales=(("B", 0.0),))
    frames = builders.sub_frames(0, 45, 0.0625)
    found = bone_poses(armature, result, frames, "B")
    np.testing.assert_allclose(found, bone_poses(armature, source, frames, "B"), atol=2e-5)


def test_the_mask_leaves_other_bones_to_the_source(armature: Any) -> None:
    source, destination = pair()
    for bone in BONES:
        add_modifiers(builders.by_address(source)[builders.bone_path(bone, "location"), 1])
    builders.curve(source, '["mood"]', 0, [(1, 0.0), (41, 1.0)])
    armature["mood"] = 0.0
    report, result = builders.transition(
        armature, source, destination, CUT, START, blend_frames=BLEND, bones=("B", "D")
    )
    frames = builders.sub_frames(0, 60)
    there, here = builders.by_address(result), builders.by_address(source)
    for bone in ("A", "C"):
        expected = bone_poses(armature, source, frames, bone)
        np.testing.assert_allclose(bone_poses(armature, result, frames, bone), expected, atol=1e-6)
        for prop, count in PROPS:
            for i in range(count):
                address = builders.bone_path(bone, prop), i
                assert builders.key_data(there[address]) == builders.key_data(here[address])
    assert builders.key_data(there['["mood"]', 0]) == builders.key_data(here['["mood"]', 0])
    late = builders.sub_frames(report.window[1], 40.0)
    expected = bone_poses(armature, destination, late - CUT + START, "D")
    np.testing.assert_allclose(bone_poses(armature, result, late, "D"), expected, atol=2e-5)


def add_modifiers(fcurve: Any) -> None:
    noise = fcurve.modifiers.new("NOISE")
    noise.use_restricted_range, noise.frame_start, noise.frame_end, noise.blend_in = True, 5, 30, 3
    noise.strength, noise.use_influence, noise.influence = 0.7, True, 0.8
    line = fcurve.modifiers.new("GENERATOR")
    line.poly_order, line.use_additive = 3, True
    line.coefficients = (0.1, 0.02, -0.001, 0.00001)
    product = fcurve.modifiers.new("GENERATOR")
    product.mode, product.poly_order, product.use_additive, product.mute = (
        "POLYNOMIAL_FACTORISED",
        2,
        True,
        True,
    )
    product.coefficients = (0.1, 0.2, 0.3, 0.4)
    stepped = fcurve.modifiers.new("STEPPED")
    stepped.frame_step, stepped.use_frame_end, stepped.frame_end = 3.0, True, 12
    limits = fcurve.modifiers.new("LIMITS")
    limits.use_min_y, limits.min_y = True, -0.1
    points = fcurve.modifiers.new("ENVELOPE").control_points
    points.add(2)
    points.add(20)
    points.foreach_set("max", [1.3, 1.1])


def test_masked_bones_keep_their_modifiers(armature: Any) -> None:
    source, destination = pair()
    address = builders.bone_path("A", "location"), 0
    add_modifiers(builders.by_address(source)[address])
    _, result = builders.transition(armature, source, destination, CUT, START, bones=("B",))
    one, other = (builders.by_address(made)[address].modifiers for made in (source, result))
    assert [plain(modifier) for modifier in other] == [plain(modifier) for modifier in one]


def plain(modifier: Any) -> list[Any]:
    """Everything that is set on a modifier."""
    found = []
    for prop in modifier.bl_rna.properties:
        value = getattr(modifier, prop.identifier)
        if prop.identifier == "control_points":
            value = [(point.frame, point.min, point.max) for point in value]
        elif prop.type == "FLOAT" and prop.is_array:
            value = tuple(value)
        if prop.identifier not in ("rna_type", "name", "active"):
            found.append((prop.identifier, value))
    return found


def test_a_mask_without_the_root_aligns_nothing(armature: Any) -> None:
    source, destination = pair()
    report, _ = builders.transition(
        armature, source, destination, CUT, START, bones=("B",), alignment="POSITION_HEADING", root="A"
    )
    assert (report.alignment, report.translation, report.heading_degrees) == ("NONE", (0.0, 0.0, 0.0), 0.0)
