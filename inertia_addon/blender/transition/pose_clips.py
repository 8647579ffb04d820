# SPDX-License-Identifier: GPL-3.0-or-later
"""A pose as a clip: an action of one frame, or of two where it moves, that a transition can come from.

So the pose is named, can be looked at, and is there when what was baked from it is baked anew.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator
from typing import Any

import bpy
import numpy as np

from ...errors import InertiaError
from ...motion import quaternion
from ...motion.curves import keys as keylib
from ...motion.curves.representation import continuous, sizes
from ...records import record
from ...settings.transition import TransitionSettings
from ..data import actions, clip_store, compat, names, properties, recipe, rig, unkeyed
from ..data.actions import Address, Clip
from ..data.channels import ROTATIONS, VECTORS, property_default
from ..evaluation import joint_motion
from ..evaluation.character import Character, read_character

MARK = "inertia_pose"
"""Marks the actions that may be made anew, as poses of their armatures."""


@record(frozen=True)
class PoseClip:
    """A pose that was kept: its action, the slot, and how many channels are keyed."""

    action: Any
    slot: compat.Slot
    channels: int


def keep(armature: Any, frame: float, *, moving: bool, destination: Any | None = None) -> PoseClip:
    """Keep the pose of an armature as it stands as an action.

    Keyed is what the action in use and the destination key, and every bone that is not at rest. moving: come
    with the velocity with which the action in use arrives at the frame; else the pose is at rest. The pose
    that was kept last is made anew, unless something was baked from it. Raise InertiaError with the file as
    it was.
    """
    rig.check_armature(armature)
    playing = _read(armature, *compat.assigned(armature))
    if moving and playing is None:
        raise InertiaError(
            '"{armature}" has no action, so no motion leads to its pose; take the pose at rest.',
            armature=armature.name,
        )
    used = [clip for clip in (playing, _read(armature, destination)) if clip is not None]
    before = _before(read_character(armature), playing, frame) if moving and playing is not None else {}
    pose = list(_values(armature, _wanted(armature, used)))
    if not pose:
        raise InertiaError('"{armature}" has no bones that can be posed.', armature=armature.name)
    action = _action(armature)
    slot = compat.Slot(f"OB{armature.name}" if compat.has_slots() else "", "OBJECT")
    _write(action, slot, frame, pose, before)
    recipe.keep(action)
    unkeyed.keep(armature)
    return PoseClip(action, compat.slots(action)[0], sum(len(values) for _, _, values in pose))


def _read(armature: Any, action: Any | None, slot: str = "") -> Clip | None:
    """Read an action for an armature; return None for one that has nothing for it."""
    try:
        return None if action is None else clip_store.read(armature, action, slot)
    except InertiaError:
        return None


def _wanted(armature: Any, clips: Iterable[Clip]) -> dict[str, None]:
    """Return, as keys in order, the data paths of the properties whose values make the pose: bones'
    transforms away from rest, and all that clips key and the rig reads.
    """
    wanted: dict[str, None] = {}
    for bone in armature.pose.bones:
        rotation, count = quaternion.rotation_property(bone.rotation_mode)
        for prop, length in (("location", 3), (rotation, count), ("scale", 3)):
            rest = [quaternion.default_of(prop, i) for i in range(length)]
            if np.abs(np.array(getattr(bone, prop)) - rest).max() > unkeyed.ROUNDING:
                wanted[rig.bone_path(bone.name, prop)] = None
    for path in (path for clip in clips for path, _ in clip.curves):
        bone, prop = rig.split_path(path)
        is_there = bone is None or bone in armature.pose.bones
        if is_there and (prop not in ROTATIONS or prop == _rotation(armature, bone)):
            wanted[path] = None
    return wanted


def _rotation(armature: Any, bone: str | None) -> str:
    """Return the property that a rotation mode reads."""
    return quaternion.rotation_property(rig.rotation_mode(armature, bone))[0]


def _values(armature: Any, wanted: Iterable[str]) -> Iterator[tuple[str, bool, tuple[float, ...]]]:
    """Yield (data path, whether it can only jump, its numbers) of those properties that have numbers."""
    for path in wanted:
        value = properties.read(armature, path)
        values = value if isinstance(value, tuple) else (value,)
        if values and all(isinstance(each, bool | int | float) for each in values):
            yield path, property_default(armature, (path, 0))[1], tuple(map(float, values))


def _before(character: Character, clip: Clip, frame: float) -> dict[Address, float]:
    """Return what the pose would show a frame before, by address, if it moved as a clip does at a frame; of
    what the clip keys and that does not only jump.
    """
    before: dict[Address, float] = {}
    step = joint_motion.with_teleports(character, clip).step_at(frame, ahead=False)
    for path in dict.fromkeys(path for path, _ in clip.curves):
        bone, prop = rig.split_path(path)
        if bone is not None and bone not in character.armature.pose.bones:
            continue
        is_transform = prop in (*VECTORS, _rotation(character.armature, bone))
        if not is_transform and property_default(character.armature, (path, 0))[1]:
            continue
        value: Any = properties.read(character.armature, path)
        now = np.array(value if isinstance(value, tuple) else (value,), float)
        curves = [clip.curves.get((path, i)) for i in range(len(now))]
        then, at_frame = (
            np.array([x if curve is None else curve.value(t) for x, curve in zip(now, curves, strict=True)])
            for t in step
        )
        earlier = now + then - at_frame
        if is_transform and prop in ROTATIONS:
            mode = rig.rotation_mode(character.armature, bone)
            turned, unturned, posed = (quaternion.to_quaternion(raw, mode) for raw in (then, at_frame, now))
            turn = quaternion.multiply(turned, quaternion.conjugate(unturned))
            posed = quaternion.multiply(turn, posed)
            earlier = continuous(posed[None], mode, now, sizes(now[None], mode))[0]
        before |= {(path, i): float(x) for i, x in enumerate(earlier)}
    return before


def _action(armature: Any) -> Any:
    """Return an empty action for the pose: the armature's former one, cleared, or a new one where something
    was baked from that.
    """
    used = {source for action in bpy.data.actions for source in recipe.find_source_pair(action)}
    for action in bpy.data.actions:
        if action.get(MARK) == armature.name and action.is_editable and action not in used:
            compat.clear(action, ())
            return action
    action = bpy.data.actions.new(f"{armature.name} Pose")
    action[MARK] = armature.name
    return action


def _write(
    action: Any,
    slot: compat.Slot,
    frame: float,
    pose: Iterable[tuple[str, bool, tuple[float, ...]]],
    before: dict[Address, float],
) -> None:
    bag = compat.new_bag(action, slot)
    groups: dict[str, Any] = {}
    for path, jumps, values in pose:
        bone, _ = rig.split_path(path)
        if bone is not None and bone not in groups:
            groups[bone] = bag.groups.new(bone)
        for i, value in enumerate(values):
            frames = [frame - 1.0, frame] if before else [frame]
            numbers = [before.get((path, i), value), value][-len(frames) :]
            kind = keylib.CONSTANT if jumps else keylib.LINEAR
            actions.write(bag, (path, i), keylib.sampled(frames, numbers, kind), groups.get(bone or ""))


def from_shown(
    armature: Any, settings: TransitionSettings, frame: float | None, *, moves: bool
) -> TransitionSettings:
    """Return settings whose source is the pose that the file shows, as an action, and whose cut is its frame.

    frame: of the pose, a scene frame, None for the current one. moves: see :func:`keep`. Raise InertiaError.
    """
    scene = bpy.context.scene
    if frame is not None:
        scene.frame_set(math.floor(frame), subframe=frame % 1.0)
    cut = scene.frame_current_final
    (name,) = names.resolve([settings.destination], armature.name)
    pose = keep(armature, cut, moving=moves, destination=actions.find(name, settings.destination_library))
    source = {"source": pose.action.name, "source_slot": pose.slot.identifier, "source_library": ""}
    settings = dataclasses.replace(settings, cut=cut, source_scale=1.0, **source)
    return names.resolve_transition(settings, armature.name)
