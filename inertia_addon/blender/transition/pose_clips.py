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
from ...motion import quaternion, transforms
from ...motion.arrays import Array
from ...motion.curves import keys as keylib
from ...motion.curves.representation import continuous, sizes
from ...records import record
from ...settings.transition import TransitionSettings
from ..data import actions, clip_store, compat, names, properties, recipe, rig, unkeyed
from ..data.actions import Address, Clip
from ..data.channels import ROTATIONS, VECTORS, property_default

MARK = "inertia_pose"
"""Marks the actions that may be made anew, as poses of their armatures."""


@record(frozen=True)
class PoseClip:
    """A pose that was kept: its action, the slot, and how many channels are keyed."""

    action: Any
    slot: compat.Slot
    channels: int


def keep(armature: Any, frame: float, moving: bool, destination: Any | None = None) -> PoseClip:
    """Keep the pose of an armature as it stands as an action.

    Keyed is what the action in use and the destination key, and every bone that is not at rest. moving: come
    with the velocity with which the action in use arrives at the frame; else the pose is at rest. The pose
    that was kept last is made anew, unless something was baked from it. Raises InertiaError with the file as
    it was.
    """
    rig.check_armature(armature)
    playing = _playing(armature)
    if moving and playing is None:
        raise InertiaError(
            '"{armature}" has no action, so no motion leads to its pose; take the pose at rest.',
            armature=armature.name,
        )
    used = [clip for clip in (playing, _read(armature, destination)) if clip is not None]
    before = _before(armature, playing, frame) if moving and playing is not None else {}
    found = list(_values(armature, _wanted(armature, used)))
    if not found:
        raise InertiaError('"{armature}" has no bones that can be posed.', armature=armature.name)
    action = _action(armature)
    slot = compat.Slot(f"OB{armature.name}" if compat.has_slots() else "", "OBJECT")
    _write(action, slot, frame, found, before)
    recipe.keep(action)
    unkeyed.keep(armature)
    return PoseClip(action, compat.slots(action)[0], sum(len(values) for _, _, values in found))


def _playing(armature: Any) -> Clip | None:
    action, slot = compat.assigned(armature)
    return None if action is None else _read(armature, action, slot)


def _read(armature: Any, action: Any | None, slot: str = "") -> Clip | None:
    """An action for an armature, None for one that says nothing of it."""
    try:
        return None if action is None else clip_store.read(armature, action, slot)
    except InertiaError:
        return None


def _wanted(armature: Any, clips: Iterable[Clip]) -> dict[str, None]:
    """The data paths of the properties whose values make the pose."""
    found: dict[str, None] = {}
    for bone in armature.pose.bones:
        rotation, count = transforms.rotation_property(bone.rotation_mode)
        for prop, length in (("location", 3), (rotation, count), ("scale", 3)):
            rest = [transforms.default_of(prop, i) for i in range(length)]
            if np.abs(np.array(getattr(bone, prop)) - rest).max() > unkeyed.ROUNDING:
                found[rig.bone_path(bone.name, prop)] = None
    for clip in clips:
        for path, _ in clip.curves:
            bone, prop = rig.split_path(path)
            is_known = bone is None or bone in armature.pose.bones
            if is_known and (prop not in ROTATIONS or prop == _rotation(armature, bone)):
                found[path] = None
    return found


def _rotation(armature: Any, bone: str | None) -> str:
    """The property that a rotation mode reads."""
    return transforms.rotation_property(rig.rotation_mode(armature, bone))[0]


def _values(armature: Any, wanted: Iterable[str]) -> Iterator[tuple[str, bool, tuple[float, ...]]]:
    """Data paths with whether they can only jump and their numbers, of what has numbers."""
    for path in wanted:
        value = properties.read(armature, path)
        values = value if isinstance(value, tuple) else (value,)
        if values and all(isinstance(each, bool | int | float) for each in values):
            yield path, property_default(armature, (path, 0))[1], tuple(map(float, values))


def _before(armature: Any, clip: Clip, frame: float) -> dict[Address, float]:
    """What the pose shows a frame before, where it moves as a clip does."""
    found: dict[Address, float] = {}
    grouped: dict[str, list[Address]] = {}
    for address in clip.curves:
        grouped.setdefault(address[0], []).append(address)
    for path, addresses in grouped.items():
        bone, prop = rig.split_path(path)
        if bone is not None and bone not in armature.pose.bones:
            continue
        mode = rig.rotation_mode(armature, bone) if prop in ROTATIONS else ""
        if (mode or prop in VECTORS) and prop in (*VECTORS, _rotation(armature, bone)):
            count = transforms.rotation_property(mode)[1] if mode else 3
            now = np.array(properties.read(armature, path), float)
            whole = [(path, i) for i in range(count)]
            shown = np.array([_shown(clip, at, now[at[1]], (frame - 1.0, frame)) for at in whole]).T
            earlier = _moved_back(now, shown, mode)
            found.update(dict(zip(whole, earlier.tolist(), strict=True)))
        elif not property_default(armature, addresses[0])[1]:
            for at in addresses:
                value: Any = properties.read(armature, path)
                here = value[at[1]] if isinstance(value, tuple) else value
                then, there = _shown(clip, at, here, (frame - 1.0, frame))
                found[at] = float(here + then - there)
    return found


def _shown(clip: Clip, address: Address, standing: float, frames: tuple[float, float]) -> list[float]:
    curve = clip.curves.get(address)
    return [standing if curve is None else curve.value(frame) for frame in frames]


def _moved_back(now: Array, shown: Array, mode: str) -> Array:
    """A pose's numbers (k,) a frame before, by what a clip shows then and now, (2, k)."""
    if not mode:
        return np.asarray(now + shown[0] - shown[1])
    then, there = transforms.to_quaternion(shown, mode)
    turn = quaternion.multiply(then, quaternion.conjugate(there))
    earlier = quaternion.multiply(turn, transforms.to_quaternion(now, mode))
    return np.asarray(continuous(earlier[None], mode, now, sizes(now[None], mode))[0])


def _action(armature: Any) -> Any:
    """An empty action for the pose: the former one, or a new one where something was baked from that."""
    used = {id_ for action in bpy.data.actions for id_ in map(_uid, recipe.made_from(action)) if id_}
    for action in bpy.data.actions:
        if action.get(MARK) == armature.name and action.is_editable and _uid(action) not in used:
            compat.clear(action, ())
            return action
    made = bpy.data.actions.new(f"{armature.name} Pose")
    made[MARK] = armature.name
    return made


def _uid(action: Any | None) -> int:
    return 0 if action is None else int(action.session_uid)


def _write(
    action: Any,
    slot: compat.Slot,
    frame: float,
    found: Iterable[tuple[str, bool, tuple[float, ...]]],
    before: dict[Address, float],
) -> None:
    bag = compat.new_bag(action, slot)
    groups: dict[str, Any] = {}
    for path, jumps, values in found:
        bone, _ = rig.split_path(path)
        if bone is not None and bone not in groups:
            groups[bone] = bag.groups.new(bone)
        for i, value in enumerate(values):
            frames = [frame - 1.0, frame] if before else [frame]
            numbers = [before.get((path, i), value), value][-len(frames) :]
            kind = keylib.CONSTANT if jumps else keylib.LINEAR
            actions.write(bag, (path, i), keylib.sampled(frames, numbers, kind), groups.get(bone or ""))


def from_shown(
    armature: Any, settings: TransitionSettings, frame: float | None, moves: bool
) -> TransitionSettings:
    """Settings whose source is the pose that the file shows, as an action, and whose cut is when it does.

    frame: of the pose, a scene frame, None for the current one. moves: see :func:`keep`. Raises InertiaError.
    """
    scene = bpy.context.scene
    if frame is not None:
        scene.frame_set(math.floor(frame), subframe=frame % 1.0)
    cut = scene.frame_current_final
    (name,) = names.resolve([settings.destination], armature.name)
    pose = keep(armature, cut, moves, actions.find(name, settings.destination_library))
    source = {"source": pose.action.name, "source_slot": pose.slot.identifier, "source_library": ""}
    settings = dataclasses.replace(settings, cut=cut, source_scale=1.0, **source)
    return names.resolve_transition(settings, armature.name)
