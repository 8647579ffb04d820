# SPDX-License-Identifier: GPL-3.0-or-later
"""Leads what fills a gap past places on the ground: its root goes aside and turns by an offset that grows
from nothing at the cut, goes through all of them, and is gone at the arrival."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np

from ...errors import InertiaError
from ...motion import quaternion
from ...motion.arrays import Array
from ...motion.curves.keys import Keys
from ...motion.curves.representation import whole_frames
from ...motion.fill.knots import interpolate_knots
from ...motion.matching.targets import wrapped
from ...motion.skeleton import character_space
from ...settings.fill import FillSettings
from ..data import roots
from ..data.actions import Address, Clip
from ..data.roots import Root
from ..evaluation import facing, joint_motion
from ..evaluation.character import Character
from ..matching import action_set


def lead_past_waypoints(
    character: Character, settings: FillSettings, source: Clip, filled: Clip
) -> Mapping[Address, Keys]:
    """Return those curves of a filled gap that have the root at the settings' waypoints; {} without any.

    source: the clip before the gap. The root's own poses on the way (see :mod:`key_poses`) stay where they
    are. Raise InertiaError where no channels can carry the root, and for a facing where nothing tells which
    way the character faces.
    """
    waypoints = settings.listed_waypoints
    if not waypoints:
        return {}
    cut, arrival = settings.transition.cut, settings.arrival
    clip = dataclasses.replace(filled, start=cut, end=arrival, cycle=None, teleports=None)
    root = roots.find_root(character.rig, (source,), settings.transition.root)
    at = np.array([waypoint.frame for waypoint in waypoints])
    frames = np.union1d(whole_frames(cut, arrival), at)
    motion = joint_motion.evaluate(character, clip, frames, root)
    rows = np.searchsorted(frames, at)
    places = motion.root_position[:, :2]
    wanted = np.array([waypoint.place for waypoint in waypoints])
    # the source's own poses are whole ones, with the root
    posed = [pose.frame for pose in settings.key_poses if not pose.action and pose.frame not in at]
    aside = _interpolate((cut, arrival), at, wanted - places[rows], posed, frames)
    turned = [i for i, waypoint in enumerate(waypoints) if waypoint.facing is not None]
    turns = np.zeros(len(frames))
    if turned:
        faced = _read_facings(character, root, motion.root_rotation[rows[turned]])
        asked = np.radians([waypoint.facing or 0.0 for waypoint in waypoints])[turned]
        turns = _interpolate((cut, arrival), at[turned], wrapped(asked - faced), posed, frames)
    motions = np.stack(
        [
            character_space.motion_of(turn, (*(place + way), 0.0))
            @ character_space.motion_of(0.0, (*-place, 0.0))
            for place, way, turn in zip(
                places / character.metres, aside / character.metres, turns, strict=True
            )
        ]
    )
    moved = action_set.move_root(character, character.rig, root, clip, frames, motions)
    return {at: curve.keys for at, curve in moved.curves.items() if curve is not clip.curves.get(at)}


def _interpolate(
    ends: tuple[float, float], knots: Array, values: Array, pinned: list[float], frames: Array
) -> Array:
    """Return what a smooth way through values (k, ...) at knots (k,) has at frames (n,); it is 0 at both ends
    and at the frames of `pinned`."""
    times = np.concatenate([[ends[0]], knots, pinned, [ends[1]]])
    nothing = np.zeros((1, *values.shape[1:]))
    every = np.concatenate([nothing, values, np.repeat(nothing, len(pinned), axis=0), nothing])
    order = np.argsort(times)
    return interpolate_knots(times[order], every[order], frames)


def _read_facings(character: Character, root: Root, rotations: Array) -> Array:
    """Return where a character faces, radians (n,), 0 along X, by the root's rotations in the world (n, 4).

    Raise InertiaError where nothing tells.
    """
    axis = facing.rest_axis(character, root)
    if not np.any(axis):
        raise InertiaError(
            'Nothing tells which way "{armature}" faces; ask for waypoints without a facing.',
            armature=character.armature.name,
        )
    ahead = quaternion.rotate(rotations, np.broadcast_to(axis, (len(rotations), 3)))
    return np.arctan2(ahead[:, 1], ahead[:, 0])
