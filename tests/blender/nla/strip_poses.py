# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender shows of a transition as strips, and as an action."""

from __future__ import annotations

import dataclasses
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from inertia_addon.blender.data import unkeyed
from inertia_addon.blender.nla import tracks
from inertia_addon.blender.transition import bake
from inertia_addon.blender.transition.report import BakeReport
from inertia_addon.settings.transition import TransitionSettings

Array = NDArray[np.float64]


def shown(armature: Any, frames: Array) -> Array:
    """The matrices of the object and its bones in the world, and all custom properties (frames, n)."""
    scene, found = bpy.context.scene, []
    for frame in frames:
        whole = int(np.floor(frame))
        scene.frame_set(whole, subframe=float(frame) - whole)
        evaluated = armature.evaluated_get(bpy.context.view_layer.depsgraph)
        world = np.array(evaluated.matrix_world)
        # lengths as parts of the character's size
        bones = np.empty(16 * len(evaluated.pose.bones), np.float32)
        evaluated.pose.bones.foreach_get("matrix", bones)
        values = [
            float(evaluated[key]) for key in evaluated.keys() if isinstance(evaluated[key], float | int)
        ]
        found.append(np.concatenate([world.ravel(), bones, values]))
    return np.array(found)


def both(
    armature: Any, settings: TransitionSettings, step: float = 1.0
) -> tuple[Array, Array, Array, BakeReport]:
    """Whole frames of a result, what its action shows there, what its strips show, and their report.

    step: 0.5 for those between, too.
    """
    standing = unkeyed.of_bones(armature)
    report = bake.bake_transition(armature, settings)
    first, last = report.frame_range
    frames = np.arange(np.ceil(first), np.floor(last) + 0.5 * step, step)
    frames = np.union1d(frames, [settings.cut])
    baked = shown(armature, frames)
    armature.animation_data.action = None
    bpy.data.actions.remove(bpy.data.actions[report.result])
    unkeyed.settle(armature, standing, set())
    report = bake.bake_transition(armature, dataclasses.replace(settings, strips=True))
    return frames, baked, shown(armature, frames), report


def away(one: Array, other: Array) -> Array:
    """How far apart two are, by frame; what is larger than 1 as parts of it."""
    return np.asarray(np.max(np.abs(one - other) / np.maximum(1.0, np.abs(one)), axis=1))


def result(report: BakeReport) -> Any:
    return bpy.data.actions[report.result]


def names(armature: Any) -> list[list[str]]:
    """The strips of each track, from below."""
    return [[strip.action.name for strip in track.strips] for track in armature.animation_data.nla_tracks]


remove = tracks.remove
