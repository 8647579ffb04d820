# SPDX-License-Identifier: GPL-3.0-or-later
"""What Inertia needs to know of a rig: its bones, where these stand in the world, and its channels."""

from __future__ import annotations

import functools
import re
from typing import Any

import bpy
import numpy as np

from ...errors import InertiaError, Sentence
from ...motion import quaternion
from ...motion.arrays import Array, Floats
from ...motion.skeleton import bone_tree
from ...motion.skeleton.posing import Frame
from . import compat

DELTA = "<delta>"
"""What stands for the object's delta location and rotation, as None does for its own, among who carries."""
DELTAS = ("delta_location", "delta_rotation_euler", "delta_rotation_quaternion")
"""The delta transforms that move or turn an object."""
_HOLDER = re.compile(r'^(objects\["((?:[^"\\]|\\.)*)"\]\.)(.*)$', re.DOTALL)
_BONE = re.compile(r'^pose\.bones\["((?:[^"\\]|\\.)*)"\](?:\.(.*)|(\[.*))?$')


@functools.lru_cache(maxsize=2**14)
def split_path(path: str) -> tuple[str | None, str]:
    """Return a data path as (bone, property): the bone's name unescaped, None for a path that is no pose
    bone's.

    The property is the whole path where there is no bone, ``["name"]`` for a bone's custom one, and "" for
    the bone itself.
    """
    match = _BONE.match(path)
    if match is None:
        return None, path
    return bpy.utils.unescape_identifier(match.group(1)), match.group(2) or match.group(3) or ""


def bone_path(bone: str, prop: str) -> str:
    """Return the data path of a pose bone's property."""
    return f'pose.bones["{bpy.utils.escape_identifier(bone)}"].{prop}'


def holder_prefix(name: str) -> str:
    """Return what the paths of an object's channels begin with, in the clip of an armature it carries."""
    return f'objects["{bpy.utils.escape_identifier(name)}"].'


@functools.lru_cache(maxsize=2**12)
def split_holder(path: str) -> tuple[str, str, str]:
    """Split the path of a channel of an object that carries the armature into (prefix, object name, path on
    that object).

    prefix: such as ``objects["Cart"].``; the name is unescaped. Any other path gives ("", "", path).
    """
    match = _HOLDER.match(path)
    if match is None:
        return "", "", path
    return match.group(1), bpy.utils.unescape_identifier(match.group(2)), match.group(3)


def holder_of(owner: Any, path: str) -> Any | None:
    """Return the object whose channel a path is: the owner, or one that carries it; None for one gone."""
    prefix, name, _ = split_holder(path)
    return bpy.data.objects.get(name) if prefix else owner


def carrier_of(path: str) -> str | None:
    """Return who among those who carry a character has a channel, by its data path.

    For a pose bone's channel that is the bone's name, unescaped. For the armature object's own it is DELTA if
    the path is one of DELTAS (``delta_location``, ``delta_rotation_euler``, ``delta_rotation_quaternion``),
    else None. For another object it is its prefix as in the path, such as ``objects["Cart"].``, with "delta_"
    behind it if the rest is one of DELTAS. ``delta_scale`` is none of these and counts as the object's own.
    """
    bone, prop = split_path(path)
    if bone is not None:
        return bone
    prefix, _, inner = split_holder(prop)
    if inner in DELTAS:
        return f"{prefix}delta_" if prefix else DELTA
    return prefix or None


def carrier_prefix(carrier: str | None) -> str:
    """Return what the paths of a carrier's channels begin with; see :func:`carrier_of`."""
    if carrier is None or carrier == DELTA:
        return "" if carrier is None else "delta_"
    return carrier if is_holder(carrier) else bone_path(carrier, "")


def is_holder(carrier: str | None) -> bool:
    """Return whether a carrier is an object above the armature, by its own channels or its deltas."""
    return carrier is not None and carrier.startswith('objects["')


def of_bone(path: str, bone: str) -> str:
    """Return the data path of a bone's property as that of another bone."""
    match = _BONE.match(path)
    assert match is not None
    return path[: match.start(1)] + bpy.utils.escape_identifier(bone) + path[match.end(1) :]


def armatures() -> list[Any]:
    """Return the armature objects of the open file that have a pose, by name."""
    posed = (thing for thing in bpy.data.objects if thing.type == "ARMATURE" and thing.pose is not None)
    return sorted(posed, key=lambda thing: thing.name)


def check_armature(armature: Any) -> None:
    """Raise InertiaError if this is None, no armature object, or an armature in Edit Mode."""
    if armature is None:
        raise InertiaError("There is no armature; select one.")
    if armature.type != "ARMATURE":
        raise InertiaError('"{armature}" is not an armature; select one.', armature=armature.name)
    if armature.mode == "EDIT":
        raise InertiaError('"{armature}" is in Edit Mode; leave it first.', armature=armature.name)


def not_assignable(obj: Any) -> str:
    """Return a sentence that says why a result can't be assigned to an object; "" where it can.

    It can't to one that is linked without an override, or that has an NLA strip in tweak mode.
    """
    if not obj.is_editable:
        return Sentence(
            '"{armature}" is linked from another file, so the result was not assigned; make a library '
            "override of the armature to use it.",
            armature=obj.name,
        )
    if obj.animation_data is not None and obj.animation_data.use_tweak_mode:
        return Sentence(
            '"{armature}" has a strip in tweak mode, so the result was not assigned; leave tweak mode in '
            "the NLA Editor to use it.",
            armature=obj.name,
        )
    return ""


def object_frame(armature: Any) -> Frame:
    """Return where an object's own location and rotation act, as it stands now.

    ``basis`` (4, 4) is its parent's space in the world, the tip of a parent bone and the parent inverse
    included, identity without a parent; ``offset`` (3,) and ``turn`` are its delta location and rotation (a
    unit quaternion (w, x, y, z); identity for axis and angle). The object's own constraints are ignored;
    those of its parent count. Vertex parents, and a parent bone that does not exist, count as the whole
    parent object.
    """
    parent = np.eye(4)
    if armature.parent is not None:
        parent = np.array(armature.matrix_parent_inverse, float)
        above = np.array(armature.parent.matrix_world, float)
        if armature.parent_type == "BONE" and armature.parent_bone in armature.parent.pose.bones:
            bone = armature.parent.pose.bones[armature.parent_bone]
            # what is parented to a bone hangs from its tail
            tip = np.eye(4)
            tip[1, 3] = bone.length
            above = above @ np.array(bone.matrix, float) @ tip
        parent = above @ parent
    if armature.rotation_mode == "QUATERNION":
        turn = quaternion.normalise(np.array(armature.delta_rotation_quaternion, float))
    elif armature.rotation_mode == "AXIS_ANGLE":
        turn = quaternion.IDENTITY
    else:
        turn = quaternion.from_euler(np.array(armature.delta_rotation_euler, float), armature.rotation_mode)
    return Frame(parent, np.array(armature.delta_location, float), turn)


def object_matrix(armature: Any, frame: Frame | None = None) -> Array:
    """Return an object's world matrix (4, 4) by its channels, deltas and parents; constraints are ignored.

    frame: what :func:`object_frame` says, None to ask it. Raise InertiaError where a number of it is not
    finite.
    """
    matrix = (frame or object_frame(armature)).basis @ np.array(armature.matrix_basis, float)
    if not np.isfinite(matrix).all():
        raise InertiaError(
            '"{armature}" has a location that is not a finite number; correct its transforms.',
            armature=armature.name,
        )
    return np.asarray(matrix)


def size(armature: Any, world: Array) -> float:
    """Return the character's size: the diagonal of the box of its bones at rest, along the armature's own
    axes, in world units.

    world: the armature's world matrix (4, 4), of which only the scale counts. Bones whose length an importer
    must have guessed, as they are far longer than the way to the next bone, count as
    :func:`bone_tree.plausible_ends` shortens them. 1.0 without bones or for a box without size.
    """
    bones = armature.data.bones
    if not bones:
        return 1.0
    heads, tails = (gathered(bones, end, 3).tobytes() for end in ("head_local", "tail_local"))
    box = np.ptp(_ends(parents(armature), heads, tails), axis=0)
    return float(np.linalg.norm(box * np.linalg.norm(world[:3, :3], axis=0))) or 1.0


@functools.lru_cache(maxsize=16)
def _ends(parents: tuple[int, ...], heads: bytes, tails: bytes) -> Array:
    """Return the bones' heads and plausible tails; the result for the same rest pose is kept."""
    tops, tips = (np.frombuffer(each, np.float32).reshape(-1, 3).astype(float) for each in (heads, tails))
    return np.vstack([tops, bone_tree.plausible_ends(parents, tops, tips)])


def parents(armature: Any) -> tuple[int, ...]:
    """Return the index of each bone's parent (bones,), -1 for none."""
    bones = armature.data.bones
    index = {name: i for i, name in enumerate(bones.keys())}
    return tuple(-1 if bone.parent is None else index[bone.parent.name] for bone in bones)


def gathered(bones: Any, prop: str, count: int) -> Floats:
    """Read a property of ``count`` numbers of all bones (bones, count), in bulk."""
    buffer = np.empty(len(bones) * count, np.float32)
    bones.foreach_get(prop, buffer)
    return buffer.reshape(-1, count)


def matrices(bones: Any, prop: str) -> Array:
    """Read a matrix of all bones (bones, 4, 4), in bulk."""
    # Blender hands matrices out column by column
    return np.ascontiguousarray(gathered(bones, prop, 16).reshape(-1, 4, 4).swapaxes(1, 2), float)


def deforms(armature: Any, obj: Any) -> bool:
    """Tell whether an armature deforms an object by a modifier."""
    return any(m.type == "ARMATURE" and m.object == armature for m in obj.modifiers)


def find_holders(obj: Any) -> list[Any]:
    """Return the objects from which an object hangs as a whole, by parents or a Child Of constraint, the
    nearest first.

    The list ends with one that hangs from nothing, or from a part such as a bone; that part's object is left
    out. [] for none.
    """
    parents: list[Any] = []
    # constraints may lead round in a ring, as parents can't
    while (above := hung_from(obj)) is not None and above not in parents:
        obj = above
        parents.append(obj)
    return parents


def hung_from(obj: Any) -> Any | None:
    """Return the object from which another one hangs as a whole: its parent, else the target of
    :func:`child_of`.

    A parent counts only as an object: None where it is parented to a bone, to vertices or in any other way,
    and where it hangs from nothing.
    """
    if obj.parent is not None:
        return obj.parent if obj.parent_type == "OBJECT" else None
    constraint = child_of(obj)
    return None if constraint is None else constraint.target


def hung_by(obj: Any) -> Array:
    """Return where an object's own channels act (4, 4), as that sees it from which the object hangs."""
    constraint = child_of(obj)
    inverse = obj.matrix_parent_inverse if constraint is None else constraint.inverse_matrix
    return np.array(inverse, float)


def child_of(obj: Any) -> Any | None:
    """Return the Child Of constraint by which an object without a parent hangs from another object as a
    whole.

    It must be the only constraint that acts, at full influence, on all axes of location, rotation and scale,
    aimed at an object and no bone, and no constraint may be driven. None else. Keyed influences are not
    looked at.
    """
    acting = [each for each in obj.constraints if not each.mute and each.influence > 0.0]
    if obj.parent is not None or len(acting) != 1 or acting[0].type != "CHILD_OF":
        return None
    (constraint,) = acting
    axes = (f"use_{kind}_{axis}" for kind in ("location", "rotation", "scale") for axis in "xyz")
    is_whole = constraint.influence == 1.0 and all(getattr(constraint, axis) for axis in axes)
    is_object = constraint.target is not None and not constraint.subtarget
    is_driven = any(curve.data_path.startswith("constraints[") for curve in drivers(obj))
    return constraint if is_whole and is_object and not is_driven else None


def with_parents(obj: Any) -> list[Any]:
    """Return an object, its parent, that one's parent and so on to the topmost: the object itself first.
    Constraints don't count.
    """
    things = [obj]
    while things[-1].parent is not None:
        things.append(things[-1].parent)
    return things


def drivers(owner: Any) -> Any:
    """Return the drivers of a data-block; () of one without animation data."""
    return () if owner.animation_data is None else owner.animation_data.drivers


def nla_tracks(owner: Any) -> Any:
    """Return the NLA tracks of a data-block, from below; () of one without animation data."""
    return () if owner.animation_data is None else owner.animation_data.nla_tracks


ROTATION_MODES = ("AXIS_ANGLE", "QUATERNION", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
"""Rotation modes by their number, which starts at -1."""


def mode_of_number(number: float) -> str:
    """Return the rotation mode that Blender plays for a number that is keyed: -1 is AXIS_ANGLE, 0 QUATERNION,
    1 to 6 the Euler orders from XYZ to ZYX; others are rounded to the nearest.

    Beyond the first and the last mode it plays these, but that Blender before 4.5 takes what is below -1 for
    quaternions.
    """
    place = round(number)
    if place < -1 and not compat.clamps_low_modes():
        return "QUATERNION"
    return ROTATION_MODES[min(max(place + 1, 0), len(ROTATION_MODES) - 1)]


def rotation_modes(armature: Any) -> tuple[str, ...]:
    """Read the rotation modes of all pose bones, in bulk."""
    codes = np.empty(len(armature.pose.bones), np.int32)
    armature.pose.bones.foreach_get("rotation_mode", codes)
    return tuple(ROTATION_MODES[code + 1] for code in codes.tolist())


def rotation_mode(armature: Any, bone: str | None) -> str:
    """Return the rotation mode of a pose bone, of the object, or of an object that carries it, such as "XYZ"
    or "QUATERNION".

    bone: the bone's name; None or DELTA for the object; or a carrier's prefix, see :func:`carrier_of`. Raise
    KeyError for a bone that is not there, AttributeError for a carrier that is gone.
    """
    if bone is None or bone == DELTA or is_holder(bone):
        holder: Any = holder_of(armature, bone or "")
    else:
        holder = armature.pose.bones[bone]
    return str(holder.rotation_mode)
