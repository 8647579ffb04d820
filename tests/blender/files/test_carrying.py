# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of one skeleton that differ in rest poses, axes, rotation orders or rates: each plays as alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender import files
from inertia_addon.blender.data import actions, compat
from inertia_addon.blender.data.rig import armatures
from inertia_addon.blender.files import carrying
from inertia_addon.errors import InertiaError
from tests.blender import builders

OFFSETS = {"Hips": (0.0, 9.0, 0.0), "Spine": (0.0, 3.0, 0.5), "Arm": (1.0, 1.0, 0.0), "Hand": (3.0, 0.0, 0.0)}
PARENTS = {"Hips": "", "Spine": "Hips", "Arm": "Spine", "Hand": "Arm"}
ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")


def bvh(path: Path, order: str = "ZXY", rate: float = 30.0, phase: float = 0.0, **offsets: Any) -> Path:
    """A short capture of a chain of joints."""
    lines = ["HIERARCHY"]
    for depth, name in enumerate(OFFSETS):
        x, y, z = offsets.get(name, OFFSETS[name])
        places = "Xposition Yposition Zposition " if depth == 0 else ""
        channels = places + " ".join(f"{axis}rotation" for axis in order)
        lines += [f"{'JOINT' if depth else 'ROOT'} {name}", "{", f"OFFSET {x} {y} {z}"]
        lines.append(f"CHANNELS {len(channels.split())} {channels}")
    lines += ["End Site", "{", "OFFSET 0.5 0 0.1", "}", *["}"] * len(OFFSETS)]
    frames = round(rate)
    lines += ["MOTION", f"Frames: {frames}", f"Frame Time: {1.0 / rate:.9f}"]
    for frame in range(frames):
        t = frame / rate
        row = [2.0 * t, 9.0 + 0.3 * np.sin(5.0 * t), 0.4 * t]
        row += [50.0 * np.sin(2.0 * t + phase + 1.7 * i) for i in range(3 * len(OFFSETS))]
        lines.append(" ".join(f"{value:.6f}" for value in row))
    path.write_text("\n".join(lines) + "\n")
    return path


def heads(name: str, frames: Any) -> Any:
    """Where the joints are in a clip of the one armature, by name (frames, joints, 3)."""
    (armature,) = armatures()
    action = bpy.data.actions[name]
    compat.assign(armature, action, actions.choose_slot(action, armature).identifier)
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(int(np.floor(frame)), subframe=float(frame - np.floor(frame)))
        shown = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        bones = sorted(shown.pose.bones, key=lambda bone: bone.name)
        found.append([np.array(shown.matrix_world @ bone.head) for bone in bones])
    return np.array(found)


def assert_plays_as_alone(paths: list[Path], between: float, rates: tuple[float, ...] = ()) -> None:
    """Each file's clip: together as by itself on whole frames, and nearly so half-way between.

    between: how near, as a part of the skeleton's size: other angles lead another way from frame to frame.
    """
    rates = rates or (30.0,) * len(paths)
    frames = builders.sub_frames(1.0, np.floor(0.9 * rates[0]), 0.5)
    alone = []
    for path, rate in zip(paths, rates, strict=True):
        files.load([path])
        (action,) = bpy.data.actions
        alone.append(heads(action.name, 1.0 + (frames - 1.0) * rate / rates[0]))
    files.load(paths)
    for path, expected in zip(paths, alone, strict=True):
        away = (
            np.abs(heads(path.stem, frames) - expected).max(axis=(1, 2)) / np.ptp(expected[0], axis=0).max()
        )
        assert np.ptp(expected, axis=0).max() > 0.2
        assert away[::2].max() < 1e-4, path
        assert away[1::2].max() < between, path


@pytest.mark.variants(2)
@pytest.mark.parametrize("order", ORDERS)
def test_files_with_other_orders_of_rotation_play_as_alone(tmp_path: Path, order: str) -> None:
    paths = [bvh(tmp_path / "a.bvh"), bvh(tmp_path / "b.bvh", order, phase=1.0)]
    assert_plays_as_alone(paths, 3e-3)


@pytest.mark.variants(2)
@pytest.mark.parametrize("other", [24.0, 60.0, 120.0])
def test_files_with_other_frame_rates_play_as_alone(tmp_path: Path, other: float) -> None:
    paths = [bvh(tmp_path / "a.bvh"), bvh(tmp_path / "b.bvh", rate=other, phase=1.0)]
    assert_plays_as_alone(paths, 1e-4, (30.0, other))
    assert bpy.context.scene.render.fps == 30


def test_files_with_other_poses_at_rest_play_as_alone(tmp_path: Path) -> None:
    """The arm hangs in one file and is held out in the other, and the hips rest elsewhere."""
    hanging = {"Hand": (0.0, -3.0, 0.0), "Hips": (1.0, 5.0, 0.0), "Arm": (1.0, 1.0, 0.0)}
    paths = [bvh(tmp_path / "a.bvh"), bvh(tmp_path / "b.bvh", phase=1.0, **hanging)]
    assert_plays_as_alone(paths, 1e-3)


def turned(path: Path, turns: dict[str, float], *, skin: bool = False) -> Path:
    """A file of one skeleton, the axes of some of its bones turned: all heads where they are."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    data = bpy.data.armatures.new("Rig")
    armature = bpy.data.objects.new("Rig", data)
    bpy.context.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for name, parent in (("Root", None), ("A", "Root"), ("B", "A"), ("Side", "Root"), ("Leaf", "B")):
        at = {"Root": (0, 0, 0), "A": (0, 0, 1), "B": (0, 0.2, 2), "Side": (1, 0, 0.5), "Leaf": (0.1, 0, 3)}[
            name
        ]
        bone = data.edit_bones.new(name)
        way = turns.get(name, 0.0)
        bone.head = np.array(at)
        bone.tail = np.add(at, (np.sin(way), 0.3 * way, np.cos(way)))
        bone.roll = way
        bone.parent = data.edit_bones[parent] if parent else None
    bpy.ops.object.mode_set(mode="OBJECT")
    made = builders.action("Clip")
    for i, bone in enumerate(armature.pose.bones):
        rows = [(f, (1.0, 0.3 * np.sin(0.2 * f + i), 0.2 * np.cos(0.3 * f), 0.1 * i)) for f in range(1, 31)]
        builders.curves(
            made, builders.bone_path(bone.name, "rotation_quaternion"), rows, interpolation="LINEAR"
        )
    places = [(f, (0.1 * f, 0.02 * f, 0.3)) for f in range(1, 31)]
    builders.curves(made, builders.bone_path("Root", "location"), places, interpolation="LINEAR")
    if skin:
        mesh = bpy.data.meshes.new("Skin")
        mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 0, 1)], [], [(0, 1, 2)])
        worn = bpy.data.objects.new("Skin", mesh)
        bpy.context.collection.objects.link(worn)
        worn.parent = armature
        worn.modifiers.new("Armature", "ARMATURE").object = armature
        worn.vertex_groups.new(name="A").add([0, 1, 2], 1.0, "REPLACE")
    bpy.context.scene.render.fps = 30
    files.save(path, armature, made.name, "OBRig" if compat.has_slots() else "")
    return path


@pytest.mark.variants(1)
@pytest.mark.parametrize("turns", [{"Leaf": 1.2}, {"Root": 1.0}, {"A": -0.7, "Root": 0.4, "Side": 2.0}])
def test_bones_that_rest_turned(tmp_path: Path, turns: dict[str, float]) -> None:
    paths = [turned(tmp_path / "a.glb", {}), turned(tmp_path / "b.glb", turns)]
    assert_plays_as_alone(paths, 1e-4)


def test_bones_that_hang_from_a_turned_one_go_along(tmp_path: Path) -> None:
    """Its sides, too, are where the file has them, as its own mesh shows."""
    first, other = turned(tmp_path / "a.glb", {}), turned(tmp_path / "b.glb", {"Leaf": 1.2, "A": 0.5})
    found = []
    for paths, name in (([other], ""), ([first, other], "b")):
        files.load(paths)
        (armature,) = armatures()
        action = bpy.data.actions[name] if name else bpy.data.actions[0]
        compat.assign(armature, action, actions.choose_slot(action, armature).identifier)
        bpy.context.scene.frame_set(11, subframe=0.5)
        bones = sorted(armature.pose.bones, key=lambda bone: bone.name)
        found.append([np.array(bone.matrix @ bone.bone.matrix_local.inverted()) for bone in bones])
    np.testing.assert_allclose(found[1], found[0], atol=1e-4)


def test_files_with_other_proportions_are_refused_by_name(tmp_path: Path) -> None:
    first = bvh(tmp_path / "a.bvh")
    longer = bvh(tmp_path / "b.bvh", Hand=(4.0, 0.0, 0.0))
    with pytest.raises(InertiaError, match=r'"b.bvh" has another skeleton than "a.bvh": bone "Hand" has'):
        files.load([first, longer])
    taller = bvh(tmp_path / "c.bvh", Hand=(4.0, 0.0, 0.0), Spine=(0.0, 5.0, 0.0))
    with pytest.raises(InertiaError, match=r"bones Spine, Hand have another rest pose"):
        files.load([first, taller])


@pytest.mark.variants(1)
@pytest.mark.parametrize("skin", ["a", "c"])
def test_clips_reach_the_character_wherever_it_is(tmp_path: Path, skin: str) -> None:
    """A skin in the last file makes its skeleton the one that all others' clips are carried over to."""
    turns: dict[str, dict[str, float]] = {"a": {}, "b": {"A": -0.7, "Leaf": 1.0}, "c": {"Root": 0.8}}
    paths = [turned(tmp_path / f"{name}.glb", how, skin=name == skin) for name, how in turns.items()]
    assert_plays_as_alone(paths, 1e-4)


@pytest.mark.parametrize(
    "rewrite",
    [
        lambda action: carrying.carry(action, "OBNobody", {}, {}, {}),
        lambda action: carrying.fold(action, "OBNobody", {}, {}, {}),
    ],
)
@pytest.mark.skipif(not compat.has_slots(), reason="an action is its one slot here")
def test_a_slot_that_is_not_there_is_named(fresh_file: None, rewrite: Callable[[Any], Any]) -> None:
    action = builders.action("Walk")
    builders.curve(action, builders.bone_path("A", "location"), 0, [(1, 0.0), (9, 1.0)])
    with pytest.raises(InertiaError, match='Action "Walk" has no slot "OBNobody" for objects; it has OBRig'):
        rewrite(action)
