# SPDX-License-Identifier: GPL-3.0-or-later
"""One slot's part in a transition: how its two clips match, and the curves that join them."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Generator
from typing import Any

import bpy
import numpy as np

from ...errors import InertiaError, Sentence
from ...motion.arrays import Array
from ...motion.curves.stretches import whole_frames
from ...motion.judging.faults import POP
from ...motion.skeleton.posing import Frame, Rig
from ...motion.steps import finish, part
from ..data import rig, roots, scene
from ..data.actions import Clip
from ..data.channels import Matching, match
from ..data.roots import Root
from ..evaluation import influence, playback
from ..feet import foreseen, locking
from ..feet.targets import Controlled
from ..judging import evidence, verdict
from ..judging.played import CONTACT_SECONDS, Footage, Played, as_clip, clip_shown, looking
from ..judging.verdict import Verdict
from . import holding
from .compose import Joining, SlotPlan, composing

NO_GROUND = 'Feet are not locked, as no steady ground fits those of "{action}".'
WHEN_BAKED = (
    "Planted feet are locked when you bake, not in the preview, as Blender has to play the rig for that."
)
ROUGHER = 1.2
"""Left to Inertia, locked feet may make joints change their velocity so many times as hard."""
TOO_ROUGH = (
    "Feet are not locked, as joints would then change speed {times} times as hard; choose Lock to lock "
    "them all the same."
)


def played(armature: Any, clips: tuple[Clip, ...], play: bool) -> tuple[bool, str]:
    """Whether Blender is to show clips on an armature; where it ought to and can't, why not.

    play: whether it may at all.
    """
    if not play or not influence.why_not_plain(armature, clips):
        return False, ""
    try:
        playback.check(armature, bpy.context.scene, bpy.context.view_layer)
    except InertiaError as error:
        return False, error.sentence
    return True, ""


def lengths(own: Rig, source: Clip, cut: float) -> tuple[float, float]:
    """Metres per unit of an armature object's location, and of its bones'."""
    unit = scene.metres_per_unit()
    world = roots.object_matrices(own, source, np.array([cut]))[0]
    return own.frame.scale * unit or 1.0, Frame(world, world[:3, 3], world[0]).scale * unit or 1.0


def matched(
    armature: Any, joining: Joining, play: bool, taking_part: set[str] | None = None
) -> tuple[Joining, Matching]:
    """How the clips of an armature match, and their joining with what holds the pose where switches go over.

    play: have Blender show the clips for that. taking_part: the bones whose switches count, None for all.
    """
    ends = (joining.source, joining.destination, joining.cut, joining.destination_frame)
    matching = match(armature, *ends, joining.alignment.carriers)
    switching = holding.switches(armature, matching.channels, joining.cut, joining.destination_frame)
    end = math.ceil(joining.cut + joining.longest * joining.fps) + 1.0
    window = whole_frames(joining.cut, end) - joining.later
    over = holding.steered(armature, matching.channels, joining.cut, window)
    if taking_part is not None:
        switching = {at: to for at, to in switching.items() if rig.split_path(at[0])[0] in taking_part}
        over = {at: to for at, to in over.items() if rig.split_path(at[0])[0] in taking_part}
    if play and (switching or over):
        keyed = {ch.bone for ch in matching.channels if ch.bone is not None and ch.kind != "value"}
        window = np.unique([joining.around[1][0], *window])
        held = holding.hold(armature, joining.clips, joining.around[0], window, switching, over, keyed)
        joining = dataclasses.replace(joining, held=held)
        ends = (joining.source, held.destination or joining.destination, *ends[2:])
        matching = match(armature, *ends, {*joining.alignment.carriers, *held.own})
    jumping = {*switching, *joining.held.switches}
    channels = tuple(
        dataclasses.replace(ch, discrete=True) if ch.destination.addresses[0] in jumping else ch
        for ch in matching.channels
    )
    return joining, dataclasses.replace(matching, channels=channels)


def empty_plan(clips: tuple[Clip, ...], owner: Any | None, cut: float, is_own: bool = True) -> SlotPlan:
    """The plan of a slot without curves yet. clips: what it is made of, the first decides the slot."""
    groups = {address: curve.group for clip in reversed(clips) for address, curve in clip.curves.items()}
    return SlotPlan(clips[0].slot, owner, groups, cut, is_own)


def joined(
    joining: Joining,
    matching: Matching,
    owner: Any | None,
    taking_part: set[str] | None = None,
    is_own: bool = True,
) -> SlotPlan:
    """The curves of a slot that both clips have; bones that don't take part go on as in the source."""
    return finish(being_joined(joining, matching, owner, taking_part, is_own))


def being_joined(
    joining: Joining,
    matching: Matching,
    owner: Any | None,
    taking_part: set[str] | None = None,
    is_own: bool = True,
) -> Generator[float, None, SlotPlan]:
    """As :func:`joined`, in steps; yields the part that is done."""
    plan = empty_plan(joining.clips, owner, joining.cut, is_own)
    plan.clips = joining.clips
    if taking_part is not None:
        for address, curve in joining.source.curves.items():
            bone, prop = rig.split_path(address[0])
            dropped = (bone, prop) in matching.ignored or bone in matching.missing
            if bone not in taking_part and not dropped:
                plan.copied[address] = curve
    if joining.held.destination is not None:
        # FK tells of limbs a little longer than offsets last
        plan.last_frame = math.ceil(joining.cut + joining.longest * joining.fps) + 1.0
        joining = dataclasses.replace(joining, destination=joining.held.destination)
    if joining.destination.clock is not None:
        plan.last_frame = max(plan.last_frame, joining.destination.clock.end + joining.later)
    channels = [ch for ch in matching.channels if taking_part is None or ch.bone in taking_part]
    yield from composing(joining, channels, plan)
    return plan


def locking_feet(
    armature: Any,
    own: Rig,
    root: Root,
    joining: Joining,
    slot: SlotPlan,
    taking_part: set[str] | None,
    play: bool,
    footage: Footage,
    only_judged: bool = False,
) -> Generator[float, None, tuple[locking.Feet, Verdict | None]]:
    """Do about the feet of a planned slot what the settings ask for; yields the part that is done.

    Where that is left to Inertia, feet are locked if the judge prefers it, and sees no pop in what they make
    rougher; of rigs that Blender plays no leg may be rougher. Returned, too, is the verdict on what is
    planned by then, if it is known. root: of both clips. play: whether Blender may show what constraints do;
    without it the feet of such rigs are left alone. footage: of both clips. only_judged: leave the curves of
    such rigs. Raises InertiaError where they can't be locked and are asked for.
    """
    settings = joining.settings
    if settings.feet == "OFF" or joining.hard_cut or joining.cross_fade:
        return locking.Feet(), None
    legs = evidence.legs_of(armature, footage)
    lockable = locking.lockable(armature, own, settings.locking, taking_part, joining.clips, legs)
    if not lockable and settings.feet == "AUTO":
        return locking.Feet(), None
    free = _played(armature, root, joining, slot, locking.Feet(), footage)
    if not play and free.is_shown:
        return locking.Feet(notes=(Sentence(WHEN_BAKED),) if lockable else ()), None
    here, there = yield from part(evidence.grounds(free), 0.0, 0.1)
    if here is None or there is None:
        unsteady = joining.source if here is None else joining.destination
        said = Sentence(NO_GROUND, action=unsteady.action.name)
        return locking.Feet(notes=(said,) if lockable else ()), None
    meeting = locking.Meeting(
        joining.source,
        joining.destination,
        joining.cut,
        joining.later,
        slot.last_frame,
        joining.alignment.motion,
        slot.curves,
        joining.fps,
        (here, there),
        functools.partial(evidence.passed, free, (here, there)),
    )
    try:
        kept = legs, footage.leading, footage.planted
        body = locking.body_of(armature, own, settings.locking, taking_part, joining.clips, *kept)
    except InertiaError:
        if settings.feet == "LOCK":
            raise
        return locking.Feet(), None
    if isinstance(body, Controlled):
        look = yield from part(looking(free, evidence.watched_of(free), CONTACT_SECONDS), 0.1, 0.3)
        free = dataclasses.replace(free, look=look)
        known = (look.frames, look.matrices, functools.partial(_clip_shown, free))
        steps = foreseen.feet(body, meeting, settings, *known)
        found, matrices = yield from part(steps, 0.3, 0.5)
        look = dataclasses.replace(look, matrices=matrices)
    else:
        found, look = (yield from part(locking.of_transition(body, meeting, settings), 0.1, 0.5)), None
    if found.last < joining.cut:
        return found, None
    shown = free, dataclasses.replace(_played(armature, root, joining, slot, found, footage), look=look)
    left = yield from part(verdict.of_played(shown[0]), 0.5, 0.65)
    locked = yield from part(verdict.of_played(shown[1]), 0.65, 0.8)
    # of rigs that Blender plays the judge sees whole frames alone: legs are looked at by themselves, too
    is_better, times = locked.order < left.order, rougher(left, locked, found.hardest)
    is_rough = times > ROUGHER and (found.hardest is not None or stands_out(locked))
    if settings.feet == "AUTO" and (is_rough or not is_better):
        said = Sentence(TOO_ROUGH, times=f"{times:.1f}")
        # of rigs that Blender plays it is told, too, where the judge sees that by itself
        is_told = is_better or (is_rough and found.hardest is not None)
        return locking.Feet(notes=(said,) if is_told else ()), left
    if free.is_shown and not only_judged:
        with playback.together(by_one=True):
            found = finish(locking.of_transition(body, meeting, settings))
    for address, keys in found.curves.items():
        slot.copied.pop(address, None)
        slot.composed[address] = keys
    told: Verdict | None = locked
    yield 1.0
    if joining.settings.strips:
        # the offset on top of the clips has to last as long, and a strip shows no more on its last frame
        slot.last_frame = max(slot.last_frame, found.last + 1.0)
        told = None
    return dataclasses.replace(found, notes=(*verdict.of_locked(left, locked), *found.notes)), told


def _played(
    armature: Any, root: Root, joining: Joining, slot: SlotPlan, feet: locking.Feet, footage: Footage
) -> Played:
    """A planned slot with feet locked, or not, to be judged."""
    end, until = slot.last_frame, max(slot.last_frame, feet.last)
    shown = as_clip(joining.clips, {**slot.curves, **feet.curves}, until)
    motion = joining.alignment.motion
    playing = (armature, joining.clips, joining.settings, joining.fps, motion, root)
    return Played(*playing, shown, end, until, footage, is_planned=True)


def stands_out(seen: Verdict) -> bool:
    """Whether anybody sees that joints move hard: without a pop they do about as in the clips."""
    return any(fault.kind == POP for fault in seen.faults)


def _clip_shown(played: Played, side: int, frames: Array) -> Generator[float, None, Array]:
    """What one of the clips shows at frames (n,) of its own time."""
    return clip_shown(played, side, frames + side * played.later)


def rougher(left: Verdict, locked: Verdict, legs: tuple[float, float] | None = None) -> float:
    """How many times as hard joints change their velocity, at most, with locked feet as without: all
    together, and each by itself, too, where the highest changes of legs are given, without and with."""
    before = np.maximum(left.hardest, locked.beyond)
    after = np.array(locked.hardest)
    if legs is None:
        before, after = before[1:], after[1:]
    else:
        before[0], after[0] = np.maximum((before[0], after[0]), legs)
    still = before <= 0.0
    return float(
        np.where(still, np.where(after > 0.0, np.inf, 0.0), after / np.where(still, 1.0, before)).max()
    )
