# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of an armature's hops: found when asked for, and kept until something changes."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import math
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import bpy

from ...blender.data import actions
from ...blender.evaluation import joint_motion
from ...blender.evaluation.character import read_character
from ...blender.hops import search as hops
from ...errors import InertiaError
from ...motion.hops import search
from ...motion.steps import Steps, part
from ...records import record
from ..cost import costs
from ..cost.joint_list import weights_from
from ..shared import cache
from .properties import hop_settings_from

if TYPE_CHECKING:
    from ...blender.hops.search import HopStock, PreparedHops
    from ...motion.hops.recurrence import HopProblem
    from ...motion.hops.search import Table
    from ...settings.hops import HopSettings

MOTIONS = 64
"""How many evaluated clips are kept while hops are searched."""
TABLE, TABLES = "hops:table", 4
"""What the last table of each armature is kept under, and of how many armatures. It outlives changes that it
does not depend on, such as an action that was baked: finding it takes long."""


@record(frozen=True, eq=False)
class HopSearch:
    """The best way for each trigger frame, with what it was found from; basis stands for all of that."""

    prepared: PreparedHops
    problem: HopProblem
    table: Table
    basis: str


def settings_key(settings: HopSettings) -> HopSettings:
    """Return the settings that a table depends on: without the cut, and without how a hop is baked."""
    transition = dataclasses.replace(
        settings.transition,
        cut=0.0,
        result="",
        key_tolerance=0.0,
        assign=True,
        assign_others=False,
        guard="LIMIT",
        bones=(),
        extrapolate=False,
    )
    return dataclasses.replace(settings, transition=transition, fade="INERTIALIZED")


def key_of(armature: Any, settings: HopSettings) -> Hashable:
    """Return a value that changes with what the table of all triggers depends on; a look at it costs next to
    nothing.

    It may change though the table stays the same: without listed clips, all actions of the file count. The
    cut, the result's name and how a hop is baked do not count. Raise InertiaError for a list of joints that
    can't be used.
    """
    names = {settings.transition.source, settings.transition.destination}
    names |= set(settings.clips or (action.name for action in bpy.data.actions))
    states = tuple(cache.action_state(bpy.data.actions.get(name)) for name in sorted(names))
    joints = tuple(weights_from(armature).items())
    return (settings_key(settings), joints, cache.scene_state(), cache.rig_key(armature), states)


def recall_table(armature: Any) -> HopSearch | None:
    """Return the table of hops that was found last since the file was opened, if it still holds for the
    settings and actions as they are, else None.

    Nothing is searched; clips may be read. Raise InertiaError for settings that are out of range or don't go
    together, or, once a table was found, a clip that can't be read.
    """
    settings = hop_settings_from(armature)
    if not cache.has(TABLE, armature):
        return None
    key = key_of(armature, settings)
    basis = cache.answer("hops", armature, key, lambda: _basis(armature, settings))
    return cache.recall(TABLE, armature, basis)


def search_steps(armature: Any) -> Steps[HopSearch]:
    """Return the table of hops of the armature's settings, and keep it; yield the part that is done, 0 to 1.

    What was found for the same clips, settings and joints is returned with the present settings. Otherwise
    clips are evaluated, but for those that were before. The weight of waiting is that of the settings; if
    that is None, the one that the file stores for the same clips and settings, else a new one. Raise
    InertiaError for settings or clips that can't be used.
    """
    character = read_character(armature)
    cache.settle()
    settings = hop_settings_from(armature)
    stock = yield from part(hops.read_stock_steps(character, settings), 0.0, 0.1)
    basis = _basis(armature, settings, stock)
    searched = cache.recall(TABLE, armature, basis)
    if searched is not None:
        # where the trigger is has no part in the table
        prepared = dataclasses.replace(searched.prepared, settings=settings)
        return dataclasses.replace(searched, prepared=prepared)
    kept = functools.partial(costs.evaluate_motion_steps, count=MOTIONS)
    motions = yield from part(joint_motion.of_all(character, stock.clips, stock.reference, kept), 0.1, 0.4)
    prepared = hops.compare(settings, stock, motions, weights_from(armature), character.fps)
    weight = _stored_weight(armature, basis) if settings.weight is None else None
    if weight is None:
        prepared = yield from part(hops.weighed(prepared), 0.4, 0.6)
    else:
        objective = dataclasses.replace(prepared.objective, weight=weight)
        prepared = dataclasses.replace(prepared, objective=objective)
    table = yield from part(hops.table(prepared), 0.6, 1.0)
    searched = HopSearch(prepared, prepared.own_problem(), table, basis)
    cache.put(TABLE, armature, basis, searched)
    cache.trim(TABLE, TABLES)
    return searched


def _stored_weight(armature: Any, basis: str) -> float | None:
    """Return the weight of waiting that the file keeps, if it was found for this basis, else None.

    It stands in the armature's inertia_hops.found_weight, JSON of an object with "for", the basis, and
    "weight". None as well where that can't be read, or the weight is negative or not finite; nothing is
    raised. basis: of :func:`_basis`.
    """
    try:
        former = json.loads(armature.inertia_hops.found_weight)
        weight = float(former["weight"]) if former["for"] == basis else math.nan
    except (ValueError, TypeError, LookupError, RecursionError):
        return None
    return weight if 0.0 <= weight < math.inf else None


def _basis(armature: Any, settings: HopSettings, stock: HopStock | None = None) -> str:
    """Return a digest, hexadecimal, of all that a table is found from: settings, clips, joints, scene and
    rig. stock: the clips, read; None to read them.

    Raise InertiaError where a clip can't be read.
    """
    stock = hops.read(read_character(armature), settings) if stock is None else stock
    rest = (settings_key(settings), stock.names, cache.scene_state(), cache.rig_key(armature, at_once=True))
    text = repr((rest, actions.fingerprint(stock.clips), sorted(weights_from(armature).items())))
    return hashlib.sha256(text.encode()).hexdigest()


def too_short(armature: Any) -> list[str]:
    """Return the names of the actions over whose ends even the shortest blends of hops run at the present
    cut: of those between first, then the destination and the source.

    With blends of b frames, the shortest, the source must have b frames after the cut, the destination 2 b
    from its start on (with `alongside`, from the frame that goes with the cut), and a clip between 2 b in
    all. Cycles are never too short.

    If hops are listed for the cut (to 0.001 frames), only the source and the destination are named. [] if no
    table is known for the present settings and actions, or where settings or clips can't be used; nothing is
    searched.
    """
    try:
        searched = recall_table(armature)
        if searched is None:
            return []
        transition = dataclasses.replace(searched.prepared.settings.transition, cut=armature.inertia.cut)
        settings = dataclasses.replace(searched.prepared.settings, transition=transition)
        prepared = dataclasses.replace(searched.prepared, settings=settings)
        short = search.too_short(searched.problem, prepared.objective, prepared.trigger())
    except InertiaError:
        return []
    hopeless = {searched.problem.source, searched.problem.destination}
    listed = armature.inertia_hops
    has_ways = len(listed.ways) > 0 and abs(listed.trigger - armature.inertia.cut) < 1e-3
    return [prepared.names[clip] for clip in short if not has_ways or clip in hopeless]


def remember(armature: Any, searched: HopSearch) -> None:
    """Keep the weight that was found with the file."""
    if searched.prepared.settings.weight is None:
        values = {"for": searched.basis, "weight": searched.prepared.objective.weight}
        armature.inertia_hops.found_weight = json.dumps(values)
