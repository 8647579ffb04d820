# SPDX-License-Identifier: GPL-3.0-or-later
"""What a transition shows beside its two clips: what the judge looks at, played as Blender would."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Mapping
from typing import Any

import numpy as np

from ...errors import InertiaError
from ...motion.arrays import Array
from ...motion.curves.keys import Keys
from ...motion.curves.stretches import whole_frames
from ...motion.decay import dead_blending, decay
from ...motion.judging import ground
from ...motion.judging.evidence import BESIDE_FRAMES, MARGIN_SECONDS, Evidence, Track
from ...motion.skeleton import extremities
from ...motion.steps import part
from ...settings.transition import TransitionSettings
from ..data import rigs, scene
from ..data.actions import Address, Clip, Curve
from ..data.roots import Root
from ..evaluation import cycles, joint_motion, joints, plain
from ..feet import legs, marks
from ..feet.body import planned
from .footage import Footage

SHOWN = 16
"""So many frames of a transition, at most, Blender shows where numpy can't say what it shows; with those of
the meeting, and those to go back to, these are twenty."""
AHEAD_SECONDS = 1.0
"""Of clips that it plays so much is looked at behind the cut at once, for longer blends to come."""
GROUND_SECONDS = 2.0
"""How the ground passes below a clip it says over so long on both sides of where it is cut, or entered."""


@dataclasses.dataclass(frozen=True, eq=False)
class Played:
    """A transition of an armature, before or after it is baked.

    clips: what it is made of, read. settings: with the cut and the destination's frame, both in the clips'
    own time. motion: (4, 4) of the world, what the alignment moves the destination by. root: which the clips
    have. shown: the transition, as a clip. end: the last frame of its blend; until: the last at which
    anything differs from the destination. footage: what was looked at of the clips so far. told: the verdict
    on it, where it was judged on the way; see :mod:`verdict`. late: how many frames later than in the clips'
    time ``shown`` has it, as a result may.
    """

    armature: Any
    clips: tuple[Clip, Clip]
    settings: TransitionSettings
    fps: float
    motion: Array
    root: Root
    shown: Clip
    end: float
    until: float
    footage: Footage = dataclasses.field(default_factory=Footage)
    told: Any = None
    late: float = 0.0

    @property
    def last(self) -> float:
        """The last frame of the transition: where the destination ends, if it does."""
        destination = self.clips[1]
        return np.inf if destination.cycle is not None else destination.end + self.later

    @property
    def later(self) -> float:
        """How many frames later the destination plays."""
        assert self.settings.destination_frame is not None
        return self.settings.cut - self.settings.destination_frame


def as_clip(clips: tuple[Clip, Clip], curves: Mapping[Address, Curve | Keys], end: float) -> Clip:
    """A transition between clips, of curves that need be in no action yet, as a clip up to a frame."""
    made = planned(clips[1], curves)
    # its frames are the scene's, of which the destination's own cycle knows nothing
    return dataclasses.replace(
        made, start=min(clips[0].start, end), end=end, cycle=None, clock=None, stretch=None, keyed=None
    )


def seeing(played: Played) -> Generator[float, None, Evidence]:
    """What a transition shows of the armature's own bones; yields the part that is done.

    Raises InertiaError for a rig that Blender would not play, with what to do about it.
    """
    cut, later, fps, armature = played.settings.cut, played.later, played.fps, played.armature
    around, (source, destination) = MARGIN_SECONDS * fps, played.clips
    end, until = max(played.end, cut + 1.0), max(played.until, played.end, cut + 1.0)
    spans = (source, 0.0, (cut - around, end)), (destination, later, (cut - around, until + around))
    tracks = []
    for i, (clip, shift, span) in enumerate(spans):
        frames = _frames(played, *_within(clip, shift, *span))
        ahead = frames
        if plain.why_not_plain(armature, played.clips):
            longer = max(span[1], cut + AHEAD_SECONDS * fps + (around if i else 0.0))
            ahead = _frames(played, *_within(clip, shift, span[0], longer))
        steps = played.footage.of(i, armature, clip, frames - shift, ahead - shift)
        tracks.append(Track(frames, (yield from part(steps, 0.3 * i, 0.3 * (i + 1)))))
    metres, turned, there = scene.metres_per_unit(), played.motion[:3, :3], tracks[1]
    there = Track(there.frames, there.positions @ turned.T + played.motion[:3, 3] * metres)
    size = rigs.read(armature).size * metres
    found = Evidence(fps, *joints_of(armature), size, cut, end, until, tracks[0], there, there)
    passing = yield from part(_passing(found, played), 0.6, 0.7)
    found = dataclasses.replace(found, period=_period(played), passing=passing)
    return (yield from part(seeing_instead(found, played), 0.7, 1.0))


def seeing_instead(seen: Evidence, played: Played) -> Generator[float, None, Evidence]:
    """The same evidence with another result of the same clips and the same window."""
    first = max(seen.begin - BESIDE_FRAMES, played.clips[0].start)
    # where the destination ends a result just stands
    last = min(seen.until + BESIDE_FRAMES, played.last)
    frames = _frames(played, first, last, SHOWN)
    shown = frames + played.late
    positions = yield from joint_motion.positions(played.armature, played.shown, shown)
    weights = weights_of(played.settings, played.fps, frames)
    return dataclasses.replace(seen, result=Track(frames, positions), weights=weights)


def _period(played: Played) -> float:
    """How many frames the destination's cycle has, inf where it is none."""
    if played.footage.period is None:
        clip = played.clips[1]
        looked = cycles.looked_at(
            rigs.read(played.armature), played.root, clip, played.settings.destination_cycle
        )
        played.footage.period = np.inf if looked.cycle is None else looked.cycle.period
    return played.footage.period


def _passing(seen: Evidence, played: Played) -> Generator[float, None, tuple[Array, Array] | None]:
    """How fast the ground passes below both clips, see :attr:`Evidence.passing`."""
    source = yield from part(_passing_below(seen, played, 0), 0.0, 0.5)
    destination = yield from part(_passing_below(seen, played, 1), 0.5, 1.0)
    if source is None or destination is None:
        return None
    return source, np.asarray(played.motion[:2, :2] @ destination)


def _passing_below(seen: Evidence, played: Played, side: int) -> Generator[float, None, Array | None]:
    """How fast the ground passes below one of the clips, as it is by itself; see :func:`_passing`."""
    bones, clip = [*seen.feet, seen.hips], played.clips[side]
    if plain.why_not_plain(played.armature, played.clips):
        # what was played already, as to play more would take seconds
        track = seen.clips[side]
        near = track.within(-np.inf, seen.end + MARGIN_SECONDS * seen.fps)
        there = Track(track.frames[near], track.only(bones)[near])
        if side:
            back = there.positions[..., :2] @ played.motion[:2, :2]
            there = Track(there.frames, np.concatenate([back, there.positions[..., 2:]], axis=-1))
        return ground.passing(there, seen.size, max(ground.LOW * seen.size, 1e-9), seen.fps)
    frames = _around(clip, played.settings.cut - side * played.later, seen.fps)
    known, key = played.footage.passing, (side, clip.clock, *frames[[0, -1]].tolist())
    if key not in known:
        known[key] = yield from _below(seen, played.armature, clip, frames)
    return known[key]


def passing_below(
    seen: Evidence, armature: Any, clip: Clip, frame: float
) -> Generator[float, None, Array | None]:
    """How fast the ground passes below a clip of a plain rig, by itself, around one of its frames."""
    return _below(seen, armature, clip, _around(clip, frame, seen.fps))


def _below(seen: Evidence, armature: Any, clip: Clip, frames: Array) -> Generator[float, None, Array | None]:
    heads = [(bone, (0.0, 0.0, 0.0)) for bone in (*seen.feet, seen.hips)]
    there = Track(frames, (yield from marks.steps(armature, clip, heads, frames)))
    return ground.passing(there, seen.size, max(ground.LOW * seen.size, 1e-9), seen.fps)


def _around(clip: Clip, frame: float, fps: float) -> Array:
    """The frames at which it is looked how the ground passes below a clip: of a cycle all."""
    if clip.cycle is not None:
        count = np.ceil(max(clip.cycle.period, 2.0 * ground.AROUND_SECONDS * fps))
        return np.asarray(clip.cycle.start + np.arange(count + 1.0))
    first, last = _within(clip, 0.0, frame - GROUND_SECONDS * fps, frame + GROUND_SECONDS * fps)
    return whole_frames(first, last)


def _frames(played: Played, first: float, last: float, most: int | None = None) -> Array:
    """The frames that are looked at, counted from the cut: halves, too, where they cost little, else ``most``
    at most; ``first`` where none lies between."""
    cut, each = played.settings.cut, 2.0
    if plain.why_not_plain(played.armature, played.clips):
        each = 1.0
    begin, end = np.ceil((first - cut) * each - 1e-4), np.floor((last - cut) * each + 1e-4)
    found = cut + np.arange(begin, end + 1.0) / each if end >= begin else np.array([first])
    return np.asarray(found if each > 1.0 else found[:most])


def _within(clip: Clip, later: float, first: float, last: float) -> tuple[float, float]:
    """A range of frames, as far as a clip that plays so much later has them: a cycle has all from its
    first."""
    start, end = clip.start + later, np.inf if clip.cycle is not None else clip.end + later
    return max(start, min(first, end)), min(max(last, start), end)


def joints_of(
    armature: Any,
) -> tuple[tuple[str, ...], tuple[int, ...], int, tuple[int, ...], tuple[int, ...]]:
    """The fields of evidence from names to feet."""
    bones = armature.data.bones
    names = tuple(bones.keys())
    place = {name: i for i, name in enumerate(names)}
    parents = tuple(place[bone.parent.name] if bone.parent else -1 for bone in bones)
    known = joints.default_joints(armature)
    hips = next((place[j.bone] for j in known if j.role == extremities.HIPS), 0)
    named = {extremities.FOOT, extremities.HAND, extremities.HEAD}
    ends = tuple(place[j.bone] for j in known if j.role in named)
    try:
        own = legs.of(armature)
    except InertiaError:
        own = ()
    feet = tuple(leg.foot if leg.ball is None else leg.ball for leg in own)
    if not feet:
        feet = tuple(place[j.bone] for j in known if j.role == extremities.FOOT)
    return names, parents, hips, ends, feet


def weights_of(settings: TransitionSettings, fps: float, frames: Array) -> Array:
    """How much of the destination a transition shows at frames (n,), by its own curve: 0 up to the cut."""
    t = np.maximum(frames - settings.cut, 0.0) / fps
    seconds = settings.seconds(fps)
    if settings.decay is None:
        left = dead_blending.left(t, seconds)
    else:
        one, still = np.ones(1), np.zeros(1)
        made = decay.make(settings.decay, one, still, np.full(1, seconds))
        left = decay.evaluate(made, one, still, t[:, None])[:, 0]
    return np.asarray(1.0 - np.ravel(left))
