# SPDX-License-Identifier: GPL-3.0-or-later
"""The main job: two actions in, their transition out as a third.

Everything is read, checked and computed before anything is written, so that a failure leaves the
file as it was.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Iterable, Mapping
from typing import Any

import bpy

from ...errors import InertiaError, Sentence
from ...motion.arrays import Array
from ...motion.skeleton.posing import Rig
from ...motion.steps import Steps, finish, part
from ...records import record
from ...settings import fields, methods
from ...settings.transition import OBJECT_ROOT, TransitionSettings
from ..data import actions, clip_store, compat, markers, recipe, rig, rigs, roots, scene, unkeyed
from ..data.actions import ActionCurve, Address, Clip, Marker
from ..data.channels import match
from ..data.rewriting import BakedCurve
from ..data.rig import not_assignable
from ..evaluation import influence, joint_motion, playback
from ..feet import locking
from ..judging import remedies, verdict
from ..judging.played import Footage, Played, as_clip
from ..judging.remedies import Remedy
from ..judging.verdict import Verdict
from ..nla import tracks
from . import alignment as alignments
from . import (
    companions,
    elsewhere,
    excerpts,
    jumps,
    misplaced,
    parts,
    preflight,
    repeating,
    selecting,
    stepping,
    strips,
    warping,
    writing,
)
from .alignment import Alignment, CutAndEntry
from .companions import Company
from .compose import Joining, SlotPlan, apart
from .misplaced import Misplaced
from .report import BakeReport, UnkeyedChannel
from .selecting import Scales
from .warping import Warping

READING = 0.3
"""About what part of planning it is to read the clips."""
SUGGESTING = 0.9
"""About what part of planning it is to look for a blend time."""


@record(frozen=True, eq=False)
class PlanOptions:
    """How a transition is planned, beside what its settings say.

    cross_fade: mix the two poses in place of letting an offset decay, to compare. play: have Blender show
    both clips if constraints act on the rig. hard_cut: let nothing blend, to compare. motion: of the world
    (4, 4), to give to the destination in place of what aligns it; None to align it. footage: of the same two
    clips, from before, so that they are played only once. constants: of a plan that is only judged, see
    :mod:`excerpts`; there no companions come along, no warnings are found, and feet get no curves on rigs
    that Blender plays. None for a plan that is to be baked. rig: the armature as it stands, None to read it.
    """

    cross_fade: bool = False
    play: bool = True
    hard_cut: bool = False
    motion: Array | None = None
    footage: Footage | None = None
    constants: Mapping[Address, float] | None = None
    rig: Rig | None = None


@record
class Plan:
    """A transition, computed and not yet written. clips: its two actions, read; keyed: without repetitions of
    cycles. bones: how many take part.

    slots: the armature's own, then those of what comes along; notes: who that is. feet: what was done about
    them. footage: what was looked at of the two clips. told: the verdict, where it is known by now.
    warp: how the destination was warped, None for not at all.
    """

    armature: Any
    clips: tuple[Clip, Clip]
    settings: TransitionSettings
    fps: float
    alignment: Alignment
    root: roots.Root
    slots: list[SlotPlan]
    keyed: tuple[Clip, Clip]
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    unkeyed: tuple[UnkeyedChannel, ...] = ()
    bones: int = 0
    feet: locking.TransitionFeet = dataclasses.field(default_factory=locking.TransitionFeet)
    footage: Footage = dataclasses.field(default_factory=Footage)
    told: Verdict | None = None
    warp: Warping | None = None

    @property
    def until(self) -> float:
        """The last frame at which anything differs from the destination, in the clips' own time."""
        return max(max(slot.last_frame for slot in self.slots), self.feet.last)

    @property
    def markers(self) -> tuple[Marker, ...]:
        """The pose markers of both clips where it shows them, in its own time."""
        assert self.settings.destination_frame is not None
        source, destination = self.clips
        return markers.joined(source, self.settings.cut, destination, self.settings.destination_frame)

    @property
    def misplaced(self) -> tuple[Misplaced, ...]:
        """The cut and the entry, where a teleport parts them from the rest of their clip."""
        if self.settings.smooth_jump:
            return ()
        return misplaced.find(self.clips, self.settings, self.fps)

    @property
    def evidence(self) -> Played:
        """What it shows, to be judged."""
        character, motion = self.slots[0], self.alignment.motion
        ends = character.last_frame, max(character.last_frame, self.feet.last)
        shown = as_clip(self.clips, character.curves, ends[1])
        played = Played(
            self.armature,
            self.clips,
            self.settings,
            self.fps,
            motion,
            self.root,
            shown,
            ends[0],
            ends[1],
            self.footage,
            self.told,
            is_planned=True,
        )
        return parts.with_warp(played, self.warp)


def bake_transition(
    armature: Any,
    settings: TransitionSettings,
    into: Any | None = None,
    cross_fade: bool = False,
) -> BakeReport:
    """Bake an inertialized transition between two actions of an armature.

    armature: the armature object. settings: see TransitionSettings. into: an earlier result to
    make anew in place; None for a new action. cross_fade: mix the two poses in place of letting an
    offset decay, to compare. Raises InertiaError with the file as it was.
    """
    return write_plan(plan_transition(armature, settings, cross_fade), into)


def plan_transition(
    armature: Any,
    settings: TransitionSettings,
    cross_fade: bool = False,
    play: bool = True,
) -> Plan:
    """Compute a transition without changing anything; see :func:`bake_transition`.

    play: have Blender show both clips where constraints act on the rig. Without, as in a panel that is
    drawn, which may not, what constraints do is taken as none.
    """
    return finish(plan_transition_steps(armature, settings, PlanOptions(cross_fade, play)))


def plan_transition_steps(
    armature: Any, settings: TransitionSettings, plan_options: PlanOptions | None = None
) -> Steps[Plan]:
    """Plan a transition as :func:`plan_transition` does, in steps; yield the part that is done."""
    plan_options = plan_options or PlanOptions()
    footage = plan_options.footage
    read_slot = actions.read_clip_steps if footage is None else footage.reading
    steps = clip_store.read_named_steps(armature, settings.ends(), read_slot)
    source, destination = yield from part(steps, 0.0, READING)
    clips = [joint_motion.with_teleports(armature, clip) for clip in (source, destination)]
    if footage is not None:
        footage.keep_teleports(clips)
    steps_of_plan = plan_clips_steps(armature, settings, source, destination, plan_options)
    return (yield from part(steps_of_plan, READING, 1.0))


def plan_clips(
    armature: Any,
    settings: TransitionSettings,
    source: Clip,
    destination: Clip,
    cross_fade: bool = False,
) -> Plan:
    """Plan a transition as :func:`plan_transition` does, between clips of the store, see
    :mod:`clip_store`.
    """
    options = PlanOptions(cross_fade)
    return finish(plan_clips_steps(armature, settings, source, destination, options))


def plan_clips_steps(
    armature: Any,
    settings: TransitionSettings,
    source: Clip,
    destination: Clip,
    plan_options: PlanOptions | None = None,
) -> Steps[Plan]:
    """Plan a transition as :func:`plan_clips` does, in steps; yield the part that is done."""
    plan_options = plan_options or PlanOptions()
    play, constants = plan_options.play, plan_options.constants
    if settings.suggest_blend_time:
        tried = dataclasses.replace(plan_options, constants={}, rig=None)
        suggested = suggest_blend_steps(armature, settings, source, destination, tried)
        settings = yield from part(suggested, 0.0, SUGGESTING)
    if settings.smooth_jump:
        return _plan_jump(armature, settings, source, plan_options.hard_cut)
    seen = Footage() if plan_options.footage is None else plan_options.footage
    is_plain = not seen.why_not_plain(armature, (source, destination))
    read_rig = plan_options.rig or seen.plain_rig(armature, (source, destination)) or rigs.read(armature)
    scales = blend_scales(armature, settings)
    selecting.check(armature, settings, (source, destination))
    for clip in (source, destination):
        joint_motion.with_teleports(armature, clip, read_rig)
    yield 0.1
    clips = source, destination = clip_store.scaled_ends(settings, (source, destination))
    shown = not is_plain and parts.decide_playing(armature, clips, play)[0]
    with playback.together():
        view = repeating.CycleView(
            scales,
            cross_fade=plan_options.cross_fade or settings.decay is None,
            play=shown,
            constants=constants,
            footage=seen if is_plain else None,
        )
        source, destination = repeating.repeat_cycles(armature, read_rig, settings, clips, view)
        settings = preflight.resolved(settings, source, destination)
        assert settings.destination_frame is not None
        meeting = CutAndEntry(source, settings.cut, destination, settings.destination_frame)
        played, why_not = (
            (False, "") if is_plain else parts.decide_playing(armature, (source, destination), play)
        )
        carried = functools.partial(preflight.carried, settings=settings, clips=clips)
        referred = functools.partial(preflight.reference, read_rig, settings)
        if played and (settings.alignment != "NONE" or settings.align_height):
            root, alignment = alignments.align_played(
                armature, read_rig, carried, referred, meeting, plan_options.motion
            )
        else:
            if is_plain:
                root = seen.root(read_rig, clips, settings.root)
                kind = preflight.kind_for(read_rig, settings, root)
            else:
                root, kind = carried(read_rig)
            alignment = alignments.align(read_rig, root, referred(root), kind, meeting, plan_options.motion)
        warp = warping.plan(armature, read_rig, root, settings, (source, destination), alignment, played)
        warp_baked: list[BakedCurve] = []
        if warp is not None:
            destination, warp_baked = warp.warped(armature, read_rig, root, destination, played)
            seen = seen.of_warped()
        taking_part = selecting.select_participants(read_rig.bones.names, settings)
        metres, bone_metres = parts.lengths(read_rig, source, settings.cut)
        joining = Joining(
            source,
            destination,
            settings,
            scene.fps(),
            alignment,
            metres,
            bone_metres,
            scales,
            is_mixed=plan_options.cross_fade,
            hard_cut=plan_options.hard_cut,
            warp=warp,
            holds=stepping.of_clips(settings, source, destination),
        )
        joining, matching = parts.matched(armature, joining, played, taking_part, seen.held)
    yield 0.2
    character = yield from part(parts.plan_slot_steps(joining, matching, armature, taking_part), 0.2, 0.4)
    character.baked += [note.later_by(joining.later) for note in warp_baked]
    slots = [character]
    feet_options = parts.FeetOptions(taking_part, played, seen, only_judged=constants is not None)
    steps = parts.lock_slot_feet_steps(armature, read_rig, root, joining, character, feet_options)
    feet, told = yield from part(steps, 0.4, 0.8)
    yield 0.8
    plan = Plan(
        armature,
        (source, destination),
        settings,
        joining.fps,
        alignment,
        root,
        slots,
        keyed=clips,
        feet=feet,
        footage=seen,
        told=told,
        warp=warp,
    )
    if constants is not None:
        return plan
    company = Company()
    if taking_part is None or not taking_part.is_of_bones:
        company = companions.plan(armature, root, joining, play, taking_part)
        slots += company.slots
    yield 0.9
    bones = {ch.bone for ch in matching.channels} - {None}
    hidden = preflight.hidden_controls(armature, joining, matching) if played else preflight.NONE_HIDDEN
    lone = preflight.unkeyed_channels(armature, joining, hidden)
    return dataclasses.replace(
        plan,
        warnings=(
            *(() if warp is None else warp.warnings),
            *(each.sentence for each in plan.misplaced),
            *preflight.warnings(armature, read_rig, joining, matching, root, lone, hidden),
            *preflight.unplayed(armature, why_not),
            *elsewhere.carried_elsewhere(armature, plan.clips),
            *company.warnings,
            *_unassigned(slots, settings),
        ),
        notes=(
            *clip_store.describe_renaming(clips),
            *clip_store.describe_partners(armature, clips),
            *feet.notes,
            *company.notes,
        ),
        unkeyed=lone,
        bones=len(bones if taking_part is None else bones & taking_part.bones),
    )


def suggest_blend_steps(
    armature: Any, settings: TransitionSettings, source: Clip, destination: Clip, plan_options: PlanOptions
) -> Steps[TransitionSettings]:
    """Return settings with the blend time that looks best, of clips of the store; yield how much is done.

    plan_options: of each plan that is judged.
    """

    def judge(asked: TransitionSettings) -> Steps[Verdict]:
        nearby_settings = near.complete_settings(asked)
        plan = yield from plan_clips_steps(armature, nearby_settings, source, destination, plan_options)
        return (yield from verdict.of_played(plan.evidence))

    asked = dataclasses.replace(settings, suggest_blend_time=False)
    near = excerpts.Excerpts((source, destination), {})
    if not influence.why_not_plain(armature, (source, destination)):
        near = excerpts.around(
            rigs.read(armature), asked, (source, destination), blend_scales(armature, asked)
        )
        source, destination = near.clips
    suggested, _ = yield from remedies.suggested(asked, judge, scene.fps())
    return suggested


def find_remedies_steps(plan: Plan, judged: Verdict, play: bool = True) -> Steps[tuple[Remedy, ...]]:
    """Find what helps a planned transition, the best first; yield how much is done.

    judged: the verdict on it. play: see :func:`plan_transition`. On rigs that Blender has to play only a few
    changes are tried.
    """

    most = remedies.PLAYED if influence.why_not_plain(plan.armature, plan.clips) else None
    footage, asked = plan.footage, plan.settings
    near = excerpts.Excerpts(plan.keyed, {})
    if most is None:
        # what of the file is referred to may be gone with the first slice
        read_rig, scales = rigs.read(plan.armature), blend_scales(plan.armature, asked)
        near = excerpts.around(read_rig, asked, plan.keyed, scales)
        footage = footage.nearby(plan.keyed, near.clips)

    def judge(changed: TransitionSettings) -> Steps[Verdict]:
        nearby_settings = near.complete_settings(changed)
        options = PlanOptions(play=play, footage=footage, constants={})
        other = yield from plan_transition_steps(plan.armature, nearby_settings, options)
        return (yield from verdict.of_played(other.evidence))

    mended = asked
    for each in plan.misplaced:
        mended = each.mended(mended)
    return (yield from remedies.find_helping_steps(asked, judged, judge, plan.fps, most, mended))


def _plan_jump(armature: Any, settings: TransitionSettings, clip: Clip, hard_cut: bool) -> Plan:
    """Plan the two sides of a jump in one clip as :func:`plan_clips` plans two clips."""
    if settings.warps:
        raise InertiaError("A jump is smoothed where it is, so nothing can be warped; bake without a warp.")
    if settings.ends()[0] != settings.ends()[1]:
        raise InertiaError(
            'A jump is smoothed within one action, not between "{source}" and "{destination}"; name it as '
            "both.",
            source=settings.source,
            destination=settings.destination,
        )
    if (settings.source_scale, settings.destination_scale) != (1.0, 1.0):
        raise InertiaError("A jump is smoothed in an action as it is keyed; set both scales to 1.")
    selecting.check(armature, settings, (clip,))
    read_rig = rigs.read(armature)
    metres, bone_metres = parts.lengths(read_rig, clip, settings.cut)
    jump = jumps.find(armature, clip, settings.cut, bone_metres, metres)
    at = jump.frame
    settings = dataclasses.replace(settings, cut=at, destination_frame=at, alignment="NONE")
    alignment, scales = Alignment("NONE"), blend_scales(armature, settings)
    joining = Joining(
        clip,
        clip,
        settings,
        scene.fps(),
        alignment,
        metres,
        bone_metres,
        scales,
        hard_cut=hard_cut,
        holds=stepping.of_clips(settings, clip, clip),
    )
    taking_part = selecting.select_participants(read_rig.bones.names, settings)
    slots = jumps.plans(jump, joining, taking_part)
    root = roots.find_root(read_rig, (clip,), settings.root)
    matching = match(armature, clip, clip, at, at)
    warned = preflight.warnings(armature, read_rig, joining, matching, root, ())
    bones = {ch.bone for _, channels in jump.slots[:1] for ch in channels} - {None}
    return Plan(
        armature,
        (clip, clip),
        settings,
        joining.fps,
        alignment,
        root,
        slots,
        keyed=(clip, clip),
        warnings=tuple(warned),
        bones=len(bones if taking_part is None else bones & taking_part.bones),
    )


def blend_scales(armature: Any, settings: TransitionSettings) -> Scales:
    """Return the multipliers of blend times: the settings' own, else the pose bone's.

    Raise InertiaError for one whose blend would be too long for a setting.
    """
    scales = {bone.name: recipe.bone_scale(bone) for bone in armature.pose.bones}
    length = methods.length(settings.method)
    value = settings.half_life if length == "half_life" else settings.frames(scene.fps())
    allowed, label = (
        fields.range_of(TransitionSettings, length),
        fields.settings(TransitionSettings)[length].label,
    )
    for name, scale in (*scales.items(), *settings.blend_scales):
        if scale > 1.0:
            allowed.check(Sentence('scaled {label} of "{name}"', label=label, name=name), value * scale)
    return Scales(scales, settings.blend_scales)


def _unassigned(slots: Iterable[SlotPlan], settings: TransitionSettings) -> list[str]:
    """Why others, and what carries a character, do not get the result assigned that shall have it."""
    if not settings.assign:
        return []
    owners = [slot.owner for slot in slots if settings.assign_others and not slot.is_own]
    owners += [rig.holder_of(None, prefix) for slot in slots for prefix in slot.holders]
    return [reason for other in owners if other is not None and (reason := not_assignable(other))]


def write_plan(plan: Plan, into: Any | None = None) -> BakeReport:
    """Write a planned transition as an action, keep what must not vanish, assign it if asked."""
    made_of = [clip.action for clip in plan.clips]
    if into is not None and not into.is_editable:
        raise InertiaError(
            '"{action}" is linked from another file and can\'t be updated; bake a new one.',
            action=into.name,
        )
    if into is not None and into in made_of:
        raise InertiaError('"{action}" cannot be its own source; bake a new action.', action=into.name)
    if plan.settings.strips:
        return _write_strips(plan, into)
    # what bones show that the result does not key, whatever has played before
    standing = [
        (slot, unkeyed.of_bones(slot.owner) if getattr(slot.owner, "pose", None) else None)
        for slot in apart(plan.slots)
        if _is_assigned(slot, plan)
    ]
    action = bpy.data.actions.new(_name(plan))
    try:
        keys = _write_action(action, plan)
    except BaseException:
        # an interrupt, too, leaves the file as it was
        bpy.data.actions.remove(action)
        raise
    if into is not None:
        # what can go wrong went wrong with the new action, while the old one was whole
        bpy.data.actions.remove(action)
        action = into
        compat.clear(into, [slot.slot for slot in apart(plan.slots)])
        _write_action(into, plan)
        action.update_tag()
    before, _ = compat.assigned(plan.armature)
    for kept in (*made_of, before, action):
        recipe.keep(kept)
    unkeyed.keep(plan.armature)
    reason = not_assignable(plan.armature) if plan.settings.assign else ""
    assigned = plan.settings.assign and not reason
    for slot, poses in standing if assigned else ():
        _assign(slot, action, poses)
    return _report(plan, action, keys, assigned, reason)


def _name(plan: Plan) -> str:
    """Return the name of a new result."""
    if plan.settings.smooth_jump and not plan.settings.result:
        return f"{plan.clips[0].action.name} smoothed"
    return plan.settings.result or " to ".join(clip.action.name for clip in plan.clips)


def _write_strips(plan: Plan, into: Any | None) -> BakeReport:
    """Write a planned transition as strips; see :func:`write_plan`."""
    planned = strips.layered(apart(plan.slots), plan.clips, plan.settings, into)
    offsets = planned.slots_in(strips.OFFSET)
    posed = [slot for slot, _ in planned.by_owner if getattr(slot.owner, "pose", None)]
    standing = [(slot, unkeyed.of_bones(slot.owner)) for slot in posed if plan.settings.assign]
    action = bpy.data.actions.new(_name(plan))
    try:
        _write_action(action, plan, offsets)
        written = strips.write_parts(action, planned)
    except BaseException:
        # an interrupt, too, leaves no track behind
        tracks.remove(action)
        raise
    below: dict[Any, Any | None] = {}
    if into is not None:
        below = tracks.take_away(into)
        tracks.hand_over(action, into)
        compat.clear(into, [slot.slot for slot in offsets])
        _write_action(into, plan, offsets)
        action = written[strips.OFFSET] = into
    strips.name_parts(action.name, written)
    for kept in (*(clip.action for clip in plan.clips), *written.values()):
        recipe.keep(kept)
    unkeyed.keep(plan.armature)
    strips.play(plan.settings, planned, written, below)
    for slot, poses in standing:
        unkeyed.settle(slot.owner, poses, set(slot.curves))
    keys = sum(actions.key_count(each) for each in written.values())
    report = _report(plan, action, keys, plan.settings.assign, "")
    return dataclasses.replace(report, notes=(*report.notes, *strips.notes(planned)))


def of_strips(plan: Plan) -> tuple[str, ...]:
    """Say what there is to know of a plan's strips, if it asks for strips; raise InertiaError if it can't
    play.
    """
    if not plan.settings.strips:
        return ()
    return strips.notes(strips.layered(apart(plan.slots), plan.clips, plan.settings, None))


def _write_action(action: Any, plan: Plan, slots: Iterable[SlotPlan] | None = None) -> int:
    """Write slots, all by default, and the recipe; returns the number of keys."""
    if slots is None:
        keys = writing.write_slots(action, plan.slots, plan.settings.shift)
    else:
        keys = writing.write_slots(action, slots)
    markers.write(action, markers.shift(plan.markers, plan.settings.shift))
    source, destination = (clip.action for clip in plan.clips)
    recipe.store(action, plan.armature, plan.settings, source, destination, recipe.digest(*plan.keyed))
    return keys


def _is_assigned(slot: SlotPlan, plan: Plan) -> bool:
    """Tell whether what a slot animates gets the result, if the armature does."""
    if not plan.settings.assign or slot.owner is None or not_assignable(slot.owner):
        return False
    return slot.is_own or plan.settings.assign_others


def _assign(slot: SlotPlan, action: Any, standing: Mapping[Address, float] | None) -> None:
    """Let the result animate what a slot is for. standing: of an armature, see :func:`unkeyed.of_bones`."""
    recipe.keep(compat.assigned(slot.owner)[0])
    if standing is not None:
        unkeyed.keep(slot.owner)
        unkeyed.settle(slot.owner, standing, set(slot.curves))
    compat.assign(slot.owner, action, slot.slot.identifier)


def report_of(plan: Plan, action: Any) -> BakeReport:
    """Return the report of a plan that an action stands for, without writing the plan."""
    made = (one for slot in plan.slots for one in slot.curves.values())
    keys = sum(len(one.keys if isinstance(one, ActionCurve) else one) for one in made)
    return _report(plan, action, keys, False, "")


def _report(plan: Plan, action: Any, keys: int, assigned: bool, reason: str) -> BakeReport:
    curves = [made for slot in plan.slots for made in slot.composed.values()]
    frames = [float(made.co[i, 0]) for made in curves for i in (0, -1)] or [plan.settings.cut]
    x, y, z = map(float, plan.alignment.translation)
    shift = plan.settings.shift
    return BakeReport(
        result=action.name,
        armature=plan.armature.name,
        slot=plan.slots[0].slot.identifier,
        assigned=assigned,
        not_assigned_because=reason,
        fps=plan.fps,
        window=(plan.settings.cut + shift, max(slot.last_frame for slot in plan.slots) + shift),
        until=plan.until + shift,
        frame_range=(min(frames) + shift, max(frames) + shift),
        alignment=plan.alignment.kind,
        root="" if plan.root.name == OBJECT_ROOT else plan.root.name,
        heading_degrees=math.degrees(plan.alignment.heading),
        translation=(x, y, z),
        bones=plan.bones,
        channels=sum(len(slot.curves) for slot in plan.slots),
        offsets=sum(slot.offsets for slot in plan.slots),
        keys=keys,
        guarded=tuple(note for slot in plan.slots for note in slot.guarded),
        baked_curves=tuple(note for slot in plan.slots for note in slot.baked),
        unkeyed=plan.unkeyed,
        warnings=plan.warnings,
        notes=plan.notes,
        markers=markers.shift(plan.markers, shift),
        settings=plan.settings.as_dict(),
    )
