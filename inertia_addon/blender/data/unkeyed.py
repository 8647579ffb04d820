# SPDX-License-Identifier: GPL-3.0-or-later
"""What a channel shows in a clip that does not key it: one answer, for all that ask.

Blender's own answer is whatever was there before, so that the same clip looks one way after this action
and another way after that one. Exporters that leave out constant channels mean the node's own transform,
which Blender's importers put into the pose, where the first action that plays overwrites it. The rule,
for each transform channel of a bone, in this order:

1. Nothing in the file keys it: it is as it stands in the pose. Only an importer or a hand can have set it.
2. It was noted when the armature had not played yet: as noted. Imports by Inertia are noted before a frame
   is shown, .blend files that are opened without a window as they stand but for what plays, all other
   armatures when they get their first action while the extension runs.
3. What plays now keys or drives it, or an action of the file shows, at one of its frames, all that it keys
   just as it stands: so an action has left it there, and it is at rest.
4. Else it is as it stands.

An object's own channel stands as it is, unless the action in use keys it: then it is as noted, else where
that action starts. Notes are in memory, and in the file once Inertia has made something of it (an import,
a result), never for having looked at it.
"""

from __future__ import annotations

import base64
import dataclasses
import functools
import json
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...errors import InertiaError
from ...motion import quaternion
from ...motion.arrays import Floats
from ...motion.skeleton.posing import delta_channels
from ...records import record
from . import actions, compat, rig
from .actions import Address, Clip

NOTE = "inertia_unkeyed"
"""The custom property of an armature object that holds its note."""

COLUMNS = (("location", 3), ("rotation_quaternion", 4), ("scale", 3))
"""The columns of a pose; a rotation of three numbers leaves its last one at 0."""

ROUNDING = 1e-6
"""Values that differ by less than this part of them, or of 1, are the same."""
SHOWN = 1e-5
"""An action shows a value when it comes as near as this part of it, or of 1."""
SAME_REST = 1e-4
"""A note counts while no number of the rest pose has changed by more than this part of its length."""


@record(frozen=True, eq=False)
class _Pose:
    """The transforms of an armature's bones and, in the last row, of its object.

    names: (n,), "" for the object. modes: (n,) rotation modes. values: (n, 10), see COLUMNS. rest: (n, 16)
    rest matrices in the armature's space, zero for the object.
    """

    names: tuple[str, ...]
    modes: tuple[str, ...]
    values: Floats
    rest: Floats

    def places(self) -> dict[Address, tuple[int, int]]:
        """Return where the value of each channel is, for the bones alone."""
        return _places(self.names[:-1], self.modes[:-1])

    def as_text(self) -> str:
        """Return the pose as JSON: names and modes, and values and rest as their float32 numbers in
        base64.
        """
        packed = {
            key: base64.b64encode(np.ascontiguousarray(array, "<f4").tobytes()).decode()
            # in the same order of bytes on every machine
            for key, array in (("values", self.values), ("rest", self.rest))
        }
        return json.dumps({"names": self.names, "modes": self.modes, **packed})

    @classmethod
    def from_text(cls, text: str) -> _Pose:
        """Return the pose that :meth:`as_text` wrote. Raise ValueError, LookupError or TypeError for any
        other text.
        """
        held = json.loads(text)
        values, rest = (
            np.frombuffer(base64.b64decode(held[key]), "<f4").astype(np.float32).reshape(-1, width)
            for key, width in (("values", 10), ("rest", 16))
        )
        if not len(held["names"]) == len(held["modes"]) == len(values) == len(rest):
            raise ValueError("the note is damaged")
        return cls(tuple(held["names"]), tuple(held["modes"]), values, rest)


_noted: dict[int, _Pose] = {}
"""What was noted of armatures, by their session_uid."""
_keys: dict[int, tuple[Hashable, Hashable]] = {}
"""The last :func:`key` of each armature, with what it depended on."""
_held: dict[int, _Pose] = {}
"""How armatures stand on which something else is shown, by their session_uid."""


def of_bones(armature: Any) -> dict[Address, float]:
    """Return the values, by address, of the bones' transform channels where a clip does not key them.

    A channel stays at its present value unless something has put it there: an action or driver that plays on
    the armature, or an action of the file that shows, at one of its frames, all that it keys as it stands.
    Then it has the value noted of the armature before that, else that at rest. A channel that was noted, and
    that any action of the file keys, is as noted. Only channels away from rest are in the result; {} if none
    is.

    Values are raw by each bone's present rotation mode: locations along the bones' own axes, Euler angles in
    radians. An armature that is held (:func:`hold`) is taken as it stood then. Nothing in the file changes.
    """
    pose = _read(armature)
    places, rest = pose.places(), _rest(pose.modes)
    base, noted = _with_note(armature, pose, rest)
    doubtful = np.abs(pose.values - base) > ROUNDING * np.maximum(1.0, np.abs(base))
    if doubtful[:-1].any():
        moved = _find_played_channels(armature)
        played = np.zeros_like(doubtful)
        for address in moved & places.keys():
            played[places[address]] = True
        left = doubtful & played
        if (doubtful[:-1] & ~played[:-1]).any():
            open_ = {at: place for at, place in places.items() if (doubtful & ~played)[place]}
            left |= _left_by_actions(armature, pose, open_, noted)
        # what differs from the note by rounding alone is as noted, so that the answer stays the same while
        # actions play that come close to it
        base = np.where(doubtful & ~left, pose.values, base)
    away = np.abs(base - rest) > ROUNDING * np.maximum(1.0, np.abs(rest))
    if not away[:-1].any():
        return {}
    return {at: float(base[place]) for at, place in places.items() if away[place]}


def key(armature: Any) -> Hashable:
    """Return the answer of :func:`of_bones` as a hashable tuple of (address, value), to compare with an
    earlier one.

    It is kept for the armature, and found anew only when the bones' pose, their rest or modes, the note, what
    plays, or which actions the file has is another than at the last call. Keys edited in an action that stays
    are not noticed by themselves.
    """
    pose, noted = _read(armature), _note(armature)
    state = (
        *(pose.names, pose.modes, pose.values[:-1].tobytes(), pose.rest.tobytes(), id(noted)),
        *(tuple(action.session_uid for action in bpy.data.actions), _players(armature)),
    )
    last = _keys.get(armature.session_uid)
    if last is None or last[0] != state:
        last = _keys[armature.session_uid] = (state, tuple(of_bones(armature).items()))
    return last[1]


def completed(armature: Any, clip: Clip) -> Clip:
    """Return a clip that knows the values of the channels that it does not key."""
    return all_completed(armature, [clip])[0]


def all_completed(armature: Any, clips: Sequence[Clip]) -> tuple[Clip, ...]:
    """Return clips, in the given order, whose ``unkeyed`` is filled in: each gets a dict of its own of what
    :func:`of_bones` says of the armature now, which is asked once; nothing of the object. Those that have it
    already stay.

    The given clips are not changed.
    """
    if all(clip.unkeyed is not None for clip in clips):
        return tuple(clips)
    standing = of_bones(armature)
    return tuple(
        clip if clip.unkeyed is not None else dataclasses.replace(clip, unkeyed=dict(standing))
        for clip in clips
    )


def of_object(obj: Any, mode: str = "") -> dict[Address, float]:
    """Return the values of an object's location, rotation, scale, delta location and delta rotation where a
    clip does not key them, all of them, by address.

    A channel shows its present value, or, but for deltas, that at which the object is held (:func:`hold`),
    unless the action in use keys it, un-muted: then it shows what was noted, which deltas never are, else
    what its curve shows at the curve's first frame. mode: the rotation mode that says which rotation
    channels; "" for its own. Nothing changes.
    """
    action, slot = compat.assigned(obj)
    curves: Any = () if action is None else compat.curves(action, slot)
    noted, held = _numbers_of_object(_note(obj)), _numbers_of_object(_held.get(obj.session_uid))
    mode = mode or rig.rotation_mode(obj, None)
    own = [(prop, i) for prop, _, count in _columns("", mode) for i in range(count)]
    values = {}
    for prop, i in (*own, *delta_channels("", mode)):
        curve = curves.find(prop, index=i) if len(curves) else None
        if curve is None or compat.is_muted(curve):
            values[prop, i] = held[prop, i] if (prop, i) in held else float(getattr(obj, prop)[i])
        else:
            first = noted.get((prop, i))
            values[prop, i] = float(curve.evaluate(curve.range()[0])) if first is None else first
    return values


def _numbers_of_object(pose: _Pose | None) -> dict[Address, float]:
    """Return the object's own location, rotation and scale that a pose holds, by address; {} for None."""
    if pose is None:
        return {}
    columns = _columns("", pose.modes[-1])
    return {(prop, i): float(pose.values[-1, at + i]) for prop, at, count in columns for i in range(count)}


def settle(armature: Any, answers: Mapping[Address, float], keyed: set[Address]) -> None:
    """Set the pose's channels that are not in `keyed`, in place, to the values in `answers`, and to rest
    where it has none.

    answers: values by address, as :func:`of_bones` returned them before. keyed: the addresses that stay as
    they are. Only bones change, not the object; channels of another rotation mode than the bone's stay.
    """
    pose = _read(armature)
    rest = _rest(pose.modes)
    wanted = pose.values.copy()
    for address, place in pose.places().items():
        if address not in keyed:
            wanted[place] = answers.get(address, rest[place])
    for row, (name, mode) in enumerate(zip(pose.names[:-1], pose.modes[:-1], strict=True)):
        if np.array_equal(wanted[row], pose.values[row]):
            continue
        bone = armature.pose.bones[name]
        for path, column, count in _columns("", mode):
            setattr(bone, path, wanted[row, column : column + count].tolist())


def note(armature: Any) -> None:
    """Note an armature's pose in memory, as that of one which has not played yet."""
    _noted[armature.session_uid] = _read(armature)


def note_stored(armature: Any) -> None:
    """Note in memory how an armature of a file that was just opened stands, with the channels at rest that
    the action in use, an NLA strip or a driver moves. An earlier note in memory is replaced.

    Nothing is noted where the file has a note of it. No action is noted: as no frame was shown since the file
    was opened, all other channels stand as they were saved.
    """
    if NOTE in armature:
        return
    pose = _read(armature)
    values, rest, places = pose.values.copy(), _rest(pose.modes), pose.places()
    for address in _find_played_channels(armature) & places.keys():
        values[places[address]] = rest[places[address]]
    _noted[armature.session_uid] = dataclasses.replace(pose, values=values)


def hold(armature: Any) -> None:
    """Take an armature as it stands now until it is released, whatever is shown on it meanwhile."""
    _held[armature.session_uid] = _read(armature)


def release(armature: Any) -> None:
    """Take an armature as it stands again."""
    _held.pop(armature.session_uid, None)


def keep(armature: Any) -> None:
    """Write the note of an armature, as text, into its custom property :data:`NOTE`, as something is made of
    it.

    The note in memory is written; without one the present un-keyed values are, as the result that is going to
    play overwrites the pose from which they were found. Nothing is written for a linked armature, one that
    has the property already, or where all bones are at rest in what would be written.
    """
    if not armature.is_editable or NOTE in armature:
        return
    pose = _noted.get(armature.session_uid) or _answered(armature)
    if np.any(np.abs(pose.values[:-1] - _rest(pose.modes)[:-1]) > ROUNDING):
        armature[NOTE] = pose.as_text()


def _answered(armature: Any) -> _Pose:
    """Return the pose of an armature, with its present names and modes, in which each channel has its
    un-keyed value: bones by :func:`of_bones`, which are at rest where that says nothing, and the object by
    :func:`of_object`.

    Nothing changes.
    """
    pose, answers = _read(armature), of_bones(armature)
    values = _rest(pose.modes).copy()
    places = pose.places()
    for address, value in answers.items():
        values[places[address]] = value
    standing = of_object(armature)
    for prop, column, count in _columns("", pose.modes[-1]):
        values[-1, column : column + count] = [standing[prop, i] for i in range(count)]
    return dataclasses.replace(pose, values=values)


@contextmanager
def note_newcomers() -> Iterator[None]:
    """Note, within a ``with``, the pose of every armature that comes in, once it has an action and before
    that moves it.

    That is looked at before each update of Blender's dependency graph, and once more where the body ends
    without an error. Armatures that come in without an action are not noted. The notes are in memory.
    """
    before = {armature.session_uid for armature in rig.armatures()}

    def look(*_arguments: Any) -> None:
        for armature in rig.armatures():
            if armature.session_uid not in before and compat.assigned(armature)[0] is not None:
                before.add(armature.session_uid)
                note(armature)

    bpy.app.handlers.depsgraph_update_pre.append(look)
    try:
        yield
        look()
    finally:
        bpy.app.handlers.depsgraph_update_pre.remove(look)


def was_keyed_so(armature: Any) -> bool:
    """Tell whether the action in use was made of the pose: then that is no pose of an armature without
    one.
    """
    pose = _read(armature)
    curves = _keyed(armature, compat.assigned(armature)[0], pose.places())
    return not curves or _shows(curves, pose)


def forget() -> None:
    """Forget what is in memory, as another file is opened."""
    _held.clear()
    _noted.clear()
    _keys.clear()


def _columns(bone: str, mode: str) -> Iterator[tuple[str, int, int]]:
    """Yield (data path, first column, count) for the location, rotation and scale of a bone in a pose's
    columns.

    bone: "" for paths without one. mode: the rotation mode, which says the rotation's property and count.
    """
    rotation, count = quaternion.rotation_property(mode)
    for (prop, _), column, width in zip(COLUMNS, (0, 3, 7), (3, count, 3), strict=True):
        prop = rotation if column == 3 else prop
        yield (rig.bone_path(bone, prop) if bone else prop), column, width


def _read(armature: Any) -> _Pose:
    """Return the raw transforms of an armature's bones and, in the last row, of its object (named ""), as
    they stand now, without what constraints do and without deltas.

    ``names`` and ``modes`` are in Blender's order of bones. ``values`` (bones + 1, 10), float32, has the
    columns location (3), rotation (4) by each row's own mode, Euler angles in radians with the last column 0,
    and scale (3). ``rest`` (bones + 1, 16), float32, has Blender's column-by-column ``matrix_local``, and
    zeros for the object.

    For an armature that is held (see :func:`hold`) the pose it was held in is returned, the kept one and not
    a copy, unless the names or the order of its bones are others by now.
    """
    bones = armature.pose.bones
    held = _held.get(armature.session_uid)
    if held is not None and held.names[:-1] == tuple(bones.keys()):
        return held
    modes = rig.rotation_modes(armature)
    values = np.zeros((len(bones) + 1, 10), np.float32)
    for column, (prop, count) in zip((0, 7), (COLUMNS[0], COLUMNS[2]), strict=True):
        values[:-1, column : column + count] = rig.gathered(bones, prop, count)
    read = [quaternion.rotation_property(mode) for mode in modes]
    for prop, count in set(read):
        rows = [i for i, (other, _) in enumerate(read) if other == prop]
        values[rows, 3 : 3 + count] = rig.gathered(bones, prop, count)[rows]
    mode = rig.rotation_mode(armature, None)
    for prop, column, count in _columns("", mode):
        values[-1, column : column + count] = getattr(armature, prop)
    rest = np.zeros((len(bones) + 1, 16), np.float32)
    if len(bones):
        rest[:-1] = rig.gathered(armature.data.bones, "matrix_local", 16)
    return _Pose((*bones.keys(), ""), (*modes, mode), values, rest)


@functools.lru_cache(maxsize=32)
def _places(names: tuple[str, ...], modes: tuple[str, ...]) -> dict[Address, tuple[int, int]]:
    places = {}
    for row, (name, mode) in enumerate(zip(names, modes, strict=True)):
        for path, column, count in _columns(name, mode):
            places.update({(path, i): (row, column + i) for i in range(count)})
    return places


@functools.lru_cache(maxsize=32)
def _rest(modes: tuple[str, ...]) -> Floats:
    """Return the rest pose (n, 10), float32, for rotation modes (n,): location (3), rotation (4), scale (3) a
    row.

    Rotations are in each row's mode: (1, 0, 0, 0) for quaternions, angle 0 about Y, (0, 0, 1, 0), for axis
    and angle, and zeros for Euler angles, whose last column is unused. The result is cached: copy it before
    you change it.
    """
    rest = np.zeros((len(modes), 10), np.float32)
    for row, mode in enumerate(modes):
        for prop, column, count in _columns("", mode):
            rest[row, column : column + count] = [quaternion.default_of(prop, i) for i in range(count)]
    return rest


def _note(armature: Any) -> _Pose | None:
    """Return the note of an armature, that in memory before that in the file; None without one."""
    noted = _noted.get(armature.session_uid)
    text = armature.get(NOTE) if noted is None else None
    return _read_note(text) if isinstance(text, str) else noted


@functools.lru_cache(maxsize=32)
def _read_note(text: str) -> _Pose | None:
    try:
        return _Pose.from_text(text)
    except (ValueError, LookupError, TypeError, RecursionError):
        return None  # somebody else's, or damaged: as if there was none


def _with_note(armature: Any, pose: _Pose, rest_pose: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the rest pose (n, 10) with what was noted of the armature in its place, and which numbers those
    are (n, 10).

    Not taken from the note are bones that are new or whose rest matrix was edited, and rotations whose mode
    is another now. Without a note it is the given `rest_pose` itself, and all False.
    """
    earlier = _note(armature)
    if earlier is None:
        return rest_pose, np.zeros(rest_pose.shape, bool)
    index = {name: row for row, name in enumerate(earlier.names)}
    old = np.array([index.get(name, -1) for name in pose.names])
    # -1, of a bone that is new, reads the last row; that does not count, see below
    edited = np.abs(earlier.rest[old] - pose.rest) > SAME_REST * np.maximum(1.0, np.abs(pose.rest))
    # from an edited rest pose all channels are measured anew
    noted = np.repeat(((old >= 0) & ~edited.any(axis=1))[:, None], rest_pose.shape[1], axis=1)
    same_mode = [earlier.modes[i] == mode for i, mode in zip(old, pose.modes, strict=True)]
    noted[:, 3:7] &= np.array(same_mode)[:, None]
    return np.where(noted, earlier.values[old], rest_pose), noted


def _find_played_channels(armature: Any) -> set[Address]:
    """Return the channels that the action in use, an NLA strip or a driver moves."""
    driven = {(driver.data_path, driver.array_index) for driver in rig.drivers(armature)}
    return driven.union(*(actions.find_acting_curves(*used) for used in _in_use(armature)))


def _in_use(armature: Any) -> list[tuple[Any, str]]:
    """Return (action, slot identifier) of each action that plays on an armature: the assigned one first, then
    those of the NLA, from below.

    Strips count only with the NLA on: those of solo tracks if there are any, else of tracks that are not
    muted; muted strips and those inside a meta strip are left out. An action comes once for each strip; the
    identifier is "" where no slot is in use.
    """
    animation, used = armature.animation_data, [compat.assigned(armature)]
    if animation is not None and animation.use_nla:
        tracks = [track for track in animation.nla_tracks if track.is_solo]
        tracks = tracks or [track for track in animation.nla_tracks if not track.mute]
        used += [compat.strip_assigned(strip) for track in tracks for strip in track.strips if not strip.mute]
    return [(action, slot) for action, slot in used if action is not None]


def _players(armature: Any) -> Hashable:
    """Return a value that changes with what plays."""
    used = ((action.session_uid, slot, compat.curves(action, slot)) for action, slot in _in_use(armature))
    return (len(rig.drivers(armature)), *((uid, slot, len(curves)) for uid, slot, curves in used))


def _left_by_actions(
    armature: Any, pose: _Pose, places: Mapping[Address, tuple[int, int]], noted: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return which channels (n, 10) are where an action of the file has left them.

    places: the channels that may be, with their row and column; others are never. noted: which channels have
    a noted value (n, 10); they count as soon as any action keys them. Others count if an action shows, at one
    of its frames, all of its channels in question as they stand in `pose`; channels that one action has left
    don't hinder another.
    """
    left = np.zeros(noted.shape, bool)
    keyed = []
    for action in bpy.data.actions:
        if all(left[place] for place in places.values()):
            return left  # which spares a look at the other actions of a library
        candidate = _Keyed(_keyed(armature, action, places))
        for address in candidate.curves:
            left[places[address]] |= noted[places[address]]
        _leave(candidate, pose, places, left)
        keyed.append(candidate)
    # what one action has left may hide that another one has left all the others
    while any(_leave(candidate, pose, places, left) for candidate in keyed):
        pass
    return left


@record
class _Keyed:
    """The F-curves that an action has for some channels.

    in_vain: how many of the channels were not yet left when it was found not to show them.
    """

    curves: Mapping[Address, Any]
    in_vain: int = 0


def _leave(
    action: _Keyed, pose: _Pose, places: Mapping[Address, tuple[int, int]], is_left: NDArray[np.bool_]
) -> bool:
    """Mark as left, in `is_left` in place, the channels of an action that are not yet, if it shows all of
    them as they stand.

    Return whether any were marked. action: its ``in_vain`` gets the number of these channels where it does
    not show them; while that many are left over, it is not asked again.
    """
    still = {at: curve for at, curve in action.curves.items() if not is_left[places[at]]}
    if len(still) in (0, action.in_vain):
        return False
    if not _shows(still, pose):
        action.in_vain = len(still)
        return False
    for address in still:
        is_left[places[address]] = True
    return True


def _keyed(armature: Any, action: Any, wanted: Mapping[Address, Any]) -> dict[Address, Any]:
    """Return the un-muted F-curves that an action has for some channels of an armature, by address.

    wanted: by address. {} for an action without a slot that fits, or None.
    """
    try:
        slot = actions.choose_slot(action, armature)
    except InertiaError:
        return {}  # it animates something else
    named = (((c.data_path, c.array_index), c) for c in compat.curves(action, slot.identifier))
    return {address: c for address, c in named if address in wanted and not compat.is_muted(c)}


def _shows(curves: Mapping[Address, Any], pose: _Pose) -> bool:
    """Return whether there is a whole frame at which all curves show the values that a pose has in their
    channels.

    Frames run from the first to the last of any curve, rounded outwards; values may differ by 1e-5, or that
    part of them. False if any curve has no keys. At least one curve is needed, else ValueError.
    """
    places = pose.places()
    spans = [curve.range() for curve in curves.values()]
    first, last = min(span[0] for span in spans), max(span[1] for span in spans)
    frames = np.arange(np.floor(first), np.ceil(last) + 1.0).tolist()
    for address, curve in curves.items():
        if len(curve.keyframe_points) == 0:
            return False
        value = float(pose.values[places[address]])
        most = SHOWN * max(1.0, abs(value))
        # by Blender, as few frames remain after the first curve, and its keys need not be read
        frames = [frame for frame in frames if abs(curve.evaluate(frame) - value) <= most]
        if not frames:
            return False
    return True
