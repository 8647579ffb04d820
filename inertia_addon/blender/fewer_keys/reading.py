# SPDX-License-Identifier: GPL-3.0-or-later
"""What of an action can have fewer keys, and what must stay where it is."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ...errors import InertiaError
from ...motion import quaternion
from ...motion.arrays import Array, Floats
from ...motion.curves import keys as keylib
from ...motion.curves import representation
from ...motion.curves.keys import CONSTANT, Keys
from ...motion.feet.contacts import on_frames
from ...motion.fewer_keys.chains import LinkChain
from ...motion.fewer_keys.search import Take
from ...motion.skeleton.posing import Rig
from ...motion.steps import finish
from ...records import record
from ..data.actions import Address, Clip
from ..evaluation import joint_motion
from ..evaluation.character import Character
from ..feet import contacts, legs
from ..feet.contacts import Contacts

ASIDE = 0.25
"""So many lengths of a bone beside its end is a point that says how the bone is turned about itself."""
LOOSE = 2.0
"""That point, and the end of a bone at which no other begins, may be so many times as far as joints."""
FEWEST = 3
"""A curve with fewer keys has as few as it needs."""


@record(frozen=True, eq=False)
class DenseClip:
    """A clip that is to have fewer keys.

    frames: (f,), whole ones with the clip's ends. take: what has to be shown, within its tolerances.
    still: the channels that never change. planted: when feet stand; None without legs.
    """

    clip: Clip
    frames: Array
    take: Take
    still: tuple[Address, ...]
    planted: Contacts | None


@record(frozen=True)
class Tolerances:
    """How far joints, and planted feet, may be from where a clip has them, metres."""

    joint: float
    stance: float

    def scaled(self, factor: float) -> Tolerances:
        """Return these, so many times as large."""
        return Tolerances(factor * self.joint, factor * self.stance)


def read_dense_clip(character: Character, clip: Clip, tolerances: Tolerances) -> DenseClip:
    """Read the channels of a clip that can have fewer keys, with their values on its frames and halfway
    between them, and which points of the rig have to be where the clip has them.

    tolerances: metres; they change nothing that is read, but are noted in ``take`` as how far joints, and
    planted feet, may be from there. Contacts of feet are read, too, where there are legs and Blender can play
    them. Raise InertiaError if there are too few frames, if nothing changes that could have fewer keys and
    all that stands still has one key, and for a clip that is too long to look at each frame.
    """
    armature = character.armature
    joint_motion.check_each(clip, joint_motion.most_frames(character))
    rig, frames = character.rig, _choose_frames(clip)
    if len(frames) < FEWEST:
        raise _refuse(clip)
    times = np.sort(np.concatenate([frames, 0.5 * (frames[1:] + frames[:-1])]))
    planted = None
    if legs.of_armature(armature):
        with contextlib.suppress(InertiaError):  # as for a rig that Blender would not play
            planted = finish(contacts.read_contacts_steps(character, clip))
    tracks = joint_motion.tracks(rig, clip.curves, times, clip.unkeyed)
    channels = _find_changing(clip, rig)
    still = tuple(at for at in clip.curves if _is_still(clip, at))
    if not channels and all(len(clip.curves[at].keys) == 1 for at in still):
        raise _refuse(clip)
    values = {at: np.asarray(track, float) for at, track in tracks.items()}
    _unflip(rig, channels, values)
    metres = character.metres
    points = _HeldPoints(rig, armature, tolerances.joint / metres, len(times))
    for leg, spans in find_stances(planted, times):
        points.add_stance(leg.point, leg.offset, spans, tolerances.stance / metres)
    chain = LinkChain(rig, values, channels, np.array(points.hung), np.array(points.offsets))
    take = Take(chain, times, np.array(points.tolerances), _find_edges(planted, frames, channels))
    return DenseClip(clip, frames, take, still, planted)


def _refuse(clip: Clip) -> InertiaError:
    return InertiaError(
        '"{action}" has no keys that it could do without; choose one with a key on each frame.',
        action=clip.action.name,
    )


def _choose_frames(clip: Clip) -> Array:
    """Return the whole frames of a clip with its ends (f,)."""
    grid = joint_motion.grid(clip, joint_motion.MOST_EACH)
    inner = grid[(grid > clip.start + 1e-3) & (grid < clip.end - 1e-3)]
    return np.unique(np.concatenate([[clip.start], inner, [clip.end]]))


def _find_changing(clip: Clip, rig: Rig) -> dict[int, tuple[Address, ...]]:
    """Return by link (0 the object, i + 1 bone i) the channels that move it and may have other keys.

    Of a location, rotation or scale these are its channels that are not flat, all keyed ones of a quaternion
    if any is not; none if one of its curves is shaped by more than its keys, or holds values until the next
    one. A link is left out without a channel of FEWEST keys or more.
    """
    changing: dict[int, tuple[Address, ...]] = {}
    for link, (prefix, mode) in enumerate([("", rig.mode), *zip(rig.paths, rig.modes, strict=True)]):
        addresses: list[Address] = []
        for prop, count in (("location", 3), quaternion.rotation_property(mode), ("scale", 3)):
            keyed = [at for i in range(count) if (at := (prefix + prop, i)) in clip.curves]
            if all(_may_change(clip, at) for at in keyed):
                moving = [at for at in keyed if not keylib.is_flat(clip.curves[at].keys)]
                # a quaternion's numbers say something only together
                addresses += keyed if moving and prop == "rotation_quaternion" else moving
        if any(len(clip.curves[at].keys) >= FEWEST for at in addresses):
            changing[link] = tuple(addresses)
    return changing


def _may_change(clip: Clip, address: Address) -> bool:
    curve = clip.curves[address]
    return not curve.obstacle and not (curve.keys.interpolation[:-1] == CONSTANT).any()


def _is_still(clip: Clip, address: Address) -> bool:
    """Tell whether a channel of the armature's own slot never changes."""
    curve = clip.curves[address]
    return (
        not address[0].startswith(tuple(clip.holders) or ("\0",))
        and not curve.obstacle
        and keylib.is_flat(curve.keys)
    )


def _unflip(rig: Rig, channels: Mapping[int, tuple[Address, ...]], values: dict[Address, Array]) -> None:
    """State the rotations of links in other numbers, in place in `values`, where these then jump less, as
    where Euler angles or a quaternion flip though the turn goes on.

    values: (2 n - 1,) by address, on n frames and halfway between; what is stated anew gets the mean there.
    Rotations of which not all channels may change stay.
    """
    for link in channels:
        prefix, mode = ("", rig.mode) if link == 0 else (rig.paths[link - 1], rig.modes[link - 1])
        prop, count = quaternion.rotation_property(mode)
        addresses = [(prefix + prop, i) for i in range(count)]
        if not all(at in channels[link] for at in addresses):
            continue
        raw = np.stack([values[at] for at in addresses], axis=1)
        whole = raw[::2]
        turns = quaternion.to_quaternion(whole, mode)
        stated = representation.continuous(turns, mode, whole[0], representation.sizes(whole, mode))
        if np.abs(stated - whole).max() > 1e-3:
            restated = np.repeat(stated, 2, axis=0)[:-1]
            restated[1::2] = 0.5 * (stated[1:] + stated[:-1])
            if _find_detour(restated, mode) < _find_detour(raw, mode):
                values.update(zip(addresses, restated.T, strict=True))


def _find_detour(raw: Array, mode: str) -> float:
    """Return how far a rotation turns beside its way half-way between two frames, at most, radians.

    raw: (2 n + 1, channels), on frames and half-way between them. Euler angles go a long way round where they
    jump, and a shorter one near a pole.
    """
    turns = quaternion.to_quaternion(raw, mode)
    before, between, after = turns[:-2:2], turns[1::2], turns[2::2]
    half_way = quaternion.exp(0.5 * quaternion.log(quaternion.multiply(quaternion.conjugate(before), after)))
    middles = quaternion.multiply(before, half_way)
    beside = quaternion.log(quaternion.multiply(quaternion.conjugate(middles), between))
    return float(quaternion.norms(beside).max())


class _HeldPoints:
    """The points that have to stay where they are, by the links that carry them."""

    def __init__(self, rig: Rig, armature: Any, distance: float, count: int) -> None:
        self.hung: list[int] = []
        self.offsets: list[tuple[float, float, float]] = []
        self.tolerances: list[Array] = []
        self._usual = np.full(count, distance)
        carriers = set(rig.bones.parents)
        for i, name in enumerate(rig.bones.names):
            length = armature.data.bones[name].length
            at_end = self._usual if i in carriers else LOOSE * self._usual
            # where it begins, where it ends, and how it is turned about itself
            self._hold(i + 1, (0.0, 0.0, 0.0), self._usual)
            self._hold(i + 1, (0.0, length, 0.0), at_end)
            self._hold(i + 1, (ASIDE * length, length, 0.0), LOOSE * self._usual)

    def _hold(self, link: int, from_head: tuple[float, float, float], distances: Array) -> None:
        self.hung.append(link)
        self.offsets.append(from_head)
        self.tolerances.append(distances)

    def add_stance(
        self, bone: int, from_head: tuple[float, float, float], stands: Floats | Array, distance: float
    ) -> None:
        """Have a point of a bone stay within another distance at the samples at which it stands (n,)."""
        usual = self._usual
        self._hold(bone + 1, from_head, np.where(stands, np.minimum(distance, usual), usual))


def find_stances(planted: Contacts | None, times: Array) -> Iterator[tuple[Any, Array]]:
    """Yield each leg, in order, with flags (n,) that tell at which samples its foot stands; nothing for None.

    times: (n,), in frames, rising; of a cycle's contacts those of later repetitions count, too.
    """
    if planted is None:
        return
    for row, leg in enumerate(planted.legs):
        stands = np.zeros(len(times), bool)
        for first, last in on_frames(planted.at(row, float(times[0]), float(times[-1])), times):
            stands[first : last + 1] = True
        yield leg, stands


def _find_edges(
    planted: Contacts | None, frames: Array, channels: Mapping[int, tuple[Address, ...]]
) -> dict[int, frozenset[int]]:
    """Return by link (i + 1 for bone i) the indices of the frames on which feet land and lift, for the links
    in `channels` that turn in their legs; {} for None.
    """
    edges: dict[int, frozenset[int]] = {}
    for row, leg in enumerate(planted.legs if planted else ()):
        assert planted is not None
        spans = on_frames(planted.at(row, float(frames[0]), float(frames[-1])), frames)
        ends = {end for first, last in spans if first <= last for end in (first, last)}
        for bone in leg.turned_bones:
            if bone + 1 in channels:
                edges[bone + 1] = edges.get(bone + 1, frozenset()) | ends
    return edges


def reduce_still_curves(dense: DenseClip) -> dict[Address, Keys]:
    """Return the curves of channels that never change, each with its first key alone."""
    curves = {at: dense.clip.curves[at].keys for at in dense.still}
    return {at: keys.take(slice(0, 1)) for at, keys in curves.items() if len(keys) > 1}
