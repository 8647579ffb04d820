# SPDX-License-Identifier: GPL-3.0-or-later
"""What was found of an armature's gap, by value, until something changes that it depends on."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Hashable, Iterator
from typing import Any

import bpy
import numpy as np

from ...blender.data import scene
from ...blender.evaluation.character import read_character
from ...blender.fill import bake, search
from ...blender.fill.search import GapFill
from ...blender.judging import verdict
from ...blender.judging.verdict import Verdict
from ...blender.matching import surroundings
from ...errors import InertiaError
from ...motion.arrays import Array
from ...motion.fill.search import TooFar
from ...motion.matching import clip_sequence
from ...motion.steps import Steps, part
from ...records import record
from ...settings.fill import CHOICES, FillSettings
from ..cost.joint_list import weights_from
from ..overlay import in_view
from ..shared import cache
from .properties import settings_from

NAME = "fill:found"
"""What was found is kept under."""
SEARCH = 0.5
"""About what part of finding fills is done once they were searched; what is left is to judge them."""
GHOSTS_A_SECOND, LEAST_GHOSTS, MOST_GHOSTS = 5.0, 4, 24
"""So many poses are shown of a gap."""


@record(frozen=True, eq=False)
class FillView:
    """A fill of a gap, as the panel and the overlay show it.

    way: (n, 3) of the world, where the character goes. marks: (clips, 3), where clips take over. ghosts: of
    some moments, the ends of lines from joint to joint (2 m, 3) in the world, and which part of the gap is
    over then. clips, figures: as the command tells them. verdict: on the worst of its joins.
    """

    way: Array
    marks: Array
    ghosts: tuple[tuple[Array, float], ...]
    clips: tuple[dict[str, Any], ...]
    figures: dict[str, Any]
    verdict: Verdict


@record(frozen=True)
class Refused:
    """Why nothing fills a gap, and how many frames would do; None where none would, or nothing is known of
    that."""

    fault: str
    nearest_frames: float | None


def recall_fills(armature: Any) -> tuple[FillView, ...] | Refused | None:
    """Return the fills that were found of the gap that an armature's properties ask for, the best first.

    Return None where it has to be searched. Raise InertiaError for settings that can't be.
    """
    settings = settings_from(armature)
    fills: tuple[FillView, ...] | Refused | None = cache.recall(NAME, armature, _key(armature, settings))
    return fills


def limit_choice(armature: Any, settings: FillSettings) -> FillSettings:
    """Return the settings with the fill that the panel shows as chosen, where fewer were found."""
    fills = cache.recall(NAME, armature, _key(armature, settings))
    count = len(fills) if isinstance(fills, tuple) else settings.choice
    return dataclasses.replace(settings, choice=min(settings.choice, count))


def chosen(armature: Any, fills: tuple[FillView, ...]) -> int:
    """Return which of the fills an armature's properties ask for, counted from 0."""
    return min(armature.inertia_fill.choice, len(fills)) - 1


def choose_steps(armature: Any, settings: FillSettings) -> Steps[tuple[FillView, ...]]:
    """Search at most CHOICES unlike fills of a gap, judge each, keep them to be shown, redraw windows, and
    return their views; yield the part that is done, 0 to 1.

    They are in the order of the search, which ranks by cost, the best first; each has the verdict on its
    worst join. The file stays as it is.

    Raise InertiaError where nothing fills it or clips can't be used, TooFar if nothing arrives in time. What
    the search raises is kept for the panel, see :func:`_keep_refusals`; what judging raises is not, nor are
    fills then.
    """
    cache.settle()
    key = _key(armature, settings)
    with _keep_refusals(armature, key):
        steps = search.search_fills_steps(armature, settings, weights_from(armature), CHOICES)
        fills = yield from part(steps, 0.0, SEARCH)
    shown = []
    for i, each in enumerate(fills):
        begin, end = (SEARCH + (1.0 - SEARCH) * k / len(fills) for k in (i, i + 1))
        verdicts = yield from part(
            bake.judge_gap_steps(read_character(armature), each.settings, each), begin, end
        )
        shown.append(_view_fill(each, verdict.worst(verdicts)))
    cache.put(NAME, armature, key, tuple(shown))
    cache.redraw()
    return tuple(shown)


def search_steps(armature: Any, settings: FillSettings) -> Steps[GapFill]:
    """Search the fill of a gap that settings ask for, and return it; yield the part that is done, 0 to 1.

    As many unlike fills are searched as settings.choice says; the last of them is returned, 1 for the best by
    cost. Nothing is judged, and no fills are kept for the panel.

    Raise InertiaError if there is none or fewer than the choice, TooFar if nothing arrives in time. Unless it
    is only that there are fewer, the reason is kept for the panel, and windows are redrawn.
    """
    cache.settle()
    with _keep_refusals(armature, _key(armature, settings)):
        steps = search.search_fills_steps(armature, settings, weights_from(armature), settings.choice)
        fills = yield from steps
    return search.chosen(fills, settings)


@contextlib.contextmanager
def _keep_refusals(armature: Any, key: Hashable) -> Iterator[None]:
    """If the block raises InertiaError, keep it for the panel as :class:`Refused`, and redraw windows; the
    error gets through.

    Its `fault` is the error's sentence. Its `nearest_frames` is the nearest length of the gap that would do,
    rounded to whole frames, if a TooFar knows one; else None. It takes the place of fills that were found.
    key: what it is kept for, see :func:`_key`. Other exceptions, and a block that ends well, change nothing.
    """
    try:
        yield
    except InertiaError as error:
        nearest = error.nearest_seconds if isinstance(error, TooFar) else None
        frames = None if nearest is None else float(round(nearest * scene.fps()))
        cache.put(NAME, armature, key, Refused(error.sentence, frames))
        cache.redraw()
        raise


def _key(armature: Any, settings: FillSettings) -> Hashable:
    """Return a value that changes with all that found fills depend on: settings, joints, actions, obstacles,
    scene and rig; a look at it costs next to nothing.

    The result's name, assign, shift, strips and which fill is chosen do not count. Raise InertiaError for
    obstacles or joints that are gone.
    """
    transition = settings.transition
    used = (transition.source, transition.destination, *settings.actions)
    searched = dataclasses.replace(transition, result="", assign=True, shift=0.0)
    walls = surroundings.obstacle_objects(settings.obstacles) if settings.obstacles else []
    return (
        dataclasses.replace(settings, transition=searched, strips=False, choice=1),
        tuple(weights_from(armature).items()),
        tuple(cache.action_state(bpy.data.actions.get(name)) for name in used),
        tuple(map(cache.object_state, walls)),
        *(cache.scene_state(), cache.rig_key(armature)),
    )


def _view_fill(fill: GapFill, worst: Verdict) -> FillView:
    """Return the view of a fill, by value: nothing in it refers into the file.

    Places are in the world, in the scene's units.

    - way: (n, 3), the root's way over the ground, one row a frame of the set, at the height of
      the armature's origin.
    - marks: (clips, 3), the places on it where clips take over, the arrival not among them.
    - ghosts: a pair for each of some moments, evenly spread, both ends included. First (2 m,
      3), lines from joint to joint, two rows a line, the upper joint's first; then which part
      of the gap is over, 0 to 1.
    - clips, figures: those of :func:`search.figures`.
    - verdict: `worst`, on the worst of its joins.

    The gap's seconds times GHOSTS_A_SECOND give the number of intervals between moments, LEAST_GHOSTS to
    MOST_GHOSTS, fewer where there are not as many frames.
    """
    base, floor = fill.stock.database, float(fill.stock.rig.world[2, 3])
    way = clip_sequence.warped(fill.way, fill.warp)
    flat = np.append(way.flat[:-1], fill.gap.met)
    flat[0] = fill.gap.left
    seconds = fill.gap.frames / base.fps
    count = int(np.clip(round(GHOSTS_A_SECOND * seconds), LEAST_GHOSTS, MOST_GHOSTS))
    moments = np.unique(np.linspace(0, way.frames - 1, count + 1).round().astype(int))
    joints = in_view.joint_places(base, flat[moments], way.ground[moments], way.heading[moments], floor)
    joined, parts = in_view.joined_pairs(fill.stock.rig.bones, base.joints), moments / max(way.frames - 1, 1)
    figures_seen = tuple(zip(joints[:, joined].reshape(len(joints), -1, 3), parts.tolist(), strict=True))
    ground = np.column_stack([way.ground / scene.metres_per_unit(), np.full(way.frames, floor)])
    figures = search.figures(fill)
    frames = [join.frame for join in way.joins[1:]]
    return FillView(ground, ground[frames], figures_seen, tuple(figures["clips"]), figures, worst)
