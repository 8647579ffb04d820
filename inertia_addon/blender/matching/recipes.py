# SPDX-License-Identifier: GPL-3.0-or-later
"""What a baked path remembers of its making: its settings, its set of actions, what it follows and plays."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Self

import bpy

from ...records import record
from ..data import recipe
from ..data.recipe_reader import is_strips, read_noted, read_recipe
from ..nla import tracks
from . import surroundings
from .search import PathPlan


def note(result: Any, armature: Any, plan: PathPlan) -> None:
    """Write the recipe of a path into a result's custom properties; give the result and the actions that it
    plays a fake user, where they can be edited.

    :data:`recipe.PATH` gets a JSON text: ``settings``, with the names of all actions of the set, ``armature``
    (its name), ``weights`` (by joint), ``digest``, ``things`` (checksums of the objects kept, by key),
    ``plays`` (a dict for each of :func:`plays_along`) and, for a path that ends early only, ``short``, in
    metres.

    Pointers, which survive renaming, lead to the actions of the set in its order, played or not (HOP_ACTION
    and a number from 0), as a search chooses among all of them, to what is followed (FOLLOWED), the ground
    object (GROUND), and the obstacles: their collection (OBSTACLES) and its objects (OBSTACLE and a number
    from 0). Objects that are gone are left out. Raise KeyError, with nothing written, for a collection of
    obstacles that is gone.
    """
    settings, stock = plan.settings, plan.stock
    names = tuple(clip.action.name for clip in stock.clips)
    followed = {recipe.FOLLOWED: settings.curve or settings.target, recipe.GROUND: settings.ground_object}
    followed |= surroundings.note_obstacles(result, settings.obstacles)
    values: Mapping[str, Any] = {
        "settings": dataclasses.replace(settings, actions=names).as_dict(),
        "armature": armature.name,
        "weights": dict(stock.weights),
        "digest": stock.digest,
        "plays": [dataclasses.asdict(play) for play in plays_along(plan)],
    }
    if not plan.way.reached:
        values = {**values, "short": plan.short}
    recipe.store(result, recipe.PATH, values, [clip.action for clip in stock.clips], followed)
    for name in {source.name for source, _ in plan.entered}:
        recipe.keep(stock.clip(name).action)
    recipe.keep(result)


def plays_of(action: Any) -> tuple[PlayedClip, ...]:
    """Return what a baked path plays, in order, by the present names of its actions; () for a path of an
    earlier version.

    Raise InertiaError if the recipe can't be read, or if an action is gone.
    """
    stored = read_recipe(action, recipe.PATH)
    with recipe.refuse_unreadable(action):
        return tuple(PlayedClip.from_dict(play, stored.present) for play in stored.noted.get("plays", ()))


def short_of(action: Any) -> float:
    """Return how many metres before its path's end a baked path stops; 0 where it arrives. Raises
    InertiaError where the recipe can't be read."""
    with recipe.refuse_unreadable(action):
        return float(read_noted(action, recipe.PATH).get("short", 0.0))


def find_playing(armature: Any) -> Any | None:
    """Find the baked path that is assigned, or else the topmost one that plays as strips, if it can be
    baked anew.
    """
    those = tracks.find_playing(armature)
    return next(
        (action for action in those if recipe.is_baked(action, recipe.PATH) and action.is_editable), None
    )


def replaceable(armature: Any, followed: Any, result: str, *, strips: bool) -> Any | None:
    """Return the earlier path along an object whose place a new one can take, None for none.

    It is the one that plays, else the one of that name; it must follow the same object, be of the same kind
    and be editable. result: the name that was asked for, "" for any; a path of another name is kept. strips:
    whether the new one is to be strips.
    """
    for action in (find_playing(armature), bpy.data.actions.get(result)):
        if action is None or not recipe.is_baked(action, recipe.PATH) or (result and action.name != result):
            continue
        is_such = action.get(recipe.FOLLOWED) == followed and is_strips(action) == strips
        if is_such and action.is_editable:
            return action
    return None


# --- what a path plays


@record(frozen=True)
class PlayedClip:
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
        """Return a clip that was played, from what ``dataclasses.asdict`` made of it.

        Values are converted: numbers to float, ``mirrored`` to bool, ``action`` to str. ``bend`` and
        ``moved`` may be missing, as of earlier versions, and are zeros then; keys that are not known are
        passed over. names: the actions' present names, by the stored ones; a name that is not in it stays.

        Raise KeyError for another key that is missing, and TypeError or ValueError for what is no number, a
        ``place`` that is not two of them, or a ``moved`` that is not three.
        """
        x, y = map(float, values["place"])
        numbers = {name: float(values[name]) for name in ("frame", "entered", "angle")}
        # earlier versions say nothing of bends
        numbers["bend"] = float(values.get("bend", 0.0))
        turn, across, along = map(float, values.get("moved", (0.0, 0.0, 0.0)))
        name, moved = str(values["action"]), (turn, across, along)
        return cls(names.get(name, name), bool(values["mirrored"]), place=(x, y), moved=moved, **numbers)


def plays_along(plan: PathPlan) -> tuple[PlayedClip, ...]:
    """Return what a way plays, a :class:`PlayedClip` for each join in order, the beginning included.

    ``frame`` is the scene's, which need not be whole, ``entered`` the clip's own. ``angle`` and ``place`` (x,
    y) move the clip's ground, radians and metres, before the warp. ``bend`` is in radians a second,
    ``mirrored`` tells of a mirror image. ``moved`` (turn in radians, x, y in metres) is the warp at the
    join's frame, by which all of it is drawn to where it was steered; zeros for a path without wishes.
    """
    plays = []
    for join, begin, (source, entered) in zip(plan.way.joins, plan.begins, plan.entered, strict=True):
        moved = 0.0, 0.0, 0.0
        if plan.settings.wishes:  # how the warp of a path moves it is a matter of centimetres
            x, y = plan.warp.matrices()[join.frame, :2, 3].tolist()
            moved = float(plan.warp.turn[join.frame]), x, y
        x, y = map(float, join.place)
        plays.append(
            PlayedClip(
                source.name,
                source.mirrored,
                float(begin),
                float(entered),
                float(join.angle),
                (x, y),
                source.bend,
                moved,
            )
        )
    return tuple(plays)
