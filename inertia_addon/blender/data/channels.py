# SPDX-License-Identifier: GPL-3.0-or-later
"""Which channels of two clips belong together: rotations, vectors and single values."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...motion import transforms
from . import properties, rig, unkeyed
from .actions import Address, Clip

Array = NDArray[np.float64]

VECTORS = ("location", "scale")
ROTATIONS = ("rotation_quaternion", "rotation_euler", "rotation_axis_angle")
MODES = ("AXIS_ANGLE", "QUATERNION", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
"""Rotation modes by their number in a keyed ``rotation_mode``, which starts at -1."""


@dataclasses.dataclass(frozen=True)
class Channels:
    """Channels that decay as one: a rotation, a location, a scale, or one value.

    bone: the bone's name, None for the object or another data-block. kind: ``rotation``,
    ``location``, ``scale`` or ``value``. source, destination: the addresses in each clip, which
    differ where the clips key the rotation mode. defaults: what an un-keyed channel shows, one for
    each address. discrete: a number, switch or choice that can only jump.
    """

    bone: str | None
    kind: str
    source: tuple[Address, ...]
    destination: tuple[Address, ...]
    source_defaults: tuple[float, ...]
    destination_defaults: tuple[float, ...]
    source_mode: str = ""
    destination_mode: str = ""
    discrete: bool = False


@dataclasses.dataclass(frozen=True)
class Matching:
    """What two clips have to do with each other.

    ignored: (bone, property) whose curves Blender ignores, as the rotation mode is another.
    missing: bones that the clips key and the armature lacks.
    """

    channels: tuple[Channels, ...]
    ignored: tuple[tuple[str | None, str], ...]
    missing: tuple[str, ...]


def match(
    owner: Any | None,
    source: Clip,
    destination: Clip,
    cut: float,
    destination_frame: float,
    carried: Iterable[str | None] = (),
) -> Matching:
    """Group the channels of two clips of one slot.

    owner: the data-block that the slot animates; None when nothing does, and then every transform
    is taken as keyed. carried: bones, None for the object, that are moved even where no clip keys
    them.
    """
    grouped: dict[tuple[str | None, str], list[Address]] = {}
    for address in {**source.curves, **destination.curves}:
        grouped.setdefault(rig.split_path(address[0]), []).append(address)
    for bone in carried:
        for prop in ("location", transforms.rotation_property(rig.rotation_mode(owner, bone))[0]):
            path = prop if bone is None else rig.bone_path(bone, prop)
            grouped.setdefault((bone, prop), [(path, 0)])
    bones = owner.pose.bones if owner is not None and getattr(owner, "pose", None) else None
    channels: list[Channels] = []
    ignored: list[tuple[str | None, str]] = []
    missing: set[str] = set()
    for (bone, prop), addresses in grouped.items():
        if bone is not None and bones is not None and bone not in bones:
            missing.add(bone)
        elif prop in ROTATIONS:
            made = _rotation(owner, bone, prop, source, destination, cut, destination_frame)
            if made is None:
                ignored.append((bone, prop))
            elif made not in channels:
                channels.append(made)
        elif prop in VECTORS:
            path = addresses[0][0]
            channels.append(_plain(bone, prop, [(path, i) for i in range(3)], owner, source, destination))
        else:
            for address in sorted(addresses):
                channels.append(_plain(bone, "value", [address], owner, source, destination))
    return Matching(tuple(channels), tuple(ignored), tuple(sorted(missing)))


def _rotation(
    owner: Any | None, bone: str | None, prop: str, source: Clip, destination: Clip, cut: float, frame: float
) -> Channels | None:
    """The rotation of a bone or object; None when neither clip's rotation mode reads the property."""
    prefix = "" if bone is None else rig.bone_path(bone, "")
    modes = [_mode(owner, bone, prefix, prop, clip, at) for clip, at in ((source, cut), (destination, frame))]
    read = [transforms.rotation_property(mode) for mode in modes]
    if prop not in (read[0][0], read[1][0]):
        return None
    here, there = (tuple((prefix + name, i) for i in range(count)) for name, count in read)
    standing, entering = (
        tuple(_transform_default(owner, bone, name, i, clip) for i in range(count))
        for (name, count), clip in zip(read, (source, destination), strict=True)
    )
    return Channels(bone, "rotation", here, there, standing, entering, modes[0], modes[1])


def _mode(owner: Any | None, bone: str | None, prefix: str, prop: str, clip: Clip, frame: float) -> str:
    """The rotation mode in a clip: keyed, or the pose bone's, or what the keys are of."""
    keyed = clip.curves.get((prefix + "rotation_mode", 0))
    if keyed is not None:
        return MODES[round(keyed.value(frame)) + 1]
    if owner is None or not hasattr(owner, "rotation_mode"):
        return {"rotation_quaternion": "QUATERNION", "rotation_axis_angle": "AXIS_ANGLE"}.get(prop, "XYZ")
    return rig.rotation_mode(owner, bone)


def _plain(
    bone: str | None, kind: str, addresses: list[Address], owner: Any | None, source: Clip, destination: Clip
) -> Channels:
    """A vector or a single value; its addresses are the same in both clips."""
    discrete = False
    both = tuple(addresses)
    if kind == "value":
        defaults: list[float] = [0.0]
        if owner is not None:
            defaults[0], discrete = property_default(owner, addresses[0])
        elif addresses[0][0].endswith(("mute", "hide_viewport", "hide_render", "rotation_mode")):
            discrete = True
    else:
        here, there = (
            tuple(_transform_default(owner, bone, kind, index, clip) for _, index in addresses)
            for clip in (source, destination)
        )
        return Channels(bone, kind, both, both, here, there)
    return Channels(bone, kind, both, both, tuple(defaults), tuple(defaults), discrete=discrete)


def _transform_default(owner: Any | None, bone: str | None, prop: str, index: int, clip: Clip) -> float:
    """What a transform channel shows that a clip does not key; see :mod:`unkeyed`."""
    if bone is None and owner is not None and hasattr(owner, prop):
        return unkeyed.standing(owner, prop, index)
    path = prop if bone is None else rig.bone_path(bone, prop)
    return clip.default_of((path, index), prop)


def property_default(owner: Any, address: Address) -> tuple[float, bool]:
    """The default of any animatable property, and whether it can only jump (no float)."""
    path, index = address
    try:
        holder, name, custom = properties.find(owner, path)
    except LookupError:
        return 0.0, False
    if custom:
        return _custom_default(holder, name, index)
    prop = holder.bl_rna.properties.get(name)
    if prop is None:
        return 0.0, False
    if prop.type == "ENUM":
        items = {item.identifier: item.value for item in prop.enum_items}
        # an un-keyed rotation mode is the rig's own, and decides which curves are read
        shown = getattr(holder, name) if name == "rotation_mode" else prop.default
        return float(items.get(shown, 0)), True
    if prop.type not in ("FLOAT", "INT", "BOOLEAN"):
        return 0.0, True
    if holder.bl_rna.identifier == "ShapeKey":
        return 0.0, prop.type != "FLOAT"  # a face at rest; Blender 5.0 calls 1 the default
    default = prop.default_array[index] if getattr(prop, "is_array", False) else prop.default
    return float(default), prop.type != "FLOAT"


def _custom_default(holder: Any, name: str, index: int) -> tuple[float, bool]:
    """The default of a custom property, as its holder's settings for it say."""
    value = holder[name]
    element = value[index] if hasattr(value, "__len__") and not isinstance(value, str) else value
    discrete = not isinstance(element, float)
    try:
        settings = holder.id_properties_ui(name).as_dict()
    except (TypeError, KeyError):
        return 0.0, discrete
    default = settings.get("default", 0.0)
    if isinstance(default, list | tuple):
        default = default[index] if index < len(default) else 0.0
    return (0.0 if isinstance(default, str) else float(default)), discrete


def values(clip: Clip, addresses: Sequence[Address], defaults: Sequence[float], frames: Array) -> Array:
    """The raw channel values (frames, channels) of a clip by Blender's own evaluation."""
    raw = np.empty((len(frames), len(addresses)))
    for column, address in enumerate(addresses):
        curve = clip.curves.get(address)
        if curve is None:
            raw[:, column] = defaults[column]
        else:
            evaluate = curve.fcurve.evaluate
            raw[:, column] = [evaluate(frame) for frame in frames]
    return raw
