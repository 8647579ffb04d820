# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet of a planned transition locked, and feet of an action."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError
from ...motion import quaternion
from ...motion.arrays import Array
from ...motion.curves import keys as keylib
from ...motion.curves import representation
from ...motion.curves.keys import Keys
from ...motion.curves.representation import whole_frames
from ...motion.feet import chains, contacts, crossing, easing, toes
from ...motion.feet.chains import Changed, RigLegs
from ...motion.feet.contacts import Spans
from ...motion.feet.corrections import BLEED_SECONDS, Hold
from ...motion.feet.crossing import How, Locked
from ...motion.feet.legs import Leg, check, check_found
from ...motion.feet.locking import LegMotion
from ...motion.feet.toes import Below
from ...motion.quaternion import rotation_property
from ...motion.skeleton import posing
from ...motion.skeleton.posing import Posed, Rig
from ...motion.steps import Steps, part
from ...records import record
from ...settings.feet import Locking
from ...settings.transition import TransitionSettings
from ..data import scene
from ..data.actions import ActionCurve, Address, Clip, with_curves
from ..evaluation import influence
from . import contacts as armature_contacts
from . import legs as armature_legs
from . import targets
from .body import PARTS, Body, LegPaths, Planted, check_kept
from .targets import Controlled, Leading

SETTLED_SECONDS = 0.35
"""The hips, which help a held foot, are back where they were so long after it has lifted."""


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

    def shift(self, frames: Array) -> Array:
        """By how much poses at frames (n,) are elsewhere (n, 3) over the ground below the transition."""
        return np.pad(-self.passed(frames) / scene.metres_per_unit(), [(0, 0), (0, 1)])

    def over_ground(self, posed: Posed, frames: Array) -> Posed:
        """Poses at frames (n,) as the ground below the transition sees them."""
        return dataclasses.replace(posed, heads=posed.heads + self.shift(frames))


@record(frozen=True)
class TransitionFeet:
    """What was done about the feet of a transition.

    curves: those that lock them, in place of what was planned. holds: of each foot that is locked the first
    and the last frame of the spans in which it stands still. last: the last frame at which any is another
    one. pinned: the controls that feet are pinned by. notes: sentences.
    """

    curves: Mapping[Address, Keys] = dataclasses.field(default_factory=dict)
    holds: Mapping[str, tuple[tuple[float, float], ...]] = dataclasses.field(default_factory=dict)
    last: float = -math.inf
    pinned: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def of_transition(body: Body, meeting: ClipMeeting, settings: TransitionSettings) -> Steps[TransitionFeet]:
    """Lock the feet of a transition, as far as they can be."""
    goes = yield from part(crossed(body, meeting, settings), 0.0, 0.7)
    legs, frames, locked = body.legs, goes.frames, goes.locked
    stands = [
        [(0 if hold.speed is not None else hold.first, hold.last) for hold in held] for held in locked.holds
    ]
    shown = functools.partial(with_changes, legs, meeting, goes.clip, frames)
    changed = body.changed(goes.find_feet_paths(meeting, stands), shown)
    yield 0.9
    if not changed:
        return TransitionFeet()
    last = max(change.spans[-1][1] for change in changed)
    curves = _all_rewritten(legs, changed, frames, meeting)
    return TransitionFeet(curves, goes.holds(body), float(frames[last]), body.pinned, body.notes)


@record(frozen=True, eq=False)
class LegKnowledge:
    """What is known of an armature's legs, so that it need not be found again.

    every: the legs of the armature, None to find them. leading: what is known to lead legs of the clips, and
    planted: when their feet are planted there, to both of which more is added; None to keep neither.
    """

    every: tuple[Leg, ...] | None = None
    leading: dict[Hashable, Leading] | None = None
    planted: Planted | None = None


def body_of(
    armature: Any,
    rig: Rig,
    asked: Locking,
    taking_part: set[str] | None,
    clips: Sequence[Clip],
    knowledge: LegKnowledge | None = None,
) -> Body:
    """Find the legs that can be locked in clips.

    taking_part: the bones that may have other keys, None for all. Raise InertiaError if no leg can be locked,
    and for a foot that belongs to none.
    """
    knowledge = knowledge or LegKnowledge()
    leading, planted = knowledge.leading, knowledge.planted
    every = armature_legs.required(armature) if knowledge.every is None else knowledge.every
    check_found(every, armature.name)
    chosen = _find_asked(armature, every, asked)
    if influence.why_not_plain(armature, clips):
        leads = {} if leading is None else leading
        key = (chosen, asked.hips_drop > 0.0, None if taking_part is None else frozenset(taking_part))
        if key not in leads:
            leads[key] = targets.find_leading(
                armature, rig, clips, chosen, asked.hips_drop > 0.0, taking_part
            )
        return Controlled(armature, rig, leads[key], every)
    kept = _select_legs(rig, chosen, taking_part)
    check_kept(kept)
    hips = _hips(rig, kept) if asked.hips_drop > 0.0 else ""
    own_legs = chains.part(rig, kept, hips if taking_part is None or hips in taking_part else "")
    return Body(own_legs, planted={} if planted is None else planted)


def lockable(
    armature: Any,
    rig: Rig,
    asked: Locking,
    taking_part: set[str] | None,
    clips: Sequence[Clip],
    legs: tuple[Leg, ...],
) -> frozenset[str]:
    """Return the feet that can be locked in clips, of all legs, as far as that can be told without
    playing them.
    """
    try:
        chosen = _find_asked(armature, legs, asked)
    except InertiaError:
        return frozenset()
    if influence.why_not_plain(armature, clips):
        # which controls lead them is told by playing alone
        return frozenset(leg.name for leg in chosen if taking_part is None)
    return frozenset(leg.name for leg in _select_legs(rig, chosen, taking_part))


def _find_asked(armature: Any, legs: tuple[Leg, ...], asked: Locking) -> tuple[Leg, ...]:
    """Return the armature's own legs that are asked for. Raise InertiaError as :func:`body_of` does."""
    for name in asked.locked_feet:
        if name not in [leg.name for leg in legs]:
            raise InertiaError(
                'No leg of "{armature}" ends in a foot "{foot}"; its feet are {known}.',
                armature=armature.name,
                foot=name,
                known=", ".join(leg.name for leg in legs),
            )
    legs = tuple(leg for leg in legs if not asked.locked_feet or leg.name in asked.locked_feet)
    for leg in legs:
        check(leg)
    return legs


def _select_legs(rig: Rig, legs: Iterable[Leg], bones: set[str] | None) -> list[Leg]:
    """Return the legs whose bones may have other keys; None stands for all bones."""
    names = rig.bones.names
    if bones is None:
        return list(legs)
    kept = [leg for leg in legs if {names[i] for i in leg.joints} <= bones]
    # what takes no part is not raised, either
    return [
        dataclasses.replace(leg, tip=leg.tip if leg.ball is not None and names[leg.ball] in bones else None)
        for leg in kept
    ]


def _hips(rig: Rig, legs: Sequence[Leg]) -> str:
    """Return the lowest bone that carries all legs and can be moved; "" for none."""
    chains_above = [rig.bones.above(rig.bones.names[leg.joints[0]]) for leg in legs]
    shared = [name for name in chains_above[0] if all(name in chain for chain in chains_above)]
    return next((name for name in shared if name not in rig.bones.connected), "")


@record(frozen=True, eq=False)
class Crossed:
    """How feet go from the cut on.

    clip: what is planned of the transition. frames: (n,), and times, seconds since the cut. posed, motions:
    the legs as planned, over the ground. locked: what becomes of them.
    """

    clip: Clip
    frames: Array
    times: Array
    posed: Posed
    motions: list[LegMotion]
    locked: Locked

    def holds(self, body: Body) -> dict[str, tuple[tuple[float, float], ...]]:
        """Return the first and the last frame of the spans in which each foot stands still, as of
        :class:`TransitionFeet`.
        """
        return {
            leg.name: tuple(_still(hold, self.frames, self.times) for hold in held)
            for leg, held in zip(body.legs.legs, self.locked.holds, strict=True)
            if held
        }

    def find_feet_paths(self, meeting: ClipMeeting, stands: Sequence[Sequence[tuple[int, int]]]) -> LegPaths:
        """Return where feet go, to be shown. stands: see :class:`LegPaths`."""
        locked, shift = self.locked, meeting.shift(self.frames)
        return LegPaths(
            self.clip,
            self.frames,
            self.posed,
            self.motions,
            locked.drop,
            locked.turned,
            stands,
            shift,
            locked.toes,
        )


def crossed(
    body: Body,
    meeting: ClipMeeting,
    settings: TransitionSettings,
    clip: Clip | None = None,
    at: Array | None = None,
) -> Steps[Crossed]:
    """Plan how locked feet go across a transition; yield the part that is done.

    clip: what is planned of the transition, if a body knows that already, and at: (n,) the frames of that.
    """
    cut, later, fps = meeting.cut, meeting.later, meeting.fps
    legs, (before, behind) = body.legs, spans_of(body, meeting)
    source, stood = _spans(body, meeting, 0, before)
    yield 0.3
    target, after = _spans(body, meeting, 1, behind)
    yield 0.6
    asked = Locking.of(settings)
    how = How(
        asked.foot_release,
        asked.foot_radius,
        asked.hips_drop,
        asked.step_height,
        asked.least_toes,
        asked.raises_heels,
    )
    last = _last(after, meeting, how)
    frames = whole_frames(cut, last) if at is None else at[(at >= cut) & (at <= last + 1e-6)]
    times = (frames - cut) / fps
    playing = with_curves(meeting.destination, meeting.curves) if clip is None else clip
    posed, speeds, joints_before = _with_speeds(body, playing, frames, meeting, at is None)
    yield 0.8
    entering = body.posed(meeting.destination, frames - later, False)
    motions = [chains.motion(leg, posed, (source, entering)) for leg in legs.legs]
    aligned = meeting.over_ground(move_poses(entering, meeting.motion), frames)
    aligned_motions = [chains.motion(leg, aligned) for leg in legs.legs]
    planted = [contacts.planted(spans, frames - later) for spans in after]
    stands = [bool(contacts.planted(spans, [cut])[0]) for spans in stood]
    window = (meeting.end - cut) / fps
    yield 0.9
    locked = crossing.cross(times, motions, aligned_motions, planted, stands, speeds, window, how)
    target = move_poses(target, meeting.motion)
    each = (source, body.grid(*before, cut), cut), (target, body.grid(*behind, cut - later), cut - later)
    clips = [easing.ClipJoints((grid - at) / fps, _joints(legs, seen)) for seen, grid, at in each]
    # over its own ground, on which its feet stand
    passes = np.outer(times, np.append(meeting.passing[1], 0.0)) / scene.metres_per_unit()
    playing_on = move_poses(dataclasses.replace(entering, heads=entering.heads - passes), meeting.motion)
    own = np.array([chains.point_of(leg, playing_on) for leg in legs.legs])
    usual = easing.OwnMotion.of(times, clips, own, joints_before, -1.0 / fps)
    locked = crossing.ease(times, motions, locked, usual, how)
    if how.toes is not None:
        parts = (source, stood, body.grid(*before, cut)), (target, after, body.grid(*behind, cut - later))
        low = [_find_lowest(leg, k, parts) for k, leg in enumerate(legs.legs)]
        below = Below([tip for tip, _ in low], [heel for _, heel in low], come=toes.ends(times))
        locked = crossing.keep_above(times, motions, locked, how, below)
    return Crossed(playing, frames, times, posed, motions, locked)


def _find_lowest(
    leg: Leg, index: int, clip_stances: Iterable[tuple[Posed, list[Spans], Array]]
) -> tuple[float | None, float | None]:
    """Return how low the toe of a leg and its heel are in two clips where its foot is planted; see
    :func:`toes.lowest`.

    index: of the leg. clip_stances: of each clip its poses, when feet are planted, and the frames (n,) of the
    poses.
    """
    if leg.tip is None:
        return None, None
    lowest = [
        toes.lowest(chains.motion(leg, posed), contacts.planted(spans[index], frames))
        for posed, spans, frames in clip_stances
    ]
    tips, heels = [tip for tip, _ in lowest], [heel for _, heel in lowest]
    tip, heel = (min((low for low in side if low is not None), default=None) for side in (tips, heels))
    return tip, heel


def spans_of(body: Body, meeting: ClipMeeting) -> tuple[tuple[float, float], tuple[float, float]]:
    """From where to where, in its own time, each of the clips says when its feet are planted."""
    cut, entry, end = meeting.cut, meeting.cut - meeting.later, meeting.end - meeting.later
    around, beyond, most = (seconds * meeting.fps for seconds in (body.around, body.beyond, body.most))
    return (
        _inside(meeting.source, cut - around, cut + beyond),
        _inside(meeting.destination, entry - beyond, end + most),
    )


def _inside(clip: Clip, first: float, last: float) -> tuple[float, float]:
    """Return a range of frames as far as a clip has them."""
    return max(first, min(clip.start, last)), max(min(last, clip.end), clip.start)


def with_changes(
    legs: RigLegs, meeting: ClipMeeting, clip: Clip, frames: Array, changed: Iterable[Changed]
) -> Clip:
    """Return a planned transition in which channels have changed at frames (n,)."""
    return with_curves(clip, {**meeting.curves, **_all_rewritten(legs, changed, frames, meeting)})


def _all_rewritten(
    legs: RigLegs, changed: Iterable[Changed], frames: Array, meeting: ClipMeeting
) -> dict[Address, Keys]:
    return {at: keys for change in changed for at, keys in _rewritten(legs, change, frames, meeting).items()}


def _still(hold: Hold, frames: Array, times: Array) -> tuple[float, float]:
    """Return the first and the last frame at which a held foot stands still."""
    rests = times[hold.first] + (0.0 if hold.speed is None else BLEED_SECONDS)
    first = min(int(np.searchsorted(times, rests - 1e-6)), hold.last)
    return float(frames[first]), float(frames[hold.last])


def _with_speeds(
    body: Body, clip: Clip, frames: Array, meeting: ClipMeeting, changing: bool
) -> tuple[Posed, list[Array], Array]:
    """Poses at frames over the ground; how fast each foot's point goes, and turns, at the cut (4,), per
    second, from the frames on both sides of it; and where the joints of legs are (legs, joints, 3) on the
    frame before it. changing: see :meth:`Body.posed`."""
    around = meeting.cut + np.array([-1.0, 1.0])
    every, at = np.unique(np.concatenate([around, frames]), return_inverse=True)
    posed = meeting.over_ground(body.posed(clip, every, changing), every)
    beside = posing.at_frames(posed, at[:2])
    standing = [chains.motion(leg, beside).point_and_heading for leg in body.legs.legs]
    speeds = [(each[1] - each[0]) * (0.5 * meeting.fps) for each in standing]
    return posing.at_frames(posed, at[2:]), speeds, _joints(body.legs, beside)[..., 0, :]


def _joints(legs: RigLegs, posed: Posed) -> Array:
    """Return where hips, knees, ankles, and the points by which feet stand are (legs, 4, n, 3)."""
    each = [(chains.joints_of(leg, posed), chains.point_of(leg, posed)) for leg in legs.legs]
    return np.array([[joints[0], joints[1], joints[-1], point] for joints, point in each])


def _spans(
    body: Body, meeting: ClipMeeting, side: int, span: tuple[float, float]
) -> tuple[Posed, list[Spans]]:
    """Return when each foot is planted in a part of one of the clips, as edited or found, and the poses
    there.
    """
    clip, at = meeting.clips[side], meeting.cut - side * meeting.later
    if side == 1 and meeting.standing is not None:
        clip = meeting.standing
    frames, passing = body.grid(*span, at), meeting.passing[side]
    edited = armature_contacts.stored_in_clip(clip)
    legs, edits = body.legs, tuple((name, tuple(each)) for name, each in edited.items())
    key = (side, clip.clock, frames.tobytes(), passing.tobytes(), legs.rig.bones.names, legs.legs, edits)
    parts = {} if body.planted is None else body.planted
    if key not in parts:
        if len(parts) >= PARTS:
            del parts[next(iter(parts))]
        posed, below = body.posed(clip, frames, False), passing / scene.metres_per_unit()

        def planted(leg: Leg) -> Spans:
            if leg.name not in edited:
                length = chains.length_of(leg, posed)
                return contacts.find(chains.point_of(leg, posed), frames, scene.fps(), length, ground=below)
            if clip.cycle is None:
                return edited[leg.name]
            return contacts.repeated(edited[leg.name], clip.cycle.period, *span)

        parts[key] = posed, [planted(leg) for leg in legs.legs]
    return parts[key]


def _last(after: Sequence[Spans], meeting: ClipMeeting, limits: How) -> float:
    """Return the last frame that may be another one, as a foot that is held must lift first."""
    ends = [
        span.end + meeting.later
        for spans in after
        for span in spans
        if span.end + meeting.later > meeting.cut and span.start + meeting.later < meeting.end
    ]
    settled = max([meeting.end, *ends]) + max(limits.release, SETTLED_SECONDS) * meeting.fps
    return max(min(np.ceil(settled), meeting.destination.end + meeting.later), meeting.cut + 1.0)


def move_poses(posed: Posed, motion: Array) -> Posed:
    """Poses moved by a rigid motion of the world (4, 4), or on each frame by its own (n, 4, 4)."""
    axes = motion[..., :3, :3]
    turn = quaternion.from_matrix(axes)
    return dataclasses.replace(
        posed,
        heads=(axes @ posed.heads[..., None])[..., 0] + motion[..., :3, 3],
        axes=quaternion.multiply(turn, posed.axes),
        places=quaternion.multiply(turn, posed.places),
    )


def _rewritten(legs: RigLegs, change: Changed, frames: Array, meeting: ClipMeeting) -> dict[Address, Keys]:
    """Return the curves of a bone with other values, from the cut to where it is as it was."""
    prop, count = rotation_property(change.mode) if change.mode else ("location", 3)
    addresses = [(legs.rig.paths[change.bone] + prop, i) for i in range(count)]
    keys = [_keys(meeting, at, prop) for at in addresses]
    span = slice(0, change.spans[-1][1] + 1)
    kinks = [kink for kink in change.kinks if 0 < kink < span.stop - 1]
    if change.mode:
        rewritten, _ = representation.rotations(keys, change.mode, frames[span], change.values[span], kinks)
    else:
        rewritten, _ = representation.vectors(keys, frames[span], change.values[span], kinks)
    return dict(zip(addresses, rewritten, strict=True))


def _keys(meeting: ClipMeeting, address: Address, prop: str) -> Keys:
    """Return the keys of a planned curve; one key where there is none."""
    curve = meeting.curves.get(address)
    if curve is None:
        return keylib.constant(meeting.source.start, meeting.destination.default_of(address, prop))
    return curve.keys if isinstance(curve, ActionCurve) else curve
