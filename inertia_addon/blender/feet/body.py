# SPDX-License-Identifier: GPL-3.0-or-later
"""The legs of an armature, posed in clips, and the channels by which their feet get elsewhere."""

from __future__ import annotations

import dataclasses
import weakref
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError
from ...motion.arrays import Array
from ...motion.curves import representation
from ...motion.feet import chains
from ...motion.feet.chains import Changed, RigLegs
from ...motion.feet.contacts import Spans
from ...motion.feet.easing import EasedTogether
from ...motion.feet.locking import LegMotion, Turned
from ...motion.feet.own_motion import ClipJoints
from ...motion.skeleton import posing
from ...motion.skeleton.posing import Posed, Tracks
from ...records import record
from ..data.actions import Clip
from ..evaluation import joint_motion
from ..evaluation.joint_motion import LocatePoints

Shown = Callable[[Sequence[Changed]], Clip]
"""Gives the clip in which some channels have changed."""
PARTS = 8
"""Of so many parts of clips, at most, it is kept when feet are planted, and where legs are."""
MOST_FRAMES = 2000
"""Of a clip legs are kept at so many frames, at most."""


def check_kept(legs: Sequence[Any]) -> None:
    """Raise InertiaError where none of the legs is among the bones that take part."""
    if not legs:
        raise InertiaError(
            "No leg is among the bones that take part; choose more bones, or switch the feet off."
        )


@record(frozen=True, eq=False)
class PlantedFeet:
    """Legs in a part of a clip, at frames (n,) of its own: their poses, and when each foot is planted."""

    frames: Array
    posed: Posed
    spans: list[Spans]
    _joints: dict[Hashable, ClipJoints] = dataclasses.field(default_factory=dict, init=False)

    def find_joints(self, legs: RigLegs, at: float, fps: float) -> ClipJoints:
        """Return where the joints of the legs are on all frames (:func:`chains.find_all_joints` of the
        poses), with the frames' seconds (n,) counted from frame `at` of the clip, as a :class:`ClipJoints`.

        fps: frames a second. Found but once for each `at` and rate, whichever legs are asked for then.
        """
        if (at, fps) not in self._joints:
            joints = chains.find_all_joints(legs, self.posed)
            self._joints[at, fps] = ClipJoints((self.frames - at) / fps, joints)
        return self._joints[at, fps]


Planted = dict[Hashable, PlantedFeet]
"""What was found of parts of clips."""


class PosedFrames:
    """Legs in a clip at the frames that were asked for so far, each of which is posed but once.

    It does not keep the clip, which refers to the file.
    """

    def __init__(self, clip: Clip) -> None:
        self._clip = weakref.ref(clip)
        self._place: dict[float, int] = {}
        self._posed: Posed | None = None

    def is_of(self, clip: Clip) -> bool:
        """Return whether it is of this very clip, and not of another one that is like it."""
        return self._clip() is clip

    def at(self, frames: Array, pose_missing: Callable[[Array], Posed]) -> Posed:
        """Return the legs at frames (n,) of the clip, in their order, and keep them.

        pose_missing: takes frames (m,), each once, that are not known yet, and poses them. Where there would
        be more than MOST_FRAMES, all that is known is forgotten first.
        """
        asked = frames.tolist()
        missing = [frame for frame in dict.fromkeys(asked) if frame not in self._place]
        if missing:
            if len(self._place) + len(missing) > MOST_FRAMES:
                self._place, self._posed = {}, None
                missing = list(dict.fromkeys(asked))
            posed = pose_missing(np.array(missing))
            self._posed = posed if self._posed is None else posing.joined([self._posed, posed])
            self._place |= {frame: len(self._place) + i for i, frame in enumerate(missing)}
        assert self._posed is not None
        return posing.at_frames(self._posed, np.array([self._place[frame] for frame in asked]))


@record(frozen=True, eq=False)
class KnownFeet:
    """What is known of plain legs in two clips, to which more is added. It holds as long as the clips do.

    legs: those that can be locked, by what they were chosen by. planted: when feet are in parts of clips.
    posed: the legs at frames of clips.
    """

    legs: dict[Hashable, RigLegs] = dataclasses.field(default_factory=dict)
    planted: Planted = dataclasses.field(default_factory=dict)
    posed: dict[Hashable, PosedFrames] = dataclasses.field(default_factory=dict)


@record(frozen=True, eq=False)
class LegPaths:
    """How legs are to go in a clip at frames (n,).

    posed: they as the clip has them, and motions: each. drop: (n,) how far the hips go down. turned: what
    becomes of each leg. stands: the first and the last frame of the spans in which each foot stands, by
    index. shift: (n, 3), by how much ``posed`` is elsewhere than the clip. toes: what the toe of each leg is
    turned by, see :class:`crossing.Locked`.
    """

    clip: Clip
    frames: Array
    posed: Posed
    motions: Sequence[LegMotion]
    drop: Array
    turned: Sequence[Turned]
    stands: Sequence[Sequence[tuple[int, int]]]
    shift: Array | float = 0.0
    toes: Sequence[Array | None] = ()

    @property
    def every_toe(self) -> Sequence[Array | None]:
        """What the toe of each leg is turned by, None for those that stay."""
        return self.toes or (None,) * len(self.turned)


class Body:
    """The legs of a plain rig, or of one on which nothing but their own bones moves them.

    pinned: the controls that feet are pinned by. notes: what there is to say of the legs. around: when feet
    are planted, how far a leg stretches and how its knee bends a clip says over so many seconds on that side
    of a cut on which it plays, and beyond: over so many on the other one. most: a foot that is held is let go
    so many seconds after the window, whatever the destination does. locate_points: says where points are of
    who has been played, None where that takes no time. known_feet: what was found of clips; None where that
    is not kept. together: with which others feet are eased; None for none.
    """

    around, beyond, most = 2.0, 2.0, 10.0
    pinned: tuple[str, ...] = ()
    locate_points: LocatePoints | None = None
    known_feet: KnownFeet | None = None
    together: EasedTogether | None = None

    def __init__(
        self,
        legs: RigLegs,
        notes: Sequence[str] = (),
        known_feet: KnownFeet | None = None,
        together: EasedTogether | None = None,
    ) -> None:
        self.legs, self.notes = legs, tuple(notes)
        self.known_feet, self.together = known_feet, together

    def grid(self, first: float, last: float, cut: float) -> Array:
        """Return the frames of a clip that are looked at: whole ones, with both ends."""
        return representation.whole_frames(first, last)

    def values(self, clip: Clip, frames: Array) -> Tracks:
        """Return the values of the legs' channels."""
        return joint_motion.tracks(self.legs.rig, clip.curves, frames, clip.unkeyed)

    def posed(self, clip: Clip, frames: Array, *, changing: bool = True) -> Posed:
        """Return the legs in a clip at frames (n,).

        changing: whether channels are to change there, for which ``places`` and ``above`` are needed.
        """
        return self.legs.posed(self.values(clip, frames), len(frames))

    def posed_once(self, side: int, clip: Clip, frames: Array) -> Posed:
        """Return the legs in one of the two clips that meet, at frames (n,) of its own, as where nothing
        changes.

        Of a plain rig each frame of a clip is posed but once and kept with the known feet, for the last PARTS
        clips; any other rig, and a body without known feet, is posed anew.

        side: 0 for the source, 1 for the destination, which is not warped.
        """
        known = self.known_feet
        if known is None or not len(frames):
            return self.posed(clip, frames, changing=False)
        # a clip with more repetitions, or without what stands still, shows the same but for rounding
        key = (side, id(clip), self.legs.rig.bones.names, self.legs.legs, self.legs.hips)
        kept = known.posed.get(key)
        if kept is None or not kept.is_of(clip):
            if len(known.posed) >= PARTS:
                # the oldest one: a dict keeps the order in which it was filled
                del known.posed[next(iter(known.posed))]
            kept = known.posed[key] = PosedFrames(clip)
        return kept.at(frames, lambda missing: self.posed(clip, missing, changing=False))

    def note_derived(self, clip: Clip, of: Clip) -> None:
        """Know a clip that was made of another one by what was said to change last."""

    def changed(self, going: LegPaths, clip_with: Shown) -> list[Changed]:
        """Return the channels that change for legs to go as `going` says: the hips' location, then for each
        leg its foot's location and the rotations of thigh, shin and foot, then toes that turn.

        Each is a :class:`Changed`: the ``bone``'s index, ``values`` at ``going.frames``, which are (n, 3) for
        a location and (n, 4) unit quaternions for a rotation, in the axes of its channels, the rotation
        ``mode`` ("" for a location), and ``acts`` (n,), where they are others. A foot's location comes only
        if the leg does not carry the foot, a toe only if the leg has a bone for it. A channel that nowhere
        changes by more than 1e-7 is left out. clip_with: takes such channels, and returns the clip that plays
        with them; it is not called on a plain rig.
        """
        values = self._locations(going.clip, going.frames)
        changed = list(chains.changed(self.legs, going.posed, values, going.drop, going.turned))
        for leg, turned, toe in zip(self.legs.legs, going.turned, going.every_toe, strict=True):
            if toe is not None and leg.ball is not None:
                changed += chains.toe_turns(self.legs, leg.ball, going.posed, turned.foot, toe)
        return changed

    def _locations(self, clip: Clip, frames: Array) -> Tracks:
        """Return the values, (n,) by address, of the locations of the bones that may be moved, at frames (n,)
        of a clip; keyed or standing ones alone, as no other channel matters.
        """
        rig = self.legs.rig
        moved = [(rig.paths[bone] + "location", i) for bone in self.legs.movable_bones for i in range(3)]
        curves = {address: clip.curves[address] for address in moved if address in clip.curves}
        standing = {address: value for address, value in (clip.unkeyed or {}).items() if address in moved}
        return joint_motion.tracks(rig, curves, frames, standing)
