# SPDX-License-Identifier: GPL-3.0-or-later
"""One slot's part in a transition: how its two clips match, and the curves that join them."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import bpy
import numpy as np

from ...errors import InertiaError, Sentence
from ...motion.arrays import Array
from ...motion.curves.representation import whole_frames
from ...motion.skeleton.posing import Frame, Rig
from ...motion.steps import Steps, finish, part
from ...records import record
from ..data import rig, roots, scene
from ..data.actions import Clip
from ..data.channels import Matching, match
from ..data.roots import Root
from ..evaluation import influence, playback
from ..feet import foreseen, locking
from ..feet.body import Body
from ..feet.targets import Controlled
from ..judging import deciding, outdone, verdict
from ..judging.played import CONTACT_SECONDS, Footage, Played, as_clip, clip_shown, look_steps
from ..judging.verdict import Verdict
from . import holding, stepping
from .compose import Joining, SlotPlan, compose_steps
from .selecting import TakingPart
from .warping import Warping

NO_GROUND = 'Feet are not locked, as no steady ground fits those of "{action}".'
WHEN_BAKED = (
    "Planted feet are locked when you bake, not in the preview, as Blender has to play the rig for that."
)


def decide_playing(armature: Any, clips: tuple[Clip, ...], play: bool) -> tuple[bool, str]:
    """Tell whether Blender is to show clips on an armature; where it ought to and can't, say why not.

    play: whether it may at all.
    """
    if not play or not influence.why_not_plain(armature, clips):
        return False, ""
    try:
        playback.check(armature, bpy.context.scene, bpy.context.view_layer)
    except InertiaError as error:
        return False, error.sentence
    return True, ""


def lengths(rig: Rig, source: Clip, cut: float) -> tuple[float, float]:
    """Metres per unit of an armature object's location, and of its bones'."""
    unit = scene.metres_per_unit()
    world = roots.object_matrices(rig, source, np.array([cut]))[0]
    return rig.frame.scale * unit or 1.0, Frame(world, world[:3, 3], world[0]).scale * unit or 1.0


def matched(
    armature: Any,
    joining: Joining,
    play: bool,
    taking_part: TakingPart | None = None,
    cache: holding.Kept | None = None,
) -> tuple[Joining, Matching]:
    """Match the clips of an armature; return how they match, and their joining with what holds the pose
    where switches go over.

    play: have Blender show the clips for that. taking_part: what does, whose switches count, None for all.
    cache: see :func:`holding.hold`.
    """
    cut, entry, carriers = joining.cut, joining.destination_frame, joining.alignment.carriers
    matching = match(armature, joining.source, joining.destination, cut, entry, carriers)
    deciding = [ch for ch in matching.channels if taking_part is None or taking_part.takes(ch)]
    window = whole_frames(joining.cut, _find_fk_end(joining)) - joining.later
    switching, over = holding.find_crossing_values(armature, deciding, cut, entry, window)
    if play and (switching or over):
        keyed = {ch.bone for ch in matching.channels if ch.bone is not None and ch.kind != "value"}
        window = np.unique([joining.around[1][0], *window])
        held = holding.hold(armature, joining.clips, joining.around[0], window, switching, over, keyed, cache)
        joining = dataclasses.replace(joining, held=held)
        destination = held.destination or joining.destination
        matching = match(armature, joining.source, destination, cut, entry, {*carriers, *held.transforms})
    jumping = {*switching, *joining.held.switches}
    channels = tuple(
        dataclasses.replace(ch, discrete=True) if ch.destination.addresses[0] in jumping else ch
        for ch in matching.channels
    )
    return joining, dataclasses.replace(matching, channels=channels)


def empty_plan(clips: tuple[Clip, ...], owner: Any | None, cut: float, is_own: bool = True) -> SlotPlan:
    """Return the plan of a slot without curves. clips: what it is made of, the first decides the slot."""
    groups = {address: curve.group for clip in reversed(clips) for address, curve in clip.curves.items()}
    # those of the first clip last, which decides
    holders = {
        prefix: slot for clip in reversed(clips) for prefix, slot in clip.holders.items() if slot is not None
    }
    return SlotPlan(clips[0].slot, owner, groups, cut, is_own, holders=holders)


def _find_fk_end(joining: Joining) -> float:
    """Return the frame up to which FK may have to show limbs: a little longer than offsets last."""
    return math.ceil(joining.cut + joining.longest * joining.fps) + 1.0


def plan_slot_steps(
    joining: Joining,
    matching: Matching,
    owner: Any | None,
    taking_part: TakingPart | None = None,
    is_own: bool = True,
) -> Steps[SlotPlan]:
    """Plan the curves of a slot that both clips have, in steps; yield the part that is done.

    taking_part: what does, None for all; all else goes on as in the source.
    """
    plan = empty_plan(joining.clips, owner, joining.cut, is_own)
    plan.clips = joining.clips
    if taking_part is not None:
        for address, curve in joining.source.curves.items():
            bone, prop = rig.split_path(address[0])
            dropped = (bone, prop) in matching.ignored or bone in matching.missing
            if not dropped and not taking_part.takes_path(address[0]):
                plan.copied[address] = curve
    if joining.held.destination is not None:
        plan.last_frame = _find_fk_end(joining)
        joining = dataclasses.replace(joining, destination=joining.held.destination)
    if joining.destination.clock is not None:
        plan.last_frame = max(plan.last_frame, joining.destination.clock.end + joining.later)
    channels = [ch for ch in matching.channels if taking_part is None or taking_part.takes(ch)]
    yield from compose_steps(joining, channels, plan)
    return plan


@record(frozen=True, eq=False)
class FeetOptions:
    """How the feet of a planned slot are looked at.

    taking_part: what does, None for all. play: whether Blender may show what constraints do; without it the
    feet of such rigs are left alone. footage: of both clips. only_judged: leave the curves of such rigs.
    """

    taking_part: TakingPart | None
    play: bool
    footage: Footage
    only_judged: bool = False


def lock_slot_feet_steps(
    armature: Any, rig: Rig, root: Root, joining: Joining, slot: SlotPlan, feet_options: FeetOptions
) -> Steps[tuple[locking.TransitionFeet, Verdict | None]]:
    """Do about the feet of a planned slot what the settings ask for; yield the part that is done.

    If that is left to Inertia, feet are locked if that looks better, see :func:`deciding.decide`. Return the
    feet, and the verdict on what is planned by then, None if it is not known. root: of both clips. Raise
    InertiaError if feet can't be locked and that is asked for.
    """
    settings, taking_part, footage = joining.settings, feet_options.taking_part, feet_options.footage
    if settings.feet == "OFF" or joining.hard_cut or joining.cross_fade:
        return locking.TransitionFeet(), None
    legs = verdict.legs_of(armature, footage)
    bones = None if taking_part is None else {*taking_part.bones}
    lockable = locking.lockable(armature, rig, settings.locking, bones, joining.clips, legs)
    if not lockable and settings.feet == "AUTO":
        return locking.TransitionFeet(), None
    free = _make_evidence(armature, root, joining, slot, locking.TransitionFeet(), footage)
    if not feet_options.play and free.is_shown:
        return locking.TransitionFeet(notes=(Sentence(WHEN_BAKED),) if lockable else ()), None
    grounds = yield from part(verdict.grounds(free), 0.0, 0.1)
    source_ground, destination_ground = grounds
    if source_ground is None or destination_ground is None:
        unsteady = joining.source if source_ground is None else joining.destination
        note = Sentence(NO_GROUND, action=unsteady.action.name)
        return locking.TransitionFeet(notes=(note,) if lockable else ()), None
    passing = source_ground, destination_ground
    meeting = locking.ClipMeeting(
        joining.source,
        joining.destination,
        joining.cut,
        joining.later,
        slot.last_frame,
        joining.alignment.motion,
        slot.curves,
        joining.fps,
        passing,
        functools.partial(verdict.passed, free, passing),
    )
    if free.warp is not None:
        # where the ground is warped away below feet they are held all along
        unwarped, last = free.warp
        meeting = dataclasses.replace(meeting, end=max(meeting.end, last), standing=unwarped)
    try:
        together = footage.together if feet_options.only_judged else None
        knowledge = locking.LegKnowledge(legs, footage.leading, footage.planted, together)
        body = locking.body_of(armature, rig, settings.locking, bones, joining.clips, knowledge)
    except InertiaError:
        if settings.feet == "LOCK":
            raise
        return locking.TransitionFeet(), None
    look = None
    if isinstance(body, Controlled):
        look = yield from part(look_steps(free, verdict.watched_of(free), CONTACT_SECONDS), 0.1, 0.3)
        free = dataclasses.replace(free, look=look)
        shown = functools.partial(_clip_shown, free)
        steps = foreseen.feet(body, meeting, settings, look.frames, look.matrices, shown)
        feet, matrices = yield from part(steps, 0.3, 0.5)
        look = dataclasses.replace(look, matrices=matrices)
    else:
        feet = yield from part(locking.of_transition(body, meeting, settings), 0.1, 0.5)
    if feet.last < joining.cut:
        return feet, None
    with_feet = dataclasses.replace(_make_evidence(armature, root, joining, slot, feet, footage), look=look)
    locked = yield from part(verdict.of_played(with_feet), 0.5, 0.65)
    left, is_settled = None, feet_options.only_judged and settings.feet == "LOCK"
    placing = _find_placing(armature, free, body) if feet_options.only_judged and not is_settled else None
    if placing is not None:
        seen_feet = yield from part(verdict.see_transition_steps(free, placing), 0.65, 0.7)
        is_settled = outdone.is_outdone(seen_feet, locked)
    if not is_settled:
        left = yield from part(verdict.of_played(free), 0.7, 0.8)
        if settings.feet == "AUTO" and not deciding.decide([left], [locked]):
            return locking.TransitionFeet(notes=deciding.explain_free(left, locked)), left
    if free.is_shown and not feet_options.only_judged:
        with playback.together(by_one=True):
            feet = finish(locking.of_transition(body, meeting, settings))
    if joining.is_stepped:
        frames = joining.frames_until(max(math.ceil(feet.last - 1e-3), joining.cut + 1.0))
        held = {address: stepping.stepped(keys, frames) for address, keys in feet.curves.items()}
        feet = dataclasses.replace(feet, curves=held)
    for address, keys in feet.curves.items():
        slot.copied.pop(address, None)
        slot.composed[address] = keys
    yield 1.0
    if settings.strips:
        # the offset on top of the clips has to last as long, and a strip shows no more on its last frame
        slot.last_frame = max(slot.last_frame, feet.last + 1.0)
    if left is not None:
        feet = dataclasses.replace(feet, notes=(*verdict.of_locked(left, locked), *feet.notes))
    return feet, None if settings.strips else locked


def _find_placing(
    armature: Any, played: Played, body: Body
) -> Callable[[Array, Sequence[str]], Array] | None:
    """Return what places the feet of a transition, see :func:`verdict.see_transition_steps`, as those of a
    body that is posed; None where the body has not all of them, or only Blender poses it."""
    legs, bones = verdict.legs_of(armature, played.footage), body.legs.rig.bones.names
    names = armature.data.bones.keys()
    feet = [names[leg.foot if leg.ball is None else leg.ball] for leg in legs]
    if isinstance(body, Controlled) or any(foot not in bones for foot in feet):
        return None

    def place_feet(frames: Array, asked: Sequence[str]) -> Array:
        heads = body.posed(played.shown, frames, False).heads
        placed = heads[[bones.index(foot) for foot in asked]].swapaxes(0, 1)
        return np.asarray(placed * scene.metres_per_unit())

    return place_feet


def _make_evidence(
    armature: Any,
    root: Root,
    joining: Joining,
    slot: SlotPlan,
    feet: locking.TransitionFeet,
    footage: Footage,
) -> Played:
    """Return a planned slot with feet locked, or not, to be judged."""
    end, until = slot.last_frame, max(slot.last_frame, feet.last)
    shown = as_clip(joining.clips, {**slot.curves, **feet.curves}, until)
    motion = joining.alignment.motion
    played = Played(
        armature,
        joining.clips,
        joining.settings,
        joining.fps,
        motion,
        root,
        shown,
        end,
        until,
        footage,
        is_planned=True,
    )
    return with_warp(played, joining.warp)


def with_warp(played: Played, warp: Warping | None) -> Played:
    """Return a transition that is judged for how its warp looks, too, as of a plain rig."""
    if warp is None or played.is_shown:
        return played
    return dataclasses.replace(played, warp=(warp.destination, float(warp.frames[-1]) + played.later))


def _clip_shown(played: Played, side: int, frames: Array) -> Steps[Array]:
    """Return what one of the clips shows at frames (n,) of its own time."""
    return clip_shown(played, side, frames + side * played.later)
