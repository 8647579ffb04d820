# SPDX-License-Identifier: GPL-3.0-or-later
"""Channels on their way from one clip into the other, in their own units: :class:`Passage`."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ...motion import quaternion
from ...motion.arrays import Array
from ...motion.curves import keys as keylib
from ...motion.curves.keys import Keys
from ...motion.curves.representation import Restatement, restatement, same, whole_frames
from ...motion.decay import dead_blending
from ...motion.decay.offset import NOTHING, Fading
from ...records import record
from ..data.actions import Address
from ..data.channels import Channels, ClipChannels
from .joining import Joining
from .pieces import AlignedChannels, Keyed
from .report import GuardedOffset

TOLERANCES = {"rotation": math.radians(0.01), "location": 1e-5, "scale": 1e-4, "value": 1e-4}
"""A spring ends where its offset is under this angle, length in metres, or this much of a scale or value."""

FASTEST = {"location": dead_blending.FASTEST_MOVE, "scale": dead_blending.FASTEST_SCALE}
"""What dead blending clamps the speed of locations and scales to, per second."""

ROUNDING = 1e-7
"""What is nearer to a default than this part of it, or of 1, is the default."""


@record(frozen=True, eq=False)
class Tails:
    """Curves of the destination from a frame on. start: (channels,) the raw values that they begin with."""

    curves: Sequence[Keys]
    start: Array


@record(frozen=True)
class Passage:
    """Channels on their way from one clip into the other. heads: curves of the source, keyed at the cut."""

    joining: Joining
    channels: Channels
    heads: Keyed = dataclasses.field(default_factory=dict)

    @functools.cached_property
    def aligned(self) -> AlignedChannels:
        """The destination as it is aligned."""
        carrier = self.joining.alignment.carriers.get(self.channels.carrier)
        # a rigid motion changes neither scales nor properties
        moves = self.channels.kind in ("location", "rotation")
        return AlignedChannels(self.channels.destination, carrier if moves else None)

    @functools.cached_property
    def source(self) -> ClipChannels:
        """The source, around the cut in the destination's terms where a switch changes what channels mean."""
        return self.joining.held.restated(self.channels) or self.channels.source

    @property
    def is_restated(self) -> bool:
        """Whether the channels jump at the cut, so that the pose does not."""
        return self.source is not self.channels.source

    @property
    def travels(self) -> bool:
        """Whether this is the character's own way through the world."""
        return self.channels.kind == "location" and self.channels.carrier in self.joining.alignment.carriers

    @property
    def blend_seconds(self) -> float:
        """The blend time, or half-life; 0 cuts at once."""
        if self.joining.hard_cut:
            return 0.0
        return self.joining.settings.seconds(self.joining.fps) * self.joining.blend_scales.of(self.channels)

    @property
    def metres_per_unit(self) -> float:
        """Metres per unit of a location; 1 of anything else."""
        if self.channels.kind != "location":
            return 1.0
        return self.joining.metres if self.channels.bone is None else self.joining.bone_metres

    @property
    def tolerance(self) -> float:
        """What of an offset is too small to be seen, in the channels' own unit."""
        return self._in_own_unit(TOLERANCES)

    @property
    def guard_limit(self) -> float:
        """How far LIMIT lets channels swing; inf for those that are neither angles nor lengths."""
        settings = self.joining.settings
        return self._in_own_unit(
            {"rotation": math.radians(settings.guard_angle), "location": settings.guard_length}
        )

    def _in_own_unit(self, by_kind: Mapping[str, float]) -> float:
        """Return what is stated by kind, lengths in metres, in the channels' own unit; inf where nothing
        is.
        """
        return by_kind.get(self.channels.kind, math.inf) / self.metres_per_unit

    def fade_source(self, aligned: Array, frames: Array) -> Array:
        """Return what is left of the source in a cross-fade, (n, 3 or channels): its offset from the
        destination, eased out; of a rotation as rotation vectors, radians.

        aligned: (n, channels) the raw values of the aligned destination at frames (n,) of the result.
        """
        joining, source = self.joining, self.channels.source
        since = (frames - joining.cut) / joining.fps
        left = dead_blending.source_share(since, self.blend_seconds)[:, None]
        played_on = (
            self._extrapolate_source(since) if joining.is_extrapolated else source.decode(source.raw(frames))
        )
        shown = self.channels.destination.decode(aligned)
        if self.channels.kind != "rotation":
            return np.asarray(left * (played_on - shown))
        turn = quaternion.multiply(played_on, quaternion.conjugate(shown))
        # followed from frame to frame, as the short way round may change sides while both clips turn
        return np.asarray(left * quaternion.followed_log(turn))

    def is_fade_seen(self) -> bool:
        """Tell whether anything is left of the source at some frame of a cross-fade."""
        joining = self.joining
        if self.blend_seconds <= 0.0:
            return False
        end = max(joining.cut + self.blend_seconds * joining.fps, joining.cut + 1.0)
        frames = whole_frames(joining.cut, end)
        left = self.fade_source(self.aligned.raw(frames - joining.later), frames)
        return bool(np.any(np.linalg.norm(left, axis=1) > NOTHING * self.tolerance))

    def _extrapolate_source(self, since: Array) -> Array:
        """Return the source's raw values, or quaternions, as it goes on from the cut with its velocity
        decaying.

        since: seconds (n,). The character's own travel keeps all of its momentum and goes straight on: to
        brake it, or to clamp it, would stop or throw the whole character.
        """
        joining, source = self.joining, self.source
        around = joining.around_cut
        before, after, now = source.decode(source.raw(around.frames))
        seconds = around.seconds(joining.fps)
        half_life = math.inf if self.travels else joining.settings.extrapolation_half_life
        reach = dead_blending.reach(since, half_life)[:, None]
        if self.channels.kind == "rotation":
            rate = quaternion.angular_velocity(before, after, seconds)
            turns = quaternion.exp(reach * dead_blending.clamped(rate, dead_blending.FASTEST_TURN))
            return quaternion.multiply(turns, now)
        fastest = math.inf if self.travels else self._in_own_unit(FASTEST)
        return np.asarray(now + reach * dead_blending.clamped((after - before) / seconds, fastest))

    def needs_curve(self, address: Address, default: float, keys: Keys) -> bool:
        """Tell whether a curve is needed: a clip has it, or it is not the default throughout."""
        is_keyed = any(address in clip.curves for clip in self.joining.clips)
        return is_keyed or bool(np.any(np.abs(keys.co[:, 1] - default) > ROUNDING * max(1.0, abs(default))))

    def restate_start(self, start: Array, wanted: Array | None) -> Restatement:
        """Return how raw values (channels,) have to be restated to be those nearest to `wanted` (channels,)
        of the same rotation; not at all if that is None, or of anything but a rotation."""
        if self.channels.kind != "rotation" or wanted is None:
            return same(len(start))
        return restatement(start, self.channels.destination.mode, wanted)

    def restate_tails(self, tails: Sequence[Keys], wanted: Array | None) -> Tails:
        """Return tails that begin on `wanted` (channels,): the same rotation, in whichever numbers.

        They stay as they are if `wanted` is None, or of anything but a rotation.
        """
        start = np.array([keys.co[0, 1] for keys in tails], float)
        restated = self.restate_start(start, wanted)
        curves = [
            keylib.move(keys, sign=float(sign), shift=float(shift))
            for keys, sign, shift in zip(tails, restated.sign, restated.shift, strict=True)
        ]
        return Tails(curves, restated.apply(start))


@record(frozen=True, eq=False)
class FadingPassages:
    """Passages, and how the offset of each decays."""

    passages: Sequence[Passage]
    fading: Fading

    def note_guards(self) -> Iterator[GuardedOffset]:
        """Yield what a guard did, or would have to do, about offsets that swing far."""
        for row, passage in enumerate(self.passages):
            note = self._note_guard(passage, row)
            if note is not None:
                yield note

    def _note_guard(self, passage: Passage, row: int) -> GuardedOffset | None:
        """Return what there is to note of one offset: that a guard shortened or dropped it, or that without
        it swings far; None for nothing. Times are in frames, sizes in degrees, metres or the property's own
        unit.
        """
        guarded, channels = self.fading.guarded, passage.channels
        before, after = passage.blend_seconds, float(guarded.seconds[row])
        dropped = bool(guarded.dropped[row])
        acts = after < before * (1.0 - 1e-9) or dropped
        # without a guard, too, it is said what swings far; the character's own travel is meant to go far
        is_far = guarded.excursion_after[row] > passage.guard_limit * (1.0 + 1e-6) and not passage.travels
        if self.fading.seconds[row] <= 0.0 or not (acts or is_far):
            return None
        unit = math.degrees(1.0) if channels.kind == "rotation" else passage.metres_per_unit
        fps = passage.joining.fps
        return GuardedOffset(
            channels.bone or "",
            # a property has no other name than its path
            channels.kind if channels.kind != "value" else channels.source.addresses[0][0],
            before * fps,
            after * fps,
            float(guarded.excursion_before[row]) * unit,
            float(guarded.excursion_after[row]) * unit,
            dropped,
        )
