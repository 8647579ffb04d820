# SPDX-License-Identifier: GPL-3.0-or-later
"""What the open file holds for Inertia: armatures, the actions that fit them, and how far those travel."""

from __future__ import annotations

import collections
import dataclasses
import math
from collections.abc import Iterable
from typing import Any

import bpy
import numpy as np

from ...errors import InertiaError
from ...motion.skeleton.posing import Rig
from ..data import actions, clip_store, compat, recipe, result_kinds, rig, rigs, roots, scene, unkeyed
from ..data.actions import Clip
from ..data.roots import Root
from ..evaluation import joints
from ..evaluation.character import read_character
from ..transition import selecting

STEPS = 256
"""A clip's way is followed in at most this many steps."""


def of_file() -> dict[str, Any]:
    """List what the open file holds, as JSON values.

    ``fps``: the frames a second of the scene that is open. ``armatures``, by name: each its ``name``, how
    many ``bones`` it has, how many of these have each of the ``rotation_modes``, the ``joints`` that are
    found (``bone``, ``role``, ``weight``, and ``confidence``, how sure it is, from 0 to 1), a ``note`` that
    asks where one is not sure, else "", and the ``actions`` that fit, see :func:`_action`.
    """
    return {"fps": scene.fps(), "armatures": [_armature(armature) for armature in rig.armatures()]}


def outline() -> dict[str, Any]:
    """Return what the open file holds, as JSON values and without reading its keys.

    ``armatures``, a list sorted by name: each its ``name``, ``bones`` (names, in Blender's order),
    ``channels`` (other names that its actions' curves can be called by, sorted), and the ``actions`` that
    fit, a list by name as Blender sorts them. Each action has its ``name``; ``slot``, the identifier of the
    one for the armature; ``start``, ``end``, the first and last frame of that slot's un-muted curves, 0.0 for
    none; ``is_result``; ``kind``, of a result of any kind, "" for all others; and the ``problem`` that keeps
    it from being read, "" for none. To have no keys is a problem; keys that are not finite are not looked
    for. ``actions``: the names of all, sorted.
    """
    armatures = []
    for armature in rig.armatures():
        acting = clip_store.find_fitting(armature)
        fitting = [_outlined(action, armature) for action in acting]
        bones = list(armature.data.bones.keys())
        named = {"bones": bones, "channels": sorted(selecting.names_in(acting) - {*bones})}
        armatures.append({"name": armature.name, **named, "actions": fitting})
    return {"armatures": armatures, "actions": sorted(action.name for action in bpy.data.actions)}


def _outlined(action: Any, armature: Any) -> dict[str, Any]:
    identifier, shown = "", []
    try:
        identifier = actions.choose_slot(action, armature).identifier
        shown = list(actions.find_acting_curves(action, identifier).values())
        problem = "" if shown else "it has no keys"
    except InertiaError as error:
        problem = str(error)
    start, end = _find_span(shown)
    return {
        "name": action.name,
        "slot": identifier,
        "start": start,
        "end": end,
        "is_result": recipe.is_baked(action),
        "kind": recipe.kind(action),
        "problem": problem,
    }


def _armature(armature: Any) -> dict[str, Any]:
    modes = collections.Counter(bone.rotation_mode for bone in armature.pose.bones)
    default = joints.default_joints(armature)
    with scene.use_scene_of(armature):
        fps = read_character(armature).fps
        fitting = [_action(armature, action, fps) for action in clip_store.find_fitting(armature)]
    return {
        "name": armature.name,
        "bones": len(armature.data.bones),
        "rotation_modes": dict(modes.most_common()),
        "joints": [dataclasses.asdict(joint) for joint in default],
        "note": joints.unsure(armature, default),
        "actions": fitting,
    }


def _action(armature: Any, action: Any, fps: float) -> dict[str, Any]:
    """Describe an action that fits an armature, as JSON values.

    ``name``. ``slot``: the one that animates the armature; ``assigned``: whether the armature has the action.
    ``start``, ``end``: its first and last key frame (0 where these are no numbers); ``seconds``: between
    them, at `fps`. ``root``: what carries the character, ``<object>`` for the armature object; ``moves``:
    whether it travels or turns. ``distance``: the length of its way over the ground; ``displacement``: from
    where it begins to where it ends; both in metres. ``slots``: all, by their ``identifier`` ("" before
    Blender 4.4) and ``id_type``, each with ``start`` and ``end``. ``kind``: which result of Inertia's it is,
    such as "transition" or "loop", "" for none. ``problem``: why it can't be read, "" when
    it can; with one, slot and root are "", assigned and moves false, and both distances 0. Raise InertiaError
    for an armature at no finite place.
    """
    slots, kind = [], recipe.kind(action)
    for each in compat.slots(action):
        start, end = _find_span(actions.find_acting_curves(action, each.identifier).values())
        slots.append({"identifier": each.identifier, "id_type": each.id_type, "start": start, "end": end})
    slot, root, assigned, problem = "", Root("", moves=False), False, ""
    distance = displacement = 0.0
    try:
        clip = actions.read(action, actions.choose_slot(action, armature))
        clip = unkeyed.completed(armature, clip_store.with_holders(armature, clip))
    except InertiaError as error:
        start, end = _finite(*action.curve_frame_range)
        problem = str(error)
    else:
        stood = rigs.read(armature)
        slot, start, end, root = clip.slot.identifier, clip.start, clip.end, roots.find_root(stood, (clip,))
        assigned = compat.assigned(armature)[0] == action
        distance, displacement = _travel(stood, root, clip)
    return {
        "name": action.name,
        "slot": slot,
        "assigned": assigned,
        "start": start,
        "end": end,
        "seconds": (end - start) / fps,
        "root": root.name,
        "moves": root.moves,
        "distance": distance,
        "displacement": displacement,
        "slots": slots,
        "kind": result_kinds.WORDS.get(kind, kind),
        "problem": problem,
    }


def _find_span(fcurves: Iterable[Any]) -> tuple[float, float]:
    """Return the first and the last frame of curves; both 0 without any."""
    spans = [fcurve.range() for fcurve in fcurves] or [(0.0, 0.0)]
    return _finite(min(first for first, _ in spans), max(last for _, last in spans))


def _finite(first: float, last: float) -> tuple[float, float]:
    """Return the ends of an action; both 0 where a key's frame is no number, of which its problem tells."""
    return (first, last) if math.isfinite(first) and math.isfinite(last) else (0.0, 0.0)


def _travel(stood: Rig, root: Root, clip: Clip) -> tuple[float, float]:
    """Return how far a root goes over the ground in a clip, in metres: (along its way, from beginning to end
    in a straight line).

    Its way is followed in at most 256 steps.
    """
    count = int(np.clip(np.ceil(clip.end - clip.start), 1, STEPS)) + 1
    frames = np.linspace(clip.start, clip.end, count)
    way = roots.root_matrices(stood, root, clip, frames)[:, :2, 3]
    metres = scene.metres_per_unit()
    steps = np.linalg.norm(np.diff(way, axis=0), axis=1)
    return float(steps.sum()) * metres, float(np.linalg.norm(way[-1] - way[0])) * metres
