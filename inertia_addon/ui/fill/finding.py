# SPDX-License-Identifier: GPL-3.0-or-later
"""What was found of an armature's gap, by value, until something changes that it depends on."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np

from ...blender.data import scene
from ...blender.fill import search
from ...blender.fill.search import NoChoice
from ...blender.fill.touches import OutOfReach
from ...blender.judging import verdict
from ...blender.matching import surroundings
from ...errors import InertiaError
from ...motion.fill.search import TooFar
from ...records import record
from ..cost.joint_list import weights_from
from ..overlay import in_view
from ..shared import cache
from .properties import settings_from

if TYPE_CHECKING:
    from ...blender.fill.bake import FillChoice
    from ...blender.judging.verdict import Verdict
    from ...motion.arrays import Array
    from ...settings.fill import FillSettings

NAME = "fill:found"
"""What was found is kept under."""
GHOSTS_A_SECOND, LEAST_GHOSTS, MOST_GHOSTS = 5.0, 4, 24
"""So many poses are shown of a gap."""


@record(frozen=True, eq=False)
class FillView:
    """A fill of a gap, as the panel and the overlay show it.

    way: (n, 3) of the world, where the character goes. marks: (clips, 3), where clips take over. ghosts: of
    some moments, the ends of lines from joint to joint (2 m, 3) in the world, and which part of the gap is
    over then. frames: (n,) of the scene, of the way. joints, moments, points: the names of the ghosts'
    joints, the scene frame of each ghost (k,), and where its joints are (k, joints, 3). clips, figures: as
    the command tells them. verdict: on the worst of its joins. rating: the word on all of it.
    """

    way: Array
    marks: Array
    ghosts: tuple[tuple[Array, float], ...]
    frames: Array
    joints: tuple[str, ...]
    moments: Array
    points: Array
    clips: tuple[dict[str, Any], ...]
    figures: dict[str, Any]
    verdict: Verdict
    rating: str


@record(frozen=True)
class Refused:
    """Why nothing fills a gap, how many frames would do, and, as text, which touch in place of one that is
    too far; None where none would, or nothing is known of that."""

    fault: str
    nearest_frames: float | None
    nearest_touch: str | None = None


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


def keep_choices(
    armature: Any, settings: FillSettings, choices: Sequence[FillChoice]
) -> tuple[FillView, ...]:
    """Keep fills that were found of a gap, so that the panel and the overlay show them; redraw windows, and
    return their views, in the same order.

    settings: those that they were searched by. What was kept for the armature before, fills or a refusal, is
    gone.
    """
    shown = tuple(map(_view_choice, choices))
    cache.put(NAME, armature, _key(armature, settings), shown)
    cache.redraw()
    return shown


@contextlib.contextmanager
def keep_refusals(armature: Any, settings: FillSettings) -> Iterator[None]:
    """Keep what the block raises for the panel as :class:`Refused`, and redraw windows, if it is an
    InertiaError, but NoChoice; the error gets through.

    Its `fault` is the error's sentence. Its `nearest_frames` is the nearest length of the gap that would do,
    rounded to whole frames, if a TooFar knows one; else None. Its `nearest_touch` is that of an OutOfReach,
    as text; else None. It takes the place of fills that were found.
    settings: of the gap that it is kept for. Other exceptions, and a block that ends well, change nothing.
    """
    cache.settle()
    key = _key(armature, settings)
    try:
        yield
    except NoChoice:
        # there are others
        raise
    except InertiaError as error:
        nearest = error.nearest_seconds if isinstance(error, TooFar) else None
        frames = None if nearest is None else float(round(scene.to_frames(nearest)))
        touch = str(error.nearest) if isinstance(error, OutOfReach) else None
        cache.put(NAME, armature, key, Refused(error.sentence, frames, touch))
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


def _view_choice(choice: FillChoice) -> FillView:
    """Return the view of a fill, by value: nothing in it refers into the file.

    Places are in the world, in the scene's units.

    - way: (n, 3), the root's way over the ground, a row for each whole frame and both ends, at the height of
      the armature's origin.
    - marks: (clips, 3), the places on it where clips take over, the arrival not among them.
    - ghosts: a pair for each of some moments, evenly spread, both ends included. First (2 m,
      3), lines from joint to joint, two rows a line, the upper joint's first; then which part
      of the gap is over, 0 to 1.
    - clips, figures: those of :func:`search.figures`.
    - verdict: on the worst of its joins; rating: the word on all of it.

    The gap's seconds times GHOSTS_A_SECOND give the number of intervals between moments, LEAST_GHOSTS to
    MOST_GHOSTS, fewer where there are not as many frames.
    """
    fill, motion = choice.fill, choice.motion
    base, floor = fill.stock.database, float(fill.stock.rig.world[2, 3])
    cut, step = choice.fill.settings.transition.cut, float(fill.stock.step)
    joins = [] if fill.chain is None else [join.frame for join in fill.way.joins[1:]]
    ground, frames = motion.root_position[:, :2], np.asarray(motion.frames, float)
    marks = np.searchsorted(frames, cut + step * np.array(joins, float) - 1e-3)
    seconds, last = fill.gap.frames / base.fps, len(ground) - 1
    count = int(np.clip(round(GHOSTS_A_SECOND * seconds), LEAST_GHOSTS, MOST_GHOSTS))
    moments = np.unique(np.linspace(0, last, count + 1).round().astype(int))
    of_joints = [motion.names.index(name) for name in base.joints]
    joints = motion.positions[moments][:, of_joints] / scene.metres_per_unit()
    joined, parts = in_view.joined_pairs(fill.stock.rig.bones, base.joints), moments / max(last, 1)
    ghosts = tuple(zip(joints[:, joined].reshape(len(joints), -1, 3), parts.tolist(), strict=True))
    places = np.column_stack([ground / scene.metres_per_unit(), np.full(len(ground), floor)])
    figures = search.figures(fill)
    worst = verdict.worst(choice.verdicts)
    return FillView(
        way=places,
        marks=places[marks],
        ghosts=ghosts,
        frames=frames,
        joints=tuple(base.joints),
        moments=frames[moments],
        points=joints,
        clips=tuple(figures["clips"]),
        figures=figures,
        verdict=worst,
        rating=choice.rating,
    )
