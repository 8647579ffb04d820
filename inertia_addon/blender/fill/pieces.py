# SPDX-License-Identifier: GPL-3.0-or-later
"""The clips that are played in a gap, each moved to where it is played."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from ...motion.arrays import Array
from ...motion.curves import keys as keylib
from ...motion.curves import stretches as curvelib
from ...motion.fill import search as chains
from ...motion.skeleton import character
from ...records import record
from ...settings.fill import FillSettings
from ...settings.transition import TransitionSettings
from ..data import rigs, roots, scene
from ..data.actions import Address, Clip, Curve, Repeated
from ..evaluation import joint_motion
from ..matching import bake as paths
from .search import Found


@record(frozen=True, eq=False)
class Piece:
    """A clip that is played: from which of its frames on, at which of the scene, and how it is moved there:
    motions (n, 4, 4) of the world at frames (n,) of its own."""

    clip: Clip
    entered: float
    cut: float
    frames: Array
    motions: Array


def between(armature: Any, found: Found, made: list[Any]) -> list[Piece]:
    """The clips between, each moved as it is played, and drawn to the arrival."""
    begin, step, metres = found.settings.transition.cut, found.stock.step, scene.metres_per_unit()
    warps = found.warp.matrices()
    warps[:, :3, 3] /= metres
    joins, pieces = found.way.joins, []
    for join, each in list(zip(joins, paths.played(armature, found, made), strict=True))[1:]:
        entered = found.stock.database.place(join.entered)[1]
        cut = begin + join.frame * step
        frames = curvelib.whole_frames(each.clip.start, each.clip.end)
        at = (frames - entered + cut - begin) / step
        pieces.append(Piece(each.clip, entered, cut, frames, _moving(warps, at) @ each.motion))
    return pieces


def _moving(motions: Array, at: Array) -> Array:
    """Motions of the world (n, 4, 4) at places between them, as they are beyond their ends."""
    known = np.arange(len(motions))
    turn = np.interp(at, known, np.unwrap(np.arctan2(motions[:, 1, 0], motions[:, 0, 0])))
    shift = [np.interp(at, known, motions[:, i, 3]) for i in range(2)]
    return np.stack([character.motion_of(a, (x, y, 0.0)) for a, x, y in zip(turn, *shift, strict=True)])


def across(armature: Any, settings: FillSettings, source: Clip, destination: Clip) -> list[Piece]:
    """The destination's first pose, which goes along a cubic with the velocities of both ends."""
    transition, frame = settings.transition, settings.transition.destination_frame
    assert frame is not None
    frames = frame + np.arange(math.ceil(settings.gap_frames) + 2.0)
    ends = frames[[0, -1]]
    curves: dict[Address, Curve] = {
        at: Repeated(None, keylib.sampled(ends, [curve.value(frame)] * 2), "", curve.group)
        for at, curve in destination.curves.items()
    }
    held = dataclasses.replace(destination, curves=curves, start=ends[0], end=ends[1], cycle=None)
    start, leaving, first = _going(armature, transition, source, transition.cut, True)
    end, arriving, last = _going(armature, transition, destination, frame, False)
    s = np.clip((frames - frame) / settings.gap_frames, 0.0, 1.0)
    gap = settings.gap_frames
    way = chains.cubic(s, start, leaving * gap, end, arriving * gap)
    turn = (last - first + math.pi) % (2.0 * math.pi) - math.pi
    angles = turn * (s * s * (3.0 - 2.0 * s) - 1.0)
    motions = np.stack(
        [
            character.motion_of(0.0, (*point, 0.0))
            @ character.motion_of(angle, np.zeros(3))
            @ character.motion_of(0.0, (*-end, 0.0))
            for point, angle in zip(way, angles, strict=True)
        ]
    )
    return [Piece(held, frame, transition.cut, frames, motions)]


def _going(
    armature: Any, transition: TransitionSettings, clip: Clip, frame: float, before: bool
) -> tuple[Array, Array, float]:
    """Where the root is on the ground (2,), world units, how fast it goes, a frame, and how it faces.

    before: take its velocity from the frame before, else from the one behind.
    """
    root = roots.find_root(rigs.read(armature), (clip,), transition.root)
    root_motion = joint_motion.evaluate(armature, clip, np.array([frame - 1.0, frame, frame + 1.0]), root)
    places = root_motion.root_position[:, :2] / scene.metres_per_unit()
    reference = character.upright([root_motion.root_rotation])
    heading = float(character.headings(root_motion.root_rotation, reference)[1])
    moving = places[1] - places[0] if before else places[2] - places[1]
    return places[1], moving, heading
