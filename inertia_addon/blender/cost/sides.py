# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips in character space: their joints as seen from the root's place, in the direction it faces."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...motion.arrays import Array, Integers
from ...motion.cycles.cycle import Cycle
from ...motion.pops.teleports import Teleport
from ...motion.skeleton import character_space
from ...records import record
from ..evaluation.joint_motion import JointMotion


@record(frozen=True, eq=False)
class ComparedSide:
    """A clip in character space: frames (n,), positions and velocities (n, joints, 3).

    windows: of dead blending, (n, samples, joints, 3), see :mod:`dead_blending`. cycle: what of it repeats.
    teleports: where the character jumps.
    """

    frames: Array
    positions: Array
    velocities: Array
    windows: Array | None = None
    cycle: Cycle | None = None
    teleports: tuple[Teleport, ...] = ()

    def at(self, frame: float, fps: float) -> ComparedSide:
        """Return the clip at one frame, with n = 1; it may lie between whole ones, and in any repetition of a
        cycle.

        Between frames positions follow the cubic that has the velocities at both, and velocities and windows
        are mixed linearly. Beyond the clip's ends the motion goes on in a line with the end's velocity;
        windows are those of the end. fps: frames a second, as velocities are metres a second. ``frames``
        holds the clip's own frame, that of the first repetition for a cycle. What is returned has no cycle
        and no teleports.
        """
        frame = self.find_clip_frame(frame)
        position, velocity = character_space.interpolated(
            self.frames, self.positions, self.velocities, frame, fps
        )
        windows = None
        if self.windows is not None:
            # the nearer of both neighbours' more
            last = len(self.frames) - 1
            i = int(np.clip(np.searchsorted(self.frames, frame, "right") - 1, 0, max(last - 1, 0)))
            after = min(i + 1, last)
            gap = max(float(self.frames[after] - self.frames[i]), 1e-9)
            part = float(np.clip((frame - self.frames[i]) / gap, 0.0, 1.0))
            windows = np.asarray((1.0 - part) * self.windows[i] + part * self.windows[after])[None]
        return ComparedSide(np.array([frame]), position[None], velocity[None], windows)

    def find_clip_frame(self, frame: float) -> float:
        """Return the frame of the clip that is shown at a frame of any of a cycle's repetitions."""
        if self.cycle is None:
            return frame
        return float(self.cycle.wrapped([frame], float(self.frames[0]))[0][0])

    def at_all(self, frames: Array, fps: float) -> ComparedSide:
        """Return the clip at some of its own frames (n,), or at any single one."""
        if len(frames) == 1:
            return self.at(float(frames[0]), fps)
        return self.taken(np.searchsorted(self.frames, frames))

    def taken(self, indices: Integers | slice) -> ComparedSide:
        """Return the clip at the frames with some indices."""
        windows = None if self.windows is None else self.windows[indices]
        return ComparedSide(
            self.frames[indices],
            self.positions[indices],
            self.velocities[indices],
            windows,
            self.cycle,
            self.teleports,
        )


def view_from_root(alignment: str, motions: Sequence[JointMotion], joints: list[int]) -> list[ComparedSide]:
    """Return some joints of clips in character space, a :class:`ComparedSide` for each clip with ``frames``
    (n,), ``positions`` and ``velocities`` (n, joints, 3), the cycle and the teleports: without what of place
    and heading is aligned.

    alignment: of a bake, never AUTO. NONE leaves positions and velocities as they are in the world. With
    HEIGHT in it the root's height is taken from positions. With POSITION or HEADING in it the root's place
    over the ground is taken from positions, and with HEADING positions and velocities are turned by minus the
    root's heading. The root's own velocity is never subtracted. joints: their indices, in the order of the
    result.
    """
    reference = character_space.upright([motion.root_rotation for motion in motions])
    sides = []
    for motion in motions:
        positions, velocities = motion.positions[:, joints], motion.velocities[:, joints]
        if "HEIGHT" in alignment:
            positions = positions - motion.root_position[:, None] * character_space.VERTICAL
        if alignment not in ("NONE", "HEIGHT"):
            heading = np.zeros(len(motion.frames))
            if "HEADING" in alignment:
                heading = character_space.headings(motion.root_rotation, reference)
            positions, velocities = character_space.to_character_space(
                positions, velocities, motion.root_position, heading
            )
        sides.append(
            ComparedSide(motion.frames, positions, velocities, cycle=motion.cycle, teleports=motion.teleports)
        )
    return sides
