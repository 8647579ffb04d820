# SPDX-License-Identifier: GPL-3.0-or-later
"""Costs as the overlays show them."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...blender.cost import meetings
from ...blender.data import compat
from ...errors import InertiaError, Sentence
from ...motion.arrays import Array
from ...motion.cost import costs as cost
from ...settings.cost import Search
from ..shared import cache, character, labels
from . import costs, map_job, search
from .costs import Costs
from .model import CostCurve, CostMap, TintedBone

MINIMA = 5
"""How many local minima a curve names."""


def curve(armature: Any, found: Costs, over: str) -> CostCurve:
    """The cost over the frames of the destination, or over the cuts."""
    compared, actions = found.compared, found.evaluated.names
    at_cut = over == "DESTINATION"
    cut = compared.source.shown(found.cut)
    current, other = (cut, found.destination_frame)[:: -1 if at_cut else 1]
    limits = _limits(armature)

    def compute() -> CostCurve:
        values = compared.over_destination(other) if at_cut else compared.over_cut(other)
        side = compared.destination if at_cut else compared.source
        possible = meetings.possible(compared, limits, over, other)
        masked = np.where(possible, values, np.finfo(np.float32).max)
        lowest = (int(i) for i in cost.local_minima(masked) if possible[i])
        minima = tuple(itertools.islice(lowest, MINIMA))
        clip = labels.action(armature, actions[at_cut])
        return CostCurve(over, clip, side.frames, values, np.nan, np.nan, minima)

    curve = cache.answer(f"costs {over}", armature, (compared, other, limits), compute)

    def placed() -> CostCurve:
        now = sum(part for _, part in costs.by_bone(found, armature))
        return dataclasses.replace(curve, current=current, current_cost=now)

    return cache.answer(f"curve {over}", armature, (curve, current), placed)


def _limits(armature: Any) -> Search:
    """Where searches look; as they do at first where a file holds numbers that can't be, which they say."""
    try:
        return search.search_of(armature)
    except InertiaError:
        return Search()


def left_out(armature: Any, found: Costs) -> str:
    """Why the destination is not entered where it would cost least, "" where it is."""
    shown = curve(armature, found, "DESTINATION")
    best = int(np.argmin(shown.costs))
    if found.compared.is_one or not shown.minima or shown.costs[best] >= shown.costs[shown.minima[0]]:
        return ""
    return Sentence(
        '"{action}" costs least when entered at {frame:g}, but too little of it is left there; mark it as '
        "a cycle if it is one.",
        action=shown.clip,
        frame=shown.frames[best],
    )


def curve_in_sight(armature: Any, found: Costs) -> CostCurve:
    """The cost curve whose frames are those of the keys in sight.

    The cost of each cut lines up with the keys of the source, and of the result up to the cut; where the
    destination is assigned its keys are in sight, and the cost of each of its frames lines up with them.
    """
    own, shown = armature.inertia, compat.assigned(armature)[0]
    over = "DESTINATION" if shown == own.destination and shown != own.source else "CUT"
    return curve(armature, found, over)


def cost_map(armature: Any, found: Costs, exact: bool) -> tuple[CostMap, str]:
    """The map as far as it is computed, and a sentence on how far that is."""
    job = map_job.of(armature, found.compared, exact)
    best = tuple((pair.cut, pair.destination_frame) for pair in armature.inertia_search.pairs)
    key = (job, job.done, found.cut, found.destination_frame, best)

    def compute() -> CostMap:
        made = job.result
        # a copy while it grows: what is drawn is told apart by the array it was drawn from
        values = made.costs if job.done >= 1.0 else made.costs.copy()
        return CostMap(
            made.cuts,
            made.destinations,
            values,
            found.compared.source.shown(found.cut),
            found.destination_frame,
            best,
            made.exact,
        )

    note = "" if job.done >= 1.0 else Sentence("Computing the map: {part:.0%}.", part=job.done)
    return cache.answer("map", armature, key, compute), note


def tinted(context: Any) -> tuple[TintedBone, ...]:
    """The bones as they stand now, with their shares of the cost; none when they are not to be tinted."""
    armature = character.armature_of(context)
    if armature is None:
        return ()
    try:
        found = costs.of(armature)
    except InertiaError:
        return ()  # the plots say why
    parts = costs.by_bone(found, armature)
    largest = max((part for _, part in parts), default=0.0) or 1.0
    world = np.array(armature.matrix_world)
    bones = armature.pose.bones
    return tuple(
        TintedBone(_at(world, bones[name].head), _at(world, bones[name].tail), part / largest)
        for name, part in parts
        if name in bones
    )


def _at(world: Array, point: Sequence[float]) -> Array:
    return world[:3, :3] @ np.asarray(point, float) + world[:3, 3]
