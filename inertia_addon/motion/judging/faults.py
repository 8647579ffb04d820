# SPDX-License-Identifier: GPL-3.0-or-later
"""The faults of a transition: what one sees in it that neither of its clips does.

Each fault has a limit below which it is not seen, or not minded. Its severity is its size in that limit: a
transition is good while none is above 1, and poor from 2 on.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ...records import record
from ..arrays import Array, Flags, Integers
from .evidence import (
    LOW,
    MARGIN_SECONDS,
    Evidence,
    Track,
    heights,
    joint_velocity_changes,
    lengths,
    over_spans,
    rms,
)
from .limbs import measure_hinges
from .stances import find_ground, find_stances, measure_skating, most_in

POP, SKATE, LIFT, FLOAT, SINK = "POP", "SKATE", "LIFT", "FLOAT", "SINK"
REACH, SPIN, SNAP, BEND = "REACH", "SPIN", "SNAP", "BEND"
KINDS = POP, SKATE, LIFT, FLOAT, SINK, REACH, SPIN, SNAP, BEND
GOOD, FAIR, POOR = RATED = "GOOD", "FAIR", "POOR"

CHANGE = 1.3
"""Joint velocity may change by so many times the clips' own highest change."""
STILL = 0.3
"""A change of velocity is not seen, even where clips hardly move, below so many sizes a second squared."""
LIMB_CHANGE = 1.6
"""The velocity of a large joint may change by so many times its own, or its image's, highest in the clips."""
LIMB_STILL = 4.0
"""That of one joint is not seen below so many sizes a second squared, times :data:`LIMB_CHANGE`."""
BEND_CHANGE, BEND_STILL = 1.6, np.deg2rad(225.0)
"""A knee or an elbow may bend so many times as far within two frames as it, or its image, does in the clips,
and so many times so far a second where these are slower."""
SKATE_WAY, SKATE_TIMES = 0.008, 1.5
"""A foot may skate by this part of the size, or so many times as far as the clips' own feet."""
HEIGHT = 0.04
"""Hips or the lowest joint may be by this part of the size higher, or lower, than in both clips."""
STRETCH = 0.1
"""A hand, foot or head may be by this part of the size further from the hips, or beyond them."""
THROW, SHORT_SWING = 0.4, 0.1
"""A foot may be by this part of half its swing in the clips further before or behind them, or of this part of
the size where it swings less."""
RIGID = 1.2
"""What is so many times as long at one time as at another is no limb, but a bone that moves by itself."""
TURN, SLOW_TURN = 2.0, np.deg2rad(10.0)
"""A limb may turn so many times as far in a frame as in the clips, or as this where these are slower."""
POOR_FROM = 2.0
"""A transition is poor where a fault is more severe than that."""
MINOR = {SINK, SPIN}
"""Kinds that make no transition poor by themselves."""
SWINGS = {LIFT, FLOAT, REACH}
"""What is seen of an offset that stays while the destination's cycle turns, ..."""
SWING_PART = 0.5
"""... where the blend is longer than this part of it: the offset then is added to the opposite pose."""


@record(frozen=True)
class SeenFault:
    """One thing to see.

    kind: of KINDS. size: metres a second of POP and SNAP, metres of what moves, radians a frame of SPIN, in
    two frames of BEND. own: that of the clips; 0 where size is what is beyond it. joint, by number, and
    frame: where it is worst.
    """

    kind: str
    size: float
    own: float
    severity: float
    joint: int
    frame: float


@record(frozen=True)
class Change:
    """A change of joint velocity, m/s, rms over the joints. own: the highest in the clips near in time."""

    size: float
    own: float

    @property
    def ratio(self) -> float:
        """How many times the clips' own it is; 0 where neither moves."""
        return self.size / self.own if self.own > 0.0 else 0.0


@record(frozen=True)
class Judgement:
    """Faults of a transition, the worst first, with all that was measured.

    at_cut, highest, at_end: how joint velocity changes at the cut, where it is worst, and at the blend's end.
    """

    faults: tuple[SeenFault, ...]
    at_cut: Change
    highest: Change
    at_end: Change

    @property
    def rating(self) -> str:
        """How good the transition is: POOR where a fault of a kind that counts is above 2, FAIR where any is
        above 1, else GOOD.

        SINK and SPIN make none poor by themselves.
        """
        seen = [fault for fault in self.faults if fault.severity > 1.0]
        if any(fault.severity > POOR_FROM and fault.kind not in MINOR for fault in seen):
            return POOR
        return FAIR if seen else GOOD

    @property
    def total(self) -> float:
        """One number to compare by: the severities of all that is seen, squared and summed."""
        # squared, so that one grave fault outweighs several slight ones
        return float(sum(fault.severity**2 for fault in self.faults))

    def severity_of(self, kind: str) -> float:
        """Return the severity of the worst fault of a kind, 0 without any."""
        return max((fault.severity for fault in self.faults if fault.kind == kind), default=0.0)

    def size_of(self, kind: str) -> float:
        """Return the size of the worst fault of a kind, 0 without any."""
        return max((fault.size for fault in self.faults if fault.kind == kind), default=0.0)


def swings(evidence: Evidence, judgement: Judgement) -> bool:
    """Tell whether the faults come of a blend that is too long for the cycle that it leads into."""
    seen = {fault.kind for fault in judgement.faults if fault.severity > 1.0}
    return bool(SWINGS & seen) and evidence.end - evidence.cut > SWING_PART * evidence.period


def judge(evidence: Evidence) -> Judgement:
    """Return the judgement of a transition: its `faults`, the most severe first, and the changes of joint
    velocity `at_cut`, `highest` and `at_end`.

    Faults that nobody would see, with a severity of 1 or less, are included; equally severe ones keep the
    order SKATE, LIFT, FLOAT, SINK, REACH, SPIN, BEND, POP, SNAP. A kind that does not occur, or that can't be
    told, is missing.
    """
    jumps = _Changes(evidence)
    seen = [fault for look in LOOKS for fault in look(evidence)] + list(jumps.faults())
    seen.sort(key=lambda fault: -fault.severity)
    return Judgement(tuple(seen), *jumps.figures)


def find_unseen(evidence: Evidence) -> tuple[str, ...]:
    """Return the kinds of faults that can't be looked for in a transition.

    SKATE without feet, or where nobody can say how the ground passes; POP where only some joints are known;
    SNAP and BEND without large joints, BEND without knees and elbows; REACH without hands, feet and a head.
    """
    limbs = evidence.limbs
    is_blind = {
        SKATE: evidence.passing is None or not evidence.feet,
        POP: evidence.is_part,
        SNAP: limbs is None or not limbs.joints,
        BEND: limbs is None or not limbs.hinges,
        REACH: not set(evidence.ends) - {evidence.hips},
    }
    return tuple(kind for kind in KINDS if is_blind.get(kind, False))


# --- pops


def _changes(track: Track, fps: float) -> tuple[Array, Array]:
    """Return (the samples of a track (k,) that have others a whole frame before and behind them, halves too
    if it has these; joints' changes of velocity there, over these two frames (k, joints), m/s).
    """
    k = track.stride
    changes = track.once(("changes", fps), lambda: joint_velocity_changes(track.positions, fps, k))
    return track.frames[k : len(track.frames) - k], changes


class _Changes:
    """The changes of joint velocity in a result, and the highest of its clips near each."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self.frames, self.each = _changes(evidence.result, evidence.fps)
        # those that are seen: all of them, or some
        self.joints = list(evidence.seen or range(len(evidence.parents)))
        some = list(evidence.seen) if evidence.seen else slice(None)
        self.rms = rms(self.each[:, some])
        self.own = np.zeros(len(self.frames))
        self.clips = [_changes(clip, evidence.fps) for clip in evidence.clips]
        for clip, (frames, each) in zip(evidence.clips, self.clips, strict=True):
            near = _highest_near(evidence, clip, frames, rms(each[:, some])[:, None], self.frames)
            self.own = np.maximum(self.own, near[:, 0])
        # or a change that nobody sees, where clips hardly move, would be many times their own
        allowed = CHANGE * np.maximum(self.own, STILL * evidence.size / evidence.fps)
        self.severities = self.rms / np.maximum(allowed, 1e-12)

    def worst(self, first: float, last: float) -> int:
        """Return the index of the worst change in a range of frames, -1 without any."""
        near = np.flatnonzero((self.frames >= first - 1e-6) & (self.frames <= last + 1e-6))
        return int(near[np.argmax(self.severities[near])]) if len(near) else -1

    def highest(self, first: float, last: float) -> tuple[float, float]:
        """Return the worst change in a range of frames, both included, and the clips' own there, m/s (rms);
        zeros without any frame.
        """
        at = self.worst(first, last)
        return (0.0, 0.0) if at < 0 else (float(self.rms[at]), float(self.own[at]))

    @property
    def figures(self) -> tuple[Change, Change, Change]:
        """Three changes of joint velocity, as a tuple: at the cut, the worst one, and at the blend's end.

        Each :class:`Change` has its size, the rms over the joints that are seen, m/s, and as `own` the
        highest of that in both clips within 0.5 s. The worst is the one with the highest severity, from a
        frame before anything differs to a frame behind that; the severity is size / (1.3 max(own, 0.3
        character sizes a second squared, times a frame)).

        A change belongs to a frame that has one on both sides. If the result has none at the cut, as it
        begins there, its first one stands for it. One that is missing otherwise is Change(0, 0).
        """
        cut, end, until = self.evidence.cut, self.evidence.end, self.evidence.until
        # without a frame before the cut, that is seen a frame later
        first = max(cut, float(self.frames[0])) if len(self.frames) else cut
        spans = (first, first), (self.evidence.begin - 1.0, until + 1.0), (end, end)
        at_cut, most, at_end = (Change(*self.highest(*span)) for span in spans)
        return at_cut, most, at_end

    def faults(self) -> Iterator[SeenFault]:
        """Yield a fault (POP) for the worst change of joint velocity, and one (SNAP) for a joint; see
        :meth:`_snaps`.

        The POP is looked for from a frame before the transition to one behind it; with evidence.is_part there
        is none. Its size and own are the rms over the joints that are seen, there and at its highest in the
        clips within 0.5 s, m/s. Its severity is size / (1.3 max(own, 0.3 character sizes a second squared,
        times a frame)). Its joint is the one that is seen and changes most at that frame.

        Either is missing if there is nothing to look at; faults are yielded however small.
        """
        at = self.worst(self.evidence.begin - 1.0, self.evidence.until + 1.0)
        if at >= 0 and not self.evidence.is_part:
            size, usual, severity = (float(each[at]) for each in (self.rms, self.own, self.severities))
            joint = self.joints[int(np.argmax(self.each[at, self.joints]))]
            yield SeenFault(POP, size, usual, severity, joint, float(self.frames[at]))
        yield from self._snaps()

    def _snaps(self) -> Iterator[SeenFault]:
        """Yield at most one fault (SNAP): the large joint whose velocity changes hardest, compared with the
        clips.

        Its size is the change of velocity from frame to frame, m/s; its own is the highest change that the
        joint, or its mirror image, has in both clips within 0.5 s. 1.6 times own, or 1.6 times 4 character
        sizes a second squared if that is more, has the severity 1. Nothing is yielded if the large joints are
        not known, or no change lies within a frame of the transition. A mean over all joints would hide a
        single knee.
        """
        evidence = self.evidence
        limbs = evidence.limbs
        if limbs is None:
            return
        joints = list(limbs.joints)
        clips = [(frames, each[:, joints]) for frames, each in self.clips]
        still = LIMB_STILL * evidence.size / evidence.fps
        shown = self.frames, self.each[:, joints]
        yield from _worst_joint(evidence, SNAP, shown, clips, (joints, limbs.images), (LIMB_CHANGE, still))


def _highest_near(evidence: Evidence, clip: Track, frames: Array, values: Array, at: Array) -> Array:
    """Return the highest of a clip's values (n, k) within 0.5 s of frames `at` (m,), rising: (m, k).

    frames: (n,), rising, those of the values. A value spans a frame to either side; one that spans a teleport
    counts as 0. Where there is no value that near the result is 0.
    """
    around = MARGIN_SECONDS * evidence.fps
    first, last = (np.searchsorted(frames, at + side) for side in (-around - 1e-6, around + 1e-6))
    # a teleport is no change that the clip makes
    goes = clip.goes_on(frames - 1.0, frames + 1.0)
    return over_spans(np.maximum, np.where(goes[:, None], values, 0.0), first, last, 0.0)


def _worst_joint(
    evidence: Evidence,
    kind: str,
    result: tuple[Array, Array],
    clips: Sequence[tuple[Array, Array]],
    joints: tuple[Sequence[int], Flags],
    allowed: tuple[float, float],
) -> Iterator[SeenFault]:
    """Yield at most one fault: the joint whose value exceeds most what it does in the clips.

    The severity of a value is value / (factor * max(own, least)), with (factor, least) as `allowed`: both
    what the joint does itself and the least are multiplied by the factor. `own` is the highest value that the
    joint or one of its images has in either clip within 0.5 s of that frame, see :func:`_highest_near`.

    Of the result only frames from one before evidence.begin to one behind evidence.until count; without any
    nothing is yielded. Otherwise the most severe value is, however small; of equal ones the earliest frame,
    then the first joint.

    kind: of the fault. result: frames (n,), and values (n, k). clips: the same of the source, then of the
    destination. joints: the k joints' numbers, and flags (k, k), which are images of which, each of itself.
    allowed: a factor, and a least value in the unit of the values.
    """
    frames, values = result
    inside = (frames >= evidence.begin - 1.0 - 1e-6) & (frames <= evidence.until + 1.0 + 1e-6)
    if not inside.any():
        return
    frames, values = frames[inside], values[inside]
    own, (numbers, images), (times, still) = np.zeros(values.shape), joints, allowed
    for clip, (at, each) in zip(evidence.clips, clips, strict=True):
        own = np.maximum(own, _highest_near(evidence, clip, at, each, frames))
    own = np.where(images, own[:, None], 0.0).max(axis=2)
    severities = values / np.maximum(times * np.maximum(own, still), 1e-12)
    row, column = (int(k) for k in np.unravel_index(int(severities.argmax()), severities.shape))
    size, usual, severity = (float(each[row, column]) for each in (values, own, severities))
    yield SeenFault(kind, size, usual, severity, numbers[column], float(frames[row]))


def _bends(evidence: Evidence) -> Iterator[SeenFault]:
    """Yield at most one fault (BEND): the knee or elbow whose angle changes most within two frames, compared
    with the clips.

    size is the change, radians within two frames, from a frame before the transition to one behind it; own is
    the largest of that hinge, or its mirror image, in either clip within 0.5 s of the frame of that change.
    1.6 times own, or 1.6 times 225 degrees a second if that is more, has the severity 1. Nothing is yielded
    if there are no hinges, or no such frames.
    """
    limbs = evidence.limbs
    if limbs is None or not limbs.hinges:
        return
    each = []
    for track in (evidence.result, *evidence.clips):
        angles = track.once(
            ("hinges", limbs.hinges), functools.partial(measure_hinges, track.positions, limbs.hinges)
        )
        k = 2 * track.stride
        turns = np.abs(angles[k:] - angles[: max(len(angles) - k, 0)])
        each.append((track.frames[k // 2 : k // 2 + len(turns)], turns))
    joints = [hinge[1] for hinge in limbs.hinges], limbs.hinge_images
    yield from _worst_joint(
        evidence, BEND, each[0], each[1:], joints, (BEND_CHANGE, 2.0 * BEND_STILL / evidence.fps)
    )


# --- feet


def find_skates(evidence: Evidence) -> Iterator[SeenFault]:
    """Yield a fault (SKATE) for each foot that goes over the ground in the transition while it has to stand;
    the feet in order.

    When and where a foot has to stand :func:`find_ground` says, from the stances in both clips. With
    evidence.has_locked_feet it also has to stand, wholly, where it does so in the result, and there at that
    height.

    size is the way over the ground, metres, in the steps that end behind evidence.begin and not behind
    evidence.until, see :func:`measure_skating`; behind the blend only what the destination's own foot does
    not go. own is the furthest that the foot, while it stands, goes in either clip within the time of the
    blend; what a clip does more than 0.5 s behind the blend does not count.

    The severity is the lesser of the way by 0.008 (SKATE_WAY) character sizes and of the way by 1.5
    (SKATE_TIMES) own, so that both have to be exceeded; with locked feet it is the first of these alone. The
    frame is that at which the largest step ends.

    Nothing is yielded for a foot that does not skate at all, without feet, or if it is not known how the
    ground passes.
    """
    if evidence.passing is None or not evidence.feet:
        return
    feet, fps, shown = list(evidence.feet), evidence.fps, evidence.result
    low = max(LOW * evidence.size, 1e-9)
    stands, own, usual = [], [], np.zeros(len(feet))
    for clip, passes in zip(evidence.clips, evidence.passing, strict=True):
        stand = find_stances(clip, feet, evidence, passes)
        ground = (~np.isnan(stand)).astype(float), stand
        every = np.broadcast_to(passes, (len(clip.frames), 2))
        skated = measure_skating(clip, feet, every, ground, (low, fps))
        near = clip.within(-np.inf, evidence.end + MARGIN_SECONDS * fps)[1:]
        goes = near & clip.goes_on(clip.frames[:-1], clip.frames[1:])
        most = most_in(skated, np.diff(clip.frames), goes, evidence.end - evidence.begin)
        usual = np.maximum(usual, most)
        stands.append(stand)
        own.append(skated)
    ground = find_ground(evidence, (stands[0], stands[1]))
    if evidence.has_locked_feet:
        ground = _put_stances_first(ground, find_stances(shown, feet, evidence, evidence.passing[1]))
    # what feet were locked on may be lower than any clip's ground
    grounded = (shown,) if evidence.has_locked_feet else evidence.clips
    floor = heights(grounded, feet, shown.frames, fps)
    ways = measure_skating(shown, feet, evidence.ground_speed(), ground, (low, fps), floor)
    ends, clip = shown.frames[1:], evidence.destination
    # behind the blend a foot does what the destination's does, but for those that are still held
    at = np.searchsorted(clip.frames[1:], ends - 1e-6)
    clip_ways = np.concatenate([own[1], np.zeros((1, len(feet)))])[np.minimum(at, len(own[1]))]
    ways = np.where((ends > evidence.end + 1e-6)[:, None], np.maximum(ways - clip_ways, 0.0), ways)
    ways[(ends <= evidence.begin + 1e-6) | (ends > evidence.until + 1e-6)] = 0.0
    for k, foot in enumerate(feet):
        way = float(ways[:, k].sum())
        if way > 0.0:
            # both have to be exceeded: a little way is not seen, and one as far as the clips' own is no fault
            severity = way / (SKATE_WAY * evidence.size)
            if not evidence.has_locked_feet:
                severity = min(severity, way / max(SKATE_TIMES * float(usual[k]), 1e-9))
            yield SeenFault(SKATE, way, float(usual[k]), severity, foot, float(ends[np.argmax(ways[:, k])]))


def _put_stances_first(ground: tuple[Array, Array], stands: Array) -> tuple[Array, Array]:
    """Return how much, and how high, each foot has to stand, see :func:`find_ground`, where it stands in the
    result first of all. stands: the heights (n, feet) of that, NaN where it does not."""
    shares, levels = ground
    is_stance = ~np.isnan(stands)
    return np.where(is_stance, 1.0, shares), np.where(is_stance, stands, levels)


# --- the pose


def _heights(evidence: Evidence) -> Iterator[SeenFault]:
    """Yield up to three faults: the hips above their highest place in both clips (LIFT), and the lowest joint
    above its highest place in them (FLOAT), or below its lowest (SINK).

    Each is yielded once, where it is worst on the transition's frames, if it occurs at all. size is what is
    beyond the clips, metres, own is 0; 0.04 character sizes have the severity 1. The lowest joint is looked
    for, on each frame, among the hips, the feet and the ends of limbs. Nothing is yielded if the result has
    no frame in the transition.
    """
    lowest, shown = evidence.lowest, evidence.result
    inside = shown.within(evidence.begin, evidence.until)
    clips = [clip for clip in evidence.clips if len(clip.frames)]
    if not inside.any():
        return
    frames, limit = shown.frames[inside], HEIGHT * evidence.size
    hips = shown.positions[inside, evidence.hips, 2]
    highest = max(float(clip.positions[:, evidence.hips, 2].max()) for clip in clips)
    yield from _worst(LIFT, hips - highest, limit, [evidence.hips] * len(frames), frames)
    high = shown.take_joints(lowest)[inside][..., 2]
    joints, low = [lowest[k] for k in high.argmin(axis=1)], high.min(axis=1)
    clip_low = np.concatenate([clip.take_joints(lowest)[..., 2].min(axis=1) for clip in clips])
    yield from _worst(FLOAT, low - clip_low.max(), limit, joints, frames)
    yield from _worst(SINK, clip_low.min() - low, limit, joints, frames)


def _worst(
    kind: str, beyond: Array, limit: float, joints: Sequence[int], frames: Array
) -> Iterator[SeenFault]:
    """Yield one fault where joints are furthest beyond both clips; nothing if they never are.

    Its size is how far, its own is 0, its severity the size by `limit`; of equal ones the first counts. kind:
    the fault's. beyond: (n,), by how much, metres. limit: the size that has the severity 1. joints, frames:
    (n,), of which joint and frame each is.
    """
    at = int(np.argmax(beyond))
    if beyond[at] > 0.0:
        size = float(beyond[at])
        yield SeenFault(kind, size, 0.0, size / max(limit, 1e-9), joints[at], float(frames[at]))


def _reaches(evidence: Evidence) -> Iterator[SeenFault]:
    """Yield for each hand, foot or head, in order, at most one fault (REACH): where it gets further from the
    hips than in both clips.

    It may be further away, or, where both clips have it on one side of the hips only, across on the other
    side; by 0.1 character sizes that has the severity 1. Or a foot may be further ahead or behind than in
    both clips; by 0.4 of half its swing in them, or of 0.1 sizes if that is more, that has the severity 1. Of
    both the more severe one is given, however small; size is in metres beyond the clips, own is 0. Only
    frames from the transition's first to its last count.
    """
    ends = [end for end in evidence.ends if end != evidence.hips]
    shown = evidence.result
    inside = shown.within(evidence.begin, evidence.until)
    clips = [clip for clip in evidence.clips if len(clip.frames)]
    if not ends or not inside.any():
        return
    pair = _across(evidence)
    seen = _from_hips(evidence, pair, shown.positions[inside], ends)
    asked = "from hips", evidence.hips, pair, tuple(ends)
    each_clip = [
        clip.once(asked, functools.partial(_from_hips, evidence, pair, clip.positions, ends))
        for clip in clips
    ]
    in_clips = np.concatenate(each_clip)
    further = lengths(seen) - lengths(in_clips).max(axis=0)
    # to the other side: beyond where any clip has it, once it is across
    aside, usual = seen[..., 0], in_clips[..., 0]
    least, most = usual.min(axis=0), usual.max(axis=0)
    across = np.where(most < 0.0, aside, np.where(least > 0.0, -aside, 0.0))
    # thrown: before or behind where any clip has it
    along, usual = seen[..., 1], in_clips[..., 1]
    first, last = usual.min(axis=0), usual.max(axis=0)
    feet = {*evidence.feet, *(leg[-1] for leg in evidence.legs)}
    may_throw = np.array([end in feet and pair is not None for end in ends])
    thrown = np.where(may_throw, np.maximum(along - last, first - along), 0.0)
    swings = THROW * np.maximum(0.5 * (last - first), SHORT_SWING * evidence.size)
    frames = shown.frames[inside]
    for k, end in enumerate(ends):
        joints, beyond = [end] * len(frames), np.maximum(further, across)[:, k]
        both = [
            *_worst(REACH, beyond, STRETCH * evidence.size, joints, frames),
            *_worst(REACH, thrown[:, k], float(swings[k]), joints, frames),
        ]
        if both:
            yield max(both, key=lambda fault: fault.severity)


def _from_hips(evidence: Evidence, pair: tuple[int, int] | None, positions: Array, ends: list[int]) -> Array:
    """Return joints (n, ends, 3) as seen from the hips, in metres: along the pair's horizontal way from its
    first to its second joint, to the left of that, and up.

    positions: (n, joints, 3), world, Z up. ends: the joints, by index. pair: two joints that tell left from
    right, see :func:`_across`; their way is taken on each frame. With None the first number is 0 and the
    second the horizontal distance, 0 or more.
    """
    hips = positions[:, evidence.hips]
    seen = positions[:, ends] - hips[:, None]
    if pair is None:
        # without left and right nothing is across
        flat = np.hypot(seen[..., 0], seen[..., 1])
        return np.stack([np.zeros(flat.shape), flat, seen[..., 2]], axis=-1)
    way = positions[:, pair[1], :2] - positions[:, pair[0], :2]
    way /= np.maximum(np.hypot(*way.T), 1e-9)[:, None]
    x, y, (a, b) = seen[..., 0], seen[..., 1], way.T[..., None]
    return np.stack([x * a + y * b, y * a - x * b, seen[..., 2]], axis=-1)


def _across(evidence: Evidence) -> tuple[int, int] | None:
    """Return the indices of the two joints that say what is left and right of the hips, in no particular
    order; None where there are none, or they are not apart.

    They are the first joints of the two legs nearest to the hips; without two legs, the two joints that hang
    from the hips and are furthest apart. Looked at is the first frame of the result, from above; nearer than
    0.01 of the evidence's size is not apart.
    """
    pose, hips = evidence.result.positions[0], evidence.hips
    beside = {leg[0] for leg in evidence.legs}
    nearest = sorted(beside, key=lambda joint: float(np.linalg.norm(pose[joint] - pose[hips])))[:2]
    if len(nearest) < 2:
        nearest = [i for i, parent in enumerate(evidence.parents) if parent == hips]
    if len(nearest) < 2:
        return None
    first = pose[nearest, :2]
    apart = np.linalg.norm(first[:, None] - first[None], axis=-1)
    # joints one above the other say no side
    if apart.max() < 0.01 * evidence.size:
        return None
    first_of, other = np.unravel_index(int(apart.argmax()), apart.shape)
    return nearest[int(first_of)], nearest[int(other)]


def _spins(evidence: Evidence) -> Iterator[SeenFault]:
    """Yield at most one fault (SPIN): the limb that turns most from one frame to the next, compared with the
    clips.

    A limb is the way from a joint's parent to that joint, which the fault names. Only limbs count whose
    length is above 0.01 of the character's size and at most 1.2 times its least in the result and both clips,
    and whose joint is seen. size is the largest turn, radians a frame, from the transition's first frame to
    one behind its last; own is the limb's largest in all of both clips. A severity of 1 is twice that, or 20
    degrees if that is more. Nothing is yielded without such a limb or frame.
    """
    shown, parents = evidence.result, np.array(evidence.parents, np.int64)
    if len(shown.frames) <= shown.stride or not (parents >= 0).any():
        return
    # who hangs from nothing is no limb, as it has no length
    above = np.where(parents >= 0, parents, np.arange(len(parents)))
    asked = "limbs", evidence.parents
    tracks = (shown, *evidence.clips)
    limbs = [track.once(asked, functools.partial(_Limbs.of, track, above)) for track in tracks]
    least = np.min([each.least for each in limbs], axis=0)
    most = np.max([each.most for each in limbs], axis=0)
    is_rigid = (least > 0.01 * evidence.size) & (most <= RIGID * least)
    if evidence.seen:
        is_rigid &= np.isin(np.arange(len(parents)), evidence.seen)
    frames, turns = limbs[0].frames, limbs[0].turns
    inside = (frames >= evidence.begin - 1e-6) & (frames <= evidence.until + 1.0 + 1e-6)
    if not inside.any() or not is_rigid.any():
        return
    usual = np.zeros(len(parents))
    for clip, clip_limbs in zip(evidence.clips, limbs[1:], strict=True):
        goes = clip.goes_on(clip_limbs.frames - 1.0, clip_limbs.frames)
        usual = np.maximum(usual, clip_limbs.turns[goes].max(axis=0, initial=0.0))
    turns = np.where(inside[:, None] & is_rigid, turns, 0.0)
    severity = turns / (TURN * np.maximum(usual, SLOW_TURN))
    at, limb = np.unravel_index(int(severity.argmax()), severity.shape)
    size = float(turns[at, limb]), float(usual[limb]), float(severity[at, limb])
    yield SeenFault(SPIN, *size, int(limb), float(frames[at]))


@record(frozen=True, eq=False)
class _Limbs:
    """The limbs of a track, from above each joint to it.

    least, most: (limbs,) how long each is, at least and at most, metres. frames, turns: by how much each
    turns, see :func:`_measure_turns`.
    """

    least: Array
    most: Array
    frames: Array
    turns: Array

    @classmethod
    def of(cls, track: Track, above: Integers) -> _Limbs:
        """Return the limbs of a track. above: (limbs,) the joint from which each hangs."""
        ways = track.positions - track.positions.take(above, axis=1)
        long = np.sqrt(np.einsum("njk,njk->nj", ways, ways))
        return cls(
            long.min(axis=0, initial=np.inf),
            long.max(axis=0, initial=0.0),
            *_measure_turns(track, ways, long),
        )


def _measure_turns(track: Track, steps: Array, long: Array) -> tuple[Array, Array]:
    """Return frames (k,), and the angle, radians, by which each limb has turned there since a frame before:
    (k, limbs).

    Frames are those of the track from its stride on, so that a track of fewer has none. Angles go from 0 to
    pi. Those below about 4e-7 are 0, as they are rounding; a limb without a length has turned by pi / 2.
    Teleports are not looked at.

    track: whose frames they are, n. steps: vectors (n, limbs, 3) along the limbs. long: (n, limbs), their
    lengths.
    """
    k = track.stride
    before = max(len(steps) - k, 0)
    products = np.einsum("njk,njk->nj", steps[k:], steps[:before])
    cosines = products / np.maximum(long[k:] * long[:before], 1e-12)
    # less than a millionth of a turn is rounding
    return track.frames[k:], np.arccos(np.where(cosines > 1.0 - 1e-13, 1.0, np.maximum(cosines, -1.0)))


Look = Callable[[Evidence], Iterator[SeenFault]]
LOOKS: tuple[Look, ...] = (find_skates, _heights, _reaches, _spins, _bends)
