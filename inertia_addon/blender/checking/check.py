# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures by which any action is judged: its feet, its pops, and the verdict where Inertia has baked it."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator
from typing import Any

import numpy as np

from ...motion.arrays import Array
from ...motion.feet.report import FootFigures
from ...motion.judging import changes
from ...motion.steps import part
from ...records import record
from ..data import rigs, roots, scene
from ..data.actions import Clip
from ..data.roots import Root
from ..evaluation import cycles, joint_motion
from ..feet import contacts, figures, legs
from ..judging import verdict
from . import results
from .results import Seen


@record(frozen=True)
class Check:
    """What an action is like.

    action, slot: which. start, end: its first and last frame, and cycle: whether the last is the first of its
    next repetition. in_place: whether it walks on ground that passes below it, with ground_speed, m/s. feet:
    what each does. pop: the highest change of the joints' velocity from frame to frame, m/s, rms over all
    joints, and pop_frame: where; None in less than three frames. seen: of what Inertia has baked.
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
    seen: Seen

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        values = {name: value for name, value in vars(self).items() if name != "seen"}
        feet = [foot.as_dict() for foot in self.feet]
        return {**values, "feet": feet, **verdict.told(self.seen.verdicts), "notes": list(self.seen.notes)}

    def measured(self) -> dict[str, float | None]:
        """What gates judge: of what Inertia has baked by its verdict, in its windows, else of all of the
        action and of all feet the worst."""

        def worst(name: str) -> float | None:
            values = [value for foot in self.feet if (value := getattr(foot, name)) is not None]
            return max(values, default=None)

        found = {
            "pop": self.pop,
            "skate": worst("skate_m"),
            "skate_speed": worst("skate_speed"),
            "penetration": worst("penetration_p95_m"),
        }
        if not self.seen.verdicts:
            return found
        return {**found, **verdict.measures(self.seen.verdicts), "pop": self.pop}


def steps(armature: Any, clip: Clip) -> Generator[float, None, Check]:
    """Judge a clip of an armature; yields the part that is done, 0 to 1.

    Without legs nothing is said of feet, which is a note. Raises InertiaError as :func:`contacts.steps` does,
    and for a clip of which not every frame is looked at.
    """
    joint_motion.check_each(clip)
    own, known = legs.of(armature), None
    if own:
        known = yield from part(contacts.steps(armature, clip, own), 0.0, 0.3)
    seen = yield from part(results.judging(armature, clip.action, clip.slot.identifier), 0.3, 0.6)
    if known is None:
        seen = dataclasses.replace(seen, notes=(*seen.notes, legs.none(armature)))
    rig = rigs.read(armature)
    root = roots.find_root(rig, [clip])
    clip = cycles.looked_at(rig, root, clip)
    frames = joint_motion.grid(clip)
    if clip.cycle is not None:
        # a cycle's seam is where it begins anew
        frames = np.concatenate([frames, frames[-1] + [1.0, 2.0]])
    jumps = yield from part(_velocity_changes(armature, clip, frames, root), 0.6, 1.0)
    highest = int(np.argmax(jumps)) if len(jumps) else None
    cycle, ground = clip.cycle, np.zeros(0) if known is None else known.ground
    return Check(
        clip.action.name,
        clip.slot.identifier,
        *((clip.start, clip.end) if cycle is None else (cycle.start, cycle.end)),
        cycle is not None,
        bool(ground.any()),
        float(np.linalg.norm(ground)),
        () if known is None else figures.of(armature, known),
        None if highest is None else float(jumps[highest]),
        None if highest is None else float(frames[highest + 1]),
        seen,
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
