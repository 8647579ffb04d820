# SPDX-License-Identifier: GPL-3.0-or-later
"""What the command ``hop`` and a batch find: clips ready to be searched, tables of pairs, and single ways."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..blender.evaluation import playback
from ..blender.evaluation.joint_motion import Evaluate
from ..blender.hops import search as hops
from ..blender.hops import worth
from ..blender.hops.search import Hop, Prepared
from ..console import progress
from ..errors import InertiaError
from ..motion.hops import search as hop
from ..motion.hops.search import Table
from ..settings.hops import UNITS, HopSettings

Solved = list[tuple[str, str, Table]]
"""Tables with the source and the destination that each is for."""


def pairs_of(settings: HopSettings, all_pairs: Iterable[str] = ()) -> list[tuple[str, str]]:
    """The pairs of source and destination that are asked for: from each of some to each other, if any."""
    named = list(dict.fromkeys(all_pairs))
    blend = settings.transition
    return list(itertools.permutations(named, 2)) if named else [(blend.source, blend.destination)]


def prepared(
    armature: Any,
    settings: HopSettings,
    weights: Mapping[str, float],
    all_pairs: tuple[str, ...] = (),
    evaluate: Evaluate | None = None,
) -> Prepared:
    """The clips, ready to be searched, with the weight of waiting. Raises InertiaError.

    weights: by bone. evaluate: see :func:`hops.prepare`.
    """
    with playback.together(by_one=True):
        made = progress.finish(hops.prepare(armature, settings, weights, all_pairs, evaluate), "evaluating")
    return progress.finish(hops.weighed(made, pairs_of(settings, all_pairs)), "weighing")


def described(prepared: Prepared) -> dict[str, Any]:
    """What was searched, as JSON values: the clips, and what is least."""
    objective, settings = prepared.objective, prepared.settings
    return {
        "clips": list(prepared.names),
        "distance": settings.distance,
        "unit": UNITS[settings.distance],
        "weight": objective.weight,
        "longest_stay": objective.longest_stay,
        "blends": list(objective.blends),
        "hops": objective.hops,
        "alongside": settings.alongside,
    }


def tables(prepared: Prepared, all_pairs: Iterable[str] = ()) -> Solved:
    """The tables of the pairs that are asked for."""
    pairs = pairs_of(prepared.settings, all_pairs)
    return [
        (*pair, progress.finish(hop.solve(prepared.problem(*pair), prepared.objective), "searching"))
        for pair in pairs
    ]


def told(prepared: Prepared, solved: Solved) -> list[dict[str, Any]]:
    """What is to say of tables, as JSON values: how many triggers have a way, of how many a hop costs enough
    less than going straight, at what cost, and by what."""
    said = []
    for source, destination, table in solved:
        both = np.isfinite(table.cost) & np.isfinite(table.direct)
        # the best way may be to wait, and go straight
        hops = worth.is_cheaper(table.cost, table.direct) & (table.clips[:, 0] >= 0)
        wins = table.clips[np.isfinite(table.cost), 0]
        said.append(
            {
                "source": source,
                "destination": destination,
                "triggers": len(table.cost),
                "reached": int(np.isfinite(table.cost).sum()),
                "worth": int(hops.sum()),
                "median_direct": float(np.median(table.direct[both])) if both.any() else None,
                "median_best": float(np.median(table.cost[both])) if both.any() else None,
                "wins": {
                    "direct" if clip < 0 else prepared.names[clip]: int((wins == clip).sum())
                    for clip in sorted(set(wins.tolist()))
                },
            }
        )
    return said


def chosen(prepared: Prepared, ways: list[Hop], rank: int) -> Hop:
    """One of the ranked ways, 1 for the best. Raises InertiaError when there are fewer."""
    if not ways:
        frame = f"{prepared.settings.transition.cut:g}"
        raise InertiaError(
            f"No hop leads on from frame {frame}; choose another trigger, longer clips, or more of them."
        )
    if len(ways) < rank:
        found = f"Frame {prepared.settings.transition.cut:g} has {len(ways)} hops and no number {rank}"
        raise InertiaError(f"{found}; choose another trigger, or a lower rank.")
    return ways[rank - 1]
