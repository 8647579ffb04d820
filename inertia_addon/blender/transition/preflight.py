# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong, or worth knowing, before a bake."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InertiaError, Sentence
from ...motion import quaternion
from ...motion.skeleton import character_space
from ...motion.skeleton.posing import Rig
from ...settings.transition import OBJECT_ROOT, TransitionSettings
from ..data import recipe, retiming, roots, scene
from ..data.actions import Address, Clip
from ..data.channels import ROTATIONS, Matching, property_default, transform
from ..data.limb_list import SwitchedLimb
from ..data.rig import bone_path, rotation_mode, split_path
from ..data.rigs import acts, ik_chains
from ..data.roots import Root
from ..evaluation import controlling, controls, hindrances, joints, limbs
from ..evaluation.character import Character, read_character
from . import selecting
from .alignment import RootedRig, apart
from .joining import Joining
from .report import UnkeyedChannel

SEEN = {"rotation": 0.1, "location": 0.001, "scale": 0.001}
"""Who stands no further from rest, in degrees, metres, or parts of a size, is at rest as one sees it."""
Hidden = tuple[frozenset[str], frozenset[str]]
"""Of source and destination each the controls that pose nothing, see :func:`hidden_controls`."""
NONE_HIDDEN: Hidden = (frozenset(), frozenset())

WITHOUT_TARGET = ("LIMIT_LOCATION", "LIMIT_ROTATION", "LIMIT_SCALE", "MAINTAIN_VOLUME", "TRANSFORM_CACHE")
"""Constraints that act on their own."""
TOUCHED = {
    "COPY_LOCATION": ("location",),
    "LIMIT_LOCATION": ("location",),
    "LIMIT_DISTANCE": ("location",),
    "COPY_ROTATION": ("rotation",),
    "LIMIT_ROTATION": ("rotation",),
    "DAMPED_TRACK": ("rotation",),
    "TRACK_TO": ("rotation",),
    "LOCKED_TRACK": ("rotation",),
    "COPY_SCALE": ("scale",),
    "LIMIT_SCALE": ("scale",),
    "MAINTAIN_VOLUME": ("scale",),
}
"""The channels on which a kind of constraint acts; others act on all."""
NAMED = 4
"""So many constraints of a rig are named one by one."""
SAME_FRAME, LEAST_STEPS = 0.02, 6
"""Keys nearer than that are on the same frame; with fewer steps between keys than that there is no rate."""
SAME_RATE, STEADY, MOST_STEPS = 0.01, 0.1, 0.9
"""Rates that differ by less are the same, as 29.97 and 30; a step is steady if it is that near to a multiple
of the usual one, in parts of that, and keys have a rate where so many of their steps are steady."""


def resolved(settings: TransitionSettings, source: Clip, destination: Clip) -> TransitionSettings:
    """Return settings with the destination frame filled in: the destination's first by default.

    Raise InertiaError when the cut or the destination frame lies outside its clip.
    """
    entry = destination.start if settings.destination_frame is None else settings.destination_frame
    for label, frame, clip in (("cut", settings.cut, source), ("destination frame", entry, destination)):
        # the source may be cut in any repetition of a cycle, and the destination is entered in its first one
        last = clip.end
        if clip.cycle is not None:
            last = math.inf if label == "cut" else clip.cycle.end
        if not settings.extrapolate and not clip.start - 1e-3 <= frame <= last + 1e-3:
            raise InertiaError(
                'The {label} {frame:g} lies outside "{action}", which runs from frame {start:g} to '
                "{end:g}; choose a frame inside, or allow to extrapolate.",
                label=label,
                frame=frame,
                action=clip.action.name,
                start=clip.start,
                end=min(clip.end, last),
            )
    if settings.destination_frame is not None:
        return settings
    return dataclasses.replace(settings, destination_frame=entry)


def carried(rig: Rig, settings: TransitionSettings, clips: Sequence[Clip]) -> tuple[Root, str]:
    """Return what carries the character in clips, and how a bake moves what follows: never AUTO.

    Nothing is moved where the root takes no part.
    """
    root = roots.find_root(rig, clips, settings.root)
    return root, kind_for(rig, settings, root)


def kind_for(rig: Rig, settings: TransitionSettings, root: Root) -> str:
    """Return how a bake moves what follows a root, see :func:`carried`."""
    chosen = selecting.select_participants(rig.bones.names, settings)
    takes_part = chosen is None or root.name in chosen.bones or (root.is_object and not chosen.is_of_bones)
    return alignment_kind(settings, moves=root.moves) if takes_part else "NONE"


def alignment_kind(settings: TransitionSettings, *, moves: bool) -> str:
    """Return how a bake moves what follows, see :class:`Alignment`: never AUTO.

    moves: see :class:`roots.Root`.
    """
    kind = settings.alignment
    if kind == "AUTO":
        kind = "POSITION_HEADING" if moves else "NONE"
    if settings.align_height:
        kind = "HEIGHT" if kind == "NONE" else f"{kind}_HEIGHT"
    return kind


def reference(rig: Rig, settings: TransitionSettings, root: Root) -> Root:
    """Return what is brought to where the source has it: a bone of the animator's choice, else the root.

    Raise InertiaError for a bone that does not exist.
    """
    if not settings.align_bone:
        return root
    if settings.align_bone not in rig.bones.names:
        template = '"{armature}" has no bone "{bone}"; choose another one to align by.'
        raise InertiaError(template, armature=rig.name, bone=settings.align_bone)
    return dataclasses.replace(root, name=settings.align_bone)


def warnings(
    rooted: RootedRig,
    joining: Joining,
    matching: Matching,
    unkeyed: Sequence[UnkeyedChannel],
    hidden: Hidden = NONE_HIDDEN,
) -> Iterator[str]:
    """Yield what an animator should know before baking, a sentence each.

    unkeyed: see :func:`unkeyed_channels`.
    """
    armature, rig, root = rooted.obj, rooted.rig, rooted.root
    for prop in sorted({prop for _, prop in matching.ignored}):
        names = [bone if bone is not None else armature.name for bone, p in matching.ignored if p == prop]
        template = (
            "{prop} is keyed on {names} but another rotation mode is set there, so Blender ignores "
            "those curves and they are left out."
        )
        yield Sentence(template, prop=prop, names=named(names))
    if matching.missing:
        template = '"{armature}" lacks {missing}; their curves are left out.'
        yield Sentence(template, armature=armature.name, missing=named(list(matching.missing)))
    yield from _one_sided(joining, matching, unkeyed, hidden)
    yield from _unkeyed(unkeyed)
    for clip in joining.clips:
        if clip.muted:
            template = '"{action}" has {count} muted curves, which are left out.'
            yield Sentence(template, action=clip.action.name, count=len(clip.muted))
    yield from _warn_of_acting_on_top(read_character(armature), joining)
    yield from hindrances.describe(armature, above_tracks=not joining.settings.strips)
    yield from warn_of_switching(read_character(armature), joining)
    if joining.settings.assign and (tracks := soloed_tracks(armature)):
        template = (
            'The track "{track}" of "{armature}" is soloed and hides the assigned result; click its star in '
            "the NLA Editor to see it."
        )
        yield Sentence(template, track=tracks[0], armature=armature.name)
    yield from _timing(joining)
    yield from joining.alignment.warnings
    chosen = selecting.select_participants(rig.bones.names, joining.settings)
    if joining.alignment.kind == "NONE" and (chosen is None or root.name in chosen.bones):
        yield from _warn_of_gliding(rig, joining, root)


def _warn_of_gliding(rig: Rig, joining: Joining, root: Root) -> Iterator[Sentence]:
    """Yield how far the character has to glide or turn round within the blend, as nothing aligns it."""
    away, turned = apart(rig, root, joining.cut_and_entry)
    source, destination = (clip.action.name for clip in joining.clips)
    if away > character_space.APART * rig.size:
        template = (
            'At the cut "{there}" stands {metres:.3g} m away from "{here}", so the character glides '
            "within the blend; align the position, too, if it should not."
        )
        yield Sentence(template, there=destination, metres=away * scene.metres_per_unit(), here=source)
    if abs(turned) > roots.TURN:
        template = (
            'At the cut "{there}" faces {degrees:.0f} degrees away from "{here}", so the character turns '
            "within the blend; align the heading, too, if it should not."
        )
        yield Sentence(template, there=destination, degrees=abs(math.degrees(turned)), here=source)


def warn_of_gliding_along(companion_name: str, rig: Rig, root: Root, joining: Joining) -> Iterator[Sentence]:
    """Yield how far another one glides who comes along, if the clips have it elsewhere beside the
    character.
    """
    away, _ = apart(rig, root, joining.cut_and_entry, joining.alignment.motion)
    if away > character_space.APART * rig.size:
        template = (
            'Relative to the character, "{other}" stands {metres:.3g} m apart in the two clips, so it '
            "glides within the blend; cut where it stands in the same place in both if it should not."
        )
        yield Sentence(template, other=companion_name, metres=away * scene.metres_per_unit())


def named(names: list[str], limit: int = 4) -> str:
    """Return names in quotation marks, with commas between them; those beyond the limit are counted."""
    shown = ", ".join(f'"{name}"' for name in names[:limit])
    if len(names) <= limit:
        return shown
    return Sentence("{shown} and {count} more", shown=shown, count=len(names) - limit)


def _unkeyed(channels: Sequence[UnkeyedChannel]) -> Iterator[Sentence]:
    """Yield a sentence on what each action does not key: animators complete a clip, not a channel."""
    for action in dict.fromkeys(channel.action for channel in channels):
        lacking = [channel for channel in channels if channel.action == action]
        unit = {"rotation": "\N{DEGREE SIGN}", "location": " m"}.get(lacking[0].kind, "")
        yield Sentence(
            '"{action}" does not key all of {bones}: what it leaves out keeps its current pose, up to {away} '
            "from rest; Complete Clips keys it.",
            action=action,
            bones=named(list(dict.fromkeys(channel.bone for channel in lacking))),
            away=f"{lacking[0].away:.3g}{unit}",
        )


def _one_sided(
    joining: Joining, matching: Matching, unkeyed: Sequence[UnkeyedChannel], hidden: Hidden
) -> Iterator[Sentence]:
    """Yield a sentence for each clip that does not key bones which the other one moves, and that stand at
    rest there: they go to it.
    """
    away = {(channel.action, channel.bone) for channel in unkeyed}
    keyed = [{split_path(path)[0] for path, _ in clip.curves} for clip in joining.clips]
    moved = [_find_moved(clip) for clip in joining.clips]
    sides = zip(moved, keyed[::-1], joining.clips[::-1], hidden[::-1], strict=True)
    for moving, lacking, other, unseen in sides:
        lone = sorted(
            bone
            for bone in moving - lacking - unseen
            if bone is not None and bone not in matching.missing and (other.action.name, bone) not in away
        )
        if lone:
            template = '"{action}" has no keys for {lone}, which go to their rest pose.'
            yield Sentence(template, action=other.action.name, lone=named(lone))


def _find_moved(clip: Clip) -> set[str | None]:
    """Return the bones that a clip leaves anywhere but at rest, the object as None."""
    moved = set()
    for (path, index), curve in clip.curves.items():
        bone, prop = split_path(path)
        if bone in moved:
            continue
        is_transform = prop in SEEN or prop in ROTATIONS
        rest = quaternion.default_of(prop, index) if is_transform else np.nan
        if not is_transform or curve.obstacle or np.any(np.abs(curve.keys.co[:, 1] - rest) > SEEN["scale"]):
            moved.add(bone)
    return moved


def _warn_of_acting_on_top(character: Character, joining: Joining) -> Iterator[Sentence]:
    """Yield sentences on un-muted constraints and drivers that go on acting on what the clips key, and on
    drivers that read the scene's frame.
    """
    addresses = {address for clip in joining.clips for address in clip.curves}
    acting = _constraints_on(character.armature, addresses)
    if len(acting) > NAMED:
        yield Sentence(
            "{count} constraints on {controls} controls, such as {named}, act on top of the result, as they "
            "do now.",
            count=len(set().union(*acting.values())),
            controls=len(acting),
            named=named([*acting][:2]),
        )
    elif acting:
        template = "Constraints on {constrained} act on top of the result, as they do now."
        yield Sentence(template, constrained=named(list(acting)))
    drivers = (
        character.armature.animation_data.drivers if character.armature.animation_data is not None else ()
    )
    drivers = [driver for driver in drivers if not driver.mute]
    winning = [d for d in drivers if (d.data_path, d.array_index) in addresses]
    driven = sorted({split_path(d.data_path)[0] or character.armature.name for d in winning})
    if len(driven) > NAMED:
        template = "{count} drivers on {controls} controls, such as {named}, win over the result's keys."
        yield Sentence(template, count=len(winning), controls=len(driven), named=named(driven[:2]))
    elif driven:
        yield Sentence("Drivers on {driven} win over the result's keys.", driven=named(driven))
    timed = {split_path(d.data_path)[0] or "" for d in drivers if _reads_frame(d.driver)}
    if timed:
        yield Sentence(
            "Drivers on {driven} read the scene's frame, so they show something else wherever the result "
            "plays a clip at another frame than its own.",
            driven=named(_controls(character, timed)),
        )


def _constraints_on(armature: Any, addresses: Collection[Address]) -> dict[str, list[str]]:
    """Return the paths of constraints that act on what is keyed, by the name of the selectable bone, or of
    the object, that has the keys.

    IK acts on all bones of its chain.
    """
    keyed: dict[str | None, set[str]] = {}
    for path, _ in addresses:
        bone, prop = split_path(path)
        keyed.setdefault(bone, set()).add("rotation" if prop in ROTATIONS else prop)
    chains = ik_chains(armature)
    paths = {}
    bones = [bone for bone in armature.pose.bones if not bone.bone.hide_select]
    for owner, name in ((armature, None), *((bone, bone.name) for bone in bones)):
        kinds = keyed.get(name, set())
        acting = [c for c in owner.constraints if c.type != "IK" and _acts_on(c, kinds)]
        if "rotation" in kinds:
            acting += chains.get(name, ())
        if acting:
            paths[str(owner.name)] = [c.path_from_id() for c in acting]
    return paths


def _acts_on(constraint: Any, kinds: set[str]) -> bool:
    """Tell whether a constraint acts on some kinds of channels; some need no target."""
    is_on = not constraint.mute and constraint.influence > 0.0
    if not acts(constraint) and not (is_on and constraint.type in WITHOUT_TARGET):
        return False
    return not kinds.isdisjoint(TOUCHED.get(constraint.type, ("location", "rotation", "scale")))


def _controls(character: Character, bones: Collection[str]) -> list[str]:
    """Return what an animator takes to move bones, "" for the object, by name."""
    names = (
        controlling.controls_of(character.armature, bones, joints.default_joints(character.armature))
        if any(bones)
        else {}
    )
    return sorted({names.get(bone, bone) or str(character.armature.name) for bone in bones})


def _reads_frame(driver: Any) -> bool:
    if driver.type == "SCRIPTED" and re.search(r"\bframe\b", driver.expression):
        return "frame" not in driver.variables.keys()  # a variable of that name may be anything
    targets = (target for variable in driver.variables for target in variable.targets)
    return any(target.data_path.startswith("frame_") for target in targets)


def warn_of_switching(character: Character, joining: Joining) -> Iterator[Sentence]:
    """Yield the controls that do not stay where they are while a switch goes over."""
    if lost := set(joining.held.lost):
        keyed = {split_path(path)[0] or "" for clip in joining.clips for path, _ in clip.curves}
        yield Sentence(
            "A switch that {lost} depend on changes at the cut, so they can't stay where the source has "
            "them; cut where both clips have the same value, or key the switch to the same value in both.",
            lost=named(sorted(keyed & lost) + _controls(character, lost - keyed)),
        )


def unplayed(character: Character, why_not: str) -> Iterator[Sentence]:
    """Yield a sentence if a rig with constraints was taken as plain, as Blender can't play it."""
    if why_not:
        template = (
            'Only Blender knows what follows the root of "{armature}" by constraints, and can\'t play it '
            "here: {reason}"
        )
        yield Sentence(template, armature=character.armature.name, reason=why_not)


def soloed_tracks(armature: Any) -> tuple[str, ...]:
    """Return the names of the solo NLA tracks, beside which Blender plays no other, nor the assigned
    action.
    """
    animation = armature.animation_data
    if animation is None or not animation.use_nla:
        return ()
    return tuple(track.name for track in animation.nla_tracks if track.is_solo)


def _timing(joining: Joining) -> Iterator[Sentence]:
    if joining.settings.go_on in ("CYCLES", "SCENE_END") and joining.destination.cycle is None:
        template = '"{action}" is not a cycle, so it stops at its end; mark it as a cycle to have it go on.'
        yield Sentence(template, action=joining.destination.action.name)
    if joining.settings.match_lengths:
        for clip in joining.clips:
            if clip.cycle is None:
                template = '"{action}" is not a cycle, so there are no lengths to match; mark it as a cycle.'
                yield Sentence(template, action=clip.action.name)
    destination, blend = joining.destination, joining.settings.frames(joining.fps)
    left = destination.end - joining.destination_frame
    if joining.settings.method != "SPRING" and blend > left + 1e-3:
        template = (
            '"{action}" ends {left:g} frames after the cut, before the blend of {blend:g} frames is over; '
            "its last pose is held."
        )
        yield Sentence(template, action=destination.action.name, left=max(left, 0.0), blend=blend)
    for clip, frame in zip(joining.clips, (joining.cut, joining.destination_frame), strict=True):
        if clip.end - clip.start < 1e-3:
            yield Sentence('"{action}" is a single pose, so it has no velocity.', action=clip.action.name)
        elif not clip.start - 1e-3 <= frame <= clip.end + 1e-3:
            template = '"{action}" is extrapolated: frame {frame:g} lies outside its keys.'
            yield Sentence(template, action=clip.action.name, frame=frame)
    fractional = [clip.action.name for clip in joining.clips if _is_keyed_at_other_rate(clip, joining.fps)]
    if fractional:
        template = (
            "{fractional} has keys between frames; check that it was made for the scene's {fps:g} frames a "
            "second."
        )
        yield Sentence(template, fractional=named(list(dict.fromkeys(fractional))), fps=joining.fps)


def _is_keyed_at_other_rate(clip: Clip, fps: float) -> bool:
    """Return whether a clip's own keys come at a steady rate that is not the scene's, nor the one from which
    they were brought to that, and are none that a bake has put there."""
    clip = clip.keyed or clip
    if not clip.curves or recipe.kind(clip.action):
        return False
    # most curves have their keys on the same frames, which are looked at once
    distinct = {frames.tobytes(): frames for frames in (each.keys.co[:, 0] for each in clip.curves.values())}
    frames = np.concatenate([*distinct.values()])
    if clip.clock is not None:
        # its own keys, as its action has them
        frames = frames[frames > clip.clock.end + 0.5] + clip.clock.gained
    return has_other_rate(frames * (retiming.own_rate(clip.action, fps) / fps))


def has_other_rate(frames: NDArray[np.floating[Any]]) -> bool:
    """Return whether keys come steadily, but not every frame, nor every so many whole frames.

    frames: those of all keys (n,), in any order. Keys that lie between frames without a steady step say
    nothing about the rate: importers leave them where a file's curve bends or ends, and animators where they
    like.
    """
    steps = np.diff(np.unique(np.round(frames, 2)))
    steps = steps[steps > SAME_FRAME]
    if len(steps) < LEAST_STEPS:
        return False
    usual = float(np.median(steps))
    if abs(usual - round(usual)) <= SAME_RATE * usual:
        return False
    multiples = steps / usual
    is_steady = np.abs(multiples - np.round(multiples)) <= STEADY
    return bool(np.mean(is_steady) >= MOST_STEPS)


def root_label(root: Root) -> str:
    """Return a root's name for the animator."""
    return "the object" if root.name == OBJECT_ROOT else f'"{root.name}"'


def hidden_controls(armature: Any, joining: Joining, matching: Matching) -> Hidden:
    """Return, for source and destination, the names of the controls that pose nothing there from its first
    frame to its last.

    These are FK's where it shows their limb by IK, and the other way round. Blender is asked where only one
    of the clips keys a control, and the rig has switches; else both are empty.
    """
    keyed = [{split_path(path) for path, _ in clip.curves} for clip in joining.clips]
    paths = {ch.destination.addresses[0][0] for ch in matching.channels if ch.kind == "value"}
    if keyed[0] == keyed[1] or not paths | limbs.find_steering_paths(armature):
        return NONE_HIDDEN
    with controls.staged(armature, joining.source) as stage:
        stage.show(joining.cut)
        known = limbs.find(stage, {bone for bone, _ in keyed[0] | keyed[1] if bone is not None}, paths)
    other = {"FK": "IK", "IK": "FK"}
    sides = [{limb: _side(armature, limb, clip) for limb in known} for clip in joining.clips]
    first, second = (
        frozenset(control for limb, side in shown.items() if side for control in limb.controls(other[side]))
        for shown in sides
    )
    return first, second


def _side(armature: Any, limb: SwitchedLimb, clip: Clip) -> str:
    """Return which side of a limb, "FK" or "IK", a clip shows from its first frame to its last; "" where that
    changes, is mixed or not told by keys.
    """
    address = (limb.switch, 0)
    curve = clip.curves.get(address)
    if curve is None:
        return limb.side(property_default(armature, address)[0])
    if curve.obstacle:
        return ""
    sides = {limb.side(value) for value in curve.keys.co[:, 1].tolist()}
    return sides.pop() if len(sides) == 1 else ""


def unkeyed_channels(
    armature: Any, joining: Joining, hidden: Hidden = NONE_HIDDEN
) -> tuple[UnkeyedChannel, ...]:
    """Return what only one of two clips keys, if in the other it stands away from rest and is seen there.

    The furthest comes first. hidden: see :func:`hidden_controls`.
    """
    channels = []
    for clip, other, unseen in zip(joining.clips, joining.clips[::-1], hidden[::-1], strict=True):
        lone = {split_path(path) for path, index in clip.curves if (path, index) not in other.curves}
        kept = {split_path(path) for path, _ in other.unkeyed or {}}
        for bone, prop in lone & kept:
            if bone is None or bone in unseen:
                continue
            mode = rotation_mode(armature, bone) if prop in ROTATIONS else ""
            standing = transform(other, bone_path(bone, ""), prop, mode)
            value = standing.decode(np.array(standing.defaults))
            if prop == "location":
                away = float(np.linalg.norm(value)) * joining.bone_metres
            elif prop == "scale":
                away = float(np.max(np.abs(value - 1.0)))
            else:
                away = math.degrees(float(np.linalg.norm(quaternion.log(value))))
            kind = "rotation" if mode else prop
            if away > SEEN[kind]:
                channels.append(UnkeyedChannel(other.action.name, bone, kind, away))
    # what is furthest in its own kind's sense: a right angle is as much as a metre or twice the size
    return tuple(sorted(channels, key=lambda ch: -ch.away / (90.0 if ch.kind == "rotation" else 1.0)))
