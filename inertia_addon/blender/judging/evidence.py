# SPDX-License-Identifier: GPL-3.0-or-later
"""What a transition shows beside its two clips: what the judge looks at, played as Blender would."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ...errors import InertiaError
from ...motion.arrays import Array
from ...motion.curves.stretches import whole_frames
from ...motion.decay import dead_blending, decay
from ...motion.feet.legs import Leg
from ...motion.judging import ground
from ...motion.judging.evidence import BESIDE_FRAMES, MARGIN_SECONDS, Evidence, Track
from ...motion.skeleton import naming
from ...motion.steps import Steps, part
from ...settings.transition import TransitionSettings
from ..data import rigs, scene
from ..data.actions import Clip
from ..evaluation import cycles, joint_motion, joints
from ..feet import contacts, legs
from .played import Footage, Joints, Played, clip_shown, looking, within

FINE = 4.0
"""In so many steps a frame it is summed up how far the ground passes."""
GROUND_SECONDS = 2.0
"""How the ground passes below a clip it says over so long on both sides of where it is cut, or entered."""


def seeing(played: Played) -> Steps[Evidence]:
    """What a transition shows of the armature's own bones.

    Raises InertiaError for a rig that Blender would not play, with what to do about it.
    """
    cut, fps = played.settings.cut, played.fps
    end, until = played.ends
    source = yield from part(_track(played, 0), 0.0, 0.2)
    # these are kept, and each takes a slice the first time
    joints.default_joints(played.armature)
    yield 0.2
    legs_of(played.armature, played.footage)
    yield 0.3
    destination = yield from part(_track(played, 1), 0.3, 0.6)
    metres, turned = scene.metres_per_unit(), played.motion[:3, :3]
    destination = Track(destination.frames, destination.positions @ turned.T + played.motion[:3, 3] * metres)
    seen = Evidence(fps, *_joints(played), played.size, cut, end, until, source, destination, destination)
    below_source, below_destination = yield from part(grounds(played), 0.6, 0.7)
    passing = (
        None
        if below_source is None or below_destination is None
        else (below_source, np.asarray(turned[:2, :2] @ below_destination))
    )
    yield 0.7
    seen = dataclasses.replace(seen, period=_period(played), passing=passing)
    yield 0.7
    # where the destination ends a result just stands
    last = min(seen.until + BESIDE_FRAMES, played.last)
    wanted = played.grid(max(seen.begin - BESIDE_FRAMES, played.clips[0].start), last)
    if played.is_planned and played.is_shown:
        look = played.look or (yield from part(looking(played, watched_of(played)), 0.7, 1.0))
        positions = look.positions(wanted)
    else:
        steps = joint_motion.positions(played.armature, played.shown, wanted + played.late)
        positions = yield from part(steps, 0.7, 1.0)
    weights = weights_of(played.settings, fps, wanted)
    return dataclasses.replace(seen, result=Track(wanted, positions), weights=weights)


def _track(played: Played, side: int) -> Steps[Track]:
    """One of the clips around the blend, as late as it plays and where it is by itself."""
    cut, clip, later = played.settings.cut, played.clips[side], side * played.later
    around, (end, until) = MARGIN_SECONDS * played.fps, played.ends
    first, last = cut - around, until + around if side else end
    wanted = played.grid(*within(clip, later, first, last))
    if played.is_shown:
        matrices = yield from clip_shown(played, side, wanted)
        return Track(wanted, matrices[:, 1:, :3, 3] * scene.metres_per_unit())
    return Track(wanted, (yield from played.footage.positions(side, played.armature, clip, wanted - later)))


def _period(played: Played) -> float:
    """How many frames the destination's cycle has, inf where it is none."""
    if played.footage.period is None:
        rig, choice = rigs.read(played.armature), played.settings.destination_cycle
        cycle = cycles.with_cycle(rig, played.root, played.clips[1], choice).cycle
        played.footage.period = np.inf if cycle is None else cycle.period
    return played.footage.period


def grounds(played: Played) -> Steps[tuple[Array | None, Array | None]]:
    """How fast the ground passes below each of the clips by itself (2,), metres a second, None if unknown."""
    source = yield from part(_ground(played, 0), 0.0, 0.5)
    destination = yield from part(_ground(played, 1), 0.5, 1.0)
    return source, destination


def passed(played: Played, below: tuple[Array, Array], frames: Array) -> Array:
    """How far the ground below a transition has passed since the cut at frames (n,), (n, 2) metres; before it
    these are less than none. below: see :func:`grounds`."""
    source, destination = below[0], played.motion[:2, :2] @ below[1]
    cut, fps = played.settings.cut, played.fps
    last = max(float(frames.max(initial=cut)), cut + 1.0)
    fine = np.linspace(cut, last, round((last - cut) * FINE) + 1)
    weights = weights_of(played.settings, fps, fine)
    steps = 0.5 * np.diff(fine) * (weights[1:] + weights[:-1]) / fps
    shares = np.interp(frames, fine, np.concatenate([[0.0], np.cumsum(steps)]))
    return np.asarray((frames - cut)[:, None] / fps * source + shares[:, None] * (destination - source))


def _ground(played: Played, side: int) -> Steps[Array | None]:
    """How fast the ground passes below one of the clips; see :func:`grounds`."""
    clip, armature, size, staged = played.clips[side], played.armature, played.size, played.is_shown
    frames = _around(clip, played.settings.cut - side * played.later, played.fps)
    kept, key = played.footage.passing, (side, clip.clock, staged and played.end, *frames[[0, -1]].tolist())
    if key not in kept:
        _, _, hips, _, feet = _joints(played)
        if staged:
            # what is played anyway, as to play more would take seconds
            track = yield from _track(played, side)
            near = track.within(-np.inf, played.ends[0] + MARGIN_SECONDS * played.fps)
            around = Track(track.frames[near], track.only([*feet, hips])[near])
            kept[key] = ground.passing(around, size, max(ground.LOW * size, 1e-9), played.fps)
        else:
            kept[key] = yield from _below(armature, clip, frames, (*feet, hips), size, played.fps)
    return kept[key]


def passing_below(seen: Evidence, armature: Any, clip: Clip, frame: float) -> Steps[Array | None]:
    """How fast the ground passes below a clip of a plain rig, by itself, around one of its frames."""
    bones = (*seen.feet, seen.hips)
    return _below(armature, clip, _around(clip, frame, seen.fps), bones, seen.size, seen.fps)


def _below(
    armature: Any, clip: Clip, frames: Array, bones: tuple[int, ...], size: float, fps: float
) -> Steps[Array | None]:
    track = Track(
        frames, (yield from contacts.tracking(armature, clip, [(b, (0.0, 0.0, 0.0)) for b in bones], frames))
    )
    return ground.passing(track, size, max(ground.LOW * size, 1e-9), fps)


def _around(clip: Clip, frame: float, fps: float) -> Array:
    """The frames at which it is looked how the ground passes below a clip: of a cycle all."""
    if clip.cycle is not None:
        count = np.ceil(max(clip.cycle.period, 2.0 * ground.AROUND_SECONDS * fps))
        return np.asarray(clip.cycle.start + np.arange(count + 1.0))
    first, last = within(clip, 0.0, frame - GROUND_SECONDS * fps, frame + GROUND_SECONDS * fps)
    return whole_frames(first, last)


def _joints(played: Played) -> Joints:
    """As :func:`joints_of`, found but once, as all clips of a file may have to be read for that."""
    if played.footage.joints is None:
        played.footage.joints = joints_of(played.armature, legs_of(played.armature, played.footage))
    return played.footage.joints


def watched_of(played: Played) -> set[int]:
    """The joints that say most of a transition."""
    _, _, hips, ends, feet = _joints(played)
    return {hips, *ends, *feet}


def legs_of(armature: Any, footage: Footage) -> tuple[Leg, ...]:
    """The legs of an armature, found but once, too; () for none."""
    if footage.legs is None:
        try:
            footage.legs = legs.of_armature(armature)
        except InertiaError:
            footage.legs = ()
    return footage.legs


def joints_of(armature: Any, legs: tuple[Leg, ...]) -> Joints:
    """The fields of evidence from names to feet. legs: the legs."""
    bones = armature.data.bones
    names = tuple(bones.keys())
    place = {name: i for i, name in enumerate(names)}
    parents = tuple(place[bone.parent.name] if bone.parent else -1 for bone in bones)
    roles = joints.default_joints(armature)
    hips = next((place[j.bone] for j in roles if j.role == naming.HIPS), 0)
    named = {naming.FOOT, naming.HAND, naming.HEAD}
    ends = tuple(place[j.bone] for j in roles if j.role in named)
    feet = tuple(leg.foot if leg.ball is None else leg.ball for leg in legs)
    if not feet:
        feet = tuple(place[j.bone] for j in roles if j.role == naming.FOOT)
    return names, parents, hips, ends, feet


def weights_of(settings: TransitionSettings, fps: float, frames: Array) -> Array:
    """How much of the destination a transition shows at frames (n,), by its own curve: 0 up to the cut."""
    t = np.maximum(frames - settings.cut, 0.0) / fps
    seconds = settings.seconds(fps)
    if settings.decay is None:
        left = dead_blending.source_share(t, seconds)
    else:
        unit, still = np.ones(1), np.zeros(1)
        curve = decay.make(settings.decay, unit, still, np.full(1, seconds))
        left = decay.evaluate(curve, unit, still, t[:, None])[:, 0]
    return np.asarray(1.0 - np.ravel(left))
