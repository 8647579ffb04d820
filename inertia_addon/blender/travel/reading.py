# SPDX-License-Identifier: GPL-3.0-or-later
"""How an action travels, or would: by its feet, as it is said, or as its root goes."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Generator, Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError
from ...motion.arrays import Array
from ...motion.feet.legs import Leg
from ...motion.skeleton import character, naming
from ...motion.skeleton.posing import Rig
from ...motion.steps import part
from ...motion.travel import evidence, ground, way
from ...motion.travel.ground import Ground, Seen
from ...motion.travel.way import Way
from ...records import record
from ...settings.transition import OBJECT_ROOT
from ...settings.travel import TravelSettings
from ..data import roots, scene
from ..data.actions import Clip
from ..data.roots import Root
from ..evaluation import cycles, joint_motion, joints
from ..feet import legs as leg_list
from . import noting, soles

FEET, SETTING, ROOT, NOTED = "FEET", "SETTING", "ROOT", "NOTED"
"""What tells of a way: the feet, a speed that was given, the root as it goes, or what Travel has noted."""
TURNED = math.radians(45.0)
"""A character that faces another way at the end by less than this sways."""
SWAY_SECONDS = 0.3
"""Hips that carry the travel keep what they do more quickly than this, as they sway."""
FRACTION = 1e-3
"""Frames nearer than this are the same."""


@record(frozen=True, eq=False)
class Tracks:
    """What feet showed of the ground, in place, metres, and what of it was found."""

    seen: Seen
    ground: Ground


@record(frozen=True, eq=False)
class Travel:
    """How an action travels.

    clip: as it was read. root: who carries the way. way: at the frames that are keyed, in world units.
    told_by: FEET, SETTING, ROOT or NOTED. speed: metres a second on average, and turn: degrees a second,
    counter-clockwise. skate: metres that its feet skate without it and with it, and tracks: what they show;
    None where nothing tells.
    """

    clip: Clip
    root: Root
    way: Way
    told_by: str
    speed: float
    turn: float
    skate: tuple[float, float] | None = None
    tracks: Tracks | None = None

    def faster(self, speed: float | None) -> Travel:
        """This travel at another speed, metres a second; None for its own."""
        if speed is None or self.speed <= 0.0:
            return self
        rates = way.rates_of(self.way, scene.fps()) * (*2 * (speed / self.speed,), 1.0)
        whole = way.along(self.way.frames, rates, scene.fps())
        return dataclasses.replace(self, way=whole, told_by=SETTING, speed=speed)


def finding(armature: Any, rig: Rig, clip: Clip, settings: TravelSettings) -> Generator[float, None, Travel]:
    """How an action in place is to travel; yields the part that is done, 0 to 1.

    Raises InertiaError where its feet tell of no way and none is given, and for a rig that can't be played.
    """
    _check_long(clip)
    own = leg_list.of_armature(armature)
    if not own and settings.speed is None:
        _check_stays(rig, clip)
        raise InertiaError(
            'No legs were found on "{armature}", so nothing tells how fast "{action}" goes; give its speed.',
            armature=armature.name,
            action=clip.action.name,
        )
    looked, is_cycle = _in_place(rig, clip)
    frames = _even(looked, is_cycle)
    seen = found = None
    if own:
        seen = yield from part(soles.steps(armature, looked, own, frames, is_cycle), 0.0, 0.6)
        turns = {"AUTO": None, "NONE": False, "ALL": True}[settings.turns]
        found = yield from part(ground.finding(seen, turns), 0.6, 0.9)
    rates, told_by = _rates(armature, rig, clip, settings, seen, found, frames)
    carrier = carrier_of(armature, rig, clip, settings.on)
    led = way.along(frames, rates, scene.fps()).scaled(1.0 / scene.metres_per_unit())
    keyed = _keyed(clip)
    whole = way.of_matrices(keyed, led.matrices(keyed))
    mean = rates.mean(axis=0)
    speed = float(np.linalg.norm(mean[:2])) if seen is None else evidence.speed(seen, rates)
    skate = None
    if seen is not None:
        before, after = (evidence.skates(seen, each).sum() for each in (np.zeros_like(rates), rates))
        skate = float(before), float(after)
    track = None if seen is None or found is None else Tracks(seen, found)
    return Travel(clip, carrier, whole, told_by, speed, -math.degrees(mean[2]), skate, track)


def _check_long(clip: Clip) -> None:
    joint_motion.check_each(clip)
    if clip.end - clip.start < 1.0:
        raise InertiaError(
            '"{action}" is a single pose and goes nowhere; choose a longer action.', action=clip.action.name
        )


def _in_place(rig: Rig, clip: Clip) -> tuple[Clip, bool]:
    """A clip as it is looked at, and whether its end goes on into its beginning where that is."""
    looked = cycles.looked_at(rig, roots.find_root(rig, (clip,)), clip)
    cycle = looked.cycle
    alone = dataclasses.replace(looked, cycle=None, start=clip.start, end=clip.end)
    if cycle is None or cycle.moves:
        return alone, False
    whole = abs(cycle.start - clip.start) < FRACTION and abs(cycle.end - clip.end) < FRACTION
    return alone, whole


def _even(clip: Clip, is_cycle: bool) -> Array:
    """Frames (n,) at even steps of about one: of a cycle both ends, else whole ones and what is left."""
    count = max(1, round(clip.end - clip.start) if is_cycle else math.ceil(clip.end - clip.start - FRACTION))
    return np.linspace(clip.start, clip.end, count + 1)


def _keyed(clip: Clip) -> Array:
    """The frames of a clip that get keys: its ends, and whole ones between them."""
    inner = np.arange(math.floor(clip.start + FRACTION) + 1.0, math.ceil(clip.end - FRACTION))
    return np.concatenate([[clip.start], inner, [clip.end]])


def _rates(
    armature: Any,
    rig: Rig,
    clip: Clip,
    settings: TravelSettings,
    seen: Seen | None,
    found: Ground | None,
    frames: Array,
) -> tuple[Array, str]:
    """How the ground passes (n - 1, 3), metres and radians a second, and what tells."""
    tells = seen is not None and found is not None and evidence.walks(seen, found)
    if settings.speed is None:
        if seen is None or found is None or not tells:
            _check_stays(rig, clip)
            raise InertiaError(
                'The feet of "{action}" show no travel, as they do not walk in place; give a speed, or '
                "choose another action.",
                action=clip.action.name,
            )
        return found.rates, FEET
    if seen is not None and found is not None and tells:
        # as the feet go, only faster or slower
        faster = settings.speed / evidence.speed(seen, found.rates)
        return found.rates * (faster, faster, 1.0), SETTING
    angle = math.radians(settings.direction)
    c, s = math.cos(angle), math.sin(angle)
    x, y = facing(armature)
    ahead = np.array([c * x - s * y, s * x + c * y, 0.0])
    return np.tile(-settings.speed * ahead, (len(frames) - 1, 1)), SETTING


def _check_stays(rig: Rig, clip: Clip) -> None:
    """Raise InertiaError where an action travels already, so that nothing tells of any other way."""
    if roots.find_root(rig, (clip,)).moves:
        raise InertiaError(
            '"{action}" already travels; remove that with In Place first, or choose another action.',
            action=clip.action.name,
        )


def facing(armature: Any) -> tuple[float, float]:
    """Which way a character faces at rest, over the ground (2,): as its toes point, else along its -Y."""
    axis, _ = joints.up_axis(armature)
    bones = armature.data.bones
    ahead = np.zeros(3)
    for leg in leg_list.of_armature(armature):
        tip = bones[leg.foot if leg.ball is None else leg.ball].tail_local
        ahead += np.array(tip) - np.array(bones[leg.foot].head_local)
    ahead[axis] = 0.0
    world = np.array(armature.matrix_world, float)[:3, :3]
    flat = (world @ ahead)[:2]
    if np.linalg.norm(flat) < 1e-6:
        flat = (world @ (0.0, -1.0, 0.0))[:2]
    size = float(np.linalg.norm(flat))
    return (float(flat[0] / size), float(flat[1] / size)) if size > 0.0 else (0.0, -1.0)


def carrier_of(armature: Any, rig: Rig, clip: Clip, on: str) -> Root:
    """Who is to carry a way. Raises InertiaError for hips that are not known."""
    if on == "OBJECT":
        return Root(OBJECT_ROOT, False)
    if on == "ROOT":
        return _untilted(clip, roots.find_root(rig, (clip,)))
    for joint in joints.default_joints(armature):
        if joint.role == naming.HIPS:
            return Root(joint.bone, False)
    raise InertiaError(
        'No hips were found on "{armature}"; let the root or the object carry the travel.',
        armature=armature.name,
    )


def _untilted(clip: Clip, root: Root) -> Root:
    """A root, or the object where that turns: what is below it would have to go its way in axes that turn."""
    turns = (
        path.startswith("rotation") and np.ptp(curve.keys.co[:, 1]) > 0.0
        for (path, _), curve in clip.curves.items()
    )
    return Root(OBJECT_ROOT, False) if root.name != OBJECT_ROOT and any(turns) else root


# --- for those who can do without


def walking(
    armature: Any, rig: Rig, clip: Clip, legs: Sequence[Leg], root: Root
) -> Generator[float, None, Travel | None]:
    """How an action travels that walks in place; None for any other, which travels, or stays where it is."""
    if not legs or clip.end - clip.start < 1.0 or roots.find_root(rig, (clip,)).moves:
        return None
    looked, is_cycle = _in_place(rig, clip)
    frames = _even(looked, is_cycle)
    seen = yield from soles.steps(armature, looked, legs, frames, is_cycle)
    found = yield from ground.finding(seen)
    if not evidence.walks(seen, found):
        return None
    led = way.along(frames, found.rates, scene.fps()).scaled(1.0 / scene.metres_per_unit())
    keyed = _keyed(clip)
    skate = (
        float(evidence.skates(seen, np.zeros_like(found.rates)).sum()),
        float(evidence.skates(seen, found.rates).sum()),
    )
    turn = -math.degrees(float(found.rates[:, 2].mean()))
    whole = way.of_matrices(keyed, led.matrices(keyed))
    return Travel(clip, _untilted(clip, root), whole, FEET, evidence.speed(seen, found.rates), turn, skate)


# --- the travel that there is


def there(armature: Any, rig: Rig, clip: Clip, settings: TravelSettings) -> Travel:
    """The travel that an action has: as Travel has noted it, else as its root goes.

    Raises InertiaError for one that has none.
    """
    _check_long(clip)
    frames = _keyed(clip)
    noted = noting.stored(clip.action)
    if noted is not None and not noted.taken:
        carrier = Root(noted.root, True)
        known = way.of_matrices(frames, noted.way.matrices(frames))
        return Travel(clip, carrier, known, NOTED, *_of(known))
    carrier = (
        roots.find_root(rig, (clip,))
        if settings.on == "ROOT"
        else carrier_of(armature, rig, clip, settings.on)
    )
    matrices = roots.root_matrices(rig, carrier, clip, frames)
    known = _gone(rig, clip, carrier, frames, matrices, settings.turns, _sways(armature, rig, clip, carrier))
    gone = float(np.linalg.norm(known.places - known.places[0], axis=1).max())
    if gone < roots.TRAVEL * 0.1 * rig.size and np.abs(known.turns).max() < TURNED:
        raise InertiaError(
            '"{action}" already stays in place; choose an action that travels.', action=clip.action.name
        )
    return Travel(clip, carrier, known, ROOT, *_of(known))


def _of(known: Way) -> tuple[float, float]:
    """How fast a way goes, metres a second, and turns, degrees a second."""
    seconds = float(known.frames[-1] - known.frames[0]) / scene.fps()
    rates = way.rates_of(known, scene.fps())
    gone = float(np.linalg.norm(rates[:, :2].mean(axis=0))) * scene.metres_per_unit()
    return gone, math.degrees(float(known.turns[-1])) / seconds


def _sways(armature: Any, rig: Rig, clip: Clip, carrier: Root) -> bool:
    """Whether who carries the travel is the body itself, which sways, and not something below which that
    does."""
    hips = [joint.bone for joint in joints.default_joints(armature) if joint.role == naming.HIPS]
    if not hips or carrier.name in hips:
        return True
    own = f'pose.bones["{hips[0]}"].location'
    moves = any(path == own and np.ptp(curve.keys.co[:, 1]) > 0.0 for (path, _), curve in clip.curves.items())
    return not moves


def _gone(
    rig: Rig, clip: Clip, carrier: Root, frames: Array, matrices: Array, turns: str, sways: bool
) -> Way:
    """The way of a root's matrices (n, 4, 4), without what sways to and fro."""
    heading = np.concatenate([[0.0], np.cumsum(character.turns(matrices))])
    if turns == "NONE" or (turns == "AUTO" and abs(float(heading[-1])) < TURNED):
        heading = np.zeros_like(heading)
    places = matrices[:, :2, 3]
    if sways:
        sigma = SWAY_SECONDS * scene.fps()
        heading = _smoothed(heading[:, None], sigma)[:, 0]
        places = _smoothed(places, sigma)
    turned = character_motions(heading, places, matrices[0, :2, 3])
    return way.of_matrices(frames, turned)


def character_motions(headings: Array, places: Array, first: Array) -> Array:
    """The motions (n, 4, 4) that take who stands at ``first`` (2,) to places (n, 2), turned by headings."""
    found = Way(np.arange(len(headings), dtype=float), places, headings).matrices()
    back = np.eye(4)
    back[:2, 3] = -first
    return np.asarray(found @ back)


def _smoothed(values: Array, sigma: float) -> Array:
    """Values (n, k) smoothed by a Gaussian of so many frames, beyond their ends as they came."""
    reach = max(1, round(3.0 * sigma))
    count = len(values)
    around = np.arange(-reach, count + reach)
    # point reflections, as often as it takes
    period = max(1, count - 1)
    turns, at = np.divmod(around, period)
    rows = values[np.clip(at, 0, count - 1)]
    odd = turns % 2 != 0
    mirrored = values[np.clip(period - at, 0, count - 1)]
    whole = values[-1] - values[0]
    rows = np.where(odd[:, None], values[0] + values[-1] - mirrored, rows)
    rows = rows + turns[:, None] * whole
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    kernel /= kernel.sum()
    return np.stack([np.convolve(column, kernel, mode="valid") for column in rows.T], axis=1)
