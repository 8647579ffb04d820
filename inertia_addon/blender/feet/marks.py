# SPDX-License-Identifier: GPL-3.0-or-later
"""Where points are that move with bones: by numpy on plain rigs, of which only what carries them is posed."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any

import numpy as np

from ...motion.arrays import Array
from ...motion.skeleton import posing
from ...motion.skeleton.posing import Mark
from ..data import rigs, scene, unkeyed
from ..data.actions import Clip
from ..evaluation import influence, joint_motion

Seen = Callable[[Clip, Sequence[Mark], Array], Array]
"""Says where points are in a clip at rising times (n,), (n, marks, 3), in world units."""


def steps(
    armature: Any, clip: Clip, marks: Sequence[Mark], frames: Array, seen: Seen | None = None
) -> Generator[float, None, Array]:
    """Where points (n, marks, 3) are in the world in a clip at frames (n,), metres.

    seen: for those who have played it. Of a cycle frames may lie in any repetition, which moves the character
    on. Yields the part that is done; see :func:`joint_motion.steps` for the errors.
    """
    turns = np.zeros(len(frames), np.int64)
    if clip.cycle is not None:
        frames, turns = clip.cycle.wrapped(frames, clip.start)
    times, places = np.unique(frames, return_inverse=True)
    if seen is not None:
        known = seen(clip, marks, times)
    else:
        way = _by_blender if influence.why_not_plain(armature, (clip,)) else _by_numpy
        known = yield from way(armature, clip, marks, times)
    found = known[places]
    for turn in np.unique(turns[turns != 0]).tolist():
        assert clip.cycle is not None
        motion = clip.cycle.motion(turn)
        found[turns == turn] = found[turns == turn] @ motion[:3, :3].T + motion[:3, 3]
    return np.asarray(found * scene.metres_per_unit())


def _by_numpy(
    armature: Any, clip: Clip, marks: Sequence[Mark], times: Array
) -> Generator[float, None, Array]:
    rig = posing.marked(rigs.read(armature), marks)
    values = joint_motion.tracks(rig, clip.curves, times, unkeyed.completed(armature, clip).unkeyed)
    found = posing.positions(rig, values, len(times))[:, -len(marks) :]
    yield 1.0
    return found


def _by_blender(
    armature: Any, clip: Clip, marks: Sequence[Mark], times: Array
) -> Generator[float, None, Array]:
    found = np.empty((len(times), len(marks), 3))

    def read(evaluated: Any, i: int) -> None:
        found[i] = joint_motion.points_of(evaluated, marks)

    yield from joint_motion.played(armature, clip, times, read)
    return found
