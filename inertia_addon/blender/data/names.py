# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds what a name on the command line means."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import bpy

from ...errors import InertiaError
from ...settings.hops import HopSettings
from ...settings.matching import PathSettings
from ...settings.transition import TransitionSettings
from . import actions, compat, rig

Form = Callable[[str], str]
"""What a name may be called by; "" where it can't be called so."""


def choose_armature(name: str | None, known: Sequence[str]) -> str:
    """The armature of a name, or the only one there is when no name is given.

    Raises InertiaError with the names to choose from.
    """
    if not known:
        raise InertiaError("The file has no armature.")
    if name is None:
        if len(known) > 1:
            raise InertiaError(
                "The file has several armatures; choose one with --armature: {known}.", known=_list(known)
            )
        return known[0]
    return _choose(name, known, (str,), 'There is no armature "{name}"; the file has {closest}.')


def choose_bone(name: str, known: Sequence[str]) -> str:
    """The bone of a name; what differs in case only is found too. Raises InertiaError with the closest."""
    return _choose(name, known, (str,), 'There is no bone "{name}"; the armature has {closest}.')


def choose_action(name: str, known: Sequence[str], armature: str) -> str:
    """The action of a name: exactly, or as an importer has named the clip ``name`` of this armature.

    A glTF clip is named ``Walk_Rig`` before Blender 4.4, and an FBX take ``Rig|Walk|Layer``. What
    differs in case only is found too when nothing else does. Raises InertiaError with the names there
    are, the closest first.
    """
    forms: tuple[Form, ...] = (
        str,
        lambda text: text.removesuffix(f"_{armature}") if text.endswith(f"_{armature}") else "",
        lambda text: _take(text, armature),
    )
    return _choose(name, known, forms, 'There is no action "{name}"; the file has {closest}.')


def only_action(known: Sequence[str]) -> str:
    """The only action there is. Raises InertiaError with the names to choose from."""
    if not known:
        raise InertiaError("The file has no action of the armature.")
    if len(known) > 1:
        raise InertiaError(
            "The file has several actions; choose one with --action: {known}.", known=_list(known)
        )
    return known[0]


def _choose(name: str, known: Sequence[str], forms: Sequence[Form], otherwise: str) -> str:
    """The one that is called so, exactly or but for case. otherwise: the template of the error's sentence."""
    for form in forms:
        exact = [text for text in known if form(text) == name]
        if len(exact) == 1 or (exact and form is forms[0]):
            return exact[0]
    for form in forms:
        alike = [text for text in known if form(text).casefold() == name.casefold()]
        if len(alike) == 1:
            return alike[0]
    closest = _list(_closest(name, known, forms)) if known else "none at all"
    raise InertiaError(otherwise, name=name, closest=closest)


def _take(text: str, armature: str) -> str:
    """The take in a name that Blender's FBX importer has made, "" when it made another."""
    parts = text.split("|")
    return parts[1] if len(parts) > 1 and parts[0] == armature else ""


def _closest(name: str, known: Sequence[str], forms: Sequence[Form]) -> list[str]:
    """All names, those that look like the one asked for first."""
    by_form = {form(text).casefold(): text for form in forms for text in reversed(known) if form(text)}
    alike = difflib.get_close_matches(name.casefold(), list(by_form), n=5, cutoff=0.5)
    close = list(dict.fromkeys(by_form[form] for form in alike))
    return close + [text for text in known if text not in close]


def _list(names: Sequence[str], limit: int = 12) -> str:
    shown = ", ".join(f'"{name}"' for name in names[:limit])
    return shown if len(names) <= limit else f"{shown} and {len(names) - limit} more"


def find_armature(name: str | None) -> Any:
    """The armature object of a name, or the only one there is."""
    known = {found.name: found for found in rig.armatures()}
    return known[choose_armature(name, list(known))]


def with_found_names(settings: TransitionSettings, armature: str) -> TransitionSettings:
    """Settings with the names of the actions as the file has them."""
    found: dict[str, Any] = {}
    for field in ("source", "destination"):
        library = getattr(settings, field + "_library")
        known = [
            action.name
            for action in bpy.data.actions
            if not library or (action.library is not None and action.library.filepath == library)
        ]
        found[field] = choose_action(getattr(settings, field), sorted(known), armature)
    return dataclasses.replace(settings, **found)


def with_found_names_of_hops(settings: HopSettings, armature: str) -> HopSettings:
    """Settings of hops with the names of the actions, the clips between included, as the file has them."""
    return dataclasses.replace(
        settings,
        transition=with_found_names(settings.transition, armature),
        clips=found_names(settings.clips, armature),
        cycles=found_names(settings.cycles, armature),
    )


def with_found_names_of_path(settings: PathSettings, armature: str) -> PathSettings:
    """Settings of a path with the names of the actions, pinned, forbidden and wished ones, as the file has
    them."""

    def found(clip: str) -> str:
        return found_names([clip], armature)[0]

    return dataclasses.replace(
        settings,
        actions=found_names(settings.actions, armature),
        wishes=settings.wishes_by(found),
        moves=found_names(settings.moves, armature),
        cycles=found_names(settings.cycles, armature),
        speeds=tuple(f"{found(clip)}={speed:.10g}" for clip, speed in settings.speed_of.items()),
        pins=tuple(str(dataclasses.replace(pin, clip=found(pin.clip))) for pin in settings.pinned),
        fixed=tuple(str(dataclasses.replace(pin, clip=found(pin.clip))) for pin in settings.entered),
        bans=tuple(str(dataclasses.replace(ban, clip=found(ban.clip))) for ban in settings.banned),
    )


def found_names(given: Iterable[str], armature: str) -> tuple[str, ...]:
    """The names of actions as the file has them; "" is the only one of the armature."""
    known = sorted(action.name for action in bpy.data.actions)

    def chosen(name: str) -> str:
        return choose_action(name, known, armature) if name else only_action(_fitting(armature))

    return tuple(chosen(name) for name in given)


def _fitting(armature: str) -> list[str]:
    """The names of the actions that animate an armature."""
    found = []
    for action in bpy.data.actions:
        try:
            slot = actions.choose_slot(action, bpy.data.objects[armature])
        except InertiaError:
            continue
        if any(compat.curves(action, slot.identifier)):
            found.append(action.name)
    return sorted(found)
