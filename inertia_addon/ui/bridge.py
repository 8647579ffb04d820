# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of an armature's hops: found when asked for, and kept until something changes."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Generator, Hashable
from typing import Any

import bpy

from ..blender import actions, bake, evaluation, hops
from ..blender.actions import Clip
from ..blender.evaluation import Motion
from ..blender.hop_settings import HopSettings
from ..blender.hops import Bridges, Stock
from ..motion.hop import Problem, Table
from . import cache
from .bridge_properties import hop_settings_from
from .costs import MOTION
from .joint_list import weights_from

KEPT = "bridge"
MOTIONS = 64
"""How many evaluated clips are kept while hops are searched."""


@dataclasses.dataclass(frozen=True, eq=False)
class Found:
    """The best way for each trigger frame, with what it was found from; basis stands for all of that."""

    bridges: Bridges
    problem: Problem
    table: Table
    basis: str


def key_of(armature: Any, settings: HopSettings) -> Hashable:
    """What the table of all triggers depends on; neither where the cut is nor how a hop is baked."""
    transition = dataclasses.replace(
        settings.transition, cut=0.0, result="", assign=True, guard="LIMIT", bones=(), extrapolate=False
    )
    names = {settings.transition.source, settings.transition.destination}
    names |= set(settings.clips or (action.name for action in bpy.data.actions))
    states = tuple(cache.action_state(bpy.data.actions.get(name)) for name in sorted(names))
    return (
        dataclasses.replace(settings, transition=transition, fade="INERTIALIZED"),
        tuple(weights_from(armature).items()),
        cache.scene_state(),
        evaluation.key(armature),
        states,
    )


def known(armature: Any) -> Found | None:
    """The table if it was found for the settings as they are."""
    found = cache.known(KEPT, armature, key_of(armature, hop_settings_from(armature)))
    return found if isinstance(found, Found) else None


def finding(armature: Any) -> Generator[float, None, Found]:
    """Find the table unless it is known; yields the part that is done."""
    settings = hop_settings_from(armature)
    key = key_of(armature, settings)
    found = known(armature)
    if found is not None:
        # where the trigger is has no part in the table
        bridges = dataclasses.replace(found.bridges, settings=settings)
        return dataclasses.replace(found, bridges=bridges)
    stock = hops.read(armature, settings)
    motions = yield from _part(hops.motions(armature, stock, _kept_motion), 0.0, 0.4)
    bridges = hops.compare(settings, stock, motions, weights_from(armature), bake.scene_fps())
    basis = _basis(armature, settings, stock)
    bridges = yield from _part(_weighed(armature, bridges, basis), 0.4, 0.6)
    table = yield from _part(hops.table(bridges), 0.6, 1.0)
    found = Found(bridges, bridges.own_problem(), table, basis)
    cache.put(KEPT, armature, key, found)
    return found


def _part(steps: Generator[float, None, Any], first: float, last: float) -> Generator[float, None, Any]:
    """Steps as a part of others."""
    while True:
        try:
            yield first + (last - first) * min(next(steps), 1.0)
        except StopIteration as done:
            return done.value


def _kept_motion(armature: Any, stock: Stock, clip: Clip) -> Generator[float, None, Motion]:
    """Evaluate a clip, unless that was done before."""
    name = f"{MOTION}{clip.action.session_uid} {clip.slot.identifier}"
    key = (stock.root, cache.scene_state(), evaluation.key(armature), cache.action_state(clip.action))
    motion = cache.known(name, armature, key)
    if motion is None:
        motion = yield from hops.evaluation_of(armature, stock, clip)
        cache.put(name, armature, key, motion)
        cache.trim(MOTION, MOTIONS)
    return motion


def _weighed(armature: Any, bridges: Bridges, basis: str) -> Generator[float, None, Bridges]:
    """Find the weight of waiting, unless the file has it from before."""
    stored = armature.inertia_bridge.found_weight
    former = json.loads(stored) if stored else {}
    if bridges.settings.weight is None and former.get("for") == basis:
        objective = dataclasses.replace(bridges.objective, weight=former["weight"])
        return dataclasses.replace(bridges, objective=objective)
    return (yield from hops.weighed(bridges))


def _basis(armature: Any, settings: HopSettings, stock: Stock) -> str:
    """What a weight was found from, in little space."""
    values = settings.as_dict()
    for name in ("cut", "result", "assign"):
        del values["transition"][name]
    joints = sorted(weights_from(armature).items())
    text = json.dumps([values, actions.fingerprint(stock.clips), joints, bake.scene_fps()])
    return hashlib.sha256(text.encode()).hexdigest()


def remember(armature: Any, found: Found) -> None:
    """Keep the weight that was found with the file."""
    if found.bridges.settings.weight is None:
        values = {"for": found.basis, "weight": found.bridges.objective.weight}
        armature.inertia_bridge.found_weight = json.dumps(values)
