# SPDX-License-Identifier: GPL-3.0-or-later
"""What a planned transition does about its feet: leaves them free, or locks them, as it is asked to.

Planning asks once, when the curves of the character are known, and so plans, previews, verdicts and bakes
choose alike. Whether a lock looks better is decided by :func:`deciding.decide` alone.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ...errors import InertiaError, Sentence
from ...motion.arrays import Array
from ...motion.skeleton import posing
from ...motion.steps import Steps, finish, part
from ...records import record
from ..data import scene
from ..data.actions import ActionCurve, Address, as_curves
from ..evaluation import playback
from ..feet import foreseen, leg_choice, locking
from ..feet.body import Body
from ..feet.clip_meeting import ClipMeeting
from ..feet.leg_choice import LegKnowledge
from ..feet.locking import TransitionFeet
from ..feet.targets import Controlled
from ..judging import deciding, outdone, verdict
from ..judging.played import CONTACT_SECONDS, Look, Played, clip_shown, look_steps
from ..judging.verdict import Verdict
from . import stepping
from .meeting import Meeting
from .slot_plan import SlotPlan

NO_GROUND = 'Feet are not locked, as no steady ground fits those of "{action}".'
WHEN_BAKED = (
    "Planted feet are locked when you bake, not in the preview, as Blender has to play the rig for that."
)


@record(frozen=True, eq=False)
class FeetChoice:
    """What is done about the feet of a transition.

    feet: free, as of an empty one, or locked. verdict: on the transition with these feet; None if it was not
    judged.
    """

    feet: TransitionFeet = dataclasses.field(default_factory=TransitionFeet)
    verdict: Verdict | None = None


def choose_feet_steps(meeting: Meeting, slot: SlotPlan) -> Steps[FeetChoice]:
    """Lock the feet of a planned slot, or leave them free, as the settings ask for; return the choice with
    the verdict on it; yield the part that is done, 0 to 1.

    slot: the character's curves, to which those of locked feet are added, in place. If the choice is left to
    Inertia, feet are locked where that looks better. Raise InertiaError if feet have to be locked and can't
    be.
    """
    joining, settings = meeting.joining, meeting.joining.settings
    if settings.feet == "OFF" or joining.hard_cut or joining.is_cross_fade:
        return FeetChoice()
    knowledge = _read_knowledge(meeting)
    lockable = leg_choice.find_lockable(
        meeting.character,
        meeting.rig,
        settings.locking,
        meeting.bones,
        joining.clips,
        knowledge,
    )
    if not lockable and settings.feet == "AUTO":
        return FeetChoice()
    curves = as_curves(slot.curves)
    free = meeting.make_evidence(slot, curves=curves)
    if free.poser.has_to_play and not meeting.poser.is_playing:
        return _leave_free(lockable, Sentence(WHEN_BAKED))
    source_ground, destination_ground = yield from part(verdict.find_grounds_steps(free), 0.0, 0.1)
    if source_ground is None or destination_ground is None:
        unsteady = joining.source if source_ground is None else joining.destination
        return _leave_free(lockable, Sentence(NO_GROUND, action=unsteady.action.name))
    body = _find_body(meeting, knowledge)
    if body is None:
        return FeetChoice()
    clips = _meet_over_ground(meeting, slot.last_frame, free, (source_ground, destination_ground), curves)
    look: Look | None = None
    if isinstance(body, Controlled):
        look = yield from part(look_steps(free, verdict.watched_of(free), CONTACT_SECONDS), 0.1, 0.3)
        free = dataclasses.replace(free, look=look)
        shown = functools.partial(_read_clip_shown, free)
        steps = foreseen.feet(body, clips, settings, look.frames, look.matrices, shown)
        feet, matrices = yield from part(steps, 0.3, 0.5)
        look = dataclasses.replace(look, matrices=matrices)
    else:
        feet = yield from part(locking.lock_transition_steps(body, clips, settings), 0.1, 0.5)
    if feet.last < joining.cut:
        return FeetChoice(feet)
    held = dataclasses.replace(meeting.make_evidence(slot, feet, curves), look=look)
    verdict_locked = yield from part(verdict.of_played(held), 0.5, 0.65)
    verdict_free = None
    # where a plan is only judged, free feet need no verdict if they are locked anyway, or worse by themselves
    is_outdone = meeting.options.is_only_judged and settings.feet == "LOCK"
    place_feet = _find_placing(meeting, free, body)
    if place_feet is not None:
        seen_feet = verdict.see_transition(free, place_feet=place_feet)
        yield 0.7
        is_outdone = outdone.is_outdone(seen_feet, verdict_locked)
    if not is_outdone:
        verdict_free = yield from part(verdict.of_played(free), 0.7, 0.8)
        if settings.feet == "AUTO" and not deciding.decide([verdict_free], [verdict_locked]):
            notes = deciding.explain_free(verdict_free, verdict_locked)
            return FeetChoice(TransitionFeet(notes=notes), verdict_free)
    if free.poser.has_to_play and not meeting.options.is_only_judged:
        with playback.together(by_one=True):
            feet = finish(locking.lock_transition_steps(body, clips, settings))
    feet = _write_feet(meeting, slot, feet)
    yield 1.0
    if verdict_free is not None:
        notes = verdict.of_locked(verdict_free, verdict_locked)
        feet = dataclasses.replace(feet, notes=(*notes, *feet.notes))
    return FeetChoice(feet, None if settings.strips else verdict_locked)


def _find_placing(
    meeting: Meeting, free: Played, body: Body
) -> Callable[[Array, Sequence[str]], Array] | None:
    """Return what places free feet for :func:`verdict.see_transition`, as a body does that is posed.

    free: what the transition shows with them. Return None unless the plan is only judged and the choice of
    feet is left to Inertia, and where the body has not all feet or only Blender poses it.
    """
    legs, bones = verdict.legs_of(meeting.character, free.footage), body.legs.rig.bones.names
    names = meeting.armature.data.bones.keys()
    feet = [names[leg.foot if leg.ball is None else leg.ball] for leg in legs]
    if not meeting.options.is_only_judged or meeting.joining.settings.feet == "LOCK":
        return None
    if isinstance(body, Controlled) or any(foot not in bones for foot in feet):
        return None

    def place_feet(frames: Array, asked: Sequence[str]) -> Array:
        heads = posing.positions(body.legs.rig, body.values(free.shown, frames), len(frames))
        return np.asarray(heads[:, [bones.index(foot) for foot in asked]] * scene.metres_per_unit())

    return place_feet


def _leave_free(lockable: frozenset[str], why: Sentence) -> FeetChoice:
    """Return free feet, with a note on why none is locked where any could be."""
    return FeetChoice(TransitionFeet(notes=(why,) if lockable else ()))


def _read_knowledge(meeting: Meeting) -> LegKnowledge:
    """Return what is known of the armature's legs."""
    footage = meeting.footage
    return LegKnowledge(
        verdict.legs_of(meeting.character, footage),
        footage.leading,
        footage.feet,
        footage.together if meeting.options.is_only_judged else None,
        poser=footage.find_poser(meeting.character, meeting.joining.clips),
    )


def _find_body(meeting: Meeting, knowledge: LegKnowledge) -> Body | None:
    """Find the legs that can be locked; return None if there are none, or they can't be, and none has to be.

    Raise InertiaError instead of that if the settings' ``feet`` is "LOCK".
    """
    settings = meeting.joining.settings
    try:
        return leg_choice.find_body(
            meeting.character,
            meeting.rig,
            settings.locking,
            meeting.bones,
            meeting.joining.clips,
            knowledge,
        )
    except InertiaError:
        if settings.feet == "LOCK":
            raise
        return None


def _meet_over_ground(
    meeting: Meeting,
    end: float,
    free: Played,
    passing: tuple[Array, Array],
    curves: Mapping[Address, ActionCurve],
) -> ClipMeeting:
    """Return what locking has to know of a planned slot.

    end: the last frame of its longest offset. free: what it shows with free feet. passing: how fast the
    ground passes below the source and below the destination (2,), metres a second. curves: the slot's own.
    """
    joining = meeting.joining
    clips = ClipMeeting(
        joining.source,
        joining.destination,
        joining.cut,
        joining.later,
        end,
        joining.alignment.motion,
        curves,
        joining.fps,
        passing,
        functools.partial(verdict.passed, free, passing),
    )
    if free.warp is None:
        return clips
    # where the ground is warped away below feet they are held all along
    unwarped, last = free.warp
    return dataclasses.replace(clips, end=max(clips.end, last), standing=unwarped)


def _write_feet(meeting: Meeting, slot: SlotPlan, feet: TransitionFeet) -> TransitionFeet:
    """Put the curves of locked feet in place of a slot's own, and return the feet with them. Where the
    destination holds poses the curves hold them, too. For strips the slot lasts as long as they do.
    """
    joining = meeting.joining
    if joining.is_stepped:
        frames = joining.frames_until(max(math.ceil(feet.last - 1e-3), joining.cut + 1.0))
        stepped = {address: stepping.stepped(keys, frames) for address, keys in feet.curves.items()}
        feet = dataclasses.replace(feet, curves=stepped)
    for address, keys in feet.curves.items():
        slot.copied.pop(address, None)
        slot.composed[address] = keys
    if joining.settings.strips:
        # the offset on top of the clips has to last as long, and a strip shows no more on its last frame
        slot.last_frame = max(slot.last_frame, feet.last + 1.0)
    return feet


def _read_clip_shown(played: Played, side: int, frames: Array) -> Steps[Array]:
    """Return what one of the clips, 0 or 1, shows at frames (n,) of its own time."""
    return clip_shown(played, side, frames + side * played.later)
