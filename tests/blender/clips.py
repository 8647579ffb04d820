# SPDX-License-Identifier: GPL-3.0-or-later
"""Real motion in Blender, and what Blender itself makes of an action: the reference for bakes."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from inertia_addon.blender.data import unkeyed

Array = NDArray[np.float64]

SETS = ("Fox", "RobotExpressive", "Knight", "pab", "cmu127", "cmu02", "cmu131")

TAKES: dict[str, tuple[str, ...]] = {
    "cmu127": tuple(f"{n:02d}" for n in (1, 3, 5, 9, 12, 13, 15, 17, 18, 19, 20, 23, 26, 29, 32, 34)),
    "Knight": (
        *("1H_Melee_Attack_Chop", "1H_Ranged_Reload", "2H_Melee_Attack_Spin", "2H_Melee_Idle"),
        *("2H_Ranged_Aiming", "Block", "Cheer", "Death_A", "Death_B_Pose", "Dodge_Left", "Hit_A", "Idle"),
        *("Jump_Full_Long", "Jump_Land", "Lie_Down", "PickUp", "Running_A", "Running_Strafe_Right"),
        *("Sit_Chair_Idle", "Sit_Floor_StandUp", "Spellcast_Raise", "T-Pose", "Use_Item", "Walking_A"),
        "Walking_Backwards",
    ),
}
"""Takes of a set that stand for all of them: idling, walks, runs, turns, stops, jumps, a roll, poses ..."""
LONGEST = 450
"""... and so many of their first frames."""
FEW: dict[str, tuple[str, ...]] = {
    "cmu02": ("01", "03", "05"),
    "cmu131": ("01",),
    "cmu127": tuple(f"{n:02d}" for n in (1, 3, 5, 9, 13, 15, 17, 29, 32)),
    "Knight": (
        *("1H_Melee_Attack_Chop", "Idle", "Jump_Full_Long", "Running_A", "Walking_A", "Walking_Backwards"),
    ),
}
"""Those of them that a run of some variants has to do with."""

kept: Path | None = None
"""The folder where sets are kept as they were imported, which takes seconds; none keeps nothing."""
is_whole = True
"""Whether sets have all of their takes, and all frames of these."""
are_few = False
"""Whether they have fewer takes than else."""


def load(name: str, data: Path, *, keep_meshes: bool = False) -> tuple[Any, list[str]]:
    """A set of real clips: the armature and the names of its actions, in a fresh file."""
    if kept is None or keep_meshes:
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        armature = _load(name, data, keep_meshes=keep_meshes)
    else:
        armature = _reload(name, data, kept / f"{name}.blend")
    return armature, [a.name for a in bpy.data.actions if animates(a, armature)]


def taken(name: str) -> tuple[str, ...] | None:
    """The takes of a set that are imported, None for all of them."""
    return None if is_whole else (FEW if are_few else TAKES).get(name)


def _reload(name: str, data: Path, file: Path) -> Any:
    """What an import made, read from the file that keeps it, which Blender does not take for opened."""
    if not file.exists():
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        armature = _load(name, data, keep_meshes=False)
        bpy.context.scene["armature"] = armature
        for action in bpy.data.actions:
            action.use_fake_user = True  # or else it is not saved
        # another process may be at the same
        own = file.with_suffix(f".{os.getpid()}.blend")
        bpy.ops.wm.save_as_mainfile(filepath=str(own), copy=True, compress=False)
        own.replace(file)
    bpy.ops.wm.read_homefile(filepath=str(file), load_ui=False)
    return bpy.context.scene.pop("armature")


def _load(name: str, data: Path, *, keep_meshes: bool) -> Any:
    bpy.context.scene.render.fps = 24 if name == "Fox" else 30
    if name in ("Fox", "RobotExpressive", "Knight"):
        file = {"Knight": "KayKit_Knight"}.get(name, name)
        path, chosen = data / "glb" / f"{file}.glb", taken(name)
        with unkeyed.note_newcomers(), tempfile.TemporaryDirectory() as own:
            if chosen:
                path = with_clips(path, Path(own) / path.name, lambda names: chosen)
            bpy.ops.import_scene.gltf(filepath=str(path))
        armature = next(o for o in bpy.data.objects if o.type == "ARMATURE")
    elif name == "pab":
        armature = _load_pab(data / "fbx")
    else:
        armature = _load_bvh(data / "bvh" / name)
    if not keep_meshes:
        # skinning would cost more than all else here, and each take came with an armature that plays it
        for thing in [o for o in bpy.data.objects if o != armature]:
            bpy.data.objects.remove(thing)
    animation = armature.animation_data
    for track in list(animation.nla_tracks):
        animation.nla_tracks.remove(track)
    animation.action = None
    return armature


def with_clips(file: Path, to: Path, choose: Callable[[list[str]], Collection[str]]) -> Path:
    """A .glb file with some of its clips, by name."""
    data = file.read_bytes()
    end = 20 + int.from_bytes(data[12:16], "little")
    held = json.loads(data[20:end])
    chosen = choose([clip["name"] for clip in held["animations"]])
    held["animations"] = [clip for clip in held["animations"] if clip["name"] in chosen]
    text = json.dumps(held).encode()
    text += b" " * (-len(text) % 4)
    sizes = [size.to_bytes(4, "little") for size in (20 + len(text) + len(data) - end, len(text))]
    to.write_bytes(data[:8] + sizes[0] + sizes[1] + data[16:20] + text + data[end:])
    return to


def _load_pab(folder: Path) -> Any:
    first = None
    for file in ("pab_locomotions.fbx", "pab_atlas.fbx")[: 1 if are_few and not is_whole else 2]:
        before = set(bpy.data.objects)
        with unkeyed.note_newcomers():
            bpy.ops.import_scene.fbx(filepath=str(folder / file))
        rigs = [o for o in bpy.data.objects if o.type == "ARMATURE" and o not in before]
        first = first or rigs[0]
    return first


def _load_bvh(folder: Path) -> Any:
    first = None
    chosen = taken(folder.name)
    for path in sorted(folder.glob("*.bvh")):
        if folder.name == "cmu131" and not path.stem.endswith("_metres"):
            continue
        if chosen and path.stem.split("_")[1] not in chosen:
            continue
        scale = 1.0 if path.stem.endswith("_metres") else 0.01
        with tempfile.TemporaryDirectory() as own:
            file = path if is_whole or scale == 1.0 else _shortened(path, Path(own))
            bpy.ops.import_anim.bvh(filepath=str(file), global_scale=scale)
        first = first or bpy.context.object
    bpy.context.scene.render.fps = 120
    return first


def _shortened(path: Path, folder: Path) -> Path:
    """A .bvh file of the same name with no more than the frames that are looked at."""
    lines = path.read_text().splitlines(keepends=True)
    at = next(i for i, line in enumerate(lines) if line.startswith("Frames:"))
    count = min(int(lines[at].split()[1]), LONGEST)
    lines[at] = f"Frames: {count}\n"
    short = folder / path.name
    # behind their number comes the time of a frame
    short.write_text("".join(lines[: at + 2 + count]))
    return short


def animates(action: Any, armature: Any) -> bool:
    """Whether an action keys bones of this armature."""
    return any(
        curve.data_path.startswith('pose.bones["') and curve.data_path.split('"')[1] in armature.pose.bones
        for curve in all_curves(action)
    )


def all_curves(action: Any) -> list[Any]:
    """Every F-curve of an action, whatever the version."""
    if hasattr(action, "layers"):
        bags = [bag for layer in action.layers for strip in layer.strips for bag in strip.channelbags]
        return [curve for bag in bags for curve in bag.fcurves]
    return list(action.fcurves)


def contents(action: Any) -> dict[tuple[str, int], bytes]:
    """All keys of an action, byte for byte."""
    found = {}
    for n, curve in enumerate(all_curves(action)):
        points = curve.keyframe_points
        data = b""
        for name, kind, width in (
            ("co", np.float32, 2),
            ("handle_left", np.float32, 2),
            ("handle_right", np.float32, 2),
            ("interpolation", np.uint8, 1),
            ("handle_left_type", np.uint8, 1),
            ("handle_right_type", np.uint8, 1),
        ):
            buffer = np.empty(len(points) * width, kind)
            points.foreach_get(name, buffer)
            data += buffer.tobytes()
        found[(f"{n} {curve.data_path}", curve.array_index)] = data
    return found


def play(armature: Any, action: Any) -> None:
    """Have an action animate the armature, every other channel at rest or as it was imported."""
    standing = unkeyed.of_bones(armature)
    animation = armature.animation_data or armature.animation_data_create()
    animation.action = None
    for bone in armature.pose.bones:
        bone.matrix_basis.identity()
        bone.location = (0.0, 0.0, 0.0)
        bone.scale = (1.0, 1.0, 1.0)
        bone.rotation_quaternion = (1.0, 0.0, 0.0, 0.0)
        bone.rotation_euler = (0.0, 0.0, 0.0)
        bone.rotation_axis_angle = (0.0, 0.0, 1.0, 0.0)
    for (path, index), value in standing.items():
        armature.path_resolve(path)[index] = value
    animation.action = action
    if action is not None and hasattr(animation, "action_slot"):
        fitting = [s for s in action.slots if s.target_id_type in ("OBJECT", "UNSPECIFIED")]
        named = [s for s in fitting if s.identifier == "OB" + armature.name]
        animation.action_slot = (named or fitting)[0]


def poses(armature: Any, frames: Array) -> Array:
    """World matrices (frames, bones, 4, 4) by Blender's evaluation of what plays."""
    scene = bpy.context.scene
    result = np.empty((len(frames), len(armature.pose.bones), 4, 4))
    buffer = np.empty(16 * len(armature.pose.bones), np.float32)
    for i, frame in enumerate(frames):
        whole = int(np.floor(frame))
        scene.frame_set(whole, subframe=float(frame - whole))
        armature.pose.bones.foreach_get("matrix", buffer)
        world = np.array(armature.matrix_world)
        result[i] = world @ buffer.reshape(-1, 4, 4).transpose(0, 2, 1)
    return result
