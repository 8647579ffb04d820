# SPDX-License-Identifier: GPL-3.0-or-later
"""The faults of a transition: what one sees in it that neither of its clips does.

Each fault has a limit below which it is not seen, or not minded. Its severity is its size in that limit: a
transition is good while none is above 1, and poor from 2 on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ...records import record
from ..arrays import Array
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
    skating,
)
from .limbs import find_large_joints

POP, SKATE, LIFT, FLOAT, SINK, REACH, SPIN, SNAP = KINDS = (
    *("POP", "SKATE", "LIFT", "FLOAT", "SINK", "REACH", "SPIN", "SNAP"),
)
GOOD, FAIR, POOR = RATED = "GOOD", "FAIR", "POOR"

CHANGE = 1.3
"""Joint velocity may change by so many times the clips' own highest change."""
STILL = 0.3
"""A change of velocity is not seen, even where clips hardly move, below so many sizes a second squared."""
LIMB_CHANGE = 1.6
"""The velocity of a large joint may change by so many times its own, or its image's, highest in the clips."""
LIMB_STILL = 4.0
"""That of one joint is not seen below so many sizes a second squared, times :data:`LIMB_CHANGE`."""
SKATE_WAY, SKATE_TIMES = 0.008, 1.5
"""A foot may skate by this part of the size, or so many times as far as the clips' own feet."""
HEIGHT = 0.04
"""Hips or the lowest joint may be by this part of the size higher, or lower, than in both clips."""
STRETCH = 0.1
"""A hand, foot or head may be by this part of the size further from the hips, or beyond them."""
TURN, SLOW_TURN = 2.0, np.deg2rad(10.0)
"""A limb may turn so many times as far in a frame as in the clips, or as this where these are slower."""
MINOR = {SINK, SPIN}
"""Kinds that make no transition poor by themselves."""
SWINGS = {LIFT, FLOAT, REACH}
"""What is seen of an offset that stays while the destination's cycle turns, ..."""
SWING_PART = 0.5
"""... where the blend is longer than this part of it: the offset then is added to the opposite pose."""


@record(frozen=True)
class Fault:
    """One thing to see.

    kind: of KINDS. size: metres a second of POP and SNAP, metres of what moves, radians a frame of SPIN. own:
    that of the clips; 0 where size is what is beyond it. joint, by number, and frame: where it is worst.
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

    faults: tuple[Fault, ...]
    at_cut: Change
    highest: Change
    at_end: Change

    @property
    def rating(self) -> str:
        """GOOD, FAIR or POOR."""
        seen = [fault for fault in self.faults if fault.severity > 1.0]
        if any(fault.severity > 2.0 and fault.kind not in MINOR for fault in seen):
            return POOR
        return FAIR if seen else GOOD

    @property
    def total(self) -> float:
        """One number to compare by: the severities of all that is seen, squared and summed."""
        return float(sum(fault.severity**2 for fault in self.faults))

    def severity_of(self, kind: str) -> float:
        """The severity of the worst fault of a kind, 0 without."""
        return max((fault.severity for fault in self.faults if fault.kind == kind), default=0.0)

    def size_of(self, kind: str) -> float:
        """The size of the worst fault of a kind, 0 without."""
        return max((fault.size for fault in self.faults if fault.kind == kind), default=0.0)


def swings(evidence: Evidence, judgement: Judgement) -> bool:
    """Whether what is seen comes of a blend that is too long for the cycle that it leads into."""
    seen = {fault.kind for fault in judgement.faults if fault.severity > 1.0}
    return bool(SWINGS & seen) and evidence.end - evidence.cut > SWING_PART * evidence.period


def judge(evidence: Evidence) -> Judgement:
    """Judge a transition."""
    jumps = _Changes(evidence)
    seen = [fault for look in LOOKS for fault in look(evidence)] + list(jumps.faults())
    seen.sort(key=lambda fault: -fault.severity)
    return Judgement(tuple(seen), *jumps.figures)


# --- pops


def _changes(track: Track, fps: float) -> tuple[Array, Array]:
    """The frames (k,) between two others, halves too, and a joint's change of velocity (k, joints), m/s."""
    k = track.stride
    return track.frames[k : len(track.frames) - k], joint_velocity_changes(track.positions, fps, k)


class _Changes:
    """The changes of joint velocity in a result, and the highest of its clips near each."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self.frames, self.each = _changes(evidence.result, evidence.fps)
        self.rms = rms(self.each)
        self.own = np.zeros(len(self.frames))
        around = MARGIN_SECONDS * evidence.fps
        for clip in evidence.clips:
            frames, each = _changes(clip, evidence.fps)
            first, last = (
                np.searchsorted(frames, self.frames + side) for side in (-around - 1e-6, around + 1e-6)
            )
            usual = np.where(clip.goes_on(frames - 1.0, frames + 1.0), rms(each), 0.0)
            near = over_spans(np.maximum, usual[:, None], first, last, 0.0)
            self.own = np.maximum(self.own, near[:, 0])
        allowed = CHANGE * np.maximum(self.own, STILL * evidence.size / evidence.fps)
        self.severities = self.rms / np.maximum(allowed, 1e-12)

    def worst(self, first: float, last: float) -> int:
        """The place of the worst change in a range of frames; -1 without any."""
        near = np.flatnonzero((self.frames >= first - 1e-6) & (self.frames <= last + 1e-6))
        return int(near[np.argmax(self.severities[near])]) if len(near) else -1

    def highest(self, first: float, last: float) -> tuple[float, float]:
        """The worst change in a range of frames, and the clips' own there."""
        at = self.worst(first, last)
        return (0.0, 0.0) if at < 0 else (float(self.rms[at]), float(self.own[at]))

    @property
    def figures(self) -> tuple[Change, Change, Change]:
        """At the cut, anywhere, and where the blend ends."""
        cut, end, until = self.evidence.cut, self.evidence.end, self.evidence.until
        # without a frame before the cut, that is seen a frame later
        first = max(cut, float(self.frames[0])) if len(self.frames) else cut
        spans = (first, first), (self.evidence.begin - 1.0, until + 1.0), (end, end)
        at_cut, most, at_end = (Change(*self.highest(*span)) for span in spans)
        return at_cut, most, at_end

    def faults(self) -> Iterator[Fault]:
        """The worst change of all."""
        at = self.worst(self.evidence.begin - 1.0, self.evidence.until + 1.0)
        if at >= 0:
            size, usual, severity = (float(each[at]) for each in (self.rms, self.own, self.severities))
            yield Fault(POP, size, usual, severity, int(np.argmax(self.each[at])), float(self.frames[at]))
        yield from self._snaps()

    def _snaps(self) -> Iterator[Fault]:
        """Yield the large joint whose velocity changes hardest for that joint.

        A mean over all joints hides a single knee. Each joint is held against the highest change that it, or
        its mirror, has in both clips within :data:`MARGIN_SECONDS`.
        """
        evidence = self.evidence
        if not len(evidence.result.frames):
            return
        ends, pose = sorted({*evidence.ends, *evidence.feet}), evidence.result.positions[0]
        large, images = find_large_joints(evidence.parents, evidence.hips, ends, pose, evidence.size)
        inside = (self.frames >= evidence.begin - 1.0 - 1e-6) & (self.frames <= evidence.until + 1.0 + 1e-6)
        if not inside.any():
            return
        frames, each = self.frames[inside], self.each[inside][:, large]
        own, around = np.zeros(each.shape), MARGIN_SECONDS * evidence.fps
        for clip in evidence.clips:
            at, changes = _changes(clip, evidence.fps)
            first, last = (np.searchsorted(at, frames + side) for side in (-around - 1e-6, around + 1e-6))
            near = over_spans(np.maximum, changes[:, large], first, last, 0.0)
            own = np.maximum(own, np.where(images, near[:, None], 0.0).max(axis=2))
        allowed = LIMB_CHANGE * np.maximum(own, LIMB_STILL * evidence.size / evidence.fps)
        severities = each / np.maximum(allowed, 1e-12)
        row, column = np.unravel_index(int(severities.argmax()), severities.shape)
        place = int(row), int(column)
        figures = float(each[place]), float(own[place]), float(severities[place])
        yield Fault(SNAP, *figures, large[place[1]], float(frames[place[0]]))


# --- feet


def _skates(evidence: Evidence) -> Iterator[Fault]:
    """How far each foot goes over the ground while it is low, and the clips' feet in that time."""
    if evidence.passing is None or not evidence.feet:
        return
    feet, fps, shown = list(evidence.feet), evidence.fps, evidence.result
    low = max(LOW * evidence.size, 1e-9)
    stands = heights(evidence.clips, feet, shown.frames, fps)
    ways = skating(shown, feet, evidence.ground_speed(), stands, low, fps)
    usual, last = np.zeros(len(feet)), evidence.end + MARGIN_SECONDS * fps
    for clip, passes in zip(evidence.clips, evidence.passing, strict=True):
        if len(clip.frames) > 1:
            every = np.broadcast_to(passes, (len(clip.frames), 2))
            stands = heights((clip,), feet, clip.frames, fps)
            clip_ways = skating(clip, feet, every, stands, low, fps)
            near = clip.within(-np.inf, last)[1:] & clip.goes_on(clip.frames[:-1], clip.frames[1:])
            frames = max(float(np.diff(clip.frames)[near].sum()), 1e-9)
            usual = np.maximum(usual, clip_ways[near].sum(axis=0) / frames * (evidence.end - evidence.begin))
    ends = shown.frames[1:]
    # behind the blend a foot does what the destination's does, but for those that are still held
    at = np.searchsorted(clip.frames[1:], ends - 1e-6)
    clip_ways = np.concatenate([clip_ways, np.zeros((1, len(feet)))])[np.minimum(at, len(clip_ways))]
    ways = np.where((ends > evidence.end + 1e-6)[:, None], np.maximum(ways - clip_ways, 0.0), ways)
    ways[(ends <= evidence.begin + 1e-6) | (ends > evidence.until + 1e-6)] = 0.0
    for k, foot in enumerate(feet):
        way = float(ways[:, k].sum())
        if way > 0.0:
            severity = min(way / (SKATE_WAY * evidence.size), way / max(SKATE_TIMES * float(usual[k]), 1e-9))
            yield Fault(SKATE, way, float(usual[k]), severity, foot, float(ends[np.argmax(ways[:, k])]))


# --- the pose


def _heights(evidence: Evidence) -> Iterator[Fault]:
    """Hips above both clips, and the lowest joint above or below them."""
    lowest, shown = evidence.lowest, evidence.result
    inside = shown.within(evidence.begin, evidence.until)
    clips = [clip for clip in evidence.clips if len(clip.frames)]
    if not inside.any():
        return
    frames, limit = shown.frames[inside], HEIGHT * evidence.size
    hips = shown.positions[inside, evidence.hips, 2]
    highest = max(float(clip.positions[:, evidence.hips, 2].max()) for clip in clips)
    yield from _worst(LIFT, hips - highest, limit, [evidence.hips] * len(frames), frames)
    high = shown.only(lowest)[inside][..., 2]
    joints, low = [lowest[k] for k in high.argmin(axis=1)], high.min(axis=1)
    clip_low = np.concatenate([clip.only(lowest)[..., 2].min(axis=1) for clip in clips])
    yield from _worst(FLOAT, low - clip_low.max(), limit, joints, frames)
    yield from _worst(SINK, clip_low.min() - low, limit, joints, frames)


def _worst(kind: str, beyond: Array, limit: float, joints: Sequence[int], frames: Array) -> Iterator[Fault]:
    """The fault where joints (n,) are furthest beyond both clips (n,), if they are."""
    at = int(np.argmax(beyond))
    if beyond[at] > 0.0:
        size = float(beyond[at])
        yield Fault(kind, size, 0.0, size / max(limit, 1e-9), joints[at], float(frames[at]))


def _reaches(evidence: Evidence) -> Iterator[Fault]:
    """How much further hands, feet and head are from the hips, or beyond them, than in both clips."""
    ends = [end for end in evidence.ends if end != evidence.hips]
    shown = evidence.result
    inside = shown.within(evidence.begin, evidence.until)
    clips = [clip for clip in evidence.clips if len(clip.frames)]
    if not ends or not inside.any():
        return
    seen = _from_hips(evidence, shown.positions[inside], ends)
    in_clips = np.concatenate([_from_hips(evidence, clip.positions, ends) for clip in clips])
    further = np.linalg.norm(seen, axis=-1) - np.linalg.norm(in_clips, axis=-1).max(axis=0)
    # to the other side: beyond where any clip has it, once it is across
    aside, usual = seen[..., 0], in_clips[..., 0]
    least, most = usual.min(axis=0), usual.max(axis=0)
    across = np.where(most < 0.0, aside, np.where(least > 0.0, -aside, 0.0))
    frames = shown.frames[inside]
    for end, beyond in zip(ends, np.maximum(further, across).T, strict=True):
        yield from _worst(REACH, beyond, STRETCH * evidence.size, [end] * len(frames), frames)


def _from_hips(evidence: Evidence, positions: Array, ends: list[int]) -> Array:
    """Joints (n, ends, 3) as seen from the hips, whose own left and right are the first axis, the vertical
    the last: the horizontal way between the two joints on the hips that are furthest apart at first."""
    hips = positions[:, evidence.hips]
    seen = positions[:, ends] - hips[:, None]
    pair = _across(evidence)
    if pair is None:
        # without left and right nothing is across
        return np.concatenate([np.zeros((*seen.shape[:2], 1)), seen], axis=-1)
    way = positions[:, pair[1], :2] - positions[:, pair[0], :2]
    way /= np.maximum(np.linalg.norm(way, axis=-1, keepdims=True), 1e-9)
    aside = np.einsum("nea,na->ne", seen[..., :2], way)
    along = seen[..., 1] * way[:, None, 0] - seen[..., 0] * way[:, None, 1]
    return np.stack([aside, along, seen[..., 2]], axis=-1)


def _across(evidence: Evidence) -> tuple[int, int] | None:
    """The two joints on the hips that are furthest apart, None for fewer than two or none apart."""
    beside = [i for i, parent in enumerate(evidence.parents) if parent == evidence.hips]
    if len(beside) < 2:
        return None
    first = evidence.result.positions[0, beside, :2]
    apart = np.linalg.norm(first[:, None] - first[None], axis=-1)
    if apart.max() < 0.01 * evidence.size:
        return None
    first_of, other = np.unravel_index(int(apart.argmax()), apart.shape)
    return beside[int(first_of)], beside[int(other)]


def _spins(evidence: Evidence) -> Iterator[Fault]:
    """The limb that turns furthest in a frame, against what limbs of the clips do."""
    limbs = [i for i, parent in enumerate(evidence.parents) if parent >= 0]
    shown = evidence.result
    if not limbs or len(shown.frames) <= shown.stride:
        return
    frames, turns = _turns(evidence, shown, limbs)
    inside = (frames >= evidence.begin - 1e-6) & (frames <= evidence.until + 1.0 + 1e-6)
    if not inside.any():
        return
    usual = np.zeros(len(limbs))
    for clip in evidence.clips:
        turned, each = _turns(evidence, clip, limbs)
        each = each[clip.goes_on(turned - 1.0, turned)]
        usual = np.maximum(usual, each.max(axis=0, initial=0.0))
    severity = np.where(inside[:, None], turns / (TURN * np.maximum(usual, SLOW_TURN)), 0.0)
    at, limb = np.unravel_index(int(severity.argmax()), severity.shape)
    size = float(turns[at, limb]), float(usual[limb]), float(severity[at, limb])
    yield Fault(SPIN, *size, limbs[limb], float(frames[at]))


def _turns(evidence: Evidence, track: Track, limbs: list[int]) -> tuple[Array, Array]:
    """Frames (k,), and by how much each limb has turned since the frame before (k, limbs), radians."""
    above = [evidence.parents[limb] for limb in limbs]
    ways = track.positions[:, limbs] - track.positions[:, above]
    long = (lengths(ways) > 0.01 * evidence.size).all(axis=0)
    k = track.stride
    a, b, c = np.moveaxis(ways[k:], -1, 0)
    x, y, z = np.moveaxis(ways[: max(len(ways) - k, 0)], -1, 0)
    # the product's sine and cosine, written out as numpy takes several times as long of so short vectors
    cross = np.stack([b * z - c * y, c * x - a * z, a * y - b * x], axis=-1)
    angles = np.arctan2(lengths(cross), a * x + b * y + c * z)
    return track.frames[k:], np.where(long, angles, 0.0)


LOOKS: tuple[Callable[[Evidence], Iterator[Fault]], ...] = (_skates, _heights, _reaches, _spins)
