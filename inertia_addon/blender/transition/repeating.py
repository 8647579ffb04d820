# SPDX-License-Identifier: GPL-3.0-or-later
"""Cycles as clips with as many repetitions as a transition shows, at the speed that it shows them.

Repetitions have the cycle's own keys, over and over. Where the root travels or turns, what carries the
character is moved with each repetition by the same rigid motion, as the destination's alignment moves it. A
clip that a clock shows is sampled while its speed changes, and has its own keys, moved, from there on.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError
from ...motion.arrays import Array
from ...motion.curves import blocks, following
from ...motion.curves import keys as keylib
from ...motion.curves.keys import Keys, NotCuttable
from ...motion.curves.representation import restatement, whole_frames
from ...motion.cycles.cycle import MEETING, Clock, Cycle, chained, period_of
from ...motion.skeleton.posing import Rig
from ...records import record
from ...settings.transition import TransitionSettings
from ..data import rig as rigs
from ..data import roots, scene, shaped
from ..data.actions import ActionCurve, Address, Clip, Repeated
from ..data.channels import ROTATIONS, VECTORS, ClipChannels, match, property_default
from ..data.roots import Root
from ..evaluation import cycles
from ..evaluation.character import Character
from ..judging.played import Footage, span_of
from . import alignment as alignments
from . import clip_excerpts, joining, passage, pieces
from .alignment import Alignment, Carrier, RootedRig
from .pieces import CutFrame
from .selecting import Scales

Span = tuple[float, float]
"""The first and the last frame of a clip that somebody looks at."""

SAME_TURN = 1e-6
"""A rotation that is restated by less stays as it is."""
MOST = 2000
"""So many times at most a cycle is repeated: longer than anybody watches."""
NEAR = 1e-3
"""Frames nearer than this are within."""
AROUND = 2.0
"""So many frames are sampled more on each side of where the speed changes, for the slopes there."""


@record(frozen=True, eq=False)
class CycleView:
    """What decides how much of cycles a transition shows, and how that is read.

    scales: multipliers of blend times. cross_fade: the source goes on under the blend. play: have Blender
    show a rig with constraints, to know what goes along where a cycle travels. constants: channels to leave
    out, see :mod:`clip_excerpts`. footage: what is known of the clips of a plain rig, None for another.
    """

    scales: Scales
    cross_fade: bool
    play: bool
    constants: Mapping[Address, float] | None = None
    footage: Footage | None = None


def repeat_cycles(
    character: Character, rig: Rig, settings: TransitionSettings, clips: tuple[Clip, Clip], view: CycleView
) -> tuple[Clip, Clip]:
    """Return the source and the destination of a transition, with the repetitions of cycles that it shows,
    and with lengths matched if settings ask for that.

    A clip of which the transition needs no more than its keys is not searched for a cycle, unless Blender
    itself says that it is one. Raise InertiaError for strips with matched lengths, and more than MOST
    repetitions.
    """
    source, destination = clips
    footage, constants = view.footage, view.constants
    find_root = roots.find_root if footage is None else footage.root
    with_cycle = cycles.with_cycle if footage is None else footage.with_cycle
    if settings.match_lengths and settings.strips:
        raise InertiaError(
            "Strips play both actions at their own speed, so the lengths of cycles can't be matched; "
            "switch Match Lengths or As NLA Strips off."
        )
    blend = joining.bound_blend_seconds(settings, character.fps, view.scales) * character.fps
    entry = destination.start if settings.destination_frame is None else settings.destination_frame
    # a frame more on either side tells the slope
    source_span = (settings.cut - 1.0, settings.cut + (blend if view.cross_fade else 0.0) + 1.0)
    span = (entry - 1.0, entry + blend + 1.0)
    needed = (
        _reaches(source, source_span) or bool(settings.bones) or settings.match_lengths,
        _reaches(destination, span) or settings.go_on != "ONCE" or settings.match_lengths,
    )
    choices = settings.source_cycle, settings.destination_cycle
    root: Root | None = None
    known = []
    for clip, choice, need in zip(clips, choices, needed, strict=True):
        # Blender itself may say that it is one
        may_be = clip.action.use_cyclic or any(curve.obstacle for curve in clip.curves.values())
        if choice != "OFF" and clip.cycle is None and (need or may_be):
            root = root or find_root(rig, clips, settings.root)
            clip = with_cycle(rig, root, clip, choice if need else "AUTO")
        known.append(clip)
    source, destination = (_leave_out(clip, view) for clip in known)
    if source.cycle is None and destination.cycle is None:
        return source, destination
    root = root or find_root(rig, clips, settings.root)
    clock = _clock(settings, source, destination, entry, character.fps)
    if destination.cycle is not None:
        span = (span[0], _end(settings, destination.cycle, entry, blend, clock))
    if clock is not None:
        span = (float(clock.frames_at(entry - AROUND)), span[1])
    repeat = functools.partial(repeat_to_reach, character, rig, root, play=view.play)
    if footage is not None and footage.repeated is not None:
        repeat = functools.partial(_repeat_once, footage.repeated, (root, frozenset(constants or ())), repeat)
    destination = repeat(destination, span)
    if clock is not None:
        destination = retimed(destination, clock, settings.cut, character.armature)
    if settings.bones:
        # they go on playing the source as long as the result does
        source_span = (source_span[0], max(source_span[1], settings.cut - entry + destination.end))
    return repeat(source, source_span), destination


def _leave_out(clip: Clip, view: CycleView) -> Clip:
    """Return a clip without the constants of a view, the very same one where many transitions are planned."""
    if not view.constants:
        return clip
    if view.footage is None or view.footage.repeated is None:
        return clip_excerpts.without(clip, view.constants)
    kept = view.footage.repeated
    asked = "without", span_of(clip), clip.cycle, frozenset(view.constants)
    if asked not in kept:
        kept[asked] = clip_excerpts.without(clip, view.constants)
    return kept[asked]


def _repeat_once(
    repeated_clips: dict[Hashable, Clip],
    key: Hashable,
    repeat: Callable[[Clip, Span], Clip],
    clip: Clip,
    span: Span,
) -> Clip:
    """Return a clip with the repetitions that a span shows, which are made but once for spans that show
    equally many."""
    cycle = clip.cycle
    if cycle is None:
        return clip
    asked = key, span_of(clip), cycle, _reaches(clip, span), cycle.turns_until(span[1])
    if asked not in repeated_clips:
        repeated_clips[asked] = repeat(clip, span)
    return repeated_clips[asked]


def _reaches(clip: Clip, span: Span) -> bool:
    """Tell whether a span reaches beyond a clip's keys."""
    return span[0] < clip.start - NEAR or span[1] > clip.end + NEAR


def _clock(
    settings: TransitionSettings, source: Clip, destination: Clip, entry: float, fps: float
) -> Clock | None:
    """Return how fast the destination plays while it is blended in: at first so that its cycle lasts as long
    as the source's, at the blend's end as it is keyed.

    None for as it is keyed throughout: where lengths are not to be matched, either is no cycle, both last as
    long, or the entry is not within the clip and this is not extrapolated.
    """
    if not settings.match_lengths or source.cycle is None or destination.cycle is None:
        return None
    is_inside = settings.extrapolate or destination.start - NEAR <= entry <= destination.end + NEAR
    period, former = destination.cycle.period, source.cycle.period
    if not is_inside or abs(period - former) < NEAR:
        return None
    blend = fps * settings.blend_seconds(fps)
    end = max(math.ceil(settings.cut + blend - NEAR), settings.cut + 1.0)
    return Clock(entry, period / former, end - settings.cut)


def _end(
    settings: TransitionSettings, cycle: Cycle, entry: float, blend: float, clock: Clock | None
) -> float:
    """Return the destination's own frame with which a cycle ends, that of a whole repetition.

    It is the first that is not before the blend's end, or the scene's if ``go_on`` is "SCENE_END"; then as
    many cycles further as "CYCLES" says, or one with "WHOLE_CYCLE". blend: frames, from the entry.
    """
    last = entry + blend + (0.0 if clock is None else 1.0 + AROUND)
    if settings.go_on == "SCENE_END":
        last = max(last, scene.last_frame() - settings.shift - settings.cut + entry)
    if clock is not None:
        last = float(clock.frames_at(last))
    more = {"CYCLES": settings.go_on_cycles, "WHOLE_CYCLE": 1}
    turns = cycle.turns_until(last) + more.get(settings.go_on, 0)
    return cycle.end + turns * cycle.period


def repeat_to_reach(
    character: Character, rig: Rig | None, root: Root, clip: Clip, span: Span, *, play: bool
) -> Clip:
    """Return a clip with all repetitions of its cycle that a span of frames shows, each moved on as the cycle
    says; the clip itself where it has them.

    rig: None for what is no object, and goes nowhere. play: whether Blender may play the rig for that. Raise
    InertiaError for more than MOST repetitions.
    """
    cycle = clip.cycle
    if cycle is None or not (_reaches(clip, span) or cycle.known_by == "MODIFIERS"):
        return clip
    carriers: Mapping[str | None, Carrier] = {}
    if rig is not None and cycle.moves and cycle.known_by != "MODIFIERS":
        leading = Alignment("POSITION_HEADING", cycle.heading, np.array(cycle.translation))
        rooted = RootedRig(character, rig, root, play)
        carriers = alignments.along(rooted, leading, (clip,), cycle.start).carriers
    turns = cycle.turns_until(span[1])
    if turns > MOST:
        raise InertiaError(
            '"{action}" would repeat {count} times up to frame {frame:g}; choose an earlier cut or a shorter '
            "blend, or play it once.",
            action=clip.action.name,
            count=turns,
            frame=span[1],
        )
    curves = dict(clip.curves)
    matched = match(character.armature, clip, clip, cycle.start, cycle.start, carriers).channels
    grouped = {address for ch in matched for address in ch.source.addresses}
    repeating = [_Repeating(clip, cycle, ch.source, turns) for ch in matched]
    carried = [carriers.get(ch.carrier) if ch.kind in ("location", "rotation") else None for ch in matched]
    together = _repeat_alike([each for each, carrier in zip(repeating, carried, strict=True) if not carrier])
    for each, carrier in zip(repeating, carried, strict=True):
        if each.channels.addresses[0] not in together:
            curves |= each.curves(carrier)
    curves |= together
    for address in clip.curves.keys() - grouped:
        curves |= _Repeating(clip, cycle, ClipChannels(clip, (address,), (0.0,)), turns).curves(None)
    return dataclasses.replace(clip, curves=curves, end=cycle.end + turns * cycle.period)


@record(frozen=True)
class _Repeating:
    """Channels of a cycle, which are to be repeated. turns: how many times more."""

    clip: Clip
    cycle: Cycle
    channels: ClipChannels
    turns: int

    @property
    def begins(self) -> bool:
        """Whether the clip begins with its cycle, so that a repetition comes before the first, too."""
        return self.clip.start > self.cycle.start - NEAR

    def curves(self, carrier: Carrier | None) -> dict[Address, ActionCurve]:
        """Return the channels' curves by address, repeated; {} if all of them stay as they are, and without
        those that say no more than their default.

        carrier: what each repetition is moved by, None for not at all.
        """
        single = [self.clip.curves.get(address) for address in self.channels.addresses]
        is_still = all(
            curve is None or (keylib.is_flat(curve.keys) and not curve.obstacle) for curve in single
        )
        if carrier is None and is_still:
            return {}
        offsets = [0.0 if curve is None else self._offset(curve) for curve in single]
        numbers = range(-1 if self.begins else 0, self.turns + 1)
        parts = [self._part(turn, carrier, offsets) for turn in numbers]
        changed = False
        if self.channels.mode and not any(offsets):
            parts, changed = _followed(parts, self.channels.mode, 1 if self.begins else 0)
        shown = None
        if carrier is None and not changed and not any(offsets) and self.clip.stretch is None:
            shown = (self.cycle, self.clip.start)
        repeated: dict[Address, ActionCurve] = {}
        columns = zip(self.channels.addresses, self.channels.defaults, single, strict=True)
        for column, (address, default, curve) in enumerate(columns):
            rows = [part[column] for part in parts]
            if curve is None and all(
                keylib.is_flat(row) and abs(row.co[0, 1] - default) <= passage.ROUNDING for row in rows
            ):
                continue  # it says no more than the default
            before = rows.pop(0) if self.begins else None
            keys = chained(rows)
            if curve is None:
                repeated[address] = Repeated(None, keys, "", "", before)
            else:
                obstacle = "" if self._is_exact(curve) else curve.obstacle
                repeated[address] = Repeated(curve.fcurve, keys, obstacle, curve.group, before, shown)
        return repeated

    def _is_exact(self, curve: ActionCurve) -> bool:
        """Tell whether keys tell all of a curve's shape within a repetition."""
        return not curve.obstacle or self._is_repeated(curve)

    def _is_repeated(self, curve: ActionCurve) -> bool:
        return self.cycle.known_by == "MODIFIERS" and cycles.repeated(curve) is not None

    def _offset(self, curve: ActionCurve) -> float:
        """Return what a repetition adds to a curve, as its own modifier says."""
        if not self._is_repeated(curve) or not cycles.repeats_with_offset(curve):
            return 0.0
        return float(curve.keys.co[-1, 1]) - float(curve.keys.co[0, 1])

    def _part(self, turn: int, carrier: Carrier | None, offsets: Sequence[float]) -> list[Keys]:
        """Return the channels' keys in one of the repetitions, moved in time and by the carrier; what is
        played once before the cycle is with the first (0).
        """
        later = turn * self.cycle.period
        single = self._period if turn or self.begins else self._cut(self.clip.start)
        plain = [
            keylib.move(keys, later, shift=turn * offset)
            for keys, offset in zip(single, offsets, strict=True)
        ]
        if carrier is None or turn == 0:
            return plain
        aligned = pieces.AlignedChannels(self.channels, carrier.times(turn))
        return aligned.add_alignment(plain, self.cycle.start, later, [])

    @functools.cached_property
    def _period(self) -> list[Keys]:
        """One period of each channel."""
        return self._cut(self.cycle.start)

    def _cut(self, first: float) -> list[Keys]:
        """Return each channel from a frame to the end of the cycle, sampled where keys don't tell its
        shape.
        """
        cut = []
        for address, default in zip(self.channels.addresses, self.channels.defaults, strict=True):
            curve = self.clip.curves.get(address)
            if curve is None:
                cut.append(keylib.constant(first, default))
                continue
            if self._is_exact(curve):
                with contextlib.suppress(NotCuttable):
                    cut.append(period_of(curve.keys, first, self.cycle.end))
                    continue
            if curve.obstacle:
                cut.append(shaped.tell_by_keys(curve, first, self.cycle.end)[0])
            else:
                cut.append(following.follow(curve.at, whole_frames(first, self.cycle.end)))
        return cut


def _repeat_alike(several: Iterable[_Repeating]) -> dict[Address, ActionCurve]:
    """Return the repeated curves of those channels of one cycle, which is not carried, that can be repeated
    together, by address; :meth:`_Repeating.curves` repeats the others.

    They are those whose curves have their keys on the same frames, a key on both ends of the cycle, nothing
    but keys, and go on at its end as they began.
    """
    alike: dict[Hashable, list[_Repeating]] = {}
    for each in several:
        curves = [each.clip.curves.get(address) for address in each.channels.addresses]
        if any(curve is None or curve.obstacle for curve in curves):
            continue
        keys = [curve.keys for curve in curves if curve is not None]
        names = {blocks.name_of(part) for part in keys}
        if len(names) == 1 and None not in names and not all(map(keylib.is_flat, keys)):
            alike.setdefault((each.channels.mode, names.pop()), []).append(each)
    repeated: dict[Address, ActionCurve] = {}
    for rows in alike.values():
        addresses, longest = (
            rows[0].channels.addresses,
            len(rows[0].clip.curves[rows[0].channels.addresses[0]].keys),
        )
        most = max(1, blocks.MOST_KEYS // (len(addresses) * longest * (rows[0].turns + 2)))
        for i in range(0, len(rows), most):
            repeated |= _repeat_block(rows[i : i + most])
    return repeated


def _repeat_block(several: Sequence[_Repeating]) -> dict[Address, ActionCurve]:
    """Return the repeated curves of channels as :func:`_repeat_alike` does; {} where they have no key on both
    ends of the cycle."""
    clip, cycle, turns, mode = several[0].clip, several[0].cycle, several[0].turns, several[0].channels.mode
    if cycle.known_by == "MODIFIERS" or mode not in ("", "QUATERNION"):
        return {}
    counts = [len(each.channels.addresses) for each in several]
    addresses = [address for each in several for address in each.channels.addresses]
    whole = blocks.cut_heads(
        blocks.stack_curves([clip.curves[address].keys for address in addresses]), cycle.end
    )
    period = whole and blocks.cut_tails(whole, cycle.start)
    begun = period if several[0].begins else whole and blocks.cut_tails(whole, clip.start)
    if period is None or begun is None:
        return {}
    first, last = period.first_values, period.last_values
    goes_on = np.abs(last - first) <= MEETING * np.maximum(1.0, np.abs(last))
    # of a rotation all numbers go on, and as the same rotation in the same numbers
    goes_on = np.logical_and.reduceat(goes_on, np.cumsum([0, *counts[:-1]]))
    if mode:
        goes_on &= np.einsum("ij,ij->i", first.reshape(-1, 4), last.reshape(-1, 4)) > 0.5
    chosen = np.repeat(goes_on, counts)
    if not chosen.any():
        return {}
    period, begun = period.take_rows(chosen), begun.take_rows(chosen)
    parts = [blocks.move_block(period, turn * cycle.period) for turn in range(1, turns + 1)]
    keys = blocks.chain_blocks([begun, *parts]).unstack()
    before: Sequence[Keys | None] = [None] * len(keys)
    if several[0].begins:
        before = blocks.move_block(period, -cycle.period).unstack()
    shown = (cycle, clip.start) if clip.stretch is None else None
    repeated: dict[Address, ActionCurve] = {}
    for address, own, earlier in zip(itertools.compress(addresses, chosen), keys, before, strict=True):
        curve = clip.curves[address]
        repeated[address] = Repeated(curve.fcurve, own, "", curve.group, earlier, shown)
    return repeated


def _followed(pieces: Sequence[list[Keys]], mode: str, first: int) -> tuple[list[list[Keys]], bool]:
    """Return (repetitions of a rotation in such numbers that none jumps where it follows another one, whether
    any but `first` was changed).

    first: the index of the one that stays as it is.
    """
    following, changed = list(pieces), False
    for i in [*range(first - 1, -1, -1), *range(first + 1, len(pieces))]:
        edge, other = (-1, following[i + 1]) if i < first else (0, following[i - 1])
        wanted = np.array([keys.co[0 if edge else -1, 1] for keys in other], float)
        present = np.array([keys.co[edge, 1] for keys in following[i]], float)
        restated = restatement(present, mode, wanted)
        if np.all(restated.sign == 1.0) and np.all(np.abs(restated.shift) < SAME_TURN):
            continue
        numbers = zip(following[i], restated.sign, restated.shift, strict=True)
        following[i] = [
            keylib.move(keys, sign=float(sign), shift=float(shift)) for keys, sign, shift in numbers
        ]
        changed = True
    return following, changed


def retimed(clip: Clip, clock: Clock, cut: float, owner: Any | None, *, whole: bool = False) -> Clip:
    """Return a clip whose frames are a clock's times: its curves, ends and teleports, sampled on the scene's
    whole frames where keys don't tell all.

    cut: the scene frame of the clock's entry. owner: what it animates. whole: whether the part before the
    entry is asked for, too.
    """
    later = cut - clock.entry
    start, end = clock.time([clip.start, clip.end]).tolist()
    first = min(start, clock.entry - AROUND) if whole else clock.entry - AROUND
    before = whole_frames(first + later, cut)[:-1] if whole else cut - np.array([AROUND, 1.0])
    window = whole_frames(cut, clock.end + later)
    after = window[-1] + np.arange(1.0, AROUND + 1.0)
    times = np.concatenate([before, window, after]) - later
    # exactly these two, whatever rounding has left of them
    times[len(before)], times[len(before) + len(window) - 1] = clock.entry, clock.end
    curves: dict[Address, ActionCurve] = {}
    for address, curve in clip.curves.items():
        early = None
        if _is_said_by_keys(owner, address, curve):
            keys = _retime_keys(curve.keys, clock)
            if isinstance(curve, Repeated) and curve.before is not None:
                early = _retime_keys(curve.before, clock)
        else:
            keys = _sampled(clip, address, clock, times)
        curves[address] = Repeated(curve.fcurve, keys, curve.obstacle, curve.group, early)
    teleports = clip.teleports and tuple(each.timed(clock.time) for each in clip.teleports)
    return dataclasses.replace(clip, curves=curves, start=start, end=end, clock=clock, teleports=teleports)


def _is_said_by_keys(owner: Any | None, address: Address, curve: ActionCurve) -> bool:
    """Tell whether a curve's keys tell all at other times, too: it stands still, or can only jump."""
    if curve.obstacle:
        return False
    if keylib.is_flat(curve.keys) or np.all(curve.keys.interpolation[:-1] == keylib.CONSTANT):
        return True
    prop = rigs.split_path(address[0])[1]
    return prop not in ROTATIONS and prop not in VECTORS and property_default(owner, address)[1]


def _retime_keys(keys: Keys, clock: Clock) -> Keys:
    """Return keys at the times at which their frames are shown; handles move along with them."""
    ahead = clock.time(keys.co[:, 0]) - keys.co[:, 0]
    # handles go along with their keys
    way = np.stack([ahead, np.zeros(len(keys))], axis=1)[:, None]
    return dataclasses.replace(keys, points=(keys.points + way).astype(np.float32))


def _sampled(clip: Clip, address: Address, clock: Clock, times: Array) -> Keys:
    """Return a curve with keys at times up to the clock's end, and its own, moved, from there on."""
    channels = ClipChannels(clip, (address,), (0.0,))
    sampled = keylib.sampled(times, channels.raw(clock.frames_at(times))[:, 0])
    # its report tells of what keys can't say; here it is said a frame at a time
    tail = pieces.piece(keylib.tail, channels, 0, CutFrame(clock.end + clock.gained, -clock.gained), [])
    return keylib.join(keylib.head(sampled, clock.end), None, tail)
