# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds what names mean: of some that are known, without Blender, and of those in the open file."""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
import fnmatch
import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ...errors import InertiaError
from ...settings.fill import FillSettings
from ...settings.matching import PathSettings, speeds_of
from ...settings.transition import TransitionSettings

Form = Callable[[str], str]
"""What a name may be called by; "" where it can't be called so."""


LEFT_OUT = "!"
"""Begins the name or pattern of what is left out."""


@functools.lru_cache(maxsize=2**14)
def fits(pattern: str, name: str) -> bool:
    """Return whether something is called so, or as a pattern says, which is one of file names."""
    if pattern == name:
        return True
    # what a data path has in brackets is no choice of letters
    return fnmatch.fnmatchcase(name, pattern.replace('["', '[[]"'))


def choose_armature(name: str | None, names: Sequence[str]) -> str:
    """Return the armature name that is meant: the given one, or the only one there is if `name` is None.

    An exact match wins; else the only one that differs in case alone. Raise InertiaError where there is none,
    no match, or no name and several; the error lists the names.
    """
    if not names:
        raise InertiaError("The file has no armature.")
    if name is not None:
        return _choose(name, names, (str,), 'There is no armature "{name}"; the file has {closest}.')
    if len(names) > 1:
        raise InertiaError(
            "The file has several armatures; choose one with --armature: {known}.", known=_list(names)
        )
    return names[0]


def choose_bone(name: str, names: Sequence[str]) -> str:
    """Return the bone of a name: exactly, or the only one that differs in case alone. Raise InertiaError,
    with the names there are, the closest first, for none or several."""
    return _choose(name, names, (str,), 'There is no bone "{name}"; the armature has {closest}.')


def choose_action(name: str, names: Sequence[str], armature: str) -> str:
    """Return the action of a name: exactly, or as an importer has named the clip ``name`` of this armature.

    A glTF clip is named ``Walk_Rig`` before Blender 4.4, and an FBX take ``Rig|Walk|Layer``. Case counts only
    where several names differ by it. Raise InertiaError with the names there are, the closest first.
    """
    forms: tuple[Form, ...] = (
        str,
        lambda text: text.removesuffix(f"_{armature}") if text.endswith(f"_{armature}") else "",
        lambda text: _take(text, armature),
    )
    return _choose(name, names, forms, 'There is no action "{name}"; the file has {closest}.')


def only_action(names: Sequence[str]) -> str:
    """Return the only action name there is. Raise InertiaError, which names them, for none or several."""
    if not names:
        raise InertiaError("The file has no action of the armature.")
    if len(names) > 1:
        raise InertiaError(
            "The file has several actions; choose one with --action: {known}.", known=_list(names)
        )
    return names[0]


def _choose(name: str, names: Sequence[str], forms: Sequence[Form], otherwise: str) -> str:
    """Return the known name that `name` means.

    forms: functions that each turn a known name into what it may be called by, tried in order: first for
    exact matches, then, again in order, regardless of case. A match counts if it is the only one of its form,
    or exact by the first form; of several such the first is returned. otherwise: the template of the error's
    sentence, with {name} and {closest}, all known names as :func:`_list` has them, the closest first, or
    "none at all". Raise InertiaError when no match counts.
    """
    for form in forms:
        exact = [text for text in names if form(text) == name]
        if len(exact) == 1 or (exact and form is forms[0]):
            return exact[0]
    for form in forms:
        alike = [text for text in names if form(text).casefold() == name.casefold()]
        if len(alike) == 1:
            return alike[0]
    closest = _list(_closest(name, names, forms)) if names else "none at all"
    raise InertiaError(otherwise, name=name, closest=closest)


def _take(text: str, armature: str) -> str:
    """Return the take in a name that Blender's FBX importer has made, "" when it made another."""
    parts = text.split("|")
    return parts[1] if len(parts) > 1 and parts[0] == armature else ""


def _closest(name: str, names: Sequence[str], forms: Sequence[Form]) -> list[str]:
    """Return all names, those that resemble `name` in any form first, the closest leading, then the rest as
    given.

    The five forms, at most, count that are closest to `name` by difflib.get_close_matches with a cutoff of
    0.5; several may be of one name, which comes once. Case is ignored, and so are empty forms. names: without
    doubles.
    """
    by_form = {form(text).casefold(): text for form in forms for text in reversed(names) if form(text)}
    alike = difflib.get_close_matches(name.casefold(), list(by_form), n=5, cutoff=0.5)
    close = list(dict.fromkeys(by_form[form] for form in alike))
    return close + [text for text in names if text not in close]


def _list(names: Sequence[str], limit: int = 12) -> str:
    """Return names in double quotes with commas between; behind the first `limit` how many more there are."""
    shown = ", ".join(f'"{name}"' for name in names[:limit])
    return shown if len(names) <= limit else f"{shown} and {len(names) - limit} more"


def find_armature(name: str | None) -> Any:
    """Return the armature object of the open file that is called so, or the only one there is for None. Raise
    InertiaError as :func:`choose_armature` does."""
    from . import rig

    armatures = {armature.name: armature for armature in rig.armatures()}
    return armatures[choose_armature(name, list(armatures))]


def resolve_transition(settings: TransitionSettings, armature: str) -> TransitionSettings:
    """Return settings with the source and the destination called as the open file has them.

    A name means the action of exactly that name; else the one that an importer has named so for the armature
    ("Walk_Rig", "Rig|Walk|Layer"); else the only one that differs in case alone. armature: its name. Where
    ``source_library`` or ``destination_library`` is not "", only actions linked from that file count; else
    all of the open file do. Raise InertiaError where a name, "" included, means no action or several.
    """
    import bpy

    chosen: dict[str, Any] = {}
    for field in ("source", "destination"):
        library = getattr(settings, field + "_library")
        names = [
            action.name
            for action in bpy.data.actions
            if not library or (action.library is not None and action.library.filepath == library)
        ]
        chosen[field] = choose_action(getattr(settings, field), sorted(names), armature)
    return dataclasses.replace(settings, **chosen)


def resolve_settings(settings: Any, armature: str) -> Any:
    """Return any feature's settings with all names of actions in them as the open file has them.

    armature: the armature's name. A TransitionSettings, also the one in settings of hops and gaps, goes
    through :func:`resolve_transition`; of all others see :func:`rename_actions`. Outside of transitions a
    name of "" means the only action of the armature. Raise InertiaError where a name means no action or
    several, or "" is given and there is not exactly one.
    """
    if isinstance(settings, TransitionSettings):
        return resolve_transition(settings, armature)
    if hasattr(settings, "transition") and not isinstance(settings, PathSettings):
        joins = resolve_transition(settings.transition, armature)
        settings = dataclasses.replace(settings, transition=joins)

    @functools.cache
    def find_name(name: str) -> str:
        return resolve([name], armature)[0]

    return rename_actions(settings, find_name)


def rename_actions(settings: Any, rename: Callable[[str], str]) -> Any:
    """Return any feature's settings with other names of the actions in them, but for those of a transition.

    They are ``action``; ``actions``, ``clips``, ``cycles`` and ``moves``, where these are tuples; and what
    paths and gaps say of single actions: speeds, pins, bans, wishes, poses on the way. rename: takes a name,
    and returns that in its place. Settings without any are returned as they are.
    """
    changes: dict[str, Any] = {}
    if hasattr(settings, "action"):
        changes["action"] = rename(settings.action)
    for field in ("actions", "clips", "cycles", "moves"):
        # a loop has cycles, too, and counts them
        listed = getattr(settings, field, None)
        if isinstance(listed, tuple):
            changes[field] = tuple(map(rename, listed))
    if isinstance(settings, PathSettings | FillSettings):
        speeds = speeds_of(settings.speeds)
        changes["speeds"] = tuple(f"{rename(clip)}={speed:.10g}" for clip, speed in speeds.items())
    if isinstance(settings, PathSettings):
        changes["wishes"] = settings.wishes_by(rename)
        of_clips: dict[str, tuple[Any, ...]] = {
            "pins": settings.pinned,
            "fixed": settings.entered,
            "bans": settings.banned,
        }
        for field, each in of_clips.items():
            changes[field] = tuple(str(dataclasses.replace(one, clip=rename(one.clip))) for one in each)
    changed = dataclasses.replace(settings, **changes) if changes else settings
    return changed.with_pose_actions(rename) if isinstance(changed, FillSettings) else changed


def resolve(names: Iterable[str], armature: str) -> tuple[str, ...]:
    """Return the names of actions as the file has them, see :func:`choose_action`; "" stands for the only one
    that fits the armature (by its name). Raise InertiaError for a name that fits none, and for "" where none
    or several fit.
    """
    import bpy

    known = sorted(action.name for action in bpy.data.actions)
    return tuple(
        choose_action(name, known, armature) if name else only_action(_find_fitting(armature))
        for name in names
    )


def _find_fitting(armature: str) -> list[str]:
    """Return the names, sorted, of the actions of the open file that have a slot for an armature with at
    least one curve in it, muted or not.

    armature: the name of an object; KeyError for none. The slot is the one that Blender would choose; bones
    that the armature lacks don't matter.
    """
    import bpy

    from . import actions, compat

    fitting = []
    for action in bpy.data.actions:
        with contextlib.suppress(InertiaError):
            slot = actions.choose_slot(action, bpy.data.objects[armature])
            if any(compat.curves(action, slot.identifier)):
                fitting.append(action.name)
    return sorted(fitting)
