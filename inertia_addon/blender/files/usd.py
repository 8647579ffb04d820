# SPDX-License-Identifier: GPL-3.0-or-later
"""USD files in and out (UsdSkel), by what Blender ships: a skeleton with one animation each.

Not every Blender is built with it, and not every one lets Python read the files: what has to be known of one
before it is imported comes from its text, where it is one, or from USD's own modules, where they are there.
"""

from __future__ import annotations

import contextlib
import re
import zipfile
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ...errors import InertiaError
from ...motion import quaternion
from ...motion.curves.keys import sampled_together
from ..data import actions, compat, rig

DEFAULT_RATE = 24.0
"""Time codes a second of a file that says nothing."""
DEFAULT_UNIT = 0.01
"""Likewise the unit, metres."""
STAND_IN = "joint1"
"""The one bone of the skeleton that Blender writes for a mesh with shape keys and without a skeleton."""
_SAID = r"^\s*{}\s*=\s*([0-9.eE+-]+)"
_NAMED = re.compile(r"@([^@\n]+)@")
_MOST_HEAD = 65536
_CACHED = "TRANSFORM_CACHE"
_TRANSFORM = ("location", "rotation_quaternion", "scale")


def check_there() -> None:
    """Raise InertiaError for a Blender that was built without USD."""
    if not bpy.app.build_options.usd:
        raise InertiaError(
            "This Blender was built without USD; use another Blender, or another kind of file, such as .glb."
        )


def rate(path: Path) -> float | None:
    """Return the time codes a second of a file, which Blender takes for frames; None where they are
    unknown.
    """
    return _read_number(path, "timeCodesPerSecond", DEFAULT_RATE)


def unit(path: Path) -> float | None:
    """Return how many metres a file's unit is; None where that is unknown."""
    return _read_number(path, "metersPerUnit", DEFAULT_UNIT)


def _read_number(path: Path, name: str, default: float) -> float | None:
    """Return a number that a USD file says of itself; None where that can't be told here, as for a damaged or
    binary file without USD's modules.

    name: of the metadata. default: for a text that does not say it. A text is searched in its first 64 KiB.
    """
    text = _text(path)
    if text is not None:
        match = re.search(_SAID.format(name), text[:_MOST_HEAD], re.MULTILINE)
        return float(match[1]) if match else default
    modules = _modules()
    if modules is None:
        return None
    with contextlib.suppress(RuntimeError):  # what is damaged is refused when it is imported
        return float(modules[0].Stage.Open(str(path), modules[0].Stage.LoadNone).GetMetadata(name))
    return None


def with_companions(path: Path) -> list[Path]:
    """Return a USD file, first, and the layers and pictures that it names, as far as they can be told here.

    USD's own modules find all that it depends on; without them text layers are searched, each once, and only
    files that exist are in it. What lies within a .usdz is left out.
    """
    modules = _modules()
    if modules:
        with contextlib.suppress(RuntimeError):  # likewise
            layers, assets, _ = modules[1].ComputeAllDependencies(str(path))
            beside = [layer.realPath for layer in layers] + [str(asset) for asset in assets]
            # what lies in a .usdz has a path that ends in brackets
            return [path, *(Path(file) for file in beside if file and "[" not in file and Path(file) != path)]
    files, waiting = [path], [path]
    while waiting:
        layer = waiting.pop()
        named = {layer.parent / name for name in _NAMED.findall(_text(layer) or "")}
        new = sorted(file for file in named if file.is_file() and file not in files)
        files += new
        waiting += new
    return files


def _text(path: Path) -> str | None:
    """Return the text of a USD file, or of the first file in a .usdz, as UTF-8 with bad bytes replaced; None
    for one of the binary kind, any that does not begin with "#usda", or one that can't be read.
    """
    try:
        if path.suffix.lower() == ".usdz":
            with zipfile.ZipFile(path) as archive:
                content = archive.read(archive.namelist()[0])
        else:
            content = path.read_bytes()
    except (OSError, zipfile.BadZipFile, IndexError):
        return None
    return content.decode("utf-8", "replace") if content.startswith(b"#usda") else None


def _modules() -> tuple[Any, Any] | None:
    """Return USD's own modules (Usd, UsdUtils), or None where this Blender does not bring them."""
    try:
        compat.expose_modules()
        from pxr import Usd, UsdUtils
    except ImportError:
        return None
    return Usd, UsdUtils


def settle(path: Path, before: set[Any]) -> None:
    """Make what was imported a character with an action of its own, named after the file. before: the objects
    that were there.

    Blender has moving objects follow the file itself, frame by frame: an armature that is moved so, or hangs
    from what is, gets keys on each frame instead, see :func:`_key_motion`. Of several armatures each action
    gets the file's stem as its name, which Blender numbers; an armature that plays no action stays without
    one. An armature gets its name back that a parent has taken. Armatures that stand for no skeleton, with
    STAND_IN as their only bone, are removed first. Raise InertiaError for a file without any other armature.
    """
    new = [thing for thing in rig.armatures() if thing not in before]
    for stand_in in [thing for thing in new if list(thing.data.bones.keys()) == [STAND_IN]]:
        _without(stand_in)
        new.remove(stand_in)
    if not new:
        raise InertiaError('"{file}" holds no skeleton that Blender can read.', file=path.name)
    for armature in new:
        _restore_name(armature)
        moving = [
            thing for thing in rig.with_parents(armature) if any(c.type == _CACHED for c in thing.constraints)
        ]
        if moving:
            _key_motion(armature, moving)
        action, _ = compat.assigned(armature)
        if action is not None:
            action.name = path.stem


def _without(stand_in: Any) -> None:
    """Remove an armature that stands for no skeleton, and its data, from the file, with the modifiers that
    use it.

    Objects that are parented to it stay where they are in the world, without a parent.
    """
    for thing in bpy.data.objects:
        for modifier in [m for m in thing.modifiers if m.type == "ARMATURE" and m.object == stand_in]:
            thing.modifiers.remove(modifier)
        if thing.parent == stand_in:
            world = thing.matrix_world.copy()
            thing.parent, thing.matrix_world = None, world
    bpy.data.armatures.remove(stand_in.data)


def _restore_name(armature: Any) -> None:
    """Give an armature back its own name where a parent of it has got that first, which is then called "...
    root".

    Its own name is the one that it has, without a number such as ".001" at the end. All objects above it are
    looked at, at any distance. Where none has that name, the armature keeps its number.
    """
    name = re.sub(r"\.\d{3}$", "", armature.name)
    for thing in rig.with_parents(armature)[1:]:
        if thing.name == name:
            thing.name, armature.name = f"{name} root", name


def _key_motion(armature: Any, moving: list[Any]) -> None:
    """Key an armature on each frame of the scene's range, both ends included, as it moves in the world, in
    place of what moves it.

    moving: the objects, itself or above it, whose constraints that follow the file are removed. The armature
    loses its parent, and gets quaternions; meshes that it deforms become its children, where they are. Smooth
    Bezier curves of location, rotation_quaternion and scale are added to its action, in the slot that it
    plays, or to a new action of the armature's name that is assigned. Quaternions have no flips of sign. The
    scene stays at the last frame.
    """
    shown = bpy.context.scene
    frames = np.arange(shown.frame_start, shown.frame_end + 1)
    matrices = []
    for frame in frames.tolist():
        shown.frame_set(frame)
        matrices.append(armature.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world.copy())
    for thing in moving:
        for constraint in [c for c in thing.constraints if c.type == _CACHED]:
            thing.constraints.remove(constraint)
    for thing in bpy.data.objects:
        if rig.deforms(armature, thing):
            at_rest = armature.matrix_world.inverted_safe() @ thing.matrix_world
            thing.parent, thing.matrix_local = armature, at_rest
    armature.parent, armature.rotation_mode = None, "QUATERNION"
    parts = [matrix.decompose() for matrix in matrices]
    columns = {path: np.array([tuple(part[i]) for part in parts], float) for i, path in enumerate(_TRANSFORM)}
    columns["rotation_quaternion"] = quaternion.unflipped(columns["rotation_quaternion"])
    action, identifier = compat.assigned(armature)
    slot = compat.Slot(identifier or f"OB{armature.name}", "OBJECT")
    bag = compat.new_bag(action or bpy.data.actions.new(armature.name), slot)
    for path, values in columns.items():
        for i, keys in enumerate(sampled_together(frames, values)):
            actions.write(bag, (path, i), keys, None)
    if action is None:
        compat.assign(armature, bag.id_data, slot.identifier)
