# SPDX-License-Identifier: GPL-3.0-or-later
"""The faults of a transition: what one sees in it that neither of its clips does.

Each fault has a limit below which it is not seen, or not minded. Its severity is its size in that limit: a
transition is good while none is above 1, and poor from 2 on.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

import numpy as np

from ..arrays import Array
from .evidence import Evidence, Track

POP, SKATE, LIFT, FLOAT, SINK, REACH, SPIN = KINDS = (
    *("POP", "SKATE", "LIFT", "FLOAT", "SINK", "REACH", "SPIN"),
)
GOOD, FAIR, POOR = RATED = "GOOD", "FAIR", "POOR"

CHANGE = 1.3
"""Joint velocity may change by so many times the clips' own highest change."""
STILL = 0.3
"""A change of velocity is not seen, even where clips hardly move, below so many sizes a second squared."""
SKATE_WAY, SKATE_TIMES = 0.008, 1.5
"""A foot may skate by this part of the size, or so many times as far as the clips' own feet."""
LOW = 0.01
"""A foot lower than this part of the size above its ground is on it: 2.5 cm of a grown-up."""
HEIGHT = 0.04
"""Hips or the lowest joint may be by this part of the size higher, or lower, than in both clips."""
STRETCH = 0.1
"""A hand, foot or head may be by this part of the size further from the hips, or beyond them."""
TURN, SLOW_TURN = 2.0, np.deg2rad(10.0)
"""A limb may turn so many times as far in a frame as in the clips, or as this where these are slower."""
MINOR = {SINK, SPIN}
"""Kinds that make no transition poor by themselves."""
SHOWN = 0.5
"""Faults of at least this severity are told."""


@dataclasses.dataclass(frozen=True)
class Fault:
    """One thing to see.

    kind: of KINDS. size: metres a second of POP, metres of what moves, radians a frame of SPIN. own: the same
    in the clips; 0 where size is what is beyond them. severity: see this module. joint: by number, frame:
    where it is worst.
    """

    kind: str
    size: float
    own: float
    severity: float
    joint: int
    frame: float


@dataclasses.dataclass(frozen=True)
class Judgement:
    """Faults of a transition, the worst first, with all that was measured.

    change_cut, change_highest, change_end: of joint velocity, metres a second, rms over the joints; own: the
    clips' highest around.
    """

    faults: tuple[Fault, ...]
    change_cut: float
    change_highest: float
    change_end: float
    own: float

    @property
    def rating(self) -> str:
        """GOOD, FAIR or POOR."""
        return RATED[max((_grade(fault) for fault in self.faults), default=0)]

    @property
    def total(self) -> float:
        """One number to compare by: the severities of all that is seen, squared and summed."""
        return float(sum(fault.severity**2 for fault in self.faults))

    def of(self, kind: str) -> float:
        """The size of the worst fault of a kind, 0 without."""
        return max((fault.size for fault in self.faults if fault.kind == kind), default=0.0)


def _grade(fault: Fault) -> int:
    if fault.severity <= 1.0:
        return 0
    return 2 if fault.severity > 2.0 and fault.kind not in MINOR else 1


def judge(evidence: Evidence) -> Judgement:
    """Judge a transition."""
    changes = _Changes(evidence)
    found = [fault for look in LOOKS for fault in look(evidence)] + list(changes.faults())
    found.sort(key=lambda fault: -fault.severity)
    return Judgement(tuple(found), *changes.figures)


# --- pops


def velocity_changes(track: Track, fps: float) -> tuple[Array, Array]:
    """The frames (k,) that have a frame on both sides, and the change of joint velocity there (k, joints), m/s.

    |p(f + 1) - 2 p(f) + p(f - 1)| fps, also between the frames where these were looked at: what a pop is.
    """
    p, k = track.positions, track.stride
    change = p[2 * k :] - 2.0 * p[k : len(p) - k] + p[: max(len(p) - 2 * k, 0)]
    return track.frames[k : len(p) - k], np.linalg.norm(change, axis=-1) * fps


def _rms(changes: Array) -> Array:
    return np.asarray(np.sqrt(np.mean(changes**2, axis=-1)))


class _Changes:
    """The changes of joint velocity in a result, and the highest of its clips."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self.frames, self.each = velocity_changes(evidence.result, evidence.fps)
        self.rms = _rms(self.each)
        own = [_rms(velocity_changes(clip, evidence.fps)[1]) for clip in evidence.clips]
        self.own = float(max(values.max(initial=0.0) for values in own))

    def highest(self, first: float, last: float) -> tuple[float, int]:
        """The highest change in a range of frames, and its place."""
        near = np.flatnonzero((self.frames >= first - 1e-6) & (self.frames <= last + 1e-6))
        if not len(near):
            return 0.0, -1
        at = int(near[np.argmax(self.rms[near])])
        return float(self.rms[at]), at

    @property
    def spans(self) -> tuple[tuple[float, float], ...]:
        """The frames of the cut, of all, and of the end."""
        cut, end = self.evidence.cut, self.evidence.end
        return (cut - 1.0, cut + 1.0), (cut - 1.0, end + 1.0), (end - 1.0, end + 1.0)

    @property
    def figures(self) -> tuple[float, float, float, float]:
        cut, highest, end = (self.highest(*span)[0] for span in self.spans)
        return cut, highest, end, self.own

    def faults(self) -> Iterator[Fault]:
        size, at = self.highest(*self.spans[1])
        if at >= 0:
            allowed = CHANGE * max(self.own, STILL * self.evidence.size / self.evidence.fps)
            joint = int(np.argmax(self.each[at]))
            yield Fault(POP, size, self.own, size / max(allowed, 1e-12), joint, float(self.frames[at]))


# --- feet


def _skates(evidence: Evidence) -> Iterator[Fault]:
    """How far each foot goes over the ground while it is low, beyond what feet of the clips do."""
    if evidence.passing is None or not evidence.feet:
        return
    feet = list(evidence.feet)
    ground = _ground(evidence, feet)
    low = max(LOW * evidence.size, 1e-9)
    result = evidence.result
    rates, steps = _over_ground(result, feet, evidence.ground_speed(), ground, low, evidence.fps)
    inside = (result.frames[1:] > evidence.cut + 1e-6) & (result.frames[1:] <= evidence.end + 1e-6)
    ways = np.where(inside[:, None], rates * steps[:, None], 0.0)
    seconds = float(steps[inside].sum())
    usual = np.zeros(len(feet))
    for clip, passing in zip(evidence.clips, evidence.passing, strict=True):
        if len(clip.frames) > 1:
            own, times = _over_ground(
                clip, feet, np.broadcast_to(passing, (len(clip.frames), 2)), _own_ground(clip, feet), low,
                evidence.fps,
            )
            usual = np.maximum(usual, (own * times[:, None]).sum(axis=0) / times.sum() * seconds)
    for k, foot in enumerate(feet):
        way = float(ways[:, k].sum())
        severity = min(way / (SKATE_WAY * evidence.size), way / max(SKATE_TIMES * usual[k], 1e-9))
        at = int(np.argmax(ways[:, k])) + 1
        if way > 0.0:
            yield Fault(SKATE, way, float(usual[k]), severity, foot, float(result.frames[at]))


def _own_ground(clip: Track, feet: list[int]) -> Array:
    """How high each foot of a clip stands (feet,): the lowest that it comes to."""
    return np.asarray(clip.only(feet)[..., 2].min(axis=0))


def _ground(evidence: Evidence, feet: list[int]) -> Array:
    """How high each foot stands in a transition (feet,): as low as in the clips, each around the window."""
    return np.min([_own_ground(clip, feet) for clip in evidence.clips if len(clip.frames)], axis=0)


def _over_ground(
    track: Track, feet: list[int], passing: Array, ground: Array, low: float, fps: float
) -> tuple[Array, Array]:
    """How fast feet go over the ground (n - 1, feet), metres a second, and for how many seconds (n - 1,).

    passing: (n, 2) m/s, how fast the ground goes. ground: (feet,) its height. A speed counts by 2 - 2^(h / low)
    between 1 on the ground and 0 from ``low`` on (H. Zhang et al., "Mode-Adaptive Neural Networks for Quadruped
    Motion Control", 2018, section 8.2).
    """
    p, seconds = track.only(feet), np.diff(track.frames) / fps
    going = np.diff(p[..., :2], axis=0) / seconds[:, None, None] - 0.5 * (passing[1:] + passing[:-1])[:, None]
    above = 0.5 * (p[1:, :, 2] + p[:-1, :, 2]) - ground
    counts = np.clip(2.0 - np.exp2(np.clip(above / low, -1.0, 2.0)), 0.0, 1.0)
    return np.linalg.norm(going, axis=-1) * counts, seconds


# --- the pose


def _heights(evidence: Evidence) -> Iterator[Fault]:
    """Hips above both clips, and the lowest joint above or below them."""
    lowest, shown = evidence.lowest, evidence.result
    inside = shown.within(evidence.cut, evidence.end)
    clips = [clip for clip in evidence.clips if len(clip.frames)]
    if not inside.any():
        return
    frames = shown.frames[inside]

    def fault(kind: str, beyond: Array, joint: Callable[[int], int]) -> Iterator[Fault]:
        at = int(np.argmax(beyond))
        if beyond[at] > 0.0:
            limit = max(HEIGHT * evidence.size, 1e-9)
            yield Fault(kind, float(beyond[at]), 0.0, float(beyond[at]) / limit, joint(at), float(frames[at]))

    hips = shown.positions[inside, evidence.hips, 2]
    highest = max(float(clip.positions[:, evidence.hips, 2].max()) for clip in clips)
    yield from fault(LIFT, hips - highest, lambda _: evidence.hips)
    low = shown.only(lowest)[inside][..., 2]
    own = [clip.only(lowest)[..., 2].min(axis=1) for clip in clips]
    which = low.argmin(axis=1)
    yield from fault(FLOAT, low.min(axis=1) - max(float(v.max()) for v in own), lambda at: lowest[which[at]])
    yield from fault(SINK, min(float(v.min()) for v in own) - low.min(axis=1), lambda at: lowest[which[at]])


def _reaches(evidence: Evidence) -> Iterator[Fault]:
    """How much further hands, feet and head are from the hips, or beyond them, than in both clips."""
    ends = [end for end in evidence.ends if end != evidence.hips]
    shown = evidence.result
    inside = shown.within(evidence.cut, evidence.end)
    clips = [clip for clip in evidence.clips if len(clip.frames)]
    if not ends or not inside.any():
        return
    seen = _from_hips(evidence, shown.positions[inside], ends)
    known = np.concatenate([_from_hips(evidence, clip.positions, ends) for clip in clips])
    further = np.linalg.norm(seen, axis=-1) - np.linalg.norm(known, axis=-1).max(axis=0)
    # to the other side: beyond where any clip has it, once it is across
    aside, usual = seen[..., 0], known[..., 0]
    least, most = usual.min(axis=0), usual.max(axis=0)
    across = np.where(most < 0.0, aside, np.where(least > 0.0, -aside, 0.0))
    beyond = np.maximum(further, across)
    limit = max(STRETCH * evidence.size, 1e-9)
    for k, end in enumerate(ends):
        at = int(np.argmax(beyond[:, k]))
        if beyond[at, k] > 0.0:
            size = float(beyond[at, k])
            yield Fault(REACH, size, 0.0, size / limit, end, float(shown.frames[inside][at]))


def _from_hips(evidence: Evidence, positions: Array, ends: list[int]) -> Array:
    """Joints (n, ends, 3) as seen from the hips, whose own left and right are the first axis, the vertical the
    last: the horizontal way between the two joints on the hips that are furthest apart at first."""
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
    one, other = np.unravel_index(int(apart.argmax()), apart.shape)
    return beside[int(one)], beside[int(other)]


def _spins(evidence: Evidence) -> Iterator[Fault]:
    """The limb that turns furthest in a frame, against what limbs of the clips do."""
    limbs = [i for i, parent in enumerate(evidence.parents) if parent >= 0]
    shown = evidence.result
    if not limbs or len(shown.frames) <= shown.stride:
        return
    frames, turns = _turns(evidence, shown, limbs)
    inside = (frames >= evidence.cut - 1e-6) & (frames <= evidence.end + 1.0 + 1e-6)
    if not inside.any():
        return
    own = np.zeros(len(limbs))
    for clip in evidence.clips:
        _, each = _turns(evidence, clip, limbs)
        own = np.maximum(own, each.max(axis=0, initial=0.0))
    severity = np.where(inside[:, None], turns / (TURN * np.maximum(own, SLOW_TURN)), 0.0)
    at, limb = np.unravel_index(int(severity.argmax()), severity.shape)
    yield Fault(
        SPIN, float(turns[at, limb]), float(own[limb]), float(severity[at, limb]), limbs[limb], float(frames[at])
    )


def _turns(evidence: Evidence, track: Track, limbs: list[int]) -> tuple[Array, Array]:
    """Frames (k,), and by how much each limb has turned since the frame before (k, limbs), radians."""
    above = [evidence.parents[limb] for limb in limbs]
    ways = track.positions[:, limbs] - track.positions[:, above]
    lengths = np.linalg.norm(ways, axis=-1)
    long = (lengths > 0.01 * evidence.size).all(axis=0)
    k = track.stride
    one, other = ways[k:], ways[: max(len(ways) - k, 0)]
    cross = np.linalg.norm(np.cross(one, other), axis=-1)
    angles = np.arctan2(cross, np.sum(one * other, axis=-1))
    return track.frames[k:], np.where(long, angles, 0.0)


LOOKS: tuple[Callable[[Evidence], Iterator[Fault]], ...] = (_skates, _heights, _reaches, _spins)
