# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields to choose an action in: those of the armature first, then those of a few bones, then all others.

Blender lists data-blocks by their names alone. So an animator is shown a text, with a search that keeps its
order, which stands for the pointer that is stored; scripts set that.
"""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import StringProperty

from ...blender.data import actions, clip_store, compat, recipe, rig
from ...errors import InertiaError
from ..shared import cache, words
from ..shared.made_of import plain
from ..translations import language, translated
from . import fields

Candidate = tuple[str, str]
"""A name, and what is said of it at the right of a search's row."""
WHOLE = 0.5
"""What keys this part of the bones that the fullest clip keys, is no clip of a part of the body."""


def picker(pointer: str, name: str, tip: str) -> Any:
    """A field for the action that a property group's pointer holds; it is drawn by :func:`draw`.

    It can't be overridden: Blender would call it from threads in which it compares an override with what
    that overrides, and to follow a pointer there ends it.
    """

    def get(own: Any) -> str:
        action = getattr(own, pointer)
        return action.name_full if action is not None else ""

    def put(own: Any, value: str) -> None:
        found = [action for action in bpy.data.actions if action.name_full == value]
        setattr(own, pointer, found[0] if found else None)

    return plain(StringProperty, name, tip, get=get, set=put, search=search, search_options=set())


def draw(layout: Any, own: Any, pointer: str, text: str | None = None) -> None:
    """The field of a property group's pointer; of a library override, the pointer itself."""
    if own.id_data.override_library is not None:
        layout.prop(own, pointer, text=text)
    else:
        layout.prop(own, f"{pointer}_name", text=text)  # an icon would take the room of three letters


def search(data: Any, context: Any, text: str) -> list[Candidate]:
    """The actions whose full names hold a text, those of the armature first."""
    armature = fields.armature_of(data, context)
    if armature is None:
        return []
    wanted = text.casefold()
    return [(name, said) for name, said in offered(armature) if wanted in name.casefold()]


def search_names(data: Any, context: Any, text: str) -> list[Candidate]:
    """The actions whose names hold a text, as scripts know them; an operator has the file of a linked one
    apart."""
    found = {action.name_full: action.name for action in bpy.data.actions}
    return [(found[name], said) for name, said in search(data, context, text) if name in found]


def offered(armature: Any) -> list[Candidate]:
    """All actions of objects by their full names, in the order in which they are offered.

    Blender asks at each redraw, whether the name in a field is among them.
    """
    names = tuple(action.name_full for action in bpy.data.actions)
    return cache.of_rig("rig:actions", armature, ranked, key=(names, language()))


def ranked(armature: Any) -> list[Candidate]:
    """All actions of objects by their full names, in the order in which they are offered, looked at anew.

    First those of the armature's whole body, then those of a few of its bones, what Inertia has baked, and
    what animates others; each by name.
    """
    found = [(action, len(_bones(action, armature))) for action in bpy.data.actions if _of_objects(action)]
    fitting = {action for action, _ in found if clip_store.fits(action, armature)}
    fullest = max((count for action, count in found if action in fitting), default=0)
    groups: tuple[list[Candidate], ...] = ([], [], [], [])
    for action, count in found:
        name = action.name_full
        if action not in fitting:
            groups[3].append((name, _owner(action)))
        elif recipe.is_baked(action):
            groups[2].append((name, translated("baked")))
        elif count < WHOLE * fullest:
            groups[1].append((name, words.count(count, "bone")))
        else:
            groups[0].append((name, ""))
    return [entry for group in groups for entry in group]


def _of_objects(action: Any) -> bool:
    return any(slot.id_type in ("OBJECT", "UNSPECIFIED") for slot in compat.slots(action))


def _bones(action: Any, armature: Any) -> set[str]:
    """The bones of an armature that an action keys."""
    try:
        slot = actions.choose_slot(action, armature)
    except InertiaError:
        return set()
    paths = {curve.data_path for curve in compat.curves(action, slot.identifier)}
    return {rig.split_path(path)[0] or "" for path in paths} & {*armature.data.bones.keys()}


def _owner(action: Any) -> str:
    """Whom an action animates that is none of the armature's, where it says so."""
    named = next((slot.identifier[2:] for slot in compat.slots(action) if slot.identifier), "")
    return named or translated("not of this armature")
