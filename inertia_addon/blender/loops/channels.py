# SPDX-License-Identifier: GPL-3.0-or-later
"""One channel after the other of a stretch, closed: keys whose value and slope go on over the seam."""

from __future__ import annotations

import dataclasses

import numpy as np

from ...motion import quaternion
from ...motion.arrays import Array
from ...motion.curves import keys as keylib
from ...motion.curves.keys import Keys, NotCuttable
from ...motion.curves.representation import continuous, followed, nearest, whole_frames
from ...motion.cycles.cycle import Cycle, period_of
from ...motion.feet.contacts import Span, Spans
from ...motion.loops import closing
from ...motion.loops.closing import ClosingBlend, Ends
from ...motion.steps import Steps
from ...records import record
from ...settings.feet import Locking
from ..data.actions import ActionCurve, Address, Clip, Repeated
from ..data.channels import ClipChannels
from ..data.rewriting import Rewritten
from ..evaluation.character import Character
from ..feet import bake as feet_bake
from ..feet import contacts, legs
from ..feet.contacts import Contacts
from ..transition.alignment import Carrier
from .stretch import OUTSIDE, LoopStretch

STILL = Carrier(np.eye(3), np.zeros(3), quaternion.IDENTITY)
"""Of channels that no repetition moves."""


@record(frozen=True, eq=False)
class Closing:
    """Channels that are one value, vector or rotation. carrier: what each repetition moves them by."""

    channels: ClipChannels
    stretch: LoopStretch
    blend: ClosingBlend
    fps: float
    carrier: Carrier | None

    def keys(self) -> list[Keys]:
        """Return the channels' curves from the result's first frame to its last, in the order of their
        addresses; of channels of which none moves, one key each.
        """
        curves = [self.channels.clip.curves.get(at) for at in self.channels.addresses]
        still = all(curve is None or (keylib.is_flat(curve.keys) and not curve.obstacle) for curve in curves)
        if self.carrier is None and still:
            standing = self.channels.raw(self.stretch.frames[:1])[0]
            return [keylib.constant(self.stretch.first, value) for value in standing]
        frames, mode = self.stretch.frames, self.channels.mode
        return self.round(
            *(followed(self._sample_closed, frames, mode) if mode else (frames, self._sample_closed(frames)))
        )

    def round(self, frames: Array, raw: Array) -> list[Keys]:
        """Return curves through raw channels (n, channels) at frames (n,), whose slopes go on over the seam.
        The last row is set to what repeats the first, in place.
        """
        raw[-1] = self._repeat_raw(raw[0], raw[-1])
        # with a neighbour on either side, as the repetitions before and behind have it, the slopes are alike
        period = self.stretch.cycle.period
        around = np.concatenate([frames[-2:-1] - period, frames, frames[1:2] + period])
        before, behind = self._repeat_raw(raw[-2], raw[0], back=True), self._repeat_raw(raw[1], raw[-1])
        whole = np.concatenate([before[None], raw, behind[None]])
        sampled = keylib.sampled_together(around + self.stretch.first - self.stretch.cycle.start, whole)
        return [keys.take(slice(1, -1)) for keys in sampled]

    def _sample_closed(self, frames: Array) -> Array:
        """Return the closed channels (n, channels) at frames of the clip."""
        raw = self.channels.raw(frames)
        t = (frames - self.stretch.cycle.start) / self.fps
        mode = self.channels.mode
        closed = closing.closed(self.channels.decode(raw), t, self._ends, self.blend, is_rotation=bool(mode))
        return continuous(closed, mode, raw[0], np.ones(len(closed))) if mode else closed

    @property
    def _ends(self) -> Ends:
        cycle, carrier = self.stretch.cycle, self.carrier
        x, v = (
            np.stack(each)
            for each in zip(*(self._motion(frame) for frame in (cycle.start, cycle.end)), strict=True)
        )
        if carrier is None:
            return Ends(x, v)
        if self.channels.mode:
            back = quaternion.conjugate(carrier.turn)
            x[1], v[1] = quaternion.multiply(back, x[1]), quaternion.rotate(back, v[1])
            return Ends(x, v, quaternion.to_matrix(carrier.turn))
        inverse = np.linalg.inv(carrier.matrix)
        x[1], v[1] = inverse @ (x[1] - carrier.shift), inverse @ v[1]
        return Ends(x, v, carrier.matrix)

    def _motion(self, frame: float) -> tuple[Array, Array]:
        """Return what the channels show at a frame, and how fast that changes; from within where the clip
        ends.
        """
        frames = np.array(around(self.channels.clip, frame))
        shown = self.channels.decode(self.channels.raw(frames))
        return shown[1], closing.measure_rates(shown, frames / self.fps, is_rotation=bool(self.channels.mode))

    def _repeat_raw(self, row: Array, near: Array, *, back: bool = False) -> Array:
        """Return raw channels a repetition later, or with `back` earlier, as the numbers of the same rotation
        nearest to `near`; channels that nothing carries stay.
        """
        carrier = self.carrier or STILL
        if self.channels.mode:
            turn = quaternion.conjugate(carrier.turn) if back else carrier.turn
            turned = quaternion.multiply(turn, quaternion.to_quaternion(row, self.channels.mode))
            return nearest(turned, self.channels.mode, near)
        if self.carrier is None:
            return row
        moved = np.linalg.inv(carrier.matrix) @ (row - carrier.shift) if back else carrier.matrix @ row
        return np.asarray(moved if back else moved + carrier.shift)


def around(clip: Clip, frame: float) -> tuple[float, float, float]:
    """Return three frames of a clip, a frame apart, the one asked for in the middle, from which a rate is
    taken.

    Less than a frame behind a start, the clip's or that behind a teleport that it knows of, they are (frame +
    1, frame, frame + 2); less than a frame before an end (frame - 2, frame, frame - 1).
    """
    low, high = clip.section(frame)
    if frame - 1.0 < max(clip.start, low) - OUTSIDE:
        return frame + 1.0, frame, frame + 2.0
    if frame + 1.0 > min(clip.end, high) + OUTSIDE:
        return frame - 2.0, frame, frame - 1.0
    return frame - 1.0, frame, frame + 1.0


def taken(channels: ClipChannels, stretch: LoopStretch) -> list[Keys]:
    """Return the curves of channels that can only jump, in the order of their addresses, cut to the stretch
    and moved to the result's first frame; one key for a channel without a curve.
    """
    cycle, all_keys = stretch.cycle, []
    for address, default in zip(channels.addresses, channels.defaults, strict=True):
        curve = channels.clip.curves.get(address)
        if curve is None:
            all_keys.append(keylib.constant(stretch.first, default))
            continue
        try:
            keys = period_of(curve.keys, cycle.start, cycle.end)
        except NotCuttable:
            frames = whole_frames(cycle.start, cycle.end)
            keys = keylib.sampled(frames, curve.at(frames), keylib.CONSTANT)
        all_keys.append(keylib.move(keys, stretch.first - cycle.start))
    return all_keys


AROUND_SECONDS = 1.0
"""So much of the clip before and behind a stretch says when feet are planted in it."""


def find_planted_steps(character: Character, stretch: LoopStretch) -> Steps[Contacts | None]:
    """Find when feet are planted around a stretch, in the clip's frames; return None for a rig without
    legs.
    """
    all_legs = legs.of_armature(character.armature)
    if not all_legs:
        return None
    around = AROUND_SECONDS * stretch.fps
    first, last = stretch.ends
    clip = dataclasses.replace(
        stretch.clip, start=max(stretch.clip.start, first - around), end=min(stretch.clip.end, last + around)
    )
    return (yield from contacts.read_contacts_steps(character, clip, all_legs))


def of_loop(stretch: LoopStretch, planted: Contacts) -> Contacts:
    """Return when feet are planted in a loop, in its frames. planted: when they are in its clip."""
    cycle, later = stretch.result_cycle, stretch.first - stretch.cycle.start
    spans = tuple(
        _of_loop(planted.at(leg, *stretch.ends), stretch, later) for leg in range(len(planted.legs))
    )
    return dataclasses.replace(planted, spans=spans, clip=(cycle.start, cycle.end), period=cycle.period)


def _of_loop(spans: Spans, stretch: LoopStretch, later: float) -> Spans:
    """Return the spans of a foot in a stretch, so many frames later; if it stands across both ends, the spans
    that these cut become one, which ends behind the loop's end.
    """
    start, end = stretch.ends
    cut = [Span(max(span.start, start), min(span.end, end)).move(later) for span in spans]
    first, last = start + later, end + later
    if len(cut) > 1 and cut[0].start < first + OUTSIDE and cut[-1].end > last - OUTSIDE:
        cut = [*cut[1:-1], Span(cut[-1].start, cut[0].end + stretch.cycle.period)]
    return tuple(span for span in cut if span.end > span.start + OUTSIDE)


def as_cycle(slot: Rewritten, cycle: Cycle) -> Clip:
    """Return the clip of a slot with its new curves, as a cycle."""
    curves: dict[Address, ActionCurve] = {
        at: Repeated(None, keys, "", "") for at, keys in slot.curves.items()
    }
    start, end = cycle.start, cycle.end
    return dataclasses.replace(slot.clip, curves=curves, start=start, end=end, cycle=cycle, teleports=None)


def locked(
    character: Character, stretch: LoopStretch, slot: Rewritten, planted: Contacts
) -> dict[Address, Keys]:
    """Return, by address, those curves of a loop's slot that change so that planted feet stand still, over
    its seam, too; {} for none.

    planted: of its clip. Raise InertiaError for legs that can't be locked.
    """
    loop = as_cycle(slot, stretch.result_cycle)
    return dict(feet_bake.lock_clip(character, loop, of_loop(stretch, planted), Locking()).curves.curves)
