# SPDX-License-Identifier: GPL-3.0-or-later
"""Lock Feet: an action in, a new one out whose planted feet stand still.

All is read, checked and computed before anything is written, so that a failure leaves the file as it was.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError
from ...motion import quaternion
from ...motion.arrays import Array
from ...motion.feet import chains, crossing
from ...motion.feet.chains import Changed, Knee, RigLegs
from ...motion.feet.contacts import FootFigures, Span, Spans, on_frames
from ...motion.feet.crossing import Locked
from ...motion.feet.legs import carriers
from ...motion.feet.locking import LegMotion
from ...motion.quaternion import rotation_property
from ...motion.skeleton import posing
from ...motion.skeleton.posing import Posed
from ...motion.steps import Steps, part
from ...records import record
from ...settings.feet import Locking, LockSettings
from ..data import actions, clip_store, result_kinds, rewriting, unkeyed
from ..data.actions import Clip, with_curves
from ..data.channels import transform
from ..data.report import Report
from ..data.rewriting import ChannelStretch, RewritingKind, Rewritten
from ..evaluation import joint_motion
from ..evaluation.character import Character, read_character
from . import contacts, ground, leg_choice
from . import legs as armature_legs
from .body import Body, LegPaths
from .contacts import Contacts

KIND = result_kinds.FEET
"""What the recipe of an action with locked feet is called."""
ROUNDING = 2e-5
"""A bone whose turn's quaternion is no further from none than this is where it was: what a leg is reckoned
by is rounded to less."""
PINNED = "inertia_pinned"
"""The custom property of such an action that holds the names of the controls its feet are pinned by, JSON."""


@record(frozen=True, kw_only=True)
class LockReport(Report):
    """What :func:`lock_action_steps` made.

    action: what it was made of. before, after: what each foot did, and does, see :class:`FootFigures`. drop:
    how far the hips go down at most, metres. ground: how fast it passes below the feet (2,), metres a second.
    pinned: the controls that feet are pinned by. notes: sentences.
    """

    action: str
    before: tuple[FootFigures, ...]
    after: tuple[FootFigures, ...]
    drop: float
    ground: tuple[float, float]
    pinned: tuple[str, ...]
    notes: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values: those of any report, and "before" and "after", a list of dicts each, one
        for each foot.
        """
        feet = {name: [foot.as_dict() for foot in getattr(self, name)] for name in ("before", "after")}
        return {**super().as_dict(), **feet}


def lock_action_steps(armature: Any, settings: LockSettings, into: Any | None = None) -> Steps[LockReport]:
    """Make a new action whose planted feet stand still, and return a report; yields the part that is done, 0
    to 1.

    The report has what each foot did ``before`` and does ``after``, how far the hips go down (``drop``,
    metres), the controls that feet are ``pinned`` by, and ``notes``. The file changes behind the last yield
    only. into: an earlier result to make anew in place, by its own contacts where these were edited; None for
    a new action. Contacts and pinned controls are stored with the result, which is assigned if the settings
    say so. Raise InertiaError with the file as it was: without legs, for legs that can't be locked, for an
    action in which no foot is planted or of which not every frame can be looked at, for a ground that can't
    be stood on, and where `into` can't be replaced.
    """
    character = read_character(armature)
    action = actions.find(settings.action)
    rewriting.check_into(into, action)
    clip = yield from part(
        clip_store.read_stored_steps(armature, action, settings.slot, actions.read_lazily_steps), 0.0, 0.1
    )
    joint_motion.check_each(clip)
    rig, legs = character.rig, armature_legs.required(armature)
    known = leg_choice.LegKnowledge(legs)
    body = leg_choice.find_body(character, rig, Locking.of(settings), None, (clip,), known)
    planted = yield from part(
        contacts.read_contacts_steps(character, clip, legs, body.locate_points), 0.1, 0.3
    )
    if settings.ground == "OBJECT":
        # what is below one repetition of a cycle is not below the next
        planted = contacts.first_repetition(planted)
    edited = {} if into is None else contacts.stored(into)
    planted = contacts.with_edits(planted, edited, {*planted.edited, *edited})
    if not any(planted.spans):
        raise InertiaError(
            'No foot is ever planted in "{action}"; add contacts, or choose another action.',
            action=settings.action,
        )
    locked = lock_clip(character, clip, planted, Locking.of(settings), body=body)
    bones = carriers(rig.bones, planted.legs) if body.locate_points is None else None

    def completed(result: Any) -> None:
        held = {leg.name: spans for leg, spans in zip(planted.legs, planted.spans, strict=True)}
        contacts.store(result, held, contacts.HELD)
        contacts.store(result, edited)
        if settings.ground == "OBJECT":
            result.use_cyclic = False
        if locked.pinned:
            result[PINNED] = json.dumps(locked.pinned)
        elif PINNED in result:
            del result[PINNED]

    written = rewriting.write(
        armature, RewritingKind(KIND, "locked", completed, bones), settings, [locked.curves], into
    )
    # as it was planned: to read it again would take as long as all else
    shown = with_curves(clip, locked.curves.curves)
    body.note_derived(shown, clip)
    after = contacts.placed_in(character, planted, shown, body.locate_points)
    return LockReport(
        **vars(written),
        action=settings.action,
        before=contacts.figures_of(character, planted),
        after=contacts.figures_of(character, after),
        drop=locked.drop,
        ground=(float(planted.ground[0]), float(planted.ground[1])),
        pinned=locked.pinned,
        notes=locked.notes,
    )


def pinned(action: Any) -> tuple[str, ...]:
    """Return the controls by which the feet of a locked action are pinned; () for none, or if unreadable."""
    with contextlib.suppress(ValueError, TypeError, RecursionError):
        return tuple(str(name) for name in json.loads(action.get(PINNED, "[]")))
    return ()


HeldBy = Callable[[Array, list[LegMotion]], Locked]
"""How feet are held: takes frames (n,), and legs as a clip moves them over its ground."""


@record(frozen=True, eq=False)
class LockedClip:
    """A clip whose feet are locked.

    drop: how far the hips go down at most, metres. holds: of each leg that is locked, by its name, the spans
    in which its foot is held. pinned: the controls that feet are pinned by. notes: sentences.
    """

    curves: Rewritten
    drop: float
    holds: dict[str, Spans]
    pinned: tuple[str, ...]
    notes: tuple[str, ...]


def lock_clip(
    character: Character, clip: Clip, planted: Contacts, asked: Locking, body: Body | None = None
) -> LockedClip:
    """Return a clip's curves with its feet locked where it has them, as a :class:`LockedClip`; nothing is
    written.

    ``curves`` is a :class:`Rewritten`, ``drop`` says how far the hips go down at most (metres), ``holds`` in
    which spans each locked foot is held, by the foot's name, ``pinned`` by which controls, and ``notes`` has
    sentences. planted: when the feet are planted, and the velocity of the ground; a span of a single frame
    holds no foot. asked: the settings of the lock. body: the legs that can be locked, None to find them among
    those of `planted`. A cycle's feet are locked across its seam, too, unless the ground is an object; ground
    that passes takes held feet along. Raise InertiaError for legs that can't be locked, a ground that can't
    be stood on, and a ground object below a character that walks in place.
    """
    # not the legs that would be found now: what else is in the file by now may tell of others
    body = body or leg_choice.find_body(
        character, character.rig, asked, None, (clip,), leg_choice.LegKnowledge(planted.legs)
    )
    rows = [planted.index(leg.name) for leg in body.legs.legs]
    below = ground.from_settings(character, asked)
    if planted.period is not None:
        clip = contacts.as_cycle(character, clip)
    if asked.ground == "OBJECT":
        if planted.ground.any():
            raise InertiaError(
                "The character walks in place, so no object is below its steps; choose a plane."
            )
        clip = dataclasses.replace(clip, cycle=None)

    def hold(frames: Array, motions: list[LegMotion]) -> Locked:
        spans = [on_frames(planted.at(row, float(frames[0]), float(frames[-1])), frames) for row in rows]
        held = [[(first, last) for first, last in runs if last > first] for runs in spans]
        return crossing.stay(frames / character.fps, motions, held, leg_choice.read_limits(asked), below)

    return hold_clip(character, clip, body, hold, HoldOptions(planted.ground))


@record(frozen=True, eq=False)
class HoldOptions:
    """How the feet of a clip are held.

    passing: how fast the ground passes below them (2,), metres a second. knees: of each leg, None for the
    clip's. frames: those to key where something changes (n,), None for whole ones, of one repetition.
    """

    passing: Array | float = 0.0
    knees: Sequence[Knee] | None = None
    frames: Array | None = None


def hold_clip(
    character: Character,
    clip: Clip,
    body: Body,
    held_by: HeldBy,
    options: HoldOptions | None = None,
) -> LockedClip:
    """Return a clip's curves with its feet held where `held_by` says, as a :class:`LockedClip`; nothing is
    written. A clip with a cycle is held across its seam: `held_by` then sees three repetitions (3 n - 2
    frames), and the middle one is taken.

    The result has ``curves``, ``drop`` (how far the hips go down at most, metres, 0 at least), ``holds``
    (spans in frames by the foot's name, of all repetitions), ``pinned`` and ``notes``.

    body: the legs that can be held. held_by: takes frames (n,) and a list of the legs' motions as the passing
    ground sees them, world units, in the order of ``body.legs.legs``, and returns a :class:`crossing.Locked`:
    which feet are held, by indices of these frames, how far the hips go down (n,), world units, and how legs
    and toes turn. options: the frames to key, the knees and the ground's velocity; None for whole frames, the
    clip's own knees and ground that stands. Raise what `held_by` does, and InertiaError as the body's own
    posing does.
    """
    options = options or HoldOptions()
    frames, knees, passing = options.frames, options.knees, options.passing
    legs, clip = body.legs, unkeyed.completed(character.armature, clip)
    frames = _frames(clip) if frames is None else frames
    posed = body.posed(clip, frames)
    times, whole = _extend_by_repetitions(clip, frames, posed)
    begin = len(times) // 2 - len(frames) // 2
    middle = slice(begin, begin + len(frames))
    # as the ground that passes below them sees them
    heads = whole.heads.copy()
    heads[..., :2] -= ((times - times[0]) / character.fps)[:, None] * (passing / character.metres)
    whole = dataclasses.replace(whole, heads=heads)
    if knees is None:
        knees = [Knee.from_poses(leg, [whole]) for leg in legs.legs]
    motions = [chains.motion_by(leg, whole, knee) for leg, knee in zip(legs.legs, knees, strict=True)]
    locked = held_by(times, motions)
    drop = locked.drop[middle]
    shift = whole.heads[0, middle] - posed.heads[0]
    posed = dataclasses.replace(posed, heads=whole.heads[:, middle])

    def rewritten(changed: Iterable[Changed]) -> Rewritten:
        parts = [stretch for each in changed for stretch in _stretches(legs, clip, each, frames)]
        return rewriting.rewritten(clip, parts)

    stands = [[(hold.first - begin, hold.last - begin) for hold in row] for row in locked.holds]
    motions = [motion.take(middle) for motion in motions]
    turned = [leg.take(middle) for leg in locked.turned]
    toes = [None if toe is None else toe[middle] for toe in locked.toes]
    going = LegPaths(clip, frames, posed, motions, drop, turned, stands, shift, toes)
    changed = body.changed(going, lambda changed: with_curves(clip, rewritten(changed).curves))
    spans = {
        leg.name: tuple(Span(float(times[hold.first]), float(times[hold.last])) for hold in row)
        for leg, row in zip(legs.legs, locked.holds, strict=True)
    }
    metres = max(float(drop.max()), 0.0) * character.metres
    return LockedClip(rewritten(changed), metres, spans, body.pinned, body.notes)


def _frames(clip: Clip) -> Array:
    """Return the frames (n,) that are keyed where something changes. Of a clip these are the whole frames
    within it, its start alone where there is none; of a cycle evenly spaced frames of one repetition, about
    one apart, with both ends.
    """
    if clip.cycle is None:
        return joint_motion.grid(clip, joint_motion.MOST_EACH)
    count = max(2, round(clip.cycle.period))
    return np.asarray(clip.cycle.start + np.arange(count + 1) * (clip.cycle.period / count))


def _extend_by_repetitions(clip: Clip, frames: Array, posed: Posed) -> tuple[Array, Posed]:
    """Return frames and poses, of a cycle with one repetition before and one behind, each moved as the cycle
    moves; without a cycle as they are.

    frames: (n,) of one repetition, with both ends; they become (3 n - 2,). At each seam only the frame of the
    given repetition is kept, its first and its last.
    """
    if clip.cycle is None:
        return frames, posed
    turns = [posing.move_poses(posed, clip.cycle.motion(turn)) for turn in (-1, 1)]
    before, after = posing.at_frames(turns[0], slice(0, -1)), posing.at_frames(turns[1], slice(1, None))
    period = clip.cycle.period
    times = np.concatenate([frames[:-1] - period, frames, frames[1:] + period])
    return times, posing.joined([before, posed, after])


def _stretches(legs: RigLegs, clip: Clip, change: Changed, frames: Array) -> list[ChannelStretch]:
    """Return the stretches in which a bone's channels show other values, one for each span of a change that
    is longer than a frame.

    A span of a rotation that is the clip's own all along, but for rounding, is left out, so that its keys
    stay: new ones would show another one between frames. frames: (n,), which the change's spans and values
    count. A span's kinks count from its first frame; those at its ends are left out.
    """
    prop = rotation_property(change.mode)[0] if change.mode else "location"
    channels = transform(clip, legs.rig.paths[change.bone], prop, change.mode)
    clip_turns = None
    if change.mode:
        own_curves = {at: clip.curves[at] for at in channels.addresses if at in clip.curves}
        # from keys where they tell: Blender takes ten times as long
        values = joint_motion.tracks(legs.rig, own_curves, frames, None)
        clip_turns = channels.decode(channels.raw(frames, values))
    return [
        ChannelStretch(
            channels,
            frames[first : last + 1],
            change.values[first : last + 1],
            tuple(kink - first for kink in change.kinks if first < kink < last),
        )
        for first, last in change.spans
        if last > first
        if clip_turns is None or _differ(clip_turns[first : last + 1], change.values[first : last + 1])
    ]


def _differ(rotations: Array, other_rotations: Array) -> bool:
    """Tell whether rotations (n, 4) are others by more than rounding."""
    turned = quaternion.multiply(quaternion.conjugate(rotations), other_rotations)
    return bool(np.abs(turned[:, 1:]).max() > ROUNDING)
