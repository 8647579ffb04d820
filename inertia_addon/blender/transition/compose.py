# SPDX-License-Identifier: GPL-3.0-or-later
"""From two clips to the curves of their transition."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ...motion import quaternion, transforms
from ...motion.curves import keys as keylib
from ...motion.curves.keys import Keys
from ...motion.curves.representation import Restatement, continuous, followed, restatement, same, sizes
from ...motion.decay import dead_blending, offset
from ...motion.decay.decay import Method
from ...motion.decay.guard import Guard
from ...motion.decay.offset import Decomposition, Motion, Velocity
from ...motion.decay.transition import NOTHING, Fading, fade
from ...settings.transition import TransitionSettings
from ..data.actions import Address, Clip
from ..data.channels import Channels, values
from . import pieces
from .alignment import Alignment
from .pieces import Aligned
from .report import BakedCurve, GuardedOffset

Array = NDArray[np.float64]

ROTATION_TOLERANCE = math.radians(0.01)
"""A spring ends where its offset is under this angle ..."""
LENGTH_TOLERANCE = 1e-5
"""... or this length in metres ..."""
VALUE_TOLERANCE = 1e-4
"""... or this much of a scale or another value."""

ROUNDING = 1e-7
"""What is nearer to a default than this part of it, or of 1, is the default."""


@dataclasses.dataclass(frozen=True)
class Joining:
    """Where and how two clips are joined.

    cut: scene frame; destination_frame: the destination's frame shown there. fps: frames a
    second. metres: metres per unit of a channel's location, by bone (None for the object).
    blend_scales: by bone. alignment: the destination's rigid motion. cross_fade: the source goes on
    under the blend and is faded out, in place of an offset that decays from the cut on. extrapolated: it
    goes on as it was going at the cut, see :mod:`dead_blending`, not as its keys do.
    """

    source: Clip
    destination: Clip
    cut: float
    destination_frame: float
    fps: float
    settings: TransitionSettings
    alignment: Alignment
    metres: Mapping[str | None, float]
    blend_scales: Mapping[str, float]
    cross_fade: bool = False
    extrapolated: bool = False

    @property
    def later(self) -> float:
        """How many frames later the destination plays in the result."""
        return self.cut - self.destination_frame

    @property
    def method(self) -> Method:
        """The decay curve; any in a cross-fade, which follows none."""
        return self.settings.decay or Method.SOFT

    def seconds(self, channels: Channels) -> float:
        """The blend time, or half-life, of some channels; 0 cuts at once."""
        return self.settings.seconds(self.fps) * self.blend_scales.get(channels.bone or "", 1.0)


@dataclasses.dataclass
class Composition:
    """The curves of a result's slot, and what there is to say about them.

    last_frame: where the longest offset ends.
    """

    curves: dict[Address, Keys]
    offsets: int
    last_frame: float
    guarded: list[GuardedOffset]
    baked: list[BakedCurve]


def compose(joining: Joining, channels: Sequence[Channels]) -> Composition:
    """The curves that play the source to the cut and flow into the destination from there."""
    result = Composition({}, 0, joining.cut, [], [])
    travelling = _for_travel(joining)
    for kind in ("rotation", "location", "scale", "value"):
        group = [ch for ch in channels if ch.kind == kind and not ch.discrete]
        travel = [ch for ch in group if kind == "location" and ch.bone in joining.alignment.carriers]
        for how, part in ((joining, [ch for ch in group if ch not in travel]), (travelling, travel)):
            if part:
                _compose_kind(how, kind, part, result)
    for ch in channels:
        if ch.discrete:
            _compose_discrete(joining, ch, result)
    return result


def _for_travel(joining: Joining) -> Joining:
    """How the root's own travel is joined: all of its momentum is kept, whatever the settings.

    Aligned, its offset starts at nothing and is all momentum. To project it, to drop it or to limit
    it would stop or throw the whole character.
    """
    settings = dataclasses.replace(
        joining.settings, decomposition="ROTATION_VECTOR", velocity="RELATIVE", guard="OFF"
    )
    return dataclasses.replace(joining, settings=settings)


def _compose_kind(joining: Joining, kind: str, group: list[Channels], result: Composition) -> None:
    aligned = [_aligned(joining, ch) for ch in group]
    source_frames = np.array([*joining.source.around(joining.cut, joining.settings.extrapolate), joining.cut])
    destination_frames = np.array(
        [
            *joining.destination.around(joining.destination_frame, joining.settings.extrapolate),
            joining.destination_frame,
        ]
    )
    here = [values(joining.source, ch.source, ch.source_defaults, source_frames) for ch in group]
    there = [part.raw(destination_frames) for part in aligned]
    fading = _fade(joining, kind, group, here, there, source_frames, destination_frames)
    if joining.cross_fade:
        seconds = [
            joining.seconds(ch) if _differs(joining, ch, part) else 0.0
            for ch, part in zip(group, aligned, strict=True)
        ]
        fading = dataclasses.replace(fading, seconds=np.array(seconds))
    for i, ch in enumerate(group):
        if not joining.cross_fade:
            _note_guard(joining, ch, fading, i, result.guarded)
        _compose_channels(joining, ch, aligned[i], here[i][2], fading, i, result)


def _aligned(joining: Joining, ch: Channels) -> Aligned:
    return Aligned(joining.destination, ch, joining.alignment.carriers.get(ch.bone))


def _fade(
    joining: Joining,
    kind: str,
    group: list[Channels],
    here: list[Array],
    there: list[Array],
    source_frames: Array,
    destination_frames: Array,
) -> Fading:
    """The offsets of channels of one kind, (channels, 3 or 1), and how they decay."""
    settings = joining.settings
    rotation = kind == "rotation"
    motions = []
    for raws, modes, frames in (
        (here, [ch.source_mode for ch in group], source_frames),
        (there, [ch.destination_mode for ch in group], destination_frames),
    ):
        if rotation:
            stacked = np.stack(
                [transforms.to_quaternion(raw, mode) for raw, mode in zip(raws, modes, strict=True)], axis=1
            )
        else:
            stacked = np.stack(raws, axis=1)
        motions.append(Motion(stacked[0], stacked[2], stacked[1], (frames[1] - frames[0]) / joining.fps))
    of = offset.of_rotations if rotation else offset.of_vectors
    found = of(motions[0], motions[1], Decomposition[settings.decomposition], Velocity[settings.velocity])
    return fade(
        found,
        joining.method,
        np.array([joining.seconds(ch) for ch in group]),
        Guard[settings.guard],
        np.array([_limit(joining, ch) for ch in group]),
        np.array([_tolerance(joining, ch) for ch in group]),
    )


def _limit(joining: Joining, ch: Channels) -> float:
    """How far LIMIT lets channels swing; inf for those that are neither angles nor lengths."""
    if ch.kind == "rotation":
        return math.radians(joining.settings.guard_angle)
    if ch.kind == "location":
        return joining.settings.guard_length / joining.metres[ch.bone]
    return math.inf


def _tolerance(joining: Joining, ch: Channels) -> float:
    if ch.kind == "rotation":
        return ROTATION_TOLERANCE
    return LENGTH_TOLERANCE / joining.metres[ch.bone] if ch.kind == "location" else VALUE_TOLERANCE


def _note_guard(joining: Joining, ch: Channels, fading: Fading, i: int, notes: list[GuardedOffset]) -> None:
    guarded = fading.guarded
    before, after = joining.seconds(ch), float(guarded.seconds[i])
    acts = after < before * (1.0 - 1e-9) or bool(guarded.dropped[i])
    travels = ch.kind == "location" and ch.bone in joining.alignment.carriers
    # without a guard, too, it is said what swings far; the character's own travel is meant to go far
    far = guarded.excursion_after[i] > _limit(joining, ch) * (1.0 + 1e-6) and not travels
    if fading.seconds[i] <= 0.0 or not (acts or far):
        return
    unit = math.degrees(1.0) if ch.kind == "rotation" else 1.0
    if ch.kind == "location":
        unit = joining.metres[ch.bone]
    name = ch.bone if ch.bone is not None else ""
    kind = ch.kind if ch.kind != "value" else ch.source[0][0]
    excursions = (float(guarded.excursion_before[i]) * unit, float(guarded.excursion_after[i]) * unit)
    notes.append(
        GuardedOffset(
            name, kind, before * joining.fps, after * joining.fps, *excursions, bool(guarded.dropped[i])
        )
    )


def _compose_channels(
    joining: Joining, ch: Channels, aligned: Aligned, here: Array, fading: Fading, i: int, result: Composition
) -> None:
    """Head, window and tail of some channels. here: the source's raw values at the cut."""
    cut, later = joining.cut, joining.later
    if fading.seconds[i] <= 0.0:
        at_once = np.linalg.norm(fading.x[i]) > NOTHING * _tolerance(joining, ch)
        _compose_windowless(joining, ch, aligned, here, bool(at_once), result)
        return
    end = math.ceil(cut + float(fading.seconds[i]) * joining.fps - 1e-4)
    frames = pieces.whole_frames(cut, max(end, cut + 1.0))

    def window_at(frames: Array) -> Array:
        raw = aligned.raw(frames - later)
        if joining.cross_fade:
            remaining = _faded_out(joining, ch, raw, frames)
        else:
            remaining = fading.at(i, (frames - cut) / joining.fps)
        return _window(ch, raw, here, remaining, frames)

    if ch.kind == "rotation":
        frames, window = followed(window_at, frames, ch.destination_mode)
    else:
        window = window_at(frames)
    tails = aligned.tails(float(frames[-1]) - later, later, result.baked, window[-1])
    restated = _restated(ch, tails, window[-1])
    window[-1] = restated.apply(_start(tails))
    result.offsets += 1
    result.last_frame = max(result.last_frame, float(frames[-1]))
    heads = _heads(joining, ch, result.baked, cut)
    middle = keylib.sampled_together(frames, window)
    for column, address in enumerate(ch.destination):
        own = middle[column]
        behind = keylib.moved(
            tails[column], sign=float(restated.sign[column]), shift=float(restated.shift[column])
        )
        # a mode that only the destination reads has no head of its own
        before = heads.get(address) or own.take(slice(0, 1))
        _store(joining, ch, column, keylib.join(before, own, behind), result)
    _lone_heads(ch, heads, result)


def _faded_out(joining: Joining, ch: Channels, raw: Array, frames: Array) -> Array:
    """What of the source is left in a cross-fade: its offset from the destination at each frame, eased out.

    raw: the aligned destination there.
    """
    since = (frames - joining.cut) / joining.fps
    left = dead_blending.left(since, joining.seconds(ch))[:, None]
    if joining.extrapolated:
        source = _gone_on(joining, ch, since)
    else:
        source = values(joining.source, ch.source, ch.source_defaults, frames)
        source = transforms.to_quaternion(source, ch.source_mode) if ch.kind == "rotation" else source
    if ch.kind != "rotation":
        return np.asarray(left * (source - raw))
    turn = quaternion.multiply(
        source, quaternion.conjugate(transforms.to_quaternion(raw, ch.destination_mode))
    )
    return np.asarray(left * quaternion.followed_log(turn))


def _differs(joining: Joining, ch: Channels, aligned: Aligned) -> bool:
    """Whether anything is left of the source at some frame of a cross-fade."""
    seconds = joining.seconds(ch)
    if seconds <= 0.0:
        return False
    frames = pieces.whole_frames(joining.cut, max(joining.cut + seconds * joining.fps, joining.cut + 1.0))
    left = _faded_out(joining, ch, aligned.raw(frames - joining.later), frames)
    return bool(np.any(np.linalg.norm(left, axis=1) > NOTHING * _tolerance(joining, ch)))


def _gone_on(joining: Joining, ch: Channels, since: Array) -> Array:
    """The source's raw values, or quaternions, as it goes on from the cut with its velocity decaying.

    since: seconds (n,). The character's own travel keeps all of its momentum and goes straight on: to brake
    it, or to clamp it, would stop or throw the whole character.
    """
    around = joining.source.around(joining.cut, joining.settings.extrapolate)
    before, after, now = values(
        joining.source, ch.source, ch.source_defaults, np.array([*around, joining.cut])
    )
    seconds = (around[1] - around[0]) / joining.fps
    travels = ch.kind == "location" and ch.bone in joining.alignment.carriers
    gone = dead_blending.reach(since, math.inf if travels else joining.settings.extrapolation_half_life)
    if ch.kind == "rotation":
        poses = [transforms.to_quaternion(raw, ch.source_mode) for raw in (before, after, now)]
        rate = quaternion.angular_velocity(poses[0], poses[1], seconds)
        turns = quaternion.exp(gone[:, None] * dead_blending.clamped(rate, dead_blending.FASTEST_TURN))
        return quaternion.multiply(turns, poses[2])
    fastest = {
        "location": math.inf if travels else dead_blending.FASTEST_MOVE / joining.metres[ch.bone],
        "scale": dead_blending.FASTEST_SCALE,
    }.get(ch.kind, math.inf)
    return np.asarray(now + gone[:, None] * dead_blending.clamped((after - before) / seconds, fastest))


def _window(ch: Channels, raw: Array, here: Array, remaining: Array, frames: Array) -> Array:
    """The output (frames, channels) over the window.

    raw: the aligned destination. here: the source's raw values at the cut. remaining: offsets.
    """
    if ch.kind != "rotation":
        return offset.onto_vectors(raw, remaining)
    mode = ch.destination_mode
    output = offset.onto_rotations(transforms.to_quaternion(raw, mode), remaining)
    start, size = raw[0], sizes(raw, mode)
    if ch.source_mode == mode:
        start = here
        fading = (frames[-1] - frames) / (frames[-1] - frames[0])
        size = size + (sizes(here, mode) - size[0]) * fading
    return continuous(output, mode, start, size)


def _start(tails: Sequence[Keys]) -> Array:
    """The raw values (channels,) with which tails begin."""
    return np.array([keys.co[0, 1] for keys in tails], float)


def _restated(ch: Channels, tails: Sequence[Keys], wanted: Array) -> Restatement:
    """How tails must be restated to begin on ``wanted``, the same rotation in whichever numbers."""
    if ch.kind != "rotation":
        return same(len(tails))
    return restatement(_start(tails), ch.destination_mode, wanted)


def _compose_windowless(
    joining: Joining, ch: Channels, aligned: Aligned, here: Array, at_once: bool, result: Composition
) -> None:
    """Channels without an offset, which go over into the destination; or that cut at once."""
    cut = joining.cut
    goes_on = ch.source_mode == ch.destination_mode and not at_once
    start = here if goes_on else None
    tails = aligned.tails(joining.destination_frame, joining.later, result.baked, start)
    heads = _heads(joining, ch, result.baked, cut - keylib.STEP_FRAMES if at_once else cut)
    restated = _restated(ch, tails, here) if goes_on else same(len(tails))
    for column, address in enumerate(ch.destination):
        behind = keylib.moved(
            tails[column], sign=float(restated.sign[column]), shift=float(restated.shift[column])
        )
        before = heads.get(address)
        if before is None:
            whole = behind
        else:
            whole = keylib.step(before, behind) if at_once else keylib.join(before, None, behind)
        _store(joining, ch, column, whole, result)
    _lone_heads(ch, heads, result)


def _store(joining: Joining, ch: Channels, column: int, whole: Keys, result: Composition) -> None:
    """Keep a curve, unless neither clip has it and it says no more than the default."""
    address = ch.destination[column]
    keyed = address in joining.source.curves or address in joining.destination.curves
    default = ch.destination_defaults[column]
    if keyed or np.any(np.abs(whole.co[:, 1] - default) > ROUNDING * max(1.0, abs(default))):
        result.curves[address] = whole


def _heads(joining: Joining, ch: Channels, baked: list[BakedCurve], frame: float) -> dict[Address, Keys]:
    return {
        address: pieces.head(joining.source, address, default, frame, baked)
        for address, default in zip(ch.source, ch.source_defaults, strict=True)
    }


def _lone_heads(ch: Channels, heads: Mapping[Address, Keys], result: Composition) -> None:
    """Where the rotation mode changes at the cut, the source's own channels end there."""
    for address, before in heads.items():
        if address not in ch.destination:
            result.curves[address] = before


def _compose_discrete(joining: Joining, ch: Channels, result: Composition) -> None:
    """Numbers, switches and choices: the source's up to the cut, the destination's from there."""
    address = ch.destination[0]
    before = pieces.head(
        joining.source, address, ch.source_defaults[0], joining.cut - keylib.STEP_FRAMES, result.baked
    )
    behind = pieces.tail(
        joining.destination,
        address,
        ch.destination_defaults[0],
        joining.destination_frame,
        joining.later,
        result.baked,
    )
    result.curves[address] = keylib.step(before, behind)
