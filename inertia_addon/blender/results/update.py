# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes results of any kind anew in their place, by what they remember of their making."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from ...errors import InertiaError, Sentence
from ...motion.steps import Steps, part
from ...settings.transition import TransitionSettings
from ..data import clip_store, recipe, result_kinds, rig
from ..data.recipe_reader import read_recipe
from ..data.report import Report
from ..evaluation.character import read_character
from ..feet import bake as feet_bake
from ..fewer_keys import bake as keys_bake
from ..fill import bake as fill_bake
from ..fill import search as fill_search
from ..finish import bake as finish_bake
from ..hops import bake as hop_bake
from ..learned import bake as model_bake
from ..learned import follow
from ..learned import recipes as model_recipes
from ..loops import bake as loop_bake
from ..matching import action_set, followed
from ..matching import bake as path_bake
from ..matching import search as path_search
from ..nla import tracks
from ..pops import bake as pop_bake
from ..transition import bake
from ..travel import bake as travel_bake

Updater = Callable[[Any, Any], Steps[Report]]
"""Makes a result of one kind anew, of an armature and its action."""
SEARCHED = 0.4
"""So much is done of what is searched before it is baked once it is found."""

Found = TypeVar("Found")
Result = TypeVar("Result")


def update_steps(armature: Any, action: Any) -> Steps[Report]:
    """Make a result of any kind anew in its place, and return the report of its kind; yield the part that is
    done, 0 to 1. The file changes after the last yield.

    It is made with the settings that it was made with, from its actions, path, contacts and model as they are
    now. Who plays it goes on playing it, and an armature that does not play it keeps what plays; its Python
    reference may be dead afterwards. Raise InertiaError, with the file as it was, if the action is no result,
    is linked, its recipe can't be read, what it was made of is gone, or it can't be made.
    """
    make = UPDATERS.get(recipe.kind(action))
    if make is None:
        raise recipe.no_recipe(action)
    if not action.is_editable:
        template = '"{action}" is linked from another file and can\'t be updated; bake a new one.'
        raise InertiaError(template, action=action.name)
    return make(armature, action)


def list_results(armature: Any) -> list[Any]:
    """Return the results of an armature, by name, but each after those that it was made of.

    A result belongs to the armature that its recipe names; where the file has that no longer, to each that it
    fits.
    """
    named = {each.name for each in rig.armatures()} - {armature.name}
    fitting = [each for each in clip_store.find_fitting(armature) if recipe.kind(each)]
    own = sorted(
        (each for each in fitting if recipe.noted_armature(each) not in named), key=lambda each: each.name
    )
    ordered: dict[Any, None] = {}

    def add(action: Any, waiting: tuple[Any, ...]) -> None:
        for used in recipe.ingredients(action):
            if used in own and used not in waiting:
                add(used, (*waiting, used))
        ordered[action] = None

    for action in own:
        add(action, (action,))
    return list(ordered)


def list_files(action: Any) -> list[Path]:
    """Return the files that a result would be made anew from: the model of one that a model has played."""
    if recipe.kind(action) != recipe.LEARNED:
        return []
    return [model_recipes.find_model(action)]


def _as_played(armature: Any, action: Any, settings: Any) -> Any:
    """Return settings by which a result is assigned to its own armature if that plays it, else to nobody."""
    if hasattr(settings, "transition"):
        joins = _as_played(armature, action, settings.transition)
        return dataclasses.replace(settings, transition=joins)
    plays = action in tracks.find_playing(armature)
    if isinstance(settings, TransitionSettings):
        return dataclasses.replace(settings, assign=plays, assign_others=False)
    return dataclasses.replace(settings, assign=plays) if hasattr(settings, "assign") else settings


def _in_turn_steps(
    first: Steps[Found], follow_with: Callable[[Found], Steps[Result]], share: float
) -> Steps[Result]:
    """Find something in steps, then do what follows with it; return what comes of that.

    share: the part of all that is done once it is found.
    """
    found = yield from part(first, 0.0, share)
    return (yield from part(follow_with(found), share, 1.0))


def _update_transition(armature: Any, action: Any) -> Steps[Report]:
    settings = _as_played(armature, action, read_recipe(action).settings)
    plan = yield from bake.plan_transition_steps(armature, settings)
    return bake.write_plan(plan, action)


def _update_hop(armature: Any, action: Any) -> Steps[Report]:
    stored = read_recipe(action)
    settings, way = stored.settings, hop_bake.read_way(stored)
    yield 0.0
    return hop_bake.bake_hop(armature, _as_played(armature, action, settings), way, action)


def _update_path(armature: Any, action: Any) -> Steps[Report]:
    stored = read_recipe(action)
    settings, weights = _as_played(armature, action, stored.settings), stored.weights

    def search_steps(stock: action_set.Stock) -> Steps[path_search.PathPlan]:
        return path_search.search_path_steps(stock, settings, followed.course(settings))

    analysing = action_set.analyse_steps(read_character(armature), settings, weights)
    searching = _in_turn_steps(analysing, search_steps, 0.5)
    return _in_turn_steps(searching, lambda plan: path_bake.bake_way_steps(armature, plan, action), SEARCHED)


def _update_model(armature: Any, action: Any) -> Steps[Report]:
    """Follow a path anew with its model, led past the others of its crowd as they go now."""
    settings = _as_played(armature, action, read_recipe(action).settings)
    model, path, is_another = model_recipes.model_of(action, armature)
    course, beside = followed.course(settings), model_recipes.beside_of(action)
    steps = follow.follow_course_steps(model, settings, course, str(path), beside)
    learned, name = (yield from part(steps, 0.0, SEARCHED)), action.name
    report = yield from part(model_bake.bake_path_steps(armature, learned, action), SEARCHED, 1.0)
    if not is_another:
        return report
    template = 'The model "{file}" has changed since "{action}" was baked; its current version plays.'
    warning = Sentence(template, file=path.name, action=name)
    return dataclasses.replace(report, warnings=(warning, *report.warnings))


def _update_fill(armature: Any, action: Any) -> Steps[Report]:
    stored = read_recipe(action)
    settings, weights = _as_played(armature, action, stored.settings), stored.weights

    def bake_steps(fill: fill_search.Candidates | None) -> Steps[Report]:
        return fill_bake.fill_gap_steps(armature, settings, fill, action, weights)

    if not settings.use_library:
        return bake_steps(None)
    return _in_turn_steps(
        fill_search.search_candidates_steps(armature, settings, weights), bake_steps, SEARCHED
    )


def _rewrite(rewrite_steps: Callable[[Any, Any, Any], Steps[Report]]) -> Updater:
    """Return what makes one rewritten action anew. rewrite_steps: takes armature, settings and the result."""

    def update_rewritten(armature: Any, action: Any) -> Steps[Report]:
        settings = _as_played(armature, action, read_recipe(action).settings)
        return rewrite_steps(armature, settings, action)

    return update_rewritten


UPDATERS: dict[str, Updater] = {
    result_kinds.RECIPE: _update_transition,
    result_kinds.HOP: _update_hop,
    result_kinds.PATH: _update_path,
    result_kinds.LEARNED: _update_model,
    result_kinds.FILL: _update_fill,
    result_kinds.LOOP: _rewrite(loop_bake.make_loop_steps),
    result_kinds.FINISH: _rewrite(finish_bake.finish_take_steps),
    result_kinds.FEET: _rewrite(feet_bake.lock_action_steps),
    result_kinds.KEYS: _rewrite(keys_bake.reduce_keys_steps),
    result_kinds.POPS: _rewrite(pop_bake.smooth_pops_steps),
    result_kinds.TRAVEL: _rewrite(travel_bake.make_travel_steps),
}
"""What makes each kind of results anew."""
