# SPDX-License-Identifier: GPL-3.0-or-later
"""What was looked at of the two clips of a transition: another blend of the same two shows them alike."""

from __future__ import annotations

import copy
from collections.abc import Callable, Generator, Hashable, Sequence
from typing import Any

import numpy as np

from ...motion.arrays import Array
from ...motion.feet.legs import Leg
from ..data import actions, compat
from ..data.actions import Clip
from ..evaluation import joint_motion
from ..feet.body import Planted
from ..feet.targets import Leading

Joints = tuple[tuple[str, ...], tuple[int, ...], int, tuple[int, ...], tuple[int, ...]]
"""Names, parents, the hips, the ends and the feet: see :class:`Evidence`."""
MOST = 2000
"""So many frames of a clip, at most, are kept."""
Look = Callable[[Array], Generator[float, None, Array]]
"""Looks at frames (n,) of a clip."""
DECIMALS = 6
"""Frames that are equal up to here are the same."""


class Footage:
    """Where the bones of an armature are in the source and the destination, at the frames asked for so far.

    It holds for the two as they are: who keeps it has to know when they, or the armature, have changed. It
    refers to nothing in the file, which undo would leave dangling.
    period: how many frames the destination's cycle has, inf for none, joints: which bones count, and legs
    and size: those of the armature, this in metres; None before that was looked at.
    passing: how fast the ground passes below them, leading: what leads legs where constraints do, and
    planted: when feet are, as far as that was looked at.
    """

    def __init__(self) -> None:
        self.period: float | None = None
        self.joints: Joints | None = None
        self.legs: tuple[Leg, ...] | None = None
        self.size: float | None = None
        self.leading: dict[Hashable, Leading] = {}
        self.planted: Planted = {}
        self.passing: dict[Hashable, Array | None] = {}
        self._kept: dict[Hashable, dict[float, Array]] = {}
        self._read: dict[tuple[int, str], Clip] = {}

    def reading(self, action: Any, slot: compat.Slot) -> Generator[float, None, Clip]:
        """As :func:`actions.reading`, but keys that were read before are not read again."""
        key = (action.session_uid, slot.identifier)
        if key in self._read:
            yield 0.0
            return actions.again(self._read[key], action, slot)
        clip = yield from actions.reading(action, slot)
        self._read[key] = actions.detached(clip)
        return clip

    def nearby(self, clips: Sequence[Clip], near: Sequence[Clip]) -> Footage:
        """This footage for those who look at clips around where they meet only. near: what they have of
        them, of each the very same clip where that is all of it. Actions that both clips play stay whole."""
        made = copy.copy(self)
        made._read = dict(self._read)
        keys = [(clip.action.session_uid, clip.slot.identifier) for clip in clips]
        for key, whole, part in zip(keys, clips, near, strict=True):
            if part is not whole and keys.count(key) == 1:
                made._read[key] = actions.detached(part)
        return made

    def of(self, side: int, armature: Any, clip: Clip, frames: Array) -> Generator[float, None, Array]:
        """The positions (n, joints, 3) at frames (n,) of the clip's own time, metres, in the world; yields
        the part that is done.

        side: 0 for the source, 1 for the destination.
        """

        def look(missing: Array) -> Generator[float, None, Array]:
            return joint_motion.positions(armature, clip, missing)

        # with matched lengths a clip's frames are others for each blend
        return (yield from self._looked((side, clip.clock), look, frames, frames))

    def played(
        self, side: int, armature: Any, clip: Clip, frames: Array, ahead: Array
    ) -> Generator[float, None, Array]:
        """As :func:`of`, what Blender shows of the clip, see :func:`joint_motion.matrices`.

        ahead: (m,) the frames to look at as well, for later, where any is missing.
        """

        def look(missing: Array) -> Generator[float, None, Array]:
            found = yield from joint_motion.matrices(armature, clip, missing)
            return found.astype(np.float32)

        found = yield from self._looked((side, clip.clock, "played"), look, frames, ahead)
        return found.astype(float)

    def _looked(
        self, key: Hashable, look: Look, frames: Array, ahead: Array
    ) -> Generator[float, None, Array]:
        kept, named = self._kept.setdefault(key, {}), np.round(frames, DECIMALS).tolist()
        if sum(map(len, self._kept.values())) > MOST:
            self._kept = {key: kept}
            kept.clear()
        if any(frame not in kept for frame in named):
            every = {*named, *np.round(ahead, DECIMALS).tolist()}
            missing = np.array(sorted(every.difference(kept)))
            found = yield from look(missing)
            kept.update(zip(missing.tolist(), found, strict=True))
        return np.array([kept[frame] for frame in named])
