# SPDX-License-Identifier: GPL-3.0-or-later
"""The pose of a character that is steered, frame by frame: what its clips show, with inertialized joins.

What is posed are *things*: an armature's bones, and last of all its object. A pose is what the channels of
each show: turns (..., things, 4), unit quaternions, places and scales (..., things, 3), in the channels' own
units. Joins are those of a transition, see :mod:`decay.offset`, but by arrays and a frame at a time: what
is shown here is what a bake writes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from ...records import record
from .. import quaternion
from ..arrays import Array, Integers
from ..decay import offset
from ..decay.decay import Method
from ..decay.offset import ChannelMotion, Decomposition, Fading, Guard, Velocity, fade
from ..matching.clip_sequence import Join
from ..matching.features import turned
from .steering import Moment

KINDS = ("turns", "places", "scales")
RECENT, EVERY = 32, 16
"""Of what has joined, so many are kept, and before these each so many: who goes back further works out the
others anew, and a long take needs no more memory than a short one."""


@record(frozen=True, eq=False)
class ChannelPose:
    """What channels show: turns (..., things, 4), places and scales (..., things, 3)."""

    turns: Array
    places: Array
    scales: Array

    def at(self, index: int) -> ChannelPose:
        """Return one of several poses."""
        return ChannelPose(self.turns[index], self.places[index], self.scales[index])


@record(frozen=True, eq=False)
class Playing:
    """What plays at a moment.

    shown: its pose. clip: what the clip shows by itself, to which no join adds anything, and after: what it
    will show some time later; None where nobody asks, or knows. before: what it would have shown a moment
    before, where it has just taken over.
    """

    shown: ChannelPose
    clip: ChannelPose | None = None
    after: ChannelPose | None = None
    before: ChannelPose | None = None


@record(frozen=True, eq=False)
class Sheet:
    """A clip on each of its frames. motion: of the world (3,), angle, x and y, from the database's clip."""

    poses: ChannelPose
    motion: Array

    @property
    def frames(self) -> int:
        """How many it has."""
        return len(self.poses.turns)


@record(frozen=True, eq=False)
class Carriers:
    """How motions about the vertical and over the ground read in the channels of those things that carry the
    character.

    which: (carriers,) things. constant, cosine, sine, x, y: (carriers, 3, 4), by whose sum with the motion's
    own numbers a place is moved. axes: (carriers, 3) about which they are turned.
    """

    which: Integers
    constant: Array
    cosine: Array
    sine: Array
    x: Array
    y: Array
    axes: Array

    def move(self, pose: ChannelPose, motion: Array) -> ChannelPose:
        """Return a copy of a pose whose carrying bones or object are moved by a motion of the world (3,):
        angle in radians about the vertical, to the left if above 0, then x and y in the world's units.

        The turn is about the world's origin and comes before the shift. Only turns and places of the things
        in `which` change. Scales are shared with the given pose.
        """
        angle, x, y = motion.tolist()
        whole = (
            self.constant + np.cos(angle) * self.cosine + np.sin(angle) * self.sine + x * self.x + y * self.y
        )
        turns, places = pose.turns.copy(), pose.places.copy()
        places[self.which] = np.einsum("nij,nj->ni", whole[..., :3], places[self.which]) + whole[..., 3]
        turn = quaternion.exp(angle * self.axes)
        turns[self.which] = quaternion.multiply(turn, turns[self.which])
        return ChannelPose(turns, places, pose.scales)


@record(frozen=True, eq=False)
class JoinBlend:
    """How joins blend, as transitions do.

    seconds: (things,) blend times, or half-lives. limits, tolerances: (kinds, things), see
    :func:`decay.offset.fade`. fps: of the sheets' frames."""

    method: Method
    seconds: Array
    decomposition: Decomposition
    velocity: Velocity
    guard: Guard
    limits: Array
    tolerances: Array
    fps: float
    extrapolates: bool = False


@record(frozen=True, eq=False)
class _Segment:
    """What plays from a join on. begins: the frame of the take; entered: that of the sheet. fading:
    (kinds, things), None at the beginning; momentum: of the places of those that carry the character."""

    join: Join
    sheet: Sheet
    begins: int
    entered: int
    motion: Array
    fading: Fading | None = None
    momentum: Fading | None = None


@record(eq=False)
class ClipPoser:
    """Poses the moments of a take.

    sheet: of a flat frame of the database the sheet, and the frame of it. step: sheets' frames in one of the
    database's. units: of the channels' space in a metre."""

    sheet: Callable[[int], tuple[Sheet, int]]
    carriers: Carriers
    blend: JoinBlend
    step: int
    units: float
    _segments: dict[int, _Segment] = dataclasses.field(default_factory=dict)

    def pose(self, now: Moment) -> ChannelPose:
        """Return the pose at a moment, drawn to its point."""
        shown = self._blend_at(self._find_segment(now), now.frame * self.step)
        return self.carriers.move(shown, self._draw_to_point(now))

    def look_ahead(self, now: Moment, later: float) -> Playing:
        """Return the poses that play at a moment: the shown one, and the clip's own now, `later` seconds on,
        and just before.

        `shown` is that of :meth:`pose`, with joins. `clip`, `after` and `before` are the clip's own poses,
        with nothing added by joins. All are moved as the character is drawn to its point now; beyond the
        clip's ends its first or last frame stands for it.

        `later` is rounded to whole frames of the sheets; `after` is None if that gives none, as up to half a
        frame does. `before` is the clip's pose a frame of the take (`step` frames of the sheets) earlier. It
        is None except in the first moment behind a join's frame; the beginning of the take is no join.
        """
        segment, frame = self._find_segment(now), now.frame * self.step
        just = segment.fading is not None and segment.begins < frame <= segment.begins + self.step
        ahead = frame + round(later * self.blend.fps)
        motion = _after(segment.motion, self._draw_to_point(now))
        clip = self._by_itself(segment, frame, motion)
        after = self._by_itself(segment, ahead, motion) if ahead > frame else None
        before = self._by_itself(segment, frame - self.step, motion) if just else None
        return Playing(self.pose(now), clip, after, before)

    def _draw_to_point(self, now: Moment) -> Array:
        """Return the motion (3,) that draws what plays to the point."""
        return _turn_about(now.moved[:2], now.turn, now.ground) * (1.0, self.units, self.units)

    def _find_segment(self, now: Moment) -> _Segment:
        """Return the segment (clip and join) that plays at a moment: that of its last join.

        On the very frame of a join it is still the segment before, unless the blend of any thing takes no
        time; the first join always counts.

        Segments are cached by the number of their join, the missing ones worked out in order. Cached ones
        whose join is not the moment's very join object are dropped, latest first, as time was taken back. Of
        them the last 32 (RECENT) stay, and before these each 16th (EVERY).

        Raise AssertionError if the moment has no joins.
        """
        joins = now.joins
        if len(joins) > 1 and joins[-1].frame == now.frame and self.blend.seconds.min() > 0.0:
            # both sides of a join are one pose there, so that what decays is worked out with the next frame
            joins = joins[:-1]
        segments = self._segments
        # who has gone back in time has other joins from there on
        while segments and (
            (last := next(reversed(segments))) >= len(joins) or segments[last].join is not joins[last]
        ):
            del segments[last]
        last, before = next(reversed(segments.items())) if segments else (-1, None)
        for i in range(last + 1, len(joins)):
            before = segments[i] = self._entered(before, joins[i])
            old = i - RECENT
            if old % EVERY:
                segments.pop(old, None)
        assert before is not None
        return before

    def _entered(self, before: _Segment | None, join: Join) -> _Segment:
        sheet, entered = self.sheet(join.entered)
        motion = _after(sheet.motion, np.array([join.angle, *join.place]) * (1.0, self.units, self.units))
        segment = _Segment(join, sheet, join.frame * self.step, entered, motion)
        if before is None:
            return segment
        blend, at = self.blend, segment.begins
        source, destination = self._measure_rates(before, at), self._measure_rates(segment, at)
        how = (blend.decomposition, blend.velocity)
        each = (offset.of_rotations, offset.of_vectors, offset.of_vectors)
        offsets = [of(source[k], destination[k], *how) for k, of in zip(KINDS, each, strict=True)]
        x, v = (np.stack([getattr(each, name) for each in offsets]) for name in ("x", "v"))
        fading = self._make_fading(offset.Offset(x, v), blend.guard)
        which = self.carriers.which
        # all momentum of the character's own travel is kept, whatever the settings
        ends = _take_part(source["places"], which), _take_part(destination["places"], which)
        freely = offset.of_vectors(*ends, Decomposition.ROTATION_VECTOR, Velocity.RELATIVE)
        momentum = self._make_fading(freely, Guard.OFF, (KINDS.index("places"), which))
        return dataclasses.replace(segment, fading=fading, momentum=momentum)

    def _make_fading(self, difference: offset.Offset, guard: Guard, indices: Any = ...) -> Fading:
        blend = self.blend
        seconds = np.broadcast_to(blend.seconds, blend.limits.shape)
        of = seconds[indices], guard, blend.limits[indices], blend.tolerances[indices]
        return fade(difference, blend.method, *of)

    def _measure_rates(self, segment: _Segment, frame: int) -> dict[str, ChannelMotion]:
        """Return how each kind of channel moves at a frame of the take: a dict with "turns", "places" and
        "scales", each a ChannelMotion of all things.

        frame: in frames of the sheets. The motion's before, now and after are the poses that the segment
        plays a frame before, at and a frame after that; its seconds are the time from before to after, two
        frames. At a clip's end, unless poses are extrapolated there, the pose itself is taken for the missing
        neighbour and the seconds are those of one frame; so it is at the clip's first frame if nothing of a
        join has come before. Where both neighbours are missing the seconds are one frame's.
        """
        last = segment.sheet.frames - 1
        within = segment.entered + frame - segment.begins
        before, after = frame - 1, frame + 1
        if not self.blend.extrapolates:
            # one-sided at a clip's ends; what plays has come from somewhere, but at the beginning
            if within + 1 > last:
                after = frame
            if within == 0 and not (segment.fading and frame > segment.begins):
                before = frame
        first, now, then = (self._blend_at(segment, at) for at in (before, frame, after))
        seconds = max(after - before, 1) / self.blend.fps
        return {
            kind: ChannelMotion(getattr(first, kind), getattr(now, kind), getattr(then, kind), seconds)
            for kind in KINDS
        }

    def _blend_at(self, segment: _Segment, frame: int) -> ChannelPose:
        """Return the pose that a segment plays at a frame of the take, with its join's decaying offsets
        added.

        frame: in frames of the sheets. Offsets are those of the time since the segment's beginning, in
        seconds. Turns are turned by theirs, a rotation vector, from the left, in the axes in which channels
        act; places and scales have theirs added. The places of what carries the character get their momentum
        in place of the offset that other places get.

        Before the segment's beginning, and for the take's first segment, nothing is added. The clip's pose is
        moved as its join says, but not yet drawn to the character's point.
        """
        pose = self._by_itself(segment, frame, segment.motion)
        since = frame - segment.begins
        if segment.fading is None or segment.momentum is None or since < 0:
            return pose
        time = np.array([since / self.blend.fps])
        turns, places, scales = segment.fading.at(..., time)[:, :, 0]
        places[self.carriers.which] = segment.momentum.at(..., time)[:, 0]
        return ChannelPose(
            offset.onto_rotations(pose.turns, turns),
            offset.onto_vectors(pose.places, places),
            offset.onto_vectors(pose.scales, scales),
        )

    def _by_itself(self, segment: _Segment, frame: int, motion: Array) -> ChannelPose:
        """Return a clip's pose at a frame of the take, moved so (3,), to which no join adds anything."""
        index = min(max(segment.entered + frame - segment.begins, 0), segment.sheet.frames - 1)
        return self.carriers.move(segment.sheet.poses.at(index), motion)


def _take_part(motion: ChannelMotion, indices: Integers) -> ChannelMotion:
    return ChannelMotion(motion.before[indices], motion.now[indices], motion.after[indices], motion.seconds)


def _turn_about(pivot: Array, angle: float, to: Array) -> Array:
    """Return the motion (3,) that turns by an angle about a pivot (2,), and takes the pivot to another
    place.
    """
    return np.array([angle, *(to - turned(pivot, np.asarray(angle)))])


def _after(first: Array, then: Array) -> Array:
    """Return the one motion that two, one after the other, are: turn, x, y (3,) each."""
    return np.array([first[0] + then[0], *_turn_about(-first[1:], then[0], np.zeros(2))[1:] + then[1:]])
