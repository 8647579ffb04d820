# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads what a result of any kind remembers of its making, as this or an earlier version has stored it."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
from collections.abc import Mapping
from typing import Any

import bpy

from ...errors import InertiaError
from ...motion.steps import finish
from ...records import record
from ...settings.feet import LockSettings
from ...settings.fewer_keys import FewerKeysSettings
from ...settings.fields import Record
from ...settings.fill import FillSettings
from ...settings.finish import FinishSettings
from ...settings.hops import HopSettings
from ...settings.loops import LoopSettings
from ...settings.matching import PathSettings
from ...settings.pops import PopSettings
from ...settings.transition import BLEND_SECONDS, TransitionSettings
from ...settings.travel import TravelSettings
from . import actions, names, recipe, result_kinds, scene

SETTINGS: Mapping[str, type[Record]] = {
    result_kinds.RECIPE: TransitionSettings,
    result_kinds.HOP: HopSettings,
    result_kinds.PATH: PathSettings,
    result_kinds.LEARNED: PathSettings,
    result_kinds.FILL: FillSettings,
    result_kinds.LOOP: LoopSettings,
    result_kinds.FINISH: FinishSettings,
    result_kinds.FEET: LockSettings,
    result_kinds.KEYS: FewerKeysSettings,
    result_kinds.POPS: PopSettings,
    result_kinds.TRAVEL: TravelSettings,
}
"""The class of the settings of each kind of results."""
BY_ENDS = (result_kinds.RECIPE, result_kinds.HOP)
"""The kinds that begin with the first of the actions that they were made of, and end with the last."""


@record(frozen=True, eq=False)
class Recipe:
    """What a result remembers of its making, in the form of this version and with present names.

    kind: of the result, see :func:`recipe.kind`. settings: those that it was made with. used: the names of
    the actions that it was made of, in order, which :func:`recipe.ingredients` has. noted: what its kind has
    noted besides, as JSON values that are not to be changed, with the names of that time. present: of these
    names the present ones.
    """

    kind: str
    settings: Any
    used: tuple[str, ...]
    noted: Mapping[str, Any]
    present: Mapping[str, str]

    @property
    def weights(self) -> dict[str, float]:
        """What each joint counted, by name."""
        return {str(name): float(weight) for name, weight in self.noted["weights"].items()}


@record(frozen=True)
class _Present:
    """How what a recipe names is called now. used: names and libraries of the actions, in order. things: the
    names of objects and collections that are there, with the keys that they are kept under."""

    result: str
    used: tuple[tuple[str, str], ...]
    things: tuple[tuple[str, str], ...]


def read_recipe(action: Any, kind: str = "", *, by_name: bool = False) -> Recipe:
    """Return what a result remembers of its making.

    kind: that the result must be of, "" for any. by_name: whether an action that is gone may be replaced by
    one that bears the name stored for it. What recipes of earlier versions don't say has the values that it
    had then. Of things, those that are gone keep their old names, but for what a path follows.

    Raise InertiaError if the action is no result of that kind, its recipe can't be read or is of a later
    version, its settings are not valid, or an action that it was made of, or what it follows, is gone.
    """
    own = recipe.kind(action)
    if not own or (kind and own != kind) or own not in SETTINGS:
        raise recipe.no_recipe(action)
    with recipe.refuse_unreadable(action):
        text = str(action[recipe.key_of(action)])
        noted = _parse(text, own, scene.fps())
        used = _find_used(action, noted["used"], by_name=by_name)
        things = tuple((key, thing.name) for key, thing in recipe.find_kept_things(action).items())
        present = _Present(action.name, used, things)
        settings = _read_settings(text, own, scene.fps(), present)
        if isinstance(settings, PathSettings):
            _check_followed(action, settings, dict(things))
        now = [name for name, _ in used]
        return Recipe(own, settings, tuple(now), noted, dict(zip(noted["used"], now, strict=True)))


def read_noted(action: Any, kind: str) -> Mapping[str, Any]:
    """Return what a result of a kind has noted of its making, as JSON values in the form of this version that
    are not to be changed, whatever has become of what it was made of.

    Names are those of that time. Raise InertiaError if the action is no such result, or its recipe can't be
    read.
    """
    if recipe.kind(action) != kind:
        raise recipe.no_recipe(action)
    with recipe.refuse_unreadable(action):
        return _parse(str(action[recipe.key_of(action)]), kind, scene.fps())


def _find_used(action: Any, stored: list[str], *, by_name: bool) -> tuple[tuple[str, str], ...]:
    """Return the present names, with the paths of their libraries, of the actions that a result was made of.

    stored: their names when it was made. Raise InertiaError for one that is gone, and ValueError if they are
    not as many as the result keeps.
    """
    used = []
    for name, kept in zip(stored, recipe.ingredients(action), strict=True):
        found = bpy.data.actions.get(name) if kept is None and by_name else kept
        if found is None:
            raise InertiaError(
                '"{name}", which "{action}" was made from, is gone; choose other actions and bake again.',
                name=name,
                action=action.name,
            )
        used.append((found.name, found.library.filepath if found.library else ""))
    return tuple(used)


def _check_followed(action: Any, settings: PathSettings, named: Mapping[str, str]) -> None:
    """Raise InertiaError where the object that a path follows is gone. named: of objects, by their keys."""
    if not (settings.points or settings.wishes or recipe.FOLLOWED in named):
        raise InertiaError(
            'What "{action}" follows is gone; choose another curve or object and bake again.',
            action=action.name,
        )


@functools.lru_cache(maxsize=64)
def _parse(text: str, kind: str, fps: float) -> dict[str, Any]:
    """Return a stored recipe in the form of this version. The last 64 are kept: they must not be changed.

    fps: frames a second of the scene. Raise InertiaError for one of a later version, and ValueError,
    LookupError, TypeError or AttributeError for a text that is no recipe.
    """
    values: dict[str, Any] = json.loads(text)
    form = values.get("form", 1 if "whole_frames" in values or kind not in result_kinds.KINDS else 0)
    if form > recipe.FORM:
        raise InertiaError("The recipe was stored by a later version of Inertia; update Inertia to use it.")
    settings = values["settings"]
    joins = settings.get("transition", settings)
    if form < 1 and joins.get("blend_frames") is None:
        # it was no whole number of frames then
        joins["blend_frames"] = BLEND_SECONDS * fps
    if form < 2:
        if kind in BY_ENDS:
            # cycles and feet were not looked for
            for name in ("source_cycle", "destination_cycle", "feet"):
                joins.setdefault(name, "OFF")
        if kind == result_kinds.HOP:
            settings.setdefault("find_cycles", False)
        values["used"] = _list_used(values, kind)
    return values


def _list_used(values: Mapping[str, Any], kind: str) -> list[str]:
    """Return the names of the actions that a result was made of, by a recipe that does not list them."""
    settings = values["settings"]
    joins = settings.get("transition", settings)
    if kind in BY_ENDS:
        through = values["way"]["clips"] if kind == result_kinds.HOP else ()
        return [joins["source"], *through, joins["destination"]]
    if kind == result_kinds.FILL:
        return [*values["used"]]
    if kind == result_kinds.PATH:
        return [*settings["actions"]]
    return [] if kind == result_kinds.LEARNED else [settings["action"]]


@functools.lru_cache(maxsize=64)
def _read_settings(text: str, kind: str, fps: float, present: _Present) -> Any:
    """Return the settings of a stored recipe with present names. The last 64 are kept, as panels ask for them
    in each redraw; errors are those of :func:`_parse`, and InertiaError for settings that are not valid.
    """
    noted, things = _parse(text, kind, fps), dict(present.things)
    settings: Any = SETTINGS[kind].from_dict(noted["settings"])
    now = [name for name, _ in present.used]
    renamed = dict(zip(noted["used"], now, strict=True))
    joins = settings if kind == result_kinds.RECIPE else getattr(settings, "transition", None)
    if joins is None:
        changes = {"result": present.result}
        if hasattr(settings, "library"):
            changes["library"] = present.used[0][1]
        settings = dataclasses.replace(settings, **changes)
    else:
        ends = {"source": joins.source, "destination": joins.destination}
        if kind in BY_ENDS:
            ends = {"source": now[0], "destination": now[-1]}
        elif kind == result_kinds.FILL:
            ends = {field: renamed[name] for field, name in ends.items()}
        if kind == result_kinds.RECIPE:
            ends |= {"source_library": present.used[0][1], "destination_library": present.used[-1][1]}
            ends["warp_object"] = things.get(recipe.ARRIVAL, "") if joins.warp_object else ""
            ends["warp_object"] = ends["warp_object"] or joins.warp_object
        joins = dataclasses.replace(joins, result=present.result, **ends)
        settings = joins if kind == result_kinds.RECIPE else dataclasses.replace(settings, transition=joins)
    settings = names.rename_actions(settings, lambda name: renamed.get(name, name))
    if not isinstance(settings, PathSettings | FillSettings):
        return settings
    more: dict[str, Any] = {
        "obstacles": things.get(recipe.OBSTACLES, settings.obstacles) if settings.obstacles else ""
    }
    if isinstance(settings, PathSettings):
        followed = things.get(recipe.FOLLOWED, "")
        more |= {name: followed for name in ("curve", "target") if getattr(settings, name) and followed}
        more["ground_object"] = things.get(recipe.GROUND, settings.ground_object)
    return dataclasses.replace(settings, **more)


def is_strips(action: Any) -> bool:
    """Return whether a result plays as strips: the offset of a transition, or the clips of a path or a fill.

    For a transition ``strips`` of its settings is returned. For a path or a fill the text of its recipe is
    searched for '"strips": true', even if it can't be read otherwise. False for a transition whose recipe
    can't be read or one of whose actions is gone, for other kinds of result, and for what is no result.
    """
    if recipe.is_baked(action, recipe.PATH, recipe.FILL):
        return '"strips": true' in str(action[recipe.key_of(action)])
    try:
        return bool(read_recipe(action, recipe.RECIPE).settings.strips)
    except InertiaError:
        return False


def has_changed(action: Any, armature: Any) -> bool:
    """Return whether what a result was made of looks different from when it was baked.

    Its actions are read again and compared with the digest in its recipe; the armature only helps to choose
    their slots there, so that a change of the rig itself is not seen. True, too, if it can't be told: an
    action is gone, or it or the recipe can't be read. False for hops, paths and fills of older versions,
    which have no digest, for what a model has played, and for an action that is no result. Nothing is raised
    for unreadable recipes or actions.
    """
    used, kind = recipe.ingredients(action), recipe.kind(action)
    if not used or not kind:
        return False
    if None in used:
        return True
    with contextlib.suppress(InertiaError), recipe.refuse_unreadable(action):
        noted = read_noted(action, kind)
        stored, asked = noted.get("digest"), noted["settings"]
        if kind == recipe.RECIPE:
            slots = (asked.get(name, "") for name in ("source_slot", "destination_slot"))
            source, destination = (
                actions.read(end, actions.choose_slot(end, armature, slot))
                for end, slot in zip(used, slots, strict=True)
            )
            return bool(recipe.digest(source, destination) != stored)
        if stored is None:
            return False  # older ones have none
        if kind in recipe.KINDS:
            return bool(stored != recipe.digest_of(used, armature))
        slot = actions.choose_slot(used[0], armature, asked.get("slot", ""))
        clip = finish(actions.read_lazily_steps(used[0], slot))
        return bool(stored != recipe.digest_rewriting(clip, noted.get("bones")))
    return True
