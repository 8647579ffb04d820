# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the feet of a take stand, also where they skate, and the floor that they tell of."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from ...motion.arrays import Array
from ...motion.feet.contacts import Span, on_frames
from ...motion.feet.legs import Leg
from ...motion.finish import floor, skating
from ...motion.finish.floor import Floor
from ...motion.finish.skating import SkatingFoot
from ...motion.steps import finish
from ...records import record
from ..data import rigs
from ..data.actions import Clip
from ..evaluation import joints
from ..evaluation.character import Character
from ..feet import contacts
from ..feet.contacts import Contacts

STANDS = 0.05
"""A rest pose stands whose feet are no further apart in height than this part of the size."""
TOUCH_SECONDS = 0.25
"""A foot touches the floor where it is lower than so long before and behind that."""


@record(frozen=True, eq=False)
class TakeStance:
    """A foot that stands.

    leg: which one, by index. span: its frames. skate: how far it skates then, metres. place: (3,) its
    point's, metres, in the middle of the time, less what the point is higher at rest than those of other
    legs.
    """

    leg: int
    foot: str
    span: Span
    skate: float
    place: Array


@record(frozen=True, eq=False)
class Standing:
    """How the feet of a take stand. floor: None where none ever does."""

    planted: Contacts
    stances: tuple[TakeStance, ...]
    floor: Floor | None


def find_standing(character: Character, clip: Clip) -> Standing:
    """Find where the feet of a clip stand, whether or not they skate, and return that as
    :func:`measure_standing` does.

    What an animator has edited of the contacts of a foot counts as it is. Who walks in place, or round in a
    cycle, has contacts by the motion alone; to all others spans are added in which a foot skates. Raise
    InertiaError as :func:`contacts.read_contacts_steps` does.
    """
    planted = finish(contacts.read_contacts_steps(character, clip))
    if planted.period is None and not planted.ground.any():
        planted = _with_skating(character, planted)
    return measure_standing(character, planted)


def measure_standing(character: Character, planted: Contacts) -> Standing:
    """Measure each stance of each foot, over the ground if that moves, and fit the floor to them and to where
    feet touch down shortly; metres, in the world.

    In the :class:`Standing` ``planted`` are the contacts as given, and ``stances`` come foot by foot and in
    time for each. A stance's place is the median of the foot's point there, less how far that is above the
    sole at rest; its skate is how far it moves. Stances without a frame are left out. ``floor`` is None where
    no foot ever stands.
    """
    fps, size = character.fps, character.size
    clearances = find_clearances(character, planted.legs, size)
    stances, places, touches = [], [], [np.zeros((0, 3))]
    samples = max(1, round(TOUCH_SECONDS * fps))
    for leg, spans in enumerate(planted.spans):
        points = planted.points[:, leg].copy()
        points[:, :2] -= ((planted.frames - planted.frames[0]) / fps)[:, None] * planted.ground
        touched = floor.find_touches(points - [0.0, 0.0, clearances[leg]], planted.hips[:, leg], samples)
        touches.append(touched)
        for span, (first, last) in zip(spans, on_frames(spans, planted.frames), strict=True):
            if last < first:
                continue
            some = points[first : last + 1]
            place = np.median(some, axis=0) - [0.0, 0.0, clearances[leg]]
            skate = skating.measure_skate(some)
            stances.append(TakeStance(leg, planted.legs[leg].name, span, skate, place))
            places.append(place)
    stood: Array = np.array(places).reshape(-1, 3)
    return Standing(planted, tuple(stances), floor.fit_floor(stood, size, np.concatenate(touches)))


def find_clearances(character: Character, legs: Sequence[Leg], size: float) -> Array:
    """Return how much higher the point of each leg (legs,) is in the rest pose than the lowest one, metres.

    All are 0 where the rest pose does not stand: where the points are further apart than 0.05 of the size.
    """
    axis, sign = joints.up_axis(character.armature)
    rest = np.asarray(rigs.bones(character.armature).rest, float)
    points = np.array([rest[leg.point] @ [*leg.offset, 1.0] for leg in legs]).reshape(-1, 4)
    heights = sign * points[:, axis] * contacts.metres_per_unit(character.armature)
    above: Array = heights - heights.min(initial=np.inf)
    return above if len(above) and above.max() <= STANDS * size else np.zeros(len(legs))


def _with_skating(character: Character, planted: Contacts) -> Contacts:
    """Return contacts with spans in which a foot skates added to the legs' own, but for legs whose contacts
    were edited, which keep theirs.

    Fewer than three frames are returned as they are. Raise InertiaError for stored settings out of range.
    """
    frames, settings = planted.frames, contacts.stored_settings(character.armature)
    if len(frames) < 3:
        return planted
    rate = character.fps * (len(frames) - 1) / float(frames[-1] - frames[0])
    spans = []
    for leg, known in enumerate(planted.spans):
        if planted.legs[leg].name in planted.edited:
            spans.append(known)
            continue
        length = float(planted.lengths[leg])
        foot = SkatingFoot(frames, planted.points[:, leg] / length, planted.hips[:, leg] / length, rate)
        spans.append(skating.find_standing(foot, known, settings))
    return dataclasses.replace(planted, spans=tuple(spans))
