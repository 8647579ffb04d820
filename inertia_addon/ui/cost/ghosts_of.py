# SPDX-License-Identifier: GPL-3.0-or-later
"""The ways of joints through the world: as the source, the destination and the result would take them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...blender.data import rigs, scene
from ...blender.evaluation import joint_motion
from ...blender.evaluation.joint_motion import Motion
from ...blender.transition import bake
from ...blender.transition.alignment import Alignment
from ...blender.transition.bake import Plan
from ...errors import InertiaError
from ...motion import quaternion
from ...motion.arrays import Array
from ...motion.decay import dead_blending, decay
from ...motion.skeleton import character
from ..shared import cache
from .costs import Costs
from .joint_list import ghosts_from
from .model import Trajectory

ESTIMATE = "The result's trajectories are an estimate, as only Blender can play this rig."


def joints(armature: Any, found: Costs, around: int) -> tuple[tuple[Trajectory, ...], str]:
    """The trajectories of an armature's chosen joints near the meeting, and what to know of them.

    around: how many frames before the cut and after the window they show.
    """
    # costs that are shown may lag behind the rig
    known = {*found.evaluated.source.names} & {*armature.data.bones.keys()}
    wanted = tuple(name for name in ghosts_from(armature) if name in known)
    key = (
        *(found.evaluated, found.settings, wanted, around),
        *(cache.scene_state(), cache.rig_state(armature), cache.action_states(armature)),
    )

    def compute() -> tuple[tuple[Trajectory, ...], str]:
        try:
            plan = bake.plan_transition(armature, found.settings, play=False)
        except InertiaError as error:
            return (), error.sentence
        note = ESTIMATE if found.evaluated.why_not_plain else ""
        return trajectories(armature, found, plan, wanted, around), note

    return cache.answer("ghosts", armature, key, compute)


def trajectories(
    armature: Any, found: Costs, plan: Plan, wanted: tuple[str, ...], around: int
) -> tuple[Trajectory, ...]:
    """The source up to the window's end, the destination from the cut, and the result over both."""
    last = max(slot.last_frame for slot in plan.slots)
    begin, end = found.cut - around, max(last, found.cut) + around
    unit = 1.0 / scene.metres_per_unit()
    columns = [found.evaluated.source.names.index(name) for name in wanted]
    later = found.cut - found.destination_frame
    metres = scene.metres_per_unit()
    # what repeats goes on
    source = found.evaluated.source.until(last, metres)
    destination = found.evaluated.destination.until(end - later, metres)
    shown = [
        ("SOURCE", *_between(source, columns, begin, last, 0.0)),
        ("DESTINATION", *_between(destination, columns, found.cut, end, later)),
    ]
    shown[1] = ("DESTINATION", shown[1][1], aligned(shown[1][2], plan.alignment, 1.0 / unit))
    shown = [(kind, frames, points * unit) for kind, frames, points in shown]
    frames = _frames(begin, end, found.cut, max(source.frames[0], begin))
    if found.evaluated.why_not_plain:
        points = estimated(found, (source, destination), plan, columns, frames) * unit
    else:
        rig, unkeyed = rigs.read(armature), plan.clips[0].unkeyed
        posed = joint_motion.joint_positions(rig, plan.slots[0].curves, frames, unkeyed)
        points = posed[:, [rig.bones.names.index(name) for name in wanted]]
    shown.append(("RESULT", frames, points))
    return tuple(
        Trajectory(name, kind, frames, points[:, i], _index(frames, found.cut))
        for kind, frames, points in shown
        if len(frames) > 1
        for i, name in enumerate(wanted)
    )


def _between(
    motion: Motion, columns: list[int], begin: float, end: float, later: float
) -> tuple[Array, Array]:
    """The frames of a clip within a range of the result's, and the joints' places there, in metres."""
    frames = motion.frames + later
    inside = (frames >= begin - 1e-6) & (frames <= end + 1e-6)
    return frames[inside], motion.positions[inside][:, columns]


def _frames(begin: float, end: float, cut: float, first: float) -> Array:
    """Whole frames of the result, and the cut."""
    frames = np.arange(math.ceil(begin), math.floor(end) + 1.0)
    return np.union1d(frames[frames >= first - 1e-6], [cut])


def _index(frames: Array, cut: float) -> int | None:
    near = int(np.argmin(np.abs(frames - cut)))
    return near if abs(frames[near] - cut) < 0.5 else None


def aligned(points: Array, alignment: Alignment, metres: float) -> Array:
    """Places of the destination (..., 3) in metres, where the alignment moves them."""
    turn = quaternion.exp(alignment.heading * character.VERTICAL)
    return quaternion.rotate(turn, points) + alignment.translation * metres


def estimated(
    found: Costs, motions: tuple[Motion, Motion], plan: Plan, columns: list[int], frames: Array
) -> Array:
    """Where the result would take joints (n, joints, 3) if these decayed by themselves, in metres.

    motions: both clips, with what they repeat.
    """
    source, destination = motions
    fps, metres = found.compared.fps, scene.metres_per_unit()
    later = found.cut - found.destination_frame

    def at(motion: Motion, frame: float) -> tuple[Array, Array]:
        within = float(np.clip(frame, motion.frames[0], motion.frames[-1]))
        position, velocity = character.interpolated(
            motion.frames, motion.positions[:, columns], motion.velocities[:, columns], within, fps
        )
        return position, velocity

    def moved(frame: float) -> tuple[Array, Array]:
        position, velocity = at(destination, frame)
        turn = quaternion.exp(plan.alignment.heading * character.VERTICAL)
        return aligned(position, plan.alignment, metres), quaternion.rotate(turn, velocity)

    here, there = at(source, found.cut), moved(found.destination_frame)
    x, v = here[0] - there[0], here[1] - there[1] * (found.settings.velocity == "RELATIVE")
    fading = _fading(found, here, (x, v))
    rows = []
    for frame in frames:
        if frame < found.cut:
            rows.append(at(source, frame)[0])
        else:
            goal = moved(frame - later)[0]
            rows.append(goal + fading((frame - found.cut) / fps, goal))
    return np.array(rows)


def _fading(
    found: Costs, source: tuple[Array, Array], offset: tuple[Array, Array]
) -> Callable[[float, Array], Array]:
    """What of joints' offsets (joints, 3) is left so many seconds after the cut, where the destination is.

    source: their positions and velocities at the cut; offset: less the destination's.
    """
    compared = found.compared
    if compared.method is None:
        half_life = found.settings.extrapolation_half_life

        def dead(t: float, there: Array) -> Array:
            gone = source[0] + source[1] * dead_blending.reach(t, half_life)
            return np.asarray(dead_blending.source_share(t, compared.seconds) * (gone - there))

        return dead
    curve = decay.make(compared.method, *offset, np.full(len(offset[0]), compared.seconds))
    return lambda t, _: decay.evaluate(curve, *offset, np.full(len(offset[0]), t))
