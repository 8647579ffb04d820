# SPDX-License-Identifier: GPL-3.0-or-later
"""Begins with the assigned action: the first time that the tab shows a character whose source is empty, its
own action becomes the source, with a cut that lies within it."""

from __future__ import annotations

import functools
from typing import Any

import bpy

from ...blender.data import compat, recipe
from ..shared import cache
from . import operators, outlook

_offered: set[int] = set()
"""The armatures that got their offer since the file was opened, by session_uid: who empties a field again
means that."""


def offer(armature: Any) -> None:
    """Have the assigned action become an armature's source soon, where both its actions are empty.

    To draw a panel must not change what it draws, so that this happens in a moment, and once for each
    armature. Nothing happens without a window, for what can't be edited, and for an assigned action that
    Inertia has baked.
    """
    if bpy.app.background or armature.session_uid in _offered:
        return
    _offered.add(armature.session_uid)
    if may_take(armature):
        cache.call_later(functools.partial(_take_named, armature.name))


def may_take(armature: Any) -> bool:
    """Tell whether the assigned action of an armature may become its source."""
    props, action = armature.inertia, compat.assigned(armature)[0]
    return (
        props.source is None
        and props.destination is None
        and armature.is_editable
        and armature.override_library is None
        and action is not None
        and not recipe.is_baked(action)
    )


def take(armature: Any) -> None:
    """Make the assigned action an armature's source, and the only other action its destination. The cut moves
    to the playhead, less the settings' shift, or where that is not inside, to the middle of the source, in
    whole frames; it stays where the source has no keys.
    """
    operators.take_assigned(armature, "source")
    span = outlook.clip_range(armature, "source")
    if span is None:
        return
    playhead = bpy.context.scene.frame_current_final - armature.inertia.shift
    middle = round((span[0] + span[1]) / 2.0)
    armature.inertia.cut = playhead if span[0] < playhead < span[1] else middle


def _take_named(name: str) -> None:
    armature = bpy.data.objects.get(name)
    if armature is not None and armature.type == "ARMATURE" and may_take(armature):
        take(armature)
        cache.redraw()


def forget() -> None:
    """Forget which armatures got their offer."""
    _offered.clear()
