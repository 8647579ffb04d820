# SPDX-License-Identifier: GPL-3.0-or-later
"""A .blend with what a result needs and nothing else: it is opened, played, baked anew and measured."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender import files
from inertia_addon.blender.data import compat, recipe, recipe_reader
from inertia_addon.blender.data.rig import armatures
from inertia_addon.blender.files import exporting, framerate
from inertia_addon.blender.transition import bake
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders

HALVES = builders.sub_frames(1.0, 40.0, 0.5)


def clip(name: str, height: float, slot: str = "Rig") -> Any:
    made = builders.action(name, slot)
    for bone in ("A", "B"):
        points = [(frame, (0.9, 0.1 * (frame % 7), height, 0.0)) for frame in range(1, 31, 3)]
        builders.curves(made, builders.bone_path(bone, "rotation_quaternion"), points, slot=f"OB{slot}")
    made.use_fake_user = True
    return made


def add(name: str, data: Any = None) -> Any:
    made = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(made)
    return made


def picture(name: str, folder: Path) -> Any:
    """A red image in a file of its own."""
    made = bpy.data.images.new("made", 4, 4)
    made.generated_color = (1.0, 0.0, 0.0, 1.0)
    made.filepath_raw, made.file_format = str(folder / f"{name}.png"), "PNG"
    made.save()
    bpy.data.images.remove(made)
    loaded = bpy.data.images.load(str(folder / f"{name}.png"))
    loaded.name = name
    return loaded


def furnished(folder: Path) -> Any:
    """A scene as an animator has it, about a character with all that one may hang from; saved in a folder."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    armature = builders.rig({"A": None, "B": "A"})
    scene = bpy.context.scene
    framerate.set_scene(scene, 30000.0 / 1001.0)
    scene.frame_start, scene.frame_end = 3, 77
    scene.timeline_markers.new("step", frame=12)
    for name, height in (("Walk", 0.2), ("Run", 0.4), ("Jump", 0.1), ("Wave", 0.3)):
        clip(name, height)
    compat.assign(armature, bpy.data.actions["Wave"], compat.slots(bpy.data.actions["Wave"])[0].identifier)
    # what the character needs, each by another way
    add("Above").location.x = 2.0
    armature.parent = bpy.data.objects["Above"]
    follow = armature.pose.bones["B"].constraints.new("COPY_LOCATION")
    follow.target, follow.influence = add("Target"), 0.5
    armature.pose.bones["A"].custom_shape = bpy.data.objects.new("Shape", bpy.data.meshes.new("Shape"))
    skin = add("Skin", bpy.data.meshes.new("Skin"))
    skin.modifiers.new("Armature", "ARMATURE").object = armature
    material = bpy.data.materials.new("Skin")
    skin.data.materials.append(material)
    material.use_nodes = True
    packed, beside = (picture(name, folder) for name in ("packed", "beside"))
    packed.pack()
    (folder / "packed.png").unlink()
    for image in (packed, beside):
        material.node_tree.nodes.new("ShaderNodeTexImage").image = image
    # what it does not
    other = builders.rig({"A": None}, name="Other")
    compat.assign(other, clip("Others", 0.2, slot="Other"), "OBOther" if compat.has_slots() else "")
    add("Camera", bpy.data.cameras.new("Camera"))
    scene.camera = bpy.data.objects["Camera"]
    scene.world = bpy.data.worlds.new("World")
    bpy.data.scenes.new("Second").collection.objects.link(add("Elsewhere"))
    bpy.data.materials.new("Unused").use_fake_user = True
    for name, is_muted in (("silent", True), ("heard", False)):
        action = clip(name, 0.3)
        track = armature.animation_data.nla_tracks.new()
        track.mute = is_muted
        strip = track.strips.new(name, 100, action)
        if compat.has_slots():
            strip.action_slot = action.slots[0]
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "scene.blend"))
    beside.filepath = "//beside.png"
    return armature


def baked(armature: Any) -> Any:
    settings = TransitionSettings("Walk", "Run", 20.0, alignment="NONE", blend_frames=8.0)
    return bake.bake_transition(armature, settings)


def poses(armature: Any) -> Any:
    """Where the bones are at half frames, as Blender plays what is open (frames, bones, 4, 4)."""
    found = []
    for frame in HALVES:
        bpy.context.scene.frame_set(int(frame), subframe=float(frame % 1.0))
        shown = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        found.append([np.array(shown.matrix_world @ bone.matrix) for bone in shown.pose.bones])
    return np.array(found)


def keys(action: Any) -> dict[tuple[str, int], Any]:
    return {at: builders.key_data(curve) for at, curve in builders.by_address(action).items()}


@pytest.mark.parametrize("room", [0.0, 1e9])
def test_a_lean_file_is_one_to_go_on_with(tmp_path: Path, room: float) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    armature = furnished(tmp_path / "in")
    report = baked(armature)
    before, made = poses(armature), keys(bpy.data.actions[report.result])
    path = tmp_path / "out" / "made.blend"
    files.save(path, armature, report.result, report.slot, room=room)
    assert path.read_bytes().startswith(b"BLENDER") == (room > 0.0)
    assert [entry.name for entry in path.parent.iterdir()] == ["made.blend"]

    files.load([path])
    (armature,) = armatures()
    scene = bpy.context.scene
    assert [scene.name for scene in bpy.data.scenes] == ["Scene"]
    assert scene.render.fps / scene.render.fps_base == pytest.approx(30000.0 / 1001.0)
    assert (scene.frame_start, scene.frame_end) == (3, 77)
    assert [(marker.name, marker.frame) for marker in scene.timeline_markers] == [("step", 12)]
    assert {action.name for action in bpy.data.actions} == {"Walk", "Run", report.result, "heard"}
    assert {obj.name for obj in bpy.data.objects} == {"Above", "Target", "Shape", "Skin", "Rig"}
    assert {obj.name for obj in scene.objects} == {"Above", "Target", "Skin", "Rig"}
    assert not {"World", "Unused", "Camera"} & {
        block.name for kind in ("worlds", "materials", "cameras") for block in getattr(bpy.data, kind)
    }
    assert all(action.use_fake_user for action in bpy.data.actions)
    packed, beside = bpy.data.images["packed"], bpy.data.images["beside"]
    assert packed.packed_file is not None
    assert tuple(packed.pixels[:4]) == (1.0, 0.0, 0.0, 1.0)
    assert Path(bpy.path.abspath(beside.filepath)).resolve() == tmp_path / "in" / "beside.png"

    result = bpy.data.actions[report.result]
    assert compat.assigned(armature) == (result, report.slot)
    np.testing.assert_allclose(poses(armature), before, rtol=0.0, atol=1e-6)
    assert not recipe_reader.has_changed(result, armature)
    again = bake.bake_transition(
        armature,
        dataclasses.replace(recipe_reader.read_recipe(result, recipe.RECIPE).settings, result="Again"),
    )
    assert keys(bpy.data.actions[again.result]) == made


def test_a_lean_file_is_written_once_where_not_even_an_empty_one_has_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    armature = furnished(tmp_path)
    report = baked(armature)
    written: list[bool] = []
    save_blend = exporting.save_blend
    monkeypatch.setattr(
        exporting,
        "save_blend",
        lambda path, compress: (written.append(compress), save_blend(path, compress=compress)),
    )
    files.save(tmp_path / "made.blend", armature, report.result, report.slot, room=exporting.OWN_BYTES - 1.0)
    assert written == [True]


def test_a_linked_action_stays_linked_in_a_lean_file(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    furnished(tmp_path / "in")
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "in" / "shot.blend"))
    with bpy.data.libraries.load(str(tmp_path / "in" / "scene.blend"), link=True, relative=True) as (
        _,
        wanted,
    ):
        wanted.objects, wanted.actions = ["Rig"], ["Run", "Jump"]
    linked = bpy.data.objects["Rig"]
    bpy.context.scene.collection.objects.link(linked)
    armature = linked.override_create(remap_local_usages=True)
    armature.parent = None
    clip("Walk", 0.2)
    clip("Wave", 0.2)
    report = baked(armature)
    path = tmp_path / "out" / "made.blend"
    files.save(path, armature, report.result, report.slot, room=0.0)
    files.load([path])
    armature = next(obj for obj in armatures() if obj.library is None)
    (library,) = bpy.data.libraries
    assert library.filepath.startswith("//")
    assert Path(bpy.path.abspath(library.filepath)).resolve() == tmp_path / "in" / "scene.blend"
    assert {action.name for action in bpy.data.actions if action.library is None} == {"Walk", report.result}
    assert bpy.data.actions["Run"].library == library
    assert "Jump" not in bpy.data.actions
    result = bpy.data.actions[report.result]
    assert compat.assigned(armature) == (result, report.slot)
    assert recipe_reader.read_recipe(result, recipe.RECIPE).settings.destination_library == library.filepath
    assert not recipe_reader.has_changed(result, armature)


@pytest.mark.data
@pytest.mark.variants(1)
@pytest.mark.parametrize(
    ("file", "source", "destination"),
    [
        ("glb/RobotExpressive.glb", "Walking", "Running"),
        ("fbx/pab_locomotions.fbx", "Hips|walk|walk:BaseAnimation", "Hips|run|run:BaseAnimation"),
    ],
)
def test_real_characters_stay_small(
    tmp_path: Path, data_dir: Path, file: str, source: str, destination: str
) -> None:
    path = data_dir / file
    files.load([path])
    (armature,) = armatures()
    if source not in bpy.data.actions:
        # before Blender 4.4 the importer names an action after its object too
        source, destination = f"{source}_{armature.name}", f"{destination}_{armature.name}"
    report = bake.bake_transition(armature, TransitionSettings(source, destination, 10.0, feet="OFF"))
    size = path.stat().st_size
    files.save(tmp_path / "made.blend", armature, report.result, report.slot, room=1.5 * size)
    assert (tmp_path / "made.blend").stat().st_size <= 1.5 * size


@pytest.mark.skipif(not compat.has_slots(), reason="actions of this Blender have no slots")
@pytest.mark.parametrize("wanted", [False, True])
def test_armatures_that_play_the_result_too_stay_in_a_lean_file(
    tmp_path: Path, *, wanted: bool, fresh_file: None
) -> None:
    armature, foe = (builders.rig({"A": None, "B": "A"}, name=name) for name in ("Rig", "Foe"))
    held = bpy.data.objects.new("Sword", None)
    held.parent = foe
    bpy.context.collection.objects.link(held)
    for name, height in (("Walk", 0.2), ("Run", 0.4)):
        for slot in ("OBRig", "OBFoe"):
            made = bpy.data.actions.get(name) or builders.action(name)
            builders.wave(made, builders.bone_path("A", "location"), 0, height, slot=slot)
    settings = TransitionSettings("Walk", "Run", 15.0, 4.0, assign_others=wanted)
    report = bake.bake_transition(armature, settings)
    files.save(tmp_path / "made.blend", armature, report.result, report.slot, room=1e9)
    files.load([tmp_path / "made.blend"])
    assert set(bpy.data.objects.keys()) == ({"Rig", "Foe", "Sword"} if wanted else {"Rig"})
    if wanted:
        assert compat.assigned(bpy.data.objects["Foe"]) == (bpy.data.actions[report.result], "OBFoe")
