# SPDX-License-Identifier: GPL-3.0-or-later
"""Which joints of an armature count in a transition's cost, and how much."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import zlib
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import bpy
import numpy as np

from ...errors import InertiaError, Sentence
from ...motion.arrays import Array
from ...motion.skeleton import extremities
from ...settings import limits
from ..data import clip_store, compat, following, recipe, rig, rigs
from . import joint_motion

GROUP = "inertia_cost"
"""The property group of an object that holds its choice of joints, see the user interface."""
FOUND, LISTED, ALL = "FOUND", "LISTED", "ALL"
CHOICES = (FOUND, LISTED, ALL)
"""The set that is found from the rig, an own list, or every bone; a file stores the position."""

SHOWN = (extremities.FOOT, extremities.HAND, extremities.HIPS)
"""Roles whose trajectories say most."""

LIES = 0.3
"""A rest pose that is lower than this part of its width or depth may be one that lies ..."""
RISES = 1.5
"""... which the first frame of a clip that is so many times as high says; a spider's is not."""
VERTICES = 50_000
"""No more of a mesh are looked at, evenly spread."""
MESHES = 64

A_FEW = 8
"""So many trajectories, at most, are drawn of a rig without limbs."""


@dataclasses.dataclass(frozen=True)
class Joint:
    """A bone that counts. role: FOOT, HAND, HIPS, HEAD or OTHER."""

    bone: str
    weight: float
    role: str

    @property
    def is_shown(self) -> bool:
        """Whether its trajectory is drawn unless asked otherwise."""
        return self.role in SHOWN


def default_joints(armature: Any) -> tuple[Joint, ...]:
    """The joints that say most of an armature's pose, from its rest pose: hips, head, hands, feet, tail.

    A rig without limbs counts as a whole. Where the rest pose lies flat, is folded up or shows no limbs, the
    first frame of a clip may say more. See :mod:`inertia_addon.motion.skeleton.extremities`.
    """
    bones = armature.data.bones
    names = tuple(bones.keys())
    place = {name: i for i, name in enumerate(names)}
    parents = tuple(place[bone.parent.name] if bone.parent else -1 for bone in bones)
    heads, tails = (np.empty(3 * len(names), np.float32) for _ in range(2))
    bones.foreach_get("head_local", heads)
    bones.foreach_get("tail_local", tails)
    moving = moving_bones(armature)
    up = up_axis(armature)
    found = _found(names, parents, heads.tobytes(), tails.tobytes(), moving, up)
    axis, _ = up
    extent = np.ptp(heads.reshape(-1, 3), axis=0) if names else np.zeros(3)
    if has_limbs(found) and extent[axis] >= LIES * extent.max():
        return found
    posed = _first_frame(armature)
    if posed is None or np.ptp(posed[:, 2]) <= RISES * extent[axis] * np.linalg.norm(
        rig.object_matrix(armature)[:3, axis]
    ):
        return found
    flat = np.ascontiguousarray(posed, np.float32).tobytes()
    better = _found(names, parents, flat, flat, moving, (2, 1.0))
    return better if has_limbs(better) else found


def no_limbs(armature: Any, found: Sequence[Joint]) -> str:
    """A sentence for the animator where no limbs were found, so that all bones count; "" where some were."""
    if not found or has_limbs(found):
        return ""
    return Sentence(
        'No limbs were found on "{armature}", so all its bones count alike; list those that matter.',
        armature=armature.name,
    )


def has_limbs(found: Iterable[Joint]) -> bool:
    """Whether limbs were found; a rig without any counts as a whole."""
    return any(joint.role != extremities.OTHER for joint in found)


def _first_frame(armature: Any) -> Array | None:
    """Where the bones' heads (n, 3) are in the world in the first frame of the first clip, by name, that
    keys bones; None without one. What was baked is none: it changes as one works."""
    for action in sorted(clip_store.fitting(armature), key=lambda action: str(action.name)):
        if recipe.is_result(action):
            continue
        try:
            clip = clip_store.read(armature, action)
        except InertiaError:
            continue
        keyed = {rig.split_path(path)[0] for path, _ in clip.curves}
        if not keyed.isdisjoint(armature.data.bones.keys()):
            return joint_motion.joint_positions(
                rigs.read(armature), clip.curves, np.array([clip.start]), clip.unkeyed
            )[0]
    return None


def moving_bones(armature: Any) -> bytes:
    """Which bones move something, a bool each: a mesh by its weights, or an object that hangs from them.

    Where nothing is moved, as of a captured skeleton, it is those that may, but for what IK reaches for.
    """
    bones = armature.data.bones
    deforms = np.empty(len(bones), bool)
    bones.foreach_get("use_deform", deforms)
    used = frozenset().union(*(_moved_by(armature, thing) for thing in bpy.data.objects))
    if used:
        moving = np.array([name in used for name in bones.keys()], bool)
        if (moving & deforms).any():
            moving &= deforms
        deforms = moving
    else:
        controls = _reached_for(armature)
        left = deforms & np.array([name not in controls for name in bones.keys()], bool)
        deforms = left if left.any() else deforms
    return deforms.tobytes()


def _reached_for(armature: Any) -> set[str]:
    """The bones of an armature that are targets and poles of IK on it, which are controls."""
    posed = () if armature.pose is None else armature.pose.bones
    reaching = [c for bone in posed for c in bone.constraints if c.type == "IK"]
    ends = [end for c in reaching for end in following.targets(c)]
    return {bone for target, bone in ends if target == armature}


def _moved_by(armature: Any, thing: Any) -> frozenset[str]:
    """The bones of an armature that move an object."""
    if thing.type == "EMPTY" or thing == armature:
        return frozenset()
    if thing.parent == armature and thing.parent_type == "BONE":
        return frozenset((thing.parent_bone,))
    if thing.type != "MESH" or thing.find_armature() != armature:
        return frozenset()
    return _weighted(thing)


_known_weights: dict[Hashable, frozenset[str]] = {}
"""Weights are read vertex by vertex; what was read of the last meshes is kept."""


def _weighted(thing: Any) -> frozenset[str]:
    """The names of a mesh object's vertex groups that have a weight, as far as a look at it tells."""
    vertices, groups = thing.data.vertices, thing.vertex_groups.keys()
    places = np.empty(3 * len(vertices), np.float32)
    vertices.foreach_get("co", places)
    key = (tuple(groups), zlib.crc32(places.data))
    if key not in _known_weights:
        left = dict(enumerate(groups))
        for vertex in itertools.islice(vertices, 0, None, -(-len(vertices) // VERTICES) or 1):
            for one in vertex.groups:
                if one.weight > 0.0:
                    left.pop(one.group, None)
            if not left:
                break
        while len(_known_weights) >= MESHES:
            del _known_weights[next(iter(_known_weights))]
        _known_weights[key] = frozenset(groups) - frozenset(left.values())
    return _known_weights[key]


def up_axis(armature: Any) -> tuple[int, float]:
    """The axis of the armature that points up in the world, and its sign.

    The nearest of its axes, as an object that an action tilts is no other character.
    """
    vertical = rig.object_matrix(armature)[2, :3]
    axis = int(np.argmax(np.abs(vertical))) if vertical.any() else 2
    return axis, -1.0 if vertical[axis] < 0.0 else 1.0


@functools.lru_cache(maxsize=16)
def _found(
    names: tuple[str, ...],
    parents: tuple[int, ...],
    heads: bytes,
    tails: bytes,
    deforms: bytes,
    up: tuple[int, float],
) -> tuple[Joint, ...]:
    """As panels ask with every redraw, what was found of the same rig is kept."""
    axis, sign = up
    order, signs = [(axis + 1) % 3, (axis + 2) % 3, axis], np.array([1.0, sign, sign])
    tops, tips = (np.frombuffer(e, np.float32).reshape(-1, 3)[:, order] * signs for e in (heads, tails))
    found = extremities.find(names, parents, tops, tips, np.frombuffer(deforms, bool).tolist())
    return tuple(Joint(names[one.index], one.weight, one.role) for one in found)


def weights(armature: Any, choice: str, listed: Iterable[tuple[str, float]]) -> dict[str, float]:
    """What each bone counts in the cost; those that are not named don't.

    choice: FOUND, LISTED or ALL. listed: (bone, weight) of the own list; of several of the same bone the
    heaviest counts. Raises InertiaError for a list that is empty, gives none a weight, or gives one to a
    bone that does not exist.
    """
    if choice == FOUND:
        return {joint.bone: joint.weight for joint in default_joints(armature)}
    if choice == ALL:
        return dict.fromkeys(armature.data.bones.keys(), 1.0)
    pairs = list(listed)
    if not pairs:
        raise InertiaError("The list of joints is empty; fill it, or count the joints that are found.")
    counting = [(name, weight) for name, weight in pairs if weight > 0.0]
    if not counting:
        raise InertiaError("No joint of the list has a weight above zero; give at least one a weight.")
    gone = [name for name, _ in counting if name not in armature.data.bones]
    if gone:
        others = Sentence(" and {count} more", count=len(gone) - 1) if len(gone) > 1 else ""
        raise InertiaError(
            '"{armature}" has no bone "{gone}"{others}, which its list of joints names; choose another one '
            "there, or remove it.",
            armature=armature.name,
            gone=gone[0],
            others=others,
        )
    result: dict[str, float] = {}
    for name, weight in counting:
        result[name] = max(weight, result.get(name, 0.0))
    return result


def shown(armature: Any) -> tuple[str, ...]:
    """The found joints whose trajectories say most: feet, hands and hips; of a rig without limbs, a few."""
    found = default_joints(armature)
    names = tuple(joint.bone for joint in found if joint.is_shown)
    return names or tuple(joint.bone for joint in found[:: -(-len(found) // A_FEW) or 1])


def stored_weights(armature: Any) -> dict[str, float] | None:
    """What the armature's file says that its bones count, though nothing is registered; None for nothing.

    Raises InertiaError as :func:`weights` does.
    """
    position = compat.stored(armature, GROUP, "joints")
    if not isinstance(position, int) or not 0 < position < len(CHOICES):
        return None
    items = compat.stored(armature, GROUP, "items")
    listed = [_listed(item) for item in items] if isinstance(items, list) else []
    return weights(armature, CHOICES[position], listed)


def _listed(item: Any) -> tuple[str, float]:
    """A stored joint and its weight. Raises InertiaError for what can't be, as files may hold anything."""
    values = item.to_dict() if hasattr(item, "to_dict") else {}
    bone, weight = str(values.get("bone", "")), values.get("weight", 1.0)
    limits.WEIGHT.check(Sentence('weight of "{name}"', name=bone), weight)
    return bone, float(weight)


def named_weights(armature: Any, choice: str) -> dict[str, float]:
    """What each bone counts by a choice that needs no panel.

    choice: "stored" takes what the file says, else what is found; "found" that in any case; "all" counts
    every bone with 1. Raises InertiaError as :func:`weights` does.
    """
    if choice == "all":
        return weights(armature, ALL, ())
    return (stored_weights(armature) if choice == "stored" else None) or weights(armature, FOUND, ())
