# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bake did, in words and numbers."""

from __future__ import annotations

from ...records import record
from ..data.actions import Marker
from ..data.report import Report


@record(frozen=True)
class GuardedOffset:
    """Where an offset swings far, or the overshoot guard acted, and by how much.

    kind: ``location``, ``rotation``, ``scale``, or the data path of a value. frames_before, frames_after: the
    offset's window before and after the guard. excursion_before, excursion_after: how far it would have gone
    beyond its size at the cut or past zero, and how far it goes now; degrees or metres (scale: no unit).
    velocity_dropped: whether STRICT dropped a velocity that points away.
    """

    bone: str
    kind: str
    frames_before: float
    frames_after: float
    excursion_before: float
    excursion_after: float
    velocity_dropped: bool = False

    @property
    def shortened(self) -> bool:
        """Whether the guard acted; else the offset goes as far as it would, and that is said."""
        return self.velocity_dropped or self.frames_after < self.frames_before * (1.0 - 1e-9)


@record(frozen=True)
class UnkeyedChannel:
    """What one action does not key and the other one does, where it stands away from rest.

    action: which does not key it. away: how far from rest it is taken to stand: degrees of a rotation,
    metres of a location, the largest difference from 1 of a scale.
    """

    action: str
    bone: str
    kind: str
    away: float


@record(frozen=True, kw_only=True)
class BakeReport(Report):
    """What :func:`inertia_addon.blender.transition.bake.bake_transition` made.

    window: first and last frame of the longest offset, scene frames; until: the last one at which anything
    differs from the destination, as locked feet may later. alignment: the one used (never AUTO);
    heading_degrees and translation (metres, world x y z) are the rigid motion that the destination was given.
    offsets: how many channel groups had an offset and were keyed per frame. notes: who comes along by slots
    of the same actions. markers: the pose markers of both clips, at the frames at which it shows them.
    """

    window: tuple[float, float]
    until: float
    alignment: str
    root: str
    heading_degrees: float
    translation: tuple[float, float, float]
    bones: int
    channels: int
    offsets: int
    guarded: tuple[GuardedOffset, ...] = ()
    unkeyed: tuple[UnkeyedChannel, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    markers: tuple[Marker, ...] = ()
