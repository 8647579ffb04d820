# SPDX-License-Identifier: GPL-3.0-or-later
"""All that can be keyed besides rotations: vectors, the object, properties, influences, choices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
import numpy as np
import pytest

from tests.blender import builders, clips

CUT, START, BLEND = 15.0, 4.0, 8.0
LATER = CUT - START

pytestmark = pytest.mark.usefixtures("fresh_file")


def two(path: str, index: int, here: Any, there: Any, **how: Any) -> tuple[Any, Any]:
    """Actions with a curve each; None for a clip that keys something else only."""
    made = []
    for name, points in (("Source", here), ("Destination", there)):
        made.append(builders.action(name))
        builders.curve(made[-1], builders.bone_path("B", "location"), 0, [(1, 0.0), (41, 0.0)])
        if points is not None:
            builders.curve(made[-1], path, index, points, **how)
    return made[0], made[1]


def bake(armature: Any, source: Any, destination: Any, **how: Any) -> tuple[Any, Any]:
    return builders.transition(armature, source, destination, CUT, START, **{"blend_frames": BLEND, **how})


WAVE_HERE = [(1, 0.0), (11, 2.0), (21, 1.0), (31, 3.0)]
WAVE_THERE = [(1, -1.0), (11, 0.5), (21, -2.0), (41, 0.0)]


def assert_decays(
    armature: Any, source: Any, destination: Any, read: Callable[[], Any], **how: Any
) -> tuple[Any, Any]:
    """A float plays the source, flows over, and plays the destination, in the file itself."""
    report, result = bake(armature, source, destination, **how)
    end = report.window[1]
    assert end == CUT + BLEND
    early, late = builders.sub_frames(0, CUT - 0.02), builders.sub_frames(end, 55)
    found = builders.shown(armature, result, [*early, CUT, *late], read)
    before = builders.shown(armature, source, [*early, CUT], read)
    after = builders.shown(armature, destination, late - LATER, read)
    np.testing.assert_allclose(found, np.concatenate([before, after]), atol=2e-5)
    inside = builders.shown(armature, result, np.arange(CUT, end + 1), read)
    steps = np.abs(np.diff(inside, axis=0)).max()
    there = builders.shown(armature, destination, np.arange(START, START + BLEND + 1), read)
    assert steps < 0.4 * np.abs(inside[0] - there[0]).max() + np.abs(np.diff(there, axis=0)).max()
    return report, result


@pytest.mark.parametrize("prop", ["location", "scale"])
def test_vectors_of_a_bone(armature: Any, prop: str) -> None:
    source, destination = two(builders.bone_path("A", prop), 1, WAVE_HERE, WAVE_THERE)
    builders.curve(source, builders.bone_path("A", prop), 2, WAVE_THERE)
    bone = armature.pose.bones["A"]
    assert_decays(armature, source, destination, lambda: tuple(getattr(bone, prop)))


def test_custom_property_of_a_bone(armature: Any) -> None:
    bone = armature.pose.bones["A"]
    bone['Say "hi"'] = 0.0
    path = bone.path_from_id() + '["Say \\"hi\\""]'
    source, destination = two(path, 0, WAVE_HERE, WAVE_THERE)
    assert_decays(armature, source, destination, lambda: bone['Say "hi"'])


@pytest.mark.parametrize("owner", ["object", "data"])
def test_custom_property_of_the_object(armature: Any, owner: str) -> None:
    holder = armature if owner == "object" else armature.data
    holder["glow"] = 0.0
    source, destination = two('["glow"]' if owner == "object" else 'data["glow"]', 0, WAVE_HERE, WAVE_THERE)
    assert_decays(armature, source, destination, lambda: holder["glow"])


def test_an_array_property_decays(armature: Any) -> None:
    armature["wind"] = [0.0, 0.0, 0.0]
    source, destination = two('["wind"]', 0, WAVE_HERE, WAVE_THERE)
    builders.curve(source, '["wind"]', 2, WAVE_THERE)
    builders.curve(destination, '["wind"]', 2, WAVE_HERE)
    _, result = assert_decays(armature, source, destination, lambda: tuple(armature["wind"]))
    assert {index for path, index in builders.by_address(result) if "wind" in path} == {0, 2}


def test_an_influence_of_a_constraint_decays(armature: Any) -> None:
    bone = armature.pose.bones["A"]
    constraint = bone.constraints.new("LIMIT_LOCATION")
    path = constraint.path_from_id("influence")
    source, destination = two(path, 0, [(1, 0.2), (31, 0.9)], [(1, 0.8), (41, 0.1)])
    assert_decays(armature, source, destination, lambda: constraint.influence)


def test_an_object_decays_without_an_alignment(armature: Any) -> None:
    """Without an alignment the object itself flows over, too."""
    source, destination = two("location", 0, WAVE_HERE, WAVE_THERE)
    builders.curve(source, "rotation_euler", 2, [(1, 0.0), (31, 0.4)])
    builders.curve(destination, "rotation_euler", 2, [(1, -0.9), (41, 0.2)])
    builders.curve(source, "scale", 1, [(1, 1.0), (31, 1.5)])
    builders.curve(destination, "scale", 1, [(1, 1.2), (41, 1.0)])
    assert_decays(armature, source, destination, lambda: np.array(armature.matrix_world).ravel())


SWITCHES: dict[str, tuple[Callable[[Any], str], Callable[[Any], Any], tuple[Any, Any]]] = {
    "integer": (lambda rig: '["hat"]', lambda rig: rig["hat"], (3, 7)),
    "boolean": (lambda rig: '["armed"]', lambda rig: bool(rig["armed"]), (True, False)),
    "mute": (
        lambda rig: rig.pose.bones["A"].constraints[0].path_from_id("mute"),
        lambda rig: rig.pose.bones["A"].constraints[0].mute,
        (False, True),
    ),
    "choice": (
        lambda rig: rig.pose.bones["A"].constraints[0].path_from_id("owner_space"),
        lambda rig: rig.pose.bones["A"].constraints[0].owner_space,
        ("WORLD", "LOCAL"),
    ),
    "visibility": (lambda rig: "hide_render", lambda rig: rig.hide_render, (True, False)),
}


@pytest.mark.variants(5)
@pytest.mark.parametrize("kind", SWITCHES)
@pytest.mark.parametrize("blend", [BLEND, 1.0])
@pytest.mark.parametrize("interpolation", ["BEZIER", "CONSTANT", "LINEAR"])
def test_channels_that_can_only_jump_jump_at_the_cut(
    armature: Any, kind: str, blend: float, interpolation: str
) -> None:
    path_of, read_of, (here, there) = SWITCHES[kind]
    armature["hat"], armature["armed"] = 0, False
    armature.pose.bones["A"].constraints.new("LIMIT_LOCATION")
    path = path_of(armature)
    values = []
    for value in (here, there):
        holder = armature.path_resolve(path.rpartition(".")[0]) if kind == "choice" else None
        numbers = holder.bl_rna.properties["owner_space"].enum_items if holder is not None else None
        values.append(float(numbers[value].value if numbers is not None else value))
    source, destination = two(
        path,
        0,
        [(1, values[0]), (31, values[0])],
        [(1, values[1]), (41, values[1])],
        interpolation=interpolation,
    )
    report, result = bake(armature, source, destination, blend_frames=blend)
    found = builders.shown(armature, result, range(1, 40), lambda: read_of(armature))
    assert list(found) == [here] * 14 + [there] * 25
    assert report.offsets == 0


def test_numbers_that_count_up(armature: Any) -> None:
    """An integer that is keyed to change does so on its own frames on either side."""
    armature["step"] = 0
    how = {"interpolation": "CONSTANT"}
    source, destination = two('["step"]', 0, [(1, 1), (6, 2), (20, 9)], [(1, 5), (10, 6), (20, 7)], **how)
    _, result = bake(armature, source, destination)
    found = builders.shown(armature, result, range(1, 36), lambda: armature["step"])
    assert list(found) == [1] * 5 + [2] * 9 + [5] * 6 + [6] * 10 + [7] * 5


@pytest.mark.parametrize("keyed", ["Source", "Destination"])
def test_a_custom_property_of_one_clip_uses_its_default_in_the_other(armature: Any, keyed: str) -> None:
    armature["glow"] = 0.1
    armature.id_properties_ui("glow").update(default=0.7)
    here, there = (WAVE_HERE, None) if keyed == "Source" else (None, WAVE_THERE)
    source, destination = two('["glow"]', 0, here, there)
    report, result = bake(armature, source, destination)
    end = report.window[1]
    values = builders.shown(armature, result, [1, 8, CUT, end, 40], lambda: armature["glow"])
    if keyed == "Source":
        own = builders.evaluated(source, '["glow"]', 0, [1, 8, CUT])
        np.testing.assert_allclose(values, [*own, 0.7, 0.7], atol=2e-5)
    else:
        own = builders.evaluated(destination, '["glow"]', 0, [end - LATER, 40 - LATER])
        np.testing.assert_allclose(values, [0.7, 0.7, 0.7, *own], atol=2e-5)


@pytest.mark.variants(4)
@pytest.mark.parametrize("keyed", ["Source", "Destination"])
@pytest.mark.parametrize(
    ("prop", "index", "rest"),
    [
        ("location", 0, 0.0),
        ("scale", 1, 1.0),
        ("rotation_quaternion", 0, 1.0),
        ("rotation_quaternion", 2, 0.0),
    ],
)
def test_a_transform_of_one_clip_uses_the_rest_pose_in_the_other(
    armature: Any, keyed: str, prop: str, index: int, rest: float
) -> None:
    path = builders.bone_path("A", prop)
    points = [(1, 0.3), (41, 0.6)]
    source, destination = two(path, index, *((points, None) if keyed == "Source" else (None, points)))
    report, result = bake(armature, source, destination)
    builders.assert_outside(armature, source, destination, report, result)
    if not (prop == "rotation_quaternion" and index == 0):  # of any length that is no rotation
        away = 50.0 if keyed == "Source" else 1.0
        assert builders.evaluated(result, path, index, [away])[0] == pytest.approx(rest)


def test_a_switch_of_one_clip_uses_its_default_in_the_other(armature: Any) -> None:
    constraint = armature.pose.bones["A"].constraints.new("LIMIT_LOCATION")
    source, destination = two(constraint.path_from_id("mute"), 0, None, [(1, 1.0)])
    spaces = constraint.bl_rna.properties["owner_space"].enum_items
    builders.curve(source, constraint.path_from_id("owner_space"), 0, [(1, spaces["LOCAL"].value)])
    _, result = bake(armature, source, destination)
    found = builders.shown(armature, result, [14, 15], lambda: (str(constraint.mute), constraint.owner_space))
    assert found.tolist() == [["False", "LOCAL"], ["True", "WORLD"]]


def test_curves_of_bones_that_are_gone(armature: Any) -> None:
    source, destination = two(builders.bone_path("A", "location"), 0, WAVE_HERE, WAVE_THERE)
    builders.curve(source, builders.bone_path("Tail", "location"), 0, WAVE_HERE)
    report, result = bake(armature, source, destination)
    assert not any("Tail" in path for path, _ in builders.by_address(result))
    assert any('"Tail"' in warning and "left out" in warning for warning in report.warnings)


def test_paths_that_no_longer_resolve_are_carried(armature: Any) -> None:
    """A curve of a deleted property does no harm and is not lost: it acts again when the property is back."""
    source, destination = two('["gone"]', 0, WAVE_HERE, WAVE_THERE)
    _, result = bake(armature, source, destination)
    assert ('["gone"]', 0) in builders.by_address(result)
    assert np.isfinite([fcurve.evaluate(f) for fcurve in clips.all_curves(result) for f in range(50)]).all()
    bpy.context.scene.frame_set(20)


@pytest.mark.variants(3)
@pytest.mark.parametrize("keyed", ["Source", "Destination"])
@pytest.mark.parametrize("in_use", ["", "Source", "Destination"])
def test_object_transform_that_one_clip_keys(armature: Any, keyed: str, in_use: str) -> None:
    """The other clip leaves the object where it stands, whatever frame is shown, also when baked anew."""
    armature.location = (5.0, 1.0, 0.0)
    armature.rotation_euler = (-1.5, 0.0, 0.3)
    armature.scale = (0.1, 0.1, 0.1)
    points = [(1, 5.0), (41, 7.0)]
    source, destination = two("location", 0, *((points, None) if keyed == "Source" else (None, points)))
    builders.curve(source if keyed == "Source" else destination, "rotation_euler", 2, [(1, 0.3), (41, 0.8)])
    if in_use:
        clips.play(armature, bpy.data.actions[in_use])
    before: Any = None
    for frame in (3, 30, 20):
        bpy.context.scene.frame_set(frame)
        _, result = bake(armature, source, destination)
        made = builders.by_address(result)
        found = {at: [fcurve.evaluate(f) for f in range(60)] for at, fcurve in made.items()}
        assert before is None or set(found) == set(before)
        for at in before or ():
            np.testing.assert_allclose(found[at], before[at], atol=1e-6, err_msg=str(at))
        before = found
    keyed_axes = {("location", 0), ("rotation_euler", 2)}
    assert set(before) == {*keyed_axes, (builders.bone_path("B", "location"), 0)}
    away = 1.0 if keyed == "Destination" else 50.0
    bpy.context.scene.frame_set(int(away))
    assert armature.location.x == pytest.approx(5.0, abs=1e-5)
    assert armature.rotation_euler.z == pytest.approx(0.3, abs=1e-5)
    assert tuple(armature.scale) == pytest.approx((0.1, 0.1, 0.1))
