# SPDX-License-Identifier: GPL-3.0-or-later
"""From two clips to the curves of their transition."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from ...motion import quaternion
from ...motion.arrays import Array
from ...motion.curves import keys as keylib
from ...motion.curves.holds import Holds
from ...motion.curves.keys import Keys
from ...motion.curves.representation import (
    Restatement,
    continuous,
    followed,
    may_stray,
    restatement,
    same,
    sizes,
    whole_frames,
)
from ...motion.decay import dead_blending, offset
from ...motion.decay.decay import Method
from ...motion.decay.offset import NOTHING, ChannelMotion, Decomposition, Fading, Guard, Velocity, fade
from ...motion.steps import Steps, finish
from ...records import record
from ...settings import methods
from ...settings.transition import TransitionSettings
from ..data.actions import ActionCurve, Address, Clip, of_holder_alone, without_holders
from ..data.channels import Channels, ClipChannels, decode_all, raw_of
from ..data.compat import Slot
from ..data.rewriting import BakedCurve
from ..data.rig import holder_of
from . import pieces
from .alignment import Alignment, CutAndEntry
from .doubled_frames import pass_doubled
from .pieces import AlignedChannels, CutFrame, Keyed, KeyedWindow
from .report import GuardedOffset
from .selecting import Scales
from .switch_crossing import Held
from .warping import Warping

TOLERANCES = {"rotation": math.radians(0.01), "location": 1e-5, "scale": 1e-4, "value": 1e-4}
"""A spring ends where its offset is under this angle, length in metres, or this much of a scale or value."""

FASTEST = {"location": dead_blending.FASTEST_MOVE, "scale": dead_blending.FASTEST_SCALE}
"""What dead blending clamps the speed of locations and scales to, per second."""

T = TypeVar("T")

HALF_LIVES = 12.0
"""After so many nothing is left of an offset."""

ROUNDING = 1e-7
"""What is nearer to a default than this part of it, or of 1, is the default."""


@record(frozen=True)
class Joining:
    """Where and how two clips are joined.

    settings: with the frame that is shown at the cut. fps: frames a second. alignment: the destination's
    rigid motion. metres, bone_metres: per unit of the object's location, and of a bone's. blend_scales: by
    channel. is_mixed: whether the two poses are mixed, to compare. hard_cut: nothing blends. held: what holds
    the source's pose where switches go over. holds: how both clips go on, in their own frames.
    """

    source: Clip
    destination: Clip
    settings: TransitionSettings
    fps: float
    alignment: Alignment
    metres: float
    bone_metres: float
    blend_scales: Scales
    is_mixed: bool = False
    hard_cut: bool = False
    held: Held = dataclasses.field(default_factory=Held)
    warp: Warping | None = None
    holds: tuple[Holds, Holds] = (Holds(), Holds())

    @property
    def cut(self) -> float:
        """The scene's frame of the cut."""
        return self.settings.cut

    @property
    def destination_frame(self) -> float:
        """The destination's frame that is shown at the cut."""
        assert self.settings.destination_frame is not None
        return self.settings.destination_frame

    @property
    def cut_and_entry(self) -> CutAndEntry:
        """Where the clips meet."""
        return CutAndEntry(self.source, self.cut, self.destination, self.destination_frame)

    @property
    def cross_fade(self) -> bool:
        """Whether the source goes on under the blend and is faded out, in place of an offset that decays."""
        return self.is_mixed or self.settings.decay is None

    @property
    def extrapolated(self) -> bool:
        """Whether it goes on as it was going at the cut, see :mod:`dead_blending`, not as its keys do."""
        return self.settings.decay is None and not self.is_mixed

    @property
    def clips(self) -> tuple[Clip, Clip]:
        """Both clips."""
        return self.source, self.destination

    @property
    def later(self) -> float:
        """How many frames later the destination plays in the result."""
        return self.cut - self.destination_frame

    @property
    def longest(self) -> float:
        """How many seconds an offset lasts at most, however long it can be seen."""
        return longest(self.settings, self.fps, self.blend_scales)

    @property
    def is_stepped(self) -> bool:
        """Whether the destination holds poses, and then the blend does."""
        return self.holds[1].step > 1 or self.holds[1].is_held

    def frames_until(self, end: float) -> Array:
        """Return the frames of a window that ends with one, on which something may change."""
        if self.is_stepped:
            return self.holds[1].later(self.later).between(self.cut, end)
        return whole_frames(self.cut, end)

    @functools.cached_property
    def around(self) -> tuple[Array, Array]:
        """Of each clip the frames before and after the cut, see :meth:`Clip.around`, and at the cut; the one
        after is the cut itself where velocities come from the last two frames. A frame that is there twice
        is passed, see :func:`pass_doubled`.

        All three are the same for a pose without a velocity.
        """
        ends = ((self.source, self.cut), (self.destination, self.destination_frame))
        sides = []
        for (clip, frame), holds in zip(ends, self.holds, strict=True):
            before, after = clip.around(frame, extrapolate=self.settings.extrapolate)
            if holds.step > 1:
                before, after = _a_step_away(clip, frame, (before, after), holds.step)
            if self.settings.difference == "BACKWARD" and before < frame:
                after = frame
            if holds.step == 1 and not holds.is_held:
                before, after = pass_doubled(clip, frame, (before, after))
            sides.append(np.array([before, after, frame]))
        return sides[0], sides[1]


def _a_step_away(clip: Clip, frame: float, around: tuple[float, float], step: float) -> tuple[float, float]:
    """Return the frames whose difference is the velocity of a clip that holds poses.

    They show the pose before and the one behind. around: those of a clip that moves on each frame.
    """
    low, high = clip.section(frame)
    before = max(frame - step, low, min(clip.start, around[0])) if around[0] < frame else frame
    after = min(frame + step, high, max(clip.end, around[1])) if around[1] > frame else frame
    return before, after


def longest(settings: TransitionSettings, fps: float, blend_scales: Scales) -> float:
    """Return how many seconds an offset lasts at most, see :attr:`Joining.longest`."""
    lasting = HALF_LIVES if methods.length(settings.method) == "half_life" else 1.0
    return lasting * settings.seconds(fps) * blend_scales.longest


@record
class SlotPlan:
    """The curves of one slot of the result, and what there is to say about them.

    owner: what it animates, None when nothing does. groups: the names of channel groups. last_frame: where
    the longest offset ends. is_own: whether the owner belongs to the character. composed: curves that play
    the source to the cut and flow into the destination from there; copied: those that are taken over whole,
    as their bones take no part, or as only one action has them. clips: what the slot plays before the cut and
    from there on, as it is keyed; None for nothing. fadings: how offsets of channels decay, to be noted.
    holders: the slots of the objects that carry the owner, by what the paths of their channels begin with
    here, see :func:`apart`.
    """

    slot: Slot
    owner: Any | None
    groups: Mapping[Address, str]
    last_frame: float
    is_own: bool = True
    composed: dict[Address, Keys] = dataclasses.field(default_factory=dict)
    copied: dict[Address, ActionCurve | Keys] = dataclasses.field(default_factory=dict)
    offsets: int = 0
    fadings: list[tuple[Sequence[_Passage], Fading]] = dataclasses.field(default_factory=list)
    baked: list[BakedCurve] = dataclasses.field(default_factory=list)
    clips: tuple[Clip | None, Clip | None] = (None, None)
    holders: Mapping[str, Slot] = dataclasses.field(default_factory=dict)

    @property
    def guarded(self) -> list[GuardedOffset]:
        """What guards did, or would have to do, about offsets that swing far."""
        noted = (
            _note_guard(passage, fading, i)
            for passages, fading in self.fadings
            for i, passage in enumerate(passages)
        )
        return [note for note in noted if note is not None]

    @property
    def curves(self) -> dict[Address, ActionCurve | Keys]:
        """All curves."""
        return {**self.copied, **self.composed}


def apart(slots: Iterable[SlotPlan]) -> list[SlotPlan]:
    """Return the plans of slots with a plan each for the objects that carry an armature, behind its own."""
    return [part for slot in slots for part in (_without_holders(slot), *_of_holders(slot))]


def _without_holders(slot: SlotPlan) -> SlotPlan:
    """Return the plan of a slot with the channels of its own alone; the very same where it has no others."""
    if not slot.holders:
        return slot
    prefixes = tuple(slot.holders)

    def own(curves: Mapping[Address, T]) -> dict[Address, T]:
        return {at: each for at, each in curves.items() if not at[0].startswith(prefixes)}

    source, destination = (clip and without_holders(clip) for clip in slot.clips)
    return dataclasses.replace(
        slot,
        composed=own(slot.composed),
        copied=own(slot.copied),
        groups=own(slot.groups),
        clips=(source, destination),
        holders={},
    )


def _of_holders(slot: SlotPlan) -> Iterator[SlotPlan]:
    """Yield the plan of the slot of each object that carries the owner of a slot."""
    for prefix, of_holder in slot.holders.items():

        def inner(curves: Mapping[Address, T], prefix: str = prefix) -> dict[Address, T]:
            held = {at: each for at, each in curves.items() if at[0].startswith(prefix)}
            return {(path.removeprefix(prefix), index): each for (path, index), each in held.items()}

        source, destination = (clip and of_holder_alone(clip, prefix, of_holder) for clip in slot.clips)
        yield SlotPlan(
            of_holder,
            holder_of(None, prefix),
            inner(slot.groups),
            slot.last_frame,
            slot.is_own,
            inner(slot.composed),
            inner(slot.copied),
            clips=(source, destination),
        )


def compose(joining: Joining, channels: Sequence[Channels], result: SlotPlan) -> None:
    """Join channels in a slot of the result."""
    finish(compose_steps(joining, channels, result))


def compose_steps(joining: Joining, channels: Sequence[Channels], result: SlotPlan) -> Steps[None]:
    """Compose as :func:`compose` does, in steps; yield how much is done."""
    windows: list[KeyedWindow] = []
    count = max(len(channels), 1)
    # all momentum of the root's own travel is kept, whatever the settings: aligned, its offset starts at
    # nothing and is all momentum. To project, drop or limit it would stop or throw the whole character
    settings = dataclasses.replace(
        joining.settings, decomposition="ROTATION_VECTOR", velocity="RELATIVE", guard="OFF"
    )
    travelling = dataclasses.replace(joining, settings=settings)
    sources = (at for ch in channels for at in ch.source.addresses)
    heads = pieces.with_keys(joining.source, sources, joining.cut)
    for kind in TOLERANCES:
        group = [_Passage(joining, ch, heads) for ch in channels if ch.kind == kind and not ch.discrete]
        led = [_Passage(travelling, passage.ch, heads) for passage in group if passage.travels]
        for how, passages in (
            (joining, [passage for passage in group if not passage.travels]),
            (travelling, led),
        ):
            for window in _compose_kind(how, passages, result):
                windows += [] if window is None else [window]
                yield len(windows) / count
    for ch in channels:
        if ch.discrete:
            # numbers, switches and choices: the source's up to the cut, the destination's from there
            _keep([_compose_windowless(_Passage(joining, ch), None, at_once=True, result=result)], result)
    if settings.key_tolerance and not settings.strips and not joining.is_stepped:
        pieces.thin(result.composed, windows, settings.key_tolerance)


def take_over(joining: Joining, channels: Sequence[Channels], result: SlotPlan) -> None:
    """Have a slot of the result play the whole destination, aligned, as there is no source to come from."""
    for passage in (_Passage(joining, ch) for ch in channels):
        destination = passage.ch.destination
        tails = passage.aligned.tails(joining.destination.start, joining.later, result.baked)
        for address, default, keys in zip(destination.addresses, destination.defaults, tails, strict=True):
            if passage.says(address, default, keys):
                result.copied[address] = keys


@record(frozen=True)
class _Passage:
    """Channels on their way from one clip into the other. heads: curves of the source, keyed at the cut."""

    joining: Joining
    ch: Channels
    heads: Keyed = dataclasses.field(default_factory=dict)

    @functools.cached_property
    def aligned(self) -> AlignedChannels:
        """The destination as it is aligned."""
        carrier = self.joining.alignment.carriers.get(self.ch.carrier)
        return AlignedChannels(
            self.ch.destination, carrier if self.ch.kind in ("location", "rotation") else None
        )

    @functools.cached_property
    def source(self) -> ClipChannels:
        """The source, around the cut in the destination's terms where a switch changes what channels mean."""
        return self.joining.held.restated(self.ch) or self.ch.source

    @property
    def is_restated(self) -> bool:
        """Whether the channels jump at the cut, so that the pose does not."""
        return self.source is not self.ch.source

    @property
    def travels(self) -> bool:
        """Whether this is the character's own way through the world."""
        return self.ch.kind == "location" and self.ch.carrier in self.joining.alignment.carriers

    @property
    def seconds(self) -> float:
        """The blend time, or half-life; 0 cuts at once."""
        if self.joining.hard_cut:
            return 0.0
        return self.joining.settings.seconds(self.joining.fps) * self.joining.blend_scales.of(self.ch)

    @property
    def metres(self) -> float:
        """Metres per unit of a location; 1 of anything else."""
        if self.ch.kind != "location":
            return 1.0
        return self.joining.metres if self.ch.bone is None else self.joining.bone_metres

    def in_units(self, lengths: Mapping[str, float]) -> float:
        """Return a length by kind, in metres, in the channels' own unit; inf where there is none."""
        return lengths.get(self.ch.kind, math.inf) / self.metres

    @property
    def limit(self) -> float:
        """How far LIMIT lets channels swing; inf for those that are neither angles nor lengths."""
        settings = self.joining.settings
        return self.in_units(
            {"rotation": math.radians(settings.guard_angle), "location": settings.guard_length}
        )

    def faded_out(self, raw: Array, frames: Array) -> Array:
        """Return what is left of the source in a cross-fade: its offset from the destination, eased out.

        raw: the aligned destination there.
        """
        joining, channels = self.joining, self.ch.source
        since = (frames - joining.cut) / joining.fps
        left = dead_blending.source_share(since, self.seconds)[:, None]
        gone_on = self._gone_on(since) if joining.extrapolated else channels.decode(channels.raw(frames))
        shown = self.ch.destination.decode(raw)
        if self.ch.kind != "rotation":
            return np.asarray(left * (gone_on - shown))
        turn = quaternion.multiply(gone_on, quaternion.conjugate(shown))
        return np.asarray(left * quaternion.followed_log(turn))

    def differs(self) -> bool:
        """Tell whether anything is left of the source at some frame of a cross-fade."""
        joining = self.joining
        if self.seconds <= 0.0:
            return False
        end = max(joining.cut + self.seconds * joining.fps, joining.cut + 1.0)
        frames = whole_frames(joining.cut, end)
        left = self.faded_out(self.aligned.raw(frames - joining.later), frames)
        return bool(np.any(np.linalg.norm(left, axis=1) > NOTHING * self.in_units(TOLERANCES)))

    def _gone_on(self, since: Array) -> Array:
        """Return the source's raw values, or quaternions, as it goes on from the cut with its velocity
        decaying.

        since: seconds (n,). The character's own travel keeps all of its momentum and goes straight on: to
        brake it, or to clamp it, would stop or throw the whole character.
        """
        joining, source = self.joining, self.source
        frames, _ = joining.around
        before, after, now = source.decode(source.raw(frames))
        seconds = _seconds(joining, frames)
        half_life = math.inf if self.travels else joining.settings.extrapolation_half_life
        gone = dead_blending.reach(since, half_life)[:, None]
        if self.ch.kind == "rotation":
            rate = quaternion.angular_velocity(before, after, seconds)
            turns = quaternion.exp(gone * dead_blending.clamped(rate, dead_blending.FASTEST_TURN))
            return quaternion.multiply(turns, now)
        fastest = math.inf if self.travels else self.in_units(FASTEST)
        return np.asarray(now + gone * dead_blending.clamped((after - before) / seconds, fastest))

    def says(self, address: Address, default: float, keys: Keys) -> bool:
        """Tell whether a curve is needed: a clip has it, or it is not the default throughout."""
        keyed = any(address in clip.curves for clip in self.joining.clips)
        return keyed or bool(np.any(np.abs(keys.co[:, 1] - default) > ROUNDING * max(1.0, abs(default))))

    def restated(self, tails: Sequence[Keys], wanted: Array | None) -> Restatement:
        """Return how tails must be restated to begin on ``wanted``, the same rotation in whichever
        numbers.
        """
        if self.ch.kind != "rotation" or wanted is None:
            return same(len(tails))
        return restatement(_start(tails), self.ch.destination.mode, wanted)


def _compose_kind(joining: Joining, group: list[_Passage], result: SlotPlan) -> Iterator[KeyedWindow | None]:
    """Join channels of one kind; yields those that got a window, and None where there is none yet, so that
    what is done of all at once holds nothing up."""
    if not group:
        return
    raw = raw_of([passage.source for passage in group], joining.around[0])
    yield None
    fading = _fade(joining, group, raw)
    if joining.cross_fade:
        seconds = [passage.seconds if passage.differs() else 0.0 for passage in group]
        fading = dataclasses.replace(fading, seconds=np.array(seconds))
    ends = [_end(joining, float(seconds)) for seconds in fading.seconds]
    keyed = {
        end: pieces.with_keys(
            joining.destination,
            (
                at
                for passage, ending in zip(group, ends, strict=True)
                for at in passage.ch.destination.addresses
                if ending == end
            ),
            end - joining.later,
        )
        for end in set(ends)
    }
    now = [values[2] for values in raw]
    yield None
    spans = _windows(joining, group, now, fading, ends)
    yield None
    windows = {i: _Window.of(group[i], *span, keyed[ends[i]]) for i, span in sorted(spans.items())}
    sampled = _sampled(windows, keylib.CONSTANT if joining.is_stepped else keylib.BEZIER)
    parts: list[_Parts] = []
    if not joining.cross_fade:
        result.fadings.append((group, fading))
    for i, passage in enumerate(group):
        if i in windows:
            result.offsets += 1
            result.last_frame = max(result.last_frame, windows[i].last)
            result.baked += windows[i].baked
            parts.append(
                _put_together(
                    passage,
                    sampled[i],
                    windows[i].tails,
                    windows[i].restated,
                    at_once=passage.is_restated,
                    result=result,
                )
            )
            yield KeyedWindow(passage.ch, passage.metres, float(windows[i].frames[0]), windows[i].last)
        else:
            at_once = (
                np.linalg.norm(fading.x[i]) > NOTHING * passage.in_units(TOLERANCES) or passage.is_restated
            )
            parts.append(_compose_windowless(passage, now[i], at_once=bool(at_once), result=result))
    yield None
    _keep(parts, result)


def _fade(joining: Joining, group: list[_Passage], raw: list[Array]) -> Fading:
    """Return the offsets of channels of one kind, (channels, 3 or 1), and how they decay."""
    settings, frames = joining.settings, joining.around
    aligned = _aligned(group, frames[1])
    source = decode_all([passage.source for passage in group], raw)
    destination = decode_all([passage.ch.destination for passage in group], aligned)
    motions = []
    for shown, at in zip((source, destination), frames, strict=True):
        before, after, now = np.stack(shown, axis=1)
        motions.append(ChannelMotion(before, now, after, _seconds(joining, at)))
    offset_of = offset.of_rotations if group[0].ch.kind == "rotation" else offset.of_vectors
    decaying = offset_of(
        motions[0], motions[1], Decomposition[settings.decomposition], Velocity[settings.velocity]
    )
    return fade(
        decaying,
        # any in a cross-fade, which follows none
        joining.settings.decay or Method.SOFT,
        np.array([passage.seconds for passage in group]),
        Guard[settings.guard],
        np.array([passage.limit for passage in group]),
        np.array([passage.in_units(TOLERANCES) for passage in group]),
    )


def _seconds(joining: Joining, around: Array) -> float:
    """Return how long it takes from the frame before to the one behind, see :attr:`Joining.around`.

    A frame's time for a pose, whose velocity is nothing over any time.
    """
    return float(around[1] - around[0] or 1.0) / joining.fps


def _aligned(group: Sequence[_Passage], frames: Array) -> list[Array]:
    """Return what the aligned destination shows of channels, (frames, channels) of each, at frames of its
    own.
    """
    raw = raw_of([passage.ch.destination for passage in group], frames)
    return [passage.aligned.of_raw(values) for passage, values in zip(group, raw, strict=True)]


def _note_guard(passage: _Passage, fading: Fading, i: int) -> GuardedOffset | None:
    """Return what there is to note of one of some offsets; None for nothing."""
    guarded, ch = fading.guarded, passage.ch
    before, after, dropped = passage.seconds, float(guarded.seconds[i]), bool(guarded.dropped[i])
    acts = after < before * (1.0 - 1e-9) or dropped
    # without a guard, too, it is said what swings far; the character's own travel is meant to go far
    far = guarded.excursion_after[i] > passage.limit * (1.0 + 1e-6) and not passage.travels
    if fading.seconds[i] <= 0.0 or not (acts or far):
        return None
    unit = math.degrees(1.0) if ch.kind == "rotation" else passage.metres
    kind = ch.kind if ch.kind != "value" else ch.source.addresses[0][0]
    fps = passage.joining.fps
    return GuardedOffset(
        ch.bone or "",
        kind,
        before * fps,
        after * fps,
        float(guarded.excursion_before[i]) * unit,
        float(guarded.excursion_after[i]) * unit,
        dropped,
    )


def _end(joining: Joining, seconds: float) -> float:
    """Return the last frame of the window of an offset that is gone after so many seconds."""
    end = max(math.ceil(joining.cut + seconds * joining.fps - 1e-4), joining.cut + 1.0)
    if not joining.is_stepped:
        return end
    # the destination takes over where it goes on
    frames = joining.frames_until(end + 2.0 * joining.holds[1].step + 1.0)
    return float(frames[np.searchsorted(frames, end - 1e-3)])


def _windows(
    joining: Joining, group: list[_Passage], raw: list[Array], fading: Fading, ends: list[float]
) -> dict[int, tuple[Array, Array]]:
    """Return the frames (n,) and raw values (n, channels) of the windows of channels, by index in a group.

    raw: the source's raw values at the cut. ends: where windows end. Those that end together are computed
    together, as thousands of channels one by one would take several times as long.
    """
    alike: dict[tuple[float, str], list[int]] = {}
    for i, passage in enumerate(group):
        if fading.seconds[i] > 0.0:
            alike.setdefault((ends[i], passage.ch.destination.mode), []).append(i)
    reckoned = functools.partial(_reckoned, joining, group, raw, fading)
    windows: dict[int, tuple[Array, Array]] = {}
    for (end, mode), rows in alike.items():
        frames = joining.frames_until(end)
        for i, window in zip(rows, reckoned(rows, frames), strict=True):
            windows[i] = frames, window
            if mode and not joining.is_stepped and may_stray(window, mode):

                def alone(at: Array, i: int = i) -> Array:
                    return np.asarray(reckoned([i], at)[0])

                windows[i] = followed(alone, frames, mode)
    return windows


def _reckoned(
    joining: Joining,
    group: list[_Passage],
    at_cut: list[Array],
    fading: Fading,
    rows: list[int],
    frames: Array,
) -> Array:
    """Compute the output (rows, frames, channels) over a window, for some of a group's channels, all of
    one mode.

    at_cut: the source's raw values at the cut.
    """
    passages = [group[i] for i in rows]
    raw = np.stack(_aligned(passages, frames - joining.later))
    if joining.cross_fade:
        remaining = np.stack(
            [passage.faded_out(values, frames) for passage, values in zip(passages, raw, strict=True)]
        )
    else:
        remaining = fading.at(rows, (frames - joining.cut) / joining.fps)
    channels = passages[0].ch.destination
    if not channels.mode:
        return offset.onto_vectors(raw, remaining)
    output = offset.onto_rotations(channels.decode(raw), remaining)
    # where the source's numbers can be gone on from, their sign, turns and size are
    goes_on = np.array(
        [passage.source.mode == channels.mode and not passage.is_restated for passage in passages]
    )
    start = np.stack(
        [at_cut[i] if on else values[0] for i, on, values in zip(rows, goes_on, raw, strict=True)]
    )
    size = sizes(raw, channels.mode)
    left = goes_on[:, None] * (frames[-1] - frames) / (frames[-1] - frames[0])
    size = size + (sizes(start, channels.mode) - size[:, 0])[:, None] * left
    return continuous(output, channels.mode, start, size)


@record(frozen=True)
class _Window:
    """What some channels show from the cut on: values (n, channels) on frames (n,), and tails behind these.

    restated: how the tails must be restated to go on from there. baked: what of them could not be cut.
    """

    frames: Array
    values: Array
    tails: Sequence[Keys]
    restated: Restatement
    baked: list[BakedCurve]

    @classmethod
    def of(cls, passage: _Passage, frames: Array, values: Array, keyed: Keyed) -> _Window:
        """Return the window that shows values. keyed: the destination's curves, with a key where it ends."""
        baked: list[BakedCurve] = []
        later, last = passage.joining.later, float(frames[-1])
        tails = passage.aligned.tails(last - later, later, baked, values[-1], keyed)
        restated = passage.restated(tails, values[-1])
        values = np.concatenate([values[:-1], restated.apply(_start(tails))[None]])
        return cls(frames, values, tails, restated, baked)

    @property
    def last(self) -> float:
        """The frame with which it ends."""
        return float(self.frames[-1])


@dataclasses.dataclass(frozen=True)
class _Parts:
    """What the curves of some channels are made of.

    curves: what is to be joined, see :func:`keylib.join`; without a head the last is all of it. heads: curves
    that end at the cut.
    """

    passage: _Passage
    curves: Mapping[Address, tuple[Keys | None, Keys | None, Keys]]
    heads: Mapping[Address, Keys]


def _sampled(windows: Mapping[int, _Window], interpolation: int) -> dict[int, list[Keys]]:
    """Make the keys of windows, for each window those of its channels; windows on the same frames are
    computed together.

    interpolation: between the keys.
    """
    alike: dict[bytes, list[int]] = {}
    for i, window in windows.items():
        alike.setdefault(window.frames.tobytes(), []).append(i)
    keys: dict[int, list[Keys]] = {}
    for rows in alike.values():
        whole = np.concatenate([windows[i].values for i in rows], axis=1)
        samples = iter(keylib.sampled_together(windows[rows[0]].frames, whole, interpolation))
        keys |= {i: list(itertools.islice(samples, windows[i].values.shape[1])) for i in rows}
    return keys


def _start(tails: Sequence[Keys]) -> Array:
    """Return the raw values (channels,) with which tails begin."""
    return np.array([keys.co[0, 1] for keys in tails], float)


def _compose_windowless(
    passage: _Passage, at_cut: Array | None, *, at_once: bool, result: SlotPlan
) -> _Parts:
    """Channels without an offset, which go over into the destination; or that cut at once."""
    goes_on = passage.ch.source.mode == passage.ch.destination.mode and not at_once
    start = at_cut if goes_on else None
    tails = passage.aligned.tails(
        passage.joining.destination_frame, passage.joining.later, result.baked, start
    )
    return _put_together(passage, None, tails, passage.restated(tails, start), at_once=at_once, result=result)


def _put_together(
    passage: _Passage,
    window: Sequence[Keys] | None,
    tails: Sequence[Keys],
    restated: Restatement,
    *,
    at_once: bool,
    result: SlotPlan,
) -> _Parts:
    """Collect what the curves of channels are made of."""
    joining, source, destination = passage.joining, passage.ch.source, passage.ch.destination
    end, keyed = (joining.cut - keylib.STEP_FRAMES, pieces.NONE) if at_once else (joining.cut, passage.heads)
    cut = CutFrame(end, keyed=keyed)
    heads = {
        at: pieces.piece(keylib.head, source, i, cut, result.baked) for i, at in enumerate(source.addresses)
    }
    curves: dict[Address, tuple[Keys | None, Keys | None, Keys]] = {}
    for column, address in enumerate(destination.addresses):
        sign, shift = float(restated.sign[column]), float(restated.shift[column])
        whole = keylib.move(tails[column], sign=sign, shift=shift)
        middle = None if window is None else window[column]
        # a mode that only the destination reads has no head of its own
        before = heads.pop(address, None if middle is None else middle.take(slice(0, 1)))
        if at_once and middle is not None:
            whole = keylib.join(middle.take(slice(0, 1)), middle, whole)
        if at_once and before is not None:
            whole, before = keylib.step(before, whole), None
        curves[address] = before, middle, whole
    return _Parts(passage, curves, heads)


def _keep(curve_parts: Sequence[_Parts], result: SlotPlan) -> None:
    """Join the curves of channels, and keep them, but those that neither clip has and that say no more than
    the default."""
    curves = [curve for part in curve_parts for curve in part.curves.values()]
    joined = iter(keylib.joined_together([(b, m, a) for b, m, a in curves if b is not None]))
    for part in curve_parts:
        for (address, (before, _, whole)), default in zip(
            part.curves.items(), part.passage.ch.destination.defaults, strict=True
        ):
            keys = whole if before is None else next(joined)
            if part.passage.says(address, default, keys):
                result.composed[address] = keys
        # where the rotation mode changes at the cut, the source's own channels end there
        result.composed |= part.heads
