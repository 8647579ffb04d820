# SPDX-License-Identifier: GPL-3.0-or-later
"""Several files of one skeleton: one character that plays the clips of all as each file alone does."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender import files
from inertia_addon.blender.data import clip_store, compat
from inertia_addon.blender.data.rig import armatures
from inertia_addon.errors import InertiaError
from tests.blender import builders
from tests.blender.clips import with_clips

KINDS = (".bvh", ".fbx", ".glb", ".gltf", ".usda")
HALVES = builders.sub_frames(1.0, 21.0, 0.5)


def character(name: str = "Rig", *, skin: bool = False, height: float = 1.0) -> Any:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    armature = builders.rig({"A": None, "B": "A"}, name=name, height=height)
    if skin:
        data = bpy.data.meshes.new("Skin")
        data.from_pydata([(0, 0, 0), (1, 0, 0), (0, 0, 1)], [], [(0, 1, 2)])
        worn = bpy.data.objects.new("Skin", data)
        bpy.context.collection.objects.link(worn)
        worn.parent = armature
        worn.modifiers.new("Armature", "ARMATURE").object = armature
        worn.vertex_groups.new(name="A").add([0, 1, 2], 1.0, "REPLACE")
    return armature


def clip(name: str, swing: float, slot: str = "Rig") -> Any:
    made = builders.action(name, slot)
    for bone in ("A", "B"):
        points = [(frame, (1.0, swing * np.sin(frame), 0.1, 0.0)) for frame in range(1, 22)]
        builders.curves(made, builders.bone_path(bone, "rotation_quaternion"), points, slot=f"OB{slot}")
    return made


def write(path: Path, swing: float, name: str = "Rig", *, skin: bool = False, height: float = 1.0) -> Path:
    """A file with one clip."""
    armature = character(name, skin=skin, height=height)
    made = clip("Clip", swing, name)
    files.save(path, armature, made.name, f"OB{name}" if compat.has_slots() else "")
    return path


def played(armature: Any, name: str) -> Any:
    """The bones by name in a clip, at whole and half frames: their heads, then their sides (frames, n, 3)."""
    action = bpy.data.actions[name]
    compat.assign(armature, action, next((s.identifier for s in compat.slots(action)), ""))
    found = []
    for frame in HALVES:
        bpy.context.scene.frame_set(int(frame), subframe=float(frame % 1.0))
        shown = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        bones = sorted(shown.pose.bones, key=lambda bone: bone.name)
        found.append([np.array(shown.matrix_world @ bone.head) for bone in bones])
        found[-1] += [np.array(shown.matrix_world @ bone.matrix)[:3, 0] for bone in bones]
    return np.array(found)


@pytest.mark.variants(2)
@pytest.mark.parametrize("kind", KINDS)
def test_clips_that_are_joined_play_each_as_its_file_does(tmp_path: Path, kind: str) -> None:
    """Armatures may bear other names, and files the same ones."""
    (tmp_path / "more").mkdir()
    paths = [
        # Blender takes the rest pose of an FBX file without a skin from the clip
        write(tmp_path / f"walk{kind}", 0.2, skin=kind == ".fbx"),
        write(tmp_path / f"run{kind}", 0.4, name="Other", skin=kind == ".fbx"),
        write(tmp_path / "more" / f"hop{kind}", 0.6, skin=kind == ".fbx"),
    ]
    alone = []
    for path in paths:
        files.load([path])
        (armature,), (action,) = armatures(), bpy.data.actions
        assert not compat.has_slots() or [s.name for s in compat.slots(action)] == [armature.name]
        alone.append(played(armature, action.name))
    objects = len(bpy.data.objects)
    files.load(paths)
    (armature,) = armatures()
    assert len(bpy.data.objects) == objects
    assert len(bpy.data.armatures) == 1
    assert [action.name for action in bpy.data.actions] == ["hop", "run", "walk"]
    assert all(action.use_fake_user for action in bpy.data.actions)
    assert [action.name for action in clip_store.find_fitting(armature)] == ["hop", "run", "walk"]
    assert not [block.name for block in bpy.data.user_map() if "aside" in block.name]
    if compat.has_slots():
        # so that Blender plays them when they are chosen in its own menus
        assert {s.name for a in bpy.data.actions for s in compat.slots(a)} == {armature.name}
    for path, expected in zip(paths, alone, strict=True):
        np.testing.assert_allclose(played(armature, path.stem), expected, rtol=0.0, atol=1e-5)
    assert np.ptp(alone[2], axis=0).max() > 0.5


@pytest.mark.parametrize("first", ["walk", "character"])
def test_the_character_is_that_of_the_file_with_a_skin(tmp_path: Path, first: str) -> None:
    write(tmp_path / "walk.glb", 0.2)
    write(tmp_path / "run.glb", 0.4)
    armature = character(skin=True)
    bpy.ops.export_scene.gltf(filepath=str(tmp_path / "character.glb"), export_animations=False)
    names = sorted(("walk", "run", "character"), key=lambda name: name != first)
    files.load([tmp_path / f"{name}.glb" for name in names])
    (armature,) = armatures()
    assert [action.name for action in bpy.data.actions] == ["run", "walk"]
    skins = [obj for obj in bpy.data.objects if any(m.type == "ARMATURE" for m in obj.modifiers)]
    assert [(skin.name, skin.modifiers[0].object) for skin in skins] == [("Skin", armature)]
    assert np.ptp(played(armature, "run"), axis=0).max() > 0.3


def test_files_of_other_skeletons_are_refused_and_of_other_rates_taken(tmp_path: Path) -> None:
    first = write(tmp_path / "walk.fbx", 0.2, skin=True)
    taller = write(tmp_path / "taller.fbx", 0.2, skin=True, height=1.5)
    with pytest.raises(InertiaError, match=r'"taller.fbx" has another skeleton than "walk.fbx": bone "B"'):
        files.load([first, taller])
    armature = character()
    bpy.context.scene.render.fps = 60
    made = clip("Clip", 0.2)
    files.save(tmp_path / "fast.fbx", armature, made.name, "OBRig" if compat.has_slots() else "")
    files.load([first, tmp_path / "fast.fbx"])
    assert bpy.context.scene.render.fps == 24
    start, end = bpy.data.actions["fast"].frame_range
    assert end - start == pytest.approx(20.0 * 24 / 60, abs=1e-3)


def test_a_file_without_an_armature_is_said(tmp_path: Path) -> None:
    first = write(tmp_path / "walk.glb", 0.2)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.context.collection.objects.link(bpy.data.objects.new("Rock", None))
    bpy.ops.export_scene.gltf(filepath=str(tmp_path / "rock.glb"))
    with pytest.raises(InertiaError, match=r'"rock.glb" has no armature; leave it out'):
        files.load([first, tmp_path / "rock.glb"])


@pytest.mark.data
def test_clips_of_one_name_bear_their_file_s_too(tmp_path: Path, data_dir: Path) -> None:
    for name in ("a", "b"):
        shutil.copy(data_dir / "glb" / "Fox.glb", tmp_path / f"{name}.glb")
    files.load([tmp_path / "a.glb"])
    single = sorted(action.name for action in bpy.data.actions)
    files.load([tmp_path / "a.glb", tmp_path / "b.glb"])
    expected = sorted(f"{file}: {name}" for file in ("a", "b") for name in single)
    assert sorted(action.name for action in bpy.data.actions) == expected
    (armature,) = armatures()
    here, there = (played(armature, f"{file}: {single[0]}") for file in ("a", "b"))
    np.testing.assert_allclose(here, there, rtol=0.0, atol=1e-4)


@pytest.mark.data
def test_real_clips_apart_from_their_character(tmp_path: Path, data_dir: Path) -> None:
    whole = data_dir / "glb" / "wild" / "KayKit_Rig_Medium.glb"
    clips = with_clips(
        whole, tmp_path / whole.name, lambda all_of_them: [name for name in all_of_them if "Walking_" in name]
    )
    files.load([clips])
    (armature,) = armatures()
    names = sorted(action.name for action in bpy.data.actions)
    assert len(names) > 1
    walking = next(name for name in names if "Walking_A" in name)
    alone = played(armature, walking)
    for action in list(bpy.data.actions):
        bpy.data.actions.remove(action)
    bpy.context.scene.frame_set(1)
    for bone in armature.pose.bones:
        bone.matrix_basis.identity()
    data = bpy.data.meshes.new("Body")
    data.from_pydata([(0, 0, 0), (1, 0, 0), (0, 0, 1)], [], [(0, 1, 2)])
    body = bpy.data.objects.new("Body", data)
    bpy.context.collection.objects.link(body)
    body.parent = armature
    body.modifiers.new("Armature", "ARMATURE").object = armature
    body.vertex_groups.new(name=armature.data.bones[0].name).add([0, 1, 2], 1.0, "REPLACE")
    bpy.ops.export_scene.gltf(filepath=str(tmp_path / "Barbarian.glb"), export_animations=False)
    files.load([tmp_path / "Barbarian.glb", clips])
    (armature,) = armatures()
    assert sorted(action.name for action in bpy.data.actions) == names
    np.testing.assert_allclose(played(armature, walking), alone, rtol=0.0, atol=1e-3)


BVH = """HIERARCHY
ROOT Hips
{{
OFFSET 0 0 0
CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
JOINT Spine
{{
OFFSET 0 {spine} 0
CHANNELS 3 Zrotation Xrotation Yrotation
End Site
{{
OFFSET 0 {end} 0
}}
}}
}}
MOTION
Frames: 2
Frame Time: 0.0333333
0 0 0 0 0 0 10 0 0
0 0 0 5 0 0 20 0 0
"""


@pytest.mark.parametrize(("spine", "is_same"), [(1.0046, True), (0.9954, True), (1.012, False)])
def test_recordings_of_one_person_are_one_skeleton(
    tmp_path: Path, fresh_file: None, spine: float, *, is_same: bool
) -> None:
    """Which are fitted anew each time: bones differ by half a hundredth of the size."""
    paths = [tmp_path / "walk.bvh", tmp_path / "run.bvh"]
    for path, length in zip(paths, (1.0, spine), strict=True):
        path.write_text(BVH.format(spine=length, end=0.2))
    if not is_same:
        with pytest.raises(InertiaError, match="another skeleton"):
            files.load(paths)
        return
    files.load(paths)
    assert sorted(action.name for action in bpy.data.actions) == ["run", "walk"]
    assert len(armatures()) == 1
