# SPDX-License-Identifier: GPL-3.0-or-later
"""The verdict on a transition: good, fair or poor, and its faults in an animator's words, the worst first.

It rests on what a transition shows beside its two clips, played as Blender would.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError, Sentence
from ...motion.arrays import Array
from ...motion.curves.representation import whole_frames
from ...motion.decay import dead_blending, decay
from ...motion.feet.legs import Leg
from ...motion.judging import evidence, faults
from ...motion.judging.evidence import BESIDE_FRAMES, MARGIN_SECONDS, Evidence, Track
from ...motion.judging.fault_ids import STOP
from ...motion.judging.faults import FAIR, GOOD, POOR, Change
from ...motion.skeleton import naming
from ...motion.steps import Steps, finish, part
from ...records import record
from ...settings.transition import TransitionSettings
from ..data import scene
from ..data.actions import Clip
from ..evaluation import cycles, joint_motion, joints
from ..evaluation.character import Character
from ..feet import legs
from .played import Footage, Joints, Played, clip_shown, look_steps, within

RATINGS = {GOOD: "Good", FAIR: "Fair", POOR: "Poor"}
"""What each rating is called."""
NEAR = 0.01
"""Who stops so many metres before the end has arrived."""
WORDS = {
    faults.SKATE: "{foot} skates {way} around {frame}, the clips {own}",
    "ALONE_SKATE": "{foot} skates {way} around {frame}, where it stands in the clips",
    faults.POP: "{joint} pops at {frame}, {times} times as hard as anything in the clips",
    "ALONE_POP": "{joint} pops at {frame}, where the clips hardly move",
    faults.LIFT: "the hips rise {height} above both clips at {frame}",
    faults.FLOAT: "the character floats {height} above the ground at {frame}",
    faults.SINK: "{joint} sinks {depth} into the ground at {frame}",
    faults.REACH: "{joint} reaches {way} further than in both clips at {frame}",
    STOP: "the character stops {way} before the path's end, at {frame}",
    faults.SPIN: "{joint} turns {angle}° within a frame at {frame}",
    faults.SNAP: "{joint} snaps at {frame}, {times} times as hard as in the clips",
    "ALONE_SNAP": "{joint} snaps at {frame}, where it hardly moves in the clips",
    faults.BEND: "{joint} snaps by {angle}° in two frames at {frame}, {times} times as far as in the clips",
    "ALONE_BEND": "{joint} snaps by {angle}° in two frames at {frame}, where it hardly bends in the clips",
}
"""What faults of each kind are in an animator's words; ALONE: what has nothing like it in the clips."""
OF_HIPS = {
    faults.POP: "the hips pop at {frame}, {times} times as hard as anything in the clips",
    "ALONE_POP": "the hips pop at {frame}, where the clips hardly move",
    faults.SINK: "the hips sink {depth} into the ground at {frame}",
    faults.SPIN: "the hips turn {angle}° within a frame at {frame}",
    faults.SNAP: "the hips snap at {frame}, {times} times as hard as in the clips",
    "ALONE_SNAP": "the hips snap at {frame}, where they hardly move in the clips",
}
"""What those of the hips are."""
ALONE = {faults.POP: 10.0, faults.SNAP: 10.0, faults.BEND: 10.0, faults.SKATE: 20.0}
"""What is so many times what the clips do has nothing like it there."""
TOLD = 3
"""So many faults are told, at most."""
SIDES = {"LEFT": "the left foot", "RIGHT": "the right foot"}
"""What the feet of who has two are called."""
HIPS, HIP, KNEE, FOOT, TOE = "HIPS", "HIP", "KNEE", "FOOT", "TOE"
SHOULDER, ELBOW, HAND, HEAD = "SHOULDER", "ELBOW", "HAND", "HEAD"
PARTS = {
    (HIP, "LEFT"): "the left hip",
    (HIP, "RIGHT"): "the right hip",
    (KNEE, "LEFT"): "the left knee",
    (KNEE, "RIGHT"): "the right knee",
    (FOOT, "LEFT"): "the left foot",
    (FOOT, "RIGHT"): "the right foot",
    (TOE, "LEFT"): "the left toe",
    (TOE, "RIGHT"): "the right toe",
    (SHOULDER, "LEFT"): "the left shoulder",
    (SHOULDER, "RIGHT"): "the right shoulder",
    (ELBOW, "LEFT"): "the left elbow",
    (ELBOW, "RIGHT"): "the right elbow",
    (HAND, "LEFT"): "the left hand",
    (HAND, "RIGHT"): "the right hand",
    (HEAD, ""): "the head",
}
"""What the joints of who has two legs and two arms are called; other bones by their names."""


@record(frozen=True)
class Fault:
    """A fault to read: see :class:`faults.SeenFault`.

    bone: by name. side: LEFT or RIGHT of two feet, or of another part. part: which joint of the body it is,
    HIPS or one of :data:`PARTS`. Both are "" where nobody knows.
    """

    kind: str
    size: float
    own: float
    severity: float
    bone: str
    side: str
    frame: float
    part: str = ""


@record(frozen=True)
class Verdict:
    """What is seen of a transition.

    rating: GOOD, FAIR or POOR. faults: those that make it no better than fair, the worst first. total: see
    :attr:`Judgement.total`. pop, highest, end: the change of the joints' velocity at the cut, where it is
    worst, and where the blend ends. skate, lift, reach: metres, of the worst joint; skate is None where
    nothing can be said of feet. until: the last frame at which anything differs from the destination. swings:
    whether that comes of a blend that is too long for the cycle that it leads into. skating: the severity of
    the foot that skates most, 0 for none. unseen: the kinds of faults that could not be looked for.
    """

    rating: str
    faults: tuple[Fault, ...]
    total: float
    pop: Change
    highest: Change
    end: Change
    skate: float | None
    lift: float
    reach: float
    until: float
    swings: bool = False
    skating: float = 0.0
    unseen: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values: all fields but ``skating`` and ``unseen``, and "words", its sentences and
        hints.
        """
        values = dataclasses.asdict(self)
        del values["skating"], values["unseen"]
        return values | {"words": [*sentences(self), *hints(self)]}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Verdict:
        """Return the verdict of which :meth:`as_dict` made these values, as far as they tell it."""
        plain = {field.name: values[field.name] for field in dataclasses.fields(cls) if field.name in values}
        changes = {name: Change(**values[name]) for name in ("pop", "highest", "end")}
        return cls(**{**plain, **changes, "faults": tuple(Fault(**each) for each in values["faults"])})

    @property
    def order(self) -> tuple[int, float]:
        """What verdicts are ranked by: the rating, then all that is seen."""
        return faults.RATED.index(self.rating), self.total


Verdicts = Steps[tuple[Verdict, ...]]
"""What judges several things, one after the other."""


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the worst of some verdicts."""
    return max(verdicts, key=lambda each: each.order)


def as_values(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """Return verdicts on one thing after the other as JSON values: "verdict", the worst, None without any,
    and "verdicts", all.
    """
    whole = worst(verdicts).as_dict() if verdicts else None
    return {"verdict": whole, "verdicts": [each.as_dict() for each in verdicts]}


def measures(verdicts: Sequence[Verdict]) -> dict[str, float | None]:
    """Return what gates look at: the worst of each measure of some verdicts, None where nothing can be said.

    pop: at the cut, metres a second. skate, lift and reach: metres.
    """
    skates = [each.skate for each in verdicts if each.skate is not None]
    return {
        "pop": max((each.pop.size for each in verdicts), default=None),
        "skate": max(skates, default=None),
        "lift": max((each.lift for each in verdicts), default=None),
        "reach": max((each.reach for each in verdicts), default=None),
    }


def of_played(played: Played) -> Steps[Verdict]:
    """Judge a transition, baked or only planned: as planned it plays once it is baked.

    Raise InertiaError as :func:`evidence.seeing` does.
    """
    if played.verdict is not None:
        return played.verdict
    positions = yield from part(_locate_bones_steps(played), 0.0, 0.8)
    # what is found of the armature is kept, and each takes a slice the first time
    if played.footage.joints is None:
        played.character.find_once(joints.default_joints)
        yield 0.8
    legs_of(played.character, played.footage)
    yield 0.9
    return of_evidence(see_transition(played, positions), played.settings.shift)


def of_stop(short: float, frame: float) -> Verdict:
    """Return the verdict on a path that stops so many metres before its end, at a frame: poor, whatever its
    joins are like."""
    none, severity = Change(0.0, 0.0), short / NEAR
    fault = Fault(STOP, short, 0.0, severity, "", "", frame)
    return Verdict(POOR, (fault,), severity, none, none, none, None, 0.0, 0.0, frame)


def of_evidence(evidence: Evidence, shift: float = 0.0) -> Verdict:
    """Judge what is seen, and move the verdict's frames so many later. Its faults are those of a severity
    above 1.
    """
    judged = faults.judge(evidence)
    told = [fault for fault in judged.faults if fault.severity > 1.0]
    parts = name_parts(evidence) if told else {}
    return Verdict(
        judged.rating,
        tuple(_named(evidence, fault, parts, shift) for fault in told),
        judged.total,
        judged.at_cut,
        judged.highest,
        judged.at_end,
        None if evidence.passing is None or not evidence.feet else judged.size_of(faults.SKATE),
        judged.size_of(faults.LIFT),
        judged.size_of(faults.REACH),
        evidence.until + shift,
        faults.swings(evidence, judged),
        judged.severity_of(faults.SKATE),
        faults.find_unseen(evidence),
    )


def _named(
    evidence: Evidence, fault: faults.SeenFault, body_parts: Mapping[int, tuple[str, str]], shift: float
) -> Fault:
    bone, (part, side) = evidence.names[fault.joint], body_parts.get(fault.joint, ("", ""))
    if fault.kind == faults.SKATE:
        # who stands by a toe stands by the foot
        part, side = "", _side([evidence.names[i] for i in evidence.feet], bone)
    figures = fault.size, fault.own, float(fault.severity)
    return Fault(fault.kind, *figures, bone, side, fault.frame + shift, part)


def _side(feet: list[str], bone: str) -> str:
    """Return the side of a foot, "LEFT" or "RIGHT", if there are two feet, by their names one of them left
    and one right; else "".
    """
    called = {"L": "LEFT", "R": "RIGHT"}
    sides = {name: called.get(naming.label(name).side, "") for name in feet}
    return sides[bone] if sorted(sides.values()) == ["LEFT", "RIGHT"] else ""


def name_parts(evidence: Evidence) -> dict[int, tuple[str, str]]:
    """Return by joint's number (which part of the body it is, LEFT or RIGHT, "" for neither); joints that are
    not known are left out.

    Known are hips and the only head, and the joints of two legs and two arms whose bones' names say sides.
    """
    chains = [] if evidence.limbs is None else evidence.limbs.chains
    ankles = [leg[-1] for leg in evidence.legs]
    known = {end: naming.label(evidence.names[end]).part for end in evidence.ends}
    groups: dict[str, list[int]] = {
        FOOT: ankles,
        TOE: [foot for foot in evidence.feet if foot not in ankles],
        KNEE: [leg[1] for leg in evidence.legs if len(leg) == len((HIP, KNEE, FOOT))],
        HIP: [leg[0] for leg in evidence.legs if len(leg) > 1],
    }
    arms = [chain for chain in chains if known.get(chain[0]) in (naming.HAND, naming.ARM)]
    for k, name in enumerate((HAND, ELBOW, SHOULDER)):
        groups[name] = [chain[k] for chain in arms if k < len(chain)]
    heads = [end for end, label in known.items() if label == naming.HEAD]
    parts = {head: (HEAD, "") for head in heads if len(heads) == 1}
    for name, pair in groups.items():
        bones = [evidence.names[joint] for joint in pair]
        if len(set(bones)) == len(SIDES):
            parts |= {joint: (name, side) for joint in pair if (side := _side(bones, evidence.names[joint]))}
    return parts | {evidence.hips: (HIPS, "")}


def sentences(verdict: Verdict, called: Mapping[str, str] | None = None) -> list[Sentence]:
    """Say a verdict in an animator's words: the rating with the worst fault, then a sentence each, "Also
    ...", for the next ones; TOLD faults at most.

    called: the controls that animators take for bones, by the bones; a bone that is not in it, and with None
    every one, is called by its own name.
    """
    listed = verdict.faults[:TOLD]
    first = headline(verdict.rating, listed[0] if listed else None, called)
    return [first, *(Sentence("Also {fault}.", fault=words(fault, called)) for fault in listed[1:])]


def headline(rating: str, worst: Fault | None, called: Mapping[str, str] | None = None) -> Sentence:
    """Say the first sentence of a verdict: the rating with the worst fault, None for none.

    called: see :func:`sentences`.
    """
    named = Sentence(RATINGS[rating])
    if worst is None:
        return Sentence("{rating}: no fault is seen.", rating=named)
    return Sentence("{rating}: {fault}.", rating=named, fault=words(worst, called))


def hints(verdict: Verdict) -> list[Sentence]:
    """Say what faults come of, where that can be said."""
    if not verdict.swings:
        return []
    return [Sentence("The blend swings, as it is longer than half of the cycle that it leads into.")]


def words(fault: Fault, called: Mapping[str, str] | None = None) -> Sentence:
    """Say a fault in an animator's words, with its joint and its frame, and what the clips have there.

    called: how bones are called, None for their names. A fault that far exceeds what the clips have is told
    without it.
    """
    bone, length = (called or {}).get(fault.bone, fault.bone), scene.length_text(fault.size)
    foot = Sentence(SIDES[fault.side]) if fault.side in SIDES else Sentence('the foot "{foot}"', foot=bone)
    part = PARTS.get((fault.part, fault.side))
    joint = Sentence(part) if part else Sentence('"{bone}"', bone=bone)
    times, angle = f"{fault.size / max(fault.own, 1e-9):.1f}", f"{math.degrees(fault.size):.0f}"
    places: dict[str, object] = {"foot": foot, "joint": joint, "frame": f"{fault.frame:g}"}
    sizes = {"way": length, "height": length, "depth": length, "times": times, "angle": angle}
    is_alone = fault.size > ALONE.get(fault.kind, np.inf) * fault.own
    kind = f"ALONE_{fault.kind}" if is_alone else fault.kind
    text = OF_HIPS.get(kind, WORDS[kind]) if fault.part == HIPS else WORDS[kind]
    return Sentence(text, own=scene.length_text(fault.own), **places, **sizes)


LESS = 0.9
"""Locked feet skate less where they do by no more than this part."""


def of_locked(free: Verdict, locked: Verdict) -> tuple[Sentence, ...]:
    """Return one sentence on what locking the feet of a transition has changed, in a tuple; () where the
    skate is not known. Both verdicts are over the same frames.
    """
    if free.skate is None or locked.skate is None:
        return ()
    text = (
        "Feet are locked: unlocked, a foot would skate {before}, now {after}; up to frame {until:g} they "
        "differ from the destination."
    )
    if locked.skate > LESS * free.skate:
        # they are for another foot, or for what else is seen
        text = (
            "Feet are locked, but the one that skates most still goes {after}; up to frame {until:g} they "
            "differ from the destination."
        )
    before, after = scene.length_text(free.skate), scene.length_text(locked.skate)
    return (Sentence(text, before=before, after=after, until=locked.until),)


FINE = 4.0
"""In so many steps a frame it is summed up how far the ground passes."""
GROUND_SECONDS = 2.0
"""How the ground passes below a clip it says over so long on both sides of where it is cut, or entered."""


def _locate_bones_steps(played: Played) -> Steps[Array]:
    """Return where all bones of a transition are (n, bones, 3) on the frames of :func:`_find_shown_frames`,
    metres; yield the part that is done, 0 to 1.

    Where Blender has to play it, it is played, and first both clips, which the footage keeps: nothing else
    that is judged has to be played then.
    """
    is_played, wanted = played.poser.has_to_play, _find_shown_frames(played)
    for side in (0, 1) if is_played else ():
        showing = clip_shown(played, side, _find_clip_frames(played, side))
        yield from part(showing, 0.35 * side, 0.35 * (side + 1))
    if played.is_planned and is_played:
        look = played.look or (yield from part(look_steps(played, watched_of(played)), 0.7, 1.0))
        return look.positions(wanted)
    steps = joint_motion.positions(played.character, played.shown, wanted + played.late, played.rig)
    return (yield from part(steps, 0.7, 1.0))


def see_transition(
    played: Played,
    positions: Array | None = None,
    place_feet: Callable[[Array, Sequence[str]], Array] | None = None,
) -> Evidence:
    """See what a transition shows of the armature's own bones, and what both clips do around it, where the
    result has them.

    positions: as :func:`_locate_bones_steps` returns them, None to find them now. place_feet: takes frames
    (n,) and the bones of feet, and returns where these are (n, feet, 3), metres, if nothing else is asked of
    the transition: all else is then at the origin. None to look at all joints. Raise InertiaError for a rig
    that Blender would not play, with what to do about it.
    """
    cut, fps = played.settings.cut, played.fps
    end, until = played.ends
    source, destination = _track(played, 0), _track(played, 1)
    metres, turned = scene.metres_per_unit(), played.motion[:3, :3]
    aligned = destination.positions @ turned.T + played.motion[:3, 3] * metres
    destination = dataclasses.replace(destination, positions=aligned)
    looked_at = _find_judged_joints(played)
    below_source = _ground(played, 0)
    below_destination = None if below_source is None else _ground(played, 1)
    passing = (
        None
        if below_source is None or below_destination is None
        else (below_source, np.asarray(turned[:2, :2] @ below_destination))
    )
    names, _, _, _, feet = looked_at.joints
    wanted = _find_shown_frames(played)
    if place_feet is not None:
        positions = np.zeros((len(wanted), len(names), 3))
        positions[:, list(feet)] = place_feet(wanted, [names[foot] for foot in feet])
    elif positions is None:
        positions = finish(_locate_bones_steps(played))
    return Evidence(
        fps,
        *looked_at.joints,
        played.size,
        cut,
        end,
        until,
        source,
        destination,
        Track(wanted, positions),
        passing,
        weights_of(played.settings, fps, wanted),
        _period(played),
        legs=looked_at.legs,
        seen=looked_at.seen,
        is_part=played.footage.is_part,
    )


def _find_shown_frames(played: Played) -> Array:
    """Return the frames (n,) on which a transition itself is looked at, from just before its cut on."""
    cut, (_, until) = played.settings.cut, played.ends
    joint_motion.with_teleports(played.character, played.clips[0])
    # where the destination ends a result just stands
    last = min(until + BESIDE_FRAMES, played.last)
    first = max(cut - BESIDE_FRAMES, played.clips[0].start, begins_moving(played.clips[0], cut))
    return played.grid(first, last)


def _find_clip_span(played: Played, side: int) -> tuple[float, float]:
    """Return the first and the last frame of the result on which one of the clips is looked at around the
    blend, up to teleports, be they in the clip or not. side: 0 for the source, up to the blend's end, 1 for
    the destination, until a margin behind it.
    """
    cut, clip, later = played.settings.cut, played.clips[side], side * played.later
    around, (end, until) = MARGIN_SECONDS * played.fps, played.ends
    first, last = cut - around, until + around if side else end
    joint_motion.with_teleports(played.character, clip)
    low, high = clip.beside_cut(cut - later, side)
    return max(first, low + later), min(last, high + later)


def _find_clip_frames(played: Played, side: int) -> Array:
    """Return the frames (n,) of the result on which one of the clips is looked at, see
    :func:`_find_clip_span`.
    """
    first, last = _find_clip_span(played, side)
    return played.grid(*within(played.clips[side], side * played.later, first, last))


UNWARPED = 2
"""What an unwarped destination is looked at as, beside the two sides."""


def _track(played: Played, side: int) -> Track:
    """Return one of the clips around the blend, metres, at the result's frames and where it is by itself, not
    aligned; up to teleports. What Blender has to show of it is in the footage.

    side: see :func:`_find_clip_span`. A warped destination is seen unwarped.
    """
    clip, later = played.clips[side], side * played.later
    wanted = _find_clip_frames(played, side)
    if played.poser.has_to_play:
        matrices = finish(clip_shown(played, side, wanted))
        positions = matrices[:, 1:, :3, 3] * played.character.metres
    else:
        footage, key = played.footage, side
        if side == 1 and played.warp is not None:
            # feet that skate because of the warp do not skate anyway
            key, clip = UNWARPED, played.warp[0]
        ahead = played.ahead(side, *_find_clip_span(played, side))
        looking = footage.positions(key, played.character, clip, wanted - later, ahead, played.rig)
        positions = finish(looking)
        if side == 0:
            # the very same track beside many destinations, as it keeps what is found of it
            track, jumps = footage.track, clip.jumps(later)
            is_known = track is not None and track.teleports == jumps and np.array_equal(track.frames, wanted)
            if track is None or not is_known or not np.array_equal(track.positions, positions):
                track = footage.track = Track(wanted, positions, jumps)
            return track
    return Track(wanted, positions, clip.jumps(later))


def begins_moving(clip: Clip, cut: float) -> float:
    """Return the first frame from which on a source plays without a teleport to where it is cut.

    -inf where there is no teleport, and where it has but one pose between two of them: to cut there shows it.
    """
    low, high = clip.section(cut)
    return low if min(high, clip.end) - max(low, clip.start) >= 1.0 else -np.inf


def _period(played: Played) -> float:
    """Return how many frames the destination's cycle has, inf where it is none."""
    if played.footage.period is None:
        rig, choice = played.rig or played.character.rig, played.settings.destination_cycle
        cycle = cycles.with_cycle(rig, played.root, played.clips[1], choice).cycle
        played.footage.period = np.inf if cycle is None else cycle.period
    return played.footage.period


def find_grounds_steps(played: Played) -> Steps[tuple[Array | None, Array | None]]:
    """Return how fast the ground passes below each of the clips (2,), metres a second, None if unknown; yield
    the part that is done, 0 to 1.

    Without that of the source the destination is not looked at.
    """
    found: list[Array | None] = [None, None]
    for side in (0, 1):
        # to show it takes Blender a while, and one of them alone says nothing of a transition
        if side == 0 or found[0] is not None:
            if played.poser.has_to_play:
                showing = clip_shown(played, side, _find_clip_frames(played, side))
                yield from part(showing, 0.5 * side, 0.5 * (side + 1))
            found[side] = _ground(played, side)
            yield 0.5 * (side + 1)
    return found[0], found[1]


def passed(played: Played, below: tuple[Array, Array], frames: Array) -> Array:
    """Return how far the ground below a transition has passed since the cut at frames (n,), (n, 2) metres.

    Before the cut these are less than none. below: see :func:`find_grounds_steps`.
    """
    source, destination = below[0], played.motion[:2, :2] @ below[1]
    cut, fps = played.settings.cut, played.fps
    last = max(float(frames.max(initial=cut)), cut + 1.0)
    fine = np.linspace(cut, last, round((last - cut) * FINE) + 1)
    weights = weights_of(played.settings, fps, fine)
    steps = 0.5 * np.diff(fine) * (weights[1:] + weights[:-1]) / fps
    shares = np.interp(frames, fine, np.concatenate([[0.0], np.cumsum(steps)]))
    return np.asarray((frames - cut)[:, None] / fps * source + shares[:, None] * (destination - source))


def _ground(played: Played, side: int) -> Array | None:
    """Return the velocity (2,) at which the ground passes below a clip, metres a second, kept for the
    footage; None where it is not known. side: 0 for the source, 1 for the destination.
    """
    clip, size, staged = played.clips[side], played.size, played.poser.has_to_play
    frames = _around(clip, played.settings.cut - side * played.later, played.fps)
    kept, key = played.footage.passing, (side, clip.clock, staged and played.end, *frames[[0, -1]].tolist())
    if key not in kept:
        _, _, hips, _, feet = _joints(played)
        if staged:
            # what is played anyway, as to play more would take seconds
            track = _track(played, side)
            near = track.within(-np.inf, played.ends[0] + MARGIN_SECONDS * played.fps)
            around = Track(track.frames[near], track.take_joints([*feet, hips])[near])
            kept[key] = evidence.measure_passing_ground(
                around, size, max(evidence.LOW * size, 1e-9), played.fps
            )
        else:
            kept[key] = _measure_ground_below(played.character, clip, frames, (*feet, hips), size, played.fps)
    return kept[key]


def pass_below(evidence: Evidence, character: Character, clip: Clip, frame: float) -> Array | None:
    """Return how fast the ground passes below a clip of a plain rig, by itself, around one of its frames, see
    :func:`measure_passing_ground`; None where nobody can say.
    """
    bones = (*evidence.feet, evidence.hips)
    return _measure_ground_below(
        character, clip, _around(clip, frame, evidence.fps), bones, evidence.size, evidence.fps
    )


def _measure_ground_below(
    character: Character, clip: Clip, frames: Array, bones: tuple[int, ...], size: float, fps: float
) -> Array | None:
    heads = [(bone, (0.0, 0.0, 0.0)) for bone in bones]
    track = Track(frames, finish(joint_motion.track_points_steps(character, clip, heads, frames)))
    return evidence.measure_passing_ground(track, size, max(evidence.LOW * size, 1e-9), fps)


def _around(clip: Clip, frame: float, fps: float) -> Array:
    """Return the clip's own frames at which to look how the ground passes below it: of a cycle all, else
    those within GROUND_SECONDS of a frame, up to teleports.
    """
    if clip.cycle is not None:
        count = np.ceil(max(clip.cycle.period, 2.0 * evidence.AROUND_SECONDS * fps))
        return np.asarray(clip.cycle.start + np.arange(count + 1.0))
    low, high = clip.section(frame)
    first, last = max(low, frame - GROUND_SECONDS * fps), min(high, frame + GROUND_SECONDS * fps)
    return whole_frames(*within(clip, 0.0, first, last))


def _joints(played: Played) -> Joints:
    """Return the joints, see :func:`joints_of`, found but once, as all clips may have to be read for that."""
    if played.footage.joints is None:
        played.footage.joints = joints_of(played.character, legs_of(played.character, played.footage))
    return played.footage.joints


@record(frozen=True)
class _JudgedJoints:
    """The joints that evidence is of, see :class:`Evidence`; legs and seen by the numbers that it has."""

    joints: Joints
    legs: tuple[tuple[int, ...], ...]
    seen: tuple[int, ...]


def _find_judged_joints(played: Played) -> _JudgedJoints:
    """Return the joints of a transition that are looked at: all, or, with a glance, those of its smaller rig
    by that one's numbers.
    """
    joints, glance = _joints(played), played.footage.glance
    legs = joints_of_legs(legs_of(played.character, played.footage))
    seen = find_seen_bones(played.character, played.footage)
    if glance is None:
        return _JudgedJoints(joints, legs, seen)
    rig, place = glance
    _, _, hips, ends, feet = joints
    ends, feet = (tuple(place[joint] for joint in some) for some in (ends, feet))
    return _JudgedJoints(
        (tuple(rig.bones.names), tuple(rig.bones.parents), place[hips], ends, feet),
        tuple(tuple(place[joint] for joint in leg) for leg in legs),
        tuple(place[joint] for joint in seen if joint in place),
    )


def find_judged_bones(character: Character, footage: Footage) -> tuple[frozenset[int], frozenset[int]]:
    """Return the bones, by number, whose places say all that is judged of a plain rig; then those of them of
    which each is judged by itself: all large joints, and those of feet.

    Not all bones that carry them are among them.
    """
    legs = legs_of(character, footage)
    if footage.joints is None:
        footage.joints = joints_of(character, legs)
    names, parents, hips, ends, feet = footage.joints
    # without legs what hangs from the hips says what is left and right of them
    beside = (joint for joint, parent in enumerate(parents) if parent == hips)
    of_legs = (joint for leg in legs for joint in (*leg.joints, leg.point, leg.ball) if joint is not None)
    large = frozenset((hips, *ends, *feet, *of_legs, *beside))
    return large.union(find_seen_bones(character, footage) or range(len(names))), large


def watched_of(played: Played) -> set[int]:
    """Return the joints that say most of a transition."""
    _, _, hips, ends, feet = _joints(played)
    return {hips, *ends, *feet}


def legs_of(character: Character, footage: Footage) -> tuple[Leg, ...]:
    """Return the legs of an armature, found but once, too; () for none."""
    if footage.legs is None:
        try:
            footage.legs = character.find_once(legs.of_armature)
        except InertiaError:
            footage.legs = ()
    return footage.legs


def joints_of(character: Character, legs: tuple[Leg, ...]) -> Joints:
    """Return the fields of evidence from names to feet, for an armature with some legs: (names, parents,
    hips, ends (feet, hands and heads), feet), all but names as numbers of bones.

    Hips that are not found are bone 0; feet are the legs' balls or feet, without legs the feet that are
    found.
    """
    bones = character.armature.data.bones
    names = tuple(bones.keys())
    place = {name: i for i, name in enumerate(names)}
    parents = tuple(place[bone.parent.name] if bone.parent else -1 for bone in bones)
    roles = character.find_once(joints.default_joints)
    hips = next((place[j.bone] for j in roles if j.role == naming.HIPS), 0)
    named = {naming.FOOT, naming.HAND, naming.HEAD}
    ends = tuple(place[j.bone] for j in roles if j.role in named)
    feet = tuple(leg.foot if leg.ball is None else leg.ball for leg in legs)
    if not feet:
        feet = tuple(place[j.bone] for j in roles if j.role == naming.FOOT)
    return names, parents, hips, ends, feet


def find_seen_bones(character: Character, footage: Footage) -> tuple[int, ...]:
    """Return the bones of an armature that move something to see, by number, found but once; () for all."""
    if footage.seen is None:
        moving = np.frombuffer(character.find_once(joints.find_moving_bones), bool)
        footage.seen = () if moving.all() else tuple(np.flatnonzero(moving).tolist())
    return footage.seen


def joints_of_legs(legs: Iterable[Leg]) -> tuple[tuple[int, ...], ...]:
    """Return the joints of each leg from hip to ankle; a lone foot has none."""
    return tuple(leg.joints for leg in legs if not leg.is_lone)


def weights_of(settings: TransitionSettings, fps: float, frames: Array) -> Array:
    """Return how much of the destination a transition shows at frames (n,), by its curve: 0 up to the cut,
    1 from the end of the blend on, of a spring never quite.
    """
    t = np.maximum(frames - settings.cut, 0.0) / fps
    seconds = settings.seconds(fps)
    if settings.decay is None:
        left = dead_blending.source_share(t, seconds)
    else:
        unit, still = np.ones(1), np.zeros(1)
        curve = decay.make(settings.decay, unit, still, np.full(1, seconds))
        left = decay.evaluate(curve, unit, still, t[:, None])[:, 0]
    return np.asarray(1.0 - np.ravel(left))
