# SPDX-License-Identifier: GPL-3.0-or-later
"""What a baked path remembers of its making: its settings, its set of actions, what it follows and plays."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from typing import Any, Self

import bpy

from ...errors import InertiaError
from ...records import record
from ...settings.matching import PathSettings
from ..data import recipe
from ..nla import tracks
from . import surroundings
from .search import Found


def note(result: Any, armature: Any, found: Found) -> None:
    """Write the recipe into a result: the settings, and pointers that survive renaming to its actions, those
    too that are not played, as a search has them to choose from, and to what it follows."""
    own, stock = found.settings, found.stock
    names = tuple(clip.action.name for clip in stock.clips)
    followed = {recipe.FOLLOWED: own.curve or own.target, recipe.GROUND: own.ground_object}
    followed |= surroundings.note_obstacles(result, own.obstacles)
    values: Mapping[str, Any] = {
        "settings": dataclasses.replace(own, actions=names).as_dict(),
        "armature": armature.name,
        "weights": dict(stock.weights),
        "digest": stock.digest,
        "things": recipe.note_things(result, followed),
        "plays": [dataclasses.asdict(one) for one in plays_along(found)],
    }
    result[recipe.PATH] = json.dumps(values)
    for i, clip in enumerate(stock.clips):
        result[f"{recipe.HOP_ACTION}{i}"] = clip.action
    for name in {found.stock.database.place(join.entered)[0].name for join in found.way.joins}:
        recipe.keep(stock.clip(name).action)
    recipe.keep(result)


def recipe_of(action: Any) -> tuple[PathSettings, dict[str, float]]:
    """The settings that a path was baked with, by the present names of what they name, and what each joint
    counts.

    Raises InertiaError when there is no recipe that can be read, or when something that it names is gone.
    """
    if not recipe.is_baked(action, recipe.PATH):
        raise recipe.no_recipe(action)
    with recipe.reading(action):
        values = json.loads(action[recipe.PATH])
        settings = PathSettings.from_dict(values["settings"])
        weights = {str(name): float(weight) for name, weight in values["weights"].items()}
        now = _names(settings.actions, action)
    followed, ground = action.get(recipe.FOLLOWED), action.get(recipe.GROUND)
    leads = settings.points or settings.wishes
    if not leads and not isinstance(followed, bpy.types.Object):
        raise InertiaError(
            'What "{action}" follows is gone; choose another curve or object and bake again.',
            action=action.name,
        )
    named = tuple(now.get(name, name) for name in settings.cycles)
    pins = [dataclasses.replace(pin, clip=now.get(pin.clip, pin.clip)) for pin in settings.pinned]
    fixed = [dataclasses.replace(pin, clip=now.get(pin.clip, pin.clip)) for pin in settings.entered]
    bans = [dataclasses.replace(ban, clip=now.get(ban.clip, ban.clip)) for ban in settings.banned]
    return dataclasses.replace(
        settings,
        transition=dataclasses.replace(settings.transition, result=action.name),
        actions=tuple(now.values()),
        cycles=named,
        speeds=tuple(f"{now.get(clip, clip)}={speed:.10g}" for clip, speed in settings.speed_of.items()),
        pins=tuple(map(str, pins)),
        bans=tuple(map(str, bans)),
        fixed=tuple(map(str, fixed)),
        wishes=settings.wishes_by(lambda name: now.get(name, name)),
        moves=tuple(now.get(name, name) for name in settings.moves),
        curve=followed.name if settings.curve else "",
        ground_object=ground.name if isinstance(ground, bpy.types.Object) else settings.ground_object,
        target=followed.name if settings.target else "",
        obstacles=surroundings.obstacles_now(action, settings.obstacles),
    ), weights


def plays_of(action: Any) -> tuple[Played, ...]:
    """What a baked path plays, by the present names of its actions; () for those of earlier versions.

    Raises InertiaError where the recipe can't be read, or an action is gone.
    """
    with recipe.reading(action):
        values = json.loads(action[recipe.PATH])
        now = _names(values["settings"]["actions"], action)
        return tuple(Played.from_dict(one, now) for one in values.get("plays", ()))


def _names(stored: Iterable[str], action: Any) -> dict[str, str]:
    """The present names of the actions that a path was made of, by those of then. Raises InertiaError."""
    found: dict[str, str] = {}
    for name, made in zip(stored, recipe.ingredients(action), strict=True):
        if made is None:
            raise InertiaError(
                '"{name}", which "{action}" was made from, is gone; choose other actions and bake again.',
                name=name,
                action=action.name,
            )
        found[name] = made.name
    return found


def playing(armature: Any) -> Any | None:
    """The baked path that is assigned, or else the topmost that plays as strips, if it can be made anew."""
    those = tracks.playing(armature)
    return next((one for one in those if recipe.is_baked(one, recipe.PATH) and one.is_editable), None)


def replaceable(armature: Any, followed: Any, result: str, strips: bool) -> Any | None:
    """The earlier path along an object whose place a new one can take: that which plays, or is named so.

    result: the name that was asked for, if any; what bears another one is to stay then. strips: what it is to
    be.
    """
    for action in (playing(armature), bpy.data.actions.get(result)):
        if action is None or not recipe.is_baked(action, recipe.PATH) or (result and action.name != result):
            continue
        is_such = action.get(recipe.FOLLOWED) == followed and recipe.is_strips(action) == strips
        if is_such and action.is_editable:
            return action
    return None


# --- what a path plays


@record(frozen=True)
class Played:
    """What a path plays from one of its frames on.

    action: the clip's, or that of which it is the mirror image. frame: of the path; entered: the clip's own
    then. angle, place: how the clip's ground is moved, radians and metres. bend: by how much it is bent,
    before it is mirrored, radians a second. moved: how all of it is moved where it begins, by who draws it to
    where it is steered: a turn, radians, and a shift, metres.
    """

    action: str
    mirrored: bool
    frame: float
    entered: float
    angle: float
    place: tuple[float, float]
    bend: float = 0.0
    moved: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @property
    def later(self) -> float:
        """How many frames later than by itself the clip plays."""
        return self.frame - self.entered

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], names: Mapping[str, str]) -> Self:
        """The inverse of ``dataclasses.asdict``. names: the actions' present ones, by those of then."""
        x, y = map(float, values["place"])
        numbers = {name: float(values[name]) for name in ("frame", "entered", "angle")}
        # earlier versions say nothing of bends
        numbers["bend"] = float(values.get("bend", 0.0))
        turn, across, along = map(float, values.get("moved", (0.0, 0.0, 0.0)))
        name, moved = str(values["action"]), (turn, across, along)
        return cls(names.get(name, name), bool(values["mirrored"]), place=(x, y), moved=moved, **numbers)


def plays_along(found: Found) -> tuple[Played, ...]:
    """What a way plays, one after the other."""
    made = []
    for join in found.way.joins:
        source, entered = found.stock.database.place(join.entered)
        frame = float(found.settings.first_frame + join.frame * found.stock.step)
        x, y = map(float, join.place)
        placed = float(entered), float(join.angle), (x, y), source.bend
        made.append(Played(source.name, source.mirrored, frame, *placed, _moved(found, join.frame)))
    return tuple(made)


def _moved(found: Found, frame: int) -> tuple[float, float, float]:
    """How a warp moves the world at a frame of a take; that of a path is a matter of centimetres."""
    if not found.settings.wishes:
        return 0.0, 0.0, 0.0
    matrix = found.warp.matrices()[frame]
    return float(found.warp.turn[frame]), float(matrix[0, 3]), float(matrix[1, 3])
