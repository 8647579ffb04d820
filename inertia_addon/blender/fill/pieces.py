# SPDX-License-Identifier: GPL-3.0-or-later
"""The clips that are played in a gap, each moved to where it is played, and the posture of both ends, which
the character keeps whatever the clips' is."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...motion.arrays import Array
from ...motion.curves import keys as keylib
from ...motion.curves.keys import Keys
from ...motion.curves.representation import whole_frames
from ...motion.fill import goal, posture
from ...motion.fill import search as chains
from ...motion.fill.goal import GroundMotion
from ...motion.matching.database import PERSON
from ...motion.matching.targets import wrapped
from ...motion.quaternion import conjugate, log, multiply, rotation_property
from ...motion.skeleton import character_space
from ...records import record
from ...settings.fill import FillSettings
from ..data import rewriting, roots, scene
from ..data.actions import ActionCurve, Address, Clip, Repeated, with_curves
from ..data.channels import ClipChannels, decode_all, raw_of, transform
from ..data.rewriting import ChannelStretch
from ..data.roots import Root
from ..evaluation import joint_motion
from ..evaluation.character import Character
from ..matching import bake as paths
from ..matching.action_set import Stock
from ..transition.alignment import RootedRig
from ..travel import carrying
from .search import GapFill


@record(frozen=True, eq=False)
class Piece:
    """A clip that is played: from which of its frames on, at which of the scene, and how it is moved there:
    motions (n, 4, 4) of the world at frames (n,) of its own."""

    clip: Clip
    entered: float
    cut: float
    frames: Array
    motions: Array


def between(character: Character, fill: GapFill, drafts: list[Any]) -> list[Piece]:
    """Return the clips of a chain but the first, in order, each moved as it is played, and drawn to the
    arrival.

    drafts: gets the actions that stand for mirrored or bent ones.
    """
    begin, step, metres = fill.settings.transition.cut, fill.stock.step, character.metres
    warps = fill.warp.matrices()
    warps[:, :3, 3] /= metres
    joins, pieces = fill.way.joins, []
    for join, each in list(zip(joins, paths.read_entered(character, fill, drafts), strict=True))[1:]:
        entered = fill.stock.database.place(join.entered)[1]
        cut = begin + join.frame * step
        frames = whole_frames(each.clip.start, each.clip.end)
        at = (frames - entered + cut - begin) / step
        pieces.append(Piece(each.clip, entered, cut, frames, _interpolate_motion(warps, at) @ each.motion))
    return pieces


def _interpolate_motion(motions: Array, at: Array) -> Array:
    """Return motions of the world (m, 4, 4) at places (m,) between motions (n, 4, 4), by index; beyond their
    ends they are as at these. Only turns about the vertical and ways over the ground are taken.
    """
    places = np.arange(len(motions))
    turn = np.interp(at, places, np.unwrap(np.arctan2(motions[:, 1, 0], motions[:, 0, 0])))
    shift = [np.interp(at, places, motions[:, i, 3]) for i in range(2)]
    return np.stack([character_space.motion_of(a, (x, y, 0.0)) for a, x, y in zip(turn, *shift, strict=True)])


def across(character: Character, settings: FillSettings, source: Clip, destination: Clip) -> list[Piece]:
    """Return, as the only piece, the destination's entered pose, held through the gap, which goes over the
    ground along a cubic with the velocities of both ends and turns the shorter way by a smoothstep.
    """
    transition, frame = settings.transition, settings.transition.destination_frame
    assert frame is not None
    frames = frame + np.arange(math.ceil(settings.gap_frames) + 2.0)
    ends = frames[[0, -1]]
    curves: dict[Address, ActionCurve] = {
        at: Repeated(None, keylib.sampled(ends, [curve.value(frame)] * 2), "", curve.group)
        for at, curve in destination.curves.items()
    }
    spanning = {"start": ends[0], "end": ends[1], "cycle": None, "teleports": None, "markers": ()}
    held = dataclasses.replace(destination, curves=curves, **spanning)
    rig = character.rig
    both = ((source, transition.cut, True), (destination, frame, False))
    left, met = (
        _read_ground_motion(
            character, clip, roots.find_root(rig, (clip,), transition.root), at, before=before
        )
        for clip, at, before in both
    )
    metres, gap = character.metres, settings.gap_frames / character.fps
    s = np.clip((frames - frame) / settings.gap_frames, 0.0, 1.0)
    end = met.ground / metres
    way = chains.cubic(s, left.ground, left.velocity * gap, met.ground, met.velocity * gap) / metres
    turn = (met.heading - left.heading + math.pi) % (2.0 * math.pi) - math.pi
    angles = turn * (s * s * (3.0 - 2.0 * s) - 1.0)
    motions = np.stack(
        [
            character_space.motion_of(0.0, (*point, 0.0))
            @ character_space.motion_of(angle, np.zeros(3))
            @ character_space.motion_of(0.0, (*-end, 0.0))
            for point, angle in zip(way, angles, strict=True)
        ]
    )
    return [Piece(held, frame, transition.cut, frames, motions)]


def find_lead(
    character: Character, settings: FillSettings, ends: tuple[Clip, Clip], root: Root
) -> tuple[float, tuple[float, float]]:
    """Return how the destination, the second of both ends, is moved to where the source's motion leads.

    That is a turn in radians about the world's origin, and then metres on the ground.
    """
    transition, frame = settings.transition, settings.transition.destination_frame
    assert frame is not None
    left = _read_ground_motion(character, ends[0], root, transition.cut, before=True)
    met = _read_ground_motion(character, ends[1], root, frame, before=False)
    size = character.size / PERSON
    return goal.motion_to(*goal.lead(left, met, settings.gap_frames / character.fps, size), met)


def _read_ground_motion(
    character: Character, clip: Clip, root: Root, frame: float, *, before: bool
) -> GroundMotion:
    """Read how a root goes at a frame of a clip.

    before: take its velocity from the frame before, else from the one behind, unless a teleport parts them.
    """
    step = joint_motion.with_teleports(character, clip).step_at(frame, ahead=not before)
    motion = joint_motion.evaluate(character, clip, np.array([frame, *step]), root)
    places = motion.root_position[:, :2]
    headings = character_space.headings(motion.root_rotation, character_space.upright([motion.root_rotation]))
    turn = float(wrapped(headings[2] - headings[1]))
    return GroundMotion(
        places[0], float(headings[0]), (places[2] - places[1]) * character.fps, turn * character.fps
    )


def with_posture(
    character: Character,
    fill: GapFill,
    ends: tuple[Clip, Clip],
    pieces: Sequence[Piece],
    curves: Mapping[Address, ActionCurve | Keys],
    whole: Clip,
) -> dict[Address, Keys]:
    """Return those curves of a filled gap, by address, that change where its character keeps the posture of
    both ends, and the root's, so that the body leads the way.

    ends: what plays before and behind it, as the latter is arrived at. pieces: what is played between.
    curves: of the filled gap. whole: a clip that plays through it. {} where the settings ask for no posture,
    and for a rig that more than keys moves, which keeps what its clips give its controls.
    """
    stock, settings = fill.stock, fill.settings
    filled = with_curves(whole, curves)
    bones = _find_turned_bones(stock, filled) if stock.plain and settings.posture else []
    if not bones:
        return {}

    def rotations(clip: Clip) -> list[ClipChannels]:
        return [transform(clip, stock.rig.paths[i], "", stock.rig.modes[i]) for i in bones]

    def turns_of(clip: Clip, frames: Array) -> Array:
        """Return unit quaternions (n, bones, 4) at frames (n,)."""
        channels = rotations(clip)
        return np.stack(decode_all(channels, raw_of(channels, frames)), axis=1)

    assert settings.transition.destination_frame is not None
    cut = settings.transition.cut
    through = [(piece.clip, piece.entered, piece.cut) for piece in pieces] or [(ends[0], cut, cut)]
    (first, entered, _), (last, since, begin) = through[0], through[-1]
    wanted = (ends[0], cut), (ends[1], settings.transition.destination_frame)
    played = (first, entered), (last, since + settings.arrival - begin)
    # rotation vectors (2, bones, 3) that lead from what is played to what is wanted
    aims, shown = ([turns_of(clip, np.array([at]))[0] for clip, at in both] for both in (wanted, played))
    apart = np.stack([log(multiply(aims[i], conjugate(shown[i]))) for i in range(2)])
    frames, fps = whole_frames(cut, settings.arrival), character.fps
    counting = [stock.rig.bones.names[bone] in stock.weights for bone in bones]
    times = frames / fps
    part = settings.posture * posture.drawn(posture.unlike(apart[:, counting]), times)
    turns, blend = turns_of(filled, frames), settings.transition.seconds(fps)
    turns = posture.keep_posture(turns, settings.posture * apart, part, times, blend)
    rotated = (ChannelStretch(each, frames, turns[:, i]) for i, each in enumerate(rotations(filled)))
    joint_motion.with_teleports(character, filled)
    before, behind = filled.step_at(cut, ahead=False), filled.step_at(settings.arrival, ahead=True)
    around = np.concatenate([before, frames, behind])
    root = joint_motion.evaluate(character, filled, around, stock.root)
    places = root.root_position[2:-2]
    leaving, *_, arriving = fps * np.diff(root.root_position, axis=0)
    headings = character_space.headings(root.root_rotation, character_space.upright([root.root_rotation]))
    turned = posture.faced(np.unwrap(headings[2:-2]), part, times)
    motions = _about(places, turned, posture.led(places, leaving, arriving, part, times))
    rooted = RootedRig(character, stock.rig, stock.root, is_played=False)
    carried = carrying.carried(rooted, filled, frames, motions)
    return {**rewriting.rewritten(filled, rotated).curves, **carried.curves}


def _about(places: Array, turns: Array, extra_shifts: Array) -> Array:
    """Return motions of the world (n, 4, 4) that turn about places (n, 3), metres, by angles (n,), and
    then move.
    """
    motions = np.stack([character_space.motion_of(angle, np.zeros(3)) for angle in turns])
    shifts = places + extra_shifts - np.einsum("nij,nj->ni", motions[:, :3, :3], places)
    motions[:, :3, 3] = shifts / scene.metres_per_unit()
    return motions


def _find_turned_bones(stock: Stock, clip: Clip) -> list[int]:
    """Return the indices of the bones of a stock's rig that a clip turns by keys, and that the root
    carries.
    """
    bones, root = stock.rig.bones, stock.root
    turned = {path for path, _ in clip.curves}
    return [
        i
        for i, (name, path) in enumerate(zip(bones.names, stock.rig.paths, strict=True))
        if path + rotation_property(stock.rig.modes[i])[0] in turned
        and path + "rotation_mode" not in turned
        and (root.is_object or root.name in bones.above(name))
    ]
