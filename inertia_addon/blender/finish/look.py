# SPDX-License-Identifier: GPL-3.0-or-later
"""Looks at a take, and says what is to be mended in it; nothing is written."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError, Sentence
from ...motion import quaternion
from ...motion.arrays import Array, runs
from ...motion.curves import keys as keylib
from ...motion.finish import first_pose, jitter, stalls, turns
from ...motion.pops import finding as pop_finding
from ...motion.skeleton import naming
from ...motion.steps import Steps, finish
from ...records import record
from ...settings import finish as kinds
from ...settings.finish import FinishSettings
from ...settings.pops import WHOLE_POSE, PopSettings
from ..data import actions, clip_store, compat, rig, scene
from ..data.actions import Address, Clip
from ..data.channels import Channels, match
from ..evaluation import joint_motion, joints, teleports
from ..evaluation.character import Character, read_character
from ..feet import legs
from ..pops import search
from ..pops.search import BoneChannels
from ..transition import parts
from . import stances
from .findings import Finding, TakeFacts, TakeFindings
from .stances import Standing

SKATE = 0.025
"""A stance skates from this part of the size on: captured walks have two thirds of that."""
OFF_FLOOR, STEP = 0.02, 0.06
"""A stance is off the floor from this part of the size on, and on a step from that part on."""
TILT = np.radians(1.5)
"""A floor is tilted from there on: captured ones are up to a degree."""
NOISE = np.radians(0.2)
"""A body jitters from so much noise on."""
SHARE = 0.25
"""So much of the body has as much noise, or less: a quick motion has some in its limbs."""
TURN_OVER, TURN_SECONDS = np.radians(150.0), 0.2
"""A limb turns over that turns so far in so short a time."""
LEFT_OVER = 1e-3
"""What an action leaves behind is seen from so much on, in units of a channel, or of that of the value."""
SITS = 2.5
"""A character lies that is, from its feet on, so many times as long as it is high."""
UNUSUAL_SIZES = 0.5, 4.0
"""A grown-up is neither smaller nor larger, metres over the diagonal of its rest pose."""


def look_steps(armature: Any, settings: FinishSettings) -> Steps[TakeFindings]:
    """Read the take that settings name; return the steps that look at it, see :func:`look_at_steps`.

    Raise InertiaError for an action that can't be read.
    """
    named = (settings.action, settings.library, settings.slot)
    (clip,) = finish(clip_store.read_named_steps(armature, [named]))
    return look_at_steps(read_character(armature), clip, settings)


def look_at_steps(character: Character, clip: Clip, settings: FinishSettings) -> Steps[TakeFindings]:
    """Look at a clip as it is, in an action or by value; return what was found, and yield the part that is
    done, 0 to 1.

    A first pose that belongs to no motion is found first, and left out of all that follows: channels that
    only others key, jitter, pops, limbs that turn over, a tilted floor, feet that skate or are off the floor,
    stalls, and ways that turn at once. `measured` has all, by the first frame, then kind and bone; `findings`
    those of a severity above 1. What can't be looked at, as without legs, is a note, and so are a character
    of an unusual size and one that lies. Raise InertiaError for a clip of which not every frame can be looked
    at, and where Blender has to play the rig and would not.
    """
    joint_motion.check_each(clip)
    sampled = SampledTake.of(character, clip)
    measured = [*_find_first_pose(sampled)]
    if measured:
        # what follows is about the take alone
        sampled = SampledTake.of(character, cut_front(clip, measured[0].last + 1.0))
    notes: list[Sentence] = []
    finders: tuple[Callable[[], Iterable[Finding]], ...] = (
        lambda: _find_left_channels(character.armature, clip),
        lambda: _find_jitter(sampled),
        lambda: _find_pops(sampled, settings.strictness),
        lambda: _find_turned_limbs(sampled, measured),
        lambda: _find_floor(sampled),
        lambda: _find_stances(sampled),
        lambda: _find_stalls(sampled),
        lambda: _find_turns(sampled, measured),
    )
    for i, finder in enumerate(finders):
        yield i / len(finders)
        try:
            measured += finder()
        except CantLook as error:
            notes += [error.sentence] * (error.sentence not in notes)
    order = {kind: i for i, kind in enumerate(kinds.KINDS)}
    measured.sort(key=lambda each: (each.first, order[each.kind], each.bone))
    facts = _read_facts(sampled)
    if not UNUSUAL_SIZES[0] <= facts.size <= UNUSUAL_SIZES[1]:
        notes.append(
            Sentence(
                "The character is {size:.3g} m tall; if it is an adult, import it at another scale.",
                size=facts.size,
            )
        )
    if facts.up not in (None, "Z"):
        notes.append(
            Sentence(
                "The character lies, its head towards {axis}; if it is to stand, read it with another axis "
                "up.",
                axis=facts.up,
            )
        )
    findings = tuple(each for each in measured if each.severity > 1.0)
    return TakeFindings(clip, facts, findings, tuple(measured), tuple(notes))


class CantLook(InertiaError):
    """Something can't be looked at in a take, and all else can."""


@record(frozen=True, eq=False)
class SampledTake:
    """A clip on its whole frames.

    frames: (n,). turns: for each bone that turns, or the object, its rotations, values (n, 4); and places:
    for each that moves its locations, values (n, 3). size: of the character, metres.
    """

    character: Character
    clip: Clip
    frames: Array
    turns: tuple[BoneChannels, ...]
    places: tuple[BoneChannels, ...]
    size: float

    @property
    def armature(self) -> Any:
        """The armature object itself."""
        return self.character.armature

    @classmethod
    def of(cls, character: Character, clip: Clip) -> SampledTake:
        """Sample a clip's rotations (``turns``) and locations (``places``) on its whole frames, from start to
        end: a :class:`BoneChannels` for each bone, and for the object, whose rotation or location changes in
        it.
        """
        frames = joint_motion.grid(clip, joint_motion.MOST_EACH)
        metres = parts.lengths(character.rig, clip, clip.start)
        moving = find_moving_channels(character, clip)
        turns, places = (
            tuple(search.sample_channels(each, frames, metres) for each in moving if each.kind == kind)
            for kind in ("rotation", "location")
        )
        return cls(character, clip, frames, turns, places, character.size)

    @functools.cached_property
    def feet_that_stand(self) -> Standing:
        """How the feet stand. Raise CantLook without legs."""
        if not legs.of_armature(self.armature):
            raise CantLook("{note}", note=legs.none_note(self.armature))
        return stances.find_standing(self.character, self.clip)

    @functools.cached_property
    def joint_places(self) -> Array:
        """Where all joints are (n, joints, 3), metres, in the world.

        Raise InertiaError for a rig that Blender would not play.
        """
        return finish(joint_motion.positions(self.character, self.clip, self.frames))

    @property
    def steps(self) -> Array:
        """Return how the bones of ``turns`` turn from each frame to the next (n - 1, bones, 3), rotation
        vectors in radians; without any rotation that changes the shape is (n - 1, 0, 3).
        """
        if not self.turns or len(self.frames) < 2:
            return np.zeros((max(len(self.frames) - 1, 0), 0, 3))
        values = np.stack([each.values for each in self.turns], axis=1)
        return pop_finding.steps_of(values, is_rotation=True)


def find_moving_channels(character: Character, clip: Clip) -> list[Channels]:
    """Return the rotations and locations that a clip moves, of bones and of the object, in the order in which
    it keys them.
    """
    matched = match(character.armature, clip, clip, clip.start, clip.start).channels
    return [each for each in matched if search.has_motion(clip, each)]


def cut_front(clip: Clip, frame: float) -> Clip:
    """Return a clip without what lies before a frame, by value. Curves with modifiers stay whole."""
    cut = actions.with_curves(clip, front_curves(clip, frame))
    return dataclasses.replace(cut, start=frame, end=max(clip.end, frame))


def front_curves(clip: Clip, frame: float) -> dict[Address, keylib.Keys]:
    """Return, by address, the curves of a clip that have keys before a frame, as they are from that frame on,
    with a key on it.

    Left out are curves with modifiers or samples, and those with an easing that the frame cuts; nothing is
    changed.
    """
    cut = {}
    for address, curve in clip.curves.items():
        if curve.obstacle or float(curve.keys.co[0, 0]) >= frame - keylib.SAME_FRAME:
            continue
        try:
            cut[address] = keylib.tail(curve.keys, frame)
        except keylib.NotCuttable:
            continue
    return cut


def _find_first_pose(sampled: SampledTake) -> Iterator[Finding]:
    found = first_pose.find_first_pose(sampled.steps, sampled.character.fps)
    if found is not None and found.frames < len(sampled.frames):
        first, last = sampled.frames[0], sampled.frames[found.frames - 1]
        degrees = float(np.degrees(found.size))
        words = Sentence(
            "The take begins with a pose that is no part of it, {degrees:.0f}° away from the motion.",
            degrees=degrees,
        )
        yield Finding(
            kinds.POSE,
            "",
            float(first),
            float(last),
            degrees,
            "degrees",
            found.times / first_pose.TIMES,
            words,
        )


def _find_left_channels(armature: Any, clip: Clip) -> Iterator[Finding]:
    """Yield one finding of the kind CHANNELS, over the whole clip and with "" as its bone, if bones' channels
    are keyed by other actions of the file alone (:func:`left_channels`): what these leave behind shows in a
    take that does not key them.

    Its size is their number, its severity 2, and its sentence names up to three bones.
    """
    away = left_channels(armature, clip)
    bones = list(dict.fromkeys(rig.split_path(path)[0] for path, _ in away))
    if bones:
        words = Sentence(
            "Other actions key {count} channels that this one does not, of {bones}; they show what played "
            "before.",
            count=len(away),
            bones=", ".join(map(str, bones[:3])) + ("" if len(bones) <= 3 else " ..."),
        )
        yield Finding(kinds.CHANNELS, "", clip.start, clip.end, float(len(away)), "channels", 2.0, words)


def left_channels(armature: Any, clip: Clip) -> list[Address]:
    """Return the transform channels of bones that a clip does not key, and that other actions, which Inertia
    has not baked, key away from what the clip shows there: their addresses, each once, in the order of the
    actions and their curves.

    Muted curves don't count, and values of keys that differ by LEFT_OVER at most, or by that part of the
    value if it is above 1. Of rotations only those of the bone's own mode count.
    """
    found: dict[Address, None] = {}
    for action in clip_store.unbaked(armature):
        if action == clip.action:
            continue
        slot = actions.choose_slot(action, armature)
        for fcurve in compat.curves(action, slot.identifier):
            address = fcurve.data_path, fcurve.array_index
            bone, prop = rig.split_path(fcurve.data_path)
            if address in clip.curves or address in found or compat.is_muted(fcurve):
                continue
            if bone not in armature.pose.bones or not _is_transform(armature, str(bone), prop):
                continue
            value = clip.default_of(address, prop)
            points = fcurve.keyframe_points
            numbers = np.zeros(2 * len(points), np.float32)
            points.foreach_get("co", numbers)
            if np.any(np.abs(numbers[1::2] - value) > LEFT_OVER * max(1.0, abs(value))):
                found[address] = None
    return list(found)


def _is_transform(armature: Any, bone: str, prop: str) -> bool:
    rotation, _ = quaternion.rotation_property(rig.rotation_mode(armature, bone))
    return prop in ("location", "scale", rotation)


def _find_jitter(sampled: SampledTake) -> Iterator[Finding]:
    """Yield a finding for each stretch in which most of the body has noise above NOISE; without one, a single
    finding over the whole take whose severity is at most 1.

    A stretch has all the frames of the windows in which noise is measured. Its size is the median noise in
    degrees from frame to frame, its severity that by NOISE, its bone "". Nothing is yielded for takes too
    short to measure, or without rotations.
    """
    firsts, deviations = jitter.measure_noise(sampled.steps)
    if not len(firsts) or not deviations.shape[1]:
        return
    of_body = np.quantile(deviations, SHARE, axis=1)
    last = len(sampled.frames) - 1
    # without any that is listed the whole take is measured
    is_noisy = of_body > NOISE
    for begin, end in runs(is_noisy) or [(0, len(firsts) - 1)]:
        first = int(firsts[begin])
        behind = last if end == len(firsts) - 1 else min(int(firsts[end]) + jitter.WINDOW - 1, last)
        noise = float(np.median(of_body[begin : end + 1]))
        degrees = float(np.degrees(noise))
        words = Sentence("The body jitters, by {degrees:.2f}° from frame to frame.", degrees=degrees)
        begins, ends = float(sampled.frames[first]), float(sampled.frames[behind])
        yield Finding(kinds.JITTER, "", begins, ends, degrees, "degrees", noise / NOISE, words)


def _find_pops(sampled: SampledTake, strictness: float) -> list[Finding]:
    """Return a finding for each pop that the search finds, with its own usual settings but for the
    strictness. Raise CantLook for a take that is too short to say what is usual.
    """
    if len(sampled.frames) < pop_finding.SHORTEST:
        raise CantLook(
            '"{action}" is too short to tell a pop from its usual motion.', action=sampled.clip.action.name
        )
    asked = PopSettings("", strictness=strictness)
    pops = finish(search.search_pops_steps(sampled.character, sampled.clip, asked))
    return [make_pop_finding(pop) for pop in pops.pops]


def make_pop_finding(pop: search.FoundPop) -> Finding:
    """Return a pop as a finding of the kind POP, with its bone, first and last frame and size, in degrees or
    metres, and a sentence by its kind ("step", "spike" or "stretch").

    Its severity is how many times its usual size it is, but at least 1.01, so that it is always listed.
    """
    unit = "degrees" if pop.motion.is_rotation else "m"
    size = f"{pop.size:.0f}°" if pop.motion.is_rotation else scene.length_text(pop.size)
    bone = Sentence("The whole pose") if pop.bone == WHOLE_POSE else pop.bone
    words = {
        "step": Sentence("{bone} jumps by {size} and stays there.", bone=bone, size=size),
        "spike": Sentence("{bone} is off by {size} for one frame.", bone=bone, size=size),
        "stretch": Sentence("{bone} is off by {size} for several frames.", bone=bone, size=size),
    }[pop.kind]
    return Finding(kinds.POP, pop.bone, pop.first, pop.last, pop.size, unit, max(pop.times, 1.01), words)


def _find_turned_limbs(sampled: SampledTake, findings: Sequence[Finding]) -> Iterator[Finding]:
    """Yield a finding, which is not mended, for each stretch in which a bone turns by more than TURN_OVER
    within TURN_SECONDS, unless a pop of `findings`, of any bone, touches it.

    Its frames are those of the largest turn there, its size is that in degrees, and its severity that by
    TURN_OVER.
    """
    steps = sampled.steps
    reach = max(1, round(TURN_SECONDS * sampled.character.fps))
    if len(steps) <= reach or not steps.shape[1]:
        return
    gone = np.concatenate([np.zeros((1, *steps.shape[1:])), np.cumsum(steps, axis=0)])
    turned = np.linalg.norm(gone[reach:] - gone[:-reach], axis=2)
    spans = [(each.first - 1.0, each.last + 1.0) for each in findings if each.kind == kinds.POP]
    for i, motion in enumerate(sampled.turns):
        bone = motion.channels.bone
        if bone is None:
            continue
        for begin, end in runs(turned[:, i] > TURN_OVER):
            most = begin + int(np.argmax(turned[begin : end + 1, i]))
            first, last = float(sampled.frames[most]), float(sampled.frames[most + reach])
            if any(low <= last and first <= high for low, high in spans):
                continue
            degrees = float(np.degrees(turned[most, i]))
            words = Sentence("{bone} turns over, by {degrees:.0f}°.", bone=bone, degrees=degrees)
            severity = degrees / float(np.degrees(TURN_OVER))
            yield Finding(kinds.LIMB, bone, first, last, degrees, "degrees", severity, words, is_mended=False)


def _find_floor(sampled: SampledTake) -> Iterator[Finding]:
    floor = sampled.feet_that_stand.floor
    if floor is None or not floor.rise:
        return
    degrees = float(np.degrees(floor.tilt))
    words = Sentence("The floor is tilted by {degrees:.1f}°.", degrees=degrees)
    # over a short way few heights say little
    is_clear = floor.rise > 2.0 * floor.deviation
    severity = floor.tilt / TILT if is_clear else min(floor.tilt / TILT, 1.0)
    begins, ends = float(sampled.clip.start), float(sampled.clip.end)
    yield Finding(kinds.FLOOR, "", begins, ends, degrees, "degrees", severity, words)


def _find_stances(sampled: SampledTake) -> Iterator[Finding]:
    """Yield for each stance how far it skates, and, where there is a floor, how far it is below it (SINK) or
    above it (FLOAT); metres, those within the limit too.

    A severity of 1 is the limit, a part of the character's size. One that is off the floor by STEP of that
    size or more stands on a step, and has the severity 0.
    """
    floor = sampled.feet_that_stand.floor
    limit = sampled.size * OFF_FLOOR
    for stance in sampled.feet_that_stand.stances:
        begins, ends = float(stance.span.start), float(stance.span.end)
        skate = scene.length_text(stance.skate)
        words = Sentence("{foot} skates by {way} while it stands.", foot=stance.foot, way=skate)
        severity = stance.skate / (SKATE * sampled.size)
        yield Finding(kinds.SKATE, stance.foot, begins, ends, stance.skate, "m", severity, words)
        if floor is None:
            continue
        off = float(stance.place[2] - floor.heights(stance.place[None])[0])
        far = scene.length_text(abs(off))
        words = Sentence("{foot} stands {way} above the floor.", foot=stance.foot, way=far)
        if off < 0.0:
            words = Sentence("{foot} stands {way} below the floor.", foot=stance.foot, way=far)
        kind = kinds.SINK if off < 0.0 else kinds.FLOAT
        # steps and slopes are as they are
        severity = abs(off) / limit if abs(off) < STEP * sampled.size else 0.0
        yield Finding(kind, stance.foot, begins, ends, abs(off), "m", severity, words)


def _find_stalls(sampled: SampledTake) -> Iterator[Finding]:
    for stall in stalls.find_stalls(sampled.joint_places, sampled.character.fps, sampled.size):
        share = 100.0 * stall.depth
        words = Sentence("The take stalls: it goes on at {share:.0f} % of its speed.", share=share)
        begins, ends = float(sampled.frames[stall.first]), float(sampled.frames[stall.last])
        severity = max(2.0 - stall.depth / stalls.DIES, 1.01)
        yield Finding(kinds.SEAM, "", begins, ends, 100.0 - share, "%", severity, words)


def _find_turns(sampled: SampledTake, findings: Sequence[Finding]) -> Iterator[Finding]:
    """Yield a finding of the kind SEAM, of one frame and with "" as its bone, for each seam at which the way
    turns at once, in degrees, unless a pop of `findings` is within turns.BESIDE_SECONDS.

    Its severity is the angle by turns.SHARPEST.
    """
    reach = turns.BESIDE_SECONDS * sampled.character.fps
    pops = [(each.first - reach, each.last + reach) for each in findings if each.kind == kinds.POP]
    for turn in turns.find_turns(sampled.joint_places, sampled.character.fps, sampled.size):
        if any(first <= sampled.frames[turn.at] <= last for first, last in pops):
            continue
        degrees = float(np.degrees(turn.angle))
        words = Sentence("The way turns at once, by {degrees:.0f}°.", degrees=degrees)
        at = float(sampled.frames[turn.at])
        severity = turn.angle / turns.SHARPEST
        yield Finding(kinds.SEAM, "", at, at, degrees, "degrees", severity, words)


def find_upright_axis(sampled: SampledTake) -> str | None:
    """Return the axis of the world along which the character is, from its feet to its hips and head, in the
    median over the take, such as "Z" for one that stands or "-Y" for one that lies; None where its feet, or
    both hips and head, are not found.

    The vertical counts SITS times, so that one that sits does not lie.
    """
    names = list(sampled.armature.data.bones.keys())
    found = joints.default_joints(sampled.armature)
    feet = [names.index(joint.bone) for joint in found if joint.role == naming.FOOT]
    # a head alone may be further ahead of its feet than above them, as of an animal
    body = [names.index(joint.bone) for joint in found if joint.role in (naming.HIPS, naming.HEAD)]
    if not feet or not body:
        return None
    way = np.median(
        sampled.joint_places[:, body].mean(axis=1) - sampled.joint_places[:, feet].mean(axis=1), axis=0
    )
    # who sits is not as high as long, and does not lie
    axis = int(np.argmax(np.abs(way) * [1.0, 1.0, SITS]))
    return ("-" if way[axis] < 0.0 else "") + "XYZ"[axis]


def _read_facts(sampled: SampledTake) -> TakeFacts:
    armature, clip = sampled.armature, sampled.clip
    count = len(legs.of_armature(armature))
    floor = sampled.feet_that_stand.floor if count else None
    return TakeFacts(
        fps=sampled.character.fps,
        key_step=teleports.key_step(clip),
        size=sampled.size,
        up=find_upright_axis(sampled),
        bones=len(armature.data.bones),
        legs=count,
        is_plain=not sampled.character.find_poser([clip]).has_to_play,
        floor_height=None if floor is None else float(floor.centre[2]),
        floor_tilt=None if floor is None else float(np.degrees(floor.tilt)),
    )
