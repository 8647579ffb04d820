# SPDX-License-Identifier: GPL-3.0-or-later
"""Cycles as clips with as many repetitions as a transition shows: their own keys, over and over.

Where the root travels or turns, what carries the character is moved with each repetition by the same rigid
motion, as the destination's alignment moves it.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError
from ...motion.curves import keys as keylib
from ...motion.curves.keys import Keys, NotCuttable
from ...motion.curves.representation import restatement
from ...motion.curves.stretches import whole_frames
from ...motion.cycles import unrolling
from ...motion.cycles.cycle import Clock, Cycle
from ...motion.skeleton.posing import Rig
from ...records import record
from ...settings.transition import TransitionSettings
from ..data import roots, scene
from ..data.actions import Address, Clip, Curve, Repeated
from ..data.channels import ClipChannels, match
from ..data.roots import Root
from ..evaluation import cycles
from . import alignment as alignments
from . import compose, pieces, retiming, sketching
from .alignment import Alignment, Carrier

Span = tuple[float, float]
"""The first and the last frame of a clip that somebody looks at."""

SAME_TURN = 1e-6
"""A rotation that is restated by less stays as it is."""
MOST = 2000
"""So many times at most a cycle is repeated: longer than anybody watches."""
NEAR = 1e-3
"""Frames nearer than this are within."""


def both(
    armature: Any,
    rig: Rig,
    settings: TransitionSettings,
    clips: tuple[Clip, Clip],
    scales: Mapping[str, float],
    cross_fade: bool,
    play: bool,
    still: Mapping[Address, float] | None = None,
) -> tuple[Clip, Clip]:
    """The source and the destination of a transition, with the repetitions that it shows of cycles.

    scales: multipliers of blend times, by bone. cross_fade: the source goes on under the blend. play: have
    Blender show a rig with constraints, to know what goes along where a cycle travels. What neither needs
    more than its keys is not looked at, but where Blender itself says that it is a cycle. still: channels to
    leave out, see :mod:`sketching`.
    """
    source, destination = clips
    choices = settings.source_cycle, settings.destination_cycle
    blend = compose.longest(settings, scene.fps(), scales) * scene.fps()
    looked = (settings.cut - 1.0, settings.cut + (blend if cross_fade else 0.0) + 1.0)
    entry = destination.start if settings.destination_frame is None else settings.destination_frame
    there = (entry - 1.0, entry + blend + 1.0)
    root: Root | None = None
    found = []
    if settings.match_lengths and settings.strips:
        raise InertiaError(
            "Strips play both actions at their own speed, so the lengths of cycles can't be matched; "
            "switch Match Lengths or As NLA Strips off."
        )
    needed = (
        _reaches(source, looked) or bool(settings.bones) or settings.match_lengths,
        _reaches(destination, there) or _goes_on(settings) or settings.match_lengths,
    )
    for clip, choice, need in zip(clips, choices, needed, strict=True):
        if choice != "OFF" and clip.cycle is None and (need or _may_be_said(clip)):
            root = root or roots.find_root(rig, clips, settings.root)
            clip = cycles.looked_at(rig, root, clip, choice if need else "AUTO")
        found.append(clip)
    source, destination = (sketching.without(clip, still) for clip in found) if still else found
    if source.cycle is None and destination.cycle is None:
        return source, destination
    root = root or roots.find_root(rig, clips, settings.root)
    clock = _clock(settings, source, destination, entry)
    if destination.cycle is not None:
        there = (there[0], _end(settings, destination.cycle, entry, blend, clock))
    if clock is not None:
        there = (float(clock.shown(entry - retiming.AROUND)), there[1])
    destination = reaching(armature, rig, root, destination, there, play)
    if clock is not None:
        destination = retiming.retimed(destination, clock, settings.cut, armature)
    if settings.bones:
        # they go on playing the source as long as the result does
        looked = (looked[0], max(looked[1], settings.cut - entry + destination.end))
    return reaching(armature, rig, root, source, looked, play), destination


def _may_be_said(clip: Clip) -> bool:
    return bool(clip.action.use_cyclic) or any(curve.obstacle for curve in clip.curves.values())


def _goes_on(settings: TransitionSettings) -> bool:
    return settings.go_on != "ONCE"


def _reaches(clip: Clip, span: Span) -> bool:
    """Whether a span reaches beyond a clip's keys."""
    return span[0] < clip.start - NEAR or span[1] > clip.end + NEAR


def _clock(settings: TransitionSettings, source: Clip, destination: Clip, entry: float) -> Clock | None:
    """How fast the destination plays while it is blended in; None for as it is keyed."""
    here, there = source.cycle, destination.cycle
    is_inside = settings.extrapolate or destination.start - NEAR <= entry <= destination.end + NEAR
    if not settings.match_lengths or here is None or there is None or not is_inside:
        return None
    if abs(there.period - here.period) < NEAR:
        return None
    blend = scene.fps() * settings.blend_seconds(scene.fps())
    end = max(math.ceil(settings.cut + blend - NEAR), settings.cut + 1.0)
    return Clock(entry, there.period / here.period, end - settings.cut)


def _end(
    settings: TransitionSettings, cycle: Cycle, entry: float, blend: float, clock: Clock | None
) -> float:
    """The frame with which a destination that is a cycle ends: that of a repetition."""
    last = entry + blend + (0.0 if clock is None else 1.0 + retiming.AROUND)
    if settings.go_on == "SCENE_END":
        last = max(last, scene.last_frame() - settings.shift - settings.cut + entry)
    if clock is not None:
        last = float(clock.shown(last))
    turns = cycle.turns_until(last) + (settings.go_on_cycles if settings.go_on == "CYCLES" else 0)
    return cycle.end + turns * cycle.period


def reaching(armature: Any, rig: Rig | None, root: Root, clip: Clip, span: Span, play: bool) -> Clip:
    """A clip that has all repetitions of its cycle that a span shows; the clip itself where it has them.

    rig: None for what is no object, and goes nowhere.
    """
    cycle = clip.cycle
    is_short = cycle is not None and (_reaches(clip, span) or cycle.known_by == "MODIFIERS")
    if cycle is None or not is_short:
        return clip
    carriers: Mapping[str | None, Carrier] = {}
    if rig is not None and cycle.moves and cycle.known_by != "MODIFIERS":
        leading = Alignment("POSITION_HEADING", cycle.heading, np.array(cycle.translation))
        carriers = alignments.along(armature, rig, root, leading, (clip,), cycle.start, play).carriers
    turns = cycle.turns_until(span[1])
    if turns > MOST:
        raise InertiaError(
            '"{action}" would repeat {count} times up to frame {frame:g}; choose an earlier cut or a shorter '
            "blend, or play it once.",
            action=clip.action.name,
            count=turns,
            frame=span[1],
        )
    end = cycle.end + turns * cycle.period
    curves = dict(clip.curves)
    ends = (clip, clip, cycle.start, cycle.start)
    matched = match(armature, *ends, carriers).channels
    grouped = {at for ch in matched for at in ch.source.addresses}
    for ch in matched:
        carrier = carriers.get(ch.bone) if ch.kind in ("location", "rotation") else None
        curves |= _Repeating(clip, cycle, ch.source, turns).curves(carrier)
    for address in clip.curves.keys() - grouped:
        curves |= _Repeating(clip, cycle, ClipChannels(clip, (address,), (0.0,)), turns).curves(None)
    return dataclasses.replace(clip, curves=curves, end=end)


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

    def curves(self, carrier: Carrier | None) -> dict[Address, Curve]:
        """The channels' curves, repeated; those are left out that stay as they are.

        carrier: what each repetition is moved by, None for not at all.
        """
        own = [self.clip.curves.get(address) for address in self.channels.addresses]
        offsets = [0.0 if curve is None else self._offset(curve) for curve in own]
        is_still = all(curve is None or (keylib.is_flat(curve.keys) and not curve.obstacle) for curve in own)
        if carrier is None and is_still:
            return {}
        numbers = range(-1 if self.begins else 0, self.turns + 1)
        parts = [self._part(turn, carrier, offsets) for turn in numbers]
        changed = False
        if self.channels.mode and not any(offsets):
            parts, changed = _followed(parts, self.channels.mode, 1 if self.begins else 0)
        shown = None
        if carrier is None and not changed and not any(offsets) and self.clip.stretch is None:
            shown = (self.cycle, self.clip.start)
        found: dict[Address, Curve] = {}
        for column, (address, curve) in enumerate(zip(self.channels.addresses, own, strict=True)):
            rows = [part[column] for part in parts]
            if curve is None and self._stays(rows, self.channels.defaults[column]):
                continue
            before = rows.pop(0) if self.begins else None
            found[address] = self._repeated(curve, unrolling.chained(rows), before, shown)
        return found

    def _repeated(
        self, curve: Curve | None, keys: Keys, before: Keys | None, shown: tuple[Cycle, float] | None
    ) -> Repeated:
        if curve is None:
            return Repeated(None, keys, "", "", before)
        obstacle = "" if self._is_exact(curve) else curve.obstacle
        return Repeated(curve.fcurve, keys, obstacle, curve.group, before, shown)

    @staticmethod
    def _stays(rows: Sequence[Keys], default: float) -> bool:
        """Whether curves that the clip does not have say no more than the default."""
        return all(keylib.is_flat(row) and abs(row.co[0, 1] - default) <= compose.ROUNDING for row in rows)

    def _is_exact(self, curve: Curve) -> bool:
        """Whether keys say all of a curve's shape within a repetition."""
        return not curve.obstacle or self._is_repeated(curve)

    def _is_repeated(self, curve: Curve) -> bool:
        return self.cycle.known_by == "MODIFIERS" and cycles.repeated(curve) is not None

    def _offset(self, curve: Curve) -> float:
        """What a repetition adds to a curve, as its own modifier says."""
        if not self._is_repeated(curve) or not cycles.repeats_with_offset(curve):
            return 0.0
        return float(curve.keys.co[-1, 1]) - float(curve.keys.co[0, 1])

    def _part(self, turn: int, carrier: Carrier | None, offsets: Sequence[float]) -> list[Keys]:
        """One of the repetitions."""
        later = turn * self.cycle.period
        own = self._first if turn == 0 else self._period
        plain = [
            keylib.moved(keys, later, shift=turn * offset) for keys, offset in zip(own, offsets, strict=True)
        ]
        if carrier is None or turn == 0:
            return plain
        aligned = pieces.Aligned(self.channels, carrier.times(turn))
        return aligned.moved(plain, self.cycle.start, later, [])

    @functools.cached_property
    def _period(self) -> list[Keys]:
        """One period of each channel."""
        return [self._cut(column, self.cycle.start) for column in range(len(self.channels.addresses))]

    @functools.cached_property
    def _first(self) -> list[Keys]:
        """One period of each channel, with what is played before it once."""
        if self.begins:
            return self._period
        return [self._cut(column, self.clip.start) for column in range(len(self.channels.addresses))]

    def _cut(self, column: int, first: float) -> Keys:
        """A channel from a frame to the end of the cycle, sampled where keys don't say its shape."""
        curve = self.clip.curves.get(self.channels.addresses[column])
        if curve is None:
            return keylib.constant(first, self.channels.defaults[column])
        if self._is_exact(curve):
            try:
                return unrolling.period_of(curve.keys, first, self.cycle.end)
            except NotCuttable:
                pass
        frames = whole_frames(first, self.cycle.end)
        return keylib.sampled(frames, curve.at(frames))


def _followed(parts: Sequence[list[Keys]], mode: str, first: int) -> tuple[list[list[Keys]], bool]:
    """Repetitions of a rotation in such numbers that none jumps where it follows another one.

    first: which of them stays as it is. Returned, too, is whether any of the others does not.
    """
    found, changed = list(parts), False
    for i in [*range(first - 1, -1, -1), *range(first + 1, len(parts))]:
        edge, other = (-1, found[i + 1]) if i < first else (0, found[i - 1])
        wanted = np.array([keys.co[0 if edge else -1, 1] for keys in other], float)
        own = np.array([keys.co[edge, 1] for keys in found[i]], float)
        restated = restatement(own, mode, wanted)
        if np.all(restated.sign == 1.0) and np.all(np.abs(restated.shift) < SAME_TURN):
            continue
        numbers = zip(found[i], restated.sign, restated.shift, strict=True)
        found[i] = [keylib.moved(keys, sign=float(sign), shift=float(shift)) for keys, sign, shift in numbers]
        changed = True
    return found, changed
