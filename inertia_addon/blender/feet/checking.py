# SPDX-License-Identifier: GPL-3.0-or-later
"""How well the feet of an action stay put, and how much it pops: figures by which any action is judged."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator
from typing import Any

import numpy as np

from ...motion.arrays import Array
from ...motion.feet import report
from ...motion.feet.report import FootFigures
from ...motion.judging import changes, ground
from ...motion.steps import part
from ..data import rigs, roots, scene
from ..data.actions import Clip
from ..data.roots import Root
from ..evaluation import cycles, joint_motion
from . import contacts
from .contacts import Contacts


@dataclasses.dataclass(frozen=True)
class Check:
    """What an action is like.

    action, slot: which. start, end: its first and last frame, and cycle: whether the last is the first of its
    next repetition. in_place: whether it walks on ground that passes below it, with ground_speed, m/s. feet:
    what each does. pop: the highest change of the joints' velocity from frame to frame, m/s, rms over all
    joints, and pop_frame: where; None in less than three frames.
    """

    action: str
    slot: str
    start: float
    end: float
    cycle: bool
    in_place: bool
    ground_speed: float
    feet: tuple[FootFigures, ...]
    pop: float | None
    pop_frame: float | None

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {**vars(self), "feet": [foot.as_dict() for foot in self.feet]}

    def measured(self) -> dict[str, float | None]:
        """What gates judge: of all feet the worst."""

        def worst(name: str) -> float | None:
            values = [value for foot in self.feet if (value := getattr(foot, name)) is not None]
            return max(values, default=None)

        return {
            "pop": self.pop,
            "skate": worst("skate_m"),
            "planted_speed": worst("planted_speed_p95"),
            "penetration": worst("penetration_p95_m"),
        }


def steps(armature: Any, clip: Clip) -> Generator[float, None, Check]:
    """Judge a clip of an armature; yields the part that is done, 0 to 1.

    Raises InertiaError as :func:`contacts.steps` does, and for a clip of which not every frame is looked at.
    """
    joint_motion.check_each(clip)
    known = yield from part(contacts.steps(armature, clip), 0.0, 0.5)
    rig = rigs.read(armature)
    root = roots.find_root(rig, [clip])
    clip = cycles.looked_at(rig, root, clip)
    frames = joint_motion.grid(clip)
    if clip.cycle is not None:
        # a cycle's seam is where it begins anew
        frames = np.concatenate([frames, frames[-1] + [1.0, 2.0]])
    jumps = yield from part(_velocity_changes(armature, clip, frames, root), 0.5, 1.0)
    highest = int(np.argmax(jumps)) if len(jumps) else None
    return Check(
        clip.action.name,
        clip.slot.identifier,
        *known.clip,
        known.period is not None,
        bool(known.ground.any()),
        float(np.linalg.norm(known.ground)),
        figures(armature, known),
        None if highest is None else float(jumps[highest]),
        None if highest is None else float(frames[highest + 1]),
    )


def _velocity_changes(armature: Any, clip: Clip, frames: Array, root: Root) -> Generator[float, None, Array]:
    """What :func:`changes.velocity_changes` says of a clip at frames (n,), of as many at once as are kept."""
    found, count = [np.zeros(0)], joint_motion.most_frames(armature)
    ends = [*range(count, len(frames) - 2, count), len(frames)]
    for i, end in enumerate(ends):
        steps = joint_motion.steps(armature, clip, frames[i * count : end + 2], root)
        motion = yield from part(steps, i / len(ends), (i + 1) / len(ends))
        found.append(changes.velocity_changes(motion.positions, scene.fps()))
    return np.concatenate(found)


def figures(armature: Any, known: Contacts) -> tuple[FootFigures, ...]:
    """What each foot does in a clip; of a cycle in one repetition, to which the steps around it belong."""
    first, last = known.clip
    low = ground.LOW * rigs.read(armature).size * scene.metres_per_unit()
    if known.period is not None:
        last = max([last, *(span.end for spans in known.spans for span in spans)])
    within = (known.frames >= first - 1e-3) & (known.frames <= last + 1e-3)
    frames = known.frames[within]
    found = []
    for k, leg in enumerate(known.legs):
        reach = np.linalg.norm(known.ankles[within, k] - known.hips[within, k], axis=1).max()
        figure = report.of_foot(
            leg.name,
            known.points[within, k],
            frames,
            scene.fps(),
            known.spans[k],
            low,
            known.ground,
            float(reach / known.lengths[k]),
        )
        found.append(figure)
    return tuple(found)
