# SPDX-License-Identifier: GPL-3.0-or-later
"""Which joints of an armature count in a transition's cost, and how much."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import zlib
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any

import bpy
import numpy as np

from ...errors import InertiaError, Sentence
from ...motion.arrays import Array, ArrayLike
from ...motion.skeleton import body_bones, extremities, naming
from ...records import record
from ...settings import fields
from ..data import clip_store, compat, names, recipe, rig, rigs
from . import joint_motion

GROUP = "inertia_cost"
"""The property group of an object that holds its choice of joints, see the user interface."""
FOUND, LISTED, ALL = "FOUND", "LISTED", "ALL"
CHOICES = (FOUND, LISTED, ALL)
"""The set that is found from the rig, an own list, or every bone; a file stores the position."""

SHOWN = (naming.FOOT, naming.HAND, naming.HIPS)
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


CLIPS, FRAMES = 4, 12
"""In so many clips, at so many frames of each, it is looked at what walks on the ground ..."""
LOWEST = 0.02
"""... by which bones are no higher above the lowest one than this part of the body's height."""


@record(frozen=True)
class Joint:
    """A bone that counts. role: FOOT, HAND, HIPS, HEAD or OTHER. confidence: how sure it is, from 0 to 1."""

    bone: str
    weight: float
    role: str
    confidence: float = 1.0

    @property
    def is_shown(self) -> bool:
        """Whether its trajectory is drawn unless asked otherwise."""
        return self.role in SHOWN


@record(frozen=True)
class Shape:
    """How the bones of an armature are at rest, or in a clip, as what is found of it is kept by.

    names, parents: of all bones. heads, tails: (n, 3) float32 in bytes. moving: which are of the
    body that moves something, bool in bytes. up: the axis that points up, and its sign. walked: (n,) float32
    in bytes for which part of the time each is the lowest in the clips, b"" where that was not looked at.
    """

    names: tuple[str, ...]
    parents: tuple[int, ...]
    heads: bytes
    tails: bytes
    moving: bytes
    up: tuple[int, float]
    walked: bytes = b""

    def arrays(self) -> tuple[Array, Array]:
        """Return where bones begin and end, (n, 3) each, Z up."""
        heads, tails = (np.frombuffer(ends, np.float32).reshape(-1, 3) for ends in (self.heads, self.tails))
        return upright(heads, self.up), upright(tails, self.up)


def upright(places: ArrayLike, up: tuple[int, float]) -> Array:
    """Return places (n, 3) turned so that Z is up. up: the axis that points up in them, and its sign."""
    axis, sign = up
    order, signs = [(axis + 1) % 3, (axis + 2) % 3, axis], np.array([1.0, sign, sign])
    return np.asarray(np.asarray(places, float)[:, order] * signs)


def default_joints(armature: Any) -> tuple[Joint, ...]:
    """Return the joints that say most of an armature's pose, from its rest pose: hips, head, hands, feet,
    tail.

    A rig without limbs counts as a whole. Where the rest pose lies flat, is folded up or shows no limbs, the
    first frame of a clip may say more, and where it is unsure what is what, what walks on the ground in the
    clips. See :mod:`inertia_addon.motion.skeleton.extremities`.
    """
    return _find_joints(shape(armature))


def shape(armature: Any) -> Shape:
    """Return what the joints of an armature are found by, as a :class:`Shape`: its bones' ``names``, indices
    of their ``parents`` (-1 for none), ``heads`` and ``tails`` as they lie at rest, in the armature's space,
    or in a clip; ``moving``, which of them belong to the body (bool, in bytes); and ``up``, the axis that
    points up and its sign.

    Heads and tails (n, 3), float32, are in bytes. If the rest pose shows no limbs, or is lower than 0.3 of
    its largest extent, the heads in the first frame of a clip are taken, in the world, for both, with ``up``
    (2, 1.0), provided that it shows limbs and stands more than 1.5 times as high: that of the first action by
    name that fits, keys bones, can be read and is no baked transition; no other is tried. ``walked``, for
    which part of the time each bone is the lowest in clips (float32 in bytes), is b"" unless some roles are
    unsure. Raise InertiaError if the object stands at no finite place.
    """
    bones = armature.data.bones
    names = tuple(bones.keys())
    heads, tails = (rig.gathered(bones, end, 3) for end in ("head_local", "tail_local"))
    axis, sign = up_axis(armature)
    rest = Shape(
        names,
        rig.parents(armature),
        heads.tobytes(),
        tails.tobytes(),
        find_moving_bones(armature),
        (axis, sign),
    )
    extent = np.ptp(heads, axis=0) if names else np.zeros(3)
    if not has_limbs(_find_joints(rest)) or extent[axis] < LIES * extent.max():
        # the heads in the first frame of the first clip, by name, that keys bones
        posed = next((places[0] for places in _placed(armature, 1)), None)
        standing = RISES * extent[axis] * np.linalg.norm(rig.object_matrix(armature)[:3, axis])
        if posed is not None and np.ptp(posed[:, 2]) > standing:
            flat = np.ascontiguousarray(posed, np.float32).tobytes()
            better = dataclasses.replace(rest, heads=flat, tails=flat, up=(2, 1.0))
            rest = better if has_limbs(_find_joints(better)) else rest
    return dataclasses.replace(rest, walked=_walked(armature)) if unsure_roles(_find_joints(rest)) else rest


def unsure_roles(joints: Iterable[Joint]) -> tuple[str, ...]:
    """Return the roles of which some bone is not sure."""
    return extremities.unsure((joint.role, joint.confidence) for joint in joints)


def unsure(armature: Any, joints: Sequence[Joint]) -> str:
    """Return a sentence that asks to check the bones of uncertain roles; "" where all are sure.

    It names the armature and each joint, in their order, whose role is that of some joint that is not sure;
    so a sure left foot is named along with an unsure right one. joints: such as :func:`default_joints`
    returns.
    """
    roles = unsure_roles(joints)
    if not roles:
        return ""
    return Sentence(
        'Check these joints of "{armature}", which are uncertain: {bones}; list others if they are wrong.',
        armature=armature.name,
        bones=", ".join(f'"{joint.bone}"' for joint in joints if joint.role in roles),
    )


def confidence(joints: Iterable[Joint]) -> float:
    """Return how sure the least sure of some joints is, from 0 to 1; those of the role OTHER don't count, and
    without others it is 1."""
    return min((joint.confidence for joint in joints if joint.role != naming.OTHER), default=1.0)


def no_limbs(armature: Any, joints: Sequence[Joint]) -> str:
    """Return a sentence for the animator if no limbs were found, so that all bones count; "" if some were."""
    if not joints or has_limbs(joints):
        return ""
    return Sentence(
        'No limbs were found on "{armature}", so all its bones count equally; list those that matter.',
        armature=armature.name,
    )


def has_limbs(joints: Iterable[Joint]) -> bool:
    """Tell whether limbs were found; a rig without any counts as a whole."""
    return any(joint.role != naming.OTHER for joint in joints)


def _placed(armature: Any, count: int) -> Iterator[Array]:
    """Yield the world places of all bones' heads (count, n, 3), in world units, at `count` frames spread
    evenly over each clip that keys bones, from its first to its last.

    Clips come in the order of their actions' names. Left out are baked transitions, actions that can't be
    read, and places that are not finite. Posed by keys alone, without constraints.
    """
    for action in sorted(clip_store.find_fitting(armature), key=lambda action: str(action.name)):
        if recipe.is_baked(action, recipe.RECIPE):
            continue
        try:
            # of long clips a few values are asked for in less time than it takes to read their keys
            clip = clip_store.read_later(armature, action)
            if {rig.split_path(path)[0] for path, _ in clip.curves}.isdisjoint(armature.data.bones.keys()):
                continue
            frames = np.linspace(clip.start, clip.end, count)
            places = joint_motion.joint_positions(rigs.read(armature), clip.curves, frames, clip.unkeyed)
        except InertiaError:
            continue
        if np.isfinite(places).all():
            yield places


def _walked(armature: Any) -> bytes:
    """Return for which part of the time, 0 to 1, each bone is about the lowest of those that belong to the
    body, as float32 (n,) in bytes, in Blender's order.

    About the lowest is a bone whose head is no more than 0.02 of the body's height in that frame above the
    lowest head. It is the mean over the first four clips by name, twelve frames each. b"" where that tells
    nothing: no clip that can be read, no bone that moves something to see, or any bone with a constraint.
    """
    if any(bone.constraints for bone in armature.pose.bones):
        return b""
    moving = np.frombuffer(find_moving_bones(armature), bool)
    if not moving.any():
        return b""
    shares = []
    for places in itertools.islice(_placed(armature, FRAMES), CLIPS):
        heights = np.where(moving, places[:, :, 2], np.inf)
        tall = np.ptp(places[:, moving, 2], axis=1)
        shares.append((heights - heights.min(axis=1)[:, None] <= LOWEST * tall[:, None]).mean(axis=0))
    return np.mean(shares, axis=0).astype(np.float32).tobytes() if shares else b""


def skinned(armature: Any) -> tuple[tuple[int, str, int], ...]:
    """Return a key of what hangs from an armature, or is deformed by it: it changes with what
    :func:`find_moving_bones` depends on, but for single weights.
    """
    return tuple(
        (thing.session_uid, thing.parent_bone, len(thing.vertex_groups) if thing.type == "MESH" else 0)
        for thing in bpy.data.objects
        if thing.parent == armature or (thing.type == "MESH" and thing.find_armature() == armature)
    )


def find_moving_bones(armature: Any) -> bytes:
    """Return for each bone, in Blender's order, whether it belongs to the body, as bool (n,) in bytes.

    They are the bones that move a mesh by its weights, or an object that hangs from them, and those between
    them, see :mod:`inertia_addon.motion.skeleton.body_bones`. Of the bones that move something only those
    that deform count, unless none of them does. Where nothing is moved, as of a captured skeleton, it is all
    bones that deform, but for IK targets and poles among the armature's own bones; all that deform if none is
    left.
    """
    bones = armature.data.bones
    deforms = np.empty(len(bones), bool)
    bones.foreach_get("use_deform", deforms)
    used = frozenset().union(*(_find_movers(armature, thing) for thing in bpy.data.objects))
    if used:
        moving = np.array([name in used for name in bones.keys()], bool)
        both = moving & deforms
        moving = both if both.any() else moving
        heads = upright(rig.gathered(bones, "head_local", 3), up_axis(armature))
        deforms = body_bones.find(bones.keys(), rig.parents(armature), heads, moving, deforms)
    else:
        posed = () if armature.pose is None else armature.pose.bones
        reaching = [c for bone in posed for c in bone.constraints if c.type == "IK"]
        ends = [end for constraint in reaching for end in rigs.targets(constraint)]
        controls = {bone for target, bone in ends if target == armature}
        left = deforms & np.array([name not in controls for name in bones.keys()], bool)
        deforms = left if left.any() else deforms
    return deforms.tobytes()


def _find_movers(armature: Any, obj: Any) -> frozenset[str]:
    """Return the names of the bones of an armature that move an object: its parent bone, or the groups of a
    skinned mesh that have a weight. Groups without a bone of their name are among them.

    Empty for an empty, the armature itself, and any other object.
    """
    if obj.type == "EMPTY" or obj == armature:
        return frozenset()
    if obj.parent == armature and obj.parent_type == "BONE":
        return frozenset((obj.parent_bone,))
    is_skinned = obj.type == "MESH" and obj.find_armature() == armature
    return _weighted(obj) if is_skinned else frozenset()


_known_weights: dict[Hashable, frozenset[str]] = {}
"""Weights are read vertex by vertex; what was read of the last meshes is kept."""


def _weighted(obj: Any) -> frozenset[str]:
    """Return the names of a mesh object's vertex groups in which some vertex has a weight above 0.

    At most 50,000 vertices are looked at, evenly spread. Answers are kept by the groups' names and the
    vertices' places, so that painted weights alone don't change them.
    """
    vertices, groups = obj.data.vertices, obj.vertex_groups.keys()
    places = np.empty(3 * len(vertices), np.float32)
    vertices.foreach_get("co", places)
    key = (tuple(groups), zlib.crc32(places.data))
    if key not in _known_weights:
        left = dict(enumerate(groups))
        for vertex in itertools.islice(vertices, 0, None, -(-len(vertices) // VERTICES) or 1):
            for group in vertex.groups:
                if group.weight > 0.0:
                    left.pop(group.group, None)
            if not left:
                break
        while len(_known_weights) >= MESHES:
            del _known_weights[next(iter(_known_weights))]
        _known_weights[key] = frozenset(groups) - frozenset(left.values())
    return _known_weights[key]


def up_axis(armature: Any) -> tuple[int, float]:
    """Return the axis of the armature, 0 to 2, that points up in the world, or is the nearest to that, and
    its sign: -1.0 where it points down, else 1.0. (2, 1.0) where no axis leads up or down.
    """
    vertical = rig.object_matrix(armature)[2, :3]
    axis = int(np.argmax(np.abs(vertical))) if vertical.any() else 2
    return axis, -1.0 if vertical[axis] < 0.0 else 1.0


@functools.lru_cache(maxsize=16)
def _find_joints(rest_shape: Shape) -> tuple[Joint, ...]:
    """Return the joints that count of a rig's shape, with weights, roles and confidence: the hips and the
    head first, then hands, feet and others. Cached, as panels ask in every redraw.

    Each :class:`Joint` has the bone's name, weight (1; 0.5 for the role OTHER), role (FOOT, HAND, HIPS, HEAD
    or OTHER) and confidence, 0 to 1. A rig without limbs, or of 3 bones or fewer, gives all moving bones, all
    bones if none moves, in the shape's order, with the role OTHER, weight 1 and confidence 1.
    """
    heads, tails = rest_shape.arrays()
    walked = np.frombuffer(rest_shape.walked, np.float32) if rest_shape.walked else None
    moving = np.frombuffer(rest_shape.moving, bool).tolist()
    ends = extremities.find(rest_shape.names, rest_shape.parents, heads, tails, moving, walked)
    return tuple(Joint(rest_shape.names[end.index], end.weight, end.role, end.confidence) for end in ends)


def weights(armature: Any, choice: str, listed: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Return the weight of each bone in the cost, by name; bones that are not in it have none.

    choice: FOUND (those of :func:`default_joints`, with their weights), ALL (1.0 each), or LISTED, which any
    other text counts as. listed: (bone, weight) of the own list, used for LISTED alone. Weights of 0 or less
    are left out first, so that their bones need not exist; of several for a bone the heaviest counts. Raise
    InertiaError for a list that is empty, has no weight above 0, or names with a weight a bone that is gone;
    with FOUND, if the object stands at no finite place.
    """
    if choice == FOUND:
        return _weights_of(default_joints(armature))
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


def _weights_of(joints: Iterable[Joint]) -> dict[str, float]:
    return {joint.bone: joint.weight for joint in joints}


def choose_shown(joints: Sequence[Joint]) -> tuple[str, ...]:
    """Return the bones of those joints whose trajectories say most, in order: feet, hands and hips; without
    limbs, eight at most, evenly spread over all.
    """
    names = tuple(joint.bone for joint in joints if joint.is_shown)
    return names or tuple(joint.bone for joint in joints[:: -(-len(joints) // A_FEW) or 1])


def stored_weights(armature: Any) -> dict[str, float] | None:
    """Return the weights of bones that the armature stores, by name; None if it stores no choice, the default
    one (found joints), or one that there is not.

    For the choice LISTED they are those of the stored list: weights of 0 are left out, and of several for a
    bone the heaviest counts. For ALL each bone has 1.0. Raise InertiaError for a stored weight that is not a
    number from 0 to 1000, even if ALL is chosen, and with LISTED for a list that is missing, empty, has no
    weight above 0, or names with a weight a bone that is gone.
    """
    position = compat.stored(armature, GROUP, "joints")
    if not isinstance(position, int) or not 0 < position < len(CHOICES):
        return None
    items = compat.stored(armature, GROUP, "items")
    listed = [_listed(item) for item in items] if isinstance(items, list) else []
    return weights(armature, CHOICES[position], listed)


def _listed(item: Any) -> tuple[str, float]:
    """Return a stored joint as (bone, weight): "" if it names no bone, 1.0 if it has no weight.

    item: a group of custom properties with ``bone`` and ``weight``; anything else gives ("", 1.0). Raise
    InertiaError for a weight that is no number from 0 to 1000, as files may hold anything. Whether the bone
    exists is not looked at.
    """
    values = item.to_dict() if hasattr(item, "to_dict") else {}
    bone, weight = str(values.get("bone", "")), values.get("weight", 1.0)
    fields.WEIGHT.check(Sentence('weight of "{name}"', name=bone), weight)
    return bone, float(weight)


def resolve_weights(
    armature: Any, named: Sequence[tuple[str, float]], choice: str
) -> tuple[dict[str, float], str]:
    """Return (the weight of each bone that counts, by name, a sentence on doubtful joints for the user or
    "").

    named: (bone, weight), names in any case; of a bone named twice the last counts. If there are any, they
    alone count, unchecked, `choice` is ignored, and the sentence is "". choice: "all" gives every bone 1.0,
    "found" the joints that are found, and "stored" what the armature stores, else those found. The sentence
    comes only with found joints: that there are no limbs, or that some are uncertain. Raise InertiaError for
    a named bone that does not exist, for a stored list that is empty, has no weight above 0, a weight out of
    range or a bone that is gone, and for an armature at no finite place.
    """
    if named:
        bones = list(armature.data.bones.keys())
        return {names.choose_bone(name, bones): weight for name, weight in named}, ""
    are_found = choice == "found" or (choice == "stored" and stored_weights(armature) is None)
    if not are_found:
        return named_weights(armature, choice), ""
    joints = default_joints(armature)
    return _weights_of(joints), no_limbs(armature, joints) or unsure(armature, joints)


def named_weights(
    armature: Any, choice: str, find: Callable[[Any], tuple[Joint, ...]] = default_joints
) -> dict[str, float]:
    """Return the weight of each bone by a choice that needs no panel.

    choice: "stored" takes what the file stores, else what is found; "found" always what is found; "all"
    counts every bone with 1. find: finds joints, for those who keep what was found. Raise InertiaError as
    :func:`weights` does.
    """
    if choice == "all":
        return weights(armature, ALL, ())
    return (stored_weights(armature) if choice == "stored" else None) or _weights_of(find(armature))
