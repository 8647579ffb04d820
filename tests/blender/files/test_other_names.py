# SPDX-License-Identifier: GPL-3.0-or-later
"""Downloads of one rig whose bones bear other prefixes, or of which one has a few bones more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender import files
from inertia_addon.blender.data import clip_store, compat, rig
from inertia_addon.blender.data.rig import armatures
from inertia_addon.blender.files import inventory
from inertia_addon.errors import InertiaError
from tests.blender import builders

PLACES = {
    **{"Top": (0, 0, 0), "Hips": (0, 0, 1), "Spine": (0, 0, 1.2), "Head": (0, 0, 1.7), "Wheel": (0, 0, 0.3)},
    **{"LeftArm": (0.2, 0, 1.6), "Twist": (0.4, 0, 1.6), "LeftHand": (0.6, 0, 1.6), "Finger": (0.7, 0, 1.6)},
    **{"Axle": (0, 0, 0.2), "Door": (0.5, 0, 0.5)},
}
BODY = {"Hips": None, "Spine": "Hips", "Head": "Spine", "LeftArm": "Spine", "LeftHand": "LeftArm"}
FRAMES = builders.sub_frames(1.0, 11.0, 0.5)
NAMES: dict[str, Callable[[str], str]] = {
    "walk": lambda name: name,
    "run": lambda name: f"x1:{name}",
    "hop": lambda name: f"mixamorig_{name.replace('Left', 'left_')}",
}


def write(
    path: Path, rename: Callable[[str], str], swing: float, bones: Mapping[str, str | None] = BODY
) -> Path:
    """A file with one clip of a skinned character, in which each bone turns and the hips go."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    armature = builders.rig({rename(name): above and rename(above) for name, above in bones.items()})
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for name in bones:
        bone, (x, y, z) = armature.data.edit_bones[rename(name)], PLACES[name]
        bone.use_connect = False
        bone.head, bone.tail = (x, y, z), (x, y, z + 0.1)
    bpy.ops.object.mode_set(mode="OBJECT")
    data = bpy.data.meshes.new("Skin")
    data.from_pydata([(0, 0, 0), (1, 0, 0), (0, 0, 1)], [], [(0, 1, 2)])
    worn = bpy.data.objects.new("Skin", data)
    bpy.context.collection.objects.link(worn)
    worn.parent = armature
    worn.modifiers.new("Armature", "ARMATURE").object = armature
    worn.vertex_groups.new(name=rename("Hips")).add([0, 1, 2], 1.0, "REPLACE")
    made = builders.action("Clip")
    for i, bone in enumerate(bones):
        turns = [(f, (1.0, swing * np.sin(f / 2.0 + i), 0.1 * i, 0.0)) for f in range(1, 12)]
        builders.curves(made, builders.bone_path(rename(bone), "rotation_quaternion"), turns)
    places = [(frame, (0.1 * frame, 0.0, swing)) for frame in range(1, 12)]
    builders.curves(made, builders.bone_path(rename("Hips"), "location"), places)
    files.save(path, armature, made.name, "OBRig" if compat.has_slots() else "")
    return path


def played(name: str, called: Callable[[str], str]) -> Any:
    """Where the bones of the body are in a clip, and their sides (frames, 2 x bones, 3)."""
    (armature,) = armatures()
    action = bpy.data.actions[name]
    compat.assign(armature, action, next((s.identifier for s in compat.slots(action)), ""))
    found = []
    for frame in FRAMES:
        bpy.context.scene.frame_set(int(frame), subframe=float(frame % 1.0))
        shown = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        matrices = [np.array(shown.matrix_world @ shown.pose.bones[called(bone)].matrix) for bone in BODY]
        found.append([matrix[:3, 3] for matrix in matrices] + [matrix[:3, 0] for matrix in matrices])
    return np.array(found)


@pytest.mark.variants(2)
@pytest.mark.parametrize("kind", [".glb", ".bvh", ".fbx", ".usda"])
def test_three_downloads_are_one_character(tmp_path: Path, kind: str) -> None:
    paths, alone = [], []
    for swing, (name, rename) in zip((0.2, 0.4, 0.6), NAMES.items(), strict=True):
        paths.append(write(tmp_path / f"{name}{kind}", rename, swing))
        files.load([paths[-1]])
        # USD allows no colon in a name
        own = dict(zip(BODY, armatures()[0].data.bones.keys(), strict=True))
        alone.append(played(bpy.data.actions[0].name, own.__getitem__))
    notes = files.load(paths)
    (character,) = inventory.of_file()["armatures"]
    assert [action["name"] for action in character["actions"]] == ["hop", "run", "walk"]
    assert len(notes) == 2
    assert '"run' in notes[0]
    assert "treated as the same" in notes[0]
    for name, expected in zip(NAMES, alone, strict=True):
        np.testing.assert_allclose(played(name, str), expected, rtol=0.0, atol=2e-5)
    assert np.ptp(alone[2], axis=0).max() > 0.5


TWISTED = {
    **{"Top": None, "Hips": "Top", "Spine": "Hips", "Head": "Spine", "LeftArm": "Spine"},
    **{"Twist": "LeftArm", "LeftHand": "Twist", "Finger": "LeftHand"},
}


@pytest.mark.variants(1)
@pytest.mark.parametrize("kind", [".glb", ".bvh"])
def test_bones_that_the_character_lacks(tmp_path: Path, kind: str) -> None:
    """What is in between moves what hangs from it; what only ends there is left out, and said."""
    first = write(tmp_path / f"walk{kind}", str, 0.2)
    other = write(tmp_path / f"run{kind}", NAMES["run"], 0.4, TWISTED)
    files.load([other])
    expected = played(bpy.data.actions[0].name, NAMES["run"])
    notes = files.load([first, other])
    (left_out,) = [note for note in notes if "left out" in note]
    assert '"x1:Finger"' in left_out
    assert "Twist" not in left_out
    (armature,) = armatures()
    paths = [path for path, _ in clip_store.read(armature, bpy.data.actions["run"]).curves]
    assert {rig.split_path(path)[0] for path in paths} == {*BODY}
    # importers turn the axes of bones that end elsewhere; on whole frames all is exact
    moved = played("run", str)[::2]
    np.testing.assert_allclose(moved[:, : len(BODY)], expected[::2, : len(BODY)], rtol=0.0, atol=2e-4)
    turned, turned_alone = (
        np.einsum("fbi,bi->fb", sides, sides[0])
        for sides in (moved[:, len(BODY) : -1], expected[::2, len(BODY) : -1])
    )
    np.testing.assert_allclose(turned, turned_alone, rtol=0.0, atol=1e-3)


@pytest.mark.variants(1)
def test_a_character_with_more_bones_takes_the_clip(tmp_path: Path) -> None:
    first = write(tmp_path / "walk.glb", str, 0.2, {**BODY, "Finger": "LeftHand"})
    other = write(tmp_path / "run.glb", NAMES["run"], 0.4)
    files.load([other])
    expected = played(bpy.data.actions[0].name, NAMES["run"])
    notes = files.load([first, other])
    assert any('lacks bones of "walk.glb"' in note and '"Finger"' in note for note in notes)
    np.testing.assert_allclose(played("run", str), expected, rtol=0.0, atol=2e-5)


@pytest.mark.variants(1)
def test_files_of_other_skeletons_stay_refused(tmp_path: Path) -> None:
    first = write(tmp_path / "walk.glb", str, 0.2)
    other = write(
        tmp_path / "run.glb", str, 0.2, {"Hips": None, "Wheel": "Hips", "Axle": "Hips", "Door": "Hips"}
    )
    with pytest.raises(
        InertiaError, match=r'"run\.glb" has another skeleton than "walk\.glb": it lacks bone'
    ):
        files.load([first, other])
