# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be registered, each with how to take exactly that back."""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Iterable
from typing import Any

import bpy
from bpy.props import PointerProperty

from ...records import record

OVERRIDE = {"LIBRARY_OVERRIDABLE"}
"""What may be set on a library override."""


@record(frozen=True)
class Part:
    """Something to register, and how to take exactly that back."""

    register: Callable[[], object]
    unregister: Callable[[], object]


def classes(*found: Iterable[type]) -> Iterable[Part]:
    """Classes of Blender's types."""
    for cls in itertools.chain(*found):
        yield Part(
            functools.partial(bpy.utils.register_class, cls),
            functools.partial(bpy.utils.unregister_class, cls),
        )


def pointer(name: str, group: type, owner: str = "Object", label: str = "", override: bool = True) -> Part:
    """A group of properties that a type of Blender's gets; what was saved of it in files stays there.

    name: its words are the label, unless another one is given; what the group's docstring says first is the
    tooltip. override: whether library overrides may set it.
    """
    label = label or name.replace("_", " ").title()
    said = " ".join((inspect.getdoc(group) or "").partition("\n\n")[0].split())

    def register() -> None:
        options = {"override": OVERRIDE} if override else {}
        made = PointerProperty(name=label, description=said.rstrip("."), type=group, **options)
        setattr(getattr(bpy.types, owner), name, made)

    return Part(register, lambda: delattr(getattr(bpy.types, owner), name))


def handler(moment: str, function: Callable[..., Any]) -> Part:
    """A function that is called at a moment, one of those of ``bpy.app.handlers``."""

    def unregister() -> None:
        functions = getattr(bpy.app.handlers, moment)
        # another script may have emptied the list
        if function in functions:
            functions.remove(function)

    return Part(lambda: getattr(bpy.app.handlers, moment).append(function), unregister)


def forgetting(forget: Callable[[], object]) -> Part:
    """What is kept in memory, and goes at the end."""
    return Part(lambda: None, forget)
