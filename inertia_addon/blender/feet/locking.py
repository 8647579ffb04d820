# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet of a planned transition locked, and feet of an action."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError
from ...motion import quaternion
from ...motion.arrays import Array
from ...motion.curves import keys as keylib
from ...motion.curves import stretches
from ...motion.curves.keys import Keys
from ...motion.curves.stretches import whole_frames
from ...motion.feet import chains, contacts, crossing
from ...motion.feet.chains import Changed, Legs
from ...motion.feet.contacts import Spans
from ...motion.feet.corrections import BLEED_SECONDS, Hold
from ...motion.feet.crossing import How
from ...motion.feet.legs import Leg, check, check_found
from ...motion.judging import changes
from ...motion.skeleton import posing
from ...motion.skeleton.posing import Posed, Rig
from ...motion.steps import finish
from ...motion.transforms import rotation_property
from ...settings.feet import Locking
from ...settings.transition import TransitionSettings
from ..data import scene
from ..data.actions import Address, Clip, Curve
from ..evaluation import plain, playback
from . import contacts as armature_contacts
from . import legs as armature_legs
from . import targets
from .body import Body, Going, Played, check_kept, planned

SETTLED_SECONDS = 0.35
"""The hips, which help a held foot, are back where they were so long after it has lifted."""


@dataclasses.dataclass(frozen=True, eq=False)
class Meeting:
    """Two clips that meet, and what a transition between them plays.

    cut: frame; later: by how many frames the destination plays later. end: the frame from which it plays on
    unchanged. motion: (4, 4) what the alignment moves the destination by. curves: of the transition.
    passing: how fast the ground passes below the two clips as they are by themselves (2,), metres a second.
    passed: how far it has below the transition since the cut at frames (n,), (n, 2) metres.
    """

    source: Clip
    destination: Clip
    cut: float
    later: float
    end: float
    motion: Array
    curves: Mapping[Address, Curve | Keys]
    fps: float
    passing: tuple[Array, Array]
    passed: Callable[[Array], Array]

    def over_ground(self, posed: Posed, frames: Array) -> Posed:
        """Poses at frames (n,) as the ground below the transition sees them."""
        heads = posed.heads.copy()
        heads[..., :2] -= self.passed(frames) / scene.metres_per_unit()
        return dataclasses.replace(posed, heads=heads)


@dataclasses.dataclass(frozen=True)
class Feet:
    """What was done about the feet of a transition.

    curves: those that lock them, in place of what was planned. holds: of each foot that is locked the first
    and the last frame of the spans in which it stands still. last: the last frame at which any is another
    one. pinned: the controls that feet are pinned by. notes: sentences. hardest: of a rig that Blender plays
    the highest changes of any leg joint's velocity from the cut on, m/s, without and with.
    """

    curves: Mapping[Address, Keys] = dataclasses.field(default_factory=dict)
    holds: Mapping[str, tuple[tuple[float, float], ...]] = dataclasses.field(default_factory=dict)
    last: float = -math.inf
    pinned: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    hardest: tuple[float, float] | None = None


def of_transition(
    armature: Any,
    rig: Rig,
    meeting: Meeting,
    settings: TransitionSettings,
    taking_part: set[str] | None,
    legs: tuple[Leg, ...],
    played: Played,
) -> Generator[float, None, Feet]:
    """Lock the feet of a transition, as far as they can be; yields the part that is done, but of a rig that
    Blender plays, which goes in one.

    rig: of the armature, read. taking_part: the bones that take part, None for all. legs: of the armature.
    played: the legs in both clips as Blender has played them so far, to which more is added. Raises
    InertiaError where LOCK asks for what can't be done.
    """
    clips = (meeting.source, meeting.destination)
    steps = _locked(armature, rig, meeting, settings, taking_part, legs, played)
    if not plain.why_not_plain(armature, clips):
        return (yield from steps)
    with playback.together(by_one=True):
        return finish(steps)


def _locked(
    armature: Any,
    rig: Rig,
    meeting: Meeting,
    settings: TransitionSettings,
    taking_part: set[str] | None,
    legs: tuple[Leg, ...],
    played: Played,
) -> Generator[float, None, Feet]:
    clips = (meeting.source, meeting.destination)
    try:
        body = body_of(armature, rig, settings.locking, taking_part, clips, legs)
    except InertiaError:
        if settings.feet == "LOCK":
            raise
        return Feet()
    yield 0.1
    body.recall(clips, played)
    found = yield from _crossed(body, meeting, settings)
    body.keep(clips, played)
    return found


def body_of(
    armature: Any,
    rig: Rig,
    asked: Locking,
    taking_part: set[str] | None,
    clips: Sequence[Clip],
    every: tuple[Leg, ...] | None = None,
) -> Body:
    """The legs that can be locked in clips.

    taking_part: the bones that may have other keys, None for all. every: the legs of the armature, None where
    they are to be found. Raises InertiaError for none, and for a foot that is none of them.
    """
    every = armature_legs.needed(armature) if every is None else every
    check_found(every, armature.name)
    own = _asked_for(armature, every, asked)
    if plain.why_not_plain(armature, clips):
        return targets.found(armature, rig, clips, own, every, asked.hips_drop > 0.0, taking_part)
    kept = _taking_part(rig, own, taking_part)
    check_kept(kept)
    hips = _hips(rig, kept) if asked.hips_drop > 0.0 else ""
    return Body(chains.part(rig, kept, hips if taking_part is None or hips in taking_part else ""))


def lockable(
    armature: Any,
    rig: Rig,
    asked: Locking,
    taking_part: set[str] | None,
    clips: Sequence[Clip],
    legs: tuple[Leg, ...],
) -> frozenset[str]:
    """The feet that can be locked in clips, of all legs, as far as that can be said without playing them."""
    try:
        own = _asked_for(armature, legs, asked)
    except InertiaError:
        return frozenset()
    if plain.why_not_plain(armature, clips):
        # which controls lead them is told by playing alone
        return frozenset(leg.name for leg in own if taking_part is None)
    return frozenset(leg.name for leg in _taking_part(rig, own, taking_part))


def _asked_for(armature: Any, own: tuple[Leg, ...], asked: Locking) -> tuple[Leg, ...]:
    """The legs of an armature, its own, that are asked for. Raises InertiaError as :func:`body_of` does."""
    for name in asked.locked_feet:
        if name not in [leg.name for leg in own]:
            raise InertiaError(
                'No leg of "{armature}" ends in a foot "{foot}"; its feet are {known}.',
                armature=armature.name,
                foot=name,
                known=", ".join(leg.name for leg in own),
            )
    own = tuple(leg for leg in own if not asked.locked_feet or leg.name in asked.locked_feet)
    for leg in own:
        check(leg)
    return own


def _taking_part(rig: Rig, legs: Iterable[Leg], bones: set[str] | None) -> list[Leg]:
    """The legs whose bones may have other keys, None for all."""
    names = rig.bones.names
    return [leg for leg in legs if bones is None or {names[i] for i in leg.joints} <= bones]


def _hips(rig: Rig, legs: Sequence[Leg]) -> str:
    """The lowest bone that carries all legs and can be moved; "" for none."""
    shared: list[str] = []
    for leg in legs:
        above = rig.bones.above(rig.bones.names[leg.joints[0]])
        shared = [name for name in above if not shared or name in shared] if shared or leg is legs[0] else []
    return next((name for name in shared if name not in rig.bones.connected), "")


def _crossed(body: Body, meeting: Meeting, settings: TransitionSettings) -> Generator[float, None, Feet]:
    cut, later, fps = meeting.cut, meeting.later, meeting.fps
    legs, around = body.legs, body.around * fps
    beyond = body.beyond * fps
    here, before = _spans(body, meeting.source, cut - around, cut + beyond, meeting.passing[0])
    yield 0.2
    last = meeting.end - later + body.most * fps
    _, after = _spans(body, meeting.destination, cut - later - beyond, last, meeting.passing[1])
    yield 0.4
    how = How(settings.foot_release, settings.foot_radius, settings.hips_drop, settings.step_height)
    frames = whole_frames(cut, _last(after, meeting, how))
    times = (frames - cut) / fps
    playing = planned(meeting.destination, meeting.curves)
    posed, speeds = _with_speeds(body, playing, frames, meeting)
    yield 0.5
    there = body.posed(meeting.destination, frames - later, False)
    motions = [chains.motion(leg, posed, (here, there)) for leg in legs.legs]
    aligned = meeting.over_ground(moved(there, meeting.motion), frames)
    own = [chains.motion(leg, aligned) for leg in legs.legs]
    planted = [contacts.planted(spans, frames - later) for spans in after]
    stood = [bool(contacts.planted(spans, [cut])[0]) for spans in before]
    window = (meeting.end - cut) / fps
    yield 0.6
    locked = crossing.cross(times, motions, own, planted, stood, speeds, window, how)
    yield 0.7

    def rewritten(changed: Iterable[Changed]) -> dict[Address, Keys]:
        return {at: keys for one in changed for at, keys in _rewritten(legs, one, frames, meeting).items()}

    def shown(changed: Iterable[Changed]) -> Clip:
        return planned(playing, {**meeting.curves, **rewritten(changed)})

    stands = [
        [(0 if hold.speed is not None else hold.first, hold.last) for hold in held] for held in locked.holds
    ]
    shift = np.pad(-meeting.passed(frames) / scene.metres_per_unit(), [(0, 0), (0, 1)])
    going = Going(playing, frames, posed, motions, locked.drop, locked.turned, stands, shift)
    changed = body.changed(going, shown)
    yield 0.9
    curves = rewritten(changed)
    last = max((one.spans[-1][1] for one in changed), default=0)
    if not curves:
        return Feet()
    holds = {
        leg.name: tuple(_still(hold, frames, times) for hold in held)
        for leg, held in zip(legs.legs, locked.holds, strict=True)
        if held
    }
    hardest = None
    if body.seen is not None:
        # of others the judge sees all
        hardest = _hardest(body, playing, frames), _hardest(body, shown(changed), frames, playing)
    return Feet(curves, holds, float(frames[last]), body.pinned, body.notes, hardest)


def _hardest(body: Body, clip: Clip, frames: Array, of: Clip | None = None) -> float:
    """The highest change of any leg joint's velocity in a clip from the first of frames (n,) on, m/s.

    of: the clip of which it was made last.
    """
    if of is not None:
        body.made(clip, of)
    posed = body.posed(clip, np.concatenate([frames[:1] - 1.0, frames]), False)
    heads = posed.heads.swapaxes(0, 1) * scene.metres_per_unit()
    return float(changes.of_joints(heads, scene.fps()).max(initial=0.0))


def _still(hold: Hold, frames: Array, times: Array) -> tuple[float, float]:
    """The first and the last frame at which a held foot stands still."""
    rests = times[hold.first] + (0.0 if hold.speed is None else BLEED_SECONDS)
    first = min(int(np.searchsorted(times, rests - 1e-6)), hold.last)
    return float(frames[first]), float(frames[hold.last])


def _with_speeds(body: Body, clip: Clip, frames: Array, meeting: Meeting) -> tuple[Posed, list[Array]]:
    """Poses at frames, and how fast each foot's point goes, and turns, at the cut (4,), per second, over the
    ground.

    That is from the frames on both sides of it.
    """
    around = meeting.cut + np.array([-1.0, 1.0])
    every, at = np.unique(np.concatenate([around, frames]), return_inverse=True)
    posed = meeting.over_ground(body.posed(clip, every), every)
    beside = posing.taken(posed, at[:2])
    standing = [chains.motion(leg, beside).standing for leg in body.legs.legs]
    speeds = [(each[1] - each[0]) * (0.5 * meeting.fps) for each in standing]
    return posing.taken(posed, at[2:]), speeds


def _spans(body: Body, clip: Clip, first: float, last: float, passing: Array) -> tuple[Posed, list[Spans]]:
    """When each foot is planted in a part of a clip, as edited or found, with the poses there. passing: how
    fast the ground passes below it (2,), metres a second."""
    frames = whole_frames(max(first, min(clip.start, last)), max(min(last, clip.end), clip.start))
    posed = body.posed(clip, frames, False)
    edited = armature_contacts.stored_of(clip)
    spans = []
    for leg in body.legs.legs:
        own = edited.get(leg.name)
        if own is None:
            length = chains.length_of(leg, posed)
            below = passing / scene.metres_per_unit()
            own = contacts.find(chains.point_of(leg, posed), frames, scene.fps(), length, ground=below)
        elif clip.cycle is not None:
            own = contacts.repeated(own, clip.cycle.period, first, last)
        spans.append(own)
    return posed, spans


def _last(after: Sequence[Spans], meeting: Meeting, how: How) -> float:
    """The last frame that may be another one, as a foot that is held must lift first."""
    ends = [
        span.end + meeting.later
        for spans in after
        for span in spans
        if span.end + meeting.later > meeting.cut and span.start + meeting.later < meeting.end
    ]
    settled = max([meeting.end, *ends]) + max(how.release, SETTLED_SECONDS) * meeting.fps
    return max(min(np.ceil(settled), meeting.destination.end + meeting.later), meeting.cut + 1.0)


def moved(posed: Posed, motion: Array) -> Posed:
    """Poses moved by a rigid motion (4, 4) of the world."""
    turn = quaternion.from_matrix(motion[:3, :3])
    return dataclasses.replace(
        posed,
        heads=posed.heads @ motion[:3, :3].T + motion[:3, 3],
        axes=quaternion.multiply(turn, posed.axes),
        places=quaternion.multiply(turn, posed.places),
    )


def _rewritten(legs: Legs, one: Changed, frames: Array, meeting: Meeting) -> dict[Address, Keys]:
    """The curves of a bone with other values, from the cut to where it is as it was."""
    prop, count = rotation_property(one.mode) if one.mode else ("location", 3)
    addresses = [(legs.rig.paths[one.bone] + prop, i) for i in range(count)]
    own = [_keys(meeting, at, prop) for at in addresses]
    span = slice(0, one.spans[-1][1] + 1)
    kinks = [kink for kink in one.kinks if 0 < kink < span.stop - 1]
    if one.mode:
        made, _ = stretches.rotations(own, one.mode, frames[span], one.values[span], kinks)
    else:
        made, _ = stretches.vectors(own, frames[span], one.values[span], kinks)
    return dict(zip(addresses, made, strict=True))


def _keys(meeting: Meeting, address: Address, prop: str) -> Keys:
    """The keys of a planned curve; one key where there is none."""
    curve = meeting.curves.get(address)
    if curve is None:
        return keylib.constant(meeting.source.start, meeting.destination.default_of(address, prop))
    return curve.keys if isinstance(curve, Curve) else curve
