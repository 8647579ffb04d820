# SPDX-License-Identifier: GPL-3.0-or-later
"""What clips leave out: which of it is seen, and keys for it, so that clips look alike whatever played
before, here and elsewhere.

To key it is the one thing of Inertia's that edits actions that it has not made, and only when asked to.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError
from ...motion import quaternion
from ...motion.curves import keys as keylib
from ...records import record
from ..data import actions, clip_store, compat, rig, unkeyed
from ..data.actions import Address, Clip
from ..data.channels import ROTATIONS, Matching, property_default, transform
from ..data.limb_list import Limb
from ..data.rig import split_path
from ..evaluation import controls, limbs
from .compose import Joining
from .report import UnkeyedChannel

SEEN = {"rotation": 0.1, "location": 0.001, "scale": 0.001}
"""Who stands no further from rest, in degrees, metres, or parts of a size, is at rest as one sees it."""
Hidden = tuple[frozenset[str], frozenset[str]]
"""Of source and destination each the controls that pose nothing, see :func:`hidden_controls`."""
NONE_HIDDEN: Hidden = (frozenset(), frozenset())


def hidden_controls(armature: Any, joining: Joining, matching: Matching) -> Hidden:
    """Of source and destination each the controls that pose nothing there, as it shows their limb by IK where
    they are FK's, or by FK: from its first frame to its last.

    Blender is asked where only one of the clips keys a control, and the rig has switches.
    """
    keyed = [{split_path(path) for path, _ in clip.curves} for clip in joining.clips]
    paths = {ch.destination.addresses[0][0] for ch in matching.channels if ch.kind == "value"}
    if keyed[0] == keyed[1] or not paths | limbs.steering(armature):
        return NONE_HIDDEN
    with controls.staged(armature, joining.source) as stage:
        stage.show(joining.cut)
        known = limbs.find(stage, {bone for bone, _ in keyed[0] | keyed[1] if bone is not None}, paths)
    other = {"FK": "IK", "IK": "FK"}
    sides = [{limb: _side(armature, limb, clip) for limb in known} for clip in joining.clips]
    first, second = (
        frozenset(control for limb, side in shown.items() if side for control in limb.controls(other[side]))
        for shown in sides
    )
    return first, second


def _side(armature: Any, limb: Limb, clip: Clip) -> str:
    """Which side of a limb a clip shows from its first frame to its last, see :meth:`Limb.side`."""
    address = (limb.switch, 0)
    curve = clip.curves.get(address)
    if curve is None:
        return limb.side(property_default(armature, address)[0])
    if curve.obstacle:
        return ""
    sides = {limb.side(value) for value in curve.keys.co[:, 1].tolist()}
    return sides.pop() if len(sides) == 1 else ""


def unkeyed_channels(
    armature: Any, joining: Joining, hidden: Hidden = NONE_HIDDEN
) -> tuple[UnkeyedChannel, ...]:
    """What only one of two clips keys, where it stands away from rest in the other and is seen there; the
    furthest first. hidden: see :func:`hidden_controls`."""
    channels = []
    for clip, other, unseen in zip(joining.clips, joining.clips[::-1], hidden[::-1], strict=True):
        lone = {split_path(path) for path, index in clip.curves if (path, index) not in other.curves}
        kept = {split_path(path) for path, _ in other.unkeyed or {}}
        for bone, prop in lone & kept:
            if bone is None or bone in unseen:
                continue
            mode = rig.rotation_mode(armature, bone) if prop in ROTATIONS else ""
            standing = transform(other, rig.bone_path(bone, ""), prop, mode)
            value = standing.shown(np.array(standing.defaults))
            if prop == "location":
                away = float(np.linalg.norm(value)) * joining.bone_metres
            elif prop == "scale":
                away = float(np.max(np.abs(value - 1.0)))
            else:
                away = math.degrees(float(np.linalg.norm(quaternion.log(value))))
            kind = "rotation" if mode else prop
            if away > SEEN[kind]:
                channels.append(UnkeyedChannel(other.action.name, bone, kind, away))
    # what is furthest in its own kind's sense: a right angle is as much as a metre or twice the size
    return tuple(sorted(channels, key=lambda ch: -ch.away / (90.0 if ch.kind == "rotation" else 1.0)))


@record(frozen=True)
class Completed:
    """An action that was given keys: one on each of its new channels, of these bones."""

    action: str
    channels: int
    bones: tuple[str, ...]


def library(armature: Any) -> list[Any]:
    """The actions of an armature that are its clips: none that Inertia has baked, nor linked ones."""
    return [action for action in clip_store.unbaked(armature) if action.is_editable]


def complete(armature: Any, clips: Sequence[tuple[Any, str]]) -> list[Completed]:
    """Give each clip one key on every channel of a bone's transform that another one of them keys.

    clips: actions with their slots, "" for the one that Blender would choose. The key is where the clip
    begins, of what the channel shows there by :mod:`unkeyed`, so that the clip looks as it is read now.
    Where a clip keys a part of a rotation, the rest of it is keyed as well. Raises InertiaError with
    the file as it was.
    """
    rig.check_armature(armature)
    read = {}
    for action, slot in clips:
        if not action.is_editable:
            raise InertiaError(
                '"{action}" is linked from another file and can\'t be keyed; make it local first.',
                action=action.name,
            )
        clip = clip_store.read(armature, action, slot)
        read[action.name, clip.slot.identifier] = clip
    wanted = {
        (bone, prop)
        for clip in read.values()
        for bone, prop in (split_path(path) for path, _ in clip.curves)
        if bone is not None and bone in armature.pose.bones and prop in _transforms(armature, bone)
    }
    order = {name: i for i, name in enumerate(armature.pose.bones.keys())}
    channels = [
        (rig.bone_path(bone, prop), index)
        for bone, prop in sorted(wanted, key=lambda channel: (order[channel[0]], channel[1]))
        for index in range(_transforms(armature, bone)[prop])
    ]
    # the answers are all found before the first key is written, from which they would follow
    completed = [_complete(clip, channels) for clip in read.values()]
    if completed:
        unkeyed.keep(armature)
    return [each for each in completed if each.channels]


def key_what_differs(kept: Any, other: Any, clips: Sequence[tuple[Any, str]]) -> None:
    """Give clips of one armature keys where they would look otherwise on another one of its skeleton.

    That is where they have none, and the two stand differently. clips: actions of ``other`` with slots.
    """
    poses = standing, other_standing = unkeyed.of_bones(kept), unkeyed.of_bones(other)
    differing = []
    for path, index in sorted(standing.keys() | other_standing.keys()):
        default = quaternion.default_of(split_path(path)[1], index)
        value, other_value = (pose.get((path, index), default) for pose in poses)
        if abs(value - other_value) > unkeyed.SHOWN:
            differing.append((path, index))
    for action, slot in clips:
        clip = actions.read(action, actions.choose_slot(action, other, slot))
        if clip.curves:
            _complete(dataclasses.replace(clip, unkeyed=other_standing), differing)


def _transforms(armature: Any, bone: str) -> dict[str, int]:
    """The properties that move a bone, with how many numbers each has."""
    rotation, count = quaternion.rotation_property(rig.rotation_mode(armature, bone))
    return {"location": 3, rotation: count, "scale": 3}


def _complete(clip: Clip, channels: Sequence[Address]) -> Completed:
    missing = [address for address in channels if address not in clip.curves and address not in clip.muted]
    bag = compat.new_bag(clip.action, clip.slot)
    groups = {group.name: group for group in bag.groups}
    # importers leave F-curves without keys, which say nothing
    empty = {(curve.data_path, curve.array_index): curve for curve in bag.fcurves}
    bones = []
    for path, index in missing:
        bone, prop = split_path(path)
        assert bone is not None
        keys = keylib.constant(clip.start, clip.default_of((path, index), prop))
        if (path, index) in empty:
            actions.fill(empty[path, index], keys)
        else:
            if bone not in groups:
                groups[bone] = bag.groups.new(bone)
            actions.write(bag, (path, index), keys, groups[bone])
        bones.append(bone)
    if missing:
        clip.action.update_tag()
    return Completed(clip.action.name, len(missing), tuple(dict.fromkeys(bones)))
