# SPDX-License-Identifier: GPL-3.0-or-later
"""The main job: two actions in, their transition out as a third.

Everything is read, checked and computed before anything is written, so that a failure leaves the
file as it was.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping
from typing import Any

import bpy

from ...errors import InertiaError, Sentence
from ...motion.steps import Steps, finish, part
from ...records import record
from ...settings import fields, methods
from ...settings.transition import OBJECT_ROOT, TransitionSettings
from ..data import actions, clip_store, compat, markers, recipe, rig, roots, unkeyed
from ..data.actions import ActionCurve, Address, Clip, Marker
from ..data.channels import match
from ..data.rig import not_assignable
from ..evaluation import joint_motion
from ..evaluation.character import Character, CharacterPoser, read_character
from ..feet import locking
from ..judging import remedies, verdict
from ..judging.played import Footage, Played, as_clip
from ..judging.remedies import Remedy
from ..judging.verdict import Verdict
from ..nla import tracks
from . import (
    clip_excerpts,
    companion_slots,
    elsewhere,
    jumps,
    misplaced,
    parts,
    preflight,
    selecting,
    stepping,
    strips,
    writing,
)
from .alignment import Alignment, RootedRig
from .companion_slots import Company
from .feet_choice import FeetChoice, choose_feet_steps
from .joining import Joining
from .meeting import TO_BAKE, Meeting, PlanOptions, meet_clips
from .misplaced import Misplaced
from .report import BakeReport, UnkeyedChannel
from .selecting import Scales
from .slot_plan import SlotPlan, separate_holders
from .warping import Warping

READING = 0.3
"""About what part of planning it is to read the clips."""
SUGGESTING = 0.9
"""About what part of planning it is to look for a blend time."""


@record
class Plan:
    """A transition, computed and not yet written. clips: its two actions, read; keyed: without repetitions of
    cycles. bones: how many take part.

    slots: the armature's own, then those of what comes along; notes: who that is. feet: what was done about
    them. footage: what was looked at of the two clips. verdict: on it, where it is known by now.
    warp: how the destination was warped, None for not at all.
    """

    character: Character
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
    verdict: Verdict | None = None
    warp: Warping | None = None

    @property
    def armature(self) -> Any:
        """The armature object itself."""
        return self.character.armature

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
        """What the plan shows, to be judged: the clips, the result's curves and its frames, a warp and locked
        feet included.
        """
        character, motion = self.slots[0], self.alignment.motion
        ends = character.last_frame, max(character.last_frame, self.feet.last)
        shown = as_clip(self.clips, character.curves, ends[1])
        played = Played(
            self.character,
            self.clips,
            self.settings,
            self.fps,
            motion,
            self.root,
            shown,
            ends[0],
            ends[1],
            self.footage,
            self.verdict,
            is_planned=True,
        )
        return parts.with_warp(played, self.warp)


def bake_transition(
    armature: Any,
    settings: TransitionSettings,
    into: Any | None = None,
    options: PlanOptions = TO_BAKE,
) -> BakeReport:
    """Bake an inertialized transition between two actions of an armature.

    armature: the armature object. settings: see TransitionSettings. into: an earlier result to
    make anew in place; None for a new action. Raise InertiaError with the file as it was.
    """
    return write_plan(plan_transition(armature, settings, options), into)


def plan_transition(armature: Any, settings: TransitionSettings, options: PlanOptions = TO_BAKE) -> Plan:
    """Plan a transition between the actions that settings name, without changing anything.

    See :func:`bake_transition`. A panel that is drawn may not play the rig (:attr:`PlanOptions.may_play`);
    then what constraints do is taken for none.
    """
    return finish(plan_transition_steps(armature, settings, options))


def plan_transition_steps(
    armature: Any, settings: TransitionSettings, options: PlanOptions = TO_BAKE
) -> Steps[Plan]:
    """Read a transition's clips, and plan it as :func:`plan_transition` does, in steps; return the plan;
    yield the part that is done, 0 to 1.
    """
    character = read_character(armature, may_play=options.may_play)
    footage = options.footage
    read_slot = actions.read_clip_steps if footage is None else footage.reading
    steps = clip_store.read_named_steps(armature, settings.ends(), read_slot)
    source, destination = yield from part(steps, 0.0, READING)
    clips = [joint_motion.with_teleports(character, clip) for clip in (source, destination)]
    if footage is not None:
        footage.keep_teleports(clips)
    steps_of_plan = plan_clips_steps(character, settings, source, destination, options)
    return (yield from part(steps_of_plan, READING, 1.0))


def plan_clips(
    character: Character,
    settings: TransitionSettings,
    source: Clip,
    destination: Clip,
    options: PlanOptions = TO_BAKE,
) -> Plan:
    """Plan a transition as :func:`plan_transition` does, between clips of the store, see
    :mod:`clip_store`.
    """
    return finish(plan_clips_steps(character, settings, source, destination, options))


def plan_clips_steps(
    character: Character,
    settings: TransitionSettings,
    source: Clip,
    destination: Clip,
    options: PlanOptions = TO_BAKE,
) -> Steps[Plan]:
    """Plan a transition as :func:`plan_clips` does, in steps; return the plan; yield the part that is done, 0
    to 1. With options.is_only_judged companions and warnings are left out.
    """
    if settings.suggest_blend_time:
        tried = dataclasses.replace(options, constants={}, rig=None)
        suggested = suggest_blend_steps(character, settings, source, destination, tried)
        settings = yield from part(suggested, 0.0, SUGGESTING)
    if settings.smooth_jump:
        return _plan_jump(character, settings, source, hard_cut=options.hard_cut)
    scales = blend_scales(character, settings, options.footage)
    yield 0.0
    meeting = meet_clips(character, settings, (source, destination), scales, options)
    yield 0.2
    steps = parts.plan_slot_steps(meeting.joining, meeting.matching, character.armature, meeting.taking_part)
    own_slot = yield from part(steps, 0.2, 0.4)
    own_slot.baked += meeting.warp_baked
    choice = yield from part(choose_feet_steps(meeting, own_slot), 0.4, 0.8)
    yield 0.8
    plan = _plan_of(meeting, own_slot, choice)
    return plan if options.is_only_judged else _complete(plan, meeting)


def _plan_of(meeting: Meeting, own_slot: SlotPlan, choice: FeetChoice) -> Plan:
    """Return the plan of a character alone, as it is judged."""
    joining = meeting.joining
    return Plan(
        meeting.character,
        joining.clips,
        joining.settings,
        joining.fps,
        joining.alignment,
        meeting.root,
        [own_slot],
        keyed=meeting.keyed,
        feet=choice.feet,
        footage=meeting.footage,
        verdict=choice.verdict,
        warp=joining.warp,
    )


def _complete(plan: Plan, meeting: Meeting) -> Plan:
    """Return a plan with whoever comes along, and with what an animator should know before it is baked."""
    armature, joining, taking_part = meeting.armature, meeting.joining, meeting.taking_part
    company = Company()
    if taking_part is None or not taking_part.is_of_bones:
        company = companion_slots.plan(meeting.character, meeting.root, joining, taking_part=taking_part)
    slots = [*plan.slots, *company.slots]
    bones = {ch.bone for ch in meeting.matching.channels} - {None}
    hidden = preflight.NONE_HIDDEN
    if meeting.poser.is_playing:
        hidden = preflight.hidden_controls(armature, joining, meeting.matching)
    lone = preflight.unkeyed_channels(armature, joining, hidden)
    return dataclasses.replace(
        plan,
        slots=slots,
        warnings=(
            *(() if joining.warp is None else joining.warp.warnings),
            *(each.sentence for each in plan.misplaced),
            *preflight.warnings(meeting.rooted, joining, meeting.matching, lone, hidden),
            *preflight.unplayed(plan.character, meeting.poser.why_not),
            *elsewhere.carried_elsewhere(armature, plan.clips),
            *company.warnings,
            *_unassigned(slots, plan.settings),
        ),
        notes=(
            *clip_store.describe_renaming(meeting.keyed),
            *clip_store.describe_partners(meeting.armature, meeting.keyed),
            *plan.feet.notes,
            *company.notes,
        ),
        unkeyed=lone,
        bones=len(bones if taking_part is None else bones & taking_part.bones),
    )


def judge_steps(planning: Steps[Plan]) -> Steps[Verdict]:
    """Return the verdict on the transition that some steps plan; yield the part that is done of them."""
    plan = yield from planning
    return (yield from verdict.of_played(plan.evidence))


def suggest_blend_steps(
    character: Character, settings: TransitionSettings, source: Clip, destination: Clip, options: PlanOptions
) -> Steps[TransitionSettings]:
    """Return settings with the blend time, of a spring the half-life, that looks best, of clips of the store,
    and suggest_blend_time off; yield the part that is done.

    Raise InertiaError as :func:`remedies.suggested` does. options: of each plan that is judged. What is far
    from the meeting is not looked at.
    """

    def judge(asked: TransitionSettings) -> Steps[Verdict]:
        nearby_settings = near.complete_settings(asked)
        return judge_steps(plan_clips_steps(character, nearby_settings, source, destination, options))

    asked = dataclasses.replace(settings, suggest_blend_time=False)
    clips = (source, destination)
    near = cut_excerpts(character, asked, clips, character.find_poser(clips))
    source, destination = near.clips
    suggested, _ = yield from remedies.suggested(asked, judge, character.fps)
    return suggested


def cut_excerpts(
    character: Character,
    settings: TransitionSettings,
    clips: tuple[Clip, Clip],
    poser: CharacterPoser,
    footage: Footage | None = None,
) -> clip_excerpts.Excerpts:
    """Cut out of the clips of a transition what is around their meeting, to judge changes of settings, see
    :func:`clip_excerpts.around`; return clips that Blender plays whole, as it shows no more of them than is
    looked at.

    footage: of the two clips, as :func:`blend_scales` takes it.
    """
    if poser.is_played:
        return clip_excerpts.Excerpts(clips, {})
    return clip_excerpts.around(character, settings, clips, blend_scales(character, settings, footage))


def find_remedies_steps(plan: Plan, judged: Verdict) -> Steps[tuple[Remedy, ...]]:
    """Find what helps a planned transition, the best first; yield the part that is done.

    judged: the verdict on it. Of a character that Blender has to play only a few changes are tried. What
    mends a misplaced cut or entry is tried with each.
    """

    poser = plan.character.find_poser(plan.clips)
    footage, asked = plan.footage, plan.settings
    footage.is_of_one = False
    # what of the file is referred to may be gone with the first slice
    near = cut_excerpts(plan.character, asked, plan.keyed, poser)
    if not poser.is_played:
        footage = footage.nearby(plan.keyed, near.clips)
    most = remedies.PLAYED if poser.is_played else None

    def judge(changed: TransitionSettings) -> Steps[Verdict]:
        nearby_settings = near.complete_settings(changed)
        options = PlanOptions(may_play=plan.character.may_play, footage=footage, constants={})
        return judge_steps(plan_transition_steps(plan.armature, nearby_settings, options))

    mended = asked
    for each in plan.misplaced:
        mended = each.mended(mended)
    return (yield from remedies.find_helping_steps(asked, judged, judge, plan.fps, most, mended))


def _plan_jump(character: Character, settings: TransitionSettings, clip: Clip, *, hard_cut: bool) -> Plan:
    """Plan the two sides of the jump at the cut in one clip as :func:`plan_clips` plans two clips.

    hard_cut: let nothing blend, to compare. Raise InertiaError for a warp, two actions, a scale, or no jump
    there.
    """
    if settings.warps:
        raise InertiaError(
            "Smoothing a jump moves nothing, so it can't be combined with a warp; bake without a warp."
        )
    if settings.ends()[0] != settings.ends()[1]:
        raise InertiaError(
            'A jump is smoothed within one action, not between "{source}" and "{destination}"; name it as '
            "both.",
            source=settings.source,
            destination=settings.destination,
        )
    if (settings.source_scale, settings.destination_scale) != (1.0, 1.0):
        raise InertiaError("Smoothing a jump works on the action as it is keyed; set both scales to 1.")
    selecting.check(character.armature, settings, (clip,))
    read_rig = character.rig
    metres, bone_metres = parts.lengths(read_rig, clip, settings.cut)
    jump = jumps.find(character.armature, clip, settings.cut, bone_metres, metres)
    at = jump.frame
    settings = dataclasses.replace(settings, cut=at, destination_frame=at, alignment="NONE")
    alignment, scales = Alignment("NONE"), blend_scales(character, settings)
    joining = Joining(
        clip,
        clip,
        settings,
        character.fps,
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
    matching = match(character.armature, clip, clip, at, at)
    warned = preflight.warnings(RootedRig(character, read_rig, root, is_played=False), joining, matching, ())
    bones = {ch.bone for _, channels in jump.slots[:1] for ch in channels} - {None}
    return Plan(
        character,
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


def blend_scales(
    character: Character, settings: TransitionSettings, footage: Footage | None = None
) -> Scales:
    """Return the multipliers of blend times: the settings' own, else the pose bone's.

    footage: of the two clips, with which those of pose bones are looked at but once; None to look now. Raise
    InertiaError for one above 1 with which the blend would be too long for a setting, also where the settings
    replace it.
    """

    def look_at_bones() -> Mapping[str, float]:
        return {bone.name: recipe.bone_scale(bone) for bone in character.armature.pose.bones}

    scales = look_at_bones() if footage is None else footage.once("blend scales", look_at_bones)
    length = methods.length(settings.method)
    value = settings.half_life if length == "half_life" else settings.frames(character.fps)
    allowed, label = (
        fields.range_of(TransitionSettings, length),
        fields.settings(TransitionSettings)[length].label,
    )
    for name, scale in (*scales.items(), *settings.blend_scales):
        if scale > 1.0:
            allowed.check(Sentence('scaled {label} of "{name}"', label=label, name=name), value * scale)
    return Scales(scales, settings.blend_scales)


def _unassigned(slots: Iterable[SlotPlan], settings: TransitionSettings) -> list[str]:
    """Return sentences that say why others, and what carries a character, do not get the result assigned that
    shall have it; [] if nothing is to be assigned.
    """
    if not settings.assign:
        return []
    owners = [slot.owner for slot in slots if settings.assign_others and not slot.is_own]
    owners += [rig.holder_of(None, prefix) for slot in slots for prefix in slot.holders]
    return [reason for other in owners if other is not None and (reason := not_assignable(other))]


def write_plan(plan: Plan, into: Any | None = None, *, spends_plan: bool = False) -> BakeReport:
    """Write a planned transition as an action or as strips, keep what must not vanish, assign it if asked,
    and return a report.

    into: an earlier result to write into, None for a new action. spends_plan: let go of each curve of
    a new action, and of the keys that it was made of, when it is written, as millions of keys fill memory;
    neither the plan nor its clips and footage can be used from then on. Raise InertiaError with the file as
    it was.
    """
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
        for slot in separate_holders(plan.slots)
        if _is_assigned(slot, plan)
    ]
    action = bpy.data.actions.new(_name(plan))
    try:
        report = report_of(plan, action if into is None else into)
        _write_action(action, plan, spends_plan=spends_plan and into is None)
    except BaseException:
        # an interrupt, too, leaves the file as it was
        compat.remove_action(action)
        raise
    if into is not None:
        # what can go wrong went wrong with the new action, while the old one was whole
        compat.remove_action(action)
        action = into
        compat.clear(into, [slot.slot for slot in separate_holders(plan.slots)])
        _write_action(into, plan)
        action.update_tag()
    before, _ = compat.assigned(plan.armature)
    # Blender saves only what has a user
    for kept in (*made_of, before, action):
        recipe.keep(kept)
    unkeyed.keep(plan.armature)
    reason = not_assignable(plan.armature) if plan.settings.assign else ""
    assigned = plan.settings.assign and not reason
    # last of all, so that whatever fails above leaves playing what played
    for slot, poses in standing if assigned else ():
        _assign(slot, action, poses)
    return dataclasses.replace(report, assigned=assigned, not_assigned_because=reason)


def _name(plan: Plan) -> str:
    """Return the name of a new result: that of the settings, else the clips' as "A to B", for a smoothed jump
    "A smoothed".
    """
    if plan.settings.smooth_jump and not plan.settings.result:
        return f"{plan.clips[0].action.name} smoothed"
    return plan.settings.result or " to ".join(clip.action.name for clip in plan.clips)


def _write_strips(plan: Plan, into: Any | None) -> BakeReport:
    """Write a planned transition as strips; see :func:`write_plan`."""
    planned = strips.layered(separate_holders(plan.slots), plan.clips, plan.settings, into)
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
    report = _report(plan, action, keys, assigned=plan.settings.assign, reason="")
    return dataclasses.replace(report, notes=(*report.notes, *strips.notes(planned)))


def describe_strips(plan: Plan) -> tuple[str, ...]:
    """Return sentences on what there is to know of a plan's strips, () if it asks for none. Raise
    InertiaError if strips can't play it.
    """
    if not plan.settings.strips:
        return ()
    return strips.notes(strips.layered(separate_holders(plan.slots), plan.clips, plan.settings, None))


def _write_action(
    action: Any, plan: Plan, slots: Iterable[SlotPlan] | None = None, *, spends_plan: bool = False
) -> None:
    """Write slots and the recipe.

    slots: None for all, later by the shift that settings ask for. spends_plan: see :func:`write_plan`.
    """
    digest = recipe.digest(*plan.keyed)
    later = plan.settings.shift if slots is None else 0.0
    clips = {*plan.clips, *plan.keyed} if spends_plan else ()
    if spends_plan:
        plan.footage.forget_clips()
        for slot in plan.slots:
            # what they say is in the report by now
            slot.fadings.clear()
    writing.write_slots(action, plan.slots if slots is None else slots, later, spent_clips=clips)
    markers.write(action, markers.shift(plan.markers, plan.settings.shift))
    values = {"settings": plan.settings.as_dict(), "armature": plan.armature.name, "digest": digest}
    arrival = {recipe.ARRIVAL: plan.settings.warp_object} if plan.settings.warp_object else {}
    recipe.store(action, recipe.RECIPE, values, [clip.action for clip in plan.clips], arrival)


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
    return _report(plan, action, keys, assigned=False, reason="")


def _report(plan: Plan, action: Any, keys: int, *, assigned: bool, reason: str) -> BakeReport:
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
