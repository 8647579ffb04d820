# SPDX-License-Identifier: GPL-3.0-or-later
"""What carries a character by an animation of which its clips know nothing, so that nothing blends it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...errors import Sentence
from ..data import actions, compat, rig, rigs, roots
from ..data.actions import Clip

ALONG = ("FOLLOW_PATH", "TRANSFORM_CACHE")
"""Constraints that move an object by themselves."""
ADDED = ("location", "rotation", "delta_location", "delta_rotation")
"""The beginnings of the properties that move an object."""


def carried_elsewhere(armature: Any, clips: Sequence[Clip]) -> Iterator[Sentence]:
    """Yield a sentence for what moves an armature as a whole and is in none of its clips.

    Such are parents, a bone that it hangs from, and targets of constraints of the object and of its parents.
    Who is in both clips, see :attr:`Clip.holders`, is none, and neither is who stands still.
    """
    held = set[str].intersection(*({*clip.holders} for clip in clips))
    for carrier, name in _carriers(armature, held):
        yield Sentence(
            '"{other}" carries "{armature}", and {animation} moves it apart from the clips: the character '
            'is carried along as it is now, neither aligned nor blended; parent "{armature}" to "{other}" '
            "as a whole and give that a slot in both actions, or move its keys to the armature.",
            other=carrier.name,
            armature=armature.name,
            animation=name,
        )
        return


def _carriers(armature: Any, known_holders: set[str]) -> Iterator[tuple[Any, str]]:
    """Yield (object, what is to be said of it) for whoever carries an armature by an animation that its clips
    lack: "the NLA", an action, a driver, a constraint or a bone.

    known_holders: the prefixes of objects whose channels the clips have.
    """
    for thing in dict.fromkeys((*rig.with_parents(armature), *rig.find_holders(armature))):
        is_known = thing == armature or rig.holder_prefix(thing.name) in known_holders
        if not is_known and (name := _animation(thing)):
            yield thing, name
        elif thing != armature and _drives(thing):
            yield thing, Sentence("a driver")
        known = rig.child_of(thing)
        if known is not None and rig.holder_prefix(known.target.name) not in known_holders:
            known = None
        for constraint in thing.constraints:
            if constraint == known or constraint.mute or constraint.influence <= 0.0:
                continue
            if constraint.type in ALONG:
                yield getattr(constraint, "target", None) or thing, _constraint(constraint)
                continue
            if not rigs.acts(constraint):
                continue
            for target, bone in rigs.targets(constraint):
                if target is None or target == armature:
                    continue
                above = rig.with_parents(target)
                if any(_animation(each, bone) or _drives(each) for each in above):
                    yield target, _constraint(constraint)
        parent = thing.parent
        if parent is not None and thing.parent_type == "BONE" and _animation(parent, thing.parent_bone):
            yield parent, Sentence('the bone "{bone}"', bone=thing.parent_bone)


def _constraint(constraint: Any) -> Sentence:
    return Sentence('the constraint "{constraint}"', constraint=constraint.name)


def _drives(obj: Any) -> bool:
    """Return whether a driver moves an object."""
    return any(driver.data_path.startswith(ADDED) and not driver.mute for driver in rig.drivers(obj))


def _animation(obj: Any, bone: str = "") -> str:
    """Return a few words on what plays on an object and moves it, "" for nothing. Keys that do not vary don't
    count.

    bone: one of its bones that is asked for, too, with all that any bone does.
    """
    animation = obj.animation_data
    if animation is None:
        return ""
    tracks = animation.nla_tracks if animation.use_nla else ()
    if any(not track.mute and len(track.strips) for track in tracks):
        return Sentence("the NLA")
    action, slot = compat.assigned(obj)
    if action is None:
        return ""
    for (path, _), curve in actions.find_acting_curves(action, slot).items():
        name, prop = rig.split_path(path)
        counts = bool(bone) if name is not None else prop.startswith(ADDED)
        if counts and _varies(curve):
            return Sentence('the action "{action}"', action=action.name)
    return ""


def _varies(curve: Any) -> bool:
    """Return whether an F-curve has an un-muted modifier, no keys, or keys of more than one value."""
    if any(not modifier.mute for modifier in curve.modifiers):
        return True
    values = np.empty(2 * len(curve.keyframe_points), np.float32)
    curve.keyframe_points.foreach_get("co", values)
    return not len(values) or bool(np.ptp(values[1::2]) >= roots.STILL)
