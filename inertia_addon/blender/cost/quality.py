# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures a transition that was baked: its cost, its pop, and how far its feet slide."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...motion.arrays import Array
from ...motion.cost import quality
from ...motion.skeleton import extremities
from ..data import clip_store, rigs, scene
from ..evaluation import joint_motion, joints
from ..evaluation.joint_motion import Motion
from ..transition import bake
from ..transition.bake import Plan
from ..transition.report import BakeReport
from . import costing


@dataclasses.dataclass(frozen=True)
class Quality:
    """What a baked transition is like.

    cost: its displacement, metre seconds. bone: the one that adds most to it, with its share of 0 to 1.
    pop: the change of the joints' velocity across the cut, m/s, rms over all joints; where the source begins
    with the cut, that a frame later. slide: of the foot that slides most in the window, metres; None without.
    """

    cost: float
    bone: str
    share: float
    pop: float
    slide: float | None


def worst_bone(parts: Mapping[str, float]) -> tuple[float, str, float]:
    """The cost that bones have these parts of, the bone that adds most, and its share of 0 to 1."""
    total = sum(parts.values())
    bone = max(parts, key=lambda name: parts[name])
    return total, bone, parts[bone] / total if total > 0.0 else 0.0


def measure(
    plan: Plan, report: BakeReport, weights: Mapping[str, float], motions: tuple[Motion, Motion]
) -> Quality:
    """Measure a transition that was written.

    plan, report: of its bake. weights: by bone. motions: its clips, evaluated on their whole frames.
    """
    cut, entry = plan.settings.cut, plan.settings.destination_frame
    assert entry is not None
    compared = costing.compare(plan.settings, plan.alignment.kind, weights, motions, plan.fps)
    pop, slid = across(
        plan.armature,
        (cut, report.window[1] - plan.settings.shift),
        plan.clips[0].start,
        plan.fps,
        lambda frames: _positions(plan, report, frames),
        motions,
    )
    return Quality(
        *worst_bone(compared.by_bone(cut, entry)), pop, None if slid is None else float(slid.max())
    )


def across(
    armature: Any,
    window: tuple[float, float],
    start: float,
    fps: float,
    positions_at: Callable[[Array], Array],
    motions: Sequence[Motion],
) -> tuple[float, Array | None]:
    """The pop at a cut, m/s, and how far each foot slides from there on, see :func:`slides`.

    window: from the cut to where its blend ends. start: the result's first frame. positions_at: the joints'
    (frames, joints, 3) in the world, metres.
    """
    cut, end = window
    # a cut at the first frame has nothing before it to change
    begin = -1.0 if cut - 1.0 >= start - 1e-3 else 0.0
    positions = positions_at(cut + np.arange(begin, max(np.ceil(end - cut) + 2.0, 3.0 + begin)))
    pop = float(quality.velocity_changes(positions[:3], fps)[0])
    return pop, slides(armature, positions[int(-begin) :], motions)


def _positions(plan: Plan, report: BakeReport, frames: Array) -> Array:
    """The joints of a result (frames, joints, 3) in the world, metres."""
    armature = plan.armature
    if not joint_motion.why_not_plain(armature, plan.clips):
        curves, unkeyed = plan.slots[0].curves, plan.clips[0].unkeyed
        found = joint_motion.joint_positions(rigs.read(armature), curves, frames, unkeyed)
        return np.asarray(found * scene.metres_per_unit())
    with bake.as_action(plan, report) as action:
        clip = clip_store.read(armature, action, report.slot)
        return joint_motion.evaluate(armature, clip, frames + plan.settings.shift, plan.root).positions


def slides(armature: Any, positions: Array, motions: Sequence[Motion]) -> Array | None:
    """How far each foot slides, metres (feet,); None where no feet are found.

    positions: (frames, joints, 3) of a result in the world, metres. motions: of all clips that it is made of,
    on their whole frames.
    """
    place = {name: i for i, name in enumerate(armature.data.bones.keys())}
    feet = [place[j.bone] for j in joints.default_joints(armature) if j.role == extremities.FOOT]
    if not feet:
        return None
    # where a foot is lowest in any clip, it stands
    ground = np.min([motion.positions[:, feet, 2].min(axis=0) for motion in motions], axis=0)
    size = rigs.read(armature).size * scene.metres_per_unit()
    height = quality.CONTACT_HEIGHT * size
    return quality.foot_slides(positions[:, feet], ground, max(height, 1e-9))
