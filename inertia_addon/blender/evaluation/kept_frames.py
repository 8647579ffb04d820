# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames of clips as Blender has shown them of one character."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from ...motion.arrays import Floats
from ..data.actions import Clip

MOST_KEPT = 1_000_000
"""So many matrices, at most, are kept of a character: 64 megabytes."""


class KeptFrames:
    """What Blender has shown of a character, so that no frame of a clip is played twice for one task.

    It holds as long as neither the clips nor the armature change. Clips are told apart by their curves, and
    by where channels stand that have none.
    """

    def __init__(self) -> None:
        # the curves are kept, too, as they would lend others their identity once they are gone
        self._clips: dict[Hashable, tuple[Mapping[Any, Any], dict[float, Floats]]] = {}
        self._count = 0

    def find(self, clip: Clip, bones: frozenset[str] | None, time: float) -> Floats | None:
        """Return the matrices (1 + bones, 4, 4) that a clip shows at one of its frames, see :meth:`keep`;
        None where nothing is kept of it. bones: those that are asked for, None for all.
        """
        for shown_bones in (bones, None):
            kept = self._clips.get((_key_of(clip), shown_bones))
            if kept is not None and time in kept[1]:
                return kept[1][time]
        return None

    def keep(self, clip: Clip, bones: frozenset[str] | None, time: float, matrices: Floats) -> None:
        """Keep what a clip shows at one of its frames; drop what was kept first where that becomes too much.

        matrices: (1 + bones, 4, 4), of the object in the world, and of all bones in the armature. bones:
        those of which they tell, None for all.
        """
        key = (_key_of(clip), bones)
        self._clips.setdefault(key, (clip.curves, {}))[1][time] = matrices
        self._count += len(matrices)
        while self._count > MOST_KEPT and len(self._clips) > 1:
            _, frames = self._clips.pop(next(each for each in self._clips if each != key))
            self._count -= sum(map(len, frames.values()))


def _key_of(clip: Clip) -> Hashable:
    standing = None if clip.unkeyed is None else tuple(sorted(clip.unkeyed.items()))
    return id(clip.curves), clip.slot.identifier, standing
