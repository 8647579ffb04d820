# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys for what clips leave out, so that clips look alike whatever played before, here and elsewhere.

To key it is the one thing of Inertia's that edits actions that it has not made, and only when asked to.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import InertiaError
from ...motion import quaternion
from ...motion.curves import keys as keylib
from ...records import record
from ..data import actions, clip_store, compat, rig, unkeyed
from ..data.actions import Address, Clip
from ..data.rig import split_path


@record(frozen=True)
class Completed:
    """An action that was given keys: one on each of its new channels, of these bones."""

    action: str
    channels: int
    bones: tuple[str, ...]


def library(armature: Any) -> list[Any]:
    """Return the actions that are an armature's clips: none that Inertia has baked, nor linked ones."""
    return [action for action in clip_store.unbaked(armature) if action.is_editable]


def complete(armature: Any, clips: Sequence[tuple[Any, str]]) -> list[Completed]:
    """Give each clip one key on every channel of a bone's transform that another one of them keys.

    clips: actions with their slots, "" for the one that Blender would choose. The key is where the clip
    begins, of what the channel shows there by :mod:`unkeyed`, so that the clip looks as it is read now.
    Where a clip keys a part of a rotation, the rest of it is keyed as well. Raise InertiaError with
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


def key_what_differs(
    clips: Sequence[tuple[Any, str]],
    other_armature: Any,
    standing: Mapping[Address, float],
    other_standing: Mapping[Address, float],
) -> None:
    """Give clips of one armature keys where they would look otherwise on another one of its skeleton.

    That is where they have none, and the two stand differently. clips: actions of ``other_armature`` with
    slots. standing, other_standing: what bones' channels show un-keyed, on the one they are for and on
    ``other_armature``.
    """
    poses = standing, other_standing
    differing = []
    for path, index in sorted(standing.keys() | other_standing.keys()):
        default = quaternion.default_of(split_path(path)[1], index)
        value, other_value = (pose.get((path, index), default) for pose in poses)
        if abs(value - other_value) > unkeyed.SHOWN:
            differing.append((path, index))
    for action, slot in clips:
        clip = actions.read(action, actions.choose_slot(action, other_armature, slot))
        if clip.curves:
            _complete(dataclasses.replace(clip, unkeyed=other_standing), differing)


def _transforms(armature: Any, bone: str) -> dict[str, int]:
    """Return the properties that move a bone, location, the rotation of its present mode, and scale, with how
    many numbers each has.
    """
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
        path, index = clip.address_in_action((path, index))
        bone = clip.renamed.get(bone, bone)
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
