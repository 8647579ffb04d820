# SPDX-License-Identifier: GPL-3.0-or-later
"""Two clips that meet on the ground, and when feet are planted in each of them."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping

import numpy as np

from ...motion import quaternion
from ...motion.arrays import Array
from ...motion.curves.keys import Keys
from ...motion.feet import chains, contacts
from ...motion.feet.contacts import LevelGround, Span, Spans
from ...motion.feet.legs import Leg
from ...motion.skeleton import posing
from ...motion.skeleton.posing import Posed
from ...records import record
from ..data import scene
from ..data.actions import ActionCurve, Address, Clip
from . import contacts as armature_contacts
from .body import PARTS, Body, PlantedFeet


@record(frozen=True, eq=False)
class ClipMeeting:
    """Two clips that meet, and what a transition between them plays.

    cut: frame; later: by how many frames the destination plays later. end: the frame from which it plays on
    unchanged. motion: (4, 4) what the alignment moves the destination by. curves: of the transition.
    passing: how fast the ground passes below the two clips as they are by themselves (2,), metres a second.
    passed: how far it has below the transition since the cut at frames (n,), (n, 2) metres. standing: the
    clip that says when the destination's feet are planted, where it is warped; None for itself.
    """

    source: Clip
    destination: Clip
    cut: float
    later: float
    end: float
    motion: Array
    curves: Mapping[Address, ActionCurve | Keys]
    fps: float
    passing: tuple[Array, Array]
    passed: Callable[[Array], Array]
    standing: Clip | None = None

    @property
    def clips(self) -> tuple[Clip, Clip]:
        """Both clips."""
        return self.source, self.destination

    @property
    def entry(self) -> float:
        """The destination's own frame that is shown at the cut."""
        return self.cut - self.later

    def shift(self, frames: Array) -> Array:
        """Return by how much poses at frames (n,) are elsewhere (n, 3), world units, over the ground below
        the transition.
        """
        shift = np.zeros((len(frames), 3))
        shift[:, :2] = -self.passed(frames) / scene.metres_per_unit()
        return shift

    def over_ground(self, posed: Posed, frames: Array) -> Posed:
        """Return poses at frames (n,) as the ground below the transition sees them: their heads moved by
        :meth:`shift`.
        """
        return dataclasses.replace(posed, heads=posed.heads + self.shift(frames))

    def align_poses(self, posed: Posed) -> Posed:
        """Return poses of the destination as the alignment moves them."""
        return posing.move_poses(posed, self.motion, self._turn_of_alignment)

    @functools.cached_property
    def _turn_of_alignment(self) -> Array:
        """The rotation (4,) of the alignment."""
        return quaternion.from_matrix(self.motion[:3, :3])

    def find_spans(self, body: Body) -> tuple[Span, Span]:
        """Return (the span of the source, the span of the destination) in which each says when its feet are
        planted, in its own frames.

        They go from body.around seconds before the cut to body.beyond behind it, and from body.beyond before
        the entry to body.most behind the end of the blend, as far as the clips go.
        """
        end = self.end - self.later
        around, beyond, most = (seconds * self.fps for seconds in (body.around, body.beyond, body.most))
        return (
            _limit_to_clip(self.source, self.cut - around, self.cut + beyond),
            _limit_to_clip(self.destination, self.entry - beyond, end + most),
        )


def _limit_to_clip(clip: Clip, first: float, last: float) -> Span:
    """Return a range of frames as far as a clip has them."""
    return Span(max(first, min(clip.start, last)), max(min(last, clip.end), clip.start))


def read_source_feet(body: Body, meeting: ClipMeeting, span: Span) -> PlantedFeet:
    """Return when each foot is planted in a part of the source, as edited or found, and the poses there."""
    return _read_planted(body, meeting, 0, span)


def read_destination_feet(body: Body, meeting: ClipMeeting, span: Span) -> PlantedFeet:
    """Return the same of the destination, as it is before any warp."""
    return _read_planted(body, meeting, 1, span)


def _read_planted(body: Body, meeting: ClipMeeting, side: int, span: Span) -> PlantedFeet:
    """Return when each foot is planted in a part of one of the clips, with the legs' poses then; what the
    body knows already is not found again, and what is found is kept there, the last PARTS.

    side: 0 for the source, 1 for the destination, before it is warped if it is. span: of the clip's own
    frames; the body's grid from the cut or the entry on says which are looked at. In the :class:`PlantedFeet`
    spans come in the order of the body's legs. Feet whose contacts were edited have these, in each repetition
    of a cycle; others have them found on the ground that passes below.
    """
    clip, at = meeting.clips[side], (meeting.cut, meeting.entry)[side]
    if side == 1 and meeting.standing is not None:
        clip = meeting.standing
    frames, passing = body.grid(span.start, span.end, at), meeting.passing[side]
    edited = armature_contacts.stored_in_clip(clip)
    legs, edits = body.legs, tuple((name, tuple(spans)) for name, spans in edited.items())
    key = (side, clip.clock, frames.tobytes(), passing.tobytes(), legs.rig.bones.names, legs.legs, edits)
    known = {} if body.known_feet is None else body.known_feet.planted
    if key in known:
        return known[key]
    if len(known) >= PARTS:
        # the oldest one: a dict keeps the order in which it was filled
        del known[next(iter(known))]
    posed, below = body.posed_once(side, clip, frames), passing / scene.metres_per_unit()

    def find_planted(leg: Leg) -> Spans:
        if leg.name not in edited:
            length = chains.length_of(leg, posed)
            return contacts.find(
                chains.point_of(leg, posed), frames, meeting.fps, length, ground=LevelGround(below)
            )
        if clip.cycle is None:
            return edited[leg.name]
        # edited in one repetition, and planted in all of them
        return contacts.repeated(edited[leg.name], clip.cycle.period, span.start, span.end)

    known[key] = PlantedFeet(frames, posed, [find_planted(leg) for leg in legs.legs])
    return known[key]
