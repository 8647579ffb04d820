# SPDX-License-Identifier: GPL-3.0-or-later
"""How locked feet go across a transition, before that is put into channels: :func:`cross_feet_steps`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from ...motion.arrays import Array
from ...motion.curves.representation import whole_frames
from ...motion.feet import chains, contacts, crossing, own_motion, toes
from ...motion.feet.chains import RigLegs
from ...motion.feet.contacts import Spans
from ...motion.feet.corrections import BLEED_SECONDS, Hold
from ...motion.feet.crossing import CrossingLeg, Locked, LockLimits
from ...motion.feet.locking import LegMotion
from ...motion.feet.own_motion import OwnMotion
from ...motion.feet.toes import Below
from ...motion.skeleton import posing
from ...motion.skeleton.posing import Posed
from ...motion.steps import Steps, part
from ...records import record
from ...settings.feet import Locking
from ...settings.transition import TransitionSettings
from ..data import scene
from ..data.actions import Clip, with_curves
from . import leg_choice
from .body import Body, LegPaths, PlantedFeet
from .clip_meeting import ClipMeeting, read_destination_feet, read_source_feet

SETTLED_SECONDS = 0.35
"""The hips, which help a held foot, are back where they were so long after it has lifted."""


@record(frozen=True, eq=False)
class KnownTransition:
    """What a body knows already of a planned transition: the clip that plays it, at frames (n,)."""

    clip: Clip
    frames: Array


@record(frozen=True, eq=False)
class CrossedFeet:
    """How feet go from the cut on.

    clip: what is planned of the transition. frames: (n,), and times, seconds since the cut. posed, motions:
    the legs as planned, over the ground. shift: (n, 3) how far elsewhere they are there. locked: what becomes
    of them.
    """

    clip: Clip
    frames: Array
    times: Array
    posed: Posed
    shift: Array
    motions: list[LegMotion]
    locked: Locked

    def find_stands(self, body: Body) -> dict[str, tuple[tuple[float, float], ...]]:
        """Return by the name of each leg that is held the first and the last frame of the spans in which its
        foot stands still, as of :class:`TransitionFeet`.
        """
        return {
            leg.name: tuple(self._find_stand(hold) for hold in held)
            for leg, held in zip(body.legs.legs, self.locked.holds, strict=True)
            if held
        }

    def _find_stand(self, hold: Hold) -> tuple[float, float]:
        """Return the first and the last frame at which a held foot stands still: one that is held at a speed
        comes to rest within BLEED_SECONDS.
        """
        # a foot that comes with a speed slows down first
        rests = self.times[hold.first] + (0.0 if hold.speed is None else BLEED_SECONDS)
        first = min(int(np.searchsorted(self.times, rests - 1e-6)), hold.last)
        return float(self.frames[first]), float(self.frames[hold.last])

    def find_feet_paths(self, stands: Sequence[Sequence[tuple[int, int]]]) -> LegPaths:
        """Return where feet go, to be shown. stands: see :class:`LegPaths`."""
        locked = self.locked
        return LegPaths(
            self.clip,
            self.frames,
            self.posed,
            self.motions,
            locked.drop,
            locked.turned,
            stands,
            self.shift,
            locked.toes,
        )


def cross_feet_steps(
    body: Body, meeting: ClipMeeting, settings: TransitionSettings, transition: KnownTransition | None = None
) -> Steps[CrossedFeet]:
    """Plan how locked feet go across a transition, and return that as a :class:`CrossedFeet`; yield the part
    that is done, 0 to 1.

    Nothing is put into channels. The result has the ``clip`` that plays, its ``frames`` (n,), in the scene's,
    from the cut to where the last foot is let go, the legs' poses there as planned, over the ground, and how
    they are locked: where and when each foot is held, how its path is eased and, if the settings ask for
    that, toes are kept above the ground. Where many transitions are eased together (body.together) it waits
    for the others.

    transition: as the body knows it already, of which the frames up to there are taken; None to have the
    destination with the meeting's curves posed on whole frames.
    """
    legs = body.legs
    source_span, destination_span = meeting.find_spans(body)
    source = read_source_feet(body, meeting, source_span)
    yield 0.3
    destination = read_destination_feet(body, meeting, destination_span)
    yield 0.6
    asked = Locking.of(settings)
    limits = leg_choice.read_limits(asked, asked.step_height)
    last = _find_last_frame(destination.spans, meeting, limits)
    if transition is None:
        frames = whole_frames(meeting.cut, last)
        playing = with_curves(meeting.destination, meeting.curves)
    else:
        frames = transition.frames[(transition.frames >= meeting.cut) & (transition.frames <= last + 1e-6)]
        playing = transition.clip
    times = (frames - meeting.cut) / meeting.fps
    planned = _pose_planned(body, playing, frames, meeting, changing=transition is None)
    yield 0.8
    entering = _pose_entering(body, meeting, frames - meeting.later)
    motions = [chains.motion(leg, planned.posed, (source.posed, entering)) for leg in legs.legs]
    aligned = meeting.align_poses(entering)
    aligned = dataclasses.replace(aligned, heads=aligned.heads + planned.shift)
    yield 0.9
    crossing_legs = [
        CrossingLeg(
            motion,
            chains.foot_of(leg, aligned),
            contacts.planted(destination_spans, frames - meeting.later),
            bool(contacts.planted(source_spans, [meeting.cut])[0]),
            speed,
        )
        for leg, motion, source_spans, destination_spans, speed in zip(
            legs.legs, motions, source.spans, destination.spans, planned.speeds, strict=True
        )
    ]
    window = (meeting.end - meeting.cut) / meeting.fps
    locked = crossing.cross(times, crossing_legs, window, limits)
    # the destination as it stands in the result, which its own motion is measured by from here on
    destination = dataclasses.replace(destination, posed=meeting.align_poses(destination.posed))
    usual = _find_own_motion(legs, meeting, times, (source, destination), entering, planned.joints_before)
    easing = crossing.prepare_easing(times, motions, locked, usual, limits)
    if body.together is None:
        easing.ease_now()
    else:
        yield from part(body.together.wait_steps(easing), 0.9, 1.0)
    locked = crossing.lead_along(motions, locked, easing.eased)
    if limits.toes is not None:
        # raised last, as the toes turn on top of where easing has led the feet
        below = _find_below(legs, source, destination, toes.ends(times))
        locked = crossing.keep_above(times, motions, locked, limits, below)
    return CrossedFeet(playing, frames, times, planned.posed, planned.shift, motions, locked)


def _find_last_frame(planted: Sequence[Spans], meeting: ClipMeeting, limits: LockLimits) -> float:
    """Return the last frame that may be another one, as a foot that is held must lift first.

    planted: when each foot is in the destination, in its own frames.
    """
    ends = [
        span.end + meeting.later
        for spans in planted
        for span in spans
        if span.end + meeting.later > meeting.cut and span.start + meeting.later < meeting.end
    ]
    settled = max([meeting.end, *ends]) + max(limits.release, SETTLED_SECONDS) * meeting.fps
    return max(min(np.ceil(settled), meeting.destination.end + meeting.later), meeting.cut + 1.0)


def _pose_entering(body: Body, meeting: ClipMeeting, frames: Array) -> Posed:
    """Pose legs in the destination, as it plays in the result, at frames (n,) of its own; not aligned."""
    if meeting.standing is None:
        return body.posed_once(1, meeting.destination, frames)
    return body.posed(meeting.destination, frames, changing=False)


@record(frozen=True, eq=False)
class _PlannedLegs:
    """Legs as they are planned, over the ground.

    shift: (n, 3) how far elsewhere they are there, see :meth:`ClipMeeting.shift`. speeds: of each foot how
    fast its point goes, and turns, at the cut (4,), per second. joints_before: where the joints of legs are
    (legs, joints, 3) on the frame before the cut.
    """

    posed: Posed
    shift: Array
    speeds: list[Array]
    joints_before: Array


def _pose_planned(
    body: Body, clip: Clip, frames: Array, meeting: ClipMeeting, *, changing: bool
) -> _PlannedLegs:
    """Pose the legs, as planned, at frames (n,) of the result, over the ground, with the velocity of feet and
    the joints' places at the cut.

    Each foot's velocity (4,) is that of its point and heading, per second, from the frames on both sides of
    the cut; joints are from the frame before it. changing: see :meth:`Body.posed`.
    """
    # speeds at the cut are from the frames on both sides of it
    around = meeting.cut + np.array([-1.0, 1.0])
    every, rows = np.unique(np.concatenate([around, frames]), return_inverse=True)
    shift = meeting.shift(every)
    posed = body.posed(clip, every, changing=changing)
    posed = dataclasses.replace(posed, heads=posed.heads + shift)
    beside = posing.at_frames(posed, rows[:2])
    feet = [chains.find_point_and_heading(leg, beside, beside.axes[leg.foot][0]) for leg in body.legs.legs]
    speeds = [(after - before) * (0.5 * meeting.fps) for before, after in feet]
    joints_before = chains.find_all_joints(body.legs, beside)[..., 0, :]
    return _PlannedLegs(posing.at_frames(posed, rows[2:]), shift[rows[2:]], speeds, joints_before)


def _find_own_motion(
    legs: RigLegs,
    meeting: ClipMeeting,
    times: Array,
    clips: tuple[PlantedFeet, PlantedFeet],
    entering: Posed,
    joints_before: Array,
) -> OwnMotion:
    """Return what legs do by themselves in two clips, the destination's poses aligned and over its own
    ground.

    times: (n,), seconds from the cut. clips: the source's and the destination's feet. entering: the
    destination at these times, not aligned. joints_before: where all joints are a frame before the cut in the
    result.
    """
    moments = zip(clips, (meeting.cut, meeting.entry), strict=True)
    joints = [clip.find_joints(legs, at, meeting.fps) for clip, at in moments]
    # over its own ground, on which its feet stand
    passes = np.outer(times, np.append(meeting.passing[1], 0.0)) / scene.metres_per_unit()
    playing_on = dataclasses.replace(entering, heads=entering.heads - passes)
    playing_on = meeting.align_poses(playing_on)
    points = np.array([chains.point_of(leg, playing_on) for leg in legs.legs])
    return own_motion.OwnMotion.of(times, joints, points, joints_before, -1.0 / meeting.fps)


def _find_below(legs: RigLegs, source: PlantedFeet, destination: PlantedFeet, come: Array) -> Below:
    """Return the heights that toes' tips and heels are to stay above, a number for each leg, in its order and
    world units: the lowest that either clip has while the foot is planted.

    Tip and heel are None where the foot has no tip, or is planted in neither clip.

    source, destination: both as they stand in the result. come: (n,) by how much of what they lack they are
    raised, 0 to 1, which goes into the :class:`Below`.
    """
    tips: list[float | None] = []
    heels: list[float | None] = []
    for row, leg in enumerate(legs.legs):
        lowest = []
        if leg.tip is not None:
            lowest = [
                toes.find_lowest(
                    chains.point_of(leg, clip.posed),
                    chains.toe_of(leg, clip.posed),
                    chains.heel_of(leg, clip.posed),
                    contacts.planted(clip.spans[row], clip.frames),
                )
                for clip in (source, destination)
            ]
        tips.append(min((tip for tip, _ in lowest if tip is not None), default=None))
        heels.append(min((heel for _, heel in lowest if heel is not None), default=None))
    return Below(tips, heels, come=come)
