# SPDX-License-Identifier: GPL-3.0-or-later
"""When the feet of an armature are planted in an action: as its animator has edited it, else as it is found.

What was edited is stored with the action, by the names of the foot bones, for all armatures with such bones;
so is when feet are held in an action in which they were locked. All other contacts are found from the motion.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError
from ...motion.arrays import Array
from ...motion.feet import contacts
from ...motion.feet.contacts import FootFigures, FootTrack, LevelGround, Span, Spans
from ...motion.feet.legs import Leg
from ...motion.judging import evidence
from ...motion.skeleton import posing
from ...motion.steps import Steps, finish
from ...records import record
from ...settings.feet import ContactSettings
from ..data import compat, rig, roots, scene
from ..data.actions import Clip
from ..evaluation import cycles, joint_motion
from ..evaluation.character import Character
from ..evaluation.joint_motion import LocatePoints
from . import legs as armature_legs

STORED = "inertia_contacts"
"""The custom property of an action that holds what was edited: JSON, by foot bones the pairs of frames."""
FURTHEST = 1048574.0
"""Blender has no frames beyond."""
HELD = "inertia_contacts_held"
"""Contacts that held feet when the action was made; what was edited since comes before."""


@record(frozen=True, eq=False)
class Contacts:
    """When feet are planted in a clip, and where they are.

    legs: whose feet. spans: of each, in the clip's frames. edited: the names of those that an animator has
    edited. frames: (n,), and by them, metres in the world: points: (n, legs, 3) by which the feet stand,
    ankles and hips: (n, legs, 3). lengths: (legs,) of the legs, metres. ground: (2,) metres a second: how the
    ground passes below a character that walks in place; 0 where it stands. clip: its first and its last
    frame. period: in frames, of a cycle, whose spans may go on behind the last frame.
    """

    legs: tuple[Leg, ...]
    spans: tuple[Spans, ...]
    edited: frozenset[str]
    frames: Array
    points: Array
    ankles: Array
    hips: Array
    lengths: Array
    ground: Array
    clip: tuple[float, float]
    period: float | None = None

    def index(self, foot: str) -> int:
        """Return the index of the leg that ends in a foot bone."""
        return [leg.name for leg in self.legs].index(foot)

    def at(self, leg: int, first: float, last: float) -> Spans:
        """Return the spans of a foot that reach into a range of frames: of a cycle, in all its
        repetitions.
        """
        if self.period is not None:
            return contacts.repeated(self.spans[leg], self.period, first, last)
        return tuple(span for span in self.spans[leg] if span.end >= first and span.start <= last)


def read_contacts_steps(
    character: Character, clip: Clip, legs: Sequence[Leg] | None = None, look: LocatePoints | None = None
) -> Steps[Contacts]:
    """Return when feet are planted in a clip of an armature, as edited or else as found.

    legs: None for the armature's own. look: see :func:`joint_motion.track_points_steps`. A clip that counts
    as a cycle, see :func:`as_cycle`, is looked at as it goes on. Raise InertiaError without legs, for stored
    contacts that can't be read, and as :func:`joint_motion.steps` does.
    """
    detected = yield from find_steps(character, clip, legs, look)
    return with_edits(detected, stored_in_clip(clip), stored(clip.action))


def find_steps(
    character: Character, clip: Clip, legs: Sequence[Leg] | None = None, look: LocatePoints | None = None
) -> Steps[Contacts]:
    """Return when feet are planted and where they are, found by the motion alone, whatever was edited or
    stored with the action.

    In the :class:`Contacts` ``spans`` are the stands of each leg in the clip's frames, ``points``, ``ankles``
    and ``hips`` (n, legs, 3) where they are at ``frames``, metres in the world, and ``ground`` (2,) how the
    ground passes below a character in place, metres a second. legs: whose feet; None for the armature's own.
    look: see :func:`joint_motion.track_points_steps`. A clip
    that counts as a cycle is looked at over three repetitions, and its spans begin in the first. Yields the
    part that is done. Raise InertiaError if the armature has no legs, for stored settings out of range, keys
    that are not finite, an armature at no finite place, and where Blender has to play the rig and would not.
    """
    legs = armature_legs.required(character.armature) if legs is None else tuple(legs)
    settings, clip = stored_settings(character.armature), as_cycle(character, clip)
    frames = choose_frames(clip)
    tracked = yield from joint_motion.track_points_steps(character, clip, _marks(legs), frames, look)
    points, ankles, hips = np.split(tracked, 3, axis=1)
    lengths = lengths_of(character, legs)
    ground, spans = _planted(frames, points, lengths, settings, character.fps)
    ends, period = (clip.start, clip.end), None
    if clip.cycle is not None:
        first, period = clip.cycle.start, clip.cycle.period
        ends, spans = (first, first + period), tuple(contacts.of_period(row, first, period) for row in spans)
    return Contacts(legs, spans, frozenset(), frames, points, ankles, hips, lengths, ground, ends, period)


def as_cycle(character: Character, clip: Clip) -> Clip:
    """Return a clip, as a cycle where it counts as one, see :func:`cycles.with_cycle`."""
    read = character.rig
    return cycles.with_cycle(read, roots.find_root(read, [clip]), clip)


def find_at(character: Character, frames: Array, points: Array, legs: Sequence[Leg]) -> tuple[Spans, ...]:
    """Find the contacts of feet whose points (n, legs, 3) at frames (n,) of a clip are known, in metres.

    What was edited does not count, and no clip is a cycle.
    """
    settings, lengths = stored_settings(character.armature), lengths_of(character, legs)
    return _planted(frames, points, lengths, settings, character.fps)[1]


def _planted(
    frames: Array, points: Array, lengths: Array, settings: ContactSettings, fps: float
) -> tuple[Array, tuple[Spans, ...]]:
    """Return the velocity (2,) of the ground below feet, metres a second, and of each foot the spans in which
    it is planted, in frames.

    points: (n, legs, 3) metres, at frames (n,). lengths: (legs,) metres. The velocity is 0 unless the
    character walks in place. fps: frames a second.
    """
    ground = contacts.find_passing_ground(points, frames, fps, lengths, settings)
    feet = zip(points.swapaxes(0, 1), lengths.tolist(), strict=True)
    return ground, tuple(
        contacts.find(at, frames, fps, length, settings, LevelGround(ground)) for at, length in feet
    )


def carried_along(character: Character, planted: Contacts, motions: Array) -> Contacts:
    """Return contacts as they are found where a character that walks in place is taken over the ground.

    planted: as found in place. motions: (n, 4, 4) of the world, metres, at ``planted.frames``, that take the
    character along. The ground stands then: points, ankles and hips are where they are on it, ``ground`` is
    0, and spans are found anew; edits don't count. Raise InertiaError for stored settings out of range.
    """
    places = (planted.points, planted.ankles, planted.hips)
    points, ankles, hips = (
        np.einsum("nij,nlj->nli", motions[:, :3, :3], each) + motions[:, None, :3, 3] for each in places
    )
    each_leg = zip(points.swapaxes(0, 1), planted.lengths.tolist(), strict=True)
    settings, fps = stored_settings(character.armature), character.fps
    spans = tuple(contacts.find(at, planted.frames, fps, length, settings) for at, length in each_leg)
    if planted.period is not None:
        spans = tuple(contacts.of_period(row, planted.clip[0], planted.period) for row in spans)
    changes = {"points": points, "ankles": ankles, "hips": hips, "ground": np.zeros(2), "spans": spans}
    return dataclasses.replace(planted, **changes)


def _marks(legs: Sequence[Leg]) -> list[posing.Mark]:
    """Return the points by which feet stand, then the heads of the ankles, then those of the hips, each for
    all legs in order.
    """
    head = (0.0, 0.0, 0.0)
    return [
        *((leg.point, leg.offset) for leg in legs),
        *((leg.joints[k], head) for k in (-1, 0) for leg in legs),
    ]


def placed_in(
    character: Character, planted: Contacts, clip: Clip, look: LocatePoints | None = None
) -> Contacts:
    """Return contacts with the places that points, ankles and hips have in another clip at the same frames;
    the spans stay.

    clip: taken for a cycle, if it is found to be one, only where the contacts are a cycle's. look: see
    :func:`joint_motion.track_points_steps`; to look raises InertiaError for keys that are not finite, an
    armature at no finite place, and where Blender has to play the rig and would not.
    """
    clip = clip if planted.period is None else as_cycle(character, clip)
    tracked = finish(
        joint_motion.track_points_steps(character, clip, _marks(planted.legs), planted.frames, look)
    )
    points, ankles, hips = np.split(tracked, 3, axis=1)
    return dataclasses.replace(planted, points=points, ankles=ankles, hips=hips)


def with_edits(planted: Contacts, edits: Mapping[str, Spans], edited: Iterable[str]) -> Contacts:
    """Return contacts with those that are stored, by foot bones, in the place of those that were found.

    edited: the foot bones of which an animator has edited them.
    """
    names = [leg.name for leg in planted.legs]
    spans = tuple(edits.get(name, detected) for name, detected in zip(names, planted.spans, strict=True))
    return dataclasses.replace(planted, spans=spans, edited=frozenset(edited) & frozenset(names))


def first_repetition(planted: Contacts) -> Contacts:
    """Return contacts of a cycle as they are in one repetition, as of a clip that is no cycle: without a
    period.

    Spans that reach into it from either side are in it, cut at its first and its last frame; frames and
    places outside of it are left out. Contacts without a period are returned as they are.
    """
    if planted.period is None:
        return planted
    first, last = planted.clip
    spans = tuple(
        tuple(Span(max(span.start, first), min(span.end, last)) for span in planted.at(leg, first, last))
        for leg in range(len(planted.legs))
    )
    inside = (planted.frames >= first - contacts.ON_FRAME) & (planted.frames <= last + contacts.ON_FRAME)
    places = {name: getattr(planted, name)[inside] for name in ("frames", "points", "ankles", "hips")}
    return dataclasses.replace(planted, spans=spans, period=None, **places)


def choose_frames(clip: Clip) -> Array:
    """Return the frames (n,) at which feet are looked at: whole ones of a clip; of a cycle three repetitions,
    from one before it to the end of the one behind it.

    Those of a cycle are evenly spaced, with at most a frame between two, so that each repetition is looked at
    where the others are; further apart only if it has more than 33,333 frames.
    """
    if clip.cycle is None:
        return joint_motion.grid(clip, joint_motion.MOST_EACH)
    # so that each repetition is looked at where the others are
    period = clip.cycle.period
    count = int(np.ceil(min(period, joint_motion.MOST_FRAMES / 3)))
    return np.asarray(clip.cycle.start + np.arange(-count, 2 * count + 1) * (period / count))


def lengths_of(character: Character, legs: Sequence[Leg]) -> Array:
    """Return how long legs are (legs,), metres, where the armature stands now."""
    return np.array([leg.length for leg in legs]) * metres_per_unit(character.armature)


def metres_per_unit(armature: Any) -> float:
    """Return the metres per unit of the armature's own space, where it stands now."""
    matrix = rig.object_matrix(armature)[:3, :3]
    # the geometric mean, where the scale differs by axis
    return float(np.cbrt(abs(np.linalg.det(matrix)))) * scene.metres_per_unit()


def _times(clip: Clip, spans: Spans) -> Spans:
    """Return spans of an action's frames as those of a clip that is scaled in time."""
    if clip.stretch is None:
        return spans
    return tuple(Span(*clip.stretch.times([span.start, span.end]).tolist()) for span in spans)


# --- stored


def stored(action: Any) -> dict[str, Spans]:
    """Return what was edited of an action's contacts, spans in the action's frames by the names of foot
    bones; {} for nothing.

    Raise InertiaError if it can't be read.
    """
    spans = _read(action, STORED)
    if spans is None:
        raise InertiaError(
            'The contacts stored with "{action}" can\'t be read; find them again.', action=action.name
        )
    return spans


def read_held(action: Any) -> dict[str, Spans]:
    """Return the spans in which feet are held in an action in which they were locked, by foot bones; {} if
    that can't be read: the motion tells, too.
    """
    return _read(action, HELD) or {}


def stored_and_held(action: Any) -> dict[str, Spans]:
    """Return all contacts that are stored with an action; raise InertiaError as :func:`stored`."""
    return {**read_held(action), **stored(action)}


def _read(action: Any, key: str) -> dict[str, Spans] | None:
    """Read the contacts that a property holds; return None where they can't be read."""
    try:
        return {
            str(name): contacts.check([Span(float(a), float(b)) for a, b in pairs], (-FURTHEST, FURTHEST))
            for name, pairs in json.loads(action.get(key, "{}")).items()
        }
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
        return None


def stored_in_clip(clip: Clip) -> dict[str, Spans]:
    """Return all contacts that are stored with a clip's action, in the clip's frames."""
    return {name: _times(clip, spans) for name, spans in stored_and_held(clip.action).items()}


def store(action: Any, spans: Mapping[str, Spans], key: str = STORED) -> None:
    """Store contacts of an action, in its frames, in its custom property `key`, as JSON: for each foot a list
    of [first, last], one for each span. It replaces those that were there; an empty mapping removes the
    property.

    spans: by the names of foot bones; a foot without spans is stored as [], one that never stands. key:
    STORED for what was edited, HELD for what held feet. Raise InertiaError for an action that is linked.
    """
    if not action.is_editable:
        raise InertiaError(
            '"{action}" is linked from another file and its contacts can\'t be edited; make it local first.',
            action=action.name,
        )
    if spans:
        action[key] = json.dumps(
            {name: [[span.start, span.end] for span in each] for name, each in spans.items()}
        )
    elif key in action:
        del action[key]


def stored_settings(armature: Any) -> ContactSettings:
    """Return the settings by which feet of an armature count as planted, as stored with it, even if the panel
    is not registered; the default for each that is not stored.

    Numbers are rounded to six decimals. Raise InertiaError for numbers out of range, as files may hold
    anything.
    """
    names = [field.name for field in dataclasses.fields(ContactSettings)]
    stored = {name: compat.stored(armature, armature_legs.GROUP, name) for name in names}
    # Blender keeps single precision, in which 0.1 reads 0.100000001
    values = {name: round(value, 6) if isinstance(value, float) else value for name, value in stored.items()}
    return ContactSettings(**{name: value for name, value in values.items() if value is not None})


def figures_of(character: Character, planted: Contacts) -> tuple[FootFigures, ...]:
    """Return what each foot does in a clip, in the order of the legs.

    ``skate_m`` and ``skate_speed`` (m/s): how far and how fast it skates over the ground while it is low;
    ``penetration_p95_m``: how deep it is below the ground, the 95th percentile over all frames; ``reach``:
    the furthest that the ankle gets from the hip, as a part of the leg's length; ``stance_m``: how far it
    goes over the ground while it is planted. None where nothing tells, as the speed of a foot that is never
    low. planted: when feet stand, with the places of points, ankles and hips, all of which are in it. Of a
    cycle one repetition counts, with spans that go on behind it whole. Raise InertiaError for an armature at
    no finite place.
    """
    first, last = planted.clip
    low = evidence.LOW * character.rig.size * character.metres
    if planted.period is not None:
        last = max([last, *(span.end for spans in planted.spans for span in spans)])
    within = (planted.frames >= first - 1e-3) & (planted.frames <= last + 1e-3)
    frames = planted.frames[within]
    figures = []
    for k, leg in enumerate(planted.legs):
        reach = np.linalg.norm(planted.ankles[within, k] - planted.hips[within, k], axis=1).max()
        figures.append(
            contacts.figures_of_foot(
                FootTrack(leg.name, planted.points[within, k], frames, character.fps, planted.spans[k]),
                low,
                planted.ground,
                float(reach / planted.lengths[k]),
            )
        )
    return tuple(figures)
