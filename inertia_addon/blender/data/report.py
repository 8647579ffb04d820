# SPDX-License-Identifier: GPL-3.0-or-later
"""What is told of a result that was made: one record, to which each kind of results adds its own."""

from __future__ import annotations

import dataclasses
from typing import Any, Self

from ...records import record
from . import actions, scene
from .actions import Clip


@record(frozen=True)
class BakedCurve:
    """A curve that could not be cut exactly and was baked a key per frame instead."""

    data_path: str
    array_index: int
    first_frame: float
    last_frame: float
    reason: str

    def later_by(self, frames: float) -> BakedCurve:
        """Return the same of a curve that plays so many frames later."""
        first, last = self.first_frame + frames, self.last_frame + frames
        return dataclasses.replace(self, first_frame=first, last_frame=last)


@record(frozen=True, kw_only=True)
class Report:
    """What came of making a result of any kind; what it was made of is as it was.

    result: the action's name, and slot: the identifier of its slot for the armature. frame_range: its first
    and last frame, and keys: how many it has. baked_curves: what could not be cut exactly. assigned: whether
    the armature plays it, as its action or as strips; not_assigned_because: a sentence, "" where it is or was
    not to be. settings: JSON values.
    """

    result: str
    armature: str
    slot: str
    assigned: bool
    not_assigned_because: str
    fps: float
    frame_range: tuple[float, float]
    keys: int
    baked_curves: tuple[BakedCurve, ...] = ()
    settings: dict[str, Any] = dataclasses.field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain JSON values."""
        return dataclasses.asdict(self)

    @classmethod
    def of_result(cls, action: Any, armature: Any, slot: str, **more: Any) -> Self:
        """Return the report of a result as the file has it now.

        slot: the identifier of the armature's. more: what the file does not tell, such as ``assigned``, and
        what a report of its kind has besides. Without ``frame_range`` it goes from the first key to the last.
        """
        first, last = more.pop("frame_range", action.frame_range)
        return cls(
            result=action.name,
            armature=armature.name,
            slot=slot,
            fps=scene.fps(),
            frame_range=(first, last),
            keys=actions.key_count(action),
            **more,
        )

    @classmethod
    def of_unchanged(cls, clip: Clip, fps: float, **more: Any) -> Self:
        """Return the report of an action in which nothing was to be done, which is its own result.

        clip: the action, read. fps: frames a second. more: what a report of its kind has besides.
        """
        return cls(
            result=clip.action.name,
            armature="",
            slot=clip.slot.identifier,
            assigned=False,
            not_assigned_because="",
            fps=fps,
            frame_range=(clip.start, clip.end),
            keys=actions.key_count(clip.action),
            **more,
        )
