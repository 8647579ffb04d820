# SPDX-License-Identifier: GPL-3.0-or-later
"""What a planned transition shows, beside its two clips: what the judge looks at."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np

from ...errors import InertiaError
from ...motion.arrays import Array
from ...motion.curves.stretches import whole_frames
from ...motion.decay import dead_blending, decay
from ...motion.judging.evidence import BESIDE_FRAMES, MARGIN_SECONDS, Evidence, Track
from ...motion.skeleton import extremities
from ...motion.steps import part
from ...settings.transition import TransitionSettings
from ..data import rigs, scene
from ..data.actions import Clip
from ..evaluation import joint_motion, joints, plain
from ..feet import body, contacts, legs
from ..transition.bake import Plan

SHOWN = 20
"""So many frames of a transition, at most, Blender shows where numpy can't say what it shows."""


def of_plan(plan: Plan) -> Generator[float, None, Evidence]:
    """What a plan shows of the armature's own bones; yields the part that is done.

    Raises InertiaError for a rig that Blender would not play, with what to do about it.
    """
    cut, fps, armature = plan.settings.cut, plan.fps, plan.armature
    entry = plan.settings.destination_frame
    assert entry is not None
    later, end = cut - entry, max(plan.slots[0].last_frame, cut + 1.0)
    around, source, destination = MARGIN_SECONDS * fps, *plan.clips
    shown = body.planned(destination, plan.slots[0].curves)
    is_plain = not plain.why_not_plain(armature, plan.clips)

    def seen(clip: Clip, first: float, last: float, most: int | None = None) -> Generator[float, None, Track]:
        frames = _frames(first, last, is_plain, most)
        motion = yield from joint_motion.steps(armature, clip, frames, plan.root)
        return Track(frames, motion.positions)

    here = yield from part(seen(source, *_within(source, cut - around, end)), 0.0, 0.3)
    there = yield from part(
        seen(destination, *_within(destination, entry - around, end - later + around)), 0.3, 0.6
    )
    most = None if is_plain else SHOWN
    first = max(cut - BESIDE_FRAMES, source.start)
    result = yield from part(seen(shown, first, end + BESIDE_FRAMES, most), 0.6, 0.9)
    passing = yield from part(_passing(plan), 0.9, 1.0)
    motion, metres = plan.alignment.motion, scene.metres_per_unit()
    there = Track(there.frames + later, there.positions @ motion[:3, :3].T + motion[:3, 3] * metres)
    return Evidence(
        fps,
        *_joints(armature),
        rigs.read(armature).size * metres,
        cut,
        end,
        here,
        there,
        result,
        passing,
        _weights(plan.settings, fps, result.frames),
    )


def _frames(first: float, last: float, halves: bool, most: int | None) -> Array:
    """The frames that are looked at: halves of them where they cost little; no more than ``most``."""
    whole = whole_frames(first, max(first, last))
    if halves:
        return np.asarray(np.arange(whole[0], whole[-1] + 0.25, 0.5))
    if most is not None and len(whole) > most:
        return np.asarray(whole[:most])
    return np.asarray(whole, float)


def _within(clip: Clip, first: float, last: float) -> tuple[float, float]:
    """A range of frames, as far as a clip has them: a cycle has all from its first on."""
    end = np.inf if clip.cycle is not None else clip.end
    return max(clip.start, min(first, end)), min(max(last, clip.start), end)


def _joints(armature: Any) -> tuple[tuple[str, ...], tuple[int, ...], int, tuple[int, ...], tuple[int, ...]]:
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


def _passing(plan: Plan) -> Generator[float, None, tuple[Array, Array] | None]:
    """How fast the ground passes below each clip, metres a second (2,); None where there are no feet."""
    if not legs.of(plan.armature):
        return np.zeros(2), np.zeros(2)
    found = []
    for i, clip in enumerate(plan.clips):
        known = yield from part(contacts.steps(plan.armature, clip), 0.5 * i, 0.5 * (i + 1))
        found.append(known.ground)
    turned = plan.alignment.motion[:2, :2]
    return found[0], turned @ found[1]


def _weights(settings: TransitionSettings, fps: float, frames: Array) -> Array:
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
