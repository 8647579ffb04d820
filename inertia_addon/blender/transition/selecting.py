# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones and channels by name or pattern: which take part in a transition, and how long single ones blend.

A channel is called by its data path, such as ``["mood"]``, or shorter: ``mood``, ``Smile`` for the value of
that shape key, ``Head.location`` and ``Head.mood`` for what a bone has. A bone's name stands for all of its
channels. Patterns are those of file names: ``finger*``, ``*.scale``. What begins with ``!`` is left out.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...errors import InertiaError
from ...records import record
from ...settings.transition import TransitionSettings
from ..data import compat, rig
from ..data.actions import Clip
from ..data.channels import Channels
from ..data.names import LEFT_OUT, fits

_CUSTOM = re.compile(r'^\["((?:[^"\\]|\\.)*)"\]$')
_SHAPE_KEY = re.compile(r'^key_blocks\["((?:[^"\\]|\\.)*)"\]\.value$')


@functools.lru_cache(maxsize=2**14)
def names_of(path: str) -> tuple[str, ...]:
    """Return all that a channel may be called, from its data path: of a bone's the bone's name, the path, a
    custom property's or shape key's short name, and "BONE.PROPERTY"; of others the path first.
    """
    bone, prop = rig.split_path(path)
    named = _CUSTOM.match(prop) or _SHAPE_KEY.match(prop)
    short = [named.group(1)] if named else []
    if bone is None:
        return path, *short
    of_bone = [f"{bone}.{each}" for each in (*short, prop)]
    if prop.startswith("rotation_") and prop != "rotation_mode":
        of_bone.append(f"{bone}.rotation")
    return bone, path, *short, *of_bone


@record(frozen=True)
class TakingPart:
    """What takes part in a transition.

    names: as settings have them. bones: those of the armature of which every transform takes part.
    is_of_bones: whether nothing but bones was asked for; then what else the actions animate is left alone.
    """

    names: tuple[str, ...]
    bones: frozenset[str]
    is_of_bones: bool

    def takes(self, channels: Channels) -> bool:
        """Return whether some channels take part."""
        return self.takes_path(channels.source.addresses[0][0])

    def takes_path(self, path: str) -> bool:
        """Return whether the channel of a data path takes part."""
        return _is_taken(self.names, path)


@functools.lru_cache(maxsize=2**14)
def _is_taken(names: tuple[str, ...], path: str) -> bool:
    own = names_of(path)
    wanted = [name for name in names if not name.startswith(LEFT_OUT)]
    left_out = (name.removeprefix(LEFT_OUT) for name in names if name.startswith(LEFT_OUT))
    is_wanted = not wanted or any(fits(name, each) for name in wanted for each in own)
    return is_wanted and not any(fits(name, each) for name in left_out for each in own)


def select_participants(armature_bones: Sequence[str], settings: TransitionSettings) -> TakingPart | None:
    """Return what takes part, by the settings' names and patterns, with the bones that do so whole; None for
    all.
    """
    names = settings.bones
    if not names:
        return None
    if all(name in armature_bones for name in names):
        return TakingPart(names, frozenset(names), is_of_bones=True)
    transforms = ("location", "rotation_quaternion", "scale")
    whole = (
        bone
        for bone in armature_bones
        if all(_is_taken(names, rig.bone_path(bone, prop)) for prop in transforms)
    )
    is_of_bones = all(
        not name.startswith(LEFT_OUT) and any(fits(name, bone) for bone in armature_bones) for name in names
    )
    return TakingPart(names, frozenset(whole), is_of_bones)


@record(frozen=True)
class Scales:
    """Multipliers of blend times.

    bones: by name, for all of a bone's channels; entries: by name or pattern, which come before these.
    """

    bones: Mapping[str, float]
    entries: tuple[tuple[str, float], ...] = ()

    @property
    def longest(self) -> float:
        """The largest multiplier of all, 1 at least."""
        return max((1.0, *self.bones.values(), *(scale for _, scale in self.entries)))

    def of(self, channels: Channels) -> float:
        """Return the multiplier of channels: of the last entry that names them, else of a pattern, else the
        bone's own."""
        asked = _find_asked(self.entries, channels.source.addresses[0][0]) if self.entries else None
        return self.bones.get(channels.bone or "", 1.0) if asked is None else asked

    def of_bone(self, bone: str) -> float:
        """Return the multiplier of a bone's rotation."""
        asked = (
            _find_asked(self.entries, rig.bone_path(bone, "rotation_quaternion")) if self.entries else None
        )
        return self.bones.get(bone, 1.0) if asked is None else asked

    def of_others(self) -> Scales:
        """Return those for what belongs to the character and is no bone, such as shape keys."""
        return Scales({}, self.entries)


@functools.lru_cache(maxsize=2**14)
def _find_asked(entries: tuple[tuple[str, float], ...], path: str) -> float | None:
    """Return what entries ask for of a channel, None for nothing: its own name counts before a bone's, and
    names before patterns, the last of equals.
    """
    own, found = names_of(path), dict[int, float]()
    bone = rig.split_path(path)[0]
    for name, scale in entries:
        if any(fits(name, each) for each in own):
            found[2 if name in own and name != bone else 1 if name in own else 0] = scale
    return found[max(found)] if found else None


def check(armature: Any, settings: TransitionSettings, clips: Iterable[Clip]) -> None:
    """Raise InertiaError for a name or pattern, of bones or blend scales, that fits no bone and nothing that
    clips animate.
    """
    bones = armature.data.bones
    entries = [name.removeprefix(LEFT_OUT) for name in settings.bones]
    unknown = [name for name in (*entries, *(name for name, _ in settings.blend_scales)) if name not in bones]
    if not unknown:
        return
    known = {*bones.keys(), *(name for clip in clips for path in _paths(clip) for name in names_of(path))}
    for name in unknown:
        if not any(fits(name, each) for each in known):
            raise InertiaError(
                '"{armature}" has no bone "{name}", and the actions animate no property or shape key of that '
                "name; choose one that is there, or a pattern such as finger*.",
                armature=armature.name,
                name=name,
            )


def names_in(animated: Iterable[Any]) -> set[str]:
    """Return what the channels of actions are called."""
    paths = {
        curve.data_path
        for action in animated
        for slot in compat.slots(action)
        for curve in compat.curves(action, slot.identifier)
    }
    return {name for path in paths for name in names_of(path)}


def _paths(clip: Clip) -> set[str]:
    """Return the data paths of all that a clip's action animates."""
    paths = {path for path, _ in clip.curves}
    if clip.others is not None:
        return paths.union(path for other in clip.others for path, _ in other.curves)
    slots = compat.slots(clip.action)
    return paths.union(
        curve.data_path for slot in slots for curve in compat.curves(clip.action, slot.identifier)
    )
