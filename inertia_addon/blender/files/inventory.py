# SPDX-License-Identifier: GPL-3.0-or-later
"""What the open file holds for Inertia: armatures, the actions that fit them, and how far those travel."""

from __future__ import annotations

import collections
import dataclasses
import math
from collections.abc import Iterable
from typing import Any

import bpy
import numpy as np

from ...errors import InertiaError
from ..data import actions, clip_store, compat, recipe, rigs, roots, scene, unkeyed
from ..data.actions import Clip
from ..data.roots import Root
from ..evaluation import root_path

STEPS = 256
"""A clip's way is followed in at most this many steps."""


@dataclasses.dataclass(frozen=True)
class SlotEntry:
    """A slot of an action, by its identifier ("" before Blender 4.4), with its first and last key frame."""

    identifier: str
    id_type: str
    start: float
    end: float


@dataclasses.dataclass(frozen=True)
class ActionEntry:
    """An action that fits an armature.

    slot: the one that animates the armature; start, end: its first and last key frame. root: what
    carries the character, ``<object>`` for the armature object; moves: whether it travels or turns.
    distance: the length of its way over the ground; displacement: from where it begins to where it
    ends; both in metres. problem: why it can't be read, "" when it can.
    """

    name: str
    slot: str
    assigned: bool
    start: float
    end: float
    seconds: float
    root: str
    moves: bool
    distance: float
    displacement: float
    slots: tuple[SlotEntry, ...]
    problem: str = ""


@dataclasses.dataclass(frozen=True)
class ArmatureEntry:
    """An armature object. rotation_modes: how many bones have each."""

    name: str
    bones: int
    rotation_modes: dict[str, int]
    actions: tuple[ActionEntry, ...]


@dataclasses.dataclass(frozen=True)
class Inventory:
    """The open file: its frames a second, and its armatures by name."""

    fps: float
    armatures: tuple[ArmatureEntry, ...]

    def as_dict(self) -> dict[str, Any]:
        """The inventory as plain JSON values."""
        return dataclasses.asdict(self)


def of_file() -> Inventory:
    """Take stock of the open file."""
    fps = scene.fps()
    found = sorted((obj for obj in bpy.data.objects if obj.type == "ARMATURE"), key=lambda obj: obj.name)
    return Inventory(fps, tuple(_armature(armature, fps) for armature in found))


def _armature(armature: Any, fps: float) -> ArmatureEntry:
    modes = collections.Counter(bone.rotation_mode for bone in armature.pose.bones)
    return ArmatureEntry(
        armature.name,
        len(armature.data.bones),
        dict(modes.most_common()),
        tuple(_action(armature, action, fps) for action in clip_store.fitting(armature)),
    )


def outline() -> dict[str, Any]:
    """What the open file holds, as JSON values and without reading its keys.

    ``armatures``: each its name, bones, and the actions that fit: name, slot, start, end, whether it is a
    result, and the problem that keeps it from being read. ``actions``: the names of all.
    """
    found = sorted((obj for obj in bpy.data.objects if obj.type == "ARMATURE"), key=lambda obj: obj.name)
    return {
        "armatures": [
            {
                "name": armature.name,
                "bones": list(armature.data.bones.keys()),
                "actions": [_outlined(action, armature) for action in clip_store.fitting(armature)],
            }
            for armature in found
        ],
        "actions": sorted(action.name for action in bpy.data.actions),
    }


def _outlined(action: Any, armature: Any) -> dict[str, Any]:
    try:
        slot, problem = actions.choose_slot(action, armature), ""
    except InertiaError as error:
        slot, problem = None, str(error)
    shown = (
        [c for c in compat.curves(action, slot.identifier) if not compat.is_muted(c)]
        if slot is not None
        else []
    )
    start, end = _span(shown)
    return {
        "name": action.name,
        "slot": slot.identifier if slot is not None else "",
        "start": start,
        "end": end,
        "is_result": recipe.is_baked(action),
        "problem": problem or ("" if shown else "it has no keys"),
    }


def _finite(first: float, last: float) -> tuple[float, float]:
    """The ends of an action; both 0 where a key's frame is no number, of which its problem tells."""
    return (first, last) if math.isfinite(first) and math.isfinite(last) else (0.0, 0.0)


def _action(armature: Any, action: Any, fps: float) -> ActionEntry:
    slots = tuple(_slot(action, slot) for slot in compat.slots(action))
    try:
        clip = unkeyed.completed(armature, actions.read(action, actions.choose_slot(action, armature)))
    except InertiaError as error:
        first, last = _finite(*action.curve_frame_range)
        problem = str(error)
        return ActionEntry(
            action.name, "", False, first, last, (last - first) / fps, "", False, 0.0, 0.0, slots, problem
        )
    root = roots.find_root(armature, (clip,))
    distance, displacement = travel(armature, root, clip)
    return ActionEntry(
        name=action.name,
        slot=clip.slot.identifier,
        assigned=compat.assigned(armature)[0] == action,
        start=clip.start,
        end=clip.end,
        seconds=(clip.end - clip.start) / fps,
        root=root.name,
        moves=root.moves,
        distance=distance,
        displacement=displacement,
        slots=slots,
    )


def _slot(action: Any, slot: compat.Slot) -> SlotEntry:
    return SlotEntry(slot.identifier, slot.id_type, *_span(compat.curves(action, slot.identifier)))


def _span(fcurves: Iterable[Any]) -> tuple[float, float]:
    """The first and the last frame of curves; both 0 without any."""
    spans = [tuple(fcurve.range()) for fcurve in fcurves]
    return _finite(
        min((span[0] for span in spans), default=0.0), max((span[1] for span in spans), default=0.0)
    )


def travel(armature: Any, root: Root, clip: Clip) -> tuple[float, float]:
    """How far a root goes over the ground in a clip, metres: along its way, and from beginning to end."""
    count = int(np.clip(np.ceil(clip.end - clip.start), 1, STEPS)) + 1
    frames = np.linspace(clip.start, clip.end, count)
    way = root_path.root_matrices(rigs.read(armature), root, clip, frames)[:, :2, 3]
    metres = scene.metres_per_unit()
    steps = np.linalg.norm(np.diff(way, axis=0), axis=1)
    return float(steps.sum()) * metres, float(np.linalg.norm(way[-1] - way[0])) * metres
