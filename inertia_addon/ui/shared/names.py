# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of bones and actions as lists and plots show them: without what all begin and end with, and as long
as fits.

Whoever shows one says the whole name in its tooltip; operators and files have whole names only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import bpy

from ...blender.data import clip_store, compat
from . import cache, wrap

SEPARATORS = ":|_- "
"""A prefix ends with one of these: ``mixamorig:``, ``Armature|``, ``dataset-2_``, ``DEF-``, ``Bip01 ``."""
LEAST = 3
"""So many names must share a prefix: that of two may be what they are about."""
DOTS = "…"


def shared_prefix(names: Sequence[str]) -> str:
    """What all names begin with, up to a separator; "" unless what is left of each begins with a letter."""
    if len(names) < LEAST:
        return ""
    first, last = min(names), max(names)
    same = next((i for i, pair in enumerate(zip(first, last, strict=False)) if len({*pair}) > 1), len(first))
    prefix = first[:same]
    while prefix and not (prefix[-1] in SEPARATORS and all(_says(name, prefix) for name in names)):
        prefix = prefix[:-1]
    return prefix


def _says(name: str, prefix: str) -> bool:
    return name[len(prefix) : len(prefix) + 1].isalpha()


def shared_suffix(names: Sequence[str]) -> str:
    """Likewise what all names end with, such as ``_Armature``."""
    if len(names) < LEAST:
        return ""
    same = 0
    while all(len(name) > same + 1 and name[-same - 1] == names[0][-same - 1] for name in names):
        same += 1
    suffix = names[0][len(names[0]) - same :]
    while suffix and not (suffix[0] in SEPARATORS and suffix[1:].replace("_", "").isalpha()):
        suffix = suffix[1:]
    return suffix


def bone(armature: Any, name: str) -> str:
    """A bone's or a control's name without what the names of all of the armature's bones share."""
    return name.removeprefix(of_bones(armature))


def of_bones(armature: Any) -> str:
    """The prefix that all bones of an armature share."""
    return cache.of_rig("rig:prefix", armature, lambda rig: shared_prefix(rig.data.bones.keys()), True)


def action(armature: Any, name: str) -> str:
    """An action's name without what the names of all of the armature's actions begin and end with."""
    key = (tuple(bpy.data.actions.keys()), compat.assigned(armature)[0] is None)

    def look() -> tuple[str, str]:
        every = [one.name for one in clip_store.unbaked(armature)]
        return shared_prefix(every), shared_suffix(every)

    prefix, suffix = cache.answer("actions:shared", armature, key, look)
    return name.removeprefix(prefix).removesuffix(suffix)


def fitted(text: str, room: float, measure: Callable[[str], float]) -> str:
    """A text that is no wider than a room, in the unit of ``measure``; its middle makes way, as names differ
    at their ends: ``LeftHa…umb4``."""
    if measure(text) <= room:
        return text
    for kept in range(len(text) - 1, 2, -1):
        head = (kept + 1) // 2
        shown = f"{text[:head]}{DOTS}{text[head - kept :]}"
        if measure(shown) <= room:
            return shown
    return f"{text[:2]}{DOTS}{text[-1:]}"


def fitted_for(context: Any, text: str, part: float, taken: float = 0.0) -> str:
    """A text for a part of the width of the region that is drawn now. taken: pixels at a UI scale of 1 that
    something else takes there."""
    room = wrap.room_for(context, part) - taken * float(context.preferences.system.ui_scale)
    return fitted(text, room, wrap.measure_for(context))
