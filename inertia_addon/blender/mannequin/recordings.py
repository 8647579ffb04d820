# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips as if they were recorded: no two steps are alike, a thigh pops, feet skate."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from mathutils import Matrix

from ..data import compat
from .character import Mannequin
from .rig import assign_action, find_slot, rotation_path

FIRST_POP, BEHIND_POP, POP_RADIANS = 40, 43, 0.35
"""The first frame on which a thigh of "Popping" is turned, the frame behind the last, and by how much."""
SWAYING, SWAY_FRAMES, SWAY_RADIANS = ("chest", "upper_arm.L", "upper_arm.R"), 12.3, 0.06
"""What sways in recordings, so many frames for each radian of its phase, and how far."""
FURTHER = 1.1
"""How much further the root of "Skating" gets than its feet step."""
PASTED_AT, LEFT_OUT = 49, 4
"""The first frame of "Pasted" that is of its second take, and how many frames of the walk it lacks there."""


def add_recordings(mannequin: Mannequin) -> dict[str, Any]:
    """Have chest and arms never go twice the same way in walk and run, add the faulty walks "Popping" and
    "Skating", and return these by their names; Walk is assigned.

    In "Popping" a thigh jumps aside and back again; in "Skating" the root gets further than its feet step.
    """
    rig, walk = mannequin.rig, mannequin.actions["Walk"]
    popping = _copy_as(walk, "Popping")
    for action in (walk, mannequin.actions["Run"], popping):
        _sway(rig, action)
    skating = _copy_as(walk, "Skating")
    assign_action(rig, popping)
    _turn_bone(rig.pose.bones["thigh.L"], popping, dict.fromkeys(range(FIRST_POP, BEHIND_POP), POP_RADIANS))
    assign_action(rig, skating)
    _stretch_root(rig.pose.bones["root"], skating)
    assign_action(rig, walk)
    return {"Popping": popping, "Skating": skating}


def add_pasted(mannequin: Mannequin) -> Any:
    """Add and return the action "Pasted": a copy of "Walk" that from the frame PASTED_AT on shows what the
    walk shows LEFT_OUT frames later; beyond its end the walk is a cycle earlier.

    The root goes on evenly, so that what jumps is the pose. The action is assigned.
    """
    rig, walk = mannequin.rig, mannequin.actions["Walk"]
    pasted = _copy_as(walk, "Pasted")
    assign_action(rig, pasted)
    first, last = (int(frame) for frame in walk.frame_range)
    cycle = (last - first) // 3
    root = rig.pose.bones["root"].path_from_id("location")
    for curve in compat.curves(pasted, find_slot(pasted)):
        if curve.data_path == root:
            continue
        later = {
            frame: curve.evaluate(frame + LEFT_OUT - (cycle if frame + LEFT_OUT > last else 0))
            for frame in range(PASTED_AT, last + 1)
        }
        for frame, value in later.items():
            curve.keyframe_points.insert(frame, value, options={"FAST"})
        curve.update()
    return pasted


def _copy_as(action: Any, name: str) -> Any:
    copied = action.copy()
    copied.name, copied.use_fake_user = name, True
    return copied


def _sway(rig: Any, action: Any) -> None:
    """Have an action's chest and arms (SWAYING) sway about their own X by SWAY_RADIANS to and fro, each with
    a phase of its own, by keys on each of its frames; the action is assigned for that, and stays so.
    """
    assign_action(rig, action)
    for i, bone in enumerate(SWAYING):
        angles = {frame: SWAY_RADIANS * math.sin(frame / SWAY_FRAMES + i) for frame in _list_frames(action)}
        _turn_bone(rig.pose.bones[bone], action, angles)


def _list_frames(action: Any) -> range:
    first, last = (int(frame) for frame in action.frame_range)
    return range(first, last + 1)


def _turn_bone(bone: Any, action: Any, angles: dict[int, float]) -> None:
    """Key a bone's rotation in the assigned action, turned about its own X from where `action` has it, by
    radians at frames (angles).

    The bone stays posed as at the last of them.
    """
    path = rotation_path(bone)
    for frame, values in _read_values(bone, path, action, angles):
        setattr(bone, path, values)
        bone.matrix_basis = bone.matrix_basis @ Matrix.Rotation(angles[frame], 4, "X")
        bone.keyframe_insert(path, frame=frame)


def _stretch_root(bone: Any, action: Any) -> None:
    """Key a bone's location in the assigned action on each frame: where `action` has it, times FURTHER."""
    for frame, values in _read_values(bone, "location", action, _list_frames(action)):
        bone.location = values
        bone.location *= FURTHER
        bone.keyframe_insert("location", frame=frame)


def _read_values(
    bone: Any, path: str, action: Any, frames: Iterable[int]
) -> list[tuple[int, tuple[float, ...]]]:
    """Return (frame, values) for each frame: the values of a bone's property in an action, those that it
    keys, by rising index; () for each frame where it keys none.
    """
    path = bone.path_from_id(path)
    curves = [curve for curve in compat.curves(action, find_slot(action)) if curve.data_path == path]
    curves.sort(key=lambda curve: curve.array_index)
    return [(frame, tuple(curve.evaluate(frame) for curve in curves)) for frame in frames]
