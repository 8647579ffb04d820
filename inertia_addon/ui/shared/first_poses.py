# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes, in memory, how armatures stand that are imported or animated while the extension runs.

Blender's importers put the pose of a file into the bones, and the first action that plays overwrites it:
between the two there is one moment to see it.
"""

from __future__ import annotations

from typing import Any

import bpy
from bpy.app.handlers import persistent

from ...blender.data import compat, unkeyed

_waiting: set[int] = set()
"""The armatures that had no action when they were seen last, by their session_uid."""
_count = (-1, -1)
"""How many objects and armatures there were then."""


@persistent
def on_update(*_arguments: Any) -> None:
    """Note an armature that gets its first action, before this has moved it."""
    global _count
    count = (len(bpy.data.objects), len(bpy.data.armatures))
    if count == _count and not _waiting:
        return
    came, _count = count != _count, count
    # one that is being made has no pose yet
    for armature in [thing for thing in bpy.data.objects if thing.type == "ARMATURE"]:
        if compat.assigned(armature)[0] is None:
            if came:
                _waiting.add(armature.session_uid)
        elif armature.session_uid in _waiting:
            _waiting.discard(armature.session_uid)
            if armature.pose is not None and not unkeyed.was_keyed_so(armature):
                unkeyed.note(armature)


@persistent
def on_load(*_arguments: Any) -> None:
    """Begin anew with another file."""
    global _count
    _count = (-1, -1)
    _waiting.clear()
    unkeyed.forget()
