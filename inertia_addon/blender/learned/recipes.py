# SPDX-License-Identifier: GPL-3.0-or-later
"""What an action that a model has played remembers of its making."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ...errors import InertiaError
from ...motion.arrays import Array
from ...motion.learned.model import Model
from ...motion.matching.engine import FPS
from ...records import record
from ...settings.matching import PathSettings
from ...storage import contents
from ..data import compat, recipe
from ..data.recipe_reader import read_noted, read_recipe
from ..evaluation.character import read_character
from ..matching import surroundings
from . import clips
from .follow import CrowdBefore, LearnedPath

POINTS = 2000
"""So many points of a way are noted, at most: enough to draw it."""
DIGITS = 3
"""So exactly, that is to the millimetre."""


@record(frozen=True, eq=False)
class ModelWay:
    """Where a character goes that a model plays, and should go: points (n, 2) of the ground in metres, as far
    apart in time; for how many seconds; and its height, as a part of a person's."""

    ground: Array
    wanted: Array
    seconds: float
    size: float


def note(result: Any, armature: Any, learned: LearnedPath, joins: Iterable[float]) -> None:
    """Write the recipe of what a model has played into a result's custom properties, and give the result a
    fake user, if it can be edited.

    The property :data:`recipe.LEARNED` gets a JSON text with ``settings``, ``armature`` (its name), ``model``
    (its file), ``things`` (checksums of the objects kept, by key), ``joins``, and ``way``: {"ground",
    "wanted", "seconds", "size"}, places in metres rounded to the millimetre, at most about 2,000 of each.
    ``digest`` is there if the model's file is known, ``apart`` (metres) if the way was led past others.

    Pointers, which survive renaming, lead to the curve or object that is followed (FOLLOWED), to the
    obstacles' collection (OBSTACLES) and each of its objects (OBSTACLE and a number from 0), and to the
    results of the others (BESIDE and a number from 0). Objects that are gone are left out.

    joins: the way's frames at which the character is projected. Raise KeyError for a collection of obstacles
    that is gone, with nothing written, and OSError where the model's file can't be read; then the pointers
    are written, and neither the text nor the fake user.
    """
    settings = learned.settings
    followed = {recipe.FOLLOWED: settings.curve or settings.target}
    things = followed | surroundings.note_obstacles(result, settings.obstacles)
    every = _every(len(learned.played.ground))
    values = {
        "settings": settings.as_dict(),
        "armature": armature.name,
        "model": learned.file,
        "joins": list(joins),
        "way": {
            "ground": np.round(learned.played.ground[::every], DIGITS).tolist(),
            "wanted": np.round(learned.target.ground[::every], DIGITS).tolist(),
            "seconds": learned.target.frames / FPS,
            "size": learned.model.size,
        },
    }
    if learned.beside is not None:
        values["apart"] = learned.beside.distance
        for i, other in enumerate(learned.beside.results):
            result[f"{recipe.BESIDE}{i}"] = other
    if learned.file:
        values["digest"] = _digest(Path(learned.file))
    recipe.store(result, recipe.LEARNED, values, (), things)
    recipe.keep(result)


def _every(frames: int) -> int:
    """Return n such that every n-th of so many frames is noted."""
    return 1 + frames // POINTS


def find_model(action: Any) -> Path:
    """Return where the model is that a result was baked with: where its recipe says, or, if nothing is there,
    beside the .blend file, if a file of that name is there.

    Raise InertiaError for a recipe that can't be read or names no model, and where what is followed is gone.
    """
    path = Path(str(read_recipe(action, recipe.LEARNED).noted.get("model", "")))
    if not path.name:
        raise InertiaError(
            '"{action}" does not say which model it was baked with; bake it again.', action=action.name
        )
    if not path.exists() and bpy.data.filepath:
        beside = Path(bpy.data.filepath).parent / path.name
        return beside if beside.exists() else path
    return path


def way_of(action: Any) -> ModelWay | None:
    """Return where a result goes, from its recipe; None for a result of an earlier version.

    ``ground`` and ``wanted`` (n, 2) are where it goes and should go, in metres, at most about 2,000 points
    evenly apart in time; ``seconds`` is how long it takes, ``size`` the character's height as a part of a
    person's. Raise InertiaError for a recipe that can't be read.
    """
    with recipe.refuse_unreadable(action):
        way = read_noted(action, recipe.LEARNED).get("way")
        if way is None:
            return None
        ground, wanted = (np.array(way[key], float).reshape(-1, 2) for key in ("ground", "wanted"))
        return ModelWay(ground, wanted, float(way["seconds"]), float(way["size"]))


def beside_of(action: Any, apart: float | None = None) -> CrowdBefore | None:
    """Return whom a result of a crowd was led past, as far as their results are still there; None for nobody.

    The :class:`CrowdBefore` has the others' wanted ways (n, 2), metres, interpolated to 60 times a second,
    the distance to keep, and their results. Results without a noted way, of an earlier version, are left out.

    apart: how far they are to stay apart now, in metres. None keeps the noted distance. A number changes it
    by as much as it differs from the ``apart`` of the noted settings: if 1.0 was asked for and 1.3 was kept,
    as models stray, 2.0 gives 2.3. 0.0 returns None.

    Raise InertiaError for a recipe, this one or any of theirs, that can't be read.
    """
    with recipe.refuse_unreadable(action):
        values = read_noted(action, recipe.LEARNED)
        distance, before = values.get("apart"), PathSettings.from_dict(values["settings"]).apart
    others, ways = [], []
    for other in (action[key] for key in action.keys() if key.startswith(recipe.BESIDE)):
        if not isinstance(other, bpy.types.Action) or not recipe.is_baked(other, recipe.LEARNED):
            continue
        way = way_of(other)
        if way is not None:
            others.append(other)
            count = round(way.seconds * FPS)
            noted, times = np.arange(len(way.wanted)) * _every(count), np.arange(count)
            ways.append(np.column_stack([np.interp(times, noted, way.wanted[:, i]) for i in range(2)]))
    if distance is None or not ways or apart == 0.0:
        return None
    # more was kept than was asked for, as models stray
    kept_apart = float(distance) + (0.0 if apart is None else apart - before)
    return CrowdBefore(tuple(ways), kept_apart, tuple(others))


def model_of(action: Any, armature: Any) -> tuple[Model, Path, bool]:
    """Return the model that a result was baked with, where it is, and whether its file has changed since.

    A result that noted no digest counts as unchanged. Raise InertiaError as :func:`find_model` does, and if
    the model is gone, can't be read, or is of another skeleton by now.
    """
    path = find_model(action)
    try:
        model = clips.model_of(path, read_character(armature))
    except FileNotFoundError as error:
        raise InertiaError(
            'The model "{file}" that "{action}" was baked with is gone; put it back into "{folder}", or '
            "beside this .blend file, or bake again with another one.",
            file=path.name,
            action=action.name,
            folder=path.parent,
        ) from error
    except OSError as error:
        raise unreadable(path, error) from error
    noted = str(read_noted(action, recipe.LEARNED).get("digest", ""))
    return model, path, noted not in ("", _digest(path))


def unreadable(path: Path, error: OSError) -> InertiaError:
    """Return an error that says why the system could not read a model."""
    return InertiaError('"{path}" could not be read: {reason}.', path=path, reason=error.strerror or error)


def _digest(path: Path) -> str:
    """Return a digest of a model's file, or of the files in its folder."""
    files = sorted(path.glob("*.bin")) if path.is_dir() else [path]
    return "".join(map(contents.digest, files))


def replaceable(armature: Any, followed: Any, result: str) -> Any | None:
    """Return the action that is assigned to an armature if a model has played it along an object and a new
    result can take its place, else None.

    followed: the object, which that result must follow, too. result: the name that was asked for, "" for any;
    an action of another name is kept. It must be editable.
    """
    action, _ = compat.assigned(armature)
    if action is None or not (recipe.is_baked(action, recipe.LEARNED) and action.is_editable):
        return None
    is_other = (result and action.name != result) or action.get(recipe.FOLLOWED) != followed
    return None if is_other else action
