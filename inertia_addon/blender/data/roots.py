# SPDX-License-Identifier: GPL-3.0-or-later
"""What carries a character: the bone, or the object, that travels or turns in its clips."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InertiaError
from ...motion import quaternion, transforms
from ...motion.skeleton import character
from ...settings.transition import OBJECT_ROOT
from . import rig, unkeyed
from .actions import Clip

Array = NDArray[np.float64]

TRAVEL = 0.2
"""A root moves when it goes further over the ground than this part of the character's size ..."""

TURN = np.radians(45.0)
"""... or turns about the vertical by more than this."""


@dataclasses.dataclass(frozen=True)
class Root:
    """The root of a character.

    name: a bone, or OBJECT_ROOT. moves: whether it travels over the ground or turns in a clip, or stands
        elsewhere in one than in another.
    """

    name: str
    moves: bool

    @property
    def is_object(self) -> bool:
        """Whether the armature object itself is the root."""
        return self.name == OBJECT_ROOT


def find_root(armature: Any, clips: Iterable[Clip], wanted: str = "") -> Root:
    """The root of an armature in clips: the topmost thing that travels or turns, or stands elsewhere.

    wanted: a bone or OBJECT_ROOT to take instead. Without any travel it is the bone from which the
    topmost bone with keyed locations hangs, else the topmost keyed bone, else the object. Raises
    InertiaError for a bone that does not exist.
    """
    clips = list(clips)
    world = rig.object_matrix(armature)
    if wanted:
        if wanted != OBJECT_ROOT and wanted not in armature.data.bones:
            raise InertiaError(
                '"{armature}" has no bone "{bone}"; choose another root.', armature=armature.name, bone=wanted
            )
        return Root(wanted, _moves(armature, clips, wanted, world))
    rank = _rank_of(armature)
    keyed, located = _keyed_bones(clips, rank)
    # a root carries the body: a travelling prop or a turning arm is none. A topmost bone may turn only
    possible = located | {name for name in keyed if rank[name][0] == 0}
    carrying = [name for name in possible if 2 * (1 - rank[name][1]) >= len(rank)]
    candidates = [OBJECT_ROOT, *sorted(carrying, key=rank.__getitem__)]
    for name in candidates:
        if _moves(armature, clips, name, world):
            return Root(name, True)
    for group in (located, keyed):
        if group:
            above = armature.data.bones[min(group, key=rank.__getitem__)].parent_recursive
            return Root(above[-1].name if above else min(group, key=rank.__getitem__), False)
    return Root(OBJECT_ROOT, False)


def _rank_of(armature: Any) -> dict[str, tuple[int, int]]:
    """For each bone (depth, minus its number of descendants): the smaller, the rootlier."""
    parents = {bone.name: bone.parent.name if bone.parent else None for bone in armature.data.bones}
    depth: dict[str, int] = {}
    below = dict.fromkeys(parents, 0)
    for name in parents:
        above, count = parents[name], 0
        while above is not None:
            below[above] += 1
            count += 1
            above = parents[above]
        depth[name] = count
    return {name: (depth[name], -below[name]) for name in parents}


def _keyed_bones(clips: Iterable[Clip], known: Mapping[str, Any]) -> tuple[set[str], set[str]]:
    """The bones with keys at all, and those with keys on their location."""
    keyed: set[str] = set()
    located: set[str] = set()
    for clip in clips:
        for path, _ in clip.curves:
            bone, prop = rig.split_path(path)
            if bone is not None and bone in known:
                keyed.add(bone)
                if prop == "location":
                    located.add(bone)
    return keyed, located


def _moves(armature: Any, clips: Iterable[Clip], name: str, world: Array) -> bool:
    """Whether the object or a bone travels or turns in one of the clips, or is elsewhere in another."""
    places, whole = [], rig.size(armature, world)
    for clip in clips:
        way, turns = _way(armature, clip, name, world)
        if _travels(way, whole) or _turned(turns):
            return True
        places.append(_place(armature, name, way, turns, whole))
    return character.apart(places)


def place(armature: Any, clip: Clip, name: str) -> character.Place:
    """Where a root stays in a clip."""
    world = rig.object_matrix(armature)
    return _place(armature, name, *_way(armature, clip, name, world), rig.size(armature, world))


def _place(armature: Any, name: str, way: Array, turns: Array, whole: float) -> character.Place:
    # a body below a root that says which way it faces may turn aside to aim
    top = name == OBJECT_ROOT or armature.data.bones[name].parent is None
    return character.place(way, whole, turns[0] if top else None)


def _way(armature: Any, clip: Clip, name: str, world: Array) -> tuple[Array, Array]:
    """Where own channels take the object or a bone (n, 3), and how they turn it (n, 4), in the world."""
    frames = np.linspace(clip.start, clip.end, 33 if clip.end > clip.start else 1)
    if name == OBJECT_ROOT:
        place, bone, prefix = rig.object_frame(armature), None, ""
    else:
        place, bone, prefix = rig.bone_frame(armature, name, world), name, rig.bone_path(name, "")
    way = rig.location_track(clip, prefix, frames)
    mode = rig.rotation_mode(armature, bone)
    turns = rig.rotation_track(clip, prefix, mode, frames)
    if bone is None:
        for index in range(3):
            if ("location", index) not in clip.curves:
                way[:, index] = unkeyed.standing(armature, "location", index)
    if turns is None:
        turn = quaternion.IDENTITY
        if bone is None:
            prop, count = transforms.rotation_property(mode)
            turn = transforms.to_quaternion(
                np.array([unkeyed.standing(armature, prop, i) for i in range(count)]), mode
            )
        turns = np.broadcast_to(turn, (len(frames), 4))
    basis = quaternion.from_matrix(place.basis[:3, :3])
    turned = quaternion.multiply(quaternion.multiply(basis, turns), quaternion.conjugate(basis))
    return way @ place.basis[:3, :3].T, turned


def _travels(way: Array, size: float) -> bool:
    """Whether a way leads away over the ground from where it began."""
    return bool(np.max(np.linalg.norm(way[:, :2] - way[0, :2], axis=1)) > TRAVEL * size)


def _turned(turns: Array) -> bool:
    """Whether a candidate's heading ends well away from where it began."""
    turn = quaternion.multiply(turns[-1], quaternion.conjugate(turns[0]))
    return bool(abs(quaternion.twist_angle(turn, character.VERTICAL)) > TURN)
