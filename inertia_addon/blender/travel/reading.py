# SPDX-License-Identifier: GPL-3.0-or-later
"""How an action travels, or would: by its feet, as it is said, or as its root goes."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError
from ...motion.arrays import Array
from ...motion.feet.legs import Leg
from ...motion.skeleton import character_space, naming
from ...motion.skeleton.posing import Rig
from ...motion.steps import Steps, part
from ...motion.travel import ground, way
from ...motion.travel.ground import ClipFeet, PassingGround
from ...motion.travel.way import GroundPath
from ...records import record
from ...settings.transition import OBJECT_ROOT
from ...settings.travel import TravelSettings
from ..data import roots, scene
from ..data.actions import ActionCurve, Clip
from ..data.recipe import TRAVEL
from ..data.roots import Root
from ..evaluation import cycles, joint_motion, joints
from ..evaluation.character import Character
from ..feet import legs as leg_list
from . import soles

FEET, SETTING, ROOT, NOTED = "FEET", "SETTING", "ROOT", "NOTED"
"""What tells of a way: the feet, a speed that was given, the root as it goes, or what Travel has noted."""
TURNED = math.radians(45.0)
"""A character that faces another way at the end by less than this sways."""
SWAY_SECONDS = 0.3
"""Hips that carry the travel keep what they do more quickly than this, as they sway."""
FRACTION = 1e-3
"""Frames nearer than this are the same."""


class AlreadyTravels(InertiaError):
    """An action travels, so that its feet, or a speed, are not what tells where it goes."""


@record(frozen=True, eq=False)
class Tracks:
    """What feet showed of the ground, in place, metres, and what of it was found."""

    seen: ClipFeet
    ground: PassingGround

    @property
    def walks(self) -> bool:
        """Whether somebody walks over that ground."""
        return way.walks(self.seen, self.ground)


@record(frozen=True, eq=False)
class Travel:
    """How an action travels.

    clip: as it was read. root: who carries the way. way: at the frames that are keyed, in world units.
    told_by: FEET, SETTING, ROOT or NOTED. speed: metres a second on average, and turn: degrees a second,
    counter-clockwise. skate: metres that its feet skate without it and with it; tracks: what they show.
    moved_from: what carried it before, if it was only moved.
    """

    clip: Clip
    root: Root
    way: GroundPath
    told_by: str
    speed: float
    turn: float
    skate: tuple[float, float] | None = None
    tracks: Tracks | None = None
    moved_from: Root | None = None

    def faster(self, speed: float | None, fps: float) -> Travel:
        """Return this travel at another average speed, metres a second; itself for None, or if its own speed
        is 0.

        The way is scaled all along, and its turns stay as they are; ``told_by`` is SETTING then. ``skate``
        stays as it was. fps: frames a second of the way.
        """
        if speed is None or self.speed <= 0.0:
            return self
        rates = way.rates_of(self.way, fps) * (*2 * (speed / self.speed,), 1.0)
        faster = way.along(self.way.frames, rates, fps)
        return dataclasses.replace(self, way=faster, told_by=SETTING, speed=speed)


def find_travel_steps(character: Character, rig: Rig, clip: Clip, settings: TravelSettings) -> Steps[Travel]:
    """Return how an action in place is to travel; yields the part that is done, 0 to 1.

    The :class:`Travel` has who carries the way (``root``), the way at the clip's keys in world units, what
    told of it (``told_by``: FEET or SETTING), the average speed (m/s), the turn (degrees a second,
    counter-clockwise), and, if there are legs, how far the feet skate without and with it (metres) and what
    they show. Raise AlreadyTravels for an action that is not in place, InertiaError for that if a speed is
    given, for a pose or an action that is too long, where feet tell of no way and no speed is given, for hips
    that are to carry it and are not known, and for a rig that can't be played.
    """
    _check_long(clip)
    noted = noted_way(clip.action)
    if noted is not None and not noted.taken:
        _refuse(clip, settings)
    legs = leg_list.of_armature(character.armature)
    if not legs and settings.speed is None:
        _check_stays(rig, clip)
        raise InertiaError(
            'No legs were found on "{armature}", so nothing shows how fast "{action}" goes; give its speed.',
            armature=character.armature.name,
            action=clip.action.name,
        )
    in_place, frames, is_cycle = _in_place(rig, clip)
    tracks = None
    if legs:
        turns = {"AUTO": None, "NONE": False, "ALL": True}[settings.turns]
        tracks = yield from part(
            _track_steps(character, in_place, legs, frames, is_cycle=is_cycle, turns=turns), 0.0, 0.9
        )
    rates, told_by = _rates(character, rig, clip, settings, tracks, frames)
    carrier = carrier_of(character, rig, clip, settings.on)
    mean = rates.mean(axis=0)
    speed, skate = float(np.linalg.norm(mean[:2])), None
    if tracks is not None:
        speed = way.speed(tracks.seen, rates)
        before, after = (way.skates(tracks.seen, each).sum() for each in (np.zeros_like(rates), rates))
        skate = float(before), float(after)
    led = _lead_way(character, clip, frames, rates)
    return Travel(clip, carrier, led, told_by, speed, -math.degrees(mean[2]), skate, tracks)


def _check_long(clip: Clip) -> None:
    joint_motion.check_each(clip)
    if clip.end - clip.start < 1.0:
        raise InertiaError(
            '"{action}" is a single pose and goes nowhere; choose a longer action.', action=clip.action.name
        )


def _in_place(rig: Rig, clip: Clip) -> tuple[Clip, Array, bool]:
    """Return (the clip without its cycle and with its own ends, frames (n,) at even steps of a frame or a
    little less, whether it is a cycle as a whole).

    The frames go from its first to its last key. It is a cycle as a whole only if the cycle that is found in
    it stays in place, and begins and ends with the clip; of any other cycle nothing is returned.
    """
    looked_at = cycles.with_cycle(rig, roots.find_root(rig, (clip,)), clip)
    cycle = looked_at.cycle
    alone = dataclasses.replace(looked_at, cycle=None, start=clip.start, end=clip.end)
    is_cycle = (
        cycle is not None
        and not cycle.moves
        and abs(cycle.start - clip.start) < FRACTION
        and abs(cycle.end - clip.end) < FRACTION
    )
    length = clip.end - clip.start
    count = max(1, round(length) if is_cycle else math.ceil(length - FRACTION))
    return alone, np.linspace(clip.start, clip.end, count + 1), is_cycle


def _track_steps(
    character: Character,
    clip: Clip,
    legs: Sequence[Leg],
    frames: Array,
    *,
    is_cycle: bool,
    turns: bool | None = None,
) -> Steps[Tracks]:
    """Measure what feet show at frames (n,), and the ground that this tells of; yield the part that is done.

    turns: see :func:`ground.find_steps`.
    """
    seen = yield from part(soles.steps(character, clip, legs, frames, is_cycle=is_cycle), 0.0, 2.0 / 3.0)
    passing = yield from part(ground.find_steps(seen, turns=turns), 2.0 / 3.0, 1.0)
    return Tracks(seen, passing)


def _lead_way(character: Character, clip: Clip, frames: Array, rates: Array) -> GroundPath:
    """Return the way, at a clip's keys, below which ground passes at ``rates`` (n - 1, 3), in metres."""
    keyed = _choose_frames(clip)
    led = way.along(frames, rates, character.fps).scaled(1.0 / character.metres)
    return way.of_matrices(keyed, led.matrices(keyed))


def _choose_frames(clip: Clip) -> Array:
    """Return the frames of a clip that get keys: its ends, and whole ones between them."""
    inner = np.arange(math.floor(clip.start + FRACTION) + 1.0, math.ceil(clip.end - FRACTION))
    return np.concatenate([[clip.start], inner, [clip.end]])


def _rates(
    character: Character, rig: Rig, clip: Clip, settings: TravelSettings, tracks: Tracks | None, frames: Array
) -> tuple[Array, str]:
    """Return (how the ground passes below the character in each step between frames, (n - 1, 3), what tells
    of it, FEET or SETTING).

    Rates are metres a second along the world's x and y, and radians a second about the vertical. The
    character goes the opposite way: who walks along +x has a negative x.

    tracks: what the feet show, None without legs. frames: (n,). Without ``settings.speed`` the rates are the
    feet's, and FEET is returned. With it SETTING is returned, and the rates are the feet's where these walk,
    scaled along x and y to that speed of the body, with the same turns; else the same in each step, straight
    on in ``settings.direction``.

    Without a speed, raise AlreadyTravels if the action's root moves (:func:`roots.find_root`) and the feet do
    not walk, or the root ends further from its first place than the feet would take it; and InertiaError if
    the feet do not walk, either. With a speed, raise InertiaError if the root ends further from its first
    place than a fifth of the character's size.
    """
    walked = tracks if tracks is not None and tracks.walks else None
    gone = _gone(rig, clip, frames)
    if settings.speed is None:
        if walked is None or gone > _distance(way.along(frames, walked.ground.rates, character.fps).places):
            _check_stays(rig, clip)
        if walked is None:
            raise InertiaError(
                'The feet of "{action}" show no travel, as they do not walk in place; give a speed, or '
                "choose another action.",
                action=clip.action.name,
            )
        return walked.ground.rates, FEET
    if gone > roots.TRAVEL * rig.size * character.metres:
        _check_stays(rig, clip, settings)
    if walked is not None:
        # as the feet go, only faster or slower
        faster = settings.speed / way.speed(walked.seen, walked.ground.rates)
        return walked.ground.rates * (faster, faster, 1.0), SETTING
    return np.tile(_ahead(character, settings.speed, settings.direction), (len(frames) - 1, 1)), SETTING


def _ahead(character: Character, speed: float, direction: float = 0.0) -> Array:
    """Return how the ground passes (3,) below who goes straight on: metres a second along the world's x and
    y, opposite to where it goes, and 0 radians a second.

    speed: metres a second. direction: degrees to the left of where the character faces at rest, see
    :func:`find_facing`.
    """
    angle = math.radians(direction)
    c, s = math.cos(angle), math.sin(angle)
    x, y = find_facing(character)
    return -speed * np.array([c * x - s * y, s * x + c * y, 0.0])


def _gone(rig: Rig, clip: Clip, frames: Array) -> float:
    """Return how far from its place at the first of frames (n,) an action's root is at the last of them, over
    the ground, metres; 0.0 for a root that doesn't move.
    """
    root = roots.find_root(rig, (clip,))
    if not root.moves:
        return 0.0
    ends = roots.root_matrices(rig, root, clip, frames[[0, -1]])[:, :2, 3]
    return float(np.linalg.norm(ends[1] - ends[0])) * scene.metres_per_unit()


def _distance(places: Array) -> float:
    """Return how far from the first of places (n, 2) the last is."""
    return float(np.linalg.norm(places[-1] - places[0]))


def _check_stays(rig: Rig, clip: Clip, settings: TravelSettings | None = None) -> None:
    """Raise AlreadyTravels where the root of an action travels or turns, or stands elsewhere, so that nothing
    tells of any other way; see :func:`roots.find_root`. settings: for the error; None where no speed is
    given.
    """
    if roots.find_root(rig, (clip,)).moves:
        _refuse(clip, settings)


def _refuse(clip: Clip, settings: TravelSettings | None) -> None:
    """Raise AlreadyTravels; with a speed, which is of no use then, InertiaError."""
    if settings is not None and settings.speed is not None:
        raise InertiaError(
            '"{action}" already travels; leave out the speed to move its travel to another carrier, or '
            "remove it with In Place first.",
            action=clip.action.name,
        )
    raise AlreadyTravels(
        '"{action}" already travels; Make Travel moves that to another carrier, and In Place removes it.',
        action=clip.action.name,
    )


def find_facing(character: Character) -> tuple[float, float]:
    """Return where a character faces at rest, over the ground, as a unit vector (x, y) in the world, as its
    armature stands now.

    It is from the feet's heads to the tips of their toes, or of the feet without toe bones, all legs added,
    level in the armature; without legs, or if that is vertical in the world, the armature's own -Y. (0.0,
    -1.0) where that is vertical, too.
    """
    axis, _ = joints.up_axis(character.armature)
    bones = character.armature.data.bones
    ahead = np.zeros(3)
    for leg in leg_list.of_armature(character.armature):
        tip = bones[leg.foot if leg.ball is None else leg.ball].tail_local
        ahead += np.array(tip) - np.array(bones[leg.foot].head_local)
    ahead[axis] = 0.0
    world = np.array(character.armature.matrix_world, float)[:3, :3]
    flat = (world @ ahead)[:2]
    if np.linalg.norm(flat) < 1e-6:
        flat = (world @ (0.0, -1.0, 0.0))[:2]
    size = float(np.linalg.norm(flat))
    return (float(flat[0] / size), float(flat[1] / size)) if size > 0.0 else (0.0, -1.0)


def carrier_of(character: Character, rig: Rig, clip: Clip, on: str) -> Root:
    """Return who is to carry a way: the object for OBJECT, the root that the clip has for ROOT, and the hips
    for anything else, which is HIPS.

    For ROOT the object stands in for a root bone if the object rotates in the clip. ``moves`` is False for
    the object and the hips, whatever they do. Raise InertiaError if the hips are asked for and not found.
    """
    if on == "OBJECT":
        return Root(OBJECT_ROOT, moves=False)
    if on == "ROOT":
        return _untilted(clip, roots.find_root(rig, (clip,)))
    for joint in joints.default_joints(character.armature):
        if joint.role == naming.HIPS:
            return Root(joint.bone, moves=False)
    raise InertiaError(
        'No hips were found on "{armature}"; let the root or the object carry the travel.',
        armature=character.armature.name,
    )


def _untilted(clip: Clip, root: Root) -> Root:
    """Return a root, or the object where that turns: what is below it would have to go its way in axes
    that turn.
    """
    turns = (path.startswith("rotation") and _varies(curve) for (path, _), curve in clip.curves.items())
    return Root(OBJECT_ROOT, moves=False) if root.name != OBJECT_ROOT and any(turns) else root


def _varies(curve: ActionCurve) -> bool:
    return bool(np.ptp(curve.keys.co[:, 1]) > 0.0)


# --- for those who can do without


def find_walk_steps(
    character: Character, rig: Rig, clip: Clip, legs: Sequence[Leg], root: Root
) -> Steps[Travel | None]:
    """Return how an action that walks in place would travel, as its feet tell; yields the part that is done.

    The :class:`Travel` has who carries the way, the way at the clip's keys in world units, ``told_by`` FEET,
    the average speed (m/s) and the turn (degrees a second, counter-clockwise); no skate and no tracks. None
    for an action whose root moves, that does not walk, or is shorter than one frame, and without legs. root:
    who is to carry it; the object instead, if it rotates in the clip. Raise InertiaError where Blender has to
    play the rig and would not.
    """
    if not legs or clip.end - clip.start < 1.0 or roots.find_root(rig, (clip,)).moves:
        return None
    in_place, frames, is_cycle = _in_place(rig, clip)
    tracks = yield from _track_steps(character, in_place, legs, frames, is_cycle=is_cycle)
    if not tracks.walks:
        return None
    rates = tracks.ground.rates
    turn, speed = -math.degrees(float(rates[:, 2].mean())), way.speed(tracks.seen, rates)
    return Travel(clip, _untilted(clip, root), _lead_way(character, clip, frames, rates), FEET, speed, turn)


def straight(character: Character, rig: Rig, clip: Clip, root: Root, speed: float) -> Travel | None:
    """Return how an action goes straight ahead that stays in place, such as one that flies or swims; None for
    one whose root moves, and for one shorter than a frame.

    speed: metres a second. It goes the way that the character faces at rest, at the clip's keys, in world
    units, with ``told_by`` SETTING and no turn. root: who is to carry it; the object instead, if it rotates
    in the clip.
    """
    if clip.end - clip.start < 1.0 or roots.find_root(rig, (clip,)).moves:
        return None
    _, frames, _ = _in_place(rig, clip)
    rates = np.tile(_ahead(character, speed), (len(frames) - 1, 1))
    return Travel(clip, _untilted(clip, root), _lead_way(character, clip, frames, rates), SETTING, speed, 0.0)


# --- the travel that there is


def travel_of(character: Character, rig: Rig, clip: Clip, settings: TravelSettings) -> Travel:
    """Return the travel that an action has, at its ends and the whole frames between: as Travel has noted it
    (``told_by`` NOTED), else as its carrier goes (ROOT).

    It has the carrier, the way in world units, the average speed (m/s) and the turn (degrees a second,
    counter-clockwise). The carrier is the root that moves; if none does, and the settings' ``on`` is not
    ROOT, the object or the hips as they say. Its sway is left out if it is the body itself, and its turns as
    far as the settings' ``turns`` say. Raise InertiaError for an action that stays in place (less than 0.02
    of the character's size, and 45 degrees), one that is shorter than one frame or too long, and for hips
    that are asked for and not found.
    """
    _check_long(clip)
    frames = _choose_frames(clip)
    noted = noted_way(clip.action)
    if noted is not None and not noted.taken:
        course = way.of_matrices(frames, noted.way.matrices(frames))
        speed, turn = pace(character, course, place_of(rig, clip, noted.root))
        return Travel(clip, Root(noted.root, moves=True), course, NOTED, speed, turn)
    root = roots.find_root(rig, (clip,))
    # what hangs from a root that travels does not stay in place by itself
    carrier = root if root.moves or settings.on == "ROOT" else carrier_of(character, rig, clip, settings.on)
    matrices = roots.root_matrices(rig, carrier, clip, frames)
    sigma = SWAY_SECONDS * character.fps if _sways(character, clip, carrier) else 0.0
    course = _course(frames, matrices, settings.turns, sigma)
    gone = float(np.linalg.norm(course.places - course.places[0], axis=1).max())
    if gone < roots.TRAVEL * 0.1 * rig.size and np.abs(course.turns).max() < TURNED:
        raise InertiaError(
            '"{action}" already stays in place; choose an action that travels.', action=clip.action.name
        )
    speed, turn = pace(character, course, place_of(rig, clip, carrier.name))
    return Travel(clip, carrier, course, ROOT, speed, turn)


def place_of(rig: Rig, clip: Clip, name: str) -> Array:
    """Return where a bone or the object is over the ground (2,) at the first frame, world units."""
    return roots.root_matrix(rig, Root(name, moves=True), clip, clip.start)[:2, 3]


def pace(character: Character, course: GroundPath, start_place: Array) -> tuple[float, float]:
    """Return (the average speed over the ground, metres a second, the average turn, degrees a second
    counterclockwise) of whoever goes along a way.

    start_place: (2,) where the way is begun, world units. The speed is the size of the mean velocity, seen as
    the body turns. The turn is that from first to last divided by the time. ZeroDivisionError for a way that
    lasts no time.
    """
    seconds = float(course.frames[-1] - course.frames[0]) / character.fps
    rates = way.rates_of(course.about(start_place), character.fps)
    speed = float(np.linalg.norm(rates[:, :2].mean(axis=0))) * character.metres
    return speed, math.degrees(float(course.turns[-1])) / seconds


def _sways(character: Character, clip: Clip, carrier: Root) -> bool:
    """Return whether who carries the travel sways, as the body itself does: it is the hips, there are none,
    or these have no keyed location that varies.
    """
    hips = [joint.bone for joint in joints.default_joints(character.armature) if joint.role == naming.HIPS]
    if not hips or carrier.name in hips:
        return True
    location = f'pose.bones["{hips[0]}"].location'
    return not any(path == location and _varies(curve) for (path, _), curve in clip.curves.items())


def _course(frames: Array, matrices: Array, turns: str, sigma: float) -> GroundPath:
    """Return the way of a root by its matrices (n, 4, 4) in the world, at frames (n,): the motions of the
    ground that take it from its first place along.

    It is a :class:`GroundPath`, whose places are where the world's origin is taken, in the unit of the
    matrices, and whose turns are radians about the vertical since the first frame. turns: NONE leaves its
    turns out, AUTO does so if it turns by less than 45 degrees from first to last, ALL keeps them. sigma:
    of a Gaussian by which places and turns are smoothed, in frames, where what carries the travel sways to
    and fro; 0 for none.
    """
    headings = np.concatenate([[0.0], np.cumsum(character_space.turns(matrices))])
    if turns == "NONE" or (turns == "AUTO" and abs(float(headings[-1])) < TURNED):
        headings = np.zeros_like(headings)
    places = matrices[:, :2, 3]
    if sigma:
        headings = _smoothed(headings[:, None], sigma)[:, 0]
        places = _smoothed(places, sigma)
    # the motions that take who stands at the first place to each of them, turned
    back = np.eye(4)
    back[:2, 3] = -matrices[0, :2, 3]
    return way.of_matrices(frames, GroundPath(frames, places, headings).matrices() @ back)


def _smoothed(values: Array, sigma: float) -> Array:
    """Return values (n, k) smoothed over n by a Gaussian, as a new array; n and k are at least 1.

    sigma: its standard deviation in rows, above 0; it is cut off at about three of these. Beyond their ends
    the values go on as point reflections of themselves, so the first and the last row stay as they are, but
    for rounding.
    """
    reach = max(1, round(3.0 * sigma))
    count = len(values)
    around = np.arange(-reach, count + reach)
    # point reflections, as often as it takes
    period = max(1, count - 1)
    turns, at = np.divmod(around, period)
    straight, mirrored = (values[np.clip(places, 0, count - 1)] for places in (at, period - at))
    rows = np.where((turns % 2 != 0)[:, None], values[0] + values[-1] - mirrored, straight)
    rows = rows + turns[:, None] * (values[-1] - values[0])
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    kernel /= kernel.sum()
    return np.stack([np.convolve(column, kernel, mode="valid") for column in rows.T], axis=1)


# --- what an action keeps of its travel: so that what was given can be taken out again, exactly


@record(frozen=True, eq=False)
class NotedWay:
    """A way that is stored with an action. root: who carries it. taken: whether it was taken out."""

    way: GroundPath
    root: str
    taken: bool


def note_way(action: Any, course: GroundPath, root: str, *, is_taken_out: bool) -> None:
    """Store a way with an action, in world units and radians, by frames."""
    rows = np.column_stack([course.frames, course.places, course.turns])
    action[TRAVEL] = json.dumps({"root": root, "taken": is_taken_out, "way": rows.tolist()})


def noted_way(action: Any) -> NotedWay | None:
    """Return the :class:`NotedWay` that Travel has stored with an action; None where there is none.

    Its ``way`` is a :class:`GroundPath` in world units and radians, ``root`` is the name of who carries it, a
    bone or OBJECT_ROOT, and ``taken`` is whether it was taken out of the action.

    None, too, for what can't be read, fewer than two frames, frames that do not rise, and numbers that are
    not finite.
    """
    try:
        values = json.loads(action.get(TRAVEL, "null"))
        rows = np.array(values["way"], float).reshape(-1, 4)
        rising = len(rows) > 1 and bool(np.isfinite(rows).all() and (np.diff(rows[:, 0]) > 0.0).all())
        course = GroundPath(rows[:, 0], rows[:, 1:3], rows[:, 3])
        return NotedWay(course, str(values["root"]), bool(values["taken"])) if rising else None
    except (ValueError, TypeError, LookupError, RecursionError):
        return None
