# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong, or worth knowing, before a bake."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError, Sentence
from ...motion import quaternion, transforms
from ...motion.skeleton import character
from ...motion.skeleton.posing import Rig
from ...settings.transition import OBJECT_ROOT, TransitionSettings
from ..data import rig, roots, scene
from ..data.actions import Clip
from ..data.channels import Matching
from ..data.roots import Root
from .alignment import Alignment, apart
from .report import UnkeyedChannel

NAMED = 4
"""So many un-keyed channels of a clip are named one by one; the report has all."""


def resolved(settings: TransitionSettings, destination: Clip) -> TransitionSettings:
    """Settings with the destination frame filled in: the destination's first by default."""
    if settings.destination_frame is not None:
        return settings
    return dataclasses.replace(settings, destination_frame=destination.start)


def check_frames(settings: TransitionSettings, source: Clip, destination: Clip) -> None:
    """Raise InertiaError when the cut or the destination frame lies outside its clip."""
    if settings.extrapolate:
        return
    for label, frame, clip in (
        ("cut", settings.cut, source),
        ("destination frame", settings.destination_frame, destination),
    ):
        assert frame is not None
        if not clip.start - 1e-3 <= frame <= clip.end + 1e-3:
            raise InertiaError(
                'The {label} {frame:g} lies outside of "{action}", which runs from frame {start:g} to '
                "{end:g}; choose a frame inside, or allow to extrapolate.",
                label=label,
                frame=frame,
                action=clip.action.name,
                start=clip.start,
                end=clip.end,
            )


def chosen_bones(armature: Any, settings: TransitionSettings) -> set[str] | None:
    """The bones that take part, None for all. Raises InertiaError for one that does not exist."""
    if not settings.bones:
        return None
    for name in settings.bones:
        if name not in armature.data.bones:
            raise InertiaError(
                '"{armature}" has no bone "{name}"; choose bones of this armature.',
                armature=armature.name,
                name=name,
            )
    return set(settings.bones)


def alignment_kind(settings: TransitionSettings, root: Root, taking_part: set[str] | None) -> str:
    """The alignment to use: never AUTO, and none where the root takes no part."""
    if taking_part is not None and root.name not in taking_part:
        return "NONE"
    if settings.alignment == "AUTO":
        return automatic(root.moves)
    return settings.alignment


def carried(armature: Any, settings: TransitionSettings, clips: Sequence[Clip]) -> tuple[Root, str]:
    """What carries the character in clips, and how a bake moves what follows: never AUTO."""
    root = roots.find_root(armature, clips, settings.root)
    return root, alignment_kind(settings, root, chosen_bones(armature, settings))


def automatic(moves: bool) -> str:
    """What AUTO is for two clips in which the root moves, see :class:`roots.Root`, or does not."""
    return "POSITION_HEADING" if moves else "NONE"


def warnings(
    armature: Any,
    read_rig: Rig,
    settings: TransitionSettings,
    source: Clip,
    destination: Clip,
    matching: Matching,
    root: Root,
    alignment: Alignment,
    unkeyed: Sequence[UnkeyedChannel],
    fps: float,
) -> list[str]:
    """What an animator should know before baking, a sentence each."""
    return [
        *_ignored_rotations(armature, matching),
        *_missing_bones(armature, matching),
        *_one_sided(source, destination, matching, unkeyed),
        *_unkeyed(unkeyed),
        *_odd_quaternions(source, destination),
        *_muted(source, destination),
        *_acting_on_top(armature),
        *_hiding(armature, settings),
        *_timing(settings, source, destination, fps),
        *alignment.warnings,
        *_gliding(armature, read_rig, settings, source, destination, root, alignment),
    ]


def _gliding(
    armature: Any,
    read_rig: Rig,
    settings: TransitionSettings,
    source: Clip,
    destination: Clip,
    root: Root,
    alignment: Alignment,
) -> list[Sentence]:
    """How far the character has to glide or turn round within the blend, as nothing aligns it."""
    if alignment.kind != "NONE" or (settings.bones and root.name not in settings.bones):
        return []
    assert settings.destination_frame is not None
    away, turned = apart(read_rig, root, source, settings.cut, destination, settings.destination_frame)
    here, there = source.action.name, destination.action.name
    found = []
    if away > character.APART * rig.size(armature, rig.object_matrix(armature)):
        found.append(
            Sentence(
                'At the cut "{there}" stands {metres:.3g} m away from "{here}", and the character glides '
                "there within the blend; align the position, too, if it shall not.",
                there=there,
                metres=away * scene.metres_per_unit(),
                here=here,
            )
        )
    if abs(turned) > roots.TURN:
        found.append(
            Sentence(
                'At the cut "{there}" faces {degrees:.0f} degrees away from "{here}", and the character '
                "turns there within the blend; align the heading, too, if it shall not.",
                there=there,
                degrees=abs(math.degrees(turned)),
                here=here,
            )
        )
    return found


def _names(names: list[str], limit: int = 4) -> str:
    shown = ", ".join(f'"{name}"' for name in names[:limit])
    if len(names) <= limit:
        return shown
    return Sentence("{shown} and {count} more", shown=shown, count=len(names) - limit)


def _ignored_rotations(armature: Any, matching: Matching) -> list[Sentence]:
    found = []
    for prop in sorted({prop for _, prop in matching.ignored}):
        names = [bone if bone is not None else armature.name for bone, p in matching.ignored if p == prop]
        found.append(
            Sentence(
                "{prop} is keyed on {names} but another rotation mode is set there, so Blender ignores "
                "those curves and they are left out.",
                prop=prop,
                names=_names(names),
            )
        )
    return found


def _missing_bones(armature: Any, matching: Matching) -> list[Sentence]:
    if not matching.missing:
        return []
    return [
        Sentence(
            '"{armature}" lacks {missing}; their curves are left out.',
            armature=armature.name,
            missing=_names(list(matching.missing)),
        )
    ]


def unkeyed_channels(
    armature: Any, source: Clip, destination: Clip, metres: Mapping[str | None, float]
) -> tuple[UnkeyedChannel, ...]:
    """What only one of two clips keys, where it stands away from rest in the other; the furthest first.

    metres: per unit of location, by bone.
    """
    found = []
    for one, other in ((source, destination), (destination, source)):
        lone = {rig.split_path(path) for path, index in one.curves if (path, index) not in other.curves}
        standing = {rig.split_path(path) for path, _ in other.unkeyed or {}}
        for bone, prop in lone & standing:
            if bone is None:
                continue
            count = 4 if prop in ("rotation_quaternion", "rotation_axis_angle") else 3
            path = rig.bone_path(bone, prop)
            value = np.array([other.default_of((path, i), prop) for i in range(count)])
            kind = prop
            if prop == "location":
                away = float(np.linalg.norm(value)) * metres[bone]
            elif prop == "scale":
                away = float(np.max(np.abs(value - 1.0)))
            else:
                kind, mode = "rotation", rig.rotation_mode(armature, bone)
                turn = quaternion.log(transforms.to_quaternion(value, mode))
                away = math.degrees(float(np.linalg.norm(turn)))
            found.append(UnkeyedChannel(other.action.name, bone, kind, away))
    # what is furthest in its own kind's sense: a right angle is as much as a metre or twice the size
    return tuple(sorted(found, key=lambda ch: -ch.away / (90.0 if ch.kind == "rotation" else 1.0)))


def _unkeyed(channels: Sequence[UnkeyedChannel]) -> list[Sentence]:
    found = []
    for action in dict.fromkeys(channel.action for channel in channels):
        own = [channel for channel in channels if channel.action == action]
        for channel in own[:NAMED]:
            unit = {"rotation": "\N{DEGREE SIGN}", "location": " m"}.get(channel.kind, "")
            away = f"{channel.away:.3g}{unit}"
            found.append(
                Sentence(
                    '"{action}" does not key the {kind} of "{bone}": it is taken as it stands, {away} from '
                    "rest; Complete Clips keys it.",
                    action=action,
                    kind=channel.kind,
                    bone=channel.bone,
                    away=away,
                )
            )
        if len(own) > NAMED:
            found.append(
                Sentence(
                    '"{action}" does not key {count} more channels that are not at rest.',
                    action=action,
                    count=len(own) - NAMED,
                )
            )
    return found


def _one_sided(
    source: Clip, destination: Clip, matching: Matching, unkeyed: Sequence[UnkeyedChannel]
) -> list[Sentence]:
    """Bones that only one clip keys and that stand at rest: the other side shows their rest pose."""
    found = []
    away = {(channel.action, channel.bone) for channel in unkeyed}
    for one, other in ((source, destination), (destination, source)):
        here = {rig.split_path(path)[0] for path, _ in one.curves}
        there = {rig.split_path(path)[0] for path, _ in other.curves}
        lone = sorted(b for b in here - there if b is not None and b not in matching.missing)
        lone = [bone for bone in lone if (other.action.name, bone) not in away]
        if lone:
            found.append(
                Sentence(
                    '"{action}" has no keys for {lone}: they go to their rest pose there.',
                    action=other.action.name,
                    lone=_names(lone),
                )
            )
    return found


def _odd_quaternions(source: Clip, destination: Clip) -> list[Sentence]:
    found = []
    for clip in (source, destination):
        bones = []
        for path in {p for p, _ in clip.curves if p.endswith("rotation_quaternion")}:
            columns = [clip.curves.get((path, i)) for i in range(4)]
            if any(c is None for c in columns):
                continue
            keys = [c.keys.co[:, 1] for c in columns if c is not None]
            if len({len(k) for k in keys}) > 1:
                continue
            length = np.sqrt(np.sum(np.square(keys), axis=0))
            if np.any(np.abs(length - 1.0) > 1e-3):
                bones.append(rig.split_path(path)[0] or "the object")
        if bones:
            found.append(
                Sentence(
                    '"{action}" has quaternions that are not of length 1 on {bones}; they are read as '
                    "Blender shows them.",
                    action=clip.action.name,
                    bones=_names(sorted(bones)),
                )
            )
    return found


def _muted(source: Clip, destination: Clip) -> list[Sentence]:
    return [
        Sentence(
            '"{action}" has {count} muted curves, which are left out.',
            action=clip.action.name,
            count=len(clip.muted),
        )
        for clip in (source, destination)
        if clip.muted
    ]


def _acting_on_top(armature: Any) -> list[Sentence]:
    """Constraints and drivers, which go on acting on the baked channels."""
    found = []
    constrained = [
        bone.name
        for bone in armature.pose.bones
        if any(not c.mute and c.influence > 0.0 for c in bone.constraints)
    ]
    if constrained:
        found.append(
            Sentence(
                "Constraints on {constrained} act on top of the result, as they do now.",
                constrained=_names(constrained),
            )
        )
    animation = armature.animation_data
    drivers = [d.data_path for d in animation.drivers] if animation is not None else []
    driven = sorted({rig.split_path(path)[0] or armature.name for path in drivers})
    if driven:
        found.append(Sentence("Drivers on {driven} win over the result's keys.", driven=_names(driven)))
    return found


def _hiding(armature: Any, settings: TransitionSettings) -> list[Sentence]:
    """Tracks that alone are played, so that the assigned action is not seen."""
    if not settings.assign or not (tracks := soloed_tracks(armature)):
        return []
    return [
        Sentence(
            'The track "{track}" of "{armature}" is soloed and hides the assigned result; click its star in '
            "the NLA Editor to see it.",
            track=tracks[0],
            armature=armature.name,
        )
    ]


def soloed_tracks(armature: Any) -> tuple[str, ...]:
    """The names of the NLA tracks of which Blender plays no other, nor the assigned action."""
    animation = armature.animation_data
    if animation is None or not animation.use_nla:
        return ()
    return tuple(track.name for track in animation.nla_tracks if track.is_solo)


def _timing(settings: TransitionSettings, source: Clip, destination: Clip, fps: float) -> list[Sentence]:
    found = []
    assert settings.destination_frame is not None
    if settings.method != "SPRING":
        left = destination.end - settings.destination_frame
        if settings.frames(fps) > left + 1e-3:
            found.append(
                Sentence(
                    '"{action}" ends {left:g} frames after the cut, before the blend time of {blend:g} '
                    "frames is over; its last pose is held.",
                    action=destination.action.name,
                    left=max(left, 0.0),
                    blend=settings.frames(fps),
                )
            )
    for clip, frame in ((source, settings.cut), (destination, settings.destination_frame)):
        if clip.end - clip.start < 1e-3:
            found.append(
                Sentence('"{action}" is a single pose, so it has no velocity.', action=clip.action.name)
            )
        elif not clip.start - 1e-3 <= frame <= clip.end + 1e-3:
            found.append(
                Sentence(
                    '"{action}" is extrapolated: frame {frame:g} lies outside of its keys.',
                    action=clip.action.name,
                    frame=frame,
                )
            )
    fractional = [clip.action.name for clip in (source, destination) if _has_keys_between_frames(clip)]
    if fractional:
        found.append(
            Sentence(
                "{fractional} has keys between frames; check that the scene's {fps:g} frames a second are "
                "the ones it was made for.",
                fractional=_names(fractional),
                fps=fps,
            )
        )
    return found


def _has_keys_between_frames(clip: Clip) -> bool:
    if not clip.curves:
        return False
    frames = np.concatenate([curve.keys.co[:, 0] for curve in clip.curves.values()])
    return bool(np.any(np.abs(frames - np.round(frames)) > 0.01))


def root_label(root: Root) -> str:
    """A root's name for the animator."""
    return "the object" if root.name == OBJECT_ROOT else f'"{root.name}"'
