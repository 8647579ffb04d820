# SPDX-License-Identifier: GPL-3.0-or-later
"""The verdict on what Inertia has baked: by its recipe, as its action shows it now."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Generator
from typing import Any

from ...errors import InertiaError, Sentence
from ...motion.steps import part
from ...records import record
from ...settings.loops import LoopSettings
from ..data import actions, clip_store, recipe, rewriting
from ..fill import bake as fill_bake
from ..fill import search as fill_search
from ..hops import bake as hop_bake
from ..hops import judged as hop_judged
from ..hops.search import Hop
from ..judging import verdict
from ..judging.verdict import Verdict
from ..learned import judged as learned_judged
from ..loops import bake as loop_bake
from ..loops import judged as loop_judged
from ..matching import judged as path_judged
from ..transition import judged

Verdicts = Generator[float, None, tuple[Verdict, ...]]


@record(frozen=True)
class Seen:
    """What is seen of a result.

    verdicts: on its transition, on a loop's seam, or on the blends of a hop, the joins of a path or a filled
    gap, one after the other; () where there is none. notes: why, or what to know of them.
    """

    verdicts: tuple[Verdict, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def worst(self) -> Verdict | None:
        """The worst of the verdicts, if there are any."""
        return verdict.worst(self.verdicts) if self.verdicts else None


def judging(armature: Any, action: Any, slot: str = "") -> Generator[float, None, Seen]:
    """What is seen of an action, if Inertia has baked it; yields the part that is done.

    That its recipe can't be read, or what it was made of is gone or has changed since, is a note.
    """
    judge = KINDS.get(recipe.kind(action))
    if judge is None:
        return Seen()
    notes: list[str] = []
    try:
        if recipe.has_changed(action, armature):
            notes.append(
                Sentence(
                    'The sources of "{action}" have changed since; it is judged by what they are now.',
                    action=action.name,
                )
            )
        return Seen((yield from judge(armature, action, slot)), tuple(notes))
    except InertiaError as error:
        said = Sentence("Its transitions can't be judged: {reason}", reason=error.sentence)
        return Seen((), (said,))


def _transition(armature: Any, action: Any, slot: str) -> Verdicts:
    return ((yield from judged.of_result(armature, action, slot)),)


def _loop(armature: Any, action: Any, slot: str) -> Verdicts:
    settings = rewriting.settings_of(action, loop_bake.KIND, LoopSettings)
    found, _ = yield from part(loop_bake.reading(armature, settings), 0.0, 0.5)
    loop = clip_store.read(armature, action, slot)
    return ((yield from part(loop_judged.of_loop(armature, settings, found, loop), 0.5, 1.0)),)


def _hop(armature: Any, action: Any, slot: str) -> Verdicts:
    settings, values = hop_bake.load_recipe(action)
    with recipe.reading(action):
        way = Hop.from_dict(values)
    shown = dataclasses.replace(clip_store.read(armature, action, slot), cycle=None)
    made: list[Any] = []
    try:
        stock = hop_bake.stock_of(armature, settings, way)
        plans, _ = hop_bake.planned(armature, settings, way, stock, made)
        yield 0.5
        return (yield from part(hop_judged.of_blends(plans, shown), 0.5, 1.0))
    finally:
        # between two blends a result is nothing that anybody asked for
        actions.remove_all(made)


def _fill(armature: Any, action: Any, slot: str) -> Verdicts:
    settings, weights = fill_bake.recipe_of(action)
    shown = dataclasses.replace(clip_store.read(armature, action, slot), cycle=None)
    found = None
    if settings.use_library:
        found = yield from part(fill_search.searching(armature, settings, weights), 0.0, 0.5)
    return (yield from part(fill_bake.judging(armature, settings, found, shown), 0.5, 1.0))


KINDS: dict[str, Callable[[Any, Any, str], Verdicts]] = {
    recipe.RECIPE: _transition,
    recipe.HOP: _hop,
    recipe.PATH: path_judged.of_result,
    recipe.LEARNED: learned_judged.of_result,
    recipe.FILL: _fill,
    loop_bake.KIND: _loop,
}
"""What judges each kind of results."""
