# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bones have a say in where others are: by parents, constraints and drivers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..data import following, rig
from . import plain

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


class _Unknown(Exception):
    """Something else than the armature's own channels has a say."""


def movers(armature: Any, bones: Iterable[str]) -> frozenset[str] | None:
    """The bones whose channels may change where some bones are, whatever influences are now; these, too.

    None where something else than the armature's own channels has a say, which may itself read any bone:
    another object, a script, a parent that moves, or an IK solver that remembers.
    """
    reads: dict[str, list[str]] = {}
    try:
        for name, read in _reads(armature):
            reads.setdefault(name, []).append(read)
    except _Unknown:
        return None
    found, left = set[str](), [OBJECT, *bones]
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += reads.get(name, ())
    return frozenset(found - {OBJECT})


def _reads(armature: Any) -> Read:
    if armature.pose.ik_solver != "LEGACY" or len(armature.constraints) or plain.parent_moves(armature):
        raise _Unknown
    for bone in armature.pose.bones:
        if bone.parent is not None:
            yield bone.name, bone.parent.name
        if bone.bone.bbone_segments > 1:
            yield from ((bone.name, other.name) for other in _bending(bone) if other is not None)
        for constraint in bone.constraints:
            yield from _constrained(armature, bone, constraint)
    for owner in (armature, armature.data):
        for curve in owner.animation_data.drivers if owner.animation_data is not None else ():
            yield from _driven(armature, curve)


def _bending(bone: Any) -> Iterator[Any]:
    """The bones by which the segments of one are bent, which constraints may follow."""
    yield from (bone.bone.bbone_custom_handle_start, bone.bone.bbone_custom_handle_end, *bone.children)


def _constrained(armature: Any, bone: Any, constraint: Any) -> Read:
    if constraint.type not in READING_TARGETS:
        raise _Unknown
    each = constraint.targets if constraint.type == "ARMATURE" else (constraint,)
    read = [(one.target, one.subtarget) for one in each if hasattr(one, "target")]
    if constraint.type == "IK":
        read.append((constraint.pole_target, constraint.pole_subtarget))
        yield from ((turned.name, bone.name) for turned in following.turned_by(bone, constraint))
    for target, name in (*read, (constraint.space_object, constraint.space_subtarget)):
        if target not in (None, armature):
            raise _Unknown
        yield bone.name, name


def _driven(armature: Any, curve: Any) -> Read:
    """What the driver of a property of the armature, or of its data, reads."""
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
    """The bone to which a property belongs; that of others belongs to the object."""
    # those of the armature's data are of its bones, too
    return rig.split_path(f"pose.{path}" if path.startswith("bones[") else path)[0] or OBJECT
