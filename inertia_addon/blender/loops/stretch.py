# SPDX-License-Identifier: GPL-3.0-or-later
"""A stretch of a clip that shall loop, and the rigid motion that each cycle adds."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from ...errors import InertiaError
from ...motion import quaternion
from ...motion.arrays import Array
from ...motion.cycles.cycle import Cycle
from ...motion.loops import closing
from ...motion.skeleton import character_space
from ...motion.skeleton.posing import Rig
from ...records import record
from ...settings.loops import LoopSettings
from ..data.actions import Clip
from ..data.roots import Root
from ..evaluation import cycles, joint_motion
from ..evaluation.character import Character
from ..evaluation.joint_motion import JointMotion

LED = 0.05
"""A root that gets no further than this part of the character's size stays in place ..."""
CLIMBS = 0.15
"""... and one that rises by less than this part of its way, or of the size, stays on its level."""
SHORTEST = 2.0
"""What is no longer, in frames, is a pose."""
OUTSIDE = 1e-3
"""Frames nearer than this to a clip's own are within it."""


class AlreadyLoops(InertiaError):
    """The end of the frames flows into their beginning as it is."""


@record(frozen=True, eq=False)
class LoopStretch:
    """A stretch of a clip.

    cycle: its ends, and the motion of the world that each repetition adds. fps: frames a second. joints: the
    places of the bones that the clip moves, but for those above its root where that goes somewhere; these
    stay behind.
    """

    clip: Clip
    root: Root
    cycle: Cycle
    fps: float
    joints: list[int]

    def behind(self, rig: Rig) -> list[int]:
        """Return the indices of the bones that stay behind: all from which the root hangs, its parent first;
        [] where the cycle does not travel or the object is the root.
        """
        names = rig.bones.above(self.root.name) if self.cycle.moves and not self.root.is_object else ()
        return [rig.bones.names.index(name) for name in names]

    @property
    def frames(self) -> Array:
        """The frames of it that the result has keys for: from its start on, and its end."""
        start, end = self.cycle.start, self.cycle.end
        inner = start + np.arange(math.ceil(self.cycle.period - OUTSIDE))
        return np.append(inner, end)

    @property
    def ends(self) -> tuple[float, float]:
        """Its first and its last frame."""
        return self.cycle.start, self.cycle.end

    @property
    def looked(self) -> Looked:
        """At which frames of the clip it is looked at."""
        return looked_at(self.clip, *self.ends)

    @property
    def first(self) -> float:
        """The frame of the result that shows its start: a whole one."""
        return float(round(self.cycle.start))

    @property
    def result_cycle(self) -> Cycle:
        """The cycle in frames of the result."""
        return dataclasses.replace(self.cycle, start=self.first, end=self.first + self.cycle.period)


def loop_ends(settings: LoopSettings, clip: Clip) -> tuple[float, float]:
    """Return the first and last frame of a loop, within the clip, the clip's own where settings leave them
    open.

    Raise InertiaError where a clip has no such stretch, or it is no longer than SHORTEST or longer than
    joint_motion.MOST_EACH frames.
    """
    start = clip.start if settings.start is None else settings.start
    end = clip.end if settings.end is None else settings.end
    most = joint_motion.MOST_EACH
    frames = {"start": start, "end": end, "first": clip.start, "last": clip.end, "least": SHORTEST}
    named: dict[str, object] = {**frames, "action": clip.action.name, "most": f"{most:,}"}
    if clip.end - clip.start <= SHORTEST:
        raise InertiaError(
            '"{action}" has only frames {first:g} to {last:g}, too short for a cycle; choose a longer '
            "action.",
            **named,
        )
    if start < clip.start - OUTSIDE or end > clip.end + OUTSIDE:
        raise InertiaError(
            'Frames {start:g} to {end:g} are not all within "{action}", which has {first:g} to {last:g}; '
            "choose a stretch within it.",
            **named,
        )
    if end - start <= SHORTEST:
        raise InertiaError(
            "A loop from frame {start:g} to {end:g} is too short; its end has to lie more than {least:g} "
            "frames after its start.",
            **named,
        )
    if end - start > most:
        raise InertiaError(
            'Frames {start:.10g} to {end:.10g} of "{action}" are too many for a loop, which has {most} at '
            "most; choose a shorter stretch.",
            **named,
        )
    return max(start, clip.start), min(end, clip.end)


def stretch_of(
    character: Character, settings: LoopSettings, clip: Clip, root: Root, whole: JointMotion
) -> LoopStretch:
    """Return the stretch of a clip that settings ask for, with how far each repetition goes, climbs and
    turns.

    whole: the clip, evaluated as :func:`looked_at` says.
    """
    start, end = loop_ends(settings, clip)
    count = looked_at(clip, start, end).count
    first, last = whole.root_position[[0, count - 1]]
    rig, size = character.rig, character.size
    grid = [*range(count - 3), count - 1]
    heading = turn_of(settings, whole.root_rotation[grid])
    turned = quaternion.rotate(quaternion.exp(heading * character_space.VERTICAL), first)
    way = last - turned
    gone = float(np.linalg.norm((last - first)[:2]))
    stays = gone < LED * size if settings.travel == "AUTO" else settings.travel == "NONE"
    if stays and heading == 0.0:
        way[:2] = 0.0
    elif settings.travel == "NONE":
        way[:2] = (first - turned)[:2]
    climbs = abs(float(way[2])) > CLIMBS * max(gone, size) and settings.travel != "NONE"
    way[2] *= climbs
    x, y, z = map(float, way / character.metres)
    cycle = Cycle(start, end, heading, (x, y, z), "CHOICE")
    behind = rig.bones.above(root.name) if cycle.moves and not root.is_object else ()
    joints = [i for i in cycles.bones_moved(rig, clip) if rig.bones.names[i] not in behind]
    return LoopStretch(clip, root, cycle, character.fps, joints)


def turn_of(settings: LoopSettings, spins: Array) -> float:
    """Return how far, in radians, each cycle turns a root with these world rotations (n, 4) from start to
    end.
    """
    if settings.turn is not None:
        return math.radians(settings.turn)
    return closing.turn_of(character_space.headings(spins, character_space.upright([spins])))


@record(frozen=True, eq=False)
class Looked:
    """The frames of a clip at which a stretch of it is looked at.

    grid: one each from its start on, before its end. tail: the two before its end, and that. beside: the
    frame before its start and the one behind its end, where the clip has them; no more than one each.
    """

    grid: Array
    tail: Array
    beside: tuple[Array, Array]

    @property
    def frames(self) -> Array:
        """Grid and tail, then what is beside."""
        return np.concatenate([self.grid, self.tail, *self.beside])

    @property
    def count(self) -> int:
        """How many of these are the stretch's own."""
        return len(self.grid) + len(self.tail)

    def pieces(self, values: Array) -> tuple[Array, Array]:
        """Return the values (frames, ...) of the clip from its start on, and those up to its end, frame by
        frame.
        """
        grid, tail = values[: len(self.grid)], values[len(self.grid) : self.count]
        before, behind = np.split(values[self.count :], [len(self.beside[0])])
        return np.concatenate([before, grid]), np.concatenate([tail, behind])


def looked_at(clip: Clip, start: float, end: float) -> Looked:
    """Return the frames at which a clip is evaluated for a stretch of it."""
    grid: Array = start + np.arange(float(math.ceil(end - start - OUTSIDE)))
    before, behind = np.array([start - 1.0]), np.array([end + 1.0])
    within = (before[before > clip.start - OUTSIDE], behind[behind < clip.end + OUTSIDE])
    return Looked(grid, np.array([end - 2.0, end - 1.0, end]), within)
