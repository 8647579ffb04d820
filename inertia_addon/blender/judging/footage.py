# SPDX-License-Identifier: GPL-3.0-or-later
"""What was looked at of the two clips of a transition: another blend of the same two shows them alike."""

from __future__ import annotations

from collections.abc import Generator, Hashable
from typing import Any

import numpy as np

from ...motion.arrays import Array
from ...motion.cycles.clock import Clock
from ...motion.feet.legs import Leg
from ..data.actions import Clip
from ..evaluation import joint_motion
from ..feet.body import Played

Joints = tuple[tuple[str, ...], tuple[int, ...], int, tuple[int, ...], tuple[int, ...]]
"""Names, parents, the hips, the ends and the feet: see :class:`Evidence`."""
MOST = 4000
"""So many frames of a clip, at most, are kept."""
DECIMALS = 6
"""Frames that are equal up to here are the same."""


class Footage:
    """Where the bones of an armature are in the source and the destination, at the frames asked for so far.

    It holds for the two as they are: who keeps it has to know when they, or the armature, have changed.
    period: how many frames the destination's cycle has, inf for none, joints: which bones count, and legs
    and size: those of the armature, this in metres; None before that was looked at.
    passing: how fast the ground passes below them, and stepping: what Blender has played of the legs to lock
    feet, as far as that was looked at.
    """

    def __init__(self) -> None:
        self.period: float | None = None
        self.joints: Joints | None = None
        self.legs: tuple[Leg, ...] | None = None
        self.size: float | None = None
        self.stepping: Played = {}
        self.passing: dict[Hashable, Array | None] = {}
        self._kept: dict[tuple[int, Clock | None], dict[float, Array]] = {}

    def of(
        self, side: int, armature: Any, clip: Clip, frames: Array, ahead: Array
    ) -> Generator[float, None, Array]:
        """The positions (n, joints, 3) at frames (n,) of the clip's own time, metres, in the world; yields
        the part that is done.

        side: 0 for the source, 1 for the destination. ahead: (m,) the frames to look at as well, for later,
        where any is missing.
        """
        # with matched lengths a clip's frames are others for each blend
        kept, named = self._kept.setdefault((side, clip.clock), {}), np.round(frames, DECIMALS).tolist()
        if sum(map(len, self._kept.values())) > MOST:
            self._kept = {(side, clip.clock): kept}
            kept.clear()
        if any(frame not in kept for frame in named):
            every = np.union1d(np.round(frames, DECIMALS), np.round(ahead, DECIMALS))
            missing = np.array([frame for frame in every.tolist() if frame not in kept])
            found = yield from joint_motion.positions(armature, clip, missing)
            kept.update(zip(missing.tolist(), found, strict=True))
        return np.array([kept[frame] for frame in named])
