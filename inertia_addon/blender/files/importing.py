# SPDX-License-Identifier: GPL-3.0-or-later
"""Animation files in: .blend opened; .bvh, .glb, .gltf and .fbx imported into an empty file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ...motion.errors import InertiaError
from .. import compat, recipe, rig
from . import bvh, framerate, gltf

SAME_PLACE = 1e-3
"""Skeletons are the same when no bone stands further off than this part of their size ..."""

SAME_TURN = 1e-2
"""... nor is turned by more than this, in radians."""


def call(operator: Any, path: Path, verb: str, **options: Any) -> None:
    """Call one of Blender's file operators; its failure becomes an InertiaError of one sentence.

    verb: what was to be done, such as ``read``.
    """
    try:
        result = operator(filepath=str(path), **options)
    except RuntimeError as error:
        raise InertiaError(f'"{path.name}" could not be {verb}: {reason(str(error))}.') from error
    if "FINISHED" not in result:
        raise InertiaError(f'"{path.name}" could not be {verb}: Blender gave no reason.')


def reason(report: str) -> str:
    """What an operator's report says, as the end of a sentence: of a traceback only its last line."""
    lines = [line.strip() for line in report.splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith("Location:")]
    if any("Traceback (most recent call last)" in line for line in lines):
        said = [line for line in lines if re.match(r"[A-Za-z_.]*(Error|Exception|Warning)?: \S", line)]
        last = (said[-1] if said else lines[-1]).rstrip(".")
        of_system = re.fullmatch(r"OSError: \[Errno \d+\] ([^:]+)", last)
        if of_system:
            # a disk is full: no fault of the add-on
            return of_system.group(1)
        return f"Blender's add-on failed with {last}"
    text = " ".join(re.sub(r"^(Error|Warning): ", "", line) for line in lines)
    return text.rstrip(".") or "Blender gave no reason"


def open_blend(path: Path) -> None:
    """Open a .blend file."""
    call(bpy.ops.wm.open_mainfile, path, "opened", load_ui=False)


def new_file() -> Any:
    """Begin an empty file with Blender's own settings, add-ons as they are; returns its scene."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True, load_ui=False)
    return bpy.context.scene


def import_bvh(paths: Sequence[Path], scale: float) -> None:
    """Import BVH files as the actions of one armature, each named after its file.

    Raises InertiaError for files of different frame rates, and for skeletons that differ.
    """
    rates = [bvh.frame_rate(path) for path in paths]
    for path, rate in zip(paths, rates, strict=True):
        if abs(rate - rates[0]) > 1e-3 * rates[0]:
            raise InertiaError(
                f'"{path.name}" has {framerate.label(rate)} frames a second and "{paths[0].name}" has '
                f"{framerate.label(rates[0])}; give files of one frame rate."
            )
    framerate.set_scene(new_file(), rates[0])
    armature = None
    for path in paths:
        imported = _import_one_bvh(path, scale)
        if armature is None:
            armature = imported
        else:
            _check_same_skeleton(armature, imported, paths[0], path)
        action: Any
        action, slot = compat.assigned(imported)
        action.name = path.stem
        recipe.keep(action)
        # the slots bear the armature's name, so that Blender finds them when it is assigned
        slot = compat.rename_slot(action, slot, armature.name)
        if imported != armature:
            data = imported.data
            bpy.data.objects.remove(imported)
            bpy.data.armatures.remove(data)
    cover_actions()


def _import_one_bvh(path: Path, scale: float) -> Any:
    before = set(bpy.data.objects)
    # keys on whole frames from 1; the scene's rate and range are set for all files together
    call(bpy.ops.import_anim.bvh, path, "read", global_scale=scale, use_fps_scale=False)
    new = [obj for obj in bpy.data.objects if obj not in before and obj.type == "ARMATURE"]
    if len(new) != 1 or compat.assigned(new[0])[0] is None:
        raise InertiaError(f'"{path.name}" has no motion that Blender can read.')
    return new[0]


def _check_same_skeleton(first: Any, other: Any, first_path: Path, path: Path) -> None:
    """Raise InertiaError unless two armatures have the same bones in the same places."""
    difference = skeleton_difference(first, other)
    if difference:
        raise InertiaError(
            f'"{path.name}" has another skeleton than "{first_path.name}": {difference}; '
            "give files of one skeleton."
        )


def skeleton_difference(first: Any, other: Any) -> str:
    """In what the skeletons of two armatures differ, "" when they are the same."""
    bones, others = first.data.bones, other.data.bones
    for here, there, what in ((bones, others, "lacks"), (others, bones, "adds")):
        lone = [bone.name for bone in here if bone.name not in there]
        if lone:
            return f'it {what} bone "{lone[0]}"'
    tolerance = SAME_PLACE * rig.size(first, np.eye(4))
    for bone in bones:
        twin = others[bone.name]
        if (bone.parent.name if bone.parent else "") != (twin.parent.name if twin.parent else ""):
            return f'bone "{bone.name}" has another parent'
        here, there = np.array(bone.matrix_local, float), np.array(twin.matrix_local, float)
        away = np.linalg.norm(here[:3, 3] - there[:3, 3])
        if away > tolerance:
            return f'bone "{bone.name}" stands {away:.3g} away at rest'
        if np.max(np.abs(here[:3, :3] - there[:3, :3])) > SAME_TURN:
            return f'bone "{bone.name}" is turned otherwise at rest'
        modes = rig.rotation_mode(first, bone.name), rig.rotation_mode(other, bone.name)
        if modes[0] != modes[1]:
            return f'bone "{bone.name}" rotates in the order {modes[1]} and not {modes[0]}'
    return ""


def import_gltf(path: Path, fps: float | None) -> None:
    """Import a .glb or .gltf file at the frame rate of its own keys, or at ``fps``.

    All clips stay as actions. The NLA tracks that the importer also makes of them go, so that the
    armature plays the action that is assigned to it, and so does what it assigned to anything else.
    """
    rate = framerate.of_key_times(gltf.key_times(path)) if fps is None else fps
    scene = new_file()
    framerate.set_scene(scene, rate)
    with framerate.for_gltf(scene):
        call(bpy.ops.import_scene.gltf, path, "read")
    for action in bpy.data.actions:
        recipe.keep(action)
    for owner in _animated():
        _drop_tracks(owner)
        if not (isinstance(owner, bpy.types.Object) and owner.type == "ARMATURE"):
            compat.assign(owner, None)
    cover_actions()


def _animated() -> list[Any]:
    """The data-blocks that an importer may have animated."""
    data = bpy.data
    kinds = (data.objects, data.shape_keys, data.armatures, data.materials, data.cameras, data.lights)
    return [block for blocks in kinds for block in blocks if block.animation_data is not None]


def _drop_tracks(owner: Any) -> None:
    for track in list(owner.animation_data.nla_tracks):
        owner.animation_data.nla_tracks.remove(track)


def import_fbx(path: Path, scale: float) -> None:
    """Import an .fbx file; Blender's importer takes the frame rate over. All takes stay as actions."""
    with path.open("rb") as file:
        begin = file.read(32)
    if not begin.startswith(b"Kaydara FBX Binary"):
        kind = (
            "an FBX file of the text kind, which Blender cannot read"
            if b"FBX" in begin
            else "not an FBX file"
        )
        raise InertiaError(f'"{path.name}" is {kind}.')
    new_file()
    call(bpy.ops.import_scene.fbx, path, "read", global_scale=scale)
    for action in bpy.data.actions:
        recipe.keep(action)
    cover_actions()


def cover_actions() -> None:
    """Let the scene's frame range cover its actions."""
    ranges = [tuple(action.curve_frame_range) for action in bpy.data.actions]
    if ranges:
        cover(min(first for first, _ in ranges), max(last for _, last in ranges))


def cover(first: float, last: float) -> None:
    """Set the scene's frame range; it begins at 0 or later, as Blender's do."""
    scene = bpy.context.scene
    scene.frame_start = max(0, int(np.floor(first + 1e-3)))
    scene.frame_end = max(scene.frame_start, int(np.ceil(last - 1e-3)))
