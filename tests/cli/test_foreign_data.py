# SPDX-License-Identifier: GPL-3.0-or-later
"""What files may hold, though nobody would mean it: each is a sentence, and none a traceback."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.batch.small_rig import Run

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat, recipe, recipe_reader

Inertia = Callable[..., Run]
WALK_TO_RUN = ("--source", "Walk", "--destination", "Run")


@pytest.fixture
def change(rig_file: Path) -> Callable[[Callable[[Any], None]], None]:
    """Changes the rig in its file."""

    def do(what: Callable[[Any], None]) -> None:
        bpy.ops.wm.open_mainfile(filepath=str(rig_file))
        what(next(o for o in bpy.data.objects if o.type == "ARMATURE"))
        bpy.ops.wm.save_mainfile()

    return do


def under_nothing(armature: Any) -> None:
    above = bpy.data.objects.new("Above", None)
    bpy.context.collection.objects.link(above)
    above.scale = (0.0, 0.0, 0.0)
    armature.parent = above


def flat(armature: Any) -> None:
    armature.scale = (1.0, 1.0, 0.0)


def nothing(armature: Any) -> None:
    armature.scale = (0.0, 0.0, 0.0)


def small_bone(armature: Any) -> None:
    armature.pose.bones["Hips"].scale = (0.0, 0.0, 0.0)


@pytest.mark.variants(2)
@pytest.mark.parametrize("what", [nothing, flat, under_nothing, small_bone])
def test_scales_of_zero(inertia: Inertia, rig_file: Path, tmp_path: Path, change: Any, what: Any) -> None:
    change(what)
    for command in (
        ("info", rig_file, "--json"),
        ("bake", rig_file, *WALK_TO_RUN, "--cut", 20, "--enter-at", "first", "-o", tmp_path / "out.blend"),
        ("bake", rig_file, *WALK_TO_RUN, "--cut", 20, "--enter-at", "first", "-o", tmp_path / "out.bvh"),
        ("cost", rig_file, *WALK_TO_RUN, "--cut", 20, "--by", "cost", "--json"),
        ("fit", rig_file, "--json"),
    ):
        done = inertia(*command)
        assert "Traceback" not in done.err
        assert "itself failed" not in done.err
        if done.code:
            assert done.code == 1
            assert "scaled to zero" in done.err


def test_a_long_chain_is_written_as_bvh(inertia: Inertia, tmp_path: Path, fresh_file: None) -> None:
    # as Python has it for a thousand
    limit, count = sys.getrecursionlimit(), 300
    data = bpy.data.armatures.new("Chain")
    armature = bpy.data.objects.new("Chain", data)
    bpy.context.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    above = None
    for i in range(count):
        bone = data.edit_bones.new(f"Bone{i}")
        bone.head, bone.tail, bone.parent = (0.0, 0.0, 0.1 * i), (0.0, 0.0, 0.1 * i + 0.1), above
        above = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    for name in ("Walk", "Run"):
        armature.animation_data_create()
        armature.animation_data.action = bpy.data.actions.new(name)
        armature.animation_data.action.use_fake_user = True
        for frame in (1, 4):
            armature.pose.bones[0].location = (0.1 * frame, 0.0, 0.0)
            armature.pose.bones[0].keyframe_insert("location", frame=frame)
    path, out = tmp_path / "chain.blend", tmp_path / "chain.bvh"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    sys.setrecursionlimit(count - 20)
    try:
        done = inertia("bake", path, *WALK_TO_RUN, "--cut", 2, "--blend-frames", 1, "-o", out)
    finally:
        sys.setrecursionlimit(limit)
    assert done.code == 0, done.err
    text = out.read_text()
    assert text.count("JOINT") == count - 1
    assert text.count("{") == text.count("}") == count + 1


@pytest.mark.variants(3)
@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("key", [0, -1])
def test_frames_that_are_no_numbers(
    inertia: Inertia, rig_file: Path, change: Any, value: float, key: int
) -> None:
    def spoil(_armature: Any) -> None:
        action = bpy.data.actions["Walk"]
        for curve in compat.curves(action, compat.slots(action)[0].identifier):
            curve.keyframe_points[key].co[0] = value

    change(spoil)
    done = inertia("info", rig_file, "--json")
    assert done.code == 0, done.err
    walk = next(a for a in done.json["armatures"][0]["actions"] if a["name"] == "Walk")
    assert "not a finite number" in walk["problem"]
    assert inertia("info", rig_file).code == 0
    refused = inertia("cost", rig_file, *WALK_TO_RUN, "--json")
    assert (refused.code, "not a finite number" in refused.err) == (1, True)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("deep.toml", "a = " + "[" * 5000 + "]" * 5000),
        ("deep.toml", "a = " + "{a = " * 5000 + "1" + "}" * 5000),
        ("deep.toml", ".".join(["a"] * 200_000) + " = 1"),
        ("deep.json", '{"files": ' + "[" * 5000 + "]" * 5000 + "}"),
        ("deep.json", '{"a": ' * 5000 + "1" + "}" * 5000),
        ("deep.json", "[" * 500_000),
        ("long.json", '{"scale": ' + "9" * 5000 + "}"),
        ("long.toml", "scale = " + "9" * 5000),
    ],
)
def test_specs_that_lie_too_deep(inertia: Inertia, tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    done = inertia("batch", tmp_path / name, "--check")
    assert (done.code, "itself failed" in done.err) == (2, False)
    assert name in done.err


def group_of(data: Any, name: str) -> Any:
    """The stored values of a property group, where nothing is registered."""
    system = getattr(data, "bl_system_properties_get", None)
    holder = data if system is None else system(do_create=True)
    holder[name] = {"blend_scale": 1.0}
    return holder[name]


@pytest.mark.parametrize("value", ["much", [1.0, 2.0], {"a": 1}, -1.0, 1e30])
def test_stored_blend_scales_that_can_not_be_read(
    inertia: Inertia, rig_file: Path, tmp_path: Path, change: Any, value: Any
) -> None:
    def store(armature: Any) -> None:
        group_of(armature.pose.bones["Hips"], "inertia")["blend_scale"] = value

    change(store)
    done = inertia(
        "bake", rig_file, *WALK_TO_RUN, "--cut", 20, "--enter-at", "first", "-o", tmp_path / "out.blend"
    )
    assert done.code == 1
    assert done.err.startswith('inertia: The blend scale of "Hips" is ')
    assert done.err.endswith("; give a number from 0 to 100.\n")


@pytest.mark.parametrize("value", ["much", [1.0, 2.0], {"a": 1}, -1.0, 1e30])
def test_stored_weights_that_can_not_be_read(
    inertia: Inertia, rig_file: Path, change: Any, value: Any
) -> None:
    def store(armature: Any) -> None:
        group = group_of(armature, "inertia_cost")
        group["joints"], group["items"] = 1, [{"bone": "Hips", "weight": value}]

    change(store)
    done = inertia("cost", rig_file, *WALK_TO_RUN)
    assert done.code == 1
    assert done.err.startswith('inertia: The weight of "Hips" is ')
    assert done.err.endswith("; give a number from 0 to 1000.\n")


def test_a_property_of_somebody_else_is_left_alone(
    inertia: Inertia, rig_file: Path, tmp_path: Path, change: Any
) -> None:
    def store(armature: Any) -> None:
        armature.pose.bones["Hips"]["inertia"] = 3
        armature["inertia_cost"] = "mine"

    change(store)
    done = inertia(
        "bake", rig_file, *WALK_TO_RUN, "--cut", 20, "--enter-at", "first", "-o", tmp_path / "out.blend"
    )
    assert done.code == 0, done.err
    assert inertia("cost", rig_file, *WALK_TO_RUN, "--by", "cost").code == 0


@pytest.mark.parametrize(
    ("field", "value"),
    [("blend_frames", 1e30), ("half_life", "soon"), ("blend_scales", {"Hips": "much"}), ("cut", None)],
)
def test_recipes_that_can_not_be(rig_file: Path, change: Any, field: str, value: Any) -> None:
    from inertia_addon.blender.transition.bake import bake_transition
    from inertia_addon.errors import InertiaError
    from inertia_addon.settings.transition import TransitionSettings

    def spoil(armature: Any) -> None:
        bake_transition(armature, TransitionSettings("Walk", "Run", 20.0, result="Baked"))
        values = json.loads(bpy.data.actions["Baked"][recipe.RECIPE])
        values["settings"][field] = value
        bpy.data.actions["Baked"][recipe.RECIPE] = json.dumps(values)

    change(spoil)
    with pytest.raises(InertiaError, match=r"; give a number"):
        recipe_reader.read_recipe(bpy.data.actions["Baked"], recipe.RECIPE)
