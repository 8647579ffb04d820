# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the pops of an action: in the rotations and locations of all bones, and of the object."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError
from ...motion.arrays import Array
from ...motion.curves import evaluation
from ...motion.curves import keys as keylib
from ...motion.pops import finding, templates
from ...motion.pops.finding import Limits
from ...motion.pops.templates import Pop
from ...motion.steps import Steps
from ...records import record
from ...settings.pops import WHOLE_POSE, PopSettings
from ...settings.transition import OBJECT_ROOT
from ..data.actions import Clip
from ..data.channels import Channels, match
from ..evaluation.character import Character
from ..evaluation.teleports import key_step
from ..transition import parts

SMALLEST_ANGLE, LEAST_ANGLE = np.radians(3.0), np.radians(0.15)
"""A pop turns a bone by more than the first; and the second is usual for any."""
SMALLEST_WAY, LEAST_WAY = 0.01, 0.0005
"""Likewise of ways, in sizes of the character."""
AT_ONCE = 100_000
"""So many frames of motions are searched together, as it takes memory: of a longer clip one stretch after the
other, and those alone that have keys near, as curves pop nowhere else."""
BESIDE_SECONDS = 45.0
"""So far beside a stretch its motion is looked at, too: no pop takes longer to be smoothed."""


@record(frozen=True, eq=False)
class BoneChannels:
    """Channels of a bone, or of the object, at frames (n,), so many apart each.

    values: quaternions (n, 4) or places (n, 3). metres: per unit of a place.
    """

    channels: Channels
    frames: Array
    values: Array
    metres: float = 1.0

    @property
    def is_rotation(self) -> bool:
        """Whether these are quaternions."""
        return self.channels.kind == "rotation"


@record(frozen=True, eq=False)
class FoundPop:
    """A pop of an action.

    bone: OBJECT_ROOT for the object, WHOLE_POSE for all at once. channel: ``rotation``, ``location``, or
    ``pose`` of the whole pose. kind: ``step``, ``spike`` or ``stretch``. first, last: frames of the action:
    of a step the last before it and the first behind it, else those that are elsewhere. size: degrees, or
    metres; of the whole pose, of the bone that turns furthest. times: how many times what is usual. motion,
    pop: as they were found. parts: of the whole pose, what each channel does.
    """

    bone: str
    channel: str
    kind: str
    first: float
    last: float
    size: float
    times: float
    motion: BoneChannels
    pop: Pop
    parts: tuple[FoundPop, ...] = ()

    @property
    def each(self) -> tuple[FoundPop, ...]:
        """What each channel does, of one bone itself."""
        return self.parts or (self,)

    @property
    def bones(self) -> int:
        """How many bones jump, the object among them."""
        return len({pop.bone for pop in self.each})

    @property
    def name(self) -> str:
        """How settings name it."""
        return f"{self.bone}@{self.first:g}"

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values: bone, bones, channel, kind, first, last, size with its unit ("degrees" or
        "m"), and times.
        """
        values = {name: getattr(self, name) for name in ("bone", "bones", "channel", "kind", "first", "last")}
        unit = "degrees" if self.motion.is_rotation else "m"
        return {**values, "size": self.size, "unit": unit, "times": self.times}


@record(frozen=True, eq=False)
class FoundPops:
    """The pops of a clip, by frame. fps: of the scene. rate: so many frames a second were looked at."""

    clip: Clip
    fps: float
    rate: float
    pops: tuple[FoundPop, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values: action, slot, start, end, fps, and "pops", a list of dicts."""
        clip = self.clip
        ends = {"slot": clip.slot.identifier, "start": clip.start, "end": clip.end, "fps": self.fps}
        return {"action": clip.action.name, **ends, "pops": [pop.as_dict() for pop in self.pops]}

    def chosen(self, names: Sequence[str]) -> tuple[FoundPop, ...]:
        """Return the pops of some names, in the order of these pops, all for none; of a whole pose whose
        bones are named, these bones' parts. Raise InertiaError for a name that no pop has.
        """
        # an earlier recipe may name bones of what is the whole pose now
        named = {part.name for pop in self.pops for part in (pop, *pop.parts)}
        for name in names:
            if name not in named:
                raise InertiaError(
                    'Nothing pops at "{name}" in "{action}"; find its pops again.',
                    name=name,
                    action=self.clip.action.name,
                )
        if not names:
            return self.pops
        chosen = [(pop,) if pop.name in names else pop.each for pop in self.pops]
        return tuple(part for each in chosen for part in each if part.name in names)


def search_pops_steps(character: Character, clip: Clip, settings: PopSettings) -> Steps[FoundPops]:
    """Find the pops of a clip of an armature, by its keys' step: those of each bone, and of the whole pose in
    place of its bones'; return them by first frame; yield the part that is done, 0 to 1.

    Raise InertiaError for a clip that is too short to say what is usual.
    """
    step = key_step(clip)
    fps, count = character.fps / step, math.ceil((clip.end + 1e-3 - clip.start) / step)
    if count < finding.SHORTEST:
        raise InertiaError(
            '"{action}" has {count} frames, too few to tell a pop from its usual motion; at least {least} '
            "are needed.",
            action=clip.action.name,
            count=count,
            least=finding.SHORTEST,
        )
    size = character.size
    ways = Limits(settings.strictness, SMALLEST_WAY * size, LEAST_WAY * size)
    turns = Limits(settings.strictness, float(SMALLEST_ANGLE), float(LEAST_ANGLE))
    limits = {"rotation": turns, "location": ways}
    kept: list[FoundPop] = []
    moving = [
        ch
        for ch in match(character.armature, clip, clip, clip.start, clip.start).channels
        if has_motion(clip, ch)
    ]
    metres = parts.lengths(character.rig, clip, clip.start)
    looks = _looks(clip, moving, step, count, round(BESIDE_SECONDS * fps))
    for i, look in enumerate(looks):
        frames: Array = clip.start + step * np.arange(look.first, look.stop, dtype=float)
        together = max(1, AT_ONCE // len(frames))
        by_kind = [[ch for ch in moving if ch.kind == kind] for kind in limits]
        chunks = [of_kind[k : k + together] for of_kind in by_kind for k in range(0, len(of_kind), together)]
        pops: list[FoundPop] = []
        for k, chunk in enumerate(chunks):
            yield (i + k / len(chunks)) / len(looks)
            motions = [sample_channels(ch, frames, metres) for ch in chunk]
            pops += _name_pops(motions, finding.find(_stack_values(motions), fps, limits[chunk[0].kind]))
        pops = _of_pose(
            pops, chunks, functools.partial(sample_channels, frames=frames, metres=metres), fps, limits
        )
        kept += [pop for pop in pops if look.lists(pop)]
    kept.sort(key=lambda pop: (pop.first, -pop.times))
    return FoundPops(clip, character.fps, fps, tuple(kept))


@record(frozen=True)
class _PopSpan:
    """A stretch of a clip's frames, by index: all that are looked at, and those of whose pops are listed."""

    first: int
    stop: int
    begin: int
    end: int

    def lists(self, pop: FoundPop) -> bool:
        """Tell whether a pop belongs to this stretch, and not to the one beside it."""
        return self.begin <= self.first + pop.pop.first < self.end


def _looks(clip: Clip, moving: Sequence[Channels], step: float, count: int, beside: int) -> list[_PopSpan]:
    """Return the stretches of a clip's frames, in order, in which its moving channels may pop; one of all
    frames unless they are more than AT_ONCE, else none is longer, but for `beside`.

    step: from frame to frame. count: of the frames. beside: so many of them a stretch has around it.
    """
    if count <= AT_ONCE:
        return [_PopSpan(0, count, 0, count)]
    looks = []
    for low, high in _near_keys(clip, moving, step, count, beside):
        for begin in range(low, high, AT_ONCE):
            end = min(begin + AT_ONCE, high)
            looks.append(_PopSpan(max(begin - beside, low), min(end + beside, high), begin, end))
    return looks


def _near_keys(
    clip: Clip, moving: Sequence[Channels], step: float, count: int, beside: int
) -> list[tuple[int, int]]:
    """Return runs (first, stop) of a clip's frames, by index, that are within `beside` of keys; all of them
    as one where curves may jump anywhere.
    """
    addresses = {address for channels in moving for address in channels.source.addresses}
    curves = [clip.curves[address] for address in addresses if address in clip.curves]
    if any(curve.obstacle or (curve.keys.interpolation > keylib.BEZIER).any() for curve in curves):
        return [(0, count)]
    keys = np.concatenate([np.zeros(0), *(curve.keys.co[:, 0] for curve in curves)])
    near = np.unique(np.floor((keys - clip.start) / step).astype(np.int64))
    runs = np.split(near, np.flatnonzero(np.diff(near) > 2 * beside) + 1) if len(near) else []
    return [(max(int(run[0]) - beside, 0), min(int(run[-1]) + beside + 1, count)) for run in runs]


def has_motion(clip: Clip, channels: Channels) -> bool:
    """Tell whether channels turn or move something in a clip."""
    curves = [clip.curves[address] for address in channels.source.addresses if address in clip.curves]
    is_still = all(not curve.obstacle and keylib.is_flat(curve.keys) for curve in curves)
    return channels.kind in ("rotation", "location") and not is_still


def sample_channels(channels: Channels, frames: Array, metres: tuple[float, float]) -> BoneChannels:
    """Return what channels show at frames (n,), unit quaternions or numbers. metres: per unit of the object's
    places, and of a bone's.
    """
    source = channels.source
    raw = np.tile(np.array(source.defaults, float), (len(frames), 1))
    for column, address in enumerate(source.addresses):
        curve = source.clip.curves.get(address)
        if curve is not None:
            raw[:, column] = curve.at(frames) if curve.obstacle else evaluation.evaluate(curve.keys, frames)
    per_unit = metres[channels.bone is not None] if channels.kind == "location" else 1.0
    return BoneChannels(channels, frames, source.decode(raw), per_unit)


def _stack_values(motions: Sequence[BoneChannels]) -> Array:
    """Return the values of motions of one kind, places in metres: (n, motions, 4 or 3)."""
    values = np.stack([motion.values for motion in motions], axis=1)
    if not motions[0].is_rotation:
        values *= np.array([motion.metres for motion in motions])[:, None]
    return values


def _name_pops(motions: Sequence[BoneChannels], pops: Iterable[Pop]) -> Iterator[FoundPop]:
    """Yield pops of motions of one kind as pops of the action, with frames in place of indices and sizes in
    degrees or metres.
    """
    for pop in pops:
        motion = motions[pop.motion]
        size, bone = float(np.degrees(pop.size)), motion.channels.bone or OBJECT_ROOT
        if not motion.is_rotation:
            jump, back = pop.jump / motion.metres, pop.back / motion.metres
            pop = dataclasses.replace(pop, jump=jump, back=back)
            size = pop.size * motion.metres
        yield FoundPop(
            bone,
            motion.channels.kind,
            pop.kind.value,
            float(motion.frames[pop.first]),
            float(motion.frames[pop.last]),
            size,
            pop.times,
            motion,
            pop,
        )


def _of_pose(
    listed: list[FoundPop],
    chunks: Sequence[Sequence[Channels]],
    sampled: Callable[[Channels], BoneChannels],
    fps: float,
    limits: dict[str, Limits],
) -> list[FoundPop]:
    """Return the pops of a stretch, with a single one where the whole pose jumps, instead of one for each
    bone.

    chunks: all channels, those of one kind that are looked at together. sampled: returns what shows them.
    """
    by_channels = {id(pop.motion.channels): pop.motion for pop in listed}
    places = templates.whole_pose_places(pop.pop for pop in listed if pop.motion.is_rotation)
    for place in places:
        at_place = {id(pop.motion): pop for pop in listed if pop.pop.place == place}
        if not at_place:
            continue
        clear: list[Array] = []
        each: list[FoundPop] = []
        for chunk in chunks:
            motions = [by_channels.get(id(ch)) or sampled(ch) for ch in chunk]
            of_chunk, pops = finding.at_once(_stack_values(motions), fps, limits[chunk[0].kind], place)
            each += [at_place.get(id(pop.motion), pop) for pop in _name_pops(motions, pops)]
            clear += [of_chunk] if motions[0].is_rotation else []
        times = templates.times_elsewhere(np.concatenate(clear, axis=1), place, places)
        if times >= templates.CLEARLY:
            by_channels.update((id(pop.motion.channels), pop.motion) for pop in each)
            listed = [pop for pop in listed if not templates.is_part(pop.pop, place)]
            furthest = max((pop for pop in each if pop.motion.is_rotation), key=lambda pop: pop.size)
            whole = dataclasses.replace(furthest, bone=WHOLE_POSE, channel="pose", times=times)
            listed.append(dataclasses.replace(whole, parts=tuple(each)))
    return listed
