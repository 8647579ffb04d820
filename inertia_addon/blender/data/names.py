# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds what a name on the command line means."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence

from ...errors import InertiaError

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
