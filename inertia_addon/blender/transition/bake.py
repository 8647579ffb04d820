# SPDX-License-Identifier: GPL-3.0-or-later
"""The main job: two actions in, their transition out as a third.

Everything is read, checked and computed before anything is written, so that a failure leaves the
file as it was.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
from collections.abc import Generator, Mapping
from typing import Any

import bpy
import numpy as np

from ...errors import InertiaError, Sentence
from ...motion.skeleton.posing import Frame
from ...motion.steps import finish
from ...settings import fields, methods
from ...settings.transition import OBJECT_ROOT, TransitionSettings
from ..data import actions, clip_store, compat, recipe, rig, rigs, roots, scene, unkeyed
from ..data.actions import Address, Clip
from ..data.channels import Matching, match
from ..evaluation import plain, playback, root_path
from . import alignment as alignments
from . import holding, pieces, preflight
from .alignment import Alignment
from .compose import Joining, SlotPlan, compose
from .report import BakeReport, UnkeyedChannel


@dataclasses.dataclass
class Plan:
    """A transition, computed and not yet written. clips: its two actions, read. bones: how many take part."""

    armature: Any
    clips: tuple[Clip, Clip]
    settings: TransitionSettings
    fps: float
    alignment: Alignment
    root: roots.Root
    slots: list[SlotPlan]
    warnings: tuple[str, ...]
    unkeyed: tuple[UnkeyedChannel, ...]
    digest: str
    bones: int


def bake_transition(
    armature: Any, settings: TransitionSettings, into: Any | None = None, cross_fade: bool = False
) -> BakeReport:
    """Bake an inertialized transition between two actions of an armature.

    armature: the armature object. settings: see TransitionSettings. into: an earlier result to
    make anew in place; None for a new action. cross_fade: mix the two poses in place of letting an
    offset decay, to compare. Raises InertiaError with the file as it was.
    """
    return write_plan(plan_transition(armature, settings, cross_fade), into)


def plan_transition(
    armature: Any, settings: TransitionSettings, cross_fade: bool = False, play: bool = True
) -> Plan:
    """Compute a transition without changing anything; see :func:`bake_transition`.

    play: have Blender show both clips where constraints act on the rig. Without, as in a panel that is
    drawn, which may not, what constraints do is taken as none.
    """
    return finish(planning(armature, settings, cross_fade, play))


def planning(
    armature: Any, settings: TransitionSettings, cross_fade: bool = False, play: bool = True
) -> Generator[float, None, Plan]:
    """As :func:`plan_transition`, in steps while the clips are read; yields the part that is done."""
    source, destination = yield from clip_store.reading_named(armature, settings.ends())
    return plan_clips(armature, settings, source, destination, cross_fade, play)


def plan_clips(
    armature: Any,
    settings: TransitionSettings,
    source: Clip,
    destination: Clip,
    cross_fade: bool = False,
    play: bool = True,
) -> Plan:
    """As :func:`plan_transition`, of clips of the store, see :mod:`clip_store`."""
    settings = preflight.resolved(settings, source, destination)
    assert settings.destination_frame is not None
    read_rig, unit = rigs.read(armature), scene.metres_per_unit()
    root, kind = preflight.carried(read_rig, settings, (source, destination))
    taking_part = preflight.chosen_bones(read_rig, settings)
    meeting = (source, settings.cut, destination, settings.destination_frame)
    play = play and bool(plain.why_not_plain(armature, (source, destination)))
    why_not = _why_not_played(armature) if play else ""
    if play and not why_not:
        alignment = alignments.played(armature, read_rig, root, kind, *meeting)
    else:
        alignment = alignments.align(read_rig, root, kind, *meeting)
    world = root_path.object_matrices(read_rig, source, np.array([settings.cut]))[0]
    joining = Joining(
        source,
        destination,
        settings.cut,
        settings.destination_frame,
        scene.fps(),
        settings,
        alignment,
        read_rig.frame.scale * unit or 1.0,
        Frame(world, world[:3, 3], world[0]).scale * unit or 1.0,
        blend_scales(armature, settings),
        cross_fade or settings.decay is None,
        settings.decay is None and not cross_fade,
    )
    matching = match(
        armature, source, destination, joining.cut, joining.destination_frame, alignment.carriers
    )
    switching = holding.switches(armature, matching.channels, joining.cut, joining.destination_frame)
    window = pieces.whole_frames(joining.cut, joining.cut + joining.longest * joining.fps) - joining.later
    over = holding.steered(armature, matching.channels, joining.cut, window)
    if taking_part is not None:
        switching = {at: to for at, to in switching.items() if rig.split_path(at[0])[0] in taking_part}
        over = {at: to for at, to in over.items() if rig.split_path(at[0])[0] in taking_part}
    if play and not why_not and (switching or over):
        keyed = {ch.bone for ch in matching.channels if ch.bone is not None and ch.kind != "value"}
        held = holding.held(armature, joining.clips, joining.around, switching, over, keyed)
        joining = dataclasses.replace(joining, held=held)
        carried = {*alignment.carriers, *held.own, *held.entered}
        matching = match(armature, source, destination, joining.cut, joining.destination_frame, carried)
    jumping = {*switching, *joining.held.switches}
    channels = tuple(
        dataclasses.replace(ch, discrete=True) if ch.destination.addresses[0] in jumping else ch
        for ch in matching.channels
    )
    matching = dataclasses.replace(matching, channels=channels)
    slots = [_slot_plan(joining, matching, armature, taking_part)]
    if taking_part is None:
        slots += _other_slots(armature, joining)
    bones = {ch.bone for ch in matching.channels} - {None}
    lone = preflight.unkeyed_channels(armature, joining)
    return Plan(
        armature,
        (source, destination),
        settings,
        joining.fps,
        alignment,
        root,
        slots,
        (
            *preflight.warnings(armature, read_rig, joining, matching, root, lone),
            *preflight.unplayed(armature, why_not),
        ),
        lone,
        recipe.digest(source, destination),
        len(bones if taking_part is None else bones & taking_part),
    )


def _why_not_played(armature: Any) -> str:
    """Why Blender can't show clips on an armature, "" where it can."""
    try:
        playback.check(armature, bpy.context.scene, bpy.context.view_layer)
    except InertiaError as error:
        return error.sentence
    return ""


def blend_scales(armature: Any, settings: TransitionSettings) -> dict[str, float]:
    """The multiplier of each bone's blend time: the settings' own, else the pose bone's.

    Raises InertiaError for a bone that is not there, and for one whose blend would be too long for a setting.
    """
    scales = {bone.name: recipe.bone_scale(bone) for bone in armature.pose.bones}
    for name, scale in settings.blend_scales:
        if name not in scales:
            raise InertiaError(
                '"{armature}" has no bone "{bone}" to scale the blend time of.',
                armature=armature.name,
                bone=name,
            )
        scales[name] = scale
    length = methods.length(settings.method)
    value = settings.half_life if length == "half_life" else settings.frames(scene.fps())
    allowed, label = fields.of(TransitionSettings, length), fields.settings(TransitionSettings)[length].label
    for name, scale in scales.items():
        if scale > 1.0:
            allowed.check(Sentence('scaled {label} of "{name}"', label=label, name=name), value * scale)
    return scales


def _slot_plan(
    joining: Joining, matching: Matching, owner: Any | None, taking_part: set[str] | None
) -> SlotPlan:
    groups = {
        address: curve.group
        for clip in (joining.destination, joining.source)
        for address, curve in clip.curves.items()
    }
    plan = SlotPlan(joining.source.slot, owner, groups, joining.cut)
    if taking_part is not None:
        for address, curve in joining.source.curves.items():
            bone, prop = rig.split_path(address[0])
            dropped = (bone, prop) in matching.ignored or bone in matching.missing
            if bone not in taking_part and not dropped:
                plan.copied[address] = curve
    compose(joining, [ch for ch in matching.channels if taking_part is None or ch.bone in taking_part], plan)
    return plan


def _other_slots(armature: Any, joining: Joining) -> list[SlotPlan]:
    """The slots besides the armature's own: shape keys, and other objects of the same actions."""
    ends = {"source": joining.source, "destination": joining.destination}
    main = {clip.slot.identifier for clip in ends.values()}
    found: dict[str, dict[str, Clip]] = {}
    for side, clip in ends.items():
        for one in actions.beside(clip.action, clip.slot):
            if one.curves and one.slot.identifier not in main:
                found.setdefault(one.slot.identifier, {})[side] = one
    plans = []
    for sides in found.values():
        slot = next(iter(sides.values())).slot
        owner = recipe.slot_owner(armature, slot)
        is_posed = owner is not None and getattr(owner, "pose", None) is not None
        clips = []
        for side, clip in ends.items():
            mine = sides.get(side, dataclasses.replace(clip, slot=slot, curves={}, muted=(), unkeyed=None))
            clips.append(unkeyed.completed(owner, mine) if is_posed else mine)
        other = dataclasses.replace(
            joining,
            source=clips[0],
            destination=clips[1],
            alignment=Alignment("NONE"),
            bone_metres=joining.metres,
            blend_scales={},
        )
        matching = match(owner, other.source, other.destination, other.cut, other.destination_frame)
        plans.append(dataclasses.replace(_slot_plan(other, matching, owner, None), slot=slot))
    return plans


def write_plan(plan: Plan, into: Any | None = None) -> BakeReport:
    """Write a planned transition as an action, keep what must not vanish, assign it if asked."""
    made_of = [clip.action for clip in plan.clips]
    if into is not None and not into.is_editable:
        raise InertiaError(
            '"{action}" is linked from another file and cannot be made anew; bake a new one.',
            action=into.name,
        )
    if into is not None and into in made_of:
        raise InertiaError('"{action}" cannot be its own source; bake a new action.', action=into.name)
    standing = unkeyed.of(plan.armature)
    usual = " to ".join(used.name for used in made_of)
    action = bpy.data.actions.new(plan.settings.result or usual)
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
        compat.clear(into, [slot.slot for slot in plan.slots])
        _write_action(into, plan)
        action.update_tag()
    before, _ = compat.assigned(plan.armature)
    for kept in (*made_of, before, action):
        recipe.keep(kept)
    unkeyed.keep(plan.armature)
    assigned, reason = _assign(plan, action, standing)
    return _report(plan, action, keys, assigned, reason)


def _write_action(action: Any, plan: Plan) -> int:
    """Write all slots and the recipe; returns the number of keys."""
    keys = sum(_write_slot(action, slot) for slot in plan.slots)
    source, destination = (clip.action for clip in plan.clips)
    recipe.store(action, plan.armature, plan.settings, source, destination, plan.digest)
    return keys


def _write_slot(action: Any, plan: SlotPlan) -> int:
    """Write one slot's curves; returns the number of keys."""
    bag = compat.new_bag(action, plan.slot)
    groups: dict[str, Any] = {}
    count = 0
    order = {address: i for i, address in enumerate(plan.groups)}
    # to set a rotation mode converts the rotation, so it must come before its keys
    written = sorted(
        plan.curves.items(),
        key=lambda item: (not item[0][0].endswith("rotation_mode"), order.get(item[0], len(order))),
    )
    for address, made in written:
        bone, prop = rig.split_path(address[0])
        group = plan.groups.get(address) or bone or ""
        if group and group not in groups:
            groups[group] = bag.groups.new(group)
        keys = made.keys if isinstance(made, actions.Curve) else made
        fcurve = actions.write(bag, address, keys, groups.get(group))
        if isinstance(made, actions.Curve):
            actions.copy_modifiers(made.fcurve, fcurve)
        if plan.owner is not None and prop not in ("location", "scale"):
            # a property that is gone has no kind to find out; its curve is kept for when it is back
            with contextlib.suppress(RuntimeError):
                fcurve.update_autoflags(plan.owner)
        count += len(keys)
    return count


def _assign(plan: Plan, action: Any, standing: Mapping[Address, float]) -> tuple[bool, str]:
    """Assign the result, and its other slots to what they animate; says why not where it can't.

    standing: what the bones' channels show that it does not key, whatever has played before.
    """
    if not plan.settings.assign:
        return False, ""
    armature = plan.armature
    if not armature.is_editable:
        return False, Sentence(
            '"{armature}" is linked from another file, so the result is made but not assigned; make a '
            "library override of the armature to use it.",
            armature=armature.name,
        )
    if _is_tweaked(armature):
        return False, Sentence(
            '"{armature}" has a strip in tweak mode, so the result is made but not assigned; leave '
            "tweak mode in the NLA Editor to use it.",
            armature=armature.name,
        )
    unkeyed.settle(armature, standing, set(plan.slots[0].curves))
    compat.assign(armature, action, plan.slots[0].slot.identifier)
    for slot in plan.slots[1:]:
        if slot.owner is None or not slot.owner.is_editable or _is_tweaked(slot.owner):
            continue
        if recipe.follows(slot.owner, armature):
            recipe.keep(compat.assigned(slot.owner)[0])
            compat.assign(slot.owner, action, slot.slot.identifier)
    return True, ""


def _is_tweaked(data: Any) -> bool:
    """Whether an NLA strip of a data-block is being edited, which locks its action."""
    return data.animation_data is not None and bool(data.animation_data.use_tweak_mode)


def _report(plan: Plan, action: Any, keys: int, assigned: bool, reason: str) -> BakeReport:
    curves = [made for slot in plan.slots for made in slot.composed.values()]
    frames = [float(made.co[i, 0]) for made in curves for i in (0, -1)] or [plan.settings.cut]
    x, y, z = map(float, plan.alignment.translation)
    return BakeReport(
        result=action.name,
        armature=plan.armature.name,
        slot=plan.slots[0].slot.identifier,
        assigned=assigned,
        not_assigned_because=reason,
        fps=plan.fps,
        window=(plan.settings.cut, max(slot.last_frame for slot in plan.slots)),
        frame_range=(min(frames), max(frames)),
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
        settings=plan.settings.as_dict(),
    )
