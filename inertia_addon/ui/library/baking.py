# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes the transitions of a list, and says what a batch would need to bake the same."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

from ...blender.cost import candidates, costing, prediction
from ...blender.data import scene
from ...blender.transition import bake
from ...blender.transition.bake import Plan
from ...errors import InertiaError
from ...motion.steps import part
from ...records import record
from ...settings import fields, methods
from ...settings.transition import TransitionSettings
from ..cost import costs
from ..cost.joint_list import weights_from
from ..cost.search import JUDGED_SECONDS, search_of
from ..transition.properties import settings_from

OF_A_PAIR = (
    *("source", "source_library", "source_slot", "destination", "destination_library", "destination_slot"),
    *("cut", "destination_frame", "source_scale", "destination_scale", "result", "strips"),
)
"""The settings in which a list's transitions differ."""


@record(frozen=True)
class Listed:
    """A row of the list by value: whoever changes the list kills its rows."""

    source: Any | None
    destination: Any | None
    cut: float
    destination_frame: float
    searched: bool


def listed(armature: Any) -> tuple[Listed, ...]:
    """The rows of an armature's list."""
    names = [field.name for field in dataclasses.fields(Listed)]
    pairs = armature.inertia_library.pairs
    return tuple(Listed(**{name: getattr(pair, name) for name in names}) for pair in pairs)


def settings_of(armature: Any, pair: Listed) -> TransitionSettings:
    """The panel's settings with a pair's actions and frames; it is not assigned. Raises InertiaError."""
    if pair.source is None or pair.destination is None:
        raise InertiaError("Choose a source and a destination action.")
    values: dict[str, Any] = {"cut": pair.cut, "destination_frame": pair.destination_frame}
    for side in ("source", "destination"):
        action = getattr(pair, side)
        library = action.library.filepath if action.library is not None else ""
        values |= {side: action.name, f"{side}_library": library, f"{side}_slot": ""}
    values |= {"source_scale": 1.0, "destination_scale": 1.0}  # a list pairs actions as they are keyed
    return dataclasses.replace(settings_from(armature), **values, result="", assign=False, strips=False)


def planning(armature: Any, pair: Listed) -> Generator[float, None, tuple[Plan, float]]:
    """Plan a pair's transition, at its best meeting where that is asked for; returns it with its cost.

    Yields the part that is done. Raises InertiaError.
    """
    settings, searched = settings_of(armature, pair), pair.searched
    read = yield from part(costing.reading_pair(armature, settings), 0.0, 0.1)
    motions = yield from part(costing.motions(armature, read, costs.kept_motion), 0.1, 0.5)
    weight = armature.inertia_search.skate_weight
    plants = yield from part(prediction.plants(armature, read.destination, weight), 0.5, 0.6)
    weights = weights_from(armature)
    compared = costing.compare(settings, read.alignment, weights, motions, scene.fps(), plants, weight)
    cut, entry = settings.cut, settings.destination_frame
    if searched:
        search = search_of(armature)
        steps = candidates.best(*(armature, settings, read.clips, compared, search), seconds=JUDGED_SECONDS)
        (best,) = yield from part(steps, 0.6, 0.9)
        cut, entry = best.cut, best.destination_frame
    assert entry is not None
    settings = dataclasses.replace(settings, cut=cut, destination_frame=entry)
    plan = bake.plan_clips(armature, settings, read.source, read.destination)
    return plan, compared.at(cut, entry)


def spec(armature: Any, blend: Path, folder: Path) -> dict[str, Any]:
    """The list as a spec of the command ``batch``, as JSON values.

    blend: the file that the clips are in. folder: the spec's. Raises InertiaError for a list that is empty,
    and for an action that a batch would not find in that file.
    """
    pairs = armature.inertia_library.pairs
    if not len(pairs):
        raise InertiaError("The list of transitions is empty; add pairs of actions first.")
    given, usual = settings_from(armature).as_dict(), TransitionSettings("", "", 0.0).as_dict()
    foreign = {*methods.foreign(given, given["method"]), *OF_A_PAIR}
    defaults = {name: value for name, value in given.items() if name not in foreign and value != usual[name]}
    search = search_of(armature)
    defaults = fields.worded(TransitionSettings, defaults)
    defaults["keep_frames"], defaults["by"] = search.keep_frames, fields.spoken(search.by)
    if search.skate_weight > 0.0:
        defaults["skate_weight"] = search.skate_weight
    if search.first is not None and search.last is not None:
        defaults["range"] = [search.first, search.last]
    return {
        "files": [Path(os.path.relpath(blend, folder)).as_posix()],
        "armature": armature.name,
        "defaults": defaults,
        "transitions": [_entry(pair) for pair in pairs],
    }


def _entry(pair: Any) -> dict[str, Any]:
    for action in (pair.source, pair.destination):
        if action is None:
            raise InertiaError("Choose a source and a destination action.")
        if action.library is not None:
            raise InertiaError(
                '"{action}" is linked from another file; make it local to write a spec.', action=action.name
            )
    entry = {"source": pair.source.name, "destination": pair.destination.name}
    if pair.searched:
        return {**entry, "cut": "best"}
    return {**entry, "cut": pair.cut, "destination_frame": pair.destination_frame}
