# SPDX-License-Identifier: GPL-3.0-or-later
"""Animation files in and out: what is written shows the same poses when it is read again."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender import files
from inertia_addon.blender.data import compat
from inertia_addon.blender.data.rig import armatures
from inertia_addon.blender.files import bvh, bvh_text, framerate, importing
from inertia_addon.blender.transition.bake import bake_transition
from inertia_addon.blender.transition.report import BakeReport
from inertia_addon.errors import InertiaError
from inertia_addon.settings.transition import TransitionSettings
from inertia_addon.storage import safe_write
from inertia_addon.storage.file_kinds import GLTF, USD

EXPORTS = (".bvh", ".glb", ".gltf", ".fbx", ".usda", ".usdc", ".usdz")

CHARACTERS = {
    "fox": (("glb/Fox.glb",), "Walk", "Run", 10),
    "robot": (("glb/RobotExpressive.glb",), "Walking", "Running", 10),
    "pab": (("fbx/pab_locomotions.fbx",), "Hips|walk|walk:BaseAnimation", "Hips|run|run:BaseAnimation", 20),
    "cmu": (
        ("bvh/cmu127/cmu127_03_run.bvh", "bvh/cmu127/cmu127_06_run.bvh"),
        "cmu127_03_run",
        "cmu127_06_run",
        100,
    ),
}


def joints(armature: Any, frames: Iterable[int]) -> dict[str, Any]:
    """The heads of all bones as Blender shows them (frames, 3), by name."""
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        shown = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        heads = np.empty(3 * len(shown.pose.bones), np.float32)
        shown.pose.bones.foreach_get("head", heads)
        world = np.array(shown.matrix_world)
        found.append(heads.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3])
    names = [re.sub(r"\W", "_", name) for name in armature.pose.bones.keys()]
    return dict(zip(names, np.array(found).transpose(1, 0, 2), strict=True))


def frames_of(armature: Any) -> tuple[int, int]:
    action, _ = compat.assigned(armature)
    first, last = action.curve_frame_range
    return round(first), math.ceil(last - 1e-3)


def bake(data: Path, character: str) -> tuple[Any, Any]:
    paths, source, destination, cut = CHARACTERS[character]
    files.load([data / path for path in paths])
    (armature,) = armatures()
    if source not in bpy.data.actions:
        # before Blender 4.4 the importer names an action after its object too
        source, destination = f"{source}_{armature.name}", f"{destination}_{armature.name}"
    return armature, bake_transition(armature, TransitionSettings(source, destination, cut, feet="OFF"))


@dataclasses.dataclass(frozen=True)
class Baked:
    """A character with its transition, in a file, and where its joints are some frames after the first."""

    character: str
    path: Path
    report: BakeReport
    rate: float
    first: int
    last: int
    later: NDArray[np.int_]
    places: dict[str, Any]


@pytest.fixture(scope="module", params=CHARACTERS)
def baked(request: pytest.FixtureRequest, data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Baked:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    armature, report = bake(data_dir, request.param)
    rate = bpy.context.scene.render.fps / bpy.context.scene.render.fps_base
    first, last = frames_of(armature)
    later = np.unique(np.linspace(0, last - first, 25).astype(int))
    path = tmp_path_factory.mktemp("baked") / "baked.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    places = joints(armature, (first + later).tolist())
    return Baked(request.param, path, report, rate, first, last, later, places)


@pytest.mark.data
@pytest.mark.variant_of("tests/blender/files/test_files.py::test_an_object_that_is_turned_scaled_and_moved")
@pytest.mark.parametrize("kind", EXPORTS)
def test_a_written_file_is_read_again(baked: Baked, tmp_path: Path, kind: str) -> None:
    bpy.ops.wm.open_mainfile(filepath=str(baked.path))
    (armature,) = armatures()
    files.save(tmp_path / f"out{kind}", armature, baked.report.result, baked.report.slot)

    # not every Blender can read the rate of every kind, see test_usd.py
    files.load([tmp_path / f"out{kind}"], fps=baked.rate if kind in USD else None)
    (again,) = armatures()
    assert bpy.context.scene.render.fps / bpy.context.scene.render.fps_base == pytest.approx(baked.rate)
    begin, end = frames_of(again)
    # Blender's FBX importer adds a frame to the file's time
    own = dict.fromkeys(USD, baked.first)
    assert begin == {".bvh": 1, ".fbx": baked.first + 1, **own}.get(kind, 0)
    assert end - begin == baked.last - baked.first
    before, after = baked.places, joints(again, (begin + baked.later).tolist())
    assert set(before) <= set(after)
    size = max(np.linalg.norm(np.ptp(places, axis=0)) for places in before.values())
    size = max(size, float(np.linalg.norm(np.ptp([places[0] for places in before.values()], axis=0))))
    # Blender's FBX importer turns the tiny root bone of this skeleton by half a thousandth
    tolerance = 1e-3 if (baked.character, kind) == ("cmu", ".fbx") else 1e-4
    for name, places in before.items():
        assert np.abs(after[name] - places).max() < tolerance * size, name


@pytest.mark.data
@pytest.mark.variants(1)
@pytest.mark.parametrize("kind", EXPORTS)
def test_an_export_leaves_the_file_as_it_was(
    fresh_file: None, data_dir: Path, tmp_path: Path, kind: str
) -> None:
    armature, report = bake(data_dir, "fox")
    survey = next(action for action in bpy.data.actions if action.name.startswith("Survey"))
    compat.assign(armature, survey, compat.slots(survey)[0].identifier)
    track = armature.animation_data.nla_tracks.new()
    track.strips.new("strip", 1, survey)
    armature.hide_viewport = True
    armature.data.pose_position = "REST"
    bpy.context.scene.frame_set(7)
    names = {
        key: sorted(block.name for block in getattr(bpy.data, key))
        for key in ("scenes", "actions", "objects")
    }
    files.save(tmp_path / f"out{kind}", armature, report.result, report.slot)
    for key, before in names.items():
        assert sorted(block.name for block in getattr(bpy.data, key)) == before
    assert compat.assigned(armature) == (survey, compat.slots(survey)[0].identifier)
    assert (armature.hide_viewport, armature.data.pose_position) == (True, "REST")
    assert armature.animation_data.use_nla
    assert bpy.context.scene.frame_current == 7
    # the hidden armature at rest was written moving all the same
    files.load([tmp_path / f"out{kind}"])
    (again,) = armatures()
    begin, end = frames_of(again)
    assert max(np.ptp(places, axis=0).max() for places in joints(again, range(begin, end + 1)).values()) > 1.0


@pytest.mark.data
def test_gltf_clips_come_as_actions_without_tracks(fresh_file: None, data_dir: Path) -> None:
    files.load([data_dir / "glb" / "RobotExpressive.glb"])
    assert bpy.context.scene.render.fps == 24
    for blocks in (bpy.data.objects, bpy.data.shape_keys):
        for block in blocks:
            animation = block.animation_data
            assert animation is None or len(animation.nla_tracks) == 0
            assert animation is None or animation.action is None or block.type == "ARMATURE"
    assert len(bpy.data.actions) >= 14
    assert all(action.use_fake_user for action in bpy.data.actions)


@pytest.mark.data
@pytest.mark.parametrize(
    ("file", "rate"), [("Fox", 24.0), ("RobotExpressive", 24.0), ("KayKit_Knight", 30.0)]
)
def test_the_rate_of_real_keys(data_dir: Path, file: str, rate: float) -> None:
    assert framerate.of_key_times(framerate.gltf_key_times(data_dir / "glb" / f"{file}.glb")) == rate


@pytest.mark.data
def test_bvh_files_keep_their_units_unless_told(fresh_file: None, data_dir: Path) -> None:
    path = data_dir / "bvh" / "cmu127" / "cmu127_06_run.bvh"
    heights = []
    for scale in (1.0, 0.01):
        files.load([path], scale=scale)
        (armature,) = armatures()
        heights.append(armature.data.bones["head"].tail_local.z - armature.data.bones["ltoes"].tail_local.z)
    assert heights[0] == pytest.approx(100.0 * heights[1], rel=1e-4)
    assert (bpy.context.scene.render.fps, bpy.context.scene.render.fps_base) == (120, 1.0)
    assert (bpy.context.scene.frame_start, bpy.context.scene.frame_end) == (1, 173)


@pytest.mark.data
def test_further_bvh_files_leave_only_their_actions(fresh_file: None, data_dir: Path) -> None:
    folder = data_dir / "bvh" / "cmu127"
    files.load([folder / f"cmu127_{name}.bvh" for name in ("06_run", "07_run")])
    (armature,) = armatures()
    assert [data.name for data in bpy.data.armatures] == [armature.data.name]
    action = bpy.data.actions["cmu127_07_run"]
    (slot,) = compat.slots(action)
    assert slot.identifier in ("", "OB" + armature.name)
    compat.assign(armature, action, slot.identifier)
    places = joints(armature, range(1, 140, 20))
    assert np.ptp(places["root"], axis=0).max() > 100.0


def build(tmp_path: Path, first: int = 1, last: int = 25) -> Any:
    """Two bones that swing, under an object that is turned and scaled; one action."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    data = bpy.data.armatures.new("Rig")
    armature = bpy.data.objects.new("Rig", data)
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    upper, lower = data.edit_bones.new("Upper arm"), data.edit_bones.new("Lower")
    upper.head, upper.tail = (0, 0, 0), (0, 0.5, 1)
    lower.head, lower.tail, lower.parent = (0, 0.5, 1), (0, 0, 2), upper
    bpy.ops.object.mode_set(mode="OBJECT")
    armature.location, armature.rotation_euler, armature.scale = (1, 2, 3), (0.3, 0.2, 0.9), (2, 2, 2)
    for frame in range(first, last + 1):
        for i, bone in enumerate(armature.pose.bones):
            bone.rotation_mode = "YZX"
            bone.rotation_euler = (0.1 * frame, math.sin(0.3 * frame + i), 0.2)
            bone.keyframe_insert("rotation_euler", frame=frame)
        armature.pose.bones[1].location = (0.1 * math.sin(frame), 0, 0)
        armature.pose.bones[1].keyframe_insert("location", frame=frame)
        armature.location.x = 0.1 * frame
        armature.keyframe_insert("location", frame=frame)
    return armature


@pytest.mark.variants(5)
@pytest.mark.parametrize("kind", EXPORTS)
def test_an_object_that_is_turned_scaled_and_moved(tmp_path: Path, kind: str) -> None:
    armature = build(tmp_path)
    before = joints(armature, range(1, 26))
    action, slot = compat.assigned(armature)
    files.save(tmp_path / f"out{kind}", armature, action.name, slot)
    files.load([tmp_path / f"out{kind}"], fps=24.0 if kind in GLTF + USD else None)
    (again,) = armatures()
    begin, end = frames_of(again)
    after = joints(again, range(begin, end + 1))
    for name, places in before.items():
        assert np.abs(after[name] - places).max() < 1e-4, name


@pytest.mark.variants(2)
@pytest.mark.parametrize("rate", [24000.0 / 1001.0, 24.0, 120.0])
def test_gltf_times_are_seconds(tmp_path: Path, rate: float) -> None:
    armature = build(tmp_path)
    framerate.set_scene(bpy.context.scene, rate)
    action, slot = compat.assigned(armature)
    files.save(tmp_path / "out.glb", armature, action.name, slot)
    times = framerate.gltf_key_times(tmp_path / "out.glb")
    assert min(t[0] for t in times) == 0.0
    assert max(t[-1] for t in times) == pytest.approx(24.0 / rate, rel=1e-6)
    assert framerate.of_key_times(times) == pytest.approx(rate)
    files.load([tmp_path / "out.glb"])
    (again,) = armatures()
    assert compat.assigned(again)[0].curve_frame_range[1] == pytest.approx(24.0, abs=1e-3)


def test_keys_in_compressed_gltf_are_not_taken_as_they_lie(tmp_path: Path) -> None:
    """Extensions such as meshopt say how a view is compressed; what is in its buffer are no times then."""
    view = {"buffer": 0, "byteLength": 8}
    document = {
        "asset": {"version": "2.0"},
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR"}],
        "animations": [{"samplers": [{"input": 0}], "channels": []}],
        "bufferViews": [view],
        "buffers": [{"byteLength": 8, "uri": "data:application/octet-stream;base64,AAAAAAAAgD8="}],
    }
    path = tmp_path / "clip.gltf"
    path.write_text(json.dumps(document), encoding="utf-8")
    (times,) = framerate.gltf_key_times(path)
    assert times.tolist() == [0.0, 1.0]
    view["extensions"] = {"EXT_meshopt_compression": {}}
    path.write_text(json.dumps(document), encoding="utf-8")
    assert framerate.gltf_key_times(path) == []


def test_frames_before_zero(tmp_path: Path) -> None:
    armature = build(tmp_path, first=-5)
    action, slot = compat.assigned(armature)
    for kind in (".glb", ".gltf", ".fbx"):
        with pytest.raises(InertiaError, match="begins at frame -5"):
            files.save(tmp_path / f"out{kind}", armature, action.name, slot)
    before = joints(armature, range(-5, 26))
    files.save(tmp_path / "out.bvh", armature, action.name, slot)
    assert [path.name for path in tmp_path.iterdir()] == ["out.bvh"]
    files.load([tmp_path / "out.bvh"])
    (again,) = armatures()
    after = joints(again, range(1, 32))
    assert all(np.abs(after[name] - places).max() < 1e-4 for name, places in before.items())


def test_a_bvh_file_has_few_position_channels(tmp_path: Path) -> None:
    armature = build(tmp_path)
    action, slot = compat.assigned(armature)
    files.save(tmp_path / "out.bvh", armature, action.name, slot)
    lines = [line.strip() for line in (tmp_path / "out.bvh").read_text().splitlines()]
    assert lines[:2] == ["HIERARCHY", "ROOT Upper_arm"]
    channels = [line for line in lines if line.startswith("CHANNELS")]
    assert channels == ["CHANNELS 6 Xposition Yposition Zposition Yrotation Zrotation Xrotation"] * 2
    assert "Frames: 25" in lines
    assert bvh_text.frame_rate(tmp_path / "out.bvh") == 24.0


def test_joints_whose_names_differ_in_spaces_alone_get_names_of_their_own() -> None:
    names = ["left arm", "left_arm", " left  arm", "left_arm_1", " "]
    found = bvh._make_unique_names(names)
    assert found[:3] == ["left_arm", "left_arm_1", "left_arm_2"]
    assert len({*found}) == len(names)
    assert not any(" " in name or not name for name in found)


def test_relative_paths_are_right_in_another_folder(tmp_path: Path) -> None:
    armature = build(tmp_path)
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "in" / "a.blend"))
    image = bpy.data.images.new("picture", 4, 4)
    image.filepath_raw, image.file_format = "//picture.png", "PNG"
    image.save()
    image.use_fake_user = True
    action, slot = compat.assigned(armature)
    files.save(tmp_path / "out" / "b.blend", armature, action.name, slot)
    assert image.filepath == "//picture.png"
    files.load([tmp_path / "out" / "b.blend"])
    found = Path(bpy.path.abspath(bpy.data.images["picture"].filepath)).resolve()
    assert found == tmp_path / "in" / "picture.png"
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["b.blend"]


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("0.0083333", 120.0),
        ("0.008333", 120.0),
        ("0.00833333", 120.0),
        (".0333333", 30.0),
        ("0.033333", 30.0),
        ("0.033367", 30000.0 / 1001.0),
        ("0.041667", 24.0),
        ("0.0417", 24.0),
        ("0.041708", 24000.0 / 1001.0),
        ("0.0166667", 60.0),
        ("0.04", 25.0),
        ("0.01", 100.0),
        ("1", 1.0),
        ("8.33333e-03", 120.0),
        ("0.0769231", 13.0),
        ("0.0733000", 1.0 / 0.0733),
    ],
)
def test_a_frame_time_tells_the_rate(text: str, rate: float) -> None:
    assert framerate.of_frame_time(text) == pytest.approx(rate, rel=1e-9)


@pytest.mark.parametrize("text", ["0", "-0.01", "nan", "inf", "fast"])
def test_frame_times_that_are_none(text: str) -> None:
    with pytest.raises(InertiaError, match="frame time"):
        framerate.of_frame_time(text)


@pytest.mark.parametrize("rate", [24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 100.0, 120.0, *framerate.BROADCAST])
def test_times_of_keys_tell_the_rate(rate: float) -> None:
    times = [np.arange(0, 60) / rate, np.arange(10, 40, 2) / rate]
    assert framerate.of_key_times([t.astype(np.float32).astype(float) for t in times]) == rate


def test_key_times_that_say_nothing() -> None:
    assert framerate.of_key_times([]) == 30.0
    assert framerate.of_key_times([np.array([0.0, 1.0, 2.0])]) == 30.0
    assert framerate.of_key_times([np.sqrt(np.arange(50.0))]) == 30.0


def test_a_rate_that_is_not_whole(fresh_file: None) -> None:
    scene = bpy.context.scene
    framerate.set_scene(scene, 24000.0 / 1001.0)
    assert (scene.render.fps, scene.render.fps_base) == (24, pytest.approx(1.001))


def test_companions_move_together_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "a.gltf"
    target.write_text("old")
    (tmp_path / "a.bin").write_text("old bin")

    def write(folder: Path) -> None:
        folder.write_text("new")
        folder.with_name("a.bin").write_text("new bin")
        (folder.parent / "a_textures").mkdir()
        (folder.parent / "a_textures" / "x.png").write_text("new x")

    def everything() -> dict[str, str]:
        return {str(p.relative_to(tmp_path)): p.read_text() for p in tmp_path.rglob("*") if p.is_file()}

    def save() -> None:
        with safe_write.replace_with_companions(target) as path:
            write(path)

    replace = Path.replace

    def fail(path: Path, to: Path) -> Path:
        if path.name == "a.gltf" and "new" in path.parts:
            raise OSError(28, "No space left on device")
        return replace(path, to)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", fail)
        with pytest.raises(InertiaError, match="could not be written: No space"):
            save()
    assert everything() == {"a.gltf": "old", "a.bin": "old bin"}
    save()
    assert everything() == {"a.gltf": "new", "a.bin": "new bin", "a_textures/x.png": "new x"}


@pytest.mark.parametrize("way", [safe_write.replace_safely, safe_write.replace_with_companions])
def test_a_file_that_takes_its_name_is_on_the_disk(
    way: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settled: set[tuple[int, int]] = set()
    moved = []
    replace = Path.replace

    def fsync(descriptor: int) -> None:
        found = os.fstat(descriptor)
        settled.add((found.st_ino, found.st_size))

    def take(path: Path, to: Path) -> Path:
        found = path.stat()
        moved.append((path.name, (found.st_ino, found.st_size) in settled))
        return replace(path, to)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(Path, "replace", take)
    with way(tmp_path / "a.gltf") as path:
        path.write_text("new")
        if way is safe_write.replace_with_companions:
            path.with_name("a.bin").write_text("new bin")
    assert moved
    assert all(was_settled for _, was_settled in moved)
    assert (tmp_path / "a.gltf").read_text() == "new"


def test_a_link_goes_on_leading_to_what_is_replaced(tmp_path: Path) -> None:
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("old")
    link.symlink_to(real)
    with safe_write.replace_safely(link) as path:
        path.write_text("new")
    assert link.is_symlink()
    assert real.read_text() == "new"


def test_a_file_that_was_not_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InertiaError, match="was not written"), safe_write.replace_safely(tmp_path / "a.txt"):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("report", "said"),
    [
        ("Error: Cannot read file: No such file\n", "Cannot read file: No such file"),
        (
            "Error: Python: Traceback (most recent call last):\n  File x, line 1, in y\n"
            "IndexError: list index out of range\nLocation: somewhere\n",
            "Blender's add-on failed with IndexError: list index out of range",
        ),
        (
            "Error: Python: Traceback (most recent call last):\n  File x, line 1, in y\n"
            "OSError: [Errno 28] No space left on device\nLocation: somewhere\n",
            "No space left on device",
        ),
        (
            "Error: Python: Traceback (most recent call last):\n  File x, line 1, in y\n    assert x\n"
            "AssertionError\nLocation: somewhere\n",
            "Blender's add-on failed with AssertionError",
        ),
        ("", "Blender gave no reason"),
    ],
)
def test_reports_become_reasons(report: str, said: str) -> None:
    assert importing.reason(report) == said


@pytest.mark.variants(1)
@pytest.mark.parametrize("suffix", [".vrm", ".vrma", ".VRM"])
def test_a_gltf_file_by_another_name_is_read_as_it(tmp_path: Path, data_dir: Path, suffix: str) -> None:
    path = tmp_path / f"fox{suffix}"
    path.write_bytes((data_dir / "glb" / "Fox.glb").read_bytes())
    files.load([path])
    assert {"Survey", "Walk", "Run"} <= {action.name.removesuffix("_root") for action in bpy.data.actions}
    assert bpy.context.scene.render.fps == 24


def test_compression_that_can_not_be_read_is_named(tmp_path: Path) -> None:
    draco = {"KHR_draco_mesh_compression": {"bufferView": 0, "attributes": {"POSITION": 0}}}
    document = {
        "asset": {"version": "2.0"},
        "extensionsUsed": [*draco],
        "extensionsRequired": [*draco],
        "buffers": [{"uri": "none.bin", "byteLength": 4}],
        "bufferViews": [{"buffer": 0, "byteLength": 4}],
        "accessors": [{"componentType": 5126, "count": 3, "type": "VEC3"}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "extensions": draco}]}],
        "nodes": [{"mesh": 0}],
        "scenes": [{"nodes": [0]}],
        "scene": 0,
    }
    path = tmp_path / "packed.gltf"
    path.write_text(json.dumps(document))
    with pytest.raises(InertiaError, match="is compressed with Draco"):
        files.load([path])


def test_a_gltf_that_can_not_be_parsed_is_damaged_whatever_it_is_compressed_with(tmp_path: Path) -> None:
    path = tmp_path / "torn.gltf"
    path.write_text('{"asset": {"version": "2.0"}, "extensionsUsed": ["\\q"]}')
    for fps in (None, 6.0):
        with pytest.raises(InertiaError):
            files.load([path], fps=fps)
