# SPDX-License-Identifier: GPL-3.0-or-later
"""A rig by value, and where its channels take its bones: of plain rigs, which nothing else moves."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set

import numpy as np

from ...records import record
from .. import quaternion
from ..arrays import Array, Flags, Floats, Integers
from . import kinematics
from .kinematics import BoneMoves, Skeleton

Address = tuple[str, int]
"""A channel: its data path and array index."""
Mark = tuple[int, tuple[float, float, float]]
"""A point that moves with a bone: its index, and where the point is from its head, in its axes at rest."""
Tracks = Mapping[Address, Floats]
"""The values (frames,) of those channels that have any."""

BLOCK_FRAMES = 1024
"""Kinematics run over so many frames at once: what they touch fits into a processor's own memory."""


@record(frozen=True, eq=False)
class Frame:
    """Where a root's own channels act.

    basis: (4, 4), takes the transform that the channels describe into the world.
    offset, turn: what stands between the channels and that transform: a location that is added to
        theirs (3,), and a rotation (4,) that is applied after theirs.
    """

    basis: Array
    offset: Array
    turn: Array

    @property
    def scale(self) -> float:
        """World metres (before the scene's unit scale) per unit of location."""
        # the geometric mean, where axes differ in length
        return float(abs(np.linalg.det(self.basis[:3, :3])) ** (1.0 / 3.0))


@record(frozen=True)
class Following:
    """Who comes along with whom on one armature, as its constraints are now.

    names: the bones. carriers: for each bone, by bits of positions in ``names``, those with which it comes
    along when they are moved rigidly, itself among them.
    """

    names: tuple[str, ...] = ()
    carriers: tuple[int, ...] = ()

    def follows(self, bone: str, carrier: str) -> bool:
        """Tell whether a bone comes along when another, or itself, is moved."""
        return bool(self.carriers[self._place[bone]] >> self._place[carrier] & 1)

    def carriers_of(self, bone: str) -> tuple[str, ...]:
        """Return the bones with which a bone comes along, itself included."""
        return tuple(itertools.compress(self.names, self._matrix[self._place[bone]]))

    def with_(self, carrier: str) -> frozenset[str]:
        """Return the bones that come along with one, itself included."""
        return frozenset(itertools.compress(self.names, self._matrix[:, self._place[carrier]]))

    def count(self, carrier: str) -> int:
        """Return how many bones come along with one."""
        return self._counts[self._place[carrier]]

    @functools.cached_property
    def _counts(self) -> list[int]:
        return self._matrix.sum(axis=0).tolist()

    @functools.cached_property
    def _matrix(self) -> Flags:
        """Return flags (bones, bones) in the order of names: whether the row's bone comes along when the
        column's bone is moved rigidly.

        They are the bits of `carriers`, the row's bone by bone: bit j of entry i is row i, column j. Who
        comes along is told there, by parents and constraints, each bone with itself; nothing is worked out
        here. The array is cached. Raise ValueError without any bone.
        """
        count = len(self.names)
        packed = b"".join(mask.to_bytes(-(-count // 8), "little") for mask in self.carriers)
        rows = np.frombuffer(packed, np.uint8).reshape(count, -1)
        return np.unpackbits(rows, axis=1, count=count, bitorder="little").astype(bool)

    @functools.cached_property
    def _place(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}


@record(frozen=True, eq=False)
class Holder:
    """An object that carries an armature, by its channels.

    prefix: what their data paths begin with. mode: its rotation mode. frame: where its channels act, from
    the holder above it, or from the world. delta_scale: (3,). standing: as of :class:`Rig`.
    """

    prefix: str
    mode: str
    frame: Frame
    delta_scale: Array
    standing: Mapping[Address, float]


Raw = Callable[[str, int], Array]
"""Gives the raw values (n, count), or (1, count) where they stay, of an object's property by its path."""


@record(frozen=True, eq=False)
class Rig:
    """An armature in numbers, read once.

    bones: at rest. modes: (bones,) their rotation modes. paths: (bones,) what the data paths of their
    channels begin with. mode: the object's rotation mode. frame: where its own channels act. delta_scale:
    (3,), on top of its scale. standing: what its channels show that a clip does not key, by address. name:
    the object's. world: (4, 4), where it stands now. size: the diagonal of its own bounding box at rest,
    there. following: who comes along with whom. holders: the objects that carry it and may move, from
    above; hung: (4, 4), where the object's own channels act, from the last of these.
    """

    bones: Skeleton
    modes: tuple[str, ...]
    paths: tuple[str, ...]
    mode: str
    frame: Frame
    delta_scale: Array
    standing: Mapping[Address, float]
    name: str = ""
    world: Array = dataclasses.field(default_factory=lambda: np.eye(4))
    size: float = 1.0
    following: Following = dataclasses.field(default_factory=Following)
    holders: tuple[Holder, ...] = ()
    hung: Array = dataclasses.field(default_factory=lambda: np.eye(4))

    @functools.cached_property
    def transforms(self) -> Set[Address]:
        """The channels that move a plain rig, in order: the transforms of the object and of its bones, then
        deltas, and those of the objects that carry it."""
        every = [*_channels("", self.mode)]
        every += [(path, index) for path, (_, _, count) in self.properties.items() for index in range(count)]
        return dict.fromkeys((*every, *self.of_object)).keys()

    def is_moved_by(self, address: Address) -> bool:
        """Return whether a channel is one of :attr:`transforms`, without making that of all bones."""
        path, index = address
        return index < self.properties[path][2] if path in self.properties else address in self.of_object

    @functools.cached_property
    def properties(self) -> Mapping[str, tuple[int, str, int]]:
        """Those that move bones, by data path: the bone's index, the property, how many numbers it has."""
        return {
            path + prop: (bone, prop, count)
            for bone, (path, mode) in enumerate(zip(self.paths, self.modes, strict=True))
            for prop, count in (quaternion.rotation_property(mode), ("location", 3), ("scale", 3))
        }

    @functools.cached_property
    def of_object(self) -> Set[Address]:
        """Those of :attr:`transforms` that are no bone's."""
        every = (("", self.mode), *((holder.prefix, holder.mode) for holder in self.holders))
        return {
            at for prefix, mode in every for at in (*_channels(prefix, mode), *delta_channels(prefix, mode))
        }

    @functools.cached_property
    def all_standing(self) -> Mapping[Address, float]:
        """What the channels of the object and of its holders show that a clip does not key."""
        return dict(self.standing) | {
            at: value for each in self.holders for at, value in each.standing.items()
        }

    @functools.cached_property
    def unkeyed_world(self) -> Array:
        """The object's world matrix (4, 4) while nothing that moves it is keyed."""
        standing = self.all_standing

        def raw(path: str, count: int) -> Array:
            return np.array([[standing[path, index] for index in range(count)]])

        return np.asarray(self.placed(raw, ())[0])

    def object_matrices(self, location: Array, rotation: Array, scale: Array) -> Array:
        """Return the object's world matrices from its raw channels.

        Its deltas, and all that carries it, are taken as they stand.

        Parameters
        ----------
        location : (n, 3)
            Raw values of the channels.
        rotation : (n, 3 or 4)
            Those that the object's rotation mode reads: angles in radians, (w, x, y, z), or
            (angle, x, y, z).
        scale : (n, 3)
            Without the delta scale, which is multiplied here.

        Returns
        -------
        Array (n, 4, 4)
            In the world.
        """
        turn = quaternion.multiply(self.frame.turn, quaternion.to_quaternion(rotation, self.mode))
        described = kinematics.basis(location + self.frame.offset, turn, scale * self.delta_scale)
        return np.asarray(self.frame.basis @ described)

    def placed(self, raw: Raw, keyed: Collection[Address]) -> Array:
        """Return the object's world matrices (n, 4, 4) from its own channels and those of its holders.

        raw: tells the values of channels. keyed: the channels that may differ from how they stand.
        """
        own = self.described(raw, keyed)
        return np.asarray((self.carried_to(raw, keyed) if self.holders else self.frame.basis) @ own)

    def described(self, raw: Raw, keyed: Collection[Address], holder: int | None = None) -> Array:
        """Return what the object's own channels describe, in its frame's basis: not yet in the world.

        Parameters
        ----------
        raw
            Gives the raw values (n, count), or (1, count) if they stay, of a property by its
            path.
        keyed
            The addresses of channels that may differ from how they stand. Only deltas count
            here: a delta that none of them is of is taken from the frame, not from `raw`.
        holder
            The index of a holder whose channels are taken instead; None for the object's.

        Returns
        -------
        Array (n, 4, 4)
            n is 1 if every property that `raw` gives has one row.
        """
        if holder is None:
            return _described(raw, "", self.mode, self.frame, self.delta_scale, keyed)
        each = self.holders[holder]
        return _described(raw, each.prefix, each.mode, each.frame, each.delta_scale, keyed)

    def carried_to(self, raw: Raw, keyed: Collection[Address], below: int | None = None) -> Array:
        """Return where the holders take what hangs from them: the space in which the object's channels act.

        Each holder, from above, adds its frame's basis and then what its channels describe. Last comes the
        `hung` of the rig or, with `below`, the frame's basis of that holder, which is thus in the result; its
        own channels are not.

        Parameters
        ----------
        raw
            Gives the raw values (n, count), or (1, count) if they stay, of a property by its
            path.
        keyed
            The addresses of channels that may differ from how they stand. Only deltas count
            here: a delta that none of them is of is taken from its holder's frame, not from
            `raw`.
        below
            The index of a holder; the result is then where that holder's own channels act, by
            the holders above it alone. None for the object: all holders, then `hung`.

        Returns
        -------
        Array (n, 4, 4)
            In the world; n is 1 if every property that `raw` gives has one row. Without holders
            it is `hung` alone, for a `below` of 0 that holder's basis alone, both (1, 4, 4).
        """
        matrix = np.eye(4)[None]
        for holder in self.holders[:below]:
            frame = holder.frame
            own = _described(raw, holder.prefix, holder.mode, frame, holder.delta_scale, keyed)
            matrix = matrix @ frame.basis @ own
        return np.asarray(matrix @ (self.hung if below is None else self.holders[below].frame.basis))


def stand_at(holders: Sequence[Holder], hung: Array, *, at_rest: bool = False) -> Array:
    """Return where holders, as they stand, take what hangs from the last of them.

    Parameters
    ----------
    holders
        From above down; without any the result is `hung`.
    hung : (4, 4)
        Where what hangs acts, from the last holder.
    at_rest
        Take the holders' own location, rotation and scale as none; their frames and deltas
        still count.

    Returns
    -------
    Array (4, 4)
        A world matrix.

    Raises
    ------
    KeyError
        The standing values of a holder lack a channel that is needed.
    """
    standing = {at: value for holder in holders for at, value in holder.standing.items()}

    def raw(path: str, count: int) -> Array:
        if at_rest:
            prop = path.rpartition(".")[2]
            return np.array([[quaternion.default_of(prop, index) for index in range(count)]])
        return np.array([[standing[path, index] for index in range(count)]])

    matrix = np.eye(4)
    for each in holders:
        own = _described(raw, each.prefix, each.mode, each.frame, each.delta_scale, ())
        matrix = matrix @ each.frame.basis @ own[0]
    return np.asarray(matrix @ hung)


def _channels(prefix: str, mode: str) -> Iterator[Address]:
    """Yield the channels of a bone's or an object's rotation, location and scale."""
    for prop, count in (quaternion.rotation_property(mode), ("location", 3), ("scale", 3)):
        yield from ((prefix + prop, index) for index in range(count))


def delta_channels(prefix: str, mode: str) -> Iterator[Address]:
    """Yield the addresses of an object's delta location, then of its delta rotation in a rotation mode.

    prefix: what all data paths begin with. Axis and angle have no delta rotation in Blender, and the delta
    scale is left out.
    """
    properties = [("delta_location", 3)]
    if mode != "AXIS_ANGLE":
        name, count = quaternion.rotation_property(mode)
        properties.append((f"delta_{name}", count))
    yield from ((prefix + prop, index) for prop, count in properties for index in range(count))


def _described(
    raw: Raw, prefix: str, mode: str, frame: Frame, delta_scale: Array, keyed: Collection[Address]
) -> Array:
    """Return what an object's channels describe (n, 4, 4) in its frame's basis.

    raw: tells the values of channels, as of :data:`Raw`. prefix: what their data paths begin with. keyed: of
    these addresses only the deltas matter. A delta location or rotation with any of its channels in `keyed`
    is read from `raw`, all of it; otherwise the frame's offset or turn is taken. In the mode AXIS_ANGLE the
    turn is always the frame's. A delta location is added; a delta rotation acts after the object's own.
    delta_scale always multiplies the scale. n is 1 where all that `raw` tells has one row.
    """
    rotation, count = quaternion.rotation_property(mode)
    offset, turn = frame.offset, frame.turn
    moving = {path for path, _ in keyed if path.startswith(f"{prefix}delta_")}
    if f"{prefix}delta_location" in moving:
        offset = raw(f"{prefix}delta_location", 3)
    if f"{prefix}delta_{rotation}" in moving and mode != "AXIS_ANGLE":
        turn = quaternion.to_quaternion(raw(f"{prefix}delta_{rotation}", count), mode)
    location = raw(f"{prefix}location", 3) + offset
    turn = quaternion.multiply(turn, quaternion.to_quaternion(raw(prefix + rotation, count), mode))
    scale = raw(f"{prefix}scale", 3) * delta_scale
    # what stays has one row, and what moves has one for each frame
    size = max(len(location), len(np.atleast_2d(turn)), len(scale))
    location, turn, scale = (
        np.broadcast_to(each, (size, each.shape[-1])) for each in (location, turn, scale)
    )
    return np.asarray(kinematics.basis(location, turn, scale))


def positions(rig: Rig, values: Tracks, count: int) -> Array:
    """Return the world positions of all bones' heads of a plain rig.

    Parameters
    ----------
    rig
        The rig; it is not changed.
    values
        Channels' values (count,) by address. A bone's channel without values rests, one of
        the object or its holders is as it stands.
    count
        How many frames.

    Returns
    -------
    Array (count, joints, 3)
        In the world's units.

    Raises
    ------
    KeyError
        A channel of the object or a holder has neither values nor a standing one.
    """
    blocks = [heads for _, heads, _ in poses(rig, values, count)]
    # one block is given as it is, as to copy much memory takes as long as to pose
    return (
        blocks[0] if len(blocks) == 1 else np.concatenate([np.empty((0, len(rig.bones.names), 3)), *blocks])
    )


def marked(rig: Rig, marks: Sequence[Mark]) -> Rig:
    """Return the part of a rig that carries some points, with a bone at each of them, after all others."""
    carriers, place = part(rig, [bone for bone, _ in marks])
    return with_points(carriers, [(place[bone], offset) for bone, offset in marks])


def with_points(rig: Rig, marks: Sequence[Mark]) -> Rig:
    """Return a rig with a bone at each of some points, after all others, called "point 0" and so on.

    marks: the bone, by index, with which each moves, and its place from that bone's head, in its axes at
    rest. No channels move such a bone by itself. Without marks it is the rig itself.
    """
    if not marks:
        return rig
    bones = rig.bones
    offsets = np.tile(np.eye(4), (len(marks), 1, 1))
    offsets[:, :3, 3] = [offset for _, offset in marks]
    names = [f"point {i}" for i in range(len(marks))]
    hung = [bone for bone, _ in marks]
    skeleton = dataclasses.replace(
        bones,
        names=(*bones.names, *names),
        parents=(*bones.parents, *hung),
        rest=np.concatenate([bones.rest, bones.rest[hung] @ offsets]),
    )
    return dataclasses.replace(
        rig,
        bones=skeleton,
        modes=(*rig.modes, *["QUATERNION"] * len(marks)),
        # no curve has such a path, so that nothing moves a point but its bone
        paths=(*rig.paths, *(f"{name}." for name in names)),
    )


def part(rig: Rig, bones: Collection[int]) -> tuple[Rig, dict[int, int]]:
    """Return a rig reduced to some bones and all bones that carry them, and a dict from old to new indices of
    its bones.

    bones: indices. The bones keep their order; everything else of the rig stays.
    """
    kept = set(bones)
    # parents come before their children, so that on the way back whole chains are taken in
    for i in reversed(range(len(rig.bones.names))):
        if i in kept and rig.bones.parents[i] >= 0:
            kept.add(rig.bones.parents[i])
    order = sorted(kept)
    place = {old: new for new, old in enumerate(order)}
    whole = rig.bones
    skeleton = dataclasses.replace(
        whole,
        names=tuple(whole.names[i] for i in order),
        parents=tuple(place.get(whole.parents[i], -1) for i in order),
        rest=whole.rest[order],
    )
    modes, paths = (tuple(each[i] for i in order) for each in (rig.modes, rig.paths))
    return dataclasses.replace(rig, bones=skeleton, modes=modes, paths=paths), place


def poses(rig: Rig, values: Tracks, count: int, wanted: str = "") -> Iterator[tuple[slice, Array, Array]]:
    """Yield a plain rig's pose, up to 1024 frames at a time; nothing for no frames.

    Parameters
    ----------
    rig
        The rig.
    values
        Channels' values (count,) by address. A bone's channel without values rests, one of
        the object or its holders is as it stands.
    count
        How many frames.
    wanted
        The name of the bone whose matrices are yielded; "" or a name that no bone has
        stands for the object.

    Yields
    ------
    tuple[slice, Array, Array]
        Which frames; bones' heads (n, joints, 3); and the wanted matrices (4, 4, n), frames
        last. Both are in the world.

    Raises
    ------
    KeyError
        A channel of the object or a holder has neither values nor a standing one.
    """
    bones = rig.bones
    index = bones.names.index(wanted) if wanted in bones.names else -1
    # only of bones from which others hang, and of the one that is asked for, the axes matter
    channels = _bone_channels(rig, values, {index, *bones.parents})
    for start in range(0, count, BLOCK_FRAMES):
        span = slice(start, min(start + BLOCK_FRAMES, count))
        world = _object_matrices(rig, values, span)
        heads, axes = bones.follow(_moves(rig, channels, span), world, index)
        matrices = world
        if axes is not None:
            matrices = world.copy()
            matrices[:3, :3], matrices[:3, 3] = axes, heads[index]
        yield span, heads.transpose(2, 0, 1), matrices


@record(frozen=True, eq=False)
class Posed:
    """All bones of a rig over n frames, in the world.

    heads: (joints, n, 3). axes: (joints, n, 4) their orientations, and places: those in which their channels
    turn them. sizes: (joints, n), by how much they are scaled. above: (n, 3, 3) by bone, the axes along which
    the channels of its location move it.
    """

    heads: Array
    axes: Array
    places: Array
    sizes: Array
    above: Mapping[int, Array]


_BY_FRAME = ("heads", "axes", "places", "sizes")


def at_frames(posed: Posed, span: slice | Integers) -> Posed:
    """Return the poses on some frames."""
    above = {bone: axes[span] for bone, axes in posed.above.items()}
    return dataclasses.replace(
        posed, **{name: getattr(posed, name)[:, span] for name in _BY_FRAME}, above=above
    )


def move_poses(posed: Posed, motion: Array, motion_turn: Array | None = None) -> Posed:
    """Return poses moved by a rigid motion of the world (4, 4), or on each frame by its own (n, 4, 4).

    motion_turn: its rotation (4,), or (n, 4), where that is known; None to find it.
    """
    axes = motion[..., :3, :3]
    turn = quaternion.from_matrix(axes) if motion_turn is None else motion_turn
    return dataclasses.replace(
        posed,
        heads=(axes @ posed.heads[..., None])[..., 0] + motion[..., :3, 3],
        axes=quaternion.multiply(turn, posed.axes),
        places=quaternion.multiply(turn, posed.places),
    )


def joined(poses: Sequence[Posed]) -> Posed:
    """Return poses one after the other."""
    whole = {name: np.concatenate([getattr(posed, name) for posed in poses], axis=1) for name in _BY_FRAME}
    above = {bone: np.concatenate([posed.above[bone] for posed in poses]) for bone in poses[0].above}
    return dataclasses.replace(poses[0], **whole, above=above)


def posed(rig: Rig, values: Tracks, count: int, moving: Collection[int] = ()) -> Posed:
    """Return all bones of a plain rig posed on some frames, in the world, as one record.

    Parameters
    ----------
    rig
        The rig; it is not changed.
    values
        Channels' values (count,) by address. A bone's channel without values rests, one of
        the object or its holders is as it stands.
    count
        How many frames.
    moving
        The indices of the bones that get an entry in `above`: the axes along which their
        location channels move them.

    Returns
    -------
    Posed
        `heads` (bones, count, 3); `axes` and `places` (bones, count, 4), unit quaternions
        (w, x, y, z) without the scale: how each bone is turned, and how it would be without its own
        channels; `sizes` (bones, count), one factor for the bone's scale; `above`, a dict from each
        of `moving` to matrices (count, 3, 3), whose columns are axes with their scale: those of
        `places` or, for a bone in the skeleton's `unturned`, those of its parent.

    Raises
    ------
    KeyError
        A channel of the object or a holder has neither values nor a standing one.
    """
    bones = rig.bones
    every = range(len(bones.names))
    result = Posed(
        np.empty((len(every), count, 3)),
        np.empty((len(every), count, 4)),
        np.empty((len(every), count, 4)),
        np.empty((len(every), count)),
        {bone: np.empty((count, 3, 3)) for bone in moving},
    )
    channels = _bone_channels(rig, values, every)
    for start in range(0, count, BLOCK_FRAMES):
        span = slice(start, min(start + BLOCK_FRAMES, count))
        world = _object_matrices(rig, values, span)
        heads, axes, places = bones.follow_all(_moves(rig, channels, span), world, every)
        result.heads[:, span] = heads.transpose(0, 2, 1)
        result.axes[:, span], result.sizes[:, span] = kinematics.turns_and_sizes(axes)
        result.places[:, span], _ = kinematics.turns_and_sizes(places)
        for i in moving:
            parent = world[:3, :3] if bones.parents[i] < 0 else axes[bones.parents[i]]
            across = parent if bones.names[i] in bones.unturned else places[i]
            result.above[i][span] = across.transpose(2, 0, 1)
    return result


def posed_few(rig: Rig, turns: Array, places: Array, scales: Array, moving: Collection[int] = ()) -> Posed:
    """Return all bones posed as by :func:`posed`, quicker where there are few frames.

    The object's deltas, and what carries it, are taken as they stand.

    Parameters
    ----------
    rig
        The rig; its rotation modes do not matter here.
    turns : (bones + 1, n, 4)
        The unit quaternions (w, x, y, z) that the channels of all bones, then of the object, show.
    places : (bones + 1, n, 3)
        The values of their location channels; a bone that cannot move by them ignores its own.
    scales : (bones + 1, n, 3)
        The values of their scale channels, the object's without its delta scale.
    moving
        The indices of the bones that get an entry in `above`.

    Returns
    -------
    Posed
        Over n frames, in the world; what its arrays are is told at :func:`posed`.
    """
    bones = rig.bones
    turning = dataclasses.replace(rig, mode="QUATERNION")
    world = turning.object_matrices(places[-1], turns[-1], scales[-1])
    moves = kinematics.basis(bones.locations(places[:-1]), turns[:-1], scales[:-1])
    matrices, acting = bones.chained(moves, world)
    every = np.concatenate([matrices, acting])[..., :3, :3].transpose(0, 2, 3, 1)
    axes, sizes = kinematics.turns_and_sizes(every)
    count = len(matrices)
    # the last is what bones without a parent hang from
    carrying = np.concatenate([matrices, world[None]])
    above = {
        i: (carrying[bones.parents[i]] if bones.names[i] in bones.unturned else acting[i])[:, :3, :3]
        for i in moving
    }
    return Posed(matrices[..., :3, 3], axes[:count], axes[count:], sizes[:count], above)


def channel_matrices(values: Tracks, prefix: str, mode: str, count: int) -> Array:
    """Return what the channels of a bone describe relative to its rest pose.

    Parameters
    ----------
    values
        Channels' values (count,) by address; a channel without values rests.
    prefix
        What the data paths of the bone's channels begin with.
    mode
        The bone's rotation mode.
    count
        How many frames.

    Returns
    -------
    Array (count, 4, 4)
        They act within the bone's own rest axes.
    """

    def raw(prop: str, numbers: int) -> Array:
        rows = (values.get((prefix + prop, index)) for index in range(numbers))
        return np.stack(
            [
                np.full(count, quaternion.default_of(prop, index), np.float32) if row is None else row
                for index, row in enumerate(rows)
            ],
            axis=1,
        ).astype(float)

    turn = quaternion.to_quaternion(raw(*quaternion.rotation_property(mode)), mode)
    return kinematics.basis(raw("location", 3), turn, raw("scale", 3))


_Channels = Mapping[str, Mapping[int, Mapping[int, Floats]]]
"""The values (n,) of channels, by what they are, by bone and by their index in the property."""


def _bone_channels(rig: Rig, values: Tracks, turning: Collection[int]) -> _Channels:
    """Return the values of the channels that move bones: by kind, "location", "scale" or a rotation mode,
    then by the bone's index, then by the channel's index, arrays (count,).

    values: by address. turning: the indices of the bones whose rotation and scale count; those of others are
    left out, as are channels of no bone, of another rotation mode than the bone's, and with an index that
    their property lacks.
    """
    channels: dict[str, dict[int, dict[int, Floats]]] = {}
    for (path, index), row in values.items():
        bone, prop, count = rig.properties.get(path, (-1, "", 0))
        if index >= count or (prop != "location" and bone not in turning):
            continue
        kind = prop if prop in ("location", "scale") else rig.modes[bone]
        channels.setdefault(kind, {}).setdefault(bone, {})[index] = row
    return channels


def _moves(rig: Rig, channels: _Channels, span: slice) -> BoneMoves:
    """Return what channels describe on a span of frames, for those bones alone that have any, by rising
    index.

    channels: as :func:`_bone_channels` returns them. span: a slice with a start and a stop. A channel that is
    missing beside others of its property has Blender's default; a bone without channels of its rotation is
    not turned, and one without any of its location has none. The scale factors are None if no bone has any.
    """
    count = span.stop - span.start
    bones = sorted({bone for of_kind in channels.values() for bone in of_kind})
    place = {bone: row for row, bone in enumerate(bones)}

    def read(kind: str, prop: str, numbers: int, indices: Sequence[int]) -> Array:
        raw = np.empty((len(indices), numbers, count))
        raw[:] = np.array([quaternion.default_of(prop, index) for index in range(numbers)])[:, None]
        for row, bone in zip(raw, indices, strict=True):
            for index, values in channels[kind].get(bone, {}).items():
                row[index] = values[span]
        return raw

    rotations = np.empty((len(bones), 4, count))
    rotations[:] = quaternion.IDENTITY[:, None]
    for mode in channels.keys() - {"location", "scale"}:
        turned = [*channels[mode]]
        raw = read(mode, *quaternion.rotation_property(mode), turned)
        rotations[[place[bone] for bone in turned]] = _quaternions(raw, mode)
    located = [*channels.get("location", ())]
    locations = dict(zip(located, read("location", "location", 3, located), strict=True))
    scale_factors = read("scale", "scale", 3, bones) if "scale" in channels else None
    return BoneMoves(np.array(bones, np.int64), rotations, locations, scale_factors)


def _quaternions(raw: Array, mode: str) -> Array:
    """Return unit quaternions (k, 4, n), w, x, y, z, of raw channel values (k, 3 or 4, n) in a rotation mode,
    frames last.

    Raw values are in the order of the channels; angles are in radians. Signs stay as they are. A zero
    quaternion becomes half a turn about x, a zero axis the identity.
    """
    if mode == "QUATERNION":
        square = np.einsum("kin,kin->kn", raw, raw)
        if square.min(initial=1.0) > 1e-30:
            return raw / np.sqrt(square)[:, None]
    return np.ascontiguousarray(quaternion.to_quaternion(raw.swapaxes(1, 2), mode).swapaxes(1, 2))


def _object_matrices(rig: Rig, values: Tracks, span: slice) -> Array:
    """Return the object's world matrices (4, 4, n) on a span of frames, with un-keyed channels as they stand.

    values: by address. Raise KeyError if a channel has neither values nor a standing one.
    """
    count = span.stop - span.start
    keyed, standing = rig.of_object & values.keys(), rig.all_standing
    if not keyed:
        return np.ascontiguousarray(np.broadcast_to(rig.unkeyed_world[:, :, None], (4, 4, count)))

    def track(prop: str, numbers: int) -> Array:
        # where all are un-keyed it is the same on all frames
        moves = any((prop, i) in keyed for i in range(numbers))
        matrices = np.empty((count if moves else 1, numbers))
        for i in range(numbers):
            row = values.get((prop, i))
            matrices[:, i] = standing[prop, i] if row is None else row[span]
        return matrices

    matrices = rig.placed(track, keyed)
    return np.ascontiguousarray(np.broadcast_to(matrices, (count, 4, 4)).transpose(1, 2, 0))
