# SPDX-License-Identifier: GPL-3.0-or-later
"""The clips of an armature: which actions of the open file they are, each of them read, and scaled in time.

An action fits an armature that it is assigned to, or of which it has a bone in the slot that the armature
would use, or that this slot is named after and moves. Bones that are called otherwise only by a prefix, case
or separators are the same, see :mod:`inertia_addon.motion.skeleton.twins`. Whoever names an action may have
any that says something of the armature or of an object.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import bpy
import numpy as np

from ...errors import InertiaError, Sentence
from ...motion import quaternion
from ...motion.arrays import Array
from ...motion.curves import keys as keylib
from ...motion.skeleton import twins
from ...motion.steps import Steps, finish, part
from ...settings.transition import TransitionSettings
from . import actions, compat, recipe, rig, shaped, unkeyed
from .actions import ActionCurve, Address, Clip, ClipScale, Marker, Repeated

Reading = Callable[[Any, compat.Slot], Steps[Clip]]
"""Reads a slot of an action, in steps that yield the part that is done."""

OF_OBJECTS = ("location", "rotation", "delta_location", "delta_rotation")
"""The beginnings of the properties that move an object."""
TURNED = np.radians(10.0)
"""Bones of another skeleton are turned by more at rest, in the median: not only its arms are further
apart."""


def fits(action: Any, armature: Any) -> bool:
    """Return whether an action can be played by an armature; muted curves count as all others.

    It can if it is assigned to the armature, whatever it animates. Else the slot that Blender would choose
    for the armature has to fulfil one of these: it keys a property of one of its bones; it bears the object's
    name ("OB" and the name) and keys the object's location or rotation, delta ones and the rotation mode
    included; or the armature has more than half of the bones that it keys by another name, see
    :func:`inertia_addon.motion.skeleton.twins.find`. False for an action without a slot for objects.
    """
    if compat.assigned(armature)[0] == action:
        return True
    try:
        slot = actions.choose_slot(action, armature)
    except InertiaError:
        return False  # it animates no object
    named = slot.identifier == "OB" + armature.name
    bones: dict[str, None] = {}
    for fcurve in compat.curves(action, slot.identifier):
        bone, prop = rig.split_path(fcurve.data_path)
        if bone in armature.data.bones if bone is not None else named and prop.startswith(OF_OBJECTS):
            return True
        if bone is not None:
            bones[bone] = None
    return _have_twins(armature, bones)


def _have_twins(armature: Any, bones: Collection[str]) -> bool:
    """Return whether most of some bones that an armature lacks are there by another name."""
    return bool(bones) and 2 * len(twins.find(armature.data.bones.keys(), bones)) > len(bones)


def find_fitting(armature: Any) -> list[Any]:
    """Return the actions that fit an armature, by name."""
    return [action for action in bpy.data.actions if fits(action, armature)]


def unbaked(armature: Any) -> list[Any]:
    """Return the actions that fit an armature and that Inertia has not baked, by name."""
    return [action for action in find_fitting(armature) if not recipe.is_baked(action)]


def read(armature: Any, action: Any, slot: str = "") -> Clip:
    """Read an action for an armature, see :func:`read_stored_steps`."""
    return finish(read_stored_steps(armature, action, slot))


def read_later(armature: Any, action: Any, slot: str = "") -> Clip:
    """Read an action whose keys are read as they are asked for, see :func:`actions.read_lazily_steps`."""
    return finish(read_stored_steps(armature, action, slot, actions.read_lazily_steps))


def read_stored_steps(
    armature: Any, action: Any, slot: str = "", read_slot: Reading = actions.read_clip_steps
) -> Steps[Clip]:
    """Read an action for an armature, with what it shows un-keyed; yields the part that is done, 0 to 1.

    slot: "" for the one that Blender would choose. read_slot: for those who read the same ones many times.
    Raise InertiaError for an action that says nothing of the armature, or can't be read.
    """
    rig.check_armature(armature)
    clip = yield from _read_stored_steps(armature, action, slot, read_slot)
    return unkeyed.completed(armature, clip)


def _read_stored_steps(armature: Any, action: Any, slot: str, read_slot: Reading) -> Steps[Clip]:
    clip = yield from read_slot(action, actions.choose_slot(action, armature, slot))
    clip = _with_own_names(armature, clip)
    check(armature, clip)
    return with_holders(armature, clip)


def with_holders(armature: Any, clip: Clip) -> Clip:
    """Return a clip with the channels of the objects that carry the armature, each path behind its object's
    prefix, and with these objects as ``holders``: slots by prefix, None for one that stands.

    A carrier's channels come from its slot of the clip's action, or, without one, from an action of its own
    that :func:`find_partner` finds; ``partners`` then has that action's name by the prefix. A carrier without
    either is noted as standing, unless an action plays on it that is neither the armature's nor a partner of
    one of these: then it is left out. So is one whose slot keys bones, as that is a character of its own. A
    clip that has ``holders`` or ``others`` already is returned as it is, and so is one of an armature that
    nothing carries.
    """
    if clip.holders or clip.others is not None:
        return clip
    parents, holders, curves = rig.find_holders(armature), {}, dict(clip.curves)
    partners: dict[str, str] = {}
    slots = [slot for slot in compat.slots(clip.action) if slot.identifier != clip.slot.identifier]
    owners = {slot.identifier: recipe.slot_owner(armature, slot, [clip.action]) for slot in slots}
    for parent in parents:
        prefix = rig.holder_prefix(parent.name)
        slot = next((slot for slot in slots if owners[slot.identifier] == parent), None)
        if slot is not None:
            of_parent = actions.read(clip.action, slot).curves
            if any(rig.split_path(path)[0] is not None for path, _ in of_parent):
                continue  # a character of its own, with a transition of its own
            curves |= {(prefix + path, index): curve for (path, index), curve in of_parent.items()}
        elif (partner := find_partner(clip.action, parent)) is not None:
            slot, of_partner = compat.name_slot(parent), _read_by_value(partner, parent)
            curves |= {(prefix + path, index): curve for (path, index), curve in of_partner.items()}
            partners[prefix] = partner.name
        elif not _stands(parent, armature):
            continue
        holders[prefix] = slot
    if not any(holders.values()):
        return clip if not holders else dataclasses.replace(clip, holders=holders)
    return dataclasses.replace(clip, curves=curves, holders=holders, partners=partners)


def find_partner(action: Any, holder: Any) -> Any | None:
    """Return the action that moves an object while another action plays on the armature that it carries; None
    where none has the name for it, or several have.

    The name is that of the action and the object's, in either order, with or without "action" behind both;
    only letters and digits count, in any case: "Walk Mover", "Mover|Walk" and "WalkMoverAction" for the
    action "Walk" and the object "Mover". Only actions count that key the object's location or rotation and no
    bone, and that Inertia has not baked.
    """
    own, other = _simplify_name(action.name), _simplify_name(holder.name)
    wanted = {own + other, other + own, own + other + "action", other + own + "action"}
    named = [each for each in bpy.data.actions if each != action and _simplify_name(each.name) in wanted]
    found = [each for each in named if not recipe.is_baked(each) and _moves_object_alone(each, holder)]
    return found[0] if len(found) == 1 else None


def _simplify_name(name: str) -> str:
    """Return the letters and digits of a name, in one case."""
    return "".join(filter(str.isalnum, name)).casefold()


def _moves_object_alone(action: Any, holder: Any) -> bool:
    """Return whether an action keys an object's location or rotation, and no bone, in the slot that Blender
    would choose for the object.

    Delta locations and delta rotations count, and so do rotation modes and all rotation properties; scales do
    not. Muted curves count. False where no slot fits.
    """
    try:
        slot = actions.choose_slot(action, holder)
    except InertiaError:
        return False
    paths = [curve.data_path for curve in compat.curves(action, slot.identifier)]
    moves = any(path.startswith(OF_OBJECTS) for path in paths)
    return moves and all(rig.split_path(path)[0] is None for path in paths)


def _read_by_value(partner: Any, holder: Any) -> dict[Address, ActionCurve]:
    """Return the curves of an object's own action as keys alone, which are in no slot of the clip's."""
    clip = actions.read(partner, actions.choose_slot(partner, holder))
    return {
        address: Repeated(
            None,
            shaped.tell_by_keys(curve, clip.start, clip.end)[0] if curve.obstacle else curve.keys,
            "",
            curve.group,
        )
        for address, curve in clip.curves.items()
    }


def describe_partners(armature: Any, clips: Iterable[Clip]) -> list[str]:
    """Return a sentence for each action of its own by which what carries an armature goes in a clip."""
    return [
        Sentence(
            'While "{action}" plays, "{holder}", which carries "{armature}", is moved by "{partner}"; their '
            "names match.",
            holder=holder.name,
            armature=armature.name,
            partner=partner,
            action=clip.action.name,
        )
        for clip in clips
        for prefix, partner in clip.partners.items()
        if (holder := rig.holder_of(armature, prefix)) is not None
    ]


def _stands(parent: Any, armature: Any) -> bool:
    """Return whether an object stands still in actions that have no slot for it.

    It does if nothing plays on it, or only actions that (in any slot) also key a bone of the armature, or
    that are the object's partner of such an action, see :func:`find_partner`. What plays is the assigned
    action and, with the NLA on, the strips of tracks that are not muted. A strip without an action makes it
    False.
    """
    animation, playing = parent.animation_data, {compat.assigned(parent)[0]} - {None}
    tracks = animation.nla_tracks if animation is not None and animation.use_nla else ()
    playing |= {strip.action for track in tracks for strip in track.strips if not track.mute}
    return all(
        action is not None and (_moves_bones(action, armature) or _is_partner(action, parent, armature))
        for action in playing
    )


def _is_partner(action: Any, parent: Any, armature: Any) -> bool:
    """Tell whether an action moves an object in one of the other actions that move an armature's bones."""
    return any(
        action in compat.parts_apart(each).values() or find_partner(each, parent) == action
        for each in bpy.data.actions
        if _moves_bones(each, armature)
    )


def _moves_bones(action: Any, armature: Any) -> bool:
    """Return whether any slot of an action has a bone of an armature."""
    return any(
        (rig.split_path(curve.data_path)[0] or "") in armature.data.bones
        for slot in compat.slots(action)
        for curve in compat.curves(action, slot.identifier)
    )


def _with_own_names(armature: Any, clip: Clip) -> Clip:
    """Return a clip whose curves and muted addresses call bones by the armature's names, as far as it has
    twins of them, see :func:`twins.find`.

    ``renamed`` gets the action's name of each renamed bone by the armature's. Bones without a twin keep their
    names. A clip is returned as it is if the armature has all bones of its curves by their own names, or none
    by another.
    """
    bones = {path: rig.split_path(path) for path in dict.fromkeys(path for path, _ in clip.curves)}
    keyed = dict.fromkeys(bone for bone, _ in bones.values() if bone is not None)
    if all(bone in armature.data.bones for bone in keyed):
        return clip
    found = twins.find(armature.data.bones.keys(), keyed)
    renamed = {own: bone for bone, own in found.items() if own != bone}
    if not renamed:
        return clip

    def address_of(address: Address) -> Address:
        bone, _ = bones[address[0]] if address[0] in bones else rig.split_path(address[0])
        return (rig.of_bone(address[0], found[bone]), address[1]) if bone in found else address

    curves = {address_of(address): curve for address, curve in clip.curves.items()}
    return dataclasses.replace(
        clip, curves=curves, muted=tuple(map(address_of, clip.muted)), renamed={**clip.renamed, **renamed}
    )


def describe_renaming(clips: Iterable[Clip]) -> list[str]:
    """Return a sentence for each action among clips that calls bones otherwise than the armature does."""
    said = {clip.action.name: clip.renamed for clip in clips if clip.renamed}
    return [
        Sentence(
            'Action "{action}" has other names for {count} bones, such as "{other}" for "{bone}"; they are '
            "treated as the same.",
            action=action,
            count=len(renamed),
            other=next(iter(renamed.values())),
            bone=next(iter(renamed)),
        )
        for action, renamed in said.items()
    ]


def read_named_steps(
    armature: Any, named: Iterable[tuple[str, str, str]], read_slot: Reading = actions.read_clip_steps
) -> Steps[tuple[Clip, ...]]:
    """Read actions for an armature, by name; return the clips in the given order, with their un-keyed values;
    yield the part that is done, 0 to 1.

    named: (action, library, slot) of each; library "" for the open file's action, else the only linked one of
    the name; slot "" for the one that Blender would choose. read_slot: reads one slot, for those who cache.
    Raise InertiaError for an armature that can't be read now, an action or slot that does not exist (actions
    are looked up before any is read), keys that are not finite, or an action that animates nothing of the
    armature.
    """
    rig.check_armature(armature)
    wanted = [(actions.find(name, library), slot) for name, library, slot in named]
    clips = []
    for i, (action, slot) in enumerate(wanted):
        steps = _read_stored_steps(armature, action, slot, read_slot)
        clip = yield from part(steps, i / len(wanted), (i + 1) / len(wanted))
        clips.append(clip)
    return unkeyed.all_completed(armature, clips)


def library(armature: Any) -> tuple[list[Clip], list[str]]:
    """Read all actions of the file that fit an armature and that Inertia has not baked, in the file's order.

    Return the clips, and the texts of the errors of those that can't be read, which are left out.
    """
    clips, skipped = [], []
    for action in unbaked(armature):
        try:
            clips.append(read(armature, action))
        except InertiaError as error:
            skipped.append(str(error))
    return clips, skipped


def check(armature: Any, clip: Clip) -> None:
    """Raise InertiaError if a clip has no un-muted curves, or if all of them are of bones that the armature
    lacks.

    One channel of the object, or of one of its bones, is enough to pass.
    """
    name = clip.action.name
    if not clip.curves:
        muted = " that is not muted" if clip.muted else ""
        raise InertiaError(
            'Action "{name}" has no keys{muted}; choose one that is keyed.', name=name, muted=muted
        )
    for path, _ in clip.curves:
        bone, _prop = rig.split_path(path)
        if bone is None or bone in armature.data.bones:
            return
    missing = rig.split_path(next(iter(clip.curves))[0])[0]
    raise InertiaError(
        'Action "{name}" has no channel of "{armature}": it animates "{missing}" and other bones that '
        "this armature lacks; choose an action made for this armature.",
        name=name,
        armature=armature.name,
        missing=missing,
    )


def strange_bones(armature: Any, action: Any) -> list[str]:
    """Return the names, sorted, of the bones that an action keys and an armature lacks; [] unless they are
    more than half.

    Bones that the armature has by another name only, see :func:`twins.find`, are not lacking. Muted curves
    count. Raise InertiaError if the action has no slot for the armature.
    """
    slot = actions.choose_slot(action, armature)
    paths = (rig.split_path(curve.data_path)[0] for curve in compat.curves(action, slot.identifier))
    bones = {bone for bone in paths if bone is not None}
    missing = sorted(bone for bone in bones if bone not in armature.data.bones)
    if 2 * len(missing) > len(bones):
        missing = sorted(bones - twins.find(armature.data.bones.keys(), sorted(bones)).keys())
    return missing if 2 * len(missing) > len(bones) else []


def _owner(armature: Any, clip: Clip) -> str:
    """Return the name of another armature object that a clip was made for, the first in the file; "" for
    none.

    It has other armature data, and either plays the clip's action or is the one that the clip's slot is named
    after. Its bones are compared with those of `armature` that the clip keys, by the names that the action
    has for them: the axes at rest, relative to the parent, differ by more than 10 degrees in the median.
    Without a bone in common it is not another's, nor if the slot is named after `armature` itself.
    """
    slot, keyed = clip.slot.identifier, {name for path, _ in clip.curves if (name := rig.split_path(path)[0])}
    for other in bpy.data.objects:
        if other.type != "ARMATURE" or other.data == armature.data or slot == f"OB{armature.name}":
            continue
        if slot != f"OB{other.name}" and compat.assigned(other)[0] != clip.action:
            continue
        called = {name: clip.renamed.get(name, name) for name in keyed if name in armature.data.bones}
        shared = [name for name, own in called.items() if own in other.data.bones]
        if shared:
            mine = np.array([_at_rest(armature.data.bones[name]) for name in shared])
            theirs = np.array([_at_rest(other.data.bones[called[name]]) for name in shared])
            turns = quaternion.log(quaternion.from_matrix(mine.swapaxes(1, 2) @ theirs))
            if np.median(np.linalg.norm(turns, axis=-1)) > TURNED:
                return str(other.name)
    return ""


def _at_rest(bone: Any) -> Array:
    """Return a bone's axes (3, 3) at rest, as its parent sees them."""
    axes = np.array(bone.matrix_local, float)[:3, :3]
    return axes if bone.parent is None else np.array(bone.parent.matrix_local, float)[:3, :3].T @ axes


def check_skeleton(armature: Any, clip: Clip) -> None:
    """Raise InertiaError for a clip that was made for another skeleton than an armature's; else return None.

    It was if the armature lacks more than half of the bones that the clip's action keys (bones with another
    name for the same count as there), or if the clip belongs to another armature object, by its slot's name
    or as that one plays the action, whose bones of the same names are turned by more than 10 degrees at rest,
    in the median. InertiaError is also raised if the action has no slot for the armature.
    """
    missing = strange_bones(armature, clip.action)
    if missing:
        raise InertiaError(
            'Action "{name}" belongs to another skeleton: it animates {count} bones that "{armature}" '
            'lacks, such as "{bone}"; leave it out.',
            name=clip.action.name,
            bone=missing[0],
            count=len(missing),
            armature=armature.name,
        )
    if other := _owner(armature, clip):
        raise InertiaError(
            'Action "{name}" was made for "{other}", whose rest pose differs from that of "{armature}"; '
            "choose an action of this armature.",
            name=clip.action.name,
            other=other,
            armature=armature.name,
        )


def scaled_ends(settings: TransitionSettings, clips: Sequence[Clip]) -> tuple[Clip, Clip]:
    """Return the source and the destination with the lengths that settings ask for; raise as
    :func:`stretched`.
    """
    source, destination = clips
    return scaled(source, settings.source_scale), scaled(destination, settings.destination_scale)


def scaled(clip: Clip, scale: float) -> Clip:
    """Return a clip made `scale` times as long, about its first key; one that was scaled already stays."""
    if scale == 1.0 or clip.stretch is not None:
        return clip
    return stretched(clip, ClipScale(clip.start, scale))


def stretched(clip: Clip, stretch: ClipScale) -> Clip:
    """Return a clip with its keys, ends, markers and teleports moved in time to where a stretch has them.

    stretch: the factor and the frame about which it acts. ``keyed`` becomes the clip as it was given, and
    ``stretch`` is noted. The cycle, the muted addresses, the un-keyed values and ``others`` stay as they
    were. Raise InertiaError if any curve has a modifier or consists of samples, as that can't be scaled.
    """
    shaped = next((curve for curve in clip.curves.values() if curve.obstacle), None)
    if shaped is not None:
        raise InertiaError(
            'Curves of "{action}" have more than their keys ({reason}), which can\'t be scaled in time; bake '
            "them to keys first, or set its scale to 1.",
            action=clip.action.name,
            reason=shaped.obstacle,
        )
    start, end = stretch.times([clip.start, clip.end]).tolist()
    curves: dict[Address, ActionCurve] = {}
    for address, curve in clip.curves.items():
        keys = keylib.scaled(curve.keys, stretch.origin, stretch.scale)
        curves[address] = Repeated(curve.fcurve, keys, "", curve.group)
    teleports = clip.teleports and tuple(each.timed(stretch.times) for each in clip.teleports)
    times = stretch.times([marker.frame for marker in clip.markers]).tolist()
    markers = tuple(Marker(each.name, time) for each, time in zip(clip.markers, times, strict=True))
    spanning: dict[str, Any] = {"start": start, "end": end, "stretch": stretch, "markers": markers}
    return dataclasses.replace(clip, curves=curves, keyed=clip, teleports=teleports, **spanning)
