# SPDX-License-Identifier: GPL-3.0-or-later
"""Which channels of two clips belong together: rotations, vectors and single values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ...motion import quaternion
from ...motion.arrays import Array, Floats
from ...motion.curves import evaluation as curvelib
from ...records import record
from . import properties, rig, unkeyed
from .actions import Address, Clip, Repeated

VECTORS = ("location", "scale")
ROTATIONS = ("rotation_quaternion", "rotation_euler", "rotation_axis_angle")

REST: Mapping[Address, float] = {}
"""Nothing that stands elsewhere than at rest."""


@record(frozen=True)
class ClipChannels:
    """Channels in one clip. defaults: what un-keyed ones show. mode: the rotation mode, "" for none."""

    clip: Clip
    addresses: tuple[Address, ...]
    defaults: tuple[float, ...]
    mode: str = ""

    def raw(self, frames: Array, values: Mapping[Address, Floats] | None = None) -> Array:
        """Return the raw values (frames, channels), as Blender evaluates them, in the order of ``addresses``.

        values: known values (frames,) by address, used in place of curves; None to find those of curves that
        are known by value. A channel without a curve shows its default at each frame. Rotations are as
        stored: Euler angles in radians, quaternions not normalised.
        """
        values = _evaluate_together([self], frames) if values is None else values
        raw = np.empty((len(frames), len(self.addresses)))
        for column, (address, default) in enumerate(zip(self.addresses, self.defaults, strict=True)):
            curve = self.clip.curves.get(address)
            if address in values:
                raw[:, column] = values[address]
            else:
                raw[:, column] = default if curve is None else curve.at(frames)
        return raw

    def decode(self, raw: Array) -> Array:
        """Return what raw values (n, channels) show: of a rotation unit quaternions (n, 4), of others the
        same.
        """
        return quaternion.to_quaternion(raw, self.mode) if self.mode else raw


def raw_of(several: Sequence[ClipChannels], frames: Array) -> list[Array]:
    """Return the raw values (frames, channels) of each of several channels of one clip, in their order, all
    at once where possible.
    """
    values = _evaluate_together(several, frames)
    return [channels.raw(frames, values) for channels in several]


def _evaluate_together(several: Sequence[ClipChannels], frames: Array) -> dict[Address, Floats]:
    """Return the values (frames,) of those channels of one clip whose curves are known by value."""
    keys = {
        at: curve.whole
        for channels in several
        for at in channels.addresses
        if isinstance(curve := channels.clip.curves.get(at), Repeated) and curve.shown is None
    }
    return dict(zip(keys, curvelib.evaluate_together(list(keys.values()), frames), strict=True))


def decode_all(several: Sequence[ClipChannels], raw: Sequence[Array]) -> list[Array]:
    """Return what the raw values of several channels show, in the same order: rotations become unit
    quaternions (frames, 4), w first; all other arrays are returned as they are.

    several: the channels, of which those with a ``mode`` are rotations; see :func:`quaternion.to_quaternion`,
    by which a quaternion of zeros gives half a turn about x, and an axis of zeros the identity. raw: one
    array (frames, channels) for each, all of as many frames. The given list is not changed. Raise ValueError
    for a mode that Blender does not have.
    """
    shown = list(raw)
    for mode in {channels.mode for channels in several} - {""}:
        rows = [i for i, channels in enumerate(several) if channels.mode == mode]
        turns = quaternion.to_quaternion(np.stack([raw[i] for i in rows]), mode)
        for i, turn in zip(rows, turns, strict=True):
            shown[i] = turn
    return shown


@record(frozen=True)
class Channels:
    """Channels that decay as one: a rotation, a location, a scale, or one value.

    bone: the bone's name, None for the object or another data-block. kind: ``rotation``,
    ``location``, ``scale`` or ``value``. source, destination: in each clip, whose addresses
    differ where the clips key the rotation mode. discrete: a number, switch or choice that can only jump.
    """

    bone: str | None
    kind: str
    source: ClipChannels
    destination: ClipChannels
    discrete: bool = False

    @property
    def carrier(self) -> str | None:
        """Who has them among those who carry a character, see :func:`rig.carrier_of`."""
        return self.bone if self.bone is not None else rig.carrier_of(self.destination.addresses[0][0])


@record(frozen=True)
class Matching:
    """What two clips have to do with each other.

    ignored: (bone, property) whose curves Blender ignores, as the rotation mode is another.
    missing: bones that the clips key and the armature lacks.
    """

    channels: tuple[Channels, ...]
    ignored: tuple[tuple[str | None, str], ...]
    missing: tuple[str, ...]


def transform(
    clip: Clip, prefix: str, prop: str, mode: str = "", standing: Mapping[Address, float] = REST
) -> ClipChannels:
    """Return the channels of a location, a scale or a rotation of a bone or an object, in one clip: their
    ``addresses`` by rising index, a default for each, and the mode.

    prefix: the beginning of their data paths, "" for the object itself. prop: ``location`` or ``scale``;
    ignored where a mode is given. mode: a rotation mode, which chooses the rotation property and its 3 or 4
    channels; "" for none. The clip need not key any of them: a channel without a curve has as its default the
    value in `standing` (by address, for objects), else the clip's ``unkeyed`` value, else that at rest.
    """
    prop, count = quaternion.rotation_property(mode) if mode else (prop, 3)
    addresses = tuple((prefix + prop, index) for index in range(count))
    defaults = (standing[at] if at in standing else clip.default_of(at, prop) for at in addresses)
    return ClipChannels(clip, addresses, tuple(defaults), mode)


def match(
    owner: Any | None,
    source: Clip,
    destination: Clip,
    cut: float,
    destination_frame: float,
    carried: Iterable[str | None] = (),
) -> Matching:
    """Group the channels of two clips of one slot into those that decay as one; return a :class:`Matching`.

    owner: the data-block that the slot animates; None for none: then no bone is missing and every transform
    is taken as keyed. cut, destination_frame: frames of the source and the destination at which a keyed
    rotation mode is read. carried: who gets location, rotation and scale channels even where no clip keys
    them: bones, None for the object, others as :func:`rig.carrier_of` names them (deltas get no scale and no
    axis-angle rotation); needs an owner; KeyError for a bone that is not there.

    ``channels``, each once, come as the clips key them, the source's first, those only carried last.
    Location, rotation and scale are grouped whole, under that kind; each other address, a delta scale's too,
    stands alone with the kind "value", ``discrete`` if it can only jump. Left out are curves of bones that
    the owner lacks (``missing``, sorted names) and of rotations in a mode that neither clip uses
    (``ignored``: (bone or None, property)).
    """
    grouped: dict[tuple[str | None, str], list[Address]] = {}
    for address in {**source.curves, **destination.curves}:
        grouped.setdefault(rig.split_path(address[0]), []).append(address)
    for carrier in carried:
        prefix, mode = rig.carrier_prefix(carrier), rig.rotation_mode(owner, carrier)
        for prop in ("location", quaternion.rotation_property(mode)[0], "scale"):
            if prefix.endswith("delta_") and (prop == "scale" or prop == "rotation_axis_angle"):
                continue
            grouped.setdefault(rig.split_path(prefix + prop), [])
    bones = owner.pose.bones if owner is not None and getattr(owner, "pose", None) else None
    channels: dict[Channels, None] = {}
    ignored: list[tuple[str | None, str]] = []
    missing: set[str] = set()
    for (bone, prop), addresses in grouped.items():
        if bone is not None and bones is not None and bone not in bones:
            missing.add(bone)
        elif _is_transform(bone, prop):
            pair = _transform(owner, bone, prop, ((source, cut), (destination, destination_frame)))
            if pair is None:
                ignored.append((bone, prop))
            else:
                channels[pair] = None
        else:
            for address in sorted(addresses):
                default, discrete = property_default(owner, address)
                ends = [ClipChannels(clip, (address,), (default,)) for clip in (source, destination)]
                channels[Channels(bone, "value", ends[0], ends[1], discrete)] = None
    return Matching(tuple(channels), tuple(ignored), tuple(sorted(missing)))


def _transform(
    owner: Any | None, bone: str | None, prop: str, ends: Iterable[tuple[Clip, float]]
) -> Channels | None:
    """Return the channels of a location, scale or rotation of a bone or object in both clips, as Channels of
    the kind "location", "scale" or "rotation", deltas included, that are not discrete.

    bone: None for the object, whose `prop` may be a delta or begin with the prefix of an object that carries
    it. ends: the source and the destination, each with the frame at which its rotation mode is read. A
    rotation is decoded in each clip's own mode, so that both may have other addresses than `prop`. Return
    None for a rotation property that neither mode reads. KeyError for a bone that the owner lacks.
    """
    prefix, before = "" if bone is None else rig.bone_path(bone, ""), ""
    if bone is None:
        prefix, _, prop = rig.split_holder(prop)
        owner = rig.holder_of(owner, prefix)
        before = "delta_" if prop in rig.DELTAS else ""
        prop = prop.removeprefix(before)
    is_object = bone is None and hasattr(owner, "location")
    sides = []
    for clip, frame in ends:
        mode = _mode(owner, bone, prefix, prop, clip, frame) if prop in ROTATIONS else ""
        standing = unkeyed.of_object(owner, mode) if is_object else REST
        standing = {(prefix + path, index): value for (path, index), value in standing.items()}
        sides.append(transform(clip, prefix + before, prop, mode, standing))
    source, destination = sides
    if prop in VECTORS:
        return Channels(bone, prop, source, destination)
    read = {quaternion.rotation_property(side.mode)[0] for side in sides}
    return Channels(bone, "rotation", source, destination) if prop in read else None


def _is_transform(bone: str | None, prop: str) -> bool:
    """Return whether a property is a whole location, rotation or scale, which moves a bone or an object.

    bone: None for an object, whose property may also be a delta location or delta rotation, or begin with the
    prefix of an object that carries it. A delta scale is none.
    """
    if bone is None:
        prop = rig.split_holder(prop)[2]
        if prop in rig.DELTAS:
            return True
    return prop in VECTORS or prop in ROTATIONS


def _mode(owner: Any | None, bone: str | None, prefix: str, prop: str, clip: Clip, frame: float) -> str:
    """Return the rotation mode that a clip uses for a bone or object at a frame, such as "QUATERNION" or
    "XYZ".

    If the clip keys "rotation_mode" behind the prefix, it is the mode of its value at `frame`, see
    :func:`rig.mode_of_number`. Else it is the present mode of the pose bone or object; else, where `owner` is
    None or has no mode, the one that goes with the property `prop` (XYZ for Euler angles). bone: None for the
    object. prefix: the beginning of the data paths.

    Raise KeyError for a bone that the owner lacks where no mode is keyed.
    """
    keyed = clip.curves.get((prefix + "rotation_mode", 0))
    if keyed is not None:
        return rig.mode_of_number(keyed.value(frame))
    if owner is None or not hasattr(owner, "rotation_mode"):
        return {"rotation_quaternion": "QUATERNION", "rotation_axis_angle": "AXIS_ANGLE"}.get(prop, "XYZ")
    return rig.rotation_mode(owner, bone)


def property_default(owner: Any, address: Address) -> tuple[float, bool]:
    """Return the default of a property as (value, discrete): discrete if it can only jump, as it is no float.

    owner: the data-block; None if there is none now, which gives 0.0, discrete for mute and hide switches and
    rotation modes. Also 0.0: a path that leads nowhere (not discrete), a text or pointer (discrete), and the
    value of a shape key. A choice gives the number of its default item, a rotation mode that of its present
    one. A custom property gives the default that its settings name, 0.0 without. The address's index is
    ignored except for arrays; raise IndexError if it is beyond the end of one.
    """
    path, index = address
    if owner is None:
        return 0.0, path.endswith(("mute", "hide_viewport", "hide_render", "rotation_mode"))
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
    """Return the default of a custom property as (value, discrete); discrete if its present value is no
    float.

    name: of a property that the holder has, else KeyError. index: of the element where the value is an array
    (IndexError beyond its end), else ignored. The value is the default in the property's settings; 0.0 where
    there is none, where it is a text, or where a list of defaults is too short.
    """
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
