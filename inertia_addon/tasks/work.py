# SPDX-License-Identifier: GPL-3.0-or-later
"""What a door lends to a task: the armature that is meant in the file that is open, and what runs steps."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from ..blender.data import actions, clip_store, compat
from ..blender.data.actions import Clip
from ..blender.data.roots import Root
from ..blender.evaluation import joint_motion
from ..blender.evaluation.joint_motion import Motion
from ..blender.hops.search import Prepared
from ..motion.steps import finish
from ..settings.hops import HopSettings
from . import hop_search

Result = TypeVar("Result")


class Work:
    """How a task works behind one of its doors.

    is_judged: whether gates look at what it makes. wanted: the files that it is to write, by the names of
    :class:`.task.Written`. outputs: in a batch, those of a kind of its own.
    """

    outputs: tuple[Path, ...] = ()

    def __init__(self, armature: Any, is_judged: bool, wanted: Mapping[str, Path] | None = None) -> None:
        self.armature, self.is_judged, self.wanted = armature, is_judged, wanted or {}

    def run(self, steps: Generator[float, None, Result], what: str) -> Result:
        """Run steps to their end; returns their result. what: is done, such as "searching"."""
        result = finish(steps)
        self.count(what)
        return result

    def count(self, what: str) -> None:
        """Take note that something is done."""

    def draft(self) -> Path:
        """Where long work keeps what is half done, for who comes behind."""
        raise NotImplementedError

    def weights(self) -> dict[str, float]:
        """The joints that count, by bone."""
        raise NotImplementedError

    def reading(self, action: Any, slot: compat.Slot) -> Generator[float, None, Clip]:
        """Read a slot of an action."""
        return actions.reading(action, slot)

    def evaluated(self, armature: Any, clip: Clip, root: Root) -> Generator[float, None, Motion]:
        """Evaluate a clip on its whole frames."""
        return joint_motion.whole(armature, clip, root)

    def prepared(self, settings: HopSettings, all_pairs: tuple[str, ...] = ()) -> Prepared:
        """Clips ready to be searched for hops. all_pairs: see :func:`hop_search.prepared`."""
        return hop_search.prepared(self.armature, settings, self.weights(), all_pairs)

    def clip(self, name: str, slot: str, library: str = "") -> Clip:
        """The clip of an action of the armature. Raises InertiaError."""
        action = actions.find(name, library)
        return finish(clip_store.reading(self.armature, action, slot, self.reading))
