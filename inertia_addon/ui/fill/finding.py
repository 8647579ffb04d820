# SPDX-License-Identifier: GPL-3.0-or-later
"""What was found of an armature's gap, by value, until something changes that it depends on."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Hashable
from typing import Any

import bpy
import numpy as np

from ...blender.data import scene
from ...blender.fill import search
from ...blender.fill.search import Found
from ...errors import InertiaError
from ...motion.arrays import Array
from ...motion.fill.search import TooFar
from ...motion.matching import warp
from ...records import record
from ...settings.fill import FillSettings
from ..cost.joint_list import weights_from
from ..overlay import ghosts
from ..shared import cache
from .properties import settings_from

NAME = "fill:found"
"""What was found is kept under."""
GHOSTS_A_SECOND, LEAST_GHOSTS, MOST_GHOSTS = 5.0, 4, 24
"""So many poses are shown of a gap."""


@record(frozen=True, eq=False)
class Shown:
    """What fills a gap, as the panel and the overlay show it.

    way: (n, 3) of the world, where the character goes. marks: (clips, 3), where clips take over. ghosts: of
    some moments, the ends of lines from joint to joint (2 m, 3) in the world, and which part of the gap is
    over then. clips, figures: as the command tells them.
    """

    way: Array
    marks: Array
    ghosts: tuple[tuple[Array, float], ...]
    clips: tuple[dict[str, Any], ...]
    figures: dict[str, Any]


@record(frozen=True)
class Refused:
    """Why nothing fills a gap, and how many frames would do; None where none would, or nothing is known of
    that."""

    fault: str
    nearest_frames: float | None


def known(armature: Any) -> Shown | Refused | None:
    """What was found of the gap that an armature's properties ask for; None where it has to be searched.

    Raises InertiaError for settings that can't be.
    """
    found: Shown | Refused | None = cache.known(NAME, armature, _key(armature, settings_from(armature)))
    return found


def finding(armature: Any, settings: FillSettings) -> Generator[float, None, Found]:
    """Search what fills a gap, and keep it to be shown; yields the part that is done. Raises InertiaError."""
    cache.settle()
    key = _key(armature, settings)
    try:
        found = yield from search.searching(armature, settings, weights_from(armature))
    except InertiaError as error:
        nearest = error.nearest_seconds if isinstance(error, TooFar) else None
        frames = None if nearest is None else float(round(nearest * scene.fps()))
        cache.put(NAME, armature, key, Refused(error.sentence, frames))
        cache.redraw()
        raise
    cache.put(NAME, armature, key, _shown(found))
    cache.redraw()
    return found


def _key(armature: Any, settings: FillSettings) -> Hashable:
    """What is found depends on: a look at it costs next to nothing."""
    own = settings.transition
    used = (own.source, own.destination, *settings.actions)
    searched = dataclasses.replace(own, result="", feet="OFF", assign=True, shift=0.0)
    return (
        dataclasses.replace(settings, transition=searched, strips=False),
        tuple(weights_from(armature).items()),
        tuple(cache.action_state(bpy.data.actions.get(name)) for name in used),
        *(cache.scene_state(), cache.rig_key(armature)),
    )


def _shown(found: Found) -> Shown:
    """What there is to show of it."""
    base, floor = found.stock.database, float(found.stock.rig.world[2, 3])
    way = warp.warped(found.way, found.warp)
    flat = np.append(way.flat[:-1], found.gap.met)
    flat[0] = found.gap.left
    seconds = found.gap.frames / base.fps
    count = int(np.clip(round(GHOSTS_A_SECOND * seconds), LEAST_GHOSTS, MOST_GHOSTS))
    moments = np.unique(np.linspace(0, way.frames - 1, count + 1).round().astype(int))
    seen = ghosts.poses(base, flat[moments], way.ground[moments], way.heading[moments], floor)
    joined, parts = ghosts.pairs(found.stock.rig.bones, base.joints), moments / max(way.frames - 1, 1)
    figures_seen = tuple(zip(seen[:, joined].reshape(len(seen), -1, 3), parts.tolist(), strict=True))
    ground = np.column_stack([way.ground / scene.metres_per_unit(), np.full(way.frames, floor)])
    figures = search.figures(found)
    frames = [join.frame for join in way.joins[1:]]
    return Shown(ground, ground[frames], figures_seen, tuple(figures["clips"]), figures)
