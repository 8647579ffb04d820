# SPDX-License-Identifier: GPL-3.0-or-later
"""What has a say in where a rig's joints are: its own keys alone, as of a plain rig, or what else."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import bpy
import numpy as np

from ...errors import Sentence
from ...motion.skeleton.posing import Holder
from ..data import compat, rig, rigs, unkeyed
from ..data.actions import Clip

_MOVING = re.compile(
    r"(^|\.)(location|rotation_\w+|scale|delta_\w+|inherit_scale|use_inherit_\w+|use_local_location)$"
    r"|(^|\.)constraints\["
)
"""Properties that move bones or the object when they are driven."""

_STATE = ("BOOLEAN", "INT", "FLOAT", "STRING", "ENUM", "POINTER")


def why_not_plain(armature: Any, clips: Iterable[Clip]) -> str:
    """Return why only Blender can say where the joints are in clips: the first reason found, as a sentence
    without full stop; "" for none.

    Reasons are looked for in this order: a bone with a parent that does not inherit rotation, or scale in
    full; acting or keyed constraints (:func:`_constraints`); keys of a rotation mode, or of delta transforms
    of the object or its holders other than location and rotation; drivers, and keys of the armature's data
    (:func:`_drivers`); rigid bodies, and parents that may move (:func:`_parents`). Objects that carry the
    armature in all of the clips (``holders``) may move by their keys.

    Connected bones, any rotation mode that is not keyed, locations along the parent's axes, scaled objects
    and parents that stay are plain. Whether the armature is shown in its rest position is not looked at.
    """
    clips = list(clips)
    held = set[str].intersection(*({*clip.holders} for clip in clips)) if clips else set[str]()
    constraints = _constraints(armature, clips, held)
    return next(
        itertools.chain(
            _inheritance(armature), constraints, _keys(clips), _drivers(armature), _parents(armature, held)
        ),
        "",
    )


def is_moving_path(path: str) -> bool:
    """Tell whether a property moves bones or the object when it is driven."""
    return _MOVING.search(path) is not None


def parent_moves(armature: Any) -> bool:
    """Tell whether a parent of the object may move, or the object itself as a rigid body."""
    return any(True for _ in _parents(armature))


def _inheritance(armature: Any) -> Iterator[str]:
    for bone in armature.data.bones:
        if bone.parent is None:
            continue
        if not bone.use_inherit_rotation:
            yield Sentence('"{bone}" does not inherit rotation', bone=bone.name)
        if bone.inherit_scale != "FULL":
            yield Sentence('"{bone}" does not inherit scale in full', bone=bone.name)


def _constraints(armature: Any, clips: list[Clip], known_holders: Collection[str]) -> Iterator[str]:
    """Yield a reason for each constraint of the object or a bone that acts; of an object or bone for which a
    clip keys any constraint, for all of its constraints.

    A constraint acts unless it is muted or has no influence. known_holders: the prefixes of objects that
    clips know to move or to stand. The constraint by which the object hangs from one of these is no reason,
    unless constraints of the object are keyed.
    """
    keyed = {rig.split_path(path)[0] for clip in clips for path, _ in clip.curves if "constraints[" in path}
    for holder in (armature, *armature.pose.bones):
        name = None if holder == armature else holder.name
        known = _find_known_constraint(armature, known_holders) if name is None else None
        for constraint in holder.constraints:
            if constraint == known and name not in keyed:
                continue
            if name in keyed or (not constraint.mute and constraint.influence > 0.0):
                yield Sentence(
                    '"{holder}" has a constraint, "{constraint}"',
                    holder=holder.name,
                    constraint=constraint.name,
                )


def _find_known_constraint(obj: Any, known_holders: Collection[str]) -> Any | None:
    """Return the Child Of constraint by which an object hangs as a whole from an object that clips know; None
    for none.

    known_holders: the prefixes, such as ``objects["Cart"].``, of the objects that clips know to move or to
    stand. The object must have no parent and no other acting constraint; see :func:`rig.child_of`.
    """
    constraint = rig.child_of(obj)
    if constraint is None or rig.holder_prefix(constraint.target.name) not in known_holders:
        return None
    return constraint


def _keys(clips: list[Clip]) -> Iterator[str]:
    for clip in clips:
        for path, _ in clip.curves:
            bone, prop = rig.split_path(path)
            prop = rig.split_holder(prop)[2]
            if prop == "rotation_mode":
                yield Sentence(
                    '"{action}" keys the rotation mode of {bone}', action=clip.action.name, bone=_named(bone)
                )
            if bone is None and prop.startswith("delta_") and prop not in rig.DELTAS:
                yield Sentence('"{action}" keys delta transforms of the object', action=clip.action.name)


def _drivers(armature: Any) -> Iterator[str]:
    """Yield a reason, a clause such as "a driver moves ...", for each driver of the armature or its data that
    moves a bone, with its name, or the object, and for each channel of the armature's own data that is keyed
    and changes what bones inherit.

    Drivers and keys of constraints count, muted drivers don't.
    """
    for owner in (armature, armature.data):
        for driver in rig.drivers(owner):
            if not driver.mute and _MOVING.search(driver.data_path):
                yield Sentence("a driver moves {driven}", driven=_named(rig.split_path(driver.data_path)[0]))
    data = armature.data
    for path in keyed_paths(data):
        if _MOVING.search(path):
            yield Sentence('"{holder}" has keys that change what bones inherit', holder=data.name)


def _named(bone: str | None) -> str:
    return "the object" if bone is None else f'"{bone}"'


def _parents(armature: Any, known_holders: Collection[str] = ()) -> Iterator[str]:
    """Yield a reason for each object that the armature hangs from and that may move, from the nearest up, and
    for rigid bodies.

    For the armature, then for each object above it, up to the topmost: that it is a rigid body; that it is
    parented to a part of an object, such as a bone; that its parent may move, see :func:`_is_moved`. One
    object may give several reasons, and the objects above a part of an object are looked at, too. A parent is
    the one by Blender's parenting or, without one, the target of a Child Of by which it hangs from a known
    holder.

    known_holders: the prefixes, see :func:`rig.holder_prefix`, of the objects that clips know to move or to
    stand, whose own keys are no reason.
    """
    child = armature
    while child is not None:
        if child.rigid_body is not None:
            yield Sentence('"{child}" is a rigid body', child=child.name)
        parent = child.parent
        known = _find_known_constraint(child, known_holders)
        if parent is None and known is not None:
            parent = known.target
        if parent is None:
            return
        if child.parent is not None and child.parent_type != "OBJECT":
            yield Sentence(
                '"{child}" is parented to a part of "{parent}"', child=child.name, parent=parent.name
            )
        if _is_moved(parent, is_held=rig.holder_prefix(parent.name) in known_holders):
            yield Sentence(
                '"{parent}", the parent of "{child}", may move', parent=parent.name, child=child.name
            )
        child = parent


def _is_moved(obj: Any, *, is_held: bool = False) -> bool:
    """Return whether something may move an object.

    That is a constraint that is not muted, whatever its influence; being a curve with "Path Animation" on; an
    assigned action; any NLA strip; or any driver, muted ones too. is_held: True leaves out the action, the
    strips and the Child Of constraint by which it hangs, which are known, and counts only un-muted drivers
    that move it. The object's parents are not looked at.
    """
    hung = rig.child_of(obj) if is_held else None
    if any(not constraint.mute and constraint != hung for constraint in obj.constraints):
        return True
    if obj.type == "CURVE" and obj.data.use_path:
        return True  # what hangs from it may go along it
    if is_held:
        return any(_MOVING.search(driver.data_path) for driver in rig.drivers(obj) if not driver.mute)
    plays = compat.assigned(obj)[0] is not None or any(len(track.strips) for track in rig.nla_tracks(obj))
    return plays or len(rig.drivers(obj)) > 0


def key(armature: Any) -> Hashable:
    """Return a hashable value of what decides where the joints are besides actions: when it changes, evaluate
    again.

    It has the rest pose, how bones inherit, rotation modes, constraints' settings, custom properties, the
    object's place, un-keyed values, and the scene's rate and units. What keys or drivers of the armature
    change does not count, so that it stays the same while the file plays. What other objects do is not in it,
    nor what drivers compute. Raise InertiaError if the object stands at no finite place.
    """
    data = armature.data.bones
    rest = rig.gathered(data, "matrix_local", 16)
    names = tuple((bone.name, bone.parent.name if bone.parent else "") for bone in data)
    changing = _find_changing(armature)
    render, unit = bpy.context.scene.render, bpy.context.scene.unit_settings
    return (
        *(names, rest.tobytes(), _codes(armature, changing)),
        *(render.fps, render.fps_base, unit.system, unit.scale_length),
        *(_place(armature), _switches(armature, changing)),
        unkeyed.key(armature),
    )


def _find_changing(armature: Any) -> set[str]:
    """Return the data paths of an object that are keyed, by what plays now, or driven."""
    return {*keyed_paths(armature), *(driver.data_path for driver in rig.drivers(armature))}


def _codes(armature: Any, changing: set[str]) -> Hashable:
    """Return how bones inherit, and their rotation modes, as a tuple of five ``bytes``, each in Blender's
    order of bones.

    They are whether bones are connected, whether they inherit rotation, and whether they have local locations
    (a byte each), then the numbers of ``inherit_scale`` and of ``rotation_mode`` (int32 each).

    changing: data paths of the armature object whose values don't count, as keys or drivers change them. A
    pose bone's path that ends in ``.inherit_scale`` or ``.rotation_mode``, such as
    ``pose.bones["Arm"].rotation_mode``, makes that bone's number -2. Paths with other endings, and bones that
    don't exist, are ignored.
    """
    data, columns = armature.data.bones, []
    for name in ("use_connect", "use_inherit_rotation", "use_local_location"):
        flags = np.empty(len(data), np.bool_)
        data.foreach_get(name, flags)
        columns.append(flags.tobytes())
    for holder, name in ((data, "inherit_scale"), (armature.pose.bones, "rotation_mode")):
        codes = np.empty(len(data), np.int32)
        holder.foreach_get(name, codes)
        for bone in (rig.split_path(path)[0] for path in changing if path.endswith(f".{name}")):
            if bone in data:
                codes[data.find(bone)] = -2
        columns.append(codes.tobytes())
    return tuple(columns)


def _place(armature: Any) -> Hashable:
    """Return a key of where the object stands by its channels, deltas and rotation mode, with the objects
    that carry it.

    A channel that the action in use keys counts with its un-keyed value, see :func:`unkeyed.of_object`. A
    parent that may move counts by its name alone.
    """
    frame = rig.object_frame(armature)
    stays = armature.parent is None or not parent_moves(armature)
    standing = (*unkeyed.of_object(armature).values(), tuple(armature.delta_scale))
    basis = frame.basis.tobytes() if stays else armature.parent.name
    holders = tuple(_holder_place(each) for each in rigs.holders_of(armature))
    return (
        holders,
        rig.rotation_mode(armature, None),
        *standing,
        basis,
        frame.offset.tobytes(),
        frame.turn.tobytes(),
    )


def _holder_place(holder: Holder) -> Hashable:
    """Return a key of where an object stands that carries an armature, without what carries that object in
    turn.

    It has the object's prefix, rotation mode, un-keyed values, delta scale, delta location and rotation, and
    where its channels act: of one with a parent its parent inverse; of one without a parent, or that is gone,
    the basis of its frame.
    """
    frame, thing = holder.frame, rig.holder_of(None, holder.prefix)
    # from the world, of the topmost, whose parent may be anywhere in each frame
    is_free = thing is None or thing.parent is None
    standing = tuple(holder.standing.values()), tuple(holder.delta_scale.tolist())
    basis = frame.basis.tobytes() if is_free else rig.hung_by(thing).tobytes()
    return (holder.prefix, holder.mode, *standing, basis, frame.offset.tobytes(), frame.turn.tobytes())


def _switches(armature: Any, changing: set[str]) -> Hashable:
    """Return a tuple of the settings of all constraints of the object and its pose bones, and of their custom
    numbers and texts, but for those that are changing.

    The object comes first, then the bones in Blender's order; of each come first the constraints, muted ones
    too, as the tuples of :func:`_settings`, then the custom properties as (data path, value). Custom arrays,
    groups and the object's own note of un-keyed values (:data:`unkeyed.NOTE`) are left out; so is all that
    belongs to the armature's data. changing: the data paths of what keys or drivers change, as read from the
    object.
    """
    settings: list[Hashable] = []
    for holder in (armature, *armature.pose.bones):
        if not len(holder.constraints) and not holder.keys():
            continue
        prefix = "" if holder == armature else f"{holder.path_from_id()}."
        for constraint in holder.constraints:
            path = f'{prefix}constraints["{bpy.utils.escape_identifier(constraint.name)}"].'
            settings.append(_settings(constraint, path, changing))
        for name, value in holder.items():
            path = f'{prefix.rstrip(".")}["{bpy.utils.escape_identifier(name)}"]'
            if isinstance(value, float | int | str) and path not in changing and name != unkeyed.NOTE:
                settings.append((path, value))
    return tuple(settings)


def _settings(constraint: Any, path: str, changing: set[str]) -> Hashable:
    """Return a flat tuple of the data path of a constraint and the values of its settings, in Blender's
    order, without their names.

    Pointers stand by their names, None for nothing; arrays are tuples, flags frozensets. path: the beginning
    of its properties' data paths, the final dot included. changing: data paths that are left out. So are
    read-only properties, collections, and those whose name begins with ``show_``; name, mute and influence
    stay.
    """
    values: list[Hashable] = [path]
    for prop in constraint.bl_rna.properties:
        name = prop.identifier
        if prop.is_readonly or prop.type not in _STATE or name.startswith("show_") or path + name in changing:
            continue
        value = getattr(constraint, name)
        if prop.type == "POINTER":
            value = getattr(value, "name", None)
        values.append(_flat(value))
    return tuple(values)


def _flat(value: Any) -> Hashable:
    if isinstance(value, set):
        return frozenset(value)
    return value if isinstance(value, str) or not hasattr(value, "__len__") else tuple(map(_flat, value))


def keyed_paths(owner: Any) -> Iterator[str]:
    """Yield the data paths of all curves of the action in use and of all NLA strips' actions, in the slots in
    use. Muted curves, strips and tracks come, too.

    Strips inside a meta strip and the strips' own curves are left out. A path comes once for each of its
    curves, and again for each strip that plays them.
    """
    strips = (strip for track in rig.nla_tracks(owner) for strip in track.strips)
    for action, slot in (compat.assigned(owner), *map(compat.strip_assigned, strips)):
        if action is not None:
            yield from (curve.data_path for curve in compat.curves(action, slot))


READING_TARGETS = (
    *("COPY_LOCATION", "COPY_ROTATION", "COPY_SCALE", "COPY_TRANSFORMS", "TRANSFORM", "MAINTAIN_VOLUME"),
    *("LIMIT_LOCATION", "LIMIT_ROTATION", "LIMIT_SCALE", "LIMIT_DISTANCE", "PIVOT", "FLOOR", "ACTION"),
    *("DAMPED_TRACK", "TRACK_TO", "LOCKED_TRACK", "STRETCH_TO", "ARMATURE", "CHILD_OF", "IK"),
)
"""Constraints that read nothing but their targets."""
OBJECT = ""
"""What stands for the object, and for all that it is not known which bone reads it."""

Read = Iterator[tuple[str, str]]
"""Bones, each with one that it reads."""
Reads = Mapping[str, Sequence[str]]
"""By bone, those that it reads."""


class _Unknown(Exception):
    """Something else than the armature's own channels has a say."""


def movers(armature: Any, bones: Iterable[str]) -> frozenset[str] | None:
    """Return the names of the bones whose channels may change where some bones are, whatever influences are
    now; the given bones are among them, even unknown names.

    They are found by parents, targets of constraints, IK chains, the handles and children of bendy bones, and
    drivers, at any depth. What the drivers of the object's own properties read is always among them, even
    without given bones. Return None where something else than the armature's own channels has a say, which
    may itself read any bone: another object, a driver that needs Python, a parent that moves, any constraint
    of the object, a constraint that reads more than its targets, or an IK solver other than Blender's
    standard one.
    """
    reads = find_reads(armature)
    return None if reads is None else follow_reads(reads, bones)


def find_reads(armature: Any) -> Reads | None:
    """Return which bones each bone reads, by its name, as :func:`movers` finds them: those that its own place
    depends on directly, in any order, maybe several times.

    The key OBJECT ("") has what the object reads. Bones that read none are left out. None where something
    else than the armature's own channels has a say.
    """
    reads: dict[str, list[str]] = {}
    try:
        for name, read in _reads(armature):
            reads.setdefault(name, []).append(read)
    except _Unknown:
        return None
    return reads


def follow_reads(reads: Reads, bones: Iterable[str]) -> frozenset[str]:
    """Return the names of the bones that some bones read at any depth, with these themselves, known or not,
    and with what the object reads. reads: as :func:`find_reads` returns it.
    """
    moving, left = set[str](), [OBJECT, *bones]
    while left:
        name = left.pop()
        if name not in moving:
            moving.add(name)
            left += reads.get(name, ())
    return frozenset(moving - {OBJECT})


def _reads(armature: Any) -> Read:
    if armature.pose.ik_solver != "LEGACY" or len(armature.constraints) or parent_moves(armature):
        raise _Unknown
    for bone in armature.pose.bones:
        if bone.parent is not None:
            yield bone.name, bone.parent.name
        if bone.bone.bbone_segments > 1:
            # what its segments are bent by, which constraints may follow
            ends = bone.bone.bbone_custom_handle_start, bone.bone.bbone_custom_handle_end
            yield from ((bone.name, other.name) for other in (*ends, *bone.children) if other is not None)
        for constraint in bone.constraints:
            yield from _constrained(armature, bone, constraint)
    for owner in (armature, armature.data):
        for curve in rig.drivers(owner):
            yield from _driven(armature, curve)


def _constrained(armature: Any, bone: Any, constraint: Any) -> Read:
    if constraint.type not in READING_TARGETS:
        raise _Unknown
    holders = constraint.targets if constraint.type == "ARMATURE" else (constraint,)
    read = [(holder.target, holder.subtarget) for holder in holders if hasattr(holder, "target")]
    if constraint.type == "IK":
        read.append((constraint.pole_target, constraint.pole_subtarget))
        yield from ((turned.name, bone.name) for turned in rigs.turned_by(bone, constraint))
    for target, name in (*read, (constraint.space_object, constraint.space_subtarget)):
        if target not in (None, armature):
            raise _Unknown
        yield bone.name, name


def _driven(armature: Any, curve: Any) -> Read:
    """Yield (bone, bone that it reads) for the driver of a property of the armature, or of its data.

    Each target of its variables yields two pairs: with the bone that is chosen in it, and with the one that
    its data path belongs to. "" as the first stands for the object. "" as the second says only that this one
    names no bone; the other may. A driver without variables yields nothing. Raise _Unknown for a driver that
    needs Python or reads another data-block.
    """
    driver = curve.driver
    if driver.type == "SCRIPTED" and (driver.use_self or not driver.is_simple_expression):
        raise _Unknown
    name = _bone_of(curve.data_path)
    for variable in driver.variables:
        for target in variable.targets:
            if target.id is not None and target.id not in (armature, armature.data):
                raise _Unknown
            yield name, target.bone_target
            yield name, _bone_of(target.data_path)


def _bone_of(path: str) -> str:
    """Return the bone to which a property belongs; that of others belongs to the object."""
    # those of the armature's data are of its bones, too
    return rig.split_path(f"pose.{path}" if path.startswith("bones[") else path)[0] or OBJECT
